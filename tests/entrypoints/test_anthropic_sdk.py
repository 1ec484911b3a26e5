"""The memory tool in the real SDK's tool loop, against a scripted Messages API on loopback."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import anthropic
import pytest
from anthropic.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
from anthropic.types.beta import BetaMemoryTool20250818ViewCommand

from reverie import open_memory
from reverie.entrypoints.memory_tool import MemoryTool
from reverie.errors import WrongUse
from reverie.memory import Memory

from ..model_server import serving

CHECKS = "---\nname: Checks\ndescription: How to run the checks\ntype: feedback\n---\n\nRun them with make check.\n"
KEY = "sk-ant-" + "api03-" + "Zx8" * 28 + "-AA"
LISTING = "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items:\n"

SCRIPT: list[list[object] | str] = [
    [{"command": "view", "path": "/memories"}],
    [{"command": "create", "path": "/memories/checks.md", "file_text": CHECKS},
     {"command": "create", "path": "/memories/log.txt", "file_text": "one\n"}],
    [{"command": "create", "path": "/memories/checks.md", "file_text": "again"}],
    [{"command": "str_replace", "path": "/memories/checks.md", "old_str": "make check", "new_str": "make test"}],
    [{"command": "insert", "path": "/memories/log.txt", "insert_line": 9, "insert_text": "x"}],
    [{"command": "insert", "path": "/memories/log.txt", "insert_line": 1, "insert_text": "two\n"}],
    [{"command": "view", "path": "/memories/log.txt", "view_range": [2, -1]}],
    [{"command": "rename", "old_path": "/memories/log.txt", "new_path": "/memories/old/log.txt"}],
    [{"command": "delete", "path": "/memories/old"}],
    [{"command": "view", "path": "/memories/../state.db"}],
    [{"command": "create", "path": "/memories/key.txt", "file_text": KEY}],
    [{"command": "forget", "path": "/memories"}, {"path": "/memories"}, {"command": "view"}, {"command": "view", "path": ["x"]},
     {"command": "insert", "path": "/memories/checks.md", "insert_line": "one", "insert_text": "x"},
     {"command": "str_replace", "path": "/memories/checks.md", "old_str": "Run them with make test.\n"}],
    "Noted.",
]  # fmt: skip
ANSWERS = [
    (False, LISTING + "0B\t/memories"),
    (False, "File created successfully at: /memories/checks.md"),
    (False, "File created successfully at: /memories/log.txt"),
    (True, "File /memories/checks.md already exists"),
    (False, "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
            "     5\t---\n     6\t\n     7\tRun them with make test.\n     8\t"),
    (True, "Invalid `insert_line` parameter: 9. It should be within the range [0, 1]."),
    (False, "The file /memories/log.txt has been edited."),
    (False, "Here's the content of /memories/log.txt with line numbers:\n     2\ttwo\n     3\t"),
    (False, "Successfully renamed /memories/log.txt to /memories/old/log.txt"),
    (False, "Successfully deleted /memories/old"),
    (True, "Path /memories/../state.db would escape /memories directory"),
    (True, "Not stored: the text holds what looks like a credential (anthropic). Say where it is kept instead."),
    (True, "Unknown command: forget"),
    (True, "The input must be an object with a `command`."),
    (True, "The command `view` needs `path`."),
    (True, "`path` must be a string."),
    (True, "`insert_line` must be an integer."),
    (False, "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
            "     5\t---\n     6\t\n     7\t"),
]  # fmt: skip


@pytest.fixture(autouse=True)
def straight_to_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    (tmp_path / "project").mkdir()
    with open_memory(tmp_path / "home", cwd=tmp_path / "project", environment={}) as opened:
        yield opened


def check(memory: Memory) -> None:
    """What the conversation left behind, and that it can be taken back."""
    [found] = memory.list()
    assert (found.memory.name, found.memory.body) == ("Checks", "")
    memory.undo()
    [found] = memory.list()
    assert found.memory.body == "Run them with make test."
    memory.undo(last=7)
    assert memory.list() == []


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_a_conversation_in_the_real_loop(memory: Memory, stream: bool) -> None:
    tool = MemoryTool(memory, session="s1").for_sdk(cache_control={"type": "ephemeral"})
    assert isinstance(tool, BetaAbstractMemoryTool)
    with serving(SCRIPT) as (server, address), anthropic.Anthropic(api_key="none", base_url=address, max_retries=0) as client:
        runner = client.beta.messages.tool_runner(
            model="scripted", max_tokens=1000, messages=[{"role": "user", "content": "Note it."}], tools=[tool], stream=stream
        )
        last = runner.until_done()
        assert [block.text for block in last.content if block.type == "text"] == ["Noted."]
        assert server.results() == ANSWERS
        assert server.requests[0]["tools"] == [
            {"type": "memory_20250818", "name": "memory", "cache_control": {"type": "ephemeral"}}
        ]
        assert {path.split("?")[0] for path in server.paths} == {"/v1/messages"}
    check(memory)


def test_a_conversation_that_is_sent_whole_each_time(memory: Memory) -> None:
    with serving(SCRIPT) as (server, address), anthropic.Anthropic(api_key="none", base_url=address, max_retries=0) as client:
        client.beta.messages.tool_runner(
            model="scripted", max_tokens=1000, messages=[{"role": "user", "content": "Note it."}], thread=False,
            tools=[MemoryTool(memory).for_sdk()],
        ).until_done()  # fmt: skip
        assert server.results() == ANSWERS
        assert len(server.requests[-1]["messages"]) == 2 * len(SCRIPT) - 1
    check(memory)


def test_the_same_in_the_asynchronous_loop(memory: Memory) -> None:
    tool = MemoryTool(memory).for_async_sdk()
    assert isinstance(tool, BetaAsyncAbstractMemoryTool)

    async def talk(address: str) -> str:
        async with anthropic.AsyncAnthropic(api_key="none", base_url=address, max_retries=0) as client:
            runner = client.beta.messages.tool_runner(
                model="scripted", max_tokens=1000, messages=[{"role": "user", "content": "Note it."}], tools=[tool]
            )
            last = await runner.until_done()
        return "".join(block.text for block in last.content if block.type == "text")

    with serving(SCRIPT) as (server, address):
        assert asyncio.run(talk(address)) == "Noted."
        assert server.results() == ANSWERS
    check(memory)


def test_a_loop_of_ones_own_needs_no_sdk(memory: Memory) -> None:
    tool = MemoryTool(memory)
    for turn in SCRIPT[:-1]:
        for input in turn:
            result = tool.result({"type": "tool_use", "id": "t", "name": "memory", "input": input})
            assert (result.get("is_error", False), result["content"]) in ANSWERS
    check(memory)


def test_commands_can_be_given_as_the_sdks_own_values(memory: Memory) -> None:
    tool = MemoryTool(memory).for_sdk()
    assert tool.view(BetaMemoryTool20250818ViewCommand(command="view", path="/memories")) == LISTING + "0B\t/memories"
    with pytest.raises(ToolError, match=r"^The path /memories/x does not exist\. Please provide a valid path\.$"):
        tool.view(BetaMemoryTool20250818ViewCommand(command="view", path="/memories/x"))
    assert tool.clear_all_memory() == "All memory cleared"


def test_a_subclass_may_do_something_of_its_own(memory: Memory) -> None:
    from reverie.entrypoints.anthropic_sdk import ReverieMemoryTool

    class Watched(ReverieMemoryTool):
        def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
            return f"watched: {super().view(command)}"

    assert Watched(MemoryTool(memory)).call({"command": "view", "path": "/memories"}) == f"watched: {LISTING}0B\t/memories"


def test_the_sdk_is_imported_only_when_it_is_asked_for() -> None:
    code = "import sys, reverie.entrypoints.memory_tool; print(sorted({'anthropic', 'pydantic', 'asyncio'} & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_without_the_sdk_it_is_said_how_to_get_it(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anthropic.tools", None)
    monkeypatch.delitem(sys.modules, "reverie.entrypoints.anthropic_sdk", raising=False)
    for made in (MemoryTool(memory).for_sdk, MemoryTool(memory).for_async_sdk):
        with pytest.raises(WrongUse, match=r"pip install 'reverie-agents\[anthropic\]'"):
            made()
