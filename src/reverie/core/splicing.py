"""Small changes of other programs' JSON settings, as text: what is not ours stays as it was, to the byte.

Settings are written by people and by programs: with comments, with commas at the end, with two spaces or tabs, in an order that
means something to somebody. So nothing is read in and written out again. The text is read only as far as it must be to know
where each value begins and ends; ours is put in between, and taken out again.

``put`` adds one value to a list, ``put_member`` one member to an object; missing objects and lists on the way are made. Each
answers with the new text and what was inserted where. ``without`` takes an insertion back out of a text that may have been edited
around it; ``without_value`` finds what is ours by what it says.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

DEPTH = 100

Path = tuple[str | int, ...]            # keys, and places in lists


class BrokenJson(ValueError):
    """The text is no JSON, not even with comments; the message says where."""


@dataclass(slots=True)
class Node:
    """A value in a text: from ``start`` to ``end``. An object has members (key, where the key begins, value), a list items."""

    kind: str                           # "object", "list", "text", "other"
    start: int
    end: int = 0
    value: Any = None                   # of a text or another plain value
    members: list[tuple[str, int, Node]] = field(default_factory=list)
    items: list[Node] = field(default_factory=list)
    comma: bool = False                 # a comma stands behind the last one

    def member(self, key: str) -> Node | None:
        """The value under a key; of several the last, as clients read it."""
        return next((node for name, _, node in reversed(self.members) if name == key), None)

    def plain(self) -> Any:
        """The value as Python has it."""
        if self.kind == "object":
            return {key: node.plain() for key, _, node in self.members}
        return [node.plain() for node in self.items] if self.kind == "list" else self.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Put:
    """A text after an insertion, and the insertion itself."""

    text: str
    inserted: str
    at: int


# ---- reading


def parse(text: str) -> Node:
    """The value that the whole text is. Comments (``//``, ``/* */``) and a comma behind the last member are let pass."""
    reader = _Reader(text)
    at = reader.blank(1 if text.startswith("\ufeff") else 0)
    node = reader.value(at, 0)
    rest = reader.blank(node.end)
    if rest != len(text):
        raise reader.broken(rest, "something stands behind the end")
    return node


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text

    def broken(self, at: int, why: str) -> BrokenJson:
        line = self.text.count("\n", 0, at) + 1
        return BrokenJson(f"line {line}: {why}")

    def blank(self, at: int) -> int:
        """Behind white space and comments."""
        text = self.text
        while at < len(text):
            if text[at] in " \t\r\n":
                at += 1
            elif text.startswith("//", at):
                end = text.find("\n", at)
                at = len(text) if end < 0 else end
            elif text.startswith("/*", at):
                end = text.find("*/", at + 2)
                if end < 0:
                    raise self.broken(at, "a comment without an end")
                at = end + 2
            else:
                break
        return at

    def value(self, at: int, depth: int) -> Node:
        if depth > DEPTH:
            raise self.broken(at, "too deep")
        first = self.text[at : at + 1]
        if first == "{":
            return self._object(at, depth)
        if first == "[":
            return self._list(at, depth)
        if first == '"':
            value, end = self._string(at)
            return Node("text", at, end, value)
        end = at
        while end < len(self.text) and (self.text[end].isalnum() or self.text[end] in "+-."):
            end += 1
        try:
            return Node("other", at, end, json.loads(self.text[at:end]))
        except ValueError:
            said = self.text[at : at + 20].partition("\n")[0] or "the end"
            raise self.broken(at, f"{said!r} is no value") from None

    def _string(self, at: int) -> tuple[str, int]:
        end = at + 1
        while end < len(self.text) and self.text[end] not in '"\n':
            end += 2 if self.text[end] == "\\" else 1
        try:
            return json.loads(self.text[at : end + 1], strict=False), end + 1
        except ValueError:
            raise self.broken(at, "a text without an end, or with something in it that may not be") from None

    def _object(self, start: int, depth: int) -> Node:
        node = Node("object", start)
        at = self.blank(start + 1)
        while self.text[at : at + 1] != "}":
            if self.text[at : at + 1] != '"':
                raise self.broken(at, "a name in quotes, or }, was expected")
            key, end = self._string(at)
            colon = self.blank(end)
            if self.text[colon : colon + 1] != ":":
                raise self.broken(colon, "a colon was expected")
            value = self.value(self.blank(colon + 1), depth + 1)
            node.members.append((key, at, value))
            at = self._next(node, value.end, "}")
        node.end = at + 1
        return node

    def _list(self, start: int, depth: int) -> Node:
        node = Node("list", start)
        at = self.blank(start + 1)
        while self.text[at : at + 1] != "]":
            item = self.value(at, depth + 1)
            node.items.append(item)
            at = self._next(node, item.end, "]")
        node.end = at + 1
        return node

    def _next(self, node: Node, end: int, closing: str) -> int:
        at = self.blank(end)
        node.comma = self.text[at : at + 1] == ","
        if node.comma:
            return self.blank(at + 1)
        if self.text[at : at + 1] != closing:
            raise self.broken(at, f"a comma or {closing} was expected")
        return at


def at(text: str, path: Path) -> Any:
    """The value at a path as Python has it, None when nothing is there."""
    try:
        node, missing = _walk(parse(text), path)
    except (BrokenJson, IndexError):
        return None
    return None if missing else node.plain()


# ---- writing


def put(text: str, path: Path, value: Any) -> Put:
    """The text with ``value`` at the end of the list at ``path``. Raises ``BrokenJson``, also where there is no list."""
    node, missing = _walk(parse(text), path)
    if missing:
        return _member(text, node, str(missing[0]), _nested(missing[1:], [value]))
    if node.kind != "list":
        raise BrokenJson(f"{_said(path)} is no list")
    return _insert(text, node, value, None)


def put_member(text: str, path: Path, key: str, value: Any) -> Put:
    """The text with a member at the end of the object at ``path``, in which there is none of this name."""
    node, missing = _walk(parse(text), path)
    if missing:
        return _member(text, node, str(missing[0]), _nested(missing[1:], {key: value}))
    if node.kind != "object" or node.member(key) is not None:
        why = "is there already" if node.kind == "object" else "cannot be put into what is no object"
        raise BrokenJson(f"{_said((*path, key))} {why}")
    return _member(text, node, key, value)


def _walk(node: Node, path: Path) -> tuple[Node, Path]:
    """As far as the path exists, and what of it does not."""
    for number, key in enumerate(path):
        if isinstance(key, int):
            node = node.items[key]
            continue
        if node.kind != "object":
            raise BrokenJson(f"{_said(path[:number]) or 'the whole'} is no object")
        inner = node.member(key)
        if inner is None:
            return node, path[number:]
        node = inner
    return node, ()


def _nested(path: Path, value: Any) -> Any:
    for key in reversed(path):
        value = {key: value}
    return value


def _said(path: Path) -> str:
    return ".".join(map(str, path))


def _member(text: str, node: Node, key: str, value: Any) -> Put:
    return _insert(text, node, value, key)


def _insert(text: str, node: Node, value: Any, key: str | None) -> Put:
    """Behind the last one, in the text's own way of breaking and indenting lines."""
    last = [inner for _, _, inner in node.members][-1:] + node.items[-1:]
    end_of_line, unit = _line_end(text), _indent(text)
    firsts = [at for _, at, _ in node.members] + [item.start for item in node.items]
    one_line = "\n" not in text[node.start : node.end] and bool(last)
    outer = _margin(text, node.start)
    inner = _margin(text, firsts[-1]) if last and not one_line and _opens_line(text, firsts[-1]) else outer + unit
    said = _rendered(value, end_of_line, unit, inner)
    if key is not None:
        said = f"{json.dumps(key, ensure_ascii=False)}: {said}"
    if not last:
        at = node.start + 1
        hole = text[at : node.end - 1]
        closes = "" if "\n" in hole else end_of_line + outer
        inserted = f"{end_of_line}{inner}{said}{closes}"
        return _done(text, at, inserted)
    at = last[0].end
    if node.comma:                      # ours goes behind that comma, and ends with one
        at = text.index(",", _Reader(text).blank(at)) + 1
        return _done(text, at, f"{end_of_line}{inner}{said},")
    return _done(text, at, f", {said}" if one_line and "\n" not in said else f",{end_of_line}{inner}{said}")


def _done(text: str, at: int, inserted: str) -> Put:
    return Put(text=text[:at] + inserted + text[at:], inserted=inserted, at=at)


def _rendered(value: Any, end_of_line: str, unit: str, margin: str) -> str:
    lines = json.dumps(value, ensure_ascii=False, indent=unit).split("\n")
    return (end_of_line + margin).join(lines)


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _indent(text: str) -> str:
    """What one step of indentation is here; two spaces where nothing tells."""
    for line in text.splitlines():
        margin = line[: len(line) - len(line.lstrip(" \t"))]
        if margin and line.strip() and not line.strip().startswith(("*", "//", "/*")):
            return "\t" if margin[0] == "\t" else margin
    return "  "


def _margin(text: str, at: int) -> str:
    start = text.rfind("\n", 0, at) + 1
    line = text[start:at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _opens_line(text: str, at: int) -> bool:
    start = text.rfind("\n", 0, at) + 1
    return not text[start:at].strip(" \t")


# ---- taking out


def without(text: str, inserted: str) -> str | None:
    """The text without an insertion that stands in it just once as it was made; None when it does not."""
    return text.replace(inserted, "", 1) if text.count(inserted) == 1 else None


def without_all(text: str, inserted: Sequence[str]) -> str | None:
    """The text without all of these; None when one of them is not found as it was made. What stands twice (a list of ours
    within an object of ours) stands once when the other is gone."""
    left = list(inserted)
    while left:
        for each in reversed(left):
            found = without(text, each)
            if found is not None:
                text = found
                left.remove(each)
                break
        else:
            return None
    return text


def without_value(text: str, path: Path, is_ours: Any) -> str:
    """The text without those values of the list at ``path`` that are ours, however somebody has laid them out since, and
    without the lists and objects on the way that are empty then. Raises ``BrokenJson``."""
    while True:
        node, missing = _walk(parse(text), path)
        if missing or node.kind != "list":
            return text
        found = next((number for number, item in enumerate(node.items) if is_ours(item.plain())), None)
        if found is None:
            return text
        spans = [(item.start, item.end) for item in node.items]
        text = _cut(text, spans, found, node)
        text = _pruned(text, path)


def without_member(text: str, path: Path, key: str) -> str:
    """The text without a member of the object at ``path``."""
    node, missing = _walk(parse(text), path)
    number = next((n for n, (name, _, _) in enumerate(node.members) if name == key), None)
    if missing or number is None:
        return text
    return _cut(text, [(at, inner.end) for _, at, inner in node.members], number, node)


def without_entry(text: str, path: Path, key: str) -> str:
    """The same, and without the objects on the way that are empty then. Raises ``BrokenJson``."""
    return _pruned(without_member(text, path, key), path)


def _pruned(text: str, path: Path) -> str:
    while path:
        node, missing = _walk(parse(text), path)
        if missing or node.items or node.members or text[node.start + 1 : node.end - 1].strip():    # a comment is somebody's
            return text
        if not isinstance(path[-1], str):
            return text
        text = without_member(text, path[:-1], path[-1])
        path = path[:-1]
    return text


def _cut(text: str, spans: list[tuple[int, int]], number: int, node: Node) -> str:
    """The text without one of several things between commas: with the comma before it, or, of the first, the one behind."""
    start, end = spans[number]
    if number:
        comma = text.index(",", _Reader(text).blank(spans[number - 1][1]))
        return text[:comma] + text[comma + 1 : start].rstrip(" \t\r\n") + text[end:]
    if len(spans) > 1:
        return text[:start] + text[spans[1][0] :]
    if node.comma:
        end = text.index(",", _Reader(text).blank(end)) + 1
    head, tail = text[node.start + 1 : start], text[end : node.end - 1]
    if not head.strip() and not tail.strip():
        return text[: node.start + 1] + text[node.end - 1 :]
    return text[:start] + text[end:]
