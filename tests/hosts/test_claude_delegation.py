"""What Claude Code has just handed to a sub-agent, found in the session's transcript."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reverie.hosts import claude_delegation
from reverie.hosts.claude_delegation import handed


def call(prompt: object, agent: str | None = "dba", *, name: str = "Agent", message: str = "m1", **more: object) -> str:
    """A line as the client writes it: one part of a message in each."""
    given = {"description": "look", "prompt": prompt} | ({} if agent is None else {"subagent_type": agent})
    part = {"type": "tool_use", "id": "t", "name": name, "input": given}
    return json.dumps({"type": "assistant", "isSidechain": False, "message": {"id": message, "content": [part]}} | more)


OTHER = json.dumps({"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t"}]}})


@pytest.mark.parametrize(
    ("lines", "agent", "prompt"),
    [
        ([call("one")], "dba", "one"),
        ([call("one"), OTHER, call("two", message="m2"), OTHER], "dba", "two"),                     # the last
        ([call("one"), call("two"), OTHER], "dba", "one\n\ntwo"),                                   # of one message: together
        ([call("one"), call("two", "other", message="m2")], "dba", "one"),
        ([call("one", None)], "general-purpose", "one"),
        ([call("one", None)], "dba", ""),
        ([call("one", name="Task")], "dba", "one"),
        ([call("one", name="Bash")], "dba", ""),
        ([call("one", isSidechain=True)], "dba", ""),                                               # of a sub-agent's own
        ([call(7), call("one", message="m0").replace('"m0"', "7"), "{", "[]", '{"type": "assistant", "message": 7}'], "dba", "one"),
        ([], "dba", ""),
    ],
)
def test_what_was_handed_over(tmp_path: Path, lines: list[str], agent: str, prompt: str) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text("\n".join(lines) + "\n")
    assert handed(str(path), agent) == prompt


def test_only_the_end_of_a_long_transcript_is_read(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(call("early") + "\n" + (OTHER + "\n") * 30_000 + call("late") + "\n")
    assert path.stat().st_size > claude_delegation.TAIL_BYTES
    assert handed(str(path), "dba") == "late"


@pytest.mark.skipif(sys.platform == "win32", reason="no pipes there")
def test_what_is_no_transcript_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "folder.jsonl").mkdir()
    (tmp_path / "notes.txt").write_text(call("one"))
    for path in ("pipe.jsonl", "folder.jsonl", "notes.txt", "missing.jsonl", "nul\0.jsonl"):
        assert handed(f"{tmp_path}/{path}", "dba") == ""
    assert handed("s.jsonl", "dba") == ""


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=400))
def test_no_file_breaks_the_reader(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "s.jsonl").write_bytes(data + b"\n" + b'{"type":"assistant",' + data)
    handed(str(tmp_path / "s.jsonl"), "dba")
