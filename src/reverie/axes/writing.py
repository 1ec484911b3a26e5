"""Who writes memories, and when (study, axis 1). ``skip`` says why a session is not looked at yet, or None.

A person who types ``reverie learn`` has decided; these gates are for the work that starts by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reverie.core.gate import Gate
    from reverie.core.session import Transcript


# The gates' patterns take a fifth of a second to compile: whoever only reads must not wait for them.
def ours() -> Gate:
    """The gate that judges by meaning."""
    from reverie.core import gate

    return gate.OURS


def of_the_study() -> Gate:
    """The study's patch filter, word for word."""
    from reverie.core import gate

    return gate.STUDY_QWEN


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """Who writes, behind which gate, and how long a session must have been quiet (0: at once)."""

    says: str
    gate: Callable[[], Gate]
    by_agent: bool = False          # the agent itself, with its file tools
    by_extraction: bool = True
    two_phases: bool = False        # sessions at rest are extracted, and all that was extracted is consolidated
    window_share: float = 1.0       # of a model's window, that phase 1 takes for the whole of it
    files_at_once: bool = False     # what a session gave is written into the store by phase 1, not only by phase 2
    idle_hours: float = 0
    max_age_days: float = 0         # 0: no limit
    sessions_at_once: int = 0       # 0: no limit

    def skip(self, transcript: Transcript, *, now: datetime) -> str | None:
        """Why this session is not extracted now: "sub_agent", "not_idle", "too_old" (study, Codex §4), or None."""
        if transcript.of_agent:
            return "sub_agent"
        if transcript.updated_at is None:
            return None
        if now - transcript.updated_at < timedelta(hours=self.idle_hours):
            return "not_idle"
        if self.max_age_days and now - transcript.updated_at > timedelta(days=self.max_age_days):
            return "too_old"
        return None


AGENT = Writing(says="the agent, at once", gate=ours, by_agent=True, by_extraction=False)
TWO_PHASES = Writing(
    says="two phases, after 6 idle hours", gate=ours, idle_hours=6, max_age_days=30, sessions_at_once=16, two_phases=True,
    files_at_once=True,
)
TWO_PHASES_0_171 = replace(TWO_PHASES, max_age_days=10, sessions_at_once=2, files_at_once=False, window_share=0.95)
EVERY_RESPONSE = Writing(says="extract after every response", gate=of_the_study, by_agent=True)
AGENT_AND_RULES = Writing(says="the agent, and free rules after every response", gate=ours, by_agent=True)
