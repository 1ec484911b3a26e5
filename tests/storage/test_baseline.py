"""The baseline of a memory folder: one commit of everything, by nobody's settings but ours."""

from __future__ import annotations

import os
import subprocess
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from reverie.storage.baseline import OURS, Baseline, Ran, Skipped, baseline, run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path.resolve() / "memories"
    (path / "rollout_summaries").mkdir(parents=True)
    (path / "MEMORY.md").write_bytes(b"# Task Group: app\r\n\xff")
    (path / "rollout_summaries" / "one.md").write_text("one\n")
    return path


def ask(folder: Path, *arguments: str) -> str:
    ran = run(arguments, folder=str(folder))
    assert isinstance(ran, Ran), ran
    assert ran.code == 0, ran.err
    return ran.text


def made(result: Baseline | Skipped) -> Baseline:
    assert isinstance(result, Baseline), result
    return result


def test_everything_becomes_one_commit(folder: Path) -> None:
    at = datetime(2026, 12, 1, 9, 30, tzinfo=UTC)
    first = made(baseline(str(folder), "Set the baseline", at=at))
    assert first.changed
    assert not first.incomplete
    assert ask(folder, "log", "--format=%an <%ae> %cn %aI %s") == "Reverie <reverie@localhost> Reverie 2026-12-01T09:30:00+00:00 Set the baseline"
    assert ask(folder, "ls-files") == "MEMORY.md\nrollout_summaries/one.md"
    assert ask(folder, "status", "--porcelain") == ""
    assert ask(folder, "symbolic-ref", "HEAD") == "refs/heads/main"
    assert (folder / ".git" / OURS).read_text() == "1"
    assert [path.name for path in folder.iterdir() if path.name.startswith(".git")] == [".git"]


def test_the_next_baseline_forgets_the_one_before(folder: Path) -> None:
    before = made(baseline(str(folder), "one"))
    (folder / "rollout_summaries" / "one.md").unlink()
    after = made(baseline(str(folder), "two", author=("Ana", "ana@dev.example")))
    assert after.changed
    assert ask(folder, "log", "--format=%an %s") == "Ana two"
    gone = run(["cat-file", "-e", before.commit], folder=str(folder))
    assert isinstance(gone, Ran)
    assert gone.code != 0


def test_without_a_difference_the_baseline_stays(folder: Path) -> None:
    before = made(baseline(str(folder), "one"))
    again = made(baseline(str(folder), "two"))
    assert (again.commit, again.changed) == (before.commit, False)


def test_what_the_product_leaves_out_is_left_out_and_what_git_ignores_is_not(folder: Path) -> None:
    (folder / "phase2_workspace_diff.md").write_text("diff")
    (folder / ".codex-baseline").mkdir()
    (folder / ".codex-baseline" / "x").write_text("x")
    (folder / ".gitignore").write_text("*.md\n")
    (folder / "skills").mkdir()
    (folder / "skills" / "phase2_workspace_diff.md").write_text("not at the top")
    made(baseline(str(folder), "one"))
    assert ask(folder, "ls-files").split("\n") == [
        ".gitignore", "MEMORY.md", "rollout_summaries/one.md", "skills/phase2_workspace_diff.md",
    ]  # fmt: skip


def test_an_empty_folder_has_a_baseline_too(tmp_path: Path) -> None:
    assert made(baseline(str(tmp_path), "nothing yet")).commit


def test_bytes_are_kept_whatever_attributes_say(folder: Path) -> None:
    (folder / ".gitattributes").write_text("* text eol=crlf\n*.md filter=evil\n")
    made(baseline(str(folder), "one"))
    raw = run(["cat-file", "blob", "HEAD:MEMORY.md"], folder=str(folder))
    assert isinstance(raw, Ran)
    assert raw.out == b"# Task Group: app\r\n\xff"


def test_nothing_of_the_user_takes_part(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = tmp_path / "trace"
    hook = f"#!/bin/sh\necho \"$0\" >> {trace}\nexit 1\n"
    hooks = tmp_path / "hooks"
    templates = tmp_path / "templates" / "hooks"
    for place in (hooks, templates):
        place.mkdir(parents=True)
        for name in ("pre-commit", "commit-msg", "post-commit", "reference-transaction"):
            (place / name).write_text(hook)
            (place / name).chmod(0o755)
    home = tmp_path / "home"
    home.mkdir()
    program = tmp_path / "program"
    program.write_text(hook)
    program.chmod(0o755)
    (home / ".gitconfig").write_text(
        f"[user]\n\tname = Somebody\n\temail = somebody@dev.example\n[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = {program}\n"
        f"[core]\n\thooksPath = {hooks}\n\tfsmonitor = {program}\n\tautocrlf = true\n[init]\n\ttemplateDir = {templates.parent}\n"
    )
    other = tmp_path / "other"
    other.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    monkeypatch.setenv("GIT_DIR", str(other))
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Somebody")
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(program))
    made(baseline(str(folder), "one"))
    assert ask(folder, "log", "--format=%an %cn %G?") == "Reverie Reverie N"
    assert not trace.exists()


def test_somebodys_own_repository_is_left_alone(folder: Path) -> None:
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    result = baseline(str(folder), "one")
    assert isinstance(result, Skipped)
    assert result.reason == "foreign_repository"
    assert not (folder / ".git" / OURS).exists()


@pytest.mark.parametrize("kind", ["link", "file", "dangling"])
def test_a_git_that_is_no_folder_is_left_alone(folder: Path, tmp_path: Path, kind: str) -> None:
    git = folder / ".git"
    if kind == "file":
        git.write_text("gitdir: ../elsewhere\n")
    else:
        (tmp_path / "real").mkdir()
        git.symlink_to(tmp_path / ("real" if kind == "link" else "nothing"))
    result = baseline(str(folder), "one")
    assert isinstance(result, Skipped)
    assert result.reason == "foreign_repository"
    assert git.is_symlink() or git.is_file()


def test_what_an_interrupted_run_left_is_cleared_away(folder: Path) -> None:
    before = made(baseline(str(folder), "one"))
    (folder / ".git").rename(folder / ".git-old.reverie-tmp")       # killed between the two renames
    (folder / ".git.reverie-tmp").mkdir()
    again = made(baseline(str(folder), "two"))
    assert (again.commit, again.changed) == (before.commit, False)
    assert sorted(path.name for path in folder.iterdir() if path.name.startswith(".")) == [".git"]


def test_odd_files_do_not_stop_it(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    (folder / "link").symlink_to("/etc/hostname")
    (folder / "skills" / "own").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(folder / "skills" / "own")], check=True)
    (folder / "skills" / "own" / "SKILL.md").write_text("x")
    (folder / "日本.md").write_text("x")
    result = made(baseline(str(folder), "one"))
    assert result.commit
    listed = ask(folder, "-c", "core.quotePath=false", "ls-files").split("\n")
    assert {"MEMORY.md", "rollout_summaries/one.md", "link", "日本.md"} <= set(listed)


@pytest.mark.parametrize("message", ["", "--amend", "two\nlines", "日本\0x"], ids=["empty", "a flag", "lines", "a NUL"])
def test_any_message_is_a_message(folder: Path, message: str) -> None:
    assert isinstance(baseline(str(folder), message), Baseline)


# ---- what goes wrong has a name


def test_without_git_there_is_a_reason(folder: Path) -> None:
    result = baseline(str(folder), "one", git=str(folder / "no-such-git"))
    assert isinstance(result, Skipped)
    assert result.reason == "git_missing"
    assert not [path for path in folder.iterdir() if path.name.startswith(".git")]


def test_without_a_folder_there_is_a_reason(tmp_path: Path) -> None:
    result = baseline(str(tmp_path / "none"), "one")
    assert isinstance(result, Skipped)
    assert result.reason == "no_folder"
    ran = run(["status"], folder=str(tmp_path / "none"))
    assert isinstance(ran, Skipped)
    assert ran.reason == "no_folder"


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_has_a_reason(folder: Path) -> None:
    folder.chmod(0o555)
    try:
        result = baseline(str(folder), "one")
    finally:
        folder.chmod(0o755)
    assert isinstance(result, Skipped)
    assert result.reason == "folder_not_writable"


@pytest.mark.timeout(20)
def test_a_git_that_hangs_is_ended_with_its_children(folder: Path, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    slow = tmp_path / "slow-git"
    slow.write_text(f"#!/bin/sh\nsleep 60 &\necho $! > {pid}\nwait\n")
    slow.chmod(0o755)
    start = time.monotonic()
    result = baseline(str(folder), "one", git=str(slow), timeout_seconds=0.5)
    assert isinstance(result, Skipped)
    assert result.reason == "git_timeout"
    assert "add" in result.detail
    assert time.monotonic() - start < 10
    deadline = time.monotonic() + 5
    while Path(f"/proc/{pid.read_text().strip()}").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    status = Path(f"/proc/{pid.read_text().strip()}/stat")
    assert not status.exists() or status.read_text().split()[2] == "Z"


def test_a_failure_leaves_the_old_baseline(folder: Path, tmp_path: Path) -> None:
    before = made(baseline(str(folder), "one"))
    (folder / "new.md").write_text("new")
    broken = tmp_path / "broken-git"
    broken.write_text("#!/bin/sh\necho broken >&2\nexit 3\n")
    broken.chmod(0o755)
    result = baseline(str(folder), "two", git=str(broken))
    assert isinstance(result, Skipped)
    assert (result.reason, result.detail) == ("git_failed", "broken")
    assert ask(folder, "rev-parse", "HEAD") == before.commit
