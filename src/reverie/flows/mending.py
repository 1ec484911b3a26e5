"""Mending what a checkup found, each mend one change of the journal: atomic, with its cause, taken back by ``reverie undo``.

One exception: a mend that masks a credential cannot be undone, because the bytes that an undo needs hold it. The journal
does not keep them (``Edit.sealed``), a preview does not show them.

In a product's folder a mend holds the product's own lock meanwhile and gives it back as it was, with its time, which is the
clock of the product's dreams (spec/claude-code §18). While a living process holds it, nothing is mended.
"""

# Paths are strings where storage takes them:
# ruff: noqa: PTH112, PTH118, PTH119

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.core import checkup, checkup_mending, dream, redact
from reverie.core.checkup import Native
from reverie.core.checkup_mending import Mend
from reverie.core.edits import Edit, says_else
from reverie.core.events import Cause
from reverie.core.layout import Change, File
from reverie.core.scalar import whole
from reverie.errors import StoreUnavailable
from reverie.flows.checking import loaded
from reverie.flows.dream_locks import ClaudeLock
from reverie.storage import files, health

if TYPE_CHECKING:
    from reverie.axes.scoping import Mount
    from reverie.core.layout import Layout
    from reverie.flows.space import Space


@dataclass(frozen=True, slots=True, kw_only=True)
class Mended:
    """One mend, done or (``change`` 0) previewed: what it does, to which files, and the difference it makes."""

    subject: str
    folder: str
    does: str
    paths: tuple[str, ...]
    change: int = 0
    undoable: bool = True
    diff: str = ""
    run: str = ""                       # of all mends that were done together


def native(space: Space, layout: Layout, it: Native, *, run: str = "") -> Iterator[Mended]:
    """Mend a product's folder; without a ``run``, only say how. Raises ``StoreUnavailable`` while somebody dreams there."""
    with _alone(space, run), _held(space, it.folder, wanted=bool(run)):
        found, problems = loaded(it.folder)
        for mender in checkup_mending.MENDERS:
            read = layout.read(found, scope="project", project="")
            seen = checkup.look(found, read.memories, (*read.problems, *problems), now=space.now())
            for mend in mender(seen):
                edits = [_edit(it.folder, path, found, data, mend) for path, data in sorted(mend.files.items())]
                yield _carried_out(space, it.host, it.folder, mend, edits, run)
                for path, data in mend.files.items():
                    same = mend.says_the_same and path in found
                    found[path] = File(data, found[path].modified_at if same else space.now())


def own(space: Space, mount: Mount, *, run: str = "") -> Iterator[Mended]:
    """Mend one of our stores: credentials masked, the index rendered from the memories."""
    store = space.store(mount)
    with _alone(space, run):
        found, _ = loaded(store.root)
        for mend in checkup_mending.secrets(checkup.look(found, (), (), now=space.now())):
            edits = [_edit(store.root, path, found, data, mend) for path, data in sorted(mend.files.items())]
            yield _carried_out(space, "own", store.root, mend, edits, run)
        edits = [edit for edit in store.plan(Change(reindex=True), space.now()).edits if says_else(edit)]
        if edits:
            paths = ", ".join(os.path.basename(edit.path) for edit in edits)
            yield _carried_out(space, "own", store.root, Mend(does=f"render {paths} from the memories", files={}), edits, run)


def home(space: Space, *, run: str = "") -> Iterator[Mended]:
    """A damaged search index goes; it is built again from the memories when it is needed."""
    path = space.home.path("search.db")
    if not health.damage(path):
        return
    if run:
        health.remove_database(path)
    yield Mended(subject="home", folder=space.home.root, does="delete the damaged search index; the next recall builds it again",
                 paths=("search.db",), undoable=False)


def _alone(space: Space, run: str) -> AbstractContextManager[object]:
    """The home's lock, where something is going to be written."""
    return space.home.lock("doctor") if run else nullcontext()


@contextmanager
def _held(space: Space, folder: str, *, wanted: bool) -> Iterator[None]:
    """The product's lock, for as long as it is needed; afterwards as it was."""
    lock = ClaudeLock(os.path.join(folder, dream.CLAUDE_LOCK))
    if lock.held(space.now()):
        raise StoreUnavailable(f"{lock.path!r}: a living process dreams in this folder just now, so nothing was mended. Wait "
                               "until it is done (an hour at most), and ask again.")
    if not wanted or not os.path.isdir(folder):
        yield
        return
    lock.take(space.now())
    try:
        yield
    finally:
        if lock.ours():
            lock.disturbed()


def _edit(folder: str, path: str, found: Mapping[str, File], data: bytes, mend: Mend) -> Edit:
    before = found[path].data if path in found else None
    holds_secret = before is not None and (mend.masks or redact.has_secret(before.decode("utf-8", "replace")))
    full = os.path.join(folder, path)
    stamp = files.stamp(full) if mend.says_the_same else None
    return Edit(path=full, before=before, after=data, root=folder, sealed=holds_secret,
                mtime_ns=stamp.mtime_ns if stamp else None)


def _carried_out(space: Space, subject: str, folder: str, mend: Mend, edits: Sequence[Edit], run: str) -> Mended:
    change = 0
    if run:
        change = space.home.journal.commit(edits, cause=Cause(operation="doctor", actor="user", run=run, why=mend.does))
    names = tuple(os.path.basename(edit.path) if subject == "own" else os.path.relpath(edit.path, folder) for edit in edits)
    return Mended(subject=subject, folder=folder, does=mend.does, paths=names, change=change,
                  undoable=not any(edit.sealed for edit in edits), diff="".join(map(_difference, edits, names)))


def _difference(edit: Edit, name: str) -> str:
    """What an edit changes, as a unified diff; of one that takes out a credential, only that."""
    if edit.sealed:
        return f"--- {name}\n+++ {name}\n(the lines that change hold a credential and are not shown)\n"
    before, after = (
        whole((data or b"").decode("utf-8", "replace")).splitlines(keepends=True) for data in (edit.before, edit.after)
    )
    old = name if edit.before is not None else "/dev/null"
    lines = difflib.unified_diff(before, after, old, name)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
