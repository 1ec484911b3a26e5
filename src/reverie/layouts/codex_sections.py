"""Which part of the handbook a memory belongs to, and whose a block is: the labels of Codex's layout.

The order of the sections is fixed. The study has all of them under each task (Codex §3); the product today has files
and keywords under the task, the rest once per block, and no references (spec/codex §11.1).
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from reverie.core import place as places
from reverie.core.memory import Memory


class Section(enum.StrEnum):
    """Parts of a task or block, in their fixed order."""

    FILES = "rollout_summary_files"
    KEYWORDS = "keywords"
    PREFERENCES = "Preference signals"
    KNOWLEDGE = "Reusable knowledge"
    FAILURES = "Failures and how to do differently"
    REFERENCES = "References"


SPOKEN = (Section.PREFERENCES, Section.KNOWLEDGE, Section.FAILURES, Section.REFERENCES)
SECTION_LABELS = {section: f"{section.value}:" for section in SPOKEN}
# Every title that either generation uses, as it is compared.
_TITLES = {section.value.casefold(): section for section in Section} | {
    "user preferences": Section.PREFERENCES,
    "extension_resource_files": Section.FILES,
}
_TYPES = {
    Section.PREFERENCES: "feedback",
    Section.KNOWLEDGE: "project",
    Section.FAILURES: "feedback",       # what to avoid, and what to do instead
    Section.REFERENCES: "reference",
}
OUTCOMES = ("success", "partial", "fail", "uncertain")
_LESSONS = frozenset(("lesson", "harm"))    # last words of the rules that hear something went wrong
EVERY_PROJECT = "user (every project)"
NOBODYS = ("project", "")           # (scope, project) of what no label gives to anybody
NO_PROJECT = "unknown project"
NO_TEXT = "(no text)"               # stands for a memory that is empty
# What a block may say for "everywhere": the product leaves the word open (spec/codex §11.1).
_ANYWHERE = frozenset((
    "*", "any", "all", "global", "user", "everywhere", "any project", "all projects", "every project", "any cwd",
    "any directory",
))  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What differs between the study's Codex and the product: where sections stand, how much a session starts with."""

    name: str
    sections_in_task: bool
    summary_bytes: int


STUDY = Shape(name="codex", sections_in_task=True, summary_bytes=5_000 * 4)     # a token is 4 bytes (spec/codex §6.4)
PRODUCT = Shape(name="codex@0.171", sections_in_task=False, summary_bytes=9_999)    # < 10,000 bytes (spec/codex §10)


def section_titled(title: str) -> Section | None:
    """The section with this title, in either generation's spelling."""
    return _TITLES.get(title.strip().rstrip(":").casefold())


def section_of(memory: Memory) -> Section:
    """Where a memory stands: what the user wants is a preference, what failed a lesson, the rest knowledge."""
    if is_lesson(memory):
        return Section.FAILURES
    return {"feedback": Section.PREFERENCES, "reference": Section.REFERENCES}.get(memory.type, Section.KNOWLEDGE)


def is_lesson(memory: Memory) -> bool:
    """Whether a memory tells what failed and what works instead: by its type, or by the rule that found it."""
    return not _LESSONS.isdisjoint((memory.type, *memory.source.rule.replace(":", ".").split(".")))


def type_in(section: Section | None, *, scope: str) -> str:
    """The type of a memory of which only the place is known."""
    if scope == "user" and section is Section.KNOWLEDGE:
        return "user"
    return _TYPES.get(section or Section.KNOWLEDGE, "project")


def outcome_of(memories: Sequence[Memory]) -> str:
    """How a task ended. Whoever knows says so in ``extra``; what a person said in passing does not tell."""
    told = {value for memory in memories for key, value in memory.extra if key == "task_outcome"} & set(OUTCOMES)
    return told.pop() if len(told) == 1 else "uncertain"


# ---- whose a block is

def group_label(memory: Memory) -> str:
    """The task group that a memory belongs to: its project's key, or what stands for every project."""
    if memory.scope == "user":
        return EVERY_PROJECT
    where = memory.project or memory.source.cwd or NO_PROJECT
    return where if memory.scope == "project" else f"{memory.scope}: {where}"


def whose(label: str, cwd: str) -> tuple[str, str]:
    """(scope, project) that a block's heading and ``applies_to`` give it; ("project", "") when they do not say.

    The project is one of our keys where the heading is one; else the directory, as a path: whose that is, in which
    repository it lies, only the disk can tell, and the caller has to ask it.
    """
    if label == EVERY_PROJECT or says_everywhere(cwd):
        return "user", ""
    scope, mark, rest = label.rpartition(": ")
    name = rest if mark else label
    if places.looks_like_project_key(name):
        return (scope if mark and _is_scope(scope) else "project"), name
    for directory in (cwd, label):
        if places.is_absolute(directory):
            return "project", places.tidy(directory)
    return "project", ""


def whose_block(label: str, applies_to: str) -> tuple[str, str]:
    """As ``whose``, for a block's heading and the words after ``applies_to: cwd=``. Where one of them says every project and the
    other names one, somebody narrowed the block, or widened half of its label: the narrower one holds."""
    if says_everywhere(applies_to):
        narrow = whose(label, "")
        return narrow if narrow[1] else ("user", "")
    return whose("" if label == EVERY_PROJECT and applies_to else label, applies_to)


def says_everywhere(applies_to: str) -> bool:
    """Whether the words after ``applies_to: cwd=`` mean every project."""
    return applies_to.strip().casefold() in _ANYWHERE


def applied_to(text: str) -> str:
    """The directory or scope in what stands after ``applies_to:``, "" when there is none."""
    cwd = text.split(";", 1)[0].strip().removeprefix("cwd=").strip()
    return cwd[1:-1] if len(cwd) > 2 and cwd[0] == cwd[-1] == "`" else cwd


def same_project(one: str, other: str) -> bool:
    """Whether two labels, each a key or a path, name one project as far as the labels alone can tell."""
    keys = (places.project_key(places.make(label)) if places.is_absolute(label) else label for label in (one, other))
    return one == other or next(keys) == next(keys)


def _is_scope(text: str) -> bool:
    return text in ("team", "directory") or (text.startswith("agent:") and " " not in text)
