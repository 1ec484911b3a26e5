"""Sub-agents, wired: what a product defines, where that agent's memory lies, and whether it takes part in what is shared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reverie import errors
from reverie.core import agents as values
from reverie.core.agents import Agent, Definition, Grant
from reverie.core.place import Place
from reverie.flows import agents as flows
from reverie.flows.space import Space
from reverie.hosts import claude_agents, claude_folders


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One agent, for a person who asks which there are. ``directory``: its store of ours; ``native``: the product's folder,
    read beside it. ``kept_in``: the setting that lets it share, "" when `reverie agents share` did."""

    name: str
    definition: Definition | None
    grant: Grant | None
    memory: str
    directory: str
    native: str
    memories: int
    shared: bool
    kept_in: str
    problems: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """For ``--json``."""
        definition, grant = self.definition, self.grant
        return {
            "name": self.name, "description": definition.description if definition else "",
            "origin": definition.origin if definition else "", "defined_in": definition.path if definition else "",
            "memory": self.memory, "directory": self.directory, "native": self.native, "memories": self.memories,
            "tools": list(definition.tools) if definition and definition.tools is not None else None,
            "disallowed": list(definition.disallowed) if definition else [],
            "granted": list(grant.tools) if grant and grant.tools is not None else None,
            "added": list(grant.added) if grant else [], "files": grant.files if grant else "nothing",
            "shared": self.shared, "problems": list(self.problems),
        }


class Subagents:
    """The sub-agents of one place."""

    def __init__(self, space: Space, place: Place, environment: Mapping[str, str], by_setting: tuple[str, ...]) -> None:
        self._space, self._place, self._environment, self._by_setting = space, place, environment, by_setting
        self._defined: claude_agents.Defined | None = None
        self._folders: claude_folders.ClaudeFolders | None = None

    @property
    def defined(self) -> claude_agents.Defined:
        """What the product defines here."""
        if self._defined is None:
            self._defined = claude_agents.defined(self._place, environment=self._environment, user_home=self._space.user_home)
        return self._defined

    @property
    def folders(self) -> claude_folders.ClaudeFolders:
        if self._folders is None:
            self._folders = claude_folders.locate(self._place, environment=self._environment, user_home=self._space.user_home)
        return self._folders

    def agent(self, name: str, *, native: bool = True) -> Agent:
        """An agent as memory knows it, whether a product defines it or not. ``native``: with the product's folder beside it."""
        if not values.is_name(name):
            raise errors.WrongUse(f"{name!r} cannot be an agent's name")
        definition = self.defined[name]
        if definition is None:
            return Agent(name=name, shares=self.shares(name))
        folder = claude_agents.native(definition, self.folders, self._place) if native else None
        return Agent(name=name, memory=definition.memory, shares=self.shares(name), description=definition.description,
                     native=(folder,) if folder else ())

    def shares(self, name: str) -> bool:
        """Whether the user lets this agent take part in what is shared."""
        return name in self._by_setting or flows.shares(self._space, name)

    def share(self, name: str, *, on: bool) -> int:
        """Let an agent take part, or no longer. Answers with the change's id, 0 when it was so already."""
        if not values.is_name(name):
            raise errors.WrongUse(f"{name!r} cannot be an agent's name")
        if name in self._by_setting:
            if on:
                return 0
            raise errors.WrongUse(f"{name!r} stands in the setting agents.shared: take it out there")
        return flows.share(self._space, name, on=on)

    def rows(self) -> list[Row]:
        """All agents: those defined here, those with a memory, and those let in."""
        kept = {mount.agent for mount in self._space.every_mount() if mount.agent}
        names = {*self.defined.agents, *kept, *self._by_setting, *flows.sharing(self._space)}
        return [self._row(name) for name in sorted(names)]

    def _row(self, name: str) -> Row:
        agent = self.agent(name)
        definition = self.defined[name]
        grant = values.granted(definition, auto_memory=self.folders.enabled) if definition else None
        has_stores = self._space.design.scoping.agents is not None
        seen = self._space.mounts(self._place, agent) if has_stores else ()
        mounts = [mount for mount in seen if mount.agent and not mount.folder]
        directory = self._space.store(self._space.target(self._place, "", agent)).root if has_stores else ""
        return Row(
            name=name, definition=definition, grant=grant, memory=agent.memory,
            directory=directory, native=agent.native[0].path if agent.native else "",
            memories=sum(1 for _ in self._space.memories(mounts)), shared=agent.shares,
            kept_in="agents.shared" if name in self._by_setting else "",
            problems=_problems(definition, grant),
        )


def _problems(definition: Definition | None, grant: Grant | None) -> tuple[str, ...]:
    if definition is None:
        return ("not_defined",)
    crosses = ("project_asks_for_all",) if (definition.origin, definition.memory) == ("project", "user") else ()
    return (*definition.problems, *crosses, *(grant.notes if grant else ()))
