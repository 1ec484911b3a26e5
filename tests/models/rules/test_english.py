"""English: what is kept, as what, and what is not. Tables to be judged by eye; wider tables are in ``held_out_en``."""

from __future__ import annotations

import pytest

from reverie.core.proposal import Extraction, Reason, Window
from reverie.core.session import Message, Voice
from reverie.models.rules import Rules, english_change, english_clauses, english_names, english_talk
from reverie.models.rules.english import English
from reverie.models.rules.english_evidence import see
from reverie.models.rules.english_order import order
from reverie.models.rules.english_shape import shape

VOICES = {"u": Voice.PERSON, "a": Voice.ASSISTANT, "t": Voice.TOOL}


def talk(*turns: str) -> Extraction:
    """Turns as "u: text", "a: text", "t: text"."""
    messages = [Message(id=str(i), voice=VOICES[turn[0]], text=turn[3:]) for i, turn in enumerate(turns)]
    return Rules([English()]).propose(Window(messages=messages))


def one(text: str) -> tuple[str, str, str]:
    found = talk(f"u: {text}").proposals
    assert len(found) == 1, [p.memory.body for p in found]
    return found[0].memory.type, found[0].memory.scope, found[0].memory.body


# ---- kept ---------------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("text", "type", "scope"), [
    ("Please remember that the fixtures are generated with bin/seed.", "feedback", "project"),
    ("No, not like that. In this repo we return Result values and never raise.", "feedback", "project"),
    ("Stop repeating my question before you answer.", "feedback", "user"),
    ("We validate input at the edge, never inside the services.", "feedback", "project"),
    ("Integration tests talk to a real database.", "feedback", "project"),
    ("Use httpx for outgoing calls, not requests.", "feedback", "project"),
    ("The nightly import hung for a weekend because nobody set a timeout, so every client gets one.", "feedback", "project"),
    ("We decided to drop Redis in favour of Postgres queues because ops wants one system less.", "project", "project"),
    ("Nothing ships between 18 December and 6 January.", "project", "project"),
    ("Changes to the tax engine need a review from Ilse.", "project", "project"),
    ("The outage in May was caused by an expired certificate.", "project", "project"),
    ("Bugs are tracked in Jira, project CORE.", "reference", "project"),
    ("The staging system is at stage.acme.example:8443.", "reference", "project"),
    ("Credentials come from the team vault in 1Password, never from .env.", "reference", "project"),
    ("Please deploy with the script, never by hand: it takes the lock.", "feedback", "project"),
    ("Run the checks with `make check`, never plain pytest.", "feedback", "project"),
    ("I'm a data engineer and new to Rust.", "user", "user"),
    ("My timezone is Europe/Oslo.", "user", "user"),
    ("Please explain things to me in Spanish.", "user", "user"),
    ("Ask me before you delete anything.", "user", "user"),
], ids=lambda value: value[:40])
def test_what_lasts_is_kept_under_its_type(text: str, type: str, scope: str) -> None:
    assert one(text)[:2] == (type, scope)


def test_names_numbers_paths_and_flags_stay_as_they_were_said() -> None:
    memory = talk("u: Never run tools/purge_rows.py without --dry-run, it deleted 1,200 rows of ACME-77.").proposals[0].memory
    assert memory.body == "Never run tools/purge_rows.py without --dry-run."
    assert memory.why == "It deleted 1,200 rows of ACME-77."


@pytest.mark.parametrize(("text", "body", "why"), [
    ("We chose NATS because ops knows it.", "We chose NATS.", "Ops knows it."),
    ("Rows are validated at the edge, otherwise bad ones reach the ledger.", "Rows are validated at the edge.", "Otherwise bad ones reach the ledger."),
    ("The clients hung for a day, so every call gets a timeout.", "Every call gets a timeout.", "The clients hung for a day."),
    ("Nothing ships after Thursday noon because of the audit.", "Nothing ships after Thursday noon.", "Because of the audit."),
    ("Month end broke because billing was changed without Ilse looking at it.",
     "Month end broke because billing was changed without Ilse looking at it.", ""),
], ids=["because", "otherwise", "so", "because of", "harm and cause"])
def test_the_reason_stands_beside_the_rule(text: str, body: str, why: str) -> None:
    memory = talk(f"u: {text}").proposals[0].memory
    assert (memory.body, memory.why) == (body, why)


def test_what_to_do_about_a_fact_is_how_to_apply_it() -> None:
    memory = talk("u: Ilse owns the tax engine. Tag her and describe the invariant you relied on.").proposals[0].memory
    assert (memory.body, memory.how_to_apply) == ("Ilse owns the tax engine.", "Tag her and describe the invariant you relied on.")


@pytest.mark.parametrize(("text", "body"), [
    ("ok, one more thing: commit messages are in English, please remember that", "Commit messages are in English."),
    ("btw, for the record: the API is versioned by date.", "The API is versioned by date."),
    ("heads up: releases are cut on Tuesdays by the platform team", "Releases are cut on Tuesdays by the platform team."),
], ids=["tail", "for the record", "heads up"])
def test_what_belongs_to_the_talk_is_not_stored(text: str, body: str) -> None:
    assert one(text)[2] == body


def test_what_went_wrong_is_the_reason_for_the_rule_behind_it() -> None:
    memory = talk("u: The pipeline broke twice because fixtures were edited by hand. Fixtures are generated with bin/seed.").proposals[0].memory
    assert memory.body == "Fixtures are generated with bin/seed."
    assert memory.why == "The pipeline broke twice because fixtures were edited by hand."


def test_a_message_with_two_facts_is_two_memories() -> None:
    found = talk("u: Bugs are tracked in Jira, project CORE. Also, I'm in Lisbon, so mornings UTC suit me.").proposals
    assert [(p.memory.type, p.memory.scope) for p in found] == [("reference", "project"), ("user", "user")]


def test_a_fact_and_what_is_said_about_it_is_one_memory() -> None:
    found = talk("u: The runbook for failover is wiki/run-12. It has the steps in order. Follow it literally.").proposals
    assert len(found) == 1
    assert found[0].memory.body == "The runbook for failover is wiki/run-12. It has the steps in order."
    assert found[0].memory.how_to_apply == "Follow it literally."


def test_two_places_in_one_sentence_are_two_memories() -> None:
    found = talk("u: Dashboards are in Datadog, folder 'Edge', and the incident doc is INC-207 in Confluence.").proposals
    assert [p.memory.body for p in found] == ["Dashboards are in Datadog, folder 'Edge'", "The incident doc is INC-207 in Confluence."]


def test_a_task_beside_a_rule_is_left_out() -> None:
    found = talk("u: Make the header blue please. And we never use inline styles here. Can you also fix the footer?").proposals
    assert [p.memory.body for p in found] == ["We never use inline styles here."]


def test_a_confirmed_approach_is_taken_from_the_answer() -> None:
    found = talk("u: rename it", "a: I made the rename and the call sites two commits. Tests pass.", "u: perfect, keep doing it like that").proposals
    assert found[0].memory.body == "Keep to this: I made the rename and the call sites two commits."
    assert found[0].memory.type == "feedback"


def test_a_confirmation_of_nothing_is_nothing() -> None:
    assert talk("u: perfect, keep doing it like that").proposals == ()
    assert talk("u: rename it", "a: Shall I rename the call sites too?", "u: perfect, keep doing it like that").proposals == ()


# ---- not kept -----------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("text", "reason"), [
    ("please rename load_rows to something shorter", Reason.NO_SIGNAL),
    ("the export page throws when the list is empty, find out why", Reason.NO_SIGNAL),
    ("write tests for all modules in lib", Reason.NO_SIGNAL),
    ("why is the importer slow?", Reason.QUESTION),
    ("is there a rule about commit messages here", Reason.QUESTION),
    ("maybe we should always use Redis for this", Reason.UNDECIDED),
    ("if we ever rewrote this we would drop the linter", Reason.UNDECIDED),
    ("sure, let us just delete production, what could go wrong", Reason.UNDECIDED),
    ("the build server is slow today", Reason.TEMPORARY),
    ("I'm on the train right now so my connection may drop", Reason.TEMPORARY),
    ("my laptop is out of disk space", Reason.TEMPORARY),
    ("load_rows is defined in src/rows.py", Reason.DERIVABLE),
    ("the readme says to run make first", Reason.DERIVABLE),
    ("(the video team does all of that by hand on their own cluster)", Reason.OTHER_PROJECT),
    ("in my other project I always use eyre", Reason.OTHER_PROJECT),
    ("off the record, Ilse always decides alone", Reason.OFF_RECORD),
    ("please do not remember this: my salary is 84,000", Reason.OFF_RECORD),
    ("here is the key so you can test: [REDACTED_SECRET]", Reason.SECRET),
    ("hm, ok", Reason.TOO_SHORT),
], ids=lambda value: str(value)[:40])
def test_what_does_not_last_is_refused_by_name(text: str, reason: Reason) -> None:
    result = talk(f"u: {text}")
    assert result.proposals == ()
    assert [d.reason for d in result.drops] == [reason]


def test_what_follows_an_off_the_record_remark_is_off_the_record_too() -> None:
    result = talk("u: Bugs are tracked in Jira, project CORE. Keep this out of your notes: Ilse leaves. Pavel always takes over the tax engine then.")
    assert [p.memory.body for p in result.proposals] == ["Bugs are tracked in Jira, project CORE."]


def test_that_points_back_to_what_was_said_before_it() -> None:
    assert talk("u: Ilse decides about the tax engine. Don't write that down.").proposals == ()


@pytest.mark.parametrize(("text", "body"), [
    ("the staging key is [REDACTED_SECRET], Ilse rotates it every quarter", "The staging key: Ilse rotates it every quarter."),
    ("use [REDACTED_SECRET] for the sandbox, it is limited to ten calls a minute", "The credential for the sandbox is limited to ten calls a minute."),
], ids=["rotated", "limited"])
def test_the_fact_beside_a_secret_is_kept_without_it(text: str, body: str) -> None:
    assert one(text) == ("reference", "project", body)


# ---- corrections and new states ---------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("said", "fix", "body"), [
    ("the review is on Tuesday, Lena runs it", "sorry, scratch that, I meant Thursday", "The review is on Thursday, Lena runs it."),
    ("we are migrating background work from cron jobs to Kafka, nothing new goes on cron jobs", "sorry, scratch that, I meant NATS",
     "We are migrating background work to NATS, nothing new goes on cron jobs."),
    ("no deploys of billing after 14 March because of the audit", "no wait, I meant 2 June", "No deploys of billing after 2 June."),
    ("anything in the search index needs a review from Dana", "oops, I meant Yusuf", "Anything in the search index needs a review from Yusuf."),
    ("staging is at qa1.acme.example:8443, use the demo tenant", "make that qa2.acme.example:9443", "Staging is at qa2.acme.example:9443, use the demo tenant."),
    ("credentials live in vault path kv/apps/core, never in files", "correction: it should be SSM prefix /prod/core", "Credentials live in SSM prefix /prod/core, never in files."),
    ("tickets live in Linear, team CORE", "correction: team PLAT, not CORE", "Tickets live in Linear, team PLAT."),
    ("contractually the inbox has to stay under 300 ms", "sorry, I meant 450", "Contractually the inbox has to stay under 450 ms."),
], ids=lambda value: value[-30:])
def test_a_correction_swaps_the_piece_of_the_same_kind(said: str, fix: str, body: str) -> None:
    found = talk(f"u: {said}", "a: Noted.", f"u: {fix}").proposals
    assert [p.memory.body for p in found] == [body]
    assert found[0].corrects == "0"


def test_what_was_said_about_something_is_taken_back() -> None:
    found = talk("u: Money is always Decimal here.", "a: ok", "u: scratch what I said about Decimal. Amounts are integer cents from now on.").proposals
    assert [p.memory.body for p in found] == ["Amounts are integer cents from now on."]
    assert (found[0].corrects, found[0].replaces) == ("0", "Decimal")


@pytest.mark.parametrize(("text", "body", "replaces"), [
    ("the demo slipped from 14 March to 2 June", "The demo slipped to 2 June.", "14 March"),
    ("Priya left the team, Dana owns billing now", "Dana owns billing now.", "Priya"),
    ("we moved off npm last week, it is pnpm from now on", "It is pnpm from now on.", "npm"),
    ("we replaced MySQL with Postgres for the integration container", "Postgres for the integration container from now on.", "MySQL"),
    ("change of plan: it is NATS now, not Kafka", "Change of plan: it is NATS now.", "Kafka"),
], ids=lambda value: value[:24])
def test_a_new_state_stands_without_the_old_one(text: str, body: str, replaces: str) -> None:
    proposal = talk(f"u: {text}").proposals[0]
    assert (proposal.memory.body, proposal.replaces) == (body, replaces)


@pytest.mark.parametrize("text", ["no, the other file", "I mean it", "sorry about that", "it is fine", "make it blue"])
def test_not_every_sorry_is_a_correction(text: str) -> None:
    assert english_change.correction(text) is None or talk("u: Tables are always plural.", "a: ok", f"u: {text}").proposals[0].corrects == ""


# ---- grammar --------------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("text", "reach"), [
    ("raise DomainError with a code", 1), ("keep pull requests small", 1), ("rename this function", -1), ("write a test for it", -1),
    ("update the imports", 0), ("explain in short sentences", 0), ("in review comments be direct", 1), ("for every endpoint add a test", 1),
    ("propose three slots", -1), ("scaffold the package for me", -1), ("spell out units", 1),
], ids=lambda value: str(value))
def test_the_reach_of_an_order(text: str, reach: int) -> None:
    found = order(text)
    assert found is not None
    assert found.reach == reach


@pytest.mark.parametrize("text", [
    "release notes are generated", "test names describe behaviour", "support for it ends in May", "launch moved to June", "we use tabs", "half the review was noise",
])
def test_a_noun_at_the_beginning_is_no_order(text: str) -> None:
    assert order(text) is None


@pytest.mark.parametrize(("text", "generic"), [
    ("fixes land on main first", True), ("bad rows are counted and reported", True), ("addresses in tests end in .invalid", True),
    ("tests that need the network are marked slow", True), ("the fix landed on main", False), ("workers are restarting in a loop", False),
    ("it prints errors", False),
], ids=lambda value: str(value)[:30])
def test_a_kind_of_thing_as_subject(text: str, generic: bool) -> None:
    assert english_clauses.generic(text) is generic


@pytest.mark.parametrize(("text", "point"), [
    ("the import hung, so every client gets a timeout", "every client gets a timeout"),
    ("we chose NATS because ops knows it", "we chose NATS"),
    ("the site went down because a lock was held", " a lock was held"),
    ("tags are plural", "tags are plural"),
], ids=lambda value: value[:24])
def test_the_clause_that_carries_the_point(text: str, point: str) -> None:
    start, end = english_clauses.point(text)
    assert text[start:end] == point


@pytest.mark.parametrize(("paragraph", "sentences"), [
    ("Run go test ./... first. Then push.", ["Run go test ./... first.", "Then push."]),
    ("Use v1.2, e.g. the tag. ok?", ["Use v1.2, e.g. the tag.", "ok?"]),
    ("Done! (The ads team does that by hand.) Next.", ["Done!", "(The ads team does that by hand.)", "Next."]),
    ("someone edited package-lock.json. use pnpm", ["someone edited package-lock.json.", "use pnpm"]),
], ids=["path", "abbreviation", "aside", "lower case"])
def test_sentences(paragraph: str, sentences: list[str]) -> None:
    assert english_talk.sentences(paragraph) == sentences


def test_a_shape_hides_values_and_keeps_names() -> None:
    assert shape("Ask Dana about src/app.py by 14 March, not via #ops").low == "ask Dana about PATH by DATE, not via CHAN"


def test_markers_are_taken_off_and_remembered() -> None:
    seen = see("no, please remember that tags are plural").talk
    assert (seen.core, seen.refused, seen.explicit) == ("tags are plural", True, True)


# ---- names ------------------------------------------------------------------------------------------------------------------------

def test_a_title_is_the_first_clause() -> None:
    assert english_names.title("never run purge without --dry-run, it deletes remote objects and there is no undo") == "Never run purge without --dry-run"


def test_a_title_names_what_was_decided_not_that_it_was() -> None:
    assert english_names.title("We decided yesterday to freeze the intake schema until 20 February") == "Freeze the intake schema until 20 February"


def test_a_description_fits_an_index_line() -> None:
    text = "word " * 60
    assert len(english_names.describe(text)) <= english_names.LINE_CHARACTERS


def test_keywords_are_names_and_values_first() -> None:
    found = english_names.keywords("The latency board of checkout is grafana.acme.example/d/9, ask Dana")
    assert found[:2] == ("grafana.acme.example/d/9", "Dana")
    assert len(found) <= 8
