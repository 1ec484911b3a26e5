"""Extracting after each response, killed at any moment and by many processes at once: nothing is lost, nothing is there twice."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from reverie.memory import open_memory

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

# Something said, and a word that only its memory has.
SAID = {
    "pull": "Never push to main directly, always open a pull request.", "FRY": "Incidents are tracked in Linear under FRY.",
    "Postgres": "We decided to use Postgres for the ledger because SQLite locks under load.",
    "pytest": "Please always run the checks with make check, never with plain pytest.",
    "wiki": "The design documents live at https://wiki.example/ferry.", "batch": "Remember: the export job runs at night on the batch host.",
    "tabs": "I prefer tabs over spaces in Go files.", "pnpm": "We use pnpm here, not npm.", "commit": "Always write commit messages in English.",
    "grafana": "The on-call dashboard is at https://grafana.example/d/oncall.", "Noor": "Remember that Noor owns the billing module.",
    "generated": "Never edit generated files by hand, run make gen instead.",
}
FACTS = list(SAID.values())
SESSION = "5e55c0de-0000-4000-8000-00000000000{}"


def transcript(folder: Path, cwd: Path, number: int, facts: list[str]) -> Path:
    """A session of Qwen Code in which these things were said."""
    session = SESSION.format(number)
    path = folder / ".qwen/projects/-srv-app/chats" / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines, last = [], None
    for place, (kind, text) in enumerate(pair for fact in facts for pair in (("user", fact), ("assistant", "Noted."))):
        id = f"{session[:8]}-0000-4000-8000-{number:03d}{place:09d}"
        user = kind == "user"
        lines.append(json.dumps({
            "uuid": id, "parentUuid": last, "sessionId": session, "timestamp": f"2026-11-02T09:{place:02d}:00.000Z", "type": kind,
            "provenance": "real_user" if user else "assistant_output", "cwd": str(cwd), "version": "0.24.4",
            "message": {"role": "user" if user else "model", "parts": [{"text": text}]}}, separators=(",", ":")))
        last = id
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def begun(folder: Path, cwd: Path, path: Path) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "REVERIE_HOME": str(folder / "home"), "HOME": str(folder)}
    return subprocess.Popen([sys.executable, "-m", "reverie", "extract", str(path), "--design", "qwen-code", "--cwd", str(cwd), "--json"],
                            env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def kept(folder: Path, cwd: Path) -> list[str]:
    with open_memory(folder / "home", design="qwen-code", cwd=cwd, environment={"HOME": str(folder)}) as memory:
        return sorted(word for found in memory.list() for word in SAID if word in found.memory.body)


@pytest.mark.parametrize("seed", [1, 2])
def test_killed_at_random_moments_nothing_is_lost_and_nothing_is_there_twice(tmp_path: Path, seed: int) -> None:
    cwd = tmp_path / "app"
    cwd.mkdir()
    chance = random.Random(seed)
    for count in range(1, len(FACTS) + 1):              # after each response: killed, perhaps before it began
        path = transcript(tmp_path, cwd, 1, FACTS[:count])
        process = begun(tmp_path, cwd, path)
        time.sleep(chance.uniform(0.05, 0.45))
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=30)
        assert len(kept(tmp_path, cwd)) == len(set(kept(tmp_path, cwd)))
    done = begun(tmp_path, cwd, path)
    out, error = done.communicate(timeout=60)
    assert done.returncode == 0, error
    assert json.loads(out)["status"] == "completed", out
    assert kept(tmp_path, cwd) == sorted(SAID)
    [cursor] = (tmp_path / "home/stores/qwen-code/projects").glob("*/extract-cursor.json")
    assert json.loads(cursor.read_text(encoding="utf-8"))["processedOffset"] == 2 * len(FACTS)


def test_many_processes_at_once_extract_each_session_once(tmp_path: Path) -> None:
    cwd = tmp_path / "app"
    cwd.mkdir()
    paths = [transcript(tmp_path, cwd, number, FACTS[3 * number : 3 * number + 3]) for number in range(4)]
    outcomes: list[str] = []
    for _ in range(2):                                  # what one run queued or passed over, the next response brings
        running = [begun(tmp_path, cwd, path) for path in (*paths, *paths)]
        for process in running:
            out, error = process.communicate(timeout=120)
            assert process.returncode == 0, error
            told = json.loads(out)
            outcomes.append(told["skipped_reason"] or told["status"])
    for path in paths:
        begun(tmp_path, cwd, path).communicate(timeout=60)
    assert set(outcomes) <= {"completed", "queued"}
    assert kept(tmp_path, cwd) == sorted(SAID)
    with open_memory(tmp_path / "home", design="qwen-code", cwd=cwd, environment={"HOME": str(tmp_path)}) as memory:
        added = [each["name"] for event in memory.events(kinds=["change"]) for each in event.facts.get("memories", []) if each["action"] == "added"]  # type: ignore[attr-defined]
        assert len(added) == len(FACTS)
