"""Where Codex looks for instruction files, and within which limits: ``$CODEX_HOME``, the directories from the git root down to
the working directory, and two keys of ``config.toml`` (spec/codex §21)."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reverie.core import instructions
from reverie.core.instructions import Instructions
from reverie.core.place import Place
from reverie.hosts import disk
from reverie.hosts.disk import CannotRead

MOST_BYTES = 4 << 20            # of one file: a larger one is no text for a model
MOST_FALLBACKS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The instruction files for a directory. ``skipped``: what was passed over, as (path, reason)."""

    instructions: Instructions
    skipped: tuple[tuple[str, str], ...] = ()


def find(place: Place, *, user_home: str, environment: Mapping[str, str]) -> Found:
    """What Codex tells an agent in this place. Whatever cannot be read is skipped by name."""
    skipped: dict[str, str] = {}
    home = disk.place(environment.get("CODEX_HOME"), user_home, ".codex")
    config = _config(f"{home}/config.toml", skipped)

    def read(path: str) -> bytes | None:
        try:
            with disk.open_plain(path) as handle:
                data = disk.read_fully(handle, MOST_BYTES + 1)
        except CannotRead as problem:
            if problem.reason not in ("not_found", "not_a_directory", "dangling_symlink"):
                skipped[path] = problem.reason
            return None
        except OSError as error:
            skipped[path] = disk.cannot_read(error).reason
            return None
        if len(data) > MOST_BYTES:
            skipped[path] = "too_large"
            return None
        return data

    found = instructions.collect(
        home, _directories(place), read, fallbacks=_names(config.get("project_doc_fallback_filenames")),
        limit=_bytes(config.get("project_doc_max_bytes")),
    )
    return Found(instructions=found, skipped=tuple(sorted(skipped.items())))


def _directories(place: Place) -> list[str]:
    """From the checkout's root down to the directory; outside git the directory alone."""
    if not place.root:
        return [place.real]
    folders = [place.root.rstrip("/") or "/"]
    for name in place.subdirectory.split("/") if place.subdirectory else ():
        folders.append(f"{folders[-1].rstrip('/')}/{name}")
    return folders


def _config(path: str, skipped: dict[str, str]) -> Mapping[str, Any]:
    try:
        with disk.open_plain(path) as handle:
            return tomllib.loads(disk.read_fully(handle, MOST_BYTES).decode("utf-8"))
    except CannotRead as problem:
        if problem.reason not in ("not_found", "not_a_directory"):
            skipped[path] = problem.reason
    except (OSError, ValueError, RecursionError):   # a broken file of settings must not hide the instructions
        skipped[path] = "not_toml"
    return {}


def _names(value: object) -> tuple[str, ...]:
    """Fallback names: plain ones, for a path would lead out of the project."""
    names = [name for name in value if isinstance(name, str)] if isinstance(value, list) else []
    return tuple(name for name in names if name and name == os.path.basename(name) and name not in (".", ".."))[:MOST_FALLBACKS]  # noqa: PTH119


def _bytes(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else instructions.LIMIT_BYTES
