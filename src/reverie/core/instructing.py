"""Whether a text tries to instruct an agent: about its memory, its rules, its safety, or by passing for a system's voice.

Memory is data, not orders (DESIGN §4.5). What a person says to their own agent is an order and may be; this is asked of
everything else: tool output, files, memories that a product, a model or a team mate wrote. No single word decides: each
signal has a weight, and only together do they make an attack, because honest memories are full of "always", "never" and
"don't ask". What says "never", "do not" or "禁止" before a dangerous thing warns of it and counts for nothing.

The name that is answered is the heaviest signal's: ``role``, ``override``, ``address``, ``memory``, ``safety``, ``exfiltration``,
``concealment``, ``hidden``; ``relaxed`` and ``persistence`` only where several weak ones come together.
"""

from __future__ import annotations

import bisect
import itertools
import re
import unicodedata
from functools import cache

from reverie.core import defuse, needles
from reverie.core.instructing_signals import NEGATED_AFTER, NEGATED_BEFORE, SIGNALS

ENOUGH = 3.0                            # weight at which a text counts as an instruction
ENOUGH_BESIDE = 3.5                     # the same for two sentences of a line
ENOUGH_APART = 4.5                      # and for two statements that stand in lines of their own
LONGEST = 50_000                       # characters that are looked at; a memory has a thousand
_WINDOW = 48                            # characters before a dangerous thing in which a warning is looked for

_WRAPPED = 60                           # characters of a line that goes on in the next, where nothing ends it
_LONGEST_LINE = 500                      # characters of a line that are looked at, from its end
_STOPS = (".", "!", "?", "。", "！", "？")
_BETWEEN = re.compile(r"(?<=[.!?])[ ]{1,8}(?=\S)|(?<=[。！？])(?=[^\n])|\n[ \n]{0,40}")
_ITEM = re.compile(r"[ ]{0,12}(?:[-*+>|#]|\d{1,3}[.)])[ ]?")

# Letters of other alphabets that pass for Latin ones, where a word mixes both.
_LOOKS_LATIN = str.maketrans(
    "аАВвсСеЕНіІјЈкКМоОрРѕЅТухХуУԁɡοΟαεικνρτυωΑΒΕΖΗΙΚΜΝΡΤΥΧ",
    "aABbcCeEHiIjJkKMoOpPsSTyxXyYdgoOaeiknptuwABEZHIKMNPTYX",
)
_MIXED_WORD = re.compile(r"\w{0,40}(?:[A-Za-z][\u0370-\u03ff\u0400-\u04ff\u0500-\u052f]"
                         r"|[\u0370-\u03ff\u0400-\u04ff\u0500-\u052f][A-Za-z])\w{0,40}")
_SPELLED = re.compile(r"\b(?:[A-Za-z][ .\-_*]){5,}[A-Za-z]\b")
_DIGITS_FOR_LETTERS = str.maketrans("013457@$", "oieasta" + "s")
_INTERLEAVED = re.compile(r"\b[A-Za-z]{0,10}(?:[A-Za-z][01345@$][A-Za-z]|\b1[gn][A-Za-z0-9])[A-Za-z0-9@$]{2,20}\b")
_DISGUISED = re.compile(r"\b(?=[a-z@$]*[0-9@$])(?=[0-9@$]*[a-z])[a-z0-9@$]{3,24}\b", re.I)
_TAG_CHARACTERS = re.compile("[\U000e0020-\U000e007e]{3,}")
_OVERRIDES_DIRECTION = re.compile("[\u202d\u202e]")
_ENTITY = re.compile(r"&(lt|gt|amp|quot|#60|#62|#x3c|#x3e);", re.I)
_BLANKS = re.compile(r"[ \t]{2,}|\t")
_PERCENT = re.compile(r"%([2-7][0-9A-Fa-f])")
_ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "#60": "<", "#62": ">", "#x3c": "<", "#x3e": ">"}


def instructs(text: str) -> str | None:
    """The name of the rule by which a text tries to instruct an agent, None when it does not."""
    weights = weigh(text)
    if sum(weights.values()) < ENOUGH:
        return None
    return max(weights, key=lambda name: weights[name])


def weigh(text: str) -> dict[str, float]:
    """What speaks for an instruction where most does, by signal, with its weight.

    Signals count together within a statement, and in two that follow each other where they are many: a page of honest
    conventions has some of everything, here a "never", there a credential, and says nothing by their sum.
    """
    raw = text[:LONGEST]
    everywhere = {"hidden": 3.0} if _TAG_CHARACTERS.search(raw) else {"hidden": 1.5} if _OVERRIDES_DIRECTION.search(raw) else {}
    aloud = _read_aloud(raw)
    plain = aloud.lower()
    starts = _statements(aloud if len(aloud) == len(plain) else plain)
    found = _found(plain, starts)
    weighed = [_together(each, everywhere) for each in found]
    for number, (one, other) in enumerate(itertools.pairwise(found)):
        if one and other:
            both = _together(one | other, everywhere)
            said = plain[starts[number]:starts[number + 1]]
            is_one_line = "\n" not in said[len(said.rstrip()):]
            if sum(both.values()) >= (ENOUGH_BESIDE if is_one_line else ENOUGH_APART):
                weighed.append(both)
    return max(weighed, key=lambda weights: sum(weights.values()))


def _statements(text: str) -> list[int]:
    """Where each statement begins: a sentence, an item of a list, a line. A heading or a line with a colon at its end belongs to
    what follows, and a long line without a full stop may go on in the next."""
    starts = [0]
    for match in _BETWEEN.finditer(text):
        if "\n" not in match[0] or not _leads_on(text, match):
            starts.append(match.end())
    return starts


def _leads_on(text: str, end: re.Match[str]) -> bool:
    line = text[max(text.rfind("\n", 0, end.start()) + 1, end.start() - _LONGEST_LINE):end.start()].strip()
    if line.startswith("#") or line.endswith((":", "：")):
        return True
    is_wrapped = end[0] == "\n" and len(line) >= _WRAPPED and not line.endswith(_STOPS)
    return is_wrapped and text[end.end():end.end() + 1].islower() and not _ITEM.match(text, end.end())


def _found(plain: str, starts: list[int]) -> list[set[int]]:
    """The numbers of the signals that each statement has."""
    found: list[set[int]] = [set() for _ in starts]
    joined = plain.replace("\n", " ") if "\n" in plain else plain
    pieces = needles.cut(joined) | needles.cut(plain) if joined is not plain else needles.cut(plain)
    for number, (name, _, pattern, guarded) in enumerate(_sought()):
        if pattern.needles and pattern.needles.isdisjoint(pieces):
            continue                     # most of them: not worth a call
        # who wants an agent to forget its rules may spread that over lines; the rest is read line by line
        said = joined if name == "override" else plain
        for match in pattern.finditer(said, pieces):
            first = bisect.bisect_right(starts, match.start()) - 1
            if number not in found[first] and not (guarded and _warned(plain, match)):      # of its own line
                for each in found[first:max(first + 1, bisect.bisect_left(starts, match.end()))]:
                    each.add(number)
    return found


def _together(signals: set[int], everywhere: dict[str, float]) -> dict[str, float]:
    weights = dict(everywhere)
    for number in sorted(signals):
        name, weight = _sought()[number][:2]
        weights[name] = weights.get(name, 0.0) + weight
    if weights.get("safety", 0.0) >= 2:
        weights.pop("relaxed", None)     # said already, and better
    return weights


@cache
def _sought() -> tuple[tuple[str, float, needles.Sought, bool], ...]:
    return tuple((name, weight, needles.Sought(pattern, re.M), guarded) for name, weight, pattern, guarded in SIGNALS)


def _warned(text: str, match: re.Match[str]) -> bool:
    """Whether a dangerous thing is named to warn of it: "never pass --no-verify", "跳过测试是禁止的"."""
    before = text[max(0, match.start() - _WINDOW):match.start()]
    after = text[match.end():match.end() + _WINDOW]
    return NEGATED_BEFORE.search(before) is not None or NEGATED_AFTER.match(after) is not None


def _read_aloud(text: str) -> str:
    """The text as it would be read: nothing invisible, no look-alike letters, no letters spelled out one by one."""
    text = unicodedata.normalize("NFKC", defuse.visible(text))
    text = _BLANKS.sub(" ", text)
    if "%20" in text:
        text = _PERCENT.sub(lambda m: chr(int(m[1], 16)), text)
    if "&" in text:
        text = _ENTITY.sub(lambda m: _ENTITIES[m[1].lower()], text)
    if not text.isascii():
        text = _MIXED_WORD.sub(lambda m: m[0].translate(_LOOKS_LATIN), text)
    text = _SPELLED.sub(lambda m: re.sub(r"[ .\-_*]", "", m[0]), text)
    if len(_INTERLEAVED.findall(text)) >= 2:
        text = _DISGUISED.sub(lambda m: m[0].lower().translate(_DIGITS_FOR_LETTERS), text)
    return text
