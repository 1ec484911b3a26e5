"""Opening other programs' SQLite databases without leaving a trace: read-only, no lock held, no file made.

A database in WAL mode, opened even for reading, gets its ``-wal`` and ``-shm`` files made anew. So where no write-ahead log lies
beside it (no client has it open), it is opened as immutable; where one does, it is read as the client left it.
"""

# Paths are texts in a transcript, and a home folder holds thousands of them: os.path, not pathlib.
# ruff: noqa: PTH100, PTH116
from __future__ import annotations

import os
import sqlite3
from urllib.parse import quote

from reverie.hosts import disk
from reverie.hosts.disk import CannotRead

BUSY_SECONDS = 2.0              # a client's own writes take milliseconds
_MAGIC = b"SQLite format 3\x00"
_WAL = 2                        # the file's own word for its journal mode, at byte 18


def connect(path: str) -> sqlite3.Connection:
    """Open a database for reading. Raises ``CannotRead``: not_a_database, locked, corrupt, permission_denied, …"""
    first = disk.head(path, 100)
    if not first.startswith(_MAGIC):
        raise CannotRead("not_a_database", f"{path!r} does not begin as an SQLite database does")
    quiet = len(first) > 18 and first[18] == _WAL and not _has_bytes(f"{path}-wal")
    uri = f"file:{quote(os.fsencode(os.path.abspath(path)))}?mode=ro{'&immutable=1' if quiet else ''}"
    try:
        connection = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    except sqlite3.Error as error:
        raise cannot_read(error) from error
    connection.text_factory = _text
    return connection


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _has_bytes(path: str) -> bool:
    try:
        return os.stat(path).st_size > 0
    except OSError:
        return False


def cannot_read(error: sqlite3.Error) -> CannotRead:
    """What an error of SQLite stands for."""
    words = str(error)
    low = words.lower()
    if "locked" in low or "busy" in low:
        return CannotRead("locked", f"another program holds the database: {words}")
    if "not a database" in low or "encrypted" in low:
        return CannotRead("not_a_database", words)
    if "malformed" in low or "corrupt" in low or "disk image" in low:
        return CannotRead("corrupt", words)
    if "unable to open" in low or "readonly" in low:
        return CannotRead("permission_denied", f"the database or its write-ahead log cannot be opened: {words}")
    return CannotRead("unreadable", words)


def columns(connection: sqlite3.Connection, table: str) -> frozenset[str]:
    """The columns of a table; none when there is no such table. Raises ``CannotRead``."""
    try:
        return frozenset(row[0] for row in connection.execute("SELECT name FROM pragma_table_info(?)", (table,)))
    except sqlite3.Error as error:
        raise cannot_read(error) from error
