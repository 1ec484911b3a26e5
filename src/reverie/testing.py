"""For tests of programs that use Reverie, and of Reverie itself: a model that says what a test wrote down, a clock that stands
still, a memory in a temporary folder.

::

    from reverie.testing import Calls, ScriptedModel, temporary_memory

    model = ScriptedModel([Calls(("read", {"path": "a.md"})), {"memories": []}])
    with temporary_memory(model=model) as memory:
        ...
    assert model.asks[0].flow == "extract"
"""

from __future__ import annotations

import json
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reverie.core import answers
from reverie.core.model import Answer, Ask, Failure, Meter, ModelFailed, Tool, ToolRefused, Unmetered, Used

if TYPE_CHECKING:
    from reverie.memory import Memory

__all__ = ["Calls", "FixedClock", "ScriptedModel", "Unmetered", "temporary_memory"]


class Calls:
    """A turn in which a model calls tools: (name, arguments) pairs."""

    def __init__(self, *calls: tuple[str, Mapping[str, Any]]) -> None:
        self.calls = calls


# What a model says in one round trip: words, the data of a schema, calls of tools, or a failure.
Turn = str | Mapping[str, Any] | Calls | ModelFailed


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question that a scripted model was asked, and what its tools answered: (name, is it a refusal, text)."""

    ask: Ask
    results: list[tuple[str, bool, str]]


class ScriptedModel:
    """A model that answers with the turns of a script, or with what a function makes of the question.

    It behaves as a real one does: each turn is a round trip that the meter hears of before and after; an answer that does not
    fit the schema is a ``BAD_ANSWER``; more rounds than allowed, too. A script that is at its end fails (UNAVAILABLE). The tokens
    it uses are a quarter of the characters, or ``used`` for each turn.
    """

    def __init__(
        self, script: Sequence[Turn] | Callable[[Ask], Turn | Sequence[Turn]], *, name: str = "scripted:model",
        window: int = 200_000, used: Used | None = None,
    ) -> None:
        self.name = name
        self.window = window
        self.asked: list[Asked] = []
        self._script = script if callable(script) else iter(list(script))
        self._used = used
        self._guard = threading.Lock()

    @property
    def asks(self) -> list[Ask]:
        """The questions so far."""
        return [each.ask for each in self.asked]

    def ask(self, ask: Ask, meter: Meter | None = None) -> Answer:
        asked = Asked(ask=ask, results=[])
        with self._guard:
            self.asked.append(asked)
        turns = self._turns(ask)
        used = Used()
        size = len((ask.system + ask.prompt).encode())
        for _ in range(max(1, ask.rounds)):
            turn, spent = self._round(turns, ask, meter or Unmetered(), size)
            used += spent
            if isinstance(turn, ModelFailed):
                raise turn
            if not isinstance(turn, Calls):
                return self._answer(turn, ask, used)
            for name, arguments in turn.calls:
                result = _call(ask.tools, name, arguments)
                asked.results.append((name, *result))
                size += len(result[1].encode())
        raise ModelFailed(Failure.BAD_ANSWER, f"{self.name} still called tools after {ask.rounds} rounds", used=used)

    def _turns(self, ask: Ask) -> Iterator[Turn]:
        if not callable(self._script):
            return self._script
        said = self._script(ask)
        return iter([said] if isinstance(said, (str, Mapping, Calls, ModelFailed)) else said)

    def _round(self, turns: Iterator[Turn], ask: Ask, meter: Meter, size: int) -> tuple[Turn, Used]:
        meter.before(most_input=size, most_output=ask.output_tokens)
        with self._guard:
            turn = next(turns, None)
        if turn is None:
            turn = ModelFailed(Failure.UNAVAILABLE, "the script of the model is at its end")
        said = turn if isinstance(turn, str) else json.dumps(turn) if isinstance(turn, Mapping) else ""
        used = self._used or Used(input=size // 4, output=len(said) // 4 + 1, calls=1)
        meter.after(used)
        return turn, used

    def _answer(self, turn: str | Mapping[str, Any], ask: Ask, used: Used) -> Answer:
        text = turn if isinstance(turn, str) else json.dumps(turn, ensure_ascii=False)
        data = answers.parsed(text, ask.schema) if ask.schema is not None else None
        return Answer(text=text, data=data, used=used, model=self.name)


def _call(tools: Sequence[Tool], name: str, arguments: Mapping[str, Any]) -> tuple[bool, str]:
    tool = next((tool for tool in tools if tool.name == name), None)
    if tool is None:
        return True, f"there is no tool {name!r}"
    try:
        return False, tool.run(arguments)
    except ToolRefused as refused:
        return True, str(refused)


class FixedClock:
    """A clock that shows what it is told to."""

    def __init__(self, now: datetime | None = None) -> None:
        self.now = now or datetime(2026, 3, 2, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **span: float) -> None:
        """``forward(hours=6)``."""
        self.now += timedelta(**span)


@contextmanager
def temporary_memory(
    *, design: str | None = None, model: Any = None, clock: Callable[[], datetime] | None = None,
    environment: Mapping[str, str] | None = None, settings: str = "",
) -> Iterator[Memory]:
    """A memory of a project of its own, in a folder that is gone afterwards. ``environment``: nothing of the real one is seen.
    ``settings``: the text of its settings.toml."""
    from reverie.memory import open_memory

    with tempfile.TemporaryDirectory(prefix="reverie-", ignore_cleanup_errors=True) as folder:
        home, project = Path(folder, "home"), Path(folder, "project")
        project.mkdir()
        if settings:
            home.mkdir()
            (home / "settings.toml").write_text(settings, encoding="utf-8")
        with open_memory(
            home, design=design, cwd=project, environment={"HOME": folder, **(environment or {})}, clock=clock or FixedClock(),
            model=model,
        ) as memory:
            yield memory
