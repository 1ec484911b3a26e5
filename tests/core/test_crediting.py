"""Which memories were of use, from what a transcript shows (study, Codex §6, and the risk it names)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from reverie.core import crediting
from reverie.core.crediting import Crediting, Shelved, spans_of
from reverie.core.events import How
from reverie.core.memory import Memory, Source, Status
from reverie.core.session import Message, Voice

NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)
OLD = NOW - timedelta(days=9)


def shelved(id: str, body: str, *, session: str = "s1", path: str = "", at: datetime = OLD, status: Status = Status.ACTIVE) -> Shelved:
    return Shelved(id=id, path=path, memory=Memory(name=id, body=body, source=Source(session=session), modified_at=at, status=status))


def said(voice: Voice, text: str, *, cites: tuple[str, ...] = (), tool: str = "", failed: bool = False) -> Message:
    return Message(id=f"{voice}:{text[:20]}", voice=voice, text=text, at=NOW, cites=cites, tool=tool, failed=failed)


def seen(shelf: list[Shelved], *messages: Message, fresh: bool = True) -> list[tuple[str, How]]:
    watch = Crediting(
        shelf, "codex", "now", paths=lambda m: [m.tool.removeprefix("read ")] if m.tool.startswith("read ") else [],
        command=lambda m: m.tool.removeprefix("run ") if m.tool.startswith("run ") else "",
    )
    for message in messages:
        watch.see(message, fresh=fresh)
    return [(use.memory, use.how) for use in watch.uses()]


CHECK = "Run the checks with `make check-all`, never plain pytest."


def test_a_citation_credits_the_memories_of_its_session() -> None:
    shelf = [shelved("a", "x", session="s1"), shelved("b", "y", session="s1"), shelved("c", "z", session="s2")]
    assert seen(shelf, said(Voice.ASSISTANT, "Five.", cites=("s1", "unknown"))) == [("a", How.CITED), ("b", How.CITED)]


def test_a_read_credits_the_memory_of_that_file() -> None:
    shelf = [shelved("a", "x", path="/m/a.md"), shelved("b", "y", path="/m/b.md")]
    assert seen(shelf, said(Voice.TOOL, "…", tool="read /m/b.md")) == [("b", How.READ)]
    assert seen(shelf, said(Voice.TOOL, "no such file", tool="read /m/b.md", failed=True)) == []
    assert seen([shelved("a", "x", path="C:\\m\\a.md")], said(Voice.TOOL, "…", tool="read C:/m/a.md")) == [("a", How.READ)]


def test_what_only_a_memory_says_and_the_agent_does_was_applied() -> None:
    assert seen([shelved("a", CHECK)], said(Voice.PERSON, "please check"), said(Voice.TOOL, "ok", tool="run make check-all -j2")) == [
        ("a", How.APPLIED)
    ]
    assert seen([shelved("a", CHECK)], said(Voice.ASSISTANT, "I ran `make check-all`."), said(Voice.ASSISTANT, "Again: make check-all")) == [
        ("a", How.APPLIED)
    ]


@pytest.mark.parametrize(
    "before",
    [said(Voice.PERSON, "run make check-all please"), said(Voice.TOOL, "Makefile: make check-all", tool="read /p/README.md")],
    ids=["the person said it", "a tool printed it"],
)
def test_what_the_agent_has_from_elsewhere_proves_nothing(before: Message) -> None:
    assert seen([shelved("a", CHECK)], before, said(Voice.ASSISTANT, "I run make check-all")) == []


def test_what_two_memories_say_what_is_younger_and_what_came_from_here_proves_nothing() -> None:
    answer = said(Voice.ASSISTANT, "make check-all")
    assert seen([shelved("a", CHECK), shelved("b", CHECK)], answer) == []
    assert seen([shelved("a", CHECK, at=NOW + timedelta(hours=1))], answer) == []
    assert seen([shelved("a", CHECK, session="now")], answer) == []
    assert seen([shelved("a", CHECK, status=Status.QUARANTINED)], answer) == []


def test_messages_of_an_earlier_reading_are_not_credited_again() -> None:
    assert seen([shelved("a", CHECK)], said(Voice.ASSISTANT, "make check-all", cites=("s1",)), fresh=False) == []


@pytest.mark.parametrize(
    ("body", "spans"),
    [
        (CHECK, ["make check-all"]),
        ("Staging is at qa2.example.net:9443, see https://wiki.example.net/staging.", ["qa2.example.net:9443", "https://wiki.example.net/staging"]),
        ("Tickets are under HRV-2041; the loader is src/loader/main.py and calls load_calendar.", ["HRV-2041", "src/loader/main.py", "load_calendar"]),
        ("Use `git status` and `pytest -q` and `npm run test`.", []),
        ("我们用 `pnpm harvest` 部署。", ["pnpm harvest"]),
        ("Prefer short answers.", []),
    ],
)
def test_by_which_words_a_memory_is_known_again(body: str, spans: list[str]) -> None:
    assert list(spans_of(Memory(name="x", body=body))) == spans


def test_it_is_said_when_citations_stop() -> None:
    assert not crediting.stopped(cited=2, sessions_since=500)
    assert not crediting.stopped(cited=3, sessions_since=19)
    assert crediting.stopped(cited=3, sessions_since=20)
