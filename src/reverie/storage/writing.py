"""Files are changed here: new bytes beside the old ones, forced to the disk, renamed.

A reader sees the old bytes or the new ones, never a part. The folders are forced to the disk last, once for all files
of a batch. Each operation that changes the disk passes through ``System``, the one seam where tests let an operation
fail or the process die. Deciding what is written where, and repairing after a death, is the journal's business.
"""

# pathlib costs a hook 16 ms:
# ruff: noqa: PTH102, PTH105, PTH106, PTH108, PTH112, PTH114, PTH118, PTH120

from __future__ import annotations

import os

from reverie.errors import StoreUnavailable
from reverie.storage.files import TEMPORARY, unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

FOLDER_MODE = 0o700
FILE_MODE = 0o600                       # memories are personal; a file that exists keeps the mode that its user gave it

_WINDOWS = os.name == "nt"
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_CLOSE_ON_EXEC = getattr(os, "O_CLOEXEC", 0)
_BINARY = getattr(os, "O_BINARY", 0)


class System:
    """Each operation that changes the disk, by itself: the seam for tests that let one fail, or the process die."""

    def make_folder(self, path: str) -> None:
        os.mkdir(path, FOLDER_MODE)

    def create(self, path: str, mode: int) -> int:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW | _CLOSE_ON_EXEC | _BINARY, FILE_MODE)
        if mode != FILE_MODE and not _WINDOWS:
            os.fchmod(handle, mode)
        return handle

    def write(self, handle: int, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(handle, view) :]

    def force(self, handle: int) -> None:
        os.fsync(handle)

    def set_time(self, path: str, mtime_ns: int) -> None:
        os.utime(path, ns=(mtime_ns, mtime_ns))

    def rename(self, source: str, target: str) -> None:
        os.replace(source, target)

    def remove(self, path: str) -> None:
        os.unlink(path)

    def force_folder(self, path: str) -> None:
        if _WINDOWS:                                    # a folder cannot be opened there; NTFS journals its renames
            return
        handle = os.open(path, os.O_RDONLY | _CLOSE_ON_EXEC)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def reached(self, step: str) -> None:
        """A step of a database transaction: nothing happens here but what a test makes happen."""


class Write:
    """What one file is to become: its bytes (None: it goes), its mode, its time (None: now)."""

    __slots__ = ("data", "mode", "mtime_ns", "path")

    def __init__(self, path: str, data: bytes | None, mode: int = FILE_MODE, mtime_ns: int | None = None) -> None:
        self.path = path
        self.data = data
        self.mode = mode
        self.mtime_ns = mtime_ns


def make_folders(system: System, path: str) -> list[str]:
    """Make a folder and those above it, 0700; the folders whose lists of names changed, to be forced to the disk."""
    missing: list[str] = []
    while path and not os.path.isdir(path):
        missing.append(path)
        path = os.path.dirname(path)
    changed: list[str] = []
    for folder in reversed(missing):
        try:
            system.make_folder(folder)
        except FileExistsError:
            if not os.path.isdir(folder):               # another process was quicker, or a file is there
                raise
        changed.append(os.path.dirname(folder))
    return changed


def remove_empty_folders(path: str, root: str) -> None:
    """Take away the folder at ``path`` with the empty folders in it, and those above it below ``root``, as far as they
    are empty. What holds anything, a link, and what may not be removed stays: nothing depends on it."""
    above = os.path.dirname(path)
    straight = os.path.normpath(os.path.join(os.path.realpath(root), os.path.relpath(above, root)))
    if os.path.realpath(above) != straight:             # a link on the way: not ours to tidy up
        return
    try:
        if os.path.isdir(path) and not os.path.islink(path):
            for folder, _, _ in os.walk(path, topdown=False):
                os.rmdir(folder)
    except OSError:
        return
    while (path := os.path.dirname(path)) != root and path.startswith(root):
        try:
            os.rmdir(path)
        except OSError:
            return


def temporary(target: str, tag: str, place: int) -> str:
    """The file beside a target that holds its new bytes first. The tag makes leftovers of a dead process findable."""
    return os.path.join(os.path.dirname(target), f".{tag}-{place}{TEMPORARY}")


def stage(system: System, writes: Sequence[Write], tag: str) -> list[str]:
    """Write the new bytes beside their targets and force them to the disk; no target changes.

    Returns the folders to be forced to the disk afterwards. When it fails, the temporary files are gone again.
    """
    changed: list[str] = []
    try:
        for place, write in enumerate(writes):
            changed += stage_one(system, write, temporary(write.path, tag, place))
    except StoreUnavailable:
        unstage(system, writes, tag)
        raise
    return changed


def stage_one(system: System, write: Write, beside: str) -> list[str]:
    """Write one target's new bytes beside it; the folders that got a new entry."""
    if write.data is None:
        return []
    try:
        changed = make_folders(system, os.path.dirname(write.path))
        _stage(system, write, beside)
    except OSError as error:
        raise unavailable(error, write.path, "written") from error
    return changed


def _stage(system: System, write: Write, beside: str) -> None:
    try:
        handle = system.create(beside, write.mode)
    except FileExistsError:                             # left by a process that died
        system.remove(beside)
        handle = system.create(beside, write.mode)
    try:
        system.write(handle, write.data or b"")
        system.force(handle)
    finally:
        os.close(handle)
    if write.mtime_ns is not None:
        system.set_time(beside, write.mtime_ns)


def unstage(system: System, writes: Iterable[Write], tag: str) -> None:
    """Take the temporary files away again, those that are there."""
    for place, write in enumerate(writes):
        beside = temporary(write.path, tag, place)
        if os.path.lexists(beside):
            try:
                system.remove(beside)
            except OSError:                             # it stays, hidden from the store; the next repair tries again
                continue


def put_in_place(system: System, write: Write, beside: str) -> None:
    """Give one target its new bytes, or take it away."""
    try:
        if write.data is not None:
            system.rename(beside, write.path)
        else:
            system.remove(write.path)
    except FileNotFoundError as error:
        if write.data is not None:
            raise unavailable(error, write.path, "written") from error
    except OSError as error:
        raise unavailable(error, write.path, "written" if write.data is not None else "removed") from error


def force_folders(system: System, folders: Iterable[str]) -> None:
    """Force the names in these folders to the disk, each once."""
    for folder in sorted(set(folders)):
        try:
            system.force_folder(folder)
        except FileNotFoundError:                       # removed meanwhile, and the names with it
            continue
        except OSError as error:
            raise unavailable(error, folder, "written") from error
