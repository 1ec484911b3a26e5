"""What is to be done after a turn, as jobs: which sessions grew, and who works on which project.

A hook announces a session and is done. A worker takes the sessions project by project, one worker a project, under leases
(``storage.jobs``). Whoever is killed is replaced when the lease ends; what was learned twice is not learned twice.

No session is missed between a worker that ends and a hook that therefore starts none: the hook announces first and looks
for a worker afterwards; the worker lets go of its lease first and looks for work afterwards.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reverie import errors
from reverie.core import place as places
from reverie.storage.jobs import Claim

if TYPE_CHECKING:
    from reverie.core.place import Place
    from reverie.flows.space import Space
    from reverie.storage.jobs import Job, Jobs

SESSION, PROJECT, WORKER = "session", "project", "worker"       # kinds of jobs
KEY = "worker"                          # there is one
LEASE_SECONDS = 300
BEAT_SECONDS = 30.0
ADOPT = "adopt"                         # in place of a transcript: what an agent wrote into its product's own folder


@dataclass(frozen=True, slots=True, kw_only=True)
class Grown:
    """A session that has something new. ``transcript`` "": to be found by the session's id."""

    project: str                        # the key of its project
    host: str
    session: str
    cwd: str
    transcript: str = ""

    def key(self) -> str:
        """Under which its job stands."""
        return json.dumps([self.project, self.host, self.session, self.cwd, self.transcript], ensure_ascii=False)


def grown(key: str) -> Grown | None:
    """What a job's key says, None for one that is broken."""
    try:
        project, host, session, cwd, transcript = json.loads(key)
    except (ValueError, TypeError, RecursionError):
        return None
    if not all(isinstance(part, str) for part in (project, host, session, cwd, transcript)):
        return None
    return Grown(project=project, host=host, session=session, cwd=cwd, transcript=transcript)


# ── for a hook ───────────────────────────────────────────────────────────────────────────────────────────────────


def announce(space: Space, place: Place, *, host: str, session: str, transcript: str, cwd: str) -> None:
    """A session grew. Raises ``StoreUnavailable``; then the next `reverie learn` finds it all the same."""
    one = Grown(project=places.project_key(place), host=host, session=session, cwd=cwd, transcript=transcript)
    space.home.jobs.enqueue(SESSION, one.key())


def worker_lives(space: Space) -> bool:
    """Whether a worker is at it and, as far as can be told, alive."""
    job = space.home.jobs.get(WORKER, KEY)
    return job is not None and job.held(space.home.jobs.now()) and not _is_dead(job.worker)


# ── for a worker ─────────────────────────────────────────────────────────────────────────────────────────────────


def name_of_worker(node: str, process: int) -> str:
    """Who works: as ``_is_dead`` reads it."""
    return f"{node}:{process}"


def work(
    space: Space, *, worker: str, learn: Callable[[Grown], str], tidy: Callable[[Grown], None],
    is_over: Callable[[], bool] = lambda: False,
) -> int:
    """Do what is due until nothing is, or ``is_over``; how many sessions were done. ``learn`` answers with a failure or "".

    Where another worker is at it nothing is done here. ``tidy`` comes after the sessions of a project.
    """
    jobs = space.home.jobs
    done = 0
    while True:
        held = jobs.get(WORKER, KEY)
        dead = held.worker if held is not None and _is_dead(held.worker) else ""
        lease = jobs.claim_global(WORKER, KEY, worker=worker, lease_seconds=LEASE_SECONDS, cooldown_seconds=0, dead=dead)
        if not isinstance(lease, Claim):
            return done
        from reverie.flows.heartbeat import Heartbeat

        with Heartbeat(jobs, lease, seconds=BEAT_SECONDS):
            some = _round(jobs, worker, learn, tidy, is_over)
        done += some
        jobs.finish(lease)
        if is_over() or (not (some and _due(jobs)) and not _due_to_us(jobs)):
            return done


def _due_to_us(jobs: Jobs) -> bool:
    """Whether something is due in a project on which nobody works."""
    now = jobs.now()
    return any(not ((job := jobs.get(PROJECT, project)) and job.held(now) and not _is_dead(job.worker)) for project in _due(jobs))


def _due(jobs: Jobs) -> dict[str, list[tuple[Job, Grown]]]:
    """What could be done now, by project, the longest waiting first."""
    found: dict[str, list[tuple[Job, Grown]]] = {}
    for job in jobs.due(SESSION):
        one = grown(job.key)
        if one is not None:
            found.setdefault(one.project, []).append((job, one))
    return found


def _round(
    jobs: Jobs, worker: str, learn: Callable[[Grown], str], tidy: Callable[[Grown], None], is_over: Callable[[], bool]
) -> int:
    done = 0
    for project, sessions in _due(jobs).items():
        held = jobs.get(PROJECT, project)
        dead = held.worker if held is not None and _is_dead(held.worker) else ""
        lease = jobs.claim_global(PROJECT, project, worker=worker, lease_seconds=LEASE_SECONDS, cooldown_seconds=0, dead=dead)
        if not isinstance(lease, Claim) or is_over():
            continue
        done += _project(jobs, lease, sessions, worker, learn, tidy, is_over)
    return done


def _project(
    jobs: Jobs, lease: Claim, sessions: list[tuple[Job, Grown]], worker: str, learn: Callable[[Grown], str],
    tidy: Callable[[Grown], None], is_over: Callable[[], bool],
) -> int:
    from reverie.flows.heartbeat import Heartbeat

    done = 0
    with Heartbeat(jobs, lease, seconds=BEAT_SECONDS) as beat:
        for job, one in sessions:
            if is_over():
                break
            beat.check()
            claim = jobs.claim(SESSION, job.key, worker=worker, lease_seconds=LEASE_SECONDS)
            if not isinstance(claim, Claim):
                continue
            failure = learn(one)
            if failure:
                jobs.fail(claim, failure)
            else:
                jobs.finish(claim)
            done += 1
        if done:
            tidy(sessions[-1][1])
    jobs.finish(lease)
    return done


def _is_claim(found: Any) -> bool:
    from reverie.storage.jobs import Claim

    return isinstance(found, Claim)


def _is_dead(worker: str) -> bool:
    """Whether a worker of this machine is known to be gone; False where nothing is known."""
    node, _, number = worker.rpartition(":")
    if os.name == "nt" or not number.isdigit() or node != os.uname().nodename:
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False


# ── for a person ─────────────────────────────────────────────────────────────────────────────────────────────────


def settle(space: Space, *, everything: bool, paths: list[str]) -> None:
    """A person had sessions read (all, or those at these paths): what waited for it waits no more."""
    try:
        for job, _ in _settled(space, everything, paths):
            claim = space.home.jobs.claim(SESSION, job.key, worker="learn", lease_seconds=LEASE_SECONDS, force=True)
            if isinstance(claim, Claim):
                space.home.jobs.finish(claim)
    except errors.ReverieError as error:
        space.home.note(f"what waited for the background still does: {error}")


def _settled(space: Space, everything: bool, paths: list[str]) -> Iterator[tuple[Job, Grown]]:
    for job in space.home.jobs.all(SESSION):
        one = grown(job.key)
        if one is not None and is_waiting(job) and (everything or one.transcript in paths):
            yield job, one


def is_waiting(job: Job) -> bool:
    """Whether a session has something that was not learned."""
    return job.last_success_watermark is None or job.last_success_watermark < job.input_watermark


def status(space: Space) -> dict[str, Any]:
    """What waits, who works, what failed."""
    jobs = space.home.jobs
    sessions = jobs.all(SESSION)
    worker = jobs.get(WORKER, KEY)
    lives = worker_lives(space)
    return {
        "waiting": sum(map(is_waiting, sessions)),
        "worker": worker.worker if worker is not None and lives else "",
        "projects_at_work": sum(job.held(jobs.now()) and not _is_dead(job.worker) for job in jobs.all(PROJECT)),
        "failed": [{"session": one.session, "host": one.host, "said": job.last_error or ""} for job in sessions
                   if job.status == "error" and is_waiting(job) and (one := grown(job.key)) is not None][:5],
    }
