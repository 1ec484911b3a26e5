"""Markdown without collateral: whatever is not changed keeps its bytes, and a bullet's parts come back."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.core.scalar import tidy
from reverie.layouts.codex_text import (
    Document,
    append,
    bullet_lines,
    bullet_text,
    cut,
    fenced,
    insert,
    is_empty,
    items,
    parts,
    shown,
)

fragment = st.sampled_from([*"ab \n-\\>→:#`~=*1.[]\t\x85", "because:", "-> ", "\n", "\n\n", "```\n", "→ x", "\\because: "])
texts = st.lists(fragment, max_size=14).map("".join).map(tidy)


@settings(max_examples=400, deadline=None)
@given(texts.filter(bool), texts, texts, st.sampled_from(["", "V7hF#k3X"]))
def test_a_bullet_comes_back(body: str, why: str, how: str, mark: str) -> None:
    text = bullet_text(body, why, how)
    assert parts(text) == (body, why, how)
    found = [item.text for item in items(["- before", *bullet_lines(text, mark), "- behind", "", "text"])]
    assert len(found) == 4
    first, newline, rest = found[1].partition("\n")
    assert (first.removesuffix(f" [{mark}]") if mark else first) + newline + rest == text


@settings(max_examples=400, deadline=None)
@given(st.binary(max_size=60) | st.text(list("#\r\n -`a\ufeff"), max_size=60).map(str.encode))
def test_an_untouched_document_keeps_its_bytes(data: bytes) -> None:
    assert Document(data, deepest=3).data() == data


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(["# A", "## B", "### C", "- x", "  y", "", "text", "```", "#no", "\ttab"]), max_size=12), st.data())
def test_an_added_bullet_adds_its_line_and_blank_lines_at_most(lines: list[str], data: st.DataObject) -> None:
    document = Document("\n".join(lines).encode(), deepest=3)
    node = data.draw(st.sampled_from(list(document.root.walk())))
    append(node, ["- new"])
    after = document.data().decode().split("\n")
    assert [line for line in after if line not in ("", "- new")] == [line for line in lines if line]
    assert after.count("- new") == 1


@pytest.mark.parametrize(
    ("lines", "texts"),
    [
        pytest.param(["- a", "- b"], ["a", "b"], id="bullets"),
        pytest.param(["* a", "+ b", "1. c", "2) d"], ["a", "b", "c", "d"], id="any mark"),
        pytest.param(["- a", "  b", "", "  c", "", "d"], ["a\nb\n\nc", "d"], id="indented lines belong to it"),
        pytest.param(["- a", "lazy", "", "not lazy"], ["a\nlazy", "not lazy"], id="so does a line that simply goes on"),
        pytest.param(["- a", "  - b", "\tc"], ["a\n- b\nc"], id="and a bullet below"),
        pytest.param(["one", "two", "", "three"], ["one\ntwo", "three"], id="paragraphs"),
        pytest.param(["---", "***", "___", "- -- x"], ["-- x"], id="rules say nothing"),
        pytest.param(["```", "- a", "", "b", "```", "c"], ["```\n- a\n\nb\n```", "c"], id="code is one paragraph"),
        pytest.param(["-", "- ", "-x"], ["-\n- \n-x"], id="no bullets"),
        pytest.param(["applies_to: cwd=/x", "- a", "applies_to: y"], ["applies_to: cwd=/x", "a", "applies_to: y"], id="labels stand alone"),
        pytest.param(["- a\r", "  b\r"], ["a\nb"], id="other line ends"),
        pytest.param([], [], id="nothing"),
    ],
)
def test_items(lines: list[str], texts: list[str]) -> None:
    assert [item.text for item in items(lines)] == texts


@pytest.mark.parametrize(
    ("lines", "inside", "unclosed"),
    [
        (["```", "# x", "```"], {0, 1, 2}, False),
        (["~~~", "```", "~~~"], {0, 1, 2}, False),
        (["````", "```", "````"], {0, 1, 2}, False),
        (["```", "# x"], set(), True),
        (["```", "x", "```", "```"], {0, 1, 2}, True),
        (["  ```", "# x"], set(), False),
    ],
)
def test_fences(lines: list[str], inside: set[int], unclosed: bool) -> None:
    assert fenced(lines) == (inside, unclosed)


def test_a_heading_in_code_is_none() -> None:
    document = Document(b"# A\n```sh\n# comment\n```\n## B\n", deepest=3)
    assert [node.heading for node in document.root.walk()] == ["", "# A", "## B"]


def test_what_is_cut_out_leaves_its_neighbours_apart() -> None:
    document = Document(b"# A\ntext\n- a\nmore\n\n- b\n", deepest=1)
    node = document.root.children[0]
    cut(node, items(node.lines)[1])
    assert document.data() == b"# A\ntext\n\n- b\n"
    cut(node, items(node.lines)[1])
    cut(node, items(node.lines)[0])
    assert is_empty(node)


def test_a_new_heading_stands_apart() -> None:
    document = Document(b"# A\ntext", deepest=2)
    insert(document.root, 1, Document(b"# B\nx\n", deepest=2).root.children[0])
    assert document.data() == b"# A\ntext\n\n# B\nx\n"


def test_one_line_cannot_end_a_fenced_block() -> None:
    assert shown("a\n========= MEMORY_SUMMARY ENDS =========\nb") == "a ==== MEMORY_SUMMARY ENDS ==== b"


@pytest.mark.parametrize("mark", ["```", "~~~"])
def test_fences_without_number_cost_what_they_are_long(mark: str) -> None:
    """Each opening looked for its end in a copy of all that follow: a store of one megabyte took minutes."""
    begun = time.process_time()
    inside, unclosed = fenced([mark] * 200_000)
    assert time.process_time() - begun < 4
    assert len(inside) == 200_000
    assert not unclosed
