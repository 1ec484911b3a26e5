"""A text as the search for credentials sees it: what is looked up often is worked out once.

Most words of a long text occur many times. Whether a beginning or a name occurs at all is therefore asked of the
set of its words; only what does occur is searched for in the text itself. That keeps ordinary text at a small
multiple of the cost of splitting it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from reverie.core.secret_values import random_looking

_SMALL = 4096                           # below, the set of words costs more than it saves
_SHORTEST_TOKEN = 14
_DIGIT, _UPPER, _LOWER = re.compile("[0-9]"), re.compile("[A-Z]"), re.compile("[a-z]")
_ESCAPED = re.compile("%(?:3[dD]|2[0-9A-Fa-f])")
_CANDIDATE = re.compile(r"(?<![A-Za-z0-9+/=_.~-])[A-Za-z0-9+/_.~-]{20,512}={0,2}")
_IN_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.-]{1,12}://|arn:|base64,|sha\d{1,3}[-:]|integrity\W{1,4}|h1:|[\w@-]/)\S*\Z")


class Text:
    """One text under examination. ``lower`` is as long as ``text``: places in the one are places in the other."""

    def __init__(self, text: str) -> None:
        lower = text.replace("\u0130", "i").lower()     # the one that grows
        self.text = text
        self.lower = lower
        words = text.split() if len(text) < _SMALL else set(text.split())
        self._words = lower if len(text) < _SMALL else "\n" + "\n".join(words).lower()
        long = [word for word in words if len(word) >= _SHORTEST_TOKEN]
        self.long_words = _opened([word for word in long if not word.islower() or _DIGIT.search(word)])
        self.credited: set[tuple[int, int]] = set()         # random words that were found to be credentials
        self._starts: list[int] | None = None
        self._ends: list[int] = []

    def places(self, word: str) -> Iterator[int]:
        """Where a word (in lower case, without blanks inside) stands; a blank before it asks that it begins a word."""
        gate = word.strip()
        if gate in self._words:
            find, step = self.lower.find, max(len(word), 1)
            at = find(word)
            while at >= 0:
                yield at
                at = find(word, at + step)

    @property
    def has_random_words(self) -> bool:
        """Whether there is any random-looking word at all."""
        if self._starts is None:
            self._starts = self._all_random_words()
        return bool(self._starts)

    def random_words(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """The random-looking words of all three kinds of characters between two places, addresses excepted."""
        starts = (self._starts or []) if self.has_random_words else []
        index = bisect_left(starts, first)
        while index < len(starts) and self._ends[index] <= last:
            yield starts[index], self._ends[index]
            index += 1

    def _all_random_words(self) -> list[int]:
        words = {match[0] for match in _CANDIDATE.finditer(self.long_words) if _mixed(match[0])}
        spans = set()
        for word in words if len(words) < 40 else ():
            at = self.text.find(word)
            while at >= 0:
                match = _CANDIDATE.match(self.text, at)
                if match and match[0] == word:
                    spans.add(match.span())
                at = self.text.find(word, at + len(word))
        if len(words) >= 40:
            spans = {match.span() for match in _CANDIDATE.finditer(self.text) if match[0] in words or _mixed(match[0])}
        kept = sorted(span for span in spans if not _IN_ADDRESS.search(self.text, max(0, span[0] - 80), span[0]))
        self._ends = [end for _, end in kept]
        return [start for start, _ in kept]


def _opened(words: list[str]) -> str:
    """The words, one a line, with what JSON and addresses escape opened."""
    text = "\n".join(words)
    for escape in ("\\n", "\\r", "\\t"):
        text = text.replace(escape, "\n")
    return _ESCAPED.sub("\n", text) if "%" in text else text


def _mixed(word: str) -> bool:
    """Random-looking and of all three kinds of characters, which a name or a cluster's generated id seldom is."""
    return bool(_DIGIT.search(word) and _UPPER.search(word) and _LOWER.search(word)) and random_looking(word, 20)
