"""The worker: learns in the background what hooks announced, and ends when nothing is due. No daemon.

``start`` is for a hook: it leaves a process behind that has a session, and a process group, of its own, so that it outlives
the client, and whose words go to ``worker.log`` in the home. Nobody waits for it: its parent is gone at once, the system
takes it over, and no zombie stays. Two of them do no harm: one works, the other ends.
"""

# ruff: noqa: PTH116, PTH118

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from typing import Any

LOG = "worker.log"
MOST_LOG_BYTES = 256 * 1024
MOST_SECONDS = 30 * 60                  # then it ends between two sessions; what is left waits for the next turn
MOST_STUCK_SECONDS = 10 * 60            # and after so much more it is ended wherever it is
# Windows: no window, no console of its own, and not in the group of whoever started it.
_DETACHED, _NEW_GROUP, _NO_WINDOW = 0x00000008, 0x00000200, 0x08000000


def command() -> list[str]:
    """What is run. By this file's package, whichever way the interpreter found it."""
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))    # noqa: PTH100, PTH120
    code = f"import sys; sys.path.insert(0, {package!r}); from reverie.entrypoints.worker import main; main()"
    return [sys.executable, "-I", "-c", code]


def options(*, windows: bool) -> dict[str, Any]:
    """How it is detached from whoever starts it."""
    if windows:
        return {"creationflags": _DETACHED | _NEW_GROUP | _NO_WINDOW}
    return {"start_new_session": True}


def start(root: str, environment: Mapping[str, str], *, windows: bool = os.name == "nt") -> int:
    """Start a worker for this home and leave it alone; its process id. Raises ``OSError``."""
    import subprocess

    with open(_log(root), "ab") as log:         # noqa: PTH123
        process = subprocess.Popen(
            command(), stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=root, close_fds=True,
            env={**environment, "REVERIE_HOME": root}, **options(windows=windows))
    process.returncode = 0              # it is not ours to wait for: no warning about it
    return process.pid


def _log(root: str) -> str:
    """Where its words go; begun anew when there are too many."""
    path = os.path.join(root, LOG)
    try:
        if os.stat(path).st_size > MOST_LOG_BYTES:
            os.replace(path, path + ".old")     # noqa: PTH105
    except OSError:
        return path
    return path


def main() -> None:
    """Be a worker. What goes wrong is one line in the log; the exit code is nobody's to read."""
    from reverie import errors
    from reverie.memory import open_memory

    started = time.monotonic()
    _end_at(MOST_SECONDS + MOST_STUCK_SECONDS)
    try:
        with open_memory(background=True) as memory:
            if memory.background_off:
                return
            done = memory.work(is_over=lambda: time.monotonic() - started > MOST_SECONDS)
            _say(f"{done} sessions in {time.monotonic() - started:.1f} s")
            for note in memory.space.home.notes:
                _say(note)
    except (errors.ReverieError, OSError) as error:
        _say(str(error))


def _end_at(seconds: float) -> None:
    """End this process then, wherever it is: its leases end by themselves."""
    import threading

    def over() -> None:
        _say(f"ended after {seconds:.0f} s: it was stuck")
        os._exit(1)

    timer = threading.Timer(seconds, over)
    timer.daemon = True
    timer.start()


def _say(said: str) -> None:
    from datetime import UTC, datetime

    sys.stdout.write(f"{datetime.now(UTC).isoformat(timespec='seconds')} {os.getpid()} {said}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
