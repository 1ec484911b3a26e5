"""How much is asked of a value before it is taken for a credential, by where it stands.

``believable`` for what a credential's name is given outright, ``told`` for what a sentence says it is, ``close_by`` for
what merely stands beside it.
"""

from __future__ import annotations

import re

from reverie.core import secret_values as values

# Kinds of credentials, by what their values look like: a person's choice, a random string, the same under a name that
# is used for much else, something surely random, a few digits.
PASSWORD, SECRET, KEY, RANDOM, CODE = "password", "secret", "key", "random", "code"

_LABEL = re.compile(
    r"\b(?:must|enter|please|your|invalid|required?|at least|characters?|cannot|should|forgot|reset|confirm|choose|is|"
    r"the|a|for|to|of)\b",
    re.I,
)
_SIMPLE_NAME = re.compile(r"[\w-]+\Z")
_DOTTED_NAME = re.compile(r"[\w./:-]+\Z")


def believable(value: str, kind: str, noun: str, *, quoted: bool, literal: bool, ends: bool) -> bool:
    """Whether a value that a credential's name is given is one.

    ``literal``: no variable or type can stand here (an environment file, a flag); ``ends``: no prose follows.
    """
    if _something_else(value, quoted=quoted or literal):
        return False
    value = value.removeprefix("base64:")
    if kind == KEY:
        return values.random_looking(value) or _digest(value)
    if kind == RANDOM:
        return values.random_looking(value) or _digest(value) or values.is_basic(value) or values.is_jwt(value)
    if kind == CODE:
        return value.isdigit() and 4 <= len(value) <= 8
    if " " in value:
        return is_phrase(value, noun)
    if noun in ("pass", "pw"):
        return values.chosen_password(value) and (quoted or any(map(str.isdigit, value)))
    if kind == PASSWORD:
        return _password(value, quoted=quoted, literal=literal, ends=ends)
    return _secret(value, literal=literal, ends=ends)


def told(value: str, kind: str, *, quoted: bool, direct: bool = False) -> bool:
    """Whether what a sentence says of a credential's name is the credential: "the password is …"."""
    if not value or " " in value or _something_else(value, quoted=quoted) or values.is_name(value):
        return False
    if values.random_looking(value) or _digest(value):
        return True
    digit = any(map(str.isdigit, value))
    if kind == SECRET:
        chosen = values.chosen_password(value) and digit and values.wordiness(value) < 0.7
        return len(value) >= 8 and (chosen or values.is_uuid(value))
    if kind != PASSWORD:
        return False
    if values.chosen_password(value) and (quoted or digit or values.wordiness(value) < 0.95):
        return True
    number = value.isdigit() and len(value) >= 4
    word = value.isascii() and value.isalpha() and len(value) >= 5
    return (quoted and (word or number)) or (direct and (number or (word and not values.described(value))))


def close_by(value: str, kind: str, quoted: bool) -> bool:
    """Whether a value that only stands beside a credential's name is one."""
    if _something_else(value, quoted=quoted):
        return False
    if values.random_looking(value):
        return True
    if kind not in (PASSWORD, SECRET):
        return False
    if _digest(value):
        return True
    if not values.chosen_password(value):
        return False
    mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    if kind == PASSWORD:
        return len(value) >= 6 and (mixed or quoted) and values.wordiness(value) < 0.95
    cases = any(map(str.isupper, value)) and any(map(str.islower, value))
    return len(value) >= 8 and mixed and cases and values.wordiness(value) < 0.6


def _something_else(value: str, *, quoted: bool) -> bool:
    return values.is_placeholder(value) or values.plain_word(value) or values.is_reference(value, quoted=quoted)


def _digest(value: str) -> bool:
    return len(value) >= 32 and values.digest_sized(value)


def _password(value: str, *, quoted: bool, literal: bool, ends: bool) -> bool:
    if len(value) < 4 or (not literal and values.is_name(value)):
        return False
    if value.isalpha() and value.isascii():
        if not ends or (not literal and values.described(value)):
            return False
        humps = sum(c.isupper() for c in value[1:])      # TextField, SecretStr: a type
        return quoted or literal or not (humps and values.wordiness(value) > 0.6)
    if quoted or literal:
        return True
    if value.count("-") >= 3 and value.islower() and not values.is_name(value):
        return ends                                      # correct-horse-battery-staple
    readable = not any(map(str.isdigit, value)) and values.wordiness(value) > 0.75
    return not (readable and _SIMPLE_NAME.match(value)) and (value.isdigit() or not values.is_other(value))


def _secret(value: str, *, literal: bool, ends: bool) -> bool:
    if len(value) < 8 or values.is_name(value):
        return False
    if value.isalpha():
        return ends and (literal or not (values.wordlike(value) or values.wordiness(value) > 0.6))
    if values.is_other(value) and not value.isdigit():
        return False
    named = _DOTTED_NAME.match(value) is not None and values.wordiness(value) > 0.75
    return not (named and sum(map(str.isdigit, value)) <= 2)


def is_phrase(value: str, noun: str = "passphrase") -> bool:
    """A value of several words: a pass phrase, or the label of a form."""
    parts = value.split()
    if _LABEL.search(value) or len(parts) > 24:
        return False
    if noun in ("passphrase", "passcode"):
        return len(parts) >= 2
    chosen = any(len(p) >= 6 and values.chosen_password(p) and any(map(str.isdigit, p)) for p in parts)
    return chosen and len(parts) <= 4
