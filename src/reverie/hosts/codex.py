"""Codex: ``$CODEX_HOME/sessions/YYYY/MM/DD/rollout-*.jsonl`` and ``archived_sessions/``, plain or compressed.

Recorded with 0.171 (spec/codex §18); older shapes from the specification. What was said stands in ``response_item`` lines; most
of it is repeated in ``event_msg`` lines, which old releases may have alone. The two are paired as they come, by their words,
so that each message is handed out once whichever comes first. A ``user`` item is a person's where its parts are tagged
``user.text``; where there are no tags, what is wholly an envelope of the client's is none. The first releases wrote the items
bare, without a line around them.

A fork begins with its parent's lines, stamped anew: they are told by the turns' ids, whose first bits are a time, else by coming
in one burst.
"""

# Paths are texts in a transcript, and a home folder holds thousands of them: os.path, not pathlib.
# ruff: noqa: PTH118, PTH119, PTH120
from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

import msgspec

from reverie.core import citations
from reverie.core.session import Cursor, Message, Reading, Transcript, Unreadable, Voice
from reverie.hosts import codex_items, decoding, disk, heads, jsonl, undo, words, zstd
from reverie.hosts.codex_items import ANSWER, ANSWER_EVENT, PROMPT, PROMPT_EVENT, PROMPTS, thread_time
from reverie.hosts.disk import CannotRead
from reverie.hosts.jsonl import Where

NAME = "codex"

_LINE_TYPES = frozenset({
    "session_meta", "turn_context", "response_item", "event_msg", "world_state", "token_usage_record", "compacted",
    "inter_agent_communication", "inter_agent_communication_metadata", "retained_context", "realtime_item", "security_risk_score",
})
_UNSAID: Mapping[str, str] = {"reasoning": "thinking", "agent_message": "agent_message"}
_COPIED_LINES = ("response_item", "event_msg", "session_meta", "turn_context")
_SPOKEN_EVENTS = ("user_message", "agent_message", "item_completed", "task_started", "turn_started")
_FILE = re.compile(r"rollout-.+\.jsonl(\.zst)?\Z")
_BURST = timedelta(seconds=1)       # between a fork's copied lines; a person's first words come later


class _Passed(msgspec.Struct, gc=False):
    turn_id: str | None = None
    content_item_kinds: list[str] | None = None


class _Flags(msgspec.Struct, gc=False):
    inherited_user_message: bool | None = None


class _Part(msgspec.Struct, gc=False):
    type: str = ""
    text: str | None = None


class _Citation(msgspec.Struct, gc=False):
    """What the client took out of an answer, in its own event (spec/codex §13)."""

    rolloutIds: list[str] | None = None  # noqa: N815 - the client's name


class _Finished(msgspec.Struct, gc=False):
    type: str = ""
    id: str | None = None
    content: list[_Part] | None = None
    memory_citation: _Citation | None = None


class _Git(msgspec.Struct, gc=False):
    branch: str | None = None


class _Printed(msgspec.Struct, gc=False):
    """What a tool printed, in releases that said with it whether it went well."""

    content: str | list[_Part] | None = None
    output: str | None = None
    success: bool | None = None


class _Payload(msgspec.Struct, gc=False):
    """The parts of any payload that are read; also an item of the first releases, which has no line around it."""

    type: str = ""
    role: str | None = None
    id: str | None = None
    name: str | None = None
    namespace: str | None = None
    call_id: str | None = None
    arguments: msgspec.Raw = decoding.NOTHING
    input: msgspec.Raw = decoding.NOTHING
    action: msgspec.Raw = decoding.NOTHING
    content: str | list[_Part] | None = None
    output: str | list[_Part] | _Printed | None = None
    message: str | None = None
    kind: str | None = None
    turn_id: str | None = None
    cwd: str | None = None
    git: _Git | None = None
    item: _Finished | None = None
    internal_chat_message_metadata_passthrough: _Passed | None = None


class _Line(msgspec.Struct, gc=False):
    type: str = ""
    timestamp: str | None = None
    payload: _Payload | None = None
    metadata: _Flags | None = None


class _Bare(_Payload, gc=False):
    """A line of the first releases."""

    timestamp: str | None = None


_decode_bare = msgspec.json.Decoder(_Bare).decode


class Decoder(decoding.Decoder):
    """Rollout lines to messages."""

    record = _Line

    def __init__(self, transcript: Transcript, skipped: dict[str, int]) -> None:
        super().__init__(transcript, skipped)
        self._twins = codex_items.Twins()
        self._own_time = thread_time(transcript.session)
        self._is_fork = self._copying = bool(transcript.about.get("parent_is_there"))
        self._last_copied = transcript.started_at

    def take(self, line: _Line, where: Where) -> Sequence[Message]:
        kind, payload = line.type, line.payload
        if payload is None:
            return self._bare(line, where)
        if self._is_fork and kind in _COPIED_LINES and self._is_copy(line, payload):
            return self.no("copied")
        if kind == "response_item":
            return self._item(payload, line.timestamp, where)
        if kind == "event_msg":
            return self._event(payload, line.timestamp, where) if payload.type in _SPOKEN_EVENTS else self.no("bookkeeping")
        if kind in ("session_meta", "turn_context"):
            self.see(payload.cwd, payload.git.branch if payload.git else None)
        elif kind not in _LINE_TYPES:
            return self.no("unknown_record")
        return self.no("compaction_summary" if kind == "compacted" else "bookkeeping")

    def _bare(self, line: _Line, where: Where) -> Sequence[Message]:
        """A line without a payload, of the first releases: the session's facts, a state, or an item."""
        try:
            item = _decode_bare(where.line)
        except (ValueError, RecursionError):
            return self.no("unknown_record")
        if item.type in codex_items.KINDS:
            return self._item(item, item.timestamp, where)
        self.see(item.cwd, item.git.branch if item.git else None)
        return self.no("bookkeeping" if not line.type or line.type in _LINE_TYPES else "unknown_record")

    def _is_copy(self, record: _Line, payload: _Payload) -> bool:
        """Whether a fork's line is its parent's; the first one that is not ends the copy."""
        if record.metadata is not None and record.metadata.inherited_user_message:
            return True
        if not self._copying:
            return False
        passed = payload.internal_chat_message_metadata_passthrough
        turn = thread_time(payload.turn_id or (passed.turn_id if passed else None) or "")
        at = disk.at_text(record.timestamp)
        if turn is not None and self._own_time is not None:
            self._copying = turn < self._own_time
        elif at is not None and self._last_copied is not None:
            self._copying = at - self._last_copied <= _BURST
        self._last_copied = at or self._last_copied
        return self._copying

    def _item(self, payload: _Payload, at: str | None, where: Where) -> Sequence[Message]:
        if payload.type == "message":
            return self._message(payload, at, where)
        if payload.type in codex_items.CALLS:
            self._twins.reset()
            tool = payload.name or codex_items.CALLS[payload.type]
            given = payload.arguments or payload.input or payload.action
            self.called(payload.call_id or payload.id, f"{payload.namespace}.{tool}" if payload.namespace else tool, given)
            return ()
        if payload.type in codex_items.OUTPUTS:
            return self._printed(payload, at, where)
        return self.no(_UNSAID.get(payload.type, "bookkeeping"))

    def _printed(self, payload: _Payload, at: str | None, where: Where) -> Sequence[Message]:
        output, failed = payload.output, False
        if isinstance(output, _Printed):
            failed = output.success is False
            output = output.content if output.content is not None else output.output
        if isinstance(output, list):
            output = "\n".join([part.text or "" for part in output])
        text, exit_failed = codex_items.printed(output or "")
        tool, given = self.answered(payload.call_id)
        return self.message(
            payload.id or f"@{where.position}", Voice.TOOL, words.output(text), at, tool=tool, failed=failed or exit_failed,
            given=given,
        )

    def _message(self, payload: _Payload, at: str | None, where: Where) -> Sequence[Message]:
        texts = [part.text or "" for part in payload.content] if isinstance(payload.content, list) else [payload.content or ""]
        name = payload.id or f"@{where.position}"
        if payload.role == "assistant":
            return self._once(ANSWER, name, *codex_items.answer("".join(texts)), at=at)
        if payload.role != "user":
            return self.no("injected_context")
        passed = payload.internal_chat_message_metadata_passthrough
        kinds = passed.content_item_kinds if passed else None
        typed = codex_items.typed(texts, kinds, self.skip)
        return self._once(PROMPT, name, typed, at=at) if typed else ()

    def _event(self, payload: _Payload, at: str | None, where: Where) -> Sequence[Message]:
        kind, done = payload.type, payload.item
        if kind == "item_completed" and done is not None:
            if done.type not in ("UserMessage", "AgentMessage"):
                return self.no("bookkeeping")
            texts, name = [part.text or "" for part in done.content or ()], done.id or f"@{where.position}"
        elif kind in ("user_message", "agent_message"):
            if payload.kind not in (None, "", "plain"):
                return self.no("injected_context")
            texts, name = [payload.message or ""], f"@{where.position}"
        else:
            self._twins.reset()
            return self.no("bookkeeping")
        if kind == "user_message" or (done is not None and done.type == "UserMessage"):
            return self._once(PROMPT_EVENT, name, codex_items.typed(texts, None, self.skip), at=at)
        text, cites = codex_items.answer("".join(texts))
        taken_out = done.memory_citation.rolloutIds if done is not None and done.memory_citation else None
        return self._once(ANSWER_EVENT, name, text, tuple(dict.fromkeys((*cites, *(taken_out or ())[:citations.MOST]))), at=at)

    def _once(self, item: str, name: str, text: str, cites: tuple[str, ...] = (), *, at: str | None) -> Sequence[Message]:
        """A message, unless its twin was there before."""
        if not text and not cites:
            return ()
        if item in PROMPTS and self.of_agent:
            return self.no("agent_prompt")
        if self._twins.meet(item, text):
            return self.no("duplicate")
        return self.message(name, Voice.PERSON if item in PROMPTS else Voice.ASSISTANT, text, at, cites=cites)

    def state(self) -> dict[str, Any]:
        copied_at = self._last_copied.isoformat() if self._last_copied else ""
        return {**super().state(), "twins": self._twins.state(), **({"copied_at": copied_at} if self._copying else {})}

    def resume(self, state: dict[str, Any]) -> None:
        super().resume(state)
        self._twins = codex_items.Twins(state.get("twins"))
        self._copying = "copied_at" in state
        self._last_copied = disk.at_text(state.get("copied_at"))


class _Mark(msgspec.Struct, gc=False):
    type: str = ""
    role: str | None = None
    num_turns: int | None = None
    content: str | list[_Part] | None = None
    internal_chat_message_metadata_passthrough: _Passed | None = None


class _Marked(msgspec.Struct, gc=False):
    type: str = ""
    payload: _Mark | None = None


class Survey(undo.Survey):
    """Finds the turns that were rolled back."""

    record = _Marked

    def see(self, marked: _Marked, where: Where) -> None:
        mark = marked.payload
        if mark is None:
            return
        if marked.type == "event_msg" and mark.type == "thread_rolled_back":
            self.undo(mark.num_turns or 0, where.position)
        elif marked.type == "response_item" and mark.type == "message" and mark.role == "user" and _is_prompt(mark):
            self.prompt(where.position)


def _is_prompt(mark: _Mark) -> bool:
    passed = mark.internal_chat_message_metadata_passthrough
    texts = [part.text or "" for part in mark.content] if isinstance(mark.content, list) else [mark.content or ""]
    return bool(codex_items.typed(texts, passed.content_item_kinds if passed else None, lambda _: None))


class _Format:
    """Codex's files, for the engine."""

    def decoder(self, transcript: Transcript, skipped: dict[str, int]) -> Decoder:
        return Decoder(transcript, skipped)

    def surveys(self, transcript: Transcript) -> Sequence[Callable[[int], jsonl.Survey]]:
        return (Survey,)

    def withdrawals(self, transcript: Transcript) -> Callable[[bytes], bool]:
        return lambda piece: b'"thread_rolled_back"' in piece


class Codex:
    """Codex as a reader of its transcripts."""

    name = NAME

    def find(self, home: str, environment: Mapping[str, str]) -> Iterator[Transcript | Unreadable]:
        """Every session below ``home``; ``CODEX_HOME`` moves them. A rollout that is there plain and compressed is found once."""
        base = disk.place(environment.get("CODEX_HOME"), home, ".codex")
        for folder in ("sessions", "archived_sessions"):
            yield from self._walk(os.path.join(base, folder), depth=0)

    def _walk(self, folder: str, depth: int) -> Iterator[Transcript | Unreadable]:
        names: set[str] = set()
        for entry in disk.listing(NAME, folder):
            if isinstance(entry, Unreadable):
                yield entry
            elif _FILE.match(entry.name):
                plain = entry.name.removesuffix(".zst")
                if plain not in names:
                    names.add(plain)
                    yield _transcript(entry.path)
            elif depth < 3 and disk.is_folder(entry.path):     # year, month, day
                yield from self._walk(entry.path, depth + 1)

    def at(self, path: str) -> Sequence[Transcript | Unreadable] | None:
        """The session in this file, told by the shape of its lines; a compressed one by its name."""
        if path.endswith(".zst"):
            return [_transcript(path)] if _FILE.match(os.path.basename(path)) else None
        try:
            lines = heads.objects(disk.head(path))
        except CannotRead as problem:
            return [disk.unreadable(NAME, path, problem)]
        return [_transcript(path)] if any(map(_is_ours, lines)) or _is_cut_meta(path) else None

    def read(self, transcript: Transcript, since: Cursor | None = None) -> Reading:
        """Read a transcript."""
        return jsonl.read(_Format(), transcript, since, zstd.open_either)


def _is_ours(record: dict[str, Any]) -> bool:
    if isinstance(record.get("payload"), dict):
        return heads.kind(record) in _LINE_TYPES
    if "timestamp" in record and "instructions" in record and isinstance(record.get("id"), str):
        return True         # the first line of the first releases
    return record.get("record_type") == "state"


def _is_cut_meta(path: str) -> bool:
    """Whether a file begins with a ``session_meta`` too long for a look: it carries the base instructions."""
    try:
        return b'"type":"session_meta","payload":{' in disk.head(path, 256)
    except CannotRead:
        return False


def _transcript(path: str) -> Transcript | Unreadable:
    try:
        found = disk.look(path)
        with zstd.open_either(path) as handle:
            first = disk.read_fully(handle, disk.HEAD_BYTES)
    except CannotRead as problem:
        return disk.unreadable(NAME, path, problem)
    meta = _meta(first)
    session = str(meta.get("id") or "") or codex_items.thread_in(os.path.basename(path)) or os.path.basename(path)
    source = meta.get("source")
    parent = meta.get("forked_from_id") or meta.get("parent_thread_id") or _spawned_by(source)
    about: dict[str, Any] = {key: meta[key] for key in ("originator", "memory_mode") if isinstance(meta.get(key), str)}
    if isinstance(parent, str) and parent:
        about["parent"] = parent
        about["parent_is_there"] = _is_there(parent, path)
    return Transcript(
        host=NAME, session=session, path=path,
        cwd=str(meta.get("cwd") or "") or heads.text(first, "cwd") or _environment_cwd(first),
        branch=heads.text(first, "branch"), started_at=disk.at_text(meta.get("timestamp")),
        updated_at=disk.at_seconds(found.st_mtime), size_bytes=found.st_size,
        of_agent=isinstance(source, dict) or meta.get("thread_source") in ("subagent", "sub_agent"),
        source=source if isinstance(source, str) else "" if source is None else "other",
        archived=f"{os.sep}archived_sessions{os.sep}" in path, about=about,
    )


def _meta(first: bytes) -> dict[str, Any]:
    """The facts of a session, from its first line; where that is longer than what was looked at, from its beginning."""
    line, whole, _ = first.partition(b"\n")
    if whole and (records := heads.objects(line)):
        payload = records[0].get("payload", records[0])
        return payload if isinstance(payload, dict) else {}
    keys = ("id", "cwd", "timestamp", "source", "thread_source", "forked_from_id", "originator", "memory_mode")
    facts: dict[str, Any] = {key: value for key in keys if (value := heads.text(line, key))}
    if b'"source":{' in line:
        facts["source"] = {}
    return facts


def _spawned_by(source: Any) -> str:
    spawned = source.get("subagent") if isinstance(source, dict) else None
    spawned = spawned.get("thread_spawn") if isinstance(spawned, dict) else None
    parent = spawned.get("parent_thread_id") if isinstance(spawned, dict) else None
    return parent if isinstance(parent, str) else ""


def _environment_cwd(first: bytes) -> str:
    """The directory that the first releases told the model only."""
    for record in heads.objects(first):
        for text in decoding.texts(record.get("content")):
            if cwd := words.inside(text, "cwd"):
                return cwd
            if "Current working directory: " in text:
                return text.partition("Current working directory: ")[2].partition("\n")[0].strip()
    return ""


def _is_there(thread: str, path: str) -> bool:
    """Whether another session's rollout exists. Its folder follows from its id, which begins with a time; the folders are named
    by local time, so the days around it count too."""
    started = thread_time(thread)
    if started is None or not heads.is_name(thread):
        return False
    base = path
    while os.path.basename(base) not in ("sessions", "archived_sessions") and os.path.dirname(base) != base:
        base = os.path.dirname(base)
    home = os.path.dirname(base)
    days = [started + timedelta(days=offset) for offset in (-1, 0, 1)]
    folders = [os.path.join(home, "sessions", *day.strftime("%Y %m %d").split()) for day in days]
    for folder in (*folders, os.path.join(home, "archived_sessions"), os.path.dirname(path)):
        for entry in disk.listing(NAME, folder):
            if not isinstance(entry, Unreadable) and codex_items.thread_in(entry.name) == thread:
                return True
    return False
