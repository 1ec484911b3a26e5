"""The database of a home, ``state.db``: history, cursors, sessions, uses. Not the memories: Markdown is the truth.

- Reading makes nothing: a home without a database answers like an empty one.
- A home that cannot be written is read as it is.
- A damaged database is moved aside and begun anew, and what is lost is said. A newer one is refused.
- Its schema and the queries, under names, stand in ``sql/``.

This class is also the seam for another engine: ``rows``, ``one``, ``run`` and ``transaction``, by names of queries
whose text both understand (``:name`` for values, ``ON CONFLICT``, ``RETURNING``), are all that the rest knows of SQL.
"""

# pathlib costs a hook 16 ms:
# ruff: noqa: PTH110, PTH116, PTH202

from __future__ import annotations

import os
import sqlite3
import stat
import threading
from datetime import UTC, datetime

from reverie.errors import StoreUnavailable
from reverie.storage.files import unavailable
from reverie.storage.lock import Lock
from reverie.storage.schema import APPLICATION, migrate, queries, version_of_code
from reverie.storage.writing import FILE_MODE, System

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    Value = str | int | bytes | None

BUSY_SECONDS = 5.0                      # other transactions take milliseconds; a person still waits this long gladly
LARGEST_INTEGER = 2**63 - 1

_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_LOST = ("the history and undo before now, how far each session was read (they are read again; what is known is not "
         "learned twice), what was refused, what models cost (the caps begin anew), and the list of forgotten memories; the "
         "memories themselves are untouched")


class Database:
    """One home's database. Opens when it is first needed, for writing only when something is written."""

    def __init__(
        self, path: str, *, lock: Lock, system: System, prepare: Callable[[], None], seconds: float = BUSY_SECONDS
    ) -> None:
        self.path = path
        self.notes: list[str] = []      # what a person should know: shown by `status`
        self._lock = lock
        self._system = system
        self._prepare = prepare         # makes the home; raises StoreUnavailable where it cannot be written
        self._seconds = seconds
        self._queries = queries()
        self._guard = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._mode = ""                 # "write" | "read" | "empty"
        self._file = (0, 0)
        self._in_transaction = False

    # -- asking and changing

    def rows(self, name: str, /, **values: Value) -> list[sqlite3.Row]:
        """All rows that a query gives. Outside a transaction it opens nothing for writing."""
        with self._guard:
            try:
                return self._execute(name, values)
            except sqlite3.DatabaseError as error:
                if _code(error) not in _DAMAGED or self._in_transaction:
                    raise self._failed(error) from error
                self._begin_anew(str(error))
            try:
                return self._execute(name, values)
            except sqlite3.DatabaseError as error:
                raise self._failed(error) from error

    def one(self, name: str, /, **values: Value) -> sqlite3.Row | None:
        """The first row, or None."""
        rows = self.rows(name, **values)
        return rows[0] if rows else None

    def run(self, name: str, /, **values: Value) -> None:
        """Carry out a statement; only within ``transaction``."""
        assert self._in_transaction, "statements that change something belong in a transaction"
        self.rows(name, **values)

    def transaction(self, *, durable: bool = False) -> Transaction:
        """A context in which everything or nothing is kept when it ends, whoever dies.

        ``durable`` waits for the disk: it survives a power cut, too, with all that was kept before it.
        """
        return Transaction(self, durable=durable)

    def shrink(self) -> None:
        """Give the space of deleted rows back to the file system."""
        with self._guard:
            try:
                self._ready(write=True).execute("PRAGMA incremental_vacuum").fetchall()
            except sqlite3.DatabaseError as error:
                raise self._failed(error) from error

    def overwrite_deleted(self) -> None:
        """From now on what is deleted is overwritten, too: it was something that may not be kept, and would linger in free
        pages. Not always, since it takes more room on a full disk."""
        self._ready(write=True).execute("PRAGMA secure_delete = ON").fetchall()

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._guard:
            if self._connection is not None:
                self._connection.close()
            self._connection = None
            self._mode = ""

    def begin(self, *, durable: bool) -> None:
        """For ``Transaction``."""
        self._guard.acquire()
        try:
            assert not self._in_transaction, "a transaction within a transaction"
            connection = self._ready(write=True)
            self._system.reached("begin")
            connection.execute("PRAGMA synchronous = FULL" if durable else "PRAGMA synchronous = NORMAL")
            connection.execute("BEGIN IMMEDIATE")
            self._in_transaction = True
        except sqlite3.DatabaseError as error:
            failure = self._failed(error)
            self._guard.release()
            raise failure from error
        except BaseException:
            self._guard.release()
            raise

    def end(self, *, keep: bool) -> None:
        """For ``Transaction``."""
        connection = self._connection
        assert connection is not None
        try:
            if keep:
                self._system.reached("commit")
                connection.execute("COMMIT")
                self._system.reached("committed")
        except sqlite3.DatabaseError as error:
            raise self._failed(error) from error
        finally:
            self._in_transaction = False
            if self._connection is not None and self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            self._guard.release()

    def _execute(self, name: str, values: dict[str, Value]) -> list[sqlite3.Row]:
        connection = self._ready(write=self._in_transaction)
        statement = self._queries[name]
        try:
            return connection.execute(statement, values).fetchall()
        except (UnicodeEncodeError, OverflowError):     # a file name that is no UTF-8, a number beyond 64 bits
            return connection.execute(statement, {key: _fitting(value) for key, value in values.items()}).fetchall()

    # -- opening

    def _ready(self, *, write: bool) -> sqlite3.Connection:
        if self._connection is not None and (self._in_transaction or self._serves(write)):
            return self._connection
        self.close()
        self._connection = self._open(write=write)
        return self._connection

    def _serves(self, write: bool) -> bool:
        if self._mode == "write":
            return self._file == self._look()           # else it was moved aside, or removed, by someone
        return not write and (self._mode == "read" or self._look() is None)

    def _look(self) -> tuple[int, int] | None:
        """Which file stands at the path; None: none. Anything but a regular file is refused."""
        try:
            status = os.stat(self.path)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise unavailable(error, self.path, "opened") from error
        if not stat.S_ISREG(status.st_mode):
            raise StoreUnavailable(f"{self.path!r} cannot be opened: it is no regular file. Move it away.")
        return status.st_dev, status.st_ino

    def _open(self, *, write: bool) -> sqlite3.Connection:
        found = self._look()
        if found is None and not write:
            return self._open_empty()
        if write:
            self._prepare()
        if found is None:
            self._create()
        try:
            return self._open_for_writing()
        except sqlite3.DatabaseError as error:
            if _code(error) in _DAMAGED:
                return self._replace(error, write=write)
            if write or _code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise self._failed(error) from error
            return self._open_for_reading(error)

    def _create(self) -> None:
        """Make the file ourselves: SQLite would give it the mode of the umask, and its companions copy that mode."""
        try:
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), FILE_MODE))
        except OSError as error:
            raise unavailable(error, self.path, "made") from error

    def _open_for_writing(self) -> sqlite3.Connection:
        connection = self._connect("mode=rw")
        try:
            connection.execute("PRAGMA foreign_keys = ON")
            version = self._version(connection)
            if version == 0:
                connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
            if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                connection.execute("PRAGMA journal_mode = WAL")
            if version < version_of_code():
                migrate(connection, self._system.reached)
            self._file = self._look() or (0, 0)
        except BaseException:
            connection.close()
            raise
        self._mode = "write"
        return connection

    def _open_for_reading(self, reason: sqlite3.DatabaseError) -> sqlite3.Connection:
        """A database in a place that cannot be written: beside it SQLite can make none of its own files."""
        for options in ("mode=ro", "mode=ro&immutable=1"):
            connection = self._connect(options)
            try:
                version = self._version(connection)
                connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            except sqlite3.DatabaseError:
                connection.close()
                continue
            except BaseException:
                connection.close()
                raise
            if "immutable" in options and os.path.exists(self.path + "-wal") and os.path.getsize(self.path + "-wal"):
                self._note(f"{self.path!r} is read without its last changes: they wait in a file beside it that cannot "
                           "be read here. Open it once where it can be written.")
            if version < version_of_code():
                connection = _migrated_copy(connection)
            self._mode = "read"
            return connection
        raise self._failed(reason) from reason

    def _open_empty(self) -> sqlite3.Connection:
        connection = self._connect("mode=memory", path="")
        migrate(connection)
        self._mode = "empty"
        return connection

    def _connect(self, options: str, path: str | None = None) -> sqlite3.Connection:
        connection = sqlite3.connect(
            _address(self.path if path is None else path) + "?" + options,
            uri=True, timeout=self._seconds, isolation_level=None, check_same_thread=False)
        connection.row_factory = sqlite3.Row
        return connection

    def _version(self, connection: sqlite3.Connection) -> int:
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        application = int(connection.execute("PRAGMA application_id").fetchone()[0])
        if application != APPLICATION and connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
            raise StoreUnavailable(f"{self.path!r} is the database of another program. Move it away, or choose another "
                                   "folder for Reverie (REVERIE_HOME).")
        if version > version_of_code():
            raise StoreUnavailable(f"{self.path!r} was written by a newer Reverie (schema {version}, this one knows "
                                   f"{version_of_code()}). Upgrade Reverie; nothing was changed.")
        return version

    # -- what goes wrong

    def _failed(self, error: sqlite3.DatabaseError) -> StoreUnavailable:
        code = _code(error)
        if code in _DAMAGED:
            try:
                self._begin_anew(str(error))
            except StoreUnavailable as failure:
                return failure
            return StoreUnavailable(f"{self.notes[-1]} Run the command again.")
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            words = f"another program keeps it locked; waited {self._seconds:g} s. Try again when it is done"
        elif code == sqlite3.SQLITE_FULL:
            words = "the disk is full; free some space and try again"
        elif code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
            words = "it is read-only for this user"
        elif code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_AUTH):
            words = "it, or a file beside it, cannot be opened: look at the permissions and the free space"
        elif code == sqlite3.SQLITE_IOERR:
            words = "the disk is full or reports an error"
        else:
            words = str(error)
        return StoreUnavailable(f"The database {self.path!r} cannot be used: {words}.")

    def _replace(self, error: sqlite3.DatabaseError, *, write: bool) -> sqlite3.Connection:
        """Go on without a damaged database."""
        try:
            self._begin_anew(str(error))
        except StoreUnavailable:
            if write:
                raise
            self._note(f"The database {self.path!r} is damaged ({error}) and cannot be moved aside here: not used.")
            return self._open_empty()
        if write:
            self._create()
            return self._open_for_writing()
        return self._open_empty()

    def _begin_anew(self, damage: str) -> None:
        """Move a damaged database aside, with its companions, for whoever wants to repair it; say what is lost."""
        damaged = self._look()
        self.close()
        self._prepare()
        with self._lock.held("moving a damaged database aside"):
            if damaged is None or self._look() != damaged:      # another process was quicker
                return
            number = 1
            while os.path.lexists(f"{self.path}.damaged-{number}"):
                number += 1
            aside = f"{self.path}.damaged-{number}"
            try:
                for companion in ("-wal", "-shm", ""):
                    if os.path.exists(self.path + companion):
                        self._system.rename(self.path + companion, aside + companion)
            except OSError as error:
                raise unavailable(error, self.path, "moved aside") from error
        self._note(f"The database {self.path!r} was damaged ({damage}) and is now {aside!r}; a new one is begun. Lost: "
                   f"{_LOST}.")

    def _note(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)


class Transaction:
    """What ``Database.transaction`` gives."""

    __slots__ = ("_database", "_durable")

    def __init__(self, database: Database, *, durable: bool) -> None:
        self._database = database
        self._durable = durable

    def __enter__(self) -> None:
        self._database.begin(durable=self._durable)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.end(keep=kind is None)


def _code(error: sqlite3.Error) -> int:
    """The primary result code; the library's own errors without one count as misuse."""
    return int(getattr(error, "sqlite_errorcode", sqlite3.SQLITE_MISUSE)) & 0xFF


def _address(path: str) -> str:
    """A path as the URI that SQLite opens."""
    for letter, escape in (("%", "%25"), ("?", "%3f"), ("#", "%23")):
        path = path.replace(letter, escape)
    return "file:///" + path.replace("\\", "/") if os.name == "nt" and path else "file:" + path


def _migrated_copy(connection: sqlite3.Connection) -> sqlite3.Connection:
    """An older database that cannot be written, in memory, with today's schema."""
    copy = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    copy.row_factory = sqlite3.Row
    connection.backup(copy)
    connection.close()
    migrate(copy)
    return copy


def time_text(at: datetime) -> str:
    """A time as the database keeps it: UTC, sortable. One without a zone is taken for UTC."""
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC).isoformat(timespec="microseconds")


def time_of(text: str) -> datetime:
    """The time in a text of the database; a broken one is the beginning of time."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return datetime.fromtimestamp(0, UTC)


def _fitting(value: Value) -> Value:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, int):
        return max(-LARGEST_INTEGER, min(LARGEST_INTEGER, value))
    return value
