"""A language model, as the rest of Reverie sees it: one question, one answer, and what it cost.

No model is called unless the user chose one (DESIGN §4.9). Whatever answers (a provider, the user's own agent on the
command line, a scripted server in the tests) stands behind ``Model``; whoever asks never learns which. A model that
uses tools runs its whole loop inside one ``ask``; each round trip of it is announced to the ``Meter`` *before* it is
made, so that a cap stops before it is passed.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from reverie.errors import ReverieError

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """Something that a model may call. ``parameters`` is a JSON schema of an object; ``run`` gets what the model passed, which
    is hostile until checked, and answers with text. A ``ToolRefused`` becomes an answer that the model sees as an error."""

    name: str
    description: str
    parameters: Json
    run: Callable[[Json], str]


class ToolRefused(Exception):
    """A tool does not do what the model asked; the text is for the model."""


class Effort(enum.StrEnum):
    """How hard a model should think, where it can be told."""

    DEFAULT = ""
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One question. ``schema``: the answer must be exactly one JSON object that fits it, unknown fields refused; then
    ``Answer.data`` holds it. ``tools``: the model works with them until it answers in words; ``rounds`` bounds how often it is
    asked. ``seconds`` is the deadline of the whole, ``most_tokens`` the cap of the whole, in and out (0: none)."""

    flow: str                               # who asks, for the ledger: "extract", "consolidate", "dream", "recall"
    system: str
    prompt: str
    schema: Json | None = None
    tools: Sequence[Tool] = ()
    effort: Effort = Effort.DEFAULT
    output_tokens: int = 8_000              # at most, of one round trip
    rounds: int = 1
    seconds: float = 120.0
    most_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """What round trips cost, in tokens as the provider counts them. ``cached`` and ``written`` are parts of ``input``: read
    from the provider's prompt cache, and written into it. ``known`` is False where the provider did not say and we estimated."""

    input: int = 0
    output: int = 0
    cached: int = 0
    written: int = 0
    calls: int = 0
    known: bool = True

    @property
    def tokens(self) -> int:
        return self.input + self.output

    def __add__(self, other: Used) -> Used:
        return Used(
            input=self.input + other.input, output=self.output + other.output, cached=self.cached + other.cached,
            written=self.written + other.written, calls=self.calls + other.calls, known=self.known and other.known,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back. ``data`` is set when a schema was asked for."""

    text: str
    data: Json | None = None
    used: Used = field(default_factory=Used)
    model: str = ""                         # as the provider names what answered


class Failure(enum.StrEnum):
    """Why there is no answer."""

    FORBIDDEN = "forbidden"                 # the switch against calls, or no model chosen
    CAP = "cap"                             # the day's or the month's cap, or that of this question
    LIMITED = "limited"                     # the provider's rate limit is reached, or nearly
    TIMEOUT = "timeout"                     # the deadline
    UNAVAILABLE = "unavailable"             # no connection, 5xx after retries
    REFUSED = "refused"                     # the provider or the model declined: key, permission, content
    BAD_ANSWER = "bad_answer"               # no JSON, another schema, an unknown tool, too many rounds


RETRIABLE = frozenset((Failure.LIMITED, Failure.TIMEOUT, Failure.UNAVAILABLE, Failure.BAD_ANSWER))


class ModelFailed(ReverieError):
    """A model gave no usable answer. ``why`` says which kind, ``used`` what was spent all the same."""

    def __init__(self, why: Failure, message: str, *, used: Used | None = None, retry_after: float = 0.0) -> None:
        super().__init__(message)
        self.why = why
        self.used = used or Used()
        self.retry_after = retry_after      # seconds, where the provider said it


class Meter(Protocol):
    """What watches the cost of one question, round trip by round trip."""

    def before(self, *, most_input: int, most_output: int) -> None:
        """A round trip is about to be made that can cost at most so many tokens. Raises ``ModelFailed`` (CAP, FORBIDDEN)
        to stop it."""
        ...

    def after(self, used: Used) -> None:
        """It was made, and cost this; also called for one that failed, with what is known."""
        ...


class Model(Protocol):
    """Anything that answers. ``name`` is "provider:model"; ``window`` the context window in tokens, 0 when unknown."""

    @property
    def name(self) -> str: ...

    @property
    def window(self) -> int: ...

    def ask(self, ask: Ask, meter: Meter) -> Answer:
        """The answer, or ``ModelFailed``. Blocking; safe to call from several threads."""
        ...


class Unmetered:
    """A meter that lets everything pass: for tests."""

    def before(self, *, most_input: int, most_output: int) -> None:
        return None

    def after(self, used: Used) -> None:
        return None
