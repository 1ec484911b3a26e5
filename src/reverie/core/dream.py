"""Dreaming, decided: when it is time, who may, what a consolidation is, and when too much would go.

A dream cleans a store between sessions: what is said twice is said once, of two that contradict each other the later
one stays (study, Claude Code §8; Qwen Code §6). What is done with the memories is a ``Consolidator``: the study's
mechanical one (``dream_summaries``), ours (``dream_merging``), or an agent with a model. Whoever it is, its change is
measured here before it is carried out: a consolidation that goes wrong must not be able to empty a store.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from reverie.core import gate
from reverie.core.layout import Change
from reverie.core.memory import By, Memory, Status

# ── when ─────────────────────────────────────────────────────────────────────────────────────────────────────────


class Skip(enum.StrEnum):
    """Why no dream was dreamt (spec/qwen-code §11.1)."""

    DISABLED = "disabled"               # a setting says so
    SAME_SESSION = "same_session"       # this session has dreamt already
    MIN_HOURS = "min_hours"             # the last dream is not long enough ago
    SCAN_THROTTLED = "scan_throttled"   # this process has just counted the sessions
    MIN_SESSIONS = "min_sessions"       # too little has happened since
    LOCKED = "locked"                   # another process dreams
    RUNNING = "running"                 # this process dreams


@dataclass(frozen=True, slots=True, kw_only=True)
class Gates:
    """How long is long enough (study, Qwen Code §6; Claude Code has the same two)."""

    hours: float = 24                   # minHoursBetweenDreams
    sessions: int = 5                   # minSessionsBetweenDreams
    scan_minutes: float = 10            # SESSION_SCAN_INTERVAL_MS


GATES = Gates()


@dataclass(frozen=True, slots=True, kw_only=True)
class Last:
    """The last dream of a store: when (None: never) and, where that is written down, in which session."""

    at: datetime | None = None
    session: str = ""


def due(
    *,
    enabled: bool,
    session: str,
    last: Last,
    now: datetime,
    scanned_at: datetime | None,
    sessions: Callable[[datetime | None], int],
    held: Callable[[], bool],
    running: Callable[[], bool],
    gates: Gates = GATES,
) -> Skip | None:
    """Why it is not time to dream, or None, in the product's order (spec/qwen-code §11.1).

    ``sessions`` counts those since a time (None: all) other than this one. It may be dear and is asked only when all
    before it agree; ``scanned_at`` is when it was last asked.
    """
    if not enabled:
        return Skip.DISABLED
    if session and session == last.session:
        return Skip.SAME_SESSION
    slept_at = known(last.at, now, gates)
    if slept_at is not None and abs(now - slept_at) < timedelta(hours=gates.hours):
        return Skip.MIN_HOURS
    if scanned_at is not None and abs(now - scanned_at) < timedelta(minutes=gates.scan_minutes):
        return Skip.SCAN_THROTTLED
    if sessions(slept_at) < gates.sessions:
        return Skip.MIN_SESSIONS
    return taken(held=held, running=running)


def taken(*, held: Callable[[], bool], running: Callable[[], bool]) -> Skip | None:
    """Why nobody may dream now, even when told to."""
    if held():
        return Skip.LOCKED
    return Skip.RUNNING if running() else None


def known(last: datetime | None, now: datetime, gates: Gates = GATES) -> datetime | None:
    """The time of the last dream, None when it makes no sense: a clock that was wrong by years must not stop dreaming."""
    return None if last is None or last - now >= timedelta(hours=gates.hours) else last


# ── the lock of Claude Code ──────────────────────────────────────────────────────────────────────────────────────

CLAUDE_LOCK = ".consolidate-lock"       # spec/claude-code §8: the process id in it; its time is that of the last dream
STALE_SECONDS = 3_600                   # both products: an older lock counts for nothing, even if its holder lives
_LONGEST_PID = 10


def claude_holds(data: bytes, age_seconds: float, *, own: int, alive: Callable[[int], bool]) -> bool:
    """Whether another living process has taken this lock within the hour (spec/claude-code §8).

    Process 1 counts as dead: in a container it is always there. A lock from the future is judged by its process alone.
    """
    text = data.strip()
    pid = int(text) if text.isdigit() and len(text) <= _LONGEST_PID else 0
    return pid > 1 and pid != own and age_seconds < STALE_SECONDS and alive(pid)


# ── what is done ─────────────────────────────────────────────────────────────────────────────────────────────────


class Act(enum.StrEnum):
    """What a dream did to a memory."""

    MERGED = "merged"                   # said twice: one stays
    SUPERSEDED = "superseded"           # a later statement gives another value: the earlier one goes to history
    DATED = "dated"                     # "tomorrow" became a date
    EXPIRED = "expired"                 # past its last day: kept, and not shown any more
    SHORTENED = "shortened"             # its line in the index was too long; the words are in the body
    RELINKED = "relinked"               # it named a memory that went into another one
    SORTED = "sorted"                   # it has another place in its file
    REWRITTEN = "rewritten"             # an agent gave it other words
    REMOVED = "removed"                 # an agent took it out
    ADDED = "added"                     # an agent wrote it


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thing that a dream did, and why. ``memory`` is the id of what stays, ``gone`` of what went into it."""

    act: Act
    memory: str = ""
    gone: str = ""
    name: str = ""
    why: str = ""
    before: str = ""                    # what it said, or what the one that went had said


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """Two memories that a person should look at: what they say does not fit together, and nothing tells which holds."""

    memory: str
    other: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Consolidation:
    """What should become of a store's memories, and why. ``modified_at`` of what is put is what its file's time should
    be: new words for an old statement do not make it younger."""

    change: Change
    steps: tuple[Step, ...] = ()
    left: tuple[Left, ...] = ()


class Consolidator(Protocol):
    """The seam for an agent: given a store's memories, it returns a change of them.

    It sees active memories only, and of those none that it must not touch. It may leave out ``steps``: they are told
    from the change. What it returns is checked (``problems``, ``loss``) before anything is written.
    """

    @property
    def name(self) -> str:
        """Who it is, for the journal: "rules", "model:…"."""
        ...

    def consolidate(self, memories: Sequence[Memory], *, now: datetime) -> Consolidation: ...


def applied(memories: Iterable[Memory], change: Change) -> list[Memory]:
    """The memories after a change."""
    put = {memory.id: memory for memory in change.put if memory.id}
    gone = set(change.remove)
    kept = [put.get(memory.id, memory) for memory in memories if memory.id not in gone]
    return kept + [memory for memory in change.put if not memory.id]


def told(memories: Sequence[Memory], consolidation: Consolidation) -> tuple[Step, ...]:
    """The steps of a consolidation: its own account, and what it did without saying so."""
    before = {memory.id: memory for memory in memories}
    said = {id for step in consolidation.steps for id in (step.memory, step.gone)}
    steps = list(consolidation.steps)
    for id in consolidation.change.remove:
        if id not in said and id in before:
            steps.append(Step(act=Act.REMOVED, gone=id, name=before[id].name, before=before[id].body))
    for memory in consolidation.change.put:
        old = before.get(memory.id)
        if old is None:
            steps.append(Step(act=Act.ADDED, memory=memory.id, name=memory.name))
        elif memory.id not in said and memory != old:
            steps.append(Step(act=Act.REWRITTEN, memory=memory.id, name=memory.name, before=old.body))
    return tuple(steps)


# ── what must not be done ────────────────────────────────────────────────────────────────────────────────────────

_PERSON = (By.USER, By.HAND)
_RANK = {By.USER: 3, By.HAND: 3, By.AGENT: 2, By.UNKNOWN: 2, By.MODEL: 1, By.TOOL: 0}


def rank(memory: Memory) -> int:
    """How far the source of a memory is to be trusted. A file without provenance was written by the agent, or by hand."""
    return _RANK.get(memory.source.by, 0)


def problems(memories: Sequence[Memory], change: Change) -> list[str]:
    """Why a change must not be carried out: it names what is not there, moves a memory to somebody else, makes more of
    its source than there was (DESIGN §4.5), or writes a credential."""
    before = {memory.id: memory for memory in memories}
    ids = [*(memory.id for memory in change.put if memory.id), *change.remove]
    found = [f"unknown memory {id!r}" for id in ids if id not in before]
    found += [f"{id!r} is changed twice" for id in sorted({id for id in ids if ids.count(id) > 1})]
    spoken = {_origin(memory) for memory in memories if memory.source.by in _PERSON}
    for memory in change.put:
        old = before.get(memory.id)
        if old is None and memory.source.by in _PERSON and _origin(memory) not in spoken:
            found.append(f"the new memory {memory.name!r} claims to be a person's word")
        if old is not None and rank(memory) > rank(old):
            found.append(f"{memory.id!r} would be trusted more than before")
        if old is not None and (memory.scope, memory.project) != (old.scope, old.project):
            found.append(f"{memory.id!r} would belong to somebody else")
        if memory != old and gate.at_the_door(memory):
            found.append(f"{memory.id or memory.name!r} would hold a credential")
    return found


def _origin(memory: Memory) -> tuple[str, str, str]:
    return memory.source.host, memory.source.session, memory.source.message


MOST_GONE = 0.3                         # of the memories, or of their characters: a dream that takes more went wrong
FEW = 3                                 # memories: in a small store one duplicate is a large share


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """How much of a store a change takes away: of what counts, in memories and in characters."""

    memories: int
    of_memories: int
    characters: int
    of_characters: int

    def too_much(self, most: float = MOST_GONE) -> str:
        """What is wrong, in words, when more than this share would go; "" when the change is in order."""
        for what, gone, whole in (
            ("memories", self.memories, self.of_memories), ("characters", self.characters, self.of_characters)
        ):
            if whole and gone > most * whole:
                return f"{gone} of {whole} {what} would go ({gone / whole:.0%}), more than {most:.0%}"
        return ""


def loss(memories: Sequence[Memory], change: Change) -> Loss:
    """What a change takes away. A few memories may always go; words taken out of memories that stay always count."""
    put = {memory.id: memory for memory in change.put}
    gone = set(change.remove) | {id for id, memory in put.items() if memory.status is not Status.ACTIVE}
    counted = [memory for memory in memories if memory.status is Status.ACTIVE]
    leaving = [memory for memory in counted if memory.id in gone]
    many = len(leaving) > FEW
    fewer = sum(
        max(0, len(memory.text) - len(put[memory.id].text))
        for memory in counted if memory.id in put and memory.id not in gone
    )
    return Loss(
        memories=len(leaving) if many else 0,
        of_memories=len(counted),
        characters=fewer + (sum(len(memory.text) for memory in leaving) if many else 0),
        of_characters=sum(len(memory.text) for memory in counted),
    )
