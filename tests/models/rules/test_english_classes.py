"""English by class of speech: who a statement is about, pointers, rules in passing, wishes, tasks; and what one sentence changes."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from reverie.core.proposal import Extraction, Proposal, Window
from reverie.core.session import Message, Voice
from reverie.models.rules import Rules

VOICES = {"u": Voice.PERSON, "a": Voice.ASSISTANT}
HERE = Path(__file__).resolve()


def load(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


classes = load("classes_en", HERE.with_name("classes_en.py"))


def talk(*turns: str) -> Extraction:
    """Turns as "u: text", "a: text"."""
    messages = [Message(id=str(i), voice=VOICES[turn[0]], text=turn[3:]) for i, turn in enumerate(turns)]
    return Rules().propose(Window(messages=messages))


def last(*turns: str) -> Proposal:
    found = talk(*turns).proposals
    assert len(found) == 1, [p.memory.body for p in found]
    return found[0]


def right(text: str, type: str, words: tuple[str, ...]) -> bool:
    found = talk(f"u: {text}").proposals
    if not type:
        return not found
    return len(found) == 1 and found[0].memory.type in type.split("|") and all(w.lower() in found[0].memory.text.lower() for w in words)


@pytest.mark.parametrize("table", ["SUBJECT", "POINTERS", "PERSON", "IN_PASSING", "PLAIN", "WISHES", "TASKS", "SUBJECT_2", "POINTERS_2", "MIXED_2"])
def test_sentences_of_a_class_are_kept_as_what_they_are(table: str) -> None:
    rows = getattr(classes, table)
    wrong = [text for text, type, words in rows if not right(text, type, words)]
    assert len(wrong) <= 0.15 * len(rows), wrong


@pytest.mark.parametrize("text", [text for text, type, _ in classes.TASKS if not type])
def test_tasks_faults_irony_and_other_peoples_affairs_are_nothing(text: str) -> None:
    assert not talk(f"u: {text}").proposals


@pytest.mark.parametrize(("before", "said", "body", "replaces"), [
    ("Mr. Haddad gets the billing reports.", "I told you wrong: not Mr. Haddad gets the billing reports but Ms. Oyelaran.",
     "Ms. Oyelaran gets the billing reports.", "Mr. Haddad"),
    ("plots are made with matplotlib", "swap matplotlib for plotnine in plots", "Use plotnine instead of matplotlib in plots.", "matplotlib"),
    ("docstrings follow the numpy style", "docstrings are google style now", "Docstrings are google style now.",
     "Docstrings follow the numpy style."),
    ("migrations are split into one file per table", "a single file per migration is fine again",
     "A single file per migration is fine again.", "Migrations are split into one file per table."),
    ("the formatter is black", "the formatter is now ruff and no longer black", "The formatter is now ruff.", "black"),
])
def test_a_new_state_names_the_one_it_ends(before: str, said: str, body: str, replaces: str) -> None:
    proposal = talk(f"u: {before}", "a: ok", f"u: {said}").proposals[-1]
    assert proposal.memory.body == body
    assert proposal.replaces == replaces


def test_a_corrected_value_keeps_the_rule_around_it() -> None:
    assert last("u: please use tabs in the Makefiles", "a: ok", "u: sorry, scratch that, I meant spaces").memory.body == "Use spaces in the Makefiles."


def test_a_percentage_does_not_become_a_version() -> None:
    assert "12%" not in " ".join(p.memory.body for p in talk("u: we only support iOS 16 and later", "a: ok", "u: sorry, I meant 12%").proposals)


@pytest.mark.parametrize(("answer", "said", "words"), [
    ("The numbers are in limits.toml now, read at start.", "love that limits file. make it the pattern for all the constants",
     ("limits.toml", "constants")),
    ("I wrote one fixture per endpoint, named after the route.", "Thank you, that is how I would like the fixtures to be from now on.",
     ("endpoint", "route")),
    ("Done. The handler now validates the body with pydantic.", "yes! do it the same way for the other handlers from now on",
     ("pydantic", "other handlers")),
])
def test_a_confirmation_carries_what_was_done(answer: str, said: str, words: tuple[str, ...]) -> None:
    memory = last(f"a: {answer}", f"u: {said}").memory
    assert memory.type == "feedback"
    assert all(word in memory.body for word in words)


def test_a_confirmation_of_a_question_is_nothing() -> None:
    assert not talk("a: Should I also update the docs?", "u: yes please, do it like that for the others from now on").proposals


@pytest.mark.parametrize(("said", "name"), [
    ("One change of plan: gateway deploys moved from Wednesdays to Mondays.", "Gateway deploys moved to Mondays"),
    ("We decided yesterday to freeze the intake schema until 20 February because the cooperative audits it.",
     "Freeze the intake schema until 20 February"),
    ("I tried batching with a thread pool in spring and the gateway dropped every second batch, so pushes stay sequential.",
     "Pushes stay sequential"),
])
def test_a_name_says_the_rule_and_not_how_it_came_up(said: str, name: str) -> None:
    assert last(f"u: {said}").memory.name == name
