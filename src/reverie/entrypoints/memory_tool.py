"""Anthropic's client-side memory tool, ``memory_20250818``, over a Reverie store.

Three ways to use it, all with the same answers:

- ``MemoryTool(memory).call({"command": "view", "path": "/memories"})`` gives the answer as text, and raises
  ``errors.CommandRefused`` with the text of a refusal: for any loop of your own;
- ``MemoryTool(memory).result(block)`` makes the ``tool_result`` for a ``tool_use`` block of the Messages API;
- ``MemoryTool(memory).for_sdk()`` is a tool of Anthropic's Python SDK (extra ``anthropic``), ready for
  ``client.beta.messages.tool_runner``; ``for_async_sdk()`` the same for the asynchronous client.

A model's input is not trusted to have any form: what is missing or of another kind is an answer, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from reverie.core import tool_answers
from reverie.core.budget import clip
from reverie.errors import CommandRefused, WrongUse

if TYPE_CHECKING:
    from anthropic.types.beta import BetaCacheControlEphemeralParam

    from reverie.entrypoints.anthropic_sdk import AsyncReverieMemoryTool, ReverieMemoryTool
    from reverie.memory import Memory

DEFINITION: Mapping[str, str] = {"type": "memory_20250818", "name": "memory"}

_DIGITS = re.compile(r"-?[0-9]{1,9}")


class MemoryTool:
    """The memory tool over one store of a memory: the project's, or with ``scope="user"`` the user's.

    ``session`` is noted in the journal. ``wording``: errors as the "sdk" or as the "docs" word them. Where a design keeps
    all projects in one folder (codex), the tool sees this project's own notes in it.
    """

    definition = DEFINITION

    def __init__(self, memory: Memory, *, scope: str = "project", session: str = "", wording: str = "sdk") -> None:
        self._files = memory.files(scope=scope, session=session, wording=wording)
        self._say = tool_answers.WORDINGS[wording]
        self._commands = self._dispatch()

    def call(self, input: object) -> str:
        """Carry out one command, as the model gave it. Raises ``CommandRefused``."""
        if not isinstance(input, Mapping) or "command" not in input:
            raise self._refused("not_an_object")
        if not self.knows(input):
            raise self._refused("unknown_command", command=clip(str(input["command"]), 100).text)
        return self._commands[input["command"]](input)

    def knows(self, input: object) -> bool:
        """Whether this is one of the six commands, whatever its fields."""
        command = input.get("command") if isinstance(input, Mapping) else None
        return isinstance(command, str) and command in self._commands

    def result(self, block: Mapping[str, Any]) -> dict[str, Any]:
        """The ``tool_result`` block for a ``tool_use`` block; a refusal is one with ``is_error``."""
        answer: dict[str, Any] = {"type": "tool_result", "tool_use_id": block.get("id", "")}
        try:
            return {**answer, "content": self.call(block.get("input"))}
        except CommandRefused as error:
            return {**answer, "content": str(error), "is_error": True}

    def clear(self) -> str:
        """Take everything out of the store, as one change that can be undone. No model can ask for this."""
        return self._files.clear()

    def for_sdk(self, *, cache_control: BetaCacheControlEphemeralParam | None = None) -> ReverieMemoryTool:
        """The tool for the SDK's synchronous client. Raises ``WrongUse`` when the SDK is not installed."""
        try:
            from reverie.entrypoints.anthropic_sdk import ReverieMemoryTool
        except ImportError as error:
            raise _no_sdk(error) from error
        return ReverieMemoryTool(self, cache_control=cache_control)

    def for_async_sdk(self, *, cache_control: BetaCacheControlEphemeralParam | None = None) -> AsyncReverieMemoryTool:
        """The tool for the SDK's asynchronous client; commands run in a thread."""
        try:
            from reverie.entrypoints.anthropic_sdk import AsyncReverieMemoryTool
        except ImportError as error:
            raise _no_sdk(error) from error
        return AsyncReverieMemoryTool(self, cache_control=cache_control)

    # ── from a model's input to a command ────────────────────────────────────────────────────────────────────────

    def _dispatch(self) -> dict[str, Callable[[Mapping[str, object]], str]]:
        files, text, number = self._files, self._text, self._number
        return {
            "view": lambda given: files.view(text(given, "path"), self._range(given)),
            "create": lambda given: files.create(text(given, "path"), text(given, "file_text")),
            "str_replace": lambda given: files.str_replace(
                text(given, "path"), text(given, "old_str"), text(given, "new_str", otherwise="")
            ),
            "insert": lambda given: files.insert(text(given, "path"), number(given, "insert_line"), text(given, "insert_text")),
            "delete": lambda given: files.delete(text(given, "path")),
            "rename": lambda given: files.rename(text(given, "old_path"), text(given, "new_path")),
        }

    def _refused(self, key: str, **values: object) -> CommandRefused:
        return CommandRefused(self._say(key, **values))

    def _given(self, given: Mapping[str, object], name: str) -> object:
        value = given.get(name)
        if value is None:
            raise self._refused("missing_field", command=given["command"], name=name)
        return value

    def _text(self, given: Mapping[str, object], name: str, otherwise: str | None = None) -> str:
        if otherwise is not None and given.get(name) is None:   # a new_str that is left out takes the old one away
            return otherwise
        value = self._given(given, name)
        if not isinstance(value, str):
            raise self._refused("wrong_type", name=name, kind="a string")
        return value

    def _number(self, given: Mapping[str, object], name: str) -> int:
        number = _integer(self._given(given, name))
        if number is None:
            raise self._refused("wrong_type", name=name, kind="an integer")
        return number

    def _range(self, given: Mapping[str, object]) -> list[int] | None:
        value = given.get("view_range")
        if value is None:
            return None
        numbers = [_integer(each) for each in value] if isinstance(value, list | tuple) else [None]
        whole = [number for number in numbers if number is not None]
        if len(whole) != len(numbers) or len(numbers) not in (0, 2):
            raise self._refused("wrong_type", name="view_range", kind="two integers: the first and the last line, -1 for the end")
        return whole or None


def _integer(value: object) -> int | None:
    """A whole number, also as models write it now and then, and as the SDK takes it: ``"3"``, ``3.0``."""
    if isinstance(value, str) and _DIGITS.fullmatch(value):
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _no_sdk(error: ImportError) -> WrongUse:
    return WrongUse(
        f"Anthropic's SDK cannot be used ({error}). Install it with `pip install 'reverie-agents[anthropic]'`; "
        "MemoryTool.call and MemoryTool.result need nothing."
    )
