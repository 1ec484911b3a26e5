"""Noticing, cheaper than by reading, that files of a folder are new, changed or gone: for derived indexes.

One pass over a folder gives a fingerprint of the names, times, sizes and inodes in it; equal to the last one, nothing
changed. A second change within the clock's grain can hide behind the same time and size: a file that was read so soon
after its change is *unsettled*, and compared by content until it cannot be. Whoever writes a file and can say so does
(``SearchIndex.invalidate``), for the times may also be set by hand.
"""

# pathlib costs a hook 16 ms:
# ruff: noqa: PTH118

from __future__ import annotations

import errno
import os
from zlib import crc32

from reverie.storage import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

DEEPEST = 8                     # folders in one another; the layouts have at most three
GRAIN_NS = 2_000_000_000        # the coarsest clock of a file system in use (FAT)
_REGULAR, _FOLDER, _KIND = 0o100000, 0o040000, 0o170000
_INODE = 0x7FFF_FFFF_FFFF_FFFF   # what SQLite's integers hold, as in files.Stamp


class Seen:
    """What one pass over a folder saw, in the order of the folder: lists of one entry a file, cheaper than objects."""

    __slots__ = ("inodes", "paths", "problems", "sizes", "times")

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.times: list[int] = []                      # last change, nanoseconds
        self.sizes: list[int] = []
        self.inodes: list[int] = []
        self.problems: list[tuple[str, str]] = []       # path, reason

    def fingerprint(self) -> str:
        """Another one when a file is new, gone, renamed, replaced, or has another time or size."""
        names = crc32("\0".join(self.paths).encode())
        # Numbers hash alike in every process of one Python; texts do not, and another Python only looks again.
        rest = hash((tuple(self.times), tuple(self.sizes), tuple(self.inodes))) & 0xFFFF_FFFF_FFFF_FFFF
        return f"{len(self.paths)}-{names:x}-{rest:x}"

    def rows(self) -> Iterator[tuple[str, int, int, int]]:
        """Path, size, time and inode of each file."""
        return zip(self.paths, self.sizes, self.times, self.inodes, strict=True)


def look(root: str) -> Seen:
    """Every regular file below ``root``. A folder that is not there is empty; what cannot be listed is a problem."""
    seen = Seen()
    _walk(root, "", 0, seen)
    return seen


def _walk(root: str, prefix: str, depth: int, seen: Seen) -> None:
    folders: list[str] = []
    try:
        with os.scandir(os.path.join(root, prefix) if prefix else root) as entries:
            for entry in entries:
                try:
                    status = entry.stat()
                except OSError as error:
                    seen.problems.append((files.printable(prefix + entry.name), _reason(error)))
                    continue
                name, kind = entry.name, status.st_mode & _KIND
                if not (name.isascii() or _is_text(name)):
                    seen.problems.append((files.printable(prefix + name), "name_not_utf8"))
                elif kind == _REGULAR:
                    seen.paths.append(prefix + name)
                    seen.times.append(status.st_mtime_ns)
                    seen.sizes.append(status.st_size)
                    seen.inodes.append(status.st_ino & _INODE)
                elif kind == _FOLDER and name != ".git" and not entry.is_symlink():
                    folders.append(name)
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        reason = _reason(error) if isinstance(error, OSError) else "name_not_allowed"
        seen.problems.append((prefix or root, reason))
        return
    for name in folders:
        if depth >= DEEPEST:
            seen.problems.append((prefix + name, "too_deep"))
        elif len(seen.paths) >= files.FILE_LIMIT:
            seen.problems.append((prefix + name, "too_many_files"))
        else:
            _walk(root, f"{prefix}{name}/", depth + 1, seen)


def _is_text(name: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in name)


_REASONS = {errno.EACCES: "permission_denied", errno.EPERM: "permission_denied", errno.ELOOP: "symlink_loop",
            errno.ENOENT: "missing", errno.ENOTDIR: "not_a_folder", errno.ENAMETOOLONG: "name_too_long"}


def _reason(error: OSError) -> str:
    return _REASONS.get(error.errno or 0, "io_error")


def settled(modified_ns: int, now_ns: int) -> bool:
    """Whether a file read now could not change again without another time. A time in the future is as good as any."""
    return abs(now_ns - modified_ns) >= GRAIN_NS
