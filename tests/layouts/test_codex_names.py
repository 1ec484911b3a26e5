"""Names of sessions' files, exactly as the product makes them, and of memories."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from reverie.core.memory import Memory, Source
from reverie.layouts import codex_names as names

NOW = datetime(2026, 12, 1, 9, 30, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("thread", "digits"),
    [
        ("01a22fb8-7e9a-7842-8864-8cc9580124cb", "V7hF"),
        ("01a22fbb-ceb7-7692-8ce7-05fa56fbd754", "Lgmo"),
        ("761503ba-828e-43be-81f2-0ae698302628", "NlYk"),
        ("00000000-0000-7000-8000-000000000000", "0000"),
        ("00000000-0000-7000-8000-00000000003D", "000Z"),
    ],
)
def test_four_digits_of_a_thread(thread: str, digits: str) -> None:
    assert names.hash4(thread) == digits


@pytest.mark.parametrize("session", ["ses_5f1c", "日本", "x" * 500, "", "01a22fb8-7e9a-7842-8864-8cc9580124c"])
def test_other_hosts_sessions_have_four_digits_too(session: str) -> None:
    assert names.MARK.fullmatch(f"{names.hash4(session)}#abc")


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("Did Stuff!!", "did_stuff"),
        ("Say Hello! a very-long story", "say_hello__a_very_long_story"),
        ("Ünïcode--Slug__x", "_n_code__slug__x"),
        ("", ""),
        ("日本語", ""),
        ("a" * 59 + "!!b", "a" * 59),
        ("İx", "_x"),
        ("../../etc/passwd", "______etc_passwd"),
    ],
)
def test_slug(text: str, slug: str) -> None:
    assert names.slugged(text) == slug


@pytest.mark.parametrize(
    ("thread", "slug", "file"),
    [
        pytest.param("01a22fb8-7e9a-7842-8864-8cc9580124cb", "Weekly pivot", "2026-12-01T03-49-09-V7hF-weekly_pivot.md", id="its own time"),
        pytest.param("761503ba-828e-43be-81f2-0ae698302628", "", "2026-12-01T09-30-05-NlYk.md", id="version 4 has none"),
        pytest.param("ffffffff-ffff-7fff-8fff-ffffffffffff", "!!", f"2026-12-01T09-30-05-{names.hash4('ffffffff-ffff-7fff-8fff-ffffffffffff')}.md", id="beyond all years"),
    ],
)
def test_the_file_of_a_session(thread: str, slug: str, file: str) -> None:
    assert names.summary_file(thread, NOW, slug) == file
    assert names.is_summary_file(file)


@pytest.mark.parametrize("name", ["", ".md", "../x.md", "a/b.md", "a\\b.md", ".x.md", "x.txt", "C:x.md", "a b.md", "x" * 300 + ".md", "x\0.md\n"])
def test_what_is_no_name_of_a_file_in_the_folder(name: str) -> None:
    assert not names.is_summary_file(name)


def test_mentioned_files() -> None:
    text = "- a.md (cwd=/x) [rollout_summaries/b-1_2.md](rollout_summaries/c.md:3-4), d.mdx e.md;"
    assert names.mentioned_files(text) == {"a.md", "b-1_2.md", "c.md", "d.md", "e.md"}


def test_a_session_is_a_thread_and_what_was_said_in_none_is_kept_by_day_and_project() -> None:
    memory = Memory(name="x", project="p-12345678")
    assert names.thread_of(replace(memory, source=Source(session="ses_1")), NOW) == "ses_1"
    loose = names.thread_of(memory, NOW)
    assert loose.startswith("remembered-2026-12-01-")
    assert names.thread_of(replace(memory, project="q-12345678"), NOW) != loose
    assert names.thread_of(replace(memory, name="y"), NOW) == loose


def test_a_name_is_made_of_the_words_and_never_given_twice() -> None:
    memory = Memory(name="x", body="y")
    first = names.mark_of(memory, "s", ())
    assert names.mark_of(memory, "s", ()) == first
    taken: set[str] = set()
    for _ in range(500):
        taken.add(names.mark_of(memory, "s", taken))
    assert len(taken) == 500
    assert all(names.MARK.fullmatch(mark) for mark in taken)
