"""The pipeline of a design that writes in two phases: sessions at rest are extracted, then all that was extracted is
consolidated. One run in the journal, one report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from reverie.core.model import Used
from reverie.core.stage1 import Limits
from reverie.flows import extracting
from reverie.flows.extracting import Extracted, Writer
from reverie.flows.learning import Job
from reverie.flows.space import Space

if TYPE_CHECKING:
    from reverie.core.session import Unreadable

OPERATION = "consolidate"


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase1:
    """How phase 1 went. ``status``: "succeeded", "succeeded_no_output", "failed", "skipped_no_candidates", or what stopped it
    ("skipped_rate_limit", "stopped_cap", "stopped_forbidden"), each session's fate beside it."""

    status: str
    sessions: tuple[Extracted, ...] = ()
    left: Mapping[str, int] = field(default_factory=dict)       # sessions that were not due, by what speaks against it
    unreadable: int = 0
    actor: str = ""

    @property
    def used(self) -> Used:
        """What it cost, in tokens."""
        return sum((each.used for each in self.sessions), Used())

    @property
    def outcomes(self) -> dict[str, int]:
        return dict(Counter(each.outcome for each in self.sessions))

    @property
    def drops(self) -> dict[str, int]:
        """What was refused in what was written, by reason."""
        drops: Counter[str] = Counter()
        for each in self.sessions:
            drops.update(each.drops)
        return dict(drops)

    def as_dict(self) -> dict[str, Any]:
        """For ``--json``."""
        return {
            "status": self.status, "by": self.actor, "outcomes": self.outcomes, "not_kept": self.drops,
            "left_alone": dict(self.left), "unreadable": self.unreadable,
            "tokens": {"input": self.used.input, "output": self.used.output},
            "sessions": [
                {"host": each.host, "session": each.session, "path": each.path, "project": each.project, "cwd": each.cwd,
                 "outcome": each.outcome, "detail": each.detail, "slug": each.slug, "messages": each.messages,
                 "not_kept": dict(each.drops), "tokens": each.used.tokens}
                for each in self.sessions
            ],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a run is asked to do. ``current``: the session at hand, which is not over. ``force``: a person asks for it now."""

    limits: Limits = field(default_factory=Limits)
    worker: str = ""
    current: str = ""
    force: bool = False
    on_start: Callable[[int], None] = lambda total: None
    on_session: Callable[[Extracted], None] = lambda extracted: None


def phase1(
    space: Space, found: Iterable[Job], bad: Iterable[Unreadable], writer: Writer, asked: Asked, *, run: str = ""
) -> Phase1:
    """Extract what is due."""
    sessions: list[Extracted] = []
    left: Counter[str] = Counter()
    for extracted in extracting.extract(
        space, found, writer, asked.limits, worker=asked.worker, current=asked.current, force=asked.force,
        left=left, run=run, on_start=asked.on_start,
    ):
        sessions.append(extracted)
        asked.on_session(extracted)
    return Phase1(status=_status(sessions), sessions=tuple(sessions), left=left, actor=writer.actor,
                  unreadable=sum(1 for _ in bad))


def _status(sessions: list[Extracted]) -> str:
    outcomes = [each.outcome for each in sessions]
    stops = [each.stopped for each in sessions if each.stopped]
    if stops:
        return stops[0]
    if not any(outcome in ("succeeded", "succeeded_no_output", "failed") for outcome in outcomes):
        return "skipped_no_candidates"
    if "succeeded" in outcomes:
        return "succeeded"
    return "succeeded_no_output" if "succeeded_no_output" in outcomes else "failed"
