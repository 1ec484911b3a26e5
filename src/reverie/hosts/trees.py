"""What the decoders of Claude Code and Qwen Code share: records of a tree, each once, and the survey of what a rewind left."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any, Protocol

import msgspec

from reverie.core.session import Message, Transcript, Voice
from reverie.hosts import decoding, disk, jsonl
from reverie.hosts.branches import Branches
from reverie.hosts.jsonl import Where, Withdrawn

KNOWN_RECORDS = 8_192       # ids remembered, at least: what a compaction attaches again is recent
STATE_RECORDS = 16          # of them kept between readings
_ID_CHARACTERS = 64         # of an id in a cursor: the clients' have 36


class Record(Protocol):
    """The part of a record that a message takes."""

    @property
    def uuid(self) -> str | None: ...
    @property
    def timestamp(self) -> str | None: ...


class Decoder(decoding.Decoder):
    """A decoder of records with ids."""

    def __init__(self, transcript: Transcript, skipped: dict[str, int]) -> None:
        super().__init__(transcript, skipped)
        self._known: set[str] = set()
        self._older: set[str] = set()
        self._last: deque[str] = deque(maxlen=STATE_RECORDS)

    def is_new(self, uuid: str | None) -> bool:
        """Whether this record was not there before: some are written again after a compaction or a crash."""
        if uuid is None:
            return True
        if uuid in self._known or uuid in self._older:
            return False
        self._known.add(uuid)
        self._last.append(uuid)
        if len(self._known) > KNOWN_RECORDS:
            self._known, self._older = set(), self._known
        return True

    def say(
        self, record: Record, voice: Voice, text: str, where: Where, *, nth: int = 0, tool: str = "", failed: bool = False,
        given: bytes = b"",
    ) -> Sequence[Message]:
        """A message under its record's id; a record's second message gets a number."""
        if not text and not failed:
            return ()
        name = record.uuid or f"@{where.position}"
        if nth:
            name = f"{name}#{nth}"
        at = disk.at_text(record.timestamp)
        return (Message(id=name, voice=voice, text=text, at=at, tool=tool, failed=failed, given=given),)

    def state(self) -> dict[str, Any]:
        return {**super().state(), "known": [uuid[:_ID_CHARACTERS] for uuid in self._last]}

    def resume(self, state: dict[str, Any]) -> None:
        super().resume(state)
        known = state.get("known")
        if isinstance(known, list):
            self._last = deque(map(str, known), maxlen=STATE_RECORDS)
            self._known.update(self._last)


class Link(Protocol):
    """The part of a record that says where it belongs."""

    @property
    def type(self) -> str: ...
    @property
    def uuid(self) -> str | None: ...
    @property
    def parent_uuid(self) -> str | msgspec.UnsetType | None: ...
    @property
    def counts(self) -> bool:
        """Whether it is a record of the conversation's tree at all."""
        ...
    @property
    def prompt(self) -> bool:
        """Whether a person begins a turn with it."""
        ...
    @property
    def leaf(self) -> bool:
        """Whether the conversation may end with it."""
        ...
    @property
    def root(self) -> bool:
        """Whether it stands at the start of everything when its parent is null, as prompts do. A record that does not speak of
        a parent at all simply comes after the one before it."""
        ...


class _Survey:
    """Goes through a transcript by the links of its records."""

    def __init__(self, link: type[msgspec.Struct], cut: int) -> None:
        self.records: msgspec.json.Decoder[Any] = msgspec.json.Decoder(link)
        self.cut = cut
        self.lost = False

    def again(self, _line: bytes) -> None:
        """A broken line belongs nowhere."""


class Chain(_Survey):
    """The quick survey: whether every turn begins where the one before it ended. Then nothing was taken back, and most
    transcripts need no other survey; otherwise it is ``lost``."""

    whole = False

    def __init__(self, link: type[msgspec.Struct], cut: int) -> None:
        super().__init__(link, cut)
        self._turn: set[str] = set()        # records since the last prompt, it included
        self._before: set[str] = set()      # the same, of a turn of very many records
        self._started = False

    def look(self, block: bytes, where: Where) -> None:
        """A block."""
        for link in jsonl.in_block(self, block, where.starts):
            if link is None:
                continue
            uuid = link.uuid
            if uuid is not None and link.type != "user" and link.parent_uuid in self._turn:
                self._turn.add(uuid)        # the usual case, cheaply
            elif uuid is not None and link.counts:
                self._see(uuid, link)
        if len(self._turn) > KNOWN_RECORDS:
            self._turn, self._before = set(), self._turn

    def _see(self, uuid: str, link: Link) -> None:
        parent = link.parent_uuid
        if parent is None:
            self.lost = self.lost or (self._started and (link.prompt or link.root))
        elif parent is not msgspec.UNSET and parent not in self._turn and parent not in self._before and self._started:
            self.lost = True
        self._started = True
        if link.prompt:
            self._turn, self._before = set(), set()
        self._turn.add(uuid)

    def result(self) -> Withdrawn:
        """Nothing was taken back."""
        return Withdrawn()


class Tree(_Survey):
    """The whole survey, of a tree that is one."""

    whole = True

    def __init__(self, link: type[msgspec.Struct], cut: int) -> None:
        super().__init__(link, cut)
        self.branches = Branches()

    def look(self, block: bytes, where: Where) -> None:
        """A block."""
        records = jsonl.in_block(self, block, where.starts)
        for where.index, link in enumerate(records):
            if 0 <= self.cut <= where.position:
                self.branches.cut()
                self.cut = -1
            if link is None or link.uuid is None or not link.counts:
                continue
            prompt, parent = link.prompt, link.parent_uuid
            self.branches.add(
                link.uuid, parent if isinstance(parent, str) else None, where.position, prompt=prompt, leaf=link.leaf,
                root=parent is None and (prompt or link.root),
            )

    def result(self) -> Withdrawn:
        """The dead branches."""
        dead = [(start, end, "taken_back") for start, end in self.branches.dead()]
        return Withdrawn(dead, self.branches.late(), self.branches.returned())
