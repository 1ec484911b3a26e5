"""Kimi Code's wire, and kimi-cli's before it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from reverie import hosts
from reverie.core.session import Transcript

HOST = "kimi-code"
CWD = "/home/me/proj"
T0 = 1796097203241


class Wire:
    """Records of one agent's wire."""

    def __init__(self, protocol: str = "1.5") -> None:
        self.records: list[Any] = [{"type": "metadata", "protocol_version": protocol, "created_at": T0}]

    def add(self, kind: str, **values: Any) -> None:
        self.records.append({"type": kind, "agentId": "main", **values, "time": T0 + 1000 * len(self.records)})

    def said(self, role: str, *parts: Any, origin: Any = None, **values: Any) -> None:
        content = [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]
        message = {"role": role, "content": content, "toolCalls": [], **values}
        if origin is not None:
            message["origin"] = origin
        self.add("context.append_message", message=message)

    def user(self, text: str, kind: str | None = "user", **values: Any) -> None:
        """A prompt as the client writes it: three times."""
        name = f"msg_{len(self.records)}"
        parts = [{"type": "text", "text": text}]
        if kind == "user":
            self.add("turn.prompt", input=parts, origin={"kind": "user"}, promptId=name)
        self.said("user", text, origin={"kind": kind} if kind else None, id=name, **values)
        self.records.append({
            "message": {"message": {"role": "user", "content": parts}}, "type": "agent.message.appended", "time": T0, "kind": "event",
        })

    def event(self, kind: str, **values: Any) -> None:
        self.add("context.append_loop_event", event={"type": kind, "turnId": "0", **values})

    def answer(self, text: str) -> None:
        self.event("step.begin", uuid=f"s{len(self.records)}", step=1)
        self.event("content.part", uuid=f"u{len(self.records)}", part={"type": "text", "text": text})
        self.event("step.end", uuid="s", finishReason="end_turn")


def session(home: Path, name: str = "session_1", **state: Any) -> Path:
    folder = home / ".kimi-code" / "sessions" / "wd_proj_0123456789ab" / name
    folder.mkdir(parents=True)
    facts = {"id": name, "version": 2, "cwd": CWD, "createdAt": T0, "updatedAt": T0 + 60_000, "agents": {"main": {"type": "main"}}}
    (folder / "state.json").write_text(json.dumps({**facts, **state}))
    return folder


@pytest.fixture
def said(write: Callable[..., Path], read: Callable[..., Any], tmp_path: Path) -> Callable[[Wire], Any]:
    folder = session(tmp_path)

    def reading(wire: Wire) -> Any:
        return read(write(folder / "agents" / "main" / "wire.jsonl", wire.records), HOST)

    return reading


def test_a_conversation_is_three_voices(said: Callable[[Wire], Any]) -> None:
    wire = Wire()
    wire.add("profile.bind", systemPrompt="You are Kimi.", modelAlias="m")
    wire.said("user", '<hook_result hook_event="UserPromptSubmit">\nuse yarn\n</hook_result>', origin={"kind": "hook_result"})
    wire.user("use tabs here")
    wire.said("user", "<system-reminder>\nToday\n</system-reminder>", origin={"kind": "injection", "variant": "date_change"})
    wire.event("content.part", uuid="u1", part={"type": "think", "think": "hm"})
    wire.event("content.part", uuid="u2", part={"type": "text", "text": "I look."})
    wire.event("tool.call", uuid="t1", toolCallId="c1", name="Read", args={"path": "a.py"})
    wire.event("tool.call", uuid="t2", toolCallId="c2", name="Bash", args={"command": "x"})
    wire.event("tool.result", parentUuid="t2", toolCallId="c2", result={"output": "boom", "isError": True})
    wire.event("tool.result", parentUuid="t1", toolCallId="c1", result={"output": [{"type": "text", "text": "1\tprint(1)"}]})
    wire.answer("Noted.")
    wire.add("turn.ended", turnId=0, reason="completed")
    found = said(wire)
    assert found.said == [
        ("person", "use tabs here"), ("assistant", "I look."), ("tool", "boom"), ("tool", "1\tprint(1)"), ("assistant", "Noted."),
    ]
    assert [(message.tool, message.failed) for message in found.fresh if message.voice == "tool"] == [("Bash", True), ("Read", False)]
    assert found.skipped["hook_context"] == 1
    assert found.skipped["injected_context"] == 1
    assert found.skipped["thinking"] == 1
    assert found.skipped["duplicate"] == 2
    assert found.reading.cwd == CWD
    assert found.fresh[0].at == datetime.fromtimestamp((T0 + 4000) / 1000, UTC)
    assert len({message.id for message in found.fresh}) == len(found.fresh)


def test_two_readings_make_one(write: Callable[..., Path], split: Callable[..., None], tmp_path: Path) -> None:
    wire = Wire()
    for turn in range(3):
        wire.user(f"prompt {turn}")
        wire.event("tool.call", uuid=f"t{turn}", toolCallId=f"c{turn}", name=f"Tool{turn}", args={})
        wire.said("user", "steer", origin={"kind": "user"}, id=f"steer{turn}")
        wire.add("turn.steer", input=[{"type": "text", "text": "steer"}], origin={"kind": "user"}, messageId=f"steer{turn}")
        wire.event("tool.result", toolCallId=f"c{turn}", result={"output": "ok"})
        wire.answer("Done.")
    split(write(session(tmp_path) / "agents" / "main" / "wire.jsonl", wire.records), HOST)


@pytest.mark.parametrize(
    ("kind", "skip"),
    [
        ("skill_activation", "slash_command"), ("plugin_command", "slash_command"), ("injection", "injected_context"),
        ("shell_command", "local_command"), ("compaction_summary", "compaction_summary"), ("system_trigger", "agent_prompt"),
        ("task", "background_task"), ("cron_job", "background_task"), ("cron_missed", "background_task"),
        ("hook_result", "hook_context"), ("retry", "duplicate"), ("something_new", "injected_context"),
    ],
)
def test_only_what_a_person_typed_has_the_origin_user(kind: str, skip: str, said: Callable[[Wire], Any]) -> None:
    wire = Wire()
    wire.said("user", "use yarn", origin={"kind": kind})
    found = said(wire)
    assert found.said == []
    assert found.skipped[skip] == 1


def test_undo_counts_back_over_prompts(said: Callable[[Wire], Any]) -> None:
    wire = Wire()
    for text in ("one", "use yarn", "use bun"):
        wire.user(text)
        wire.answer(f"{text} it is")
    wire.add("context.undo", count=2)
    wire.user("use pnpm")
    found = said(wire)
    assert found.said == [("person", "one"), ("assistant", "one it is"), ("person", "use pnpm")]
    assert found.skipped["taken_back"] == 4


def test_undo_counts_a_slash_command_too(said: Callable[[Wire], Any]) -> None:
    wire = Wire()
    wire.user("one")
    wire.said("user", "skill text", origin={"kind": "skill_activation", "trigger": "user-slash"})
    wire.add("context.undo", count=1)
    assert said(wire).by("person") == ["one"]


def test_undo_stops_at_a_compaction(said: Callable[[Wire], Any]) -> None:
    wire = Wire()
    wire.user("one")
    wire.add("context.apply_compaction", summary="they said one", contextSummary="…")
    wire.user("two")
    wire.add("context.undo", count=5)
    found = said(wire)
    assert found.by("person") == ["one"]
    assert found.skipped["compaction_summary"] == 1


@pytest.mark.parametrize("count", [0, -1, None, "x"])
def test_an_undo_of_nothing_takes_nothing_back(count: Any, said: Callable[[Wire], Any]) -> None:
    wire = Wire()
    wire.user("one")
    wire.add("context.undo", count=count)
    assert said(wire).by("person") == ["one"]


def test_clear_takes_back_everything(said: Callable[[Wire], Any]) -> None:
    wire = Wire()
    wire.user("use yarn")
    wire.answer("yarn it is")
    wire.add("context.clear")
    wire.user("use pnpm")
    assert said(wire).by("person") == ["use pnpm"]


def test_a_steering_prompt_has_two_records_and_is_one(said: Callable[[Wire], Any]) -> None:
    wire = Wire()
    wire.user("go")
    wire.said("user", "use tabs", origin={"kind": "user"}, id="steer1")
    wire.add("turn.steer", input=[{"type": "text", "text": "use tabs"}], origin={"kind": "user"}, messageId="steer1")
    wire.add("turn.steer", input=[{"type": "text", "text": "and LF"}], origin={"kind": "user"})
    assert said(wire).by("person") == ["go", "use tabs", "and LF"]


def test_protocol_1_0_and_sessions_that_were_taken_over(said: Callable[[Wire], Any]) -> None:
    wire = Wire("1.0")
    wire.said("user", "use tabs")                       # no origin, no id
    wire.said("assistant", "I look.", toolCalls=[{"id": "c1", "function": {"name": "Read", "arguments": "{}"}}])
    wire.said("tool", "print(1)", toolCallId="c1")
    wire.event("tool.call", uuid="t", toolCallId="c2", function={"name": "Bash", "arguments": "{}"})
    wire.event("tool.result", toolCallId="c2", result={"output": "ok"})
    for record in wire.records[1:]:
        del record["time"]
    found = said(wire)
    assert found.said == [("person", "use tabs"), ("assistant", "I look."), ("tool", "print(1)"), ("tool", "ok")]
    assert [message.tool for message in found.fresh if message.voice == "tool"] == ["Read", "Bash"]
    assert {message.at for message in found.fresh} == {None}


@pytest.mark.parametrize("spaces", [True, False])
def test_the_form_of_the_json_does_not_matter(spaces: bool, read: Callable[..., Any], tmp_path: Path) -> None:
    wire = Wire()
    wire.user("one")
    wire.user("use yarn")
    wire.add("context.undo", count=1)
    path = session(tmp_path) / "agents" / "main" / "wire.jsonl"
    path.parent.mkdir(parents=True)
    form = json.JSONEncoder(separators=(", ", ": ") if spaces else (",", ":"), sort_keys=spaces)
    path.write_text("".join(form.encode(record) + "\n" for record in wire.records))
    assert read(path, HOST).by("person") == ["one"]


def test_a_fork_leaves_out_what_it_copied(write: Callable[..., Path], read: Callable[..., Any], tmp_path: Path) -> None:
    parent, copy = Wire(), Wire()
    parent.user("use tabs")
    parent.answer("tabs it is")
    copy.records = [*parent.records]
    copy.add("forked")
    copy.user("and LF")
    older = session(tmp_path, "session_1")
    newer = session(tmp_path, "session_2", forkedFrom="session_1")
    write(older / "agents" / "main" / "wire.jsonl", parent.records)
    path = write(newer / "agents" / "main" / "wire.jsonl", copy.records)
    found = read(path, HOST)
    assert found.said == [("person", "and LF")]
    assert found.skipped["copied"] == 2
    older.rename(tmp_path / "elsewhere")
    assert read(path, HOST).by("person") == ["use tabs", "and LF"]


def test_sub_agents_are_found_and_marked(write: Callable[..., Path], find: Callable[..., list[Transcript]], tmp_path: Path) -> None:
    folder = session(tmp_path, agents={"main": {"type": "main"}, "agent-0": {"type": "sub", "parentAgentId": "main"}})
    main, agent = Wire(), Wire()
    main.user("go")
    agent.said("user", "Explore.", origin={"kind": "system_trigger", "name": "subagent"})
    agent.said("user", "Explore more.", origin={"kind": "user"})
    agent.answer("done")
    write(folder / "agents" / "main" / "wire.jsonl", main.records)
    write(folder / "agents" / "agent-0" / "wire.jsonl", agent.records)
    found = find(HOST, tmp_path)
    assert [(one.session, one.of_agent, one.cwd) for one in found] == [("session_1/agent-0", True, CWD), ("session_1", False, CWD)]
    reading = hosts.get(HOST).read(found[0])
    assert [message.voice.value for message in reading.messages] == ["assistant"]
    assert reading.skipped["agent_prompt"] == 2


@pytest.mark.parametrize("broken", ["{", "[]", "null", '{"cwd": 5}', ""])
def test_the_index_knows_the_directory_of_a_session_whose_state_is_broken(
    broken: str, write: Callable[..., Path], find: Callable[..., list[Transcript]], tmp_path: Path
) -> None:
    folder = session(tmp_path)
    (folder / "state.json").write_text(broken)
    write(folder / "agents" / "main" / "wire.jsonl", Wire().records)
    write(tmp_path / ".kimi-code" / "session_index.jsonl", [
        {"sessionId": "session_1", "sessionDir": "/elsewhere", "workDir": "/old"}, b"broken",
        {"sessionId": "session_1", "sessionDir": "/elsewhere", "workDir": CWD},
    ])
    (one,) = find(HOST, tmp_path)
    assert one.session == "session_1"
    assert one.cwd in (CWD, "")
    if broken != '{"cwd": 5}':
        assert one.cwd == CWD
    assert one.started_at == datetime.fromtimestamp(T0 / 1000, UTC)


def old_wire(*records: tuple[str, dict[str, Any]]) -> list[Any]:
    lines = [{"timestamp": T0 / 1000, "message": {"type": kind, "payload": payload}} for kind, payload in records]
    return [{"type": "metadata", "protocol_version": "1.10"}, *lines]


OLD = old_wire(
    ("TurnBegin", {"user_input": "use tabs"}), ("StepBegin", {"n": 1}), ("ContentPart", {"type": "think", "think": "hm"}),
    ("ContentPart", {"type": "text", "text": "I look."}),
    ("ToolCall", {"type": "function", "id": "c1", "function": {"name": "Shell", "arguments": "{}"}}),
    ("ApprovalResponse", {"request_id": "r", "response": "reject", "feedback": "never with sudo"}),
    ("ToolResult", {"tool_call_id": "c1", "return_value": {"is_error": True, "output": [{"type": "text", "text": "boom"}]}}),
    ("SubagentEvent", {"event": {"type": "ContentPart", "payload": {"type": "text", "text": "not said"}}}),
    ("SteerInput", {"user_input": [{"type": "text", "text": "and LF"}]}), ("TurnBegin", {"user_input": "/compact"}),
    ("CompactionBegin", {}), ("TurnEnd", {}),
)


def test_kimi_cli_s_wire_is_read(write: Callable[..., Path], find: Callable[..., list[Transcript]], tmp_path: Path) -> None:
    key = hashlib.md5(CWD.encode(), usedforsecurity=False).hexdigest()
    write(tmp_path / ".kimi" / "sessions" / key / "uuid-1" / "wire.jsonl", OLD)
    write(tmp_path / ".kimi" / "sessions" / key / "uuid-1" / "context.jsonl", [{"role": "user", "content": "use tabs"}])
    (tmp_path / ".kimi" / "kimi.json").write_text(json.dumps({"work_dirs": [{"path": CWD, "kaos": "local"}, 5]}))
    (one,) = find(HOST, tmp_path)
    assert (one.session, one.cwd) == ("uuid-1", CWD)
    assert one.started_at == datetime.fromtimestamp(T0 / 1000, UTC)
    reading = hosts.get(HOST).read(one)
    assert [(message.voice.value, message.text) for message in reading.messages] == [
        ("person", "use tabs"), ("assistant", "I look."), ("person", "never with sudo"), ("tool", "boom"), ("person", "and LF"),
    ]
    assert reading.skipped["sub_agent"] == 1
    assert reading.skipped["slash_command"] == 1
    assert [one.session for one in hosts.recognise(str(tmp_path)) if isinstance(one, Transcript)] == ["uuid-1"]


def test_kimi_cli_s_context_is_read_where_the_wire_is_missing(
    write: Callable[..., Path], find: Callable[..., list[Transcript]], tmp_path: Path
) -> None:
    records = [
        {"role": "_system_prompt", "content": "You are Kimi."}, {"role": "_checkpoint", "id": 0},
        {"role": "user", "content": "<system>CHECKPOINT 1</system>"}, {"role": "user", "content": "use tabs"},
        {"role": "assistant", "content": [{"type": "think", "think": "hm"}, {"type": "text", "text": "ok"}],
         "tool_calls": [{"id": "c1", "function": {"name": "Shell"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "<system>ERROR: no</system>"}]},
        {"role": "user", "content": "<system>Previous context has been compacted.</system>\nThey like yarn."},
    ]
    write(tmp_path / ".kimi" / "sessions" / "k" / "uuid-1" / "context.jsonl", records)
    write(tmp_path / ".kimi" / "sessions" / "k" / "uuid-1" / "context_1.jsonl", [{"role": "user", "content": "older"}])
    found = find(HOST, tmp_path)
    assert [one.session for one in found] == ["uuid-1", "uuid-1/context_1"]
    reading = hosts.get(HOST).read(found[0])
    assert [(message.voice.value, message.text) for message in reading.messages] == [
        ("person", "use tabs"), ("assistant", "ok"), ("tool", "<system>ERROR: no</system>"),
    ]


def test_a_session_that_was_taken_over_is_found_once(
    write: Callable[..., Path], find: Callable[..., list[Transcript]], tmp_path: Path
) -> None:
    wire = Wire()
    wire.user("use tabs")
    folder = session(tmp_path, "ses_new", custom={"imported_from_kimi_cli": True, "kimi_cli_session_id": "uuid-1"})
    write(folder / "agents" / "main" / "wire.jsonl", wire.records)
    assert [one.session for one in find(HOST, tmp_path)] == ["ses_new"]
    write(tmp_path / ".kimi" / "sessions" / "k" / "uuid-1" / "wire.jsonl", OLD)
    assert [one.session for one in find(HOST, tmp_path)] == ["uuid-1"]


def test_the_environment_moves_both_homes(write: Callable[..., Path], find: Callable[..., list[Transcript]], tmp_path: Path) -> None:
    write(tmp_path / "new" / "sessions" / "k" / "s1" / "agents" / "main" / "wire.jsonl", Wire().records)
    write(tmp_path / "old" / "sessions" / "k" / "s2" / "wire.jsonl", OLD)
    assert find(HOST, tmp_path) == []
    found = find(HOST, tmp_path, KIMI_CODE_HOME="~/new", KIMI_SHARE_DIR=str(tmp_path / "old"))
    assert sorted(one.session for one in found) == ["s1", "s2"]


def test_strange_shapes_cost_only_themselves(said: Callable[[Wire], Any]) -> None:
    wire = Wire()
    wire.user("one")
    wire.records += [
        {"type": "context.append_message", "message": "x"}, {"type": "context.append_message"},
        {"type": "context.append_message", "message": {"role": "user", "content": ["two"], "origin": {"kind": "user"}}},
        {"type": "context.append_message", "message": {"role": "user", "content": "three", "origin": "user"}},
        {"type": "context.append_loop_event", "event": {"type": "tool.result", "result": {"output": 7}}},
        {"type": "context.append_loop_event", "event": 5}, {"type": None}, {}, [], "x",
    ]
    wire.user("four")
    assert said(wire).by("person") == ["one", "two", "three", "four"]
