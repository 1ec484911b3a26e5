"""A memory's body in its three parts: the statement, why it holds, how to apply it.

The study's shape (Claude Code §2, Qwen Code §3) puts the two under labels, ``**Why:**`` and ``**How to apply:**``;
agents write these in a dozen ways, and Qwen Code misreads the bold one (spec/qwen-code §4). Read here: bold or not, the
colon inside or outside, half or full width, behind a bullet, in four languages; a part goes on to the next label. Only
the first label of each kind counts; a body without labels is all statement.

``split(join(parts)) == parts`` for any text: a line of a part that would be taken for a label, or would open a code
fence that its part does not close, is written with a backslash before it, and read without. Property tests hold this.
"""

from __future__ import annotations

import re

from reverie.core.scalar import tidy, unified

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

BOLD = ("**Why:** ", "**How to apply:** ")      # study, Claude Code §2
PLAIN = ("Why: ", "How to apply: ")             # study, Qwen Code §3: the form that Qwen Code itself reads right

NAMES = ("statement", "why", "how_to_apply")

_WHY = "why|原因|为什么|為什麼|理由|なぜ|이유|왜"
_HOW = "how[ _-]to[ _-]apply|如何应用|如何應用|应用方式|應用方式|適用方法|適用|적용 ?방법"
_LABEL = re.compile(
    rf"[ \t]*(?:[-*+][ \t]+)?(\*\*|__|\*|_)?(?:({_WHY})|{_HOW})[ \t]{{0,4}}"
    r"(?:[:：](?(1)[ \t]{0,4}\1)|(?(1)\1[ \t]{0,4}[:：]|(?!)))[ \t]*",
    re.IGNORECASE,
)
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})(.*)", re.DOTALL)
_ESCAPED = re.compile(r"([ \t]*)\\+")
_LINES = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")


class Parts:
    """The three parts of a body. Equal by value."""

    __slots__ = ("how_to_apply", "statement", "why")

    def __init__(self, statement: str = "", why: str = "", how_to_apply: str = "") -> None:
        self.statement = statement
        self.why = why
        self.how_to_apply = how_to_apply

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Parts) and all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    __hash__ = None  # type: ignore[assignment]  # a value to look at, not a key

    def __repr__(self) -> str:
        return f"Parts({self.statement!r}, {self.why!r}, {self.how_to_apply!r})"


def label(line: str) -> tuple[str, int] | None:
    """Whether a line starts with a label: "why" or "how_to_apply", and how long the label is."""
    found = _LABEL.match(line)
    return ("why" if found[2] else "how_to_apply", found.end()) if found else None


def fenced(lines: Sequence[str]) -> list[bool]:
    """Which lines belong to a code block. A fence that nothing closes opens none. Linear in the number of lines."""
    marks = [_mark(line) if "```" in line or "~~~" in line else None for line in lines]
    if not any(marks):
        return [False] * len(lines)
    longest_behind: list[dict[str, int]] = []       # per line: the longest closing fence of each kind from here on
    longest: dict[str, int] = {}
    for mark in reversed(marks):
        if mark and mark[2]:
            longest = longest | {mark[0]: max(mark[1], longest.get(mark[0], 0))}
        longest_behind.append(longest)
    longest_behind.reverse()
    flags = [False] * len(lines)
    opened: tuple[str, int] | None = None
    for i, mark in enumerate(marks):
        if opened:
            flags[i] = True
            if mark and mark[2] and mark[0] == opened[0] and mark[1] >= opened[1]:
                opened = None
        elif mark and i + 1 < len(lines) and longest_behind[i + 1].get(mark[0], 0) >= mark[1]:
            flags[i] = True
            opened = mark[:2]
    return flags


def _mark(line: str) -> tuple[str, int, bool] | None:
    """A code fence: its character, its length, whether it can close a block (nothing stands behind it)."""
    found = _FENCE.match(line)
    if not found or (found[1][0] == "`" and "`" in found[2]):
        return None
    return found[1][0], len(found[1]), not found[2].strip()


def is_fence(line: str) -> bool:
    """Whether a line could open or close a code block."""
    return _mark(line) is not None


def split(text: str) -> Parts:
    """The parts of a body."""
    return _parts(_segments(unified(text)))


def join(parts: Parts, labels: tuple[str, str] = BOLD, between: str = "\n\n") -> str:
    """A body with these parts: the statement, then what there is of the others under its label."""
    written = (_rendered(name, tidy(getattr(parts, name)), labels) for name in NAMES)
    return between.join(text for text in written if text)


def replace(text: str, parts: Parts, labels: tuple[str, str] = BOLD, eol: str = "\n") -> str:
    """``text`` (as it stands in a file, blank lines around it included) with other parts.

    A part that already says so keeps its bytes, and so does the way a label was written.
    """
    segments = _segments(text)
    old = _parts(segments)
    for name in NAMES:
        new = tidy(getattr(parts, name))
        if new != getattr(old, name):
            _put(segments, name, new, labels, eol)
    changed = "".join(raw for _, raw in segments)
    if split(changed) == Parts(*(tidy(getattr(parts, name)) for name in NAMES)):
        return changed
    return eol + join(parts, labels).replace("\n", eol) + eol      # the old text does not let itself be spliced


def escape(text: str) -> str:
    """``text`` with a backslash before each line that would be read as something else than text."""
    lines = text.split("\n")
    flags = fenced(lines)
    return "\n".join(_escape(line) if not flag else line for line, flag in zip(lines, flags, strict=True))


def unescape(text: str) -> str:
    """The reverse of ``escape``."""
    if "\\" not in text:
        return text
    lines = text.split("\n")
    flags = fenced(lines)
    return "\n".join(_unescape(line) if not flag else line for line, flag in zip(lines, flags, strict=True))


def _is_special(line: str) -> bool:
    return _LABEL.match(line) is not None or is_fence(line)


def _escape(line: str) -> str:
    found = _ESCAPED.match(line)
    if not _is_special(line[found.end() :] if found else line):
        return line
    at = len(line) - len(line.lstrip(" \t"))
    return f"{line[:at]}\\{line[at:]}"


def _unescape(line: str) -> str:
    found = _ESCAPED.match(line)
    if not found or not _is_special(line[found.end() :]):
        return line
    at = found.end(1)
    return line[:at] + line[at + 1 :]


def _segments(text: str) -> list[tuple[str, str]]:
    """The text cut before its labels: (part, lines as they stand). The first is always the statement."""
    lines = _LINES.findall(text)
    flags = fenced(lines)
    segments: list[tuple[str, str]] = []
    name, start = "statement", 0
    for i, line in enumerate(lines):
        found = None if flags[i] else label(line)
        if found and all(found[0] != seen for seen, _ in [*segments, (name, "")]):
            segments.append((name, "".join(lines[start:i])))
            name, start = found[0], i
    return [*segments, (name, "".join(lines[start:]))]


def _parts(segments: Sequence[tuple[str, str]]) -> Parts:
    parts = Parts()
    for name, raw in segments:
        raw = unified(raw)
        found = label(raw) if name != "statement" else None
        first, end, rest = raw[found[1] if found else 0 :].partition("\n")
        # What stands behind a label on its line is no line of its own: nothing there was escaped.
        text = first + end + unescape(rest) if found else unescape(raw)
        setattr(parts, name, tidy(text))
    return parts


def _rendered(name: str, text: str, labels: tuple[str, str]) -> str:
    if name == "statement" or not text:
        return escape(text)
    return _labelled(labels[0] if name == "why" else labels[1], text)


def _labelled(prefix: str, text: str) -> str:
    """A part under its label. One that begins with a code block starts on the next line, or its fence would be none."""
    if is_fence(text.partition("\n")[0]):
        return f"{prefix.rstrip()}\n{escape(text)}"
    first, end, rest = text.partition("\n")
    return prefix + first + end + escape(rest)


def _put(segments: list[tuple[str, str]], name: str, new: str, labels: tuple[str, str], eol: str) -> None:
    """Change, add or remove one segment; the blank lines around it stay."""
    place = next((i for i, (seen, _) in enumerate(segments) if seen == name), None)
    if place is None:
        place = next((i for i, (seen, _) in enumerate(segments) if seen == "how_to_apply"), len(segments))
        before = segments[place - 1][1]
        bare = before.rstrip()
        gap = before[len(bare) :] if unified(before[len(bare) :]).count("\n") > 1 or not bare else eol * 2
        tail = gap if place < len(segments) else before[len(bare) :] if bare else eol
        segments[place - 1] = (segments[place - 1][0], bare + gap)
        segments.insert(place, (name, _rendered(name, new, labels).replace("\n", eol) + tail))
        return
    raw = segments[place][1]
    bare = raw.rstrip()
    if name == "statement":
        before = raw[: len(raw) - len(raw.lstrip())] if bare else eol
        behind = raw[len(bare) :] if bare else (eol * 2 if len(segments) > 1 else eol)
        segments[place] = (name, before + escape(new).replace("\n", eol) + behind if new else before)
    elif new:
        found = label(raw)
        assert found is not None
        prefix = raw[: found[1]]
        prefix = prefix if prefix[-1:] in " \t" else f"{prefix} "
        segments[place] = (name, _labelled(prefix, new).replace("\n", eol) + raw[len(bare) :])
    else:
        del segments[place]
        if place == len(segments) and place:        # the last part gone: the file ends as it did
            last, text = segments[place - 1]
            segments[place - 1] = (last, text.rstrip() + raw[len(bare) :] if text.strip() else text)
