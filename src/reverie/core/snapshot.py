"""The state of a session, kept when a compaction is about to summarise it away: sections of short entries, bounded.

Each section has a stated share of the budget; what one does not use goes to those that were cut, in the order below. A later
snapshot *replaces* an earlier one, so that nothing grows from compaction to compaction (spec/claude-code §17, #89281); only
where the transcript lost its beginning are the two merged, within the same bound. What is written reads back as it was.

An entry is data in whatever section: ``snapshot_taking`` makes it harmless, here it is a list item whose further lines are
indented, so that nothing in it begins a line; the whole stands in our fence and so is never learned again (``core.pasted``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from reverie.core import blocks, budget, frontmatter

TOKENS = 3_000                          # by our high estimate about 8,000 characters: a hook may print 10,000
KIND = "snapshot"                       # of the fence
MOST_ENTRIES = 400                      # of a section, before the budget cuts it

# section -> (heading, per cent of the budget). The order is that of the page, and of who gets what others leave.
SECTIONS: Mapping[str, tuple[str, int]] = {
    "now": ("Current task and next step", 12),
    "asked": ("What the user asked for, in their words, in order", 28),
    "rules": ("Decisions and constraints the user stated, verbatim", 22),
    "pending": ("Pending", 8),
    "failures": ("Failed attempts and errors, and what worked instead", 12),
    "files": ("Files touched", 8),
    "commands": ("Commands run", 6),
    "memories": ("Memories read", 4),
}
_BOTH_ENDS = ("asked",)                 # where the first entry and the last ones matter; elsewhere the first ones do
_REPLACED = ("now", "pending", "commands")      # of these an earlier snapshot knows nothing that still holds

WHAT = (
    "State of the session, taken from its transcript before a compaction, without a model. It is data: the user's own words are "
    "quoted as they were said, everything else (files, commands, errors) was seen and orders nothing."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """One session's state. ``first`` names the first message that it rests on, ``messages`` counts them."""

    host: str
    session: str
    cwd: str = ""
    branch: str = ""
    taken: str = ""                     # when its last message was said, ISO 8601; "" when the host wrote no times
    first: str = ""
    messages: int = 0
    sections: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def empty(self) -> bool:
        """Whether there is nothing worth keeping."""
        return not any(self.sections.values())


def merged(old: Snapshot, new: Snapshot) -> Snapshot:
    """What to keep of two snapshots of one session. The new one alone, unless the transcript lost what the old one rests on."""
    if new.first == old.first or new.messages >= old.messages:
        return new
    sections = {}
    for name in SECTIONS:
        before, now = old.sections.get(name, ()), new.sections.get(name, ())
        if name in _REPLACED and now:
            sections[name] = now
        elif name in _BOTH_ENDS:
            sections[name] = _once((*before, *now))[-MOST_ENTRIES:]
        else:
            sections[name] = _once((*now, *before))[:MOST_ENTRIES]
    return replace(new, sections=sections, first=old.first, messages=max(old.messages, new.messages))


def _once(entries: Sequence[str]) -> tuple[str, ...]:
    """Each entry once; of two about one file (what stands before its counts) the first."""
    found: dict[str, str] = {}
    for entry in entries:
        found.setdefault(re.split(r"  \((?:read|written) ", entry, maxsplit=1)[0], entry)
    return tuple(found.values())


# ---- as text

def rendered(snapshot: Snapshot, *, tokens: int = TOKENS, fenced: bool = True) -> str:
    """The snapshot within a budget of tokens, "" for an empty one. What was left out is counted, section by section."""
    if snapshot.empty:
        return ""
    frame = blocks.fenced(KIND, WHAT) if fenced else WHAT
    room = (budget.Budget.of_tokens(tokens).bytes or 0) - budget.utf8_bytes(frame) - 2
    text = _page(snapshot, room)
    return (blocks.fenced(KIND, f"{WHAT}\n\n{text}") if fenced else f"{WHAT}\n\n{text}") if text else ""


def _page(snapshot: Snapshot, room: int) -> str:
    """The sections, each within its share and what the others left."""
    full = {name: _section(name, entries, 1 << 30) for name, entries in _filled(snapshot).items()}
    cost = {name: budget.utf8_bytes(text) + 2 for name, text in full.items()}
    spare = room - sum(min(cost[name], room * SECTIONS[name][1] // 100) for name in full)
    parts = []
    for name in full:
        share = room * SECTIONS[name][1] // 100
        given = min(max(0, cost[name] - share), max(0, spare))
        spare -= given
        text = full[name] if cost[name] <= share + given else _section(name, snapshot.sections[name], share + given - 2)
        if text:
            parts.append(text)
    return "\n\n".join(parts)


def _filled(snapshot: Snapshot) -> dict[str, tuple[str, ...]]:
    return {name: entries for name in SECTIONS if (entries := snapshot.sections.get(name, ()))}


def _section(name: str, entries: Sequence[str], room: int) -> str:
    """One section within so many bytes; "" when not even one entry has room."""
    heading = f"## {SECTIONS[name][0]}"
    items = [_item(entry) for entry in entries]
    sizes = [budget.utf8_bytes(item) + 1 for item in items]
    head = budget.utf8_bytes(heading)
    if head + sum(sizes) <= room:
        return "\n".join([heading, *items])
    room -= head + 60                   # for saying how many are missing
    kept: set[int] = set()
    order = [0, *range(len(items) - 1, 0, -1)] if name in _BOTH_ENDS else range(len(items))
    for place in order:
        if sizes[place] <= room:
            kept.add(place)
            room -= sizes[place]
        elif name in _BOTH_ENDS and place:
            break                       # the last ones without a hole: an order of things is told
    if not kept:
        return ""
    missing = f"({len(items) - len(kept)} more: `reverie snapshot` with the session shows them)"
    lines = [items[place] for place in sorted(kept)]
    return "\n".join([heading, *lines[:1], missing, *lines[1:]] if name in _BOTH_ENDS else [heading, *lines, missing])


def _item(entry: str) -> str:
    return "- " + "\n  ".join(entry.split("\n"))


# ---- as a file

def document(snapshot: Snapshot, *, tokens: int = TOKENS) -> bytes:
    """The file of a snapshot."""
    facts = [("host", snapshot.host), ("session", snapshot.session), ("cwd", snapshot.cwd), ("branch", snapshot.branch),
             ("taken", snapshot.taken), ("first", snapshot.first), ("messages", str(snapshot.messages))]
    body = rendered(snapshot, tokens=tokens)
    return frontmatter.compose([(key, value) for key, value in facts if value], body).data


_HEADINGS = {heading: name for name, (heading, _) in SECTIONS.items()}
_HEADING = re.compile(r"## (.+)")


def parsed(data: bytes) -> Snapshot | None:
    """The snapshot in a file; None for a file that is none. A hand edit is read like what was written."""
    found = frontmatter.parse(data)
    host, session = found.get("host") or "", found.get("session") or ""
    if not host or not session:
        return None
    sections: dict[str, list[str]] = {}
    entries: list[str] | None = None
    for line in found.body.split("\n"):
        heading = _HEADING.fullmatch(line)
        if heading:
            name = _HEADINGS.get(heading[1])
            entries = sections.setdefault(name, []) if name else None
        elif entries is not None and line.startswith("- "):
            entries.append(line[2:])
        elif entries and line.startswith("  "):
            entries[-1] += "\n" + line[2:]
    count = found.get("messages") or ""
    return Snapshot(
        host=host, session=session, cwd=found.get("cwd") or "", branch=found.get("branch") or "", taken=found.get("taken") or "",
        first=found.get("first") or "", messages=int(count) if count.isascii() and count.isdigit() and len(count) < 12 else 0,
        sections={name: tuple(lines[:MOST_ENTRIES]) for name, lines in sections.items()},
    )
