"""What phase 2 works from, as files: the selected extracts in ``raw_memories.md`` and ``rollout_summaries/`` (spec/codex §9).

Both belong to the pipeline and are made anew by each consolidation: what is not selected any more goes, and that it went is
how a consolidator learns what to forget. What was remembered and learned without the pipeline stands in the same files, with
all its fields, and stays: a session that has entries of ours keeps them, behind the extract if there is one.

Extracts are a model's words about somebody's transcript. Nothing in them may pass for another session's head, or for an
entry of ours that says who spoke; a credential that came so far is taken out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from reverie.core import redact, scalar
from reverie.layouts import codex_names as names
from reverie.layouts import codex_raw
from reverie.layouts.base import Folder
from reverie.layouts.codex_entries import TASK, UNKNOWN, field, time
from reverie.layouts.codex_raw import RawMemories, Thread
from reverie.layouts.codex_rollout import Rollout
from reverie.layouts.codex_text import Document, cut, items

EXTENSIONS = "extensions/"
RESOURCE_DAYS = 14                      # of an extension's resources (spec/codex §9.3; older sources said 7)
_STAMP = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}")
# A line that would be read as the head of another session, or as an entry's name: one blank in front, and it is text.
_FORGED = re.compile(r"^(?=#{1,2}[ \t]+(?:Raw Memories|Thread `)|memory:)", re.MULTILINE)
_TASK_LINE = re.compile(r"^#{2,3} Task (\d{1,6})\b", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Extract:
    """What phase 1 made of one session, and where that session was."""

    thread: str
    updated_at: datetime
    summary: str
    raw_memory: str = ""
    slug: str = ""
    rollout_path: str = ""
    cwd: str = ""
    branch: str = ""
    judged: bool = False                # a consolidation has seen it: what that left out of the handbook is no memory


def materialised(
    folder: Folder, extracts: Iterable[Extract], *, forgotten: Callable[[Extract, str], bool] | None = None
) -> dict[str, bytes | None]:
    """The files that give a folder exactly these extracts as its inputs; None: the file goes. What is right already is
    left out. ``forgotten``: whether the user had this text of an extract forgotten since: it is taken out."""
    raw = RawMemories(folder[codex_raw.PATH].data if codex_raw.PATH in folder else b"")
    kept = {thread.id: thread for thread in raw.threads.values() if thread.entries}
    chosen = {extract.thread: _remembered(extract, forgotten) if forgotten else extract for extract in extracts}
    files: dict[str, bytes | None] = {}
    sections: list[list[str]] = []
    for id in sorted({*kept, *chosen}):
        extract, ours = chosen.get(id), kept.get(id)
        if extract is None:
            assert ours is not None
            if not ours.foreign:                # never extracted: as it is
                sections.append([line for node in raw.pieces(id) for line in node.flat()])
                if ours.file and names.SUMMARIES + ours.file in folder:
                    files[names.SUMMARIES + ours.file] = folder[names.SUMMARIES + ours.file].data
                continue
            extract = _without(ours)
        file = (ours.file if ours else "") or names.summary_file(id, extract.updated_at, extract.slug)
        path = names.SUMMARIES + file
        before = Rollout(folder[path].data) if ours and path in folder else None
        sections.append(_section(extract, file, ours))
        files[path] = _summary(extract, before, ours)
    files |= {path: None for path in folder if path.startswith(names.SUMMARIES) and path not in files}
    files[codex_raw.PATH] = _raw(sections)
    return {path: data for path, data in files.items() if data != (folder[path].data if path in folder else None)}


def added(
    folder: Folder, extract: Extract, *, forgotten: Callable[[Extract, str], bool] | None = None
) -> dict[str, bytes | None]:
    """The files that put one extract into a folder, in the place of an older one of that session, and leave all others as they
    are (study, Codex §4: phase 1 writes at once). Adding them one by one gives what ``materialised`` gives."""
    raw = RawMemories(folder[codex_raw.PATH].data if codex_raw.PATH in folder else b"")
    extract = _remembered(extract, forgotten) if forgotten else extract
    old = raw.threads.get(extract.thread)
    ours = old if old and old.entries else None
    file = (ours.file if ours else "") or names.summary_file(extract.thread, extract.updated_at, extract.slug)
    path = names.SUMMARIES + file
    before = Rollout(folder[path].data) if ours and path in folder else None
    sections = {id: [line for node in raw.pieces(id) for line in node.flat()] for id in raw.threads}
    sections[extract.thread] = _section(extract, file, ours)
    files: dict[str, bytes | None] = {path: _summary(extract, before, ours)}
    if old and old.file and old.file != file:
        files[names.SUMMARIES + old.file] = None
    files[codex_raw.PATH] = _raw([sections[id] for id in sorted(sections)])
    return {path: data for path, data in files.items() if data != (folder[path].data if path in folder else None)}


def _remembered(extract: Extract, forgotten: Callable[[Extract, str], bool]) -> Extract:
    """An extract without what was forgotten since."""
    def cleaned(text: str) -> str:
        document = Document(text.encode("utf-8", "surrogateescape"), deepest=6)
        for node in document.root.walk():
            if node.level and forgotten(extract, node.title.partition(": ")[2] or node.title):
                node.heading = f"{'#' * node.level} (forgotten)"
            for item in reversed(items(node.lines)):
                if forgotten(extract, item.text):
                    cut(node, item)
            node.lines = [_field_without(line, lambda said: forgotten(extract, said)) for line in node.lines]
        return document.data().decode("utf-8", "surrogateescape")

    return replace(extract, summary=cleaned(extract.summary), raw_memory=cleaned(extract.raw_memory))


def _field_without(line: str, forgotten: Callable[[str], bool]) -> str:
    name, mark, value = line.partition(": ")
    return f"{name}:" if mark and name in ("description", "task") and forgotten(value) else line


def _without(ours: Thread) -> Extract:
    """What is left of an extracted session when the extract goes: where it was, for the entries of ours."""
    return Extract(
        thread=ours.id, updated_at=ours.updated_at or datetime.fromtimestamp(0, UTC), cwd=ours.cwd,
        rollout_path=ours.fields.get("rollout_path", ""),
        summary=f"# {codex_raw.headline([entry.memory for entry in ours.entries])}",
    )


def _raw(sections: Sequence[Sequence[str]]) -> bytes:
    head = ["# Raw Memories", "", codex_raw.MERGED if sections else codex_raw.NOTHING, ""]
    parts = ["\n".join(section).rstrip() for section in sections]      # what stood last in the file has no blank line behind it
    return "\n\n".join(["\n".join(head).rstrip(), *parts, ""]).removesuffix("\n").encode("utf-8", "surrogateescape")


def _section(extract: Extract, file: str, ours: Thread | None) -> list[str]:
    """A session in the raw memories (spec/codex §9.2), and behind it what it has of our own entries."""
    text = _safe(extract.raw_memory)
    lines = [
        f"## Thread `{names.shown_id(extract.thread)}`",
        f"updated_at: {time(extract.updated_at)}",
        f"cwd: {_one(extract.cwd) or UNKNOWN}",
        f"rollout_path: {_one(extract.rollout_path) or UNKNOWN}",
        f"rollout_summary_file: {file}",
        *([f"{codex_raw.CONSOLIDATED}: yes"] if extract.judged else []),
        "",
        *text.split("\n"),
        "",
    ]
    number = _last_task(extract)
    for entry in ours.entries if ours else ():
        number += 1
        heading, *rest = entry.node.flat()
        lines += [TASK.sub(lambda found, n=number: found[0].replace(found[1], str(n), 1), heading, count=1), *rest]  # type: ignore[misc]
    return lines


def _summary(extract: Extract, before: Rollout | None, ours: Thread | None) -> bytes:
    """A session's summary file (spec/codex §9.1)."""
    text = _safe(extract.summary)
    lines = [
        f"thread_id: {_one(extract.thread)}",
        f"updated_at: {time(extract.updated_at)}",
        f"rollout_path: {_one(extract.rollout_path) or UNKNOWN}",
        f"cwd: {_one(extract.cwd) or UNKNOWN}",
        *([f"git_branch: {_one(extract.branch)}"] if extract.branch else []),
        "",
        *text.split("\n"),
    ]
    own = before.tasks({entry.number for entry in ours.entries}) if before and ours else []
    number = _last_task(extract)
    for node in own:
        number += 1
        heading, *rest = "\n".join(node.flat()).rstrip().split("\n")
        lines += ["", re.sub(r"Task \d+", f"Task {number}", heading, count=1), *rest]
    while not lines[-1].strip():
        lines.pop()
    return ("\n".join(lines) + "\n").encode("utf-8", "surrogateescape")


def _last_task(extract: Extract) -> int:
    """The highest number of a task in an extract: ours come behind it, with one number in both files, by which they are found
    again."""
    return max((int(found) for text in (extract.raw_memory, extract.summary) for found in _TASK_LINE.findall(text)), default=0)


def _safe(text: str) -> str:
    """An extract's text as a part of a file: no line of it stands for anything around it."""
    return _FORGED.sub(" ", redact.redact(scalar.tidy(text)).text)


def _one(value: str) -> str:
    return field(redact.redact(scalar.one_line(value)).text)


# ---- extensions

def expired(folder: Folder, now: datetime) -> list[str]:
    """Resources of extensions that are older than 14 days by their names (spec/codex §9.3): of an extension that has
    instructions, in files that end in ``.md``."""
    oldest = now - timedelta(days=RESOURCE_DAYS)
    found = []
    for path in folder:
        parts = path.split("/")
        if len(parts) != 4 or parts[0] != "extensions" or parts[2] != "resources" or not path.endswith(".md"):
            continue
        at = _stamped(parts[3])
        if at and at < oldest and f"{EXTENSIONS}{parts[1]}/instructions.md" in folder:
            found.append(path)
    return sorted(found)


def _stamped(name: str) -> datetime | None:
    stamp = _STAMP.match(name)
    try:
        return datetime.strptime(stamp[0], "%Y-%m-%dT%H-%M-%S").replace(tzinfo=UTC) if stamp else None
    except ValueError:
        return None


def evidence(folder: Folder) -> Mapping[str, str]:
    """Where each session was whose summary lies here: file name to directory, "" when it does not say."""
    found = {}
    for path in folder:
        if path.startswith(names.SUMMARIES):
            cwd = scalar.whole(Rollout(folder[path].data).header.get("cwd", ""))
            found[path.removeprefix(names.SUMMARIES)] = "" if cwd == UNKNOWN else cwd
    return found
