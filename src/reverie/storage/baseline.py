"""The baseline of a memory folder: its own git repository of one commit; and git run so that nothing of the user's
configuration, no hook, no signing, no prompt and no endless wait can come of it.

Background work only: a hook never gets here. git may be absent; then there is no baseline, and a named reason.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import stat
import subprocess
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from reverie.storage import files

OURS = "codex-baseline-version"         # the product marks its baseline by this file (spec/codex §2)
NEUTRAL = ("Reverie", "reverie@localhost")
_NEW = ".git" + files.TEMPORARY         # stores do not see such names
_OLD = ".git-old" + files.TEMPORARY
# What the product keeps out of the compared tree (spec/codex §9.4), and our own scaffolding.
OUTSIDE = (".git", ".codex-baseline", "phase2_workspace_diff.md", _NEW, _OLD)


class Ran:
    """A git command that ran to its end."""

    __slots__ = ("code", "err", "out")

    def __init__(self, code: int, out: bytes, err: bytes) -> None:
        self.code = code
        self.out = out
        self.err = err

    @property
    def text(self) -> str:
        return self.out.decode("utf-8", "replace").strip()


class Skipped:
    """Why git did nothing: ``git_missing``, ``git_timeout``, ``git_failed``, ``no_folder``, ``folder_not_writable``,
    ``foreign_repository``; ``detail`` in words."""

    __slots__ = ("detail", "reason")

    def __init__(self, reason: str, detail: str = "") -> None:
        self.reason = reason
        self.detail = detail

    def __repr__(self) -> str:
        return f"Skipped({self.reason!r}, {self.detail!r})"


class Baseline:
    """A baseline that now stands: its commit, whether it is another than before, whether git could not take a file."""

    __slots__ = ("changed", "commit", "incomplete")

    def __init__(self, commit: str, *, changed: bool, incomplete: bool) -> None:
        self.commit = commit
        self.changed = changed
        self.incomplete = incomplete


# Of the caller's environment only what a program needs to run at all.
_KEPT = ("PATH", "SYSTEMROOT", "SYSTEMDRIVE", "PATHEXT", "COMSPEC", "TMP", "TEMP", "TMPDIR", "HOME", "USERPROFILE")
_CLEAN = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_ASKPASS": "",
    "SSH_ASKPASS": "",
    "GIT_EDITOR": "false",
    "GIT_PAGER": "cat",
    "LC_ALL": "C",
}
_SETTINGS = (
    f"core.hooksPath={os.devnull}",
    f"core.attributesFile={os.devnull}",
    f"core.excludesFile={os.devnull}",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.autocrlf=false",
    "commit.gpgSign=false",
    "tag.gpgSign=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "advice.addEmbeddedRepo=false",
    "safe.directory=*",             # we name the folder ourselves; a store on a share may have another owner
)


def run(
    arguments: Sequence[str],
    *,
    folder: str,
    timeout_seconds: float = 20.0,
    environment: Mapping[str, str] | None = None,
    git: str = "git",
    settings: Sequence[str] = _SETTINGS,
    clean: Mapping[str, str] | None = None,
    data: bytes | None = None,
) -> Ran | Skipped:
    """Run git on a folder; never with the user's configuration, hooks, prompts or the shell. ``environment`` adds to a
    clean one. A command that takes too long is ended with everything that it started.

    ``settings`` and ``clean`` (the whole environment below ``environment``) stand in for ours where a repository is the user's
    own; ``data`` is what the command reads."""
    command = [git, *(part for setting in settings for part in ("-c", setting)), *arguments]
    if clean is None:
        clean = {name: os.environ[name] for name in _KEPT if name in os.environ} | _CLEAN
    try:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**clean, **(environment or {})},
            stdin=subprocess.DEVNULL if data is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except (FileNotFoundError, NotADirectoryError, PermissionError) as error:
        missing = not Path(folder).is_dir()
        return Skipped("no_folder" if missing else "git_missing", f"{folder if missing else git!r}: {error.strerror}")
    except (OSError, ValueError) as error:              # no memory; a NUL among the arguments
        return Skipped("git_failed", str(error))
    try:
        out, err = process.communicate(data, timeout=timeout_seconds)
    except subprocess.TimeoutExpired:
        _end(process)
        verb = next((part for part in arguments if not part.startswith("-")), "")
        return Skipped("git_timeout", f"git {verb} took longer than {timeout_seconds:g} seconds")
    except BaseException:               # Ctrl-C: leave no process behind
        _end(process)
        raise
    return Ran(process.returncode, out, err)


def _end(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(OSError):
        if os.name == "nt":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


# ---- the baseline of a memory folder

def baseline(
    folder: str,
    message: str,
    *,
    author: tuple[str, str] = NEUTRAL,
    at: datetime | None = None,
    timeout_seconds: float = 60.0,
    git: str = "git",
) -> Baseline | Skipped:
    """Make everything in a memory folder the one commit of its own repository (spec/codex §9.4).

    The repository is made anew: what was forgotten is in no history. It is built beside the old one and then takes its
    place, so a failure leaves the old. A repository that does not bear the product's mark is somebody's own and is left
    alone. The caller holds the store's lock.
    """
    root = Path(folder).resolve()
    if not root.is_dir():
        return Skipped("no_folder", repr(folder))
    current, new, old = root / ".git", root / _NEW, root / _OLD
    if (current.exists() or current.is_symlink()) and not _may_replace(current):
        return Skipped("foreign_repository", f"{str(current)!r} is not a baseline, and may hold somebody's history")
    try:
        if old.is_dir() and not current.exists():       # an earlier run was killed between the two renames
            old.rename(current)
        _remove(new)
        _remove(old)
        scaffold(new)
        made = _commit(root, new, message, author=author, at=at, timeout_seconds=timeout_seconds, git=git)
        if isinstance(made, Baseline):
            before = _head(root, current, "HEAD^{tree}", git=git) if current.is_dir() else ""
            if before and before == _head(root, new, "HEAD^{tree}", git=git):
                return Baseline(_head(root, current, git=git), changed=False, incomplete=made.incomplete)
            _exchange(current, new, old)
        return made
    except OSError as error:
        return Skipped("folder_not_writable", f"{folder!r}: {error.strerror or error}")
    finally:
        _remove(new)
        _remove(old)


def _exchange(current: Path, new: Path, old: Path) -> None:
    if current.exists():
        current.rename(old)
    try:
        new.rename(current)
    except OSError:
        old.rename(current)
        raise


def _may_replace(current: Path) -> bool:
    """A baseline of the product or ours; or an empty folder, left by something that was interrupted."""
    if current.is_symlink() or not current.is_dir():
        return False
    try:
        return (current / OURS).is_file() or next(current.iterdir(), None) is None
    except OSError:
        return False


def scaffold(new: Path) -> None:
    """An empty repository. Made by hand: ``git init`` copies templates and, with a work tree, writes down its path."""
    for name in ("objects", "refs/heads", "info"):
        (new / name).mkdir(parents=True)
    for name, text in (
        ("HEAD", "ref: refs/heads/main\n"),
        ("config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"),
        ("info/attributes", "* -text -ident -filter -working-tree-encoding\n"),     # bytes as they are
        (OURS, "1"),
    ):
        (new / name).write_bytes(text.encode())


def _commit(
    folder: Path,
    git_dir: Path,
    message: str,
    *,
    author: tuple[str, str],
    at: datetime | None,
    timeout_seconds: float,
    git: str,
) -> Baseline | Skipped:
    name, address = author
    environment: dict[str, str] = {}
    for who in ("AUTHOR", "COMMITTER"):
        environment |= {f"GIT_{who}_NAME": name, f"GIT_{who}_EMAIL": address}
        if at is not None:
            environment[f"GIT_{who}_DATE"] = at.isoformat()
    outside = [f":(top,exclude,literal){name}" for name in OUTSIDE]
    added = _in(folder, git_dir, ["add", "--all", "--force", "--ignore-errors", "--", ":(top)", *outside],
                timeout_seconds=timeout_seconds, git=git)
    if isinstance(added, Skipped):
        return added
    commit = ["commit", "--quiet", "--allow-empty", "--allow-empty-message", "--message", message.replace("\0", "")]
    committed = _in(folder, git_dir, commit, timeout_seconds=timeout_seconds, git=git, environment=environment)
    if isinstance(committed, Skipped):
        return committed
    if committed.code:
        return Skipped("git_failed", (committed.err or added.err).decode("utf-8", "replace").strip()[-500:])
    return Baseline(_head(folder, git_dir, git=git), changed=True, incomplete=added.code != 0)


def _in(
    folder: Path,
    git_dir: Path,
    arguments: Sequence[str],
    *,
    git: str,
    timeout_seconds: float = 20.0,
    environment: Mapping[str, str] | None = None,
) -> Ran | Skipped:
    where = (f"--git-dir={git_dir}", f"--work-tree={folder}")
    return run([*where, *arguments],
               folder=str(folder), timeout_seconds=timeout_seconds, environment=environment, git=git)


def _head(folder: Path, git_dir: Path, what: str = "HEAD", *, git: str) -> str:
    ran = _in(folder, git_dir, ["rev-parse", "--verify", "--quiet", what], git=git)
    return ran.text if isinstance(ran, Ran) and ran.code == 0 else ""


def _remove(path: Path) -> None:
    """Remove a scaffold, its read-only object files included."""
    if os.name == "nt":                 # there a read-only file cannot be deleted
        for above, _, names in os.walk(path):
            for name in names:
                Path(above, name).chmod(stat.S_IWRITE)
    shutil.rmtree(path, ignore_errors=True)
