"""What is about to become of files, as values; and how one earlier edit is taken out of a file that went on changing.

A change is a list of edits, each with the exact bytes it starts from. Whoever carries it out compares them with the
disk first: a file that is not what the edit was planned for is never overwritten.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

# Comparing lines costs time with the product of their numbers: two memory files are far below this, two dumps far above
# (then they count as different from end to end, and an undo between them as a conflict).
COMPARED_LINES = 250_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """What the journal knew of a file before somebody changed it without us: the digest of its bytes (None: no such file), and
    when it got them (nanoseconds since 1970)."""

    known: str | None
    mtime_ns: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One file: what it must hold now, and what it will hold. ``None`` stands for "no such file".

    ``path`` is relative to REVERIE_HOME, with "/", or absolute. ``root`` is the folder of the store that the file
    belongs to, given like the path; no symbolic link may lead the write out of it. Empty: the home, or the file's own
    folder.
    ``derived`` marks what is rendered from the memories (an index): an undo that cannot restore it exactly leaves it to
    be rendered again instead of calling that a conflict.
    ``observed``: the file was changed already, by another hand, and ``before`` is what that hand left there. History goes on
    from what was known: an undo gives that back, and the bytes of ``before`` are never kept (they may hold a secret).
    ``sealed``: the bytes from before hold what may not be kept, a credential; the journal forgets them, and the edit cannot
    be undone. ``mtime_ns`` is the time that a written file gets, None: now.
    """

    path: str
    before: bytes | None
    after: bytes | None
    root: str = ""
    derived: bool = False
    observed: Observed | None = None
    sealed: bool = False
    mtime_ns: int | None = None


def says_else(edit: Edit) -> bool:
    """Whether a rendered file would say something else. The order of its lines alone tells nothing: it follows the times
    that the file system gave."""
    return sorted((edit.before or b"").splitlines()) != sorted((edit.after or b"").splitlines())


def without(before: bytes, after: bytes, now: bytes) -> bytes | None:
    """``now`` with the step from ``before`` to ``after`` taken out, or None when later edits touch the same lines.

    Used to undo one change of a file that later changes wrote too: what they brought stays.
    """
    old, new, current = (text.splitlines(keepends=True) for text in (before, after, now))
    later = _steps(new, current)
    steps = sorted(later + [step for step in _steps(new, old) if step not in later])
    merged: list[bytes] = []
    place = 0
    inserted_at = -1
    for start, end, lines in steps:
        if start < place or start == end == inserted_at:    # they overlap, or both bring lines here: which come first?
            return None
        merged += new[place:start]
        merged += lines
        place = end
        inserted_at = end if start == end else -1
    return b"".join(merged + new[place:])


def _steps(a: Sequence[bytes], b: Sequence[bytes]) -> list[tuple[int, int, list[bytes]]]:
    """The places of ``a`` that ``b`` has otherwise: (first line, line behind the last, the lines of ``b``)."""
    import difflib  # costs milliseconds, and few undos need it

    head = 0
    while head < min(len(a), len(b)) and a[head] == b[head]:
        head += 1
    tail = 0
    while tail < min(len(a), len(b)) - head and a[-1 - tail] == b[-1 - tail]:
        tail += 1
    a, b = a[head : len(a) - tail], b[head : len(b) - tail]
    if len(a) * len(b) > COMPARED_LINES:
        return [(head, head + len(a), list(b))]
    matcher = difflib.SequenceMatcher(None, a, b, autojunk=False)
    return [
        (head + i1, head + i2, list(b[j1:j2])) for tag, i1, i2, j1, j2 in matcher.get_opcodes() if tag != "equal"
    ]
