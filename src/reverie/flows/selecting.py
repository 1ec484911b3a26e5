"""A model chooses what a prompt is given, where the user wants that: bounded by a deadline, and by rules when it does not answer.

Whoever asks waits until the deadline and not a moment longer, whatever the model does: it is asked in a thread of its own, and
an answer that comes too late is dropped (spec/qwen-code §24: #3759, every turn waited five seconds). What chose by rules
before is then what is given.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from queue import Empty, SimpleQueue

from reverie import texts
from reverie.axes.scoping import Mount
from reverie.core import budget, selecting
from reverie.core.model import Answer, Ask, Effort
from reverie.core.recall import Candidate, Result, full_text
from reverie.flows import reading
from reverie.flows.metering import Metered
from reverie.flows.reading import Recalled
from reverie.flows.space import Space

MOST_CHOSEN = 5                         # spec/qwen-code §7.4
ANSWER_TOKENS = 1_000


class Chosen(Result):
    """A memory that a model chose: there are no words to explain it by."""

    __slots__ = ("by",)

    def __init__(self, candidate: Candidate, *, characters: int, by: str) -> None:
        shown = budget.clip(full_text(candidate), characters)
        self.candidate = candidate
        self.score = 1.0
        self.text = shown.text
        self.left_out = shown.characters
        self.by = by

    @property
    def words(self) -> dict[str, list[str]]:
        return {}

    @property
    def meanings(self) -> dict[str, str]:
        return {}

    @property
    def parts(self) -> dict[str, float]:
        return {}

    def explain(self) -> str:
        return f"chosen by {self.by}"


def select(
    space: Space, mounts: Sequence[Mount], prompt: str, by_rules: Recalled, *, model: Metered, documents: int, characters: int,
    seconds: float, skip: Collection[str] = (), tools: Sequence[str] = (),
) -> Recalled:
    """What the model chooses for a prompt, within ``seconds``; what it does not choose is not filled up. ``by_rules`` when it
    gives no answer that counts in time."""
    there = [each for each in reading.everything(space, mounts, tools) if each.id not in skip] if prompt.strip() else []
    if not there or model.forbidden:
        return by_rules
    lexical = [result.candidate for result in by_rules.results]
    judge = reading.Judge(space, mounts)
    listed, shown = selecting.manifest([each for each in selecting.offered(lexical, there) if judge.lets(each)])
    limit = min(documents, MOST_CHOSEN)
    answer = within(model, Ask(
        flow="recall", system=texts.load("selecting", limit=str(limit)), prompt=selecting.question(prompt, listed, tools),
        schema=selecting.SCHEMA, effort=Effort.LOW, output_tokens=ANSWER_TOKENS, seconds=seconds,
    ))
    found = selecting.chosen(answer.data, shown, limit=limit) if answer else None
    if found is None:
        return by_rules
    results: list[Result] = [Chosen(each, characters=characters, by=f"model:{model.name}") for each in found]
    return Recalled(results, by_rules.scanned or len(there), "model" if results else "none")


def within(model: Metered, ask: Ask) -> Answer | None:
    """The model's answer if it comes in time, else None; what else it raises counts as none, too."""
    box: SimpleQueue[Answer | None] = SimpleQueue()

    def run() -> None:
        try:
            box.put(model.ask(ask))
        except Exception:       # a model's failure, a full disk: the prompt is answered without it
            box.put(None)

    threading.Thread(target=run, name="reverie-recall-model", daemon=True).start()
    try:
        return box.get(timeout=ask.seconds)
    except Empty:
        return None
