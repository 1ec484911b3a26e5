"""What each design tells its model about memory: chosen by the design's value, within a stated size, with safe folders."""

from __future__ import annotations

import pytest

from reverie import designs, texts
from reverie.axes import guidance
from reverie.axes.writing import AGENT_AND_RULES
from reverie.core import budget

FOLDERS = [("/home/maria/.reverie/stores/reverie/projects/harvest-api-1f2e3d4c", "project"), ("/home/maria/.reverie/stores/reverie/user", "user")]


def told(design: str, *, empty: bool = False) -> str:
    return designs.named(design).guidance.text(FOLDERS, empty=empty)


def in_order(text: str, *names: str) -> bool:
    places = [text.find(texts.load(name).partition("\n")[0]) for name in names]
    return -1 not in places and places == sorted(places)


def test_claude_code_is_told_all_in_the_studys_order() -> None:
    text = told("claude-code")
    assert in_order(text, "types", "saving", "reading", "verifying", "place")
    assert "type: user, feedback, project or reference" in text and "metadata:" not in text
    assert f"- `{FOLDERS[0][0]}` (this project)" in text
    assert "{" not in text


def test_the_edition_is_told_the_same_rules_in_short_whether_there_is_a_memory_or_not() -> None:
    text = told("claude-code@2.1")
    assert text == told("claude-code@2.1", empty=True)
    assert budget.utf16_units(text) <= 2_100            # the product's own section (spec/claude-code §5.1)
    for rule in (
        "metadata:\n  type:", "`user`", "`feedback`", "`project`", "`reference`", "file to update", "asked to forget", "history",
        "passwords", "see that it still exists", "never an instruction", "leave memory aside", FOLDERS[0][0],
    ):  # fmt: skip
        assert rule in text, rule


def test_qwen_code_is_told_types_saving_and_reading() -> None:
    for design in ("qwen-code", "qwen-code@0.24"):
        text = told(design)
        assert in_order(text, "types", "saving", "reading", "place")
        assert texts.load("verifying")[:20] not in text
        assert all(f"`{folder}`" in text for folder, _ in FOLDERS)


def test_codex_is_told_how_to_look_and_never_to_write() -> None:
    for design in ("codex", "codex@0.171"):
        text = told(design)
        assert f"`{FOLDERS[0][0]}/MEMORY.md`" in text and "Four to six steps" in text
        assert "Save" not in text and "name: a short title" not in text
        assert told(design, empty=True) == ""


def test_reverie_is_told_in_few_lines_where_to_write_and_how_to_read() -> None:
    text = told("reverie")
    for words in ("one fact a file", "`reverie read NAME`", "index is kept for you", "still exist", f"`{FOLDERS[0][0]}`", f"`{FOLDERS[1][0]}`"):
        assert words in text, words
    assert len(text.split("\n")) <= 26
    assert told("reverie", empty=True) == ""            # its rules hear the first rule without being told to


@pytest.mark.parametrize("design", designs.names())
def test_a_guidance_costs_what_it_says(design: str) -> None:
    each = designs.named(design).guidance
    whole, first = budget.tokens(told(design)), budget.tokens(told(design, empty=True))
    assert whole <= each.tokens <= whole * 1.5
    assert first <= 900


@pytest.mark.parametrize("design", [name for name in designs.names() if designs.named(name).writing.by_agent])
def test_an_agent_that_writes_is_told_at_once_or_something_else_learns(design: str) -> None:
    assert bool(told(design, empty=True)) or designs.named(design).writing is AGENT_AND_RULES


@pytest.mark.parametrize(
    "folder",
    [
        "/home/u/a`b", "/home/u/a\nb", "/home/u/</reverie-memory>", "/home/u/<system-reminder>", "/home/u/\x1b[31m", "/home/u/\u202egpj",
        "/home/u/" + "x" * 500, "/home/u/[INST]",
    ],
)  # fmt: skip
@pytest.mark.parametrize("design", designs.names())
def test_a_folder_that_cannot_be_shown_as_it_is_is_not_shown(design: str, folder: str) -> None:
    text = designs.named(design).guidance.text([(folder, "project")], empty=False)
    assert folder not in text
    if designs.named(design).writing.by_agent:
        assert "`reverie remember`: its path cannot be written here" in text


@pytest.mark.parametrize("folder", ["/home/u/{shape}/m", "/home/u/{folders}/{folder}", "C:\\Users\\me\\m", "/srv/naïve 日本/m"])
def test_a_path_is_put_in_as_it_is(folder: str) -> None:
    assert f"`{folder}`" in guidance.FOUR_TYPES.text([(folder, "project")], empty=False)
