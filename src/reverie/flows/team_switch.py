"""Whether the team's memory is on in a place: off, unless the user says so. A repository cannot turn it on.

The environment goes first, then what was said for this project (``reverie team on``), then the settings.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from reverie.core import place as places
from reverie.core.edits import Edit
from reverie.core.events import Cause
from reverie.storage import files

if TYPE_CHECKING:
    from reverie.core.place import Place
    from reverie.flows.space import Space

FOLDER = "team"                 # in the home: a file for each project that was turned on or off
_BYTES = 100


def is_on(space: Space, place: Place, *, chosen: int, from_environment: bool, environment: Mapping[str, str]) -> bool:
    """``chosen`` is the setting ``team.enabled``. The product's own variable counts for its design (spec/qwen-code §13)."""
    if from_environment:
        return bool(chosen)
    said = product_says(space, environment, "QWEN_CODE_MEMORY_TEAM")
    if said is not None:
        return said
    here = of_project(space, place)
    return bool(chosen) if here is None else here


def product_says(space: Space, environment: Mapping[str, str], variable: str) -> bool | None:
    """What the variable of the design's product says, None for nothing."""
    is_qwen = space.design.scoping.team.startswith(".qwen/")
    return {"1": True, "0": False}.get(environment.get(variable, "")) if is_qwen else None


def of_project(space: Space, place: Place) -> bool | None:
    """What was said for this project."""
    data = files.read(space.home.path(FOLDER, places.project_key(place)), root=space.home.path(FOLDER), limit=_BYTES)
    return None if isinstance(data, files.Unread) else {b"on": True, b"off": False}.get(data.strip())


def turn(space: Space, place: Place, *, on: bool) -> int:
    """Turn it on or off for this project; the change's id, 0 when it was so already."""
    with space.home.lock("team"):
        if of_project(space, place) is on:
            return 0
        path = f"{FOLDER}/{places.project_key(place)}"
        data = files.read(space.home.path(path), limit=_BYTES)
        before = None if isinstance(data, files.Unread) else data
        return space.home.journal.commit(
            [Edit(path=path, before=before, after=b"on\n" if on else b"off\n", root=FOLDER)],
            cause=Cause(operation="team-on" if on else "team-off", actor="user"),
        )
