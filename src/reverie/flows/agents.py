"""What a sub-agent is given: its block when it is started, and recall for the prompt that it was handed.

It sees its own stores, what the agents of the project share if it takes part, and of its parent's memory only the rules
that fit what it was asked to do: not the whole index (spec/claude-code §17: #87613), and not nothing (#41356). No model, no
network, no process.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import replace

from reverie import texts
from reverie.axes.scoping import Mount
from reverie.core import agent_block, agents, defuse
from reverie.core import index as indexes
from reverie.core.agents import Agent
from reverie.core.edits import Edit
from reverie.core.events import Cause
from reverie.core.memory import Memory, Status
from reverie.core.place import Place
from reverie.core.recall import Candidate, Result
from reverie.flows import reading, unadopted
from reverie.flows.space import Space
from reverie.storage import files

SHARING = "agents-sharing"          # in the home: a file for each agent that the user let take part in what is shared
_SHARING_BYTES = 4 * 1024
MOST_RULES = 8              # of the parent's, in a block


def recall(space: Space, place: Place, agent: Agent, prompt: str, *, documents: int, characters: int) -> list[Result]:
    """What an agent needs for a prompt: its own and what is shared, best first, then the rules of the project and of the user
    that match, which have at most half the room while there is something else to show."""
    own = reading.recall_from(space, space.mounts(place, agent), prompt, documents=documents, characters=characters)
    found = rules(space, place, prompt, documents=documents, characters=characters)
    found = found[: documents - len(own)] if len(own) <= documents // 2 else found[: documents // 2]
    return [*own[: documents - len(found)], *found]


def rules(space: Space, place: Place, text: str, *, documents: int, characters: int) -> list[Result]:
    """The rules of the project and the user that match a text: of type ``feedback``, and nothing else."""
    if not text.strip():
        return []
    return reading.recall_from(space, space.mounts(place), text, documents=documents, characters=characters, kind="feedback")


def block(
    space: Space, place: Place, agent: Agent, *, run: str = "", prompt: str = "", tokens: int, characters: int | None = None
) -> str:
    """What an agent starts with: read anew at every spawn, and frozen for one run only, where ``run`` says which.

    ``prompt``: what it was handed, where that is known; else its description says what it is for. ``tokens``: the budget of its
    own index, and of what is shared; ``characters``: of the whole.
    """
    if not run:
        return _render(space, place, agent, prompt, tokens, characters)
    name = f"{space.design.name} {agent.scope}"
    frozen = space.home.records.frozen(run, name)
    if frozen is not None:
        return frozen
    text = _render(space, place, agent, prompt, tokens, characters)
    return text if space.home.readonly else space.home.records.freeze(run, name, text)


def _render(space: Space, place: Place, agent: Agent, prompt: str, tokens: int, characters: int | None) -> str:
    mounts = space.mounts(place, agent)
    stores = [(mount, _active(space, mount)) for mount in mounts if mount.agent]
    own = [_as_its_own(memory, agent) for _, memories in stores for memory in memories]
    shared = [memory for mount in mounts if mount.scope == agents.SHARED for memory in _active(space, mount)]
    told = "" if not shared else indexes.by_value(shared, tokens=tokens, now=space.now()).text
    said = agent_block.rule_lines(_rules(space, place, prompt or agent.description))
    if not agent.memory and not own:
        if not agent.shares:
            return ""
        return agent_block.rules_block(shared=told, rules=said, design=space.design.name, characters=characters)
    whole = "\n".join(_index(space, mount, memories) for mount, memories in stores if memories)
    return agent_block.agent_block(
        scope=agent.memory or "project", guidance=_guidance(agent), shared=told, rules=said, design=space.design.name,
        index=space.design.residency.agent_index(own, whole, tokens=tokens, now=space.now()), characters=characters,
    )


def _rules(space: Space, place: Place, text: str) -> Sequence[Candidate | Memory]:
    """The parent's rules for a block: those that match, and where nobody says what the agent is for, those worth most."""
    if text.strip():
        found = rules(space, place, text, documents=MOST_RULES, characters=agent_block.RULE_CHARACTERS)
        return [each.candidate for each in found]
    known = [
        replace(memory, id=f"{mount.label}/{memory.id}") for mount, memory in unadopted.memories(space, space.mounts(place))
        if memory.type == "feedback" and memory.status is Status.ACTIVE
    ]
    holding = [memory for memory in known if memory.valid_until is None or memory.valid_until >= space.now().date()]
    return sorted(holding, key=lambda memory: -indexes.value(memory, space.now()))[:MOST_RULES]


def _active(space: Space, mount: Mount) -> list[Memory]:
    """What counts in a store."""
    return [memory for _, memory in unadopted.memories(space, [mount]) if memory.status is Status.ACTIVE]


def _index(space: Space, mount: Mount, memories: Sequence[Memory]) -> str:
    """One store's index, within the caps of its layout."""
    return space.layout(mount).index(memories, space.store(mount).folder(), shows=space.shows(mount))


def _as_its_own(memory: Memory, agent: Agent) -> Memory:
    """A memory without the remark that this agent wrote it: it knows."""
    mine = memory.source.agent == agent.name
    return replace(memory, source=replace(memory.source, agent="")) if mine else memory


def _guidance(agent: Agent) -> str:
    name = defuse.line(shlex.quote(agent.name), 2 * agents.LONGEST_NAME)
    shared = f"- for the other agents of this project: `reverie remember --agent {name} --shared \"…\"`\n" if agent.shares else ""
    return texts.load("agents", agent=name, shared=shared)


# ── who takes part in what is shared ─────────────────────────────────────────────────────────────────────────────


def sharing(space: Space) -> frozenset[str]:
    """The agents that the user let in: a file for each, which says its name."""
    try:
        folders = os.listdir(space.home.path(SHARING))  # noqa: PTH208 - paths are strings in the home
    except OSError:
        return frozenset()
    return frozenset(name for folder in folders if (name := _let_in(space, folder)))


def shares(space: Space, name: str) -> bool:
    """Whether the user let this agent in."""
    return _let_in(space, agents.key(name)) == name


def _let_in(space: Space, key: str) -> str:
    data = files.read(space.home.path(SHARING, key), root=space.home.path(SHARING), limit=_SHARING_BYTES)
    name = "" if isinstance(data, files.Unread) else data.decode("utf-8", "replace").removesuffix("\n")
    return name if agents.is_name(name) and agents.key(name) == key else ""


def share(space: Space, name: str, *, on: bool) -> int:
    """Let an agent take part in what is shared, or no longer. Answers with the change's id, 0 when it was so already."""
    with space.home.lock("agents"):
        if shares(space, name) == on:
            return 0
        path = f"{SHARING}/{agents.key(name)}"
        data = files.read(space.home.path(path), limit=_SHARING_BYTES)
        before = None if isinstance(data, files.Unread) else data
        return space.home.journal.commit(
            [Edit(path=path, before=before, after=f"{name}\n".encode() if on else None, root=SHARING)],
            cause=Cause(operation="share" if on else "unshare", actor="user", why=f"the agent {name}"),
        )
