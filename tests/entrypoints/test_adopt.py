"""``reverie adopt``, as a person and a program meet it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from reverie.core import place as places
from reverie.entrypoints import cli

Run = Callable[..., Result]
KEY = "sk-ant-" + "api03-" + "Zx8" * 28 + "-AA"         # the form of a credential, made of nothing
CHECKS = "---\nname: Checks\ndescription: How to run the checks\ntype: feedback\n---\n\nRun them with make check.\n"


@pytest.fixture
def reverie(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("REVERIE_HOME", str(tmp_path / "reverie"))
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    return lambda *args: CliRunner().invoke(cli.group, list(args))


@pytest.fixture
def store(reverie: Run, tmp_path: Path) -> Path:
    assert reverie("remember", "Deploys of the gateway happen on Mondays").exit_code == 0
    [kept] = [path for path in (tmp_path / "reverie" / "stores").rglob("*.md") if path.name != "MEMORY.md"]
    return kept.parent


def test_it_says_file_by_file_what_it_did_and_how_to_take_it_back(reverie: Run, store: Path) -> None:
    (store / "checks.md").write_text(CHECKS.replace("them", f"them with {KEY} and"))
    (store / "MEMORY.md").write_text((store / "MEMORY.md").read_text() + "- a thought of its own\n")
    shown = reverie("adopt")
    assert shown.exit_code == 0
    assert "masked" in shown.stdout and "checks.md" in shown.stdout and KEY not in shown.stdout
    assert "a thought of its own" in shown.stdout
    assert "Adopted what others wrote: 1 masked." in shown.stdout
    assert "reverie undo --run adopt-1" in shown.stdout
    assert reverie("adopt").stdout.startswith("Adopted nothing: no file was changed by another hand (2 looked at).")
    assert reverie("undo", "--run", "adopt-1").exit_code == 0
    assert not (store / "checks.md").exists()


def test_a_rehearsal_writes_nothing_and_names_the_real_files(reverie: Run, store: Path) -> None:
    (store / "checks.md").write_text(CHECKS)
    report = json.loads(reverie("adopt", "--dry-run", "--json").stdout)
    assert (report["dry_run"], report["counts"]) == (True, {"adopted": 1, "unchanged": 1})
    assert str(store / "checks.md") in [each["path"] for each in report["files"]]
    assert json.loads(reverie("adopt", "--json").stdout)["run"] == "adopt-1"


def test_from_one_place_only(reverie: Run, store: Path, home: Path, tmp_path: Path) -> None:
    folder = home / ".claude/projects" / places.claude_key(str((tmp_path / "project").resolve())) / "memory"
    folder.mkdir(parents=True)
    (folder / "there.md").write_text(CHECKS)
    (store / "here.md").write_text(CHECKS.replace("Checks", "Others").replace("make check", "tox"))
    assert json.loads(reverie("adopt", "--from", "claude-code", "--json", "--dry-run").stdout)["counts"] == {"adopted": 1}
    assert json.loads(reverie("adopt", "--from", "stores", "--json", "--dry-run").stdout)["counts"] == {"adopted": 1, "unchanged": 1}
    assert reverie("adopt", "--from", "elsewhere").exit_code == 2
    learned = reverie("learn")
    assert "Adopted what others wrote: 2 adopted. `reverie adopt` shows each file." in learned.stdout


def test_one_s_own_edits_are_vouched_for(reverie: Run, store: Path) -> None:
    [file] = [path for path in store.glob("*.md") if path.name != "MEMORY.md"]
    file.write_text(file.read_text().replace("Mondays", "Sundays"))
    assert reverie("adopt", "--mine").exit_code == 0
    assert "source: user" in file.read_text()


def test_a_store_that_is_no_folder_is_named_and_fails(reverie: Run, store: Path) -> None:
    moved = store.rename(store.with_name("elsewhere"))
    store.write_text("in the way")
    shown = reverie("adopt")
    assert shown.exit_code == 1
    assert "Traceback" not in shown.output
    assert moved.exists()
