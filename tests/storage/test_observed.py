"""What another hand changed is taken into the history: undone like any change, and what it held before is never kept."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from reverie.core.edits import Edit, Observed
from reverie.core.events import Cause
from reverie.errors import Conflict, StoreUnavailable
from reverie.storage.history import digest_of
from reverie.storage.home import Home
from reverie.storage.writing import System

ADOPT = Cause(operation="adopt", actor="agent")
LEARN = Cause(operation="learn", actor="rules")
PATH = "stores/p/a.md"
OLD, RAW, MASKED = b"old\n", b"the key is SECRET-0123456789\n", b"the key is [MASKED]\n"
DAY_NS = 1_700_000_000_000_000_000


def file_of(home: Home) -> Path:
    return Path(home.path(PATH))


def write(home: Home, data: bytes) -> Path:
    file = file_of(home)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    os.utime(file, ns=(DAY_NS, DAY_NS))
    return file


def adopt(home: Home, after: bytes | None, found: bytes | None, known: bytes | None) -> int:
    return home.journal.commit(
        [Edit(path=PATH, before=found, after=after, observed=Observed(known=digest_of(known), mtime_ns=5_000_000_000), mtime_ns=DAY_NS)],
        cause=ADOPT)


def everything_in(root: Path) -> bytes:
    return b"".join(path.read_bytes() for path in root.rglob("*") if path.is_file())


def test_what_stays_as_it_is_is_not_written(home: Home) -> None:
    home.journal.commit([Edit(path=PATH, before=None, after=OLD)], cause=LEARN)
    file = write(home, b"new\n")
    before = file.stat()
    change = adopt(home, b"new\n", b"new\n", OLD)
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, DAY_NS)
    assert home.journal.known("stores/p")[PATH].digest == digest_of(b"new\n")
    home.journal.undo(change=change)
    assert file.read_bytes() == OLD
    assert file.stat().st_mtime_ns == 5_000_000_000
    home.journal.undo(last=1)                   # what stands is the first change alone
    assert not file.exists()


def test_a_new_file_that_is_taken_back_is_gone_and_can_be_had_again(home: Home) -> None:
    file = write(home, b"new\n")
    change = adopt(home, b"new\n", b"new\n", None)
    undone = home.journal.undo(change=change)
    assert not file.exists()
    home.journal.undo(change=undone.change)
    assert file.read_bytes() == b"new\n"


def test_a_removal_that_happened_is_undone(home: Home) -> None:
    home.journal.commit([Edit(path=PATH, before=None, after=OLD)], cause=LEARN)
    file_of(home).unlink()
    change = adopt(home, None, None, OLD)
    assert home.journal.known("stores/p")[PATH].digest is None
    home.journal.undo(change=change)
    assert file_of(home).read_bytes() == OLD


def test_what_was_found_is_not_kept_anywhere(home: Home) -> None:
    home.journal.commit([Edit(path=PATH, before=None, after=OLD)], cause=LEARN)
    file = write(home, RAW)
    change = adopt(home, MASKED, RAW, OLD)
    assert (file.read_bytes(), file.stat().st_mtime_ns) == (MASKED, DAY_NS)
    undone = home.journal.undo(change=change)
    home.journal.undo(change=undone.change)
    assert file.read_bytes() == MASKED
    home.close()
    assert b"SECRET" not in everything_in(Path(home.root))
    assert str(digest_of(RAW)) not in everything_in(Path(home.root)).decode("latin-1")


def test_another_hand_in_between_is_a_conflict(home: Home) -> None:
    write(home, b"newer\n")
    with pytest.raises(Conflict):
        adopt(home, b"new\n", b"new\n", None)
    assert home.journal.changes() == []


def test_bytes_that_the_journal_does_not_keep_any_more_are_a_conflict_of_the_undo(home: Home) -> None:
    file = write(home, b"new\n")
    change = adopt(home, b"new\n", b"new\n", b"never kept\n")
    undone = home.journal.undo(change=change)
    assert [conflict.reason for conflict in undone.conflicts] == ["history_pruned"]
    assert file.read_bytes() == b"new\n"


def test_when_one_of_the_files_cannot_be_written_what_was_found_is_back(
    make_home: Callable[..., Home], tmp_path: Path
) -> None:
    class Full(System):
        renames = 0

        def rename(self, source: str, target: str) -> None:
            self.renames += 1
            if self.renames == 3:               # the first one makes the home's own file
                raise OSError(28, "full")
            super().rename(source, target)

    home = make_home(system=Full())
    file = write(home, RAW)
    with pytest.raises(StoreUnavailable):
        home.journal.commit(
            [Edit(path=PATH, before=RAW, after=MASKED, observed=Observed(known=None)), Edit(path="stores/p/b.md", before=None, after=b"b")],
            cause=ADOPT)
    assert file.read_bytes() == RAW
    assert home.journal.changes() == []
