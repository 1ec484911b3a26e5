"""The real clients list the tools of the MCP server that `reverie install --mcp` registers, and its answers reach the model.

Needs the hosts lab (``REVERIE_SHARED``) and installed clients (``HOSTS_LAB``); skips, visibly, without them.
"""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from reverie import open_memory
from reverie.core.memory import By

pytestmark = [pytest.mark.hosts, pytest.mark.shared, pytest.mark.slow, pytest.mark.timeout(240)]

KNOWN = "Releases of the harvest service are cut on Mondays"
NEWS = "The billing tests need the ledger container to be running"
ASKED = "when are releases of the harvest service cut"
HOSTS = ("claude-code", "codex", "qwen-code", "opencode", "kimi-code")
SCRIPT: dict[str, Any] = {
    "project": "harvest", "files": {"README.md": "# harvest\n"},
    "turns": [{"user": ASKED, "steps": [
        {"text": "I ask memory.", "calls": [{"mcp": {"server": "reverie", "tool": "recall", "arguments": {"query": ASKED}}}]},
        {"text": "I keep something.", "calls": [{"mcp": {"server": "reverie", "tool": "remember", "arguments": {"text": NEWS}}}]},
        {"text": "On Mondays."}]}],
}


@pytest.mark.parametrize("host", HOSTS)
def test_the_tools_are_offered_and_their_answers_reach_the_model(host: str, play: Any, tmp_path: Path) -> None:
    client, home = tmp_path / "client", tmp_path / "reverie"
    project = client / "projects" / "harvest"
    project.mkdir(parents=True)
    with open_memory(home, cwd="/home/dev/projects/harvest") as memory:
        memory.remember(KNOWN, scope="project")
    server = shlex.join([sys.executable, "-I", "-m", "reverie.entrypoints.mcp", "--home", str(home)])
    shown = [KNOWN, "Call `recall` before", "One memory in full", "Kept: projects/"]
    report = play(host, client, SCRIPT, shown, "--mcp-command", server, "--mcp-name", "reverie")
    found = {text: {hit["role"] for hit in hits} for text, hits in report["shown"].items()}
    assert found[KNOWN] & {"tool", "user"}, json.dumps(report)[-3000:]
    with open_memory(home, cwd="/home/dev/projects/harvest") as memory:
        kept = [each.memory for each in memory.list() if "ledger" in each.memory.body]
        [change] = [each for each in memory.changes() if each.cause.actor == "agent"]
    assert [each.source.by for each in kept] == [By.AGENT]
    assert change.cause.host == host
    if host != "codex":                     # there they are looked up later
        assert "tools" in found["One memory in full"]
    if host != "kimi-code":                 # which shows no instructions
        assert found["Call `recall` before"]
