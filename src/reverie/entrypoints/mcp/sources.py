"""What a client can list and show beside the tools: the session's block and each memory as resources, two prompts for people.

As everywhere, what a memory says comes fenced and quoted (DESIGN §4.5), and none of another project's has an address here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote, unquote

from reverie import errors
from reverie.core import blocks, defuse
from reverie.entrypoints.mcp import tools
from reverie.entrypoints.mcp.protocol import INVALID_PARAMS, NO_RESOURCE, Failed, Request
from reverie.entrypoints.mcp.tools import Call

PAGE: Final = 100
SESSION: Final = "reverie://session"
MEMORY: Final = "reverie://memory/"
_MIME: Final = "text/markdown"
_QUERY = {"name": "query", "description": "The question or task", "required": True}
_FACT = {"name": "text", "description": "The fact to keep", "required": True}
TEMPLATES: Final = [{
    "uriTemplate": MEMORY + "{+id}", "name": "memory", "title": "One memory", "mimeType": _MIME,
    "description": "A memory of this project or user, with its source and age.",
}]


def resources(asked: Call, request: Request) -> dict[str, Any]:
    """The session's block first, then each memory; in pages."""
    found = asked.access.memories()
    start = _offset(request)
    listed = [_resource(each.memory.id, each.memory.name, each.memory.description) for each in found[start : start + PAGE]]
    if not start:
        listed.insert(0, {
            "uri": SESSION, "name": "session", "title": "What a session starts with", "mimeType": _MIME,
            "description": "The memories that count here, one line each, within a budget."})
    return {"resources": listed, **({"nextCursor": str(start + PAGE)} if start + PAGE < len(found) else {})}


def _resource(id: str, name: str, description: str) -> dict[str, Any]:
    return {"uri": MEMORY + quote(id, safe="/"), "name": defuse.line(name, blocks.NAME_CHARACTERS) or "memory", "mimeType": _MIME,
            "description": defuse.line(description, 160)}


def _offset(request: Request) -> int:
    cursor = request.params.get("cursor")
    if cursor is None:
        return 0
    if isinstance(cursor, str) and cursor.isascii() and cursor.isdigit() and len(cursor) < 10:
        return int(cursor)
    raise Failed(INVALID_PARAMS, "this cursor is none that was given here")


def resource(asked: Call, request: Request) -> dict[str, Any]:
    """The text behind an address."""
    uri = request.params.get("uri")
    if not isinstance(uri, str):
        raise Failed(INVALID_PARAMS, "uri is a text")
    if uri == SESSION:
        text = asked.memory.session_block()
    elif uri.startswith(MEMORY):
        text = _memory(asked, unquote(uri.removeprefix(MEMORY), errors="replace"), request)
    else:
        raise _missing(uri, request)
    return {"contents": [{"uri": uri, "mimeType": _MIME, "text": text}]}


def _memory(asked: Call, id: str, request: Request) -> str:
    try:
        found = asked.access.find(id)
    except (errors.NotFound, errors.Ambiguous):
        raise _missing(MEMORY + id, request) from None
    if found.memory.id.removesuffix(".md") != id.strip().removesuffix(".md"):        # an address is a whole one
        raise _missing(MEMORY + id, request)
    asked.memory.credit(found, host=asked.host, session=asked.session)
    return tools.document(asked.memory, found)


def _missing(uri: str, request: Request) -> Failed:
    code = INVALID_PARAMS if request.version else NO_RESOURCE      # the modern era has given the old code up
    return Failed(code, "there is no such resource here", {"uri": uri[:300].encode("utf-8", "replace").decode()})


def prompts(*, writes: bool) -> dict[str, Any]:
    """The prompts there are."""
    found = [{"name": "recall", "title": "Recall from memory", "description": "What memory has for a question or task.",
              "arguments": [_QUERY]}]
    if writes:
        found.append({"name": "remember", "title": "Remember", "description": "Have a fact kept for later sessions.",
                      "arguments": [_FACT]})
    return {"prompts": found}


def prompt(asked: Call, request: Request, *, writes: bool) -> dict[str, Any]:
    """One prompt, filled in."""
    name, given = request.params.get("name"), request.params.get("arguments")
    known: Mapping[str, str] = {"recall": "query"} | ({"remember": "text"} if writes else {})
    if not isinstance(name, str) or name not in known:
        raise Failed(INVALID_PARAMS, f"there is no prompt of this name; there are {', '.join(known)}")
    said = given.get(known[name]) if isinstance(given, dict) else None
    if not isinstance(said, str) or not said.strip():
        raise Failed(INVALID_PARAMS, f"the prompt {name} needs {known[name]!r}")
    said = said.encode("utf-8", "replace").decode().strip()[: tools.TEXT_CHARACTERS]
    if name == "recall":
        block, _ = tools.call("recall", {"query": said}, asked)
        text = f"{block}\n\n{said}"
    else:
        text = f"Keep this for later sessions, with the tool `remember` of the server reverie: {said}"
    return {"messages": [{"role": "user", "content": {"type": "text", "text": text}}]}
