"""Our consolidator: twins, contradictions, dates, ends of validity, long lines, links; and what it leaves alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.core import dream
from reverie.core.dream import Act, Consolidation
from reverie.core.dream_merging import LINE_CHARACTERS, Merging, dated, relinked, shortened
from reverie.core.index import path_of
from reverie.core.layout import Change, File, Layout
from reverie.core.memory import By, Memory, Source, Status
from reverie.layouts.claude_code import ClaudeCode
from reverie.layouts.codex import Codex
from reverie.layouts.qwen_code import QwenCode

NOW = datetime(2026, 11, 5, 12, 0, tzinfo=UTC)


def memory(
    id: str, body: str, *, days: float | None = 10, by: By = By.USER, said: bool = True, modified_days: float = 1, **values: object
) -> Memory:
    """Said so many days ago (None: nobody knows when)."""
    at = None if days is None else NOW - timedelta(days=days)
    made = Memory(
        name=str(values.pop("name", "") or body[:40]), description=str(values.pop("description", "")), body=body, id=f"{id}.md",
        source=Source(by=by, said_at=at if said else None), modified_at=NOW - timedelta(days=modified_days) if said else at,
    )
    return replace(made, **values)  # type: ignore[arg-type]


def consolidated(*memories: Memory) -> Consolidation:
    return Merging().consolidate(memories, now=NOW)


def after(*memories: Memory) -> dict[str, Memory]:
    return {each.id: each for each in dream.applied(memories, consolidated(*memories).change)}


def steps(*memories: Memory) -> list[tuple[str, str, str]]:
    return [(str(step.act), step.gone, step.memory) for step in consolidated(*memories).steps]


# ── said twice ───────────────────────────────────────────────────────────────────────────────────────────────────────

CHECKS = "Run the checks with make check, never with plain pytest"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (CHECKS, CHECKS),
        (CHECKS, "run the checks with `make check`, never with plain pytest!"),
        ("The export job runs every night at 03:00", "The export job runs each night at 03:00"),
        ("回答要简短，先给结论", "回答要简短，先给结论。"),
        ("コミットメッセージは英語で書く", "コミットメッセージは英語で書く。"),
        ("커밋 메시지는 영어로 작성한다", "커밋 메시지는 영어로 작성한다."),
    ],
)
def test_what_is_said_twice_becomes_one_memory_with_the_older_words(first: str, second: str) -> None:
    result = after(memory("old", first, days=30), memory("new", second, days=2))
    assert [(each.id, each.body, each.confirmed) for each in result.values()] == [("old.md", first, 1)]


def test_reasons_of_both_are_kept_and_said_once() -> None:
    old = memory("old", CHECKS, days=30, why="It loads the calendar first.", keywords=("make",))
    new = memory("new", CHECKS, days=2, why="Plain pytest skips the fixtures.", how_to_apply="before each commit", keywords=("pytest",))
    [kept] = after(old, new).values()
    assert kept.why == "It loads the calendar first.\nPlain pytest skips the fixtures."
    assert kept.how_to_apply == "before each commit"
    assert kept.keywords == ("make", "pytest")
    [same] = after(old, replace(new, why="it loads the calendar first")).values()
    assert same.why == old.why


def test_the_one_that_names_more_stays() -> None:
    plain = memory("old", "The staging environment of the shop is behind the VPN", days=30)
    rich = memory("new", "The staging environment of the shop at qa2.example.net:9443 is behind the VPN", days=2)
    assert [each.id for each in after(plain, rich).values()] == ["new.md"]


def test_two_that_each_name_something_else_stay_both() -> None:
    one = memory("one", "Runbooks for the shop: look at wiki.example.net/a first, it has steps and contacts of the shop", days=30)
    two = memory("two", "Runbooks for the shop: look first in the wiki, it has steps and contacts of the shop, page OPS-77", days=2)
    assert len(after(one, two)) == 2


def test_three_of_a_kind_become_one() -> None:
    result = after(*(memory(f"m{i}", CHECKS, days=30 - i) for i in range(3)))
    assert [(each.id, each.confirmed) for each in result.values()] == [("m0.md", 2)]


def test_the_same_message_twice_is_no_confirmation() -> None:
    source = Source(by=By.USER, host="codex", session="s", message="4", said_at=NOW - timedelta(days=9))
    [kept] = after(memory("a", CHECKS, source=source), memory("b", CHECKS, source=source)).values()
    assert kept.confirmed == 0


def test_the_last_word_says_until_when() -> None:
    until = date(2026, 12, 1)
    [kept] = after(memory("a", CHECKS, days=9, valid_until=until), memory("b", CHECKS, days=2)).values()
    assert kept.valid_until is None
    [kept] = after(memory("a", CHECKS, days=9), memory("b", CHECKS, days=2, valid_until=until)).values()
    assert kept.valid_until == until


def test_memories_of_others_are_never_merged() -> None:
    mine = memory("a", CHECKS)
    for other in (replace(mine, id="b.md", project="other-1"), replace(mine, id="b.md", scope="user")):
        assert len(after(mine, other)) == 2


# ── contradictions ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Deploys of the gateway happen on Wednesdays", "Deploys of the gateway happen on Mondays"),
        ("Use npm for installing packages", "Use pnpm for installing packages"),
        ("The review board meets at 10:00", "The review board meets at 14:30"),
        ("网关每周三部署", "网关每周一部署"),
        ("ゲートウェイのデプロイは毎週水曜日に行う", "ゲートウェイのデプロイは毎週月曜日に行う"),
    ],
)
def test_the_later_statement_stays_and_the_earlier_goes_to_history(earlier: str, later: str) -> None:
    for order in (1, -1):
        pair = [memory("earlier", earlier, days=30, why="an old reason"), memory("later", later, days=2)][::order]
        result = consolidated(*pair)
        [kept] = dream.applied(pair, result.change)
        assert (kept.id, kept.body, kept.why) == ("later.md", later, "")
        assert [(step.act, step.gone, step.before) for step in result.steps] == [(Act.SUPERSEDED, "earlier.md", earlier)]


def test_files_times_tell_the_order_where_nothing_says_when_it_was_said() -> None:
    pair = (
        memory("a", "Use npm for installing packages", days=30, said=False, by=By.UNKNOWN),
        memory("b", "Use pnpm for installing packages", days=2, said=False, by=By.UNKNOWN),
    )
    assert list(after(*pair)) == ["b.md"]


@pytest.mark.parametrize(
    ("days_a", "days_b", "said"),
    [(5, 5, True), (5, 5 + 0.5 / 1440, False), (None, None, False), (None, 5, False)],
    ids=["said-at-once", "unpacked-together", "no-times", "one-time"],
)
def test_of_two_that_contradict_each_other_both_stay_when_nothing_tells_which_is_later(
    days_a: float | None, days_b: float | None, said: bool
) -> None:
    pair = (
        memory("a", "Use npm for installing packages", days=days_a, said=said),
        memory("b", "Use pnpm for installing packages", days=days_b, said=said),
    )
    result = consolidated(*pair)
    assert not result.change.put and not result.change.remove and not result.steps
    assert [{left.memory, left.other} for left in result.left] == [{"a.md", "b.md"}]
    assert "'npm' became 'pnpm'" in result.left[0].why or "'pnpm' became 'npm'" in result.left[0].why


@pytest.mark.parametrize(("later_by", "stays"), [(By.TOOL, 2), (By.MODEL, 2), (By.AGENT, 2), (By.USER, 1), (By.HAND, 1)])
def test_nothing_overrules_a_persons_word_but_a_persons_word(later_by: By, stays: int) -> None:
    pair = (
        memory("a", "Deploys of the gateway happen on Wednesdays", days=30, by=By.USER),
        memory("b", "Deploys of the gateway happen on Mondays", days=2, by=later_by),
    )
    assert len(after(*pair)) == stays
    assert len(consolidated(*pair).left) == (stays == 2)


def test_a_twin_that_is_trusted_less_gives_nothing_and_goes() -> None:
    tool = memory("a", CHECKS, days=30, by=By.TOOL, why="pages may say anything")
    [kept] = after(tool, memory("b", CHECKS, days=2, by=By.USER)).values()
    assert (kept.id, kept.why, kept.source.by) == ("b.md", "", By.USER)


def test_what_says_more_takes_the_place_and_the_reason_of_what_says_less() -> None:
    less = memory("a", "Tag releases on Thursdays", days=30, why="The mirror syncs at night.")
    more = memory("b", "Tag releases on Thursdays with a signed annotated tag from the release branch", days=2)
    [kept] = after(less, more).values()
    assert (kept.id, kept.body, kept.why) == ("b.md", more.body, less.why)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Alerts of the checkout service go to #checkout-oncall", "Alerts of the search service go to #search-oncall"),
        ("Prefer dataclasses for values inside the core", "Prefer protocols for the borders of the core"),
        ("Alice reviews the billing module", "Bob reviews the search module"),
    ],
)
def test_twins_about_different_things_stay_both(one: str, two: str) -> None:
    assert len(after(memory("a", one, days=30), memory("b", two, days=2))) == 2


# ── each by itself ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "becomes"),
    [
        ("The freeze starts tomorrow", "The freeze starts on 2026-10-27"),
        ("We moved to bun yesterday", "We moved to bun on 2026-10-25"),
        ("冻结从明天开始", "冻结从2026-10-27开始"),
        ("Retro every Friday", "Retro every Friday"),
        ("Released on 2026-01-02", "Released on 2026-01-02"),
        ("See `git log --since=yesterday` for that", "See `git log --since=yesterday` for that"),
        ("Run:\n```sh\ndate -d tomorrow\n```\nThe freeze starts tomorrow", "Run:\n```sh\ndate -d tomorrow\n```\nThe freeze starts on 2026-10-27"),
        ("", ""),
    ],
)
def test_relative_dates_become_absolute_outside_of_code(text: str, becomes: str) -> None:
    said_at = NOW - timedelta(days=10)
    assert dated(text, said_at) == becomes
    assert dated(becomes, said_at + timedelta(days=3)) == becomes


def test_dates_are_read_against_the_day_on_which_it_was_said_else_the_files() -> None:
    said, unsaid = memory("a", "The freeze starts tomorrow", days=10), memory("b", "The audit starts tomorrow", days=20, said=False)
    result = after(said, unsaid)
    assert result["a.md"].body == "The freeze starts on 2026-10-27"
    assert result["b.md"].body == "The audit starts on 2026-10-17"
    assert result["b.md"].modified_at == unsaid.modified_at


def test_all_texts_but_the_name_and_the_quote_are_dated() -> None:
    quote = Source(by=By.USER, said_at=NOW - timedelta(days=10), quote="tomorrow")
    one = memory("a", "freeze tomorrow", why="audit tomorrow", how_to_apply="stop tomorrow", description="tomorrow: freeze",
                 name="tomorrow", source=quote)
    [result] = after(one).values()
    assert (result.name, result.source.quote) == ("tomorrow", "tomorrow")
    assert all("2026-10-27" in text for text in (result.body, result.why, result.how_to_apply, result.description))


@pytest.mark.parametrize(("until", "status"), [(4, Status.ARCHIVED), (5, Status.ACTIVE), (6, Status.ACTIVE)])
def test_what_is_past_its_last_day_is_marked_and_kept(until: int, status: Status) -> None:
    one = memory("a", "Freeze of the gateway", valid_until=date(2026, 11, until))
    [result] = after(one).values()
    assert (result.status, result.body) == (status, one.body)
    assert steps(one) == ([("expired", "", "a.md")] if status is Status.ARCHIVED else [])


def test_what_has_expired_neither_takes_nor_is_taken() -> None:
    result = after(memory("a", CHECKS, days=30, valid_until=date(2026, 11, 1)), memory("b", CHECKS, days=2))
    assert {each.id: each.status for each in result.values()} == {"a.md": Status.ARCHIVED, "b.md": Status.ACTIVE}


@pytest.mark.parametrize("status", [Status.ARCHIVED, Status.QUARANTINED, Status.SUPERSEDED])
def test_what_does_not_count_is_not_touched(status: Status) -> None:
    one = memory("a", CHECKS + " tomorrow", status=status, valid_until=date(2026, 1, 1))
    assert consolidated(one, memory("b", CHECKS + " tomorrow", status=status)).change.put == []


LONG = "The nightly export writes one file per tenant into the bucket. " * 4


def test_a_long_description_is_shortened_and_its_words_stay_in_the_body() -> None:
    [result] = after(memory("a", "See above", description=LONG.strip())).values()
    assert len(result.description) <= LINE_CHARACTERS
    assert result.description.endswith("bucket.")
    assert result.body == f"{LONG.strip()}\n\nSee above"
    assert after(result) == {"a.md": result}


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("short", "short"),
        ("x" * 150, "x" * 150),
        ("x" * 151, "x" * 149 + "…"),
        ("word " * 40, "word " * 29 + "word…"),
        ("A. " + "b " * 100, "A. " + "b " * 72 + "b…"),
        ("短い。" * 60, "短い。" * 50),
    ],
)
def test_lines_are_cut_at_a_sentence_else_at_a_word(text: str, short: str) -> None:
    assert shortened(text) == short
    assert len(shortened(text)) <= LINE_CHARACTERS
    assert shortened(short) == short


def test_mentions_of_what_was_merged_lead_on() -> None:
    old, new = memory("feedback_checks", CHECKS, days=30, name="Run checks"), memory("checks_again", CHECKS, days=2, name="Again")
    naming = memory("third", "Releases need green checks: see checks_again.md and [[checks-again]], not x_checks_again.md", days=9)
    result = after(old, new, naming)
    assert result["third.md"].body == "Releases need green checks: see feedback_checks.md and [[feedback-checks]], not x_checks_again.md"


def test_only_whole_names_are_links() -> None:
    gone, kept = memory("a", "x"), memory("b", "y")
    assert relinked("a.md, (a.md), docs/a.md, aa.md, a.mdx, [[a]], [[aa]]", gone, kept) == "b.md, (b.md), docs/a.md, aa.md, a.mdx, [[b]], [[aa]]"


def test_a_credential_is_not_written_anew() -> None:
    secret = "the token is ghp_" + "aB3dE6gH9j" * 3 + "kL2mN4"
    assert consolidated(memory("a", f"{secret}, changed yesterday")).change.put == []


# ── the whole ────────────────────────────────────────────────────────────────────────────────────────────────────────

BODIES = [
    CHECKS, "run the checks with make check, never with plain pytest", "Use npm for installing packages", "Use pnpm for installing packages",
    "Use yarn for installing packages", "Deploys happen on Mondays", "Deploys happen on Fridays", "The freeze starts tomorrow",
    "Tag releases on Thursdays", "Tag releases on Thursdays with a signed annotated tag from the release branch", LONG,
    "回答要简短，先给结论", "网关每周三部署", "网关每周一部署", "see m1.md and [[m2]]", "", "`a` ``` b",
]
memories = st.lists(
    st.tuples(
        st.sampled_from(BODIES), st.sampled_from(["", *BODIES]), st.sampled_from([None, 1, 1, 2.5, 30]), st.sampled_from(list(By)),
        st.sampled_from(["", "because", "it was decided yesterday"]), st.booleans(),
    ),
    max_size=9,
)


def made(rows: Sequence[tuple[str, str, float | None, By, str, bool]]) -> list[Memory]:
    return [
        memory(f"m{number}", body, description=description, days=days, by=by, why=why, said=said, name=body[:30] or "none")
        for number, (body, description, days, by, why, said) in enumerate(rows)
    ]


@given(memories)
def test_a_second_dream_changes_nothing(rows: list[tuple[str, str, float | None, By, str, bool]]) -> None:
    once = dream.applied(made(rows), consolidated(*made(rows)).change)
    again = consolidated(*once)
    assert again.change.put == [] and again.change.remove == [] and again.steps == ()


@given(memories)
def test_every_change_is_in_order_and_accounted_for(rows: list[tuple[str, str, float | None, By, str, bool]]) -> None:
    before = made(rows)
    result = consolidated(*before)
    assert dream.problems(before, result.change) == []
    said = {id for step in result.steps for id in (step.memory, step.gone)}
    assert {each.id for each in result.change.put} | set(result.change.remove) <= said
    assert {step.memory for step in result.steps} <= {each.id for each in dream.applied(before, result.change)}


@given(memories, st.randoms())
def test_the_order_in_which_memories_are_handed_over_does_not_matter(
    rows: list[tuple[str, str, float | None, By, str, bool]], chance: object
) -> None:
    before = made(rows)
    shuffled = list(before)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert after(*before) == after(*shuffled)


# ── on files ─────────────────────────────────────────────────────────────────────────────────────────────────────────

LAYOUTS: dict[str, Layout] = {
    "reverie": ClaudeCode(provenance=True), "claude-code": ClaudeCode(), "claude-code@2.1": ClaudeCode(edition="2.1"),
    "qwen-code@0.24": QwenCode(edition="0.24"), "codex": Codex(),
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@settings(max_examples=40)
@given(memories)
def test_what_was_written_is_dreamt_over_once(layout: Layout, rows: list[tuple[str, str, float | None, By, str, bool]]) -> None:
    folder: dict[str, File] = {}

    def written(change: Change) -> None:
        """As the flow does: what only says the same in other words keeps its time."""
        done = layout.write(folder, change, now=NOW)
        times = {path_of(each.id): each.modified_at for each in change.put if each.id and each.modified_at}
        for path, data in done.files.items():
            folder.pop(path, None)
            if data is not None:
                folder[path] = File(data, times.get(path, NOW))

    for each in made(rows):
        written(Change(put=[replace(each, id="", type="feedback")]))
        for path, file in folder.items():
            if file.modified_at == NOW and each.modified_at:
                folder[path] = File(file.data, each.modified_at)
    first = [each for each in layout.read(folder, scope="project").memories if each.status is Status.ACTIVE]
    written(Merging().consolidate(first, now=NOW).change)
    second = [each for each in layout.read(folder, scope="project").memories if each.status is Status.ACTIVE]
    again = Merging().consolidate(second, now=NOW)
    assert again.change.put == [] and again.change.remove == [], again.steps
