"""The way from a directory to its stores: nothing crosses projects, in whatever design."""

from __future__ import annotations

from pathlib import Path

import pytest

from reverie import designs, open_memory

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
