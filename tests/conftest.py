"""For every test: the real home is out of reach, the clock of the environment is no secret, nothing is left behind."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# On a busy machine a slow example says nothing about the code.
settings.register_profile("repository", deadline=None)
settings.load_profile("repository")

MINE = ("REVERIE_", "CLAUDE_", "CODEX_", "QWEN_", "KIMI_", "OPENCODE_", "XDG_", "GIT_")


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home folder of the test's own, in place of the user's; the agents' variables are gone."""
    folder = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name.startswith(MINE) and name != "REVERIE_SHARED":
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    yield folder


@pytest.fixture
def shared() -> Path:
    """The benchmark data beside a development checkout; the test skips, visibly, without it."""
    place = os.environ.get("REVERIE_SHARED")
    if not place:
        pytest.skip("REVERIE_SHARED is not set: this test reads benchmark data that is not part of the repository")
    return Path(place)
