"""What comes after a response: what is new in its session is extracted, and then it is dreamt, if it is time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from reverie import errors
from reverie.wiring import adopting, learning, sessions
from reverie.wiring.models import Models
from reverie.wiring.setup import Setup

if TYPE_CHECKING:
    from reverie.flows.learning import Job
    from reverie.flows.responding import Responded


def extract(
    setup: Setup, models: Models, source: str | Iterable[tuple[str, str]], *, session: str = "", model: str = "",
    trigger: str = "auto",
) -> tuple[Responded, str]:
    """What became of it, and the session's id. ``source``: a transcript's path, a session's id, or a conversation so far."""
    from reverie.core import switch
    from reverie.core.responding import Skip
    from reverie.flows import responding, spoken

    if switch.inside(setup.environment):
        raise errors.WrongUse(f"nothing is learned within an agent that Reverie runs as a model ({switch.INSIDE} is set)")
    if trigger == "auto" and not setup.settings["extract.enabled"]:
        return responding.Responded(status="skipped", skip=Skip.DISABLED), session
    if isinstance(source, str):
        job = sessions.of_session(setup, source)
        if job is None:
            raise errors.NotFound(f"there is no session {source!r} on this machine, and no transcript with that path")
    else:
        job = spoken.job(source, session=session, cwd=setup.cwd, at=setup.space.now())
    adopting.catch_up(setup)
    done = responding.extract(
        setup.space, job, learning.reader(setup, models, model, 0, dry_run=False), roots=_native_roots(setup), trigger=trigger,
        find=_session_in,
    )
    return done, job.transcript.session


def _native_roots(setup: Setup) -> list[str]:
    """The folders in which the products themselves keep memories of this place."""
    from reverie.hosts import claude_folders, qwen_folders

    claude = claude_folders.locate(setup.place, environment=setup.environment, user_home=setup.user_home)
    qwen = qwen_folders.locate(setup.place, environment=setup.environment, user_home=setup.user_home)
    theirs = (claude.memory, claude.agent_user, claude.agent_project, claude.agent_local, qwen.memory, qwen.user, qwen.team)
    return [str(folder) for folder in theirs]


def _session_in(host: str, path: str) -> Job | None:
    """The session of a host in this file, if it still is one."""
    from reverie import hosts as agents
    from reverie.core.session import Unreadable
    from reverie.flows.learning import Job

    try:
        found = [each for each in agents.recognise(path, [host]) if not isinstance(each, Unreadable)]
    except errors.ReverieError:
        return None
    return Job(dialect=agents.get(host), transcript=found[0]) if len(found) == 1 else None
