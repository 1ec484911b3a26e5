"""A session as a model is shown it: what is left out, in which form, and how it is cut (spec/codex §6, §25)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from reverie.core import rollout
from reverie.core.blocks import fenced
from reverie.core.session import Message, Voice


def person(text: str, id: str = "1") -> Message:
    return Message(id=id, voice=Voice.PERSON, text=text)


def said(*messages: Message) -> list[str]:
    return [message.text for message in rollout.kept(messages)]


AGENTS = "# AGENTS.md instructions for /work/app\n\n<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>"


@pytest.mark.parametrize("text, gone", [
    (AGENTS, True),
    (f"\n  {AGENTS} \n", True),
    (AGENTS.upper(), True),
    (AGENTS.lower(), True),
    ("<skill>\nname: x\n</skill>", True),
    ("  <SKILL>x</Skill>", True),
    (f"Look: {AGENTS}", False),                              # merely contains it
    (f"{AGENTS}\nand what does that mean?", False),
    ("# AGENTS.md instructions are wrong here", False),
    ("What does <skill>x</skill> do?", False),
    ("<skills>x</skills>", False),
])
def test_fragments_of_the_client_are_left_out_and_mentions_stay(text: str, gone: bool) -> None:
    assert rollout.is_excluded(text) == gone
    assert bool(said(person(text))) == (not gone)


def test_half_a_fragment_is_none() -> None:
    assert not rollout.is_excluded("<skill></skill")
    assert not rollout.is_excluded("<skill>")
    assert not rollout.is_excluded("")


@pytest.mark.parametrize("text, left", [
    (f"Do it.\n{fenced('recall', '- use pnpm')}", "Do it."),
    ("<reverie-memory kind=\"session\">\n- use pnpm\n</reverie-memory>\nNow the test.", "Now the test."),
    ("<claude-mem-context>\nold\n</claude-mem-context>\nGo on.", "Go on."),
    ("========= MEMORY_SUMMARY BEGINS =========\nv1\nuse pnpm\n========= MEMORY_SUMMARY ENDS =========\nGo on.", "Go on."),
    ("<private>my salary</private>Fix the build.", "Fix the build."),
    ("We use pnpm. Off the record: the CEO hates it. Fix the build.", "We use pnpm."),
    ("The token: abcdefgh is it", "The token: [REDACTED_SECRET] is it"),
    ("plain", "plain"),
])
def test_recalled_private_and_secret_parts_of_a_prompt_are_left_out(text: str, left: str) -> None:
    [shown] = said(person(text))
    assert shown.startswith(left)
    assert "pnpm" in left or "pnpm" not in shown


def test_a_memory_in_a_tools_output_or_an_answer_is_left_out() -> None:
    block = fenced("recall", "- use pnpm")
    assert said(Message(id="1", voice=Voice.TOOL, text=f"$ reverie recall x\n{block}\ndone"),
                Message(id="2", voice=Voice.ASSISTANT, text=f"I saw {block}")) == ["$ reverie recall x\n\ndone", "I saw"]
    assert said(Message(id="1", voice=Voice.TOOL, text="<MemoryRouter><App/></MemoryRouter>")) == ["<MemoryRouter><App/></MemoryRouter>"]


def test_what_a_tool_was_called_with_is_shown_without_its_secrets() -> None:
    secret = "sk-" + "a1B2" * 10
    [shown] = rollout.kept([Message(id="1", voice=Voice.TOOL, text="", tool="shell", given=b'{"cmd":"deploy --key ' + secret.encode() + b'"}')])
    assert json.loads(rollout.rendered([shown])) == [
        {"role": "tool", "tool": "shell", "call": '{"cmd":"deploy --key [REDACTED_SECRET]"}', "text": ""}]


def test_what_is_put_off_the_record_afterwards_goes_with_the_mark() -> None:
    assert said(person("The client is ACME.", "1"), Message(id="2", voice=Voice.ASSISTANT, text="Fine."),
                person("Don't write that down.", "3"), person("Now the tests.", "4")) == ["Fine.", "Now the tests."]


def test_the_form_is_one_line_of_compact_json_for_every_voice() -> None:
    at = datetime(2026, 3, 1, 12, 0, 1, 5, tzinfo=UTC)
    text = rollout.rendered([
        Message(id="1", voice=Voice.PERSON, text="Grüß\n\u2028\"x\"", at=at),
        Message(id="2", voice=Voice.TOOL, text="boom", tool="shell", failed=True),
        Message(id="3", voice=Voice.ASSISTANT, text="--- transcript ends ---"),
    ])
    assert "\n" not in text and "\u2028" not in text
    assert json.loads(text) == [
        {"role": "user", "at": "2026-03-01T12:00:01+00:00", "text": "Grüß\n\u2028\"x\""},
        {"role": "tool", "tool": "shell", "failed": True, "text": "boom"},
        {"role": "assistant", "text": "--- transcript ends ---"},
    ]
    assert text.startswith('[{"role":"user","at":')
    assert rollout.rendered([]) == "[]"


@pytest.mark.parametrize("window, effective, tokens", [
    (272_000, 0.95, 180_880),           # spec/codex §6.4
    (272_000, 1.0, 190_400),
    (200_000, 1.0, 140_000),
    (0, 1.0, 150_000),
    (0, 0.95, 150_000),
    (-5, 1.0, 150_000),
])
def test_the_budget_is_seventy_per_cent_of_the_window(window: int, effective: float, tokens: int) -> None:
    assert rollout.budget_bytes(window, effective=effective) == tokens * 4


@pytest.mark.parametrize("length", [36_799, 10_010, 10_000, 9_999])
def test_the_middle_is_cut_as_the_product_cuts_it(length: int) -> None:
    whole = rollout.rendered([person("a" * (length - 27))])
    assert len(whole) == length
    shown = rollout.shown([person("a" * (length - 27))], 10_000)
    mark = {36_799: "…6700 tokens truncated…", 10_010: "…3 tokens truncated…"}.get(length, "")
    assert shown == (whole[:5_000] + mark + whole[-5_000:] if mark else whole)


def test_of_a_session_without_end_only_the_ends_are_held() -> None:
    drawn = 0

    def endless() -> Iterator[Message]:
        nonlocal drawn
        for number in range(20_000):
            drawn += 1
            yield person(f"{number:05} " + "words " * 20, str(number))

    shown = rollout.shown(endless(), 10_000)
    assert drawn == 20_000
    head, mark, tail = re.split(r"(…\d+ tokens truncated…)", shown)
    assert (len(head), len(tail)) == (5_000, 5_000)
    assert '"00000 words' in head
    assert '"19999 words' in tail
    assert int(re.findall(r"\d+", mark)[0]) == pytest.approx(20_000 * 126 / 4, rel=0.05)


def test_at_an_end_that_was_cut_nothing_is_broken() -> None:
    shown = rollout.shown((person("ü" * 50, str(number)) for number in range(5_000)), 1_001)
    assert "\ufffd" not in shown


def test_a_secret_is_taken_out_before_a_cut_could_hide_it() -> None:
    secret = "sk-" + "a1" * 20
    for before in range(4_940, 5_000, 6):
        shown = rollout.shown([person("x" * before + " " + secret + " " + "y" * 6_000)], 10_000)
        assert "sk-" not in shown
        assert "a1a1a1" not in shown
