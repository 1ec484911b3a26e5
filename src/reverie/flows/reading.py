"""The request path: what a session starts with, and what a prompt needs. No model, no network, no process; when something
is wrong with the index it is rebuilt, or memory stays silent."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from reverie import errors
from reverie.axes.residency import Layer
from reverie.axes.scoping import Mount
from reverie.core import blocks, team
from reverie.core import recall as ranking
from reverie.core.layout import Change, File
from reverie.core.memory import Memory, Status
from reverie.core.place import Place
from reverie.core.recall import Candidate, Result
from reverie.flows.space import Space
from reverie.flows.unadopted import Unadopted, masked
from reverie.layouts.naming import INDEX
from reverie.storage.search import CANDIDATES, FolderSource, SearchIndex

if TYPE_CHECKING:
    from reverie.core.edits import Edit
    from reverie.storage.store import Store

ROUNDS = 4                  # of choosing: what may not be shown makes room for others so often
MOST_OF_KIND = 256          # candidates among which those of one type are looked for


# ── recall ───────────────────────────────────────────────────────────────────────────────────────────────────────


class Recalled:
    """What a prompt was given, of how many memories, and how they were chosen ("none", "heuristic", "model")."""

    __slots__ = ("results", "scanned", "strategy")

    def __init__(self, results: list[Result], scanned: int, strategy: str = "") -> None:
        self.results = results
        self.scanned = scanned
        self.strategy = strategy or ("heuristic" if results else "none")


def recall(
    space: Space, place: Place, prompt: str, *, documents: int, characters: int, skip: Collection[str] = (),
    tools: Sequence[str] = (),
) -> Recalled:
    """What a prompt needs, best first. ``skip``: ids that the model has before it anyway; ``tools``: those that it has used."""
    mounts = [mount for mount in space.mounts(place) if mount.scope != team.SCOPE or space.design.scoping.recalls_team]
    return look(space, mounts, prompt, documents=documents, characters=characters, skip=skip, tools=tools)


def recall_from(
    space: Space, mounts: Iterable[Mount], prompt: str, *, documents: int, characters: int, skip: Collection[str] = (),
    kind: str = "",
) -> list[Result]:
    """What these stores have for a prompt, best first. ``kind``: memories of this type alone."""
    return look(space, mounts, prompt, documents=documents, characters=characters, skip=skip, kind=kind).results


def look(
    space: Space, mounts: Iterable[Mount], prompt: str, *, documents: int, characters: int, skip: Collection[str] = (),
    kind: str = "", tools: Sequence[str] = (),
) -> Recalled:
    """What these stores have for a prompt, and how many memories were looked at. ``kind``: memories of this type alone, those
    that match, by our own ranking in every design."""
    mounts = tuple(mounts)
    judge = Judge(space, mounts)
    if space.design.ranking.scans and not kind:
        there = everything(space, mounts, tools) if prompt.strip() else []
        chosen = judge.best(lambda leave: space.design.ranking.choose(
            prompt, there, documents=documents, characters=characters, skip=leave,
        ), skip)
        return Recalled(_with_authors(space, mounts, chosen), len(there))
    question = ranking.ask(prompt)
    now = space.now()
    with SearchIndex(space.home.path("search.db")) as index:
        labels = _refreshed(space, index, mounts)
        found = index.find(question, labels, today=now.date().isoformat(), limit=MOST_OF_KIND if kind else CANDIDATES)
    if kind:
        found.candidates = [candidate for candidate in found.candidates if candidate.type == kind]
    results = judge.best(lambda leave: ranking.choose(
        question, found, now=now.timestamp(), documents=documents, per_document=characters, characters=documents * characters,
        skip=leave,
    ), skip)
    return Recalled(_with_authors(space, mounts, results), found.memories)


def _with_authors(space: Space, mounts: Iterable[Mount], chosen: list[Result]) -> list[Result]:
    """The results, those of a team's memories with who wrote them. The index of words does not know it: git does, and tells it
    when syncing."""
    for mount in mounts:
        top = f"{mount.label}/"
        if mine := [each.candidate for each in chosen if mount.scope == team.SCOPE and each.candidate.id.startswith(top)]:
            authors = {f"{mount.label}/{memory.id}": memory.source.author for memory in space.store(mount).contents().memories}
            for candidate in mine:
                candidate.author = authors.get(candidate.id) or "not committed yet"
    return chosen


class Judge:
    """What of the memories that were found may be shown: of those that nobody has taken over yet not all (``unadopted``)."""

    def __init__(self, space: Space, mounts: Iterable[Mount]) -> None:
        self._judge = Unadopted(space)
        self._whose = {label: mount for mount in mounts for label in _labels(space, mount)}

    def lets(self, candidate: Candidate) -> bool:
        return self._judge.lets(self._whose[candidate.label], candidate)

    def best(self, choose: Callable[[Collection[str]], list[Result]], skip: Collection[str]) -> list[Result]:
        """The best that may be shown, by a function that chooses without the ids it is given."""
        withheld: set[str] = set()
        for _ in range(ROUNDS):
            results = choose({*skip, *withheld})
            refused = {each.candidate.id for each in results if not self.lets(each.candidate)}
            if not refused:
                return results
            withheld |= refused     # others may have their place
        return [each for each in results if each.candidate.id not in withheld]


def everything(space: Space, mounts: Iterable[Mount], tools: Sequence[str] = ()) -> list[Candidate]:
    """Every memory that a session with these stores may be shown, if ``Judge`` lets it: the first store's first, each newest
    first. ``tools``: those that it has used."""
    with SearchIndex(space.home.path("search.db")) as index:
        labels = _refreshed(space, index, tuple(mounts))
        return space.design.ranking.seen(index.everything(labels, today=space.now().date().isoformat()), tools)


def _refreshed(space: Space, index: SearchIndex, mounts: Sequence[Mount]) -> list[str]:
    """Bring the index up to date with these stores; under which labels their memories are in it."""
    index.refresh(_source(space, mount) for mount in mounts)
    return [label for mount in mounts for label in _labels(space, mount)]


def _source(space: Space, mount: Mount) -> FolderSource:
    """A store as the search index reads it: file by file, or as a whole where one file holds what another explains."""
    store = space.store(mount)
    layout = space.layout(mount)
    judge = Unadopted(space)

    def parse(path: str, data: bytes, modified_ns: int) -> Iterable[Memory]:
        if mount.mixed:     # what one file says is completed by others: ask for all, keep what is this file's
            memories: Iterable[Memory] = [m for m in store.contents().memories if m.id.partition(":")[0] == path]
        else:
            moment = datetime.fromtimestamp(modified_ns / 1e9, UTC)
            memories = layout.read({path: File(data, moment)}, scope=mount.scope, project=mount.project).memories
        named = [replace(memory, id=f"{mount.label}/{memory.id}") for memory in memories if memory.status is Status.ACTIVE]
        clean = not mount.mixed and judge.vouched(mount, path, data)
        return named if clean else map(masked, named)

    def label(memory: Memory) -> str:
        return _label(store, space.owner(memory) if mount.mixed else mount.project)

    version = f"{space.design.name} {mount.label}" if mount.folder else space.design.name
    if mount.scope == team.SCOPE:
        from reverie.flows import team_trust

        version += f" {team_trust.version(space, mount)}"
    return FolderSource(store.root, label, layout.is_memory_path, parse, version=version)


def sources(space: Space, place: Place) -> tuple[list[tuple[str, str]], list[str]]:
    """Which folders of the index count for a prompt here, each with its version, and under which labels; nothing where a prompt
    is answered by more than the index."""
    mounts = space.mounts(place)
    if space.design.ranking.scans or space.design.tells_recalls or any(mount.mixed for mount in mounts):
        return [], []
    found = [_source(space, mount) for mount in mounts]
    return [(source.root, source.version) for source in found], [label for mount in mounts for label in _labels(space, mount)]


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


def session_block(space: Space, place: Place, *, session: str = "", tokens: int, refresh: bool = False) -> str:
    """What a session starts with. With a session's id it is rendered once and then the same bytes for as long as the session
    lives, whatever is written meanwhile, in every process (DESIGN §4.1).

    ``refresh``: the host has compacted the conversation. Designs that reread then give, and freeze, a new block.
    """
    if not session:
        return _render(space, _layers(space, place), tokens)
    records, name = space.home.records, space.design.name
    frozen = records.frozen(session, name)
    if frozen is not None and not (refresh and space.design.refresh.rereads):
        return frozen
    if frozen is None:
        _claim(space, place)
    text = _render(space, _layers(space, place), tokens)
    try:
        if frozen is None:
            return records.freeze(session, name, text)
        records.refreeze(session, {name: text, _shown(name): text})
    except errors.StoreUnavailable as error:    # a full disk, a home that cannot be written: better not frozen than not there
        space.home.note(f"the block of a session was not frozen: {error}")
    return text


def resumed(space: Space, place: Place, *, session: str) -> str:
    """What a resumed session is told with its new message, because its index is another one by now: the whole of it, once.

    "" where the design says nothing on resumption, where nothing changed, and for a session that never had a block. The
    frozen block stays what it was (spec/claude-code §5.3).
    """
    records, name = space.home.records, space.design.name
    frozen = records.frozen(session, name) if session and space.design.refresh.rereads else None
    if frozen is None:
        return ""
    shown = records.frozen(session, _shown(name))
    text = space.design.residency.replacement(_layers(space, place), shown=frozen if shown is None else shown)
    try:
        if text:
            records.refreeze(session, {_shown(name): text})
    except errors.StoreUnavailable as error:
        space.home.note(f"what a resumed session was told was not written down: {error}")
    return text


def _shown(design: str) -> str:
    """Under which name the block stands that a resumed session was told last."""
    return f"{design} resumed"


def without_guidance(space: Space, place: Place, *, tokens: int) -> str:
    """What is remembered, in the form in which a session would start with it, but without the guidance; for people."""
    return _render(space, _layers(space, place), tokens, guided=False)


def _layers(space: Space, place: Place) -> list[Layer]:
    layers = []
    judge = Unadopted(space)
    for mount in space.mounts(place):
        store = space.store(mount)
        memories = tuple(judge.shown(mount, (
            memory for memory in store.contents().memories
            if memory.status is Status.ACTIVE and space.visible(memory, mount)
        )))
        if space.design.residency.rebuilds and memories:
            _rebuild(space, store)
        index = space.layout(mount).index(memories, store.folder(), shows=space.shows(mount))
        layers.append(Layer(folder=store.root, label=mount.label, memories=memories, index=index, scope=mount.scope))
    return layers


def _render(space: Space, layers: list[Layer], tokens: int, *, guided: bool = True) -> str:
    # where an agent writes first: its own project, then the user's, then what goes through a command
    folders = [(layer.folder, layer.scope) for layer in layers if layer.scope != team.SCOPE]
    folders += [(layer.folder, layer.scope) for layer in layers if layer.scope == team.SCOPE]
    guidance = space.design.guidance.text(folders, empty=not any(layer.memories for layer in layers)) if guided else ""
    return space.design.residency.session_block(layers, guidance=guidance, tokens=tokens, now=space.now())


def _claim(space: Space, place: Place) -> None:
    """Write down whose the folders are that the agent is about to be told to write to, before it does. The products' names for
    directories are lossy: what it writes into one that is nobody's yet, a session of another project would read (DESIGN §4.6)."""
    if not space.design.writing.by_agent:
        return
    for mount in space.mounts(place):
        if not mount.label.endswith(mount.project):
            _keep(space, "claim", "folder_named", partial(space.project_edit, mount))


def _rebuild(space: Space, store: Store) -> None:
    """Write the index of a store that has none, as the client does when a session starts (spec/claude-code §4.4). The
    session is shown it in any case."""
    view = store.folder()
    if store.writable and INDEX not in view.scan.files and INDEX not in view.scan.skipped:
        _keep(space, "reindex", "index_missing", lambda: store.plan(Change(reindex=True, rebuild=True), space.now()).edits)


def _keep(space: Space, operation: str, rule: str, edits: Callable[[], Sequence[Edit]]) -> None:
    """Change something beside the request: whoever holds the lock is not waited for, and no failure stops the session."""
    home = space.home
    try:
        if home.readonly or not home.try_lock(operation):
            return
        try:
            planned = edits()
            if planned:
                from reverie.core.events import Cause

                home.journal.commit(planned, cause=Cause(operation=operation, actor="reverie", rule=rule))
        finally:
            home.unlock()
    except errors.ReverieError as error:
        home.note(str(error))
