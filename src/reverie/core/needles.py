"""What a regular expression cannot do without: short pieces of text of which any match holds at least one.

Hundreds of patterns are asked of every memory, and nearly none of them matches. Looking for a pattern goes through the text
character by character; looking up whether the text holds one of its needles is a question to a set. So a text is cut once
(``cut``), and only patterns whose needles are in it are tried (``missing``). A pattern that has no needles is always tried:
a needle may only ever save time, never change an answer.

Needles are three ASCII characters, or one character of a script without upper and lower case (Chinese, Japanese, Korean).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib import import_module
from typing import Any

_LENGTH = 3
_OFTEN = " etaoinsrhldcumfpgwybvkxjqz"      # from the letter that says least to the one that says most
_SAME_LETTER = str.maketrans({"İ": "i", "ı": "i", "ſ": "s"})    # for ``re.IGNORECASE``, though not for ``str.lower``

Needles = frozenset[str]
_Tree = Sequence[tuple[Any, Any]]


class Sought:
    """A pattern that is compiled by the first text that could hold it."""

    __slots__ = ("_flags", "_pattern", "_source", "needles")

    def __init__(self, source: str, flags: int = 0) -> None:
        self.needles = of(source, flags)
        self._source, self._flags = source, flags
        self._pattern: re.Pattern[str] | None = None

    def finditer(self, text: str, pieces: Needles) -> Iterator[re.Match[str]]:
        """The matches in ``text``, of which ``pieces`` is the ``cut``."""
        if missing(self.needles, pieces):
            return iter(())
        if self._pattern is None:
            self._pattern = re.compile(self._source, self._flags)
        return self._pattern.finditer(text)


def of(pattern: str, flags: int = 0) -> Needles:
    """The needles of a pattern; empty when it can match without any that we know of."""
    try:
        tree = import_module("re._parser").parse(pattern, flags)
    except (ImportError, AttributeError):       # a Python whose parser lies elsewhere: everything is tried
        return frozenset()
    return frozenset(_needle(each) for each in _literals(tree) or ())


def cut(text: str) -> Needles:
    """Everything in a text that could be a needle."""
    low = text.lower() if text.isascii() else text.translate(_SAME_LETTER).lower()
    pieces = {low[at:at + _LENGTH] for at in range(len(low) - _LENGTH + 1)}
    if not low.isascii():
        pieces.update(low)
    return frozenset(pieces)


def missing(needles: Needles, text: Needles) -> bool:
    """Whether a pattern with these needles cannot match the text that was cut into ``text``."""
    return bool(needles) and needles.isdisjoint(text)


@lru_cache(maxsize=4096)
def _needle(literal: str) -> str:
    """The piece of a literal that says most; "" when it has none."""
    literal = literal.lower()
    for character in literal:
        if not character.isascii() and character.lower() == character.upper():
            return character
    runs = [literal[at:at + _LENGTH] for at in range(len(literal) - _LENGTH + 1)]
    return max((run for run in runs if run.isascii()), key=_weight, default="")


def _weight(run: str) -> int:
    return sum(_OFTEN.find(character) if character in _OFTEN else len(_OFTEN) for character in run)


def _literals(tree: _Tree) -> frozenset[str] | None:
    """Literals of which any match holds one; None when there are none that could be needles."""
    offers = [each for each in _offers(tree) if each and all(map(_needle, each))]
    return min(offers, key=len, default=None)


def _offers(tree: _Tree) -> Iterator[frozenset[str] | None]:
    """For each part of a sequence that must match: the literals of which it holds one."""
    run = ""
    for op, value in tree:
        name = str(op)
        if name == "LITERAL":
            run += chr(value)
        elif name not in ("AT", "ASSERT", "ASSERT_NOT"):        # these take no characters: the run goes on behind them
            yield frozenset((run,))
            run = ""
            yield _inside(name, value)
    yield frozenset((run,))


def _inside(name: str, value: Any) -> frozenset[str] | None:
    if name == "BRANCH":
        branches = [_literals(each) for each in value[1]]
        return frozenset().union(*(each for each in branches if each)) if all(branches) else None
    if name == "SUBPATTERN":
        return _literals(value[3])
    if name == "ATOMIC_GROUP":
        return _literals(value)
    if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT") and value[0] > 0:
        return _literals(value[2])
    if name == "IN" and all(str(op) == "LITERAL" for op, _ in value):
        return frozenset(chr(each) for _, each in value)
    return None
