"""Recordings of the five real clients: the same conversations, read the same."""

from __future__ import annotations

import json
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from reverie import hosts
from reverie.core.session import Message, Reading, Transcript, Unreadable, Voice

pytestmark = pytest.mark.shared

CONVERSATIONS = [
    "billing-api", "clickstream-etl", "edge-infra", "fieldnotes-app", "gitsweep", "kefu-bot", "orders-dashboard", "with-recall",
    "zaiko-api",
]
# What a hook told the model in `with-recall`, and nobody said.
RECALLED = "the user finds spaces unreadable"


def sessions(folder: Path, host: str) -> list[tuple[Transcript, list[Message], Reading]]:
    """A conversation's sessions in one host, in the order in which they were held, read to the end."""
    found: list[Transcript] = []
    for one in hosts.find_all(str(folder / host / "home"), {}, [host]):
        assert not isinstance(one, Unreadable), one
        found.append(one)
    read = []
    for one in sorted(found, key=lambda one: (one.started_at is None, one.started_at)):
        reading = hosts.get(host).read(one)
        read.append((one, list(reading.messages), reading))
    return read


def script(folder: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((folder / "script.json").read_text(encoding="utf-8"))
    return value


@pytest.mark.parametrize("conversation", CONVERSATIONS)
@pytest.mark.parametrize("host", sorted(hosts.DIALECTS))
def test_the_prompts_are_exactly_what_was_typed(conversation: str, host: str, shared: Path) -> None:
    folder = shared / "samples" / conversation
    run = json.loads((folder / host / "run.json").read_text(encoding="utf-8"))
    read = sessions(folder, host)
    assert [one.session for one, _, _ in read] == run["sessions"]
    assert {one.cwd for one, _, _ in read} == {reading.cwd for _, _, reading in read} == {run["cwd"]}
    assert not any(one.of_agent for one, _, _ in read)
    typed = [message.text for _, messages, _ in read for message in messages if message.voice is Voice.PERSON]
    assert typed == [turn["user"] for turn in script(folder)["turns"]]
    for _, messages, reading in read:
        assert len({message.id for message in messages}) == len(messages)
        assert all(message.at is not None and message.at.tzinfo is UTC for message in messages)
        assert [message.at for message in messages] == sorted(message.at for message in messages if message.at)
        assert not set(reading.skipped) & {
            "broken_json", "unknown_record", "taken_back", "copied", "unfinished_line", "unfinished_answer", "not_an_object",
        }
        assert not any(RECALLED in message.text for message in messages)


@pytest.mark.parametrize("conversation", CONVERSATIONS)
@pytest.mark.parametrize("host", sorted(hosts.DIALECTS))
def test_the_answers_are_what_the_model_said(conversation: str, host: str, shared: Path) -> None:
    folder = shared / "samples" / conversation
    said = [step["text"] for turn in script(folder)["turns"] for step in turn["steps"] if step.get("text")]
    answers = [
        message.text for _, messages, _ in sessions(folder, host) for message in messages if message.voice is Voice.ASSISTANT
    ]
    assert answers == said


@pytest.mark.parametrize("conversation", CONVERSATIONS)
def test_every_call_has_its_result(conversation: str, shared: Path) -> None:
    """In the five hosts the same commands ran. One that printed nothing leaves nothing in Codex; others say that it did."""
    folder = shared / "samples" / conversation
    counts = {}
    for host in hosts.DIALECTS:
        results = [message for _, messages, _ in sessions(folder, host) for message in messages if message.voice is Voice.TOOL]
        assert all(message.tool for message in results)
        counts[host] = len(results)
    codex = counts.pop("codex")
    assert len(set(counts.values())) == 1, counts
    assert counts["opencode"] - 1 <= codex <= counts["opencode"]


@pytest.mark.parametrize("conversation", CONVERSATIONS)
@pytest.mark.parametrize("host", ["claude-code", "codex", "kimi-code", "qwen-code"])
def test_two_readings_make_one(conversation: str, host: str, shared: Path, tmp_path: Path) -> None:
    for one, expected, _ in sessions(shared / "samples" / conversation, host):
        data = Path(one.path).read_bytes()
        path = tmp_path / Path(one.path).name
        copy = Transcript(host=host, session=one.session, path=str(path), cwd=one.cwd, started_at=one.started_at)
        for number in range(1, 12):
            path.write_bytes(data[:len(data) * number // 12])
            first = hosts.get(host).read(copy)
            got = list(first.messages)
            path.write_bytes(data)
            second = hosts.get(host).read(copy, first.cursor)
            got += list(second.messages)[second.fresh_from:]
            assert got == expected


def test_the_whole_folder_is_recognised(shared: Path) -> None:
    found = list(hosts.recognise(str(shared / "samples")))
    assert not [one for one in found if isinstance(one, Unreadable)]
    assert {host: sum(one.host == host for one in found) for host in hosts.DIALECTS} == dict.fromkeys(hosts.DIALECTS, 10)
