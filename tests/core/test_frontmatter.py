"""Headers as products and agents write them; and edits that touch nothing else."""

from __future__ import annotations

import time

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.core.frontmatter import LINE, Document, compose, parse
from reverie.core.scalar import one_line, scalar, several, tidy

# study, Claude Code §2: the shape to be written byte for byte
STUDY = b"""\
---
name: No hyphens in writing
description: Never use hyphens in any written content
type: feedback
---

Never use hyphens in any written content (emails, documents, messages).

**Why:** User dislikes hyphens in writing. Personal style preference.

**How to apply:** When drafting any text, avoid hyphenated words and em
dashes. Use alternative phrasing or separate words instead.
"""


def test_the_studys_file_is_written_byte_for_byte() -> None:
    body = STUDY.decode().split("---\n\n", 1)[1]
    fields = [
        ("name", "No hyphens in writing"),
        ("description", "Never use hyphens in any written content"),
        ("type", "feedback"),
    ]
    assert compose(fields, body).data == STUDY


def header(lines: str) -> Document:
    return parse(f"---\n{lines}\n---\n\nBody.\n".encode())


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param("name: Plain words", "Plain words", id="plain"),
        pytest.param("name:   padded   ", "padded", id="padded"),
        pytest.param("name:tight", "tight", id="no blank behind the colon"),
        pytest.param("type: user\nname :loose", None, id="no key: a blank before the colon, none behind"),
        pytest.param("name : loose", "loose", id="blanks on both sides"),
        pytest.param("name:\ttab", "tab", id="tab behind the colon"),
        pytest.param('"name": quoted key', "quoted key", id="quoted key"),
        pytest.param('name: "Quoted: yes"', "Quoted: yes", id="double quotes"),
        pytest.param("name: 'It''s quoted'", "It's quoted", id="single quotes"),
        pytest.param('name: "tab\\t nl\\n \\u00e9 \\x41 \\U0001F600 \\"q\\""', 'tab\t nl\n é A 😀 "q"', id="escapes"),
        pytest.param('name: "C:\\projects\\q"', "C:\\projects\\q", id="unknown escapes are text"),
        pytest.param('name: "Quoted" # why', "Quoted", id="a comment behind quotes"),
        pytest.param('name: "Use X" not "Y"', '"Use X" not "Y"', id="quotes inside text"),
        pytest.param('name: "unclosed', '"unclosed', id="unclosed double quote"),
        pytest.param("name: 'tis open", "'tis open", id="unclosed single quote"),
        pytest.param("name: Rule: never push", "Rule: never push", id="colon and blank"),
        pytest.param("name: Fix issue #123 and # more", "Fix issue #123 and # more", id="hash is text"),
        pytest.param("name: [WIP] {draft}", "[WIP] {draft}", id="brackets"),
        pytest.param("name: - dash", "- dash", id="leading dash"),
        pytest.param("name: @scope/pkg `x` %d *b* &a !t", "@scope/pkg `x` %d *b* &a !t", id="indicators"),
        pytest.param("name: yes", "yes", id="a boolean is a word"),
        pytest.param("name: 1.50", "1.50", id="a number is a word"),
        pytest.param("name: 2026-03-05", "2026-03-05", id="a date is a word"),
        pytest.param("name:", "", id="nothing"),
        pytest.param("name: ~", "~", id="null is what it looks like"),
        pytest.param('name: ""', "", id="empty quotes"),
        pytest.param("name: |\n  one\n  two", "one\ntwo", id="literal block"),
        pytest.param("name: >-\n  one\n  two\n\n  three", "one two\nthree", id="folded block"),
        pytest.param("name: |2+\n    one\n   two\n", "  one\n two", id="block with indicators"),
        pytest.param("name: > # comment\n  one", "one", id="block with a comment"),
        pytest.param("name: |", "", id="block without lines"),
        pytest.param("name: |\n\tone\n\ttwo", "one\ntwo", id="block indented by tabs"),
        pytest.param("name: >\n\tone\n\ttwo", "one two", id="folded block indented by tabs"),
        pytest.param("name: one\n  two\n   three", "one two three", id="wrapped"),
        pytest.param("name: one\n\n  two", "one\ntwo", id="wrapped over a blank line"),
        pytest.param("name: one: two\n  three: four", "one: two three: four", id="wrapped, and no YAML"),
        pytest.param('name: "one\n  two"', "one two", id="wrapped in quotes"),
        pytest.param('name: "one\n  two', '"one two', id="wrapped in quotes and unclosed"),
        pytest.param("name:\n  on the next line", "on the next line", id="on the next line"),
        pytest.param("name:\n  - a\n  - b", "- a\n  - b", id="a list"),
        pytest.param("name:\n- a\n- b", "- a\n- b", id="a list that is not indented"),
        pytest.param("name: one\ntwo without indentation\ntype: user", "one two without indentation", id="broken line"),
        pytest.param("name: one\n  type: user", "one", id="next key indented by mistake"),
        pytest.param("name: first\nname: second", "first", id="of two the first"),
        pytest.param("# comment\n\nname: after", "after", id="behind a comment"),
        pytest.param("%YAML: 1.2\n}{\n: :\nname: after junk", "after junk", id="behind junk"),
        pytest.param("  name: indented", "indented", id="everything indented"),
        pytest.param("name: 说明：中文", "说明：中文", id="Chinese"),
        pytest.param("name: [a,\n  b]", "[a, b]", id="a list in brackets over two lines"),
        pytest.param("name: &a [[[\n  *a", "&a [[[ *a", id="anchors are text"),
    ],
)
def test_values_are_read_as_they_are_meant(line: str, expected: str | None) -> None:
    document = header(line)
    assert document.get("name") == expected
    assert document.body == "Body."


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("type: user", "user"),
        ("type: user   # persists", "user"),
        ('type: "user" # persists', "user"),
        ('type: "user # no comment"', "user # no comment"),
        ("type: # nothing", ""),
        ("name: x", ""),
    ],
)
def test_a_word_loses_its_comment(line: str, expected: str) -> None:
    assert header(line).word("type") == expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("keywords: a, b c ,, d", ("a", "b c", "d")),
        ("keywords: [a, \"b, c\", 'd']", ("a", "b, c", "d")),
        ("keywords:\n  - a\n  - 'b'\n\n  - c", ("a", "b", "c")),
        ("keywords:\n- a\n- b", ("a", "b")),
        ("keywords: don't, can't", ("don't", "can't")),
        ("keywords: []", ()),
        ("keywords:", ()),
        ("name: x", ()),
    ],
)
def test_a_list_is_read_in_any_of_its_forms(lines: str, expected: tuple[str, ...]) -> None:
    assert header(lines).items("keywords") == expected


# spec/claude-code §2.3: what the client makes of a file
NORMALISED = """\
name: no-hyphens-in-writing
description: "Never: use hyphens"
metadata:
  node_type: memory
  type: feedback
  originSessionId: 5e55f00d-0000-4000-8000-000000000001
  modified: 2026-12-01T04:07:08.550Z"""


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(NORMALISED, id="as 2.1.332 writes it"),
        pytest.param(NORMALISED.replace("metadata:", "metadata: "), id="as 2.1.197 writes it, with a trailing blank"),
        pytest.param(
            'name: x\nmetadata: {node_type: memory, "type": feedback, originSessionId: "5e55f00d-0000-4000-8000-000000000001"}',
            id="in braces",
        ),
    ],
)
def test_keys_inside_metadata_are_seen(lines: str) -> None:
    document = header(lines)
    assert document.get("metadata.type") == "feedback"
    assert document.get("metadata.node_type") == "memory"
    assert document.get("metadata.originSessionId") == "5e55f00d-0000-4000-8000-000000000001"
    assert document.get("type") is None


@pytest.mark.parametrize(
    ("data", "name", "body", "problems"),
    [
        pytest.param(b"", None, "", ("no_frontmatter",), id="empty file"),
        pytest.param(b"Just text.\n", None, "Just text.", ("no_frontmatter",), id="no frontmatter"),
        pytest.param(b"---\nname: x\n---\nBody", "x", "Body", (), id="body directly behind the fence"),
        pytest.param(b"---\nname: x\n---", "x", "", (), id="nothing behind the fence"),
        pytest.param(b"---\n---\n\nBody\n", None, "Body", (), id="empty frontmatter"),
        pytest.param(b"---\nname: x\n...\nBody\n", "x", "Body", (), id="closed by three dots"),
        pytest.param(b"---  \nname: x\n--- \t\nBody\n", "x", "Body", (), id="blanks behind the fences"),
        pytest.param(b"---\nname: x\n-----\nBody\n", "x", "Body", (), id="closed by more dashes"),
        pytest.param(b"\n \n---\nname: x\n---\nBody\n", "x", "Body", (), id="blank lines first"),
        pytest.param(b"\xef\xbb\xbf---\r\nname: x\r\n---\r\n\r\nBody\r\n", "x", "Body", (), id="BOM and CRLF"),
        pytest.param(b"---\rname: x\r---\r\rone\rtwo\r", "x", "one\ntwo", (), id="CR only"),
        pytest.param(b"---\nname: x\rtype: user\r\n---\nBody", "x", "Body", (), id="mixed line ends"),
        pytest.param(b"---\nname: x\n\nBody: text\n", "x", "Body: text", ("no_closing_fence",), id="no closing fence"),
        pytest.param(b"---\nname: x", "x", "", ("no_closing_fence",), id="no closing fence, no line end"),
        pytest.param(b"---\nname: x\nNo key here\n", "x", "No key here", ("no_closing_fence",), id="no closing fence, text follows"),
        pytest.param(b"---\nSome: thing\nelse\n", None, "---\nSome: thing\nelse", ("no_frontmatter",), id="a rule, then text"),
        pytest.param(b"---\n\nProse, see http://x.\n\n---\nmore", None, "---\n\nProse, see http://x.\n\n---\nmore", ("no_frontmatter",), id="text between rules"),
        pytest.param(b"+++\nname = 1\n+++\n", None, "+++\nname = 1\n+++", ("no_frontmatter",), id="another kind of fence"),
        pytest.param(b"---\nname: caf\xe9\n---\n\xff\n", "caf�", "�", ("not_utf8",), id="invalid UTF-8"),
        pytest.param(b"---\nname: a\0b\n---\nx\0y", "a\0b", "x\0y", ("nul",), id="NUL"),
        pytest.param(b"---\nname: x\nname: y\n---\n", "x", "", ("duplicate_key",), id="duplicate key"),
        pytest.param("---\r\nname: é\r\n---\r\n日本\r\n".encode("utf-16"), "é", "日本", ("not_utf8",), id="UTF-16"),
        pytest.param(b"\xff\xfe-\xd8\0", None, "\ufffd\ufffd-\ufffd\0", ("not_utf8", "nul", "no_frontmatter"), id="broken UTF-16"),
        pytest.param(b"---\n" + b"k: v\n" * 1_001 + b"---\n", None, None, ("no_frontmatter",), id="too long for a header"),
    ],
)
def test_files_of_every_shape(data: bytes, name: str | None, body: str | None, problems: tuple[str, ...]) -> None:
    document = parse(data)
    assert document.get("name") == name
    assert body is None or document.body == body
    assert document.problems == problems
    assert document.data == data


PIECES = st.sampled_from(
    [
        "---", "--- ", "...", "----", "name: x", "name:", "description: |", "description: >-", "  indented", "\ttab", "type: user",
        "metadata:", "  type: user", "    deeper: 1", "metadata: {a: b}", "- item", "# comment", "", " ", "'", '"', "k: 'v", 'k: "v',
        "k: [a, b", "&a *a", "!!str x", "**Why:** y", "\ufeff", "\x00", "\x85", "\u2028", "é", "😀", "name: y", "? x", ": y",
    ]
)  # fmt: skip
JUNK = st.one_of(
    st.binary(max_size=120),
    st.lists(st.tuples(PIECES, st.sampled_from(["\n", "\r\n", "\r", ""])), max_size=14).map(
        lambda parts: "".join(text + end for text, end in parts).encode()
    ),
    st.lists(st.tuples(PIECES, st.sampled_from(["\n", "\r\n"])), max_size=10).map(
        lambda parts: ("---\n" + "".join(text + end for text, end in parts) + "---\nbody\n").encode()
    ),
)
WORDS = st.text(st.characters(codec="utf-8"), max_size=30)


@given(JUNK)
def test_any_bytes_are_read_and_kept(data: bytes) -> None:
    document = parse(data)
    assert document.data == data
    for field in document.fields:
        field.value.encode()
        document.word(field.key)
        document.items(field.key)
        assert document.set(field.key, document.get(field.key) or "") is document
    assert document.with_body(document.body) is document
    document.body.encode()


@given(JUNK, WORDS)
@settings(deadline=None)
def test_what_was_set_is_read_and_the_rest_stays(data: bytes, value: str) -> None:
    before = parse(data)
    after = before.set("description", value)
    assert after.get("description") == value
    assert parse(after.data).get("description") == value
    if before.has_header and "no_closing_fence" not in before.problems:
        assert after.text[after.body_at :] == before.text[before.body_at :]
        rest = [(f.key, f.value) for f in before.fields if f.key != "description"]
        assert [(f.key, f.value) for f in after.fields if f.key != "description"] == rest


@given(JUNK, WORDS)
@settings(deadline=None)
def test_another_body_leaves_the_header_alone(data: bytes, body: str) -> None:
    before = parse(data)
    after = before.with_body(body)
    if before.has_header:
        assert after.body == tidy(body)
        assert [(f.key, f.value) for f in after.fields] == [(f.key, f.value) for f in before.fields]


@given(WORDS, WORDS, st.text(max_size=50))
def test_a_new_file_is_read_as_it_was_meant(name: str, description: str, body: str) -> None:
    document = parse(compose([("name", name), ("description", description), ("type", "user")], body).data)
    assert (document.get("name"), document.get("description"), document.get("type")) == (name, description, "user")
    assert document.body == tidy(body)
    assert document.problems in ((), ("nul",))
    loaded = yaml.safe_load(document.text.split("\n---\n")[0])
    assert loaded == {"name": name, "description": description, "type": "user"}
    assert yaml.load(document.text.split("\n---\n")[0], yaml.CSafeLoader) == loaded


@given(WORDS)
def test_a_value_for_readers_of_lines_has_one_line(value: str) -> None:
    document = parse(compose([("name", value)], "", style=LINE).data)
    assert document.get("name") == one_line(value)


@pytest.mark.parametrize(
    ("value", "yaml_form", "line_form"),
    [
        ("Use pnpm, not npm", "Use pnpm, not npm", "Use pnpm, not npm"),
        ("src/app.py:42 holds it", "src/app.py:42 holds it", "src/app.py:42 holds it"),
        ("Rule: never", '"Rule: never"', "Rule: never"),
        ("ends with:", '"ends with:"', "ends with:"),
        ("fix #12", '"fix #12"', "fix #12"),
        ("C#12", "C#12", "C#12"),
        ("yes", '"yes"', "yes"),
        ("12:30", '"12:30"', "12:30"),
        ("3 days", "3 days", "3 days"),
        ("[WIP]", '"[WIP]"', "[WIP]"),
        ("", '""', ""),
        ('say "hi"', 'say "hi"', 'say "hi"'),
        ('"hi"', '"\\"hi\\""', '"\\"hi\\""'),
        ("two\nlines", '"two\\nlines"', "two lines"),
        ("|", '"|"', '"|"'),
        ("a\\b", "a\\b", "a\\b"),
        ("nul\0", '"nul\\x00"', "nul\0"),
    ],
)
def test_values_are_quoted_only_where_a_reader_would_stumble(value: str, yaml_form: str, line_form: str) -> None:
    assert scalar(value) == yaml_form
    assert scalar(value, LINE) == line_form


EDITED = b"""\
\xef\xbb\xbf---\r
# kept
name:   "Old name"   # also kept\r
description: >-\r
  long\r
  words\r
custom: [a,   b]\r
type: feedback\r
caf\xe9: \xff\r
---\r
\r
\r
Body.\r
\r
"""


def test_a_change_replaces_one_value_and_no_other_byte() -> None:
    document = parse(EDITED)
    assert document.set("name", "New").data == EDITED.replace(b"Old name", b"New")
    assert document.set("description", "short").data == EDITED.replace(b">-\r\n  long\r\n  words", b"short")
    assert document.set("type", "user").data == EDITED.replace(b"feedback", b"user")
    assert document.with_body("One\ntwo").data == EDITED.replace(b"Body.", b"One\r\ntwo")
    assert document.set("status", "archived").data == EDITED.replace(b"feedback\r\n", b"feedback\r\nstatus: archived\r\n")
    assert document.set("unheard", "of").data == EDITED.replace(b"\xff\r\n---", b"\xff\r\nunheard: of\r\n---")
    assert document.remove("custom").data == EDITED.replace(b"custom: [a,   b]\r\n", b"")
    assert document.remove("nothing") is document
    assert document.set("name", "Old name") is document


@pytest.mark.parametrize(
    ("data", "key", "expected"),
    [
        pytest.param(b"Text\n", "name", b"---\nname: v\n---\n\nText\n", id="no frontmatter"),
        pytest.param(b"", "name", b"---\nname: v\n---\n", id="empty file"),
        pytest.param(b"\xef\xbb\xbf\r\nText", "name", b"\xef\xbb\xbf---\r\nname: v\r\n---\r\n\r\nText", id="BOM stays first"),
        pytest.param(b"---\ntype: user\n---\n", "name", b"---\nname: v\ntype: user\n---\n", id="in its place"),
        pytest.param(b"---\n---\n", "x", b"---\nx: v\n---\n", id="empty frontmatter"),
        pytest.param(b"---\nname: a\nBody\n", "type", b"---\nname: a\ntype: v\n---\n\nBody\n", id="unclosed is closed"),
        pytest.param(b"---\nname: a", "type", b"---\nname: a\ntype: v\n---\n", id="unclosed, no line end"),
        pytest.param(b"---\nname: a\nname: b\nx: y\n---\n", "name", b"---\nname: v\nname: v\nx: y\n---\n", id="both of two"),
        pytest.param(b"---\n name: a\n type: b\n---\n", "description", b"---\n name: a\n description: v\n type: b\n---\n", id="indented header"),
        pytest.param(b"---\nname: a\nmetadata:\n    type: b\nx: y\n---\n", "metadata.new", b"---\nname: a\nmetadata:\n    type: b\n    new: v\nx: y\n---\n", id="into a mapping"),
        pytest.param(b"---\nmetadata:\n  type: b\n---\n", "metadata.type", b"---\nmetadata:\n  type: v\n---\n", id="inside a mapping"),
        pytest.param(b"---\nmetadata: {type: b, x: y}\n---\n", "metadata.type", b"---\nmetadata:\n  x: y\n  type: v\n---\n", id="braces are written out"),
        pytest.param(b"---\nmetadata:\n---\n", "metadata.type", b"---\nmetadata:\n  type: v\n---\n", id="an empty mapping"),
        pytest.param(b"---\nname: a\n---\n", "metadata.type", b"---\nname: a\nmetadata:\n  type: v\n---\n", id="a new mapping"),
        pytest.param(b"---\nmetadata: words\n---\n", "metadata.type", b"---\nmetadata: words\ntype: v\n---\n", id="no mapping: beside it"),
    ],
)
def test_where_a_value_goes(data: bytes, key: str, expected: bytes) -> None:
    assert parse(data).set(key, "v").data == expected


@pytest.mark.parametrize(
    ("carried", "written"),
    [
        (("custom", "[a,   b]"), b"custom: [a,   b]\n"),
        (("custom", "\n  - a\n  - b"), b"custom:\n  - a\n  - b\n"),
        (("custom", "|\n  a\n\n  b"), b"custom: |\n  a\n\n  b\n"),
        (("metadata.node_type", "memory"), b"metadata:\n  node_type: memory\n"),
        (("custom", "x\n---\n# out"), b'custom: "x\\n---\\n# out"\n'),
        (("a: b\n---", "x"), b"a_ b_---: x\n"),
        (("", "x"), b"_: x\n"),
    ],
)
def test_unknown_keys_go_along_but_cannot_break_out(carried: tuple[str, str], written: bytes) -> None:
    data = compose([("name", "nm")], "b", carried=[carried]).data
    assert data == b"---\nname: nm\n" + written + b"---\n\nb\n"
    assert len(parse(data).body) == 1


@given(st.lists(st.tuples(WORDS, WORDS), max_size=4))
def test_no_unknown_key_ends_the_header(carried: list[tuple[str, str]]) -> None:
    document = parse(compose([("name", "n"), ("type", "user")], "the body", carried=carried).data)
    assert document.body == "the body"
    assert document.get("name") == "n"


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"---\nname: " + b" " * 100_000 + b"x\n---\n", id="blanks"),
        pytest.param(b'---\nname: "' + b"\\" * 100_000 + b"\n---\n", id="backslashes"),
        pytest.param(b"---\nname: '" + b"'" * 100_001 + b"\n---\n", id="quotes"),
        pytest.param(b"---\n" + b"a" * 120_000 + b"\nname: x\n---\n", id="a long line"),
        pytest.param(b"---\nname:\n" + b"  [[[[[[[[[[[[" * 3_000 + b"\n---\n", id="brackets"),
        pytest.param(b"---\nname: x\n  " + b"[" * 60_000 + b"\n---\n", id="brackets in a wrapped line"),
        pytest.param(b"---\nname: >\n" + b"  a\n\n" * 400 + b"---\n", id="a long block"),
        pytest.param(b"---\nmetadata: {" + b"a: '," * 20_000 + b"}\n---\n", id="braces"),
        pytest.param(b"\n" * 500_000, id="blank lines"),
        pytest.param(b"---\n" + b"\n" * 500_000, id="blank lines behind a fence"),
        pytest.param(b"---\n" + b"- " * 50_000 + b"\nname: x\n---\n", id="dashes"),
        pytest.param(b"x" * 20_000_000, id="one enormous line"),
    ],
)
def test_hostile_headers_take_no_time(data: bytes) -> None:
    started = time.perf_counter()
    document = parse(data)
    document.set("name", "y").set("description", "z").with_body("b")
    assert document.data == data
    assert time.perf_counter() - started < 2


def test_several_lines_that_no_yaml_reader_takes_are_joined() -> None:
    assert several("|\n  a: b\n c") == "a: b\nc"
    assert several(">-\n\tone\n\n\ttwo") == "one\ntwo"
    assert several("- a\n  b") == "- a b"
    assert several("x" * 70_000 + "\n  y").endswith("x y")


@pytest.mark.parametrize("line", ["name: x\n", "type: type: a_~~~\n", "description: " + "x" * 500 + "\n"])
@pytest.mark.parametrize("count", [259, 260, 998, 999, 1000, 1001, 3000])
@pytest.mark.parametrize("end", ["", "---\nbody\n", "\nbody\n", "body\n"])
def test_a_header_as_long_as_may_be_is_changed_without_end(line: str, count: int, end: str) -> None:
    """One that was never closed and reached the limit was closed again and again."""
    document = parse(f"---\n{line * count}{end}".encode())
    changed = document.set("name", "other")
    assert changed.data.count(b"\n") >= count
    assert line.startswith("name") or changed.data.count(line.encode()) == count
    assert b"words" in changed.with_body("words").data
