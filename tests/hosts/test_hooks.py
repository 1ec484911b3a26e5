"""What the clients hand to a hook, as recorded, and the form in which they take its answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from reverie.hosts import hooks

COMMON = {"session_id": "5cffa757-592e-4379-af47-bf65c8deb275", "transcript_path": "/home/u/t.jsonl", "cwd": "/home/u/app"}
KIMI = {"session_id": "session_aa5c", "client_type": "kimi_code_cli", "cwd": "/home/u/app"}

# host, payload beside the common part, kind, whether text is taken
PAYLOADS: list[tuple[str, dict[str, Any], str, str]] = [
    ("claude-code", {"hook_event_name": "SessionStart", "source": "startup"}, hooks.START, "json"),
    ("claude-code", {"hook_event_name": "SessionStart", "source": "resume", "seconds_since_last_response": 3, "context_tokens": 9}, hooks.START, "json"),
    ("claude-code", {"hook_event_name": "UserPromptSubmit", "prompt": "hi there", "permission_mode": "default"}, hooks.PROMPT, "json"),
    ("claude-code", {"hook_event_name": "PostToolUse", "tool_name": "Read", "tool_input": {"file_path": "/m/a.md"}, "tool_response": {"type": "text"}}, hooks.READ, "json"),
    ("claude-code", {"hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_input": {"file_path": "/m/a.md"}, "tool_response": {"originalFile": "x"}}, hooks.WROTE, "json"),
    ("claude-code", {"hook_event_name": "Stop", "stop_hook_active": False, "last_assistant_message": "done"}, hooks.TURN_END, ""),
    ("claude-code", {"hook_event_name": "SessionEnd", "reason": "other"}, hooks.SESSION_END, ""),
    ("claude-code", {"hook_event_name": "PreCompact", "trigger": "manual", "custom_instructions": ""}, hooks.BEFORE_COMPACTION, "plain"),
    ("claude-code", {"hook_event_name": "SubagentStart", "agent_id": "a1", "agent_type": "researcher"}, hooks.AGENT_START, "json"),
    ("codex", {"hook_event_name": "SessionStart", "source": "startup", "model": "gpt-6"}, hooks.START, "json"),
    ("codex", {"hook_event_name": "UserPromptSubmit", "prompt": "hi there", "turn_id": "1"}, hooks.PROMPT, "json"),
    ("codex", {"hook_event_name": "Stop", "stop_hook_active": False}, hooks.TURN_END, ""),
    ("codex", {"hook_event_name": "PreCompact", "trigger": "auto"}, hooks.BEFORE_COMPACTION, ""),
    ("codex", {"hook_event_name": "SessionEnd", "reason": "exit"}, hooks.SESSION_END, ""),
    ("qwen-code", {"hook_event_name": "SessionStart", "source": "startup", "timestamp": "2026-12-01T00:00:00Z"}, hooks.START, "json"),
    ("qwen-code", {"hook_event_name": "UserPromptSubmit", "prompt": "hi there", "submitted_prompt": "hi there"}, hooks.PROMPT, "json"),
    ("qwen-code", {"hook_event_name": "PostToolUse", "tool_name": "read_file", "tool_input": {"absolute_path": "/m/a.md"}}, hooks.READ, "json"),
    ("qwen-code", {"hook_event_name": "PostToolUse", "tool_name": "write_file", "tool_input": {"file_path": "/m/a.md"}}, hooks.WROTE, "json"),
    ("qwen-code", {"hook_event_name": "PreCompact", "trigger": "auto"}, hooks.BEFORE_COMPACTION, "json"),
    ("qwen-code", {"hook_event_name": "PostCompact", "trigger": "auto"}, hooks.AFTER_COMPACTION, ""),
    ("qwen-code", {"hook_event_name": "Stop"}, hooks.TURN_END, ""),
    ("kimi-code", {"hook_event_name": "UserPromptSubmit", "prompt": [{"type": "text", "text": "hi there"}], "is_steer": False}, hooks.PROMPT, "plain"),
    ("kimi-code", {"hook_event_name": "UserPromptSubmit", "prompt": "hi there"}, hooks.PROMPT, "plain"),        # kimi-cli
    ("kimi-code", {"hook_event_name": "PostCompact", "trigger": "auto", "estimated_token_count": 3}, hooks.AFTER_COMPACTION, ""),
    ("kimi-code", {"hook_event_name": "Stop", "stop_hook_active": False}, hooks.TURN_END, ""),
    ("opencode", {"hook_event_name": "SessionStart", "source": "startup"}, hooks.START, "plain"),
    ("opencode", {"hook_event_name": "UserPromptSubmit", "prompt": "hi there"}, hooks.PROMPT, "plain"),
    ("opencode", {"hook_event_name": "PostToolUse", "tool_name": "read", "tool_input": {"file_path": "/m/a.md"}}, hooks.READ, "plain"),
    ("opencode", {"hook_event_name": "PreCompact"}, hooks.BEFORE_COMPACTION, "plain"),
]


def payload(host: str, more: dict[str, Any]) -> dict[str, Any]:
    return (KIMI if host == "kimi-code" else COMMON) | more


@pytest.mark.parametrize(("host", "more", "kind", "form"), PAYLOADS, ids=[f"{p[0]} {p[1]['hook_event_name']}" for p in PAYLOADS])
def test_an_event_is_known_and_answered_in_its_clients_form(host: str, more: dict[str, Any], kind: str, form: str) -> None:
    found = hooks.event(host, payload(host, more))
    assert found is not None and (found.kind, found.cwd, found.name) == (kind, "/home/u/app", more["hook_event_name"])
    assert found.prompt == ("hi there" if kind == hooks.PROMPT else "")
    assert found.path == ("/m/a.md" if kind in (hooks.READ, hooks.WROTE) else "")
    said = hooks.answer(found, "<x> says \"ü\"")
    if form == "json":
        assert json.loads(said) == {"hookSpecificOutput": {"hookEventName": more["hook_event_name"], "additionalContext": '<x> says "ü"'}}
    else:
        assert said == ('<x> says "ü"' if form else "")
    assert hooks.answer(found, "") == ""


NOTHING: list[tuple[str, Any]] = [
    ("qwen-code", COMMON | {"hook_event_name": "UserPromptSubmit", "prompt": ""}),      # before each tool's result
    ("claude-code", COMMON | {"hook_event_name": "UserPromptSubmit", "prompt": " \n"}),
    ("codex", COMMON | {"hook_event_name": "SessionStart", "transcript_path": None}),   # its consolidator (spec/codex §10)
    ("codex", COMMON | {"hook_event_name": "Stop", "transcript_path": None}),
    ("codex", {"hook_event_name": "UserPromptSubmit", "prompt": "x"}),
    ("claude-code", COMMON | {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}),
    ("claude-code", COMMON | {"hook_event_name": "PostToolUse", "tool_name": "Write", "tool_input": {"file_path": "/m/a"}, "tool_response": {"success": False}}),
    ("claude-code", COMMON | {"hook_event_name": "SomethingNew"}),
    ("claude-code", COMMON | {"hook_event_name": ["Stop"]}), ("claude-code", {}), ("claude-code", []), ("kimi-code", None), ("codex", "x"),
    ("claude-code", COMMON | {"hook_event_name": "PostToolUse", "tool_name": {"a": 1}}),
    ("claude-code", COMMON | {"hook_event_name": "PostToolUse", "tool_name": "Read", "tool_input": {"file_path": "a\0b"}}),
    ("kimi-code", KIMI | {"hook_event_name": "UserPromptSubmit", "prompt": [{"type": "image"}, 3, None]}),
]


@pytest.mark.parametrize(("host", "given"), NOTHING)
def test_what_is_no_event_of_ours_is_none(host: str, given: Any) -> None:
    assert hooks.event(host, given) is None


@pytest.mark.parametrize(("host", "cwd", "inside"), [
    ("codex", "/home/u/.codex/memories", True), ("codex", "/home/u/.codex/memories_v2/x", True), ("codex", "/home/u/.codex", False),
    ("claude-code", "/home/u/.codex/memories", False), ("claude-code", "/home/u/.reverie", True),
    ("qwen-code", "/home/u/.reverie/stores/reverie", True), ("codex", "/home/u/app", False), ("codex", "", False),
])
def test_who_works_inside_a_memory_is_left_alone(host: str, cwd: str, inside: bool) -> None:
    given: dict[object, object] = {"hook_event_name": "SessionStart", "cwd": cwd}
    found = hooks.Event(host, hooks.START, given)
    assert hooks.in_memory_folder(found, {}, "/home/u", "/home/u/.reverie") is inside
    if host == "codex" and inside:
        assert not hooks.in_memory_folder(found, {"CODEX_HOME": "/elsewhere"}, "/home/u", "/home/u/.reverie")


def test_texts_that_are_no_texts_are_empty() -> None:
    found = hooks.event("claude-code", {"hook_event_name": "Stop", "session_id": "a" * 500, "cwd": 7, "transcript_path": ["x"]})
    assert found is not None and (found.session, found.cwd, found.transcript) == ("", "", "")
    found = hooks.event("claude-code", {"hook_event_name": "Stop", "session_id": "a\x1b[2J"})
    assert found is not None and found.session == ""
