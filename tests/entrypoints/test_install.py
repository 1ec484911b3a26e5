"""Connecting and disconnecting: other people's settings come back to the byte, whatever they look like."""

from __future__ import annotations

import json
import os
import shlex
import stat
import sys
import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from reverie.core import splicing
from reverie.entrypoints.installation import Installation, Outcome
from reverie.hosts import hooks, installing

HASHES = (      # python3 hook.py after 20 s at two events, one with a matcher; and a command full of signs
    "sha256:249d0623b581a0cf4eec0d471c09b6f9687427346e92151972d2a5133418911b",
    "sha256:bb941763dc61d32e6d1f32e7c1ef6c0d5d244d2977a6655e545b2cf0250cdff8",
    "sha256:700979ced926452e26e3c9aac6137a85b366e2c50ef119eee40a5f2afeb888a1",
)
HOSTS = tuple(installing.PROGRAMS)
NOW = datetime(2026, 12, 1, tzinfo=UTC)
FILES = {"claude-code": ".claude/settings.json", "codex": ".codex/hooks.json", "qwen-code": ".qwen/settings.json",
         "opencode": ".config/opencode/plugins/reverie.js", "kimi-code": ".kimi-code/plugins/installed.json"}
JSON_HOSTS = ("claude-code", "codex", "qwen-code")

SETTINGS = {
    "none": None,
    "empty object": "{}",
    "empty file": "",
    "others' hooks": '{\n  "hooks": {\n    "Stop": [\n      {"hooks": [{"type": "command", "command": "theirs"}]}\n    ],\n    "Other": []\n  },\n  "z": 1,\n  "a": 2\n}\n',
    "one line": '{"b":1,"hooks":{"SessionStart":[{"matcher":"startup","hooks":[{"type":"command","command":"x"}]}]},"a":"\\u00e9"}',
    "comments": '// mine\n{\n\t"theme": "dark", // yes\n\t"hooks": {\n\t\t"UserPromptSubmit": [\n\t\t\t{"hooks": []},\n\t\t],\n\t},\n}\n',
    "CRLF": '{\r\n    "hooks": {\r\n        "Stop": []\r\n    }\r\n}\r\n',
    "BOM": '\ufeff{\n  "model": "x"\n}\n',
    "no line end": '{\n  "model": "ü"\n}',
}


def made(home: Path, *, project: str = "", options: tuple[str, ...] = (), path: str = "", **more: Any) -> Installation:
    return Installation(str(home / ".reverie"), environment={"HOME": str(home), "PATH": path}, user_home=str(home), now=NOW,
                        project=project, options=options, **more)


def put(home: Path, name: str, text: str | bytes) -> Path:
    file = home / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return file


def state(home: Path) -> dict[str, bytes | str]:
    """Everything below a home but our own: files with their bytes, links with where they lead, folders."""
    found: dict[str, bytes | str] = {}
    for path in sorted(home.rglob("*")):
        if ".reverie" not in path.parts:
            found[str(path.relative_to(home))] = (
                f"-> {path.readlink()}" if path.is_symlink() else path.read_bytes() if path.is_file() else "folder")
    return found


def groups(home: Path, host: str) -> dict[str, list[Any]]:
    plain = splicing.parse((home / FILES[host]).read_bytes().decode()).plain()
    return {event: [group for group in found if installing.is_ours(group)] for event, found in plain["hooks"].items()}


@pytest.mark.parametrize("text", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize("host", JSON_HOSTS)
def test_settings_come_back_to_the_byte(home: Path, host: str, text: str | None) -> None:
    if text is not None:
        put(home, FILES[host], text)
    before = state(home)
    outcome = made(home).install(host)
    assert outcome.outcome == "installed", outcome.notes
    events = {event for event, kind in hooks.CLIENTS[host].events.items() if not (host == "qwen-code" and kind == hooks.AGENT_START)}
    assert {event for event, found in groups(home, host).items() if found} == events
    assert all(len(found) <= 1 for found in groups(home, host).values())
    installed = state(home)
    again = made(home).install(host)
    assert (again.outcome, again.changes, state(home)) == ("unchanged", [], installed)
    assert made(home).uninstall(host).outcome == "uninstalled"
    assert state(home) == before
    assert made(home).uninstall(host).outcome == "not_installed"


@pytest.mark.parametrize("host", HOSTS)
def test_a_dry_run_writes_nothing_and_says_what_it_would(home: Path, host: str) -> None:
    put(home, FILES["claude-code"], SETTINGS["comments"] or "")
    before = state(home)
    outcome = made(home).install(host, dry_run=True)
    assert outcome.outcome == "installed" and state(home) == before and not (home / ".reverie").exists()
    assert all(("hook" in change.diff() or "reverie" in change.diff()) and change.diff().startswith("--- ") for change in outcome.changes)
    removed = [line for change in outcome.changes for line in change.diff().splitlines() if line.startswith("-") and not line.startswith("---")]
    assert all(line.strip("-\t ,") in ("}", "]", "{}") for line in removed if line.strip("-\t ,"))      # nothing of theirs goes


@pytest.mark.parametrize("host", HOSTS)
def test_what_was_made_goes_again(home: Path, host: str) -> None:
    (home / "else").mkdir()
    before = state(home)
    assert made(home).install(host).outcome == "installed"
    assert state(home) != before
    assert made(home).uninstall(host).outcome == "uninstalled"
    assert state(home) == before


@pytest.mark.parametrize("host", JSON_HOSTS)
def test_what_was_edited_around_ours_stays(home: Path, host: str) -> None:
    file = put(home, FILES[host], '{\n  "hooks": {\n    "Stop": []\n  },\n  "x": 1\n}\n')
    made(home).install(host)
    text = file.read_text("utf-8")
    file.write_text(text.replace('"x": 1', '"x": 2, "y": [3]'), "utf-8")
    made(home).uninstall(host)
    assert file.read_text("utf-8") == '{\n  "hooks": {\n    "Stop": []\n  },\n  "x": 2, "y": [3]\n}\n'


@pytest.mark.parametrize("host", JSON_HOSTS)
@pytest.mark.parametrize("indent", [None, 1, 4])
def test_what_a_client_laid_out_anew_loses_only_ours(home: Path, host: str, indent: int | None) -> None:
    """Clients write their settings anew when somebody changes one in their menus."""
    theirs = {"type": "command", "command": "theirs"}
    file = put(home, FILES[host], json.dumps({"hooks": {"Stop": [{"hooks": [theirs]}]}, "x": 1}))
    made(home).install(host)
    plain = splicing.parse(file.read_text("utf-8")).plain()
    plain["hooks"]["SessionStart"][0]["hooks"].append(theirs)           # and put something into a group of ours
    file.write_text(json.dumps(plain, indent=indent), "utf-8")
    assert made(home).uninstall(host).outcome == "uninstalled"
    assert json.loads(file.read_text("utf-8")) == {
        "hooks": {"Stop": [{"hooks": [theirs]}], "SessionStart": [{"hooks": [theirs]}]}, "x": 1}


def test_without_our_record_ours_are_found_by_what_they_say(home: Path) -> None:
    put(home, FILES["claude-code"], '{"x": 1}')
    for host in HOSTS:
        made(home).install(host)
    (home / ".reverie/installed.json").unlink()
    for host in HOSTS:
        assert made(home).uninstall(host).outcome == "uninstalled", host
    assert json.loads((home / FILES["claude-code"]).read_bytes()) == {"x": 1}
    assert not any(b"reverie" in data for data in state(home).values() if isinstance(data, bytes))


def test_another_interpreter_takes_the_place_of_the_old_one(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = put(home, FILES["claude-code"], SETTINGS["others' hooks"] or "")
    before = state(home)
    made(home).install("claude-code")
    monkeypatch.setattr(sys, "executable", "/opt/another python/bin/python3")
    outcome = made(home, options=("--no-background",)).install("claude-code")
    assert outcome.outcome == "installed"
    [group] = groups(home, "claude-code")["UserPromptSubmit"]
    command = group["hooks"][0]["command"]
    assert shlex.split(command)[:3] == ["/opt/another python/bin/python3", "-I", "-S"] and "--no-background" in command
    assert file.read_text("utf-8").count("hook.py") == len(hooks.CLIENTS["claude-code"].events)
    made(home).uninstall("claude-code")
    assert state(home) == before


# ── files as they should not be ──────────────────────────────────────────────────────────────────────────────────────


def failed(outcome: Outcome, home: Path, before: dict[str, bytes | str]) -> str:
    assert outcome.outcome == "failed" and state(home) == before
    return " ".join(outcome.notes)


@pytest.mark.parametrize("text", ['{"a": 1', "not json", '{"hooks": []}', '{"hooks": {"Stop": {}}}', "[]", '{"hooks": null}', "{" * 300])
@pytest.mark.parametrize("host", JSON_HOSTS)
def test_broken_settings_are_left_alone(home: Path, host: str, text: str) -> None:
    file = put(home, FILES[host], text)
    said = failed(made(home).install(host), home, state(home))
    assert str(file) in said and "Mend it first; nothing was written." in said


@pytest.mark.parametrize("host", JSON_HOSTS)
def test_what_is_no_file_is_left_alone(home: Path, host: str) -> None:
    (home / FILES[host]).mkdir(parents=True)
    assert "is a folder" in failed(made(home).install(host), home, state(home))
    (home / FILES[host]).rmdir()
    os.mkfifo(home / FILES[host])
    assert "no regular file" in failed(made(home).install(host), home, state(home))


@pytest.mark.parametrize(("data", "words"), [
    (b'{"a": "\xff"}', "not UTF-8"), (b'{"a": "' + b"x" * (5 << 20) + b'"}', "are left alone"),
])
def test_what_cannot_be_settings_is_left_alone(home: Path, data: bytes, words: str) -> None:
    put(home, FILES["claude-code"], data)
    assert words in failed(made(home).install("claude-code"), home, state(home))


def test_a_read_only_file_is_left_alone(home: Path) -> None:
    file = put(home, FILES["claude-code"], "{}")
    file.chmod(0o444)
    assert "read-only" in failed(made(home).install("claude-code"), home, state(home))


def test_links_stay_links_and_lead_to_the_change(home: Path) -> None:
    """Dot files kept elsewhere, as many keep them."""
    kept = put(home, "dotfiles/claude.json", '{"a": 1}\n')
    kept.chmod(0o640)
    link = home / FILES["claude-code"]
    link.parent.mkdir()
    link.symlink_to("../dotfiles/claude.json")
    before = state(home)
    assert made(home).install("claude-code").outcome == "installed"
    assert link.is_symlink() and b"hook.py" in kept.read_bytes() and stat.S_IMODE(kept.stat().st_mode) == 0o640
    made(home).uninstall("claude-code")
    assert state(home) == before and stat.S_IMODE(kept.stat().st_mode) == 0o640
    link.unlink()
    link.symlink_to("nowhere.json")
    assert "leads to nothing" in failed(made(home).install("claude-code"), home, state(home))


def test_another_name_of_the_same_file_sees_the_change(home: Path) -> None:
    file = put(home, FILES["claude-code"], "{}")
    os.link(file, home / "copy.json")
    made(home).install("claude-code")
    assert (home / "copy.json").read_bytes() == file.read_bytes() != b"{}"


def test_a_file_of_somebody_elses_in_our_place_is_left_alone(home: Path) -> None:
    put(home, FILES["opencode"], "export const Mine = async () => ({})\n")
    assert "is not a file that Reverie wrote" in failed(made(home).install("opencode"), home, state(home))


def test_no_settings_are_copied_into_the_home(home: Path) -> None:
    """They may hold keys."""
    put(home, FILES["claude-code"], '{"env": {"ANTHROPIC_API_KEY": "sk-ant-not-a-real-one"}}')
    made(home).install("claude-code")
    assert not any(b"not-a-real-one" in file.read_bytes() for file in (home / ".reverie").rglob("*") if file.is_file())


# ── each client's own ────────────────────────────────────────────────────────────────────────────────────────────────


CONFIGS = {
    "none": None, "empty": "", "no line end": 'model = "x" # mine\n[features]\nhooks = true', "CRLF": '[a]\r\nb = 1\r\n',
    "others' trust": '[hooks.state."/other:stop:0:0"]\ntrusted_hash = "sha256:00"\n\n\n',
}


@pytest.mark.parametrize("text", CONFIGS.values(), ids=CONFIGS)
def test_codex_trusts_our_hooks_by_their_hashes(home: Path, text: str | None) -> None:
    theirs = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "theirs"}]}]}}'
    put(home, FILES["codex"], theirs)
    if text is not None:
        put(home, ".codex/config.toml", text)
    before = state(home)
    made(home).install("codex")
    value = tomllib.loads((home / ".codex/config.toml").read_bytes().decode())
    hooks_file = home / ".codex/hooks.json"
    trusted = {key: one["trusted_hash"] for key, one in value["hooks"]["state"].items() if key.startswith(str(hooks_file))}
    assert trusted == installing.codex_trust(str(hooks_file), json.loads(hooks_file.read_bytes()))
    assert f"{hooks_file}:stop:1:0" in trusted and f"{hooks_file}:user_prompt_submit:0:0" in trusted
    assert made(home).install("codex").outcome == "unchanged"
    made(home).uninstall("codex")
    assert state(home) == before


def test_codex_names_its_hooks_by_the_real_folder_and_the_files_own_name(home: Path) -> None:
    """As ``hooks/list`` of 0.171.0 gives it for dot files kept elsewhere."""
    put(home, "dotfiles/codex/config.toml", 'model = "x"\n')
    put(home, "dotfiles/hooks of codex.json", "{}")
    (home / "dotfiles/codex/hooks.json").symlink_to("../hooks of codex.json")
    (home / ".codex").symlink_to("dotfiles/codex")
    before = state(home)
    made(home).install("codex")
    known = tomllib.loads((home / ".codex/config.toml").read_text("utf-8"))["hooks"]["state"]
    assert f"{home}/dotfiles/codex/hooks.json:stop:0:0" in known
    assert made(home).install("codex").outcome == "unchanged"
    made(home).uninstall("codex")
    assert state(home) == before


def test_the_hash_is_the_clients() -> None:
    """As ``hooks/list`` of 0.171.0 gives it."""
    handler = {"type": "command", "command": "python3 hook.py", "timeout": 20}
    assert installing.codex_hash("UserPromptSubmit", {}, handler) == HASHES[0]
    assert installing.codex_hash("SessionStart", {"matcher": "startup|resume"}, handler) == HASHES[1]
    assert installing.codex_hash("Stop", {}, {"type": "command", "command": 'é "q" \\ /'}) == HASHES[2]


@pytest.mark.parametrize("text", ['hooks = { state = {} }\n', "[[[broken", 'hooks = "x"\n'])
def test_where_the_trust_cannot_be_written_the_user_is_told(home: Path, text: str) -> None:
    put(home, ".codex/config.toml", text)
    outcome = made(home).install("codex")
    assert outcome.outcome == "installed" and "say yes (/hooks)" in " ".join(outcome.notes)
    assert (home / ".codex/config.toml").read_text("utf-8") == text


def test_codex_settings_that_were_edited_lose_only_our_trust(home: Path) -> None:
    config = put(home, ".codex/config.toml", 'model = "x"\n')
    made(home).install("codex")
    text = config.read_text("utf-8").replace('session_end:0:0"]\n', 'session_end:0:0"]\nenabled = true\n')
    config.write_text(text.replace('model = "x"', 'model = "y"') + '\n[tui]\na = 1\n', "utf-8")
    made(home).uninstall("codex")
    assert tomllib.loads(config.read_text("utf-8")) == {"model": "y", "tui": {"a": 1}}


def test_kimi_gets_a_plug_in_beside_others(home: Path) -> None:
    other = {"id": "other", "root": "/x", "source": "local-path", "enabled": False}
    put(home, FILES["kimi-code"], json.dumps({"version": 1, "plugins": [other]}, indent=2))
    before = state(home)
    made(home).install("kimi-code")
    listed = json.loads((home / FILES["kimi-code"]).read_bytes())
    assert listed["plugins"][0] == other and listed["plugins"][1]["id"] == "reverie" and listed["version"] == 1
    manifest = json.loads((Path(listed["plugins"][1]["root"]) / "kimi.plugin.json").read_bytes())
    assert {entry["event"] for entry in manifest["hooks"]} == set(hooks.CLIENTS["kimi-code"].events)
    assert all(set(entry) <= {"event", "matcher", "command", "timeout"} and 1 <= entry["timeout"] <= 600 for entry in manifest["hooks"])
    later = made(home)
    later.now = datetime(2027, 1, 1, tzinfo=UTC)        # the day of the installation does not make another one
    assert later.install("kimi-code").outcome == "unchanged"
    later.uninstall("kimi-code")
    assert state(home) == before


def test_a_projects_settings_are_its_own(home: Path, tmp_path: Path) -> None:
    put(home, FILES["claude-code"], "{}")
    before = state(home)
    for host, name in (("claude-code", ".claude/settings.local.json"), ("codex", ".codex/hooks.json"),
                       ("qwen-code", ".qwen/settings.json"), ("opencode", ".opencode/plugins/reverie.js")):
        assert made(home, project=str(tmp_path)).install(host).outcome == "installed"
        assert (tmp_path / name).exists()
    assert state(home) == before
    assert made(home).uninstall("claude-code").outcome == "not_installed"
    assert made(home, project=str(tmp_path)).install("kimi-code").outcome == "failed"
    for host in ("claude-code", "codex", "qwen-code", "opencode"):
        assert made(home, project=str(tmp_path)).uninstall(host).outcome == "uninstalled"
    assert state(tmp_path) == {}


@pytest.mark.parametrize(("said", "outcome", "words"), [
    ("2.1.332 (Claude Code)", "installed", ""), ("2.4.0", "installed", "was not tried"), ("v3.0.1", "failed", "another product line"),
    ("nonsense", "installed", ""),
])
def test_a_version_that_was_not_tried_is_told(home: Path, tmp_path: Path, said: str, outcome: str, words: str) -> None:
    program = put(tmp_path, "bin/claude", f"#!/bin/sh\necho '{said}'\n")
    program.chmod(0o755)
    found = made(home, path=str(program.parent)).install("claude-code")
    assert found.outcome == outcome and words in " ".join(found.notes)
    assert (home / FILES["claude-code"]).exists() is (outcome == "installed")
    if outcome == "failed":
        assert made(home, path=str(program.parent)).install("claude-code", force=True).outcome == "installed"


def test_the_command_never_ends_with_an_error(home: Path) -> None:
    """A Python that does not find its script ends with 2, which stops the user's prompt in four clients."""
    command = made(home).command("claude-code").replace("hook.py", "gone.py")
    assert os.waitstatus_to_exitcode(os.system(f"{command} 2>/dev/null")) == 0
    windows = made(home, windows=True).command("codex")
    assert "-m reverie.hook codex" in windows and "||" not in windows and installing.is_our_handler({"command": windows})
