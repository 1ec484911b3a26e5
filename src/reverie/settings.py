"""Settings: a file and the environment, and for each value where it came from.

``REVERIE_HOME`` moves everything Reverie keeps (default ``~/.reverie``); ``settings.toml`` in it holds the rest::

    design = "reverie"

    [recall]
    documents = 5
    characters = 1200       # of one document

    [block]
    tokens = 1500           # what a session starts with

    [dream]
    enabled = 1             # 0: never by itself
    hours = 24              # between two dreams of a store
    sessions = 5            # since the last one
    most_removed = 30       # per cent of a store's memories, or of their characters: a dream that takes more is refused

An environment variable ``REVERIE_DESIGN`` (``REVERIE_RECALL_DOCUMENTS``, …) goes before the file.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reverie import errors

# name -> (default, least, most); None where there is nothing to bound
_KNOWN: Mapping[str, tuple[Any, int | None, int | None]] = {
    "design": ("reverie", None, None),
    "recall.documents": (5, 1, 50),
    "recall.characters": (1200, 200, 20_000),
    "block.tokens": (1500, 100, 50_000),
    "dream.enabled": (1, 0, 1),
    "dream.hours": (24, 0, 8_760),
    "dream.sessions": (5, 0, 1_000),
    "dream.most_removed": (30, 0, 100),
}


@dataclass(frozen=True, slots=True)
class Setting:
    """One value and its origin: "default", the file, or the variable."""

    name: str
    value: Any
    origin: str


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of one home."""

    home: Path
    values: Mapping[str, Setting]

    def __getitem__(self, name: str) -> Any:
        return self.values[name].value


def home_of(environment: Mapping[str, str]) -> Path:
    """Where Reverie keeps what it keeps."""
    if chosen := environment.get("REVERIE_HOME"):
        return expanded(chosen)
    return Path(user_home_of(environment)) / ".reverie"


def expanded(path: str | Path) -> Path:
    """A path with "~" read as the home folder, where there is one; ``Path.expanduser`` raises where there is none."""
    return Path(os.path.expanduser(path))  # noqa: PTH111


def user_home_of(environment: Mapping[str, str]) -> str:
    """The user's home folder."""
    return environment.get("HOME") or environment.get("USERPROFILE") or str(expanded("~"))


def load(home: Path, environment: Mapping[str, str]) -> Settings:
    """Defaults, then the file, then the environment. Raises ``WrongUse`` for a value that cannot be."""
    file = home / "settings.toml"
    written = _flat(_read(file))
    unknown = sorted(set(written) - set(_KNOWN))
    if unknown:
        raise errors.WrongUse(f"{file}: unknown setting {unknown[0]!r}; known are {', '.join(_KNOWN)}")
    values = {}
    for name, (default, least, most) in _KNOWN.items():
        variable = "REVERIE_" + name.replace(".", "_").upper()
        if variable in environment:
            setting = Setting(name, environment[variable], variable)
        elif name in written:
            setting = Setting(name, written[name], str(file))
        else:
            setting = Setting(name, default, "default")
        values[name] = Setting(name, _checked(setting, default, least, most), setting.origin)
    return Settings(home, values)


def _read(file: Path) -> dict[str, Any]:
    try:
        if file.exists() and not file.is_file():        # a pipe would block for ever
            raise errors.WrongUse(f"{file} is no regular file. Move it away.")
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise errors.WrongUse(f"{file} cannot be read: {error}. Mend it or move it away.") from error


def _flat(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in table.items():
        flat |= _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key: value}
    return flat


def _checked(setting: Setting, default: Any, least: int | None, most: int | None) -> Any:
    if isinstance(default, str):
        return str(setting.value)
    try:
        number = int(setting.value)
    except (TypeError, ValueError):
        raise errors.WrongUse(f"{setting.name} = {setting.value!r} (from {setting.origin}) is not a whole number") from None
    if (least is not None and number < least) or (most is not None and number > most):
        raise errors.WrongUse(f"{setting.name} = {number} (from {setting.origin}) must lie between {least} and {most}")
    return number
