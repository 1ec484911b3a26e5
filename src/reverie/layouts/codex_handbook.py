"""``MEMORY.md``: the handbook, by task group (study, Codex §3; spec/codex §11.1).

Both shapes are read, also mixed and edited by hand; which one is written says the ``Shape``. A change touches the
bullet that it is about, and of the task around it the title and the keywords, if these are still as we wrote them. All
else keeps its bytes.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence

from reverie.core import budget, scalar, text
from reverie.core import place as places
from reverie.core.memory import Memory
from reverie.layouts import codex_names as names
from reverie.layouts.codex_sections import (
    EVERY_PROJECT,
    SPOKEN,
    Section,
    Shape,
    applied_to,
    group_label,
    outcome_of,
    same_project,
    section_of,
    section_titled,
    whose_block,
)
from reverie.layouts.codex_text import LABELS, Document, Item, Node, append, bullet_lines, cut, insert, is_empty, items, shown

PATH = "MEMORY.md"
UNKNOWN = "unknown"                 # the study's word for a directory that nobody knows
TITLE_LENGTH = 120                  # characters: a heading is read at a glance
KEYWORD_LIMIT = 24                  # handles of one task
_GROUP = "Task Group:"
_TASK = re.compile(r"Task (\d{1,6})\b:?(.*)", re.DOTALL)
_TAIL = re.compile(r"(?: ?\[Task \d{1,6}(?:, ?(?:Task )?\d{1,6})*\])+")
_TAIL_LENGTH = 200                  # characters in which the references of a bullet are looked for
_ABOUT = re.compile(r"\b(cwd|thread_id|updated_at)=([^,()\n]*)")


class Found:
    """One bullet as it stands in the handbook. ``mark`` is its name when it bears one, ``tasks`` the numbers in its
    ``[Task n]``; ``text`` is without both."""

    __slots__ = ("group", "mark", "node", "raw", "section", "task", "tasks", "text")

    def __init__(self, group: Group | None, task: Task | None, section: Section | None, node: Node, raw: str) -> None:
        self.group = group
        self.task = task
        self.section = section
        self.node = node
        self.raw = raw
        self.text, self.mark, self.tasks = unmarked(raw)

    def says(self, bullet: str) -> bool:
        """Whether this is a bullet as we wrote it, whatever is referred to behind it."""
        first, _, rest = _without_mark(self.raw)[0].partition("\n")
        ours, _, ours_rest = bullet.partition("\n")
        tail = first.removeprefix(ours)
        return rest == ours_rest and first.startswith(ours) and (not tail or _TAIL.fullmatch(tail) is not None)

    def item(self) -> Item:
        """Where the bullet stands now."""
        return next(item for item in items(self.node.lines) if item.text == self.raw)

    def tasks_of(self) -> list[Task]:
        """The tasks that the bullet rests on: the one it stands under, or those it refers to."""
        if self.task:
            return [self.task]
        found = [self.group.task(number) for number in self.tasks] if self.group else []
        return [task for task in found if task]


class Task:
    """One ``## Task n`` of a block."""

    __slots__ = ("keywords", "node", "number", "sources")

    def __init__(self, node: Node, number: int) -> None:
        self.node = node
        self.number = number
        self.sources: list[dict[str, str]] = []         # of each summary file: name, thread_id, cwd, updated_at
        self.keywords: tuple[str, ...] = ()
        for child in node.children:
            if section_titled(child.title) is Section.FILES:
                self.sources += [_source(item.text) for item in items(child.lines)]
            elif section_titled(child.title) is Section.KEYWORDS:
                words = ",".join(item.text for item in items(child.lines)).split(",")
                self.keywords += tuple(dict.fromkeys(word.strip() for word in words if word.strip()))


class Group:
    """One ``# Task Group`` with its label and what it applies to."""

    __slots__ = ("_of_session", "cwd", "label", "node", "project", "scope", "tasks")

    def __init__(self, node: Node) -> None:
        self.node = node
        self.label = node.title.removeprefix(_GROUP).strip()
        self.cwd = _applies_to(node.lines)
        self.scope, self.project = whose_block(self.label, self.cwd)
        self.tasks: list[Task] = []
        self._of_session: dict[str, Task] = {}
        for child in node.children:
            if found := _TASK.fullmatch(child.title):
                self.add(Task(child, int(found[1])))

    def add(self, task: Task) -> None:
        """Know one more task, by its sessions and their files."""
        self.tasks.append(task)
        for source in task.sources:
            for name in (source.get("thread_id"), source["file"]):
                if name:
                    self._of_session.setdefault(name, task)

    def remove(self, task: Task) -> None:
        """Take a task out of the block."""
        self.node.children.remove(task.node)
        self.tasks.remove(task)
        self._of_session = {name: other for name, other in self._of_session.items() if other is not task}

    def of_session(self, thread: str, file: str) -> Task | None:
        """The task that a session has here."""
        return self._of_session.get(thread) or self._of_session.get(file)

    def task(self, number: int) -> Task | None:
        return next((task for task in self.tasks if task.number == number), None)

    def holds(self, memory: Memory) -> bool:
        """Whether a memory belongs here: by the label, or, in a block that somebody else wrote, by its directory."""
        if self.label == shown(group_label(memory)) and (self.scope == "user") == (memory.scope == "user"):
            return True
        ours = self.label == EVERY_PROJECT or places.looks_like_project_key(self.label.rpartition(": ")[2])
        if ours or memory.scope != "project" or self.scope != "project":
            return False
        cwd = shown(memory.source.cwd)
        same = bool(self.project and memory.project) and same_project(self.project, memory.project)
        return same or (bool(cwd) and self.cwd == cwd)


class Handbook:
    """The file as groups; what stands outside of any group is kept, and read as bullets without a project."""

    def __init__(self, data: bytes, shape: Shape) -> None:
        self.document = Document(data, deepest=3)
        self.shape = shape
        self.groups = [Group(node) for node in self.document.root.children
                       if node.level == 1 and node.title.startswith(_GROUP)]
        self._made: set[int] = set()        # nodes of tasks that this change made

    @property
    def blank(self) -> bool:
        return self.document.blank

    def unknown_blocks(self) -> list[str]:
        """Headings of blocks that are no task groups."""
        known = {id(group.node) for group in self.groups}
        return [node.heading for node in self.document.root.children if id(node) not in known]

    def bullets(self) -> Iterator[Found]:
        """Every bullet that says something, in the order of the file."""
        known = {id(group.node): group for group in self.groups}
        for item in items(self.document.root.lines):
            yield Found(None, None, None, self.document.root, item.text)
        for node in self.document.root.children:
            group = known.get(id(node))
            if group is None:
                yield from self._below(node, None, None)
                continue
            for item in items(node.lines):
                if not _is_head(item.text):
                    yield Found(group, None, None, node, item.text)
            tasks = {id(task.node): task for task in group.tasks}
            for child in node.children:
                yield from self._below(child, group, tasks.get(id(child)))

    def _below(self, node: Node, group: Group | None, task: Task | None) -> Iterator[Found]:
        section = section_titled(node.title)
        if section in (Section.FILES, Section.KEYWORDS):
            return
        for item in items(node.lines):
            yield Found(group, task, section, node, item.text)
        for child in node.children:
            yield from self._below(child, group, task)

    def holdings(self, memories: Mapping[str, Memory]) -> dict[int, list[Memory]]:
        """Which of the memories (by name) stand in or refer to which task (by the identity of its node), in order."""
        held: dict[int, list[Memory]] = {}
        for found in self.bullets():
            if found.mark in memories:
                for task in found.tasks_of():
                    held.setdefault(id(task.node), []).append(memories[found.mark])
        return held

    def tasks_of_ours(self) -> set[int]:
        """The nodes (by identity) that name the sources of tasks in which only bullets of ours stand."""
        held: dict[int, tuple[Task, bool]] = {}
        for found in self.bullets():
            for task in found.tasks_of():
                ours = bool(found.mark) and held.get(id(task), (task, True))[1]
                held[id(task)] = (task, ours)
        return {id(child) for task, ours in held.values() if ours for child in task.node.children
                if section_titled(child.title) is Section.FILES}

    # ---- changing it

    def section_for(self, memory: Memory) -> Section:
        """The section in which a memory stands in this shape: the product's has none for references."""
        section = section_of(memory)
        without = section is Section.REFERENCES and not self.shape.sections_in_task
        return Section.KNOWLEDGE if without else section

    def put(self, memory: Memory, mark: str, bullet: str, *, thread: str, file: str, updated_at: str) -> Found:
        """Add a bullet where it belongs: group, task of the session, section. Without a ``mark`` it is nobody's of ours, as a
        consolidator's are."""
        group = next((group for group in self.groups if group.holds(memory)), None) or self._new_group(memory)
        self._widen(group, memory)
        task = self._task(group, memory, thread=thread, file=file, updated_at=updated_at)
        section = self.section_for(memory)
        if self.shape.sections_in_task:
            node, tail = self._section(task.node, section, level=3), mark
        else:
            node, tail = self._section(group.node, section, level=2), _tail((task.number,), mark)
        append(node, bullet_lines(bullet, tail))
        return Found(group, task if self.shape.sections_in_task else None, section, node, _raw(bullet, tail))

    def replace(self, found: Found, bullet: str, mark: str) -> Found:
        """Put another bullet in the place of one."""
        tail = _tail(found.tasks if not found.task else (), mark)
        item = found.item()
        found.node.lines[item.start : item.end] = bullet_lines(bullet, tail)
        return Found(found.group, found.task, found.section, found.node, _raw(bullet, tail))

    def remove(self, found: Found) -> None:
        """Take a bullet out, and the heading above it if nothing is left there and it is one of the fixed sections."""
        cut(found.node, found.item())
        if found.section and is_empty(found.node):
            for above in (found.task, found.group):
                if above and found.node in above.node.children:
                    above.node.children.remove(found.node)

    def settle(self, before: Mapping[int, Sequence[Memory]], after: Mapping[int, Sequence[Memory]]) -> None:
        """Let tasks say what they hold now: ``before`` and ``after`` are ``holdings``. A task of ours in which nothing
        is left goes, and so does its group."""
        for group in list(self.groups):
            for task in list(group.tasks):
                key = id(task.node)
                old, new = before.get(key, ()), after.get(key, ())
                if (old or new) and tuple(old) != tuple(new):
                    self._settle(group, task, old, new)

    def _settle(self, group: Group, task: Task, old: Sequence[Memory], new: Sequence[Memory]) -> None:
        made = id(task.node) in self._made
        ours = made or (bool(old) and task.node.heading == _heading(task.number, old))
        if ours and not new and not any(section_titled(child.title) in SPOKEN for child in task.node.children):
            group.remove(task)
            if not group.tasks and not group.node.children and all(_is_head(line) for line in group.node.lines):
                self.document.root.children.remove(group.node)
                self.groups.remove(group)
            return
        if ours and new:
            task.node.heading = _heading(task.number, new)
        words = next((child for child in task.node.children if section_titled(child.title) is Section.KEYWORDS), None)
        if words is not None and new and (made or (bool(old) and words.lines[:1] == [_keyword_line(old)])):
            words.lines[:1] = [_keyword_line(new)]

    def rename(self, old: str, new: str) -> None:
        """A session's summary file has another name now."""
        for group in self.groups:
            for task in group.tasks:
                for child in task.node.children:
                    if section_titled(child.title) is Section.FILES:
                        child.lines = [line.replace(old, new) for line in child.lines]

    def cite(self, task: Task, *, thread: str, file: str, cwd: str, updated_at: str, rollout_path: str = UNKNOWN) -> None:
        """Let a task rest on one more session, or say when that session went on last."""
        node = next((child for child in task.node.children if section_titled(child.title) is Section.FILES), None)
        if node is None:
            node = Node(3, f"### {Section.FILES}", [""])
            task.node.children.insert(0, node)
        line = f"{file} (cwd={cwd}, rollout_path={rollout_path}, updated_at={updated_at}, thread_id={thread})"
        for item in items(node.lines):
            if file in names.mentioned_files(item.text.partition(" (")[0]):
                if _source(item.text) != _source(line) or f"rollout_path={UNKNOWN}," in item.text:
                    node.lines[item.start : item.end] = bullet_lines(line)
                break
        else:
            append(node, bullet_lines(line))
            task.sources.append(_source(line))

    def uncite(self, task: Task, files: Container[str]) -> None:
        """Let a task rest no longer on these files."""
        for child in task.node.children:
            if section_titled(child.title) is Section.FILES:
                for item in reversed(items(child.lines)):
                    if any(name in files for name in names.mentioned_files(item.text.partition(" (")[0])):
                        cut(child, item)
        task.sources = [source for source in task.sources if source["file"] not in files]

    def drop(self, group: Group, task: Task) -> None:
        """Take a task out, with all that stands under it; and its block, when that was the last one."""
        group.remove(task)
        if not group.tasks:
            self.document.root.children.remove(group.node)
            self.groups.remove(group)

    def forget_file(self, file: str) -> None:
        """A session's summary file is gone: no task cites it any more."""
        for group in self.groups:
            for task in group.tasks:
                for child in task.node.children:
                    if section_titled(child.title) is Section.FILES:
                        for item in reversed(items(child.lines)):
                            if file in names.mentioned_files(item.text):
                                cut(child, item)

    def _new_group(self, memory: Memory) -> Group:
        lines = []
        cwd = "any" if memory.scope == "user" else _directory(memory)
        if self.shape.sections_in_task:
            lines.append(f"applies_to: cwd={cwd}")
        elif memory.scope == "user":
            lines += ["scope: what holds in every project of this user",
                      "applies_to: cwd=any; reuse_rule=safe everywhere"]
        else:
            lines += [
                _scope_line(cwd),
                f"applies_to: cwd={cwd}; reuse_rule=only in this project, its subdirectories and worktrees",
            ]
        node = Node(1, f"# {_GROUP} {shown(group_label(memory))}", lines)
        # New groups come first (recency stands for use, spec/codex §11.1), behind what holds everywhere.
        first = 0
        if self.groups:
            first = self.document.root.children.index(self.groups[0].node)
            first += self.groups[0].label == EVERY_PROJECT and memory.scope != "user"
        else:
            first = len(self.document.root.children)
        insert(self.document.root, first, node)
        group = Group(node)
        self.groups.append(group)
        self.groups.sort(key=lambda one: self.document.root.children.index(one.node))
        return group

    def _widen(self, group: Group, memory: Memory) -> None:
        """Let a block apply to the directory above, once something was said there: the block is the whole project's."""
        cwd = _directory(memory)
        if memory.scope != "project" or cwd in (UNKNOWN, group.cwd):
            return
        ours = places.looks_like_project_key(group.label)
        if group.cwd in ("", UNKNOWN) or (ours and places.below(cwd, group.cwd)):
            for place, line in enumerate(group.node.lines):
                if line.startswith("applies_to:"):
                    group.node.lines[place] = line.replace(f"cwd={group.cwd}", f"cwd={cwd}", 1)
                elif line == _scope_line(group.cwd):
                    group.node.lines[place] = _scope_line(cwd)
            group.cwd = cwd

    def _task(self, group: Group, memory: Memory, *, thread: str, file: str, updated_at: str) -> Task:
        standing = group.of_session(thread, file)
        if standing:
            return standing
        number = max((task.number for task in group.tasks), default=0) + 1
        cwd = _directory(memory)
        about = f"cwd={cwd}, rollout_path={UNKNOWN}, updated_at={updated_at}, thread_id={thread}"
        node = Node(2, _heading(number, [memory]), [""], [
            Node(3, f"### {Section.FILES}", [f"- {file} ({about})", ""]),
            Node(3, f"### {Section.KEYWORDS}", [_keyword_line([memory]), ""]),
        ])  # fmt: skip
        after = group.node.children.index(group.tasks[-1].node) + 1 if group.tasks else 0
        insert(group.node, after, node)
        self._made.add(id(node))
        group.add(Task(node, number))
        return group.tasks[-1]

    def _section(self, above: Node, section: Section, *, level: int) -> Node:
        """The section below a node, made at its place in the fixed order when there is none."""
        order = list(Section)
        last = -1
        for place, child in enumerate(above.children):
            titled = section_titled(child.title)
            if titled is section and child.level == level:
                return child
            is_task = level == 2 and _TASK.fullmatch(child.title)
            if is_task or (titled and child.level == level and order.index(titled) < order.index(section)):
                last = place
        title = "User preferences" if level == 2 and section is Section.PREFERENCES else section.value
        node = Node(level, f"{'#' * level} {title}", [])
        insert(above, last + 1, node)
        return node


def _directory(memory: Memory) -> str:
    """A memory's directory as a label can hold it: a semicolon would end it."""
    cwd = shown(memory.source.cwd)
    return cwd if cwd and ";" not in cwd else UNKNOWN


def _scope_line(cwd: str) -> str:
    return f"scope: what was said and learned while working in {cwd}; check against the code before relying on it"


def _is_head(line: str) -> bool:
    return not line.strip() or line.startswith(LABELS)


def heading(number: int, about: str, outcome: str) -> str:
    """A task's heading."""
    return f"## Task {number}: {budget.clip(shown(about), TITLE_LENGTH).text or 'untitled'}, outcome={outcome}"


def _heading(number: int, memories: Sequence[Memory]) -> str:
    return heading(number, shown(memories[0].name) or shown(memories[0].description), outcome_of(memories))


def _keyword_line(memories: Sequence[Memory]) -> str:
    """Handles to search by: the memories' own keywords, else the telling words of their names."""
    words = dict.fromkeys(shown(word) for memory in memories for word in memory.keywords)
    if not words:
        found = (piece.surface for memory in memories for piece in text.pieces(shown(memory.name))
                 if piece.kind in ("word", "code") and not text.is_weak(piece.term))
        words = dict.fromkeys(word.replace(",", " ") for word in found)
    return f"- {', '.join([word for word in words if word][:KEYWORD_LIMIT]) or shown(memories[0].name) or 'memory'}"


def _applies_to(lines: Sequence[str]) -> str:
    """The directory or scope after ``applies_to: cwd=``; "" when there is none."""
    for line in lines:
        head, _, rest = line.partition(":")
        if head.strip() == "applies_to":
            return applied_to(rest)
    return ""


def _source(line: str) -> dict[str, str]:
    found = {name: value.strip() for name, value in _ABOUT.findall(line)}
    files = names.mentioned_files(line.partition(" (")[0])
    return found | {"file": next(iter(files), "")}


def _tail(tasks: Sequence[int], mark: str) -> str:
    """What stands in brackets behind a bullet's first line: the tasks it rests on, its name."""
    numbers = f"Task {', '.join(map(str, tasks))}" if tasks else ""
    return f"{numbers}] [{mark}" if numbers and mark else numbers or mark


def _raw(bullet: str, tail: str) -> str:
    """A bullet's text as ``items`` gives it back."""
    first, newline, rest = bullet.partition("\n")
    return f"{first}{f' [{tail}]' if tail else ''}{newline}{rest}"


def _without_mark(raw: str) -> tuple[str, str]:
    first, newline, rest = scalar.whole(raw).partition("\n")
    head, gap, mark = first[:-1].rpartition(" [")
    if gap and first.endswith("]") and names.MARK.fullmatch(mark):
        return head + newline + rest, mark
    return first + newline + rest, ""


def unmarked(raw: str) -> tuple[str, str, tuple[int, ...]]:
    """A bullet's text without its name and without ``[Task n]``, and both of these. Our references stand at the end of
    the first line, the product's at the very end."""
    text, mark = _without_mark(raw)
    first, newline, rest = text.partition("\n")
    short, numbers = _without_tasks(first)
    if numbers or mark:
        return short + newline + rest, mark, numbers
    text, numbers = _without_tasks(text)
    return text, mark, numbers


def _without_tasks(text: str) -> tuple[str, tuple[int, ...]]:
    start = text.find("[Task ", max(len(text) - _TAIL_LENGTH, 0)) if text.endswith("]") else -1
    while start >= 0:
        if _TAIL.fullmatch(text, start):
            return text[:start].rstrip(" "), tuple(int(number) for number in re.findall(r"\d+", text[start:]))
        start = text.find("[Task ", start + 1)
    return text, ()
