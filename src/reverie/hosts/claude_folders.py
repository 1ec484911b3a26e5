"""Where Claude Code keeps its memory for a place: the folder, by which rule, and whether memory is on at all.

The rules are the product's (spec/claude-code §1.1-1.3, §3.1, §9.1), in its order of precedence: the environment's path, the
setting, then the default, whose parts the environment can move. What would have decided and was refused is in ``ignored``,
each with a name:

- a path: ``relative``, ``root``, ``home``, ``other_user``, ``leaves_home``, ``drive_path``, ``network_path``, ``nul``, ``empty``
- a name: ``not_a_name``, ``needs_CLAUDE_CONFIG_DIR``
- a settings file or value: ``wrong_type``, ``broken_json``, ``not_an_object``, ``too_large``, and those of ``disk``

Nothing here writes, and nothing raises for what it finds. Paths have "/" between their parts on every system.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from reverie.core import place as places
from reverie.core.place import Place
from reverie.hosts import claude_settings as settings
from reverie.hosts import disk, heads
from reverie.hosts.claude_settings import Ignored

_YES = frozenset({"1", "true", "yes", "on"})
_NO = frozenset({"0", "false", "no", "off"})

PATH_VARIABLE = "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE"
BASE_VARIABLE = "CLAUDE_CODE_REMOTE_MEMORY_DIR"
NAME_VARIABLE = "CLAUDE_CODE_PROJECT_DIR_NAME"
CONFIG_VARIABLE = "CLAUDE_CONFIG_DIR"
SETTING = "autoMemoryDirectory"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaudeFolders:
    """The product's folders for one place, and why these.

    ``memory_why``: "default", else the variables, or the setting and its file, that moved it. ``trusted``: nobody but the user
    chose the folder, or the user told the product to trust the project whose file chose it. ``per_project``: the folder is
    this project's alone, by its name or by a file of the project's; else other projects may share it.
    ``transcripts``: the sessions that started in this very directory. ``projects``: where the folders of all projects lie.
    """

    config_dir: Path
    projects: Path
    transcripts: Path
    memory: Path
    memory_why: str
    per_project: bool
    trusted: bool
    agent_user: Path
    agent_project: Path
    agent_local: Path
    enabled: bool
    enabled_why: str
    ignored: tuple[Ignored, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Base:
    """The parts of the default path."""

    config_dir: str
    projects: str
    key: str
    transcripts: str
    agent_user: str
    agent_local: str
    why: str
    is_named: bool                  # one name for all projects


def locate(
    place: Place, *, environment: Mapping[str, str], user_home: str, platform: str = sys.platform, managed: str | None = None
) -> ClaudeFolders:
    """The product's folders for a place. ``managed``: the administrator's settings file, where it is not the system's."""
    cwd = place.real
    ignored: list[Ignored] = []
    base = _base(place, environment, user_home, platform, ignored)
    managed_path = settings.managed_file(platform) if managed is None else managed
    files, unreadable = settings.stack(config_dir=base.config_dir, cwd=cwd, managed=managed_path)
    ignored += unreadable
    memory, why, theirs = _memory(base, environment, user_home, platform, files, ignored)
    enabled, enabled_why = _enabled(environment, files, ignored)
    return ClaudeFolders(
        config_dir=Path(base.config_dir), projects=Path(base.projects), transcripts=Path(base.transcripts),
        memory=Path(memory), memory_why=why, per_project=_per_project(base, memory, why, theirs=theirs),
        trusted=not theirs or settings.trusts(_state_file(environment, base.config_dir, user_home), list(settings.above(cwd))),
        agent_user=Path(base.agent_user), agent_project=Path(f"{cwd}/.claude/agent-memory"), agent_local=Path(base.agent_local),
        enabled=enabled, enabled_why=enabled_why, ignored=tuple(ignored),
    )  # fmt: skip


def config_dir_of(environment: Mapping[str, str], user_home: str) -> str:
    """The product's folder: ``~/.claude``, or where ``CLAUDE_CONFIG_DIR`` says."""
    return places.tidy(disk.place(environment.get(CONFIG_VARIABLE), user_home, ".claude"))


def memory_key(place: Place) -> str:
    """The name of a project's folder: of the main checkout, outside git of the directory itself (spec/claude-code §1.2)."""
    return places.claude_key(place.main_root or place.real)


def _base(
    place: Place, environment: Mapping[str, str], user_home: str, platform: str, ignored: list[Ignored]
) -> _Base:
    config_dir = config_dir_of(environment, user_home)
    moved = [CONFIG_VARIABLE] if environment.get(CONFIG_VARIABLE, "").strip() else []
    named = _project_name(environment, ignored)
    moved += [NAME_VARIABLE] if named else []
    key = named or memory_key(place)
    remote = _absolute(BASE_VARIABLE, environment, platform, ignored)
    moved += [BASE_VARIABLE] if remote else []
    above = remote or config_dir
    return _Base(
        config_dir=config_dir, projects=f"{above}/projects", key=key,
        transcripts=f"{config_dir}/projects/{named or places.claude_key(place.real)}",
        agent_user=f"{above}/agent-memory",
        agent_local=f"{remote}/projects/{key}/agent-memory-local" if remote else f"{place.real}/.claude/agent-memory-local",
        why=" with ".join(reversed(moved)) or "default", is_named=bool(named),
    )  # fmt: skip


def _project_name(environment: Mapping[str, str], ignored: list[Ignored]) -> str:
    name = environment.get(NAME_VARIABLE, "").strip()
    if not name:
        return ""
    if not heads.is_name(name.lstrip("-_") or name):
        ignored.append(Ignored(NAME_VARIABLE, settings.shown(name), "not_a_name"))
        return ""
    if not environment.get(CONFIG_VARIABLE, "").strip():
        ignored.append(Ignored(NAME_VARIABLE, settings.shown(name), f"needs_{CONFIG_VARIABLE}"))
        return ""
    return name


def _memory(
    base: _Base, environment: Mapping[str, str], user_home: str, platform: str, files: list[settings.File],
    ignored: list[Ignored],
) -> tuple[str, str, bool]:
    """(the folder, the rule that chose it, whether a file of the project's chose it)."""
    chosen = _absolute(PATH_VARIABLE, environment, platform, ignored)
    if chosen:
        return chosen, PATH_VARIABLE, False
    found = settings.strongest(files, SETTING, str, ignored)
    if found is not None:
        path, reason = directory(found.value, user_home=user_home, windows=platform == "win32")
        if not reason:
            return path, f"{SETTING} in {found.file.path}", found.file.theirs
        ignored.append(Ignored(f"{SETTING} in {found.file.path}", settings.shown(found.value), reason))
    return f"{base.projects}/{base.key}/memory", base.why, False


def _per_project(base: _Base, memory: str, why: str, *, theirs: bool) -> bool:
    """A project may choose any folder for itself, except one of the product's: that is another project's."""
    if theirs:
        return places.below(base.config_dir, memory) is None and places.below(base.projects, memory) is None
    return why == base.why and not base.is_named


def directory(value: str, *, user_home: str, windows: bool) -> tuple[str, str]:
    """(path, "") of a directory that a setting names, or ("", why the product does not take it) (spec/claude-code §1.3)."""
    if not value.strip():
        return "", "empty"
    if value.startswith("~"):
        return _in_home(value, user_home, windows)
    return _tidy_absolute(value, windows)


def _in_home(value: str, user_home: str, windows: bool) -> tuple[str, str]:
    separators = ("/", "\\") if windows else ("/",)
    if value != "~" and not value[1:].startswith(separators):
        return "", "other_user"
    if "\0" in value:
        return "", "nul"
    home = places.tidy(user_home)
    rest = value[2:].replace("\\", "/") if windows else value[2:]
    inside = places.below(home, places.tidy(f"{home}/{rest}"), folds_case=windows)
    if inside is None:
        return "", "leaves_home"
    return (f"{home}/{inside}", "") if inside else ("", "home")


def _tidy_absolute(value: str, windows: bool) -> tuple[str, str]:
    if "\0" in value:
        return "", "nul"
    path = places.tidy(value)
    if not places.is_absolute(value) or (windows and value.startswith("/") and not value.startswith("//")):
        return "", "relative"
    if not windows and not value.startswith("/"):
        return "", "drive_path"
    if windows and value.replace("\\", "/").startswith("//"):     # only looking at another machine would log in there
        return "", "network_path"
    return (path, "") if places.parent(path) else ("", "root")


def _absolute(name: str, environment: Mapping[str, str], platform: str, ignored: list[Ignored]) -> str:
    """The absolute path in a variable; "" when there is none."""
    value = environment.get(name, "")
    if not value.strip():
        return ""
    path, reason = _tidy_absolute(value, platform == "win32")
    if reason:
        ignored.append(Ignored(name, settings.shown(value), reason))
    return path


def _enabled(
    environment: Mapping[str, str], files: list[settings.File], ignored: list[Ignored]
) -> tuple[bool, str]:
    """(whether the product keeps memory, what says so) (spec/claude-code §3.1). A bare or remote session has none, whatever
    else is said."""
    for name in ("CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_REMOTE"):
        if environment.get(name, "").strip().lower() in _YES:
            return False, name
    switch = environment.get("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "").strip().lower()
    if switch in _YES | _NO:
        return switch in _NO, "CLAUDE_CODE_DISABLE_AUTO_MEMORY"
    if switch:
        ignored.append(Ignored("CLAUDE_CODE_DISABLE_AUTO_MEMORY", settings.shown(switch), "not_yes_or_no"))
    found = settings.strongest(files, "autoMemoryEnabled", bool, ignored)
    return (found.value, f"autoMemoryEnabled in {found.file.path}") if found else (True, "default")


def _state_file(environment: Mapping[str, str], config_dir: str, user_home: str) -> str:
    """Where the product writes down which projects the user trusts."""
    moved = environment.get(CONFIG_VARIABLE, "").strip()
    return f"{config_dir if moved else places.tidy(user_home)}/.claude.json"
