"""What the ways into a memory answer with, and the same for a program."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reverie.flows.upkeep import Found

if TYPE_CHECKING:
    from reverie.core.compaction import Distance
    from reverie.core.consolidation import Consolidated as Phase2
    from reverie.core.snapshot import Snapshot
    from reverie.flows.adopted import Adopted
    from reverie.flows.learning import Learned
    from reverie.flows.phases import Phase1


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """A session's snapshot. ``path``: where it is kept below the home, "" when it is not; ``change`` kept it."""

    snapshot: Snapshot
    path: str = ""
    change: int = 0
    distance: Distance | None = None        # to the client's compaction, where that is known

    def as_dict(self) -> dict[str, Any]:
        """For ``--json``."""
        found, far = self.snapshot, self.distance
        return {
            "host": found.host, "session": found.session, "cwd": found.cwd, "branch": found.branch, "taken": found.taken,
            "messages": found.messages, "sections": {name: list(entries) for name, entries in found.sections.items()},
            "path": self.path, "change": self.change,
            "compaction": far and {"tokens": far.tokens, "window": far.window, "starts_at": far.starts_at, "left": far.left,
                                   "percent": far.percent, "act": str(far.act)},
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a learning run did, session by session."""

    run: str
    dry_run: bool
    sessions: tuple[Learned, ...]
    adopted: Adopted | None = None      # what was taken over from files first

    def as_dict(self) -> dict[str, Any]:
        """For ``--json``."""
        return {
            "run": self.run,
            "dry_run": self.dry_run,
            "outcomes": dict(Counter(each.outcome for each in self.sessions)),
            "not_kept": dict(Counter(str(drop.reason) for each in self.sessions for drop in each.drops)),
            "sessions": [_session_dict(each) for each in self.sessions],
            "adopted": self.adopted.as_dict() if self.adopted else None,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Consolidated:
    """What a run of the two phases did."""

    run: str
    dry_run: bool
    phase1: Phase1
    phase2: Phase2 | None = None        # None: only phase 1 was asked for

    def as_dict(self) -> dict[str, Any]:
        """For ``--json``."""
        return {
            "run": self.run, "dry_run": self.dry_run, "phase1": self.phase1.as_dict(),
            "phase2": self.phase2.as_dict() if self.phase2 else None,
        }


def _session_dict(learned: Learned) -> dict[str, Any]:
    return {
        "host": learned.host, "session": learned.session, "path": learned.path, "project": learned.project,
        "outcome": learned.outcome, "detail": learned.detail, "messages": learned.messages, "user_messages": learned.said,
        "kept": [
            {"id": kept.id, "action": kept.action, "type": kept.memory.type, "name": kept.memory.name} for kept in learned.kept
        ],
        "not_kept": [{"reason": str(drop.reason), "quote": drop.quote, "message": drop.message} for drop in learned.drops],
        "skipped": learned.skipped,
    }


def as_dict(found: Found) -> dict[str, Any]:
    """One memory for ``--json``."""
    memory = found.memory
    source = memory.source
    return {
        "id": memory.id, "name": memory.name, "description": memory.description, "type": memory.type, "scope": memory.scope,
        "project": found.mount.root or memory.project, "body": memory.body, "why": memory.why,
        "how_to_apply": memory.how_to_apply, "keywords": list(memory.keywords), "status": str(memory.status),
        "confirmed": memory.confirmed, "valid_until": memory.valid_until,
        "modified_at": memory.modified_at.isoformat() if memory.modified_at else None,
        "source": {
            "by": str(source.by), "host": source.host, "session": source.session, "agent": source.agent,
            "author": source.author,
            "message": source.message,
            "said_at": source.said_at.isoformat() if source.said_at else None, "rule": source.rule, "quote": source.quote,
        },
    }
