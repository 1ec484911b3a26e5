"""Which memory file Claude Code's agent has just written: an answer for its PostToolUse hook (spec/claude-code §12.2).

Payloads seen: ``tool_name`` Write, Edit or MultiEdit, ``tool_input`` with ``file_path``; a Write answers with ``filePath`` in
``tool_response`` as well. The payload is the client's, and a broken one is nobody's fault here: then nothing was written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from reverie.core import place as places
from reverie.core.layout import is_memory_path

TOOLS = frozenset({"Write", "Edit", "MultiEdit"})
LONGEST_PATH = 4_096


def written_memory(payload: object, roots: Iterable[str]) -> str | None:
    """The memory file below one of these folders (absolute) that a tool has written, else None.

    Pure: a path is judged by its name, ``..`` is resolved in it, links are not. The index and what is hidden are no memories.
    """
    path = written_path(payload)
    for root in roots if path else ():
        inside = places.below(places.tidy(root), path or "")
        if inside and is_memory_path(inside):
            return path
    return None


def written_path(payload: object) -> str | None:
    """The absolute path that Write, Edit or MultiEdit has written, tidied; None for every other payload."""
    if not isinstance(payload, Mapping) or payload.get("hook_event_name", "PostToolUse") != "PostToolUse":
        return None
    if _text(payload.get("tool_name")) not in TOOLS or _failed(payload.get("tool_response")):
        return None
    given = payload.get("tool_input")
    path = _text(given.get("file_path")) if isinstance(given, Mapping) else ""
    if not places.is_absolute(path):
        cwd = _text(payload.get("cwd"))
        if not path or not places.is_absolute(cwd):
            return None
        path = f"{cwd}/{path}"
    return places.tidy(path)


def _failed(response: Any) -> bool:
    return isinstance(response, Mapping) and (response.get("is_error") is True or response.get("success") is False)


def _text(value: Any) -> str:
    """A short text, "" for what is none."""
    is_path = isinstance(value, str) and len(value) <= LONGEST_PATH and "\0" not in value
    return value if is_path else ""
