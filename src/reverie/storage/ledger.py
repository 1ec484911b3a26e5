"""The ledger: every call of a model, written down before it is made and again when it has ended.

Before a call the most that it can cost is reserved; the same transaction looks at what was spent and reserved by whoever
works on this home, and refuses what could pass a cap. Sixteen processes at once are kept apart by the database's own lock.
When the call has ended its reservation gives way to what it did cost. That of a process that died stays, in full, for the
day and the month it was made in: it may have been spent.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from reverie.core.cost import Caps, Spent, money_text
from reverie.core.model import Failure, ModelFailed, Used
from reverie.storage.database import Database, time_text

SOON = 30.0             # seconds: a call that only waits for others to end may try again then


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call that is about to be made. ``most_money`` in millionths; None: the model's price is not known."""

    flow: str
    model: str
    most_input: int
    most_output: int
    most_money: int | None = None
    run: str = ""
    seconds: float = 120.0              # after that it has ended, or died

    @property
    def most_tokens(self) -> int:
        return self.most_input + self.most_output


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The calls of one day, flow and model, summed."""

    day: str
    flow: str
    model: str
    calls: int
    input: int                          # of calls that have ended
    output: int
    cached: int
    lost: int                           # tokens reserved by calls whose end nobody wrote down, or that are at work
    money: int | None                   # millionths, with what is reserved; None: no price known
    estimated: int                      # calls whose provider did not say what they used
    failed: int
    over: int                           # calls that used more than a call of their size can


class Ledger:
    """The calls of one home."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock

    def reserve(self, call: Call, caps: Caps, *, currency: str = "USD") -> int:
        """Announce a call; answers with its number. Raises ``ModelFailed`` (CAP) when it could pass a cap: then nothing is
        reserved, and ``retry_after`` is set when calls at work, ending cheaper than they might, could make room."""
        now = self._clock()
        with self._database.transaction(durable=True):
            self._check(call, caps, now, currency)
            row = self._database.one(
                "reserve_call", at=time_text(now), until=time_text(now + timedelta(seconds=call.seconds)), flow=call.flow,
                run=call.run, model=call.model, most_input=call.most_input, most_output=call.most_output,
                most_money=call.most_money,
            )
        assert row is not None
        return int(row["id"])

    def settle(self, number: int, used: Used, *, money: int | None, failure: str = "") -> None:
        """Write down what a call did cost."""
        with self._database.transaction():
            self._database.run(
                "settle_call", id=number, input=used.input, output=used.output, cached=used.cached, written=used.written,
                money=money, known=int(used.known), failure=failure,
            )

    def today(self) -> Spent:
        """Since midnight, UTC."""
        return self._spent(self._clock(), day=True)

    def this_month(self) -> Spent:
        """Since the first of the month, UTC."""
        return self._spent(self._clock(), day=False)

    def of_run(self, run: str) -> Spent:
        """By one run, however many processes it has."""
        return _sums(self._database.one("spent_by_run", run=run, now=time_text(self._clock())))

    def lines(self, since: datetime) -> list[Line]:
        """What was spent since then, the newest day first."""
        rows = self._database.rows("calls_by_day", since=time_text(since))
        return [Line(**{name: row[name] for name in Line.__slots__}) for row in rows]

    def _spent(self, now: datetime, *, day: bool) -> Spent:
        since = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        since = since if day else since.replace(day=1)
        return _sums(self._database.one("spent_since", since=time_text(since), now=time_text(now)))

    def _check(self, call: Call, caps: Caps, now: datetime, currency: str) -> None:
        if caps.on_money and call.most_money is None:
            raise ModelFailed(Failure.CAP, (
                f"{call.model}: its price is not known, so the cap on money cannot be held. Set it in settings.toml, "
                f"[prices.{call.model!r}] with input and output, or set models.money_per_day and models.money_per_month to 0"
            ))
        day, month = self._spent(now, day=True), self._spent(now, day=False)
        money = call.most_money or 0
        for name, cap, spent, at_work, more in (
            ("models.tokens_per_day", caps.tokens_per_day, day.tokens, day.at_work, call.most_tokens),
            ("models.tokens_per_month", caps.tokens_per_month, month.tokens, month.at_work, call.most_tokens),
            ("models.money_per_day", caps.money_per_day, day.money, day.money_at_work, money),
            ("models.money_per_month", caps.money_per_month, month.money, month.money_at_work, money),
        ):
            _hold(call, name, cap, spent, at_work, more, currency if "money" in name else "")
        if caps.tokens_per_run and call.run:
            run = _sums(self._database.one("spent_by_run", run=call.run, now=time_text(now)))
            _hold(call, "the run's cap", caps.tokens_per_run, run.tokens, run.at_work, call.most_tokens, "")


def _hold(call: Call, name: str, cap: int, spent: int, at_work: int, more: int, currency: str) -> None:
    if not cap or spent + more <= cap:
        return

    def said(amount: int) -> str:
        return money_text(amount, currency) if currency else f"{amount:,} tokens"

    waits = spent - at_work + more <= cap
    way_out = "Calls at work hold the rest: try again when they have ended" if waits else "`reverie cost` shows what was spent"
    raise ModelFailed(
        Failure.CAP,
        f"{call.model} was not called: {name} is {said(cap)}, {said(spent)} are spent or reserved, and this call could take "
        f"{said(more)}. {way_out}",
        retry_after=SOON if waits else 0.0,
    )


def _sums(row: object) -> Spent:
    return Spent(**{name: int(row[name]) for name in Spent.__slots__})  # type: ignore[index]
