"""A process that runs phase 1 with a scripted model, for tests that kill it: ``python extract_worker.py HOME AGENTS DESIGN LOG HOURS``.

It says "ready" when it begins. To LOG it appends "asked SESSION" for each question, "again SESSION" for one about a session that
was done before the run began, and "done SESSION OUTCOME" for each result.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from reverie.core.model import Ask
from reverie.core.stage1 import EXTRACT
from reverie.flows.extracting import Extracted
from reverie.memory import open_memory
from reverie.testing import ScriptedModel

PAUSE = 0.02            # of the model's: a moment in which to be killed
THREAD = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")


def said(ask: Ask) -> Mapping[str, Any]:
    """The same for the same session; every fourth has nothing."""
    session = session_of(ask)
    if int(session[-12:], 16) % 4 == 3:
        return {"rollout_summary": "", "rollout_slug": "", "raw_memory": ""}
    return {
        "rollout_summary": f"# Session {session}\n\n## Task 1: T\nOutcome: success\n\nReusable knowledge:\n- fact of {session}",
        "rollout_slug": f"s-{session[-4:]}",
        "raw_memory": f"---\ndescription: d\ntask: t\n---\n\n### Task 1: T\ntask: t\n\nReusable knowledge:\n- fact of {session}",
    }


def session_of(ask: Ask) -> str:
    found = THREAD.search(ask.prompt.split("\n", 1)[0])
    assert found
    return found[0]


def main(root: str, agents: str, design: str, log: str, hours: str) -> None:
    record = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    clock = lambda: datetime.now(UTC) + timedelta(hours=float(hours))  # noqa: E731
    done: set[str] = set()

    def answer(ask: Ask) -> Mapping[str, Any]:
        session = session_of(ask)
        os.write(record, f"{'again' if session in done else 'asked'} {session}\n".encode())
        time.sleep(PAUSE)
        return said(ask)

    def ended(each: Extracted) -> None:
        os.write(record, f"done {each.session} {each.outcome}\n".encode())

    environment = {"REVERIE_CODEX_HEADLESS": "1", "REVERIE_CODEX_MAX_ROLLOUTS_PER_STARTUP": "16", "REVERIE_MODELS_TOKENS_PER_DAY": "0",
                   "REVERIE_MODELS_TOKENS_PER_MONTH": "0"}
    with open_memory(root, design=design, cwd=agents, environment=environment, clock=clock, model=ScriptedModel(answer)) as memory:
        jobs = memory.space.home.jobs.all(EXTRACT)
        done |= {job.key.rpartition("|")[2] for job in jobs if job.last_success_watermark == job.input_watermark}
        print("ready", flush=True)
        memory.consolidate(agents_home=agents, hosts=["codex"], extract_only=True, on_session=ended)


if __name__ == "__main__":
    main(*sys.argv[1:])
