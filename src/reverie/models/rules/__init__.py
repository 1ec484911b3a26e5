"""The rule-based extractor: proposals from what a person said, without a model, on any machine, in milliseconds.

``engine`` puts messages together and knows no words; ``language`` is what it asks of a language; ``english``, ``chinese``,
``japanese`` and ``korean`` answer; ``neutral`` holds what looks the same in all of them.
"""

from __future__ import annotations

from reverie.models.rules.engine import Rules
from reverie.models.rules.languages import LANGUAGES

__all__ = ["LANGUAGES", "Rules"]
