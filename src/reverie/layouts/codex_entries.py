"""One memory in ``raw_memories.md``, with all its fields: a task of a session, as the product writes one, and a few
lines more. The bullet is the one that the handbook has, so that a hand edit there is noticed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from typing import Any

from reverie.core import scalar
from reverie.core.memory import By, Memory, Source, Status
from reverie.layouts import codex_names as names
from reverie.layouts.codex_sections import NO_TEXT, SECTION_LABELS, group_label, outcome_of, section_of
from reverie.layouts.codex_text import Node, bullet_lines, bullet_text, items, parts, shown

UNKNOWN = "unknown"                 # the study's word for a cwd that nobody knows
TASK = re.compile(r"Task (\d{1,6})(?:: ?(.*))?")
FIELD = re.compile(r"([a-z_]{1,30}):(?: (.*))?")


class Entry:
    """One memory of ours: its thread, its node, its name, its place in the thread, the bullet that stands for it."""

    __slots__ = ("bullet", "mark", "memory", "node", "number", "thread")

    def __init__(self, thread: str, node: Node, mark: str, number: int, memory: Memory, bullet: str) -> None:
        self.thread = thread
        self.node = node
        self.mark = mark
        self.number = number
        self.memory = memory
        self.bullet = bullet

    def copy(self) -> Entry:
        """The entry as it is now, for comparing with what it will be."""
        return Entry(self.thread, self.node, self.mark, self.number, self.memory, self.bullet)


def bullet_of(memory: Memory) -> str:
    """The bullet that stands for a memory, in this file and in the handbook."""
    body = memory.body or shown(memory.description or memory.name) or NO_TEXT
    return bullet_text(body, memory.why, memory.how_to_apply)


def rendered(
    number: int, mark: str, memory: Memory, bullet: str, *, thread: str, updated_at: datetime
) -> tuple[str, list[str]]:
    """The heading and the lines of an entry. What the thread or the task group says anyway is left out."""
    source = memory.source
    label = group_label(memory)
    optional: list[tuple[str, str]] = [
        ("description", field(memory.description)),
        ("keywords", _keywords(memory.keywords)),
        ("scope", memory.scope if memory.scope != "project" else ""),
        ("project", "" if memory.project == _project_in(label, memory.scope) else field(memory.project, empty=True)),
        ("said_by", source.by.value if source.by is not By.UNKNOWN else ""),
        ("said_at", time(source.said_at) if source.said_at else ""),
        ("host", field(source.host)),
        ("session", "" if source.session == thread else field(source.session, empty=True)),
        ("message", field(source.message)),
        ("cwd", field(source.cwd)),
        ("rule", field(source.rule)),
        ("quote", field(source.quote)),
        ("status", memory.status.value if memory.status is not Status.ACTIVE else ""),
        ("valid_until", memory.valid_until.isoformat() if memory.valid_until else ""),
        ("confirmed", str(memory.confirmed) if memory.confirmed else ""),
        ("extra", json.dumps(memory.extra, ensure_ascii=False) if memory.extra else ""),
        ("body", '""' if not memory.body else ""),
    ]
    title = shown(memory.name)
    return f"### Task {number}: {title}".rstrip(), [
        f"task: {field(memory.name)}",
        f"task_group: {field(label)}",
        f"task_outcome: {outcome_of([memory])}",
        f"memory: {mark}",
        f"type: {field(memory.type)}",
        f"updated_at: {time(updated_at)}",
        *(f"{name}: {value}" for name, value in optional if value),
        "",
        SECTION_LABELS[section_of(memory)],
        *bullet_lines(bullet),
        "",
    ]


def read(node: Node, *, thread: str, updated_at: datetime | None) -> Entry | None:
    """An entry of ours; None for anything else."""
    found = TASK.match(node.title)
    end = head_end(node.lines)
    fields = fields_of(node.lines[:end])
    mark = fields.get("memory", "")
    if not found or not names.MARK.fullmatch(mark):
        return None
    below = node.lines[end:]
    seen = next((item for item in items(below) if below[item.start].startswith("- ")), None)
    bullet = scalar.whole(seen.text) if seen else NO_TEXT
    body, why, how = parts(bullet)
    memory = Memory(
        name=fields.get("task", ""),
        description=fields.get("description", ""),
        type=fields.get("type") or "project",
        body="" if fields.get("body") == "" else body,
        why=why,
        how_to_apply=how,
        scope=fields.get("scope") or "project",
        project=_project(fields),
        keywords=_read_keywords(fields.get("keywords", "")),
        source=Source(
            by=By(said_by) if (said_by := fields.get("said_by", "")) in _BY else By.UNKNOWN,
            host=fields.get("host", ""),
            session=fields.get("session", thread),
            message=fields.get("message", ""),
            said_at=read_time(fields.get("said_at", "")),
            cwd=fields.get("cwd", ""),
            rule=fields.get("rule", ""),
            quote=fields.get("quote", ""),
        ),
        status=Status(status) if (status := fields.get("status", "")) in _STATUS else Status.ACTIVE,
        valid_until=_read_date(fields.get("valid_until", "")),
        confirmed=int(number) if (number := fields.get("confirmed", "")).isdecimal() and len(number) < 10 else 0,
        extra=_read_extra(fields.get("extra", "")),
        modified_at=read_time(fields.get("updated_at", "")) or updated_at,
    )
    return Entry(thread, node, mark, int(found[1]), memory, bullet)


def _project(fields: dict[str, str]) -> str:
    return fields.get("project", _project_in(fields.get("task_group", ""), fields.get("scope") or "project"))


def _project_in(label: str, scope: str) -> str:
    """The project that goes without saying in a task group."""
    return label if scope == "project" else ""


_BY = frozenset(by.value for by in By)
_STATUS = frozenset(status.value for status in Status)
_RAW = frozenset({"keywords", "extra"})     # fields that are read by their own rule


def fields_of(lines: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in lines:
        match = FIELD.fullmatch(line.rstrip("\r"))
        if match:
            value = scalar.whole(match[2] or "")
            found.setdefault(match[1], value if match[1] in _RAW else _unfielded(value))
    return found


def field(value: str, *, empty: bool = False) -> str:
    """A value behind "name: ": plain where it will be read as it is, else as a JSON string."""
    value = scalar.whole(value)
    if not value:
        return '""' if empty else ""
    plain = value == value.strip() and value[0] != '"' and not any(c < " " for c in value)
    return value if plain else json.dumps(value, ensure_ascii=False)


def _unfielded(value: str) -> str:
    value = value.strip()
    if value.startswith('"'):
        try:
            text = json.loads(value)
        except ValueError:
            return value
        return text if isinstance(text, str) else value
    return value


def _keywords(words: Sequence[str]) -> str:
    plain = all(word and word == word.strip() and "," not in word and not any(c < " " for c in word) for word in words)
    if plain and not (words and words[0].startswith("[")):
        return ", ".join(scalar.whole(word) for word in words)
    return json.dumps([scalar.whole(word) for word in words], ensure_ascii=False)


def _read_keywords(value: str) -> tuple[str, ...]:
    listed = _json(value) if value.startswith("[") else None
    if isinstance(listed, list) and all(isinstance(word, str) for word in listed):
        return tuple(listed)
    return tuple(word for part in value.split(",") if (word := part.strip()))


def _read_extra(value: str) -> tuple[tuple[str, str], ...]:
    listed = _json(value)
    if not isinstance(listed, list):
        return ()
    return tuple((pair[0], pair[1]) for pair in listed
                 if isinstance(pair, list) and len(pair) == 2 and all(isinstance(part, str) for part in pair))


def _json(value: str) -> Any:
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None


def time(at: datetime) -> str:
    """RFC 3339, in UTC when the zone is known."""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z") if at.tzinfo else at.isoformat()


def read_time(value: str) -> datetime | None:
    """A time as we or the product write it; None for anything else."""
    try:
        at = datetime.fromisoformat(value)
        return at if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _read_date(value: str) -> date | None:
    try:
        return date.fromisoformat(value)
    except ValueError:
        return None


def head_end(lines: Sequence[str]) -> int:
    """Where the lines before the first blank one end."""
    return next((place for place, line in enumerate(lines) if not line.strip()), len(lines))
