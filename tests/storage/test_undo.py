"""Taking changes back: byte for byte, itself undoable, and never over a hand edit."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reverie.core.edits import Edit
from reverie.core.events import Cause, FileConflict, Tombstone, Touched
from reverie.errors import Conflict, WrongUse
from reverie.storage.home import Home
from reverie.storage.writing import System

Tree = Callable[[Path], Mapping[str, bytes]]


class MakeHome(Protocol):
    def __call__(self, root: Path | None = None, **options: Any) -> Home: ...


@pytest.fixture
def change(home: Home, cause: Cause, tmp_path: Path) -> Callable[..., int]:
    """Commit new contents: name=bytes, or name=None to remove."""

    def commit(run: str = "", touched: str = "", **contents: bytes | None) -> int:
        edits = []
        for name, after in contents.items():
            path = tmp_path / "home/stores" / f"{name}.md"
            edits.append(Edit(path=f"stores/{name}.md", before=path.read_bytes() if path.exists() else None,
                              after=after, derived=name == "MEMORY"))
        return home.journal.commit(
            edits, cause=Cause(operation="learn", actor="rules", run=run),
            touched=[Touched(memory=name, action=touched) for name in contents] if touched else [])  # type: ignore[arg-type]

    return commit


@pytest.fixture
def files(tmp_path: Path, tree: Tree) -> Callable[[], dict[str, bytes]]:
    return lambda: {path.removesuffix(".md"): data for path, data in tree(tmp_path / "home/stores").items()}


Change = Callable[..., int]
Files = Callable[[], dict[str, bytes]]


def test_undo_goes_back_step_by_step_and_redo_forward_again(home: Home, change: Change, files: Files) -> None:
    change(a=b"1")
    change(a=b"2", b=b"\xff\x00")
    change(a=None)
    assert files() == {"b": b"\xff\x00"}
    first = home.journal.undo(last=1)
    assert files() == {"a": b"2", "b": b"\xff\x00"}
    second = home.journal.undo(last=1)
    assert files() == {"a": b"1"}
    assert (first.undid, second.undid) == ((3,), (2,))
    home.journal.undo(change=second.change)
    assert files() == {"a": b"2", "b": b"\xff\x00"}
    home.journal.undo(change=first.change)
    assert files() == {"b": b"\xff\x00"}
    assert [(record.id, record.status) for record in reversed(home.journal.changes())] == [
        (1, "done"), (2, "done"), (3, "done"), (4, "undone"), (5, "undone"), (6, "done"), (7, "done")]


def test_nothing_left_to_undo_is_an_answer(home: Home, change: Change) -> None:
    assert home.journal.undo(last=3).undid == ()
    change(a=b"1")
    assert home.journal.undo(last=3).undid == (1,)
    assert home.journal.undo(last=1).change == 0


def test_a_change_that_only_confirmed_something_is_not_what_undo_means(
    home: Home, change: Change, files: Files, cause: Cause
) -> None:
    change(a=b"1")
    home.journal.commit([], cause=cause, touched=[Touched(memory="a", action="confirmed")])
    assert home.journal.undo(last=1).undid == (1,)
    assert files() == {}


def test_what_was_undone_is_not_undone_again(home: Home, change: Change) -> None:
    change(a=b"1")
    undone = home.journal.undo(change=1)
    with pytest.raises(WrongUse, match=f"already undone, by change {undone.change}"):
        home.journal.undo(change=1)


def test_a_whole_run_is_undone_and_redone(home: Home, change: Change, files: Files) -> None:
    run = home.journal.start_run("learn")
    change(a=b"before")
    change(run, a=b"1", b=b"1")
    change(run, a=b"2", c=b"2")
    undone = home.journal.undo(run=run)
    assert undone.undid == (3, 2)
    assert files() == {"a": b"before"}
    assert home.journal.undo(run=run).change == 0
    assert home.journal.undo(change=undone.change).undid == (undone.change,)
    assert files() == {"a": b"2", "b": b"1", "c": b"2"}
    assert home.journal.undo(run=run).undid == (3, 2)


def test_an_older_change_is_undone_and_what_others_wrote_stays(home: Home, change: Change, files: Files) -> None:
    change(entries=b"# memories\n")
    middle = change(entries=b"# memories\n- mine\n", new=b"x")
    change(entries=b"# memories\n- mine\n- later\n")
    assert home.journal.undo(change=middle).conflicts == ()
    assert files() == {"entries": b"# memories\n- later\n"}


def test_a_line_changed_again_by_a_later_change_is_a_conflict(home: Home, change: Change, files: Files) -> None:
    change(a=b"one\n", b=b"x")
    change(a=b"one, as said again\n")
    undone = home.journal.undo(change=1)
    assert undone.conflicts == (FileConflict(path="stores/a.md", reason="changed_since", detail="by change 2"),)
    assert undone.restored == ("stores/b.md",)
    assert undone.undid == ()
    assert files() == {"a": b"one, as said again\n"}
    assert home.journal.undo(last=2).conflicts == ()
    assert files() == {}


@pytest.mark.parametrize("by_hand", [b"one\nby hand\n", b"", None], ids=["edited", "emptied", "removed"])
def test_a_hand_edit_is_never_overwritten_unless_forced(
    home: Home, change: Change, files: Files, tmp_path: Path, by_hand: bytes | None
) -> None:
    change(a=b"zero\n", b=b"0")
    change(a=b"one\n", b=b"1")
    path = tmp_path / "home/stores/a.md"
    path.unlink() if by_hand is None else path.write_bytes(by_hand)
    undone = home.journal.undo(last=1)
    assert undone.conflicts == (FileConflict(path="stores/a.md", reason="edited_by_hand", detail="after change 2"),)
    assert files() == ({"b": b"0"} if by_hand is None else {"a": by_hand, "b": b"0"})
    forced = home.journal.undo(last=1, force=True)
    assert (forced.undid, forced.conflicts) == ((2,), ())
    assert files() == {"a": b"zero\n", "b": b"0"}
    home.journal.undo(change=forced.change)
    assert files() == ({"b": b"0"} if by_hand is None else {"a": by_hand, "b": b"0"})


def test_an_index_that_went_on_is_left_to_be_rendered_again(home: Home, change: Change, files: Files) -> None:
    change(a=b"a", MEMORY=b"- a\n")
    change(b=b"b", MEMORY=b"- a and b\n")
    undone = home.journal.undo(change=1)
    assert (undone.undid, undone.stale, undone.conflicts) == ((1,), ("stores/MEMORY.md",), ())
    assert files() == {"b": b"b", "MEMORY": b"- a and b\n"}


def test_a_file_that_is_back_already_is_no_conflict(home: Home, change: Change, files: Files) -> None:
    change(a=b"zero")
    change(a=b"one")
    change(a=b"zero")
    undone = home.journal.undo(change=2)
    assert (undone.undid, undone.restored) == ((2,), ())
    assert files() == {"a": b"zero"}


def test_a_restored_file_has_its_old_time(home: Home, change: Change, tmp_path: Path) -> None:
    change(a=b"old")
    path = tmp_path / "home/stores/a.md"
    os.utime(path, ns=(1_600_000_000_123_456_789, 1_600_000_000_123_456_789))
    change(a=None)
    home.journal.undo(last=1)
    assert path.stat().st_mtime_ns == 1_600_000_000_123_456_789


def test_memories_are_told_what_an_undo_and_a_redo_meant(home: Home, change: Change) -> None:
    change(a=b"1", touched="added")
    undone = home.journal.undo(last=1)
    redone = home.journal.undo(change=undone.change)
    home.journal.undo(change=redone.change)
    actions = [touched.action for record in home.journal.history("a") for touched in record.touched]
    assert actions == ["added", "removed", "added", "removed"]
    assert undone.memories == ("a",)


def test_what_was_forgotten_may_be_learned_again_once_that_is_undone(home: Home, cause: Cause) -> None:
    def forgotten() -> list[str]:
        return [stone.words for stone in home.records.tombstones()]

    home.journal.commit([], cause=cause, tombstones=[Tombstone(fingerprint="f", words="tabs", project="p")])
    assert forgotten() == ["tabs"]
    undone = home.journal.undo(last=1)
    assert forgotten() == []
    redone = home.journal.undo(change=undone.change)
    assert forgotten() == ["tabs"]
    again = home.journal.undo(change=redone.change)
    assert forgotten() == []
    assert [home.journal.change(number).status for number in (1, undone.change, redone.change, again.change)] == [
        "undone", "done", "undone", "done"]
    assert home.journal.change(1).undone_by == undone.change


def test_a_killed_undo_is_completed(make_home: MakeHome, home: Home, change: Change, files: Files) -> None:
    class Dies(System):
        def rename(self, source: str, target: str) -> None:
            raise KeyboardInterrupt

    change(a=b"1", b=b"1")
    change(a=b"2", b=b"2")
    with pytest.raises(KeyboardInterrupt):
        make_home(system=Dies()).journal.undo(last=1)
    again = make_home()
    assert files() == {"a": b"1", "b": b"1"}
    assert again.journal.change(2).undone_by == 3


def test_an_undo_that_meets_an_edit_in_its_last_moment_changes_nothing(
    make_home: MakeHome, change: Change, files: Files, tmp_path: Path
) -> None:
    class HandEdit(System):
        def force(self, handle: int) -> None:
            (tmp_path / "home/stores/a.md").write_bytes(b"by hand")
            super().force(handle)

    change(a=b"1")
    change(a=b"2")
    with pytest.raises(Conflict):
        make_home(system=HandEdit()).journal.undo(last=1)
    assert files() == {"a": b"by hand"}


def test_a_link_that_came_later_is_not_followed_out(
    home: Home, change: Change, tmp_path: Path
) -> None:
    change(a=b"1", b=b"1")
    (tmp_path / "elsewhere").write_bytes(b"1")
    (tmp_path / "home/stores/a.md").unlink()
    (tmp_path / "home/stores/a.md").symlink_to(tmp_path / "elsewhere")
    undone = home.journal.undo(last=1)
    assert [(conflict.path, conflict.reason) for conflict in undone.conflicts] == [("stores/a.md", "not_writable")]
    assert undone.restored == ("stores/b.md",)
    assert (tmp_path / "elsewhere").exists()


contents = st.one_of(st.none(), st.sampled_from([b"", b"one\n", b"one\ntwo\n", b"\x00\xff"]), st.binary(max_size=20))
commits = st.fixed_dictionaries({}, optional={"a": contents, "b": contents, "sub/c": contents})
steps = st.lists(st.one_of(commits, st.just("undo"), st.just("redo"), st.just("undo two")), max_size=12)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=steps)
def test_any_history_is_walked_back_and_forth_byte_for_byte(
    steps: list[dict[str, bytes | None] | str], tree: Tree, fast_folder: Path
) -> None:
    """The model is a stack of states; undo and redo walk along it, a commit cuts off what could be redone."""
    with tempfile.TemporaryDirectory(dir=fast_folder) as folder, Home(folder + "/home", lambda: datetime.now(UTC)) as home:
        root = Path(folder) / "home" / "stores"
        states: list[Mapping[str, bytes]] = [{}]
        undone: list[tuple[int, list[Mapping[str, bytes]]]] = []
        cause = Cause(operation="learn", actor="rules")
        for step in steps:
            now = states[-1]
            if isinstance(step, dict):
                edits = [Edit(path=f"stores/{path}", before=now.get(path), after=data) for path, data in step.items()]
                if home.journal.commit(edits, cause=cause):
                    states.append(dict(tree(root)))
                    undone.clear()
                    assert states[-1] == {**{path: data for path, data in now.items() if path not in step},
                                          **{path: data for path, data in step.items() if data is not None}}
            elif step == "redo" and undone:
                number, back = undone.pop()
                result = home.journal.undo(change=number)
                assert result.conflicts == ()
                states += back
            elif step.startswith("undo") and len(states) > 1:
                count = min(len(states) - 1, 2 if "two" in step else 1)
                result = home.journal.undo(last=2 if "two" in step else 1)
                assert (result.conflicts, len(result.undid)) == ((), count)
                undone.append((result.change, states[-count:]))
                del states[-count:]
            assert tree(root) == states[-1]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(commits, min_size=1, max_size=6), pick=st.integers(0, 5), by_hand=contents)
def test_whatever_is_undone_a_hand_edit_stays(
    steps: list[dict[str, bytes | None]], pick: int, by_hand: bytes | None, tree: Tree, fast_folder: Path
) -> None:
    with tempfile.TemporaryDirectory(dir=fast_folder) as folder, Home(folder + "/home", lambda: datetime.now(UTC)) as home:
        root = Path(folder) / "home" / "stores"
        for step in steps:
            now = tree(root)
            home.journal.commit(
                [Edit(path=f"stores/{path}", before=now.get(path), after=data) for path, data in step.items()],
                cause=Cause(operation="learn", actor="rules"))
        changes = home.journal.changes()
        if not changes:
            return
        journalled = {data for step in steps for path, data in step.items() if path == "a"} | {None}
        if by_hand is not None and by_hand not in journalled:
            root.mkdir(exist_ok=True)
            (root / "a").write_bytes(by_hand)
        before = tree(root)
        target = changes[pick % len(changes)]
        result = home.journal.undo(change=target.id)
        after = tree(root)
        for path in before.keys() | after.keys():
            if f"stores/{path}" not in result.restored:
                assert before.get(path) == after.get(path)
        if by_hand is not None and by_hand not in journalled:
            assert after["a"] == by_hand
        if result.change:
            home.journal.undo(change=result.change)
            assert tree(root) == before
