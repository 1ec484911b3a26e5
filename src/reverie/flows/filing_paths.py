"""Paths as a model gives them, below ``/memories``: understood literally, or refused.

A path is judged by its letters alone, before any disk is asked; that no symbolic link leads out is the store's business.
Nothing is decoded and nothing is resolved: what would mean another place after decoding (``%2e%2e``, twice encoded,
full-width dots, a slash of another script), on another system (``\\``, ``C:``) or to an eye (invisible letters) is
refused, and so is ``..`` even where it would stay inside.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from reverie.core.tool_answers import ROOT
from reverie.layouts import naming
from reverie.storage.files import TEMPORARY

LONGEST_PATH = 1_000                # characters
LONGEST_NAME = 200                  # bytes: file systems end at 255, and names in the trash are longer
DEEPEST = 12                        # folders in one another; a store looks somewhat deeper

_ENCODED = re.compile(r"%(?:[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4})")
# Strokes that are taken for a slash; the full-width ones become one by normalisation.
_STROKES = re.compile("[\\\\\u2044\u2215\u2216\u29f5\u29f8\u29f9\u2571\u2572\u1735]")
_INVISIBLE = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
_NOT_PORTABLE = re.compile(r'[<>"|?*]')


class Refused(Exception):
    """A path that is not taken: the key of the sentence that says so, and why."""

    def __init__(self, key: str, why: str = "") -> None:
        super().__init__(key, why)
        self.key = key
        self.why = why


class Where(NamedTuple):
    """A place below ``/memories``: its names, "/" between them; "" is ``/memories`` itself."""

    relative: str
    hidden: bool


def parse(path: str) -> Where:
    """Where a path leads. Raises ``Refused``."""
    if len(path) > LONGEST_PATH:
        raise Refused("bad_name", f"it is longer than {LONGEST_PATH} characters")
    if path != ROOT and not path.startswith(ROOT + "/"):
        raise Refused("outside")
    plain = unicodedata.normalize("NFKC", path)
    if _STROKES.search(path) or _STROKES.search(plain) or plain.count("/") != path.count("/"):
        raise Refused("escapes")
    if _ENCODED.search(plain):
        raise Refused("bad_name", "it holds percent-encoding; names are taken as they are written")
    if any(unicodedata.category(character) in _INVISIBLE for character in path):
        raise Refused("bad_name", "it holds control characters or invisible ones")
    if ":" in plain:
        raise Refused("bad_name", "it holds a colon")
    names = [name for name in path[len(ROOT) :].split("/") if name]
    bare = [unicodedata.normalize("NFKC", name) for name in names]
    if any(not name.strip(" .") for name in bare):       # "..", and what some systems make of ".. " or "..."
        raise Refused("escapes")
    return Where("/".join(names), any(name.lstrip().startswith(".") for name in bare))


def check_new(where: Where) -> None:
    """Refuse a name that not every system can hold, or that would not be seen again. Raises ``Refused``."""
    names = where.relative.split("/")
    if where.hidden:
        raise Refused("bad_name", "a name that begins with a dot is hidden")
    if len(names) > DEEPEST:
        raise Refused("bad_name", f"it has more than {DEEPEST} directories in one another")
    for name in names:
        if len(name.encode()) > LONGEST_NAME:
            raise Refused("bad_name", f"a name in it is longer than {LONGEST_NAME} bytes")
        if naming.is_reserved(name.partition(".")[0].rstrip()):
            raise Refused("bad_name", f"Windows reserves the name {name!r}")
        if _NOT_PORTABLE.search(unicodedata.normalize("NFKC", name)) or name != name.strip(" .") or name.endswith(TEMPORARY):
            raise Refused("bad_name", f"not every system can hold the name {name!r}")
