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
from reverie.models.rules import (
    english_asked,
    english_change,
    english_names,
    english_passing,
    english_places,
    english_secret,
    english_talk,
    neutral,
)
from reverie.models.rules.english_change import correction, withdrawal
from reverie.models.rules.english_evidence import Seen, kind_of, see, weigh
from reverie.models.rules.english_group import KEEP, Verdict, closed, joins, nothing
from reverie.models.rules.english_wording import sentence
from reverie.models.rules.language import Act, Reading, Scene, Value

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
        said = list(sentences)
        skip = False
        for place, each in enumerate(said):
            following = said[place + 1] if place + 1 < len(said) else ""
            if skip:
                skip = False
            elif joined := english_asked.answered(each, following):
                run.take(joined, quote=f"{each} {following}", sign="answered")
                skip = True
            elif wished := english_asked.wish(each, following):
                run.take(wished, quote=each, sign="wish")
            else:
                for part in english_places.apart(each):
                    run.take(part)
        run.close()
        return run.readings


class _Run:
    """The sentences of one message in one language, on their way into readings."""

    def __init__(self, scene: Scene) -> None:
        self.readings: list[Reading] = []
        self._scene = scene
        self._group: list[Verdict] = []
        self._before: Seen | None = None
        self._secluded = False          # off the record from here to the end of the message

    def take(self, said: str, *, quote: str = "", sign: str = "") -> None:
        """Judge one sentence and add it to the group that it belongs to. ``quote`` is how it was said, where it was put in other
        words for judging, and ``sign`` what that showed."""
        seen = see(said)
        seen.said = quote or said
        if sign:
            seen.add(sign)
        if self._secluded or _off_record(seen):
            self._seclude(seen)
            return
        if neutral.PLACEHOLDER.search(said):
            self.close()
            self.readings.append(_beside_secret(said))
            return
        if turned := english_change.exchanged(said):
            self.close()
            self.readings.append(_exchanged(seen, *turned))
            return
        if change := _change(seen):
            self.close()
            self.readings.append(change[0])
            if not change[1]:
                return
            seen = see(change[1])
        if english_passing.THEIRS.search(seen.low.rstrip(".! ")):
            self.readings.extend(nothing(each.seen, Reason.OTHER_PROJECT) for each in self._group)
            self._group = []
        verdict = judge(seen, self._before)
        self._before = seen if verdict.refusal in (None, Reason.NO_SIGNAL) or seen.complaint else None
        if self._group and not joins(self._group, verdict):
            self.close()
        self._group.append(verdict)

    def close(self) -> None:
        """Turn the group into readings and begin a new one."""
        self.readings.extend(closed(self._group, self._scene))
        self._group = []

    def _seclude(self, seen: Seen) -> None:
        if not self._secluded and _points_back(seen):
            self.readings.extend(nothing(each.seen, Reason.OFF_RECORD) for each in self._group)
            self._group = []
        self.close()
        self._secluded = True
        self.readings.append(nothing(seen, Reason.OFF_RECORD))


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
    if english_passing.QUESTION.search(low) and not (english_passing.KEPT_AT.search(low) and "?" not in low):
        return Reason.QUESTION
    if english_passing.ELSEWHERE.search(low) or (seen.said.startswith("(") and english_passing.OTHER_TEAM.search(low.
        lstrip("("))):
        return Reason.OTHER_PROJECT
    said = seen.said.lower().strip(" .!")
    return Reason.UNDECIDED if english_passing.SARCASM.search(low) or english_passing.SARCASM.search(said) else None


def _refusal(seen: Seen) -> Reason | None:
    """Why a sentence is nothing, in the light of what it shows; None when it is worth keeping."""
    low, asked, score = seen.low, seen.talk.explicit, seen.score
    if english_passing.HYPOTHETICAL.search(low) and not asked and not seen.shows("decided", "plan", "would_have"):
        return Reason.UNDECIDED
    if english_passing.DERIVABLE.search(low) and not asked and not seen.shows("only", "always", "norm", "harm",
        "because", "contrast"):
        return Reason.DERIVABLE
    if english_passing.SOURCE_SHOWS.search(seen.text) and not asked and not seen.shows("always", "norm", "harm", "because", "dont",
        "not_wanted", "says_where"):
        return Reason.DERIVABLE
    if english_passing.NEED.search(low) and not asked and not seen.shows("owner", "authority", "ask_person", "when", "decided") and (
            english_passing.NEEDED_OFTEN.search(low) is None):
        return Reason.NO_SIGNAL
    if english_passing.FAILURE.search(low) and not asked and not seen.shows("norm", "because", "always", "decided"):
        return Reason.NO_SIGNAL
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


def _exchanged(seen: Seen, text: str, old: str) -> Reading:
    """"I told you wrong: not A but B gets the reports"."""
    stated = see(text)
    weigh(stated, None)
    return Reading(act=Act.STATEMENT, quote=seen.said, text=sentence(text), rule="en.exchanged", type=kind_of([stated], KEEP), replaces=old,
                   changes=True)


def _beside_secret(said: str) -> Reading:
    """A fact that stands beside a secret is a pointer: where it comes from, who renews it, what it may do."""
    if english_passing.QUESTION.search(said) or not (fact := english_secret.beside(said)):
        return Reading(act=Act.NOTHING, quote=said, reason=Reason.SECRET)
    return Reading(act=Act.STATEMENT, quote=fact, text=sentence(fact), rule="en.secret_fact", type="reference")
