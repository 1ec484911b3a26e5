"""The real Claude Code writes a memory with its own Write tool, and Reverie adopts it with the client's frontmatter intact.

Needs the hosts lab (``REVERIE_SHARED``) and an installed client (``HOSTS_LAB``); skips, visibly, without them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from reverie.core import frontmatter
from reverie.core import place as places
from reverie.core.memory import By
from reverie.hosts.claude_writes import written_memory
from reverie.memory import Memory, open_memory

pytestmark = [pytest.mark.hosts, pytest.mark.shared, pytest.mark.slow, pytest.mark.timeout(240)]

PROJECT = "harvest-api"
CWD = f"/home/dev/projects/{PROJECT}"                   # where the lab shows it to the client
FOLDER = f".claude/projects/{places.claude_key(CWD)}/memory"
SAVED = (
    "---\nname: Gateway Deploys (v2)\ndescription: When the gateway is deployed\nmood: calm\ntype: project\n---\n\n"
    "Deploys of the gateway happen on Mondays.\n\n**Why:** the on-call week begins then.\n"
)


def play(shared: Path, tmp_path: Path, steps: list[dict[str, Any]]) -> Path:
    """One prompt, answered by these steps; the client's home."""
    if "HOSTS_LAB" not in os.environ:
        pytest.skip("HOSTS_LAB is not set: this test drives the real clients")
    script = tmp_path / "script.json"
    script.write_text(json.dumps({
        "project": PROJECT, "files": {"README.md": "# harvest-api\n"},
        "turns": [{"user": "remember when the gateway is deployed", "steps": steps}],
    }), encoding="utf-8")
    home = tmp_path / "client"
    done = subprocess.run(
        [sys.executable, str(shared / "hosts-lab" / "run_host.py"), "claude-code", "--home", str(home), "--script", str(script),
         "--neutral", "--json", "--hook-command", 'cat > "$HOME/payload.json"', "--hook-events", "PostToolUse"],
        capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stderr[-2000:] + done.stdout[-2000:]
    return home


def opened(tmp_path: Path, design: str) -> Memory:
    return open_memory(tmp_path / design, cwd=CWD, design=design, environment={"HOME": str(tmp_path / "client")})


def state(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in sorted(folder.iterdir()) if path.is_file()}


def test_what_the_client_wrote_is_adopted_with_its_own_frontmatter(shared: Path, tmp_path: Path) -> None:
    home = play(shared, tmp_path, [
        {"text": "I keep it.", "calls": [{"write": {"path": f"/home/dev/{FOLDER}/gateway.md", "content": SAVED}}]}, {"text": "Kept."}])
    folder = home / FOLDER
    theirs = frontmatter.parse((folder / "gateway.md").read_bytes())
    keys = {key: theirs.word(f"metadata.{key}") for key in ("node_type", "originSessionId", "modified", "mood", "type")}
    assert keys["node_type"] == "memory" and keys["originSessionId"] and keys["modified"], theirs.text
    before = state(folder)
    for design in ("reverie", "claude-code", "claude-code@2.1"):
        with opened(tmp_path, design) as memory:
            assert [each.outcome for each in memory.adopt().files] == ["adopted"]
            [found] = memory.list()
            assert (found.memory.source.by, found.memory.source.session) == (By.AGENT, keys["originSessionId"])
            ours = frontmatter.parse((Path(memory.space.store(found.mount).root) / "gateway.md").read_bytes())
            assert {key: ours.word(f"metadata.{key}") for key in keys} == keys
            assert [line for line in ours.text.splitlines() if line in theirs.text.splitlines()] == theirs.text.splitlines()
            assert "Mondays" in memory.recall_block("when is the gateway deployed?")
            assert [each.outcome for each in memory.adopt().files if each.is_news] == []
    assert state(folder) == before
    payload = json.loads((home / "payload.json").read_text(encoding="utf-8"))
    assert written_memory(payload, [f"/home/dev/{FOLDER}"]) == f"/home/dev/{FOLDER}/gateway.md"


def test_what_the_client_edits_later_updates_the_same_memory(shared: Path, tmp_path: Path) -> None:
    path = f"/home/dev/{FOLDER}/gateway.md"
    play(shared, tmp_path, [{"calls": [{"write": {"path": path, "content": SAVED}}]}, {"text": "Kept."}])
    with opened(tmp_path, "reverie") as memory:
        memory.adopt()
        first = memory.list()[0].memory
    play(shared, tmp_path, [
        {"calls": [{"read": {"path": path}}]},
        {"calls": [{"edit": {"path": path, "old": "Deploys of the gateway happen on Mondays.\n",
                             "new": "Deploys of the gateway happen on Thursdays.\n"}}]}, {"text": "Changed."}])
    with opened(tmp_path, "reverie") as memory:
        assert [each.outcome for each in memory.adopt().files if each.is_news] == ["updated"]
        [found] = memory.list()
        assert found.memory.id == first.id
        assert "Thursdays" in found.memory.body
        theirs = frontmatter.parse((tmp_path / "client" / FOLDER / "gateway.md").read_bytes())
        ours = frontmatter.parse((Path(memory.space.store(found.mount).root) / "gateway.md").read_bytes())
        assert ours.word("metadata.modified") == theirs.word("metadata.modified")
