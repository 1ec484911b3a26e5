"""Whose word something is, and what of a message is its writer's own word (DESIGN §4.5: memory is data, not orders).

- ``strip`` leaves of a person's message what they themselves said, on the record.
- ``off_the_record`` finds what they asked not to be written down.
- ``instructs`` tells text that tries to order an agent about, for everything that is not the user's own word.
- ``clean`` takes away what no reader sees.
- ``level`` says how far a source is trusted; nothing raises it.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from reverie.core import defuse, off_record, pasted
from reverie.core.instructing import instructs
from reverie.core.memory import By

__all__ = ["Stripped", "Trust", "clean", "instructs", "level", "lower", "off_the_record", "strip"]

LONGEST = 400_000                       # characters of a message that are looked at: a person types far less


class Trust(enum.IntEnum):
    """How far a source is trusted. What is combined from several is trusted as the least of them."""

    DATA = 0                            # may be shown as found there; never becomes a memory of its own accord
    HEARSAY = 1                         # may be remembered, fenced and with its source; quarantined when it instructs
    WORD = 2                            # the user's own word: may be a rule


_LEVELS = {
    By.USER: Trust.WORD, By.HAND: Trust.WORD,
    By.AGENT: Trust.HEARSAY, By.MODEL: Trust.HEARSAY, By.TEAM: Trust.HEARSAY, By.UNKNOWN: Trust.HEARSAY,
    By.TOOL: Trust.DATA,
}


def level(by: By) -> Trust:
    """How far what comes from this source is trusted."""
    return _LEVELS.get(by, Trust.DATA)


def lower(one: By, other: By) -> By:
    """Whose word something is that was made from two sources: the less trusted one's, so that rewriting raises nothing."""
    return one if level(one) <= level(other) else other


@dataclass(frozen=True, slots=True)
class Stripped:
    """What is left of a message, how much of each kind was taken away, and whether any of it was off the record.

    ``removed`` counts under ``memory_block``, ``host_block``, ``private``, ``code``, ``quote``, ``log``, ``conversation``,
    ``off_record``.
    """

    text: str
    removed: Mapping[str, int] = field(default_factory=dict)
    off_record: bool = False


def strip(text: str, *, keep_off_record: bool = False) -> Stripped:
    """A person's message without what is not their own word and without what they asked not to keep.

    A sentence that only says "don't write that down", about something in another message, stays: who reads on must know.
    ``keep_off_record`` leaves all such remarks in place, for a reader that judges them itself.
    """
    counts: Counter[str] = Counter()

    def count(kind: str) -> None:
        counts[kind] += 1

    rest = text[:LONGEST].replace("\r\n", "\n")
    for step in pasted.STEPS:
        rest = step(rest, count)
    spans = off_the_record(rest)
    if spans and not keep_off_record and not off_record.only_marks(rest):
        counts["off_record"] = len(spans)
        rest = _without(rest, spans)
    if not counts and rest == text:
        return Stripped(text, off_record=bool(spans))
    return Stripped(_tidy(rest), dict(counts), bool(spans) or counts[pasted.PRIVATE] > 0)


def off_the_record(text: str) -> list[tuple[int, int]]:
    """The parts of a message that its writer asked not to be remembered, as places in the text."""
    return off_record.extents(text)


def clean(text: str) -> str:
    """The text without invisible, bidirectional and control characters and terminal sequences; line ends as ``\\n``."""
    return defuse.visible(text)


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    parts, at = [], 0
    for start, end in spans:
        parts.append(text[at:start])
        at = end
    return "".join(parts) + text[at:]


def _tidy(text: str) -> str:
    """No more than one empty line in a row, none at the ends."""
    lines: list[str] = []
    for line in text.split("\n"):
        line = line.rstrip()
        if line or (lines and lines[-1]):
            lines.append(line)
    return "\n".join(lines).strip()
