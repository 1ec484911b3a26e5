"""What must not get into a team's folder: for a pre-commit hook, and for the CI of a repository.

Looks at the work tree, at what is staged, or at each commit of a range (a credential in the middle of it stays in the
history). Both folders that designs share are looked at, whatever design is set; nothing else of the repository is.
"""

# Paths are strings here, as in storage:
# ruff: noqa: PTH114, PTH120

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from reverie import designs, errors
from reverie.core import frontmatter
from reverie.core.edits import Edit
from reverie.core.events import Cause
from reverie.core.layout import File
from reverie.core.team import Entry, Finding
from reverie.flows import team_trust
from reverie.layouts import naming
from reverie.layouts.naming import INDEX
from reverie.layouts.team import OfTeam
from reverie.storage import files
from reverie.storage.team_git import REGULAR, GitFailed, TeamGit

if TYPE_CHECKING:
    from reverie.core.place import Place
    from reverie.flows.space import Space

SECONDS = 120.0
DESIGNS = ("reverie", "qwen-code")      # one for each folder that is shared
MOST_COMMITS = 5_000


def check(
    space: Space, place: Place, environment: Mapping[str, str], *, staged: bool = False, commits: str = ""
) -> tuple[Finding, ...]:
    """Everything that is wrong, by path from the checkout's root. Raises ``WrongUse`` for a range that git does not know."""
    if not place.root:
        raise errors.WrongUse(f"{place.real} is in no git repository")
    found: list[Finding] = []
    for name in DESIGNS:
        design = designs.named(name)
        git = TeamGit(place.root, design.scoping.team, seconds=SECONDS, environment=environment)
        one = _Folder(space, git, OfTeam(design.layout, judged=lambda path, data: team_trust.judge({}, path, data),
                                         suspect=team_trust.suspect))
        try:
            if commits:
                found += one.range(commits)
            elif staged:
                found += one.staged(environment.get("GIT_INDEX_FILE", ""))
            else:
                found += one.work_tree(place.root)
        except GitFailed as failed:
            raise errors.WrongUse(f"git cannot tell: {failed.detail}") from failed
    return tuple(dict.fromkeys(found))


def install_hook(space: Space, place: Place, environment: Mapping[str, str], text: str) -> str | None:
    """Write a pre-commit hook where the repository has none, wherever it keeps its hooks. The path of the hook that is there now;
    None outside a repository."""
    if not place.root:
        return None
    path = TeamGit(place.root, ".", seconds=SECONDS, environment=environment).hook("pre-commit")
    if not os.path.lexists(path):
        space.home.journal.commit(
            [Edit(path=path, before=None, after=text.encode(), root=os.path.dirname(path))],
            cause=Cause(operation="team-hook", actor="user"),
        )
    return path


class _Folder:
    def __init__(self, space: Space, git: TeamGit, layout: OfTeam) -> None:
        self._now = space.now()
        self._git = git
        self._layout = layout

    def work_tree(self, root: str) -> list[Finding]:
        at = root
        for name in self._git.folder.split("/"):
            at = f"{at}/{name}"
            if os.path.islink(at):
                return [Finding(path=os.path.relpath(at, root), reason="symlink", detail="the team's folder must be a folder")]
        try:
            scan = files.scan(at)
        except errors.StoreUnavailable as error:
            return [Finding(path=self._git.folder, reason="unreadable", detail=str(error))]
        skipped = {path: unread.reason for path, unread in scan.skipped.items()} | dict.fromkeys(scan.links, "symlink")
        found = [self._finding(path, reason.replace("symlink_outside", "symlink")) for path, reason in skipped.items()]
        read = {path: files.read(f"{at}/{path}", root=at) for path in scan.files if path not in scan.links}
        return found + self._judge({path: data for path, data in read.items() if isinstance(data, bytes)}, whole=True)

    def staged(self, index: str) -> list[Finding]:
        self._git.open(unfinished=True)
        return self._tree(self._git.indexed(index), whole=True)

    def range(self, commits: str) -> list[Finding]:
        """Each commit of a range ("main..HEAD"), or one commit, in what it changes; the last one as a whole."""
        self._git.open(unfinished=True)
        ids = self._git.listed(commits, most=MOST_COMMITS)
        found: list[Finding] = []
        for number, id in enumerate(ids):           # newest first
            tree = self._git.tree(id)
            before = self._git.tree(self._git.commit_of(f"{id}^1"))
            changed = {path: entry for path, entry in tree.items() if before.get(path) != entry}
            of_this = self._tree(tree, whole=True, only=set(changed)) if number == 0 else self._tree(changed, whole=False)
            found += [Finding(path=each.path, reason=each.reason, detail=each.detail, at=id[:12]) for each in of_this]
        return found

    def _tree(self, tree: Mapping[str, Entry], *, whole: bool, only: set[str] | None = None) -> list[Finding]:
        odd = {"120000": "symlink", "160000": "repository"}
        found = [
            self._finding(path, odd.get(entry.mode, "mode")) for path, entry in tree.items()
            if entry.mode not in REGULAR and (only is None or path in only)
        ]
        entry = tree.get("")
        if entry is not None:
            said = "the team's folder must be a folder"
            return [Finding(path=self._git.folder, reason=odd.get(entry.mode, "mode"), detail=said)]
        blobs = self._git.blobs(entry.id for entry in tree.values() if entry.mode in REGULAR)
        data = {path: blobs[entry.id] for path, entry in tree.items() if entry.mode in REGULAR and entry.id in blobs}
        return found + self._judge(data, whole=whole, only=only)

    def _judge(self, data: Mapping[str, bytes], *, whole: bool, only: set[str] | None = None) -> list[Finding]:
        found: list[Finding] = []
        for path, bytes_ in sorted(data.items()):
            if only is None or path in only:
                found += self._file(path, bytes_)
        if whole and any(self._layout.is_memory_path(path) for path in data):
            good = {path: File(bytes_, self._now) for path, bytes_ in data.items() if self._layout.is_memory_path(path)}
            if data.get(INDEX) != self._layout.rendered(good):
                found.append(self._finding(INDEX, "index_out_of_step", "`reverie sync` renders it"))
        return found

    def _file(self, path: str, data: bytes) -> list[Finding]:
        reason = team_trust.suspect(path, data)
        if reason:
            return [self._finding(path, reason.partition(" ")[0], reason if " " in reason else "")]
        if not self._layout.is_memory_path(path):
            return []
        document = frontmatter.parse(data)
        problems = [*document.problems]
        if not document.field("name") and not document.field("title"):
            problems.append("no_name")
        if not naming.is_memory_path(path):
            problems.append("bad_name")
        return [self._finding(path, problem) for problem in dict.fromkeys(problems)]

    def _finding(self, path: str, reason: str, detail: str = "") -> Finding:
        return Finding(path=f"{self._git.folder}/{path}".rstrip("/"), reason=reason, detail=detail)
