"""The consolidator with a model: it reads and edits a staging copy with a handful of tools, and hands back what it made.

Its tools know the copy and nothing else: no shell, no network, no path that leads out, and only the files that are a
consolidator's can be written. What it reads is redacted on its way out by the door that every question passes
(``metering``); what it makes is checked here on its demand (``check``), and once more by whoever called it.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from reverie import texts
from reverie.core.budget import BYTES_PER_PRODUCT_TOKEN
from reverie.core.consolidation import Fault, Given, Made
from reverie.core.model import Ask, Effort, Failure, Json, Meter, Model, ModelFailed, Tool, ToolRefused, Unmetered, Used
from reverie.layouts import codex_checking
from reverie.layouts.codex_checking import Rules
from reverie.storage import staging
from reverie.storage.staging import Copy, OutOfBounds
from reverie.storage.workspace import DIFF_FILE

READ_BYTES = 40_000                     # of one answer, about 10,000 tokens: a handbook is read in pieces
READ_LINES = 1_000
LISTED = 500                            # files in one answer
FOUND = 100                             # places in one answer
LINE_CHARACTERS = 400                   # of a line that was found
CALLS_PER_ROUND = 8                     # on average: more is a loop
_TEXT: Mapping[str, Any] = {"type": "string"}
_COUNT: Mapping[str, Any] = {"type": "integer", "minimum": 1}


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What one consolidation may take. ``tokens`` in and out together; 0: as many as the caps leave."""

    rounds: int = 60
    seconds: float = 1_800
    tokens: int = 0
    output_tokens: int = 8_000


class Agent:
    """A consolidator. ``home``: where the copy may lie; ``watch`` is asked before every round trip, and ends the whole by
    raising ``ModelFailed``: the job is not ours any more."""

    def __init__(
        self, model: Model, *, home: str, prefix: str, rules: Rules, budget: Budget | None = None,
        meter: Meter | None = None, watch: Callable[[], None] = lambda: None,
    ) -> None:
        self._model, self._meter, self._watch = model, meter or Unmetered(), watch
        self._home, self._prefix, self._rules = home, prefix, rules
        self._budget = budget or Budget()

    @property
    def name(self) -> str:
        return f"model:{self._model.name}"

    def consolidate(self, given: Given, *, now: datetime) -> Made:
        """Let the model work. Raises ``ModelFailed``."""
        with staging.copy_of(given.folder, home=self._home, prefix=self._prefix) as copy:
            copy.put(DIFF_FILE, given.diff)
            desk = Desk(copy, given, self._rules, calls=self._budget.rounds * CALLS_PER_ROUND, watch=self._watch)
            answer = self._model.ask(self._ask(given, desk, now), _Watched(self._meter, self._watch))
            if desk.is_exhausted:
                raise ModelFailed(Failure.BAD_ANSWER, f"{self.name} called tools without end", used=answer.used)
            made = desk.made()
            return replace(made, used=answer.used, model=answer.model, said=answer.text[:2_000], notes=tuple(desk.notes()))

    def _ask(self, given: Given, desk: Desk, now: datetime) -> Ask:
        shape = self._rules.shape
        first = "MEMORY.md" not in given.folder or not given.folder["MEMORY.md"].data.strip()
        form = texts.load("handbook_in_tasks" if shape.sections_in_task else "handbook_in_blocks")
        system = texts.load("consolidating", form=form, summary_bytes=f"{shape.summary_bytes:,}", diff=DIFF_FILE)
        prompt = texts.load(
            "consolidate", mode="first build" if first else "update", day=f"{now:%Y-%m-%d}", diff=DIFF_FILE,
            changes=f"{len(given.changes):,}", files=f"{len(given.folder):,}",
        )
        return Ask(
            flow="consolidate", system=system, prompt=prompt, tools=desk.tools(), effort=Effort.MEDIUM,
            rounds=self._budget.rounds, seconds=self._budget.seconds, most_tokens=self._budget.tokens,
            output_tokens=self._budget.output_tokens,
        )


class Estimated:
    """In the place of a model that is not asked: what it would be asked at the least is counted."""

    def __init__(self, model: Model) -> None:
        self._model = model

    @property
    def name(self) -> str:
        return f"model:{self._model.name}"

    def consolidate(self, given: Given, *, now: datetime) -> Made:
        """The folder as it is given; the tokens of what it would have to read once."""
        read = [path for path, status in given.changes.items() if status != "D" and path in given.folder]
        size = len(given.diff) + sum(len(given.folder[path].data) for path in read)
        used = Used(input=size // BYTES_PER_PRODUCT_TOKEN, known=False)
        said = ("not asked", "a dry run asks no model; it would read so many tokens at the least")
        return Made(folder=given.folder, used=used, notes=(said,))


class _Watched:
    """A meter that first makes sure that the work is still ours."""

    def __init__(self, meter: Meter, watch: Callable[[], None]) -> None:
        self._meter, self._watch = meter, watch

    def before(self, *, most_input: int, most_output: int) -> None:
        self._watch()
        self._meter.before(most_input=most_input, most_output=most_output)

    def after(self, used: Used) -> None:
        self._meter.after(used)


class Desk:
    """The tools of one consolidation, over its copy."""

    def __init__(self, copy: Copy, given: Given, rules: Rules, *, calls: int, watch: Callable[[], None] = lambda: None) -> None:
        self._copy, self._given, self._rules, self._left, self._watch = copy, given, rules, calls, watch
        self._calls: dict[str, int] = {}
        self._refused = 0

    def tools(self) -> tuple[Tool, ...]:
        return tuple(self._tools())

    @property
    def is_exhausted(self) -> bool:
        """Whether more tools were called than one run may call: then the work is not done."""
        return self._left < 0

    def made(self) -> Made:
        """What is there now."""
        return Made(folder=self._copy.folder(), oddities=self._copy.oddities())

    def notes(self) -> Iterator[tuple[str, str]]:
        """What was done with the tools, for the report."""
        yield "tool calls", ", ".join(f"{number} {name}" for name, number in sorted(self._calls.items())) or "none"
        if self._refused:
            yield "refused tool calls", str(self._refused)

    def _tools(self) -> Iterator[Tool]:
        said: Sequence[tuple[str, str, dict[str, Any], list[str], Callable[[Json], str]]] = (
            ("list", "The files of the memory folder, with their sizes in bytes. `glob` narrows them, as in 'skills/*'.",
             {"glob": _TEXT}, [], self._list),
            ("read", "Lines of a file, numbered from 1. Long files come in pieces: ask again with `from_line`.",
             {"path": _TEXT, "from_line": _COUNT, "lines": _COUNT}, ["path"], self._read),
            ("search", "The lines that hold a text, in any letter case, in all files or those that fit `glob`.",
             {"text": _TEXT, "glob": _TEXT}, ["text"], self._search),
            ("write", "Write a whole file: MEMORY.md, memory_summary.md, or a file of a skill, skills/<name>/….",
             {"path": _TEXT, "content": _TEXT}, ["path", "content"], self._write),
            ("edit", "Put one text in the place of another in a file. The old text must stand there exactly once.",
             {"path": _TEXT, "old": _TEXT, "new": _TEXT}, ["path", "old", "new"], self._edit),
            ("delete", "Take away a file of a skill.", {"path": _TEXT}, ["path"], self._delete),
            ("check", "What would be refused of the folder as it is now. Ask before you end.", {}, [], self._check),
        )
        for name, about, properties, required, run in said:
            parameters = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
            yield Tool(name=name, description=about, parameters=parameters, run=self._counted(name, run))

    def _counted(self, name: str, run: Callable[[Json], str]) -> Callable[[Json], str]:
        def counted(arguments: Json) -> str:
            self._watch()
            self._left -= 1
            self._calls[name] = self._calls.get(name, 0) + 1
            try:
                if self._left < 0:
                    raise ToolRefused("no more calls of tools in this run; nothing of it will be kept")
                return run(arguments)
            except ToolRefused:
                self._refused += 1
                raise
            except OutOfBounds as error:
                self._refused += 1
                raise ToolRefused(str(error)) from error
            except OSError as error:    # a name that this file system does not take
                self._refused += 1
                raise ToolRefused(f"not done: {error.strerror or error}") from error
        return counted

    # ---- looking

    def _list(self, arguments: Json) -> str:
        paths = _fitting(self._copy.paths(), _word(arguments, "glob", ""))
        lines = [f"{path} ({(self._copy.root / path).stat().st_size:,})" for path in paths[:LISTED]]
        if len(paths) > LISTED:
            lines.append(f"… {len(paths) - LISTED:,} more; narrow it with `glob`")
        return "\n".join(lines) or "no such files"

    def _read(self, arguments: Json) -> str:
        path = _word(arguments, "path")
        lines = self._lines(path)
        first = max(1, _number(arguments, "from_line", 1))
        wanted = lines[first - 1 : first - 1 + min(READ_LINES, _number(arguments, "lines", READ_LINES))]
        kept, size = [], 0
        for number, line in enumerate(wanted, start=first):
            shown = line if len(line) <= READ_BYTES // 4 else f"{line[: READ_BYTES // 4]}… (a line of {len(line):,} characters)"
            size += len(shown.encode()) + 8
            if size > READ_BYTES:
                break
            kept.append(f"{number}\t{shown}")
        upto = first - 1 + len(kept)
        if upto < len(lines):
            kept.append(f"… lines {upto + 1:,} to {len(lines):,} follow: read on with from_line={upto + 1}")
        return "\n".join(kept) or ("the file is empty" if not lines else f"the file has {len(lines):,} lines")

    def _search(self, arguments: Json) -> str:
        text = _word(arguments, "text").casefold()
        if not text.strip():
            raise ToolRefused("search for some text")
        found: list[str] = []
        for path in _fitting(self._copy.paths(), _word(arguments, "glob", "")):
            data = self._copy.read(path) or b""
            for number, line in enumerate(data.decode("utf-8", "replace").split("\n") if b"\0" not in data else (), start=1):
                if text in line.casefold():
                    found.append(f"{path}:{number}: {line.strip()[:LINE_CHARACTERS]}")
                    if len(found) > FOUND:
                        return "\n".join([*found[:FOUND], "… more; narrow it"])
        return "\n".join(found) or "nothing found"

    def _lines(self, path: str) -> list[str]:
        return self._text(path).split("\n")

    def _text(self, path: str) -> str:
        data = self._copy.read(path)
        if data is None:
            raise ToolRefused(f"there is no file {path!r}")
        if b"\0" in data:
            raise ToolRefused(f"{path!r} is no text")
        return data.decode("utf-8", "replace")

    # ---- changing

    def _write(self, arguments: Json) -> str:
        path, content = _word(arguments, "path"), _word(arguments, "content")
        self._save(path, content)
        return f"{path}: {len(content.encode('utf-8', 'replace')):,} bytes written"

    def _edit(self, arguments: Json) -> str:
        path, old, new = (_word(arguments, name) for name in ("path", "old", "new"))
        text = self._text(self._ours(path))
        count = text.count(old) if old else 0
        if count != 1:
            raise ToolRefused(f"the old text stands {count} times in {path!r}; it must stand there exactly once")
        self._save(path, text.replace(old, new, 1))
        return f"{path}: edited"

    def _save(self, path: str, text: str) -> None:
        self._copy.write(self._ours(path), text.encode("utf-8", "replace"))

    def _delete(self, arguments: Json) -> str:
        path = self._ours(_word(arguments, "path"))
        if not path.startswith("skills/"):
            raise ToolRefused(f"{path!r} is not yours to take away; only files of skills are")
        if not self._copy.delete(path):
            raise ToolRefused(f"there is no file {path!r}")
        return f"{path}: gone"

    def _ours(self, path: str) -> str:
        """The path, if a model may write there."""
        if not codex_checking.allowed(path):
            raise ToolRefused(
                f"{path[:80]!r} is not yours to write: only MEMORY.md, memory_summary.md and skills/<name>/ are")
        return path

    def _check(self, arguments: Json) -> str:
        found = codex_checking.faults(self._given, self.made(), self._rules)
        return "\n".join(f"- {_told(fault)}" for fault in found) or "nothing would be refused"


def _told(fault: Fault) -> str:
    return f"[{fault.rule}] {fault}"


def _fitting(paths: Sequence[str], glob: str) -> list[str]:
    if len(glob) > 200 or glob.count("*") > 8:
        raise ToolRefused("the glob is too long")
    return [path for path in paths if not glob or fnmatch.fnmatchcase(path, glob)]


def _word(arguments: Json, name: str, otherwise: str | None = None) -> str:
    value = arguments.get(name, otherwise)
    if not isinstance(value, str):
        raise ToolRefused(f"{name!r} must be a text")
    return value


def _number(arguments: Json, name: str, otherwise: int) -> int:
    value = arguments.get(name, otherwise)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ToolRefused(f"{name!r} must be a positive whole number")
    return value

