"""Folders whose files may claim what is not so, read with caution (DESIGN §4.5, §4.10).

``Foreign`` is never written: the product's own memory of an agent, which may lie in a repository, where it is another person's
word. Whatever its files claim, nothing in them is the user's word; what tries to instruct is quarantined; credentials are
masked. ``OfAgents`` is a store of ours that agents write.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from reverie.core import product_index, redact, trust
from reverie.core.layout import Change, Contents, File, Folder, Layout, Problem, Shows, Written, to_anyone
from reverie.core.memory import By, Memory, Source, Status
from reverie.errors import StoreUnavailable
from reverie.layouts.files import fetch
from reverie.layouts.naming import INDEX

NOTES_NAME = "Notes in the index"


class Foreign:
    """Another layout over a folder of somebody else's. ``by``: whose word it is at most; ``host`` and ``agent``: whose
    folder."""

    def __init__(self, layout: Layout, *, by: By = By.UNKNOWN, host: str = "", agent: str = "") -> None:
        self.name = layout.name
        self.layout = layout
        self.by = by
        self.host = host
        self.agent = agent

    def is_memory_path(self, path: str) -> bool:
        """Also the index: agents write what they learned straight into it (study, Claude Code §7)."""
        return path == INDEX or self.layout.is_memory_path(path)

    def read(self, folder: Folder, *, scope: str, project: str = "") -> Contents:
        """Everything that the folder holds, none of it trusted further than its source."""
        found = self.layout.read(folder, scope=scope, project=project)
        notes = self._notes(folder)
        memories = [*found.memories, *([replace(notes, scope=scope, project=project)] if isinstance(notes, Memory) else [])]
        problems = (*found.problems, *([notes] if isinstance(notes, Problem) else []))
        return Contents(memories=tuple(self._distrusted(memory) for memory in memories), problems=problems)

    def write(self, folder: Folder, change: Change, *, now: datetime) -> Written:
        """Refused: the folder is its product's."""
        raise StoreUnavailable("this folder is another product's: Reverie only reads it")

    def index(self, memories: Iterable[Memory], folder: Folder, *, shows: Shows = to_anyone) -> str:
        """The index of the memories as they were read; the file's own words are in them."""
        return self.layout.index(memories, {}, shows=shows)

    def _notes(self, folder: Folder) -> Memory | Problem | None:
        """What an index says beside its pointers."""
        if INDEX not in folder:
            return None
        file = fetch(folder, INDEX)
        if not isinstance(file, File):
            return file
        text = product_index.claude_loaded(file.data.decode("utf-8", "replace")).text
        lines = [line for line in text.split("\n") if not product_index.claude_pointed(line)]
        body = "\n".join(lines).strip()
        told = [line for line in lines if line.strip("#-* \t")]
        said = next((line for line in told if not line.startswith("#")), told[0] if told else "").strip("#-* \t")
        if not said:
            return None
        return Memory(
            id=INDEX, name=NOTES_NAME, description=said[:150], type="reference", body=body, modified_at=file.modified_at
        )

    def _distrusted(self, memory: Memory) -> Memory:
        orders = trust.instructs(memory.text)
        by = self.by if memory.source.by is By.UNKNOWN else trust.lower(memory.source.by, self.by)
        source = Source(by=by, host=self.host, agent=self.agent, said_at=memory.source.said_at)
        return replace(
            memory, name=_masked(memory.name), description=_masked(memory.description), body=_masked(memory.body),
            why=_masked(memory.why), how_to_apply=_masked(memory.how_to_apply), extra=(), source=source,
            keywords=tuple(map(_masked, memory.keywords)), confirmed=0,
            status=Status.QUARANTINED if orders and memory.status is Status.ACTIVE else memory.status,
        )


class OfAgents:
    """Another layout over a store of ours that agents write, also with their own file tools: whatever a file claims, it is an
    agent's word at most."""

    def __init__(self, layout: Layout) -> None:
        self.name = layout.name
        self.layout = layout

    def is_memory_path(self, path: str) -> bool:
        return self.layout.is_memory_path(path)

    def read(self, folder: Folder, *, scope: str, project: str = "") -> Contents:
        found = self.layout.read(folder, scope=scope, project=project)
        return replace(found, memories=tuple(map(_not_the_users, found.memories)))

    def write(self, folder: Folder, change: Change, *, now: datetime) -> Written:
        return self.layout.write(folder, change, now=now)

    def index(self, memories: Iterable[Memory], folder: Folder, *, shows: Shows = to_anyone) -> str:
        return self.layout.index(memories, folder, shows=shows)


def _not_the_users(memory: Memory) -> Memory:
    by = trust.lower(memory.source.by, By.AGENT)
    return memory if by is memory.source.by else replace(memory, source=replace(memory.source, by=by))


def _masked(text: str) -> str:
    return redact.redact(text).text
