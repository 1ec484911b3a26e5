"""What a team shares through git: how a sync ended, what was found in a file, and the merge of three states of a folder.

Names of outcomes are the product's where it has one (spec/qwen-code §13.1).
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

SCOPE = "team"
MESSAGE = "chore(memory): sync team memory"
MESSAGE_MERGED = "chore(memory): sync team memory, merging what others wrote"


class Outcome(enum.StrEnum):
    """How a sync ended."""

    OFF = "off"
    NOT_A_REPOSITORY = "not-a-git-repo"
    BARE = "bare-repository"
    FOLDER_REFUSED = "folder-refused"       # a link, or another repository, where the team's folder should be
    FOLDER_IGNORED = "folder-ignored"       # by .gitignore: it is not to be shared
    DETACHED = "detached-head"
    UNBORN = "unborn-branch"                # no commit yet
    IN_PROGRESS = "in-progress"             # a merge, rebase, cherry-pick or revert waits for its end
    SPARSE = "sparse-checkout"              # the folder is not checked out
    NO_UPSTREAM = "no-upstream"             # committed here, pushed nowhere
    FETCH_FAILED = "fetch-failed"
    PULL_FAILED = "pull-failed"             # the branch cannot be fast-forwarded over what is changed here
    DIVERGED = "diverged"                   # unpushed commits here, other commits there: the branch is left alone
    LOCAL_AHEAD = "local-ahead"             # committed here, not pushed: other commits would have gone along
    PUSH_FAILED = "push-failed"
    NOT_PUSHED = "not-pushed"               # committed here, as asked for
    SYNCED = "synced"
    UP_TO_DATE = "up-to-date"
    BUSY = "busy"                           # another git, or another sync, is at work
    TIMEOUT = "timeout"
    GIT_MISSING = "git-missing"
    FAILED = "git-failed"


# After these everything that could be done was done; the others are worth a look, and never a reason to stop working.
GOOD = frozenset((Outcome.SYNCED, Outcome.UP_TO_DATE, Outcome.NOT_PUSHED, Outcome.NO_UPSTREAM, Outcome.LOCAL_AHEAD, Outcome.OFF))


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What is wrong with a file of the team's folder. ``reason`` is a name one can search for; a secret is never quoted."""

    path: str
    reason: str
    detail: str = ""
    at: str = ""                # the commit in which it was found


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is known of one content of one file: who committed it, and whether it may be shown."""

    verdict: str = ""           # "clean", "accepted", "rejected"; "": not judged
    reason: str = ""
    rules: str = ""             # by which rules it was judged
    author: str = ""
    commit: str = ""
    committed_at: str = ""      # ISO 8601

    @property
    def told(self) -> str:
        """Who wrote it, in words: "Ada, commit 1a2b3c4d"."""
        return f"{self.author}, commit {self.commit[:8]}" if self.commit else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A file that no model sees until a person has looked at it."""

    id: str
    path: str
    reason: str
    author: str = ""
    commit: str = ""
    committed_at: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Synced:
    """What a sync did. Paths are relative to the team's folder."""

    outcome: Outcome
    detail: str = ""
    folder: str = ""
    branch: str = ""
    commit: str = ""                            # the one made
    pushed: bool = False
    pulled: int = 0                             # commits by which the branch went forward
    shared: tuple[str, ...] = ()                # files of ours in the commit
    received: tuple[str, ...] = ()              # files of others that are new or changed here
    merged: tuple[str, ...] = ()                # files that both sides had changed
    refused: tuple[Finding, ...] = ()           # files of ours that were left out
    waiting: tuple[Waiting, ...] = ()
    change: int = 0                             # the journal's
    dry_run: bool = False

    def as_dict(self) -> dict[str, Any]:
        """For ``--json``."""
        return {
            "outcome": str(self.outcome), "detail": self.detail, "folder": self.folder, "branch": self.branch,
            "commit": self.commit, "pushed": self.pushed, "pulled": self.pulled, "shared": list(self.shared),
            "received": list(self.received), "merged": list(self.merged),
            "refused": [finding_dict(each) for each in self.refused],
            "waiting": [{name: getattr(each, name) for name in Waiting.__slots__} for each in self.waiting],
            "change": self.change, "dry_run": self.dry_run,
        }


def finding_dict(found: Finding) -> dict[str, str]:
    """For ``--json``."""
    return {"path": found.path, "reason": found.reason, "detail": found.detail, "at": found.at}


@dataclass(frozen=True, slots=True)
class Entry:
    """A file in a tree of git's."""

    mode: str
    id: str


Tree = Mapping[str, Entry]


@dataclass(frozen=True, slots=True)
class Merge:
    """Three states of a folder put together; ``conflicts`` are the files that both sides changed, differently."""

    tree: dict[str, Entry] = field(default_factory=dict)
    conflicts: list[str] = field(default_factory=list)


def merge(base: Tree, ours: Tree, theirs: Tree) -> Merge:
    """File by file. Where one side removed what the other changed, the change stays: nothing is lost by a merge. A file in
    conflict has their content until its entries are merged."""
    merge = Merge()
    for path in sorted({*base, *ours, *theirs}):
        before, mine, other = base.get(path), ours.get(path), theirs.get(path)
        if _same(mine, other) or _same(mine, before):
            kept = other
        elif _same(other, before):
            kept = mine
        else:
            kept = other or mine
            if mine is not None and other is not None:
                merge.conflicts.append(path)
        if kept is not None:
            merge.tree[path] = kept
    return merge


def _same(one: Entry | None, other: Entry | None) -> bool:
    return (one and one.id) == (other and other.id)
