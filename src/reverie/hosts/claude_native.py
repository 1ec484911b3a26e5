"""Claude Code's memory folders as a checkup wants them: which, why, whose, and where the sessions beside them began."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from reverie.core import place as places
from reverie.core.checkup import Native
from reverie.core.place import Place
from reverie.hosts import claude_folders, disk, heads
from reverie.hosts.disk import CannotRead

HOST = "claude-code"
TRANSCRIPTS = 50                    # whose beginnings are looked at, the newest
HEAD_BYTES = 64 * 1024
MOST_FOLDERS = 2_000


def here(place: Place, *, environment: Mapping[str, str], user_home: str) -> Native:
    """The folder of a place, and by which rule it is this one."""
    folders = claude_folders.locate(place, environment=environment, user_home=user_home)
    why = folders.memory_why + ("" if folders.enabled else f"; memory is off: {folders.enabled_why}")
    return Native(host=HOST, folder=str(folders.memory), why=why, project=place.main_root or place.real,
                  started_in=_started_in(folders.memory))


def every(place: Place, *, environment: Mapping[str, str], user_home: str) -> list[Native]:
    """The folder of a place, and those of all projects in which there is anything."""
    first = here(place, environment=environment, user_home=user_home)
    folders = claude_folders.locate(place, environment=environment, user_home=user_home)
    found = [first]
    try:
        names = sorted(entry.name for entry in os.scandir(folders.projects))[:MOST_FOLDERS]
    except OSError:
        return found
    for name in names:
        folder = folders.projects / name / "memory"
        if str(folder) != first.folder and _holds_anything(folder):
            began = _started_in(folder)
            there = [each for each in began if disk.is_folder(each)]
            project = there[0] if len(there) == 1 else ""
            found.append(Native(host=HOST, folder=str(folder), why="a project's folder", project=project, started_in=began))
    return found


def _holds_anything(folder: Path) -> bool:
    try:
        with os.scandir(folder) as entries:
            return any(True for _ in entries)
    except OSError as error:
        return not isinstance(error, (FileNotFoundError, NotADirectoryError))      # a closed one is a finding


def _started_in(memory: Path) -> tuple[str, ...]:
    """The directories that the transcripts beside a default folder began in, as far as they have the folder's name."""
    if memory.name != "memory":
        return ()
    beside = memory.parent
    try:
        with os.scandir(beside) as entries:
            plain = [entry for entry in entries if entry.name.endswith(".jsonl") and entry.is_file()]
            found = [(entry.stat().st_mtime, entry.path) for entry in plain]
    except OSError:
        return ()
    began: dict[str, None] = {}
    for _, path in sorted(found, reverse=True)[:TRANSCRIPTS]:
        try:
            cwd = heads.text(disk.head(path, HEAD_BYTES), "cwd")
        except CannotRead:
            continue
        if cwd and "\0" not in cwd and places.claude_key(cwd) == beside.name:
            began[cwd] = None
    return tuple(began)
