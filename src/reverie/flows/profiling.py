"""Which memories hold for the user in every project, and so may stand in a profile (DESIGN §4.6).

Where a design has a scope of the user, those and no others. Where it has none, what memories of the type ``user`` say in the
stores of projects crosses over only by the user's own word, or when several projects know it; and never when it speaks of the
project it lies in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from reverie.axes.scoping import Mount
from reverie.core import profile, trust
from reverie.core.claims import Claim
from reverie.core.memory import By, Memory, Status
from reverie.core.place import Place
from reverie.core.profile import Profile
from reverie.core.relation import Relation, compare
from reverie.flows import unadopted
from reverie.flows.space import Space

# Changes that rest on the user's own words: what the rules learn, a person said.
_SAID = (("remember", "user"), ("learn", "rules"))
SHORTEST_NAME = 3                       # characters of a project's name that are looked for
_OF_CODE = re.compile(r"`|(?:^|\s)(?:\.{0,2}/)?[\w.-]+/[\w./-]+|\b\w+\.(?:py|ts|js|go|rs|java|rb|c|cpp|md|ya?ml|toml|json)\b")
_THIS_PROJECT = re.compile(
    r"\bthis (?:repo\w*|project|service|app|code ?base)\b|\bin here\b"
    r"|这个(?:项目|仓库)|このプロジェクト|이 프로젝트",
    re.IGNORECASE,
)


def profile_of(space: Space, place: Place, *, tokens: int = profile.TOKENS) -> Profile:
    """The user's profile, as it may be seen from anywhere."""
    return profile.made(list(_everywhere(space, place)), tokens=tokens, now=space.now())


def _everywhere(space: Space, place: Place) -> Iterator[Memory]:
    if any(scope == "user" for _, scope, _ in space.design.scoping.folders):
        for mount, memory in unadopted.memories(space, (mount for mount in space.mounts(place) if mount.scope == "user")):
            yield _named(mount, memory)
        return
    crossing: list[tuple[Mount, Memory]] = []
    for mount, memory in unadopted.memories(space, space.every_mount()):
        if memory.scope == "user":      # a store that mixes says it memory by memory
            yield _named(mount, memory)
        elif memory.type == "user" and memory.status is Status.ACTIVE:
            crossing.append((mount, memory))
    yield from _crossing(space, crossing)


def _crossing(space: Space, found: list[tuple[Mount, Memory]]) -> Iterator[Memory]:
    """Those of projects' stores that may leave them."""
    found = found[:profile.MOST_COMPARED]
    claims = [(space.owner(memory) if mount.mixed else mount.project, Claim(memory)) for mount, memory in found]
    for (mount, memory), (owner, claim) in zip(found, claims, strict=True):
        if _is_of_project(space, mount, memory, owner):
            continue
        known = any(other != owner and compare(claim, its).relation is Relation.DUPLICATE for other, its in claims)
        if known or _is_users_word(space, mount, memory):
            yield _named(mount, memory)


def _is_users_word(space: Space, mount: Mount, memory: Memory) -> bool:
    """Whether the user said it: as the file tells, or, where the layout writes no source, the journal of its last change."""
    if trust.level(memory.source.by) is trust.Trust.WORD:
        return True
    last = space.home.journal.changes(1, memory=f"{space.design.name}/{mount.label}/{memory.id}")
    return bool(last) and memory.source.by is By.UNKNOWN and (last[0].cause.operation, last[0].cause.actor) in _SAID


def _is_of_project(space: Space, mount: Mount, memory: Memory, owner: str) -> bool:
    """Whether a memory speaks of the project that it lies in, or of its code."""
    text = memory.text.casefold()
    root = mount.root or memory.project or owner.rpartition("-")[0]
    name = root.replace("\\", "/").rstrip("/").rpartition("/")[2].casefold()
    names = {name, name.replace("-", " "), name.replace("_", " ")} if len(name) >= SHORTEST_NAME else set()
    return bool(_OF_CODE.search(memory.text) or _THIS_PROJECT.search(memory.text)) or any(each in text for each in names)


def _named(mount: Mount, memory: Memory) -> Memory:
    return replace(memory, id=f"{mount.label}/{memory.id}")
