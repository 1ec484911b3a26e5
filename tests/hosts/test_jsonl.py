"""The engine: what it holds of a file of any size, and that readings of a growing file add up to one reading of the whole."""

from __future__ import annotations

import io
import json
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reverie import hosts
from reverie.core.session import Cursor, Message, Reading, Transcript
from reverie.hosts import jsonl

HOSTS = ("claude-code", "qwen-code", "codex", "kimi-code")


def line(host: str, number: int, voice: str, text: str, parent: int | None) -> dict[str, Any]:
    """One record of any host, for the tests that are about lines rather than about what they mean."""
    name = f"{number:08}-aaaa-4bbb-8ccc-dddddddddddd"
    above = None if parent is None else f"{parent:08}-aaaa-4bbb-8ccc-dddddddddddd"
    at = f"2026-12-01T05:{number // 60 % 60:02}:{number % 60:02}.000Z"
    if host == "claude-code":
        content: Any = text if voice == "person" else [{"type": "text", "text": text}]
        if voice == "tool":
            content = [{"type": "tool_result", "tool_use_id": "c", "content": text}]
        kind = "assistant" if voice == "assistant" else "user"
        return {
            "parentUuid": above, "isSidechain": False, "type": kind, "message": {"role": kind, "content": content}, "uuid": name,
            "timestamp": at, "cwd": "/srv/app", "sessionId": "session", "gitBranch": "main",
        }
    if host == "qwen-code":
        kind = {"person": "user", "assistant": "assistant", "tool": "tool_result"}[voice]
        part = {"functionResponse": {"name": "t", "response": {"output": text}}} if voice == "tool" else {"text": text}
        return {
            "uuid": name, "parentUuid": above, "sessionId": "session", "timestamp": at, "type": kind,
            "provenance": {"user": "real_user"}.get(kind, "x"), "cwd": "/srv/app", "message": {"parts": [part]},
        }
    if host == "codex":
        payload: dict[str, Any] = {"type": "function_call_output", "call_id": "c", "output": text}
        if voice != "tool":
            payload = {"type": "message", "role": {"person": "user"}.get(voice, voice), "content": [{"type": "x", "text": text}]}
        return {"timestamp": at, "type": "response_item", "payload": payload}
    event = {"type": "content.part", "uuid": name, "part": {"type": "text", "text": text}}
    if voice == "tool":
        event = {"type": "tool.result", "toolCallId": name, "result": {"output": text}}
    if voice != "person":
        return {"type": "context.append_loop_event", "event": event, "time": 1796097203241 + number}
    said = {"role": "user", "content": [{"type": "text", "text": text}], "id": name, "origin": {"kind": "user"}}
    return {"type": "context.append_message", "message": said, "time": 1796097203241 + number}


def head(host: str) -> list[dict[str, Any]]:
    """What a file of a host begins with."""
    if host == "codex":
        return [{"timestamp": "2026-12-01T05:00:00Z", "type": "session_meta", "payload": {"id": "session", "cwd": "/srv/app"}}]
    return [{"type": "metadata", "protocol_version": "1.5", "created_at": 1}] if host == "kimi-code" else []


def conversation(host: str, turns: int, size: int = 20) -> bytes:
    """A straight conversation of this many turns."""
    records, number = head(host), 0
    for turn in range(turns):
        for voice in ("person", "assistant", "tool", "assistant"):
            records.append(line(host, number, voice, f"{voice} {turn} {number} " + "x" * size, number - 1 if number else None))
            number += 1
    return b"".join(json.dumps(record, separators=(",", ":")).encode() + b"\n" for record in records)


def transcript(host: str, path: Path) -> Transcript:
    return Transcript(host=host, session="session", path=str(path), cwd="/srv/app")


def read(host: str, path: Path, since: Cursor | None = None) -> tuple[list[Message], Reading]:
    reading = hosts.get(host).read(transcript(host, path), since)
    return list(reading.messages), reading


@pytest.fixture(params=HOSTS)
def host(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def blocks(data: bytes, start: int = 0, skipped: list[str] | None = None) -> Iterator[tuple[bytes, int]]:
    yield from jsonl.Blocks(io.BytesIO(data), start, (skipped if skipped is not None else []).append)


@given(
    st.lists(st.binary(max_size=40).map(lambda data: data.replace(b"\n", b"")), max_size=30), st.integers(1, 64), st.booleans(),
)
@settings(max_examples=200)
def test_blocks_are_the_file_cut_at_line_ends(lines: list[bytes], chunk: int, end: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jsonl, "CHUNK_BYTES", chunk)
        data = b"\n".join(lines) + (b"\n" if end else b"")
        whole = data[:data.rfind(b"\n") + 1]
        found = list(blocks(data))
    assert b"".join(block for block, _ in found if block.endswith(b"\n")) == whole
    position = 0
    for block, start in found:
        assert start == position
        assert jsonl.line_starts(block) == [index for index in range(len(block)) if index == 0 or block[index - 1:index] == b"\n"]
        position += len(block)


@given(st.lists(st.integers(0, 60), min_size=1, max_size=12), st.integers(1, 32), st.integers(5, 40))
@settings(max_examples=200)
def test_too_long_lines_are_passed_over_and_the_others_are_not(lengths: list[int], chunk: int, limit: int) -> None:
    lines = [bytes([65 + index % 26]) * length for index, length in enumerate(lengths)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jsonl, "CHUNK_BYTES", chunk)
        patch.setattr(jsonl, "LINE_BYTES", limit)
        skipped: list[str] = []
        found = b"".join(block for block, _ in blocks(b"\n".join(lines) + b"\n", skipped=skipped))
    # a line that fits into one chunk with its neighbours was never held back, so it is no burden
    kept = [one for one in found.split(b"\n") if one]
    assert [one for one in lines if 0 < len(one) <= limit] == [one for one in kept if len(one) <= limit]
    assert all(len(one) <= max(limit, chunk) for one in kept)
    assert len(kept) + len(skipped) == len([one for one in lines if one])


def test_a_huge_line_costs_no_memory(host: str, tmp_path: Path) -> None:
    """Seventy megabytes in one line; five hundred take as little, only longer."""
    path = tmp_path / "session.jsonl"
    with path.open("wb") as out:
        out.write(conversation(host, 1))
        out.write(b'{"type":"user","message":{"content":"')
        for _ in range(70):
            out.write(b"x" * 1_000_000)
        out.write(b'"}}\n')
        out.write(conversation(host, 2)[len(conversation(host, 1)):])
    tracemalloc.start()
    messages, reading = read(host, path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [message.text.split()[:2] for message in messages if message.voice == "person"] == [["person", "0"], ["person", "1"]]
    assert reading.skipped["line_too_long"] == 1
    assert peak < 3 * jsonl.LINE_BYTES / 2


def test_memory_does_not_grow_with_the_file(host: str, tmp_path: Path) -> None:
    peaks = []
    for turns in (300, 3_000):
        path = tmp_path / f"{turns}.jsonl"
        path.write_bytes(conversation(host, turns, size=800))
        tracemalloc.start()
        for _ in hosts.get(host).read(transcript(host, path)).messages:
            pass
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] * 1.6 + 1_000_000


def test_an_unfinished_last_line_waits(host: str, tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    whole = conversation(host, 2)
    path.write_bytes(whole[:-30])
    messages, first = read(host, path)
    assert first.skipped.get("unfinished_line") == 1
    path.write_bytes(whole)
    more, second = read(host, path, first.cursor)
    assert [message.text for message in messages + more[second.fresh_from:]] == [message.text for message in read(host, path)[0]]
    assert not second.restarted


def test_a_last_line_that_only_lacks_its_end_is_read(host: str, tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    whole = conversation(host, 2)
    path.write_bytes(whole[:-1])
    messages, first = read(host, path)
    assert len(messages) == 8
    path.write_bytes(whole + conversation(host, 3)[len(whole):])
    more, second = read(host, path, first.cursor)
    assert len(more[second.fresh_from:]) == 4
    assert not second.restarted


@pytest.mark.parametrize(
    ("bad", "skip"),
    [
        (b'{"type":"user","uuid":"x', "broken_json"),
        (b"\xff\xfe", "invalid_utf8"),
        (b"\x00" * 200, "nul_bytes"),
        (b"[1, 2]", "not_an_object"),
        (b'"text"', "not_an_object"),
        (b'{"a":' * 20_000 + b"1" + b"}" * 20_000, "too_deep"),
        (b"\xef\xbb\xbf", None),
        (b"", None),
        (b"   \t\r", None),
    ],
    ids=["broken", "utf8", "nul", "list", "text", "deep", "bom", "empty", "blank"],
)
def test_a_bad_line_costs_only_itself(bad: bytes, skip: str | None, host: str, tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    good = conversation(host, 3)
    cut = good.index(b"\n", len(good) // 2) + 1
    if skip == "invalid_utf8":
        bad = json.dumps(line(host, 99, "person", "HERE", None)).encode().replace(b"HERE", bad)
    path.write_bytes(good[:cut] + bad + b"\n" + good[cut:])
    messages, reading = read(host, path)
    assert len(messages) == 12
    if skip:
        assert reading.skipped[skip] == 1


def test_words_after_a_crash_s_zeros_are_heard(host: str, tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    good = conversation(host, 2)
    cut = good.index(b"\n", len(good) // 2) + 1
    path.write_bytes(good[:cut] + b"\x00" * 300 + good[cut:])
    messages, reading = read(host, path)
    assert len(messages) == 8
    assert reading.skipped["nul_bytes"] == 1


@pytest.mark.parametrize("change", ["shorter", "other", "same_beginning", "empty", "cursor"])
def test_a_file_that_is_not_the_same_is_read_again(change: str, host: str, tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(conversation(host, 6))
    _, first = read(host, path)
    cursor = first.cursor
    if change == "shorter":
        path.write_bytes(conversation(host, 3))
    elif change == "other":
        path.write_bytes(conversation(host, 9, size=30))
    elif change == "same_beginning":
        data = conversation(host, 9)
        path.write_bytes(data[:4000] + data[4000:].replace(b"xxxx", b"yyyy"))
    elif change == "empty":
        path.write_bytes(b"")
    else:
        cursor = Cursor(position=cursor.position, mark="nonsense", context=cursor.context)
    messages, second = read(host, path, cursor)
    assert second.restarted
    assert second.fresh_from == 0
    assert [message.text for message in messages] == [message.text for message in read(host, path)[0]]


@pytest.mark.parametrize(
    "cursor",
    [
        Cursor(position=-5), Cursor(position=10**15, mark='{"size":9}'), Cursor(position=5, context=9, mark="{}"),
        Cursor(position=3, mark='{"head":"x","size":1000000000000}'), Cursor(position=3, mark='{"size":-1}'),
        Cursor(position=3, mark='{"state":[]}'), Cursor(messages=3),
    ],
)
def test_a_broken_cursor_starts_again(cursor: Cursor, host: str, tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(conversation(host, 2))
    messages, reading = read(host, path, cursor)
    assert len(messages) == 8
    assert reading.restarted


def test_nothing_new_is_nothing(host: str, tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(conversation(host, 5))
    _, first = read(host, path)
    messages, second = read(host, path, first.cursor)
    assert messages[second.fresh_from:] == []
    assert second.cursor == first.cursor
    assert second.skipped == {}
    assert len(first.cursor.mark) < 1500


def test_the_last_exchanges_come_again_as_context(host: str, tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(conversation(host, 9))
    _, first = read(host, path)
    path.write_bytes(conversation(host, 10))
    reading = hosts.get(host).read(transcript(host, path), first.cursor)
    assert reading.fresh_from == 12            # known before the first message is asked for
    messages = list(reading.messages)
    assert [message.text.split()[1] for message in messages] == [str(turn) for turn in range(6, 10) for _ in range(4)]
    assert reading.cursor.messages == 40


def test_a_very_long_exchange_is_entered_at_its_last_answer(host: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "CONTEXT_BYTES", 600)
    path = tmp_path / "session.jsonl"
    path.write_bytes(conversation(host, 9, size=200))
    _, first = read(host, path)
    _, second = read(host, path, first.cursor)
    assert second.fresh_from == 1


def test_a_reading_that_is_not_finished_has_not_moved(host: str, tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(conversation(host, 9))
    reading = hosts.get(host).read(transcript(host, path))
    next(reading.messages)
    assert reading.cursor == Cursor()


def test_a_file_that_is_exchanged_while_it_is_read_is_left(host: str, tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(conversation(host, 3))
    reading = hosts.get(host).read(transcript(host, path))
    other = tmp_path / "other.jsonl"
    other.write_bytes(conversation(host, 3))
    other.replace(path)
    assert list(reading.messages) == []
    assert reading.skipped == {"file_changed": 1}
    assert reading.cursor == Cursor()


def test_what_is_written_while_it_is_read_is_for_the_next_time(host: str, tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    whole = conversation(host, 600, size=600)
    cut = len(conversation(host, 300, size=600))
    path.write_bytes(whole[:cut])
    reading = hosts.get(host).read(transcript(host, path))
    texts = [next(reading.messages).text]
    with path.open("ab") as out:
        out.write(whole[cut:])
    texts += [message.text for message in reading.messages]
    more, second = read(host, path, reading.cursor)
    texts += [message.text for message in more[second.fresh_from:]]
    assert texts == [message.text for message in read(host, path)[0]]


VOICES = st.sampled_from(["person", "assistant", "tool"])
RECORD = st.tuples(VOICES, st.integers(0, 3), st.sampled_from(["plain", "sidechain", "bookkeeping", "broken", "blank", "spaced"]))


def grown(host: str, shape: list[tuple[str, int, str]]) -> bytes:
    """A transcript of any shape without a rewind."""
    out, number = b"".join(json.dumps(record).encode() + b"\n" for record in head(host)), 0
    for voice, repeat, kind in shape:
        if kind == "broken":
            out += b'{"type":"user","mess\n'
        elif kind == "blank":
            out += b"\r\n"
        elif kind == "bookkeeping":
            out += b'{"type":"mode","mode":"x","timestamp":"2026-12-01T05:00:00Z","payload":{}}\n'
        else:
            for _ in range(repeat + 1):
                record = line(host, number, voice, f"{voice} {number}", number - 1 if number else None)
                separators = (", ", ": ") if kind == "spaced" else (",", ":")
                out += json.dumps(record, separators=separators).encode() + b"\n"
                number += 1
    return out


@pytest.mark.parametrize("host", HOSTS)
@given(shape=st.lists(RECORD, min_size=1, max_size=25), cuts=st.lists(st.floats(0, 1), max_size=6), chunk=st.sampled_from([7, 64, 1 << 18]))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_readings_of_a_growing_file_add_up_to_one_of_the_whole(
    host: str, shape: list[tuple[str, int, str]], cuts: list[float], chunk: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("grown") / "session.jsonl"
    whole = grown(host, shape)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jsonl, "CHUNK_BYTES", chunk)
        handed_out: list[Message] = []
        cursor = None
        for place in [*sorted(cuts), 1.0]:
            path.write_bytes(whole[:int(place * len(whole))])
            messages, reading = read(host, path, cursor)
            assert messages[:reading.fresh_from] == (handed_out[-reading.fresh_from:] if reading.fresh_from else [])
            assert not reading.restarted
            handed_out += messages[reading.fresh_from:]
            cursor = reading.cursor
            assert cursor.messages == len(handed_out)
        expected, _ = read(host, path)
    assert handed_out == expected


@pytest.mark.parametrize("host", ["claude-code", "qwen-code"])
@given(
    shape=st.lists(st.tuples(VOICES, st.integers(0, 9)), min_size=2, max_size=30), cuts=st.lists(st.floats(0, 1), max_size=4),
)
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_with_rewinds_only_what_is_told_is_too_much(
    host: str, shape: list[tuple[str, int]], cuts: list[float], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Prompts hang on any earlier record. What a reading of the whole gives, the readings in parts gave too, in its order; what
    they gave beyond that was taken back later, and they said so. Where someone went back to an old branch, all is read again."""
    path = tmp_path_factory.mktemp("rewound") / "session.jsonl"
    records, parents = [], []
    for number, (voice, back) in enumerate(shape):
        back = back if voice == "person" else 0
        parents.append(max(0, number - 1 - back) if number else None)
        records.append(json.dumps(line(host, number, voice, f"{voice} {number}", parents[-1]), separators=(",", ":")).encode() + b"\n")
    whole = b"".join(records)
    handed_out: list[Message] = []
    cursor, told = None, 0
    for place in [*sorted(cuts), 1.0]:
        path.write_bytes(whole[:int(place * len(whole))])
        messages, reading = read(host, path, cursor)
        handed_out = messages if reading.restarted else handed_out + messages[reading.fresh_from:]
        told += reading.skipped.get("taken_back_late", 0)
        cursor = reading.cursor
    expected, _ = read(host, path)
    assert [message for message in handed_out if message in expected] == expected
    too_much = [message for message in handed_out if message not in expected and message.voice == "person"]
    assert told >= len(too_much)


@pytest.mark.parametrize("host", ["claude-code", "qwen-code"])
def test_a_rewind_that_reaches_back_into_what_was_handed_out_is_told(host: str, tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    whole = conversation(host, 9)
    path.write_bytes(whole)
    _, first = read(host, path)
    prompt = line(host, 500, "person", "use pnpm", 3)           # after the first turn
    path.write_bytes(whole + json.dumps(prompt, separators=(",", ":")).encode() + b"\n")
    messages, second = read(host, path, first.cursor)
    assert [message.text for message in messages[second.fresh_from:]] == ["use pnpm"]
    assert messages[:second.fresh_from] == []                   # what was taken back is no context
    assert second.skipped["taken_back_late"] == 8
    _, third = read(host, path, second.cursor)
    assert "taken_back_late" not in third.skipped
    whole_again, reading = read(host, path)
    assert [message.text.split()[0] for message in whole_again if message.voice == "person"] == ["person", "use"]
    assert reading.skipped["taken_back"] == 32


@pytest.mark.parametrize(
    ("host", "record"),
    [
        ("kimi-code", {"type": "context.undo", "count": 2}),
        ("kimi-code", {"type": "context.clear"}),
        ("codex", {"timestamp": "2026-12-01T06:00:00Z", "type": "event_msg", "payload": {"type": "thread_rolled_back", "num_turns": 2}}),
    ],
)
def test_an_undo_of_what_was_handed_out_is_told(host: str, record: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    whole = conversation(host, 5)
    path.write_bytes(whole)
    _, first = read(host, path)
    path.write_bytes(whole + json.dumps(record).encode() + b"\n")
    messages, second = read(host, path, first.cursor)
    assert messages[second.fresh_from:] == []
    assert second.skipped["taken_back_late"] == (5 if record["type"] == "context.clear" else 2)
    left = [message.text.split()[1] for message in messages if message.voice == "person"]
    assert left == ([] if record["type"] == "context.clear" else ["2"])


def test_a_rewind_within_one_reading_is_not_handed_out_at_all(host: str, tmp_path: Path, write: Callable[..., Path]) -> None:
    path = tmp_path / "session.jsonl"
    data = conversation(host, 3)
    if host in ("claude-code", "qwen-code"):
        data += json.dumps(line(host, 500, "person", "instead", 3)).encode() + b"\n"
    elif host == "kimi-code":
        data += json.dumps({"type": "context.undo", "count": 2}).encode() + b"\n"
    else:
        payload = {"type": "thread_rolled_back", "num_turns": 2}
        data += json.dumps({"timestamp": "x", "type": "event_msg", "payload": payload}).encode() + b"\n"
    path.write_bytes(data)
    messages, reading = read(host, path)
    assert [message.text.split()[0] for message in messages][:4] == ["person", "assistant", "tool", "assistant"]
    assert {message.text.split()[1] for message in messages if message.text != "instead"} == {"0"}
    assert reading.skipped["taken_back"] == 8
    assert "taken_back_late" not in reading.skipped
