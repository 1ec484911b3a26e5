"""Getting at the files of a folder: what cannot be had is a problem with a name, never an exception."""

from __future__ import annotations

from reverie.core.layout import File, Folder, Problem
from reverie.errors import ReverieError

MOST_BYTES = 1 << 20                # of a memory file; what is longer is a document that lost its way


def fetch(folder: Folder, path: str) -> File | Problem:
    """A file of the folder, or why there is none to be had."""
    try:
        file = folder[path]
    except (KeyError, OSError, ReverieError) as error:
        return Problem(path=path, reason="unreadable", detail=str(error))
    if len(file.data) > MOST_BYTES:
        return Problem(path=path, reason="too_large", detail=f"{len(file.data)} bytes")
    return file
