"""Which memories a model is offered for a prompt, in which words, and what of its answer counts (spec/qwen-code §7.3, §7.4).

The model sees names of memories and their descriptions, no bodies. It answers with names out of the list, at most five; an
answer with a name that was not offered is no answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from reverie.core import budget, defuse
from reverie.core.budget import UTF16
from reverie.core.qwen_scores import MOST_TOOLS
from reverie.core.recall import Candidate

OFFERED, LEXICAL = 200, 180             # memories: at most, and of these so many that the prompt's words found
DESCRIPTION_UNITS = 512
MANIFEST_BYTES = 25_000
QUERY_CHARACTERS = 4_000                # of a longer prompt the beginning and the end
SCHEMA: Mapping[str, Any] = {
    "type": "object", "required": ["selected_memories"], "additionalProperties": False,
    "properties": {"selected_memories": {"type": "array", "items": {"type": "string"}}},
}


def offered(lexical: Sequence[Candidate], others: Sequence[Candidate]) -> list[Candidate]:
    """The best that the words found and the newest of the rest, one of each in turn."""
    found = list(lexical[:LEXICAL])
    ids = {candidate.id for candidate in found}
    newest = sorted((each for each in others if each.id not in ids), key=lambda each: -each.modified_at)[: OFFERED - len(found)]
    mixed: list[Candidate] = []
    for place in range(max(len(found), len(newest))):
        mixed += found[place : place + 1] + newest[place : place + 1]
    return mixed


def manifest(candidates: Sequence[Candidate]) -> tuple[str, list[Candidate]]:
    """The list that the model is shown, a line for each memory, and which are in it; lines that do not fit are left out one by
    one. A memory is called by its id: no path of the machine leaves it."""
    lines: list[str] = []
    shown: list[Candidate] = []
    size = 0
    for candidate in candidates:
        if "\n" in candidate.id or "\r" in candidate.id:
            continue
        line = _line(candidate)
        length = len(line.encode("utf-8", "replace")) + (1 if lines else 0)
        if size + length <= MANIFEST_BYTES:
            lines.append(line)
            shown.append(candidate)
            size += length
    return "\n".join(lines), shown


def _line(candidate: Candidate) -> str:
    told = budget.head(defuse.line(candidate.description, DESCRIPTION_UNITS), DESCRIPTION_UNITS, UTF16)
    at = datetime.fromtimestamp(candidate.modified_at, UTC).isoformat(timespec="seconds") if candidate.modified_at else "unknown"
    return f"- [{candidate.type}] {candidate.id} ({at})" + (f": {told}" if told else "")


def question(prompt: str, listed: str, tools: Sequence[str] = ()) -> str:
    """What the model is asked."""
    if len(prompt) > QUERY_CHARACTERS:
        prompt = f"{prompt[: QUERY_CHARACTERS // 2]}\n…\n{prompt[-QUERY_CHARACTERS // 2 :]}"
    last = list(dict.fromkeys(reversed(tools)))[:MOST_TOOLS]
    used = f"\n\nRecently used tools: {', '.join(defuse.line(tool, 80) for tool in reversed(last))}" if last else ""
    return f"Query: {prompt}\n\nAvailable memories:\n{listed}{used}"


def chosen(data: Mapping[str, Any] | None, shown: Sequence[Candidate], *, limit: int) -> list[Candidate] | None:
    """What the model chose, in its order; None for an answer that does not count."""
    names = (data or {}).get("selected_memories")
    by_name = {candidate.id: candidate for candidate in shown}
    if not isinstance(names, list) or len(names) > limit or not all(isinstance(name, str) and name in by_name for name in names):
        return None
    return [by_name[name] for name in dict.fromkeys(names)]
