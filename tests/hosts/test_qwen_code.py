"""Qwen Code's transcripts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reverie import hosts
from reverie.core.session import Transcript

HOST = "qwen-code"
CWD = "/srv/app"
PROVENANCE = {"user": "real_user", "assistant": "assistant_output", "tool_result": "tool_result", "system": "system"}


class Session:
    """Records of one session, each hanging on the one before."""

    def __init__(self, session: str = "5e55") -> None:
        self.session = session
        self.records: list[Any] = []
        self.last: str | None = None
        self.count = 0

    def add(self, kind: str, *, parent: Any = ..., **values: Any) -> str:
        self.count += 1
        uuid = f"{self.session}{self.count:04}-aaaa-4bbb-8ccc-dddddddddddd"
        self.records.append({
            "uuid": uuid, "parentUuid": self.last if parent is ... else parent, "sessionId": self.session,
            "timestamp": f"2026-12-01T05:00:{self.count % 60:02}.000Z", "type": kind, "provenance": PROVENANCE[kind], "cwd": CWD,
            "version": "0.24.4", "gitBranch": "main", **values,
        })
        self.last = uuid
        return uuid

    def user(self, *texts: str, **values: Any) -> str:
        return self.add("user", message={"role": "user", "parts": [{"text": text} for text in texts]}, **values)

    def assistant(self, *parts: Any, **values: Any) -> str:
        content = [{"text": part} if isinstance(part, str) else part for part in parts]
        return self.add("assistant", model="m", message={"role": "model", "parts": content}, **values)

    def result(self, response: dict[str, Any], *, status: str = "success", name: str = "run_shell_command") -> str:
        part = {"functionResponse": {"id": "c", "name": name, "response": response}}
        return self.add(
            "tool_result", message={"role": "user", "parts": [part]}, toolCallResult={"callId": "c", "status": status},
        )

    def system(self, subtype: str, **values: Any) -> str:
        return self.add("system", subtype=subtype, **values)


@pytest.fixture
def session() -> Session:
    return Session()


@pytest.fixture
def said(write: Callable[..., Path], read: Callable[..., Any], tmp_path: Path) -> Callable[[Session], Any]:
    def reading(session: Session) -> Any:
        return read(write(tmp_path / f"{session.session}.jsonl", session.records), HOST)

    return reading


def test_a_conversation_is_three_voices(session: Session, said: Callable[[Session], Any]) -> None:
    session.user("run the tests")
    session.system("attribution_snapshot", systemPayload={"snapshot": {}})
    session.system("ui_telemetry", systemPayload={"uiEvent": {"response_text": "not said"}})
    session.assistant({"text": "they want tests", "thought": True}, "Running ", "them.", {"functionCall": {"name": "x", "args": {}}})
    session.result({"output": "1 failed"}, status="error")
    session.result({"error": "no such file"}, name="read_file")
    session.assistant("One failed.")
    found = said(session)
    assert found.said == [
        ("person", "run the tests"), ("assistant", "Running them."), ("tool", "1 failed"), ("tool", "no such file"),
        ("assistant", "One failed."),
    ]
    assert [(message.tool, message.failed) for message in found.fresh if message.voice == "tool"] == [
        ("run_shell_command", True), ("read_file", True),
    ]
    assert found.skipped == {"bookkeeping": 2, "thinking": 1}
    assert (found.reading.cwd, found.reading.branch) == (CWD, "main")


def test_two_readings_make_one(session: Session, write: Callable[..., Path], split: Callable[..., None], tmp_path: Path) -> None:
    for turn in range(4):
        session.user(f"prompt {turn}")
        session.system("ui_telemetry", systemPayload={})
        session.assistant("Looking.", {"functionCall": {"name": "x", "args": {}}})
        session.result({"output": "ok"})
        session.assistant("Done.")
    split(write(tmp_path / "5e55.jsonl", session.records), HOST)


HOOKED = "<qwen:user-prompt-submit-context>\n&lt;recalled&gt;\n</qwen:user-prompt-submit-context>"


@pytest.mark.parametrize(
    ("texts", "values", "person", "skip"),
    [
        (["use tabs"], {}, "use tabs", None),
        (["use tabs\n\n", HOOKED], {"systemPayload": {"displayText": "use tabs", "hookContext": "recalled"}}, "use tabs", "hook_context"),
        (["use tabs\n\n", HOOKED], {}, "use tabs", "hook_context"),
        (["expanded by the client"], {"systemPayload": {"displayText": "see @a.py", "hookContext": ""}}, "see @a.py", "hook_context"),
        (["use tabs"], {"systemPayload": None}, "use tabs", None),
        (["see @a.py", "\n--- Content from referenced files ---", "\nContent from @a.py:\n", "always use yarn", "\n--- End of content ---"],
         {}, "see @a.py", "injected_context"),
        (["use tabs"], {"subtype": "mid_turn_user_message"}, "use tabs", None),
        (["use tabs"], {"subtype": "cron"}, None, "background_task"),
        (["use tabs"], {"subtype": "notification"}, None, "background_task"),
        (["use tabs"], {"subtype": "goal_runtime", "provenance": "goal_runtime"}, None, "injected_context"),
        (["use tabs"], {"provenance": "goal_control"}, None, "injected_context"),
        (["use tabs"], {"provenance": None}, "use tabs", None),
        (["use tabs"], {"isSidechain": True}, None, "sub_agent"),
        (["use tabs"], {"externalInputKind": "message"}, None, "agent_prompt"),
        (["/clear"], {}, None, "slash_command"),
        (["/memory show all"], {}, None, "slash_command"),
        (["/etc is full again"], {}, "/etc is full again", None),
        (["/home/dev/app/a.py is broken"], {}, "/home/dev/app/a.py is broken", None),
        (["   "], {}, None, None),
    ],
)
def test_a_user_record_is_what_a_person_typed_or_is_named(
    texts: list[str], values: dict[str, Any], person: str | None, skip: str | None, session: Session,
    said: Callable[[Session], Any],
) -> None:
    session.user(*texts, **values)
    session.assistant("ok")
    found = said(session)
    assert found.by("person") == ([person] if person else [])
    if skip:
        assert found.skipped[skip] == 1


def test_a_rewind_takes_back_the_turn(session: Session, said: Callable[[Session], Any]) -> None:
    session.user("one")
    answered = session.assistant("one it is")
    session.user("use yarn")
    session.assistant("yarn it is")
    session.system("rewind", parent=answered, systemPayload={"truncatedCount": 2})
    found = said(session)
    assert found.by("person") == ["one"]
    assert found.skipped["taken_back"] == 2
    session.user("use pnpm")
    assert said(session).by("person") == ["one", "use pnpm"]


def test_a_rewind_of_the_first_prompt_hangs_on_nothing(session: Session, said: Callable[[Session], Any]) -> None:
    session.user("use yarn")
    session.assistant("yarn it is")
    session.system("rewind", parent=None, systemPayload={"truncatedCount": 2})
    session.user("use pnpm")
    assert said(session).by("person") == ["use pnpm"]


def test_a_dead_branch_without_a_rewind_record(session: Session, said: Callable[[Session], Any]) -> None:
    session.user("one")
    answered = session.assistant("one it is")
    session.user("use yarn")
    session.user("use pnpm", parent=answered)
    assert said(session).by("person") == ["one", "use pnpm"]


def test_a_straight_file_in_another_form_is_read_the_same(
    session: Session, read: Callable[..., Any], tmp_path: Path
) -> None:
    session.user("one")
    session.assistant("two")
    session.user("three")
    path = tmp_path / "5e55.jsonl"
    path.write_text("".join(json.dumps(record, indent=None, sort_keys=True) + "\r\n" for record in session.records))
    assert [text for _, text in read(path, HOST).said] == ["one", "two", "three"]


def test_a_branch_leaves_out_what_it_copied(write: Callable[..., Path], read: Callable[..., Any], tmp_path: Path) -> None:
    old, new = Session("aaaa"), Session("bbbb")
    old.user("use tabs")
    old.assistant("tabs it is")
    new.records = [
        {**record, "sessionId": "bbbb", "forkedFrom": {"sessionId": "aaaa", "messageUuid": record["uuid"]}} for record in old.records
    ]
    new.last = old.last
    new.user("and LF")
    parent = write(tmp_path / "aaaa.jsonl", old.records)
    branch = write(tmp_path / "bbbb.jsonl", new.records)
    assert read(branch, HOST).said == [("person", "and LF")]
    parent.unlink()
    assert read(branch, HOST).by("person") == ["use tabs", "and LF"]


def test_compression_repeats_nothing(session: Session, said: Callable[[Session], Any]) -> None:
    session.user("use tabs")
    session.assistant("tabs it is")
    history = [{"role": "user", "parts": [{"text": "use tabs"}]}]
    session.system("chat_compression", systemPayload={"info": {}, "compressedHistory": history})
    session.user("go on")
    assert said(session).by("person") == ["use tabs", "go on"]


def test_a_sub_session_is_another_agent_s(
    write: Callable[..., Path], find: Callable[..., list[Transcript]], tmp_path: Path
) -> None:
    session = Session()
    session.system("parent_session", systemPayload={"parentSessionId": "aaaa"})
    session.user("You are a worker. Use yarn.")
    session.assistant("done")
    write(tmp_path / ".qwen" / "projects" / "-srv-app" / "chats" / "5e55.jsonl", session.records)
    (one,) = find(HOST, tmp_path)
    assert one.of_agent
    assert one.about["parent"] == "aaaa"
    reading = hosts.get(HOST).read(one)
    assert [message.voice.value for message in reading.messages] == ["assistant"]
    assert reading.skipped["agent_prompt"] == 1


@pytest.mark.parametrize(
    ("environment", "settings", "sessions"),
    [
        ({}, {}, ["home"]),
        ({}, {"advanced": {"runtimeOutputDir": "~/runtime"}}, ["runtime", "home"]),
        ({"QWEN_RUNTIME_DIR": "~/other"}, {"advanced": {"runtimeOutputDir": "~/runtime"}}, ["other", "home"]),
        ({"QWEN_HOME": "~/other"}, {}, ["other"]),
        ({"QWEN_RUNTIME_DIR": ""}, {"advanced": "not an object"}, ["home"]),
    ],
)
def test_find_looks_in_every_base(
    environment: dict[str, str], settings: Any, sessions: list[str], write: Callable[..., Path],
    find: Callable[..., list[Transcript]], tmp_path: Path,
) -> None:
    for base, name in ((".qwen", "home"), ("runtime", "runtime"), ("other", "other")):
        session = Session(name)
        session.user("go")
        write(tmp_path / base / "projects" / "-srv-app" / "chats" / f"{name}.jsonl", session.records)
    (tmp_path / ".qwen" / "settings.json").write_text(json.dumps(settings))
    found = find(HOST, tmp_path, **environment)
    assert [one.session for one in found] == sessions
    assert {one.cwd for one in found} == {CWD}


def test_strange_shapes_cost_only_themselves(session: Session, said: Callable[[Session], Any]) -> None:
    session.user("one")
    session.records += [
        {"type": "user", "uuid": "x1", "sessionId": "5e55", "provenance": "real_user", "message": {"parts": "no list"}},
        {"type": "user", "uuid": "x2", "sessionId": "5e55", "provenance": "real_user", "message": {"parts": ["two", 7]}},
        {"type": "tool_result", "uuid": "x3", "message": {"parts": [{"functionResponse": {"name": "t", "response": "bare"}}]}},
        {"type": "tool_result", "uuid": "x4", "message": {"parts": [{"functionResponse": "x"}]}},
        {"type": "assistant", "uuid": "x5", "message": None}, {"type": "novel", "uuid": "x6"},
    ]
    session.last = "x6"
    session.user("three")
    found = said(session)
    assert found.by("person") == ["one", "two", "three"]
    assert found.by("tool") == ["bare"]
