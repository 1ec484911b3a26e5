"""``raw_memories.md``: what each session gave, before it was put in order (spec/codex §9.2, study, Codex §3).

Here a memory has all its fields, so that nothing is lost between the memory and the handbook's bullet. A thread is one
session, with the study's frontmatter; each memory of ours is a task of it, in the product's own shape with a few lines
more. A product's thread is read by its sections and never rewritten.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

from reverie.core import scalar
from reverie.core.memory import By, Memory, Source, Status
from reverie.layouts import codex_names as names
from reverie.layouts.codex_sections import (
    NO_TEXT,
    SECTION_LABELS,
    group_label,
    outcome_of,
    section_of,
    section_titled,
)
from reverie.layouts.codex_text import (
    Document,
    Node,
    bullet_lines,
    bullet_text,
    cut,
    detach,
    insert,
    items,
    parts,
    shown,
)

PATH = "raw_memories.md"
UNKNOWN = "unknown"                 # the study's word for a cwd that nobody knows
_HEAD = ["# Raw Memories", "", "Merged stage-1 raw memories (stable ascending thread-id order):", ""]
_NOTHING = "No raw memories yet."
_THREAD = re.compile(r"Thread `([^`]*)`")
_TASK = re.compile(r"Task (\d{1,6})(?:: ?(.*))?")
_FIELD = re.compile(r"([a-z_]{1,30}):(?: (.*))?")


class Entry:
    """One memory of ours: its thread, its node, its name, its place in the thread, the bullet that stands for it."""

    __slots__ = ("bullet", "mark", "memory", "node", "number", "thread")

    def __init__(self, thread: str, node: Node, mark: str, number: int, memory: Memory, bullet: str) -> None:
        self.thread = thread
        self.node = node
        self.mark = mark
        self.number = number
        self.memory = memory
        self.bullet = bullet


    def copy(self) -> Entry:
        """The entry as it is now, for comparing with what it will be."""
        return Entry(self.thread, self.node, self.mark, self.number, self.memory, self.bullet)


class Thread:
    """One session: the lines of its head, our entries, and whether somebody else's text stands among them."""

    __slots__ = ("entries", "fields", "foreign", "front", "id", "node")

    def __init__(self, node: Node, thread: str) -> None:
        self.node = node
        self.id = thread
        self.fields, self.front = _head_of(node.lines)
        self.entries: list[Entry] = []
        self.foreign: list[Node] = []

    @property
    def file(self) -> str:
        """The session's summary file; "" when what stands there is no plain name."""
        name = self.fields.get("rollout_summary_file", "")
        return name if names.is_summary_file(name) else ""

    @property
    def cwd(self) -> str:
        cwd = self.fields.get("cwd") or self.front.get("cwd", "")
        return "" if cwd == UNKNOWN else cwd

    @property
    def updated_at(self) -> datetime | None:
        return read_time(self.fields.get("updated_at", ""))

    @property
    def active(self) -> list[Entry]:
        """The entries that an agent may see."""
        return [entry for entry in self.entries if entry.memory.status is Status.ACTIVE]

    def told(self) -> list[tuple[str, str]]:
        """What somebody else wrote: (the label it stands under, the text), item by item."""
        found: list[tuple[str, str]] = []
        for node in self.foreign:
            below = node.lines if node is not self.node else node.lines[_text_start(node.lines) :]
            label = ""
            for item in items(below):
                if section_titled(item.text):
                    label = item.text
                elif not all(_FIELD.fullmatch(line) for line in item.text.split("\n")):
                    found.append((label, scalar.whole(item.text)))
        return found

    def next_number(self) -> int:
        numbers = (_TASK.match(child.title) for child in self.node.children)
        return max((int(found[1]) for found in numbers if found), default=0) + 1


class RawMemories:
    """The file as threads. ``duplicates`` are names that two entries claim; the first has it."""

    def __init__(self, data: bytes) -> None:
        self.document = Document(data, deepest=3, is_heading=_is_heading)
        self.threads: dict[str, Thread] = {}
        self.entries: dict[str, Entry] = {}
        self.duplicates: list[str] = []
        for node in self.document.root.walk():
            found = _THREAD.fullmatch(node.title) if node.level == 2 else None
            if found:
                self._read(self.threads.setdefault(found[1], Thread(node, found[1])), node)

    def _read(self, thread: Thread, node: Node) -> None:
        for child in node.children:
            entry = _entry(child, thread)
            if entry is None:
                thread.foreign.append(child)
            elif entry.mark in self.entries:
                self.duplicates.append(entry.mark)
            else:
                self.entries[entry.mark] = entry
                thread.entries.append(entry)
        if any(line.strip() for line in node.lines[_text_start(node.lines) :]):
            thread.foreign.insert(0, node)

    def data(self) -> bytes:
        """The bytes of the file as it is now."""
        for node in self.document.root.children:
            if node.level == 1 and not node.children and _HEAD[2] in node.lines:
                node.lines[node.lines.index(_HEAD[2])] = _NOTHING
        return self.document.data()

    # ---- changing it

    def thread(self, thread: str, *, cwd: str, file: str, updated_at: datetime) -> Thread:
        """The thread of a session, made in its place (ascending ids) when there is none."""
        if thread in self.threads:
            return self.threads[thread]
        top = self._top()
        lines = [
            f"updated_at: {time(updated_at)}", f"cwd: {field(cwd or UNKNOWN)}", f"rollout_path: {UNKNOWN}",
            f"rollout_summary_file: {file}", "",
        ]  # fmt: skip
        node = Node(2, f"## Thread `{thread}`", lines)
        after = [place for place, child in enumerate(top.children)
                 if (found := _THREAD.fullmatch(child.title)) and found[1] < thread]
        insert(top, after[-1] + 1 if after else 0, node)
        self.threads[thread] = Thread(node, thread)
        return self.threads[thread]

    def put(self, thread: Thread, mark: str, memory: Memory, updated_at: datetime) -> Entry:
        """Write an entry, in the place of an older one of that name in the same thread, else at the thread's end."""
        old = self.entries.get(mark)
        bullet = bullet_of(memory)
        if old and old.thread == thread.id:
            old.node.heading, old.node.lines = _rendered(old.number, mark, memory, bullet, thread, updated_at)
            old.memory, old.bullet = replace(memory, modified_at=updated_at), bullet
            return old
        if old:
            self.remove(mark)
        number = thread.next_number()
        heading, lines = _rendered(number, mark, memory, bullet, thread, updated_at)
        entry = Entry(thread.id, Node(3, heading, lines), mark, number, replace(memory, modified_at=updated_at), bullet)
        insert(thread.node, len(thread.node.children), entry.node)
        thread.entries.append(entry)
        self.entries[mark] = entry
        return entry

    def remove(self, mark: str) -> None:
        """Take an entry out; its thread's head follows in ``refresh``."""
        entry = self.entries.pop(mark)
        thread = self.threads[entry.thread]
        thread.entries.remove(entry)
        detach(self.document.root, entry.node)      # a thread may stand in two pieces

    def remove_told(self, thread: str, said: str) -> None:
        """Take out an item that somebody else wrote, however often it stands there."""
        for node in self.threads[thread].foreign:
            for item in reversed(items(node.lines)):
                if scalar.whole(item.text) == said:
                    cut(node, item)

    def refresh(self, thread: Thread, before: Sequence[Entry], file: str) -> None:
        """Let a thread's head say what its entries say; a head that somebody else wrote stays. A thread in which
        nothing is left goes."""
        if not thread.entries and not thread.foreign and before:
            detach(self.document.root, thread.node)
            del self.threads[thread.id]
            return
        times = [entry.memory.modified_at for entry in thread.entries if entry.memory.modified_at]
        if times and not thread.foreign:
            self._set(thread, "updated_at", time(max(times)))
        if file:
            self.set_file(thread, file)
        start, end = _front(thread.node.lines)
        is_ours = start < 0 or thread.node.lines[start:end] == _frontmatter(before, thread)
        if not thread.foreign and is_ours:
            new = _frontmatter(thread.entries, thread)
            if start < 0:
                at = _head_end(thread.node.lines)
                thread.node.lines[at:] = ["", *new, ""]
            else:
                thread.node.lines[start:end] = new

    def set_file(self, thread: Thread, file: str) -> None:
        """Say which file in ``rollout_summaries/`` is the session's."""
        self._set(thread, "rollout_summary_file", file)

    def _set(self, thread: Thread, name: str, value: str) -> None:
        if thread.fields.get(name) == value:
            return
        lines, at = thread.node.lines, 0
        for place, line in enumerate(lines[: _head_end(lines)]):
            found = _FIELD.fullmatch(line.rstrip("\r"))
            if found and found[1] == name:
                lines[place] = f"{name}: {value}"
                break
            at = place + 1 if found else at
        else:
            lines.insert(at, f"{name}: {value}")
        thread.fields[name] = value

    def _top(self) -> Node:
        """The node that holds the threads."""
        for node in self.document.root.children:
            if node.level == 1 and node.title == "Raw Memories":
                if _NOTHING in node.lines:
                    node.lines[node.lines.index(_NOTHING)] = _HEAD[2]
                return node
        node = Node(1, _HEAD[0], _HEAD[1:])
        insert(self.document.root, 0, node)
        return node


def _is_heading(level: int, title: str) -> bool:
    """Only the file's own headings count: a session's text may hold any others."""
    return (
        (level == 1 and title == "Raw Memories")
        or (level == 2 and _THREAD.fullmatch(title) is not None)
        or (level == 3 and _TASK.match(title) is not None)
    )


# ---- a thread's head

def _head_of(lines: Sequence[str]) -> tuple[dict[str, str], dict[str, str]]:
    start, end = _front(lines)
    return _fields(lines[: _head_end(lines)]), _fields(lines[start + 1 : end - 1]) if start >= 0 else {}


def _head_end(lines: Sequence[str]) -> int:
    return next((place for place, line in enumerate(lines) if not line.strip()), len(lines))


def _front(lines: Sequence[str]) -> tuple[int, int]:
    """From the opening fence of the frontmatter to behind the closing one; (-1, -1) when there is none."""
    place = next((i for i in range(_head_end(lines), len(lines)) if lines[i].strip()), len(lines))
    if place < len(lines) and lines[place].rstrip() == "---":
        for end in range(place + 1, len(lines)):
            if lines[end].rstrip() == "---":
                return place, end + 1
    return -1, -1


def _text_start(lines: Sequence[str]) -> int:
    """Where a thread's text begins, behind head and frontmatter."""
    _, end = _front(lines)
    return end if end >= 0 else _head_end(lines)


def _frontmatter(entries: Iterable[Entry], thread: Thread) -> list[str]:
    """The study's frontmatter (Codex §3). What is quarantined or superseded has no part in it: agents read this."""
    seen = [entry.memory for entry in entries if entry.memory.status is Status.ACTIVE]
    if not seen:
        return ["---", "task_outcome: uncertain", f"cwd: {field(thread.cwd or UNKNOWN)}", "---"]
    keywords = dict.fromkeys(word for memory in seen for word in memory.keywords)
    return [
        "---",
        f"description: {field(headline(seen))}",
        f"task: {field(shown(seen[0].name))}",
        f"task_group: {field(shown(group_label(seen[0])))}",
        f"task_outcome: {outcome_of(seen)}",
        f"cwd: {field(thread.cwd or UNKNOWN)}",
        f"keywords: {', '.join(shown(word) for word in keywords)}".rstrip(),
        "---",
    ]


def headline(memories: Sequence[Memory]) -> str:
    """One sentence for what a session gave."""
    first = shown(memories[0].description or memories[0].name)
    rest = len(memories) - 1
    return f"{first} (and {rest} more)" if rest else first


# ---- one entry

def bullet_of(memory: Memory) -> str:
    """The bullet that stands for a memory, in this file and in the handbook."""
    body = memory.body or shown(memory.description or memory.name) or NO_TEXT
    return bullet_text(body, memory.why, memory.how_to_apply)


def _rendered(
    number: int, mark: str, memory: Memory, bullet: str, thread: Thread, updated_at: datetime
) -> tuple[str, list[str]]:
    source = memory.source
    label = group_label(memory)
    optional: list[tuple[str, str]] = [
        ("description", field(memory.description)),
        ("keywords", _keywords(memory.keywords)),
        ("scope", memory.scope if memory.scope != "project" else ""),
        ("project", "" if memory.project == _project_in(label, memory.scope) else field(memory.project, empty=True)),
        ("said_by", source.by.value if source.by is not By.UNKNOWN else ""),
        ("said_at", time(source.said_at) if source.said_at else ""),
        ("host", field(source.host)),
        ("session", "" if source.session == thread.id else field(source.session, empty=True)),
        ("message", field(source.message)),
        ("cwd", field(source.cwd)),
        ("rule", field(source.rule)),
        ("quote", field(source.quote)),
        ("status", memory.status.value if memory.status is not Status.ACTIVE else ""),
        ("valid_until", memory.valid_until.isoformat() if memory.valid_until else ""),
        ("confirmed", str(memory.confirmed) if memory.confirmed else ""),
        ("extra", json.dumps(memory.extra, ensure_ascii=False) if memory.extra else ""),
        ("body", '""' if not memory.body else ""),
    ]
    title = shown(memory.name)
    return f"### Task {number}: {title}".rstrip(), [
        f"task: {field(memory.name)}",
        f"task_group: {field(label)}",
        f"task_outcome: {outcome_of([memory])}",
        f"memory: {mark}",
        f"type: {field(memory.type)}",
        f"updated_at: {time(updated_at)}",
        *(f"{name}: {value}" for name, value in optional if value),
        "",
        SECTION_LABELS[section_of(memory)],
        *bullet_lines(bullet),
        "",
    ]


def _entry(node: Node, thread: Thread) -> Entry | None:
    """An entry of ours; None for anything else."""
    found = _TASK.match(node.title)
    end = _head_end(node.lines)
    fields = _fields(node.lines[:end])
    mark = fields.get("memory", "")
    if not found or not names.MARK.fullmatch(mark):
        return None
    below = node.lines[end:]
    seen = next((item for item in items(below) if below[item.start].startswith("- ")), None)
    bullet = scalar.whole(seen.text) if seen else NO_TEXT
    body, why, how = parts(bullet)
    memory = Memory(
        name=fields.get("task", ""),
        description=fields.get("description", ""),
        type=fields.get("type") or "project",
        body="" if fields.get("body") == "" else body,
        why=why,
        how_to_apply=how,
        scope=fields.get("scope") or "project",
        project=_project(fields),
        keywords=_read_keywords(fields.get("keywords", "")),
        source=Source(
            by=By(said_by) if (said_by := fields.get("said_by", "")) in _BY else By.UNKNOWN,
            host=fields.get("host", ""),
            session=fields.get("session", thread.id),
            message=fields.get("message", ""),
            said_at=read_time(fields.get("said_at", "")),
            cwd=fields.get("cwd", ""),
            rule=fields.get("rule", ""),
            quote=fields.get("quote", ""),
        ),
        status=Status(status) if (status := fields.get("status", "")) in _STATUS else Status.ACTIVE,
        valid_until=_read_date(fields.get("valid_until", "")),
        confirmed=int(number) if (number := fields.get("confirmed", "")).isdecimal() and len(number) < 10 else 0,
        extra=_read_extra(fields.get("extra", "")),
        modified_at=read_time(fields.get("updated_at", "")) or thread.updated_at,
    )
    return Entry(thread.id, node, mark, int(found[1]), memory, bullet)


def _project(fields: dict[str, str]) -> str:
    return fields.get("project", _project_in(fields.get("task_group", ""), fields.get("scope") or "project"))


def _project_in(label: str, scope: str) -> str:
    """The project that goes without saying in a task group."""
    return label if scope == "project" else ""


_BY = frozenset(by.value for by in By)
_STATUS = frozenset(status.value for status in Status)
_RAW = frozenset({"keywords", "extra"})     # fields that are read by their own rule


def _fields(lines: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in lines:
        match = _FIELD.fullmatch(line.rstrip("\r"))
        if match:
            value = scalar.whole(match[2] or "")
            found.setdefault(match[1], value if match[1] in _RAW else _unfielded(value))
    return found


def field(value: str, *, empty: bool = False) -> str:
    """A value behind "name: ": plain where it will be read as it is, else as a JSON string."""
    value = scalar.whole(value)
    if not value:
        return '""' if empty else ""
    plain = value == value.strip() and value[0] != '"' and not any(c < " " for c in value)
    return value if plain else json.dumps(value, ensure_ascii=False)


def _unfielded(value: str) -> str:
    value = value.strip()
    if value.startswith('"'):
        try:
            text = json.loads(value)
        except ValueError:
            return value
        return text if isinstance(text, str) else value
    return value


def _keywords(words: Sequence[str]) -> str:
    plain = all(word and word == word.strip() and "," not in word and not any(c < " " for c in word) for word in words)
    if plain and not (words and words[0].startswith("[")):
        return ", ".join(scalar.whole(word) for word in words)
    return json.dumps([scalar.whole(word) for word in words], ensure_ascii=False)


def _read_keywords(value: str) -> tuple[str, ...]:
    listed = _json(value) if value.startswith("[") else None
    if isinstance(listed, list) and all(isinstance(word, str) for word in listed):
        return tuple(listed)
    return tuple(word for part in value.split(",") if (word := part.strip()))


def _read_extra(value: str) -> tuple[tuple[str, str], ...]:
    listed = _json(value)
    if not isinstance(listed, list):
        return ()
    return tuple((pair[0], pair[1]) for pair in listed
                 if isinstance(pair, list) and len(pair) == 2 and all(isinstance(part, str) for part in pair))


def _json(value: str) -> Any:
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None


def time(at: datetime) -> str:
    """RFC 3339, in UTC when the zone is known."""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z") if at.tzinfo else at.isoformat()


def read_time(value: str) -> datetime | None:
    """A time as we or the product write it; None for anything else."""
    try:
        at = datetime.fromisoformat(value)
        return at if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _read_date(value: str) -> date | None:
    try:
        return date.fromisoformat(value)
    except ValueError:
        return None
