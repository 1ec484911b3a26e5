"""Which memories were of use in a session, as its transcript shows it.

Codex counts a use only where the agent cites (study, Codex §6), and so forgets what is used without a citation once the habit
of citing drifts. Here three signs count, each recorded as what it is: the agent cites a session whose memory it is; the
transcript shows that a memory's file was read; or what only this memory says turns up in what the agent does or answers,
without the person or a tool having said it in that session. None of it depends on the others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache

from reverie.core.events import How, Use
from reverie.core.memory import Memory, Status
from reverie.core.session import Message, Voice

SPAN_CHARACTERS = 6             # of the words by which a memory is known again: shorter ones are everybody's
SPANS = 12                      # of one memory that are looked for
LOOKED_AT = 4_000               # characters of a memory that spans are taken from
SEEN = 200_000                  # characters of one message that are searched

# Commands, addresses, keys, identifiers: what is written one way only. Plain words are never proof.
_SPAN = re.compile(
    r"`([^`\n]{4,120})`"
    r"|(https?://[^\s<>\"'`)]{6,200})"
    r"|(?<![\w./-])([\w-]{1,60}(?:\.[\w-]{1,60}){1,6}:\d{2,5})"
    r"|\b([A-Z]{2,10}-\d{2,8})\b"
    r"|(?<![\w/])((?:[\w.-]{1,60}/){1,10}[\w.-]{2,60})"
    r"|\b([A-Za-z]\w{1,40}_\w{2,40})\b"
)
# Commands that anybody types; a memory that holds nothing else is not known again by them.
_COMMON = re.compile(
    r"(?:(?:git|pip|cargo|go|docker|kubectl|ls|cat|cd|python3?|node)(?: [\w.-]+)?"
    r"|(?:make|just|npm|pnpm|yarn|bun|uv|poetry|mvn|gradle|tox|nox)(?: run)?"
    r"(?: (?:all|build|check|clean|dev|format|install|lint|start|sync|test|tests))?"
    r"|pytest(?: -[qvx]+)?|go test \./\.\.\.)\Z"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelved:
    """A memory as it can be known again. ``path``: of its file, absolute; "" where the file holds others too."""

    id: str                         # full
    memory: Memory
    path: str = ""


@dataclass(slots=True)
class Crediting:
    """Watches a session's messages, in order. ``paths`` and ``command`` read what a tool was called with."""

    shelf: Sequence[Shelved]
    host: str
    session: str
    paths: Callable[[Message], Iterable[str]] = lambda message: ()
    command: Callable[[Message], str] = lambda message: ""
    _uses: list[Use] = field(default_factory=list)
    _spans: dict[str, Shelved] = field(default_factory=dict)
    _by_path: dict[str, list[Shelved]] = field(default_factory=dict)
    _by_session: dict[str, list[Shelved]] = field(default_factory=dict)
    _applied: set[str] = field(default_factory=set)
    _begun: datetime | None = None

    def __post_init__(self) -> None:
        known: dict[str, list[Shelved]] = {}
        for each in self.shelf:
            self._by_path.setdefault(_plain(each.path), []).append(each)
            self._by_session.setdefault(each.memory.source.session, []).append(each)
            if each.memory.status is Status.ACTIVE and each.memory.source.session != self.session:
                for span in spans_of(each.memory):
                    known.setdefault(span, []).append(each)
        self._spans = {span: owners[0] for span, owners in known.items() if len(owners) == 1}
        self._by_path.pop("", None)
        self._by_session.pop("", None)

    def see(self, message: Message, *, fresh: bool) -> None:
        """The next message. One that is not ``fresh`` was credited by an earlier reading, and is only remembered."""
        self._begun = self._begun or message.at
        if fresh and message.voice is Voice.ASSISTANT:
            for session in message.cites:
                for each in self._by_session.get(session, ()):
                    self._use(each, How.CITED, message)
        if fresh and message.voice is Voice.TOOL and not message.failed:
            for path in self.paths(message):
                for each in self._by_path.get(_plain(path), ()):
                    self._use(each, How.READ, message)
        self._look(message, fresh=fresh)

    def uses(self) -> list[Use]:
        """What was seen so far, in order."""
        return list(self._uses)

    def _look(self, message: Message, *, fresh: bool) -> None:
        """Look for what only one memory says: in a person's words or a tool's output it stops being proof, in the agent's
        it is one."""
        if message.voice is Voice.TOOL:
            self._find(self.command(message), message, fresh=fresh, by_agent=True)
        self._find(message.text, message, fresh=fresh, by_agent=message.voice is Voice.ASSISTANT)

    def _find(self, text: str, message: Message, *, fresh: bool, by_agent: bool) -> None:
        text = text[:SEEN]
        for span in [span for span in self._spans if span in text]:
            each = self._spans.pop(span)
            is_older = self._begun is None or each.memory.modified_at is None or each.memory.modified_at < self._begun
            if by_agent and fresh and is_older and each.id not in self._applied:
                self._applied.add(each.id)
                self._use(each, How.APPLIED, message)

    def _use(self, each: Shelved, how: How, message: Message) -> None:
        self._uses.append(
            Use(memory=each.id, how=how, host=self.host, session=self.session, message=message.id or "?", at=message.at)
        )


def spans_of(memory: Memory) -> tuple[str, ...]:
    """The pieces of a memory by which it is known again: what is written one way only, and not by everybody."""
    return _spans(memory.body, memory.how_to_apply)


@lru_cache(maxsize=20_000)      # the same memories, session after session
def _spans(*texts: str) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for text in texts:
        for match in _SPAN.finditer(text[:LOOKED_AT]):
            span = next(group for group in match.groups() if group).strip().rstrip(".,;:")
            if len(span) >= SPAN_CHARACTERS and not _COMMON.match(span):
                found[span] = None
    return tuple(found)[:SPANS]


def _plain(path: str) -> str:
    return path.replace("\\", "/")


# ── when the signs stop ──────────────────────────────────────────────────────────────────────────────────────────

SILENT_SESSIONS = 20            # with the agent at work and no citation, before it is said
HABIT = 3                       # citations that make a habit


def stopped(*, cited: int, sessions_since: int) -> bool:
    """Whether an agent that used to cite has stopped: a changed model, or a prompt that it no longer follows (study, Codex §6:
    the mechanism can fail silently)."""
    return cited >= HABIT and sessions_since >= SILENT_SESSIONS
