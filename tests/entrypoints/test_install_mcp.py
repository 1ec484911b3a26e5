"""Registering the MCP server: where each client has its servers, and everything back to the byte."""

from __future__ import annotations

import json
import os
import sys
import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from reverie.core import splicing
from reverie.entrypoints.installation import Installation
from reverie.hosts import installing

FILES = {"claude-code": ".claude.json", "codex": ".codex/config.toml", "qwen-code": ".qwen/settings.json",
         "opencode": ".config/opencode/opencode.json", "kimi-code": ".kimi-code/mcp.json"}
HOSTS = tuple(FILES)
JSON = {
    "none": None, "empty object": "{}", "empty file": "",
    "others' servers": '{\n  "mcpServers": {\n    "theirs": {"command": "x"}\n  },\n  "mcp": {"theirs": {}},\n  "z": 1\n}\n',
    "comments": '// mine\n{\n\t"theme": "dark", // yes\n}\n', "CRLF": '{\r\n    "a": 1\r\n}\r\n', "BOM": '\ufeff{\n  "model": "x"\n}\n',
    "one line": '{"b":1,"mcpServers":{},"mcp":{}}',
}
TOML = {
    "none": None, "empty": "", "no line end": 'model = "x" # mine\n[features]\nhooks = true', "CRLF": "[a]\r\nb = 1\r\n",
    "others' servers": '[mcp_servers.theirs]\ncommand = "x"\n\n\n',
}


def made(home: Path, *, mcp: bool | None = None, project: str = "", options: tuple[str, ...] = ()) -> Installation:
    return Installation(str(home / ".reverie"), environment={"HOME": str(home), "PATH": ""}, user_home=str(home), project=project,
                        now=datetime(2026, 12, 1, tzinfo=UTC), options=options, mcp=mcp)


def state(home: Path) -> dict[str, bytes | str]:
    return {str(path.relative_to(home)): path.read_bytes() if path.is_file() else "folder"
            for path in sorted(home.rglob("*")) if ".reverie" not in path.parts}


def put(home: Path, name: str, text: str | None) -> Path:
    file = home / name
    if text is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
    return file


def servers(home: Path, host: str) -> Any:
    text = (home / FILES[host]).read_bytes().decode()
    value = tomllib.loads(text) if host == "codex" else splicing.parse(text).plain()
    return value[{"codex": "mcp_servers", "opencode": "mcp"}.get(host, "mcpServers")]


CASES = [pytest.param(host, text, id=f"{host}, {name}") for host in HOSTS for name, text in (TOML if host == "codex" else JSON).items()]


@pytest.mark.parametrize(("host", "text"), CASES)
def test_settings_come_back_to_the_byte(home: Path, host: str, text: str | None) -> None:
    put(home, FILES[host], text)
    before = state(home)
    outcome = made(home, mcp=True).install(host)
    assert outcome.outcome == "installed", outcome.notes
    assert installing.is_our_server(servers(home, host)["reverie"])
    installed = state(home)
    for again in (True, None):                      # what is there stays where nothing is said
        assert (made(home, mcp=again).install(host).outcome, state(home)) == ("unchanged", installed)
    assert made(home).uninstall(host).outcome == "uninstalled"
    assert state(home) == before


@pytest.mark.parametrize(("host", "text"), CASES)
def test_the_server_alone_can_be_taken_out_again(home: Path, host: str, text: str | None) -> None:
    put(home, FILES[host], text)
    made(home).install(host)
    without = state(home)
    assert made(home, mcp=True).install(host).outcome == "installed"
    assert made(home, mcp=False).install(host).outcome == "installed"
    assert state(home) == without
    assert made(home, mcp=False).install(host).outcome == "unchanged"


@pytest.mark.parametrize("host", HOSTS)
def test_by_default_there_is_none(home: Path, host: str) -> None:
    made(home).install(host)
    assert not any(b"reverie.entrypoints.mcp" in data for data in state(home).values() if isinstance(data, bytes))


@pytest.mark.parametrize("host", HOSTS)
def test_what_is_registered_is_what_can_be_run(home: Path, host: str) -> None:
    made(home, mcp=True, options=("--home", "/some where/else", "--no-background")).install(host)
    entry = servers(home, host)["reverie"]
    run = entry["command"] if isinstance(entry["command"], list) else [entry["command"], *entry["args"]]
    assert run == [sys.executable, "-I", "-m", "reverie.entrypoints.mcp", "--home", "/some where/else"]
    assert {"claude-code": entry.get("alwaysLoad"), "qwen-code": entry.get("alwaysLoadTools")}.get(host, True)


@pytest.mark.parametrize("host", [host for host in HOSTS if host != "kimi-code"])
def test_a_projects_settings_name_no_machine(home: Path, tmp_path: Path, host: str) -> None:
    before = state(tmp_path)
    made(home, mcp=True, project=str(tmp_path)).install(host)
    named = {"claude-code": ".mcp.json", "codex": ".codex/config.toml", "qwen-code": ".qwen/settings.json", "opencode": "opencode.json"}
    text = (tmp_path / named[host]).read_text("utf-8")
    assert '"mcp"' in text and '"reverie"' in text and "reverie.entrypoints" not in text
    if host != "qwen-code":                         # whose one file holds hooks as well
        assert sys.executable not in text
    made(home, project=str(tmp_path)).uninstall(host)
    assert state(tmp_path) == before


@pytest.mark.parametrize("host", HOSTS)
def test_a_server_of_somebody_elses_by_our_name_is_left_alone(home: Path, host: str) -> None:
    theirs = ('[mcp_servers.reverie]\ncommand = "theirs"\n' if host == "codex"
              else json.dumps({"mcp" if host == "opencode" else "mcpServers": {"reverie": {"command": "theirs"}}}))
    put(home, FILES[host], theirs)
    before = state(home)
    outcome = made(home, mcp=True).install(host)
    assert (outcome.outcome, state(home)) == ("failed", before) and "not ours" in " ".join(outcome.notes)
    made(home).install(host)
    made(home).uninstall(host)
    assert state(home) == before


@pytest.mark.parametrize("host", HOSTS)
def test_what_a_client_laid_out_anew_loses_only_ours(home: Path, host: str) -> None:
    """Claude Code writes its file anew all the time."""
    put(home, FILES[host], '[a]\nb = 1\n' if host == "codex" else '{"x": 1}')
    made(home, mcp=True).install(host)
    file = home / FILES[host]
    if host == "codex":
        text = file.read_text("utf-8")
        file.write_text("# theirs\n" + text.replace("[mcp_servers.reverie]\n", "[mcp_servers.reverie]\nenabled = true\n"), "utf-8")
    else:
        plain = splicing.parse(file.read_text("utf-8")).plain()
        file.write_text(json.dumps(plain | {"y": 2}, indent=4), "utf-8")
    assert made(home).uninstall(host).outcome == "uninstalled"
    left = file.read_text("utf-8")
    assert "reverie" not in left
    assert tomllib.loads(left) == {"a": {"b": 1}} if host == "codex" else json.loads(left) == {"x": 1, "y": 2}


def test_opencode_keeps_to_its_file_with_comments(home: Path) -> None:
    put(home, ".config/opencode/opencode.jsonc", "{\n  // mine\n}\n")
    before = state(home)
    made(home, mcp=True).install("opencode")
    assert "reverie" in (home / ".config/opencode/opencode.jsonc").read_text("utf-8")
    assert not (home / ".config/opencode/opencode.json").exists()
    made(home).uninstall("opencode")
    assert state(home) == before


def test_claude_codes_file_goes_with_its_folder(home: Path) -> None:
    folder = home / ".claude"
    installation = made(home, mcp=True)
    installation.environment = {"HOME": str(home), "PATH": "", "CLAUDE_CONFIG_DIR": str(folder)}
    assert installation.install("claude-code").outcome == "installed"
    assert "reverie.entrypoints.mcp" in (folder / ".claude.json").read_text("utf-8") and not (home / ".claude.json").exists()


def test_broken_server_settings_are_told(home: Path) -> None:
    put(home, FILES["claude-code"], '{"mcpServers": [')
    before = state(home)
    outcome = made(home, mcp=True).install("claude-code")
    assert outcome.outcome == "failed" and state(home) == before
    assert made(home).install("claude-code").outcome == "installed"     # hooks do not need that file
    assert os.environ["HOME"] == str(home)
