"""What a model is told about its memory: what is worth keeping, where it goes, when to look, and to check before trusting.

A design whose agent writes must say so even where nothing is remembered yet, or no first memory would ever be written; then
it is short. Where nobody but Reverie writes, silence costs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reverie import texts
from reverie.core import defuse

LONGEST_PATH = 400                  # characters of a folder: a longer one would crowd out what it is for

_WHOSE = {"project": "this project", "user": "what this person said holds in every project"}
_TEAM = "with `reverie remember --scope team` (for everybody who works on this repository: conventions, where things are)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Guidance:
    """The texts of a design, in order (``reverie.texts``), and those of a session that has no memory yet: () is silence.

    ``tokens`` is what the longer of the two costs at most, by our own high estimate, with folders of ordinary length.
    """

    texts: tuple[str, ...] = ()
    when_empty: tuple[str, ...] = ()
    shape: str = "shape"            # the text that shows how a file begins
    tokens: int = 0

    def text(self, folders: Sequence[tuple[str, str]], *, empty: bool) -> str:
        """The guidance for a session that sees these stores, as (absolute folder, scope); "" when it has none."""
        named = "\n".join(
            f"- {_TEAM}" if scope == "team" else f"- {_place(folder)} ({_WHOSE.get(scope, scope)})" for folder, scope in folders
        )
        # What a path says is put in last, so that nothing in it is taken for a place to be filled.
        values = {"shape": texts.load(self.shape), "folder": _bare(folders[0][0]) if folders else "", "folders": named}
        return "\n\n".join(_filled(name, values) for name in (self.when_empty if empty else self.texts))


def _filled(name: str, values: dict[str, str]) -> str:
    text = texts.load(name)
    return texts.load(name, **{key: value for key, value in values.items() if f"{{{key}}}" in text})


def _place(folder: str) -> str:
    """A folder to write to. One whose name could not be shown as it is would be another folder: then by command."""
    return f"`{folder}`" if _bare(folder) == folder else "with `reverie remember`: its path cannot be written here"


def _bare(folder: str) -> str:
    """A path, made harmless: on one line, and without what would end a code span."""
    return defuse.line(folder.replace("`", "'"), LONGEST_PATH)


NONE = Guidance()
# The study's order (Claude Code §4): the four types, when to save, what must be checked; then the place.
FOUR_TYPES = Guidance(
    texts=("types", "saving", "reading", "verifying", "place"), when_empty=("short",), tokens=1_500,
)
# The product's present short form (spec/claude-code §5.1): always the same, in the system prompt there.
SHORT_FORM = Guidance(texts=("short",), when_empty=("short",), shape="shape_2_1", tokens=700)
# Qwen Code (spec/qwen-code §6): a condensed form while every index is empty.
WITH_RECALL = Guidance(texts=("types", "saving", "reading", "place"), when_empty=("short",), tokens=1_300)
# Codex (study, Codex §5): agents only look, in a few steps; without a summary nothing is injected.
LAZY_LOADING = Guidance(texts=("searching",), tokens=300)
# Reverie: its rules learn in any case, so that an empty project costs nothing until there is something to know.
FEW_LINES = Guidance(texts=("own",), tokens=400)
