"""What may be kept: small rules in a list, each of which knows one reason to refuse (study, "should not be stored").

A ``Gate`` is an ordered tuple of rules; the first that answers refuses. ``STUDY_QWEN`` is the study's patch filter (Qwen
Code §5), word for word; ``OURS`` judges by meaning what that judges by single words, because "from now on it is Kafka now" is
no passing state. Whatever the gate, ``at_the_door`` is asked again before anything is written: no secret reaches a store.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from reverie.core import redact, text, trust
from reverie.core.budget import clip
from reverie.core.events import Tombstone
from reverie.core.memory import By, Memory
from reverie.core.proposal import Drop, Proposal, Reason
from reverie.core.relation import Relation, relation

STUDY_SHORTEST = 12         # characters of a summary (study, Qwen Code §5)
OUR_SHORTEST = 10           # columns: a Chinese character says about as much as two Latin letters
QUOTE_CHARACTERS = 200      # of what was refused, for `learn --dry-run` and `why`
MANY_DOCUMENTED = 0.9       # of a memory's words stand in one paragraph of the project's own instructions


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A proposal, and what it is held against."""

    proposal: Proposal
    known: Iterable[Memory] = ()
    tombstones: Sequence[Tombstone] = ()
    documented: Sequence[str] = ()  # the project's own instructions (CLAUDE.md, AGENTS.md, QWEN.md)

    @property
    def memory(self) -> Memory:
        return self.proposal.memory

    @property
    def summary(self) -> str:
        """What the study calls the summary: the one sentence."""
        return (self.memory.description or self.memory.body).strip()


Rule = Callable[[Asked], Reason | None]


@dataclass(frozen=True, slots=True)
class Gate:
    """Rules in the order in which they are asked."""

    name: str
    rules: tuple[Rule, ...] = field(default=())

    def check(
        self,
        proposal: Proposal,
        known: Iterable[Memory] = (),
        *,
        tombstones: Sequence[Tombstone] = (),
        documented: Sequence[str] = (),
    ) -> Drop | None:
        """Why a proposal is refused, None when it may be kept."""
        asked = Asked(proposal=proposal, known=known, tombstones=tombstones, documented=documented)
        for rule in self.rules:
            if reason := rule(asked):
                source = proposal.memory.source
                quote = clip(redact.redact(source.quote or asked.summary).text, QUOTE_CHARACTERS).text
                return Drop(reason=reason, quote=quote, message=source.message)
        return None


def at_the_door(memory: Memory) -> list[str]:
    """What forbids to write a memory at all: the families of the credentials in it. Asked before every write."""
    return [secret.family for secret in redact.find(memory.text)]


def tombstone(memory: Memory) -> Tombstone:
    """The mark that keeps a forgotten memory from being learned again."""
    return Tombstone(
        fingerprint=fingerprint(memory), words=memory.body or memory.description, memory=memory.id, project=memory.project
    )


def fingerprint(memory: Memory) -> str:
    """The same for the same words, however they are ordered and written."""
    words = sorted(set(text.tokens(memory.body or memory.description)))
    return hashlib.sha256(" ".join(words).encode()).hexdigest()[:32]


# ── for every design ─────────────────────────────────────────────────────────────────────────────────────────────


def secret(asked: Asked) -> Reason | None:
    """A credential, or nothing but the place where one was taken out."""
    memory = asked.memory
    if at_the_door(memory):
        return Reason.SECRET
    rest = memory.body.replace(redact.PLACEHOLDER, "")
    return Reason.SECRET if redact.PLACEHOLDER in memory.body and len(text.tokens(rest)) < 3 else None


def not_said_by_user(asked: Asked) -> Reason | None:
    """Seen in tool output, a file, a page: never the user's word (DESIGN §4.5)."""
    return Reason.NOT_SAID_BY_USER if asked.memory.source.by is By.TOOL else None


def instruction(asked: Asked) -> Reason | None:
    """Text that tries to order the agent about, from anyone but the user."""
    if asked.memory.source.by in (By.USER, By.HAND):
        return None
    return Reason.INSTRUCTION if trust.instructs(asked.memory.text) else None


def forgotten(asked: Asked) -> Reason | None:
    """The user had it forgotten, and has not said it again since."""
    said_at = asked.memory.source.said_at
    print_ = fingerprint(asked.memory)
    for mark in asked.tombstones:
        if said_at and mark.at and said_at > mark.at:
            continue
        old = Memory(name=mark.words, description=mark.words, body=mark.words, type=asked.memory.type)
        if mark.fingerprint == print_ or relation(old, asked.memory).relation is Relation.DUPLICATE:
            return Reason.FORGOTTEN
    return None


def documented(asked: Asked) -> Reason | None:
    """The project's own instructions say it already."""
    words = set(text.tokens(asked.memory.body))
    for paragraph in (part for page in asked.documented for part in page.split("\n\n")):
        if words and len(words & set(text.tokens(paragraph))) >= MANY_DOCUMENTED * len(words):
            return Reason.DERIVABLE
    return None


# ── the study's filter ───────────────────────────────────────────────────────────────────────────────────────────

_TEMPORARY = re.compile(r"\b(?:today|now|currently|temporary)\b", re.IGNORECASE)


def study_too_short(asked: Asked) -> Reason | None:
    """Fewer than 12 characters."""
    return Reason.TOO_SHORT if len(asked.summary) < STUDY_SHORTEST else None


def question(asked: Asked) -> Reason | None:
    """It ends in a question mark: a question is not knowledge."""
    return Reason.QUESTION if asked.summary.endswith(("?", "？")) else None


def study_temporary(asked: Asked) -> Reason | None:
    """One of the study's words for what passes."""
    return Reason.TEMPORARY if _TEMPORARY.search(asked.summary) else None


def study_duplicate(asked: Asked) -> Reason | None:
    """The same topic and summary are there, letter case aside, from another message."""
    memory, low = asked.memory, asked.summary.casefold()
    for old in asked.known:
        if old.type == memory.type and (old.description or old.body).strip().casefold() == low:
            return Reason.DUPLICATE
    return None


# ── ours ─────────────────────────────────────────────────────────────────────────────────────────────────────────

# What a sentence must begin with to be only about this moment; inside a rule the same words mean nothing ("it is Kafka now").
_PASSING = re.compile(
    r"(?:today|right now|at the moment|currently|for the moment|this morning|tonight)\b[, ]|"
    r"(?:今天|现在|目前|眼下|刚才|今日は|今は|いま|ただいま|오늘은|지금은|지금)",
    re.IGNORECASE,
)


def too_short(asked: Asked) -> Reason | None:
    """Too little to mean anything later."""
    columns = sum(1 if character < "\u1100" else 2 for character in asked.summary)
    return Reason.TOO_SHORT if columns < OUR_SHORTEST else None


def temporary(asked: Asked) -> Reason | None:
    """It begins by saying that it is about this moment, and names no day from or until which it holds."""
    memory = asked.memory
    return Reason.TEMPORARY if memory.valid_until is None and _PASSING.match(memory.body.strip()) else None


_ALWAYS: tuple[Rule, ...] = (secret, not_said_by_user, instruction, forgotten)

STUDY_QWEN = Gate("study: qwen-code", (*_ALWAYS, study_too_short, question, study_temporary, study_duplicate))
OURS = Gate("reverie", (*_ALWAYS, too_short, question, temporary, documented))
