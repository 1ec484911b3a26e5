"""What a language brings to the rule-based extractor, and the values in which it answers.

The engine knows messages, order, corrections and sources; it knows no words. A ``Language`` knows words; it knows no
messages
but the one it reads. Between the two stands ``Reading``: what one sentence (or one part of a sentence, where it holds
two
facts) turned out to be. The default answer is ``NOTHING``: most of what is said while working is not worth keeping
(study,
Codex §7).

How the engine puts readings together, in the order of a message:
- a ``STATEMENT`` opens a memory; ``DETAIL`` and ``REASON`` join the statement before them, or, at the start of a
message,
  the next one. ``DETAIL`` and ``REASON`` without a statement beside them are nothing.
- ``CORRECT`` finds the nearest earlier statement (same message first, then the person's earlier messages) and says it
again
  with the value swapped. ``WITHDRAW`` takes an earlier statement away; what a ``STATEMENT`` in the same message says
  instead
  replaces it.
- ``NOTHING`` is counted under its reason.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

from reverie.core.proposal import Reason


class Act(enum.StrEnum):
    """What a sentence does, as far as a memory is concerned."""

    STATEMENT = "statement"         # a durable rule or fact: a memory of its own
    DETAIL = "detail"               # more about the statement beside it: an exception, where, how to apply
    REASON = "reason"               # why the statement beside it holds
    CORRECT = "correct"             # "sorry, I meant X": a value of an earlier statement is another one
    WITHDRAW = "withdraw"           # "scratch what I said about X": an earlier statement no longer holds
    NOTHING = "nothing"             # not to be kept, for ``reason``


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What one sentence turned out to be. ``quote`` is the sentence as it was said; ``text`` what would be stored of
    it:
    without greeting, "ok," or "please remember that", everything else verbatim (names, numbers, paths, ids, flags)."""

    act: Act
    quote: str
    text: str = ""
    rule: str = ""                  # which rule, with the language's name before it: "en.standing"
    type: str = ""                  # STATEMENT: user | feedback | project | reference; by meaning, not by cue word
    scope: str = "project"          # STATEMENT: "user" when it holds in every project
    why: str = ""                   # STATEMENT: the reason, where the sentence itself says it
    how: str = ""                   # STATEMENT: how to apply, where the sentence itself says it
    replaces: str = ""              # STATEMENT: the words of the state that it ends ("we moved off X": X)
    changes: bool = False           # STATEMENT: it says that something is no longer as it was; the engine looks for what it changes
    value: str = ""                 # CORRECT: the value that is right
    about: str = ""                 # CORRECT, WITHDRAW: words that name what is taken back ("Decimal"); "" for "that"
    reason: Reason = Reason.NO_SIGNAL  # NOTHING: why not


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A piece of a text that could be another one: what a correction swaps. ``kind`` is one of KINDS; ``weight`` says
    how much
    it looks like what the sentence is about (the object of "use", the end of "from … to …"), against a word in
    passing."""

    start: int
    end: int
    kind: str
    weight: float = 1.0


# Most specific first. "name" is a person, product or place by its own name; "word" any content word,
# "phrase" several words that name one thing ("the team vault Harbor").
KINDS = ("url", "path", "channel", "flag", "code", "date", "weekday", "time", "number", "id", "name", "word", "phrase")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What a language may look at besides the sentences themselves."""

    day: date | None = None         # when it was said; relative dates are read from here
    answer: str = ""                # what the assistant said last: what "yes, exactly like that" confirms
    earlier: tuple[str, ...] = ()   # what the person said before, nearest last; a handful


class Language(Protocol):
    """One language. Pure: the same sentences in the same scene give the same readings."""

    name: str                       # "en", "zh", "ja", "ko"

    def share(self, text: str) -> float:
        """How much of a text is this language, 0 to 1. The language with the highest share reads the text;
        identifiers, paths
        and product names in Latin letters inside a Chinese sentence do not make it English."""
        ...

    def sentences(self, text: str) -> Sequence[str]:
        """One paragraph (no line break inside) split into sentences, in order, nothing lost but blanks. A parenthesis
        that
        is a sentence of its own comes as a sentence, brackets included."""
        ...

    def read(self, sentences: Sequence[str], scene: Scene) -> Sequence[Reading]:
        """What each sentence is: at least one reading per sentence, in order; several where it holds several facts.
        The sentences are a run of one message; they may be judged together ("X broke. So we do Y")."""
        ...

    def values(self, text: str) -> Sequence[Value]:
        """The pieces of a text that a correction could swap. For a text that is one value ("Tuesday") the first
        covers it."""
        ...

    def title(self, text: str, type: str) -> str:
        """A short name for a statement, for people: up to about sixty characters."""
        ...

    def describe(self, text: str, type: str) -> str:
        """One sentence for the index line: up to 150 characters, with the names and numbers that make it findable."""
        ...

    def keywords(self, text: str) -> tuple[str, ...]:
        """A few words under which it should be found: names, ids, content words; at most eight."""
        ...
