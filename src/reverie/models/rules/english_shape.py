"""An English sentence as the rules see it: values masked, small words lower, names kept.

``low`` is what the patterns of ``english_signs`` match: URL, PATH, CODE, FLAG, CHAN, ID, NUM, DATE, DAY, TIME stand
for values, all other
words are lower case except names inside the sentence ("Dana", "Jira"), which keep their capital. So a pattern can say
"a name after *from*" and is never caught by a word inside a path.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from reverie.models.rules import neutral
from reverie.models.rules.english_words import DETERMINERS, PAST_IRREGULAR, RULE_VERBS, TASK_VERBS, word_list
from reverie.models.rules.language import Value

MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|"
    r"Aug|Sept?|Oct|Nov|Dec)")
DAY = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_DATES = re.compile(
    rf"\b\d{{4}}-\d\d-\d\d\b|\b(?:\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {MONTH}|{MONTH} \d{{1,2}}(?:st|nd|rd|"
    rf"th)?\b)(?:,? \d{{4}}\b)?|\b{MONTH} \d{{4}}\b"
    rf"|\bthe \d{{1,2}}(?:st|nd|rd|th)\b(?: of the month)?|\bQ[1-4](?: \d{{4}})?\b"
    r"|(?<=\bin )20\d\d\b|(?<=\bby )20\d\d\b|(?<=\bbefore )20\d\d\b|(?<=\buntil )20\d\d\b|(?<=\bsince )20\d\d\b|"
    r"(?<=\bafter )20\d\d\b", re.IGNORECASE)
_WEEKDAY = re.compile(rf"\b{DAY}s?\b", re.IGNORECASE)
_TIME = re.compile(r"\b\d{1,2}:\d\d(?: ?(?:am|pm|UTC))?\b|\b\d{1,2} ?(?:am|pm)\b", re.IGNORECASE)
_MONTH_NAME = re.compile(rf"\b{MONTH}\b")
_PASSING_PATHS = ("/tmp/", "/var/tmp/", "~/Downloads/", "/dev/")  # what lies there is gone tomorrow
_PLACEHOLDER = neutral.PLACEHOLDER
_WORD = re.compile(r"[A-Za-z][\w'’-]*|\S")
_NAME_INSIDE = re.compile(r"(?<![.!?:] )(?<!^)\b[A-Z][\w'’-]*(?: (?:[A-Z][\w-]*|\d{1,3}\b))*")

_MASK = {
    "url": "URL", "path": "PATH", "codespan": "CODE", "code": "CODE", "flag": "FLAG", "channel": "CHAN", "id": "ID",
    "number": "NUM", "date": "DATE", "weekday": "DAY", "time": "TIME",
}

# Words that begin a sentence with a capital without being a name.
_COMMON = frozenset(word_list("""
i we you he she it they there here this that these those the a an what when where why how who which while if unless
until after before since because although though
as at by for from in into of off on onto out over per to under up with without not no nor never always only just also
and or but so yet then than
all any both each every everything everyone everybody nothing nobody anything anyone someone somebody something most
many much more some few several another other others
is are was were be been am do does did have has had can could will would shall should may might must let please thanks
yes nope ok okay well
our my your his her its their mine yours one two three four five six seven eight nine ten first second last next new
old same own such
currently today tomorrow yesterday tonight now once twice maybe perhaps sometimes usually often still again already
soon later finally instead
don't doesn't didn't isn't aren't wasn't weren't won't can't cannot couldn't shouldn't wouldn't haven't hasn't hadn't
it's that's there's i'm i've i'd we're we've we'd let's
good great nice perfect fine sorry remember reminder note heads fyi btw background context planning legal finance
marketing contractually
""")) | frozenset(TASK_VERBS) | frozenset(RULE_VERBS) | PAST_IRREGULAR | DETERMINERS
_COMMON_ENDINGS = ("ing", "tion", "tions", "ment", "ments", "ness", "ity", "able", "ible", "ful", "less", "ive", "ous",
    "ally", "ed", "ly")


@dataclass(frozen=True, slots=True)
class Shape:
    """One sentence, seen. ``text`` is as it was said; ``low`` is masked; ``first`` the first word of ``low``."""

    text: str
    low: str
    first: str


def pieces(text: str) -> list[Value]:
    """The values of an English text in order, not overlapping: those of every language, and dates, weekdays and
    times."""
    found = [Value(start=m.start(), end=m.end(), kind=kind)
             for kind, pattern in (("date", _DATES), ("weekday", _WEEKDAY), ("time", _TIME)) for m in pattern.finditer(
             text)]
    found.extend(neutral.values(text))
    found.sort(key=lambda v: (v.start, -v.end))
    kept: list[Value] = []
    for value in found:
        if not kept or value.start >= kept[-1].end:
            kept.append(value)
    return kept


def names(text: str) -> list[Value]:
    """Names inside a text: capitalised words that are not the pronoun I, not a month, not a common first word."""
    found = []
    for match in re.finditer(r"\b[A-Z][\w'’-]*(?: [A-Z][\w-]*)*", text):
        words = match.group()
        start = match.start()
        while words:                                         # "The Lisbon office": the article is not of the name
            first, _, rest = words.partition(" ")
            if not _is_common(first) and not _MONTH_NAME.fullmatch(first):
                break
            start += len(first) + (1 if rest else 0)
            words = rest
        if len(words) > 1:
            found.append(Value(start=start, end=start + len(words), kind="name"))
    return found


def shape(text: str) -> Shape:
    """A sentence with its values masked and its words lowered."""
    parts: list[str] = []
    done = 0
    for value in pieces(text):
        mask = "tmppath" if text.startswith(_PASSING_PATHS, value.start) else _MASK[value.kind]
        parts += (text[done:value.start], f" {mask} " if value.kind == "codespan" else mask)
        done = value.end
    masked = "".join((*parts, text[done:])).replace("’", "'")
    masked = _PLACEHOLDER.sub("SECRET", masked)
    low = " ".join(_lowered(masked).split())
    word = re.match(r"[\w'-]+", low)
    return Shape(text, low, word.group() if word else "")


def _lowered(masked: str) -> str:
    out: list[str] = []
    done = 0
    opening = True
    for match in re.finditer(r"[A-Za-z][\w'-]*", masked):
        word = match.group()
        out.append(masked[done:match.start()])
        if "." in out[-1] or "!" in out[-1] or "?" in out[-1]:
            opening = True
        word = _APOSTROPHE.get(word.lower(), word)
        if word in _TOKENS:
            out.append(word)
        elif word.isupper() and len(word) > 2 and word.lower() in _COMMON:
            out.append(word.lower())
        elif word[0].isupper() and not (_is_common(word) if opening else word in ("I", "I'm", "I've", "I'd", "I'll")):
            out.append(word)
        else:
            out.append(word.lower())
        opening = False
        done = match.end()
    out.append(masked[done:])
    return "".join(out)


_APOSTROPHE = {word.replace("'", ""): word for word in word_list(
    "don't doesn't didn't can't won't isn't aren't wasn't weren't shouldn't wouldn't couldn't haven't hasn't that's "
    "there's what's i'm i've you're they're let's")}
_TOKENS = frozenset(("URL", "PATH", "CODE", "FLAG", "CHAN", "ID", "NUM", "DATE", "DAY", "TIME", "SECRET"))


def _is_common(word: str) -> bool:
    low = word.lower()
    return low in _COMMON or low.endswith(_COMMON_ENDINGS) or (low.endswith("s") and len(low) > 3 and not low.endswith((
    "ss", "us", "is", "as", "os")))
