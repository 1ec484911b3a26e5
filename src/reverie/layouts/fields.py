"""Memories and the keys of their files: which key says what, in the study's shape, the product's, and our own.

Provenance (DESIGN §4.5) stands in flat keys behind ``type``; ``source`` with one of our words marks a file as having
it. Claude Code moves keys it does not know under ``metadata`` (spec/claude-code §2.3), so there they are found too.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

from reverie.core import budget, parts
from reverie.core.frontmatter import YAML, Document, carry
from reverie.core.memory import TYPES, By, Memory, Source, Status
from reverie.core.parts import Parts
from reverie.core.scalar import one_line, quoted, scalar, tidy

NAME_CHARACTERS = 60                # of a name made from a text that has none

_PROVENANCE = (
    "source", "host", "session", "agent", "message", "said", "rule", "keywords", "confirmed", "valid_until", "status", "cwd",
    "quote",
)  # fmt: skip
_KNOWN = frozenset(("name", "title", "description", "type"))


def settled(memory: Memory) -> Memory:
    """The memory as a file can hold it: texts without outer blank lines, and a name."""
    kind = tidy(memory.type)
    body, why, how = (tidy(text) for text in (memory.body, memory.why, memory.how_to_apply))
    description = tidy(memory.description)
    other = one_line(description or body or why or how) or "memory"
    name = tidy(memory.name) or budget.clip(other, NAME_CHARACTERS).text
    return replace(
        memory,
        name=name,
        description=description,
        type=kind.lower() if kind.lower() in TYPES else kind,
        body=body,
        why=why,
        how_to_apply=how,
        keywords=tuple(word for keyword in memory.keywords if (word := one_line(keyword))),
        source=replace(
            memory.source,
            host=tidy(memory.source.host),
            session=tidy(memory.source.session),
            agent=tidy(memory.source.agent),
            message=tidy(memory.source.message),
            rule=tidy(memory.source.rule),
            cwd=tidy(memory.source.cwd),
            quote=tidy(memory.source.quote),
            said_at=_utc(memory.source.said_at),
        ),
        confirmed=max(memory.confirmed, 0),
    )


def _utc(at: datetime | None) -> datetime | None:
    if at is None:
        return None
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


def three_parts(memory: Memory) -> Parts:
    """The body's parts."""
    return Parts(memory.body, memory.why, memory.how_to_apply)


def provenance(memory: Memory) -> dict[str, str]:
    """The provenance keys of a memory with their values as written; what is not known has no key."""
    source = memory.source
    texts = {
        "source": source.by.value,
        "host": source.host,
        "session": source.session,
        "agent": source.agent,
        "message": source.message,
        "rule": source.rule,
        "status": memory.status.value if memory.status is not Status.ACTIVE else "",
        "cwd": source.cwd,
        "quote": source.quote,
    }
    written = {key: scalar(value) for key, value in texts.items() if value}
    if source.said_at:              # times, dates and numbers are what they are to a YAML reader: no quotes
        written["said"] = source.said_at.isoformat().replace("+00:00", "Z")
    if memory.valid_until:
        written["valid_until"] = memory.valid_until.isoformat()
    if memory.confirmed:
        written["confirmed"] = str(memory.confirmed)
    if memory.keywords:
        written["keywords"] = _listed(memory.keywords)
    if len(written) == 1 and source.by is By.UNKNOWN:
        return {}
    return {key: written[key] for key in _PROVENANCE if key in written}


def _listed(words: tuple[str, ...]) -> str:
    """Words between commas; in brackets and quotes where a word holds a comma."""
    if any("," in word for word in words):
        return f"[{', '.join(quoted(word) for word in words)}]"
    return scalar(", ".join(words))


def place_of(document: Document, key: str) -> str:
    """Where a file has this key, or should have it: at the top, or under ``metadata``."""
    if document.field(key) is None and document.field(f"metadata.{key}") is not None:
        return f"metadata.{key}"
    return key


def has_provenance(document: Document) -> bool:
    """Whether the file's ``source`` is ours, and so the other provenance keys too."""
    return document.word(place_of(document, "source")) in tuple(By)


def type_of(document: Document, *, nested_first: bool, otherwise: str) -> str:
    """The type that a file names. One of the four is recognised in any case of letters; another one stays as it is."""
    nested, top = document.word("metadata.type"), document.word("type")
    found = (nested or top) if nested_first else (top or nested)
    return found.lower() if found.lower() in TYPES else found or otherwise


def read_provenance(document: Document, memory: Memory) -> Memory:
    """``memory`` with what the provenance keys say. Values that make no sense are passed over."""
    if not has_provenance(document):
        return memory

    def text(key: str) -> str:
        return tidy(document.get(place_of(document, key)) or "")

    def word(key: str) -> str:
        return document.word(place_of(document, key))

    return replace(
        memory,
        source=Source(
            by=By(word("source")),
            host=text("host"),
            session=text("session"),
            agent=text("agent"),
            message=text("message"),
            said_at=_time(text("said")),
            cwd=text("cwd"),
            rule=text("rule"),
            quote=text("quote"),
        ),
        keywords=document.items(place_of(document, "keywords")),
        confirmed=int(word("confirmed")) if word("confirmed").isascii() and word("confirmed").isdigit() else 0,
        valid_until=_day(word("valid_until")),
        status=Status(word("status")) if word("status") in tuple(Status) else Status.ACTIVE,
    )


def _time(text: str) -> datetime | None:
    try:
        return _utc(datetime.fromisoformat(text.replace("Z", "+00:00")))
    except (ValueError, OverflowError):
        return None


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def unknown(document: Document, known: frozenset[str] = frozenset()) -> tuple[tuple[str, str], ...]:
    """The keys that mean nothing to us, with their values as written, so that another file can carry them on."""
    ours = frozenset(_PROVENANCE) if has_provenance(document) else frozenset[str]()
    found: dict[str, str] = {}
    for field in document.fields:
        bare = field.key.removeprefix("metadata.")
        mapping = field.key == "metadata" and any(other.key.startswith("metadata.") for other in document.fields)
        if not mapping and bare not in _KNOWN and bare not in ours and bare not in known:
            found.setdefault(field.key, field.raw)
    return tuple(found.items())


def update(
    document: Document, old: Memory, new: Memory, *, keys: dict[str, str], tracked: bool, style: str = YAML
) -> Document:
    """The file of ``old`` saying ``new``: only the lines of what differs change.

    ``keys`` maps "name", "description", "type" to where this file has them. ``tracked`` asks for provenance.
    """
    for name, key in keys.items():
        if getattr(old, name) != getattr(new, name):
            document = document.set(key, getattr(new, name), style=style)
    if tracked or has_provenance(document):
        before, after = provenance(old), provenance(new)
        for key in _PROVENANCE:
            if before.get(key) != after.get(key):
                place = place_of(document, key)
                document = document.set_raw(place, after[key]) if key in after else document.remove(place)
    carried = dict(old.extra)
    for key, raw in new.extra:
        if carried.get(key) != raw:
            document = document.set_raw(key, carry(raw))
    return document


def update_body(document: Document, old: Memory, new: Memory, labels: tuple[str, str]) -> Document:
    """The file with the body of ``new``; a part that did not change keeps its bytes."""
    if three_parts(old) == three_parts(new):
        return document
    if not document.has_header or "no_closing_fence" in document.problems or not document.body:
        return document.with_body(parts.join(three_parts(new), labels))
    return document.with_tail(parts.replace(document.text[document.body_at :], three_parts(new), labels, document.eol))
