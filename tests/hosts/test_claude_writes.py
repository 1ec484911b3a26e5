"""Which memory the agent has just written, from the client's payload, whatever is in it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.hosts.claude_writes import written_memory, written_path

ROOT = "/home/u/.claude/projects/-w-app/memory"


def payload(tool: str = "Write", path: Any = f"{ROOT}/a.md", **more: Any) -> dict[str, Any]:
    return {
        "session_id": "s", "transcript_path": "/t.jsonl", "cwd": "/w/app", "hook_event_name": "PostToolUse", "tool_name": tool,
        "tool_input": {"file_path": path, "content": "x"}, "tool_use_id": "toolu_1",
        "tool_response": {"type": "create", "filePath": path}, "duration_ms": 3, **more,
    }


@pytest.mark.parametrize("tool", ["Write", "Edit", "MultiEdit"])
def test_a_memory_that_was_written(tool: str) -> None:
    assert written_memory(payload(tool), ["/elsewhere", ROOT]) == f"{ROOT}/a.md"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (f"{ROOT}/sub/b.md", f"{ROOT}/sub/b.md"), (f"{ROOT}//sub/../c.md", f"{ROOT}/c.md"), (f"{ROOT}/MEMORY.md", None),
        (f"{ROOT}/notes.txt", None), (f"{ROOT}/x.MD", None), (f"{ROOT}/.hidden.md", None), (f"{ROOT}/.d/a.md", None),
        (f"{ROOT}/../a.md", None), (f"{ROOT}X/a.md", None), (ROOT, None), ("", None), ("a.md", None), (f"{ROOT}/a\0.md", None),
        (f"{ROOT}/{'x' * 5000}.md", None), (None, None), (3, None), ([f"{ROOT}/a.md"], None),
    ],
)
def test_what_a_path_is(path: Any, expected: str | None) -> None:
    assert written_memory(payload(path=path), [ROOT]) == expected


def test_a_relative_path_is_the_session_s() -> None:
    assert written_memory(payload(path="notes/a.md"), ["/w/app/notes"]) == "/w/app/notes/a.md"
    assert written_path(payload(path="notes/a.md", cwd="w")) is None


def test_windows_paths() -> None:
    root = "C:\\Users\\n\\.claude\\projects\\x\\memory"
    assert written_memory(payload(path=f"{root}\\a.md"), [root]) == "C:/Users/n/.claude/projects/x/memory/a.md"


@pytest.mark.parametrize(
    "broken",
    [
        None, 3, "x", [], {}, {"tool_name": "Write"}, payload("Read"), payload("Bash"), payload(tool_input=None), payload(tool_input=[]),
        {**payload(), "tool_name": {}}, payload("mcp__x__Write"),
        payload(hook_event_name="PreToolUse"), payload(tool_response={"is_error": True}),
    ],
)
def test_every_other_payload_is_no_write(broken: Any) -> None:
    assert written_memory(broken, [ROOT]) is None


json = st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))


@given(json, json, json)
def test_nothing_that_a_client_sends_breaks_it(tool: Any, given_input: Any, whole: Any) -> None:
    written_memory(whole, [ROOT])
    written_memory(payload(tool_input=given_input), [ROOT])
    written_memory({**payload(), "tool_name": tool, "cwd": whole}, [ROOT])
