"""The files that Qwen Code keeps beside its memory: what was done when, up to where it has read, who is dreaming.

``meta.json`` and ``extract-cursor.json`` (spec/qwen-code §15) are JSON, indented by two, with a final line end; keys
that we do not know stay as they are. ``consolidation.lock`` holds a process id (§11.2). All functions are pure: bytes
and times come in as arguments. A file that is broken counts as empty, and says so: the product's own extraction fails
for ever on a broken cursor.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

META, CURSOR, LOCK = "meta.json", "extract-cursor.json", "consolidation.lock"
# Ours, beside them: the product's extraction knows no other process (spec/qwen-code §10.2).
EXTRACT_LOCK, EXTRACT_QUEUE = "extract.lock", "extract-queue.json"
VERSION = 1
STALE_SECONDS = 3_600               # study, Qwen Code §6: an older lock counts for nothing, even if its holder lives
LARGEST_PID = (1 << 31) - 1
MOST_BYTES = 1 << 20                # of a state file


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    """How far a session has been read: ``offset`` counts entries of the product's history."""

    session: str = ""
    offset: int = 0
    updated_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Meta:
    """When was last extracted and dreamt, and in which session."""

    created_at: datetime | None = None
    updated_at: datetime | None = None
    last_extraction_at: datetime | None = None
    last_extraction_session: str = ""
    last_dream_at: datetime | None = None
    last_dream_session: str = ""


def parsed(data: bytes | None) -> tuple[dict[str, Any], bool]:
    """The keys of a state file, and whether it was broken. A missing or empty file is not."""
    if not data or not data.strip():
        return {}, False
    try:
        found = json.loads(data.decode("utf-8-sig"), parse_constant=_refuse) if len(data) <= MOST_BYTES else None
    except (ValueError, RecursionError):
        return {}, True
    return (found, False) if isinstance(found, dict) else ({}, True)


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is no JSON")


def rendered(state: Mapping[str, Any]) -> bytes:
    """A state file with these keys."""
    try:
        return (json.dumps(state, indent=2, ensure_ascii=False) + "\n").encode()
    except UnicodeEncodeError:      # half a surrogate pair: only an escape can hold it
        return (json.dumps(state, indent=2) + "\n").encode()


def changed(data: bytes | None, now: datetime, changes: Mapping[str, Any]) -> bytes:
    """A state file with some keys changed and ``updatedAt`` set; other keys, and their order, stay."""
    state, _ = parsed(data)
    return rendered(state | dict(changes) | {"updatedAt": stamp(now)})


def stamp(at: datetime) -> str:
    """A time as the product writes it: UTC, milliseconds, ``Z``."""
    at = at.astimezone(UTC)
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1_000:03d}Z"


def _time(value: object) -> datetime | None:
    try:
        at = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return at.replace(tzinfo=UTC) if at and at.tzinfo is None else at


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def cursor(data: bytes | None) -> Cursor:
    """What ``extract-cursor.json`` says; a cursor that makes no sense is one at the start."""
    state, _ = parsed(data)
    offset = state.get("processedOffset")
    return Cursor(
        session=_text(state.get("sessionId")),
        offset=offset if isinstance(offset, int) and not isinstance(offset, bool) and offset >= 0 else 0,
        updated_at=_time(state.get("updatedAt")),
    )


def start_of(found: Cursor, session: str, history: int) -> int:
    """Where to go on in a session of ``history`` entries: at the cursor if it is this session's and fits, else at 0."""
    return found.offset if found.session == session and found.offset <= history else 0


def advanced(data: bytes | None, *, session: str, offset: int, now: datetime) -> bytes:
    """``extract-cursor.json`` with another place."""
    return changed(data, now, {"sessionId": session, "processedOffset": offset})


def meta(data: bytes | None) -> Meta:
    """What ``meta.json`` says."""
    state, _ = parsed(data)
    return Meta(
        created_at=_time(state.get("createdAt")),
        updated_at=_time(state.get("updatedAt")),
        last_extraction_at=_time(state.get("lastExtractionAt")),
        last_extraction_session=_text(state.get("lastExtractionSessionId")),
        last_dream_at=_time(state.get("lastDreamAt")),
        last_dream_session=_text(state.get("lastDreamSessionId")),
    )


def scaffold(data: bytes | None, now: datetime) -> bytes:
    """``meta.json`` as it is made: version and times; of an existing one, what it lacks."""
    state, _ = parsed(data)
    fresh = {"version": VERSION, "createdAt": stamp(now), "updatedAt": stamp(now)}
    missing = {key: value for key, value in fresh.items() if key not in state}
    return rendered(state | missing) if missing or not data else data


def extracted(data: bytes | None, *, session: str, topics: Sequence[str], now: datetime) -> bytes:
    """``meta.json`` after an extraction that touched ``topics`` (the four types, by name)."""
    return changed(scaffold(data, now), now, _done("Extraction", session, topics, now))


def dreamt(data: bytes | None, *, session: str, topics: Sequence[str], now: datetime) -> bytes:
    """``meta.json`` after a dream."""
    done = _done("Dream", session, topics, now) | {"recentSessionIdsSinceDream": []}
    return changed(scaffold(data, now), now, done)


def _done(what: str, session: str, topics: Sequence[str], now: datetime) -> dict[str, Any]:
    return {
        f"last{what}At": stamp(now),
        f"last{what}SessionId": session,
        f"last{what}TouchedTopics": list(topics),
        f"last{what}Status": "updated" if topics else "noop",
    }


def lock(pid: int) -> bytes:
    """The content of ``consolidation.lock``: the holder's process id, no line end."""
    return str(pid).encode()


def holder(data: bytes) -> int | None:
    """The process id in a lock; None when it holds none."""
    text = data.strip()
    if not text.isdigit() or len(text) > 10:
        return None
    return pid if 0 < (pid := int(text)) <= LARGEST_PID else None


def is_stale(data: bytes, age_seconds: float, alive: Callable[[int], bool]) -> bool:
    """Whether a lock may be taken over: older than an hour, without a process id, or its process is gone.

    A lock from the future (a clock that jumped) is judged by its process alone.
    """
    pid = holder(data)
    return pid is None or age_seconds > STALE_SECONDS or not alive(pid)
