"""A memory: one remembered thing, and where it came from."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import date, datetime

# The study's four types (§ "Type Categories" of Claude Code and Qwen Code). A file may name another one: it is kept as it
# is, shown, and never made up by us.
TYPES = ("user", "feedback", "project", "reference")


class By(enum.StrEnum):
    """Whose word a memory is. Trust follows from it and is never raised by rewriting (DESIGN §4.5)."""

    USER = "user"                   # a person said it, in a session or on the command line
    AGENT = "agent"                 # the agent wrote it into a memory folder
    MODEL = "model"                 # a language model inferred it
    TOOL = "tool"                   # seen in tool output, a file, a page
    HAND = "hand"                   # written into the file with an editor
    TEAM = "team"                   # a teammate's, through the repository
    UNKNOWN = "unknown"             # a product's file without provenance


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a memory came from, down to the message."""

    by: By = By.UNKNOWN
    host: str = ""
    session: str = ""
    agent: str = ""                 # the sub-agent that wrote it
    author: str = ""                # who committed it, and in which commit; in no file, git knows it
    message: str = ""               # Message.id
    said_at: datetime | None = None  # UTC
    cwd: str = ""
    rule: str = ""                  # which rule or model proposed it, e.g. "en.standing" or "model:gpt-…"
    quote: str = ""                 # the words it rests on, redacted, at most a few sentences


class Status(enum.StrEnum):
    """Whether a memory counts."""

    ACTIVE = "active"
    QUARANTINED = "quarantined"     # it tries to instruct, or its source is not to be trusted: shown, never injected
    SUPERSEDED = "superseded"       # history: a later statement replaced it
    ARCHIVED = "archived"           # forgotten or decayed; restorable


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One remembered thing.

    ``body`` is the fact or the rule alone; ``why`` and ``how_to_apply`` stand beside it and are rendered under it. Texts use
    ``\\n`` and have no outer blank lines. ``extra`` holds frontmatter keys that Reverie does not know, as written, so that
    a rewrite keeps them. ``id`` is given by the layout (the path inside its store, ``path:n`` for one entry of a file that
    holds several) and is empty before a memory is stored.
    """

    name: str
    description: str = ""
    type: str = "project"
    body: str = ""
    why: str = ""
    how_to_apply: str = ""
    scope: str = "project"          # user | project | directory | team | agent:<name> | agents
    project: str = ""               # the project's key; "" outside the project scope
    keywords: tuple[str, ...] = ()
    source: Source = Source()
    status: Status = Status.ACTIVE
    valid_until: date | None = None  # "true until": the last day on which it holds
    confirmed: int = 0              # how often it was said again or confirmed
    extra: tuple[tuple[str, str], ...] = ()
    id: str = ""
    modified_at: datetime | None = None  # the file's time; age follows from it (study, Claude Code §6)

    @property
    def text(self) -> str:
        """Everything a reader would look at, for matching and redaction."""
        return "\n".join(part for part in (self.name, self.description, self.body, self.why, self.how_to_apply) if part)
