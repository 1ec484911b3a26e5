"""Evidence: everything an English sentence shows, as names, and what they weigh together.

Signs come from ``english_signs`` and ``english_passing``; here are those that need grammar or the neighbour: mood,
reach of
an order, generic subjects, a lesson and what follows from it. A sign in the clause that carries the point counts
fully for
the type, one in the reason beside it less (``ASIDE``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from reverie.models.rules import english_clauses, english_passing, english_signs
from reverie.models.rules.english_order import Order, order, trailing_task
from reverie.models.rules.english_shape import Shape, shape
from reverie.models.rules.english_talk import Talk, bare
from reverie.models.rules.english_votes import VOTES

ASIDE = 0.4
TYPES = ("user", "feedback", "project", "reference")
_Votes = tuple[float, float, float, float]
_NO_VOTES: _Votes = (0.0, 0.0, 0.0, 0.0)

# name: (lasting, votes for user, feedback, project, reference)
GRAMMAR: dict[str, tuple[float, _Votes]] = {
    "asked": (3.0, _NO_VOTES),                      # "please remember that"
    "refused": (0.75, (0, 1, 0, 0)),                # "no, …": a correction of what the assistant did
    "welcomed": (0.75, (0, 1, 0, 0)),               # "perfect: …"
    "approved": (2.0, (0, 1.5, 0, 0)),              # "exactly like that: …"
    "polite": (0.75, (0, .75, 0, 0)),               # "… please" in what is not an order
    "polite_order": (0.25, (0, .75, 0, 0)),
    "plain": (0.0, (0, 0, .5, 0)),                  # a statement without any of the marks below
    "pointing": (0.0, (0, 0, 0, 1)),                # a place, and words that say what is kept there
    "harmful": (0.0, (0, .5, 0, 0)),                # the same about something that went wrong
    "generic": (1.5, (0, 1, 0, 0)),                 # "fixes land on main first"
    "generic_reason": (0.75, _NO_VOTES),            # the same in the reason only
    "mass": (0.75, (0, .5, 0, 0)),                  # "formatting is done with …"
    "sweeping": (0.75, (0, .25, 0, 0)),             # "everything …", "each new …"
    "slogan": (0.0, (0, .75, 0, 0)),                # no finite verb: "reasons only"
    "slogan_kind": (0.75, _NO_VOTES),               # … with a mark of a rule in it
    "order": (-1.5, (0, 1.25, 0, 0)),
    "kind": (1.5, _NO_VOTES),                       # an order about a kind of thing
    "one": (-1.5, _NO_VOTES),                       # an order about this one thing
    "task_verb": (-0.75, _NO_VOTES),
    "rule_verb": (1.5, _NO_VOTES),
    "both_verb": (0.75, _NO_VOTES),                 # a verb that begins tasks as well as rules
    "talk_order": (1.5, _NO_VOTES),                 # an order about how to answer
    "batch": (-1.25, _NO_VOTES),                     # "write tests for all modules" is one piece of work
    "negative": (1.0, _NO_VOTES),                   # "don't …"
    "negative_kind": (1.0, _NO_VOTES),
    "negative_one": (-1.0, _NO_VOTES),
    "second_kind": (0.75, _NO_VOTES),               # "infer locals, annotate only signatures"
    "instead_do": (1.25, _NO_VOTES),                # "don't guess, attach a profile"
    "justified": (0.75, _NO_VOTES),                 # people give reasons for rules, seldom for tasks
    "justified_by_harm": (2.0, _NO_VOTES),
    "chosen": (1.0, _NO_VOTES),                     # "with make, not with pytest": of the many ways this one
    "chosen_task": (0.75, _NO_VOTES),
    "chosen_justified": (0.5, _NO_VOTES),
    "point_order": (0.25, (0, 1.25, 0, 0)),         # "…, so never hand them a local one"
    "lesson": (1.25, _NO_VOTES),                    # harm with its cause or its consequence
    "lesson_cost": (0.5, _NO_VOTES),
    "after_lesson": (1.25, (0, .5, 0, 0)),          # directly behind a sentence that told what went wrong
    "after_story": (1.0, (0, .5, 0, 0)),            # directly behind a sentence in the past
    "last_task": (-2.0, _NO_VOTES),                 # "totals are off by a cent, sort it out"
}
_SIGNS = (*english_signs.LASTING, *english_passing.PASSING)
BY_HAND: dict[str, _Votes] = {name: votes for name, (_, votes) in GRAMMAR.items()} | {sign.name: sign.votes for sign in _SIGNS}
_LASTING = {name: lasting for name, (lasting, _) in GRAMMAR.items()} | {sign.name: sign.lasting for sign in _SIGNS}
_VOTES = BY_HAND | VOTES            # the fitted votes, where there are any
_STRONG = frozenset(sign.name for sign in english_signs.LASTING if sign.lasting >= 2.0)

# "I'm colour-blind, so …", "we decided on X, so …": who somebody is and what was decided stay the point, wherever
# they stand.
_ALWAYS_THE_POINT = frozenset(("i_am", "my_life", "decided", "plan", "cause_found", "owner", "authority"))
_POINTS = ("located", "place_is", "told_at", "look_there", "settings_in", "is_pointer")
_TALK_SIGNS = frozenset(("answers", "tongue", "approval"))
_RULE_MARKS = frozenset(("in_kind", "only", "only_for", "contrast", "none_of", "universal", "order_of", "always",
    "measure"))
_TIMELESS = frozenset(("universal", "habit", "standing", "always"))
_THIS_ONCE = frozenset(("now", "this_one", "again"))
_CONSEQUENCE = frozenset((
    "because", "without", "norm", "standing", "always", "only", "look_there", "pointer", "costs_us", "cause_found",
    "generic", "none_of", "universal"))
_OPENED = re.compile(r"^(?:when|whenever|before|after|once|if|for|in|on|unless|until)\b")
_DENIAL = re.compile(r"^not [\w`'./-]+(?: [\w'./-]+)?[.!,]*$")


@dataclass(slots=True)
class Seen:
    """A sentence and what it shows. ``shares`` maps each piece of evidence to how fully it counts for the type."""

    said: str
    talk: Talk
    shape: Shape
    order: Order | None
    shares: dict[str, float] = field(default_factory=dict)
    denial: bool = False            # "not npm": the point comes after it
    past: bool = False

    @property
    def low(self) -> str:
        return self.shape.low

    @property
    def text(self) -> str:
        return self.talk.core

    @property
    def lesson(self) -> bool:
        """Whether it tells what went wrong."""
        return "harm" in self.shares and self.order is None and not self.shows(
            "symptom", "now", "doing", "machine", "pointing")

    @property
    def score(self) -> float:
        """How much speaks for keeping it."""
        return -1.0 if self.denial else sum(_LASTING[name] for name in self.shares)

    @property
    def votes(self) -> list[float]:
        """What speaks for each of TYPES."""
        return [sum(_VOTES[name][i] * share for name, share in self.shares.items()) for i in range(4)]

    def shows(self, *names: str) -> bool:
        return any(name in self.shares for name in names)

    def add(self, *names: str) -> None:
        for name in names:
            self.shares.setdefault(name, 1.0)


def see(said: str) -> Seen:
    """A sentence without its markers, masked, and the order that it begins with; nothing weighed yet."""
    talk = bare(said)
    seen = shape(talk.core)
    return Seen(said, talk, seen, order(seen.low))


def weigh(seen: Seen, before: Seen | None) -> None:
    """Collect everything that a sentence shows; ``before`` is the sentence before it in the same message."""
    low = seen.low
    start, end = english_clauses.point(low)
    if start and (told := order(low[start:])) is not None and told.reach < 0:
        start, end = 0, start           # "…, so don't delete it yet" is what to do now; the fact stands before it
    whole = (start, end) == (0, len(low))
    for sign in english_signs.shown(english_signs.LASTING, low):
        fully = whole or sign.name in _ALWAYS_THE_POINT or sign.pattern.search(low, start, end)
        seen.shares[sign.name] = 1.0 if fully else ASIDE
    seen.add(*(sign.name for sign in english_signs.shown(english_passing.PASSING, low)))
    seen.past = english_clauses.past(low)
    seen.denial = bool(_DENIAL.match(low))
    if seen.order is not None:
        _weigh_order(seen, seen.order)
    else:
        _weigh_statement(seen, start, end)
    if seen.talk.explicit:
        seen.add("asked")
    if seen.talk.refused and (seen.order is None or seen.order.reach >= 0):
        seen.add("refused")
    if seen.talk.welcomed and (seen.order is None or seen.order.reach >= 0):
        seen.add("welcomed")
    if seen.talk.approved:
        seen.add("approved")
    if trailing_task(low) and not _spared(seen):
        seen.add("last_task")
    if any(seen.shares.get(name) == 1.0 for name in _POINTS) and seen.shows("pointer", "system", "at_path", "titled",
        "kept_place"):
        seen.add("pointing")
    _weigh_cause(seen, before)


def _spared(seen: Seen) -> bool:
    """Whether a last clause like "…, delete the old one" does not make all of it a task: beside a strong sign, behind
    "when …", as the other half of "don't …", or as what follows from a harm."""
    negative = seen.order is not None and seen.order.negative
    return negative or seen.shows(*_STRONG) or _OPENED.match(seen.low) is not None or ("harm" in seen.shares and seen.
    past)


def _weigh_statement(seen: Seen, start: int, end: int) -> None:
    low, whole = seen.low, (start, end) == (0, len(seen.low))
    if seen.talk.polite:
        seen.add("polite")
    if english_clauses.sweeping(low[start:end]):
        seen.add("sweeping")
    if start and (order(low[start:]) is not None):
        seen.add("point_order")
    if english_clauses.generic(low[start:end]):
        seen.add("generic")
    elif not whole and english_clauses.generic(low):
        seen.add("generic_reason")
    elif english_clauses.mass(low):
        seen.add("mass")
    elif not english_clauses.finite(low):
        seen.add("slogan", *(["slogan_kind"] if seen.shows(*_RULE_MARKS) else []))
    else:
        seen.add("harmful" if "harm" in seen.shares else "plain")


def _weigh_order(seen: Seen, given: Order) -> None:
    """Orders about one thing are tasks, orders about a kind of thing are rules."""
    reach = given.reach
    if reach < 0 and seen.shows(*_TIMELESS) and not seen.shows(*_THIS_ONCE):
        reach = 0
    seen.add("order", *(["polite_order"] if seen.talk.polite else []))
    if given.negative:
        seen.add("negative", *({1: ["negative_kind"], -1: ["negative_one"]}.get(reach, [])))
    else:
        seen.add(*({1: ["kind"], -1: ["one"]}.get(reach, [])), *(["task_verb"] if given.task else []))
        if reach >= 0 and seen.shows(*_TALK_SIGNS):
            seen.add("talk_order")
        elif reach >= 0 and not given.task:
            seen.add("both_verb" if given.both else "rule_verb")
        if "universal" in seen.shares and (given.task or given.both) and not seen.shows("habit", "standing", "always"):
            seen.add("batch")
    if reach < 0:
        return
    justified = _justified(seen.low)
    if justified:
        seen.add("justified_by_harm" if "harm" in seen.shares else "justified")
    if "contrast" in seen.shares:
        seen.add("chosen", *(["chosen_task"] if given.task else []), *(["chosen_justified"] if justified else []))
    if given.negative and given.then:
        seen.add("instead_do")
    later = [order(clause) for clause in english_clauses.clauses(seen.low)[1:]]
    if any(each is not None and each.reach > 0 for each in later):
        seen.add("second_kind")


def _justified(low: str) -> bool:
    """Whether an order is followed by a clause that says why."""
    return any(english_clauses.finite(clause) and order(clause) is None for clause in english_clauses.clauses(low)[1:])


def _weigh_cause(seen: Seen, before: Seen | None) -> None:
    """What went wrong, and what follows from it."""
    if "harm" in seen.shares and not seen.shows("state", "now", "doing", "machine"):
        if seen.shows(*_CONSEQUENCE):
            seen.add("lesson")
        elif "cost" in seen.shares:
            seen.add("lesson_cost")
    if before is None or seen.shows("now", "doing", "again", "just_did"):
        return
    if before.lesson:
        seen.add("after_lesson")
    elif before.order is None and before.past and not seen.past:
        seen.add("after_story")


def shares(group: list[Seen], keep: float) -> list[tuple[Seen, float]]:
    """How fully each sentence of a group counts for the type: what is no rule itself, or tells what went wrong,
    counts less."""
    rules = any(seen.score >= keep and not seen.lesson for seen in group)
    return [(seen, 0.25 if seen.score < keep or (seen.lesson and rules) else 1.0) for seen in group]


def kind_of(group: list[Seen], keep: float) -> str:
    """The type with the most votes of the sentences that count."""
    total = [0.0, 0.0, 0.0, 0.0]
    for seen, share in shares(group, keep):
        for i, vote in enumerate(seen.votes):
            total[i] += vote * share
    return TYPES[max(range(4), key=lambda i: (total[i], -i))]
