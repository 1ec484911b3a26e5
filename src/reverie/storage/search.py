"""The search index: which memories might answer a prompt, in a millisecond, over thousands of Markdown files.

It is derived from the files and never more than that: deleted or damaged, it is built again from nothing; where it
cannot be written, it lives in memory. ``refresh`` compares each folder with what was read last (``watch``) and reads
only what changed; ``find`` collects the candidates for ``reverie.core.recall.choose``. Labels keep projects apart:
postings are stored by label, so another project's memories are not filtered out, they are never touched, and not even
their word counts are lent.

SQLite with our own postings rather than FTS5: BM25 with the parameters that short texts need, statistics by label, the
fields in which a word was found (for "why this one?"), and a Python without FTS5 will do. Many processes may use one
index: readers do not wait (WAL), writers take turns and give up before a person notices.

This is on the path a user waits for: standard library only.
"""

# pathlib costs a hook 16 ms:
# ruff: noqa: PTH100, PTH108, PTH110, PTH112, PTH118, PTH120, PTH123

from __future__ import annotations

import os
import sqlite3
import sys
import time
from _thread import RLock
from array import array
from contextlib import suppress
from functools import partial
from json import loads
from zlib import adler32, crc32

from reverie.core import lexicon, recall, text, vocabulary
from reverie.core.recall import Candidate, Found
from reverie.storage import files, postings, watch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence, Sized
    from typing import Any, Protocol

    from reverie.core.memory import Memory
    from reverie.core.recall import Question, Result, Unit

    Known = tuple[int, int]     # digest and time of a file, as stored

    class Source(Protocol):
        """A folder of memories, as the index sees it. ``root`` identifies it; another ``version``: all is read anew."""

        root: str
        version: str

        def accepts(self, path: str) -> bool:
            """Whether a file at this relative POSIX path could hold memories."""
            ...

        def parse(self, path: str, data: bytes, modified_ns: int) -> Iterable[Memory]:
            """The memories of one file. A bad file has none; it never raises."""
            ...

        def label_of(self, memory: Memory) -> str:
            """Whose a memory is: the key that ``find`` is asked with."""
            ...


FORMAT = 3                      # of the tables, and of what they show
# Tables, tokenizer, vocabulary and byte order as one number: an index with another one is built again.
VERSION = crc32(f"{FORMAT}/{text.ANALYSIS}/{sys.byteorder}/{vocabulary.MEANINGS}/{lexicon.SENSES}".encode()) & 0x7FFF_FFFF or 1

LARGEST_FILE = 2_000_000        # bytes; whatever is larger is no memory, and a named problem
BATCH = 512                     # files a transaction: others get their turn, and a killed build keeps what it did
BUSY_SECONDS = 1.0              # waiting for another writer; then the index is used as it is
MOST_POSTINGS = 3_000           # looked at for candidates, the rarest terms first; the others still count in the score
CANDIDATES = 32
ATTEMPTS = 4                    # at one source, when other processes store the same files meanwhile

_SCHEMA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "search_schema.sql")


class FolderSource:
    """A source from plain functions. ``label``: one for all memories, or a function (a folder holds many projects)."""

    __slots__ = ("_accepts", "_label", "_parse", "root", "version")

    def __init__(self, root: str, label: str | Callable[[Memory], str], accepts: Callable[[str], bool],
                 parse: Callable[[str, bytes, int], Iterable[Memory]], version: str = "") -> None:
        self.root = root
        self.version = version
        self._label = label
        self._accepts = accepts
        self._parse = parse

    def accepts(self, path: str) -> bool:
        return self._accepts(path)

    def parse(self, path: str, data: bytes, modified_ns: int) -> Iterable[Memory]:
        return self._parse(path, data, modified_ns)

    def label_of(self, memory: Memory) -> str:
        return self._label if isinstance(self._label, str) else self._label(memory)


class Refreshed:
    """What a refresh did. Not ``complete``: a deadline passed or another process was writing; the next one goes on."""

    __slots__ = ("changed", "checked", "complete", "problems", "removed")

    def __init__(self) -> None:
        self.checked = 0                                # files looked at
        self.changed = 0                                # files read
        self.removed = 0                                # files that are gone
        self.complete = True
        self.problems: list[tuple[str, str]] = []       # path, reason: a name one can search for

    def __repr__(self) -> str:
        return (f"Refreshed(checked={self.checked}, changed={self.changed}, removed={self.removed}, "
                f"complete={self.complete}, problems={self.problems!r})")


class Read:
    """A file that was looked into because it may have changed.

    ``known`` is what the index had of it then: if that has changed when this is stored, another process was faster and
    may have read something newer. ``rows`` is None when its content is what it was. Not ``settled``: it is looked into
    again next time. ``problem`` names why it could not be read; then it holds nothing.
    """

    __slots__ = ("digest", "known", "path", "problem", "rows", "settled", "stamp")

    def __init__(self, path: str, known: Known | None, stamp: files.Stamp, digest: int, settled: bool,
                 rows: list[postings.Row] | None, problem: str = "") -> None:
        self.path = path
        self.known = known
        self.stamp = stamp
        self.digest = digest
        self.settled = settled
        self.rows = rows
        self.problem = problem


class SearchIndex:
    """The index at ``path`` ("" for memory only). Nothing is opened before it is needed, and no folder is ever made.

    ``state`` says how it stands: "closed", "ready", "rebuilt" (what was there could not be used), "memory" (the place
    cannot be written). ``detail`` says why.
    """

    def __init__(self, path: str, *, clock_ns: Callable[[], int] = time.time_ns) -> None:
        self.path = path
        self.state = "closed"
        self.detail = ""
        self._clock_ns = clock_ns
        self._connection: sqlite3.Connection | None = None
        self._lock = RLock()
        self._told: dict[str, set[str]] = {}            # invalidated and not read again yet, by root

    # ------------------------------------------------------------ keeping up with the files

    def refresh(self, sources: Iterable[Source], *, deadline: float | None = None) -> Refreshed:
        """Read what is new, changed or gone in these sources; others stay. ``deadline`` is one of ``monotonic()``."""
        done = Refreshed()
        with self._lock:
            for source in sources:
                try:
                    if not any(self._attempt(source, done, deadline) for _ in range(ATTEMPTS)):
                        done.complete = False           # others write the same files again and again: the next one goes on
                except sqlite3.Error as error:          # another process is writing: the index is used as it is
                    done.complete = False
                    done.problems.append((source.root, f"index_busy: {error}"))
        return done

    def rebuild(self, sources: Iterable[Source]) -> Refreshed:
        """Throw the index away and build it again."""
        with self._lock:
            self.close()
            _remove(self.path)
            return self.refresh(sources)

    def invalidate(self, root: str, paths: Iterable[str]) -> None:
        """These files were just written: read them at the next refresh, whatever their times say."""
        root, paths = os.path.realpath(root), list(paths)
        with self._lock:
            self._told.setdefault(root, set()).update(paths)
            if self._connection is None and not os.path.exists(self.path or "\0"):
                return
            try:
                self._mended(partial(_mark, root, paths))
            except sqlite3.Error as error:              # remembered above; other processes go by times and contents
                self.detail = str(error)

    def forget_source(self, root: str) -> None:
        """Drop everything that came from this folder."""
        with self._lock:
            self._mended(partial(_drop, os.path.realpath(root)))

    def _attempt(self, source: Source, done: Refreshed, deadline: float | None) -> bool:
        checked, problems = done.checked, len(done.problems)
        settled: bool = self._mended(partial(self._refresh, source, done, deadline))
        if not settled:                                 # what was counted will be counted again
            done.checked = checked
            del done.problems[problems:]
        return settled

    def _refresh(self, source: Source, done: Refreshed, deadline: float | None, connection: sqlite3.Connection) -> bool:
        """One attempt; False when another process stored a file between our reading and our storing it."""
        root = os.path.realpath(source.root)
        now_ns = self._clock_ns()
        seen = watch.look(root)
        done.problems += seen.problems
        done.checked += len(seen.paths)
        fingerprint = seen.fingerprint()
        told = self._told.get(root, set())
        row = connection.execute("select id, version, state from source where root = ?", (root,)).fetchone()
        if row is None and not seen.paths:
            return True                                 # an empty folder leaves no trace
        if row and row[1:] == (source.version, fingerprint) and not told:
            return True
        number = row[0] if row and row[1] == source.version else _adopt(connection, root, source.version)
        held = {path: rest for path, *rest in connection.execute(
            "select path, size, modified_ns, inode, settled from file where source = ?", (number,))}
        due = [path for path, *rest in seen.rows() if (held.get(path) != [*rest, 1] or path in told) and source.accepts(path)]
        gone = list(held.keys() - set(seen.paths))
        changed = {path: modified_ns for path, _, modified_ns, _ in seen.rows()} if len(due) > 1 else {}
        due.sort(key=lambda path: -changed.get(path, 0))            # if time runs out, the newest are in
        unsettled = False
        for start in range(0, max(len(due), 1), BATCH):
            if start and deadline is not None and time.monotonic() > deadline:
                done.complete = False
                return True
            read = [_read(connection, source, number, root, path, now_ns) for path in due[start:start + BATCH]]
            if not _store(connection, number, root, read, () if start else gone):
                return False
            done.changed += sum(item.rows is not None for item in read)
            done.problems += [(item.path, item.problem) for item in read if item.problem]
            unsettled = unsettled or not all(item.settled for item in read)
        done.removed += len(gone)
        self._told.pop(root, None)
        state = "" if unsettled else fingerprint
        if due or gone or not row or row[2] != state:
            with connection:
                connection.execute("update source set state = ? where id = ? and root = ?", (state, number, root))
        return True

    # ------------------------------------------------------------ answering

    def find(self, question: Question, labels: Iterable[str], *, limit: int = CANDIDATES, today: str = "") -> Found:
        """The candidates for a question among the memories of these labels, and the statistics to judge them by.

        ``today`` (ISO) leaves out what was valid until an earlier day. An index that cannot be read finds nothing.
        """
        with self._lock:
            try:
                found: Found = self._mended(partial(_find, question, sorted(set(labels)), limit, today))
            except sqlite3.Error as error:
                self.detail = str(error)
                found = Found()
        return found

    def everything(self, labels: Sequence[str], *, today: str = "") -> list[Candidate]:
        """All memories of these labels, for who ranks by looking at each: in the order of the labels, each newest first.

        ``today`` as in ``find``. An index that cannot be read holds nothing."""
        with self._lock:
            try:
                found: list[Candidate] = self._mended(partial(_everything, list(dict.fromkeys(labels)), today))
            except sqlite3.Error as error:
                self.detail = str(error)
                found = []
        return found

    def query(self, prompt: str, labels: Iterable[str], *, now: float, limit: int = 5) -> list[Result]:
        """``find`` and ``recall.choose`` in one: what is worth showing for a prompt. ``now``: seconds since 1970."""
        question = recall.ask(prompt)
        found = self.find(question, labels, today=time.strftime("%Y-%m-%d", time.gmtime(now)))
        return recall.choose(question, found, now=now, documents=limit)

    def count(self, labels: Iterable[str]) -> int:
        """How many memories of these labels are indexed."""
        return self.find(recall.ask(""), labels).memories

    # ------------------------------------------------------------ opening, and opening again

    def close(self) -> None:
        """Let go of the file; the next use opens it again."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None
            self.state = "closed"

    def __enter__(self) -> SearchIndex:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _mended(self, work: Callable[[sqlite3.Connection], Any]) -> Any:
        """Do something with the index; when it proves unusable, once more with a new one, at the last in memory."""
        for attempt in ("as it is", "built anew", "in memory"):
            try:
                if self._connection is None:
                    self._connection = self._open(attempt)
                return work(self._connection)
            except sqlite3.DatabaseError as error:
                name = getattr(error, "sqlite_errorname", None) or ""
                if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")) or attempt == "in memory":
                    raise
                self.close()
                self.detail = str(error)
                if attempt == "as it is" and not name.startswith(_CANNOT_WRITE):
                    _remove(self.path)
        raise AssertionError("unreachable")

    def _open(self, attempt: str) -> sqlite3.Connection:
        if not self.path or attempt == "in memory" or not os.path.isdir(os.path.dirname(os.path.abspath(self.path))):
            connection = _connect(":memory:")
            self.state = "memory"
        else:
            connection = _connect(self.path)
            connection.execute("pragma journal_mode = wal")
            connection.execute("pragma synchronous = normal")       # a lost last change is read from the files again
            self.state = "ready" if attempt == "as it is" else "rebuilt"
        found = connection.execute("pragma user_version").fetchone()[0]
        if found != VERSION:
            _build(connection)
            if found:
                self.state = "rebuilt" if self.state == "ready" else self.state
        return connection


# A place that cannot be written is not improved by removing what is there.
_CANNOT_WRITE = ("SQLITE_READONLY", "SQLITE_FULL", "SQLITE_CANTOPEN", "SQLITE_IOERR", "SQLITE_PERM", "SQLITE_NOMEM")


def _connect(path: str) -> sqlite3.Connection:
    if path != ":memory:" and not os.path.lexists(path):
        with suppress(OSError):                         # if it fails, SQLite says so below
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))  # what people said is nobody else's to read
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    connection.execute("pragma secure_delete = on")     # what was forgotten does not linger in free pages
    return connection


def _build(connection: sqlite3.Connection) -> None:
    """Make the tables, unless another process has just done it."""
    with open(_SCHEMA, encoding="utf-8") as file:
        statements = file.read().split(";\n")
    with connection:
        connection.execute("begin immediate")
        if connection.execute("pragma user_version").fetchone()[0] == VERSION:
            return
        for (table,) in connection.execute("select name from sqlite_master where type = 'table'").fetchall():
            connection.execute('drop table "{}"'.format(table.replace('"', '""')))
        for statement in statements:
            connection.execute(statement)
        connection.execute(f"pragma user_version = {VERSION}")


def _remove(path: str) -> None:
    for suffix in ("", "-wal", "-shm", "-journal"):
        with suppress(OSError):                         # not there, or not ours: opening it again will tell
            if path:
                os.unlink(path + suffix)


# ---------------------------------------------------------------- changing

# What is refused for what it is stays refused until its time or size changes; permissions leave no trace there.
_FOR_GOOD = frozenset(("too_large", "symlink_outside", "folder", "fifo", "socket", "device", "symlink_loop"))
_NOT_READ = -2                  # the digest of a file that could not be read; -1: of one that must be read again


def _read(connection: sqlite3.Connection, source: Source, number: int, root: str, path: str, now_ns: int) -> Read:
    known = _known(connection, number, path)
    place = os.path.join(root, path)
    loaded = files.load(place, root=root, limit=LARGEST_FILE)
    if isinstance(loaded, files.Unread):
        stamp = files.stamp(place) or files.Stamp(-1, 0, 0)
        nothing: list[postings.Row] | None = None if known and known[0] == _NOT_READ else []
        return Read(path, known, stamp, _NOT_READ, loaded.reason in _FOR_GOOD, nothing, loaded.reason)
    stamp, data = files.stamp_of(loaded.status), loaded.data
    digest = (crc32(data) << 31) ^ adler32(data)        # two sums of different kinds: against accidents, not malice
    settled = watch.settled(stamp.mtime_ns, now_ns)
    if known == (digest, stamp.mtime_ns):               # with another time it is parsed again: the age is shown
        return Read(path, known, stamp, digest, settled, None)
    try:
        rows = [postings.Row(source.label_of(memory), memory) for memory in source.parse(path, data, stamp.mtime_ns)
                if memory.status == "active"]
    except Exception as error:                          # a layout's fault: one file must not silence all the others
        return Read(path, known, stamp, digest, settled, [], f"not_understood: {type(error).__name__}: {error}")
    return Read(path, known, stamp, digest, settled, rows)


def _known(connection: sqlite3.Connection, number: int, path: str) -> Known | None:
    row: Known | None = connection.execute(
        "select digest, modified_ns from file where source = ? and path = ?", (number, path)).fetchone()
    return row


def _store(connection: sqlite3.Connection, number: int, root: str, read: Sequence[Read], gone: Iterable[str]) -> bool:
    """One transaction: what was read, and what is gone. False, and nothing is stored, when another process came between."""
    if not gone and all(item.rows is None and not item.settled for item in read):
        return True                                     # nothing to write: young files, looked into once more
    with connection:
        connection.execute("begin immediate")
        if not connection.execute("select 1 from source where id = ? and root = ?", (number, root)).fetchone():
            return False                                # another process began anew: our number means another folder
        if any(_known(connection, number, item.path) != item.known for item in read):
            return False
        writer = postings.Writer(connection)
        for path in gone:
            writer.remove(number, path)
            connection.execute("delete from file where source = ? and path = ?", (number, path))
        for item in read:
            if item.rows is not None:
                writer.remove(number, item.path)
                for row in item.rows:
                    writer.add(number, item.path, row)
            connection.execute(
                "insert or replace into file (source, path, size, modified_ns, inode, digest, settled)"
                " values (?, ?, ?, ?, ?, ?, ?)",
                (number, item.path, item.stamp.size, item.stamp.mtime_ns, item.stamp.inode, item.digest, int(item.settled)))
        writer.flush()
    return True


def _adopt(connection: sqlite3.Connection, root: str, version: str) -> int:
    """A number for a folder that is new, or is read by another layout than before."""
    _drop(root, connection)
    with connection:
        connection.execute("begin immediate")
        connection.execute("insert or ignore into source (root, version, state) values (?, ?, '')", (root, version))
        return int(connection.execute("select id from source where root = ?", (root,)).fetchone()[0])


def _drop(root: str, connection: sqlite3.Connection) -> None:
    with connection:
        connection.execute("begin immediate")
        row = connection.execute("select id from source where root = ?", (root,)).fetchone()
        if row:
            writer = postings.Writer(connection)
            for (path,) in connection.execute("select path from file where source = ?", row).fetchall():
                writer.remove(row[0], path)
            writer.flush()
            connection.execute("delete from file where source = ?", row)
            connection.execute("delete from source where id = ?", row)


def _mark(root: str, paths: Iterable[str], connection: sqlite3.Connection) -> None:
    with connection:
        connection.execute("begin immediate")
        row = connection.execute("select id from source where root = ?", (root,)).fetchone()
        if row:
            connection.execute("update source set state = '' where id = ?", row)
            connection.executemany("update file set settled = 0, digest = -1 where source = ? and path = ?",
                                   [(row[0], path) for path in paths])


# ---------------------------------------------------------------- answering

def _find(question: Question, labels: Sequence[str], limit: int, today: str, connection: sqlite3.Connection) -> Found:
    found = Found()
    rows = connection.execute(
        f"select id, name, memories, words from label where name in ({_marks(labels)})", labels).fetchall()
    names = {number: name for number, name, _, _ in rows}
    found.memories = sum(row[2] for row in rows)
    found.average = sum(row[3] for row in rows) / max(found.memories, 1)
    terms = list(question.terms)
    if not found.memories or not terms:
        return found
    found.holders = dict(connection.execute(
        f"select term, sum(length(entries)) / {postings.ENTRY_BYTES} from posting"
        f" where label in ({_marks(names)}) and term in ({_marks(terms)}) group by term", (*names, *terms)))
    scores: dict[int, float] = {}
    for ways in _telling(question.units, found):
        _meet(connection, ways, names, found.average, scores)
    least = sorted(scores.values(), reverse=True)[:limit][-1:]
    best = [key for key, score in scores.items() if score >= least[0]][:2 * limit] if least else []
    for key, root, path, label, length, held, shown in connection.execute(
            f"select key, root, path, label, length, terms, shown from memory join source on source.id = source "
            f"where key in ({_marks(best)})", best):
        candidate = Candidate(key, names[label], root, path, length, postings.counts_of(held, terms), *loads(shown))
        if not (today and candidate.valid_until and candidate.valid_until < today):
            found.candidates.append(candidate)
    found.candidates.sort(key=lambda candidate: -scores[candidate.key])
    return found


def _everything(labels: Sequence[str], today: str, connection: sqlite3.Connection) -> list[Candidate]:
    order = {label: place for place, label in enumerate(labels)}
    names = dict(connection.execute(f"select id, name from label where name in ({_marks(labels)})", labels).fetchall())
    found = [
        Candidate(key, names[label], root, path, length, {}, *loads(shown))
        for key, root, path, label, length, shown in connection.execute(
            f"select key, root, path, label, length, shown from memory join source on source.id = source "
            f"where label in ({_marks(names)})", list(names))
    ]
    found = [each for each in found if not (today and each.valid_until and each.valid_until < today)]
    found.sort(key=lambda each: (order[each.label], -each.modified_at, each.path.rpartition("/")[2], each.id))
    return found


def _telling(units: Iterable[Unit], found: Found) -> list[list[tuple[str, float]]]:
    """For each unit the terms, with what they gain, by which to look for memories: the most telling ones, until enough
    postings are due. What half the store holds finds nothing by itself; it still counts in the score."""
    ways = sorted(((unit.weight * worth * found.rarity(term), place, term) for place, unit in enumerate(units)
                   for term, worth in unit.ways if term in found.holders), reverse=True)
    chosen: dict[int, list[tuple[str, float]]] = {}
    spent = 0
    for gain, place, term in ways:
        if not spent or spent + found.holders[term] <= MOST_POSTINGS:
            spent += found.holders[term]
            chosen.setdefault(place, []).append((term, gain))
    return list(chosen.values())


def _meet(connection: sqlite3.Connection, ways: Iterable[tuple[str, float]], labels: Iterable[int], average: float,
          scores: dict[int, float]) -> None:
    """Add to the scores of the memories that meet a unit, each by the best of the unit's ways.

    The innermost loop of recall: postings are taken apart here, a call for each would cost more than all the rest.
    """
    met: dict[int, float] = {}
    shift, mask = postings.PLACE_SHIFT, postings.REST_MASK
    for term, gain in ways:
        gains = Gains(gain, average)
        for label in labels:
            for segment, entries in connection.execute(
                    "select segment, entries from posting where label = ? and term = ?", (label, term)):
                base = segment << postings.PLACE_BITS
                for posting in array("I", entries):
                    key, score = base | posting >> shift, gains[posting & mask]
                    if key not in met or met[key] < score:
                        met[key] = score
    for key, score in met.items():
        scores[key] = scores.get(key, 0.0) + score


class Gains(dict[int, float]):
    """What a term gains a memory, by what its posting says of fields and length: many postings say the same."""

    __slots__ = ("average", "gain")

    def __init__(self, gain: float, average: float) -> None:
        super().__init__()
        self.gain = gain
        self.average = average

    def __missing__(self, rest: int) -> float:
        gain = self.gain * recall.impact(postings.packed_of(rest), postings.length_of(rest), self.average)
        self[rest] = gain
        return gain


def _marks(values: Sized) -> str:
    return ",".join("?" * len(values))
