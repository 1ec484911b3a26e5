"""A learning run that is killed at any moment and run again ends where an undisturbed one does."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from importlib import resources
from pathlib import Path

import pytest

from reverie.memory import open_memory

SAMPLES = Path(str(resources.files("reverie.samples"))) / "home"


def learn(home: Path, design: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "reverie", "learn", "--design", design, "--agents-home", str(SAMPLES), "--json"]
    return subprocess.Popen(
        command, env={**os.environ, "REVERIE_HOME": str(home)}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=home.parent
    )


def finish(process: subprocess.Popen[bytes]) -> None:
    _, complaint = process.communicate(timeout=90)
    assert process.returncode == 0, complaint.decode()


def stores(home: Path) -> dict[str, bytes]:
    return {str(path.relative_to(home)): path.read_bytes() for path in sorted((home / "stores").rglob("*")) if path.is_file()}


def journal(home: Path, design: str) -> list[tuple[str, list[tuple[str, str]]]]:
    with open_memory(home, design=design, cwd=home, environment={}) as memory:
        changes = memory.space.home.journal.changes(limit=1000)
        return [(change.cause.session, [(each.memory, each.action) for each in change.touched]) for change in changes]


@pytest.mark.slow
@pytest.mark.parametrize("design", ["reverie", "codex"])
def test_killed_at_random_moments_it_ends_in_the_undisturbed_state(tmp_path: Path, design: str) -> None:
    calm = tmp_path / "calm"
    started = time.monotonic()
    finish(learn(calm, design))
    whole = time.monotonic() - started
    chance = random.Random(11)
    killed = 0
    for number in range(12):
        home = tmp_path / f"killed-{number}"
        for _ in range(3):
            process = learn(home, design)
            try:
                process.communicate(timeout=whole * chance.uniform(0.3, 0.95))
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.communicate(timeout=10)
                killed += 1
        finish(learn(home, design))
        assert stores(home) == stores(calm)
        assert journal(home, design) == journal(calm, design)
    assert killed >= 6


@pytest.mark.slow
def test_four_runs_at_once_learn_each_session_once(tmp_path: Path) -> None:
    calm, busy = tmp_path / "calm", tmp_path / "busy"
    finish(learn(calm, "reverie"))
    runs = [learn(busy, "reverie") for _ in range(4)]
    for run in runs:
        finish(run)
    assert stores(busy) == stores(calm)
