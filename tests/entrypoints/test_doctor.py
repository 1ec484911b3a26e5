"""``reverie doctor``, as a person and a program meet it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from reverie import designs
from reverie.core.place import claude_key
from reverie.entrypoints import cli

Run = Callable[..., Result]


@pytest.fixture
def reverie(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("REVERIE_HOME", str(tmp_path / "reverie"))
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    return lambda *args, **more: CliRunner().invoke(cli.group, list(args), **more)


@pytest.fixture
def folder(home: Path, tmp_path: Path) -> Path:
    """A product's folder in which a line leads nowhere."""
    place = home / ".claude/projects" / claude_key(str((tmp_path / "project").resolve())) / "memory"
    place.mkdir(parents=True)
    (place / "MEMORY.md").write_text("- [Hyphens](hyphens.md) — no hyphens in prose\n- [Gone](gone.md) — x\n")
    (place / "hyphens.md").write_text(
        "---\nname: hyphens\ndescription: Write prose without hyphens\nmetadata:\n  node_type: memory\n  type: feedback\n---\n\nNo hyphens.\n")
    return place


def test_a_clean_bill_of_health_is_one_line(reverie: Run) -> None:
    shown = reverie("doctor")
    assert shown.exit_code == 0
    assert shown.stdout.startswith("All is well: 2 folders, 0 memories looked at")
    assert shown.stdout.count("\n") == 1


def test_it_says_what_is_wrong_where_and_why_it_looked_there(reverie: Run, folder: Path) -> None:
    shown = reverie("doctor")
    assert shown.exit_code == 1
    assert str(folder) in shown.stdout and "this folder because: default" in shown.stdout
    assert "broken   MEMORY.md:2  index_link" in shown.stdout and "--fix will: take the line out" in shown.stdout
    assert "1 broken" in shown.stdout
    told = json.loads(reverie("doctor", "--json").stdout)
    assert (told["broken"], told["folders"][0]["findings"][0]["check"], told["mended"]) == (1, "index_link", [])
    assert reverie("doctor", "--host", "own").exit_code == 0


def test_a_preview_is_a_diff_and_writes_nothing(reverie: Run, folder: Path) -> None:
    before = (folder / "MEMORY.md").read_bytes()
    shown = reverie("doctor", "--dry-run")
    assert "--- MEMORY.md\n+++ MEMORY.md\n" in shown.stdout and "\n-- [Gone](gone.md) — x\n" in shown.stdout
    assert shown.exit_code == 1
    assert (folder / "MEMORY.md").read_bytes() == before


def test_it_asks_before_it_mends_and_can_be_undone(reverie: Run, folder: Path) -> None:
    before = (folder / "MEMORY.md").read_bytes()
    assert reverie("doctor", "--fix", input="n\n").exit_code == 1
    assert reverie("doctor", "--fix").exit_code != 0       # nobody answers
    assert (folder / "MEMORY.md").read_bytes() == before
    mended = reverie("doctor", "--fix", input="y\n")
    assert mended.exit_code == 0, mended.output
    assert (folder / "MEMORY.md").read_text() == "- [Hyphens](hyphens.md) — no hyphens in prose\n"
    assert "take it back with: reverie undo --run doctor-1" in mended.stdout
    assert reverie("undo", "--run", "doctor-1").exit_code == 0
    assert (folder / "MEMORY.md").read_bytes() == before
    told = json.loads(reverie("doctor", "--fix", "--yes", "--json").stdout)
    assert (told["broken"], [each["paths"] for each in told["mended"]]) == (0, [["MEMORY.md"]])


def test_wrong_use_is_said(reverie: Run) -> None:
    for wrong in (["--yes"], ["--fix", "--dry-run"], ["--host", "cobol"], ["--design", "cobol"]):
        assert reverie("doctor", *wrong).exit_code != 0


def test_settings_that_cannot_be_are_a_finding(reverie: Run, tmp_path: Path) -> None:
    (tmp_path / "reverie").mkdir()
    (tmp_path / "reverie/settings.toml").write_text("colour = 3\n")
    shown = reverie("doctor")
    assert shown.exit_code == 1 and "unknown setting 'colour'" in shown.stdout.replace("\n           ", " ")
    told = json.loads(reverie("doctor", "--json").stdout)
    assert told["folders"][0]["findings"][0]["check"] == "settings"


@pytest.mark.parametrize("design", designs.names())
def test_right_after_learning_nothing_is_wrong(reverie: Run, home: Path, design: str) -> None:
    with resources.as_file(resources.files("reverie.samples").joinpath("home")) as samples:
        shutil.copytree(samples, home, dirs_exist_ok=True)
    assert reverie("learn", "--design", design).exit_code == 0
    told = json.loads(reverie("doctor", "--all", "--json", "--design", design).stdout)
    found = {each["check"] for it in told["folders"] for each in it["findings"]}
    assert found <= {"gone_project"}        # the samples' projects are on nobody's disk
    assert sum(it["memories"] for it in told["folders"]) > 10
