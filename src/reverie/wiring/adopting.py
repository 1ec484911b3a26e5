"""What others wrote, taken over: which stores and which of the products' folders are looked at."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.core.place import Place
from reverie.flows.space import Space
from reverie.wiring.setup import Setup

if TYPE_CHECKING:
    from reverie.core.native import NativeFolder
    from reverie.flows.adopted import Adopted
    from reverie.flows.adopting import Hand


NATIVE_HOSTS = ("claude-code", "qwen-code")     # products whose own memory folders are read


def adopt(
    setup: Setup, *, own: bool = True, native: bool | Collection[str] = True, everywhere: bool = False, dry_run: bool = False,
    agents_home: str | None = None, hand: Hand | None = None, only: Collection[str] | None = None,
) -> Adopted:
    """Take over what an agent or a person wrote with ordinary file tools: into our stores (``own``), and into the products'
    own memory folders (``native``: all, none, or which), which are only read. Of this project, or of ``everywhere``. File by
    file.

    ``hand`` says who wrote, when the caller knows; ``only`` names the files (absolute paths in our stores) that are meant.
    ``agents_home`` stands for the user's home folder; then the environment is not asked.
    """
    from reverie.flows import rehearsal

    with rehearsal.of(setup.space) if dry_run else nullcontext(setup.space) as space:
        here, there = setup.space.home.root, space.home.root
        only = None if only is None else [there + path.removeprefix(here) for path in only]
        report = run(
            setup, space, own=own, native=native, everywhere=everywhere, natives_everywhere=everywhere, agents_home=agents_home,
            hand=hand, only=only,
        )
    return report.rehearsed(there, here) if dry_run else report


def catch_up(setup: Setup, *, everywhere: bool = False) -> None:
    """Before a change: what another hand wrote into our stores meanwhile is taken over first, so that no credential in it
    gets into the history of that change, and an undo of the one does not touch the other."""
    run(setup, setup.space, own=True, native=False, everywhere=everywhere)


def run(
    setup: Setup, space: Space, *, own: bool, native: bool | Collection[str], everywhere: bool, natives_everywhere: bool = False,
    agents_home: str | None = None, hand: Hand | None = None, only: Collection[str] | None = None,
) -> Adopted:
    from reverie.flows import adopted, adopting, adopting_native

    whole = adopted.Run(space.home.journal)
    place = space.place(setup.cwd)
    parts: list[Adopted] = []
    if own:
        mounts = {mount.label: mount for mount in (space.every_mount() if everywhere else ())}
        mounts |= {mount.label: mount for mount in space.around(place)}
        parts.append(adopting.adopt(space, mounts.values(), run=whole, hand=hand, only=only))
    if native and only is None:
        found = _native_folders(
            setup, space, place, everywhere=natives_everywhere, agents_home=agents_home,
            hosts=NATIVE_HOSTS if isinstance(native, bool) else native,
        )
        parts.append(adopting_native.adopt(space, found, run=whole))
    return whole.ended(adopted.together(parts))


def _native_folders(
    setup: Setup, space: Space, place: Place, *, everywhere: bool, agents_home: str | None, hosts: Collection[str]
) -> list[NativeFolder]:
    """The products' memory folders: this place's, and, when asked for, those of all projects that they know."""
    from reverie.hosts import claude_folders, claude_memories, qwen_folders

    user_home = str(Path(setup.user_home if agents_home is None else agents_home).absolute())
    environment = setup.environment if agents_home is None else {}
    found: list[NativeFolder] = []
    if "claude-code" in hosts:
        folders = claude_folders.locate(place, environment=environment, user_home=user_home)
        here = claude_memories.here(folders, place, space.place)
        found += [here] if here else []
        if everywhere and folders.enabled:
            found += _others(found, claude_memories.everywhere(folders, space.place))
    if "qwen-code" in hosts:
        qwen = qwen_folders.locate(place, environment=environment, user_home=user_home)
        found += qwen_folders.natives(qwen, place, space.place, environment=environment, user_home=user_home)
        if everywhere and qwen.enabled:
            theirs = qwen_folders.everywhere(qwen, space.place, environment=environment, user_home=user_home)
            found += _others(found, theirs)
    return found


def _others(known: Sequence[NativeFolder], found: Iterable[NativeFolder]) -> list[NativeFolder]:
    """The folders that are not among those already known."""
    paths = {each.path for each in known}
    return [each for each in found if each.path not in paths]
