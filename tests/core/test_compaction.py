"""When a session is compacted (spec/claude-code §10.1)."""

from __future__ import annotations

import pytest

from reverie.core import compaction
from reverie.core.compaction import Act, Rules, distance, rules


@pytest.mark.parametrize(
    ("window", "effective", "auto", "percent", "block", "buffer"),
    [
        pytest.param(200_000, 180_000, 167_000, 83.5, 177_000, 33_000, id="the study's"),
        pytest.param(1_000_000, 980_000, 967_000, 96.7, 977_000, 33_000, id="the long window"),
        pytest.param(100_000, 80_000, 67_000, 67.0, 77_000, 33_000, id="the smallest that can be set"),
    ],
)
def test_the_thresholds_of_a_window(window: int, effective: int, auto: int, percent: float, block: int, buffer: int) -> None:
    found = Rules(window=window)
    assert (found.effective, found.auto_at, found.auto_percent, found.block_at, found.buffer) == (
        effective, auto, percent, block, buffer)


@pytest.mark.parametrize(
    ("tokens", "prefix", "act"),
    [
        pytest.param(166_999, 0, Act.NOTHING, id="just before"),
        pytest.param(167_000, 0, Act.COMPACT, id="at the threshold"),
        pytest.param(176_999, 168_000, Act.NOTHING, id="a fixed prefix over the threshold is not compacted at each turn"),
        pytest.param(177_000, 168_000, Act.COMPACT, id="but at the last moment"),
        pytest.param(170_000, 167_000, Act.COMPACT, id="a prefix at the threshold is not over it"),
    ],
)
def test_when_the_client_compacts(tokens: int, prefix: int, act: Act) -> None:
    assert Rules().act(tokens, prefix=prefix) is act


def test_without_compaction_the_limit_blocks() -> None:
    off = Rules(automatic=False)
    assert [off.act(tokens) for tokens in (167_000, 176_999, 177_000)] == [Act.NOTHING, Act.NOTHING, Act.BLOCK]


@pytest.mark.parametrize(
    ("environment", "settings", "auto"),
    [
        pytest.param({}, {}, 167_000, id="nothing set"),
        pytest.param({"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "50"}, {}, 90_000, id="50 % of the effective window"),
        pytest.param({"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "12.5"}, {}, 22_500, id="a part of a per cent"),
        pytest.param({"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "99"}, {}, 167_000, id="never behind the buffer"),
        pytest.param({"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "300000"}, {}, 267_000, id="a window by the environment"),
        pytest.param({}, {"autoCompactWindow": 400_000}, 367_000, id="a window by the settings"),
        pytest.param({"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "300000"}, {"autoCompactWindow": 400_000}, 267_000, id="first"),
        pytest.param({"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "7"}, {"autoCompactWindow": 400_000}, 367_000, id="bad, then good"),
        pytest.param({"CLAUDE_CODE_DISABLE_1M_CONTEXT": "1"}, {"autoCompactWindow": 1_000_000}, 167_000, id="no long window"),
    ],
)
def test_what_the_environment_and_the_settings_change(
    environment: dict[str, str], settings: dict[str, object], auto: int
) -> None:
    assert rules(environment, settings).auto_at == auto


@pytest.mark.parametrize(
    ("environment", "settings", "automatic", "by_hand"),
    [
        ({}, {}, True, True),
        ({"DISABLE_AUTO_COMPACT": "1"}, {}, False, True),
        ({"DISABLE_AUTO_COMPACT": "0"}, {}, True, True),
        ({"DISABLE_COMPACT": "true"}, {}, False, False),
        ({}, {"autoCompactEnabled": False}, False, True),
    ],
)
def test_the_switches(environment: dict[str, str], settings: dict[str, object], automatic: bool, by_hand: bool) -> None:
    found = rules(environment, settings)
    assert (found.automatic, found.by_hand, found.ignored) == (automatic, by_hand, ())


@pytest.mark.parametrize("value", ["-5", "0", "101", "nan", "inf", "1e2", "５０", "50%", "9" * 400, "\x00", ".", "5.0.0"])
def test_a_percentage_that_makes_no_sense_is_left_out_by_name(value: str) -> None:
    found = rules({compaction.PERCENT: value})
    assert found == Rules(ignored=(compaction.PERCENT,))


@pytest.mark.parametrize("value", ["99999", "1000001", "-200000", "2e5", "9" * 400, "٣٠٠٠٠٠", "two hundred"])
def test_a_window_that_makes_no_sense_is_left_out_by_name(value: str) -> None:
    assert rules({compaction.SET_WINDOW: value}) == Rules(ignored=(compaction.SET_WINDOW,))


@pytest.mark.parametrize("value", [True, 10**400, 200_000.5, [], {"a": 1}, "x"])
def test_the_same_in_the_settings(value: object) -> None:
    assert rules({}, {"autoCompactWindow": value}) == Rules(ignored=("autoCompactWindow",))


def test_other_values_are_named_too() -> None:
    found = rules({"DISABLE_COMPACT": "perhaps"}, {"autoCompactEnabled": "no"})
    assert found == Rules(ignored=("DISABLE_COMPACT", "autoCompactEnabled"))


def test_how_far_a_session_is_from_its_compaction() -> None:
    found = distance(83_500, Rules())
    assert (found.left, found.percent, found.act) == (83_500, 50.0, Act.NOTHING)
    due = distance(170_000, Rules())
    assert (due.left, due.act) == (-3_000, Act.COMPACT)
    assert distance(-4, Rules()).tokens == 0
