"""What is known beside the memories: how far transcripts were read, what became of sessions, what was refused, where
projects were seen, what was of use, what must not be learned again, and the block that each session was given.

Most of it is recorded by ``Journal.commit`` together with the change it belongs to; the functions at the top make the
statements for that. A hook needs only the blocks: the values of ``core`` are imported where they are made.
"""

from __future__ import annotations

import json

from reverie.storage.database import Database, time_of, time_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime

    from reverie.core.events import Cause, DropRecord, SessionRecord, Tombstone, Usage, Use
    from reverie.core.proposal import Drop
    from reverie.core.session import Cursor
    from reverie.storage.database import Value
    from reverie.storage.files import Stamp

    Statement = tuple[str, dict[str, Value]]    # a query's name and its values


def cursor_statement(key: str, cursor: Cursor, stamp: Stamp | None, at: datetime) -> Statement:
    """A transcript was read up to here, when it looked like this."""
    return "set_cursor", {
        "key": key, "position": cursor.position, "mark": cursor.mark, "context": cursor.context,
        "messages": cursor.messages, "size": stamp.size if stamp else None,
        "mtime_ns": stamp.mtime_ns if stamp else None, "inode": stamp.inode if stamp else None, "at": time_text(at)}


def session_statement(database: Database, session: SessionRecord, at: datetime) -> Statement:
    """A session was read; what earlier readings counted is added."""
    known = None if session.whole else database.one("session", host=session.host, session=session.session)

    def total(name: str, count: int) -> int:
        return count + (int(known[name]) if known else 0)

    def totals(name: str, counts: Mapping[str, int]) -> str:
        sums = _counts(known[name]) if known else {}
        for key, count in counts.items():
            sums[key] = sums.get(key, 0) + count
        return counts_text(sums)

    last_at = time_text(session.last_at) if session.last_at else (known["last_at"] if known else None)
    return "set_session", {
        "host": session.host, "session": session.session, "outcome": session.outcome, "detail": session.detail,
        "path": session.path, "cwd": session.cwd, "project": session.project, "run": session.run,
        "messages": total("messages", session.messages), "proposals": total("proposals", session.proposals),
        "kept": total("kept", session.kept), "drops": totals("drops", session.drops),
        "skipped": totals("skipped", session.skipped), "last_at": last_at, "read_at": time_text(at)}


def drop_statement(drop: Drop, cause: Cause, at: datetime) -> Statement:
    """Something was refused."""
    return "add_drop", {
        "host": cause.host, "session": cause.session, "message": drop.message, "reason": str(drop.reason),
        "quote": drop.quote, "run": cause.run, "at": time_text(at)}


def tombstone_statement(tombstone: Tombstone, at: datetime) -> Statement:
    """Something was forgotten, by the change that carries this statement out."""
    return "add_tombstone", {
        "fingerprint": tombstone.fingerprint, "words": tombstone.words, "memory": tombstone.memory,
        "project": tombstone.project, "at": time_text(at)}


def use_statement(use: Use, now: datetime) -> Statement:
    """A memory was of use."""
    return "add_use", {
        "memory": use.memory, "how": str(use.how), "host": use.host, "session": use.session, "message": use.message,
        "at": time_text(use.at or now)}


def counts_text(counts: Mapping[str, int]) -> str:
    """Counts as the database keeps them."""
    return json.dumps(dict(counts), sort_keys=True)


def _counts(text: str) -> dict[str, int]:
    return {str(key): int(count) for key, count in json.loads(text).items()}


class Records:
    """Reading never creates anything; each change is one transaction."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock

    # -- transcripts and sessions

    def cursor(self, key: str) -> Cursor | None:
        """Where the last reading of a transcript stopped."""
        from reverie.core.session import Cursor

        row = self._database.one("cursor", key=key)
        if row is None:
            return None
        return Cursor(position=row["position"], mark=row["mark"], context=row["context"], messages=row["messages"])

    def cursors(self, prefix: str) -> dict[str, tuple[Cursor, Stamp | None]]:
        """The readings whose keys begin so, by what follows, with the stamps that their files had."""
        from reverie.core.session import Cursor
        from reverie.storage.files import Stamp

        found: dict[str, tuple[Cursor, Stamp | None]] = {}
        for row in self._database.rows("cursors_below", low=prefix, high=prefix + "\U0010ffff"):
            known = None if row["size"] is None else Stamp(row["size"], row["mtime_ns"], row["inode"])
            cursor = Cursor(position=row["position"], mark=row["mark"], context=row["context"], messages=row["messages"])
            found[row["key"].removeprefix(prefix)] = (cursor, known)
        return found

    def unchanged(self, key: str, stamp: Stamp | None) -> bool:
        """Whether a transcript still looks as it did when it was read last: nothing new can be in it."""
        row = self._database.one("cursor", key=key) if stamp else None
        return stamp is not None and row is not None and (row["size"], row["mtime_ns"], row["inode"]) == (
            stamp.size, stamp.mtime_ns, stamp.inode)

    def set_cursor(self, key: str, cursor: Cursor, stamp: Stamp | None = None) -> None:
        """A transcript was read up to here, and nothing came of it."""
        self._keep(cursor_statement(key, cursor, stamp, self._clock()))

    def record_session(self, session: SessionRecord) -> None:
        """A session was looked at without a change: unreadable, or nothing in it."""
        with self._database.transaction():
            name, values = session_statement(self._database, session, self._clock())
            self._database.run(name, **values)

    def session(self, host: str, session: str) -> SessionRecord | None:
        """What became of one session."""
        row = self._database.one("session", host=host, session=session)
        return _session(row) if row else None

    def sessions(self, *, host: str = "", outcome: str = "", limit: int = 1_000) -> list[SessionRecord]:
        """The sessions that were read last, newest first."""
        return [_session(row) for row in self._database.rows("sessions", host=host, outcome=outcome, limit=limit)]

    def session_counts(self) -> dict[str, dict[str, int]]:
        """How many sessions ended how: host to outcome to number."""
        counts: dict[str, dict[str, int]] = {}
        for row in self._database.rows("count_sessions"):
            counts.setdefault(row["host"], {})[row["outcome"]] = row["sessions"]
        return counts

    def drops(
        self, *, run: str = "", host: str = "", session: str = "", words: str = "", limit: int = 1_000
    ) -> list[DropRecord]:
        """What was refused, newest first; ``words``: only quotes that hold this text."""
        from reverie.core.events import DropRecord

        rows = self._database.rows("drops", run=run, host=host, session=session, words=words, limit=limit)
        return [
            DropRecord(reason=row["reason"], quote=row["quote"], host=row["host"], session=row["session"],
                       message=row["message"], run=row["run"], at=time_of(row["at"]))
            for row in rows
        ]

    # -- places

    def place(self, path: str) -> str | None:
        """Which project a path was, when it was last seen."""
        row = self._database.one("place", path=path)
        return str(row["identity"]) if row else None

    def places(self) -> dict[str, str]:
        """Every path that was seen, with its project."""
        return {row["path"]: row["identity"] for row in self._database.rows("places")}

    def remember_place(self, path: str, identity: str) -> None:
        """A path exists and belongs to this project; asked again when it is gone."""
        if self.place(path) != identity:
            self._keep(("set_place", {"path": path, "identity": identity, "at": time_text(self._clock())}))

    # -- uses

    def credit(self, uses: Iterable[Use]) -> None:
        """These memories were of use."""
        now = self._clock()
        statements = [use_statement(use, now) for use in uses]
        if statements:
            self._keep(*statements)

    def usage(self, memories: Iterable[str] | None = None) -> dict[str, Usage]:
        """How often memories were of use, those that ever were."""
        from reverie.core.events import Usage

        if memories is None:
            rows = {row["memory"]: row for row in self._database.rows("uses")}
        else:
            found = {memory: self._database.one("use", memory=memory) for memory in memories}
            rows = {memory: row for memory, row in found.items() if row is not None}
        return {memory: Usage(uses=row["uses"], last_used=time_of(row["last_used"])) for memory, row in rows.items()}

    def uses(self, memory: str) -> list[Use]:
        """Every use of a memory, the latest first."""
        from reverie.core.events import How, Use

        return [
            Use(memory=row["memory"], how=How(row["how"]), host=row["host"], session=row["session"], message=row["message"],
                times=row["times"], at=time_of(row["at"]))
            for row in self._database.rows("uses_of", memory=memory)
        ]

    def uses_by_kind(self, host: str) -> dict[str, Usage]:
        """How often memories were of use in a host's sessions, by how it showed."""
        from reverie.core.events import Usage

        rows = self._database.rows("uses_by_kind", host=host)
        return {row["how"]: Usage(uses=row["uses"], last_used=time_of(row["last_used"])) for row in rows}

    def sessions_since(self, host: str, at: datetime) -> int:
        """How many sessions of a host, in which something was said, ended since then."""
        row = self._database.one("sessions_since", host=host, at=time_text(at))
        return int(row["sessions"]) if row else 0

    # -- what was forgotten

    def tombstones(self, project: str | None = None) -> list[Tombstone]:
        """What must not be learned again: everywhere, or (given a project) there and in the user scope."""
        from reverie.core.events import Tombstone

        rows = self._database.rows("tombstones", every_project=project is None, project=project or "")
        return [
            Tombstone(fingerprint=row["fingerprint"], words=row["words"], memory=row["memory"], project=row["project"],
                      at=time_of(row["at"]))
            for row in rows
        ]

    # -- files

    def last_digest(self, path: str) -> str | None:
        """What a file of the home held when the journal last saw it; None when it never did, or saw it gone."""
        row = self._database.one("last_edit_of_path", path=path)
        return row["after"] if row else None

    # -- blocks

    def frozen(self, session: str, design: str) -> str | None:
        """The block that a session was given, None when it has none yet."""
        row = self._database.one("block", session=session, design=design)
        return str(row["text"]) if row else None

    def freeze(self, session: str, design: str, text: str) -> str:
        """Freeze a session's block and return it: this text, or the one that another process froze before."""
        self._keep(("add_block", {"session": session, "design": design, "text": text, "at": time_text(self._clock())}))
        frozen = self.frozen(session, design)
        return text if frozen is None else frozen

    def refreeze(self, session: str, texts: Mapping[str, str]) -> None:
        """Give a session other blocks, by the name that each stands under."""
        at = time_text(self._clock())
        statements: list[Statement] = [
            ("set_block", {"session": session, "design": name, "text": text, "at": at}) for name, text in texts.items()
        ]
        self._keep(*statements)

    # -- what the stages did

    def tell(self, kind: str, design: str, facts: Mapping[str, object], *, number: int = 0) -> None:
        """Put what a stage did into the stream of events; ``number`` is what it took, in milliseconds."""
        at = time_text(self._clock())
        word = json.dumps(facts, ensure_ascii=False)
        self._keep(("tell", {"kind": kind, "ref": design, "at": at, "word": word, "number": number}))

    def _keep(self, *statements: Statement) -> None:
        with self._database.transaction():
            for name, values in statements:
                self._database.run(name, **values)


def _session(row: sqlite3.Row) -> SessionRecord:
    from reverie.core.events import SessionRecord

    return SessionRecord(
        host=row["host"], session=row["session"], outcome=row["outcome"], path=row["path"], cwd=row["cwd"],
        project=row["project"], messages=row["messages"], proposals=row["proposals"], kept=row["kept"],
        drops=_counts(row["drops"]), skipped=_counts(row["skipped"]), detail=row["detail"],
        last_at=time_of(row["last_at"]) if row["last_at"] else None, run=row["run"], read_at=time_of(row["read_at"]))
