"""Placing what was learned: beside what is known, as its confirmation, or in its stead.

The same fact in other words, or heard in another host, is one memory, confirmed. The same subject with another value
supersedes: the new text stands in the old one's place, so that the old value is nowhere valid (its history is in the
journal). Everything else is added. ``reverie.core.relation`` decides which; here is what is compared with what, and
what becomes of the two.

``Known`` finds what a proposal could concern by rare shared words, so placing one costs about the same however much is
stored.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import log

from reverie.core.claims import FAMILIES, NAME, Claim
from reverie.core.memory import TYPES, Memory, Status
from reverie.core.proposal import Proposal
from reverie.core.relation import SPECIFIC, Overlap, Relation, Verdict, compare, relation
from reverie.core.text import CJK, STOP, fold, is_known, meanings, stem

__all__ = ["Act", "Known", "Placement", "Relation", "Verdict", "confirmed", "place", "relation", "updated", "withdrawn"]

CANDIDATES = 12                 # compared in full; a statement and its twins, old and new, are fewer
COMMON_SHARE = 0.05             # a word in more memories than this share, and than COMMON, finds nothing
COMMON = 64
HELD = 0.6                      # of the words of "forget …" must be in the memory that is meant,
RELATED = 0.2                   # of the words: a correction is about what it corrects
CLEARLY = 0.9                   # and in no other one nearly as many
MOST_KEYWORDS = 12


class Act(enum.StrEnum):
    """What becomes of a proposal."""

    ADD = "add"                 # nothing like it is known
    CONFIRM = "confirm"         # it is known
    UPDATE = "update"           # it says something else about what is known
    REPLACE = "replace"         # it takes the place of what its speaker named


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Where a proposal belongs. ``memory`` is what should be stored; its id is that of ``existing``, "" for an
    addition.

    ``also_void`` are further memories that the new statement makes void. A confirmation need not be written unless it
    ``says_more`` than what is stored; it ``counts`` unless the same message was read again.
    """

    act: Act
    memory: Memory
    existing: Memory | None = None
    also_void: tuple[Memory, ...] = ()
    reason: str = ""
    changed: tuple[tuple[str, str], ...] = ()
    says_more: bool = False
    counts: bool = True


class Known:
    """What a store holds, ready for asking which of it a new statement concerns."""

    def __init__(self, memories: Iterable[Memory] = ()) -> None:
        self._memories: dict[int, Memory] = {}
        self._holders: dict[str, dict[int, None]] = {}
        self._claims: dict[int, Claim] = {}
        self._places: dict[str, int] = {}               # id -> key
        self._next = 0
        for memory in memories:
            self.put(memory)

    def __iter__(self) -> Iterator[Memory]:
        return iter(list(self._memories.values()))

    def __len__(self) -> int:
        return len(self._memories)

    def put(self, memory: Memory) -> None:
        """Add a memory, or replace the one with its id. What does not count (superseded, archived …) is not known."""
        if memory.id:
            self.remove(memory.id)
        if memory.status is not Status.ACTIVE:
            return
        key, self._next = self._next, self._next + 1
        self._memories[key] = memory
        if memory.id:
            self._places[memory.id] = key
        for term in _terms(memory.text):
            self._holders.setdefault(term, {})[key] = None

    def remove(self, id: str) -> None:
        """Forget the memory with this id, if there is one."""
        key = self._places.pop(id, None)
        if key is None:
            return
        for term in _terms(self._memories.pop(key).text):
            del self._holders[term][key]
        self._claims.pop(key, None)

    def near(self, memory: Memory, limit: int = CANDIDATES) -> list[Claim]:
        """The memories that share the rarest words with this one, the nearest first."""
        scores: dict[int, float] = {}
        common = max(COMMON, COMMON_SHARE * len(self._memories))
        for term in _terms(memory.text):
            holders = self._holders.get(term, {})
            if 0 < len(holders) <= common:
                rarity = log(1 + len(self._memories) / len(holders))
                for key in holders:
                    scores[key] = scores.get(key, 0.0) + rarity
        best = sorted(scores, key=lambda key: (-scores[key], key))[:limit]
        return [self._claim(key) for key in best]

    def claim(self, memory: Memory) -> Claim:
        """A memory that is known, cut for comparing."""
        key = self._places.get(memory.id)
        return Claim(memory) if key is None else self._claim(key)

    def _claim(self, key: int) -> Claim:
        if key not in self._claims:
            self._claims[key] = Claim(self._memories[key])
        return self._claims[key]


_WORD = re.compile(f"[^\\W_{CJK}]{{2,}}|[{CJK}]+")


def _terms(text: str) -> set[str]:
    """Words for finding, cheaper than the tokenizer's: stems, pairs of CJK characters, meanings."""
    terms: set[str] = set()
    for word in _WORD.findall(fold(text)):
        if not word.isascii() and len(word) > 1:
            terms.update(word[place:place + 2] for place in range(len(word) - 1))
        elif word not in STOP:
            root = stem(word)
            terms.add(root)
            terms.update("=" + meaning for meaning in meanings(root))
    return terms


# ---------------------------------------------------------------- placing

def place(proposal: Proposal, known: Known | Iterable[Memory]) -> Placement:
    """Where a proposal belongs among what is known.

    Memories of different scopes or projects are never merged, except that what holds for the user already needs no
    copy in a project.
    """
    if not isinstance(known, Known):
        known = Known(known)
    new = proposal.memory
    claim = Claim(new)
    judged = [(compare(old, claim), old) for old in known.near(new) if _same_owner(old.memory, new)]
    own = [item for item in judged if item[1].memory.scope == new.scope]
    ended = proposal.replaces or _ended(new)
    named = _corrected(proposal, claim, known) or _named(ended, claim, _meant(ended, own, claim, known))
    same = [item for item in judged if item[0].relation is Relation.DUPLICATE and all(item[1] is not old for _, old in named)]
    other = named + sorted(
        (item for item in own if item[0].relation is Relation.UPDATE and not _is_older(new, item[1].memory)
         and all(item[1] is not old for _, old in named)), key=lambda item: -item[0].score)
    if same:
        verdict, old = max(same, key=lambda item: item[0].score)
        return _confirmation(old.memory, new, verdict.reason, _void(other))
    if other:
        verdict, old = other[0]
        return Placement(act=Act.REPLACE if verdict.reason in ("named", "corrects") else Act.UPDATE, existing=old.memory,
                         memory=updated(old.memory, new, verdict.changed, same_subject=verdict.reason in _SAME_SUBJECT),
                         also_void=_void(other[1:]), reason=verdict.reason, changed=verdict.changed)
    later = [old.memory for verdict, old in own if verdict.relation is Relation.UPDATE]
    if later:                                           # a session from before, read now
        return Placement(act=Act.CONFIRM, memory=later[0], existing=later[0], reason="older_than_known", counts=False)
    return Placement(act=Act.ADD, memory=replace(new, id=""), reason="new")


_SAME_SUBJECT = ("other_value", "says_more")            # reason and application of the old one may still hold


def _void(judged: Iterable[tuple[Verdict, Claim]]) -> tuple[Memory, ...]:
    """Of what a new statement updates, that which gives another value: no second copy of an old value may stand."""
    return tuple(old.memory for verdict, old in judged if verdict.changed)


def _same_owner(old: Memory, new: Memory) -> bool:
    if old.scope == new.scope:
        return old.project == new.project or not old.project or not new.project
    return old.scope == "user"


def _is_older(new: Memory, old: Memory) -> bool:
    """Whether the new statement was made before the one that is stored: sessions are not always read in order."""
    return bool(new.source.said_at and old.source.said_at and new.source.said_at < old.source.said_at)


def _corrected(proposal: Proposal, claim: Claim, known: Known) -> list[tuple[Verdict, Claim]]:
    """What came from the message that this proposal corrects, if it is about the same: a message may say several things."""
    new = proposal.memory
    if not proposal.corrects:
        return []
    olds = [known.claim(old) for old in known if _same_owner(old, new) and proposal.corrects == old.source.message
            and (new.source.host, new.source.session) == (old.source.host, old.source.session)]
    if proposal.replaces:
        found = _named(proposal.replaces, claim, olds)
    else:
        found = [(Verdict(relation=Relation.UPDATE, reason="corrects", score=1.0, changed=_whole(old)), old) for old in olds
                 if Overlap(old, claim).soft >= RELATED]
    return found if len(found) == 1 else []


def _whole(old: Claim) -> tuple[tuple[str, str], ...]:
    return ((old.memory.description or old.memory.name, ""),)


# "no stories any more", "X and not Y", "X is gone", ではなく, 换成: what a statement itself says has ended.
_ENDED = re.compile("|".join((
    r"(?i:\bno (?:more )?([^,;:!?\n]{2,60}?) any ?(?:more|longer)\b)",
    r"(?i:\bno longer (?:us(?:e|ing) |have |keep |need )?([^.,;:!?\n]{2,60}))",
    r"不再(?:使用|用)?([^，。；！？\n]{1,20})",
    r"([^，。；！？\n]{1,20})作废",
    r"([^、。！？\n]{1,20})は(?:廃止|やめ)",
    r"더 이상 ([^.,!?\n]{1,20})",
    r"(?i:\binstead of (?:the |a |an )?([^.,;:!?\n]{2,40}))",
    r"(?i:(?:,| and| but) not (?:the |a |an )?([^.,;:!?\n]{2,40})(?:[.;!]|$))",
    r"(?i:(?:^|[,;] |\band )(?:the )?([\w./@-]{2,40}) (?:is|are) (?:gone|out|dropped|retired|history|dead)\b)",
    r"([^、。！？\n]{1,20})ではなく",
    r"([^、。！？は\n]{1,20})をやめて",
    r"(?:里的|的)? ?([^，。；！？\s的]{1,20}) ?(?:换成|改成|改为)",
    r"([^.,!?\n]{1,20}?)(?:이|가)? 아니라",
    r"([^\s.,!?]{1,20}) 대신",
)))


def _ended(memory: Memory) -> str:
    match = _ENDED.search((memory.body or memory.description or memory.name)[:2_000])
    return next((words for words in match.groups() if words), "") if match else ""


def _meant(words: str, own: list[tuple[Verdict, Claim]], claim: Claim, known: Known) -> list[Claim]:
    """The memories that words for what no longer holds could mean: those near the new statement, and those that hold the
    words; but none about another subject of the same kind ("the checkout freeze", "the search freeze")."""
    new = claim.memory
    near = {id(old): (verdict, old) for verdict, old in own}
    for old in known.near(Memory(name=words, description=words)) if words else ():
        if id(old) not in near and old.memory.scope == new.scope and _same_owner(old.memory, new):
            near[id(old)] = (compare(old, claim), old)
    return [old for verdict, old in near.values()
            if verdict.relation is not Relation.UPDATE and verdict.reason != "another_subject"]


def _named(words: str, claim: Claim, olds: Iterable[Claim]) -> list[tuple[Verdict, Claim]]:
    """The nearest memory with the words that, as the speaker said, hold no longer, if it is about the same thing."""
    wanted = {term for term in _terms(words) if not term.startswith("=")}
    subject = {mark.key for mark in claim.head if mark.weight >= 0.5} - wanted
    meant = {meaning for key in subject for meaning in meanings(key)}
    found: list[tuple[Verdict, Claim]] = []
    alone: list[tuple[Verdict, Claim]] = []     # holders of the words that share no subject with the new statement
    for old in olds:
        held = {mark.key for mark in old.head} | _terms(old.memory.text)
        rest = {mark.key for mark in old.head if mark.weight >= 0.5} - wanted
        about = rest & subject or meant & {meaning for key in rest for meaning in meanings(key)}
        if wanted and old.folded != claim.folded and len(wanted & held) >= 2 / 3 * len(wanted):
            verdict = Verdict(relation=Relation.UPDATE, reason="named", score=Overlap(old, claim).soft, changed=((words, ""),))
            (found if about else alone).append((verdict, old))
    if not found and len(alone) == 1 and _tells(wanted, alone[0][1], claim):
        return alone        # "we moved off pnpm, it is bun now": only one memory is about pnpm
    return sorted(found, key=lambda item: -item[0].score)[:1]


# Words for a memory itself: "forget the pnpm rule".
_ABOUT = frozenset(stem(word) for word in (
    "rule", "memory", "fact", "preference", "decision", "note", "statement", "convention", "policy", "remark", "part"))


def withdrawn(words: str, known: Known | Iterable[Memory]) -> Memory | None:
    """The memory that "forget what I said about …" means: the one that holds most of these words, if it is only one."""
    if not isinstance(known, Known):
        known = Known(known)
    words = " ".join(word for word in fold(words).split() if stem(word.strip(".,;:!?'\"")) not in _ABOUT)
    asked = Memory(name=words, description=words)
    claim = Claim(asked)
    shares = [(Overlap(old, claim).contained[1], old) for old in known.near(asked)]
    shares = sorted((item for item in shares if item[0] >= HELD), key=lambda item: -item[0])
    if not shares or (len(shares) > 1 and shares[1][0] > CLEARLY * shares[0][0]):
        return None
    return shares[0][1].memory


_POINTS_BACK = re.compile(r"(?i:(?:[\w ]{1,20}: )?(?:it|that|this|we|they)\b)")


def _tells(terms: set[str], old: Claim, new: Claim) -> bool:
    """Whether words alone say which memory is meant: an address, a key; or a product's name, where the new statement has no
    subject of its own ("it is bun now")."""
    meant = [mark for mark in old.head if mark.key in terms]
    if any(mark.kind in SPECIFIC for mark in meant):
        return True
    named = any(mark.kind in (*FAMILIES, NAME) or not (mark.kind or is_known(mark.key)) for mark in meant)
    return named and bool(_POINTS_BACK.match(new.memory.description or new.memory.body))


# ---------------------------------------------------------------- what becomes of the two

def _confirmation(old: Memory, new: Memory, reason: str, void: tuple[Memory, ...]) -> Placement:
    origin = (new.source.host, new.source.session, new.source.message)
    again = bool(new.source.message) and origin == (old.source.host, old.source.session, old.source.message)
    memory = confirmed(old, new)
    says_more = replace(memory, confirmed=old.confirmed) != old
    if again:
        memory = replace(memory, confirmed=old.confirmed)
    return Placement(act=Act.CONFIRM, memory=memory, existing=old, also_void=void, reason=reason, says_more=says_more,
                     counts=not again)


def confirmed(old: Memory, new: Memory) -> Memory:
    """The older memory, said once more: what it lacked is filled, its words and its source stay."""
    keywords = (*old.keywords, *(word for word in new.keywords if word not in old.keywords))[:MOST_KEYWORDS]
    return replace(
        old, why=old.why or new.why, how_to_apply=old.how_to_apply or new.how_to_apply, keywords=keywords,
        description=old.description or new.description, body=old.body or new.body,
        valid_until=new.valid_until or old.valid_until, confirmed=old.confirmed + 1)


def updated(old: Memory, new: Memory, changed: tuple[tuple[str, str], ...] = (), *, same_subject: bool = True) -> Memory:
    """The new statement in the old one's place.

    With the ``same_subject``, what only the old one had is kept as far as it does not rest on the old value: the
    application with the value exchanged, the reason only if it does not name it. What was replaced as a whole leaves nothing.
    """
    why, how, keywords = new.why, new.how_to_apply, list(new.keywords)
    if same_subject:
        gone = [before for before, _ in changed if before]
        kept = old.how_to_apply
        for before, after in changed:
            kept = _exchange(kept, before, after) if after else kept
        why = why or ("" if _mentions(old.why, gone) else old.why)
        how = how or ("" if _mentions(kept, gone) else kept)
        keywords += [word for word in old.keywords if word not in keywords and not _mentions(word, gone)]
    return replace(
        new, id=old.id, scope=old.scope, project=old.project, extra=old.extra, why=why, how_to_apply=how,
        type=old.type if old.type in TYPES else new.type, name=new.name or old.name,
        keywords=tuple(keywords[:MOST_KEYWORDS]), confirmed=0, status=Status.ACTIVE)


def _mentions(text: str, words: Iterable[str]) -> bool:
    return any(re.search(_alone(word), text, re.IGNORECASE) for word in words)


def _exchange(text: str, before: str, after: str) -> str:
    return re.sub(_alone(before), lambda _: after, text) if before else text


def _alone(word: str) -> str:
    """A pattern for a word that is not part of another one."""
    start, end = (r"(?<!\w)" if word[:1].isascii() else ""), (r"(?!\w)" if word[-1:].isascii() else "")
    return start + re.escape(word) + end
