"""When what a model sees of its memory changes (study, axis 2)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Refresh:
    """``frozen``: a session keeps the block it started with, byte for byte, so that the provider's prompt cache holds.
    ``every_prompt``: recall goes with each user message, never into the system prompt. ``rereads``: after a compaction, when
    the provider's cache is lost in any case, the block is made anew, as these products do; elsewhere not even then."""

    frozen: bool
    every_prompt: bool
    says: str
    rereads: bool = False


FROZEN = Refresh(frozen=True, every_prompt=False, says="frozen for the session")
FROZEN_2_1 = Refresh(frozen=True, every_prompt=False, says="frozen until a compaction", rereads=True)
AFTER_CONSOLIDATION = Refresh(frozen=True, every_prompt=False, says="frozen; changes after a consolidation")
AFTER_CONSOLIDATION_0_171 = Refresh(
    frozen=True, every_prompt=False, says="frozen until a compaction; changes after a consolidation", rereads=True
)
EVERY_PROMPT = Refresh(frozen=False, every_prompt=True, says="recall at every prompt; the index after each extract")
FROZEN_AND_EVERY_PROMPT = Refresh(frozen=True, every_prompt=True, says="frozen index and recall at every prompt")
