"""What somebody wrote into a store with an editor or ordinary file tools becomes memory like any other.

The journal knows what each file held when it was last seen; what the disk holds otherwise was written by another hand. It
is taken over as it stands: same bytes, same time, one entry of the journal that can be undone, and the index that follows.
Only the defences change a file, each by name:

- ``masked``: a credential is taken out in place, and the bytes that held it are kept nowhere;
- ``quarantined``: orders to the agent, what the user had forgotten, what memory itself had said: kept, shown to no model;
- a claim to be the user's word becomes ``agent``, for nobody can tell who held the pen.

Who it was: the agent, when the caller says so (a hook that saw it write) or the file carries the client's own keys
(spec/claude-code §2.3); else a ``hand``. ``Hand(actor="user")`` is a person who vouches for their edits: then only secrets
are looked for. A store that the journal knows nothing of, although Reverie made it, lost its database: it is taken as found.
"""

# Paths of the home are strings, as in storage:
# ruff: noqa: PTH118

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

from reverie import errors
from reverie.axes.scoping import Mount
from reverie.core import frontmatter, redact
from reverie.core.budget import clip
from reverie.core.edits import Edit, Observed
from reverie.core.events import Cause, Touched
from reverie.core.frontmatter import Document
from reverie.core.layout import File
from reverie.flows import admission
from reverie.flows.admission import FILE_BYTES, Admission
from reverie.flows.adopted import Adopted, Run, Taken, together
from reverie.flows.space import PROJECT_FILE, Space
from reverie.layouts import naming
from reverie.storage.folder import DiskFolder, Unreadable
from reverie.storage.history import Known, digest_of

ATTEMPTS = 5                        # what is changed while we look is looked at again; more than this is a loop
HALF_WRITTEN = timedelta(seconds=1)     # a file changed within it that makes no sense is being written
LINE_CHARACTERS = 300               # of a line of the index that is reported
LINES = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Hand:
    """Who wrote it, as far as the caller knows: "agent", "user", or "" (the files are asked)."""

    actor: str = ""
    host: str = ""
    session: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    """One file that another hand changed: what it left there, and what will stand there."""

    path: str
    found: bytes | None
    data: bytes | None
    known: str | None                   # the digest that the journal knew
    known_ns: int | None                # since when
    taken: Taken
    hand: Hand
    touched: list[Touched]
    found_ns: int | None = None         # the file's own time
    trash: dict[str, bytes] = field(default_factory=dict)

    @property
    def is_written(self) -> bool:
        return self.data != self.found


@dataclass(frozen=True, slots=True)
class _Seen:
    """A store at one moment."""

    changes: list[_Change]
    rest: list[Taken]                   # files that stay as they are, and why


def adopt(
    space: Space, mounts: Iterable[Mount], *, run: Run, hand: Hand | None = None, only: Collection[str] | None = None
) -> Adopted:
    """Take over what another hand changed in these stores. ``only``: absolute paths; nothing else is looked at.

    A store that cannot be used is skipped by name, and hides none of the others.
    """
    lost = _journal_lost(space)
    if lost and only is None:       # all at once: the journal will know something after this, and tell of no loss any more
        mounts = {mount.label: mount for mount in (*mounts, *space.every_mount())}.values()
    parts: list[Adopted] = []
    for mount in mounts:
        if mount.folder:        # a product's own folder, mounted to be read; what a team shares is looked after by syncing
            continue
        store = _Store(space, mount, run=run, hand=hand or Hand(), only=only, lost=lost)
        try:
            parts.append(store.adopt())
        except errors.StoreUnavailable as error:
            parts.append(Adopted(files=(Taken(path=store.root, outcome="skipped:store_unavailable", detail=str(error)),)))
    return together(parts)


def _journal_lost(space: Space) -> bool:
    """Whether the stores may be older than the journal: it was damaged, or knows of no change at all.

    That it does not know one store would not do: whoever writes files can write a folder that looks like one of ours.
    """
    journal = space.home.journal
    if not space.home.set_aside():
        return not journal.changes(1)
    # a damaged one lies there until somebody deletes it; what was taken over since is known
    return not any(naming.is_memory_path(path.rpartition("/")[2]) for path in journal.known("stores"))


class _Store:
    """One store on its way to being known again."""

    def __init__(
        self, space: Space, mount: Mount, *, run: Run, hand: Hand, only: Collection[str] | None, lost: bool
    ) -> None:
        self.space, self.mount, self.run, self.hand, self.only = space, mount, run, hand, only
        self.store = space.store(mount)
        self.root = self.store.root
        self.rules = Admission(space, mount)
        self.lost = lost
        self._folder = os.path.join("stores", self.store.label)
        self._known: dict[str, Known] = {}
        self._aside: set[str] = set()       # files that are left alone
        self._as_found = False              # the journal lost this store

    def adopt(self) -> Adopted:
        if not self.store.exists and not self._is_known():
            return Adopted()
        view = self.store.folder()
        if not self._is_touched(view):      # to compare is cheap, to judge is not
            return Adopted(files=tuple(self._look(view).rest))
        with self.space.home.lock("adopt"):
            for _ in range(ATTEMPTS):
                try:
                    return self._take()
                except (errors.Conflict, Unreadable):
                    continue
        raise errors.StoreUnavailable(f"{self.root!r} kept changing while it was looked at; nothing was lost. Try again.")

    def _is_known(self) -> bool:
        return any(known.digest for known in self._read_known().values())

    def _read_known(self) -> dict[str, Known]:
        folder = f"stores/{self.store.label}"
        return {path.removeprefix(f"{folder}/"): each for path, each in self.space.home.journal.known(folder).items()}

    def _was(self, path: str) -> bytes | None:
        """What the journal knew of a file, None when it knew none or has let its bytes go."""
        known = self._known.get(path)
        return self.space.home.journal.kept(known.digest) if known and known.digest else None

    # ── looking ──────────────────────────────────────────────────────────────────────────────────────────────────

    def _look(self, view: DiskFolder) -> _Seen:
        self._known, self._aside = self._read_known(), set()
        self._as_found = not self._known and self.lost and (self._is_named() or self._is_as_rendered(view))
        changes: list[_Change] = []
        rest: list[Taken] = []
        for each in (*self._files(view), *self._gone(view)):
            (changes if isinstance(each, _Change) else rest).append(each)  # type: ignore[arg-type]
        return _Seen(changes, rest)

    def _is_touched(self, view: DiskFolder) -> bool:
        """Whether another hand changed anything that could be taken over."""
        self._known = self._read_known()
        if not self._is_indexed(view) or any(True for _ in self._gone(view)):
            return True
        for path in view.scan.files:
            if self.rules.is_memory(path) and path not in view.scan.links and self._wanted(path):
                try:
                    known = self._known.get(path)
                    if known is None or known.digest != digest_of(view[path].data):
                        return True
                except Unreadable:
                    continue
        return False

    def _files(self, view: DiskFolder) -> Iterator[_Change | Taken]:
        skipped = {path: unread.reason for path, unread in view.scan.skipped.items()} | dict.fromkeys(view.scan.links, "symlink")
        for path in sorted({*view.scan.files, *skipped}):
            if not self.rules.is_memory(path) or not self._wanted(path):
                continue
            if path in skipped:
                yield self._skip(path, skipped[path])
                continue
            try:
                file = view[path]
            except Unreadable as problem:
                yield self._skip(path, problem.unread.reason)
                continue
            known = self._known.get(path)
            if known is not None and known.digest == digest_of(file.data):
                yield Taken(path=self._shown(path), outcome="unchanged", memory=f"{self.mount.label}/{path}")
            else:
                yield self._changed(path, file, view.scan.files[path].mtime_ns)

    def _gone(self, view: DiskFolder) -> Iterator[_Change]:
        """What the journal knew and the disk has no more."""
        for path, known in self._known.items():
            is_there = path in view.scan.files or path in view.scan.skipped
            if known.digest is None or is_there or not self.rules.is_memory(path) or not self._wanted(path):
                continue
            was = self._was(path)
            yield _Change(
                path=path, found=None, data=None, known=known.digest, known_ns=_ns(known), hand=self._who(None),
                taken=Taken(path=self._shown(path), outcome="removed", memory=f"{self.mount.label}/{path}",
                            detail="" if was is not None else "its bytes are not kept any more"),
                touched=admission.told(self.store.full_id, self.rules.memories(path, was), (), rule="adopt.removed"),
                trash={path: was} if was is not None else {},
            )  # fmt: skip

    def _wanted(self, path: str) -> bool:
        return self.only is None or os.path.join(self.root, path) in self.only

    def _is_indexed(self, view: DiskFolder) -> bool:
        """Whether what is rendered from the memories is as it was rendered."""
        for path in {*self._known, naming.INDEX} & {*view.scan.files, *self._known}:
            if self.rules.is_memory(path) or path in view.scan.links or path in view.scan.skipped:
                continue
            known = self._known.get(path)
            try:
                data = view[path].data if path in view else None
            except Unreadable:
                continue
            if digest_of(data) != (known.digest if known else None):
                return False
        return True

    def _is_named(self) -> bool:
        """Whether Reverie wrote here whose the folder is."""
        return os.path.isfile(os.path.join(self.root, PROJECT_FILE))  # noqa: PTH113

    def _is_as_rendered(self, view: DiskFolder) -> bool:
        """Whether an index is there, just as we would write it: then we did, and the journal has forgotten it."""
        return naming.INDEX in view and not self.store.plan_files(view, {}, self.space.now()).edits

    # ── judging ──────────────────────────────────────────────────────────────────────────────────────────────────

    def _changed(self, path: str, file: File, mtime_ns: int) -> _Change | Taken:
        document = frontmatter.parse(file.data)
        if redact.has_secret(path):     # to journal the file would write the secret down
            return self._skip(path, "secret_in_name")
        is_new = abs(self.space.now() - file.modified_at) < HALF_WRITTEN
        if is_new and ("no_closing_fence" in document.problems or not file.data.strip()):
            return self._skip(path, "half_written")
        known = self._known.get(path)
        was = self._was(path)
        if not file.data.strip() and was is None:
            return self._skip(path, "empty")
        hand = self._who(document)
        data, families = admission.masked(file.data)
        reason = ""
        trash: dict[str, bytes] = {}
        if not self._vouched(hand):
            data = self.rules.lowered(path, data, was) or data
            reason = self._suspect(path, data, was)
        if reason:
            sealed = self.rules.sealed(path, data)
            if sealed is None:          # its layout has no place for the mark: what was known stands, the new lies in the trash
                trash, data = {path: data}, was if was is not None else b""
            else:
                data = sealed
        outcome = "quarantined" if reason else "masked" if families else "updated" if known and known.digest else "adopted"
        after = data if data or not trash else None
        return _Change(
            path=path, found=file.data, data=after, known=known.digest if known else None, known_ns=_ns(known), hand=hand,
            found_ns=mtime_ns, trash=trash,
            taken=Taken(path=self._shown(path), outcome=outcome, memory=f"{self.mount.label}/{path}",
                        detail=self._detail(document, reason, families, hand, in_trash=bool(trash))),
            touched=admission.told(self.store.full_id, self.rules.memories(path, was), self.rules.memories(path, after),
                                   rule=f"adopt.{reason}" if reason else "adopt"),
        )  # fmt: skip

    def _suspect(self, path: str, data: bytes, was: bytes | None) -> str:
        """Why no model may see this, "" when it may."""
        document = frontmatter.parse(data)
        rest = admission.without_recalled(document)
        if len(data) > FILE_BYTES:
            return "too_large"
        if document.body and not rest.body:
            return "recalled"
        if self.rules.raised(path, data, was):
            return "claims_to_be_the_user"
        if self.rules.forgotten(self.rules.memories(path, data)):
            return "forgotten"
        if self.rules.unsealed(path, data, was):
            return "orders"
        if not self.rules.orders(admission.said(document)) and not self.rules.orders_in_name(path):
            return ""
        lines = frontmatter.parse(was).text.splitlines() if was is not None else []
        brought = "\n".join(line for line in document.text.splitlines() if line not in set(lines))
        is_released = was is not None and not self.rules.is_sealed(path, was) and self.rules.released(was, brought)
        return "" if is_released else "orders"

    def _who(self, document: Document | None) -> Hand:
        if self.hand.actor:
            return self.hand
        if document is not None and document.field("metadata.node_type") is not None:    # only the client's own tools write it
            return Hand(actor="agent", host="claude-code", session=document.word("metadata.originSessionId")[:200])
        return Hand(actor="hand")

    def _vouched(self, hand: Hand) -> bool:
        return hand.actor == "user" or self._as_found

    # ── saying ───────────────────────────────────────────────────────────────────────────────────────────────────

    def _skip(self, path: str, reason: str) -> Taken:
        self._aside.add(path)
        return Taken(path=self._shown(path), outcome=f"skipped:{reason}")

    def _shown(self, path: str) -> str:
        return redact.redact(os.path.join(self.root, path)).text

    def _detail(
        self, document: Document, reason: str, families: Sequence[str], hand: Hand, *, in_trash: bool
    ) -> str:
        said = [f"masked: {', '.join(sorted(set(families)))}"] if families else []
        said += [f"{reason}{', moved to the trash' if in_trash else ''}"] if reason else []
        said += document.problems
        said += [f"by the agent in session {hand.session}"] if hand.actor == "agent" and hand.session else []
        return "; ".join(said)

    # ── taking over ──────────────────────────────────────────────────────────────────────────────────────────────

    def _take(self) -> Adopted:
        """One change for each hand; the last one renders what is left to render."""
        self.space.home.journal.recover()       # what a dead process had announced is no other hand's
        seen = self._look(self.store.folder())
        by_hand: dict[Hand, list[_Change]] = {}
        for change in seen.changes:
            by_hand.setdefault(change.hand, []).append(change)
        waiting = {change.path for change in seen.changes}
        lines: list[str] = []
        if not by_hand and not self._is_indexed(self.store.folder()):
            by_hand[self._who(None)] = []
        for hand, changes in by_hand.items():
            waiting -= {change.path for change in changes}
            lines += self._commit(hand, changes, aside={*self._aside, *waiting})
        taken = [change.taken for change in seen.changes]
        return Adopted(files=tuple(sorted([*taken, *seen.rest], key=lambda each: each.path)), lines=tuple(lines[:LINES]))

    def _commit(self, hand: Hand, changes: Sequence[_Change], *, aside: Collection[str]) -> list[str]:
        """``aside``: files that are not taken over with these; the index says of them what was known."""
        now = self.space.now()
        view = self.store.folder()
        self._known = self._read_known()
        own = [self._edit(change) for change in changes]
        shown = {path: self._was(path) for path in aside if path in view} | {change.path: change.data for change in changes}
        plan = self.store.plan_files(view, shown, now)
        derived = [self._observed(edit) for edit in plan.edits if self._relative(edit) not in shown]
        lines = [line for edit in derived if edit.observed for line in self._lost_lines(edit)]
        lost = {path: data for change in changes for path, data in change.trash.items()}
        trash = self.store.plan_trash(lost, now, why="removed or replaced by hand; adopted")
        new = self.space.project_edit(self.mount) if own and self.store.exists else []
        others = self._others(view, {self._relative(edit) for edit in (*own, *derived, *new)})
        self.space.home.journal.commit(
            [*own, *derived, *others, *trash, *new],
            cause=Cause(operation="adopt", actor=hand.actor, run=self.run.started(), host=hand.host, session=hand.session,
                        rule="adopt.files", why=_why(lines)),
            touched=[touched for change in changes for touched in change.touched],
            counts=_counts(changes),
        )  # fmt: skip
        return lines

    def _edit(self, change: _Change) -> Edit:
        return Edit(
            path=os.path.join(self._folder, change.path), before=change.found, after=change.data, root=self._folder,
            observed=Observed(known=change.known, mtime_ns=change.known_ns),
            mtime_ns=change.found_ns if change.is_written else None,
        )  # fmt: skip

    def _others(self, view: DiskFolder, handled: Collection[str]) -> list[Edit]:
        """What else the journal knew otherwise, and no memory is: an index of no memories is gone, a note stands changed."""
        edits: list[Edit] = []
        for path, known in self._known.items():
            if path in handled or self.rules.is_memory(path) or path in view.scan.skipped or path in view.scan.links:
                continue
            data = view[path].data if path in view else None
            if digest_of(data) != known.digest:
                after = admission.masked(data)[0] if data else data
                if path == PROJECT_FILE:    # whose a folder is, no other hand says
                    after = self._was(path) or after
                edits.append(Edit(
                    path=os.path.join(self._folder, path), before=data, after=after,
                    root=self._folder, derived=path != PROJECT_FILE, observed=Observed(known=known.digest, mtime_ns=_ns(known)),
                ))  # fmt: skip
        return edits

    def _observed(self, edit: Edit) -> Edit:
        """An index that another hand changed, too: what it left there is not kept."""
        known = self._known.get(self._relative(edit))
        digest = known.digest if known else None
        if not edit.derived or digest_of(edit.before) == digest:
            return edit
        return replace(edit, observed=Observed(known=digest, mtime_ns=_ns(known)))

    def _relative(self, edit: Edit) -> str:
        return edit.path.replace(os.sep, "/").removeprefix(f"stores/{self.store.label}/")

    def _lost_lines(self, edit: Edit) -> list[str]:
        """What another hand wrote into an index and no rendering of it says."""
        assert edit.observed is not None
        was = self.space.home.journal.kept(edit.observed.known) if edit.observed.known else None
        said = {line.strip() for data in (was, edit.after) for line in (data or b"").decode("utf-8", "replace").splitlines()}
        found = [line.strip() for line in (edit.before or b"").decode("utf-8", "replace").splitlines()]
        there = self.store.folder()
        return [
            clip(redact.redact(line).text, LINE_CHARACTERS).text for line in dict.fromkeys(found)
            if line and line not in said and not any(f"({path})" in line for path in there)
        ]


def _ns(known: Known | None) -> int | None:
    return int(known.at.timestamp() * 1_000_000) * 1_000 if known and known.digest else None


def _why(lines: Sequence[str]) -> str:
    return f"the index had lines that no memory says: {' / '.join(lines[:LINES])}" if lines else ""


def _counts(changes: Sequence[_Change]) -> Mapping[str, int]:
    counts: dict[str, int] = {}
    for change in changes:
        counts[change.taken.outcome] = counts.get(change.taken.outcome, 0) + 1
    return counts
