"""The real clients read what Reverie wrote: its index lines reach the model unchanged, in the place where the client puts its own.

Needs the hosts lab (``REVERIE_SHARED``) and installed clients (``HOSTS_LAB``); skips, visibly, without them.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from reverie.memory import open_memory

pytestmark = [pytest.mark.hosts, pytest.mark.shared, pytest.mark.slow, pytest.mark.timeout(240)]

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


def run(shared: Path, tmp_path: Path, host: str, client_home: Path, shown: list[str], *more: str) -> dict[str, Any]:
    """Play one prompt on the real client, and report where the texts reached the model."""
    if "HOSTS_LAB" not in os.environ:
        pytest.skip("HOSTS_LAB is not set: this test drives the real clients")
    script = tmp_path / "script.json"
    script.write_text(json.dumps(SCRIPT), encoding="utf-8")
    command = [sys.executable, str(shared / "hosts-lab" / "run_host.py"), host, "--home", str(client_home), "--script", str(script),
               "--neutral", "--json", *more]
    for text in shown:
        command += [f"--show={text}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stderr[-2000:] + done.stdout[-2000:]
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def in_answered_turn(report: dict[str, Any], text: str) -> list[dict[str, Any]]:
    return [hit for hit in report["shown"][text] if hit["rule"].startswith("turn 1")]


@pytest.mark.parametrize("design", ["claude-code", "claude-code@2.1"])
def test_claude_code_shows_our_index_unchanged(shared: Path, tmp_path: Path, design: str) -> None:
    stores = learned(tmp_path / "reverie", design)
    shutil.copytree(stores / "projects", tmp_path / "client/.claude/projects")
    index = next(stores.glob(f"projects/*{PROJECT}/memory/MEMORY.md")).read_text(encoding="utf-8").strip()
    report = run(shared, tmp_path, "claude-code", tmp_path / "client", [index])
    assert [hit["role"] for hit in in_answered_turn(report, index)] == ["user"]


@pytest.mark.parametrize("design", ["qwen-code", "qwen-code@0.24"])
def test_qwen_code_shows_our_indexes_unchanged(shared: Path, tmp_path: Path, design: str) -> None:
    stores = learned(tmp_path / "reverie", design)
    for folder in ("projects", "memories"):
        shutil.copytree(stores / folder, tmp_path / "client/.qwen" / folder)
    indexes = [
        path.read_text(encoding="utf-8").strip()
        for path in (next(stores.glob(f"projects/*{PROJECT}/memory/MEMORY.md")), stores / "memories/MEMORY.md")
    ]
    report = run(shared, tmp_path, "qwen-code", tmp_path / "client", indexes)
    for index in indexes:
        assert {hit["role"] for hit in in_answered_turn(report, index)} == {"system"}


@pytest.mark.parametrize("design", ["codex", "codex@0.171"])
def test_codex_has_our_summary_in_its_place(shared: Path, tmp_path: Path, design: str) -> None:
    stores = learned(tmp_path / "reverie", design)
    client = Path("/var/tmp") / tmp_path.name / "client"      # below /tmp the client does not make its helper programs
    shutil.rmtree(client, ignore_errors=True)
    shutil.copytree(stores / "memories", client / ".codex/memories")
    summary = (stores / "memories/memory_summary.md").read_text(encoding="utf-8").strip()
    config = tmp_path / "memories.toml"
    config.write_text("features.memories = true\n", encoding="utf-8")
    block = f"========= MEMORY_SUMMARY BEGINS =========\n{summary}\n========= MEMORY_SUMMARY ENDS ========="
    try:
        report = run(shared, tmp_path, "codex", client, [block], "--config", str(config))
    finally:
        shutil.rmtree(client.parent, ignore_errors=True)
    assert [hit["role"] for hit in in_answered_turn(report, block)] == ["developer"]
