"""The memory tool as subclasses of Anthropic's Python SDK. Imported by ``MemoryTool.for_sdk`` only: the SDK costs a second.

The SDK parses what a model gave without looking at it, so a command's fields may be missing or of any kind: they are
handed back as a mapping, and ``MemoryTool`` judges them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anthropic.lib.tools import BetaFunctionToolResultType
from anthropic.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
from anyio.to_thread import run_sync

from reverie.errors import CommandRefused

if TYPE_CHECKING:
    from anthropic.types.beta import (
        BetaCacheControlEphemeralParam,
        BetaMemoryTool20250818CreateCommand,
        BetaMemoryTool20250818DeleteCommand,
        BetaMemoryTool20250818InsertCommand,
        BetaMemoryTool20250818RenameCommand,
        BetaMemoryTool20250818StrReplaceCommand,
        BetaMemoryTool20250818ViewCommand,
    )
    from pydantic import BaseModel

    from reverie.entrypoints.memory_tool import MemoryTool


def _answered(tool: MemoryTool, input: object) -> str:
    try:
        return tool.call(input)
    except CommandRefused as error:
        raise ToolError(str(error)) from error


def _given(command: BaseModel) -> dict[str, object]:
    """A command's fields as the model gave them; ``model_dump`` would warn of those that are of another kind."""
    return dict(command.__dict__)


class ReverieMemoryTool(BetaAbstractMemoryTool):
    """A store behind the SDK's memory tool; hand it to ``client.beta.messages.tool_runner(tools=[...])``."""

    def __init__(self, tool: MemoryTool, *, cache_control: BetaCacheControlEphemeralParam | None = None) -> None:
        super().__init__(cache_control=cache_control)
        self._tool = tool

    def call(self, input: object) -> BetaFunctionToolResultType:
        """One command as the model gave it."""
        return super().call(input) if self._tool.knows(input) else _answered(self._tool, input)

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        return _answered(self._tool, _given(command))

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        return _answered(self._tool, _given(command))

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        return _answered(self._tool, _given(command))

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        return _answered(self._tool, _given(command))

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        return _answered(self._tool, _given(command))

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        return _answered(self._tool, _given(command))

    def clear_all_memory(self) -> str:
        """Everything goes, as one change that can be undone."""
        return self._tool.clear()


class AsyncReverieMemoryTool(BetaAsyncAbstractMemoryTool):
    """The same for the asynchronous client. A store is files and a lock: its work is done in a thread."""

    def __init__(self, tool: MemoryTool, *, cache_control: BetaCacheControlEphemeralParam | None = None) -> None:
        super().__init__(cache_control=cache_control)
        self._tool = tool

    async def call(self, input: object) -> BetaFunctionToolResultType:
        """One command as the model gave it."""
        return await super().call(input) if self._tool.knows(input) else _answered(self._tool, input)

    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        return await run_sync(_answered, self._tool, _given(command))

    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        return await run_sync(_answered, self._tool, _given(command))

    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        return await run_sync(_answered, self._tool, _given(command))

    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        return await run_sync(_answered, self._tool, _given(command))

    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        return await run_sync(_answered, self._tool, _given(command))

    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        return await run_sync(_answered, self._tool, _given(command))

    async def clear_all_memory(self) -> str:
        """Everything goes, as one change that can be undone."""
        return await run_sync(self._tool.clear)
