"""From the recorded sessions of five agents to memories: each once, in its project, in order, and again without a change."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime, timedelta
from importlib import resources
from pathlib import Path

import pytest

from reverie import designs
from reverie.core.memory import Memory as Remembered
from reverie.memory import Memory, open_memory

SAMPLES = Path(str(resources.files("reverie.samples"))) / "home"
HARVEST = "/home/dev/projects/harvest-api"
PROJECTS = {"harvest-api", "deng-shop", "ferry-times", "bada-menu"}


def opened(folder: Path, design: str = "reverie", cwd: str = HARVEST) -> Memory:
    return open_memory(folder, design=design, cwd=cwd, environment={})


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted((folder / "stores").rglob("*")) if path.is_file()}


def kept(memory: Memory) -> list[Remembered]:
    return [found.memory for found in memory.list(everywhere=True)]


@pytest.mark.parametrize("design", designs.names())
def test_every_session_of_every_agent_is_read_and_learned(tmp_path: Path, design: str) -> None:
    with opened(tmp_path, design) as memory:
        report = memory.learn(agents_home=str(SAMPLES))
        assert {each.host for each in report.sessions} == {"claude-code", "codex", "qwen-code", "opencode", "kimi-code"}
        assert {each.outcome for each in report.sessions} == {"succeeded", "succeeded_no_output"}
        assert {each.project.rpartition("/")[2] for each in report.sessions} == PROJECTS
        assert sum(each.said for each in report.sessions) == 17
        assert len(kept(memory)) >= 12


@pytest.mark.parametrize("design", designs.names())
def test_learning_twice_changes_nothing_the_second_time(tmp_path: Path, design: str) -> None:
    with opened(tmp_path, design) as memory:
        memory.learn(agents_home=str(SAMPLES))
        before = files(tmp_path)
        report = memory.learn(agents_home=str(SAMPLES))
        assert {each.outcome for each in report.sessions} == {"unchanged"}
        assert files(tmp_path) == before


@pytest.mark.parametrize("design", designs.names())
def test_learning_again_after_the_database_is_gone_finds_everything_known(tmp_path: Path, design: str) -> None:
    with opened(tmp_path, design) as memory:
        memory.learn(agents_home=str(SAMPLES))
    before = files(tmp_path)
    for leftover in tmp_path.glob("state.db*"):
        leftover.unlink()
    with opened(tmp_path, design) as memory:
        memory.learn(agents_home=str(SAMPLES))
        assert set(files(tmp_path)) == set(before)


def test_a_quiet_session_is_a_healthy_result_with_a_name(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        report = memory.learn(agents_home=str(SAMPLES))
    quiet = [each for each in report.sessions if each.outcome == "succeeded_no_output"]
    assert [(each.host, each.said, each.kept) for each in quiet] == [("claude-code", 3, ())]
    assert {str(drop.reason) for drop in quiet[0].drops} >= {"question"}


@pytest.mark.parametrize("design", designs.names())
def test_what_must_not_be_kept_is_nowhere(tmp_path: Path, design: str) -> None:
    with opened(tmp_path, design) as memory:
        memory.learn(agents_home=str(SAMPLES))
    stored = b"\n".join(files(tmp_path).values()).decode() + "\n".join(files(tmp_path))
    for never in ("made-up-4f9a71", "Ilse", "900 kg", "jujutsu", "off to lunch", "laptop"):
        assert never not in stored
    for path in (path for path in tmp_path.rglob("*") if path.is_file()):       # not even in the journal of what was refused
        assert b"made-up-4f9a71" not in path.read_bytes()
        assert b"Ilse" not in path.read_bytes()


def test_a_later_statement_in_another_agent_replaces_the_earlier_one(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.learn(agents_home=str(SAMPLES))
        deploys = [each for each in kept(memory) if "deploy" in each.body.lower() and "gateway" in each.body.lower()]
        assert len(deploys) == 1
        assert "Monday" in deploys[0].body
        assert deploys[0].source.host == "codex"
        _, history = memory.why(deploys[0].id)
        assert [change.cause.host for change in history] == ["claude-code", "codex"]


def test_the_order_of_reading_does_not_decide_which_statement_is_the_later_one(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.learn(agents_home=str(SAMPLES), hosts=["codex"])
        memory.learn(agents_home=str(SAMPLES), hosts=["claude-code"])
        deploys = [each for each in kept(memory) if "deploy" in each.body.lower() and "gateway" in each.body.lower()]
        assert len(deploys) == 1
        assert "Monday" in deploys[0].body


def test_a_session_that_goes_on_is_read_from_where_it_stopped(tmp_path: Path) -> None:
    whole = next(SAMPLES.glob(".claude/projects/*/ff9f*.jsonl"))
    lines = whole.read_bytes().splitlines(keepends=True)
    growing = tmp_path / "agents" / whole.relative_to(SAMPLES)
    growing.parent.mkdir(parents=True)
    for end in range(4, len(lines) + 4, 4):
        growing.write_bytes(b"".join(lines[:end]))
        with opened(tmp_path / "step") as memory:
            memory.learn(agents_home=str(tmp_path / "agents"))
    with opened(tmp_path / "step") as stepwise, opened(tmp_path / "once") as once:
        once.learn(agents_home=str(tmp_path / "agents"))
        said = [[(each.name, each.body, each.type) for each in sorted(kept(memory), key=lambda m: m.id)] for memory in (stepwise, once)]
    assert said[0] == said[1]
    assert said[1]


def test_a_dry_run_shows_the_same_and_writes_nothing(tmp_path: Path) -> None:
    with opened(tmp_path / "dry") as memory:
        rehearsed = memory.learn(agents_home=str(SAMPLES), dry_run=True)
        assert memory.list(everywhere=True) == []
    assert not (tmp_path / "dry").exists()
    with opened(tmp_path / "real") as memory:
        real = memory.learn(agents_home=str(SAMPLES))
    assert [[kept.id for kept in each.kept] for each in rehearsed.sessions] == [[kept.id for kept in each.kept] for each in real.sessions]
    assert [each.drops for each in rehearsed.sessions] == [each.drops for each in real.sessions]


def test_a_whole_run_is_taken_back_with_one_undo(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        found, _ = memory.remember("The cold store closes at six in the evening")
        before = files(tmp_path)
        report = memory.learn(agents_home=str(SAMPLES))
        memory.undo(run=report.run)
        assert {name: data for name, data in files(tmp_path).items() if not name.endswith("project.json")} == {
            name: data for name, data in before.items() if not name.endswith("project.json")
        }
        assert [each.id for each in kept(memory)] == [found.memory.id]


def test_what_was_forgotten_is_not_learned_again(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.learn(agents_home=str(SAMPLES))
        victim = next(each for each in memory.find("make check") if each.memory.type == "feedback")
        memory.forget([victim])
    shutil.copytree(SAMPLES, tmp_path / "copied")       # the same words in files that were never read
    with opened(tmp_path) as memory:
        report = memory.learn(agents_home=str(tmp_path / "copied"))
        assert "forgotten" in {str(drop.reason) for each in report.sessions for drop in each.drops}
        assert not memory.find("make check")


def test_since_and_project_narrow_what_is_learned(tmp_path: Path) -> None:
    tomorrow = (datetime.now(UTC) + timedelta(days=3650)).date().isoformat()
    with opened(tmp_path) as memory:
        assert memory.learn(agents_home=str(SAMPLES), since=tomorrow).sessions == ()
        report = memory.learn(agents_home=str(SAMPLES), project="ferry-times")
        assert {each.outcome for each in report.sessions} == {"succeeded", "other_project"}
        assert {each.mount.root.rpartition("/")[2] for each in memory.list(everywhere=True) if each.mount.root} == {"ferry-times"}


@pytest.mark.parametrize("design", designs.names())
def test_nothing_of_another_project_is_seen(tmp_path: Path, design: str) -> None:
    with opened(tmp_path, design) as memory:
        memory.learn(agents_home=str(SAMPLES))
    with opened(tmp_path, design, cwd="/home/dev/projects/ferry-times") as memory:
        seen = "\n".join(found.memory.text for found in memory.list())
        shown = memory.session_block()
        hits = memory.recall("when can I ship the gateway change, and how do I run the checks with make?")
    for word in ("gateway", "make check", "Figma", "禅道"):
        assert word not in seen
        assert word not in shown
        assert all(word not in hit.text for hit in hits)
    assert "Backlog" in seen


def test_what_is_put_off_the_record_later_is_taken_out_again(tmp_path: Path) -> None:
    said = [("user", "Invoices are always approved by Ilse before they go out."), ("assistant", "Noted.")]
    with opened(tmp_path) as memory:
        memory.learn(said, session="s")
        assert len(kept(memory)) == 1
        memory.learn([*said, ("user", "please don't remember that"), ("assistant", "Forgotten.")], session="s")
        assert kept(memory) == []


@pytest.mark.parametrize(
    "text",
    [
        "<private>Invoices are always approved by Ilse.</private> Can you fix the export?",
        "Off the record: invoices are always approved by Ilse.",
        "Invoices are always approved by Ilse. Don't write that down.",
        "<reverie-memory kind=\"recall\">\nInvoices are always approved by Ilse.\n</reverie-memory>\nfix the export please",
    ],
    ids=["private", "announced", "revoked", "recalled"],
)
def test_what_is_not_to_be_kept_leaves_no_trace(tmp_path: Path, text: str) -> None:
    with opened(tmp_path) as memory:
        memory.learn([("user", text), ("assistant", "ok")])
        assert kept(memory) == []
    for path in (path for path in tmp_path.rglob("*") if path.is_file()):
        assert b"Ilse" not in path.read_bytes()


def test_a_store_that_cannot_be_used_does_not_keep_the_others_from_learning(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.learn(agents_home=str(SAMPLES), project="ferry-times")
        folder = next((tmp_path / "stores/reverie/projects").glob("ferry-times-*"))
        shutil.rmtree(folder)
        folder.write_text("in the way", encoding="utf-8")
    shutil.copytree(SAMPLES, tmp_path / "copied")
    with opened(tmp_path) as memory:
        report = memory.learn(agents_home=str(tmp_path / "copied"))
        outcomes = {(each.project.rpartition("/")[2] or each.cwd.rpartition("/")[2], each.outcome) for each in report.sessions}
        assert ("harvest-api", "succeeded") in outcomes and ("bada-menu", "succeeded") in outcomes
        failed = [each for each in report.sessions if each.outcome == "failed"]
        assert [each.host for each in failed] == ["kimi-code"]
        assert str(folder) in failed[0].detail
    assert folder.read_text(encoding="utf-8") == "in the way"
