"""The ledger: no cap is passed, whoever works at the same time, whoever dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.cost import Caps, Price
from reverie.core.model import Failure, ModelFailed, Used
from reverie.storage.home import Home
from reverie.storage.ledger import Call

from .conftest import Clock, MakeHome

NO_CAPS = Caps()


def call(input: int = 100, output: int = 50, **more: object) -> Call:
    return Call(flow="extract", model="scripted:model", most_input=input, most_output=output, **more)  # type: ignore[arg-type]


def test_a_reservation_counts_until_it_is_settled(home: Home) -> None:
    number = home.ledger.reserve(call(most_money=900), NO_CAPS)
    spent = home.ledger.today()
    assert (spent.calls, spent.tokens, spent.at_work, spent.money) == (1, 150, 150, 900)
    home.ledger.settle(number, Used(input=40, output=5, cached=10, calls=1), money=80)
    spent = home.ledger.today()
    assert (spent.calls, spent.tokens, spent.at_work, spent.money, spent.unpriced) == (1, 45, 0, 80, 0)


@pytest.mark.parametrize("caps", [Caps(tokens_per_day=299), Caps(tokens_per_month=299), Caps(tokens_per_run=299),
                                  Caps(money_per_day=1_999), Caps(money_per_month=1_999)])  # fmt: skip
def test_a_call_that_could_pass_a_cap_is_not_made(home: Home, caps: Caps) -> None:
    one = call(most_money=1_000, run="learn-1")
    number = home.ledger.reserve(one, caps)
    with pytest.raises(ModelFailed) as failed:
        home.ledger.reserve(one, caps)
    assert failed.value.why is Failure.CAP
    assert failed.value.retry_after > 0                 # the first may end cheaper
    home.ledger.settle(number, Used(input=100, output=50), money=1_000)
    with pytest.raises(ModelFailed) as failed:
        home.ledger.reserve(one, caps)
    assert failed.value.retry_after == 0                # it did not
    assert "reverie cost" in str(failed.value)
    assert home.ledger.today().calls == 1


def test_a_cap_may_be_reached_exactly(home: Home) -> None:
    for _ in range(2):
        home.ledger.settle(home.ledger.reserve(call(), Caps(tokens_per_day=300)), Used(input=100, output=50), money=None)
    assert home.ledger.today().tokens == 300


def test_a_run_has_a_cap_of_its_own(home: Home) -> None:
    caps = Caps(tokens_per_run=150)
    home.ledger.reserve(call(run="learn-1"), caps)
    home.ledger.reserve(call(run="learn-2"), caps)
    with pytest.raises(ModelFailed, match="the run's cap"):
        home.ledger.reserve(call(run="learn-1"), caps)


def test_without_a_price_a_cap_on_money_cannot_be_held(home: Home) -> None:
    with pytest.raises(ModelFailed, match=r"price is not known.*prices\.'scripted:model'"):
        home.ledger.reserve(call(), Caps(money_per_day=1))
    assert home.ledger.today().calls == 0


def test_a_new_day_and_a_new_month_begin_anew(home: Home, clock: Clock) -> None:
    clock.now = datetime(2026, 3, 30, 23, 59, tzinfo=UTC)
    caps = Caps(tokens_per_day=150, tokens_per_month=300)
    home.ledger.reserve(call(), caps)
    with pytest.raises(ModelFailed, match="tokens_per_day"):
        home.ledger.reserve(call(), caps)
    clock.now = datetime(2026, 3, 31, 0, 0, tzinfo=UTC)
    home.ledger.reserve(call(), caps)
    clock.now = datetime(2026, 3, 31, 12, 0, tzinfo=UTC)
    with pytest.raises(ModelFailed, match="tokens_per_day"):
        home.ledger.reserve(call(), caps)
    clock.now = datetime(2026, 4, 1, 0, 0, tzinfo=UTC)
    home.ledger.reserve(call(), caps)


def test_a_clock_that_was_set_back_frees_nothing(home: Home, clock: Clock) -> None:
    caps = Caps(tokens_per_day=150)
    home.ledger.reserve(call(), caps)
    clock.now = datetime(2026, 2, 1, tzinfo=UTC)
    with pytest.raises(ModelFailed):
        home.ledger.reserve(call(), caps)


def test_what_was_used_beyond_the_bound_is_recorded_and_said(home: Home) -> None:
    number = home.ledger.reserve(call(), NO_CAPS)
    home.ledger.settle(number, Used(input=100, output=5_000), money=None)
    (line,) = home.ledger.lines(datetime(2026, 1, 1, tzinfo=UTC))
    assert (line.over, line.output) == (1, 5_000)
    with pytest.raises(ModelFailed):
        home.ledger.reserve(call(), Caps(tokens_per_day=5_000))


SPENDER = """
import os, sys, time
from datetime import UTC, datetime
from reverie.core.cost import Caps
from reverie.core.model import ModelFailed, Used
from reverie.storage.home import Home
from reverie.storage.ledger import Call
home = Home(sys.argv[1], lambda: datetime(2026, 3, 1, 12, tzinfo=UTC))
made = 0
for _ in range(12):
    try:
        number = home.ledger.reserve(Call(flow="extract", model="m", run="r", most_input=70, most_output=30), Caps(**{sys.argv[2]: 2_000}))
    except ModelFailed:
        continue
    time.sleep(0.002)
    home.ledger.settle(number, Used(input=70, output=30), money=None)
    made += 1
print(made)
"""


@pytest.mark.slow
@pytest.mark.parametrize("cap", ["tokens_per_day", "tokens_per_run"])
def test_sixteen_processes_at_once_do_not_pass_a_cap(tmp_path: Path, cap: str, make_home: MakeHome, clock: Clock) -> None:
    command = [sys.executable, "-c", SPENDER, str(tmp_path / "home"), cap]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(16)]
    outputs = [process.communicate(timeout=100) for process in processes]
    assert [error for _, error in outputs if error] == []
    made = sum(int(output) for output, _ in outputs)
    assert made == 20                                   # all that the cap allows, and not one more
    assert make_home().ledger.today().tokens == 2_000


KILLED = SPENDER.split("made = 0", maxsplit=1)[0] + """
home.ledger.reserve(Call(flow="extract", model="m", most_input=900, most_output=100, seconds=60), Caps())
print("reserved", flush=True)
time.sleep(60)
"""


def test_what_a_killed_process_reserved_counts_as_spent(tmp_path: Path, make_home: MakeHome, clock: Clock) -> None:
    with subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path / "home")], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout and process.stdout.readline() == "reserved\n"
        os.kill(process.pid, signal.SIGKILL)
    home = make_home()
    assert (home.ledger.today().tokens, home.ledger.today().at_work) == (1_000, 1_000)
    clock.now = datetime(2026, 3, 1, 13, tzinfo=UTC)
    assert (home.ledger.today().tokens, home.ledger.today().at_work) == (1_000, 0)
    with pytest.raises(ModelFailed) as failed:
        home.ledger.reserve(call(), Caps(tokens_per_day=1_100))
    assert failed.value.retry_after == 0


@given(
    calls=st.lists(st.tuples(st.integers(0, 400), st.integers(0, 200), st.floats(0, 1), st.booleans()), max_size=25),
    day=st.integers(1, 2_000), run=st.integers(1, 2_000), money=st.integers(1, 4_000),
)
@hypothesis.settings(max_examples=60, deadline=None)
def test_whatever_is_asked_no_cap_is_passed(
    tmp_path_factory: pytest.TempPathFactory, calls: list[tuple[int, int, float, bool]], day: int, run: int, money: int
) -> None:
    """Calls of any size, which take any part of what they may, some of whose processes die."""
    price = Price(input=1, output=3)
    caps = Caps(tokens_per_day=day, tokens_per_run=run, money_per_day=money)
    taken = 0
    with Home(str(tmp_path_factory.mktemp("home")), Clock()) as home:
        for input, output, part, dies in calls:
            try:
                number = home.ledger.reserve(call(input, output, run="r", most_money=price.most(input=input, output=output)), caps)
            except ModelFailed:
                continue
            used = Used(input=int(input * part), output=int(output * part))
            taken += used.tokens
            if not dies:
                home.ledger.settle(number, used, money=price.of(used))
            spent = home.ledger.today()
            assert taken <= spent.tokens <= min(day, run)
            assert spent.money <= money
