"""Markdown as Codex's memory files use it: headings, bullets below them, and everything else kept byte for byte.

A ``Document`` is cut into nodes (a heading and the lines below it) so that one bullet can be added or taken out and all
other bytes stay: line ends, a BOM, bytes that are no UTF-8, blocks that nobody knows. ``items`` finds the bullets of a
node; a bullet of ours has three parts, which ``bullet_text`` puts together and ``parts`` takes apart again, exactly:

    - the fact or the rule, over any number of lines [V7hF#k3X]
      because: why
      -> how to apply
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from reverie.core import scalar

_BULLET = re.compile(r" ?(?:[-*+]|\d{1,3}[.)])[ \t]+(?=\S)")
_RULE = re.compile(r" {0,3}(?:-{3,}|\*{3,}|_{3,})$")
_FENCE = re.compile(r"(`{3,}|~{3,})(.*)")
_PART = re.compile(r"(\\*)(->|→|because:)(?= |$)")
LABELS = ("applies_to:", "scope:")      # of a block: no part of what stands around them
_ARROWS = ("->", "→")
_BECAUSE = "because:"


class Node:
    """A heading as written, the lines below it up to the next heading, and the headings of deeper levels below it."""

    __slots__ = ("children", "heading", "level", "lines")

    def __init__(self, level: int, heading: str, lines: list[str], children: list[Node] | None = None) -> None:
        self.level = level
        self.heading = heading
        self.lines = lines
        self.children = children if children is not None else []

    @property
    def title(self) -> str:
        """The heading without its number signs."""
        return self.heading[self.level :].strip()

    def flat(self) -> Iterator[str]:
        """Every line of this node and of those below it."""
        if self.level:
            yield self.heading
        yield from self.lines
        for child in self.children:
            yield from child.flat()

    def walk(self) -> Iterator[Node]:
        """This node and every one below it, in the order of the file."""
        yield self
        for child in self.children:
            yield from child.walk()


class Document:
    """A file as a tree of nodes. Only ``data`` gives bytes; an untouched document gives back the very same."""

    __slots__ = ("_before", "_bom", "_crlf", "_ended", "_original", "root", "unclosed")

    def __init__(self, data: bytes, *, deepest: int, is_heading: Callable[[int, str], bool] | None = None) -> None:
        text = data.decode("utf-8", "surrogateescape")
        self._original = data
        self._bom = text.startswith("\ufeff")
        text = text.removeprefix("\ufeff")
        self._crlf = "\r\n" in text and text.count("\r\n") == text.count("\n")
        if self._crlf:
            text = text.replace("\r\n", "\n")
        lines = text.split("\n") if text else []
        self._ended = not lines or not lines[-1]
        if lines and not lines[-1]:
            lines.pop()
        self._before = lines
        self.unclosed = False               # a code fence that never ends: it was not taken for one
        self.root = self._tree(lines, deepest, is_heading)

    @property
    def is_utf8(self) -> bool:
        return not any("\udc80" <= c <= "\udcff" for line in self._before if not line.isascii() for c in line)

    @property
    def text(self) -> str:
        """The text as it was read."""
        return "\n".join(self._before)

    @property
    def blank(self) -> bool:
        return not any(line.strip() for line in self.root.flat())

    def data(self) -> bytes:
        """The bytes of the document as it is now."""
        lines = list(self.root.flat())
        if lines == self._before:
            return self._original
        while lines and not lines[-1].strip():
            lines.pop()
        text = "\n".join(lines) + "\n" if lines else ""
        if self._crlf:
            text = text.replace("\n", "\r\n")
        return (("\ufeff" if self._bom else "") + text).encode("utf-8", "surrogateescape")

    def _tree(self, lines: list[str], deepest: int, is_heading: Callable[[int, str], bool] | None) -> Node:
        root = Node(0, "", [])
        above = [root]
        fences, self.unclosed = fenced(lines)
        for number, line in enumerate(lines):
            level = 0 if number in fences else _level(line)
            if not 0 < level <= deepest or (is_heading and not is_heading(level, line[level:].strip())):
                above[-1].lines.append(line)
                continue
            node = Node(level, line, [])
            while above[-1].level >= level:
                above.pop()
            above[-1].children.append(node)
            above.append(node)
        return root


def _level(line: str) -> int:
    if not line.startswith("#"):
        return 0
    level = len(line) - len(line.lstrip("#"))
    return level if level <= 6 and line[level : level + 1] in (" ", "\t") else 0


def fenced(lines: Sequence[str]) -> tuple[set[int], bool]:
    """The numbers of the lines inside code fences, the fences included; and whether one never closes.

    A fence that never closes is none: else one stray mark would hide all that follows. Indented fences belong to a
    bullet, and nothing in a bullet is taken for a heading anyway.
    """
    inside: set[int] = set()
    marks = [(i, found[1], found[2]) for i, line in enumerate(lines) if (found := _FENCE.match(line.rstrip("\r")))]
    hopeless: dict[str, int] = {}           # fence character -> the shortest fence known to have no end
    upto = -1
    unclosed = False
    for place, (start, mark, _) in enumerate(marks):
        if start <= upto:
            continue
        end = None
        if len(mark) < hopeless.get(mark[0], len(mark) + 1):
            end = next((i for i, other, rest in map(marks.__getitem__, range(place + 1, len(marks)))    # a slice would copy
                        if other[0] == mark[0] and len(other) >= len(mark) and not rest.strip()), None)
        if end is None:
            hopeless[mark[0]] = min(len(mark), hopeless.get(mark[0], len(mark)))
            unclosed = True
        else:
            inside.update(range(start, end + 1))
            upto = end
    return inside, unclosed


class Item:
    """A bullet or a paragraph of a node: lines ``start`` up to ``end``, and its text without mark and indentation."""

    __slots__ = ("end", "start", "text")

    def __init__(self, start: int, end: int, text: str) -> None:
        self.start = start
        self.end = end
        self.text = text


def items(lines: Sequence[str]) -> list[Item]:
    """The bullets of a node, and the paragraphs among them, in order; rules and blank lines are neither."""
    found: list[Item] = []
    code, _ = fenced(lines)
    place = 0
    while place < len(lines):
        line = lines[place]
        if not line.strip() or (place not in code and _RULE.match(line.rstrip())):
            place += 1
            continue
        mark = None if place in code else _BULLET.match(line)
        end = _end_of_bullet(lines, place, code) if mark else _end_of_paragraph(lines, place, code)
        width = len(mark[0]) if mark else 0
        first = line[width:].rstrip("\r") if mark or place in code else line.strip()
        rest = [_dedented(lines[i].rstrip("\r"), min(width, 2) if width < 4 else width) for i in range(place + 1, end)]
        found.append(Item(place, end, "\n".join([first, *rest])))
        place = end
    return found


def _end_of_bullet(lines: Sequence[str], start: int, code: set[int]) -> int:
    """Behind the last line that belongs to the bullet: indented ones, blank ones between those, and lines that simply
    go on without an indentation, unless they are the labels of a block."""
    end = place = start + 1
    while place < len(lines):
        line = lines[place]
        if not line.strip():
            place += 1
            continue
        indented = line.startswith(("  ", "\t"))
        if not indented and (place > end or place in code or _BULLET.match(line) or line.startswith(LABELS)):
            break
        place += 1
        end = place
    return end


def _end_of_paragraph(lines: Sequence[str], start: int, code: set[int]) -> int:
    end = start + 1
    inside = start in code          # a fence is a paragraph of its own, whatever it holds
    while end < len(lines) and (end in code) == inside:
        line = lines[end]
        if not inside and (not line.strip() or _BULLET.match(line) or line.startswith(LABELS)):
            break
        end += 1
    return end


def _dedented(line: str, width: int) -> str:
    if width and line.startswith("\t"):
        return line[1:]
    kept = len(line) - len(line.lstrip(" "))
    return line[min(width, kept) :]


# ---- the parts of a bullet

def bullet_text(body: str, why: str = "", how: str = "") -> str:
    """The text of a bullet, without mark and indentation. A body's line that looks like a part gets a backslash."""
    first, *rest = body.split("\n")
    lines = [first, *(f"\\{line}" if _PART.match(line) else line for line in rest)]
    if why:
        first, *rest = why.split("\n")
        lines += [f"{_BECAUSE} {first}", *(f"\\{line}" if _is_escaped_arrow(line) else line for line in rest)]
    if how:
        lines.append(f"-> {how}")
    return "\n".join(lines)


def parts(text: str) -> tuple[str, str, str]:
    """(body, why, how to apply) of a bullet: ours, or the product's with an arrow before what to do in future."""
    first, *rest = text.split("\n")
    body, why, how = [first], list[str](), list[str]()
    now = body
    for line in rest:
        found = None if now is how else _PART.match(line)
        if not found or (now is why and found[2] == _BECAUSE):
            now.append(line)
        elif found[1]:
            now.append(line[1:])
        else:
            now = why if found[2] == _BECAUSE else how
            now.append(line[found.end() + 1 :])
    return "\n".join(body), "\n".join(why), "\n".join(how)


def _is_escaped_arrow(line: str) -> bool:
    found = _PART.match(line)
    return bool(found) and found[2] in _ARROWS  # type: ignore[index]


def bullet_lines(text: str, mark: str = "") -> list[str]:
    """A bullet as lines of a file; ``mark`` stands in brackets at the end of the first."""
    first, *rest = text.split("\n")
    return [f"- {first} [{mark}]" if mark else f"- {first}", *(f"  {line}" if line else "" for line in rest)]


# ---- changing a node

def append(node: Node, lines: Sequence[str]) -> None:
    """Add lines below a node's own ones, before the blank lines that part it from what follows."""
    end = len(node.lines)
    while end and not node.lines[end - 1].strip():
        end -= 1
    blanks = node.lines[end:] or [""]
    node.lines = [*node.lines[:end], *lines, *blanks]


def insert(parent: Node, place: int, node: Node) -> None:
    """Put a node among the children of another, parted from what stands before it by a blank line."""
    before = _last_lines(parent if place == 0 else parent.children[place - 1], own=place == 0)
    if (before and before[-1].strip()) or (not before and (place or parent.level)):
        before.append("")
    parent.children.insert(place, node)


def detach(root: Node, node: Node) -> None:
    """Take a node out, wherever below ``root`` it is."""
    for above in root.walk():
        if node in above.children:
            above.children.remove(node)
            return


def _last_lines(node: Node, *, own: bool) -> list[str]:
    while not own and node.children:
        node = node.children[-1]
    return node.lines


def cut(node: Node, item: Item) -> None:
    """Take an item out of a node. One blank line is left between its neighbours, where they would run together without,
    and a paragraph behind it loses the indentation that would make it a part of what now stands before it."""
    lines, place = node.lines, item.start
    del lines[place : item.end]
    if place and not lines[place - 1].strip():
        while place < len(lines) and not lines[place].strip():
            del lines[place]
    if place and place < len(lines) and lines[place - 1].strip() and not _starts_item(lines[place]):
        lines.insert(place, "")
    following = next((i for i in range(place, len(lines)) if lines[i].strip()), len(lines))
    if following < len(lines) and lines[following].startswith(("  ", "\t")):
        lines[following] = lines[following].lstrip()


def _starts_item(line: str) -> bool:
    return not line.strip() or _BULLET.match(line) is not None or line.startswith(LABELS)


def is_empty(node: Node) -> bool:
    """Whether a heading has nothing below it."""
    return not node.children and not any(line.strip() for line in node.lines)


# ---- values on one line

def shown(text: str) -> str:
    """A text where one line must do. A row of equals signs is shortened: the product fences its block with such."""
    line = scalar.one_line(text)
    return re.sub("={5,}", "====", line) if "=====" in line else line
