"""What can be wrong with the index of a product's folder, ``MEMORY.md`` (spec/claude-code §4)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from reverie.core import budget, product_index, redact
from reverie.core.checkup import INDEX, Finding, Look, Severity
from reverie.core.claims import Claim
from reverie.core.index import unpercent
from reverie.core.memory import Memory
from reverie.core.product_index import CAPS, Pointer
from reverie.core.text import tokens

LONG_LINE_UNITS = 200               # the client's own warning names this (§4.2)
NEAR = 0.8                          # of a cap: where the client begins to warn (§4.3)
PROSE_LINES, PROSE_CHARACTERS = 5, 400      # of text that is no pointer: an introduction is shorter
SHARED = 0.4                        # of the shorter text's words: then two texts say the same
NAMED_FEW = 5                       # entries that a finding names
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|#|/")


def resolve(target: str, paths: Mapping[str, object] | frozenset[str], *, start: str = "") -> str | None:
    """The file of the folder that a link means; the link itself when there is no such file; None when it leads elsewhere.

    ``start`` is the file in which the link stands.
    """
    bare = target.strip("<>").partition("#")[0].partition("?")[0]
    if not bare or _ADDRESS.match(target) or "\\" in bare:
        return None
    for written in (bare, unpercent(bare)):
        path = _joined(start, written)
        if path is None or path in paths:
            return path
    return _joined(start, unpercent(bare))


def _joined(start: str, target: str) -> str | None:
    """A relative path as one of the folder; None when it leads out of it."""
    parts = start.split("/")[:-1]
    for part in target.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts) or None


def missing(seen: Look) -> Iterator[Finding]:
    """Memories without an index: nothing of them is shown before the client makes one (§4.4)."""
    if seen.index is None and seen.memories and INDEX not in seen.paths():
        yield Finding(
            check="index_missing", severity=Severity.WARNING, path=INDEX, mendable=True,
            says=f"there is no index; {len(seen.memories)} memories are shown to no session until the client makes one",
            mend="write one line for each memory, newest first",
        )


def links(seen: Look) -> Iterator[Finding]:
    """Lines that point to no file."""
    paths = seen.paths()
    for each in seen.pointers:
        path = resolve(each.target, paths)
        if path is not None and path not in paths:
            yield Finding(
                check="index_link", severity=Severity.BROKEN, path=INDEX, line=each.line, mendable=True,
                says=f"the line {discreet(each.title)!r} points to {path!r}, which is not there", mend="take the line out",
            )


def twice(seen: Look) -> Iterator[Finding]:
    """Two lines for one file."""
    first: dict[str, Pointer] = {}
    for each in seen.pointers:
        path = resolve(each.target, seen.files)
        if path is None or path not in seen.files:
            continue
        if path in first:
            yield Finding(
                check="index_twice", severity=Severity.WARNING, path=INDEX, line=each.line, mendable=True,
                says=f"{path!r} has a line already (line {first[path].line})", mend="keep the first of the two lines",
            )
        else:
            first[path] = each


def drift(seen: Look) -> Iterator[Finding]:
    """A line that says something else than the file it points to (study, Claude Code §6)."""
    memories = {memory.id: memory for memory in seen.memories}
    for each in seen.pointers:
        path = resolve(each.target, seen.files) or ""
        memory = memories.get(path)
        if memory is None:
            continue
        said = drifted(each, memory)
        if said:
            yield Finding(
                check="index_drift", severity=Severity.WARNING, path=INDEX, line=each.line, mendable=True,
                says=f"{said} (in {path!r})", mend="render the line from the file's frontmatter",
            )


def drifted(each: Pointer, memory: Memory) -> str:
    """What a line and its file say differently, both texts shown; "" when they say the same."""
    if each.hook and memory.description and not agree(each.hook, memory.description, memory):
        return f"the line says {discreet(each.hook)!r}, the description {discreet(memory.description)!r}"
    known = f"{memory.id} {memory.text}"
    if each.title.casefold() in known.casefold():
        return ""
    if _words(each.title) and not _words(each.title) & _words(known):
        return f"the line is titled {discreet(each.title)!r}, the memory is named {discreet(memory.name)!r}"
    return ""


def agree(hook: str, description: str, memory: Memory) -> bool:
    """Whether two short texts say the same: one is the other or its beginning, or enough words are shared and neither names
    a value that the memory does not have."""
    one, other = _plain(hook), _plain(description)
    if one.startswith(other) or other.startswith(one):
        return True
    mine, theirs = _words(hook), _words(f"{description} {memory.name}")
    if not mine or not theirs:
        return True             # nothing to compare by
    if mine.isdisjoint(theirs) or _values(hook) - _values(memory.text):
        return False
    return len(mine & theirs) >= SHARED * min(len(mine), len(_words(description)) or len(theirs))


def _plain(text: str) -> str:
    """Letters and digits alone, in lower case, without the mark of a cut."""
    return "".join(character for character in text.casefold() if character.isalnum())


def _words(text: str) -> frozenset[str]:
    return frozenset(tokens(text.replace("_", " ").replace("-", " ")))


def _values(text: str) -> set[tuple[str, str]]:
    """What a text names exactly: numbers, places, tools, dates; names of people aside, which capitals only seem to tell."""
    return {(mark.kind, mark.key) for mark in Claim(Memory(name="", body=text)).head if mark.kind and mark.kind != "name"}


def orphans(seen: Look) -> Iterator[Finding]:
    """Memories that no line leads to: no session knows of them."""
    if seen.index is None:
        return
    reached = reachable(seen)
    for memory in seen.memories:
        if memory.id not in reached:
            yield Finding(
                check="orphan", severity=Severity.WARNING, path=memory.id, mendable=True,
                says="no line of the index leads to it, so no session knows of it", mend="give it a line",
            )


_LINK = re.compile(r"\]\(([^()\s]{1,300}(?:\([^()\s]{0,100}\)[^()\s]{0,200})?)\)")


def reachable(seen: Look) -> frozenset[str]:
    """The files that the index leads to, by lines in it or by links in files that it leads to."""
    found: set[str] = set()
    waiting = [path for target in _targets(seen.index or "") if (path := resolve(target, seen.files))]
    while waiting:
        path = waiting.pop()
        document = seen.documents.get(path)
        if path in found or document is None:
            continue
        found.add(path)
        waiting += [inner for target in _targets(document.text) if (inner := resolve(target, seen.files, start=path))]
    return frozenset(found)


def _targets(text: str) -> list[str]:
    return [*(match[1] for match in _LINK.finditer(text)), *product_index.claude_pointed(text)]


def caps(seen: Look) -> Iterator[Finding]:
    """What the client cuts off when it loads the index, or soon will (§4.2, §4.3)."""
    if seen.index is None:
        return
    cut = product_index.claude_loaded(seen.index)
    if not cut.whole:
        shown = product_index.claude_pointed(cut.text)
        hidden = [each.target for each in seen.pointers if each.target not in shown]
        named = ", ".join(hidden[:NAMED_FEW]) + (f" and {len(hidden) - NAMED_FEW} more" if len(hidden) > NAMED_FEW else "")
        yield Finding(
            check="index_cut", severity=Severity.BROKEN, path=INDEX, mendable=True,
            says=f"the client loads only a part of it, {CAPS.lines} lines and {CAPS.utf16} characters at most; "
                 + (f"no session sees {discreet(named)}" if hidden else "the end is cut off"),
            mend="shorten the lines, move the least important ones into a file of their own",
        )
        return
    lines, units = cut.text.count("\n") + 1, budget.utf16_units(cut.text)
    if lines >= NEAR * (CAPS.lines or 0) or units >= NEAR * (CAPS.utf16 or 0):
        yield Finding(
            check="index_full", severity=Severity.WARNING, path=INDEX, mendable=True,
            says=f"{lines} of {CAPS.lines} lines and {units} of {CAPS.utf16} characters are used: what comes behind will not be "
                 "seen",
            mend="shorten the lines, move the least important ones into a file of their own",
        )


def long_lines(seen: Look) -> Iterator[Finding]:
    """Lines that are no pointers any more but memories (§4.2: the client warns from about 200 on)."""
    if seen.index is None:
        return
    for number, line in enumerate(seen.index.split("\n"), 1):
        units = budget.utf16_units(line)
        found = product_index.pointer(line) if units > LONG_LINE_UNITS else None
        if found:
            yield Finding(
                check="index_long_line", severity=Severity.WARNING, path=INDEX, line=number, mendable=True,
                says=f"the line {discreet(found.title)!r} is {units} characters long; an entry is one line under "
                     f"{LONG_LINE_UNITS}", mend="shorten it, or render it from the file's frontmatter",
            )


def bodies(seen: Look) -> Iterator[Finding]:
    """Memories written into the index itself (spec/claude-code §17, #41671)."""
    lines = prose(seen.index or "")
    if len(lines) >= PROSE_LINES or sum(len(line) for line in lines.values()) >= PROSE_CHARACTERS:
        yield Finding(
            check="index_body", severity=Severity.WARNING, path=INDEX, line=next(iter(lines)), mendable=True,
            says=f"{len(lines)} lines of text that point nowhere stand in it; the index holds one line for each memory",
            mend="move the text into a memory file of its own",
        )


def prose(index: str) -> dict[int, str]:
    """The lines of an index that are no pointers, no headings and no comments, by number."""
    stripped = Counter(product_index.claude_stripped(index).split("\n"))
    found: dict[int, str] = {}
    for number, line in enumerate(index.split("\n"), 1):
        bare = line.rstrip("\r")
        says_something = stripped[bare] and bare.strip(" \t-=*_") and not re.match(r"\s{0,3}#{1,6}\s|<!--", bare)
        if says_something and product_index.pointer(bare) is None:
            found[number] = bare
    return found


def discreet(text: str) -> str:
    """A text as a report may show it: one short line, no credential."""
    return budget.clip(redact.redact(" ".join(text.split())).text, 160).text


CHECKS = (missing, links, twice, drift, orphans, caps, long_lines, bodies)
