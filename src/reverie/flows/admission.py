"""What may stand in a store's file that somebody else wrote, and how it is marked: the rules for every door.

- A credential is found, and can be masked in place.
- What the user had forgotten is known again, whoever says it.
- Orders to the agent are found; a file is sealed by the mark of quarantine in its own frontmatter.
- Nobody but the user speaks for the user: a claim to be their word becomes ``agent`` (DESIGN §4.5).

The memory tool refuses by these rules what it is asked to write (``filing_door``); adopting mends by them what was
written already (``adopting``). Paths are relative to the store.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from reverie.axes.scoping import Mount
from reverie.core import frontmatter, gate, pasted, redact, trust
from reverie.core.budget import clip
from reverie.core.events import Action, Touched
from reverie.core.frontmatter import Document
from reverie.core.layout import File, Folder
from reverie.core.memory import By, Memory, Status
from reverie.core.proposal import Proposal
from reverie.flows.space import Space
from reverie.layouts import fields, naming
from reverie.layouts.codex import Codex

FILE_BYTES = 256 * 1024             # of a file that an agent writes: more than any model reads at once
WINDOW_CHARACTERS = 50_000          # that are judged at once for orders, as many as ``trust`` looks at
OVERLAP_CHARACTERS = 2_000          # so that no order hides where two windows meet
QUOTE_CHARACTERS = 200              # of what a memory says, in the journal
SAID_CHARACTERS = 8_000             # of a memory that may be what the user had forgotten: a statement, not a document

_USERS_WORD = (By.USER, By.HAND)


class Admission:
    """The rules for one store. ``instructs`` gives the rule by which a text orders an agent about."""

    def __init__(self, space: Space, mount: Mount, *, instructs: Callable[[str], str | None] = trust.instructs) -> None:
        self._space, self._mount = space, mount
        self._layout = space.store(mount).layout
        self._instructs = instructs

    def is_memory(self, path: str) -> bool:
        return self._layout.is_memory_path(path)

    def memories(self, path: str, data: bytes | None, file: File | None = None) -> tuple[Memory, ...]:
        """What the layout finds in one file."""
        if data is None or not self.is_memory(path):
            return ()
        folder: Folder = {path: file or File(data, self._space.now())}
        return self._layout.read(folder, scope=self._mount.scope, project=self._mount.project).memories

    def forgotten(self, memories: Sequence[Memory]) -> bool:
        """Whether this is what the user had forgotten."""
        # when it was said is what the file says, and files say what they like: only the user's word lifts their forgetting
        said = [
            replace(memory, source=replace(memory.source, said_at=None))
            for memory in memories if len(memory.text) <= SAID_CHARACTERS
        ]
        marks = self._space.home.records.tombstones(self._mount.project) if said else []
        return any(gate.forgotten(gate.Asked(proposal=Proposal(memory=memory), tombstones=marks)) for memory in said)

    def orders(self, text: str) -> str | None:
        """By which rule a text tries to order an agent about, None when it does not."""
        return orders(text, self._instructs)

    def orders_in_name(self, path: str) -> str | None:
        """The same for a file's name, in which the words stand between other signs."""
        return self.orders(naming.spoken(path))

    def released(self, before: bytes, brought: str | None) -> bool:
        """Whether a person lets these orders stand: they were there, unsealed, before the edit, which brings none."""
        return bool(self.orders(said(frontmatter.parse(before)))) and not self.orders(brought or "")

    def raised(self, path: str, data: bytes, was: bytes | None = None) -> tuple[Memory, ...]:
        """What claims to be the user's own word in a file, and did not say exactly this as their word in ``was``."""
        before = {_says(memory) for memory in self.memories(path, was) if memory.source.by in _USERS_WORD}
        return tuple(
            memory for memory in self.memories(path, data)
            if memory.source.by in _USERS_WORD and _says(memory) not in before
        )

    def lowered(self, path: str, data: bytes, was: bytes | None = None) -> bytes | None:
        """The file without new claims to be the user's word: what raises them is the agent's. Itself when nothing does, None when
        a claim stands where nothing can change it."""
        raised = self.raised(path, data, was)
        if not raised:
            return data
        if isinstance(self._layout, Codex) and self._layout.holds_many(path):
            changed = self._layout.disowned(data, {memory.id for memory in raised})
        else:
            document = frontmatter.parse(data)
            changed = document.set_raw(fields.place_of(document, "source"), By.AGENT.value).data
        return None if self.raised(path, changed, was) else changed

    def unsealed(self, path: str, data: bytes, was: bytes | None) -> str | None:
        """By which rule something tries to order an agent about that was quarantined in ``was``, and is not any more."""
        sealed = {memory.id for memory in self.memories(path, was) if memory.status is Status.QUARANTINED}
        freed = (memory for memory in self.memories(path, data) if memory.id in sealed and memory.status is Status.ACTIVE)
        return next((rule for memory in freed if (rule := self.orders(memory.text))), None)

    def sealed(self, path: str, data: bytes) -> bytes | None:
        """The file with the mark of quarantine, None when its layout would not understand it."""
        document = frontmatter.parse(data)
        document = document.set_raw(fields.place_of(document, "source"), By.AGENT.value)
        document = document.set_raw(fields.place_of(document, "status"), Status.QUARANTINED.value)
        return document.data if self.is_sealed(path, document.data) else None

    def is_sealed(self, path: str, data: bytes) -> bool:
        """Whether all that a file says is quarantined."""
        memories = self.memories(path, data)
        return bool(memories) and all(memory.status is Status.QUARANTINED for memory in memories)


def _says(memory: Memory) -> tuple[object, ...]:
    """What a memory says, and of what."""
    return memory.id, memory.text, memory.type, memory.scope, memory.project, memory.valid_until


def said(document: Document) -> str:
    """What a file says to a reader: the values of its frontmatter, which is no attempt to pass for a memory where it is one, and
    its body. All of it where the frontmatter is broken."""
    return document.text if document.problems else "\n".join((*(field.value for field in document.fields), "", document.body))


def orders(text: str, instructs: Callable[[str], str | None] = trust.instructs) -> str | None:
    """By which rule a text tries to order an agent about, None when it does not."""
    windows = range(0, max(1, len(text) - OVERLAP_CHARACTERS), WINDOW_CHARACTERS - OVERLAP_CHARACTERS)
    return next((rule for at in windows if (rule := instructs(text[at : at + WINDOW_CHARACTERS]))), None)


def masked(data: bytes) -> tuple[bytes, tuple[str, ...]]:
    """A file without its credentials, and their families. Every other byte stays; a value of the frontmatter stays one."""
    document = frontmatter.parse(data)
    found = redact.redact(document.text)
    if not found.families:
        return data, ()
    for field in document.fields:
        if field.kind in ("plain", "quoted") and redact.has_secret(field.value):
            document = document.set(field.key, redact.redact(field.value).text)
    return document.with_text(redact.redact(document.text).text).data, found.families


def without_recalled(document: Document) -> Document:
    """A file without what memory itself, or a client, had put before the model: it is never learned again. Itself when there
    is nothing of the kind."""
    found: list[str] = []
    body = document.text[document.body_at :]
    rest = pasted.without_recalled(pasted.without_elements(body, found.append), found.append)
    return document.with_text(document.text[: document.body_at] + rest) if found else document


def told(
    full_id: Callable[[str], str], before: Sequence[Memory], after: Sequence[Memory], *, rule: str = ""
) -> list[Touched]:
    """What a change of a file means for its memories, in the journal's words."""
    was, now = ({memory.id: memory for memory in memories} for memories in (before, after))
    changed = [
        _told(full_id, memory, was.get(id), rule=rule) for id, memory in now.items()
        if id not in was or memory.text != was[id].text or memory.status is not was[id].status
    ]
    return changed + [_told(full_id, memory, memory, action="removed", rule=rule) for id, memory in was.items() if id not in now]


def _told(
    full_id: Callable[[str], str], memory: Memory, before: Memory | None, *, action: Action | None = None, rule: str
) -> Touched:
    if action is None:
        action = "quarantined" if memory.status is Status.QUARANTINED else "updated" if before else "added"
    return Touched(memory=full_id(memory.id), action=action, name=memory.name, rule=rule,
                   quote="" if action == "removed" else _quote(memory), before=_quote(before) if before else "")


def _quote(memory: Memory) -> str:
    return clip(redact.redact(memory.description or memory.body).text, QUOTE_CHARACTERS).text
