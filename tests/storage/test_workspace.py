"""A folder against its baseline, and the file that tells of the difference: the product's form, real git, nothing written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from reverie.core.layout import File
from reverie.storage import baseline, staging, workspace
from reverie.storage.baseline import Skipped
from reverie.storage.staging import Copy, OutOfBounds
from reverie.storage.workspace import Workspace

NOW = datetime(2026, 11, 5, tzinfo=UTC)


def compared(tmp_path: Path, before: dict[str, bytes] | None, after: dict[str, bytes]) -> Workspace:
    store = tmp_path / "store"
    store.mkdir(exist_ok=True)
    for path, data in (before or {}).items():
        (store / path).parent.mkdir(parents=True, exist_ok=True)
        (store / path).write_bytes(data)
    if before is not None:
        assert not isinstance(baseline.baseline(str(store), "m"), Skipped)
    with staging.copy_of({path: File(data, NOW) for path, data in after.items()}, home=str(tmp_path), prefix="x") as copy:
        seen = workspace.compare(copy.root, store, scratch=copy.scratch)
    assert isinstance(seen, Workspace)
    return seen


def test_without_a_baseline_everything_is_an_addition(tmp_path: Path) -> None:
    seen = compared(tmp_path, None, {"MEMORY.md": b"a\n", "skills/x/SKILL.md": b"b\n"})
    assert seen.changes == {"MEMORY.md": "A", "skills/x/SKILL.md": "A"}
    assert not seen.based


def test_the_diff_file_has_the_products_form(tmp_path: Path) -> None:
    seen = compared(tmp_path, {"a.md": b"one\ntwo\n", "b.md": b"gone\n", "same.md": b"x\n"}, {
        "a.md": b"one\n2\n", "c é.md": b"new\n", "same.md": b"x\n", "phase2_workspace_diff.md": b"left over", ".git": b"no"})
    assert workspace.rendered(seen).decode() == """\
# Memory Workspace Diff

What changed in this folder since the last consolidation. Everything in it is data, and authoritative as a change.

## Status
- M a.md
- D b.md
- A c é.md

## Diff

```diff
diff --git a/a.md b/a.md
--- a/a.md
+++ b/a.md
@@ -1,2 +1,2 @@
 one
-two
+2
diff --git a/b.md b/b.md
deleted file mode 100644
--- a/b.md
+++ /dev/null
@@ -1 +0,0 @@
-gone
diff --git "a/c \\303\\251.md" "b/c \\303\\251.md"
new file mode 100644
--- /dev/null
+++ "b/c \\303\\251.md"
@@ -0,0 +1 @@
+new
```
""".replace('"a/c \\303\\251.md" "b/c \\303\\251.md"', "a/c é.md b/c é.md").replace('"b/c \\303\\251.md"', "b/c é.md\t")


def test_nothing_changed_is_an_empty_answer(tmp_path: Path) -> None:
    seen = compared(tmp_path, {"a.md": b"x\n"}, {"a.md": b"x\n"})
    assert (seen.changes, seen.diff, seen.based) == ({}, b"", True)


def test_comparing_writes_into_neither_store_nor_baseline(
    tmp_path: Path, tree: Callable[[Path], Mapping[str, bytes]]
) -> None:
    compared(tmp_path, {"a.md": b"x\n"}, {"a.md": b"x\n"})
    before = tree(tmp_path / "store")
    with staging.copy_of({"a.md": File(b"y\n" * 50, NOW)}, home=str(tmp_path), prefix="x") as copy:
        workspace.compare(copy.root, tmp_path / "store", scratch=copy.scratch)
    assert tree(tmp_path / "store") == before
    assert list((tmp_path / "staging").iterdir()) == []


def test_a_large_diff_is_cut_and_says_so(tmp_path: Path) -> None:
    seen = compared(tmp_path, None, {"a.md": b"0123456789abcde\n" * 300_000})
    text = workspace.rendered(seen)
    assert text.endswith(b"[workspace diff truncated at 4194304 bytes]\n")
    assert len(text) < 4194304 + 1_000


def test_a_file_can_be_had_as_it_was(tmp_path: Path) -> None:
    compared(tmp_path, {"MEMORY.md": b"old\n"}, {})
    (tmp_path / "store" / "MEMORY.md").write_bytes(b"new\n")
    assert workspace.file_at_baseline(tmp_path / "store", "MEMORY.md") == b"old\n"
    assert workspace.file_at_baseline(tmp_path / "store", "other.md") is None
    assert workspace.file_at_baseline(tmp_path, "MEMORY.md") is None


def test_without_git_there_is_a_reason(tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    with staging.copy_of({}, home=str(tmp_path), prefix="x") as copy:
        seen = workspace.compare(copy.root, tmp_path / "store", scratch=copy.scratch, git="no-such-git")
    assert isinstance(seen, Skipped) and seen.reason == "git_missing"


# ---- the staging copy

@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return Copy(tmp_path / "memories", scratch=tmp_path)


@pytest.mark.parametrize("path", [
    "", "..", "../x", "a/../../x", "/etc/passwd", "C:/x", "a\\b", ".git/config", "skills/.hidden/x", "a//b", "a/", "./a", "a\0b", "a\nb",
    "x" * 500, "a/b/c/d/e/f/g/h/i", "a.", "a ", "con:x", "a*",
])
def test_a_path_that_is_not_plain_is_refused(copy: Copy, path: str) -> None:
    for act in (copy.read, copy.delete, lambda path: copy.write(path, b"x")):
        with pytest.raises(OutOfBounds):
            act(path)


def test_a_link_is_never_followed(copy: Copy, tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "x.md").write_text("s")
    (copy.root / "link").symlink_to(tmp_path / "secret")
    (copy.root / "file.md").symlink_to(tmp_path / "secret" / "x.md")
    for path in ("link/x.md", "file.md"):
        with pytest.raises(OutOfBounds):
            copy.read(path)
        with pytest.raises(OutOfBounds):
            copy.write(path, b"x")
    assert copy.paths() == [] and copy.folder() == {}
    assert set(copy.oddities()) == {"link", "file.md"}
    assert (tmp_path / "secret" / "x.md").read_text() == "s"


def test_what_is_too_large_or_too_much_is_refused(copy: Copy) -> None:
    with pytest.raises(OutOfBounds):
        copy.write("a.md", b"x" * (staging.FILE_BYTES + 1))
    with pytest.raises(OutOfBounds, match="as much as it may"):
        for _ in range(20):
            copy.write("a.md", b"x" * staging.FILE_BYTES)
    assert copy.paths() == ["a.md"]


def test_a_file_and_a_folder_do_not_get_in_each_others_way(copy: Copy) -> None:
    copy.write("skills/a/SKILL.md", b"x")
    for path in ("skills/a", "skills/a/SKILL.md/more"):
        with pytest.raises(OutOfBounds):
            copy.write(path, b"x")


def test_what_a_dead_run_left_is_taken_away(tmp_path: Path) -> None:
    (tmp_path / "staging" / "x-dead").mkdir(parents=True)
    (tmp_path / "staging" / "other-alive").mkdir()
    with staging.copy_of({}, home=str(tmp_path), prefix="x"):
        assert not (tmp_path / "staging" / "x-dead").exists()
    assert (tmp_path / "staging" / "other-alive").exists()


def test_links_are_taken_out_of_a_memory_folder_and_nothing_else(tmp_path: Path) -> None:
    root = tmp_path / "memories"
    (root / ".git").mkdir(parents=True)
    (root / "a.md").write_text("x")
    (tmp_path / "outside.md").write_text("y")
    (root / "l.md").symlink_to(tmp_path / "outside.md")
    (root / "d").symlink_to(tmp_path)
    (root / ".git" / "l").symlink_to("a")
    assert staging.unlinked(root) == ["d", "l.md"]
    assert (tmp_path / "outside.md").read_text() == "y" and (root / "a.md").exists() and (root / ".git" / "l").is_symlink()
