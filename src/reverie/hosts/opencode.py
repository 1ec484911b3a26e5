"""OpenCode: one database for all sessions, ``~/.local/share/opencode/opencode.db``; before 1.2 a folder of JSON files.

Recorded with 1.18 (V1: ``message`` and ``part``); V2's ``session_message`` by its published schema (spec/opencode §2-4). Which of
the two holds a session is told by its rows. Messages are read in order of time and id, and handed out when they are finished:
rows change in place while an assistant works. A session that was reverted shows only what stands before the mark until the
next prompt, when the rest is deleted. Only named columns of named tables are read; the accounts in the same file are not
touched.
"""

# Paths are texts in a transcript, and a home folder holds thousands of them: os.path, not pathlib.
# ruff: noqa: PTH118, PTH120
from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reverie.core.session import Cursor, Reading, Transcript, Unreadable
from reverie.hosts import disk, opencode_files, opencode_reading, opencode_rows, readonly
from reverie.hosts.disk import CannotRead

NAME = "opencode"


class OpenCode:
    """OpenCode as a reader of its transcripts."""

    name = NAME

    def find(self, home: str, environment: Mapping[str, str]) -> Iterator[Transcript | Unreadable]:
        """Every session below ``home``; ``XDG_DATA_HOME`` and ``OPENCODE_DB`` move them. Sessions that were taken over into the
        database are found there only."""
        data = os.path.join(disk.place(environment.get("XDG_DATA_HOME"), home, ".local", "share"), NAME)
        there: set[str] = set()
        for path in _databases(data, environment.get("OPENCODE_DB", "").strip()):
            if isinstance(path, Unreadable):
                yield path
                continue
            for found in sessions(path):
                if isinstance(found, Transcript):
                    there.add(found.session)
                yield found
        for found in opencode_files.find(os.path.join(data, "storage")):
            if isinstance(found, Unreadable) or found.session not in there:
                yield found

    def at(self, path: str) -> Sequence[Transcript | Unreadable] | None:
        """The sessions in this database or legacy file."""
        if path.endswith(".json"):
            found = opencode_files.at(path)
            return None if found is None else [one for one in found if not _taken_over(one, path)]
        try:
            if not disk.head(path, 16).startswith(b"SQLite format 3\x00"):
                return None
            connection = readonly.connect(path)
        except CannotRead as problem:
            return [disk.unreadable(NAME, path, problem)]
        try:
            ours = bool(readonly.columns(connection, "session")) and bool(
                readonly.columns(connection, "message") | readonly.columns(connection, "session_message")
            )
        except CannotRead as problem:
            return [disk.unreadable(NAME, path, problem)]
        finally:
            connection.close()
        return list(sessions(path)) if ours else None

    def read(self, transcript: Transcript, since: Cursor | None = None) -> Reading:
        """Read a session."""
        if transcript.path.endswith(".json"):
            return opencode_reading.read(opencode_files.Source(transcript.path), transcript, since)
        return opencode_reading.read(opencode_rows.Source(transcript.path, transcript.session), transcript, since)


def _databases(data: str, named: str) -> Iterator[str | Unreadable]:
    """The databases of all release channels, and the one that the environment names."""
    paths: list[str] = []
    for entry in disk.listing(NAME, data):
        if isinstance(entry, Unreadable):
            yield entry
        elif entry.name.startswith(NAME) and entry.name.endswith(".db"):
            paths.append(entry.path)
    if named and named != ":memory:":
        path = os.path.join(data, named)
        if os.path.normpath(path) not in map(os.path.normpath, paths):
            paths.append(path)
    yield from paths


def sessions(path: str) -> Iterator[Transcript | Unreadable]:
    """The sessions in a database, oldest first."""
    try:
        connection = readonly.connect(path)
    except CannotRead as problem:
        yield disk.unreadable(NAME, path, problem)
        return
    try:
        rows = opencode_rows.session_rows(connection)
    except CannotRead as problem:
        yield disk.unreadable(NAME, path, problem)
        return
    finally:
        connection.close()
    for row in rows:
        yield _transcript(path, row)


def _transcript(path: str, row: dict[str, Any]) -> Transcript:
    worktree = str(row.get("worktree") or "")
    outside_git = row.get("project_id") == "global" or worktree in ("", "/")
    about = {"parent": row["parent_id"]} if row.get("parent_id") else {}
    if isinstance(row.get("title"), str):
        about["title"] = row["title"]
    return Transcript(
        host=NAME, session=str(row["id"]), path=path, cwd=str(row.get("directory") or ""),
        started_at=disk.at_millis(row.get("time_created")), updated_at=disk.at_millis(row.get("time_updated")),
        project_hint="" if outside_git else worktree, of_agent=bool(row.get("parent_id")), about=about,
    )


def _taken_over(found: Transcript | Unreadable, path: str) -> bool:
    """Whether a legacy session is in a database beside its storage folder."""
    if isinstance(found, Unreadable):
        return False
    data = path
    for _ in range(4):      # <data>/storage/session/<project>/<session>.json
        data = os.path.dirname(data)
    for database in _databases(data, ""):
        if isinstance(database, Unreadable):
            continue
        try:
            connection = readonly.connect(database)
        except CannotRead:
            continue
        try:
            if connection.execute("SELECT 1 FROM session WHERE id = ?", (found.session,)).fetchone():
                return True
        except sqlite3.Error:
            continue
        finally:
            connection.close()
    return False
