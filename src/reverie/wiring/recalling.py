"""Recall by the strategy that the user chose, and the event that a design leaves of it."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from reverie import errors
from reverie.flows import reading
from reverie.wiring.models import Models
from reverie.wiring.setup import Setup

if TYPE_CHECKING:
    from reverie.core.recall import Result
    from reverie.flows.delivering import Turn
    from reverie.flows.metering import Metered
    from reverie.flows.reading import Recalled

STRATEGIES = ("none", "heuristic", "model")
LATE_SECONDS = 30.0         # that a model may take where nobody waits for it (spec/qwen-code §7.4)


def recall(setup: Setup, models: Models, prompt: str, *, documents: int, tools: Sequence[str] = ()) -> Recalled:
    """By the design's rules, or as the strategy says; and, where the design tells of its recalls, an event of it."""
    started = time.perf_counter()
    found = _by_rules(setup, prompt, documents, tools=tools)
    model = _model(setup, models)
    if model is not None:
        found = _chosen(setup, model, prompt, found, documents, setup.settings["recall.deadline_ms"] / 1_000, tools=tools)
    _tell(setup, prompt, found, started)
    return found


def turn(
    setup: Setup, models: Models, prompt: str, *, delivered: set[str], documents: int, tools: Sequence[str] = ()
) -> Turn:
    """The recall of a turn, delivered as it comes (``flows.delivering``)."""
    from reverie.flows.delivering import Turn

    started = time.perf_counter()
    found = _by_rules(setup, prompt, documents, delivered, tools)
    model = _model(setup, models)
    if model is None:
        _tell(setup, prompt, found, started)
        return Turn(setup.space, found, delivered=delivered)
    given, chosen = frozenset(delivered), model

    def refine() -> Recalled:
        refined = _chosen(setup, chosen, prompt, found, documents, LATE_SECONDS, given, tools)
        _tell(setup, prompt, refined, started)
        return refined

    return Turn(setup.space, found, delivered=delivered, refine=refine, fast=setup.space.design.ranking.fast or documents)


def delivered(setup: Setup, found: Recalled, fresh: Sequence[Result], started: float) -> None:
    """The event that a design leaves of what went with a prompt, or did not. ``fresh``: what the session had not before it."""
    if setup.space.design.tells_recalls:
        from reverie.core.telemetry import Delivery
        from reverie.flows import telling

        reason = "" if fresh else "already_delivered" if found.results else "no_relevant_results"
        telling.tell(setup.space, Delivery(
            phase="refined", delivery_point="initial" if fresh else "discarded", discard_reason=reason, strategy=found.strategy,
            docs_selected=len(fresh), latency_ms=round(1_000 * (time.perf_counter() - started)),
        ))


def _by_rules(
    setup: Setup, prompt: str, documents: int, skip: Collection[str] = (), tools: Sequence[str] = ()
) -> Recalled:
    if _strategy(setup) == "none":
        return reading.Recalled([], 0)
    characters = setup.settings["recall.characters"]
    return reading.recall(
        setup.space, setup.place, prompt, documents=documents, characters=characters, skip=skip, tools=tools
    )


def _model(setup: Setup, models: Models) -> Metered | None:
    model = models.named("recall") if _strategy(setup) == "model" else None
    return None if model is None or model.forbidden else model


def _chosen(
    setup: Setup, model: Metered, prompt: str, found: Recalled, documents: int, seconds: float,
    skip: frozenset[str] = frozenset(), tools: Sequence[str] = (),
) -> Recalled:
    from reverie.flows import selecting

    return selecting.select(
        setup.space, setup.space.mounts(setup.place), prompt, found, model=model, documents=documents,
        characters=setup.settings["recall.characters"], seconds=seconds, skip=skip, tools=tools,
    )


def _tell(setup: Setup, prompt: str, found: Recalled, started: float) -> None:
    if setup.space.design.tells_recalls:
        from reverie.core.telemetry import Recall
        from reverie.flows import telling

        telling.tell(setup.space, Recall(
            query_length=len(prompt), docs_scanned=found.scanned, docs_selected=len(found.results), strategy=found.strategy,
            duration_ms=round(1_000 * (time.perf_counter() - started)),
        ))


def _strategy(setup: Setup) -> str:
    setting = setup.settings.values["recall.strategy"]
    if setting.value not in STRATEGIES:
        raise errors.WrongUse(
            f"recall.strategy = {setting.value!r} (from {setting.origin}) must be one of {', '.join(STRATEGIES)}"
        )
    return str(setting.value)
