"""Claude Code's transcripts: what a person said, an assistant answered, a tool printed, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from reverie import hosts
from reverie.core.session import Transcript, Unreadable

HOST = "claude-code"
CWD = "/home/dev/projects/app"


class Session:
    """Records of one session, each hanging on the one before, as the client writes them."""

    def __init__(self, session: str = "5e55", *, sidechain: bool = False) -> None:
        self.session, self.sidechain = session, sidechain
        self.records: list[Any] = []
        self.last: str | None = None
        self.count = 0

    def add(self, kind: str, *, parent: Any = ..., **values: Any) -> str:
        self.count += 1
        uuid = f"{self.session}-{self.count:04}"
        record = {
            "parentUuid": self.last if parent is ... else parent, "isSidechain": self.sidechain, "type": kind, **values,
            "uuid": uuid, "timestamp": f"2026-12-01T05:00:{self.count % 60:02}.000Z", "cwd": CWD, "sessionId": self.session,
            "version": "2.1.332", "gitBranch": "main",
        }
        self.records.append({key: value for key, value in record.items() if value is not ...})
        self.last = uuid
        return uuid

    def user(self, content: Any, **values: Any) -> str:
        return self.add("user", message={"role": "user", "content": content}, **values)

    def assistant(self, *blocks: Any, message: str = "msg_1", **values: Any) -> str:
        content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
        said = {"id": message, "role": "assistant", "model": "claude-opus", "content": content}
        return self.add("assistant", message=said, **values)

    def call(self, call: str, tool: str = "Bash", **values: Any) -> str:
        return self.assistant({"type": "tool_use", "id": call, "name": tool, "input": {"command": "ls"}}, **values)

    def result(self, call: str, content: Any = "done", *, error: bool = False, **values: Any) -> str:
        block = {"tool_use_id": call, "type": "tool_result", "content": content, "is_error": error}
        return self.user([block], toolUseResult={"stdout": content}, **values)

    def attachment(self, **values: Any) -> str:
        return self.add("attachment", attachment=values, rendered=[{"content": "as the model saw it"}])

    def other(self, kind: str, **values: Any) -> None:
        self.records.append({"type": kind, **values, "sessionId": self.session})


@pytest.fixture
def session() -> Session:
    return Session()


@pytest.fixture
def said(write: Callable[..., Path], read: Callable[..., Any], tmp_path: Path) -> Callable[[Session], Any]:
    def reading(session: Session) -> Any:
        return read(write(tmp_path / f"{session.session}.jsonl", session.records), HOST)

    return reading


def test_a_conversation_is_three_voices(session: Session, said: Callable[[Session], Any]) -> None:
    session.other("queue-operation", operation="enqueue", content="Fix the build")
    session.other("queue-operation", operation="dequeue")
    session.user("Fix the build", promptId="p1", permissionMode="default")
    session.attachment(type="environment", snapshot={"workingDirectory": CWD})
    session.attachment(type="hook_success", hookName="UserPromptSubmit", content="recalled: use tabs")
    session.assistant({"type": "thinking", "thinking": "hm", "signature": "s"})
    session.assistant("Looking.")
    session.call("c1")
    session.result("c1", "make: *** no rule", error=True)
    session.assistant("Fixed.", message="msg_2")
    session.other("last-prompt", lastPrompt="Fix the build", leafUuid=session.last)
    read = said(session)
    assert read.said == [
        ("person", "Fix the build"), ("assistant", "Looking."), ("tool", "make: *** no rule"), ("assistant", "Fixed."),
    ]
    tool = read.fresh[2]
    assert (tool.tool, tool.failed) == ("Bash", True)
    assert read.fresh[0].at == datetime(2026, 12, 1, 5, 0, 1, tzinfo=UTC)
    assert read.skipped == {"queue_operation": 2, "injected_context": 2, "thinking": 1, "bookkeeping": 1}
    assert (read.reading.cwd, read.reading.branch) == (CWD, "main")


def test_two_readings_make_one(session: Session, write: Callable[..., Path], split: Callable[..., None], tmp_path: Path) -> None:
    for turn in range(4):
        session.user(f"prompt {turn}")
        session.assistant("Looking.", message=f"m{turn}")
        calls = [session.call(f"c{turn}{index}", f"Tool{index}", message=f"m{turn}") for index in range(3)]
        for index, call in enumerate(calls):
            session.result(f"c{turn}{index}", f"out {index}", parent=call)
        session.assistant("Done.", message=f"n{turn}")
        session.other("last-prompt", lastPrompt="x", leafUuid=session.last)
    again = dict(next(record for record in reversed(session.records) if record["type"] == "user"))
    again["parentUuid"] = session.last
    session.records.append(again)       # as after a compaction
    split(write(tmp_path / "5e55.jsonl", session.records), HOST)


@pytest.mark.parametrize(
    ("content", "person", "skip"),
    [
        ("plain words", "plain words", None),
        ([{"type": "text", "text": "plain words"}], "plain words", None),
        (["plain words"], "plain words", None),
        ([{"type": "text", "text": "one"}, {"type": "image", "source": {}}, {"type": "text", "text": "two"}], "one\ntwo", None),
        ([{"type": "text", "text": "<system-reminder>\nx\n</system-reminder>"}, {"type": "text", "text": "words"}], "words",
         "injected_context"),
        ("words\n\n<user-prompt-submit-hook>recalled</user-prompt-submit-hook>", "words", "hook_context"),
        ("<ide_opened_file>The user opened a.py</ide_opened_file>\nwords", "words", "injected_context"),
        ("<user-memory-input>always use tabs</user-memory-input>", "always use tabs", None),
        ("<command-name>/model</command-name>\n<command-message>model</command-message>\n<command-args>opus</command-args>", None,
         "slash_command"),
        ("<command-message>deploy</command-message>\n<command-name>/deploy</command-name>", None, "slash_command"),
        ("<local-command-stdout>Set model</local-command-stdout>", None, "local_command"),
        ("<local-command-caveat>Caveat: The messages below</local-command-caveat>", None, "local_command"),
        ("Caveat: The messages below were generated by the user while running local commands.", None, "local_command"),
        ("<bash-input>ls</bash-input>", None, "local_command"),
        ("<bash-stdout>a.py</bash-stdout><bash-stderr></bash-stderr>", None, "local_command"),
        ("<task-notification>\n<task-id>a</task-id>\n</task-notification>", None, "agent_message"),
        ('<teammate-message teammate_id="b">hello</teammate-message>', None, "agent_message"),
        ("[Request interrupted by user]", None, "interruption"),
        ([{"type": "text", "text": "[Request interrupted by user for tool use]"}], None, "interruption"),
        ("This session is being continued from a previous conversation that ran out of context.", None, "compaction_summary"),
        ("why does <command-name> appear in my log?", "why does <command-name> appear in my log?", None),
        ("<b>bold</b> is not wanted", "<b>bold</b> is not wanted", None),
        ("", None, None),
        (None, None, None),
        ("half \ud83d a pair and \x00 a zero", "half \ufffd a pair and  a zero", None),
    ],
)
def test_a_user_line_is_what_a_person_typed_or_is_named(
    content: Any, person: str | None, skip: str | None, session: Session, write: Callable[..., Path], read: Callable[..., Any],
    tmp_path: Path,
) -> None:
    import json

    session.user(content)
    path = tmp_path / "5e55.jsonl"
    # with escapes, as JSON.stringify writes halves of surrogate pairs
    path.write_text("".join(json.dumps(record, separators=(",", ":")) + "\n" for record in session.records))
    found = read(path, HOST)
    assert found.by("person") == ([person] if person else [])
    if skip:
        assert found.skipped[skip] >= 1


@pytest.mark.parametrize(
    ("values", "skip"),
    [
        ({"isMeta": True}, "injected_context"),
        ({"isCompactSummary": True, "isVisibleInTranscriptOnly": True}, "compaction_summary"),
        ({"isSidechain": True}, "sub_agent"),
        ({"origin": {"kind": "peer"}}, "agent_message"),
        ({"origin": {"kind": "auto-continuation"}}, "agent_message"),
    ],
)
def test_a_marked_user_line_is_nobody_s(
    values: dict[str, Any], skip: str, session: Session, said: Callable[[Session], Any]
) -> None:
    session.user("I would be learned")
    session.records[-1].update(values)
    found = said(session)
    assert found.said == []
    assert found.skipped[skip] == 1


def test_a_prompt_typed_while_the_agent_works_is_heard(session: Session, said: Callable[[Session], Any]) -> None:
    session.user("first")
    session.attachment(type="queued_command", prompt="use tabs, by the way", commandMode="prompt", origin={"kind": "human"})
    session.attachment(type="queued_command", prompt=[{"type": "text", "text": "and LF"}], commandMode="prompt")
    session.attachment(type="queued_command", prompt="<task-notification>x</task-notification>", commandMode="task-notification")
    session.attachment(type="queued_command", prompt="from a peer", commandMode="prompt", origin={"kind": "peer"}, isMeta=True)
    found = said(session)
    assert found.by("person") == ["first", "use tabs, by the way", "and LF"]
    assert found.skipped["agent_message"] == 2


def test_the_words_of_a_refusal_are_the_person_s(session: Session, said: Callable[[Session], Any]) -> None:
    words = (
        "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, "
        "the user said:\nuse pnpm, never npm"
    )
    session.user("install it")
    session.call("c1")
    session.result("c1", words, error=True, toolDenialKind="user-rejected")
    session.call("c2")
    session.result("c2", words, error=True)         # a tool may print anything: without the client's own mark it is output
    found = said(session)
    assert found.by("person") == ["install it", "use pnpm, never npm"]
    assert len(found.by("tool")) == 2


def test_an_answer_in_several_lines_is_not_repeated(session: Session, said: Callable[[Session], Any]) -> None:
    session.user("go")
    session.assistant("First I look.", message="m1")
    session.call("c1", message="m1")
    session.call("c2", message="m1")
    session.result("c1", parent=session.records[-2]["uuid"])
    session.result("c2", parent=session.records[-2]["uuid"])
    session.assistant("Then I say.", message="m2")
    found = said(session)
    assert found.by("assistant") == ["First I look.", "Then I say."]
    assert found.by("tool") == ["done", "done"]
    assert len({message.id for message in found.fresh}) == len(found.fresh)


@pytest.mark.parametrize("values", [{"isApiErrorMessage": True}, {"model": "<synthetic>"}])
def test_what_the_client_says_in_the_assistant_s_place_is_not_its_answer(
    values: dict[str, Any], session: Session, said: Callable[[Session], Any]
) -> None:
    session.user("go")
    session.assistant("API Error: 500")
    session.records[-1].update({key: value for key, value in values.items() if key != "model"})
    session.records[-1]["message"].update({key: value for key, value in values.items() if key == "model"})
    found = said(session)
    assert found.by("assistant") == []
    assert found.skipped["synthetic_answer"] == 1


def test_a_rewound_branch_was_not_said(session: Session, said: Callable[[Session], Any]) -> None:
    session.user("one")
    answered = session.assistant("one it is")
    session.user("use yarn")
    session.call("c1")
    session.result("c1")
    session.assistant("yarn it is")
    session.user("use pnpm", parent=answered)
    session.assistant("pnpm it is")
    found = said(session)
    assert found.said == [
        ("person", "one"), ("assistant", "one it is"), ("person", "use pnpm"), ("assistant", "pnpm it is"),
    ]
    assert found.skipped["taken_back"] == 3


def test_a_rewind_to_before_the_attachments_of_a_prompt(session: Session, said: Callable[[Session], Any]) -> None:
    session.user("one")
    answered = session.assistant("one it is")
    session.attachment(type="hook_success", content="x")
    session.user("use yarn")
    session.assistant("yarn it is")
    session.add("attachment", parent=answered, attachment={"type": "hook_success", "content": "x"})
    session.user("use pnpm")
    assert said(session).by("person") == ["one", "use pnpm"]


def test_a_rewind_to_the_very_beginning(session: Session, said: Callable[[Session], Any]) -> None:
    session.user("use yarn")
    session.assistant("yarn it is")
    session.user("use pnpm", parent=None)
    session.assistant("pnpm it is")
    assert said(session).by("person") == ["use pnpm"]


def test_parallel_calls_are_no_rewind(session: Session, said: Callable[[Session], Any]) -> None:
    session.user("go")
    calls = [session.call(f"c{index}", message="m1") for index in range(5)]
    for index, call in enumerate(calls):
        session.result(f"c{index}", f"out {index}", parent=call)
    session.assistant("done", message="m2")
    session.user("and now")
    found = said(session)
    assert found.by("tool") == [f"out {index}" for index in range(5)]
    assert found.by("person") == ["go", "and now"]
    assert "taken_back" not in found.skipped


def test_what_was_said_before_a_compaction_counts_once(session: Session, said: Callable[[Session], Any]) -> None:
    session.user("use tabs")
    kept = session.assistant("tabs it is")
    session.add(
        "system", parent=None, subtype="compact_boundary", logicalParentUuid=kept, content="Conversation compacted",
        compactMetadata={"trigger": "manual", "preservedSegment": {"headUuid": kept, "anchorUuid": kept, "tailUuid": kept}},
    )
    session.user("This session is being continued …", isCompactSummary=True, isVisibleInTranscriptOnly=True)
    again = dict(session.records[1])
    again["parentUuid"] = session.last
    session.records.append(again)                   # attached again, under its old id
    session.last = again["uuid"]
    session.user("go on")
    found = said(session)
    assert found.said == [("person", "use tabs"), ("assistant", "tabs it is"), ("person", "go on")]
    assert found.skipped["compaction_summary"] == 1
    assert found.skipped["duplicate"] == 1


def test_a_sidechain_inside_the_session_is_another_agent_s(session: Session, said: Callable[[Session], Any]) -> None:
    session.user("go")
    session.call("c1", "Task")
    main = session.last
    session.sidechain = True
    session.user("You are a reviewer. Always approve.", parent=None)
    session.assistant("approved")
    session.sidechain = False
    session.result("c1", "approved", parent=main)
    session.assistant("The reviewer approved.")
    found = said(session)
    assert found.by("person") == ["go"]
    assert found.by("assistant") == ["The reviewer approved."]
    assert found.skipped["sub_agent"] == 2


def test_a_branch_of_a_session_leaves_out_what_it_copied(
    write: Callable[..., Path], read: Callable[..., Any], tmp_path: Path
) -> None:
    old, new = Session("aaaa"), Session("bbbb")
    old.user("use tabs")
    old.assistant("tabs it is")
    copies = [{**record, "sessionId": "bbbb", "forkedFrom": {"sessionId": "aaaa", "messageUuid": record["uuid"]}}
              for record in old.records]
    new.records, new.last = copies, old.last
    new.user("and LF")
    parent = write(tmp_path / "aaaa.jsonl", old.records)
    branch = write(tmp_path / "bbbb.jsonl", new.records)
    found = read(branch, HOST)
    assert found.by("person") == ["and LF"]
    assert found.skipped["copied"] == 2
    parent.unlink()
    assert read(branch, HOST).by("person") == ["use tabs", "and LF"]


def test_a_resumed_session_leaves_out_the_lines_of_the_old_one(
    write: Callable[..., Path], read: Callable[..., Any], tmp_path: Path
) -> None:
    old, new = Session("aaaa"), Session("bbbb")
    old.user("use tabs")
    new.records = [dict(old.records[0])]            # the old session's id stays on it
    new.last = old.last
    new.user("and LF")
    write(tmp_path / "aaaa.jsonl", old.records)
    assert read(write(tmp_path / "bbbb.jsonl", new.records), HOST).by("person") == ["and LF"]


def test_a_session_that_went_on_under_another_id_is_read_once(
    write: Callable[..., Path], read: Callable[..., Any], tmp_path: Path
) -> None:
    old, new = Session("aaaa"), Session("bbbb")
    old.user("use tabs")
    old.assistant("tabs it is")
    new.records = [{**record, "sessionId": "bbbb"} for record in old.records]
    new.last = old.last
    old.other("continued-in", continuedInSessionId="bbbb")
    new.user("and LF")
    write(tmp_path / "aaaa.jsonl", old.records)
    found = read(write(tmp_path / "bbbb.jsonl", new.records), HOST)
    assert found.said == [("person", "and LF")]


def test_sub_agents_are_found_and_marked_and_their_prompts_are_not_a_person_s(
    write: Callable[..., Path], find: Callable[..., list[Transcript]], tmp_path: Path
) -> None:
    main, agent = Session(), Session("5e55", sidechain=True)
    main.user("go")
    agent.user("Explore the code.")
    agent.assistant("It is Python.")
    for record in agent.records:
        record["agentId"] = "a1"
    project = tmp_path / ".claude" / "projects" / "-home-dev-projects-app"
    write(project / "5e55.jsonl", main.records)
    write(project / "5e55" / "subagents" / "agent-a1.jsonl", agent.records)
    write(project / "agent-old.jsonl", agent.records)
    found = find(HOST, tmp_path)
    assert [(one.session, one.of_agent) for one in found] == [
        ("5e55/agent-a1", True), ("5e55", False), ("5e55/agent-old", True),
    ]
    dialect = hosts.get(HOST)
    for one in found:
        reading = dialect.read(one)
        voices = [message.voice.value for message in reading.messages]
        assert voices == (["assistant"] if one.of_agent else ["person"])
        assert not one.of_agent or reading.skipped == {"agent_prompt": 1}


def test_find_looks_where_it_is_told(write: Callable[..., Path], find: Callable[..., list[Transcript]], tmp_path: Path) -> None:
    session = Session()
    session.other("queue-operation", operation="enqueue", content='say "cwd":"/wrong" aloud')
    session.user("go")
    write(tmp_path / ".claude" / "projects" / "-p" / "5e55.jsonl", session.records)
    write(tmp_path / "moved" / "projects" / "-q" / "6e66.jsonl", session.records)
    (one,) = find(HOST, tmp_path)
    assert (one.session, one.cwd, one.branch) == ("5e55", CWD, "main")
    assert one.started_at == datetime(2026, 12, 1, 5, 0, 1, tzinfo=UTC)
    assert one.size_bytes > 0
    (two,) = find(HOST, tmp_path, CLAUDE_CONFIG_DIR=str(tmp_path / "moved"))
    assert two.session == "6e66"
    (three,) = find(HOST, tmp_path, CLAUDE_CONFIG_DIR="~/moved")
    assert three.path == two.path
    assert find(HOST, tmp_path / "nothing") == []


def test_a_worktree_names_its_main_checkout(write: Callable[..., Path], find: Callable[..., list[Transcript]], tmp_path: Path) -> None:
    session = Session()
    session.other("worktree-state", worktreeSession={"originalCwd": "/home/dev/app", "worktreePath": CWD})
    session.user("go")
    write(tmp_path / ".claude" / "projects" / "-p" / "5e55.jsonl", session.records)
    assert find(HOST, tmp_path)[0].project_hint == "/home/dev/app"


def test_strange_shapes_cost_only_themselves(session: Session, said: Callable[[Session], Any]) -> None:
    session.user("one")
    session.records += [
        {"type": "user", "message": "not an object", "uuid": "x1", "parentUuid": session.last, "sessionId": "5e55"},
        {"type": "user", "message": {"content": [5, {"type": "text", "text": "two"}]}, "uuid": "x2", "sessionId": "5e55"},
        {"type": "user", "message": {"content": {"type": "text"}}, "uuid": "x3", "sessionId": "5e55"},
        {"type": "assistant", "message": {"content": [{"type": "text", "text": {"deep": 1}}]}, "uuid": "x4"},
        {"type": "future-thing", "uuid": "x5", "message": {"content": "who said this?"}},
        {"type": 7}, {}, [], 5, "x", None,
    ]
    session.last = "x4"
    session.user("three")
    found = said(session)
    assert found.by("person") == ["one", "two", "three"]
    assert found.skipped["unknown_record"] >= 2
    assert found.skipped["not_an_object"] == 4


def test_a_parent_id_cannot_lead_out_of_the_folder(write: Callable[..., Path], read: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "secret.jsonl").write_text("{}\n")
    session = Session()
    session.user("go")
    session.records[0]["forkedFrom"] = {"sessionId": "../secret"}
    assert read(write(tmp_path / "p" / "5e55.jsonl", session.records), HOST).by("person") == ["go"]


def test_an_unreadable_project_is_named(tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "projects").write_text("a file")
    (found,) = hosts.find_all(str(tmp_path), {}, [HOST])
    assert isinstance(found, Unreadable)
    assert (found.host, found.reason) == (HOST, "not_a_directory")
