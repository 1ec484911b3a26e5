"""Pieces of text that look the same in every language: addresses, paths, flags, code, numbers, and pasted text.

All patterns are linear: bounded repetitions or single character classes, so that hostile input costs no more than its
length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from reverie.models.rules.language import Value

MAX_MESSAGE = 20_000                # characters of one message that are looked at: longer ones are pasted text
MAX_SENTENCE = 1_200                # a longer sentence is not something that a person said

# "main.py" and "package-lock.json" are files, not hosts.
_EXTENSIONS = (
    "py|pyi|js|mjs|cjs|ts|tsx|jsx|vue|go|rs|java|kt|rb|php|cs|cpp|hpp|md|rst|txt|json|jsonl|yaml|yml|toml|ini|cfg|conf|"
    "lock|log|sql|html|css|scss|csv|tsv|xml|sh|bash|env|proto|gradle|swift|ipynb|png|jpg|svg|pdf")
_ADDRESS = (
    r"(?:https?://[^\s<>\"'，。、；）】」]+"
    rf"|(?<![\w.@/-])(?:[A-Za-z0-9][\w-]*\.)+(?!(?:{_EXTENSIONS})\b(?!\.))[A-Za-z]{{2,}}(?::\d{{2,5}})?(?:/[\w./#?=&%~+-]*)?)")
_SPECIFIC = re.compile(
    "|".join((
        r"(?P<codespan>`[^`\n]{1,200}`)",
        rf"(?P<url>{_ADDRESS})",
        r"(?P<channel>(?<![\w#&])#[a-z][\w-]{2,40})",
        r"(?P<flag>(?<![\w-])--?[A-Za-z][\w-]*(?:=[^\s,;]+)?)",
        r"(?P<path>(?<![\w./])(?:~?/{1,2})?[\w.@-]+(?:/[\w.@*<>{}-]+)+/?|(?<![\w.])\.[\w.-]+/[\w./-]*"
        rf"|(?<![\w./])[\w-]+(?:\.[\w-]+)*\.(?:{_EXTENSIONS})\b(?![\w(]))",
        r"(?P<code>\b[a-zA-Z]\w*_\w+(?:\(\))?|\b[A-Za-z]\w*\(\)|\b\w+\.\w{1,5}\(\)|"
        r"\b[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+\b|\b[a-z]+[A-Z]\w*\b)",
        r"(?P<id>\b(?!UTC|GMT)[A-Z]{2,10}-\d+\b|(?<!\w)#\d+\b)",
        r"(?P<number>(?<![\w.])\d+(?:[.,]\d+)*(?![\w-]))",
    )),
    re.ASCII,
)
# What the redaction of secrets leaves in the text.
PLACEHOLDER = re.compile(r"\[REDACTED[A-Z_]*(?::[^\]\n]{0,40})?\]|<redacted[^>\n]{0,40}>", re.IGNORECASE)

_FENCE = re.compile(r"^[ \t]*(```|~~~)")
# Quotations, shell prompts, diffs, stack traces, compiler and test output, log lines, tables, lone brackets and tags.
_PASTED_LINE = re.compile("|".join((
    r"^\s*(?:>|\$ |% |#!|\+\+\+ |--- |@@ )", r"^\s*[+-] {0,4}\S.*[;{})]\s*$",
    r"^\s*(?:Traceback \(most recent|File \"|at [\w.$]+\(|E {2,}\S|[\w.]{0,80}(?:Error|Exception|Warning): )",
    r"^\s*(?:npm ERR!|error(?:\[\w+\]| TS\d+)?: |warning: |fatal: |FAILED |PASSED |ok {3}|panic: )",
    r"^\s*(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|(?:INFO|WARN|WARNING|ERROR|DEBUG|FATAL|TRACE)\b[\s:\[])",
    r"^\s*(?:\|.*\||[{}\[\]();,]+\s*$|</?[A-Za-z][^>]*>\s*$)")))


def values(text: str) -> Iterator[Value]:
    """The pieces of a text that are values in any language, in order, not overlapping."""
    for found in _SPECIFIC.finditer(text):
        kind = found.lastgroup or "code"
        start, end = found.span()
        if kind in ("url", "path"):
            end = start + len(found.group().rstrip(".,;:!?)"))
        if end > start:
            yield Value(start=start, end=end, kind="code" if kind == "codespan" else kind, weight=1.0)


def spoken(text: str) -> list[str]:
    """The paragraphs of a message that a person said: without code fences, quoted lines, logs and other pasted text.

    One paragraph is one line. What is left out was not said by the person, only shown (spec of the issue, §5).
    """
    lines: list[str] = []
    fence = ""
    for line in text[:MAX_MESSAGE].splitlines():
        mark = _FENCE.match(line)
        if fence:
            if mark and mark.group(1) == fence:
                fence = ""
            continue
        if mark:
            fence = mark.group(1)
            continue
        if line.strip() and not _PASTED_LINE.match(line[:400]):
            lines.append(line.strip())
    return lines
