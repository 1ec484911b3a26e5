"""A home: made by the first write, read wherever it can be read, refused with a reason where it cannot."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

import pytest

from reverie.core.edits import Edit
from reverie.core.events import Cause, Use
from reverie.errors import StoreUnavailable
from reverie.storage.home import Home
from reverie.storage.writing import System

CAUSE = Cause(operation="learn", actor="rules")


class MakeHome(Protocol):
    def __call__(self, root: Path | None = None, **options: Any) -> Home: ...


def now() -> datetime:
    return datetime.now(UTC)


def add(home: Home, path: str = "stores/a.md") -> int:
    return home.journal.commit([Edit(path=path, before=None, after=b"x")], cause=CAUSE)


def test_opening_and_asking_makes_nothing(tmp_path: Path, make_home: MakeHome) -> None:
    home = make_home(tmp_path / "a" / "home")
    assert (home.journal.changes(), home.journal.runs(), home.records.sessions(), home.notes) == ([], [], [], [])
    assert home.readonly == ""
    assert list(tmp_path.iterdir()) == []


def test_the_first_write_makes_it(tmp_path: Path, make_home: MakeHome) -> None:
    home = make_home(tmp_path / "a" / "home")
    add(home)
    home.close()
    assert sorted(path.name for path in (tmp_path / "a/home").iterdir()) == ["lock", "state.db", "stores", "version"]
    assert (tmp_path / "a/home/version").read_text() == "1\n"


def test_a_home_behind_a_link_is_the_same_home(tmp_path: Path, make_home: MakeHome) -> None:
    add(make_home())
    (tmp_path / "link").symlink_to(tmp_path / "home")
    home = make_home(tmp_path / "link")
    assert home.root == str(tmp_path / "home")
    assert len(home.journal.changes()) == 1


@pytest.mark.parametrize(
    ("make", "words"),
    [
        pytest.param(lambda path: path.write_bytes(b""), "a file is in the way", id="a-file"),
        pytest.param(lambda path: path.symlink_to(path.name), "circle", id="a-link-to-itself"),
        pytest.param(lambda path: (path.mkdir(), (path / "version").write_text("2\n")), "newer Reverie", id="newer"),
    ],
)
def test_what_is_no_home_of_ours_is_refused(
    tmp_path: Path, make_home: MakeHome, make: Callable[[Path], object], words: str
) -> None:
    make(tmp_path / "home")
    with pytest.raises(StoreUnavailable, match=words) as caught:
        make_home()
    assert repr(str(tmp_path / "home")) in str(caught.value)


def test_a_home_below_a_file_is_refused(tmp_path: Path, make_home: MakeHome) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreUnavailable, match="a file is in the way"):
        make_home(tmp_path / "file" / "home")


@pytest.mark.parametrize("root", ["a\0b", "\ud800"], ids=["a-nul", "half-a-letter"])
def test_a_name_that_no_folder_has_is_refused(root: str) -> None:
    with pytest.raises(StoreUnavailable, match="cannot be the name"):
        Home(root, now)


def test_a_version_that_says_nothing_is_no_obstacle(tmp_path: Path, make_home: MakeHome) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home/version").write_bytes(b"\xff\x00")
    assert add(make_home()) == 1


def test_a_damaged_database_does_not_keep_a_home_from_opening(tmp_path: Path, make_home: MakeHome) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home/state.db").write_bytes(b"junk" * 1000)
    home = make_home()
    [note] = home.notes
    assert "state.db.damaged-1" in note
    assert add(home) == 1


def test_a_home_that_is_in_use_elsewhere_is_opened_all_the_same(tmp_path: Path, make_home: MakeHome) -> None:
    class Dies(System):
        def rename(self, source: str, target: str) -> None:
            if target.endswith(".md"):
                raise KeyboardInterrupt
            super().rename(source, target)

    with pytest.raises(KeyboardInterrupt):
        add(make_home(system=Dies()))
    at_work = make_home(recover=False)
    with at_work.lock("consolidate"):
        home = make_home(lock_seconds=0.05)                 # it may be at work on just that change
        assert [change.status for change in home.journal.changes()] == ["pending"]
        assert home.notes == []
        with pytest.raises(StoreUnavailable, match=r"being changed by process \d+ \(consolidate\)"):
            add(home, "stores/b.md")
    assert [change.status for change in make_home().journal.changes()] == ["done"]


@pytest.mark.parametrize("interrupted", [False, True], ids=["at-rest", "with-a-change-that-waits"])
def test_a_read_only_home_is_read(
    open_folder: Path, in_child_as_user: Callable[[Callable[[], object]], str], interrupted: bool
) -> None:
    class Dies(System):
        def rename(self, source: str, target: str) -> None:
            if interrupted and target.endswith("b.md"):
                raise KeyboardInterrupt
            super().rename(source, target)

    with Home(str(open_folder / "home"), now, system=Dies()) as home:
        add(home)
        home.records.freeze("s", "reverie", "block")
        try:
            add(home, "stores/b.md")
        except KeyboardInterrupt:
            assert interrupted
    for path in [open_folder, *open_folder.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)

    def act() -> object:
        home = Home(str(open_folder / "home"), now)
        assert "read-only" in home.readonly
        messages = []
        for write in (lambda: add(home, "stores/c.md"), lambda: home.records.credit([Use(memory="a")]),
                      lambda: home.journal.undo(last=1), lambda: home.records.freeze("t", "reverie", "x")):
            with pytest.raises(StoreUnavailable) as caught:
                write()
            messages.append(str(caught.value))
        assert all("read-only" in message for message in messages), messages
        return (home.records.frozen("s", "reverie"), [change.status for change in home.journal.changes()],
                len(home.notes))

    statuses = ["pending", "done"] if interrupted else ["done", "done"]
    assert in_child_as_user(act) == str(("block", statuses, int(interrupted)))


def test_a_home_that_cannot_be_made_is_empty_and_says_so_when_written(
    open_folder: Path, in_child_as_user: Callable[[Callable[[], object]], str]
) -> None:
    open_folder.chmod(0o555)

    def act() -> object:
        home = Home(str(open_folder / "a" / "home"), now)
        assert home.journal.changes() == []
        with pytest.raises(StoreUnavailable) as caught:
            add(home)
        return caught.value

    assert "cannot be made: permission denied" in in_child_as_user(act)


def test_a_home_that_may_not_be_looked_into_is_refused(
    open_folder: Path, in_child_as_user: Callable[[Callable[[], object]], str]
) -> None:
    (open_folder / "home").mkdir(mode=0)

    def act() -> object:
        with pytest.raises(StoreUnavailable) as caught:
            Home(str(open_folder / "home"), now)
        return caught.value

    assert "cannot be opened: permission denied" in in_child_as_user(act)


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Any:
    """A file system of a little more than half a megabyte; only root can make one."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    mounted = sys.platform == "linux" and os.geteuid() == 0 and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=640k", "tmpfs", str(folder)], capture_output=True, check=False).returncode == 0
    if not mounted:
        pytest.skip("a small file system can only be mounted by root on Linux")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_stops_writing_and_nothing_else(tiny_disk: Path, tree: Any) -> None:
    with Home(str(tiny_disk / "home"), now) as home:
        add(home)
        home.records.freeze("s", "reverie", "block")
        messages = []
        for number in range(10):
            before = dict(tree(tiny_disk / "home" / "stores"))
            try:
                home.journal.commit(
                    [Edit(path=f"stores/{number}-{part}.md", before=None, after=os.urandom(40_000)) for part in "ab"],
                    cause=CAUSE)
            except StoreUnavailable as error:
                messages.append(str(error))
                assert tree(tiny_disk / "home" / "stores") == before
    (tiny_disk / "filler").write_bytes(b"")
    with pytest.raises(OSError), (tiny_disk / "filler").open("wb", buffering=0) as filler:
        while True:
            filler.write(b"x" * 512)
    assert len(messages) > 5
    assert all("disk is full" in message for message in messages), messages
    with Home(str(tiny_disk / "home"), now) as home:
        assert home.records.frozen("s", "reverie") == "block"
        assert len(home.journal.changes()) >= 1
        assert tree(tiny_disk / "home" / "stores")["a.md"] == b"x"
        with pytest.raises(StoreUnavailable, match="disk is full"):
            home.journal.commit([Edit(path="stores/z.md", before=None, after=os.urandom(40_000))], cause=CAUSE)
    (tiny_disk / "filler").unlink()
    for path in (tiny_disk / "home" / "stores").glob("[0-9]*"):
        path.unlink()
    with Home(str(tiny_disk / "home"), now) as home:
        assert add(home, "stores/y.md") > 1


def test_a_home_that_cannot_even_be_begun_on_a_full_disk(tiny_disk: Path) -> None:
    with pytest.raises(OSError), (tiny_disk / "filler").open("wb", buffering=0) as filler:
        while True:
            filler.write(b"x" * 512)
    with Home(str(tiny_disk / "home"), now) as home:
        assert home.journal.changes() == []
        with pytest.raises(StoreUnavailable, match="disk is full"):
            add(home)


def test_opening_a_home_imports_little() -> None:
    heavy = {"dataclasses", "pathlib", "logging", "tempfile", "subprocess", "inspect", "msgspec", "click"}
    program = "import sys; sys.path[:0] = sys.argv[1:]; import reverie.storage.home; print(*sys.modules)"
    source = str(Path(sys.modules["reverie.storage.home"].__file__ or "").parents[2])
    result = subprocess.run([sys.executable, "-I", "-S", "-c", program, source], capture_output=True, text=True, check=True)
    assert heavy & set(result.stdout.split()) == set()
