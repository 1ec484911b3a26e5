"""Phase 1: from sessions at rest to what each is worth remembering, kept for phase 2 (study, Codex §4; spec/codex §5-§7).

A session is claimed under a lease, read as a whole, and given to a writer: a language model, or the rules. What comes of it, that
it is done, and that there is something to consolidate become true together; whoever dies before that has done nothing, and the
session is taken again when the lease ends. Nothing that a transcript or a model says decides whose a memory is.

At most eight sessions are at work in a process, in threads that only read and ask; what they bring is stored one by one.
"""

from __future__ import annotations

import queue
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol, TypeVar

from reverie import errors
from reverie.core import place as places
from reverie.core import redact, stage1
from reverie.core.events import Cause
from reverie.core.model import Failure, ModelFailed, Used
from reverie.core.session import Reading, Transcript
from reverie.core.stage1 import AT_ONCE, CONSOLIDATE, EXTRACT, MOST_SCANNED, Limits, Output
from reverie.flows import consolidating, hearing
from reverie.flows.learning import Job
from reverie.flows.space import Space, discreet_path
from reverie.layouts import codex_inputs
from reverie.layouts.codex_stage1 import Texts, Where
from reverie.storage import extracts, jobs
from reverie.storage.extracts import Candidate, Thread
from reverie.storage.jobs import Claim, Refusal

if TYPE_CHECKING:
    from reverie.storage.records import Statement

ATTEMPTS = 5                            # a hand edit between plan and commit makes a new plan; more than this is a loop
Item = TypeVar("Item")
Result = TypeVar("Result")

# What stops the whole run and is no session's fault: the jobs are given back untried.
STOPS: Mapping[Failure, str] = {
    Failure.LIMITED: "skipped_rate_limit", Failure.CAP: "stopped_cap", Failure.FORBIDDEN: "stopped_forbidden",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A session in a writer's hands. ``reading`` streams once; afterwards it knows where the session was."""

    reading: Reading
    where: Callable[[], Where]
    branch: Callable[[], str]

    @property
    def transcript(self) -> Transcript:
        return self.reading.transcript


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What a writer made of a session. ``polluted``: it held content from outside, and the user wants such sessions left out."""

    texts: Texts
    messages: int = 0
    used: Used = field(default_factory=Used)
    polluted: bool = False


class Writer(Protocol):
    """Whatever turns a session into the two texts: a language model, or the rules."""

    @property
    def actor(self) -> str: ...

    def write(self, source: Source) -> Written:
        """What the session is worth; ``ModelFailed`` when there is no answer. Called from several threads."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """What became of one session. ``outcome``: "succeeded", "succeeded_no_output", "failed", "released" (given back untried), or
    "skipped_…" with the reason why it was not claimed."""

    host: str
    session: str
    outcome: str
    path: str = ""
    cwd: str = ""
    project: str = ""
    detail: str = ""
    stopped: str = ""               # for "released": what stopped the whole run, by name
    slug: str = ""
    messages: int = 0
    drops: Mapping[str, int] = field(default_factory=dict)
    used: Used = field(default_factory=Used)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Task:
    """A claimed session."""

    claim: Claim
    job: Job


def extract(
    space: Space,
    found: Iterable[Job],
    writer: Writer,
    limits: Limits,
    *,
    worker: str,
    run: str = "",
    current: str = "",
    force: bool = False,
    left: Counter[str] | None = None,
    on_start: Callable[[int], None] = lambda total: None,
) -> Iterator[Extracted]:
    """Extract what is due of these sessions, one result each, those that were refused first. Stopping in the middle (Ctrl-C)
    gives the rest back; killed, it is taken again when the leases end. ``left`` counts what is not due, by reason."""
    known = {(job.transcript.host, job.transcript.session): job for job in _newest(found)}
    tasks: list[_Task] = []
    due = _due(space, known, limits, current=current, force=force, left=Counter() if left is None else left)
    try:
        for each in _claims(space, known, due, limits, worker=worker, force=force):
            if isinstance(each, _Task):
                tasks.append(each)
            else:
                yield each
        on_start(len(tasks))
    except BaseException:               # stopped before anything was begun
        for task in tasks:
            _release(space, task.claim)
        raise
    yield from _work(space, tasks, writer, run=run)


def _newest(found: Iterable[Job]) -> Iterator[Job]:
    """Each session once: a copy of a transcript that went on elsewhere is older."""
    return iter(sorted(found, key=lambda job: _updated_at(job.transcript)))


def _updated_at(transcript: Transcript) -> int:
    at = transcript.updated_at or transcript.started_at
    return int(at.timestamp()) if at else 0


# ---- claiming

def _due(
    space: Space, known: Mapping[tuple[str, str], Job], limits: Limits, *, current: str, force: bool, left: Counter[str]
) -> list[Candidate]:
    """What may be extracted, newest first; the rest is counted."""
    seen_at = space.home.extracts.see(_thread(job.transcript) for job in known.values())
    judged = space.home.extracts.judged(space.design.name, limits, seen_at=seen_at, current=current, force=force)
    left.update(each.verdict for each in judged if each.verdict)
    return [each for each in judged if not each.verdict][:MOST_SCANNED]


def _claims(
    space: Space, known: Mapping[tuple[str, str], Job], due: Iterable[Candidate], limits: Limits, *, worker: str, force: bool
) -> Iterator[_Task | Extracted]:
    """What is due, claimed until there are enough."""
    most = limits.clamped().max_rollouts_per_startup
    design = space.design.name
    taken = 0
    for candidate in due:
        job = known.get((candidate.host, candidate.session))
        if job is None:                 # another look, at the same moment, found it
            continue
        claim = space.home.jobs.claim(
            EXTRACT, stage1.job_key(design, candidate.host, candidate.session), worker=worker, watermark=candidate.updated_at,
            at_most_running=most, force=force)
        if isinstance(claim, Refusal):
            yield _refused(candidate, job, claim)
        else:
            yield _Task(claim=claim, job=job)
            taken += 1
        if taken == most or claim is Refusal.AT_CAPACITY:
            return


def _thread(found: Transcript) -> Thread:
    mode = found.about.get("memory_mode")
    return Thread(
        host=found.host, session=found.session, path=discreet_path(found.path), cwd=discreet_path(found.cwd), branch=found.branch,
        source=found.source, of_agent=found.of_agent, archived=found.archived, updated_at=_updated_at(found),
        memory_mode=mode if mode in stage1.MODES else "enabled",
        created_at=int(found.started_at.timestamp()) if found.started_at else None)


def _refused(candidate: Candidate, job: Job, why: Refusal) -> Extracted:
    return Extracted(host=candidate.host, session=candidate.session, path=discreet_path(job.transcript.path),
                     outcome=f"skipped_{why}")


# ---- at work

def _work(space: Space, tasks: list[_Task], writer: Writer, *, run: str) -> Iterator[Extracted]:
    """Let the writer at the sessions, and store what it brings. Once something stops the run, no other session is begun."""
    open_claims = {task.claim.key: task for task in tasks}
    stopped: list[str] = []
    lock = threading.Lock()             # git and the database are asked for one place at a time

    def write(task: _Task) -> tuple[Source, Written] | None:
        if stopped:
            return None
        reading = hearing.of_people(task.job.dialect.read(task.job.transcript, None))
        source = Source(reading=reading, where=lambda: _where(space, reading, lock), branch=lambda: reading.branch)
        try:
            return source, writer.write(source)
        except ModelFailed as failed:
            if failed.why in STOPS:     # at once, before this thread takes the next one
                stopped.append(STOPS[failed.why])
            raise

    beaten = space.home.jobs.now()
    try:
        for task, result in in_threads(write, tasks, at_once=AT_ONCE):
            del open_claims[task.claim.key]
            if space.home.jobs.now() - beaten > jobs.LEASE_SECONDS // 4:       # a long queue outlives its leases
                beaten = space.home.jobs.now()
                _beat(space, [waiting.claim for waiting in open_claims.values()])
            yield _settled(space, task, result, writer.actor, stopped, run=run)
    finally:
        for task in open_claims.values():
            _release(space, task.claim)


def in_threads(
    work: Callable[[Item], Result], items: Sequence[Item], *, at_once: int
) -> Iterator[tuple[Item, Result | BaseException]]:
    """Do some work on each item, a few at once, and hand on each result as it comes. Whoever stops listening waits for nothing:
    the threads end with the process."""
    waiting: queue.SimpleQueue[Item | None] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[Item, Result | BaseException]] = queue.SimpleQueue()
    for item in items:
        waiting.put(item)
    threads = min(at_once, len(items))
    for _ in range(threads):
        waiting.put(None)

    def run() -> None:
        while (item := waiting.get()) is not None:
            try:
                done.put((item, work(item)))
            except BaseException as error:  # handed on, to be answered where results are; else nobody would hear of it
                done.put((item, error))

    for _ in range(threads):
        threading.Thread(target=run, daemon=True, name="reverie-extract").start()
    for _ in items:
        yield _next(done)


def _next(done: queue.SimpleQueue[Result]) -> Result:
    while True:
        try:
            return done.get(timeout=0.5)        # without one, Windows hears no Ctrl-C
        except queue.Empty:
            continue


def _where(space: Space, reading: Reading, lock: threading.Lock) -> Where:
    with lock:
        place = space.place(reading.cwd or reading.transcript.cwd, reading.transcript.project_hint)
    return Where(project=places.project_key(place), cwd=place.cwd)


# ---- storing

def _settled(
    space: Space, task: _Task, result: tuple[Source, Written] | BaseException | None, actor: str, stopped: Sequence[str],
    *, run: str,
) -> Extracted:
    """One session's end, in the tables and as a result (spec/codex §7)."""
    transcript = task.job.transcript
    outcome = Extracted(host=transcript.host, session=transcript.session, path=discreet_path(transcript.path), outcome="")
    try:
        if result is None or (isinstance(result, ModelFailed) and result.why in STOPS):
            _release(space, task.claim)
            return replace(outcome, outcome="released", stopped=stopped[0], detail=str(result or ""),
                           used=result.used if result else Used())
        if isinstance(result, ModelFailed):
            space.home.jobs.fail(task.claim, f"{result.why}: {result}")
            return replace(outcome, outcome="failed", detail=redact.redact(f"{result.why}: {result}").text, used=result.used)
        if isinstance(result, Exception):       # whatever a transcript made of us: this session fails by name, not the others
            detail = f"{type(result).__name__}: {result}"
            space.home.jobs.fail(task.claim, detail)
            return replace(outcome, outcome="failed", detail=redact.redact(detail).text)
        if isinstance(result, BaseException):
            raise result
        return _keep(space, task, *result, actor, outcome, run=run)
    except errors.LeaseLost as lost:
        return replace(outcome, outcome="lease_lost", detail=str(lost))
    except BaseException:               # it could not be stored: others need not wait for the lease to end
        _release(space, task.claim)
        raise


def _keep(
    space: Space, task: _Task, source: Source, written: Written, actor: str, outcome: Extracted, *, run: str
) -> Extracted:
    design, claim, transcript = space.design.name, task.claim, task.job.transcript
    where = source.where()
    outcome = replace(
        outcome, cwd=where.cwd, project=where.project, messages=written.messages, drops=written.texts.drops, used=written.used)
    if written.polluted:
        space.home.extracts.set_mode(transcript.host, transcript.session, "polluted")
    announce = jobs.enqueue_statement(CONSOLIDATE, space.store(space.only_mount()).label, claim.watermark)
    if written.polluted or written.texts.nothing:
        gone = [extracts.drop_statement(design, transcript.host, transcript.session), announce]
        had = space.home.extracts.get(design, transcript.host, transcript.session) is not None
        space.home.jobs.finish(claim, also=gone if had else ())
        return replace(outcome, outcome="succeeded_no_output", detail="polluted" if written.polluted else "")
    output = Output(
        design=design, host=transcript.host, session=transcript.session, project=where.project, cwd=where.cwd,
        branch=source.branch(), path=outcome.path, actor=actor, source_updated_at=claim.watermark,
        rollout_summary=written.texts.rollout_summary, rollout_slug=written.texts.rollout_slug,
        raw_memory=written.texts.raw_memory, generated_at=space.home.jobs.now(),
    )
    if space.design.writing.files_at_once:
        _put_at_once(space, claim, output, announce, run=run)
    else:
        space.home.jobs.finish(claim, also=[extracts.put_statement(output), announce])
    return replace(outcome, outcome="succeeded", slug=output.rollout_slug)


def _put_at_once(space: Space, claim: Claim, output: Output, announce: Statement, *, run: str) -> None:
    """The session's files, its row, the end of its job and the word to phase 2, as one change that can be undone."""
    store = space.store(space.only_mount())
    extract = consolidating.extract_of(output)
    for _ in range(ATTEMPTS):
        with space.home.lock("extract"):
            space.home.jobs.confirm(claim)
            view = store.folder()
            forgotten = consolidating.forgotten_in(space.home.records.tombstones(), {output.session: output.project})
            plan = store.plan_files(view, codex_inputs.added(view, extract, forgotten=forgotten), space.now())
            cause = Cause(operation="extract", actor=output.actor, run=run, host=output.host, session=output.session)
            try:
                space.home.journal.commit(
                    plan.edits, cause=cause, counts={"extracted": 1},
                    also=[extracts.put_statement(output), space.home.jobs.finish_statement(claim), announce])
                return
            except errors.Conflict:     # somebody wrote by hand just now: look again
                continue
    raise errors.StoreUnavailable(f"{store.root!r} kept changing while a session was put into it")


def _beat(space: Space, claims: Iterable[Claim]) -> None:
    for claim in claims:
        try:
            space.home.jobs.heartbeat(claim)
        except errors.LeaseLost:        # it is said when its turn comes
            continue


def _release(space: Space, claim: Claim) -> None:
    try:
        space.home.jobs.release(claim)
    except errors.ReverieError:         # somebody else has it, or the database is closed to us: the lease ends by itself
        return
