"""The five real clients, connected by one command: what one is told the others know, what a prompt needs it gets, what was broken
stops nobody, and their settings come back to the byte.

Needs the hosts lab (``REVERIE_SHARED``) and installed clients (``HOSTS_LAB``); skips, visibly, without them.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from reverie.core import blocks
from reverie.entrypoints.installation import Installation
from reverie.memory import open_memory

pytestmark = [pytest.mark.hosts, pytest.mark.shared, pytest.mark.slow, pytest.mark.timeout(600)]

HOSTS = ("claude-code", "codex", "qwen-code", "opencode", "kimi-code")
RULE = "run the checks with `make check`"
TOLD = f"No, please always {RULE}, never plain pytest: it loads the calendar first."
ASKED, UNRELATED = "how do I run the checks here?", "what is the time complexity of heapsort?"
RECALL, SESSION = f'{blocks.TAG} kind="recall"', f'{blocks.TAG} kind="session"'
# The lab writes its clients' settings anew for each run; here they stay as Reverie left them.
DRIVER = """
import os, sys
sys.path.insert(0, sys.argv.pop(1))
import hosts, run_host
if os.environ.get("AS_IT_IS"):
    for each in hosts.HOSTS.values():
        type(each).configure = lambda self, setup: None
sys.exit(run_host.main())
"""


class Lab:
    """One home folder that all clients share, as on a person's machine."""

    def __init__(self, shared: Path, home: Path, folder: Path) -> None:
        if "HOSTS_LAB" not in os.environ:
            pytest.skip("HOSTS_LAB is not set: this test drives the real clients")
        self.lab, self.home, self.folder = shared / "hosts-lab", home, folder
        self.environment = {"HOME": str(home), "PATH": os.environ["PATH"]}
        self.home.mkdir()

    def play(self, host: str, said: Sequence[str | dict[str, Any]], shown: Sequence[str] = (), *, project: str = "harvest", as_it_is: bool = True, silent: bool = False) -> dict[str, Any]:
        """Prompts in one session, each by a process of its own that resumes it; where these texts reached the model.
        ``silent``: one of them has no answer."""
        turns = [each if isinstance(each, dict) else {"user": each, "steps": [{"text": "Very well."}]} for each in said]
        script = self.folder / "script.json"
        script.write_text(json.dumps({"project": project, "files": {"README.md": f"# {project}\n"}, "turns": turns}), "utf-8")
        command = [sys.executable, "-c", DRIVER, str(self.lab), host, "--install", os.environ["HOSTS_LAB"], "--home", str(self.home)]
        command += ["--script", str(script), "--json", *(f"--show={text}" for text in shown)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False,
                              env={**os.environ, "AS_IT_IS": "1" if as_it_is else ""})
        assert done.returncode == 0 or silent, done.stderr[-2000:] + done.stdout[-3000:]
        report: dict[str, Any] = json.loads(done.stdout)
        return report

    def configure(self, *hosts: str) -> None:
        """The settings that the lab's user has, before Reverie comes."""
        for host in hosts:
            self.play(host, ["hello there, old friend"], project="before", as_it_is=False)

    def reverie(self, *arguments: str) -> str:
        done = subprocess.run([sys.executable, "-m", "reverie", *arguments], capture_output=True, text=True, env=self.environment,
                              cwd=self.home, timeout=120, check=False)
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout

    def idle(self) -> dict[str, Any]:
        until = time.monotonic() + 60
        while time.monotonic() < until:
            status: dict[str, Any] = json.loads(self.reverie("status", "--json"))
            if not status["background"]["waiting"] and not status["background"]["worker"]:
                return status
            time.sleep(0.3)
        raise AssertionError(status)

    def settings(self) -> dict[str, bytes]:
        """The files that an installation may touch."""
        tops = (".claude/settings.json", ".codex/hooks.json", ".codex/config.toml", ".qwen/settings.json", ".config/opencode",
                ".kimi-code/plugins", ".kimi-code/config.toml")
        found: dict[str, bytes] = {}
        for top in tops:
            path = self.home / top
            for file in ([path] if path.is_file() else sorted(path.rglob("*"))):
                if file.is_file() and "node_modules" not in file.parts and file.suffix in (".json", ".jsonc", ".toml", ".js"):
                    found[str(file.relative_to(self.home))] = file.read_bytes()
        return found


@pytest.fixture
def lab(shared: Path, tmp_path: Path) -> Lab:
    return Lab(shared, tmp_path / "client", tmp_path)


def block_of(text: str) -> str:
    """The session's block in a text, as the client may have escaped it."""
    plain = text.replace("&lt;", "<").replace("&gt;", ">")
    found = re.search(rf"<{blocks.TAG} kind=\"session\".*?</{blocks.TAG}>", plain, re.DOTALL)
    return found[0] if found else ""


@pytest.mark.parametrize("teller", HOSTS)
def test_what_one_is_told_the_others_know(lab: Lab, teller: str) -> None:
    lab.configure(*HOSTS)
    before = lab.settings()
    lab.reverie("install", "--all")
    installed = lab.settings()
    assert len([name for name in installed if installed[name] != before.get(name)]) == 7
    lab.play(teller, [TOLD])
    status = lab.idle()
    assert status["problems"] == [] and status["sessions"][teller]["succeeded"] == 1
    for host in HOSTS:
        if host == teller:
            continue
        shown = lab.play(host, [ASKED], [RULE, SESSION, RECALL])["shown"]
        first = min(hit["request"] for hit in shown[SESSION])
        assert {hit["request"] for hit in shown[RULE]} >= {first}, (host, shown)            # (a) in the first request that carries memory
        assert any(hit["rule"] == "turn 1 step 1" for hit in shown[RULE]) and shown[RECALL], (host, shown)      # (b)
        elsewhere = lab.play(host, [ASKED, UNRELATED], [RULE, RECALL], project="gateway")["shown"]
        assert elsewhere == {RULE: [], RECALL: []}, (host, elsewhere)
        assert lab.play(host, [UNRELATED], [RECALL])["shown"][RECALL] == [], host
    lab.idle()
    lab.reverie("forget", "run the checks", "--yes", "--all")
    for host in HOSTS:
        assert lab.play(host, [ASKED], [RULE])["shown"][RULE] == [], host                   # (e)
    assert lab.settings() == installed                  # no client wrote into them meanwhile
    lab.reverie("uninstall", "--all")
    assert lab.settings() == before                     # (f)


@pytest.mark.parametrize("host", HOSTS)
def test_a_session_has_the_same_block_for_ten_turns_and_as_many_resumptions(lab: Lab, host: str) -> None:
    lab.configure(host)
    lab.reverie("install", host)
    lab.play(host, [TOLD])
    lab.idle()
    said = [ASKED, "From now on, always deploy the gateway with `make ship`, never by hand.", *(f"tell me more, part {n}" for n in range(8))]
    shown = lab.play(host, said, [SESSION, "make ship"])["shown"]
    lab.idle()
    found = [block_of(hit["text"]) for hit in shown[SESSION]]
    assert len(set(found)) == 1 and RULE in found[0] and "make ship" not in found[0]
    turns = {hit["rule"] for hit in shown[SESSION]}
    assert len({rule for rule in turns if rule.startswith("turn ")}) == 10
    assert len({(hit["request"]) for hit in shown[SESSION]}) == len(shown[SESSION])         # once a request
    assert "make ship" in lab.play(host, ["how do I deploy the gateway?"], ["make ship"])["shown"]["make ship"][0]["text"]


def test_a_compaction_is_told_what_to_keep_and_leaves_the_same_block(lab: Lab) -> None:
    """Claude Code, whose compaction can be asked for without a terminal."""
    lab.configure("claude-code")
    lab.reverie("install", "claude-code")
    lab.play("claude-code", [TOLD])
    lab.idle()
    keep = "The summary must keep, in its own words"
    shown = lab.play("claude-code", [ASKED, "/compact", "how do I run the checks, once more?"], [SESSION, RECALL, keep], silent=True)["shown"]
    assert shown[keep][0]["rule"] == "side:compaction"
    after = [hit for hit in shown[SESSION] if hit["rule"] == "turn 3 step 1"]
    assert len({block_of(hit["text"]) for hit in shown[SESSION]}) == 1 and len(after) == 1
    assert [hit for hit in shown[RECALL] if hit["rule"] == "turn 3 step 1"]                 # and what a prompt needs is told again


@pytest.mark.parametrize("host", ["claude-code", "qwen-code", "opencode"])
def test_a_memory_47_days_old_is_read_with_its_age(lab: Lab, host: str) -> None:
    lab.configure(host)
    lab.reverie("install", host)
    project = lab.home / "projects/harvest"
    project.mkdir(parents=True)
    with open_memory(cwd=project, environment=lab.environment) as memory:
        found, _ = memory.remember("Releases of the ferry app are tagged by Noor on Thursdays")
        file = Path(memory.space.store(found.mount).root) / found.memory.id.rpartition("/")[2]
    at = time.time() - 47.5 * 86_400
    os.utime(file, (at, at))
    if host == "opencode":              # which asks before it reads outside of the project
        config = lab.home / ".config/opencode/opencode.json"
        value = json.loads(config.read_text("utf-8"))
        value["permission"]["external_directory"] = "allow"
        config.write_text(json.dumps(value), "utf-8")
    reading = {"user": "who tags the releases?", "steps": [{"calls": [{"read": {"path": str(file)}}]}, {"text": "Noor does."}]}
    shown = lab.play(host, [reading], ["47 days old"])["shown"]["47 days old"]
    assert any(hit["rule"] == "turn 1 step 2" for hit in shown), shown


@pytest.mark.parametrize("broken", ["interpreter", "database", "settings", "hanging"])
@pytest.mark.parametrize("host", HOSTS)
def test_with_reverie_broken_on_purpose_the_client_answers_in_time(
    lab: Lab, host: str, broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab.configure(host)
    lab.reverie("install", host)
    whole = lab.play(host, [TOLD])["runs"][0]["seconds"]
    lab.idle()
    if broken in ("interpreter", "hanging"):
        monkeypatch.setattr(sys, "executable", "/nonexistent/bin/python" if broken == "interpreter" else str(stuck(lab)))
        made = Installation(str(lab.home / ".reverie"), environment=lab.environment, user_home=str(lab.home), now=datetime.now(UTC))
        assert made.install(host).outcome == "installed"        # so that Codex trusts them, too
        monkeypatch.undo()
    for name in ("state.db", "search.db") if broken == "database" else ():
        (lab.home / ".reverie" / name).write_bytes(b"no database" * 1_000)
    if broken == "settings":
        (lab.home / ".reverie/settings.toml").write_text("[[[", "utf-8")
    report = lab.play(host, [ASKED])
    assert [run["answer"] for run in report["runs"]] == ["Very well."]
    most = 60 if broken == "hanging" else 10        # seconds above what it takes with nothing broken, on a machine that is busy
    assert report["runs"][0]["seconds"] < 2 * whole + most
    if broken == "settings":
        log = (lab.home / ".reverie/hooks.log").read_text("utf-8")
        assert "Mend it or move it away" in log


def stuck(lab: Lab) -> Path:
    """An interpreter that never answers: what is left then is the client's own deadline."""
    program = lab.home / "stuck"
    program.write_text("#!/bin/sh\nexec sleep 300\n", "utf-8")
    program.chmod(0o755)
    return program
