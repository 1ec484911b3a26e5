"""The real clients read what Reverie wrote: its index lines reach the model unchanged, in the place where the client puts its own.

Needs the hosts lab (``REVERIE_SHARED``), installed clients (``HOSTS_LAB``), and Claude Code 2.1.197 (``HOSTS_LAB_OLD``); skips, visibly,
without them.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from reverie.memory import open_memory

pytestmark = [pytest.mark.hosts, pytest.mark.shared, pytest.mark.slow, pytest.mark.timeout(240)]

Play = Callable[..., dict[str, Any]]
PROJECT = "harvest-api"
SCRIPT = {
    "project": PROJECT, "files": {"README.md": "# harvest-api\n"},
    "turns": [{"user": "what do you remember about this project?", "steps": [{"text": "Several things."}]}],
}


def learned(home: Path, design: str) -> Path:
    """The stores of a design after learning from the sample sessions."""
    with (
        open_memory(home, design=design, cwd=f"/home/dev/projects/{PROJECT}", environment={}) as memory,
        resources.as_file(resources.files("reverie.samples").joinpath("home")) as agents_home,
    ):
        memory.learn(agents_home=str(agents_home))
    return home / "stores" / design


def in_answered_turn(report: dict[str, Any], text: str) -> list[dict[str, Any]]:
    return [hit for hit in report["shown"][text] if hit["rule"].startswith("turn 1")]


@pytest.mark.parametrize("install", ["HOSTS_LAB", "HOSTS_LAB_OLD"])
@pytest.mark.parametrize("design", ["claude-code", "claude-code@2.1"])
def test_claude_code_shows_our_index_unchanged(play: Play, tmp_path: Path, design: str, install: str) -> None:
    stores = learned(tmp_path / "reverie", design)
    shutil.copytree(stores / "projects", tmp_path / "client/.claude/projects")
    index = next(stores.glob(f"projects/*{PROJECT}/memory/MEMORY.md")).read_text(encoding="utf-8").strip()
    report = play("claude-code", tmp_path / "client", SCRIPT, [index], install=install)
    assert [hit["role"] for hit in in_answered_turn(report, index)] == ["user"]


@pytest.mark.parametrize("design", ["qwen-code", "qwen-code@0.24"])
def test_qwen_code_shows_our_indexes_unchanged(play: Play, tmp_path: Path, design: str) -> None:
    stores = learned(tmp_path / "reverie", design)
    for folder in ("projects", "memories"):
        shutil.copytree(stores / folder, tmp_path / "client/.qwen" / folder)
    indexes = [
        path.read_text(encoding="utf-8").strip()
        for path in (next(stores.glob(f"projects/*{PROJECT}/memory/MEMORY.md")), stores / "memories/MEMORY.md")
    ]
    report = play("qwen-code", tmp_path / "client", SCRIPT, indexes)
    for index in indexes:
        assert {hit["role"] for hit in in_answered_turn(report, index)} == {"system"}


@pytest.mark.parametrize("design", ["qwen-code", "qwen-code@0.24"])
def test_qwen_code_shows_all_three_of_our_layers(play: Play, tmp_path: Path, design: str) -> None:
    stores = learned(tmp_path / "reverie", design)
    for folder in ("projects", "memories"):
        shutil.copytree(stores / folder, tmp_path / "client/.qwen" / folder)
    project = tmp_path / "client/projects" / PROJECT
    project.mkdir(parents=True)
    (project / "README.md").write_text("# harvest-api\n", encoding="utf-8")
    for command in (["init", "-q"], ["add", "."], ["-c", "user.name=dev", "-c", "user.email=dev@dev.example", "commit", "-qm", "first"]):
        subprocess.run(["git", *command], cwd=project, check=True)
    with open_memory(tmp_path / "team", design=design, cwd=project, environment={"REVERIE_TEAM_ENABLED": "1"}) as memory:
        memory.remember("Every endpoint gets a contract test before it is merged", scope="team")
        memory.remember("The incident tracker is at https://tracker.dev.example/harvest", scope="team")
    team = project / ".qwen/team-memory/MEMORY.md"
    indexes = [
        path.read_text(encoding="utf-8").strip()
        for path in (next(stores.glob(f"projects/*{PROJECT}/memory/MEMORY.md")), stores / "memories/MEMORY.md", team)
    ]
    report = play("qwen-code", tmp_path / "client", SCRIPT, indexes, "--env", "QWEN_CODE_MEMORY_TEAM=1")
    for index in indexes:
        assert {hit["role"] for hit in in_answered_turn(report, index)} == {"system"}
    assert team.read_text(encoding="utf-8").strip() == indexes[2]       # the client renders it again, and has nothing to change


@pytest.mark.parametrize("design", ["codex", "codex@0.171"])
def test_codex_has_our_summary_in_its_place(play: Play, tmp_path: Path, design: str) -> None:
    stores = learned(tmp_path / "reverie", design)
    client = Path("/var/tmp") / tmp_path.name / "client"      # below /tmp the client does not make its helper programs
    shutil.rmtree(client, ignore_errors=True)
    shutil.copytree(stores / "memories", client / ".codex/memories")
    summary = (stores / "memories/memory_summary.md").read_text(encoding="utf-8").strip()
    config = tmp_path / "memories.toml"
    config.write_text("features.memories = true\n", encoding="utf-8")
    block = f"========= MEMORY_SUMMARY BEGINS =========\n{summary}\n========= MEMORY_SUMMARY ENDS ========="
    try:
        report = play("codex", client, SCRIPT, [block], "--config", str(config))
    finally:
        shutil.rmtree(client.parent, ignore_errors=True)
    assert [hit["role"] for hit in in_answered_turn(report, block)] == ["developer"]


@pytest.mark.parametrize("design", ["codex", "codex@0.171"])
def test_what_codex_cites_of_our_summary_is_credited(play: Play, tmp_path: Path, design: str) -> None:
    """Its rollout holds the citation in the answer, and taken out of it in the event: one use, of the memory and of its session."""
    stores = learned(tmp_path / "reverie", design)
    client = Path("/var/tmp") / tmp_path.name / "client"      # below /tmp the client does not make its helper programs
    shutil.rmtree(client, ignore_errors=True)
    shutil.copytree(stores / "memories", client / ".codex/memories")
    config = tmp_path / "memories.toml"
    config.write_text("features.memories = true\n", encoding="utf-8")
    cwd = f"/home/dev/projects/{PROJECT}"
    try:
        with open_memory(tmp_path / "reverie", design=design, cwd=cwd, environment={}) as memory:
            session = next(found.memory.source.session for found in memory.list() if found.memory.scope == "project")
            others = {found.memory.id for found in memory.list() if found.memory.source.session != session}
            block = ("<oai-mem-citation>\n<citation_entries>\nMEMORY.md:1-9|note=[the way it is checked]\n</citation_entries>\n"
                     f"<rollout_ids>\n{session}\nnot-a-session-of-ours\n</rollout_ids>\n</oai-mem-citation>")
            script = {**SCRIPT, "turns": [{"user": "what do you remember?", "steps": [{"text": f"Several things.\n\n{block}"}]}]}
            play("codex", client, script, [], "--config", str(config))
            for _ in range(2):      # read again, nothing is counted again
                memory.learn(hosts=["codex"], agents_home=str(client))
                records = memory.space.home.records
                used = {name: [str(use.how) for use in records.uses(name)] for name in records.usage()}
                assert used[f"{design}/threads/{session}"] == ["cited"]
                assert [hows for name, hows in used.items() if "/threads/" not in name and "/parts/" not in name]
                assert not others & used.keys()
                assert all(hows == ["cited"] for name, hows in used.items() if "/parts/" not in name)
    finally:
        shutil.rmtree(client.parent, ignore_errors=True)


@pytest.mark.parametrize("install", ["HOSTS_LAB", "HOSTS_LAB_OLD"])
def test_our_largest_block_reaches_the_model_whole(play: Play, tmp_path: Path, install: str) -> None:
    """Of more than 10,000 characters a hook says the client would show the beginning only."""
    folder = tmp_path / "client/.reverie/stores/reverie/user"
    folder.mkdir(parents=True)
    for number in range(300):
        words = f"Rule {number} of the ferry: " + "日本語 and more words " * 8
        (folder / f"feedback_{number}.md").write_text(f"---\nname: Rule {number}\ndescription: {words}\ntype: feedback\n---\n\nx\n", encoding="utf-8")
    hook = (
        f"env REVERIE_HOME=/home/dev/.reverie REVERIE_BLOCK_TOKENS=50000 {sys.executable} -m reverie index "
        f"--cwd /home/dev/projects/{PROJECT}"
    )
    end = "still exist before relying on them.\n</reverie-memory>"
    report = play(
        "claude-code", tmp_path / "client", SCRIPT, ['<reverie-memory kind="session" design="reverie">', "> Not shown here: ", end],
        "--hook-events", "SessionStart", "--hook-command", hook, install=install,
    )  # fmt: skip
    for text, hits in report["shown"].items():
        assert hits, text
    (hit, *_) = in_answered_turn(report, end)
    block = hit["text"].partition("<reverie-memory")[2].partition("</reverie-memory>")[0]
    assert 9_000 < len(block) < 10_000
