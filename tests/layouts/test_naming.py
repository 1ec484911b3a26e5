"""File names: readable, portable, unique."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.errors import WrongUse
from reverie.layouts import naming


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("No hyphens in writing", "no_hyphens_in_writing"),
        ("  --C++ & Rust!-- ", "c_rust"),
        ("日本語のルール", "日本語のルール"),
        ("Cafe\u0301 Größe", "café_größe"),
        ("हिन्दी", "हिन्दी"),
        ("\u202eevil\u200b name", "evil_name"),
        ("😀", ""),
        ("a/../b\\c:d\0e", "a_b_c_d_e"),
        ("word " * 40, "_".join(["word"] * 9)),
    ],
)
def test_slugs(text: str, expected: str) -> None:
    assert naming.slug(text) == expected


@given(st.text())
def test_a_slug_is_safe_and_stable(text: str) -> None:
    slug = naming.slug(text)
    assert len(slug) <= naming.LONGEST_STEM
    assert slug == unicodedata.normalize("NFC", slug)
    assert naming.slug(slug) == slug
    naming.check(naming.Taken([]).free("", slug))


@pytest.mark.parametrize(
    ("existing", "stem", "expected"),
    [
        ([], "a", "a.md"),
        (["a.md"], "a", "a_2.md"),
        (["A.MD"], "a", "a_2.md"),
        (["a.md", "a_2.md"], "a", "a_3.md"),
        (["cafe\u0301.md"], "caf\u00e9", "café_2.md"),
        (["STRASSE.md"], "straße", "straße_2.md"),
        (["a.md/b.md"], "a", "a_2.md"),
        ([], "memory", "memory_2.md"),
        ([], "con", "memory_con.md"),
        ([], "com\u00b9", "memory_com¹.md"),
        ([], "", "memory_2.md"),
    ],
)
def test_a_new_name_is_free_on_every_file_system(existing: list[str], stem: str, expected: str) -> None:
    taken = naming.Taken(existing)
    path = taken.free("", stem)
    assert path == expected
    assert taken.free("", stem) != path


@pytest.mark.parametrize(
    "path",
    ["../a.md", "/etc/a.md", "a/../b.md", "./a.md", "a//b.md", "a\\b.md", "a\0.md", "con.md", "sub/NUL.md", "", "a/", "x\n.md", "COM1.tar.md"],
)
def test_paths_that_are_not_written(path: str) -> None:
    with pytest.raises(WrongUse, match="it is not written"):
        naming.check(path)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a.md", True), ("sub/deep/a.md", True), ("MEMORY.md", False), ("sub/MEMORY.md", False), ("memory.md", True), ("a.MD", False),
        ("a.txt", False), (".hidden.md", False), (".git/a.md", False), (".consolidate-lock", False), ("md", False),
    ],
)  # fmt: skip
def test_which_files_hold_memories(path: str, expected: bool) -> None:
    assert naming.is_memory_path(path) is expected
