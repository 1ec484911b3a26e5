"""Settings of language models: what is written is taken as meant, or refused by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from reverie import errors, settings


def load(tmp_path: Path, text: str, **environment: str) -> settings.Settings:
    (tmp_path / "settings.toml").write_text(text, encoding="utf-8")
    return settings.load(tmp_path, environment)


def test_names_with_dots_and_colons_stay_whole(tmp_path: Path) -> None:
    values = load(tmp_path, '[prices."openai:gpt-5.4-mini"]\ninput = 1\noutput = 2\n[windows]\n"ollama:qwen2.5:7b" = 32768\n')
    assert values.tables["prices"] == {"openai:gpt-5.4-mini": {"input": 1, "output": 2}}
    assert values.tables["windows"] == {"ollama:qwen2.5:7b": 32768}


def test_money_has_fractions_and_tokens_have_none(tmp_path: Path) -> None:
    values = load(tmp_path, "[models]\nmoney_per_day = 0.25\n", REVERIE_MODELS_TOKENS_PER_DAY="5000")
    assert (values["models.money_per_day"], values["models.tokens_per_day"]) == (0.25, 5000)


@pytest.mark.parametrize(("text", "said"), [
    ("models.money_per_day = nan", "between"),
    ("models.money_per_day = inf", "between"),
    ("models.money_per_day = -1", "between"),
    ('models.money_per_day = "much"', "is not a number"),
    ('models.tokens_per_day = "many"', "not a whole number"),
    ("models.tokens_per_day = inf", "not a whole number"),
    ("models.tokens_per_day = 0.5", "not a whole number"),      # it would be 0, which is no cap
    ("models.tokens_per_day = true", "not a whole number"),
    ("models.money_per_day = true", "is not a number"),
    ("models.extrakt = 'x'", "unknown setting 'models.extrakt'"),
    ("prices = 3", "must be a table"),
])  # fmt: skip
def test_what_cannot_be_is_named(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(errors.WrongUse, match=said):
        load(tmp_path, text)
