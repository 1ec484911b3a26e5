"""Events across sessions and processes: what happened, from a place on, and what happens next.

Following looks a few times a second whether there is a later number, which costs some microseconds: no lock, no thread. A
database that is moved aside, damaged or taken away meanwhile is followed in its new one, from its start.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Iterator
from datetime import datetime

from reverie import errors
from reverie.core.events import KINDS, Event
from reverie.flows.space import Space

LOOK_SECONDS = 0.25                     # between two looks: another process's event is told within a second
_ID = re.compile(r"(?:([0-9a-f]{8})-)?(\d{1,18})")


def events(
    space: Space,
    *,
    after: str = "",
    since: datetime | None = None,
    kinds: Collection[str] = (),
    follow: bool = False,
    wait: Callable[[float], None] = time.sleep,
) -> Iterator[Event]:
    """The events after the one with the id ``after``, in order; those since a time, and of some kinds only, if given. With
    ``follow`` it goes on for ever; ``wait`` is called between two looks, and ends it by raising.

    An ``after`` of another database (the one before was lost) begins at the start, and the home's notes say so, as they do when
    events in between are no longer kept. Raises ``WrongUse`` for an id or a kind that is none, before the first event.
    """
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown:
        raise errors.WrongUse(f"there are no events of the kind {unknown[0]!r}; there are {', '.join(KINDS)}")
    match = _ID.fullmatch(after.strip()) if after.strip() else None
    if after.strip() and match is None:
        raise errors.WrongUse(f"{after!r} is no event's id: those look like 3fa9c1d2-42")
    home, number = (match[1] or "", int(match[2])) if match else ("", 0)
    return _events(space, home, number, since=since, kinds=kinds, follow=follow, wait=wait)


def _events(
    space: Space, home: str, number: int, *, since: datetime | None, kinds: Collection[str], follow: bool,
    wait: Callable[[float], None],
) -> Iterator[Event]:
    while True:
        page: list[Event] = []
        try:
            if follow and space.home.readonly:
                space.home.close()      # a database that is only read may be seen as it was when it was opened
            home, number = _place(space, home, number)
            page = space.home.stream.after(number)
        except errors.StoreUnavailable as error:
            if not follow:
                raise
            space.home.note(str(error))         # busy, or moved aside just now: look again
        for event in page:
            number = event.number
            if (since is None or event.at >= since) and (not kinds or event.kind in kinds):
                yield event
        if not page:
            if not follow:
                return
            wait(LOOK_SECONDS)


def _place(space: Space, home: str, number: int) -> tuple[str, int]:
    """Where to go on, in the database that is there now."""
    stream = space.home.stream
    now = stream.home()
    if not now:
        return home, number
    if home and home != now:
        space.home.note(f"The events of before ({home}) are gone with their database; these begin with the new one ({now}).")
        return now, 0
    first = stream.first()
    if number and number < first - 1:
        space.home.note(f"{first - 1 - number} events after number {number} are no longer kept.")
        return now, first - 1
    return now, number
