"""The study's mechanical de-duplication (Qwen Code §6), step by step, on memories and on real files."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from reverie.core import dream
from reverie.core.dream import Act
from reverie.core.dream_summaries import Mechanical, summary
from reverie.core.layout import Change, File
from reverie.core.memory import Memory
from reverie.layouts.qwen_code import QwenCode

NOW = datetime(2026, 11, 5, 12, 0, tzinfo=UTC)


def entry(id: str, body: str, *, why: str = "", how: str = "", type: str = "feedback", days: int = 9) -> Memory:
    return Memory(name=body[:20] or "none", body=body, why=why, how_to_apply=how, type=type, id=id, modified_at=NOW - timedelta(days=days))


def consolidated(*memories: Memory) -> list[tuple[str, str, str, str]]:
    change = Mechanical().consolidate(memories, now=NOW).change
    after = sorted(dream.applied(memories, change), key=lambda memory: memory.id)
    return [(memory.id, memory.body, memory.why, memory.how_to_apply) for memory in after]


def test_within_a_file_the_same_summary_in_another_case_is_one_entry_and_gaps_are_filled() -> None:
    assert consolidated(
        entry("style.md:0", "Answer briefly"),
        entry("style.md:1", "ANSWER BRIEFLY", why="they read on a phone"),
        entry("style.md:2", "answer briefly", why="another reason", how="five sentences"),
    ) == [("style.md:0", "Answer briefly", "they read on a phone", "five sentences")]


def test_the_entries_of_a_file_stand_in_the_order_of_their_summaries() -> None:
    assert consolidated(
        entry("style.md:0", "zebra stripes"), entry("style.md:1", "Apples first"), entry("style.md:2", "mangoes"),
    ) == [("style.md:0", "Apples first", "", ""), ("style.md:1", "mangoes", "", ""), ("style.md:2", "zebra stripes", "", "")]


def test_across_files_the_first_found_takes_the_others_which_go() -> None:
    assert consolidated(
        entry("project/b.md", "Merge freeze on Friday", type="project", how="hold merges"),
        entry("project/a.md", "merge freeze on friday", type="project", why="the mobile release"),
        entry("user/a.md", "merge freeze on friday", type="user"),
    ) == [
        ("project/a.md", "merge freeze on friday", "the mobile release", "hold merges"),
        ("user/a.md", "merge freeze on friday", "", ""),
    ]


def test_an_entry_of_a_file_goes_into_the_file_that_comes_first_and_its_neighbours_stay() -> None:
    result = consolidated(
        entry("feedback.md:0", "keep it"), entry("feedback.md:1", "same everywhere"), entry("a/one.md", "Same everywhere", why="w"),
    )
    assert result == [("a/one.md", "Same everywhere", "w", ""), ("feedback.md:0", "keep it", "", "")]


def test_places_left_by_what_goes_are_taken_in_order() -> None:
    """What is removed are the duplicates themselves, so that the trash holds what went."""
    memories = [entry("s.md:0", "c"), entry("s.md:1", "a"), entry("s.md:2", "A"), entry("s.md:3", "b")]
    change = Mechanical().consolidate(memories, now=NOW).change
    assert change.remove == ["s.md:2"]
    assert [(memory.id, memory.body) for memory in change.put] == [("s.md:0", "a"), ("s.md:1", "b"), ("s.md:3", "c")]


def test_other_words_for_the_same_thing_and_other_types_stay() -> None:
    memories = [entry("a.md", "Answer briefly"), entry("b.md", "Keep answers short"), entry("c.md", "Answer briefly", type="user")]
    assert Mechanical().consolidate(memories, now=NOW).change == Change(put=[], remove=[])


def test_what_is_pinned_is_neither_taken_nor_taken_from() -> None:
    memories = [entry("pinned/rule.md", "Answer briefly"), entry("user/rule.md", "answer briefly")]
    assert Mechanical().consolidate(memories, now=NOW).change == Change(put=[], remove=[])


def test_a_memory_without_a_body_is_compared_by_its_description_then_its_name() -> None:
    assert summary(Memory(name="N", description=" D ", body="")) == "d"
    assert summary(Memory(name="N")) == "n"


def test_each_step_says_what_went_where_and_why() -> None:
    memories = [entry("s.md:0", "b"), entry("s.md:1", "a"), entry("s.md:2", "A", why="w"), entry("t.md", "B")]
    steps = Mechanical().consolidate(memories, now=NOW).steps
    assert [(step.act, step.gone, step.memory, step.why) for step in steps] == [
        (Act.MERGED, "s.md:2", "s.md:0", "the same summary, in its file"),
        (Act.MERGED, "t.md", "s.md:1", "the same summary, in two files"),
        (Act.SORTED, "", "s.md", "entries in the order of their summaries"),
    ]


def test_what_was_said_again_is_as_old_as_the_last_time() -> None:
    change = Mechanical().consolidate([entry("a.md", "x", days=9), entry("b.md", "X", why="w", days=2)], now=NOW).change
    assert [memory.modified_at for memory in change.put] == [NOW - timedelta(days=2)]


texts = st.sampled_from(["a", "A", "b", "B ", "ß", "SS", "İ", "c d", "今天", "", "Why: x"])
stores = st.lists(
    st.tuples(st.sampled_from(["f.md", "g/h.md", "pinned/p.md"]), texts, st.sampled_from(["", "w1", "w2"]), st.sampled_from(["user", "project"])),
    max_size=12,
)


@given(stores)
def test_a_second_dream_changes_nothing_and_no_summary_is_lost(rows: list[tuple[str, str, str, str]]) -> None:
    counts: dict[str, int] = {}
    memories = []
    for path, body, why, kind in rows:
        number = counts[path] = counts.get(path, -1) + 1
        memories.append(entry(f"{path}:{number}", body, why=why, type=kind))
    once = dream.applied(memories, Mechanical().consolidate(memories, now=NOW).change)
    again = Mechanical().consolidate(once, now=NOW)
    assert again.change == Change(put=[], remove=[]) and again.steps == ()
    assert {(memory.type, summary(memory)) for memory in once} == {(memory.type, summary(memory)) for memory in memories}
    free = [(memory.type, summary(memory)) for memory in once if not memory.id.startswith("pinned/")]
    assert len(free) == len(set(free))
    assert not dream.problems(memories, Mechanical().consolidate(memories, now=NOW).change)


@given(stores)
def test_the_order_in_which_memories_are_handed_over_does_not_matter(rows: list[tuple[str, str, str, str]]) -> None:
    memories = [replace(entry(f"{path}:{number}", body, why=why, type=kind)) for number, (path, body, why, kind) in enumerate(rows)]
    forward = dream.applied(memories, Mechanical().consolidate(memories, now=NOW).change)
    backward = dream.applied(memories, Mechanical().consolidate(memories[::-1], now=NOW).change)
    assert forward == backward


# ── on files ─────────────────────────────────────────────────────────────────────────────────────────────────────────

LINES = st.sampled_from([
    "- a", "- A", "- b: c", "* B: C", "prose", "Prose", "", "  Why: w", "  How to apply: h", "  continued", "# heading", "```", "- Why: odd", "---",
    "- ```", "\tWhy: tab", "- 今天", "_No entries yet._",
])
FILES = st.dictionaries(
    st.sampled_from(["feedback.md", "feedback/a.md", "user/b.md", "pinned/c.md"]),
    st.tuples(st.sampled_from(["feedback", "user", "odd", ""]), st.lists(LINES, max_size=8), st.sampled_from(["\n", "\r\n"])), min_size=1,
)


def folder(files: dict[str, tuple[str, list[str], str]]) -> dict[str, File]:
    return {
        path: File(eol.join(["---", "name: N", f"type: {kind}", "---", "", *lines, ""]).encode(), NOW)
        for path, (kind, lines, eol) in files.items()
    }


@given(FILES)
def test_files_hold_what_was_decided_and_a_second_dream_changes_nothing(files: dict[str, tuple[str, list[str], str]]) -> None:
    before = folder(files)
    layout = QwenCode()
    memories = layout.read(before, scope="project").memories
    change = Mechanical().consolidate(memories, now=NOW).change
    written = layout.write(before, change, now=NOW).files
    after = {path: File(data, NOW) for path, data in {**{path: file.data for path, file in before.items()}, **written}.items() if data is not None}

    def said(each: Memory) -> tuple[str, ...]:
        return each.type, each.body, each.why, each.how_to_apply

    found = layout.read(after, scope="project").memories
    assert sorted(map(said, found)) == sorted(map(said, dream.applied(memories, change)))
    again = Mechanical().consolidate(found, now=NOW)
    assert again.change == Change(put=[], remove=[]), again.steps
    assert all(after[path] == file for path, file in before.items() if path.startswith("pinned/"))
