"""The real Claude Code and its sub-agents: an index that Reverie wrote stands in the agent's system prompt, and the answer to the
hook opens its conversation.

Needs the hosts lab (``REVERIE_SHARED``) and an installed client (``HOSTS_LAB``); skips, visibly, without them.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from reverie import open_memory

pytestmark = [pytest.mark.hosts, pytest.mark.shared, pytest.mark.slow, pytest.mark.timeout(240)]

KNOWN_TO_THE_CLIENT = "The billing tests need the ledger container to be running"
KNOWN_TO_US = "Releases of the harvest service are cut on Mondays"
RULE = "Never promise a release date to customers"
ASKED, HANDED = "ask the researcher about releases please", "find out which release date we could promise to customers"
CALL = {"name": "Agent", "arguments": {"description": "look", "prompt": HANDED, "subagent_type": "researcher"}}
SCRIPT = {
    "project": "harvest", "files": {"README.md": "# harvest\n"},
    "turns": [
        {"user": ASKED, "steps": [{"text": "I will ask.", "calls": [{"tool": CALL}]}, {"text": "On Mondays."}]},
        {"user": HANDED, "steps": [{"text": "On Mondays."}]},
    ],
}
HOOK = """
import json, sys
from reverie import open_memory
from reverie.entrypoints.subagent_hook import answer

payload = json.load(sys.stdin)
with open_memory({home!r}, cwd=payload["cwd"]) as memory:
    if said := answer(memory, payload):
        print(json.dumps(said))
"""


def run(shared: Path, tmp_path: Path, client: Path, shown: list[str]) -> dict[str, list[dict[str, Any]]]:
    """Play the delegation on the real client; where the texts reached the model in the sub-agent's requests."""
    if "HOSTS_LAB" not in os.environ:
        pytest.skip("HOSTS_LAB is not set: this test drives the real client")
    (tmp_path / "script.json").write_text(json.dumps(SCRIPT), encoding="utf-8")
    (tmp_path / "hook.py").write_text(HOOK.format(home=str(tmp_path / "reverie")), encoding="utf-8")
    command = [
        sys.executable, str(shared / "hosts-lab" / "run_host.py"), "claude-code", "--home", str(client), "--json",
        "--script", str(tmp_path / "script.json"), "--hook-command", f"{sys.executable} {tmp_path / 'hook.py'}",
        "--hook-events", "SubagentStart", *(f"--show={text}" for text in shown), ASKED,
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stderr[-2000:] + done.stdout[-2000:]
    found = json.loads(done.stdout)["shown"]
    return {text: [hit for hit in hits if hit["rule"].startswith("turn 2")] for text, hits in found.items()}


def test_a_sub_agent_is_shown_what_we_wrote(shared: Path, tmp_path: Path) -> None:
    client = tmp_path / "client"
    project = client / "projects/harvest"
    project.mkdir(parents=True)
    (client / ".claude/agents").mkdir(parents=True)
    (client / ".claude/agents/researcher.md").write_text(
        "---\nname: researcher\ndescription: Finds things out\ntools: Read\nmemory: user\n---\n\nYou find things out.\n")
    environment = {"HOME": str(client)}
    with open_memory(tmp_path / "edition", design="claude-code@2.1", cwd=project, environment=environment) as memory:
        found, _ = memory.remember(KNOWN_TO_THE_CLIENT, agent="researcher", scope="user")
        store = Path(memory.space.store(found.mount).root)
        shutil.copytree(store, client / ".claude/agent-memory/researcher", ignore=shutil.ignore_patterns("project.json"))
    with open_memory(tmp_path / "reverie", cwd=project, environment=environment) as memory:
        memory.remember(KNOWN_TO_US, agent="researcher")
        memory.remember(RULE, type="feedback")
        memory.remember("Icons are exported as SVG and never as PNG", type="feedback")
    index = (store / "MEMORY.md").read_text(encoding="utf-8").strip()
    shown = run(shared, tmp_path, client, [index, KNOWN_TO_US, RULE, "exported as SVG", '"name": "Write"', '"name": "Edit"'])
    assert [(hit["role"], hit["where"].partition("[")[0]) for hit in shown[index]] == [("system", "system")]
    [ours] = shown[KNOWN_TO_US]
    assert ours["text"].startswith("SubagentStart hook additional context: <reverie-memory")
    assert ours["where"].startswith("messages")
    assert [hit["where"] for hit in shown[RULE]] == [ours["where"]]        # it fits what was handed over (#41356)
    assert shown["exported as SVG"] == []
    for tool in ('"name": "Write"', '"name": "Edit"'):      # its list has Read alone (#57507)
        assert [hit["role"] for hit in shown[tool]] == ["tools"]
