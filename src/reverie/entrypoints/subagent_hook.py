"""The answer to Claude Code's hook ``SubagentStart`` (spec/claude-code §12): the memory of the agent that is being started.

What is answered opens the agent's conversation. Any payload at all is taken; whatever is wrong with it, or with the memory,
the agent starts without (DESIGN §4.2), and the failure is noted in the home.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from reverie import errors
from reverie.core import agents
from reverie.hosts import claude_delegation

if TYPE_CHECKING:
    from reverie.memory import Memory

EVENT = "SubagentStart"
MOST_CHARACTERS = 9_500             # the client cuts at 10,000, and puts words of its own before it (§12.3)
_LONGEST_ID = 200


def answer(memory: Memory, payload: object) -> dict[str, Any] | None:
    """What to print for the client, None when there is nothing to say.

    An agent that declares a memory, or has one here, gets its own; one that shares, what is shared with the rules that hold
    for it; every other one, the built-in ones with them, nothing. Which rules hold is told by what it was handed, as the
    session's transcript has it.
    """
    if not isinstance(payload, Mapping) or payload.get("hook_event_name", EVENT) != EVENT:
        return None
    name, run = _text(payload, "agent_type"), _text(payload, "agent_id")
    if not agents.is_name(name):
        return None
    prompt = claude_delegation.handed(_text(payload, "transcript_path"), name)
    try:
        block = memory.subagent_block(name, run=_run(payload, run), prompt=prompt, characters=MOST_CHARACTERS)
    except (errors.ReverieError, OSError) as error:
        memory.space.home.note(f"the sub-agent {name!r} was started without memory: {error}")
        return None
    if not block:
        return None
    return {"hookSpecificOutput": {"hookEventName": EVENT, "additionalContext": block}}


def _text(payload: Mapping[Any, Any], key: str) -> str:
    value = payload.get(key)
    return value if isinstance(value, str) else ""


def _run(payload: Mapping[Any, Any], agent_id: str) -> str:
    """What this run is frozen under: ids of agents are unique within their session only."""
    session = _text(payload, "session_id")
    usable = agent_id.isprintable() and 0 < len(agent_id) <= _LONGEST_ID and session.isprintable() and len(session) <= _LONGEST_ID
    return f"{session}/{agent_id}" if usable else ""
