"""What Chinese, Japanese and Korean have in common: how a sentence is taken apart, weighed and put together again.

A sentence is read clause by clause. Addresses, paths, quoted names and dates are masked, so that only grammar is left:
modal endings, topic particles, connectives, adverbs of time, words for speaking and deciding. Each clause shows ``Sign``
values; their weights are added, and a sentence is worth keeping from ``KEEP`` on. "For now" and orders for this moment
weigh against their own clause only: "it broke today, so from now on we always …" is a rule.

What a language brings is a ``Grammar``: patterns, no code. The order of judgement is the same for all three and stands in
``Cjk.read``: off the record, secrets, questions, other people's projects, thinking aloud, then the weights. Weights were set
by hand in quarters; they rank evidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date

from reverie.core import calendar_words, dates
from reverie.core.proposal import Reason
from reverie.models.rules import neutral
from reverie.models.rules.language import Act, Reading, Scene, Value

KEEP = 2.0
ASKED = 3.0                         # what a request to remember adds
ANNOUNCED = 1.0                     # what "no," and "the plan has changed" add
BARE_REQUEST = 8                    # characters beside "remember" in a sentence that says nothing else
# Signs of a rule: an order in such company is not one for this moment.
RULES = frozenset(("standing", "must", "forbid", "approval", "keep_on", "style", "rule", "language", "agreed"))
# Signs that go on with what was said: alone they make a sentence a part of the statement before it.
CONTINUES = frozenset(("fixed", "harm", "so", "good", "never", "habit", "universal", "contrast", "directive", "external", "measure",
                       "should", "may_not", "grounds", "recurring", "date", "bounded", "event", "in_use", "only"))
# Signs that tell what happened: a reason for a rule, no rule.
STORY = frozenset(("harm", "so", "external", "good", "date", "measure", "recurring"))
TYPES = ("user", "feedback", "project", "reference")
TITLE_WIDTH = 60                    # columns: a Han character fills two
DESCRIPTION_CHARACTERS = 150
KEYWORDS = 8
DETAIL_CHARACTERS = 90              # a longer sentence beside a statement is a subject of its own
ANSWER_CHARACTERS = 160
_SOME_DAY = date(2026, 1, 15)       # which day does not matter where only the fact that there is a date is asked

NONE = (0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Sign:
    """One kind of evidence: how much it says that a clause lasts, and its votes for user, feedback, project, reference."""

    name: str
    lasting: float
    votes: tuple[float, float, float, float]
    pattern: re.Pattern[str]


def sign(name: str, lasting: float, votes: tuple[float, float, float, float], *patterns: str) -> Sign:
    """A sign from alternatives; blanks and line breaks at their ends are layout."""
    return Sign(name, lasting, votes, re.compile(join(*patterns)))


def join(*patterns: str) -> str:
    """Alternatives, each on lines of its own, as one pattern."""
    return "|".join(re.sub(r"\n\s*", "", p.strip()) for p in patterns)


def pattern(*patterns: str) -> re.Pattern[str]:
    """A compiled pattern from alternatives."""
    return re.compile(join(*patterns))


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """One language's patterns. They look at a masked view: ``URL PATH CHAN FLAG CODE ID`` for values, ``QUOTE`` for a quoted
    name, ``DATE`` for one date, ``RECUR`` for a day that comes again."""

    name: str
    letters: re.Pattern[str]        # the characters it is written in
    decisive: re.Pattern[str]       # characters without which it is another language
    foreign: re.Pattern[str] | None = None  # characters with which it is another language
    clause: re.Pattern[str]         # where a clause ends
    signs: tuple[Sign, ...]
    asked: re.Pattern[str]          # "remember", "note down"
    announces: re.Pattern[str]      # "the plan has changed": what comes next says how
    objects: re.Pattern[str]        # "no,": what comes next is a correction
    off_record: re.Pattern[str]
    question: re.Pattern[str]
    polite: re.Pattern[str]         # a request in the form of a question
    rhetorical: re.Pattern[str]
    condition: re.Pattern[str]
    obliges: re.Pattern[str]        # what makes a condition a rule: must, always, please
    uncertain: re.Pattern[str]
    joking: re.Pattern[str]
    others: re.Pattern[str]         # somebody else's project, as the topic
    unrelated: re.Pattern[str]      # "that has nothing to do with us"
    derivable: re.Pattern[str]
    credential: re.Pattern[str]     # the subject is a credential, and its value follows
    lead: re.Pattern[str]           # talk at the start, cut off
    tail: re.Pattern[str]           # talk at the end, cut off
    anew: re.Pattern[str]           # a clause that begins another subject: "also", "besides"
    cause: tuple[re.Pattern[str], ...]  # with groups why and rest
    reason: re.Pattern[str]         # a sentence that only says why
    backward: re.Pattern[str]       # the start of a rest that cannot stand alone
    slip: re.Pattern[str]           # "I said it wrong"
    right: re.Pattern[str]          # the value after a slip, group value
    change: tuple[re.Pattern[str], ...]  # with groups old and, where it is said, topic
    void: re.Pattern[str]           # "what I said before, old, no longer holds"
    deictic: re.Pattern[str]        # a confirmation that names nothing
    person: re.Pattern[str]         # a person by name, group name
    counted: re.Pattern[str]        # a number with its counter
    topic: re.Pattern[str]          # what a clause is about, group topic
    word: re.Pattern[str]           # content words
    reply: re.Pattern[str]          # about what the assistant says
    artifact: re.Pattern[str]       # about what it writes into the project
    here: re.Pattern[str]           # "in this repository"
    story: re.Pattern[str]          # the past: a sentence that tells what happened


@dataclass(slots=True)
class _Clause:
    text: str
    view: str
    signs: dict[str, float] = field(default_factory=dict)
    votes: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0, 0.0])

    @property
    def score(self) -> float:
        return sum(self.signs.values())


@dataclass(slots=True)
class _Seen:
    """A sentence on its way to a verdict."""

    said: str
    text: str
    view: str
    clauses: list[_Clause]
    asides: list[str]
    asked: bool = False             # "remember that …"
    refusal: Reason | None = None
    score: float = 0.0

    @property
    def names(self) -> dict[str, float]:
        """Signs of the clauses that speak for keeping."""
        found: dict[str, float] = {}
        for clause in self.clauses:
            if clause.score > 0:
                for name, weight in clause.signs.items():
                    found[name] = max(weight, found.get(name, 0.0))
        return found

    @property
    def keeps(self) -> bool:
        return self.refusal is None and self.score >= KEEP


class Cjk:
    """The language of one grammar."""

    grammar: Grammar

    @property
    def name(self) -> str:
        return self.grammar.name

    # ---- which language, which sentences

    def share(self, text: str) -> float:
        g, bare = self.grammar, _QUOTED.sub(" ", text)
        own = len(g.letters.findall(bare))
        if not own or not g.decisive.search(bare) or (g.foreign and g.foreign.search(bare)):
            return 0.0
        return own / (own + 0.25 * len(_LATIN.findall(bare)))

    def sentences(self, text: str) -> Sequence[str]:
        return list(_sentences(text))

    # ---- what a run of sentences holds

    def read(self, sentences: Sequence[str], scene: Scene) -> Sequence[Reading]:
        seen = [self._see(sentence) for sentence in sentences]
        self._off_record(seen)
        self._requests(seen)
        readings: list[Reading] = []
        for i, one in enumerate(seen):
            if one.refusal is Reason.OFF_RECORD:
                readings.append(self._nothing(one))
            else:
                readings.extend(self._read(one, seen[:i], seen[i + 1:], scene, readings))
        return readings

    def _off_record(self, seen: list[_Seen]) -> None:
        """"Don't write this down" covers the sentence before it and everything after it in the same breath."""
        for i, one in enumerate(seen):
            if self.grammar.off_record.search(one.view):
                for near in seen[max(0, i - 1):]:
                    near.refusal = Reason.OFF_RECORD
                return

    def _requests(self, seen: list[_Seen]) -> None:
        """"Remember this." alone asks for the next sentence, at the end for the one before; "the plan has changed." and "no."
        say what the next one is about."""
        for i, one in enumerate(seen):
            announced = self.grammar.announces.search(one.text) or self.grammar.objects.fullmatch(one.said.strip("。.!！ "))
            if announced:
                one.score = 0.0
                if i + 1 < len(seen):
                    seen[i + 1].score += ANNOUNCED
            if one.asked and len(_PUNCTUATION.sub("", self.grammar.asked.sub("", one.text))) <= BARE_REQUEST:
                one.asked, one.score = False, 0.0
                near = seen[i + 1] if i + 1 < len(seen) else seen[i - 1] if i else None
                if near is not None and not near.asked:
                    near.asked = True
                    near.score += ASKED
                    near.refusal = self._refusal(near)

    def _see(self, sentence: str) -> _Seen:
        g = self.grammar
        outer, asides = _without_asides(sentence)
        text = self._freed(outer)
        clauses = [_Clause(text=part, view=mask(part)) for part in _clauses(text, g.clause)]
        seen = _Seen(said=sentence, text=text, view=mask(outer), clauses=clauses, asides=asides)
        for clause in clauses:
            self._weigh(clause, last=clause is clauses[-1])
        seen.asked = bool(g.asked.search(seen.view))
        seen.refusal = self._refusal(seen)
        scores = sorted((c.score for c in clauses if c.score > 0), reverse=True)
        seen.score = (scores[0] + sum(scores[1:]) / 2 if scores else 0.0) + (ASKED if seen.asked else 0.0)
        if scores and g.objects.match(sentence):
            seen.score += ANNOUNCED
        if not seen.asked and set(seen.names) <= STORY:
            seen.score = min(seen.score, KEEP - 0.25)
        return seen

    def _weigh(self, clause: _Clause, *, last: bool) -> None:
        found = [each for each in self.grammar.signs if each.pattern.search(clause.view)]
        rule = any(each.name in RULES for each in found)
        for each in found:
            if (each.name in ("task", "bare") and rule) or (each.name == "bare" and not last):
                continue                            # "please always run it with …" has the form of an order
            clause.signs[each.name] = each.lasting
            clause.votes = [a + b for a, b in zip(clause.votes, each.votes, strict=True)]

    def _freed(self, text: str) -> str:
        """Without "ok," and "please remember:", at most a few of them, and without the closing mark."""
        text = text.strip().rstrip("。.!！;；,，、~～ ")
        for _ in range(4):
            cut = self.grammar.lead.sub("", text, count=1).lstrip("，,、：:。 ")
            if cut == text or not cut:
                break
            text = cut
        return self.grammar.tail.sub("", text).rstrip("。.!！;；,，、 ") or text

    def _refusal(self, seen: _Seen) -> Reason | None:
        g, view, sentence = self.grammar, seen.view, seen.said
        names = {name for clause in seen.clauses for name in clause.signs}
        if neutral.PLACEHOLDER.search(sentence) or g.credential.search(sentence):
            return Reason.SECRET
        if g.question.search(view.rstrip("。. ")) and not g.rhetorical.search(view) and not (
                g.polite.search(view) and (seen.asked or names & {"standing", "universal"})):
            return Reason.QUESTION
        if g.unrelated.search(view) or (g.others.search(view) and not seen.asked and not names & {"must", "forbid", "standing"}):
            return Reason.OTHER_PROJECT
        if seen.asked:
            return None
        if g.joking.search(view):
            return Reason.UNDECIDED
        if g.condition.search(view) and (g.uncertain.search(view) or not g.obliges.search(view)):
            return Reason.UNDECIDED
        if g.uncertain.search(view) and not names & {"standing", "must", "decided"}:
            return Reason.UNDECIDED
        if g.derivable.search(view) and not names & {"standing", "must", "forbid", "only"}:
            return Reason.DERIVABLE
        return None

    # ---- one sentence in its company

    def _read(self, one: _Seen, before: list[_Seen], after: list[_Seen], scene: Scene,
              so_far: list[Reading]) -> Iterator[Reading]:
        g = self.grammar
        yield from self._asides(one)
        if slip := self._slip(one, before, after):
            yield slip
            return
        if one.refusal is not None:
            yield self._nothing(one)
            return
        kept_before = bool(so_far) and so_far[-1].act in (Act.STATEMENT, Act.DETAIL, Act.REASON)
        told = bool(before) and before[-1].refusal is None and "harm" in before[-1].names and not kept_before
        goes_on = kept_before and set(one.names) <= CONTINUES and one.score < KEEP + 1.5 and not g.topic.search(one.text)
        if (one.keeps and not goes_on) or (told and one.score >= KEEP - 1.0):
            if self._instead(one, before, so_far):
                yield from self._joined(one)
            else:
                yield from self._statements(one, scene)
            return
        if g.void.search(one.text):
            yield Reading(act=Act.WITHDRAW, quote=one.said, rule=f"{g.name}.withdraw", about=self._about(one, self._old(one.text)))
            return
        if kept_before and len(one.text) <= DETAIL_CHARACTERS and not self._passing(one):
            why = bool(g.reason.search(one.text) or g.story.search(one.view))
            yield Reading(act=Act.REASON if why else Act.DETAIL, quote=one.said, text=one.text, rule=f"{g.name}.beside")
            return
        if g.reason.search(one.text) and any(a.keeps for a in after[:1]) and not self._passing(one):
            yield Reading(act=Act.REASON, quote=one.said, text=one.text, rule=f"{g.name}.beside")
            return
        yield self._nothing(one)

    def _instead(self, one: _Seen, before: list[_Seen], so_far: list[Reading]) -> bool:
        """"No, don't use X. We agreed on Y." is one rule: what not to do, and what instead."""
        first = before[-1] if before else None
        return (first is not None and len(before) == 1 and bool(so_far) and so_far[-1].act is Act.STATEMENT
                and "forbid" in first.names and len(first.clauses) == 1 and bool({"agreed", "contrast", "directive"} & set(one.names))
                and not {"place", "decided", "self", "forbid"} & set(one.names))

    def _joined(self, one: _Seen) -> Iterator[Reading]:
        text, why = self._why(one.text)
        yield Reading(act=Act.DETAIL, quote=one.said, text=text, rule=f"{self.grammar.name}.beside")
        if why:
            yield Reading(act=Act.REASON, quote=one.said, text=why, rule=f"{self.grammar.name}.beside")

    def _passing(self, one: _Seen) -> bool:
        """An order for now, a state of the moment, thanks: nothing that explains a rule."""
        names = {name for clause in one.clauses for name in clause.signs}
        return bool(names & {"now", "task", "bare", "status", "thanks", "mine"})

    def _nothing(self, one: _Seen) -> Reading:
        names = {name for clause in one.clauses for name in clause.signs}
        reason = one.refusal or (Reason.TEMPORARY if names & {"now", "status"} else Reason.NO_SIGNAL)
        return Reading(act=Act.NOTHING, quote=one.said, reason=reason)

    def _asides(self, one: _Seen) -> Iterator[Reading]:
        """What stands in brackets inside a sentence: only what must not be kept is answered here."""
        for aside in one.asides:
            seen = self._see(aside)
            if seen.refusal is not None:
                yield self._nothing(seen)

    def _aside_reason(self, one: _Seen) -> str:
        kept = [a for a in one.asides if (s := self._see(a)).refusal is None and not self._passing(s) and len(a) > 3]
        return " ".join(kept)

    def _slip(self, one: _Seen, before: list[_Seen], after: list[_Seen]) -> Reading | None:
        """"Sorry, I meant X": the value alone, in this sentence or the next."""
        g = self.grammar
        slip = g.slip.search(one.said)
        near = bool(before) and g.slip.search(before[-1].said) is not None and not g.right.search(before[-1].said)
        if not slip and not near:
            return None
        right = g.right.search(one.said)
        if one.keeps and (self._old(one.text) or len(one.clauses) > 2):
            return None                             # a whole new statement, not a value
        if right is None:
            return Reading(act=Act.NOTHING, quote=one.said, reason=Reason.NO_SIGNAL) if after and slip and len(one.text) < 20 else None
        value = (right.group("value") or right.groupdict().get("value2") or "").strip(" 「」“”\"'『』")
        if not value or len(value) > 60:
            return None
        return Reading(act=Act.CORRECT, quote=one.said, rule=f"{g.name}.correct", value=value)

    # ---- statements

    def _statements(self, one: _Seen, scene: Scene) -> Iterator[Reading]:
        groups = self._facts(one)
        for number, clauses in enumerate(groups):
            yield from self._statement(one, clauses, whole=len(groups) == 1, first=number == 0, scene=scene)

    def _facts(self, one: _Seen) -> list[list[_Clause]]:
        """The clauses of a sentence, one list for each fact: a clause with a subject and a weight of its own opens another one
        when it says so ("also"), or when it or the one before it is a pointer."""
        g = self.grammar
        groups: list[list[_Clause]] = []
        for clause in one.clauses:
            if groups and clause.score >= KEEP and any(c.score >= KEEP for c in groups[-1]):
                place = "place" in clause.signs or any("place" in c.signs for c in groups[-1])
                if g.anew.search(clause.text) or (place and g.topic.search(clause.view)):
                    groups.append([clause])
                    continue
            if groups:
                groups[-1].append(clause)
            else:
                groups.append([clause])
        return groups

    def _statement(self, one: _Seen, clauses: list[_Clause], *, whole: bool, first: bool, scene: Scene) -> Iterator[Reading]:
        g = self.grammar
        kept = [c for c in clauses if c.score >= 0 or not c.signs] or clauses
        dropped = len(kept) < len(clauses)
        text = one.text if whole and not dropped else self._freed(_joined([c.text for c in kept], g.name))
        why = self._aside_reason(one) if first else ""
        text, said_why = self._why(text)
        why = " ".join(w for w in (said_why, why) if w)
        names = {n for c in clauses if c.score > 0 for n in c.signs}
        type, scope = self._type(one if whole else None, clauses, text)
        old = self._old(one.text if whole else text)
        if old:
            yield Reading(act=Act.WITHDRAW, quote=one.said, rule=f"{g.name}.change", about=self._about(one, old))
        if "keep_on" in names and g.deictic.search(_PUNCTUATION.sub("", text)) and scene.answer:
            text = f"{text}：{_opening(scene.answer)}" if g.name != "ko" else f"{text}: {_opening(scene.answer)}"
        yield Reading(act=Act.STATEMENT, quote=one.said, text=text, rule=f"{g.name}.{self._rule(clauses)}", type=type, scope=scope,
                      why=why, replaces=old)

    def _why(self, text: str) -> tuple[str, str]:
        """The rule and the reason that the sentence gives for it. The rule keeps the whole sentence where it cannot stand alone."""
        for cause in self.grammar.cause:
            if found := cause.search(text):
                why, rest = found.group("why").strip("，,、。 "), found.group("rest").strip("，,、。 ")
                if len(why) < 3 or len(rest) < 3:
                    continue
                alone = len(rest) >= 8 and not self.grammar.backward.match(rest)
                return (rest if alone else text), why
        return text, ""

    def _old(self, text: str) -> str:
        """The words of the state that a sentence ends, where it names them."""
        void = self.grammar.void.search(text)
        if void and (old := (void.groupdict().get("old") or "").strip(_EDGES)):
            return old
        for change in self.grammar.change:
            if (found := change.search(text)) and (old := found.group("old").strip(_EDGES)):
                return old
        return ""

    def _about(self, one: _Seen, old: str) -> str:
        """What a change takes back: the words of its topic and the old value."""
        changed = next((c for c in one.clauses if "change" in c.signs), one.clauses[0] if one.clauses else None)
        topic = self.grammar.topic.search(changed.text) if changed else None
        words = self.grammar.word.findall(topic.group("topic")) if topic else []
        return " ".join([*words[:2], old]).strip()

    def _rule(self, clauses: list[_Clause]) -> str:
        best = max((c for c in clauses), key=lambda c: c.score)
        return max(best.signs, key=lambda n: best.signs[n], default="asked")

    def _type(self, one: _Seen | None, clauses: list[_Clause], text: str) -> tuple[str, str]:
        """Type by votes; scope follows: the person and how to talk to them are the user's, the rest is the project's."""
        g = self.grammar
        names = {n for c in clauses if c.score > 0 for n in c.signs}
        kind = _type(_votes(clauses))
        said = one.said if one else text
        if g.reply.search(said) or "language" in names:
            if g.artifact.search(said):
                return "feedback", "project" if g.here.search(said) and not g.reply.search(said) else "user"
            if kind in ("user", "feedback") and g.reply.search(said):
                return "user", "user"
        return kind, "user" if kind == "user" else "project"

    # ---- the pieces that a correction could swap, and words for people

    def values(self, text: str) -> Sequence[Value]:
        found = list(self._pieces(text))
        found.sort(key=lambda v: (-(v.end - v.start), v.start))
        kept: list[Value] = []
        for value in found:
            if all(value.end <= k.start or value.start >= k.end for k in kept):
                kept.append(value)
        bare = text.strip(" 。.，,")
        if not kept and 0 < len(bare) <= 12:
            start = text.index(bare)
            kept.append(Value(start=start, end=start + len(bare), kind="name" if self.grammar.letters.search(bare) else "word"))
        return sorted(kept, key=lambda v: v.start)

    def _pieces(self, text: str) -> Iterator[Value]:
        for recurring in calendar_words.RECURRING:
            for m in recurring.finditer(text):
                yield Value(start=m.start(), end=m.end(), kind="weekday", weight=1.5)
        for mention in dates.find(text, _SOME_DAY):
            yield Value(start=mention.start, end=mention.end, kind="weekday" if mention.kind == "weekday" else "date", weight=1.25)
        yield from neutral.values(text)
        for m in self.grammar.person.finditer(text):
            yield Value(start=m.start("name"), end=m.end("name"), kind="name", weight=1.5)
        for m in self.grammar.counted.finditer(text):
            yield Value(start=m.start(), end=m.end(), kind="number", weight=1.1)
        for m in _TIME.finditer(text):
            yield Value(start=m.start(), end=m.end(), kind="time", weight=1.1)
        for m in _QUOTED.finditer(text):
            yield Value(start=m.start() + 1, end=m.end() - 1, kind="name", weight=1.25)
        for m in _LATIN_NAME.finditer(text):
            yield Value(start=m.start(), end=m.end(), kind="name", weight=1.0)

    def title(self, text: str, type: str) -> str:
        out = ""
        for part in _clauses(_PLAIN_ASIDE.sub("", text), self.grammar.clause):
            joined = _joined([out, part], self.name) if out else part
            if out and _width(joined) > TITLE_WIDTH:
                break
            out = joined
            if _width(out) >= TITLE_WIDTH // 3:
                break
        return _cut(out or text, TITLE_WIDTH)

    def describe(self, text: str, type: str) -> str:
        text = " ".join(text.split())
        return text if len(text) <= DESCRIPTION_CHARACTERS else text[:DESCRIPTION_CHARACTERS - 1].rstrip("，,、 ") + "…"

    def keywords(self, text: str) -> tuple[str, ...]:
        values = [v for v in neutral.values(text) if v.kind != "number"]
        found = [text[v.start:v.end] for v in values] + [m.group()[1:-1] for m in _QUOTED.finditer(text)]
        rest = _QUOTED.sub(" ", text)
        for value in found:
            rest = rest.replace(value, " ")
        found += _LATIN_NAME.findall(rest)
        found += [w for w in self.grammar.word.findall(rest) if len(w) > 1]
        kept: list[str] = []
        for word in found:
            word = word.strip("`「」“”\"'")
            if word and len(word) <= 40 and all(word.casefold() != k.casefold() for k in kept):
                kept.append(word)
        return tuple(kept[:KEYWORDS])


# --- text ------------------------------------------------------------------------------------------------------------------

_QUOTED = re.compile(r"「[^」\n]{1,60}」|『[^』\n]{1,60}』|“[^”\n]{1,60}”|\"[^\"\n]{1,60}\"|‘[^’\n]{1,60}’|(?<![A-Za-z])'[^'\n]{1,60}'|《[^》\n]{1,60}》")
_LATIN = re.compile(r"[A-Za-z]")
_LATIN_NAME = re.compile(r"(?<![\w.@/-])[A-Za-z][\w.+-]{0,30}[\w+]|(?<![\w.@/-])[A-Z](?![\w])", re.ASCII)
_TIME = re.compile(r"\d{1,2}[:：]\d\d|\d{1,2}\s?[点時시](?:半|\d{1,2}分)?")
# "main.py" and "console.log" look like hosts.
_FILE = re.compile(r"^[^/:]*\.(?:py|js|mjs|ts|tsx|jsx|vue|go|rs|rb|java|kt|swift|c|h|cc|cpp|cs|php|sql|sh|md|rst|txt|json|ya?ml|toml|ini|cfg|conf"
                   r"|lock|log|csv|xml|html|css|env|proto|tf|lua|gradle)$", re.IGNORECASE)
_EDGES = "，,、。「」“” \"'"
_PUNCTUATION = re.compile(r"[\s，,、。.!！]+")
_OPEN, _CLOSE = "（(「『“【[《", "）)」』”】]》"
_ENDS = "。！？!?；;"
_PLAIN_ASIDE = re.compile(r"[（(][^（）()]{0,200}[）)]")
_MASKS = {"url": "URL", "path": "PATH", "channel": "CHAN", "flag": "FLAG", "code": "CODE", "id": "ID"}


def mask(text: str) -> str:
    """A text with its values replaced by what they are: only grammar is left to look at."""
    spans: list[tuple[int, int, str]] = [(m.start(), m.end(), "QUOTE") for m in _QUOTED.finditer(text)]
    for value in neutral.values(text):
        if value.kind in _MASKS:
            file = value.kind == "url" and _FILE.search(text[value.start:value.end])
            spans.append((value.start, value.end, "PATH" if file else _MASKS[value.kind]))
    spans += [(m.start(), m.end(), "RECUR") for r in calendar_words.RECURRING for m in r.finditer(text)]
    spans += [(m.start, m.end, "DATE") for m in dates.find(text, _SOME_DAY) if m.kind not in ("day", "offset", "period")]
    parts: list[str] = []
    done = 0
    for start, end, name in sorted(spans, key=lambda s: (s[0], -s[1])):
        if start >= done:
            parts += (text[done:start], name)
            done = end
    return "".join((*parts, text[done:]))


def _sentences(text: str) -> Iterator[str]:
    """Cut after 。！？; and after a full stop that ends a word, outside of brackets and quotes. A bracket that begins a
    sentence is a sentence."""
    start = depth = 0
    for i, char in enumerate(text):
        if char in _OPEN:
            if depth == 0 and char in "（(" and not text[start:i].strip():
                start = i
            depth += 1
        elif char in _CLOSE and depth:
            depth -= 1
            if depth == 0 and text[start:i].lstrip()[:1] in ("（", "("):
                yield text[start:i + 1].strip()
                start = i + 1
        elif depth == 0 and (char in _ENDS or (char == "." and _full_stop(text, i))):
            if i + 1 < len(text) and text[i + 1] in _ENDS:
                continue
            if text[start:i].strip():
                yield text[start:i + 1].strip()
            start = i + 1
    if text[start:].strip(" 　。."):
        yield text[start:].strip()


def _full_stop(text: str, at: int) -> bool:
    before, after = text[at - 1:at], text[at + 1:at + 2]
    return bool(before) and (not after or after.isspace()) and not before.isdigit()


def _without_asides(sentence: str) -> tuple[str, list[str]]:
    """The sentence without its brackets, and what stood in them. A sentence in brackets is itself."""
    stripped = sentence.strip()
    if stripped[:1] in ("（", "(") and stripped[-1:] in ("）", ")"):
        return stripped[1:-1], []
    asides = [m.group()[1:-1].strip() for m in _PLAIN_ASIDE.finditer(sentence) if len(m.group()) > 8]
    return _PLAIN_ASIDE.sub(lambda m: "" if len(m.group()) > 8 else m.group(), sentence), asides


def _clauses(text: str, cut: re.Pattern[str]) -> list[str]:
    """Cut where a clause ends, but not inside quotes."""
    protected = [m.span() for m in _QUOTED.finditer(text)]
    parts: list[str] = []
    done = 0
    for m in cut.finditer(text):
        if any(a <= m.start() < b for a, b in protected):
            continue
        if text[done:m.start()].strip():
            parts.append(text[done:m.start()].strip())
        done = m.end()
    if text[done:].strip():
        parts.append(text[done:].strip())
    return parts


def _joined(parts: Sequence[str], language: str) -> str:
    mark = {"zh": "，", "ja": "、"}.get(language, ", ")
    return mark.join(p for p in parts if p)


def _width(text: str) -> int:
    return sum(1 if char.isascii() else 2 for char in text)


def _cut(text: str, columns: int) -> str:
    """At most so many columns, the cut shown."""
    text = " ".join(text.split()).strip("，,、。.:： ")
    if _width(text) <= columns:
        return text
    out, used = "", 1
    for char in text:
        used += _width(char)
        if used > columns:
            break
        out += char
    return out.rstrip("，,、 ") + "…"


def _opening(answer: str) -> str:
    """The first sentence of an answer, for a confirmation that names nothing itself."""
    first = next((s for line in answer.splitlines() if line.strip() for s in _sentences(line)), "")
    return _cut(first, ANSWER_CHARACTERS)


def _votes(clauses: Sequence[_Clause]) -> list[float]:
    """The votes of the clauses that speak for keeping; a clause that only tells why counts a quarter."""
    total = [0.0, 0.0, 0.0, 0.0]
    speaking = [c for c in clauses if c.score > 0]
    main = [c for c in speaking if set(c.signs) - STORY]
    for clause in speaking:
        share = 1.0 if not main or clause in main else 0.25
        total = [a + share * b for a, b in zip(total, clause.votes, strict=True)]
    return total


def _type(votes: Sequence[float]) -> str:
    """The type with most votes; feedback when there are none."""
    return TYPES[max(range(4), key=lambda i: (votes[i], i == 1))] if any(votes) else "feedback"
