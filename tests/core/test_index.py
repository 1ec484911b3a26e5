"""The index forms of the study, with their exact caps; and our own by value."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot

from reverie.core import budget, index
from reverie.core.memory import By, Memory, Source, Status

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)


def memory(name: str, description: str = "", *, id: str = "", days: float = 0, type: str = "feedback", **more: object) -> Memory:
    made = Memory(name=name, description=description, type=type, id=id or f"{type}_{name}.md", modified_at=NOW - timedelta(days=days))
    from dataclasses import replace

    return replace(made, **more)  # type: ignore[arg-type]


def many(count: int, description: str = "words") -> list[Memory]:
    return [memory(f"m{i:04d}", description, days=i) for i in range(count)]


def test_the_studys_lines() -> None:
    # study, Claude Code §4 and Qwen Code §9
    assert index.claude([memory("x", "When replying to emails,\n always reply to all", id="feedback_reply_to_all.md")]).text == (
        "- [feedback_reply_to_all.md](feedback_reply_to_all.md) - When replying to emails, always reply to all"
    )
    assert index.qwen([memory("User preferences", "User is a senior Go engineer and new to React", id="user/preferences.md")]).text == (
        "- [User preferences](user/preferences.md) - User is a senior Go engineer and new to React"
    )


@pytest.mark.parametrize(
    ("count", "entries", "note"),
    [
        (0, 0, ""),
        (200, 200, ""),
        (201, 199, "> 2 more memories are not shown here: `reverie list` shows all of them."),
        (250, 199, "> 51 more memories are not shown here: `reverie list` shows all of them."),
    ],
)
def test_claude_codes_index_has_200_lines(count: int, entries: int, note: str) -> None:
    cut = index.claude(many(count))
    lines = cut.text.split("\n") if cut.text else []
    assert len(lines) == entries + bool(note)
    assert lines[entries:] == ([note] if note else [])
    assert cut.items == count - entries
    if lines:
        assert lines[0].startswith("- [feedback_m0000.md]")       # newest first


@pytest.mark.parametrize(
    ("length", "expected_end"),
    [(150 - len("- [m](feedback_m.md) - "), "x"), (151 - len("- [m](feedback_m.md) - "), "...")],
    ids=["150 characters", "151 characters"],
)
def test_qwen_codes_lines_have_150_characters(length: int, expected_end: str) -> None:
    line = index.qwen([memory("m", "x" * length)]).text
    assert len(line) == 150
    assert line.endswith(expected_end)


@pytest.mark.parametrize(
    ("count", "description"),
    [
        pytest.param(201, "short", id="201 lines"),
        pytest.param(190, "y" * 140, id="25,000 bytes"),
        pytest.param(120, "文" * 140, id="25,000 bytes, not characters"),
    ],
)
def test_qwen_codes_index_has_200_lines_and_25_000_bytes(count: int, description: str) -> None:
    cut = index.qwen(many(count, description))
    lines = cut.text.split("\n")
    assert len(lines) <= 200
    assert 24_500 < len(cut.text.encode()) <= 25_000 or len(lines) == 200
    assert lines[-1] == f"> {count - len(lines) + 1} more memories are not shown here: `reverie list` shows all of them."
    assert all(len(line) <= 150 for line in lines)


def test_what_does_not_count_has_no_line() -> None:
    all_ = [memory(str(status), "d", status=status) for status in Status]
    assert index.claude(all_).text == "- [feedback_active.md](feedback_active.md) - d"
    assert index.qwen(all_).text == "- [active](feedback_active.md) - d"


@pytest.mark.parametrize(
    ("path", "expected"),
    [("a b(1).md", "a%20b%281%29.md"), ("日本.md", "日本.md"), ("x\n- [y](z).md", "x%0A-%20%5By%5D%28z%29.md"), ("\u202ex", "%E2%80%AEx")],
)
def test_a_path_cannot_break_out_of_its_line(path: str, expected: str) -> None:
    assert index.claude_line(path, "") == f"- [{expected}]({expected})"


@pytest.mark.parametrize(
    ("id", "path"),
    [("feedback/style.md:2", "feedback/style.md"), ("user.md", "user.md"), ("a:b.md", "a:b.md"), ("x:1", "x:1"), ("", "")],
)
def test_an_entry_is_indexed_under_its_file(id: str, path: str) -> None:
    assert index.path_of(id) == path


def test_the_index_by_value_for_a_reader() -> None:
    memories = [
        memory("old", "Deploys go through Jenkins", type="project", days=200),
        memory("new", "Deploys go through GitHub Actions", type="project", days=2),
        memory("tabs", "Use tabs", days=400, source=Source(by=By.USER), confirmed=3),
        memory("guess", "Probably prefers short answers", source=Source(by=By.MODEL)),
        memory("freeze", "Code freeze for the release", type="project", valid_until=date(2026, 12, 1)),
        memory("gone", "Code freeze in October", type="project", valid_until=date(2026, 10, 31)),
        memory("odd", "An unknown type", type="lesson"),
        memory("who", "Senior Go engineer", type="user", source=Source(by=By.USER)),
    ]
    assert index.by_value(memories, tokens=1_000, now=NOW).text == snapshot("""\
## user
- Senior Go engineer [user_who]
## feedback
- Use tabs [feedback_tabs]
- Probably prefers short answers (inferred) [feedback_guess]
## project
- Code freeze for the release (until 2026-12-01) [project_freeze]
- Deploys go through GitHub Actions [project_new]
- Deploys go through Jenkins [project_old]
## lesson
- An unknown type [lesson_odd]
> Not shown here: 1 past their date; `reverie list` shows all of them.\
""")
    assert index.by_value(memories, tokens=130, now=NOW).text == snapshot("""\
## user
- Senior Go engineer [user_who]
## feedback
- Use tabs [feedback_tabs]
- Probably prefers short answers (inferred) [feedback_guess]
## project
- Code freeze for the release (until 2026-12-01) [project_freeze]
> Not shown here: 3 more (2 project, 1 other), 1 past their date; `reverie list` shows all of them.\
""")


DESCRIPTIONS = st.text(st.characters(codec="utf-8"), max_size=200)


@given(st.lists(st.tuples(DESCRIPTIONS, st.sampled_from(["user", "feedback", "project", "reference", "x\ny", ""])), max_size=30), st.integers(0, 900))
@settings(deadline=None)
def test_the_index_by_value_keeps_to_its_budget_and_counts(what: list[tuple[str, str]], tokens: int) -> None:
    memories = [memory(f"m{i}", text, type=type, id=f"m{i}.md") for i, (text, type) in enumerate(what)]
    cut = index.by_value(memories, tokens=tokens, now=NOW)
    assert budget.tokens(cut.text) <= tokens
    shown = re.findall(r"\[m\d+\]$", cut.text, re.MULTILINE)
    if cut.text or not memories:
        assert len(shown) + cut.items == len(memories)


def test_the_same_memories_give_the_same_bytes() -> None:
    memories = many(40)
    assert index.by_value(memories, tokens=300, now=NOW) == index.by_value(memories[::-1], tokens=300, now=NOW)
    assert index.claude(memories) == index.claude(memories[::-1])
