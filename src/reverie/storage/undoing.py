"""What an undo would do: decided here, from the history and the files as they are; the journal carries it out.

The changes are walked through from the newest to the oldest. A file that still holds what the change left gets back
what it held before. If later changes wrote it too, their lines stay and only this change's are taken out, where that is
possible. What a hand edited since is a conflict: reported, and overwritten only when asked to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from reverie.core.edits import without
from reverie.core.events import Action, FileConflict, Touched
from reverie.errors import StoreUnavailable
from reverie.storage.history import History, KeptEdit, Pruned, digest_of

if TYPE_CHECKING:
    from reverie.storage.database import Database
    from reverie.storage.records import Statement

_OPPOSITE: Mapping[Action, Action] = {
    "added": "removed", "removed": "restored", "updated": "restored", "confirmed": "restored",
    "superseded": "restored", "quarantined": "restored", "restored": "removed",
}


@dataclass(slots=True)
class FileState:
    """One file on its way back."""

    edit: KeptEdit                      # the last edit that was taken out: its mode and time come with its bytes
    found: bytes | None                 # on the disk
    data: bytes | None
    exact: bool = False                 # data is what the edit found, byte for byte


@dataclass(slots=True)
class UndoPlan:
    """What to write, what became fully undone, and what was in the way."""

    states: dict[str, FileState] = field(default_factory=dict)
    undid: list[int] = field(default_factory=list)
    conflicts: list[FileConflict] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)
    touched: list[Touched] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)


class Undoing:
    """Plans an undo. ``load`` gives the bytes of an edit's file now, None when there is none."""

    def __init__(
        self, database: Database, history: History, load: Callable[[KeptEdit], bytes | None], *, force: bool
    ) -> None:
        self._database = database
        self._history = history
        self._load = load
        self._force = force
        self.plan = UndoPlan()

    def take_back(self, changes: Sequence[int]) -> UndoPlan:
        """The plan for these changes, newest first."""
        for change in changes:
            conflicts = [
                conflict for edit in reversed(self._history.edits(change))
                if (conflict := self._take_out(edit, change)) is not None
            ]
            self.plan.conflicts += conflicts
            if not conflicts:
                self._is_undone(change)
        return self.plan

    def _is_undone(self, change: int) -> None:
        self.plan.undid.append(change)
        self.plan.touched += self._touched(change)
        self.plan.statements.append(("add_undoing", {"target": change}))
        self._falls(change, by=None)

    # -- files

    def _take_out(self, edit: KeptEdit, change: int) -> FileConflict | None:
        state = self.plan.states.get(edit.path)
        if state is None:
            try:
                found = self._load(edit)
            except StoreUnavailable as error:
                return FileConflict(path=edit.path, reason="not_writable", detail=str(error))
            state = self.plan.states[edit.path] = FileState(edit, found, found)
        now = digest_of(state.data)
        if now == edit.before:
            return None
        try:
            before = self._history.bytes_of(edit.before)
            if now == edit.after or self._force:
                state.edit, state.data, state.exact = edit, before, True
                return None
            after = self._history.bytes_of(edit.after)
        except Pruned:
            return FileConflict(path=edit.path, reason="history_pruned",
                                detail=f"the bytes that change {change} replaced are not kept any more")
        last = self._database.one("last_edit_of_path", path=edit.path)
        ours = last is not None and last["after"] == digest_of(state.found)
        merged = _merged(before, after, state.data) if ours else None
        if merged is not None:
            state.edit, state.data, state.exact = edit, merged, False
            return None
        if edit.derived:
            self.plan.stale.append(edit.path)
            return None
        if ours and last is not None and last["change"] != change:
            return FileConflict(path=edit.path, reason="changed_since", detail=f"by change {last['change']}")
        return FileConflict(path=edit.path, reason="edited_by_hand", detail=f"after change {change}")

    # -- what follows for other changes and for memories

    def _falls(self, change: int, *, by: int | None) -> None:
        """A change does not count any more; if it was an undo, what it took back stands again."""
        self.plan.statements.append(("mark_undone", {"target": change, "by": by}))
        self.plan.statements.append(("lift_tombstones", {"target": change, "lifted": 1}))
        for earlier in self._history.undone_in(change):
            self._stands(earlier)

    def _stands(self, change: int) -> None:
        self.plan.statements.append(("mark_standing", {"target": change}))
        self.plan.statements.append(("lift_tombstones", {"target": change, "lifted": 0}))
        for earlier in self._history.undone_in(change):
            self._falls(earlier, by=change)

    def _touched(self, change: int) -> list[Touched]:
        undone = self._history.undone_in(change)
        if undone:                      # a redo: it happens again
            return [touched for earlier in undone for touched in self._history.touched(earlier)]
        return [replace(touched, action=_OPPOSITE[touched.action]) for touched in self._history.touched(change)]


def _merged(before: bytes | None, after: bytes | None, now: bytes | None) -> bytes | None:
    return None if before is None or after is None or now is None else without(before, after, now)
