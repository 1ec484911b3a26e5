"""What a sub-agent is put before: its own memory, what the agents of its project share, and the rules that hold for it.

The form is the product's (spec/claude-code §9.2): a heading, guidance, a line on the scope, ``## MEMORY.md`` and the index, or
a sentence that it is empty. What stands in the index is data, as everywhere.
"""

from __future__ import annotations

from reverie.core import blocks, budget, defuse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Protocol

    class Rule(Protocol):
        """What is looked at of a rule: a memory, or what the search index knows of one."""

        @property
        def id(self) -> str: ...
        @property
        def name(self) -> str: ...
        @property
        def description(self) -> str: ...
        @property
        def body(self) -> str: ...

KIND = "agent"
RULE_CHARACTERS = 300               # of one rule
EMPTY = "Your MEMORY.md is empty so far. What you save will appear here."
SCOPE_LINES = {
    "user": "This memory goes with you into every project: keep what you save general.",
    "project": "This memory is about this project, and shared with its team through version control where the project keeps it: "
               "save what holds for everybody who works on it.",
    "local": "This memory is for this project on this machine only: nobody else gets to see it.",
}
SHARED_HEADING = "## Shared by the agents of this project"
RULES_HEADING = "## Rules of the person and the project that hold for this"


def agent_block(
    *, scope: str, guidance: str, index: str, shared: str = "", rules: Sequence[str] = (), design: str,
    characters: int | None = None,
) -> str:
    """An agent's block, fenced. ``characters``: what the whole may have; then the index gives way, and what is shared, and says
    so, and the last rules."""
    opening = ["# Persistent Agent Memory", guidance, SCOPE_LINES.get(scope, ""), "## MEMORY.md"]
    return _within(
        lambda own, told, said: _fenced([*opening, own or EMPTY, *_sections(told, said)], design),
        _data(index), _data(shared), rules, characters,
    )


def rules_block(*, shared: str, rules: Sequence[str], design: str, characters: int | None = None) -> str:
    """What an agent without a memory of its own is given, if it takes part in what is shared; "" when there is nothing."""
    return _within(lambda _, told, said: _fenced(_sections(told, said), design), "", _data(shared), rules, characters)


def _sections(shared: str, rules: Sequence[str]) -> list[str]:
    parts = [f"{SHARED_HEADING}\n\n{shared}"] if shared else []
    return [*parts, f"{RULES_HEADING}\n\n" + "\n".join(rules)] if rules else parts


def _within(
    render: Callable[[str, str, Sequence[str]], str], index: str, shared: str, rules: Sequence[str], characters: int | None
) -> str:
    """The block with as much as there is room for."""
    over = _over(render(index, shared, rules), characters)
    if over and index:
        index = _cut(index, over)
        over = _over(render(index, shared, rules), characters)
    if over and shared:
        shared = _cut(shared, over)
    while rules and _over(render(index, shared, rules), characters):
        rules = rules[:-1]
    return render(index, shared, rules)


def _over(block: str, characters: int | None) -> int:
    return max(0, len(block) - characters) if characters is not None else 0


def _cut(text: str, over: int) -> str:
    """Lines that are shorter by so many characters, with the remark that there are more; that at least."""
    kept = budget.pack(text.split("\n"), budget.Budget(characters=max(0, len(text) - over)), _left)
    return kept.text or _left(kept.lines)


def rule_lines(rules: Iterable[Rule]) -> list[str]:
    """A line for each rule, in full as far as a line goes, with where to read on."""
    return [
        f"- {defuse.line(rule.body or rule.description or rule.name, RULE_CHARACTERS)}"
        f" [{defuse.line(rule.id, blocks.ID_CHARACTERS)}]"
        for rule in rules
    ]


def _fenced(parts: Sequence[str], design: str) -> str:
    """The parts between our delimiters; "" when there are none."""
    return blocks.fenced(KIND, "\n\n".join(part.strip("\n") for part in parts if part.strip()), design=design)


def _data(index: str) -> str:
    return defuse.text(index, structured=True).strip()


def _left(lines: int) -> str:
    return f"> {lines} more lines are not shown here: `reverie list --agent` shows all."


