"""OpenCode's sessions as rows of its database, in both of its lines."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from reverie.hosts import decoding, readonly
from reverie.hosts.disk import CannotRead
from reverie.hosts.opencode_reading import DATA, PARTS, Data, Part, Place, Said, Session, time_or_none

_SESSION = ("id", "project_id", "parent_id", "directory", "title", "revert", "time_created", "time_updated")
_PAGE = 100             # messages fetched at once: memory stays flat, and no query stays open while a consumer thinks


def session_rows(connection: sqlite3.Connection) -> list[dict[str, Any]]:
    """The facts of all sessions, oldest first; columns that a release does not have are missing. Raises ``CannotRead``."""
    there = readonly.columns(connection, "session")
    wanted = [name for name in _SESSION if name in there]
    if "id" not in wanted:
        return []
    worktree = {"id", "worktree"} <= readonly.columns(connection, "project") and "project_id" in there
    select = ", ".join(f"s.{name}" for name in wanted)
    order = "s.time_created, s.id" if "time_created" in there else "s.id"
    sql = f"SELECT {select}{', p.worktree' if worktree else ''} FROM session s"
    if worktree:
        sql += " LEFT JOIN project p ON p.id = s.project_id"
    names = [*wanted, "worktree"] if worktree else wanted
    try:
        return [dict(zip(names, row, strict=True)) for row in connection.execute(f"{sql} ORDER BY {order}")]
    except sqlite3.Error as error:
        raise readonly.cannot_read(error) from error


class Source:
    """One session in a database."""

    def __init__(self, path: str, session: str) -> None:
        self._path, self._id = path, session
        self._connection: sqlite3.Connection | None = None

    def open(self) -> Session:
        """The session's facts, as far as reading needs them. Raises ``CannotRead``."""
        self._connection = readonly.connect(self._path)
        there = readonly.columns(self._connection, "session")
        facts = [name for name in ("directory", "revert", "time_created") if name in there]
        row = self._one(f"SELECT {', '.join(facts) or '1'} FROM session WHERE id = ?")
        if row is None:
            raise CannotRead("not_found", f"there is no session {self._id!r} in {self._path!r}")
        found = dict(zip(facts, row, strict=False))
        self._v2 = {"seq", "type", "data"} <= readonly.columns(self._connection, "session_message") and (
            self._one("SELECT 1 FROM session_message WHERE session_id = ? LIMIT 1") is not None
        )
        newest = self._one("SELECT max(time_updated) FROM session WHERE id <> ?") if "time_updated" in there else None
        return Session(
            directory=str(found.get("directory") or ""), revert=_object(found.get("revert")),
            created=time_or_none(found.get("time_created")), newest_elsewhere=time_or_none(newest[0]) if newest else None,
            line="v2" if self._v2 else "v1",
        )

    def close(self) -> None:
        """Give the database back."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _query(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        assert self._connection is not None
        try:
            return self._connection.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise readonly.cannot_read(error) from error

    def _one(self, sql: str) -> tuple[Any, ...] | None:
        rows = self._query(sql, self._id)
        return rows[0] if rows else None

    def count(self, upto: Place) -> int:
        """How many messages there are up to a place, it included."""
        if self._v2:
            rows = self._query("SELECT count(*) FROM session_message WHERE session_id = ? AND seq <= ?", self._id, upto.at)
        else:
            rows = self._query(
                "SELECT count(*) FROM message WHERE session_id = ? AND (time_created, id) <= (?, ?)", self._id, upto.at, upto.id
            )
        return int(rows[0][0])

    def said_before(self, at: int, created: int) -> bool:
        """Whether an older session has a message of this very time: then a fork's copy of it is not the only one."""
        if self._v2:
            return False
        return bool(self._query(
            "SELECT 1 FROM message WHERE session_id IN (SELECT id FROM session WHERE time_created <= ? AND id <> ?)"
            " AND time_created = ? LIMIT 1", created, self._id, at,
        ))

    def messages(self, after: Place, skip: Callable[[str], None]) -> Iterator[Said]:
        """The messages after a place, in order."""
        page = self._v2_page if self._v2 else self._v1_page
        while found := page(after, skip):
            yield from found
            if len(found) < _PAGE or found[-1].place <= after:
                return      # the end; or an id that is no text and would be found for ever
            after = found[-1].place

    def _v1_page(self, after: Place, skip: Callable[[str], None]) -> list[Said]:
        rows = self._query(
            "SELECT id, time_created, CAST(data AS BLOB) FROM message WHERE session_id = ? AND (time_created, id) > (?, ?)"
            " AND typeof(time_created) = 'integer' AND typeof(id) = 'text' ORDER BY time_created, id LIMIT ?",
            self._id, after.at, after.id, _PAGE,
        )
        parts = self._parts([id for id, _, _ in rows], skip)
        page = []
        for id, created, stored in rows:
            data = _data(stored, skip)
            page.append(Said(place=Place(created, id), data=data, parts=parts.get(id, [])))
        return page

    def _parts(self, messages: Sequence[str], skip: Callable[[str], None]) -> dict[str, list[tuple[str, Part]]]:
        """The parts of a page's messages, in order, in one query. They come as bytes: making them texts first costs as much
        as decoding them."""
        found: dict[str, list[tuple[str, Part]]] = {}
        rows = self._query(
            "SELECT message_id, id, CAST(data AS BLOB) FROM part"
            f" WHERE message_id IN ({','.join('?' * len(messages))}) ORDER BY message_id, id", *messages,
        )
        for message, name, data in rows:
            part = decoding.record(PARTS, Part, data) if data is not None else None
            if part is None:
                skip("broken_json")
            else:
                found.setdefault(message, []).append((str(name), part))
        return found

    def _v2_page(self, after: Place, skip: Callable[[str], None]) -> list[Said]:
        rows = self._query(
            "SELECT id, seq, type, CAST(data AS BLOB), time_created FROM session_message WHERE session_id = ? AND seq > ?"
            " AND typeof(seq) = 'integer' ORDER BY seq LIMIT ?",
            self._id, after.at, _PAGE,
        )
        page = []
        for id, seq, kind, stored, created in rows:
            data = _data(stored, skip)
            data.time = {"created": created} if data.time is None else data.time
            data.type = kind
            page.append(Said(place=Place(seq, str(id)), data=data, parts=[]))
        return page


def _data(stored: bytes | None, skip: Callable[[str], None]) -> Data:
    data = decoding.record(DATA, Data, stored) if stored is not None else None
    if data is None:
        skip("broken_json")
        return Data()
    return data


def _object(data: object) -> dict[str, Any] | None:
    if not isinstance(data, (str, bytes)):
        return None
    try:
        value = msgspec.json.decode(data)
    except (ValueError, RecursionError):
        value, _ = decoding.lenient(data)
    return value if isinstance(value, dict) else None
