"""A home: everything that Reverie keeps, below one folder (REVERIE_HOME).

``state.db`` is the journal and what else is recorded, ``stores/`` the memories, ``trash/`` what was removed, ``lock``
the lock, ``version`` the number of this arrangement. Opening makes nothing: a home comes into being with the first
write, and one that cannot be written is read as it is. A hook opens one per prompt, so this module imports little.
"""

# pathlib costs a hook 16 ms:
# ruff: noqa: PTH110, PTH118, PTH120, PTH208

from __future__ import annotations

import os

from reverie.errors import StoreUnavailable
from reverie.storage import files, writing
from reverie.storage.database import BUSY_SECONDS, Database
from reverie.storage.lock import Held, Lock
from reverie.storage.records import Records
from reverie.storage.writing import System, Write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from types import TracebackType

    from reverie.core.layout import Layout
    from reverie.storage.extracts import Extracts
    from reverie.storage.jobs import Jobs
    from reverie.storage.journal import Journal
    from reverie.storage.ledger import Ledger
    from reverie.storage.store import Store
    from reverie.storage.stream import Stream
    from reverie.storage.team import TeamFiles

VERSION = 1
LOCK_SECONDS = 10.0                     # changes take milliseconds; a long consolidation works outside the lock


class Home:
    """One REVERIE_HOME. Use it as a context, or ``close`` it."""

    def __init__(
        self,
        root: str,
        clock: Callable[[], datetime],
        *,
        system: System | None = None,
        lock_seconds: float = LOCK_SECONDS,
        busy_seconds: float = BUSY_SECONDS,
        recover: bool = True,
    ) -> None:
        """Open a home that is there or will be. Completes what a dead process began, unless told not to.

        Raises ``StoreUnavailable`` when a file is in the way, the home may not be looked into, or is a newer Reverie's.
        """
        files.check_name(root)
        self.root = os.path.realpath(root)
        self.clock = clock
        self._system = system or System()
        self._look()
        self._lock = Lock(self.path("lock"), seconds=lock_seconds, prepare=self._prepare)
        self._database = Database(self.path("state.db"), lock=self._lock, system=self._system, prepare=self._prepare,
                                  seconds=busy_seconds)
        self._notes: list[str] = []
        self._journal: Journal | None = None
        self.records = Records(self._database, clock)
        if recover and os.path.exists(self._database.path):
            self._recover()

    def __enter__(self) -> Home:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the database. Another use opens it again."""
        self._database.close()

    @property
    def journal(self) -> Journal:
        """Every change goes through this."""
        if self._journal is None:
            from reverie.storage.journal import Journal  # a hook that only reads does not pay for it

            self._journal = Journal(self.root, database=self._database, lock=self._lock, system=self._system,
                                    clock=self.clock)
        return self._journal

    @property
    def stream(self) -> Stream:
        """What happened, in one order."""
        from reverie.storage.stream import Stream

        return Stream(self._database)

    @property
    def jobs(self) -> Jobs:
        """Work that one of many processes does."""
        from reverie.storage.jobs import Jobs

        return Jobs(self._database, self.clock)

    @property
    def ledger(self) -> Ledger:
        """Every call of a model is written down here."""
        from reverie.storage.ledger import Ledger

        return Ledger(self._database, self.clock)

    @property
    def team(self) -> TeamFiles:
        """What is known of the files that a team shares."""
        from reverie.storage.team import TeamFiles

        return TeamFiles(self._database, self.clock)

    @property
    def extracts(self) -> Extracts:
        """The sessions that phase 1 knows, and what it made of them."""
        from reverie.storage.extracts import Extracts

        return Extracts(self._database, self.clock)

    @property
    def notes(self) -> list[str]:
        """What a person should know about this home: a database moved aside, a change that waits."""
        return self._database.notes + self._notes

    def note(self, said: str) -> None:
        """Keep something for ``notes``, once."""
        if said not in self._notes:
            self._notes.append(said)

    def set_aside(self) -> list[str]:
        """Damaged databases that were moved aside and still wait for somebody to repair or delete them."""
        try:
            names = sorted(os.listdir(self.root))
        except OSError:
            return []
        return [self.path(name) for name in names if name.startswith("state.db.damaged-") and not name.endswith(("-wal", "-shm"))]

    def waiting(self) -> int:
        """How many changes were announced and are not completed."""
        return len(self._database.rows("pending_changes")) if os.path.exists(self._database.path) else 0

    @property
    def exists(self) -> bool:
        """Whether something was kept here before."""
        return os.path.exists(self.path("version"))

    @property
    def readonly(self) -> str:
        """Why nothing can be written here; "" when something can."""
        place = self.root
        while not os.path.exists(place):
            place = os.path.dirname(place)
        if os.access(place, os.W_OK | os.X_OK):
            return ""
        return f"{place!r} is read-only for this user, or its file system is"

    def path(self, *parts: str) -> str:
        """A path below the home."""
        return os.path.join(self.root, *parts)

    def lock(self, operation: str) -> Held:
        """A context that keeps other processes from changing this home; a thread may take it again within.

        For planning and committing without a ``Conflict`` in between. Short: others wait, and give up after a while.
        """
        return self._lock.held(operation)

    def try_lock(self, operation: str) -> bool:
        """Take the lock if nobody holds it, for work that may as well be left to the next; ``unlock`` lets it go."""
        return self._lock.take(operation, wait=False)

    def unlock(self) -> None:
        """Let go what ``try_lock`` took."""
        self._lock.release()

    def store(
        self,
        label: str,
        layout: Layout,
        *,
        scope: str,
        project: str = "",
        folder: str = "",
        writable: bool = True,
    ) -> Store:
        """The store of this label: in ``stores/<label>``, or in another folder (relative to the home, or absolute)."""
        from reverie.storage.store import Store  # a hook that has its search index does not need it

        return Store(self, label, layout, scope=scope, project=project,
                     folder=folder or os.path.join("stores", label), writable=writable)

    def _look(self) -> None:
        """Refuse what is no home of ours."""
        try:
            os.scandir(self.root).close()
        except FileNotFoundError:
            return
        except OSError as error:
            raise files.unavailable(error, self.root, "opened") from error
        stores = self.path("stores")
        try:
            os.scandir(stores).close()      # one that cannot be looked into must not pass for an empty one
        except FileNotFoundError:
            pass
        except OSError as error:
            raise files.unavailable(error, stores, "opened") from error
        stamp = files.read(self.path("version"), limit=100)
        digits = stamp.strip() if isinstance(stamp, bytes) else b""
        if digits.isdigit() and int(digits) > VERSION:
            raise StoreUnavailable(f"{self.root!r} was written by a newer Reverie (arrangement {int(digits)}, this one "
                                   f"knows {VERSION}). Upgrade Reverie; nothing was changed.")

    def _recover(self) -> None:
        try:
            if not self._database.rows("pending_changes"):
                return
            if self.readonly:
                self._notes.append(f"A change was interrupted and waits to be completed: {self.readonly}.")
                return
            self.journal.recover(wait=False)
        except StoreUnavailable as error:   # reading goes on; whoever wants to write hears of it again
            self._notes.append(str(error))

    def _prepare(self) -> None:
        """Make the home where it is missing, before something is written."""
        try:
            writing.make_folders(self._system, self.root)
        except OSError as error:
            raise files.unavailable(error, self.root, "made") from error
        if self.readonly:
            raise StoreUnavailable(f"Nothing can be written: {self.readonly}.")
        version = self.path("version")
        if not os.path.lexists(version):
            write = Write(version, b"%d\n" % VERSION)
            beside = writing.temporary(version, f"version-{os.getpid()}", 0)
            writing.stage_one(self._system, write, beside)
            writing.put_in_place(self._system, write, beside)
