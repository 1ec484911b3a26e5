"""The mechanical de-duplication of Qwen Code's dream, as the study lists it (Qwen Code §6).

1. Within a topic file, entries with the same summary, letter case aside, are one; reasons and applications fill gaps.
2. A file's entries stand in the order of their summaries.
3. Across files, what has the same type and summary goes into the file that comes first; the other one is deleted.

A summary is what an entry says without its reason and application. It compares whole texts: what is said in other words
stays. ``pinned/`` is the user's and is not looked at (spec/qwen-code §11.3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from reverie.core.dream import Act, Consolidation, Step
from reverie.core.index import path_of
from reverie.core.layout import Change
from reverie.core.memory import Memory

PINNED = "pinned/"


@dataclass(frozen=True, slots=True)
class Mechanical:
    """The study's consolidator. It knows no dates, no contradictions, and no other words for the same thing."""

    name: str = "mechanical"

    def consolidate(self, memories: Sequence[Memory], *, now: datetime) -> Consolidation:
        files: dict[str, list[_Entry]] = {}
        for memory in memories:
            if not memory.id.startswith(PINNED):
                files.setdefault(path_of(memory.id), []).append(_Entry(memory))
        found: dict[tuple[str, str], _Entry] = {}
        for path in sorted(files):
            for entry in sorted(files[path], key=lambda entry: entry.place):
                first = found.setdefault((entry.memory.type, entry.summary), entry)
                if first is not entry:
                    first.take(entry)
        changes = [_settled(path, entries) for path, entries in sorted(files.items())]
        return Consolidation(
            change=Change(
                put=[memory for change, _ in changes for memory in change.put],
                remove=[id for change, _ in changes for id in change.remove],
            ),
            steps=tuple(step for _, steps in changes for step in steps),
        )


def summary(memory: Memory) -> str:
    """What two entries are compared by: ``summary.toLowerCase()``."""
    return (memory.body or memory.description or memory.name).strip().lower()


class _Entry:
    """One entry on its way: what it will say, and what went into it."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.old = memory
        self.summary = summary(memory)
        self.into: _Entry | None = None
        self.took: list[_Entry] = []
        number = memory.id[len(path_of(memory.id)) + 1 :]
        self.place = int(number) if number else 0

    def take(self, other: _Entry) -> None:
        """Let another entry's reason and application fill what this one lacks."""
        other.into = self
        self.took.append(other)
        mine, theirs = self.memory, other.old
        newer = max((at for at in (mine.modified_at, theirs.modified_at) if at), default=None)
        self.memory = replace(
            mine, why=mine.why or theirs.why, how_to_apply=mine.how_to_apply or theirs.how_to_apply, modified_at=newer
        )

    @property
    def order(self) -> tuple[str, str]:
        return self.summary, self.old.body


def _settled(path: str, entries: Sequence[_Entry]) -> tuple[Change, list[Step]]:
    """One file: its entries that stay, in order, on the places that are left."""
    staying = [entry for entry in entries if entry.into is None]
    places = sorted(staying, key=lambda entry: entry.place)
    order = sorted(places, key=lambda entry: entry.order)
    put: list[Memory] = []
    steps: list[Step] = []
    for number, (place, entry) in enumerate(zip(places, order, strict=True)):
        if (entry is not place or entry.took) and _differs(entry.memory, place.old):
            put.append(replace(entry.memory, id=place.old.id))
        now = path if len(order) == 1 else f"{path}:{number}"
        steps += [_merged(entry, other, now) for other in entry.took]
    if order != places:
        steps.append(Step(act=Act.SORTED, memory=path, name=path, why="entries in the order of their summaries"))
    return Change(put=put, remove=[entry.old.id for entry in entries if entry.into]), steps


def _differs(memory: Memory, other: Memory) -> bool:
    return replace(memory, id="", modified_at=None) != replace(other, id="", modified_at=None)


def _merged(entry: _Entry, other: _Entry, now: str) -> Step:
    where = "its file" if path_of(other.old.id) == path_of(entry.old.id) else "two files"
    return Step(
        act=Act.MERGED, memory=now, gone=other.old.id, name=entry.memory.name, why=f"the same summary, in {where}",
        before=other.old.body,
    )
