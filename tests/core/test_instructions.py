"""The layer of instruction files that people write (study, Codex §1; spec/codex §21)."""

from __future__ import annotations

from collections.abc import Mapping

from reverie.core.instructions import LIMIT_BYTES, Instructions, collect, render


def told(files: Mapping[str, str], directories: list[str], *, limit: int = LIMIT_BYTES, fallbacks: tuple[str, ...] = ()) -> Instructions:
    return collect(
        "/u/.codex", directories, lambda path: files[path].encode() if path in files else None, fallbacks=fallbacks, limit=limit
    )


def paths(found: Instructions) -> list[str]:
    return [document.path for document in found.project]


def test_one_file_a_directory_and_the_override_first() -> None:
    found = told(
        {"/p/AGENTS.md": "root", "/p/AGENTS.override.md": "override", "/p/a/AGENTS.md": "deep", "/p/a/TEAM.md": "other"},
        ["/p", "/p/a"], fallbacks=("TEAM.md",),
    )
    assert paths(found) == ["/p/AGENTS.override.md", "/p/a/AGENTS.md"]
    assert found.hidden == ("/p/AGENTS.md", "/p/a/TEAM.md")


def test_fallback_names_in_the_order_given() -> None:
    files = {"/p/B.md": "b", "/p/A.md": "a"}
    assert paths(told(files, ["/p"], fallbacks=("B.md", "A.md"))) == ["/p/B.md"]
    assert paths(told(files, ["/p"])) == []


def test_a_blank_override_hides_in_a_project_but_not_the_users() -> None:
    found = told(
        {"/p/AGENTS.override.md": " \n", "/p/AGENTS.md": "root", "/u/.codex/AGENTS.override.md": "\n", "/u/.codex/AGENTS.md": "mine"}, ["/p"]
    )
    assert paths(found) == []
    assert found.user is not None
    assert found.user.text == "mine"


def test_files_go_from_the_root_down_and_the_users_first() -> None:
    found = told({"/u/.codex/AGENTS.md": "mine\n", "/p/AGENTS.md": "root\n", "/p/a/b/AGENTS.md": "deep\n"}, ["/p", "/p/a", "/p/a/b"])
    assert render(found, "/p/a/b") == (
        "# AGENTS.md instructions for /p/a/b\n\n<INSTRUCTIONS>\nmine\n\n--- project-doc ---\n\nroot\n\ndeep\n</INSTRUCTIONS>"
    )


def test_the_deepest_file_is_cut_first_and_it_is_said() -> None:
    found = told({"/p/AGENTS.md": "r" * 30_000, "/p/a/AGENTS.md": "d" * 5_000, "/p/a/b/AGENTS.md": "x"}, ["/p", "/p/a", "/p/a/b"])
    assert [(document.kept, document.left_out) for document in found.project] == [(30_000, 0), (2_768, 2_232), (0, 1)]
    text = render(found, "/p/a/b")
    assert "2232 of 5000 bytes of /p/a/AGENTS.md left out" in text
    assert "1 of 1 bytes of /p/a/b/AGENTS.md left out" in text


def test_exactly_the_limit_is_whole_and_one_byte_more_is_not() -> None:
    assert not told({"/p/AGENTS.md": "r" * LIMIT_BYTES}, ["/p"]).cut
    assert told({"/p/AGENTS.md": "r" * (LIMIT_BYTES + 1)}, ["/p"]).cut


def test_bytes_are_counted_and_no_character_is_split() -> None:
    found = told({"/p/AGENTS.md": "日本語"}, ["/p"], limit=8)
    assert found.project[0].text == "日本"
    assert found.project[0].left_out == 3


def test_the_users_file_is_outside_the_limit() -> None:
    found = told({"/u/.codex/AGENTS.md": "m" * 100_000, "/p/AGENTS.md": "r" * LIMIT_BYTES}, ["/p"])
    assert not found.cut
    assert found.user is not None
    assert len(found.user.text) == 100_000


def test_limit_zero_turns_the_projects_off() -> None:
    assert render(told({"/p/AGENTS.md": "root"}, ["/p"], limit=0), "/p") == ""


def test_nothing_is_nothing() -> None:
    assert render(told({}, ["/p"]), "/p") == ""
