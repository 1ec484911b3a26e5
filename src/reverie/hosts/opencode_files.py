"""OpenCode's sessions as JSON files, as releases before 1.2 kept them.

``storage/session/<project>/<session>.json``, ``storage/message/<session>/<message>.json`` and
``storage/part/<message>/<part>.json``.
"""

# Paths are texts in a transcript, and a home folder holds thousands of them: os.path, not pathlib.
# ruff: noqa: PTH118, PTH119, PTH120
from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

from reverie.core.session import Transcript, Unreadable
from reverie.hosts import decoding, disk
from reverie.hosts.disk import CannotRead
from reverie.hosts.opencode_reading import Data, Part, Place, Said, Session, time_or_none

HOST = "opencode"


def find(storage: str) -> Iterator[Transcript | Unreadable]:
    """Every session below a storage folder."""
    for project in disk.folders(HOST, os.path.join(storage, "session")):
        if isinstance(project, Unreadable):
            yield project
            continue
        for entry in disk.listing(HOST, project):
            if isinstance(entry, Unreadable):
                yield entry
            elif entry.name.endswith(".json"):
                yield from at(entry.path) or (Unreadable(host=HOST, path=entry.path, reason="broken_json"),)


def at(path: str) -> Sequence[Transcript | Unreadable] | None:
    """The session in this file, or None when it is not a session's."""
    storage, kind = os.path.split(os.path.dirname(os.path.dirname(path)))
    if kind != "session":
        return None
    try:
        disk.head(path, 1)
    except CannotRead as problem:
        return [disk.unreadable(HOST, path, problem)]
    facts = disk.small_json(path)
    if not isinstance(facts, dict) or not isinstance(facts.get("id"), str) or "time" not in facts:
        return None
    time = facts["time"] if isinstance(facts["time"], dict) else {}
    project = disk.small_json(os.path.join(storage, "project", f"{os.path.basename(os.path.dirname(path))}.json"))
    worktree = str(project.get("worktree") or "") if isinstance(project, dict) else ""
    parent = facts.get("parentID")
    return [Transcript(
        host=HOST, session=facts["id"], path=path, cwd=str(facts.get("directory") or worktree),
        started_at=disk.at_millis(time.get("created")), updated_at=disk.at_millis(time.get("updated")),
        project_hint="" if worktree == "/" else worktree, of_agent=bool(parent), about={"parent": parent} if parent else {},
    )]


class Source:
    """One session in files."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._storage = os.path.dirname(os.path.dirname(os.path.dirname(path)))
        self._places: list[tuple[Place, Data]] = []
        self._broken: list[str] = []

    def open(self) -> Session:
        """The session's facts; the messages' own files are small, their parts are read as they come. Raises ``CannotRead``."""
        disk.head(self._path, 1)
        self._places, self._broken = [], []
        facts = disk.small_json(self._path)
        if not isinstance(facts, dict):
            raise CannotRead("broken_json", f"{self._path!r} is not a session")
        for entry in disk.listing(HOST, os.path.join(self._storage, "message", str(facts.get("id")))):
            if isinstance(entry, Unreadable):
                self._broken.append(entry.reason)
            elif entry.name.endswith(".json"):
                self._add(entry.path)
        self._places.sort(key=lambda pair: pair[0])
        time = facts.get("time")
        revert = facts.get("revert")
        return Session(
            directory=str(facts.get("directory") or ""), revert=revert if isinstance(revert, dict) else None,
            created=time_or_none(time.get("created")) if isinstance(time, dict) else None, newest_elsewhere=None, line="files",
        )

    def _add(self, path: str) -> None:
        data = disk.small_json(path)
        if not isinstance(data, dict):
            self._broken.append("broken_json")
            return
        time = data.get("time")
        created = time_or_none(time.get("created")) if isinstance(time, dict) else None
        name = os.path.basename(path).removesuffix(".json")
        self._places.append((Place(created or 0, name), decoding.loosely(Data, data)))

    def close(self) -> None:
        """Nothing is held."""

    def count(self, upto: Place) -> int:
        """How many messages there are up to a place, it included."""
        return sum(1 for place, _ in self._places if place <= upto)

    def said_before(self, at: int, created: int) -> bool:
        """Files of other sessions are not searched: a fork's copy stays."""
        return False

    def messages(self, after: Place, skip: Callable[[str], None]) -> Iterator[Said]:
        """The messages after a place, in order."""
        for reason in self._broken:
            skip(reason)
        for place, data in self._places:
            if place > after:
                yield Said(place=place, data=data, parts=list(self._parts(place.id, skip)))

    def _parts(self, message: str, skip: Callable[[str], None]) -> Iterator[tuple[str, Part]]:
        for entry in disk.listing(HOST, os.path.join(self._storage, "part", message)):
            if isinstance(entry, Unreadable):
                skip(entry.reason)
            elif entry.name.endswith(".json"):
                part = disk.small_json(entry.path)
                if isinstance(part, dict):
                    yield entry.name.removesuffix(".json"), decoding.loosely(Part, part)
                else:
                    skip("broken_json")
