"""What happens without anybody asking: after a turn, and when an agent has written a memory file with its own tools."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from reverie import errors
from reverie.flows import background
from reverie.flows.background import Grown
from reverie.wiring.setup import Setup

if TYPE_CHECKING:
    from reverie.flows.responding import Responded
    from reverie.wiring.reports import Report

WEEK_DAYS = 7                   # for how long a hook that failed is shown


class Ways(Protocol):
    """The ways into a memory that are taken here (``reverie.memory.Memory``)."""

    @property
    def setup(self) -> Setup: ...
    @property
    def background_off(self) -> str: ...
    @property
    def learn(self) -> Callable[..., Report]: ...
    @property
    def extract(self) -> Callable[..., Responded]: ...
    @property
    def adopt(self) -> Callable[..., object]: ...
    @property
    def consolidate(self) -> Callable[..., object]: ...
    @property
    def dream(self) -> Callable[..., object]: ...
    @property
    def recall(self) -> Callable[..., object]: ...


def announce(setup: Setup, *, host: str, session: str, transcript: str) -> bool:
    """A session here has something new; whether a worker is wanted for it."""
    background.announce(setup.space, setup.place, host=host, session=session, transcript=transcript, cwd=setup.cwd)
    return not background.worker_lives(setup.space)


def work(setup: Setup, open_here: Callable[[Setup], Ways], *, is_over: Callable[[], bool]) -> int:
    """Be the worker. ``open_here`` gives the memory as seen from a session's directory."""

    def here(grown: Grown) -> Ways:
        return open_here(replace(setup, cwd=grown.cwd or setup.cwd, background=True))

    def tidied(grown: Grown) -> None:
        try:
            _tidy(here(grown), grown)
        except (errors.ReverieError, OSError) as error:
            setup.space.home.note(str(error))

    def learned(grown: Grown) -> str:
        try:
            return _learn(here(grown), grown)
        except (errors.ReverieError, OSError) as error:
            return str(error) or type(error).__name__

    worker = background.name_of_worker(platform.node(), os.getpid())
    return background.work(setup.space, worker=worker, learn=learned, tidy=tidied, is_over=is_over)


def _learn(memory: Ways, grown: Grown) -> str:
    """Learn one announced session; why that failed, "" when it did not."""
    if grown.transcript == background.ADOPT:
        memory.adopt(own=False, native=[grown.host])
        return ""
    if memory.setup.space.design.writing.two_phases:
        return ""                       # its sessions wait until they are at rest: ``_tidy`` looks which are
    if not memory.setup.settings["extract.enabled"]:
        return ""                       # the user lets nothing be extracted by itself
    if grown.transcript and memory.setup.space.design.layout.name == "qwen-code":
        done = memory.extract(grown.transcript, dream=False)    # with the product's cursor, and skips by name
        return done.detail or "failed" if done.status == "failed" else ""
    if grown.transcript:
        report = memory.learn(hosts=[grown.host], paths=[grown.transcript])
    else:
        report = memory.learn(hosts=[grown.host], sessions=[grown.session])
    bad = [each for each in report.sessions if each.outcome in ("failed", "unreadable")]
    return f"{bad[0].outcome}: {bad[0].detail}" if bad else ""


def _tidy(memory: Ways, grown: Grown) -> None:
    """What is due in a project after its sessions were learned; each has gates of its own."""
    if memory.setup.space.design.writing.two_phases:
        memory.consolidate(session=grown.session)
    else:
        memory.dream(session=grown.session, trigger="auto")
    memory.recall("index")              # the next prompt finds the search index up to date


def written(memory: Ways, path: str, *, host: str, session: str) -> tuple[str, str]:
    """See ``Memory.written``."""
    from reverie.core import product_index
    from reverie.flows.adopting import Hand
    from reverie.storage import files

    stores = os.path.realpath(memory.setup.space.home.path("stores", memory.setup.space.design.name))
    real = os.path.realpath(path)
    if files.within(real, stores):
        is_index = path.endswith("/MEMORY.md")
        data = files.read(real, limit=1 << 20) if is_index else b""
        memory.adopt(native=False, hand=Hand(actor="agent", host=host, session=session), only=None if is_index else [real])
        said = product_index.claude_guard(data.decode("utf-8", "replace")) if data and isinstance(data, bytes) else ""
        return said, ""
    return "", background.ADOPT if path.endswith(".md") and _is_native(memory, real, host) else ""


def _is_native(memory: Ways, real: str, host: str) -> bool:
    """Whether a file lies in the memory that a product keeps for this directory; whoever adopts it looks closer."""
    from reverie.storage import files

    if host == "qwen-code":
        return any(name in real.replace("\\", "/").split("/") for name in ("memory", "memories"))
    if host != "claude-code":
        return False
    from reverie.hosts import claude_folders

    found = claude_folders.locate(memory.setup.place, environment=memory.setup.environment, user_home=memory.setup.user_home)
    return found.enabled and files.within(real, os.path.realpath(str(found.memory)))


def status(memory: Ways) -> tuple[dict[str, Any], list[str]]:
    """What waits and who works, and what a person should know of it."""
    from datetime import timedelta

    from reverie.storage import hook_log

    space = memory.setup.space
    try:
        found = background.status(space)
    except errors.StoreUnavailable as closed:
        space.home.note(str(closed))
        found = {"waiting": 0, "worker": "", "projects_at_work": 0, "failed": []}
    said = [
        f"hook {each['event'] or '?'} of {each['host'] or '?'}, {each['at']}"
        f"{', ' + each['times'] + ' times' if each['times'] != '1' else ''}: {each['said']}"
        for each in hook_log.last(space.home.root, since=space.now() - timedelta(days=WEEK_DAYS))
    ]
    said += [f"session {each['session']} of {each['host']} was not learned: {each['said']}" for each in found["failed"]]
    return {"off": memory.background_off, **found}, said
