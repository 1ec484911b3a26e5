"""Needles save time and change no answer: a pattern is passed over only where it could not match."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.core import calendar_words, needles
from reverie.core.instructing_signals import SIGNALS

HERE = Path(__file__).parent
PATTERNS = [
    *((pattern, re.M) for _, _, pattern, _ in SIGNALS),
    *((each.pattern, each.flags) for each in calendar_words.RECURRING),
    *((each.pattern, each.flags) for _, each in calendar_words.EXPRESSIONS),
]
TEXTS = [line for name in ("attacks.txt", "honest_memories.txt") for line in (HERE / name).read_text("utf-8").splitlines() if line]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("exact", {"xac"}),
        (r"\bignore (?:all )?rules\b", {"ign"}),
        ("(?:forbid|allow)s?", {"bid", "low"}),
        ("(?:forbid|ab)s?", set()),             # one way in needs nothing of three letters
        ("(?:never)?|x", set()),
        ("(?:tomorrow){0,3} a", set()),
        ("(?:tomorrow){2}", {"row"}),
        ("[毎每]日", {"日"}),
        ("(?!banana)[a-z]+", set()),            # what must not stand there is no needle
        ("(?i:FORBID)", {"bid"}),
        ("éa", set()),
    ],
)
def test_needles_of_a_pattern(pattern: str, expected: set[str]) -> None:
    found = needles.of(pattern)
    assert set(found) == expected


def test_nearly_every_pattern_in_use_has_needles() -> None:
    assert sum(1 for pattern, flags in PATTERNS if needles.of(pattern, flags)) > 0.95 * len(PATTERNS)


OF = {pattern: needles.of(pattern, flags) for pattern, flags in PATTERNS}


@pytest.mark.parametrize("turned", [str.lower, str.upper, str])
def test_a_pattern_that_is_passed_over_would_not_have_matched(turned: type[str]) -> None:
    """Against every pattern in use and every text of the corpora, whole and in each letter case."""
    for text in map(turned, TEXTS):
        pieces = needles.cut(text)
        for pattern, flags in PATTERNS:
            if needles.missing(OF[pattern], pieces):
                assert not re.search(pattern, text, flags), (pattern, text)


@given(st.sampled_from(PATTERNS).flatmap(lambda each: st.tuples(st.just(each), st.from_regex(re.compile(*each)))))
@settings(deadline=None, max_examples=300)
def test_whatever_a_pattern_matches_holds_one_of_its_needles(case: tuple[tuple[str, int], str]) -> None:
    (pattern, flags), text = case
    if re.search(pattern, text, flags):
        assert not needles.missing(needles.of(pattern, flags), needles.cut(text)), (pattern, text)


@pytest.mark.parametrize("text", ["today", "TODAY", "TODAY İ", "ſunday ſ", "Monday", "\u212aoday today"])
def test_letter_case_hides_nothing(text: str) -> None:
    for pattern in ("today|sunday|monday|koday",):
        found = needles.Sought(pattern, re.I)
        assert [each.span() for each in found.finditer(text, needles.cut(text))] == [
            each.span() for each in re.finditer(pattern, text, re.I)]
