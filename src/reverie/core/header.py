"""Where the frontmatter of a text is, and what its keys say: our own reading of lines, which never fails.

What agents write is often not YAML: of real headers nearly half make every YAML library raise (a colon or a quote in a
description is enough). So:

- a value that stands on its line is taken as it stands, ``: ``, `` #`` and brackets included, since agents mean them as
  text; a value in matching quotes is unquoted;
- a value that goes on over further lines is given to PyYAML, and joined by our own rule where PyYAML refuses it;
- the keys inside ``metadata`` are seen as ``metadata.type`` and so on (spec/claude-code §2.3); any other collection is
  one value, kept as written.

Work is linear in the length of the header, and a header is looked for in the first ``MOST_LINES`` lines only.
"""

from __future__ import annotations

import re

from reverie.core.scalar import flow_parts, is_block, quoted_part, several, unified, unquote, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Line = tuple[int, int, int]     # start, end, start of the next

MOST_LINES = 1_000                  # of a header; a longer one is no header but a document between two rules
MOST_CHARACTERS = 131_072           # of a header
MOST_BLANK = 1_000                  # characters before the opening fence

NESTED = "metadata"                 # the one mapping whose keys are read
# Keys that a memory file is known by. They end the value before them even when they are indented by mistake.
TELLING = frozenset(("name", "title", "description", "type", NESTED))

_LINE_END = re.compile(r"\r\n|\r|\n")
_SPACED_KEY = re.compile(
    r"""(?:"([^"\r\n]{0,200})"|'([^'\r\n]{0,200})'|([A-Za-z0-9_$.\u0080-\U0010ffff][^:\r\n]{0,200}?))"""
    r"[ \t]{0,8}:(?=[ \t\r\n]|\Z)"
)
_TIGHT_KEY = re.compile(r"([A-Za-z_][A-Za-z0-9_.-]{0,100}):")
_ITEMS = ("- ", "-\n", "-\r", "-\t")


class Field:
    """One key of a header: what it says, and where it stands in the text."""

    __slots__ = ("at", "end", "indent", "key", "kind", "raw", "start", "stop", "tight", "value")

    def __init__(self, key: str, *, start: int, at: int, indent: int, tight: bool) -> None:
        self.key = key              # "type", "metadata.type"
        self.value = ""             # as a reader means it, line ends as "\n"
        self.raw = ""               # as written behind the colon, over all its lines
        self.kind = "plain"         # plain | quoted | block | folded | list | map | flow (an item of "{…}")
        self.start = start          # of its first line
        self.at = at                # of the value, directly behind the colon
        self.end = at               # of the value
        self.stop = at              # behind its last line
        self.indent = indent
        self.tight = tight          # no blank behind the colon


class Header:
    """A frontmatter: where it was found, and its fields."""

    __slots__ = ("body", "closed", "fence", "fields", "stop")

    def __init__(self, *, fence: int, stop: int, body: int, closed: bool, fields: list[Field]) -> None:
        self.fence = fence          # start of the opening fence
        self.stop = stop            # behind the last line between the fences
        self.body = body
        self.closed = closed
        self.fields = fields


def find(text: str, start: int = 0) -> Header | None:
    """The frontmatter that ``text`` begins with at ``start``; blank lines may stand before it."""
    at = start
    line = _line(text, at)
    while not text[line[0] : line[1]].strip() and line[2] > line[0] and at - start < MOST_BLANK:
        at = line[2]
        line = _line(text, at)
    if not _is_fence(text, line, closing=False):
        return None
    inner: list[Line] = []
    at = first = line[2]
    while at < len(text) and len(inner) < MOST_LINES and at - first < MOST_CHARACTERS:
        found = _line(text, at)
        if _is_fence(text, found, closing=True):
            fields = _read(text, inner)
            if not any(not field.tight or field.key in TELLING for field in fields) and _has_words(text, inner):
                return None         # prose between two rules
            return Header(fence=line[0], stop=at, body=found[2], closed=True, fields=fields)
        inner.append(found)
        at = found[2]
    return _unclosed(text, line[0], inner)


def _line(text: str, start: int) -> Line:
    end = _LINE_END.search(text, start)
    return (start, end.start(), end.end()) if end else (start, len(text), len(text))


def _is_fence(text: str, line: Line, *, closing: bool) -> bool:
    start, end, _ = line
    if not text.startswith("---", start) and not (closing and text.startswith("...", start)):
        return False
    words = text[start:end].rstrip(" \t")
    return words == "---" or (closing and (words == "..." or not words.strip("-")))


def _has_words(text: str, lines: Sequence[Line]) -> bool:
    """Whether there is anything on these lines but blanks and comments."""
    return any(words and words[0] != "#" for start, end, _ in lines if (words := text[start:end].strip()))


def _unclosed(text: str, fence: int, lines: Sequence[Line]) -> Header | None:
    """A header whose closing fence was forgotten: the lines up to the first blank one, if they look like a header."""
    run: list[Line] = []
    for line in lines:
        if not text[line[0] : line[1]].strip() or not (text[line[0]] in " \t#-" or _key(text, line[0])):
            break
        run.append(line)
    if len(run) >= MOST_LINES or (run and run[-1][2] - run[0][0] >= MOST_CHARACTERS):
        return None                     # a fence put behind it would not be found again
    fields = _read(text, run)
    if not any(field.key in ("name", "description", "type") for field in fields):
        return None
    return Header(fence=fence, stop=run[-1][2], body=run[-1][2], closed=False, fields=fields)


def _key(text: str, at: int) -> tuple[str, int, bool] | None:
    """The key at this place: its name, the place behind its colon, whether the value follows without a blank."""
    found = _SPACED_KEY.match(text, at)
    if found:
        return found[1] or found[2] or found[3] or "", found.end(), False
    found = _TIGHT_KEY.match(text, at)
    return (found[1], found.end(), True) if found else None


def _indent(text: str, line: Line) -> int:
    """How far a line is indented; -1 for a blank one."""
    words = text[line[0] : line[1]]
    bare = words.lstrip(" \t")
    return len(words) - len(bare) if bare.strip() else -1


def _read(text: str, lines: Sequence[Line], outer: str = "") -> list[Field]:
    """The fields on these lines, or of the mapping ``outer``. Lines that belong to none are passed over."""
    fields: list[Field] = []
    base = next((deep for line in lines if (deep := _indent(text, line)) >= 0 and text[line[0] + deep] != "#"), 0)
    i = 0
    while i < len(lines):
        indent = _indent(text, lines[i])
        at = lines[i][0] + max(indent, 0)
        found = _key(text, at) if indent >= 0 and text[at] != "#" else None
        if found is None or (indent > base and found[0] not in TELLING):
            i += 1
            continue
        last = _last_line(text, lines, i, indent, found[1])
        name, behind, tight = found
        field = Field(f"{outer}.{name}" if outer else name, start=lines[i][0], at=behind, indent=indent, tight=tight)
        fields.append(field)
        fields += _fill(text, lines[i : last + 1], field)
        i = last + 1
    return fields


def _last_line(text: str, lines: Sequence[Line], first: int, indent: int, at: int) -> int:
    """The last line that belongs to the value which starts at ``at`` on line ``first``."""
    opening = text[at : lines[first][1]].strip()
    if quoted_part(opening)[1]:
        return first
    wrapped = bool(opening) and not is_block(opening)
    last = first
    for i in range(first + 1, len(lines)):
        deep = _indent(text, lines[i])
        if deep < 0:
            continue
        start = lines[i][0] + deep
        if deep < indent or (deep == indent and text[start] == "#"):
            break
        if deep > indent:
            key = _key(text, start) if wrapped else None
            if key and key[0] in TELLING:
                break               # a key that was indented by mistake
        elif wrapped:               # text that was broken without indentation goes on; a key, or a gap, ends it
            if last < i - 1 or _key(text, start):
                break
        elif opening or not text.startswith(_ITEMS, start):
            break
        last = i
    return last


def _fill(text: str, lines: Sequence[Line], field: Field) -> list[Field]:
    """Read a field's value from its lines; the answer are the fields inside it."""
    first, last = lines[0], lines[-1]
    opening = text[field.at : first[1]].strip()
    field.end = max(field.at, last[0] + len(text[last[0] : last[1]].rstrip()))
    field.stop = last[2]
    field.raw = whole(unified(text[field.at : field.end]).lstrip(" \t"))
    value, quoted = quoted_part(opening)
    if quoted:
        field.kind, field.value = "quoted", whole(value)
        field.end = text.index(opening[0], field.at) + quoted
    elif is_block(opening):
        field.kind, field.value = "block", several(field.raw) if len(lines) > 1 else ""
    elif opening and len(lines) > 1:
        field.kind, field.value = "folded", several(field.raw)
    elif opening:
        field.value = whole(opening)
        return _flow(field)
    elif len(lines) > 1:
        return _indented(text, lines, field)
    return []


def _indented(text: str, lines: Sequence[Line], field: Field) -> list[Field]:
    """A value that starts on the line behind its key: a list, a mapping, or text."""
    start = next(line[0] + deep for line in lines[1:] if (deep := _indent(text, line)) >= 0)
    field.value = field.raw.strip()
    if text.startswith(_ITEMS, start):
        field.kind = "list"
    elif _SPACED_KEY.match(text, start):
        field.kind = "map"
        return _read(text, lines[1:], outer=field.key) if field.key == NESTED else []
    else:
        field.kind, field.value = "folded", several(field.raw)
    return []


def _flow(outer: Field) -> list[Field]:
    """The items of ``metadata: {a: b, c: d}``: readable; to change one, the mapping is written out in lines."""
    fields: list[Field] = []
    if outer.key == NESTED and outer.value.startswith("{") and outer.value.endswith("}"):
        for part in flow_parts(outer.value[1:-1]):
            name, colon, value = part.partition(":")
            if colon and name.strip():
                key = f"{NESTED}.{unquote(name.strip())}"
                field = Field(key, start=outer.start, at=outer.at, indent=0, tight=False)
                field.raw, field.kind = value.strip(), "flow"
                field.value = unquote(field.raw)
                fields.append(field)
    return fields
