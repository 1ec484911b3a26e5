"""Names, index lines and keywords for English statements, and the pieces that a correction could swap."""

from __future__ import annotations

import re

from reverie.core import budget
from reverie.models.rules.english_shape import names, pieces
from reverie.models.rules.english_words import word_list
from reverie.models.rules.language import Value

TITLE_CHARACTERS = 60
LINE_CHARACTERS = 150               # study, Qwen Code: an index line has 150 characters

_STOP = frozenset(word_list("""
a about after again all also always am an and any are aren't as at be because been before being but by can can't could
did do does doesn't doing don't
down each every few for from had has have having he her here hers him his how i i'd i'll i'm i've if in into is isn't
it it's its just let's like
may me might more most must my need needs never new no nor not now of off on once only or other our out over own
please put she should so some
such than that that's the their them then there these they they're this those through to too under until up upon us
use used uses using very via was wasn't we
we're we've were what when where which while who why will with without won't would you your yours everything anything
nothing nobody somebody someone
something thing things way really still say says said get gets got goes go going keep make makes made want wants
because since unless otherwise
instead rather one two three first last next same both either neither ok okay yes sorry
"""))
_CLAUSE_END = re.compile(r"[;:]\s|,\s|\s[–—-]\s|\s(?:because|since|so that|otherwise|unless|when|which|as)\s|\.\s")
_WORD = re.compile(r"[A-Za-z][\w'’-]*[A-Za-z0-9]|[A-Za-z]{2,}")

_OBJECT_OF = re.compile(
    r"\b(?:use|using|on|to|is|are|in|at|with|via|through|by|after|before|until|from|for|of|as|under|over|real|need|"
    r"needs|pick|picked|choose|chose|prefer|run|want|called|named|than|only|it's|into|behind|stays?|"
    r"be|was|were|ask|tag|ping|decision is|owner is|except|exactly|raise|write|speak|my)\s+(?:a |an |the |our |"
    r"project |version |port |about |exactly |only )?$", re.IGNORECASE)
_PASSED_OVER = re.compile(
    r"\b(?:not|no|never|without|off|instead of|rather than|than|don't use|from)\s+(?:a |an |the )?$", re.IGNORECASE)
_NEGATED = re.compile(r"\b(?:nothing|never|not|don't|no longer|nobody|no)\b", re.IGNORECASE)
_TO = re.compile(r"[\w'-]*(?: [\w'./#-]+){0,4} to\b")
_STRONG = re.compile(r"\b(?:always use|use|is on|are on|to|is|at|on|in|under|by|after|from)\s+(?:the )?$", re.
    IGNORECASE)


# "I tried batching in spring, so …": the trial is the reason, the name says the rule.
_TRIED = re.compile(r"^(?:i|we|they|somebody|someone) (?:have |had |'ve )?(?:tried|had|lost|spent|wasted|used|did|ran|saw|got)\b.{8,200}?(?:,? so |; )(?P<rule>.{12,})$",
                    re.IGNORECASE)
# "Whenever you write a migration for this project, …": the condition is not what it is about.
_CONDITION = re.compile(r"^(?:when(?:ever)?|if|before|after|once|while) (?:you|we|i|somebody|someone)\b[^,]{3,80}, (?P<rule>.{15,})$", re.IGNORECASE)
# "We decided yesterday to", "Finance confirmed this morning that": who said so and when, before what was said.
_FRAME = re.compile(
    r"^(?:on [\w -]{3,24}?,? )?(?:we|they|[A-Za-z]+|the \w+(?: \w+)?) (?:have |has |just |finally )*(?:decided|"
    r"agreed|confirmed|settled|concluded)"
    r"(?: (?:yesterday|today|last \w+|this \w+|on [\w -]{3,24}?))?(?: \(\d{4}-\d\d-\d\d\))? (?:to|that) ")


def title(text: str) -> str:
    """The first clause, cut at a word, with a capital and without a full stop."""
    text = _FRAME.sub("", " ".join(text.split()))
    for lead in (_TRIED, _CONDITION):
        if len(text) > TITLE_CHARACTERS and (found := lead.match(text)):
            text = found["rule"]
    if len(text) > TITLE_CHARACTERS:
        cut = next((m.start() for m in _CLAUSE_END.finditer(text) if 18 <= m.start() <= TITLE_CHARACTERS), 0)
        text = text[:cut] if cut else _at_a_word(text, TITLE_CHARACTERS)
    return capital(text.rstrip(" .,;:!"))


def describe(text: str) -> str:
    """One line for the index."""
    return _at_a_word(" ".join(text.split()), LINE_CHARACTERS)


def _at_a_word(text: str, characters: int) -> str:
    """Shortened by ``core.budget``, and moved back to the end of a word."""
    cut = budget.clip(text, characters)
    end = cut.text.rfind(" ")
    return str(cut.text) if cut.whole or end < characters // 2 else cut.text[:end].rstrip(" ,;:") + "…"


def capital(text: str) -> str:
    """A capital at the beginning, unless the first word is a value whose letters matter."""
    first = text.split(" ", 1)[0]
    return text[:1].upper() + text[1:] if first.islower() and first.rstrip(",;:.'").replace("'", "").replace("-",
    "").isalpha() else text


def keywords(text: str) -> tuple[str, ...]:
    """Names and values first, then the longer content words; at most eight, in lower case where case says nothing."""
    found: dict[str, str] = {}
    for value in sorted([*pieces(text), *names(text)], key=lambda v: v.start):
        word = text[value.start:value.end].strip("`.,'’")
        if value.kind not in ("number", "date", "weekday", "time") and 1 < len(word) <= 60:
            found.setdefault(word.casefold(), word)
    rest = [w for w in _WORD.findall(text) if w.casefold() not in _STOP and len(w) > 3]
    for word in sorted(dict.fromkeys(rest), key=lambda w: -len(w)):
        if not any(word.casefold() in key for key in found):
            found.setdefault(word.casefold(), word.lower())
    return tuple(list(found.values())[:8])


def content(text: str) -> frozenset[str]:
    """The content words of a text, roughly stemmed, for asking whether two sentences speak of the same thing."""
    return frozenset(re.sub(r"(?:ing|ed|es|s)$", "", w.casefold()) for w in re.findall(r"[\w'./#-]{3,}", text)
                     if w.casefold().strip("'.") not in _STOP)


def values(text: str) -> list[Value]:
    """The pieces that a correction could swap, the likeliest first."""
    found: list[Value] = []
    taken: list[tuple[int, int]] = []
    for value in [*pieces(text), *names(text)]:
        if any(a < value.end and value.start < b for a, b in taken):
            continue
        taken.append((value.start, value.end))
        found.append(_weighed(text, value, 2.0))
    if 1 < len(text.split()) <= 6 and (not found or found[0].end - found[0].start < len(text.strip()) * 0.6):
        return [Value(start=0, end=len(text), kind="phrase", weight=1.0), *found, *sorted(
            [_weighed(text, Value(start=m.start(), end=m.end(), kind="word"), 1.0) for m in _WORD.finditer(text)
             if m.group().casefold() not in _STOP and not any(a < m.end() and m.start() < b for a, b in taken)], key=lambda v: -v.weight)]
    for match in _WORD.finditer(text):
        word = match.group()
        if word.casefold() in _STOP or any(a < match.end() and match.start() < b for a, b in taken):
            continue
        found.append(_weighed(text, Value(start=match.start(), end=match.end(), kind="word"), 1.0))
    found.extend(_phrases(text))
    return sorted(found, key=lambda v: -v.weight)


# "the team vault Harbor" in "credentials live in the team vault Harbor, the …": what a phrase of several words could
# stand for.
_COMPLEMENT = re.compile(
    r"\b(?:in|at|on|from|to|is|are|use|with|by|for|under|of|through|via)\s+(?P<phrase>(?:(?:the|a|an|"
    r"our)\s+)?(?:[\w./:#@-]+\s+){1,4}?[\w./:#@-]+)(?=[,;.]?\s*$|[,;:]|\s+(?:and|but|because|so|until|instead|for|to|"
    r"from|with|in|on|at|by|when|if|now|only)\b)")


def _phrases(text: str) -> list[Value]:
    return [Value(start=m.start("phrase"), end=m.end("phrase"), kind="phrase", weight=1.5) for m in _COMPLEMENT.
    finditer(text)]


def _weighed(text: str, value: Value, base: float) -> Value:
    before, after = text[max(0, value.start - 24):value.start], text[value.end:value.end + 40]
    clause = text[max(text.rfind(",", 0, value.start), text.rfind(";", 0, value.start)) + 1:value.start]
    weight = base * (0.5 if _NEGATED.search(clause) else 1.0)
    if _PASSED_OVER.search(before) and (not before.rstrip().endswith("from") or _TO.match(after)):
        weight *= 0.4
    elif _STRONG.search(before):
        weight *= 1.6
    elif _OBJECT_OF.search(before):
        weight *= 1.3
    return Value(start=value.start, end=value.end, kind=value.kind, weight=weight)
