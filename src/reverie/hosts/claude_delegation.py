"""What Claude Code has just handed to a sub-agent: the hook that starts one is not told (spec/claude-code §12.2), but the call
stands in the session's transcript by then (seen in 2.1.332)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from reverie.core import place as places
from reverie.hosts import disk

TAIL_BYTES = 2 << 20            # of the transcript: the call is among the last lines
MOST_CHARACTERS = 16_000        # of what was handed over
_CALLS = ("Agent", "Task")      # the tool's name now, and before
_DEFAULT = "general-purpose"    # the agent of a call that names none


def handed(transcript: str, agent: str) -> str:
    """What the agent of this name was handed last, "" when nothing tells. Handed over together, several are one text: which of
    them is being started cannot be known."""
    if not places.is_absolute(transcript) or not transcript.endswith(".jsonl"):
        return ""
    message: str | None = None
    prompts: list[str] = []
    for record in _from_the_end(transcript):
        found = _calls(record, agent)
        if message is not None and (not found or _message(record) != message):
            break
        if found:
            message = _message(record)
            prompts[:0] = found
            if not message:
                break
    return "\n\n".join(prompts)[:MOST_CHARACTERS]


def _from_the_end(path: str) -> Iterator[Any]:
    """The records of assistants, the last first."""
    import msgspec

    try:
        with disk.open_plain(path) as handle:
            start = max(0, os.fstat(handle.fileno()).st_size - TAIL_BYTES)
            handle.seek(start)
            data = disk.read_fully(handle, TAIL_BYTES)
    except (disk.CannotRead, OSError, ValueError):
        return
    lines = data.split(b"\n")
    for line in reversed(lines[1:] if start else lines):
        if b'"tool_use"' not in line and b'"assistant"' not in line:
            continue
        try:
            record = msgspec.json.decode(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict) and record.get("type") == "assistant" and record.get("isSidechain") is not True:
            yield record


def _message(record: dict[str, Any]) -> str:
    message = record.get("message")
    id = message.get("id") if isinstance(message, dict) else ""
    return id if isinstance(id, str) else ""


def _calls(record: dict[str, Any], agent: str) -> list[str]:
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    prompts = []
    for part in content if isinstance(content, list) else []:
        if not isinstance(part, dict) or part.get("type") != "tool_use" or part.get("name") not in _CALLS:
            continue
        given = part.get("input")
        if isinstance(given, dict) and given.get("subagent_type", _DEFAULT) == agent and isinstance(given.get("prompt"), str):
            prompts.append(given["prompt"])
    return prompts
