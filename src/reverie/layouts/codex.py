"""Codex: one global folder for all projects, a handbook by task group, and labels that say whose each memory is.

``Codex(STUDY)`` writes the study's shape, ``Codex(PRODUCT)`` that of the client as captured in spec/codex §11; both
read everything that either writes. The parts, from the file to the memory:

``codex_text`` Markdown without collateral · ``codex_names`` · ``codex_sections`` which part, whose block ·
``codex_handbook`` MEMORY.md · ``codex_raw`` raw_memories.md · ``codex_entries`` one memory in it · ``codex_rollout``
rollout_summaries/ · ``codex_summary`` memory_summary.md · ``codex_reading`` all of a folder · ``codex_writing`` a change.

The folder's git baseline is not a layout's (``storage.baseline``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime

from reverie.core.memory import Memory
from reverie.layouts import codex_handbook, codex_raw, codex_reading, codex_summary, codex_writing
from reverie.layouts import codex_names as names
from reverie.layouts.base import Change, Contents, Folder, Shows, Written, to_anyone
from reverie.layouts.codex_sections import PRODUCT, STUDY, Shape, same_project

__all__ = ["PRODUCT", "STUDY", "Codex", "Shape"]


class Codex:
    """The layout of Codex's ``memories/`` folder.

    The folder mixes projects: each memory comes back with the scope and project that its block's label gives it,
    whatever the caller says the folder is: a key of ours, the directory as a path where somebody else wrote the block,
    nothing where there is no label. Whoever shows memories has to enforce that; ``summary`` does.
    """

    name = "codex"

    def __init__(self, shape: Shape = STUDY) -> None:
        self.shape = shape

    def read(self, folder: Folder, *, scope: str = "project", project: str = "") -> Contents:
        """Everything that the folder holds. ``scope`` and ``project`` are not used: the labels tell."""
        reading = codex_reading.Reading(folder, self.shape)
        memories = tuple(record.memory for record in reading.records.values())
        return Contents(memories=memories, problems=tuple(reading.problems))

    def write(self, folder: Folder, change: Change, *, now: datetime) -> Written:
        """The bytes of a change. Raises ``NotFound`` for an unknown id. ``notes`` name files that may still tell what
        was taken out, because a product owns them."""
        return codex_writing.write(folder, change, self.shape, now)

    def holds_many(self, path: str) -> bool:
        """Whether this file says of many memories whose word each is."""
        return path == codex_raw.PATH

    def disowned(self, data: bytes, ids: Collection[str]) -> bytes:
        """Such a file in which these memories are no longer said to be the user's word, but the agent's."""
        return codex_raw.disowned(data, {id.rpartition(":")[2] for id in ids})

    def is_memory_path(self, path: str) -> bool:
        """Whether the store has to look at this file again when it changes."""
        if path in (codex_handbook.PATH, codex_raw.PATH, codex_summary.PATH):
            return True
        if not path.endswith(".md"):
            return False
        in_summaries = path.startswith(names.SUMMARIES) and path.count("/") == 1
        return in_summaries or path.startswith(codex_reading.NOTES) or bool(codex_reading.extension_of(path))

    def index(self, memories: Iterable[Memory], folder: Folder, *, shows: Shows = to_anyone) -> str:
        """The summary of exactly these memories, within the shape's budget, and of those skills that may be shown."""
        return codex_summary.rendered(memories, self.shape, codex_reading.skills_in(folder, shows))

    def summary(self, memories: Iterable[Memory], *, project: str | None = None) -> str:
        """The summary for a session in one project (a key or a path): the user's memories and that project's."""
        return codex_summary.rendered(
            [memory for memory in memories
             if project is None or memory.scope == "user" or same_project(memory.project, project)],
            self.shape, {},
        )  # fmt: skip
