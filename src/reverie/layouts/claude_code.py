"""One memory a file, flat, the type before the name, ``MEMORY.md`` beside them (study, Claude Code §1-2).

Files observed in the wild, all read: the study's shape with ``type`` at the top; the shape that the client makes of it
(slug as name, everything else under ``metadata``, spec/claude-code §2.3); files without frontmatter; sub-folders.

A new file has the study's shape, or, in the edition ``2.1``, the client's, so that the client finds nothing to change.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import UTC, datetime

from reverie.core import index, parts, product_index
from reverie.core.frontmatter import Document, compose, parse
from reverie.core.layout import Change, Contents, File, Folder, Problem, Shows, Written, to_anyone
from reverie.core.memory import TYPES, By, Memory, Source, Status
from reverie.core.scalar import tidy
from reverie.errors import NotFound, WrongUse
from reverie.layouts import fields, naming
from reverie.layouts.files import fetch
from reverie.layouts.naming import INDEX

# Keys of the client's own shape that are made anew, not carried along, when a file is written in it.
_CLIENT_KEYS = ("node_type", "type", "title", "modified", "originSessionId")


class ClaudeCode:
    """The layout ``claude-code``.

    ``provenance`` writes where a memory comes from into its frontmatter (design ``reverie``). ``edition`` "2.1" writes
    the client's shape and index form. ``own_index`` is False in the product's own folder: there the index is kept by
    hand, and only our lines in it change.
    """

    name = "claude-code"

    def __init__(self, *, provenance: bool = False, edition: str = "", own_index: bool = True) -> None:
        if edition not in ("", "2.1"):
            raise WrongUse(f"the layout claude-code has no edition {edition!r}; there is '2.1'")
        self.provenance = provenance
        self.edition = edition
        self.own_index = own_index

    def is_memory_path(self, path: str) -> bool:
        """Whether a file at this relative path could hold memories."""
        return naming.is_memory_path(path)

    def read(self, folder: Folder, *, scope: str, project: str = "") -> Contents:
        """Everything a folder holds, by path. Bad files are problems; most of them still are memories."""
        memories: list[Memory] = []
        problems: list[Problem] = []
        for path in sorted(path for path in folder if naming.is_memory_path(path)):
            file = fetch(folder, path)
            if isinstance(file, Problem):
                problems.append(file)
                continue
            document = parse(file.data)
            problems += [Problem(path=path, reason=name) for name in document.problems if name != "no_frontmatter"]
            if not document.fields and not document.body:
                problems.append(Problem(path=path, reason="empty"))
                continue
            memory = _memory(document, path, file)
            if memory.type not in TYPES:
                reason = "unknown_type" if memory.type else "no_type"
                problems.append(Problem(path=path, reason=reason, detail=memory.type))
            memories.append(replace(memory, scope=scope, project=project))
        return Contents(memories=tuple(memories), problems=tuple(problems))

    def write(self, folder: Folder, change: Change, *, now: datetime) -> Written:
        """The bytes that carry out a change. A changed memory keeps its file; a new one gets a free name."""
        if not change.put and not change.remove and not change.reindex:
            return Written(files={})
        before = {memory.id: memory for memory in self.read(folder, scope="", project="").memories}
        files: dict[str, bytes | None] = {}
        after = dict(before)
        for id in change.remove:
            self._known(id, before)
            files[id] = None
            after.pop(id, None)
        taken = naming.Taken([*folder, *files])
        ids: list[str] = []
        for given in change.put:
            memory = fields.settled(given)
            if memory.id:
                self._known(memory.id, after)
                memory = replace(memory, type=memory.type or before[memory.id].type)
                data = self._changed(parse(folder[memory.id].data), before[memory.id], memory, now)
                if data == folder[memory.id].data:
                    ids.append(memory.id)
                    continue
            else:
                memory = replace(memory, id=taken.free("", self._stem(memory)))
                data = self._new(memory, now).data
            files[memory.id] = data
            ids.append(memory.id)
            after[memory.id] = replace(memory, modified_at=now)
        if files or (change.reindex and self.own_index):    # in the product's folder the index is its author's, too
            files |= self._index_file(folder, before, after, files, rebuild=change.rebuild)
        return Written(files=files, ids=ids)

    def index(self, memories: Iterable[Memory], folder: Folder, *, shows: Shows = to_anyone) -> str:
        """What a session is shown: our lines within the cap, or the product's own file as the product loads it."""
        found = None if self.own_index or INDEX not in folder else fetch(folder, INDEX)
        if isinstance(found, File):
            text = parse_text(found.data)
            if self.edition:
                return product_index.claude_loaded(text).text
            return index.pack(tidy(text).split("\n"), index.CLAUDE).text
        if self.edition:
            text = _rebuilt(memories := list(memories))
            if INDEX in folder and not (isinstance(found := fetch(folder, INDEX), File) and found.data == text.encode()):
                text = "\n".join(map(self._line, index.counted(memories)))
            return product_index.claude_loaded(text).text
        return index.claude(memories).text

    def _known(self, id: str, memories: dict[str, Memory]) -> None:
        if id not in memories:
            raise NotFound(f"there is no memory {id!r} in this store")
        naming.check(id)

    def _stem(self, memory: Memory) -> str:
        """``feedback_no_hyphens``: the type, then the name; the type only once."""
        kind, name = naming.slug(memory.type, longest=20), naming.slug(memory.name)
        if not kind and name.partition("_")[0] in TYPES:    # the name would say a type
            kind = "memory"
        if not kind or name == kind or name.startswith(f"{kind}_"):
            return name
        return naming.shortened(f"{kind}_{name}")

    def _new(self, memory: Memory, now: datetime) -> Document:
        """A new file, in the study's shape or the client's."""
        body = parts.join(fields.three_parts(memory))
        tracked = fields.provenance(memory) if self.provenance else {}
        if not self.edition:
            pairs = [("name", memory.name), ("description", memory.description)]
            pairs += [("type", memory.type)] if memory.type else []
            return compose(pairs, body, carried=[*tracked.items(), *memory.extra])
        known = [("name", slug_name(memory.name))]
        known += [("description", memory.description)] if memory.description else []
        known += [("metadata.node_type", "memory")]
        moved = [(f"metadata.{key.removeprefix('metadata.')}", raw) for key, raw in (*tracked.items(), *memory.extra)]
        moved = [(key, raw) for key, raw in moved if key.removeprefix("metadata.") not in _CLIENT_KEYS]
        document = compose(known, body, carried=moved)
        if memory.type:
            document = document.set("metadata.type", memory.type)
        if slug_name(memory.name) != memory.name:
            document = document.set("metadata.title", memory.name)
        own = memory.source.session if memory.source.host == "claude-code" else ""
        session = dict(memory.extra).get("metadata.originSessionId") or own
        if session:
            document = document.set("metadata.originSessionId", session)
        return document.set_raw("metadata.modified", _stamp(now))

    def _changed(self, document: Document, old: Memory, new: Memory, now: datetime) -> bytes:
        """The file of ``old`` saying ``new``."""
        before = document.data
        client = document.field("metadata.node_type") is not None
        keys = {"description": "description", "type": "metadata.type" if document.field("metadata.type") else "type"}
        if not client:
            keys = {"name": "name", **keys}
        elif new.name != old.name:
            document = document.set("name", slug_name(new.name)).set("metadata.title", new.name)
        document = fields.update(document, old, new, keys=keys, tracked=self.provenance)
        document = fields.update_body(document, old, new, parts.BOLD)
        if document.data != before and document.field("metadata.modified") is not None:
            document = document.set_raw("metadata.modified", _stamp(now))
        return document.data

    def _line(self, memory: Memory) -> str:
        if self.edition:
            return product_index.claude_line(memory.name, memory.id, memory.description)
        return index.claude_line(memory.id, memory.description or memory.name)

    def _index_file(
        self, folder: Folder, before: dict[str, Memory], after: dict[str, Memory], changed: Collection[str], *, rebuild: bool
    ) -> dict[str, bytes | None]:
        """The index after a change: rendered from the memories, or, kept by hand, with our lines changed in it."""
        found = fetch(folder, INDEX) if INDEX in folder else None
        shown = index.counted(after.values())
        if self.own_index:
            form = rebuild and self.edition
            text = _rebuilt(shown) if form else "".join(f"{self._line(memory)}\n" for memory in shown)
        elif not isinstance(found, File):    # the client makes none where one exists: ours must be complete (§4.4)
            text = _rebuilt(shown)
        else:
            old = parse_text(found.data)
            pointed = product_index.claude_pointed(old)
            lines = {
                memory.id: self._line(memory)
                for memory in (after[id] for id in changed if id in after)
                if memory.status is Status.ACTIVE
                and (not pointed & {memory.id, index.link(memory.id)} or self._differs(memory, before))
            }
            text = product_index.claude_spliced(old, lines, set(before) - {memory.id for memory in shown})
        data = text.encode("utf-8", "surrogateescape")
        return {} if isinstance(found, File) and found.data == data else {INDEX: data}

    def _differs(self, memory: Memory, before: dict[str, Memory]) -> bool:
        old = before.get(memory.id)
        return old is None or self._line(old) != self._line(memory)


def _rebuilt(memories: Iterable[Memory]) -> str:
    """A missing index as the client makes it (§4.4): the files by their names, those written last first."""
    shown = index.counted(memories)
    shown.sort(key=lambda memory: -memory.modified_at.timestamp() if memory.modified_at else 0.0)
    return product_index.claude_rebuild((memory.id, memory.description) for memory in shown) + "\n"


def parse_text(data: bytes) -> str:
    """An index as text that gives the same bytes back."""
    return data.decode("utf-8", "surrogateescape")


def slug_name(name: str) -> str:
    """A name as the client wants it (§2.3): ``[a-z0-9_-]+`` as it is, else lower case with dashes.

    Where nothing is left, as of Chinese, the client would write "": a short hash stands in, so that the name can be
    linked to.
    """
    return product_index.claude_name(name) or f"memory-{zlib.crc32(name.encode('utf-8', 'replace')):08x}"


def _stamp(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"


def _memory(document: Document, path: str, file: File) -> Memory:
    """The memory in a file."""
    stem = path.rpartition("/")[2].removesuffix(".md")
    prefix = stem.partition("_")[0]
    name = tidy(document.get("name") or document.get("title") or "")
    title = tidy(document.get("metadata.title") or "")
    if title and (not name or slug_name(title) == name):
        name = title
    body = parts.split(tidy(document.text[document.body_at :]))
    source = Source()
    if document.field("metadata.node_type") is not None:    # only the client's own tools write it
        source = Source(by=By.AGENT, host="claude-code", session=document.word("metadata.originSessionId"))
    memory = Memory(
        name=name or stem,
        description=tidy(document.get("description") or ""),
        type=fields.type_of(document, nested_first=True, otherwise=prefix if prefix in TYPES else ""),
        body=body.statement,
        why=body.why,
        how_to_apply=body.how_to_apply,
        source=source,
        extra=fields.unknown(document),
        id=path,
        modified_at=file.modified_at,
    )
    return fields.read_provenance(document, memory)

