"""What the memory tool answers: exact sentences, numbered lines, listings (spec/claude-code §15).

A model was trained on these words, so they are a table. ``SDK`` has those of the reference implementation in Anthropic's
Python SDK, ``DOCS`` those of the tool's page in the API documentation; the two differ in a few errors. What neither of
them has a sentence for is ours, and the same in both.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from reverie.core import budget
from reverie.core.budget import Budget

ROOT = "/memories"
MOST_LINES = 999_999                # what the tool's contract allows a viewed file
NUMBER_WIDTH = len(str(MOST_LINES))
LISTED_DEPTH = 2
SNIPPET_LINES = 2                   # before and behind the first changed line
QUOTED_CHARACTERS = 4_000           # of an old_str that is given back in an error
LISTED_PLACES = 100                 # of an old_str that occurs more often


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """The sentences of one convention. ``mark`` stands before an error that the convention has no sentence for."""

    name: str
    mark: str = ""
    hides: tuple[str, ...] = ()     # folder names left out of a listing, beside what begins with a dot
    sentences: Mapping[str, str]

    def __call__(self, key: str, **values: object) -> str:
        """A sentence with its values."""
        sentence = self.sentences.get(key)
        return sentence.format(**values) if sentence is not None else self.mark + _OURS[key].format(**values)


_SHARED = {
    "listing": "Here're the files and directories up to 2 levels deep in {path}, excluding hidden items:",
    "content": "Here's the content of {path} with line numbers:",
    "created": "File created successfully at: {path}",
    "edited": "The memory file has been edited. Here is the snippet showing the change (with line numbers):",
    "inserted": "The file {path} has been edited.",
    "deleted": "Successfully deleted {path}",
    "renamed": "Successfully renamed {old} to {new}",
    "cleared": "All memory cleared",
    "no_such_view": "The path {path} does not exist. Please provide a valid path.",
    "too_many_lines": "File {path} exceeds maximum line limit of 999,999 lines.",
    "not_found_in": "No replacement was performed, old_str `{old}` did not appear verbatim in {path}.",
    "several": "No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {lines}. "
               "Please ensure it is unique",
}  # fmt: skip

SDK = Wording(name="sdk", sentences={
    **_SHARED,
    "outside": "Path must start with /memories, got: {path}",
    "escapes": "Path {path} would escape /memories directory",
    "exists": "File {path} already exists",
    "no_such_edit": "The path {path} does not exist. Please provide a valid path.",
    "no_such_insert": "The path {path} does not exist. Please provide a valid path.",
    "folder_edit": "The path {path} is not a file.",
    "folder_insert": "The path {path} is not a file.",
    "line_range": "Invalid `insert_line` parameter: {line}. It should be within the range [0, {last}].",
    "no_such": "The path {path} does not exist",
    "root_delete": "Cannot delete the /memories directory itself",
    "root_rename": "Cannot rename the /memories directory itself",
    "destination": "The destination {path} already exists",
})  # fmt: skip

DOCS = Wording(name="docs", mark="Error: ", hides=("node_modules",), sentences={
    **_SHARED,
    "listing": "Here're the files and directories up to 2 levels deep in {path}, excluding hidden items and node_modules:",
    "edited": "The memory file has been edited.",
    "exists": "Error: File {path} already exists",
    "no_such_edit": "Error: The path {path} does not exist. Please provide a valid path.",
    "no_such_insert": "Error: The path {path} does not exist",
    "folder_edit": "Error: The path {path} does not exist. Please provide a valid path.",
    "folder_insert": "Error: The path {path} does not exist",
    "line_range": "Error: Invalid `insert_line` parameter: {line}. "
                  "It should be within the range of lines of the file: [0, {last}]",
    "no_such": "Error: The path {path} does not exist",
    "destination": "Error: The destination {path} already exists",
})  # fmt: skip

WORDINGS: Mapping[str, Wording] = {wording.name: wording for wording in (SDK, DOCS)}

_OURS = {
    "outside": "Path must start with /memories, got: {path}",
    "escapes": "Path {path} would escape /memories directory",
    "root_delete": "Cannot delete the /memories directory itself",
    "root_rename": "Cannot rename the /memories directory itself",
    "bad_name": "The path {path} cannot be used: {why}.",
    "exists_as": "File {path} already exists, as {other}: the two names are one on some systems.",
    "not_a_folder": "The path {path} is not a directory.",
    "into_itself": "The directory {old} cannot be moved into itself.",
    "index": "The file {path} is the index: it is rendered from the memories beside it and is not written by hand. "
             "Write the file that it should point to.",
    "unreadable": "The file {path} cannot be read: {why}.",
    "not_text": "The file {path} is not valid UTF-8 and is left as it is.",
    "too_large": "The file {path} would become too large: {size} of at most {limit} bytes. Write several smaller files.",
    "secret": "Not stored: the text holds what looks like a credential ({families}). Say where it is kept instead.",
    "forgotten": "Not stored: the user asked to have this forgotten.",
    "orders": "Not stored: the text reads like orders to an agent ({why}). Write down what is the case, and why.",
    "sealed": "The file {path} is in quarantine: it reads like orders to an agent, and is shown to people only. "
              "It can be deleted.",
    "sealed_note": "It was put into quarantine, because it reads like orders to an agent: it will not be shown again before "
                   "a person has looked at it.",
    "unknown_command": "Unknown command: {command}",
    "not_an_object": "The input must be an object with a `command`.",
    "missing_field": "The command `{command}` needs `{name}`.",
    "wrong_type": "`{name}` must be {kind}.",
    "bad_range": "Invalid `view_range`: {range}. Its second element should be -1 or not smaller than its first.",
    "not_unicode": "`{name}` holds characters that are no valid Unicode.",
    "busy": "The memory kept changing under this command ({what}); nothing was written. Try again.",
    "trouble": "{why}",
}  # fmt: skip


# ── lines ────────────────────────────────────────────────────────────────────────────────────────────────────────


def numbered(lines: Sequence[str], first: int = 1) -> list[str]:
    """Lines with their numbers, six wide, before a tab."""
    return [f"{number:>{NUMBER_WIDTH}}\t{line}" for number, line in enumerate(lines, first)]


def page(lines: Sequence[str], first: int, last: int, limit: int) -> str:
    """Lines ``first`` to ``last`` (from 1), numbered, within ``limit`` characters. What does not fit is said, with the
    range that shows it."""
    wanted = lines[first - 1 : last]
    shown = numbered(wanted[: limit // (NUMBER_WIDTH + 1) + 1], first)      # no numbered line is shorter than that

    def rest(left_out: int) -> str:
        start, end = first + len(shown) - left_out, first + len(wanted) - 1
        return f"[lines {start} to {end} are not shown: view_range [{start}, {end}]]"

    cut = budget.pack(shown, Budget(characters=limit), rest)
    if cut.whole or cut.items < len(shown):
        return cut.text
    line = budget.clip(shown[0], limit)     # the first line alone is longer than a page
    behind = f"\n{rest(len(shown) - 1)}" if len(wanted) > 1 else ""
    return f"{line.text}\n[{line.characters:,} characters of line {first} are not shown]{behind}"


def snippet(text: str, changed_at: int, limit: int) -> str:
    """The lines around the place of a change (a character of ``text``), numbered."""
    lines = text.split("\n")
    line = text.count("\n", 0, changed_at)
    first = max(0, line - SNIPPET_LINES)
    return page(lines, first + 1, min(len(lines), line + SNIPPET_LINES + 1), limit)


def occurrences(text: str, words: str) -> str:
    """The numbers of the lines in which ``words`` begins, each as often as it does, for a person or a model."""
    ends = [place for place, character in enumerate(text) if character == "\n"]
    places: list[str] = []
    at = text.find(words)
    while at >= 0 and len(places) < LISTED_PLACES:
        places.append(str(bisect_left(ends, at) + 1))
        at = text.find(words, at + 1)
    return ", ".join(places) + (" and more" if at >= 0 else "")


def inserted(text: str, after_line: int, new: str) -> str | None:
    """``text`` with ``new`` behind that many lines; None when there are not so many. Every line ends, as in the SDK."""
    lines = lines_of(text)
    if not 0 <= after_line <= len(lines):
        return None
    lines.insert(after_line, new.rstrip("\n"))
    whole = "\n".join(lines)
    return whole if whole.endswith("\n") else whole + "\n"


def lines_of(text: str) -> list[str]:
    """The lines of a text; the end of the last one begins no further line. Only ``\\n`` ends a line."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


# ── listings ─────────────────────────────────────────────────────────────────────────────────────────────────────


def listing(path: str, sizes: Mapping[str, int], wording: Wording, limit: int) -> str:
    """A directory: its own size and path, then what is in it two levels deep, by name.

    ``sizes`` has the files below it, relative to it. A directory is as large as the files in it.
    """
    entries = _entries(sizes, wording.hides)
    shown = path.rstrip("/")
    lines = [f"{size(sum(sizes.values()))}\t{path}"]
    lines += [f"{size(length)}\t{shown}/{name}" for name, length in entries]
    return wording("listing", path=path) + "\n" + budget.pack(
        lines, Budget(characters=limit), lambda left: f"[{left:,} entries are not shown: view a directory in it, or delete some]"
    ).text


def _entries(sizes: Mapping[str, int], hides: Sequence[str]) -> Iterator[tuple[str, int]]:
    found: dict[tuple[str, ...], int] = {}
    folders: set[tuple[str, ...]] = set()
    for path, length in sizes.items():
        names = tuple(path.split("/"))
        if any(name in hides for name in names):
            continue
        for depth in range(1, min(LISTED_DEPTH, len(names)) + 1):
            found[names[:depth]] = found.get(names[:depth], 0) + length
            if depth < len(names):
                folders.add(names[:depth])
    for names in sorted(found):
        yield "/".join(names) + ("/" if names in folders else ""), found[names]


def size(length: int) -> str:
    """Bytes for a person, as the SDK writes them: ``0B``, ``512B``, ``1.5K``, ``2M``."""
    power = min(max(length.bit_length() - 1, 0) // 10, 3)
    value = length / 1024**power
    return f"{value:.0f}{'BKMG'[power]}" if value == int(value) else f"{value:.1f}{'BKMG'[power]}"
