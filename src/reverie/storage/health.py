"""Looks at what Reverie keeps without opening it for writing: whether a database is damaged, what lies about, who can look in."""

# Paths are strings in storage:
# ruff: noqa: PTH108, PTH116, PTH118

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import suppress
from datetime import datetime
from urllib.parse import quote

from reverie.storage.files import TEMPORARY, printable

MOST_LOOKED_AT = 200_000                # entries of a home
BUSY_SECONDS = 0.5
LARGEST_CHECKED = 512 * 1024 * 1024     # bytes; checking reads all of it


def damage(path: str) -> str:
    """What SQLite says is wrong with a database, in a few words; "" when nothing is, or it is not there."""
    try:
        size = os.stat(path).st_size
    except OSError:
        return ""
    if not size or size > LARGEST_CHECKED:
        return ""
    try:
        connection = sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True, timeout=BUSY_SECONDS)
        try:
            said = str(connection.execute("pragma quick_check(1)").fetchone()[0])
        finally:
            connection.close()
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", None) or ""
        return str(error) if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")) else ""
    return "" if said == "ok" else said.splitlines()[0][:200]


def is_open_to_others(path: str) -> bool:
    """Whether another user of the machine may list a folder."""
    try:
        return bool(os.stat(path).st_mode & (stat.S_IRWXG | stat.S_IRWXO))
    except OSError:
        return False


def left_over(root: str, *, older_than: datetime) -> list[str]:
    """Temporary files of ours that no living change can still mean, relative to the root."""
    found: list[str] = []
    seen = 0
    for folder, _, names in os.walk(root):
        for name in names:
            seen += 1
            if name.endswith(TEMPORARY) and _older(os.path.join(folder, name), older_than):
                found.append(printable(os.path.relpath(os.path.join(folder, name), root)))
        if seen > MOST_LOOKED_AT:
            break
    return sorted(found)


def _older(path: str, than: datetime) -> bool:
    try:
        return os.lstat(path).st_mtime < than.timestamp()
    except OSError:
        return False


def remove_database(path: str) -> None:
    """Take a derived database away with what SQLite keeps beside it."""
    for ending in ("", "-wal", "-shm", "-journal"):
        with suppress(FileNotFoundError):
            os.unlink(path + ending)
