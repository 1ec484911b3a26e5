"""The stores of one design in one home, and the way from a working directory to them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from reverie import errors
from reverie.axes.scoping import AgentFolders, Mount, team_mount
from reverie.core import agents, team
from reverie.core import place as places
from reverie.core.edits import Edit
from reverie.core.memory import By, Memory
from reverie.core.place import Place
from reverie.storage import files, git
from reverie.storage.history import digest_of

if TYPE_CHECKING:
    from reverie.core.agents import Agent
    from reverie.core.layout import Layout, Shows
    from reverie.designs import Design
    from reverie.storage.home import Home
    from reverie.storage.store import Store

# In every project's folder: which project this is (and which agent's), so that a folder alone still says whose it is.
PROJECT_FILE = "project.json"
_PROJECT_FILE_BYTES = 64 * 1024
_SHORTEST_SECRET = 12           # characters of a name that may hold a credential beside other words


def discreet_path(path: str) -> str:
    """A path as it may be written down: a credential in a name (a checkout of ``https://user:token@…``) is no more ours to
    keep than one that was said. What was taken out still tells two paths apart."""
    if not any(len(name) >= _SHORTEST_SECRET and any(map(str.isdigit, name)) for name in path.replace("\\", "/").split("/")):
        return path
    from hashlib import sha256

    from reverie.core import redact  # costs more than all the rest, and hardly a path needs it

    found = redact.redact(path)
    if not found.families:
        return path
    return f"{found.text}#{sha256(path.encode('utf-8', 'surrogateescape')).hexdigest()[:8]}"


def discreet_place(place: Place) -> Place:
    """A place whose paths may be written down."""
    values = {name: getattr(place, name) for name in place.__slots__}
    return Place(**{name: discreet_path(value) if isinstance(value, str) else value for name, value in values.items()})


class Space:
    """One design's stores in one home. Cheap to make; nothing is created before something is written."""

    def __init__(
        self, home: Home, design: Design, *, user_home: str = "",
        team_is_on: Callable[[Space, Place], bool] = lambda space, place: False,
    ) -> None:
        """``user_home``: the user's home folder; a repository of dot files there is not the project of all that lies below.
        ``team_is_on``: whether the user wants the team's memory in a place."""
        self.home = home
        self.design = design
        self.user_home = user_home
        self._stores: dict[str, Store] = {}
        self._places: dict[tuple[str, str], Place] = {}
        self.team_is_on = team_is_on

    def now(self) -> datetime:
        return self.home.clock()

    # ── places ─────────────────────────────────────────────────────────────────────────────────────────────────

    def place(self, cwd: str, hint: str = "") -> Place:
        """Which project a directory belongs to. One that is gone keeps the identity it had when it was last seen."""
        known = self._places.get((cwd, hint))
        if known is None:
            known = discreet_place(git.locate(cwd, hint=hint, home=self.user_home))
            seen = self.home.records.place(known.cwd)
            if not known.exists and seen:
                known = places.gone(known.cwd, hint=seen)
            elif known.exists and known.main_root and seen != known.main_root and not self.home.readonly:
                if not self.home.exists:
                    return known        # looking makes no home; once there is one, the place is asked for again and kept
                self.home.records.remember_place(known.cwd, known.main_root)
            self._places[cwd, hint] = known
        return known

    # ── stores ─────────────────────────────────────────────────────────────────────────────────────────────────

    def store(self, mount: Mount) -> Store:
        """The store behind a mount."""
        label = f"{self.design.name}/{mount.label}"
        if label not in self._stores:
            self._stores[label] = self.home.store(
                label, self.layout(mount), scope=mount.scope, project=mount.project, folder=mount.folder,
                writable=not mount.foreign,
            )
        return self._stores[label]

    def look_again(self, mount: Mount) -> None:
        """Forget what was read of a store: what is known about its files has changed."""
        self._stores.pop(f"{self.design.name}/{mount.label}", None)

    def layout(self, mount: Mount) -> Layout:
        """How a store looks on disk: as the design has it, but what agents share always says which of them wrote it, a
        product's folder is as the product has it, and nothing that agents write is the user's word."""
        if mount.scope == team.SCOPE:
            from reverie.flows import team_trust

            return team_trust.layout(self, mount)
        if mount.scope != agents.SHARED and not mount.agent:
            return self.design.layout
        from reverie.layouts.claude_code import ClaudeCode
        from reverie.layouts.foreign import Foreign, OfAgents

        if not mount.folder:
            return OfAgents(self.design.layout if mount.agent else ClaudeCode(provenance=True))
        by = By.UNKNOWN if mount.project else By.AGENT      # in a repository it is the word of whoever wrote that
        return Foreign(ClaudeCode(edition="2.1", own_index=False), by=by, host=mount.host, agent=mount.agent)

    def mounts(self, place: Place, agent: Agent | None = None) -> tuple[Mount, ...]:
        """The stores that a session in this place reads, the most specific first; or those of a sub-agent, which are others."""
        if agent is not None:
            return self._of_agents().mounts(place, agent)
        return (*self.team(place), *self.own_mounts(place))

    def own_mounts(self, place: Place) -> tuple[Mount, ...]:
        """Those of them that lie in our home."""
        return tuple(self._apart(mount) for mount in self.design.scoping.mounts(place))

    def team(self, place: Place) -> tuple[Mount, ...]:
        """The team's store, where the design knows one, the user wants it and its folder is what it should be."""
        wanted = bool(self.design.scoping.team and place.root and self.team_is_on(self, place))
        return (team_mount(self.design.scoping.team, place),) if wanted and not self.team_refused(place) else ()

    def team_refused(self, place: Place) -> str:
        """Why no team's folder can be in this checkout, "" when one can: no link may lead out of it (a hostile repository may
        hold links), and it is not a repository of its own."""
        path = Path(place.root)
        for name in self.design.scoping.team.split("/"):
            path /= name
            shown = files.printable(str(path))
            if path.is_symlink():
                return f"{shown} is a symbolic link"
            if not os.path.lexists(path):
                return ""
            if not path.is_dir():
                return f"{shown} is no folder"
            if os.path.lexists(path / ".git"):
                return f"{shown} is a repository of its own"
        return ""

    def around(self, place: Place) -> tuple[Mount, ...]:
        """The stores of ours to look after in a place: those that a session here reads, and those that its sub-agents have. What
        a team shares is looked after by syncing."""
        here = {places.project_key(place), places.project_key(places.make(place.real, folds_case=place.folds_case))}
        of_agents = [
            mount for mount in self.every_mount()
            if (mount.agent or mount.scope == agents.SHARED) and (mount.project in here or mount.label.endswith("/user"))
        ]
        return (*self.own_mounts(place), *of_agents)

    def target(self, place: Place, scope: str, agent: Agent | None = None) -> Mount:
        """The store into which a new memory of this scope is written."""
        if agent is not None:
            return self._of_agents().target(place, agent, "" if scope == agent.scope else scope)
        return self._target_of_team(place) if scope == team.SCOPE else self._apart(self.design.scoping.target(place, scope))

    def _target_of_team(self, place: Place) -> Mount:
        if not self.design.scoping.team:
            raise errors.WrongUse(f"the design {self.design.name!r} has no team memory; reverie and qwen-code have")
        if not place.root:
            raise errors.WrongUse(f"{place.real} is in no git repository: a team's memory is shared through one")
        if not self.team_is_on(self, place):
            raise errors.WrongUse("the team's memory is off here; `reverie team on` turns it on for this project")
        if said := self.team_refused(place):
            raise errors.StoreUnavailable(f"no team's memory here: {said}")
        return team_mount(self.design.scoping.team, place)

    def _of_agents(self) -> AgentFolders:
        found = self.design.scoping.agents
        if found is None:
            raise errors.WrongUse(f"the design {self.design.name!r} keeps all in one folder: its agents have none of their own")
        return found

    def only_mount(self) -> Mount:
        """The store of a design that keeps all projects in one folder."""
        pattern, scope, mixed = self.design.scoping.folders[0]
        return Mount(label=pattern, scope=scope, mixed=mixed)

    def _apart(self, mount: Mount) -> Mount:
        """The mount, in a folder beside it where the folder is another project's: the products' names for directories are
        lossy (``a_b`` and ``a-b`` are one), and nothing crosses projects (DESIGN §4.6). The first to write keeps the name."""
        if mount.mixed or not mount.project or mount.label.endswith(mount.project):
            return mount
        if self.key(self.project_of_folder(mount.label)) in ("", mount.project):
            return mount
        top, name, *rest = mount.label.split("/")
        return replace(mount, label="/".join((top, f"{name}-{mount.project.rpartition('-')[2]}", *rest)))

    def every_mount(self) -> Iterator[Mount]:
        """All stores of this design that exist on disk, whatever project they belong to. One that is closed to this user is
        noted, and hides none of the others."""
        top = Path(self.home.root, "stores", self.design.name)
        of_agents = self.design.scoping.agents
        for pattern, scope, mixed in (*self.design.scoping.folders, *(of_agents.folders if of_agents else ())):
            for folder in sorted(top.glob(pattern)):
                if folder.is_dir() and self._is_open(folder):
                    label = folder.relative_to(top).as_posix()
                    root = self.project_of_folder(label) if scope != "user" and not mixed else ""
                    agent = self._agent_of_folder(label) if scope == agents.PREFIX else ""
                    yield Mount(label=label, scope=scope + agent, project=self.key(root), root=root, mixed=mixed, agent=agent)

    def _is_open(self, folder: Path) -> bool:
        try:
            os.scandir(folder).close()
        except OSError as error:
            self.home.note(str(files.unavailable(error, str(folder), "listed")))
            return False
        return True

    def key(self, root: str) -> str:
        """The key of the project with this root, "" for none."""
        return places.project_key(places.make(root)) if root else ""

    def memories(self, mounts: Iterable[Mount]) -> Iterator[tuple[Mount, Memory]]:
        """What these stores hold, as a session with these mounts may see it: ids in full, other projects' left out."""
        for mount in mounts:
            store = self.store(mount)
            for memory in store.contents().memories:
                if self.visible(memory, mount):
                    yield mount, memory

    def visible(self, memory: Memory, mount: Mount) -> bool:
        """Whether a memory of a store is this mount's to show. In a store that mixes projects the labels decide (study,
        Codex §8: a reader that does not look leaks)."""
        return self.shows(mount)(memory.scope, memory.project)

    def shows(self, mount: Mount) -> Shows:
        """Whether what a store labels so is this mount's to show."""
        return lambda scope, project: not mount.mixed or not mount.project or self._owner(scope, project) in ("", mount.project)

    def owner(self, memory: Memory) -> str:
        """The key of the project that a memory belongs to, "" for the user's own. A label is a key, or a directory of the
        project; a memory without one is nobody's, and shown to nobody."""
        return self._owner(memory.scope, memory.project)

    def _owner(self, scope: str, project: str) -> str:
        if scope == "user":
            return ""
        return places.project_key(self.place(project)) if places.is_absolute(project) else project or "(no label)"

    # ── whose folder is this ─────────────────────────────────────────────────────────────────────────────────

    def project_edit(self, mount: Mount) -> list[Edit]:
        """The edit that writes into a new folder whose it is, or none when it is there."""
        if mount.mixed or mount.folder or not (mount.project or mount.agent):
            return []
        path = f"stores/{self.design.name}/{mount.label}/{PROJECT_FILE}"
        if Path(self.home.root, path).exists():
            return []
        is_text = mount.root == mount.root.encode("utf-8", "replace").decode()      # a path may be no UTF-8
        said = {"root": mount.root} if mount.project else {}
        said |= {"agent": mount.agent} if mount.agent else {}
        text = json.dumps(said, ensure_ascii=not is_text) + "\n"
        return [Edit(path=path, before=None, after=text.encode(), root=path.removesuffix("/" + PROJECT_FILE))]

    def named(self, path: str, found: bytes) -> bytes | None:
        """The file that names a folder as the journal knows it, where it is another now; None where it is not, or is not kept."""
        try:
            known = self.home.journal.last(path)
            is_ours = known is None or known.digest is None or known.digest == digest_of(found)
            return None if is_ours or known is None or known.digest is None else self.home.journal.kept(known.digest)
        except errors.StoreUnavailable:
            return None

    def project_of_folder(self, label: str) -> str:
        """The project root written into a folder, or "" when none is."""
        return self._written(label, "root")

    def _agent_of_folder(self, label: str) -> str:
        """The agent whose folder this is: as it is written there, if the folder is that agent's, else as it is called."""
        folder = label.split("/")[1]
        name = self._written(label, "agent")
        return name if agents.is_name(name) and agents.key(name) == folder else folder

    def _written(self, label: str, what: str) -> str:
        """What the file says as we wrote it: an agent may write into the folder, and it must not give it to another project."""
        path = f"stores/{self.design.name}/{label}/{PROJECT_FILE}"
        data = files.read(self.home.path(path), limit=_PROJECT_FILE_BYTES)
        found = b"" if isinstance(data, files.Unread) else data
        try:
            value = json.loads(self.named(path, found) or found)[what]
        except (ValueError, KeyError, TypeError, RecursionError):
            return ""
        return value if isinstance(value, str) else ""
