"""Claude Code's memory folders, and whose each is.

A folder's name is lossy (``a_b`` and ``a-b`` are one, spec/claude-code §1.1), and a setting can make all projects share one.
So whose it is follows from evidence: the transcripts name the directories that their sessions were held in. A folder that
several projects wrote to is shared, and each memory in it belongs to the project of the session that wrote it.
"""

# ruff: noqa: PTH118, PTH119, PTH120 - paths are strings, as in ``disk``
from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator

from reverie.core import place as places
from reverie.core.native import NativeFolder
from reverie.core.place import Place
from reverie.core.session import Unreadable
from reverie.hosts import disk, heads
from reverie.hosts.claude_code import NAME
from reverie.hosts.claude_folders import ClaudeFolders, memory_key
from reverie.hosts.disk import CannotRead

PlaceOf = Callable[[str], Place]
_TRANSCRIPTS = 2_000            # of one project that are asked for their directory: more say nothing new


def here(folders: ClaudeFolders, place: Place, place_of: PlaceOf) -> NativeFolder | None:
    """The folder that a session in this place has, None when there is none."""
    path = folders.memory.as_posix()
    if not disk.is_folder(path):
        return None
    if not folders.enabled:
        return NativeFolder(host=NAME, path=path, skip="memory_off", detail=f"{folders.enabled_why} turned it off")
    if not folders.trusted:
        return NativeFolder(host=NAME, path=path, skip="not_trusted",
                            detail=f"{folders.memory_why} chose it, and the project is not trusted in Claude Code")
    beside = _projects_in(os.path.dirname(path), os.path.basename(os.path.dirname(path)), place_of)
    is_shared = not folders.per_project or any(not places.same_project(place, other) for other in beside.values())
    owner = functools.partial(_owner, folders.config_dir.as_posix(), place_of) if is_shared else None
    return NativeFolder(host=NAME, path=path, place=place, owner=owner)


def everywhere(folders: ClaudeFolders, place_of: PlaceOf) -> Iterator[NativeFolder]:
    """The folders of all projects below the product's own, each with the project that it belongs to."""
    projects = folders.projects.as_posix()
    known: dict[str, dict[str, Place]] | None = None
    for folder in disk.folders(NAME, projects):
        if isinstance(folder, Unreadable):
            yield NativeFolder(host=NAME, path=folder.path, skip=folder.reason, detail=folder.detail)
            continue
        path = os.path.join(folder, "memory")
        if not disk.is_folder(path):
            continue
        known = _by_key(folders, place_of) if known is None else known
        owners = list(known.get(os.path.basename(folder), {}).values())
        if not owners:
            yield NativeFolder(host=NAME, path=path, skip="unknown_project",
                               detail="no transcript says in which directory its sessions were held")
        for place in owners:
            owner = functools.partial(_owner, folders.config_dir.as_posix(), place_of) if len(owners) > 1 else None
            yield NativeFolder(host=NAME, path=path, place=place, owner=owner)


def _by_key(folders: ClaudeFolders, place_of: PlaceOf) -> dict[str, dict[str, Place]]:
    """The projects that transcripts tell of, by the names of their memory folders."""
    found: dict[str, dict[str, Place]] = {}
    for folder in disk.folders(NAME, f"{folders.config_dir.as_posix()}/projects"):
        if not isinstance(folder, Unreadable):
            for identity, place in _projects_in(folder, "", place_of).items():
                found.setdefault(memory_key(place), {})[identity] = place
    return found


def _projects_in(folder: str, key: str, place_of: PlaceOf) -> dict[str, Place]:
    """The projects whose sessions lie in a folder; only those whose memory folder is called ``key``, if given."""
    found: dict[str, Place] = {}
    seen: set[str] = set()
    for number, entry in enumerate(disk.listing(NAME, folder)):
        if number >= _TRANSCRIPTS:
            break
        cwd = "" if isinstance(entry, Unreadable) or not entry.name.endswith(".jsonl") else _cwd(entry.path)
        if cwd and cwd not in seen:
            seen.add(cwd)
            place = place_of(cwd)
            if not key or memory_key(place) == key:
                found.setdefault(places.identity(place), place)
    return found


def _owner(config_dir: str, place_of: PlaceOf, session: str) -> Place | None:
    """In which place a session was held, None when no transcript tells."""
    if not heads.is_name(session):
        return None
    for folder in disk.folders(NAME, f"{config_dir}/projects"):
        if not isinstance(folder, Unreadable) and disk.is_plain(path := os.path.join(folder, f"{session}.jsonl")):
            cwd = _cwd(path)
            return place_of(cwd) if cwd else None
    return None


def _cwd(path: str) -> str:
    """The directory that a transcript names first."""
    try:
        return heads.text(disk.head(path), "cwd")
    except CannotRead:
        return ""
