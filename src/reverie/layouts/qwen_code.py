"""Memories in folders by type, or in one file for each type, with a generated index (study, Qwen Code §2-4, §9).

Read is what Qwen Code 0.24 reads (spec/qwen-code §3-4), and what it passes over: files without a type, with a byte
order mark, with values over several lines. Written is what its line patterns read right: values on one line and without
quotes, ``Why:`` without asterisks, LF. In the edition ``0.24`` the index is the product's, unit for unit.

An id is the file's path, or ``path:n`` for the n-th of several entries (study, Qwen Code §8); as in the product, n
moves when an entry before it goes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from reverie.core import index, product_index
from reverie.core.layout import Change, Contents, File, Folder, Problem, Shows, Written, to_anyone
from reverie.core.memory import TYPES, Memory
from reverie.core.scalar import one_line, without_comment
from reverie.errors import NotFound, WrongUse
from reverie.layouts import fields, naming, qwen_sheet
from reverie.layouts.files import fetch
from reverie.layouts.naming import INDEX
from reverie.layouts.qwen_sheet import Sheet

MOST_INDEXED = 200                  # files that the product looks at for its index (spec/qwen-code §3.3)

# Name and description of a file that holds all memories of a type.
_ABOUT = {
    "user": ("User", "Who the user is, and how they like to work"),
    "feedback": ("Feedback", "How the agent should work: what to avoid, what to keep doing"),
    "project": ("Project", "Decisions, goals and dates of this project"),
    "reference": ("Reference", "Where things are kept outside this repository"),
}


class QwenCode:
    """The layout ``qwen-code``.

    ``placement`` says where a new memory goes: "folders" gives it a file in its type's folder (``feedback/style.md``),
    "files" an entry in its type's file (``feedback.md``). ``edition`` "0.24" has the product's index.
    """

    name = "qwen-code"

    def __init__(self, *, placement: str = "folders", edition: str = "") -> None:
        if placement not in ("folders", "files"):
            raise WrongUse(f"qwen-code places memories in 'folders' or in 'files', not in {placement!r}")
        if edition not in ("", "0.24"):
            raise WrongUse(f"the layout qwen-code has no edition {edition!r}; there is '0.24'")
        self.placement = placement
        self.edition = edition

    def is_memory_path(self, path: str) -> bool:
        """Whether a file at this relative path could hold memories."""
        return naming.is_memory_path(path)

    def read(self, folder: Folder, *, scope: str, project: str = "") -> Contents:
        """Everything a folder holds, by path and place in the file; what the product does not see is a problem too."""
        memories: list[Memory] = []
        problems: list[Problem] = []
        for path in sorted(path for path in folder if naming.is_memory_path(path)):
            file = fetch(folder, path)
            if isinstance(file, Problem):
                problems.append(file)
                continue
            sheet = Sheet(path, file)
            problems += sheet.problems
            memories += (replace(memory, scope=scope, project=project) for memory in sheet.memories)
        return Contents(memories=tuple(memories), problems=tuple(problems))

    def write(self, folder: Folder, change: Change, *, now: datetime) -> Written:
        """The bytes that carry out a change. An entry changes alone; ``pinned/`` only where an id names it."""
        if not change.put and not change.remove and not change.reindex:
            return Written(files={})
        before = self._sheets(folder)
        edits: dict[str, dict[int, Memory | None]] = {}
        for id in change.remove:
            path, number = _located(id, before)
            edits.setdefault(path, {})[number] = None
        places: list[tuple[str, int] | None] = []
        for given in change.put:
            places.append(_planned(self._settled(given), before, edits) if given.id else None)
        after = dict(before)
        for path, edit in edits.items():
            sheet = before[path].edited(edit, now)
            after.pop(path)
            if sheet is not None:
                after[path] = sheet
        new = [replace(self._settled(given), id="") for given, place in zip(change.put, places, strict=True) if not place]
        added = iter(self._added(new, after, naming.Taken(folder), now))
        written: list[tuple[str, int]] = []
        for place in places:
            if place is None:
                written.append(next(added))
            else:
                path, number = place
                written.append((path, number - sum(n < number for n, left in edits[path].items() if left is None)))
        files = _difference(before, after)
        if files or change.reindex:
            files |= self._index_file(folder, after)
        return Written(files=files, ids=[after[path].id(number) for path, number in written])

    def index(self, memories: Iterable[Memory], folder: Folder, *, shows: Shows = to_anyone) -> str:
        """What a session is shown: our lines within the caps, or the product's file as the product loads it."""
        if not self.edition:
            return index.qwen(memories).text
        found = fetch(folder, INDEX) if INDEX in folder else None
        if isinstance(found, File):
            return product_index.qwen_loaded(found.data.decode("utf-8", "replace")).text
        return product_index.qwen_loaded(self._rendered(self._sheets(folder))).text

    def _sheets(self, folder: Folder) -> dict[str, Sheet]:
        """Every file that can be read, by path."""
        paths = sorted(path for path in folder if naming.is_memory_path(path))
        return {path: Sheet(path, file) for path in paths if isinstance(file := fetch(folder, path), File)}

    def _settled(self, memory: Memory) -> Memory:
        """The memory as these files can hold it: its fields on one line each."""
        memory = fields.settled(memory)
        name, description = one_line(memory.name), one_line(memory.description)
        return replace(memory, name=name, description=description, type=without_comment(one_line(memory.type)))

    def _added(
        self, new: Sequence[Memory], sheets: dict[str, Sheet], taken: naming.Taken, now: datetime
    ) -> list[tuple[str, int]]:
        """Put new memories into the sheets; the answer is where each of them is."""
        if self.placement == "folders":
            return [(self._file_of_its_own(memory, sheets, taken, now), 0) for memory in new]
        places: dict[int, tuple[str, int]] = {}
        by_type: dict[str, list[int]] = {}
        for number, memory in enumerate(new):
            by_type.setdefault(memory.type, []).append(number)
        for numbers in by_type.values():
            group = [qwen_sheet.for_list(new[number]) for number in numbers]
            found = self._listed(group, sheets, taken, now)
            if found is None:       # together they would be misread (two say the same under two names): one by one
                found = [self._alone(memory, sheets, taken, now) for memory in group]
            places |= dict(zip(numbers, found, strict=True))
        return [places[number] for number in range(len(new))]

    def _file_of_its_own(self, memory: Memory, sheets: dict[str, Sheet], taken: naming.Taken, now: datetime) -> str:
        kind = _folder_name(memory.type)
        stem = naming.slug(memory.name, between="-")
        stem = f"memory-{stem}" if not kind and stem in TYPES else stem     # the name would say a type
        path = taken.free(kind, stem, between="-")
        sheets[path] = qwen_sheet.new_file(path, memory, now)
        return path

    def _alone(self, memory: Memory, sheets: dict[str, Sheet], taken: naming.Taken, now: datetime) -> tuple[str, int]:
        found = self._listed([memory], sheets, taken, now)
        return found[0] if found else (self._file_of_its_own(memory, sheets, taken, now), 0)

    def _listed(
        self, group: Sequence[Memory], sheets: dict[str, Sheet], taken: naming.Taken, now: datetime
    ) -> list[tuple[str, int]] | None:
        """Put memories of one type into the first file for it that can hold them, or into a new one."""
        stem, count = _folder_name(group[0].type) or "memory", 1
        while (path := f"{stem}.md" if count == 1 else f"{stem}-{count}.md") in sheets:
            grown = sheets[path].with_entries(group, now)
            if grown is not None:
                break
            count += 1
        else:
            path = taken.free("", path.removesuffix(".md"), between="-")
            about = _ABOUT.get(group[0].type, (group[0].type.capitalize() or "Memory", ""))
            grown = qwen_sheet.new_list(path, about, group, now)
            if grown is None:
                return None
        sheets[path] = grown
        first = len(grown.memories) - len(group)
        return [(path, first + number) for number in range(len(group))]

    def _index_file(self, folder: Folder, sheets: dict[str, Sheet]) -> dict[str, bytes | None]:
        """The index after a change."""
        found = fetch(folder, INDEX) if INDEX in folder else None
        data = self._rendered(sheets).encode("utf-8", "replace")
        return {} if isinstance(found, File) and found.data == data else {INDEX: data}

    def _rendered(self, sheets: dict[str, Sheet]) -> str:
        """The index: a line for each memory; in the edition one for each file that the product sees, newest first."""
        if not self.edition:
            return index.qwen(memory for sheet in sheets.values() for memory in sheet.memories).text
        lines = []
        for sheet in sorted(sheets.values(), key=_newest_first):
            seen = qwen_sheet.as_the_product_sees(sheet.file)
            if seen:
                title, description, type = seen
                lines.append(product_index.qwen_line(title, sheet.path, description, type))
        return product_index.qwen_built(lines[:MOST_INDEXED]).text


def _folder_name(type: str) -> str:
    """The folder of a type; "" for one that cannot have its own ("pinned" is the user's)."""
    kind = naming.slug(type, between="-", longest=20)
    return "" if kind == "pinned" or naming.is_reserved(kind) else kind


def _newest_first(sheet: Sheet) -> tuple[float, str]:
    """The product's order: by time, then by file name (spec §3.3)."""
    return -sheet.file.modified_at.timestamp(), sheet.path.rpartition("/")[2]


def _located(id: str, sheets: dict[str, Sheet]) -> tuple[str, int]:
    """The file and the number that an id names."""
    path, number = id, 0
    sheet = sheets.get(id)
    if sheet is None:
        path, _, digits = id.rpartition(":")
        sheet = sheets.get(path)
        number = int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < 6 else -1
        if sheet is None or len(sheet.memories) < 2 or not 0 <= number < len(sheet.memories):
            raise NotFound(f"there is no memory {id!r} in this store")
    elif not sheet.memories:
        raise NotFound(f"{id!r} holds no memory")
    elif len(sheet.memories) > 1:
        last = len(sheet.memories) - 1
        raise NotFound(f"{id!r} holds {last + 1} memories; name one of them, {id}:0 to {id}:{last}")
    naming.check(path)
    return path, number


def _planned(
    memory: Memory, sheets: dict[str, Sheet], edits: dict[str, dict[int, Memory | None]]
) -> tuple[str, int] | None:
    """Note a replacement; None when the memory has to move, since a file of several has one type."""
    path, number = _located(memory.id, sheets)
    edit = edits.setdefault(path, {})
    if number in edit:
        raise WrongUse(f"{memory.id!r} is changed twice in one change")
    old = sheets[path].memories[number]
    memory = replace(memory, type=memory.type or old.type)
    moves = sheets[path].several and memory.type != old.type
    edit[number] = None if moves else memory
    return None if moves else (path, number)


def _difference(before: dict[str, Sheet], after: dict[str, Sheet]) -> dict[str, bytes | None]:
    files: dict[str, bytes | None] = {path: None for path in before if path not in after}
    for path, sheet in after.items():
        if path not in before or before[path].file.data != sheet.file.data:
            files[path] = sheet.file.data
    return files
