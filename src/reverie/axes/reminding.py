"""How a design reminds of age when a memory is read (study, axis 4: nothing goes by itself, but what is read must be checked).

The age is counted anew at each reading, from the time of the file and never from what the file says of itself. Which files
count follows the study's two paths (Claude Code §6) or, in the editions, the client (spec/claude-code §7.2).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from reverie.core import blocks
from reverie.layouts import naming


class Kind(StrEnum):
    """What a folder of memories is."""

    STORE = "store"                 # Reverie's own, whatever lies in it
    CLIENT = "client"               # the memory folder of the client's session
    PROJECTS = "projects"           # the client's: ``<encoded directory>/memory/`` of every project below it
    AGENTS = "agents"               # of sub-agents: ``<name>/`` below it


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """A folder of memories. ``client_days``: from how many whole days on the client reminds there by itself; 0: never."""

    root: str
    kind: Kind
    client_days: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminding:
    """``product``: the client's words, days and files in place of the study's."""

    product: bool = False

    def text(self, folder: Folder, inside: str, *, days: int) -> str:
        """What is said of the file at this relative path ("/" between its parts) that is so many whole days old, or ""."""
        if not self._covers(folder.kind, inside):
            return ""
        note = blocks.age_words(days, product=self.product)
        return f"{note}\n\n{blocks.DUTY}" if note and not self.product else note

    def notes(self, modified_at: datetime | None, now: datetime, *, said: str) -> tuple[str, str]:
        """For a memory that a person reads: its age, and the duty to verify where it names code; "" for what is not due."""
        note = blocks.age_note(modified_at, now, product=self.product) if modified_at else ""
        return note, blocks.DUTY if note and blocks.names_code(said) else ""

    def _covers(self, kind: Kind, inside: str) -> bool:
        if self.product:
            return kind in (Kind.STORE, Kind.CLIENT)
        parts = inside.split("/")
        if not naming.is_memory_path(inside):
            return False
        match kind:
            case Kind.STORE:
                return True
            case Kind.CLIENT:
                return len(parts) == 1
            case Kind.PROJECTS:
                return len(parts) == 3 and parts[1] == "memory"
            case Kind.AGENTS:
                return len(parts) == 2


STUDY = Reminding()
PRODUCT = Reminding(product=True)
