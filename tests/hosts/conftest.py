"""What the tests of the readers share: writing transcripts, and reading them to the end."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from reverie import hosts
from reverie.core.session import Cursor, Message, Reading, Transcript, Unreadable


def write_lines(path: Path, records: Sequence[Any], *, end: str = "\n") -> Path:
    """Write records as JSON Lines, in the form in which JavaScript writes them; bytes are written as they are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [
        record if isinstance(record, bytes) else json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()
        for record in records
    ]
    path.write_bytes(b"\n".join(lines) + (end.encode() if lines else b""))
    return path


@pytest.fixture
def write() -> Callable[..., Path]:
    return write_lines


class Read:
    """A reading that was read to its end."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.all: list[Message] = list(reading.messages)
        self.fresh = self.all[reading.fresh_from:]
        self.skipped = reading.skipped
        self.cursor = reading.cursor

    @property
    def said(self) -> list[tuple[str, str]]:
        """Voices and texts of the fresh messages."""
        return [(message.voice.value, message.text) for message in self.fresh]

    def by(self, voice: str) -> list[str]:
        """The texts of one voice."""
        return [message.text for message in self.fresh if message.voice == voice]


def read_at(path: Path, host: str, since: Cursor | None = None) -> Read:
    """Read the one session in a file."""
    dialect = hosts.get(host)
    found = dialect.at(str(path))
    assert found is not None
    assert len(found) == 1
    assert isinstance(found[0], Transcript), found[0]
    return Read(dialect.read(found[0], since))


@pytest.fixture
def read() -> Callable[..., Read]:
    return read_at


@pytest.fixture
def find() -> Callable[..., list[Transcript]]:
    """All sessions of a host below a home, none of them unreadable."""

    def found(host: str, home: Path, **environment: str) -> list[Transcript]:
        sessions: list[Transcript] = []
        for one in hosts.find_all(str(home), environment, [host]):
            assert not isinstance(one, Unreadable), one
            sessions.append(one)
        return sessions

    return found


@pytest.fixture
def split() -> Callable[..., None]:
    """Read a transcript in two readings, cut at every line end and in the middle of every line: together they are one reading."""

    def everywhere(path: Path, host: str) -> None:
        whole = path.read_bytes()
        expected = read_at(path, host).all
        dialect = hosts.get(host)
        found = dialect.at(str(path))
        assert found is not None
        transcript = found[0]
        assert isinstance(transcript, Transcript)
        cuts, at = [], 0
        for line in whole.splitlines(keepends=True):
            cuts += [at + len(line) // 2, at + len(line) - 1, at + len(line)]
            at += len(line)
        for cut in cuts:
            path.write_bytes(whole[:cut])
            first = Read(dialect.read(transcript))
            path.write_bytes(whole)
            second = Read(dialect.read(transcript, first.cursor))
            assert first.fresh + second.fresh == expected, cut
            assert not second.reading.restarted
            context = first.fresh[len(first.fresh) - second.reading.fresh_from:]
            assert [one.id for one in second.all[:second.reading.fresh_from]] == [one.id for one in context]

    return everywhere
