"""What the memory tool answers, piece by piece: numbers, pages, listings, sizes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core import tool_answers
from reverie.core.tool_answers import DOCS, SDK


@pytest.mark.parametrize(
    ("length", "shown"),
    [
        (0, "0B"), (1, "1B"), (1023, "1023B"), (1024, "1K"), (1536, "1.5K"), (4096, "4K"), (5632, "5.5K"), (10_240, "10K"),
        (1024**2 - 1, "1024.0K"), (1024**2, "1M"), (3 * 1024**2 // 2, "1.5M"), (1024**3, "1G"), (5 * 1024**4, "5120G"),
    ],
)  # fmt: skip
def test_a_size_is_short(length: int, shown: str) -> None:
    assert tool_answers.size(length) == shown


def test_lines_are_numbered_six_wide_before_a_tab() -> None:
    assert tool_answers.numbered(["a", ""], 9) == ["     9\ta", "    10\t"]
    assert tool_answers.numbered(["x"], 999_999) == ["999999\tx"]


@pytest.mark.parametrize(
    ("text", "after_line", "new", "expected"),
    [
        pytest.param("", 0, "a", "a\n", id="into nothing"),
        pytest.param("", 1, "a", None, id="there is no line"),
        pytest.param("a\nb\n", 0, "x\n", "x\na\nb\n", id="before the first"),
        pytest.param("a\nb\n", 2, "x\n\n\n", "a\nb\nx\n", id="line ends at the end go"),
        pytest.param("a\nb", 2, "x", "a\nb\nx\n", id="the last line had no end"),
        pytest.param("a\nb\n", 3, "x", None, id="the end of the last line is no line"),
        pytest.param("a\nb\n", -1, "x", None, id="before the beginning"),
        pytest.param("a\r\nb\r\n", 1, "x", "a\r\nx\nb\r\n", id="carriage returns stay"),
        pytest.param("a\n\n", 2, "x", "a\n\nx\n", id="an empty line is a line"),
        pytest.param("a\nb\n", 1, "", "a\n\nb\n", id="an empty line"),
        pytest.param("a\n", 1, "", "a\n", id="at the end an empty line is none"),
    ],
)
def test_lines_are_inserted(text: str, after_line: int, new: str, expected: str | None) -> None:
    assert tool_answers.inserted(text, after_line, new) == expected


@pytest.mark.parametrize(
    ("text", "words", "lines"),
    [
        ("a\nb\na\n", "a", "1, 3"), ("aa", "a", "1, 1"), ("aaa\naa", "aa", "1, 1, 2"), ("x\ny\nx\ny", "x\ny", "1, 3"),
        ("\n\n", "\n", "1, 2"), ("a\n" * 150, "a", ", ".join(map(str, range(1, 101))) + " and more"),
    ],
)  # fmt: skip
def test_every_place_is_named_by_its_line(text: str, words: str, lines: str) -> None:
    assert tool_answers.occurrences(text, words) == lines


def test_a_snippet_shows_two_lines_around() -> None:
    text = "1\n2\n3\n4\n5\n6\n7"
    assert tool_answers.snippet(text, text.index("4"), 1000) == "     2\t2\n     3\t3\n     4\t4\n     5\t5\n     6\t6"
    assert tool_answers.snippet(text, 0, 1000) == "     1\t1\n     2\t2\n     3\t3"
    assert tool_answers.snippet(text, len(text), 1000) == "     5\t5\n     6\t6\n     7\t7"
    assert tool_answers.snippet("", 0, 1000) == "     1\t"


# ── pages ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_what_does_not_fit_on_a_page_is_said_with_the_range_that_shows_it() -> None:
    lines = [f"line {number}" for number in range(1, 101)]
    shown = tool_answers.page(lines, 11, 90, 200)
    assert shown.split("\n")[0] == "    11\tline 11"
    note = shown.split("\n")[-1]
    last = int(shown.split("\n")[-2].split("\t")[0])
    assert note == f"[lines {last + 1} to 90 are not shown: view_range [{last + 1}, 90]]"
    assert len(shown) <= 200


def test_a_line_longer_than_a_page_is_cut_and_said() -> None:
    assert tool_answers.page(["x" * 100, "y"], 1, 2, 50) == (
        "     1\t" + "x" * 42 + "…\n[58 characters of line 1 are not shown]\n[lines 2 to 2 are not shown: view_range [2, 2]]"
    )
    assert tool_answers.page(["x" * 100], 1, 1, 50).endswith("…\n[58 characters of line 1 are not shown]")


def test_beyond_the_end_there_is_nothing() -> None:
    assert tool_answers.page(["a"], 5, 9, 1000) == ""


@given(
    st.lists(st.text(st.characters(exclude_characters="\n", codec="utf-8"), max_size=30), max_size=60),
    st.integers(1, 70), st.integers(1, 70), st.integers(120, 2000),
)  # fmt: skip
def test_page_by_page_everything_is_seen(lines: list[str], first: int, last: int, limit: int) -> None:
    seen: list[str] = []
    at = first
    for _ in range(len(lines) + 1):
        page = tool_answers.page(lines, at, last, limit)
        assert len(page) <= limit
        rows = page.split("\n") if page else []
        more = bool(rows) and rows[-1].startswith("[lines ")
        seen += rows[:-1] if more else rows
        if not more:
            break
        at = int(rows[-1].split()[1])
    assert seen == tool_answers.numbered(lines[first - 1 : last], first)


def test_a_page_of_a_million_lines_does_not_build_them_all() -> None:
    assert tool_answers.page([""] * 999_999, 1, 999_999, 100).endswith("are not shown: view_range [6, 999999]]")


# ── listings ─────────────────────────────────────────────────────────────────────────────────────────────────────

FILES = {"b.md": 10, "a/z.md": 1024, "a/deep/x.md": 512, "a/deep/er/y.md": 512, "a.txt": 0, "node_modules/m.js": 7}


def test_two_levels_by_name_with_sizes() -> None:
    assert tool_answers.listing("/memories", FILES, SDK, 10_000) == (
        "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items:\n"
        "2.0K\t/memories\n2K\t/memories/a/\n1K\t/memories/a/deep/\n1K\t/memories/a/z.md\n0B\t/memories/a.txt\n"
        "10B\t/memories/b.md\n7B\t/memories/node_modules/\n7B\t/memories/node_modules/m.js"
    )


def test_the_documents_leave_out_node_modules() -> None:
    assert tool_answers.listing("/memories/", FILES, DOCS, 10_000) == (
        "Here're the files and directories up to 2 levels deep in /memories/, excluding hidden items and node_modules:\n"
        "2.0K\t/memories/\n2K\t/memories/a/\n1K\t/memories/a/deep/\n1K\t/memories/a/z.md\n0B\t/memories/a.txt\n10B\t/memories/b.md"
    )


def test_a_long_listing_says_how_much_is_left_out() -> None:
    listing = tool_answers.listing("/memories", {f"{number:04}.md": 1 for number in range(1000)}, SDK, 500)
    *_, last, note = listing.split("\n")
    assert note == f"[{999 - int(last[-7:-3])} entries are not shown: view a directory in it, or delete some]"


def test_both_conventions_have_every_sentence() -> None:
    assert SDK.sentences.keys() - DOCS.sentences.keys() == {"outside", "escapes", "root_delete", "root_rename"}
    assert DOCS("outside", path="/x") == "Error: Path must start with /memories, got: /x"
    assert SDK("secret", families="aws").startswith("Not stored: ")
    assert DOCS("secret", families="aws").startswith("Error: Not stored: ")


def test_braces_in_a_value_are_only_braces() -> None:
    assert SDK("exists", path="/memories/{path}{0}") == "File /memories/{path}{0} already exists"
