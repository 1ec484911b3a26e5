"""The request path: what a session starts with, and what a prompt needs. No model, no network, no process; when something
is wrong with the index it is rebuilt, or memory stays silent."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from reverie.axes.residency import Layer
from reverie.axes.scoping import Mount
from reverie.core import blocks
from reverie.core import recall as ranking
from reverie.core.layout import File
from reverie.core.memory import Memory, Status
from reverie.core.place import Place
from reverie.core.recall import Result
from reverie.flows.space import Space
from reverie.storage.search import FolderSource, SearchIndex

if TYPE_CHECKING:
    from reverie.storage.store import Store


# ── recall ───────────────────────────────────────────────────────────────────────────────────────────────────────


def recall(
    space: Space, place: Place, prompt: str, *, documents: int, characters: int, skip: Collection[str] = ()
) -> list[Result]:
    """What a prompt needs, best first. ``skip``: ids that the model has before it anyway."""
    mounts = space.mounts(place)
    question = ranking.ask(prompt)
    now = space.now()
    with SearchIndex(space.home.path("search.db")) as index:
        index.refresh(_source(space, mount) for mount in mounts)
        labels = [label for mount in mounts for label in _labels(space, mount)]
        found = index.find(question, labels, today=now.date().isoformat())
    return ranking.choose(
        question, found, now=now.timestamp(), documents=documents, per_document=characters, characters=documents * characters,
        skip=skip,
    )


def _source(space: Space, mount: Mount) -> FolderSource:
    """A store as the search index reads it: file by file, or as a whole where one file holds what another explains."""
    store = space.store(mount)
    layout = space.design.layout

    def parse(path: str, data: bytes, modified_ns: int) -> Iterable[Memory]:
        if mount.mixed:     # what one file says is completed by others: ask for all, keep what is this file's
            memories: Iterable[Memory] = [m for m in store.contents().memories if m.id.partition(":")[0] == path]
        else:
            moment = datetime.fromtimestamp(modified_ns / 1e9, UTC)
            memories = layout.read({path: File(data, moment)}, scope=mount.scope, project=mount.project).memories
        return [replace(memory, id=f"{mount.label}/{memory.id}") for memory in memories if memory.status is Status.ACTIVE]

    def label(memory: Memory) -> str:
        return _label(store, space.owner(memory) if mount.mixed else mount.project)

    return FolderSource(store.root, label, layout.is_memory_path, parse, version=space.design.name)


def _labels(space: Space, mount: Mount) -> list[str]:
    store = space.store(mount)
    return [_label(store, mount.project), _label(store, "")] if mount.mixed else [_label(store, mount.project)]


def _label(store: Store, project: str) -> str:
    """The isolation key: no query ever asks for another project's."""
    return f"{store.label}|{project}"


def recall_block(space: Space, results: list[Result]) -> str:
    """What goes with the prompt, fenced; "" when there is nothing."""
    return blocks.recall_block(results, design=space.design.name, now=space.now()) if results else ""


# ── the session's block ──────────────────────────────────────────────────────────────────────────────────────────


def session_block(space: Space, place: Place, *, session: str = "", tokens: int) -> str:
    """What a session starts with. With a session's id it is rendered once and then the same bytes for as long as the session
    lives, whatever is written meanwhile, in every process (DESIGN §4.1)."""
    if not session:
        return _render(space, place, tokens)
    records = space.home.records
    frozen = records.frozen(session, space.design.name)
    return frozen if frozen is not None else records.freeze(session, space.design.name, _render(space, place, tokens))


def _render(space: Space, place: Place, tokens: int) -> str:
    layers = []
    for mount in space.mounts(place):
        store = space.store(mount)
        memories = tuple(
            memory for memory in store.contents().memories
            if memory.status is Status.ACTIVE and space.visible(memory, mount)
        )
        index = space.design.layout.index(memories, store.folder())
        layers.append(Layer(folder=store.root, label=mount.label, memories=memories, index=index))
    return space.design.residency.session_block(layers, guidance="", tokens=tokens, now=space.now())
