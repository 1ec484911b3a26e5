"""Edits made ready: where each really lands, and whether its file is what the edit starts from."""

# Paths are strings in storage, pathlib costs a hook 16 ms:
# ruff: noqa: PTH100, PTH117, PTH118, PTH119, PTH120

from __future__ import annotations

import os
from dataclasses import dataclass, replace

from reverie.core.edits import Edit
from reverie.errors import Conflict, StoreUnavailable
from reverie.storage import files
from reverie.storage.files import Loaded, Stamp, Unread
from reverie.storage.history import KeptEdit
from reverie.storage.undoing import FileState
from reverie.storage.writing import FILE_MODE, Write


@dataclass(frozen=True, slots=True)
class Step:
    """One edit on its way: what to write where, what would take it back, and the file's stamp when it was checked."""

    edit: Edit
    write: Write
    back: Write
    stamp: Stamp | None

    @property
    def writes(self) -> bool:
        """Whether the disk does not hold it yet."""
        return self.edit.before != self.edit.after


class Steps:
    """Makes steps for the edits of one home."""

    def __init__(self, root: str) -> None:
        self._root = root

    def check(self, edit: Edit) -> Step:
        """An edit as a step; ``Conflict`` when its file holds something else than it starts from."""
        files.check_name(edit.path + edit.root)
        edit = replace(edit, path=self._canonical(edit.path), root=self._canonical(edit.root) if edit.root else "")
        target = self.target(edit.path, edit.root)
        if edit.after is not None and len(edit.after) > files.READ_LIMIT_BYTES:
            raise StoreUnavailable(f"{edit.path!r} would become larger than a store reads: {len(edit.after)} of at "
                                   f"most {files.READ_LIMIT_BYTES} bytes. Nothing was written.")
        found = now_at(target)
        if (found.data if found else None) != edit.before:
            raise Conflict(changed_meanwhile(edit.path))
        mode = found.status.st_mode & 0o777 if found else FILE_MODE
        mtime_ns = found.status.st_mtime_ns if found else None
        return Step(edit, Write(target, edit.after, mode, edit.mtime_ns), Write(target, edit.before, mode, mtime_ns),
                    files.stamp_of(found.status) if found else None)

    def back(self, state: FileState) -> Step:
        """The step that gives a file back what it held, with its mode and time."""
        kept = state.edit
        step = self.check(Edit(path=kept.path, before=state.found, after=state.data, root=kept.root,
                               derived=kept.derived))
        if not state.exact:
            return step
        return Step(step.edit, Write(step.write.path, state.data, kept.mode, kept.mtime_ns), step.back, step.stamp)

    def now_in(self, edit: KeptEdit) -> bytes | None:
        """What the file of an edit holds now, None when there is none."""
        found = now_at(self.target(edit.path, edit.root))
        return found.data if found else None

    def target(self, path: str, root: str) -> str:
        """Where an edit really lands; ``StoreUnavailable`` when that is outside its root."""
        absolute = os.path.abspath(os.path.join(self._root, path))
        if root or not os.path.isabs(path):
            return files.target_of(absolute, os.path.join(self._root, root))
        return files.target_of(absolute, os.path.dirname(absolute))

    def _canonical(self, path: str) -> str:
        """Relative to the home with "/" where it lies in it (a home may be moved), else as it is."""
        if not os.path.isabs(path):
            return path.replace(os.sep, "/")
        real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        return os.path.relpath(real, self._root).replace(os.sep, "/") if files.within(real, self._root) else path


def now_at(target: str) -> Loaded | None:
    """What a file holds now, None when there is none; ``StoreUnavailable`` for what cannot be read or is no file."""
    loaded = files.load(target)
    if isinstance(loaded, Unread):
        if loaded.reason == "missing":
            return None
        where = files.in_the_way(target) if loaded.reason == "not_a_folder" else files.printable(target)
        raise StoreUnavailable(f"{where!r} is in the way: {loaded.reason.replace('_', ' ')} ({loaded.detail}).")
    return loaded


def changed_meanwhile(path: str) -> str:
    """The message of a conflict."""
    return f"{files.printable(path)!r} was changed by someone else meanwhile; nothing was written."
