"""What an agent may write into a store's files with the memory tool: every refusal is a sentence of the tool's.

A credential is refused, and what the user had forgotten. Orders to the agent are kept and sealed, quarantined in the
file's own frontmatter, or refused where a file cannot carry that mark. And the agent's word is never taken for the user's.
The rules themselves are ``admission``'s.
"""

from __future__ import annotations

from collections.abc import Callable

from reverie.axes.scoping import Mount
from reverie.core import frontmatter, redact
from reverie.core.layout import File
from reverie.core.memory import Memory, Status
from reverie.core.tool_answers import ROOT, Wording
from reverie.errors import CommandRefused
from reverie.flows import admission
from reverie.flows.admission import FILE_BYTES, Admission
from reverie.flows.filing_paths import Where
from reverie.flows.space import Space


class Door:
    """The checks before a write. ``base``: the folder of the store that stands for ``/memories``."""

    def __init__(self, space: Space, mount: Mount, base: str, say: Wording, instructs: Callable[[str], str | None]) -> None:
        self._base = base
        self._say = say
        self._rules = Admission(space, mount, instructs=instructs)

    def _refused(self, key: str, **values: object) -> CommandRefused:
        return CommandRefused(self._say(key, **values))

    def is_memory(self, relative: str) -> bool:
        return self._rules.is_memory(self._base + relative)

    def memories(self, relative: str, data: bytes | None, file: File | None = None) -> tuple[Memory, ...]:
        """What the layout finds in one file."""
        return self._rules.memories(self._base + relative, data, file)

    def name(self, path: str) -> None:
        """Refuse a path whose names say what no text may: they are listed to a model."""
        if families := {secret.family for secret in redact.find(path)}:
            raise self._refused("secret", families=", ".join(sorted(families)))
        if reason := self._rules.orders_in_name(path):
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
        if self._rules.forgotten(self.memories(where.relative, data)):
            raise self._refused("forgotten")
        if before != data:
            data = self._as_the_agents(where, data)
        reason = self._rules.orders(admission.said(frontmatter.parse(data)))
        if not reason or (before is not None and self._rules.released(before, brought)):
            return data, ""
        sealed = self._rules.sealed(self._base + where.relative, data)
        if sealed is None:
            raise self._refused("orders", why=reason)
        return sealed, f"\n{self._say('sealed_note')}"

    def _as_the_agents(self, where: Where, data: bytes) -> bytes:
        """A file that an agent changed does not claim to be the user's word: trust is never raised by rewriting."""
        lowered = self._rules.lowered(self._base + where.relative, data)
        if lowered is None:
            raise self._refused("bad_name", path=f"{ROOT}/{where.relative}", why="it claims to be the user's own word")
        return lowered

    def unsealed(self, where: Where, file: File, path: str) -> None:
        if any(memory.status is Status.QUARANTINED for memory in self.memories(where.relative, file.data, file)):
            raise self._refused("sealed", path=path)
