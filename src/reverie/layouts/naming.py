"""File names for memories: readable, portable, never two that some file system takes for one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from reverie.core.layout import INDEX as INDEX
from reverie.core.layout import is_memory_path as is_memory_path
from reverie.errors import WrongUse

LONGEST_STEM = 44                   # characters: an index line of 150 names the file once or twice and must say something, too
_SEPARATORS = re.compile("[-_./]+")
_RESERVED = frozenset(
    ("con", "prn", "aux", "nul", "conin$", "conout$", *(f"{device}{i}" for device in ("com", "lpt") for i in range(10)))
)


def slug(text: str, *, between: str = "_", longest: int = LONGEST_STEM) -> str:
    """A name as part of a file name: letters and digits of any script in lower case, everything else one separator."""
    text = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).lower())
    kept = "".join(part if part.isalnum() or unicodedata.category(part)[0] == "M" else " " for part in text)
    return shortened(between.join(kept.split()), between=between, longest=longest)


def shortened(name: str, *, between: str = "_", longest: int = LONGEST_STEM) -> str:
    """A name of at most so many characters, cut between two words where that leaves half of it: half a word says nothing."""
    cut = name[:longest]
    if len(name) > longest and name[longest] != between and between in cut[longest // 2 :]:
        cut = cut.rpartition(between)[0]
    return cut.strip(between)


def spoken(path: str) -> str:
    """A file's name as somebody would read it, whose words stand between other signs."""
    return f"{path}\n\n{_SEPARATORS.sub(' ', path)}"


def fold(path: str) -> str:
    """What file systems that ignore case, or the form of accents, take a path for."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def is_reserved(name: str) -> bool:
    """Whether Windows keeps this file name for a device, whatever its ending."""
    return unicodedata.normalize("NFKC", name).lower().partition(".")[0] in _RESERVED


class Taken:
    """The paths of a folder, as the most forgiving file system sees them; and new ones beside them."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._folded = {fold(INDEX)}
        for path in paths:
            self._add(path)

    def _add(self, path: str) -> None:
        folded = fold(path)
        self._folded.add(folded)
        while "/" in folded:        # a folder cannot be a file as well
            folded = folded.rpartition("/")[0]
            self._folded.add(folded)

    def free(self, folder: str, stem: str, *, between: str = "_") -> str:
        """The first free path for ``stem`` in ``folder``: as it is, then with 2, 3, …; it is taken from now on."""
        stem = stem or "memory"
        if is_reserved(stem):
            stem = f"memory{between}{stem}"
        name, count = stem, 1
        path = f"{folder}/{name}.md" if folder else f"{name}.md"
        while fold(path) in self._folded:
            count += 1
            name = f"{stem}{between}{count}"
            path = f"{folder}/{name}.md" if folder else f"{name}.md"
        self._add(path)
        return path


def check(path: str) -> None:
    """Refuse to write a path that could lead out of the store, or that not every system can hold."""
    parts = path.split("/")
    reserved = any(map(is_reserved, parts))
    unsafe = any(part in ("", ".", "..") for part in parts) or "\\" in path or any(ord(c) < 32 for c in path)
    if unsafe or reserved:
        why = "a name that Windows reserves" if reserved and not unsafe else "not a plain relative path"
        raise WrongUse(f"{path!r} is {why}: it is not written; rename the file to change it here")
