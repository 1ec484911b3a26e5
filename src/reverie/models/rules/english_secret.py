"""What stands beside a secret that was taken out: the fact about it is worth keeping, the sentence about the
placeholder is not."""

from __future__ import annotations

import re

from reverie.models.rules import neutral

_CLAUSE = re.compile(r"[,;] (?:and |but |so )?|\. | – | — | - ")
_ABOUT = re.compile(
    r"\b(?:the|our|my|this|that)\s+((?:[\w-]+\s+){0,3}?(?:key|token|secret|password|passphrase|credential|"
    r"credentials|api key|login|account|certificate|cert|pin|dsn|connection string|webhook))\b", re.IGNORECASE)
_THING = re.compile(r"^(?:the|our)\s+((?:[\w-]+\s+){0,2}[\w-]+?)\s+(?:is|are|lives|sits|runs)\b", re.IGNORECASE)
_FOR = re.compile(r"\bfor (?:the |our )?((?:[\w-]+\s?){1,3})$", re.IGNORECASE)
_PRONOUN = re.compile(r"^(?:it|this|that|they|those)(?:'s|'re)?\b", re.IGNORECASE)
_CARRIES = re.compile(
    r"\b(?:rotat\w+|expir\w+|renew\w+|limited|limit|allow\w*|read[- ]only|scoped|belongs?|owns?|owned|shared|"
    r"revoked?|valid|replica|lags?|lagging|mirror|copy of|points? to|stands? for|behind|until|up to|\d+|ask|wiped|reset|shared with|"
    r"writable|write access|every|each|never|only|always|must|comes? from|lives?|stored|kept|issued|managed|per (?:minute|"
    r"hour|day|second|month))\b",
    re.IGNORECASE)


def beside(sentence: str) -> str:
    """The clauses of a sentence that hold a fact and no placeholder, with the secret's name for a subject; "" when
    nothing is left."""
    parts = [p.strip() for p in _CLAUSE.split(sentence) if p.strip()]
    kept = [p for p in parts if not neutral.PLACEHOLDER.search(p) and _CARRIES.search(p)]
    if not kept:
        return ""
    named = next((p for p in parts if neutral.PLACEHOLDER.search(p)), "")
    subject = _subject(neutral.PLACEHOLDER.sub("", named))
    fact = ", ".join(kept).rstrip(" .")
    if not subject:
        return fact
    if pronoun := _PRONOUN.match(fact):
        return f"{subject} {_verb(pronoun.group())}{fact[pronoun.end():].lstrip()}"
    return f"{subject}: {fact}"


def _subject(clause: str) -> str:
    if found := _ABOUT.search(clause):
        return f"the {found.group(1).strip()}"
    if found := _FOR.search(clause.rstrip(" .:=")):
        return f"the credential for the {found.group(1).strip()}"
    if found := _THING.match(clause.strip()):
        return f"the {found.group(1).strip()}"
    return "the credential" if re.search(r"\b(?:use|key|token|password|secret)\b", clause, re.IGNORECASE) else ""


def _verb(pronoun: str) -> str:
    return "is " if pronoun.endswith("'s") else "are " if pronoun.endswith("'re") else ""
