"""Extract after every response: the cursor, the named skips, and the faults of the product that are not copied."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from reverie.core import place as places
from reverie.core.model import Failure, ModelFailed
from reverie.core.responding import Skip, wrote_memory
from reverie.core.session import Message, Voice
from reverie.flows.responding import Responded
from reverie.memory import Memory, open_memory
from reverie.testing import ScriptedModel

RULE = "Never push to main directly, always open a pull request."
OTHER = "We decided to use Postgres for the ledger because SQLite locks under load."
SESSION = "5e55c0de-0000-4000-8000-00000000000{}"


class Chat:
    """A transcript as Qwen Code 0.24 writes it (spec/qwen-code §18), growing."""

    def __init__(self, folder: Path, cwd: Path, *, number: int = 1) -> None:
        self.session = SESSION.format(number)
        self.path = folder / ".qwen/projects/-srv-app/chats" / f"{self.session}.jsonl"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.cwd, self.last, self.count = cwd, None, 0

    def _add(self, type: str, provenance: str, message: dict[str, Any], **more: Any) -> None:
        self.count += 1
        id = f"{self.session[:8]}-0000-4000-8000-{self.count:012d}"
        record = {"uuid": id, "parentUuid": self.last, "sessionId": self.session, "timestamp": f"2026-11-02T09:00:{self.count:02d}.000Z",
                  "type": type, "provenance": provenance, "cwd": str(self.cwd), "version": "0.24.4", "message": message, **more}
        self.last = id  # type: ignore[assignment]
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record, separators=(",", ":")) + "\n")

    def user(self, text: str) -> Chat:
        self._add("user", "real_user", {"role": "user", "parts": [{"text": text}]})
        return self

    def answer(self, text: str = "Will do.") -> Chat:
        self._add("assistant", "assistant_output", {"role": "model", "parts": [{"text": text}]})
        return self

    def tool(self, name: str, arguments: dict[str, Any], *, status: str = "success") -> Chat:
        id = f"call_{self.count}"
        self._add("assistant", "assistant_output", {"role": "model", "parts": [{"functionCall": {"id": id, "name": name, "args": arguments}}]})
        response = {"output": "done"} if status == "success" else {"error": "denied"}
        self._add("tool_result", "tool_result", {"role": "user", "parts": [{"functionResponse": {"id": id, "name": name, "response": response}}]},
                  toolCallResult={"callId": id, "status": status})
        return self


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "app"
    folder.mkdir()
    return folder


def opened(project: Path, design: str = "qwen-code", **more: Any) -> Memory:
    environment = {"HOME": str(project.parent), **more.pop("environment", {})}
    return open_memory(project.parent / "home", design=design, cwd=project, environment=environment, **more)


def extracted(project: Path, chat: Chat, **more: Any) -> Responded:
    with opened(project, **more) as memory:
        return memory.extract(str(chat.path))


def state(project: Path, name: str, design: str = "qwen-code") -> dict[str, Any]:
    [path] = (project.parent / "home/stores" / design / "projects").glob(f"*/{name}")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def bodies(project: Path, design: str = "qwen-code") -> list[str]:
    with opened(project, design) as memory:
        return sorted(found.memory.body for found in memory.list())


# ── the cursor (study §5) ────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("design", ["qwen-code", "qwen-code@0.24"])
def test_each_response_is_extracted_from_where_the_last_one_ended(project: Path, design: str) -> None:
    chat = Chat(project.parent, project).user(RULE).answer()
    first = extracted(project, chat, design=design)
    assert (first.status, first.topics, first.learned and first.learned.messages) == ("completed", ("feedback",), 2)
    cursor = state(project, "extract-cursor.json", design)
    assert (set(cursor), cursor["sessionId"], cursor["processedOffset"]) == (
        {"sessionId", "processedOffset", "updatedAt"}, chat.session, 2)
    meta = state(project, "meta.json", design)
    assert (meta["lastExtractionSessionId"], meta["lastExtractionTouchedTopics"], meta["lastExtractionStatus"], meta["version"]) == (
        chat.session, ["feedback"], "updated", 1)
    chat.user(OTHER).answer()
    second = extracted(project, chat, design=design)
    assert (second.learned and second.learned.messages, second.topics) == (2, ("project",))
    assert state(project, "extract-cursor.json", design)["processedOffset"] == 4
    [index] = (project.parent / "home/stores" / design / "projects").glob("*/memory/MEMORY.md")
    assert len(index.read_text(encoding="utf-8").strip().splitlines()) == 2, "the index is rebuilt after each extract"


def test_nothing_new_is_nothing_to_do_and_nothing_worth_keeping_moves_the_cursor(project: Path) -> None:
    chat = Chat(project.parent, project).user("hello").answer("Hi.")
    done = extracted(project, chat)
    assert (done.status, done.learned and done.learned.outcome) == ("completed", "succeeded_no_output")
    assert state(project, "extract-cursor.json")["processedOffset"] == 2
    again = extracted(project, chat)
    assert again.learned and again.learned.outcome == "unchanged"
    assert not list((project.parent / "home/stores/qwen-code/projects").glob("*/meta.json"))


def test_another_session_starts_at_its_beginning_and_coming_back_goes_on(project: Path) -> None:
    one, two = Chat(project.parent, project), Chat(project.parent, project, number=2)
    extracted(project, one.user(RULE).answer())
    done = extracted(project, two.user(OTHER).answer())
    assert done.learned and done.learned.messages == 2
    assert state(project, "extract-cursor.json")["sessionId"] == two.session
    back = extracted(project, one.user("Thanks, that is all for today, bye.").answer())
    assert back.learned and back.learned.messages == 2, "the product begins the session anew here"
    assert (state(project, "extract-cursor.json")["sessionId"], state(project, "extract-cursor.json")["processedOffset"]) == (one.session, 4)


def test_the_file_is_gone_by_where_the_database_was_lost(project: Path) -> None:
    chat = Chat(project.parent, project).user(RULE).answer()
    extracted(project, chat)
    for path in (project.parent / "home").glob("state.db*"):
        path.unlink()
    done = extracted(project, chat.user(OTHER).answer())
    assert done.learned and (done.learned.messages, len(done.learned.kept)) == (2, 1)


@pytest.mark.parametrize("broken", [b"", b"{", b"[]", b'{"sessionId": 7, "processedOffset": -1}', b"\xff\xfe"])
def test_a_broken_cursor_stops_nothing(project: Path, broken: bytes) -> None:
    chat = Chat(project.parent, project).user(RULE).answer()
    extracted(project, chat)
    [path] = (project.parent / "home/stores/qwen-code/projects").glob("*/extract-cursor.json")
    path.write_bytes(broken)
    done = extracted(project, chat.user(OTHER).answer())
    assert done.status == "completed" and state(project, "extract-cursor.json")["processedOffset"] == 4


# ── what the product gets wrong (spec/qwen-code §1) ──────────────────────────────────────────────────────────────────


def test_a_turn_that_used_tools_is_extracted(project: Path) -> None:
    chat = Chat(project.parent, project).user(RULE).tool("run_shell_command", {"command": "git status"}).answer()
    assert extracted(project, chat).topics == ("feedback",)


def test_a_lost_write_leaves_the_cursor_and_the_next_response_brings_it(project: Path) -> None:
    chat = Chat(project.parent, project).user("hello").answer("Hi.")
    extracted(project, chat)
    [above] = (project.parent / "home/stores/qwen-code/projects").glob("*")
    (above / "memory").write_text("a file in the way", encoding="utf-8")
    chat.user(RULE).answer()
    lost = extracted(project, chat)
    assert lost.status == "failed" and lost.detail
    assert state(project, "extract-cursor.json")["processedOffset"] == 2
    (above / "memory").unlink()
    found = extracted(project, chat)
    assert (found.topics, state(project, "extract-cursor.json")["processedOffset"]) == (("feedback",), 4)
    with opened(project) as memory:
        assert [event.facts["status"] for event in memory.events(kinds=["extract"])] == ["completed", "failed", "completed"]


def test_a_model_that_fails_loses_nothing_either(project: Path) -> None:
    chat = Chat(project.parent, project).user(RULE).answer()
    failed = extracted(project, chat, model=ScriptedModel([ModelFailed(Failure.UNAVAILABLE, "gone")]))
    assert (failed.status, failed.detail) == ("failed", "gone")
    assert extracted(project, chat).topics == ("feedback",)


@pytest.mark.parametrize("where", ["the product's folder", "the user's layer here"])
def test_one_memory_write_skips_its_own_turn_and_not_the_session(project: Path, where: str) -> None:
    folder = project.parent / ".qwen/projects" / places.qwen_key(str(project)) / "memory"
    root = folder if where == "the product's folder" else project.parent / "home/stores/qwen-code/memories"
    chat = Chat(project.parent, project).user("Releases are tagged by Noor, never by hand.")
    chat.tool("write_file", {"file_path": f"{root}/feedback/a.md", "content": "x"}).answer()
    skipped = extracted(project, chat)
    assert (skipped.status, skipped.skip) == ("skipped", Skip.MEMORY_TOOL)
    done = extracted(project, chat.user(RULE).answer())
    assert done.learned and (done.learned.messages, len(done.learned.kept) >= 1) == (5, True), "the skipped turn is read with it"


def test_a_refused_write_is_no_write() -> None:
    def turn(*messages: Message) -> bool:
        return wrote_memory(messages, ["/m"], cwd="/srv/app")

    def write(path: str, *, failed: bool = False, tool: str = "write_file") -> Message:
        return Message(id="w", voice=Voice.TOOL, text="", tool=tool, failed=failed, given=json.dumps({"file_path": path}).encode())

    said = Message(id="p", voice=Voice.PERSON, text="do it")
    assert turn(said, write("/m/feedback/a.md"))
    assert turn(said, write("../../m/a.md"))
    assert not turn(said, write("/m/feedback/a.md", failed=True))
    assert not turn(write("/m/feedback/a.md"), said)
    assert not turn(said, write("/memory/a.md")) and not turn(said, write("/m/../x.md"))
    assert not turn(said, write("/m/a.md", tool="read_file"))
    assert turn(said, write("anything", tool="save_memory"))


# ── skips by name ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_what_comes_while_one_is_at_work_is_queued_and_done_when_it_ends(project: Path) -> None:
    one, two, three = (Chat(project.parent, project, number=number) for number in (1, 2, 3))
    one.user(RULE).answer()
    two.user("hello there").answer()
    three.user(OTHER).answer()
    inside: list[Responded] = []

    def meanwhile(ask: Any) -> dict[str, Any]:
        if not inside:      # the first one is at work, with its lock: two others come
            inside.append(Responded(status="completed"))
            inside.extend(extracted(project, chat) for chat in (two, three))
            with opened(project) as memory:
                inside.append(memory.extract([("user", OTHER), ("assistant", "Yes.")], session="in-memory"))
        return {"memories": []}

    done = extracted(project, one, model=ScriptedModel(meanwhile))
    assert [each.skip for each in inside[1:]] == [Skip.QUEUED, Skip.QUEUED, Skip.ALREADY_RUNNING]
    assert [each.learned and each.learned.session for each in done.queued] == [three.session], "the newest replaces what waited"
    assert not list((project.parent / "home/stores/qwen-code/projects").glob("*/extract.lock"))
    assert extracted(project, two).status == "completed", "what was replaced is not lost"


def test_the_lock_of_a_dead_process_or_an_old_one_stops_nobody(project: Path) -> None:
    chat = Chat(project.parent, project).user(RULE).answer()
    extracted(project, chat)
    [above] = (project.parent / "home/stores/qwen-code/projects").glob("*")
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    (above / "extract.lock").write_text(str(dead.pid), encoding="utf-8")
    assert extracted(project, chat.user(OTHER).answer()).status == "completed"
    (above / "extract.lock").write_text(str(os.getpid()), encoding="utf-8")
    assert extracted(project, chat.user("hello").answer()).skip is Skip.QUEUED
    old = time.time() - 3_700
    os.utime(above / "extract.lock", (old, old))
    assert extracted(project, chat.user("hello again").answer()).status == "completed"


def test_the_switch_and_sub_agents_have_names(project: Path) -> None:
    chat = Chat(project.parent, project).user(RULE).answer()
    assert extracted(project, chat, environment={"REVERIE_EXTRACT_ENABLED": "0"}).skip is Skip.DISABLED
    agent = Chat(project.parent, project, number=4)
    agent._add("system", "system", {}, subtype="parent_session", systemPayload={})
    agent.user(RULE).answer()
    assert extracted(project, agent).skip is Skip.SUB_AGENT
    with opened(project) as memory:
        assert [event.facts["skipped_reason"] for event in memory.events(kinds=["extract"])] == []      # nothing was ever kept: no home


# ── the patch filters, through the whole way (study §5) ──────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("statement", "reason"),
    [("Use tabs.", "too_short"), ("Is the ledger in Postgres?", "question"), ("The build is red today in this branch", "temporary"),
     ("Deploys are currently done on Mondays", "temporary"), ("Deploys are done on Mondays by Noor", "")],
)
def test_a_models_patches_pass_the_studys_filters(project: Path, statement: str, reason: str) -> None:
    said = {"message": 0, "quote": statement, "said_by": "person", "type": "project", "scope": "project", "name": "A patch",
            "statement": statement, "why": "", "how_to_apply": "", "replaces": ""}
    chat = Chat(project.parent, project).user(statement).answer()
    done = extracted(project, chat, model=ScriptedModel([{"memories": [said]}]))
    assert done.learned is not None
    assert [str(drop.reason) for drop in done.learned.drops] == ([reason] if reason else [])
    assert len(done.learned.kept) == (0 if reason else 1)


def test_the_same_topic_and_summary_is_kept_once(project: Path) -> None:
    def answer(summary: str) -> dict[str, Any]:
        return {"memories": [{"message": 0, "quote": "Deploys are done on Mondays by Noor", "said_by": "person", "type": "project", "scope": "project",
                              "name": "Deploys", "statement": summary, "why": "", "how_to_apply": "", "replaces": ""}]}

    for number, summary in ((1, "Deploys are done on Mondays by Noor"), (2, "DEPLOYS are done on mondays by noor")):
        chat = Chat(project.parent, project, number=number).user("Deploys are done on Mondays by Noor").answer()
        extracted(project, chat, model=ScriptedModel([answer(summary)]))
    assert bodies(project) == ["Deploys are done on Mondays by Noor"]


# ── after it, and around it ──────────────────────────────────────────────────────────────────────────────────────────


def test_it_dreams_when_it_is_time(project: Path) -> None:
    now = [datetime(2026, 11, 5, 12, tzinfo=UTC)]
    for number in range(1, 8):
        chat = Chat(project.parent, project, number=number).user(f"Service number{number} is owned by team{number}, not by us.").answer()
        extracted(project, chat, clock=lambda: now[0])
        now[0] += timedelta(minutes=11)
    with opened(project) as memory:
        told = [event.facts["trigger"] for event in memory.events(kinds=["dream"])]
    assert told == ["auto"], "five sessions, other than this one, since the beginning; then not again for a day"
    assert "lastDreamAt" in state(project, "meta.json")


def test_an_undo_takes_the_memories_back_and_they_are_not_extracted_again(project: Path) -> None:
    chat = Chat(project.parent, project).user(RULE).answer()
    done = extracted(project, chat)
    with opened(project) as memory:
        undone = memory.undo(run=done.run)
        assert not undone.conflicts and memory.list() == []
    assert extracted(project, chat).topics == () and bodies(project) == []


def test_every_other_design_extracts_too_without_the_products_files(project: Path) -> None:
    chat = Chat(project.parent, project).user(RULE).answer()
    assert extracted(project, chat, design="reverie").topics == ("feedback",)
    assert sorted(path.name for path in (project.parent / "home/stores/reverie").rglob("*extract*")) == []


def reverie(project: Path, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "REVERIE_HOME": str(project.parent / "home"), "HOME": str(project.parent)}
    return subprocess.run([sys.executable, "-m", "reverie", *arguments], input=stdin, env=environment, capture_output=True, timeout=60, check=False)


def test_the_command_says_what_became_of_it(project: Path) -> None:
    chat = Chat(project.parent, project).user(RULE).answer()
    done = reverie(project, "extract", str(chat.path), "--design", "qwen-code", "--cwd", str(project), "--json")
    told = json.loads(done.stdout)
    assert (told["status"], told["patches_count"], told["touched_topics"], told["skipped_reason"]) == ("completed", 1, ["feedback"], "")
    assert b"unchanged" in reverie(project, "extract", chat.session[:8], "--design", "qwen-code", "--cwd", str(project)).stdout
    assert reverie(project, "extract", "nowhere.jsonl").returncode == 1
    assert reverie(project, "extract").returncode == 2


@pytest.mark.parametrize("payload", [b"", b"{", b"[1]", b'{"transcript_path": 7}', b'{"transcript_path": "--hook"}', b'{"transcript_path": "/none"}'])
def test_a_broken_payload_of_a_hook_never_fails(project: Path, payload: bytes) -> None:
    done = reverie(project, "extract", "--hook", stdin=payload)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_hook_returns_at_once_and_the_work_is_done(project: Path) -> None:
    chat = Chat(project.parent, project).user(RULE).answer()
    payload = json.dumps({"hook_event_name": "Stop", "transcript_path": str(chat.path), "session_id": chat.session}).encode()
    done = reverie(project, "extract", "--hook", "--design", "qwen-code", "--cwd", str(project), stdin=payload)
    assert (done.returncode, done.stdout) == (0, b"")
    cursor = project.parent / "home/stores/qwen-code/projects"
    deadline = time.monotonic() + 30
    while not list(cursor.glob("*/extract-cursor.json")) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert bodies(project)
    with opened(project) as memory:
        assert [event.facts["trigger"] for event in memory.events(kinds=["extract"])] == ["auto"]


def test_the_worker_behind_the_hooks_extracts_with_the_products_cursor(project: Path) -> None:
    chat = Chat(project.parent, project).user(RULE).answer()
    with opened(project, environment={"REVERIE_DESIGN": "qwen-code"}) as memory:
        memory.announce(host="qwen-code", session=chat.session, transcript=str(chat.path))
        assert memory.work() == 1
        assert [(event.facts["trigger"], event.facts["status"]) for event in memory.events(kinds=["extract"])] == [("auto", "completed")]
    assert state(project, "extract-cursor.json")["sessionId"] == chat.session
    assert bodies(project)


def test_the_switch_against_background_calls_holds_for_what_a_hook_begins(project: Path) -> None:
    chat = Chat(project.parent, project).user(RULE).answer()
    model = ScriptedModel([])
    with opened(project, model=model, background=True, environment={"REVERIE_MODELS_BACKGROUND": "asked"}) as memory:
        assert memory.extract(str(chat.path)).topics == ("feedback",), "by rules"
    assert model.asks == []


def test_a_program_hands_over_its_conversation_after_each_response(project: Path) -> None:
    with opened(project) as memory:
        talk = [("user", RULE), ("assistant", "Will do.")]
        assert memory.extract(talk, session="s1").topics == ("feedback",)
        talk += [("user", OTHER), ("assistant", "Noted.")]
        done = memory.extract(talk, session="s1")
        assert done.learned and (done.learned.messages, done.topics) == (2, ("project",))
