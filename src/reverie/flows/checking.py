"""Looking stores and a product's folder over, for ``reverie doctor``: what the checks need is brought here, within bounds.

Nothing is written. How much is read is limited (``MOST_FILES``, ``MOST_BYTES``), and what was not looked at is a finding of
its own. What memories claim about a project is looked for in it (``storage.evidence``), with a deadline.
"""

# Paths are strings where storage takes them:
# ruff: noqa: PTH112, PTH114, PTH118, PTH119

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.core import checkup, checkup_claims, checkup_files, checkup_index, dream
from reverie.core.checkup import Check, Checked, Finding, Look, Named, Native, Severity
from reverie.core.edits import says_else
from reverie.core.layout import Change, File, Problem
from reverie.core.memory import Memory
from reverie.errors import ReverieError, StoreUnavailable
from reverie.flows.dream_locks import ClaudeLock
from reverie.storage import dreams, evidence, files, health
from reverie.storage.folder import DiskFolder, Unreadable

if TYPE_CHECKING:
    from reverie.axes.scoping import Mount
    from reverie.core.layout import Layout
    from reverie.core.place import Place
    from reverie.flows.space import Space

MOST_FILES = 5_000                      # of a product's folder that are read, the newest first
MOST_BYTES = 32 * 1024 * 1024
LARGEST_FILE = 2_000_000                # bytes; whatever is larger is no memory
MOST_OF_A_KIND = 100                    # findings of one check that are told one by one
_NO_TIME = datetime(1970, 1, 1, tzinfo=UTC)     # for checks that do not ask for it
LEFT_OVER = timedelta(hours=1)          # a temporary file of ours that is older belongs to nobody
OF_PRODUCT: Sequence[Check] = (*checkup_index.CHECKS, *checkup_files.CHECKS, *checkup_claims.CHECKS)
OF_OWN: Sequence[Check] = (checkup_files.problems, *checkup_files.OF_MEMORIES, *checkup_claims.CHECKS)


# ── a product's folder ───────────────────────────────────────────────────────────────────────────────────────────


def native(space: Space, layout: Layout, it: Native) -> Checked:
    """A product's folder, as the product would load it."""
    try:
        seen = product_look(space, layout, it)
    except StoreUnavailable as closed:
        return Checked(subject=it.host, folder=it.folder, why=it.why, findings=(_closed(closed),))
    found = [*checkup.run(OF_PRODUCT, seen), *_around(space, it, seen)]
    return Checked(subject=it.host, folder=it.folder, why=it.why, memories=len(seen.memories), findings=_told(found))


def product_look(space: Space, layout: Layout, it: Native, changed: Mapping[str, bytes] | None = None) -> Look:
    """The folder as the checks see it; ``changed`` stands in place of some files."""
    found, problems = loaded(it.folder)
    now = space.now()
    found |= {path: File(data, found[path].modified_at if path in found else now) for path, data in (changed or {}).items()}
    read = layout.read(found, scope="project", project="")
    missing = _absent(it.project, read.memories)
    return checkup.look(found, read.memories, (*read.problems, *problems), now=now, absent=missing)


def loaded(root: str) -> tuple[dict[str, File], list[Problem]]:
    """The Markdown files of a folder, the newest first as far as the bounds go, and what could not be read."""
    scan = files.scan(root, limit=LARGEST_FILE)
    wanted = sorted(filter(_is_text, scan.files), key=lambda path: (path != checkup.INDEX, -scan.files[path].mtime_ns))
    view = DiskFolder(root, scan, {})
    found: dict[str, File] = {}
    problems = [
        Problem(path=path, reason=unread.reason, detail=unread.detail) for path, unread in scan.skipped.items()
        if _is_text(path) or unread.reason in ("too_many_files", "name_not_utf8")
    ]
    held = 0
    for place, path in enumerate(wanted):
        if place >= MOST_FILES or held > MOST_BYTES:
            problems.append(Problem(path="", reason="not_looked_at", detail=f"{len(wanted) - place} of {len(wanted)} files"))
            problems += [Problem(path=each, reason="_there") for each in wanted[place:]]
            break
        try:
            found[path] = view[path]
            held += len(found[path].data)
        except Unreadable as lost:
            problems.append(Problem(path=path, reason=lost.unread.reason, detail=lost.unread.detail))
    return found, problems


def _is_text(path: str) -> bool:
    return path.endswith(".md") and not any(part.startswith(".") for part in path.split("/"))


def _absent(project: str, memories: Sequence[Memory]) -> frozenset[Named]:
    if not project:
        return frozenset()
    named = {each: None for memory in memories for each in checkup_claims.named(memory)}
    return evidence.absent(project, list(named))


def _around(space: Space, it: Native, seen: Look) -> list[Finding]:
    """What is wrong with the folder itself and with what lies beside it."""
    found: list[Finding] = []
    if os.path.islink(it.folder):
        found.append(Finding(check="folder_link", severity=Severity.NOTE, mend="nothing, if you made it",
                             says=f"the folder is a symbolic link to {os.path.realpath(it.folder)!r}"))
    directories = sorted(set(it.started_in))
    there = [each for each in directories if os.path.isdir(each)]
    if len(directories) > 1:
        found.append(Finding(
            check="shared_key", severity=Severity.WARNING,
            says=f"sessions of several directories lie beside it ({', '.join(map(repr, directories[:3]))}): the product's names "
                 "for directories are lossy, and these have one name, so they share their memories",
            mend="rename one of the directories, and move its memories"))
    if directories and not there and seen.memories:
        found.append(Finding(
            check="moved_project", severity=Severity.WARNING,
            says=f"the directory of its sessions is gone ({directories[0]!r}): if the project was moved, its new place starts "
                 "without these memories", mend="move the folder to the name of the project's new place"))
    return [*found, *_lock(space, it)]


def _lock(space: Space, it: Native) -> list[Finding]:
    path = os.path.join(it.folder, dream.CLAUDE_LOCK)
    note = dreams.read(path)
    if note is None:
        return []
    where = dream.CLAUDE_LOCK
    if os.path.isdir(path) or os.path.islink(path):
        return [Finding(check="lock", severity=Severity.WARNING, path=where, mend="remove it",
                        says="it is no plain file, so the product's dreams cannot take it")]
    if note.at > space.now() + timedelta(hours=1):
        return [Finding(check="lock", severity=Severity.WARNING, path=where,
                        says="its time is the clock of the dreams, and lies in the future "
                             f"({note.at:%Y-%m-%d %H:%M} UTC): none will come before",
                        mend="set its time to that of the last dream (touch)")]
    if ClaudeLock(path).held(space.now()):
        return [Finding(check="lock", severity=Severity.NOTE, path=where, mend="wait for it",
                        says="a living process dreams here just now")]
    return []


# ── our own stores ───────────────────────────────────────────────────────────────────────────────────────────────


def own(space: Space, mount: Mount) -> Checked:
    """One of our stores: what it holds, and whether its index is the one that follows from it."""
    store = space.store(mount)
    project = mount.root if mount.root and os.path.isdir(mount.root) else ""
    try:
        contents = store.contents()
        memories = contents.memories
        seen = Look(files={}, memories=memories, problems=contents.problems, now=space.now(), absent=_absent(project, memories))
        found = checkup.run(OF_OWN, seen)
        found += stale_index(space, mount)
    except StoreUnavailable as closed:
        return Checked(subject="own", folder=store.root, why=f"store {store.label}", findings=(_closed(closed),))
    found += _secrets(store.root)
    if mount.root and not project and memories:
        found.append(Finding(check="gone_project", severity=Severity.NOTE,
                             says=f"its project's folder is gone: {mount.root!r}",
                             mend="`reverie forget` what is of no use any more"))
    return Checked(subject="own", folder=store.root, why=f"store {store.label}", memories=len(memories), findings=_told(found))


def stale_index(space: Space, mount: Mount) -> list[Finding]:
    """Whether rendering the index again would change it: a hand was at it, or at a memory since."""
    store = space.store(mount)
    try:
        plan = store.plan(Change(reindex=True), space.now())
    except ReverieError as error:
        return [Finding(check="index_stale", severity=Severity.WARNING, mend="mend what is named there",
                        says=f"whether its index follows from its memories cannot be told: {error}")]
    top = os.path.join("stores", store.label)
    return [
        Finding(check="index_stale", severity=Severity.WARNING, path=os.path.relpath(edit.path, top).replace(os.sep, "/"),
                says="it is not what follows from the memories: it, or one of them, was edited by hand", mendable=True,
                mend="render it again (the next change does, too)")
        for edit in plan.edits if says_else(edit)
    ]


def _secrets(root: str) -> list[Finding]:
    """Credentials in files of ours: promise 4 was broken, by a hand most likely."""
    try:
        found, _ = loaded(root)
    except StoreUnavailable:
        return []
    return list(checkup_files.secrets(checkup.look(found, (), (), now=_NO_TIME)))


# ── the home ─────────────────────────────────────────────────────────────────────────────────────────────────────


def home(space: Space) -> Checked:
    """The home itself: its databases, what waits, what lies about."""
    it = space.home
    found: list[Finding] = [
        Finding(check="set_aside", severity=Severity.BROKEN, path=os.path.basename(path),
                says="a damaged database that was moved aside; what it knew of undo, reading positions and forgotten memories is "
                     "lost",
                mend="repair it or delete it")
        for path in it.set_aside()
    ]
    found += [Finding(check="home_note", severity=Severity.WARNING, says=said, mend="see there") for said in it.notes]
    if it.readonly:
        found.append(Finding(check="readonly", severity=Severity.BROKEN, says=f"nothing can be written: {it.readonly}",
                             mend="give it back to this user"))
    for name, says, mend in (
        ("state.db", "it is damaged: undo and reading positions cannot be trusted",
         "the next change moves it aside and begins a new one"),
        ("search.db", "the search index is damaged", "delete it; the next recall builds it again from the memories"),
    ):
        damage = health.damage(it.path(name))
        if damage:
            derived = name == "search.db"
            found.append(Finding(check=f"damaged_{name.partition('.')[0]}", path=name, says=f"{says} ({damage})", mend=mend,
                                 severity=Severity.WARNING if derived else Severity.BROKEN, mendable=derived))
    waits = it.waiting()
    if waits:
        found.append(Finding(check="pending", severity=Severity.WARNING, says=f"{waits} changes were announced and not completed",
                             mend="they are completed with the next change, or when the process that makes them ends"))
    if os.name != "nt" and health.is_open_to_others(it.root):
        found.append(Finding(check="permissions", severity=Severity.NOTE, says="other users of this machine can look into it",
                             mend=f"chmod 700 {it.root}"))
    found += [
        Finding(check="left_over", severity=Severity.NOTE, path=path, mend="delete it",
                says="a temporary file of a change that was never completed")
        for path in health.left_over(it.root, older_than=space.now() - LEFT_OVER)
    ]
    return Checked(subject="home", folder=it.root, why=f"design {space.design.name}", findings=_told(found))


def mounts(space: Space, place: Place, *, everywhere: bool) -> list[Mount]:
    """The stores to look at: those seen from here, or all."""
    seen = space.every_mount() if everywhere else space.around(place)
    return [mount for mount in seen if Path(space.store(mount).root).is_dir()]


def _closed(error: StoreUnavailable) -> Finding:
    return Finding(check="closed", severity=Severity.BROKEN, says=str(error), mend="give it back to this user (chmod u+rwX)")


def _told(found: Sequence[Finding]) -> tuple[Finding, ...]:
    """What is told: no more of one kind than a person reads, and how much of it was left out."""
    counts: dict[str, int] = {}
    kept: list[Finding] = []
    for each in found:
        if each.check == "file__there":
            continue
        counts[each.check] = counts.get(each.check, 0) + 1
        if counts[each.check] <= MOST_OF_A_KIND:
            kept.append(each)
    for check, count in counts.items():
        if count > MOST_OF_A_KIND:
            last = next(each for each in reversed(kept) if each.check == check)
            kept.append(replace(last, path="", line=0, says=f"and {count - MOST_OF_A_KIND} more of this kind"))
    return tuple(sorted(kept, key=lambda each: (checkup.ORDER[each.severity], each.check)))
