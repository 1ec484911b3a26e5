"""Recall as it is delivered in a turn (spec/qwen-code §7.2): what is there at once goes with the prompt, what a model chose later
with the next tool's result, and what nobody can be given any more is dropped by name.

::

    turn = memory.turn(prompt, delivered=delivered)
    turn.initial()          # with the prompt; waits 100 ms at most
    turn.tool_result()      # after a tool: waits for nothing
    turn.end()              # the turn is over

``delivered`` holds the ids that a session was given; hand the same set to each of its turns. Each delivery is an event.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import perf_counter

from reverie.core.recall import Result
from reverie.core.telemetry import Delivery
from reverie.flows import reading, telling
from reverie.flows.reading import Recalled
from reverie.flows.space import Space

INITIAL_SECONDS = 0.1       # that a prompt waits for what was chosen (spec/qwen-code §7.2)


class Turn:
    """One prompt's recall. ``by_rules`` is there; ``refine`` asks the model and may take its time, None: nobody is asked."""

    def __init__(
        self, space: Space, by_rules: Recalled, *, delivered: set[str], refine: Callable[[], Recalled] | None = None,
        fast: int = 2, seconds: float = INITIAL_SECONDS,
    ) -> None:
        self._space, self._delivered, self._fast, self._seconds = space, delivered, fast, seconds
        self._by_rules = by_rules
        self._started = perf_counter()
        self._settled = threading.Event()
        self._refined: Recalled | None = None
        self._is_over = False
        if refine is None:
            self._refined = by_rules
            self._settled.set()
        else:
            threading.Thread(target=self._run, args=(refine,), name="reverie-recall", daemon=True).start()

    def _run(self, refine: Callable[[], Recalled]) -> None:
        try:
            self._refined = refine()
        except Exception:       # the prompt is answered without it
            self._refined = self._by_rules
        self._settled.set()

    def initial(self) -> str:
        """What goes with the prompt: what was chosen, if that is settled in time, else the best two that the rules found."""
        if self._settled.wait(0 if self._by_rules.results else self._seconds):
            return self._refined_text("initial")
        fast = Recalled(self._by_rules.results[: self._fast], self._by_rules.scanned)
        return self._deliver(fast, phase="fast", point="initial") if fast.results else ""

    def tool_result(self) -> str:
        """What goes with a tool's result: what was chosen meanwhile and was not given yet; "" while nothing is settled."""
        return self._refined_text("tool_result") if self._settled.is_set() else ""

    def end(self, reason: str = "no_safe_delivery_point") -> None:
        """The turn is over: whatever was not delivered is dropped. ``reason``: also "new_query", "reset", "abort", "shutdown"."""
        if not self._is_over:
            self._is_over = True
            found = self._refined if self._settled.is_set() else None
            self._discard(found or Recalled([], self._by_rules.scanned), reason)

    def _refined_text(self, point: str) -> str:
        if self._is_over or self._refined is None:
            return ""
        self._is_over = True
        left = [each for each in self._refined.results if each.candidate.id not in self._delivered]
        if not left:
            self._discard(self._refined, "already_delivered" if self._refined.results else "no_relevant_results")
            return ""
        return self._deliver(Recalled(left, self._refined.scanned, self._refined.strategy), phase="refined", point=point)

    def _deliver(self, found: Recalled, *, phase: str, point: str) -> str:
        fresh: list[Result] = [each for each in found.results if each.candidate.id not in self._delivered]
        self._delivered.update(each.candidate.id for each in fresh)
        self._tell(phase, point, found.strategy, len(fresh))
        return reading.recall_block(self._space, fresh)

    def _discard(self, found: Recalled, reason: str) -> None:
        if found.results and all(each.candidate.id in self._delivered for each in found.results):
            reason = "already_delivered"
        self._tell("refined", "discarded", found.strategy, len(found.results), reason)

    def _tell(self, phase: str, point: str, strategy: str, selected: int, reason: str = "") -> None:
        telling.tell(self._space, Delivery(
            phase=phase, delivery_point=point, strategy=strategy, docs_selected=selected, discard_reason=reason,
            latency_ms=round(1_000 * (perf_counter() - self._started)),
        ))
