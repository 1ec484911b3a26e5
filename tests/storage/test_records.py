"""What is known beside the memories."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Protocol

import pytest

from reverie.core.events import Cause, How, SessionRecord, Tombstone, Usage, Use
from reverie.core.proposal import Drop, Reason
from reverie.core.session import Cursor
from reverie.storage.files import Stamp, stamp
from reverie.storage.home import Home


class MakeHome(Protocol):
    def __call__(self, root: Path | None = None, **options: Any) -> Home: ...


def test_a_home_without_a_database_knows_nothing(home: Home) -> None:
    records = home.records
    assert records.cursor("t") is None
    assert not records.unchanged("t", Stamp(1, 2, 3))
    assert records.session("codex", "s") is None
    assert records.place("/p") is None
    assert records.frozen("s", "reverie") is None
    assert (records.sessions(), records.drops(), records.tombstones(), records.usage()) == ([], [], [], {})
    assert not Path(home.root).exists()


def test_a_transcript_is_unchanged_until_its_stamp_changes(home: Home, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(b"{}\n")
    cursor = Cursor(position=3, mark="m", context=1, messages=2)
    home.records.set_cursor("t", cursor, stamp(str(path)))
    assert home.records.cursor("t") == cursor
    assert home.records.unchanged("t", stamp(str(path)))
    path.write_bytes(b"{}\n{}\n")
    assert not home.records.unchanged("t", stamp(str(path)))
    path.unlink()
    assert not home.records.unchanged("t", stamp(str(path)))


def test_a_cursor_without_a_stamp_is_never_unchanged(home: Home) -> None:
    home.records.set_cursor("t", Cursor(position=1))
    assert not home.records.unchanged("t", Stamp(0, 0, 0))
    assert not home.records.unchanged("t", None)


def test_readings_of_one_session_add_up_until_it_is_read_anew(home: Home) -> None:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    first = SessionRecord(host="codex", session="s", outcome="succeeded", path="/t", cwd="/p", project="k", messages=4,
                          proposals=2, kept=1, drops={"question": 1}, skipped={"reminder": 3}, last_at=at)
    home.records.record_session(first)
    home.records.record_session(SessionRecord(
        host="codex", session="s", outcome="succeeded_no_output", path="/t", messages=1, drops={"question": 1, "secret": 2}))
    known = home.records.session("codex", "s")
    assert known is not None
    assert (known.outcome, known.messages, known.proposals, known.kept) == ("succeeded_no_output", 5, 2, 1)
    assert (known.drops, known.skipped, known.last_at) == ({"question": 2, "secret": 2}, {"reminder": 3}, at)
    home.records.record_session(SessionRecord(host="codex", session="s", outcome="failed", messages=7, whole=True,
                                              detail="the disk is full"))
    known = home.records.session("codex", "s")
    assert known is not None
    assert (known.messages, known.drops, known.detail) == (7, {}, "the disk is full")
    assert home.records.session("kimi-code", "s") is None


def test_sessions_are_listed_by_their_last_reading_and_counted(home: Home) -> None:
    for host, session, outcome in [("codex", "1", "failed"), ("codex", "2", "failed"), ("kimi-code", "1", "unreadable"),
                                   ("codex", "1", "succeeded")]:
        home.records.record_session(SessionRecord(host=host, session=session, outcome=outcome))
    assert [(record.host, record.session) for record in home.records.sessions()] == [
        ("codex", "1"), ("kimi-code", "1"), ("codex", "2")]
    assert [record.session for record in home.records.sessions(host="codex", outcome="failed")] == ["2"]
    assert len(home.records.sessions(limit=1)) == 1
    assert home.records.session_counts() == {"codex": {"failed": 1, "succeeded": 1}, "kimi-code": {"unreadable": 1}}


def test_refusals_are_kept_once_and_found_by_their_words(home: Home) -> None:
    def refuse(run: str, *drops: Drop) -> None:
        home.journal.commit([], cause=Cause(operation="learn", actor="rules", run=run, host="codex", session="s"),
                            drops=drops)

    secret = Drop(reason=Reason.SECRET, quote="the key is […]", message="m1")
    refuse("learn-1", secret, Drop(reason=Reason.QUESTION, quote="Why 100% tabs?", message="m2"))
    refuse("learn-2", secret)
    assert [(drop.reason, drop.run) for drop in home.records.drops()] == [
        ("question", "learn-1"), ("secret", "learn-2")]
    assert [drop.message for drop in home.records.drops(words="100% TABS")] == ["m2"]
    assert [drop.message for drop in home.records.drops(run="learn-2")] == ["m1"]
    assert home.records.drops(words="%") != []
    assert home.records.drops(words="_") == []
    assert home.records.drops(session="other") == []


def test_a_place_keeps_its_identity_when_it_is_gone(home: Home) -> None:
    home.records.remember_place("/p", "git:1")
    home.records.remember_place("/p", "git:2")
    home.records.remember_place("/q", "dir:q")
    assert home.records.place("/p") == "git:2"
    assert home.records.places() == {"/p": "git:2", "/q": "dir:q"}


def test_uses_are_counted_and_a_clock_that_jumps_back_does_not_age_them(home: Home, clock: Any) -> None:
    home.records.credit([Use(memory="a"), Use(memory="b")])
    last = clock.now
    clock.now -= timedelta(days=10)
    home.records.credit([Use(memory="a")])
    home.records.credit([])
    assert home.records.usage(["a", "none"]) == {"a": Usage(uses=2, last_used=last)}
    assert home.records.usage().keys() == {"a", "b"}


def test_what_one_message_shows_counts_once_and_is_kept_with_its_sign(home: Home, clock: Any) -> None:
    cited = Use(memory="a", how=How.CITED, host="codex", session="s", message="m1")
    home.records.credit([cited, cited])
    later = clock.now + timedelta(hours=1)
    home.records.credit([cited, replace(cited, how=How.READ), replace(cited, message="m2", at=later)])
    assert home.records.usage(["a"])["a"] == Usage(uses=3, last_used=later)
    assert [(use.how, use.message, use.times) for use in home.records.uses("a")] == [
        (How.CITED, "m2", 1), (How.READ, "m1", 1), (How.CITED, "m1", 1),
    ]
    assert {how: usage.uses for how, usage in home.records.uses_by_kind("codex").items()} == {"cited": 2, "read": 1}
    assert home.records.uses_by_kind("claude-code") == {}


def test_uses_become_true_with_the_change_they_belong_to(home: Home) -> None:
    use = Use(memory="a", how=How.APPLIED, host="codex", session="s", message="m")
    home.journal.commit([], cause=Cause(operation="learn", actor="rules"), uses=[use])
    home.journal.commit([], cause=Cause(operation="learn", actor="rules"), uses=[use])
    assert home.records.usage()["a"].uses == 1


@pytest.mark.parametrize(
    ("project", "words"),
    [(None, ["everywhere", "in p", "in q"]), ("p", ["everywhere", "in p"]), ("", ["everywhere"])],
    ids=["all", "one-project", "the-user-scope"],
)
def test_what_was_forgotten_holds_where_it_was_forgotten(home: Home, project: str | None, words: list[str]) -> None:
    home.journal.commit([], cause=Cause(operation="forget", actor="user"), tombstones=[
        Tombstone(fingerprint="1", words="everywhere"),
        Tombstone(fingerprint="2", words="in p", project="p"),
        Tombstone(fingerprint="3", words="in q", project="q", memory="stores/q/a.md"),
    ])
    assert [stone.words for stone in home.records.tombstones(project)] == words


@pytest.mark.parametrize("first", ["# Memory\n", ""], ids=["text", "nothing"])
def test_the_first_writer_of_a_block_wins(make_home: MakeHome, first: str) -> None:
    one, other = make_home(), make_home()
    assert one.records.freeze("s", "reverie", first) == first
    assert other.records.freeze("s", "reverie", "later") == first
    assert other.records.frozen("s", "reverie") == first
    assert other.records.freeze("s", "codex", "another design") == "another design"
    assert other.records.frozen("t", "reverie") is None


def test_old_blocks_are_let_go(home: Home, clock: Any) -> None:
    home.records.freeze("old", "reverie", "x")
    clock.now += timedelta(days=401)
    home.records.freeze("new", "reverie", "x")
    home.journal.prune()
    assert home.records.frozen("old", "reverie") is None
    assert home.records.frozen("new", "reverie") == "x"
