"""Sentences of one message put together: which belong to one memory, which of them is its head, and what the others
are to it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from reverie.core.proposal import Reason
from reverie.models.rules import english_change, english_confirm, english_names, english_passing
from reverie.models.rules.english_evidence import Seen, kind_of, settled
from reverie.models.rules.english_order import Order
from reverie.models.rules.english_wording import sentence, without_task, worded
from reverie.models.rules.language import Act, Reading, Scene

KEEP = 1.5                          # from this weight of evidence on a sentence is a memory of its own
SHORT = 45                          # characters of a sentence that hardly stands alone


class Verdict:
    """A sentence, what it shows, and why it is nothing if it is."""

    __slots__ = ("refusal", "score", "seen")

    def __init__(self, seen: Seen, refusal: Reason | None) -> None:
        self.seen, self.refusal = seen, refusal
        self.score = seen.score

    @property
    def keeps(self) -> bool:
        return self.refusal is None


_PASSING = frozenset(sign.name for sign in english_passing.PASSING) - {"dunno"}
_PRONOUN = re.compile(r"^(?:it|it's|they|they're|that|that's|this|there|he|she)\b")
_LIKE_THAT = re.compile(r"\b(?:like (?:that|this)|that way|this way)\b")
_BACKWARD = re.compile("|".join((
    r"^(?:it|it's|its|they|they're|them|their|that|that's|this|these|those|he|she|his|her|there|then|otherwise|so|"
    r"same|both|only|exceptions?|else|which|if (?:it|that|not|you do)|one|ones|such|without (?:it|that))\b",
    r"\b(?:that way|like (?:that|this)|for that|of that|by that|exactly that|because of that|(?:use|need|see|do|keep|"
    r"doing) (?:it|that|"
    r"them|this))\b",
    r"^(?:we|i|they|you|people|everyone|somebody|someone) (?:\w+ )?\w+ (?:it|that|this|them)\b")))


def joins(group: list[Verdict], verdict: Verdict) -> bool:
    """Whether a sentence goes on about what the sentences before it say."""
    last, seen = group[-1], verdict.seen
    if verdict.refusal is Reason.TOO_SHORT and last.keeps and last.seen.shows("not_wanted", "none_of", "dont") and seen.shows("slogan"):
        return bool(english_names.content(seen.text))   # "no inheritance in here. composition"
    if verdict.refusal not in (None, Reason.NO_SIGNAL) or last.refusal not in (None, Reason.NO_SIGNAL):
        return False
    if english_passing.REQUEST.search(seen.low):
        return False
    if not verdict.keeps and seen.order is not None and seen.order.reach < 0 and not _applies(seen, seen.order):
        return False                    # a task stands behind a fact, it is not part of it
    if not verdict.keeps and seen.shows(*_PASSING):
        return False
    if verdict.keeps and last.keeps and _kind([verdict]) == "reference" != _kind([last]) and not _PRONOUN.match(seen.
        low):
        return False
    if seen.said.startswith("("):
        return last.keeps or not verdict.keeps
    backward = bool(_BACKWARD.search(seen.low))
    if seen.talk.more and not backward:
        return False
    if backward or (last.seen.lesson and verdict.keeps):
        return True
    if verdict.keeps and last.keeps:
        given = last.seen.order
        opposed = given is not None and given.negative and seen.order is not None
        return opposed or (_shares(last, verdict) and (len(seen.low) < SHORT or _kind([last]) == _kind([verdict])))
    if verdict.keeps:
        return any(_shares(each, verdict) for each in group)
    if seen.order is not None and seen.order.reach < 0:
        return any(each.keeps for each in group)
    return last.keeps and (len(seen.low) < 90 or _shares(last, verdict))


_PERSON = re.compile(r"^(?:please )?[a-z]+ (?:her|him|them)\b")


def _applies(seen: Seen, given: Order) -> bool:
    """Whether an order about one thing says what to do about the fact before it: "follow it literally", "tag her"."""
    return not (given.task or given.both) or _PERSON.match(seen.low) is not None


def _shares(one: Verdict, other: Verdict) -> bool:
    """Whether two sentences speak of the same thing: a content word in common."""
    return bool(english_names.content(one.seen.text) & english_names.content(other.seen.text))


def _kind(group: Sequence[Verdict]) -> str:
    return kind_of([each.seen for each in group], KEEP)


def closed(group: list[Verdict], scene: Scene) -> list[Reading]:
    """The readings of sentences that belong together: one statement, its reasons, details and how to apply it; or
    nothing."""
    if (confirming := _confirming(group, scene)) is not None:
        return confirming
    kept = [each for each in group if each.keeps]
    if not kept:
        return [nothing(each.seen, each.refusal or Reason.NO_SIGNAL) for each in group]
    rules = [each for each in kept if not each.seen.lesson] or kept
    solid = [each for each in rules if not english_confirm.hollow(each.seen.low)] or rules
    head = max(solid, key=lambda each: (_BACKWARD.search(each.seen.low) is None, each.score, -group.index(each)))
    place = group.index(head)
    if place and _LIKE_THAT.search(head.seen.low) and not group[place - 1].seen.lesson:
        place, head = place - 1, group[place - 1]   # "types first, then code. work like that on every bug"
    orders = [each for each in group[place + 1:] if each.seen.order is not None and head.seen.order is None]
    how = " ".join(sentence(each.seen.text) for each in orders)
    return [_statement(each.seen, group, scene, how) if each is head else _beside(each, before=i < place, applied=each in orders)
            for i, each in enumerate(group)]


def _confirming(group: Sequence[Verdict], scene: Scene) -> list[Reading] | None:
    """The readings of "that is how I want the fixtures from now on": what was done stands in the answer. None where the group says
    something itself; nothing at all without an answer to fill it from, since "that" alone is worth nothing."""
    pointing = next((each for each in group if english_confirm.points(each.seen.low, each.seen.said)
                     and not english_confirm.hollow(each.seen.low)), None)
    if pointing is None or any(each.keeps and each is not pointing for each in group):
        return None
    said = " ".join(each.seen.said for each in group)
    done = english_confirm.confirmed(scene.answer, said)
    if not done:
        return [nothing(each.seen, each.refusal or Reason.NO_SIGNAL) for each in group] if scene.answer else None
    own = " ".join(sentence(each.seen.text) for each in group if each.refusal in (None, Reason.NO_SIGNAL, Reason.QUESTION))
    return [Reading(act=Act.STATEMENT, quote=said, text=f"{sentence(f'Keep to this: {done}')} {own}", type="feedback", rule="en.confirmed_answer")]


def _beside(each: Verdict, *, before: bool, applied: bool) -> Reading:
    """A sentence beside the statement: why, what else, how to apply it (its words are in the statement then), or
    nothing."""
    seen = each.seen
    if applied:
        return Reading(act=Act.DETAIL, quote=seen.said, rule="en.how")
    if seen.lesson and (before or not each.keeps):
        return Reading(act=Act.REASON, quote=seen.said, text=sentence(seen.text), rule="en.reason")
    if english_confirm.hollow(seen.low) or (before and not each.keeps and not seen.past):
        return nothing(seen, Reason.NO_SIGNAL)      # "now the payments side", "keep doing it like that"
    return Reading(act=Act.DETAIL, quote=seen.said, text=sentence(without_task(seen.text)), rule="en.detail")


def _statement(seen: Seen, group: Sequence[Verdict], scene: Scene, how: str) -> Reading:
    kind = _kind(group)
    if all(english_confirm.hollow(each.seen.low) for each in group) and english_confirm.for_good(seen.low):
        if not (done := english_confirm.confirmed(scene.answer, seen.said)):
            return nothing(seen, Reason.NO_SIGNAL)
        return Reading(act=Act.STATEMENT, quote=seen.said, text=sentence(f"Keep to this: {done}"), type="feedback",
                       rule="en.confirmed_answer")
    words = worded(seen.text, kind, seen.said)
    if words.replaces or (seen.shows("about_work") and seen.shows("decided", "replaced")):
        kind = settled([each.seen for each in group], KEEP)
    return Reading(act=Act.STATEMENT, quote=seen.said, text=words.text, rule=_rule(seen), type=kind,
                   scope=_scope(kind, group), why=words.why, how=how, replaces=words.replaces,
                   changes=english_change.changes(seen.said))


_PERSONAL = re.compile(r"\b(?:i|i'm|i've|my|me|i'd)\b")
_OF_MINE = re.compile(r"\b(?:of mine|my screen|i read)\b")


def _scope(kind: str, group: Sequence[Verdict]) -> str:
    """Whether it holds in every project: what a person is, and how they want to be spoken to."""
    if kind == "user":
        return "user"
    if kind != "feedback" or any(each.seen.shows("here", "we_present") for each in group):
        return "project"
    for each in group:
        seen = each.seen
        if seen.shows("answers", "felt", "tongue", "approval") or _OF_MINE.search(seen.said.lower()) or (
                seen.shows("stop_it", "prefer") and _PERSONAL.search(seen.low)):
            return "user"
    return "project"


_RULES = ("confirmed", "stop_it", "approval", "i_am", "my_life", "i_habit", "tongue", "located", "place_is", "told_at",
    "look_there", "owner", "cause_found",
          "decided", "plan", "harm", "prefer", "always", "standing", "norm", "none_of", "dont", "we_present", "when",
          "measure", "generic")


def _rule(seen: Seen) -> str:
    """The sign that speaks loudest, as the rule's name."""
    if seen.talk.explicit:
        return "en.asked"
    return "en." + next((name for name in _RULES if name in seen.shares), "order" if seen.order else "fact")


def nothing(seen: Seen, reason: Reason) -> Reading:
    return Reading(act=Act.NOTHING, quote=seen.said, reason=reason)
