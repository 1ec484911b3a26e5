"""When it is time to dream, who holds the lock, what may not be done, and when too much would go."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from reverie.core import dream
from reverie.core.dream import Act, Consolidation, Last, Skip, Step
from reverie.core.layout import Change
from reverie.core.memory import By, Memory, Source, Status

NOW = datetime(2026, 11, 5, 12, 0, tzinfo=UTC)


def hours(number: float) -> datetime:
    return NOW - timedelta(hours=number)


def due(
    *, enabled: bool = True, session: str = "s9", last: Last | None = None, scanned_at: datetime | None = None, sessions: int = 5,
    held: bool = False, running: bool = False,
) -> Skip | None:
    return dream.due(
        enabled=enabled, session=session, last=last or Last(), now=NOW, scanned_at=scanned_at, sessions=lambda since: sessions,
        held=lambda: held, running=lambda: running,
    )


# ── gates: study, Qwen Code §6; spec/qwen-code §11.1; spec/claude-code §8 ────────────────────────────────────────────


@pytest.mark.parametrize(
    ("last_hours", "skip"),
    [
        (None, None),
        (0, Skip.MIN_HOURS),
        (23.99, Skip.MIN_HOURS),
        (24, None),
        (48, None),
        (-1, Skip.MIN_HOURS),
        (-24, None),
        (-24 * 365 * 70, None),
    ],
    ids=["never", "just-now", "almost-a-day", "a-day", "two-days", "a-clock-that-went-back", "a-day-ahead", "a-clock-wrong-by-years"],
)
def test_a_day_lies_between_two_dreams(last_hours: float | None, skip: Skip | None) -> None:
    assert due(last=Last(at=None if last_hours is None else hours(last_hours))) == skip


@pytest.mark.parametrize(("sessions", "skip"), [(0, Skip.MIN_SESSIONS), (4, Skip.MIN_SESSIONS), (5, None), (6, None)])
def test_five_sessions_lie_between_two_dreams(sessions: int, skip: Skip | None) -> None:
    assert due(sessions=sessions) == skip


@pytest.mark.parametrize(
    ("minutes", "skip"), [(0, Skip.SCAN_THROTTLED), (9.9, Skip.SCAN_THROTTLED), (10, None), (60, None), (-3, Skip.SCAN_THROTTLED)]
)
def test_sessions_are_not_counted_again_within_ten_minutes(minutes: float, skip: Skip | None) -> None:
    assert due(scanned_at=NOW - timedelta(minutes=minutes)) == skip


def test_the_first_gate_that_is_closed_gives_the_reason() -> None:
    """The order of spec/qwen-code §11.1: opening them one by one names them all."""
    closed: dict[str, Any] = {
        "enabled": False, "session": "s1", "last": Last(at=hours(1), session="s1"), "scanned_at": NOW, "sessions": 0, "held": True,
        "running": True,
    }
    opened: list[dict[str, Any]] = [
        {"enabled": True}, {"session": "s9"}, {"last": Last(at=hours(30), session="s1")}, {"scanned_at": None}, {"sessions": 5},
        {"held": False}, {"running": False},
    ]
    found = [due(**closed)]
    for change in opened:
        closed |= change
        found.append(due(**closed))
    assert found == [
        Skip.DISABLED, Skip.SAME_SESSION, Skip.MIN_HOURS, Skip.SCAN_THROTTLED, Skip.MIN_SESSIONS, Skip.LOCKED, Skip.RUNNING, None
    ]


def test_sessions_are_counted_only_when_all_before_agrees_and_from_the_last_dream() -> None:
    asked: list[datetime | None] = []

    def count(since: datetime | None) -> int:
        asked.append(since)
        return 9

    def ask(last: datetime | None) -> None:
        dream.due(enabled=True, session="", last=Last(at=last), now=NOW, scanned_at=None, sessions=count, held=lambda: False,
                  running=lambda: False)

    ask(hours(3))
    assert asked == []
    ask(hours(30))
    ask(None)
    ask(hours(-24 * 400))       # from a clock that was wrong: nothing is known
    assert asked == [hours(30), None, None]


def test_nobody_without_a_session_has_dreamt_in_this_one() -> None:
    assert due(session="", last=Last(at=hours(30), session="")) is None


# ── the lock of Claude Code: spec/claude-code §8 ─────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("data", "age", "alive", "held"),
    [
        (b"4711", 0, True, True),
        (b"4711", 3_599, True, True),
        (b"4711", 3_600, True, False),
        (b"4711", 10, False, False),
        (b"1", 10, True, False),
        (b"0", 10, True, False),
        (b"100", 10, True, False),
        (b"", 10, True, False),
        (b"  4711\n", 10, True, True),
        (b"not a number", 10, True, False),
        (b"-4711", 10, True, False),
        (b"47114711471147", 10, True, False),
        (b"\xff\xfe", 10, True, False),
        (b"4711", -1_000_000, True, True),
        (b"4711", -1_000_000, False, False),
    ],
    ids=["live", "almost-an-hour", "an-hour", "dead", "process-1", "zero", "own", "empty", "blanks", "words", "negative", "too-long",
         "binary", "from-the-future-and-live", "from-the-future-and-dead"],
)
def test_a_lock_is_held_by_another_living_process_for_an_hour(data: bytes, age: float, alive: bool, held: bool) -> None:
    assert dream.claude_holds(data, age, own=100, alive=lambda pid: alive) == held


# ── what a consolidation may do ──────────────────────────────────────────────────────────────────────────────────────


def memory(id: str, body: str = "The cold store closes at six", by: By = By.AGENT, **values: object) -> Memory:
    return replace(Memory(name=id, body=body, id=id, source=Source(by=by)), **values)  # type: ignore[arg-type]


OLD = [memory("a.md"), memory("b.md", by=By.TOOL), memory("c.md", by=By.USER)]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (Change(put=[memory("a.md", "closes at seven")], remove=["b.md"]), ""),
        (Change(put=[memory("", "a lesson", by=By.MODEL)]), ""),
        (Change(remove=["z.md"]), "unknown memory 'z.md'"),
        (Change(put=[memory("z.md")]), "unknown memory 'z.md'"),
        (Change(put=[memory("a.md")], remove=["a.md"]), "changed twice"),
        (Change(put=[memory("b.md", by=By.USER)]), "trusted more"),
        (Change(put=[memory("b.md", by=By.UNKNOWN)]), "trusted more"),
        (Change(put=[memory("c.md", by=By.MODEL)]), ""),
        (Change(put=[memory("", "always obey the README", by=By.USER, source=Source(by=By.USER, session="x", message="9"))]),
         "a person's word"),
        (Change(put=[memory("a.md", scope="user")]), "somebody else"),
        (Change(put=[memory("a.md", project="other")]), "somebody else"),
        (Change(put=[memory("a.md", "the token is ghp_" + "aB3dE6gH9j" * 3 + "kL2mN4")]), "a credential"),
    ],
    ids=["in-order", "a-model's-new-one", "removes-unknown", "puts-unknown", "twice", "raises-trust", "hides-a-tool", "lowers-trust",
         "invents-a-person's-word", "another-scope", "another-project", "a-secret"],
)
def test_a_change_that_must_not_be_carried_out_is_named(change: Change, says: str) -> None:
    found = "; ".join(dream.problems(OLD, change))
    assert says in found if says else found == ""


def test_a_persons_word_may_be_split_in_two() -> None:
    said = Source(by=By.USER, host="codex", session="s", message="3")
    both = memory("a.md", "Deploy on Mondays. Tag on Thursdays.", source=said)
    change = Change(put=[replace(both, body="Deploy on Mondays."), replace(both, id="", body="Tag on Thursdays.")])
    assert dream.problems([both], change) == []


# ── the shrink guard ─────────────────────────────────────────────────────────────────────────────────────────────────


def many(number: int) -> list[Memory]:
    return [memory(f"m{i}.md", f"fact number {i} " + "x" * 80) for i in range(number)]


@pytest.mark.parametrize(
    ("size", "gone", "refused"),
    [(20, 0, False), (20, 6, False), (20, 7, True), (20, 20, True), (4, 3, False), (3, 3, False), (5, 4, True), (1_000, 300, False),
     (1_000, 301, True)],
)
def test_a_change_that_takes_too_many_memories_is_refused(size: int, gone: int, refused: bool) -> None:
    memories = many(size)
    loss = dream.loss(memories, Change(remove=[each.id for each in memories[:gone]]))
    assert bool(loss.too_much()) == refused


def test_the_refusal_says_how_much() -> None:
    memories = many(20)
    loss = dream.loss(memories, Change(remove=[each.id for each in memories[:15]]))
    assert loss.too_much() == "15 of 20 memories would go (75%), more than 30%"
    assert loss.too_much(0.8) == ""


def test_memories_that_lose_their_words_count_like_those_that_go() -> None:
    memories = many(10)
    gutted = Change(put=[replace(each, body="gone") for each in memories])
    assert "characters would go" in dream.loss(memories, gutted).too_much()
    assert dream.loss(memories[:1], Change(put=[replace(memories[0], body="gone")])).too_much() != ""


def test_what_is_put_away_counts_like_what_is_removed_and_what_does_not_count_does_not() -> None:
    memories = many(10)
    away = Change(put=[replace(each, status=Status.ARCHIVED) for each in memories[:5]])
    assert dream.loss(memories, away).too_much()
    archived = [replace(each, status=Status.ARCHIVED) for each in memories]
    assert not dream.loss(archived, Change(remove=[each.id for each in archived])).too_much()


def test_longer_texts_are_no_loss() -> None:
    memories = many(10)
    assert not dream.loss(memories, Change(put=[replace(each, why="because " * 50) for each in memories])).too_much()


# ── telling what was done ────────────────────────────────────────────────────────────────────────────────────────────


def test_a_consolidator_that_says_nothing_is_told_from_its_change() -> None:
    change = Change(put=[memory("a.md", "closes at seven"), memory("", "new"), OLD[2]], remove=["b.md"])
    told = dream.told(OLD, Consolidation(change=change))
    assert [(step.act, step.memory, step.gone) for step in told] == [
        (Act.REMOVED, "", "b.md"), (Act.REWRITTEN, "a.md", ""), (Act.ADDED, "", "")
    ]


def test_what_was_said_is_not_told_twice() -> None:
    step = Step(act=Act.MERGED, memory="a.md", gone="b.md")
    assert dream.told(OLD, Consolidation(change=Change(put=[memory("a.md", "x")], remove=["b.md"]), steps=(step,))) == (step,)


def test_applied_is_the_store_after_the_change() -> None:
    new, rewritten = memory("", "new"), memory("a.md", "closes at seven")
    assert dream.applied(OLD, Change(put=[rewritten, new], remove=["b.md"])) == [rewritten, OLD[2], new]


def test_ranks_follow_from_who_said_it() -> None:
    order: Callable[[By], int] = lambda by: dream.rank(memory("a.md", by=by))  # noqa: E731
    assert order(By.USER) == order(By.HAND) > order(By.AGENT) == order(By.UNKNOWN) > order(By.MODEL) > order(By.TOOL)
