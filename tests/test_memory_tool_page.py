"""What docs/memory-tool.md shows works as it is written there."""

from __future__ import annotations

import contextlib
import doctest
import io
import re
from pathlib import Path

import pytest

from .model_server import serving

PAGE = Path(__file__).parents[1] / "docs" / "memory-tool.md"


def test_the_loop_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    names = {"home": tmp_path / "home", "project": tmp_path / "project"}
    failed, tried = doctest.testfile(str(PAGE), module_relative=False, globs=names, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert tried > 10
    assert not failed


def test_the_example_with_the_sdk(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against a scripted API on loopback."""
    [example] = re.findall(r"```python\n(import anthropic\n.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    note = {"command": "create", "path": "/memories/deploys.md", "file_text": "We deploy on Mondays.\n"}
    monkeypatch.chdir(tmp_path)
    with serving([[note], "I will remember it."]) as (served, address):
        for name, value in (("ANTHROPIC_BASE_URL", address), ("ANTHROPIC_API_KEY", "none"), ("NO_PROXY", "127.0.0.1")):
            monkeypatch.setenv(name, value)
        with contextlib.redirect_stdout(io.StringIO()) as said:
            exec(compile(example, str(PAGE), "exec"), {})
        assert served.results() == [(False, "File created successfully at: /memories/deploys.md")]
    assert said.getvalue() == "I will remember it.\n"
    assert [path.read_text() for path in home.rglob("deploys.md")] == ["We deploy on Mondays.\n"]
