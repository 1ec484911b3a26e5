"""The only way in which readers touch the disk: nothing that is not a plain file is ever opened, and every problem has a name.

A transcript folder may hold anything: a directory where a file is expected, a FIFO that would block for ever, a device, a
link that leads back to itself, a file of another user. ``CannotRead`` carries the name of what is in the way; ``cannot_read``
gives the names for what the operating system says.
"""

# Paths are texts in a transcript, and a home folder holds thousands of them: os.path, not pathlib.
# ruff: noqa: PTH114, PTH116, PTH118
from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, BinaryIO

import msgspec

from reverie.core.session import Unreadable

HEAD_BYTES = 64 * 1024          # read to recognise a file and to find its directory: one page of most transcripts
SMALL_FILE_BYTES = 4 << 20      # a state file larger than this is none

_REASONS = {
    errno.EACCES: "permission_denied",
    errno.EPERM: "permission_denied",
    errno.ELOOP: "symlink_loop",
    errno.ENOENT: "not_found",
    errno.ENOTDIR: "not_a_directory",
    errno.EISDIR: "is_a_directory",
    errno.ENAMETOOLONG: "name_too_long",
    errno.EMFILE: "too_many_open_files",
    errno.EIO: "input_output_error",
}


class CannotRead(Exception):
    """Something on disk cannot be read as what it should be; ``reason`` is the name, ``detail`` is for a person."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail


def cannot_read(error: OSError | ValueError) -> CannotRead:
    """What an error of the operating system stands for. A path with a NUL byte is a ``ValueError``."""
    if isinstance(error, OSError):
        return CannotRead(_REASONS.get(error.errno or 0, "unreadable"), error.strerror or str(error))
    return CannotRead("bad_path", str(error))


def unreadable(host: str, path: str, problem: CannotRead) -> Unreadable:
    """A problem as a result for whoever asked."""
    return Unreadable(host=host, path=path, reason=problem.reason, detail=problem.detail)


def look(path: str) -> os.stat_result:
    """What is there, links followed. Raises ``CannotRead``."""
    try:
        return os.stat(path)
    except (OSError, ValueError) as error:
        if isinstance(error, FileNotFoundError) and os.path.islink(path):
            raise CannotRead("dangling_symlink", f"the link {path!r} leads nowhere") from error
        raise cannot_read(error) from error


def _must_be_plain(path: str, found: os.stat_result) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise CannotRead("is_a_directory", f"{path!r} is a directory where a file is expected")
    if not stat.S_ISREG(found.st_mode):
        raise CannotRead("not_a_plain_file", f"{path!r} is a pipe, socket or device; it was not opened")


def open_plain(path: str) -> BinaryIO:
    """Open a plain file for reading, unbuffered. Looked at before it is opened, so that a FIFO never blocks, and after,
    in case it was exchanged. Raises ``CannotRead``."""
    _must_be_plain(path, look(path))
    try:
        handle = open(path, "rb", buffering=0, opener=_opener)  # noqa: SIM115 - the caller closes it
    except (OSError, ValueError) as error:
        raise cannot_read(error) from error
    try:
        _must_be_plain(path, os.fstat(handle.fileno()))
    except CannotRead:
        handle.close()
        raise
    return handle


def _opener(path: str, flags: int) -> int:
    # Windows knows no O_NONBLOCK; without it the exchange of a file for a FIFO in between could block.
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))


def head(path: str, size: int = HEAD_BYTES) -> bytes:
    """The first bytes of a plain file. Raises ``CannotRead``."""
    with open_plain(path) as handle:
        return read_fully(handle, size)


def read_fully(handle: BinaryIO, size: int) -> bytes:
    """``size`` bytes, or what there is: an unbuffered read may give fewer than asked. Raises ``CannotRead``."""
    pieces = []
    try:
        while size > 0 and (piece := handle.read(size)):
            pieces.append(piece)
            size -= len(piece)
    except (OSError, ValueError) as error:
        raise cannot_read(error) from error
    return b"".join(pieces)


def small_json(path: str) -> Any:
    """The value of a small JSON file, or None when it is absent, broken or too large: it is a hint, nothing hangs on it."""
    try:
        if look(path).st_size > SMALL_FILE_BYTES:
            return None
        return msgspec.json.decode(head(path, SMALL_FILE_BYTES))
    except (CannotRead, ValueError, RecursionError):
        return None


def listing(host: str, path: str, *, wanted: bool = False) -> Iterator[os.DirEntry[str] | Unreadable]:
    """The entries of a directory by name. A directory that is not there is empty, unless it was ``wanted``."""
    try:
        with os.scandir(path) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
    except FileNotFoundError as error:
        if wanted or os.path.islink(path):
            yield unreadable(host, path, CannotRead("not_found" if wanted else "dangling_symlink", str(error.strerror)))
        return
    except (OSError, ValueError) as error:
        yield unreadable(host, path, cannot_read(error))
        return
    yield from found


def folders(host: str, path: str) -> Iterator[str | Unreadable]:
    """The folders in a directory, links followed; plain files between them are none of our business."""
    for entry in listing(host, path):
        if isinstance(entry, Unreadable):
            yield entry
        elif is_folder(entry.path):
            yield entry.path


def is_folder(path: str) -> bool:
    """Whether a folder is there, links followed; a link that leads back to itself is none."""
    try:
        return stat.S_ISDIR(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def is_plain(path: str) -> bool:
    """Whether a plain file is there, links followed."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def place(environment_value: str | None, home: str, *default: str) -> str:
    """A product's folder: what its environment variable names (``~`` is ``home``), else the default below ``home``."""
    value = (environment_value or "").strip()
    if not value:
        return os.path.join(home, *default)
    if value == "~" or value.startswith(("~/", "~\\")):
        return os.path.join(home, value[2:])
    return os.path.join(home, value)


def at_millis(value: object) -> datetime | None:
    """A time in milliseconds since the epoch, as UTC; None for what is none."""
    return at_seconds(value / 1000) if isinstance(value, (int, float)) else None


def at_seconds(value: object) -> datetime | None:
    """A time in seconds since the epoch, as UTC; None for what is none."""
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return None
    try:
        return datetime.fromtimestamp(value, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def at_text(value: str | None) -> datetime | None:
    """A time in ISO 8601, as UTC; without an offset it is taken for UTC. None for what is none."""
    try:
        found = datetime.fromisoformat(value)  # type: ignore[arg-type]  # None is a TypeError, and rare
        if found.tzinfo is UTC:
            return found
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (TypeError, ValueError, OverflowError):
        return None
