"""What models cost, for a person: the ledger's lines, the caps and what is left of them, and what needs a look."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from reverie.core.cost import Caps, Spent, money_text
from reverie.storage.ledger import Ledger, Line

BY = ("model", "flow", "day")
_SUMS = ("calls", "input", "output", "cached", "lost", "estimated", "failed", "over")


def report(ledger: Ledger, *, since: datetime | None, now: datetime, by: str, caps: Caps, currency: str) -> dict[str, Any]:
    """For ``reverie cost``; everything in it is JSON."""
    begin = since or now.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    lines = ledger.lines(begin)
    return {
        "since": begin.isoformat(timespec="seconds"), "by": by, "currency": currency,
        "lines": [_summed(name, group, currency) for name, group in _groups(lines, by)],
        "caps": _caps(caps, ledger.today(), ledger.this_month(), currency),
        "notes": list(_notes(lines, caps)),
    }


def cap_words(caps: Caps, today: Spent, month: Spent, currency: str) -> str:
    """The caps in one line, with what is left of the day's."""
    said = [f"{each['name']} {each['spent_text']} of {each['cap_text']}" for each in _caps(caps, today, month, currency)]
    return "; ".join(said) or "no cap"


def _groups(lines: Iterable[Line], by: str) -> list[tuple[str, list[Line]]]:
    groups: dict[str, list[Line]] = {}
    for line in lines:
        groups.setdefault(getattr(line, by), []).append(line)
    return list(groups.items()) if by == "day" else sorted(groups.items())


def _summed(name: str, lines: Sequence[Line], currency: str) -> dict[str, Any]:
    priced = [line.money for line in lines if line.money is not None]
    money = sum(priced) if priced else None
    more = " and what has no price" if priced and len(priced) < len(lines) else ""
    return {
        "name": name, **{field: sum(getattr(line, field) for line in lines) for field in _SUMS}, "money_millionths": money,
        "money_text": "" if money is None else money_text(money, currency) + more,
    }


def _caps(caps: Caps, today: Spent, month: Spent, currency: str) -> list[dict[str, Any]]:
    rows = (
        ("tokens_per_day", caps.tokens_per_day, today.tokens, False),
        ("tokens_per_month", caps.tokens_per_month, month.tokens, False),
        ("money_per_day", caps.money_per_day, today.money, True),
        ("money_per_month", caps.money_per_month, month.money, True),
    )
    return [_cap(name, cap, spent, currency if is_money else "") for name, cap, spent, is_money in rows if cap]


def _cap(name: str, cap: int, spent: int, currency: str) -> dict[str, Any]:
    def said(amount: int) -> str:
        return money_text(amount, currency) if currency else f"{amount:,}"

    left = max(0, cap - spent)
    return {"name": name, "cap": cap, "spent": spent, "left": left, "cap_text": said(cap), "spent_text": said(spent),
            "left_text": said(left)}


def _notes(lines: Sequence[Line], caps: Caps) -> Iterable[str]:
    unpriced = sorted({line.model for line in lines if line.money is None})
    if unpriced:
        yield (f"no price is known of {', '.join(unpriced)}: counted in tokens only. Set one in settings.toml, "
               f'[prices."{unpriced[0]}"], with input and output for a million tokens')
    if lost := sum(line.lost for line in lines):
        yield (f"{lost:,} tokens are reserved by calls at work, or by processes that died before they could write down what they "
               "had used: they count as spent")
    if over := sum(line.over for line in lines):
        yield (f"{over} calls used more than a call of their size can take, by their provider's own count: no cap holds what a "
               "provider makes of a single call; those after it were refused where a cap was passed")
    if lines and not caps.tokens_per_day and not caps.money_per_day:
        yield "there is no cap for a day: models.tokens_per_day and models.money_per_day are 0"
