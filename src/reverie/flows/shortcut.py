"""The short way to a prompt's memories, for a hook that starts as a cold process at every prompt.

Most prompts come where nothing has changed since the last one: same settings, same project, same files. Then all that the
designs, layouts and settings are needed for is to say again which folders of the index count. The long way writes that down
(``keep``); the short way (``recalled``) checks that it still holds, asks the index the same question, and imports nothing else.
What is not as it was, or not known, is None, and the long way is gone. A test holds that both say the same.
"""

# pathlib costs a hook 16 ms:
# ruff: noqa: PTH110, PTH118

from __future__ import annotations

import json
import os

from reverie import errors
from reverie.core import blocks
from reverie.core import recall as ranking
from reverie.flows.shown import Shown
from reverie.storage import files, git
from reverie.storage.search import VERSION, SearchIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from reverie.core.memory import Memory
    from reverie.core.place import Place
    from reverie.core.recall import Candidate
    from reverie.flows.space import Space
    from reverie.storage.home import Home

FORMAT = 1                              # of what is written down, and of what it is good for
_NAME = "prompt shortcut"               # among the blocks; the blank in it says that it is no session's


class Behind(Exception):
    """The index does not know what the files are like now."""


class _Way:
    """What the long way wrote down. ``holds``: what must not have changed since."""

    __slots__ = ("characters", "design", "documents", "holds", "labels", "sources")

    def __init__(
        self, holds: list[object], design: str, sources: list[tuple[str, str]], labels: list[str], documents: int, characters: int
    ) -> None:
        self.holds = holds
        self.design = design
        self.sources = sources
        self.labels = labels
        self.documents = documents
        self.characters = characters

    def text(self) -> str:
        return json.dumps([getattr(self, name) for name in self._order], ensure_ascii=False)

    _order = ("holds", "design", "sources", "labels", "documents", "characters")

    @classmethod
    def of(cls, text: str | None) -> _Way | None:
        """None for what is not there, or was written by another Reverie."""
        try:
            holds, design, sources, labels, documents, characters = json.loads(text or "null")
            return cls(list(holds), str(design), [(str(root), str(version)) for root, version in sources], list(map(str, labels)),
                       int(documents), int(characters))
        except (ValueError, TypeError, RecursionError):
            return None


class _Source:
    """A folder that must be as the index knows it."""

    __slots__ = ("root", "version")

    def __init__(self, root: str, version: str) -> None:
        self.root = root
        self.version = version

    def accepts(self, path: str) -> bool:
        raise Behind

    def parse(self, path: str, data: bytes, modified_ns: int) -> Iterable[Memory]:
        raise Behind

    def label_of(self, memory: Memory) -> str:
        raise Behind


def recalled(
    home: Home, *, cwd: str, prompt: str, session: str, environment: Mapping[str, str], user_home: str, with_block: bool = False,
) -> str | None:
    """What goes with a prompt, "" when nothing is relevant or all of it was shown; None: go the long way.

    ``with_block``: the session must have been given its block with an earlier prompt.
    """
    known = _Way.of(home.records.frozen(_key(cwd), _NAME))
    if known is None:
        return None
    place = git.locate(cwd, home=user_home)
    if known.holds != _holds(home, place, environment, user_home, known.sources):
        return None
    shown = Shown(home, known.design, session)
    if with_block and not shown.block:
        return None
    question = ranking.ask(prompt)
    now = home.clock()
    with SearchIndex(home.path("search.db")) as index:
        try:
            done = index.refresh(_Source(root, version) for root, version in known.sources)
        except Behind:
            return None
        if done.problems or not done.complete or index.state != "ready":
            return None
        found = index.find(question, known.labels, today=now.date().isoformat())
    results = ranking.choose(question, found, now=now.timestamp(), documents=known.documents, per_document=known.characters,
                             characters=known.documents * known.characters)
    if not all(_is_adopted(home, result.candidate) for result in results):
        return None                     # what another hand wrote is judged on the long way
    fresh = shown.fresh(results)
    if not fresh:
        return ""
    shown.add(fresh)
    shown.keep()
    return blocks.recall_block(fresh, design=known.design, now=now)


def keep(
    space: Space, *, cwd: str, environment: Mapping[str, str], sources: Sequence[tuple[str, str]], labels: Sequence[str],
    documents: int, characters: int,
) -> None:
    """Write the short way down for prompts in this directory, if it is not written yet."""
    home = space.home
    place = git.locate(cwd, home=space.user_home)
    holds = _holds(home, place, environment, space.user_home, sources)
    way = _Way(holds, space.design.name, list(sources), list(labels), documents, characters)
    text = way.text()
    if home.readonly or not os.path.exists(home.path("search.db")) or text == home.records.frozen(_key(cwd), _NAME):
        return
    try:
        home.records.refreeze(_key(cwd), {_NAME: text})
    except errors.StoreUnavailable:
        return                          # then the long way it is


def _is_adopted(home: Home, candidate: Candidate) -> bool:
    """Whether a memory's file is as the journal knows it (``flows.unadopted``). A product's own folder is no concern of it."""
    if not files.within(candidate.root, home.root):
        return True
    from hashlib import sha256

    data = files.read(os.path.join(candidate.root, candidate.path), root=candidate.root)
    folder = candidate.root[len(home.root):].replace(os.sep, "/").strip("/")
    return isinstance(data, bytes) and sha256(data).hexdigest() == home.records.last_digest(f"{folder}/{candidate.path}")


def _key(cwd: str) -> str:
    return f"prompts in {cwd}"


def _holds(
    home: Home, place: Place, environment: Mapping[str, str], user_home: str, sources: Sequence[tuple[str, str]]
) -> list[object]:
    """Everything that the short way depends on, beside the index, which knows by itself: this code, the settings, the project,
    whose the folders are."""
    owners = [_stamp(os.path.join(root, "project.json")) for root, _ in sources]
    ours = sorted(f"{name}={value}" for name, value in environment.items() if name.startswith("REVERIE_"))
    return [FORMAT, VERSION, _stamp(home.path("settings.toml")), ours, user_home, place.real, place.main_root,
            place.exists, owners]


def _stamp(path: str) -> list[int]:
    found = files.stamp(path)
    return [] if found is None else [found.size, found.mtime_ns, found.inode]
