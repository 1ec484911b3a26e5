"""``MEMORY.md`` as present products write it and load it, to the character.

Claude Code 2.1 (spec/claude-code §4): the file is the agent's; it is cut when it is loaded. Qwen Code 0.24
(spec/qwen-code §5): the file is generated and cut, and cut again when it is loaded. Both count UTF-16 units where their
constants say bytes.
"""

from __future__ import annotations

import re

from reverie.core import budget
from reverie.core.budget import JS_SPACE, UTF16, Budget, Cut
from reverie.core.header import find
from reverie.core.index import link, percent
from reverie.core.parts import fenced
from reverie.core.scalar import unified

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

CAPS = Budget(lines=200, utf16=25_000)
LINE_UNITS = 150                    # both products: a generated line
QWEN_FIELD_UNITS = 120              # a title or description in a generated line
QWEN_PATH_CHARACTERS = 120
REBUILT = Budget(lines=140, utf16=17_500)       # Claude Code §4.4: 70 % of the caps
EXCERPT_UNITS = 80
_NEAR = Budget(lines=159, utf16=19_999)         # §4.3: 80 % of the caps and more is near

QWEN_CUT = (
    "> WARNING: MEMORY.md is too large; only part of it was written. "
    "Keep index entries concise and move detail into topic files."
)
_ADVICE = "Keep index entries to one line under ~200 chars; move detail into topic files."
_DASH = " — "
# Removed from titles and descriptions: characters without width, and those that turn the reading direction.
_INVISIBLE = dict.fromkeys([*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0x061C, 0xFEFF])
_CONTROLS = dict.fromkeys([*range(0x20), *range(0x7F, 0xA0)], " ")
_PATH_KEPT = frozenset("/ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._~-")


# -- Claude Code -------------------------------------------------------------------------------------------------------


def claude_line(title: str, path: str, hook: str) -> str:
    """One pointer: ``- [Title](file.md) — hook`` (§4.1), cut to 150 units as the client cuts its own (§4.4).

    A link that is longer than that stands alone.
    """
    pointer = f"- [{_folded(title)}]({_folded(path)})"
    words = _folded(hook)
    if not words or budget.utf16_units(pointer) >= LINE_UNITS:
        return pointer
    return budget.clip(f"{pointer}{_DASH}{words}", LINE_UNITS, unit=UTF16, space=JS_SPACE).text


def _folded(text: str) -> str:
    return " ".join(text.split())


def claude_rebuild(files: Iterable[tuple[str, str]]) -> str:
    """The index that the client makes when there is none (§4.4), from (path, description), newest first."""
    lines = []
    for path, description in files:
        name = path.rpartition("/")[2].removesuffix(".md")
        lines.append(claude_line(name, path, description))
    return budget.first_lines("\n".join(lines), REBUILT).text


def claude_loaded(text: str, *, tells: bool = True) -> Cut:
    """What a session sees of an index (§4.2): cleaned, cut, with the client's warning when something was cut off.

    ``tells`` is 2.1.332's, which says what was cut off; 2.1.197 only says that it was, and keeps carriage returns.
    """
    text = _cleaned(text) if tells else claude_stripped(text.removeprefix("\ufeff"))
    cut = budget.first_lines(text, CAPS)
    if cut.whole:
        return cut
    lines, units = text.count("\n") + 1, budget.utf16_units(text)
    size, limit = _size(units), _size(CAPS.utf16 or 0)
    too_many, too_long = lines > (CAPS.lines or 0), units > (CAPS.utf16 or 0)
    if too_many and too_long:
        reason = f"{lines} lines and {size}"
    elif too_many:
        reason = f"{lines} lines (limit: {CAPS.lines})"
    else:
        reason = f"{size} (limit: {limit}) — index entries are too long"
    loaded = f"Only part of it was loaded: {_lost(text, cut)}." if tells else "Only part of it was loaded."
    cut.text = f"{cut.text}\n\n> WARNING: MEMORY.md is {reason}. {loaded} {_ADVICE}"
    return cut


def _lost(text: str, cut: Cut) -> str:
    """What was cut off, in the client's words."""
    kept = cut.text.count("\n") + 1
    if not text.startswith("\n", len(cut.text)):
        return f"everything after the first {CAPS.utf16} characters of line {kept} was cut off"
    first = text[len(cut.text) + 1 :].partition("\n")[0]
    excerpt = budget.clip(first, EXCERPT_UNITS, unit=UTF16).text
    return f'{cut.lines} of {text.count(chr(10)) + 1} lines were cut off, starting at line {kept + 1} ("{excerpt}")'


def claude_guard(text: str) -> str:
    """What the agent that just wrote this index is told about its size (§4.3); "" below 80 % of both caps.

    What counts is the form that a session loads. Over a cap it is said at every write, also at one that made it shorter.
    """
    text = _cleaned(text)
    lines, units = text.count("\n") + 1, budget.utf16_units(text)
    if _NEAR.fits(text):
        return ""
    cap = CAPS if not CAPS.fits(text) else _NEAR
    if lines > (cap.lines or 0):
        found, limit, target = f"{lines} lines", f"{CAPS.lines}-line", f"{REBUILT.lines} lines"
    else:
        found, limit, target = _size(units), _size(CAPS.utf16 or 0), _size(REBUILT.utf16 or 0)
    if cap is CAPS:
        return (
            f"Error: this write left the memory index at MEMORY.md at {found}, over its {limit} read limit. The file was "
            f"written, but whatever lies beyond the limit is dropped each time it is loaded. Rewrite it to under {target} now: "
            "keep one line per entry, move detail into topic files, and merge or drop stale entries."
        )
    return (
        f"The memory index at MEMORY.md is {found}, approaching the {limit} read limit. Compact it to under {target} now: keep "
        "one line per entry, move detail into topic files, and merge or drop stale entries."
    )


def _size(units: int) -> str:
    return f"{_kilobytes(units).removesuffix('.0')}KB"


def _kilobytes(units: int) -> str:
    """Units / 1024 with one decimal, halves upward as JavaScript rounds."""
    tenths = (units * 10 + 512) // 1024
    return f"{tenths // 10}.{tenths % 10}"


def _cleaned(text: str) -> str:
    return claude_stripped(unified(text.removeprefix("\ufeff")))


def claude_stripped(text: str) -> str:
    """The text without frontmatter and without HTML comments that start a line outside of code, trimmed.

    As captured: of a comment over several lines what stands behind its end stays; an indented one is left alone.
    """
    found = find(text) if text.startswith("---") else None
    if found and found.closed:
        text = text[found.body :]
    if "<!--" not in text:
        return text.strip(JS_SPACE)
    lines = text.split("\n")
    kept: list[str] = []
    hidden = False                  # inside a comment over several lines
    last = text.rfind("-->")
    at = 0
    for line, in_code in zip(lines, fenced(lines), strict=True):
        start, at = at, at + len(line) + 1
        if hidden or (line.startswith("<!--") and not in_code and start < last):
            _, end, line = line.partition("-->")
            hidden = not end
            if hidden:
                continue
        kept.append(line)
    return "\n".join(kept).strip(JS_SPACE)


def claude_spliced(text: str, put: Mapping[str, str], remove: Collection[str]) -> str:
    """A hand-kept index with only our lines changed: pointers to ``put`` replaced or added, those to ``remove`` gone.

    A new line goes behind the last pointer, or, where the caps would hide it there, before the first.
    """
    eol = "\r\n" if "\r\n" in text else "\n"
    names = {link(path): path for path in (*put, *remove)}
    kept: list[str] = []
    pending = dict(put)
    pointers: list[int] = []
    for line in text.split("\n"):
        target = _target(line)
        if target is not None:
            target = names.get(target, target)
            if target in remove:
                continue
            pointers.append(len(kept))
            if target in pending:
                line = pending.pop(target) + ("\r" if line.endswith("\r") else "")
        kept.append(line)
    added = [line + eol[:-1] for line in pending.values()]
    if not added:
        return "\n".join(kept)
    if not pointers:
        body = "\n".join(kept)
        gap = "" if not body or body.endswith("\n") else eol
        return body + gap + "\n".join(added) + "\n"
    at = pointers[-1] + 1
    if at == len(kept) and not kept[-1].endswith("\r"):     # the last line has no end yet
        kept[-1] += eol[:-1]
        added[-1] = added[-1].removesuffix("\r")
    grown = "\n".join([*kept[:at], *added, *kept[at:]])
    if CAPS.fits(unified(grown).strip()):
        return grown
    at = pointers[0]
    return "\n".join([*kept[:at], *added, *kept[at:]])


def claude_pointed(text: str) -> set[str]:
    """The files that an index points to, as its lines write them."""
    return {target for line in text.split("\n") if (target := _target(line)) is not None}


def claude_name(name: str) -> str:
    """The ``name`` that the client makes of one at its next edit (§2.3): ``[a-z0-9_-]+`` as it is, else lower case with
    dashes; of Chinese nothing is left."""
    return name if re.fullmatch("[a-z0-9_-]+", name) else re.sub("[^a-z0-9]+", "-", name.lower()).strip("-")


class Pointer:
    """A line of an index that points somewhere: ``- [Title](file.md) — hook``. ``line`` counts from 1."""

    __slots__ = ("hook", "line", "target", "title")

    def __init__(self, line: int, title: str, target: str, hook: str) -> None:
        self.line = line
        self.title = title
        self.target = target
        self.hook = hook

    def __repr__(self) -> str:
        return f"Pointer({self.line}, {self.title!r}, {self.target!r}, {self.hook!r})"


def claude_pointers(text: str) -> list[Pointer]:
    """The pointers of an index, in order."""
    return [found for number, line in enumerate(text.split("\n"), 1) if (found := pointer(line, number)) is not None]


def pointer(line: str, number: int = 1) -> Pointer | None:
    """What a line points to, brackets in the name included; None for a line that is no pointer."""
    bare = line.strip(" \t\r")
    start = bare.find("](") + 2
    if not bare.startswith(("- [", "* [", "+ [")) or start < 2:
        return None
    depth = 1
    for i in range(start, len(bare)):
        depth += (bare[i] == "(") - (bare[i] == ")")
        if not depth:
            hook = bare[i + 1 :].lstrip(" \t-—–:·")
            return Pointer(number, bare[3 : start - 2].strip(), bare[start:i].strip().removeprefix("./"), hook)
    return None


def _target(line: str) -> str | None:
    """The file that an index line points to."""
    found = pointer(line)
    return found.target if found else None


# -- Qwen Code ---------------------------------------------------------------------------------------------------------


def qwen_line(title: str, path: str, description: str, type: str) -> str:
    """``- [title](path) — description`` (§5.1); an empty title or description is the type; at most 150 units."""
    line = f"- [{_qwen_field(title) or type}]({_qwen_path(path)}){_DASH}{_qwen_field(description) or type}"
    return budget.clip(line, LINE_UNITS, unit=UTF16, space=JS_SPACE).text


def _qwen_field(text: str) -> str:
    text = text.translate(_CONTROLS).translate(_INVISIBLE).replace("`", "'").replace("](", "] (")
    return budget.clip(" ".join(text.split()), QWEN_FIELD_UNITS, unit=UTF16, space=JS_SPACE).text


def _qwen_path(path: str) -> str:
    return "".join(part if part in _PATH_KEPT else percent(part) for part in path[:QWEN_PATH_CHARACTERS])


def qwen_built(lines: Sequence[str]) -> Cut:
    """The file that Qwen Code writes (§5.2): lines newest first, cut, with its warning when some do not fit.

    The warning comes on top of the caps, as in the product; there is no final newline.
    """
    cut = budget.first_lines("\n".join(lines), CAPS)
    if not cut.whole:
        cut.text = f"{cut.text}\n\n{QWEN_CUT}"
    return cut


def qwen_loaded(text: str) -> Cut:
    """What a prompt holds of an index (§5.3): checked and cut a second time, which can remove the writer's warning."""
    text = text.strip(JS_SPACE)
    cut = budget.first_lines(text, CAPS)
    if cut.whole:
        return cut
    lines, units = text.count("\n") + 1, budget.utf16_units(text)
    size = f"{_kilobytes(units)} KB"
    too_many, too_long = lines > (CAPS.lines or 0), units > (CAPS.utf16 or 0)
    if too_many and too_long:
        reason = f"{lines} lines and {size}"
    elif too_many:
        reason = f"{lines} lines (limit: {CAPS.lines})"
    else:
        reason = f"{size} (limit: {_kilobytes(CAPS.utf16 or 0)} KB) — index entries are too long"
    cut.text = f"{cut.text}\n\n> WARNING: MEMORY.md is {reason}. Only part of it was loaded. {_ADVICE}"
    return cut


def qwen_team_lines(documents: Iterable[tuple[str, str, str, str]]) -> list[str]:
    """The team index (§5.5) from (title, path, description, type) in path order: equal descriptions share one line."""
    first: dict[str, int] = {}
    found: list[tuple[str, list[str]]] = []
    for title, path, description, type in documents:
        key = " ".join(description.lower().split()).rstrip(".,;:!?。，；：！？ ")
        if key and key in first:
            found[first[key]][1].append(path)
            continue
        first[key] = len(found)
        line = f"- [{_qwen_field(title) or type}]({_qwen_path(path)}){_DASH}{_qwen_field(description) or type}"
        found.append((line, []))
    whole = (line + (f" (also: {', '.join(map(_qwen_path, also))})" if also else "") for line, also in found)
    return [budget.clip(line, LINE_UNITS, unit=UTF16, space=JS_SPACE).text for line in whole]
