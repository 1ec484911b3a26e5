"""A client has just read a file: is it a memory, and old enough that its reader must be told?

Only the file's status is asked for. Whatever is wrong with the path (it comes from outside) or the file is no memory of ours.
"""

# Paths come as strings and are asked about once per reading: pathlib costs a hook 16 ms
# ruff: noqa: PTH114, PTH116, PTH117

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from datetime import datetime

from reverie.axes.reminding import Folder, Kind, Reminding
from reverie.core import blocks
from reverie.flows.space import Space
from reverie.storage import files

LONGEST_PATH = 4_096                # characters; no system opens a longer one


def stores(space: Space) -> Folder:
    """Where this design's own stores lie."""
    return Folder(root=space.home.path("stores", space.design.name), kind=Kind.STORE)


def reminder(path: str, folders: Iterable[Folder], *, by: Reminding, now: datetime) -> str:
    """What the reader of this file must be told of its age, "" for nothing: it is young, no memory, or its client says so
    itself."""
    if not os.path.isabs(path) or len(path) > LONGEST_PATH or "\0" in path:
        return ""
    modified_at = _modified_at(path)
    if modified_at is None:
        return ""
    days = blocks.age_days(modified_at, now.timestamp())
    holding = [(folder, inside) for folder in folders if (inside := _inside(path, folder.root))]
    if any(_client_says_it(folder, days) for folder, _ in holding):
        return ""
    return next((text for folder, inside in holding if (text := by.text(folder, inside, days=days))), "")


def _modified_at(path: str) -> float | None:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_mtime if stat.S_ISREG(status.st_mode) else None


def _client_says_it(folder: Folder, days: int) -> bool:
    """Of a folder that is a link to another place the client says nothing (spec/claude-code §6.1)."""
    return bool(folder.client_days) and days >= folder.client_days and not os.path.islink(folder.root)


def _inside(path: str, root: str) -> str:
    """The path below a folder, "" when it is not there. A client names files as it likes: through links, too."""
    for name, top in ((os.path.normpath(path), os.path.normpath(root)), (os.path.realpath(path), os.path.realpath(root))):
        if name != top and files.within(os.path.normcase(name), os.path.normcase(top)):
            return os.path.relpath(name, top).replace(os.sep, "/")
    return ""
