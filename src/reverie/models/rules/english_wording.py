"""How an English statement is written down: the rule or fact alone, its reason beside it, near to what was said."""

from __future__ import annotations

import re
from dataclasses import dataclass

from reverie.models.rules import english_clauses, english_names
from reverie.models.rules.english_change import turn
from reverie.models.rules.english_order import order, trailing_task

SHORTEST = 12                       # characters of a clause that can stand alone


@dataclass(frozen=True, slots=True)
class Wording:
    """What would be stored of a sentence."""

    text: str
    why: str = ""
    replaces: str = ""


_PLEASE = re.compile(r",? (?:please|pls)(?=[,.;:]|$)", re.IGNORECASE)
_HEADING = re.compile(
    r"^(?:(?:(?:and |ok |oh )?(?:one|another|a|small|quick|slight|last|one more|first) )*(?:change of plans?|new plan|plan change|correction|change|"
    r"decision|habit of mine|update|news|note|thing)|(?:bad|good|great) news|publishing|for your information|fyi|psa|heads[- ]up)(?: from [\w "
    r"]{2,30})?: +(?!it\b|that\b|this\b|they\b)", re.IGNORECASE)
_ONCE = re.compile(
    r"[,;:–—] (?:please |so |and |then |just )*[a-z]+ (?:it|that|this|these|those|them|the (?:one|ones|\w+ you)\b)"
    r"(?! (?:in|as|on|alone|there)\b)")
_SO_NOW = re.compile(r",? so (?=(?:please |pls |just )*(?:don't |do not |never )?[a-z]+ )")
_LINK = re.compile(r"^[,;:]? ?(?:because(?! of)|since|given that|and so|so|,)\b[ ,]*", re.IGNORECASE)
_LINK_AT_END = re.compile(r"[,;:–—]? ?(?:so|and so|hence|therefore)?[ ,;:–—]*$", re.IGNORECASE)
_LINKED = re.compile(r"(?:\bso|\bhence|\btherefore|[;:–—])\s*$", re.IGNORECASE)
_CAUSE_AT_END = re.compile(r"\b(?:because|since|due to|owing to|given that|as)\s*$", re.IGNORECASE)
_RULES_AGAIN = re.compile(r"\b(?:must|never|always|only|don't|needs?|has to|have to)\b", re.IGNORECASE)


def worded(text: str, kind: str, said: str) -> Wording:
    """The words of a statement: without "please", without a task behind it, without the state that it ends, its
    reason apart."""
    text = _HEADING.sub("", _PLEASE.sub("", text).strip())
    text = without_task(text)
    why = replaces = ""
    if changed := turn(text, whole=said):
        text, why, replaces = changed.text, changed.why, changed.old
    if kind in ("feedback", "project") and not why:
        text, why = _apart(text)
    return Wording(sentence(text), sentence(why), replaces)


def without_task(text: str) -> str:
    """Without a last clause that says what to do now: "…, delete the one you made", "…, so please don't touch it
    yet"."""
    task = trailing_task(text)
    if task > SHORTEST and _ONCE.match(text, task):
        text = text[:task]
    for link in _SO_NOW.finditer(text):
        told = order(text[link.end():].lower())
        if link.start() > SHORTEST and told is not None and told.reach < 0:
            return text[:link.start()]
    return text


def _apart(text: str) -> tuple[str, str]:
    """A statement and the reason that stands in the same sentence, where the sentence can be cut between them."""
    start, end = english_clauses.point(text.lower())
    if start > SHORTEST and len(text) - start > SHORTEST:
        reason = text[:start]
        if _CAUSE_AT_END.search(reason) or not _LINKED.search(reason):
            return text, ""                         # "it broke because …": what is to be avoided is said by both halves
        return text[start:], _LINK_AT_END.sub("", reason)
    reason = text[end:]
    if end < len(text) and end > SHORTEST and len(reason) > SHORTEST and not _RULES_AGAIN.search(reason):
        return text[:end], _LINK.sub("", reason.lstrip(" ,;:–—"))
    return text, ""


def sentence(text: str) -> str:
    """With a capital and a full stop, unless it begins or ends with something whose letters matter."""
    text = english_names.capital(text.strip().rstrip(",;:"))
    return text if not text or text[-1] in ".!?…\"'`)]" or not text[-1].isalnum() else text + "."
