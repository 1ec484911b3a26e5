"""Syncing what a team shares: fetch, merge file by file and entry by entry, commit only the team's folder, push only that commit.

- The branch moves forward only, and only where nobody else's unpushed commit is on it; one that is ahead gets the commit and is
  not pushed; one that has diverged is left alone, and the merge is kept under ``refs/reverie/team/``.
- What is pushed contains our own commits and nothing else; pushed first, the branch follows. A push that fails leaves the
  memories where they are, in the work tree.
- Every way in which it cannot be done has a name (``core.team.Outcome``); nothing is lost, nothing waits, nobody is asked.

Background work: between sessions, never within one. Its files go through the journal, so that a sync can be undone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reverie import errors
from reverie.core import team
from reverie.core.edits import Edit
from reverie.core.events import Cause
from reverie.core.team import Known, Outcome, Synced
from reverie.flows import admission, team_folder, team_review, team_trust
from reverie.layouts.naming import INDEX
from reverie.storage.team_git import GitFailed, TeamGit, Upstream

if TYPE_CHECKING:
    from reverie.axes.scoping import Mount
    from reverie.core.events import Touched
    from reverie.core.place import Place
    from reverie.flows.space import Space
    from reverie.layouts.team import OfTeam

SECONDS = 60.0
ATTEMPTS = 5                    # when others push, or write here, at the same time


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """``push``: else the commit stays here. ``seconds``: for all of it."""

    push: bool = True
    dry_run: bool = False
    seconds: float = SECONDS
    git: str = "git"


def sync(space: Space, place: Place, environment: Mapping[str, str], options: Options | None = None) -> Synced:
    """Sync the team's memory of the checkout around a place. Never raises for what git, a remote or a file says."""
    options = options or Options()
    nothing = Synced(outcome=Outcome.OFF, dry_run=options.dry_run)
    if not space.design.scoping.team or not space.team_is_on(space, place):
        return nothing
    if not place.root:
        return replace(nothing, outcome=Outcome.NOT_A_REPOSITORY, detail=f"{place.real} is in no git repository")
    if said := space.team_refused(place):
        return replace(nothing, outcome=Outcome.FOLDER_REFUSED, detail=said)
    mount = space.target(place, team.SCOPE)
    nothing = replace(nothing, folder=mount.folder)
    journal = space.home.journal
    run = "" if options.dry_run else journal.start_run("sync")
    done = replace(nothing, outcome=Outcome.FAILED)
    try:
        done = _Sync(space, place, mount, environment, options, run).sync()
    except GitFailed as failed:
        done = replace(nothing, outcome=failed.outcome, detail=failed.detail)
    except errors.ReverieError as error:
        done = replace(nothing, outcome=Outcome.FAILED, detail=str(error))
    except OSError as error:
        done = replace(nothing, outcome=Outcome.FAILED, detail=f"{error.filename or 'the system'}: {error.strerror or error}")
    finally:
        if run:
            journal.end_run(run, str(done.outcome), {"shared": len(done.shared), "received": len(done.received)})
    return done


class _Again(Exception):
    """Something moved meanwhile: look again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _State:
    """How the branch stands to its upstream. ``parent`` is what a commit is made on; ``is_own``: all that it is ahead by is
    ours."""

    branch: str
    head: str
    upstream: Upstream | None
    there: str                  # the upstream's commit, "" without one
    ahead: tuple[str, ...]
    behind: tuple[str, ...]
    is_own: bool
    elsewhere: str = ""         # the remote that the user pushes to instead of the upstream's

    @property
    def is_local(self) -> bool:
        """Whether a commit is made here and pushed nowhere."""
        return self.upstream is None or bool(self.ahead and not self.is_own)

    @property
    def has_diverged(self) -> bool:
        return self.is_local and bool(self.behind)

    @property
    def parent(self) -> str:
        return self.head if self.is_local and not self.behind else self.there


class _Sync:
    def __init__(
        self, space: Space, place: Place, mount: Mount, environment: Mapping[str, str], options: Options, run: str
    ) -> None:
        self.space, self.mount, self.options, self.run = space, mount, options, run
        self.label = f"{space.design.name}/{mount.label}"
        self.layout: OfTeam = team_trust.layout(space, mount)
        self.git = TeamGit(
            place.root, space.design.scoping.team, seconds=options.seconds, environment=environment, git=options.git
        )

    def sync(self) -> Synced:
        self.git.open()
        if not self.git.branch():
            raise GitFailed(Outcome.DETACHED, "no branch is checked out")
        sparse, unmerged = self.git.unusual()
        if unmerged:
            raise GitFailed(Outcome.IN_PROGRESS, f"{min(unmerged)} has an unfinished merge")
        if sparse:
            raise GitFailed(Outcome.SPARSE, f"{min(sparse)} is not checked out")
        if self.git.is_ignored(INDEX):
            raise GitFailed(Outcome.FOLDER_IGNORED, f"{self.git.folder}/ is ignored by git; see docs/team.md")
        if name := self.git.filtered("any.md"):     # we would commit what the filter is there to change, or to encrypt
            raise GitFailed(Outcome.FOLDER_REFUSED, f"git's filter {name!r} stands over {self.git.folder}/; see docs/team.md")
        for _ in range(ATTEMPTS):
            try:
                return self._attempt()
            except (_Again, errors.Conflict):
                continue
        raise GitFailed(Outcome.BUSY, f"others changed the branch or the folder {ATTEMPTS} times meanwhile")

    def _state(self) -> _State:
        branch, head = self.git.branch(), self.git.commit_of("HEAD")
        if not branch:
            raise GitFailed(Outcome.DETACHED, "no branch is checked out")
        if not head:
            raise GitFailed(Outcome.UNBORN, f"the branch {branch} has no commit yet")
        upstream = self.git.upstream(branch)
        there = self.git.fetch(upstream) if upstream else ""
        elsewhere = self.git.pushed_to(branch) if upstream else ""
        if upstream and elsewhere == upstream.remote:
            elsewhere = ""
        if head == there or not there:
            return _State(branch=branch, head=head, upstream=upstream, there=there, ahead=(), behind=(), is_own=True,
                          elsewhere=elsewhere)
        ahead, behind = tuple(self.git.between(there, head)), tuple(self.git.between(head, there))
        is_own = not ahead or set(ahead) <= self.space.home.team.commits(self.label)
        return _State(branch=branch, head=head, upstream=upstream, there=there, ahead=ahead, behind=behind, is_own=is_own,
                      elsewhere=elsewhere)

    def _attempt(self) -> Synced:
        state = self._state()
        here = self.git.tree(state.head)
        theirs = here if state.parent == state.head else self.git.tree(state.parent)
        base = here if state.parent == state.head else self.git.tree(self.git.base(state.head, state.there))
        known = self.space.home.team.known(self.label)
        accepted = [key for key, each in known.items() if each.verdict == "accepted"]
        large = self.git.large([*here.values(), *theirs.values(), *base.values()], team_trust.FILE_BYTES)
        local = team_folder.look(self.git, self.layout, self.mount.folder, here, accepted=accepted, large=large)
        put = team_folder.Merging(self.git, self.layout, local, self.space.now(), large=large).merged(base, theirs)
        shared = [path for path in sorted({*put.tree, *theirs}) if path != INDEX and put.tree.get(path) != theirs.get(path)]
        received = [
            path for path in sorted({*put.tree, *local.tree})
            if path != INDEX and put.tree.get(path) != local.tree.get(path) and path not in local.refused
        ]
        done = Synced(
            outcome=Outcome.UP_TO_DATE, folder=self.mount.folder, branch=state.branch, shared=tuple(shared),
            received=() if state.has_diverged else tuple(received), merged=put.conflicts, refused=tuple(local.refused.values()),
            pulled=0 if state.is_local else len(state.behind), dry_run=self.options.dry_run,
        )
        is_new = put.tree != theirs
        if self.options.dry_run:
            return replace(done, outcome=self._outcome(state, made=is_new, pushed=is_new or bool(state.ahead)),
                           waiting=self._waiting(put))
        if state.has_diverged:
            return self._set_aside(state, put, local.new, done, is_new=is_new)
        odd = {path for path, entry in put.tree.items() if team_folder.is_odd(entry, large)}
        odd |= {path for path, entry in here.items() if team_folder.is_odd(entry, large) and path not in local.raw}
        managed = {path for path in (*here, *theirs, *put.tree) if team_folder.is_managed(self.layout, path) and path not in odd}
        commit, made = self._commit(state, put, local.new, is_new=is_new)
        self.git.may_move(state.head, commit, managed)
        pushed, failure = self._push(state, commit)
        if failure is not None:
            commit, made = (state.head if state.ahead else state.there), ""
        change = self._apply(local, put, odd)
        if commit != state.head:
            self._moved(state, commit, managed)
        self._learn_authors(commit, put)
        outcome = failure.outcome if failure else self._outcome(state, made=bool(made), pushed=pushed)
        if outcome is Outcome.UP_TO_DATE and (state.behind or received):
            outcome = Outcome.SYNCED
        detail = failure.detail if failure else ""
        if outcome is Outcome.NOT_PUSHED and state.elsewhere:
            detail = f"{state.branch} is pushed to {state.elsewhere}, and that is yours to do"
        return replace(done, outcome=outcome, detail=detail, commit=made, pushed=pushed,
                       shared=done.shared if made or pushed else (), waiting=self._waiting(put), change=change)

    def _outcome(self, state: _State, *, made: bool, pushed: bool) -> Outcome:
        if state.upstream is None:
            return Outcome.NO_UPSTREAM
        if state.has_diverged:
            return Outcome.DIVERGED
        if state.is_local:
            return Outcome.LOCAL_AHEAD if made else Outcome.UP_TO_DATE
        if (state.elsewhere or not self.options.push) and (made or state.ahead):
            return Outcome.NOT_PUSHED
        return Outcome.SYNCED if made or pushed else Outcome.UP_TO_DATE

    # ── git's side ───────────────────────────────────────────────────────────────────────────────────────────────

    def _commit(self, state: _State, put: team_folder.Put, new: Mapping[str, bytes], *, is_new: bool) -> tuple[str, str]:
        """The commit that the branch is to have, and the one made for it, "" for none."""
        if state.is_local or not state.ahead:
            return self._made([state.parent], put, new) if is_new else (state.parent, "")
        if state.behind:        # by our own commits alone: both sides stay in the history
            return self._made([state.there, state.head], put, new)
        return (state.head, "") if put.tree == self.git.tree(state.head) else self._made([state.head], put, new)

    def _made(self, parents: list[str], put: team_folder.Put, new: Mapping[str, bytes]) -> tuple[str, str]:
        for id in {entry.id for entry in put.tree.values()} & set(new):
            self.git.write_blob(new[id])
        commit = self.git.commit(parents, put.tree, team.MESSAGE_MERGED if put.conflicts else team.MESSAGE)
        self.space.home.team.add_commits(self.label, [commit])
        return commit, commit

    def _push(self, state: _State, commit: str) -> tuple[bool, GitFailed | None]:
        """Push, when there is something of ours to push, and nothing but ours would go along."""
        if state.is_local or state.elsewhere or not self.options.push or commit == state.there:
            return False, None
        assert state.upstream is not None
        going = set(self.git.between(state.there, commit))
        if not going <= self.space.home.team.commits(self.label):
            raise GitFailed(Outcome.LOCAL_AHEAD, "commits of others would have gone along")
        try:
            self.git.push(commit, state.upstream)
        except GitFailed as failed:
            if failed.outcome is Outcome.PUSH_FAILED and self.git.fetch(state.upstream) != state.there:
                raise _Again from failed
            return False, failed
        return True, None

    def _moved(self, state: _State, commit: str, managed: set[str]) -> None:
        try:
            self.git.move(state.branch, state.head, commit, managed)
        except GitFailed as failed:
            if failed.outcome is Outcome.BUSY and self.git.commit_of("HEAD") != state.head:
                raise _Again from failed
            raise

    def _set_aside(
        self, state: _State, put: team_folder.Put, new: Mapping[str, bytes], done: Synced, *, is_new: bool
    ) -> Synced:
        """The branch has commits that nobody else has, and so has the upstream: what we would share is kept as a commit on top
        of the upstream's, under a name of its own. The branch, the index and the files stay as they are."""
        detail = f"{len(state.ahead)} commits here and {len(state.behind)} there: merge or rebase {state.branch}, then sync again"
        if not is_new:
            return replace(done, outcome=Outcome.DIVERGED, detail=detail)
        kept = self.git.commit_of(f"refs/reverie/team/{state.branch}")
        if kept and self.git.commit_of(f"{kept}^1") == state.there and self.git.tree(kept) == put.tree:
            return replace(done, outcome=Outcome.DIVERGED, detail=detail, commit=kept)
        commit, _ = self._made([state.there], put, new)
        self.git.keep(commit, state.branch)
        return replace(done, outcome=Outcome.DIVERGED, detail=detail, commit=commit)

    # ── our side ─────────────────────────────────────────────────────────────────────────────────────────────────

    def _apply(self, local: team_folder.Local, put: team_folder.Put, odd: set[str]) -> int:
        """Write the merge into the folder, through the journal."""
        paths = [       # what is to be otherwise, and what is missing here without having been taken out
            path for path in sorted({*local.raw, *put.data} - odd) if path not in local.refused
            and (local.tree.get(path) != put.tree.get(path) or (path in put.data and path not in local.raw))
        ]
        edits = [
            Edit(path=f"{self.mount.folder}/{path}", before=local.raw.get(path), after=put.data.get(path), root=self.mount.folder,
                 derived=path == INDEX, sealed=_holds_secret(local.raw.get(path)))
            for path in paths if path in put.data or path in local.raw
        ]
        if not edits:
            return 0
        cause = Cause(operation="sync", actor="reverie", run=self.run, rule="team.sync", why="what teammates shared")
        return self.space.home.journal.commit(edits, cause=cause, touched=self._touched(local, put, paths))

    def _touched(self, local: team_folder.Local, put: team_folder.Put, paths: list[str]) -> list[Touched]:
        rules = admission.Admission(self.space, self.mount)
        return [
            touched for path in paths if path != INDEX
            for touched in admission.told(
                lambda id: f"{self.label}/{id}", rules.memories(path, local.raw.get(path)),
                rules.memories(path, put.data.get(path)), rule="team.sync",
            )
        ]

    def _learn_authors(self, commit: str, put: team_folder.Put) -> None:
        """Write down who committed what is here now, and judge it, so that no request has to."""
        known = self.space.home.team.known(self.label)
        there = self.git.tree(commit)
        digests = {path: team_trust.digest(data) for path, data in put.data.items() if path != INDEX}
        unknown = [
            path for path, digest in digests.items()
            if put.tree[path] == there.get(path) and not known.get((path, digest), Known()).commit
        ]
        authors = self.git.authors(commit, unknown)
        learned: dict[tuple[str, str], Known] = {}
        for path, digest in digests.items():
            judged = team_trust.judge(known, path, put.data[path])
            author = authors.get(path)
            if author is not None:
                judged = replace(judged, author=author.name, commit=author.commit, committed_at=author.at)
            if judged != known.get((path, digest)):
                learned[path, digest] = judged
        self.space.home.team.keep(self.label, learned)
        self.space.look_again(self.mount)

    def _waiting(self, put: team_folder.Put) -> tuple[team.Waiting, ...]:
        known = self.space.home.team.known(self.label)
        return team_review.waiting_in(self.mount, known, {path: data for path, data in put.data.items() if path != INDEX})


def _holds_secret(data: bytes | None) -> bool:
    from reverie.core import redact

    return data is not None and redact.has_secret(data.decode("utf-8", "replace"))
