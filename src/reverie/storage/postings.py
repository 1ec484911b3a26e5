"""Words to memories: how the search index packs which memory of a label holds a term, where, and how often.

A posting is one unsigned 32-bit number: the memory's place in its segment (10 bits), its length on a logarithmic scale
(8 bits), the counts by field (``recall.pack``, 13 bits). A segment holds the postings of 1,024 neighbouring keys, so a
question about a rare word reads a few bytes and a changed file rewrites a few kilobytes, however large the store.
"""

from __future__ import annotations

from array import array
from json import dumps
from math import log2

from reverie.core import recall, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

    from reverie.core.memory import Memory

PLACE_BITS = 10
SEGMENT = 1 << PLACE_BITS
PACKED_BITS = 13
_LENGTH_BITS = 8
PLACE_SHIFT = PACKED_BITS + _LENGTH_BITS
REST_MASK = (1 << PLACE_SHIFT) - 1     # length and fields: what a posting says beside whose it is
_PACKED_MASK = (1 << PACKED_BITS) - 1
ENTRY_BYTES = array("I").itemsize       # 4 wherever CPython runs today; another size only makes another file


def entry(key: int, length: int, packed: int) -> int:
    """The posting of one memory."""
    size = min(round(8 * log2(1 + length)), 255)
    return (key & SEGMENT - 1) << PLACE_SHIFT | size << PACKED_BITS | packed


def place_of(posting: int) -> int:
    return posting >> PLACE_SHIFT


def length_of(rest: int) -> float:
    """The memory's length in words, as exactly as a posting knows it."""
    return float(2 ** ((rest >> PACKED_BITS) / 8) - 1)


def packed_of(rest: int) -> int:
    return rest & _PACKED_MASK


def analyse(memory: Memory) -> tuple[int, dict[str, int]]:
    """A memory's length in words, and its terms with their packed counts."""
    counts: dict[str, dict[str, int]] = {}
    length = 0
    for field in recall.FIELDS:
        value = getattr(memory, field)
        for term in text.tokens(value if isinstance(value, str) else "\n".join(value)):
            length += not term.startswith(text.MEANING)
            by_field = counts.setdefault(term, {})
            by_field[field] = by_field.get(field, 0) + 1
    return length, {term: recall.pack(by_field.items()) for term, by_field in counts.items()}


def shown(memory: Memory) -> str:
    """What a candidate shows of a memory without its file being read: the last arguments of ``Candidate``, as JSON."""
    said, changed = memory.source.said_at, memory.modified_at
    return dumps([
        memory.id, memory.name, memory.description, memory.type, memory.body, memory.why, memory.how_to_apply,
        memory.scope, memory.project, list(memory.keywords), str(memory.source.by),
        said.timestamp() if said else 0.0, changed.timestamp() if changed else 0.0, memory.confirmed,
        memory.valid_until.isoformat() if memory.valid_until else "", memory.source.agent,
    ])


class Row:
    """One memory, analysed: what the tables need, made before anyone is made to wait for a lock."""

    __slots__ = ("label", "length", "shown", "terms")

    def __init__(self, label: str, memory: Memory) -> None:
        self.label = label
        self.length, self.terms = analyse(memory)
        self.shown = shown(memory)


class Writer:
    """The changes of one transaction. Postings are gathered and written once each, at ``flush``."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._added: dict[tuple[int, str, int], list[int]] = {}
        self._gone: dict[tuple[int, str, int], set[int]] = {}
        self._labels: dict[str, int] = {}
        self._counts: dict[int, list[int]] = {}         # label -> [memories, words] to add

    def add(self, source: int, path: str, row: Row) -> None:
        """Store one memory of a file."""
        number = self._label(row.label)
        terms = "\n".join([f"{term}\n{packed}" for term, packed in row.terms.items()])
        key = self._connection.execute(
            "insert into memory (source, path, label, length, terms, shown) values (?, ?, ?, ?, ?, ?)",
            (source, path, number, row.length, terms, row.shown)).lastrowid
        assert key is not None
        segment = key >> PLACE_BITS
        for term, packed in row.terms.items():
            self._added.setdefault((number, term, segment), []).append(entry(key, row.length, packed))
        self._count(number, 1, row.length)

    def remove(self, source: int, path: str) -> None:
        """Take out every memory of a file."""
        rows = self._connection.execute(
            "select key, label, length, terms from memory where source = ? and path = ?", (source, path)).fetchall()
        for key, label, length, terms in rows:
            segment, place = key >> PLACE_BITS, key & SEGMENT - 1
            for term in terms.split("\n")[::2] if terms else ():
                self._gone.setdefault((label, term, segment), set()).add(place)
            self._count(label, -1, -length)
        if rows:
            self._connection.execute("delete from memory where source = ? and path = ?", (source, path))

    def flush(self) -> None:
        """Write the postings and the labels' counts."""
        for where in sorted(self._gone.keys() | self._added.keys()):    # in the table's order: a build is twice as fast
            row = self._connection.execute(
                "select entries from posting where label = ? and term = ? and segment = ?", where).fetchone()
            entries = array("I", row[0] if row else b"")
            gone = self._gone.get(where)
            if gone:
                entries = array("I", [posting for posting in entries if place_of(posting) not in gone])
            entries.extend(self._added.get(where, ()))
            if entries:
                self._connection.execute(
                    "insert or replace into posting (label, term, segment, entries) values (?, ?, ?, ?)",
                    (*where, entries.tobytes()))
            elif row:
                self._connection.execute("delete from posting where label = ? and term = ? and segment = ?", where)
        for label, (memories, words) in self._counts.items():
            self._connection.execute(
                "update label set memories = memories + ?, words = words + ? where id = ?", (memories, words, label))
        self._added, self._gone, self._counts = {}, {}, {}

    def _count(self, label: int, memories: int, words: int) -> None:
        counts = self._counts.setdefault(label, [0, 0])
        counts[0] += memories
        counts[1] += words

    def _label(self, name: str) -> int:
        number = self._labels.get(name)
        if number is None:
            self._connection.execute("insert or ignore into label (name) values (?)", (name,))
            number = int(self._connection.execute("select id from label where name = ?", (name,)).fetchone()[0])
            self._labels[name] = number
        return number


def counts_of(terms: str, wanted: Iterable[str]) -> dict[str, int]:
    """The packed counts of the wanted terms in a row's `terms`."""
    parts = terms.split("\n")
    held = dict(zip(parts[::2], parts[1::2], strict=False))
    return {term: int(held[term]) for term in wanted if term in held}
