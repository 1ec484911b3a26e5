"""Orders: is an English sentence an imperative, and is it about this one piece of work or about all work of its kind?

A task names its object ("rename this function", "a test for the parser"); a rule speaks of a kind ("raise DomainError
instead of
bare exceptions", "keep pull requests small"). English marks that with determiners and number, and that is what is
looked at, besides the verb.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from reverie.models.rules.english_words import DETERMINERS, NOUN_OR_VERB, PAST_IRREGULAR, RULE_VERBS, TASK_VERBS, word_list

_TASK = frozenset(TASK_VERBS)
_RULE = frozenset(RULE_VERBS)
_VERBS = _TASK | _RULE | frozenset(word_list(
    "make have let be do bring come hand hold prefer stop quit spend rely depend want"))
_ADVERBS = (
    r"(?:please|just|also|then|and|so|now|ok|only|rather|simply|kindly|better|instead|always|in that case|next "
    r"time|if possible)")
_HEAD = re.compile(rf"^(?:{_ADVERBS},? )*(?P<no>(?:don't|do not|never|avoid|no need to) (?:ever "
    rf")?)?(?P<verb>[a-z][a-z-]*)\b(?P<rest>.*)$")
_FINITE = re.compile(
    r"^ (?:[\w-]+ ){0,6}(?:is|are|was|were|has|have|had|must|should|can|may|will|goes|go|lives?|comes?|ends?|moved|"
    r"slipped|stays?|needs?|belongs?|sits?|lands?|became|gets?|got|carry|carries|describe|include)\b")
_SPECIFIC = frozenset(word_list(
    "the a an this that these those it them him her me my your our one two three four five six ten NUM several "
    "another some both how why whether if last there here up down out off on in back through"))
_GENERIC = frozenset(word_list("every each any all no only whatever what everything anything nothing"))
_PREPOSITIONS = frozenset(word_list(
    "in with by for to at on from through via under over about as like without before after"))


_ARTICLE = re.compile(r" (?:the|a|an|this|that|these|those|my|your|me|it|them)\b")
_THEN = re.compile(r"[,;:] (?:but |and |rather |instead |please |just )*(?P<verb>[a-z-]+) (?P<next>[\w'`]+)")


@dataclass(frozen=True, slots=True)
class Order:
    """An imperative. ``reach``: 1 about a kind of thing, 0 open, -1 about one thing."""

    verb: str
    negative: bool
    reach: int
    task: bool                      # a verb that mostly begins tasks
    both: bool = False              # a verb that begins tasks as well as rules
    then: bool = False              # a second order follows behind a comma: "don't guess, attach a profile"


# What may stand before an imperative and makes it one for all such cases: "in review comments be direct".
_BEFORE = re.compile(
    r"^(?:(?:in|for|on|with|inside|under|at) (?P<kind>all |any |every |each |our |user-facing |public )?(?!the\b|"
    r"this\b|that\b|now\b|a\b|me\b|my\b)(?:[\w-]+ ){0,2}[\w-]+,? "
    r"|(?:when|whenever|before|after|once|if|while|unless) (?!i\b|it\b|this\b|that\b|the\b)[^,]{4,60}, )(?=(?:please "
    r"|always |never |don't |do not |just |only )*[a-z]+)")


def order(low: str) -> Order | None:
    """The order that a sentence begins with, or None for anything but an imperative."""
    found = _order(low)
    if found is None and (before := _BEFORE.match(low)) is not None:
        for end in _starts(low, before.end()):
            inner = _order(low[end:])
            if inner is not None:
                return Order(inner.verb, inner.negative, 1 if before["kind"] else min(1, max(0, inner.reach + 1)),
                inner.task,
                inner.both, inner.then)
    return found


def _starts(low: str, end: int) -> list[int]:
    """Where an imperative behind an opening may begin: behind the comma, or at one of the words before it."""
    if low[end - 2:end] == ", ":
        return [end]
    places = [m.start() for m in re.finditer(r"(?<= )[a-z]", low[:end + 1])]
    return places[1:4]


def _order(low: str, *, known: bool = False) -> Order | None:
    head = _HEAD.match(low)
    if head is None:
        return None
    verb, rest = head["verb"], head["rest"]
    if verb not in _VERBS and (known or not _unknown(verb, rest)):
        return None
    words = re.findall(r"[\w'`./#-]+", rest)[:4]
    if len(words) > 1 and words[0] in _PARTICLES:
        words = words[1:]                       # "spell out units"
    follower = words[0] if words else ""
    if rest[:1] in ("'", "-") or follower in ("is", "are", "was", "were", "has", "have", "had", "must", "should",
        "will", "can", "may", "s", "'s"):
        return None
    if follower in PAST_IRREGULAR and not head["no"]:
        return None                             # "make took four times as long"
    if verb in NOUN_OR_VERB and not head["no"] and follower not in DETERMINERS and follower not in _SPECIFIC:
        if _FINITE.match(rest) or (len(words) > 1 and words[0].endswith("s") and words[1] in _VERBS):
            return None
        if not follower or follower in ("of", "and", "or") or words == ["only"]:
            return None
    task = verb not in _RULE
    plural = len(words) > 1 and words[1].endswith("s") and not words[1].endswith("ss")
    reach = _reach(follower, task, plural)
    if head["no"] and follower in ("the", "a", "an"):
        reach = 0
    later = _THEN.search(rest)
    then = later is not None and later["verb"] in _VERBS and (later["verb"] not in NOUN_OR_VERB or later["next"] in
        DETERMINERS)
    return Order(verb, bool(head["no"]), reach, task, verb in _TASK and verb in _RULE, then)


_NO_VERBS = frozenset(word_list("""
half all both twice such what whatever not no is are was were be been has have had do does did can could will would
shall should may might must and or but if when while because since unless until although though as than like with
without in on at by for from of off into onto over under after before about across behind between during through to
up via per only even just almost nearly quite rather once though except besides plus i we you he she it they that
this there here who whose whom why how where otherwise
"""))


def _unknown(verb: str, rest: str) -> bool:
    """A word that is in no list and stands at the beginning before an article or "me": no noun stands there."""
    return (verb not in _NO_VERBS and verb not in PAST_IRREGULAR and not verb.endswith(("ed", "ing", "ly"))
            and _ARTICLE.match(rest) is not None)


def trailing_task(text: str) -> int:
    """Where a last clause begins that is an order about one thing ("totals are off by a cent, sort it out"); 0 for
    none."""
    for start in re.finditer(r"[,;:–—] (?:please |so |and |then |just )*", text):
        found = _order(text[start.end():], known=True)
        if found is not None and not found.negative and found.reach < 0:
            return start.start()
    return 0


_PARTICLES = frozenset(word_list("out up down off back away over"))


def _reach(follower: str, task: bool, plural: bool) -> int:
    if follower in _GENERIC:
        return 1
    if follower in _PREPOSITIONS or (follower == "the" and (not task or plural)) or follower in ("your", "my"):
        return 0
    if not follower or follower in _SPECIFIC:
        return -1
    if follower[0].isdigit():
        return -1
    named = follower[0].isupper() or follower.startswith(("`", "#", "."))
    if named:
        return -1 if task else 1
    return 1
