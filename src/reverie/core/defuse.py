"""Text that others wrote, made harmless to put before a model: it stays readable, and stays text.

A memory is data (DESIGN §4.5). What it says must not end the block it stands in, pass for markup of a client or a chat
template, move a terminal's cursor, or hide words from the person who reads it. Nothing is dropped that a reader would
see: markup is broken with a backslash, as Claude Code itself does (spec/claude-code §4.2); only what is invisible goes.

Everything here is linear: quantifiers are bounded, and no two of them compete for the same characters. Patterns are
compiled by the first text that needs them (``re`` keeps them): most texts need none, and a hook is in a hurry.
"""

from __future__ import annotations

import re

from reverie.core import budget

LONGEST_LINE = 2_000                # characters; a longer line is data, and hides what stands behind it

_BREAKS = "\r\n|[\r\x0b\x0c\x85\u2028\u2029]"
_TERMINAL = (
    r"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|[\]P^_X][^\x07\x1b\n]{0,1024}(?:\x07|\x1b\\)|[@-Z\\-_])"
    r"|\x9b[0-?]{0,64}[ -/]{0,8}[@-~]"
)
# Controls, fillers, marks of direction, variation selectors (but the one of emoji), tag characters, no characters.
_INVISIBLE = (
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)
# Those among them that ``str.isprintable`` takes for letters.
_PASSING = frozenset(
    [*"\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0", *map(chr, range(0xFE00, 0xFE0F))]
    + [chr(code) for code in range(0xE0100, 0xE01F0)]
)
# The joiners mean something between letters of the scripts that have them, and between emoji; nowhere else.
_JOINERS = "(?<![^\x00-\x7f])[\u200c\u200d]+|[\u200c\u200d]+(?![^\x00-\x7f\u200c\u200d])"
_MARKS = frozenset(map(chr, [*range(0x300, 0x370), *range(0x483, 0x48A), *range(0x20D0, 0x2100)]))
_PILED = "([\u0300-\u036f\u0483-\u0489\u20d0-\u20ff]{4})[\u0300-\u036f\u0483-\u0489\u20d0-\u20ff]+"
_SURROGATE = "[\ud800-\udfff]"

# A tag that a client or a chat template could take for its own: a name with a dash, an underscore or a name space (HTML
# has none of these), a bar, or one of these words. Types of a programming language ("List<Message>") stay as they are:
# there the bracket follows a word, and nothing closes.
_WORDS = (
    "system|assistant|user|human|developer|tools?|memory|memories|instructions?|prompt|context|reminder|admin|root|policy"
    "|bos|eos|s|sys|unk|pad|inst|think(?:ing)?|analysis|summary|invoke|parameters?|functions?|results?|messages?|important"
    "|img|script|iframe|svg|object|embed|link|meta|style|base|form"
)
_NAME = rf"(?:(?!https?:)[^\W_]{{1,64}}(?:[-_]|:(?=\w))|(?:{_WORDS})(?![\w-])|[|｜][\w▁/])"
# A client that escapes a text once more, or a reader that takes one level back, sees "&lt;" as the bracket (``blocks``).
_BRACKET = r"(?:[<＜﹤]|&(?:lt|#0{0,6}60|#x0{0,6}3c);)"
_TAG = (
    rf"(?:(?<!\w){_BRACKET}|{_BRACKET}(?=[ \t]{{0,8}}[/\\|｜])|{_BRACKET}(?=[^\W_]{{1,64}}-)"
    rf"|{_BRACKET}(?=(?:system|user|assistant|function|tool|start|end|im|antml|oai|reverie)[-_:]))"
    rf"(?=[ \t/\\!?]{{0,8}}{_NAME})"
)
_CHAT = r"\[(?=/?(?:INST|SYS|SYSTEM|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])"
_IMAGE = r"!\["
_SCHEME = r"\](?=[(:][ \t]{0,8}<?[ \t]{0,8}(?!https?:|mailto:)[A-Za-z][A-Za-z0-9+.-]{1,20}:)"
# What starts a part of a document, or a speaker's turn, when it stands at the beginning of a line.
_OPENING = r"^([ \t]{0,3})(?=#{1,6}(?:[ \t]|$)|={3,}|(?:-{3,}|\*{3,}|_{3,})[ \t]*$)"
_SPEAKER = r"^([ \t]{0,8}(?:human|assistant|system|user|developer|tool))[ \t]{0,8}(?=[:：])"
_FENCE = r"^([ \t]{0,8})(?=`{3}|~{3})"
_MANY_BLANK = r"\n(?:[ \t]*\n){2,}"


def visible(text: str) -> str:
    """``text`` without what a reader cannot see, each line end as ``\\n``."""
    if text.replace("\n", " ").replace("\t", " ").isprintable():
        if text.isascii() or (_PASSING.isdisjoint(text) and _MARKS.isdisjoint(text)):
            return text
    else:
        text = re.sub(_BREAKS, "\n", text)
        if "\x1b" in text or "\x9b" in text:
            text = re.sub(_TERMINAL, "", text)
    text = re.sub(_JOINERS, "", re.sub(_INVISIBLE, "", text))
    return re.sub(_PILED, r"\1", re.sub(_SURROGATE, "\ufffd", text))


def text(words: str, *, structured: bool = False, longest_line: int = LONGEST_LINE) -> str:
    """``words`` as data of several lines.

    ``structured`` lets headings, rules, speakers and code fences be what they are: where the text is going to be quoted
    line by line, or is an index.
    """
    words = visible(words)
    if "<" in words or "&" in words or "＜" in words or "﹤" in words:
        words = re.sub(_TAG, r"\g<0>\\", words, flags=re.IGNORECASE)
    if "[" in words:
        words = re.sub(_CHAT, r"[\\", words, flags=re.IGNORECASE)
        words = re.sub(_SCHEME, "] ", re.sub(_IMAGE, r"!\\[", words))
    if not structured:
        words = re.sub(_OPENING, r"\1\\", words, flags=re.MULTILINE)
        words = unfenced(re.sub(_SPEAKER, r"\1\\", words, flags=re.MULTILINE | re.IGNORECASE))
    if "\n" in words:
        words = re.sub(_MANY_BLANK, "\n\n", words)
    if len(words) <= longest_line:
        return words
    return "\n".join(each if len(each) <= longest_line else _shortened(each, longest_line) for each in words.split("\n"))


def unfenced(words: str) -> str:
    """``words`` with its code fences broken, if they do not come in pairs: an open one would swallow what follows."""
    if ("```" in words or "~~~" in words) and len(re.findall(_FENCE, words, flags=re.MULTILINE)) % 2:
        return re.sub(_FENCE, r"\1\\", words, flags=re.MULTILINE)
    return words


def _shortened(words: str, longest: int) -> str:
    cut = budget.clip(words, longest - 30)     # room for saying how much is missing
    return f"{cut.text} (+{cut.characters} characters)"


def line(words: str, characters: int) -> str:
    """``words`` as data on one line, at most ``characters`` long."""
    return budget.clip(" ".join(text(words, structured=True).split()), characters).text


def quoted(words: str) -> str:
    """``words`` as a quotation, every line marked: nothing in it stands at the beginning of a line."""
    return "\n".join(f"> {each}".rstrip() for each in text(words, structured=True).strip().split("\n"))
