"""What a tool was called with (``Message.call``), in any host's form: files, a command, a list of things to do.

Every host has its own names; the shapes are few: a path under one of some keys, a command as a text or a list of words, a patch
that names its files, a list with a state for each item. What is cut at its end or is no JSON is searched for the same keys.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

MOST_PATHS = 50                         # of one call
MOST_TODOS = 100

_PATH_KEYS = ("file_path", "filePath", "absolute_path", "notebook_path", "path", "paths", "file", "filename")
_COMMAND_KEYS = ("command", "cmd", "script")
_TODO_KEYS = ("todos", "plan", "items")
_WORDS_KEYS = ("content", "step", "title", "text", "task")
_WRITING = re.compile(r"(?:multi_?)?edit|write|patch|replace|create|notebook_?edit", re.IGNORECASE)
_READING = re.compile(r"read|view|open_file|fetch_file", re.IGNORECASE)
_PATCHED = re.compile(r"^\*\*\* (?:Update|Add|Delete) File: (.{1,400})$", re.MULTILINE)
_FOUND = re.compile(
    r'(?<!\\)"(file_path|filePath|absolute_path|notebook_path|path|command|cmd)"\s{0,4}:\s{0,4}"((?:[^"\\]|\\.){1,2000})"'
)
# A script that calls tools: Codex's `exec` runs JavaScript (spec/codex §18).
_SCRIPTED = re.compile(r'\b(?:cmd|command)"?\s{0,4}:\s{0,4}"((?:[^"\\]|\\.){1,2000})"')
_DONE = ("completed", "done", "complete", "cancelled", "canceled")


@dataclass(frozen=True, slots=True, kw_only=True)
class Todo:
    """One thing to do. ``state`` is "pending", "in_progress" or "done"."""

    words: str
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What a call was about. ``todos`` is None where the call is no list of things to do; an empty one clears the list."""

    paths: tuple[str, ...] = ()
    writes: bool = False
    command: str = ""
    todos: tuple[Todo, ...] | None = None


def understood(tool: str, given: str) -> Call:
    """A call, from the tool's name and what it was called with. Anything else than expected is nothing."""
    name = tool.rpartition(".")[2]
    value = _value(given)
    if isinstance(value, str):
        patched = tuple(_PATCHED.findall(value)[:MOST_PATHS])
        scripted = _SCRIPTED.findall(value)[:MOST_PATHS]
        return Call(paths=patched, writes=True) if patched else Call(command="\n".join(map(_unescaped, scripted)))
    command = _command(value)
    patched = tuple(_PATCHED.findall(command or _text(value, ("input", "patch", "patchText")))[:MOST_PATHS])
    if patched:
        return Call(paths=patched, writes=True)
    writes = _WRITING.search(name) is not None
    todos = _todos(name, value)
    if command or todos is not None:
        return Call(command=command, todos=todos)
    if writes or _READING.search(name):
        return Call(paths=tuple(_paths(value))[:MOST_PATHS], writes=writes)
    return Call()


def _value(given: str) -> Mapping[str, Any] | str:
    """The JSON of a call; some hosts write it as a text inside a text. One that was cut: what can be found in it."""
    found: Any = given
    for _ in range(2):
        if not isinstance(found, str) or not found.lstrip().startswith(("{", '"')):
            break
        try:
            found = json.loads(found, strict=False)
        except (ValueError, RecursionError):
            plain = found.replace('\\"', '"') if found.lstrip().startswith('"') else found
            return {key: _unescaped(text) for key, text in reversed(_FOUND.findall(plain))}
    return found if isinstance(found, (dict, str)) else {}


def _unescaped(text: str) -> str:
    try:
        return str(json.loads(f'"{text}"', strict=False))
    except ValueError:
        return text


def _text(value: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    return next((value[key] for key in keys if isinstance(value.get(key), str)), "")


def _command(value: Mapping[str, Any]) -> str:
    for key in _COMMAND_KEYS:
        found = value.get(key)
        if isinstance(found, str):
            return found
        if isinstance(found, list) and found and all(isinstance(word, str) for word in found):
            is_shell = len(found) == 3 and found[1] in ("-c", "-lc")
            return found[2] if is_shell else " ".join(found)
    return ""


def _paths(value: Mapping[str, Any]) -> Iterator[str]:
    for key in _PATH_KEYS:
        found = value.get(key)
        for path in found if isinstance(found, list) else (found,):
            if isinstance(path, str) and path.strip():
                yield path.strip()


def _todos(tool: str, value: Mapping[str, Any]) -> tuple[Todo, ...] | None:
    low = tool.lower()
    if "todo" not in low and "plan" not in low:
        return None
    found = next((value[key] for key in _TODO_KEYS if isinstance(value.get(key), list)), None)
    if found is None:
        return None
    items = [item for item in found[:MOST_TODOS] if isinstance(item, dict) and _text(item, _WORDS_KEYS)]
    return tuple(Todo(words=_text(item, _WORDS_KEYS), state=_state(item)) for item in items)


def _state(item: Mapping[str, Any]) -> str:
    state = str(item.get("status") or item.get("state") or "").lower()
    return "done" if state in _DONE else "in_progress" if state in ("in_progress", "active", "doing") else "pending"
