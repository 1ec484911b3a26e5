"""What another hand wrote into a store and nobody has taken over yet, as far as a model may see it.

A file that an ordinary tool wrote counts at once: Markdown is the truth. But it has passed no door, and a session may start
before ``adopting`` comes. Until then, and only for files that hold other bytes than the journal knows:

- credentials are masked, in the search index, too;
- nothing is the user's word, whatever it claims (DESIGN §4.5);
- what orders an agent about, or is more than can be judged while somebody waits, is not shown at all.

On the request path, so the costs are bounded: what the journal knows is not judged, and of the rest only so much.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from reverie import errors
from reverie.axes.scoping import Mount
from reverie.core.memory import By, Memory, Status
from reverie.flows.space import Space
from reverie.layouts import naming
from reverie.storage import files
from reverie.storage.folder import Unreadable
from reverie.storage.history import digest_of

if TYPE_CHECKING:
    from reverie.core.recall import Candidate
    from reverie.storage.history import Known

MOST_OF_ONE = 6_000             # characters of one memory; an ordinary one has a thousand
MOST_OF_ALL = 60_000            # of all that are judged for one request: some 0.3 s at worst
_RAW = "raw_memories.md"        # where the codex layout keeps whose word a line of its handbook is


class Unadopted:
    """The judge of one request: what it has judged counts against ``MOST_OF_ALL``."""

    def __init__(self, space: Space) -> None:
        self._space = space
        self._left = MOST_OF_ALL
        self._files: dict[str, bool] = {}           # path in the home -> whether it is as the journal knows it
        self._judged: dict[str, bool] = {}          # full id -> whether it may be shown

    # ── a store's memories ───────────────────────────────────────────────────────────────────────────────────────

    def shown(self, mount: Mount, memories: Iterable[Memory]) -> Iterator[Memory]:
        """These memories of a store without what may not be shown, and no further trusted than they may be."""
        memories = tuple(memories)
        if mount.folder or not memories:    # a product's own folder is distrusted by its layout
            yield from memories
            return
        known, digests = self._known(mount), self._digests(mount)
        fresh = {path for path, digest in digests.items() if self._is_news(known.get(f"{self._folder(mount)}/{path}"), digest)}
        for memory in memories:
            is_fresh = bool(fresh) if mount.mixed else memory.id in fresh or memory.id.rpartition(":")[0] in fresh
            if not is_fresh or memory.status is not Status.ACTIVE:
                yield memory
            elif self._may_be_shown(f"{mount.label}/{memory.id}", memory.text, memory.id):
                yield distrusted(memory)

    def _known(self, mount: Mount) -> dict[str, Known]:
        try:
            return self._space.home.journal.known(self._folder(mount))
        except errors.StoreUnavailable:     # a database that cannot be read vouches for nothing
            return {}

    def _digests(self, mount: Mount) -> dict[str, str | None]:
        """What the store's files hold now; None for one that cannot be read."""
        store = self._space.store(mount)
        view = store.folder()
        digests: dict[str, str | None] = {}
        for path in view.scan.files:
            if store.layout.is_memory_path(path):
                try:
                    digests[path] = digest_of(view[path].data)
                except Unreadable:
                    digests[path] = None
        return digests

    def _folder(self, mount: Mount) -> str:
        return f"stores/{self._space.store(mount).label}"

    # ── what the search index found ──────────────────────────────────────────────────────────────────────────────

    def lets(self, mount: Mount, candidate: Candidate) -> bool:
        """Whether a memory that was found may be shown. One that may loses a claim that nobody has looked at."""
        if mount.folder:
            return True
        if candidate.id not in self._judged:
            paths = {candidate.path, _RAW} if mount.mixed else {candidate.path}
            if all(self._is_known(mount, path) for path in paths):
                self._judged[candidate.id] = True
            else:
                text = "\n".join((candidate.name, candidate.description, candidate.body, candidate.why, candidate.how_to_apply))
                self._may_be_shown(candidate.id, text, candidate.path)
                candidate.by = _at_most_the_agents(candidate.by)
        return self._judged[candidate.id]

    def _is_known(self, mount: Mount, path: str) -> bool:
        full = f"{self._folder(mount)}/{path}"
        if full not in self._files:
            store = self._space.store(mount)
            data = files.read(os.path.join(store.root, path), root=store.root)      # noqa: PTH118 - as in storage
            try:
                last = self._space.home.journal.last(full)
            except errors.StoreUnavailable:
                last = None
            is_gone = isinstance(data, files.Unread) and data.reason == "missing"
            found = None if isinstance(data, files.Unread) else digest_of(data)
            self._files[full] = is_gone or not self._is_news(last, found)
        return self._files[full]

    def vouched(self, mount: Mount, path: str, data: bytes) -> bool:
        """Whether a file holds what was written through the journal, where no credential gets in."""
        if mount.folder:
            return False
        try:
            last = self._space.home.journal.last(f"{self._folder(mount)}/{path}")
        except errors.StoreUnavailable:
            return False
        return not self._is_news(last, digest_of(data))

    # ── judging ──────────────────────────────────────────────────────────────────────────────────────────────────

    @staticmethod
    def _is_news(known: Known | None, digest: str | None) -> bool:
        return known is None or digest is None or known.digest != digest

    def _may_be_shown(self, id: str, text: str, path: str) -> bool:
        from reverie.core import trust

        if id not in self._judged:
            fits = len(text) <= min(MOST_OF_ONE, self._left)
            self._left -= len(text) if fits else 0
            self._judged[id] = fits and not (trust.instructs(text) or trust.instructs(naming.spoken(path)))
            if not self._judged[id]:
                self._space.home.note("a memory that another hand wrote is not shown before it is taken over: `reverie adopt`")
        return self._judged[id]


def memories(space: Space, mounts: Iterable[Mount]) -> Iterator[tuple[Mount, Memory]]:
    """What these stores hold, as ``Space.memories``, as far as a model may see it."""
    judge = Unadopted(space)
    for mount in mounts:
        held = [memory for _, memory in space.memories([mount])]
        yield from ((mount, memory) for memory in judge.shown(mount, held))


def distrusted(memory: Memory) -> Memory:
    """A memory that nobody has looked at: without credentials, and nobody's word but the agent's."""
    by = By(_at_most_the_agents(memory.source.by))
    memory = masked(memory)
    return memory if by is memory.source.by else replace(memory, source=replace(memory.source, by=by))


def masked(memory: Memory) -> Memory:
    """A memory without credentials."""
    from reverie.core import redact

    if not redact.has_secret("\n".join((memory.text, *memory.keywords))):
        return memory
    def clean(text: str) -> str:
        return redact.redact(text).text

    return replace(
        memory, name=clean(memory.name), description=clean(memory.description), body=clean(memory.body), why=clean(memory.why),
        how_to_apply=clean(memory.how_to_apply), keywords=tuple(map(clean, memory.keywords)),
    )


def _at_most_the_agents(by: str) -> str:
    from reverie.core import trust

    return trust.lower(By(by), By.AGENT).value if by in frozenset(By) else By.UNKNOWN.value
