"""Kimi Code: ``~/.kimi-code/sessions/<key>/<session>/agents/<agent>/wire.jsonl``, any protocol 1.x.

Recorded with 2.1.0 (spec/kimi-code §3). A person spoke where ``context.append_message`` has the origin ``user``, or none, as in
sessions taken over from kimi-cli; the journal's own records (``"kind":"event"``) repeat everything. ``context.undo`` counts
back over prompts, not beyond a compaction; ``context.clear`` takes back all; what stands before the last ``forked`` was
copied from another session. The old product, kimi-cli, is read by ``reverie.hosts.kimi_cli``.
"""

# Paths are texts in a transcript, and a home folder holds thousands of them: os.path, not pathlib.
# ruff: noqa: PTH118, PTH119, PTH120
from __future__ import annotations

import functools
import os
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from reverie.core.session import Cursor, Message, Reading, Transcript, Unreadable, Voice
from reverie.hosts import decoding, disk, heads, jsonl, kimi_cli, undo, words
from reverie.hosts.disk import CannotRead
from reverie.hosts.jsonl import Where

NAME = "kimi-code"

_WITHDRAWAL = re.compile(rb'"context\.(?:undo|clear)"')
_WITHDRAWAL_OR_FORK = re.compile(rb'"(?:context\.(?:undo|clear)|forked)"')

# What speaks as "user" and is none, by its origin.
_ORIGINS: Mapping[str, str] = {
    "hook_result": "hook_context",
    "injection": "injected_context",
    "compaction_summary": "compaction_summary",
    "shell_command": "local_command",
    "skill_activation": "slash_command",
    "plugin_command": "slash_command",
    "system_trigger": "agent_prompt",
    "task": "background_task",
    "background_task": "background_task",
    "cron_job": "background_task",
    "cron_missed": "background_task",
    "retry": "duplicate",
}
_STEERS = 16            # ids of the last prompts, by which the two records of one that steers a turn are known


class _Origin(msgspec.Struct, gc=False):
    kind: str | None = None
    trigger: str | None = None


class _Part(msgspec.Struct, gc=False):
    type: str = ""
    text: str | None = None


class _Function(msgspec.Struct, gc=False):
    name: str | None = None
    arguments: msgspec.Raw = decoding.NOTHING


class _Call(msgspec.Struct, gc=False):
    id: str | None = None
    name: str | None = None
    arguments: msgspec.Raw = decoding.NOTHING
    function: _Function | None = None       # protocol 1.0


class _Said(msgspec.Struct, gc=False, rename="camel"):
    role: str = ""
    content: str | list[_Part] | None = None
    id: str | None = None
    origin: _Origin | None = None
    tool_calls: list[_Call] | None = None
    tool_call_id: str | None = None
    is_error: bool | None = None


class _Result(msgspec.Struct, gc=False, rename="camel"):
    output: str | list[_Part] | None = None
    is_error: bool | None = None


class _Event(msgspec.Struct, gc=False, rename="camel"):
    type: str = ""
    uuid: str | None = None
    part: _Part | None = None
    tool_call_id: str | None = None
    name: str | None = None
    function: _Function | None = None
    args: msgspec.Raw = decoding.NOTHING
    result: _Result | None = None


class _Record(msgspec.Struct, gc=False, rename="camel"):
    type: str = ""
    kind: str | None = None
    time: float | None = None
    message: _Said | None = None
    event: _Event | None = None
    message_id: str | None = None
    origin: _Origin | None = None
    input: str | list[_Part] | None = None


def _texts(content: str | list[_Part] | None) -> list[str]:
    if isinstance(content, str):
        return [content]
    return [part.text for part in content or () if part.type == "text" and part.text]


class Decoder(decoding.Decoder):
    """Records to messages."""

    record = _Record

    def __init__(self, transcript: Transcript, skipped: dict[str, int]) -> None:
        super().__init__(transcript, skipped)
        self._prompts: deque[str] = deque(maxlen=_STEERS)

    def take(self, record: _Record, where: Where) -> Sequence[Message]:
        kind = record.type
        if record.kind == "event" or kind == "turn.prompt":
            return self.no("duplicate")         # of the message beside it
        if kind == "context.append_loop_event" and record.event is not None:
            return self._event(record, record.event, where)
        if kind == "context.append_message" and record.message is not None:
            return self._message(record, record.message, where)
        if kind == "turn.steer":
            said = _Said(role="user", content=record.input, id=record.message_id, origin=record.origin)
            return self._message(record, said, where)
        return self.no("compaction_summary" if kind == "context.apply_compaction" else "bookkeeping")

    def _message(self, record: _Record, said: _Said, where: Where) -> Sequence[Message]:
        if said.role == "user":
            return self._user(record, said, where)
        name = said.id or f"@{where.position}"
        if said.role == "assistant":
            for call in said.tool_calls or ():
                within = call.function or _Function()
                self.called(call.id, call.name or within.name, call.arguments or within.arguments)
            return self.message(name, Voice.ASSISTANT, words.clean("\n".join(_texts(said.content))).strip(), record.time)
        if said.role == "tool":
            return self._result(name, record, said.tool_call_id, said.content, bool(said.is_error))
        return self.no("injected_context")

    def _user(self, record: _Record, said: _Said, where: Where) -> Sequence[Message]:
        kind = (said.origin.kind if said.origin else None) or "user"
        if kind != "user":
            return self.no(_ORIGINS.get(kind, "injected_context"))
        if self.of_agent:
            return self.no("agent_prompt")
        if said.id is not None:
            if said.id in self._prompts:
                return self.no("duplicate")
            self._prompts.append(said.id)
        texts = [words.peel(text, self.skip) for text in _texts(said.content)]
        return self.message(
            said.id or f"@{where.position}", Voice.PERSON, words.clean("\n".join(filter(None, texts))), record.time
        )

    def _event(self, record: _Record, event: _Event, where: Where) -> Sequence[Message]:
        if event.type == "content.part" and event.part is not None:
            if event.part.type != "text":
                return self.no("thinking" if event.part.type == "think" else "not_text")
            name = event.uuid or f"@{where.position}"
            return self.message(name, Voice.ASSISTANT, words.clean(event.part.text or "").strip(), record.time)
        if event.type == "tool.call":
            within = event.function or _Function()
            self.called(event.tool_call_id, event.name or within.name, event.args or within.arguments)
            return ()
        if event.type == "tool.result" and event.result is not None:
            failed, name = bool(event.result.is_error), event.tool_call_id or f"@{where.position}"
            return self._result(name, record, event.tool_call_id, event.result.output, failed)
        return self.no("bookkeeping")

    def _result(
        self, name: str, record: _Record, call: str | None, content: str | list[_Part] | None, failed: bool
    ) -> Sequence[Message]:
        text = words.output(words.peel("\n".join(_texts(content)), self.skip))
        tool, given = self.answered(call)
        return self.message(name, Voice.TOOL, text, record.time, tool=tool, failed=failed, given=given)

    def state(self) -> dict[str, Any]:
        return {**super().state(), "prompts": list(self._prompts)}

    def resume(self, state: dict[str, Any]) -> None:
        super().resume(state)
        prompts = state.get("prompts")
        self._prompts = deque(map(str, prompts if isinstance(prompts, list) else ()), maxlen=_STEERS)


class _Mark(msgspec.Struct, gc=False):
    """The part of a record that says what was taken back."""

    type: str = ""
    kind: str | None = None
    count: int | None = None
    message: _Said | None = None


class Survey(undo.Survey):
    """Finds what ``undo`` and ``clear`` took back, and what a fork copied."""

    record = _Mark

    def __init__(self, cut: int, *, forked: bool) -> None:
        super().__init__(cut)
        self._forked = forked

    def see(self, mark: _Mark, where: Where) -> None:
        kind = mark.type
        if mark.kind == "event":
            return
        if kind == "context.append_message" and mark.message is not None and _is_anchor(mark.message):
            self.prompt(where.position)
        elif kind == "context.undo":
            self.undo(mark.count or 0, where.position)
        elif kind == "context.clear":
            self.undo_all(where.position)
        elif kind == "context.apply_compaction":
            self.barrier()
        elif kind == "forked" and self._forked:
            self.copied(where.position)


def _is_anchor(said: _Said) -> bool:
    """Whether ``undo`` counts this message: what a person typed, a slash command too."""
    if said.role != "user":
        return False
    origin = said.origin
    if origin is None or origin.kind in (None, "user"):
        return True
    return origin.kind in ("skill_activation", "plugin_command") and origin.trigger == "user-slash"


class _Format:
    """Kimi Code's files, for the engine."""

    def decoder(self, transcript: Transcript, skipped: dict[str, int]) -> Decoder:
        return Decoder(transcript, skipped)

    def surveys(self, transcript: Transcript) -> Sequence[Callable[[int], jsonl.Survey]]:
        return (functools.partial(Survey, forked=_is_there(transcript.about.get("forked_from"), transcript.path)),)

    def withdrawals(self, transcript: Transcript) -> Callable[[bytes], bool]:
        search = (_WITHDRAWAL_OR_FORK if transcript.about.get("forked_from") else _WITHDRAWAL).search
        return lambda piece: search(piece) is not None


def _is_there(session: object, path: str) -> bool:
    """Whether the session that a fork was made of still exists beside it; if not, the copy is all there is."""
    if not isinstance(session, str) or not heads.is_name(session):
        return False
    sessions = os.path.dirname(os.path.dirname(_session_folder(path)))
    return any(
        isinstance(folder, str) and disk.is_folder(os.path.join(folder, session)) for folder in disk.folders(NAME, sessions)
    )


def _session_folder(path: str) -> str:
    """``<session>`` of ``<session>/agents/<agent>/wire.jsonl``."""
    return os.path.dirname(os.path.dirname(os.path.dirname(path)))


class KimiCode:
    """Kimi Code, and kimi-cli before it, as a reader of their transcripts."""

    name = NAME

    def find(self, home: str, environment: Mapping[str, str]) -> Iterator[Transcript | Unreadable]:
        """Every session below ``home``; ``KIMI_CODE_HOME`` and, for kimi-cli, ``KIMI_SHARE_DIR`` move them. A session that was
        taken over from kimi-cli and is still there is found once."""
        old = disk.place(environment.get("KIMI_SHARE_DIR"), home, ".kimi")
        base = disk.place(environment.get("KIMI_CODE_HOME"), home, ".kimi-code")
        there: set[str] = set()
        for found in kimi_cli.find(old):
            if isinstance(found, Transcript):
                there.add(found.session)
            yield found
        for key in disk.folders(NAME, os.path.join(base, "sessions")):
            for session in disk.folders(NAME, key) if isinstance(key, str) else (key,):
                if isinstance(session, Unreadable):
                    yield session
                    continue
                state = disk.small_json(os.path.join(session, "state.json"))
                if _taken_over_from(state) not in there:
                    yield from self._agents(session, state)

    def _agents(self, session: str, state: Any) -> Iterator[Transcript | Unreadable]:
        for agent in disk.folders(NAME, os.path.join(session, "agents")):
            if isinstance(agent, Unreadable):
                yield agent
            elif os.path.lexists(wire := os.path.join(agent, "wire.jsonl")):
                yield _transcript(wire, state)

    def at(self, path: str) -> Sequence[Transcript | Unreadable] | None:
        """The session in this file, told by its first record."""
        try:
            records = heads.objects(disk.head(path))
        except CannotRead as problem:
            return [disk.unreadable(NAME, path, problem)]
        if kimi_cli.is_ours(path, records):
            return kimi_cli.at(path)
        if not any(map(_is_ours, records)):
            return None
        return [_transcript(path, disk.small_json(os.path.join(_session_folder(path), "state.json")))]

    def read(self, transcript: Transcript, since: Cursor | None = None) -> Reading:
        """Read a transcript."""
        return jsonl.read(kimi_cli.FORMAT if kimi_cli.wrote(transcript) else _Format(), transcript, since)


def _is_ours(record: dict[str, Any]) -> bool:
    if heads.kind(record) == "metadata":
        return "protocol_version" in record and "created_at" in record
    return heads.kind(record) in ("context.append_message", "context.append_loop_event", "turn.prompt", "profile.bind")


def _taken_over_from(state: Any) -> str:
    custom = state.get("custom") if isinstance(state, dict) else None
    session = custom.get("kimi_cli_session_id") if isinstance(custom, dict) else None
    return session if isinstance(session, str) else ""


def _transcript(path: str, state: Any) -> Transcript | Unreadable:
    try:
        found, first = disk.look(path), disk.head(path)
    except CannotRead as problem:
        return disk.unreadable(NAME, path, problem)
    facts = state if isinstance(state, dict) else {}
    folder = _session_folder(path)
    session, agent = str(facts.get("id") or os.path.basename(folder)), os.path.basename(os.path.dirname(path))
    agents = facts.get("agents")
    kind = agents.get(agent) if isinstance(agents, dict) else None
    kind = kind.get("type") if isinstance(kind, dict) else None
    of_agent = kind == "sub" or (kind is None and agent.startswith("agent-"))
    created = next((record.get("created_at") for record in heads.objects(first) if record.get("type") == "metadata"), None)
    cwd = facts.get("cwd") or facts.get("workDir") or _indexed(folder)
    about: dict[str, Any] = {"parent": session} if of_agent else {}
    if facts.get("forkedFrom"):
        about["forked_from"] = facts["forkedFrom"]
    return Transcript(
        host=NAME, session=f"{session}/{agent}" if agent != "main" else session, path=path,
        cwd=cwd if isinstance(cwd, str) else "", started_at=disk.at_millis(facts.get("createdAt") or created),
        updated_at=disk.at_millis(facts.get("updatedAt")) or disk.at_seconds(found.st_mtime), size_bytes=found.st_size,
        of_agent=of_agent, about=about,
    )


def _indexed(folder: str) -> str:
    """A session's directory by the index, for one whose ``state.json`` is missing or broken."""
    home = os.path.dirname(os.path.dirname(os.path.dirname(folder)))
    try:
        data = disk.head(os.path.join(home, "session_index.jsonl"), disk.SMALL_FILE_BYTES)
    except CannotRead:
        return ""
    name = os.path.basename(folder)
    for line in reversed(data.split(b"\n")):
        if name.encode() in line and (entries := heads.objects(line)) and entries[0].get("sessionId") == name:
            return str(entries[0].get("workDir") or "")
    return ""
