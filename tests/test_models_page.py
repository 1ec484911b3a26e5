"""docs/models.md is true: its examples run, its settings exist, its tables name what there is."""

from __future__ import annotations

import doctest
import re
import tomllib
from pathlib import Path

from reverie import settings
from reverie.core import switch
from reverie.models import own_agent, providers

PAGE = Path(__file__).parents[1] / "docs" / "models.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_the_examples() -> None:
    failed, tried = doctest.testfile(str(PAGE), module_relative=False)
    assert tried == 4
    assert not failed


def test_the_settings(tmp_path: Path) -> None:
    written = "\n".join(re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL))
    (tmp_path / "settings.toml").write_text(written, encoding="utf-8")
    loaded = settings.load(tmp_path, {})
    assert loaded["models.extract"] == "ollama:qwen3"
    providers.known(loaded.tables["providers"])
    tomllib.loads(written)


def test_the_caps_and_their_defaults(tmp_path: Path) -> None:
    defaults = settings.load(tmp_path, {})
    for name in re.findall(r"`(models\.\w+)`", TEXT):
        assert name in defaults.values
    for name, said in re.findall(r"\| `(models\.\w+)` \| ([\d,]+) \|", TEXT):
        assert defaults[name] == int(said.replace(",", ""))


def test_every_provider_variable_and_agent_is_named() -> None:
    for provider in providers.KNOWN.values():
        assert f"`{provider.name}:…`" in TEXT
        assert all(f"`{name}`" in TEXT for name in provider.key_variables)
    assert all(f"`agent:{name}`" in TEXT for name in own_agent.AGENTS)
    assert all(name in TEXT for name in (*switch.ALL, *switch.BACKGROUND, *switch.TELEMETRY))
