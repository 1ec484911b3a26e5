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

from reverie.models.rules import english_clauses, english_passing, english_signs, english_subject
from reverie.models.rules.english_change import told_to_swap
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
    "about_work": (0.0, (0, .75, -.25, -.25)),      # the subject is code, tests, commits
    "about_world": (0.25, (0, -.5, 1.25, 0)),       # the subject is the product, its data, its customers
    "about_else": (0.0, (0, 0, .25, 0)),            # a subject of neither kind
    "trade": (1.0, (0, -.75, 1.5, 0)),              # "we ship to …", "we support …"
    "wish": (1.75, (0, 1, 0, 0)),                    # "could you always …?"
    "answered": (2.0, (0, 0, 0, .75)),              # "server logs? Graylog, …"
    "learned": (3.0, (0, 1, 0, 0)),                 # an order, and what happened without it
    "short_lesson": (1.25, (0, 1, 0, 0)),           # a verdict without a verb behind what went wrong
    "swap_kind": (3.5, _NO_VOTES),                  # "swap X for Y in plots"
    "allowed_again": (3.0, (0, .75, .5, 0)),        # "a single file is fine again": a rule is lifted
    "taken_out": (3.5, (0, 2, 0, 0)),               # "no, drop X again, …"
    "would_have": (2.0, (0, 1, 0, 0)),              # "the wrapper would have retried"
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
_MEANT = frozenset(("always", "standing", "norm", "we_present", "prefer", "confirmed", "here", "contrast", "none_of", "only", "rule_word", "decided", "plan",
                    "located", "told_at", "place_is", "when", "is_done", "because", "in_kind"))
_THIS_ONCE = frozenset(("now", "this_one", "again"))
_CONSEQUENCE = frozenset((
    "because", "without", "norm", "standing", "always", "only", "look_there", "pointer", "costs_us", "cause_found",
    "generic", "none_of", "universal"))
_FAULT_AND_BETTER = re.compile(
    r"^(?:you|this|that|those|the|it) .{3,100}\b(?:again|wrong|directly|by hand|twice|without)\b.{0,60}[,;–—] (?!i\b|we\b|it\b|that\b)[\w ()'-]{2,50} "
    r"(?:would|could|should)(?:n't)? (?:\w+ )?have [a-z]+\b")
_MANNER_PAST = re.compile(r"^(?!the\b|a\b|an\b|this|that|it\b|we\b|i\b|he\b|she\b|they\b|you\b|please|now|back|done|stuck|fine|same|problem|together)"
                          r"[a-z]{3,12}(?<!s)(?<!ed)(?<!ing)(?<!ly) (?:it |them )?(?:with|via|using|through) [\w./`-]+(?: [\w./`-]+)?[,;–—] ")
_MANNER = re.compile(r"^(?:please |only |always )*[a-z-]+ (?:\w+ )?(?:with|via|through|using|by|in|from|against) ")
_ALLOWED_AGAIN = re.compile(
    r"\b(?:is|are) (?:allowed|permitted|welcome) again\b|(?:^|[,;:] )(?:so |and |then |ok |now )*(?:a|an|one|[a-z]+ing)\b.{2,70} (?:is|are) "
    r"(?:fine|ok|okay|good|enough|possible) again\b|\b(?:you|we) (?:can|may) (?!try|look|start|test|run)[a-z]+ .{2,60} again\b|"
    r"\bno (?:more|need)\b.{3,60}[,;] .{3,50} (?:is|are) (?:fine|ok|okay|enough)\b|\b(?:rule|ban|limit|restriction|requirement|moratorium|embargo) (?:is|was|has been) (?:lifted|gone|dropped|off)\b")
_TAKE_OUT = re.compile(
    r"^(?:please )?(?:drop|remove|take|kick|throw|rip|undo|ditch|get rid of|leave|pull|back|no more|not) "
    r"(?!the\b|this|that|it\b|them|these|those|a\b|an\b)[\w.`/-]+(?: [\w.`/-]+)?(?: (?:out|back out|away|off))?(?: again| please)?(?P<end>[,;:–—]|[.!]*$)")
_MY_REASON = re.compile(r"[,;] (?:i|you|that's|it was just|we just|he|she)\b")
_IT_IS = re.compile(r"[,;:–—] (?:so |then |and )*(?:the )?[\w./-]+(?: [\w./-]+){0,3} it is(?: then| from now on)?$")
_WOULD_HAVE = re.compile(r"\b(?:would|could|should)(?:n't)?(?: \w+)? have [a-z]+\b|\bwould've\b")
_SUBJECTS = {"work": "about_work", "world": "about_world", "trade": "trade", "else": "about_else"}
_FILLER = re.compile(r"\b(?:sec|secs|moment|minute|done|ready|ok|okay|thanks|hm+|wait|argh|damn|sigh|phew|whatever|anyway|oops|fun|weird|"
                     r"strange|later|sorry|ugh|again)\b|\.\.\.")
_MY_FAULT = re.compile(r"\bi (?:forgot|missed|was|did|mis\w+|had forgotten)\b|(?:^|, )forgot\b|\bmy (?:fault|mistake|bad)\b")
_PEOPLE = re.compile(r"^(?:maybe |perhaps |probably |and |but )*(?:i|we|you|he|she|they|it|that|this)\b(?!.*\binstead\b)")
_COMPLAINT = re.compile(r"\b(?:again|wrong|by hand|once more|yet another|third time|second time|twice)\b")
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
    def complaint(self) -> bool:
        """Whether it finds fault with what was done."""
        return self.order is None and _COMPLAINT.search(self.low) is not None and "refused" not in self.shares and (
            self.past or not english_clauses.finite(self.low))

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
    if told_to_swap(seen.text):
        seen.add("order", "swap_kind")
    elif seen.order is not None:
        _weigh_order(seen, seen.order)
    else:
        _weigh_statement(seen, start, end)
    taken = _TAKE_OUT.match(low) if seen.talk.refused else None
    if taken is not None and (" again" in taken.group() or len(low[taken.end():].split()) > 2):
        seen.add("taken_out")
        for name in ("again", "last_task"):
            seen.shares.pop(name, None)
    if _FAULT_AND_BETTER.match(low):
        seen.add("would_have")          # "you went to the table again, the repository would have cached it"
        seen.shares.pop("again", None)
    if _MANNER_PAST.match(low) and english_clauses.past(english_clauses.clauses(low)[-1]) and not _MY_REASON.search(low):
        seen.add("learned")
    if _IT_IS.search(low):
        seen.add("confirmed")           # "tried the small one, half went missing, full one it is"
        for name in ("just_did", "past_self", "now", "again"):
            seen.shares.pop(name, None)
    if seen.talk.explicit:
        seen.add("asked")
    if seen.talk.refused and (seen.order is None or seen.order.reach >= 0):
        seen.add("refused")
    # "Perfect, every button gets its own colour": praise before a bare statement is as often irony.
    if seen.talk.welcomed and (seen.order is None or seen.order.reach >= 0) and not ("plain" in seen.shares and not seen.shows(*_MEANT)):
        seen.add("welcomed")
    if seen.talk.approved:
        seen.add("approved")
    if trailing_task(low) and not _spared(seen):
        seen.add("last_task")
    if "answered" in seen.shares and "at_path" in seen.shares:
        seen.add("is_pointer")
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
    if _ALLOWED_AGAIN.search(seen.low):
        seen.add("allowed_again")
        for name in ("again", "state", "reaction", "now"):
            seen.shares.pop(name, None)
    low, whole = seen.low, (start, end) == (0, len(seen.low))
    if subject := english_subject.about(low if "generic_reason" in seen.shares else low[start:end]):
        seen.add(_SUBJECTS[subject])
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
    if justified and not given.negative and not _MY_REASON.search(seen.low) and english_clauses.past(english_clauses.clauses(seen.low)[-1]):
        # "build with ninja, make took four times as long": a manner, and what happened otherwise
        seen.add(*(["learned"] if _MANNER.match(seen.low) else []))
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
    if before.lesson or before.complaint:
        seen.shares.pop("batch", None)  # "third time … . commit it with every change"
    if "slogan" in seen.shares and (before.lesson or before.complaint) and 2 <= len(seen.low.split()) <= 12 and not (
            _FILLER.search(seen.low) or _MY_FAULT.search(before.low)):
        seen.add("short_lesson")
    if _WOULD_HAVE.search(seen.low) and (before.lesson or before.complaint) and before.past and not _PEOPLE.match(seen.low):
        seen.add("would_have")
    if before.lesson:
        seen.add("after_lesson")
    elif before.order is None and before.past and not seen.past:
        seen.add("after_story")


def shares(group: list[Seen], keep: float) -> list[tuple[Seen, float]]:
    """How fully each sentence of a group counts for the type: what is no rule itself, or tells what went wrong,
    counts less."""
    rules = any(seen.score >= keep and not seen.lesson for seen in group)
    return [(seen, 0.25 if seen.score < keep or (seen.lesson and rules) else 1.0) for seen in group]


_TURNING = frozenset(("decided", "plan", "from_to", "replaced", "standing", "place_moved"))


def kind_of(group: list[Seen], keep: float) -> str:
    """The type with the most votes of the sentences that count."""
    total = [0.0, 0.0, 0.0, 0.0]
    for seen, share in shares(group, keep):
        for i, vote in enumerate(seen.votes):
            total[i] += vote * share
    return TYPES[max(range(4), key=lambda i: (total[i], -i))]


def settled(group: list[Seen], keep: float) -> str:
    """The type of a new state: by what it is about, not by the verb that tells of the turn; by all of it where nothing says so."""
    total = [0.0, 0.0, 0.0, 0.0]
    for seen, share in shares(group, keep):
        for name, fully in seen.shares.items():
            for i in range(4):
                total[i] += _VOTES[name][i] * fully * share * (0.25 if name in _TURNING else 1.0)
    return TYPES[max(range(4), key=lambda i: (total[i], -i))] if max(total) > 0.5 else kind_of(group, keep)
