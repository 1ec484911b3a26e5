"""Finding credentials in text and taking them out: ``find``, ``redact``, ``has_secret``.

Promise 4 of the design rests on this page: no secret reaches disk, git or a model. Three nets are laid over a text:
what is known by itself (``secret_tokens``), by where it stands (``secret_places``: addresses, headers, command lines)
and by the words around it (``secret_context``). Names, schemes and hosts are kept, so that a sentence still says what
it is about.

Speed and safety: patterns are tried only where plain search found their beginning, and each looks at a bounded window;
there is no cut in the text across which a credential could hide. In a text that was redacted ``find`` finds nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from reverie.core import secret_context, secret_places, secret_tokens
from reverie.core.secret_text import Text
from reverie.core.secret_values import PLACEHOLDER

__all__ = ["PLACEHOLDER", "Redacted", "Secret", "find", "has_secret", "redact", "redact_as_codex"]

_SHORTEST = 6                           # characters: below, there is no room for a name and a value
_ROUNDS = 4                             # what a removal uncovers is removed too; more than two rounds were never needed


@dataclass(frozen=True, slots=True)
class Secret:
    """Where a credential stands in a text (code points, end excluded) and of which family it is."""

    start: int
    end: int
    family: str


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its credentials, and the families of what was taken out, in order."""

    text: str
    families: tuple[str, ...] = ()


def redact(text: str) -> Redacted:
    """Put ``[REDACTED_SECRET]`` in the place of every credential."""
    families: list[str] = []
    for _ in range(_ROUNDS):
        found = find(text)
        if not found:
            break
        parts, at = [], 0
        for secret in found:
            parts += [text[at:secret.start], PLACEHOLDER]
            at = secret.end
            families.append(secret.family)
        text = "".join(parts) + text[at:]
    return Redacted(text, tuple(families))


def has_secret(text: str) -> bool:
    """Whether there is a credential in a text."""
    return bool(find(text))


def find(text: str) -> list[Secret]:
    """Every credential in a text, in order, without overlaps."""
    if len(text) < _SHORTEST:
        return []
    plain = _plain(text)
    view = Text(plain)
    spans = [span for finder in _FINDERS for span in finder(view)]
    for start, end, family in tuple(spans):
        if family in _WITH_COMPANION:
            spans += [(s, e, family) for s, e in view.random_words(max(0, start - _PAIR_REACH), end + _PAIR_REACH)]
    if spans and len(plain) != len(text):
        places = [i for i, c in enumerate(text) if not _INVISIBLE.match(c)]
        spans = [(places[s], places[e - 1] + 1, f) for s, e, f in spans if e > s]
    blocks = _public_blocks(text) if spans else []
    return _merged([span for span in spans if not _within(blocks, span)])


def _public_blocks(text: str) -> list[tuple[int, int]]:
    """Certificates and public keys, in whose random text anything may seem to stand."""
    return [match.span() for match in _PUBLIC.finditer(text)] if "-----BEGIN " in text else []


def _within(blocks: list[tuple[int, int]], span: tuple[int, int, str]) -> bool:
    return any(start <= span[0] and span[1] <= end for start, end in blocks)


_PUBLIC = re.compile(
    r"-----BEGIN (?:[A-Z0-9]{1,16} ){0,4}(?:CERTIFICATE|PUBLIC KEY|REQUEST|SIGNATURE|PARAMETERS)-----"
    r"[^-]{0,20000}-----END"
)
_FINDERS: tuple[Callable[[Text], Iterator[tuple[int, int, str]]], ...] = (
    secret_tokens.find, secret_places.find, secret_context.find,
)
# Providers whose credentials are pairs: the secret half is printed beside the public one, often on the next line.
_WITH_COMPANION = frozenset(("aws", "alibaba", "tencent", "volcengine"))
_PAIR_REACH = 160

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e01ef]"
)
_FULL_WIDTH = re.compile("[\uff01-\uff5e]")
_TO_HALF = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F) if chr(code) not in "，：；！？（）"}


def _plain(text: str) -> str:
    """The text as an eye would read it: invisible characters gone, full-width letters narrow."""
    if text.isascii():
        return text
    if _FULL_WIDTH.search(text):
        text = text.translate(_TO_HALF)
    return _INVISIBLE.sub("", text)


def _merged(spans: list[tuple[int, int, str]]) -> list[Secret]:
    """Spans in order; those that overlap become one, under the family of the first and longest."""
    out: list[Secret] = []
    for start, end, family in sorted(spans, key=lambda span: (span[0], -span[1])):
        if end <= start:
            continue
        if out and start < out[-1].end:
            if end > out[-1].end:
                out[-1] = Secret(out[-1].start, end, out[-1].family)
            continue
        out.append(Secret(start, end, family))
    return out


# ---------------------------------------------------------------- what Codex itself redacts (spec/codex §7.1)
_CODEX: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"sk-[A-Za-z0-9]{20,}"), PLACEHOLDER),
    (re.compile(r"\bAKIA[0-9A-Z]{16}\b"), PLACEHOLDER),
    (re.compile(r"(?i)\b(Bearer[ \t]+)[A-Za-z0-9._~+/-]{16,}=*"), rf"\1{PLACEHOLDER}"),
    (
        re.compile(r"(?i)\b(api[_-]?key|token|secret|password)\b(\s{0,100}[:=]\s{0,100})([\"']?)[^\s\"']{8,}"),
        rf"\1\2\3{PLACEHOLDER}",
    ),
)


def redact_as_codex(text: str) -> str:
    """What Codex's own, narrower redaction makes of a text; for comparing, and beside ``redact`` in a Codex store."""
    for pattern, replacement in _CODEX:
        text = pattern.sub(replacement, text)
    return text
