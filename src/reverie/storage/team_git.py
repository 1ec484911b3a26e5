"""A user's own repository, used so that only a team's folder is ever committed, and only our commit ever pushed.

Commits are made with an index of our own and git's plumbing: what the user has staged or changed elsewhere, hooks, signing and
filters play no part. The branch moves by compare-and-swap while we hold the index's lock, and only forward. The user's
configuration counts where it must (who they are, how a remote is reached); git asks nobody anything, and waits for nobody
beyond the deadline.
"""

# Paths are strings in storage:
# ruff: noqa: PTH105, PTH108, PTH118

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import socket
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from reverie.core.team import Entry, Outcome, Tree
from reverie.storage import baseline
from reverie.storage.baseline import Skipped
from reverie.storage.dreams import alive

REGULAR = ("100644", "100755")
STALE_SECONDS = 3600.0                  # after which an index of ours is nobody's any more
_ALL = 3600.0                           # of the time that is left, for what goes over the network: much may have come
_INDEX = "reverie-index-"
_HOLDER = "reverie {host} {pid}\n"
_HELD = re.compile(r"reverie (?P<host>\S+) (?P<pid>\d{1,10})\n")
LOCK_SECONDS = 3.0                      # that another git may hold the index
MOST_COMMITS = 2_000                    # that are looked through for who wrote what

_SETTINGS = (
    f"core.hooksPath={os.devnull}", "core.fsmonitor=false", "core.untrackedCache=false", "core.splitIndex=false",
    "core.askPass=", "core.quotePath=false", "credential.interactive=false", "commit.gpgSign=false", "push.gpgSign=false",
    "push.followTags=false", "push.recurseSubmodules=no", "fetch.recurseSubmodules=no", "submodule.recurse=false",
    "fetch.prune=false", "gc.auto=0", "maintenance.auto=false", "protocol.ext.allow=never",
)  # fmt: skip
# Of git's variables only those that say who somebody is, what configuration counts, and how a server is reached: a hook that
# started us has set GIT_DIR and its kin.
_GIT_KEPT = (
    "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_PROXY_COMMAND", "GIT_SSL_CAINFO", "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL", "GIT_EXEC_PATH",
)  # fmt: skip
_QUIET = {
    "GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "", "SSH_ASKPASS": "", "SSH_ASKPASS_REQUIRE": "never", "GCM_INTERACTIVE": "never",
    "GIT_OPTIONAL_LOCKS": "0", "GIT_EDITOR": "false", "GIT_PAGER": "cat", "LC_ALL": "C",
    "GIT_MERGE_AUTOEDIT": "no",
    "GIT_NO_REPLACE_OBJECTS": "1",      # what is looked at before a push is what is pushed
}  # fmt: skip
_UNFINISHED = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "sequencer")


class GitFailed(Exception):
    """Git could not do it; ``outcome`` says what that means for a sync."""

    def __init__(self, outcome: Outcome, detail: str = "") -> None:
        super().__init__(detail)
        self.outcome = outcome
        self.detail = detail


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """Where a branch is pushed to: the remote, the branch there, and the reference here that follows it."""

    remote: str
    ref: str
    tracking: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Author:
    """Who committed something, and when (ISO 8601)."""

    name: str
    commit: str
    at: str


class TeamGit:
    """One checkout. ``folder`` is the team's, relative to its root, with "/"."""

    def __init__(
        self, root: str, folder: str, *, seconds: float, environment: Mapping[str, str], git: str = "git"
    ) -> None:
        self.root = root
        self.folder = folder
        self._until = time.monotonic() + seconds
        self._git = git
        kept = {name: value for name, value in environment.items() if not name.startswith("GIT_") or name in _GIT_KEPT}
        self._environment = {**kept, **_QUIET}
        self._has_own_ssh = "GIT_SSH" in environment and "GIT_SSH_COMMAND" not in environment
        self.git_dir = ""
        self._hash = "sha1"

    # ── running git ──────────────────────────────────────────────────────────────────────────────────────────────

    def run(
        self, *arguments: str, data: bytes | None = None, index: str = "", seconds: float = 15.0, plain: bool = False
    ) -> baseline.Ran:
        """Git to its end, whatever it says; ``GitFailed`` when it could not run or took too long. ``plain``: without our
        settings, to ask for the user's."""
        left = self._until - time.monotonic()
        if left <= 0:
            raise GitFailed(Outcome.TIMEOUT, "the time for a sync is over")
        environment = {"GIT_INDEX_FILE": index} if index else {}
        ran = baseline.run(
            arguments, folder=self.root, timeout_seconds=min(seconds, left), git=self._git,
            settings=() if plain else _SETTINGS,
            clean=self._environment, environment=environment, data=data,
        )
        if isinstance(ran, Skipped):
            outcome = {"git_timeout": Outcome.TIMEOUT, "git_missing": Outcome.GIT_MISSING}.get(ran.reason, Outcome.FAILED)
            raise GitFailed(outcome, ran.detail)
        return ran

    def must(
        self, *arguments: str, data: bytes | None = None, index: str = "", fails: Outcome = Outcome.FAILED
    ) -> baseline.Ran:
        """The same, ``GitFailed`` too when git says no."""
        ran = self.run(*arguments, data=data, index=index)
        if ran.code:
            raise GitFailed(fails, f"git {arguments[0]}: {_last_line(ran.err)}")
        return ran

    # ── looking ──────────────────────────────────────────────────────────────────────────────────────────────────

    def open(self, *, unfinished: bool = False) -> None:
        """Find the repository, or say why a sync has nothing to do here. ``unfinished``: whatever waits for its end there."""
        ran = self.run("rev-parse", "--is-bare-repository", "--is-inside-work-tree", "--absolute-git-dir",
                       "--show-object-format")
        said = ran.text.split("\n")
        if ran.code or len(said) < 4:
            raise GitFailed(Outcome.NOT_A_REPOSITORY, _last_line(ran.err))
        if said[0] == "true" or said[1] != "true":
            raise GitFailed(Outcome.BARE, "a repository without a checkout has no team folder")
        self.git_dir, self._hash = said[2], said[3]
        found = next((name for name in _UNFINISHED if os.path.lexists(os.path.join(self.git_dir, name))), "")
        if found and not unfinished:
            raise GitFailed(Outcome.IN_PROGRESS, f"{found} is there: a merge, rebase or pick waits for its end")
        self._sweep()
        self._ask_nobody()

    def _ask_nobody(self) -> None:
        """Have ssh ask nothing, whichever command, key and host the user's environment or configuration reach a remote with."""
        if not self._has_own_ssh:
            chosen = self._environment.get("GIT_SSH_COMMAND") or self._setting("core.sshCommand") or "ssh"
            self._environment["GIT_SSH_COMMAND"] = f"{chosen} -o BatchMode=yes -o ConnectTimeout=5"

    def _setting(self, name: str) -> str:
        return self.run("config", "--get", name, plain=True).text

    def branch(self) -> str:
        """The branch that is checked out, "" for none."""
        return self.run("symbolic-ref", "--quiet", "--short", "HEAD").text

    def commit_of(self, name: str) -> str:
        """The id of a commit, "" when there is none."""
        ran = self.run("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
        return ran.text if not ran.code else ""

    def upstream(self, branch: str) -> Upstream | None:
        """Where the branch belongs on a remote, None when it has no such place."""
        ran = self.must("for-each-ref", "--format=%(upstream)%00%(upstream:remotename)%00%(upstream:remoteref)",
                        f"refs/heads/{branch}")
        tracking, _, rest = ran.text.partition("\0")
        remote, _, ref = rest.partition("\0")
        if not (tracking and remote and ref.startswith("refs/heads/")) or remote.startswith("-"):
            return None
        if remote == "." or tracking.startswith(("refs/heads/", "refs/tags/")):     # another branch of the user's own
            return None
        return Upstream(remote=remote, ref=ref, tracking=tracking)

    def pushed_to(self, branch: str) -> str:
        """The remote that the user pushes this branch to, where it is another than the upstream's; "" for none."""
        return self._setting(f"branch.{branch}.pushRemote") or self._setting("remote.pushDefault")

    def is_ignored(self, path: str) -> bool:
        """Whether a file of the folder would be ignored."""
        return self.run("check-ignore", "--quiet", "--no-index", "--", f"{self.folder}/{path}").code == 0

    def filtered(self, path: str) -> str:
        """The filter that git puts a file of the folder through (LFS, an encryption), "" for none."""
        said = self.must("check-attr", "-z", "filter", "--", f"{self.folder}/{path}").out.split(b"\0")
        value = os.fsdecode(said[2]) if len(said) > 2 else ""
        return "" if value in ("unspecified", "unset", "set") else value

    def between(self, one: str, other: str) -> list[str]:
        """The commits that ``other`` has and ``one`` has not."""
        return self.must("rev-list", f"{one}..{other}").text.split()

    def base(self, one: str, other: str) -> str:
        """The best common ancestor, "" when there is none (here: in a shallow clone it may lie beyond)."""
        ran = self.run("merge-base", one, other)
        return ran.text.split("\n")[0] if not ran.code else ""

    def tree(self, commit: str) -> dict[str, Entry]:
        """The team's folder in a commit, by path below the folder."""
        if not commit:
            return {}
        ran = self.must("ls-tree", "-r", "-z", "--full-tree", commit, "--", f"{self.folder}/")
        found: dict[str, Entry] = {}
        for line in ran.out.split(b"\0"):
            head, tab, path = line.partition(b"\t")
            parts = head.decode("ascii", "replace").split()
            if tab and len(parts) == 3:
                found[os.fsdecode(path)[len(self.folder) + 1 :]] = Entry(parts[0], parts[2])
        return found

    def indexed(self, index: str = "") -> dict[str, Entry]:
        """The team's folder in an index (default: the user's), by path below the folder; "" when the folder itself is a file."""
        index = os.path.join(self.root, index) if index else ""
        ran = self.must("ls-files", "--stage", "-z", "--", self.folder, index=index)
        found: dict[str, Entry] = {}
        for line in ran.out.split(b"\0"):
            head, tab, path = line.partition(b"\t")
            parts = head.decode("ascii", "replace").split()
            if tab and len(parts) == 3 and parts[2] == "0":
                found[os.fsdecode(path)[len(self.folder) + 1 :]] = Entry(parts[0], parts[1])
        return found

    def hook(self, name: str) -> str:
        """Where the repository has, or would have, a hook: the user's own ``core.hooksPath`` counts."""
        found = self.run("config", "--get", "--type=path", "core.hooksPath", plain=True).text
        folder = found or self.must("rev-parse", "--git-common-dir").text + "/hooks"
        return os.path.join(self.root, folder, name)

    def listed(self, commits: str, *, most: int) -> list[str]:
        """The commits of a range, newest first; of one commit, itself."""
        is_range = ".." in commits
        ran = self.must("rev-list", f"--max-count={most if is_range else 1}", "--end-of-options", commits, "--")
        return ran.text.split()

    def unusual(self) -> tuple[set[str], set[str]]:
        """(paths of the folder that a sparse checkout leaves out, paths with an unfinished merge)."""
        ran = self.must("ls-files", "-t", "-z", "--stage", "--", self.folder)
        sparse: set[str] = set()
        unmerged: set[str] = set()
        for line in ran.out.split(b"\0"):
            head, tab, path = line.partition(b"\t")
            if tab and head.startswith(b"S"):
                sparse.add(os.fsdecode(path))
            elif tab and not head.endswith(b" 0"):
                unmerged.add(os.fsdecode(path))
        return sparse, unmerged

    def blobs(self, ids: Iterable[str]) -> dict[str, bytes]:
        """The bytes of these blobs; one that is not there is left out."""
        wanted = list(dict.fromkeys(ids))
        if not wanted:
            return {}
        out = self.must("cat-file", "--batch", data="".join(f"{id}\n" for id in wanted).encode()).out
        found: dict[str, bytes] = {}
        at = 0
        for _ in wanted:
            end = out.find(b"\n", at)
            head = out[at:end].split()
            at = end + 1
            if len(head) == 3:
                size = int(head[2])
                if head[1] == b"blob":
                    found[head[0].decode()] = out[at : at + size]
                at += size + 1
        return found

    def large(self, entries: Iterable[Entry], most: int) -> set[str]:
        """The ids of those blobs that have more than so many bytes."""
        wanted = sorted({entry.id for entry in entries if entry.mode in REGULAR})
        if not wanted:
            return set()
        asked = "".join(f"{id}\n" for id in wanted).encode()
        told = map(str.split, self.must("cat-file", "--batch-check=%(objectname) %(objectsize)", data=asked).text.splitlines())
        return {each[0] for each in told if len(each) == 2 and each[1].isdigit() and int(each[1]) > most}

    def id_of(self, data: bytes) -> str:
        """The id that a blob with these bytes has."""
        return hashlib.new(self._hash, b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()

    def authors(self, commit: str, paths: Iterable[str]) -> dict[str, Author]:
        """Who last changed these files of the folder, as far back as is looked."""
        wanted = set(paths)
        if not wanted or not commit:
            return {}
        ran = self.must("log", "-z", "--no-renames", "--no-show-signature", "--no-color", "--name-only", "--diff-filter=AM",
                        f"--max-count={MOST_COMMITS}", "--format=%x01%H%x02%aN%x02%aI", commit, "--", self.folder)
        found: dict[str, Author] = {}
        for part in ran.out.split(b"\x01")[1:]:
            head, *files = part.replace(b"\n", b"\0").split(b"\0")
            id, name, at = head.decode("utf-8", "replace").split("\x02")[:3]
            for file in filter(None, files):
                path = os.fsdecode(file)[len(self.folder) + 1 :]
                if path in wanted:
                    found.setdefault(path, Author(name=name, commit=id, at=at))
        return found

    # ── commits ──────────────────────────────────────────────────────────────────────────────────────────────────

    def fetch(self, upstream: Upstream) -> str:
        """Bring what the remote's branch has, and nothing else; its commit."""
        for attempt in range(3):
            ran = self.run("fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head",
                           "--end-of-options", upstream.remote, f"+{upstream.ref}:{upstream.tracking}", seconds=_ALL)
            if not ran.code:
                return self.commit_of(upstream.tracking)
            if b"cannot lock ref" not in ran.err:
                break
            time.sleep(0.05 * (attempt + 1))        # somebody else fetches just now
        raise GitFailed(Outcome.FETCH_FAILED, _last_line(ran.err))

    def write_blob(self, data: bytes) -> str:
        return self.must("hash-object", "-w", "--no-filters", "--stdin", data=data).text

    def commit(self, parents: Sequence[str], entries: Tree, message: str) -> str:
        """A commit that is its first parent but for the team's folder, which holds exactly these files.

        Raises ``GitFailed`` rather than answer with a commit that changes anything else.
        """
        with self._index() as index:
            self.must("read-tree", parents[0], index=index)
            self._stage(index, self.tree(parents[0]), entries)
            tree = self.must("write-tree", index=index).text
        arguments = [part for parent in parents for part in ("-p", parent)]
        ran = self.run("commit-tree", tree, *arguments, "-m", message)
        if ran.code and b"dent" in ran.err:         # git does not know who this is
            name, address = baseline.NEUTRAL
            who = (f"user.name={name}", f"user.email={address}")
            ran = self.must(*(part for each in who for part in ("-c", each)), "commit-tree", tree, *arguments, "-m", message)
        if ran.code:
            raise GitFailed(Outcome.FAILED, f"git commit-tree: {_last_line(ran.err)}")
        commit = ran.text
        if outside := [path for path in self.changed(parents[0], commit) if not path.startswith(f"{self.folder}/")]:
            raise GitFailed(Outcome.FAILED, f"a commit would have changed {outside[0]!r}, which is not the team's")
        return commit

    def changed(self, one: str, other: str) -> list[str]:
        """The paths, from the root, in which two commits differ."""
        out = self.must("diff-tree", "-r", "-z", "--name-only", "--no-renames", one, other).out
        return [os.fsdecode(path) for path in out.split(b"\0") if path]

    def push(self, commit: str, upstream: Upstream) -> None:
        """Give the remote's branch this commit: forward only, this branch only, nothing beside it."""
        ran = self.run("push", "--quiet", "--no-verify", "--no-signed", "--no-follow-tags", "--no-force",
                       "--recurse-submodules=no", "--end-of-options", upstream.remote, f"{commit}:{upstream.ref}", seconds=_ALL)
        if ran.code:
            raise GitFailed(Outcome.PUSH_FAILED, _last_line(ran.err))

    def keep(self, commit: str, branch: str) -> None:
        """Keep a commit that no branch has: reachable, so that git never deletes it."""
        self.must("update-ref", "-m", "reverie: sync", f"refs/reverie/team/{branch}", commit)

    # ── the branch, the index, the files outside the folder ──────────────────────────────────────────────────────

    def may_move(self, head: str, target: str, managed: Iterable[str]) -> None:
        """``GitFailed`` (pull-failed) when what is changed here stands in the way of a fast-forward."""
        entries, managed = self.tree(target), set(managed)
        with self._index(copy=True) as index:
            self._read_tree(index, self._bridged(head, entries, managed), target, "--dry-run")

    def move(self, branch: str, head: str, target: str, managed: Iterable[str]) -> None:
        """Bring the branch from ``head`` forward to ``target``, with index and files, as a fast-forward does.

        The ``managed`` files of the team's folder are not touched, but the index has them as ``target`` has: of those the
        caller has already written what is to be. Nothing changes when something stands in the way.
        """
        entries, managed = self.tree(target), set(managed)
        lock = os.path.join(self.git_dir, "index.lock")
        self._take(lock)
        try:
            if self.commit_of(f"refs/heads/{branch}") != head or self.branch() != branch:
                raise GitFailed(Outcome.BUSY, "the branch was moved meanwhile")
            with self._index(copy=True) as index:
                before = self._bridged(head, entries, managed)
                here = self.tree(head)
                self._stage(index, {path: here[path] for path in managed if path in here},
                            {path: entries[path] for path in managed if path in entries})
                self._read_tree(index, before, target, "--dry-run")
                self._read_tree(index, before, target)
                self.run("update-index", "-q", "--refresh", index=index)
                # The index first: who is stopped here finds what came as staged, and not as taken back.
                self._put_index(index)
                ran = self.run("update-ref", "-m", "reverie: sync", f"refs/heads/{branch}", target, head)
                if ran.code:
                    self.run("read-tree", "-m", "-u", target, before, index=index)
                    self._stage(index, {path: entries[path] for path in managed if path in entries},
                                {path: here[path] for path in managed if path in here})
                    self._put_index(index)
                    raise GitFailed(Outcome.BUSY, "the branch was moved meanwhile")
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(lock)

    def _put_index(self, index: str) -> None:
        """Make an index of our own the user's; the lock is held."""
        shutil.copy2(index, f"{index}.put")
        os.replace(f"{index}.put", os.path.join(self.git_dir, "index"))

    def _take(self, lock: str) -> None:
        until = time.monotonic() + LOCK_SECONDS
        while True:
            try:
                held = os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
                with os.fdopen(held, "w") as file:
                    file.write(_HOLDER.format(host=socket.gethostname(), pid=os.getpid()))
            except FileExistsError:
                if _is_left_over(lock):             # by a sync that was killed
                    with contextlib.suppress(FileNotFoundError):
                        os.unlink(lock)
                    continue
                if time.monotonic() > until:
                    raise GitFailed(Outcome.BUSY, "another git holds the index (index.lock)") from None
                time.sleep(0.02)
            except OSError as error:
                raise GitFailed(Outcome.FAILED, f"{lock}: {error.strerror}") from error
            else:
                return

    def _sweep(self) -> None:
        """Take away what a sync that was killed has left: a lock that names it, indexes of its own."""
        if _is_left_over(lock := os.path.join(self.git_dir, "index.lock")):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(lock)
        with contextlib.suppress(OSError), os.scandir(self.git_dir) as found:
            for each in found:
                if each.name.startswith(_INDEX) and time.time() - each.stat().st_mtime > STALE_SECONDS:
                    os.unlink(each.path)

    def _bridged(self, head: str, entries: Tree, managed: set[str]) -> str:
        """The tree of ``head`` with the managed files as the target has them: for git they do not change any more."""
        here = self.tree(head)
        if all(here.get(path) == entries.get(path) for path in managed):
            return head
        with self._index() as index:
            self.must("read-tree", head, index=index)
            self._stage(index, {path: here[path] for path in managed if path in here},
                        {path: entries[path] for path in managed if path in entries})
            return self.must("write-tree", index=index).text

    def _read_tree(self, index: str, before: str, target: str, *more: str) -> None:
        one, other = self.must("rev-parse", f"{before}^{{tree}}", f"{target}^{{tree}}").text.split()
        if one != other:
            self.must("read-tree", *more, "-m", "-u", before, target, index=index, fails=Outcome.PULL_FAILED)

    def _stage(self, index: str, old: Tree, new: Tree) -> None:
        """Make the folder's files in an index those of ``new``."""
        nothing = "0" * len(self.id_of(b""))
        lines = [f"0 {nothing}\t{self.folder}/{path}" for path in old if path not in new]
        lines += [f"{entry.mode} {entry.id}\t{self.folder}/{path}" for path, entry in new.items()]
        if lines:
            self.must("update-index", "-z", "--index-info", index=index, data=os.fsencode("\0".join(lines) + "\0"))

    @contextlib.contextmanager
    def _index(self, *, copy: bool = False) -> Iterator[str]:
        """The path of an index of our own: empty, or a copy of the user's."""
        path = os.path.join(self.git_dir, f"{_INDEX}{uuid.uuid4().hex[:12]}")
        try:
            if copy:
                with contextlib.suppress(FileNotFoundError):
                    # with its time, by which git tells what may have changed since
                    shutil.copy2(os.path.join(self.git_dir, "index"), path)
                    self.run("update-index", "-q", "--refresh", index=path)
            yield path
        except OSError as error:
            raise GitFailed(Outcome.FAILED, f"{path}: {error.strerror}") from error
        finally:
            for leftover in (path, f"{path}.lock", f"{path}.put"):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(leftover)


def _is_left_over(lock: str) -> bool:
    """Whether a lock is ours, and its process is gone."""
    try:
        with open(lock, encoding="utf-8", errors="replace") as file:    # noqa: PTH123
            found = _HELD.fullmatch(file.read(400))
    except OSError:
        return False
    return found is not None and found["host"] == socket.gethostname() and not alive(int(found["pid"]))


def _last_line(err: bytes) -> str:
    """What git complained about, on one line, without the address of a remote (it may hold a password)."""
    lines = [line.strip() for line in err.decode("utf-8", "replace").splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith("hint:")] or ["it did not say why"]
    said = next((line for line in lines if line.startswith(("fatal:", "error:", "!"))), lines[-1])
    return re.sub(r"://[^/\s@]*@", "://", said)[:300]
