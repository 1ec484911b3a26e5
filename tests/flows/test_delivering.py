"""The deliveries of a turn (spec/qwen-code §7.2, §16): fast, refined, discarded, each an event with its reason."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest

from reverie.core.model import Answer, Ask, Meter, Used
from reverie.memory import Memory, open_memory
from reverie.testing import ScriptedModel

FACTS = ("Deploys of the ferry happen on Mondays", "The ferry board is in Grafana", "The ferry keys lie in the vault", "The ferry is written in Go")


class Late:
    """A model that answers when it is let."""

    name, window = "late:model", 100_000

    def __init__(self, *wanted: str) -> None:
        self.wanted = wanted
        self.let = threading.Event()

    def ask(self, ask: Ask, meter: Meter) -> Answer:
        assert self.let.wait(30)
        ids = [line.split("] ")[1].split(" (")[0] for line in ask.prompt.splitlines() if line.startswith("- [") and any(w in line for w in self.wanted)]
        return Answer(text="", data={"selected_memories": ids}, used=Used(calls=1))


def opened(tmp_path: Path, model: Any = None) -> Memory:
    memory = open_memory(tmp_path / "home", design="qwen-code@0.24", cwd=tmp_path, model=model,
                         environment={"HOME": str(tmp_path), "REVERIE_RECALL_STRATEGY": "model" if model else "heuristic"})
    if not memory.list():
        for fact in FACTS:
            memory.remember(fact, type="project")
    return memory


def deliveries(memory: Memory) -> list[tuple[Any, ...]]:
    return [(facts["phase"], facts["delivery_point"], facts["strategy"], facts["docs_selected"], facts.get("discard_reason", ""))
            for facts in (dict(event.facts) for event in memory.events(kinds=["delivery"]))]


def settled(let: Late) -> None:
    let.let.set()
    for thread in threading.enumerate():
        if thread.name.startswith("reverie-recall"):
            thread.join(30)


def test_without_a_model_all_goes_with_the_prompt(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        given: set[str] = set()
        turn = memory.turn("ferry", delivered=given)
        assert turn.initial().count("\n### ") == 4 and turn.tool_result() == ""
        turn.end()
        assert memory.turn("ferry", delivered=given).initial() == "", "a document is delivered once in a session"
        assert deliveries(memory) == [("refined", "initial", "heuristic", 4, ""), ("refined", "discarded", "none", 0, "no_relevant_results")]


def test_two_at_once_and_what_the_model_chose_with_the_next_tool(tmp_path: Path) -> None:
    model = Late("Mondays", "written in Go")
    with opened(tmp_path, model) as memory:
        turn = memory.turn("ferry")
        assert turn.initial().count("\n### ") == 2 and turn.tool_result() == ""
        settled(model)
        late = turn.tool_result()
        assert late.startswith("<reverie-memory") and late.count("\n### ") == 1
        assert turn.tool_result() == ""
        turn.end()
        told = deliveries(memory)
        assert [each[:3] for each in told] == [("fast", "initial", "heuristic"), ("refined", "tool_result", "model")]
        assert [event.facts["strategy"] for event in memory.events(kinds=["recall"])] == ["model"]


def test_a_model_that_is_quick_enough_needs_no_fast_answer(tmp_path: Path) -> None:
    with opened(tmp_path, ScriptedModel([{"selected_memories": []}])) as memory:
        started = time.monotonic()
        turn = memory.turn("zebra")             # the rules find nothing: so long is waited for the model
        assert turn.initial() == ""
        assert time.monotonic() - started < 10
        turn.end()
        assert deliveries(memory)[-1][4] == "no_relevant_results"


@pytest.mark.parametrize("reason", ["no_safe_delivery_point", "new_query", "reset", "abort", "shutdown"])
def test_what_comes_too_late_is_dropped_by_name(tmp_path: Path, reason: str) -> None:
    model = Late("vault")
    with opened(tmp_path, model) as memory:
        turn = memory.turn("zebra crossing")
        started = time.monotonic()
        assert turn.initial() == ""
        assert time.monotonic() - started < 10, "100 ms; the model would have taken 30 s"
        turn.end(reason)
        settled(model)
        assert turn.tool_result() == "", "nothing is carried into the next turn"
        assert deliveries(memory) == [("refined", "discarded", "none", 0, reason)]


def test_what_went_out_already_is_said_to_have(tmp_path: Path) -> None:
    model = Late("Mondays")
    with opened(tmp_path, model) as memory:
        turn = memory.turn("deploys Mondays")
        assert "Mondays" in turn.initial()
        settled(model)
        assert turn.tool_result() == ""
        turn.end()
        assert deliveries(memory)[-1] == ("refined", "discarded", "model", 1, "already_delivered")


def test_a_model_that_breaks_leaves_it_to_the_rules(tmp_path: Path) -> None:
    with opened(tmp_path, ScriptedModel([])) as memory:
        turn = memory.turn("ferry")
        first = turn.initial()
        for thread in threading.enumerate():
            if thread.name.startswith("reverie-recall"):
                thread.join(30)
        assert first.count("\n### ") + turn.tool_result().count("\n### ") == 4
        turn.end()


def test_what_goes_with_a_prompt_by_a_hook_is_a_delivery_too(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        assert memory.prompt_block("ferry", session="one").count("\n### ") == 4
        assert memory.prompt_block("ferry", session="one") == "" and memory.prompt_block("zebra", session="one") == ""
        assert deliveries(memory) == [
            ("refined", "initial", "heuristic", 4, ""), ("refined", "discarded", "heuristic", 0, "already_delivered"),
            ("refined", "discarded", "none", 0, "no_relevant_results")]
