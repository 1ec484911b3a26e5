"""What a dream leaves on the disk beside the memories: its lock, its notes, and the times of the files it wrote.

The products' locks are files with a process id in them, judged by age and by whether the process lives (spec/claude-code
§8, spec/qwen-code §11.2). They last for the whole dream; the home's own lock is held only for a moment, also here:
whoever looks at such a file and then takes it does both within ``home.lock``.
"""

# Paths are strings in storage:
# ruff: noqa: PTH103, PTH108, PTH118, PTH119, PTH120

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from reverie.storage import files, writing
from reverie.storage.writing import System, Write

MOST_BYTES = 1 << 20                    # of a lock or a note; more is none of ours
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Note:
    """A small file: its bytes and its time."""

    __slots__ = ("at", "data")

    def __init__(self, data: bytes, at: datetime) -> None:
        self.data = data
        self.at = at


def read(path: str) -> Note | None:
    """A note, None when there is none; what is there and cannot be read counts as an empty one."""
    loaded = files.load(path, root=os.path.dirname(path), limit=MOST_BYTES)
    if isinstance(loaded, files.Unread):
        return None if loaded.reason in ("missing", "not_a_folder") else Note(b"", _EPOCH)
    try:
        at = _EPOCH + timedelta(microseconds=loaded.status.st_mtime_ns // 1_000)
    except OverflowError:
        at = _EPOCH
    return Note(loaded.data, at)


def put(path: str, data: bytes, at: datetime | None = None) -> None:
    """Write a note, all of it or nothing, with this time (None: now). ``StoreUnavailable`` when it cannot be."""
    system = System()
    beside = writing.temporary(path, os.path.basename(path), 0)     # the same each time: what a dead process left goes
    write = Write(path, data, mtime_ns=None if at is None else _ns(at))
    try:
        writing.stage_one(system, write, beside)
        writing.put_in_place(system, write, beside)
    finally:
        if os.path.lexists(beside):
            os.unlink(beside)


def scaffold(folder: str) -> None:
    """Make the folder in which notes lie, for its owner alone. ``StoreUnavailable`` when it cannot be."""
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    except OSError as error:
        raise files.unavailable(error, folder, "made") from error


def remove(path: str) -> None:
    """Take a note away, if it is there."""
    writing.put_in_place(System(), Write(path, None), path)


def set_times(root: str, times: Mapping[str, datetime]) -> None:
    """Give files below a folder the times they should have. One that is gone, or may not be touched, keeps its own:
    a time is worth no failure."""
    for path, at in times.items():
        full = os.path.join(root, path)
        try:
            if stat.S_ISREG(os.lstat(full).st_mode):
                os.utime(full, ns=(_ns(at), _ns(at)))
        except (OSError, OverflowError, ValueError):
            continue


def _ns(at: datetime) -> int:
    return (at - _EPOCH) // timedelta(microseconds=1) * 1_000


def alive(pid: int) -> bool:
    """Whether a process with this id exists, whoever's it is."""
    if sys.platform == "win32":         # there, signal 0 is Ctrl-C
        import ctypes

        handle = ctypes.windll.kernel32.OpenProcess(0x1000, False, pid)     # PROCESS_QUERY_LIMITED_INFORMATION
        if not handle:
            return bool(ctypes.GetLastError() == 5)     # access denied: it is there
        code = ctypes.c_ulong()
        known = ctypes.windll.kernel32.GetExitCodeProcess(handle, ctypes.byref(code))
        ctypes.windll.kernel32.CloseHandle(handle)
        return not known or code.value == 259           # STILL_ACTIVE
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return True
