"""From a line to a record, whatever the line is; and what all decoders of JSON Lines share.

A record is a typed structure that names only what is read, so that the rest of a line is passed over without becoming
objects. A line that does not fit is tried again without types: half a surrogate pair, a field of another kind or a run
of NUL bytes from a crash must not cost a person's words.
"""

from __future__ import annotations

import functools
import json
import typing
from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec

from reverie.core.session import Message, Transcript, Voice
from reverie.hosts import disk

S = TypeVar("S", bound=msgspec.Struct)

OPEN_CALLS = 64         # tool calls without a result that are remembered; more are never open at once
CALL_BYTES = 16_384     # of what a tool was called with: paths and commands stand at its beginning
NOTHING = msgspec.Raw(b"")
_UNFIT = object()
_UNKNOWN = ("", b"")


class Decoder:
    """What every decoder does: counts what it passes over, knows open tool calls, makes messages."""

    record: type[msgspec.Struct] = msgspec.Struct       # what a host's decoder makes of a line

    def __init__(self, transcript: Transcript, skipped: dict[str, int]) -> None:
        self.skipped = skipped
        self.session = transcript.session
        self.of_agent = transcript.of_agent
        self.cwd = ""
        self.branch = ""
        self._calls: dict[str, tuple[str, bytes]] = {}

    @functools.cached_property
    def records(self) -> msgspec.json.Decoder[Any]:
        """Decodes a line, or a block of them."""
        return msgspec.json.Decoder(self.record)

    def no(self, reason: str) -> Sequence[Message]:
        """Nothing, and why."""
        skipped = self.skipped
        skipped[reason] = skipped.get(reason, 0) + 1
        return ()

    def skip(self, reason: str) -> None:
        """Count a part that was passed over, of a line that is not."""
        self.skipped[reason] = self.skipped.get(reason, 0) + 1

    def see(self, cwd: str | None, branch: str | None) -> None:
        """A record's directory and branch: a session belongs where it began, and is on the branch that it was on last."""
        self.cwd = self.cwd or cwd or ""
        self.branch = branch or self.branch

    def called(self, call: str | None, tool: str | None, given: msgspec.Raw = NOTHING) -> None:
        """A tool was called, with this; its result will name the call only."""
        if call and tool:
            self._calls[call] = (tool, beginning(given))
            if len(self._calls) > OPEN_CALLS:
                del self._calls[next(iter(self._calls))]

    def answered(self, call: str | None) -> tuple[str, bytes]:
        """Which tool a result is from, and what it was called with: JSON as it was written."""
        return self._calls.pop(call, _UNKNOWN) if call else _UNKNOWN

    def state(self) -> dict[str, Any]:
        """What a later reading must know."""
        return {"calls": {call: tool for call, (tool, _) in self._calls.items()}} if self._calls else {}

    def resume(self, state: dict[str, Any]) -> None:
        """Go on with what ``state`` gave."""
        calls = state.get("calls")
        self._calls = {str(key): (str(tool), b"") for key, tool in calls.items()} if isinstance(calls, dict) else {}

    def message(
        self, id: str, voice: Voice, text: str, at: object = None, *, tool: str = "", failed: bool = False,
        cites: tuple[str, ...] = (), given: bytes = b"",
    ) -> Sequence[Message]:
        """A message, or none when there is nothing in it. A failed call without a word is still something, a citation too."""
        if not text and not failed and not cites:
            return ()
        when = disk.at_text(at) if isinstance(at, str) else disk.at_millis(at)
        return (Message(id=id, voice=voice, text=text, at=when, tool=tool, failed=failed, cites=cites, given=given),)

    def again(self, line: bytes) -> msgspec.Struct | None:
        """The record in a line that was problem, after all; None, counted, when there is none."""
        if not line.strip():
            return None
        if b"\x00" in line:
            self.skip("nul_bytes")
            line = line.strip(b"\x00")
            if not line.strip():
                return None
        value, reason = lenient(line)
        if reason:
            self.skip(reason)
        return loosely(self.record, value) if value is not None else None


def record(decoder: msgspec.json.Decoder[S], struct: type[S], data: bytes | msgspec.Raw) -> S | None:
    """A record from one JSON text, whatever it is; None when there is none in it."""
    try:
        return decoder.decode(data)
    except (ValueError, RecursionError):
        value, _ = lenient(bytes(data).decode("utf-8", "replace"))
        return loosely(struct, value) if value is not None else None


def beginning(given: msgspec.Raw) -> bytes:
    """A copy of as much of a call's input as is kept. The slice itself would hold the whole block in memory."""
    return bytes(given) if len(given) <= CALL_BYTES else bytes(memoryview(given)[:CALL_BYTES])


def lenient(data: bytes | str) -> tuple[dict[str, Any] | None, str]:
    """An object from JSON that a strict decoder refuses: half surrogate pairs are replaced, control characters let through.
    Else None, and the name of what is wrong."""
    try:
        value = json.loads(data, strict=False)
        if not isinstance(value, dict):
            return None, "not_an_object"
        # The way through UTF-16 joins surrogates that stand together and replaces those that stand alone.
        text = json.dumps(value, ensure_ascii=False).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return json.loads(text, strict=False), ""
    except UnicodeDecodeError:
        return None, "invalid_utf8"
    except RecursionError:
        return None, "too_deep"
    except ValueError:
        return None, "broken_json"


def loosely(struct: type[S], value: dict[str, Any]) -> S:
    """A record from a value of which some parts have another shape than expected: those are left out, the rest is kept."""
    fitted = {}
    for field in msgspec.structs.fields(struct):
        if field.encode_name in value and (part := _fit(field.type, value[field.encode_name])) is not _UNFIT:
            fitted[field.name] = part
    return struct(**fitted)


def _fit(kind: Any, value: Any) -> Any:
    if kind is msgspec.Raw:
        return msgspec.Raw(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    try:
        return msgspec.convert(value, kind)
    except (ValueError, RecursionError):
        pass
    choices = typing.get_args(kind) or (kind,)
    if isinstance(value, dict):
        structs = [choice for choice in choices if isinstance(choice, type) and issubclass(choice, msgspec.Struct)]
        return loosely(structs[0], value) if structs else _UNFIT
    if isinstance(value, list):
        if typing.get_origin(kind) is list:
            choices = (kind,)
        elements = [typing.get_args(choice)[0] for choice in choices if typing.get_origin(choice) is list]
        if elements:
            parts = [_fit(elements[0], {"type": "text", "text": part} if isinstance(part, str) else part) for part in value]
            return [part for part in parts if part is not _UNFIT]
    return _UNFIT


def texts(parts: Any) -> list[str]:
    """The texts in content that was not typed: a string, or a list of strings and parts with a text."""
    if isinstance(parts, str):
        return [parts]
    if not isinstance(parts, list):
        return []
    found = [part if isinstance(part, str) else part.get("text") for part in parts if isinstance(part, (str, dict))]
    return [text for text in found if isinstance(text, str)]


