"""The real Claude Code reads memories that Reverie wrote: the age is said once, by the client in its own folder, by our hook elsewhere.

Needs the hosts lab (``REVERIE_SHARED``), Claude Code (``HOSTS_LAB``) and an older one (``HOSTS_LAB_OLD``); skips, visibly, without.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reverie.memory import open_memory

pytestmark = [pytest.mark.hosts, pytest.mark.shared, pytest.mark.slow, pytest.mark.timeout(240)]

Play = Callable[..., dict[str, Any]]
NEUTRAL = "/home/dev"               # what the client takes for its home
PROJECT = f"{NEUTRAL}/projects/ferry"
RULE = "Releases of the ferry app are tagged by Noor on Thursdays."
AGE = "This memory is 47 days old."
BOTH = pytest.mark.parametrize("install", ["HOSTS_LAB", "HOSTS_LAB_OLD"])

# A hook as an installation would write it: the payload from the client on standard input, the answer on standard output.
HOOK = """
import json, sys
from reverie import open_memory
from reverie.entrypoints import read_hook
with open_memory(sys.argv[1], design=sys.argv[2], cwd=sys.argv[3]) as memory:
    answer = read_hook.answer(memory, json.load(sys.stdin))
if answer:
    print(json.dumps(answer))
"""


def remembered(home: Path, design: str) -> Path:
    """A memory that Reverie wrote, 47 days old by its file's time."""
    with open_memory(home, design=design, cwd=PROJECT, environment={}) as memory:
        found, _ = memory.remember(RULE)
        file = home / "stores" / design / found.memory.id
    at = time.time() - 47.5 * 86_400
    os.utime(file, (at, at))
    return file


def reading(path: str) -> dict[str, Any]:
    return {
        "project": "ferry", "files": {"README.md": "# ferry\n"},
        "turns": [{"user": "who tags the releases?", "steps": [{"calls": [{"read": {"path": path}}]}, {"text": "Noor does."}]}],
    }  # fmt: skip


def into_the_product(file: Path, client: Path) -> str:
    """The memory and its index where the client keeps its own; the path by which the client knows the memory."""
    folder = client / ".claude/projects/-home-dev-projects-ferry/memory"
    folder.mkdir(parents=True)
    for each in (file, file.parent / "MEMORY.md"):
        (folder / each.name).write_bytes(each.read_bytes())
    os.utime(folder / file.name, (file.stat().st_mtime,) * 2)
    return f"{NEUTRAL}/.claude/projects/-home-dev-projects-ferry/memory/{file.name}"


def with_hook(tmp_path: Path, home: str, design: str) -> list[str]:
    script = tmp_path / "hook.py"
    script.write_text(HOOK, encoding="utf-8")
    return ["--hook-events", "PostToolUse", "--hook-command", f"{sys.executable} {script} {home} {design} {PROJECT}"]


def final(report: dict[str, Any], text: str) -> list[dict[str, Any]]:
    """Where the text stood in the last request of the conversation."""
    hits = report["shown"][text]
    last = max((hit["request"] for hit in hits), default=0)
    return [hit for hit in hits if hit["request"] == last]


@BOTH
@pytest.mark.parametrize("design", ["claude-code", "claude-code@2.1"])
def test_the_client_reminds_of_the_age_of_a_memory_that_reverie_wrote(play: Play, tmp_path: Path, design: str, install: str) -> None:
    file = remembered(tmp_path / "reverie", design)
    index = (file.parent / "MEMORY.md").read_text(encoding="utf-8").strip()
    path = into_the_product(file, tmp_path / "client")
    hook = with_hook(tmp_path, f"{NEUTRAL}/.reverie", design)
    report = play("claude-code", tmp_path / "client", reading(path), [index, AGE, "Noor on Thursdays."], *hook, install=install)
    assert [hit["role"] for hit in final(report, index)] == ["user"]
    (said,) = final(report, AGE)                # once: our hook leaves it to the client
    assert said["role"] == "tool"
    assert said["text"].startswith(f"<system-reminder>{AGE} Memories are point-in-time observations, not live state — claims about code ")
    assert "Verify against current code before asserting as fact.</system-reminder>\n1\t---\n" in said["text"]
    assert RULE in said["text"]


@BOTH
@pytest.mark.parametrize("design", ["claude-code", "claude-code@2.1", "reverie"])
def test_our_hook_reminds_of_the_age_of_a_memory_in_our_own_store(play: Play, tmp_path: Path, design: str, install: str) -> None:
    file = remembered(tmp_path / "client/.reverie", design)
    path = f"{NEUTRAL}/{file.relative_to(tmp_path / 'client').as_posix()}"
    hook = with_hook(tmp_path, f"{NEUTRAL}/.reverie", design)
    report = play("claude-code", tmp_path / "client", reading(path), [AGE, RULE], *hook, install=install)
    (said,) = final(report, AGE)
    assert said["role"] != "tool" and "PostToolUse:Read hook additional context: " in said["text"]
    assert ("check the file exists" in said["text"]) is (design != "claude-code@2.1")


@BOTH
def test_our_hook_reminds_of_the_age_of_a_sub_agents_memory(play: Play, tmp_path: Path, install: str) -> None:
    """The client never does; the study does."""
    file = remembered(tmp_path / "reverie", "claude-code")
    folder = tmp_path / "client/.claude/agent-memory/researcher"
    folder.mkdir(parents=True)
    (folder / "feedback_a.md").write_bytes(file.read_bytes())
    os.utime(folder / "feedback_a.md", (file.stat().st_mtime,) * 2)
    script = reading(f"{NEUTRAL}/.claude/agent-memory/researcher/feedback_a.md")
    for design, said in (("claude-code", 1), ("claude-code@2.1", 0)):
        hook = with_hook(tmp_path, f"{NEUTRAL}/.reverie", design)
        report = play("claude-code", tmp_path / "client", script, [AGE, RULE], *hook, install=install)
        assert final(report, RULE) and len(final(report, AGE)) == said
