"""Homes, clocks and child processes for the tests of storage."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import traceback
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Protocol

import pytest

from reverie.core.events import Cause
from reverie.storage.home import Home

NOBODY = 65534


class Clock:
    """A clock that goes on by a second at each look, unless it is set."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


class MakeHome(Protocol):
    def __call__(self, root: Path | None = None, **options: Any) -> Home: ...


class InChild(Protocol):
    def __call__(self, act: Callable[[], object], *, user: int | None = None) -> str: ...


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def make_home(tmp_path: Path, clock: Clock) -> Iterator[MakeHome]:
    """Open homes (by default the one below tmp_path) and close them at the end."""
    opened: list[Home] = []

    def make(root: Path | None = None, **options: Any) -> Home:
        home = Home(str(root or tmp_path / "home"), options.pop("clock", clock), **options)
        opened.append(home)
        return home

    yield make
    for home in opened:
        home.close()


@pytest.fixture
def home(make_home: MakeHome) -> Home:
    return make_home()


@pytest.fixture
def cause() -> Cause:
    return Cause(operation="learn", actor="rules", host="claude-code", session="s1")


@pytest.fixture
def tree() -> Callable[[Path], Mapping[str, bytes]]:
    """All files below a folder, with their bytes."""

    def look(root: Path) -> Mapping[str, bytes]:
        return {
            path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()
        }

    return look


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that any user may look into (pytest's own are closed)."""
    folder = Path(tempfile.mkdtemp(prefix="reverie-test-"))
    folder.chmod(0o755)
    yield folder
    for path in [folder, *folder.rglob("*")]:
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o755)
    shutil.rmtree(folder)


@pytest.fixture
def fast_folder(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory, where the system has one: for tests of dying processes, which no slow disk should hold up."""
    memory = Path("/dev/shm")
    if not (memory.is_dir() and os.access(memory, os.W_OK)):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(prefix="reverie-test-", dir=memory) as folder:
        yield Path(folder)


@pytest.fixture
def in_child() -> InChild:
    """Act in a process of its own, as another user if asked; gives what it returned, as text."""

    def run(act: Callable[[], object], *, user: int | None = None) -> str:
        if not hasattr(os, "fork"):
            pytest.skip("needs fork")
        if user is not None and os.geteuid() != 0:
            pytest.skip("only root can become another user")
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            try:
                signal.setitimer(signal.ITIMER_REAL, 0)
                if user is not None:
                    os.setgroups([])
                    os.setgid(user)
                    os.setuid(user)
                text, code = str(act()), 0
            except BaseException:
                text, code = traceback.format_exc(), 1
            os.write(writing, text.encode("utf-8", "backslashreplace")[:60_000])
            os._exit(code)
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            text = pipe.read().decode()
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0, text
        return text

    return run


@pytest.fixture
def in_child_as_user(in_child: InChild) -> Callable[[Callable[[], object]], str]:
    """Act as an ordinary user, whoever runs the tests: root sees no read-only folder."""

    def run(act: Callable[[], object]) -> str:
        return in_child(act, user=NOBODY) if os.geteuid() == 0 else in_child(act)

    return run


