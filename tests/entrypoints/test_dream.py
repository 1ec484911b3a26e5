"""``reverie dream``, as a person and a program meet it."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from reverie.entrypoints import cli

Run = Callable[..., Result]


@pytest.fixture
def reverie(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("REVERIE_HOME", str(tmp_path / "reverie"))
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    return lambda *args: CliRunner().invoke(cli.group, list(args))


@pytest.fixture
def twice(reverie: Run, tmp_path: Path) -> Run:
    """Two memories that say the same: one was copied by hand."""
    said = "Run the checks with make check, never with plain pytest"
    assert reverie("remember", said, "--type", "feedback").exit_code == 0
    [kept] = [path for path in (tmp_path / "reverie" / "stores").rglob("*.md") if path.name != "MEMORY.md"]
    kept.with_name("feedback_copied.md").write_bytes(kept.read_bytes())
    os.utime(kept.with_name("feedback_copied.md"), (1, 1))
    return reverie


def test_it_says_what_it_did_and_how_to_take_it_back(twice: Run) -> None:
    shown = twice("dream", "--force")
    assert shown.exit_code == 0
    assert "merged" in shown.stdout and "same_text" in shown.stdout
    assert "Dreamt over 2 memories: 1 merged." in shown.stdout
    [run] = re.findall(r"reverie undo --run (dream-\d+)", shown.stdout)
    assert len(json.loads(twice("list", "--json").stdout)) == 1
    assert twice("undo", "--run", run).exit_code == 0
    assert len(json.loads(twice("list", "--json").stdout)) == 2


def test_a_skip_has_a_name_and_is_no_failure(twice: Run) -> None:
    shown = twice("dream")
    assert shown.exit_code == 0
    assert "min_sessions (0 of 5 sessions since the last dream)" in shown.stdout
    [store, _] = json.loads(twice("dream", "--json").stdout)["stores"]
    assert (store["outcome"], store["skip"]) == ("skipped", "scan_throttled")       # in the same process, at once


def test_a_rehearsal_says_what_would_be_done_and_that_it_is_not_time(twice: Run, tmp_path: Path) -> None:
    shown = twice("dream", "--dry-run")
    assert "Would dream over 2 memories: 1 merged." in shown.stdout
    assert "it is not time yet (min_sessions)" in shown.stdout
    assert len(json.loads(twice("list", "--json").stdout)) == 2
    told = json.loads(twice("dream", "--dry-run", "--json").stdout)
    assert (told["status"], told["dry_run"], told["deduped_entries"], told["touched_topics"]) == ("updated", True, 1, ["feedback"])
    assert [step["act"] for step in told["stores"][0]["steps"]] == ["merged"]


def test_too_much_is_refused_with_the_way_out(twice: Run, tmp_path: Path) -> None:
    [kept, _] = sorted(path for path in (tmp_path / "reverie" / "stores").rglob("*.md") if path.name != "MEMORY.md")
    for number in range(6):
        kept.with_name(f"feedback_copied_{number}.md").write_bytes(kept.read_bytes())
    refused = twice("dream", "--force")
    assert refused.exit_code == 1
    assert "7 of 8 memories would go (88%), more than 30%" in refused.stderr and "--most-removed" in refused.stderr
    assert len(json.loads(twice("list", "--json").stdout)) == 8
    assert json.loads(twice("dream", "--force", "--json").stdout)["status"] == "refused"
    assert twice("dream", "--force", "--most-removed", "90").exit_code == 0
    assert len(json.loads(twice("list", "--json").stdout)) == 1


def test_the_setting_stops_dreams_by_themselves_only(twice: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REVERIE_DREAM_ENABLED", "0")
    assert "disabled" in twice("dream").stdout
    assert "1 merged" in twice("dream", "--force").stdout


def test_nothing_kept_is_said(reverie: Run, tmp_path: Path) -> None:
    assert "Dreamt over 0 memories: nothing to do." in reverie("dream").stdout
    assert not (tmp_path / "reverie").exists()


def test_a_contradiction_that_nobody_can_settle_is_shown(reverie: Run, tmp_path: Path) -> None:
    reverie("remember", "Use npm for installing packages")
    [kept] = [path for path in (tmp_path / "reverie" / "stores").rglob("*.md") if path.name != "MEMORY.md"]
    kept.with_name("feedback_other.md").write_bytes(kept.read_bytes().replace(b"npm", b"pnpm"))
    shown = reverie("dream", "--force")
    assert "look" in shown.stdout and "feedback_other.md" in shown.stdout
    assert "nothing tells which was said later" in " ".join(shown.stdout.split())
