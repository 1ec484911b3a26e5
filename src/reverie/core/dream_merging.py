"""Dreaming without a model: what is said twice becomes one memory, of two that contradict each other the later stays.

What two memories have to do with each other decides ``core.relation``, as in learning. But here something stored is
taken away, so more is asked for (in doubt both stay):

- a duplicate goes only if all values it names (addresses, numbers, dates, tools) stand in the one that stays;
- of a contradiction the later statement stays only if it is known which is the later one, and if its source is trusted
  no less: what a tool printed never overrules a person. Otherwise both stay, and are reported;
- nothing is filled in from a source that is trusted less than the memory that it would go into.

Then the rest of the work of a dream (study, Claude Code §8): relative dates become absolute, what is past its last day
is marked, long lines of the index are shortened, mentions of what was merged lead on. Dreaming the result changes
nothing: rounds are made until that is so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from reverie.core import budget, dates, gate, merge, parts
from reverie.core.claims import NAME, Claim
from reverie.core.dream import Act, Consolidation, Left, Step, applied, rank
from reverie.core.layout import Change
from reverie.core.memory import Memory, Status
from reverie.core.merge import MOST_KEYWORDS, Known
from reverie.core.relation import Relation, Verdict, compare
from reverie.core.scalar import one_line

LINE_CHARACTERS = 150           # of a description, so that its line in the index stays short (spec/claude-code §8)
SHORTEST_SENTENCE = 40          # characters: a first sentence below this says too little alone
# Files written within a minute were unpacked or checked out together: their times do not tell what was said later.
TOGETHER = timedelta(seconds=60)
MOST_ROUNDS = 12                # one or two do; each but the last makes the store smaller or its texts final
LONGEST_CODE = 2_000            # characters of a code span


@dataclass(frozen=True, slots=True)
class Merging:
    """Our consolidator. Deterministic: the same memories on the same day give the same change."""

    name: str = "rules"

    def consolidate(self, memories: Sequence[Memory], *, now: datetime) -> Consolidation:
        before = {memory.id: memory for memory in memories if memory.status is Status.ACTIVE}
        current = list(before.values())
        steps: list[Step] = []
        left: tuple[Left, ...] = ()
        verdicts: dict[tuple[str, str], Verdict] = {}
        for _ in range(MOST_ROUNDS):
            night = _Night(current, now, verdicts)
            night.sleep()
            left = tuple(night.left)
            steps += night.steps
            current = applied(current, night.change)
            if all(step.act in (Act.DATED, Act.EXPIRED) for step in night.steps):
                break               # the others were made on what these had left
        after = {memory.id: memory for memory in current}
        change = Change(
            put=[memory for id, memory in after.items() if _says_else(memory, before[id])],
            remove=[id for id in before if id not in after],
        )
        return Consolidation(change=change, steps=tuple(_following(steps)), left=left)


def _says_else(memory: Memory, other: Memory) -> bool:
    return replace(memory, modified_at=None) != replace(other, modified_at=None)


def _following(steps: Iterable[Step]) -> list[Step]:
    """The steps with what they name under its last name: what went into one that then went into another."""
    kept = list(steps)
    into = {step.gone: step.memory for step in kept if step.gone}

    def last(id: str) -> str:
        while id in into:
            id = into[id]
        return id

    return [replace(step, memory=last(step.memory)) for step in kept]


class _Night:
    """One round over the memories of a store."""

    def __init__(self, memories: Iterable[Memory], now: datetime, verdicts: dict[tuple[str, str], Verdict]) -> None:
        self.now = now
        self.verdicts = verdicts                    # of the rounds before: comparing is what takes time
        self.memories = {memory.id: memory for memory in memories if memory.status is Status.ACTIVE}
        self.put: dict[str, Memory] = {}
        self.gone: dict[str, tuple[Memory, str]] = {}       # id -> what it was, and the id that it went into
        self.steps: list[Step] = []
        self.left: list[Left] = []

    @property
    def change(self) -> Change:
        return Change(put=[memory for id, memory in self.put.items() if id not in self.gone], remove=list(self.gone))

    def sleep(self) -> None:
        for memory in list(self.memories.values()):
            self._date(memory)
        for memory in list(self.memories.values()):
            self._expire(memory)
        groups: dict[tuple[str, str], list[Memory]] = {}
        for memory in self.memories.values():
            groups.setdefault((memory.scope, memory.project), []).append(memory)
        for group in groups.values():
            self._merge(sorted(group, key=_order))
        for memory in list(self.memories.values()):
            self._shorten(memory)
        if self.gone:
            for memory in list(self.memories.values()):
                self._relink(memory)

    def _keep(self, memory: Memory, step: Step) -> bool:
        """Let a memory say something else; not where a credential would be written with it."""
        old = self.memories[memory.id]
        if _says_else(memory, old) and gate.at_the_door(memory):
            return False
        if memory.status is Status.ACTIVE:
            self.memories[memory.id] = memory
        else:
            del self.memories[memory.id]
        self.put[memory.id] = memory
        self.steps.append(replace(step, memory=memory.id, name=memory.name))
        return True

    # ── one memory by itself ─────────────────────────────────────────────────────────────────────────────────────

    def _date(self, memory: Memory) -> None:
        said_at = memory.source.said_at or memory.modified_at
        if said_at is None:
            return
        texts = {
            field: dated(getattr(memory, field), said_at) for field in ("description", "body", "why", "how_to_apply")
        }
        found = {field: text for field, text in texts.items() if text != getattr(memory, field)}
        if found:
            field = "body" if "body" in found else next(iter(found))
            why = f"relative dates, said on {said_at.date().isoformat()}"
            self._keep(_with(memory, found), Step(act=Act.DATED, why=why, before=getattr(memory, field)))

    def _expire(self, memory: Memory) -> None:
        if memory.valid_until is not None and memory.valid_until < self.now.date():
            why = f"it held until {memory.valid_until.isoformat()}"
            self._keep(replace(memory, status=Status.ARCHIVED), Step(act=Act.EXPIRED, why=why, before=memory.body))

    def _shorten(self, memory: Memory) -> None:
        short = shortened(memory.description)
        if short != memory.description:
            whole = memory.description
            body = memory.body if _holds(memory.body, whole) else f"{whole}\n\n{memory.body}".strip()
            step = Step(act=Act.SHORTENED, why=f"its description had {len(whole)} characters", before=whole)
            self._keep(replace(memory, description=short, body=body), step)

    def _relink(self, memory: Memory) -> None:
        texts = {field: getattr(memory, field) for field in ("body", "why", "how_to_apply")}
        names: list[str] = []
        for gone, into in self.gone.values():
            while into in self.gone:
                into = self.gone[into][1]
            linked = {field: relinked(text, gone, self.memories[into]) for field, text in texts.items()}
            names += [gone.id] if linked != texts else []
            texts = linked
        if names:
            self._keep(_with(memory, texts), Step(act=Act.RELINKED, why=f"it named {', '.join(names)}", before=memory.body))

    # ── two memories ─────────────────────────────────────────────────────────────────────────────────────────────

    def _merge(self, group: Sequence[Memory]) -> None:
        """Each memory against those from before it."""
        known = Known()
        claims: dict[str, Claim] = {}
        for memory in group:
            claims[memory.id] = Claim(memory)
            self._compare(memory, known, claims)
            if memory.id in self.memories:
                known.put(self.memories[memory.id])

    def _compare(self, memory: Memory, known: Known, claims: dict[str, Claim]) -> None:
        judged = [(self._verdict(old, claims[memory.id]), old) for old in known.near(memory)]
        judged = [item for item in judged if item[0].relation is not Relation.DISTINCT]
        judged.sort(key=lambda item: (item[0].relation is not Relation.DUPLICATE, -item[0].score))
        updated = False
        for verdict, claim in judged:
            old = claim.memory
            if memory.id not in self.memories or old.id not in self.memories:
                continue
            if verdict.relation is Relation.DUPLICATE:
                kept = self._twin(old, self.memories[memory.id], claim, claims[memory.id], verdict)
            elif not updated or verdict.changed:
                if verdict.reason == "says_more" and not values(claim) <= values(claims[memory.id]):
                    continue                        # not all of it
                kept = self._contradiction(old, self.memories[memory.id], verdict)
                updated = updated or kept
            else:
                continue
            if kept:
                known.remove(old.id)
                if old.id in self.memories:         # it says more now
                    known.put(self.memories[old.id])
                    claims[old.id] = Claim(self.memories[old.id])
                elif memory.id in self.memories:
                    claims[memory.id] = Claim(self.memories[memory.id])

    def _verdict(self, old: Claim, new: Claim) -> Verdict:
        key = old.memory.text, new.memory.text
        if key not in self.verdicts:
            self.verdicts[key] = compare(old, new)
        return self.verdicts[key]

    def _twin(self, old: Memory, new: Memory, old_claim: Claim, new_claim: Claim, verdict: Verdict) -> bool:
        """The two say the same: one stays."""
        kept, other = (old, new) if rank(old) >= rank(new) else (new, old)
        mine, theirs = values(old_claim), values(new_claim)
        mine, theirs = (mine, theirs) if kept is old else (theirs, mine)
        if not theirs <= mine:
            if not mine <= theirs or rank(other) < rank(kept):
                return False                        # each names something that the other does not
            kept, other = other, kept
        step = Step(act=Act.MERGED, gone=other.id, why=verdict.reason, before=other.body)
        return self._into(joined(kept, other, valid_until_of=new), other, step)

    def _contradiction(self, old: Memory, new: Memory, verdict: Verdict) -> bool:
        """The later one gives another value, or says more: it stays, and the earlier one goes to history."""
        says_more = verdict.reason == "says_more"
        if rank(new) < rank(old):
            return self._leave(old, new, verdict, "the source of the later one is trusted less")
        if not says_more and not is_later(new, old):
            return self._leave(old, new, verdict, "nothing tells which was said later")
        kept = new
        if says_more and rank(old) >= rank(new):    # a reason for another value would be no reason for this one
            kept = replace(merge.updated(old, new), id=new.id, scope=new.scope, project=new.project, extra=new.extra,
                           type=new.type, confirmed=new.confirmed)
        step = Step(act=Act.SUPERSEDED, gone=old.id, why=_in_words(verdict), before=old.body)
        return self._into(kept, old, step)

    def _into(self, kept: Memory, other: Memory, step: Step) -> bool:
        if not self._keep(kept, step):
            return False
        del self.memories[other.id]
        self.put.pop(other.id, None)
        self.gone[other.id] = (other, kept.id)
        return True

    def _leave(self, old: Memory, new: Memory, verdict: Verdict, why: str) -> bool:
        self.left.append(Left(memory=new.id, other=old.id, why=f"{_in_words(verdict)}; {why}"))
        return False


def _order(memory: Memory) -> tuple[float, str]:
    at = memory.source.said_at or memory.modified_at
    return at.timestamp() if at else 0.0, memory.id


def is_later(new: Memory, old: Memory) -> bool:
    """Whether it is known that one was said after the other."""
    if new.source.said_at and old.source.said_at:
        return new.source.said_at > old.source.said_at
    mine, theirs = new.source.said_at or new.modified_at, old.source.said_at or old.modified_at
    return bool(mine and theirs and mine - theirs > TOGETHER)


def values(claim: Claim) -> set[tuple[str, str]]:
    """What a memory names: addresses, numbers, dates, tools, and what is written like code."""
    return {(mark.kind, mark.key) for mark in claim.head if mark.kind and mark.kind != NAME}


def joined(kept: Memory, other: Memory, *, valid_until_of: Memory) -> Memory:
    """A memory that was said twice, once: its words, its source and its time stay; reasons of both are kept.

    That it was said again makes it no younger: not every layout could keep that, and what it says beside the common words
    (a value that a third memory contradicts) was said when it was said.
    """
    same = _origin(kept) == _origin(other) and bool(kept.source.message)
    memory = replace(
        kept,
        confirmed=max(kept.confirmed, other.confirmed) if same else kept.confirmed + other.confirmed + 1,
        valid_until=valid_until_of.valid_until,
    )
    if rank(other) < rank(kept):
        return memory
    return replace(
        memory,
        description=kept.description or other.description,
        body=kept.body or other.body,
        why=_both(kept.why, other.why),
        how_to_apply=_both(kept.how_to_apply, other.how_to_apply),
        keywords=(*kept.keywords, *(word for word in other.keywords if word not in kept.keywords))[:MOST_KEYWORDS],
    )


def _origin(memory: Memory) -> tuple[str, str, str]:
    return memory.source.host, memory.source.session, memory.source.message


def _both(first: str, second: str) -> str:
    """Two texts as one; what one of them says already is not said again."""
    if not second or _holds(first, second):
        return first
    return second if not first or _holds(second, first) else f"{first}\n{second}"


def _holds(text: str, part: str) -> bool:
    return _plain(part) in _plain(text)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".!。！ ")


def _in_words(verdict: Verdict) -> str:
    changed = ", ".join(f"{before!r} became {after!r}" for before, after in verdict.changed[:3] if before and after)
    return f"{verdict.reason}: {changed}" if changed else verdict.reason


def _with(memory: Memory, texts: dict[str, str]) -> Memory:
    return replace(
        memory, description=texts.get("description", memory.description), body=texts.get("body", memory.body),
        why=texts.get("why", memory.why), how_to_apply=texts.get("how_to_apply", memory.how_to_apply),
    )


# ── texts ────────────────────────────────────────────────────────────────────────────────────────────────────────

_SPAN = re.compile(rf"(?<!`)`[^`\n]{{1,{LONGEST_CODE}}}`(?!`)")


def dated(text: str, said_at: datetime) -> str:
    """A text with its relative dates made absolute; code is left alone (``git log --since=yesterday``)."""
    mentions = dates.find(text, said_at.date())
    if all(mention.written == mention.text for mention in mentions):
        return text
    code = _code(text)
    done = 0
    pieces: list[str] = []
    for mention in mentions:
        if not any(start < mention.end and mention.start < end for start, end in code):
            pieces += (text[done : mention.start], mention.written)
            done = mention.end
    return "".join((*pieces, text[done:]))


def _code(text: str) -> list[tuple[int, int]]:
    """Where code stands: in fences, and between backquotes."""
    lines = text.splitlines(keepends=True)
    spans = [match.span() for match in _SPAN.finditer(text)]
    at = 0
    for line, fenced in zip(lines, parts.fenced([line.rstrip("\r\n") for line in lines]), strict=True):
        if fenced:
            spans.append((at, at + len(line)))
        at += len(line)
    return spans


_SENTENCE = re.compile(r"[.!?](?=\s)|[。！？]")


def shortened(description: str) -> str:
    """A description that makes a short line: its first sentences, or as many words as fit."""
    line = one_line(description)
    if len(line) <= LINE_CHARACTERS:
        return description
    ends = [match.end() for match in _SENTENCE.finditer(line[: LINE_CHARACTERS + 1]) if match.end() <= LINE_CHARACTERS]
    if ends and ends[-1] >= SHORTEST_SENTENCE:
        return line[: ends[-1]]
    blank = line.rfind(" ", LINE_CHARACTERS // 2, LINE_CHARACTERS)
    return budget.clip(line, LINE_CHARACTERS if blank < 0 else blank + 1).text


def relinked(text: str, gone: Memory, kept: Memory) -> str:
    """A text that names ``kept`` where it named ``gone``: by its path, or as ``[[name]]`` (spec/claude-code §2)."""
    if gone.id in text:
        text = re.sub(rf"(?<![\w./-]){re.escape(gone.id)}(?![\w/-])", lambda _: kept.id, text)
    if "[[" in text:
        for before, after in zip(_linked_as(gone), _linked_as(kept), strict=True):
            text = text.replace(f"[[{before}]]", f"[[{after}]]")
    return text


def _linked_as(memory: Memory) -> tuple[str, ...]:
    stem = memory.id.rpartition("/")[2].removesuffix(".md")
    return memory.name, _NOT_SLUG.sub("-", memory.name.lower()).strip("-"), stem, stem.replace("_", "-")


_NOT_SLUG = re.compile("[^a-z0-9]+")
