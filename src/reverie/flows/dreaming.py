"""Dreaming: a store is cleaned between sessions. Gates, lock, gather, consolidate, one journalled change, report.

Thinking is done outside of the home's lock and the change inside of it: what somebody wrote meanwhile makes a new plan. All
stores of a dream change together, and ``undo`` of its run takes all of it back. What goes lies in the trash. Dreams that the
user took back are not dreamt again by themselves.

The seam for a model is ``core.dream.Consolidator``: hand one to ``dream`` and it decides in place of the rules, behind the
same lock, checks, shrink guard, journal and report. It is called outside of the home's lock and may take its time; an agent
that works on files in a staging copy hands back the difference as a ``Change``. Transcripts are not read here: what was said
in them is in the memories already, and an agent that wants more searches them narrowly by itself (study, Claude Code §8).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from time import perf_counter

from reverie import errors
from reverie.axes.scoping import Mount
from reverie.core.dream import GATES, MOST_GONE, Consolidator, Gates, Skip, Step
from reverie.core.dream_merging import Merging
from reverie.core.dream_report import Dreamed
from reverie.core.dream_summaries import Mechanical
from reverie.core.events import Cause
from reverie.core.telemetry import TRIGGERS, Dream
from reverie.flows import rehearsal, telling
from reverie.flows.dream_store import Bed, Process
from reverie.flows.space import Space

__all__ = ["Gates", "Process", "dream", "rehearsed", "rules_of", "waiting"]

ATTEMPTS = 5            # somebody's write between thinking and changing makes a new plan; more than this is a loop
CHANGES_SEEN = 500      # of the journal, when looking for dreams that were taken back
PROCESS = Process()

# The plain design has the study's mechanical one; the product today has none without a model (spec/qwen-code §11.4).
_CONSOLIDATORS: Mapping[str, Consolidator] = {"qwen-code": Mechanical()}


def rules_of(space: Space) -> Consolidator:
    """What decides in this design where nobody else does."""
    return _CONSOLIDATORS.get(space.design.name) or Merging()


def dream(
    space: Space,
    mounts: Iterable[Mount],
    *,
    session: str = "",
    force: bool = False,
    enabled: bool = True,
    gates: Gates = GATES,
    most_gone: float = MOST_GONE,
    consolidator: Consolidator | None = None,
    process: Process = PROCESS,
    trigger: str = "manual",
) -> Dreamed:
    """Dream over these stores, as far as it is time for each. ``force``: it is time; only another dreamer is waited for.

    ``most_gone``: the share of a store's memories, and of their characters, above which its change is refused.
    """
    started = perf_counter()
    consolidator = consolidator or rules_of(space)
    beds = [Bed(space, mount, consolidator, session=session, process=process) for mount in mounts]
    asleep: list[Bed] = []
    done: Dreamed | None = None
    try:
        for bed in beds:
            if bed.begin(force=force, enabled=enabled, gates=gates):
                asleep.append(bed)
        done = _night(space, asleep, session=session, most_gone=most_gone, force=force) if asleep else Dreamed()
    finally:
        for bed in asleep:
            bed.end()
        told = replace(
            done or Dreamed(), stores=tuple(bed.result for bed in beds), duration_ms=round(1000 * (perf_counter() - started))
        )
        if asleep:          # what the gates stopped is no event (spec/qwen-code §16)
            _tell(space, told, trigger=trigger, failed=done is None)
    return told


def _tell(space: Space, done: Dreamed, *, trigger: str, failed: bool) -> None:
    status = "failed" if failed or done.status == "refused" else done.status
    telling.tell(space, Dream(
        trigger=trigger if trigger in TRIGGERS else "manual", status=status, duration_ms=done.duration_ms,
        deduped_entries=sum(each.deduped for each in done.stores if each.outcome == "updated"),
        touched_topics=tuple(sorted({topic for each in done.stores if each.outcome == "updated" for topic in each.topics})),
    ))


def _night(space: Space, beds: Sequence[Bed], *, session: str, most_gone: float, force: bool) -> Dreamed:
    journal = space.home.journal
    run = journal.start_run("dream")
    outcome = "failed"
    counts: Counter[str] = Counter()
    try:
        change, trashed = _consolidated(space, beds, run=run, session=session, most_gone=most_gone, force=force)
        counts.update(str(step.act) for bed in beds for step in bed.result.steps)
        outcome = Dreamed(stores=tuple(bed.result for bed in beds)).status
    finally:
        journal.end_run(run, outcome, counts)
    return Dreamed(run=run, change=change, trashed=trashed)


def _consolidated(
    space: Space, beds: Sequence[Bed], *, run: str, session: str, most_gone: float, force: bool
) -> tuple[int, tuple[str, ...]]:
    """Think, then change, until nobody came in between. The change's id, and where what was removed lies."""
    rejected = frozenset() if force else frozenset(_taken_back(space))
    for _ in range(ATTEMPTS):
        for bed in beds:
            bed.think(rejected, most_gone)
        try:
            with space.home.lock("dream"):
                if any(bed.changed_meanwhile() for bed in beds):
                    continue
                plans = [bed.plan() for bed in beds]
                steps = [step for bed in beds for step in bed.result.steps]
                change = space.home.journal.commit(
                    [edit for plan in plans for edit in plan.edits],
                    cause=Cause(operation="dream", actor=beds[0].consolidator.name, run=run, session=session,
                                why=_summary(steps)),
                    touched=[touched for bed in beds for touched in bed.touched()],
                    counts=Counter(str(step.act) for step in steps),
                )
                for bed in beds:
                    bed.woke()
        except errors.Conflict:
            continue            # a file was edited by hand under us
        return change, tuple(path for plan in plans for path in plan.trashed)
    raise errors.StoreUnavailable("the memories kept changing while they were dreamt over; nothing was changed")


def _summary(steps: Sequence[Step]) -> str:
    return ", ".join(f"{number} {act}" for act, number in sorted(Counter(str(step.act) for step in steps).items()))


def _taken_back(space: Space) -> Iterator[tuple[str, str]]:
    """What dreams had changed and the user gave back: memories (full ids) and what they had said."""
    for change in space.home.journal.changes(CHANGES_SEEN):
        if change.cause.operation == "dream" and change.status == "undone":
            yield from ((touched.memory, touched.before) for touched in change.touched)


def rehearsed(
    space: Space,
    mounts: Sequence[Mount],
    *,
    session: str = "",
    force: bool = False,
    enabled: bool = True,
    gates: Gates = GATES,
    most_gone: float = MOST_GONE,
    consolidator: Consolidator | None = None,
) -> Dreamed:
    """What a dream would do now, whether or not it is time, on a copy; for each store also why it would not begin yet."""
    waits = {} if force else waiting(space, mounts, session=session, enabled=enabled, gates=gates)
    with rehearsal.of(space) as copy:
        done = dream(
            copy, mounts, session=session, force=True, gates=gates, most_gone=most_gone, consolidator=consolidator,
            process=Process(),
        )
    stores = tuple(replace(each, waits=waits.get(each.store)) for each in done.stores)
    return replace(done, run="", change=0, dry_run=True, trashed=(), stores=stores)


def waiting(
    space: Space, mounts: Iterable[Mount], *, session: str = "", enabled: bool = True, gates: Gates = GATES
) -> dict[str, Skip | None]:
    """Why each store's dream would not begin by itself now. This counts as no scan."""
    beds = [Bed(space, mount, Merging(), session=session, process=Process()) for mount in mounts]
    return {bed.store.label: bed.waits(enabled=enabled, gates=gates) for bed in beds}
