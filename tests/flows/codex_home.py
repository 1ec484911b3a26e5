"""A home folder with rollouts of Codex, for the tests of the two phases."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
CWD = "/home/dev/projects/app"


def thread_id(number: int) -> str:
    """A UUID of version 7, as Codex gives them."""
    millis = int((NOW - timedelta(days=2)).timestamp() * 1000) + number
    return f"{millis >> 16:08x}-{millis & 0xFFFF:04x}-7000-8000-{number:012x}"


def message(role: str, text: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def printed(text: str, tool: str = "exec_command", call: str = "c1") -> list[dict[str, Any]]:
    return [{"type": "function_call", "name": tool, "arguments": "{}", "call_id": call},
            {"type": "function_call_output", "call_id": call, "output": text}]


def rollout(
    home: Path, items: Sequence[dict[str, Any]], *, number: int = 1, cwd: str = CWD, source: Any = "cli", hours_ago: float = 10,
    folder: str = "sessions/2026/02/27", **meta: Any,
) -> Path:
    """Write one session, last changed so many hours before ``NOW``; its path."""
    thread = thread_id(number)
    path = home / ".codex" / folder / f"rollout-2026-02-27T12-00-{number:02d}-{thread}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    stamp = "2026-02-27T12:00:00.000Z"
    lines = [{"timestamp": stamp, "type": "session_meta",
              "payload": {"id": thread, "timestamp": stamp, "cwd": cwd, "source": source, **meta}}]
    lines += [{"timestamp": stamp, "type": "response_item", "payload": item} for item in items]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    touch(path, hours_ago)
    return path


def touch(path: Path, hours_ago: float) -> None:
    at = (NOW - timedelta(hours=hours_ago)).timestamp()
    os.utime(path, (at, at))


def answer(**changes: Any) -> dict[str, Any]:
    """What a model says that found something."""
    return {
        "rollout_summary": "# Made the build green\n\n## Task 1: Build\nOutcome: success\n\nReusable knowledge:\n- `make x` needs node 20",
        "rollout_slug": "green-build",
        "raw_memory": "---\ndescription: build\ntask: build\ntask_group: x\ntask_outcome: success\ncwd: /x\nkeywords: make\n---\n\n"
                      "### Task 1: Build\ntask: build\n\nReusable knowledge:\n- `make x` needs node 20",
        **changes,
    }


NOTHING = {"rollout_summary": "", "rollout_slug": "", "raw_memory": ""}
