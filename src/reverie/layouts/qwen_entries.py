"""Several memories in one file: where each entry stands in the text (spec/qwen-code §4), so that one can change alone.

Qwen Code opens an entry at every bullet and at every further line of prose, code included, and renders what is left
after ``/forget`` without bullets. Read here is what it writes, and what agents mean: a bullet with the lines indented
under it, or a paragraph, with its own ``Why:`` and ``How to apply:``; a code block belongs to the entry around it.

A file holds several entries when its text says so: bullets and nothing else, or labels that occur more than once. Any
other text is one memory, however many paragraphs it has: most files are, and product and study mean them to be. Where a
text of ours would be taken for the other kind, the frontmatter key ``entries`` says ``one`` or ``several``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from reverie.core import parts
from reverie.core.parts import PLAIN, Parts

PLACEHOLDER = "_No entries yet._"

_LINES = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_BULLET = re.compile(r"[-*](?:[ \t]+|(?=[\r\n]|\Z))")
_BLANK_LINES = re.compile(r"\A(?:[ \t]*(?:\r\n|\r|\n))+")
_GAP_BEHIND = re.compile(r"(?:\r\n|\r|\n)[ \t]*(?:\r\n|\r|\n)\Z")
_HEADING = re.compile(r"#{1,6}(?:[ \t]|[\r\n]|\Z)")


class Entry:
    """One entry: its place in the text, whether it is a bullet, and what it says."""

    __slots__ = ("bullet", "parts", "start", "stop")

    def __init__(self, start: int, stop: int, bullet: bool, said: Parts) -> None:
        self.start = start
        self.stop = stop            # behind the line end of its last line
        self.bullet = bullet
        self.parts = said


def are_several(text: str) -> bool:
    """Whether this text, as it stands behind a frontmatter, reads as entries."""
    lines = _LINES.findall(text)
    flags = parts.fenced(lines)
    kinds = [_kind(line, flag) for line, flag in zip(lines, flags, strict=True)]
    labels = [found[0] for line, flag in zip(lines, flags, strict=True) if not flag and (found := parts.label(line))]
    if labels.count("why") > 1 or labels.count("how_to_apply") > 1:
        return True
    first = next((kind for kind in kinds if kind not in ("blank", "heading")), "")
    return first == "bullet" and "prose" not in kinds and "label" not in kinds


def find(text: str) -> list[Entry]:
    """The entries of a text that holds several."""
    lines = _LINES.findall(text)
    flags = parts.fenced(lines)
    spans: list[tuple[int, int, bool]] = []         # first line, line behind the last, bullet
    opened = False
    for i, (line, flag) in enumerate(zip(lines, flags, strict=True)):
        kind = _kind(line, flag)
        if kind == "heading":
            opened = False
        if kind in ("blank", "heading"):
            continue
        adjacent = opened and spans[-1][1] == i
        if opened and (kind in ("inside", "label") or (kind == "prose" and adjacent)):
            first, _, bullet = spans[-1]
            spans[-1] = (first, i + 1, bullet)
        else:
            spans.append((i, i + 1, kind == "bullet"))
            opened = True
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    return [
        Entry(starts[first], starts[last], bullet, _said(lines[first:last], bullet)) for first, last, bullet in spans
    ]


def _kind(line: str, fenced: bool) -> str:
    """What a line is to the entries: blank, heading, bullet, label, inside (indented, or code), prose."""
    bare = line.strip()
    if fenced or (bare and line[0] == "\t") or (bare and line.startswith("  ")):
        return "inside"
    if not bare:
        return "blank"
    if _HEADING.match(line) or bare == PLACEHOLDER:
        return "heading"
    if parts.label(line):
        return "label"
    return "bullet" if _BULLET.match(line) else "prose"


def _said(lines: Sequence[str], bullet: bool) -> Parts:
    if not bullet:
        return parts.split("".join(lines))
    found = _BULLET.match(lines[0])
    first = lines[0][found.end() if found else 0 :]
    return parts.split(first + "".join(_outdented(line) for line in lines[1:]))


def _outdented(line: str) -> str:
    if line.startswith("\t"):
        return line[1:]
    return line[min(2, len(line) - len(line.lstrip(" "))) :]


def rendered(said: Parts, eol: str = "\n", *, bullet: bool = True) -> str:
    """One entry as text, with its line end. A paragraph is only possible where it would be read as one entry."""
    if not bullet:
        text = parts.join(said, PLAIN) + "\n"
        alone = find(text)
        if len(alone) == 1 and not alone[0].bullet and alone[0].parts == said:
            return text.replace("\n", eol)
    first, *rest = parts.join(said, PLAIN, between="\n").split("\n")
    if not said.statement or parts.is_fence(first):     # behind a bullet it would be no label, and no fence
        first, rest = "", [first, *rest]
    return eol.join([f"- {first}", *(f"  {line}" if line else "" for line in rest)]) + eol


def replaced(text: str, changes: dict[int, Parts | None], added: Sequence[Parts], eol: str) -> str:
    """``text`` with some entries changed or removed and others added behind the last; every other byte stays."""
    entries = find(text)
    for number in sorted(changes, reverse=True):
        entry, said = entries[number], changes[number]
        if said is not None:
            new = rendered(said, eol, bullet=entry.bullet)
            ended = text[entry.start : entry.stop].endswith(("\r", "\n"))
            text = text[: entry.start] + (new if ended else new.removesuffix(eol)) + text[entry.stop :]
        else:
            text = _without(text, entry)
    for said in added:
        text = _with(text, said, eol)
    return text


def _without(text: str, entry: Entry) -> str:
    """The text without an entry and without one of the gaps around it."""
    before, behind = text[: entry.start], text[entry.stop :]
    if behind.strip():
        after_gap = not before.strip() or _GAP_BEHIND.search(before) is not None
        return before + (_BLANK_LINES.sub("", behind, count=1) if after_gap else behind)
    bare = before.rstrip()
    ended = text[entry.start : entry.stop]
    return bare + ended[len(ended.rstrip("\r\n")) :] + behind if bare else before + behind


def _with(text: str, said: Parts, eol: str) -> str:
    """The text with one more entry, directly behind the last bullet, or a blank line behind anything else."""
    entries = find(text)
    if not entries:
        gap = "" if not text or text.endswith((eol * 2, "\n\n")) or not text.strip() else eol
        return text + gap + rendered(said, eol)
    at = entries[-1].stop
    before = text[:at] if text[:at].endswith(("\r", "\n")) else text[:at] + eol
    gap = "" if entries[-1].bullet else eol
    return before + gap + rendered(said, eol) + text[at:]
