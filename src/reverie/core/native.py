"""A product's own memory folder, as a host knows it and a flow reads it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from reverie.core.place import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class NativeFolder:
    """Where a product keeps the memories of a project. It stays the product's: nothing in it is ever changed (DESIGN §4.10).

    ``owner`` tells by a session's id in which place it was held: in a folder that several projects share, each memory is the
    project's whose session wrote it; None: all of the folder is ``place``'s. ``skip``: why it is not read at all, with a
    ``detail`` for a person.
    """

    host: str
    path: str
    place: Place | None = None
    owner: Callable[[str], Place | None] | None = None
    skip: str = ""
    detail: str = ""
    scope: str = "project"          # "user": a layer above all projects
