"""The messages of the protocol: JSON-RPC 2.0, a line each. Nothing here touches a stream.

Two eras are spoken. Up to 2025-11-25 a client shakes hands (``initialize``); since 2026-07-28 each request names its version in
``_meta`` and a client may ask first (``server/discover``). A version that we do not know is answered with our newest.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

HANDSHAKE: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN: Final = ("2026-07-28",)
VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
CLIENT_KEY: Final = "io.modelcontextprotocol/clientInfo"
SERVER_KEY: Final = "io.modelcontextprotocol/serverInfo"

PARSE_ERROR, INVALID_REQUEST, NOT_FOUND, INVALID_PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603
NO_RESOURCE, UNSUPPORTED_VERSION = -32002, -32022
TOO_LATE = -32001               # ours (-32000 to -32019 are free for servers): the deadline has passed

MOST_IN_BATCH = 100
_CACHED = frozenset((
    "tools/list", "resources/list", "resources/templates/list", "resources/read", "prompts/list", "server/discover",
))

Id = str | int


class Failed(Exception):
    """A request that is answered with an error."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Something asked. ``version``: of the modern era, "" for a client that shook hands."""

    id: Id
    method: str
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def meta(self) -> Mapping[str, Any]:
        found = self.params.get("_meta")
        return found if isinstance(found, dict) else {}

    @property
    def version(self) -> str:
        found = self.meta.get(VERSION_KEY)
        return found if isinstance(found, str) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Something told, that is not answered."""

    method: str
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The client's answer to a question of ours."""

    id: Any
    result: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrong:
    """What is no message; ``answer`` is sent for it, None where it cannot have been a question."""

    answer: dict[str, Any] | None


Message = Request | Notice | Reply | Wrong


def parsed(line: bytes) -> Message | list[Message] | None:
    """One line as a message, or a batch of them; None for an empty one."""
    if not line.strip():
        return None
    try:
        value = json.loads(line.decode("utf-8").removeprefix("\ufeff"))
    except (ValueError, RecursionError, MemoryError):
        return Wrong(answer=error(None, Failed(PARSE_ERROR, "this line is no JSON")))
    if not isinstance(value, list):
        return _message(value)
    if not value or len(value) > MOST_IN_BATCH:
        return Wrong(answer=error(None, Failed(INVALID_REQUEST, f"a batch holds 1 to {MOST_IN_BATCH} messages")))
    return [_message(each) for each in value]


def _message(value: Any) -> Message:
    if not isinstance(value, dict):
        return Wrong(answer=error(None, Failed(INVALID_REQUEST, "a message is an object")))
    id, method, params = value.get("id"), value.get("method"), value.get("params")
    is_id = isinstance(id, str | int) and not isinstance(id, bool)
    if not isinstance(method, str):
        if "result" in value or "error" in value:
            return Reply(id=id, result=value.get("result"))
        return Wrong(answer=error(id if is_id else None, Failed(INVALID_REQUEST, "a request names a method")))
    if "id" not in value:
        return Notice(method=method, params=params if isinstance(params, dict) else {})
    if not is_id:
        return Wrong(answer=error(None, Failed(INVALID_REQUEST, "an id is a text or a whole number")))
    assert isinstance(id, str | int)
    if params is not None and not isinstance(params, dict):
        return Wrong(answer=error(id, Failed(INVALID_PARAMS, "params must be an object")))
    return Request(id=id, method=method, params=params or {})


def result(request: Request, value: Mapping[str, Any], *, server: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to a request, in the form of its era."""
    whole = dict(value)
    if request.version:
        whole = {"resultType": "complete", **whole, "_meta": {SERVER_KEY: dict(server)}}
        if request.method in _CACHED:
            whole |= {"ttlMs": 0, "cacheScope": "private"}
    return {"jsonrpc": "2.0", "id": request.id, "result": whole}


def error(id: Id | None, failed: Failed) -> dict[str, Any]:
    """The answer that says what was wrong."""
    said: dict[str, Any] = {"code": failed.code, "message": failed.message}
    if failed.data is not None:
        said["data"] = failed.data
    return {"jsonrpc": "2.0", "id": id, "error": said}


def checked_version(request: Request) -> None:
    """Raises ``Failed`` for a request in a version of the modern era that we do not speak."""
    if request.version and request.version not in MODERN and request.version not in HANDSHAKE:
        raise Failed(UNSUPPORTED_VERSION, f"protocol version {request.version[:40]!r} is not spoken here",
                     {"supported": [*MODERN, *HANDSHAKE], "requested": request.version[:40]})


def negotiated(wanted: Any) -> str:
    """The version of a handshake: the client's, if we speak it, else our newest."""
    return wanted if isinstance(wanted, str) and wanted in HANDSHAKE else HANDSHAKE[-1]


def line(message: Any) -> bytes:
    """A message as it is sent: ASCII, so that no character of a memory can break a line or an encoding."""
    return json.dumps(message, ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n"
