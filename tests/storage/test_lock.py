"""One process changes a home at a time, the others learn who."""

from __future__ import annotations

import errno
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from reverie.errors import StoreUnavailable
from reverie.storage.lock import Lock, UnixLocking, WindowsLocking

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def lock_in(folder: Path, seconds: float = 0.05) -> Lock:
    return Lock(str(folder / "lock"), seconds=seconds)


def test_the_holder_is_named_when_waiting_is_over(tmp_path: Path) -> None:
    with lock_in(tmp_path).held("learn"), pytest.raises(StoreUnavailable) as caught:
        lock_in(tmp_path).take("forget")
    assert f"process {os.getpid()} (learn)" in str(caught.value)
    assert "waited 0.05 s" in str(caught.value)


def test_without_waiting_the_answer_is_no(tmp_path: Path) -> None:
    with lock_in(tmp_path).held("learn"):
        assert not lock_in(tmp_path).take("forget", wait=False)
    other = lock_in(tmp_path)
    assert other.take("forget", wait=False)
    other.release()


def test_a_thread_may_take_it_again_and_another_thread_may_not(tmp_path: Path) -> None:
    lock = lock_in(tmp_path)
    refused: list[bool] = []
    with lock.held("learn"):
        with lock.held("learn"):
            pass
        thread = threading.Thread(target=lambda: refused.append(not lock.take("forget", wait=False)))
        thread.start()
        thread.join()
    assert refused == [True]
    assert lock_in(tmp_path).take("afterwards", wait=False)


def test_it_is_free_when_its_holder_is_killed(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        lock_in(tmp_path).take("learn")
        os.write(writing, b"x")
        signal.pause()
    os.read(reading, 1)
    os.close(reading)
    os.close(writing)
    assert not lock_in(tmp_path).take("forget", wait=False)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert lock_in(tmp_path).take("forget", wait=False)


def test_who_waits_gets_it_when_it_comes_free(tmp_path: Path) -> None:
    lock = lock_in(tmp_path)
    lock.take("learn")
    naps: list[float] = []

    def nap(seconds: float) -> None:
        naps.append(seconds)
        if len(naps) == 3:
            lock.release()

    other = Lock(str(tmp_path / "lock"), seconds=5, sleep=nap)
    assert other.take("forget")
    assert naps == [0.002, 0.004, 0.008]
    assert other.holder() == f"process {os.getpid()} (forget)"


def test_a_home_that_was_removed_and_made_again_has_a_lock_of_its_own(tmp_path: Path) -> None:
    class Slow(UnixLocking):
        """Between opening the file and locking it, the file is replaced."""

        def take(self, handle: int) -> bool:
            if not replaced:
                replaced.append(True)
                (tmp_path / "lock").unlink()
                (tmp_path / "lock").touch()
            return super().take(handle)

    replaced: list[bool] = []
    with Lock(str(tmp_path / "lock"), seconds=0.05, locking=Slow()).held("learn"):
        assert not lock_in(tmp_path).take("forget", wait=False)


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda path: path.mkdir(), id="a-folder"),
        pytest.param(lambda path: os.mkfifo(path), id="a-pipe"),
        pytest.param(lambda path: path.symlink_to("elsewhere"), id="a-link"),
    ],
)
def test_something_in_the_way_is_an_error(tmp_path: Path, make: Callable[[Path], object]) -> None:
    make(tmp_path / "lock")
    with pytest.raises(StoreUnavailable, match="cannot be locked"):
        lock_in(tmp_path).take("learn")
    assert not (tmp_path / "elsewhere").exists()


def test_junk_in_the_file_is_only_shown(tmp_path: Path) -> None:
    (tmp_path / "lock").write_bytes(b"\xff\x1b[31m \n evil" + b"x" * 1000)
    assert "\x1b" not in lock_in(tmp_path).holder()
    assert len(lock_in(tmp_path).holder()) <= 400
    assert lock_in(tmp_path).take("learn")


class FakeMsvcrt:
    """Windows' locking of bytes, as far as it is used."""

    LK_NBLCK = 2
    LK_UNLCK = 0

    def __init__(self) -> None:
        self.calls: list[tuple[int, int, int]] = []
        self.error = 0

    def locking(self, handle: int, mode: int, count: int) -> None:
        self.calls.append((os.lseek(handle, 0, os.SEEK_CUR), mode, count))
        if self.error and mode == self.LK_NBLCK:
            raise OSError(self.error, "locked")


def test_on_windows_one_byte_behind_the_text_is_locked(tmp_path: Path) -> None:
    msvcrt = FakeMsvcrt()
    lock = Lock(str(tmp_path / "lock"), seconds=0, locking=WindowsLocking(msvcrt))
    with lock.held("learn"):
        assert (tmp_path / "lock").read_text() == f"process {os.getpid()} (learn)"
    assert msvcrt.calls == [(WindowsLocking.PLACE, 2, 1), (WindowsLocking.PLACE, 0, 1)]


@pytest.mark.parametrize("error", [errno.EACCES, errno.EDEADLK])
def test_on_windows_a_held_lock_is_waited_for(tmp_path: Path, error: int) -> None:
    msvcrt = FakeMsvcrt()
    msvcrt.error = error
    with pytest.raises(StoreUnavailable, match="are being changed by"):
        Lock(str(tmp_path / "lock"), seconds=0.01, locking=WindowsLocking(msvcrt)).take("learn")


def test_a_full_disk_takes_only_the_holders_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "full")

    lock = lock_in(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        lock.take("learn")
    assert lock.holder() == "an unknown process"
    assert not lock_in(tmp_path).take("forget", wait=False)


def test_waiting_ends_in_time(tmp_path: Path) -> None:
    started = time.monotonic()
    with lock_in(tmp_path).held("learn"), pytest.raises(StoreUnavailable):
        lock_in(tmp_path, seconds=0.2).take("forget")
    assert 0.2 <= time.monotonic() - started < 2
