"""Mending a product's folder by rule: which files get which bytes. Nothing here touches the disk.

What may become of an index is the product's (spec/claude-code §4.3, §18): one line for each memory, under 140 lines and
17,500 characters, so that the client shows it whole. No memory is ever deleted: what has no room in the index gets a line in
a file that the index leads to, and text that stood in the index gets a file of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from reverie.core import budget, index, product_index, redact
from reverie.core.checkup import INDEX, Look
from reverie.core.checkup_index import (
    LONG_LINE_UNITS,
    NEAR,
    PROSE_CHARACTERS,
    PROSE_LINES,
    drifted,
    prose,
    reachable,
    resolve,
)
from reverie.core.frontmatter import Document, compose, parse
from reverie.core.memory import Memory
from reverie.core.product_index import CAPS, REBUILT, Pointer

NOTES = "index_notes.md"            # where text goes that stood in the index
STAYING = {"user": 0, "feedback": 0, "project": 1, "reference": 2}     # rules and the person stay in sight first


@dataclass(frozen=True, slots=True, kw_only=True)
class Mend:
    """One change: bytes for files, and what it does, for a person. ``masks``: it takes credentials out, for good.

    ``says_the_same``: the files mean what they meant, so they keep their times.
    """

    does: str
    files: Mapping[str, bytes]
    masks: bool = False
    says_the_same: bool = False


Mender = Callable[[Look], Iterator[Mend]]


def secrets(seen: Look) -> Iterator[Mend]:
    """Every credential masked, one file at a time."""
    paths = [*seen.documents, *([INDEX] if INDEX in seen.files else [])]
    for path in paths:
        document = parse(seen.files[path].data)
        masked = redact.redact(document.text)
        if masked.families:
            data = document.with_text(masked.text).data
            yield Mend(does=f"mask {len(masked.families)} credentials in {path}", files={path: data}, masks=True,
                       says_the_same=True)


def fences(seen: Look) -> Iterator[Mend]:
    """A frontmatter that was left open is closed."""
    for path, document in seen.documents.items():
        if "no_closing_fence" in document.problems:
            yield Mend(does=f"close the frontmatter of {path}", files={path: document.closed().data}, says_the_same=True)


def marks(seen: Look) -> Iterator[Mend]:
    """Byte order marks go: the client sees no frontmatter behind one."""
    for path, document in seen.documents.items():
        if document.has_bom and document.is_utf8:
            yield Mend(does=f"take the byte order mark out of {path}", says_the_same=True,
                       files={path: document.with_text(document.text.removeprefix("\ufeff")).data})


def indexes(seen: Look) -> Iterator[Mend]:
    """The index with its lines in order."""
    if seen.index is None and (INDEX in seen.paths() or not seen.memories):
        return
    files = _Index(seen).mended()
    if files:
        yield Mend(does=f"set the lines of {INDEX} right" if seen.index is not None else f"write {INDEX}", files=files)


MENDERS: tuple[Mender, ...] = (secrets, fences, marks, indexes)


class _Index:
    """One index on its way."""

    def __init__(self, seen: Look) -> None:
        self.seen = seen
        self.memories = {memory.id: memory for memory in seen.memories}
        self.more: dict[str, bytes] = {}
        text = seen.index or ""
        self.eol = "\r\n" if "\r\n" in text else "\n"

    def mended(self) -> dict[str, bytes]:
        before = (self.seen.index or "").replace("\r\n", "\n")
        text = self._without_prose(self._lines_right(before))
        text = self._with_orphans(text)
        if self._is_full(text):
            text = self._smaller(text)
        if text == before and not self.more:
            return {}
        data = text.replace("\n", self.eol).encode("utf-8", "surrogateescape")
        return {**self.more, INDEX: data}

    # -- lines

    def _lines_right(self, text: str) -> str:
        """Lines that lead nowhere or stand there twice are gone; what says something else than its file is rendered anew."""
        kept: list[str] = []
        lines_of: set[str] = set()
        paths = self.seen.paths()
        for line in text.split("\n"):
            found = product_index.pointer(line)
            path = resolve(found.target, paths) if found else None
            if found is None or path is None:
                kept.append(line)
            elif path in paths and path not in lines_of:
                lines_of.add(path)
                kept.append(self._line_right(line, found, path))
        return "\n".join(kept)

    def _line_right(self, line: str, found: Pointer, path: str) -> str:
        memory = self.memories.get(path)
        if memory is not None and drifted(found, memory):
            return self._line(memory)
        return self._shorter(line) if budget.utf16_units(line) > LONG_LINE_UNITS else line

    def _shorter(self, line: str) -> str:
        found = product_index.pointer(line)
        path = resolve(found.target, self.seen.files) if found else None
        memory = self.memories.get(path or "")
        if found is None:
            return line
        whole = product_index.claude_line(found.title, found.target, found.hook)
        if memory is not None and memory.description and whole.endswith("…"):
            return self._line(memory, title=found.title)        # its own short words, not the beginning of long ones
        return whole

    def _line(self, memory: Memory, *, title: str = "") -> str:
        hook = memory.description or memory.body.partition("\n")[0]
        hook = redact.redact(hook).text
        line = product_index.claude_line(title or memory.name, memory.id, hook)
        found = product_index.pointer(line)
        if found is None or resolve(found.target, self.seen.files) != memory.id:
            line = product_index.claude_line(index.link(title or memory.name), index.link(memory.id), hook)
        return line

    def _with_orphans(self, text: str) -> str:
        """Memories that no line leads to get one."""
        reached = reachable(replace(self.seen, index=text))
        lines = {memory.id: self._line(memory) for memory in index.counted(self.memories.values()) if memory.id not in reached}
        return product_index.claude_spliced(text, lines, ()) if lines else text

    # -- what is no pointer

    def _without_prose(self, text: str) -> str:
        """Text that stood in the index, moved into a file of its own."""
        found = prose(text)
        if len(found) < PROSE_LINES and sum(map(len, found.values())) < PROSE_CHARACTERS:
            return text
        path = self._free(NOTES)
        # headings that only stood over moved text go with it; they stay in the index as well, where they cost a line
        lines = text.split("\n")
        moved = "\n".join(line for number, line in enumerate(lines, 1) if number in found or _is_heading(line))
        self.more[path] = _file(path, "Text that stood in the index itself, moved here as it was", "project", moved)
        kept = "\n".join(line for number, line in enumerate(lines, 1) if number not in found)
        return product_index.claude_spliced(
            kept, {path: product_index.claude_line("Notes from the index", path, "text that stood in the index itself")}, ())

    # -- size

    def _is_full(self, text: str) -> bool:
        loaded = product_index.claude_loaded(text)
        lines, units = loaded.text.count("\n") + 1, budget.utf16_units(loaded.text)
        return not loaded.whole or lines >= NEAR * (CAPS.lines or 0) or units >= NEAR * (CAPS.utf16 or 0)

    def _smaller(self, text: str) -> str:
        """Short lines first; then no empty ones; then what is worth least goes into files of their own."""
        long = product_index.LINE_UNITS
        lines = [self._shorter(line) if budget.utf16_units(line) > long else line for line in text.split("\n")]
        if REBUILT.fits("\n".join(lines).strip()):
            return "\n".join(lines)
        lines = [line for line in lines if line.strip()]
        if REBUILT.fits("\n".join(lines)):
            return "\n".join(lines) + "\n"
        pointed = [line for line in lines if product_index.pointer(line)]
        return "\n".join(self._grouped(pointed)) + "\n"

    def _grouped(self, lines: list[str]) -> list[str]:
        """The lines that stay, and one line for each file that holds the others."""
        order = sorted(range(len(lines)), key=lambda place: (*self._rank(lines[place]), place))
        room = (REBUILT.lines or 0) - 2 * len(STAYING)
        units = 0
        staying: set[int] = set()
        for place in order:
            units += budget.utf16_units(lines[place]) + 1
            if len(staying) >= room or units > (REBUILT.utf16 or 0) - 2 * len(STAYING) * product_index.LINE_UNITS:
                break
            staying.add(place)
        groups: dict[str, list[str]] = {}
        for place, line in enumerate(lines):
            if place not in staying:
                groups.setdefault(self._type(line), []).append(line)
        kept = [line for place, line in enumerate(lines) if place in staying]
        return [*kept, *(self._group(type, group) for type, group in sorted(groups.items()))]

    def _group(self, type: str, lines: list[str]) -> str:
        """A file that holds lines of one type, and the line that leads to it."""
        path = self._free(f"index_{type}.md")
        self.more[path] = _file(path, f"{len(lines)} further {type} memories, one line each", "reference", "\n".join(lines))
        return product_index.claude_line(f"More: {type}", path, f"{len(lines)} further {type} memories, one line each")

    def _rank(self, line: str) -> tuple[int, float]:
        memory = self._memory(line)
        if memory is None:
            return 3, 0.0
        return STAYING.get(memory.type, 2), -(memory.modified_at.timestamp() if memory.modified_at else 0.0)

    def _type(self, line: str) -> str:
        memory = self._memory(line)
        return memory.type if memory is not None and memory.type in STAYING else "other"

    def _memory(self, line: str) -> Memory | None:
        found = product_index.pointer(line)
        return self.memories.get(resolve(found.target, self.seen.files) or "") if found else None

    def _free(self, path: str) -> str:
        """A name that is not taken."""
        stem, number, taken = path.removesuffix(".md"), 2, {each.casefold() for each in (*self.seen.paths(), *self.more)}
        while path.casefold() in taken:
            path, number = f"{stem}_{number}.md", number + 1
        return path


def _is_heading(line: str) -> bool:
    return line.lstrip(" ").startswith("#")


def _file(path: str, description: str, type: str, body: str) -> bytes:
    name = path.removesuffix(".md").replace("_", "-")
    document: Document = compose([("name", name), ("description", description), ("metadata.type", type)], body)
    return document.data
