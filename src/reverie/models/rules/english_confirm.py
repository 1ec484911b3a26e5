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


# The practice is in the answer, not in the sentence: "make it the pattern for …", "the same way for the other …".
_POINTS = re.compile("|".join((
    r"\b(?:that|this|it) is (?:exactly |just )?(?:how|the way|what)\b", r"\b(?:that|this)'s (?:exactly |just )?(?:how|the way|what)\b",
    r"\b(?:like|just like|exactly like) (?:that|this|you did|you just did|in this one|here)\b", r"\bas you (?:just )?did\b",
    r"\b(?:make|keep|do|use|treat|repeat|apply|follow|take) (?:it|that|this|the same)\b", r"\b(?:the|in the) same (?:way|style|pattern|approach|thing|for)\b",
    r"\b(?:that|this) (?:way|style|pattern|approach|layout|structure|split|format|order|scheme|\w+ file)\b(?! (?:of|to) )")))
_PRAISE = re.compile(
    r"\b(?:love|like|liked|great|perfect|nice|good|thank|thanks|excellent|exactly|yes|yep|yeah|works well|worked well|want|please|keep|always|happy|"
    r"prefer|pattern|from (?:now|here) on|better|ideal|brilliant|neat|clean|same)\b", re.IGNORECASE)
_LASTS = re.compile(
    r"\b(?:always|from (?:now|here) on|every|each|whenever|in (?:the )?future|going forward|for (?:all|the (?:other|rest|next))|"
    r"all the (?:other|rest|\w+s)|the (?:other|rest|next)\b|everywhere|the (?:pattern|standard|rule|default|template|norm)|any time|for good|"
    r"keep (?:it|doing|that|this)|stick (?:to|with)|next time|how (?:i|we) (?:want|like|would like|'d like|do))\b")


def points(low: str, said: str) -> bool:
    """Whether a sentence approves for good of what was done, and does not say what that is."""
    return (_POINTS.search(low) is not None and _LASTS.search(low) is not None and _PRAISE.search(said) is not None
            and _SAYS_IT.search(low) is None)


_SAYS_IT = re.compile(r":\s*\S+ \S+|\b(?:because|instead of|rather than|not \w+ but)\b|, (?!please|thanks|from now|always|for|in|and|too|the same|that|this|it)[a-z]+ \w+ \w+")


def confirmed(answer: str, words: str = "") -> str:
    """The sentence of an answer that says what was done, nearest to the words of the confirmation; "" when none is fit to be kept."""
    fit: list[str] = []
    for paragraph in neutral.spoken(answer):
        for sentence in english_talk.sentences(paragraph):
            said = english_talk.bare(sentence).core
            if SHORTEST <= len(said) <= LONGEST and not _unfit(said):
                fit.append(said)
    if not fit:
        return ""
    wanted = content(words) - _EMPTY
    return max(fit[:6], key=lambda said: (len(content(said) & wanted), -fit.index(said)))


def _unfit(said: str) -> bool:
    return said.endswith("?") or _UNFIT.search(said) is not None or neutral.PLACEHOLDER.search(said) is not None
