"""The index that a session starts with: the study's two forms with their caps, and our own by value within a budget.

An index is rendered from the memories, never parsed for them. Memories that do not count (archived, superseded,
quarantined) have no line. What the caps leave out is said in a last line that is within the caps itself (DESIGN §4.11).
The indexes as present products write and load them are in ``product_index``.
"""

from __future__ import annotations

import re

from reverie.core import budget
from reverie.core.budget import Budget, Cut
from reverie.core.scalar import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from reverie.core.memory import Memory

CLAUDE = Budget(lines=200)                      # study, Claude Code §5: a hard cut at 200 lines
QWEN = Budget(lines=200, bytes=25_000)          # study, Qwen Code §9
QWEN_LINE_CHARACTERS = 150                      # study, Qwen Code §9
CODEX = Budget.of_product_tokens(5_000)         # study, Codex §5: the summary
LONGEST_LINE = 1_000            # characters; the study caps no line of Claude Code's, a runaway needs a cap
OWN_LINE_CHARACTERS = 300                       # of our own index: a hook, not the memory

EVERYTHING = "`reverie list` shows all of them"

# What a memory is worth before a prompt is known: standing rules and the person first, pointers last.
_TYPE_VALUE = {"feedback": 3.0, "user": 3.0, "project": 2.0, "reference": 1.0}
_BY_VALUE = {"user": 1.0, "hand": 1.0, "agent": 0.5, "team": 0.5, "unknown": 0.5, "model": 0.0, "tool": -1.0}
_BY_WORDS = {"model": "inferred", "tool": "seen in tool output, unconfirmed"}
_FADING_DAYS = {"project": 60.0, "reference": 180.0}    # after so many days one point is gone; rules do not fade
_ORDER = ("user", "feedback", "project", "reference")


def path_of(id: str) -> str:
    """The file that a memory's id names: ``feedback/style.md:2`` is an entry of ``feedback/style.md``."""
    path, colon, entry = id.rpartition(":")
    return path if colon and entry.isdecimal() and path.endswith(".md") else id


def counted(memories: Iterable[Memory]) -> list[Memory]:
    """The memories that count, newest first, then by id: what is cut off an index is the oldest."""
    active = [memory for memory in memories if memory.status == "active"]
    return sorted(active, key=lambda memory: (-_time(memory), memory.id))


def _time(memory: Memory) -> float:
    """When it was said, where that is known: a file's time only tells when it was written, or checked out."""
    told = memory.source.said_at or memory.modified_at
    return told.timestamp() if told else 0.0


def claude_line(path: str, description: str) -> str:
    """``- [file](file) - description``: the file twice, the description the only thing said (study, Claude Code §4)."""
    path = link(path)
    words = one_line(description)
    return budget.clip(f"- [{path}]({path})" + (f" - {words}" if words else ""), LONGEST_LINE).text


def qwen_line(name: str, path: str, description: str) -> str:
    """``- [name](path) - description``, at most 150 characters, cut with three dots (study, Qwen Code §9)."""
    words = one_line(description)
    title = one_line(name).replace("](", "] (")
    line = f"- [{title}]({link(path)})" + (f" - {words}" if words else "")
    return budget.clip(line, QWEN_LINE_CHARACTERS, mark="...").text


def link(path: str) -> str:
    """A path as the target of a link on one line: what would end the link or the line is percent-encoded."""
    return "".join(part if part.isprintable() and part not in " ()<>[]" else percent(part) for part in path)


def percent(text: str) -> str:
    """Every character as the percent-encoded bytes of its UTF-8."""
    return "".join(f"%{byte:02X}" for byte in text.encode("utf-8", "replace"))


def unpercent(text: str) -> str:
    """``text`` with what was percent-encoded in it; itself where that gives no text."""
    parts = re.split("((?:%[0-9A-Fa-f]{2})+)", text)
    try:
        return "".join(bytes.fromhex(part.replace("%", "")).decode() if number % 2 else part for number, part in enumerate(parts))
    except UnicodeDecodeError:
        return text


def claude(memories: Iterable[Memory]) -> Cut:
    """The index of the design ``claude-code``, as a session is shown it."""
    return pack([claude_line(path_of(each.id), each.description or each.name) for each in counted(memories)], CLAUDE)


def qwen(memories: Iterable[Memory]) -> Cut:
    """The index of the design ``qwen-code``: one line for each memory, entries of one file included."""
    return pack([qwen_line(memory.name, path_of(memory.id), memory.description) for memory in counted(memories)], QWEN)


def pack(lines: Sequence[str], caps: Budget) -> Cut:
    """Lines within the caps, with a last line that says how many are missing."""
    return budget.pack(lines, caps, lambda left: f"> {left} more {_memories(left)} not shown here: {EVERYTHING}.")


def _memories(count: int) -> str:
    return "memory is" if count == 1 else "memories are"


def value(memory: Memory, now: datetime) -> float:
    """What a memory is worth to a session whose prompts are not known yet.

    The kind counts most; then whose word it is, how often it was confirmed, and, for what describes a state, its age.
    """
    told = memory.source.said_at or memory.modified_at
    days = max((now - told).total_seconds() / 86_400, 0.0) if told else 0.0
    fading = _FADING_DAYS.get(memory.type)
    return (
        _TYPE_VALUE.get(memory.type, 1.0)
        + _BY_VALUE.get(memory.source.by, 0.0)
        + min(memory.confirmed, 4) * 0.25
        - (min(days / fading, 2.0) if fading else 0.0)
    )


def by_value(
    memories: Iterable[Memory], *, tokens: int, now: datetime, worth: Callable[[Memory, datetime], float] = value
) -> Cut:
    """The index of the design ``reverie``: what is worth most within ``tokens``, grouped by type.

    What has passed its "true until" is left out and said; so is what the budget has no room for.
    """
    active = counted(memories)
    holding = [memory for memory in active if memory.valid_until is None or memory.valid_until >= now.date()]
    expired = len(active) - len(holding)
    ranked = sorted(holding, key=lambda memory: -worth(memory, now))    # stable: equals stay newest first
    lines = [(memory, own_line(memory)) for memory in ranked]
    caps = Budget.of_tokens(tokens)
    whole = "\n".join(_grouped(lines) + _left_out([], expired))
    if caps.fits(whole):
        return Cut(whole, items=expired)
    room = (caps.bytes or 0) - budget.utf8_bytes("".join(_left_out(ranked, expired)))
    chosen = _fitting(lines, room)
    shown = {id(memory) for memory, _ in chosen}
    rest = [(memory, line) for memory, line in lines if id(memory) not in shown]
    text = "\n".join(_grouped(chosen) + _left_out([memory for memory, _ in rest], expired))
    lost = "\n".join(line for _, line in rest)
    return Cut(
        text if caps.fits(text) else "",        # not even the note has room
        items=len(rest) + expired,
        lines=len(rest),
        characters=len(lost),
        bytes=budget.utf8_bytes(lost),
    )


def own_line(memory: Memory) -> str:
    """``- description [name]``, with what tempers trust: the last day it holds, a source that is no person. The name is
    enough to read the memory by, and its path would cost as much as what it says."""
    notes = [f"until {memory.valid_until.isoformat()}"] if memory.valid_until else []
    notes += [_BY_WORDS[memory.source.by]] if memory.source.by in _BY_WORDS else []
    notes += [f"by the agent {one_line(memory.source.agent)}"] if memory.source.agent else []
    if memory.scope == "team":
        notes.append(f"team: {one_line(memory.source.author)}" if memory.source.author else "team, not committed yet")
    tail = f" ({'; '.join(notes)})" if notes else ""
    tail += f" [{one_line(path_of(memory.id).rpartition('/')[2].removesuffix('.md'))}]"
    said = budget.clip(one_line(memory.description or memory.name), max(OWN_LINE_CHARACTERS - len(tail) - 2, 40)).text
    return f"- {said}{tail}"


def _fitting(lines: Sequence[tuple[Memory, str]], room: int) -> list[tuple[Memory, str]]:
    """The first lines that have room together, with the headings they need; a long line does not stop shorter ones."""
    chosen: list[tuple[Memory, str]] = []
    groups: set[str] = set()
    for memory, line in lines:
        cost = budget.utf8_bytes(line) + 1 + (0 if memory.type in groups else _heading_bytes(memory.type))
        if cost <= room:
            room -= cost
            groups.add(memory.type)
            chosen.append((memory, line))
    return chosen


def _heading_bytes(type: str) -> int:
    return budget.utf8_bytes(_heading(type)) + 1


def _heading(type: str) -> str:
    return budget.clip(f"## {one_line(type) or 'other'}", 40).text


def _grouped(lines: Sequence[tuple[Memory, str]]) -> list[str]:
    """The lines under headings, the study's four types first."""
    groups: dict[str, list[str]] = {}
    for memory, line in lines:
        groups.setdefault(memory.type, []).append(line)
    known = [type for type in _ORDER if type in groups]
    return [line for type in [*known, *sorted(set(groups) - set(known))] for line in (_heading(type), *groups[type])]


def _left_out(memories: Sequence[Memory], expired: int) -> list[str]:
    """The last line, if one is needed: how many of which type are missing, and where they are."""
    types = [memory.type if memory.type in _ORDER else "other" for memory in memories]
    counts = [f"{types.count(type)} {type}" for type in (*_ORDER, "other") if type in types]
    words = [f"{len(types)} more ({', '.join(counts)})"] if types else []
    words += [f"{expired} past their date"] if expired else []
    return [f"> Not shown here: {', '.join(words)}; {EVERYTHING}."] if words else []
