"""Another layout over the folder that a team shares: each file is a teammate's word, shown only when nothing speaks against it.

The index is rendered from the files alone, in the order of their paths, so that all checkouts with the same files have the
same index (spec/qwen-code §5.5); whose checkout it is, the clock and what one person accepted make no difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime

from reverie.core import index, product_index, redact
from reverie.core.layout import Change, Contents, File, Folder, Layout, Shows, Written, to_anyone
from reverie.core.memory import By, Memory, Source, Status
from reverie.core.team import SCOPE, Known
from reverie.layouts.files import fetch
from reverie.layouts.naming import INDEX

Judge = Callable[[str, bytes], Known]


class OfTeam:
    """``judged`` says what is known of a file here, a person's decision included; ``suspect`` by which rule a file is not to be
    shown, "" for none: the same everywhere."""

    def __init__(self, layout: Layout, *, judged: Judge, suspect: Callable[[str, bytes], str]) -> None:
        self.name = layout.name
        self.layout = layout
        self._judged = judged
        self._suspect = suspect

    def is_memory_path(self, path: str) -> bool:
        return self.layout.is_memory_path(path)

    def read(self, folder: Folder, *, scope: str, project: str = "") -> Contents:
        """Everything that the folder holds, with who wrote it, and quarantined where it is suspicious."""
        found = self.layout.read(folder, scope=scope, project=project)
        memories: list[Memory] = []
        judged: dict[str, Known] = {}
        for memory in found.memories:
            path = index.path_of(memory.id)
            if path not in judged:
                file = fetch(folder, path)
                judged[path] = self._judged(path, file.data) if isinstance(file, File) else Known(reason="unreadable")
            memories.append(_shown(memory, judged[path]))
        return replace(found, memories=tuple(memories))

    def write(self, folder: Folder, change: Change, *, now: datetime) -> Written:
        """The bytes that carry out a change: no more of its provenance than others need, and the team's form of the index."""
        bare = replace(change, put=[_bare(memory) for memory in change.put])
        written = self.layout.write(folder, bare, now=now)
        files = {path: data for path, data in written.files.items() if path != INDEX}
        if files or change.reindex:
            files |= self._index_file(folder, files, now)
        return replace(written, files=files)

    def index(self, memories: Iterable[Memory], folder: Folder, *, shows: Shows = to_anyone) -> str:
        """What a session is shown of these memories."""
        counts = sorted((memory for memory in memories if memory.status is Status.ACTIVE), key=lambda memory: memory.id)
        return self._rendered(counts)

    def _index_file(self, folder: Folder, files: dict[str, bytes | None], now: datetime) -> dict[str, bytes | None]:
        after = {path: folder[path] for path in folder if path not in files and path != INDEX}
        after |= {path: File(data, now) for path, data in files.items() if data is not None}
        found = fetch(folder, INDEX) if INDEX in folder else None
        data = self.rendered(after)
        return {} if isinstance(found, File) and found.data == data else {INDEX: data}

    def rendered(self, folder: Folder) -> bytes:
        """The index that follows from these files."""
        memories = []
        for memory in self.layout.read(folder, scope=SCOPE).memories:
            path = index.path_of(memory.id)
            if memory.status is Status.ACTIVE and not self._suspect(path, folder[path].data):
                memories.append(memory)
        return self._rendered(memories).encode("utf-8", "replace")

    def _rendered(self, memories: Iterable[Memory]) -> str:
        first: dict[str, Memory] = {}
        for memory in memories:
            first.setdefault(index.path_of(memory.id), memory)      # a file has one line, as in the product
        lines = product_index.qwen_team_lines(
            (memory.name, path, memory.description, memory.type) for path, memory in sorted(first.items())
        )
        cut = product_index.qwen_built(lines[:_MOST_LINES])
        return cut.text


_MOST_LINES = 200           # files that the product looks at for its index (spec/qwen-code §3.3)


def _bare(memory: Memory) -> Memory:
    """What goes to others: not whose session it was, where, and in which words it was said."""
    source = Source(by=By.TEAM, host=memory.source.host, said_at=memory.source.said_at)
    return replace(memory, source=source, extra=tuple(each for each in memory.extra if not redact.has_secret(each[1])))


def _shown(memory: Memory, known: Known) -> Memory:
    source = replace(memory.source, by=By.TEAM, session="", message="", cwd="", author=known.told)
    memory = replace(memory, source=source, confirmed=0)
    if known.verdict == "rejected":
        return replace(_masked(memory), status=Status.ARCHIVED)
    if known.verdict in ("clean", "accepted") or memory.status is not Status.ACTIVE:
        return memory
    return replace(_masked(memory), status=Status.QUARANTINED)


def _masked(memory: Memory) -> Memory:
    def masked(text: str) -> str:
        return redact.redact(text).text

    return replace(
        memory, name=masked(memory.name), description=masked(memory.description), body=masked(memory.body),
        why=masked(memory.why), how_to_apply=masked(memory.how_to_apply), keywords=tuple(map(masked, memory.keywords)), extra=(),
    )
