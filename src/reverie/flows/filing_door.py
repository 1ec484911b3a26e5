"""What an agent may write into a store's files, and how it is marked: the door between the memory tool and the disk.

A credential is refused, and what the user had forgotten. Orders to the agent are kept and sealed, quarantined in the
file's own frontmatter, or refused where a file cannot carry that mark. And the agent's word is never taken for the user's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from reverie.axes.scoping import Mount
from reverie.core import frontmatter, gate, redact
from reverie.core.layout import File, Folder
from reverie.core.memory import By, Memory, Status
from reverie.core.proposal import Proposal
from reverie.core.tool_answers import ROOT, Wording
from reverie.errors import CommandRefused
from reverie.flows.filing_paths import Where
from reverie.flows.space import Space
from reverie.layouts import fields

FILE_BYTES = 256 * 1024             # of a file that an agent writes: more than any model reads at once
WINDOW_CHARACTERS = 50_000          # that are judged at once for orders, as many as ``trust`` looks at
OVERLAP_CHARACTERS = 2_000          # so that no order hides where two windows meet
SAID_CHARACTERS = 8_000             # of a memory that may be what the user had forgotten: a statement, not a document

_USERS_WORD = (By.USER, By.HAND)
_SEPARATORS = re.compile("[-_./]+")


class Door:
    """The checks before a write. ``base``: the folder of the store that stands for ``/memories``."""

    def __init__(self, space: Space, mount: Mount, base: str, say: Wording, instructs: Callable[[str], str | None]) -> None:
        self._space, self._mount, self._base = space, mount, base
        self._layout = space.store(mount).layout
        self._say = say
        self._instructs = instructs

    def _refused(self, key: str, **values: object) -> CommandRefused:
        return CommandRefused(self._say(key, **values))

    def is_memory(self, relative: str) -> bool:
        return self._layout.is_memory_path(self._base + relative)

    def memories(self, relative: str, data: bytes | None, file: File | None = None) -> tuple[Memory, ...]:
        """What the layout finds in one file."""
        if data is None or not self.is_memory(relative):
            return ()
        folder: Folder = {self._base + relative: file or File(data, self._space.now())}
        return self._layout.read(folder, scope=self._mount.scope, project=self._mount.project).memories

    def name(self, path: str) -> None:
        """Refuse a path whose names say what no text may: they are listed to a model."""
        if families := {secret.family for secret in redact.find(path)}:
            raise self._refused("secret", families=", ".join(sorted(families)))
        if reason := self._orders(path) or self._orders(_SEPARATORS.sub(" ", path)):
            raise self._refused("orders", why=reason)

    def admitted(
        self, where: Where, before: bytes | None, text: str, path: str, *, brought: str | None = None
    ) -> tuple[bytes, str]:
        """The bytes to write for a text, and what has to be said about it. ``brought`` is what an edit adds."""
        try:
            data = text.encode()
        except UnicodeEncodeError:
            raise self._refused("not_unicode", name="file_text" if brought is None else "the new text") from None
        if len(data) > FILE_BYTES:
            raise self._refused("too_large", path=path, size=len(data), limit=FILE_BYTES)
        if families := {secret.family for secret in redact.find(text)}:
            raise self._refused("secret", families=", ".join(sorted(families)))
        if self._forgotten(self.memories(where.relative, data)):
            raise self._refused("forgotten")
        if before != data:
            data = self._as_the_agents(where, data)
        reason = self._orders(text)
        if not reason or (before is not None and self._released(before, brought)):
            return data, ""
        sealed = self._sealed(where, data)
        if sealed is None:
            raise self._refused("orders", why=reason)
        return sealed, f"\n{self._say('sealed_note')}"

    def _forgotten(self, memories: Sequence[Memory]) -> bool:
        """Whether this is what the user had forgotten."""
        said = [memory for memory in memories if len(memory.text) <= SAID_CHARACTERS]
        marks = self._space.home.records.tombstones(self._mount.project) if said else []
        return any(gate.forgotten(gate.Asked(proposal=Proposal(memory=memory), tombstones=marks)) for memory in said)

    def _orders(self, text: str) -> str | None:
        """By which rule a text tries to order an agent about, None when it does not."""
        windows = range(0, max(1, len(text) - OVERLAP_CHARACTERS), WINDOW_CHARACTERS - OVERLAP_CHARACTERS)
        return next((rule for at in windows if (rule := self._instructs(text[at : at + WINDOW_CHARACTERS]))), None)

    def _released(self, before: bytes, brought: str | None) -> bool:
        """Whether a person lets these orders stand: they were there, unsealed, before the edit, which brings none."""
        return bool(self._orders(before.decode("utf-8", "replace"))) and not self._orders(brought or "")

    def _as_the_agents(self, where: Where, data: bytes) -> bytes:
        """A file that an agent changed does not claim to be the user's word: a claim it brings, or keeps while it changes
        what is said, becomes ``agent`` (DESIGN §4.5: trust is never raised by rewriting)."""
        if not any(memory.source.by in _USERS_WORD for memory in self.memories(where.relative, data)):
            return data
        document = frontmatter.parse(data)
        changed = document.set_raw(fields.place_of(document, "source"), By.AGENT.value).data
        if any(memory.source.by in _USERS_WORD for memory in self.memories(where.relative, changed)):
            raise self._refused("bad_name", path=f"{ROOT}/{where.relative}", why="it claims to be the user's own word")
        return changed

    def _sealed(self, where: Where, data: bytes) -> bytes | None:
        """The file with the mark of quarantine, None when its layout would not understand it."""
        document = frontmatter.parse(data)
        document = document.set_raw(fields.place_of(document, "source"), By.AGENT.value)
        document = document.set_raw(fields.place_of(document, "status"), Status.QUARANTINED.value)
        memories = self.memories(where.relative, document.data)
        is_sealed = memories and all(memory.status is Status.QUARANTINED for memory in memories)
        return document.data if is_sealed else None

    def unsealed(self, where: Where, file: File, path: str) -> None:
        if any(memory.status is Status.QUARANTINED for memory in self.memories(where.relative, file.data, file)):
            raise self._refused("sealed", path=path)
