"""One value of a frontmatter line: how it is read, how it is written, and texts as memories hold them.

Two kinds of reader will see what is written here: YAML readers, and readers of lines such as Qwen Code's, which take
quotes for a part of the text (spec/qwen-code §3.1). A value is plain wherever all readers agree on it.
"""

from __future__ import annotations

import re

MOST_PARSED = 65_536                # characters of one value that PyYAML is asked to read

YAML, LINE = "yaml", "line"         # whom a value is written for

_LINE_END = re.compile(r"\r\n|\r|\n")
_BREAKS = re.compile("[\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+")
_SURROGATE = re.compile("[\ud800-\udfff]")
_BLOCK = re.compile(r"[|>](?:[1-9][+-]?|[+-][1-9]?)?(?:[ \t]+#.*)?")
_COMMENT = re.compile(r"[ \t]#")
_DOUBLE = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_SINGLE = re.compile(r"'((?:[^']|'')*)'", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_ESCAPED = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
# Not allowed in a plain scalar, or read otherwise by one of the readers: control characters, line ends of any standard.
_UNPLAIN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_LEADING = re.compile(r"""[,\[\]{}#&*!|>'"%@`]|[-?:](?:\s|\Z)""")
_INSIDE = re.compile(r"[ \t]#|:(?:[ \t]|\Z)")
# What could open a collection; those nest without end, and PyYAML with them, so they are never given to it.
_NO_SCALAR = ("[", "{", "&", "*", "!", "-", "?")
# What YAML readers of either version take for a number, a date, a boolean or nothing.
_NO_STRING = re.compile(
    r"(?:~|null|true|false|yes|no|on|off|y|n|=|<<|[-+]?\.(?:inf|nan)|[-+]?[0-9.][0-9a-fox_:.,+\-tz ]*)\Z", re.IGNORECASE
)


def tidy(text: str) -> str:
    """A text as memories hold it: line ends as ``\\n``, no outer white space, no half characters."""
    return unified(whole(text)).strip()


def unified(text: str) -> str:
    """``text`` with ``\\n`` for every line end of any system."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def whole(text: str) -> str:
    """``text`` with everything replaced that is no character: bytes that were no UTF-8, half surrogate pairs."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def one_line(text: str) -> str:
    """``text`` on one line: what a name or a description is where only one line is read."""
    return " ".join(part for line in _BREAKS.split(whole(text)) if (part := line.strip()))


def scalar(value: str, style: str = YAML) -> str:
    """A value on one line: plain where it will be read right, else in double quotes."""
    value = whole(value)
    if style == LINE:
        value = one_line(value)
        return quoted(value) if is_block(value) or unquote(value) != value else value
    plain = (
        value
        and value == value.strip()
        and not _UNPLAIN.search(value)
        and not _LEADING.match(value)
        and not _INSIDE.search(value)
        and not _NO_STRING.match(value)
    )
    return value if plain else quoted(value)


def is_block(value: str) -> bool:
    """Whether this is all that stands on the first line of a block scalar: ``|``, ``>-``, ``|2+ # comment``."""
    return _BLOCK.fullmatch(value) is not None


def without_comment(value: str) -> str:
    """A plain value as YAML reads it: nothing from a blank and ``#`` on."""
    found = _COMMENT.search(f" {value}")
    return (value[: max(found.start() - 1, 0)] if found else value).strip()


def unquote(value: str) -> str:
    """A value on one line, without its quotes if it is quoted as a whole."""
    return quoted_part(value)[0]


def quoted_part(value: str) -> tuple[str, int]:
    """The text of a value, and how long its quoted part is; 0 when it is not quoted, or more than quoted."""
    for mark, pattern in (('"', _DOUBLE), ("'", _SINGLE)):
        if value.startswith(mark):
            found = pattern.match(value)
            rest = value[found.end() :] if found else ""
            if found and (not rest or (rest[0] in " \t" and not without_comment(rest))):
                text = found[1].replace("''", "'") if mark == "'" else _ESCAPE.sub(_unescape, found[1])
                return text, found.end()
    return value, 0


def _unescape(match: re.Match[str]) -> str:
    digits = match[1] or match[2] or match[3]
    if digits is None:
        return _ESCAPED.get(match[4], match[0])     # an unknown escape is text: "C:\projects"
    return chr(int(digits, 16)) if int(digits, 16) < 0x110000 else match[0]


def quoted(value: str) -> str:
    """The value in double quotes, every character that a reader could stumble over as an escape."""
    for plain, escaped in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\t", "\\t"), ("\r", "\\r")):
        value = value.replace(plain, escaped)
    return '"' + _UNPLAIN.sub(_escape, value) + '"'


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def flow_parts(text: str) -> list[str]:
    """What stands between the commas of ``[…]`` or ``{…}``, commas in quotes apart."""
    parts, start, quote, fresh, escaped = [], 0, "", True, False
    for i, character in enumerate(text):
        if quote:
            if not escaped and character == quote:
                quote = ""
            escaped = character == "\\" and quote == '"' and not escaped
        elif character == ",":
            parts.append(text[start:i].strip())
            start, fresh = i + 1, True
        elif character in "\"'" and fresh:
            quote = character
        elif character == ":":
            fresh = True
        elif character not in " \t":
            fresh = False
    return [*parts, text[start:].strip()]


def several(raw: str) -> str:
    """A value over several lines, which are no collection: by PyYAML if it can read it, else joined."""
    if len(raw) <= MOST_PARSED and not raw.lstrip().startswith(_NO_SCALAR):
        import yaml  # costs milliseconds, and few files need it

        try:
            found = yaml.load(f"k: {raw}\n", getattr(yaml, "CBaseLoader", yaml.BaseLoader))
        except (yaml.YAMLError, ValueError, RecursionError):
            found = None
        if isinstance(found, dict) and isinstance(found.get("k"), str):
            return str(found["k"]).strip("\n")
    opening, *lines = raw.split("\n")
    if opening.startswith("|") and is_block(opening.strip()):
        return "\n".join(line.strip() for line in lines).strip("\n")
    lines = lines if is_block(opening.strip()) else [opening, *lines]
    paragraphs = " ".join(line.strip() or "\n" for line in lines).split("\n")
    return "\n".join(paragraph.strip() for paragraph in paragraphs).strip("\n")
