"""``reverie consolidate`` as a user meets it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.flows.codex_home import message, rollout


def reverie(home: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "reverie", "consolidate", *arguments], capture_output=True, text=True, check=False, cwd=home.parent,
        env={**os.environ, "REVERIE_HOME": str(home), **environment})


@pytest.fixture
def agents(tmp_path: Path) -> Path:
    agents = tmp_path / "agents"
    rollout(agents, [message("user", "From now on always use pnpm in this project, npm breaks the lock file.")])
    return agents


def test_it_says_what_it_did_and_that_nothing_is_left(tmp_path: Path, agents: Path) -> None:
    home = tmp_path / "home"
    first = reverie(home, "--design", "codex", "--agents-home", str(agents), "--force")
    assert (first.returncode, first.stderr) == (0, "")
    assert "extracted by rules" in first.stdout
    assert "pnpm" in first.stdout
    again = reverie(home, "--design", "codex", "--agents-home", str(agents), "--force")
    assert again.returncode == 0
    assert "skipped_no_candidates: no session is due" in again.stdout


def test_a_program_gets_json(tmp_path: Path, agents: Path) -> None:
    done = reverie(tmp_path / "home", "--design", "codex", "--agents-home", str(agents), "--force", "--json", "--dry-run")
    said: dict[str, Any] = json.loads(done.stdout)
    assert said["dry_run"] is True
    assert said["phase1"]["status"] == "succeeded"
    [session] = said["phase1"]["sessions"]
    assert (session["host"], session["outcome"], session["project"][:4]) == ("codex", "succeeded", "app-")
    assert not (tmp_path / "home").exists()


def test_another_design_is_wrong_use(tmp_path: Path, agents: Path) -> None:
    done = reverie(tmp_path / "home", "--agents-home", str(agents))
    assert done.returncode == 2
    assert "`--design codex` does" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name, value", [("MAX_ROLLOUT_AGE_DAYS", "91"), ("MAX_ROLLOUTS_PER_STARTUP", "0"), ("MIN_ROLLOUT_IDLE_HOURS", "49")])
def test_a_setting_out_of_its_bounds_is_named(tmp_path: Path, agents: Path, name: str, value: str) -> None:
    done = reverie(tmp_path / "home", "--design", "codex", "--agents-home", str(agents), **{f"REVERIE_CODEX_{name}": value})
    assert done.returncode == 2
    assert f"codex.{name.lower()} = {value}" in done.stderr


def test_a_broken_transcript_stops_nothing(tmp_path: Path, agents: Path) -> None:
    broken = rollout(agents, [], number=2)
    broken.write_bytes(b"\xff\xfe\x00 no JSON\n" * 100)
    done = reverie(tmp_path / "home", "--design", "codex", "--agents-home", str(agents), "--force", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["phase1"]["outcomes"]["succeeded"] == 1


# ---- phase 2

def test_it_says_what_phase_two_changed_and_how_to_take_it_back(tmp_path: Path, agents: Path) -> None:
    home = tmp_path / "home"
    dry = reverie(home, "--design", "codex", "--agents-home", str(agents), "--force", "--dry-run")
    assert "would be consolidated by rules" in dry.stdout and "+- " in dry.stdout and not home.exists()
    done = reverie(home, "--design", "codex", "--agents-home", str(agents), "--force")
    assert "Phase 2: consolidated by rules" in done.stdout
    assert "went in: 1 sessions" in done.stdout and "added: 1" in done.stdout
    assert "take it back with: reverie undo --run consolidate-1" in done.stdout
    handbook = home / "stores" / "codex" / "memories" / "MEMORY.md"
    assert "pnpm" in handbook.read_text()
    subprocess.run([sys.executable, "-m", "reverie", "undo", "--run", "consolidate-1", "--design", "codex"], check=True, capture_output=True,
                   cwd=home.parent, env={**os.environ, "REVERIE_HOME": str(home)})
    assert not handbook.exists()


def test_it_is_put_in_order_every_six_hours_and_extraction_alone_can_be_had(tmp_path: Path, agents: Path) -> None:
    home = tmp_path / "home"
    alone = reverie(home, "--design", "codex", "--agents-home", str(agents), "--force", "--extract-only", "--json")
    assert json.loads(alone.stdout)["phase2"] is None
    reverie(home, "--design", "codex", "--agents-home", str(agents))
    again = reverie(home, "--design", "codex", "--agents-home", str(agents))
    assert again.returncode == 0
    assert "skipped_cooldown" in again.stdout and "`--force` does it now" in again.stdout
    said = json.loads(reverie(home, "--design", "codex", "--agents-home", str(agents), "--force", "--json").stdout)
    assert said["phase2"]["status"] == "succeeded_no_workspace_changes"


def test_a_refusal_says_why_and_the_way_out(tmp_path: Path, agents: Path) -> None:
    home = tmp_path / "home"
    reverie(home, "--design", "codex", "--agents-home", str(agents), "--force")
    folder = home / "stores" / "codex" / "memories"
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")
    done = reverie(home, "--design", "codex", "--agents-home", str(agents), "--force")
    assert done.returncode == 1
    assert "failed_prepare_workspace" in done.stderr and "Nothing was changed" in done.stderr
    assert "Traceback" not in done.stderr
