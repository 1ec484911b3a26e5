"""What each client hands to a hook, and in which form it takes an answer. Pure, and cheap: a hook is a process per prompt.

Payloads as recorded: spec/claude-code §12, spec/codex §19, spec/qwen-code §19, spec/kimi-code §5; OpenCode has no command
hooks, its plug-in of ours (``opencode_plugin.js``) speaks like the others. Whatever is wrong with a payload, it is no event.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Form = Callable[[str, str], str]

# What happened, in one word for all clients.
START, PROMPT, READ, WROTE = "start", "prompt", "read", "wrote"
TURN_END, SESSION_END = "turn_end", "session_end"
BEFORE_COMPACTION, AFTER_COMPACTION, AGENT_START = "before_compaction", "after_compaction", "agent_start"

LONGEST_ID = 200                # characters of a session's id; real ones have 26 to 44
LONGEST_PATH = 4_096
LONGEST_PROMPT = 200_000        # characters that are looked at: more is a pasted file


class Limit:
    """The most that a client takes as it is; what is longer it cuts in the middle, or puts into a file."""

    __slots__ = ("bytes", "characters")

    def __init__(self, characters: int, bytes: int = 0) -> None:
        self.characters = characters
        self.bytes = bytes


class Hooks:
    """One client: its events and tools in our words, which events take text and in which form, and how much of it."""

    __slots__ = ("events", "limit", "limits", "says", "tools")

    def __init__(
        self, *, events: Mapping[str, str], tools: Mapping[str, str], says: Mapping[str, Form], limit: Limit,
        limits: Mapping[str, Limit] | None = None,
    ) -> None:
        self.events = events
        self.tools = tools
        self.says = says
        self.limit = limit
        self.limits = limits or {}


def _context(event: str, text: str) -> str:
    import json

    return json.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}, ensure_ascii=False)


def _plain(event: str, text: str) -> str:
    return text


_CLAUDE_EVENTS = {
    "SessionStart": START, "UserPromptSubmit": PROMPT, "PostToolUse": "tool", "Stop": TURN_END, "SessionEnd": SESSION_END,
    "PreCompact": BEFORE_COMPACTION, "SubagentStart": AGENT_START,
}
_CLAUDE_TOOLS = {"Read": READ, "Write": WROTE, "Edit": WROTE, "MultiEdit": WROTE}

CLIENTS: dict[str, Hooks] = {
    # Stop takes no text: it would go on with the turn. PreCompact refuses JSON. A string is capped at 10,000 characters,
    # and the client puts words of its own before it (§12.3).
    "claude-code": Hooks(
        events=_CLAUDE_EVENTS, tools=_CLAUDE_TOOLS, limit=Limit(9_500),
        says={START: _context, PROMPT: _context, READ: _context, WROTE: _context, AGENT_START: _context,
              BEFORE_COMPACTION: _plain},
    ),
    # 2,500 tokens of four bytes; unknown fields make the whole answer void; PreCompact takes no text (§19).
    "codex": Hooks(
        events={"SessionStart": START, "UserPromptSubmit": PROMPT, "Stop": TURN_END, "SessionEnd": SESSION_END,
                "PreCompact": BEFORE_COMPACTION},
        tools={}, says={START: _context, PROMPT: _context}, limit=Limit(9_500, 9_500),
    ),
    # The first 4,000 characters of what PreCompact says are taken (§19.3).
    "qwen-code": Hooks(
        events={**_CLAUDE_EVENTS, "PostCompact": AFTER_COMPACTION},
        tools={"read_file": READ, "write_file": WROTE, "edit": WROTE},
        says={START: _context, PROMPT: _context, READ: _context, WROTE: _context, BEFORE_COMPACTION: _context},
        limit=Limit(20_000), limits={BEFORE_COMPACTION: Limit(3_900)},
    ),
    # Only a prompt's answer reaches the model, as plain text, and the user sees it, too (§5.1).
    "kimi-code": Hooks(
        events={"UserPromptSubmit": PROMPT, "PostToolUse": "tool", "Stop": TURN_END, "SessionEnd": SESSION_END,
                "PostCompact": AFTER_COMPACTION},
        tools={"Write": WROTE, "Edit": WROTE}, says={PROMPT: _plain}, limit=Limit(9_500),
    ),
    "opencode": Hooks(
        events={**_CLAUDE_EVENTS, "PostCompact": AFTER_COMPACTION},
        tools={"read": READ, "write": WROTE, "edit": WROTE},
        says={START: _plain, PROMPT: _plain, READ: _plain, WROTE: _plain, BEFORE_COMPACTION: _plain}, limit=Limit(20_000),
    ),
}


class Event:
    """What happened in a client. ``name`` is the client's own word for it; texts that are missing or broken are ""."""

    __slots__ = ("cwd", "host", "kind", "name", "path", "payload", "prompt", "session", "source", "transcript")

    def __init__(self, host: str, kind: str, payload: Mapping[object, object]) -> None:
        self.host = host
        self.kind = kind
        self.payload = payload
        self.name = _text(payload, "hook_event_name", LONGEST_ID)
        self.session = _id(payload)
        self.cwd = _text(payload, "cwd", LONGEST_PATH)
        self.transcript = _text(payload, "transcript_path", LONGEST_PATH)
        self.source = _text(payload, "source", LONGEST_ID)
        self.prompt = _prompt(payload.get("prompt")) if kind == PROMPT else ""
        self.path = _path(payload, self.cwd) if kind in (READ, WROTE) else ""


def event(host: str, payload: object) -> Event | None:
    """The event in a payload, None when there is nothing to do: another tool, an empty prompt, a worker of the client's own."""
    client = CLIENTS[host]
    if not isinstance(payload, dict):
        return None
    name = payload.get("hook_event_name")
    kind = client.events.get(name, "") if isinstance(name, str) else ""
    if kind == "tool":
        tool = payload.get("tool_name")
        kind = client.tools.get(tool, "") if isinstance(tool, str) else ""
    if not kind or (host == "codex" and not payload.get("transcript_path")):    # §10: its hidden consolidator has no transcript
        return None
    found = Event(host, kind, payload)
    if (kind == PROMPT and not found.prompt.strip()) or (kind in (READ, WROTE) and not found.path):
        return None
    return found


def answer(found: Event, text: str) -> str:
    """What is printed for the client; "" where it takes nothing of the kind."""
    form = CLIENTS[found.host].says.get(found.kind)
    return form(found.name, text) if form is not None and text else ""


def limit(found: Event) -> Limit:
    """How long the answer may be."""
    client = CLIENTS[found.host]
    return client.limits.get(found.kind, client.limit)


def may_be_memory(path: str, own: str) -> bool:
    """Whether a file may be a memory, by its path alone: below our home, or in a folder with such a name as the products give."""
    return path.startswith(own.replace("\\", "/")) or any(word in path.casefold() for word in ("memor", "/.claude", "reverie"))


def in_memory_folder(found: Event, environment: Mapping[str, str], user_home: str, own: str) -> bool:
    """Whether the session works inside a memory: Codex's consolidator does (spec/codex §10), and ours never is a project."""
    from reverie.core import place as places

    cwd = places.tidy(found.cwd) if found.cwd else ""
    codex = places.tidy(environment.get("CODEX_HOME") or f"{user_home}/.codex")
    inside = places.below(codex, cwd) if found.host == "codex" else ""
    return bool(inside and inside.split("/")[0].startswith("memories")) or (bool(cwd) and (
        cwd == places.tidy(own) or bool(places.below(places.tidy(own), cwd))))


def _text(payload: Mapping[object, object], key: str, longest: int) -> str:
    value = payload.get(key)
    return value if isinstance(value, str) and len(value) <= longest and "\0" not in value else ""


def _id(payload: Mapping[object, object]) -> str:
    value = _text(payload, "session_id", LONGEST_ID)
    return value if value.isprintable() else ""


def _prompt(value: object) -> str:
    """A prompt: a text, or a list of parts (Kimi Code)."""
    if isinstance(value, list):
        value = "\n".join(part["text"] for part in value if isinstance(part, dict) and isinstance(part.get("text"), str))
    return value[:LONGEST_PROMPT] if isinstance(value, str) else ""


def _path(payload: Mapping[object, object], cwd: str) -> str:
    """The file that a tool has read or written, absolute; "" when the tool failed."""
    given, response = payload.get("tool_input"), payload.get("tool_response")
    if not isinstance(given, dict) or (
        isinstance(response, dict) and (response.get("is_error") is True or response.get("success") is False)
    ):
        return ""
    from reverie.core import place as places

    names = ("file_path", "absolute_path", "filePath", "path")
    path = next((text for name in names if (text := _text(given, name, LONGEST_PATH))), "")
    if path and not places.is_absolute(path):
        path = f"{cwd}/{path}" if places.is_absolute(cwd) else ""
    return places.tidy(path) if path else ""
