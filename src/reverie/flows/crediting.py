"""What a session's transcript shows to have been of use, while it is learned: with its memories, and with the sessions that
those came from, by whose use Codex's design decides what it keeps (study, Codex §6)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from reverie.core import calls, crediting, memory_reads
from reverie.core import place as places
from reverie.core.crediting import Crediting, Shelved
from reverie.core.events import How, Use
from reverie.core.place import Place
from reverie.core.session import Message, Transcript, Voice
from reverie.flows.space import Space
from reverie.storage import extracts

if TYPE_CHECKING:
    from reverie.storage.records import Statement

MOST_USES = 500                 # of one reading: more would be somebody's game with the counters
SESSION_CHARACTERS = 200        # of a cited id


class Watch:
    """Looks over the shoulder of a reading. Memories that the session could not see are never credited."""

    def __init__(self, space: Space, place: Place, transcript: Transcript) -> None:
        self._space = space
        self._host = transcript.host
        self._session = transcript.session
        shelf = list(_shelf(space, place))
        self._from = {each.id: each.memory.source.session for each in shelf}
        self._project = places.project_key(place) if place.cwd else ""
        self._crediting = Crediting(shelf, transcript.host, transcript.session, paths=_paths, command=_command)
        self._cited: list[Use] = []
        self._parts: list[Use] = []     # of a Codex memory that were read, by kind

    def see(self, message: Message, *, fresh: bool) -> None:
        """The next message, in order."""
        self._crediting.see(message, fresh=fresh)
        for session in message.cites if fresh else ():
            if self._is_known(session):
                self._cited.append(self._use(self._thread(session), How.CITED, message))
        if fresh and message.voice is Voice.TOOL and not message.failed:
            for kind in memory_reads.kinds(_paths(message)):
                self._parts.append(self._use(f"{self._space.design.name}/parts/{kind}", How.READ, message))

    def _is_known(self, session: str) -> bool:
        """Whether a cited session is one that this session could know: memories that are seen here came from it, or it was of
        this project. Ids that are nobody's are no use, as in Codex (spec/codex §13), and nothing is credited across projects."""
        if not 0 < len(session) <= SESSION_CHARACTERS:
            return False
        if session in self._from.values():
            return True
        return bool(self._project) and self._project in self._space.home.extracts.projects(self._space.design.name, session)

    def _use(self, memory: str, how: How, message: Message) -> Use:
        return Use(memory=memory, how=how, host=self._host, session=self._session, message=message.id or "?", at=message.at)

    def uses(self) -> list[Use]:
        """Each use of a memory, and of the session that it came from."""
        of_memories = self._crediting.uses()[:MOST_USES]
        cited = {use.memory for use in self._cited}
        threads = [
            replace(use, memory=thread) for use in of_memories
            if (session := self._from.get(use.memory, "")) and (thread := self._thread(session)) not in cited
        ]
        return [*of_memories, *self._cited[:MOST_USES], *threads, *self._parts[:MOST_USES]]

    def statements(self, uses: list[Use], now: datetime) -> list[Statement]:
        """What makes the counters of phase 1's outputs follow from those uses."""
        prefix = self._thread("")
        latest: dict[str, datetime] = {}
        for use in uses:
            if use.memory.startswith(prefix):
                session = use.memory.removeprefix(prefix)
                latest[session] = max(latest.get(session, use.at or now), use.at or now)
        return [
            extracts.credit_statement(self._space.design.name, session, self._thread(session), at)
            for session, at in latest.items()
        ]

    def _thread(self, session: str) -> str:
        """The name under which the uses of a session's memories together are kept."""
        return f"{self._space.design.name}/threads/{session}"


def _paths(message: Message) -> tuple[str, ...]:
    """The files that a tool read: those it was asked to read, and those that a command which only looks was given."""
    call = _call(message.tool, message.call)
    if call.writes:
        return ()
    read = [path for line in call.command.splitlines() for path in memory_reads.paths_read(line)]
    return (*call.paths, *read)


def _command(message: Message) -> str:
    return _call(message.tool, message.call).command


@lru_cache(maxsize=4)           # asked for several times for one message, then never again
def _call(tool: str, given: str) -> calls.Call:
    return calls.understood(tool, given)


def _shelf(space: Space, place: Place) -> Iterator[Shelved]:
    if not place.cwd:       # nobody knows yet where it was held, and so what it could see
        return
    for mount in space.mounts(place):
        store = space.store(mount)
        for memory in store.contents().memories:
            if space.visible(memory, mount):
                path = "" if ":" in memory.id else os.path.join(store.root, *memory.id.split("/"))  # noqa: PTH118
                yield Shelved(id=store.full_id(memory.id), memory=memory, path=path)


def warning(space: Space) -> str:
    """What to tell a person when an agent that used to cite its memories has stopped, else ""."""
    records = space.home.records
    for host in ("codex",):         # the only one that is asked to cite
        cited = records.uses_by_kind(host).get(str(How.CITED))
        if cited is None or cited.last_used is None:
            continue
        since = records.sessions_since(host, cited.last_used)
        if crediting.stopped(cited=cited.uses, sessions_since=since):
            return (
                f"{host} has cited no memory in {since} sessions, since {cited.last_used:%Y-%m-%d}; before, it did {cited.uses} "
                "times. Its model may no longer follow that habit. What transcripts show to have been used still counts, so "
                "nothing is forgotten for this alone."
            )
    return ""
