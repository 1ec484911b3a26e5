"""``reverie cost`` and the line of ``reverie status``: what was spent, what is left, what is not known."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from reverie.core.cost import Price
from reverie.core.model import Ask, ModelFailed, Used
from reverie.entrypoints.cli import group
from reverie.flows.metering import Metered
from reverie.memory import open_memory
from reverie.testing import ScriptedModel

Run = Callable[..., Result]


@pytest.fixture
def run() -> Run:
    return lambda *args: CliRunner().invoke(group, list(args), catch_exceptions=False)


@pytest.fixture
def spent(home: Path) -> None:
    """Three calls: two of a model with a price, one of a model without."""
    with open_memory(environment={"HOME": str(home)}, cwd=home) as memory:
        ledger = memory.space.home.ledger
        for name, flow, price in (("a:one", "extract", Price(input=1, output=2)), ("a:one", "dream", Price(input=1, output=2)), ("b:two", "extract", None)):
            model = ScriptedModel(["yes"], name=name, used=Used(input=1_000, output=200, cached=100))
            Metered(model=model, ledger=ledger, price=price).ask(Ask(flow=flow, system="", prompt="x" * 900))
        with pytest.raises(ModelFailed):
            Metered(model=ScriptedModel([]), ledger=ledger).ask(Ask(flow="extract", system="", prompt="x"))


def settings(home: Path, text: str) -> None:
    (home / ".reverie").mkdir(exist_ok=True)
    (home / ".reverie" / "settings.toml").write_text(text, encoding="utf-8")


@pytest.mark.usefixtures("spent")
def test_a_line_for_each_model(run: Run) -> None:
    said = json.loads(run("cost", "--json").output)
    lines = {line["name"]: line for line in said["lines"]}
    assert (lines["a:one"]["calls"], lines["a:one"]["input"], lines["a:one"]["cached"], lines["a:one"]["money_millionths"]) == (2, 2_000, 200, 2_800)
    assert lines["b:two"]["money_millionths"] is None
    assert lines["scripted:model"]["failed"] == 1
    caps = {cap["name"]: cap for cap in said["caps"]}
    assert caps["tokens_per_day"]["spent"] == sum(line["input"] + line["output"] for line in said["lines"])
    assert any("b:two" in note and "tokens only" in note for note in said["notes"])


@pytest.mark.usefixtures("spent")
@pytest.mark.parametrize(("by", "names"), [("flow", ["dream", "extract"]), ("model", ["a:one", "b:two", "scripted:model"])])
def test_lines_by_what_is_asked(run: Run, by: str, names: list[str]) -> None:
    assert [line["name"] for line in json.loads(run("cost", "--json", "--by", by).output)["lines"]] == names


@pytest.mark.usefixtures("spent")
def test_for_a_person(run: Run) -> None:
    said = run("cost").output
    assert "a:one" in said and "2 calls" in said and "0.0028 USD" in said and "price not known" in said
    assert "tokens_per_day" in said and "left" in said


def test_nothing_was_asked(run: Run) -> None:
    done = run("cost")
    assert done.exit_code == 0
    assert "model calls: none chosen" in done.output


def test_wrong_use_is_said(run: Run) -> None:
    assert run("cost", "--by", "colour").exit_code == 2


@pytest.mark.parametrize(("text", "variable", "said"), [
    ("", "", "model calls: none chosen"),
    ("", "REVERIE_NO_MODEL_CALLS", "model calls: forbidden by REVERIE_NO_MODEL_CALLS"),
    ('models.default = "ollama:x"', "", "model calls: ollama:x allowed; tokens_per_day 0 of 1,000,000"),
    ('models.default = "ollama:x"', "DISABLE_TELEMETRY", "model calls: ollama:x allowed, in the background forbidden by DISABLE_TELEMETRY"),
    ('models.default = "ollama:x"\nmodels.background = "off"', "", "model calls: forbidden by models.background = 'off'"),
])  # fmt: skip
def test_status_says_whether_models_may_be_called(home: Path, run: Run, monkeypatch: pytest.MonkeyPatch, text: str, variable: str, said: str) -> None:
    settings(home, text)
    if variable:
        monkeypatch.setenv(variable, "1")
    assert said in run("status").output


def test_a_broken_setting_is_said_in_one_line(home: Path, run: Run) -> None:
    from reverie.entrypoints.cli import main

    settings(home, 'models.background = "sometimes"')
    with pytest.raises(SystemExit) as ended:
        main(["status"])
    assert ended.value.code == 2
