"""Whose a directory is, read from git's own small files.

No process is started, so that a hook can afford it, and the variables by which a shell points git elsewhere
(``GIT_DIR`` and its kin) are not looked at: a session belongs to where it ran. Running git is ``storage.baseline``'s.
"""

# pathlib costs a hook 16 ms:
# ruff: noqa: PTH112, PTH113, PTH116, PTH118, PTH120, PTH121

from __future__ import annotations

import os
import stat
import sys

from reverie.core import place as places
from reverie.core.place import Place
from reverie.storage import files

POINTER_LIMIT_BYTES = 8 * 1024          # ".git" and "commondir" hold one path
CONFIG_LIMIT_BYTES = 256 * 1024         # a configuration of git has a few hundred bytes


def locate(path: str, *, hint: str = "", home: str = "", folds_case: bool | None = None) -> Place:
    """Where a directory belongs: to the repository whose checkout it lies in, by the rules of git itself.

    A directory that is gone belongs to the repository that it still lies below (someone deleted a subdirectory), unless
    that is ``home`` itself: a repository of dotfiles would swallow every project that was ever deleted. Else the host's
    ``hint`` decides, else its own path (``place.gone``). Never raises for a bad path, never waits.
    """
    if not places.is_absolute(path) or _of_another_system(path):
        # a relative path is nobody's: joined to the directory that we happen to run in, it would be another project's
        return places.gone(path, hint=hint, folds_case=bool(folds_case))
    try:
        real = os.path.realpath(path)
        exists = os.path.isdir(real)
    except (OSError, ValueError):       # a NUL, a name that is too long
        return places.gone(path, hint=hint, folds_case=bool(folds_case))
    folds = _folds_case(real) if folds_case is None else folds_case
    found = _repository(_nearest(real))
    if not exists and not (found and _still_below(found, hint=hint, home=home, folds_case=folds)):
        return places.gone(path, real=real, hint=_main_root(hint), folds_case=folds)
    if found is None:
        return places.make(path, real=real, folds_case=folds)
    root, common_dir = found
    worktree, remote = _settings(common_dir)
    return places.make(
        path,
        real=real,
        root=root,
        common_dir=common_dir,
        # a submodule's repository lies inside the one around it, and names its checkout; others do not, and need not
        main_root=worktree if places.basename(places.tidy(common_dir)) != ".git" else "",
        exists=exists,
        remote=places.clean_remote(remote),
        folds_case=folds,
    )


def _nearest(path: str) -> str:
    """The directory itself, or the nearest one above it that exists."""
    while not os.path.isdir(path):
        above = os.path.dirname(path)
        if above == path:
            break
        path = above
    return path


def _still_below(found: tuple[str, str], *, hint: str, home: str, folds_case: bool) -> bool:
    """Whether a directory that is gone belongs to the repository around its place: not to a repository of dotfiles, and
    not when the host knew a nearer or another root."""
    root, told = places.tidy(found[0]), places.tidy(hint)
    if home and root == places.tidy(os.path.realpath(home)):
        return False
    return not told or not places.parent(told) or places.below(told, root, folds_case=folds_case) is not None


def _main_root(hint: str) -> str:
    """The main checkout behind a hint, as far as the disk still tells."""
    if not places.parent(places.tidy(hint)) or _of_another_system(hint):
        return hint
    place = locate(hint)
    return place.main_root if place.exists and place.main_root else hint


def _of_another_system(path: str) -> bool:
    """A Windows path here, or a POSIX path on Windows: joining it to our own directory would invent a place."""
    if os.name == "nt":
        return path.startswith("/") and not path.startswith("//")
    return places.is_absolute(path) and not path.startswith("/")


def _folds_case(real: str) -> bool:
    if os.name == "nt":
        return True
    if sys.platform != "darwin":
        return False
    try:
        return os.path.samefile(real, real.swapcase())      # a Mac's disk does either
    except OSError:
        return False


def _repository(directory: str) -> tuple[str, str] | None:
    """(root of the checkout, common directory) of the repository around a directory. The common directory is "" when a
    ``.git`` file leads nowhere: git refuses to go on then, and whose the directory is, it alone can say."""
    device = _device(directory)
    while True:
        found = _checkout(directory) or _inside_git_dir(directory)
        if found:
            return found
        above = os.path.dirname(directory)
        if above == directory or _device(above) != device:      # git, too, stops where another file system begins
            return None
        directory = above


def _device(directory: str) -> int:
    try:
        return os.stat(directory).st_dev
    except OSError:
        return -1


def _checkout(directory: str) -> tuple[str, str] | None:
    git = os.path.join(directory, ".git")
    try:
        mode = os.stat(git).st_mode
    except OSError:
        return None
    if stat.S_ISDIR(mode):
        return (directory, _common_dir(git)) if _is_git_dir(git) else None
    if stat.S_ISREG(mode):
        return directory, _pointed_to(directory, git)
    return None


def _inside_git_dir(directory: str) -> tuple[str, str] | None:
    """A bare repository, or the inside of a ".git"."""
    if not _is_git_dir(directory):
        return None
    common_dir = _common_dir(directory)
    return places.main_root_of(places.tidy(common_dir)), common_dir


def _is_git_dir(directory: str) -> bool:
    if not os.path.lexists(os.path.join(directory, "HEAD")):
        return False
    return os.path.isfile(os.path.join(directory, "commondir")) or (
        os.path.isdir(os.path.join(directory, "objects")) and os.path.isdir(os.path.join(directory, "refs"))
    )


def _pointed_to(directory: str, pointer: str) -> str:
    """The common directory behind a ``.git`` file (a worktree, a submodule, a repository kept elsewhere)."""
    text = _one_path(pointer)
    if not text.startswith("gitdir:"):
        return ""
    git_dir = os.path.join(directory, text.removeprefix("gitdir:").strip())
    if _is_git_dir(git_dir):
        return _common_dir(git_dir)
    above, name = os.path.split(os.path.dirname(os.path.normpath(git_dir)))
    return above if name == "worktrees" else ""     # the main checkout is gone: it keeps its identity by its path


def _common_dir(git_dir: str) -> str:
    text = _one_path(os.path.join(git_dir, "commondir"))
    return os.path.realpath(os.path.join(git_dir, text) if text else git_dir)


def _one_path(path: str) -> str:
    """The path in one of git's pointer files; "" when there is none that could be one."""
    data = files.read(path, limit=POINTER_LIMIT_BYTES)
    if isinstance(data, files.Unread) or b"\0" in data:
        return ""
    return os.fsdecode(data).strip("\r\n ")


def _settings(common_dir: str) -> tuple[str, str]:
    """(``core.worktree`` as an absolute path, the address of ``origin``, else of the first remote) of a repository."""
    data = files.read(os.path.join(common_dir, "config"), limit=CONFIG_LIMIT_BYTES) if common_dir else b""
    worktree = ""
    remotes: dict[str, str] = {}
    section = ""
    for line in [] if isinstance(data, files.Unread) else data.splitlines():
        text = os.fsdecode(line).strip()
        if text.startswith("["):
            section = text.partition("]")[0][1:].strip()
            continue
        name, _, value = text.partition("=")
        key = name.strip().lower()
        if key == "worktree" and section.lower() == "core":
            worktree = os.path.join(common_dir, _unquoted(value))
        elif key == "url" and section[:6].lower() == "remote":
            remotes.setdefault(section[6:].strip().strip('"'), _unquoted(value))
    try:
        worktree = worktree and os.path.realpath(worktree)
    except (OSError, ValueError):
        worktree = ""
    return worktree, remotes.get("origin") or next(iter(remotes.values()), "")


def _unquoted(value: str) -> str:
    """A value of a git configuration without its quotes and the comment behind it."""
    kept: list[str] = []
    quoted = escaped = False
    for c in value.strip():
        if escaped:
            kept.append(c)
            escaped = False
        elif c == "\\":
            escaped = True
        elif c == '"':
            quoted = not quoted
        elif c in "#;" and not quoted:
            break
        else:
            kept.append(c)
    return "".join(kept).strip()
