"""Sub-agents on the command line, and the answer to the hook that starts one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reverie import open_memory
from reverie.entrypoints import cli, subagent_hook
from reverie.memory import Memory

Run = Callable[..., Result]
FACT = "The billing tests need the ledger container to be running"


@pytest.fixture
def reverie(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("REVERIE_HOME", str(tmp_path / "reverie"))
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    return lambda *args: CliRunner().invoke(cli.group, list(args))


def define(folder: Path, name: str, *lines: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    text = "\n".join((f"name: {name}", "description: Reviews changes", *lines))
    (folder / f"{name.replace(':', '_')}.md").write_text(f"---\n{text}\n---\nYou review.\n")


def test_an_agent_remembers_and_is_asked(reverie: Run) -> None:
    done = reverie("remember", "--agent", "researcher", "--json", FACT)
    assert done.exit_code == 0, done.output
    kept = json.loads(done.stdout)
    assert (kept["scope"], kept["source"]["by"], kept["source"]["agent"]) == ("agent:researcher", "agent", "researcher")
    assert FACT in reverie("index", "--agent", "researcher").stdout
    assert FACT in reverie("recall", "--agent", "researcher", "how do the billing tests run").stdout
    assert "by the agent researcher" in reverie("list", "--agent", "researcher").stdout
    assert "written by the agent researcher" in reverie("read", "--agent", "researcher", "ledger").stdout
    assert "written by the agent researcher" in reverie("why", "--agent", "researcher", "ledger").stdout
    assert "Nothing is remembered" in reverie("list").stdout
    assert "the agent researcher" in reverie("list", "--all").stdout
    assert "1 researcher" in reverie("status").stdout
    assert reverie("forget", "--agent", "researcher", "--yes", "ledger").exit_code == 0
    assert "Nothing is remembered" in reverie("list", "--agent", "researcher").stdout
    assert reverie("undo").exit_code == 0
    assert FACT[:20] in reverie("list", "--agent", "researcher").stdout


@pytest.mark.parametrize("args", [("--shared",), ("--scope", "local"), ("--agent", "a", "--shared", "--scope", "user")])
def test_what_is_only_for_agents_is_wrong_use_without_one(reverie: Run, args: tuple[str, ...]) -> None:
    assert reverie("remember", *args, FACT).exit_code == 2


def test_sharing_is_asked_for_and_taken_back(reverie: Run, capsys: pytest.CaptureFixture[str]) -> None:
    refused = reverie("remember", "--agent", "reviewer", "--shared", FACT)
    assert "reverie agents share reviewer" in str(refused.exception)
    shared = reverie("agents", "share", "reviewer")
    assert "reviewer shares. Take it back with: reverie undo --change" in shared.stdout
    assert "already" in reverie("agents", "share", "reviewer").stdout
    assert "the agent reviewer" in reverie("undo", "--list").stdout
    assert reverie("remember", "--agent", "reviewer", "--shared", FACT).exit_code == 0
    assert "shared by agents" in reverie("list", "--agent", "reviewer").stdout
    assert "Nothing" in reverie("list", "--agent", "auditor").stdout
    assert json.loads(reverie("agents", "--json", "unshare", "reviewer").stdout)["shared"] is False
    assert "Nothing" in reverie("list", "--agent", "reviewer").stdout


def test_the_list_of_agents_says_what_is_wrong(reverie: Run, tmp_path: Path, home: Path) -> None:
    define(tmp_path / "project/.claude/agents", "reviewer", "memory: project", "tools: Read, Grep")
    define(tmp_path / "project/.claude/agents", "locked", "memory: user", "tools: Read", "disallowedTools: Write, Edit")
    define(tmp_path / "project/.claude/agents", "odd", "memory: forever")
    define(home / ".claude/agents", "reviewer", "memory: user")
    (tmp_path / "project/.claude/agents/none.md").write_text("nothing")
    reverie("remember", "--agent", "reviewer", FACT)
    reverie("remember", "--agent", "stranger", FACT)
    reverie("agents", "share", "reviewer")
    answer = json.loads(reverie("agents", "--json").stdout)
    rows = {row["name"]: row for row in answer["agents"]}
    assert list(rows) == ["locked", "odd", "reviewer", "stranger"]
    reviewer = rows["reviewer"]
    assert (reviewer["origin"], reviewer["memory"], reviewer["memories"], reviewer["shared"]) == ("project", "project", 1, True)
    assert (reviewer["tools"], reviewer["granted"]) == (["Read", "Grep"], ["Read", "Grep", "Write", "Edit"])
    assert reviewer["problems"] == ["defined_twice", "allow_list_without_Write", "allow_list_without_Edit"]
    assert (rows["locked"]["files"], rows["locked"]["problems"]) == ("read", ["project_asks_for_all", "memory_is_read_only"])
    assert rows["odd"]["problems"] == ["unknown_memory"]
    assert rows["stranger"]["problems"] == ["not_defined"]
    assert {Path(each["path"]).name: each["reason"] for each in answer["passed_over"]} == {
        "none.md": "no_name", "reviewer.md": "overridden"}
    shown = reverie("agents").stdout
    assert "its files are read-only; `reverie remember --agent` works" in shown
    assert "with its memory also Write, Edit" in shown
    assert "the product ignores it silently" in shown


def test_the_list_is_there_in_a_design_without_agents(reverie: Run, tmp_path: Path) -> None:
    define(tmp_path / "project/.claude/agents", "reviewer", "memory: project")
    shown = reverie("agents", "--design", "codex")
    assert shown.exit_code == 0, shown.exception
    assert "this design has no place for agents" in shown.stdout


def test_without_agents_the_list_says_how_one_begins(reverie: Run) -> None:
    assert "reverie remember --agent NAME" in reverie("agents").stdout


# ── the hook ─────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def memory(tmp_path: Path, home: Path) -> Iterator[Memory]:
    (tmp_path / "project").mkdir()
    with open_memory(tmp_path / "reverie", cwd=tmp_path / "project", environment={"HOME": str(home)}) as opened:
        yield opened


def payload(agent: str, run: str = "a1", **more: object) -> dict[str, object]:
    """As the client sends it (spec/claude-code §12.2)."""
    return {
        "session_id": "5f1c1f6e-0000-4000-8000-000000000000", "transcript_path": "/x/y.jsonl", "cwd": "/x", "prompt_id": "p1",
        "hook_event_name": "SubagentStart", "agent_id": run, "agent_type": agent, **more,
    }


def text_of(answer: dict[str, object] | None) -> str:
    assert answer is not None
    inner = answer["hookSpecificOutput"]
    assert isinstance(inner, dict)
    assert inner["hookEventName"] == "SubagentStart"
    assert set(answer) == {"hookSpecificOutput"}
    return str(inner["additionalContext"])


def test_an_agent_with_a_memory_gets_it_when_it_starts(memory: Memory, tmp_path: Path) -> None:
    define(tmp_path / "project/.claude/agents", "reviewer", "memory: project")
    assert "empty so far" in text_of(subagent_hook.answer(memory, payload("reviewer")))
    memory.remember(FACT, agent="reviewer")
    assert FACT not in text_of(subagent_hook.answer(memory, payload("reviewer")))          # this run started before
    assert FACT in text_of(subagent_hook.answer(memory, payload("reviewer", "a2")))
    other = payload("reviewer") | {"session_id": "another"}
    assert FACT in text_of(subagent_hook.answer(memory, other))


@pytest.mark.parametrize("agent", ["Explore", "Plan", "general-purpose", "unknown"])
def test_an_agent_without_a_memory_gets_what_is_shared_if_it_takes_part(memory: Memory, agent: str) -> None:
    memory.remember("Never touch the generated folder by hand", type="feedback")
    memory.subagents.share("writer", on=True)
    memory.remember(FACT, agent="writer", scope="agents")
    memory.remember("The generated folder is written by the build", type="project")
    asked = payload(agent)
    assert subagent_hook.answer(memory, asked) is None
    memory.subagents.share(agent, on=True)
    text = text_of(subagent_hook.answer(memory, asked | {"agent_id": "a2"}))
    assert FACT in text
    assert "Never touch the generated folder by hand" in text
    assert "written by the build" not in text
    assert "# Persistent Agent Memory" not in text


def test_the_rules_that_fit_what_was_handed_over_come_along(memory: Memory, tmp_path: Path) -> None:
    memory.remember(FACT, agent="dba")
    memory.remember("Never run migrations against the production database", type="feedback")
    memory.remember("Icons are exported as SVG and never as PNG", type="feedback")
    transcript = tmp_path / "session.jsonl"
    call = {"type": "tool_use", "name": "Agent", "input": {
        "prompt": "check the migrations of the production database", "subagent_type": "dba"}}
    transcript.write_text("not json\n" + json.dumps(
        {"type": "assistant", "message": {"id": "m1", "content": [{"type": "text", "text": "I will ask."}, call]}}) + "\n")
    text = text_of(subagent_hook.answer(memory, payload("dba", transcript_path=str(transcript))))
    assert "Never run migrations against the production database" in text
    assert "SVG" not in text


def test_the_answer_is_short_enough_for_the_client(memory: Memory) -> None:
    mine = open_memory(memory.space.home.root, design="claude-code", cwd=memory.cwd, environment=memory.environment)
    for each in (memory, mine):
        folder = Path(each.space.store(each.space.target(each.place, "", each.subagents.agent("a"))).root)
        folder.mkdir(parents=True)
        for number in range(199):
            (folder / f"project_{number}.md").write_text(f"---\nname: n{number}\ndescription: {'long ' * 25}\ntype: project\n---\n\nx\n")
        text = text_of(subagent_hook.answer(each, payload("a")))
        assert len(text) <= 9_500
        assert "ot shown here" in text
    mine.close()


JUNK = st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(JUNK, JUNK, JUNK, JUNK)
def test_any_payload_is_taken(memory: Memory, agent: object, run: object, prompt: object, whole: object) -> None:
    subagent_hook.answer(memory, whole)
    subagent_hook.answer(memory, payload("x") | {"agent_type": agent, "agent_id": run, "transcript_path": prompt, "session_id": run})


@pytest.mark.parametrize("broken", [
    None, [], "x", {}, {"agent_type": 7}, payload(""), payload("a\nb"), payload("x" * 300), payload("a") | {"hook_event_name": "Stop"},
])
def test_a_broken_payload_is_answered_with_nothing(memory: Memory, broken: object) -> None:
    memory.remember(FACT, agent="a")
    assert subagent_hook.answer(memory, broken) is None


def test_odd_texts_do_not_keep_an_agent_from_starting(memory: Memory) -> None:
    memory.remember(FACT, agent="a")
    memory.remember("Never touch the generated folder by hand", type="feedback")
    for odd in ("\ud800", "\x00", "", "x" * 300_000):
        assert FACT in text_of(subagent_hook.answer(memory, payload("a", odd, transcript_path=odd)))


def test_a_closed_store_is_noted_and_the_agent_starts_without(tmp_path: Path, memory: Memory) -> None:
    memory.remember(FACT, agent="a")
    mount = memory.space.target(memory.place, "", memory.subagents.agent("a"))
    folder = Path(memory.space.store(mount).root)
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()
    folder.write_text("a file in the way")
    assert FACT not in str(subagent_hook.answer(memory, payload("a")))


def test_a_design_without_agents_has_no_answer(tmp_path: Path, home: Path) -> None:
    with open_memory(tmp_path / "reverie", design="codex", cwd=tmp_path, environment={"HOME": str(home)}) as memory:
        assert subagent_hook.answer(memory, payload("a")) is None
        assert "all in one folder" in str(memory.space.home.notes)
