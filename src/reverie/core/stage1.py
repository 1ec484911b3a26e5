"""What phase 1 makes of a session (study, Codex §4; spec/codex §4.1, §5, §7): values, and how many sessions it may take.

An ``Output`` is what one session gave: a summary of it, and raw memories for phase 2. Where the session was (``cwd``,
``project``) comes from its transcript and never from what a model says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

EXTRACT: Final = "memory_stage1"                # kinds of jobs, with the product's names
CONSOLIDATE: Final = "memory_consolidate_global"
MOST_SCANNED: Final = 5_000                     # sessions that are looked at, newest first
AT_ONCE: Final = 8                              # extractions in one process
HOUR, DAY = 3_600, 86_400                       # seconds

MODES = ("enabled", "disabled", "polluted")


def job_key(design: str, host: str, session: str) -> str:
    """The key of a session's job; ``eligible_threads`` makes the same."""
    return f"{design}|{host}|{session}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """What one session gave. ``usage_count`` and ``last_usage`` are None before it was first of use; times in seconds since
    1970."""

    design: str
    host: str
    session: str
    rollout_summary: str
    raw_memory: str
    source_updated_at: int          # the session's last change, when it was extracted
    rollout_slug: str = ""          # as it was said, not yet fit for a file's name
    project: str = ""               # the project's key
    cwd: str = ""
    branch: str = ""
    path: str = ""                  # of the transcript
    actor: str = "rules"            # or the model
    generated_at: int = 0
    usage_count: int | None = None
    last_usage: int | None = None
    selected_for_phase2: bool = False
    selected_for_phase2_source_updated_at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Which sessions are taken, and how many (spec/codex §3). The defaults are the study's."""

    max_rollout_age_days: int = 30
    min_rollout_idle_hours: int = 6
    max_rollouts_per_startup: int = 16
    headless: bool = False          # also sessions that ran without a person at the keyboard (`codex exec`, `claude -p`)
    disable_on_external_context: bool = False

    def clamped(self) -> Limits:
        """Within the product's bounds, whatever was asked for."""
        return replace(self, **{
            name: max(least, min(getattr(self, name), most)) for name, (least, most) in CLAMPS.items() if hasattr(self, name)
        })


# The product's bounds (spec/codex §3), by the names of its settings.
CLAMPS: Mapping[str, tuple[int, int]] = {
    "max_rollouts_per_startup": (1, 128),
    "max_rollout_age_days": (0, 90),
    "min_rollout_idle_hours": (1, 48),
    "max_raw_memories_for_consolidation": (1, 4_096),
    "max_unused_days": (0, 365),
    "min_rate_limit_remaining_percent": (0, 100),
}

# Strict: unknown fields are refused, and all are required (spec/codex §1.1).
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["rollout_summary", "rollout_slug", "raw_memory"],
    "properties": {
        "rollout_summary": {"type": "string"},
        "rollout_slug": {"type": ["string", "null"]},
        "raw_memory": {"type": "string"},
    },
}
