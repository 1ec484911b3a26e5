"""The answer to Claude Code's hook ``PostToolUse`` of its tool ``Read`` (spec/claude-code §12): how old the memory is.

The payload holds ``tool_name`` "Read" and ``tool_input.file_path``, absolute. What is answered stands in the system turn
behind the tool's result. Any payload at all is taken; whatever is wrong with it, or with the file, the client goes on
without (DESIGN §4.2).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from reverie import errors

if TYPE_CHECKING:
    from reverie.memory import Memory

EVENT, TOOL = "PostToolUse", "Read"


def answer(memory: Memory, payload: object) -> dict[str, Any] | None:
    """What to print for the client, None when there is nothing to say: no memory, a young one, or the client says it itself."""
    path = path_read(payload)
    if not path:
        return None
    try:
        text = memory.reminder(path)
    except (errors.ReverieError, OSError) as error:
        memory.space.home.note(f"a memory was read without being told its age: {error}")
        return None
    return {"hookSpecificOutput": {"hookEventName": EVENT, "additionalContext": text}} if text else None


def path_read(payload: object) -> str:
    """The file that was read, "" when this payload tells of no reading."""
    if not isinstance(payload, Mapping) or payload.get("hook_event_name", EVENT) != EVENT or payload.get("tool_name") != TOOL:
        return ""
    given = payload.get("tool_input")
    path = given.get("file_path") if isinstance(given, Mapping) else None
    return path if isinstance(path, str) else ""
