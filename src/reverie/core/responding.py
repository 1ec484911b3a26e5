"""Extracting after each response (study, Qwen Code §5): why it is not done now, and whether the agent wrote memory itself."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence

from reverie.core import calls
from reverie.core import place as places
from reverie.core.session import Message, Voice

MEMORY_TOOLS = frozenset({"save_memory", "memory"})     # tools that write memory whatever they are given


class Skip(enum.StrEnum):
    """Why nothing was extracted. The session's cursor stays: what it said is looked at the next time."""

    MEMORY_TOOL = "memory_tool"             # in this turn the agent itself wrote memory
    QUEUED = "queued"                       # an extraction is at work; it does this one, too, when it ends
    ALREADY_RUNNING = "already_running"     # one is at work, and this one cannot wait: nobody else could read it
    SUB_AGENT = "sub_agent"                 # the session is a sub-agent's: its "user" is another agent
    DISABLED = "disabled"                   # a setting says so


def wrote_memory(messages: Sequence[Message], roots: Iterable[str], *, cwd: str) -> bool:
    """Whether the agent wrote into one of these folders (absolute) since the person spoke last.

    Only this turn counts, and only what succeeded: a product that looks at the whole history, and at calls that were refused,
    extracts nothing for the rest of a session (spec/qwen-code §1).
    """
    roots = [places.tidy(root) for root in roots]
    for message in reversed(messages):
        if message.voice is Voice.PERSON:
            return False
        if message.voice is Voice.TOOL and not message.failed and _writes(message, roots, cwd):
            return True
    return False


def _writes(message: Message, roots: Sequence[str], cwd: str) -> bool:
    if message.tool in MEMORY_TOOLS:
        return True
    call = calls.understood(message.tool, message.call)
    if not call.writes:
        return False
    paths = (path if places.is_absolute(path) else f"{cwd}/{path}" for path in call.paths if "\0" not in path)
    return any(places.below(root, places.tidy(path)) for path in paths for root in roots)
