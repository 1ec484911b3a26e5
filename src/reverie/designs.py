"""The memory designs: the study's comparison table, executable. A design is a value: a layout, and one choice on each of the
five axes. An *edition* has the values of a product's version as it really behaves (spec pages); the plain name has the study's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from reverie import errors
from reverie.axes import eviction, guidance, ranking, refresh, residency, scoping, writing
from reverie.axes.eviction import Eviction
from reverie.axes.guidance import Guidance
from reverie.axes.ranking import Ranking
from reverie.axes.refresh import Refresh
from reverie.axes.residency import Residency
from reverie.axes.scoping import Scoping
from reverie.axes.writing import Writing

if TYPE_CHECKING:
    from reverie.core.layout import Layout


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """A layout, five choices, what the model is told about them, and by which rule a prompt is given memories. ``name`` is also
    the folder of its stores. ``tells_recalls``: each recall leaves an event (study, Qwen Code §10: only this product does)."""

    name: str
    layout: Layout
    writing: Writing
    refresh: Refresh
    residency: Residency
    eviction: Eviction
    scoping: Scoping
    guidance: Guidance
    ranking: Ranking = ranking.OURS
    tells_recalls: bool = False


# A layout is imported by the design that has it: the other two would make every start slower, and a hook starts at every prompt.


def _claude_code(*, edition: str = "", provenance: bool = False) -> Layout:
    from reverie.layouts.claude_code import ClaudeCode

    return ClaudeCode(edition=edition, provenance=provenance)


def _codex(*, product: bool = False) -> Layout:
    from reverie.layouts.codex import PRODUCT, Codex

    return Codex(PRODUCT) if product else Codex()


def _qwen_code(*, edition: str = "") -> Layout:
    from reverie.layouts.qwen_code import QwenCode

    return QwenCode(edition=edition)


_DESIGNS: Mapping[str, Callable[[], Design]] = {
    "claude-code": lambda: Design(
        name="claude-code", layout=_claude_code(), writing=writing.AGENT, refresh=refresh.FROZEN,
        residency=residency.WHOLE_INDEX, eviction=eviction.AGE_AND_VERIFY, scoping=scoping.EncodedDirectory(),
        guidance=guidance.FOUR_TYPES,
    ),
    "codex": lambda: Design(
        name="codex", layout=_codex(), writing=writing.TWO_PHASES, refresh=refresh.AFTER_CONSOLIDATION,
        residency=residency.SUMMARY, eviction=eviction.USAGE_DECAY, scoping=scoping.OneFolder(),
        guidance=guidance.LAZY_LOADING,
    ),
    "qwen-code": lambda: Design(
        name="qwen-code", layout=_qwen_code(), writing=writing.EVERY_RESPONSE, refresh=refresh.EVERY_PROMPT,
        residency=residency.RECALLED, eviction=eviction.DEDUPLICATION, scoping=scoping.GitRoot(),
        guidance=guidance.WITH_RECALL, ranking=ranking.STUDY_POINTS, tells_recalls=True,
    ),
    "reverie": lambda: Design(
        name="reverie", layout=_claude_code(provenance=True), writing=writing.AGENT_AND_RULES,
        refresh=refresh.FROZEN_AND_EVERY_PROMPT, residency=residency.BY_VALUE, eviction=eviction.AGE_AND_VERIFY,
        scoping=scoping.Layered(),
        guidance=guidance.FEW_LINES,
    ),
    "claude-code@2.1": lambda: Design(
        name="claude-code@2.1", layout=_claude_code(edition="2.1"), writing=writing.AGENT, refresh=refresh.FROZEN_2_1,
        residency=residency.WHOLE_INDEX_2_1, eviction=eviction.AGE_AND_VERIFY_2_1,
        scoping=scoping.EncodedDirectory(
            subdirectories=False, says="git root, else the directory", agents=scoping.AgentFolders(by_directory=True)
        ),
        guidance=guidance.SHORT_FORM,
    ),
    "codex@0.171": lambda: Design(
        name="codex@0.171", layout=_codex(product=True), writing=writing.TWO_PHASES_0_171,
        refresh=refresh.AFTER_CONSOLIDATION_0_171, residency=residency.SUMMARY_0_171,
        eviction=eviction.USAGE_DECAY_0_171, scoping=scoping.OneFolder(), guidance=guidance.LAZY_LOADING,
    ),
    "qwen-code@0.24": lambda: Design(
        name="qwen-code@0.24", layout=_qwen_code(edition="0.24"), writing=writing.EVERY_RESPONSE, refresh=refresh.EVERY_PROMPT,
        residency=residency.RECALLED_0_24, eviction=eviction.DEDUPLICATION_0_24,
        scoping=scoping.GitRoot(worktrees_apart=True, recalls_team=False, says="nearest git root, worktrees apart"),
        guidance=guidance.WITH_RECALL, ranking=ranking.PRODUCT_POINTS, tells_recalls=True,
    ),
}


def names() -> tuple[str, ...]:
    """All designs and editions, the plain ones first."""
    return tuple(_DESIGNS)


@cache
def named(name: str) -> Design:
    """The design with this name. Raises ``WrongUse`` with the list of those that exist."""
    if name not in _DESIGNS:
        raise errors.WrongUse(f"unknown design {name!r}; known are {', '.join(_DESIGNS)}")
    return _DESIGNS[name]()


def placed(design: Design, placement: str) -> Design:
    """The design with its new memories in folders by type, or in one file for each type (``placement``: "folders", "files"),
    where its layout has both. Raises ``WrongUse`` for another placement."""
    from reverie.layouts.qwen_code import QwenCode

    if not isinstance(design.layout, QwenCode) or design.layout.placement == placement:
        return design
    return replace(design, layout=QwenCode(placement=placement, edition=design.layout.edition))


def describe(design: Design) -> dict[str, str]:
    """A design's row of the table, in words."""
    return {
        "layout": design.layout.name,
        "who writes": design.writing.says,
        "when it changes": design.refresh.says,
        "always loaded": design.residency.says,
        "eviction": design.eviction.says,
        "scoping": design.scoping.says,
        "recall ranks": design.ranking.says,
    }
