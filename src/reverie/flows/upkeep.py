"""What a person does to their memory by hand: remember, forget, undo, and asking why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reverie import errors
from reverie.axes.scoping import Mount
from reverie.core.edits import says_else
from reverie.core.events import Cause, ChangeRecord, Touched, Undone
from reverie.core.layout import Change
from reverie.core.memory import By, Memory, Source
from reverie.core.team import SCOPE as TEAM
from reverie.flows.space import Space

if TYPE_CHECKING:
    from reverie.core.agents import Agent
    from reverie.core.edits import Edit
    from reverie.core.place import Place
    from reverie.core.proposal import Extractor
    from reverie.storage.store import Store

# What judges texts (gate, merge, redact) is imported where something is written: to list and to read must not wait for it.


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A memory and the store it lies in. ``memory.id`` is the full one, as a person would type it."""

    mount: Mount
    memory: Memory


def everything(space: Space) -> list[Found]:
    """All memories of the design, of every scope and project."""
    return [_found(space, mount, memory) for mount, memory in space.memories(space.every_mount())]


def here(space: Space, place: Place, agent: Agent | None = None) -> list[Found]:
    """The memories that a session in this place can see, or those of a sub-agent, the most specific store first."""
    return [_found(space, mount, memory) for mount, memory in space.memories(space.mounts(place, agent))]


def _found(space: Space, mount: Mount, memory: Memory) -> Found:
    return Found(mount=mount, memory=replace(memory, id=f"{mount.label}/{memory.id}"))


def one(space: Space, place: Place, name: str, agent: Agent | None = None) -> Found:
    """The memory with this id, of whatever project; else, among those seen from here, the only one whose id ends so, or that
    holds all these words: less than a whole id must not reach into another project. Raises ``NotFound`` or ``Ambiguous``."""
    fits = named(space, place, name, agent) or matching(here(space, place, agent), name)
    if not fits:
        raise errors.NotFound(
            f"there is no memory {name!r} here; `reverie list --all` shows those of all projects, with their whole ids"
        )
    if len(fits) > 1:
        listed = ", ".join(found.memory.id for found in fits[:5])
        raise errors.Ambiguous(f"{name!r} fits {len(fits)} memories: {listed}. Give more of the id.")
    return fits[0]


def named(space: Space, place: Place, name: str, agent: Agent | None = None) -> list[Found]:
    """The memory with this id, of whatever project, else those seen from here whose id ends so."""
    wanted = name.removesuffix(".md")
    seen = here(space, place, agent)
    return [found for found in (*everything(space), *seen) if found.memory.id in (name, name + ".md")][:1] or [
        found for found in seen if f"/{found.memory.id}".removesuffix(".md").endswith((f"/{wanted}", f"_{wanted}"))
    ]


def matching(found: Sequence[Found], query: str) -> list[Found]:
    """The memories that hold every word of a query, in any case."""
    words = query.casefold().split()
    return [each for each in found if words and all(word in each.memory.text.casefold() for word in words)]


# ── remember ─────────────────────────────────────────────────────────────────────────────────────────────────────


def remember(
    space: Space, place: Place, text: str, extractor: Extractor, *, given: Memory, scope: str = "", agent: Agent | None = None
) -> tuple[Found, str]:
    """Keep what a person asks to keep, and say what was done: "added", "updated", "confirmed".

    ``given`` holds what they said of it (name, type, why, how to apply); the rest is read from the text. Their word is
    enough for the gates that ask whether something is worth keeping; a credential is refused.

    ``agent``: a sub-agent asks, for its own store or (scope "agents") for the shared one. Its word is never the user's
    (DESIGN §4.5): what tries to instruct is refused, and so is what the user had forgotten.
    """
    from reverie.core import gate, merge
    from reverie.core.merge import Act
    from reverie.core.proposal import Proposal

    memory = understood(space, text, extractor, given, scope="" if agent else scope)
    if agent is None:
        memory = replace(memory, scope=scope or memory.scope)
        mount = space.target(place, memory.scope)
    else:
        memory = _of_agent(memory, agent)
        mount = space.target(place, scope, agent)
    if agent is not None or mount.scope == TEAM:
        _admit(space, memory, mount, forgotten=agent is not None)
    memory = mount.owned(memory)
    if problems := gate.at_the_door(memory):
        raise errors.SecretRefused(f"not stored: the text holds {problems[0]}. Say where the credential is kept instead.")
    store = space.store(mount)
    with space.home.lock("remember"):
        known = [each for each in store.contents().memories if space.visible(each, mount)]
        placement = merge.place(Proposal(memory=memory), merge.Known(known))
        plan = store.plan(Change(put=[placement.memory]), space.now())
        full = store.full_id(plan.ids[0])
        action = {Act.ADD: "added", Act.CONFIRM: "confirmed"}.get(placement.act, "updated")
        space.home.journal.commit(
            [*_sealed(plan.edits, mount), *space.project_edit(mount)],
            cause=Cause(operation="remember", actor="agent" if agent else "user", rule=memory.source.rule),
            touched=[Touched(memory=full, action=action, name=placement.memory.name, quote=text)],  # type: ignore[arg-type]
        )
    return Found(mount=mount, memory=replace(placement.memory, id=f"{mount.label}/{plan.ids[0]}")), action


def _sealed(edits: Sequence[Edit], mount: Mount) -> list[Edit]:
    """The edits, those of a team's files that hold a credential so that the journal keeps none of it: nobody has taken these
    files over before, as is done with our own."""
    if mount.scope != TEAM:
        return list(edits)
    from reverie.core import redact

    def holds(data: bytes | None) -> bool:
        return data is not None and redact.has_secret(data.decode("utf-8", "replace"))

    kept = [each for each in edits if not (each.path.startswith("trash/") and holds(each.after))]
    return [replace(each, sealed=holds(each.before)) for each in kept]


def _of_agent(memory: Memory, agent: Agent) -> Memory:
    """A statement as an agent's word."""
    source = replace(memory.source, by=By.AGENT, agent=agent.name, rule=f"{agent.scope} (command line)")
    return replace(memory, source=source, confirmed=0)


def _admit(space: Space, memory: Memory, mount: Mount, *, forgotten: bool = True) -> None:
    """Refuse what an agent may not keep, and nobody for a team: there it would be quarantined at everybody else's."""
    from reverie.core import gate, trust
    from reverie.core.proposal import Proposal

    asked = gate.Asked(proposal=Proposal(memory=memory), tombstones=space.home.records.tombstones(mount.project))
    if gate.instruction(asked) or (mount.scope == TEAM and trust.instructs(memory.text)):
        whose = "a team's" if mount.scope == TEAM else "an agent's"
        raise errors.Refused(f"not stored: the text tries to give orders to agents, and {whose} memory is no place for them")
    if forgotten and gate.forgotten(asked):
        raise errors.Refused("not stored: the user had this forgotten")


def understood(space: Space, text: str, extractor: Extractor, given: Memory, *, scope: str) -> Memory:
    """A memory from a sentence: as the extractor reads it, else as it stands: of the person, if for all projects."""
    from reverie.core import redact
    from reverie.core.proposal import Window
    from reverie.core.session import Message, Voice

    clean = redact.redact(text.strip())
    if clean.families:
        raise errors.SecretRefused(
            f"not stored: the text holds what looks like a credential ({', '.join(clean.families)}). "
            "Say where it is kept instead."
        )
    now = space.now()
    said = Message(id="", voice=Voice.PERSON, text=clean.text, at=now)
    proposals = extractor.propose(Window(messages=[said], host="reverie", day=now.date())).proposals
    source = Source(by=By.USER, host="reverie", said_at=now, rule="command_line", quote=clean.text)
    if len(proposals) == 1:
        read = proposals[0].memory
    else:
        first = clean.text.split("\n", 1)[0]
        read = Memory(name=first[:60], description=first[:150], body=clean.text)
        read = replace(read, type="user") if scope == "user" else read
    return replace(
        read, source=source,
        **{name: value for name in ("name", "description", "type", "why", "how_to_apply") if (value := getattr(given, name))},
    )


# ── forget ───────────────────────────────────────────────────────────────────────────────────────────────────────


_BY_THE_USER = Cause(operation="forget", actor="user")


def forget(space: Space, found: Sequence[Found], *, cause: Cause = _BY_THE_USER) -> int:
    """Take memories out, into the trash; what is learned again from old sessions stays out. Answers with the change's id."""
    from reverie.core import gate

    why = f"forgotten by the {cause.actor}"
    by_store: dict[str, tuple[Store, list[Found]]] = {}
    for each in found:
        if each.mount.foreign:
            raise errors.Refused(f"{each.memory.id} lies in a folder of {each.mount.host}, which Reverie only reads")
        store = space.store(each.mount)
        by_store.setdefault(store.label, (store, []))[1].append(each)
    with space.home.lock("forget"):
        edits: list[Edit] = []
        for store, members in by_store.values():
            ids = [each.memory.id.removeprefix(each.mount.label + "/") for each in members]
            edits += _sealed(store.plan(Change(remove=ids), space.now(), why=why).edits, members[0].mount)
        return space.home.journal.commit(
            edits,
            cause=cause,
            touched=[
                Touched(memory=f"{space.design.name}/{each.memory.id}", action="removed", name=each.memory.name) for each in found
            ],
            tombstones=[gate.tombstone(each.memory) for each in found],
        )


# ── undo and why ─────────────────────────────────────────────────────────────────────────────────────────────────


def undo(
    space: Space, *, change: int | None = None, run: str | None = None, last: int | None = None, force: bool = False,
    team: Sequence[Mount] = (),
) -> Undone:
    """Take changes back, byte for byte. What was edited by hand since stays and is named, unless ``force``.

    An index that would then say something else than the memories, because a hand was at them, is rendered again. ``team``: what
    is shared here, beside the stores of our home."""
    undone = space.home.journal.undo(change=change, run=run, last=last, force=force, spare=lambda gone: _spared(space, gone))
    concerned = (*undone.restored, *undone.stale, *(conflict.path for conflict in undone.conflicts))
    for mount in (*space.every_mount(), *team):
        store = space.store(mount)
        top = f"{mount.folder or f'stores/{store.label}'}/"
        if any(path.startswith(top) and _is_behind(store, path.removeprefix(top), path in undone.stale) for path in concerned):
            edits = [edit for edit in store.plan(Change(reindex=True), space.now()).edits if says_else(edit)]
            space.home.journal.commit(edits, cause=Cause(operation="reindex", actor="reverie"))
    return undone


def _spared(space: Space, gone: Mapping[str, bytes]) -> list[Edit]:
    """The edits that put files into the trash which their author made, and an undo takes away."""
    edits: list[Edit] = []
    for mount in space.every_mount():
        store = space.store(mount)
        prefix = f"stores/{store.label}/"
        lost = {path.removeprefix(prefix): data for path, data in gone.items() if path.startswith(prefix)}
        lost = {path: data for path, data in lost.items() if store.layout.is_memory_path(path)}
        edits += store.plan_trash(lost, space.now(), why="its adoption was undone") if lost else ()
    return edits


def _is_behind(store: Store, path: str, stale: bool) -> bool:
    """Whether the index may not follow from the memories after an undo of this file. An undo of the index alone gives back
    what stood there, even if a hand had written it."""
    return stale or store.layout.is_memory_path(path)


def history(space: Space, found: Found) -> list[ChangeRecord]:
    """What was done to a memory, oldest first."""
    return space.home.journal.history(f"{space.design.name}/{found.memory.id}")
