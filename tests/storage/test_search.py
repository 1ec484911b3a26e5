"""The search index follows the files, survives what happens to it, and lets nothing cross from one label to another."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reverie.core import recall
from reverie.core.memory import By, Memory, Source, Status
from reverie.storage import postings, search, watch
from reverie.storage.search import FolderSource, SearchIndex

NOW = 1_800_000_000.0
PACKAGES = "Packages: axolotl dependencies are added with pnpm"


def parse(path: str, data: bytes, modified_ns: int) -> list[Memory]:
    """The layout of these tests: one memory a line, "name: description"; a line in brackets is not active."""
    found = []
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines()):
        if line.strip():
            name, _, description = line.strip("[]").partition(": ")
            found.append(Memory(
                id=f"{path}:{number}", name=name, description=description, source=Source(by=By.USER),
                status=Status.SUPERSEDED if line.startswith("[") else Status.ACTIVE,
                modified_at=datetime.fromtimestamp(modified_ns / 1e9, UTC)))
    return found


def source(folder: Path, label: str = "project:a", version: str = "") -> FolderSource:
    return FolderSource(str(folder), label, lambda path: path.endswith(".md") and path != "MEMORY.md", parse, version)


def write(path: Path, text: str, age: float = 60.0) -> Path:
    """A file that was last changed ``age`` seconds ago."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    os.utime(path, ns=(time.time_ns() - int(age * 1e9),) * 2)
    return path


@pytest.fixture
def store(tmp_path: Path) -> Path:
    folder = tmp_path / "store"
    write(folder / "commits.md", "Commit subjects: imperative mood below sixty characters")
    write(folder / "feedback/packages.md", PACKAGES)
    write(folder / "MEMORY.md", "- [Packages](feedback/packages.md) pnpm")
    write(folder / "notes.txt", "Notes: zebra")
    return folder


@pytest.fixture
def index(tmp_path: Path) -> Iterator[SearchIndex]:
    with SearchIndex(str(tmp_path / "search.db")) as opened:
        yield opened


def names(index: SearchIndex, prompt: str, *labels: str) -> list[str]:
    found = index.find(recall.ask(prompt), labels or ("project:a",))
    return [candidate.name for candidate in found.candidates]


# ---------------------------------------------------------------- following the files

def test_what_is_in_the_files_is_found(index: SearchIndex, store: Path) -> None:
    done = index.refresh([source(store)])
    assert (done.checked, done.changed, done.removed, done.complete, done.problems) == (4, 2, 0, True, [])
    assert names(index, "pnpm") == ["Packages"]
    assert names(index, "zebra") == []
    assert index.state == "ready"
    (candidate,) = index.find(recall.ask("pnpm"), ["project:a"]).candidates
    assert (candidate.id, candidate.path, candidate.by, candidate.root) == (
        "feedback/packages.md:0", "feedback/packages.md", "user", str(store))
    assert index.count(["project:a"]) == 2


def test_nothing_is_read_when_nothing_changed(index: SearchIndex, store: Path) -> None:
    index.refresh([source(store)])

    def never(path: str, data: bytes, modified_ns: int) -> list[Memory]:
        raise AssertionError(path)

    silent = FolderSource(str(store), "project:a", lambda path: True, never)
    assert index.refresh([silent]).changed == 0


def _replace(store: Path) -> None:
    write(store / "beside.tmp", "Packages: quokka dependencies")
    (store / "beside.tmp").replace(store / "feedback/packages.md")


@pytest.mark.parametrize(
    ("change", "gone", "come"),
    [
        (lambda store: write(store / "feedback/packages.md", "Packages: quokka dependencies", 30), "axolotl", "quokka"),
        (lambda store: write(store / "feedback/packages.md", PACKAGES.replace("axolotl", "narwhal"), 30), "axolotl", "narwhal"),
        (_replace, "axolotl", "quokka"),
        (lambda store: (store / "feedback/packages.md").unlink(), "axolotl", ""),
        (lambda store: write(store / "new.md", "Quokka: a new one"), "", "quokka"),
        (lambda store: write(store / "a/b/c/new.md", "Quokka: in a new folder"), "", "quokka"),
        (lambda store: write(store / "feedback/packages.md", "One: quokka\nTwo: more"), "axolotl", "quokka"),
        (lambda store: write(store / "feedback/packages.md", f"[{PACKAGES}]"), "axolotl", ""),
        (lambda store: write(store / "feedback/packages.md", ""), "axolotl", ""),
    ],
    ids=["rewritten", "same size", "renamed over", "removed", "added", "in a new folder", "split", "superseded", "emptied"],
)
def test_a_change_is_seen_at_once(index: SearchIndex, store: Path, change: Callable[[Path], object], gone: str, come: str) -> None:
    index.refresh([source(store)])
    change(store)
    index.refresh([source(store)])
    assert not gone or names(index, gone) == []
    assert not come or len(names(index, come)) == 1
    assert names(index, "commit subjects") == ["Commit subjects"]
    _assert_sound(index)


def test_two_files_that_swap_names_are_read_again(index: SearchIndex, store: Path) -> None:
    index.refresh([source(store)])
    (store / "commits.md").rename(store / "x")
    (store / "feedback/packages.md").rename(store / "commits.md")
    (store / "x").rename(store / "feedback/packages.md")
    index.refresh([source(store)])
    (candidate,) = index.find(recall.ask("pnpm"), ["project:a"]).candidates
    assert candidate.path == "commits.md"


def test_a_second_change_within_the_clocks_grain_is_seen(index: SearchIndex, store: Path) -> None:
    """Same size, same time, same inode: only the content tells, and it is looked at while the file is that young."""
    path = write(store / "young.md", "Young: walrus", age=0)
    status = path.stat()
    index.refresh([source(store)])
    path.write_text("Young: marmot", "utf-8")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert index.refresh([source(store)]).changed == 1
    assert names(index, "marmot") == ["Young"]


def test_the_writer_tells_what_times_hide(index: SearchIndex, store: Path, tmp_path: Path) -> None:
    path = store / "commits.md"
    status = path.stat()
    index.refresh([source(store)])
    path.write_text("Commit subjects: imperative mood below eighty characters"[:status.st_size].ljust(status.st_size), "utf-8")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert index.refresh([source(store)]).changed == 0
    index.invalidate(str(store), ["commits.md"])
    with SearchIndex(str(tmp_path / "search.db")) as other:
        assert other.refresh([source(store)]).changed == 1
        assert names(other, "eighty") == ["Commit subjects"]


def test_a_file_in_the_future_settles(index: SearchIndex, store: Path) -> None:
    write(store / "future.md", "Future: flying cars", age=-86_400 * 365)
    index.refresh([source(store)])
    assert index.refresh([source(store)]).changed == 0


def test_another_layout_reads_the_folder_anew(index: SearchIndex, store: Path) -> None:
    index.refresh([source(store, version="one")])
    assert index.refresh([source(store, version="two")]).changed == 2
    assert index.count(["project:a"]) == 2
    _assert_sound(index)


def test_a_folder_that_goes_takes_its_memories_along(index: SearchIndex, store: Path) -> None:
    index.refresh([source(store)])
    for path in (*store.rglob("*.md"), *store.rglob("*.txt")):
        path.unlink()
    assert index.refresh([source(store)]).removed == 2
    assert index.count(["project:a"]) == 0
    index.refresh([source(store / "never was")])
    _assert_sound(index)


def test_a_source_can_be_forgotten(index: SearchIndex, store: Path) -> None:
    index.refresh([source(store)])
    index.forget_source(str(store))
    assert index.count(["project:a"]) == 0
    assert index.refresh([source(store)]).changed == 2


def test_a_deadline_stops_between_batches_and_the_next_refresh_goes_on(
    index: SearchIndex, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "BATCH", 10)
    for number in range(35):
        write(store / f"many{number:02d}.md", f"Many {number}: quokka", age=1000 - number)
    done = index.refresh([source(store)], deadline=time.monotonic() - 1)
    assert (done.changed, done.complete) == (10, False)
    assert "Packages" in names(index, "pnpm")           # the newest come first
    while not done.complete:
        done = index.refresh([source(store)], deadline=time.monotonic() - 1)
    assert index.count(["project:a"]) == 37
    _assert_sound(index)


# ---------------------------------------------------------------- labels

def test_nothing_crosses_labels(index: SearchIndex, tmp_path: Path) -> None:
    write(tmp_path / "a/one.md", "Ports: the gateway listens on 8443")
    write(tmp_path / "b/one.md", "Ports: the gateway listens on 9443")
    write(tmp_path / "user/one.md", "Editor: the user works in helix")
    index.refresh([source(tmp_path / "a", "project:a"), source(tmp_path / "b", "project:b"), source(tmp_path / "user", "user")])
    for label, port in (("project:a", "8443"), ("project:b", "9443")):
        found = index.find(recall.ask("which port does the gateway listen on? 8443 or 9443? helix?"), [label, "user"])
        assert sorted(candidate.label for candidate in found.candidates) == [label, "user"]
        assert all(port in candidate.description for candidate in found.candidates if candidate.label == label)
        assert found.memories == 2
        assert found.holders.get("gateway") == 1         # not even the other project's word counts
    assert index.find(recall.ask("gateway"), ["project:c"]).candidates == []
    assert index.find(recall.ask("gateway"), []).candidates == []
    assert index.find(recall.ask("gateway"), ["project:a' or '1'='1", "project:%"]).candidates == []


def test_one_folder_may_hold_several_projects(index: SearchIndex, tmp_path: Path) -> None:
    write(tmp_path / "one.md", "alpha: the gateway\nbeta: the gateway")
    mixed = FolderSource(str(tmp_path), lambda memory: f"project:{memory.name}", lambda path: path.endswith(".md"), parse)
    index.refresh([mixed])
    assert names(index, "gateway", "project:alpha") == ["alpha"]
    assert names(index, "gateway", "project:beta") == ["beta"]


def test_what_has_expired_is_left_out(index: SearchIndex, tmp_path: Path) -> None:
    def until(path: str, data: bytes, modified_ns: int) -> list[Memory]:
        return [Memory(id=path, name="Freeze", description="no deploys", valid_until=date(2027, 1, 7))]

    write(tmp_path / "folder/one.md", "x")
    index.refresh([FolderSource(str(tmp_path / "folder"), "user", lambda path: True, until)])
    question = recall.ask("deploys")
    assert len(index.find(question, ["user"], today="2027-01-07").candidates) == 1
    assert index.find(question, ["user"], today="2027-01-08").candidates == []


# ---------------------------------------------------------------- what can happen to an index

def _truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def _scribble(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xa5" * (len(data) - 4096)
    path.write_bytes(bytes(data))


def _foreign(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as connection:
        connection.executescript("create table memory (x); create table source (y); pragma user_version = 7")
    connection.close()


@pytest.mark.parametrize(
    "damage",
    [lambda path: path.unlink(), lambda path: path.write_bytes(b""), lambda path: path.write_bytes(b"not a database" * 999),
     _truncate, _scribble, _foreign],
    ids=["missing", "empty", "another kind of file", "cut short", "overwritten", "another schema"],
)
def test_a_damaged_index_is_built_again(tmp_path: Path, store: Path, damage: Callable[[Path], object]) -> None:
    path = tmp_path / "search.db"
    with SearchIndex(str(path)) as index:
        index.refresh([source(store)])
    damage(path)
    with SearchIndex(str(path)) as index:
        index.find(recall.ask("pnpm"), ["project:a"])
        assert index.refresh([source(store)]).complete
        assert names(index, "pnpm") == ["Packages"]
        assert index.state in ("ready", "rebuilt")
        _assert_sound(index)


def test_it_can_be_rebuilt_on_request(index: SearchIndex, store: Path) -> None:
    index.refresh([source(store)])
    assert index.rebuild([source(store)]).changed == 2
    assert names(index, "pnpm") == ["Packages"]


@pytest.mark.parametrize("place", ["missing/folder/search.db", "a folder", ""], ids=["no folder", "a folder in the way", "memory"])
def test_where_it_cannot_be_kept_it_works_in_memory(tmp_path: Path, store: Path, place: str) -> None:
    (tmp_path / "a folder").mkdir()
    with SearchIndex(str(tmp_path / place) if place else "") as index:
        assert index.refresh([source(store)]).changed == 2
        assert names(index, "pnpm") == ["Packages"]
        assert index.state == "memory"
    assert not (tmp_path / "missing").exists()
    assert list((tmp_path / "a folder").iterdir()) == []


@pytest.mark.skipif(os.name == "nt" or (hasattr(os, "geteuid") and os.geteuid() == 0), reason="root may write everywhere")
def test_a_read_only_home_works_in_memory(tmp_path: Path, store: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    with SearchIndex(str(home / "search.db")) as index:
        index.refresh([source(store)])
    for path in home.iterdir():
        path.chmod(0o400)
    home.chmod(0o500)
    try:
        with SearchIndex(str(home / "search.db")) as index:
            index.refresh([source(store)])
            assert names(index, "pnpm") == ["Packages"]
    finally:
        home.chmod(0o700)


def test_a_writer_that_does_not_end_does_not_stop_a_reader(
    tmp_path: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "BUSY_SECONDS", 0.05)
    path = str(tmp_path / "search.db")
    with SearchIndex(path) as index:
        index.refresh([source(store)])
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("begin immediate")
        try:
            write(store / "new.md", "New: quokka")
            done = index.refresh([source(store)])
            assert not done.complete
            assert done.problems[0][1].startswith("index_busy")
            assert names(index, "pnpm") == ["Packages"]
        finally:
            other.rollback()
            other.close()
        assert index.refresh([source(store)]).complete
        assert names(index, "quokka") == ["New"]


HAMMER = """
import sys
from pathlib import Path
from reverie.core import recall
from reverie.core.memory import Memory
from reverie.storage.search import FolderSource, SearchIndex

database, folder, number = sys.argv[1:]
source = FolderSource(folder, "project:a", lambda path: path.endswith(".md"),
                      lambda path, data, modified_ns: [Memory(id=path, name=path, description=data.decode())])
with SearchIndex(database) as index:
    for turn in range(8):
        Path(folder, f"p{number}.md").write_text(f"turn{turn} quokka")
        assert any(index.refresh([source]).complete for _ in range(100))
        assert index.find(recall.ask(f"turn{turn}"), ["project:a"]).candidates
"""


def test_many_processes_share_one_index(tmp_path: Path) -> None:
    folder, path = tmp_path / "empty", tmp_path / "search.db"
    folder.mkdir()
    workers = [subprocess.Popen([sys.executable, "-c", HAMMER, str(path), str(folder), str(number)]) for number in range(4)]
    assert [worker.wait(60) for worker in workers] == [0] * 4
    with SearchIndex(str(path)) as index:
        assert index.refresh([source(folder)]).complete
        assert index.count(["project:a"]) == 4
        found = index.find(recall.ask("turn7"), ["project:a"])
        assert sorted(candidate.path for candidate in found.candidates) == [f"p{number}.md" for number in range(4)]
        _assert_sound(index)


@pytest.mark.skipif(os.name == "nt", reason="no modes")
def test_the_index_is_private(tmp_path: Path, store: Path) -> None:
    with SearchIndex(str(tmp_path / "search.db")) as index:
        index.refresh([source(store)])
        for path in tmp_path.glob("search.db*"):
            assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0


def test_what_was_removed_leaves_no_text_behind(tmp_path: Path, store: Path) -> None:
    path = tmp_path / "search.db"
    with SearchIndex(str(path)) as index:
        write(store / "gone.md", "Gone: the walrusword")
        index.refresh([source(store)])
        (store / "gone.md").unlink()
        index.refresh([source(store)])
    assert b"walrusword" not in path.read_bytes()


# ---------------------------------------------------------------- bad folders

def test_bad_files_are_named_and_passed_over(index: SearchIndex, store: Path, tmp_path: Path) -> None:
    (store / "big.md").write_bytes(b"x" * (search.LARGEST_FILE + 1))
    (store / "loop.md").symlink_to(store / "loop.md")
    write(tmp_path / "outside.md", "Outside: quokka")
    (store / "outside.md").symlink_to(tmp_path / "outside.md")
    (store / "folder.md").mkdir()
    if hasattr(os, "mkfifo"):
        os.mkfifo(store / "pipe.md")
    (store / "binary.md").write_bytes(bytes(range(256)))
    deep = store
    for _ in range(12):
        deep = deep / "deep"
    write(deep / "far.md", "Far: quokka")
    done = index.refresh([source(store)])
    reasons = dict(done.problems)
    assert reasons["big.md"] == "too_large"
    assert reasons["loop.md"] == "symlink_loop"
    assert reasons["outside.md"] == "symlink_outside"
    assert "too_deep" in reasons.values()
    assert names(index, "quokka") == []
    assert names(index, "pnpm") == ["Packages"]
    with SearchIndex(index.path, clock_ns=lambda: time.time_ns() + 3_600_000_000_000) as later:
        again = later.refresh([source(store)])
        assert (again.changed, again.complete) == (0, True)
        assert later._connection is not None
        (state,) = later._connection.execute("select state from source").fetchone()
    assert state != ""                                  # what is refused for good does not cost a look at every prompt


def test_a_file_that_the_layout_trips_over_does_not_silence_the_others(index: SearchIndex, store: Path) -> None:
    def trip(path: str, data: bytes, modified_ns: int) -> list[Memory]:
        if path == "commits.md":
            raise ValueError("no such layout")
        return parse(path, data, modified_ns)

    done = index.refresh([FolderSource(str(store), "project:a", lambda path: path.endswith(".md"), trip)])
    assert done.problems == [("commits.md", "not_understood: ValueError: no such layout")]
    assert names(index, "axolotl") == ["Packages"]


@pytest.mark.skipif(os.name == "nt", reason="names are text there")
def test_a_name_that_is_no_text_is_a_problem(index: SearchIndex, store: Path) -> None:
    try:
        (store / os.fsdecode(b"bad\xff.md")).write_text("Bad: quokka")
    except OSError:
        pytest.skip("this file system takes only text")
    assert [reason for _, reason in index.refresh([source(store)]).problems] == ["name_not_utf8"]


def test_a_file_where_the_folder_should_be(index: SearchIndex, tmp_path: Path) -> None:
    write(tmp_path / "file", "x")
    assert [reason for _, reason in index.refresh([source(tmp_path / "file")]).problems] == ["not_a_folder"]


@pytest.mark.parametrize(
    "prompt",
    ['"', "pnpm\"", "pnpm AND NOT commits", "NEAR(pnpm commits, 2)", "pnpm*", "-pnpm", "name:pnpm", "^pnpm", "pnpm\x00commits",
     "'; drop table memory; --", "{pnpm}", "(pnpm", "pnpm OR", "%", "_", "\\", "\ud800 pnpm", "pnpm " * 5000],
    ids=lambda value: value[:20].encode("unicode_escape").decode(),
)
def test_query_syntax_is_inert(index: SearchIndex, store: Path, prompt: str) -> None:
    index.refresh([source(store)])
    assert ("Packages" in names(index, prompt)) == ("pnpm" in prompt)
    assert index.count(["project:a"]) == 2


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.text(max_size=40), body=st.text(max_size=200), prompt=st.text(max_size=60))
def test_no_memory_and_no_prompt_is_an_error(tmp_path: Path, name: str, body: str, prompt: str) -> None:
    write(tmp_path / "any/one.md", "x", age=60)
    memory = Memory(id="one", name=name, description=body[:50], body=body, keywords=(prompt,))
    with SearchIndex("") as index:
        index.refresh([FolderSource(str(tmp_path / "any"), "user", lambda path: True, lambda *given: [memory])])
        assert index.count(["user"]) == 1
        index.query(prompt, ["user"], now=NOW)
        found = index.query(body, ["user"], now=NOW)
        assert all(result.candidate.body == body for result in found)
        _assert_sound(index)


# ---------------------------------------------------------------- postings

@pytest.mark.parametrize("key", [0, 1, 1023, 1024, 5_000_000])
@pytest.mark.parametrize("length", [0, 1, 40, 5000, 10_000_000])
def test_a_posting_keeps_what_it_says(key: int, length: int) -> None:
    packed = recall.pack([("name", 3), ("body", 7), ("how_to_apply", 2)])
    posting = postings.entry(key, length, packed)
    assert posting < 2**32
    assert postings.place_of(posting) == key % postings.SEGMENT
    assert postings.packed_of(posting & postings.REST_MASK) == packed
    assert postings.length_of(posting & postings.REST_MASK) == pytest.approx(length, rel=0.06, abs=0.1)


def test_a_time_is_settled_when_it_cannot_repeat() -> None:
    assert not watch.settled(10**18, 10**18 + 10**8)
    assert watch.settled(10**18, 10**18 + 3 * 10**9)
    assert watch.settled(10**18 + 10**15, 10**18)


def _assert_sound(index: SearchIndex) -> None:
    """Every posting belongs to a memory that holds the term, every memory has all of its postings, and the counts are right."""
    connection = index._connection
    assert connection is not None
    held = set()
    for key, label, terms in connection.execute("select key, label, terms from memory"):
        held |= {(label, term, key) for term in terms.split("\n")[::2] if terms}
    posted = []
    for label, term, segment, entries in connection.execute("select label, term, segment, entries from posting"):
        numbers = memoryview(entries).cast("I")
        assert len(numbers) > 0
        posted += [(label, term, segment << postings.PLACE_BITS | postings.place_of(number)) for number in numbers]
    assert sorted(posted) == sorted(held)
    for number, memories, words in connection.execute("select id, memories, words from label"):
        row = connection.execute("select count(*), total(length) from memory where label = ?", (number,)).fetchone()
        assert (memories, words) == row
