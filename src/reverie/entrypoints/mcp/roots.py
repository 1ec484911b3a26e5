"""Where the client's user works, which client it is, and in which session: what it says of itself, taken with care."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from reverie.entrypoints.mcp.protocol import Reply

MOST_CHARACTERS: Final = 200        # of a name or an id that is written down
# What a client calls itself begins with, or holds, one of these words.
_HOSTS: Final = {"claude": "claude-code", "codex": "codex", "qwen": "qwen-code", "opencode": "opencode", "kimi": "kimi-code"}
_SESSION_VARIABLES: Final = {"claude-code": "CLAUDE_CODE_SESSION_ID", "qwen-code": "QWEN_CODE_SESSION_ID"}


class Roots:
    """The directory whose project is meant: the one we were started in, unless the client names roots and it is in none."""

    def __init__(self, send: Callable[[Any], None], *, cwd: str, fixed: bool = False) -> None:
        self._send, self._cwd, self._fixed = send, cwd, fixed
        self._given: list[str] = []
        self._has_roots = False
        self._asked = 0
        self._answered = threading.Event()
        self._answered.set()

    def offered(self, capabilities: Any) -> None:
        """What the client said it can do."""
        self._has_roots = isinstance(capabilities, dict) and isinstance(capabilities.get("roots"), dict)
        if self._has_roots and not self._fixed:
            self._answered.clear()      # a call that comes before the answer waits for it

    def ask(self) -> None:
        """Ask for the roots, if the client has them."""
        if not self._has_roots or self._fixed:
            return
        self._asked += 1
        self._answered.clear()
        self._send({"jsonrpc": "2.0", "id": f"roots-{self._asked}", "method": "roots/list"})

    def replied(self, reply: Reply) -> None:
        """The client's answer; one that says nothing usable leaves us where we are."""
        if reply.id != f"roots-{self._asked}":
            return
        listed = reply.result.get("roots") if isinstance(reply.result, dict) else None
        uris = [each.get("uri") for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
        self._given = [path for uri in uris if (path := path_of(uri))]
        self._answered.set()

    def cwd(self, seconds: float) -> str:
        """The directory; so long is waited for an answer that is still to come."""
        self._answered.wait(seconds)
        self._answered.set()            # one wait is enough for a client that never answers
        here = os.path.realpath(self._cwd)
        inside = any(here == root or here.startswith(root.rstrip(os.sep) + os.sep) for root in map(os.path.realpath, self._given))
        return self._cwd if inside or not self._given else self._given[0]


def path_of(uri: Any, *, windows: bool = os.name == "nt") -> str:
    """The directory of a ``file:`` address, "" for what is none."""
    if not isinstance(uri, str):
        return ""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return ""
    path = unquote(parts.path)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost") or "\0" in path:
        return ""
    if windows and len(path) > 2 and path[2] == ":":
        path = path[1:]
    return path if os.path.isabs(path) and os.path.isdir(path) else ""     # noqa: PTH112, PTH117


def host_of(client: Any) -> str:
    """Which agent a client is: its word among ours, or what it calls itself."""
    name = client.get("name") if isinstance(client, Mapping) else None
    if not isinstance(name, str):
        return ""
    folded = name.casefold()
    return next((host for word, host in _HOSTS.items() if word in folded), _plain(name))


def session_of(host: str, meta: Mapping[str, Any], environment: Mapping[str, str]) -> str:
    """The session's id, where a client tells it: Codex with each call (spec/codex §20), others in the environment."""
    for key in ("sessionId", "threadId"):
        if isinstance(meta.get(key), str):
            return _plain(meta[key])
    return _plain(environment.get(_SESSION_VARIABLES.get(host, ""), ""))


def _plain(text: str) -> str:
    return "".join(each for each in text if each.isprintable()).strip()[:MOST_CHARACTERS].encode("utf-8", "replace").decode()
