"""English: which sentences hold something worth keeping, and what.

Read from top to bottom: a sentence is freed from its markers (``english_talk``), seen with its values masked
(``english_shape``), asked what kind of speech it is (order, question, hypothesis, aside: ``english_order``,
``english_signs``), and weighed by the signs it shows. Sentences of one message are then put together: what failed is the
reason for the rule that follows it, "it rotates every night" belongs to the key before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from reverie.core.proposal import Reason
from reverie.models.rules import english_clauses, english_names, english_passing, english_secret, english_signs, english_talk, neutral
from reverie.models.rules.english_change import correction, turn, withdrawal
from reverie.models.rules.english_order import Order, order, trailing_task
from reverie.models.rules.english_shape import Shape, shape
from reverie.models.rules.english_talk import Talk
from reverie.models.rules.language import Act, Reading, Scene, Value

KEEP = 1.5                          # from this weight on a sentence is a memory of its own
ASKED = 3.0                         # what a request to remember adds
ASIDE = 0.4                         # of a sign's votes for the type, when it stands in the reason, not in the point
BESIDE = 1.25                       # what a rule gains that directly follows what went wrong
TYPES = ("user", "feedback", "project", "reference")
_FOREIGN = re.compile(r"[぀-ヿ㐀-鿿가-힯]")
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(slots=True)
class _Seen:
    """A sentence on its way to a verdict."""

    said: str
    talk: Talk
    shape: Shape
    order: Order | None
    signs: frozenset[str] = frozenset()
    score: float = 0.0
    votes: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0, 0.0])
    refusal: Reason | None = None
    text: str = ""

    @property
    def lesson(self) -> bool:
        return "harm" in self.signs and self.order is None

    @property
    def keeps(self) -> bool:
        return self.refusal is None and self.score >= KEEP


class English:
    """The language of ``en.*`` rules."""

    name = "en"

    def share(self, text: str) -> float:
        if text.isascii():
            return 0.95 if _LETTER.search(text) else 0.4
        letters = len(_LETTER.findall(text)) or 1
        foreign = len(_FOREIGN.findall(text))
        latin = sum(1 for c in text if c.isascii() and c.isalpha())
        return min(0.3, latin / letters) if foreign * 12 > letters else latin / letters * 0.9 + 0.05

    def sentences(self, text: str) -> Sequence[str]:
        return english_talk.sentences(text)

    def values(self, text: str) -> Sequence[Value]:
        return english_names.values(text)

    def title(self, text: str, type: str) -> str:
        return english_names.title(text)

    def describe(self, text: str, type: str) -> str:
        return english_names.describe(text)

    def keywords(self, text: str) -> tuple[str, ...]:
        return english_names.keywords(text)

    def read(self, sentences: Sequence[str], scene: Scene) -> Sequence[Reading]:
        """The readings of one run of sentences."""
        readings: list[Reading] = []
        group: list[_Seen] = []
        secluded = False
        before: _Seen | None = None
        for said in sentences:
            seen = _see(said)
            if secluded or english_passing.OFF_RECORD.search(seen.shape.low) or english_passing.OFF_RECORD.search(said.lower()):
                if not secluded and group and _points_back(seen):
                    readings.extend(_nothing(each, Reason.OFF_RECORD) for each in group)
                    group = []
                secluded = True
                readings.append(Reading(act=Act.NOTHING, quote=said, reason=Reason.OFF_RECORD))
                continue
            if neutral.PLACEHOLDER.search(said):
                readings.extend(_closed(group, scene))
                group = []
                readings.append(_beside_secret(said))
                continue
            if change := _change(seen):
                readings.extend(_closed(group, scene))
                group = []
                readings.append(change[0])
                if not change[1]:
                    continue
                seen = _see(change[1])
            _weigh(seen, before)
            before = seen
            if group and not _joins(group, seen):
                readings.extend(_closed(group, scene))
                group = []
            group.append(seen)
        readings.extend(_closed(group, scene))
        return readings


# ---- seeing one sentence ------------------------------------------------------------------------------------------------------

def _see(said: str) -> _Seen:
    talk = english_talk.bare(said)
    seen = shape(talk.core)
    return _Seen(said=said, talk=talk, shape=seen, order=order(seen.low), text=talk.core)


def _beside_secret(said: str) -> Reading:
    """A fact that stands beside a secret is a pointer: where it comes from, who renews it, what it may do."""
    if english_passing.QUESTION.search(said) or not (fact := english_secret.beside(said)):
        return Reading(act=Act.NOTHING, quote=said, reason=Reason.SECRET)
    return Reading(act=Act.STATEMENT, quote=fact, text=_ended(english_names.capital(fact)), rule="en.secret_fact", type="reference")


def _points_back(seen: _Seen) -> bool:
    return bool(re.search(r"\b(?:that|this|it|these)\b", seen.shape.low)) and len(seen.shape.low) < 80


def _change(seen: _Seen) -> tuple[Reading, str] | None:
    """A correction or a withdrawal, and what is left of the sentence behind it."""
    if fixed := correction(seen.said) or (correction(seen.talk.core) if seen.talk.refused else None):
        return Reading(act=Act.CORRECT, quote=seen.said, value=fixed.value, about=fixed.old, rule="en.correction"), ""
    if taken := withdrawal(seen.talk.core):
        rest = seen.talk.core[taken.end:].lstrip(" ,.:;–—-")
        return Reading(act=Act.WITHDRAW, quote=seen.said, about=taken.about, rule="en.withdrawal"), rest if len(rest) > 12 else ""
    return None


_STRONG = frozenset(sign.name for sign in english_signs.LASTING if sign.lasting >= 2.0)
_OPENED = re.compile(r"^(?:when|whenever|before|after|once|if|for|in|on|unless|until)\b")


def _weigh(seen: _Seen, before: _Seen | None) -> None:
    """Add up what a sentence shows; a refusal says why it can be nothing."""
    low, found = seen.shape.low, set()
    if refusal := _never(seen):
        seen.refusal = refusal
        return
    start, end = english_clauses.point(low)
    whole = (start, end) == (0, len(low))
    for sign in english_signs.shown(english_signs.LASTING, low):
        found.add(sign.name)
        seen.score += sign.lasting
        share = 1.0 if whole or sign.name in _SELF or sign.pattern.search(low, start, end) else ASIDE
        for i, vote in enumerate(sign.votes):
            seen.votes[i] += vote * share
    for sign in english_signs.shown(english_passing.PASSING, low):
        found.add(sign.name)
        seen.score += sign.lasting
    if seen.order is None:
        if english_clauses.sweeping(low[start:end]):
            found.add("sweeping")
            seen.score += 0.75
            seen.votes[1] += 0.25
        if english_clauses.generic(low[start:end]):
            found.add("generic")
        elif not whole and english_clauses.generic(low):
            found.add("generic_reason")
        elif english_clauses.mass(low):
            found.add("mass")
    if english_clauses.past(low):
        found.add("past")
    seen.signs = frozenset(found)
    if trailing_task(low) and not (found & _STRONG or _OPENED.match(low) or (seen.order is not None and seen.order.negative)):
        seen.score -= 2.0                           # "…, delete the old one" beside a strong sign does not make all of it a task
    _weigh_mood(seen)
    _weigh_cause(seen, before)
    if seen.talk.explicit:
        seen.score += ASKED
    if seen.talk.refused and (seen.order is None or seen.order.reach >= 0):
        seen.score += 0.75
        seen.votes[1] += 1.0
    if _DENIAL.match(low):
        seen.score = min(seen.score, KEEP - 0.5)    # "not npm": the point comes after it
    seen.refusal = _refusal(seen)


# "I'm colour-blind, so …", "we decided on X, so …": who somebody is and what was decided stay the point, wherever they stand.
_SELF = frozenset(("i_am", "my_life", "decided", "plan", "cause_found", "owner"))
_JUSTIFIED = re.compile(r"[,;:] (?:plain |the|we|it|it's|they|that|you|our|i|i'm|my|there|this|those|he|she|otherwise|else|people|everyone|nobody|reviewers|[a-z]+s|[A-Z]\w+|CODE|URL|PATH) [a-z']+")
_TALK = frozenset(("answers", "tongue", "approval"))
_SLOGAN = frozenset(("in_kind", "only", "only_for", "contrast", "none_of", "universal", "order_of", "always", "measure"))


def _weigh_mood(seen: _Seen) -> None:
    """Orders about one thing are tasks; orders and statements about a kind of thing are rules."""
    low, signs = seen.shape.low, seen.signs
    if seen.talk.polite:
        seen.score += 0.75 if seen.order is None else 0.25
        seen.votes[1] += 0.75
    if seen.order is not None:
        _weigh_order(seen, seen.order)
    elif "generic" in signs:
        seen.score += 1.5
        seen.votes[1] += 1.0
    elif "mass" in signs or "generic_reason" in signs:
        seen.score += 0.75
        seen.votes[1] += 0.5 if "mass" in signs else 0.0
    elif not english_clauses.finite(low):
        seen.votes[1] += 0.75
        if signs & _SLOGAN:
            seen.score += 0.75
    elif "harm" in signs:
        seen.votes[1] += 0.5
    else:
        seen.votes[2] += 0.5


_DENIAL = re.compile(r"^not [\w`'./-]+(?: [\w'./-]+)?[.!,]*$")


def _weigh_order(seen: _Seen, given: Order) -> None:
    """How much of a rule an imperative is."""
    signs, reach = seen.signs, given.reach
    if reach < 0 and signs & {"universal", "habit", "standing", "always"} and not signs & {"now", "this_one", "again"}:
        reach = 0
    seen.votes[1] += 1.25
    if given.negative:
        seen.score += -0.5 + 1.0 * reach
    else:
        seen.score += -1.5 + 1.5 * reach - (0.75 if given.task else 0)
        if signs & _TALK and reach >= 0:
            seen.score += 1.5
        elif not given.task and reach >= 0:
            seen.score += 0.75 if given.both else 1.5
        if "universal" in signs and (given.task or given.both) and not signs & {"habit", "standing", "always"}:
            seen.score -= 0.5                       # "write tests for all modules" is one piece of work
    if reach >= 0:
        justified = bool(_JUSTIFIED.search(seen.shape.low))
        if justified:
            seen.score += 2.0 if "harm" in signs else 0.75
        if "contrast" in signs:                     # "with make, not with pytest": of the many ways this one
            seen.score += 1.0 + (0.75 if given.task else 0) + (0.5 if justified else 0)
        if given.negative and given.then:
            seen.score += 1.25                      # "don't guess, attach a profile"


def _weigh_cause(seen: _Seen, before: _Seen | None) -> None:
    """What went wrong and what follows from it."""
    signs = seen.signs
    if "harm" in signs and not signs & {"state", "now", "doing", "machine"}:
        if signs & {"because", "without", "norm", "standing", "always", "only", "look_there", "pointer", "costs_us", "cause_found", "generic", "none_of", "universal"}:
            seen.score += 1.25
        elif "cost" in signs:
            seen.score += 0.5
    if before is None or before.refusal not in (None, Reason.NO_SIGNAL) or signs & {"now", "doing", "again", "just_did"}:
        return
    told = before.order is None and "past" in before.signs and "past" not in signs
    if before.lesson or told:
        seen.score += BESIDE if before.lesson else 1.0
        seen.votes[1] += 0.5


_ANNOUNCEMENT = re.compile(r"^(?:(?:one|two|three|a few|some|last|another|first|next|more|few) )*(?:things?|notes?|corrections?|reminders?|updates?|points?|rules?|remarks?)[.:!]?$")


def _never(seen: _Seen) -> Reason | None:
    """Why a sentence is nothing whatever it shows; None when it may be something."""
    low = seen.shape.low
    if _ANNOUNCEMENT.match(low):
        return Reason.TOO_SHORT
    if english_passing.QUESTION.search(low):
        return Reason.QUESTION
    if english_passing.ELSEWHERE.search(low) or (seen.said.startswith("(") and english_passing.OTHER_TEAM.search(low.lstrip("("))):
        return Reason.OTHER_PROJECT
    return Reason.UNDECIDED if english_passing.SARCASM.search(low) else None


def _refusal(seen: _Seen) -> Reason | None:
    """Why a sentence is nothing, in the light of what it shows; None when it is worth keeping."""
    low, signs = seen.shape.low, seen.signs
    asked = seen.talk.explicit
    if english_passing.HYPOTHETICAL.search(low) and not asked and not signs & {"decided", "plan"}:
        return Reason.UNDECIDED
    if english_passing.DERIVABLE.search(low) and not asked and not signs & {"only", "always", "norm", "harm", "because", "contrast"}:
        return Reason.DERIVABLE
    if english_passing.REQUEST.search(low) and not asked and seen.score < KEEP + 2.0:
        return Reason.NO_SIGNAL
    if signs & {"now", "doing", "presence", "machine", "state", "just_did"} and seen.score < KEEP:
        return Reason.TEMPORARY
    if len(low) < 12 and seen.score < KEEP:
        return Reason.TOO_SHORT
    return None if seen.score >= KEEP else Reason.NO_SIGNAL


# ---- putting sentences together ---------------------------------------------------------------------------------------------

_BACKWARD = re.compile(
    r"^(?:it|it's|its|they|they're|them|their|that|that's|this|these|those|he|she|his|her|there|then|otherwise|so|same|both|only|exceptions?|else|which|if (?:it|that|not|you do)|one|ones|such|without (?:it|that))\b|\b(?:that way|for that|of that|by that|exactly that|because of that|(?:use|need|see|do|keep|doing) (?:it|that|them|this))\b|^(?:we|i|they|you|people|everyone|somebody|someone) (?:\w+ )?\w+ (?:it|that|this|them)\b")


_PRONOUN = re.compile(r"^(?:it|it's|they|they're|that|that's|this|there|he|she)\b")


def _joins(group: list[_Seen], seen: _Seen) -> bool:
    """Whether a sentence goes on about what the sentences before it say."""
    last = group[-1]
    if seen.refusal not in (None, Reason.NO_SIGNAL) or last.refusal not in (None, Reason.NO_SIGNAL):
        return False
    if english_passing.REQUEST.search(seen.shape.low):
        return False
    backward = bool(_BACKWARD.search(seen.shape.low))
    if seen.keeps and last.keeps and _type([seen]) == "reference" != _type([last]) and not _PRONOUN.match(seen.shape.low):
        return False
    if seen.talk.more and not backward:
        return False
    if backward or (last.lesson and seen.keeps):
        return True
    if seen.keeps and last.keeps:
        shared = english_names.content(last.text) & english_names.content(seen.text)
        opposed = last.order is not None and last.order.negative and seen.order is not None
        return opposed or bool(shared) and _type([last]) == _type([seen])
    if seen.keeps:
        return any(english_names.content(each.text) & english_names.content(seen.text) for each in group)
    return last.keeps and (len(seen.shape.low) < 90 or bool(english_names.content(last.text) & english_names.content(seen.text)))


def _type(group: Sequence[_Seen]) -> str:
    """The type with the most votes of the sentences that count."""
    total = [0.0, 0.0, 0.0, 0.0]
    for seen in group:
        share = 1.0 if seen.keeps and not seen.lesson else 0.5
        for i, vote in enumerate(seen.votes):
            total[i] += vote * share
    return TYPES[max(range(4), key=lambda i: (total[i], -i))]


def _closed(group: list[_Seen], scene: Scene) -> list[Reading]:
    """The readings of sentences that belong together: one statement, its reasons and details; or nothing."""
    kept = [seen for seen in group if seen.keeps]
    if not kept:
        return [_nothing(seen, seen.refusal or Reason.NO_SIGNAL) for seen in group]
    rules = [seen for seen in kept if not seen.lesson] or kept
    head = max(rules, key=lambda seen: (seen.score, -group.index(seen)))
    kind = _type(group)
    out: list[Reading] = []
    for seen in group:
        if seen is head:
            out.append(_statement(seen, kind, group, scene))
        elif seen.lesson and head is not seen and not (seen.keeps and group.index(seen) > group.index(head)):
            out.append(Reading(act=Act.REASON, quote=seen.said, text=_ended(english_names.capital(seen.text)), rule="en.reason"))
        else:
            out.append(Reading(act=Act.DETAIL, quote=seen.said, text=_ended(english_names.capital(seen.text)), rule="en.detail"))
    return out


def _statement(seen: _Seen, kind: str, group: Sequence[_Seen], scene: Scene) -> Reading:
    text, why, replaces = seen.text, "", ""
    if (seen.order is None or not seen.order.negative) and not _OPENED.match(seen.shape.low) and (task := trailing_task(text)) > 12:
        text = text[:task]
    if changed := turn(text, whole=seen.said):
        text, why, replaces = changed.text, changed.why, changed.old
    return Reading(act=Act.STATEMENT, quote=seen.said, text=_ended(english_names.capital(text)), rule=_rule(seen), type=kind,
                   scope=_scope(kind, group), why=_ended(english_names.capital(why)) if why else "", replaces=replaces)


_PERSONAL = re.compile(r"\b(?:i|i'm|i've|my|me|i'd)\b")


def _scope(kind: str, group: Sequence[_Seen]) -> str:
    """Whether it holds in every project: what a person is, and how they want to be spoken to."""
    signs = frozenset().union(*(seen.signs for seen in group))
    low = " ".join(seen.shape.low for seen in group)
    if signs & {"here", "we_present"}:
        return "project" if kind != "user" else "user"
    if kind == "user":
        return "user"
    if kind == "feedback" and (signs & {"answers", "felt", "tongue", "approval"} or (signs & {"stop_it", "prefer"} and _PERSONAL.search(low)) or re.search(r"\b(?:of mine|habit of mine|my screen|i read)\b", low)):
        return "user"
    return "project"


_RULES = ("confirmed", "stop_it", "approval", "i_am", "my_life", "tongue", "located", "place_is", "look_there", "owner", "cause_found", "decided",
          "plan", "harm", "prefer", "always", "standing", "norm", "none_of", "dont", "we_present", "when", "measure")


def _rule(seen: _Seen) -> str:
    """The sign that speaks loudest, as the rule's name."""
    if seen.talk.explicit:
        return "en.asked"
    return "en." + next((name for name in _RULES if name in seen.signs), "order" if seen.order else "fact")


def _nothing(seen: _Seen, reason: Reason) -> Reading:
    return Reading(act=Act.NOTHING, quote=seen.said, reason=reason)


def _ended(text: str) -> str:
    text = text.strip().rstrip(",;:")
    return text if not text or text[-1] in ".!?…\"'`)]" or not text[-1].isalnum() else text + "."
