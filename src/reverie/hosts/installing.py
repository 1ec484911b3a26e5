"""What an installation writes into a client's settings, as values: nothing here touches the disk.

The conventional way of each: hooks in the settings of Claude Code and Qwen Code (spec/claude-code §12.1, spec/qwen-code §19.1);
``hooks.json`` and the trust in ``config.toml`` for Codex (spec/codex §19); a plug-in of ours for OpenCode (spec/opencode §6) and
for Kimi Code (spec/kimi-code §6).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath as Posix
from typing import Any, Final

from reverie.hosts import hooks

SCOPES: Final = ("user", "project")
# The program, the versions that the hooks were tried on (a beginning of the version), and the line that is another product's.
PROGRAMS: Final[Mapping[str, tuple[str, str, str]]] = {
    "claude-code": ("claude", "2.1.", "2."),
    "codex": ("codex", "0.171.", "0."),
    "qwen-code": ("qwen", "0.24.", "0."),
    "opencode": ("opencode", "1.18.", "1."),
    "kimi-code": ("kimi", "2.1.", "2."),
}
# Seconds that the client is told to wait: a few times our own deadline (entrypoints.hook), for a machine that is busy.
_SECONDS = {hooks.START: 15, hooks.PROMPT: 10, "tool": 10, hooks.TURN_END: 10, hooks.SESSION_END: 3, hooks.BEFORE_COMPACTION: 30,
            hooks.AFTER_COMPACTION: 10, hooks.AGENT_START: 10}
_FOLDERS = {"claude-code": ".claude", "codex": ".codex", "qwen-code": ".qwen", "kimi-code": ".kimi-code"}
_OURS = re.compile(r"reverie[\\/]hook\.py|-m reverie\.hook\b")
SERVER: Final = "reverie"               # what our MCP server is called in a client's settings
_SERVER_MODULE = "reverie.entrypoints.mcp"
_CODEX_EVENT = re.compile(r"(?<!^)(?=[A-Z])")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListItem:
    """A value that is put at the end of a list in a JSON file."""

    file: str
    path: tuple[str, ...]
    value: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A member that a JSON file must have, put there only where it is missing."""

    file: str
    path: tuple[str, ...]
    key: str
    value: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """Codex runs no hook that its user has not trusted: the hash of each of ours, in ``config.toml``. ``hooks``: the file with
    the hooks, whose places there are part of the keys."""

    file: str
    hooks: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnFile:
    """A file that is wholly ours."""

    file: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """Our MCP server: a member of an object in a JSON file, or a table of a TOML file. ``value`` None: it is not to be there."""

    file: str
    path: tuple[str, ...]
    value: Mapping[str, Any] | None

    @property
    def is_toml(self) -> bool:
        return self.file.endswith(".toml")


Piece = ListItem | Member | Trust | OwnFile | Server


def folder_of(host: str, *, environment: Mapping[str, str], user_home: str, project: str = "") -> str:
    """A client's folder, the user's or a project's."""
    if project:
        return str(Posix(project) / (".opencode" if host == "opencode" else _FOLDERS[host]))
    own = {"claude-code": "CLAUDE_CONFIG_DIR", "codex": "CODEX_HOME", "qwen-code": "QWEN_HOME", "kimi-code": "KIMI_CODE_HOME",
           "opencode": "OPENCODE_CONFIG_DIR"}[host]
    if environment.get(own):
        return environment[own].replace("~", user_home, 1) if environment[own].startswith("~/") else environment[own]
    if host == "opencode":
        return str(Posix(environment.get("XDG_CONFIG_HOME") or f"{user_home}/.config") / "opencode")
    return str(Posix(user_home) / _FOLDERS[host])


def pieces(host: str, folder: str, *, scope: str, command: str, arguments: list[str], now: str, plugin: str) -> tuple[Piece, ...]:
    """What is put where. ``command``: the hook as a line for a shell, ``arguments`` the same as a list; ``plugin``: the text of
    OpenCode's."""
    top = Posix(folder)
    if host == "claude-code":       # a project's settings are shared by its people, the path of an interpreter is one machine's
        file = str(top / ("settings.json" if scope == "user" else "settings.local.json"))
        return tuple(_groups(host, file, command))
    if host == "qwen-code":
        return tuple(_groups(host, str(top / "settings.json"), command, name="reverie"))
    if host == "codex":
        file = str(top / "hooks.json")
        return (*_groups(host, file, command), *([Trust(file=str(top / "config.toml"), hooks=file)] if scope == "user" else []))
    if host == "opencode":
        return (OwnFile(file=str(top / "plugins" / "reverie.js"), text=plugin.replace("__COMMAND__", json.dumps(arguments))),)
    root = top / "plugins" / "managed" / "reverie"
    listed = str(top / "plugins" / "installed.json")
    entry = {"id": "reverie", "root": str(root), "source": "local-path", "enabled": True, "installedAt": now,
             "originalSource": str(root)}
    return (
        OwnFile(file=str(root / "kimi.plugin.json"), text=_kimi_manifest(command)),
        Member(file=listed, path=(), key="version", value=1), ListItem(file=listed, path=("plugins",), value=entry),
    )


def server(
    host: str, folder: str, *, scope: str, arguments: list[str] | None, moved: bool = False, has_jsonc: bool = False
) -> Server:
    """Where a client has its MCP servers, and what ours is there. ``arguments`` None: it is not to be there. Where tools are
    looked up later unless one says otherwise, ours are shown at once: they are few and short, and of no use unseen.

    ``moved``: a variable names Claude Code's folder, which then holds this file, too. ``has_jsonc``: OpenCode's settings lie in
    a file of that ending (spec/claude-code §13.1, codex §20, qwen-code §20, opencode §8, kimi-code §7).
    """
    top = Posix(folder)
    is_users = scope == "user"
    # what a team shares cannot name one machine's interpreter
    run = None if arguments is None else arguments if is_users else ["reverie", "mcp"]
    entry: dict[str, Any] | None = None if run is None else {"command": run[0], "args": run[1:]}
    if host == "claude-code":
        own = (top if moved else top.parent) / ".claude.json"
        value = None if entry is None else {"type": "stdio", **entry, "alwaysLoad": True}
        return Server(file=str(own if is_users else top.parent / ".mcp.json"), path=("mcpServers",), value=value)
    if host == "qwen-code":
        value = None if entry is None else {**entry, "alwaysLoadTools": True}
        return Server(file=str(top / "settings.json"), path=("mcpServers",), value=value)
    if host == "opencode":
        name = "opencode.jsonc" if has_jsonc else "opencode.json"
        value = None if run is None else {"type": "local", "command": run, "enabled": True}
        return Server(file=str((top if is_users else top.parent) / name), path=("mcp",), value=value)
    if host == "codex":
        return Server(file=str(top / "config.toml"), path=("mcp_servers",), value=entry)
    return Server(file=str(top / "mcp.json"), path=("mcpServers",), value=entry)


def is_our_server(value: Any) -> bool:
    """Whether an MCP server in a client's settings is ours, whichever Python it names."""
    if not isinstance(value, Mapping):
        return False
    command, more = value.get("command"), value.get("args")
    words = [*(command if isinstance(command, list) else [command]), *(more if isinstance(more, list) else [])]
    return _SERVER_MODULE in words or words[:2] == ["reverie", "mcp"]


def server_table(value: Mapping[str, Any]) -> str:
    """Our server as a table of TOML, whose texts and lists JSON's are, too."""
    lines = [f"{key} = {json.dumps(each, ensure_ascii=False)}" for key, each in value.items()]
    return "\n".join([f"[mcp_servers.{SERVER}]", *lines]) + "\n"


def _groups(host: str, file: str, command: str, *, name: str = "") -> list[ListItem]:
    found = []
    for event, kind in hooks.CLIENTS[host].events.items():
        handler: dict[str, Any] = {"type": "command", "command": command} | ({"name": name} if name else {})
        group: dict[str, Any] = {"matcher": "|".join(hooks.CLIENTS[host].tools)} if kind == "tool" else {}
        group["hooks"] = [{**handler, "timeout": _SECONDS[kind]}]
        if host == "qwen-code" and kind == hooks.AGENT_START:
            continue                # what a sub-agent has handed over is Claude Code's transcript to tell
        found.append(ListItem(file=file, path=("hooks", event), value=group))
    return found


def _kimi_manifest(command: str) -> str:
    """A hook table takes just these four keys (spec/kimi-code §5)."""
    entries = [
        {"event": event, **({"matcher": "|".join(hooks.CLIENTS["kimi-code"].tools)} if kind == "tool" else {}),
         "command": command, "timeout": _SECONDS[kind]}
        for event, kind in hooks.CLIENTS["kimi-code"].events.items()
    ]
    manifest = {"name": "reverie", "version": "1.0.0", "description": "Memory across sessions and agents", "hooks": entries}
    return json.dumps(manifest, ensure_ascii=False, indent=2) + "\n"


def is_our_handler(value: Any) -> bool:
    """Whether this is a hook of ours, whichever Python it names."""
    return isinstance(value, dict) and isinstance(value.get("command"), str) and bool(_OURS.search(value["command"]))


def is_ours(value: Any) -> bool:
    """Whether a group of hooks, or an installed plug-in, is wholly ours."""
    if not isinstance(value, dict):
        return False
    inner = value.get("hooks")
    if isinstance(inner, list):
        return bool(inner) and all(map(is_our_handler, inner))
    return value.get("id") == "reverie" and "root" in value


# ---- Codex's trust


def codex_key(source: str, event: str, group: int, handler: int) -> str:
    """Under which name a hook's trust stands."""
    return f"{source}:{_snake(event)}:{group}:{handler}"


def codex_hash(event: str, group: Mapping[str, Any], handler: Mapping[str, Any]) -> str:
    """What is trusted: the event, the matcher and the handler as the client completes it (seen in 0.171)."""
    whole = {"type": "command", "command": handler["command"], "timeout": handler.get("timeout", 600), "async": False}
    identity: dict[str, Any] = {"event_name": _snake(event), "hooks": [whole]}
    if group.get("matcher"):
        identity["matcher"] = group["matcher"]
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def codex_trust(source: str, settings: Any) -> dict[str, str]:
    """The key and hash of each hook of ours in a ``hooks.json``."""
    found: dict[str, str] = {}
    events = settings.get("hooks") if isinstance(settings, dict) else None
    for event, groups in (events.items() if isinstance(events, dict) else ()):
        for number, group in enumerate(groups if isinstance(groups, list) else ()):
            handlers = group.get("hooks") if isinstance(group, dict) else None
            for index, handler in enumerate(handlers if isinstance(handlers, list) else ()):
                if is_our_handler(handler):
                    found[codex_key(source, event, number, index)] = codex_hash(event, group, handler)
    return found


def _snake(event: str) -> str:
    return _CODEX_EVENT.sub("_", event).lower()


def toml_tables(trust: Mapping[str, str]) -> str:
    """The tables that say so; their keys are texts in the way of TOML, which JSON's are, too."""
    return "".join(f"[hooks.state.{json.dumps(key, ensure_ascii=False)}]\ntrusted_hash = {json.dumps(value)}\n\n"
                   for key, value in trust.items()).rstrip("\n") + "\n"
