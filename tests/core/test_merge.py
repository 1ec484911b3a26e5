"""What a new statement does to what is known: the same, another value, another subject; in four languages."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core import merge
from reverie.core.memory import By, Memory, Source, Status
from reverie.core.merge import Act, Known, Relation
from reverie.core.proposal import Proposal


def said(statement: str, *, id: str = "", why: str = "", how: str = "", name: str = "", message: str = "", session: str = "s1",
         day: int = 0, scope: str = "project", project: str = "p", confirmed: int = 0, keywords: tuple[str, ...] = (),
         type: str = "project") -> Memory:
    """A memory as the rules make one from a short statement."""
    at = datetime(2027, 1, day, tzinfo=UTC) if day else None
    return Memory(id=id, name=name or statement[:40], description=statement, why=why, how_to_apply=how, type=type,
                  scope=scope, project=project if scope != "user" else "", confirmed=confirmed, keywords=keywords,
                  source=Source(by=By.USER, host="claude-code", session=session, message=message, said_at=at))


SAME = [
    ("Keep answers short; the user reads diffs, not essays.", "Answers should be short, the user reads diffs and not essays"),
    ("Run the tests with `make test`, not with plain pytest.", "Always use make test to run tests, never plain pytest."),
    ("Named exports only, no default exports.", "Use named exports; default exports are not allowed."),
    ("Bug fixes get a regression test with the ticket number in its name.",
     "Every bug fix gets one regression test that carries the ticket number in its name."),
    ("WRITE COMMENTS THAT SAY WHY.", "Write comments that say why"),
    ("The demo is on 2 June.", "The demo is on June 2nd"),
    ("提交信息用英文写。", "提交信息要用英文写"),
    ("合并前必须有两人评审", "合并前必须有两人评审！"),
    ("コメントは日本語で書いてください。", "コメントは日本語で書くこと。"),
    ("커밋 메시지는 영어로 작성합니다.", "커밋 메시지는 영어로 작성해 주세요"),
]
CHANGED = [
    ("Raw events are kept for 90 days.", "From 1 January 2027 raw events are kept for 13 months.", "90 days", "13 months"),
    ("Tickets are in Jira, project BIL.", "Tickets are in Linear, project BIL.", "Jira", "Linear"),
    ("Deploys are frozen until 7 January.", "Deploys are frozen until 21 January.", "7 January", "21 January"),
    ("The checkout service has a budget of 300 ms.", "The checkout service has a budget of 200 ms now.", "300 ms", "200 ms"),
    ("Use tabs for indentation.", "Use spaces for indentation.", "tabs", "spaces"),
    ("Marcus owns the billing module.", "Priya owns the billing module.", "Marcus", "Priya"),
    ("Atlas is deployed on Fridays.", "Atlas is deployed on Tuesdays.", "Fridays", "Tuesdays"),
    ("Staging is at qa2.example.net:9443.", "Staging has moved to qa7.example.net:9443.", "qa2.example.net:9443", "qa7.example.net:9443"),
    ("Alerts of the thumbnailer go to #media.", "Alerts of the thumbnailer go to #ops.", "#media", "#ops"),
    ("PRs need one approval.", "PRs need two approvals.", "one", "two"),
    ("The minimum Python version is 3.9.", "The minimum Python version is 3.11.", "3.9", "3.11"),
    ("Tests run with unittest.", "Tests run with pytest.", "unittest", "pytest"),
    ("The nightly job needs --no-cache.", "The nightly job needs --strict.", "--no-cache", "--strict"),
    ("会话缓存保留 7 天，11 月 12 日和法务定的。", "从 2026 年 12 月 15 日起会话缓存保留 24 小时。", "7 天", "24 小时"),
    ("主分支叫 main。", "主分支叫 trunk。", "main", "trunk"),
    ("提交信息用英文写。", "提交信息用中文写。", "英文", "中文"),
    ("検証環境は stage1.example.jp です。", "検証環境は stage2.example.jp です。", "stage1.example.jp", "stage2.example.jp"),
    ("本番リリースは毎週木曜日の午前です。", "本番リリースは毎週火曜日の午前です。", "木曜日", "火曜日"),
    ("배포는 매주 목요일에 합니다.", "배포는 매주 화요일에 합니다.", "목요일", "화요일"),
]
APART = [
    ("Service 2 is deployed from region b2", "Service 3 is deployed from region c3"),
    ("Queue 1 holds 500 jobs", "Queue 2 holds 900 jobs"),
    ("The checkout service is frozen until 7 January.", "The search service is frozen until 7 January."),
    ("The checkout service has a budget of 300 ms.", "The search service has a budget of 200 ms."),
    ("Atlas is deployed on Fridays.", "Hermes is deployed on Fridays."),
    ("Atlas latency board: grafana.example/d/1.", "Hermes latency board: grafana.example/d/2."),
    ("Marcus owns the billing module.", "Marcus owns the search index."),
    ("Use pnpm in the web folder.", "Use pnpm in the docs folder."),
    ("Run make lint before committing.", "Run make test before committing."),
    ("The API returns snake_case.", "The database uses snake_case."),
    ("Alerts of the thumbnailer go to #media.", "Alerts of the mailer go to #mail."),
    ("The minimum Python version is 3.9.", "The minimum Node version is 20."),
    ("Never run drop_all() without --dry-run.", "Never run purge_old() without --force."),
    ("Tickets are in Jira, project BIL.", "Designs are in Figma, file Ops UI."),
    ("Staging is at qa2.example.net:9443.", "Production is at app.example.net:443."),
    ("Named exports only, no default exports.", "Each table column has its cell renderer in its own file."),
    ("前端用 React 写。", "后端用 Go 写。"),
    ("订单服务的看板在 board.example/1。", "支付服务的看板在 board.example/2。"),
    ("検証環境は stage1.example.jp です。", "本番環境は prod1.example.jp です。"),
    ("결제 서비스 담당자는 민수입니다.", "검색 서비스 담당자는 민수입니다."),
]


@pytest.mark.parametrize(("old", "new"), SAME, ids=lambda value: value[:30])
def test_the_same_in_other_words_is_a_duplicate(old: str, new: str) -> None:
    for a, b in ((old, new), (new, old)):
        verdict = merge.relation(said(a), said(b))
        assert verdict.relation in (Relation.DUPLICATE, Relation.UPDATE)
        assert verdict.reason in ("same_text", "same_words", "same_in_other_words", "says_more")
    assert merge.relation(said(old), said(new)).relation is Relation.DUPLICATE


@pytest.mark.parametrize(("old", "new", "before", "after"), CHANGED, ids=[row[0][:30] for row in CHANGED])
def test_another_value_is_an_update(old: str, new: str, before: str, after: str) -> None:
    verdict = merge.relation(said(old), said(new))
    assert verdict.relation is Relation.UPDATE
    assert any(before in x and after in y for x, y in verdict.changed)


@pytest.mark.parametrize(("one", "other"), APART, ids=[row[0][:30] for row in APART])
def test_another_subject_is_distinct(one: str, other: str) -> None:
    assert merge.relation(said(one), said(other)).relation is Relation.DISTINCT
    assert merge.relation(said(other), said(one)).relation is Relation.DISTINCT


@pytest.mark.parametrize(
    ("old", "new"),
    [("Squash commits when merging.", "Never squash commits when merging."), ("不要用全局变量写配置", "用全局变量写配置")],
    ids=["english", "chinese"],
)
def test_the_opposite_is_an_update(old: str, new: str) -> None:
    for a, b in ((old, new), (new, old)):
        assert merge.relation(said(a), said(b)).reason == "opposite"


def test_every_statement_is_a_duplicate_of_itself() -> None:
    for statement in {row[0] for row in (*SAME, *CHANGED, *APART)}:
        assert merge.relation(said(statement), said(statement)).reason == "same_text"


def test_reasons_and_addresses_help_where_words_differ() -> None:
    why, how = "A stray lockfile turned the pipeline red for half a day.", "Run pnpm add for every new library."
    assert merge.relation(said("Dependencies go through pnpm", why=why, how=how),
                          said("pnpm is the only manager of packages here", why=why, how=how)).relation is Relation.DUPLICATE
    assert merge.relation(said("The caching design is docs.example/d/cch-8"),
                          said("Agreed design for caching: docs.example/d/cch-8")).relation is Relation.DUPLICATE


# ---------------------------------------------------------------- placing

def place(new: Memory, *stored: Memory, corrects: str = "", replaces: str = "") -> merge.Placement:
    return merge.place(Proposal(memory=new, corrects=corrects, replaces=replaces), Known(stored))


STORED = (
    said("Money is Decimal, never float.", id="money"),
    said("Dependencies go through pnpm, never npm.", id="packages", how="Run pnpm add.", why="CI checks the lockfile of pnpm.",
         keywords=("pnpm", "lockfile"), type="feedback"),
    said("Tickets are in Jira, project BIL.", id="tickets"),
    said("Ingest runs on spot.", id="ingest"),
)


def test_what_is_new_is_added() -> None:
    placement = place(said("The board is at grafana.example/d/1", id="draft"), *STORED)
    assert (placement.act, placement.memory.id, placement.existing, placement.reason) == (Act.ADD, "", None, "new")


def test_what_is_known_is_confirmed_and_completed() -> None:
    old = said("Tickets are in Jira, project BIL.", id="tickets", message="m1", confirmed=1, keywords=("jira",))
    new = said("tickets are in jira, project BIL", why="The general queue loses them.", message="m2", keywords=("jira", "bil"))
    placement = place(new, old)
    assert (placement.act, placement.existing, placement.says_more, placement.counts) == (Act.CONFIRM, old, True, True)
    assert placement.memory == merge.confirmed(old, new)
    assert (placement.memory.id, placement.memory.description, placement.memory.why, placement.memory.confirmed,
            placement.memory.keywords) == ("tickets", old.description, "The general queue loses them.", 2, ("jira", "bil"))


def test_the_same_message_read_again_is_no_confirmation() -> None:
    old = said("Tickets are in Jira, project BIL.", id="tickets", message="m1", confirmed=1)
    placement = place(said("Tickets are in Jira, project BIL.", message="m1"), old)
    assert (placement.act, placement.memory, placement.says_more, placement.counts) == (Act.CONFIRM, old, False, False)


def test_a_new_value_stands_in_the_old_ones_place() -> None:
    placement = place(said("Dependencies go through yarn, never npm.", message="m9"), *STORED)
    assert (placement.act, placement.reason, placement.changed) == (Act.UPDATE, "other_value", (("pnpm", "yarn"),))
    stored = placement.memory
    assert (stored.id, stored.type, stored.confirmed, stored.source.message) == ("packages", "feedback", 0, "m9")
    assert stored.how_to_apply == "Run yarn add."
    assert stored.why == ""
    assert "pnpm" not in stored.text
    assert stored.keywords == ("lockfile",)


@pytest.mark.parametrize(
    ("statement", "replaces", "id"),
    [
        ("Amounts are integer cents everywhere; no Decimal in the models.", "Decimal", "money"),
        ("Dependencies are installed with bun", "pnpm", "packages"),
        ("Ingest runs on on-demand nodes; spot is for the batch workers only.", "spot", "ingest"),
        ("Amounts are kept as whole cents instead of Decimal.", "", "money"),
        ("We moved the packages; it is bun now.", "pnpm", "packages"),
        ("The office moved to Lisbon.", "spot", None),
        ("Amounts are integer cents.", "", None),
    ],
    ids=["another word for it", "a tool", "says more", "says it itself", "points back", "about something else", "nothing named"],
)
def test_what_the_speaker_says_no_longer_holds_is_replaced(statement: str, replaces: str, id: str | None) -> None:
    placement = place(said(statement), *STORED, replaces=replaces)
    assert (placement.existing.id if placement.existing else None) == id
    assert placement.act in ((Act.ADD,) if id is None else (Act.REPLACE, Act.UPDATE))
    assert placement.memory.description == statement


def test_a_correction_replaces_what_came_from_the_corrected_message() -> None:
    old = said("The gateway port is 8443.", id="port", message="m1", why="Chosen by ops.", how="Use it in the tests.")
    other = said("The port of billing is 7000.", id="billing", message="m1", session="s2")
    placement = place(said("I meant nine thousand for the gateway port", message="m3"), old, other, corrects="m1")
    assert (placement.act, placement.memory.id, placement.reason) == (Act.REPLACE, "port", "corrects")
    assert (placement.memory.why, placement.memory.how_to_apply) == ("", "")


def test_a_correction_spares_what_else_the_message_said() -> None:
    beside = said("Validate at the boundary with pydantic models.", id="validate", message="m1")
    new = said("Amounts are integer cents from now on, no Decimal in the models any more.", message="m7")
    for replaces in ("Decimal", ""):
        placement = place(new, beside, corrects="m1", replaces=replaces)
        assert (placement.act, placement.also_void) == (Act.ADD, ())


def test_a_correction_heard_in_another_host_is_a_confirmation() -> None:
    known = said("Amounts are integer cents from now on, no Decimal in the models.", id="cents", session="s1", message="m7")
    stale = said("Money is Decimal, never float.", id="money", session="s2", message="m1")
    again = said("Amounts are integer cents from now on, no Decimal in the models.", session="s2", message="m7")
    placement = place(again, known, stale, corrects="m1", replaces="Decimal")
    assert (placement.act, placement.memory.id, [memory.id for memory in placement.also_void]) == (Act.CONFIRM, "cents", ["money"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("A story file next to every cell renderer.", "Storybook goes, so no story files any more. One file per cell renderer still holds."),
        ("Cell renderer in its own file plus a story next to it.",
         "No .stories files any more. Own file per cell renderer still holds."),
        ("Reports of the warehouse use the nightly view.", "Reports of the warehouse no longer use the nightly view."),
        ("会话缓存保留七天", "会话缓存改成一天，七天作废"),
    ],
    ids=["any more", "first words", "no longer", "chinese"],
)
def test_what_a_statement_says_has_ended_does_not_stay(old: str, new: str) -> None:
    placement = place(said(new), said(old, id="old"), *STORED)
    assert placement.act in (Act.REPLACE, Act.UPDATE)
    assert (placement.existing.id if placement.existing else "") == "old"


def test_no_second_copy_of_an_old_value_stays() -> None:
    first, second = said("Raw events are kept for 90 days.", id="a"), said("Raw events are kept for 60 days.", id="b")
    placement = place(said("Raw events are kept for 30 days."), first, second)
    assert placement.act is Act.UPDATE
    assert placement.existing is not None
    assert {placement.existing.id, *(memory.id for memory in placement.also_void)} == {"a", "b"}
    known = said("Raw events are kept for 30 days.", id="c")
    placement = place(said("Raw events are kept for 30 days"), first, known)
    assert (placement.act, placement.memory.id, [memory.id for memory in placement.also_void]) == (Act.CONFIRM, "c", ["a"])


def test_an_older_statement_does_not_undo_a_newer_one() -> None:
    newer = said("Raw events are kept for 30 days.", id="a", day=20)
    placement = place(said("Raw events are kept for 90 days.", day=3), newer)
    assert (placement.act, placement.memory, placement.counts, placement.says_more) == (Act.CONFIRM, newer, False, False)
    assert placement.reason == "older_than_known"


def test_scopes_and_projects_stay_apart() -> None:
    for elsewhere in (said("Tickets are in Jira.", id="x", project="other"), said("Tickets are in Jira.", id="x", scope="directory")):
        assert place(said("Tickets are in Jira."), elsewhere).act is Act.ADD
    of_user = said("Answers are in German.", id="u", scope="user")
    assert place(said("Answers are in German."), of_user).act is Act.CONFIRM
    assert place(said("Answers are in French."), of_user).act is Act.ADD       # a project may have its own way
    assert place(said("Answers are in French.", scope="user"), of_user).act is Act.UPDATE


def test_what_does_not_count_is_not_known() -> None:
    gone = Memory(id="g", name="Tickets", description="Tickets are in Jira.", project="p", status=Status.SUPERSEDED)
    assert place(said("Tickets are in Jira."), gone).act is Act.ADD


def test_known_follows_what_is_put_and_removed() -> None:
    known = Known(STORED)
    assert len(known) == 4
    known.put(said("Tickets are in Linear, project BIL.", id="tickets"))
    assert len(known) == 4
    assert merge.place(Proposal(memory=said("Tickets are in Linear, project BIL")), known).act is Act.CONFIRM
    known.remove("tickets")
    known.remove("never there")
    assert merge.place(Proposal(memory=said("Tickets are in Linear, project BIL")), known).act is Act.ADD
    assert {memory.id for memory in known} == {"money", "packages", "ingest"}


@pytest.mark.parametrize(
    ("words", "id"),
    [("Decimal for money", "money"), ("what I said about Jira", "tickets"), ("the pnpm rule", "packages"), ("the weather", None),
     ("", None), ("never", None)],
    ids=["subject", "with chatter", "value", "unknown", "nothing", "in several"],
)
def test_what_is_taken_back_is_found_if_it_is_clear(words: str, id: str | None) -> None:
    found = merge.withdrawn(words, STORED)
    assert (found.id if found else None) == id


def test_placing_stays_fast_in_a_large_store() -> None:
    words = [f"word{number}" for number in range(3000)]
    store = Known(said(" ".join(words[(number * 7 + step * 13) % 3000] for step in range(12)) + " deploy", id=str(number))
                  for number in range(5000))
    started = time.process_time()
    for number in range(20):
        merge.place(Proposal(memory=said(f"deploy word{number} with word{number + 1}")), store)
    assert (time.process_time() - started) / 20 < 0.2


@pytest.mark.parametrize("statement", ["1." * 20_000, "a_" * 50_000, "/a" * 50_000, "1月" * 20_000, "第一" * 20_000, "A-" * 50_000, "- " * 50_000])
def test_hostile_lengths_take_time_in_proportion(statement: str) -> None:
    started = time.process_time()
    merge.relation(said(statement), said(statement + "x"))
    assert time.process_time() - started < 3


@given(st.text(), st.text(), st.text())
def test_no_statement_is_an_error(old: str, new: str, replaces: str) -> None:
    stored = said(old, id="a", why=new, how=replaces)
    placement = place(said(new, why=old), stored, replaces=replaces)
    assert placement.memory.description in (old, new)
    assert placement.act is Act.ADD or placement.memory.id == "a"
    assert merge.relation(stored, stored).relation is Relation.DUPLICATE
