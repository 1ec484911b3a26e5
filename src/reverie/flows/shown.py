"""What a session was shown already, so that it is not shown again: recalled memories, and, where the client cannot take the
session's block when a session starts, that block.

Kept beside the frozen blocks, by session. A compaction takes it all out of the conversation: then it is shown anew.
"""

from __future__ import annotations

import json

from reverie import errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.core.recall import Result
    from reverie.storage.home import Home

MOST_KEPT = 400             # memories a session; the oldest are shown again


class Shown:
    """What one session was shown. Without a session's id nothing is known, and nothing kept."""

    def __init__(self, home: Home, design: str, session: str) -> None:
        self.home = home
        self.session = session
        self._name = f"{design} shown"
        value = self._read()
        said = value.get("memories")
        self._memories: dict[str, str] = (
            {key: mark for key, mark in said.items() if isinstance(mark, str)} if isinstance(said, dict) else {})
        self.block = value.get("block") is True
        self._changed = False

    def fresh(self, results: Sequence[Result]) -> list[Result]:
        """Those that the session has not before it as they are now."""
        return [result for result in results if self._memories.get(result.candidate.id) != _mark(result)]

    def add(self, results: Sequence[Result]) -> None:
        """These are shown now."""
        for result in results:
            self._memories.pop(result.candidate.id, None)
            self._memories[result.candidate.id] = _mark(result)
            self._changed = True

    def add_block(self) -> None:
        """The session's block is shown now."""
        self._changed = self._changed or not self.block
        self.block = True

    def clear(self) -> None:
        """Nothing of it is before the model any more."""
        self._changed = bool(self._memories or self.block)
        self._memories, self.block = {}, False

    def keep(self) -> None:
        """Write it down. Where that cannot be, something is shown twice, and the home says why."""
        if not self._changed or not self.session:
            return
        memories = dict(list(self._memories.items())[-MOST_KEPT:])
        text = json.dumps({"memories": memories, "block": self.block}, ensure_ascii=False)
        try:
            self.home.records.refreeze(self.session, {self._name: text})
        except errors.StoreUnavailable as error:
            self.home.note(f"what a session was shown is not written down: {error}")

    def _read(self) -> dict[str, object]:
        if not self.session:
            return {}
        try:
            value = json.loads(self.home.records.frozen(self.session, self._name) or "{}")
        except (ValueError, RecursionError):
            return {}
        return value if isinstance(value, dict) else {}


def _mark(result: Result) -> str:
    """Another one when the memory says something else. Not secret, not for ever: a short checksum does."""
    from zlib import crc32

    candidate = result.candidate
    said = "\0".join((candidate.name, candidate.description, candidate.body, candidate.why, candidate.how_to_apply))
    return f"{crc32(said.encode('utf-8', 'surrogatepass')):08x}"
