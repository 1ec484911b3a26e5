"""What mending makes of an index is what the client then shows, whole, and no memory is lost on the way."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from reverie.core import checkup, checkup_index, checkup_mending, product_index
from reverie.core.layout import File
from reverie.layouts.claude_code import ClaudeCode

from .test_checkup import CLEAN, NOW, TOKEN, index, many, memory

Files = Mapping[str, str | bytes]


def seen(files: Files) -> checkup.Look:
    folder = {
        path: File(text.encode() if isinstance(text, str) else text, NOW - timedelta(hours=1, seconds=number))
        for number, (path, text) in enumerate(files.items())
    }
    read = ClaudeCode(edition="2.1", own_index=False).read(folder, scope="project")
    return checkup.look(folder, read.memories, read.problems, now=datetime(2026, 11, 20, tzinfo=UTC))


def mended(files: Files) -> dict[str, str | bytes]:
    """The folder with all of its mends."""
    now = dict(files)
    for mender in checkup_mending.MENDERS:
        for mend in mender(seen(now)):
            now |= mend.files
    return now


def index_of(files: Files) -> str:
    text = files["MEMORY.md"]
    return text.decode() if isinstance(text, bytes) else text


def left(files: Files) -> list[str]:
    """What a checkup of the index still finds."""
    return [each.check for each in checkup.run(checkup_index.CHECKS, seen(files))]


def test_a_folder_that_is_well_is_left_alone() -> None:
    assert mended(CLEAN) == CLEAN
    once = mended({**CLEAN, **index("- [Gone](gone.md) — x")})
    assert mended(once) == once


def test_only_the_lines_that_are_wrong_change() -> None:
    files: Files = {**CLEAN, "MEMORY.md": f"# Ours\n\n- [Gone](gone.md) — x\n{CLEAN['MEMORY.md']}- [Hyphens](feedback_hyphens.md) — again\n"}
    assert index_of(mended(files)) == "# Ours\n\n" + str(CLEAN["MEMORY.md"])


def test_a_line_that_says_something_else_is_rendered_from_its_file() -> None:
    files = {**CLEAN, "MEMORY.md": CLEAN["MEMORY.md"].replace("no hyphens in prose", "deploy on Friday mornings")}
    assert "- [hyphens](feedback_hyphens.md) — Write prose without hyphens\n" in index_of(mended(files))
    assert left(mended(files)) == []


def test_memories_without_a_line_get_one() -> None:
    files = {**CLEAN, "user_role.md": memory("role", "Works as a data engineer", "Data engineer.", "user")}
    assert index_of(mended(files)) == str(CLEAN["MEMORY.md"]) + "- [role](user_role.md) — Works as a data engineer\n"


def test_a_missing_index_is_what_the_client_would_make() -> None:
    files = {path: text for path, text in CLEAN.items() if path != "MEMORY.md"}
    assert left(mended(files)) == []
    assert index_of(mended(files)).count("\n") == 2


def test_windows_line_ends_stay() -> None:
    files: Files = {**CLEAN, "MEMORY.md": index_of({**CLEAN, **index("- [Gone](gone.md) — x")}).replace("\n", "\r\n").encode()}
    assert index_of(mended(files)) == str(CLEAN["MEMORY.md"]).replace("\n", "\r\n")


def test_text_that_stood_in_the_index_moves_and_is_not_lost() -> None:
    lines = [f"Always run check number {n} before a release." for n in range(6)]
    after = mended({**CLEAN, **index("", "## Releases", *lines)})
    assert left(after) == []
    assert "- [Notes from the index](index_notes.md) — text that stood in the index itself\n" in index_of(after)
    body = after["index_notes.md"].decode()     # type: ignore[union-attr]
    assert all(line in body for line in lines) and "## Releases" in body


def check_whole(before: Files, after: Files) -> None:
    text = index_of(after)
    assert product_index.claude_loaded(text).whole
    assert product_index.REBUILT.fits(text.strip())
    assert all(len(line) <= 200 for line in text.split("\n"))
    assert set(before) <= set(after)
    assert left(after) == []            # no orphan among it: every memory is reached


def test_an_index_over_the_caps_is_whole_again_and_leads_to_every_memory() -> None:
    for files in (many(201), many(190, width=130), many(1000)):
        check_whole(files, mended(files))


def test_rules_and_the_person_stay_in_sight_longest() -> None:
    files = many(300)
    files["feedback_rule.md"] = memory("rule", "Never force-push to main", "Never.")
    files["MEMORY.md"] = index_of(files) + "- [Rule](feedback_rule.md) — never force-push to main\n"
    after = mended(files)
    assert "- [Rule](feedback_rule.md)" in index_of(after)
    assert "- [More: project](index_project.md) — " in index_of(after)


def test_credentials_are_masked_wherever_they_stand() -> None:
    files = {**CLEAN, **index(f"- [Hyphens](feedback_hyphens.md) — the token is {TOKEN}")}
    files["feedback_hyphens.md"] = CLEAN["feedback_hyphens.md"] + f"The token is {TOKEN}\n"
    after = mended(files)
    assert not any(TOKEN.encode() in (text if isinstance(text, bytes) else text.encode()) for text in after.values())
    assert after["feedback_hyphens.md"] == (CLEAN["feedback_hyphens.md"] + "The token is [REDACTED_SECRET]\n").encode()


def test_marks_and_fences_are_set_right_and_nothing_else() -> None:
    text = CLEAN["feedback_hyphens.md"]
    assert mended({**CLEAN, "feedback_hyphens.md": "\ufeff" + text})["feedback_hyphens.md"] == text.encode()
    after = mended({**CLEAN, "feedback_hyphens.md": text.replace("---\n\nNo", "\nNo")})
    assert after["feedback_hyphens.md"] == text.encode()


line = st.one_of(
    st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\n\r"), max_size=60),
    st.sampled_from(["# Heading", "", "<!-- note -->", "- plain text, no pointer", "---", "- [x](", "- [a](b.md", "```", "  - more"]),
    st.builds("- [{}]({}) — {}".format, st.sampled_from(["Case 1", "", "x [y]"]),
              st.sampled_from(["project_001.md", "./project_002.md", "gone.md", "https://x.example", "../up.md", "%zz.md"]),
              st.text("abc 12", max_size=260)),
)


@given(st.lists(line, max_size=40), st.sampled_from(["\n", "\r\n"]))
def test_any_index_at_all_becomes_one_that_is_well(lines: list[str], end: str) -> None:
    files = {**many(4), "MEMORY.md": end.join(lines).encode("utf-8", "replace")}
    after = mended(files)
    assert set(files) <= set(after)
    assert [check for check in left(after) if check != "index_drift"] == []
    assert mended(after) == after
