"""Citations: how an agent says which memories it used, parsed exactly as Codex does (spec/codex §13), and nothing more lenient.

An answer may end with ``<oai-mem-citation>`` … ``</oai-mem-citation>``: lines of files that were used, and the ids of the
sessions that those came from. The block is taken out of what is shown; each id earns its session one use per answer.
"""

from __future__ import annotations

from dataclasses import dataclass

OPEN, CLOSE = "<oai-mem-citation>", "</oai-mem-citation>"
_ENTRIES = ("<citation_entries>", "</citation_entries>")
_IDS = ("<rollout_ids>", "</rollout_ids>")
_LEGACY_IDS = ("<thread_ids>", "</thread_ids>")
_NOTE = "|note=["
_LARGEST = 2**32 - 1            # of a line number, as the client counts
MOST = 1_000                    # entries, and ids, of one answer: more is no citation, it is an attack on the counters


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Lines of a file that were used. Nothing is checked but the form: the range may be reversed, the file may not exist."""

    path: str
    first: int
    last: int
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """What one answer cites. ``sessions``: ids as written, each once; they need not be anyone's."""

    entries: tuple[Entry, ...] = ()
    sessions: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.entries or self.sessions)


def split(text: str) -> tuple[str, Citation]:
    """What an answer shows, without its citations, and what they cite.

    A block counts wherever it stands, in a code fence too; one that is not closed swallows the rest of the text.
    """
    if OPEN not in text:
        return text, Citation()
    kept: list[str] = []
    entries: list[Entry] = []
    sessions: dict[str, None] = {}
    at = 0
    while (start := text.find(OPEN, at)) >= 0:
        kept.append(text[at:start])
        end = text.find(CLOSE, start)
        inside = text[start + len(OPEN) : end if end >= 0 else len(text)]
        at = end + len(CLOSE) if end >= 0 else len(text)
        for line in _span(inside, _ENTRIES):
            found = entry(line) if len(entries) < MOST else None
            entries += [found] if found else []
        for line in _span(inside, _IDS) or _span(inside, _LEGACY_IDS):
            if len(sessions) < MOST:
                sessions[line] = None
    return "".join([*kept, text[at:]]), Citation(entries=tuple(entries), sessions=tuple(sessions))


def entry(line: str) -> Entry | None:
    """``path:first-last|note=[why]``, or None. Split from the right: a path may hold colons, a note may not hold its own mark."""
    place, mark, note = line.strip().rpartition(_NOTE)
    if not mark or not note.endswith("]"):
        return None
    path, colon, lines = place.rpartition(":")
    first, dash, last = lines.partition("-")
    numbers = (_number(first), _number(last))
    if not colon or not dash or numbers[0] is None or numbers[1] is None:
        return None
    return Entry(path=path.strip(), first=numbers[0], last=numbers[1], note=note[:-1].strip())


def _number(text: str) -> int | None:
    text = text.strip().removeprefix("+")
    if not text.isascii() or not text.isdigit() or len(text) > 20:
        return None
    value = int(text)
    return value if value <= _LARGEST else None


def _span(text: str, marks: tuple[str, str]) -> list[str]:
    """The non-blank lines, trimmed, between the first pair of marks; none where the pair is not closed."""
    _, opened, rest = text.partition(marks[0])
    inside, closed, _ = rest.partition(marks[1])
    if not opened or not closed:
        return []
    return [line.strip() for line in inside.splitlines() if line.strip()]
