"""The consolidator without a model: by rule, from the selected raw memories and the handbook that is there.

It does what can be done without understanding: each session's statements go to the block of its project, what is said twice
is said once (``core.merge``) and rests on both sessions, of two that contradict each other the later one stays, what rests on
sessions that are not selected any more goes. What a person put into the handbook, or took out of it, holds; so does what the
user said themselves (bullets that bear a name): what contradicts it is told, not done. Skills are left alone: that a
procedure is worth a skill of its own is a judgement.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from reverie.core import gate, merge, trust
from reverie.core import place as places
from reverie.core import text as texts
from reverie.core.consolidation import Given, Made
from reverie.core.events import Tombstone
from reverie.core.layout import File
from reverie.core.memory import By, Memory, Source
from reverie.core.merge import Act, Known
from reverie.core.proposal import Proposal
from reverie.core.relation import Relation, relation
from reverie.layouts import codex_entries, codex_handbook, codex_summary
from reverie.layouts import codex_names as names
from reverie.layouts.codex_entries import UNKNOWN, bullet_of
from reverie.layouts.codex_handbook import Found, Group, Handbook, Task
from reverie.layouts.codex_raw import Thread
from reverie.layouts.codex_reading import NOTES, Reading, description_for, name_for, skills_in
from reverie.layouts.codex_sections import OUTCOMES, Section, Shape, section_titled, type_in, whose
from reverie.layouts.codex_text import parts, shown

_GATE = gate.Gate("consolidating", gate.ALWAYS)


class Rules:
    """A consolidator (``core.consolidation.Consolidator``)."""

    name = "rules"

    def __init__(
        self, shape: Shape, *, project_of: Callable[[str], str], tombstones: Sequence[Tombstone] = (), rebuild: bool = True
    ) -> None:
        """``rebuild``: a handbook that is empty is made again, rather than that all of it was taken out on purpose."""
        self._shape, self._project_of, self._tombstones, self._rebuild = shape, project_of, tombstones, rebuild

    def consolidate(self, given: Given, *, now: datetime) -> Made:
        work = _Work(given, self._shape, self._project_of, self._tombstones, rebuild=self._rebuild)
        work.forget()
        work.learn()
        folder = dict(given.folder)
        data = work.handbook.document.data()
        if data != (folder[codex_handbook.PATH].data if codex_handbook.PATH in folder else None):
            folder[codex_handbook.PATH] = File(data, now)
        summary = self._summary(folder)
        if summary != (folder[codex_summary.PATH].data if codex_summary.PATH in folder else None):
            folder[codex_summary.PATH] = File(summary, now)
        return Made(folder=folder, notes=tuple(sorted((name, str(count)) for name, count in work.counts.items()))
                    + tuple(("contradicts what stands there", each) for each in work.contradicted[:20]))

    def _summary(self, folder: dict[str, File]) -> bytes:
        """The summary of what the handbook and the notes say; what lies unused in the inputs has no place in it."""
        memories = [_with_own_keywords(record.memory) for record in Reading(folder, self._shape).records.values()
                    if record.found or record.where.startswith(NOTES)]
        data = folder[codex_summary.PATH].data if codex_summary.PATH in folder else b""
        return codex_summary.written(data, memories, self._shape, skills_in(folder))


class _Work:
    """One consolidation."""

    def __init__(
        self, given: Given, shape: Shape, project_of: Callable[[str], str], tombstones: Sequence[Tombstone], *, rebuild: bool
    ) -> None:
        self._given, self._project_of, self._tombstones = given, project_of, tombstones
        self._read = Reading(given.folder, shape)
        self.handbook: Handbook = self._read.handbook
        self.counts: Counter[str] = Counter()
        self.contradicted: list[str] = []
        self._dropped: set[str] = set()         # sessions of which something may not be kept: their headline may tell it
        was = Handbook(given.baseline, shape) if given.baseline is not None else None
        old = [found.text for found in was.bullets()] if was else []
        now = {texts.fold(found.text) for found in self.handbook.bullets()}
        self._machine = {texts.fold(text) for text in old}              # what stood there after the last consolidation
        self._taken_out = [text for text in old if texts.fold(text) not in now]     # by a person, since
        if rebuild and self.handbook.blank:
            self._taken_out = []

    def _by_hand(self, found: Found) -> bool:
        """Whether a person may have put a bullet there, or the user said it: it has a name, or came since the baseline."""
        return bool(found.mark) or texts.fold(found.text) not in self._machine

    # ---- forgetting

    def forget(self) -> None:
        """What rests on sessions that are not selected any more goes."""
        gone = {path.removeprefix(names.SUMMARIES) for path, status in self._given.changes.items()
                if status == "D" and path.startswith(names.SUMMARIES)}
        if not gone:
            return
        for group in list(self.handbook.groups):
            self._forget_in(group, gone)

    def _forget_in(self, group: Group, gone: set[str]) -> None:
        bullets = [found for found in self.handbook.bullets() if found.group is group]
        expired = {id(task.node): task for task in group.tasks
                   if task.sources and {source["file"] for source in task.sources} <= gone}
        for found in bullets:                   # what a person wrote keeps the task that it stands in
            if self._by_hand(found):
                for task in found.tasks_of():
                    expired.pop(id(task.node), None)
        loose_by_hand = any(self._by_hand(found) and not found.tasks_of() for found in bullets)
        if len(expired) == len(group.tasks) and loose_by_hand:
            return
        for found in bullets:
            tasks = found.tasks_of()
            if found.task is None and tasks and all(id(task.node) in expired for task in tasks):
                self.handbook.remove(found)
                self.counts["forgotten"] += 1
            elif found.task and id(found.task.node) in expired:
                self.counts["forgotten"] += 1
        for task in expired.values():
            self.handbook.drop(group, task)
        for task in group.tasks:
            left = [source for source in task.sources if source["file"] not in gone]
            if left and len(left) < len(task.sources):
                self.handbook.uncite(task, gone)

    # ---- learning

    def learn(self) -> None:
        """What is new in the raw memories goes into the handbook, the oldest session first."""
        known, standing = self._known()
        for thread in sorted(self._fresh(), key=lambda thread: (_time(thread), thread.id)):
            for memory in self._told(thread):
                self._place(memory, thread, known, standing)

    def _fresh(self) -> Iterator[Thread]:
        """The sessions whose extract came or changed since the last time; all of them for a handbook that is empty."""
        for thread in self._read.raw.threads.values():
            changed = self._given.changes.get(names.SUMMARIES + thread.file, "") in ("A", "M")
            if thread.foreign and thread.file and (changed or self.handbook.blank):
                yield thread

    def _known(self) -> tuple[Known, dict[str, Found]]:
        memories, standing = [], {}
        nodes = {id(node) for node in self.handbook.document.root.walk()}       # a task that was forgotten is in none
        for name, record in self._read.records.items():
            if record.found and record.found.group and id(record.found.node) in nodes:
                memories.append(self._owned(replace(record.memory, id=name)))
                standing[name] = record.found
        return Known(memories), standing

    def _owned(self, memory: Memory) -> Memory:
        """A memory with its project's key, and a time to compare by."""
        project = memory.project
        key = self._project_of(project) if memory.scope == "project" and places.is_absolute(project) else project
        at = memory.source.said_at or memory.modified_at
        return replace(memory, project=key, source=replace(memory.source, said_at=at))

    def _told(self, thread: Thread) -> Iterator[Memory]:
        """What a session's extract says, statement by statement, without what may not be kept."""
        keywords = tuple(word for part in thread.front.get("keywords", "").split(",") if (word := part.strip()))
        for fields, label, said in thread.told_in_tasks():
            scope, project = whose(fields.get("task_group") or thread.front.get("task_group", ""), thread.cwd)
            if not said.strip() or section_titled(label) in (Section.FILES, Section.KEYWORDS):
                continue
            body, why, how = parts(said)
            memory = self._owned(Memory(
                name=name_for(body), description=description_for(body), type=type_in(section_titled(label), scope=scope),
                body=body, why=why, how_to_apply=how, scope=scope, project=project, keywords=keywords,
                source=Source(by=By.MODEL, host="codex", session=thread.id, cwd=thread.cwd), modified_at=_time(thread),
            ))
            memory = _with_own_keywords(memory) if scope == "user" else memory
            drop = _GATE.check(Proposal(memory=memory), tombstones=self._tombstones)
            if drop:
                self._dropped.add(thread.id)
                self.counts[f"refused: {drop.reason}"] += 1
            elif self._was_taken_out(memory):
                self.counts["taken out by hand"] += 1
            else:
                yield memory

    def _was_taken_out(self, memory: Memory) -> bool:
        said = texts.fold(bullet_of(memory))
        for text in self._taken_out:
            body, why, how = parts(text)
            old = replace(memory, name=name_for(body), description=description_for(body), body=body, why=why, how_to_apply=how)
            if texts.fold(text) == said or relation(old, memory).relation is Relation.DUPLICATE:
                return True
        return False

    def _place(self, memory: Memory, thread: Thread, known: Known, standing: dict[str, Found]) -> None:
        placement = merge.place(Proposal(memory=memory), known)
        old = standing.get(placement.existing.id) if placement.existing else None
        if placement.act is Act.CONFIRM and old:
            self._cite(old, memory, thread)
            self.counts["confirmed"] += 1
            return
        void = [each for each in (placement.existing, *placement.also_void) if each and each.id in standing]
        if any(self._by_hand(standing[each.id]) for each in void):
            self.contradicted.append(shown(memory.body)[:160])
            self.counts["contradictions left"] += 1
            return
        for each in void:
            self.handbook.remove(standing.pop(each.id))
            known.remove(each.id)
        found = self._add(memory, thread)
        id = f"new:{len(standing)}:{self.counts.total()}"
        known.put(replace(memory, id=id))
        standing[id] = found
        self.counts["superseded" if void else "added"] += 1
        for each in void:
            self._tidy(each)

    def _add(self, memory: Memory, thread: Thread) -> Found:
        at = codex_entries.time(_time(thread))
        number = sum(len(group.tasks) for group in self.handbook.groups)
        found = self.handbook.put(memory, "", bullet_of(memory), thread=thread.id, file=thread.file, updated_at=at)
        assert found.group is not None
        self._machine.add(texts.fold(found.text))
        task = found.group.of_session(thread.id, thread.file)
        assert task is not None
        if sum(len(group.tasks) for group in self.handbook.groups) > number:
            self._describe(task, memory, thread)
        self._cite_in(task, thread)
        return found

    def _describe(self, task: Task, memory: Memory, thread: Thread) -> None:
        """A new task is called by what the session was about."""
        about = shown(thread.front.get("description", "")) or memory.name
        apart = memory.scope == "user"          # seen in every project: what else the session was about is one project's
        about = memory.name if apart or thread.id in self._dropped or trust.instructs(about) else about
        outcome = thread.front.get("task_outcome", "")
        task.node.heading = codex_handbook.heading(task.number, about, outcome if outcome in OUTCOMES else "uncertain")

    def _cite(self, found: Found, memory: Memory, thread: Thread) -> None:
        """Let what stands there rest on one more session; what a person wrote or said needs no more."""
        tasks = found.tasks_of()
        if not self._by_hand(found) and tasks and found.group and found.group.scope == memory.scope:
            self._cite_in(tasks[0], thread)

    def _cite_in(self, task: Task, thread: Thread) -> None:
        self.handbook.cite(
            task, thread=thread.id, file=thread.file, cwd=shown(thread.cwd) or UNKNOWN,
            updated_at=codex_entries.time(_time(thread)), rollout_path=shown(thread.fields.get("rollout_path", "")) or UNKNOWN,
        )

    def _tidy(self, gone: Memory) -> None:
        """A task in which nothing is left goes."""
        for group in list(self.handbook.groups):
            held = {id(task.node) for found in self.handbook.bullets() if found.group is group for task in found.tasks_of()}
            for task in list(group.tasks):
                if id(task.node) not in held and any(source.get("thread_id") == gone.source.session for source in task.sources):
                    self.handbook.drop(group, task)


def _with_own_keywords(memory: Memory) -> Memory:
    """A memory with those of its task's keywords that it is about."""
    said = memory.text.casefold()
    return replace(memory, keywords=tuple(word for word in memory.keywords if word.casefold() in said))


def _time(thread: Thread) -> datetime:
    at = thread.updated_at or datetime.fromtimestamp(0, UTC)
    return at if at.tzinfo else at.replace(tzinfo=UTC)

