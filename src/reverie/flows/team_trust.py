"""Which of a team's files a model may see. A repository is a way in for anybody whose change is merged: nothing in it is the
user's word, and what tries to order an agent about, hides, or holds a credential waits until a person has looked at it.

A file is judged by its bytes when it is synced, and the judgement is kept; one that came by other ways (a ``git pull`` by hand)
is judged when it is read. A person's decision holds for exactly these bytes at this path.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha256
from typing import TYPE_CHECKING

from reverie.core.team import Known

if TYPE_CHECKING:
    from reverie.axes.scoping import Mount
    from reverie.core.layout import Layout
    from reverie.flows.space import Space
    from reverie.layouts.team import OfTeam

RULES = "1"                     # changes with the rules, so that old judgements do not stand
FILE_BYTES = 256 * 1024
# Signs that turn the direction of writing, and the invisible "tag" letters: no memory needs them.
_HIDDEN = re.compile("[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")


def layout(space: Space, mount: Mount) -> OfTeam:
    """The layout of a team's store, with what is known of its files."""
    from reverie.layouts.team import OfTeam

    known: dict[tuple[str, str], Known] = {}
    asked: list[bool] = []

    def judged(path: str, data: bytes) -> Known:
        if not asked:
            asked.append(True)
            known.update(space.home.team.known(f"{space.design.name}/{mount.label}"))
        return judge(known, path, data)

    return OfTeam(inner(space), judged=judged, suspect=suspect)


def inner(space: Space) -> Layout:
    """How the files of a team look."""
    return space.design.layout


def version(space: Space, mount: Mount) -> str:
    """Changes when a person decides about a file: what was read before has to be read again."""
    known = space.home.team.known(f"{space.design.name}/{mount.label}")
    decided = sorted((*key, each.verdict) for key, each in known.items() if each.verdict in ("accepted", "rejected"))
    return f"{RULES} {sha256(repr(decided).encode('utf-8', 'surrogateescape')).hexdigest()[:16]}"


def digest(data: bytes) -> str:
    return sha256(data).hexdigest()


def judge(known: Mapping[tuple[str, str], Known], path: str, data: bytes) -> Known:
    """What is known of this content of this file; judged now where nobody has yet, or by older rules."""
    from dataclasses import replace

    found = known.get((path, digest(data)), Known())
    if found.verdict in ("accepted", "rejected") or (found.rules == RULES and (found.verdict or found.reason)):
        return found
    reason = suspect(path, data)
    return replace(found, verdict="" if reason else "clean", reason=reason, rules=RULES)


def suspect(path: str, data: bytes) -> str:
    """Why a file is not to be shown to a model, "" for no reason: by name."""
    if len(data) > FILE_BYTES:
        return "too_large"
    from reverie.core import frontmatter, redact

    text = data.decode("utf-8", "replace")
    if redact.has_secret(text) or redact.has_secret(path):
        return "secret"
    if _HIDDEN.search(text) or _HIDDEN.search(path):
        return "hidden_text"
    from reverie.flows import admission
    from reverie.layouts import naming

    document = frontmatter.parse(data)
    if document.body and not admission.without_recalled(document).body:
        return "recalled"
    if rule := admission.orders(admission.said(document)) or admission.orders(naming.spoken(path)):
        return f"orders ({rule})"
    return ""
