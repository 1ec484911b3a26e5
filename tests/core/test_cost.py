"""Prices and sums."""

from __future__ import annotations

import pytest

from reverie.core.cost import Price, money_text
from reverie.core.model import Used

SONNET = Price(input=3.0, output=15.0, cached=0.3, written=3.75)


@pytest.mark.parametrize(("used", "millionths"), [
    (Used(input=1_000_000, output=0), 3_000_000),
    (Used(input=1_000, output=100), 4_500),
    (Used(input=1_000, cached=1_000), 300),
    (Used(input=1_000, written=1_000), 3_750),
    (Used(input=1_000, cached=400, written=400), 600 + 120 + 1_500),
    (Used(input=1, output=0), 3),
    (Used(input=1, cached=1), 1),               # rounded up: a cap is never passed by rounding
    (Used(input=10, cached=1_000), 300),        # a provider that counts the cache beside the input
    (Used(input=-5, output=-5), 0),
    (Used(), 0),
])  # fmt: skip
def test_what_tokens_cost(used: Used, millionths: int) -> None:
    assert SONNET.of(used) == millionths


def test_without_a_price_for_the_cache_it_is_input() -> None:
    assert Price(input=2, output=4).of(Used(input=10, cached=5, written=5)) == 20


def test_the_most_takes_the_dearest_kind_of_input() -> None:
    assert SONNET.most(input=1_000, output=10) == 3_750 + 150
    assert SONNET.most(input=1_000, output=10) >= SONNET.of(Used(input=1_000, cached=300, written=700, output=10))


@pytest.mark.parametrize(("millionths", "text"), [
    (0, "0.00 USD"), (1_500_000, "1.50 USD"), (123_456, "0.12 USD"), (4_500, "0.0045 USD"), (12, "0.000012 USD"),
    (1_234_567_890, "1,234.57 USD"),
])  # fmt: skip
def test_small_amounts_are_seen(millionths: int, text: str) -> None:
    assert money_text(millionths, "USD") == text
