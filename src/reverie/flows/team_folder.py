"""The team's folder as it is in the work tree, and the merge of three states of it: by file, in a conflict by entry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from reverie.core import team
from reverie.core.layout import Change, File
from reverie.core.team import Entry, Finding, Tree
from reverie.flows import team_trust
from reverie.layouts import naming
from reverie.layouts.naming import INDEX
from reverie.storage import files
from reverie.storage.team_git import REGULAR, TeamGit

if TYPE_CHECKING:
    from reverie.core.memory import Memory
    from reverie.layouts.team import OfTeam

MOST_MISSING = 2                    # files that may be missing without more ado; of more, at most
MOST_MISSING_SHARE = 0.3            # this share: an emptied folder is an accident, and not everybody's wish


@dataclass(frozen=True, slots=True)
class Local:
    """What is to be shared of the work tree: ``tree`` as a commit would have it, ``raw`` the bytes on the disk, ``new`` those of
    blobs that the repository may not have, by id. Files in ``refused`` are left alone, here and there."""

    tree: dict[str, Entry] = field(default_factory=dict)
    raw: dict[str, bytes] = field(default_factory=dict)
    new: dict[str, bytes] = field(default_factory=dict)
    refused: dict[str, Finding] = field(default_factory=dict)


def is_managed(layout: OfTeam, path: str) -> bool:
    """Whether a file is Reverie's to share: memories and their index, nothing else that may lie there."""
    return path == INDEX or layout.is_memory_path(path)


def is_odd(entry: Entry | None, large: Set[str]) -> bool:
    """Whether what a commit has at a path is nothing that we would write: a link, another repository, a file beyond all measure
    (``large``: ids). It comes and goes with the branch, as git brings it."""
    return entry is not None and (entry.mode not in REGULAR or entry.id in large)


def look(
    git: TeamGit, layout: OfTeam, folder: str, head: Tree, *, accepted: Iterable[tuple[str, str]], large: Set[str] = frozenset()
) -> Local:
    """The work tree's files against the commit that is checked out. ``accepted``: (path, digest) that a person let through."""
    local = Local()
    allowed = set(accepted)
    scan = files.scan(folder)
    skipped = {path: unread.reason for path, unread in scan.skipped.items()} | dict.fromkeys(scan.links, "symlink")
    for path in sorted({*scan.files, *skipped}):
        if is_managed(layout, path):
            data = None if path in skipped else files.read(f"{folder}/{path}", root=folder)
            if isinstance(data, bytes):
                _file(git, local, head, path, data, allowed)
            else:
                reason = skipped.get(path) or (data.reason if data is not None else "unreadable")
                _refuse(local, head, path, Finding(path=path, reason=reason))
    files_there = [path for path, entry in head.items() if is_managed(layout, path) and not is_odd(entry, large)]
    missing = [path for path in files_there if path not in local.raw and path not in local.refused]
    memories = [path for path in files_there if path != INDEX]
    lost = [path for path in missing if path != INDEX]
    if len(lost) > max(MOST_MISSING, len(memories) * MOST_MISSING_SHARE):
        for path in missing:
            local.tree[path] = head[path]
        detail = f"{len(lost)} of {len(memories)} files are missing; they are kept. Take memories out with `reverie forget`"
        local.refused[""] = Finding(path="", reason="many_missing", detail=detail)
    for path, entry in head.items():        # what is not ours to share stays as it is committed
        if not is_managed(layout, path) or (is_odd(entry, large) and path not in local.raw):
            local.tree[path] = entry
    return local


def _file(git: TeamGit, local: Local, head: Tree, path: str, data: bytes, allowed: set[tuple[str, str]]) -> None:
    entry = head.get(path)
    if entry is not None and entry.mode not in REGULAR:
        _refuse(local, head, path, Finding(path=path, reason="not_a_file_there"))
        return
    local.raw[path] = data
    for bytes_ in (data, data.replace(b"\r\n", b"\n")):     # a checkout may have changed the ends of lines
        id = git.id_of(bytes_)
        if entry is not None and entry.id == id:
            local.tree[path] = entry
            return
    if path != INDEX and (path, team_trust.digest(data)) not in allowed and (reason := team_trust.suspect(path, data)):
        _refuse(local, head, path, Finding(path=path, reason=reason.partition(" ")[0], detail=reason))
        return
    clean = data.replace(b"\r\n", b"\n")
    id = git.id_of(clean)
    local.new[id] = clean
    local.tree[path] = Entry(entry.mode if entry else REGULAR[0], id)


def _refuse(local: Local, head: Tree, path: str, found: Finding) -> None:
    local.refused[path] = found
    if path in head:
        local.tree[path] = head[path]


@dataclass(frozen=True, slots=True)
class Put:
    """The folder as it will be: the tree, and the bytes of its managed files."""

    tree: dict[str, Entry]
    data: dict[str, bytes]
    conflicts: tuple[str, ...]


class Merging:
    """Puts three states of the folder together. ``bytes_of`` gives a blob."""

    def __init__(self, git: TeamGit, layout: OfTeam, local: Local, now: datetime, *, large: Set[str] = frozenset()) -> None:
        self._git, self._layout, self._local, self._now, self._large = git, layout, local, now, large

    def merged(self, base: Tree, theirs: Tree) -> Put:
        merge = team.merge(_without_index(base), _without_index(self._local.tree), _without_index(theirs))
        tree = dict(merge.tree)
        wanted = [tree[path] for path in tree if is_managed(self._layout, path)]
        wanted += [side[path] for path in merge.conflicts for side in (base, theirs) if path in side]
        blobs = self._blobs(entry.id for entry in wanted if entry.mode in REGULAR)
        data = {
            path: blobs[entry.id] for path, entry in tree.items()
            if is_managed(self._layout, path) and entry.mode in REGULAR and entry.id in blobs
        }
        conflicts = [path for path in merge.conflicts if path in data]
        for path in conflicts:
            before = blobs.get(base[path].id, b"") if path in base else b""
            for changed, bytes_ in self._entries(data, path, before, self._bytes(self._local.tree[path])).items():
                self._take(tree, data, changed, bytes_)
        self._index(tree, data, theirs)
        return Put(tree=tree, data=data, conflicts=tuple(conflicts))

    def _blobs(self, ids: Iterable[str]) -> dict[str, bytes]:
        wanted = set(ids)
        wanted -= self._large
        found = {id: self._local.new[id] for id in wanted if id in self._local.new}
        return found | self._git.blobs(sorted(wanted - set(found)))

    def _bytes(self, entry: Entry) -> bytes:
        return self._blobs([entry.id]).get(entry.id, b"")

    def _take(self, tree: dict[str, Entry], data: dict[str, bytes], path: str, bytes_: bytes | None) -> None:
        if bytes_ is None:
            tree.pop(path, None)
            data.pop(path, None)
            return
        id = self._git.id_of(bytes_)
        self._local.new[id] = bytes_
        tree[path] = Entry(tree[path].mode if path in tree else REGULAR[0], id)
        data[path] = bytes_

    def _entries(self, data: Mapping[str, bytes], path: str, before: bytes, mine: bytes) -> dict[str, bytes | None]:
        """What changes when the entries of our version of a file join theirs: what we brought is added, what we took away and
        they left alone goes. An entry that both changed is there twice; both are somebody's word."""
        inner = self._layout.layout
        folder = {each: File(bytes_, self._now) for each, bytes_ in data.items()}
        was, ours, theirs = (self._memories(path, each) for each in (before, mine, data[path]))
        if not ours and mine.strip():               # no memory that we understand: kept as it is, beside theirs
            stem = path.removesuffix(".md")
            kind, _, name = stem.rpartition("/")
            return {naming.Taken(folder).free(kind, name): mine}
        there = {memory.text for memory in inner.read(folder, scope=team.SCOPE).memories}
        known, kept = ({memory.text for memory in each} for each in (was, ours))
        put = [memory for memory in ours if memory.text not in known and memory.text not in there]
        gone = [memory.id for memory in theirs if memory.text in known and memory.text not in kept]
        if not put and not gone:
            return {}
        from dataclasses import replace

        change = Change(put=[replace(memory, id="") for memory in put], remove=gone)
        return {each: bytes_ for each, bytes_ in inner.write(folder, change, now=self._now).files.items() if each != INDEX}

    def _memories(self, path: str, data: bytes) -> tuple[Memory, ...]:
        return self._layout.layout.read({path: File(data, self._now)}, scope=team.SCOPE).memories if data else ()

    def _index(self, tree: dict[str, Entry], data: dict[str, bytes], theirs: Tree) -> None:
        """The index that follows from the merge. Where no memory differs from theirs their index stands: two versions of
        Reverie, or a product, would else write it in turn for ever."""
        if _without_index(theirs) == tree and (INDEX in theirs or not data):
            if INDEX in theirs:
                tree[INDEX] = theirs[INDEX]
                if not is_odd(theirs[INDEX], self._large):
                    data[INDEX] = self._bytes(theirs[INDEX])
            return
        if is_odd(theirs.get(INDEX), self._large):
            tree[INDEX] = theirs[INDEX]
        elif data or INDEX in theirs:
            rendered = self._layout.rendered({path: File(each, self._now) for path, each in data.items()})
            if INDEX in theirs:
                tree[INDEX] = theirs[INDEX]
            self._take(tree, data, INDEX, rendered)


def _without_index(tree: Tree) -> dict[str, Entry]:
    return {path: entry for path, entry in tree.items() if path != INDEX}
