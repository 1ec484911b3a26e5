"""What a person took back in a transcript that is a list: the last prompts, or everything, and all that came of them."""

from __future__ import annotations

from typing import Any

import msgspec

from reverie.hosts import jsonl
from reverie.hosts.jsonl import Where, Withdrawn


class Survey:
    """Keeps the positions of the prompts that still count; a host says which records begin, end or withdraw what."""

    whole, lost = True, False
    record: type[msgspec.Struct] = msgspec.Struct       # the part of a line that tells

    def __init__(self, cut: int) -> None:
        self.records: msgspec.json.Decoder[Any] = msgspec.json.Decoder(self.record)
        self._alive: list[int] = []         # prompts that an undo can reach
        self._beyond = 0                    # how many of the alive ones it cannot reach
        self._gone: list[tuple[int, int]] = []
        self._taken_at: dict[int, int] = {}
        self._cut = cut
        self._copied_to = -1

    def again(self, _line: bytes) -> None:
        """A broken line takes nothing back."""

    def look(self, block: bytes, where: Where) -> None:
        """A block."""
        records = jsonl.in_block(self, block, where.starts)
        for where.index, record in enumerate(records):
            if record is not None:
                self.see(record, where)

    def see(self, record: Any, where: Where) -> None:
        """A record: a host's survey says what it means."""
        raise NotImplementedError

    def prompt(self, position: int) -> None:
        """A person begins a turn here."""
        self._alive.append(position)

    def undo(self, count: int, position: int) -> None:
        """The last ``count`` turns are taken back here, as far as they can be reached."""
        count = min(count, len(self._alive) - self._beyond)
        if count > 0:
            self._take(self._alive[-count], position, self._alive[-count:])
            del self._alive[-count:]

    def undo_all(self, position: int) -> None:
        """Everything is taken back here."""
        self._take(0, position, self._alive)
        self._alive, self._beyond = [], 0

    def barrier(self) -> None:
        """What came before can no longer be taken back one by one."""
        self._beyond = len(self._alive)

    def copied(self, position: int) -> None:
        """What came before belongs to another transcript."""
        self._copied_to = position

    def _take(self, start: int, end: int, prompts: list[int]) -> None:
        self._gone.append((start, end))
        for prompt in prompts:
            self._taken_at[prompt] = end

    def result(self) -> Withdrawn:
        """What was undone or copied."""
        late = sum(1 for prompt, taken in self._taken_at.items() if self._copied_to <= prompt < self._cut <= taken)
        ranges: list[tuple[int, int, str]] = [(0, self._copied_to, "copied")] if self._copied_to > 0 else []
        reached = max(0, self._copied_to)
        for start, end in sorted(self._gone):
            if end > reached:
                ranges.append((max(start, reached), end, "taken_back"))
                reached = end
        return Withdrawn(ranges, late)
