"""The sessions of all hosts, which of them phase 1 may take, and what it made of them (spec/codex §4.1, §5).

``threads`` is what the last look at the agents' files found, with what a person decided about a session; everything else in
it is made anew by each look. Which sessions are eligible is one query, so that what is said of the filters can be read there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from reverie.core.stage1 import DAY, EXTRACT, HOUR, MOST_SCANNED, Limits, Output
from reverie.storage.database import Database

if TYPE_CHECKING:
    import sqlite3

    from reverie.storage.records import Statement


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """A session, as a look at its host's files found it. Times in seconds since 1970."""

    host: str
    session: str
    updated_at: int
    path: str = ""
    cwd: str = ""
    branch: str = ""
    source: str = ""
    of_agent: bool = False
    archived: bool = False
    memory_mode: str = "enabled"
    created_at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A session that was looked at. ``verdict``: why it may not be extracted now, "" when it may: "sub_agent", "archived",
    "disabled", "polluted", "headless", "at_hand", "up_to_date", "not_idle", "too_old"."""

    host: str
    session: str
    updated_at: int
    verdict: str = ""


class Extracts:
    """Phase 1's tables in one home."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock

    # -- sessions

    def see(self, threads: Iterable[Thread]) -> int:
        """A look at the hosts' files found these; answers with the look's time, for ``eligible``."""
        seen_at = self._now()
        with self._database.transaction():
            for thread in threads:
                values = {name: getattr(thread, name) for name in Thread.__slots__}
                self._database.run("see_thread", **values, seen_at=seen_at)
        return seen_at

    def set_mode(self, host: str, session: str, mode: str) -> None:
        """Whether a session may be extracted: "enabled", "disabled" by its user, "polluted" by content from outside."""
        with self._database.transaction():
            self._database.run("set_memory_mode", host=host, session=session, memory_mode=mode)

    def mode(self, host: str, session: str) -> str | None:
        """What a session's mode is, None for one that was never seen."""
        row = self._database.one("thread", host=host, session=session)
        return str(row["memory_mode"]) if row else None

    def judged(
        self, design: str, limits: Limits, *, seen_at: int = 0, current: str = "", force: bool = False
    ) -> list[Candidate]:
        """Every session, newest first, with what speaks against extracting it now. ``current`` is the one at hand, which is not
        over. ``force``: a person asks for it: of whatever age, and also those that were at work a moment ago."""
        limits = limits.clamped()
        now = self._now()
        rows = self._database.rows(
            "judged_threads", design=design, kind=EXTRACT, seen_at=seen_at, headless=limits.headless, current=current,
            oldest=0 if force else now - limits.max_rollout_age_days * DAY,
            newest=now if force else now - limits.min_rollout_idle_hours * HOUR)
        return [Candidate(host=row["host"], session=row["session"], updated_at=row["updated_at"], verdict=row["verdict"])
                for row in rows]

    def eligible(
        self, design: str, limits: Limits, *, seen_at: int = 0, current: str = "", force: bool = False
    ) -> list[Candidate]:
        """The sessions that may be extracted now, newest first, as many as are looked at."""
        judged = self.judged(design, limits, seen_at=seen_at, current=current, force=force)
        return [each for each in judged if not each.verdict][:MOST_SCANNED]

    # -- what they gave

    def get(self, design: str, host: str, session: str) -> Output | None:
        """What one session gave."""
        row = self._database.one("stage1_output", design=design, host=host, session=session)
        return _output(row) if row else None

    def projects(self, design: str, session: str) -> set[str]:
        """The keys of the projects that a session gave something of; an id can be that of two agents' sessions."""
        return {row["project"] for row in self._database.rows("stage1_projects", design=design, session=session)}

    def all(self, design: str) -> list[Output]:
        """What all sessions gave, by their ids; what an undo took back is left out."""
        return [_output(row) for row in self._database.rows("stage1_outputs", design=design)]

    # -- what phase 2 takes

    def inputs(self, design: str, *, limit: int, max_unused_days: int) -> list[Output]:
        """What phase 2 works from (spec/codex §8.2), by ascending session."""
        rows = self._database.rows("phase2_inputs", design=design, limit=limit, oldest=self._now() - max_unused_days * DAY)
        return sorted((_output(row) for row in rows), key=lambda output: (output.session, output.host))

    def expiring(self, design: str, *, max_unused_days: int) -> list[Output]:
        """What the last consolidation worked from and what has had its time since, the youngest first."""
        rows = self._database.rows("phase2_expiring", design=design, oldest=self._now() - max_unused_days * DAY)
        return [_output(row) for row in rows]

    def welcome(self, design: str, *, max_unused_days: int) -> None:
        """What a person had extracted just now, however old the session is, has as long to be of use as something new."""
        now = self._now()
        with self._database.transaction():
            self._database.run("welcome_old_outputs", design=design, oldest=now - max_unused_days * DAY, since=now - HOUR)

    def selected(self, design: str) -> int:
        """How much the last consolidation worked from."""
        row = self._database.one("count_selected", design=design)
        return int(row["outputs"]) if row else 0

    def prune(self, design: str, *, max_unused_days: int, batch: int) -> int:
        """Delete what was unused for so long and is no part of the last consolidation; how many went. Jobs stay, so that
        nothing that was deleted is extracted again (spec/codex §8.3)."""
        with self._database.transaction():
            return len(self._database.rows("prune_stage1_outputs", design=design, batch=batch,
                                           oldest=self._now() - max_unused_days * DAY))

    def _now(self) -> int:
        return int(self._clock().timestamp())


def put_statement(output: Output) -> Statement:
    """Keep what a session gave; with ``Journal.commit``, the change that wrote its files is noted."""
    return "put_stage1_output", {
        "design": output.design, "host": output.host, "session": output.session, "project": output.project,
        "cwd": output.cwd, "branch": output.branch, "path": output.path, "actor": output.actor,
        "source_updated_at": output.source_updated_at, "raw_memory": output.raw_memory,
        "rollout_summary": output.rollout_summary, "rollout_slug": output.rollout_slug,
        "generated_at": output.generated_at, "change": None}


def credit_statement(design: str, session: str, memory: str, at: datetime) -> Statement:
    """What a session gave was of use then; how often is counted from the uses kept under ``memory``."""
    return "credit_stage1_output", {"design": design, "session": session, "memory": memory, "at": int(at.timestamp())}


def selection_statements(design: str, outputs: Iterable[Output]) -> list[Statement]:
    """Exactly these are what the last consolidation worked from (spec/codex §8.4)."""
    statements: list[Statement] = [("clear_selection", {"design": design})]
    statements += [
        ("mark_selected", {"design": design, "host": output.host, "session": output.session,
                           "source_updated_at": output.source_updated_at}) for output in outputs
    ]
    return statements


def drop_statement(design: str, host: str, session: str) -> Statement:
    """A session gave nothing, or nothing any more."""
    return "drop_stage1_output", {"design": design, "host": host, "session": session}


def _output(row: sqlite3.Row) -> Output:
    values = {name: row[name] for name in Output.__slots__}
    return Output(**{**values, "selected_for_phase2": bool(row["selected_for_phase2"])})
