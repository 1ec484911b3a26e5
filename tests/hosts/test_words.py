"""Clean text: what clients put around a prompt goes, what a person typed stays."""

from __future__ import annotations

import time

import pytest

from reverie.hosts import words
from reverie.hosts.opencode_reading import unquoted

REMINDER = "<system-reminder>\nToday is Monday.\n</system-reminder>"
HOOK = "<user-prompt-submit-hook>recalled</user-prompt-submit-hook>"
RECALLED = '<recalled-memory source="a tool">\n- use tabs\n</recalled-memory>'


@pytest.mark.parametrize(
    ("text", "left", "gone"),
    [
        ("use tabs", "use tabs", []),
        ("  use tabs \n", "use tabs", []),
        (REMINDER, "", ["injected_context"]),
        (f"{REMINDER}\n\nuse tabs", "use tabs", ["injected_context"]),
        (f"use tabs\n\n{REMINDER}", "use tabs", ["injected_context"]),
        (f"{REMINDER}{REMINDER}use tabs\n{HOOK}", "use tabs", ["injected_context", "injected_context", "hook_context"]),
        (RECALLED, "", ["recalled_memory"]),
        (f"{RECALLED}\nuse tabs", "use tabs", ["recalled_memory"]),
        ("what does <system-reminder>x</system-reminder> mean?", "what does <system-reminder>x</system-reminder> mean?", []),
        ("tell me about <system-reminder>x</system-reminder>", "tell me about <system-reminder>x</system-reminder>", []),
        ("<system-reminder> is not closed", "<system-reminder> is not closed", []),
        ("</system-reminder> alone", "</system-reminder> alone", []),
        ("<div>markup</div>", "<div>markup</div>", []),
        ("fix this:\n<div>markup</div>", "fix this:\n<div>markup</div>", []),
        ("<hook_result hook_event=\"X\">\nrecalled\n</hook_result>\nhello", "hello", ["hook_context"]),
        ("<user-memory-input>use tabs</user-memory-input>", "<user-memory-input>use tabs</user-memory-input>", []),
        ("<", "<", []),
        (">", ">", []),
        ("", "", []),
    ],
)
def test_injected_elements_are_peeled_from_the_edges_only(text: str, left: str, gone: list[str]) -> None:
    skipped: list[str] = []
    assert words.peel(text, skipped.append) == left
    assert skipped == gone


@pytest.mark.parametrize(
    "text",
    [
        REMINDER * 40_000,
        "<system-reminder>" * 100_000,
        "x\n" + "</system-reminder>\n" * 100_000,
        "<memory>" * 50_000 + "</memory>" * 50_000,
        "<" * 1_000_000,
        "x" + " " * 1_000_000 + "y",
    ],
    ids=["many", "open", "close", "nested", "brackets", "blanks"],
)
def test_peeling_is_linear(text: str) -> None:
    start = time.process_time()
    words.peel(text, lambda _: None)
    assert time.process_time() - start < 2


def test_long_output_is_shortened_in_the_middle_and_says_so() -> None:
    text = "head " + "x" * 100_000 + " tail"
    short = words.output(text)
    assert len(short) <= words.OUTPUT_CHARACTERS
    assert short.startswith("head ")
    assert short.endswith(" tail")
    left_out = int(short.partition("[… ")[2].partition(" ")[0])
    kept = len(short) - len(f"\n[… {left_out} characters left out …]\n")
    assert left_out + kept == len(text)


def test_output_of_the_limit_is_whole() -> None:
    assert words.output("x" * words.OUTPUT_CHARACTERS) == "x" * words.OUTPUT_CHARACTERS


@pytest.mark.parametrize(
    ("stored", "typed"),
    [
        ('"two words"', "two words"),
        ('"say \\"hi\\" twice"', 'say "hi" twice'),
        ("two words", "two words"),
        ('"one"', '"one"'),                                     # run quotes only what has white space
        ('"a b" and "c d"', '"a b" and "c d"'),                 # two quotations, typed
        ('he said "go on"', 'he said "go on"'),
        ('"', '"'),
        ('""', '""'),
        ('"new\nline"', "new\nline"),
    ],
)
def test_a_prompt_of_opencode_run_is_unwrapped(stored: str, typed: str) -> None:
    assert unquoted(stored) == typed
