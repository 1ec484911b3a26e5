"""Changes: whole or not at all, with their cause, and told again."""

from __future__ import annotations

import errno
import os
import resource
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Protocol

import pytest

from reverie.core.edits import Edit
from reverie.core.events import Cause, FileConflict, Retention, SessionRecord, Tombstone, Touched
from reverie.core.proposal import Drop, Reason
from reverie.core.session import Cursor
from reverie.errors import Conflict, NotFound, StoreUnavailable
from reverie.storage import files
from reverie.storage.home import Home
from reverie.storage.writing import System

Tree = Callable[[Path], Mapping[str, bytes]]


class SetClock(Protocol):
    now: datetime


class MakeHome(Protocol):
    def __call__(self, root: Path | None = None, **options: Any) -> Home: ...


def edit(path: str, before: bytes | None, after: bytes | None, **more: Any) -> Edit:
    return Edit(path=path, before=before, after=after, **more)


def add(home: Home, path: str, data: bytes, cause: Cause, **more: Any) -> int:
    return home.journal.commit([edit(path, None, data)], cause=cause, **more)


def test_a_change_writes_its_files_and_can_be_told(home: Home, cause: Cause, tmp_path: Path) -> None:
    run = home.journal.start_run("learn")
    cause = Cause(operation="learn", actor="rules", run=run, host="codex", session="s", message="m", rule="r", why="w")
    touched = Touched(memory="p/a.md", action="added", name="a", message="m1", rule="en", quote="q", before="b")
    change = home.journal.commit(
        [edit("stores/p/a.md", None, b"one"), edit("stores/p/MEMORY.md", None, b"- a", derived=True)],
        cause=cause, touched=[touched], counts={"kept": 1})
    assert (tmp_path / "home/stores/p/a.md").read_bytes() == b"one"
    record = home.journal.change(change)
    assert (record.cause, record.touched, record.status) == (cause, (touched,), "done")
    assert (record.paths, record.counts) == (("stores/p/a.md", "stores/p/MEMORY.md"), {"kept": 1})
    assert home.journal.changes(run=run) == home.journal.changes() == home.journal.history("p/a.md") == [record]


def test_nothing_to_do_is_no_change_but_the_cursor_moves(home: Home, cause: Cause, tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_bytes(b"{}\n")
    stamp = files.stamp(str(tmp_path / "t.jsonl"))
    change = home.journal.commit([edit("a.md", b"same", b"same")], cause=cause, cursor=("t", Cursor(position=3)),
                                 stamp=stamp, drops=[Drop(reason=Reason.QUESTION, quote="why?", message="m")],
                                 session=SessionRecord(host="codex", session="s", outcome="succeeded_no_output"))
    assert change == 0
    assert home.journal.changes() == []
    assert home.records.cursor("t") == Cursor(position=3)
    assert home.records.unchanged("t", stamp)
    assert [drop.reason for drop in home.records.drops()] == ["question"]
    assert home.records.session_counts() == {"codex": {"succeeded_no_output": 1}}


def test_nothing_at_all_makes_no_database_entry(home: Home, cause: Cause) -> None:
    assert home.journal.commit([], cause=cause) == 0
    assert not os.path.exists(home.path("state.db"))  # noqa: PTH110


@pytest.mark.parametrize(
    ("on_disk", "before"),
    [
        pytest.param(b"by hand", b"planned", id="another-content"),
        pytest.param(b"by hand", None, id="a-file-where-none-was"),
        pytest.param(None, b"planned", id="no-file-where-one-was"),
    ],
)
def test_a_file_that_is_not_what_was_planned_for_stops_all(
    home: Home, cause: Cause, tmp_path: Path, tree: Tree, on_disk: bytes | None, before: bytes | None
) -> None:
    add(home, "stores/other.md", b"x", cause)
    if on_disk is not None:
        (tmp_path / "home/stores/a.md").write_bytes(on_disk)
    held = dict(tree(tmp_path / "home/stores"))
    with pytest.raises(Conflict, match=r"a\.md"):
        home.journal.commit([edit("stores/other.md", b"x", b"y"), edit("stores/a.md", before, b"new")], cause=cause,
                            cursor=("t", Cursor(position=1)))
    assert tree(tmp_path / "home/stores") == held
    assert home.records.cursor("t") is None
    assert len(home.journal.changes()) == 1


def test_a_file_changed_while_its_new_bytes_are_prepared_is_kept(
    make_home: MakeHome, cause: Cause, tmp_path: Path, tree: Tree
) -> None:
    class HandEdit(System):
        def force(self, handle: int) -> None:
            (tmp_path / "home/stores/a.md").write_bytes(b"by hand")
            super().force(handle)

    add(make_home(), "stores/a.md", b"one", cause)
    home = make_home(system=HandEdit())
    with pytest.raises(Conflict):
        home.journal.commit([edit("stores/a.md", b"one", b"two")], cause=cause)
    assert tree(tmp_path / "home/stores") == {"a.md": b"by hand"}
    assert [change.id for change in home.journal.changes()] == [1]


def test_a_mode_given_by_hand_stays_and_new_files_are_private(home: Home, cause: Cause, tmp_path: Path) -> None:
    add(home, "stores/p/a.md", b"one", cause)
    path = tmp_path / "home/stores/p/a.md"
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "home").stat().st_mode & 0o777 == 0o700
    path.chmod(0o644)
    change = home.journal.commit([edit("stores/p/a.md", b"one", None)], cause=cause)
    home.journal.undo(change=change)
    assert path.stat().st_mode & 0o777 == 0o644


def test_new_bytes_are_on_the_disk_before_they_are_seen(make_home: MakeHome, cause: Cause) -> None:
    class Trace(System):
        def __init__(self) -> None:
            self.steps: list[str] = []

        def force(self, handle: int) -> None:
            self.steps.append("force")
            super().force(handle)

        def rename(self, source: str, target: str) -> None:
            self.steps.append("rename")
            super().rename(source, target)

        def force_folder(self, path: str) -> None:
            self.steps.append("force folder " + os.path.basename(path))  # noqa: PTH119
            super().force_folder(path)

        def reached(self, step: str) -> None:
            self.steps.append(step)

    system = Trace()
    home = make_home(system=system)
    home.journal.start_run("learn")
    system.steps.clear()
    home.journal.commit([edit(f"stores/p/{name}", None, b"x") for name in "abc"], cause=cause)
    transaction = ["begin", "commit", "committed"]
    assert system.steps == [
        *transaction, "force", "force", "force", "rename", "rename", "rename",
        "force folder home", "force folder stores", "force folder p", *transaction]


@pytest.mark.parametrize("path", ["../x.md", "stores/../../x.md", "stores/out/x.md", "stores/p/link.md", "a\0b"])
def test_no_write_leaves_the_home(home: Home, cause: Cause, tmp_path: Path, tree: Tree, path: str) -> None:
    add(home, "stores/p/a.md", b"x", cause)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "y.md").write_bytes(b"y")
    (tmp_path / "home/stores/out").symlink_to(outside)
    (tmp_path / "home/stores/p/link.md").symlink_to(outside / "y.md")
    with pytest.raises(StoreUnavailable):
        home.journal.commit([edit(path, b"y" if "link" in path else None, b"evil")], cause=cause)
    assert tree(outside) == {"y.md": b"y"}
    assert not (tmp_path / "x.md").exists()


def test_a_store_keeps_its_writes_to_itself(home: Home, cause: Cause, tmp_path: Path) -> None:
    add(home, "stores/other/a.md", b"x", cause)
    add(home, "stores/p/a.md", b"x", cause)
    (tmp_path / "home/stores/p/in").symlink_to(tmp_path / "home/stores/other")
    with pytest.raises(StoreUnavailable, match="outside its store"):
        home.journal.commit([edit("stores/p/in/b.md", None, b"y", root="stores/p")], cause=cause)


def test_a_native_folder_outside_the_home_is_written_by_absolute_path(
    home: Home, cause: Cause, tmp_path: Path, tree: Tree
) -> None:
    native = tmp_path / "agent" / "memory"
    change = home.journal.commit([edit(str(native / "a.md"), None, b"x", root=str(native))], cause=cause)
    assert tree(native) == {"a.md": b"x"}
    assert home.journal.change(change).paths == (str(native / "a.md"),)
    home.journal.undo(change=change)
    assert tree(native) == {}


def test_a_moved_home_keeps_its_history(make_home: MakeHome, cause: Cause, tmp_path: Path, tree: Tree) -> None:
    home = make_home()
    change = home.journal.commit([edit(str(tmp_path / "home/stores/a.md"), None, b"x")], cause=cause)
    home.close()
    (tmp_path / "home").rename(tmp_path / "moved")
    moved = make_home(tmp_path / "moved")
    assert moved.journal.undo(change=change).restored == ("stores/a.md",)
    assert tree(tmp_path / "moved/stores") == {}


class Fails(System):
    """The n-th operation of a kind fails with an error of the system."""

    def __init__(self, operation: str, at: int, number: int, *, times: int = 1) -> None:
        self._fails = (operation, range(at, at + times), number)
        self._done = 0

    def _maybe(self, operation: str) -> None:
        if operation == self._fails[0]:
            self._done += 1
            if self._done in self._fails[1]:
                raise OSError(self._fails[2], os.strerror(self._fails[2]))

    def create(self, path: str, mode: int) -> int:
        self._maybe("create")
        return super().create(path, mode)

    def write(self, handle: int, data: bytes) -> None:
        super().write(handle, data[: len(data) // 2])
        self._maybe("write")
        super().write(handle, data[len(data) // 2 :])

    def force(self, handle: int) -> None:
        self._maybe("force")
        super().force(handle)

    def rename(self, source: str, target: str) -> None:
        self._maybe("rename")
        super().rename(source, target)

    def remove(self, path: str) -> None:
        if not path.endswith(files.TEMPORARY):
            self._maybe("remove")
        super().remove(path)

    def force_folder(self, path: str) -> None:
        self._maybe("force_folder")
        super().force_folder(path)


FAILURES = [
    *(("create", at, errno.EACCES, "permission denied") for at in (1, 2)),
    *(("write", at, errno.ENOSPC, "disk is full") for at in (1, 2)),
    ("force", 2, errno.EIO, "disk reports an error"),
    *(("rename", at, errno.EROFS, "read-only") for at in (1, 2)),
    ("remove", 1, errno.EACCES, "permission denied"),
    ("force_folder", 1, errno.EIO, "disk reports an error"),
]


@pytest.mark.parametrize(
    ("operation", "at", "number", "words"), FAILURES, ids=[f"{name}-{at}" for name, at, _, _ in FAILURES])
def test_a_write_that_fails_leaves_the_old_state(
    make_home: MakeHome, cause: Cause, tmp_path: Path, tree: Tree, operation: str, at: int, number: int, words: str
) -> None:
    first = make_home()
    first.journal.commit([edit("stores/a.md", None, b"a1"), edit("stores/c.md", None, b"c1")], cause=cause)
    held = dict(tree(tmp_path / "home/stores"))
    home = make_home(system=Fails(operation, at, number))
    with pytest.raises(StoreUnavailable, match=words):
        home.journal.commit(
            [edit("stores/a.md", b"a1", b"a2"), edit("stores/b.md", None, b"b"), edit("stores/c.md", b"c1", None)],
            cause=cause, cursor=("t", Cursor(position=9)), tombstones=[Tombstone(fingerprint="f", words="w")],
            touched=[Touched(memory="c.md", action="removed")])
    assert tree(tmp_path / "home/stores") == held
    assert home.records.cursor("t") is None
    assert home.records.tombstones() == []
    assert home.journal.history("c.md") == []
    assert [change.id for change in home.journal.changes()] == [1]
    assert home.journal.recover() == []


def test_a_change_that_can_neither_be_finished_nor_taken_back_waits(
    make_home: MakeHome, cause: Cause, tmp_path: Path, tree: Tree
) -> None:
    add(make_home(), "stores/a.md", b"a1", cause)
    home = make_home(system=Fails("rename", 2, errno.ENOSPC, times=2))
    with pytest.raises(StoreUnavailable, match="completed as soon as that is possible"):
        home.journal.commit([edit("stores/a.md", b"a1", b"a2"), edit("stores/b.md", None, b"b")], cause=cause)
    assert home.journal.recover() == [2]
    assert tree(tmp_path / "home/stores") == {"a.md": b"a2", "b.md": b"b"}
    assert home.journal.change(2).status == "done"


def test_a_file_too_large_to_be_read_again_is_not_written(home: Home, cause: Cause) -> None:
    with pytest.raises(StoreUnavailable, match="larger than a store reads"):
        add(home, "stores/a.md", b"x" * (files.READ_LIMIT_BYTES + 1), cause)


def test_a_folder_in_a_files_place_is_an_error(home: Home, cause: Cause, tmp_path: Path) -> None:
    (tmp_path / "home/stores/a.md").mkdir(parents=True)
    with pytest.raises(StoreUnavailable, match=r"a\.md' is in the way: folder"):
        add(home, "stores/a.md", b"x", cause)


def test_a_file_in_a_folders_place_is_an_error(home: Home, cause: Cause, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home/stores").write_bytes(b"mine")
    with pytest.raises(StoreUnavailable, match=r"home/stores' is in the way"):
        add(home, "stores/p/a.md", b"x", cause)
    assert (tmp_path / "home/stores").read_bytes() == b"mine"


def test_a_limit_on_file_sizes_is_a_clear_error(tmp_path: Path, cause: Cause, in_child: Any, tree: Tree) -> None:
    """What a full disk looks like to a process: writes are cut off, whatever the database or the files."""

    def act() -> object:
        import signal

        home = Home(str(tmp_path / "home"), lambda: datetime.now(UTC))
        add(home, "stores/a.md", b"kept", cause)
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (512 * 1024, resource.RLIM_INFINITY))
        messages = []
        for number in range(20):
            try:
                add(home, f"stores/{number}.md", os.urandom(300_000), cause)
            except StoreUnavailable as error:
                messages.append(str(error))
        home.close()
        assert len(messages) > 10
        return messages[-1]

    assert "cannot be used: the disk is full" in in_child(act)
    home = Home(str(tmp_path / "home"), lambda: datetime.now(UTC))
    assert tree(tmp_path / "home/stores")["a.md"] == b"kept"
    done = [change for change in home.journal.changes(limit=50) if change.status == "done"]
    assert {path for change in done for path in change.paths} == {
        f"stores/{name}" for name in tree(tmp_path / "home/stores")}
    home.close()


def test_a_hand_edit_made_during_a_crash_is_kept_and_named(
    make_home: MakeHome, cause: Cause, tmp_path: Path, tree: Tree, in_child: Any
) -> None:
    class Dies(System):
        def rename(self, source: str, target: str) -> None:
            raise KeyboardInterrupt

    add(make_home(), "stores/a.md", b"a1", cause)
    home = make_home(system=Dies())
    with pytest.raises(KeyboardInterrupt):
        home.journal.commit([edit("stores/a.md", b"a1", b"a2"), edit("stores/b.md", None, b"b")], cause=cause)
    assert home.journal.change(2).status == "pending"
    (tmp_path / "home/stores/a.md").write_bytes(b"by hand")
    again = make_home()
    assert tree(tmp_path / "home/stores") == {"a.md": b"by hand", "b.md": b"b"}
    record = again.journal.change(2)
    assert record.status == "done"
    assert record.conflicts == (
        FileConflict(path="stores/a.md", reason="edited_by_hand", detail="while it was to be written"),)


def test_a_change_that_can_never_be_completed_does_not_block_the_others(
    make_home: MakeHome, cause: Cause, tmp_path: Path, tree: Tree
) -> None:
    class Dies(System):
        def rename(self, source: str, target: str) -> None:
            raise KeyboardInterrupt

    add(make_home(), "stores/x.md", b"x", cause)
    with pytest.raises(KeyboardInterrupt):
        make_home(system=Dies()).journal.commit([edit("stores/p/a.md", None, b"a")], cause=cause)
    (tmp_path / "home/stores/p").rename(tmp_path / "home/stores/q")
    (tmp_path / "home/stores/p").write_bytes(b"a file in the way")
    home = make_home()
    assert home.notes == []
    add(home, "stores/y.md", b"y", cause)
    assert [conflict.reason for conflict in home.journal.change(2).conflicts] == ["not_writable"]


def test_clocks_that_jump_back_do_not_change_the_order(home: Home, cause: Cause, clock: SetClock) -> None:
    first = add(home, "stores/a.md", b"1", cause)
    clock.now -= timedelta(days=400)
    second = home.journal.commit([edit("stores/a.md", b"1", b"2")], cause=cause)
    assert second > first
    assert [change.id for change in home.journal.changes()] == [second, first]
    assert home.journal.undo(last=1).undid == (second,)
    home.records.record_session(SessionRecord(host="h", session="old", outcome="failed"))
    clock.now -= timedelta(days=400)
    home.records.record_session(SessionRecord(host="h", session="new", outcome="failed"))
    assert [session.session for session in home.records.sessions()] == ["new", "old"]


def test_numbers_of_changes_taken_back_are_not_given_again(
    make_home: MakeHome, cause: Cause
) -> None:
    add(make_home(), "stores/a.md", b"1", cause)
    with pytest.raises(StoreUnavailable):
        add(make_home(system=Fails("rename", 1, errno.EIO)), "stores/b.md", b"1", cause)
    assert add(make_home(), "stores/c.md", b"1", cause) == 3


def test_runs_are_told_whether_or_not_they_ended(home: Home) -> None:
    ended = home.journal.start_run("learn")
    home.journal.end_run(ended, "succeeded", {"sessions": 4})
    killed = home.journal.start_run("learn")
    cause = Cause(operation="learn", actor="rules", run=killed)
    add(home, "stores/a.md", b"x", cause, counts={"kept": 1, "updated": 1})
    add(home, "stores/b.md", b"x", cause, counts={"kept": 2})
    assert (ended, killed) == ("learn-1", "learn-2")
    newest, oldest = home.journal.runs()
    assert (newest.ended_at, newest.outcome, newest.counts, newest.changes) == (
        None, "", {"kept": 3, "updated": 1}, (1, 2))
    assert (oldest.outcome, oldest.counts) == ("succeeded", {"sessions": 4})
    assert oldest.ended_at is not None


def test_an_unknown_change_or_run_is_not_found(home: Home) -> None:
    with pytest.raises(NotFound, match="no change 7"):
        home.journal.change(7)
    with pytest.raises(NotFound, match="no change 7"):
        home.journal.undo(change=7)
    with pytest.raises(NotFound, match="'learn-9'"):
        home.journal.undo(run="learn-9")


def test_old_bytes_are_let_go_and_what_was_done_stays_known(
    home: Home, cause: Cause, clock: SetClock, tmp_path: Path
) -> None:
    old = add(home, "stores/a.md", os.urandom(50_000), cause)
    data = (tmp_path / "home/stores/a.md").read_bytes()
    removed = home.journal.commit([edit("stores/a.md", data, None)], cause=cause)
    clock.now += timedelta(days=500)
    new = add(home, "stores/b.md", b"new", cause)
    pruned = home.journal.prune(Retention(newest=1))
    assert pruned.changes == (removed, old)
    assert pruned.bytes > 50_000
    assert home.journal.prune(Retention(newest=1)).changes == ()
    assert [change.id for change in home.journal.changes()] == [new, removed, old]
    undone = home.journal.undo(change=removed)
    assert [conflict.reason for conflict in undone.conflicts] == ["history_pruned"]
    assert home.journal.undo(change=new).restored == ("stores/b.md",)
    home.close()
    with closing(sqlite3.connect(tmp_path / "home/state.db")) as connection:
        assert connection.execute("SELECT count(*) FROM blobs").fetchone() == (1,)


def test_bytes_damaged_in_the_database_are_not_restored(home: Home, cause: Cause, tmp_path: Path) -> None:
    add(home, "stores/a.md", b"one", cause)
    change = home.journal.commit([edit("stores/a.md", b"one", b"two")], cause=cause)
    home.close()
    with closing(sqlite3.connect(tmp_path / "home/state.db")) as connection:
        connection.execute("UPDATE blobs SET data = x'00'")
        connection.commit()
    assert [conflict.reason for conflict in home.journal.undo(change=change).conflicts] == ["history_pruned"]
    assert (tmp_path / "home/stores/a.md").read_bytes() == b"two"


def test_two_edits_of_one_file_are_wrong_use(home: Home, cause: Cause) -> None:
    with pytest.raises(AssertionError, match="two edits"):
        home.journal.commit([edit("a.md", None, b"1"), edit("./a.md", None, b"2")], cause=cause)
