"""What goes, and by which sign (study, axis 4). These are decisions only; who carries them out asks, and journals."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Protocol

from reverie.axes import reminding
from reverie.axes.reminding import Reminding


class Eviction(Protocol):
    """A policy that says when a memory has had its time."""

    @property
    def says(self) -> str: ...

    @property
    def reminding(self) -> Reminding:
        """What is said of age when a memory is read."""
        ...

    def is_due(self, *, used_at: datetime | None, said_at: datetime, now: datetime) -> bool:
        """Whether a memory last used then (None: never), from a session of that time, should go."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Never:
    """Nothing goes by itself: age is shown at reading and must be verified (study, Claude Code §6), or /forget (Qwen Code §8)."""

    says: str
    reminding: Reminding = reminding.STUDY

    def is_due(self, *, used_at: datetime | None, said_at: datetime, now: datetime) -> bool:
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageDecay:
    """Unused for so many days: out. A new memory has as many days to prove itself (study, Codex §6)."""

    max_unused_days: int = 30
    batch: int = 200                # hard deletions at a time (study, Codex §6)
    says: str = "usage decay, 30 days"
    reminding: Reminding = reminding.STUDY

    def is_due(self, *, used_at: datetime | None, said_at: datetime, now: datetime) -> bool:
        return (used_at or said_at) < now - timedelta(days=self.max_unused_days)


AGE_AND_VERIFY = Never(says="none; age and the duty to verify, at reading")
AGE_AND_VERIFY_2_1 = replace(AGE_AND_VERIFY, reminding=reminding.PRODUCT)
DEDUPLICATION = Never(says="none; de-duplication in dream, /forget")
DEDUPLICATION_0_24 = replace(DEDUPLICATION, reminding=reminding.PRODUCT)
USAGE_DECAY = UsageDecay()
USAGE_DECAY_0_171 = replace(USAGE_DECAY, reminding=reminding.PRODUCT)
