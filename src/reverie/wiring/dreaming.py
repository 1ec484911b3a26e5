"""A dream: which stores, whose decisions, within which gates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.wiring.models import Models
from reverie.wiring.setup import Setup

if TYPE_CHECKING:
    from reverie.core.dream import Consolidator
    from reverie.core.dream_report import Dreamed
    from reverie.flows.dream_agent import ByModel


def dream(
    setup: Setup, models: Models, *, session: str = "", force: bool = False, dry_run: bool = False, everywhere: bool = False,
    most_removed: int | None = None, consolidator: Consolidator | None = None, trigger: str = "manual",
) -> Dreamed:
    """Dream, or say what a dream would do now."""
    from reverie.flows import dreaming

    values = setup.settings
    share = (values["dream.most_removed"] if most_removed is None else most_removed) / 100
    gates = dreaming.Gates(hours=values["dream.hours"], sessions=values["dream.sessions"])
    mounts = list(setup.space.every_mount() if everywhere else setup.space.around(setup.place))
    enabled = bool(values["dream.enabled"])
    if dry_run:
        return dreaming.rehearsed(setup.space, mounts, session=session, force=force, enabled=enabled, gates=gates,
                                  most_gone=share, consolidator=consolidator)
    agent = None if consolidator else _agent(setup, models)
    done = dreaming.dream(setup.space, mounts, session=session, force=force, enabled=enabled, gates=gates, most_gone=share,
                          consolidator=consolidator or agent, trigger=trigger)
    if agent is not None and agent.failed:
        setup.space.home.note(f"dreamt by rules alone: {agent.failed}")
    return done


def _agent(setup: Setup, models: Models) -> ByModel | None:
    """The agent that goes on where the rules end, if a model was chosen for it and may be asked."""
    model = models.named("dream")
    if model is None or model.forbidden:
        return None
    from reverie.flows import dreaming
    from reverie.flows.dream_agent import ByModel

    return ByModel(model, dreaming.rules_of(setup.space), home=setup.space.home.root)
