"""The extractor that needs no model: reads what a person said, message by message, and proposes memories.

Invariants, and how they are checked (tests/models/rules/test_engine.py):
- only a person's words become memories; an assistant's answer is looked at to understand what "yes, like that"
confirms,
  tool output is never looked at;
- a message is judged by itself and by at most ``LOOKBACK`` messages before it, so reading a transcript in pieces and
in one
  go gives the same proposals;
- what was corrected or taken back within reach is not proposed; the correction says which message it replaces.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from reverie.core import budget, dates
from reverie.core.memory import By, Memory, Source
from reverie.core.proposal import Drop, Extraction, Proposal, Reason, Window
from reverie.core.session import Message, Voice
from reverie.models.rules import neutral
from reverie.models.rules.language import Act, Language, Reading, Scene, Value
from reverie.models.rules.languages import LANGUAGES

# Messages of a person or an assistant before the one that is judged. Tool output does not count: one answer can hold
# dozens.
LOOKBACK = 12
EARLIER = 3                         # the person's earlier messages that a language may look at
ANSWER_CHARACTERS = 2_000           # of an assistant's answer: a confirmation means what was said in its first lines
_TWICE = re.compile(r"\b(\w{2,40})(?: \1\b)+")
QUOTE_CHARACTERS = 400
_UNIT = re.compile(r"^[\d.,]+ ?(?P<unit>%|‰|€|\$|°\w?)$")
# Clauses with subjects of their own in one statement.
_SEVERAL = re.compile(r"[,;] and (?:the |our |all )?[\w-]+(?: [\w-]+)? (?:is|are|goe?s?|stays?|needs?|must|has|have|runs?|lives?|comes?)\b")
TERSE = 40                          # characters of a statement that says too little alone in an index line
READABLE = 0.35                     # below this share no language here reads the text
# A sentence end that every script has; the language cuts the rest.
_CHUNKS = re.compile(r"(?<=[。！？])\s*")


@dataclass(slots=True, kw_only=True)
class _Draft:
    """A memory in the making: one statement and what joined it."""

    message: int                    # index into the window
    language: Language
    head: Reading
    before: list[Reading] = field(default_factory=list)
    after: list[Reading] = field(default_factory=list)
    corrects: str = ""
    replaces: str = ""
    gone: bool = False              # taken back or corrected later

    def parts(self, act: Act) -> list[str]:
        return [r.text for r in (*self.before, *self.after) if r.act is act and r.text]

    @property
    def words(self) -> str:
        """Everything that was said for it, to look up what a later message takes back."""
        return " ".join(r.quote for r in (*self.before, self.head, *self.after))


@dataclass(slots=True)
class _Judged:
    """What one message turned out to hold."""

    drafts: list[_Draft] = field(default_factory=list)
    # Corrections, each with its language and the number of drafts before it.
    actions: list[tuple[Reading, Language, int]] = field(default_factory=list)
    drops: list[Drop] = field(default_factory=list)


class Rules:
    """Proposals by rule, for every language it is given; the same window gives the same result."""

    name = "rules"

    def __init__(self, languages: Sequence[Language] = LANGUAGES) -> None:
        self._languages = tuple(languages)

    def propose(self, window: Window) -> Extraction:
        """Proposals and named refusals for what a person said in the fresh messages of a window."""
        reader = _Reader(self._languages, window)
        for index in range(window.fresh_from, len(window.messages)):
            if window.messages[index].voice is Voice.PERSON:
                reader.take(index)
        return reader.result()


class _Reader:
    """One pass over a window."""

    def __init__(self, languages: Sequence[Language], window: Window) -> None:
        self._languages = languages
        self._window = window
        self._judged: dict[int, _Judged] = {}
        self._order: list[_Draft] = []
        self._drops: list[Drop] = []
        self._taken_back: list[str] = []
        # Places of the messages that were said, so that "the last twelve" is a slice.
        self._said = [i for i, m in enumerate(window.messages) if m.voice is not Voice.TOOL]
        self._place = {index: place for place, index in enumerate(self._said)}

    def take(self, index: int) -> None:
        """Judge a fresh message and carry out what it corrects."""
        judged = self._judge(index)
        self._drops.extend(judged.drops)
        for action, language, count in judged.actions:
            if action.act is Act.CORRECT:
                self._correct(index, action, language, count)
            else:
                self._withdraw(index, action, count)
        for place, draft in enumerate(judged.drafts):
            if not draft.gone and not draft.corrects and (draft.head.changes or draft.head.replaces):
                self._supersede(index, draft, place)
        self._order.extend(draft for draft in judged.drafts if not draft.gone)

    def result(self) -> Extraction:
        """Everything proposed and refused, in the order in which it was said."""
        proposals: list[Proposal] = []
        seen: set[str] = set()
        for draft in self._order:
            if draft.gone:
                continue
            proposal = self._proposal(draft)
            key = " ".join(proposal.memory.body.casefold().split())
            if key in seen:
                self._drops.append(self._drop(Reason.DUPLICATE, draft.head.quote, draft.message))
                continue
            seen.add(key)
            proposals.append(proposal)
        return Extraction(proposals=tuple(proposals), drops=tuple(self._drops), taken_back=tuple(self._taken_back))

    # ---- reading one message

    def _judge(self, index: int) -> _Judged:
        """What a message holds, read once; corrections are found but not yet carried out."""
        if index not in self._judged:
            self._judged[index] = self._read(index)
        return self._judged[index]

    def _read(self, index: int) -> _Judged:
        judged = _Judged()
        scene = self._scene(index)
        waiting: list[Reading] = []
        for language, sentences in self._runs(self._window.messages[index].text):
            for reading in language.read(sentences, scene):
                if reading.act is Act.STATEMENT:
                    judged.drafts.append(_Draft(message=index, language=language, head=reading, before=waiting,
                                                replaces=reading.replaces))
                    waiting = []
                elif reading.act in (Act.DETAIL, Act.REASON):
                    (judged.drafts[-1].after if judged.drafts else waiting).append(reading)
                elif reading.act is Act.NOTHING:
                    judged.drops.append(self._drop(reading.reason, reading.quote, index))
                else:
                    judged.actions.append((reading, language, len(judged.drafts)))
        judged.drops.extend(self._drop(Reason.NO_SIGNAL, reading.quote, index) for reading in waiting)
        return judged

    def _runs(self, text: str) -> list[tuple[Language, list[str]]]:
        """Consecutive sentences of one language."""
        runs: list[tuple[Language, list[str]]] = []
        for paragraph in neutral.spoken(text):
            for chunk in _CHUNKS.split(paragraph):
                if not chunk.strip():
                    continue
                language = max(self._languages, key=lambda each: each.share(chunk))
                if language.share(chunk) < READABLE:
                    continue
                sentences = [s for s in language.sentences(chunk) if s.strip() and len(s) <= neutral.MAX_SENTENCE]
                if runs and runs[-1][0] is language:
                    runs[-1][1].extend(sentences)
                elif sentences:
                    runs.append((language, sentences))
        return runs

    def _scene(self, index: int) -> Scene:
        before = self._before(index)
        messages = self._window.messages
        answer = next((messages[i].text for i in before if messages[i].voice is Voice.ASSISTANT), "")
        earlier = [messages[i].text[:ANSWER_CHARACTERS] for i in before if messages[i].voice is Voice.PERSON][:EARLIER]
        return Scene(day=self._day(messages[index]), answer=answer[:ANSWER_CHARACTERS],
                     earlier=tuple(reversed(earlier)))

    def _before(self, index: int) -> list[int]:
        """What was said before a message, nearest first, no further than the lookback."""
        place = self._place[index]
        return self._said[max(0, place - LOOKBACK):place][::-1]

    def _day(self, message: Message) -> date | None:
        return message.at.date() if message.at else self._window.day

    # ---- taking back

    def _candidates(self, index: int, count: int) -> list[_Draft]:
        """Earlier statements, nearest first: of the same message, then of the person's messages within reach."""
        found = self._judge(index).drafts[:count][::-1]
        for earlier in self._before(index):
            if self._window.messages[earlier].voice is Voice.PERSON:
                found.extend(reversed(self._judge(earlier).drafts))
        return [draft for draft in found if not draft.gone]

    def _correct(self, index: int, action: Reading, language: Language, count: int) -> None:
        """Say the nearest statement that the new value fits again, with the value in it."""
        for draft in self._candidates(index, count):
            if action.about and action.about.casefold() not in draft.words.casefold():
                continue
            fixed = _swapped(draft, action.value, action.about)
            if fixed is None:
                continue
            fixed.message = index
            fixed.corrects = self._window.messages[draft.message].id if draft.message != index else ""
            fixed.replaces = action.about
            self._take_back(draft)
            self._judged[index].drafts.append(fixed)
            return
        self._drops.append(self._drop(Reason.NO_SIGNAL, action.quote, index))

    def _withdraw(self, index: int, action: Reading, count: int) -> None:
        """Take an earlier statement away; what the same message says instead replaces it."""
        drafts = self._judge(index).drafts
        successor = drafts[count] if count < len(drafts) else None
        target = next((d for d in self._candidates(index, count) if _mentions(d, action.about)), None)
        if successor is not None:
            successor.replaces = successor.replaces or action.about or (target.head.text if target else "")
            if target is not None and target.message != index:
                successor.corrects = self._window.messages[target.message].id
        elif action.about or target is not None:
            self._taken_back.append(action.about or (target.head.text if target else ""))
        if target is not None:
            self._take_back(target)

    def _supersede(self, index: int, draft: _Draft, place: int) -> None:
        """Find what a new state ends, take that back, and give the new one its type: "it is prettier now" is a rule when it was one."""
        old = _ended(draft, self._candidates(index, place))
        if old is None:
            return
        draft.head = replace(draft.head, type=old.head.type or draft.head.type, scope=old.head.scope)
        rest, value = _without(draft.language, draft.head, old.head)
        if rest:                            # "on 3 May and on Linux only": the other half still holds
            old.head = replace(old.head, text=rest)
            draft.replaces = value
            return
        draft.replaces = draft.replaces or old.head.text
        if old.message != index:
            draft.corrects = self._window.messages[old.message].id
        if not _SEVERAL.search(old.head.text):  # what else the old one says may still hold
            self._take_back(old)

    def _take_back(self, draft: _Draft) -> None:
        draft.gone = True
        self._drops.append(self._drop(Reason.TAKEN_BACK, draft.head.quote, draft.message))

    # ---- rendering

    def _proposal(self, draft: _Draft) -> Proposal:
        message = self._window.messages[draft.message]
        day, language, head = self._day(message), draft.language, draft.head
        until = dates.valid_until(draft.words, day) if day else None

        def dated(text: str) -> str:
            return dates.absolute(text, day) if day and text else text

        body = dated(" ".join([*_texts(draft.before, Act.DETAIL), head.text, *_texts(draft.after, Act.DETAIL)]))
        why = dated(" ".join([*draft.parts(Act.REASON), *([head.why] if head.why else [])]))
        line = head.text if len(head.text) >= TERSE else " ".join(
            part for part in (head.text, *_texts(draft.after, Act.DETAIL), head.why, *draft.parts(Act.REASON)) if part)
        memory = Memory(
            name=language.title(head.text, head.type),
            description=language.describe(dated(line), head.type),
            type=head.type or "project",
            body=body,
            why=why,
            how_to_apply=dated(head.how),
            scope=head.scope,
            keywords=language.keywords(body),
            valid_until=until,
            source=Source(by=By.USER, host=self._window.host, session=self._window.session, message=message.id,
                          said_at=message.at, cwd=self._window.cwd, rule=head.rule,
                          quote=_short(draft.words)),
        )
        return Proposal(memory=memory, corrects=draft.corrects, replaces=draft.replaces)

    def _drop(self, reason: Reason, quote: str, index: int) -> Drop:
        return Drop(reason=reason, quote=_short(quote), message=self._window.messages[index].id)


def _short(text: str) -> str:
    return str(budget.clip(" ".join(text.split()), QUOTE_CHARACTERS).text)


def _texts(readings: Sequence[Reading], act: Act) -> list[str]:
    return [r.text for r in readings if r.act is act and r.text]


def _mentions(draft: _Draft, about: str) -> bool:
    """Whether a statement is the one that was named; "that" names the nearest."""
    if not about:
        return True
    said = draft.words.casefold()
    words = [w.casefold() for w in draft.language.keywords(about)] or about.casefold().split()
    return all(w in said for w in words)


def _ended(draft: _Draft, candidates: Sequence[_Draft]) -> _Draft | None:
    """Which earlier statement a new state ends: the one with the old words in it, else the one that says another value of the same
    kind about the same thing."""
    language, head = draft.language, draft.head
    mine = _topics(language, head.text)
    best: tuple[int, _Draft] | None = None
    for old in candidates:
        if old.language is not language or old.head.text == head.text:
            continue
        shared = len(mine & _topics(language, old.head.text))
        if head.replaces:               # the old words were named: nothing else is meant
            named = frozenset(word[:5] for word in head.replaces.casefold().split())
            if _alone(head.replaces, old.head.text) and (mine & _topics(language, old.head.text)) - named:
                return old
        elif shared and _close(shared, mine, language, head.text, old.head.text) and (best is None or shared > best[0]):
            best = (shared, old)
    return best[1] if best else None


def _close(shared: int, mine: frozenset[str], language: Language, new: str, old: str) -> bool:
    """Whether two texts that share topics speak of one thing: another date for it, another value, or mostly the same words."""
    kinds = _differing(language, new, old)
    if kinds & {"date", "weekday", "time"}:
        return True
    return shared >= 2 and (bool(kinds) or shared * 2 >= min(len(mine), len(_topics(language, old))))


def _without(language: Language, new: Reading, old: Reading) -> tuple[str, str]:
    """The old statement without the half that a new one ends, and the value that went; "" when nothing would be left."""
    kinds = _differing(language, new.text, old.text)
    said = [old.text[v.start:v.end] for v in language.values(old.text) if v.kind in kinds]
    values = [new.replaces] if new.replaces and new.replaces in old.text else said
    if len(values) != 1:
        return "", ""
    half = rf"(?:(?:on|by|until|from|at|in|for|before|is|are) )?(?:the )?{re.escape(values[0])}"
    for pattern in (rf"\b{half},? and (?=(?:on|by|until|from|at|in|for|before|only|with|without)\b)", rf",? and {half}(?=[.,;]|$)"):
        rest = re.sub(pattern, "", old.text, count=1)
        if rest != old.text and len(rest) > 12:
            return rest, values[0]
    return "", ""


def _alone(words: str, text: str) -> bool:
    """Whether words stand in a text, not as a part of other Latin words."""
    return re.search(rf"(?<!\w){re.escape(words.casefold())}(?!\w)", text.casefold(), re.ASCII) is not None


def _topics(language: Language, text: str) -> frozenset[str]:
    """The words that say what a text is about, cut to their beginnings: "splitting" and "split" are one topic."""
    values = {text[v.start:v.end].casefold() for v in language.values(text) if v.kind in ("date", "weekday", "time", "number")}
    return frozenset(word.casefold()[:5] for word in language.keywords(text) if word.casefold() not in values)


def _differing(language: Language, new: str, old: str) -> set[str]:
    """The kinds of value of which both texts hold some, and none the same."""
    found: dict[str, tuple[set[str], set[str]]] = {}
    for side, text in enumerate((new, old)):
        for value in language.values(text):
            if value.kind not in ("word", "phrase"):
                found.setdefault(value.kind, (set(), set()))[side].add(text[value.start:value.end].casefold())
    return {kind for kind, (mine, theirs) in found.items() if mine and theirs and not mine & theirs}


def _swapped(draft: _Draft, value: str, about: str) -> _Draft | None:
    """The draft with one of its values exchanged, everywhere; None when nothing in it could be that value."""
    language = draft.language
    text = draft.head.text
    old = about if about and about in text else _old_value(language, draft, value)
    if not old:
        return None
    # Borders of Latin words only: a particle or a verb of another script may stand right behind a value.
    if unit := _UNIT.match(value.strip()):
        value = value.strip()[:unit.start("unit")].rstrip() if re.search(re.escape(old) + r" ?" + re.escape(unit["unit"]), text) else value
    pattern = re.compile(rf"(?<!\w){re.escape(old)}(?!\w)" if (old[0] + old[-1]).isascii() else re.escape(old), re.ASCII)

    def swap(said: str) -> str:
        return _TWICE.sub(r"\1", pattern.sub(lambda _: value, said))  # "team CORE" -> "team PLAT", not "team team PLAT"

    def fixed(reading: Reading) -> Reading:
        return replace(reading, text=swap(reading.text), why=swap(reading.why), how=swap(reading.how),
                       quote=swap(reading.quote))

    return _Draft(message=draft.message, language=language, head=fixed(draft.head),
                  before=[fixed(r) for r in draft.before], after=[fixed(r) for r in draft.after])


def _old_value(language: Language, draft: _Draft, value: str) -> str:
    """Which piece of a statement the new value stands for: the same kind, and most what the statement is about."""
    given = language.values(value)
    whole = {v.kind for v in given if v.kind == "phrase" and v.end - v.start >= len(value.strip())}
    kinds = whole or {v.kind for v in given if v.end - v.start >= len(value.strip()) // 2} or {"word"}
    best: tuple[float, str] = (0.0, "")
    counted = draft.words
    for text in (draft.head.text, draft.head.why, *(r.text for r in (*draft.before, *draft.after))):
        for piece in language.values(text):
            said = text[piece.start:piece.end]
            if len(said) >= len(text.strip(" .!")) or not _same_unit(value, said + text[piece.end:]):
                continue                # never the whole statement; a percentage is no version
            if said.casefold() in (value.casefold(), draft.head.replaces.casefold()):
                continue
            weight = piece.weight * _fit(piece, kinds) * (1.0 + 0.25 * min(3, counted.count(said) - 1))
            if weight > best[0]:
                best = (weight, said)
    return best[1]


def _same_unit(value: str, behind: str) -> bool:
    """Whether a value with a sign as its unit could stand for the old one, which ``behind`` begins with; a bare one can stand anywhere."""
    unit = _UNIT.match(value.strip())
    return unit is None or unit["unit"].casefold() in behind[:40].casefold()


def _fit(piece: Value, kinds: set[str]) -> float:
    """How well a piece could be of one of these kinds. Names and words are mistaken for each other; a date is not a
    name."""
    if piece.kind in kinds:
        return 1.0
    loose = {"name", "word", "code", "id"}
    if piece.kind in loose and kinds & loose:
        return 0.5
    places = {"url", "path", "channel", "id", "name", "code"}
    return 0.25 if "phrase" in kinds or piece.kind == "phrase" or (piece.kind in places and kinds & places) else 0.0
