"""``rollout_summaries/*.md``: one file for each session that gave something (spec/codex §7, §9.1).

Ours hold what was said, with the words that a memory rests on, so that the handbook's bullet can be checked. Every
memory is a ``## Task n`` here; a product's file that we add to keeps all that is its own.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence

from reverie.core import scalar
from reverie.core.memory import By, Memory
from reverie.layouts.codex_entries import UNKNOWN, Entry, bullet_of, field, time
from reverie.layouts.codex_raw import Thread, headline
from reverie.layouts.codex_sections import SECTION_LABELS, Section, outcome_of, section_of
from reverie.layouts.codex_text import Document, Node, bullet_lines, insert, items, shown

_TASK = re.compile(r"Task (\d{1,6}): ?(.*)")
_HEADER = re.compile(r"(thread_id|updated_at|rollout_path|cwd|git_branch): ?(.*)")
_WHO = {
    By.USER: "the user", By.AGENT: "the agent", By.MODEL: "inferred by a model", By.TOOL: "tool output",
    By.HAND: "written by hand",
}  # fmt: skip


class Rollout:
    """One session's summary. ``header`` is what its first lines say, ``headline`` its first heading."""

    def __init__(self, data: bytes) -> None:
        self.document = Document(data, deepest=2)
        self.header: dict[str, str] = {}
        for line in self.document.root.lines:
            found = _HEADER.fullmatch(line.strip())
            if not found:               # the header ends here; what the text below says of itself is only text
                break
            self.header.setdefault(found[1], found[2].strip())

    @property
    def headline(self) -> str:
        """The first heading: one sentence on the session."""
        return next((scalar.whole(node.title) for node in self.document.root.walk() if node.level), "")

    @property
    def body(self) -> str:
        """Everything below the header, as text."""
        lines = self.document.text.split("\n")
        start = next((i for i, line in enumerate(lines) if not _HEADER.fullmatch(line.strip())), len(lines))
        return scalar.tidy("\n".join(lines[start:]))

    def tasks(self, numbers: Container[int]) -> list[Node]:
        """The sections of these tasks, in the order of the file."""
        return [node for node in self.document.root.walk()
                if (found := _TASK.fullmatch(node.title)) and int(found[1]) in numbers]

    def bullets(self) -> dict[str, str]:
        """The name of the task under which each bullet stands."""
        found: dict[str, str] = {}
        for node in self.document.root.walk():
            task = _TASK.fullmatch(node.title)
            for item in items(node.lines) if task else ():
                found.setdefault(item.text, scalar.whole(task[2]))  # type: ignore[index]
        return found

    def drop(self, bullet: str) -> None:
        """Take a bullet out, and the task around it if it says nothing else."""
        for above in list(self.document.root.walk()):
            for node in list(above.children):
                found = next((item for item in items(node.lines) if item.text == bullet), None)
                if found and _TASK.fullmatch(node.title):
                    above.children.remove(node)

    @property
    def says_nothing(self) -> bool:
        """Whether no task is left, nor anything else but a headline of ours."""
        nodes = list(self.document.root.walk())
        lines = [line for node in nodes for line in node.lines]
        return len(nodes) <= 2 and all(
            not line.strip() or line.startswith("Rollout context: ") or _HEADER.fullmatch(line) for line in lines
        )

    def update(self, thread: Thread, before: Sequence[Entry], after: Sequence[Entry]) -> bool:
        """Carry a change of a thread's entries over: only their own sections change, and the head if it is ours.
        False when nothing is left that would need the file."""
        if self.document.blank:
            if not after:
                return False
            self.document.root.lines = _head(thread)
            self.document.root.children = [Node(1, *_sentence(after))]
        top = next((node for node in self.document.root.children if node.level == 1), self.document.root)
        old = {entry.number: entry for entry in before}
        new = {entry.number: entry for entry in after}
        for node in list(top.children):
            found = _TASK.fullmatch(node.title)
            number = int(found[1]) if found else 0
            if number in old and number not in new:
                top.children.remove(node)
            elif number in new:
                node.heading, node.lines = _section(new[number])
        standing = {int(found[1]) for node in top.children if (found := _TASK.fullmatch(node.title))}
        for number in sorted(set(new) - standing):
            insert(top, len(top.children), Node(2, *_section(new[number])))
        self._update_head(thread, before, after, top)
        ours = bool(before) and top.level == 1 and (top.heading, top.lines) == _sentence(before)
        return bool(after or top.children or not ours)

    def _update_head(self, thread: Thread, before: Sequence[Entry], after: Sequence[Entry], top: Node) -> None:
        at = "" if thread.foreign else thread.fields.get("updated_at", "")
        for place, line in enumerate(self.document.root.lines):
            found = _HEADER.fullmatch(line)
            if found and found[1] == "updated_at" and at and found[2] != at:
                self.document.root.lines[place] = f"updated_at: {at}"
        if before and after and top.level:
            heading, lines = _sentence(before)
            if top.heading == heading and top.lines == lines:
                top.heading, top.lines = _sentence(after)


def _head(thread: Thread) -> list[str]:
    return [
        f"thread_id: {thread.id}",
        f"updated_at: {thread.fields.get('updated_at', '')}",
        f"rollout_path: {UNKNOWN}",
        f"cwd: {field(thread.cwd or UNKNOWN)}",
        "",
    ]


def _sentence(entries: Sequence[Entry]) -> tuple[str, list[str]]:
    memories = [entry.memory for entry in entries]
    first = memories[0].source
    where = f" in {shown(first.cwd)}" if first.cwd else ""
    host = f"a session of {shown(first.host)}" if first.host else "no session of a host"
    days = sorted(f"{memory.source.said_at:%Y-%m-%d}" for memory in memories if memory.source.said_at)
    when = "" if not days else f", {days[0]}" if days[0] == days[-1] else f", {days[0]} to {days[-1]}"
    return f"# {headline(memories)}", ["", f"Rollout context: {host}{where}{when}", ""]


def _section(entry: Entry) -> tuple[str, list[str]]:
    memory = entry.memory
    label = SECTION_LABELS[section_of(memory)]
    evidence = _evidence(memory)
    references = SECTION_LABELS[Section.REFERENCES]
    if evidence and label != references:
        evidence[:0] = ["", references]
    return f"## Task {entry.number}: {shown(memory.name)}".rstrip(), [
        f"Outcome: {outcome_of([memory])}",
        "",
        label,
        *bullet_lines(bullet_of(memory)),
        *evidence,
        "",
    ]


def _evidence(memory: Memory) -> list[str]:
    """The words that a memory rests on, as data: quoted, on one line, with who said them."""
    source = memory.source
    if not source.quote:
        return []
    who = _WHO.get(source.by, "unknown")
    when = f", {time(source.said_at)}" if source.said_at else ""
    return [f'- [1] {who}{when}: "{shown(source.quote)}"']
