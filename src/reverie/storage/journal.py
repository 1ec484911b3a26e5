"""The journal: every change of files goes through it, with its cause, and can be taken back.

How a change becomes true, under the home's lock:

1. each file is compared with what the change was planned for; another content is a ``Conflict``, and nothing happens;
2. the change is announced: cause, bytes before and after, and what else shall become true with it (the cursor of a
   transcript, a session's outcome, tombstones), in one transaction that has reached the disk before anything goes on;
3. the new bytes are written beside the files, forced to the disk, and renamed;
4. what was announced with it becomes true, in the transaction that marks the change as done. A power cut may take that
   mark away: then the change is completed once more, which changes nothing.

Whoever dies before 2 leaves the old state, whoever dies later a change that ``recover`` completes; a file that a hand
edited in between is kept and named. Changes are ordered by their number, never by the clock. The tests kill a process
at each of these operations and compare (``tests/storage/test_crash.py``).

What somebody else changed is taken into the history the same way (``Edit.observed``): its bytes before are those that the
journal knew, and what the other hand left is kept by its digest only, and only until the change is done: it may hold a
secret. Where it is to stay as it is, nothing is written.
"""

# ruff: noqa: PTH120 - paths are strings in storage: pathlib costs a hook 16 ms

from __future__ import annotations

import errno
import json
import os
import zlib
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from reverie.core.edits import Edit
from reverie.core.events import (
    Cause,
    ChangeRecord,
    FileConflict,
    Pruned,
    Retention,
    RunRecord,
    SessionRecord,
    Tombstone,
    Touched,
    Undone,
    Use,
    prunable,
)
from reverie.core.proposal import Drop
from reverie.core.session import Cursor
from reverie.errors import Conflict, NotFound, StoreUnavailable, WrongUse
from reverie.storage import files, history, records, writing
from reverie.storage.database import Database, time_of, time_text
from reverie.storage.files import Stamp
from reverie.storage.history import History, KeptEdit, Known, digest_of
from reverie.storage.lock import Lock
from reverie.storage.steps import Step, Steps, changed_meanwhile, now_at
from reverie.storage.undoing import Undoing, UndoPlan
from reverie.storage.writing import System, Write

if TYPE_CHECKING:
    from reverie.storage.records import Statement

EVENTS_KEPT = 100_000                   # of the stream; each is a name and a time
DROPS_KEPT = 20_000                     # refusals, a few hundred bytes each
BLOCKS_AGE = timedelta(days=400)        # a session older than this is not resumed
BACK = "-back"                          # in the names of temporary files that take a change back
_PASSING = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EMFILE, errno.ENFILE)   # worth another attempt later


class Journal:
    """Changes, their history, and the way back. One per home; safe for several threads and processes."""

    def __init__(
        self, root: str, *, database: Database, lock: Lock, system: System, clock: Callable[[], datetime]
    ) -> None:
        self._root = root
        self._database = database
        self._lock = lock
        self._system = system
        self._clock = clock
        self._history = History(database)
        self._steps = Steps(root)

    # -- changing

    def commit(
        self,
        edits: Sequence[Edit],
        *,
        cause: Cause,
        touched: Sequence[Touched] = (),
        cursor: tuple[str, Cursor] | None = None,
        stamp: Stamp | None = None,
        session: SessionRecord | None = None,
        drops: Sequence[Drop] = (),
        tombstones: Sequence[Tombstone] = (),
        uses: Sequence[Use] = (),
        counts: Mapping[str, int] | None = None,
        also: Sequence[Statement] = (),
    ) -> int:
        """Carry out a change, all of it or nothing, and return its id; 0 when no file and no memory changes.

        ``cursor`` (with the transcript's ``stamp``), ``session``, ``drops``, ``uses`` and ``also`` become true together with
        it, and are recorded even when nothing changes. Raises ``Conflict`` when a file is not what an edit starts from: plan
        again.
        Raises ``StoreUnavailable`` when something cannot be written; then the old state stands, unless the message says
        that the change waits to be completed.
        """
        with self._lock.held(cause.operation):
            self.recover()
            now = self._clock()
            statements: list[Statement] = [records.drop_statement(drop, cause, now) for drop in drops]
            if cursor is not None:
                statements.append(records.cursor_statement(*cursor, stamp, now))
            if session is not None:
                statements.append(records.session_statement(self._database, session, now))
            statements += [records.use_statement(use, now) for use in uses]
            statements += [records.tombstone_statement(tombstone, now) for tombstone in tombstones]
            statements += also
            steps = [self._steps.check(edit) for edit in edits if edit.before != edit.after or edit.observed is not None]
            steps.sort(key=lambda step: not step.writes)        # places of temporary files are counted over what is written
            if steps or touched or tombstones:
                return self._carry_out(steps, cause, touched=touched, statements=statements, counts=counts or {})
            if statements:
                with self._database.transaction():
                    self._apply(statements, change=0)
            return 0

    def recover(self, *, wait: bool = True) -> list[int]:
        """Complete what a dead process had announced; the changes completed. Cheap when there is nothing.

        Without ``wait``, what a living process is about just now is left to it.
        """
        if not self._database.rows("pending_changes") or not self._lock.take("completing a change", wait=wait):
            return []
        try:
            pending = self._database.rows("pending_changes")    # now that nobody else is at work
            for row in pending:
                self._complete(row["id"], _Announced.read(row["finish"]))
            return [row["id"] for row in pending]
        finally:
            self._lock.release()

    def undo(
        self,
        *,
        change: int | None = None,
        run: str | None = None,
        last: int | None = None,
        force: bool = False,
        cause: Cause | None = None,
        spare: Callable[[Mapping[str, bytes]], Sequence[Edit]] = lambda gone: (),
    ) -> Undone:
        """Take back one change, a whole run, or the last few that still stand. It is a change itself: undo it to redo.

        Files are restored byte for byte. What cannot be is reported and left alone, or overwritten with ``force``.
        ``spare`` gives the edits by which files that somebody else had made, and that go now, are kept elsewhere.
        """
        assert sum(choice is not None for choice in (change, run, last)) == 1, "one of change, run, last"
        cause = cause or Cause(operation="undo", actor="user")
        with self._lock.held(cause.operation):
            self.recover()
            targets = self._targets(change, run, last)
            plan = Undoing(self._database, self._history, self._steps.now_in, force=force).take_back(targets)
            states = [state for state in plan.states.values() if state.data != state.found]
            done = 0
            if states or plan.undid:
                steps = [self._steps.back(state) for state in states]
                gone = {
                    state.edit.path: state.found for state in states
                    if state.data is None and state.found is not None and not state.edit.derived
                }
                if gone and all(self.change(target).cause.operation == "adopt" for target in targets):
                    steps += [self._steps.check(edit) for edit in spare(gone)]
                done = self._carry_out(steps, cause, touched=plan.touched, statements=plan.statements, counts={},
                                       conflicts=plan.conflicts, is_undo=True)
            return _undone(done, plan, [state.edit.path for state in states], self._history, targets)

    # -- asking

    def changes(self, limit: int = 20, *, memory: str | None = None, run: str | None = None) -> list[ChangeRecord]:
        """The last changes, newest first; of one memory (full id) or one run, if given."""
        return self._history.newest(limit, memory=memory, run=run)

    def change(self, change: int) -> ChangeRecord:
        """One change; ``NotFound``."""
        row = self._history.row(change)
        if row is None:
            raise NotFound(f"There is no change {change}. `reverie undo --list` shows the last ones.")
        return self._history.record(row)

    def history(self, memory: str) -> list[ChangeRecord]:
        """All that happened to a memory (full id), oldest first."""
        return self._history.newest(history.HISTORY_LIMIT, memory=memory)[::-1]

    def known(self, folder: str) -> dict[str, Known]:
        """What the files below a folder (relative to the home) held when the journal last saw them, by path."""
        return self._history.known(f"{folder}/", f"{folder}0")      # "0" is what comes behind "/"

    def last(self, path: str) -> Known | None:
        """The same of one file, None when the journal never saw it."""
        return self._history.known(path, f"{path}\0").get(path)

    def kept(self, digest: str) -> bytes | None:
        """The bytes of a digest, None when they are not kept any more."""
        try:
            return self._history.bytes_of(digest)
        except history.Pruned:
            return None

    # -- runs

    def start_run(self, kind: str) -> str:
        """Begin a run; its id ("learn-12") goes into the ``Cause`` of its changes."""
        with self._database.transaction():
            row = self._database.one("start_run", kind=kind, at=time_text(self._clock()))
        assert row is not None
        return f"{kind}-{row['number']}"

    def end_run(self, run: str, outcome: str, counts: Mapping[str, int] | None = None) -> None:
        """Say how a run ended, and what it counted."""
        with self._database.transaction():
            self._database.run("end_run", run=run, outcome=outcome, counts=records.counts_text(counts or {}),
                               at=time_text(self._clock()))

    def runs(self, limit: int = 20) -> list[RunRecord]:
        """The last runs, newest first."""
        return self._history.runs(limit)

    def prune(self, retention: Retention | None = None) -> Pruned:
        """Let go the bytes of old changes (they stay known, but cannot be undone any more), old refusals and blocks."""
        now = self._clock()
        with self._lock.held("prune"), self._database.transaction():
            held = [(row["id"], time_of(row["at"]), row["size"]) for row in self._database.rows("bytes_held")]
            gone = prunable(held, now, retention or Retention())
            for change in gone:
                self._database.run("mark_pruned", change=change)
            unused = self._database.one("unused_bytes")
            self._database.run("delete_unused_blobs")
            self._database.run("prune_drops", newest=DROPS_KEPT)
            self._database.run("prune_events", newest=EVENTS_KEPT)
            self._database.run("prune_blocks", before=time_text(now - BLOCKS_AGE))
        self._database.shrink()
        return Pruned(changes=tuple(gone), bytes=unused["size"] if unused else 0)

    # -- carrying out

    def _carry_out(
        self,
        steps: Sequence[Step],
        cause: Cause,
        *,
        touched: Sequence[Touched],
        statements: Sequence[Statement],
        counts: Mapping[str, int],
        conflicts: Sequence[FileConflict] = (),
        is_undo: bool = False,
    ) -> int:
        assert len({step.write.path for step in steps}) == len(steps), "two edits of one file in one change"
        writing_steps = [step for step in steps if step.writes]
        with self._database.transaction(durable=True):
            change = self._announce(steps, cause, touched, statements, counts, is_undo)
            if not writing_steps:
                self._finish(change, statements, conflicts)
        if writing_steps:
            self._write(change, writing_steps)
            with self._database.transaction():
                self._finish(change, statements, conflicts)
        return change

    def _announce(
        self,
        steps: Sequence[Step],
        cause: Cause,
        touched: Sequence[Touched],
        statements: Sequence[Statement],
        counts: Mapping[str, int],
        is_undo: bool,
    ) -> int:
        row = self._database.one(
            "add_change", run=cause.run, at=time_text(self._clock()), operation=cause.operation, actor=cause.actor,
            host=cause.host, session=cause.session, message=cause.message, rule=cause.rule, why=cause.why,
            counts=records.counts_text(counts), finish=_Announced.text(statements, steps), is_undo=is_undo)
        assert row is not None
        change = int(row["id"])
        for place, step in enumerate(steps):
            observed = step.edit.observed
            if step.edit.sealed:        # an earlier change may have kept them: they go there, too
                self._database.overwrite_deleted()
                self._database.run("delete_blob", digest=digest_of(step.edit.before))
            for data in (None if observed or step.edit.sealed else step.edit.before, step.edit.after):
                if data is not None:
                    self._database.run("add_blob", digest=digest_of(data), data=zlib.compress(data))
            self._database.run(
                "add_edit", change=change, place=place, path=step.edit.path, root=step.edit.root,
                derived=step.edit.derived, before=observed.known if observed else digest_of(step.edit.before),
                after=digest_of(step.edit.after), mode=step.write.mode,
                mtime_ns=observed.mtime_ns if observed else step.back.mtime_ns)
        for place, memory in enumerate(touched):
            self._database.run(
                "add_touched", change=change, place=place, memory=memory.memory, action=memory.action,
                name=memory.name, message=memory.message, rule=memory.rule, quote=memory.quote, before=memory.before)
        return change

    def _write(self, change: int, steps: Sequence[Step]) -> None:
        writes = [step.write for step in steps]
        tag = self._tag(change)
        try:
            folders = writing.stage(self._system, writes, tag)
            for step in steps:          # just before: staging took its time
                if files.stamp(step.write.path) != step.stamp:
                    raise Conflict(changed_meanwhile(step.edit.path))
        except (StoreUnavailable, Conflict) as error:
            writing.unstage(self._system, writes, tag)
            self._abandon(change, error)
            raise
        placed = 0
        try:
            for place, write in enumerate(writes):
                writing.put_in_place(self._system, write, writing.temporary(write.path, tag, place))
                placed += 1
            writing.force_folders(self._system, [*folders, *(os.path.dirname(write.path) for write in writes)])
        except StoreUnavailable as error:
            writing.unstage(self._system, writes, tag)
            self._take_back(change, [step.back for step in steps[:placed]], error)
            raise

    def _take_back(self, change: int, backs: Sequence[Write], reason: StoreUnavailable) -> None:
        """Some files were written and one could not be: restore them."""
        tag = self._tag(change) + BACK
        try:
            folders = writing.stage(self._system, backs, tag)
            for place, write in enumerate(backs):
                writing.put_in_place(self._system, write, writing.temporary(write.path, tag, place))
            writing.force_folders(self._system, [*folders, *(os.path.dirname(write.path) for write in backs)])
        except StoreUnavailable:
            writing.unstage(self._system, backs, tag)
            raise StoreUnavailable(f"{reason} {_WAITS}") from reason
        self._abandon(change, reason)

    def _abandon(self, change: int, reason: StoreUnavailable | Conflict) -> None:
        """No file was changed: take the announcement back."""
        try:
            with self._database.transaction():
                for name in ("abandon_edits", "abandon_touched", "abandon_change"):
                    self._database.run(name, change=change)
        except StoreUnavailable:
            raise StoreUnavailable(f"{reason} {_WAITS}") from reason

    def _finish(self, change: int, statements: Sequence[Statement], conflicts: Sequence[FileConflict]) -> None:
        for conflict in conflicts:
            self._database.run("add_conflict", change=change, path=conflict.path, reason=conflict.reason,
                               detail=conflict.detail)
        self._apply(statements, change=change)
        self._database.run("finish_change", change=change)

    def _tag(self, change: int) -> str:
        """What the temporary files of a change are called by."""
        row = self._database.one("home_id")
        assert row is not None
        return f"{row['id']}-{change}"

    def _apply(self, statements: Sequence[Statement], *, change: int) -> None:
        for name, values in statements:
            self._database.run(name, **{**values, "change": change})

    # -- completing what a dead process began

    def _complete(self, change: int, announced: _Announced) -> None:
        edits = self._history.edits(change)
        tag = self._tag(change)
        conflicts: list[FileConflict] = []
        for place, edit in enumerate(edits):
            try:
                self._complete_file(edit, tag, place, announced)
            except _Kept as kept:
                conflicts.append(kept.conflict)
            except StoreUnavailable as error:
                if isinstance(error.__cause__, OSError) and error.__cause__.errno in _PASSING:
                    raise
                conflicts.append(FileConflict(path=edit.path, reason="not_writable", detail=str(error)))
        with self._database.transaction():
            self._finish(change, announced.statements, conflicts)

    def _complete_file(self, edit: KeptEdit, tag: str, place: int, announced: _Announced) -> None:
        target = self._steps.target(edit.path, edit.root)
        found = now_at(target)
        for leftover in (tag, tag + BACK):
            self._clear(writing.temporary(target, leftover, place))
        now = digest_of(found.data if found else None)
        folders = [os.path.dirname(target)]
        if now != edit.after:
            if now not in (edit.before, announced.found.get(place, edit.before)):
                raise _Kept(FileConflict(path=edit.path, reason="edited_by_hand", detail="while it was to be written"))
            try:
                write = Write(target, self._history.bytes_of(edit.after), edit.mode, announced.times.get(place))
            except history.Pruned:
                raise _Kept(FileConflict(path=edit.path, reason="history_pruned", detail="bytes lost")) from None
            beside = writing.temporary(target, tag, place)
            folders += writing.stage_one(self._system, write, beside)
            writing.put_in_place(self._system, write, beside)
        writing.force_folders(self._system, folders)

    def _clear(self, leftover: str) -> None:
        if os.path.lexists(leftover):
            try:
                self._system.remove(leftover)
            except OSError as error:
                raise files.unavailable(error, leftover, "removed") from error

    def _targets(self, change: int | None, run: str | None, last: int | None) -> list[int]:
        if change is not None:
            record = self.change(change)
            if record.undone_by:
                raise WrongUse(f"Change {change} was already undone, by change {record.undone_by}. "
                               f"Undo {record.undone_by} to have it back.")
            return [change]
        if run is not None:
            if not any(record.id == run for record in self._history.runs(history.HISTORY_LIMIT)):
                raise NotFound(f"There is no run {run!r}.")
            return [row["id"] for row in self._database.rows("standing_of_run", run=run)]
        return [row["id"] for row in self._database.rows("undoable", limit=max(0, last or 0))]


class _Announced:
    """What was announced beside the files themselves: the statements that become true with them; of observed files the digest
    of what was found there; the times that files get. Counted by the files' places."""

    def __init__(
        self, statements: Sequence[Statement], found: Mapping[int, str | None], times: Mapping[int, int]
    ) -> None:
        self.statements = statements
        self.found = found
        self.times = times

    @staticmethod
    def text(statements: Sequence[Statement], steps: Sequence[Step]) -> str:
        """As the database keeps it until the change is done."""
        found = {place: digest_of(step.edit.before) for place, step in enumerate(steps) if step.edit.observed and step.writes}
        times = {place: step.write.mtime_ns for place, step in enumerate(steps) if step.edit.mtime_ns is not None}
        beside = {name: values for name, values in (("found", found), ("times", times)) if values}
        return json.dumps({"statements": statements, **beside} if beside else statements)

    @classmethod
    def read(cls, text: str) -> _Announced:
        """What a process that died had announced."""
        value = json.loads(text)
        if isinstance(value, list):
            return cls(value, {}, {})
        found, times = ({int(place): each for place, each in value.get(name, {}).items()} for name in ("found", "times"))
        return cls(value["statements"], found, times)


_WAITS = "The change could not be taken back either: it is completed as soon as that is possible."


class _Kept(Exception):
    def __init__(self, conflict: FileConflict) -> None:
        self.conflict = conflict


def _undone(
    change: int, plan: UndoPlan, restored: Sequence[str], kept: History, targets: Sequence[int]
) -> Undone:
    memories = {touched.memory: None for target in targets for touched in kept.touched(target)}
    return Undone(change=change, undid=tuple(plan.undid), restored=tuple(restored), conflicts=tuple(plan.conflicts),
                  stale=tuple(dict.fromkeys(plan.stale)), memories=tuple(memories))
