"""What became of a dream, store by store: for a person, for ``--json``, and in the telemetry's words (study, Qwen Code §10)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from reverie.core.dream import Act, Left, Skip, Step


@dataclass(frozen=True, slots=True, kw_only=True)
class Dreamt:
    """What became of one store. ``outcome``: "updated", "noop", "skipped" (``skip`` says why), "refused" (``detail``)."""

    store: str
    outcome: str = "noop"
    skip: Skip | None = None
    detail: str = ""
    waits: Skip | None = None           # of a rehearsal: why the real one would not begin by itself now
    memories: int = 0                   # that counted before
    remaining: int = 0
    steps: tuple[Step, ...] = ()
    left: tuple[Left, ...] = ()
    topics: tuple[str, ...] = ()        # types of the memories that were touched
    index_rebuilt: bool = False

    @property
    def deduped(self) -> int:
        """How many memories went into another one."""
        return sum(step.act in (Act.MERGED, Act.SUPERSEDED) for step in self.steps)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dreamed:
    """A dream over some stores: one run, one change (0: nothing changed)."""

    run: str = ""
    change: int = 0
    dry_run: bool = False
    stores: tuple[Dreamt, ...] = ()
    trashed: tuple[str, ...] = ()       # paths relative to the home
    duration_ms: int = 0

    @property
    def status(self) -> str:
        """The telemetry's word (study, Qwen Code §10), with two of ours: "refused" and "skipped"."""
        outcomes = {each.outcome for each in self.stores}
        return next((name for name in ("updated", "refused", "noop") if name in outcomes), "skipped" if outcomes else "noop")

    def as_dict(self) -> dict[str, Any]:
        """For ``--json``."""
        return {
            "run": self.run, "change": self.change, "dry_run": self.dry_run, "status": self.status,
            "deduped_entries": sum(each.deduped for each in self.stores),
            "touched_topics": sorted({topic for each in self.stores for topic in each.topics}),
            "duration_ms": self.duration_ms, "trashed": list(self.trashed),
            "stores": [
                {
                    "store": each.store, "outcome": each.outcome, "skip": each.skip and str(each.skip), "detail": each.detail,
                    "waits": each.waits and str(each.waits), "memories": each.memories, "remaining": each.remaining,
                    "deduped_entries": each.deduped, "touched_topics": list(each.topics), "index_rebuilt": each.index_rebuilt,
                    "steps": [
                        {"act": str(step.act), "memory": step.memory, "gone": step.gone, "name": step.name, "why": step.why,
                         "before": step.before}
                        for step in each.steps
                    ],
                    "left": [{"memory": left.memory, "other": left.other, "why": left.why} for left in each.left],
                }
                for each in self.stores
            ],
        }
