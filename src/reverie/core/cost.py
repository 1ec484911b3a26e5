"""What calls of models may cost and do cost: prices, caps, and the sums that they are held against. Pure arithmetic.

Tokens are counted as the provider counts them, money in millionths of the currency of the price table, rounded up: a cap
that is held in rounded-down cents is passed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from reverie.core.model import Used

MILLION = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What a million tokens cost, in whole units of the currency. ``cached`` and ``written``: input that the provider read from
    its prompt cache, and wrote into it; None: as any other input."""

    input: float
    output: float
    cached: float | None = None
    written: float | None = None

    def of(self, used: Used) -> int:
        """What these tokens cost, in millionths."""
        cached, written = max(0, used.cached), max(0, used.written)
        plain = max(0, used.input - cached - written)
        cost = (
            plain * self.input + cached * _or(self.cached, self.input) + written * _or(self.written, self.input)
            + max(0, used.output) * self.output
        )
        return math.ceil(round(cost, 6))

    def most(self, *, input: int, output: int) -> int:
        """The most that so many tokens can cost, whatever becomes of the cache, in millionths."""
        dearest = max(self.input, _or(self.cached, self.input), _or(self.written, self.input))
        return math.ceil(round(input * dearest + output * self.output, 6))


def _or(value: float | None, other: float) -> float:
    return other if value is None else value


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """What must not be passed; 0: no such cap. Money in millionths. A day and a month are those of UTC."""

    tokens_per_day: int = 0
    tokens_per_month: int = 0
    tokens_per_run: int = 0
    money_per_day: int = 0
    money_per_month: int = 0

    @property
    def on_money(self) -> bool:
        return bool(self.money_per_day or self.money_per_month)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What was spent in some time. What was reserved for a call that has not ended (or whose process died) counts in full;
    ``at_work`` and ``money_at_work`` are the parts of it that may still come back."""

    calls: int = 0
    tokens: int = 0
    money: int = 0
    at_work: int = 0
    money_at_work: int = 0
    unpriced: int = 0                   # calls of models whose price is not known


def money_text(millionths: int, currency: str) -> str:
    """An amount for a person; small ones with as many digits as they need to be seen."""
    amount = millionths / MILLION
    digits = 2 if millionths == 0 or amount >= 0.1 else 4 if amount >= 0.001 else 6
    return f"{amount:,.{digits}f} {currency}"
