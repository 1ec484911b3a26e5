"""kimi-cli, the product before Kimi Code: ``~/.kimi/sessions/<md5 of the directory>/<session>/``.

Observed with 1.49 (spec/kimi-code §11). ``wire.jsonl`` is what was shown and typed, append-only; ``context*.jsonl`` is what the
model saw, rewritten at each compaction, and is read only where the wire is missing. Which directory an md5 stands for is
written in ``kimi.json``.
"""

# Paths are texts in a transcript, and a home folder holds thousands of them: os.path, not pathlib.
# ruff: noqa: PTH118, PTH119, PTH120
from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from reverie.core.session import Message, Transcript, Unreadable, Voice
from reverie.hosts import decoding, disk, heads, jsonl, words
from reverie.hosts.disk import CannotRead
from reverie.hosts.jsonl import Where

HOST = "kimi-code"

_COMMANDS = frozenset((
    "add-dir", "changelog", "clear", "compact", "debug", "editor", "exit", "export", "feedback", "fork", "help", "hooks",
    "import", "init", "login", "logout", "mcp", "model", "new", "plan", "quit", "reload", "reset", "sessions", "setup", "skill",
    "task", "theme", "title", "undo", "usage", "version", "vis", "web", "yolo",
))
_COMMAND = re.compile(r"/([a-z][a-z-]{0,30})(?::\S{0,80})?(?:\s|\Z)")
_SILENT = frozenset({
    "TurnEnd", "StepBegin", "StepInterrupted", "StatusUpdate", "CompactionBegin", "CompactionEnd", "HookTriggered",
    "HookResolved", "MCPLoadingBegin", "MCPLoadingEnd", "ToolCallPart", "ApprovalRequest", "ToolCallRequest",
    "QuestionRequest", "PlanDisplay",
})


class _Function(msgspec.Struct, gc=False):
    name: str | None = None
    arguments: msgspec.Raw = decoding.NOTHING


class _Returned(msgspec.Struct, gc=False):
    output: Any = None
    is_error: bool | None = None


class _Payload(msgspec.Struct, gc=False):
    type: str | None = None
    text: str | None = None
    user_input: Any = None
    feedback: str | None = None
    id: str | None = None
    function: _Function | None = None
    tool_call_id: str | None = None
    return_value: _Returned | None = None


class _Envelope(msgspec.Struct, gc=False):
    type: str = ""
    payload: _Payload | None = None


class _Record(msgspec.Struct, gc=False):
    timestamp: float | None = None
    message: _Envelope | None = None


class WireDecoder(decoding.Decoder):
    """``wire.jsonl`` to messages."""

    record = _Record

    def take(self, record: _Record, where: Where) -> Sequence[Message]:
        said = record.message
        if said is None or said.payload is None or said.type in _SILENT:
            return self.no("bookkeeping")
        at = None if record.timestamp is None else record.timestamp * 1000
        return self._say(said.type, said.payload, at, f"@{where.position}")

    def _say(self, kind: str, payload: _Payload, at: float | None, name: str) -> Sequence[Message]:
        if kind in ("TurnBegin", "SteerInput"):
            return self._person("\n".join(decoding.texts(payload.user_input)), at, name)
        if kind in ("ApprovalResponse", "ApprovalRequestResolved"):
            return self._person(payload.feedback or "", at, name)       # a refusal in words
        if kind == "ContentPart":
            if payload.type != "text":
                return self.no("thinking" if payload.type == "think" else "not_text")
            return self.message(name, Voice.ASSISTANT, words.clean(payload.text or "").strip(), at)
        if kind == "ToolCall":
            function = payload.function or _Function()
            self.called(payload.id, function.name, function.arguments)
            return ()
        if kind == "ToolResult":
            result = payload.return_value or _Returned()
            text = words.output(words.peel("\n".join(decoding.texts(result.output)), self.skip))
            tool, given = self.answered(payload.tool_call_id)
            return self.message(name, Voice.TOOL, text, at, tool=tool, failed=bool(result.is_error), given=given)
        return self.no("sub_agent" if kind == "SubagentEvent" else "bookkeeping")

    def _person(self, text: str, at: float | None, name: str) -> Sequence[Message]:
        if self.of_agent:
            return self.no("agent_prompt")
        text = words.clean(words.peel(text, self.skip))
        command = _COMMAND.match(text)
        if command is not None and command[1] in _COMMANDS:
            return self.no("slash_command")
        return self.message(name, Voice.PERSON, text, at)


class _Call(msgspec.Struct, gc=False):
    id: str | None = None
    function: _Function | None = None


class _Said(msgspec.Struct, gc=False):
    role: str = ""
    content: Any = None
    tool_calls: list[_Call] | None = None
    tool_call_id: str | None = None


class ContextDecoder(decoding.Decoder):
    """``context.jsonl`` to messages. It has no times, and what the client told the model stands among the user's words,
    inside ``<system>``; after a compaction the summary follows such a note in the same message."""

    record = _Said

    def take(self, said: _Said, where: Where) -> Sequence[Message]:
        text, name = "\n".join(decoding.texts(said.content)).strip(), f"@{where.position}"
        if said.role == "user":
            if self.of_agent:
                return self.no("agent_prompt")
            if text.startswith("<system>"):
                return self.no("compaction_summary" if "compacted" in text[:200] else "injected_context")
            return self.message(name, Voice.PERSON, words.clean(words.peel(text, self.skip)))
        if said.role == "assistant":
            for call in said.tool_calls or ():
                function = call.function or _Function()
                self.called(call.id, function.name, function.arguments)
            return self.message(name, Voice.ASSISTANT, words.clean(text))
        if said.role == "tool":
            failed = text.startswith("<system>ERROR")
            tool, given = self.answered(said.tool_call_id)
            return self.message(name, Voice.TOOL, words.output(text), tool=tool, failed=failed, given=given)
        return self.no("bookkeeping")


class _Format:
    """kimi-cli's files, for the engine."""

    def decoder(self, transcript: Transcript, skipped: dict[str, int]) -> jsonl.Decoder:
        wire = os.path.basename(transcript.path) == "wire.jsonl"
        return WireDecoder(transcript, skipped) if wire else ContextDecoder(transcript, skipped)

    def surveys(self, transcript: Transcript) -> tuple[()]:
        return ()

    def withdrawals(self, transcript: Transcript) -> None:
        return None


FORMAT = _Format()


def wrote(transcript: Transcript) -> bool:
    """Whether a transcript of the host Kimi Code is kimi-cli's."""
    return transcript.about.get("client") == "kimi-cli"


def is_ours(path: str, records: Sequence[dict[str, Any]]) -> bool:
    """Whether kimi-cli wrote a file that begins with these records."""
    for record in records:
        if isinstance(record.get("message"), dict) and "payload" in record["message"] and "timestamp" in record:
            return True
        if os.path.basename(path).startswith("context") and isinstance(record.get("role"), str) and "type" not in record:
            return True
    return False


def at(path: str) -> Sequence[Transcript | Unreadable]:
    """The session of this file; a context is none of its own where the wire beside it tells the same."""
    folder = os.path.dirname(path)
    if os.path.basename(path) != "wire.jsonl" and disk.is_plain(os.path.join(folder, "wire.jsonl")):
        return ()
    return [_transcript(path, _directories(os.path.dirname(os.path.dirname(os.path.dirname(folder)))))]


def find(home: str) -> Iterator[Transcript | Unreadable]:
    """Every session of kimi-cli below its home."""
    directories = _directories(home)
    for key in disk.folders(HOST, os.path.join(home, "sessions")):
        for session in disk.folders(HOST, key) if isinstance(key, str) else (key,):
            if isinstance(session, Unreadable):
                yield session
                continue
            yield from _session(session, directories)
            for agent in disk.folders(HOST, os.path.join(session, "subagents")):
                if isinstance(agent, Unreadable):
                    yield agent
                else:
                    yield from _session(agent, directories)


def _session(folder: str, directories: dict[str, str]) -> Iterator[Transcript | Unreadable]:
    wire = os.path.join(folder, "wire.jsonl")
    if os.path.lexists(wire):
        yield _transcript(wire, directories)
        return
    for entry in disk.listing(HOST, folder):
        if isinstance(entry, Unreadable):
            yield entry
        elif re.fullmatch(r"context(_\d{1,6})?\.jsonl", entry.name):
            yield _transcript(entry.path, directories)


def _directories(home: str) -> dict[str, str]:
    """The directory that each folder of sessions is named after."""
    known = disk.small_json(os.path.join(home, "kimi.json"))
    entries = known.get("work_dirs") if isinstance(known, dict) else None
    paths = [entry.get("path") for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    return {
        hashlib.md5(path.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest(): path
        for path in paths if isinstance(path, str)
    }


def _transcript(path: str, directories: dict[str, str]) -> Transcript | Unreadable:
    try:
        found, first = disk.look(path), disk.head(path)
    except CannotRead as problem:
        return disk.unreadable(HOST, path, problem)
    folder, file = os.path.split(path)
    above, session = os.path.split(folder)
    of_agent = os.path.basename(above) == "subagents"
    about: dict[str, Any] = {"client": "kimi-cli"}
    if of_agent:
        above, parent = os.path.split(os.path.dirname(above))
        about["parent"], session = parent, f"{parent}/{session}"
    if file not in ("wire.jsonl", "context.jsonl"):
        session = f"{session}/{file.removesuffix('.jsonl')}"
    started = next((record["timestamp"] for record in heads.objects(first) if "timestamp" in record), None)
    return Transcript(
        host=HOST, session=session, path=path, cwd=directories.get(os.path.basename(above), ""),
        started_at=disk.at_seconds(started), updated_at=disk.at_seconds(found.st_mtime), size_bytes=found.st_size,
        of_agent=of_agent, about=about,
    )
