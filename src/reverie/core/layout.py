"""What a layout is: two functions over a folder seen as a mapping of relative paths.

The values stand in ``core`` because two sides that do not know each other speak in them: the layouts, which turn
bytes into memories, and the store, which brings the bytes from the disk and back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from reverie.core.memory import Memory

INDEX = "MEMORY.md"


@dataclass(frozen=True, slots=True)
class File:
    """One file of a store: its bytes and its time (UTC)."""

    data: bytes
    modified_at: datetime


# Relative POSIX paths ("feedback/style.md") to files. The store's implementation reads lazily; iteration is over paths.
Folder = Mapping[str, File]

# Whether what belongs to this scope and project (a key, or a directory; "" where nothing says whose it is) may be shown.
Shows = Callable[[str, str], bool]


def to_anyone(scope: str, project: str) -> bool:
    """Everything may be shown: to a person, or where a folder is one project's."""
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something in a store that could not be understood, or would be misunderstood; it is left as it is."""

    path: str
    reason: str                     # a name one can search for: "not_utf8", "no_closing_fence", "unknown_type", …
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """What a store holds. ``memories`` have their ``id``, ``modified_at``, and the caller's scope and project."""

    memories: tuple[Memory, ...] = ()
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What should become of a store: memories to add (``id`` empty) or to replace (``id`` set), and ids to remove.

    ``reindex`` renders the index again although no memory is put or removed: a file was changed by its author. ``rebuild``
    does so in the form in which a product makes a missing one, where it has such a form.
    """

    put: Sequence[Memory] = ()
    remove: Sequence[str] = ()
    reindex: bool = False
    rebuild: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """The answer to a change: path to new bytes (None: the file goes), and the ids of the put memories, in order."""

    files: Mapping[str, bytes | None]
    ids: Sequence[str] = ()
    notes: Mapping[str, str] = field(default_factory=dict)


class Layout(Protocol):
    """A layout of a store."""

    name: str

    def read(self, folder: Folder, *, scope: str, project: str = "") -> Contents:
        """Everything a store holds, in a stable order. Bad files are problems, never exceptions."""
        ...

    def write(self, folder: Folder, change: Change, *, now: datetime) -> Written:
        """The bytes that carry out a change, index included. What the change does not touch keeps its bytes.

        Deterministic: the same folder and change give the same bytes. Raises ``NotFound`` for an unknown id.
        """
        ...

    def is_memory_path(self, path: str) -> bool:
        """Whether a file at this relative path could hold memories (the store watches these)."""
        ...

    def index(self, memories: Iterable[Memory], folder: Folder, *, shows: Shows = to_anyone) -> str:
        """What a session is shown at its start, within the caps of the plain design, with what was left out said. ``shows``
        decides on what the folder holds beside memories and labels as somebody's: Codex's skills."""
        ...


def is_memory_path(path: str) -> bool:
    """Whether a file could hold memories: ``*.md`` at any depth, neither hidden nor an index."""
    *folders, name = path.split("/")
    hidden = any(part.startswith(".") for part in (*folders, name))
    return name.endswith(".md") and name != INDEX and not hidden
