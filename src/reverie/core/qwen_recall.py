"""Recall as Qwen Code does it: every document gets points, the best five are shown (study, Qwen Code §7; spec/qwen-code §7.3).

A document is a memory, its reason and application within its body, as in the product's files. Imported only by the designs
that rank so: the others look their candidates up in the index.
"""

from __future__ import annotations

from reverie.core import budget, qwen_scores
from reverie.core.recall import Candidate, Result, full_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from typing import Any


class Sheet:
    """A candidate as the scorers see it."""

    __slots__ = ("body", "candidate", "description", "name", "type")

    def __init__(self, candidate: Candidate) -> None:
        self.candidate = candidate
        self.type = candidate.type
        self.name = candidate.name
        self.description = candidate.description
        parts = [candidate.body]
        parts += [f"Why: {candidate.why}"] if candidate.why else []
        parts += [f"How to apply: {candidate.how_to_apply}"] if candidate.how_to_apply else []
        self.body = "\n\n".join(part for part in parts if part)


class Scored(Result):
    """A document chosen by points. ``score`` is the number of points: a whole number, comparable with nothing else."""

    __slots__ = ("by_type", "hits")

    def __init__(self, sheet: Sheet, score: int, hits: dict[str, list[str]], by_type: list[str], *, characters: int) -> None:
        shown = budget.clip(full_text(sheet.candidate), characters)
        self.candidate = sheet.candidate
        self.score = score
        self.text = shown.text
        self.left_out = shown.characters
        self.hits = hits
        self.by_type = by_type

    @property
    def words(self) -> dict[str, list[str]]:
        return self.hits

    @property
    def meanings(self) -> dict[str, str]:
        return {}

    @property
    def parts(self) -> dict[str, float]:
        return {"tokens": len(self.hits), "type keywords": len(self.by_type)}

    def explain(self) -> str:
        said = [f"{word} ({', '.join(fields)})" for word, fields in list(self.hits.items())[:8]]
        said += [f"{word} (a word of the type {self.candidate.type})" for word in self.by_type]
        return f"score {self.score}: " + ("; ".join(said) or "no word of the prompt, only that its body is not empty")

    def as_dict(self) -> dict[str, Any]:
        return {**super().as_dict(), "score": self.score}


def ranked(prompt: str, candidates: Iterable[Candidate], *, product: bool) -> list[tuple[int, Sheet]]:
    """Every document that has a point, with its points, the best first.

    ``candidates`` come in the product's order: the project before the user, each newest first. Among equals the study goes by
    type (spec/qwen-code §23), the product by time.
    """
    score = qwen_scores.product_score if product else qwen_scores.study_score
    sheets = [Sheet(candidate) for candidate in candidates]
    sheets.sort(key=(lambda sheet: -sheet.candidate.modified_at) if product else (lambda sheet: sheet.type))
    scored = [(score(prompt, sheet), place, sheet) for place, sheet in enumerate(sheets)]
    return [(points, sheet) for points, _, sheet in sorted(scored, key=lambda each: (-each[0], each[1])) if points > 0]


def choose(
    prompt: str, candidates: Iterable[Candidate], *, product: bool, documents: int, characters: int, skip: Collection[str] = ()
) -> list[Result]:
    """The documents for a prompt, at most ``documents``, each cut to so many ``characters``."""
    best = [each for each in ranked(prompt, candidates, product=product) if each[1].candidate.id not in skip][:documents]
    return [result(prompt, sheet, points, product=product, characters=characters) for points, sheet in best]


def result(prompt: str, sheet: Sheet, points: int, *, product: bool, characters: int) -> Result:
    """A chosen document, and by which words it has its points."""
    tokens = qwen_scores.product_tokens(prompt) if product else qwen_scores.study_tokens(prompt)
    keywords = (qwen_scores.PRODUCT_KEYWORDS if product else qwen_scores.STUDY_KEYWORDS).get(sheet.type, frozenset())
    hits = {token: fields for token in tokens if (fields := _fields(token, sheet))}
    return Scored(sheet, points, hits, [token for token in tokens if token in keywords], characters=characters)


def _fields(token: str, sheet: Sheet) -> list[str]:
    named = (("type", sheet.type), ("name", sheet.name), ("description", sheet.description), ("body", sheet.body))
    return [field for field, text in named if token in qwen_scores.folded(text)]
