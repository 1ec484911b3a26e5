"""The door to a language model: every question passes here, so that each of its round trips is in the ledger before it is
made, no cap is passed, what the user forbade is not done, and no secret leaves the machine or comes back in.

``Metered`` is itself a ``Model``: whoever asks holds nothing else. ``Memory.model`` makes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from reverie.core import redact
from reverie.core.cost import Caps, Price
from reverie.core.model import Answer, Ask, Failure, Json, Meter, Model, ModelFailed, Tool, ToolRefused, Used
from reverie.storage.ledger import Call, Ledger

MOST = 10**12                   # tokens of one round trip that anybody may claim: the sums must not overflow
MOST_MONEY = 10**15             # millionths; far beyond any cap
NO_CALL = (Failure.CAP, Failure.FORBIDDEN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Metered:
    """A model whose every round trip is watched. Safe to use from several threads, as the model beneath it is.

    ``forbidden``: what forbids its calls ("" when they may be made), for a caller that would rather go on without.
    """

    model: Model
    ledger: Ledger
    caps: Caps = field(default_factory=Caps)
    price: Price | None = None
    currency: str = "USD"
    run: str = ""
    forbidden: str = ""

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def window(self) -> int:
        return self.model.window

    def for_run(self, run: str, *, most_tokens: int = 0) -> Metered:
        """The same model for one run, whose calls (by all its processes together) cost at most so many tokens; 0: as before."""
        caps = replace(self.caps, tokens_per_run=most_tokens) if most_tokens else self.caps
        return replace(self, run=run, caps=caps)

    def ask(self, ask: Ask, meter: Meter | None = None) -> Answer:
        """The answer, or ``ModelFailed``; either knows what was used. ``meter``: another that watches as well."""
        if self.forbidden:
            raise ModelFailed(Failure.FORBIDDEN, f"{self.name} was not called: calls of models are forbidden by {self.forbidden}")
        gauge = _Gauge(self, ask, meter)
        try:
            answer = self.model.ask(discreet(ask), gauge)
        except ModelFailed as failed:
            gauge.end("" if failed.why in NO_CALL else str(failed.why), failed.used)
            failed.used = gauge.used
            raise
        except BaseException:
            gauge.end("lost")
            raise
        gauge.end("", answer.used)
        data = None if answer.data is None else _redacted(answer.data)
        return replace(answer, text=redact.redact(answer.text).text, data=data, used=gauge.used)


class _Gauge:
    """The meter of one question: its round trips one after the other."""

    def __init__(self, metered: Metered, ask: Ask, outer: Meter | None) -> None:
        self._metered, self._ask, self._outer = metered, ask, outer
        self._open: tuple[int, int, int] | None = None      # the round trip at work: its number, and the most it can take
        self._last: tuple[int, Used] | None = None          # the one before it, and what it took
        self._refused: ModelFailed | None = None
        self.used = Used()

    def before(self, *, most_input: int, most_output: int) -> None:
        if self._refused:                                   # what was refused once is not tried again
            raise self._refused
        try:
            self._reserve(most_input, most_output)
        except ModelFailed as refused:
            self._refused = refused
            raise

    def _reserve(self, most_input: int, most_output: int) -> None:
        metered, cap = self._metered, self._ask.most_tokens
        if self._open:                                      # a round trip that nobody ended: it counts in full
            self._settle(self._bound(), "lost")
        if cap and self.used.tokens + most_input + most_output > cap:
            raise ModelFailed(Failure.CAP, (
                f"{metered.name} was not called: this question may take {cap:,} tokens, {self.used.tokens:,} are spent, and the "
                f"next call could take {most_input + most_output:,}"
            ))
        if self._outer:
            self._outer.before(most_input=most_input, most_output=most_output)
        self._announce(most_input, most_output, metered.caps)

    def _announce(self, most_input: int, most_output: int, caps: Caps) -> None:
        metered = self._metered
        price = metered.price
        money = min(price.most(input=most_input, output=most_output), MOST_MONEY) if price else None
        number = metered.ledger.reserve(
            Call(flow=self._ask.flow, model=metered.name, run=metered.run, most_input=most_input, most_output=most_output,
                 most_money=money, seconds=self._ask.seconds),
            caps, currency=metered.currency,
        )
        self._open = (number, most_input, most_output)

    def after(self, used: Used) -> None:
        if self._open:
            self._settle(used, "")

    def end(self, failure: str, said: Used | None = None) -> None:
        """The question has ended. A round trip that is still open counts in full; a model that announced none is recorded all
        the same, with what it says it used."""
        if self._open:
            self._settle(self._bound(), failure or "lost")
        elif failure and self._last:
            self._write(*self._last, failure)
        elif said and said.tokens and not self.used.calls:
            self._announce(0, 0, Caps())            # it is too late for a cap, not for the count
            self._settle(said, failure)

    def _bound(self) -> Used:
        assert self._open is not None
        return Used(input=self._open[1], output=self._open[2], known=False)

    def _settle(self, used: Used, failure: str) -> None:
        assert self._open is not None
        number, self._open = self._open[0], None
        used = _plausible(used)
        self._last = (number, used)
        self.used += used
        self._write(number, used, failure)
        if self._outer:
            self._outer.after(used)

    def _write(self, number: int, used: Used, failure: str) -> None:
        price = self._metered.price
        money = min(price.of(used), MOST_MONEY) if price else None
        self._metered.ledger.settle(number, used, money=money, failure=failure)


def _plausible(used: Used) -> Used:
    """What one round trip took, in numbers that can be added up: a server may claim anything."""
    def within(tokens: int) -> int:
        return max(0, min(tokens, MOST))

    return Used(
        input=within(used.input), output=within(used.output), cached=within(used.cached), written=within(used.written),
        calls=1, known=used.known,
    )


def discreet(ask: Ask) -> Ask:
    """A question without secrets, and with tools that tell none (DESIGN §4.4)."""
    return replace(
        ask, system=redact.redact(ask.system).text, prompt=redact.redact(ask.prompt).text,
        tools=tuple(_discreet_tool(tool) for tool in ask.tools),
    )


def _discreet_tool(tool: Tool) -> Tool:
    def run(arguments: Json) -> str:
        try:
            return redact.redact(tool.run(arguments)).text
        except ToolRefused as refused:
            raise ToolRefused(redact.redact(str(refused)).text) from refused

    return replace(tool, run=run)


def _redacted(value: Any) -> Any:
    """A JSON value without the secrets in its texts."""
    if isinstance(value, str):
        return redact.redact(value).text
    if isinstance(value, Mapping):
        return {key: _redacted(part) for key, part in value.items()}
    return [_redacted(part) for part in value] if isinstance(value, list) else value
