"""The lock of a home: one process changes what Reverie keeps, the others wait, and can say for whom.

The operating system holds the lock on an open file and lets it go when the process dies, however it dies: there is no
stale lock to be judged by its age. The text in the file names the holder and is only ever shown, never trusted.
"""

# pathlib costs a hook 16 ms:
# ruff: noqa: PTH116

from __future__ import annotations

import errno
import os
import stat
import sys
import threading
import time

from reverie.errors import StoreUnavailable
from reverie.storage.files import unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Protocol

    class Locking(Protocol):
        """How an operating system locks an open file without waiting."""

        def take(self, handle: int) -> bool: ...
        def release(self, handle: int) -> None: ...

    class Msvcrt(Protocol):
        """The part of Windows' ``msvcrt`` that is used."""

        LK_NBLCK: int
        LK_UNLCK: int

        def locking(self, handle: int, mode: int, count: int) -> None: ...


FIRST_PAUSE_SECONDS = 0.002             # a change takes a few milliseconds
LONGEST_PAUSE_SECONDS = 0.05
HOLDER_BYTES = 400
_OPTIONS = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(
    os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class UnixLocking:
    """``flock``: belongs to the open file, so that two openings in one process exclude each other too."""

    def take(self, handle: int) -> bool:
        import fcntl

        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in (errno.EAGAIN, errno.EACCES, errno.EWOULDBLOCK):
                return False
            raise
        return True

    def release(self, handle: int) -> None:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_UN)


class WindowsLocking:
    """``msvcrt.locking`` of one byte far behind the text that names the holder: a locked byte cannot be read."""

    PLACE = 0x7FFF_0000

    def __init__(self, msvcrt: Msvcrt) -> None:
        self._msvcrt = msvcrt

    def take(self, handle: int) -> bool:
        os.lseek(handle, self.PLACE, os.SEEK_SET)
        try:
            self._msvcrt.locking(handle, self._msvcrt.LK_NBLCK, 1)
        except OSError as error:
            if error.errno in (errno.EACCES, errno.EDEADLK):    # held; EDEADLK: the same, said after its own attempts
                return False
            raise
        return True

    def release(self, handle: int) -> None:
        os.lseek(handle, self.PLACE, os.SEEK_SET)
        self._msvcrt.locking(handle, self._msvcrt.LK_UNLCK, 1)


def system_locking() -> Locking:
    """The locking of the system that this runs on."""
    if sys.platform == "win32":
        import msvcrt

        return WindowsLocking(msvcrt)
    return UnixLocking()


class Lock:
    """The lock in one file: ``with lock.held("learn"):`` waits up to ``seconds``. A thread may take it again."""

    def __init__(
        self,
        path: str,
        *,
        seconds: float,
        locking: Locking | None = None,
        prepare: Callable[[], None] = lambda: None,
        sleep: Callable[[float], None] = time.sleep,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.path = path
        self._seconds = seconds
        self._locking = locking or system_locking()
        self._prepare = prepare         # makes the folder, when the lock is first taken
        self._sleep = sleep
        self._monotonic = monotonic
        self._thread = threading.RLock()
        self._depth = 0
        self._handle = -1

    def held(self, operation: str) -> Held:
        """A context that holds the lock; ``StoreUnavailable`` names the holder when it does not come free in time."""
        return Held(self, operation)

    def take(self, operation: str, *, wait: bool = True) -> bool:
        """Take the lock. Without ``wait``: whether that was possible at once."""
        if not self._thread.acquire(timeout=self._seconds if wait else 0):
            if wait:
                raise StoreUnavailable(self._held_by("another thread of this process"))
            return False
        if self._depth == 0:
            try:
                taken = self._open_and_take(operation, self._monotonic() + (self._seconds if wait else 0))
            except BaseException:
                self._thread.release()
                raise
            if not taken:
                self._thread.release()
                if wait:
                    raise StoreUnavailable(self._held_by(self.holder()))
                return False
        self._depth += 1
        return True

    def release(self) -> None:
        """Let go what ``take`` took."""
        self._depth -= 1
        if self._depth == 0:
            try:
                os.ftruncate(self._handle, 0)
            except OSError:             # the text is only there to be shown
                pass
            finally:
                self._let_go()
        self._thread.release()

    def holder(self) -> str:
        """Who holds the lock, by its own word: "process 12 (learn)"."""
        try:
            handle = os.open(self.path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        except OSError:
            return "an unknown process"
        try:
            text = os.read(handle, HOLDER_BYTES).decode("utf-8", "replace")
        except OSError:
            return "an unknown process"
        finally:
            os.close(handle)
        return " ".join(word for word in text.split() if word.isprintable()) or "an unknown process"

    def _held_by(self, holder: str) -> str:
        return (f"Reverie's files are being changed by {holder}: waited {self._seconds:g} s for {self.path!r}. "
                "Try again when it is done.")

    def _open_and_take(self, operation: str, until: float) -> bool:
        try:
            self._prepare()
            pause = FIRST_PAUSE_SECONDS
            while True:
                if self._handle < 0:
                    self._handle = self._open()
                if self._locking.take(self._handle):
                    if self._is_the_file():
                        self._sign(operation)
                        return True
                    self._let_go()      # the home was removed and made again meanwhile: this is the old one's lock
                    continue
                if self._monotonic() >= until:
                    self._close()
                    return False
                self._sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
        except OSError as error:
            self._close()
            raise unavailable(error, self.path, "locked") from error

    def _open(self) -> int:
        handle = os.open(self.path, _OPTIONS, 0o600)
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise OSError(errno.EEXIST, "not a regular file")
        return handle

    def _is_the_file(self) -> bool:
        try:
            there = os.stat(self.path)
        except FileNotFoundError:
            return False
        ours = os.fstat(self._handle)
        return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)

    def _sign(self, operation: str) -> None:
        text = f"process {os.getpid()} ({operation})".encode("utf-8", "replace")[:HOLDER_BYTES]
        try:
            os.ftruncate(self._handle, 0)
            os.lseek(self._handle, 0, os.SEEK_SET)
            os.write(self._handle, text)
        except OSError:                 # on a full disk the lock still holds, only without a name
            return

    def _let_go(self) -> None:
        try:
            self._locking.release(self._handle)
        finally:
            self._close()

    def _close(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


class Held:
    """What ``Lock.held`` gives: the lock, for the length of a ``with``."""

    __slots__ = ("_lock", "_operation")

    def __init__(self, lock: Lock, operation: str) -> None:
        self._lock = lock
        self._operation = operation

    def __enter__(self) -> None:
        self._lock.take(self._operation)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()
