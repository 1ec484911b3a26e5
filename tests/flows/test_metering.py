"""The door to a model: caps held before they are passed, nothing unrecorded, no secret in or out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from reverie.core.cost import Caps, Price
from reverie.core.model import Answer, Ask, Failure, Meter, ModelFailed, Tool, ToolRefused, Used
from reverie.flows.metering import Metered
from reverie.memory import Memory
from reverie.testing import Calls, ScriptedModel, temporary_memory

KEY = "sk-ant-" + "api03-" + "Zq8vW3nR7tYb2LkXc9Mf4HsJd6GpVa1E" * 2 + "-AA"


@pytest.fixture
def memory() -> Iterator[Memory]:
    with temporary_memory() as memory:
        yield memory


def ask(prompt: str = "x" * 400, **more: Any) -> Ask:
    return Ask(flow="extract", prompt=prompt, **{"system": "", "output_tokens": 100, **more})


def metered(memory: Memory, model: Any, **more: Any) -> Metered:
    return Metered(model=model, ledger=memory.space.home.ledger, **more)


def failure_of(act: Callable[[], object]) -> ModelFailed:
    with pytest.raises(ModelFailed) as failed:
        act()
    return failed.value


def test_each_round_trip_is_in_the_ledger(memory: Memory) -> None:
    tool = Tool(name="look", description="", parameters={"type": "object"}, run=lambda given: "seen")
    model = ScriptedModel([Calls(("look", {})), Calls(("look", {})), "done"], used=Used(input=10, output=3))
    answer = metered(memory, model, price=Price(input=1, output=10)).ask(ask(tools=(tool,), rounds=5))
    assert (answer.text, answer.used) == ("done", Used(input=30, output=9, calls=3))
    today = memory.space.home.ledger.today()
    assert (today.calls, today.tokens, today.money, today.at_work) == (3, 39, 120, 0)


@pytest.mark.parametrize("cap", [0, 300, 499, 500, 999, 1_000, 1_234, 5_000])
def test_a_run_with_a_cap_never_spends_more(memory: Memory, cap: int) -> None:
    """Each call can take 500 tokens and takes all of them."""
    model = metered(memory, ScriptedModel(lambda ask: "yes", used=Used(input=400, output=100))).for_run("learn-1", most_tokens=cap)
    made = 0
    for _ in range(12):
        try:
            model.ask(ask())
        except ModelFailed as failed:
            assert failed.why is Failure.CAP
        else:
            made += 1
    assert made == (cap // 500 if cap else 12)
    assert not cap or memory.space.home.ledger.of_run("learn-1").tokens <= cap


def test_a_question_with_a_cap_stops_within_its_loop(memory: Memory) -> None:
    tool = Tool(name="look", description="", parameters={"type": "object"}, run=lambda given: "seen")
    model = ScriptedModel(lambda ask: [Calls(("look", {}))] * 50, used=Used(input=100, output=20))
    failed = failure_of(lambda: metered(memory, model).ask(ask("x" * 100, tools=(tool,), rounds=50, most_tokens=1_000)))
    assert failed.why is Failure.CAP
    assert 500 < failed.used.tokens <= 1_000
    assert memory.space.home.ledger.today().tokens == failed.used.tokens


def test_a_server_that_takes_more_than_it_may_is_recorded_and_asked_no_more(memory: Memory) -> None:
    model = metered(memory, ScriptedModel(lambda ask: "long", used=Used(input=400, output=9_000)), caps=Caps(tokens_per_day=1_000))
    assert model.ask(ask()).used.tokens == 9_400
    assert failure_of(lambda: model.ask(ask())).why is Failure.CAP
    assert memory.space.home.ledger.today().tokens == 9_400


@pytest.mark.parametrize("claimed", [Used(input=-500, output=-100), Used(input=10**30, output=10**30), Used(input=2**63, output=2**63)])
def test_claims_that_cannot_be_break_no_sums(memory: Memory, claimed: Used) -> None:
    model = metered(memory, ScriptedModel(lambda ask: "", used=claimed), price=Price(input=1, output=1))
    for _ in range(3):
        model.ask(ask())
    assert memory.space.home.ledger.today().tokens >= 0


class Forgetful:
    """A model that does not tell its meter the whole story."""

    name, window = "forgetful:model", 0

    def __init__(self, *, announces: bool, fails: Exception | None = None) -> None:
        self.announces, self.fails = announces, fails

    def ask(self, ask: Ask, meter: Meter) -> Answer:
        if self.announces:
            meter.before(most_input=400, most_output=100)
        if self.fails:
            raise self.fails
        return Answer(text="", used=Used(input=70, output=7))


def test_a_round_trip_that_nobody_ended_counts_in_full(memory: Memory) -> None:
    metered(memory, Forgetful(announces=True)).ask(ask())
    assert memory.space.home.ledger.today().tokens == 500
    failed = failure_of(lambda: metered(memory, Forgetful(announces=True, fails=ModelFailed(Failure.TIMEOUT, ""))).ask(ask()))
    assert failed.used == Used(input=400, output=100, calls=1, known=False)
    with pytest.raises(KeyError):
        metered(memory, Forgetful(announces=True, fails=KeyError("a fault of ours"))).ask(ask())
    assert memory.space.home.ledger.today().tokens == 1_500


class Stubborn:
    """A model that asks for less when it was refused, and begins a round trip before the last has ended."""

    name, window = "stubborn:model", 0

    def ask(self, ask: Ask, meter: Meter) -> Answer:
        for most in (400, 300, 200):
            try:
                meter.before(most_input=most, most_output=0)
            except ModelFailed:
                continue
        return Answer(text="")


def test_what_was_refused_once_is_not_tried_smaller(memory: Memory) -> None:
    metered(memory, Stubborn(), caps=Caps(tokens_per_day=350)).ask(ask())
    assert memory.space.home.ledger.today().calls == 0


def test_a_round_trip_that_gives_way_to_the_next_counts_in_full(memory: Memory) -> None:
    answer = metered(memory, Stubborn()).ask(ask())
    assert answer.used == Used(input=900, calls=3, known=False)
    today = memory.space.home.ledger.today()
    assert (today.calls, today.tokens, today.at_work) == (3, 900, 0)


def test_a_tools_refusal_tells_no_secret(memory: Memory) -> None:
    def run(given: Any) -> str:
        raise ToolRefused(f"no: {KEY}")

    tool = Tool(name="look", description="", parameters={"type": "object"}, run=run)
    model = ScriptedModel([Calls(("look", {})), "done"])
    metered(memory, model).ask(ask(tools=(tool,), rounds=3))
    [(_, refused, text)] = model.asked[0].results
    assert refused and text.startswith("no: ") and KEY not in text


def test_a_call_that_was_not_announced_is_recorded_all_the_same(memory: Memory) -> None:
    metered(memory, Forgetful(announces=False)).ask(ask())
    assert memory.space.home.ledger.today().tokens == 77
    for caps in (Caps(tokens_per_day=50), Caps(money_per_day=1)):           # passed by then, or not to be held
        metered(memory, Forgetful(announces=False), caps=caps).ask(ask())
    fails = ModelFailed(Failure.TIMEOUT, "", used=Used(input=20, output=3))
    assert failure_of(lambda: metered(memory, Forgetful(announces=False, fails=fails)).ask(ask())).used.tokens == 23
    assert memory.space.home.ledger.today().tokens == 3 * 77 + 23


def test_a_price_beyond_all_measure_breaks_no_sums(memory: Memory) -> None:
    model = ScriptedModel(["one", "two"], used=Used(input=10**30, output=10**30))
    for _ in range(2):
        metered(memory, model, price=Price(input=1e6, output=1e6)).ask(ask())
    failed = failure_of(lambda: metered(memory, model, price=Price(input=1e6, output=1e6), caps=Caps(money_per_day=10**12)).ask(ask()))
    assert failed.why is Failure.CAP
    assert memory.space.home.ledger.today().money == 2 * 10**15


@pytest.mark.parametrize("flow", ["extract", "consolidate", "dream", "recall"])
def test_the_cap_of_a_run_holds_in_every_flow(flow: str) -> None:
    script = ScriptedModel(lambda ask: "yes", used=Used(input=400, output=100))
    with temporary_memory(model=script, settings="models.tokens_per_run = 1200\n") as memory:
        for _ in range(2):                              # two runs
            model = memory.model(flow)
            assert model
            model.ask(ask())
            model.ask(ask())
            assert failure_of(lambda model=model: model.ask(ask())).why is Failure.CAP  # type: ignore[misc]
        assert memory.space.home.ledger.today().calls == 4


def test_a_cap_that_is_too_small_to_be_counted_is_not_none() -> None:
    with temporary_memory(model=ScriptedModel(["never"]), settings='models.money_per_day = 1e-9\n[prices."scripted:*"]\ninput = 1\noutput = 1\n') as memory:
        model = memory.model("extract")
        assert model and failure_of(lambda: model.ask(ask())).why is Failure.CAP


def test_what_is_forbidden_is_not_asked_and_says_by_what(memory: Memory) -> None:
    model = ScriptedModel(["never"])
    failed = failure_of(lambda: metered(memory, model, forbidden="REVERIE_NO_MODEL_CALLS").ask(ask()))
    assert failed.why is Failure.FORBIDDEN
    assert "REVERIE_NO_MODEL_CALLS" in str(failed)
    assert model.asks == [] and memory.space.home.ledger.today().calls == 0


def test_no_secret_reaches_a_model_or_comes_back(memory: Memory) -> None:
    tool = Tool(name="look", description="", parameters={"type": "object"}, run=lambda given: f"the key is {KEY}")
    schema = {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string"}}}}
    model = ScriptedModel([Calls(("look", {})), {"a": [f"keep {KEY}"]}])
    answer = metered(memory, model).ask(ask(f"the key is {KEY}", system=f"{KEY}", tools=(tool,), rounds=3, schema=schema))
    asked = model.asked[0]
    assert KEY not in asked.ask.prompt + asked.ask.system + asked.results[0][2]
    assert KEY not in answer.text + str(answer.data)
    assert "the key is" in asked.results[0][2]


# ── how the memory hands it out ──────────────────────────────────────────────────────────────────────────────────


def test_no_model_is_there_by_default(memory: Memory) -> None:
    assert memory.model("extract") is None


@pytest.mark.parametrize("settings", ['models.default = "none"', 'models.default = "x:y"\nmodels.extract = "none"', 'models.extract = "rules"'])
def test_none_is_none(settings: str) -> None:
    with temporary_memory(settings=settings) as memory:
        assert memory.model("extract") is None


def test_a_given_model_is_used_within_the_users_caps_and_prices() -> None:
    settings = 'models.tokens_per_day = 700\n[prices."scripted:model"]\ninput = 2\noutput = 2'
    with temporary_memory(model=ScriptedModel(lambda ask: "yes"), settings=settings) as memory:
        model = memory.model("extract")
        assert model is not None
        model.ask(ask())
        assert memory.space.home.ledger.today().money == 2 * memory.space.home.ledger.today().tokens
        assert failure_of(lambda: [model.ask(ask()) for _ in range(9)]).why is Failure.CAP


def test_the_switch_holds_for_a_given_model() -> None:
    with temporary_memory(model=ScriptedModel(["yes"]), environment={"REVERIE_NO_MODEL_CALLS": "1"}) as memory:
        model = memory.model("extract")
        assert model is not None and model.forbidden == "REVERIE_NO_MODEL_CALLS"
        assert failure_of(lambda: model.ask(ask())).why is Failure.FORBIDDEN
