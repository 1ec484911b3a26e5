"""What the commands share: options, opening the memory, and how things look on a terminal and in a pipe."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from reverie.core.memory import Source
    from reverie.memory import Memory

WIDE = "\u2e80"       # from here on characters take two columns, or the script has no blanks to break at
Function = TypeVar("Function", bound=Callable[..., Any])


def options(function: Function) -> Function:
    """``--design``, ``--cwd`` and ``--json``, on every command that has a use for them."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Answer for a program."),
        click.option("--cwd", metavar="DIR", help="The working directory to look from (default: this one)."),
        click.option("--design", metavar="NAME", help="The memory design: see `reverie designs`."),
    ):
        function = option(function)
    return function


def of_agent(function: Function) -> Function:
    """``--agent``, on every command that can look at a sub-agent's memory."""
    option = click.option("--agent", default="", metavar="NAME", help="The memory of this sub-agent: see `reverie agents`.")
    return option(function)


def opened(design: str | None, cwd: str | None, *, background: bool = False) -> Memory:
    """The user's memory. ``background``: nobody asked for what will be done."""
    from reverie.memory import open_memory

    memory = open_memory(design=design, cwd=cwd, background=background)
    click.get_current_context().call_on_close(lambda: _close(memory))
    return memory


def _close(memory: Memory) -> None:
    """Say what a person should know about their home (a database moved aside), whatever became of the command."""
    failure = str(sys.exc_info()[1])        # it will be said by whoever ends the command
    for said in memory.space.home.notes:
        if said != failure:
            click.echo(f"reverie: {said}", err=True)
    memory.close()


def say_json(value: Any) -> None:
    """One JSON document on standard output."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=1, default=str))


def shown(text: str) -> str:
    """A text that a terminal shows and does not obey: a memory, or a file's name, may hold escape sequences."""
    if text.isprintable():
        return text
    from unicodedata import category

    return "".join(
        c if c in "\n\t\u200c\u200d" or category(c) not in ("Cc", "Cf", "Cs") else "\N{REPLACEMENT CHARACTER}" for c in text
    )


def title(text: str) -> None:
    """A heading."""
    click.echo(click.style(shown(text), bold=True))


def note(text: str) -> None:
    """Something beside the answer, on standard error, so that a pipe gets the answer alone."""
    click.echo(click.style(text, dim=True), err=True)


def width() -> int:
    """How wide the text may be: the terminal, within reason."""
    return max(60, min(shutil.get_terminal_size((100, 24)).columns, 110))


def wrapped(text: str, *, indent: str = "", first: str | None = None) -> str:
    """A paragraph at the terminal's width. Text in scripts without blanks is broken by display width."""
    lines: list[str] = []
    for number, paragraph in enumerate(shown(text).split("\n")):
        head = indent if first is None or number else first
        columns = width() // 2 + 10 if max(paragraph, default="") >= WIDE else width()
        lines += textwrap.wrap(
            paragraph, columns, initial_indent=head, subsequent_indent=indent, break_on_hyphens=False
        ) or [""]
    return "\n".join(lines)


def dim(text: str) -> str:
    return click.style(shown(text), dim=True)


def coloured(action: str) -> str:
    """The word for what happened, in its colour."""
    colour = {"added": "green", "updated": "yellow", "confirmed": "cyan", "superseded": "yellow", "removed": "red",
              "quarantined": "red", "restored": "green"}.get(action)
    return click.style(f"{action:11}", fg=colour)


def wrote(source: Source) -> str:
    """Who wrote a memory, where it was no user of this machine: a sub-agent, or a teammate with the commit; else ""."""
    return f"by the agent {source.agent}" if source.agent else f"by {source.author}" if source.author else ""


def counts(values: dict[str, int] | Iterable[tuple[str, int]]) -> str:
    """"3 question, 2 temporary", most first."""
    pairs = values.items() if isinstance(values, dict) else values
    return ", ".join(f"{number} {name}" for name, number in sorted(pairs, key=lambda pair: (-pair[1], pair[0])))


def refused(quote: str) -> str:
    """The words of what was not kept; of what was off the record there are none."""
    return short(quote, 58) or "(not even the words are kept)"


def short(text: str, limit: int) -> str:
    """One line of so many columns for a list; the whole text is one command away. Chinese, Japanese and Korean characters take
    two columns. Only for people's eyes: models get theirs from core.budget."""
    from unicodedata import east_asian_width

    line = " ".join(shown(text).split())
    room = limit - 1                                    # for the mark
    for at, character in enumerate(line):
        room -= 2 if east_asian_width(character) in "WF" else 1
        if room < 0:
            return line if at == len(line) - 1 and room == -1 else line[:at].rstrip() + "…"
    return line
