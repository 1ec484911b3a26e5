"""A process may die at any instant: what it acknowledged stands, the rest is the old state or the new one, never a part.

``Dying`` ends the process at the n-th operation that changes the disk or ends a transaction, for every n there is.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from reverie.core.edits import Edit, Observed
from reverie.core.events import Cause, Tombstone, Touched, Use
from reverie.core.session import Cursor
from reverie.errors import Conflict
from reverie.storage import journal  # before the children are made, each of which would import it
from reverie.storage.history import digest_of
from reverie.storage.home import Home
from reverie.storage.writing import System

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

assert journal
CAUSE = Cause(operation="learn", actor="rules")
State = Mapping[str, bytes]
STATES: list[State] = [
    {},
    {"p/a.md": b"a1", "p/b.md": b"b1", "p/MEMORY.md": b"- a1\n- b1\n"},
    {"p/a.md": b"a2", "p/c/c.md": b"c1" * 5000, "p/MEMORY.md": b"- a2\n- c1\n"},
    {"p/a.md": b"a1", "p/b.md": b"b1", "p/MEMORY.md": b"- a1\n- b1\n"},
    {"p/a.md": b"a1", "p/b.md": b"b1", "p/MEMORY.md": b"- a1\n- b1\n", "q/d.md": b""},
]


class Dying(System):
    """Dies before the n-th operation; in the middle of it, if it writes."""

    def __init__(self, at: int) -> None:
        self.done = 0
        self._at = at

    def _operation(self) -> None:
        self.done += 1
        if self.done == self._at:
            os._exit(9)

    def make_folder(self, path: str) -> None:
        self._operation()
        super().make_folder(path)

    def create(self, path: str, mode: int) -> int:
        self._operation()
        return super().create(path, mode)

    def write(self, handle: int, data: bytes) -> None:
        super().write(handle, data[: len(data) // 2])
        self._operation()
        super().write(handle, data[len(data) // 2 :])

    def force(self, handle: int) -> None:
        self._operation()
        super().force(handle)

    def set_time(self, path: str, mtime_ns: int) -> None:
        self._operation()
        super().set_time(path, mtime_ns)

    def rename(self, source: str, target: str) -> None:
        self._operation()
        super().rename(source, target)

    def remove(self, path: str) -> None:
        self._operation()
        super().remove(path)

    def force_folder(self, path: str) -> None:
        self._operation()
        super().force_folder(path)

    def reached(self, step: str) -> None:
        self._operation()


def open_home(root: Path, system: System | None = None) -> Home:
    return Home(str(root), lambda: datetime.now(UTC), system=system)


def edits(before: State, after: State) -> list[Edit]:
    return [
        Edit(path=f"stores/{path}", before=before.get(path), after=after.get(path))
        for path in sorted(before.keys() | after.keys())
    ]


def act(home: Home, first: int, acknowledge: Callable[[int], object], last: int = len(STATES) - 1) -> None:
    """Lead a home from one state to another, by commits and one undo; each with a cursor, a memory, a tombstone."""
    for number in range(first + 1, last + 1):
        if number == 3:
            home.journal.undo(last=1)
        else:
            home.journal.commit(
                edits(STATES[number - 1], STATES[number]), cause=CAUSE, cursor=("t", Cursor(position=number)),
                touched=[Touched(memory=f"m{number}", action="added")],
                tombstones=[Tombstone(fingerprint=str(number), words="")])
        acknowledge(number)


def run_and_die(root: Path, first: int, at: int, last: int = len(STATES) - 1) -> tuple[bool, int]:
    """Act in a child that dies at an operation: whether it died, and the last state that it acknowledged."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            act(open_home(root, Dying(at)), first, lambda number: os.write(writing, bytes([number])), last)
            os._exit(0)
        finally:
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        acknowledged = pipe.read()
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    assert code in (0, 9), code
    return code == 9, max(acknowledged, default=first)


def state_of(home: Home, files: State) -> int:
    """Which state a home is in, by its records: they must agree with its files."""
    changes = home.journal.changes(limit=100)
    assert [change.status for change in changes if change.status == "pending"] == []
    number = len(changes)
    assert files == STATES[number]
    cursor = home.records.cursor("t")
    assert (cursor.position if cursor else 0) == [0, 1, 2, 2, 4][number]
    stones = [stone.fingerprint for stone in home.records.tombstones()]
    assert stones == [[], ["1"], ["1", "2"], ["1"], ["1", "4"]][number]
    return number


def check_files(root: Path) -> State:
    found = {path.relative_to(root).as_posix(): path for path in root.rglob("*") if path.is_file()}
    assert [name for name in found if name.startswith("stores") and "reverie-tmp" in name] == []
    if (root / "state.db").exists():
        with closing(sqlite3.connect(root / "state.db")) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    return {name.removeprefix("stores/"): path.read_bytes() for name, path in found.items()
            if name.startswith("stores/")}


def test_a_process_that_dies_at_any_operation_leaves_the_old_state_or_the_new(fast_folder: Path) -> None:
    at = 0
    died = True
    seen: set[tuple[int, int]] = set()
    while died:
        at += 1
        root = fast_folder / f"home-{at}"
        died, acknowledged = run_and_die(root, 0, at)
        with open_home(root) as home:
            number = state_of(home, check_files(root))
            assert number in (acknowledged, acknowledged + 1)
            seen.add((acknowledged, number))
            act(home, number, lambda number: None)              # run again, it ends as an undisturbed run does
            assert state_of(home, check_files(root)) == len(STATES) - 1
    assert at > 80, "the seam sees every operation"
    assert seen == {(k, k + later) for k in range(len(STATES) - 1) for later in (0, 1)} | {(4, 4)}


@pytest.mark.slow
def test_a_process_that_dies_while_it_completes_a_change_is_completed_too(fast_folder: Path) -> None:
    """The second change, the fullest one, dies at each of its operations; then each attempt to complete it does."""
    with open_home(fast_folder / "first") as home:
        act(home, 0, lambda number: None, last=1)
    deaths = 0
    for at in range(2, 100, 3):                                  # each kind of operation is met, in a third of the time
        dead = fast_folder / f"dead-{at}"
        shutil.copytree(fast_folder / "first", dead)
        died, _ = run_and_die(dead, 1, at, last=2)
        if not died:
            break
        for again in range(1, 100):
            root = fast_folder / "again"
            shutil.copytree(dead, root)
            if not dies_opening(root, again):
                break
            deaths += 1
            with open_home(root) as home:
                assert state_of(home, check_files(root)) == 2
            shutil.rmtree(root)
        shutil.rmtree(root)
    assert at > 20
    assert deaths > 50


def dies_opening(root: Path, at: int) -> bool:
    """Open a home in a child that dies at an operation: whether it died."""
    child = os.fork()
    if child == 0:
        try:
            open_home(root, Dying(at)).close()
            os._exit(0)
        finally:
            os._exit(1)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, 9), code
    return code == 9


def count(home: Home, writing: int) -> None:
    """Count up in two files, which never differ, and acknowledge each number, the one found first."""
    while True:
        held = {name: home.path("stores", name) for name in ("a", "b")}
        before = {name: Path(path).read_bytes() if Path(path).exists() else None for name, path in held.items()}
        number = int(before["a"] or b"0")
        os.write(writing, number.to_bytes(4, "big"))
        number += 1
        home.journal.commit(
            [Edit(path=f"stores/{name}", before=before[name], after=b"%d" % number) for name in held],
            cause=CAUSE, cursor=("t", Cursor(position=number)))


@pytest.mark.slow
def test_processes_killed_at_random_lose_nothing(fast_folder: Path) -> None:
    root = fast_folder / "home"
    chance = random.Random(7)
    acknowledged = 0
    for run in range(100):
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                count(open_home(root), writing)
            finally:
                os._exit(1)
        os.close(writing)
        started = b""
        for _ in range(chance.randint(1, 3) if run % 10 else 0):    # some die while they open the home
            started += os.read(reading, 4)
        time.sleep(chance.uniform(0, 0.01))
        os.kill(child, signal.SIGKILL)
        with os.fdopen(reading, "rb") as pipe:
            numbers = started + pipe.read()
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL, "the child ended by itself"
        acknowledged = max(acknowledged, int.from_bytes(numbers[-4:], "big"))
        with open_home(root) as home:
            files = check_files(root)
            cursor = home.records.cursor("t")
            number = int(files.get("a", b"0"))
            assert files.get("a") == files.get("b")
            assert (cursor.position if cursor else 0) == number == len(home.journal.changes(limit=1_000_000))
            assert number in (acknowledged, acknowledged + 1)
            acknowledged = number
    assert acknowledged > 90


@pytest.mark.slow
def test_eight_processes_at_once_lose_nothing(fast_folder: Path) -> None:
    root = fast_folder / "home"
    log = root / "stores" / "log.md"
    children = []
    for process in range(8):
        child = os.fork()
        if child == 0:
            try:
                home = Home(str(root), lambda: datetime.now(UTC), lock_seconds=60, busy_seconds=60)
                for number in range(50):
                    append(home, log, process, number, locked=process % 2 == 0)
                os._exit(0)
            finally:
                os._exit(1)
        children.append(child)
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0] * 8
    lines = log.read_text().splitlines()
    assert sorted(lines) == sorted(f"{process} {number}" for process in range(8) for number in range(50))
    for process in range(8):                                    # each one's own order, too
        assert [line for line in lines if line.startswith(f"{process} ")] == [f"{process} {n}" for n in range(50)]
    with open_home(root) as home:
        check_files(root)
        assert len(home.journal.changes(limit=1000)) == 400
        assert home.records.usage()["m"].uses == 400
        assert home.records.frozen("s", "reverie") == (root / "stores" / "first.md").read_text()


def append(home: Home, log: Path, process: int, number: int, *, locked: bool) -> None:
    """Add a line to a file that all write: under the lock, or by planning again when someone was quicker."""
    def once() -> None:
        before = log.read_bytes() if log.exists() else None
        frozen = home.records.freeze("s", "reverie", f"by {process}")
        edits = [
            Edit(path="stores/log.md", before=before, after=(before or b"") + b"%d %d\n" % (process, number)),
            Edit(path=f"stores/{process}.md", before=b"%d" % (number - 1) if number else None, after=b"%d" % number),
        ]
        first = log.parent / "first.md"
        if not first.exists():
            edits.append(Edit(path="stores/first.md", before=None, after=frozen.encode()))
        home.journal.commit(edits, cause=CAUSE)

    if locked:
        with home.lock("learn"):
            once()
    else:
        while True:
            try:
                once()
                break
            except Conflict:
                continue
    home.records.credit([Use(memory="m")])


PATH = "stores/p/a.md"
OLD, RAW, MASKED = b"old\n", b"the key is SECRET-0123456789\n", b"the key is [MASKED]\n"
DAY_NS = 1_700_000_000_000_000_000


def test_a_process_that_dies_while_it_takes_over_what_another_hand_changed_leaves_that_or_what_was_announced(fast_folder: Path) -> None:
    first = fast_folder / "first"
    with Home(str(first), lambda: datetime.now(UTC)) as home:
        home.journal.commit([Edit(path=PATH, before=None, after=OLD), Edit(path="stores/p/b.md", before=None, after=OLD)], cause=CAUSE)
        Path(home.path(PATH)).write_bytes(RAW)
        os.utime(home.path(PATH), ns=(DAY_NS, DAY_NS))
        Path(home.path("stores/p/b.md")).write_bytes(b"by hand\n")
    outcomes = set()
    completed = 0
    for at in range(1, 60):
        root = fast_folder / f"dead-{at}"
        shutil.copytree(first, root)
        died = dies_adopting(root, at)
        again = fast_folder / f"again-{at}"
        shutil.copytree(root, again)
        completed += dies_opening(again, 3)                     # and whoever completes it may die, too
        for place in (root, again):
            with open_home(place) as home:
                adopted = [change for change in home.journal.changes() if change.cause.operation == "adopt"]
                assert [change.conflicts for change in adopted if change.conflicts] == []
                assert [change.status for change in adopted if change.status != "done"] == []
                assert Path(home.path(PATH)).read_bytes() == (MASKED if adopted else RAW)
                assert Path(home.path("stores/p/b.md")).read_bytes() == b"by hand\n"
                assert not list(place.rglob("*reverie-tmp"))
                outcomes.add(bool(adopted))
                if adopted:
                    assert b"SECRET" not in b"".join(path.read_bytes() for path in place.rglob("*") if path.is_file())
                    assert Path(home.path(PATH)).stat().st_mtime_ns == DAY_NS
                    home.journal.undo(change=adopted[0].id)
                    assert Path(home.path(PATH)).read_bytes() == OLD
        if not died:
            break
    assert outcomes == {True, False}
    assert at > 8
    assert completed


def dies_adopting(root: Path, at: int) -> bool:
    child = os.fork()
    if child == 0:
        try:
            home = open_home(root, Dying(at))
            home.journal.commit(
                [Edit(path="stores/p/b.md", before=b"by hand\n", after=b"by hand\n", observed=Observed(known=digest_of(OLD))),
                 Edit(path=PATH, before=RAW, after=MASKED, observed=Observed(known=digest_of(OLD)), mtime_ns=DAY_NS)],
                cause=Cause(operation="adopt", actor="agent"))
            os._exit(0)
        finally:
            os._exit(1)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, 9), code
    return code == 9
