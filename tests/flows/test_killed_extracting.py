"""Phase 1, killed at any moment and run again, loses no session and does none twice; sixteen at once share the work."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from tests.flows.codex_home import message, rollout

from reverie.core.stage1 import EXTRACT, Output
from reverie.memory import open_memory

WORKER = Path(__file__).with_name("extract_worker.py")
LEASE_HOURS = 1.02                      # what a dead worker held is free again


def start(home: Path, agents: Path, design: str, hours: float = 0.0) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(WORKER), str(home), str(agents), design, str(home) + ".log", str(hours)], text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})


def ready(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    line = process.stdout.readline()
    if line != "ready\n":
        pytest.fail(process.communicate(timeout=60)[1])


def finish(process: subprocess.Popen[str]) -> None:
    _, complaint = process.communicate(timeout=100)
    assert process.returncode == 0, complaint


def log(home: Path) -> list[list[str]]:
    return [line.split() for line in Path(f"{home}.log").read_text().splitlines()]


def state(home: Path, design: str) -> tuple[list[Output], list[tuple[str, str, int | None]], dict[str, bytes]]:
    """What is kept, what became of each session, and the files; without when it was."""
    with open_memory(home, design=design, cwd=home.parent, environment={}) as memory:
        outputs = [replace(output, generated_at=0) for output in memory.space.home.extracts.all(design)]
        jobs = [(job.key, job.status, job.last_success_watermark) for job in memory.space.home.jobs.all(EXTRACT)]
    files = {path.relative_to(home).as_posix(): path.read_bytes() for path in sorted((home / "stores").rglob("*.md"))}
    return outputs, jobs, files


def at_rest(agents: Path) -> None:
    """Let every session's last change be ten hours ago."""
    for path in agents.rglob("*.jsonl"):
        at = int(time.time()) - 10 * 3_600
        os.utime(path, (at, at))


@pytest.fixture
def agents(tmp_path: Path) -> Path:
    for number in range(1, 13):
        rollout(tmp_path / "agents", [message("user", f"Do task {number}."), message("assistant", "Done.")], number=number)
    at_rest(tmp_path / "agents")
    return tmp_path / "agents"


def killed(tmp_path: Path, agents: Path, design: str, *, kills: int, seed: int) -> None:
    calm = tmp_path / "calm"
    process = start(calm, agents, design)
    ready(process)
    begun = time.monotonic()
    finish(process)
    whole = time.monotonic() - begun
    assert whole < 60
    chance = random.Random(seed)
    dead = homes = 0
    while dead < kills:
        homes += 1
        home = tmp_path / f"killed-{homes}"
        hours = 0.0
        for _ in range(chance.randint(1, 6)):
            process = start(home, agents, design, hours)
            ready(process)
            time.sleep(whole * chance.random())
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
                dead += 1
            process.communicate(timeout=30)
            hours += LEASE_HOURS
        finish(start(home, agents, design, hours))
        assert state(home, design) == state(calm, design)
        assert [session for word, session, *_ in log(home) if word == "again"] == []
        kept = Counter(session for word, session, *rest in log(home) if word == "done" and rest[0].startswith("succeeded"))
        assert set(kept.values()) <= {1}


@pytest.mark.parametrize("design", ["codex", "codex@0.171"])
@pytest.mark.slow
def test_killed_at_random_moments_no_extraction_is_lost_or_doubled(tmp_path: Path, agents: Path, design: str) -> None:
    killed(tmp_path, agents, design, kills=8, seed=1)


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.timeout(1_200)
@pytest.mark.shared
def test_killed_two_hundred_times_over_the_samples_no_extraction_is_lost_or_doubled(tmp_path: Path, shared: Path) -> None:
    agents = tmp_path / "agents"
    for place in sorted((shared / "samples").glob("*/codex/home/.codex/sessions")):
        shutil.copytree(place, agents / ".codex" / "sessions", dirs_exist_ok=True)
    at_rest(agents)
    assert len(list(agents.rglob("*.jsonl"))) >= 10
    killed(tmp_path, agents, "codex", kills=100, seed=2)
    shutil.rmtree(tmp_path / "calm")
    Path(tmp_path / "calm.log").unlink()
    for place in tmp_path.glob("killed-*"):
        shutil.rmtree(place) if place.is_dir() else place.unlink()
    killed(tmp_path, agents, "codex@0.171", kills=100, seed=3)


@pytest.mark.slow
def test_sixteen_workers_share_the_sessions_and_do_each_once(tmp_path: Path) -> None:
    agents, home = tmp_path / "agents", tmp_path / "home"
    for number in range(1, 41):
        rollout(agents, [message("user", f"Do task {number}.")], number=number)
    at_rest(agents)
    workers = [start(home, agents, "codex") for _ in range(16)]
    for worker in workers:
        finish(worker)
    for _ in range(3):                  # what was beyond the number that may be at work at once
        finish(start(home, agents, "codex"))
    asked = Counter(session for word, session, *_ in log(home) if word in ("asked", "again"))
    assert len(asked) == 40
    assert set(asked.values()) == {1}
    outputs, jobs, _ = state(home, "codex")
    assert {status for _, status, _ in jobs} == {"done"}
    assert len(outputs) == 30           # every fourth has nothing


@pytest.mark.skipif(sys.platform == "win32", reason="there, a process cannot be interrupted alone")
def test_interrupted_it_gives_back_what_it_held_and_the_next_run_goes_on_at_once(tmp_path: Path, agents: Path) -> None:
    calm, home = tmp_path / "calm", tmp_path / "home"
    finish(start(calm, agents, "codex"))
    for _ in range(3):
        process = start(home, agents, "codex")
        ready(process)
        time.sleep(0.15)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    with open_memory(home, design="codex", cwd=tmp_path, environment={}) as memory:
        assert all(job.status != "running" for job in memory.space.home.jobs.all(EXTRACT))
    finish(start(home, agents, "codex"))
    assert state(home, "codex") == state(calm, "codex")
