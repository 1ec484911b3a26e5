"""One store in a dream: is it time, the lock, what the consolidator wants, whether that may be, and the edits of it."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from reverie import errors
from reverie.axes.scoping import Mount
from reverie.core import dream as deciding
from reverie.core.dream import Act, Consolidation, Consolidator, Gates, Skip
from reverie.core.dream_report import Dreamt
from reverie.core.dream_summaries import PINNED
from reverie.core.edits import Edit
from reverie.core.events import Action, Touched
from reverie.core.index import path_of
from reverie.core.layout import Change, File, Folder
from reverie.core.memory import Memory, Status
from reverie.flows import dream_locks
from reverie.flows.space import Space
from reverie.storage import dreams

if TYPE_CHECKING:
    from reverie.storage.store import Plan

SESSIONS_SEEN = 1_000   # of the sessions read last, when counting those since the last dream


class Process:
    """What this process dreams just now, and when it counted a store's sessions last (the scan throttle is per process)."""

    def __init__(self) -> None:
        self._running: set[str] = set()
        self._lock = threading.Lock()
        self.scanned: dict[str, datetime] = {}

    def is_running(self, path: str) -> bool:
        return path in self._running

    def begin(self, path: str) -> bool:
        """Note that a store's dream begins; False when it is running."""
        with self._lock:
            if path in self._running:
                return False
            self._running.add(path)
            return True

    def end(self, path: str) -> None:
        self._running.discard(path)



class Bed:
    """One store in a dream."""

    def __init__(self, space: Space, mount: Mount, consolidator: Consolidator, *, session: str, process: Process) -> None:
        self.space, self.mount, self.consolidator = space, mount, consolidator
        self.store = space.store(mount)
        self.session, self.process = session, process
        self.lock = dream_locks.of_store(space.layout(mount).name, self.store.root)
        self.now = space.now()
        self.result = Dreamt(store=self.store.label)
        self._is_done = False
        self._seen: tuple[Memory, ...] = ()
        self._given: list[Memory] = []
        self._change = Change()
        self._renamed: dict[str, str] = {}
        self._times: dict[str, datetime] = {}

    # ── when ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def begin(self, *, force: bool, enabled: bool, gates: Gates) -> bool:
        """Take the lock. False when there is nothing to dream about, or it is not time: the result says which."""
        counted = sum(memory.status is Status.ACTIVE for memory in self._memories())
        self.result = replace(self.result, memories=counted, remaining=counted)
        if not counted:
            self.result = replace(self.result, detail="nothing is kept here")
            return False
        waits = None if force else self.waits(enabled=enabled, gates=gates)
        waits = waits or self._take()
        if waits is not None:
            self.result = replace(self.result, outcome="skipped", skip=waits, detail=self._in_words(waits, gates))
        return waits is None

    def _take(self) -> Skip | None:
        with self.space.home.lock("dream"):
            waits = deciding.taken(
                held=lambda: self.lock.held(self.now), running=lambda: not self.process.begin(self.lock.path)
            )
            if waits is None:
                try:
                    self.lock.take(self.now)
                except errors.ReverieError:
                    self.process.end(self.lock.path)
                    raise
            return waits

    def waits(self, *, enabled: bool, gates: Gates) -> Skip | None:
        """Why it is not time for this store."""
        return deciding.due(
            enabled=enabled, session=self.session, last=self.lock.last(), now=self.now, gates=gates,
            scanned_at=self.process.scanned.get(self.lock.path), sessions=self._sessions_since,
            held=lambda: self.lock.held(self.now), running=lambda: self.process.is_running(self.lock.path),
        )

    def _sessions_since(self, last: datetime | None) -> int:
        """Sessions of this project, other than this one, that brought something since: a transcript's time tells when it
        was last written to, the record when it was read."""
        self.process.scanned[self.lock.path] = self.now
        return sum(
            1 for session in self.space.home.records.sessions(limit=SESSIONS_SEEN)
            if session.session != self.session and session.outcome != "unreadable"
            and (last is None or (session.read_at is not None and session.read_at > last))
            and (self.mount.mixed or not self.mount.root or self.mount.root in (session.project, session.project.casefold()))
        )

    def _in_words(self, skip: Skip, gates: Gates) -> str:
        last = self.lock.last().at
        match skip:
            case Skip.MIN_HOURS if last is not None:
                return f"the last dream was {(self.now - last) / timedelta(hours=1):.0f} h ago; {gates.hours:g} h lie between two"
            case Skip.MIN_SESSIONS:
                since = self._sessions_since(deciding.known(last, self.now, gates))
                return f"{since} of {gates.sessions} sessions since the last dream"
            case Skip.LOCKED | Skip.RUNNING:
                return "another dream of this store is under way"
            case Skip.SCAN_THROTTLED:
                return f"sessions were counted less than {gates.scan_minutes:g} minutes ago"
            case Skip.SAME_SESSION:
                return "the last dream was in this session"
            case _:
                return "the setting dream.enabled is 0"

    # ── what ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _memories(self) -> tuple[Memory, ...]:
        """What the store holds of this mount."""
        return tuple(memory for memory in self.store.contents().memories if self.space.visible(memory, self.mount))

    def think(self, rejected: Collection[tuple[str, str]], most_gone: float) -> None:
        """Ask the consolidator, and check what it wants."""
        self._seen = self._memories()
        counted = [memory for memory in self._seen if memory.status is Status.ACTIVE]
        self._given = [memory for memory in counted if self._is_free(memory, rejected)]
        self.result = Dreamt(store=self.store.label, memories=len(counted), remaining=len(counted))
        self._change = Change()
        consolidation = self.consolidator.consolidate(tuple(self._given), now=self.now)
        refusal = "; ".join(deciding.problems(self._given, consolidation.change))
        refusal = refusal or deciding.loss(counted, consolidation.change).too_much(most_gone)
        if refusal:
            steps = deciding.told(self._given, consolidation)
            self.result = replace(self.result, outcome="refused", detail=refusal, steps=steps, left=consolidation.left)
            return
        self._change = consolidation.change
        self.result = replace(self.result, **self._account(consolidation, counted))

    def _is_free(self, memory: Memory, rejected: Collection[tuple[str, str]]) -> bool:
        """Whether a dream may touch it: not what is pinned, and not what the user gave back as it was."""
        id = self.store.full_id(memory.id)
        said = (memory.body, memory.description, memory.why, memory.how_to_apply)
        return not memory.id.startswith(PINNED) and not any((id, text) in rejected for text in said if text)

    def _account(self, consolidation: Consolidation, counted: Sequence[Memory]) -> dict[str, Any]:
        change = consolidation.change
        changed = {memory.id for memory in change.put} | set(change.remove)
        after = deciding.applied(counted, change)
        topics = {memory.type for memory in (*counted, *change.put) if not memory.id or memory.id in changed}
        return {
            "steps": deciding.told(self._given, consolidation), "left": consolidation.left, "topics": tuple(sorted(topics)),
            "remaining": sum(memory.status is Status.ACTIVE for memory in after),
        }

    def changed_meanwhile(self) -> bool:
        """Whether somebody wrote here since, or took over the lock because this took more than its hour."""
        if not self.lock.ours():
            raise errors.StoreUnavailable(f"{self.lock.path!r} was taken over by another dream; nothing was changed")
        return self._memories() != self._seen

    def plan(self) -> Plan:
        """The edits, with the index as it will be when the files have the times that they should have."""
        plan = self.store.plan(self._change, self.now, why="dreaming")
        self._renamed = {memory.id: new for memory, new in zip(self._change.put, plan.ids, strict=True) if memory.id}
        self._times = self._file_times()
        folder = self.store.folder()
        root = f"stores/{self.store.label}"
        edits = [edit for edit in plan.edits if not edit.derived]
        changed = {
            edit.path.replace("\\", "/").removeprefix(f"{root}/"): edit.after
            for edit in edits if edit.root.replace("\\", "/") == root
        }
        after = _Tomorrow(folder, changed, self._times, self.now)
        index = self.space.layout(self.mount).write(after, Change(reindex=True), now=self.now).files
        rendered = {
            path: data for path, data in sorted(index.items())
            if sorted(_now(after, path).splitlines()) != sorted((data or b"").splitlines())     # another order is no other index
        }
        own = {f"{root}/{path}" for path in rendered}
        edits = [edit for edit in edits if edit.path.replace("\\", "/") not in own]
        for path, data in rendered.items():
            before = folder[path].data if path in folder else None
            edits.append(Edit(path=f"{root}/{path}", before=before, after=data, root=root,
                              derived=not self.store.layout.is_memory_path(path)))
        self._settle(changed=bool(edits), index=bool(rendered))
        return replace(plan, edits=tuple(edits))

    def _settle(self, *, changed: bool, index: bool) -> None:
        if self.result.outcome == "refused":
            return
        self.result = replace(self.result, outcome="updated" if changed else "noop", index_rebuilt=index)
        if not changed:         # a mark that these files cannot hold
            self.result = replace(self.result, steps=(), topics=(), remaining=self.result.memories)

    def _file_times(self) -> dict[str, datetime]:
        """What was only put into other words keeps its time, since its age is told by it (spec/claude-code §18.2)."""
        times: dict[str, datetime] = {}
        for memory in self._change.put:
            if memory.id and memory.modified_at:
                path = path_of(memory.id)
                times[path] = max(memory.modified_at, times.get(path, memory.modified_at))
        return times

    def touched(self) -> Iterator[Touched]:
        """The journal's lines: of what stays, and of what went."""
        if self.result.outcome == "refused":
            return
        for step in self.result.steps:
            rule = f"dream.{step.act}: {step.why}" if step.why else f"dream.{step.act}"
            if step.memory:
                id = self._renamed.get(step.memory, step.memory)
                yield Touched(memory=self.store.full_id(id), action=_action(step.act), name=step.name, rule=rule,
                              before=step.before)
            if step.gone:
                action: Action = "superseded" if step.act is Act.SUPERSEDED else "removed"
                yield Touched(memory=self.store.full_id(step.gone), action=action, name=step.name, rule=rule,
                              before=step.before)

    # ── the end ──────────────────────────────────────────────────────────────────────────────────────────────────

    def woke(self) -> None:
        """It is done, whatever it changed; a refused one counts, or it would be tried again at every turn."""
        dreams.set_times(self.store.root, self._times)
        topics = self.result.topics if self.result.outcome == "updated" else ()
        self.lock.done(self.now, session=self.session, topics=topics)
        self._is_done = True

    def end(self) -> None:
        """Let go, whatever happened."""
        try:
            if not self._is_done:
                self.lock.disturbed()
        finally:
            self.process.end(self.lock.path)


class _Tomorrow(Mapping[str, File]):
    """A folder as it will be: some files with other bytes (None: gone), and with the times that they will have."""

    def __init__(
        self, folder: Folder, changed: Mapping[str, bytes | None], times: Mapping[str, datetime], now: datetime
    ) -> None:
        self._folder = folder
        self._new = {path: File(data, times.get(path, now)) for path, data in changed.items() if data is not None}
        self._paths = dict.fromkeys(sorted({*folder, *self._new} - {path for path, data in changed.items() if data is None}))

    def __getitem__(self, path: str) -> File:
        if path not in self._paths:
            raise KeyError(path)
        return self._new[path] if path in self._new else self._folder[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


def _now(folder: Folder, path: str) -> bytes:
    return folder[path].data if path in folder else b""


def _action(act: Act) -> Action:
    match act:
        case Act.MERGED:
            return "confirmed"
        case Act.ADDED:
            return "added"
        case _:
            return "updated"
