"""Codex's layout: what is written comes back, whatever else stands in the folder."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot

from reverie.core import place as places
from reverie.core.memory import By, Memory, Source, Status
from reverie.core.scalar import tidy
from reverie.errors import NotFound
from reverie.layouts import codex_names as names
from reverie.layouts.base import Change, Contents, File, Layout, Written
from reverie.layouts.codex import PRODUCT, STUDY, Codex, Shape

NOW = datetime(2026, 12, 1, 9, 30, tzinfo=UTC)
SHAPES = [pytest.param(Codex(STUDY), id="study"), pytest.param(Codex(PRODUCT), id="product")]
KEY = places.project_key(places.make("/home/dev/code/billing-api"))
OTHER = places.project_key(places.make("/home/dev/code/shop"))
SESSION = "01a22fb8-7e9a-7842-8864-8cc9580124cb"


def source(session: str = SESSION, *, cwd: str = "/home/dev/code/billing-api", rule: str = "en.decision") -> Source:
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
              source=source("ses_9", cwd="/home/dev/code/shop"))
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
    cwd=st.sampled_from(["", "unknown", "/home/dev/code/billing-api", "/home/dev/code/billing-api/src", "C:\\w"]) | name,
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


# ---- the files themselves


def test_the_studys_handbook() -> None:
    store = Store(Codex(STUDY))
    store.change(MONEY, GERMAN, BOARD, WALL)
    assert store.text() == snapshot("""\
# Task Group: user (every project)
applies_to: cwd=any

## Task 1: Answers in German, outcome=uncertain

### rollout_summary_files
- 2026-12-01T03-49-09-V7hF-money_is_integer_cents.md (cwd=/home/dev/code/billing-api, rollout_path=unknown, updated_at=2026-12-01T09:12:44Z, thread_id=01a22fb8-7e9a-7842-8864-8cc9580124cb)

### keywords
- Answers, German

### Preference signals
- Answer in German. [V7hF#71P]

# Task Group: billing-api-61c637c3
applies_to: cwd=/home/dev/code/billing-api

## Task 1: Money is integer cents, outcome=uncertain

### rollout_summary_files
- 2026-12-01T03-49-09-V7hF-money_is_integer_cents.md (cwd=/home/dev/code/billing-api, rollout_path=unknown, updated_at=2026-12-01T09:12:44Z, thread_id=01a22fb8-7e9a-7842-8864-8cc9580124cb)

### keywords
- money, cents

### Reusable knowledge
- Money is stored as integer cents; never floats. [V7hF#FgB]
  because: rounding errors in invoices
  -> use the Money type for every amount

### References
- The error budget is on the board [V7hF#HHs]
  at grafana.example/d/1

## Task 2: Raw CLI hits the auth wall, outcome=uncertain

### rollout_summary_files
- 2026-12-01T09-12-44-CURE-raw_cli_hits_the_auth_wall.md (cwd=/home/dev/code/billing-api, rollout_path=unknown, updated_at=2026-12-01T09:12:44Z, thread_id=ses_77)

### keywords
- Raw, CLI, hits, auth, wall

### Failures and how to do differently
- Querying by raw CLI failed [CURE#taS]
  -> use the request form
""")


def test_the_products_handbook() -> None:
    store = Store(Codex(PRODUCT))
    store.change(MONEY, GERMAN, BOARD, WALL)
    assert store.text() == snapshot("""\
# Task Group: user (every project)
scope: what holds in every project of this user
applies_to: cwd=any; reuse_rule=safe everywhere

## Task 1: Answers in German, outcome=uncertain

### rollout_summary_files
- 2026-12-01T03-49-09-V7hF-money_is_integer_cents.md (cwd=/home/dev/code/billing-api, rollout_path=unknown, updated_at=2026-12-01T09:12:44Z, thread_id=01a22fb8-7e9a-7842-8864-8cc9580124cb)

### keywords
- Answers, German

## User preferences
- Answer in German. [Task 1] [V7hF#71P]

# Task Group: billing-api-61c637c3
scope: what was said and learned while working in /home/dev/code/billing-api; check against the code before relying on it
applies_to: cwd=/home/dev/code/billing-api; reuse_rule=only in this project, its subdirectories and worktrees

## Task 1: Money is integer cents, outcome=uncertain

### rollout_summary_files
- 2026-12-01T03-49-09-V7hF-money_is_integer_cents.md (cwd=/home/dev/code/billing-api, rollout_path=unknown, updated_at=2026-12-01T09:12:44Z, thread_id=01a22fb8-7e9a-7842-8864-8cc9580124cb)

### keywords
- money, cents

## Task 2: Raw CLI hits the auth wall, outcome=uncertain

### rollout_summary_files
- 2026-12-01T09-12-44-CURE-raw_cli_hits_the_auth_wall.md (cwd=/home/dev/code/billing-api, rollout_path=unknown, updated_at=2026-12-01T09:12:44Z, thread_id=ses_77)

### keywords
- Raw, CLI, hits, auth, wall

## Reusable knowledge
- Money is stored as integer cents; never floats. [Task 1] [V7hF#FgB]
  because: rounding errors in invoices
  -> use the Money type for every amount
- The error budget is on the board [Task 1] [V7hF#HHs]
  at grafana.example/d/1

## Failures and how to do differently
- Querying by raw CLI failed [Task 2] [CURE#taS]
  -> use the request form
""")


def test_raw_memories_and_the_summary_of_a_session() -> None:
    store = Store(Codex())
    store.change(MONEY)
    assert store.text("raw_memories.md") == snapshot("""\
# Raw Memories

Merged stage-1 raw memories (stable ascending thread-id order):

## Thread `01a22fb8-7e9a-7842-8864-8cc9580124cb`
updated_at: 2026-12-01T09:12:44Z
cwd: /home/dev/code/billing-api
rollout_path: unknown
rollout_summary_file: 2026-12-01T03-49-09-V7hF-money_is_integer_cents.md

---
description: Amounts are integer cents, never floats
task: Money is integer cents
task_group: billing-api-61c637c3
task_outcome: uncertain
cwd: /home/dev/code/billing-api
keywords: money, cents
---

### Task 1: Money is integer cents
task: Money is integer cents
task_group: billing-api-61c637c3
task_outcome: uncertain
memory: V7hF#FgB
type: project
updated_at: 2026-12-01T09:12:44Z
description: Amounts are integer cents, never floats
keywords: money, cents
said_by: user
said_at: 2026-12-01T09:12:44Z
host: claude-code
message: m1
cwd: /home/dev/code/billing-api
rule: en.decision
quote: Amounts are integer cents, never floats.

Reusable knowledge:
- Money is stored as integer cents; never floats.
  because: rounding errors in invoices
  -> use the Money type for every amount
""")
    assert store.text("rollout_summaries/2026-12-01T03-49-09-V7hF-money_is_integer_cents.md") == snapshot("""\
thread_id: 01a22fb8-7e9a-7842-8864-8cc9580124cb
updated_at: 2026-12-01T09:12:44Z
rollout_path: unknown
cwd: /home/dev/code/billing-api

# Amounts are integer cents, never floats

Rollout context: a session of claude-code in /home/dev/code/billing-api, 2026-12-01

## Task 1: Money is integer cents
Outcome: uncertain

Reusable knowledge:
- Money is stored as integer cents; never floats.
  because: rounding errors in invoices
  -> use the Money type for every amount

References:
- [1] the user, 2026-12-01T09:12:44Z: "Amounts are integer cents, never floats."
""")


def test_one_session_is_one_summary_file_and_one_task_a_block() -> None:
    store = Store(Codex())
    store.change(MONEY, GERMAN)
    store.change(BOARD)
    assert [path for path in store.files if path.startswith("rollout_summaries/")] == [
        "rollout_summaries/2026-12-01T03-49-09-V7hF-money_is_integer_cents.md"]  # fmt: skip
    assert store.text("raw_memories.md").count("## Thread ") == 1
    assert store.text().count("## Task ") == 2          # the user's block and the project's


def test_threads_stand_in_the_order_of_their_ids() -> None:
    store = Store(Codex())
    for session in ("ses_b", "ses_c", "ses_a"):
        store.change(replace(MONEY, source=source(session)))
    threads = [line for line in store.text("raw_memories.md").split("\n") if line.startswith("## Thread")]
    assert threads == ["## Thread `ses_a`", "## Thread `ses_b`", "## Thread `ses_c`"]


@pytest.mark.parametrize("layout", SHAPES)
@pytest.mark.parametrize("forgotten", [MONEY, GERMAN, BOARD], ids=["the first", "the user's", "the last"])
def test_nothing_of_a_forgotten_memory_is_left(layout: Codex, forgotten: Memory) -> None:
    alone = replace(forgotten, name="zebra title", description="zebra words", body="zebra body", why="zebra why", how_to_apply="zebra how",
                    keywords=("zebra",), source=replace(forgotten.source, quote="zebra quote", message="zebra"))
    store = Store(layout)
    ids = store.change(alone, *(memory for memory in ALL if memory is not forgotten)).ids
    assert "zebra_title" in "".join(store.files)
    store.change(remove=(ids[0],))
    assert "zebra" not in store.all_text().casefold()
    assert len(store.read().memories) == len(ALL) - 1
    cited = names.mentioned_files(store.text()) | names.mentioned_files(store.text("raw_memories.md"))
    assert {f"rollout_summaries/{name}" for name in cited} == {path for path in store.files if path.startswith("rollout_summaries/")}


@pytest.mark.parametrize("layout", SHAPES)
def test_nothing_of_what_was_replaced_is_left(layout: Codex) -> None:
    store = Store(layout)
    first = store.change(replace(MONEY, body="zebra body", why="zebra", keywords=("zebra",)), GERMAN).ids[0]
    later = replace(MONEY, id=first, source=replace(source("ses_2"), said_at=NOW))
    assert store.change(later).ids == (first,)
    assert "zebra" not in store.all_text()
    assert store.by_id()[first].source.session == "ses_2"
    assert "rollout_summaries/2026-12-01T09-30-00-" in "".join(store.files)


@pytest.mark.parametrize("layout", SHAPES)
def test_a_change_of_one_memory_keeps_the_bytes_of_other_sessions(layout: Codex) -> None:
    store = Store(layout)
    ids = store.change(*ALL).ids
    before = {path: file.data for path, file in store.files.items() if "CURE" in path}
    blocks = store.text().split("# Task Group: ")
    store.change(replace(SHOP, id=ids[-1], body="Deploys go out on Tuesdays."))
    assert {path: store.files[path].data for path in before} == before
    assert [block for block in store.text().split("# Task Group: ") if not block.startswith("shop-")] == [
        block for block in blocks if not block.startswith("shop-")]  # fmt: skip


def test_a_lesson_stands_under_what_failed_by_rule_or_by_type() -> None:
    store = Store(Codex())
    store.change(WALL, replace(WALL, type="lesson", name="typed", body="typed", source=source("ses_8")),
                 replace(WALL, type="feedback", body="heard", source=source("ses_9", rule="en.harm")))
    text = store.text()
    assert text.count("### Failures and how to do differently") == 3
    assert "### Reusable knowledge" not in text


def test_an_outcome_is_only_what_somebody_knows() -> None:
    store = Store(Codex())
    store.change(replace(MONEY, extra=(("task_outcome", "success"),)), replace(WALL, extra=(("task_outcome", "great"),)))
    assert "## Task 1: Money is integer cents, outcome=success" in store.text()
    assert "outcome=uncertain" in store.text()


def test_a_block_applies_to_the_directory_nearest_to_the_root() -> None:
    store = Store(Codex(PRODUCT))
    store.change(replace(MONEY, source=source("a", cwd="/home/dev/code/billing-api/src/deep")))
    store.change(replace(MONEY, source=source("b", cwd="/home/dev/code/billing-api")))
    store.change(replace(MONEY, source=source("c", cwd="/home/dev/wt/fix")))
    head = store.text().split("## Task")[0]
    assert "applies_to: cwd=/home/dev/code/billing-api; reuse_rule=" in head
    assert "working in /home/dev/code/billing-api;" in head
    assert "cwd=/home/dev/wt/fix, rollout_path" in store.text()


@pytest.mark.parametrize("shapes", [(STUDY, PRODUCT), (PRODUCT, STUDY)], ids=["study then product", "product then study"])
def test_both_shapes_live_in_one_folder(shapes: tuple[Shape, Shape]) -> None:
    store = Store(Codex(shapes[0]))
    store.change(MONEY, GERMAN, BOARD)
    store.layout = Codex(shapes[1])
    store.change(WALL, SHOP)
    ids = store.change(replace(MONEY, name="again")).ids
    assert sorted(memory.name for memory in store.read().memories) == sorted(
        [*(memory.name for memory in (MONEY, GERMAN, BOARD, WALL, SHOP)), "again"])  # fmt: skip
    changed = store.change(*(replace(memory, body="new body") for memory in store.read().memories))
    assert len(set(changed.ids)) == 6
    assert ids[0] in changed.ids
    assert {memory.body for memory in store.read().memories} == {"new body"}
    store.change(remove=tuple(changed.ids))
    assert store.read() == Contents()


@pytest.mark.parametrize(
    ("path", "watched"),
    [
        ("MEMORY.md", True), ("memory_summary.md", True), ("raw_memories.md", True), ("rollout_summaries/a.md", True),
        ("extensions/ad_hoc/notes/a.md", True), ("rollout_summaries/a/b.md", False), ("skills/a/SKILL.md", False),
        ("phase2_workspace_diff.md", False), (".git/HEAD", False), ("a.md", False), ("extensions/x/resources/a.md", True),
    ],
)  # fmt: skip
def test_which_files_hold_memories(path: str, watched: bool) -> None:
    assert Codex().is_memory_path(path) is watched


def test_a_layout_is_what_a_store_expects() -> None:
    layout: Layout = Codex()
    assert layout.name == "codex"
