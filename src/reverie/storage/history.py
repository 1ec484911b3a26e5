"""The journal's rows as values: what changes did, and the bytes that they keep for an undo."""

from __future__ import annotations

import hashlib
import json
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from reverie.core.events import Action, Cause, ChangeRecord, FileConflict, RunRecord, Touched
from reverie.storage.database import Database, time_of

if TYPE_CHECKING:
    import sqlite3
    from datetime import datetime

HISTORY_LIMIT = 10_000                  # changes of one memory or run that are looked at


class Pruned(Exception):
    """The bytes of this digest are not kept any more, or are damaged."""


@dataclass(frozen=True, slots=True)
class KeptEdit:
    """An edit as the journal keeps it: bytes by their digest, None for "no such file"."""

    path: str
    root: str
    derived: bool
    before: str | None
    after: str | None
    mode: int
    mtime_ns: int | None                # of the file before


@dataclass(frozen=True, slots=True)
class Known:
    """What the journal last knew of a file: the digest of its bytes (None: it was gone), and since when."""

    digest: str | None
    at: datetime


def digest_of(data: bytes | None) -> str | None:
    """The name under which bytes are kept."""
    return None if data is None else hashlib.sha256(data).hexdigest()


class History:
    """Reads what the journal wrote."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def bytes_of(self, digest: str | None) -> bytes | None:
        """The bytes of a digest; ``Pruned`` when they are gone."""
        if digest is None:
            return None
        row = self._database.one("blob", digest=digest)
        try:
            data = zlib.decompress(row["data"]) if row else None
        except zlib.error:
            data = None
        if data is None or digest_of(data) != digest:
            raise Pruned(digest)
        return data

    def edits(self, change: int) -> list[KeptEdit]:
        """What a change does to files, in order."""
        return [
            KeptEdit(row["path"], row["root"], bool(row["derived"]), row["before"], row["after"], row["mode"],
                     row["mtime_ns"])
            for row in self._database.rows("edits_of_change", change=change)
        ]

    def known(self, low: str, high: str) -> dict[str, Known]:
        """What the files from one path up to another last held."""
        rows = self._database.rows("known_files", low=low, high=high)
        return {row["path"]: Known(row["after"], time_of(row["at"])) for row in rows}

    def touched(self, change: int) -> tuple[Touched, ...]:
        """What a change meant for memories, in order."""
        return tuple(
            Touched(memory=row["memory"], action=cast("Action", row["action"]), name=row["name"],
                    message=row["message"], rule=row["rule"], quote=row["quote"], before=row["before"])
            for row in self._database.rows("touched_by_change", change=change)
        )

    def undone_in(self, change: int) -> tuple[int, ...]:
        """What an undo took back."""
        return tuple(row["change"] for row in self._database.rows("undone_in", change=change))

    def row(self, change: int) -> sqlite3.Row | None:
        """A change as it stands in the database."""
        return self._database.one("change", change=change)

    def newest(self, limit: int, *, memory: str | None = None, run: str | None = None) -> list[ChangeRecord]:
        """The last changes, of all, of one memory or of one run; newest first."""
        if memory is not None:
            rows = self._database.rows("changes_of_memory", memory=memory, limit=limit)
        elif run is not None:
            rows = self._database.rows("changes_of_run", run=run, limit=limit)
        else:
            rows = self._database.rows("newest_changes", limit=limit)
        return [self.record(row) for row in rows]

    def record(self, row: sqlite3.Row) -> ChangeRecord:
        """A change with everything that hangs on it."""
        change = int(row["id"])
        return ChangeRecord(
            id=change, run=row["run"], at=time_of(row["at"]),
            cause=Cause(operation=row["operation"], actor=row["actor"], run=row["run"], host=row["host"],
                        session=row["session"], message=row["message"], rule=row["rule"], why=row["why"]),
            status="pending" if row["status"] == "pending" else "undone" if row["undone_by"] else "done",
            touched=self.touched(change), paths=tuple(edit.path for edit in self.edits(change)),
            counts=json.loads(row["counts"]), undoes=self.undone_in(change), undone_by=row["undone_by"] or 0,
            conflicts=tuple(
                FileConflict(path=conflict["path"], reason=conflict["reason"], detail=conflict["detail"])
                for conflict in self._database.rows("conflicts_of_change", change=change)))

    def runs(self, limit: int) -> list[RunRecord]:
        """The last runs, newest first; one that never ended is told by what its changes counted."""
        return [self._run(row) for row in self._database.rows("newest_runs", limit=limit)]

    def _run(self, row: sqlite3.Row) -> RunRecord:
        name = f"{row['kind']}-{row['number']}"
        changes = self._database.rows("counts_of_run", run=name)
        counts: dict[str, int] = json.loads(row["counts"])
        if row["ended_at"] is None:
            for change in changes:
                for key, count in json.loads(change["counts"]).items():
                    counts[key] = counts.get(key, 0) + count
        return RunRecord(
            id=name, kind=row["kind"], started_at=time_of(row["started_at"]),
            ended_at=time_of(row["ended_at"]) if row["ended_at"] else None, outcome=row["outcome"], counts=counts,
            changes=tuple(change["id"] for change in changes))
