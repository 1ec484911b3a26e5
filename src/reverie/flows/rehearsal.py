"""Doing something for real, on a copy that is thrown away: what ``--dry-run`` shows is what would have happened."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from reverie import errors
from reverie.flows.space import Space
from reverie.storage.home import Home


@contextmanager
def of(space: Space) -> Iterator[Space]:
    """The same space in a temporary home with the same state; nothing of it is kept."""
    with tempfile.TemporaryDirectory(prefix="reverie-dry-run-", ignore_cleanup_errors=True) as folder:
        home = Path(space.home.root)
        stores = Path("stores", space.design.name)
        try:
            if (home / stores).is_dir():
                shutil.copytree(home / stores, Path(folder) / stores, symlinks=True)
            if (home / "state.db").exists():
                _copy_database(home / "state.db", Path(folder, "state.db"))
        except (OSError, shutil.Error, sqlite3.Error) as error:
            raise errors.StoreUnavailable(f"{space.home.root} cannot be copied for a dry run: {error}") from error
        with Home(folder, space.home.clock) as copy:
            yield Space(copy, space.design, user_home=space.user_home)


def _copy_database(source: Path, target: Path) -> None:
    """A copy that is whole even while another process writes."""
    address = f"{source.absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(address, uri=True)) as old, closing(sqlite3.connect(target)) as new:
        old.backup(new)
