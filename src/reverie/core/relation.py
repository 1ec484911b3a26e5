"""How one memory stands to another: the same, the same with another value, or something else.

Two ways. When the sentences are the same but for a few words, those words decide: values of one kind (two dates, two
package managers) make it an update, other plain words make it another subject. When the sentences differ, the share of
words and meanings decides, helped by equal reasons and by an address or name that both give, and a value that differs
is a contradiction only if the older subject is named whole. In doubt they are distinct: showing one memory too many
costs little, losing one is for ever.

Pure and lexical, for short statements in English, Chinese, Japanese and Korean.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from reverie.core.claims import FAMILIES, NAME, PAIR, Claim, Mark
from reverie.core.memory import Memory
from reverie.core.text import fold, is_known, meanings, stem


class Relation(enum.StrEnum):
    """How a newer memory stands to an older one."""

    DUPLICATE = "duplicate"         # it says nothing else
    UPDATE = "update"               # it says something else about the same thing
    DISTINCT = "distinct"           # it is about something else


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A relation, with a reason one can search for, how alike the two are (0 to 1), and the values that changed."""

    relation: Relation
    reason: str
    score: float = 0.0
    changed: tuple[tuple[str, str], ...] = ()       # (old value, new value), as written


def relation(old: Memory, new: Memory) -> Verdict:
    """How ``new`` stands to ``old``."""
    return compare(Claim(old), Claim(new))


SAME_FRAME = 0.6                # of two aligned sentences is equal but for values: the same sentence
PARAPHRASE = 0.4                # the same thing in other words
WITH_EVIDENCE = 0.12            # enough when the reasons are the same, or the same address, code or key is named
CONTAINED = 0.75                # of the shorter one's words are in the other: its subject, or a part of it
OPPOSITE = 0.85                 # of the sentence is the same: then "never" makes it the opposite
WITHIN = 0.85                   # of the older one's words are in the newer one: with words to spare, it says more


def compare(old: Claim, new: Claim) -> Verdict:
    """``relation`` of two memories that were cut before."""
    if old.folded == new.folded:
        return Verdict(relation=Relation.DUPLICATE, reason="same_text", score=1.0)
    overlap = Overlap(old, new)
    frame = _frame(old, new)
    if frame >= SAME_FRAME:
        return _by_difference(old, new, overlap, frame)
    return _by_content(old, new, overlap)


# ---------------------------------------------------------------- how much two claims share

SPECIFIC = ("place", "channel", "key", "code", "flag", "id")      # values that name one thing in the world


class Overlap:
    """What two claims have in common, in words and in values."""

    __slots__ = ("conflicts", "contained", "head", "mass", "new_only", "old_only", "shared", "soft", "specific", "tail")

    def __init__(self, old: Claim, new: Claim) -> None:
        a, b = old.words, new.words
        common = a.keys() & b.keys()
        exact = sum(min(a[key], b[key]) for key in common)
        self.old_only = {key: weight for key, weight in a.items() if key not in b}
        self.new_only = {key: weight for key, weight in b.items() if key not in a}
        alike = _alike(self.old_only, self.new_only)
        self.mass = exact + alike
        total_a, total_b = old.total, new.total
        self.shared = sum(1 for key in common if a[key] >= 0.5)
        self.head = exact / (total_a + total_b - exact) if a or b else 0.0
        self.soft = (exact + alike) / max(total_a + total_b - exact - alike, 1e-9)
        self.contained = ((exact + alike) / total_a if a else 0.0, (exact + alike) / total_b if b else 0.0)
        self.tail = _same_tail(old, new)
        values_a, values_b = old.values, new.values
        both = sorted(values_a.keys() & values_b.keys())
        self.specific = any(values_a[kind] & values_b[kind] for kind in both if kind in SPECIFIC)
        self.conflicts = [kind for kind in both if not values_a[kind] & values_b[kind]]


def _alike(old_only: dict[str, float], new_only: dict[str, float]) -> float:
    """Half of what the words that differ would weigh if another word of the same meaning were the same word."""
    meant: dict[str, float] = {}
    for key, weight in new_only.items():
        for meaning in meanings(key):
            meant[meaning] = max(meant.get(meaning, 0.0), weight)
    return sum(min(weight, max((meant.get(meaning, 0.0) for meaning in meanings(key)), default=0.0)) / 2
               for key, weight in old_only.items())


def _same_tail(old: Claim, new: Claim) -> bool:
    """Whether reason and application are the same text, and enough of one to say something."""
    a, b = old.reasons, new.reasons
    return len(a & b) >= 4 and len(a & b) >= 0.8 * len(a | b)


# ---------------------------------------------------------------- deciding

def _by_content(old: Claim, new: Claim, overlap: Overlap) -> Verdict:
    """Other sentences: the same thing if enough words, or reason and address, are the same, and no value differs."""
    alike = overlap.mass >= 1 and (
        overlap.head >= PARAPHRASE
        or ((overlap.tail or overlap.specific) and overlap.soft >= WITH_EVIDENCE)
        or (max(overlap.contained) >= CONTAINED and overlap.shared >= 3))
    if not alike:
        return Verdict(relation=Relation.DISTINCT, reason="other_words", score=overlap.soft)
    if overlap.conflicts:
        if overlap.contained[0] < CONTAINED or _other_names(old, new, overlap):
            return Verdict(relation=Relation.DISTINCT, reason="other_words_and_values", score=overlap.soft)
        return Verdict(relation=Relation.UPDATE, reason="other_value", score=overlap.soft,
                       changed=_changed_values(old, new, overlap.conflicts))
    if overlap.contained[0] >= WITHIN and sum(overlap.new_only.values()) >= 2:
        return Verdict(relation=Relation.UPDATE, reason="says_more", score=overlap.soft)
    return Verdict(relation=Relation.DUPLICATE, reason="same_in_other_words", score=overlap.soft)


def _other_names(old: Claim, new: Claim, overlap: Overlap) -> bool:
    """Whether each is named by a word that the other does not hold: two subjects."""
    return any(mark.field == "name" and overlap.old_only.get(mark.key, 0.0) >= 1.0 for mark in old.head) and any(
        mark.field == "name" and overlap.new_only.get(mark.key, 0.0) >= 1.0 for mark in new.head)


def _changed_values(old: Claim, new: Claim, kinds: Iterable[str]) -> tuple[tuple[str, str], ...]:
    changed = []
    for kind in kinds:
        before = [mark.surface for mark in old.head if mark.kind == kind]
        after = [mark.surface for mark in new.head if mark.kind == kind]
        changed.append((before[0], after[0]))
    return tuple(changed)


def _by_difference(old: Claim, new: Claim, overlap: Overlap, frame: float) -> Verdict:
    """The same sentences but for a few words: which kind of words they are decides."""
    slots = _slots(old, new)
    values = [slot for slot in slots if slot.is_value()]
    changed = tuple(dict.fromkeys((slot.before, slot.after) for slot in values))
    if any(slot.is_subject() for slot in slots) or _twins(old, new, values):
        return Verdict(relation=Relation.DISTINCT, reason="another_subject", score=overlap.head, changed=changed)
    if values:
        return Verdict(relation=Relation.UPDATE, reason="other_value", score=overlap.head, changed=changed)
    if frame >= OPPOSITE and _denies(old) != _denies(new):
        return Verdict(relation=Relation.UPDATE, reason="opposite", score=overlap.head)
    if overlap.contained[0] >= WITHIN and sum(overlap.new_only.values()) >= 2:
        return Verdict(relation=Relation.UPDATE, reason="says_more", score=overlap.head)
    return Verdict(relation=Relation.DUPLICATE, reason="same_words", score=overlap.head)


def _twins(old: Claim, new: Claim, values: list[Slot]) -> bool:
    """Whether what changed is whom the statement is about: a name that opens it, or one that changed along with a
    value.

    Who owns or reviews something is a value wherever it stands.
    """
    if any(slot.leads for slot in values) and _other_words(old, new, values):
        return True             # "service 2 runs in b2", "service 3 runs in c3": the first value says which, the other what
    named = [slot for slot in values if slot.kinds & NAMING]
    others = [slot for slot in values if not slot.kinds & NAMING]
    if not named or _about_people(old):
        return False
    return bool(others) or any(slot.opens and slot.kinds & {NAME, "code"} for slot in named)


def _other_words(old: Claim, new: Claim, values: list[Slot]) -> bool:
    """Whether the sentences differ in more than the value that leads: in any word, however small."""
    leading = {word for slot in values if slot.leads for side in (slot.before, slot.after) for word in fold(side).split()}
    before, after = (set(_WORD.findall(fold(each.memory.description or each.memory.body))) for each in (old, new))
    return bool(before - after - leading) and bool(after - before - leading)


_WORD = re.compile(r"[^\W_]+")
NAMING = frozenset((NAME, "code", *FAMILIES))


class Slot:
    """A place where two otherwise equal sentences differ: the marks of the one and of the other."""

    __slots__ = ("kinds", "leads", "new", "old", "opens")

    def __init__(self, old: Sequence[Mark], new: Sequence[Mark], place: int) -> None:
        self.old = old
        self.new = new
        self.opens = place == 0         # it begins the sentence on both sides
        self.leads = place == 1         # it follows the word that opens the sentence: "service 2", "node b3"
        self.kinds = _kinds(old) & _kinds(new)

    def is_value(self) -> bool:
        """Whether a value stands for a value, or for words that were none."""
        return bool(self.old and self.new) and bool(_kinds(self.old) or _kinds(self.new))

    def is_subject(self) -> bool:
        """Whether plain words stand for plain words of another meaning."""
        if self.is_value():
            return False
        before, after = ([mark for mark in side if mark.weight >= PAIR] for side in (self.old, self.new))
        meant = {meaning for mark in before for meaning in meanings(mark.key)}
        return bool(before and after) and not any(meaning in meant for mark in after for meaning in meanings(mark.key))

    @property
    def before(self) -> str:
        return " ".join(mark.surface for mark in self.old)

    @property
    def after(self) -> str:
        return " ".join(mark.surface for mark in self.new)


def _kinds(marks: Sequence[Mark]) -> set[str]:
    """The kinds of values among the marks; capitals that open a sentence count as a name where only such stand."""
    kinds = {mark.kind for mark in marks if mark.kind}
    if not kinds and marks and all(mark.surface[:1].isupper() and not is_known(mark.key) for mark in marks):
        kinds.add(NAME)
    return kinds


def _shape(mark: Mark) -> str:
    """What two marks must share to be aligned: the word, or for a value its kind."""
    return f"<{mark.kind}>" if mark.kind else mark.key


def _frame(old: Claim, new: Claim) -> float:
    """How much of the first sentences is equal but for values, 0 to 1. One line is enough: it states the thing."""
    a, b = old.lines[0], new.lines[0]
    named = {mark.key for mark in b if mark.kind in SPECIFIC}
    subject = sum(mark.weight for mark in a if not mark.kind) + sum(mark.key in named for mark in a)
    if subject < 1:                     # nothing but values and weak words: no subject that could be the same
        return 0.0
    return SequenceMatcher(None, [_shape(mark) for mark in a], [_shape(mark) for mark in b], autojunk=False).ratio()


def _slots(old: Claim, new: Claim) -> list[Slot]:
    """Where the sentences of two claims differ."""
    slots: list[Slot] = []
    for a, b in zip(old.lines, new.lines, strict=False):
        matcher = SequenceMatcher(None, [_shape(mark) for mark in a], [_shape(mark) for mark in b], autojunk=False)
        if a is not old.lines[0] and matcher.ratio() < SAME_FRAME:
            continue                    # further sentences may be others
        for tag, a0, a1, b0, b1 in matcher.get_opcodes():
            if tag == "equal":
                slots.extend(Slot([x], [y], max(a0, b0) + offset)
                             for offset, (x, y) in enumerate(zip(a[a0:a1], b[b0:b1], strict=True)) if x.key != y.key)
            elif tag == "replace":
                slots.append(Slot(a[a0:a1], b[b0:b1], max(a0, b0)))
    return slots


NEGATIONS = frozenset(
    ("not", "no", "never", "don't", "doesn't", "cannot", "can't", "mustn't", "without", "avoid", "stop"))
CJK_NEGATIONS = ("不", "别", "勿", "没", "ない", "ません", "禁止", "안 ", "말고", "마세요", "금지")


def _denies(claim: Claim) -> bool:
    memory = claim.memory
    return denies(memory.description or memory.body or memory.name)


def denies(text: str) -> bool:
    """Whether a text says no to something."""
    said = text.lower().replace("’", "'")
    return bool(NEGATIONS & set(said.split())) or any(sign in said for sign in CJK_NEGATIONS)


OWNING = frozenset(stem(word) for word in (
    "own", "owner", "owned", "ownership", "maintain", "maintainer", "maintained", "responsible", "review", "reviewer",
    "reviewed", "approve", "approver", "approval", "decide", "decided", "lead", "led", "contact", "assigned"))
_CJK_OWNING = ("负责", "审核", "评审", "找谁", "担当", "責任", "承認", "レビュー", "담당", "책임", "승인", "리뷰")


def _about_people(claim: Claim) -> bool:
    """Whether the first sentence says who owns, reviews or decides something."""
    said = claim.memory.description or claim.memory.body or claim.memory.name
    return any(mark.key in OWNING for mark in claim.lines[0]) or any(sign in said for sign in _CJK_OWNING)
