"""Several places in one sentence: "the board is in Jira, the designs are in Figma" is two facts for two different
questions."""

from __future__ import annotations

import re

from reverie.models.rules.english_shape import shape
from reverie.models.rules.english_signs import LASTING

_POINTS = tuple(sign.pattern for sign in LASTING if sign.name in ("located", "place_is", "told_at", "is_pointer"))
_CUT = re.compile(
    r"[,;] (?:and )?(?=(?:the |our |a )?[\w'-]+(?: [\w'-]+){0,3} (?:is|are|lives?|sits?|goe?s?|comes?|lands?|stays?) )")


def apart(said: str) -> list[str]:
    """The sentence, or its parts when each of at least two says where something is."""
    pieces = _CUT.split(said)
    if len(pieces) < 2:
        return [said]
    parts: list[str] = []
    for piece in pieces:
        if parts and not _points(piece):
            parts[-1] = f"{parts[-1]}, {piece}"
        else:
            parts.append(piece)
    return parts if len(parts) > 1 and _points(parts[0]) else [said]


def _points(piece: str) -> bool:
    low = shape(piece).low
    return any(pattern.search(low) for pattern in _POINTS)
