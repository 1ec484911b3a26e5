"""Events across sessions and processes: one order, resumable, followed while others write."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from importlib import resources
from pathlib import Path
from typing import IO, Any

import pytest

from reverie import errors
from reverie.core.events import KINDS, Event
from reverie.memory import Memory, open_memory

SAMPLES = str(Path(str(resources.files("reverie.samples"))) / "home")
COMMAND = [sys.executable, "-m", "reverie", "events", "--json"]


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = datetime(2026, 12, 2, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Iterator[Memory]:
    with open_memory(tmp_path / "home", cwd=tmp_path, environment={"HOME": SAMPLES}, clock=clock) as memory:
        yield memory


def kinds(events: Sequence[Event]) -> list[str]:
    return [event.kind for event in events]


class Enough(Exception):
    """Ends a following."""


def test_a_home_without_anything_has_no_events_and_stays_unmade(tmp_path: Path, memory: Memory) -> None:
    assert list(memory.events()) == []
    assert not (tmp_path / "home").exists()


def test_what_happens_is_told_in_order(memory: Memory) -> None:
    memory.learn(agents_home=SAMPLES)
    found, _ = memory.remember("Incidents are tracked in Linear under HRV and nowhere else")
    memory.session_block("s1")
    memory.credit(memory.read(found.memory.id))
    change = memory.forget(found.memory.id)
    memory.undo(change=change)
    events = list(memory.events())
    assert [event.number for event in events] == sorted(event.number for event in events)
    assert len({event.id for event in events}) == len(events)
    assert kinds(events)[0] == "run_started"
    assert set(kinds(events)) >= {"run_ended", "session_read", "refused", "change", "session_started", "used", "undo"}
    assert set(kinds(events)) <= set(KINDS)
    last = events[-1]
    assert (last.kind, last.facts["undoes"]) == ("undo", [change])
    told: Any = next(event for event in events if event.facts.get("operation") == "remember").facts["memories"]
    assert told[0]["action"] == "added"
    for event in events:
        json.dumps(event.as_dict())


def test_each_kind_can_be_asked_for(memory: Memory) -> None:
    memory.learn(agents_home=SAMPLES)
    assert set(kinds(list(memory.events(kinds=["change", "refused"])))) == {"change", "refused"}
    with pytest.raises(errors.WrongUse, match="no events of the kind 'x'"):
        memory.events(kinds=["x"])


def test_nothing_that_was_off_the_record_or_secret_is_told(memory: Memory) -> None:
    memory.learn(agents_home=SAMPLES)
    told = json.dumps([event.as_dict() for event in memory.events()])
    assert "off_record" in told
    assert "Ilse" not in told
    assert "hrv_live" not in told


def test_it_goes_on_after_an_event(memory: Memory) -> None:
    memory.learn(agents_home=SAMPLES)
    events = list(memory.events())
    assert list(memory.events(after=events[4].id)) == events[5:]
    assert list(memory.events(after=str(events[4].number))) == events[5:]
    assert list(memory.events(after=events[-1].id)) == []


@pytest.mark.parametrize("after", ["x", "-1", "1;2", "zzzzzzzz-1", "9" * 30, "1 2", "3fa9c1d2-"])
def test_an_id_that_is_none_is_refused(memory: Memory, after: str) -> None:
    with pytest.raises(errors.WrongUse, match="no event's id"):
        memory.events(after=after)


def test_the_order_is_that_of_the_numbers_whatever_the_clock_does(memory: Memory, clock: Clock) -> None:
    memory.remember("Incidents are tracked in Linear under HRV")
    clock.now -= timedelta(days=30)
    memory.remember("Deploys of the gateway happen on Mondays")
    one, two = memory.events(kinds=["change"])
    assert one.number < two.number
    assert one.at > two.at
    assert list(memory.events(kinds=["change"], since="2026-12-01")) == [one]


def test_a_change_that_fails_is_not_told(memory: Memory) -> None:
    with pytest.raises(errors.SecretRefused):
        memory.remember("the key is ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8")
    assert "change" not in kinds(list(memory.events()))


def test_following_sees_what_comes(memory: Memory) -> None:
    memory.remember("Incidents are tracked in Linear under HRV")
    looks = 0

    def wait(_seconds: float) -> None:
        nonlocal looks
        looks += 1
        if looks == 1:
            memory.remember("Deploys of the gateway happen on Mondays")
        if looks == 3:
            raise Enough

    seen = []
    with pytest.raises(Enough):
        for event in memory.events(follow=True, kinds=["change"], wait=wait):
            seen.append(event)
    assert len(seen) == 2


@pytest.mark.parametrize("loss", ["damaged", "deleted", "replaced"])
def test_following_survives_the_loss_of_the_database(tmp_path: Path, memory: Memory, loss: str) -> None:
    for number in range(3):
        memory.remember(f"Service number{number} is owned by team{number}")
    looks = 0

    def wait(_seconds: float) -> None:
        nonlocal looks
        looks += 1
        database = tmp_path / "home" / "state.db"
        if looks == 1:
            if loss == "damaged":
                memory.close()
                database.write_bytes(b"this is no database, " * 1000)
            else:
                for name in ("state.db", "state.db-wal", "state.db-shm"):
                    (tmp_path / "home" / name).unlink(missing_ok=True)
        if looks == 2 or (looks == 1 and loss == "replaced"):
            with open_memory(tmp_path / "home", cwd=tmp_path) as other:
                other.remember("Deploys of the gateway happen on Mondays")
        if looks == 4:
            raise Enough

    seen = []
    with pytest.raises(Enough):
        for event in memory.events(follow=True, kinds=["change"], wait=wait):
            seen.append(event)
    assert len(seen) >= 4
    assert seen[-1].id.rpartition("-")[0] != seen[2].id.rpartition("-")[0], "a new database has a name of its own"
    assert any("are gone with their database" in note for note in memory.space.home.notes)
    assert next(iter(memory.events(after=seen[2].id))).number == 1


def test_what_is_no_longer_kept_is_said(tmp_path: Path, memory: Memory) -> None:
    for number in range(4):
        memory.remember(f"Service number{number} is owned by team{number}")
    with closing(sqlite3.connect(tmp_path / "home" / "state.db")) as connection:
        connection.execute("DELETE FROM events WHERE id <= 3")
        connection.commit()
    assert [event.number for event in memory.events(after="1")] == [4]
    assert "2 events after number 1 are no longer kept." in memory.space.home.notes


def test_pruning_keeps_the_newest(memory: Memory) -> None:
    memory.learn(agents_home=SAMPLES)
    before = list(memory.events())
    memory.space.home.journal.prune()
    assert list(memory.events()) == before


# ---- as a process of its own


@contextmanager
def follower(home: Path, *args: str) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [*COMMAND, "--follow", *args], env={**os.environ, "REVERIE_HOME": str(home)}, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, cwd=home.parent, preexec_fn=heeding,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def _heed() -> None:
    """What a shell starts in the background does not hear Ctrl-C, and neither would a child of it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


heeding = None if os.name == "nt" else _heed


def next_line(stream: IO[str], seconds: float) -> str:
    found: list[str] = []
    reader = threading.Thread(target=lambda: found.append(stream.readline()), daemon=True)
    reader.start()
    reader.join(seconds)
    return found[0] if found else ""


def test_another_process_s_event_is_told_within_a_second_and_an_interrupt_ends_it_cleanly(tmp_path: Path, memory: Memory) -> None:
    memory.remember("Incidents are tracked in Linear under HRV")
    with follower(tmp_path / "home", "--kind", "change") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert json.loads(next_line(process.stdout, 20))["kind"] == "change"
        memory.remember("Deploys of the gateway happen on Mondays")
        started = time.monotonic()          # what remembering takes is not the follower's
        told = json.loads(next_line(process.stdout, 20))
        assert told["memories"][0]["name"].startswith("Deploys")
        assert time.monotonic() - started < 2.0, "a quarter of a second, on a busy machine"
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
        assert process.stderr.read() == ""


@pytest.mark.skipif(os.name == "nt", reason="a closed pipe is noticed by poll, which Windows has not")
def test_it_ends_when_its_reader_is_gone_though_nothing_happens(tmp_path: Path, memory: Memory) -> None:
    memory.remember("Incidents are tracked in Linear under HRV")
    with follower(tmp_path / "home") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert next_line(process.stdout, 20)
        process.stdout.close()
        process.wait(20)
        assert "Traceback" not in process.stderr.read()


@pytest.mark.slow
def test_following_costs_next_to_nothing(tmp_path: Path, memory: Memory) -> None:
    resource = pytest.importorskip("resource")
    memory.remember("Incidents are tracked in Linear under HRV")
    for event in memory.events():
        last = event.id
    before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    ends = time.monotonic() + 4

    def wait(seconds: float) -> None:
        time.sleep(seconds)
        if time.monotonic() > ends:
            raise Enough

    with pytest.raises(Enough):
        list(memory.events(after=last, follow=True, wait=wait))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_utime - before < 0.2
