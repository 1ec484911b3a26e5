"""Which memories may stand in a profile: the user's own, and nothing of a project (DESIGN §4.6)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from reverie.core.memory import By, Memory, Source
from reverie.entrypoints import cli
from reverie.memory import open_memory


def said(tmp_path: Path, design: str, project: str, *memories: Memory) -> None:
    """These memories in the store of a project, as an agent or a person left them there."""
    from reverie.core.events import Cause, Touched
    from reverie.core.layout import Change

    folder = tmp_path / project
    folder.mkdir(exist_ok=True)
    by_user = all(each.source.by is By.USER for each in memories)
    cause = Cause(operation="remember", actor="user") if by_user else Cause(operation="adopt", actor="agent")
    with open_memory(tmp_path / "home", design=design, cwd=folder) as memory:
        for each in memories:
            mount = memory.space.target(memory.place, each.scope)
            store = memory.space.store(mount)
            plan = store.plan(Change(put=[mount.owned(each)]), memory.space.now())
            touched = [Touched(memory=store.full_id(plan.ids[0]), action="added")]
            memory.space.home.journal.commit([*plan.edits, *memory.space.project_edit(mount)], cause=cause, touched=touched)


def told(tmp_path: Path, design: str, project: str = "elsewhere") -> list[str]:
    (tmp_path / project).mkdir(exist_ok=True)
    with open_memory(tmp_path / "home", design=design, cwd=tmp_path / project) as memory:
        return [line.says for line in memory.profile().lines]


def about(body: str, *, by: By = By.USER, type: str = "user", scope: str = "project") -> Memory:
    return Memory(name=body[:40], description=body, type=type, body=body, scope=scope, source=Source(by=by))


@pytest.mark.parametrize("design", ["reverie", "qwen-code"])
def test_where_the_user_has_a_store_it_is_that_one_alone(tmp_path: Path, design: str) -> None:
    said(tmp_path, design, "harbour", about("I am a data engineer", scope="user"), about("The user owns the berth planner"))
    assert told(tmp_path, design) == ["I am a data engineer"]


def test_without_one_the_user_s_own_word_crosses_projects(tmp_path: Path) -> None:
    said(tmp_path, "claude-code", "harbour", about("I am a data engineer"), about("Deploys happen on Mondays", type="project"))
    assert told(tmp_path, "claude-code") == ["I am a data engineer"]


def test_what_an_agent_noted_crosses_when_several_projects_know_it(tmp_path: Path) -> None:
    noted = about("The user prefers small commits with a reason", by=By.UNKNOWN)
    said(tmp_path, "claude-code", "harbour", noted, about("The user is tired of Angular", by=By.UNKNOWN))
    assert told(tmp_path, "claude-code") == []
    said(tmp_path, "claude-code", "orchard", noted)
    assert told(tmp_path, "claude-code") == ["The user prefers small commits with a reason"]


@pytest.mark.parametrize(
    "words", ["I maintain harbour since 2019", "I own src/berth/plan.py", "I am the only reviewer in this repo", "I wrote `plan()` myself"])
def test_what_speaks_of_its_project_never_does(tmp_path: Path, words: str) -> None:
    said(tmp_path, "claude-code", "harbour", about(words))
    assert told(tmp_path, "claude-code") == []


def test_the_command_shows_it_with_its_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REVERIE_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    run = CliRunner().invoke
    assert "Nothing is remembered of you yet" in run(cli.group, ["profile"]).output
    assert run(cli.group, ["remember", "--scope", "user", "I am a backend engineer"]).exit_code == 0
    assert "I am a backend engineer" in run(cli.group, ["profile"]).output
    answer: Any = json.loads(run(cli.group, ["profile", "--json", "--tokens", "300"]).output)
    assert answer["lines"][0]["section"] == "role"
    assert run(cli.group, ["why", answer["lines"][0]["id"]]).exit_code == 0
    assert run(cli.group, ["profile", "--tokens", "3"]).exit_code == 2
