"""Bodies: labels in all their spellings, and texts that imitate them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.core import parts
from reverie.core.parts import BOLD, PLAIN, Parts
from reverie.core.scalar import tidy


@pytest.mark.parametrize(
    "line",
    [
        "**Why:** x", "**Why**: x", "**Why** : x", "**why:** x", "Why: x", "WHY: x", "Why：x", "**Why：** x", "**Why：**x",
        "__Why:__ x", "*Why:* x", "_Why_: x", "- **Why:** x", "  - Why: x", "  Why: x", "Why:x", "**Why: ** x", "原因：x", "**为什么：** x",
        "理由: x", "**이유:** x", "なぜ：x",
    ],
)  # fmt: skip
def test_why_in_every_spelling(line: str) -> None:
    assert parts.split(f"Statement.\n\n{line}\n") == Parts("Statement.", "x", "")


@pytest.mark.parametrize(
    "line",
    [
        "**How to apply:** x", "**How to apply**: x", "How to apply: x", "how to apply: x", "How To Apply：x", "How_to_apply: x",
        "**How-to-apply:** x", "* How to apply: x", "如何应用：x", "**適用方法：** x", "적용 방법: x",
    ],
)  # fmt: skip
def test_how_to_apply_in_every_spelling(line: str) -> None:
    assert parts.split(f"Statement.\n{line}") == Parts("Statement.", "", "x")


@pytest.mark.parametrize(
    "line",
    ["Why not: x", "**Why x", "Why", "The why: x", "**Why*: x", "Why? x", "Somehow to apply: x", "\\Why: x", "why\n: x"],
)
def test_what_only_looks_like_a_label(line: str) -> None:
    assert parts.split(f"Statement.\n{line}").why == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", Parts(), id="nothing"),
        pytest.param("\n\n  \n", Parts(), id="blank"),
        pytest.param("One.\n\nTwo.", Parts("One.\n\nTwo."), id="no labels"),
        pytest.param("S\nWhy: a\nb\n\nc\nHow to apply: d\ne", Parts("S", "a\nb\n\nc", "d\ne"), id="parts over several lines"),
        pytest.param("S\nHow to apply: d\nWhy: a", Parts("S", "a", "d"), id="the other order"),
        pytest.param("Why: a", Parts("", "a", ""), id="no statement"),
        pytest.param("S\nWhy:\nHow to apply:\n", Parts("S"), id="empty labels"),
        pytest.param("S\nWhy:\n\na", Parts("S", "a"), id="text below its label"),
        pytest.param("S\nWhy: a\nHow to apply: b\nT\nWhy: c", Parts("S", "a", "b\nT\nWhy: c"), id="only the first of a kind"),
        pytest.param("S\r\n\r\nWhy: a\r\nb\r\n", Parts("S", "a\nb"), id="CRLF"),
        pytest.param("S\n```\nWhy: code\n```\nWhy: a", Parts("S\n```\nWhy: code\n```", "a"), id="a label in code is code"),
        pytest.param("S\n```\nWhy: a", Parts("S\n```", "a"), id="a fence that nothing closes opens no code"),
        pytest.param("S\n\\Why: a", Parts("S\nWhy: a"), id="a backslash makes it text"),
    ],
)
def test_a_body_in_its_parts(text: str, expected: Parts) -> None:
    assert parts.split(text) == expected


def test_a_body_is_written_in_the_studys_form() -> None:
    three = Parts("Do this.", "Because.", "Always.")
    assert parts.join(three) == "Do this.\n\n**Why:** Because.\n\n**How to apply:** Always."
    assert parts.join(three, PLAIN) == "Do this.\n\nWhy: Because.\n\nHow to apply: Always."
    assert parts.join(Parts("Fact.")) == "Fact."
    assert parts.join(Parts("", "Because.")) == "**Why:** Because."
    assert parts.join(Parts("S", "```\nx\n```")) == "S\n\n**Why:**\n```\nx\n```"


LINE = st.one_of(
    st.sampled_from(
        ["", "text", "Why: a", "**Why:** b", "How to apply: c", "\\Why: d", "\\\\How to apply: e", "```", "```py", "~~~", "````", "  ```",
         "\\```", "- Why: f", "- item", "`` ` ``", "~~~ x", "\t```", "理由：g", "x\x85y", "\u2028", "**Why**", "   Why: h"]
    ),
    st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=8),
)  # fmt: skip
TEXT = st.lists(LINE, max_size=7).map(lambda lines: tidy("\n".join(lines)))
THREE = st.builds(Parts, TEXT, TEXT, TEXT)
LABELS = st.sampled_from([BOLD, PLAIN])


@given(THREE, LABELS)
@settings(deadline=None)
def test_what_is_joined_is_split_again(three: Parts, labels: tuple[str, str]) -> None:
    assert parts.split(parts.join(three, labels)) == three


@given(TEXT)
def test_an_escape_is_undone(text: str) -> None:
    assert parts.unescape(parts.escape(text)) == text


@given(st.lists(LINE, max_size=9), THREE, LABELS, st.sampled_from(["\n", "\r\n", "\r"]))
@settings(deadline=None)
def test_any_body_takes_any_parts(lines: list[str], three: Parts, labels: tuple[str, str], eol: str) -> None:
    text = eol.join(lines)
    assert parts.split(parts.replace(text, three, labels, eol)) == three
    assert parts.replace(text, parts.split(text), labels, eol) == text


WRITTEN = "\r\n\r\nDo  this.\r\n\r\n- **Why**: Because.\r\n  More.\r\n\r\nHow_to_apply:   Always.\r\n\r\n"


@pytest.mark.parametrize(
    ("three", "old", "new"),
    [
        pytest.param(("Do that.", "Because.\n  More.", "Always."), "Do  this.", "Do that.", id="statement"),
        pytest.param(("Do  this.", "Since", "Always."), "Because.\r\n  More.", "Since", id="why"),
        pytest.param(("Do  this.", "Because.\n  More.", "Never.\nOr?"), "Always.", "Never.\r\nOr?", id="how to apply"),
        pytest.param(("Do  this.", "", "Always."), "- **Why**: Because.\r\n  More.\r\n\r\n", "", id="why goes"),
        pytest.param(("Do  this.", "Because.\n  More.", ""), "\r\n\r\nHow_to_apply:   Always.", "", id="how to apply goes"),
        pytest.param(("", "Because.\n  More.", "Always."), "Do  this.\r\n\r\n", "", id="statement goes"),
    ],
)
def test_a_part_changes_alone(three: tuple[str, str, str], old: str, new: str) -> None:
    assert parts.replace(WRITTEN, Parts(*three), eol="\r\n") == WRITTEN.replace(old, new)


@pytest.mark.parametrize(
    ("text", "three", "expected"),
    [
        ("\nS\n", Parts("S", "W"), "\nS\n\n**Why:** W\n"),
        ("\nS", Parts("S", "W"), "\nS\n\n**Why:** W"),
        ("\nS\n", Parts("S", "W", "H"), "\nS\n\n**Why:** W\n\n**How to apply:** H\n"),
        ("\nS\n\nHow to apply: H\n", Parts("S", "W", "H"), "\nS\n\n**Why:** W\n\nHow to apply: H\n"),
        ("", Parts("S", "W"), "\nS\n\n**Why:** W\n"),
        ("\nWhy: W\n", Parts("S", "W"), "\nS\n\nWhy: W\n"),
    ],
)
def test_a_part_is_added_in_its_place(text: str, three: Parts, expected: str) -> None:
    assert parts.replace(text, three) == expected


@pytest.mark.parametrize("line", ["```\n", "~~~\n", "````x\n", "Why: a\n", " " * 40 + "Why\n", "\\" * 50 + "Why: x\n", "**" * 30 + "Why:\n"])
def test_a_long_body_takes_no_time(line: str) -> None:
    started = time.perf_counter()
    text = line * (400_000 // len(line))
    parts.split(text)
    parts.replace(text, Parts("a", "b", "c"))
    parts.escape(text)
    assert time.perf_counter() - started < 3
