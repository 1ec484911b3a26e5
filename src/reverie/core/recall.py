"""Which memories a prompt needs, and whether it needs any: analysis of the prompt, scoring, silence, budget.

A prompt becomes *units*, one for each thing it speaks of: a word, an identifier, a pair of CJK characters, a meaning. A
unit is met by its own term or, for less, by another word of the same meaning in any of four languages. What a memory
meets, and where, becomes a few features between 0 and 1, and their weighted sum (``WEIGHTS``) an absolute score between
0 and 1: nothing is scaled by what else was found, so "nothing fits" can be told from "this fits best". Below
``THRESHOLD`` we are silent.

Pure and cheap to import: this runs inside a hook while a person waits. Candidates come from ``reverie.storage.search``.
"""

from __future__ import annotations

from math import exp, log

from reverie.core import budget
from reverie.core.text import MEANING, implied, is_known, is_weak, pieces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from typing import Any, Protocol

    class Document(Protocol):
        """What the study's and the product's scorers look at; a ``Memory`` and a ``Candidate`` both are one."""

        @property
        def type(self) -> str: ...
        @property
        def name(self) -> str: ...
        @property
        def description(self) -> str: ...
        @property
        def body(self) -> str: ...

LONGEST_PROMPT = 16_000         # characters; of a longer one both ends are looked at, where people say what they want
MOST_UNITS = 64                 # a pasted log has thousands: the first ones and the last ones count

K1, B = 0.9, 0.4                # BM25 for short texts (measured, BENCHMARKS §3.1: +2.3 nDCG over 1.2/.75)

# A term's occurrences in a memory, packed into one number: how often in each field, small counts being enough.
FIELDS = ("name", "description", "keywords", "body", "why", "how_to_apply")
_SHIFTS = {"name": 0, "description": 2, "keywords": 4, "body": 6, "why": 9, "how_to_apply": 11}
_CAPS = {"name": 3, "description": 3, "keywords": 3, "body": 7, "why": 3, "how_to_apply": 3}
FIELD_WEIGHTS = {"name": 1.5, "description": 1.2, "keywords": 1.3, "body": 1.0, "why": 0.6, "how_to_apply": 0.9}


def pack(counts: Iterable[tuple[str, int]]) -> int:
    """(field, count) pairs as one number, counts capped."""
    packed = 0
    for field, count in counts:
        cap = _CAPS[field]
        packed |= (count if count < cap else cap) << _SHIFTS[field]
    return packed


def unpack(packed: int) -> list[tuple[str, int]]:
    """The (field, count) pairs of ``pack``, fields without an occurrence left out."""
    return [(field, count) for field in FIELDS if (count := packed >> _SHIFTS[field] & _CAPS[field])]


# ---------------------------------------------------------------- the question

class Unit:
    """One thing a prompt speaks of. ``ways`` are the terms that meet it, each with what it is worth, the best first."""

    __slots__ = ("kind", "surface", "ways", "weight")

    def __init__(self, surface: str, kind: str, weight: float, ways: tuple[tuple[str, float], ...]) -> None:
        self.surface = surface
        self.kind = kind
        self.weight = weight
        self.ways = ways

    def __repr__(self) -> str:
        return f"Unit({self.surface!r}, {self.kind!r}, {self.weight}, {self.ways!r})"


class Question:
    """A prompt, analysed once: ``units``, and the ``terms`` that an index should look up."""

    __slots__ = ("terms", "text", "units")

    def __init__(self, text: str, units: list[Unit]) -> None:
        self.text = text
        self.units = units
        self.terms: dict[str, None] = dict.fromkeys(term for unit in units for term, _ in unit.ways)


# What meeting a unit is worth by kind. A pair of characters is half a word; a part of a name says less than a word.
KIND_WEIGHTS = {
    "word": 1.0, "code": 1.2, "part": 0.5, "number": 0.3, "pair": 0.45, "single": 0.3, "phrase": 0.8, "implied": 0.4,
}
SAME_MEANING = 0.75             # another word of the same meaning, against the word itself
WEAK = 0.35                     # a word that any request may hold


def ask(text: str) -> Question:
    """Analyse a prompt."""
    if len(text) > LONGEST_PROMPT:
        text = text[:LONGEST_PROMPT // 2] + "\n" + text[-LONGEST_PROMPT // 2:]
    units: dict[str, Unit] = {}
    meanings: dict[str, str] = {}
    for piece in pieces(text):
        key = piece.term or MEANING + "+".join(piece.meanings)
        for meaning in piece.meanings:
            meanings.setdefault(meaning, piece.surface)
        if key in units:
            continue
        ways = [(piece.term, 1.0)] if piece.term else []
        ways += [(MEANING + meaning, SAME_MEANING if piece.term else 1.0) for meaning in piece.meanings]
        weight = KIND_WEIGHTS[piece.kind] * (WEAK if is_weak(piece.term) else 1.0)
        units[key] = Unit(piece.surface, piece.kind, weight, tuple(ways))
    for meaning, surface in list(meanings.items()):
        for further in implied(meaning):
            if further not in meanings:
                meanings[further] = surface
                ways = [(MEANING + further, 1.0)]
                units[MEANING + further] = Unit(surface, "implied", KIND_WEIGHTS["implied"], tuple(ways))
    kept = list(units.values())
    if len(kept) > MOST_UNITS:
        kept = kept[:MOST_UNITS // 2] + kept[-MOST_UNITS // 2:]
    return Question(text, kept)


# ---------------------------------------------------------------- what an index found

class Candidate:
    """What an index knows of a memory without reading its file. Times are seconds since 1970, 0.0 when unknown;
    ``terms`` are those of the question that it holds, with their packed counts."""

    __slots__ = (
        "agent", "author", "body", "by", "confirmed", "description", "how_to_apply", "id", "key", "keywords", "label", "length",
        "modified_at", "name", "path", "project", "root", "said_at", "scope", "terms", "type", "valid_until", "why",
    )

    def __init__(self, key: int, label: str, root: str, path: str, length: int, terms: dict[str, int],
                 id: str, name: str, description: str, type: str, body: str, why: str, how_to_apply: str,
                 scope: str, project: str, keywords: Sequence[str], by: str,
                 said_at: float, modified_at: float, confirmed: int, valid_until: str, agent: str = "") -> None:
        self.author = ""                                # of a team's memory: who committed it; the index does not know it
        self.key = key
        self.label = label
        self.root = root
        self.path = path
        self.length = length
        self.terms = terms
        self.id = id
        self.name = name
        self.description = description
        self.type = type
        self.body = body
        self.why = why
        self.how_to_apply = how_to_apply
        self.scope = scope
        self.project = project
        self.keywords = tuple(keywords)
        self.by = by
        self.said_at = said_at
        self.modified_at = modified_at
        self.confirmed = confirmed
        self.valid_until = valid_until
        self.agent = agent

    def __repr__(self) -> str:
        return f"Candidate({self.id!r}, label={self.label!r}, name={self.name!r})"


class Found:
    """The candidates for a question, and the statistics of the labels that were searched."""

    __slots__ = ("average", "candidates", "holders", "memories")

    def __init__(self, candidates: Iterable[Candidate] = (), memories: int = 0, average: float = 1.0,
                 holders: dict[str, int] | None = None) -> None:
        self.candidates = list(candidates)
        self.memories = memories                    # all that could have been found
        self.average = average                      # their length in words
        self.holders = {} if holders is None else holders       # term -> how many memories hold it

    def rarity(self, term: str) -> float:
        """The weight of a term by how few memories hold it (inverse document frequency)."""
        holders = self.holders.get(term, 0)
        return log(1 + (self.memories - holders + 0.5) / (holders + 0.5))


def field_weight(packed: int) -> float:
    """A term's occurrences in a memory, weighted by field."""
    weight = _field_weights.get(packed)
    if weight is None:
        weight = _field_weights[packed] = sum(FIELD_WEIGHTS[field] * count for field, count in unpack(packed))
    return weight


_field_weights: dict[int, float] = {}       # at most 8,192: every packed number that there is


def impact(packed: int, length: float, average: float) -> float:
    """What occurring so often, there, in a memory of that length is worth: 0 to 1, a plain occurrence about .5."""
    weight = field_weight(packed)
    return weight / (weight + K1 * (1 - B + B * length / (average or 1.0)))


# ---------------------------------------------------------------- scoring

# What a unit weighs in what a prompt speaks of when no memory holds it, as a share of the rarest possible word. A word
# that is no software word says that the prompt is about something else; a CJK pair may be no word at all.
UNMET = {
    "word": 1.0, "code": 0.3, "part": 0.3, "number": 0.3, "pair": 0.45, "single": 0.1, "phrase": 0.2, "implied": 0.0,
}
UNMET_KNOWN = 0.6
AGAIN = 0.5                     # a second unit met by the same term adds this much of its worth,
SAME_WORDS = 0.5                # and a second unit from the same words (a word and what it implies) so much
# How much each feature speaks for a memory, in log odds: fitted to labelled prompts, in few numbers that one can judge.
#   cover     the share of what the prompt speaks of that the memory meets
#   evidence  how much is met at all, saturating
#   peak      the strongest single match, against the rarest word possible
#   named     the share of it that is met in the name or the description
#   size      how much the prompt speaks of: of a long prompt, no memory covers much
WEIGHTS = {"cover": 6.1, "evidence": 6.2, "peak": 1.0, "named": 1.05, "size": 3.0}
BIAS = -8.35
CONFIRMED = 0.15                # for each time it was said again, up to three
RECENT = 0.2                    # for one said today, less with the weeks: it breaks ties
RECENT_DAYS = 30.0

THRESHOLD = 0.105               # below it we are silent: at it, about nine of ten prompts that need nothing get nothing
SHARE_OF_BEST = 0.45            # of the best match's score: what is much weaker is there by accident

class Asked:
    """A question against the statistics of a store: what each unit may be worth, and what all of them would be."""

    __slots__ = ("rarest", "size", "total", "units")

    def __init__(self, question: Question, found: Found) -> None:
        self.rarest = log(1 + (found.memories + 0.5) / 0.5)
        self.units: list[tuple[Unit, list[tuple[str, float]]]] = []     # with the terms that are held, and their gains
        self.total = 0.0
        surfaces: set[str] = set()
        for unit in question.units:
            weight = unit.weight * (SAME_WORDS if unit.surface in surfaces else 1.0)
            surfaces.add(unit.surface)
            ways = [(term, weight * worth * found.rarity(term)) for term, worth in unit.ways if term in found.holders]
            if ways:
                self.units.append((unit, ways))
            if ways and unit.kind != "implied":
                self.total += max(gain for _, gain in ways)
            else:
                known = unit.kind == "word" and is_known(unit.ways[0][0])
                self.total += weight * self.rarest * (UNMET_KNOWN if known else UNMET[unit.kind])
        self.size = log(1 + len(question.units)) / 4


_HEADLINE = _CAPS["name"] << _SHIFTS["name"] | _CAPS["description"] << _SHIFTS["description"]


class Match:
    """How a candidate meets a question: the features, in the order of ``WEIGHTS``, and by which words."""

    __slots__ = ("candidate", "features", "met")

    def __init__(self, asked: Asked, candidate: Candidate, average: float) -> None:
        self.candidate = candidate
        self.met: list[tuple[Unit, str, float]] = []        # unit, the term it was met by, what that is worth
        used: set[str] = set()
        mass = named = peak = 0.0
        for unit, ways in asked.units:
            best, by = 0.0, ""
            for term, gain in ways:
                packed = candidate.terms.get(term)
                if packed:
                    worth = gain * impact(packed, candidate.length, average) * (AGAIN if term in used else 1.0)
                    if worth > best:
                        best, by = worth, term
            if not by:
                continue
            used.add(by)
            self.met.append((unit, by, best))
            mass += best
            peak = max(peak, best)
            if candidate.terms[by] & _HEADLINE:
                named += best
        self.features = (min(1.0, mass / asked.total) if asked.total else 0.0, mass / (mass + 3), peak / asked.rarest,
                         named / mass if mass else 0.0, asked.size)

    @property
    def counts(self) -> bool:
        """Whether anything telling is met: numbers, weak words and what is only implied support a match, and make none."""
        return any(unit.weight >= KIND_WEIGHTS["pair"] for unit, _, _ in self.met)

    def score(self, now: float) -> float:
        """How likely the memory is of use, 0 to 1. Recency and confirmation only shade what the words say."""
        odds = BIAS + sum([weight * feature for weight, feature in zip(WEIGHTS.values(), self.features, strict=True)])
        odds += CONFIRMED * min(self.candidate.confirmed, 3)
        since = self.candidate.said_at or self.candidate.modified_at
        if since:
            odds += RECENT * exp(-max(now - since, 0.0) / (86_400 * RECENT_DAYS))
        return 1 / (1 + exp(-odds))


# ---------------------------------------------------------------- choosing

class Result:
    """A memory worth showing, and why. ``text`` is what it says, cut to the budget; ``left_out`` counts characters."""

    __slots__ = ("candidate", "left_out", "match", "score", "text")

    def __init__(self, match: Match, score: float, text: str, left_out: int) -> None:
        self.candidate = match.candidate
        self.match = match
        self.score = score
        self.text = text
        self.left_out = left_out

    @property
    def words(self) -> dict[str, list[str]]:
        """The prompt's words that were met, the weightiest first, each with the fields in which they stand."""
        met = sorted(self.match.met, key=lambda item: -item[2])
        return {unit.surface: [field for field, _ in unpack(self.candidate.terms[term])]
                for unit, term, _ in met if not term.startswith(MEANING)}

    @property
    def meanings(self) -> dict[str, str]:
        """The prompt's words that were met by other words of the same meaning; for each, the weightiest meaning."""
        met = sorted(self.match.met, key=lambda item: item[2])
        return {unit.surface: term[len(MEANING):] for unit, term, _ in met if term.startswith(MEANING)}

    @property
    def parts(self) -> dict[str, float]:
        """What made the score, by feature, 0 to 1 each."""
        return {name: round(value, 3) for name, value in zip(WEIGHTS, self.match.features, strict=True)}

    def explain(self) -> str:
        """Why this one, in a line for a person."""
        said = [f"{word} ({', '.join(fields)})" for word, fields in self.words.items()]
        meant = [f"{word} ~ {meaning}" for word, meaning in self.meanings.items()]
        return f"score {self.score:.2f}: " + "; ".join([*said[:6], *meant[:4]])

    def as_dict(self) -> dict[str, Any]:
        """For a program."""
        found = self.candidate
        return {
            "id": found.id, "score": round(self.score, 4), "text": self.text, "name": found.name, "type": found.type,
            "scope": found.scope, "project": found.project, "left_out": self.left_out,
            "why": {"words": self.words, "meanings": self.meanings, "parts": self.parts},
        }


def choose(question: Question, found: Found, *, now: float, documents: int = 5, characters: int = 6000,
           per_document: int = 1200, threshold: float = THRESHOLD, share_of_best: float = SHARE_OF_BEST,
           skip: Collection[str] = ()) -> list[Result]:
    """The memories to show for a prompt, best first; none is an answer too.

    ``skip`` holds ids of memories that are before the model anyway: standing rules in the session's block, what was
    recalled earlier and has not changed. ``characters`` is for all of them together. ``now``: seconds since 1970.
    """
    asked = Asked(question, found)
    ranked = [(match.score(now), -place, match) for place, candidate in enumerate(found.candidates)
              if candidate.id not in skip and (match := Match(asked, candidate, found.average)).counts]
    ranked.sort(key=lambda item: item[:2], reverse=True)
    results: list[Result] = []
    told: set[str] = set()
    left = characters
    for score, _, match in ranked:
        if len(results) >= documents or left <= 0 or score < max(threshold, share_of_best * ranked[0][0]):
            break
        text = full_text(match.candidate)
        if text in told:                                # two stores may hold the same
            continue
        told.add(text)
        shown = budget.clip(text, min(per_document, left))
        left -= len(shown.text)
        results.append(Result(match, score, shown.text, shown.characters))
    return results


def full_text(candidate: Candidate) -> str:
    """What a memory says, the description in front when the body does not repeat it."""
    lines = [] if candidate.description in (candidate.body, candidate.name) else [candidate.description]
    lines.append(candidate.body)
    if candidate.why:
        lines.append(f"Why: {candidate.why}")
    if candidate.how_to_apply:
        lines.append(f"How to apply: {candidate.how_to_apply}")
    return "\n".join([line for line in lines if line]) or candidate.name
