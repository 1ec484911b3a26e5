"""English: which sentences hold something worth keeping, and what.

Read from top to bottom: a sentence is freed from its markers (``english_talk``), seen with its values masked
(``english_shape``), asked what kind of speech it is (``english_passing``: question, hypothesis, aside), and weighed
by what it shows
(``english_evidence``). Sentences of one message are then put together: what failed is the reason for the rule that
follows
it, "it rotates every night" belongs to the key before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from reverie.core.proposal import Reason
from reverie.models.rules import english_confirm, english_names, english_passing, english_secret, english_talk, neutral
from reverie.models.rules.english_change import correction, turn, withdrawal
from reverie.models.rules.english_evidence import Seen, kind_of, see, weigh
from reverie.models.rules.english_order import trailing_task
from reverie.models.rules.language import Act, Reading, Scene, Value

KEEP = 1.5                          # from this weight of evidence on a sentence is a memory of its own
SHORT = 45                          # characters of a sentence that hardly stands alone
_FOREIGN = re.compile(r"[぀-ヿ㐀-鿿가-힯]")
_LETTER = re.compile(r"[^\W\d_]")


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
        run = _Run(scene)
        for said in sentences:
            run.take(said)
        run.close()
        return run.readings


class Verdict:
    """A sentence, what it shows, and why it is nothing if it is."""

    __slots__ = ("refusal", "score", "seen")

    def __init__(self, seen: Seen, refusal: Reason | None) -> None:
        self.seen, self.refusal = seen, refusal
        self.score = seen.score

    @property
    def keeps(self) -> bool:
        return self.refusal is None


class _Run:
    """The sentences of one message in one language, on their way into readings."""

    def __init__(self, scene: Scene) -> None:
        self.readings: list[Reading] = []
        self._scene = scene
        self._group: list[Verdict] = []
        self._before: Seen | None = None
        self._secluded = False          # off the record from here to the end of the message

    def take(self, said: str) -> None:
        """Judge one sentence and add it to the group that it belongs to."""
        seen = see(said)
        if self._secluded or _off_record(seen):
            self._seclude(seen)
            return
        if neutral.PLACEHOLDER.search(said):
            self.close()
            self.readings.append(_beside_secret(said))
            return
        if change := _change(seen):
            self.close()
            self.readings.append(change[0])
            if not change[1]:
                return
            seen = see(change[1])
        verdict = judge(seen, self._before)
        self._before = seen if verdict.refusal in (None, Reason.NO_SIGNAL) else None
        if self._group and not _joins(self._group, verdict):
            self.close()
        self._group.append(verdict)

    def close(self) -> None:
        """Turn the group into readings and begin a new one."""
        self.readings.extend(_closed(self._group, self._scene))
        self._group = []

    def _seclude(self, seen: Seen) -> None:
        if not self._secluded and _points_back(seen):
            self.readings.extend(_nothing(each.seen, Reason.OFF_RECORD) for each in self._group)
            self._group = []
        self.close()
        self._secluded = True
        self.readings.append(_nothing(seen, Reason.OFF_RECORD))


# ---- judging one sentence ------------------------------------------------------------------------------------------

_ANNOUNCEMENT = re.compile(
    r"^(?:(?:one|two|three|a few|some|last|another|first|next|more|few) )*(?:things?|notes?|corrections?|reminders?|"
    r"updates?|points?|rules?|remarks?)[.:!]?$")


def judge(seen: Seen, before: Seen | None) -> Verdict:
    """A sentence weighed, and why it is nothing if it is; ``before`` is the sentence before it, unless that was
    refused."""
    refusal = _never(seen)
    if refusal is None:
        weigh(seen, before)
        refusal = _refusal(seen)
    return Verdict(seen, refusal)


def _never(seen: Seen) -> Reason | None:
    """Why a sentence is nothing whatever it shows; None when it may be something."""
    low = seen.low
    if _ANNOUNCEMENT.match(low):
        return Reason.TOO_SHORT
    if english_passing.QUESTION.search(low):
        return Reason.QUESTION
    if english_passing.ELSEWHERE.search(low) or (seen.said.startswith("(") and english_passing.OTHER_TEAM.search(low.
        lstrip("("))):
        return Reason.OTHER_PROJECT
    return Reason.UNDECIDED if english_passing.SARCASM.search(low) else None


def _refusal(seen: Seen) -> Reason | None:
    """Why a sentence is nothing, in the light of what it shows; None when it is worth keeping."""
    low, asked, score = seen.low, seen.talk.explicit, seen.score
    if english_passing.HYPOTHETICAL.search(low) and not asked and not seen.shows("decided", "plan"):
        return Reason.UNDECIDED
    if english_passing.DERIVABLE.search(low) and not asked and not seen.shows("only", "always", "norm", "harm",
        "because", "contrast"):
        return Reason.DERIVABLE
    if english_passing.REQUEST.search(low) and not asked and score < KEEP + 2.0:
        return Reason.NO_SIGNAL
    if score >= KEEP:
        return None
    if seen.shows("now", "doing", "presence", "machine", "state", "just_did", "on_now"):
        return Reason.TEMPORARY
    return Reason.TOO_SHORT if len(low) < 12 else Reason.NO_SIGNAL


_THAT = re.compile(r"\b(?:that|this|it|these)\b")
_OWN_CONTENT = re.compile(r"[:,] \S+ \S+")


def _off_record(seen: Seen) -> bool:
    return any(english_passing.OFF_RECORD.search(text) for text in (seen.low, seen.said.lower()))


def _points_back(seen: Seen) -> bool:
    return _THAT.search(seen.low) is not None and _OWN_CONTENT.search(seen.low) is None


def _change(seen: Seen) -> tuple[Reading, str] | None:
    """A correction or a withdrawal, and what is left of the sentence behind it."""
    if fixed := correction(seen.said) or (correction(seen.text) if seen.talk.refused else None):
        return Reading(act=Act.CORRECT, quote=seen.said, value=fixed.value, about=fixed.old, rule="en.correction"), ""
    if taken := withdrawal(seen.text):
        rest = seen.text[taken.end:].lstrip(" ,.:;–—-")
        withdrawn = Reading(act=Act.WITHDRAW, quote=seen.said, about=taken.about, rule="en.withdrawal")
        return withdrawn, rest if len(rest) > 12 else ""
    return None


def _beside_secret(said: str) -> Reading:
    """A fact that stands beside a secret is a pointer: where it comes from, who renews it, what it may do."""
    if english_passing.QUESTION.search(said) or not (fact := english_secret.beside(said)):
        return Reading(act=Act.NOTHING, quote=said, reason=Reason.SECRET)
    return Reading(act=Act.STATEMENT, quote=fact, text=_sentence(fact), rule="en.secret_fact",
    type="reference")


# ---- putting sentences together ------------------------------------------------------------------------------------

_PRONOUN = re.compile(r"^(?:it|it's|they|they're|that|that's|this|there|he|she)\b")
_BACKWARD = re.compile("|".join((
    r"^(?:it|it's|its|they|they're|them|their|that|that's|this|these|those|he|she|his|her|there|then|otherwise|so|"
    r"same|both|only|exceptions?|else|which|if (?:it|that|not|you do)|one|ones|such|without (?:it|that))\b",
    r"\b(?:that way|for that|of that|by that|exactly that|because of that|(?:use|need|see|do|keep|doing) (?:it|that|"
    r"them|this))\b",
    r"^(?:we|i|they|you|people|everyone|somebody|someone) (?:\w+ )?\w+ (?:it|that|this|them)\b")))


def _joins(group: list[Verdict], verdict: Verdict) -> bool:
    """Whether a sentence goes on about what the sentences before it say."""
    last, seen = group[-1], verdict.seen
    if verdict.refusal not in (None, Reason.NO_SIGNAL) or last.refusal not in (None, Reason.NO_SIGNAL):
        return False
    if english_passing.REQUEST.search(seen.low):
        return False
    if not verdict.keeps and seen.order is not None and seen.order.reach < 0:
        return False                    # a task stands behind a fact, it is not part of it
    if verdict.keeps and last.keeps and _kind([verdict]) == "reference" != _kind([last]) and not _PRONOUN.match(seen.
        low):
        return False
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
    return last.keeps and (len(seen.low) < 90 or _shares(last, verdict))


def _shares(one: Verdict, other: Verdict) -> bool:
    """Whether two sentences speak of the same thing: a content word in common."""
    return bool(english_names.content(one.seen.text) & english_names.content(other.seen.text))


def _kind(group: Sequence[Verdict]) -> str:
    return kind_of([each.seen for each in group], KEEP)


def _closed(group: list[Verdict], scene: Scene) -> list[Reading]:
    """The readings of sentences that belong together: one statement, its reasons and details; or nothing."""
    kept = [each for each in group if each.keeps]
    if not kept:
        return [_nothing(each.seen, each.refusal or Reason.NO_SIGNAL) for each in group]
    rules = [each for each in kept if not each.seen.lesson] or kept
    head = max(rules, key=lambda each: (each.score, -group.index(each)))
    out: list[Reading] = []
    for place, each in enumerate(group):
        seen = each.seen
        if each is head:
            out.append(_statement(seen, _kind(group), group, scene))
            continue
        act = Act.REASON if seen.lesson and not (each.keeps and place > group.index(head)) else Act.DETAIL
        out.append(Reading(act=act, quote=seen.said, text=_sentence(seen.text), rule=f"en.{act}"))
    return out


_ONCE = re.compile(
    r"[,;:–—] (?:please |so |and |then |just )*[a-z]+ (?:it|that|this|these|those|them|the (?:one|ones|\w+ "
    r"you)\b)(?! (?:in|as|on|alone|there)\b)")


def _statement(seen: Seen, kind: str, group: Sequence[Verdict], scene: Scene) -> Reading:
    text, why, replaces = seen.text, "", ""
    if all(english_confirm.hollow(each.seen.low) for each in group) and english_confirm.for_good(seen.low):
        if not (done := english_confirm.confirmed(scene.answer)):
            return _nothing(seen, Reason.NO_SIGNAL)
        return Reading(act=Act.STATEMENT, quote=seen.said, text=_sentence(f"Keep to this: {done}"), rule=
        "en.confirmed_answer",
                       type="feedback")
    if (task := trailing_task(text)) > 12 and _ONCE.match(text, task):
        text = text[:task]
    if changed := turn(text, whole=seen.said):
        text, why, replaces = changed.text, changed.why, changed.old
    return Reading(act=Act.STATEMENT, quote=seen.said, text=_sentence(text), rule=_rule(seen), type=kind,
                   scope=_scope(kind, group), why=_sentence(why), replaces=replaces)


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
        if seen.shows("answers", "felt", "tongue", "approval") or _OF_MINE.search(seen.low) or (
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


def _nothing(seen: Seen, reason: Reason) -> Reading:
    return Reading(act=Act.NOTHING, quote=seen.said, reason=reason)


def _sentence(text: str) -> str:
    """With a capital and a full stop, unless it begins or ends with something whose letters matter."""
    text = english_names.capital(text.strip().rstrip(",;:"))
    return text if not text or text[-1] in ".!?…\"'`)]" or not text[-1].isalnum() else text + "."
