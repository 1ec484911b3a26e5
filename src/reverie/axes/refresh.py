"""When what a model sees of its memory changes (study, axis 2)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Refresh:
    """``frozen``: a session keeps the block it started with, byte for byte, so that the provider's prompt cache holds.
    ``every_prompt``: recall goes with each user message, never into the system prompt."""

    frozen: bool
    every_prompt: bool
    says: str


FROZEN = Refresh(frozen=True, every_prompt=False, says="frozen for the session")
AFTER_CONSOLIDATION = Refresh(frozen=True, every_prompt=False, says="frozen; changes after a consolidation")
EVERY_PROMPT = Refresh(frozen=False, every_prompt=True, says="recall at every prompt; the index after each extract")
FROZEN_AND_EVERY_PROMPT = Refresh(frozen=True, every_prompt=True, says="frozen index and recall at every prompt")
