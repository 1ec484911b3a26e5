"""Files that somebody else wrote, carried into a store as they are: the index follows, nothing is lost, no link is followed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from reverie.core.events import Cause
from reverie.errors import Conflict
from reverie.layouts.claude_code import ClaudeCode
from reverie.layouts.qwen_code import QwenCode
from reverie.storage.home import Home
from reverie.storage.store import Plan, Store

NOW = datetime(2026, 3, 1, tzinfo=UTC)
CAUSE = Cause(operation="memory_tool", actor="agent")
NOTE = b"---\nname: Checks\ndescription: How to run the checks\ntype: feedback\n---\n\nRun make check.\n"


@pytest.fixture
def store(home: Home) -> Store:
    return home.store("reverie/projects/p", ClaudeCode(provenance=True), scope="project", project="p")


def carried(home: Home, plan: Plan) -> int:
    return home.journal.commit(plan.edits, cause=CAUSE)


def test_a_file_is_written_as_it_is_and_the_index_names_it(home: Home, store: Store) -> None:
    carried(home, store.plan_files(store.folder(), {"sub/checks.md": NOTE, "todo.txt": b"one"}, NOW))
    root = Path(store.root)
    assert (root / "sub/checks.md").read_bytes() == NOTE
    assert (root / "todo.txt").read_bytes() == b"one"
    assert (root / "MEMORY.md").read_text() == "- [sub/checks.md](sub/checks.md) - How to run the checks\n"
    assert [memory.name for memory in store.contents().memories] == ["Checks"]


def test_it_is_one_change_that_is_undone_as_one(home: Home, store: Store, tree: Callable[[Path], Mapping[str, bytes]]) -> None:
    carried(home, store.plan_files(store.folder(), {"a.md": NOTE}, NOW))
    before = tree(Path(store.root))
    carried(home, store.plan_files(store.folder(), {"a.md": None, "b/c.md": NOTE + b"More.\n", "d.txt": b""}, NOW))
    assert tree(Path(store.root)).keys() == {"MEMORY.md", "b/c.md", "d.txt"}
    assert home.journal.undo(last=1).conflicts == ()
    assert tree(Path(store.root)) == before


def test_what_goes_for_good_lies_in_the_trash(home: Home, store: Store) -> None:
    carried(home, store.plan_files(store.folder(), {"a.md": NOTE}, NOW))
    plan = store.plan_files(store.folder(), {"a.md": None}, NOW, trash=["a.md"], why="deleted by the agent")
    carried(home, plan)
    [kept] = store.trashed()
    assert (kept.file, kept.why) == ("a.md", "deleted by the agent")
    carried(home, store.plan_restore(kept, NOW))
    assert (Path(store.root) / "a.md").read_bytes() == NOTE


def test_a_hand_edit_in_between_is_a_conflict(home: Home, store: Store) -> None:
    carried(home, store.plan_files(store.folder(), {"a.txt": b"one"}, NOW))
    plan = store.plan_files(store.folder(), {"a.txt": b"two"}, NOW)
    (Path(store.root) / "a.txt").write_bytes(b"by hand")
    with pytest.raises(Conflict):
        carried(home, plan)
    assert (Path(store.root) / "a.txt").read_bytes() == b"by hand"


def test_the_same_bytes_are_no_edit(home: Home, store: Store) -> None:
    carried(home, store.plan_files(store.folder(), {"a.md": NOTE}, NOW))
    assert store.plan_files(store.folder(), {"a.md": NOTE}, NOW).edits == ()


def test_the_index_of_type_folders_follows_too(home: Home) -> None:
    store = home.store("qwen-code/memories", QwenCode(), scope="user")
    carried(home, store.plan_files(store.folder(), {"feedback/checks.md": NOTE}, NOW))
    assert "feedback/checks.md" in (Path(store.root) / "MEMORY.md").read_text()


# ── folders that are left over ───────────────────────────────────────────────────────────────────────────────────


def test_empty_folders_are_taken_away_up_to_the_store(store: Store) -> None:
    root = Path(store.root)
    (root / "a/b/c/d").mkdir(parents=True)
    store.clear_folders("a/b")
    assert root.is_dir()
    assert list(root.iterdir()) == []


def test_a_folder_that_holds_anything_stays(store: Store) -> None:
    root = Path(store.root)
    (root / "a/b").mkdir(parents=True)
    (root / "a/.hidden").write_text("x")
    store.clear_folders("a/b")
    assert [path.name for path in root.rglob("*")] == ["a", ".hidden"]
    store.clear_folders("a")
    assert (root / "a/.hidden").exists()


def test_no_link_is_followed_when_folders_are_taken_away(store: Store, tmp_path: Path) -> None:
    root = Path(store.root)
    outside = tmp_path / "outside"
    (outside / "empty").mkdir(parents=True)
    root.mkdir(parents=True)
    (root / "link").symlink_to(outside)
    store.clear_folders("link/empty")
    store.clear_folders("link")
    assert (outside / "empty").is_dir()
    assert (root / "link").is_symlink()


def test_a_listing_says_which_files_are_links(store: Store) -> None:
    root = Path(store.root)
    root.mkdir(parents=True)
    (root / "a.txt").write_text("x")
    (root / "b.txt").symlink_to("a.txt")
    assert store.folder().scan.links == {"b.txt"}
