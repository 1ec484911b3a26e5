"""A store: one scope's memories in one folder, seen through a layout.

The files are the truth and are looked at anew each time, so that hand edits count at once; what did not change is not
read again. A store changes nothing itself: it plans the edits, each with the exact bytes that the plan was made from,
and ``Journal.commit`` carries them out. What is removed goes to the trash in the same change.
"""

# Paths are strings in storage, pathlib costs a hook 16 ms:
# ruff: noqa: PTH100, PTH112, PTH118, PTH208

from __future__ import annotations

import json
import os
import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from reverie.core.edits import Edit
from reverie.core.layout import Change, Contents, File, Layout, Problem
from reverie.errors import NotFound, StoreUnavailable
from reverie.storage import files, writing
from reverie.storage.files import Scan, Stamp, Unread
from reverie.storage.folder import DiskFolder, Overlay, Unreadable

if TYPE_CHECKING:
    from reverie.storage.home import Home

TRASH_NAME_CHARACTERS = 100             # of a file's name, behind the time


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What would carry out a change. ``ids`` are the layout's ids of the memories put, in order."""

    edits: tuple[Edit, ...]
    ids: tuple[str, ...] = ()
    notes: Mapping[str, str] = field(default_factory=dict)
    trashed: tuple[str, ...] = ()       # where removed memories went: paths relative to the home


@dataclass(frozen=True, slots=True, kw_only=True)
class Trashed:
    """Something removed that can be had back."""

    path: str                           # of its file in the trash, relative to the home
    memory: str                         # the full id that it had
    file: str                           # its path in the store
    at: datetime | None = None
    why: str = ""


class Store:
    """One scope's memories. Full ids are ``<label>/<the layout's id>``."""

    def __init__(
        self, home: Home, label: str, layout: Layout, *, scope: str, project: str, folder: str, writable: bool
    ) -> None:
        files.check_name(label + folder)
        parts = label.split("/")
        assert label and all(part not in ("", ".", "..") for part in parts), "a label is a relative path without dots"
        self._home = home
        self.label = label
        self.layout = layout
        self.scope = scope
        self.project = project
        self.writable = writable
        self.root = os.path.abspath(os.path.join(home.root, folder))
        self._folder = folder
        self._files: dict[str, tuple[Stamp, File]] = {}
        self._contents: tuple[Scan, Contents] | None = None

    @property
    def exists(self) -> bool:
        """Whether its folder is there."""
        return os.path.isdir(self.root)

    def full_id(self, layout_id: str) -> str:
        """A memory's id among all stores of the home."""
        return f"{self.label}/{layout_id}"

    def layout_id(self, full_id: str) -> str | None:
        """A memory's id in this store, None when the full id is another store's."""
        prefix = self.label + "/"
        return full_id[len(prefix) :] if full_id.startswith(prefix) else None

    def folder(self) -> DiskFolder:
        """The files as they are now. The listing is of this moment; bytes are read when asked for."""
        return self._look()

    def contents(self) -> Contents:
        """Everything the store holds now. What cannot be read is a problem, not an error; ``StoreUnavailable`` only
        when the folder itself cannot be listed."""
        view = self._look()
        if self._contents is not None and view.scan.same_as(self._contents[0]):
            return self._contents[1]
        while True:
            try:
                read = self.layout.read(view, scope=self.scope, project=self.project)
                break
            except Unreadable as lost:     # it was readable when it was listed; each round leaves out one more
                view.leave_out(lost.path, lost.unread)
        skipped = tuple(
            Problem(path=path, reason=unread.reason, detail=unread.detail)
            for path, unread in view.scan.skipped.items()
        )
        contents = replace(read, problems=read.problems + skipped)
        if view.cacheable:
            self._contents = (view.scan, contents)
        return contents

    # -- changing

    def plan(self, change: Change, now: datetime, *, why: str = "") -> Plan:
        """The edits that carry out a change, index included; removed memories' files are copied into the trash."""
        self._must_be_writable()
        view = self._look()
        written = self.layout.write(view, change, now=now)
        edits = [self._edit(path, view, after) for path, after in sorted(written.files.items())]
        trash = self._to_trash(view, change.remove, now, why, set())
        return Plan(edits=tuple(edit for edit in edits + trash if edit.before != edit.after), ids=tuple(written.ids),
                    notes=written.notes, trashed=tuple(edit.path for edit in trash if not edit.path.endswith(".json")))

    def plan_files(
        self,
        view: DiskFolder,
        changed: Mapping[str, bytes | None],
        now: datetime,
        *,
        trash: Sequence[str] = (),
        why: str = "",
    ) -> Plan:
        """The edits that give files exactly these bytes (None: the file goes), whoever wrote them, and the index that
        follows from them. ``view`` is the ``folder()`` that they were made from; ``trash`` names memories whose files are
        copied into the trash."""
        self._must_be_writable()
        edits = [
            Edit(path=os.path.join(self._folder, path), before=view[path].data if path in view else None, after=data,
                 root=self._folder)
            for path, data in sorted(changed.items())
        ]
        written = self.layout.write(Overlay(view, changed, now), Change(reindex=True), now=now)
        edits += [
            self._edit(path, view, after) for path, after in sorted(written.files.items())
            if path not in changed and (after or path in view)      # where there is no memory, there is no need of an index
        ]
        bin_edits = self._to_trash(view, trash, now, why, set())
        return Plan(edits=tuple(edit for edit in edits + bin_edits if edit.before != edit.after),
                    trashed=tuple(edit.path for edit in bin_edits if not edit.path.endswith(".json")))

    def plan_trash(self, lost: Mapping[str, bytes], now: datetime, *, why: str) -> tuple[Edit, ...]:
        """The edits that put these files, which the store does not hold (any more), into the trash."""
        edits: list[Edit] = []
        for path, data in lost.items():
            alone: dict[str, File] = {path: File(data, now)}
            ids = [memory.id for memory in self.layout.read(alone, scope=self.scope, project=self.project).memories]
            edits += self._to_trash(alone, ids[:1] or [path], now, why, {edit.path for edit in edits})
        return tuple(edits)

    def clear_folders(self, path: str) -> None:
        """Take away empty folders: the one at this path, and those above it as far as they are empty, too.

        An edit takes away files only; a folder that was left over is in the way of a file with its name.
        """
        writing.remove_empty_folders(os.path.join(self.root, path), self.root)

    def trashed(self) -> list[Trashed]:
        """What was removed from this store and lies in the trash, newest first."""
        folder = self._home.path(self._trash)
        try:
            names = [name for name in os.listdir(folder) if name.endswith(".json")]
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise files.unavailable(error, folder, "listed") from error
        return [item for name in sorted(names, reverse=True) if (item := self._trashed(name)) is not None]

    def plan_restore(self, item: Trashed, now: datetime) -> Plan:
        """The edits that bring something back from the trash; ``NotFound`` when it is not there any more."""
        self._must_be_writable()
        if not _plain(item.file) or not self.layout.is_memory_path(item.file):
            raise NotFound(f"The note of {item.path!r} does not say which memory it was.")
        data = files.read(self._home.path(item.path), root=self._home.path(self._trash))
        note = files.read(self._home.path(item.path + ".json"), root=self._home.path(self._trash))
        if isinstance(data, Unread) or isinstance(note, Unread):
            raise NotFound(f"{item.path!r} is not in the trash any more.")
        view = self._look()
        gone = [Edit(path=item.path, before=data, after=None, root=self._trash),
                Edit(path=item.path + ".json", before=note, after=None, root=self._trash)]
        alone = self.layout.read({item.file: File(data, now)}, scope=self.scope, project=self.project)
        memories = [memory for memory in alone.memories if self.full_id(memory.id) == item.memory]
        if not memories:
            raise NotFound(f"{item.path!r} holds no memory {item.memory!r} that could be restored.")
        if item.file not in view and [memory.id for memory in alone.memories] == [item.file]:
            plan = self.plan_files(view, {item.file: data}, now)    # its author's bytes, under the name that they had
            return replace(plan, edits=(*plan.edits, *gone), ids=(item.file,))
        plan = self.plan(Change(put=[replace(memory, id="") for memory in memories]), now)
        edits = list(plan.edits)
        if item.file not in view and plan.ids == tuple(memory.id for memory in alone.memories):
            path = os.path.join(self._folder, item.file)    # it is alone in its file again: byte for byte what it was
            edits = [replace(edit, after=data) if edit.path == path else edit for edit in edits]
        return replace(plan, edits=(*edits, *gone))

    def _must_be_writable(self) -> None:
        if not self.writable:
            raise StoreUnavailable(f"{self.root!r} is mounted read-only: Reverie writes there only when told to.")

    def _edit(self, path: str, view: DiskFolder, after: bytes | None) -> Edit:
        if path in view.scan.skipped:
            unread = view.scan.skipped[path]
            raise StoreUnavailable(f"{os.path.join(self.root, path)!r} would have to be rewritten, but cannot be read: "
                                   f"{unread.reason.replace('_', ' ')} ({unread.detail}).")
        assert _plain(path), f"a layout writes within its store, not to {path!r}"
        derived = not self.layout.is_memory_path(path)
        return Edit(path=os.path.join(self._folder, path), before=view[path].data if path in view else None,
                    after=_discreet(after) if derived and after else after, root=self._folder, derived=derived)

    # -- reading

    def _look(self) -> DiskFolder:
        scan = files.scan(self.root)
        for path in [path for path in self._files if path not in scan.files]:
            del self._files[path]
        return DiskFolder(self.root, scan, self._files)

    # -- trash

    @property
    def _trash(self) -> str:
        return f"trash/{self.label}"

    def _to_trash(
        self, view: Mapping[str, File], removed: Sequence[str], now: datetime, why: str, taken: set[str]
    ) -> list[Edit]:
        edits: list[Edit] = []
        for layout_id in removed:
            file = layout_id if layout_id in view else layout_id.rpartition(":")[0]
            if file not in view:
                continue
            path = self._free(now, posixpath.basename(file), taken)
            taken.add(path)
            note = {"memory": self.full_id(layout_id), "file": file, "removed_at": now.isoformat(), "why": why}
            edits.append(Edit(path=path, before=None, after=view[file].data, root=self._trash))
            edits.append(Edit(path=path + ".json", before=None, root=self._trash,
                              after=json.dumps(note, ensure_ascii=False, indent=1).encode() + b"\n"))
        return edits

    def _free(self, now: datetime, name: str, taken: set[str]) -> str:
        """A name in the trash that is not in use, whatever the clock says."""
        first = f"{self._trash}/{now.astimezone(UTC):%Y%m%dT%H%M%SZ}"
        path = f"{first}-{name[-TRASH_NAME_CHARACTERS:]}"
        number = 1
        while path in taken or os.path.lexists(self._home.path(path)):
            number += 1
            path = f"{first}-{number}-{name[-TRASH_NAME_CHARACTERS:]}"
        return path

    def _trashed(self, name: str) -> Trashed | None:
        text = files.read(self._home.path(self._trash, name), root=self._home.path(self._trash))
        try:
            note = json.loads(text) if isinstance(text, bytes) else None
        except ValueError:
            return None
        if not isinstance(note, dict):
            return None
        at = note.get("removed_at")
        try:
            removed_at = datetime.fromisoformat(at) if isinstance(at, str) else None
        except ValueError:
            removed_at = None
        return Trashed(path=f"{self._trash}/{name.removesuffix('.json')}", memory=str(note.get("memory", "")),
                       file=str(note.get("file", "")), at=removed_at, why=str(note.get("why", "")))


def _discreet(data: bytes) -> bytes:
    """An index without the credential that a file holds which nobody has looked at yet (promise 4)."""
    from reverie.core import redact

    text = data.decode("utf-8", "surrogateescape")
    found = redact.redact(text)
    return found.text.encode("utf-8", "surrogateescape") if found.families else data


def _plain(path: str) -> bool:
    """Whether a path stays in its folder."""
    return bool(path) and posixpath.normpath(path) == path and not path.startswith(("/", "..")) and path != "."
