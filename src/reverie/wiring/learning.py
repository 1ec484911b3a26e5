"""A run of learning: what others wrote is taken over first, then the sessions that are meant are read, one after the other."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

from reverie import errors
from reverie.flows.space import Space
from reverie.wiring import adopting, sessions
from reverie.wiring.models import Models
from reverie.wiring.reports import Report
from reverie.wiring.setup import Setup

if TYPE_CHECKING:
    from reverie.core.proposal import Extractor
    from reverie.core.session import Unreadable
    from reverie.flows.learning import Job, Learned


def learn(
    setup: Setup,
    models: Models,
    conversation: Iterable[tuple[str, str]] | None = None,
    *,
    session: str = "",
    hosts: Sequence[str] = (),
    paths: Sequence[str] = (),
    wanted: Collection[str] = (),
    agents_home: str | None = None,
    since: str | None = None,
    project: str | None = None,
    dry_run: bool = False,
    model: str = "",
    most_tokens: int = 0,
    on_start: Callable[[int], None] = lambda total: None,
    on_session: Callable[[Learned], None] = lambda learned: None,
) -> Report:
    """Learn from a conversation, as (speaker, text) pairs with "user" and "assistant" as speakers, or from the agents'
    own session files: all that are found below the home folder, or those that the options leave (``wanted``: with these ids).

    ``model``: which language model reads them, "none" for the rules; default: that of the flow "extract", else the rules.
    ``most_tokens``: more are not spent. A rehearsal asks a model only if it is named here: it costs as any other does.
    Raises ``ModelFailed`` when the model cannot be asked further; what was learned until then is kept.
    """
    from reverie.core import switch
    from reverie.flows import rehearsal, spoken

    if switch.inside(setup.environment):
        raise errors.WrongUse(f"nothing is learned within an agent that Reverie runs as a model ({switch.INSIDE} is set)")
    if conversation is not None:
        jobs = [spoken.job(conversation, session=session, cwd=setup.cwd, at=setup.space.now())]
        bad: list[Unreadable] = []
    else:
        jobs, bad = sessions.found(setup, hosts=hosts, paths=paths, agents_home=agents_home, since_when=since)
        jobs = [job for job in jobs if not wanted or job.transcript.session in wanted]
    on_start(len(jobs) + len(bad))
    adopted = None
    with rehearsal.of(setup.space) if dry_run else nullcontext(setup.space) as space:
        if conversation is None:
            native = [] if paths or wanted else [host for host in adopting.NATIVE_HOSTS if not hosts or host in hosts]
            adopted = adopting.run(setup, space, own=True, native=native, everywhere=True, agents_home=agents_home)
            adopted = adopted.rehearsed(space.home.root, setup.space.home.root) if dry_run else adopted
        make = reader(setup, models, model, most_tokens, dry_run=dry_run)
        run, done = _run(space, jobs, bad, make, project=project, on_session=on_session)
    if not dry_run and not setup.background and conversation is None and agents_home is None:
        from reverie.flows import background

        background.settle(setup.space, everything=not (hosts or paths or wanted or since or project), paths=list(paths))
    return Report(run="" if dry_run else run, dry_run=dry_run, sessions=tuple(done), adopted=adopted)


def by_rules() -> Extractor:
    """The extractor that needs no model."""
    from reverie.models.rules import Rules

    return Rules()


def reader(setup: Setup, models: Models, name: str, most_tokens: int, *, dry_run: bool) -> Callable[[str], Extractor]:
    """What makes the extractor of a run: a model, where one was chosen and may be asked, else the rules."""
    asked = name not in ("", "none", "rules")
    if name in ("none", "rules") or (dry_run and not asked and setup.model is None):
        return lambda run: by_rules()
    model = models.named("extract", name=name)
    if model is None:
        return lambda run: by_rules()
    if model.forbidden and not asked:
        setup.space.home.note(f"calls of models are forbidden by {model.forbidden}: learned by rules")
        return lambda run: by_rules()
    from reverie.flows import proposing

    chosen = model
    aside = f"/{uuid.uuid4().hex[:8]}" if dry_run else ""    # the runs of rehearsals are numbered anew each time
    return lambda run: proposing.ByModel(model=chosen.for_run(run + aside, most_tokens=most_tokens))


def _run(
    space: Space, jobs: list[Job], bad: list[Unreadable], reader: Callable[[str], Extractor], *, project: str | None,
    on_session: Callable[[Learned], None],
) -> tuple[str, list[Learned]]:
    run = space.home.journal.start_run("learn")
    done: list[Learned] = []
    outcome = "stopped"
    try:
        for learned in _learned(space, jobs, bad, reader(run), run=run, project=project):
            done.append(learned)
            on_session(learned)
        outcome = "succeeded" if any(learned.kept for learned in done) else "succeeded_no_output"
    finally:
        space.home.journal.end_run(run, outcome, Counter(learned.outcome for learned in done))
    return run, done


def _learned(
    space: Space, jobs: list[Job], bad: list[Unreadable], extractor: Extractor, *, run: str, project: str | None
) -> Iterator[Learned]:
    from reverie.flows import learning

    for unreadable in bad:
        yield learning.unreadable(space, unreadable, run=run)
    yield from learning.learn(
        space, jobs, extractor, run=run,
        wanted=(lambda place: sessions.is_project(place, project)) if project else lambda place: True,
    )
