"""Whatever stands in a transcript: no exception, no endless loop, and a cursor that goes on."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reverie import hosts
from reverie.core.session import Transcript, Unreadable, Voice

# Records that each host really has, to be taken apart and put together wrongly.
RECORDS: dict[str, list[Any]] = {
    "claude-code": [
        {"parentUuid": None, "isSidechain": False, "type": "user", "message": {"role": "user", "content": "hi"}, "uuid": "u1",
         "timestamp": "2026-12-01T05:00:00Z", "cwd": "/p", "sessionId": "s", "gitBranch": "main", "origin": {"kind": "human"}},
        {"parentUuid": "u1", "type": "assistant", "message": {"id": "m", "model": "x", "content": [
            {"type": "text", "text": "ok"}, {"type": "tool_use", "id": "c", "name": "Bash", "input": {"a": [1]}}]}, "uuid": "a1",
         "isApiErrorMessage": False, "sessionId": "s"},
        {"parentUuid": "a1", "type": "user", "message": {"content": [
            {"type": "tool_result", "tool_use_id": "c", "content": [{"type": "text", "text": "out"}], "is_error": True}]}, "uuid": "u2",
         "toolDenialKind": "user-rejected", "forkedFrom": {"sessionId": "t", "messageUuid": "u"}, "sessionId": "s"},
        {"parentUuid": "u2", "type": "attachment", "attachment": {"type": "queued_command", "prompt": [{"type": "text", "text": "x"}],
         "commandMode": "prompt", "origin": {"kind": "human"}}, "uuid": "q1", "sessionId": "s"},
        {"type": "continued-in", "sessionId": "s", "continuedInSessionId": "t"},
    ],
    "qwen-code": [
        {"uuid": "u1", "parentUuid": None, "sessionId": "s", "timestamp": "2026-12-01T05:00:00Z", "type": "user", "cwd": "/p",
         "provenance": "real_user", "message": {"role": "user", "parts": [{"text": "hi"}]},
         "systemPayload": {"displayText": "hi", "hookContext": "x"}},
        {"uuid": "a1", "parentUuid": "u1", "sessionId": "s", "type": "assistant", "provenance": "assistant_output",
         "message": {"parts": [{"text": "ok", "thought": True}, {"functionCall": {"name": "x", "args": {}}}]}},
        {"uuid": "t1", "parentUuid": "a1", "sessionId": "s", "type": "tool_result", "provenance": "tool_result",
         "message": {"parts": [{"functionResponse": {"id": "c", "name": "x", "response": {"output": "out", "error": "e"}}}]},
         "toolCallResult": {"status": "error"}},
        {"uuid": "r1", "parentUuid": None, "sessionId": "s", "type": "system", "subtype": "rewind", "systemPayload": {"truncatedCount": 1}},
    ],
    "codex": [
        {"timestamp": "2026-12-01T05:00:00Z", "type": "session_meta", "payload": {
            "id": "01a2301e-b995-7a53-8763-16f1833d3b42", "cwd": "/p", "forked_from_id": "01a2301e-b995-7a53-8763-16f1833d3b41",
            "source": {"subagent": {"thread_spawn": {"parent_thread_id": "x"}}}, "git": {"branch": "main"}}},
        {"timestamp": "2026-12-01T05:00:01Z", "type": "response_item", "payload": {
            "type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}],
            "internal_chat_message_metadata_passthrough": {"content_item_kinds": ["user.text"], "turn_id": "t"}},
         "metadata": {"inherited_user_message": True}},
        {"timestamp": "2026-12-01T05:00:02Z", "type": "event_msg", "payload": {"type": "item_completed", "item": {
            "type": "UserMessage", "id": "i", "content": [{"type": "text", "text": "hi"}]}}},
        {"type": "response_item", "payload": {"type": "function_call", "name": "x", "arguments": "{}", "call_id": "c"}},
        {"type": "response_item", "payload": {"type": "function_call_output", "call_id": "c", "output": "Exit code: 1\nOutput:\nx"}},
        {"type": "event_msg", "payload": {"type": "thread_rolled_back", "num_turns": 1}},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "ok"}]},
    ],
    "kimi-code": [
        {"type": "metadata", "protocol_version": "1.5", "created_at": 1},
        {"type": "context.append_message", "message": {"role": "user", "content": [{"type": "text", "text": "hi"}], "id": "m",
         "origin": {"kind": "user", "trigger": "user-slash"}, "toolCalls": [{"id": "c", "function": {"name": "x"}}]}, "time": 5},
        {"type": "context.append_loop_event", "event": {"type": "content.part", "uuid": "u", "part": {"type": "text", "text": "ok"}}},
        {"type": "context.append_loop_event", "event": {"type": "tool.result", "toolCallId": "c", "result": {"output": "x", "isError": True}}},
        {"type": "turn.steer", "input": [{"type": "text", "text": "x"}], "messageId": "m", "origin": {"kind": "user"}},
        {"type": "context.undo", "count": 1}, {"type": "context.clear"}, {"type": "forked"},
        {"type": "context.apply_compaction", "summary": "x"},
        {"timestamp": 1.5, "message": {"type": "TurnBegin", "payload": {"user_input": [{"type": "text", "text": "x"}]}}},
        {"timestamp": 1.5, "message": {"type": "ToolResult", "payload": {"tool_call_id": "c", "return_value": {"output": "x"}}}},
    ],
}

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3), max_leaves=6,
)


@st.composite
def bent(draw: st.DrawFn, host: str) -> bytes:
    """A record with one of its parts exchanged, or its bytes damaged."""
    record = json.loads(json.dumps(draw(st.sampled_from(RECORDS[host]))))
    kind = draw(st.sampled_from(["as it is", "part", "part", "part", "bytes", "cut", "joined", "anything"]))
    if kind == "anything":
        return json.dumps(draw(JSON)).encode()
    if kind == "part":
        place, key = record, draw(st.sampled_from(list(record)))
        while isinstance(place[key], (dict, list)) and place[key] and draw(st.booleans()):
            place = place[key]
            key = draw(st.sampled_from(list(place))) if isinstance(place, dict) else draw(st.integers(0, len(place) - 1))
        place[key] = draw(JSON)
    separators = draw(st.sampled_from([(",", ":"), (", ", ": ")]))
    data = json.dumps(record, separators=separators, ensure_ascii=draw(st.booleans())).encode("utf-8", "surrogatepass")
    if kind == "bytes":
        at = draw(st.integers(0, len(data) - 1))
        data = data[:at] + draw(st.binary(max_size=4)) + data[at + draw(st.integers(0, 3)):]
    elif kind == "cut":
        data = data[:draw(st.integers(0, len(data)))]
    elif kind == "joined":
        data += data
    return data


@pytest.mark.parametrize("host", sorted(RECORDS))
@given(data=st.data())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_no_lines_make_a_reader_fail(host: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    lines = data.draw(st.lists(bent(host), max_size=12))
    whole = b"\n".join(lines) + data.draw(st.sampled_from([b"", b"\n"]))
    path = tmp_path_factory.mktemp("bent") / data.draw(st.sampled_from(["s.jsonl", "wire.jsonl", "context.jsonl", "agent-s.jsonl"]))
    path.write_bytes(whole)
    dialect = hosts.get(host)
    found = list(dialect.at(str(path)) or ()) + list(hosts.recognise(str(path)))
    found.append(Transcript(host=host, session="s", path=str(path), about=data.draw(
        st.sampled_from([{}, {"client": "kimi-cli"}, {"parent_is_there": True}, {"continues": str(path)}, {"forked_from": "x"}])
    )))
    for one in found:
        if isinstance(one, Unreadable):
            continue
        path.write_bytes(whole[:data.draw(st.integers(0, len(whole)))])
        first = hosts.get(one.host).read(one)
        list(first.messages)
        path.write_bytes(whole)
        second = hosts.get(one.host).read(one, first.cursor)
        for message in second.messages:
            assert isinstance(message.text, str)
            message.text.encode()
            assert message.voice in Voice
            assert message.at is None or message.at.utcoffset() is not None
        assert 0 <= second.cursor.context <= second.cursor.position <= len(whole)
        assert all(count > 0 for count in second.skipped.values())


VALUES = st.none() | st.integers(-5, 5) | st.floats() | st.text(max_size=5) | st.binary(max_size=5)


@given(data=st.data())
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_no_rows_make_a_reader_fail(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("bent") / "opencode.db"
    content = st.dictionaries(
        st.sampled_from(["role", "time", "error", "summary", "type", "text", "synthetic", "tool", "state", "content", "mode"]),
        JSON | st.sampled_from(["user", "assistant", "text", "tool", {"created": 1}, {"status": "completed", "output": "x"}]), max_size=5,
    ).map(json.dumps)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE session (id, parent_id, directory, revert, title, project_id, time_created, time_updated)")
        connection.execute("CREATE TABLE message (id, session_id, time_created, data)")
        connection.execute("CREATE TABLE part (id, message_id, data)")
        connection.execute("CREATE TABLE session_message (id, session_id, seq, type, data, time_created)")
        connection.execute("INSERT INTO session VALUES ('s', ?, ?, ?, ?, ?, ?, ?)", [data.draw(VALUES | content) for _ in range(7)])
        for number in range(data.draw(st.integers(0, 5))):
            name = data.draw(VALUES | st.just(f"msg_{number}"))
            connection.execute("INSERT INTO message VALUES (?, 's', ?, ?)", (name, data.draw(VALUES), data.draw(VALUES | content)))
            connection.execute("INSERT INTO part VALUES (?, ?, ?)", (data.draw(VALUES), name, data.draw(VALUES | content)))
        if data.draw(st.booleans()):
            row = (data.draw(VALUES), data.draw(VALUES), data.draw(VALUES), data.draw(VALUES | content), data.draw(VALUES))
            connection.execute("INSERT INTO session_message VALUES (?, 's', ?, ?, ?, ?)", row)
        connection.commit()
    for one in hosts.recognise(str(path)):
        assert isinstance(one, Transcript)
        first = hosts.get("opencode").read(one)
        list(first.messages)
        second = hosts.get("opencode").read(one, first.cursor)
        assert list(second.messages)[second.fresh_from:] == []


@given(st.binary(max_size=300))
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_bytes_make_recognition_fail(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    folder = tmp_path_factory.mktemp("bytes")
    for name in ("x.jsonl", "opencode.db", "rollout-x.jsonl.zst", "storage/session/p/s.json"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        list(hosts.recognise(str(path)))
    list(hosts.recognise(str(folder)))
