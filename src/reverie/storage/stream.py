"""The stream of events: the rows of ``events``, completed from the tables that they name.

What an event names may be gone (a refusal that was pruned): then it is told without the details.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from reverie.core import telemetry
from reverie.core.events import Event
from reverie.storage.database import Database, time_of
from reverie.storage.history import History

if TYPE_CHECKING:
    import sqlite3

PAGE = 500                              # events that are read at once


class Stream:
    """Reads events; nothing here writes."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._history = History(database)

    def home(self) -> str:
        """Which database this is: a new one begins its numbers anew. "" where there is none yet."""
        row = self._database.one("home_id") if self.last() else None
        return str(row["id"]) if row else ""

    def first(self) -> int:
        """The number of the first event that is kept; 0: none."""
        row = self._database.one("events_kept")
        return int(row["first"]) if row else 0

    def last(self) -> int:
        """The number of the last event; 0: none."""
        row = self._database.one("events_kept")
        return int(row["last"]) if row else 0

    def after(self, number: int, limit: int = PAGE) -> list[Event]:
        """The next events after a number, in order."""
        rows = self._database.rows("events_after", after=number, limit=limit)
        home = self.home() if rows else ""
        return [self._event(row, home) for row in rows]

    def _event(self, row: sqlite3.Row, home: str) -> Event:
        kind = str(row["kind"])
        number = int(row["id"])
        return Event(id=f"{home}-{number}", number=number, kind=kind, at=time_of(row["at"]), facts=self._facts(kind, row))

    def _facts(self, kind: str, row: sqlite3.Row) -> dict[str, object]:
        ref, word, number = str(row["ref"]), str(row["word"]), int(row["number"])
        if kind in ("change", "undo", "snapshot"):
            return self._change(int(ref))
        if kind == "refused":
            return {"reason": word, **self._refusal(int(ref))}
        if kind in telemetry.KINDS:
            return {"design": ref, **_told(word)}
        if kind == "session_read":
            host, _, session = ref.partition(" ")
            return {"host": host, "session": session, "outcome": word, "kept": number}
        if kind == "used":
            return {"memory": ref, "how": word, "times": number}
        if kind == "model_call":
            return {"model": ref, "flow": word, "tokens": number}
        if kind == "session_started":
            return {"session": ref, "design": word}
        return {"run": ref, **({"outcome": word} if kind == "run_ended" else {})}

    def _change(self, change: int) -> dict[str, object]:
        row = self._history.row(change)
        if row is None:
            return {"change": change}
        found = self._history.record(row)
        cause = found.cause
        facts = {"change": change, "operation": cause.operation, "actor": cause.actor, "run": found.run, "host": cause.host,
                 "session": cause.session, "undoes": list(found.undoes), "undone": bool(found.undone_by),
                 "memories": [{"memory": each.memory, "action": each.action, "name": each.name} for each in found.touched]}
        return {name: value for name, value in facts.items() if value or name == "change"}

    def _refusal(self, drop: int) -> dict[str, object]:
        row = self._database.one("drop", drop=drop)
        if row is None:
            return {}
        return {name: row[name] for name in ("quote", "host", "session", "message", "run") if row[name]}


def _told(word: str) -> dict[str, object]:
    try:
        facts = json.loads(word)
    except ValueError:
        return {}
    return facts if isinstance(facts, dict) else {}
