"""Which sessions phase 1 may take: each filter from both sides, the bounds of the settings; and what becomes of outputs."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from reverie.core.edits import Edit
from reverie.core.events import Cause
from reverie.core.stage1 import EXTRACT, Limits, Output, job_key
from reverie.storage.extracts import Thread, drop_statement, put_statement
from reverie.storage.home import Home
from reverie.storage.jobs import Claim

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
AT = int(NOW.timestamp())
HOUR, DAY = 3_600, 86_400
STUDY = Limits()
PRODUCT = Limits(max_rollout_age_days=10, max_rollouts_per_startup=2)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(str(tmp_path / "home"), lambda: NOW)


def thread(**changes: Any) -> Thread:
    return replace(Thread(host="codex", session="s", source="cli", updated_at=AT - 10 * HOUR), **changes)


def output(**changes: Any) -> Output:
    return replace(Output(design="codex", host="codex", session="s", rollout_summary="# It was", raw_memory="It is",
                          source_updated_at=AT - 10 * HOUR), **changes)


def eligible(home: Home, limits: Limits = STUDY, **options: Any) -> list[str]:
    return [each.session for each in home.extracts.eligible("codex", limits, **options)]


def keep(home: Home, kept: Output) -> None:
    with home._database.transaction():
        name, values = put_statement(kept)
        home._database.run(name, **values)


@pytest.mark.parametrize("changes, limits, taken", [
    ({}, STUDY, True),
    # where it ran
    ({"source": "vscode"}, STUDY, True),
    ({"source": "atlas"}, STUDY, True),
    ({"source": "chatgpt"}, STUDY, True),
    ({"source": ""}, STUDY, True),                                      # a host that does not say
    ({"source": "exec"}, STUDY, False),
    ({"source": "mcp"}, STUDY, False),
    ({"source": "sdk-cli"}, STUDY, False),
    ({"source": '{"custom":"atlas"}'}, STUDY, False),                   # the JSON form is not matched (spec/codex §5)
    ({"source": "CLI"}, STUDY, False),
    ({"source": "exec"}, Limits(headless=True), True),
    # what it was
    ({"of_agent": True}, STUDY, False),
    ({"of_agent": True}, Limits(headless=True), False),
    ({"archived": True}, STUDY, False),
    ({"memory_mode": "disabled"}, STUDY, False),
    ({"memory_mode": "polluted"}, STUDY, False),
    # at rest (spec/codex §25)
    ({"updated_at": AT - int(5.9 * HOUR)}, STUDY, False),
    ({"updated_at": AT - int(6.1 * HOUR)}, STUDY, True),
    ({"updated_at": AT - 6 * HOUR}, STUDY, True),
    ({"updated_at": AT - 6 * HOUR + 1}, STUDY, False),
    ({"updated_at": AT + DAY}, STUDY, False),
    # not too old
    ({"updated_at": AT - int(9.9 * DAY)}, PRODUCT, True),
    ({"updated_at": AT - int(10.1 * DAY)}, PRODUCT, False),
    ({"updated_at": AT - int(29.9 * DAY)}, STUDY, True),
    ({"updated_at": AT - int(30.1 * DAY)}, STUDY, False),
    ({"updated_at": AT - 30 * DAY}, STUDY, True),
    # bounds: 1 to 48 hours, 0 to 90 days
    ({"updated_at": AT - 30 * 60}, Limits(min_rollout_idle_hours=0), False),
    ({"updated_at": AT - HOUR}, Limits(min_rollout_idle_hours=0), True),
    ({"updated_at": AT - 48 * HOUR}, Limits(min_rollout_idle_hours=1_000), True),
    ({"updated_at": AT - 89 * DAY}, Limits(max_rollout_age_days=10_000), True),
    ({"updated_at": AT - 91 * DAY}, Limits(max_rollout_age_days=10_000), False),
    ({"updated_at": AT - 10 * HOUR}, Limits(max_rollout_age_days=-5), False),
])
def test_each_filter_from_both_sides(home: Home, changes: dict[str, Any], limits: Limits, taken: bool) -> None:
    home.extracts.see([thread(**changes)])
    assert eligible(home, limits) == (["s"] if taken else [])


@pytest.mark.parametrize("changes, verdict", [
    ({}, ""), ({"of_agent": True, "archived": True}, "sub_agent"), ({"archived": True}, "archived"),
    ({"memory_mode": "disabled"}, "disabled"), ({"memory_mode": "polluted"}, "polluted"), ({"source": "exec"}, "headless"),
    ({"session": "now"}, "at_hand"), ({"updated_at": AT - 60}, "not_idle"), ({"updated_at": AT - 40 * DAY}, "too_old"),
])
def test_it_says_what_speaks_against_a_session(home: Home, changes: dict[str, Any], verdict: str) -> None:
    home.extracts.see([thread(**changes)])
    assert [each.verdict for each in home.extracts.judged("codex", STUDY, current="now")] == [verdict]
    keep(home, output(session=changes.get("session", "s"), source_updated_at=AT))
    [again] = home.extracts.judged("codex", STUDY, current="now")
    assert again.verdict == (verdict if verdict in ("sub_agent", "archived", "disabled", "polluted", "headless", "at_hand")
                             else "up_to_date")


def test_how_many_are_taken_is_bounded_too() -> None:
    assert [Limits(max_rollouts_per_startup=asked).clamped().max_rollouts_per_startup for asked in (0, 1, 16, 128, 129)] == [
        1, 1, 16, 128, 128]


def test_a_person_who_asks_gets_also_what_is_young_or_old(home: Home) -> None:
    home.extracts.see([thread(session="young", updated_at=AT - 5), thread(session="old", updated_at=AT - 400 * DAY),
                       thread(session="agent", of_agent=True), thread(session="off", memory_mode="disabled")])
    assert eligible(home, force=True) == ["young", "old"]


def test_the_session_at_hand_is_not_over(home: Home) -> None:
    home.extracts.see([thread(), thread(session="other")])
    assert eligible(home, current="s") == ["other"]


def test_newest_first_and_no_more_than_five_thousand(home: Home) -> None:
    home.extracts.see(thread(session=f"{number:05}", updated_at=AT - 7 * HOUR - number) for number in range(5_100))
    found = eligible(home)
    assert found == [f"{number:05}" for number in range(5_000)]


def test_only_what_this_look_found(home: Home, tmp_path: Path) -> None:
    home.extracts.see([thread(session="deleted since")])
    later = Home(str(tmp_path / "home"), lambda: NOW + timedelta(seconds=1))
    seen_at = later.extracts.see([thread()])
    assert eligible(later, seen_at=seen_at) == ["s"]


@pytest.mark.parametrize("extracted, taken", [(-1, True), (0, False), (1, False)])
@pytest.mark.parametrize("known", ["output", "job"])
def test_what_was_extracted_is_taken_again_when_it_has_grown(home: Home, known: str, extracted: int, taken: bool) -> None:
    at = AT - 10 * HOUR
    home.extracts.see([thread(updated_at=at)])
    if known == "output":
        keep(home, output(source_updated_at=at + extracted))
    else:
        claim = home.jobs.claim(EXTRACT, job_key("codex", "codex", "s"), worker="w", watermark=at + extracted)
        assert isinstance(claim, Claim)
        home.jobs.finish(claim)
    assert eligible(home) == (["s"] if taken else [])
    assert [each.session for each in home.extracts.eligible("codex@0.171", STUDY)] == ["s"]     # another design's store


def test_what_a_person_decided_outlives_the_next_look(home: Home) -> None:
    home.extracts.see([thread()])
    home.extracts.set_mode("codex", "s", "disabled")
    home.extracts.see([thread()])
    assert home.extracts.mode("codex", "s") == "disabled"
    assert eligible(home) == []
    home.extracts.set_mode("codex", "s", "enabled")
    assert eligible(home) == ["s"]
    home.extracts.see([thread(memory_mode="disabled")])         # in the host itself
    assert eligible(home) == []


def test_a_newer_output_replaces_and_an_older_one_does_not(home: Home) -> None:
    keep(home, output(raw_memory="one", source_updated_at=10))
    keep(home, output(raw_memory="older", source_updated_at=9))
    keep(home, output(raw_memory="same time", source_updated_at=10))
    kept = home.extracts.get("codex", "codex", "s")
    assert kept is not None
    assert (kept.raw_memory, kept.usage_count, kept.selected_for_phase2) == ("same time", None, False)
    with home._database.transaction():
        name, values = drop_statement("codex", "codex", "s")
        home._database.run(name, **values)
    assert home.extracts.all("codex") == []


def test_what_an_undo_took_back_counts_no_more_until_it_is_redone(home: Home) -> None:
    edit = Edit(path="stores/codex/memories/x.md", before=None, after=b"x", root="stores/codex/memories")
    home.journal.commit([edit], cause=Cause(operation="extract", actor="rules"), also=[put_statement(output())])
    assert len(home.extracts.all("codex")) == 1
    undone = home.journal.undo(last=1)
    assert home.extracts.all("codex") == []
    home.journal.undo(change=undone.change)
    assert len(home.extracts.all("codex")) == 1
