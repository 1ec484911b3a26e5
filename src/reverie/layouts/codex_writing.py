"""A change of a folder of Codex's layout, worked out file by file.

The consolidation that the product leaves to a model is a table here: a memory goes to the block of its project, the
task of its session, the section of its kind (``codex_sections``), and with all its fields into the raw memories. Then
the tasks, the heads of sessions, the sessions' files and the summary follow. Only what the change is about is touched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from reverie.core import scalar
from reverie.core.memory import Memory, Status
from reverie.errors import NotFound
from reverie.layouts import codex_entries, codex_handbook, codex_raw, codex_summary
from reverie.layouts import codex_names as names
from reverie.layouts.base import Change, Folder, Written
from reverie.layouts.codex_entries import Entry
from reverie.layouts.codex_raw import Thread
from reverie.layouts.codex_reading import Reading, Record, skills_in
from reverie.layouts.codex_rollout import Rollout
from reverie.layouts.codex_sections import Shape, section_of


class Writer:
    """One change. Call ``remove`` and ``put``, then ``finish``."""

    def __init__(self, folder: Folder, shape: Shape, now: datetime) -> None:
        self._folder = folder
        self._shape = shape
        self._now = now
        self._read = Reading(folder, shape)
        self._handbook = self._read.handbook
        self._raw = self._read.raw
        self._records = self._read.records
        self._marks = {record.mark for record in self._records.values()} | self._raw.entries.keys()
        self._session_files = {thread.file for thread in self._raw.threads.values()}
        self._held = self._handbook.holdings(self._by_mark())
        self._before: dict[str, list[Entry]] = {}       # the entries of touched threads, as they were
        self._files: dict[str, bytes | None] = {}
        self._notes: dict[str, str] = {}
        self._summary = self._read.bytes(codex_summary.PATH)
        self._rebuild()

    # ---- what a change asks for

    def remove(self, id: str) -> None:
        """Take a memory out wherever it stands."""
        record = self._known(id)
        entry = self._raw.entries.get(record.mark)
        if entry:
            self._touch(self._raw.threads[entry.thread])
        del self._records[id]
        self._silence(record)
        if record.found:
            self._handbook.remove(record.found)
        if entry:
            self._raw.remove(record.mark)
        elif record.mark and record.found:
            self._drop_from_rollouts(record)
        elif record.found:
            self._note_evidence(record)
        elif record.where == codex_raw.PATH:
            self._raw.remove_told(record.thread, record.text)
        elif record.where == codex_summary.PATH:
            self._summary = codex_summary.remove_item(self._summary, record.text)
        else:
            self._files[record.where] = None

    def put(self, memory: Memory) -> str:
        """Add or replace a memory; its id."""
        memory = _tidy(memory)
        if not memory.id:
            return self._add(memory)
        record = self._known(memory.id)
        if replace(record.memory, id="", modified_at=None) == replace(memory, id="", modified_at=None):
            return memory.id
        if record.mark:
            return self._update(record, memory)
        found = record.found
        if found and found.group and found.group.holds(memory) and found.section is section_of(memory):
            return self._adopt(record, memory)
        self.remove(memory.id)
        return self._add(memory)

    def finish(self, ids: Sequence[str]) -> Written:
        """Everything that follows from the change, as bytes."""
        for id in list(self._before):
            self._settle_thread(id)
        self._handbook.settle(self._held, self._handbook.holdings(self._by_mark()))
        memories = [record.memory for record in self._records.values()]
        self._write(codex_handbook.PATH, self._handbook.document.data())
        self._write(codex_raw.PATH, self._raw.data())
        changed = any(self._folder_bytes(path) != data for path, data in self._files.items())
        if changed or self._summary != self._read.bytes(codex_summary.PATH):
            skills = skills_in(self._folder)
            self._write(codex_summary.PATH, codex_summary.written(self._summary, memories, self._shape, skills))
        files = {path: data for path, data in self._files.items() if self._folder_bytes(path) != data}
        return Written(files=files, ids=tuple(ids), notes=self._notes)

    def _silence(self, record: Record) -> None:
        """Take out what only repeats a memory: the same bullet again, a line of the summary by somebody else."""
        for twin in record.twins:
            self._handbook.remove(twin)
        for echo in record.echoes:
            self._summary = codex_summary.remove_item(self._summary, echo)
        record.twins, record.echoes = [], []

    # ---- one memory

    def _known(self, id: str) -> Record:
        if id not in self._records:
            raise NotFound(f"There is no memory {id!r} here.")
        return self._records[id]

    def _add(self, memory: Memory) -> str:
        thread = names.thread_of(memory, self._now)
        mark = names.mark_of(memory, thread, self._marks)
        return self._store(memory, mark, thread, memory.source.said_at or self._now)

    def _store(self, memory: Memory, mark: str, thread_id: str, updated_at: datetime) -> str:
        thread = self._thread(thread_id, memory, updated_at)
        entry = self._raw.put(thread, mark, memory, updated_at)
        record = Record(
            replace(memory, id=f"{codex_handbook.PATH}:{mark}", modified_at=updated_at),
            where=codex_raw.PATH, mark=mark, thread=thread.id,
        )  # fmt: skip
        self._records[record.memory.id] = record
        self._marks.add(mark)
        self._show(record, entry)
        return record.memory.id

    def _show(self, record: Record, entry: Entry) -> None:
        """Give a memory its bullet in the handbook: agents read there, so only what counts is shown."""
        if record.memory.status is not Status.ACTIVE:
            return
        thread = self._raw.threads[record.thread]
        at = codex_entries.time(entry.memory.modified_at or self._now)
        record.found = self._handbook.put(
            record.memory, record.mark, entry.bullet, thread=thread.id, file=thread.file, updated_at=at
        )
        record.where = codex_handbook.PATH

    def _update(self, record: Record, memory: Memory) -> str:
        self._silence(record)
        old = record.memory
        said_at = memory.source.said_at
        is_news = said_at and said_at != old.source.said_at
        updated_at = said_at if said_at and is_news else self._now
        same_session = (old.source.session, old.scope, old.project) == (
            memory.source.session, memory.scope, memory.project)  # fmt: skip
        thread = record.thread if record.thread and same_session else names.thread_of(memory, self._now)
        if record.thread in self._raw.threads:
            self._touch(self._raw.threads[record.thread])
        elif record.found:
            self._drop_from_rollouts(record)
        found = record.found
        stays = (
            found is not None
            and memory.status is Status.ACTIVE
            and thread == record.thread
            and found.group is not None
            and found.group.holds(memory)
            and found.section is self._handbook.section_for(memory)
        )
        if not stays:
            if found:
                self._handbook.remove(found)
            return self._store(memory, record.mark, thread, updated_at)
        assert found is not None
        entry = self._raw.put(self._thread(thread, memory, updated_at), record.mark, memory, updated_at)
        record.memory = replace(memory, modified_at=updated_at)
        if not found.says(entry.bullet):
            record.found = self._handbook.replace(found, entry.bullet, record.mark)
        return memory.id

    def _adopt(self, record: Record, memory: Memory) -> str:
        """Make a bullet that somebody else wrote one of ours, where it stands."""
        assert record.found is not None
        self._silence(record)
        at = memory.source.said_at or self._now
        thread_id = names.thread_of(memory, self._now)
        mark = names.mark_of(memory, thread_id, self._marks)
        self._marks.add(mark)
        thread = self._thread(thread_id, memory, at)
        entry = self._raw.put(thread, mark, memory, at)
        found = self._handbook.replace(record.found, entry.bullet, mark)
        del self._records[record.memory.id]
        memory = replace(memory, id=f"{codex_handbook.PATH}:{mark}", modified_at=at)
        self._records[memory.id] = Record(memory, where=codex_handbook.PATH, mark=mark, found=found, thread=thread.id)
        return memory.id

    # ---- sessions

    def _thread(self, id: str, memory: Memory, updated_at: datetime) -> Thread:
        if id not in self._raw.threads:
            file = self._file_of(id, memory, updated_at)
            self._raw.thread(id, cwd=memory.source.cwd, file=file, updated_at=updated_at)
            self._before.setdefault(id, [])
        thread = self._raw.threads[id]
        self._touch(thread)
        if not thread.file:             # there was none, or no plain name
            self._raw.set_file(thread, self._file_of(id, memory, updated_at))
        return thread

    def _file_of(self, thread: str, memory: Memory, updated_at: datetime) -> str:
        """The name of a new session's file: the one that the handbook cites, else the product's rule."""
        for group in self._handbook.groups:
            task = group.of_session(thread, "")
            for source in task.sources if task else ():
                if source.get("thread_id") == thread and names.is_summary_file(source["file"]):
                    return source["file"]
        # a name that agents see is no place for what they are not to see
        name = names.summary_file(thread, updated_at, memory.name if memory.status is Status.ACTIVE else "")
        while name in self._session_files or names.SUMMARIES + name in self._folder:
            name = f"{name.removesuffix('.md')}_.md"
        self._session_files.add(name)
        return name

    def _touch(self, thread: Thread) -> None:
        """Remember what a session held, and follow what a person did to its bullets in the handbook."""
        if thread.id in self._before:
            return
        self._before[thread.id] = [entry.copy() for entry in thread.entries]
        for entry in list(thread.entries):
            record = self._records.get(f"{codex_handbook.PATH}:{entry.mark}")
            if record is None:
                self._raw.remove(entry.mark)
            elif replace(record.memory, id="", modified_at=None) != replace(entry.memory, modified_at=None):
                self._raw.put(thread, entry.mark, record.memory, entry.memory.modified_at or self._now)

    def _settle_thread(self, id: str) -> None:
        thread, before = self._raw.threads[id], self._before[id]
        shown_before = [entry for entry in before if entry.memory.status is Status.ACTIVE]
        if not thread.file and not thread.entries:      # without a name there is no file to follow
            self._raw.refresh(thread, before, "")
            return
        old = thread.file or self._file_of(id, thread.entries[0].memory, thread.updated_at or self._now)
        new = _renamed(old, shown_before, thread.active)
        self._raw.refresh(thread, before, new)
        path = names.SUMMARIES + old
        rollout = Rollout(self._current(path))
        if rollout.update(thread, shown_before, thread.active):
            self._files[path] = None if new != old else rollout.document.data()
            self._files[names.SUMMARIES + new] = rollout.document.data()
        else:
            self._files[path] = None
            self._handbook.forget_file(old)
        if new != old:
            self._handbook.rename(old, new)

    def _drop_from_rollouts(self, record: Record) -> None:
        """Take a memory out of the sessions' files when the raw memories no longer tell which it was."""
        assert record.found is not None
        for task in record.found.tasks_of():
            for source in task.sources:
                path = names.SUMMARIES + source["file"]
                data = self._current(path)
                if names.is_summary_file(source["file"]) and data:
                    rollout = Rollout(data)
                    rollout.drop(record.found.text)
                    self._files[path] = None if rollout.says_nothing else rollout.document.data()

    def _note_evidence(self, record: Record) -> None:
        """Say where a product's own files still hold what is taken out of the handbook."""
        assert record.found is not None
        for task in record.found.tasks_of():
            for source in task.sources:
                path = names.SUMMARIES + source["file"]
                if path in self._folder:
                    self._notes[path] = "it may still say what was forgotten: the product wrote it, and owns it"

    # ---- the whole

    def _rebuild(self) -> None:
        """Write a handbook that was deleted or emptied again, before the first new bullet makes it look complete."""
        if not self._handbook.blank:
            return
        for record in list(self._records.values()):
            entry = self._raw.entries.get(record.mark)
            if entry and record.memory.status is Status.ACTIVE:
                self._touch(self._raw.threads[entry.thread])
                self._show(record, entry)

    def _by_mark(self) -> dict[str, Memory]:
        return {record.mark: record.memory for record in self._records.values() if record.mark}

    def _folder_bytes(self, path: str) -> bytes | None:
        file = self._folder.get(path)
        return file.data if file else None

    def _current(self, path: str) -> bytes:
        return (self._files[path] if path in self._files else self._folder_bytes(path)) or b""

    def _write(self, path: str, data: bytes) -> None:
        if data or path in self._folder or path == codex_handbook.PATH:     # the product insists on a handbook
            self._files[path] = data


def write(folder: Folder, change: Change, shape: Shape, now: datetime) -> Written:
    """Carry out a change: removals first, so that a removed memory cannot be replaced as well."""
    if not change.put and not change.remove:
        return Written(files={})
    writer = Writer(folder, shape, now)
    for id in change.remove:
        writer.remove(id)
    return writer.finish([writer.put(memory) for memory in change.put])


def _renamed(file: str, before: Sequence[Entry], after: Sequence[Entry]) -> str:
    """A session's file is named after a memory; when that one is gone, its name must not stand there any longer."""
    old, new = ({names.slugged(entry.memory.name) for entry in entries} for entries in (before, after))
    stem = file.removesuffix(".md")
    for slug in sorted(old - new):
        if slug and after and stem.endswith(f"-{slug}"):
            other = names.slugged(after[0].memory.name)
            return f"{stem.removesuffix(slug).rstrip('-')}{'-' if other else ''}{other}.md"
    return file


def _tidy(memory: Memory) -> Memory:
    """A memory's texts as a file can hold them."""
    return replace(
        memory,
        name=scalar.whole(memory.name),
        description=scalar.whole(memory.description),
        body=scalar.tidy(memory.body),
        why=scalar.tidy(memory.why),
        how_to_apply=scalar.tidy(memory.how_to_apply),
        keywords=tuple(scalar.whole(word) for word in memory.keywords),
    )
