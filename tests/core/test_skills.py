"""What a valid skill is (spec/codex §11.4)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.skills import name_of, problems

PATH = "skills/release-notes/SKILL.md"


def skill(name: str = "release-notes", description: str = "Write the notes of a release.", body: str = "1. Read the log.") -> bytes:
    return f"---\nname: {name}\ndescription: {description}\n---\n{body}\n".encode()


def test_a_valid_one() -> None:
    assert problems(PATH, skill()) == ()
    assert problems(PATH, skill(body="\n".join(["x"] * 499))) == ()


@pytest.mark.parametrize(
    ("path", "data", "says"),
    [
        (PATH, b"no frontmatter", "no whole frontmatter"),
        (PATH, b"---\nname: release-notes\n", "no whole frontmatter"),
        (PATH, skill(name="Release Notes"), "lower-case"),
        (PATH, skill(name="a" * 65), "lower-case"),
        (PATH, skill(name="release--notes"), "lower-case"),
        (PATH, skill(name="other"), "its folder"),
        (PATH, skill(description=""), "no description"),
        (PATH, skill(description="x" * 1_025), "1025 characters"),
        (PATH, skill(body=""), "no procedure"),
        (PATH, skill(body="\n".join(["x"] * 500)), "500 lines"),
        (PATH, b"\xff", "not UTF-8"),
        ("skills/SKILL.md", skill(), "is not skills/"),
        ("skills/../x/SKILL.md", skill(), "is not skills/"),
        ("skills/a/b/SKILL.md", skill(), "is not skills/"),
    ],
)
def test_faults_are_said(path: str, data: bytes, says: str) -> None:
    assert any(says in problem for problem in problems(path, data))


@pytest.mark.parametrize(
    ("path", "name"),
    [
        (PATH, "release-notes"), ("skills/a/scripts/run.sh", "a"), ("skills/a/references/x/y.md", "a"), ("skills/a/run.sh", ""),
        ("skills/a/scripts/../../x", ""), ("skills/a/.git/config", ""), ("MEMORY.md", ""), ("skills/a", ""), ("skills//SKILL.md", ""),
    ],
)
def test_whose_file_a_path_is(path: str, name: str) -> None:
    assert name_of(path) == name


@given(st.binary(max_size=400))
def test_any_bytes_are_safe(data: bytes) -> None:
    assert isinstance(problems(PATH, data), tuple)
