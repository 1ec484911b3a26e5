"""Where a path that a model gives leads: to one place below /memories, literally, or nowhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.flows import filing_paths
from reverie.flows.filing_paths import Refused, Where, check_new, parse


@pytest.mark.parametrize(
    ("path", "relative"),
    [
        ("/memories", ""), ("/memories/", ""), ("/memories//", ""), ("/memories/a.md", "a.md"), ("/memories//a//b.md", "a/b.md"),
        ("/memories/a/", "a"), ("/memories/memories/x", "memories/x"), ("/memories/100% sure.md", "100% sure.md"),
        ("/memories/a..b.md", "a..b.md"), ("/memories/~/x", "~/x"), ("/memories/$HOME/x", "$HOME/x"),
        ("/memories/日本語/メモ.md", "日本語/メモ.md"), ("/memories/naïve.md", "naïve.md"), ("/memories/a b.md", "a b.md"),
        ("/memories/50%of.md", "50%of.md"),
    ],
)  # fmt: skip
def test_a_plain_path_is_taken_as_it_is(path: str, relative: str) -> None:
    assert parse(path) == Where(relative, False)


ATTACKS = {
    "outside": [
        "", "/", "memories", "/memoriesX", "/memoriesX/a", "/memories.md", "/memories\\a", "/Memories/a", "/MEMORIES/a", "//memories/a",
        " /memories/a", "/memories /a", "/etc/passwd", "../memories/a", "/a/../memories/b", "~/x", "C:\\memories\\a", "file:///memories/a",
        "\uff0fmemories/a", "/ｍｅｍｏｒｉｅｓ/a", "/memories\uff0fa", "/memories\u2215a", "/\u200bmemories/a", "/memories\u0000/a",
        "/memorie\u0455/a", "./memories/a", "/memories%2fa", "/./memories/a",
    ],
    "escapes": [
        "/memories/..", "/memories/../etc/passwd", "/memories/a/../../x", "/memories/a/../b", "/memories/./a", "/memories/.",
        "/memories/..\\..\\x", "/memories/a\\b", "/memories/...", "/memories/.. /x", "/memories/..  ", "/memories/. ./x",
        "/memories/\uff0e\uff0e/x", "/memories/\u2025/x", "/memories/.\uff0e/x", "/memories/\u2024\u2024/x", "/memories/\ufe52\ufe52/x",
        "/memories/a\uff0f..\uff0fb", "/memories/a\u2215b", "/memories/a\u2044b", "/memories/a\u29f8b", "/memories/a\uff3cb", "/memories/a\ufe68b",
        "/memories/a\u2216b", "/memories/\u2100", "/memories/ ", "/memories/\u3000/x",
    ],
    "bad_name": [
        "/memories/%2e%2e/x", "/memories/%2E%2e/x", "/memories/%252e%252e/x", "/memories/..%2fx", "/memories/a%2fb", "/memories/a%5cb",
        "/memories/%00", "/memories/%c0%ae%c0%ae/x", "/memories/%u002e%u002e/x", "/memories/\uff052e\uff052e/x", "/memories/%\uff12e",
        "/memories/a\0b", "/memories/a\nb", "/memories/a\tb", "/memories/a\x7fb", "/memories/a\u0085b", "/memories/a\u200bb",
        "/memories/a\u202egpj.md", "/memories/\ufeffa", "/memories/a\u2028b", "/memories/a\u2066b", "/memories/a\ud800b", "/memories/\ue000",
        "/memories/C:/x", "/memories/c:x", "/memories/a.md:stream", "/memories/a.md::$DATA", "/memories/a\uff1ab", "/memories/" + "a" * 1000,
    ],
}  # fmt: skip


@pytest.mark.parametrize(("key", "path"), [(key, path) for key, paths in ATTACKS.items() for path in paths], ids=ascii)
def test_a_path_that_could_mean_another_place_is_refused(key: str, path: str) -> None:
    with pytest.raises(Refused) as refused:
        parse(path)
    assert refused.value.key == key


@pytest.mark.parametrize("path", ["/memories/.git/config", "/memories/a/.b", "/memories/.x", "/memories/ .x", "/memories/\uff0ehidden"])
def test_what_begins_with_a_dot_is_hidden(path: str) -> None:
    assert parse(path).hidden
    with pytest.raises(Refused, match="hidden"):
        check_new(parse(path))


@pytest.mark.parametrize(
    "name",
    [
        "con", "CON", "nul.md", "Aux.txt", "com1.md", "lpt9", "CON .md", "com\u00b9.md", "prn/x.md", "a/conin$", "a?.md", "a*b", 'say "x"',
        "a|b", "<a>", "a.", "a ", " a", "dir /x", "dir./x", "x.reverie-tmp", "a" * 201, "语" * 67, "/".join("abcdefghijklm"), "\uff1f.md",
    ],
    ids=ascii,
)  # fmt: skip
def test_a_new_name_must_fit_every_system(name: str) -> None:
    with pytest.raises(Refused) as refused:
        check_new(parse("/memories/" + name))
    assert refused.value.key == "bad_name"


@pytest.mark.parametrize("name", ["a.md", "console.md", "语" * 66, "/".join("abcdefghijkl"), "Meeting 2026-03-01 (draft).md", "node_modules/x"])
def test_an_ordinary_new_name_is_fine(name: str) -> None:
    check_new(parse("/memories/" + name))


PIECES = st.sampled_from(
    ["/memories", "/", "..", ".", "a", "%2e", "%25", "\\", "\uff0e", "\uff0f", "\u2025", "\0", ":", " ", "\u202e", "é", "e\u0301", "\ud800", "b.md"]
)


@given(st.one_of(st.text(), st.lists(PIECES).map("".join), st.lists(PIECES).map(lambda parts: "/memories/" + "".join(parts))))
def test_whatever_is_given_stays_below_or_is_refused(path: str) -> None:
    try:
        where = parse(path)
    except Refused as refused:
        assert refused.key in ATTACKS
        return
    assert path.startswith("/memories")
    names = where.relative.split("/") if where.relative else []
    assert not {"", ".", ".."} & set(names)
    assert not any(character in where.relative for character in "\\\0:\n")
    where.relative.encode()
    assert len(where.relative) <= filing_paths.LONGEST_PATH
