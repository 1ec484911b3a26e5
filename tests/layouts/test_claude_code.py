"""The layout claude-code: what products write is read, what is written is read again, and nothing else is touched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.core.layout import Change, File
from reverie.core.memory import By, Memory, Source, Status
from reverie.errors import NotFound, StoreUnavailable, WrongUse
from reverie.layouts import fields
from reverie.layouts.claude_code import ClaudeCode, slug_name

THEN = datetime(2026, 11, 1, tzinfo=UTC)
NOW = datetime(2026, 12, 1, 12, 30, 15, 678_901, tzinfo=UTC)


def folder(files: Mapping[str, bytes | str]) -> dict[str, File]:
    return {path: File(data.encode() if isinstance(data, str) else data, THEN) for path, data in files.items()}


def after(before: Mapping[str, File], files: Mapping[str, bytes | None], at: datetime = NOW) -> dict[str, File]:
    """The folder with a change carried out."""
    changed = dict(before)
    for path, data in files.items():
        if data is None:
            del changed[path]
        else:
            changed[path] = File(data, at)
    return changed


HYPHENS = """\
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


def hyphens() -> Memory:
    return Memory(
        name="No hyphens in writing",
        description="Never use hyphens in any written content",
        type="feedback",
        body="Never use hyphens in any written content (emails, documents, messages).",
        why="User dislikes hyphens in writing. Personal style preference.",
        how_to_apply="When drafting any text, avoid hyphenated words and em\ndashes. Use alternative phrasing or separate words instead.",
    )


def test_the_studys_file_under_the_studys_name() -> None:
    written = ClaudeCode().write({}, Change(put=[hyphens()]), now=NOW)
    assert written.ids == ["feedback_no_hyphens_in_writing.md"]
    assert written.files == {
        "feedback_no_hyphens_in_writing.md": HYPHENS.encode(),
        "MEMORY.md": b"- [feedback_no_hyphens_in_writing.md](feedback_no_hyphens_in_writing.md) - Never use hyphens in any written content\n",
    }


def test_the_studys_file_is_read() -> None:
    contents = ClaudeCode().read(folder({"feedback_no_hyphens.md": HYPHENS}), scope="user")
    assert contents.problems == ()
    assert contents.memories == (replace(hyphens(), scope="user", id="feedback_no_hyphens.md", modified_at=THEN),)


# spec/claude-code §2.3
NORMALISED = """\
---
name: no-hyphens-in-writing
description: "Never: use hyphens"
metadata:
  node_type: memory
  priority: high
  type: feedback
  originSessionId: 5e55f00d-0000-4000-8000-000000000001
  modified: 2026-11-30T04:07:08.550Z
---

Never use hyphens.
"""


def test_the_clients_own_shape_is_read() -> None:
    (memory,) = ClaudeCode().read(folder({"feedback_style.md": NORMALISED}), scope="project", project="p").memories
    assert (memory.name, memory.description, memory.type, memory.body) == (
        "no-hyphens-in-writing", "Never: use hyphens", "feedback", "Never use hyphens."
    )  # fmt: skip
    assert memory.source == Source(by=By.AGENT, host="claude-code", session="5e55f00d-0000-4000-8000-000000000001")
    assert memory.extra == (
        ("metadata.node_type", "memory"),
        ("metadata.priority", "high"),
        ("metadata.originSessionId", "5e55f00d-0000-4000-8000-000000000001"),
        ("metadata.modified", "2026-11-30T04:07:08.550Z"),
    )


def test_the_clients_own_shape_is_kept_when_it_is_changed() -> None:
    store = folder({"feedback_style.md": NORMALISED})
    (memory,) = ClaudeCode().read(store, scope="project").memories
    changed = replace(memory, name="Keine Bindestriche!", description="d", type="user", why="w")
    written = ClaudeCode().write(store, Change(put=[changed]), now=NOW)
    expected = (
        NORMALISED.replace("no-hyphens-in-writing", "keine-bindestriche")
        .replace('"Never: use hyphens"', "d")
        .replace("type: feedback", "type: user")
        .replace("modified: 2026-11-30T04:07:08.550Z\n", "modified: 2026-12-01T12:30:15.678Z\n  title: Keine Bindestriche!\n")
        .replace("Never use hyphens.\n", "Never use hyphens.\n\n**Why:** w\n")
    )
    assert written.files["feedback_style.md"] == expected.encode()
    (again,) = ClaudeCode().read(after(store, written.files), scope="project").memories
    assert (again.name, again.type, again.why) == ("Keine Bindestriche!", "user", "w")


def test_the_edition_writes_the_clients_shape() -> None:
    memory = replace(hyphens(), extra=(("priority", "[a,  b]"), ("metadata.node_type", "other")), source=Source(host="claude-code", session="s-1"))
    written = ClaudeCode(edition="2.1").write({}, Change(put=[memory]), now=NOW)
    text = (written.files["feedback_no_hyphens_in_writing.md"] or b"").decode()
    assert text.split("\n\n")[0] == (
        "---\nname: no-hyphens-in-writing\ndescription: Never use hyphens in any written content\nmetadata:\n  node_type: memory\n"
        "  priority: [a,  b]\n  type: feedback\n  title: No hyphens in writing\n  originSessionId: s-1\n  modified: 2026-12-01T12:30:15.678Z\n---"
    )
    assert written.files["MEMORY.md"] == (
        b"- [No hyphens in writing](feedback_no_hyphens_in_writing.md) \xe2\x80\x94 Never use hyphens in any written content\n"
    )


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("No hyphens in Writing! (v2.0)", "no-hyphens-in-writing-v2-0"),
        ("Foo_Bar", "foo-bar"),
        ("foo_bar-1", "foo_bar-1"),
        ("日本語", "memory-a80b52e5"),
        ("", "memory-00000000"),
    ],
)
def test_names_as_the_client_wants_them(name: str, slug: str) -> None:
    assert slug_name(name) == slug


@pytest.mark.parametrize(
    ("path", "data", "memory", "reasons"),
    [
        pytest.param("note.md", "Just text.\n\nWhy: w\n", ("note", "", "", "Just text.", "w"), ["no_type"], id="no frontmatter"),
        pytest.param("user_me.md", "text", ("user_me", "", "user", "text", ""), [], id="the type from the prefix"),
        pytest.param("a.md", "---\ntitle: T\ntype: Feedback\n---\nb", ("T", "", "feedback", "b", ""), [], id="title, and a type in capitals"),
        pytest.param("a.md", "---\nname: n\ntype: foo\n---\nb", ("n", "", "foo", "b", ""), ["unknown_type"], id="unknown type"),
        pytest.param("a.md", "---\nname: n\ntype: user # me\n---\nb", ("n", "", "user", "b", ""), [], id="a comment behind the type"),
        pytest.param("a.md", "---\nname: n\ntype: user\nmetadata:\n  type: project\n---\nb", ("n", "", "project", "b", ""), [], id="metadata wins"),
        pytest.param("a.md", "---\nname: n\ntype: user\n\nb", ("n", "", "user", "b", ""), ["no_closing_fence"], id="no closing fence"),
        pytest.param("a.md", b"---\nname: \xff\ntype: user\n---\n\xfe", ("\ufffd", "", "user", "\ufffd", ""), ["not_utf8"], id="not UTF-8"),
        pytest.param("a.md", "---\ntype: user\n---\n", ("a", "", "user", "", ""), [], id="no body"),
        pytest.param("a.md", "", None, ["empty"], id="empty"),
        pytest.param("a.md", " \n\n", None, ["empty"], id="blank"),
        pytest.param("a.md", b"x" * (1 << 20) + b"x", None, ["too_large"], id="too large"),
        pytest.param("MEMORY.md", "---\nname: n\ntype: user\n---\n", None, [], id="the index"),
        pytest.param("a.txt", "x", None, [], id="another file"),
        pytest.param("a\\\x01.md", "---\ntype: user\n---\nb", ("a\\\x01", "", "user", "b", ""), [], id="a hostile path is read"),
    ],
)
def test_files_of_every_kind(path: str, data: bytes | str, memory: tuple[str, str, str, str, str] | None, reasons: list[str]) -> None:
    contents = ClaudeCode().read(folder({path: data}), scope="project")
    found = [(m.name, m.description, m.type, m.body, m.why) for m in contents.memories]
    assert found == ([memory] if memory else [])
    assert [problem.reason for problem in contents.problems] == reasons
    assert all(problem.path == path for problem in contents.problems)


class Failing(dict[str, File]):
    def __getitem__(self, path: str) -> File:
        if path == "bad.md":
            raise StoreUnavailable("permission denied")
        return super().__getitem__(path)


def test_a_file_that_cannot_be_read_is_a_problem() -> None:
    contents = ClaudeCode().read(Failing(folder({"bad.md": "", "user_ok.md": "x"})), scope="user")
    assert [m.id for m in contents.memories] == ["user_ok.md"]
    assert [(p.path, p.reason, p.detail) for p in contents.problems] == [("bad.md", "unreadable", "permission denied")]


def test_a_change_leaves_every_other_byte() -> None:
    data = b"\xef\xbb\xbf---\r\n# hand\r\nname: \"Old\"\r\ntype: user\r\ncustom: [1,  2]\r\nraw: \xff\r\n---\r\n\r\n\r\nBody \xfe.\r\n\r\n- **Why**: old\r\n\r\n"
    store = folder({"user_old.md": data})
    (memory,) = ClaudeCode().read(store, scope="user").memories
    assert ClaudeCode().write(store, Change(put=[memory]), now=NOW).files == {}
    renamed = ClaudeCode().write(store, Change(put=[replace(memory, name="New")]), now=NOW)
    assert renamed.files["user_old.md"] == data.replace(b'"Old"', b"New")
    reasoned = ClaudeCode().write(store, Change(put=[replace(memory, why="new")]), now=NOW)
    assert reasoned.files["user_old.md"] == data.replace(b"old\r\n\r\n", b"new\r\n\r\n")


def test_an_empty_change_writes_nothing() -> None:
    assert ClaudeCode().write(folder({"a.md": "x"}), Change(), now=NOW).files == {}


def test_names_collide_with_nothing() -> None:
    store = folder({"USER_Café.md".replace("é", "e\u0301"): "x"})
    written = ClaudeCode().write(store, Change(put=[Memory(name="café", type="user"), Memory(name="CAFÉ", type="user")]), now=NOW)
    assert written.ids == ["user_café_2.md", "user_café_3.md"]


@pytest.mark.parametrize(
    ("name", "type", "path"),
    [
        ("No hyphens", "feedback", "feedback_no_hyphens.md"),
        ("Feedback on tests", "feedback", "feedback_on_tests.md"),
        ("feedback", "feedback", "feedback.md"),
        ("x", "", "x.md"),
        ("User of", "", "memory_user_of.md"),
        ("", "", "memory_2.md"),
        ("../../etc/passwd", "user", "user_etc_passwd.md"),
        ("con", "", "memory_con.md"),
        ("w " * 50, "project", "project_" + "w_" * 17 + "w.md"),
    ],
)
def test_what_a_new_file_is_called(name: str, type: str, path: str) -> None:
    assert ClaudeCode().write({}, Change(put=[Memory(name=name, type=type)]), now=NOW).ids == [path]


@pytest.mark.parametrize(("id", "error"), [("no.md", NotFound), ("MEMORY.md", NotFound), ("../a.md", NotFound), ("c\\d.md", WrongUse)])
def test_ids_that_cannot_be_changed(id: str, error: type[Exception]) -> None:
    store = folder({"../a.md": "x", "c\\d.md": "x"})
    with pytest.raises(error):
        ClaudeCode().write(store, Change(remove=[id]), now=NOW)
    with pytest.raises(error):
        ClaudeCode().write(store, Change(put=[Memory(name="x", id=id)]), now=NOW)


def test_removing_and_replacing_together() -> None:
    layout = ClaudeCode()
    store = after({}, layout.write({}, Change(put=[Memory(name=n, type="user", body=n) for n in "abc"]), now=THEN).files, THEN)
    change = Change(put=[Memory(name="b", type="user", body="B", id="user_b.md"), Memory(name="d", type="user")], remove=["user_a.md"])
    written = layout.write(store, change, now=NOW)
    assert written.ids == ["user_b.md", "user_d.md"]
    assert written.files["user_a.md"] is None
    assert written.files["MEMORY.md"] == (
        b"- [user_b.md](user_b.md) - b\n- [user_d.md](user_d.md) - d\n- [user_c.md](user_c.md) - c\n"
    )
    assert layout.write(store, change, now=NOW) == written


HAND = "# Mine\n\n- [Style](feedback_style.md) — by hand\n- [Gone](missing.md)\n\nNote.\n"


def test_in_the_products_folder_only_our_lines_change() -> None:
    layout = ClaudeCode(edition="2.1", own_index=False)
    store = folder({"MEMORY.md": HAND, "feedback_style.md": NORMALISED})
    (memory,) = layout.read(store, scope="project").memories
    added = layout.write(store, Change(put=[Memory(name="New one", description="hook", type="user")]), now=NOW)
    assert added.files["MEMORY.md"] == HAND.replace("missing.md)\n", "missing.md)\n- [New one](user_new_one.md) — hook\n").encode()
    body = layout.write(store, Change(put=[replace(memory, body="Other.")]), now=NOW)
    assert "MEMORY.md" not in body.files            # the hook is the agent's: it stays while the description does
    described = layout.write(store, Change(put=[replace(memory, description="Other.")]), now=NOW)
    assert described.files["MEMORY.md"] == HAND.replace("[Style](feedback_style.md) — by hand", "[no-hyphens-in-writing](feedback_style.md) — Other.").encode()
    removed = layout.write(store, Change(remove=["feedback_style.md"]), now=NOW)
    assert removed.files["MEMORY.md"] == HAND.replace("- [Style](feedback_style.md) — by hand\n", "").encode()


def test_a_missing_index_in_the_products_folder_is_made_whole() -> None:
    store = folder({"feedback_style.md": NORMALISED})
    written = ClaudeCode(edition="2.1", own_index=False).write(store, Change(put=[Memory(name="New", type="user")]), now=NOW)
    assert written.files["MEMORY.md"] == "- [user_new](user_new.md)\n- [feedback_style](feedback_style.md) — Never: use hyphens\n".encode()


def test_what_a_session_is_shown() -> None:
    memories = ClaudeCode().read(folder({f"user_{i:03d}.md": f"---\nname: n{i}\ndescription: d\ntype: user\n---\n" for i in range(250)}), scope="user").memories
    own = ClaudeCode().index(memories, {})
    assert own.count("\n") == 199
    assert own.endswith("> 51 more memories are not shown here: `reverie list` shows all of them.")
    product = ClaudeCode(edition="2.1", own_index=False).index(memories, folder({"MEMORY.md": "- [a](a.md)\r\n" * 201}))
    assert product.startswith("- [a](a.md)\n- [a]")
    assert "> WARNING: MEMORY.md is 201 lines (limit: 200)." in product
    assert ClaudeCode(own_index=False).index(memories, folder({"MEMORY.md": "- [a](a.md)\n\n"})) == "- [a](a.md)"


def test_provenance_stands_behind_the_type_and_survives_a_visit_to_metadata() -> None:
    memory = Memory(
        name="Use pnpm", description="d", type="feedback", body="b", keywords=("pnpm", "node, npm"), confirmed=2,
        valid_until=date(2027, 1, 31), status=Status.QUARANTINED,
        source=Source(by=By.USER, host="codex", session="s1", message="m#1", said_at=NOW, cwd="/srv/a: b", rule="en.standing", quote="use pnpm\nplease"),
    )  # fmt: skip
    layout = ClaudeCode(provenance=True)
    written = layout.write({}, Change(put=[memory]), now=NOW)
    text = (written.files["feedback_use_pnpm.md"] or b"").decode()
    assert text == (
        "---\nname: Use pnpm\ndescription: d\ntype: feedback\nsource: user\nhost: codex\nsession: s1\nmessage: m#1\n"
        'said: 2026-12-01T12:30:15.678901Z\nrule: en.standing\nkeywords: ["pnpm", "node, npm"]\nconfirmed: 2\nvalid_until: 2027-01-31\n'
        'status: quarantined\ncwd: "/srv/a: b"\nquote: "use pnpm\\nplease"\n---\n\nb\n'
    )
    assert written.files["MEMORY.md"] == b""
    (again,) = layout.read(after({}, written.files), scope="project").memories
    assert again == replace(memory, id="feedback_use_pnpm.md", modified_at=NOW)
    head, rest = text.split("source: user\n")
    keys, body = rest.split("---\n", 1)
    moved = head + "metadata:\n  node_type: memory\n  source: user\n" + "".join(f"  {line}\n" for line in keys.splitlines()) + "---\n" + body
    (moved_memory,) = layout.read(folder({"feedback_use_pnpm.md": moved}), scope="project").memories
    assert moved_memory == replace(memory, id="feedback_use_pnpm.md", modified_at=THEN, extra=(("metadata.node_type", "memory"),))


def test_foreign_keys_with_our_names_are_not_provenance() -> None:
    text = "---\nname: n\ntype: reference\nsource: https://example.org/a#b\nsession: morning\nstatus: open\n---\nb\n"
    store = folder({"reference_n.md": text})
    (memory,) = ClaudeCode(provenance=True).read(store, scope="user").memories
    assert memory.source == Source()
    assert memory.extra == (("source", "https://example.org/a#b"), ("session", "morning"), ("status", "open"))
    written = ClaudeCode(provenance=True).write(store, Change(put=[replace(memory, body="c")]), now=NOW)
    assert written.files["reference_n.md"] == text.replace("b\n", "c\n").replace("#c", "#b").encode()


WORDS = st.text(st.characters(codec="utf-8"), max_size=20)
LINES = st.lists(
    st.one_of(WORDS, st.sampled_from(["Why: x", "**How to apply:** y", "```", "---", "# h", "\\Why: z", "- item", ""])), max_size=4
).map("\n".join)
TYPES = st.sampled_from(["user", "feedback", "project", "reference", "lesson", ""]) | st.text(st.characters(codec="utf-8"), max_size=5)
SOURCES = st.builds(
    Source, by=st.sampled_from(By), host=WORDS, session=WORDS, message=WORDS, rule=WORDS, cwd=WORDS, quote=LINES,
    said_at=st.none() | st.datetimes(timezones=st.just(UTC)),
)  # fmt: skip
PLAIN = {"name": WORDS, "description": WORDS, "type": TYPES, "body": LINES, "why": LINES, "how_to_apply": LINES}
TRACKED: dict[str, Any] = {
    "keywords": st.lists(WORDS, max_size=3).map(tuple), "source": SOURCES, "status": st.sampled_from(Status),
    "valid_until": st.none() | st.dates(), "confirmed": st.integers(-1, 10**6),
}  # fmt: skip


def stored(memory: Memory, id: str) -> Memory:
    return replace(fields.settled(memory), id=id, modified_at=NOW)


@given(st.lists(st.builds(Memory, **PLAIN), max_size=3), st.lists(st.builds(Memory, **PLAIN), max_size=3), st.sampled_from(["", "2.1"]))
@settings(deadline=None)
def test_what_is_written_is_read_again(first: list[Memory], second: list[Memory], edition: str) -> None:
    layout = ClaudeCode(edition=edition)
    written = layout.write({}, Change(put=first), now=NOW)
    store = after({}, written.files)
    plain = {m.id: replace(m, extra=(), source=Source()) for m in layout.read(store, scope="project").memories}
    assert plain == {id: stored(memory, id) for memory, id in zip(first, written.ids, strict=True)}
    assert layout.write(store, Change(put=list(plain.values())), now=NOW).files == {}
    changes = [replace(memory, id=id) for memory, id in zip(second, written.ids, strict=False)]
    changed = layout.write(store, Change(put=changes), now=NOW)
    again = {m.id: replace(m, extra=(), source=Source()) for m in layout.read(after(store, changed.files), scope="project").memories}
    for memory in changes:
        assert again[memory.id] == replace(stored(memory, memory.id), type=stored(memory, "").type or plain[memory.id].type)


@given(st.builds(Memory, **PLAIN, **TRACKED), st.builds(Memory, **PLAIN, **TRACKED), st.sampled_from(["", "2.1"]))
@settings(deadline=None)
def test_with_provenance_nothing_is_lost_at_all(first: Memory, second: Memory, edition: str) -> None:
    layout = ClaudeCode(provenance=True, edition=edition)

    def expected(memory: Memory, id: str) -> Memory:
        return stored(memory, id)

    written = layout.write({}, Change(put=[first]), now=NOW)
    store = after({}, written.files)
    (read,) = layout.read(store, scope="project").memories
    bare = fields.provenance(fields.settled(first)) == {}
    assert replace(read, extra=(), source=Source() if bare else read.source) == expected(first, written.ids[0])
    changed = layout.write(store, Change(put=[replace(second, id=written.ids[0])]), now=NOW + timedelta(days=1))
    (again,) = layout.read(after(store, changed.files), scope="project").memories
    bare = fields.provenance(fields.settled(second)) == {}
    wanted = replace(expected(second, written.ids[0]), type=fields.settled(second).type or read.type)
    assert replace(again, extra=(), source=Source() if bare else again.source) == wanted
