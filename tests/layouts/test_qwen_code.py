"""The layout qwen-code: files by type, files with several entries, and an index that the product takes for its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.core.layout import Change, File
from reverie.core.memory import Memory
from reverie.core.parts import Parts
from reverie.core.scalar import one_line, without_comment
from reverie.errors import NotFound, WrongUse
from reverie.layouts import fields, qwen_entries, qwen_sheet
from reverie.layouts.qwen_code import QwenCode

THEN = datetime(2026, 11, 1, tzinfo=UTC)
NOW = datetime(2026, 12, 1, 12, 30, 15, tzinfo=UTC)


def folder(files: Mapping[str, bytes | str]) -> dict[str, File]:
    return {path: File(data.encode() if isinstance(data, str) else data, THEN) for path, data in files.items()}


def after(before: Mapping[str, File], files: Mapping[str, bytes | None], at: datetime = NOW) -> dict[str, File]:
    changed = dict(before)
    for path, data in files.items():
        if data is None:
            del changed[path]
        else:
            changed[path] = File(data, at)
    return changed


def test_a_new_file_has_the_studys_shape() -> None:
    memory = Memory(
        name="Integration tests use the real database", description="Tests: Postgres, #never mocks", type="feedback",
        body="Integration tests must run against a real Postgres.", why="a mocked suite hid a broken migration.",
        how_to_apply="whenever adding tests.",
    )  # fmt: skip
    written = QwenCode().write({}, Change(put=[memory]), now=NOW)
    path = "feedback/integration-tests-use-the-real-database.md"
    assert written.ids == [path]
    assert written.files == {
        path: b"---\nname: Integration tests use the real database\ndescription: Tests: Postgres, #never mocks\ntype: feedback\n---\n\n"
        b"Integration tests must run against a real Postgres.\n\nWhy: a mocked suite hid a broken migration.\n\n"
        b"How to apply: whenever adding tests.\n",
        "MEMORY.md": b"- [Integration tests use the real database](" + path.encode() + b") - Tests: Postgres, #never mocks",
    }
    (again,) = QwenCode().read(after({}, written.files), scope="project", project="p").memories
    assert again == replace(memory, scope="project", project="p", id=path, modified_at=NOW)


BULLETS = "- Keep it short\n  Why: the user reads on a phone\n  - How to apply: always\n- No emoji\n\n* Use **metric** units\n  and the 24 hour clock\n"
RENDERED = "Keep it short\n\nWhy: a phone\n\nHow to apply: always\n\nNo emoji\n\nWhy: taste\n"


def entries(text: str) -> list[Parts]:
    return [entry.parts for entry in qwen_entries.find(text)]


@pytest.mark.parametrize(
    ("text", "several"),
    [
        pytest.param(BULLETS, True, id="bullets"),
        pytest.param(RENDERED, True, id="as rendered after /forget"),
        pytest.param("# Style\n\n- a\n- b\n", True, id="a heading over bullets"),
        pytest.param("- one\n", True, id="one bullet"),
        pytest.param("- a\n```\ncode\n```\n- b\n", True, id="code between bullets"),
        pytest.param("One.\n\nTwo.\n", False, id="paragraphs"),
        pytest.param("Rules:\n- a\n- b\n", False, id="bullets under a line"),
        pytest.param("- a\n- b\n\nWhy: both\n", False, id="a list with one reason"),
        pytest.param("Do x.\n\n**Why:** y\n\n**How to apply:** z\n", False, id="one memory, in bold"),
        pytest.param("Do x.\nWhy: y\nHow to apply: z\n\n```\nWhy: code\n```\n", False, id="a label in code"),
        pytest.param("1. a\n2. b\n", False, id="numbers"),
        pytest.param("", False, id="nothing"),
        pytest.param("_No entries yet._\n", False, id="the placeholder"),
    ],
)
def test_which_texts_are_several_entries(text: str, several: bool) -> None:
    assert qwen_entries.are_several(text) is several


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            BULLETS,
            [Parts("Keep it short", "the user reads on a phone", "always"), Parts("No emoji"), Parts("Use **metric** units\nand the 24 hour clock")],
            id="bullets",
        ),
        pytest.param(RENDERED, [Parts("Keep it short", "a phone", "always"), Parts("No emoji", "taste")], id="rendered"),
        pytest.param("- a\n\n**Why:** b\n- c\nWhy: d\n", [Parts("a", "b"), Parts("c", "d")], id="the bold label is read right"),
        pytest.param("- a\n  ```sh\n  make\n\n  - no bullet\n  ```\n- b\n", [Parts("a\n```sh\nmake\n\n- no bullet\n```"), Parts("b")], id="code inside"),
        pytest.param("- a\n```sh\n- no bullet\n```\n- b\n", [Parts("a\n```sh\n- no bullet\n```"), Parts("b")], id="code at the margin"),
        pytest.param("- a\r\n\tmore\r\n- b\r\n", [Parts("a\nmore"), Parts("b")], id="CRLF and tabs"),
        pytest.param("# H\n_No entries yet._\n- a\nlazy\n\n# H\n- b\n", [Parts("a\nlazy"), Parts("b")], id="headings and lazy lines"),
        pytest.param("- \n  Why: only\n-\n", [Parts("", "only"), Parts()], id="empty bullets"),
    ],
)
def test_entries_are_found(text: str, expected: list[Parts]) -> None:
    assert entries(text) == expected


def several(body: str, head: str = "name: Style\ndescription: How to write\ntype: feedback") -> str:
    return f"---\n{head}\n---\n{body}"


def test_entries_have_ids_and_names() -> None:
    found = QwenCode().read(folder({"feedback/style.md": several("\n" + BULLETS)}), scope="user").memories
    assert [(m.id, m.name, m.description, m.type) for m in found] == [
        ("feedback/style.md:0", "Keep it short", "", "feedback"),
        ("feedback/style.md:1", "No emoji", "", "feedback"),
        ("feedback/style.md:2", "Use **metric** units and the 24 hour clock", "", "feedback"),
    ]
    (one,) = QwenCode().read(folder({"feedback/style.md": several("\n- Keep it short\n")}), scope="user").memories
    assert (one.id, one.name, one.description, one.body) == ("feedback/style.md", "Style", "How to write", "Keep it short")


CRLF = several("\n# Style\n\n- Keep it short\n  Why: phone\n\n- No emoji\n  ```\n  code\n  ```\n* Last\xff one\n").replace("\n", "\r\n")


@pytest.mark.parametrize(
    ("text", "number", "old", "new"),
    [
        pytest.param(CRLF, 0, "- Keep it short\r\n  Why: phone\r\n\r\n", "", id="CRLF: the first"),
        pytest.param(CRLF, 1, "- No emoji\r\n  ```\r\n  code\r\n  ```\r\n", "", id="CRLF: one with code"),
        pytest.param(several(BULLETS), 1, "- No emoji\n", "", id="the second of three"),
        pytest.param(several(BULLETS), 2, "\n* Use **metric** units\n  and the 24 hour clock\n", "", id="the last"),
        pytest.param(several("- a\n- b"), 1, "\n- b", "", id="the last, without a line end"),
        pytest.param(several("- a\n- b"), 0, "- a\n", "", id="the first, without gaps"),
        pytest.param(several("# H\n\n- a\n\n# I\n\n- b\n"), 0, "- a\n\n", "", id="the only one under a heading"),
        pytest.param(several(RENDERED), 0, "Keep it short\n\nWhy: a phone\n\nHow to apply: always\n\n", "", id="a paragraph"),
        pytest.param(several(RENDERED), 1, "\n\nNo emoji\n\nWhy: taste\n", "\n", id="the last paragraph"),
    ],
)
def test_one_entry_is_removed_and_no_other_byte(text: str, number: int, old: str, new: str) -> None:
    data = text.encode("latin-1")
    store = folder({"feedback/style.md": data})
    before = QwenCode().read(store, scope="user").memories
    written = QwenCode().write(store, Change(remove=[f"feedback/style.md:{number}"]), now=NOW)
    assert written.files["feedback/style.md"] == data.replace(old.encode("latin-1"), new.encode("latin-1"))
    left = QwenCode().read(after(store, written.files), scope="user").memories
    assert [m.body for m in left] == [m.body for i, m in enumerate(before) if i != number]


@pytest.mark.parametrize(
    ("text", "number", "change", "old", "new"),
    [
        pytest.param(CRLF, 0, {"why": "a very\nsmall phone"}, "Why: phone", "Why: a very\r\n  small phone", id="CRLF"),
        pytest.param(several(BULLETS), 1, {"body": "Emoji!"}, "No emoji", "Emoji!", id="another body"),
        pytest.param(several(BULLETS), 1, {"how_to_apply": "never"}, "No emoji\n", "No emoji\n  How to apply: never\n", id="a part more"),
        pytest.param(several("- a\n- b"), 1, {"body": "c"}, "- b", "- c", id="without a line end"),
        pytest.param(several(RENDERED), 1, {"body": "None"}, "No emoji", "None", id="a paragraph"),
        pytest.param(several(RENDERED), 1, {"body": "a\n\nb"}, "No emoji\n\nWhy: taste\n", "- a\n\n  b\n  Why: taste\n", id="a paragraph that needs a bullet"),
        pytest.param(several(BULLETS), 0, {"name": "Brevity"}, "type: feedback\n", "type: feedback\nname.MARK: Brevity\n", id="a name of its own"),
    ],
)
def test_one_entry_is_changed_and_no_other_byte(text: str, number: int, change: dict[str, str], old: str, new: str) -> None:
    data = text.encode("latin-1")
    store = folder({"feedback/style.md": data})
    before = QwenCode().read(store, scope="user").memories
    changed = replace(before[number], **change)  # type: ignore[arg-type]
    written = QwenCode().write(store, Change(put=[changed]), now=NOW)
    mark = qwen_sheet._mark(fields.three_parts(changed))
    assert written.files["feedback/style.md"] == data.replace(old.encode("latin-1"), new.replace("MARK", mark).encode("latin-1"))
    assert written.ids == [f"feedback/style.md:{number}"]
    again = QwenCode().read(after(store, written.files), scope="user").memories
    assert [m.body for m in again] == [changed.body if i == number else m.body for i, m in enumerate(before)]
    assert again[number].name == change.get("name", again[number].name)


def test_the_last_entry_takes_its_file_along() -> None:
    store = folder({"feedback/style.md": several("# H\n\n- a\n- b\n"), "user/x.md": "---\ntype: user\n---\nx"})
    written = QwenCode().write(store, Change(remove=["feedback/style.md:0", "feedback/style.md:1", "user/x.md"]), now=NOW)
    assert written.files == {"feedback/style.md": None, "user/x.md": None, "MEMORY.md": b""}


def test_ids_move_up_when_an_entry_goes() -> None:
    store = folder({"feedback/style.md": several(BULLETS)})
    last = QwenCode().read(store, scope="user").memories[2]
    written = QwenCode().write(store, Change(put=[replace(last, why="w")], remove=["feedback/style.md:0"]), now=NOW)
    assert written.ids == ["feedback/style.md:1"]
    one = QwenCode().write(store, Change(put=[replace(last, why="w")], remove=["feedback/style.md:0", "feedback/style.md:1"]), now=NOW)
    assert one.ids == ["feedback/style.md"]


def test_what_would_be_misread_is_marked() -> None:
    text = several("A\n\nWhy: a\n\nB\n\nWhy: b\n\nC\n")        # three entries; without A the rest would read as one memory
    written = QwenCode().write(folder({"f.md": text}), Change(remove=["f.md:0"]), now=NOW)
    assert written.files["f.md"] == b"---\nname: Style\ndescription: How to write\ntype: feedback\nentries: several\n---\nB\n\nWhy: b\n\nC\n"
    single = QwenCode().write({}, Change(put=[Memory(name="L", type="user", body="- a\n- b")]), now=NOW)
    assert single.files["user/l.md"] == b"---\nname: L\ndescription:\ntype: user\nentries: one\n---\n\n- a\n- b\n"
    (memory,) = QwenCode().read(after({}, single.files), scope="user").memories
    assert (memory.body, memory.extra) == ("- a\n- b", ())


def test_an_entry_of_another_type_moves() -> None:
    store = folder({"feedback/style.md": several("- a\n- b\n")})
    second = QwenCode().read(store, scope="user").memories[1]
    written = QwenCode().write(store, Change(put=[replace(second, type="user")]), now=NOW)
    assert written.ids == ["user/b.md"]
    assert written.files["feedback/style.md"] == several("- a\n").encode()


def test_memories_of_a_type_in_one_file() -> None:
    layout = QwenCode(placement="files")
    first = Memory(name="Prefers Go", description="d", type="user", body="The user prefers Go.\n\nReally.", why="Ten years of it.")
    second = Memory(name="", type="user", body="Works at night.")
    third = Memory(name="Prefers Go", type="feedback", body="x")
    written = layout.write({}, Change(put=[first, second, third]), now=NOW)
    assert written.ids == ["user.md:0", "user.md:1", "feedback.md"]
    mark = qwen_sheet._mark(fields.three_parts(first))
    assert written.files["user.md"] == (
        "---\nname: User\ndescription: Who the user is, and how they like to work\ntype: user\n"
        f"name.{mark}: Prefers Go\ndescription.{mark}: d\n---\n\n- The user prefers Go.\n\n  Really.\n  Why: Ten years of it.\n- Works at night.\n"
    ).encode()
    assert written.files["MEMORY.md"] == b"- [Prefers Go](feedback.md)\n- [Prefers Go](user.md) - d\n- [Works at night.](user.md)"
    store = after({}, written.files)
    found = layout.read(store, scope="user").memories
    assert [(m.name, m.description, m.body) for m in found] == [
        ("Prefers Go", "", "x"), ("Prefers Go", "d", first.body), ("Works at night.", "", "Works at night."),
    ]  # fmt: skip
    gone = layout.write(store, Change(remove=["user.md:0"]), now=NOW)
    assert gone.files["user.md"] == b"---\nname: User\ndescription: Who the user is, and how they like to work\ntype: user\n---\n\n- Works at night.\n"


def test_a_file_that_is_no_list_is_left_alone() -> None:
    store = folder({"user.md": "---\nname: Me\ntype: user\n---\n\nProse about me.\n"})
    written = QwenCode(placement="files").write(store, Change(put=[Memory(name="n", type="user", body="b")]), now=NOW)
    assert written.ids == ["user-2.md"]


@pytest.mark.parametrize(
    ("path", "data", "expected", "reasons"),
    [
        pytest.param("feedback/a.md", "---\nname: n\ntype: feedback\n---\nb", ("n", "feedback", "b"), [], id="plain"),
        pytest.param("feedback/a.md", "---\nname: n\n---\nb", ("n", "feedback", "b"), ["no_type"], id="the type from the folder"),
        pytest.param("user.md", "---\nname: n\n---\nb", ("n", "user", "b"), ["no_type"], id="the type from the file"),
        pytest.param("a.md", "---\ntitle: t\ntype: Feedback\n---\nb", ("t", "feedback", "b"), ["unknown_type"], id="a type in capitals"),
        pytest.param("a.md", "---\nname: n\nmetadata:\n  type: user\n---\nb", ("n", "user", "b"), ["no_type"], id="the type under metadata"),
        pytest.param("a.md", "\ufeff---\nname: n\ntype: user\n---\nb", ("n", "user", "b"), ["bom"], id="BOM"),
        pytest.param("a.md", 'no header\n- a\n- b', ("a", "", "no header\n- a\n- b"), ["no_type"], id="no frontmatter"),
        pytest.param("a.md", "- a\n- b", ("a", "", "- a\n- b"), ["no_type"], id="no frontmatter: no entries"),
        pytest.param("a.md", '---\nname: "n"\ntype: user\n---\n```\n- a', ("n", "user", "```\n- a"), [], id="quotes, and an open fence"),
        pytest.param("pinned/a.md", "---\nname: n\ntype: user\n---\nb", ("n", "user", "b"), [], id="pinned"),
        pytest.param("a.md", "", None, ["empty"], id="empty"),
        pytest.param("sub/MEMORY.md", "---\ntype: user\n---\n", None, [], id="an index"),
    ],
)
def test_files_of_every_kind(path: str, data: str, expected: tuple[str, str, str] | None, reasons: list[str]) -> None:
    contents = QwenCode().read(folder({path: data}), scope="project")
    assert [(m.name, m.type, m.body) for m in contents.memories] == ([expected] if expected else [])
    assert [problem.reason for problem in contents.problems] == reasons


@pytest.mark.parametrize(
    "id", ["no.md", "feedback/style.md", "feedback/style.md:2", "feedback/style.md:-1", "feedback/style.md:x", "one.md:0", "MEMORY.md", "feedback/style.md:00000000", ":0", ""]
)
def test_ids_that_name_nothing(id: str) -> None:
    store = folder({"feedback/style.md": several("- a\n- b\n"), "one.md": several("- a\n"), "MEMORY.md": "x"})
    with pytest.raises(NotFound):
        QwenCode().write(store, Change(remove=[id]), now=NOW)
    if id:
        with pytest.raises(NotFound):
            QwenCode().write(store, Change(put=[Memory(name="x", id=id)]), now=NOW)


def test_a_hostile_path_is_not_written() -> None:
    store = folder({"a\\b.md": several("x"), "nul.md": several("x")})
    for id in store:
        with pytest.raises(WrongUse, match="it is not written"):
            QwenCode().write(store, Change(remove=[id]), now=NOW)


def test_pinned_is_touched_only_by_name() -> None:
    store = folder({"pinned/a.md": several("Old", "name: n\ntype: user")})
    new = [Memory(name="n", type="pinned"), Memory(name="n", type="PRN")]
    assert QwenCode().write(store, Change(put=new), now=NOW).ids == ["n.md", "n-2.md"]
    (memory,) = QwenCode().read(store, scope="user").memories
    written = QwenCode().write(store, Change(put=[replace(memory, body="New")]), now=NOW)
    assert written.files["pinned/a.md"] == several("New", "name: n\ntype: user").encode()


def test_the_editions_index_is_the_products() -> None:
    store = folder({
        "feedback/b.md": '---\nname: "Quoted"\ndescription: |\n  long\ntype: feedback\n---\nb',
        "user/a.md": "---\ntitle: T\ntype: user\n---\r\n",
        "x.md": "---\nname: no type\n---\n",
        "y.md": "\ufeff---\ntype: user\n---\n",
        "z.md": "---\ntype: user\nno end",
    })  # fmt: skip
    written = QwenCode(edition="0.24").write(store, Change(put=[Memory(name="rel ease é", description="d", type="project", body="b")]), now=NOW)
    assert written.files["MEMORY.md"] == (
        "- [rel ease é](project/rel-ease-%C3%A9.md) — d\n- [T](user/a.md) — user\n- [\"Quoted\"](feedback/b.md) — |"
    ).encode()
    shown = QwenCode(edition="0.24").index((), after(store, written.files))
    assert shown.encode() == written.files["MEMORY.md"]
    assert QwenCode(edition="0.24").index((), store).startswith("- [T](user/a.md)")


def test_an_empty_change_and_a_change_of_nothing_write_nothing() -> None:
    store = folder({"feedback/style.md": several(BULLETS), "user/x.md": several("Prose\n")})
    assert QwenCode().write(store, Change(), now=NOW).files == {}
    assert QwenCode().write(store, Change(put=QwenCode().read(store, scope="user").memories), now=NOW).files == {}


def test_entries_that_change_places_need_no_names() -> None:
    store = folder({"feedback/style.md": "---\nname: Style\ntype: feedback\n---\n\n- b\n  Why: x\n- a\n"})
    first, second = QwenCode().read(store, scope="user").memories
    swapped = [replace(second, id=first.id), replace(first, id=second.id)]
    written = QwenCode().write(store, Change(put=swapped), now=NOW)
    assert written.files["feedback/style.md"] == b"---\nname: Style\ntype: feedback\n---\n\n- a\n- b\n  Why: x\n"


WORDS = st.text(st.characters(codec="utf-8"), max_size=20)
LINE = st.one_of(
    WORDS,
    st.sampled_from(["Why: x", "**How to apply:** y", "```", "~~~", "---", "# h", "\\Why: z", "- item", "* item", "-", "_No entries yet._", "", "  two", "\ttab", " one"]),
)  # fmt: skip
LINES = st.lists(LINE, max_size=5).map("\n".join)
TYPES = st.sampled_from(["user", "feedback", "project", "reference", "lesson", ""]) | st.text(st.characters(codec="utf-8"), max_size=5)
MEMORIES = st.builds(Memory, name=WORDS, description=WORDS, type=TYPES, body=LINES, why=LINES, how_to_apply=LINES)
CONTENT = ("name", "description", "type", "body", "why", "how_to_apply")


def content(memory: Memory) -> tuple[str, ...]:
    return tuple(getattr(memory, name) for name in CONTENT)


def settled(memory: Memory, placement: str) -> Memory:
    made = fields.settled(memory)
    made = replace(made, name=one_line(made.name), description=one_line(made.description), type=without_comment(one_line(made.type)))
    return qwen_sheet.for_list(made) if placement == "files" else made


@given(st.lists(MEMORIES, max_size=4), st.sampled_from(["folders", "files"]))
@settings(deadline=None)
def test_what_is_written_is_read_again(memories: list[Memory], placement: str) -> None:
    layout = QwenCode(placement=placement)
    written = layout.write({}, Change(put=memories), now=NOW)
    store = after({}, written.files)
    found = {m.id: content(m) for m in layout.read(store, scope="user").memories}
    assert found == {id: content(settled(m, placement)) for id, m in zip(written.ids, memories, strict=True)}
    assert layout.write(store, Change(put=layout.read(store, scope="user").memories), now=NOW).files == {}


@given(st.lists(MEMORIES, min_size=1, max_size=4), MEMORIES, st.integers(0, 3), st.sampled_from(["folders", "files"]))
@settings(deadline=None)
def test_what_is_changed_is_read_again_and_the_rest_stays(memories: list[Memory], new: Memory, which: int, placement: str) -> None:
    layout = QwenCode(placement=placement)
    store = after({}, layout.write({}, Change(put=memories), now=THEN).files, THEN)
    before = layout.read(store, scope="user").memories
    old = before[which % len(before)]
    new = settled(new, "files")
    written = layout.write(store, Change(put=[replace(new, id=old.id)]), now=NOW)
    found = {m.id: content(m) for m in layout.read(after(store, written.files), scope="user").memories}
    expected = content(replace(new, type=new.type or old.type))
    assert found[written.ids[0]][2:] == expected[2:]
    if old.name != new.name:
        assert found[written.ids[0]][0] == new.name
    assert sorted(text[3:] for id, text in found.items() if id != written.ids[0]) == sorted(content(m)[3:] for m in before if m.id != old.id)
    removed = layout.write(store, Change(remove=[old.id]), now=NOW + timedelta(days=1))
    rest = layout.read(after(store, removed.files), scope="user").memories
    assert sorted(content(m)[3:] for m in rest) == sorted(content(m)[3:] for m in before if m.id != old.id)


FOREIGN = st.lists(st.tuples(LINE, st.sampled_from(["\n", "\r\n", "\n\n"])), max_size=10).map(lambda parts: "".join(a + b for a, b in parts))


@given(FOREIGN, st.integers(0, 9), LINES)
@settings(deadline=None)
def test_in_any_file_one_memory_changes_alone(text: str, which: int, body: str) -> None:
    store = folder({"feedback/x.md": several(text)})
    before = QwenCode().read(store, scope="user").memories
    if not before:
        return
    number = which % len(before)
    new = qwen_sheet.for_list(fields.settled(replace(before[number], body=body)))
    written = QwenCode().write(store, Change(put=[new]), now=NOW)
    again = QwenCode().read(after(store, written.files), scope="user").memories
    assert [content(m)[3:] for m in again] == [content(new if i == number else m)[3:] for i, m in enumerate(before)]
    gone = QwenCode().write(store, Change(remove=[before[number].id]), now=NOW)
    left = QwenCode().read(after(store, gone.files), scope="user").memories
    assert [content(m)[3:] for m in left] == [content(m)[3:] for i, m in enumerate(before) if i != number]
