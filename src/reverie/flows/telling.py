"""What a stage did goes into the stream of events: numbers and names, no prompt and no memory (``core.telemetry``)."""

# Paths are strings in storage, pathlib costs a hook 16 ms:
# ruff: noqa: PTH110

from __future__ import annotations

import os

from reverie import errors
from reverie.core import telemetry
from reverie.core.telemetry import Telemetry
from reverie.flows.space import Space


def tell(space: Space, event: Telemetry) -> None:
    """Keep an event. It never makes a home, and no failure of it stops what it tells of."""
    home = space.home
    if home.readonly or not os.path.exists(home.path("state.db")):
        return
    try:
        duration = event.latency_ms if isinstance(event, telemetry.Delivery) else event.duration_ms
        home.records.tell(event.kind, space.design.name, telemetry.facts(event), number=duration)
    except errors.StoreUnavailable as error:
        home.note(f"what was done was not counted: {error}")
