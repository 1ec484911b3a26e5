"""Codex's layout: what is written comes back, whatever else stands in the folder."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.core import place as places
from reverie.core.memory import By, Memory, Source, Status
from reverie.core.scalar import tidy
from reverie.errors import NotFound
from reverie.layouts.base import Change, Contents, File, Written
from reverie.layouts.codex import PRODUCT, STUDY, Codex

NOW = datetime(2026, 12, 1, 9, 30, tzinfo=UTC)
SHAPES = [pytest.param(Codex(STUDY), id="study"), pytest.param(Codex(PRODUCT), id="product")]
KEY = places.project_key(places.make("/home/dev/work/billing-api"))
OTHER = places.project_key(places.make("/home/dev/work/shop"))
SESSION = "01a22fb8-7e9a-7842-8864-8cc9580124cb"


def source(session: str = SESSION, *, cwd: str = "/home/dev/work/billing-api", rule: str = "en.decision") -> Source:
    return Source(by=By.USER, host="claude-code", session=session, message="m1", cwd=cwd, rule=rule,
                  said_at=datetime(2026, 12, 1, 9, 12, 44, tzinfo=UTC), quote="Amounts are integer cents, never floats.")


MONEY = Memory(
    name="Money is integer cents", description="Amounts are integer cents, never floats", project=KEY, source=source(),
    body="Money is stored as integer cents; never floats.", why="rounding errors in invoices",
    how_to_apply="use the Money type for every amount", keywords=("money", "cents"),
)  # fmt: skip
GERMAN = Memory(name="Answers in German", type="feedback", scope="user", body="Answer in German.", source=source())
BOARD = Memory(name="Error budget board", type="reference", project=KEY, source=source(),
               body="The error budget is on the board\nat grafana.example/d/1")
WALL = Memory(name="Raw CLI hits the auth wall", project=KEY, source=source("ses_77", rule="en.lesson"),
              body="Querying by raw CLI failed", how_to_apply="use the request form")
GO = Memory(name="Go engineer", type="user", scope="user", body="Senior Go engineer, new to React")
SHOP = Memory(name="Shop deploys on Mondays", project=OTHER, body="Deploys go out on Mondays.",
              source=source("ses_9", cwd="/home/dev/work/shop"))
ALL = (MONEY, GERMAN, BOARD, WALL, GO, SHOP)


class Store:
    """A folder in memory, changed as the real store changes one on disk."""

    def __init__(self, layout: Codex, files: dict[str, str | bytes] | None = None) -> None:
        self.layout = layout
        self.files = {path: File(text.encode() if isinstance(text, str) else text, NOW)
                      for path, text in (files or {}).items()}

    def change(self, *put: Memory, remove: tuple[str, ...] = (), now: datetime = NOW) -> Written:
        written = self.layout.write(self.files, Change(put=put, remove=remove), now=now)
        for path, data in written.files.items():
            if data is None:
                del self.files[path]
            else:
                self.files[path] = File(data, now)
        return written

    def read(self) -> Contents:
        return self.layout.read(self.files)

    def by_id(self) -> dict[str, Memory]:
        return {memory.id: memory for memory in self.read().memories}

    def text(self, path: str = "MEMORY.md") -> str:
        return self.files[path].data.decode()

    def all_text(self) -> str:
        return "\n".join([*self.files, *(file.data.decode() for file in self.files.values())])


def bare(memory: Memory) -> Memory:
    return replace(memory, id="", modified_at=None)


# ---- round trips

line = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=24) | st.sampled_from(
    ["", "# Task Group: x", "## Thread `x`", "### Task 1: x", "---", "- x", "```", "-> x", "because: x", "[Task 1]", "References:",
     "a [V7hF#k3X]", "memory: V7hF#k3X", "  x", "\\-> x", "cwd=/x", "\ttab", "v1", "======================", "x" * 200]
)  # fmt: skip
block = st.lists(line, max_size=5).map("\n".join).map(tidy)
name = line.filter(lambda text: "\n" not in text)
when = st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))
sources = st.builds(
    Source, by=st.sampled_from(By), host=st.sampled_from(["", "codex", "claude-code"]) | name, message=name, rule=name,
    session=st.sampled_from(["", SESSION, "ses_1", "ses`x", "a b"]) | name, said_at=st.none() | when, quote=block,
    cwd=st.sampled_from(["", "unknown", "/home/dev/work/billing-api", "/home/dev/work/billing-api/src", "C:\\w"]) | name,
)  # fmt: skip
memories = st.builds(
    Memory, name=name, description=block, body=block, why=block, how_to_apply=block,
    type=st.sampled_from(["user", "feedback", "project", "reference", "lesson"]),
    scope=st.sampled_from(["project", "user", "team", "agent:reviewer"]), keywords=st.lists(name, max_size=3).map(tuple),
    project=st.sampled_from(["", KEY, OTHER, "unknown project", "user (every project)"]) | name, source=sources,
    status=st.sampled_from([Status.ACTIVE, Status.ACTIVE, Status.QUARANTINED, Status.SUPERSEDED]),
    valid_until=st.none() | st.dates(date(2000, 1, 1)), confirmed=st.integers(0, 99),
    extra=st.lists(st.tuples(name, name), max_size=2).map(tuple),
)  # fmt: skip


@pytest.mark.parametrize("layout", SHAPES)
@settings(max_examples=150, deadline=None)
@given(st.lists(memories, max_size=6))
def test_every_field_comes_back(layout: Codex, put: list[Memory]) -> None:
    store = Store(layout)
    ids = store.change(*put).ids
    read = store.by_id()
    assert [bare(read[id]) for id in ids] == put
    assert len(read) == len(put)
    assert store.read().problems == ()


@pytest.mark.parametrize("layout", SHAPES)
@settings(max_examples=100, deadline=None)
@given(st.data())
def test_a_life_of_changes_keeps_every_other_memory(layout: Codex, data: st.DataObject) -> None:
    store = Store(layout)
    model: dict[str, Memory] = {}
    for step in range(data.draw(st.integers(1, 6))):
        ids = sorted(model)
        remove = data.draw(st.lists(st.sampled_from(ids), unique=True, max_size=2)) if ids else []
        rest = [id for id in ids if id not in remove]
        updated = data.draw(st.lists(st.sampled_from(rest), unique=True, max_size=2)) if rest else []
        put = [replace(data.draw(memories), id=id) for id in updated] + data.draw(st.lists(memories, max_size=2))
        written = store.change(*put, remove=tuple(remove), now=NOW + timedelta(hours=step))
        for id in remove:
            del model[id]
        model |= {id: bare(memory) for id, memory in zip(written.ids, put, strict=True)}
        assert {id: bare(memory) for id, memory in store.by_id().items()} == model
        assert set(updated) <= set(written.ids)
    store.change(remove=tuple(model))
    assert store.read() == Contents()
    assert sorted(store.files) in ([], ["MEMORY.md", "memory_summary.md", "raw_memories.md"])


@pytest.mark.parametrize("layout", SHAPES)
@settings(max_examples=50, deadline=None)
@given(st.lists(memories, max_size=5))
def test_the_index_of_all_memories_is_the_summary_file(layout: Codex, put: list[Memory]) -> None:
    store = Store(layout)
    store.change(*put)
    if store.files:
        assert layout.index(store.read().memories, store.files) == store.text("memory_summary.md")


@pytest.mark.parametrize("layout", SHAPES)
def test_writing_what_stands_there_changes_nothing(layout: Codex) -> None:
    store = Store(layout)
    store.change(*ALL)
    again = layout.write(store.files, Change(put=store.read().memories), now=NOW + timedelta(days=1))
    assert again.files == {}
    assert again.ids == tuple(memory.id for memory in store.read().memories)


@pytest.mark.parametrize("layout", SHAPES)
def test_the_same_change_gives_the_same_bytes(layout: Codex) -> None:
    first, second = Store(layout), Store(layout)
    assert first.change(*ALL) == second.change(*ALL)


@pytest.mark.parametrize("layout", SHAPES)
def test_adding_and_removing_leaves_the_bytes_of_before(layout: Codex) -> None:
    store = Store(layout)
    store.change(MONEY, SHOP)
    before = dict(store.files)
    ids = store.change(GERMAN, WALL, BOARD).ids
    store.change(remove=tuple(ids))
    assert {path: file.data for path, file in store.files.items()} == {path: file.data for path, file in before.items()}


def test_an_unknown_id_is_not_found() -> None:
    store = Store(Codex())
    store.change(MONEY)
    for change in (Change(remove=["MEMORY.md:nope"]), Change(put=[replace(MONEY, id="MEMORY.md:nope")])):
        with pytest.raises(NotFound, match="nope"):
            store.layout.write(store.files, change, now=NOW)


def test_an_empty_change_writes_nothing() -> None:
    assert Codex().write({}, Change(), now=NOW) == Written(files={})
