"""What a folder of Codex's layout holds, whoever wrote it.

The handbook comes first: a bullet there is a memory. Ours bear a name, under which ``raw_memories.md`` has all their
fields; where a person has changed the bullet, the bullet holds, and where it was moved to another block, that block's
label holds. What the handbook does not cover is looked for in the raw memories, then in the sessions' summaries, the
ad-hoc notes, and in what the summary alone says. A memory's id never depends on other memories: it is made of the name,
or of the words.

Skills are no memories here: a skill is a folder with scripts, a procedure for the agent to open; as a memory of one
text it could be merged, rewritten or forgotten to pieces. The summary points to those of a session's project, and that is
all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime

from reverie.core import budget, frontmatter, redact, scalar, text, trust
from reverie.core import place as places
from reverie.core.memory import By, Memory, Source, Status
from reverie.layouts import codex_entries, codex_handbook, codex_raw, codex_summary, fields, naming
from reverie.layouts import codex_names as names
from reverie.layouts.base import Folder, Problem, Shows, to_anyone
from reverie.layouts.codex_handbook import Found, Handbook
from reverie.layouts.codex_raw import RawMemories, Thread
from reverie.layouts.codex_rollout import Rollout
from reverie.layouts.codex_sections import Shape, applied_to, section_titled, type_in, whose, whose_block
from reverie.layouts.codex_text import Document, parts, shown

NOTES = "extensions/ad_hoc/notes/"
_RESOURCE = re.compile(r"extensions/(?!ad_hoc/)([^/]+)/resources/.+\.md\Z")     # what another tool feeds (spec/codex §15.1)
SCOPE_BYTES = 16 * 1024
SKILLS = "skills/"
SKILL_CHARACTERS = 2_000            # of a skill's description that are judged; the summary shows fewer
NAME_LENGTH = 80                    # characters of a name that we have to make
DESCRIPTION_LENGTH = 160


class Record:
    """A memory and where it stands: ``found`` in the handbook (``twins``: the same words again in the same place),
    ``thread`` its session in the raw memories, ``text`` what stands elsewhere, ``echoes`` what the summary repeats.
    ``mark`` is its name if it is ours."""

    __slots__ = ("echoes", "found", "mark", "memory", "text", "thread", "twins", "where")

    def __init__(
        self,
        memory: Memory,
        *,
        where: str,
        mark: str = "",
        found: Found | None = None,
        thread: str = "",
        text: str = "",
    ) -> None:
        self.memory = memory
        self.where = where
        self.mark = mark
        self.found = found
        self.thread = thread
        self.text = text
        self.twins: list[Found] = []
        self.echoes: list[str] = []


class Reading:
    """A folder, read: ``records`` by id in a stable order, and what could not be understood."""

    def __init__(self, folder: Folder, shape: Shape) -> None:
        self.folder = folder
        self.handbook = Handbook(self.bytes(codex_handbook.PATH), shape)
        self.raw = RawMemories(self.bytes(codex_raw.PATH))
        self.records: dict[str, Record] = {}
        self.problems: list[Problem] = []
        self._cited = _Cited(self.handbook)
        self._read_handbook()
        self._read_raw()
        self._read_files()
        self._read_summary()
        self._look_for_problems()

    def bytes(self, path: str) -> bytes:
        file = self.folder.get(path)
        return file.data if file else b""

    def time(self, path: str) -> datetime | None:
        file = self.folder.get(path)
        return file.modified_at if file else None

    def _add(self, record: Record, *, prefix: str, words: tuple[str, ...] = ()) -> None:
        id = f"{prefix}:{record.mark or names.content_mark(*words)}"
        if id not in self.records:
            record.memory = replace(record.memory, id=id)
            self.records[id] = record
        elif record.found:              # the same words twice are one memory
            self.records[id].twins.append(record.found)

    # ---- the handbook

    def _read_handbook(self) -> None:
        seen: set[str] = set()
        for found in self.handbook.bullets():
            entry = self.raw.entries.get(found.mark)
            if found.mark in seen:
                first = self.records[f"{codex_handbook.PATH}:{found.mark}"]
                if first.found and (first.found.text, first.found.group) == (found.text, found.group):
                    first.twins.append(found)
                    continue
                self.problems.append(Problem(path=codex_handbook.PATH, reason="duplicate_name", detail=found.mark))
            if entry and found.mark not in seen:
                seen.add(found.mark)
                memory = entry.memory if found.says(entry.bullet) else _edited(entry.memory, found.text)
                if found.group is None or not found.group.holds(memory):
                    scope, project = (found.group.scope, found.group.project) if found.group else ("project", "")
                    memory = replace(_nobodys(memory), scope=scope, project=project)
                record = Record(memory, where=codex_handbook.PATH, mark=found.mark, found=found, thread=entry.thread)
            elif found.mark and found.mark not in seen:
                seen.add(found.mark)
                record = Record(self._from_bullet(found), where=codex_handbook.PATH, mark=found.mark, found=found)
            else:
                record = Record(self._from_bullet(found), where=codex_handbook.PATH, found=found)
            self._add(record, prefix=codex_handbook.PATH, words=_words_of(found))

    def _from_bullet(self, found: Found) -> Memory:
        """A memory of which only the bullet is known: written by a product, by hand, or by us and then cut off."""
        body, why, how = parts(found.text)
        tasks = found.tasks_of()
        group = found.group
        sources = [source for task in tasks for source in task.sources]
        threads = {source["thread_id"] for source in sources if source.get("thread_id")}
        directories = {source["cwd"] for source in sources if source.get("cwd")}
        times = [at for source in sources if (at := codex_entries.read_time(source.get("updated_at", "")))]
        scope, project = (group.scope, group.project) if group else ("project", "")
        directory = directories.pop() if len(directories) == 1 else (group.cwd if group else "")
        return Memory(
            name=(self._name_in_rollouts(found) if found.mark else "") or name_for(body),
            description=description_for(body),
            type=type_in(found.section, scope=scope),
            body=body,
            why=why,
            how_to_apply=how,
            scope=scope,
            project=project,
            keywords=tuple(dict.fromkeys(scalar.whole(word) for task in tasks for word in task.keywords)),
            source=Source(
                by=By.UNKNOWN,
                host="codex" if len(threads) == 1 and not found.mark else "",
                session=scalar.whole(threads.pop()) if len(threads) == 1 else "",
                cwd=scalar.whole(directory) if places.is_absolute(directory) else "",
            ),
            modified_at=max(times) if times else self.time(codex_handbook.PATH),
        )

    def _name_in_rollouts(self, found: Found) -> str:
        """The name that our bullet has in the session's summary, which may outlive the raw memories."""
        for task in found.tasks_of():
            for source in task.sources:
                file = self.folder.get(names.SUMMARIES + source["file"]) if source["file"] else None
                if file:
                    name = Rollout(file.data).bullets().get(found.text, "")
                    if name:
                        return name
        return ""

    # ---- the raw memories

    def _read_raw(self) -> None:
        for thread in self.raw.threads.values():
            for entry in thread.entries:
                id = f"{codex_handbook.PATH}:{entry.mark}"
                if id in self.records:
                    continue
                if entry.memory.status is Status.ACTIVE and not self.handbook.blank:
                    # whoever took the bullet out of the handbook wants it forgotten
                    self.problems.append(Problem(path=codex_raw.PATH, reason="not_in_handbook", detail=entry.mark))
                    continue
                record = Record(entry.memory, where=codex_raw.PATH, mark=entry.mark, thread=thread.id)
                self._add(record, prefix=codex_handbook.PATH)
            if thread.foreign and codex_raw.CONSOLIDATED not in thread.fields and not self._cited.covers(thread):
                self._read_foreign(thread)

    def _read_foreign(self, thread: Thread) -> None:
        """A session that the product has extracted and not yet put into the handbook."""
        front = thread.front
        scope, project = whose(front.get("task_group", ""), thread.cwd)
        for label, said in thread.told():
            body, why, how = parts(said)
            memory = Memory(
                name=name_for(body),
                description=description_for(body),
                type=type_in(section_titled(label), scope=scope),
                body=body,
                why=why,
                how_to_apply=how,
                scope=scope,
                project=project,
                keywords=tuple(word for part in front.get("keywords", "").split(",") if (word := part.strip())),
                source=Source(host="codex", session=thread.id, cwd=thread.cwd),
                modified_at=thread.updated_at or self.time(codex_raw.PATH),
            )
            record = Record(memory, where=codex_raw.PATH, thread=thread.id, text=said)
            self._add(record, prefix=codex_raw.PATH, words=(thread.id, label, said))

    # ---- files of their own

    def _read_files(self) -> None:
        in_raw = {thread.file for thread in self.raw.threads.values()}
        pointers = self._pointers()
        for path in sorted(self.folder):
            name = path.rpartition("/")[2]
            if path == names.SUMMARIES + name and name.endswith(".md"):
                if name not in self._cited.files and name not in in_raw:
                    self._read_rollout(path, pointers.get(name, ""))
            elif path.startswith(NOTES) and name.endswith(".md"):
                owner = path.removeprefix(NOTES).rpartition("/")[0].partition("/")[0]
                if owner or name not in self._cited.files:      # a bare name in the handbook does not mean a file below
                    self._read_note(path, owner)
            elif self._is_fed(path) and name not in self._cited.files:
                self._read_resource(path, extension_of(path))

    def _read_rollout(self, path: str, about: str) -> None:
        rollout = Rollout(self.bytes(path))
        header = {key: scalar.whole(value) for key, value in rollout.header.items()}
        if not rollout.body:
            return
        cwd = header.get("cwd", "") if header.get("cwd") != codex_entries.UNKNOWN else ""
        scope, project = whose("", cwd)
        memory = Memory(
            name=name_for(rollout.headline or rollout.body),
            description=about or description_for(rollout.headline or rollout.body),
            body=rollout.body,
            scope=scope,
            project=project,
            source=Source(host="codex", session=header.get("thread_id", ""), cwd=cwd),
            modified_at=codex_entries.read_time(header.get("updated_at", "")) or self.time(path),
            id=path,
        )
        self.records[path] = Record(memory, where=path, thread=header.get("thread_id", ""))

    def _read_note(self, path: str, owner: str) -> None:
        """An ad-hoc note. The product's lie in one folder and have no label; in a folder named by a project's key, or
        ``user``, they are that project's or the user's."""
        document = frontmatter.parse(self.bytes(path))
        body = scalar.tidy(document.body.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))
        if not body:
            return
        memory = Memory(
            name=scalar.whole(document.get("name") or "") or name_for(body),
            description=scalar.whole(document.get("description") or "") or description_for(body),
            type=fields.type_of(document, nested_first=True, otherwise="project"),
            body=body,
            scope="user" if owner == "user" else "project",
            project=owner if places.looks_like_project_key(owner) else "",
            source=Source(by=By.AGENT, host="codex" if not owner else ""),
            modified_at=self.time(path),
            id=path,
        )
        self.records[path] = Record(fields.read_provenance(document, memory), where=path)

    def _is_fed(self, path: str) -> bool:
        """Whether a document belongs to an extension that says how it is to be read."""
        extension = extension_of(path)
        return bool(extension) and f"extensions/{extension}/instructions.md" in self.folder

    def _read_resource(self, path: str, extension: str) -> None:
        """A document that another tool fed through an extension, and that is not in the handbook yet. The ``scope.json`` nearest
        above it says whose it is (spec/codex §15.4); without one it is nobody's."""
        document = frontmatter.parse(self.bytes(path))
        body = scalar.tidy(document.body.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))
        if not body:
            return
        cwd = self._scope_of(path)
        memory = Memory(
            name=scalar.whole(document.get("name") or "") or name_for(body),
            description=scalar.whole(document.get("description") or "") or description_for(body),
            type=fields.type_of(document, nested_first=True, otherwise="project"),
            body=body,
            project=cwd,
            source=Source(by=By.UNKNOWN, host=scalar.whole(extension), cwd=cwd),
            modified_at=self.time(path),
            id=path,
        )
        self.records[path] = Record(memory, where=path)

    def _scope_of(self, path: str) -> str:
        """The working directory that an extension gives for its documents, "" for none."""
        folder = path.rpartition("/")[0]
        while folder.count("/") >= 2:           # down to ``extensions/<name>/resources``
            data = self.bytes(f"{folder}/scope.json")[:SCOPE_BYTES]
            try:
                cwd = json.loads(data)["cwd"] if data else ""
            except (ValueError, KeyError, TypeError, RecursionError):
                cwd = ""
            if isinstance(cwd, str) and places.is_absolute(cwd):
                return scalar.whole(cwd)
            folder = folder.rpartition("/")[0]
        return ""

    def _pointers(self) -> dict[str, str]:
        """What the second generation's summary says about a session's file: "file <dash> sentence; thread_id=…"
        (spec/codex §11.3)."""
        found: dict[str, str] = {}
        for line in self.bytes(codex_summary.PATH).decode("utf-8", "replace").splitlines():
            head, mark, rest = line.partition(".md")
            if mark and "rollout_summaries/" in head:
                sentence = rest.partition("; thread_id=")[0].strip(" \t—–-:")
                found.setdefault(head.rpartition("/")[2] + mark, budget.clip(shown(sentence), DESCRIPTION_LENGTH).text)
        return found

    # ---- the summary

    def _read_summary(self) -> None:
        """What stands in the profile, the preferences and the tips and nowhere else."""
        document = Document(self.bytes(codex_summary.PATH), deepest=4)
        known = {text.fold(record.found.text): record for record in self.records.values() if record.found}
        for title, kind in (
            (codex_summary.PROFILE, "user"), (codex_summary.PREFERENCES, "feedback"), (codex_summary.TIPS, "feedback"),
        ):  # fmt: skip
            for item in codex_summary.foreign_items(document, title):
                said = scalar.whole(item)
                standing = known.get(text.fold(said))
                if standing:
                    standing.echoes.append(item)
                if standing or not said.strip():
                    continue
                body, why, how = parts(said)
                memory = Memory(name=name_for(body), description=description_for(body), type=kind, body=body, why=why,
                                how_to_apply=how, scope="user", source=Source(host="codex"),
                                modified_at=self.time(codex_summary.PATH))
                record = Record(memory, where=codex_summary.PATH, text=item)
                self._add(record, prefix=codex_summary.PATH, words=(title, item))
        if codex_summary.PATH in self.folder and not document.blank:
            first = document.text.split("\n", 1)[0].strip()
            if first != codex_summary.FIRST_LINE:
                self.problems.append(Problem(path=codex_summary.PATH, reason="no_version_line", detail=first[:80]))
            self._look_at(codex_summary.PATH, document)

    # ---- problems

    def _look_for_problems(self) -> None:
        self._look_at(codex_handbook.PATH, self.handbook.document)
        self._look_at(codex_raw.PATH, self.raw.document)
        for heading in self.handbook.unknown_blocks():
            self.problems.append(Problem(path=codex_handbook.PATH, reason="unknown_block", detail=heading[:80]))
        for group in self.handbook.groups:
            if not group.cwd:
                self.problems.append(Problem(path=codex_handbook.PATH, reason="no_applies_to", detail=group.label[:80]))
        for mark in self.raw.duplicates:
            self.problems.append(Problem(path=codex_raw.PATH, reason="duplicate_name", detail=mark))
        for thread in self.raw.threads.values():
            name = thread.fields.get("rollout_summary_file", "")
            if name and not thread.file:
                self.problems.append(Problem(path=codex_raw.PATH, reason="name_not_allowed", detail=name[:80]))

    def _look_at(self, path: str, document: Document) -> None:
        if not document.is_utf8:
            self.problems.append(Problem(path=path, reason="not_utf8"))
        if document.unclosed:
            self.problems.append(Problem(path=path, reason="unclosed_fence"))


class _Cited:
    """What the handbook rests on: every file that it names, and the sessions (by thread or file) whose own words
    somebody has put into it. A task that holds only bullets of ours says nothing about the rest of its session."""

    def __init__(self, handbook: Handbook) -> None:
        self.files = names.mentioned_files(handbook.document.text)
        ours = handbook.tasks_of_ours()
        rest = [line for node in handbook.document.root.walk() if id(node) not in ours for line in node.lines]
        text = "\n".join(rest)
        self._used_files = names.mentioned_files(text)
        words = (word.partition("thread_id=") for word in text.split())
        self._used = {name.strip(",.;()[]") for _, mark, name in words if mark}

    def covers(self, thread: Thread) -> bool:
        """Whether a session's raw memories have gone into the handbook."""
        return thread.id in self._used or (bool(thread.file) and thread.file in self._used_files)


def extension_of(path: str) -> str:
    """The extension that a document was fed through, "" when the path is no such document's."""
    found = _RESOURCE.match(path)
    return found[1] if found else ""


def skills_in(folder: Folder, shows: Shows = to_anyone) -> Mapping[str, str]:
    """The skills of a folder that may be shown: path to description."""
    return dict(_skills(folder, shows))


def skill_whose(document: frontmatter.Document) -> tuple[str, str]:
    """(scope, project) of a skill, as ``whose``: what its frontmatter says after ``applies_to``, at the top or in ``metadata``,
    where the open form has room for it. Without it a skill is nobody's."""
    return whose_block("", applied_to(document.get("metadata.applies_to") or document.get("applies_to") or ""))


def _skills(folder: Folder, shows: Shows) -> Iterator[tuple[str, str]]:
    for path in sorted(folder):
        if path.startswith(SKILLS) and path.count("/") == 2 and path.endswith("/SKILL.md"):
            document = frontmatter.parse(folder[path].data)
            if not shows(*skill_whose(document)):
                continue
            description = (document.get("description") or "")[:SKILL_CHARACTERS]
            if not trust.instructs(f"{description}\n\n{naming.spoken(path)}"):    # no door is before this folder
                yield path, redact.redact(description).text


def _words_of(found: Found) -> tuple[str, ...]:
    label = found.group.label if found.group else ""
    return label, found.section or found.node.title, found.text


def _edited(memory: Memory, said: str) -> Memory:
    """A memory whose bullet somebody has changed: the bullet holds. Nobody knows who held the pen, so it is no
    longer the user's word (DESIGN §4.5)."""
    body, why, how = parts(said)
    return replace(_nobodys(memory), body=body, why=why, how_to_apply=how)


def _nobodys(memory: Memory) -> Memory:
    """A memory that somebody rewrote or moved: nobody's word but the agent's."""
    return replace(memory, source=replace(memory.source, by=trust.lower(memory.source.by, By.AGENT)))


def name_for(body: str) -> str:
    """A name for what has none: its first sentence."""
    line = shown(body.split("\n", 1)[0]) or shown(body)
    for end in (". ", "。", "; ", " -> "):
        head, mark, _ = line.partition(end)
        if mark and len(head) >= 12:
            line = head
    return budget.clip(line.strip("#*_` "), NAME_LENGTH).text


def description_for(body: str) -> str:
    return budget.clip(shown(body.split("\n\n", 1)[0]), DESCRIPTION_LENGTH).text
