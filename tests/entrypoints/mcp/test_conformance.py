"""The client of the official SDK, in each era: it validates every answer against the protocol and the tools' own schemas."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

FACT = "Releases of the harvest service are cut on Mondays"


async def life(home: Path, cwd: Path, mode: str) -> str:
    from mcp import Client, StdioServerParameters, stdio_client

    parameters = StdioServerParameters(command=sys.executable, args=["-I", "-m", "reverie.entrypoints.mcp", "--home", str(home)],
                                       cwd=str(cwd), env={"HOME": os.environ["HOME"], "PATH": os.environ["PATH"]})

    async def call(name: str, **arguments: Any) -> Any:
        found = await client.call_tool(name, arguments)
        assert found.is_error is not True, found
        return found.structured_content

    async with Client(stdio_client(parameters), mode=mode) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == {"recall", "read_memory", "list_memories", "remember", "forget"}
        id = (await call("remember", text=FACT))["id"]
        assert "Mondays" in (await call("recall", query="when are releases of the harvest service cut?"))["block"]
        assert (await call("read_memory", id=id))["memory"]["id"] == id
        assert (await call("list_memories", type="project"))["total"] == 1
        listed = (await client.list_resources()).resources
        texts = [(await client.read_resource(each.uri)).contents[0].text for each in listed]        # type: ignore[union-attr]
        assert len(texts) == 2 and all("Mondays" in text for text in texts)
        assert (await client.list_resource_templates()).resource_templates
        assert {each.name for each in (await client.list_prompts()).prompts} == {"recall", "remember"}
        prompt = await client.get_prompt("recall", {"query": "when are releases of the harvest service cut?"})
        assert "Mondays" in prompt.messages[0].content.text                                         # type: ignore[union-attr]
        assert (await client.call_tool("read_memory", {"id": "nothing"})).is_error is True
        assert (await call("forget", id=id))["change"] > 0
        assert (await call("list_memories"))["memories"] == []
        return str(client.protocol_version)


@pytest.mark.parametrize(("mode", "version"), [("legacy", "2025-11-25"), ("auto", "2026-07-28"), ("2026-07-28", "2026-07-28")])
def test_the_official_client_is_content(tmp_path: Path, mode: str, version: str) -> None:
    import anyio

    (tmp_path / "harvest").mkdir()
    assert anyio.run(life, tmp_path / "reverie", tmp_path / "harvest", mode) == version
