"""Files are looked at here: read with a limit, listed, every failure in words (``writing`` changes them).

Invariants, held by ``tests/storage/test_files.py``:

- No symbolic link leads a read or a write out of the store: a hostile repository may hold links.
- Nothing blocks: pipes, devices and sockets are refused by name, and so is a file that is too large for a memory.
- What cannot be read is named and passed over; only a store that cannot be listed at all is an error.

This module is on the path of the hooks, which start a process per prompt: no pathlib, no dataclasses, no typing.
"""

# pathlib costs a hook 16 ms:
# ruff: noqa: PTH100, PTH112, PTH114, PTH116, PTH118, PTH119, PTH120, PTH206

from __future__ import annotations

import errno
import os
import stat

from reverie.errors import StoreUnavailable

READ_LIMIT_BYTES = 16 * 1024 * 1024     # the largest memory file seen in the wild is below 1 MB; a log is above this
FILE_LIMIT = 100_000                    # the design's largest store
DEPTH_LIMIT = 24                        # deeper than any layout; a tree without end is cut here
TEMPORARY = ".reverie-tmp"              # what our files beside a target end in; stores do not see them

_CLOSE_ON_EXEC = getattr(os, "O_CLOEXEC", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
_BINARY = getattr(os, "O_BINARY", 0)

_WORDS = {
    errno.ENOSPC: "the disk is full; free some space and try again",
    errno.EDQUOT: "the disk quota is used up; free some space and try again",
    errno.EFBIG: "the file would become larger than this account or file system allows",
    errno.EROFS: "the file system is read-only",
    errno.EACCES: "permission denied: for this user it is read-only or closed",
    errno.EPERM: "permission denied: for this user it is read-only or closed",
    errno.ENOTDIR: "a file is in the way where a folder should be",
    errno.EEXIST: "something else is in the way there",
    errno.EISDIR: "a folder is in the way where a file should be",
    errno.ENOTEMPTY: "a folder is in the way where a file should be",
    errno.ELOOP: "symbolic links lead in a circle, or a link is where none may be",
    errno.ENAMETOOLONG: "the name is too long for the file system",
    errno.ENOENT: "it is not there (any more)",
    errno.EIO: "the disk reports an error",
    errno.EMFILE: "too many files are open",
    errno.ENFILE: "too many files are open",
    errno.ETXTBSY: "another program uses it",
    errno.EBUSY: "another program uses it",
}

_REASONS = {
    errno.ENOENT: "missing",
    errno.EACCES: "permission_denied",
    errno.EPERM: "permission_denied",
    errno.ELOOP: "symlink_loop",
    errno.ENOTDIR: "not_a_folder",
    errno.EISDIR: "folder",
    errno.ENXIO: "fifo",                # a pipe or socket without a partner
    errno.ENAMETOOLONG: "name_too_long",
}


def unavailable(error: OSError, path: str, doing: str) -> StoreUnavailable:
    """What went wrong with a file, for a person. ``doing`` is a participle: "written", "read", "opened"."""
    words = _WORDS.get(error.errno or 0) or error.strerror or str(error)
    if error.errno in (errno.ENOTDIR, errno.EEXIST):
        words += f" ({in_the_way(path)!r})"
    return StoreUnavailable(f"{printable(path)!r} cannot be {doing}: {words}.")


def in_the_way(path: str) -> str:
    """The first part of a path that exists and is no folder."""
    parts = os.path.abspath(path).split(os.sep)
    for count in range(2, len(parts) + 1):
        part = os.sep.join(parts[:count])
        if os.path.lexists(part) and not os.path.isdir(part):
            return printable(part)
    return printable(path)


def printable(path: str) -> str:
    """A path that can be printed and stored: bytes that are no UTF-8 are shown as escapes."""
    return path.encode("utf-8", "backslashreplace").decode()


class Stamp:
    """What tells cheaply that a file is still the same: its size, the times of its last change, its inode.

    ``ctime_ns`` cannot be set back as the other time can; 0 when it is not known.
    """

    __slots__ = ("ctime_ns", "inode", "mtime_ns", "size")

    def __init__(self, size: int, mtime_ns: int, inode: int, ctime_ns: int = 0) -> None:
        self.size = size
        self.mtime_ns = mtime_ns
        self.inode = inode
        self.ctime_ns = ctime_ns

    def _key(self) -> tuple[int, int, int, int]:
        return self.size, self.mtime_ns, self.inode, self.ctime_ns

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stamp) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return "Stamp(size={}, mtime_ns={}, inode={}, ctime_ns={})".format(*self._key())


def stamp(path: str) -> Stamp | None:
    """A file's stamp, None when it is not there or cannot be looked at."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return stamp_of(status)


def stamp_of(status: os.stat_result) -> Stamp:
    """The stamp in a file's status. Inodes of some file systems do not fit SQLite's signed 64 bits."""
    return Stamp(status.st_size, status.st_mtime_ns, status.st_ino & 0x7FFF_FFFF_FFFF_FFFF, status.st_ctime_ns)


class Unread:
    """A file that was not read: ``reason`` is a name one can search for, ``detail`` for a person."""

    __slots__ = ("detail", "reason")

    def __init__(self, reason: str, detail: str = "") -> None:
        self.reason = reason
        self.detail = detail

    def __repr__(self) -> str:
        return f"Unread({self.reason!r}, {self.detail!r})"


class Loaded:
    """A file's bytes and its status when they were read."""

    __slots__ = ("data", "status")

    def __init__(self, data: bytes, status: os.stat_result) -> None:
        self.data = data
        self.status = status


def read(path: str, *, root: str = "", limit: int = READ_LIMIT_BYTES) -> bytes | Unread:
    """A file's bytes; see ``load``."""
    loaded = load(path, root=root, limit=limit)
    return loaded if isinstance(loaded, Unread) else loaded.data


def load(path: str, *, root: str = "", limit: int = READ_LIMIT_BYTES) -> Loaded | Unread:
    """A regular file of at most ``limit`` bytes. With ``root``, symbolic links may not lead out of that folder."""
    try:
        refusal = _refusal(os.stat(path), limit)        # before opening: opening a device may already do something
        if refusal is not None:
            return refusal
        if root and os.path.islink(path) and not within(os.path.realpath(path), os.path.realpath(root)):
            return Unread("symlink_outside", "a symbolic link leads out of the store")
        handle = os.open(path, os.O_RDONLY | _NO_WAIT | _CLOSE_ON_EXEC | _BINARY)
    except OSError as error:
        return _unread(error)
    except ValueError as error:                         # a NUL, or letters that no file name can have
        return Unread("name_not_allowed", str(error))
    try:
        status = os.fstat(handle)
        return _refusal(status, limit) or _all(handle, status, limit)
    except OSError as error:
        return _unread(error)
    finally:
        os.close(handle)


def _all(handle: int, status: os.stat_result, limit: int) -> Loaded | Unread:
    parts: list[bytes] = []
    held = 0
    while chunk := os.read(handle, min(1 << 20, limit + 1 - held)):
        parts.append(chunk)
        held += len(chunk)
        if held > limit:                                # it grows, or its size was a lie (as under /proc)
            return Unread("too_large", f"more than {limit} bytes")
    return Loaded(b"".join(parts), status)


def _refusal(status: os.stat_result, limit: int) -> Unread | None:
    mode = status.st_mode
    if stat.S_ISREG(mode):
        return Unread("too_large", f"{status.st_size} of at most {limit} bytes") if status.st_size > limit else None
    for name, matches in (("folder", stat.S_ISDIR), ("fifo", stat.S_ISFIFO), ("socket", stat.S_ISSOCK)):
        if matches(mode):
            return Unread(name, "not a regular file")
    return Unread("device", "not a regular file")


def _unread(error: OSError) -> Unread:
    return Unread(_REASONS.get(error.errno or 0, "io_error"), error.strerror or str(error))


def within(path: str, root: str) -> bool:
    """Whether a path is a folder or lies below it; both absolute and free of links and dots."""
    return path == root or path.startswith(root if root.endswith(os.sep) else root + os.sep)


class Scan:
    """The regular files below a folder ("/" between the parts), which of them are symbolic links to others, and what was
    passed over: path to reason."""

    __slots__ = ("files", "links", "skipped")

    def __init__(self) -> None:
        self.files: dict[str, Stamp] = {}
        self.links: set[str] = set()
        self.skipped: dict[str, Unread] = {}

    def same_as(self, other: Scan) -> bool:
        """Whether nothing seems to have changed between two listings."""
        return self.files == other.files and self.skipped.keys() == other.skipped.keys()


def scan(root: str, *, limit: int = READ_LIMIT_BYTES) -> Scan:
    """Every file of a store, without reading one. A missing folder is empty; one that cannot be listed raises
    ``StoreUnavailable``. ``.git`` and our own temporary files are not the store's."""
    found = Scan()
    try:
        _walk(root, "", 0, found, limit)
    except FileNotFoundError:
        if os.path.lexists(root):
            raise unavailable(OSError(errno.ELOOP, ""), root, "opened") from None
    except OSError as error:
        raise unavailable(error, root, "listed") from error
    except ValueError as error:
        raise StoreUnavailable(f"{printable(root)!r} cannot be the name of a folder: {error}.") from error
    return found


def _walk(root: str, prefix: str, depth: int, found: Scan, limit: int) -> None:
    with os.scandir(os.path.join(root, prefix) if prefix else root) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            path = prefix + entry.name
            if entry.name == ".git" or entry.name.endswith(TEMPORARY):
                continue
            try:
                path.encode()
                _look_at(entry, root, path, depth, found, limit)
            except UnicodeEncodeError:
                found.skipped[printable(path)] = Unread("name_not_utf8")
            except OSError as error:
                found.skipped[path] = _unread(error)
            if len(found.files) >= FILE_LIMIT:
                found.skipped[path] = Unread("too_many_files", f"files after the first {FILE_LIMIT} are not looked at")
                return


def _look_at(entry: os.DirEntry[str], root: str, path: str, depth: int, found: Scan, limit: int) -> None:
    if entry.is_symlink():
        if not within(os.path.realpath(entry.path, strict=True), os.path.realpath(root)):
            found.skipped[path] = Unread("symlink_outside", "a symbolic link leads out of the store")
            return
        if entry.is_dir():                              # its files are found under their own name; a circle never ends
            found.skipped[path] = Unread("symlink_to_folder", "links to folders are not followed inside a store")
            return
        found.links.add(path)
    if entry.is_dir():
        if depth >= DEPTH_LIMIT:
            found.skipped[path] = Unread("too_deep", f"more than {DEPTH_LIMIT} folders in one another")
        else:
            _walk(root, path + "/", depth + 1, found, limit)
        return
    status = entry.stat()
    refusal = _refusal(status, limit)
    if refusal is None and not (status.st_mode & 0o444 and os.access(entry.path, os.R_OK)):
        refusal = Unread("permission_denied", "this user may not read it")
    if refusal is not None:
        found.skipped[path] = refusal
    else:
        found.files[path] = stamp_of(status)


def check_name(path: str) -> None:
    """``StoreUnavailable`` for a path that no file can have, or that could not be written down in UTF-8."""
    if "\0" in path:
        raise StoreUnavailable(f"{path!r} cannot be the name of a file: it holds a NUL.")
    try:
        path.encode()
    except UnicodeEncodeError:
        raise StoreUnavailable(f"{printable(path)!r} cannot be the name of a file: it is no valid UTF-8.") from None


def target_of(path: str, root: str) -> str:
    """Where a write to ``path`` lands when links are followed; ``StoreUnavailable`` when that is outside ``root``."""
    check_name(path)
    try:
        real_root = os.path.realpath(root)
        folder = os.path.realpath(os.path.dirname(path))
        target = os.path.join(folder, os.path.basename(path))
        if os.path.islink(target):
            target = os.path.realpath(target, strict=True)
    except OSError as error:
        raise unavailable(error, path, "written") from error
    if not within(target, real_root) or target == real_root:
        raise StoreUnavailable(
            f"{printable(path)!r} cannot be written: it lies outside its store {printable(root)!r}, or a symbolic link "
            f"leads out of it to {printable(target)!r}. Remove the link, or put the file itself there.")
    return target
