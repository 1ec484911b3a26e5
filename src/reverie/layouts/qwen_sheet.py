"""One file of the layout qwen-code: the memories in it, and the file with some of them changed.

A file is one memory, or entries (``qwen_entries``). An entry has no room for a name: it is called by the beginning of
what it says. One that has a name or description of its own keeps them in the frontmatter, as ``name.<mark>``, where the
mark follows from the entry's words; the product ignores such keys and leaves them alone.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from reverie.core import budget, parts
from reverie.core.budget import JS_SPACE
from reverie.core.frontmatter import LINE, Document, compose, parse
from reverie.core.layout import File, Problem
from reverie.core.memory import TYPES, Memory
from reverie.core.parts import PLAIN, Parts
from reverie.core.scalar import one_line, tidy, unified
from reverie.layouts import fields, qwen_entries

NAME_CHARACTERS = 80                # of an entry's name
ENTRIES = "entries"                 # our key: "one" or "several", where the text alone would be misread

_OWN_KEY = re.compile(r"(?:name|description)\.[0-9a-f]{8}")


class Sheet:
    """A file and what is in it."""

    def __init__(self, path: str, file: File) -> None:
        self.path = path
        self.file = file
        self.document = parse(file.data)
        tail = self.document.text[self.document.body_at :]
        word = self.document.word(ENTRIES)
        several = word == "several" or (word != "one" and self.document.has_header and qwen_entries.are_several(tail))
        self.said = [entry.parts for entry in qwen_entries.find(tail)] if several else []
        self.memories = self._entries() if self.said else self._single()

    @property
    def several(self) -> bool:
        """Whether the file holds entries (perhaps only one)."""
        return bool(self.said)

    @property
    def problems(self) -> list[Problem]:
        """What is odd about the file; above all what keeps the product from seeing it (spec/qwen-code §3.1)."""
        document = self.document
        found = [Problem(path=self.path, reason=reason) for reason in document.problems if reason != "no_frontmatter"]
        if document.has_bom:
            found.append(Problem(path=self.path, reason="bom", detail="Qwen Code does not read this file"))
        if not self.memories:
            found.append(Problem(path=self.path, reason="empty"))
        elif document.word("type") not in TYPES:
            reason = "unknown_type" if document.word("type") else "no_type"
            found.append(Problem(path=self.path, reason=reason, detail=document.word("type")))
        return found

    def id(self, number: int) -> str:
        """The id of the n-th memory."""
        return self.path if len(self.memories) == 1 else f"{self.path}:{number}"

    def _shared(self) -> Memory:
        """What all memories of the file have in common."""
        stem = self.path.rpartition("/")[2].removesuffix(".md")
        place = next((part for part in (self.path.partition("/")[0], stem) if part in TYPES), "")
        return Memory(
            name=tidy(self.document.get("name") or self.document.get("title") or "") or stem,
            description=tidy(self.document.get("description") or ""),
            type=fields.type_of(self.document, nested_first=False, otherwise=place),
            modified_at=self.file.modified_at,
        )

    def _single(self) -> list[Memory]:
        if not self.document.fields and not self.document.body:
            return []
        said = parts.split(tidy(self.document.text[self.document.body_at :]))
        extra = fields.unknown(self.document, frozenset({ENTRIES}))
        memory = replace(_saying(self._shared(), said), extra=extra, id=self.path)
        return [fields.read_provenance(self.document, memory)]

    def _entries(self) -> list[Memory]:
        shared, memories = self._shared(), []
        # The name of a file for a whole type ("User") is no name for what stands in it.
        own = len(self.said) == 1 and shared.name.lower() not in TYPES
        for number, said in enumerate(self.said):
            mark = _mark(said)
            name = self.document.get(f"name.{mark}") or (shared.name if own else called(said))
            description = self.document.get(f"description.{mark}") or (shared.description if own else "")
            id = self.path if len(self.said) == 1 else f"{self.path}:{number}"
            memories.append(replace(_saying(shared, said), name=tidy(name), description=tidy(description), id=id))
        return memories

    def edited(self, edits: Mapping[int, Memory | None], now: datetime) -> Sheet | None:
        """The file with some memories changed or (None) removed; None when none is left."""
        if len([number for number, new in edits.items() if new is None]) == len(self.memories):
            return None
        if not self.several:
            return next(self._changed(new, now) for new in edits.values() if new is not None)
        wanted = [three(memory) for memory in self.memories]
        changes: dict[int, Parts | None] = {}
        named: list[tuple[Parts, Memory, bool, bool]] = []
        for number, new in edits.items():
            old = self.memories[number]
            if new is None:
                changes[number] = None
                continue
            if three(new) != wanted[number]:
                changes[number] = wanted[number] = three(new)
            named.append((three(new), new, new.name != old.name, new.description != old.description))
        left = [said for number, said in enumerate(wanted) if edits.get(number, 1) is not None]
        document = self._with_entries(changes, (), left)
        said_so = {_mark(three(memory)): memory for memory in Sheet(self.path, File(document.data, now)).memories}
        for said, new, renamed, described in named:
            found = said_so.get(_mark(said), self.memories[0])  # what took another's place may be called so already
            document = _name(
                document, said,
                new.name if renamed and new.name != found.name else None,
                new.description if described and new.description != found.description else None,
            )
        return Sheet(self.path, File(_tidied(document, left).data, now))

    def with_entries(self, new: Sequence[Memory], now: datetime) -> Sheet | None:
        """The file with more entries; None when it cannot hold them so that all are read as they are."""
        if not self.several:
            return None
        wanted = [*self.memories, *new]
        document = self._with_entries({}, [three(memory) for memory in new], [three(memory) for memory in wanted])
        return _holding(self.path, document, wanted, now)

    def _with_entries(self, changes: Mapping[int, Parts | None], added: Sequence[Parts], left: list[Parts]) -> Document:
        """The file with its entries changed. If the rest would then be misread, a key says what it is; if that does not
        help, all entries are written anew."""
        tail = self.document.text[self.document.body_at :]
        document = self.document
        if changes or added:
            document = document.with_tail(qwen_entries.replaced(tail, dict(changes), added, document.eol))
        for attempt in (document, document.set_raw(ENTRIES, "several")):
            if [three(each) for each in Sheet(self.path, File(attempt.data, self.file.modified_at)).memories] == left:
                return attempt
        eol = document.eol
        text = eol + "".join(qwen_entries.rendered(said, eol) for said in left)
        return document.set_raw(ENTRIES, "several").with_tail(text)

    def _changed(self, new: Memory, now: datetime) -> Sheet:
        """A file with one memory, saying ``new``."""
        old, document = self.memories[0], self.document
        keys = {key: fields.place_of(document, key) for key in ("name", "description", "type")}
        document = fields.update(document, old, new, keys=keys, style=LINE, tracked=False)
        document = fields.update_body(document, old, new, PLAIN)
        made = Sheet(self.path, File(document.data, now))
        if made.several:
            made = Sheet(self.path, File(document.set_raw(ENTRIES, "one").data, now))
        return made


def new_file(path: str, memory: Memory, now: datetime) -> Sheet:
    """A file for one memory (study, Qwen Code §3)."""
    pairs = [("name", memory.name), ("description", memory.description)]
    pairs += [("type", memory.type)] if memory.type else []
    document = compose(pairs, parts.join(three(memory), PLAIN), style=LINE, carried=memory.extra)
    made = Sheet(path, File(document.data, now))
    if made.several:
        made = Sheet(path, File(document.set_raw(ENTRIES, "one").data, now))
    return made


def new_list(path: str, about: tuple[str, str], memories: Sequence[Memory], now: datetime) -> Sheet | None:
    """A file for all memories of a type (``about``: its title and description) with the first of them; None when it
    cannot hold them so that all are read as they are."""
    pairs = [("name", about[0]), ("description", about[1])]
    pairs += [("type", memories[0].type)] if memories[0].type else []
    text = "".join(qwen_entries.rendered(three(memory)) for memory in memories)
    document = compose(pairs, "", style=LINE).with_tail(f"\n{text}")
    return _holding(path, document, memories, now)


def _holding(path: str, document: Document, wanted: Sequence[Memory], now: datetime) -> Sheet | None:
    """The file, with names where its entries need them; None when it is not read as wanted even so."""
    made = Sheet(path, File(document.data, now))
    named = _named(document, made.memories, wanted)
    if named is not document:
        made = Sheet(path, File(named.data, now))
    return made if [_content(each) for each in made.memories] == [_content(each) for each in wanted] else None


def three(memory: Memory) -> Parts:
    """What a memory says."""
    return fields.three_parts(memory)


def for_list(memory: Memory) -> Memory:
    """A memory as an entry of a shared file: it says something (its description, or its name, where it has no body)."""
    if memory.body or memory.why or memory.how_to_apply:
        return memory
    return replace(memory, body=memory.description or memory.name)


def called(said: Parts) -> str:
    """The name of an entry without one: the beginning of what it says."""
    return budget.clip(one_line(said.statement or said.why or said.how_to_apply), NAME_CHARACTERS).text


def _saying(memory: Memory, said: Parts) -> Memory:
    return replace(memory, body=said.statement, why=said.why, how_to_apply=said.how_to_apply)


def _content(memory: Memory) -> tuple[str, ...]:
    return memory.name, memory.description, memory.type, memory.body, memory.why, memory.how_to_apply


def _mark(said: Parts) -> str:
    text = "\0".join((said.statement, said.why, said.how_to_apply))
    return f"{zlib.crc32(text.encode('utf-8', 'replace')):08x}"


def _named(document: Document, read: Sequence[Memory], wanted: Sequence[Memory]) -> Document:
    """The file with names and descriptions for the entries that are read with others than they should have."""
    for found, memory in zip(read, wanted, strict=False):
        name = memory.name if found.name != memory.name else None
        description = memory.description if found.description != memory.description else None
        document = _name(document, three(memory), name, description)
    return document


def _name(document: Document, said: Parts, name: str | None, description: str | None) -> Document:
    for key, value in (("name", name), ("description", description)):
        if value is not None:
            place = f"{key}.{_mark(said)}"
            document = document.set(place, value, style=LINE) if value else document.remove(place)
    return document


def _tidied(document: Document, left: Sequence[Parts]) -> Document:
    """The file without the names of entries that are gone."""
    marks = {_mark(said) for said in left}
    for field in document.fields:
        if _OWN_KEY.fullmatch(field.key) and field.key.partition(".")[2] not in marks:
            document = document.remove(field.key)
    return document


def as_the_product_sees(file: File) -> tuple[str, str, str] | None:
    """Title, description and type by the product's own line patterns (spec §3.1), or None: it does not see the file.

    Quotes are a part of the text, only the first line of a value counts, the type must be one of the four.
    """
    text = unified(file.data.decode("utf-8", "replace")) if b"\r" in file.data else file.data.decode("utf-8", "replace")
    end = text.find("\n---", 3)
    if not text.startswith("---\n") or end < 0:
        return None
    found: dict[str, str] = {}
    for line in text[4 : end + 1].split("\n"):
        key, colon, value = line.partition(":")
        if colon:
            found.setdefault(key, value.strip(JS_SPACE))
    type = found.get("type", "")
    if type not in TYPES:
        return None
    return found.get("name") or found.get("title") or type, found.get("description", ""), type
