"""What a project holds is found, what is nowhere is said, and what could not be looked for to the end is not called missing."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from reverie.core.checkup import Named
from reverie.storage import evidence


def named(*texts: str) -> list[Named]:
    kinds = {"/": "folder", "--": "flag", ".": "file"}
    return [Named(kind=next((kind for mark, kind in kinds.items() if text.startswith(mark) or text.endswith(mark) or
                             (mark == "." and "." in text)), "symbol"), text=text.rstrip("/")) for text in texts]


ASKED = named("src/app/retry.py", "app/retry.py", "retry.py", "src/app/gone.py", "gone.py", "src/app/", "docs/", "handle_order", "handle",
              "vanished_thing", "--keep-going", "--no-such-flag", "notes.md", "ignored.py")
ABSENT = {"src/app/gone.py", "gone.py", "docs", "vanished_thing", "--no-such-flag"}


@pytest.fixture(params=["git", "plain"])
def project(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "src/app").mkdir(parents=True)
    (root / "src/app/retry.py").write_text("def handle_order(): ...  # --keep-going, handle\n")
    (root / "notes.md").write_text("untracked\n")
    (root / ".gitignore").write_text("ignored.py\n")
    (root / "ignored.py").write_text("x = 1\n")
    if request.param == "git":
        for command in (["init", "-q"], ["add", "src"]):
            subprocess.run(["git", *command], cwd=root, check=True)
    return root


def test_what_is_nowhere_is_said(project: Path) -> None:
    assert {each.text for each in evidence.absent(str(project), ASKED)} == ABSENT


def test_a_deadline_that_passed_is_no_evidence(project: Path) -> None:
    assert evidence.absent(str(project), ASKED, seconds=0.0) <= {each for each in ASKED if each.kind in ("file", "folder")}
    times = iter(range(0, 10_000, 5))
    assert evidence.absent(str(project), named("vanished_thing"), clock=lambda: next(times)) == frozenset()


def test_nothing_is_missing_from_no_project(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for root in (tmp_path / "empty", tmp_path / "nowhere"):
        assert evidence.absent(str(root), ASKED) == frozenset()


def test_a_disk_full_of_files_is_no_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence, "MOST_FILES", 3)
    for number in range(5):
        (tmp_path / f"{number}.txt").write_text("x")
    assert evidence.absent(str(tmp_path), ASKED) == frozenset()


def test_no_program_of_the_project_is_started(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.py").write_text("x = 1\n")
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    ran = tmp_path / "ran"
    for setting in ("core.fsmonitor", "core.pager", "diff.external"):
        subprocess.run(["git", "config", setting, f"touch {ran};"], cwd=root, check=True)
    assert {each.text for each in evidence.absent(str(root), named("vanished_thing", "x"))} == {"vanished_thing"}
    assert not ran.exists()
