"""What a project holds of the things that memories name: files by their names, symbols and flags by their text.

Background work: git is run, with a deadline for all questions together. What could not be looked for to the end is
not missing: the answer names only what surely is nowhere.
"""

# Paths are strings in storage:
# ruff: noqa: PTH112, PTH118

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field

from reverie.core.checkup import Named
from reverie.storage import baseline, files

SECONDS = 10.0                      # for all questions about one project
MOST_SYMBOLS = 100
MOST_FILES = 20_000                 # of a project without git: more is a disk, not a project
MOST_BYTES = 32 * 1024 * 1024       # that are looked through there
LARGEST_FILE = 1024 * 1024
_NOT_OURS = frozenset(("node_modules", "__pycache__", "venv"))


def absent(
    root: str, named: Collection[Named], *, seconds: float = SECONDS, clock: Callable[[], float] = time.monotonic
) -> frozenset[Named]:
    """Of these things, those that the project at ``root`` does not hold."""
    until = clock() + seconds
    gone = {each for each in named if each.kind in ("file", "folder") and not os.path.lexists(os.path.join(root, each.text))}
    text = [each for each in named if each.kind in ("symbol", "flag")][:MOST_SYMBOLS]
    if not (gone or text) or not os.path.isdir(root):
        return frozenset()
    listed = baseline.run(
        ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], folder=root, timeout_seconds=max(0.1, until - clock()))
    if isinstance(listed, baseline.Ran) and listed.code == 0:
        paths = listed.out.decode("utf-8", "surrogateescape").split("\0")
        if not any(paths):
            return frozenset()
        return frozenset((*_nowhere(gone, paths), *(each for each in text if _not_in_git(root, each, until, clock))))
    if isinstance(listed, baseline.Skipped) and listed.reason == "git_timeout":
        return frozenset()
    walked = _Walk(root, text)
    if not walked.complete(until, clock):
        return frozenset()
    return frozenset((*_nowhere(gone, walked.paths), *walked.sought))


def _nowhere(things: Iterable[Named], paths: Iterable[str]) -> list[Named]:
    """The files and folders that no path of the project ends in, or passes through."""
    wanted = {each: each.text.strip("/") for each in things}
    names = {text.rpartition("/")[2] for text in wanted.values()}
    ends = {f"/{path}/" for path in paths if path and not names.isdisjoint(path.split("/"))}
    return [each for each, text in wanted.items() if not any(_holds(end, text, each.kind) for end in ends)]


def _holds(path: str, text: str, kind: str) -> bool:
    return path.endswith(f"/{text}/") if kind == "file" else f"/{text}/" in path


def _not_in_git(root: str, each: Named, until: float, clock: Callable[[], float]) -> bool:
    left = until - clock()
    if left <= 0:
        return False
    whole_word = ["-w"] if each.kind == "symbol" else []
    command = ["grep", "-q", "-I", "-F", *whole_word, "--untracked", "-e", each.text]
    found = baseline.run(command, folder=root, timeout_seconds=left, environment={"GIT_NO_LAZY_FETCH": "1"})
    return isinstance(found, baseline.Ran) and found.code == 1


@dataclass(slots=True)
class _Walk:
    """A project without git, looked through once. ``sought`` shrinks to what is nowhere."""

    root: str
    sought: list[Named]
    paths: list[str] = field(default_factory=list)
    held: int = 0

    def complete(self, until: float, clock: Callable[[], float]) -> bool:
        """Look through it; False when that was given up."""
        for folder, folders, names in os.walk(self.root):
            folders[:] = [name for name in folders if not name.startswith(".") and name not in _NOT_OURS]
            inside = os.path.relpath(folder, self.root).replace(os.sep, "/")
            for name in names:
                self.paths.append(name if inside == "." else f"{inside}/{name}")
                if len(self.paths) > MOST_FILES or self.held > MOST_BYTES or clock() > until:
                    return False
                if self.sought:
                    self._read(os.path.join(folder, name))
        return bool(self.paths)

    def _read(self, path: str) -> None:
        data = files.read(path, root=self.root, limit=LARGEST_FILE)
        if not isinstance(data, files.Unread):
            self.held += len(data)
            self.sought = [each for each in self.sought if each.text.encode("utf-8", "surrogateescape") not in data]
