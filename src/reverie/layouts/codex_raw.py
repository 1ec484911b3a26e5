"""``raw_memories.md``: what each session gave, before it was put in order (spec/codex §9.2, study, Codex §3).

A thread is one session, with the study's frontmatter; each memory of ours is a task of it (``codex_entries``), with all
its fields, so that nothing is lost between the memory and the handbook's bullet. A product's thread is read by its
sections and never rewritten.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from reverie.core import scalar
from reverie.core.memory import By, Memory, Status
from reverie.layouts import codex_entries as entries
from reverie.layouts import codex_names as names
from reverie.layouts.codex_entries import FIELD, TASK, UNKNOWN, Entry, field, fields_of, head_end, time
from reverie.layouts.codex_sections import group_label, outcome_of, section_titled
from reverie.layouts.codex_text import Document, Node, cut, detach, insert, items, shown

PATH = "raw_memories.md"
MERGED = "Merged stage-1 raw memories (stable ascending thread-id order):"
NOTHING = "No raw memories yet."
CONSOLIDATED = "consolidated"       # a field of ours in a session's head: phase 2 has seen it
_HEAD = ["# Raw Memories", "", MERGED, ""]
_THREAD = re.compile(r"Thread `([^`]*)`")


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
        return entries.read_time(self.fields.get("updated_at", ""))

    @property
    def active(self) -> list[Entry]:
        """The entries that an agent may see."""
        return [entry for entry in self.entries if entry.memory.status is Status.ACTIVE]

    def told(self) -> list[tuple[str, str]]:
        """What somebody else wrote: (the label it stands under, the text), item by item."""
        return [(label, said) for _, label, said in self.told_in_tasks()]

    def told_in_tasks(self) -> list[tuple[Mapping[str, str], str, str]]:
        """The same, each with the fields of the task it stands in: ``task``, ``task_group`` …"""
        found: list[tuple[Mapping[str, str], str, str]] = []
        for node in self.foreign:
            is_task = node is not self.node
            below = node.lines if is_task else node.lines[_text_start(node.lines) :]
            fields = fields_of(node.lines[: head_end(node.lines)]) if is_task else {}
            label = ""
            for item in items(below):
                if section_titled(item.text):
                    label = item.text
                elif not all(FIELD.fullmatch(line) for line in item.text.split("\n")):
                    found.append((fields, label, scalar.whole(item.text)))
        return found

    def next_number(self) -> int:
        numbers = (TASK.match(child.title) for child in self.node.children)
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
            entry = entries.read(child, thread=thread.id, updated_at=thread.updated_at)
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
                node.lines[node.lines.index(_HEAD[2])] = NOTHING
        return self.document.data()

    def pieces(self, thread: str) -> list[Node]:
        """The nodes of a session: more than one where it stands in several pieces."""
        return [node for node in self.document.root.walk()
                if node.level == 2 and (found := _THREAD.fullmatch(node.title)) and found[1] == thread]

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
        bullet = entries.bullet_of(memory)
        if old and old.thread == thread.id:
            old.node.heading, old.node.lines = entries.rendered(
                old.number, mark, memory, bullet, thread=thread.id, updated_at=updated_at
            )
            old.memory, old.bullet = replace(memory, modified_at=updated_at), bullet
            return old
        if old:
            self.remove(mark)
        number = thread.next_number()
        heading, lines = entries.rendered(number, mark, memory, bullet, thread=thread.id, updated_at=updated_at)
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
                at = head_end(thread.node.lines)
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
        for place, line in enumerate(lines[: head_end(lines)]):
            found = FIELD.fullmatch(line.rstrip("\r"))
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
                if NOTHING in node.lines:
                    node.lines[node.lines.index(NOTHING)] = _HEAD[2]
                return node
        node = Node(1, _HEAD[0], _HEAD[1:])
        insert(self.document.root, 0, node)
        return node


def _is_heading(level: int, title: str) -> bool:
    """Only the file's own headings count: a session's text may hold any others."""
    return (
        (level == 1 and title == "Raw Memories")
        or (level == 2 and _THREAD.fullmatch(title) is not None)
        or (level == 3 and TASK.match(title) is not None)
    )


# ---- a thread's head

def _head_of(lines: Sequence[str]) -> tuple[dict[str, str], dict[str, str]]:
    start, end = _front(lines)
    return fields_of(lines[: head_end(lines)]), fields_of(lines[start + 1 : end - 1]) if start >= 0 else {}


def _front(lines: Sequence[str]) -> tuple[int, int]:
    """From the opening fence of the frontmatter to behind the closing one; (-1, -1) when there is none."""
    place = next((i for i in range(head_end(lines), len(lines)) if lines[i].strip()), len(lines))
    if place < len(lines) and lines[place].rstrip() == "---":
        for end in range(place + 1, len(lines)):
            if lines[end].rstrip() == "---":
                return place, end + 1
    return -1, -1


def _text_start(lines: Sequence[str]) -> int:
    """Where a thread's text begins, behind head and frontmatter."""
    _, end = _front(lines)
    return end if end >= 0 else head_end(lines)


def _frontmatter(held: Iterable[Entry], thread: Thread) -> list[str]:
    """The study's frontmatter (Codex §3). What is quarantined or superseded has no part in it: agents read this."""
    seen = [entry.memory for entry in held if entry.memory.status is Status.ACTIVE]
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


def disowned(data: bytes, marks: Collection[str]) -> bytes:
    """The file in which the entries of these names are the agent's word; everything else keeps its bytes."""
    raw = RawMemories(data)
    for mark in marks:
        lines = raw.entries[mark].node.lines if mark in raw.entries else []
        for place, line in enumerate(lines[: head_end(lines)]):
            found = FIELD.fullmatch(line.rstrip("\r"))
            if found and found[1] == "said_by":
                lines[place] = f"said_by: {By.AGENT.value}" + line[len(line.rstrip("\r")) :]
    return raw.document.data()


def headline(memories: Sequence[Memory]) -> str:
    """One sentence for what a session gave."""
    first = shown(memories[0].description or memories[0].name)
    rest = len(memories) - 1
    return f"{first} (and {rest} more)" if rest else first
