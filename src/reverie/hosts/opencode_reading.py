"""OpenCode's messages, from rows or files, to ours; and where a reading of them stops.

A message is handed out when it is finished. An answer without its end stops the reading before it, unless it was abandoned: a
later answer follows in its session, or other sessions were busy long after it. What the cursor counts is the time (V2: the
sequence number) of the last message handed out; its mark holds that message's id and how many there were up to it, so
that deleted ones are noticed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeGuard

import msgspec

from reverie.core.session import Cursor, Message, Reading, Transcript, Voice
from reverie.hosts import decoding, words
from reverie.hosts.disk import CannotRead

CONTEXT_PROMPTS = 3
ABANDONED_MILLIS = 3_600_000    # an answer begun an hour before its client did something else is no longer written


class Place(NamedTuple):
    """Where a message stands: its time, or in V2 its sequence number, and its id."""

    at: int
    id: str


START = Place(-1, "")


class State(msgspec.Struct, gc=False):
    """How a tool's call went. Any value may be of any kind here and below; what is not named is never made an object."""

    status: Any = None
    input: msgspec.Raw = decoding.NOTHING
    output: Any = None
    content: Any = None
    error: Any = None
    time: Any = None


class Part(msgspec.Struct, gc=False):
    """A part of a message."""

    type: Any = None
    text: Any = None
    synthetic: Any = None
    ignored: Any = None
    tool: Any = None
    name: Any = None
    state: State | None = None
    time: Any = None


class Data(msgspec.Struct, gc=False):
    """What is stored of a message beside its parts. V2 has a type instead of a role, and the parts in ``content``."""

    role: Any = msgspec.UNSET
    type: Any = None
    time: Any = None
    summary: Any = None
    mode: Any = None
    error: Any = None
    text: Any = None
    content: msgspec.Raw = decoding.NOTHING


PARTS = msgspec.json.Decoder(Part)
DATA = msgspec.json.Decoder(Data)
_CONTENT = msgspec.json.Decoder(list[msgspec.Raw])


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One message as it is stored, with its parts; V2 has the content in the message itself."""

    place: Place
    data: Data
    parts: list[tuple[str, Part]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What reading needs to know of a session. Times in milliseconds."""

    directory: str
    revert: dict[str, Any] | None
    created: int | None
    newest_elsewhere: int | None        # when another session was last changed
    line: str                           # "v1", "v2", "files": places of one mean nothing in another


class Source(Protocol):
    """Where messages are stored."""

    def open(self) -> Session: ...
    def close(self) -> None: ...
    def count(self, upto: Place) -> int: ...
    def said_before(self, at: int, created: int) -> bool: ...
    def messages(self, after: Place, skip: Callable[[str], None]) -> Iterator[Said]: ...


class _Mark(msgspec.Struct, omit_defaults=True):
    line: str = ""
    id: str = ""                # of the last message handed out
    count: int = 0              # stored messages up to it
    context: str = ""           # id of the message at the cursor's context


def read(source: Source, transcript: Transcript, since: Cursor | None) -> Reading:
    """Read a session. The context is read before this returns; everything else streams."""
    reading = Reading(
        transcript=transcript, messages=iter(()), cursor=since or Cursor(), cwd=transcript.cwd, branch=transcript.branch
    )
    try:
        _Run(source, reading).prepare(since)
    except CannotRead as problem:
        reading.messages = iter(())
        reading.skip(problem.reason)
    finally:
        source.close()
    return reading


class _Run:
    """One reading on its way."""

    def __init__(self, source: Source, reading: Reading) -> None:
        self.source, self.reading = source, reading
        self.session = source.open()
        self.content = _Content(reading.transcript, reading.skipped)
        reading.cwd = reading.cwd or self.session.directory
        self.place, self.since = START, Cursor()
        self.prompts: deque[Place] = deque(maxlen=CONTEXT_PROMPTS)

    def prepare(self, since: Cursor | None) -> None:
        context: list[Message] = []
        if since is not None and since != Cursor():
            mark = _decode(since.mark)
            if mark is None or mark.line != self.session.line or not _is_time(since.position) or not _is_time(since.context):
                self.reading.restarted = True
            else:
                self.place, self.since = Place(since.position, mark.id), since
                gone = mark.count - self._alive(self.place)
                if gone > 0:
                    self.reading.skip("taken_back_late", gone)
                context = self._context(Place(since.context, mark.context))
        self.reading.fresh_from = len(context)
        self.reading.messages = self._stream(context)

    def _alive(self, upto: Place) -> int:
        """How many messages up to a place still count."""
        edge = self._edge()
        return self.source.count(min(upto, edge) if edge is not None else upto)

    def _edge(self) -> Place | None:
        """The place just before what is reverted, or None. Ids rise with time."""
        revert = self.session.revert
        name = revert.get("messageID") if revert else None
        if not isinstance(name, str):
            return None
        before = START
        for said in self.source.messages(START, lambda _: None):
            if said.place.id >= name:
                return before
            before = said.place
        return None

    def _context(self, start: Place) -> list[Message]:
        found: list[Message] = []
        if start.at < 0 or start > self.place:
            return found
        before = Place(start.at, "") if self.session.line != "v2" else Place(start.at - 1, "")
        for said in self.source.messages(before, lambda _: None):
            if said.place > self.place or self._is_reverted(said):
                break
            if said.place >= start:
                found += self._messages(said, {})
        return found

    def _stream(self, context: Sequence[Message]) -> Iterator[Message]:
        reading, count = self.reading, 0
        yield from context
        try:
            self.session = self.source.open()
            for said in self._finished():
                for message in self._messages(said, reading.skipped):
                    count += 1
                    reading.last_at = message.at or reading.last_at
                    yield message
                self.place = said.place
            reading.cursor = self._cursor(count)
        except CannotRead as problem:
            reading.skip(problem.reason)
        finally:
            self.source.close()

    def _cursor(self, count: int) -> Cursor:
        if self.place == START:
            return self.since
        context = min(self.prompts, default=self.place)
        mark = _Mark(line=self.session.line, id=self.place.id, count=self._alive(self.place), context=context.id)
        return Cursor(
            position=self.place.at, context=context.at, messages=self.since.messages + count,
            mark=msgspec.json.encode(mark).decode(),
        )

    def _finished(self) -> Iterator[Said]:
        """The messages to hand out: up to what is reverted, or still being written."""
        open_answer: list[Said] = []        # an unfinished answer and what follows it
        for said in self.source.messages(self.place, self.reading.skip):
            if self._is_reverted(said):
                self.reading.skip("taken_back")
                continue
            answer = _role(said) == "assistant"
            if answer and open_answer:
                yield from open_answer      # a later answer: the earlier one was abandoned
                open_answer = []
            if open_answer or (answer and not self._is_finished(said)):
                open_answer.append(said)
            else:
                yield said
        if open_answer:
            self.reading.skip("unfinished_answer")

    def _is_finished(self, said: Said) -> bool:
        time = said.data.time
        if (isinstance(time, dict) and time.get("completed")) or said.data.error:
            return True
        created = time.get("created") if isinstance(time, dict) else None
        elsewhere = self.session.newest_elsewhere
        return _is_time(created) and elsewhere is not None and elsewhere - created > ABANDONED_MILLIS

    def _is_reverted(self, said: Said) -> bool:
        revert = self.session.revert
        name = revert.get("messageID") if revert else None
        return isinstance(name, str) and said.place.id >= name

    def _messages(self, said: Said, skipped: dict[str, int]) -> Sequence[Message]:
        time = said.data.time
        at = time.get("created") if isinstance(time, dict) else None
        created = self.session.created
        if _is_time(at) and created is not None and at < created and self.source.said_before(at, created):
            skipped["copied"] = skipped.get("copied", 0) + 1
            return ()
        self.content.skipped = skipped
        found = self.content.messages(said, at)
        if found and found[0].voice is _PERSON:     # a message is one speaker's
            self.prompts.append(said.place)
        return found


def _is_time(value: object) -> TypeGuard[int]:
    """Whether this is a number that a database can hold as a time."""
    return isinstance(value, int) and 0 <= value < 2**63


def time_or_none(value: object) -> int | None:
    """A time from a row or a file, if it is one."""
    return value if _is_time(value) else None


def _decode(mark: str) -> _Mark | None:
    try:
        return msgspec.json.decode(mark, type=_Mark)
    except (ValueError, RecursionError):
        return None


def _role(said: Said) -> str:
    role = said.data.role or said.data.type
    return role if isinstance(role, str) else ""


_PERSON, _ASSISTANT, _TOOL = Voice.PERSON, Voice.ASSISTANT, Voice.TOOL  # looking up an enumeration's member calls a function
_NOT_TYPED = {"text": "injected_context", "compaction": "bookkeeping", "subtask": "agent_prompt"}


class _Content(decoding.Decoder):
    """A stored message to ours."""

    def messages(self, said: Said, at: object) -> Sequence[Message]:
        role = _role(said)
        data = said.data
        if data.role is not msgspec.UNSET:
            if data.summary is True or data.mode == "compaction":
                return self.no("compaction_summary")
            if role == "user":
                return self._prompt(said, at)
            return self._parts(said.parts, at) if role == "assistant" else self.no("unknown_record")
        if role == "user":
            return self._typed(said.place.id, [str(data.text or "")], at)
        if role == "assistant":
            return self._parts([(f"{said.place.id}#{index}", part) for index, part in enumerate(_parts(data.content))], at)
        return self.no({
            "synthetic": "injected_context", "system": "injected_context", "skill": "injected_context", "shell": "local_command",
            "compaction": "compaction_summary",
        }.get(role, "bookkeeping"))

    def _prompt(self, said: Said, at: object) -> Sequence[Message]:
        texts: list[str] = []
        name = said.place.id
        for part_name, part in said.parts:
            kind = part.type
            if kind == "text" and not part.synthetic and not part.ignored:
                name = name if texts else part_name
                texts.append(str(part.text or ""))
            else:
                self.skip(_NOT_TYPED.get(str(kind), "not_text"))
        return self._typed(name, texts, at)

    def _typed(self, name: str, texts: list[str], at: object) -> Sequence[Message]:
        typed = [words.peel(unquoted(text), self.skip) for text in texts]
        text = words.clean("\n".join(filter(None, typed)))
        if text and self.of_agent:
            return self.no("agent_prompt")
        return self.message(name, _PERSON, text, at)

    def _parts(self, parts: Sequence[tuple[str, Part]], at: object) -> Sequence[Message]:
        found: list[Message] = []
        for name, part in parts:
            kind, state = part.type, part.state
            if kind == "text" and not part.synthetic:
                found += self.message(name, _ASSISTANT, words.clean(str(part.text or "")).strip(), _start(part, at))
            elif kind == "tool" and state is not None:
                found += self._tool(name, str(part.tool or part.name or ""), state, at)
            elif kind == "reasoning":
                self.skip("thinking")
            else:
                self.skip("bookkeeping")
        return found

    def _tool(self, name: str, tool: str, state: State, at: object) -> Sequence[Message]:
        failed = state.status == "error"
        if state.status not in ("completed", "error"):
            return self.no("unfinished_call")
        content = state.output or "\n".join(decoding.texts(state.content))
        if failed and not content:
            content = state.error.get("message") if isinstance(state.error, dict) else state.error
        text = words.output(words.peel(content, self.skip)) if isinstance(content, str) else ""
        given = decoding.beginning(state.input)
        return self.message(name, _TOOL, text, _start(state, at), tool=tool, failed=failed, given=given)


def _parts(content: msgspec.Raw) -> list[Part]:
    """The parts in a message of V2; none where it has something else."""
    try:
        found = [decoding.record(PARTS, Part, part) for part in _CONTENT.decode(content)]
    except (ValueError, RecursionError):
        return []
    return [part for part in found if part is not None]


def _start(part: Part | State, at: object) -> object:
    time = part.time
    return time.get("start", at) if isinstance(time, dict) else at


def unquoted(text: str) -> str:
    """A prompt as typed: ``opencode run`` puts one of several words into quotation marks and escapes those inside (§4.6)."""
    whole = text.strip()
    inner = whole[1:-1]
    if len(whole) < 2 or whole[0] != '"' or whole[-1] != '"' or not any(character.isspace() for character in inner):
        return text
    at = inner.find('"')
    while at >= 0:
        if at == 0 or inner[at - 1] != "\\":
            return text
        at = inner.find('"', at + 1)
    return inner.replace('\\"', '"')
