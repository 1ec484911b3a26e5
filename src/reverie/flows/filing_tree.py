"""The files of a store as a model sees them below ``/memories``."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from reverie.core.layout import File
from reverie.layouts import naming

if TYPE_CHECKING:
    from reverie.storage.folder import DiskFolder


class Tree:
    """The files of a store as the model sees them, at one moment: hidden ones, links and the store's own left out."""

    def __init__(self, view: DiskFolder, base: str, own: Collection[str]) -> None:
        self.view = view
        self._base = base
        self._own = own
        skipped = {path: unread.reason for path, unread in view.scan.skipped.items()}
        skipped |= dict.fromkeys(view.scan.links, "symlink")
        self._obstacles = {path[len(base) :]: reason for path, reason in skipped.items() if path.startswith(base)}
        self.sizes = {
            relative: stamp.size
            for path, stamp in view.scan.files.items()
            if path.startswith(base) and self._shown(relative := path[len(base) :]) and path not in view.scan.links
        }
        self._folders = {path[:at] for path in self.sizes for at, character in enumerate(path) if character == "/"} | {""}
        self._twins: dict[str, str] = {}
        for path in [*self.sizes, *self._folders, *([] if base else [naming.INDEX])]:
            self._twins.setdefault(naming.fold(path), path)

    def _shown(self, relative: str) -> bool:
        is_hidden = any(name.startswith(".") for name in relative.split("/"))
        return not is_hidden and naming.fold(relative) not in self._own

    def file(self, relative: str) -> File:
        return self.view[self._base + relative]

    def is_folder(self, relative: str) -> bool:
        return relative in self._folders

    def below(self, relative: str) -> dict[str, int]:
        """The files in a directory, relative to it, with their sizes."""
        head = f"{relative}/" if relative else ""
        return {path[len(head) :]: size for path, size in self.sizes.items() if path.startswith(head)}

    def twin(self, relative: str) -> str:
        """What some file system would take this path, or a directory on its way, for; "" for nothing."""
        names = relative.split("/")
        for depth in range(1, len(names) + 1):
            part = "/".join(names[:depth])
            other = self._twins.get(naming.fold(part), part)
            if other != part:
                return other
        return ""

    def obstacle(self, relative: str) -> str:
        """Why this path, or a directory on its way, cannot be had; "" when nothing is in the way."""
        names = relative.split("/")
        found = ("/".join(names[:depth]) for depth in range(1, len(names) + 1))
        return next((self._obstacles[part] for part in found if part in self._obstacles), "")
