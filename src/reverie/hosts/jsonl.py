"""Reading JSON Lines transcripts: in big blocks, with flat memory, from where an earlier reading stopped.

One engine for four hosts. A host brings a ``Decoder`` (records to messages, a small state machine) and, where its users can take
back what they said, a ``Survey`` that finds what no longer counts before the first message is handed out. Both name the
parts of a line that they read; a whole block of lines is decoded in one call, and the rest of each line is never made an
object. Only a block with a bad line is gone through line by line.

What holds, and is tested over random splits of growing files (``tests/hosts/test_jsonl.py``):

- The fresh messages of consecutive readings are the messages of one reading of the whole file, in order, each once.
- A last line without its end is left for the next reading, unless it is a whole object: a file may simply end there.
- A line longer than ``LINE_BYTES`` is passed over without being held. 32 MB is the largest request that any of the hosts'
  model services takes, and a line holds one message of one: what is longer was never said.
- A file that was cut short or exchanged is read again from its start, and the reading says so.

The cursor's mark holds what is needed for that: hashes of the file's first bytes and of the bytes before the position, and
the decoder's state (names of open tool calls and the like), about a kilobyte.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, BinaryIO, NamedTuple, Protocol

import msgspec

from reverie.core.session import Cursor, Message, Reading, Transcript, Voice
from reverie.hosts import disk
from reverie.hosts.disk import CannotRead

CHUNK_BYTES = 1 << 18           # fits the caches of a small processor; larger ones were slower
LINE_BYTES = 32 << 20
HEAD_MARK_BYTES = 1024          # a transcript's first line names its session, and is longer or followed by one that is
TAIL_MARK_BYTES = 256
WORD_BYTES = 64
CONTEXT_PROMPTS = 3             # "yes, exactly like that" refers to the answer before it, seldom to more
CONTEXT_BYTES = 4 << 20         # and is not worth reading more than this again

Ranges = Sequence[tuple[int, int, str]]     # positions from, to (exclusive, -1: open), and why they do not count
Open = Callable[[str], BinaryIO]


class Where:
    """Where in a transcript the record at hand stands."""

    __slots__ = ("_block", "_start", "index", "starts")

    def __init__(self) -> None:
        self.enter(b"", 0, [0])

    def enter(self, block: bytes, start: int, starts: list[int]) -> None:
        """The records of a block come next: where it starts, and each of its lines in it."""
        self._block, self._start, self.starts = block, start, starts
        self.index = 0          # of the record in the block, set by whoever goes through it

    @property
    def position(self) -> int:
        """The position of the record's line in the file."""
        return self._start + self.starts[self.index]

    @property
    def line(self) -> bytes:
        """The line itself."""
        after = self.starts[self.index + 1:self.index + 2]
        return self._block[self.starts[self.index]:after[0] if after else None]


class Lines(Protocol):
    """Whatever goes through the lines of a transcript, as records of one type."""

    @property
    def records(self) -> msgspec.json.Decoder[Any]:
        """Decodes a line, or a block of them."""
        ...

    def again(self, line: bytes) -> Any:
        """The record in a line that was problem, or None."""
        ...


class Decoder(Lines, Protocol):
    """One host's records, in order, to messages. What it passes over it counts in ``skipped``."""

    skipped: dict[str, int]
    cwd: str
    branch: str

    def take(self, record: Any, where: Where) -> Sequence[Message]:
        """The messages in a record. Raises nothing: what cannot be understood is skipped by name."""
        ...

    def state(self) -> dict[str, Any]:
        """What a later reading must know: small, and made of JSON's values."""
        ...

    def resume(self, state: dict[str, Any]) -> None:
        """Go on with what ``state`` gave; it was checked for nothing but being an object."""
        ...


class Withdrawn(NamedTuple):
    """What a survey found: what does not count, in order; how many prompts that were handed out earlier were taken back since;
    and whether something counts again that had been taken back then, and was never handed out."""

    ranges: Ranges = ()
    late: int = 0
    returned: bool = False


class Survey(Protocol):
    """Looks through a transcript for what a person took back. It is made with where an earlier reading ended, or -1."""

    @property
    def whole(self) -> bool:
        """Whether it must be told everything from the start of the file."""
        ...

    @property
    def lost(self) -> bool:
        """Whether it cannot tell any more; then the next one is asked."""
        ...

    def look(self, block: bytes, where: Where) -> None:
        """A block, which ``where`` has entered."""
        ...

    def result(self) -> Withdrawn:
        """What it found."""
        ...


class Format(Protocol):
    """What the engine must know about a host's files."""

    def decoder(self, transcript: Transcript, skipped: dict[str, int]) -> Decoder:
        """A decoder at the start of a transcript."""
        ...

    def surveys(self, transcript: Transcript) -> Sequence[Callable[[int], Survey]]:
        """What finds out what was taken back: the cheapest first, the last one is never lost; none when nothing can be."""
        ...

    def withdrawals(self, transcript: Transcript) -> Callable[[bytes], bool] | None:
        """Tells, at the speed of memory, whether something may be taken back in a piece of the file, by words of at most
        ``WORD_BYTES``; a file without them needs no survey. None: any line may do it."""
        ...


class Blocks:
    """A file from ``start`` on, in blocks of whole lines, with the position of each.

    After the last one ``end`` is where the next reading goes on. ``stop`` is a position not to read beyond, so that two
    passes over a growing file see the same.
    """

    def __init__(self, handle: BinaryIO, start: int, skip: Callable[[str], None], stop: int = -1) -> None:
        self.handle, self.end, self.skip, self.stop = handle, start, skip, stop
        self.read = start               # position after the last byte read

    def __iter__(self) -> Iterator[tuple[bytes, int]]:
        begun: list[bytes] = []         # the pieces of a line that goes on in the next chunk
        held = 0                        # their length; more than LINE_BYTES when they were let go
        seek(self.handle, self.end)
        while chunk := self._chunk():
            self.read += len(chunk)
            cut = chunk.rfind(b"\n") + 1
            if cut:
                first = chunk.find(b"\n") + 1 if held else 0
                if held + first - 1 > LINE_BYTES:
                    self.skip("line_too_long")
                    self.end += held + first
                    block = chunk[first:cut]
                else:
                    block = b"".join([*begun, chunk[:cut]]) if held else chunk[:cut]
                if block:
                    yield block, self.end
                self.end = self.read - len(chunk) + cut
                begun, held = [], 0
            rest = chunk[cut:]
            held += len(rest)
            begun = [*begun, rest] if held <= LINE_BYTES else []
        if held > LINE_BYTES:
            self.skip("line_too_long")
        elif held:
            yield from self._last(b"".join(begun))

    def _chunk(self) -> bytes:
        size = CHUNK_BYTES if self.stop < 0 else min(CHUNK_BYTES, self.stop - self.read)
        return disk.read_fully(self.handle, size) if size > 0 else b""

    def _last(self, line: bytes) -> Iterator[tuple[bytes, int]]:
        if is_whole(line):
            yield line, self.end
            self.end += len(line)
        elif line.strip():
            self.skip("unfinished_line")


_WHOLE = msgspec.json.Decoder(dict[str, msgspec.Raw])


def is_whole(line: bytes) -> bool:
    """Whether a line without its end is a whole JSON object; nothing that could follow it on the line would be valid."""
    if not line.rstrip().endswith(b"}"):
        return False
    with contextlib.suppress(ValueError, RecursionError):
        _WHOLE.decode(line)
        return True
    return False


def line_starts(block: bytes) -> list[int]:
    """Where each line of a block begins. (A loop over ``find`` is three times as fast as ``count`` of a single byte.)"""
    starts, at, find = [0], 0, block.find
    while at := find(b"\n", at) + 1:
        starts.append(at)
    if starts[-1] == len(block):
        starts.pop()
    return starts


def in_block(lines: Lines, block: bytes, starts: Sequence[int]) -> list[Any]:
    """The records of a block's lines, None for those that have none: one for each line, so that they keep their places."""
    with contextlib.suppress(ValueError, RecursionError):
        found = lines.records.decode_lines(block)
        if len(found) == len(starts):
            return found
    records: list[Any] = []
    for start, end in zip(starts, [*starts[1:], len(block)], strict=True):
        line = block[start:end]
        try:
            records.append(lines.records.decode(line))
        except (ValueError, RecursionError):
            records.append(lines.again(line))
    return records


def seek(handle: BinaryIO, position: int) -> None:
    """Go to a position; in a stream that only goes forward, by reading. Raises ``CannotRead``."""
    try:
        if handle.seekable():
            handle.seek(position)
            return
    except (OSError, ValueError) as error:
        raise disk.cannot_read(error) from error
    while position > 0 and (piece := disk.read_fully(handle, min(position, CHUNK_BYTES))):
        position -= len(piece)


class _Mark(msgspec.Struct, omit_defaults=True):
    """What a cursor's mark holds."""

    head: str = ""              # hash of the first bytes, as many as ``size`` says
    size: int = 0
    tail: str = ""              # hash of the bytes before the position
    state: dict[str, Any] = {}

    @staticmethod
    def read(mark: str) -> _Mark | None:
        try:
            return msgspec.json.decode(mark, type=_Mark)
        except (ValueError, RecursionError):
            return None


def _hash(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def _bytes_at(path: str, opened: Open, start: int, end: int) -> bytes:
    with opened(path) as handle:
        seek(handle, start)
        return disk.read_fully(handle, end - start)


def _fits(path: str, opened: Open, since: Cursor, mark: _Mark) -> bool:
    """Whether the file is still the one in which an earlier reading stopped."""
    if not 0 <= since.context <= since.position or not 0 <= mark.size <= HEAD_MARK_BYTES:
        return False
    beginning = _bytes_at(path, opened, 0, mark.size)
    if len(beginning) != mark.size or _hash(beginning) != mark.head:
        return False
    before = _bytes_at(path, opened, max(0, since.position - TAIL_MARK_BYTES), since.position)
    return len(before) == min(since.position, TAIL_MARK_BYTES) and _hash(before) == mark.tail


def _make_mark(path: str, opened: Open, position: int, state: dict[str, Any]) -> str:
    beginning = _bytes_at(path, opened, 0, min(position, HEAD_MARK_BYTES))
    before = _bytes_at(path, opened, max(0, position - TAIL_MARK_BYTES), position)
    mark = _Mark(head=_hash(beginning), size=len(beginning), tail=_hash(before), state=state)
    return msgspec.json.encode(mark).decode()


def _nothing(_reason: str) -> None:
    """Counts nowhere: the lines are read a second time."""


def read(form: Format, transcript: Transcript, since: Cursor | None, opened: Open = disk.open_plain) -> Reading:
    """Read a transcript. The file's fingerprint, what was taken back and the context are looked at before this returns;
    everything else streams."""
    reading = Reading(
        transcript=transcript, messages=iter(()), cursor=since or Cursor(), cwd=transcript.cwd, branch=transcript.branch
    )
    try:
        _Run(form, reading, opened).prepare(since)
    except CannotRead as problem:
        reading.messages = iter(())
        reading.skip(problem.reason)
    return reading


class _Run:
    """One reading on its way."""

    def __init__(self, form: Format, reading: Reading, opened: Open) -> None:
        self.form, self.reading, self.opened = form, reading, opened
        self.path = reading.transcript.path
        self.decoder = form.decoder(reading.transcript, reading.skipped)
        self.start = 0
        self.stop = -1
        self.handed_out = 0
        self.withdrawn: Ranges = ()
        self.prompts: deque[int] = deque(maxlen=CONTEXT_PROMPTS)    # positions of the last ones
        self.answer = -1                                            # position of the last one
        self.identity = self._identity()

    def _identity(self) -> tuple[int, int]:
        found = disk.look(self.path)
        return found.st_dev, found.st_ino

    def prepare(self, since: Cursor | None) -> None:
        """Everything before the first fresh message."""
        if since == Cursor():
            since = None
        mark = _Mark.read(since.mark) if since is not None else None
        if since is not None and (mark is None or not _fits(self.path, self.opened, since, mark)):
            self.reading.restarted = True
            since = mark = None
        if since is not None:
            self.start, self.handed_out = since.position, since.messages
        self._look_for_withdrawals(since.context if since is not None else 0)
        context: list[Message] = []
        if since is not None and mark is not None and not self.reading.restarted:
            context = self._context(since.context, since.position)
            self.decoder.resume(mark.state)
        self.reading.fresh_from = len(context)
        self.reading.messages = self._stream(context)

    def _look_for_withdrawals(self, first: int) -> None:
        """Find what was taken back, if anything can have been. Sets ``stop``: what is written from now on is not looked at."""
        is_in = self.form.withdrawals(self.reading.transcript)
        if is_in is not None:
            with self.opened(self.path) as handle:
                self.stop, found = _find(handle, is_in, first)
            if not found:
                return None
        for make in self.form.surveys(self.reading.transcript):
            survey = make(self.start if self.start > 0 else -1)
            self._survey(survey, 0 if survey.whole else first)
            if not survey.lost:
                return self._withdraw(survey.result())
        return None

    def _withdraw(self, found: Withdrawn) -> None:
        self.withdrawn = found.ranges
        if found.late:
            self.reading.skip("taken_back_late", found.late)
        if found.returned:
            self.start, self.handed_out, self.reading.restarted = 0, 0, True

    def _survey(self, survey: Survey, first: int) -> None:
        where = Where()
        with self.opened(self.path) as handle:
            blocks = Blocks(handle, first, _nothing, self.stop)
            for block, position in blocks:
                where.enter(block, position, line_starts(block))
                survey.look(block, where)
                if survey.lost:
                    return
            self.stop = blocks.read

    def _context(self, start: int, end: int) -> list[Message]:
        """The messages before the position, from the context on: read again, and counted nowhere."""
        counted, self.decoder.skipped = self.decoder.skipped, {}
        with self.opened(self.path) as handle:
            found = list(self._messages(Blocks(handle, start, _nothing, end)))
        self.decoder.skipped = counted
        return found

    def _messages(self, blocks: Blocks) -> Iterator[Message]:
        decoder, where = self.decoder, Where()
        take, withdrawn, is_any = decoder.take, _Ranges(self.withdrawn), bool(self.withdrawn)
        assistant, person = Voice.ASSISTANT, Voice.PERSON       # looking up an enumeration's member calls a function
        for block, start in blocks:
            starts = line_starts(block)
            where.enter(block, start, starts)
            for where.index, record in enumerate(in_block(decoder, block, starts)):
                messages = take(record, where) if record is not None else ()
                if not messages:
                    continue
                if is_any and (why := withdrawn.at(where.position)):
                    decoder.skipped[why] = decoder.skipped.get(why, 0) + len(messages)
                    continue
                voice = messages[-1].voice
                if voice is assistant:
                    self.answer = start + starts[where.index]
                elif voice is person:
                    self.prompts.append(start + starts[where.index])
                yield from messages

    def _stream(self, context: list[Message]) -> Iterator[Message]:
        reading, count, message = self.reading, 0, None
        yield from context
        try:
            if self._identity() != self.identity:
                raise CannotRead("file_changed", f"{self.path!r} was exchanged while it was read")
            with self.opened(self.path) as handle:
                blocks = Blocks(handle, self.start, reading.skip, self.stop)
                for message in self._messages(blocks):
                    count += 1
                    if message.at is not None:
                        reading.last_at = message.at
                    yield message
            reading.cwd = reading.cwd or self.decoder.cwd
            reading.branch = self.decoder.branch or reading.branch
            reading.cursor = Cursor(
                position=blocks.end, context=self._context_position(blocks.end), messages=self.handed_out + count,
                mark=_make_mark(self.path, self.opened, blocks.end, self.decoder.state()),
            )
        except CannotRead as problem:
            reading.skip(problem.reason)

    def _context_position(self, end: int) -> int:
        """From where the last exchanges can be read again; a very long one is entered at its last answer."""
        places = [place for place in (*self.prompts, self.answer) if place >= 0 and end - place <= CONTEXT_BYTES]
        return min(places, default=end)


class _Ranges:
    """The ranges that do not count, asked in order of position."""

    def __init__(self, ranges: Ranges) -> None:
        self._ranges = list(reversed(ranges))

    def at(self, position: int) -> str:
        """Why a position does not count, or ""."""
        while self._ranges and 0 <= self._ranges[-1][1] <= position:
            self._ranges.pop()
        if self._ranges and self._ranges[-1][0] <= position:
            return self._ranges[-1][2]
        return ""


def _find(handle: BinaryIO, is_in: Callable[[bytes], bool], start: int) -> tuple[int, bool]:
    """Where the file ends, and whether the words are found after ``start``."""
    seek(handle, start)
    end, tail, found = start, b"", False
    while chunk := disk.read_fully(handle, CHUNK_BYTES):
        end += len(chunk)
        found = found or is_in(chunk) or is_in(tail + chunk[:WORD_BYTES])
        tail = chunk[-WORD_BYTES:]
    return end, found
