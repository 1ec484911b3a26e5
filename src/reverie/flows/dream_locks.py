"""Who dreams, and when the last dream was: written down as each product does, for our own stores beside their folder.

Claude Code: one file with the dreamer's process id, whose time is that of the last dream (spec/claude-code §8). Qwen Code:
``consolidation.lock`` while it lasts, and ``meta.json`` for the rest (spec/qwen-code §11.2, §15). Looking and taking belong
together: callers hold the home's lock meanwhile.
"""

# Paths are strings where storage takes them:
# ruff: noqa: PTH118

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Protocol

from reverie.core import dream
from reverie.core.dream import Last
from reverie.layouts import qwen_state
from reverie.storage import dreams
from reverie.storage.dreams import Note

DONE = b"\n"        # behind the process id when its dream is over: the product's number stays readable, nobody waits for it


class DreamLock(Protocol):
    """One store's."""

    path: str

    def last(self) -> Last:
        """The last dream."""
        ...

    def held(self, now: datetime) -> bool:
        """Whether another process dreams here."""
        ...

    def take(self, now: datetime) -> None:
        """Begin; afterwards it is ``ours`` until somebody takes it over."""
        ...

    def ours(self) -> bool: ...

    def done(self, now: datetime, *, session: str, topics: Sequence[str]) -> None:
        """The dream is over, whatever it changed."""
        ...

    def disturbed(self) -> None:
        """It failed: as if it had not begun, so that the next one comes soon."""
        ...


class ClaudeLock:
    """Its time is the clock of the dreams, so it stays when the dream is over."""

    def __init__(self, path: str, *, own: int | None = None, alive: Callable[[int], bool] = dreams.alive) -> None:
        self.path = path
        self._own = os.getpid() if own is None else own
        self._alive = alive
        self._before: Note | None = None

    def last(self) -> Last:
        note = dreams.read(self.path)
        return Last(at=note.at if note else None)

    def held(self, now: datetime) -> bool:
        note = dreams.read(self.path)
        if note is None or note.data.endswith(DONE):
            return False
        return dream.claude_holds(note.data, (now - note.at).total_seconds(), own=self._own, alive=self._alive)

    def take(self, now: datetime) -> None:
        self._before = dreams.read(self.path)
        dreams.put(self.path, qwen_state.lock(self._own), now)

    def ours(self) -> bool:
        note = dreams.read(self.path)
        return note is not None and note.data == qwen_state.lock(self._own)

    def done(self, now: datetime, *, session: str, topics: Sequence[str]) -> None:
        dreams.put(self.path, qwen_state.lock(self._own) + DONE, now)

    def disturbed(self) -> None:
        if self._before is None:
            dreams.remove(self.path)
        else:
            dreams.put(self.path, self._before.data, self._before.at)


class QwenLock:
    """Its file is there only while the dream lasts."""

    def __init__(self, folder: str, *, own: int | None = None, alive: Callable[[int], bool] = dreams.alive) -> None:
        self.path = os.path.join(folder, qwen_state.LOCK)
        self._meta = os.path.join(folder, qwen_state.META)
        self._own = os.getpid() if own is None else own
        self._alive = alive

    def last(self) -> Last:
        note = dreams.read(self._meta)
        meta = qwen_state.meta(note.data if note else None)
        return Last(at=meta.last_dream_at, session=meta.last_dream_session)

    def held(self, now: datetime) -> bool:
        note = dreams.read(self.path)
        return note is not None and not qwen_state.is_stale(note.data, (now - note.at).total_seconds(), self._alive)

    def take(self, now: datetime) -> None:
        dreams.put(self.path, qwen_state.lock(self._own), now)

    def ours(self) -> bool:
        note = dreams.read(self.path)
        return note is not None and note.data == qwen_state.lock(self._own)

    def done(self, now: datetime, *, session: str, topics: Sequence[str]) -> None:
        note = dreams.read(self._meta)
        data = qwen_state.dreamt(note.data if note else None, session=session, topics=topics, now=now)
        dreams.put(self._meta, data)
        self.disturbed()

    def disturbed(self) -> None:
        if self.ours():
            dreams.remove(self.path)


def of_store(layout: str, root: str) -> DreamLock:
    """The lock of a store of ours, beside its folder: in the folder it would stand among the memories that agents see."""
    above, name = os.path.split(root)
    if layout == "qwen-code":
        return QwenLock(above)
    return ClaudeLock(os.path.join(above, f".{name}{dream.CLAUDE_LOCK}"))
