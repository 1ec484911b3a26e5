"""``memory_summary.md``: what every session starts with (spec/codex §11.2; study, Codex §5).

It is rendered from the memories, within a budget that is never passed: what matters least is shortened first, then left
out, and a line says how much is missing and where it is. Our lines bear the name of their memory, so that in a file
that a product or a person wrote, or added to, only they are replaced; everything else keeps its bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from reverie.core import budget
from reverie.core.memory import Memory, Status
from reverie.layouts import codex_names as names
from reverie.layouts.codex_sections import NO_TEXT, Shape, group_label
from reverie.layouts.codex_text import Document, Node, append, cut, insert, is_empty, items, shown

PATH = "memory_summary.md"
FIRST_LINE = "v1"                   # the product refuses a summary that begins otherwise (spec/codex §10)
PROFILE, PREFERENCES, TIPS, TOPICS = HEADINGS = (
    "User Profile", "User preferences", "General Tips", "What's in Memory",
)  # fmt: skip
OLDER = "Older Memory Topics"
RECENT_DAYS = 3                     # the last days on which something was learned (spec/codex §11.2)
PROFILE_WORDS = 350                 # spec/codex §11.2
LINE_LENGTH = 300                   # characters of one line; the whole text stands in the handbook
_NOTE_BYTES = 160                   # kept free for the line that says what was left out
_OURS = re.compile(r"[0-9A-Za-z]{4}#[0-9A-Za-z]{3,5}|[\w./:-]*#[0-9a-f]{8}(?:-\d+)?|[\w./-]+\.md|left out|skill")
_TEMPLATE = f"{FIRST_LINE}\n\n" + "\n\n".join(f"## {title}" for title in HEADINGS) + "\n"


class Entry:
    """One thing in the summary: the headings it stands under, and its lines in full and at the least."""

    __slots__ = ("full", "least", "path")

    def __init__(self, path: tuple[str, ...], full: Sequence[str], least: Sequence[str]) -> None:
        self.path = path
        self.full = [line for line in full if line]
        self.least = list(least)


def written(data: bytes, memories: Sequence[Memory], shape: Shape, skills: Mapping[str, str]) -> bytes:
    """The summary file after a change: the one there was, with our lines made anew."""
    document = Document(data, deepest=4)
    for node in document.root.children:
        _strip(node)
    complete(document)
    own = [memory for memory in memories if not memory.id.startswith(PATH)]
    if foreign_items(document, TOPICS):
        # What a product or a person listed here stands for what they wrote elsewhere: no second line for that.
        own = [memory for memory in own if names.MARK.fullmatch(memory.id.rpartition(":")[2])]
        skills = {}
    _fill(document, own, shape, skills)
    return document.data()


def rendered(memories: Iterable[Memory], shape: Shape, skills: Mapping[str, str]) -> str:
    """A summary of exactly these memories, as text."""
    document = Document(_TEMPLATE.encode(), deepest=4)
    _fill(document, list(memories), shape, skills)
    return document.data().decode()


def complete(document: Document) -> None:
    """Add what the product insists on: the first line and the four headings."""
    root = document.root
    if not root.lines or root.lines[0].strip() != FIRST_LINE:
        root.lines[:0] = [FIRST_LINE, ""]
    for place, title in enumerate(HEADINGS):
        if section(document, title) is None:
            later = HEADINGS[place + 1 :]
            at = next((i for i, node in enumerate(root.children) if node.title in later), len(root.children))
            insert(root, at, Node(2, f"## {title}", [""]))


def section(document: Document, title: str) -> Node | None:
    """One of the four sections, wherever it stands."""
    return next((node for node in document.root.walk() if node.level == 2 and node.title == title), None)


def foreign_items(document: Document, title: str) -> list[str]:
    """What stands in a section and is not ours, item by item."""
    top = section(document, title)
    below = top.walk() if top else ()
    return [item.text for node in below for item in items(node.lines) if not _is_ours(item.text)]


def remove_item(data: bytes, text: str) -> bytes:
    """The file without an item that somebody else wrote, however often it stands there."""
    document = Document(data, deepest=4)
    for node in document.root.walk():
        for item in reversed(items(node.lines)):
            if item.text == text:
                cut(node, item)
    return document.data()


def _is_ours(text: str) -> bool:
    head, _, mark = text.partition("\n")[0].rstrip().rpartition(" [")
    return bool(head) and mark.endswith("]") and _OURS.fullmatch(mark[:-1]) is not None


def _strip(node: Node) -> bool:
    """Take our lines out of a node; whether nothing but its heading is left, and it was ours."""
    touched = False
    for child in list(node.children):
        if _strip(child):
            node.children.remove(child)
            touched = True
    for item in reversed(items(node.lines)):
        if _is_ours(item.text):
            cut(node, item)
            touched = True
    return touched and node.level > 2 and is_empty(node)


# ---- putting them in

def _fill(document: Document, memories: Sequence[Memory], shape: Shape, skills: Mapping[str, str]) -> None:
    entries = _entries([memory for memory in memories if memory.status is Status.ACTIVE], skills)
    room = shape.summary_bytes - len(document.data()) - _NOTE_BYTES
    kept, left_out, short = _chosen(document, entries, room)
    for entry, lines in kept:
        append(_node(document, entry.path), lines)
    if left_out or short:
        append(_node(document, (TOPICS,)), [_note(left_out, short)])


def _note(left_out: int, short: int) -> str:
    said = [f"{left_out} more memories are not listed here"] if left_out else []
    said += [f"{short} are listed by name alone"] if short else []
    return f"- {' and '.join(said)}; search MEMORY.md for them [left out]"


def _chosen(
    document: Document, entries: Sequence[Entry], room: int
) -> tuple[list[tuple[Entry, Sequence[str]]], int, int]:
    """Which entries fit, each with its lines; how many do not, and how many only at the least. The entries come in the
    order of their worth: first all get the least, as far as the room goes, then the rest of it in the same order."""
    headings = set(_paths(document))
    chosen: list[Entry] = []
    words = 0
    for entry in entries:
        needed = {entry.path[:depth] for depth in range(1, len(entry.path) + 1)} - headings
        cost = _bytes(entry.least) + sum(_bytes([path[-1]]) + 6 for path in needed)     # "#### " and a blank line
        words += sum(len(line.split()) for line in entry.full) if entry.path == (PROFILE,) else 0
        if cost > room or (entry.path == (PROFILE,) and words > PROFILE_WORDS):
            continue
        room -= cost
        headings |= needed
        chosen.append(entry)
    kept: list[tuple[Entry, Sequence[str]]] = []
    short = 0
    for entry in chosen:
        more = _bytes(entry.full) - _bytes(entry.least)
        fits = more <= room
        room -= more if fits else 0
        short += not fits
        kept.append((entry, entry.full if fits else entry.least))
    return kept, len(entries) - len(kept), short


def _paths(document: Document) -> Iterable[tuple[str, ...]]:
    """The headings that stand, each as the path that leads to it."""
    for top in document.root.walk():
        if top.level == 2:
            yield (top.title,)
            for scope in top.children:
                yield (top.title, scope.title)
                yield from ((top.title, scope.title, day.title) for day in scope.children)


def _node(document: Document, path: tuple[str, ...]) -> Node:
    """The node at a path of headings, made where it is missing: older topics last, younger days first."""
    node = section(document, path[0])
    assert node is not None
    for level, title in enumerate(path[1:], start=3):
        below = next((child for child in node.children if child.title == title), None)
        if below is None:
            below = Node(level, f"{'#' * level} {title}", [])
            insert(node, _place(node, title, is_day=level == 4 and path[1] != OLDER), below)
        node = below
    return node


def _place(node: Node, title: str, *, is_day: bool) -> int:
    for place, child in enumerate(node.children):
        if (child.title == OLDER and title != OLDER) or (is_day and child.title < title):
            return place
    return len(node.children)


def _bytes(lines: Sequence[str]) -> int:
    return sum(budget.utf8_bytes(line) + 1 for line in lines)


# ---- what a memory's lines say

def _entries(memories: Sequence[Memory], skills: Mapping[str, str]) -> list[Entry]:
    """Everything that could be shown, what matters most first: what the user wants, who they are, what was learned
    lately, what holds everywhere, skills, what was learned before."""
    everywhere = sorted((memory for memory in memories if memory.scope == "user"), key=_worth)
    topics = sorted((memory for memory in memories if memory.scope != "user"), key=_worth)
    days = sorted({day for memory in topics if (day := _day(memory))}, reverse=True)[:RECENT_DAYS]
    recent = sorted((memory for memory in topics if _day(memory) in days), key=_day, reverse=True)
    older = sorted((memory for memory in topics if _day(memory) not in days), key=_day, reverse=True)
    where = _directories(topics)
    return [
        *(_statement(PREFERENCES, memory) for memory in everywhere if memory.type == "feedback"),
        *(_statement(PROFILE, memory) for memory in everywhere if memory.type == "user"),
        *(_topic((TOPICS, where[group_label(memory)], _day(memory)), memory, learnings=True) for memory in recent),
        *(_statement(TIPS, memory) for memory in everywhere if memory.type not in ("feedback", "user")),
        *(_skill(path, about) for path, about in sorted(skills.items())),
        *(_topic((TOPICS, OLDER, where[group_label(memory)]), memory, learnings=False) for memory in older),
    ]


def _worth(memory: Memory) -> tuple[int, float, str]:
    """What was confirmed most often, then what is youngest, comes first."""
    at = _at(memory)
    return -memory.confirmed, -at.timestamp() if at else 0.0, memory.id


def _at(memory: Memory) -> datetime | None:
    at = memory.modified_at or memory.source.said_at
    return at.replace(tzinfo=UTC) if at and at.tzinfo is None else at


def _day(memory: Memory) -> str:
    at = _at(memory)
    return f"{at.astimezone(UTC):%Y-%m-%d}" if at else ""


def _directories(memories: Iterable[Memory]) -> dict[str, str]:
    """For each task group the directory to show: the one nearest to the root in which something was said."""
    found: dict[str, list[str]] = {}
    for memory in memories:
        found.setdefault(group_label(memory), []).append(memory.source.cwd if memory.scope == "project" else "")
    return {
        label: shown(min((cwd for cwd in cwds if cwd), key=lambda cwd: (len(cwd), cwd), default=label))
        for label, cwds in found.items()
    }


def _statement(title: str, memory: Memory) -> Entry:
    said = _clipped(memory.body or memory.description or memory.name) or NO_TEXT
    how = f" -> {_clipped(memory.how_to_apply)}" if memory.how_to_apply else ""
    tail = _tail(memory)
    return Entry((title,), [f"- {said}{how}{tail}"], [f"- {said}{tail}"])


def _topic(path: tuple[str, ...], memory: Memory, *, learnings: bool) -> Entry:
    name = _clipped(memory.name or memory.description or memory.body) or NO_TEXT
    about = _clipped(memory.description)
    learned = _clipped(memory.how_to_apply or memory.body) if learnings else ""
    keywords = ", ".join(shown(word) for word in memory.keywords)
    first = f"- {budget.clip(f'{name}: {keywords}' if keywords else name, LINE_LENGTH).text}{_tail(memory)}"
    return Entry(path, [
        first,
        f"  - desc: {about}" if _adds(about, name, learned) else "",
        f"  - learnings: {learned}" if _adds(learned, name) and (learned == about or _adds(learned, about)) else "",
    ], [first])  # fmt: skip


def _adds(text: str, *others: str) -> bool:
    """Whether a text says more than others do: it is not the beginning of one of them."""
    words = text.rstrip("…. ")
    return bool(words) and not any(other.startswith(words) for other in others)


def _skill(path: str, about: str) -> Entry:
    line = f"- {shown(path)}{': ' if about else ''}{_clipped(about)} [skill]"
    return Entry((TIPS,), [line], [line])


def _clipped(text: str) -> str:
    return budget.clip(shown(text), LINE_LENGTH).text


def _tail(memory: Memory) -> str:
    mark = "" if memory.id.startswith(PATH) else memory.id.removeprefix("MEMORY.md:")
    return f" [{mark}]" if mark else ""
