"""What was said in a host: sessions, messages, and where in a transcript a reading stopped.

A reader (``reverie.hosts``) turns a host's own files into these values. Only three voices exist behind this border: what a
*person* typed, what an *assistant* answered, what a *tool* printed. Everything else that a transcript holds (injected
context, reminders, summaries of a compaction, prompts that one agent writes for another, what was taken back) is
dropped by the reader and counted by name, so that nothing later can take it for the user's word.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol


class Voice(enum.StrEnum):
    """Who speaks in a message."""

    PERSON = "person"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One thing said. ``text`` is clean: the host's wrappers, injected parts and quoting are gone; it is not redacted yet."""

    id: str                         # the host's own id; else the place in the transcript, stable between readings
    voice: Voice
    text: str
    at: datetime | None = None      # when it was said, UTC; None when the host did not write it
    tool: str = ""                  # a tool's output: which tool, in the host's words
    failed: bool = False            # a tool's output: the call failed or was refused
    cites: tuple[str, ...] = ()     # an answer's: the sessions that it says it used memories of (spec/codex §13)
    # A tool's output: what it was called with, as the host wrote it (JSON in UTF-8), cut at its end. It becomes a text only
    # where somebody asks, few do. Beside what was said, so two messages are equal without it; a reading that began between
    # call and output has none.
    given: bytes = field(default=b"", compare=False, repr=False)

    @property
    def call(self) -> str:
        """What a tool was called with, as a text; ``core.calls`` reads it."""
        return self.given.decode("utf-8", "replace")


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """One session's transcript, found on disk. ``path`` is the file to read; a database holds many sessions in one file."""

    host: str
    session: str
    path: str
    cwd: str = ""                   # the working directory as the host wrote it; "" when only reading will tell
    started_at: datetime | None = None
    updated_at: datetime | None = None
    size_bytes: int = 0
    project_hint: str = ""          # the project root, where the host wrote one (the main checkout of a worktree)
    branch: str = ""
    of_agent: bool = False          # a sub-agent's session: its "user" is another agent
    source: str = ""                # where it ran, in the host's words ("cli", "vscode", "exec", "sdk-cli"); "": it does not say
    archived: bool = False
    about: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    """Where a reading of one transcript stopped. Opaque to everyone but the reader that made it, and small.

    ``position`` counts what the reader counts (bytes of a file, a time in a database); ``mark`` lets the reader notice that the
    file under the same name is another one, or was cut short: then it starts again from nothing and says so.
    ``context`` is an earlier position from which the last few exchanges can be read again, so that "yes, exactly like
    that" is still understood when it comes in a later reading than what it confirms.
    """

    position: int = 0
    mark: str = ""
    context: int = 0
    messages: int = 0               # messages handed out so far, all voices


@dataclass(slots=True, kw_only=True)
class Reading:
    """What came out of reading one transcript: messages in order, and, when they are consumed, where it stopped.

    Iterate ``messages`` once; it streams. Afterwards ``cursor`` is where to go on, ``cwd``, ``branch`` and times are filled,
    and ``skipped`` has counted what was passed over, by name (see ``reverie.hosts`` for the names). Messages before
    ``fresh_from`` were handed out by an earlier reading and are there as context only.
    """

    transcript: Transcript
    messages: Iterator[Message]
    cursor: Cursor = field(default_factory=Cursor)
    fresh_from: int = 0             # index into this reading's messages of the first new one
    restarted: bool = False         # the stored cursor did not fit the file: everything was read again
    skipped: dict[str, int] = field(default_factory=dict)
    cwd: str = ""
    branch: str = ""
    last_at: datetime | None = None

    def skip(self, reason: str, count: int = 1) -> None:
        """Count something that was passed over."""
        self.skipped[reason] = self.skipped.get(reason, 0) + count


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """Something that looks like a transcript and cannot be read: which, and why, in words for a person."""

    host: str
    path: str
    reason: str                     # a name one can search for: "permission_denied", "not_a_database", "symlink_loop", …
    detail: str = ""


class Dialect(Protocol):
    """One host, as a reader of its transcripts."""

    @property
    def name(self) -> str: ...

    def find(self, home: str, environment: Mapping[str, str]) -> Iterator[Transcript | Unreadable]:
        """Every session of this host below ``home``, without reading the transcripts themselves; cheap."""
        ...

    def at(self, path: str) -> Sequence[Transcript | Unreadable] | None:
        """The sessions in this one file, or None when the file is not this host's."""
        ...

    def read(self, transcript: Transcript, since: Cursor | None = None) -> Reading:
        """Read a transcript, from the start or from where an earlier reading stopped. Raises nothing for a bad file:
        what cannot be read is a named skip."""
        ...
