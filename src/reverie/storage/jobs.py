"""Work that many processes could do and one does: claimed under a lease, fenced by a token, done up to a watermark.

A *watermark* says how far the input of a job has grown: a session's last change, or a count of what was announced. A job
that was done up to it is not done again before it grows. A *lease* is a claim for a time; whoever dies loses the job when
it ends, and whoever comes back late finds another token on it: ``LeaseLost``, and nothing is written (spec/codex §4.1,
§5, §8.1). A job that fails waits an hour, three times at most; growth gives it three tries again.

Each claim is one statement in one immediate transaction, whose conditions stand in the statement itself. The tests let
16 processes claim, die and come back (``tests/storage/test_jobs.py``).
"""

from __future__ import annotations

import enum
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from reverie.core import redact
from reverie.errors import LeaseLost
from reverie.storage.database import Database

if TYPE_CHECKING:
    import sqlite3

    from reverie.storage.records import Statement

LEASE_SECONDS: Final = 3_600            # an extraction takes a minute; a worker that died is replaced within the hour
RETRY_SECONDS: Final = 3_600
RETRIES: Final = 3
COOLDOWN_SECONDS: Final = 6 * 3_600     # between two successes of a global job
ERROR_CHARACTERS: Final = 2_000


class Refusal(enum.StrEnum):
    """Why a job was not given: nobody's fault, each with a name to search for."""

    UP_TO_DATE = "up_to_date"           # done already, up to this watermark or further
    RUNNING = "running"                 # somebody holds a live lease
    RETRY_BACKOFF = "retry_backoff"     # it failed, and the pause is not over
    RETRY_EXHAUSTED = "retry_exhausted"     # it failed too often; only growth helps
    AT_CAPACITY = "at_capacity"         # as many of its kind are at work as may be
    COOLDOWN = "cooldown"               # a global job: it succeeded not long ago


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A job in our hands, as long as the token is the one on it."""

    kind: str
    key: str
    token: str
    worker: str
    watermark: int                      # how far the input had grown when it was claimed
    lease_seconds: int = LEASE_SECONDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job as it stands. Times are seconds since 1970."""

    kind: str
    key: str
    status: str                         # "pending", "running", "done", "error"
    worker: str
    started_at: int | None
    finished_at: int | None
    lease_until: int | None
    retry_at: int | None
    retry_remaining: int
    last_error: str | None
    input_watermark: int
    last_success_watermark: int | None

    def held(self, now: int) -> bool:
        """Whether a lease on it lives."""
        return self.status == "running" and self.lease_until is not None and self.lease_until > now


class Jobs:
    """The jobs of one home. Safe for threads and processes; ``clock`` is asked at each step."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock

    # -- taking

    def claim(
        self, kind: str, key: str, *, worker: str, watermark: int | None = None, lease_seconds: int = LEASE_SECONDS,
        at_most_running: int = 0, retries: int = RETRIES, force: bool = False,
    ) -> Claim | Refusal:
        """Take a job, or the reason why not. ``watermark`` None: as far as it was announced (``enqueue``).

        ``at_most_running``: live leases of this kind, this one included; 0: any number. ``force``: a person asks for it: a
        pause or too many failures do not count, a live lease still does.
        """
        now = self.now()
        with self._database.transaction():
            job = self.get(kind, key)
            if watermark is None:
                if job is None:
                    return Refusal.UP_TO_DATE
                watermark = job.input_watermark
            token = uuid.uuid4().hex
            row = self._database.one(
                "claim_job", kind=kind, key=key, worker=worker, token=token, now=now, lease_until=now + lease_seconds,
                retries=retries, watermark=watermark, at_most=at_most_running, force=force)
        if row is None:
            return _refusal(job, watermark, now, force=force)
        return Claim(kind=kind, key=key, token=token, worker=worker, watermark=watermark, lease_seconds=lease_seconds)

    def claim_global(
        self, kind: str, key: str, *, worker: str, lease_seconds: int = LEASE_SECONDS,
        cooldown_seconds: int = COOLDOWN_SECONDS, force: bool = False, dead: str = "",
    ) -> Claim | Refusal:
        """Take a job of which there is one for all: not within the pause after a failure, not while somebody is at it, not
        within the pause after a success, in this order. Its watermark decides nothing, and its failures are not counted.
        ``dead``: a worker of which the caller knows, by another sign than its lease, that it works no more."""
        now = self.now()
        with self._database.transaction():
            job = self.get(kind, key)
            token = uuid.uuid4().hex
            row = self._database.one(
                "claim_global_job", kind=kind, key=key, worker=worker, token=token, now=now, retries=RETRIES,
                lease_until=now + lease_seconds, cooled=now - cooldown_seconds, force=force, dead=dead or None)
        if row is None:
            return _refusal_of_global(job, now, force=force)
        return Claim(kind=kind, key=key, token=token, worker=worker, watermark=row["input_watermark"],
                     lease_seconds=lease_seconds)

    # -- holding, and letting go: each raises ``LeaseLost`` when somebody else has taken the job, and then does nothing

    def heartbeat(self, claim: Claim) -> None:
        """Still at it: the lease begins anew."""
        with self._database.transaction():
            self._fenced("extend_job", claim, lease_until=self.now() + claim.lease_seconds)

    def confirm(self, claim: Claim) -> None:
        """Make sure, just before writing, that the job is still ours."""
        if self._database.one("held_job", kind=claim.kind, key=claim.key, token=claim.token) is None:
            raise LeaseLost(_lost(claim))

    def finish(self, claim: Claim, watermark: int | None = None, *, also: Sequence[Statement] = ()) -> None:
        """Done, up to the claim's watermark or this one. ``also`` becomes true with it, or neither does."""
        with self._database.transaction():
            self._fenced("finish_job", claim, now=self.now(), watermark=_watermark(claim, watermark))
            self._apply(also)

    def fail(self, claim: Claim, error: str, *, retry_seconds: int = RETRY_SECONDS, also: Sequence[Statement] = ()) -> None:
        """It failed: why (kept without secrets, shortened), and when it may be tried again."""
        with self._database.transaction():
            now = self.now()
            self._fenced("fail_job", claim, now=now, error=_error(error), retry_at=now + retry_seconds)
            self._apply(also)

    def release(self, claim: Claim, *, retry_seconds: int = 0) -> None:
        """Give it back untried (stopped by the user, a cap, a rate limit): no failure is counted."""
        with self._database.transaction():
            self._fenced("release_job", claim, retry_at=self.now() + retry_seconds if retry_seconds else None)

    def finish_statement(self, claim: Claim, watermark: int | None = None) -> Statement:
        """The same as ``finish``, to become true with a change of files (``Journal.commit``): ``confirm`` first."""
        return "finish_job", {"kind": claim.kind, "key": claim.key, "token": claim.token, "now": self.now(),
                              "watermark": _watermark(claim, watermark)}

    # -- announcing, asking

    def enqueue(self, kind: str, key: str, watermark: int = 0) -> None:
        """There is something to do. The watermark grows to this one, or by one; tries that were used up come back."""
        with self._database.transaction():
            self._apply([enqueue_statement(kind, key, watermark)])

    def get(self, kind: str, key: str) -> Job | None:
        """One job."""
        row = self._database.one("job", kind=kind, key=key)
        return _job(row) if row else None

    def all(self, kind: str) -> list[Job]:
        """Every job of a kind."""
        return [_job(row) for row in self._database.rows("jobs", kind=kind)]

    def due(self, kind: str, *, limit: int = 100) -> list[Job]:
        """What could be claimed now, the longest waiting first."""
        return [_job(row) for row in self._database.rows("due_jobs", kind=kind, now=self.now(), limit=limit)]

    def now(self) -> int:
        """Seconds since 1970."""
        return int(self._clock().timestamp())

    def _fenced(self, name: str, claim: Claim, **values: int | str | None) -> None:
        if self._database.one(name, kind=claim.kind, key=claim.key, token=claim.token, **values) is None:
            raise LeaseLost(_lost(claim))

    def _apply(self, statements: Sequence[Statement]) -> None:
        for name, values in statements:
            self._database.run(name, **values)


def enqueue_statement(kind: str, key: str, watermark: int = 0) -> Statement:
    """``Jobs.enqueue``, to become true with something else."""
    return "enqueue_job", {"kind": kind, "key": key, "retries": RETRIES, "watermark": watermark}


def _refusal(job: Job | None, watermark: int, now: int, *, force: bool) -> Refusal:
    """Why a claim was not given, by the state it was made in."""
    if job is None:
        return Refusal.AT_CAPACITY
    if job.last_success_watermark is not None and job.last_success_watermark >= watermark:
        return Refusal.UP_TO_DATE
    if job.held(now):
        return Refusal.RUNNING
    if not force and watermark <= job.input_watermark:
        if job.retry_remaining <= 0:
            return Refusal.RETRY_EXHAUSTED
        if job.retry_at is not None and job.retry_at > now:
            return Refusal.RETRY_BACKOFF
    return Refusal.AT_CAPACITY


def _refusal_of_global(job: Job | None, now: int, *, force: bool) -> Refusal:
    if job is not None and not force and job.retry_at is not None and job.retry_at > now:
        return Refusal.RETRY_BACKOFF
    return Refusal.RUNNING if job is not None and job.held(now) else Refusal.COOLDOWN


def _watermark(claim: Claim, watermark: int | None) -> int:
    return claim.watermark if watermark is None else watermark


def _error(error: str) -> str:
    return redact.redact(error).text[:ERROR_CHARACTERS]


def _lost(claim: Claim) -> str:
    return f"{claim.kind} {claim.key!r} was taken over by another worker: the lease had ended. Nothing was written."


def _job(row: sqlite3.Row) -> Job:
    return Job(**{name: row[name] for name in Job.__slots__})
