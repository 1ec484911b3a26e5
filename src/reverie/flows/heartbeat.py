"""A heartbeat for long work: while it lasts, the lease of its job is begun anew again and again (spec/codex §8.1).

The beat goes on in a thread of its own, for a model may think for minutes. When somebody else has taken the job, ``check``
raises; whoever works asks it before each step that costs or writes something.
"""

from __future__ import annotations

import threading
from types import TracebackType

from reverie import errors
from reverie.storage.jobs import Claim, Jobs

SECONDS = 90.0                          # spec/codex §8.1


class Heartbeat:
    """A context in which a claim is kept alive."""

    def __init__(self, jobs: Jobs, claim: Claim, *, seconds: float = SECONDS) -> None:
        self._jobs, self._claim, self._seconds = jobs, claim, seconds
        self._stopped = threading.Event()
        self._lost: errors.LeaseLost | None = None
        self._thread = threading.Thread(target=self._beat, name="heartbeat", daemon=True)

    def __enter__(self) -> Heartbeat:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopped.set()
        self._thread.join()

    def check(self) -> None:
        """Raises ``LeaseLost`` when the job is known to be somebody else's."""
        if self._lost is not None:
            raise self._lost

    def _beat(self) -> None:
        while not self._stopped.wait(self._seconds):
            try:
                self._jobs.heartbeat(self._claim)
            except errors.LeaseLost as lost:
                self._lost = lost
                return
            except errors.ReverieError:
                continue                # the database was busy: the lease lasts for forty beats
