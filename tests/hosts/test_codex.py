"""Codex's rollouts: of all releases, with their repetitions, envelopes and copies."""

from __future__ import annotations

import gzip
import json
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from reverie import hosts
from reverie.core.session import Transcript, Unreadable
from reverie.hosts import codex_items, zstd

HOST = "codex"
CWD = "/work-area/app"
STARTED = datetime(2026, 12, 1, 5, 0, 0, tzinfo=UTC)


def id_at(when: datetime, tail: str = "0001") -> str:
    """A thread's or turn's id: version 7, its first 48 bits are a time."""
    digits = f"{int(when.timestamp() * 1000):012x}"
    return f"{digits[:8]}-{digits[8:]}-7aaa-8bbb-cccccccc{tail}"


class Rollout:
    """Lines of one rollout, each a second after the one before."""

    def __init__(self, thread: str = "", **meta: Any) -> None:
        self.thread = thread or id_at(STARTED)
        self.records: list[Any] = []
        self.now = STARTED
        self.step = timedelta(seconds=1)
        self.line("session_meta", id=self.thread, timestamp=self.now.isoformat(), **{"cwd": CWD, "source": "exec", **meta})

    def line(self, kind: str, /, **payload: Any) -> None:
        self.records.append({
            "timestamp": self.now.isoformat(timespec="milliseconds").replace("+00:00", "Z"), "ordinal": len(self.records),
            "type": kind, "payload": payload,
        })
        self.now += self.step

    def item(self, kind: str, /, **payload: Any) -> None:
        self.line("response_item", type=kind, **payload)

    def event(self, kind: str, /, **payload: Any) -> None:
        self.line("event_msg", type=kind, **payload)

    def user(self, *texts: str, kinds: list[str] | None = None, **values: Any) -> None:
        passed = {"internal_chat_message_metadata_passthrough": {"content_item_kinds": kinds}} if kinds is not None else {}
        self.item("message", role="user", content=[{"type": "input_text", "text": text} for text in texts], **passed, **values)

    def assistant(self, text: str, **values: Any) -> None:
        self.item("message", role="assistant", content=[{"type": "output_text", "text": text}], **values)

    def done(self, kind: str, text: str, **values: Any) -> None:
        self.event("item_completed", item={"type": kind, "id": f"i{len(self.records)}", "content": [{"text": text}], **values})

    def path(self, home: Path) -> Path:
        return home / ".codex" / "sessions" / "2026" / "12" / "01" / f"rollout-2026-12-01T05-00-00-{self.thread}.jsonl"


@pytest.fixture
def said(write: Callable[..., Path], read: Callable[..., Any], tmp_path: Path) -> Callable[[Rollout], Any]:
    def reading(rollout: Rollout) -> Any:
        return read(write(rollout.path(tmp_path), rollout.records), HOST)

    return reading


def test_a_conversation_is_three_voices(said: Callable[[Rollout], Any]) -> None:
    rollout = Rollout(git={"branch": "main"}, base_instructions={"text": "be good"})
    rollout.event("task_started", turn_id=id_at(STARTED))
    rollout.item("message", role="developer", content=[{"type": "input_text", "text": "## Memory\nuse yarn"}])
    rollout.line("turn_context", turn_id=id_at(STARTED), cwd=CWD)
    rollout.user("<environment_context>\n<cwd>/x</cwd>\n</environment_context>", kinds=["environments.environment_context"])
    rollout.user("what is the cap?", kinds=["user.text"])
    rollout.done("UserMessage", "what is the cap?")
    rollout.item("reasoning", summary=[{"type": "summary_text", "text": "hm"}])
    rollout.done("AgentMessage", "I look.")
    rollout.assistant("I look.", phase="commentary")
    rollout.item("function_call", name="exec_command", arguments="{}", call_id="c1")
    rollout.item("custom_tool_call", name="apply_patch", input="*** Begin Patch", call_id="c2")
    rollout.event("item_completed", item={"type": "CommandExecution", "aggregated_output": "hi"})
    rollout.item(
        "function_call_output", call_id="c1",
        output="Chunk ID: 31\nWall time: 0.1 seconds\nProcess exited with code 1\nOriginal token count: 1\nOutput:\nboom\n",
    )
    rollout.item("custom_tool_call_output", call_id="c2", output="Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess.\n")
    rollout.assistant("Five.\n\n<oai-mem-citation>\n<citation_entries>\nMEMORY.md:1-4|note=[x]\n</citation_entries>\n</oai-mem-citation>")
    rollout.done("AgentMessage", "Five.\n\n", memory_citation={})
    rollout.event("task_complete", last_agent_message="Five.")
    found = said(rollout)
    assert found.said == [
        ("person", "what is the cap?"), ("assistant", "I look."), ("tool", "boom"), ("tool", "Success."), ("assistant", "Five."),
    ]
    assert [(message.tool, message.failed) for message in found.fresh if message.voice == "tool"] == [
        ("exec_command", True), ("apply_patch", False),
    ]
    assert found.skipped["duplicate"] == 3
    assert (found.reading.cwd, found.reading.branch) == (CWD, "main")
    assert found.fresh[0].at == STARTED + timedelta(seconds=5)


CITED = "<oai-mem-citation>\n<rollout_ids>\nb\na\nb\n</rollout_ids>\n</oai-mem-citation>"


@pytest.mark.parametrize("order", ["item first", "event first", "item alone", "event alone"])
def test_an_answer_says_which_memories_it_used(order: str, said: Callable[[Rollout], Any]) -> None:
    rollout = Rollout()
    rollout.user("what is the cap?")
    for record in {"item first": "ie", "event first": "ei", "item alone": "i", "event alone": "e"}[order]:
        if record == "i":
            rollout.assistant("Five.\n\n" + CITED)
        else:
            rollout.done("AgentMessage", "Five.\n\n", memory_citation={"entries": [], "rolloutIds": ["b", "a"]})
    answers = [message for message in said(rollout).fresh if message.voice == "assistant"]
    assert [(message.text, message.cites) for message in answers] == [("Five.", ("b", "a"))]


def test_an_answer_of_nothing_but_a_citation_still_cites(said: Callable[[Rollout], Any]) -> None:
    rollout = Rollout()
    rollout.user("what is the cap?")
    rollout.assistant(CITED)
    assert [message.cites for message in said(rollout).fresh] == [(), ("b", "a")]


@pytest.mark.parametrize("events", ["after", "before", "alone"])
def test_two_readings_make_one(
    events: str, write: Callable[..., Path], split: Callable[..., None], tmp_path: Path
) -> None:
    rollout = Rollout()
    for turn in range(3):
        for text in ("yes", f"prompt {turn}"):
            if events != "after":
                rollout.done("UserMessage", text)
            if events != "alone":
                rollout.user(text, kinds=["user.text"])
            if events == "after":
                rollout.event("user_message", message=text)
        rollout.item("function_call", name=f"tool{turn}", arguments="{}", call_id=f"c{turn}")
        rollout.done("AgentMessage", "ok")
        if events != "alone":
            rollout.assistant("ok")
        rollout.item("function_call_output", call_id=f"c{turn}", output="out")
    split(write(rollout.path(tmp_path), rollout.records), HOST)


def test_two_readings_of_a_fork_make_one(write: Callable[..., Path], split: Callable[..., None], tmp_path: Path) -> None:
    parent = Rollout(source="cli")
    for text in ("one", "two"):
        parent.user(text, kinds=["user.text"])
        parent.assistant(f"{text} it is")
    copy = fork(parent, turn_ids=False)
    write(parent.path(tmp_path), parent.records)
    split(write(copy.path(tmp_path), copy.records), HOST)


@pytest.mark.parametrize(
    ("texts", "kinds", "person"),
    [
        (["use tabs"], ["user.text"], "use tabs"),
        (["use tabs"], None, "use tabs"),
        (["use tabs", "and LF"], ["user.text", "user.text"], "use tabs\nand LF"),
        (["# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nuse yarn\n</INSTRUCTIONS>"], None, ""),
        (["# AGENTS.md instructions\n<INSTRUCTIONS>use yarn</INSTRUCTIONS>", "use tabs"], None, "use tabs"),
        (["anything at all", "use tabs"], ["agents_md.instructions", "user.text"], "use tabs"),
        (["recalled: use yarn"], ["hooks.additional_context"], ""),
        (["use tabs"], ["unknown"], "use tabs"),
        (["<environment_context>x</environment_context>"], ["unknown"], ""),
        (["<ENVIRONMENT_CONTEXT>x</environment_context>"], None, ""),
        (["  <environment_context>\n<cwd>/x</cwd>\n</environment_context>\n"], None, ""),
        (["<user_instructions>\nuse yarn\n</user_instructions>"], None, ""),
        (["<skill>\n<name>x</name>\n</skill>"], None, ""),
        (["<turn_aborted>\nThe user interrupted\n</turn_aborted>"], None, ""),
        (["<user_shell_command>ls</user_shell_command>"], None, ""),
        (["<subagent_notification>{}</subagent_notification>"], None, ""),
        (["<hook_prompt hook_run_id=\"1\">go on</hook_prompt>"], None, ""),
        (["<permissions instructions>x</permissions instructions>"], None, ""),
        (["<codex_internal_context source=\"goal\">x</codex_internal_context>"], None, ""),
        (["why is <skill> in my prompt?"], None, "why is <skill> in my prompt?"),
        (["see <environment_context>x</environment_context>"], None, "see <environment_context>x</environment_context>"),
        (["# AGENTS.md instructions are ignored, why?"], None, "# AGENTS.md instructions are ignored, why?"),
        (["# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n## My request for Codex:\nuse tabs"], None, "use tabs"),
        (["<image name=[Image #1]>", "</image>", "like this one"], None, "like this one"),
    ],
)
def test_a_user_item_is_a_person_s_by_its_tags_or_by_what_it_is(
    texts: list[str], kinds: list[str] | None, person: str, said: Callable[[Rollout], Any]
) -> None:
    rollout = Rollout()
    rollout.user(*texts, kinds=kinds)
    assert said(rollout).by("person") == ([person] if person else [])


@pytest.mark.parametrize("first", ["item", "event"])
@pytest.mark.parametrize("event", ["user_message", "item_completed"])
def test_a_prompt_and_its_event_are_one_whichever_comes_first(first: str, event: str, said: Callable[[Rollout], Any]) -> None:
    rollout = Rollout()

    def tell(text: str) -> None:
        if event == "user_message":
            rollout.event("user_message", message=text, images=[])
        else:
            rollout.done("UserMessage", text)

    for text in ("yes", "yes", "go on"):
        if first == "item":
            rollout.user(text)
            tell(text)
        else:
            tell(text)
            rollout.user(text)
        rollout.assistant(f"ok {text}")
        rollout.event("agent_message", message=f"ok {text}")
    found = said(rollout)
    assert found.by("person") == ["yes", "yes", "go on"]
    assert found.by("assistant") == ["ok yes", "ok yes", "ok go on"]


def test_releases_that_wrote_events_only_are_read(said: Callable[[Rollout], Any]) -> None:
    rollout = Rollout()
    for text in ("use tabs", "yes", "yes"):
        rollout.event("user_message", message=text, kind="plain")
        rollout.event("agent_reasoning", text="hm")
        rollout.event("agent_message", message="ok")
    rollout.event("user_message", message="<environment_context>x</environment_context>", kind="environment_context")
    assert said(rollout).said == [
        ("person", "use tabs"), ("assistant", "ok"), ("person", "yes"), ("assistant", "ok"), ("person", "yes"), ("assistant", "ok"),
    ]


def test_the_first_releases_wrote_bare_items(write: Callable[..., Path], read: Callable[..., Any], tmp_path: Path) -> None:
    records = [
        {"id": "5973b6c0-94b8-487b-a530-2aeb6098ae0e", "timestamp": "2025-05-07T17:24:21.123Z", "instructions": None,
         "git": {"branch": "main"}},
        {"record_type": "state"},
        {"type": "message", "id": None, "role": "user", "content": [{"type": "input_text", "text":
            "<environment_context>\nCurrent working directory: /srv/app\nApproval policy: never\n</environment_context>"}]},
        {"type": "message", "id": None, "role": "user", "content": [{"type": "input_text", "text": "use tabs"}]},
        {"type": "function_call", "id": "f", "name": "shell", "arguments": "{}", "call_id": "c1"},
        {"type": "function_call_output", "call_id": "c1", "output": json.dumps({"output": "boom", "metadata": {"exit_code": 2}})},
        {"type": "message", "id": "m", "role": "assistant", "content": [{"type": "output_text", "text": "ok"}]},
    ]
    found = read(write(tmp_path / "rollout-2025-05-07-5973b6c0-94b8-487b-a530-2aeb6098ae0e.jsonl", records), HOST)
    assert found.said == [("person", "use tabs"), ("tool", "boom"), ("assistant", "ok")]
    assert found.fresh[1].failed
    assert found.fresh[1].tool == "shell"
    assert found.reading.transcript.cwd == "/srv/app"
    assert found.reading.transcript.session == "5973b6c0-94b8-487b-a530-2aeb6098ae0e"


@pytest.mark.parametrize(
    ("output", "text", "failed"),
    [
        ("plain", "plain", False),
        ("Chunk ID: 3\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nhi\n", "hi\n", False),
        ("Exit code: 127\nWall time: 0 seconds\nOutput:\nnot found", "not found", True),
        ("Script completed\nWall time 0.1 seconds\nOutput:\n\n1 failed", "1 failed", False),
        ("Script failed\nWall time 0.1 seconds\nOutput:\nboom", "boom", True),
        ('{"output":"boom","metadata":{"exit_code":1}}', "boom", True),
        ('{"output": broken', '{"output": broken', False),
        ("Exit code: 0 was printed", "Exit code: 0 was printed", False),
    ],
)
def test_what_a_tool_printed_is_without_the_client_s_heading(output: str, text: str, failed: bool) -> None:
    assert codex_items.printed(output) == (text, failed)


@pytest.mark.parametrize(
    ("output", "text", "failed"),
    [
        ([{"type": "input_text", "text": "one"}, {"type": "input_image"}, {"type": "input_text", "text": "two"}], "one\n\ntwo", False),
        ({"content": "boom", "success": False}, "boom", True),
        (None, None, False),
        (7, None, False),
    ],
)
def test_every_shape_of_an_output_is_read(output: Any, text: str | None, failed: bool, said: Callable[[Rollout], Any]) -> None:
    rollout = Rollout()
    rollout.item("function_call_output", call_id="c", output=output)
    found = said(rollout)
    assert found.by("tool") == ([text] if text else [])
    assert [message.failed for message in found.fresh] == ([failed] if text else [])


def test_a_rolled_back_turn_was_not_said(said: Callable[[Rollout], Any]) -> None:
    rollout = Rollout(source="cli")
    rollout.user("one")
    rollout.assistant("one it is")
    rollout.user("use yarn", kinds=["user.text"])
    rollout.event("user_message", message="use yarn")
    rollout.assistant("yarn it is")
    rollout.event("thread_rolled_back", num_turns=1)
    rollout.user("use pnpm")
    found = said(rollout)
    assert found.by("person") == ["one", "use pnpm"]
    assert found.skipped["taken_back"] == 2


def test_compaction_repeats_nothing(said: Callable[[Rollout], Any]) -> None:
    rollout = Rollout()
    rollout.user("use tabs")
    rollout.line("compacted", message="summary", replacement_history=[{"type": "message", "role": "user", "content": []}])
    rollout.event("context_compacted")
    rollout.user("go on")
    found = said(rollout)
    assert found.by("person") == ["use tabs", "go on"]
    assert found.skipped["compaction_summary"] == 1


def fork(parent: Rollout, *, turn_ids: bool) -> Rollout:
    """A thread that begins with its parent's lines, stamped anew in one burst."""
    copy = Rollout(id_at(STARTED + timedelta(hours=1), "0002"), forked_from_id=parent.thread)
    copy.now, copy.step = STARTED + timedelta(hours=1), timedelta(milliseconds=1)
    copy.records[0]["timestamp"] = copy.records[0]["payload"]["timestamp"] = copy.now.isoformat()
    for record in parent.records:
        copy.line(record["type"], **record["payload"])
    copy.now += timedelta(seconds=20)
    if turn_ids:
        copy.event("task_started", turn_id=id_at(copy.now))
    copy.user("and LF", kinds=["user.text"])
    return copy


@pytest.mark.parametrize("turn_ids", [True, False])
def test_a_fork_leaves_out_what_it_copied(
    turn_ids: bool, write: Callable[..., Path], read: Callable[..., Any], tmp_path: Path
) -> None:
    parent = Rollout(source="cli")
    if turn_ids:
        parent.event("task_started", turn_id=id_at(STARTED))
    parent.user("use tabs", kinds=["user.text"])
    parent.assistant("tabs it is")
    copy = fork(parent, turn_ids=turn_ids)
    older = write(parent.path(tmp_path), parent.records)
    newer = write(copy.path(tmp_path), copy.records)
    found = read(newer, HOST)
    assert found.said == [("person", "and LF")]
    assert found.skipped["copied"] >= 2
    older.unlink()
    assert read(newer, HOST).by("person") == ["use tabs", "and LF"]


def test_a_copied_prompt_that_says_so_is_left_out(write: Callable[..., Path], read: Callable[..., Any], tmp_path: Path) -> None:
    parent = Rollout()
    parent.user("use tabs")
    copy = fork(parent, turn_ids=True)
    copy.user("use tabs")
    copy.records[-1]["metadata"] = {"inherited_user_message": True}
    write(parent.path(tmp_path), parent.records)
    assert read(write(copy.path(tmp_path), copy.records), HOST).by("person") == ["and LF"]


@pytest.mark.parametrize(
    "meta",
    [
        {"source": {"subagent": {"thread_spawn": {"parent_thread_id": id_at(STARTED, "0009"), "depth": 1}}}},
        {"source": {"subagent": "review"}},
        {"thread_source": "subagent"},
    ],
)
def test_a_sub_agent_s_prompts_are_not_a_person_s(meta: dict[str, Any], said: Callable[[Rollout], Any]) -> None:
    rollout = Rollout(**meta)
    rollout.user("You are a reviewer.", kinds=["user.text"])
    rollout.event("user_message", message="You are a reviewer.")
    rollout.assistant("fine")
    found = said(rollout)
    assert found.reading.transcript.of_agent
    assert found.said == [("assistant", "fine")]


def test_other_agents_messages_are_nobody_s(said: Callable[[Rollout], Any]) -> None:
    rollout = Rollout()
    rollout.item("agent_message", content=[{"type": "input_text", "text": "from another agent"}])
    rollout.line("inter_agent_communication", text="x")
    found = said(rollout)
    assert found.said == []
    assert found.skipped["agent_message"] == 1


def test_find_looks_in_sessions_and_archive(
    write: Callable[..., Path], find: Callable[..., list[Transcript]], tmp_path: Path
) -> None:
    one, two = Rollout(memory_mode="disabled"), Rollout(id_at(STARTED, "0002"))
    write(one.path(tmp_path), one.records)
    write(tmp_path / ".codex" / "archived_sessions" / f"rollout-x-{two.thread}.jsonl", two.records)
    (tmp_path / ".codex" / "sessions" / "notes.txt").write_text("x")
    # a broken database of the client's is none of our business: everything is in the rollouts
    (tmp_path / ".codex" / "state_5.sqlite").write_text("broken")
    found = find(HOST, tmp_path)
    assert [one.session for one in found] == [one.thread, two.thread]
    assert {one.cwd for one in found} == {CWD}
    assert found[0].about["memory_mode"] == "disabled"
    assert found[0].started_at == STARTED
    assert find(HOST, tmp_path / "x", CODEX_HOME=str(tmp_path / ".codex")) == found


def test_a_first_line_longer_than_a_look_still_tells(
    write: Callable[..., Path], find: Callable[..., list[Transcript]], tmp_path: Path
) -> None:
    rollout = Rollout(git={"branch": "main"}, base_instructions={"text": "be good " * 20_000})
    write(rollout.path(tmp_path), rollout.records)
    (one,) = find(HOST, tmp_path)
    assert (one.session, one.cwd) == (rollout.thread, CWD)
    found = hosts.get(HOST).at(one.path)
    assert found is not None
    assert isinstance(found[0], Transcript)
    assert found[0].session == rollout.thread


def test_a_compressed_rollout_is_named_where_it_cannot_be_read(
    write: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(zstd, "_unpacker", lambda: None)
    rollout = Rollout()
    path = rollout.path(tmp_path)
    write(path.with_name(path.name + ".zst"), rollout.records)
    (found,) = hosts.find_all(str(tmp_path), {}, [HOST])
    assert isinstance(found, Unreadable)
    assert found.reason == "compressed_zstd"
    assert "zstandard" in found.detail
    (found,) = hosts.recognise(str(tmp_path))
    assert isinstance(found, Unreadable)
    reading = hosts.get(HOST).read(Transcript(host=HOST, session="x", path=str(path) + ".zst"))
    assert list(reading.messages) == []
    assert reading.skipped == {"compressed_zstd": 1}


def test_a_compressed_rollout_is_read_where_it_can_be(
    write: Callable[..., Path], find: Callable[..., list[Transcript]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With another compression in zstd's place: what matters is a stream that only goes forward."""
    monkeypatch.setattr(zstd, "_unpacker", lambda: lambda raw: gzip.GzipFile(fileobj=raw))
    rollout = Rollout()
    rollout.user("one")
    path = rollout.path(tmp_path)
    plain = write(path, rollout.records).read_bytes()
    packed = path.with_name(path.name + ".zst")
    packed.write_bytes(gzip.compress(plain))
    assert [one.path for one in find(HOST, tmp_path)] == [str(path)]        # both are there: the plain one is read
    path.unlink()
    (one,) = find(HOST, tmp_path)
    first = hosts.get(HOST).read(one)
    assert [message.text for message in first.messages] == ["one"]
    rollout.user("two")
    packed.write_bytes(gzip.compress(write(tmp_path / "again", rollout.records).read_bytes()))
    second = hosts.get(HOST).read(one, first.cursor)
    assert [message.text for message in second.messages][second.fresh_from:] == ["two"]
    assert not second.restarted
    packed.write_bytes(gzip.compress(plain)[:-12])
    third = hosts.get(HOST).read(one)
    assert [message.text for message in third.messages] in ([], ["one"])
    assert third.skipped == {"unreadable": 1}
    assert third.cursor.position == 0


def test_the_client_s_databases_are_never_needed(tmp_path: Path) -> None:
    path = tmp_path / ".codex" / "state_5.sqlite"
    path.parent.mkdir()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE threads (id text)")
    connection.close()
    assert list(hosts.find_all(str(tmp_path), {}, [HOST])) == []
    assert list(hosts.recognise(str(tmp_path))) == []


def test_strange_shapes_cost_only_themselves(said: Callable[[Rollout], Any]) -> None:
    rollout = Rollout()
    rollout.user("one")
    rollout.records += [
        {"timestamp": "t", "type": "response_item", "payload": {"type": "message", "role": "user", "content": "two"}},
        {"timestamp": 7, "type": "response_item", "payload": {"type": "message", "role": "user", "content": [3, {"text": "three"}]}},
        {"type": "response_item", "payload": "x"}, {"type": "response_item"}, {"type": "event_msg", "payload": {"type": 4}},
        {"type": "novel", "payload": {"type": "message", "role": "user", "content": "no"}}, {"type": "novel"}, {}, [], "x",
    ]
    rollout.user("four")
    assert said(rollout).by("person") == ["one", "two", "three", "four"]


@pytest.mark.parametrize("meta, source", [
    ({"source": "cli"}, "cli"), ({"source": "vscode"}, "vscode"), ({"source": "exec"}, "exec"), ({"source": {"custom": "atlas"}}, "other"),
    ({"source": None}, ""),
])
@pytest.mark.parametrize("folder", ["sessions", "archived_sessions"])
def test_it_says_where_a_session_ran_and_whether_it_was_put_away(
    write: Callable[..., Path], tmp_path: Path, meta: dict[str, Any], source: str, folder: str
) -> None:
    rollout = Rollout(**meta)
    write(tmp_path / ".codex" / folder / f"rollout-x-{rollout.thread}.jsonl", rollout.records)
    [found] = list(hosts.get("codex").find(str(tmp_path), {}))
    assert isinstance(found, Transcript)
    assert (found.source, found.archived) == (source, folder != "sessions")


def test_what_a_tool_was_called_with_comes_with_its_output(said: Callable[[Rollout], Any]) -> None:
    rollout = Rollout()
    rollout.item("function_call", name="exec_command", arguments='{"cmd": "ls größe"}', call_id="c1")
    rollout.item("custom_tool_call", name="apply_patch", input="*** Begin " + "P" * 20_000, call_id="c2")
    rollout.records.append(
        b'{"type": "response_item", "payload": {"type": "local_shell_call", "call_id": "c3", "action": {"command": ["half \\ud800"]}}}'
    )
    for call in ("c2", "c3", "c1", "c1"):
        rollout.item("function_call_output", call_id=call, output="ok")
    patch, shell, command, unknown = said(rollout).fresh
    assert json.loads(json.loads(command.call)) == {"cmd": "ls größe"}
    assert len(patch.given) == 16_384 and patch.call.startswith('"*** Begin P')
    assert json.loads(shell.call) == {"command": ["half �"]}
    assert unknown.call == unknown.tool == ""
