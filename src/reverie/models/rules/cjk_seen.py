"""One Chinese, Japanese or Korean sentence on its own: what its clauses show, how much that weighs, why it is refused.

Signs add up within a clause; a sentence weighs as much as its heaviest clause and half of the others. "For now" and orders for
this moment weigh against their own clause only: "it broke today, so from now on we always …" is a rule. Weights were set by
hand in quarters: they rank evidence, they do not measure it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from reverie.core.proposal import Reason
from reverie.models.rules import cjk_text, neutral
from reverie.models.rules.cjk_grammar import Grammar

KEEP = 2.0                          # from this weight on a sentence is a memory of its own
ASKED = 3.0                         # what a request to remember adds
TRAIT = 2.0                         # something about the person, as a reason for a wish
LESSON = 1.25                       # what went wrong, and then what one does
SUBJECT_CHARACTERS = 24             # of "the key of the map is", before a credential
LOGIN = 0.5                         # a database or a server as the subject
STEM_CHARACTERS = 16                # of "the server logs?", asked to be answered in the same breath
ANNOUNCED = 1.0                     # what "no," and "the plan has changed" add to what follows
TYPES = ("user", "feedback", "project", "reference")
# Signs of a rule: an order in such company is not one for this moment.
RULES = frozenset((
    "standing", "must", "forbid", "approval", "keep_on", "style", "rule", "language", "agreed", "format", "place", "ask", "look",
    "me_too", "instead"))
# Signs that go on with what was said: alone they make a sentence a part of the statement before it.
CONTINUES = frozenset((
    "fixed", "harm", "so", "good", "never", "habit", "universal", "contrast", "directive", "external", "measure", "should",
    "may_not", "grounds", "recurring", "date", "bounded", "in_use", "only", "sanction",
    "product", "craft", "fact"))
# Signs of this moment.
PASSING = frozenset(("now", "task", "favour", "bare", "status", "thanks", "mine"))
ORDERS = frozenset(("task", "bare"))
# Signs that tell what happened or who is concerned: a reason for a rule, no rule.
STORY = frozenset(("harm", "so", "external", "good", "date", "recurring", "schedule", "product", "craft"))
# Signs under which something is wished or obliged: then the product as a subject says less about the type.
WISHED = frozenset(("please", "must", "mind", "keep_on", "style", "approval", "directive"))
OBLIGED = frozenset(("standing", "forbid", "agreed", "rule"))
LESSONS = frozenset(("harm", "missing", "lesson", "blame"))
OF_A_PERSON = frozenset(("self", "experience", "years", "trait", "style", "approval", "me_too"))
POINTING = frozenset(("place", "locator", "ask", "look", "moved"))
# Signs of a wish.
WISHES = frozenset(("forbid", "directive", "please", "must", "style", "deliver", "to_me", "topic", "manner", "fragment",
                    "instead"))
# Signs that the topic of the first clause carries to the last.
CARRIED = frozenset(("habit", "topic"))
# Signs that may begin in one clause and end in the last: "the list is stale, look into the other one".
ACROSS = frozenset(("instead", "ask", "look"))


@dataclass(slots=True)
class Clause:
    """A clause, its masked view, and the signs found in it with their weights."""

    text: str
    view: str
    signs: dict[str, float] = field(default_factory=dict)
    votes: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0, 0.0])

    @property
    def score(self) -> float:
        return sum(self.signs.values())


@dataclass(slots=True)
class Seen:
    """A sentence on its way to a verdict. ``text`` is without talk at its ends and without brackets."""

    said: str
    text: str
    view: str
    clauses: list[Clause]
    asides: list[str]
    asked: bool = False             # "remember that …"
    empty: bool = False             # nothing but a remark about its neighbour
    refusal: Reason | None = None
    score: float = 0.0

    @property
    def shown(self) -> set[str]:
        """All signs, for and against."""
        return {name for clause in self.clauses for name in clause.signs}

    @property
    def names(self) -> set[str]:
        """The signs of the clauses that speak for keeping."""
        return {name for clause in self.clauses if clause.score > 0 for name in clause.signs}

    @property
    def keeps(self) -> bool:
        return self.refusal is None and not self.empty and self.score >= KEEP

    @property
    def passing(self) -> bool:
        """An order for now, a state of the moment, thanks: nothing that explains a rule."""
        return bool(self.shown & PASSING)


def see(grammar: Grammar, sentence: str) -> Seen:
    """A sentence with its clauses weighed and, where it must not be kept, the reason."""
    outer, asides = cjk_text.without_asides(sentence)
    bare = cjk_text.without_login(outer)
    text, hidden = _without_secret(grammar, freed(grammar, bare))
    clauses = [Clause(text=part, view=cjk_text.mask(part)) for part in cjk_text.clauses(text, grammar.clause)]
    seen = Seen(said=sentence, text=text, view=cjk_text.mask(outer), clauses=clauses, asides=asides)
    for clause in clauses:
        _weigh(grammar, clause, last=clause is clauses[-1])
    if len(clauses) > 1:
        _together(grammar, clauses)
    hidden = hidden or bare != outer
    if bare != outer:
        _not_a_place(clauses)
    seen.asked = bool(grammar.asked.search(seen.view)) and not hidden
    seen.refusal = refusal(grammar, seen)
    seen.score = _score(grammar, seen)
    if hidden and seen.refusal is None and seen.score < KEEP:
        seen.refusal = Reason.SECRET
    return seen


def _not_a_place(clauses: Sequence[Clause]) -> None:
    """An address that one logs in to is what is spoken of, not where something can be read."""
    for clause in clauses:
        for name, votes in (("locator", 3.0), ("place", 2.0)):
            if name in clause.signs:
                del clause.signs[name]
                clause.votes[3] -= votes
                clause.signs["product"] = LOGIN


def _without_secret(grammar: Grammar, text: str) -> tuple[str, bool]:
    """What is said beside a credential that was taken out, and whether one was: of its own clause only the subject stays, and
    only where the next clause has none ("the key is …, 1000 calls a day")."""
    if not neutral.PLACEHOLDER.search(text):
        return text, False
    parts = cjk_text.clauses(text, grammar.clause)
    kept: list[str] = []
    for i, part in enumerate(parts):
        found = neutral.PLACEHOLDER.search(part)
        if not found:
            kept.append(part)
            continue
        subject = part[:found.start()].strip()
        follows = parts[i + 1] if i + 1 < len(parts) else ""
        subject = grammar.bearer.sub("", subject)
        if follows and subject and len(subject) <= SUBJECT_CHARACTERS and grammar.headless.search(cjk_text.mask(follows)):
            kept.append(subject)
    return cjk_text.joined(kept, grammar.language), True


def answered(grammar: Grammar, question: Seen, answer: Seen) -> Seen | None:
    """"The logs? Kibana, index x": the asker answers, and both are one pointer."""
    stem = question.said.rstrip("?？ ")
    if len(stem) > STEM_CHARACTERS or not grammar.located.match(answer.view) or answer.refusal is not None:
        return None
    if grammar.question.search(cjk_text.mask(stem)) or question.said[-1:] not in ("?", "？"):
        return None
    joined = see(grammar, f"{stem}{': ' if grammar.language == 'ko' else '：'}{answer.text}")
    joined.clauses[0].signs["look"] = KEEP + 0.25
    joined.clauses[0].votes[3] += 2.5
    joined.score = max(joined.score, KEEP + 0.25)
    return joined


def freed(grammar: Grammar, text: str) -> str:
    """Without "ok," and "please remember:", at most a few of them, and without the closing mark."""
    text = text.strip().rstrip("。.!！;；,，、~～ ")
    for _ in range(4):
        cut = grammar.lead.sub("", text, count=1).lstrip("，,、：:。 ")
        if cut == text or not cut:
            break
        text = cut
    return grammar.tail.sub("", text).rstrip("。.!！;；,，、 ") or text


def _weigh(grammar: Grammar, clause: Clause, *, last: bool) -> None:
    found = [each for each in grammar.signs if each.pattern.search(clause.view)]
    rule = any(each.name in RULES for each in found)
    for each in found:
        if (each.name in ORDERS and rule) or (each.name == "bare" and not last):
            continue                                # "please always run it with …" has the form of an order
        clause.signs[each.name] = each.lasting
        clause.votes = [a + b for a, b in zip(clause.votes, each.votes, strict=True)]


def _together(grammar: Grammar, clauses: Sequence[Clause]) -> None:
    """What clauses say to each other: a topic that is carried on, an order that ends a rule, a mishap and what one does since."""
    last, ruled = clauses[-1], False
    agreed = False
    for clause in clauses:
        for name in ("now", *ORDERS) if agreed else ():     # "it is agreed: for the start …, the rest later"
            clause.signs.pop(name, None)
        agreed = agreed or "decided" in clause.signs
    for clause in clauses:
        if ruled:
            for name in ORDERS:                     # "from now on, …, put the numbers into the PR"
                clause.signs.pop(name, None)
        ruled = ruled or bool(RULES & set(clause.signs))
    if "favour" in last.signs or any("now" in c.signs for c in clauses):
        return                                      # "I am off tomorrow, ask her"
    whole = cjk_text.joined([c.view for c in clauses], grammar.language)
    for each in grammar.signs:
        if each.name in ACROSS and each.name not in last.signs and each.pattern.search(whole):
            last.signs[each.name] = each.lasting
            last.votes = [a + b for a, b in zip(last.votes, each.votes, strict=True)]
            for name in ORDERS:
                last.signs.pop(name, None)
    if PASSING & set(last.signs):
        return
    view = " ".join(c.view for c in clauses)
    for each in grammar.signs:
        if each.name in CARRIED and each.name not in last.signs and each.pattern.search(view):
            last.signs[each.name] = each.lasting
    if grammar.me.search(clauses[0].view) and any(WISHES & set(c.signs) for c in clauses[1:]):
        clauses[0].signs["trait"] = TRAIT           # "my eyes are bad, so don't …": a wish for a reason of one's own
    told = {name for clause in clauses[:-1] for name in clause.signs}
    if {"harm", "so"} & told and grammar.present.search(last.view):
        last.signs["lesson"] = LESSON
        last.votes[1] += 0.75 if "harm" in told else 0.0


def _score(grammar: Grammar, seen: Seen) -> float:
    scores = sorted((c.score for c in seen.clauses if c.score > 0), reverse=True)
    score = scores[0] + sum(scores[1:]) / 2 if scores else 0.0
    if seen.asked:
        return score + ASKED
    if scores and grammar.objects.match(seen.said):
        score += ANNOUNCED
    names = seen.names
    ordered = bool(seen.clauses) and bool(ORDERS & (set(seen.clauses[0].signs) | set(seen.clauses[-1].signs)))
    if names <= STORY or (ordered and not (RULES - {"forbid", "place"}) & names):
        return min(score, KEEP - 0.25)              # a story without a moral; "move it left, don't make it blue"
    return score


def refusal(grammar: Grammar, seen: Seen) -> Reason | None:
    """Why a sentence must not be kept whatever its weight; None when it may be."""
    g, view, shown = grammar, seen.view, seen.shown
    if neutral.PLACEHOLDER.search(seen.text) or g.credential.search(seen.text):
        return Reason.SECRET
    if g.question.search(view.rstrip("。. ")) and not g.rhetorical.search(view):
        wished = seen.asked or shown & {"standing", "universal", "language", "style", "contrast", "approval", "ask", "look"}
        last = seen.clauses[-1] if len(seen.clauses) > 1 else None
        told = last is not None and "look" in last.signs and not g.question.search(last.view)   # "which ones, FILE lists"
        if not told and not (g.polite.search(view) and wished):     # "could you always answer in Japanese?" is a request
            return Reason.QUESTION
    if g.unrelated.search(view) or (g.others.search(view) and not seen.asked and not shown & {"must", "forbid", "standing"}):
        return Reason.OTHER_PROJECT
    if seen.asked:
        return None
    if g.joking.search(view):
        return Reason.UNDECIDED
    if g.condition.search(view) and (g.uncertain.search(view) or not (g.obliges.search(view) or shown & POINTING)):
        return Reason.UNDECIDED
    if g.uncertain.search(view) and not shown & {"standing", "must", "decided"}:
        return Reason.UNDECIDED
    if g.derivable.search(view) and not shown & {"standing", "must", "forbid", "look"}:
        return Reason.DERIVABLE
    return None


def votes(clauses: Sequence[Clause]) -> list[float]:
    """The votes of the clauses that speak for keeping; a clause that only tells why counts less."""
    total = [0.0, 0.0, 0.0, 0.0]
    speaking = [c for c in clauses if c.score > 0]
    main = [c for c in speaking if set(c.signs) - STORY]
    for clause in speaking:
        share = 1.0 if not main or clause in main else 0.25 if {"harm", "external"} & set(clause.signs) else 0.5
        total = [a + share * b for a, b in zip(total, clause.votes, strict=True)]
    return total


def most(total: Sequence[float]) -> str:
    """The type with most votes; feedback when there are none."""
    return TYPES[max(range(4), key=lambda i: (total[i], i == 1))] if any(total) else "feedback"
