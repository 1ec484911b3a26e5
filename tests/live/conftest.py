"""Playing prompts on a real client, in the hosts lab."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

Play = Callable[..., dict[str, Any]]


@pytest.fixture
def play(shared: Path, tmp_path: Path) -> Play:
    """Play a script on a client and report where the texts reached the model. ``install``: the variable that says where the
    clients are; the test skips, visibly, without it."""

    def played(
        host: str, client_home: Path, script: dict[str, Any], shown: Sequence[str], *more: str, install: str = "HOSTS_LAB"
    ) -> dict[str, Any]:
        if install not in os.environ:
            pytest.skip(f"{install} is not set: this test drives the real clients")
        file = tmp_path / "script.json"
        file.write_text(json.dumps(script), encoding="utf-8")
        command = [sys.executable, str(shared / "hosts-lab" / "run_host.py"), host, "--install", os.environ[install]]
        command += ["--home", str(client_home), "--script", str(file), "--neutral", "--json", *more]
        command += [f"--show={text}" for text in shown]
        done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
        assert done.returncode == 0, done.stderr[-2000:] + done.stdout[-2000:]
        report: dict[str, Any] = json.loads(done.stdout)
        return report

    return played
