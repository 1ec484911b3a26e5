"""The hook as a client runs it: a process per event, whatever comes in and whatever is broken."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from reverie import memory as memories
from reverie.core import blocks
from reverie.entrypoints import worker
from reverie.hosts import hooks
from reverie.memory import Memory, open_memory

SCRIPT = Path(hooks.__file__).parent.parent / "hook.py"
RULE = "Run the checks with `make check`, never plain pytest"
PROMPT = {"hook_event_name": "UserPromptSubmit", "prompt": "how do I run the checks?"}
SESSION = "--no-background"


class Hook:
    """Runs hooks in one home and one project."""

    def __init__(self, home: Path, project: Path) -> None:
        self.home, self.project = home, project
        self.environment = {"HOME": str(home), "PATH": os.environ["PATH"]}
        self.seconds = 0.0

    def raw(self, host: str, data: bytes, *options: str, python: tuple[str, ...] = ("-I", "-S", str(SCRIPT))) -> str:
        started = time.monotonic()
        done = subprocess.run([sys.executable, *python, host, "--no-background", *options], input=data, capture_output=True,
                              timeout=30, env=self.environment, cwd=self.home, check=False)
        self.seconds = time.monotonic() - started
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout.decode()

    def __call__(self, host: str, event: dict[str, Any], *options: str, session: str = "s1", **more: Any) -> str:
        """What the model is told."""
        payload = {"session_id": session, "transcript_path": "/gone.jsonl", "cwd": str(self.project), **event, **more}
        said = self.raw(host, json.dumps(payload).encode(), *options)
        if host in ("claude-code", "codex", "qwen-code") and said.startswith("{"):
            answer = json.loads(said)
            assert set(answer) == {"hookSpecificOutput"} and set(answer["hookSpecificOutput"]) == {"hookEventName", "additionalContext"}
            assert answer["hookSpecificOutput"]["hookEventName"] == event["hook_event_name"]
            return str(answer["hookSpecificOutput"]["additionalContext"])
        return said

    def memory(self) -> Memory:
        return open_memory(cwd=self.project, environment=self.environment)

    def problems(self) -> str:
        with self.memory() as memory:
            return "\n".join(memory.status()["problems"])


@pytest.fixture
def hook(home: Path, tmp_path: Path) -> Hook:
    project = tmp_path / "app"
    project.mkdir()
    found = Hook(home, project)
    with found.memory() as memory:
        memory.remember(RULE, type="feedback")
    return found


def start(source: str = "startup") -> dict[str, str]:
    return {"hook_event_name": "SessionStart", "source": source}


# ── what a session is told ───────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("host", ["claude-code", "codex", "qwen-code", "opencode"])
def test_a_session_starts_with_its_block_the_same_for_good(hook: Hook, host: str) -> None:
    block = hook(host, start())
    assert RULE in block and block.startswith(f"<{blocks.TAG} kind=\"session\"") and block.endswith(f"</{blocks.TAG}>")
    with hook.memory() as memory:
        memory.remember("Deploys happen on Mondays")
    assert hook(host, start()) == block
    assert "Mondays" in hook(host, start(), session="another")


@pytest.mark.parametrize(("host", "again"), [("claude-code", False), ("codex", False), ("qwen-code", True), ("opencode", True)])
def test_a_resumed_session_has_its_block_once(hook: Hook, host: str, again: bool) -> None:
    """Where it is history it is there; where it is part of the system prompt it is made again, to the byte."""
    block = hook(host, start())
    assert hook(host, start("resume")) == (block if again else "")
    assert RULE in hook(host, start("resume"), session="from before the installation")


@pytest.mark.parametrize("host", ["claude-code", "codex", "qwen-code", "opencode", "kimi-code"])
def test_a_prompt_gets_what_it_needs_once_and_an_unrelated_one_nothing(hook: Hook, host: str) -> None:
    if host == "kimi-code":
        hook(host, PROMPT | {"prompt": "what is heapsort?"})            # takes the block with it
    assert hook(host, PROMPT | {"prompt": "what is the time complexity of heapsort?"}) == ""
    said = hook(host, PROMPT)
    assert RULE in said and 'kind="recall"' in said
    assert hook(host, PROMPT) == ""                                     # it stands there already
    assert RULE in hook(host, PROMPT, session="another")


def test_a_memory_that_changed_is_shown_again(hook: Hook) -> None:
    assert RULE in hook("claude-code", PROMPT)
    with hook.memory() as memory:
        [found] = memory.list()
        file = Path(memory.space.store(found.mount).root) / found.memory.id.rpartition("/")[2]
    file.write_text(file.read_text("utf-8").replace("never plain pytest", "and never tox"), "utf-8")
    assert "never tox" in hook("claude-code", PROMPT)
    with hook.memory() as memory:
        memory.forget(memory.list())
    assert hook("claude-code", PROMPT, session="another") == ""         # forgotten, and gone from the next prompt


@pytest.mark.parametrize("host", ["claude-code", "qwen-code", "codex"])
def test_after_a_compaction_it_is_told_again(hook: Hook, host: str) -> None:
    block = hook(host, start())
    assert RULE in hook(host, PROMPT)
    assert hook(host, start("compact")).startswith(block)
    assert RULE in hook(host, PROMPT)


def test_kimi_gets_the_block_with_the_first_prompt_and_the_first_after_a_compaction(hook: Hook) -> None:
    unrelated = PROMPT | {"prompt": [{"type": "text", "text": "what is the time complexity of heapsort?"}]}
    assert hook("kimi-code", start()) == ""
    first = hook("kimi-code", unrelated)
    assert first.startswith(f"<{blocks.TAG} kind=\"session\"") and not first.startswith("{")
    assert hook("kimi-code", unrelated) == ""
    assert hook("kimi-code", {"hook_event_name": "PostCompact", "trigger": "auto"}) == ""
    assert hook("kimi-code", unrelated) == first
    assert hook("kimi-code", unrelated) == ""


def test_nothing_of_another_project(hook: Hook, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    hook.project = tmp_path / "other"
    for host in hooks.CLIENTS:
        assert RULE not in hook(host, start(), session=f"{host} a") + hook(host, PROMPT, session=f"{host} a")


@pytest.mark.parametrize("host", ["claude-code", "qwen-code", "opencode"])
def test_the_age_of_a_memory_is_told_where_it_is_read(hook: Hook, host: str) -> None:
    with hook.memory() as memory:
        [found] = memory.list()
        file = Path(memory.space.store(found.mount).root) / found.memory.id.rpartition("/")[2]
    at = time.time() - 47.5 * 86_400
    os.utime(file, (at, at))
    tool = next(name for name, kind in hooks.CLIENTS[host].tools.items() if kind == hooks.READ)
    reading = {"hook_event_name": "PostToolUse", "tool_name": tool, "tool_input": {"file_path": str(file)}}
    assert "47 days old" in hook(host, reading)
    (hook.project / "memory.md").write_text("x", "utf-8")
    assert hook(host, reading | {"tool_input": {"file_path": str(hook.project / "memory.md")}}) == ""


@pytest.mark.parametrize("host", ["claude-code", "qwen-code", "opencode", "kimi-code"])
def test_a_memory_that_the_agent_wrote_is_adopted_at_once(hook: Hook, host: str) -> None:
    with hook.memory() as memory:
        folder = Path(memory.space.store(memory.list()[0].mount).root)
    file = folder / "project_board.md"
    file.write_text("---\nname: Board\ndescription: Where the work is tracked\ntype: project\n---\n\nThe board is in Linear, HRV.\n", "utf-8")
    tool = next(name for name, kind in hooks.CLIENTS[host].tools.items() if kind == hooks.WROTE)
    hook(host, {"hook_event_name": "PostToolUse", "tool_name": tool, "tool_input": {"file_path": str(file)}})
    with hook.memory() as memory:
        [change] = [each for each in memory.changes() if each.cause.operation == "adopt"]
        assert (change.cause.actor, change.cause.host, change.cause.session) == ("agent", host, "s1")
    assert "project_board.md" in (folder / "MEMORY.md").read_text("utf-8")


def test_an_index_that_grew_too_large_is_told(hook: Hook) -> None:
    with hook.memory() as memory:
        folder = Path(memory.space.store(memory.list()[0].mount).root)
    (folder / "MEMORY.md").write_text("- [a](a.md) — x\n" * 250, "utf-8")
    writing = {"hook_event_name": "PostToolUse", "tool_name": "Write", "tool_input": {"file_path": str(folder / "MEMORY.md")}}
    assert "over its 200-line read limit" in hook("claude-code", writing)


def test_what_is_too_long_for_the_client_is_cut_and_says_so(hook: Hook) -> None:
    (hook.home / ".reverie/settings.toml").write_text("[block]\ntokens = 50000\n", "utf-8")
    with hook.memory() as memory:
        folder = Path(memory.space.store(memory.list()[0].mount).root)
    for number in range(200):
        (folder / f"reference_{number}.md").write_text(
            f"---\nname: Board {number}\ndescription: {'很长的描述' * 8} {number}\ntype: reference\n---\n\nBoard {number} is in Linear.\n", "utf-8")
    for host, most in (("claude-code", 9_500), ("codex", 9_500)):
        block = hook(host, start(), session=host)
        assert len(block) <= most and "cut at the limit of a hook" in block and block.endswith(f"</{blocks.TAG}>")
        assert host != "codex" or len(block.encode()) <= 9_500


# ── turns ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("host", list(hooks.CLIENTS))
def test_the_end_of_a_turn_says_nothing_and_leaves_a_job(hook: Hook, host: str) -> None:
    assert hook.raw(host, json.dumps({"hook_event_name": "Stop", "session_id": "s1", "transcript_path": "/t.jsonl", "cwd": str(hook.project)}).encode()) == ""
    with hook.memory() as memory:
        assert memory.status()["background"] | {"failed": []} == {
            "off": "", "waiting": 1, "worker": "", "projects_at_work": 0, "failed": []}
        memory.learn()
        assert memory.status()["background"]["waiting"] == 0            # a person had everything read


def test_codexs_consolidator_and_our_own_agents_are_left_alone(hook: Hook) -> None:
    assert hook("codex", start(), transcript_path=None) == ""
    assert hook("codex", start(), cwd=str(hook.home / ".codex/memories")) == ""
    assert hook("claude-code", PROMPT, cwd=str(hook.home / ".reverie/stores")) == ""
    hook.environment["REVERIE_INSIDE"] = "1"
    assert hook("claude-code", start()) == "" and hook("claude-code", PROMPT) == ""
    assert hook.problems() == ""


# ── what is broken ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("data", [b"", b"garbage", b"[1]", b'{"hook_event_name"', b"\xff\xfe\x00", b"{" * 100_000, b"null", b'"x"'])
def test_garbage_is_answered_with_nothing(hook: Hook, data: bytes) -> None:
    assert hook.raw("claude-code", data) == ""


def test_ten_megabytes_are_taken(hook: Hook) -> None:
    assert RULE in hook("claude-code", PROMPT | {"more": "lorem ipsum " * 900_000})
    hook("claude-code", PROMPT | {"prompt": "how do I run the checks? " + "lorem ipsum " * 900_000})
    assert hook.raw("claude-code", b'{"x": "' + b"y" * (40 << 20) + b'"}') == ""
    assert "that is no JSON" in hook.problems()


def test_a_broken_database_is_no_concern_of_the_client(hook: Hook) -> None:
    hook("claude-code", PROMPT)
    database = hook.home / ".reverie/state.db"
    for path in (database, hook.home / ".reverie/search.db"):
        path.write_bytes(b"not a database at all" * 500)
    assert RULE in hook("claude-code", PROMPT, session="s2")
    assert "was damaged" in hook.problems()


def test_a_home_that_cannot_be_written_is_read(hook: Hook) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    hook("claude-code", PROMPT)
    (hook.home / ".reverie").chmod(0o500)
    assert RULE in hook("claude-code", PROMPT, session="s2")


def test_settings_that_cannot_be_read_are_told(hook: Hook) -> None:
    (hook.home / ".reverie/settings.toml").write_text("[[[", "utf-8")
    assert hook("claude-code", PROMPT) == ""
    log = (hook.home / ".reverie/hooks.log").read_text("utf-8")
    assert json.loads(log)["said"].endswith("Mend it or move it away.") and json.loads(log)["event"] == "UserPromptSubmit"


def test_a_home_that_is_a_file_stops_nobody(hook: Hook) -> None:
    shutil.rmtree(hook.home / ".reverie")
    (hook.home / ".reverie").write_text("x", "utf-8")
    assert hook("claude-code", PROMPT) == "" and hook("claude-code", start()) == ""
    assert hook("claude-code", {"hook_event_name": "Stop"}) == ""


def test_a_missing_working_directory_stops_nobody(hook: Hook) -> None:
    for cwd in ("/gone/away", "", 7, "relative", "a\0b"):
        hook("claude-code", PROMPT, cwd=cwd)


@pytest.mark.parametrize("event", [PROMPT, {"hook_event_name": "Stop"}, {"hook_event_name": "SessionEnd"}])
def test_a_store_that_hangs_is_left_at_the_deadline(hook: Hook, event: dict[str, str]) -> None:
    """A lock that somebody keeps; and a file that never answers."""
    connection = sqlite3.connect(hook.home / ".reverie/state.db", isolation_level=None)
    connection.execute("BEGIN EXCLUSIVE")
    try:
        hook("claude-code", event)
    finally:
        connection.close()
    assert hook.seconds < 5
    (hook.home / ".reverie/hooks.log").unlink(missing_ok=True)


def test_a_process_that_is_stuck_ends_and_says_so(hook: Hook, tmp_path: Path) -> None:
    code = f"""
import os, sys
sys.path.insert(0, {str(SCRIPT.parent.parent)!r})
from reverie.entrypoints import hook, hook_events
os.mkfifo({str(tmp_path / "pipe")!r})
hook_events.handle = lambda *a, **k: open({str(tmp_path / "pipe")!r}).read()
hook.main(["claude-code"])
"""
    data = json.dumps(PROMPT | {"session_id": "s", "cwd": str(hook.project)}).encode()
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], input=data, capture_output=True, timeout=20, env=hook.environment, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert "not done after 2." in hook.problems()


def test_standard_input_that_never_ends_is_not_waited_for(hook: Hook) -> None:
    process = subprocess.Popen([sys.executable, "-I", "-S", str(SCRIPT), "claude-code"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=hook.environment)
    assert process.wait(timeout=10) == 0
    assert process.stdin is not None and process.stdout is not None and process.stdout.read() == b""
    process.stdin.close()
    process.stdout.close()


def test_an_unknown_client_is_told_to_its_user(hook: Hook) -> None:
    assert hook("nobody", PROMPT) == "" and "there is no host 'nobody'" in hook.problems()


def test_both_ways_of_running_it_say_the_same(hook: Hook) -> None:
    data = json.dumps(PROMPT | {"session_id": "", "cwd": str(hook.project)}).encode()
    said = hook.raw("claude-code", data)
    assert RULE in said and hook.raw("claude-code", data, python=("-m", "reverie.hook")) == said
    assert hook.raw("claude-code", data, python=("-m", "reverie", "hook")) == said
    assert hook.raw("claude-code", b"", "--payload", data.decode()) == said
    other = hook.home / "other home"
    assert hook.raw("claude-code", data, "--home", str(other)) == "" and not other.exists()


def test_a_failure_is_kept_once_and_without_secrets(hook: Hook) -> None:
    from datetime import UTC, datetime, timedelta

    from reverie.storage import hook_log

    root, now = str(hook.home / ".reverie"), datetime.now(UTC)
    for _ in range(1_500):
        assert hook_log.write(root, at=now, host="codex", event="Stop", said="token ghp_" + "a1B2c3D4e5F6" * 3)
    assert (hook.home / ".reverie/hooks.log").stat().st_size < 2 * hook_log.MOST_BYTES
    [one] = hook_log.last(root, since=now - timedelta(days=1))
    assert "a1B2c3D4" not in one["said"] and int(one["times"]) > 100
    assert hook_log.last(root, since=now + timedelta(days=1)) == []


# ── cheap ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_prompt_imports_only_what_it_needs(hook: Hook) -> None:
    code = f"""
import sys, os
sys.path.insert(0, {str(SCRIPT.parent.parent)!r})
from reverie.entrypoints import hook
os._exit = lambda code: None
hook.main(["claude-code", "--no-background"])
print(*sorted(sys.modules))
"""
    data = json.dumps(PROMPT | {"session_id": "s", "cwd": "/usr"}).encode()     # a name that might hold a key costs more

    def modules_of_a_run() -> set[str]:
        done = subprocess.run([sys.executable, "-I", "-S", "-c", code], input=data, capture_output=True, timeout=30, env=hook.environment, check=True)
        return set(done.stdout.decode().splitlines()[-1].split("}")[-1].split())

    modules = modules_of_a_run()
    assert "reverie.flows.reading" in modules
    unwanted = {"click", "msgspec", "yaml", "subprocess", "asyncio", "socket", "logging", "tempfile", "reverie.hosts.registry",
                "reverie.storage.journal", "reverie.core.gate", "reverie.core.redact", "reverie.models"}
    assert modules & unwanted == set()
    modules = modules_of_a_run()                                        # where nothing changed since: the short way
    assert "reverie.flows.shortcut" in modules and len(modules) < 110
    assert modules & (unwanted | {"reverie.memory", "reverie.designs", "reverie.settings", "dataclasses", "typing", "pathlib", "tomllib"}) == set()


# ── the worker ───────────────────────────────────────────────────────────────────────────────────────────────────────


def transcript(home: Path, project: Path, session: str, said: str) -> Path:
    folder = home / ".claude/projects" / str(project).replace("/", "-")
    folder.mkdir(parents=True, exist_ok=True)
    common = {"sessionId": session, "cwd": str(project), "version": "2.1.332", "isSidechain": False, "userType": "external"}
    lines = [
        {"type": "user", "uuid": "u1", "parentUuid": None, "timestamp": "2026-12-01T10:00:00.000Z", "message": {"role": "user", "content": said}, **common},
        {"type": "assistant", "uuid": "a1", "parentUuid": "u1", "timestamp": "2026-12-01T10:00:01.000Z",
         "message": {"role": "assistant", "content": [{"type": "text", "text": "Will do."}]}, **common},
    ]
    file = folder / f"{session}.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return file


def stop(hook: Hook, session: str, file: Path) -> subprocess.Popen[bytes]:
    data = json.dumps({"hook_event_name": "Stop", "session_id": session, "transcript_path": str(file), "cwd": str(hook.project)})
    return subprocess.Popen([sys.executable, "-I", "-S", str(SCRIPT), "claude-code", "--payload", data], env=hook.environment, stdin=subprocess.DEVNULL)


def idle(hook: Hook, seconds: float = 30) -> dict[str, Any]:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        with hook.memory() as memory:
            found: dict[str, Any] = memory.status()["background"]
        if not found["waiting"] and not found["worker"]:
            return found
        time.sleep(0.2)
    raise AssertionError(f"still at work: {found} {(hook.home / '.reverie/worker.log').read_text()}")


def test_a_turn_is_learned_by_a_process_that_outlives_the_hook(hook: Hook) -> None:
    files = [transcript(hook.home, hook.project, f"s{n}", f"No, always deploy the {name} service with `make {name}`, never by hand.")
             for n, name in enumerate(("ledger", "harvest", "gateway"))]
    hooks_at_once = [stop(hook, file.stem, file) for file in files]
    assert [process.wait(timeout=20) for process in hooks_at_once] == [0, 0, 0]
    assert idle(hook)["failed"] == []
    with hook.memory() as memory:
        learned = " ".join(found.memory.body for found in memory.list())
        assert all(f"make {name}" in learned for name in ("ledger", "harvest", "gateway"))
        assert memory.status()["sessions"]["claude-code"] == {"succeeded": 3}
        assert memory.status()["problems"] == []
    log = (hook.home / ".reverie/worker.log").read_text("utf-8")
    assert "Traceback" not in log and sum(int(line.split()[2]) for line in log.splitlines()) >= 3
    for number in {int(line.split()[1]) for line in log.splitlines()}:
        gone(number)


def gone(number: int) -> None:
    """The process ended, and nothing is left of it."""
    until = time.monotonic() + 10
    while time.monotonic() < until:
        try:
            os.kill(number, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    raise AssertionError(f"process {number} is still there")


@pytest.mark.parametrize("how", ["option", "setting", "switch"])
def test_where_the_background_is_off_nothing_is_started(hook: Hook, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    file = transcript(hook.home, hook.project, "s1", "No, always deploy the ledger service with `make ledger`, never by hand.")
    if how == "setting":
        (hook.home / ".reverie/settings.toml").write_text("[background]\nenabled = 0\n", "utf-8")
    if how == "switch":
        hook.environment["REVERIE_NO_MODEL_CALLS"] = "1"
    data = json.dumps({"hook_event_name": "Stop", "session_id": "s1", "transcript_path": str(file), "cwd": str(hook.project)})
    options = ["--no-background"] if how == "option" else []
    subprocess.run([sys.executable, "-I", "-S", str(SCRIPT), "claude-code", "--payload", data, *options], env=hook.environment, check=True, timeout=20)
    assert not (hook.home / ".reverie/worker.log").exists()
    with hook.memory() as memory:
        found = memory.status()["background"]
        assert found["waiting"] == 1 and bool(found["off"]) is (how != "option")
        memory.learn()
        assert memory.status()["background"]["waiting"] == 0 and "make ledger" in " ".join(each.memory.body for each in memory.list())


def test_a_session_that_cannot_be_read_is_told(hook: Hook) -> None:
    with hook.memory() as memory:
        assert memory.announce(host="claude-code", session="s1", transcript=str(hook.home / "gone.jsonl"))
        assert memory.work() == 1
        [failed] = memory.status()["background"]["failed"]
        assert "not_found" in failed["said"] and "was not learned" in " ".join(memory.status()["problems"])
        assert memory.work() == 0                                       # not again and again


def test_a_second_worker_ends_at_once_and_a_dead_one_is_replaced(hook: Hook) -> None:
    file = transcript(hook.home, hook.project, "s1", "No, always deploy the ledger service with `make ledger`, never by hand.")
    with hook.memory() as memory:
        assert memory.announce(host="claude-code", session="s1", transcript=str(file))
        jobs = memory.space.home.jobs
        name = f"{os.uname().nodename}:{os.getppid()}"
        jobs.claim_global("worker", "worker", worker=name, lease_seconds=300, cooldown_seconds=0)
        assert not memory.announce(host="claude-code", session="s1", transcript=str(file))
        assert memory.work() == 0 and memory.status()["background"]["worker"] == name
    with hook.memory() as memory:
        done = subprocess.run(["true"], check=True)
        assert done.returncode == 0
        dead = subprocess.Popen(["true"])
        dead.wait()
        memory.space.home.jobs.claim_global("worker", "worker", worker=f"{os.uname().nodename}:{dead.pid}", lease_seconds=300,
                                            cooldown_seconds=0, dead=name)
        assert memory.status()["background"]["worker"] == ""
        assert memory.work() == 1


def test_it_is_detached_in_the_way_of_its_system() -> None:
    assert worker.options(windows=False) == {"start_new_session": True}
    flags = worker.options(windows=True)["creationflags"]
    assert flags & 0x8 and flags & 0x200 and flags & 0x8000000


def test_what_an_agent_wrote_into_its_products_folder_is_left_to_the_worker(hook: Hook) -> None:
    from reverie.core import place as places

    folder = hook.home / ".claude/projects" / places.claude_key(str(hook.project)) / "memory"
    folder.mkdir(parents=True)
    (folder / "board.md").write_text(
        "---\nname: Board\ndescription: Where the work is tracked\nmetadata:\n  node_type: memory\n  type: project\n---\n\nThe board is in Linear.\n", "utf-8")
    writing = {"hook_event_name": "PostToolUse", "tool_name": "Write", "tool_input": {"file_path": str(folder / "board.md")}}
    assert hook("claude-code", writing) == ""
    with hook.memory() as memory:
        assert memory.status()["background"]["waiting"] == 1
        assert memory.work() == 1
        assert "Linear" in " ".join(found.memory.body for found in memory.list())


def test_memory_has_one_page_of_ways_in() -> None:
    assert memories.Memory.prompt_block.__doc__ and memories.Memory.work.__doc__
