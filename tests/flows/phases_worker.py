"""A process that runs both phases with a scripted model, for tests that kill it: ``python phases_worker.py HOME AGENTS DESIGN LOG HOURS``.

It says "ready" when it begins. To LOG it appends "asked SESSION" for each extraction and "done SESSION OUTCOME" for each result,
"consolidating" for each question of phase 2, and "ended STATUS" for how that ended.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from reverie.core.model import Ask
from reverie.flows.extracting import Extracted
from reverie.memory import open_memory
from reverie.testing import Calls, ScriptedModel, Turn

sys.path.insert(0, str(Path(__file__).parents[2]))      # it is started as a program, not as a part of the tests
from tests.flows.extract_worker import said, session_of

PAUSE = 0.02            # of the model's: a moment in which to be killed
_HEAD = re.compile(r"^\d+\t(## Thread `(.+)`|cwd: (.+)|rollout_summary_file: (.+)|- (fact of .+))$")


def consolidated(ask: Ask, *, in_tasks: bool) -> Iterator[Turn]:
    """Looks, then writes a block for each directory, with a task for each session, and a summary of them."""
    read = next(tool for tool in ask.tools if tool.name == "read")
    yield Calls(("read", {"path": "phase2_workspace_diff.md"}))
    time.sleep(PAUSE)
    sessions: list[dict[str, str]] = []
    line, names = 1, ("thread", "cwd", "file", "fact")
    while line:
        text = read.run({"path": "raw_memories.md", "from_line": line})
        for found in filter(None, map(_HEAD.match, text.splitlines())):
            for name, value in zip(names, found.groups()[1:], strict=True):
                if value and name == "thread":
                    sessions.append({"thread": value})
                elif value:
                    sessions[-1].setdefault(name, value)
        more = re.search(r"from_line=(\d+)$", text)
        line = int(more[1]) if more else 0
    yield Calls(("write", {"path": "MEMORY.md", "content": _handbook(sessions, in_tasks=in_tasks)}))
    time.sleep(PAUSE)
    topics = "".join(f"- {each['fact']}\n" for each in sessions)
    yield Calls(("write", {"path": "memory_summary.md", "content": (
        f"v1\n\n## User Profile\n\n## User preferences\n\n## General Tips\n\n## What's in Memory\n\n{topics}")}), ("check", {}))
    time.sleep(PAUSE)
    yield "done"


def _handbook(sessions: list[dict[str, str]], *, in_tasks: bool) -> str:
    blocks = []
    for cwd in sorted({each["cwd"] for each in sessions}):
        lines = [f"# Task Group: {cwd}", *([] if in_tasks else ["scope: all of it"]), f"applies_to: cwd={cwd}", ""]
        here = [each for each in sessions if each["cwd"] == cwd]
        for number, each in enumerate(here, 1):
            lines += [f"## Task {number}: T, outcome=success", "", "### rollout_summary_files",
                      f"- {each['file']} (cwd={cwd}, thread_id={each['thread']})", "", "### keywords", "- fact", ""]
            lines += ["### Reusable knowledge", f"- {each['fact']}", ""] if in_tasks else []
        if not in_tasks:
            lines += ["## Reusable knowledge", *(f"- {each['fact']} [Task {number}]" for number, each in enumerate(here, 1)), ""]
        blocks += lines
    return "\n".join(blocks)


def main(root: str, agents: str, design: str, log: str, hours: str) -> None:
    record = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    clock = lambda: datetime.now(UTC) + timedelta(hours=float(hours))  # noqa: E731

    def answer(ask: Ask) -> Mapping[str, Any] | Iterator[Turn]:
        time.sleep(PAUSE)
        if ask.flow == "consolidate":
            os.write(record, b"consolidating\n")
            return consolidated(ask, in_tasks=design == "codex")
        os.write(record, f"asked {session_of(ask)}\n".encode())
        return said(ask)

    def ended(each: Extracted) -> None:
        os.write(record, f"done {each.session} {each.outcome}\n".encode())

    environment = {"REVERIE_CODEX_HEADLESS": "1", "REVERIE_CODEX_MAX_ROLLOUTS_PER_STARTUP": "16", "REVERIE_MODELS_TOKENS_PER_DAY": "0",
                   "REVERIE_MODELS_TOKENS_PER_MONTH": "0"}
    with open_memory(root, design=design, cwd=agents, environment=environment, clock=clock, model=ScriptedModel(answer)) as memory:  # type: ignore[arg-type]
        print("ready", flush=True)
        done = memory.consolidate(agents_home=agents, hosts=["codex"], on_session=ended)
        assert done.phase2 is not None
        os.write(record, f"ended {done.phase2.status} {done.phase2.detail}\n".encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
