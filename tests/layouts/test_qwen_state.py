"""State files beside the memory of Qwen Code (spec/qwen-code §11.2, §15)."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.layouts import qwen_state
from reverie.layouts.qwen_state import Cursor, Meta

NOW = datetime(2026, 12, 1, 4, 7, 8, 550_999, tzinfo=UTC)
STAMP = "2026-12-01T04:07:08.550Z"


def test_a_cursor_moves_and_keeps_what_it_does_not_know() -> None:
    fresh = b'{\n  "updatedAt": "2026-11-01T00:00:00.000Z",\n  "vendor": {"x": [1, 2.50]}\n}\n'
    moved = qwen_state.advanced(fresh, session="s-1", offset=3, now=NOW)
    assert moved == (
        b'{\n  "updatedAt": "2026-12-01T04:07:08.550Z",\n  "vendor": {\n    "x": [\n      1,\n      2.5\n    ]\n  },\n  "sessionId": "s-1",\n  "processedOffset": 3\n}\n'
    )
    assert qwen_state.cursor(moved) == Cursor(session="s-1", offset=3, updated_at=NOW.replace(microsecond=550_000))
    assert qwen_state.cursor(fresh) == Cursor(updated_at=datetime(2026, 11, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    ("session", "history", "start"), [("s-1", 10, 3), ("s-1", 3, 3), ("s-1", 2, 0), ("s-2", 10, 0)],
    ids=["same session", "nothing new", "history shorter than the cursor", "another session"],
)  # fmt: skip
def test_where_reading_goes_on(session: str, history: int, start: int) -> None:
    assert qwen_state.start_of(Cursor(session="s-1", offset=3), session, history) == start


@pytest.mark.parametrize(
    ("data", "broken"),
    [
        (None, False), (b"", False), (b" \n", False), (b"{}", False), (b"\xef\xbb\xbf{}", False),
        (b"{", True), (b"[]", True), (b"null", True), (b"\xff", True), (b'{"a": NaN}', True), (b"[" * 200_000, True), (b'{"a": ' + b"9" * 5_000 + b"}", True),
        (b'{"a": "' + b"x" * (1 << 20) + b'"}', True),
    ],
    ids=["none", "empty", "blank", "object", "BOM", "torn", "list", "null", "not UTF-8", "NaN", "deep", "huge number", "huge"],
)  # fmt: skip
def test_broken_files_count_as_empty(data: bytes | None, broken: bool) -> None:
    assert qwen_state.parsed(data) == ({}, broken)
    assert qwen_state.cursor(data) == Cursor()
    assert qwen_state.meta(data) == Meta()
    assert json.loads(qwen_state.advanced(data, session="s", offset=1, now=NOW))["processedOffset"] == 1


@pytest.mark.parametrize("offset", ["-1", "1.5", '"3"', "true", "null"])
def test_an_offset_that_makes_no_sense_is_the_start(offset: str) -> None:
    assert qwen_state.cursor(f'{{"sessionId": "s", "processedOffset": {offset}}}'.encode()).offset == 0


def test_meta_through_its_life() -> None:
    made = qwen_state.scaffold(None, NOW)
    assert json.loads(made) == {"version": 1, "createdAt": STAMP, "updatedAt": STAMP}
    assert qwen_state.scaffold(made, NOW) == made
    done = qwen_state.extracted(made, session="s-1", topics=["user", "project"], now=NOW)
    dreamt = qwen_state.dreamt(done, session="s-2", topics=[], now=NOW)
    assert json.loads(dreamt) == {
        "version": 1, "createdAt": STAMP, "updatedAt": STAMP,
        "lastExtractionAt": STAMP, "lastExtractionSessionId": "s-1", "lastExtractionTouchedTopics": ["user", "project"],
        "lastExtractionStatus": "updated",
        "lastDreamAt": STAMP, "lastDreamSessionId": "s-2", "lastDreamTouchedTopics": [], "lastDreamStatus": "noop",
        "recentSessionIdsSinceDream": [],
    }  # fmt: skip
    found = qwen_state.meta(dreamt)
    assert (found.last_extraction_session, found.last_dream_session) == ("s-1", "s-2")
    assert found.last_dream_at == found.created_at == NOW.replace(microsecond=550_000)


def test_half_characters_survive() -> None:
    data = b'{"odd": "\\ud800", "name": "\xe6\x97\xa5"}'
    assert json.loads(qwen_state.changed(data, NOW, {})) == json.loads(data) | {"updatedAt": STAMP}


@given(st.binary(max_size=60))
def test_any_bytes_are_a_state_file(data: bytes) -> None:
    qwen_state.meta(data)
    qwen_state.cursor(data)
    qwen_state.holder(data)
    json.loads(qwen_state.dreamt(data, session="s", topics=[], now=NOW))


@pytest.mark.parametrize(
    ("data", "age", "alive", "stale"),
    [
        pytest.param(b"123", 10, True, False, id="held"),
        pytest.param(b"123", 3_600, True, False, id="held for an hour"),
        pytest.param(b"123", 3_600.1, True, True, id="older than an hour, alive"),
        pytest.param(b"123", 10, False, True, id="its process is gone"),
        pytest.param(b"123", -50, True, False, id="from the future, alive"),
        pytest.param(b"", 10, True, True, id="empty"),
        pytest.param(b"abc", 10, True, True, id="no number"),
        pytest.param(b"0", 10, True, True, id="zero"),
        pytest.param(b"99999999999999999999", 10, True, True, id="no process id"),
        pytest.param(b"123\n", 10, True, False, id="with a line end"),
    ],
)
def test_when_a_lock_is_stale(data: bytes, age: float, alive: bool, stale: bool) -> None:
    assert qwen_state.is_stale(data, age, lambda pid: alive) is stale
    assert qwen_state.holder(qwen_state.lock(123)) == 123
