"""What a language brings to ``cjk``: signs with weights, and the patterns of its speech.

All patterns look at a masked view of a clause or a sentence (see ``cjk_text.mask``). They are linear: bounded repetitions, no
nested ones; a sentence has at most ``neutral.MAX_SENTENCE`` characters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

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
    """One language's patterns, each for one thing that a sentence can do."""

    language: str                   # "zh", "ja", "ko"
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
    bearer: re.Pattern[str]         # "is", behind what a credential is for
    headless: re.Pattern[str]       # a clause that has no subject of its own
    located: re.Pattern[str]        # the start of a sentence that names a place
    lead: re.Pattern[str]           # talk at the start, cut off
    tail: re.Pattern[str]           # talk at the end, cut off
    anew: re.Pattern[str]           # a clause that begins another subject: "also", "besides"
    cause: tuple[re.Pattern[str], ...]  # with groups why and rest
    reason: re.Pattern[str]         # a sentence that only says why
    backward: re.Pattern[str]       # the start of a rest that cannot stand alone
    slip: re.Pattern[str]           # "I said it wrong"
    right: re.Pattern[str]          # the value after a slip, group value
    copula: re.Pattern[str]         # "it is … that is right", around a value
    honorific: re.Pattern[str]      # at the end of a name
    change: tuple[re.Pattern[str], ...]  # with a group old
    void: re.Pattern[str]           # "what I said before, old, no longer holds"
    deictic: re.Pattern[str]        # "like this", "the same way": means something that was said or done before
    acknowledges: re.Pattern[str]   # the start of an answer that only takes note: "understood"
    swap: re.Pattern[str]           # "not A but B", with groups old and new
    opener: re.Pattern[str]         # words with which a name must not begin
    person: re.Pattern[str]         # a person by name, group name
    focus: re.Pattern[str]          # a Latin name in the place that a sentence is about: the object of "use"; group name
    counted: re.Pattern[str]        # a number with its counter
    topic: re.Pattern[str]          # what a clause is about, group topic
    topical: bool = True            # a particle marks the topic, so that a clause with one is about something of its own
    word: re.Pattern[str]           # content words
    idle: re.Pattern[str]           # words that say nothing to search by
    reply: re.Pattern[str]          # about what the assistant says
    artifact: re.Pattern[str]       # about what it writes into the project
    here: re.Pattern[str]           # "in this repository"
    story: re.Pattern[str]          # the past: a sentence that tells what happened
    me: re.Pattern[str]             # a first clause about the person
    anaphor: re.Pattern[str]        # "there", "in it": about what was just said
    present: re.Pattern[str]        # a clause in the generic present: what one does
