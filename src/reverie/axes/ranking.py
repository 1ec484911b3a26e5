"""By which rule a prompt is given memories (study, Qwen Code §7): Reverie's own, the study's points, the product's points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from reverie.core.recall import Candidate, Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """``scans``: every memory is looked at and given points, in place of those that the index finds. ``product``: by the points
    of the product's version, not the study's. ``fast``: so many are shown while a model still chooses (spec/qwen-code §7.2)."""

    says: str
    scans: bool = False
    product: bool = False
    fast: int = 0

    def seen(self, candidates: list[Candidate], tools: Sequence[str]) -> list[Candidate]:
        """The memories that may be given to a session which has used these ``tools``; the product leaves some out."""
        if not self.product or not tools:
            return candidates
        from reverie.core import qwen_scores

        return [each for each in candidates if not qwen_scores.only_tells_usage(each, tools)]

    def choose(
        self, prompt: str, candidates: Iterable[Candidate], *, documents: int, characters: int, skip: Collection[str] = ()
    ) -> list[Result]:
        """The best of all memories by points; for a ranking that ``scans``."""
        from reverie.core import qwen_recall  # the other designs must not wait for it

        return qwen_recall.choose(
            prompt, candidates, product=self.product, documents=documents, characters=characters, skip=skip
        )


OURS = Ranking(says="by meaning, rarity and field, and silence below a threshold")
STUDY_POINTS = Ranking(says="points: 2 a word, 1 a keyword of the type, 1 for a body", scans=True)
PRODUCT_POINTS = Ranking(
    says="points: 4 a word in the title, 3 in the description, 1 in the body, and none without a hit", scans=True, product=True,
    fast=2,
)
