"""Cuts: they fit, they split nothing, and they say what they left out."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core import budget
from reverie.core.budget import BYTES, CHARACTERS, UTF16, Budget, Cut

ANY = st.text(st.characters(codec="utf-8"), max_size=60)
UNITS = st.sampled_from([CHARACTERS, UTF16, BYTES])


@pytest.mark.parametrize(
    ("text", "units", "bytes_"),
    [("", 0, 0), ("abc", 3, 3), ("é", 1, 2), ("—", 1, 3), ("日本", 2, 6), ("😀", 2, 4), ("a😀é", 4, 7)],
)
def test_the_same_text_has_three_lengths(text: str, units: int, bytes_: int) -> None:
    assert budget.utf16_units(text) == units
    assert budget.utf8_bytes(text) == bytes_


@pytest.mark.parametrize(
    ("text", "product", "prose", "code"),
    [("", 0, 0, 0), ("abcd", 1, 2, 3), ("abcde", 2, 2, 3), ("x" * 27, 7, 10, 15), ("日本", 2, 3, 4)],
)
def test_tokens_are_an_estimate_and_ours_is_the_high_one(text: str, product: int, prose: int, code: int) -> None:
    assert budget.product_tokens(text) == product
    assert budget.tokens(text) == prose
    assert budget.tokens(text, code=True) == code


@pytest.mark.parametrize(
    ("limit", "unit", "expected"),
    [
        pytest.param(3, CHARACTERS, "a😀é", id="all of it"),
        pytest.param(2, CHARACTERS, "a😀", id="code points"),
        pytest.param(2, UTF16, "a", id="half a surrogate pair stays out"),
        pytest.param(3, UTF16, "a😀", id="a whole pair fits"),
        pytest.param(4, BYTES, "a", id="three of four bytes stay out"),
        pytest.param(6, BYTES, "a😀", id="half of two bytes stays out"),
        pytest.param(0, BYTES, "", id="nothing"),
        pytest.param(-4, UTF16, "", id="less than nothing"),
    ],
)
def test_a_head_never_splits_a_character(limit: int, unit: str, expected: str) -> None:
    assert budget.head("a😀é", limit, unit) == expected


@given(ANY, st.integers(-2, 80), UNITS)
def test_a_head_is_the_longest_beginning_that_fits(text: str, limit: int, unit: str) -> None:
    kept = budget.head(text, limit, unit)
    assert text.startswith(kept)
    assert budget.measure(kept, unit) <= max(limit, 0)
    if len(kept) < len(text):
        assert budget.measure(text[: len(kept) + 1], unit) > limit


@given(ANY, st.integers(1, 80), UNITS)
def test_a_clipped_line_fits_and_counts(text: str, limit: int, unit: str) -> None:
    mark = "." if unit == BYTES else "…"
    cut = budget.clip(text, limit, unit=unit, mark=mark)
    assert budget.measure(cut.text, unit) <= limit
    assert cut.whole == (cut.text == text)
    if not cut.whole:
        assert cut.characters == len(text) - (len(cut.text) - 1) > 0


def test_a_clipped_line_loses_the_blanks_before_its_mark() -> None:
    assert budget.clip("one two three", 5, mark="...") == Cut("on...", characters=11, bytes=11)
    assert budget.clip("one two three", 6, mark="…").text == "one t…"
    assert budget.clip("one two three", 5, mark="…").text == "one…"


# spec/codex §25, "Cut"
@pytest.mark.parametrize(
    ("length", "marker"),
    [(9_999, ""), (10_000, ""), (10_010, "…3 tokens truncated…"), (36_799, "…6700 tokens truncated…")],
)
def test_the_middle_is_cut_as_codex_does(length: int, marker: str) -> None:
    text = "".join(chr(97 + i % 26) for i in range(length))
    cut = budget.middle(text, 10_000)
    if not marker:
        assert cut == Cut(text)
    else:
        assert cut.text == text[:5_000] + marker + text[-5_000:]
        assert cut.characters == cut.bytes == length - 10_000


def test_the_middle_cut_moves_both_halves_inward_to_a_character() -> None:
    cut = budget.middle("日" * 10, 16)          # 30 bytes; halves of 8 hold two characters each
    assert cut.text == "日日…4 tokens truncated…日日"
    assert (cut.characters, cut.bytes) == (6, 18)
    assert budget.middle("日" * 10, 16, says="chars").text == "日日…6 chars truncated…日日"


@given(st.text(st.characters(codec="utf-8", exclude_characters="…"), max_size=60), st.integers(0, 80))
def test_a_middle_cut_keeps_what_it_can_of_both_ends(text: str, limit: int) -> None:
    cut = budget.middle(text, limit)
    if cut.whole:
        assert cut.text == text
        assert budget.utf8_bytes(text) <= limit
    else:
        first, _, last = cut.text.split("…")
        assert text.startswith(first)
        assert text.endswith(last)
        assert len(first) + len(last) + cut.characters == len(text)
        assert limit - 6 <= budget.utf8_bytes(first) + budget.utf8_bytes(last) <= limit


@pytest.mark.parametrize(
    ("text", "caps", "kept", "left_out_lines"),
    [
        pytest.param("a\nb\nc", Budget(lines=3), "a\nb\nc", 0, id="as many lines as allowed"),
        pytest.param("a\nb\nc", Budget(lines=2), "a\nb", 1, id="one line more"),
        pytest.param("aa\nbb\ncc", Budget(utf16=5), "aa\nbb", 1, id="a line that ends at the cap stays"),
        pytest.param("aa\nbb\ncc", Budget(utf16=4), "aa", 2, id="back to the last line end"),
        pytest.param("aaaaaaaa\nb", Budget(utf16=4), "aaaa", 2, id="no line end inside: cut hard"),
        pytest.param("éé\néé", Budget(bytes=5), "éé", 1, id="bytes"),
        pytest.param("éé\néé", Budget(characters=5), "éé\néé", 0, id="characters"),
        pytest.param("a\nb\ncccc", Budget(lines=2, utf16=1), "a", 2, id="both caps"),
    ],
)
def test_first_lines_cuts_lines_first_and_then_length(text: str, caps: Budget, kept: str, left_out_lines: int) -> None:
    cut = budget.first_lines(text, caps)
    assert (cut.text, cut.lines) == (kept, left_out_lines)


LINES = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=12), max_size=12)
CAP = st.one_of(st.none(), st.integers(0, 90))


@given(LINES, CAP, CAP, CAP, CAP)
def test_packed_lines_fit_with_their_note(
    lines: list[str], most: int | None, characters: int | None, units: int | None, length: int | None
) -> None:
    caps = Budget(lines=most, characters=characters, utf16=units, bytes=length)
    cut = budget.pack(lines, caps, lambda left: f"({left} more)")
    if cut.whole:
        assert cut.text == "\n".join(lines)
    else:
        kept = len(lines) - cut.items
        noted = cut.text == "\n".join([*lines[:kept], f"({cut.items} more)"])
        assert noted or (kept == 0 and cut.text == "")
    assert caps.fits(cut.text) or cut.text == ""


def test_packing_keeps_as_much_as_the_note_allows() -> None:
    lines = ["aaaa", "bbbb", "cccc"]
    assert budget.pack(lines, Budget(characters=14), lambda n: f"+{n}").text == "aaaa\nbbbb\ncccc"
    assert budget.pack(lines, Budget(characters=13), lambda n: f"+{n}") == Cut("aaaa\nbbbb\n+1", items=1, lines=1, characters=4, bytes=4)
    assert budget.pack(lines, Budget(characters=11), lambda n: f"+{n}").text == "aaaa\n+2"
    assert budget.pack(lines, Budget(lines=2), lambda n: f"+{n}").text == "aaaa\n+2"


def test_a_budget_in_tokens_is_a_budget_in_bytes() -> None:
    assert Budget.of_tokens(1_000).bytes == 2_700
    assert Budget.of_tokens(1_000, code=True).bytes == 1_900
    assert Budget.of_product_tokens(5_000).bytes == 20_000      # study, Codex §5
    assert Budget.of_product_tokens(2_500).bytes == 10_000      # spec/codex §12


def test_the_budget_imports_nothing() -> None:
    source = budget.__file__.rsplit("/reverie/", 1)[0]
    code = f"import sys; sys.path.insert(0, {source!r}); import reverie.core; was = set(sys.modules); import reverie.core.budget; print(set(sys.modules) - was)"
    run = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "{'reverie.core.budget'}"
