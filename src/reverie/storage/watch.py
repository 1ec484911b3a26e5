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

DEEPEST = 8                     # folders in one another; the layouts have at most three
GRAIN_NS = 2_000_000_000        # the coarsest clock of a file system in use (FAT)
_REGULAR, _KIND = 0o100000, 0o170000


class Seen:
    """What one pass over a folder saw. ``rows`` are (path, modified_ns, size, inode), in the order of the folder."""

    __slots__ = ("fingerprint", "problems", "rows")

    def __init__(self) -> None:
        self.rows: list[tuple[str, int, int, int]] = []
        self.problems: list[tuple[str, str]] = []       # path, reason
        self.fingerprint = ""

    def stamps(self) -> dict[str, files.Stamp]:
        """Path to stamp."""
        return {path: files.Stamp(size, modified, inode & 0x7FFF_FFFF_FFFF_FFFF)
                for path, modified, size, inode in self.rows}


def look(root: str) -> Seen:
    """Every regular file below ``root``. A folder that is not there is empty; what cannot be listed is a problem."""
    seen = Seen()
    _walk(root, "", 0, seen)
    chain = 0
    for _, modified, size, inode in seen.rows:          # integers hash alike in every process, texts do not
        chain = hash((chain, modified, size, inode))
    names = crc32("\0".join([row[0] for row in seen.rows]).encode())
    seen.fingerprint = f"{len(seen.rows)}-{chain & 0xFFFF_FFFF_FFFF_FFFF:x}-{names:x}"
    return seen


def _walk(root: str, prefix: str, depth: int, seen: Seen) -> None:
    rows, folders = seen.rows, []
    try:
        with os.scandir(os.path.join(root, prefix) if prefix else root) as entries:
            for entry in entries:
                name = entry.name
                if entry.is_dir(follow_symlinks=False):
                    folders.append(name)
                    continue
                try:
                    status = entry.stat()
                except OSError as error:
                    seen.problems.append((prefix + files.printable(name), _reason(error)))
                    continue
                if not _is_text(name):
                    seen.problems.append((files.printable(prefix + name), "name_not_utf8"))
                elif status.st_mode & _KIND == _REGULAR and len(rows) < files.FILE_LIMIT:
                    rows.append((prefix + name, status.st_mtime_ns, status.st_size, status.st_ino))
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        reason = _reason(error) if isinstance(error, OSError) else "name_not_allowed"
        seen.problems.append((prefix or root, reason))
        return
    for name in folders:
        if name == ".git":
            continue
        if not _is_text(name):
            seen.problems.append((files.printable(prefix + name), "name_not_utf8"))
        elif depth >= DEEPEST:
            seen.problems.append((prefix + name, "too_deep"))
        else:
            _walk(root, f"{prefix}{name}/", depth + 1, seen)


def _is_text(name: str) -> bool:
    return name.isascii() or not any("\ud800" <= character <= "\udfff" for character in name)


_REASONS = {errno.EACCES: "permission_denied", errno.EPERM: "permission_denied", errno.ELOOP: "symlink_loop",
            errno.ENOENT: "missing", errno.ENOTDIR: "not_a_folder", errno.ENAMETOOLONG: "name_too_long"}


def _reason(error: OSError) -> str:
    return _REASONS.get(error.errno or 0, "io_error")


def settled(modified_ns: int, now_ns: int) -> bool:
    """Whether a file read now could not change again without another time. A time in the future is as good as any."""
    return abs(now_ns - modified_ns) >= GRAIN_NS
