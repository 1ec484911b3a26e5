"""How much of its memory a model always has before it (study, axis 3): the numbers, and the block that a session starts with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from reverie.core import blocks, index
from reverie.core.budget import utf16_units
from reverie.core.memory import Memory

HOOK_UNITS = 10_000                 # UTF-16 units that a host shows of what a hook says (spec/claude-code §12.3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """One store as a session sees it: where it lies, what of it is visible, and the index of just that."""

    folder: str
    label: str
    memories: tuple[Memory, ...]
    index: str
    scope: str = "project"


class Residency(Protocol):
    """What is always loaded. ``documents`` and ``characters`` bound what recall adds to a prompt; 0 documents: no recall."""

    @property
    def says(self) -> str: ...

    @property
    def documents(self) -> int: ...

    @property
    def characters(self) -> int: ...

    @property
    def rebuilds(self) -> bool:
        """Whether a store that has lost its index gets one when a session starts."""
        ...

    def session_block(self, layers: Sequence[Layer], *, guidance: str, tokens: int, now: datetime) -> str:
        """What a session starts with, fenced; "" when there is nothing. ``guidance`` stands alone where the design has some
        for a session without memories. ``tokens`` is the user's budget, where the design leaves it to the user."""
        ...

    def replacement(self, layers: Sequence[Layer], *, shown: str) -> str:
        """What a resumed session is told in its new message when its index is not the one in ``shown``, which it was told
        last; "" when it is, and where a session keeps what it has."""
        ...

    def agent_index(self, memories: Sequence[Memory], whole: str, *, tokens: int, now: datetime) -> str:
        """The index of a sub-agent's memories that is put before it. ``whole``: as the layout renders it, within its caps."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeIndex:
    """Claude Code: the whole index, bodies on demand (study, Claude Code §4 and §5)."""

    product: bool = False
    says: str = "whole index, 200 lines"
    documents: int = 0
    characters: int = 0

    @property
    def rebuilds(self) -> bool:
        return self.product     # spec/claude-code §4.4; the study knows no such rule

    def session_block(self, layers: Sequence[Layer], *, guidance: str, tokens: int, now: datetime) -> str:
        if self.product:
            return blocks.claude_product_session(layers[0].index, layers[0].folder, guidance=guidance)
        return blocks.claude_session(layers[0].index, guidance=guidance)

    def replacement(self, layers: Sequence[Layer], *, shown: str) -> str:
        return blocks.claude_replacement(layers[0].index, layers[0].folder, shown=shown) if self.product else ""

    def agent_index(self, memories: Sequence[Memory], whole: str, *, tokens: int, now: datetime) -> str:
        return whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Codex: the summary alone; everything else is searched for by the agent (study, Codex §5)."""

    product: bool = False
    says: str = "summary, 5,000 tokens"
    documents: int = 0
    characters: int = 0
    rebuilds: bool = False

    def session_block(self, layers: Sequence[Layer], *, guidance: str, tokens: int, now: datetime) -> str:
        if not any(layer.memories for layer in layers):
            return ""
        render = blocks.codex_product_session if self.product else blocks.codex_session
        return render(layers[0].index, guidance=guidance)

    def replacement(self, layers: Sequence[Layer], *, shown: str) -> str:
        return ""

    def agent_index(self, memories: Sequence[Memory], whole: str, *, tokens: int, now: datetime) -> str:
        return whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """Qwen Code: recalled documents with each prompt (study, Qwen Code §7). The study has no index before the model; the
    product always has one (spec/qwen-code §6)."""

    product: bool = False
    says: str = "recall, 5 documents x 1,200 characters"
    documents: int = blocks.QWEN_DOCUMENTS
    characters: int = blocks.QWEN_BODY
    rebuilds: bool = False

    def session_block(self, layers: Sequence[Layer], *, guidance: str, tokens: int, now: datetime) -> str:
        if not guidance and not any(layer.memories for layer in layers):
            return ""
        user_first = reversed([(layer.folder, layer.index) for layer in layers])
        return blocks.qwen_session(user_first, guidance=guidance, design="qwen-code@0.24" if self.product else "qwen-code")

    def replacement(self, layers: Sequence[Layer], *, shown: str) -> str:
        return ""

    def agent_index(self, memories: Sequence[Memory], whole: str, *, tokens: int, now: datetime) -> str:
        return whole


@dataclass(frozen=True, slots=True, kw_only=True)
class ByValue:
    """Reverie: one index over all layers, what is worth most within a budget of tokens; recall brings the rest."""

    says: str = "index by value within a token budget, and recall"
    documents: int = 5
    characters: int = 1_200
    rebuilds: bool = False

    def session_block(self, layers: Sequence[Layer], *, guidance: str, tokens: int, now: datetime) -> str:
        """Never longer than a host takes from a hook: of a larger block it would show the model the beginning only."""
        named = [replace(memory, id=f"{layer.label}/{memory.id}") for layer in layers for memory in layer.memories]
        while named:
            text = blocks.own_session(index.by_value(named, tokens=tokens, now=now).text, guidance=guidance)
            units = utf16_units(text)
            if units <= HOOK_UNITS or not tokens:
                return text
            tokens = min(tokens * HOOK_UNITS // units, tokens - 1)
        return ""

    def replacement(self, layers: Sequence[Layer], *, shown: str) -> str:
        return ""

    def agent_index(self, memories: Sequence[Memory], whole: str, *, tokens: int, now: datetime) -> str:
        return index.by_value(memories, tokens=tokens, now=now).text if memories else ""


WHOLE_INDEX = WholeIndex()
WHOLE_INDEX_2_1 = WholeIndex(product=True, says="whole index, 200 lines and 25,000 characters")
SUMMARY = Summary()
SUMMARY_0_171 = Summary(product=True, says="summary, 2,500 tokens")
RECALLED = Recalled()
RECALLED_0_24 = Recalled(product=True, says="whole index, and recall of 5 documents x 1,200 characters")
BY_VALUE = ByValue()
