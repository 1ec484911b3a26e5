"""What stands inside Codex's items: whose words a ``user`` item holds, what a tool printed, and which two items are one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from datetime import datetime
from hashlib import blake2b

from reverie.core import citations
from reverie.hosts import disk, words

# Item types that call a tool, with the tool's name where the item has none; and those that hold what it printed.
CALLS = {"function_call": "", "custom_tool_call": "", "local_shell_call": "shell"}
OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output", "local_shell_call_output"})
KINDS = frozenset({"message", "reasoning", *CALLS, *OUTPUTS})

# Elements that are never a person's where they are a whole part (spec/codex §6.1 and the client's own list of fragments).
_ENVELOPES = {
    "environment_context": "injected_context",
    "user_instructions": "injected_context",
    "instructions": "injected_context",
    "skill": "injected_context",
    "hook_prompt": "hook_context",
    "turn_aborted": "interruption",
    "user_shell_command": "local_command",
    "subagent_notification": "agent_message",
    "codex_delegation": "agent_message",
    "codex_internal_context": "injected_context",
    "goal_context": "injected_context",
    "app-context": "injected_context",
    "apps_instructions": "injected_context",
    "skills_instructions": "injected_context",
    "plugins_instructions": "injected_context",
    "recommended_plugins": "injected_context",
    "collaboration_mode": "injected_context",
    "personality_spec": "injected_context",
    "model_switch": "injected_context",
    "realtime_conversation": "injected_context",
    "permissions": "injected_context",
    "memory_tool_instructions": "injected_context",
    "image": "not_text",
    "task-notification": "agent_message",
}
_OPENING = re.compile(r"<([A-Za-z_-]{1,40})[\s>]")
_AGENTS = "# agents.md instructions"
_IDE = re.compile(r"\A\s*# Context from my IDE setup:", re.IGNORECASE)
_IDE_REQUEST = re.compile(r"^## My request for Codex:[ \t]*\n?", re.IGNORECASE | re.MULTILINE)

_OUTPUT_HEADS = ("Chunk ID:", "Exit code:", "Script ", "Wall time", "Process ", "Original token count:")
_EXIT = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d{1,10})\b", re.MULTILINE)
_HEAD_CHARACTERS = 400
_THREAD = re.compile(r"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?:\.jsonl|\.jsonl\.zst)?\Z")


# Records that come in twos: an item, and the event that says the same.
PROMPT, PROMPT_EVENT, ANSWER, ANSWER_EVENT = "p", "P", "a", "A"
PROMPTS = (PROMPT, PROMPT_EVENT)


class Twins:
    """Records whose twin has not come yet.

    An item and the event that repeats it come next to each other, in either order, and say the same; the event may have lost a
    citation or white space at the edges. What has no twin, as in releases that wrote only one of the two, stays alone.
    """

    _KEPT = 8

    def __init__(self, state: object = None) -> None:
        entries = [entry for entry in state if isinstance(entry, str)] if isinstance(state, list) else []
        self._waiting = [(entry[:1], "", entry[1:]) for entry in entries[-self._KEPT:]]     # kind, text, or else its key

    def meet(self, kind: str, text: str) -> bool:
        """Whether this is the twin of a record that was there before; otherwise it waits for its own."""
        twin = kind.swapcase()
        for index, (other, said, key) in enumerate(self._waiting):
            if other == twin and (_same(said, text) if said else key == _key(text)):
                del self._waiting[index]
                return True
        if len(self._waiting) == self._KEPT:
            del self._waiting[0]
        self._waiting.append((kind, text, ""))
        return False

    def reset(self) -> None:
        """A turn or a call begins: answers that still wait were alone. Prompts wait on, a turn's first lines come between."""
        if self._waiting:
            self._waiting = [entry for entry in self._waiting if entry[0] in PROMPTS]

    def state(self) -> list[str]:
        """For the next reading."""
        return [f"{kind}{key or _key(said)}" for kind, said, key in self._waiting]


def _same(one: str, other: str) -> bool:
    """Whether two texts say the same. The parts of a prompt are joined differently in its two records."""
    return one == other or (one[:1] == other[:1] and one.split() == other.split())


def _key(text: str) -> str:
    return blake2b(" ".join(text.split()).encode("utf-8", "replace"), digest_size=6).hexdigest()


def typed(texts: Sequence[str], kinds: Sequence[str] | None, skip: Callable[[str], None]) -> str:
    """What a person typed of a ``user`` item's parts; "" when it is all the client's."""
    if kinds is not None and len(kinds) == len(texts):
        parts = []
        for text, kind in zip(texts, kinds, strict=True):
            if kind == "user.text" or (kind == "unknown" and not _envelope(text)):
                parts.append(text)
            elif not kind.startswith("user."):
                skip("hook_context" if kind.startswith("hooks.") else "injected_context")
        texts = parts
    said = []
    for text in texts:
        kind = _envelope(text)
        if kind:
            skip(kind)
        elif text.strip():
            said.append(_without_ide(text).strip())
    return words.clean("\n".join(said)).strip()


def _envelope(text: str) -> str:
    """The skip name of a part that is wholly an envelope, else "". A text that merely contains one was typed."""
    text = text.strip()
    if text[:len(_AGENTS)].lower() == _AGENTS:
        return "injected_context" if text[-32:].lower().endswith(("</instructions>", "</environment_context>")) else ""
    if text in ("<image>", "</image>") or (text.startswith("<image name=") and text.endswith(">")):
        return "not_text"
    opening = _OPENING.match(text)
    name = opening[1].lower() if opening else ""
    kind = _ENVELOPES.get(name) or words.injected(name) if name else None
    if not kind:
        return ""
    if name == "permissions":
        return kind if text.endswith("</permissions instructions>") else ""
    return kind if text[-len(name) - 3:].lower() == f"</{name}>" else ""


def _without_ide(text: str) -> str:
    """The request alone, without the open files that an editor puts before it."""
    if _IDE.match(text) and (request := _IDE_REQUEST.search(text)):
        return text[request.end():]
    return text


def answer(text: str) -> tuple[str, tuple[str, ...]]:
    """An assistant's words as the client shows them, and the sessions whose memories they say were used (§13)."""
    shown, cited = citations.split(text)
    return words.clean(shown).strip(), cited.sessions


def printed(text: str) -> tuple[str, bool]:
    """What a tool printed, without the client's heading, and whether it failed. Every release has its own shape."""
    if text[:1] == "{" and text.startswith('{"output":'):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict) and isinstance(value.get("output"), str):
            about = value.get("metadata")
            return value["output"], isinstance(about, dict) and about.get("exit_code") not in (0, None)
    if text.startswith(_OUTPUT_HEADS):
        end = text.find("Output:\n", 0, _HEAD_CHARACTERS)
        if end >= 0:
            code = _EXIT.search(text, 0, end)
            failed = text.startswith(("Script failed", "Script error")) or (code is not None and code[1] != "0")
            return text[end + len("Output:\n"):].removeprefix("\n"), failed
    return text, False


def thread_in(file: str) -> str:
    """The thread's id in a rollout's name, or ""."""
    found = _THREAD.search(file)
    return found[1] if found else ""


def thread_time(id: str) -> datetime | None:
    """When a thread or turn began, by its id (UUID version 7); None for another kind of id."""
    if len(id) != 36 or id[14] != "7":
        return None
    try:
        return disk.at_millis(int(id[:8] + id[9:13], 16))
    except ValueError:
        return None
