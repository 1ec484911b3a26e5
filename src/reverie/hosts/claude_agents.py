"""Claude Code's sub-agents: which are defined for a place, by which file, and what was passed over.

Of two definitions of one name the stronger counts: the administrator's, the command line's (``--agents``), the project's, the
user's, a plugin's (the product's documentation; project over user: spec/claude-code §9.1). The project's lie in
``.claude/agents`` of the working directory and of those above it up to the git root, the nearest first.

The files are a stranger's: a repository brings its own. Each is looked at before it is opened, and read with a limit; nothing
raises for what it finds. What is passed over has a name:

- of a file: ``no_name``, ``bad_name``, ``too_large``, ``too_many``, ``leads_outside``, ``overridden``, and those of ``disk``
- of a value: ``unknown_memory``, ``no_description``, ``bad_tools``, ``defined_twice``, ``same_folder`` (two agents to which the
  product gives one folder)
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from reverie.core import agents, frontmatter
from reverie.core import place as places
from reverie.core.agents import AgentFolder, Definition
from reverie.core.place import Place
from reverie.core.session import Unreadable
from reverie.hosts import claude_folders, claude_settings, disk
from reverie.hosts.disk import CannotRead

HOST = "claude-code"
FILE_BYTES = 256 * 1024             # a definition is a page or two
MOST_FILES = 500                    # in one folder, with those below it
DEPTH = 6                           # of folders below it


class Passed(NamedTuple):
    """A file that defines nothing, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Defined:
    """The agents of a place by name, the strongest definition of each, and what was passed over."""

    agents: Mapping[str, Definition]
    passed: tuple[Passed, ...] = ()

    def __getitem__(self, name: str) -> Definition | None:
        return self.agents.get(name)


class _Folder(NamedTuple):
    path: str
    origin: str
    plugin: str = ""
    within: str = ""            # what files here must not lead out of


def defined(
    place: Place, *, environment: Mapping[str, str], user_home: str, command_line: str = "", platform: str = sys.platform
) -> Defined:
    """All agents that are defined for a place. ``command_line``: the JSON given with ``--agents``."""
    config = claude_folders.config_dir_of(environment, user_home)
    passed: list[Passed] = []
    found: dict[str, Definition] = {}
    managed = _Folder(f"{places.parent(claude_settings.managed_file(platform))}/.claude/agents", "managed")
    _add(found, passed, _in(managed, passed))
    _add(found, passed, of_command_line(command_line))
    for folder in (*_of_project(place, config), _Folder(f"{config}/agents", "user"), *_of_plugins(config)):
        _add(found, passed, _in(folder, passed))
    return Defined(agents=_told_apart(found), passed=tuple(passed))


def native(definition: Definition, folders: claude_folders.ClaudeFolders, place: Place) -> AgentFolder | None:
    """The folder in which the product keeps this agent's memory, if there is one that may be read (spec/claude-code §9.1).

    A folder in the project that leads out of it belongs to somebody else: no repository may point us at another's memory.
    """
    where = {"user": folders.agent_user, "project": folders.agent_project, "local": folders.agent_local}.get(definition.memory)
    if where is None or "same_folder" in definition.problems:       # it would be shown another agent's
        return None
    path = f"{where}/{agents.folder_name(definition.name)}"
    if not disk.is_folder(path):
        return None
    in_project = places.below(place.real, places.tidy(path)) is not None
    if in_project and definition.memory != "user" and not _is_within(path, place.real):
        return None
    return AgentFolder(host=HOST, scope=definition.memory, path=path)


def of_command_line(text: str) -> list[Definition]:
    """The agents in the JSON of ``--agents``: name to its fields. What is no such thing defines nothing."""
    import msgspec

    try:
        given = msgspec.json.decode(text[: disk.SMALL_FILE_BYTES]) if text.strip() else {}
    except (ValueError, RecursionError):
        return []
    if not isinstance(given, dict):
        return []
    return [
        _definition(name, value.get, origin="command line", path="")
        for name, value in given.items() if agents.is_name(name) and isinstance(value, dict)
    ]


def of_file(data: bytes, *, origin: str, path: str, plugin: str = "") -> Definition | Passed:
    """One definition file. A plugin's agent is called ``<plugin>:<name>``."""
    document = frontmatter.parse(data)
    name = document.word("name")
    if not name:
        return Passed(path, "no_name")
    name = f"{plugin}:{name}" if plugin else name
    if not agents.is_name(name):
        return Passed(path, "bad_name")

    def get(key: str) -> Any:
        if key in ("tools", "disallowedTools"):
            return list(document.items(key)) if document.get(key) else None
        return document.word(key) if key == "memory" else document.get(key)

    return _definition(name, get, origin=origin, path=path)


def _definition(name: str, get: Any, *, origin: str, path: str) -> Definition:
    problems = []
    description = get("description")
    if not isinstance(description, str) or not description.strip():
        problems.append("no_description")
    memory = get("memory")
    if memory not in (None, "", *agents.MEMORY_SCOPES):
        problems.append("unknown_memory")
    tools, bad = _tools(get("tools"))
    disallowed, also_bad = _tools(get("disallowedTools"))
    problems += ["bad_tools"] if bad or also_bad else []
    return Definition(
        name=name, description=" ".join(description.split()) if isinstance(description, str) else "", tools=tools,
        disallowed=disallowed or (), memory=memory if memory in agents.MEMORY_SCOPES else "", origin=origin, path=path,
        problems=tuple(problems),
    )


def _tools(value: Any) -> tuple[tuple[str, ...] | None, bool]:
    """The tools that a field lists, None for all, and whether it says something else. An empty field is no list, an empty list
    is one."""
    if value is None or value == "":
        return None, False
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, list):
        return None, True
    names = tuple(tool.strip() for tool in value if isinstance(tool, str) and tool.strip())
    return _whole(names), len(names) < len(value)


def _whole(names: Iterable[str]) -> tuple[str, ...]:
    """Commas inside brackets separate nothing: ``Agent(a, b)`` is one tool."""
    joined: list[str] = []
    for name in names:
        if joined and joined[-1].count("(") > joined[-1].count(")"):
            joined[-1] += f", {name}"
        else:
            joined.append(name)
    return tuple(joined)


# ── where they lie ───────────────────────────────────────────────────────────────────────────────────────────────


def _of_project(place: Place, config: str) -> Iterator[_Folder]:
    top = place.root or place.real
    for directory in claude_settings.above(place.real):
        folder = f"{directory}/.claude/agents"
        if folder != f"{config}/agents":        # a session in the home folder: those are the user's
            yield _Folder(folder, "project", within=top)
        if directory == top:
            return


def _of_plugins(config: str) -> Iterator[_Folder]:
    """The folders of the plugins that are installed and not switched off."""
    installed = _object(disk.small_json(f"{config}/plugins/installed_plugins.json")).get("plugins")
    switches = _object(_object(disk.small_json(f"{config}/settings.json")).get("enabledPlugins"))
    for name, entries in _object(installed).items():
        if switches.get(name) is False:
            continue
        for entry in entries if isinstance(entries, list) else [entries]:
            path = _object(entry).get("installPath")
            plugin = name.partition("@")[0]
            if isinstance(path, str) and places.is_absolute(path) and agents.is_name(plugin):
                yield _Folder(f"{places.tidy(path)}/agents", "plugin", plugin=plugin)


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _in(folder: _Folder, passed: list[Passed]) -> Iterator[Definition]:
    """The definitions in a folder and those below it, by path."""
    if folder.within and not _is_within(folder.path, folder.within):
        if disk.is_folder(folder.path):
            passed.append(Passed(folder.path, "leads_outside"))
        return
    for number, path in enumerate(_files(folder.path, passed, DEPTH)):
        if number == MOST_FILES:
            passed.append(Passed(folder.path, "too_many"))
            return
        found = _read(path, folder)
        if isinstance(found, Passed):
            passed.append(found)
        else:
            yield found


def _files(folder: str, passed: list[Passed], depth: int) -> Iterator[str]:
    for entry in disk.listing(HOST, folder):
        if isinstance(entry, Unreadable):
            if entry.reason != "not_a_directory":
                passed.append(Passed(entry.path, entry.reason))
        elif entry.name.endswith(".md"):
            yield entry.path
        elif depth and not entry.name.startswith(".") and not entry.is_symlink() and disk.is_folder(entry.path):
            yield from _files(entry.path, passed, depth - 1)


def _read(path: str, folder: _Folder) -> Definition | Passed:
    if folder.within and not _is_within(path, folder.within):
        return Passed(path, "leads_outside")
    try:
        if disk.look(path).st_size > FILE_BYTES:
            return Passed(path, "too_large")
        return of_file(disk.head(path, FILE_BYTES), origin=folder.origin, path=path, plugin=folder.plugin)
    except CannotRead as problem:
        return Passed(path, problem.reason)


def _is_within(path: str, top: str) -> bool:
    real = places.tidy(os.path.realpath(path))
    return places.below(places.tidy(os.path.realpath(top)), real) is not None


# ── which of them count ──────────────────────────────────────────────────────────────────────────────────────────


def _add(found: dict[str, Definition], passed: list[Passed], definitions: Iterable[Definition]) -> None:
    """Definitions that are weaker than those found so far: the first of a name wins, and says that there is another."""
    for definition in definitions:
        first = found.get(definition.name)
        if first is None:
            found[definition.name] = definition
            continue
        passed.append(Passed(definition.path or definition.origin, "overridden"))
        if "defined_twice" not in first.problems:
            found[definition.name] = replace(first, problems=(*first.problems, "defined_twice"))


def _told_apart(found: dict[str, Definition]) -> dict[str, Definition]:
    """The definitions, with a note on those with a memory that the product would keep in one folder."""
    folders: dict[tuple[str, str], list[str]] = {}
    for name, definition in found.items():
        if definition.memory:
            folders.setdefault((definition.memory, agents.folder_name(name)), []).append(name)
    shared = {name for names in folders.values() if len(names) > 1 for name in names}
    return {
        name: replace(definition, problems=(*definition.problems, "same_folder")) if name in shared else definition
        for name, definition in found.items()
    }
