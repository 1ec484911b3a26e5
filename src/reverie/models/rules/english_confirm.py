""""Yes, keep doing it like that": what was confirmed stands in the assistant's answer before it.

The words are the assistant's, the decision is the person's: the memory says what was done, near to how the answer put
it. An
answer that asks, quotes an order about memory or holds what was taken out as a secret confirms nothing.
"""

from __future__ import annotations

import re

from reverie.models.rules import english_talk, neutral
from reverie.models.rules.english_names import content

LONGEST = 240                       # characters of an answer's sentence that still say one thing
SHORTEST = 15
# Words that a confirmation consists of: without any others it has no content of its own.
_EMPTY = content(
    "yes exactly like this that these way keep doing work working continue carry on please always from now on "
    "forward future every time perfect great nice "
    "good right love want much more same approach style format pattern such just how works worked well better done "
    "again stay stick with the rest whole")
_FOR_GOOD = re.compile(
    r"\b(?:keep|always|from (?:now|here) on|every|each|whenever|in (?:the )?future|going forward|continue|carry on|"
    r"stick (?:to|with)|for all|all the time|any time)\b")
_UNFIT = re.compile(
    r"\b(?:remember|memor\w+|instructions?|ignore|ignored|assistants?|system prompt|shall i|should i|would you|let "
    r"me know|i could|i can|i'll|i will|want me)\b|https?://", re.IGNORECASE)


def hollow(low: str) -> bool:
    """Whether a sentence confirms and says nothing itself."""
    return not content(low) - _EMPTY


def for_good(low: str) -> bool:
    """Whether it is meant for more than this once."""
    return _FOR_GOOD.search(low) is not None


def confirmed(answer: str) -> str:
    """The sentence of an answer that says what was done; "" when none is fit to be kept."""
    for paragraph in neutral.spoken(answer):
        for sentence in english_talk.sentences(paragraph):
            said = english_talk.bare(sentence).core
            if SHORTEST <= len(said) <= LONGEST and not _unfit(said):
                return said
    return ""


def _unfit(said: str) -> bool:
    return said.endswith("?") or _UNFIT.search(said) is not None or neutral.PLACEHOLDER.search(said) is not None
