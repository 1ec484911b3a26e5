"""A folder as a mapping of paths to files, for the layouts: listed at once, read lazily, kept while unchanged."""

# ruff: noqa: PTH118 - paths are strings in storage: pathlib costs a hook 16 ms

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta

from reverie.core.layout import File
from reverie.errors import StoreUnavailable
from reverie.storage import files
from reverie.storage.files import Scan, Stamp, Unread

CACHE_BYTES = 64 * 1024 * 1024          # what one store keeps of its files in memory
# A file changed again within the grain of its time looks the same. The grain of most file systems is a tick of the
# kernel, at most 10 ms; some keep whole seconds only, FAT two.
GRAIN_NS = 50_000_000
COARSE_GRAIN_NS = 2_100_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class DiskFolder(Mapping[str, File]):
    """A folder's files of one moment, read when asked for. An unchanged file is the same ``File`` object again."""

    def __init__(self, root: str, scan: Scan, kept: dict[str, tuple[Stamp, File]]) -> None:
        self.scan = scan
        self._root = root
        self._kept = kept
        self._held = sum(len(file.data) for _, file in kept.values())
        self._read: dict[str, File] = {}
        self._listed_ns = time.time_ns()        # compared with the times of files, which the kernel's clock gives
        self.cacheable = True

    def __getitem__(self, path: str) -> File:
        if path in self._read:
            return self._read[path]
        stamp = self.scan.files[path]
        kept = self._kept.get(path)
        if kept is not None and kept[0] == stamp:
            return kept[1]
        loaded = files.load(os.path.join(self._root, path), root=self._root)
        if isinstance(loaded, Unread):
            raise Unreadable(path, loaded)
        file = File(loaded.data, _time(loaded.status.st_mtime_ns))
        self._read[path] = file
        if self._settled(stamp) and files.stamp_of(loaded.status) == stamp and self._held < CACHE_BYTES:
            self._kept[path] = (stamp, file)
            self._held += len(file.data)
        else:
            self.cacheable = False
        return file

    def __iter__(self) -> Iterator[str]:
        return iter(list(self.scan.files))

    def __len__(self) -> int:
        return len(self.scan.files)

    def __contains__(self, path: object) -> bool:
        return path in self.scan.files

    def leave_out(self, path: str, unread: Unread) -> None:
        """Go on without a file that turned out to be unreadable."""
        self.scan.files.pop(path, None)
        self.scan.skipped[path] = unread
        self.cacheable = False

    def _settled(self, stamp: Stamp) -> bool:
        """Whether a later change of the file would show in its stamp."""
        grain = COARSE_GRAIN_NS if stamp.mtime_ns % 1_000_000_000 == 0 else GRAIN_NS
        return max(stamp.mtime_ns, stamp.ctime_ns) < self._listed_ns - grain


class Overlay(Mapping[str, File]):
    """A folder as it will be when some files have other bytes (None: gone)."""

    def __init__(self, folder: Mapping[str, File], changed: Mapping[str, bytes | None], now: datetime) -> None:
        self._folder = folder
        self._new = {path: File(data, now) for path, data in changed.items() if data is not None}
        self._paths = dict.fromkeys(sorted({*folder, *self._new} - {path for path, data in changed.items() if data is None}))

    def __getitem__(self, path: str) -> File:
        if path not in self._paths:
            raise KeyError(path)
        return self._new[path] if path in self._new else self._folder[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


class Unreadable(StoreUnavailable):
    """A file could be listed and not be read."""

    def __init__(self, path: str, unread: Unread) -> None:
        super().__init__(f"{path!r} cannot be read: {unread.reason.replace('_', ' ')} ({unread.detail}).")
        self.path = path
        self.unread = unread


def _time(mtime_ns: int) -> datetime:
    try:
        return _EPOCH + timedelta(microseconds=mtime_ns // 1_000)
    except OverflowError:               # a time that no calendar has: as old as can be, so that it is not trusted
        return _EPOCH
