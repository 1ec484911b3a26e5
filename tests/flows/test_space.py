"""The way from a directory to its stores: nothing crosses projects, in whatever design."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from reverie import designs, errors, open_memory
from reverie.flows.space import discreet_path

DESIGNS = designs.names()


@pytest.mark.parametrize("design", DESIGNS)
def test_two_projects_whose_names_a_product_cannot_tell_apart(design: str, tmp_path: Path) -> None:
    """``a-b`` and ``a_b`` have one folder in Claude Code and Qwen Code, and all projects have one in Codex."""
    said = {"a-b": "helm version three", "a_b": "helm version four", "a.b": "helm version five"}
    for name, words in said.items():
        with open_memory(tmp_path / "home", design=design, cwd=tmp_path / name) as memory:
            _, action = memory.remember(f"Always deploy the wombat service with {words}")
            assert action == "added", name
    for name, words in said.items():
        with open_memory(tmp_path / "home", design=design, cwd=tmp_path / name) as memory:
            (found,) = memory.list()
            assert words in found.memory.body
            assert words in memory.session_block()
            assert all(other == words or other not in memory.session_block() for other in said.values())
            (hit,) = memory.recall("deploy the wombat service")
            assert words in hit.candidate.body
            assert len(memory.list(everywhere=True)) == 3


@pytest.mark.parametrize("design", DESIGNS)
def test_what_is_learned_in_one_project_changes_nothing_in_another(design: str, tmp_path: Path) -> None:
    for name, words in (("a-b", "three"), ("a_b", "four")):
        with open_memory(tmp_path / "home", design=design, cwd=tmp_path / name) as memory:
            memory.learn([("user", f"Please remember: the wombat service is deployed with helm version {words}.")])
    with open_memory(tmp_path / "home", design=design, cwd=tmp_path / "a-b") as memory:
        bodies = [found.memory.body for found in memory.list() if found.memory.scope == "project"]
    assert any("three" in body for body in bodies)
    assert not any("four" in body for body in bodies)


def test_a_store_that_mixes_projects_is_no_bridge_between_them(tmp_path: Path) -> None:
    """In Codex's one folder, the same words in two projects are two memories."""
    for name in ("one", "two"):
        with open_memory(tmp_path / "home", design="codex", cwd=tmp_path / name) as memory:
            _, action = memory.remember("Always deploy the wombat service with helm")
            assert action == "added"


@pytest.mark.parametrize("design", DESIGNS)
def test_no_credential_in_a_path_is_written_down(design: str, tmp_path: Path) -> None:
    """A checkout of ``https://user:token@host`` may be named by it; so may the folder in which a transcript lies."""
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    record = {
        "type": "user", "uuid": "u1", "parentUuid": None, "isSidechain": False, "sessionId": "s1", "version": "2.1.0",
        "timestamp": "2026-11-01T10:00:00.000Z", "cwd": f"/w/app-{token}/src", "gitBranch": f"fix/{token}",
        "message": {"role": "user", "content": "Please remember: incidents are tracked in Linear under HRV."},
    }
    transcript = tmp_path / "home" / ".claude" / "projects" / f"-w-app-{token}" / "s1.jsonl"
    transcript.parent.mkdir(parents=True)
    transcript.write_text(json.dumps(record) + "\n")
    with open_memory(tmp_path / "reverie", design=design, cwd=f"/w/app-{token}/src") as memory:
        report = memory.learn(agents_home=str(tmp_path / "home"))
        assert [found.memory.type for found in memory.list()] == ["reference"]
        assert token not in json.dumps(report.as_dict(), default=str)
        assert memory.learn(agents_home=str(tmp_path / "home")).as_dict()["outcomes"] == {"unchanged": 1}
    for file in (tmp_path / "reverie").rglob("*"):
        assert token not in str(file)
        assert not file.is_file() or token.encode() not in file.read_bytes(), file


def test_paths_without_a_credential_stay_as_they_are() -> None:
    for path in ("/home/u/.claude/worktrees/agent-a1b2c3d4e5f6a7b8c9d0", "C:\\Users\\dev\\project-2026-annual-report", "", "/",
                 "/nix/store/s66mzxpvicwk07gjbjfw9izjfa797vsw-hello-2.12.1", "/h/3f2504e0-4f89-11d3-9a0c-0305e82c3301/x"):
        assert discreet_path(path) == path
    one, two = discreet_path("/w/gh" + "p_" + "a1B2c3D4e5F6" * 3), discreet_path("/w/gh" + "p_" + "A1b2C3d4E5f6" * 3)
    assert one != two
    assert discreet_path(one) == one


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"root": 5}', b"\xff\xfe", b"[" * 50_000, None])
def test_a_broken_name_of_a_project_neither_hides_its_memories_nor_blocks(content: bytes | None, tmp_path: Path) -> None:
    with open_memory(tmp_path / "home", design="claude-code", cwd=tmp_path / "app") as memory:
        memory.remember("Always deploy the wombat service with helm")
    (project,) = (tmp_path / "home" / "stores").rglob("project.json")
    project.unlink()
    if content is None:
        os.mkfifo(project)
    else:
        project.write_bytes(content)
    with open_memory(tmp_path / "home", design="claude-code", cwd=tmp_path / "app") as memory:
        assert len(memory.list()) == len(memory.list(everywhere=True)) == 1


def test_a_store_that_is_closed_hides_none_of_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("open", "closed"):
        with open_memory(tmp_path / "home", cwd=tmp_path / name) as memory:
            memory.remember("Always deploy the wombat service with helm")
    (closed,) = (tmp_path / "home" / "stores" / "reverie" / "projects").glob("closed-*")
    scandir = os.scandir

    def refuse(path: str | Path) -> object:
        if str(path) == str(closed):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    with open_memory(tmp_path / "home", cwd=tmp_path / "closed") as memory:
        assert len(memory.list(everywhere=True)) == 1
        status = memory.status()
        assert status["here"] == 0
        assert any("closed-" in problem and "permission" in problem for problem in status["problems"])
        with pytest.raises(errors.StoreUnavailable):
            memory.list()
