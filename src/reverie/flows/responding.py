"""Extract after every response, in the background (study, Qwen Code §5): one session, from where its last reading stopped.

The cursor and the memories become durable together (``learning``); ``extract-cursor.json`` and ``meta.json`` beside a store of
the layout ``qwen-code`` say the same in the product's words, afterwards. They are what is gone by where the database was lost.
A write that fails leaves the cursor where it was, a turn with tools is read as any other, and a turn in which the agent wrote
memory itself is left for the next one, not lost (spec/qwen-code §1: three faults of the product).

One extraction of a store at a time, in all processes: the newest that comes meanwhile is done when it ends.
"""

# Paths are strings where storage takes them:
# ruff: noqa: PTH118, PTH120

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from reverie import errors
from reverie.core.model import ModelFailed
from reverie.core.proposal import Extractor
from reverie.core.responding import Skip, wrote_memory
from reverie.core.session import Message
from reverie.core.telemetry import Extract
from reverie.flows import learning, telling
from reverie.flows.learning import Job, Learned
from reverie.flows.space import Space
from reverie.layouts import qwen_state
from reverie.storage import dreams

ROUNDS = 8              # of what was queued meanwhile, in one run; whatever comes then is done at the next response
HELD_MESSAGES = 2_000   # of a turn, in which a write of the agent's is looked for


@dataclass(frozen=True, slots=True, kw_only=True)
class Responded:
    """What became of one extraction. ``status``: "completed", "skipped" (``skip`` says why), "failed" (``detail``)."""

    status: str
    skip: Skip | None = None
    detail: str = ""
    learned: Learned | None = None
    run: str = ""
    duration_ms: int = 0
    queued: tuple[Responded, ...] = field(default=())       # what others had queued meanwhile, and was done here

    @property
    def topics(self) -> tuple[str, ...]:
        """The types of the memories that were written."""
        return tuple(sorted({kept.memory.type for kept in self.learned.kept if kept.memory.type})) if self.learned else ()

    def event(self, trigger: str) -> Extract:
        """In the telemetry's words (study, Qwen Code §10)."""
        return Extract(
            trigger=trigger, status=self.status, skipped_reason=str(self.skip or ""), touched_topics=self.topics,
            patches_count=len(self.learned.kept) if self.learned else 0, duration_ms=self.duration_ms,
        )


def extract(
    space: Space, job: Job, make: Callable[[str], Extractor], *, roots: Sequence[str], trigger: str = "auto",
    find: Callable[[str, str], Job | None] = lambda host, path: None,
) -> Responded:
    """Extract from a session what is new in it. ``make``: the extractor of a run. ``roots``: folders of memories outside our
    stores. ``find``: the session of a host in a file, for what another process has queued."""
    desk = _Desk(space, job)
    waits = Skip.SUB_AGENT if job.transcript.of_agent else desk.begin(job)
    if waits is not None:
        return _told(space, Responded(status="skipped", skip=waits), trigger)
    queued: list[Responded] = []
    try:
        done = _told(space, _once(space, job, make, roots), trigger)
        for _ in range(ROUNDS):
            found = desk.next(find)
            if found is None:
                break
            queued.append(_told(space, _once(space, found, make, roots), trigger))
    finally:
        desk.end()
    return Responded(status=done.status, skip=done.skip, detail=done.detail, learned=done.learned, run=done.run,
                     duration_ms=done.duration_ms, queued=tuple(queued))


def _told(space: Space, done: Responded, trigger: str) -> Responded:
    telling.tell(space, done.event(trigger))
    return done


def _once(space: Space, job: Job, make: Callable[[str], Extractor], roots: Sequence[str]) -> Responded:
    started = perf_counter()

    def ended(status: str, **more: Any) -> Responded:
        return Responded(status=status, duration_ms=round(1_000 * (perf_counter() - started)), **more)

    notes = _Notes(space, job)
    if wrote_memory(_last_turn(space, job), [*roots, *notes.stores], cwd=job.transcript.cwd):
        return ended("skipped", skip=Skip.MEMORY_TOOL)
    run = space.home.journal.start_run("extract")
    outcome, counts = "failed", dict[str, int]()
    try:
        learned = learning.one(space, job, make(run), run=run, begin=notes.begin())
        outcome = learned.outcome
        counts = {outcome: 1}
        done = ended("completed", learned=learned, run=run)
        notes.write(done)
    except (errors.StoreUnavailable, ModelFailed) as error:
        return ended("failed", detail=str(error), run=run)
    finally:
        space.home.journal.end_run(run, outcome, counts)
    return done


def _last_turn(space: Space, job: Job) -> list[Message]:
    """The newest messages, what was read before among them: a turn may have begun there."""
    since = space.home.records.cursor(learning.key_of(space, job.transcript))
    messages: list[Message] = []
    for message in job.dialect.read(job.transcript, since).messages:
        messages.append(message)
        if len(messages) > 2 * HELD_MESSAGES:
            del messages[:HELD_MESSAGES]
    return messages


class _Notes:
    """``extract-cursor.json`` and ``meta.json`` of the place where a session was held; nothing in other layouts."""

    def __init__(self, space: Space, job: Job) -> None:
        self._space, self._transcript = space, job.transcript
        place = space.place(job.transcript.cwd, job.transcript.project_hint)
        self.stores = [space.store(mount).root for mount in space.mounts(place)]
        self._folder = _state_folder(space, self.stores[0])
        self._key = learning.key_of(space, job.transcript)

    def begin(self) -> int:
        """How many messages of this session the file says were read. The database says it better, where it knows the session."""
        if not self._folder:
            return 0
        found = qwen_state.cursor(_bytes(os.path.join(self._folder, qwen_state.CURSOR)))
        return found.offset if found.session == self._transcript.session else 0

    def write(self, done: Responded) -> None:
        """Say how far it was read, and, if memories came of it, when. A failure is noted: what counts is in the database."""
        cursor = self._space.home.records.cursor(self._key)
        if not self._folder or cursor is None or done.learned is None:
            return
        now, session = self._space.now(), self._transcript.session
        try:
            with self._space.home.lock("extract"):
                dreams.scaffold(self._folder)
                path = os.path.join(self._folder, qwen_state.CURSOR)
                dreams.put(path, qwen_state.advanced(_bytes(path), session=session, offset=cursor.messages, now=now))
                path = os.path.join(self._folder, qwen_state.META)
                if done.topics:
                    dreams.put(path, qwen_state.extracted(_bytes(path), session=session, topics=done.topics, now=now))
        except errors.StoreUnavailable as error:
            self._space.home.note(str(error))


class _Desk:
    """Who extracts for a place just now, in all processes, and what waits for its end."""

    def __init__(self, space: Space, job: Job) -> None:
        self._space = space
        place = space.place(job.transcript.cwd, job.transcript.project_hint)
        root = space.store(space.mounts(place)[0]).root
        above, name = os.path.split(root)
        own = "" if _state_folder(space, root) else f".{name}."      # where many stores lie side by side, each has its own
        self._above = above
        self._lock = os.path.join(above, own + qwen_state.EXTRACT_LOCK)
        self._queue = os.path.join(above, own + qwen_state.EXTRACT_QUEUE)

    def begin(self, job: Job) -> Skip | None:
        """Take the lock; None when it is ours, else what became of the job instead."""
        with self._space.home.lock("extract"):
            note, now = dreams.read(self._lock), self._space.now()
            if note and not qwen_state.is_stale(note.data, (now - note.at).total_seconds(), dreams.alive):
                return self._wait(job)
            dreams.scaffold(self._above)
            dreams.put(self._lock, qwen_state.lock(os.getpid()), now)
            return None

    def _wait(self, job: Job) -> Skip:
        """Leave it for the one at work, in place of what was left before; what lies in no file cannot be left."""
        found = job.transcript
        if not os.path.isfile(found.path):  # noqa: PTH113
            return Skip.ALREADY_RUNNING
        dreams.put(self._queue, json.dumps({"host": found.host, "path": found.path}).encode())
        return Skip.QUEUED

    def next(self, find: Callable[[str, str], Job | None]) -> Job | None:
        """What was left meanwhile; taken off the queue before it is done."""
        with self._space.home.lock("extract"):
            data = _bytes(self._queue)
            if data is None:
                return None
            dreams.remove(self._queue)
        said, _ = qwen_state.parsed(data)
        host, path = said.get("host"), said.get("path")
        return find(host, path) if isinstance(host, str) and isinstance(path, str) else None

    def end(self) -> None:
        """Let go, if it is still ours."""
        with self._space.home.lock("extract"):
            note = dreams.read(self._lock)
            if note is not None and note.data == qwen_state.lock(os.getpid()):
                dreams.remove(self._lock)


def _state_folder(space: Space, root: str) -> str:
    """Where the product's state files of a store lie; "" in other layouts."""
    return os.path.dirname(root) if space.design.layout.name == "qwen-code" else ""


def _bytes(path: str) -> bytes | None:
    note = dreams.read(path)
    return note.data if note else None
