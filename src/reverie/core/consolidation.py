"""A consolidation, in values: how it can end, what it was given, what a consolidator is, and what became of it.

Phase 2 turns the selected extracts into a handbook, a summary and skills (study, Codex §3-§4). Whoever does it, an agent with
a model or the rules, gets a folder and hands back a folder; what it made is checked as a whole and applied as one change, or
not at all. Every ending has a name (spec/codex §8.4).
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from reverie.core.layout import File, Folder
from reverie.core.model import Used


class Status(enum.StrEnum):
    """How a consolidation ended (spec/codex §8.4, the product's words)."""

    SUCCEEDED = "succeeded"
    NO_CHANGES = "succeeded_no_workspace_changes"       # nothing new since the baseline: nobody was asked
    COOLDOWN = "skipped_cooldown"                       # the last success is not long enough ago
    RUNNING = "skipped_running"                         # another worker consolidates
    RETRY_UNAVAILABLE = "skipped_retry_unavailable"     # it failed, and the pause is not over
    BUSY = "skipped_workspace_busy"                     # another process holds the folder
    CLAIM = "failed_claim"
    LOCK = "failed_workspace_lock"
    PREPARE = "failed_prepare_workspace"
    LOAD = "failed_load_stage1_outputs"
    SYNC = "failed_sync_workspace_inputs"
    WORKSPACE = "failed_workspace_status"
    DIFF_FILE = "failed_workspace_diff_file"
    SPAWN = "failed_spawn_agent"                        # the model may not be asked at all
    AGENT = "failed_agent"                              # it was asked, and gave up, or had to
    INVALID = "failed_invalid_artifacts"                # what it made may not be kept
    OWNERSHIP = "failed_confirm_ownership"              # another worker took over meanwhile
    COMMIT = "failed_workspace_commit"                  # the files changed under it, or cannot be written

    @property
    def kind(self) -> str:
        """"succeeded", "skipped" or "failed"."""
        return self.value.partition("_")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Why what a consolidator made may not be kept: a rule's name, where, and in words."""

    rule: str
    path: str
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.path}: {self.detail or self.rule.replace('_', ' ')}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What a consolidator starts from: the folder with its inputs as they shall be, what changed in it since the baseline
    ("A", "M", "D"), and the handbook as it was then (None: there was none)."""

    folder: Folder
    changes: Mapping[str, str] = field(default_factory=dict)
    baseline: bytes | None = None
    diff: bytes = b""                   # ``phase2_workspace_diff.md``


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What a consolidator did. ``folder`` is all of what is there now; ``oddities`` are things in it that are no plain files;
    ``notes`` tell a person what it did, by name."""

    folder: Mapping[str, File]
    oddities: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[tuple[str, str], ...] = ()
    used: Used = field(default_factory=Used)
    model: str = ""
    said: str = ""


class Consolidator(Protocol):
    """An agent with a model, or rules. It works on what it is given, and on nothing else."""

    @property
    def name(self) -> str:
        """Who it is, for the journal: "rules", "model:…"."""
        ...

    def consolidate(self, given: Given, *, now: datetime) -> Made: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Consolidated:
    """What became of a consolidation: one run, one change (0: nothing changed)."""

    status: Status
    store: str = ""
    run: str = ""
    change: int = 0
    dry_run: bool = False
    detail: str = ""
    by: str = ""                        # "rules", "model:…"
    selected: int = 0                   # extracts that went in
    held_back: int = 0                  # extracts that had their time, and stay once more so that not all goes at once
    pruned: int = 0                     # extracts deleted for good
    changes: Mapping[str, str] = field(default_factory=dict)    # since the baseline: what it had to work on
    lines: Mapping[str, tuple[int, int]] = field(default_factory=dict)  # path to lines added and taken out
    diff: str = ""
    faults: tuple[Fault, ...] = ()
    notes: tuple[tuple[str, str], ...] = ()
    unlinked: tuple[str, ...] = ()      # symbolic links that were taken out of the folder
    used: Used = field(default_factory=Used)
    duration_ms: int = 0

    def as_dict(self) -> dict[str, Any]:
        """For ``--json``."""
        return {
            "status": str(self.status), "store": self.store, "run": self.run, "change": self.change, "dry_run": self.dry_run,
            "detail": self.detail, "by": self.by, "selected": self.selected, "held_back": self.held_back, "pruned": self.pruned,
            "changes": dict(self.changes), "lines": {path: list(each) for path, each in self.lines.items()},
            "faults": [{"rule": each.rule, "path": each.path, "detail": each.detail} for each in self.faults],
            "notes": [list(note) for note in self.notes], "unlinked": list(self.unlinked), "diff": self.diff,
            "tokens": self.used.tokens, "calls": self.used.calls, "duration_ms": self.duration_ms,
        }


def line_counts(before: Sequence[str], after: Sequence[str]) -> tuple[int, int]:
    """Lines added and taken out between two texts, as a diff counts them roughly: lines by how often they occur."""
    old, new = Counter(before), Counter(after)
    return sum((new - old).values()), sum((old - new).values())
