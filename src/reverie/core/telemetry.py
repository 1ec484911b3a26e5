"""What the stages did, as values: the three events of the study (Qwen Code §10), and the deliveries of the product's version
(spec/qwen-code §16). Numbers and names only: no prompt, no memory, no path.

They are kept in the journal's stream (``reverie events``) under their ``kind``, and leave the machine only where OpenTelemetry
is set up and somebody exports them (``entrypoints.otel``).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import ClassVar

KINDS = ("extract", "dream", "recall", "delivery")
TRIGGERS = ("auto", "manual")


@dataclass(frozen=True, slots=True, kw_only=True)
class Extract:
    """One extraction. ``status``: "completed", "skipped", "failed". ``patches_count``: the memories that it wrote; the product
    has the number of touched topics there."""

    kind: ClassVar = "extract"
    status: str
    trigger: str = "auto"
    skipped_reason: str = ""
    patches_count: int = 0
    touched_topics: tuple[str, ...] = ()
    duration_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Dream:
    """One dream. ``status``: "updated", "noop", "failed"; what was refused for taking too much has failed."""

    kind: ClassVar = "dream"
    status: str
    trigger: str = "auto"
    deduped_entries: int = 0
    touched_topics: tuple[str, ...] = ()
    duration_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """One recall. ``strategy``: "none", "heuristic", "model"."""

    kind: ClassVar = "recall"
    query_length: int
    docs_scanned: int
    docs_selected: int
    strategy: str
    duration_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One delivery of what was recalled. ``phase``: "fast", "refined"; ``delivery_point``: "initial", "tool_result", "discarded",
    then with a ``discard_reason``."""

    kind: ClassVar = "delivery"
    phase: str
    delivery_point: str
    strategy: str
    docs_selected: int
    discard_reason: str = ""
    latency_ms: int = 0


Telemetry = Extract | Dream | Recall | Delivery


def facts(event: Telemetry) -> dict[str, object]:
    """The fields of an event as JSON holds them; a reason that there is none of is left out."""
    told: dict[str, object] = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(event).items()}
    return {name: value for name, value in told.items() if value != "" or not name.endswith("reason")}


def attributes(kind: str, told: dict[str, object]) -> dict[str, str | int | float | bool]:
    """The fields as OpenTelemetry has them: lists joined with commas, and of a dream the number of topics besides."""
    plain: dict[str, str | int | float | bool] = {}
    for name, value in told.items():
        if isinstance(value, (list, tuple)):
            plain[name] = ",".join(str(each) for each in value)
            if kind == "dream" and name == "touched_topics":
                plain["touched_topics_count"] = len(value)
        elif isinstance(value, (str, int, float, bool)):
            plain[name] = value
    return plain
