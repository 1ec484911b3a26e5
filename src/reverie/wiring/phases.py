"""The two phases of Codex's design, with what the settings say of them."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

from reverie import errors
from reverie.flows.space import Space
from reverie.wiring import adopting, sessions
from reverie.wiring.learning import by_rules
from reverie.wiring.models import Models
from reverie.wiring.reports import Consolidated
from reverie.wiring.setup import Setup

if TYPE_CHECKING:
    from reverie.core.consolidation import Consolidated as Phase2
    from reverie.core.stage1 import Limits
    from reverie.flows.extracting import Extracted, Writer


def consolidate(
    setup: Setup, models: Models, *, hosts: Sequence[str] = (), paths: Sequence[str] = (), agents_home: str | None = None,
    session: str = "",
    force: bool = False, dry_run: bool = False, extract_only: bool = False, most_removed: int | None = None,
    on_start: Callable[[int], None] = lambda total: None, on_session: Callable[[Extracted], None] = lambda extracted: None,
) -> Consolidated:
    """Extract the sessions that are at rest (phase 1), then put all that was extracted in order (phase 2), in a design that
    writes in two phases: ``WrongUse`` in others. With the models of the flows "extract" and "consolidate" if they are chosen,
    else by rules.

    ``session``: the one at hand, left out. ``force``: whatever the age of a session, and without the pauses after a failure
    and a success. ``extract_only``: without phase 2. ``most_removed`` (per cent; default: the setting): a phase 2
    that takes more is refused. ``dry_run``: on a copy; a model is not asked, what it would be asked is counted.
    """
    from reverie.flows import consolidating, phases, rehearsal

    if not setup.space.design.writing.two_phases:
        raise errors.WrongUse(f"the design {setup.space.design.name!r} does not write in two phases; `--design codex` does. "
                              "`reverie dream` tidies up in every design.")
    if not dry_run:
        adopting.catch_up(setup)
    jobs, bad = sessions.found(setup, hosts=hosts, paths=paths, agents_home=agents_home, since_when=None)
    asked = phases.Asked(limits=_limits(setup), worker=f"{platform.node()}:{os.getpid()}", current=session, force=force,
                         on_start=on_start, on_session=on_session)
    with rehearsal.of(setup.space) if dry_run else nullcontext(setup.space) as space:
        run = space.home.journal.start_run(phases.OPERATION)
        outcome, counts = "stopped", dict[str, int]()
        try:
            first = phases.phase1(space, jobs, bad, _writer(setup, models, space, run=run, dry_run=dry_run), asked, run=run)
            outcome, counts = first.status, first.outcomes
            second = None
            if not extract_only:
                second = _second(setup, models, space, run, force=force, dry_run=dry_run, most_removed=most_removed)
                outcome, counts = str(second.status), {**counts, **consolidating.counts(second)}
        finally:
            space.home.journal.end_run(run, outcome, counts)
    return Consolidated(run="" if dry_run else run, dry_run=dry_run, phase1=first, phase2=second)


def _second(
    setup: Setup, models: Models, space: Space, run: str, *, force: bool, dry_run: bool, most_removed: int | None) -> Phase2:
    """Phase 2, within what the settings let it take, and take away."""
    from reverie.flows import consolidating

    model = models.named("consolidate", run=run)
    model = None if model is None or model.forbidden else model
    values = setup.settings
    share = values["dream.most_removed"] if most_removed is None else most_removed
    options = consolidating.Options(
        max_raw_memories=values["codex.max_raw_memories_for_consolidation"], max_unused_days=values["codex.max_unused_days"],
        most_gone=share / 100, budget=consolidating.Budget(tokens=values["codex.consolidation_tokens"]),
    )
    if dry_run:
        return consolidating.dry(space, model=model, options=options)
    return consolidating.consolidate(space, model=model, options=options, force=force, run=run)


def _limits(setup: Setup) -> Limits:
    """The settings where somebody has made them, else the design's own numbers."""
    from reverie.core.stage1 import Limits

    def chosen(name: str, own: float) -> int:
        setting = setup.settings.values[f"codex.{name}"]
        return int(own if setting.origin == "default" else setting.value)

    writing = setup.space.design.writing
    return Limits(
        max_rollouts_per_startup=chosen("max_rollouts_per_startup", writing.sessions_at_once),
        max_rollout_age_days=chosen("max_rollout_age_days", writing.max_age_days),
        min_rollout_idle_hours=chosen("min_rollout_idle_hours", writing.idle_hours),
        headless=bool(setup.settings["codex.headless"]),
    )


def _writer(setup: Setup, models: Models, space: Space, *, run: str, dry_run: bool) -> Writer:
    """Who writes in phase 1."""
    from reverie.flows import extracting_writers as writers

    leave_out = bool(setup.settings["codex.disable_on_external_context"])
    model = models.named("extract", run=run)
    if model is not None and model.forbidden:
        space.home.note(f"calls of models are forbidden by {model.forbidden}: extracted by rules")
    if model is None or model.forbidden:
        return writers.ByRules(
            extractor=by_rules(), gate=space.design.writing.gate(), tombstones=space.home.records.tombstones(),
            now=space.now(), leave_out_external=leave_out)
    share = space.design.writing.window_share
    if dry_run:
        return writers.Estimated(model=model, leave_out_external=leave_out, effective=share)
    return writers.ByModel(model=model, leave_out_external=leave_out, effective=share)
