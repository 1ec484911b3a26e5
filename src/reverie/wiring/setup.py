"""What every part of a memory needs: its stores, its settings, where it is seen from, in which environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie import settings
from reverie.core.place import Place
from reverie.flows.space import Space

if TYPE_CHECKING:
    from reverie.core.model import Model


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """``model``: given by the caller, in place of those that the settings name. ``background``: nobody asked for what is done."""

    space: Space
    settings: settings.Settings
    cwd: str
    environment: Mapping[str, str]
    model: Model | None = None
    background: bool = False

    @property
    def place(self) -> Place:
        """Which project the directory belongs to."""
        return self.space.place(self.cwd)

    @property
    def user_home(self) -> str:
        """The user's home folder."""
        return settings.user_home_of(self.environment)
