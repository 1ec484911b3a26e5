"""Whose a memory is, and in which folder it lies (study, axis 5).

A ``Mount`` is one store as a session in some place sees it. ``mounts`` lists all of them, the most specific first, which is
also the order of precedence; ``target`` says where a new memory of a scope goes. Labels are relative folders, and
the head of every memory's id. ``agents`` does the same for a sub-agent, whose stores no session sees but its own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Protocol

from reverie import errors
from reverie.core import agents, team
from reverie.core import place as places
from reverie.core.agents import Agent
from reverie.core.memory import Memory
from reverie.core.place import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Mount:
    """One store, seen from a place. ``project`` is the key of the project whose memories it holds, ``root`` what that project is
    (its main checkout, or its directory). A store that mixes projects (``mixed``) says it memory by memory, and the reader
    enforces it. ``agent``: the sub-agent whose store it is. ``folder``: where a store lies that is not in our home: a product's
    own, read and never written (``host`` is that product), or what a team shares, in the checkout."""

    label: str
    scope: str = "project"
    project: str = ""
    root: str = ""
    mixed: bool = False
    agent: str = ""
    folder: str = ""
    host: str = ""

    @property
    def foreign(self) -> bool:
        """Whether the store is somebody else's, only to be read."""
        return bool(self.folder) and self.scope != team.SCOPE

    def owned(self, memory: Memory) -> Memory:
        """The memory as this store will give it back: whose it is follows from the folder, or, where it mixes, is written
        beside it."""
        scope = memory.scope if self.mixed else self.scope
        return replace(memory, scope=scope, project="" if scope == "user" else self.project)


class Scoping(Protocol):
    """A way of telling projects and people apart. ``folders``: where its stores lie, as (pattern, scope, mixed). ``agents``:
    where sub-agents have theirs, None where a design has no place for them."""

    @property
    def says(self) -> str: ...

    @property
    def agents(self) -> AgentFolders | None: ...

    @property
    def team(self) -> str: ...

    @property
    def recalls_team(self) -> bool: ...

    @property
    def folders(self) -> tuple[tuple[str, str, bool], ...]: ...

    def mounts(self, place: Place) -> tuple[Mount, ...]:
        """The stores that a session in this place reads, the most specific first."""
        ...

    def target(self, place: Place, scope: str) -> Mount:
        """The store into which a new memory of this scope is written."""
        ...


def team_mount(folder: str, place: Place) -> Mount:
    """What the team shares in the checkout around a place: each checkout has its own branch, and so its own store."""
    checkout = places.project_key(places.make(place.root, folds_case=place.folds_case))
    return Mount(label=f"team/{checkout}", scope=team.SCOPE, project=places.project_key(place), root=places.identity(place),
                 folder=f"{place.root}/{folder}")


def _of_project(label: str, place: Place, *, mixed: bool = False) -> Mount:
    return Mount(label=label, project=places.project_key(place), root=places.identity(place), mixed=mixed)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentFolders:
    """Where sub-agents keep what is theirs (study, Claude Code §7; spec/claude-code §9.1).

    Each agent has up to three stores, by its ``memory``: "local" and "project" of this project, "user" of every project. It
    reads them in this order, the most specific first, then what a product keeps for it in folders of its own, and then, if it
    shares, what the agents of the project share. The project is the repository, as for everything else; in the product it is
    the working directory: ``by_directory``.
    """

    by_directory: bool = False
    folders: ClassVar = (
        ("agents/*/local/*", agents.PREFIX, False), ("agents/*/project/*", agents.PREFIX, False),
        ("agents/*/user", agents.PREFIX, False), ("agents-shared/*", agents.SHARED, False),
    )

    def mounts(self, place: Place, agent: Agent) -> tuple[Mount, ...]:
        """The stores that this agent reads, the most specific first. Nobody else's are among them."""
        own = tuple(self.target(place, agent, scope) for scope in ("local", "project", "user"))
        native = tuple(self._native(place, agent, each) for each in agent.native)
        return (*own, *native, *((self.target(place, agent, agents.SHARED),) if agent.shares else ()))

    def _native(self, place: Place, agent: Agent, native: agents.AgentFolder) -> Mount:
        label = f"native/{native.host}/{agents.key(agent.name)}/{native.scope}"
        if native.scope == "user":
            return Mount(label=label, scope=agent.scope, agent=agent.name, folder=native.path, host=native.host)
        key = places.project_key(places.make(place.real, folds_case=place.folds_case))
        return Mount(label=f"{label}/{key}", scope=agent.scope, project=places.project_key(place), root=places.identity(place),
                     agent=agent.name, folder=native.path, host=native.host)

    def target(self, place: Place, agent: Agent, scope: str = "") -> Mount:
        """The store into which a new memory of this agent is written: ``scope`` is "user", "project", "local", "agents", or ""
        for what it declares. An agent that declares nothing keeps what it learns to the project."""
        scope = scope or agent.memory or "project"
        if scope not in (*agents.MEMORY_SCOPES, agents.SHARED):
            known = ", ".join((*agents.MEMORY_SCOPES, agents.SHARED))
            raise errors.WrongUse(f"an agent has no scope {scope!r}; known are {known}")
        here = places.make(place.real, folds_case=place.folds_case) if self.by_directory else place
        project, root = places.project_key(here), places.identity(here)
        if scope == agents.SHARED:
            if not agent.shares:
                raise errors.WrongUse(
                    f"the agent {agent.name!r} takes no part in what agents share; `reverie agents share {agent.name}` lets it"
                )
            return Mount(label=f"agents-shared/{project}", scope=agents.SHARED, project=project, root=root)
        own = f"agents/{agents.key(agent.name)}/{scope}"
        if scope == "user":
            return Mount(label=own, scope=agent.scope, agent=agent.name)
        return Mount(label=f"{own}/{project}", scope=agent.scope, project=project, root=root, agent=agent.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class EncodedDirectory:
    """Claude Code: one folder for each encoded directory, and no other layer (study, Claude Code §1).

    Worktrees of one repository share the main checkout's folder; a session started in a subdirectory has a folder of its
    own. The product today keys the whole repository by its root (spec/claude-code §1.2): ``subdirectories`` = False.
    """

    subdirectories: bool = True
    says: str = "encoded working directory"
    agents: AgentFolders | None = AgentFolders()
    team: str = ""
    recalls_team: bool = True
    folders: ClassVar = (("projects/*/memory", "project", False),)

    def mounts(self, place: Place) -> tuple[Mount, ...]:
        root = place.main_root or place.real
        if self.subdirectories and place.subdirectory:
            root = f"{root.rstrip('/')}/{place.subdirectory}"
        return (_of_project(f"projects/{places.claude_key(root)}/memory", place),)

    def target(self, place: Place, scope: str) -> Mount:
        return self.mounts(place)[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class OneFolder:
    """Codex: one global folder; the labels inside say whose a memory is (study, Codex §8). Here the labels are enforced."""

    says: str = "one global folder, labels"
    agents: AgentFolders | None = None
    team: str = ""
    recalls_team: bool = True
    folders: ClassVar = (("memories", "project", True),)

    def mounts(self, place: Place) -> tuple[Mount, ...]:
        return (_of_project("memories", place, mixed=True),)

    def target(self, place: Place, scope: str) -> Mount:
        return self.mounts(place)[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class GitRoot:
    """Qwen Code: the user's folder, and one for each sanitised git root (study, Qwen Code §2).

    The study joins worktrees with the main checkout; the product today keeps them apart (spec/qwen-code §2.3):
    ``worktrees_apart``.
    """

    worktrees_apart: bool = False
    says: str = "git root"
    agents: AgentFolders | None = AgentFolders()
    team: str = ".qwen/team-memory"
    recalls_team: bool = True
    folders: ClassVar = (("projects/*/memory", "project", False), ("memories", "user", False))

    def mounts(self, place: Place) -> tuple[Mount, ...]:
        root = (place.root if self.worktrees_apart else place.main_root) or place.real
        return (_of_project(f"projects/{places.qwen_key(root)}/memory", place), Mount(label="memories", scope="user"))

    def target(self, place: Place, scope: str) -> Mount:
        return self.mounts(place)[1 if scope == "user" else 0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Layered:
    """Reverie: the project, whatever directory, worktree or link a session was started in, and the user above it. Keys are
    injective, so that two projects never share a folder, and readable."""

    says: str = "user + project + agent + team, labels enforced"
    agents: AgentFolders | None = AgentFolders()
    team: str = ".reverie/team-memory"
    recalls_team: bool = True
    folders: ClassVar = (("projects/*", "project", False), ("user", "user", False))

    def mounts(self, place: Place) -> tuple[Mount, ...]:
        return (_of_project(f"projects/{places.project_key(place)}", place), Mount(label="user", scope="user"))

    def target(self, place: Place, scope: str) -> Mount:
        return self.mounts(place)[1 if scope == "user" else 0]
