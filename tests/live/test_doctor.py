"""What `reverie doctor --fix` makes of an index, the real client shows whole and without its warning; what the client itself writes
is well."""

from __future__ import annotations

from pathlib import Path

import pytest

from reverie.core.checkup import Checked
from reverie.memory import Memory, open_memory

from .conftest import Play
from .test_products_read_it import PROJECT, SCRIPT, in_answered_turn

pytestmark = [pytest.mark.hosts, pytest.mark.shared, pytest.mark.slow, pytest.mark.timeout(240)]

CWD = f"/home/dev/projects/{PROJECT}"
WARNING = "> WARNING: MEMORY.md is"


def opened(tmp_path: Path) -> Memory:
    environment = {"HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": str(tmp_path / "client/.claude")}
    return open_memory(tmp_path / "reverie", cwd=CWD, environment=environment)


def checked(tmp_path: Path) -> Checked:
    with opened(tmp_path) as memory:
        [found] = memory.checkup(host="claude-code")
    return found


def memory_file(name: str, description: str) -> str:
    return f"---\nname: {name}\ndescription: {description}\nmetadata:\n  node_type: memory\n  type: project\n---\n\n{description}.\n"


@pytest.mark.parametrize("install", ["HOSTS_LAB", "HOSTS_LAB_OLD"])
def test_the_client_shows_a_mended_index_whole(play: Play, tmp_path: Path, install: str) -> None:
    folder = tmp_path / f"client/.claude/projects/-home-dev-projects-{PROJECT}/memory"
    folder.mkdir(parents=True)
    for number in range(300):
        text = memory_file(f"case-{number}", f"Case {number} of the long migration")
        (folder / f"case_{number:03}.md").write_text(text, encoding="utf-8")
    lines = [f"- [Case {number}](case_{number:03}.md) — Case {number} of the long migration\n" for number in range(290)]
    (folder / "MEMORY.md").write_text("".join([*lines, "- [Gone](gone.md) — x\n"]), encoding="utf-8")
    assert {"index_cut", "index_link", "orphan"} <= {each.check for each in checked(tmp_path).findings}
    with opened(tmp_path) as memory:
        memory.mend(host="claude-code")
    index = (folder / "MEMORY.md").read_text(encoding="utf-8").strip()
    report = play("claude-code", tmp_path / "client", SCRIPT, [index, WARNING], install=install)
    assert [hit["role"] for hit in in_answered_turn(report, index)] == ["user"]
    assert not in_answered_turn(report, WARNING)
    assert (folder / "MEMORY.md").read_text(encoding="utf-8").strip() == index


def test_what_the_client_writes_is_well(play: Play, tmp_path: Path) -> None:
    folder = f"/home/dev/.claude/projects/-home-dev-projects-{PROJECT}/memory"
    body = "---\nname: No hyphens\ndescription: Prose goes without hyphens\ntype: feedback\n---\n\nNo hyphens in prose.\n"
    line = "- [No hyphens](feedback_no_hyphens.md) — prose goes without hyphens\n"
    steps = [
        {"calls": [{"write": {"path": f"{folder}/feedback_no_hyphens.md", "content": body}}]},
        {"calls": [{"write": {"path": f"{folder}/MEMORY.md", "content": line}}]},
        {"text": "Kept."},
    ]
    turns = [{"user": "please remember: no hyphens", "steps": steps}]
    play("claude-code", tmp_path / "client", {**SCRIPT, "turns": turns}, [])
    found = checked(tmp_path)
    assert found.memories == 1
    assert {each.check for each in found.findings} == {"moved_project"}     # the lab's project is not on this disk
