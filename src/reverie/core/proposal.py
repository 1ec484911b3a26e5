"""What an extractor suggests, and what was refused. Default is not to write (DESIGN §4.8): a session without proposals is
a healthy result with a name, ``succeeded_no_output``, and each refusal is counted under its reason."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

from reverie.core.memory import Memory
from reverie.core.session import Message


class Reason(enum.StrEnum):
    """Why something was not kept. Names of the study and its products where they have one."""

    NO_SIGNAL = "no_signal"                 # nothing durable in it: a task, an answer, chatter
    TOO_SHORT = "too_short"                 # fewer than 12 characters (Qwen Code §5)
    QUESTION = "question"                   # a question is not knowledge (Qwen Code §5)
    TEMPORARY = "temporary"                 # true today, not next month (Qwen Code §5, Codex §7)
    UNDECIDED = "undecided"                 # thinking aloud, hypothetical, sarcasm
    DERIVABLE = "derivable"                 # the code or the repository already says it (study, "should not be stored")
    OFF_RECORD = "off_record"               # "do not remember this", <private>…</private>
    OTHER_PROJECT = "other_project"         # about somebody else's project, told as an aside
    REJECTED = "rejected"                   # a proposal that the user turned down
    SECRET = "secret"                       # nothing would be left once the credential is taken out
    INSTRUCTION = "instruction"             # text that orders the agent about its memory, from a source that may not
    NOT_SAID_BY_USER = "not_said_by_user"   # tool output, a file, a fetched page, a recalled memory
    DUPLICATE = "duplicate"                 # already known; counted as a confirmation
    TAKEN_BACK = "taken_back"               # said, and withdrawn or corrected later in the same session
    FORGOTTEN = "forgotten"                 # the user had it forgotten or rejected for ever


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop:
    """One refusal: why, and which words of which message (redacted, shortened) for ``reverie learn --dry-run`` and ``why``."""

    reason: Reason
    quote: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A memory that an extractor suggests.

    ``memory.scope`` is "user" when the statement holds in every project, else "project" (``memory.project`` is filled by the
    caller). ``corrects`` names the message whose statement this one replaces ("scratch what I said about …");
    ``replaces`` holds the words of what no longer holds, when the speaker named it ("not Decimal any more").
    """

    memory: Memory
    corrects: str = ""
    replaces: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """What an extractor made of a window of messages."""

    proposals: tuple[Proposal, ...] = ()
    drops: tuple[Drop, ...] = ()
    taken_back: tuple[str, ...] = ()        # words of statements that were withdrawn without a replacement


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """What an extractor sees: messages in order, of which those before ``fresh_from`` were handled before and are context."""

    messages: Sequence[Message]
    fresh_from: int = 0
    host: str = ""
    session: str = ""
    cwd: str = ""
    day: date | None = None                 # for messages without a time


class Extractor(Protocol):
    """Anything that proposes memories from messages: the rules, or a language model."""

    @property
    def name(self) -> str: ...

    def propose(self, window: Window) -> Extraction:
        """Proposals for what a person said in the fresh messages. By rules: the same window gives the same result; a language
        model may raise ``ModelFailed``."""
        ...
