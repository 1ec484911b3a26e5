"""The age of a memory, told when it is read: study, Claude Code §6; spec/claude-code §7.2."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from reverie import designs
from reverie.axes.reminding import PRODUCT, STUDY, Folder, Kind
from reverie.core import blocks
from reverie.entrypoints import read_hook
from reverie.flows import reminding
from reverie.memory import Memory, open_memory

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)


def written(path: Path, *, days: float) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("A memory.\n", encoding="utf-8")
    at = (NOW - timedelta(days=days)).timestamp()
    os.utime(path, (at, at))
    return str(path)


def study(days: str) -> str:
    return (
        f"This memory is {days} old. Memories are point in time observations, not live state. Claims about code behavior or "
        f"file:line citations may be outdated. Verify against current code before asserting as fact.\n\n{blocks.DUTY}"
    )


def product(days: int) -> str:
    return (
        f"This memory is {days} days old. Memories are point-in-time observations, not live state — claims about code behavior "
        "or file:line citations may be outdated. Verify against current code before asserting as fact."
    )


# -- how old


@pytest.mark.parametrize(
    ("days", "plain", "edition"),
    [
        (0, "", ""), (23 / 24, "", ""), (1, study("1 day"), ""), (1.9, study("1 day"), ""), (2, study("2 days"), product(2)),
        (2.9, study("2 days"), product(2)), (47, study("47 days"), product(47)), (-3, "", ""),
    ],
    ids=["0 s", "23 h", "24 h", "1.9 d", "2.0 d", "2.9 d", "47 d", "the future"],
)  # fmt: skip
def test_whole_days_count_from_the_files_time(tmp_path: Path, days: float, plain: str, edition: str) -> None:
    path = written(tmp_path / "memory/a.md", days=days)
    folder = Folder(root=str(tmp_path / "memory"), kind=Kind.CLIENT)
    assert reminding.reminder(path, [folder], by=STUDY, now=NOW) == plain
    assert reminding.reminder(path, [folder], by=PRODUCT, now=NOW) == edition


def test_the_age_is_counted_at_each_reading(tmp_path: Path) -> None:
    path = written(tmp_path / "memory/a.md", days=30)
    folder = Folder(root=str(tmp_path / "memory"), kind=Kind.CLIENT)
    for later in (0, 1, 2):
        said = reminding.reminder(path, [folder], by=PRODUCT, now=NOW + timedelta(days=later))
        assert said.startswith(f"This memory is {30 + later} days old.")
    os.utime(path, (NOW.timestamp(), NOW.timestamp()))      # it was edited; and an old time put back counts again
    assert reminding.reminder(path, [folder], by=PRODUCT, now=NOW) == ""
    os.utime(path, (NOW.timestamp() - 10 * 86_400,) * 2)
    assert "10 days old" in reminding.reminder(path, [folder], by=PRODUCT, now=NOW)


# -- which files


@pytest.mark.parametrize(
    ("kind", "inside", "plain", "edition"),
    [
        (Kind.CLIENT, "a.md", True, True), (Kind.CLIENT, "MEMORY.md", False, True), (Kind.CLIENT, "sub/deep/a.md", False, True),
        (Kind.CLIENT, "a.txt", False, True), (Kind.CLIENT, "data.json", False, True),
        (Kind.PROJECTS, "-srv-app/memory/a.md", True, False), (Kind.PROJECTS, "-srv-app/memory/MEMORY.md", False, False),
        (Kind.PROJECTS, "-srv-app/memory/sub/a.md", False, False), (Kind.PROJECTS, "-srv-app/notes/a.md", False, False),
        (Kind.PROJECTS, "-srv-app/session.jsonl", False, False), (Kind.PROJECTS, "memory/a.md", False, False),
        (Kind.AGENTS, "researcher/a.md", True, False), (Kind.AGENTS, "researcher/MEMORY.md", False, False),
        (Kind.AGENTS, "a.md", False, False), (Kind.AGENTS, "researcher/sub/a.md", False, False), (Kind.AGENTS, "researcher/a.txt", False, False),
        (Kind.STORE, "projects/app-1/feedback_a.md", True, True), (Kind.STORE, "projects/app-1/MEMORY.md", False, True),
        (Kind.STORE, "user/sub/a.md", True, True), (Kind.STORE, "projects/app-1/project.json", False, True),
    ],
)  # fmt: skip
def test_which_files_are_memories(tmp_path: Path, kind: Kind, inside: str, plain: bool, edition: bool) -> None:
    path = written(tmp_path / "top" / inside, days=47)
    folder = Folder(root=str(tmp_path / "top"), kind=kind)
    assert bool(reminding.reminder(path, [folder], by=STUDY, now=NOW)) is plain
    assert bool(reminding.reminder(path, [folder], by=PRODUCT, now=NOW)) is edition


def test_a_file_beside_the_folder_is_no_memory(tmp_path: Path) -> None:
    folder = Folder(root=str(tmp_path / "memory"), kind=Kind.CLIENT)
    written(tmp_path / "memory/a.md", days=47)
    for path in ("memory2/a.md", "a.md", "memory/../x.md"):
        written(tmp_path / path, days=47)
        assert reminding.reminder(str(tmp_path / path), [folder], by=PRODUCT, now=NOW) == ""
    assert reminding.reminder(f"{tmp_path}/x/../memory/./a.md", [folder], by=PRODUCT, now=NOW) == ""    # there is no x
    assert reminding.reminder(f"{tmp_path}/memory2/../memory/./a.md", [folder], by=PRODUCT, now=NOW) == product(47)


def test_a_folder_is_the_same_through_a_link(tmp_path: Path) -> None:
    path = written(tmp_path / "real/memory/a.md", days=47)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    for named, root in ((str(tmp_path / "link/memory/a.md"), "real/memory"), (path, "link/memory")):
        folder = Folder(root=str(tmp_path / root), kind=Kind.CLIENT)
        assert reminding.reminder(named, [folder], by=PRODUCT, now=NOW) == product(47)


@pytest.mark.parametrize("path", ["", "a.md", "memory/a.md", "/nowhere/a.md", "/a\0b.md", "/" + "x" * 5_000, "/" + "x" * 300 + ".md", "/\ud800.md", "~/a.md"])
def test_a_path_from_outside_breaks_nothing(path: str) -> None:
    assert reminding.reminder(path, [Folder(root="/", kind=Kind.CLIENT)], by=PRODUCT, now=NOW) == ""


def test_only_files_are_memories(tmp_path: Path) -> None:
    (tmp_path / "memory/folder.md").mkdir(parents=True)
    os.mkfifo(tmp_path / "memory/pipe.md")
    (tmp_path / "memory/round.md").symlink_to(tmp_path / "memory/round.md")
    folder = Folder(root=str(tmp_path / "memory"), kind=Kind.CLIENT)
    for name in ("folder.md", "pipe.md", "round.md"):
        assert reminding.reminder(str(tmp_path / "memory" / name), [folder], by=PRODUCT, now=NOW + timedelta(days=90)) == ""


# -- the answer to the client's hook: spec/claude-code §12.2-12.3


def opened(tmp_path: Path, home: Path, design: str) -> Memory:
    (tmp_path / "work").mkdir(exist_ok=True)
    environment = {"HOME": str(home)}
    return open_memory(tmp_path / "reverie", design=design, cwd=tmp_path / "work", environment=environment, clock=lambda: NOW)


def payload(path: object, **more: object) -> dict[str, Any]:
    """As the client sends it."""
    return {
        "session_id": "4f1c", "transcript_path": "/t.jsonl", "cwd": "/work", "hook_event_name": "PostToolUse", "tool_name": "Read",
        "tool_input": {"file_path": path}, "tool_response": {"type": "text", "file": {"filePath": path, "content": "A memory.\n"}},
        "tool_use_id": "toolu_1", "duration_ms": 4, **more,
    }  # fmt: skip


def said(text: str) -> dict[str, Any] | None:
    return {"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": text}} if text else None


@pytest.mark.parametrize(
    ("where", "days", "plain", "edition"),
    [
        ("store", 1, study("1 day"), ""), ("store", 47, study("47 days"), product(47)), ("store", 0, "", ""),
        ("client", 0, "", ""), ("client", 1, study("1 day"), ""), ("client", 2, "", ""), ("client", 47, "", ""),
        ("another project", 47, study("47 days"), ""), ("agent of the user", 47, study("47 days"), ""),
        ("agent of the project", 47, study("47 days"), ""), ("agent, local", 47, study("47 days"), ""), ("elsewhere", 47, "", ""),
    ],
)  # fmt: skip
def test_the_hook_says_what_the_client_does_not(tmp_path: Path, home: Path, where: str, days: float, plain: str, edition: str) -> None:
    key = "".join(part if part.isalnum() else "-" for part in str((tmp_path / "work").resolve()))
    for design, words in (("claude-code", plain), ("claude-code@2.1", edition)):
        with opened(tmp_path, home, design) as memory:
            path = written({
                "store": tmp_path / "reverie/stores" / design / "projects/app/memory/a.md",
                "client": home / ".claude/projects" / key / "memory/a.md",
                "another project": home / ".claude/projects/-srv-other/memory/a.md",
                "agent of the user": home / ".claude/agent-memory/researcher/a.md",
                "agent of the project": tmp_path / "work/.claude/agent-memory/researcher/a.md",
                "agent, local": tmp_path / "work/.claude/agent-memory-local/researcher/a.md",
                "elsewhere": tmp_path / "work/docs/a.md",
            }[where], days=days)  # fmt: skip
            assert read_hook.answer(memory, payload(path)) == said(words)
            assert read_hook.answer(memory, payload(path, agent_id="a1", agent_type="researcher")) == said(words)


def test_a_linked_memory_folder_is_ours_to_speak_of(tmp_path: Path, home: Path) -> None:
    """The client says nothing there (spec/claude-code §6.1)."""
    path = written(tmp_path / "kept/a.md", days=47)
    key = "".join(part if part.isalnum() else "-" for part in str((tmp_path / "work").resolve()))
    mem = home / ".claude/projects" / key / "memory"
    mem.parent.mkdir(parents=True)
    mem.symlink_to(Path(path).parent)
    with opened(tmp_path, home, "claude-code@2.1") as memory:
        assert read_hook.answer(memory, payload(str(mem / "a.md"))) == said(product(47))


@pytest.mark.parametrize(
    "broken",
    [
        None, [], "", 7, {}, {"tool_name": "Read"}, {"tool_name": "Read", "tool_input": "x"}, {"tool_name": "Read", "tool_input": {}},
        payload(None), payload(7), payload(["/a.md"]), payload(""), payload("relative.md"), payload("/a\0.md"), payload("/x" * 3_000),
        payload("/a.md", tool_name="Edit"), payload("/a.md", hook_event_name="PreToolUse"), payload("/a.md", tool_name=None),
    ],
)  # fmt: skip
def test_any_payload_is_taken(tmp_path: Path, home: Path, broken: object) -> None:
    with opened(tmp_path, home, "claude-code") as memory:
        assert read_hook.answer(memory, broken) is None
    assert not (tmp_path / "reverie").exists()


@pytest.mark.parametrize("tool", ["Bash", "Grep", "Edit", "Write", "read"])
def test_other_tools_are_not_answered(tmp_path: Path, home: Path, tool: str) -> None:
    path = written(home / ".claude/agent-memory/researcher/a.md", days=47)
    with opened(tmp_path, home, "claude-code") as memory:
        assert read_hook.answer(memory, payload(path)) is not None
        assert read_hook.answer(memory, payload(path, tool_name=tool)) is None


# -- reverie read


@pytest.mark.slow
@pytest.mark.parametrize("design", [name for name in designs.names() if not name.startswith("codex")])    # its handbook says when
def test_reading_by_hand_tells_age_and_duty(tmp_path: Path, design: str) -> None:
    with open_memory(tmp_path / "reverie", design=design, cwd=tmp_path, environment={}) as memory:
        plain, _ = memory.remember("Releases of the ferry app are tagged by Noor on Thursdays.")
        code, _ = memory.remember("Incidents of the ferry app are logged by `notify_oncall()` in src/oncall.py.")
        stores = tmp_path / "reverie/stores"
        texts: dict[tuple[str, float], str] = {}
        for days in (0.5, 1.5, 47):
            at = datetime.now(UTC).timestamp() - days * 86_400
            for file in stores.rglob("*.md"):
                os.utime(file, (at, at))
            for name, each in (("plain", plain), ("code", code)):
                done = subprocess.run(
                    [sys.executable, "-m", "reverie", "read", each.memory.id, "--design", design, "--cwd", str(tmp_path)],
                    env={**os.environ, "REVERIE_HOME": str(tmp_path / "reverie")}, capture_output=True, text=True, check=True,
                )
                texts[name, days] = " ".join(done.stdout.split())
    edition = "@" in design
    assert "days old" not in texts["plain", 0.5] and "day old" not in texts["code", 0.5]
    assert ("1 day old" in texts["plain", 1.5]) is not edition
    assert "47 days old" in texts["plain", 47] and ("point-in-time" in texts["plain", 47]) is edition
    assert blocks.DUTY[:60] in texts["code", 47] and blocks.DUTY[:60] not in texts["plain", 47] + texts["code", 0.5]
