"""A conversation that a program hands over, as a transcript like any other."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from reverie import errors
from reverie.core.session import Cursor, Message, Reading, Transcript, Unreadable, Voice
from reverie.flows.learning import Job

SPEAKERS = {"user": Voice.PERSON, "assistant": Voice.ASSISTANT, "tool": Voice.TOOL}


def job(conversation: Iterable[tuple[str, str]], *, session: str, cwd: str, at: datetime) -> Job:
    """A job that reads the given (speaker, text) pairs. Without a session's id the words themselves make one, so that
    handing over the same conversation twice learns nothing new."""
    pairs = [(speaker, text) for speaker, text in conversation]
    for speaker, _ in pairs:
        if speaker not in SPEAKERS:
            raise errors.WrongUse(f"unknown speaker {speaker!r}; known are {', '.join(SPEAKERS)}")
    name = session or hashlib.sha256(repr(pairs).encode()).hexdigest()[:16]
    transcript = Transcript(host="reverie", session=name, path=f"(conversation {name})", cwd=cwd, started_at=at, updated_at=at)
    return Job(dialect=Spoken(pairs, at), transcript=transcript)


@dataclass(frozen=True, slots=True)
class Spoken:
    """The dialect of a conversation in memory: its position counts messages, so that a longer one goes on."""

    pairs: Sequence[tuple[str, str]]
    at_time: datetime
    name: str = "reverie"

    def find(self, home: str, environment: Mapping[str, str]) -> Iterator[Transcript | Unreadable]:
        return iter(())

    def at(self, path: str) -> None:
        return None

    def read(self, transcript: Transcript, since: Cursor | None = None) -> Reading:
        done = since.position if since else 0
        first = max(0, done - 6)
        messages = (
            Message(id=f"{number}", voice=SPEAKERS[speaker], text=text, at=self.at_time)
            for number, (speaker, text) in enumerate(self.pairs[first:], first)
        )
        return Reading(
            transcript=transcript, messages=messages, fresh_from=done - first, cwd=transcript.cwd, last_at=self.at_time,
            cursor=Cursor(position=len(self.pairs), context=first, messages=len(self.pairs)),
        )
