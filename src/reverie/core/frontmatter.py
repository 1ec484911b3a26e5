"""Memory files: a block of ``key: value`` lines between fences, then Markdown; changed without collateral.

The invariant: ``parse(data).data == data`` for every byte string, and an edit replaces only the lines of the key that
it names. Unknown keys, comments, order, quoting, line ends, a byte order mark and bytes that are no UTF-8 stay what
they were, for a memory file belongs to the person whose folder it is in (DESIGN §4.7). Property tests hold both.

How lines are read stands in ``header``, how values are read and written in ``scalar``.
"""

from __future__ import annotations

import re

from reverie.core import header
from reverie.core.header import NESTED, Field
from reverie.core.scalar import LINE, YAML, flow_parts, quoted, scalar, tidy, unquote, whole, without_comment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["LINE", "ORDER", "YAML", "Document", "compose", "parse"]

# Where a new key goes: behind the nearest of these that is there. The study's three first, provenance after them.
ORDER = (
    "name", "title", "description", "type", "source", "host", "session", "agent", "message", "said", "rule", "keywords",
    "confirmed", "valid_until", "status", "cwd", "quote",
)  # fmt: skip

_LINE_END = re.compile(r"\r\n|\r|\n")
_NO_KEY = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029:#]+")
_SURROGATE = re.compile("[\ud800-\udfff]")


class Document:
    """A file, parsed. Immutable: an edit gives a new one, or the same object when it changes nothing."""

    __slots__ = ("_codec", "_first", "_header", "_start", "body_at", "eol", "fields", "text")

    def __init__(self, text: str, codec: str = "utf-8") -> None:
        self.text = text
        self._codec = codec
        self._start = 1 if text.startswith("\ufeff") else 0
        self._header = found = header.find(text, self._start)
        self.fields: tuple[Field, ...] = tuple(found.fields) if found else ()
        self._first = {field.key: field for field in reversed(self.fields)}
        self.body_at = found.body if found else self._start
        first = _LINE_END.search(text, found.fence if found else 0)
        self.eol = first[0] if first else "\n"

    @property
    def data(self) -> bytes:
        """The file's bytes."""
        return self.text.encode(self._codec, "surrogateescape" if self._codec == "utf-8" else "strict")

    @property
    def problems(self) -> tuple[str, ...]:
        """What another reader might stumble over, by name."""
        return tuple(
            name
            for name, found in (
                ("not_utf8", self._codec != "utf-8" or _SURROGATE.search(self.text)),
                ("nul", "\0" in self.text),
                ("no_frontmatter", self._header is None),
                ("no_closing_fence", self._header is not None and not self._header.closed),
                ("duplicate_key", len({field.key for field in self.fields}) < len(self.fields)),
            )
            if found
        )

    @property
    def has_bom(self) -> bool:
        """Whether the file starts with a byte order mark (Qwen Code does not read such a file, spec §3.1)."""
        return bool(self._start)

    @property
    def is_utf8(self) -> bool:
        """Whether it is written in UTF-8, or in bytes that were meant to be; else in UTF-16."""
        return self._codec == "utf-8"

    @property
    def has_header(self) -> bool:
        """Whether there is a frontmatter."""
        return self._header is not None

    @property
    def body(self) -> str:
        """What stands behind the frontmatter, line ends as ``\\n``, without outer white space."""
        return tidy(self.text[self.body_at :])

    def field(self, key: str) -> Field | None:
        """The first field of this name: of two equal keys the first counts, as in Qwen Code (spec §3.1)."""
        return self._first.get(key)

    def get(self, key: str) -> str | None:
        """What a key says; None when it is not there."""
        field = self.field(key)
        return None if field is None else field.value

    def word(self, key: str) -> str:
        """What a key says when it can only be one word: a trailing comment is none of it. "" when it is not there."""
        field = self.field(key)
        if field is None:
            return ""
        return field.value.strip() if field.kind == "quoted" else without_comment(field.value)

    def items(self, key: str) -> tuple[str, ...]:
        """What a key lists: a block list, ``[a, b]``, or words between commas."""
        field = self.field(key)
        if field is None:
            return ()
        if field.kind == "list":
            lines = (line.strip() for line in field.value.split("\n"))
            found = [unquote(line[1:].strip()) for line in lines if line.startswith("-")]
        elif field.kind != "quoted" and field.value.startswith("[") and field.value.endswith("]"):
            found = [unquote(part) for part in flow_parts(field.value[1:-1])]
        else:
            found = [part.strip() for part in field.value.split(",")]
        return tuple(part for part in found if part)

    def set(self, key: str, value: str, *, style: str = YAML, order: Sequence[str] = ORDER) -> Document:
        """The document with ``key`` saying ``value``; itself when it says so already."""
        if self.get(key) == value:
            return self
        raw = scalar(value, style)
        changed = self.set_raw(key, raw, order=order)
        if changed.get(key) in (None, unquote(raw)):
            return changed
        return self.set_raw(key, quoted(unquote(raw)), order=order)     # what stands behind it would have joined it

    def set_raw(self, key: str, raw: str, *, order: Sequence[str] = ORDER) -> Document:
        """The document with ``key`` followed by ``raw`` as it stands, which must be one legal value."""
        if self._header is None:
            return self._with_header(key, raw)
        if not self._header.closed:
            return self._close().set_raw(key, raw, order=order)
        field = self.field(key)
        if field is not None and field.raw == raw:
            return self
        if field is not None and field.kind != "flow":
            return self._replace(field, raw)
        outer, dot, inner = key.partition(".")
        mapping = self.field(NESTED) if dot and outer == NESTED else None
        if mapping is not None:
            return self._set_inner(mapping, inner, raw)
        return self._insert(key, raw, order)

    def remove(self, key: str) -> Document:
        """The document without the lines of ``key``."""
        text = self.text
        for field in reversed([field for field in self.fields if field.key == key and field.kind != "flow"]):
            text = text[: field.start] + text[field.stop :]
        return self if text is self.text else Document(text, self._codec)

    def with_body(self, body: str) -> Document:
        """The document with another body; the blank lines around it stay. Itself when the body is the same."""
        body = tidy(body)
        if body == self.body:
            return self
        if self._header is not None and not self._header.closed:
            return self._close().with_body(body)
        old = self.text[self.body_at :]
        before, after = (self.eol if self._header else ""), self.eol
        if old.strip():
            before, after = old[: len(old) - len(old.lstrip())], old[len(old.rstrip()) :]
        return self.with_tail(before + body.replace("\n", self.eol) + after if body else "")

    def with_text(self, text: str) -> Document:
        """Another text in the same encoding."""
        return self if text == self.text else Document(text, self._codec)

    def with_tail(self, tail: str) -> Document:
        """The document with everything behind the frontmatter replaced by ``tail`` as it stands."""
        return Document(self._ended(self.text[: self.body_at]) + tail, self._codec)

    def _ended(self, text: str) -> str:
        """``text`` with its last line ended."""
        return text if len(text) <= self._start or text[-1] in "\r\n" else text + self.eol

    def _gap(self, text: str) -> str:
        """The blank line that a fence wants before ``text``."""
        return self.eol if text.strip() and not text.startswith(("\r", "\n")) else ""

    def _with_header(self, key: str, raw: str) -> Document:
        """A frontmatter where there was none."""
        rest = self.text[self._start :]
        lines = _lines([(key, raw)], self.eol)
        fence = f"---{self.eol}"
        return Document(self.text[: self._start] + fence + lines + fence + self._gap(rest) + rest, self._codec)

    def closed(self) -> Document:
        """The document with its closing fence, behind the last line that looks like a header, where that is missing."""
        return self._close() if self._header is not None and not self._header.closed else self

    def _close(self) -> Document:
        assert self._header is not None
        before, after = self.text[: self._header.stop], self.text[self._header.stop :]
        return Document(f"{self._ended(before)}---{self.eol}{self._gap(after)}{after}", self._codec)

    def _replace(self, field: Field, raw: str) -> Document:
        """Other words behind the same key, wherever it stands: readers disagree on which of two counts."""
        text = self.text
        for same in reversed([other for other in self.fields if other.key == field.key and other.kind != "flow"]):
            old = text[same.at : same.end]
            gap = old[: len(old) - len(old.lstrip(" \t"))]
            new = gap + raw if gap and raw[:1] not in ("", "\n") else _behind_colon(raw)
            text = text[: same.at] + new.replace("\n", self.eol) + text[same.end :]
        return Document(text, self._codec)

    def _set_inner(self, mapping: Field, inner: str, raw: str) -> Document:
        """A new or changed key inside ``metadata``."""
        inside = [field for field in self.fields if field.key.startswith(f"{NESTED}.")]
        if mapping.kind == "map" and inside:
            line = f"{' ' * inside[0].indent}{inner}:{_behind_colon(raw)}\n".replace("\n", self.eol)
            return Document(self.text[: mapping.stop] + line + self.text[mapping.stop :], self._codec)
        if mapping.value and not inside:
            return self._insert(inner, raw, ORDER)      # "metadata" is no mapping here: do not destroy it
        pairs = [(field.key.partition(".")[2], field.raw) for field in inside]
        pairs = [pair for pair in pairs if pair[0] != inner] + [(inner, raw)]
        lines = "".join(f"{self.eol}  {key}:{_behind_colon(value)}" for key, value in pairs)
        return Document(self.text[: mapping.at] + lines + self.text[mapping.end :], self._codec)

    def _insert(self, key: str, raw: str, order: Sequence[str]) -> Document:
        """A new key, behind the nearest one that stands before it in ``order``."""
        assert self._header is not None
        at = self._header.stop
        top = {field.key: field for field in reversed(self.fields) if not field.key.startswith(f"{NESTED}.")}
        if key in order:
            place = list(order).index(key)
            before = [top[name] for name in order[:place] if name in top]
            after = [top[name].start for name in order[place + 1 :] if name in top]
            at = before[-1].stop if before else min(after, default=at)
        indent = " " * min((field.indent for field in top.values()), default=0)
        lines = "".join(indent + line for line in _lines([(key, raw)], self.eol).splitlines(keepends=True))
        return Document(self.text[:at] + lines + self.text[at:], self._codec)


def parse(data: bytes) -> Document:
    """Any file at all. Nothing is refused; what is odd about it stands in ``Document.problems``."""
    for mark, codec in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if data.startswith(mark):   # what older Windows shells write
            try:
                return Document(data.decode(codec), codec)
            except UnicodeDecodeError:
                break
    return Document(data.decode("utf-8", "surrogateescape"))


def compose(
    fields: Iterable[tuple[str, str]], body: str, *, style: str = YAML, carried: Iterable[tuple[str, str]] = ()
) -> Document:
    """A new file in the study's shape: fence, fields in the given order, fence, blank line, body, one line end.

    ``metadata.x`` is written inside its mapping. ``carried`` are further keys with their values as they were written
    elsewhere; a value that would not be read back as one is quoted.
    """
    pairs = [(key, scalar(value, style)) for key, value in fields]
    pairs += [(_legal_key(key), carry(raw)) for key, raw in carried]
    body = tidy(body)
    return Document(f"---\n{_lines(pairs)}---\n" + (f"\n{body}\n" if body else ""))


def carry(raw: str) -> str:
    """An unknown key's value as it was written elsewhere: left alone if it still is one value here, else quoted."""
    first, *further = _LINE_END.split(whole(raw))
    if first == first.strip() and all(not line.strip() or line.startswith((" ", "\t", "- ")) for line in further):
        return "\n".join([first, *further]).rstrip()
    return scalar(raw)


def _legal_key(key: str) -> str:
    """A key that cannot break its line."""
    return _NO_KEY.sub("_", whole(key)).lstrip(" -?\"'{}[],&*!|>%@`")[:200].strip() or "_"


def _behind_colon(raw: str) -> str:
    return raw if not raw or raw.startswith(("\r", "\n")) else f" {raw}"


def _lines(pairs: Iterable[tuple[str, str]], eol: str = "\n") -> str:
    """Lines of a header; the keys inside ``metadata`` stand together."""
    lines: list[str] = []
    nested = -1                     # which of the lines is the mapping
    for key, raw in pairs:
        outer, dot, inner = key.partition(".")
        if not dot or outer != NESTED:
            lines.append(f"{key}:{_behind_colon(raw)}")
            continue
        if nested < 0:
            nested = len(lines)
            lines.append(f"{NESTED}:")
        lines[nested] += f"\n  {inner}:{_behind_colon(raw)}"
    return "".join(line.replace("\n", eol) + eol for line in lines)
