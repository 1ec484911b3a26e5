"""What phase 1 keeps of a session, as texts: a model's answer held to the form, or what the rules heard put into it.

The form is the study's (Codex §3): a summary of the session, and raw memories behind a frontmatter. The product asks for it
and checks nothing (spec/codex §7). Here it is read leniently and written strictly, because a model's words come from somebody's
transcript: *whose* a memory is (``cwd``, ``task_group``) is never the model's to say, nothing invisible and no credential
passes, a line that orders an agent about is left out and counted, and nothing reads like an entry of ours.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from reverie.core import budget, defuse, scalar, trust
from reverie.core.memory import Memory
from reverie.core.proposal import Reason
from reverie.core.rollout import without_secrets
from reverie.layouts import codex_entries as entries
from reverie.layouts import codex_names as names
from reverie.layouts import codex_raw, codex_writing
from reverie.layouts.base import Change
from reverie.layouts.codex_rollout import Rollout
from reverie.layouts.codex_sections import (
    EVERY_PROJECT,
    NO_PROJECT,
    OUTCOMES,
    SECTION_LABELS,
    STUDY,
    outcome_of,
    section_of,
    section_titled,
)
from reverie.layouts.codex_text import Document, bullet_lines, cut, items, shown

LONGEST = 64 * 1024                     # characters of one field: a model that writes more has not understood
LINE_CHARACTERS = 300                   # of a field of the frontmatter
SLUG_CHARACTERS = 80                    # spec/codex §7
KEYS = ("description", "task", "task_group", "task_outcome", "cwd", "keywords")
_FIELD = re.compile(r"([a-z_]{1,30}):(?: (.*))?")
# What makes an entry of ours, and what says whose a memory is: not a model's to write.
_OURS = re.compile(r"^memory:.*\n?", re.M)
_TASK_GROUP = re.compile(r"^(task_group|cwd):.*$", re.M)
_HEAD = re.compile(r"^(?=(?:thread_id|updated_at|rollout_path|cwd|git_branch|rollout_summary_file):)", re.M)
_STRUCTURE = re.compile(r"^(?=#{1,2}[ \t]+(?:Raw Memories|Thread `))", re.M)


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """Where a session was, by its transcript."""

    project: str = ""                   # the key of its project
    cwd: str = ""

    @property
    def group(self) -> str:
        """The task group of everything that the session gave."""
        return self.project or self.cwd or NO_PROJECT


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """What is kept of a session; all empty: nothing."""

    rollout_summary: str = ""
    rollout_slug: str = ""
    raw_memory: str = ""
    drops: Mapping[str, int] = field(default_factory=dict)

    @property
    def nothing(self) -> bool:
        """Whether a field that is needed is empty (spec/codex §7). Only blanks are nothing, too: phase 2 passes over them."""
        return not (self.rollout_summary.strip() and self.raw_memory.strip())


class TooLong(ValueError):
    """A field of the answer is longer than anybody would read."""


# ---- a model's answer

def cleaned(data: Mapping[str, object], where: Where) -> Texts:
    """An answer that fits the schema, as it may be kept. Raises ``TooLong``."""
    summary, raw = (_text(data[name], name) for name in ("rollout_summary", "raw_memory"))
    slug = scalar.one_line(_text(data["rollout_slug"] or "", "rollout_slug"))
    if not summary or not raw:
        return Texts()
    drops: Counter[str] = Counter()
    front, body = _front(raw)
    body = _harmless(_TASK_GROUP.sub(lambda found: _whose(found[1], where), _OURS.sub("", body)), drops, deepest=3)
    summary = _HEAD.sub(" ", _harmless(summary, drops, deepest=2))
    if not _says_something(body):
        return Texts(drops=drops)
    if not summary.strip():
        summary = f"# {shown(front.get('description', '')) or 'A session'}"
    return Texts(
        rollout_summary=summary, rollout_slug=budget.clip(slug, SLUG_CHARACTERS, mark="").text,
        raw_memory="\n".join([*_frontmatter(front, where), "", body]), drops=drops,
    )


def _text(value: object, name: str) -> str:
    text = str(value)
    if len(text) > LONGEST:
        raise TooLong(f"{name} has {len(text):,} characters; at most {LONGEST:,} are taken")
    return without_secrets(scalar.tidy(defuse.visible(text)))


def _front(raw: str) -> tuple[dict[str, str], str]:
    """The frontmatter, however it is written, and the text behind it. One that never closes is text."""
    lines = raw.split("\n")
    if lines[0].strip() != "---":
        return {}, raw
    end = next((place for place in range(1, len(lines)) if lines[place].strip() == "---"), 0)
    if not end:
        return {}, "\n".join(lines[1:])
    found = {match[1]: (match[2] or "").strip() for line in lines[1:end] if (match := _FIELD.fullmatch(line.strip()))}
    return found, "\n".join(lines[end + 1:]).strip("\n")


def _frontmatter(front: Mapping[str, str], where: Where) -> list[str]:
    """The study's frontmatter (Codex §3): what describes is the model's, whose it is comes from the session."""
    said = {key: _one(front.get(key, "")) for key in KEYS}
    for key in ("description", "task", "keywords"):
        if trust.instructs(said[key]):
            said[key] = ""
    if said["task_outcome"] not in OUTCOMES:
        said["task_outcome"] = "uncertain"
    said |= {"task_group": entries.field(shown(where.group)), "cwd": entries.field(where.cwd or entries.UNKNOWN)}
    return ["---", *(f"{key}: {said[key]}".rstrip() for key in KEYS), "---"]


def _one(value: str) -> str:
    return budget.clip(shown(value), LINE_CHARACTERS).text


def _whose(key: str, where: Where) -> str:
    return f"{key}: {entries.field(shown(where.group if key == 'task_group' else where.cwd or entries.UNKNOWN))}"


def _harmless(text: str, drops: Counter[str], *, deepest: int) -> str:
    """A text without items that order an agent about, without headings that stand for something around it, and with code
    fences that close, so that it swallows nothing that follows."""
    document = Document(defuse.unfenced(text).encode(), deepest=deepest)
    for node in document.root.walk():
        if node.level and trust.instructs(node.title):
            node.heading = "#" * node.level + " (left out)"
            drops[Reason.INSTRUCTION] += 1
        for item in reversed(items(node.lines)):
            if trust.instructs(item.text):
                cut(node, item)
                drops[Reason.INSTRUCTION] += 1
    return _STRUCTURE.sub(" ", document.data().decode("utf-8", "replace").strip())


def _says_something(body: str) -> bool:
    """Whether anything is left below the headings, their fields and the labels."""
    document = Document(body.encode(), deepest=6)
    lines = (line.strip() for node in document.root.walk() for item in items(node.lines) for line in item.text.split("\n"))
    return any(line and not _FIELD.fullmatch(line) and section_titled(line) is None for line in lines)


# ---- what the rules heard

def told(memories: Sequence[Memory], *, where: Where, now: datetime) -> Texts:
    """Memories of one session as the same two texts, the same for the same memories. ``now``: when the session ended."""
    if not memories:
        return Texts()
    return Texts(rollout_summary=_summary(memories, now), rollout_slug=memories[0].name, raw_memory=_raw(memories, where))


def _summary(memories: Sequence[Memory], now: datetime) -> str:
    files = codex_writing.write({}, Change(put=[*memories]), STUDY, now).files
    for path, data in files.items():
        if path.startswith(names.SUMMARIES) and data:
            return Rollout(data).body
    return f"# {codex_raw.headline(memories)}"


def _raw(memories: Sequence[Memory], where: Where) -> str:
    """The study's form: what a memory's section, task and group say; who said it and when is in the summary."""
    keywords = dict.fromkeys(word for memory in memories for word in memory.keywords)
    lines = [
        "---", f"description: {entries.field(codex_raw.headline(memories))}", f"task: {entries.field(shown(memories[0].name))}",
        f"task_group: {entries.field(shown(where.group))}", f"task_outcome: {outcome_of(memories)}",
        f"cwd: {entries.field(where.cwd or entries.UNKNOWN)}",
        f"keywords: {', '.join(shown(word) for word in keywords)}".rstrip(), "---",
    ]
    for number, memory in enumerate(memories, 1):
        lines += [
            "", f"### Task {number}: {shown(memory.name)}".rstrip(), f"task: {entries.field(shown(memory.name))}",
            f"task_group: {EVERY_PROJECT if memory.scope == 'user' else entries.field(shown(where.group))}",
            f"task_outcome: {outcome_of([memory])}", "", SECTION_LABELS[section_of(memory)],
            *bullet_lines(entries.bullet_of(memory)),
        ]
    return "\n".join(lines)
