"""A dream with a model: on top of what the rules do, an agent works with a few tools in a staging copy (study, Qwen Code §6).

It gets the memories that a dream may touch, each as a file of its own, and what it leaves is read back and held against them:
a file is a memory only in the folder of one of the four types; what it changed keeps its source only where every word was said
by a person; what it made up itself, or wrote as an order, is not taken. Everything that every consolidator must pass comes
after it: the shrink guard, no credential, nobody else's memory (``core.dream``). It is asked once in a dream of a store, and
where it gives no answer the rules' work stands alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from typing import Any

from reverie import texts
from reverie.core import text, trust
from reverie.core.dream import Act, Consolidation, Consolidator, Step, applied
from reverie.core.layout import INDEX, Change, File
from reverie.core.memory import TYPES, By, Memory, Source, Status
from reverie.core.model import Ask, Effort, Json, ModelFailed, Tool, ToolRefused
from reverie.flows.consolidation_agent import Desk
from reverie.flows.metering import Metered
from reverie.layouts.qwen_code import QwenCode
from reverie.storage import staging
from reverie.storage.staging import Copy

ROUNDS, SECONDS, OUTPUT_TOKENS = 24, 300.0, 4_000       # spec/qwen-code §11.3: five minutes
CALLS = 160
LEAST = 2               # memories: one alone has nothing to be put in order with
HELD = 0.5              # of a memory's words that another one must hold before it may be deleted
STRANGE = 0.25          # of a memory's words that no memory had before: more is made up
MOST = 400              # in one copy: of a larger store those that were changed last
_PERSON = (By.USER, By.HAND)
_TEXT: Mapping[str, Any] = {"type": "string"}
_COUNT: Mapping[str, Any] = {"type": "integer", "minimum": 1}


class ByModel:
    """A consolidator: first the rules, then the agent. ``home``: where its copy lies."""

    def __init__(self, model: Metered, rules: Consolidator, *, home: str) -> None:
        self._model, self._rules, self._home = model, rules, home
        self._asked: set[tuple[str, str]] = set()
        self.failed = ""                # why the agent gave no answer, for a person

    @property
    def name(self) -> str:
        return f"{self._rules.name}+model:{self._model.name}"

    def consolidate(self, memories: Sequence[Memory], *, now: datetime) -> Consolidation:
        """Both changes as one."""
        base = self._rules.consolidate(memories, now=now)
        after = [memory for memory in applied(memories, base.change) if memory.id and memory.status is Status.ACTIVE]
        after = sorted(after, key=lambda memory: memory.modified_at.timestamp() if memory.modified_at else 0.0)[-MOST:]
        store = (after[0].scope, after[0].project) if after else ("", "")
        if len(after) < LEAST or store in self._asked:      # what somebody wrote meanwhile makes no second question
            return base
        self._asked.add(store)
        try:
            found = self._agent(after, now)
        except ModelFailed as error:
            self.failed = str(error)
            return base
        return _together(base, found)

    def _agent(self, memories: Sequence[Memory], now: datetime) -> Consolidation:
        written = QwenCode().write({}, Change(put=[replace(memory, id="", extra=()) for memory in memories]), now=now)
        files = {path: File(data, now) for path, data in written.files.items() if data is not None and path != INDEX}
        places = dict(zip(written.ids, memories, strict=True))
        with staging.copy_of(files, home=self._home, prefix=_prefix(memories[0])) as copy:
            desk = _Desk(copy)
            self._model.ask(Ask(
                flow="dream", system=texts.load("dreaming", day=f"{now:%Y-%m-%d}"), prompt=_prompt(places), tools=desk.tools(),
                effort=Effort.MEDIUM, rounds=ROUNDS, seconds=SECONDS, output_tokens=OUTPUT_TOKENS,
            ))
            made = {} if desk.is_exhausted or copy.oddities() else copy.folder()
        return _read_back(places, files, made) if made else Consolidation(change=Change())


def _prefix(memory: Memory) -> str:
    """Of the copies of one store: what another store's dream has at work beside it is left alone."""
    return "dream-" + sha256(f"{memory.scope}|{memory.project}".encode()).hexdigest()[:12]


def _prompt(places: Mapping[str, Memory]) -> str:
    dated = (f"{path} ({memory.modified_at:%Y-%m-%d})" if memory.modified_at else path for path, memory in places.items())
    return "The memories, with the day on which each was last written:\n\n" + "\n".join(dated)


# ── what it left ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _read_back(places: Mapping[str, Memory], before: Mapping[str, File], made: Mapping[str, File]) -> Consolidation:
    """The change that the agent's files mean. A file it made new is a memory of none, and is not taken."""
    found = {memory.id: memory for memory in QwenCode().read(made, scope="", project="").memories}
    theirs = {word for memory in places.values() if memory.source.by in _PERSON for word in _words(memory)}
    known = {word for memory in places.values() for word in _words(memory)}
    left = {path: _words(memory) for path, memory in found.items() if path in places}
    put: list[Memory] = []
    gone: list[Memory] = []
    for path, old in places.items():
        if path not in made:
            gone += [old] if any(_is_held(old, words) for words in left.values()) else []
        elif made[path].data != before[path].data and path in found:
            new = _changed(old, found[path], theirs, known)
            put += [new] if new is not None and new != old else []
    said = {memory.id: memory.body for memory in places.values()}
    steps = [Step(act=Act.REWRITTEN, memory=new.id, name=new.name, why="by the model", before=said[new.id]) for new in put]
    steps += [Step(act=Act.REMOVED, gone=old.id, name=old.name, why="by the model", before=old.body) for old in gone]
    return Consolidation(change=Change(put=put, remove=[old.id for old in gone]), steps=tuple(steps))


def _is_held(memory: Memory, words: set[str]) -> bool:
    """Whether another memory speaks of the same: only then may one go, be it said there or corrected there."""
    own = _words(memory)
    return bool(own) and len(own & words) >= HELD * len(own)


def _changed(old: Memory, new: Memory, theirs: set[str], known: set[str]) -> Memory | None:
    """A memory with the words that the agent gave it; None where they may not stand."""
    said = replace(old, name=new.name, description=new.description, body=new.body, why=new.why, how_to_apply=new.how_to_apply,
                   type=new.type if new.type in TYPES else old.type)
    words = _words(said)
    strange = {word for word in words if word not in known and not any(map(str.isdigit, word))}     # a date may be new
    if not said.body.strip() or len(strange) > STRANGE * len(words):
        return None
    if trust.instructs(said.text) and not trust.instructs(old.text):
        return None
    is_theirs = old.source.by not in _PERSON or words <= theirs
    return said if is_theirs else replace(said, source=_lowered(old.source))


def _lowered(source: Source) -> Source:
    """A person's word that was put into others is a person's word no more (DESIGN §4.5)."""
    return replace(source, by=By.MODEL)


def _words(memory: Memory) -> set[str]:
    return {token for token in text.tokens(memory.text) if not token.startswith(text.MEANING)}


def _together(first: Consolidation, second: Consolidation) -> Consolidation:
    """Two changes, the second made on what the first leaves, as one."""
    gone = {*first.change.remove, *second.change.remove}
    put = {memory.id: memory for memory in first.change.put if memory.id} | {memory.id: memory for memory in second.change.put}
    kept = [memory for id, memory in put.items() if id not in gone]
    new = [memory for memory in first.change.put if not memory.id]
    return Consolidation(
        change=Change(put=[*kept, *new], remove=sorted(gone)), steps=(*first.steps, *second.steps), left=first.left,
    )


# ── its tools ────────────────────────────────────────────────────────────────────────────────────────────────────────


class _Desk(Desk):
    """Reading, searching, writing, editing and deleting in the copy, and no way out of it."""

    def __init__(self, copy: Copy) -> None:
        self._copy, self._left = copy, CALLS
        self._watch = lambda: None
        self._calls: dict[str, int] = {}
        self._refused = 0

    def _tools(self) -> Iterator[Tool]:
        said: Sequence[tuple[str, str, dict[str, Any], list[str], Callable[[Json], str]]] = (
            ("list", "The files, with their sizes in bytes. `glob` narrows them, as in 'feedback/*'.",
             {"glob": _TEXT}, [], self._list),
            ("read", "Lines of a file, numbered from 1. Long files come in pieces: ask again with `from_line`.",
             {"path": _TEXT, "from_line": _COUNT, "lines": _COUNT}, ["path"], self._read),
            ("search", "The lines that hold a text, in any letter case, in all files or those that fit `glob`.",
             {"text": _TEXT, "glob": _TEXT}, ["text"], self._search),
            ("write", "Write a file that is there anew, whole: frontmatter and text.", {"path": _TEXT, "content": _TEXT},
             ["path", "content"], self._write),
            ("edit", "Put one text in the place of another in a file. The old text must stand there exactly once.",
             {"path": _TEXT, "old": _TEXT, "new": _TEXT}, ["path", "old", "new"], self._edit),
            ("delete", "Take a file away whose every statement another file holds.", {"path": _TEXT}, ["path"], self._delete),
        )
        for name, about, properties, required, run in said:
            parameters = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
            yield Tool(name=name, description=about, parameters=parameters, run=self._counted(name, run))

    def _ours(self, path: str) -> str:
        if self._copy.read(path) is None:
            raise ToolRefused(f"there is no file {path[:80]!r}; no new ones are made")
        return path

    def _delete(self, arguments: Json) -> str:
        path = arguments.get("path")
        if not isinstance(path, str) or not self._copy.delete(self._ours(path)):
            raise ToolRefused("delete which file?")
        return f"{path}: gone"
