"""What was done, by what, from which session, why: the journal's words.

``Cause`` is given with every change and kept with it; ``Touched`` says what it meant for a memory; ``ChangeRecord`` and
``RunRecord`` are what the journal answers with; ``SessionRecord`` and ``DropRecord`` tell what became of a session.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

Action = Literal["added", "updated", "confirmed", "superseded", "removed", "quarantined", "restored"]
ChangeStatus = Literal["pending", "done", "undone"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """Why something changes: the operation, who asked for it, and where it came from."""

    operation: str                  # "learn", "remember", "forget", "undo", "consolidate", "dream", "reindex", …
    actor: str                      # "user", "rules", "agent", "model:…", "product", …
    run: str = ""                   # the run that it is part of (Journal.start_run)
    host: str = ""
    session: str = ""
    message: str = ""               # Message.id
    rule: str = ""
    why: str = ""                   # one line for a person


@dataclass(frozen=True, slots=True, kw_only=True)
class Touched:
    """What a change did to one memory, so that ``reverie why`` can tell its story."""

    memory: str                     # full id: "<label>/<layout id>"
    action: Action
    name: str = ""
    message: str = ""               # where it was said, when that differs from the cause's
    rule: str = ""
    quote: str = ""                 # the words it rests on, redacted
    before: str = ""                # what it said before, in words for a person


@dataclass(frozen=True, slots=True, kw_only=True)
class FileConflict:
    """A file that was left as it is, and why."""

    path: str
    reason: Literal["edited_by_hand", "changed_since", "history_pruned", "not_writable"]
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRecord:
    """One change as the journal knows it. Order changes by ``id``, never by ``at``: clocks jump."""

    id: int
    run: str
    at: datetime
    cause: Cause
    status: ChangeStatus
    touched: tuple[Touched, ...] = ()
    paths: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    undoes: tuple[int, ...] = ()    # the changes that this one took back
    undone_by: int = 0              # the change that took this one back, 0: none
    conflicts: tuple[FileConflict, ...] = ()  # files that were kept as they were


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """One run of an operation. A run without an end is at work, or was killed: then ``counts`` sums up its changes."""

    id: str
    kind: str
    started_at: datetime
    ended_at: datetime | None = None
    outcome: str = ""
    counts: Mapping[str, int] = field(default_factory=dict)
    changes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """What an undo did. ``change`` is its own change (undo that to redo), 0 when there was nothing to do."""

    change: int = 0
    undid: tuple[int, ...] = ()     # the changes that are now fully taken back
    restored: tuple[str, ...] = ()  # files that hold again what they held
    conflicts: tuple[FileConflict, ...] = ()
    stale: tuple[str, ...] = ()     # derived files that later changes wrote too: render them again
    memories: tuple[str, ...] = ()  # full ids that the undone changes had touched


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruned:
    """What the journal gave up: changes that can no longer be undone, and the bytes that this freed."""

    changes: tuple[int, ...] = ()
    bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRecord:
    """What became of one session: the last reading's outcome, and the counts of all readings so far.

    When it is recorded, its counts are those of one reading and are added to what is there; with ``whole`` (the session
    was read from its start) they replace it.
    """

    host: str
    session: str
    outcome: str                    # "succeeded", "succeeded_no_output", "failed", "unreadable", …
    path: str = ""
    cwd: str = ""
    project: str = ""
    messages: int = 0
    proposals: int = 0
    kept: int = 0
    drops: Mapping[str, int] = field(default_factory=dict)      # by Reason
    skipped: Mapping[str, int] = field(default_factory=dict)    # by the reader's names
    detail: str = ""                # for "failed" and "unreadable": what happened
    last_at: datetime | None = None  # the last message's time
    run: str = ""
    read_at: datetime | None = None  # filled by the journal
    whole: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DropRecord:
    """One refusal, kept so that a person can see what was not learned, and why."""

    reason: str
    quote: str
    host: str
    session: str
    message: str
    run: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Tombstone:
    """A memory that the user had forgotten: the gate refuses what says the same again."""

    fingerprint: str
    words: str
    memory: str = ""
    project: str = ""               # "" for the user scope: refused everywhere
    at: datetime | None = None      # filled by the journal; what is said again later counts again


class How(enum.StrEnum):
    """By which sign a memory was of use."""

    OPENED = "opened"               # with the memory tool, `reverie read`, a tool of ours
    CITED = "cited"                 # the agent said so (spec/codex §13)
    READ = "read"                   # the transcript shows that its file was read
    APPLIED = "applied"             # the transcript shows that what it says was done or told, without a citation


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """One use of a memory (full id), and where it shows. One message shows it once; without a message each time counts."""

    memory: str
    how: How = How.OPENED
    host: str = ""
    session: str = ""
    message: str = ""
    at: datetime | None = None      # None: now
    times: int = 1                  # filled by the journal


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """How often a memory was of use, and when last."""

    uses: int = 0
    last_used: datetime | None = None


# What the stream tells; the order is that of the help page.
KINDS = (
    "run_started", "run_ended", "change", "undo", "snapshot", "session_read", "refused", "session_started", "used", "model_call",
    "extract", "dream", "recall", "delivery",       # what a stage did, in numbers (core.telemetry)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened. Order events by ``number``, never by ``at``; ``id`` also names the database that gave the number,
    so that one who resumes notices that it is another one by now."""

    id: str
    number: int
    kind: str
    at: datetime
    facts: Mapping[str, object] = field(default_factory=dict)   # what a program may want, by kind; values of JSON

    def as_dict(self) -> dict[str, object]:
        """One line of JSON."""
        return {"id": self.id, "kind": self.kind, "at": self.at.isoformat(timespec="milliseconds"), **self.facts}


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """How long the journal keeps the bytes that an undo needs. What was done stays known without them."""

    age: timedelta = timedelta(days=365)
    size_bytes: int = 512 * 1024 * 1024
    newest: int = 200               # this many changes stay undoable whatever their age and size


def prunable(history: Sequence[tuple[int, datetime, int]], now: datetime, retention: Retention) -> list[int]:
    """The changes whose bytes may go, given (id, at, bytes held) newest first: too old, or beyond the size."""
    gone: list[int] = []
    held = 0
    for place, (change, at, size) in enumerate(history):
        held += size
        if place >= retention.newest and (now - at > retention.age or held > retention.size_bytes):
            gone.append(change)
    return gone
