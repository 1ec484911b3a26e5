"""Where Qwen Code keeps its memory for a place: the layers, by which rule, whether it is on (spec/qwen-code §2, §13, §17).

The rules are the product's: the config home (``QWEN_HOME``), the runtime base (``QWEN_RUNTIME_DIR``, the setting
``advanced.runtimeOutputDir``), the memory base (``QWEN_CODE_MEMORY_BASE_DIR``), the project's folder by the nearest ``.git`` or
by the launch directory (``QWEN_CODE_MEMORY_PROJECT_SCOPE``), or inside the launch directory (``QWEN_CODE_MEMORY_LOCAL=1``).

Nothing here writes, and nothing raises for what it finds. Paths have "/" between their parts on every system.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reverie.core import place as places
from reverie.core.native import NativeFolder
from reverie.core.place import Place
from reverie.core.session import Unreadable
from reverie.hosts import disk
from reverie.hosts.claude_settings import Ignored, shown
from reverie.hosts.qwen_code import NAME, QwenCode

BASE_VARIABLE = "QWEN_CODE_MEMORY_BASE_DIR"
LOCAL_VARIABLE = "QWEN_CODE_MEMORY_LOCAL"
SCOPE_VARIABLE = "QWEN_CODE_MEMORY_PROJECT_SCOPE"
RUNTIME_VARIABLE = "QWEN_RUNTIME_DIR"
HOME_VARIABLE = "QWEN_HOME"
SAFE_VARIABLE = "QWEN_CODE_SAFE_MODE"
RUNTIME_SETTING, MEMORY_SETTING = ("advanced", "runtimeOutputDir"), ("memory", "enableManagedAutoMemory")
_SCOPES = ("git-root", "workspace")
_YES = frozenset({"1", "true", "yes", "on"})

PlaceOf = Callable[[str], Place]


@dataclass(frozen=True, slots=True, kw_only=True)
class QwenFolders:
    """The product's folders for one place. ``memory``: the project's; ``user``: above all projects; ``team``: in the repository;
    ``state``: where ``meta.json``, ``extract-cursor.json`` and ``consolidation.lock`` lie; ``chats``: the sessions started in
    this very directory. ``memory_why``: "default", or the variables and settings that moved it."""

    config_dir: Path
    projects: Path
    memory: Path
    user: Path
    team: Path
    state: Path
    chats: Path
    memory_why: str
    local: bool
    enabled: bool
    enabled_why: str
    ignored: tuple[Ignored, ...] = ()


def locate(place: Place, *, environment: Mapping[str, str], user_home: str, platform: str = sys.platform) -> QwenFolders:
    """The product's folders for a place."""
    ignored: list[Ignored] = []
    windows = platform == "win32"
    config = places.tidy(disk.place(environment.get(HOME_VARIABLE), user_home, ".qwen"))
    settings = _settings(f"{config}/settings.json", ignored)
    runtime, why = _runtime(environment, user_home, config, settings, ignored)
    base, why = _moved(BASE_VARIABLE, environment, user_home, runtime, why)
    is_local = environment.get(LOCAL_VARIABLE, "") == "1"
    state = f"{place.real}/.qwen" if is_local else f"{base}/projects/{memory_key(place, environment, windows, ignored)}"
    enabled, enabled_why = _enabled(environment, place, config, settings, ignored)
    return QwenFolders(
        config_dir=Path(config), projects=Path(f"{base}/projects"), memory=Path(f"{state}/memory"), user=Path(f"{base}/memories"),
        team=Path(f"{place.root or place.real}/.qwen/team-memory"), state=Path(state), local=is_local,
        chats=Path(f"{runtime}/projects/{places.qwen_key(place.real, windows)}/chats"),
        memory_why=LOCAL_VARIABLE if is_local else why, enabled=enabled, enabled_why=enabled_why, ignored=tuple(ignored),
    )


def memory_key(
    place: Place, environment: Mapping[str, str], windows: bool = False, ignored: list[Ignored] | None = None
) -> str:
    """The name of a project's folder: of the nearest checkout, a worktree's its own; outside git of the directory itself."""
    scope = environment.get(SCOPE_VARIABLE, "").strip().lower()
    if scope and scope not in _SCOPES and ignored is not None:
        ignored.append(Ignored(SCOPE_VARIABLE, shown(scope), "not_a_scope"))
    return places.qwen_key(place.real if scope == "workspace" else place.root or place.real, windows)


def natives(
    folders: QwenFolders, place: Place, place_of: PlaceOf, *, environment: Mapping[str, str], user_home: str
) -> list[NativeFolder]:
    """The private layers that a session in this place has: the project's, and the user's."""
    found: list[NativeFolder] = []
    for path, scope in ((folders.memory.as_posix(), "project"), (folders.user.as_posix(), "user")):
        if not disk.is_folder(path):
            continue
        if not folders.enabled:
            found.append(NativeFolder(host=NAME, path=path, scope=scope, skip="memory_off",
                                      detail=f"{folders.enabled_why} turned it off"))
        elif scope == "project" and not folders.local and _is_shared(folders, place, _by_key(place_of, environment, user_home)):
            found.append(NativeFolder(host=NAME, path=path, scope=scope, skip="shared_by_projects",
                                      detail="other projects have the same key, and nothing in a memory says whose it is"))
        else:
            found.append(NativeFolder(host=NAME, path=path, scope=scope, place=place))
    return found


def everywhere(
    folders: QwenFolders, place_of: PlaceOf, *, environment: Mapping[str, str], user_home: str
) -> Iterator[NativeFolder]:
    """The projects' folders below the product's base, each with the project that it belongs to, as the transcripts tell."""
    known: dict[str, dict[str, Place]] | None = None
    for folder in disk.folders(NAME, folders.projects.as_posix()):
        if isinstance(folder, Unreadable):
            yield NativeFolder(host=NAME, path=folder.path, skip=folder.reason, detail=folder.detail)
            continue
        path = f"{folder}/memory"
        if not disk.is_folder(path):
            continue
        known = _by_key(place_of, environment, user_home) if known is None else known
        owners = list(known.get(Path(folder).name, {}).values())
        if len(owners) == 1:
            yield NativeFolder(host=NAME, path=path, place=owners[0])
        else:
            yield NativeFolder(host=NAME, path=path, skip="shared_by_projects" if owners else "unknown_project",
                               detail="the transcripts name several directories with this key" if owners else
                               "no transcript says in which directory its sessions were held")


def _by_key(place_of: PlaceOf, environment: Mapping[str, str], user_home: str) -> dict[str, dict[str, Place]]:
    """The projects that transcripts tell of, by the names of their memory folders."""
    found: dict[str, dict[str, Place]] = {}
    for cwd in {each.cwd for each in QwenCode().find(user_home, environment) if not isinstance(each, Unreadable) and each.cwd}:
        place = place_of(cwd)
        found.setdefault(memory_key(place, environment), {})[place.root or place.real] = place
    return found


def _is_shared(folders: QwenFolders, place: Place, known: Mapping[str, Mapping[str, Place]]) -> bool:
    """Whether sessions of another project were held whose memory has the same folder (``a_b`` and ``a-b``)."""
    return any(root != (place.root or place.real) for root in known.get(folders.state.name, {}))


def _settings(path: str, ignored: list[Ignored]) -> Mapping[str, Any]:
    """A settings file's values; one that is broken counts for nothing, and is named."""
    value = disk.small_json(path)
    if isinstance(value, dict):
        return value
    if value is not None:
        ignored.append(Ignored(path, "", "not_an_object"))
    return {}


def _value(settings: Mapping[str, Any], names: tuple[str, str]) -> Any:
    table = settings.get(names[0])
    return table.get(names[1]) if isinstance(table, dict) else None


def _runtime(
    environment: Mapping[str, str], user_home: str, config: str, settings: Mapping[str, Any], ignored: list[Ignored]
) -> tuple[str, str]:
    if environment.get(RUNTIME_VARIABLE, "").strip():
        return _moved(RUNTIME_VARIABLE, environment, user_home, config, "default")
    moved = _value(settings, RUNTIME_SETTING)
    if isinstance(moved, str) and moved.strip():
        return places.tidy(disk.place(moved, user_home)), f"{'.'.join(RUNTIME_SETTING)} in {config}/settings.json"
    if moved is not None:
        ignored.append(Ignored(".".join(RUNTIME_SETTING), shown(moved), "wrong_type"))
    return config, HOME_VARIABLE if environment.get(HOME_VARIABLE, "").strip() else "default"


def _moved(name: str, environment: Mapping[str, str], user_home: str, otherwise: str, why: str) -> tuple[str, str]:
    value = environment.get(name, "")
    if not value.strip() or "\0" in value:
        return otherwise, why
    return places.tidy(disk.place(value, user_home)), name


def _enabled(
    environment: Mapping[str, str], place: Place, config: str, settings: Mapping[str, Any], ignored: list[Ignored]
) -> tuple[bool, str]:
    """(whether the product keeps memory, what says so). A project's file may turn it off; to turn it on is the user's alone."""
    if environment.get(SAFE_VARIABLE, "").strip().lower() in _YES:
        return False, SAFE_VARIABLE
    name = ".".join(MEMORY_SETTING)
    users, projects = f"{config}/settings.json", f"{place.real}/.qwen/settings.json"
    files = {users: settings} if users == projects else {users: settings, projects: _settings(projects, ignored)}
    for path, values in files.items():
        value = _value(values, MEMORY_SETTING)
        if value is False:
            return False, f"{name} in {path}"
        if value is not None and not isinstance(value, bool):
            ignored.append(Ignored(f"{name} in {path}", shown(value), "wrong_type"))
    return True, "default"
