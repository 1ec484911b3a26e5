"""Codex's layout: folders that a product or a person wrote, in both generations' shapes, whole and broken."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.core import place as places
from reverie.core.memory import By, Memory, Source, Status
from reverie.layouts.base import Change, Contents, File
from reverie.layouts.codex import PRODUCT, STUDY, Codex

NOW = datetime(2026, 12, 1, 9, 30, tzinfo=UTC)
SHAPES = [pytest.param(Codex(STUDY), id="study"), pytest.param(Codex(PRODUCT), id="product")]
SHOP, INFRA = (places.project_key(places.make(path)) for path in ("/home/ana/code/shop", "/home/ana/code/infra"))
SHOP_PATH, INFRA_PATH = "/home/ana/code/shop", "/home/ana/code/infra"
FIRST, SECOND = "019c6e27-e55b-73d1-87d8-4e01f1f75043", "01a22fbb-ceb7-7692-8ce7-05fa56fbd754"

# The study's shape: everything under the task.
STUDY_HANDBOOK = f"""\
# Task Group: shop checkout work
applies_to: cwd=/home/ana/code/shop

## Task 1: Move the checkout to the new price service, outcome=success

### rollout_summary_files
- 2026-02-17T21-23-02-LN3m-price_service.md (cwd=/home/ana/code/shop, rollout_path=/home/ana/.codex/sessions/x.jsonl, updated_at=2026-02-17T22:00:00Z, thread_id={FIRST})

### keywords
- price service, checkout, rounding

### Preference signals
- when reviewing, the user said: "show me the failing case before the fix"
  -> open with a failing test, then the change
- asks for small commits

### Reusable knowledge
- prices arrive in minor units under `amount.minor`
  ```json
  {{"amount": {{"minor": 1999}}}}
  ```

### Failures and how to do differently
- mocking the price client hid the rounding error
  -> use the recorded responses in `tests/data/prices`

### References
- tickets: the SHOP board, component "checkout"

# Task Group: infra
applies_to: cwd=/home/ana/code/infra

## Task 1: Rename a module, outcome=partial

### rollout_summary_files
- 2026-02-18T10-00-00-Lgmo.md (cwd=/home/ana/code/infra, updated_at=2026-02-18T10:30:00Z, thread_id={SECOND})

### keywords
- terraform, moved block

### Reusable knowledge
- state moves need `terraform plan` in two workspaces
"""

# The product's shape today: files and keywords under the task, the rest once per block.
PRODUCT_HANDBOOK = f"""\
# Task Group: /home/ana/code/shop / checkout
scope: checkout and prices; not for the back office
applies_to: cwd=/home/ana/code/shop; reuse_rule=safe for checkout work in this checkout

## Task 1: Move the checkout to the new price service, success

### rollout_summary_files
- 2026-02-17T21-23-02-LN3m-price_service.md (cwd=/home/ana/code/shop, rollout_path=/x.jsonl, updated_at=2026-02-17T22:00:00Z, thread_id={FIRST}, best evidence)

### keywords
- price service, checkout

## Task 2: Round prices, partial

### rollout_summary_files
- 2026-02-18T10-00-00-Lgmo.md (cwd=/home/ana/code/shop, rollout_path=/y.jsonl, updated_at=2026-02-18T10:30:00Z, thread_id={SECOND})

### keywords
- rounding, half even

## User preferences
- when reviewing, the user said "show me the failing case first" -> open with a failing test [Task 1]
- asks for small commits [Task 1][Task 2]

## Reusable knowledge
- prices arrive in minor units [Task 2]

## Failures and how to do differently
- mocking the price client hid the rounding error -> use the recorded responses [Task 1, Task 2]
"""

SUMMARY = """\
v1

## User Profile
Ana works on the shop and its infrastructure; she knows Go and is new to Terraform.

## User preferences
- asks for small commits
- answers should fit on one screen

## General Tips
- search the handbook by ticket number

## What's in Memory

### /home/ana/code/shop

#### 2026-02-18
- checkout: price service, rounding
  - desc: the move to the price service
  - learnings: minor units

### Older Memory Topics

#### /home/ana/code/infra
- terraform renames
  - desc: moved blocks
"""

RAW = f"""\
# Raw Memories

Merged stage-1 raw memories (stable ascending thread-id order):

## Thread `{FIRST}`
updated_at: 2026-02-17T22:00:00Z
cwd: /home/ana/code/shop
rollout_path: /home/ana/.codex/sessions/x.jsonl
rollout_summary_file: 2026-02-17T21-23-02-LN3m-price_service.md

---
description: moved the checkout to the price service
task: price_service
task_group: shop
task_outcome: success
cwd: /home/ana/code/shop
keywords: price service, rounding
---

### Task 1: Move the checkout
task: move checkout
task_group: shop
task_outcome: success

Preference signals:
- asks for small commits

Reusable knowledge:
- prices arrive in minor units
  -> divide at the edge only

References:
- [1] tests/data/prices

"""
ROLLOUT = f"""\
thread_id: {FIRST}
updated_at: 2026-02-17T22:00:00+00:00
rollout_path: /home/ana/.codex/sessions/x.jsonl
cwd: /home/ana/code/shop
git_branch: main

# Moved the checkout to the price service and fixed rounding

Rollout context: a Go service with recorded responses.

## Task 1: Move the checkout
Outcome: success
"""
ROLLOUT_PATH = "rollout_summaries/2026-02-17T21-23-02-LN3m-price_service.md"


def folder(**files: str | bytes) -> dict[str, File]:
    """Files by name, "__" for "/" and a Markdown ending."""
    return {f"{name.replace('__', '/')}.md": File(text.encode() if isinstance(text, str) else text, NOW)
            for name, text in files.items()}


def read(files: dict[str, File]) -> Contents:
    return Codex().read(files)


def change(files: dict[str, File], *put: Memory, remove: tuple[str, ...] = (), layout: Codex | None = None) -> dict[str, File]:
    written = (layout or Codex()).write(files, Change(put=put, remove=remove), now=NOW)
    after = dict(files)
    for path, data in written.files.items():
        after.pop(path, None)
        if data is not None:
            after[path] = File(data, NOW)
    return after


def brief(memory: Memory) -> tuple[str, str, str, str]:
    return memory.type, memory.project, memory.body, memory.how_to_apply


# ---- what products write


def test_the_studys_handbook() -> None:
    contents = read(folder(MEMORY=STUDY_HANDBOOK))
    assert [brief(memory) for memory in contents.memories] == [
        ("feedback", SHOP_PATH, 'when reviewing, the user said: "show me the failing case before the fix"', "open with a failing test, then the change"),
        ("feedback", SHOP_PATH, "asks for small commits", ""),
        ("project", SHOP_PATH, 'prices arrive in minor units under `amount.minor`\n```json\n{"amount": {"minor": 1999}}\n```', ""),
        ("feedback", SHOP_PATH, "mocking the price client hid the rounding error", "use the recorded responses in `tests/data/prices`"),
        ("reference", SHOP_PATH, 'tickets: the SHOP board, component "checkout"', ""),
        ("project", INFRA_PATH, "state moves need `terraform plan` in two workspaces", ""),
    ]
    first = contents.memories[0]
    assert (first.scope, first.source.by, first.source.session, first.source.host) == ("project", By.UNKNOWN, FIRST, "codex")
    assert first.source.cwd == "/home/ana/code/shop"
    assert first.keywords == ("price service", "checkout", "rounding")
    assert first.modified_at == datetime(2026, 2, 17, 22, tzinfo=UTC)
    assert contents.problems == ()


def test_the_products_handbook() -> None:
    contents = read(folder(MEMORY=PRODUCT_HANDBOOK))
    assert [brief(memory) for memory in contents.memories] == [
        ("feedback", SHOP_PATH, 'when reviewing, the user said "show me the failing case first" -> open with a failing test', ""),
        ("feedback", SHOP_PATH, "asks for small commits", ""),
        ("project", SHOP_PATH, "prices arrive in minor units", ""),
        ("feedback", SHOP_PATH, "mocking the price client hid the rounding error -> use the recorded responses", ""),
    ]
    preference, both, knowledge, _ = contents.memories
    assert (preference.source.session, knowledge.source.session, both.source.session) == (FIRST, SECOND, "")
    assert both.keywords == ("price service", "checkout", "rounding", "half even")
    assert contents.problems == ()


def test_profile_and_preferences_of_the_summary_are_the_users_and_topics_are_only_an_index() -> None:
    contents = read(folder(MEMORY=STUDY_HANDBOOK, memory_summary=SUMMARY))
    found = [(memory.type, memory.scope, memory.body) for memory in contents.memories if memory.id.startswith("memory_summary.md:")]
    assert found == [
        ("user", "user", "Ana works on the shop and its infrastructure; she knows Go and is new to Terraform."),
        ("feedback", "user", "answers should fit on one screen"),        # the other one stands in the handbook
        ("feedback", "user", "search the handbook by ticket number"),
    ]


def test_raw_memories_count_until_the_handbook_covers_their_session() -> None:
    fresh = read(folder(raw_memories=RAW))
    assert [brief(memory) for memory in fresh.memories] == [
        ("feedback", SHOP_PATH, "asks for small commits", ""),
        ("project", SHOP_PATH, "prices arrive in minor units", "divide at the edge only"),
        ("reference", SHOP_PATH, "[1] tests/data/prices", ""),
    ]
    assert fresh.memories[0].keywords == ("price service", "rounding")
    assert fresh.memories[0].source.session == FIRST
    covered = read(folder(raw_memories=RAW, MEMORY=STUDY_HANDBOOK))
    assert not [memory for memory in covered.memories if memory.id.startswith("raw_memories.md")]


def test_summaries_of_sessions_count_when_nothing_else_covers_them() -> None:
    """The second generation has nothing but these and the summary (spec/codex §11.3)."""
    pointer = f"v1\n\n## What's in Memory\n### shop\n- {ROLLOUT_PATH} — moved the checkout, rounding fixed; thread_id={FIRST}\n"
    files = folder(memory_summary=pointer) | {ROLLOUT_PATH: File(ROLLOUT.encode(), NOW)}
    (memory,) = read(files).memories
    assert (memory.id, memory.project, memory.source.session) == (ROLLOUT_PATH, SHOP_PATH, FIRST)
    assert memory.name == "Moved the checkout to the price service and fixed rounding"
    assert memory.description == "moved the checkout, rounding fixed"
    assert memory.body.startswith("# Moved the checkout")
    assert read(files | folder(MEMORY=STUDY_HANDBOOK)).memories[0].id.startswith("MEMORY.md:")
    assert ROLLOUT_PATH not in {memory.id for memory in read(files | folder(MEMORY=STUDY_HANDBOOK)).memories}


def test_a_note_counts_until_the_handbook_names_it() -> None:
    path = "extensions/ad_hoc/notes/2026-12-01T09-00-00-tabs.md"
    files = {path: File(b"Use tabs in Makefiles.\n", NOW), "extensions/ad_hoc/instructions.md": File(b"x", NOW)}
    (memory,) = read(files).memories
    assert (memory.id, memory.body, memory.source.by, memory.project) == (path, "Use tabs in Makefiles.", By.AGENT, "")
    taken_over = "# Task Group: x\napplies_to: cwd=/x\n## Task 1: x\n### extension_resource_files\n- " + path
    assert read(files | folder(MEMORY=taken_over)).memories == ()


def test_a_document_of_an_extension_is_its_directorys_until_the_handbook_names_it() -> None:
    path = "extensions/screen/resources/shop/2026-11-30T09-00-00-lamp.md"
    files = {
        path: File(b"The lamp on desk 4 means the build is red.\n", NOW),
        "extensions/screen/instructions.md": File(b"read them", NOW),
        "extensions/screen/resources/shop/scope.json": File(b'{"cwd": "/home/ana/code/shop"}', NOW),
    }
    (memory,) = read(files).memories
    assert (memory.id, memory.project, memory.source.by, memory.source.host) == (path, "/home/ana/code/shop", By.UNKNOWN, "screen")
    assert Codex().is_memory_path(path)
    taken_over = "# Task Group: x\napplies_to: cwd=/x\n## Task 1: x\n### extension_resource_files\n- " + path
    assert read(files | folder(MEMORY=taken_over)).memories == ()


@pytest.mark.parametrize("scope", [b"", b"not json", b"[1]", b'{"cwd": 7}', b'{"cwd": "relative"}', b"[" * 100_000])
def test_a_document_of_an_extension_without_a_scope_is_nobodys(scope: bytes) -> None:
    files = {
        "extensions/screen/resources/a.md": File(b"x is y", NOW), "extensions/screen/instructions.md": File(b"read", NOW),
        "extensions/screen/resources/scope.json": File(scope, NOW),
    }
    (memory,) = read(files).memories
    assert memory.project == ""


def test_skills_imports_and_what_a_running_product_leaves_are_no_memories() -> None:
    files = {path: File(b"---\nname: release\ndescription: how to release\n---\nx\n", NOW) for path in (
        "skills/release/SKILL.md", "skills/release/scripts/x.md", "extensions/external_agent_import/resources/p/a.md",
        "phase2_workspace_diff.md", "notes.md",
    )}  # fmt: skip
    assert read(files) == Contents()
    assert "- skills/release/SKILL.md: how to release [skill]" in Codex().index((), files)
    changed = change(files, Memory(name="x", body="x"))
    assert all(changed[path] == file for path, file in files.items())


@pytest.mark.parametrize("layout", SHAPES)
def test_an_id_holds_while_other_memories_change(layout: Codex) -> None:
    files = folder(MEMORY=STUDY_HANDBOOK, memory_summary=SUMMARY, raw_memories=RAW)
    before = {memory.id for memory in layout.read(files).memories}
    gone = layout.read(files).memories[1].id
    after = change(files, Memory(name="new", body="new", project=SHOP, source=Source(session=FIRST, cwd="/home/ana/code/shop")),
                   remove=(gone,), layout=layout)
    ids = {memory.id for memory in layout.read(after).memories}
    assert before - {gone} <= ids
    assert len(ids) == len(before)


# ---- isolation


@pytest.mark.parametrize(
    ("label", "applies_to", "scope", "project"),
    [
        pytest.param("x", "cwd=/home/ana/code/shop", "project", SHOP_PATH, id="a directory"),
        pytest.param("x", "cwd=/home/ana/code/shop/; reuse_rule=anywhere", "project", SHOP_PATH, id="with a rule"),
        pytest.param("x", "cwd=`/home/ana/code/shop`", "project", SHOP_PATH, id="in quotes"),
        pytest.param(SHOP, "cwd=/elsewhere", "project", SHOP, id="our key goes first"),
        pytest.param("/home/ana/code/shop", "cwd=unknown", "project", SHOP_PATH, id="the heading is a path"),
        pytest.param("x", "cwd=C:\\w\\shop", "project", "C:/w/shop", id="on Windows"),
        pytest.param("x", "cwd=any", "user", "", id="everywhere"),
        pytest.param("x", "cwd=All projects; reuse_rule=x", "user", "", id="everywhere in words"),
        pytest.param(f"team: {SHOP}", "cwd=/x", "team", SHOP, id="a team's"),
        pytest.param("x", "cwd=unknown", "project", "", id="unknown"),
        pytest.param("x", "cwd=shop and infra", "project", "", id="words"),
    ],
)
def test_a_label_says_whose_a_memory_is(label: str, applies_to: str, scope: str, project: str) -> None:
    text = f"# Task Group: {label}\napplies_to: {applies_to}\n\n## Reusable knowledge\n- a fact\n"
    (memory,) = read(folder(MEMORY=text)).memories
    assert (memory.scope, memory.project) == (scope, project)


def test_without_a_label_a_memory_is_nobodys_whoever_asks() -> None:
    files = folder(MEMORY="- loose\n\n# Task Group: x\n## Reusable knowledge\n- unlabelled\n\n# Notes\n- mine\n")
    contents = Codex().read(files, scope="project", project=SHOP)
    assert [(memory.body, memory.project) for memory in contents.memories] == [("loose", ""), ("unlabelled", ""), ("mine", "")]
    assert [problem.reason for problem in contents.problems] == ["unknown_block", "no_applies_to"]


@pytest.mark.parametrize("layout", SHAPES)
def test_a_summary_for_one_project_says_nothing_of_another(layout: Codex) -> None:
    files: dict[str, File] = {}
    put = [Memory(name=f"fact {where}", body=f"secret of {where}", project=key, source=Source(session="s", cwd=f"/home/ana/code/{where}"))
           for where, key in (("shop", SHOP), ("infra", INFRA))]
    files = change(files, *put, Memory(name="me", type="user", scope="user", body="Ana"), layout=layout)
    memories = layout.read(files).memories
    text = layout.summary(memories, project=SHOP)
    assert "shop" in text
    assert "Ana" in text
    assert "infra" not in text
    assert "infra" in layout.summary(memories)


def test_a_bullet_moved_to_another_block_belongs_there() -> None:
    shop = Memory(name="rule", body="the rule", project=SHOP, source=Source(session="s", cwd="/home/ana/code/shop"))
    files = change({}, shop)
    moved = files["MEMORY.md"].data.decode().replace(SHOP, INFRA).replace("/code/shop", "/code/infra")
    (memory,) = read(files | folder(MEMORY=moved)).memories
    assert (memory.project, memory.name) == (INFRA, "rule")


# ---- hand edits


def test_an_edited_bullet_holds_and_keeps_what_it_does_not_say() -> None:
    old = Memory(name="cents", description="about cents", body="Money is in cents.", why="rounding", keywords=("money",), project=SHOP,
                 source=Source(session="s", by=By.USER, quote="cents, please"))
    files = change({}, old)
    text = files["MEMORY.md"].data.decode().replace("Money is in cents.", "Money is in pence.").replace("because: rounding", "because: the law")
    files |= folder(MEMORY=text)
    (memory,) = read(files).memories
    assert (memory.body, memory.why, memory.name, memory.keywords, memory.source.quote) == (
        "Money is in pence.", "the law", "cents", ("money",), "cents, please")  # fmt: skip
    files = change(files, replace(memory, how_to_apply="use Money"))
    assert "in cents" not in "".join(file.data.decode() for file in files.values())
    assert read(files).memories[0].body == "Money is in pence."


def test_a_bullet_taken_out_by_hand_is_forgotten_and_the_next_change_of_its_session_clears_the_rest() -> None:
    files = change({}, *(Memory(name=name, body=f"{name} body", project=SHOP, source=Source(session="s")) for name in ("one", "two")))
    lines = files["MEMORY.md"].data.decode().split("\n")
    files |= folder(MEMORY="\n".join(line for line in lines if "one body" not in line))
    contents = read(files)
    assert [memory.name for memory in contents.memories] == ["two"]
    assert [(problem.path, problem.reason) for problem in contents.problems] == [("raw_memories.md", "not_in_handbook")]
    files = change(files, Memory(name="three", body="three body", project=SHOP, source=Source(session="s")))
    assert [memory.name for memory in read(files).memories] == ["two", "three"]
    assert read(files).problems == ()
    assert "one body" not in "".join(file.data.decode() for file in files.values())


@pytest.mark.parametrize("lost", ["deleted", "emptied"])
def test_a_lost_handbook_is_made_again_from_the_raw_memories(lost: str) -> None:
    put = [Memory(name=name, body=f"{name} body", project=SHOP, source=Source(session="s")) for name in ("one", "two")]
    files = change({}, *put)
    if lost == "deleted":
        del files["MEMORY.md"]
    else:
        files |= folder(MEMORY="\n\n")
    assert [memory.name for memory in read(files).memories] == ["one", "two"]
    files = change(files, Memory(name="three", body="three body"))
    assert sorted(memory.name for memory in read(files).memories) == ["one", "three", "two"]
    assert "one body" in files["MEMORY.md"].data.decode()


@pytest.mark.parametrize("layout", SHAPES)
def test_without_the_raw_memories_bullets_still_say_what_they_say(layout: Codex) -> None:
    put = Memory(name="Cents rule", type="feedback", body="Money is in cents.", why="rounding", how_to_apply="use Money",
                 keywords=("money",), project=SHOP, source=Source(session="ses_1", cwd="/home/ana/code/shop", host="opencode"))
    files = change({}, put, layout=layout)
    (before,) = layout.read(files).memories
    del files["raw_memories.md"]
    (memory,) = layout.read(files).memories
    assert replace(memory, source=Source(), description="", modified_at=None) == replace(before, source=Source(), modified_at=None)
    assert (memory.source.session, memory.source.cwd) == ("ses_1", "/home/ana/code/shop")
    changed = change(files, replace(memory, body="Money is in pence."), layout=layout)
    (again,) = layout.read(changed).memories
    assert (again.id, again.body, again.name) == (memory.id, "Money is in pence.", "Cents rule")
    emptied = change(files, remove=(memory.id,), layout=layout)
    assert layout.read(emptied).memories == ()
    assert "cents" not in "".join(file.data.decode().casefold().replace("cents_rule", "") for file in emptied.values())


# ---- writing into what others wrote


@pytest.mark.parametrize("layout", SHAPES)
@pytest.mark.parametrize("handbook", [STUDY_HANDBOOK, PRODUCT_HANDBOOK], ids=["study's", "product's"])
def test_adding_a_memory_keeps_every_line_that_stands(layout: Codex, handbook: str) -> None:
    files = folder(MEMORY=handbook, memory_summary=SUMMARY, raw_memories=RAW) | {ROLLOUT_PATH: File(ROLLOUT.encode(), NOW)}
    new = Memory(name="Checkout is frozen", body="No checkout changes in December.", project=SHOP,
                 source=Source(session=FIRST, cwd="/home/ana/code/shop", by=By.USER))
    after = change(files, new, layout=layout)
    for path, file in files.items():
        lines = iter(after[path].data.decode().split("\n"))
        kept = [line for line in file.data.decode().split("\n") if line and not line.startswith("updated_at:")]
        assert all(line in lines for line in kept), path            # in the same order
    assert after["MEMORY.md"].data.decode().count("# Task Group:") == handbook.count("# Task Group:")       # the block of that directory
    (memory,) = [memory for memory in layout.read(after).memories if memory.name == "Checkout is frozen"]
    assert replace(memory, id="", modified_at=None) == new
    gone = change(after, remove=(memory.id,), layout=layout)
    for path, file in files.items():
        assert gone[path].data.decode().split() == file.data.decode().split(), path


@pytest.mark.parametrize("layout", SHAPES)
@pytest.mark.parametrize("handbook", [STUDY_HANDBOOK, PRODUCT_HANDBOOK], ids=["study's", "product's"])
def test_changing_a_products_bullet_makes_it_ours_where_it_stands(layout: Codex, handbook: str) -> None:
    files = folder(MEMORY=handbook)
    old = next(memory for memory in layout.read(files).memories if memory.body == "asks for small commits")
    after = change(files, replace(old, why="reviews are quicker"), layout=layout)
    memory = next(memory for memory in layout.read(after).memories if memory.body == "asks for small commits")
    assert (memory.why, memory.project, memory.type) == ("reviews are quicker", SHOP_PATH, "feedback")
    before, lines = handbook.split("\n"), after["MEMORY.md"].data.decode().split("\n")
    at = next(place for place, line in enumerate(before) if line.startswith("- asks for small commits"))
    assert lines[:at] == before[:at]
    assert lines[at].startswith("- asks for small commits [")
    assert lines[at + 1] == "  because: reviews are quicker"
    assert lines[at + 2 :] == before[at + 1 :]


@pytest.mark.parametrize("handbook", [STUDY_HANDBOOK, PRODUCT_HANDBOOK], ids=["study's", "product's"])
def test_removing_a_products_bullet_takes_out_that_line_and_tells_where_evidence_is_left(handbook: str) -> None:
    files = folder(MEMORY=handbook) | {ROLLOUT_PATH: File(ROLLOUT.encode(), NOW)}
    old = next(memory for memory in read(files).memories if memory.body == "asks for small commits")
    written = Codex().write(files, Change(remove=[old.id]), now=NOW)
    text = (written.files["MEMORY.md"] or b"").decode()
    assert text.split("\n") == [line for line in handbook.split("\n") if not line.startswith("- asks for small commits")]
    assert ROLLOUT_PATH in written.notes


def test_everything_that_is_read_can_be_removed_and_changed() -> None:
    files = folder(MEMORY=STUDY_HANDBOOK, memory_summary=SUMMARY, raw_memories=RAW.replace(FIRST, "other").replace("LN3m-price_service", "AAAA"))
    files |= {"rollout_summaries/2026-02-19T00-00-00-BBBB.md": File(ROLLOUT.replace(FIRST, "third").encode(), NOW),
              "extensions/ad_hoc/notes/2026-12-01T09-00-00-tabs.md": File(b"Use tabs.", NOW)}
    kinds = {memory.id.partition(":")[0] for memory in read(files).memories}
    assert len(kinds) == 5
    for memory in read(files).memories:
        gone = {other.id for other in read(change(files, remove=(memory.id,))).memories}
        assert gone == {other.id for other in read(files).memories} - {memory.id}
        changed = read(change(files, replace(memory, why="so it is"))).memories
        assert [other.body for other in changed if other.why == "so it is"] == [memory.body]
        assert len(changed) == len(read(files).memories)
    empty = change(files, remove=tuple(memory.id for memory in read(files).memories))
    assert read(empty).memories == ()


def test_line_ends_and_marks_of_a_windows_editor_stay() -> None:
    text = "\ufeff" + STUDY_HANDBOOK.replace("\n", "\r\n")
    files = folder(MEMORY=text)
    assert [memory.body for memory in read(files).memories] == [memory.body for memory in read(folder(MEMORY=STUDY_HANDBOOK)).memories]
    after = change(files, Memory(name="x", body="x\ny", project=INFRA, source=Source(cwd="/home/ana/code/infra")))
    data = after["MEMORY.md"].data
    assert data.startswith(b"\xef\xbb\xbf# Task Group: shop")
    assert data.count(b"\r\n") == data.count(b"\n")
    assert len(read(after).memories) == 7


# ---- broken


@pytest.mark.parametrize(
    ("text", "reasons"),
    [
        pytest.param(b"", [], id="empty"),
        pytest.param(b"\xff\xfe\x00junk", ["not_utf8"], id="no UTF-8"),
        pytest.param(b"# Task Group: x\napplies_to: cwd=/x\n```\nnever closed\n## Reusable knowledge\n- a\n", ["unclosed_fence"], id="an open fence"),
        pytest.param(b"# Task Group:\n", ["no_applies_to"], id="a heading alone"),
        pytest.param(b"# Some notes\n- a\n", ["unknown_block"], id="another block"),
        pytest.param(b"\0\0\0", [], id="NUL bytes"),
        pytest.param(b"# Task Group: x\napplies_to: cwd=/x\n## Reusable knowledge\n- a [V7hF#abc]\n- b [V7hF#abc]\n", ["duplicate_name"], id="a name twice"),
        pytest.param(b"# Task Group: x\napplies_to: cwd=/x\n## Reusable knowledge\n- a [V7hF#abc]\n- a [V7hF#abc]\n", [], id="a bullet twice"),
    ],
)
def test_a_broken_handbook_is_a_problem_and_stays(text: bytes, reasons: list[str]) -> None:
    files = folder(MEMORY=text)
    assert [problem.reason for problem in read(files).problems] == reasons
    after = change(files, Memory(name="new", body="new body", project=SHOP))
    assert text.strip() in after["MEMORY.md"].data
    assert "new body" in [memory.body for memory in read(after).memories]


@pytest.mark.parametrize(
    "header",
    [
        "rollout_summary_file: ../../../.ssh/config.md",
        "rollout_summary_file: /etc/passwd.md",
        "rollout_summary_file: .git/x.md",
        "rollout_summary_file: a\\b.md",
        "rollout_summary_file: x",
    ],
)
def test_no_name_in_a_file_leads_a_write_out_of_the_folder(header: str) -> None:
    files = change({}, Memory(name="one", body="one", source=Source(session="s")))
    raw = files["raw_memories.md"].data.decode()
    own = next(line for line in raw.split("\n") if line.startswith("rollout_summary_file:"))
    files |= folder(raw_memories=raw.replace(own, header))
    assert "name_not_allowed" in [problem.reason for problem in read(files).problems]
    written = Codex().write(files, Change(put=[Memory(name="two", body="two", source=Source(session="s"))]), now=NOW)
    assert all(path.count("/") <= 1 and ".." not in path and path.endswith(".md") for path in written.files)


def test_half_of_a_thread_and_odd_values_are_read_as_far_as_they_go() -> None:
    raw = """# Raw Memories

## Thread `a`
updated_at: yesterday
cwd: unknown
### Task 1: x
task: "not closed
memory: V7hF#abc
type:
said_by: nobody
said_at: 99999-01-01
confirmed: many
valid_until: never
status: what
keywords: [1, 2]
extra: {"a": [[[[]]]]}

Reusable knowledge:

### Task 2
memory: V7hF#abd
## Thread `a`
### Task 3: again
memory: V7hF#abc
"""
    contents = read(folder(raw_memories=raw))
    assert [memory.id for memory in contents.memories] == ["MEMORY.md:V7hF#abc", "MEMORY.md:V7hF#abd"]
    memory = contents.memories[0]
    assert (memory.name, memory.type, memory.source.by, memory.confirmed, memory.status) == (
        '"not closed', "project", By.UNKNOWN, 0, Status.ACTIVE)  # fmt: skip
    assert [problem.reason for problem in contents.problems] == ["duplicate_name"]


pieces = st.sampled_from([
    "# Task Group: x\n", "applies_to: cwd=/x\n", "## Task 1: a\n", "### rollout_summary_files\n", "- f.md (thread_id=s)\n", "### keywords\n",
    "- a, b\n", "## Reusable knowledge\n", "### References\n", "- fact\n", "  more\n", "\n", "```\n", "- x [V7hF#abc]\n", "# Other\n", "text\n",
    "## Thread `s`\n", "### Task 1: t\n", "memory: V7hF#abc\n", "task: t\n", "---\n", "- y [Task 1]\n", "\r\n", "v1\n", "## User Profile\n",
    "## What's in Memory\n", "#### 2026-01-01\n", "\ttab\n", "* star\n", "1. one\n", "rollout_summary_file: f.md\n", "# Raw Memories\n",
])  # fmt: skip
rubble = st.lists(pieces, max_size=16).map("".join) | st.binary(max_size=40)


@settings(max_examples=200, deadline=None)
@given(rubble, rubble, rubble, rubble, st.data())
def test_no_rubble_is_too_bad_to_read_change_and_change_back(
    handbook: str | bytes, raw: str | bytes, summary: str | bytes, rollout: str | bytes, data: st.DataObject
) -> None:
    files = folder(MEMORY=handbook, raw_memories=raw, memory_summary=summary, rollout_summaries__f=rollout)
    layout = data.draw(st.sampled_from([Codex(STUDY), Codex(PRODUCT)]))
    before = layout.read(files)
    ids = [memory.id for memory in before.memories]
    assert len(set(ids)) == len(ids)
    new = Memory(name="brand new", body="brand new body", project=SHOP, source=Source(session="s", cwd="/x"))
    remove = data.draw(st.lists(st.sampled_from(ids), unique=True, max_size=2)) if ids else []
    after = change(files, new, remove=tuple(remove), layout=layout)
    found = {memory.id: memory for memory in layout.read(after).memories}
    added = [memory for memory in found.values() if memory.name == "brand new"]
    assert [replace(memory, id="", modified_at=None) for memory in added] == [new]
    if "duplicate_name" not in [problem.reason for problem in before.problems]:
        assert not set(remove) & set(found)
        assert set(ids) - set(remove) <= set(found)
    assert layout.read(change(after, remove=(added[0].id,), layout=layout))


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "text",
    [
        "# " + "a #" * 100_000, "- " + "[Task 1]" * 50_000 + "x", "```x\n" * 30_000, "- a\n\n" * 30_000, "- " + " " * 300_000 + "x",
        "# Task Group: x\n" * 5_000, "x" * 1_000_000, "- " + "thread_id=" * 50_000, "- " + ".md" * 100_000, "- a [" * 50_000, "-> \n" * 50_000,
    ],
    ids=["number signs", "references", "open fences", "bullets", "blanks", "groups", "one word", "threads", "names", "brackets", "arrows"],
)  # fmt: skip
def test_no_text_takes_for_ever(text: str) -> None:
    files = folder(MEMORY=text, raw_memories=text, memory_summary=text, rollout_summaries__f=text)
    start = time.monotonic()
    read(files)
    assert time.monotonic() - start < 10


def test_age_follows_from_when_something_was_said_or_changed() -> None:
    said = NOW - timedelta(days=40)
    files = change({}, Memory(name="x", body="x", source=Source(session="s", said_at=said)))
    (memory,) = read(files).memories
    assert memory.modified_at == said
    files = change(files, replace(memory, body="y"))
    assert read(files).memories[0].modified_at == NOW


def test_a_products_label_and_our_key_are_one_project() -> None:
    files = folder(MEMORY=STUDY_HANDBOOK)
    text = Codex().summary(read(files).memories, project=SHOP)
    assert "asks for small commits" in text
    assert "terraform" not in text
    assert text == Codex().summary(read(files).memories, project=SHOP_PATH)
    deep = Memory(name="deep", body="deep", project=SHOP, source=Source(session="s", cwd="/home/ana/code/shop/cart"))
    after = change(files, deep)
    assert after["MEMORY.md"].data.decode().count("# Task Group:") == 2
    assert [memory.project for memory in read(after).memories if memory.name == "deep"] == [SHOP]


def test_what_a_consolidation_has_seen_and_left_out_is_no_memory() -> None:
    raw = RAW.replace(FIRST, "other").replace("LN3m-price_service", "AAAA")
    pending = read(folder(MEMORY=STUDY_HANDBOOK, raw_memories=raw)).memories
    assert any(memory.id.startswith("raw_memories.md") for memory in pending)
    seen = read(folder(MEMORY=STUDY_HANDBOOK, raw_memories=raw.replace("AAAA.md\n", "AAAA.md\nconsolidated: yes\n"))).memories
    assert seen and not any(memory.id.startswith("raw_memories.md") for memory in seen)
