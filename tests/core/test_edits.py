"""Taking one step out of a file that went on changing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.edits import without


@pytest.mark.parametrize(
    ("before", "after", "now", "expected"),
    [
        pytest.param(b"a\n", b"a\nx\n", b"a\nx\n", b"a\n", id="nothing-came-later"),
        pytest.param(b"a\n", b"a\nx\n", b"a\nx\ny\n", b"a\ny\n", id="another-entry-was-appended"),
        pytest.param(b"a\nb\n", b"a\nx\nb\n", b"a\nx\nB\n", b"a\nB\n", id="the-next-line-was-changed"),
        pytest.param(b"a\nx\nb\n", b"a\nb\n", b"0\na\nb\n", b"0\na\nx\nb\n", id="a-removed-line-comes-back"),
        pytest.param(b"a\nx\n", b"a\nX\n", b"b\nX\n", b"b\nx\n", id="a-changed-line-comes-back"),
        pytest.param(b"a\n", b"a\nx\n", b"a\nx!\n", None, id="the-same-line-was-changed-again"),
        pytest.param(b"a\nx\nb\n", b"a\nb\n", b"a\ny\nb\n", None, id="both-bring-a-line-to-the-same-place"),
        pytest.param(b"a\nx\nb\n", b"a\nb\n", b"a\nx\nb\n", b"a\nx\nb\n", id="it-was-taken-back-already"),
        pytest.param(b"", b"x\n", b"x\ny\n", b"y\n", id="the-file-began-with-it"),
        pytest.param(b"a\r\nx\r\n", b"a\r\n", b"a\r\ny\r\n", None, id="windows-lines-are-lines"),
    ],
)
def test_one_step_is_taken_out(before: bytes, after: bytes, now: bytes, expected: bytes | None) -> None:
    assert without(before, after, now) == expected


texts = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"\n", b"no end"]), max_size=8).map(b"".join)


@given(before=texts, after=texts)
def test_the_last_step_is_always_taken_out_exactly(before: bytes, after: bytes) -> None:
    assert without(before, after, after) == before


@given(before=texts, after=texts, head=texts.filter(lambda text: not text.endswith(b'no end')))
def test_what_came_at_the_other_end_stays(before: bytes, after: bytes, head: bytes) -> None:
    line = b"a line that is nowhere else\n"
    now = b"new\n" + head + line + after
    assert without(head + line + before, head + line + after, now) == b"new\n" + head + line + before


def test_two_dumps_without_a_common_line_are_no_work() -> None:
    old, new = (b"".join(b"%s %d\n" % (word, n) for n in range(20_000)) for word in (b"old", b"new"))
    assert without(old, new, new + b"more\n") == old + b"more\n"
