"""A product's folder and our own stores, looked over and mended on the disk: undone byte for byte, no credential kept."""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from reverie import errors
from reverie.core.checkup import Checked
from reverie.memory import Memory, open_memory

NOW = datetime.now(UTC)     # what is written here is written now
OLD = (NOW - timedelta(days=20)).replace(microsecond=0).timestamp()
TOKEN = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def text(name: str, description: str, body: str) -> str:
    return f"---\nname: {name}\ndescription: {description}\nmetadata:\n  node_type: memory\n  type: feedback\n---\n\n{body}\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


@pytest.fixture
def memory(tmp_path: Path, home: Path, project: Path) -> Iterator[Memory]:
    with open_memory(tmp_path / "reverie", cwd=project, environment={"HOME": str(home)}, clock=lambda: NOW) as opened:
        yield opened


@pytest.fixture
def folder(memory: Memory, home: Path) -> Path:
    """A product's folder with one of each kind of fault."""
    from reverie.core.place import claude_key

    place = home / ".claude/projects" / claude_key(memory.cwd) / "memory"
    place.mkdir(parents=True)
    files = {
        "MEMORY.md": "- [Hyphens](hyphens.md) — deploy on Friday mornings\n- [Gone](gone.md) — x\n",
        "hyphens.md": text("hyphens", "Write prose without hyphens", "No hyphens."),
        "orphan.md": text("orphan", "Reviews go to the platform team", "They do."),
        "open.md": text("open", "Tables may have dashes", "They may.").replace("---\n\n", "\n"),
    }
    for name, written in files.items():
        (place / name).write_bytes(written.encode())
        os.utime(place / name, (OLD, OLD))
    return place


def state(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()}


def checks(found: Checked) -> set[str]:
    return {each.check for each in found.findings}


def product(memory: Memory) -> Checked:
    [found] = memory.checkup(host="claude-code")
    return found


def test_a_checkup_writes_nothing(memory: Memory, folder: Path) -> None:
    before = state(folder)
    assert {"index_link", "index_drift", "orphan", "file_no_closing_fence"} <= checks(product(memory))
    planned = memory.mend(host="claude-code", dry_run=True)
    assert [each.change for each in planned] == [0, 0]
    assert "-- [Gone](gone.md)" in planned[-1].diff
    assert state(folder) == before
    assert not Path(memory.space.home.root).exists()


def test_each_mend_is_one_change_and_undone_byte_for_byte(memory: Memory, folder: Path) -> None:
    before = state(folder)
    done = memory.mend(host="claude-code")
    assert [each.paths for each in done] == [("open.md",), ("MEMORY.md",)]
    assert not checks(product(memory)) & {"index_link", "index_drift", "orphan", "file_no_closing_fence"}
    after = state(folder)
    assert {name: time for name, (_, time) in after.items() if name != "MEMORY.md"} == {
        name: time for name, (_, time) in before.items() if name != "MEMORY.md"}        # the age of a memory is its time
    assert memory.mend(host="claude-code") == []
    assert memory.undo(run=done[0].run).conflicts == ()
    assert state(folder) == before


def test_a_credential_is_masked_and_nowhere_kept(memory: Memory, folder: Path) -> None:
    (folder / "hyphens.md").write_text(text("hyphens", "Write prose without hyphens", f"The token is {TOKEN}"))
    (folder / "MEMORY.md").write_text(f"- [Hyphens](hyphens.md) — the token is {TOKEN}\n")
    os.utime(folder / "hyphens.md", (OLD, OLD))
    planned = memory.mend(host="claude-code", dry_run=True)
    assert TOKEN not in repr(planned)
    done = memory.mend(host="claude-code")
    assert [each.undoable for each in done if each.does.startswith("mask")] == [False, False]
    assert (folder / "hyphens.md").stat().st_mtime == OLD
    undone = memory.undo(run=done[0].run)
    assert {conflict.reason for conflict in undone.conflicts} == {"history_pruned"}
    memory.close()
    assert not holding(TOKEN, folder, Path(memory.space.home.root))


def test_bytes_that_an_earlier_change_had_kept_go_too(memory: Memory, folder: Path) -> None:
    from reverie.core.edits import Edit
    from reverie.core.events import Cause

    path = folder / "hyphens.md"
    held = text("hyphens", "Write prose without hyphens", f"The token is {TOKEN}").encode()
    edit = Edit(path=str(path), before=path.read_bytes(), after=held, root=str(folder))
    memory.space.home.journal.commit([edit], cause=Cause(operation="adopt", actor="product"))
    memory.mend(host="claude-code")
    memory.close()
    assert not holding(TOKEN, folder, Path(memory.space.home.root))


def holding(secret: str, *folders: Path) -> list[str]:
    """The files, and the packed bytes in the journal, in which a text stands."""
    found = [str(path) for folder in folders for path in folder.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()]
    with sqlite3.connect(folders[-1] / "state.db") as database:
        found += ["blob" for (data,) in database.execute("select data from blobs") if secret.encode() in zlib.decompress(data)]
    return found


def test_nothing_is_mended_while_somebody_dreams_there(memory: Memory, folder: Path) -> None:
    lock = folder / ".consolidate-lock"
    lock.write_text(str(os.getppid()))
    os.utime(lock, (NOW.timestamp() - 60, NOW.timestamp() - 60))
    before = state(folder)
    assert "lock" in checks(product(memory))
    with pytest.raises(errors.StoreUnavailable, match="dreams in this folder"):
        memory.mend(host="claude-code")
    assert state(folder) == before


def test_the_clock_of_the_dreams_goes_on(memory: Memory, folder: Path) -> None:
    lock = folder / ".consolidate-lock"
    lock.write_text("999999999")
    os.utime(lock, (OLD, OLD))
    assert memory.mend(host="claude-code")
    assert (lock.read_text(), lock.stat().st_mtime) == ("999999999", OLD)
    lock.unlink()
    (folder / "MEMORY.md").write_text("")
    assert memory.mend(host="claude-code")
    assert not lock.exists()


@pytest.mark.parametrize("plant", ["folder", "future"])
def test_a_lock_that_stops_the_dreams_is_told(memory: Memory, folder: Path, plant: str) -> None:
    lock = folder / ".consolidate-lock"
    if plant == "folder":
        lock.mkdir()
    else:
        lock.write_text("1")
        os.utime(lock, (NOW.timestamp() + 86_400, NOW.timestamp() + 86_400))
    assert "lock" in checks(product(memory))


def transcript(folder: Path, name: str, cwd: str) -> None:
    (folder.parent / f"{name}.jsonl").write_text(json.dumps({"type": "user", "cwd": cwd}, separators=(",", ":")) + "\n")


def test_two_projects_that_share_a_folder_are_told(memory: Memory, folder: Path) -> None:
    transcript(folder, "one", memory.cwd)
    assert not checks(product(memory)) & {"shared_key", "moved_project"}
    transcript(folder, "two", memory.cwd[:-7] + "-" + memory.cwd[-6:])      # of other letters, with the same name
    assert "shared_key" not in checks(product(memory))
    transcript(folder, "three", memory.cwd.replace("/project", "-project"))
    [shared] = [each for each in product(memory).findings if each.check == "shared_key"]
    assert memory.cwd in shared.says


def test_a_project_that_moved_away_is_told(memory: Memory, folder: Path, project: Path) -> None:
    transcript(folder, "one", memory.cwd)
    found = {it.folder: it for it in memory.checkup(host="claude-code", everywhere=True)}
    assert "moved_project" not in checks(found[str(folder)])
    project.rename(project.with_name("elsewhere"))
    found = {it.folder: it for it in memory.checkup(host="claude-code", everywhere=True)}
    assert "moved_project" in checks(found[str(folder)])


def test_the_repository_is_asked_about_what_memories_name(memory: Memory, folder: Path, project: Path) -> None:
    (project / "app.py").write_text("def settle(): ...\n")
    (folder / "hyphens.md").write_text(text("hyphens", "Where", "`settle()` is in `app.py`, `lost_thing` in `src/gone.py`."))
    told = [each.says for each in product(memory).findings if each.check.startswith("stale")]
    assert len(told) == 2 and "src/gone.py" in told[0] and "lost_thing" in told[1]


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_folder_that_is_a_link_is_told_and_mended_where_it_leads(memory: Memory, folder: Path, tmp_path: Path) -> None:
    real = tmp_path / "elsewhere"
    folder.rename(real)
    folder.symlink_to(real)
    assert "folder_link" in checks(product(memory))
    assert memory.mend(host="claude-code")
    assert "gone.md" not in (real / "MEMORY.md").read_text()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_closed_files_are_told(memory: Memory, folder: Path) -> None:
    (folder / "hyphens.md").chmod(0)
    assert "file_permission_denied" in checks(product(memory))


def test_where_nothing_is_there_is_nothing_to_say(memory: Memory) -> None:
    assert [it.findings for it in memory.checkup()] == [(), ()]
    assert memory.mend(dry_run=True) == []


# ── hostile ──────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.timeout(60)
def test_what_is_too_large_is_named_and_left_alone(memory: Memory, folder: Path) -> None:
    with (folder / "MEMORY.md").open("wb") as file:
        file.truncate(100 * 1024 * 1024)
    assert "file_too_large" in checks(product(memory))
    assert all("MEMORY.md" not in each.paths for each in memory.mend(host="claude-code"))
    assert (folder / "MEMORY.md").stat().st_size == 100 * 1024 * 1024


@pytest.mark.timeout(60)
@pytest.mark.parametrize("line", ["- [" * 600_000, "- [x](y.md) — z\n" * 100_000, "(" * 1_900_000, "<!--\n" * 300_000, "[[" * 900_000, "```\n" * 400_000])
@pytest.mark.slow
def test_a_hostile_index_costs_seconds_at_most(memory: Memory, folder: Path, line: str) -> None:
    (folder / "MEMORY.md").write_text(line)
    (folder / "hyphens.md").write_text(line)
    assert len(product(memory).findings) < 1_000
    memory.mend(host="claude-code", dry_run=True)


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_very_many_files_are_looked_at_up_to_a_bound(memory: Memory, folder: Path) -> None:
    for number in range(50_000):
        (folder / f"m{number}.md").write_bytes(b"x")
    found = product(memory)
    assert "file_not_looked_at" in checks(found)
    assert found.memories <= 5_000 and len(found.findings) < 2_000


# ── our own ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_our_own_index_that_a_hand_changed_is_told_and_rendered(memory: Memory, project: Path) -> None:
    memory.remember("Never use hyphens in prose", type="feedback")
    [found, home] = memory.checkup(host="own")
    assert (found.findings, home.findings, found.memories) == ((), (), 1)
    index = Path(found.folder) / "MEMORY.md"
    right = index.read_bytes()
    index.write_text("- [mine](mine.md)\n")
    [found, _] = memory.checkup(host="own")
    assert checks(found) == {"index_stale"}
    [mended] = memory.mend(host="own")
    assert index.read_bytes() == right
    memory.undo(change=mended.change)
    assert index.read_text() == "- [mine](mine.md)\n"


def test_a_credential_that_a_hand_wrote_into_our_store_is_masked(memory: Memory) -> None:
    memory.remember("Never use hyphens in prose", type="feedback")
    [found, _] = memory.checkup(host="own")
    [path] = [path for path in Path(found.folder).rglob("*.md") if path.name != "MEMORY.md"]
    path.write_text(path.read_text() + f"\nThe token is {TOKEN}\n")
    [found, _] = memory.checkup(host="own")
    assert "secret" in checks(found)
    memory.mend(host="own")
    memory.close()
    assert not holding(TOKEN, Path(memory.space.home.root))


def test_the_home_tells_what_lies_about(memory: Memory) -> None:
    memory.remember("Never use hyphens in prose", type="feedback")
    assert memory.recall("hyphens in prose?")
    memory.close()
    root = Path(memory.space.home.root)
    (root / "search.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 5_000)
    for ending in ("-wal", "-shm"):
        (root / f"search.db{ending}").unlink(missing_ok=True)
    (root / "state.db.damaged-1").write_bytes(b"x")
    (root / ".x-1-0.reverie-tmp").write_bytes(b"x")
    os.utime(root / ".x-1-0.reverie-tmp", (OLD, OLD))
    if os.name != "nt":
        root.chmod(0o755)
    [_, home] = memory.checkup(host="own")
    assert checks(home) >= {"damaged_search", "set_aside", "left_over", *(["permissions"] if os.name != "nt" else [])}
    [mended] = memory.mend(host="own")
    assert mended.paths == ("search.db",) and not (root / "search.db").exists()
    assert memory.recall("hyphens in prose?")
