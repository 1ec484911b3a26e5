"""Whether a piece of text could be a credential, judged from itself: is it random, a word, a reference, a placeholder?

What stands around it decides how much is asked for: after ``password=`` anything that is not evidently something
else, near the word "token" only what no person would have thought up. ``secret_context`` asks the questions.
"""

from __future__ import annotations

import binascii
import re
from functools import lru_cache

from reverie.core.secret_rules import COMMON_PAIRS, HARMLESS_STARTS, HARMLESS_WORDS

PLACEHOLDER = "[REDACTED_SECRET]"

_CHUNK = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_KINDS = (re.compile("[a-z]"), re.compile("[A-Z]"), re.compile("[0-9]"))
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
_HEX = re.compile(r"(?:0x)?[0-9a-fA-F]+\Z")
_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\Z")
_ULID = re.compile(r"0[0-7][0-9A-HJKMNP-TV-Z]{24}\Z")
_FILE = re.compile(
    r"\.(?:js|mjs|cjs|ts|tsx|jsx|css|map|json|ya?ml|toml|lock|py|rb|go|rs|java|kt|c|h|cc|cpp|md|txt|log|html?|xml|csv|sql|"
    r"sh|png|jpe?g|gif|svg|webp|ico|pdf|zip|gz|tgz|whl|jar|so|dll|exe|pem|crt|key|p12|pub|env|ini|cfg|conf|proto|lua|"
    r"swift|php|dev|com|org|net|io|example|local|internal)(?::\d+){0,2}\Z",
    re.I,
)
_PLACEHOLDER = re.compile(
    r"<.*>?\Z|\[.*\]?\Z|\{.*\}?\Z|[*.•●_x…?#-]+\Z|[xX]{3,}|.*(?:x{6}|X{6}|\*{3}|\.{3}|…)"
    r"|.*(?:your|my|the|some|put|enter|insert|paste|replace|fill)[-_ ]?"
    r"(?:own|real|actual|new|secret|api|access|auth|client|app|bot|user|db)?[-_ ]?"
    r"(?:token|key|secret|password|passwd|pass|credential|value|here|me|this)(?![a-z]*\d+[a-z])"
    r"|.*(?:placeholder|change[-_]?me|change[-_]?this|change[-_]?it|redacted|dummy|not[-_]?a[-_]?real|not[-_]?real)"
    r"|(?:example|sample|demo|fake|mock|test|todo|fixme)"
    r"(?:[-_ ]?(?:token|key|secret|password|value|api|auth|only|\d{1,20}(?!\d)))*\Z"
    r"|(.)\1*\Z|.*(?:\\[SswdWD][+*{)\]]|\[\^|\(\?)",
    re.I,
)
# What a template engine or a secret store would resolve, and what is a place on a disk or in the network.
_REFERENCE = re.compile(
    r"\$(?:[{(\[]|[A-Za-z_]\w*\Z|\d\Z)|%[A-Za-z_]\w*%|%\(|!(?:Ref|Sub|GetAtt|vault|secret)\b|#\{|\{\{|<%|\$2[aby]\$|\$argon2"
    r"|(?:op|vault|env|secrets?|ssm|file|aws-?sm|gcp-?sm|azure-?kv|keyring|ref|var|fromenv|env_var|config|k8s|sops|doppler|bao)"
    r"(?:\+\w+)?:/*[A-Za-z_./-]"
    r"|(?:https?|ftp|s3|gs|ssh|file|git|urn|postgres\w*|redis|mysql|mongodb|amqp)s?:/"
    r"|(?:~|\.{1,2})?/(?:[\w.@-]+/)+[\w.@-]*\Z|(?:~|\.{1,2})/|[A-Za-z]:\\|arn:aws|projects/[\w-]+/secrets/"
)
# Code that computes or passes on a value.
_CODE = re.compile(
    r"@[A-Za-z_]\w*[(.]|&[A-Za-z_]\w*\Z"
    r"|(?:new|await|lambda|func|function|fn|def|async|typeof|not|if|lookup|data|crypto|random)\b(?!-)"
    r"|[A-Za-z_]\w*(?:\??\.[A-Za-z_]\w*)+[(\[]?\Z|[A-Za-z_]\w*(?:\.\w+)*[(\[]|[A-Za-z_]\w*(?:::\w+)+|[A-Za-z_]\w*->\w"
)
_SECRET_NOUN = re.compile(
    r"pass(?:w(?:or)?d|phrase|code)?|pwd|secret|token|api|key|cred|auth|login|bearer|jwt|field|value|param|input|name|env|var",
    re.I,
)
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z_-]*\Z")
_OTHER_VALUE = re.compile(
    r"v?\d+(?:\.\d+)+(?:[-+.][\w.]+)?\Z"                            # a version, an address
    r"|\d[\d,._]*\s?(?:%|[A-Za-zµ]{1,7})?\Z"                        # a number, with a unit
    r"|\d{4}-\d\d(?:-\d\d)?(?:[T ][\d:.]+(?:Z|[+-][\d:]+)?)?\Z"      # a date
    r"|[A-Z]{2,10}-\d{1,6}\Z|#\d+\Z"                                # a ticket
    r"|[a-z][a-z._]*(?:-[a-z][a-z._]*)*-v?\d+(?:\.\d+)+\Z"          # a package and its version
    r"|(?:rs|hs|es|ps|sha|md|aes|rsa|ed|tls|ipv|utf|base|oauth|http|v|py|python|node|java|argon|x|p|h|k|s|ec|gpt|llama)"
    r"-?\d{1,5}\w?\Z|[qhw]\d(?:[-/]?\d{2,4})?\Z",                   # an algorithm, a format, a quarter
    re.I,
)
_MAIL = re.compile(r"[\w.+-]+@[\w-]+\.[\w.]+\Z")
_ORDINARY = re.compile(r"[A-Za-z]+(?:['’][a-z]+)?[%!?:*)]*\Z|[(\[]\w*\Z")
_DESCRIBED = re.compile(
    r"[a-z]+(?:ed|ing|able|ible|ory|ary|ful|less|ous|ive|ly|al|ally|ional|wide|free|only|based)\Z"
)
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]+={0,2}\Z")


def wordlike(letters: str) -> bool:
    """Whether a run of letters can be read aloud: two thirds of its pairs are common in English words."""
    low = letters.lower()
    pairs = len(low) - 1
    return pairs >= 2 and 3 * sum(low[i:i + 2] in COMMON_PAIRS for i in range(pairs)) >= 2 * pairs


def wordiness(text: str) -> float:
    """Share of the letters and digits that stand in runs one can read."""
    chunks = _CHUNK.findall(text)
    total = sum(map(len, chunks))
    return sum(len(c) for c in chunks if len(c) >= 3 and wordlike(c)) / total if total else 1.0


def is_hex(text: str) -> bool:
    """Whether it consists of hexadecimal digits."""
    return _HEX.match(text) is not None


def is_uuid(text: str) -> bool:
    """Whether it has the shape of a UUID."""
    return _UUID.match(text) is not None


def digest_sized(text: str) -> bool:
    """Hexadecimal of the length that keys and digests have."""
    return len(text) >= 24 and is_hex(text) and not text.isdigit() and _KINDS[2].search(text) is not None


def is_placeholder(value: str) -> bool:
    """Whether a value only shows where one belongs: ``<your-token>``, ``xxxx``, ``changeme``, our own placeholder."""
    return PLACEHOLDER in value or _PLACEHOLDER.match(value[:200]) is not None


def is_reference(value: str, *, quoted: bool = False) -> bool:
    """Whether a value says where the credential is to be had: a variable, a call, a path, an address of a secret store.

    What stands in quotes is no code, so there only what a template or a store would resolve counts.
    """
    value = value[:200]
    if _REFERENCE.match(value):
        return not random_looking(value.lstrip("/"), 30)
    code = None if quoted else _CODE.match(value.lstrip("([{*&!"))
    return code is not None and (wordiness(value) > 0.5 or (value[-1] in "([" and not random_looking(value[:-1])))


def is_basic(value: str) -> bool:
    """Whether it is the base64 of ``user:password``, as HTTP Basic and package registries want it."""
    if len(value) < 8 or len(value) > 400 or _BASE64.match(value) is None:
        return False
    try:
        raw = binascii.a2b_base64(value + "=" * (-len(value) % 4), strict_mode=True)
    except binascii.Error:
        return False
    return b":" in raw[:-1] and all(32 <= byte < 127 for byte in raw)


def is_jwt(value: str) -> bool:
    """Whether it begins like a JSON Web Token: the base64 of a brace and a quotation mark."""
    return value.startswith("eyJ") and len(value) >= 16


def is_other(value: str) -> bool:
    """Whether it is a kind of value that is no credential: a version, a date, a number with its unit, a ticket."""
    return _OTHER_VALUE.match(value[:100]) is not None


def is_name(value: str) -> bool:
    """Whether it names a variable or field for a credential and is none: ``DB_PASSWORD``, ``newPassword``."""
    return (
        _IDENTIFIER.match(value) is not None
        and ("_" in value or "-" in value or not value.islower() or _SECRET_NOUN.match(value) is not None)
        and _SECRET_NOUN.search(value) is not None
        and (len(value) < 8 or wordiness(value) > 0.6)
    )


@lru_cache(maxsize=4096)
def random_looking(value: str, least: int = 16) -> bool:
    """Whether nobody thought this up: long, mixed, without readable parts, and of no known harmless shape."""
    value = value.strip("=.-_~+/")
    if not least <= len(value) <= 2000 or value.startswith(HARMLESS_STARTS) or is_hex(value) or is_uuid(value):
        return False
    if _ULID.match(value) or _FILE.search(value) or len(set(value)) < min(10, len(value) // 2 + 2):
        return False
    if len(value) > 40 and _ALPHABET in value.lower():
        return False
    lower, upper, digit = (kind.search(value) is not None for kind in _KINDS)
    if lower + upper + digit < 2 or (not digit and len(value) < 24):
        return False
    chunks = _CHUNK.findall(value)
    density = len(chunks) / sum(map(len, chunks))           # a name has long chunks, a random run short ones
    if (not digit and density < 0.4) or (lower + upper + digit < 3 and (len(value) < 20 or density < 0.25)):
        return False
    return wordiness(value) < 0.45


def chosen_password(value: str) -> bool:
    """Whether a short value looks like a password that a person chose: letters with digits or signs."""
    return (
        5 <= len(value) <= 128
        and any(c.isalpha() for c in value)
        and any(c.isdigit() or (not c.isalnum() and c not in "-_./,:'") for c in value)
        and not is_other(value)
        and not is_placeholder(value)
        and not is_reference(value)
        and not _FILE.search(value)
        and not plain_word(value)
        and not _MAIL.match(value)
        and not _ORDINARY.match(value)
    )


def plain_word(value: str) -> bool:
    """A word, or a hyphenated or dotted run of words, that says something about a credential or names a type."""
    low = value.lower().strip(".,;:!?*`'\"()")
    if low in HARMLESS_WORDS or not low:
        return True
    parts = re.split(r"[-_./|]", low)
    return len(parts) > 1 and all(part in HARMLESS_WORDS or part.isdigit() or described(part) for part in parts)


def described(value: str) -> bool:
    """A lower-case word with the ending of an adjective or a participle: "expirable", "regenerated", "temporary"."""
    return _DESCRIBED.match(value) is not None
