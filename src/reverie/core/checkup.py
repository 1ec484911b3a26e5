"""Looking a folder of memories over: what is wrong, what that means for a person, and what would mend it.

A check is a function from a ``Look`` to findings, and ``CHECKS`` is the list of them; nothing here touches the disk. A
folder is seen as a mapping, with the memories that its layout read from it and what could not be read. Whoever looks
brings what a check cannot know: the time, and which of the things that memories name are not in the repository.

In a product's folder the index and the frontmatter are free texts by the same author, which nothing keeps in step (study,
Claude Code §6; spec/claude-code §4.1): they are compared by what they say, not letter by letter.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from reverie.core import product_index
from reverie.core.frontmatter import Document, parse
from reverie.core.layout import Folder, Problem
from reverie.core.memory import Memory
from reverie.core.product_index import Pointer

INDEX = "MEMORY.md"


class Severity(enum.StrEnum):
    """How bad it is. The order is that of a report."""

    BROKEN = "broken"       # something is lost, invisible, or where it must not be
    WARNING = "warning"     # something misleads, or will break
    NOTE = "note"           # worth knowing


ORDER = {severity: place for place, severity in enumerate(Severity)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that a check found. ``says`` and ``mend`` are for a person and never hold a credential."""

    check: str
    severity: Severity
    path: str = ""              # of the file, relative to the folder; "" for the folder itself
    line: int = 0               # counted from 1; 0: the file as a whole
    says: str
    mend: str = ""              # what would mend it; "" when there is nothing to do
    mendable: bool = False      # whether ``reverie doctor --fix`` does it


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """Something in the project that a memory names: a ``kind`` ("file", "folder", "symbol", "flag") and how it is written."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A folder as it was found. ``files`` are those that could be read, ``problems`` what the layout and the disk said.

    ``absent``: of the things that the memories name, those that were looked for in the repository and are not there.
    """

    files: Folder
    memories: Sequence[Memory] = ()
    problems: Sequence[Problem] = ()
    now: datetime
    absent: frozenset[Named] = frozenset()
    documents: Mapping[str, Document] = field(default_factory=dict)
    index: str | None = None    # the text of MEMORY.md; None: there is none, or it is no index of the product's
    pointers: Sequence[Pointer] = ()

    def paths(self) -> frozenset[str]:
        """Every file that is there, whether it could be read or not."""
        return frozenset((*self.files, *(problem.path for problem in self.problems)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Native:
    """A product's own memory folder. ``why``: by which rule it is this one. ``project``: the root of the project whose it is,
    "" where that is not known. ``started_in``: the directories in which the transcripts beside it say that they began."""

    host: str
    folder: str
    why: str
    project: str = ""
    started_in: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """One folder, looked over: what it is, where, why that one, how much was there, and what was found."""

    subject: str                        # "claude-code", "own", "home"
    folder: str
    why: str = ""
    memories: int = 0
    findings: tuple[Finding, ...] = ()


Check = Callable[[Look], Iterator[Finding]]


def look(
    files: Folder, memories: Sequence[Memory], problems: Sequence[Problem], *, now: datetime,
    absent: frozenset[Named] = frozenset(),
) -> Look:
    """A product's folder: its index and its documents are read here, once."""
    documents = {path: parse(files[path].data) for path in sorted(files) if path.endswith(".md")}
    index = documents.pop(INDEX).text.removeprefix("\ufeff") if INDEX in documents else None
    return Look(files=files, memories=memories, problems=problems, now=now, absent=absent, documents=documents, index=index,
                pointers=product_index.claude_pointers(index or ""))


def run(checks: Sequence[Check], seen: Look) -> list[Finding]:
    """What these checks find, the worst first, then by file and line."""
    found = [finding for check in checks for finding in check(seen)]
    return sorted(found, key=lambda each: (ORDER[each.severity], each.check, each.path, each.line))
