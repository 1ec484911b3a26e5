"""Which bytes the journal may let go."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from reverie.core.events import Retention, prunable

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def history(*rows: tuple[int, int, int]) -> list[tuple[int, datetime, int]]:
    return [(change, NOW - timedelta(days=days), size) for change, days, size in rows]


@pytest.mark.parametrize(
    ("rows", "retention", "gone"),
    [
        pytest.param([], Retention(), [], id="nothing-there"),
        pytest.param([(2, 1, 10), (1, 400, 10)], Retention(newest=0), [1], id="too-old"),
        pytest.param([(2, 1, 10), (1, 400, 10)], Retention(newest=2), [], id="the-newest-stay-whatever-their-age"),
        pytest.param([(3, 0, 60), (2, 0, 60), (1, 0, 1)], Retention(newest=0, size_bytes=100), [2, 1], id="too-much"),
        pytest.param([(2, -5, 10), (1, 0, 10)], Retention(newest=0), [], id="a-clock-that-jumped-back"),
    ],
)
def test_what_may_go(rows: list[tuple[int, int, int]], retention: Retention, gone: list[int]) -> None:
    assert prunable(history(*rows), NOW, retention) == gone
