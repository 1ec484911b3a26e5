"""Which readers there are, and whose a file or folder is."""

# Paths are texts in a transcript, and a home folder holds thousands of them: os.path, not pathlib.
# ruff: noqa: PTH100
from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping

from reverie.core.session import Dialect, Transcript, Unreadable
from reverie.errors import WrongUse
from reverie.hosts import disk
from reverie.hosts.claude_code import ClaudeCode
from reverie.hosts.codex import Codex
from reverie.hosts.disk import CannotRead
from reverie.hosts.kimi_code import KimiCode
from reverie.hosts.opencode import OpenCode
from reverie.hosts.qwen_code import QwenCode

# In the order in which a file is offered to them: those whose records could be taken for another's come first.
DIALECTS: Mapping[str, Dialect] = {
    dialect.name: dialect for dialect in (QwenCode(), ClaudeCode(), Codex(), KimiCode(), OpenCode())
}

# Folders in which no transcript lies: secrets, and what only costs time.
_PASSED_OVER = frozenset({
    "credentials", ".ssh", ".gnupg", ".git", "node_modules", ".venv", "__pycache__", "site-packages", "snapshot", "file-history",
})
_SUFFIXES = (".jsonl", ".jsonl.zst", ".db", ".sqlite")
_DEPTH = 40             # deeper is not where people keep things


def get(name: str) -> Dialect:
    """The reader of a host. Raises ``WrongUse`` for a name that is none, with the list."""
    found = DIALECTS.get(name)
    if found is None:
        raise WrongUse(f"there is no host {name!r}; there are {', '.join(sorted(DIALECTS))}")
    return found


def find_all(
    home: str, environment: Mapping[str, str], hosts: Iterable[str] | None = None
) -> Iterator[Transcript | Unreadable]:
    """Every session of these hosts, or of all, below ``home``. Raises ``WrongUse`` for an unknown host, before looking."""
    chosen = [get(name) for name in dict.fromkeys(hosts)] if hosts is not None else list(DIALECTS.values())
    return (found for dialect in chosen for found in dialect.find(home, environment))


def recognise(path: str, hosts: Iterable[str] | None = None) -> Iterator[Transcript | Unreadable]:
    """The sessions in a file, or anywhere below a folder, whichever host wrote them; at most those of ``hosts``.

    A file that was named and is no transcript is ``Unreadable``; among the files of a folder it is passed over. Raises
    ``WrongUse`` for an unknown host, before looking.
    """
    chosen = [get(name) for name in dict.fromkeys(hosts)] if hosts is not None else list(DIALECTS.values())
    return _recognise(os.path.abspath(path) if "\x00" not in path else path, chosen)


def _recognise(path: str, dialects: list[Dialect]) -> Iterator[Transcript | Unreadable]:
    try:
        found = disk.look(path)
    except CannotRead as problem:
        yield disk.unreadable("", path, problem)
        return
    if stat.S_ISDIR(found.st_mode):
        yield from _below(path, dialects)
        return
    sessions = _file(path, dialects)
    if sessions is None:
        yield Unreadable(host="", path=path, reason="not_a_transcript", detail="no host that Reverie knows wrote this")
    else:
        yield from sessions


def _file(path: str, dialects: list[Dialect]) -> list[Transcript | Unreadable] | None:
    """The sessions in a file, or None when it is nobody's."""
    try:
        with disk.open_plain(path):
            pass
    except CannotRead as problem:
        return [disk.unreadable("", path, problem)]
    for dialect in dialects:
        found = dialect.at(path)
        if found is not None:
            return list(found)
    return None


def _below(path: str, dialects: list[Dialect]) -> Iterator[Transcript | Unreadable]:
    """Every folder below one, each once, links followed; a link that leads back to where it came from is a loop."""
    seen: set[tuple[int, int]] = set()
    waiting: list[tuple[str, tuple[tuple[int, int], ...]]] = [(path, ())]
    while waiting:
        folder, above = waiting.pop()
        try:
            found = disk.look(folder)
        except CannotRead as problem:
            yield disk.unreadable("", folder, problem)
            continue
        identity = (found.st_dev, found.st_ino)
        if identity in above:
            yield Unreadable(host="", path=folder, reason="symlink_loop", detail="the link leads back to a folder above it")
            continue
        if identity in seen or len(above) > _DEPTH:
            continue
        seen.add(identity)
        inner: list[tuple[str, tuple[tuple[int, int], ...]]] = []
        for entry in disk.listing("", folder, wanted=True):
            if isinstance(entry, Unreadable):
                yield entry
            elif disk.is_folder(entry.path):
                if entry.name not in _PASSED_OVER:
                    inner.append((entry.path, (*above, identity)))
            elif entry.name.endswith(_SUFFIXES) or (entry.name.endswith(".json") and "session" in folder):
                yield from _file(entry.path, dialects) or ()
            elif _leads_nowhere(entry):
                yield Unreadable(host="", path=entry.path, reason="symlink_loop", detail="the link leads back to itself")
        waiting += reversed(inner)


def _leads_nowhere(entry: os.DirEntry[str]) -> bool:
    """Whether this is a link that leads to itself; one whose target is gone is common and of no interest."""
    if not entry.is_symlink():
        return False
    try:
        disk.look(entry.path)
    except CannotRead as problem:
        return problem.reason == "symlink_loop"
    return False
