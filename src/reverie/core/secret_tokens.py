"""Credentials that are known by themselves: providers' tokens, JSON Web Tokens, private keys."""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from reverie.core.secret_rules import Token, by_prefix
from reverie.core.secret_text import Text
from reverie.core.secret_values import wordiness

Found = tuple[int, int, str]            # start, end, family


def find(view: Text) -> Iterator[Found]:
    """Tokens, web tokens and private keys in a text."""
    yield from _tokens(view)
    yield from _web_tokens(view)
    yield from _private_keys(view)


# ---------------------------------------------------------------- providers' tokens
# Prefixes with which ordinary names begin too: what follows must hold a digit and be unreadable.
_LOOSE = frozenset(
    (
        "sk-", "pa-", "sl.", "st.", "t1.", "key-", "mob-", "api-", "sdk-", "ak-", "as-", "fw_", "re_", "sk_", "pat.",
        "sat.", "test_", "live_", "cio", "pypi-", "xapp-", "secret_", "secret-", "fc-", "pk_", "_secret_", "xoxo-",
        "sandbox_", "pul-", "sc_", "ext_", "API-", "ico-",
    )
)
_MASKED = re.compile(r"x{5}|X{5}|\*{3}|\.{3}|0{12}")
_CAPITALS = frozenset(("AKIA", "ASIA", "ABIA", "ACCA"))
_MASKS = frozenset("xX*.-_0#?")
_UNBROKEN = re.compile(r"[A-Za-z0-9]{20}")
_SAMPLE = re.compile(r"your|placeholder|example(?!key)|redacted|dummy|goes[-_]?here", re.I)
_DISCORD = re.compile(
    r"(?:(?<![A-Za-z0-9_.-])|(?<=\\[nrt]))[MNO][A-Za-z0-9_-]{22,28}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}(?![A-Za-z0-9_-])"
)
_HEX_SHAPE = re.compile(
    r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt]))[0-9a-f]{32}"
    r"(?:(-[0-9a-f]{8}-[0-9a-f]{8})|(-us\d{1,2})|\.[A-Za-z0-9]{16})(?![A-Za-z0-9_-])"
)
# Other shapes without a prefix: a text that must be there, the shape, the family.
_SHAPES: tuple[tuple[str, re.Pattern[str], str], ...] = (
    ("NRAL", re.compile(r"(?<!\w)[0-9a-zA-Z]{36}NRAL(?!\w)"), "newrelic"),
    ("Q~", re.compile(r"(?:(?<![\w~.-])|(?<=\\[nrt]))[\w~.-]{3}\dQ~[\w~.-]{31,34}(?![\w~-])", re.A), "azure"),
    (":AA", re.compile(r"(?<!\d)\d{8,10}:AA[A-Za-z0-9_-]{32,34}(?![A-Za-z0-9_-])"), "telegram"),
    ("JQQJ", re.compile(r"(?<!\w)[A-Za-z0-9+/]{52,76}JQQJ99[A-Za-z0-9+/=]{8,32}"), "azure"),
    ("_mmk", re.compile(r"(?<!\w)[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk(?!\w)"), "maxmind"),
)


@cache
def _prefixes() -> tuple[re.Pattern[str], dict[str, list[Token]]]:
    """One pattern that finds all prefixes, and the table behind it."""
    table = by_prefix()
    inside = [p for p, rules in table.items() if any(r.inside for r in rules)]
    begins = _tree([p for p in table if p not in inside])
    return re.compile(f"(?<![A-Za-z0-9])(?=[A-Za-z0-2]){begins}|{'|'.join(map(re.escape, inside))}"), table


def _tree(words: list[str]) -> str:
    """A pattern for a list of words that looks at each character once."""
    heads: dict[str, list[str]] = {}
    for word in words:
        heads.setdefault(word[:1], []).append(word[1:])
    tail = "?" if "" in heads else ""
    heads.pop("", None)
    branches = [re.escape(head) + (_tree(rest) if rest != [""] else "") for head, rest in sorted(heads.items())]
    return f"(?:{'|'.join(branches)}){tail}" if branches else ""


@cache
def _tail(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _tokens(view: Text) -> Iterator[Found]:
    """Tokens that begin as a provider's do, and those of a shape that nothing else has."""
    text, words = view.text, view.long_words
    seen: set[str] = set()
    for match in _prefixes()[0].finditer(words):
        needle = words[match.start():match.end() + 12]
        if needle not in seen:
            seen.add(needle)
            if _token_at(words, match.start(), len(match[0])):
                yield from _tokens_like(text, needle, len(match[0]))
    if _HEX_SHAPE.search(words):
        for match in _HEX_SHAPE.finditer(text):
            yield match.start(), match.end(), "mailgun" if match[1] else "mailchimp" if match[2] else "zhipu"
    if _DISCORD.search(words):
        for match in _DISCORD.finditer(text):
            yield match.start(), match.end(), "discord"
    for gate, shape, family in _SHAPES:
        if gate in words:
            for match in shape.finditer(text):
                yield match.start(), match.end(), family


def _tokens_like(text: str, needle: str, longest: int) -> Iterator[Found]:
    """The tokens that begin with a needle, each with its end in the text itself."""
    at = text.find(needle)
    while at >= 0:
        token = _token_at(text, at, longest)
        if token:
            yield token
        at = text.find(needle, token[1] if token else at + len(needle))


def _token_at(text: str, at: int, longest: int) -> Found | None:
    """The token that begins at a place with one of the prefixes; a short prefix may be the beginning of a long one."""
    table = _prefixes()[1]
    for length in range(longest, 1, -1):
        for rule in table.get(text[at:at + length], ()):
            tail = _tail(rule.tail).match(text, at + length)
            if tail and _is_token(text[at:at + length], tail[0]):
                start = at
                while rule.family == "terraform" and at - start < 14 and start and text[start - 1].isalnum():
                    start -= 1
                return start, tail.end(), rule.family
    return None


def _is_token(prefix: str, tail: str) -> bool:
    """Whether what follows a prefix is more than a placeholder or a run of words (``sk-learn-contrib-extras``)."""
    if _MASKED.search(tail) or set(tail) <= _MASKS:
        return False
    if prefix in _CAPITALS:                              # nothing else is that long and all in capitals
        return True
    if prefix == "sk-" and _UNBROKEN.match(tail):        # what Codex takes for a key (spec/codex §7.1)
        return True
    digit = any(map(str.isdigit, tail))
    if prefix in _LOOSE:
        return digit and wordiness(tail) < 0.6
    return digit or (not _SAMPLE.search(tail) and wordiness(tail) < 0.6)


# ---------------------------------------------------------------- JSON Web Tokens
_JWT = re.compile(r"eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]{4,}){1,4}|eyJ[A-Za-z0-9+/_-]{13,}={0,2}")
_CLAIMS = re.compile(
    rb'"(?:alg|typ|kid|iss|sub|aud|exp|iat|nbf|jti|scopes?|azp|enc|cty|email|roles?|client_id|user_id|uid|sid|k|token|'
    rb'secret|password)"\s*:'
)


def _web_tokens(view: Text) -> Iterator[Found]:
    """JSON Web Tokens, whole or a header or payload alone."""
    text, done = view.text, 0
    for at in view.places("eyj"):
        if at < done or (at and text[at - 1].isalnum() and text[at - 2:at] not in ("\\n", "\\t", "3D")):
            continue
        match = _JWT.match(text, at)
        if match and (("." in match[0] and len(match[0]) >= 30) or _has_claims(match[0])):
            yield match.start(), match.end(), "jwt"
        done = match.end() if match else 0


def _has_claims(segment: str) -> bool:
    """Whether a segment decodes to an object with a claim of a web token, which a page cursor seldom has."""
    part = segment.split(".")[0].replace("-", "+").replace("_", "/").rstrip("=")[:2000]
    try:
        return _CLAIMS.search(binascii.a2b_base64(part[:len(part) // 4 * 4])) is not None
    except binascii.Error:
        return False


# ---------------------------------------------------------------- private keys
_BEGIN = re.compile(
    r"-----BEGIN[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d"
    r"|---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----"
)
_END = re.compile(
    r"-----END[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|Private-MAC: *\w+|---- END SSH2 ENCRYPTED PRIVATE KEY ----"
)
# A line of a key that was cut short: base64, or one of the header lines that may stand above it.
_KEY_LINE = re.compile(
    r"(?:\\r|\\n|[\s\"'+|>#*,]){0,40}"
    r"(?:[A-Za-z0-9+/=_-]{16,}|[A-Za-z-]{3,20}: [^\n\\]{1,80}|[A-Za-z0-9+/]{1,15}={0,2}(?=\s*(?:\\n|\n|\Z|-----)))"
    r"(?=[\s\\\"'-]|\Z)"
)
_KEY_LINE_BACKWARDS = re.compile(r"(?:r\\|n\\|[\s\"'+|>#*,]){1,12}([A-Za-z0-9+/=_-]{1,200})")
_LONGEST_KEY = 20_000                   # characters: an RSA key of 16,384 bits has about 12,700
_BASE64 = re.compile(r"[A-Za-z0-9+/=]{40,20000}")


def _private_keys(view: Text) -> Iterator[Found]:
    """Private keys in PEM and its relatives: whole, cut short at the end, or without their beginning."""
    text, done = view.text, 0
    if "PRIVATE KEY" in text or "PuTTY" in text:
        begins = [match.span() for match in _BEGIN.finditer(text)] + [(len(text), len(text))]
        for (start, head), (following, _) in pairwise(begins):
            limit = min(following, head + _LONGEST_KEY)
            end = _END.search(text, head, limit)
            stop = end.end() if end else _after_lines(text, head, limit)
            if stop > head + 8:
                yield start, stop, "private_key"
                done = stop
        for tail in _END.finditer(text, done):
            start = _before_lines(text, tail.start())
            if tail.start() - start > 16:
                yield start, tail.end(), "private_key"
    done = 0
    for at in view.places("ls0tls1crudjti"):             # "-----BEGIN " in base64, as in a kubeconfig
        match = _BASE64.match(text, at) if at >= done else None
        if match and _decodes_to_private_key(match[0]):
            yield match.start(), match.end(), "private_key"
            done = match.end()


def _after_lines(text: str, at: int, limit: int) -> int:
    """Where the lines of a key end that has no end mark."""
    while at < limit and (match := _KEY_LINE.match(text, at, limit)):
        at = match.end()
    return at


def _before_lines(text: str, at: int) -> int:
    """Where the lines of a key begin that has lost its begin mark."""
    first = max(0, at - _LONGEST_KEY)
    while at > first:
        match = _KEY_LINE_BACKWARDS.match(text[max(first, at - 240):at][::-1])
        if match is None or len(match[1]) < 8:
            break
        at -= match.end()
    return at


def _decodes_to_private_key(text: str) -> bool:
    try:
        return b"PRIVATE KEY" in binascii.a2b_base64(text[:88])
    except binascii.Error:
        return False
