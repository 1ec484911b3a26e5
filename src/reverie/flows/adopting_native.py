"""What a product's agent wrote into the product's own folder becomes memory here; the folder is only read (DESIGN §4.10).

Each file is held against what was adopted of it before (its cursor: the digest of its bytes, the memory that came of it, and
what that said). New and changed files become or update one memory of the same project, as the agent's word, with the
client's own keys; what was removed there goes into the trash here, if it still is what was adopted. Whatever changed on
both sides is left alone and named: the memory here may hold a person's edit.

A file is masked, sealed and lowered as one in our own store is (``adopting``). Not adopted: what Reverie wrote there, what
memory itself had said, what is known here already, and in a folder that projects share what another one wrote.
"""

# Paths of the home and the product are strings, as in storage:
# ruff: noqa: PTH118

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256

from reverie import errors
from reverie.core import frontmatter, gate, merge, redact
from reverie.core import place as places
from reverie.core.events import Cause
from reverie.core.frontmatter import Document
from reverie.core.layout import Change, File
from reverie.core.memory import By, Memory, Source, Status
from reverie.core.merge import Act
from reverie.core.native import NativeFolder
from reverie.core.proposal import Proposal
from reverie.core.session import Cursor
from reverie.flows import admission
from reverie.flows.admission import FILE_BYTES, Admission
from reverie.flows.adopted import Adopted, Run, Taken, together
from reverie.flows.adopting import ATTEMPTS, HALF_WRITTEN
from reverie.flows.space import Space, discreet_path
from reverie.layouts import fields, naming, qwen_entries, qwen_sheet
from reverie.layouts.claude_code import ClaudeCode
from reverie.storage import files
from reverie.storage.files import Loaded, Stamp, Unread
from reverie.storage.folder import Overlay
from reverie.storage.history import digest_of
from reverie.storage.store import Plan

GONE = "gone"                       # in a cursor: the file was removed, and what came of it was dealt with


def adopt(space: Space, folders: Iterable[NativeFolder], *, run: Run) -> Adopted:
    """Adopt from these folders. One that cannot be read is skipped by name."""
    parts: list[Adopted] = []
    for folder in folders:
        if folder.place and folder.scope == "user" and space.target(folder.place, "user").scope != "user":
            continue            # a design without a place for what is the user's
        if folder.place is None or folder.skip:
            reason = folder.skip or "unknown_project"
            parts.append(Adopted(files=(Taken(path=_shown(folder.path), outcome=f"skipped:{reason}", detail=folder.detail),)))
            continue
        try:
            parts.append(Adopted(files=tuple(_Native(space, folder, folder.place, run=run).adopt())))
        except errors.StoreUnavailable as error:
            parts.append(Adopted(files=(Taken(path=_shown(folder.path), outcome="skipped:unreadable", detail=str(error)),)))
    return together(parts)


@dataclass(frozen=True, slots=True)
class _Mark:
    """What was adopted of a file: its digest, the memory's full id ("": none came of it), a digest of what that said."""

    digest: str = ""
    memory: str = ""
    said: str = ""

    @classmethod
    def read(cls, cursor: Cursor | None) -> _Mark:
        digest, _, rest = (cursor.mark if cursor else "").partition(" ")
        said, _, memory = rest.partition(" ")
        return cls(digest, memory, said)

    def cursor(self) -> Cursor:
        return Cursor(position=1, mark=f"{self.digest} {self.said} {self.memory}".rstrip())


class _Native:
    """One folder of a product, held against one store."""

    def __init__(self, space: Space, folder: NativeFolder, place: places.Place, *, run: Run) -> None:
        self.space, self.folder, self.place, self.run = space, folder, place, run
        self.mount = space.target(place, folder.scope)
        self.store = space.store(self.mount)
        self.rules = Admission(space, self.mount)
        owner = "user" if folder.scope == "user" else places.project_key(place)
        self.prefix = f"adopt|{space.design.name}|{owner}|{discreet_path(folder.path)}|"
        self.layout = ClaudeCode(edition="2.1", own_index=False)
        self._known: merge.Known | None = None      # what the store holds, for telling what is known already

    def adopt(self) -> Iterator[Taken]:
        scan = files.scan(self.folder.path)
        marks = self.space.home.records.cursors(self.prefix)
        real = os.path.realpath(self.folder.path)
        written = {path.removeprefix(f"{real}/"): known.digest for path, known in self.space.home.journal.known(real).items()}
        skipped = {path: unread.reason for path, unread in scan.skipped.items()} | dict.fromkeys(scan.links, "symlink")
        for path in sorted(path for path in {*scan.files, *skipped} if naming.is_memory_path(path)):
            if path in skipped:
                yield self._skip(path, skipped[path])
                continue
            yield self._file(path, scan.files[path], *marks.get(path, (None, None)), ours=written.get(path))
        yield from self._removed(scan, marks)

    # ── one file ─────────────────────────────────────────────────────────────────────────────────────────────────

    def _file(
        self, path: str, stamp: Stamp, cursor: Cursor | None, known: Stamp | None, *, ours: str | None
    ) -> Taken:
        if known is not None and (known.size, known.mtime_ns, known.inode) == (stamp.size, stamp.mtime_ns, stamp.inode):
            return self._unchanged(path)
        loaded = files.load(os.path.join(self.folder.path, path), root=self.folder.path)
        if isinstance(loaded, Unread):
            return self._skip(path, loaded.reason)
        mark, digest = _Mark.read(cursor), str(digest_of(loaded.data))
        stamp = files.stamp_of(loaded.status)
        if mark.digest == digest:
            self._note(path, mark, stamp)
            return self._unchanged(path)
        if ours == digest:
            return self._skip(path, "written_by_reverie")
        reason = self._unwanted(path, loaded)
        if reason:
            return self._skip(path, reason)
        with self.space.home.lock("adopt"):
            for _ in range(ATTEMPTS):
                try:
                    return self._take(path, loaded, mark, replace(mark, digest=digest), stamp)
                except errors.Conflict:
                    continue
        raise errors.StoreUnavailable(f"{self.store.root!r} kept changing while it was adopted into. Try again.")

    def _unwanted(self, path: str, loaded: Loaded) -> str:
        """Why a file is not adopted, "" when it may be."""
        document = frontmatter.parse(loaded.data)
        is_new = abs(self.space.now() - _time(loaded)) < HALF_WRITTEN
        if is_new and ("no_closing_fence" in document.problems or not loaded.data.strip()):
            return "half_written"
        if not document.fields and not document.body:
            return "empty"
        if self.folder.host == "qwen-code" and (reason := _unseen_by_qwen(loaded, document)):
            return reason
        if len(loaded.data) > FILE_BYTES:
            return "too_large"
        if document.body and not admission.without_recalled(document).body:
            return "recalled"
        if self.folder.owner is not None:
            place = self.folder.owner(document.word("metadata.originSessionId"))
            if place is None:
                return "unknown_project"
            if not places.same_project(place, self.place):
                return "other_project"
        return ""

    def _take(self, path: str, loaded: Loaded, mark: _Mark, new: _Mark, stamp: Stamp) -> Taken:
        data, families = admission.masked(loaded.data)
        data = admission.without_recalled(frontmatter.parse(data)).data
        memory = self._memory(path, data, loaded)
        old = self._current(mark.memory)
        if old is not None and _said(old) != mark.said:
            return self._skip(path, "changed_here", memory=mark.memory)
        reason = "forgotten" if self.rules.forgotten([memory]) else "orders" if self._instructs(path, data) else ""
        if old is None and not reason and (known := self._same(memory)):
            self._note(path, replace(new, memory="", said=""), stamp)
            return Taken(path=self._shown(path), outcome="unchanged", memory=known, detail="known here already")
        plan, id = self._plan(path, data, memory, old, quarantined=bool(reason), mtime_ns=loaded.status.st_mtime_ns)
        after = self._after(plan, id)
        if after is None or gate.at_the_door(after):
            return self._skip(path, "secret" if after else "not_understood")
        if reason and after.status is not Status.QUARANTINED:       # this design has no place for the mark
            return replace(self._skip(path, "cannot_be_sealed"), detail=reason)
        outcome = "quarantined" if reason else "masked" if families else "updated" if old else "adopted"
        self.space.home.journal.commit(
            [*plan.edits, *self.space.project_edit(self.mount)],
            cause=self._cause(path, memory.source.session, reason),
            touched=admission.told(self.store.full_id, [old] if old else [], [after], rule=f"adopt.{reason or 'native'}"),
            cursor=(self.prefix + discreet_path(path), replace(new, memory=id, said=_said(after)).cursor()), stamp=stamp,
            counts={outcome: 1},
        )  # fmt: skip
        if self._known is not None:
            self._known.put(after)
        said = [f"masked: {', '.join(sorted(set(families)))}"] if families else []
        said += [reason] if reason else []
        said += frontmatter.parse(data).problems
        return Taken(path=self._shown(path), outcome=outcome, memory=f"{self.mount.label}/{id}", detail="; ".join(said))

    def _memory(self, path: str, data: bytes, loaded: Loaded) -> Memory:
        """What a file says, as the word of the agent that wrote it."""
        [memory] = self.layout.read({path: File(data, _time(loaded))}, scope="project", project=self.mount.project).memories
        by = memory.source.by if memory.source.by in (By.TOOL, By.MODEL) else By.AGENT
        source = Source(by=by, host=self.folder.host, session=memory.source.session[:200], said_at=_time(loaded))
        return self.mount.owned(replace(memory, source=source, id=""))

    def _instructs(self, path: str, data: bytes) -> bool:
        return bool(self.rules.orders(admission.said(frontmatter.parse(data))) or self.rules.orders_in_name(path))

    def _same(self, memory: Memory) -> str:
        """The memory that says this already, "" when none does."""
        if self._known is None:
            self._known = merge.Known(each for each in self.store.contents().memories if self.space.visible(each, self.mount))
        placed = merge.place(Proposal(memory=memory), self._known)
        is_known = placed.act is Act.CONFIRM and placed.existing is not None and not placed.says_more
        return f"{self.mount.label}/{placed.existing.id}" if is_known and placed.existing else ""

    def _current(self, id: str) -> Memory | None:
        """The memory with this id as the store holds it now."""
        if not id:
            return None
        if not isinstance(self.store.layout, ClaudeCode):
            return next((each for each in self.store.contents().memories if each.id == id), None)
        view = self.store.folder()      # one file is one memory: the others need not be read
        return next(iter(self.rules.memories(id, view[id].data, view[id])), None) if id in view else None

    # ── planning ─────────────────────────────────────────────────────────────────────────────────────────────────

    def _plan(
        self, path: str, data: bytes, memory: Memory, old: Memory | None, *, quarantined: bool, mtime_ns: int
    ) -> tuple[Plan, str]:
        """The edits, and the memory's id. In our own shape a file keeps the client's bytes; another layout says it in its own."""
        if not isinstance(self.store.layout, ClaudeCode):
            status = Status.QUARANTINED if quarantined else Status.ACTIVE
            plan = self.store.plan(Change(put=[replace(memory, status=status, id=old.id if old else "")]), self.space.now())
            return plan, plan.ids[0]
        view = self.store.folder()
        id = old.id if old else self._name(path, memory, [*view])
        lowered = self.rules.lowered(id, data)
        document = frontmatter.parse(data if lowered is None else lowered)
        if self.store.layout.provenance:
            document = _with_source(document, memory)
        marked = self.rules.sealed(id, document.data) if quarantined or lowered is None else document.data
        plan = self.store.plan_files(view, {id: marked or document.data}, self.space.now())
        own = os.path.join("stores", self.store.label, id)
        edits = tuple(replace(edit, mtime_ns=mtime_ns) if edit.path == own else edit for edit in plan.edits)
        return replace(plan, edits=edits, ids=(id,)), id

    def _name(self, path: str, memory: Memory, there: Sequence[str]) -> str:
        """The product's name for the file, where it is free and may stand here."""
        taken = naming.Taken(there)
        folder, _, name = path.rpartition("/")
        stem = name.removesuffix(".md")
        try:
            naming.check(path)
        except errors.WrongUse:
            folder, stem = "", naming.slug(memory.name)
        if redact.has_secret(path) or self.rules.orders_in_name(path):
            folder, stem = "", naming.slug(memory.name)
        return taken.free(folder, stem)

    def _after(self, plan: Plan, id: str) -> Memory | None:
        """The memory as the store will give it back."""
        own = next((edit.after for edit in plan.edits if edit.path == os.path.join("stores", self.store.label, id)), None)
        if own is not None and isinstance(self.store.layout, ClaudeCode):
            return next(iter(self.rules.memories(id, own)), None)
        prefix = os.path.join("stores", self.store.label, "")
        changed: Mapping[str, bytes | None] = {
            edit.path.removeprefix(prefix).replace(os.sep, "/"): edit.after for edit in plan.edits if edit.path.startswith(prefix)
        }
        folder = Overlay(self.store.folder(), changed, self.space.now())
        found = self.store.layout.read(folder, scope=self.mount.scope, project=self.mount.project).memories
        return next((memory for memory in found if memory.id == id), None)

    # ── what was removed ─────────────────────────────────────────────────────────────────────────────────────────

    def _removed(
        self, scan: files.Scan, marks: Mapping[str, tuple[Cursor, Stamp | None]]
    ) -> Iterator[Taken]:
        there = {discreet_path(path) for path in (*scan.files, *scan.skipped)}
        lost = {path: _Mark.read(cursor) for path, (cursor, _) in marks.items() if path not in there}
        lost = {path: mark for path, mark in lost.items() if mark.digest != GONE}
        if lost and not any(naming.is_memory_path(path) for path in (*scan.files, *scan.skipped)):
            yield Taken(path=_shown(self.folder.path), outcome="skipped:folder_emptied",
                        detail=f"{len(lost)} adopted memories are gone there all at once; those here stay")
            return
        for path, mark in sorted(lost.items()):
            old = self._current(mark.memory)
            if old is None:
                self._note(path, _Mark(digest=GONE), None)
            elif _said(old) != mark.said:
                self._note(path, _Mark(digest=GONE), None)
                yield self._skip(path, "changed_here", memory=mark.memory)
            else:
                yield self._remove(path, mark, old)

    def _remove(self, path: str, mark: _Mark, old: Memory) -> Taken:
        with self.space.home.lock("adopt"):
            plan = self.store.plan(Change(remove=[old.id]), self.space.now(), why=f"removed in {self.folder.host}'s folder")
            self.space.home.journal.commit(
                plan.edits, cause=self._cause(path, "", "removed"),
                touched=admission.told(self.store.full_id, [old], [], rule="adopt.removed"),
                cursor=(self.prefix + path, _Mark(digest=GONE).cursor()), counts={"removed": 1},
            )  # fmt: skip
        return Taken(path=self._shown(path), outcome="removed", memory=f"{self.mount.label}/{mark.memory}")

    # ── small things ─────────────────────────────────────────────────────────────────────────────────────────────

    def _cause(self, path: str, session: str, reason: str) -> Cause:
        return Cause(operation="adopt", actor="agent", run=self.run.started(), host=self.folder.host, session=session,
                     rule=f"adopt.{reason or 'native'}", why=f"from {self._shown(path)}")

    def _note(self, path: str, mark: _Mark, stamp: Stamp | None) -> None:
        """A file was looked at, and nothing is to be changed for it."""
        if not self.space.home.readonly:
            self.space.home.records.set_cursor(self.prefix + discreet_path(path), mark.cursor(), stamp)

    def _unchanged(self, path: str) -> Taken:
        return Taken(path=self._shown(path), outcome="unchanged")

    def _skip(self, path: str, reason: str, *, memory: str = "") -> Taken:
        return Taken(path=self._shown(path), outcome=f"skipped:{reason}", memory=f"{self.mount.label}/{memory}" if memory else "")

    def _shown(self, path: str) -> str:
        return _shown(f"{self.folder.path}/{path}")


def _unseen_by_qwen(loaded: Loaded, document: Document) -> str:
    """Why the product itself passes a file over (spec/qwen-code §3.1), "" when it does not."""
    if qwen_sheet.as_the_product_sees(File(loaded.data, _time(loaded))) is None:
        return "not_seen_by_product"
    return "empty" if document.body.strip() == qwen_entries.PLACEHOLDER else ""


def _with_source(document: Document, memory: Memory) -> Document:
    """The file with where it came from, in keys that it does not have already: what means something to its author stays."""
    if fields.has_provenance(document):
        return document
    keys = fields.provenance(memory)
    if any(document.field(fields.place_of(document, key)) is not None for key in keys):
        return document
    for key, raw in keys.items():
        document = document.set_raw(key, raw)
    return document


def _said(memory: Memory) -> str:
    """A digest of what a memory says."""
    return sha256(memory.text.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _time(loaded: Loaded) -> datetime:
    try:
        return datetime.fromtimestamp(loaded.status.st_mtime, UTC)
    except (OverflowError, ValueError, OSError):
        return datetime.fromtimestamp(0, UTC)


def _shown(path: str) -> str:
    return redact.redact(path).text
