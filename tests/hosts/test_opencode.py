"""OpenCode's sessions, in rows of both lines and in files."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reverie import hosts
from reverie.core.session import Cursor, Message, Reading, Transcript, Unreadable

HOST = "opencode"
CWD = "/home/me/proj"
SCHEMA = """
CREATE TABLE project (id text PRIMARY KEY, worktree text NOT NULL, vcs text, time_created integer, time_updated integer);
CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, parent_id text, slug text, directory text NOT NULL, path text,
                      title text, version text, revert text, time_created integer, time_updated integer, time_archived integer);
CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer, time_updated integer, data text);
CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text, time_created integer, time_updated integer, data text);
CREATE TABLE session_message (id text PRIMARY KEY, session_id text, type text, seq integer, time_created integer,
                              time_updated integer, data text);
CREATE TABLE credential (id text, secret text);
CREATE INDEX message_session ON message(session_id, time_created, id);
"""


class Database:
    """OpenCode's database, filled as the client fills it."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.connection = sqlite3.connect(path)
        self.connection.executescript(SCHEMA)
        self.now = 1000
        self.parts = 0

    def session(self, name: str = "ses_1", *, parent: str | None = None, project: str = "git1", revert: Any = None) -> None:
        worktree = "/" if project == "global" else "/home/me/main-checkout"
        self.connection.execute("INSERT OR IGNORE INTO project VALUES (?, ?, 'git', 1, 1)", (project, worktree))
        self.connection.execute(
            "INSERT INTO session VALUES (?, ?, ?, 's', ?, '', 'T', '1.18', ?, ?, ?, NULL)",
            (name, project, parent, CWD, json.dumps(revert) if revert else None, self.now, self.now),
        )

    def message(self, role: str, *parts: Any, session: str = "ses_1", done: bool = True, **values: Any) -> str:
        self.now += 10
        name = f"msg_{self.now:08}"
        time: dict[str, Any] = {"created": self.now}
        if role == "assistant" and done:
            time["completed"] = self.now + 1
        data = {"role": role, "time": time, **values}
        self.connection.execute("INSERT INTO message VALUES (?, ?, ?, ?, ?)", (name, session, self.now, self.now, json.dumps(data)))
        for part in parts:
            self.part(name, part, session)
        return name

    def part(self, message: str, part: Any, session: str = "ses_1") -> None:
        self.parts += 1
        data = {"type": "text", "text": part} if isinstance(part, str) else part
        text = data if isinstance(data, bytes) else json.dumps(data)
        self.connection.execute("INSERT INTO part VALUES (?, ?, ?, 1, 1, ?)", (f"prt_{self.parts:08}", message, session, text))

    def v2(self, kind: str, session: str = "ses_2", **data: Any) -> None:
        self.now += 10
        self.connection.execute(
            "INSERT INTO session_message VALUES (?, ?, ?, ?, ?, ?, ?)",
            (f"msg_{self.now:08}", session, kind, self.now, self.now, self.now, json.dumps(data)),
        )

    def finish(self, message: str) -> None:
        (data,) = self.connection.execute("SELECT data FROM message WHERE id = ?", (message,)).fetchone()
        value = json.loads(data)
        value["time"]["completed"] = self.now
        self.connection.execute("UPDATE message SET data = ? WHERE id = ?", (json.dumps(value), message))


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / ".local" / "share" / "opencode" / "opencode.db")
    with closing(database.connection):
        yield database


@pytest.fixture
def one(database: Database, find: Callable[..., list[Transcript]], tmp_path: Path) -> Callable[[], Transcript]:
    def only() -> Transcript:
        database.connection.commit()
        (found,) = find(HOST, tmp_path)
        return found

    return only


def read(transcript: Transcript, since: Cursor | None = None) -> tuple[list[Message], Reading]:
    reading = hosts.get(HOST).read(transcript, since)
    return list(reading.messages), reading


def said(transcript: Transcript, since: Cursor | None = None) -> list[tuple[str, str]]:
    messages, reading = read(transcript, since)
    return [(message.voice.value, message.text) for message in messages[reading.fresh_from:]]


def tool(output: str | None = "done", **state: Any) -> dict[str, Any]:
    return {"type": "tool", "tool": "bash", "callID": "c", "state": {"status": "completed", "input": {}, "output": output, **state}}


def test_a_conversation_is_three_voices(database: Database, one: Callable[[], Transcript]) -> None:
    database.session()
    database.message(
        "user", "use tabs", {"type": "text", "synthetic": True, "text": "<recalled-memory>use yarn</recalled-memory>"},
        {"type": "text", "ignored": True, "text": "not sent"}, {"type": "file", "url": "x"},
    )
    database.message(
        "assistant", {"type": "step-start"}, {"type": "reasoning", "text": "hm"}, "I look.", tool("1 failed"),
        tool(status="error", error="boom", output=None), {"type": "step-finish"}, {"type": "patch"},
    )
    database.message("assistant", "Noted.", finish="stop")
    found = one()
    messages, reading = read(found)
    assert [(message.voice.value, message.text) for message in messages] == [
        ("person", "use tabs"), ("assistant", "I look."), ("tool", "1 failed"), ("tool", "boom"), ("assistant", "Noted."),
    ]
    assert [(message.tool, message.failed) for message in messages if message.voice == "tool"] == [("bash", False), ("bash", True)]
    assert reading.skipped == {"injected_context": 2, "not_text": 1, "bookkeeping": 3, "thinking": 1}
    assert (found.cwd, found.project_hint, found.of_agent) == (CWD, "/home/me/main-checkout", False)
    assert reading.cwd == CWD


@pytest.mark.parametrize(
    ("parts", "person"),
    [
        (['"use tabs, not \\"spaces\\""'], "use tabs, not \"spaces\""),
        (["use tabs\n\n<recalled-memory>\nuse yarn\n</recalled-memory>"], "use tabs"),
        (["<memory>use yarn</memory>"], None),
        (["one", "two"], "one\ntwo"),
        ([{"type": "compaction", "auto": True}], None),
        ([{"type": "text", "synthetic": True, "text": "Continue if you have next steps", "metadata": {"compaction_continue": True}}], None),
        ([{"type": "subtask", "prompt": "explore"}], None),
        ([b"{broken", "two"], "two"),
        ([b'{"type":"text","text":"half \\ud83d pair"}'], "half \ufffd pair"),
        ([b'["a list"]', b'"a string"', b"7"], None),
        ([{"type": "text", "text": None}, {"type": "text", "text": 7}, {"type": 9}, {}], "7"),
    ],
)
def test_a_user_message_is_what_a_person_typed(
    parts: list[Any], person: str | None, database: Database, one: Callable[[], Transcript]
) -> None:
    database.session()
    database.message("user", *parts)
    assert said(one()) == ([("person", person)] if person else [])


def test_a_compaction_s_summary_is_no_answer(database: Database, one: Callable[[], Transcript]) -> None:
    database.session()
    database.message("user", "use tabs")
    database.message("assistant", "They like tabs.", summary=True, mode="compaction")
    database.message("user", "go on")
    messages, reading = read(one())
    assert [message.text for message in messages] == ["use tabs", "go on"]
    assert reading.skipped["compaction_summary"] == 1


def test_a_sub_agent_s_prompts_are_not_a_person_s(database: Database, one: Callable[[], Transcript]) -> None:
    database.session("ses_1", parent="ses_0")
    database.message("user", "Explore.")
    database.message("assistant", "It is Python.")
    found = one()
    assert found.of_agent
    assert said(found) == [("assistant", "It is Python.")]


def test_outside_git_there_is_no_project(database: Database, one: Callable[[], Transcript]) -> None:
    database.session(project="global")
    assert one().project_hint == ""


def test_a_reverted_turn_was_not_said_and_comes_back_when_it_is_unreverted(
    database: Database, one: Callable[[], Transcript]
) -> None:
    database.session()
    database.message("user", "one")
    database.message("assistant", "one it is")
    mark = database.message("user", "use yarn")
    database.message("assistant", "yarn it is")
    database.connection.execute("UPDATE session SET revert = ?", (json.dumps({"messageID": mark}),))
    messages, reading = read(one())
    assert [message.text for message in messages] == ["one", "one it is"]
    assert reading.skipped["taken_back"] == 2
    database.connection.execute("UPDATE session SET revert = NULL")
    assert said(one(), reading.cursor) == [("person", "use yarn"), ("assistant", "yarn it is")]


@pytest.mark.parametrize("deleted", [True, False])
def test_what_was_handed_out_and_then_taken_back_is_counted_once(
    deleted: bool, database: Database, one: Callable[[], Transcript]
) -> None:
    database.session()
    database.message("user", "one")
    mark = database.message("user", "use yarn")
    _, first = read(one())
    if deleted:
        database.connection.execute("DELETE FROM message WHERE id = ?", (mark,))
        database.message("user", "use pnpm")
    else:
        database.connection.execute("UPDATE session SET revert = ?", (json.dumps({"messageID": mark}),))
    messages, second = read(one(), first.cursor)
    assert second.skipped["taken_back_late"] == 1
    assert [message.text for message in messages[second.fresh_from:]] == (["use pnpm"] if deleted else [])
    _, third = read(one(), second.cursor)
    assert "taken_back_late" not in third.skipped


def test_an_answer_that_is_still_written_waits(database: Database, one: Callable[[], Transcript]) -> None:
    database.session()
    database.message("user", "go")
    answer = database.message("assistant", "I am", done=False)
    database.message("user", "use tabs, by the way")        # queued while the agent works
    messages, first = read(one())
    assert [message.text for message in messages] == ["go"]
    assert first.skipped == {"unfinished_answer": 1}
    database.part(answer, "done now")
    database.finish(answer)
    assert said(one(), first.cursor) == [("assistant", "I am"), ("assistant", "done now"), ("person", "use tabs, by the way")]


def test_an_abandoned_answer_holds_nothing_up(database: Database, one: Callable[[], Transcript]) -> None:
    database.session()
    database.message("user", "go")
    database.message("assistant", "I am", tool(status="running", output=None), done=False)      # the client was killed
    database.message("user", "again")
    database.message("assistant", "Done.")
    messages, reading = read(one())
    assert [message.text for message in messages] == ["go", "I am", "again", "Done."]
    assert reading.skipped["unfinished_call"] == 1


def test_an_abandoned_last_answer_is_read_when_its_client_has_moved_on(
    database: Database, find: Callable[..., list[Transcript]], tmp_path: Path
) -> None:
    database.session()
    database.message("user", "go")
    database.message("assistant", "I am", done=False)
    database.now += 10_000_000
    database.session("ses_2")
    database.connection.commit()
    assert said(find(HOST, tmp_path)[0]) == [("person", "go"), ("assistant", "I am")]


def test_readings_go_on_where_they_stopped_with_context(database: Database, one: Callable[[], Transcript]) -> None:
    database.session()
    handed_out: list[str] = []
    cursor = None
    for number in range(7):
        database.message("user", f"prompt {number}")
        database.message("assistant", f"answer {number}")
        messages, reading = read(one(), cursor)
        handed_out += [message.text for message in messages[reading.fresh_from:]]
        assert [message.text for message in messages] == [
            f"{kind} {index}" for index in range(max(0, number - 3), number + 1) for kind in ("prompt", "answer")
        ]
        cursor = reading.cursor
        assert cursor.messages == len(handed_out)
    assert handed_out == [f"{kind} {number}" for number in range(7) for kind in ("prompt", "answer")]
    messages, reading = read(one(), cursor)
    assert messages[reading.fresh_from:] == []
    assert reading.cursor == cursor


@pytest.mark.parametrize(
    "cursor",
    [
        Cursor(position=5), Cursor(position=5, mark="x"), Cursor(position=5, mark="{}"), Cursor(position=5, mark='{"line":"v2"}'),
        Cursor(position=5, mark="[1]"), Cursor(position=2**70, mark='{"line":"v1"}'), Cursor(position=-1, mark='{"line":"v1"}'),
        Cursor(position=5, context=-2**70, mark='{"line":"v1"}'),
    ],
)
def test_a_cursor_of_something_else_starts_again(cursor: Cursor, database: Database, one: Callable[[], Transcript]) -> None:
    database.session()
    database.message("user", "one")
    messages, reading = read(one(), cursor)
    assert [message.text for message in messages] == ["one"]
    assert reading.restarted
    assert reading.fresh_from == 0


def test_a_fork_leaves_out_what_it_copied(database: Database, find: Callable[..., list[Transcript]], tmp_path: Path) -> None:
    database.session("ses_old")
    database.message("user", "use tabs", session="ses_old")
    database.message("assistant", "tabs it is", session="ses_old")
    copied = database.connection.execute("SELECT id, time_created, data FROM message ORDER BY id").fetchall()
    database.now += 1000
    database.session("ses_new")
    for name, created, data in copied:
        database.connection.execute("INSERT INTO message VALUES (?, 'ses_new', ?, ?, ?)", (f"{name}x", created, created, data))
        database.part(f"{name}x", "copied words", "ses_new")
    database.message("user", "and LF", session="ses_new")
    database.connection.commit()
    new = {one.session: one for one in find(HOST, tmp_path)}["ses_new"]
    messages, reading = read(new)
    assert [message.text for message in messages] == ["and LF"]
    assert reading.skipped["copied"] == 2
    database.connection.execute("DELETE FROM session WHERE id = 'ses_old'")
    database.connection.execute("DELETE FROM message WHERE session_id = 'ses_old'")
    database.connection.commit()
    assert len(read(new)[0]) == 3


def test_v2_is_read_where_it_has_rows(database: Database, find: Callable[..., list[Transcript]], tmp_path: Path) -> None:
    database.session("ses_1")
    database.message("user", "in V1")
    database.session("ses_2")
    database.message("user", "the same, before it was migrated", session="ses_2")
    database.v2("user", text="use tabs", files=[])
    database.v2("synthetic", text="recalled: use yarn")
    database.v2("system", text="today is Monday")
    database.v2("skill", name="x", text="skill text")
    database.v2("shell", command="ls", output={"output": "a.py"})
    database.v2(
        "assistant", agent="build", time={"created": 5, "completed": 6}, content=[
            {"type": "reasoning", "text": "hm"}, {"type": "text", "text": "I look."},
            {"type": "tool", "id": "c", "name": "bash", "state": {"status": "completed", "content": [{"type": "text", "text": "ok"}]}},
            {"type": "tool", "id": "d", "name": "bash", "state": {"status": "error", "error": {"message": "boom"}}},
        ],
    )
    database.v2("compaction", status="completed", summary="They like tabs.")
    database.v2("idle", outcome="succeeded")
    database.v2("something-new", text="who said this?")
    database.connection.commit()
    first, second = find(HOST, tmp_path)
    assert said(first) == [("person", "in V1")]
    messages, reading = read(second)
    assert [(message.voice.value, message.text) for message in messages] == [
        ("person", "use tabs"), ("assistant", "I look."), ("tool", "ok"), ("tool", "boom"),
    ]
    database.v2("user", text="and LF")
    database.connection.commit()
    assert said(second, reading.cursor) == [("person", "and LF")]


@pytest.mark.parametrize("missing", ["project", "session_message", "part", "message"])
def test_a_missing_table_is_no_accident(missing: str, database: Database, tmp_path: Path) -> None:
    database.session()
    database.message("user", "one")
    database.connection.execute(f"DROP TABLE {missing}")
    database.connection.commit()
    (found,) = hosts.find_all(str(tmp_path), {}, [HOST])
    assert isinstance(found, Transcript)
    messages, reading = read(found)
    assert [message.text for message in messages] == (["one"] if missing in ("project", "session_message") else [])
    assert bool(reading.skipped) == (missing in ("part", "message"))


def test_rows_of_another_kind_never_loop(database: Database, one: Callable[[], Transcript]) -> None:
    database.session()
    database.message("user", "one")
    for name, created in ((b"\xff\xfe", 5), ("text", "x"), (None, 7), ("real", 1.5), ("null", None)):
        database.connection.execute("INSERT INTO message VALUES (?, 'ses_1', ?, 1, '{}')", (name, created))
    assert said(one()) == [("person", "one")]


def test_all_channels_and_the_named_database_are_found(
    database: Database, find: Callable[..., list[Transcript]], tmp_path: Path
) -> None:
    database.session()
    database.connection.commit()
    with closing(Database(database.path.with_name("opencode-dev.db")).connection) as dev:
        dev.execute("INSERT INTO session (id, project_id, directory) VALUES ('ses_dev', 'p', '/d')")
        dev.commit()
    with closing(Database(tmp_path / "mine.db").connection) as mine:
        mine.execute("INSERT INTO session (id, project_id, directory) VALUES ('ses_mine', 'p', '/m')")
        mine.commit()
    assert [one.session for one in find(HOST, tmp_path)] == ["ses_dev", "ses_1"]
    assert [one.session for one in find(HOST, tmp_path, OPENCODE_DB=str(tmp_path / "mine.db"))] == ["ses_dev", "ses_1", "ses_mine"]
    assert [one.session for one in find(HOST, tmp_path, OPENCODE_DB=":memory:")] == ["ses_dev", "ses_1"]
    assert find(HOST, tmp_path, XDG_DATA_HOME="~/elsewhere") == []


def test_a_live_database_is_read_with_its_log_and_nothing_is_left_behind(
    database: Database, one: Callable[[], Transcript]
) -> None:
    database.connection.execute("PRAGMA journal_mode = WAL")
    database.session()
    database.message("user", "in the log")
    found = one()
    assert Path(f"{database.path}-wal").stat().st_size > 0
    assert said(found) == [("person", "in the log")]
    database.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.connection.close()
    before = sorted(database.path.parent.iterdir())
    assert before == [database.path]
    assert said(found) == [("person", "in the log")]
    assert sorted(database.path.parent.iterdir()) == before


def test_a_locked_database_is_named(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reverie.hosts.readonly.BUSY_SECONDS", 0.05)
    database.session()
    database.connection.commit()
    database.connection.execute("BEGIN EXCLUSIVE")
    (found,) = hosts.find_all(str(tmp_path), {}, [HOST])
    assert isinstance(found, Unreadable)
    assert found.reason == "locked"
    (found,) = hosts.recognise(str(tmp_path))
    assert isinstance(found, Unreadable)
    reading = hosts.get(HOST).read(Transcript(host=HOST, session="ses_1", path=str(database.path)))
    assert list(reading.messages) == []
    assert reading.skipped == {"locked": 1}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not_a_database"), (b"not a database at all", "not_a_database"),
        (b"SQLite format 3\x00" + b"\x01" * 84, "corrupt"), (b"SQLite format 3\x00", "not_a_database"),
    ],
)
def test_a_corrupt_database_is_named(data: bytes, reason: str, tmp_path: Path) -> None:
    path = tmp_path / ".local" / "share" / "opencode" / "opencode.db"
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    (found,) = hosts.find_all(str(tmp_path), {}, [HOST])
    assert isinstance(found, Unreadable)
    assert found.reason in (reason, "not_a_database", "corrupt")


def test_a_database_that_breaks_in_the_middle_gives_what_it_can(database: Database, one: Callable[[], Transcript]) -> None:
    database.session()
    for number in range(400):
        database.message("user", f"prompt {number} " + "x" * 400)
    found = one()
    database.connection.close()
    data = bytearray(database.path.read_bytes())
    middle = len(data) // 2
    data[middle:] = b"\xaa" * (len(data) - middle)
    database.path.write_bytes(data)
    messages, reading = read(found)
    assert len(messages) < 400
    assert reading.skipped


@pytest.fixture
def legacy(tmp_path: Path) -> Callable[..., Path]:
    """Write a session as releases before 1.2 did."""

    def write(session: str = "ses_1", *messages: tuple[str, list[Any]], parent: str = "") -> Path:
        storage = tmp_path / ".local" / "share" / "opencode" / "storage"
        for folder in ("session/p1", f"message/{session}", "project"):
            (storage / folder).mkdir(parents=True, exist_ok=True)
        (storage / "project" / "p1.json").write_text(json.dumps({"id": "p1", "worktree": "/home/me/main-checkout"}))
        path = storage / "session" / "p1" / f"{session}.json"
        facts = {"id": session, "projectID": "p1", "directory": CWD, "title": "T", "time": {"created": 1000, "updated": 2000}}
        path.write_text(json.dumps({**facts, **({"parentID": parent} if parent else {})}))
        for number, (role, parts) in enumerate(messages):
            name = f"msg_{number:04}"
            time = {"created": 1000 + number, "completed": 1001 + number}
            data = {"id": name, "role": role, "sessionID": session, "time": time}
            (storage / "message" / session / f"{name}.json").write_text(json.dumps(data))
            (storage / "part" / name).mkdir(parents=True, exist_ok=True)
            for index, part in enumerate(parts):
                value = {"type": "text", "text": part} if isinstance(part, str) else part
                (storage / "part" / name / f"prt_{index:04}.json").write_text(json.dumps(value))
        return path

    return write


def test_legacy_files_are_read(legacy: Callable[..., Path], find: Callable[..., list[Transcript]], tmp_path: Path) -> None:
    legacy("ses_1", ("user", ["use tabs"]), ("assistant", ["I look.", tool("ok")]), ("user", ["go on"]))
    (one,) = find(HOST, tmp_path)
    assert (one.session, one.cwd, one.project_hint) == ("ses_1", CWD, "/home/me/main-checkout")
    messages, reading = read(one)
    assert [message.text for message in messages] == ["use tabs", "I look.", "ok", "go on"]
    legacy("ses_1", ("user", ["use tabs"]), ("assistant", ["I look.", tool("ok")]), ("user", ["go on"]), ("user", ["stop"]))
    assert said(one, reading.cursor) == [("person", "stop")]
    assert [found.session for found in hosts.recognise(str(tmp_path)) if isinstance(found, Transcript)] == ["ses_1"]


def test_a_legacy_session_that_was_taken_over_is_found_once(
    legacy: Callable[..., Path], database: Database, find: Callable[..., list[Transcript]], tmp_path: Path
) -> None:
    path = legacy("ses_1", ("user", ["use tabs"]))
    legacy("ses_left", ("user", ["use tabs"]))
    database.session("ses_1")
    database.connection.commit()
    assert sorted((one.session, one.path.endswith(".db")) for one in find(HOST, tmp_path)) == [("ses_1", True), ("ses_left", False)]
    assert hosts.get(HOST).at(str(path)) == []
    found = [one for one in hosts.recognise(str(tmp_path)) if isinstance(one, Transcript)]
    assert sorted(one.session for one in found) == ["ses_1", "ses_left"]


@pytest.mark.parametrize("broken", ["{", "[]", '{"id": 5}', ""])
def test_a_broken_legacy_session_is_named(broken: str, legacy: Callable[..., Path], tmp_path: Path) -> None:
    path = legacy("ses_1", ("user", ["use tabs"]))
    path.write_text(broken)
    (found,) = hosts.find_all(str(tmp_path), {}, [HOST])
    assert isinstance(found, Unreadable)
    assert found.reason == "broken_json"
    reading = hosts.get(HOST).read(Transcript(host=HOST, session="ses_1", path=str(path)))
    assert list(reading.messages) == []


def test_a_broken_legacy_message_costs_only_itself(legacy: Callable[..., Path], find: Callable[..., list[Transcript]], tmp_path: Path) -> None:
    path = legacy("ses_1", ("user", ["one"]), ("user", ["two"]), ("user", ["three"]))
    storage = path.parent.parent.parent
    (storage / "message" / "ses_1" / "msg_0001.json").write_text("{")
    (storage / "part" / "msg_0002" / "prt_0001.json").write_text("nonsense")
    (one,) = find(HOST, tmp_path)
    messages, reading = read(one)
    assert [message.text for message in messages] == ["one", "three"]
    assert reading.skipped == {"broken_json": 2}


def test_what_a_tool_was_called_with_comes_as_it_was_stored(
    database: Database, find: Callable[..., list[Transcript]], tmp_path: Path, legacy: Callable[..., Path]
) -> None:
    given = {"filePath": "src/größe.py", "content": "x" * 100}
    database.session()
    database.message("assistant", tool(input=given), tool(input={"command": "y" * 20_000}))
    database.part("msg_00001010", b'{"type": "tool", "tool": "bash", "state": {"status": "completed", "input": {"a": "\\ud800"}, "output": "\xff!"}}')
    database.session("ses_2")
    database.v2("assistant", content=[7, tool(input=given)], time={"created": 5, "completed": 6})
    database.connection.commit()
    calls = [message.call for transcript in find(HOST, tmp_path) for message in read(transcript)[0]]
    assert calls[0] == calls[3] == json.dumps(given)
    assert len(calls[1]) == 16_384
    assert json.loads(calls[2]) == {"a": "�"}      # the row that a strict decoder refuses
    assert len(calls) == 4
