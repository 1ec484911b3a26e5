"""Which transcripts are meant: all of this machine, those of some hosts or files, or the one of a session."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from reverie import errors, settings
from reverie.core.place import Place
from reverie.wiring.setup import Setup

if TYPE_CHECKING:
    from reverie.core.session import Transcript, Unreadable
    from reverie.flows.learning import Job


def found(
    setup: Setup, *, hosts: Sequence[str], paths: Sequence[str], agents_home: str | None, since_when: str | None
) -> tuple[list[Job], list[Unreadable]]:
    """The transcripts to learn from. ``agents_home`` stands for the user's home folder; then the environment is not asked."""
    from reverie import hosts as agents
    from reverie.core.session import Unreadable
    from reverie.flows.learning import Job

    after = since(since_when, setup.space.now()) if since_when else None
    if paths:
        seen: Iterable[Transcript | Unreadable] = (each for path in paths for each in agents.recognise(path, hosts or None))
    elif agents_home is not None:
        if not Path(agents_home).is_dir():
            raise errors.WrongUse(f"--agents-home {agents_home!r} is not a folder")
        seen = agents.find_all(agents_home, {}, hosts or None)
    else:
        seen = agents.find_all(setup.user_home, setup.environment, hosts or None)
    jobs: list[Job] = []
    bad: list[Unreadable] = []
    for each in seen:
        if isinstance(each, Unreadable):
            bad.append(each)
        elif after is None or each.updated_at is None or each.updated_at >= after:
            jobs.append(Job(dialect=agents.get(each.host), transcript=each))
    return jobs, bad


def of_session(setup: Setup, session: str, *, host: str = "") -> Job | None:
    """The transcript at this path, or of the session (of this host) with this id, or a beginning of one; None when there is
    none."""
    from reverie import hosts as agents
    from reverie.core.session import Unreadable
    from reverie.flows.learning import Job

    is_path = os.sep in session or session.endswith((".jsonl", ".db")) or Path(session).is_file()
    if is_path:
        seen = list(agents.recognise(str(settings.expanded(session).absolute())))
        bad = [each for each in seen if isinstance(each, Unreadable)]
        if bad and len(bad) == len(seen):
            raise errors.NotFound(f"{session!r} cannot be read as a transcript: {bad[0].reason} {bad[0].detail}".rstrip())
    else:
        seen = list(agents.find_all(setup.user_home, setup.environment, [host] if host else None))
    sessions = [each for each in seen if not isinstance(each, Unreadable)]
    if not is_path:
        exact = [each for each in sessions if each.session == session]
        sessions = exact or [each for each in sessions if session and each.session.startswith(session)]
    if len(sessions) > 1:
        named = ", ".join(f"{each.host} {each.session}" for each in sessions[:5])
        raise errors.Ambiguous(f"{session!r} fits {len(sessions)} sessions: {named}. Give a session's whole id.")
    return Job(dialect=agents.get(sessions[0].host), transcript=sessions[0]) if sessions else None


def is_project(place: Place, wanted: str) -> bool:
    """Whether a place is the project that was named by its folder's name or path."""
    root = place.main_root or place.real
    path = str(Path(wanted).expanduser().absolute()) if os.sep in wanted or wanted.startswith(("~", ".")) else ""
    return root == path if path else root.rpartition("/")[2].casefold() == wanted.casefold()


def since(text: str, now: datetime) -> datetime:
    """A day (2026-11-01) or a number of days, hours or weeks back (7d, 12h, 2w)."""
    if match := re.fullmatch(r"(\d{1,4})([hdw])", text.strip()):
        return now - timedelta(hours=int(match[1]) * {"h": 1, "d": 24, "w": 168}[match[2]])
    try:
        day = datetime.fromisoformat(text)
    except ValueError:
        raise errors.WrongUse(f"--since {text!r} is neither a date like 2026-11-01 nor a span like 7d, 12h, 2w") from None
    return day if day.tzinfo else day.replace(tzinfo=UTC)
