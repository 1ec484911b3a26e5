"""A staging copy: a store's files in a folder of one run, where a consolidator may do what it likes.

The copy lies in the home, never in the store, and only this module touches it. A path from outside is judged by its letters
alone (no ``..``, nothing absolute, nothing hidden), then by what lies there: a link is never followed. What a dead run left
behind is taken away by the next one.
"""

from __future__ import annotations

import os
import re
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from reverie.core.layout import File
from reverie.errors import ReverieError
from reverie.storage import workspace
from reverie.storage.baseline import OUTSIDE

FOLDER = "staging"                      # in the home
FILE_BYTES = 1 << 20                    # of one file: what a layout reads (``layouts.files``)
WRITTEN_BYTES = 16 << 20                # of one run, all writes together: an endless loop fills no disk
MOST_FILES = 2_000                      # new ones
LONGEST_PATH = 400
DEEPEST = 8
_NAME = re.compile(r"[^\x00-\x1f\x7f/\\:*?\"<>|]{1,200}")


class OutOfBounds(ReverieError):
    """A path or a size that a staging copy does not take."""


@contextmanager
def copy_of(folder: Mapping[str, File], *, home: str, prefix: str) -> Iterator[Copy]:
    """A copy of a store's files, gone when the run is over. Whoever makes it holds the store's lock for consolidating: what
    lies there under this prefix was left by a run that died."""
    above = Path(home, FOLDER)
    above.mkdir(mode=0o700, parents=True, exist_ok=True)
    for leftover in above.glob(f"{prefix}-*"):
        workspace.remove(leftover)
    with tempfile.TemporaryDirectory(prefix=f"{prefix}-", dir=above, ignore_cleanup_errors=True) as name:
        copy = Copy(Path(name, "memories"), scratch=Path(name))
        for path in folder:
            if path.partition("/")[0] not in OUTSIDE:
                copy.put(path, folder[path].data)
        yield copy


def unlinked(root: Path) -> list[str]:
    """Take the symbolic links out of a memory folder, as the product does (spec/codex §2); which they were. A link holds
    nothing of its own, and what it leads to stays."""
    gone = []
    for above, folders, names in os.walk(root):
        if Path(above) == root and ".git" in folders:
            folders.remove(".git")
        for name in [*folders, *names]:
            place = Path(above, name)
            if place.is_symlink():
                place.unlink()
                gone.append(place.relative_to(root).as_posix())
    return sorted(gone)


class Copy:
    """The files of one run. ``put`` and ``remove`` are ours; ``read``, ``write`` and ``paths`` take what a model says."""

    def __init__(self, root: Path, *, scratch: Path) -> None:
        self.root = root
        self.scratch = scratch
        self._written = 0
        self._new = 0
        root.mkdir(mode=0o700)

    def put(self, path: str, data: bytes | None) -> None:
        """Give a file these bytes; None takes it away."""
        target = self.root / path
        if data is None:
            target.unlink(missing_ok=True)
            return
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        target.write_bytes(data)

    def place(self, path: str) -> Path:
        """Where a path leads; ``OutOfBounds`` when that is nowhere in the copy."""
        parts = path.split("/")
        if not path or len(path) > LONGEST_PATH or len(parts) > DEEPEST:
            raise OutOfBounds(f"{path[:80]!r} is no path here: give one relative to the memory folder")
        if any(not _NAME.fullmatch(part) or part.startswith(".") or part.endswith((".", " ")) for part in parts):
            raise OutOfBounds(f"{path[:80]!r} is not allowed: plain names below the memory folder only, no '..', nothing "
                              "hidden, nothing absolute")
        place = self.root
        for part in parts:
            place = place / part
            if place.is_symlink():
                raise OutOfBounds(f"{path!r} is a symbolic link")
        return place

    def read(self, path: str) -> bytes | None:
        """A file's bytes, None when there is none."""
        place = self.place(path)
        if not place.is_file():
            return None
        if place.stat().st_size > 4 * FILE_BYTES and path != workspace.DIFF_FILE:
            raise OutOfBounds(f"{path!r} is too large to be read")
        return place.read_bytes()

    def write(self, path: str, data: bytes) -> None:
        """Write a file, within what one run may write."""
        place = self.place(path)
        if len(data) > FILE_BYTES:
            raise OutOfBounds(f"{path!r} would have {len(data):,} bytes; at most {FILE_BYTES:,} are allowed")
        if self._written + len(data) > WRITTEN_BYTES:
            raise OutOfBounds("this run has written as much as it may")
        if place.is_dir() or any(above.is_file() for above in place.parents if above != self.root and self.root in above.parents):
            raise OutOfBounds(f"{path!r} is in the way of a folder, or a folder of it")
        if not place.exists():
            self._new += 1
            if self._new > MOST_FILES:
                raise OutOfBounds("this run has made as many files as it may")
        self._written += len(data)
        self.put(path, data)

    def delete(self, path: str) -> bool:
        """Take a file away; False when there is none."""
        place = self.place(path)
        if not place.is_file():
            return False
        place.unlink()
        return True

    def paths(self) -> list[str]:
        """Every file that a model may look at, in order."""
        return [path for path, status in self._walk() if stat.S_ISREG(status.st_mode)]

    def folder(self) -> dict[str, File]:
        """The copy as layouts see it: all regular files but the diff."""
        found = {}
        for path, status in self._walk(hidden=True):
            if stat.S_ISREG(status.st_mode) and path != workspace.DIFF_FILE:
                found[path] = File((self.root / path).read_bytes(), datetime.fromtimestamp(status.st_mtime, UTC))
        return found

    def oddities(self) -> dict[str, str]:
        """What lies in the copy and is no plain file: path to what it is. An executable one counts, and a hidden one."""
        found = {}
        for path, status in self._walk(hidden=True):
            if stat.S_ISLNK(status.st_mode):
                found[path] = "a symbolic link"
            elif not stat.S_ISREG(status.st_mode):
                found[path] = "no regular file"
            elif status.st_mode & 0o111 and os.name != "nt":
                found[path] = "executable"
            elif any(part.startswith(".") for part in path.split("/")):
                found[path] = "hidden"
        return found

    def _walk(self, *, hidden: bool = False) -> Iterator[tuple[str, os.stat_result]]:
        for above, folders, names in os.walk(self.root):
            links = [name for name in folders if Path(above, name).is_symlink()]
            folders[:] = sorted(name for name in folders if name not in links and (hidden or not name.startswith(".")))
            for name in sorted([*names, *links]):
                if hidden or not name.startswith("."):
                    place = Path(above, name)
                    yield place.relative_to(self.root).as_posix(), place.lstat()
