"""The one switch over calls of models: what the user, and the environment, allow (DESIGN §4.9).

Two kinds of calls. *Asked for*: a person typed the command, or a program called the function. *Background*: a worker, a
hook, a timer. Three answers: every call, only those asked for, none.

- ``REVERIE_NO_MODEL_CALLS``, and ``models.background = "off"``, forbid every call, asked for or not.
- ``REVERIE_INSIDE`` does too: it stands in the environment of an agent that Reverie itself runs as a model.
- ``models.background = "asked"`` forbids those in the background; so do the study's ``DISABLE_NON_ESSENTIAL_MODEL_CALLS`` and
  the product's ``CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC`` (spec/claude-code §3.3).
- ``DISABLE_TELEMETRY`` and ``DO_NOT_TRACK`` say nothing about calls, but keep the product's own background memory off
  (§3.3). They do the same here: who set them for one must not be surprised by the other. ``models.background = "on"``, written
  down, is the more exact word, and goes before them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

INSIDE = "REVERIE_INSIDE"               # set for whatever Reverie runs as a model: no call, no learning, no hook within
ALL = ("REVERIE_NO_MODEL_CALLS", INSIDE)
BACKGROUND = ("DISABLE_NON_ESSENTIAL_MODEL_CALLS", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC")
TELEMETRY = ("DISABLE_TELEMETRY", "DO_NOT_TRACK")
CHOICES = ("on", "asked", "off")
_UNSET = ("", "0", "false", "no", "off")


@dataclass(frozen=True, slots=True)
class Switch:
    """Who forbids which calls; "" where nobody does."""

    every: str = ""                     # what forbids every call
    background: str = ""                # what forbids those that nobody asked for

    def forbids(self, *, background: bool) -> str:
        """What forbids such a call, "" when it may be made."""
        return self.every or (self.background if background else "")


def is_set(environment: Mapping[str, str], name: str) -> bool:
    """Whether a variable is on. What is neither empty nor a usual word for no counts as yes: a switch errs on that side."""
    return environment.get(name, "").strip().casefold() not in _UNSET


def switch(environment: Mapping[str, str], *, chosen: str = "on", origin: str = "default") -> Switch:
    """The switch as it stands. ``chosen``: the setting ``models.background``; ``origin``: where it was written."""
    said = f"models.background = {chosen!r} ({origin})"
    every = next((name for name in ALL if is_set(environment, name)), said if chosen == "off" else "")
    named = next((name for name in BACKGROUND if is_set(environment, name)), "")
    implied = next((name for name in TELEMETRY if is_set(environment, name)), "") if origin == "default" else ""
    return Switch(every, (said if chosen == "asked" else "") or named or implied)


def inside(environment: Mapping[str, str]) -> bool:
    """Whether this process runs within an agent that Reverie runs as a model."""
    return is_set(environment, INSIDE)
