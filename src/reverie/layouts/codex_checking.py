"""Whether a folder, as a consolidator left it, may take the place of the one it was given.

What was there before and is unchanged is nobody's fault; only what is new is judged: the form here (which files, their size,
the handbook's fixed order, the summary's limits, skills), the content in ``codex_evidence`` (whose it is, what was lost, what
tries to instruct). A refusal names the rule and the place, so that the one who made it, or a person, can mend it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from reverie.core import frontmatter, redact, skills
from reverie.core.consolidation import Fault, Given, Made
from reverie.core.dream import MOST_GONE
from reverie.core.layout import File, Folder
from reverie.layouts import codex_evidence, codex_handbook, codex_summary
from reverie.layouts import codex_names as names
from reverie.layouts.codex_handbook import Group, Handbook, Task
from reverie.layouts.codex_reading import skill_whose
from reverie.layouts.codex_sections import NOBODYS, SPOKEN, Section, Shape, section_titled
from reverie.layouts.codex_text import LABELS, Document, Node
from reverie.layouts.files import MOST_BYTES

SKILL_BYTES = 64 * 1024                 # of one file of a skill: it is read whole by an agent
SKILL_FILES = 40
PROFILE_WORDS = codex_summary.PROFILE_WORDS
MOST_BULLETS = 5_000                    # and headings, of one file: nobody reads more, and each is judged
MOST_LINES = 20_000
_BULLET = re.compile(r"^[ \t]*(?:[-*+#]|\d{1,3}[.)])", re.MULTILINE)
_MOST_FAULTS = 40                       # more tell nobody more


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What is checked against: the shape, whose a directory is (its project's key), how much may go."""

    shape: Shape
    project_of: Callable[[str], str]
    most_gone: float = MOST_GONE


def faults(given: Given, made: Made, rules: Rules) -> list[Fault]:
    """Why the folder may not be kept; empty when it may."""
    before, after = given.folder, made.folder
    changed = sorted(path for path in {*before, *after} if _bytes(before, path) != _bytes(after, path))
    found = [Fault(rule="not_a_plain_file", path=path, detail=f"it is {what}")
             for path, what in sorted(made.oddities.items()) if path not in before or path in changed]
    found += [fault for path in changed for fault in _path(path, before, after)]
    found += [fault for path in changed if path in after for fault in _text(path, before, after[path].data)]
    if not found:                       # what follows reads the files, and may take them for texts of ours
        found += _summary(before, after, rules.shape) if codex_summary.PATH in changed else []
        found += _handbook(before, after, rules.shape) if codex_handbook.PATH in changed else []
        found += _skills(changed, after)
    if not found:
        found += codex_evidence.faults(given, after, rules.shape, project_of=rules.project_of, most_gone=rules.most_gone)
    return found[:_MOST_FAULTS]


def allowed(path: str) -> bool:
    """Whether a consolidator may write this file."""
    return path in (codex_handbook.PATH, codex_summary.PATH) or bool(skills.name_of(path))


def _bytes(folder: Mapping[str, File], path: str) -> bytes | None:
    return folder[path].data if path in folder else None


# ---- files

def _path(path: str, before: Folder, after: Folder) -> Iterator[Fault]:
    if not allowed(path):
        verb = "taken away" if path not in after else "changed" if path in before else "made"
        yield Fault(rule="path_not_allowed", path=path, detail=f"it was {verb}; only MEMORY.md, memory_summary.md and "
                    "skills/<name>/ are a consolidator's to write")
    elif path not in after and path in (codex_handbook.PATH, codex_summary.PATH):
        yield Fault(rule="missing", path=path, detail="it was taken away")
    elif path in after:
        most = SKILL_BYTES if path.startswith("skills/") else MOST_BYTES
        if len(after[path].data) > most:
            yield Fault(rule="too_large", path=path, detail=f"{len(after[path].data):,} bytes; at most {most:,} are allowed")


def _text(path: str, before: Folder, data: bytes) -> Iterator[Fault]:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        yield Fault(rule="not_utf8", path=path, detail="it is no UTF-8 text")
        return
    if "\0" in text:
        yield Fault(rule="not_text", path=path, detail="it holds NUL characters: only text is kept")
        return
    if len(_BULLET.findall(text)) > MOST_BULLETS or text.count("\n") > MOST_LINES:
        yield Fault(rule="too_long", path=path,
                    detail=f"more than {MOST_BULLETS:,} bullets and headings, or {MOST_LINES:,} lines")
        return
    old = (_bytes(before, path) or b"").decode("utf-8", "replace")
    new = [secret for secret in redact.find(text) if text[secret.start : secret.end] not in old]
    if new:
        families = ", ".join(sorted({secret.family for secret in new}))
        yield Fault(rule="secret", path=path, detail=f"it would hold what looks like a credential ({families})")


# ---- the summary

def _summary(before: Folder, after: Folder, shape: Shape) -> Iterator[Fault]:
    path, data = codex_summary.PATH, after[codex_summary.PATH].data
    if data.decode("utf-8").split("\n", 1)[0].rstrip("\r") != codex_summary.FIRST_LINE:
        yield Fault(rule="no_version_line", path=path, detail=f"its first line must be exactly {codex_summary.FIRST_LINE!r}")
    if len(data) > shape.summary_bytes:
        yield Fault(rule="summary_too_large", path=path, detail=f"{len(data):,} bytes; at most {shape.summary_bytes:,} are shown "
                    "to a session")
    document = Document(data, deepest=4)
    missing = [title for title in codex_summary.HEADINGS if codex_summary.section(document, title) is None]
    if missing:
        yield Fault(rule="missing_heading", path=path, detail=f"it lacks the heading '## {missing[0]}'")
    profile = codex_summary.section(document, codex_summary.PROFILE)
    words = len(" ".join(profile.flat()).split()) if profile else 0
    if words > PROFILE_WORDS + 10:
        yield Fault(rule="profile_too_long", path=path, detail=f"'## User Profile' has {words} words; at most {PROFILE_WORDS}")
    if any("=====" in line for line in _new_lines(before, after, path)):
        yield Fault(rule="fence", path=path, detail="a row of equals signs: the block that a session gets is fenced with such")


def _new_lines(before: Folder, after: Folder, path: str) -> list[str]:
    old = set((_bytes(before, path) or b"").decode("utf-8", "replace").splitlines())
    return [line for line in after[path].data.decode("utf-8").splitlines() if line not in old]


# ---- the handbook

def _handbook(before: Folder, after: Folder, shape: Shape) -> Iterator[Fault]:
    path = codex_handbook.PATH
    old = Handbook(_bytes(before, path) or b"", shape)
    new = Handbook(after[path].data, shape)
    if new.document.unclosed and not old.document.unclosed:
        yield Fault(rule="unclosed_fence", path=path, detail="a code fence never ends")
    known = {_whole(node) for node in old.document.root.children}
    groups = {id(group.node): group for group in new.groups}
    was = set(old.document.root.lines)
    loose = [line for line in new.document.root.lines if line.strip() and line not in was]
    if loose:
        yield Fault(rule="outside_of_a_group", path=path, detail=f"{loose[0][:80]!r} stands in no task group: nothing says "
                    "whose it is")
    for node in new.document.root.children:
        if _whole(node) in known:
            continue
        if id(node) not in groups:
            yield Fault(rule="unknown_heading", path=path, detail=f"{node.heading[:80]!r} is no '# Task Group: …'")
        else:
            yield from _group(groups[id(node)], shape)


def _whole(node: Node) -> str:
    return "\n".join(node.flat()).strip()


def _group(group: Group, shape: Shape) -> Iterator[Fault]:
    def fault(rule: str, detail: str) -> Fault:
        return Fault(rule=rule, path=codex_handbook.PATH, detail=f"'# Task Group: {group.label[:60]}': {detail}")

    if not group.cwd:
        yield fault("no_applies_to", "no line 'applies_to: cwd=…' says whose it is")
    if not group.label:
        yield fault("no_label", "it has no name")
    if not shape.sections_in_task and not any(line.startswith("scope:") for line in group.node.lines):
        yield fault("no_scope", "no line 'scope: …' says what it covers")
    loose = [line for line in group.node.lines if line.strip() and not line.startswith(LABELS)]
    if loose:
        yield fault("outside_of_a_task", f"{loose[0][:60]!r} stands under no task")
    if not group.tasks:
        yield fault("no_task", "it has no '## Task <n>: …'")
    numbers = [task.number for task in group.tasks]
    if len(set(numbers)) < len(numbers):
        yield fault("task_twice", "two tasks have one number")
    tasks = {id(task.node): task for task in group.tasks}
    last = -1
    for node in group.node.children:
        task, section = tasks.get(id(node)), section_titled(node.title)
        if task:
            if last >= 0:
                yield fault("wrong_order", f"'{node.heading[:60]}' stands behind a section of the block; tasks come first")
            yield from _task(task, shape, fault)
        elif shape.sections_in_task or section not in SPOKEN or section is Section.REFERENCES or node.level != 2:
            yield fault("unknown_heading", f"{node.heading[:80]!r} is no part of a block")
        elif SPOKEN.index(section) <= last:
            yield fault("wrong_order", f"{node.heading[:60]!r} is out of the fixed order")
        else:
            last = SPOKEN.index(section)


def _task(task: Task, shape: Shape, fault: Callable[[str, str], Fault]) -> Iterator[Fault]:
    name = f"'{task.node.heading[:60]}'"
    order = list(Section) if shape.sections_in_task else [Section.FILES, Section.KEYWORDS]
    last = -1
    if any(line.strip() for line in task.node.lines):
        yield fault("outside_of_a_section", f"{name}: text before its first section")
    for node in task.node.children:
        section = section_titled(node.title)
        if section not in order or node.level != 3:
            yield fault("unknown_heading", f"{name}: {node.heading[:60]!r} is no section of a task")
        elif order.index(section) <= last:
            yield fault("wrong_order", f"{name}: {node.heading[:60]!r} is out of the fixed order, or stands twice")
        else:
            last = order.index(section)
    titles = [section_titled(node.title) for node in task.node.children]
    for needed in (Section.FILES, Section.KEYWORDS):
        if needed not in titles:
            yield fault("missing_section", f"{name}: '### {needed.value}' is missing")
    if not any(source["file"] for source in task.sources):
        yield fault("no_evidence", f"{name}: it names no summary that it rests on")


# ---- skills

def _skills(changed: list[str], after: Folder) -> Iterator[Fault]:
    for skill in sorted({name for path in changed if path in after and (name := skills.name_of(path))}):
        path = f"{skills.FOLDER}{skill}/{skills.FILE}"
        if path not in after:
            yield Fault(rule="no_skill_file", path=path, detail="a skill needs one")
            continue
        if sum(skills.name_of(each) == skill for each in after) > SKILL_FILES:
            yield Fault(rule="too_many_files", path=path, detail=f"a skill has at most {SKILL_FILES} files")
        for problem in skills.problems(path, after[path].data):
            yield Fault(rule="bad_skill", path=path, detail=problem)
        if skill_whose(frontmatter.parse(after[path].data)) == NOBODYS:
            yield Fault(rule="no_applies_to", path=path, detail="no 'applies_to: cwd=…' below 'metadata:' in its frontmatter "
                        "says whose it is")


def cited(handbook: Handbook) -> set[str]:
    """Every summary file that the handbook rests on."""
    return {source["file"] for group in handbook.groups for task in group.tasks for source in task.sources if source["file"]}


def forgotten_still_cited(given: Given, after: Folder, shape: Shape) -> int:
    """How many summaries are gone that the handbook still cites."""
    gone = {path.removeprefix(names.SUMMARIES) for path, status in given.changes.items()
            if status == "D" and path.startswith(names.SUMMARIES)}
    data = after[codex_handbook.PATH].data if codex_handbook.PATH in after else b""
    return len(cited(Handbook(data, shape)) & gone)


