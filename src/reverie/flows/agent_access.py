"""What an agent may do to memory through tools that it calls itself: look, read, keep, take out.

- It sees what a session in its place sees, as far as a model may see it (``unadopted``), and nothing else: an id of another
  project's is as unknown as one that was made up.
- What it keeps is the agent's word and this project's (DESIGN §4.5, §4.6). It neither replaces nor rewrites the user's word.
- A credential is refused, and what the user had forgotten; what orders agents about is kept aside, sealed.
- Every change is one entry of the journal, with host and session where they are known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reverie import errors
from reverie.core.memory import By, Memory, Source, Status
from reverie.flows import unadopted, upkeep
from reverie.flows.space import Space
from reverie.flows.upkeep import Found

if TYPE_CHECKING:
    from reverie.axes.scoping import Mount
    from reverie.core.merge import Placement
    from reverie.core.place import Place
    from reverie.core.proposal import Extractor

LONGEST = 4_000             # characters of one statement with its reasons: one fact, not a document
QUOTE_CHARACTERS = 300
LISTED = 5                  # ids that an ambiguous one is answered with
_USERS_WORD = (By.USER, By.HAND, By.TEAM)
_REFUSALS = {               # by core.proposal.Reason
    "too_short": "it is too short to mean anything later: say it in a whole sentence",
    "question": "it is a question; keep the answer",
    "temporary": "it holds for the moment only; say until which day it holds, or leave it",
    "derivable": "the code or its history says it already",
    "duplicate": "it is known already",
    "not_said_by_user": "it was seen in tool output",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What became of a statement. ``action``: "added", "updated", "confirmed" (nothing was written) or "quarantined";
    ``change``: of the journal, 0 for none."""

    found: Found
    action: str
    change: int = 0


class AgentAccess:
    """One agent's access, in one place. ``host`` and ``session`` are written down with what it does."""

    def __init__(
        self, space: Space, place: Place, *, extractor: Callable[[], Extractor], catch_up: Callable[[], None],
        host: str = "", session: str = "",
    ) -> None:
        """``catch_up`` takes over what others wrote into the stores; it is called before a change."""
        self._space, self._place = space, place
        self._extractor, self._catch_up = extractor, catch_up
        self._host, self._session = host, session

    # ── looking ──────────────────────────────────────────────────────────────────────────────────────────────────

    def memories(self) -> list[Found]:
        """What counts here, the most specific store's first."""
        return [
            Found(mount=mount, memory=replace(memory, id=f"{mount.label}/{memory.id}"))
            for mount, memory in unadopted.memories(self._space, self._space.mounts(self._place))
            if memory.status is Status.ACTIVE
        ]

    def find(self, id: str) -> Found:
        """The memory with this id, or the only one here whose id ends so. Raises ``NotFound`` or ``Ambiguous``."""
        seen = self.memories()
        wanted = id.strip().removesuffix(".md")
        fits = [each for each in seen if each.memory.id.removesuffix(".md") == wanted] or [
            each for each in seen if wanted and f"/{each.memory.id}".removesuffix(".md").endswith((f"/{wanted}", f"_{wanted}"))]
        if not fits:
            raise errors.NotFound(f"there is no memory {id[:200]!r} here; recall and list_memories give the ids that there are")
        if len(fits) > 1:
            listed = ", ".join(each.memory.id for each in fits[:LISTED])
            raise errors.Ambiguous(f"{id[:200]!r} fits {len(fits)} memories: {listed}. Give the whole id.")
        return fits[0]

    # ── changing ─────────────────────────────────────────────────────────────────────────────────────────────────

    def remember(self, text: str, *, name: str = "", type: str = "", why: str = "", how_to_apply: str = "") -> Kept:
        """Keep a statement. Raises ``SecretRefused``, or ``Refused`` with the reason."""
        from reverie.core import gate
        from reverie.core.proposal import Proposal, Reason

        given = Memory(name=name, type=type, why=why, how_to_apply=how_to_apply)
        memory = self._understood(text, given)
        mount = self._space.target(self._place, "project")
        memory = mount.owned(memory)
        if problems := gate.at_the_door(memory):
            raise errors.SecretRefused(f"not stored: the text holds {problems[0]}. Say where the credential is kept instead.")
        self._catch_up()
        with self._space.home.lock("remember"):
            tombstones = self._space.home.records.tombstones(mount.project)
            # when it was said is not looked at: only the user's word lifts a forgetting
            asked = Proposal(memory=replace(memory, source=replace(memory.source, said_at=None)))
            if gate.forgotten(gate.Asked(proposal=asked, tombstones=tombstones)):
                raise errors.Refused("not stored: it was forgotten on request. The user can say it anew: `reverie remember`")
            drop = self._space.design.writing.gate().check(asked, (), tombstones=tombstones)
            if drop is not None and drop.reason is Reason.INSTRUCTION:
                return self._seal(mount, memory)
            if drop is not None:
                raise errors.Refused(f"not stored: {_REFUSALS.get(str(drop.reason), str(drop.reason).replace('_', ' '))}")
            return self._place_it(mount, memory)

    def forget(self, id: str) -> tuple[Found, int]:
        """Take one memory out, into the trash. The change's id takes it back. Raises ``NotFound``, ``Ambiguous``, ``Refused``."""
        from reverie.core.events import Cause

        self._catch_up()
        found = self.find(id)
        if found.mount.scope == "team":
            raise errors.Refused(f"{found.memory.id} is a team's, in the repository: a person takes it out (`reverie forget`)")
        cause = Cause(operation="forget", actor="agent", host=self._host, session=self._session, rule="tool.forget")
        return found, upkeep.forget(self._space, [found], cause=cause)

    # ── a statement ──────────────────────────────────────────────────────────────────────────────────────────────

    def _understood(self, text: str, given: Memory) -> Memory:
        from reverie.core import pasted
        from reverie.core.budget import clip

        found: list[str] = []
        text = pasted.without_recalled(pasted.without_elements(text, found.append), found.append).strip()
        if not text:
            raise errors.Refused("not stored: nothing is left of it but what memory itself said" if found
                                 else "not stored: there is no text")
        whole = len(text) + sum(map(len, (given.name, given.why, given.how_to_apply)))
        if whole > LONGEST:
            raise errors.Refused(f"not stored: {whole:,} characters; a memory is one fact, at most {LONGEST:,}")
        memory = upkeep.understood(self._space, text, self._extractor(), given, scope="project")
        source = Source(by=By.AGENT, host=self._host, session=self._session, said_at=self._space.now(), rule="tool.remember",
                        quote=clip(text, QUOTE_CHARACTERS).text, cwd=self._place.cwd)
        return replace(memory, source=source, scope="project", status=Status.ACTIVE, confirmed=0)

    def _place_it(self, mount: Mount, memory: Memory) -> Kept:
        from reverie.core import merge, trust
        from reverie.core.merge import Act
        from reverie.core.proposal import Proposal

        for above in self._space.mounts(self._place):
            known = self._known(above)
            placed = merge.place(Proposal(memory=memory), merge.Known(known))
            if above.label != mount.label:
                if placed.act is Act.CONFIRM and placed.existing is not None:
                    return Kept(found=_found(above, placed.existing), action="confirmed")
                continue
            concerned = [each for each in (placed.existing, *placed.also_void) if each is not None]
            theirs = [each for each in concerned if each.source.by in _USERS_WORD]
            if placed.act is Act.CONFIRM and placed.existing is not None and (theirs or not placed.says_more):
                return Kept(found=_found(above, placed.existing), action="confirmed")
            if theirs:
                raise errors.Refused(
                    f"not stored: the user's own word says otherwise ({mount.label}/{theirs[0].id}), and an agent's does not "
                    "replace it. Ask the user; what they say themselves is learned from the session, or with `reverie remember`")
            by = trust.lower(placed.memory.source.by, By.AGENT)
            new = replace(placed.memory, source=replace(placed.memory.source, by=by))
            return self._commit(mount, new, "added" if placed.act is Act.ADD else "updated", placed=placed)
        return self._commit(mount, memory, "added")

    def _known(self, mount: Mount) -> list[Memory]:
        return [memory for _, memory in self._space.memories([mount])]

    def _seal(self, mount: Mount, memory: Memory) -> Kept:
        """Orders to agents are kept where a person sees them, and no model does."""
        return self._commit(mount, replace(memory, status=Status.QUARANTINED), "quarantined")

    def _commit(self, mount: Mount, memory: Memory, action: str, *, placed: Placement | None = None) -> Kept:
        from reverie.core.events import Cause, Touched
        from reverie.core.layout import Change

        store = self._space.store(mount)
        void = [each.id for each in placed.also_void] if placed is not None else []
        plan = store.plan(Change(put=[memory], remove=void), self._space.now(), why="superseded by the agent")
        if action == "quarantined" and not self._carries_the_mark(mount, plan.ids[0], plan.edits):
            raise errors.Refused("not stored: the text tries to give orders to agents, and memory is no place for them")
        before = placed.existing.body if placed is not None and placed.existing is not None else ""
        change = self._space.home.journal.commit(
            [*plan.edits, *self._space.project_edit(mount)],
            cause=Cause(operation="remember", actor="agent", host=self._host, session=self._session, rule="tool.remember"),
            touched=[
                Touched(memory=store.full_id(plan.ids[0]), action=action, name=memory.name,     # type: ignore[arg-type]
                        quote=memory.source.quote, before=before),
                *(Touched(memory=store.full_id(id), action="superseded") for id in void),
            ],
        )
        return Kept(found=_found(mount, replace(memory, id=plan.ids[0])), action=action, change=change)

    def _carries_the_mark(self, mount: Mount, id: str, edits: Sequence[object]) -> bool:
        """Whether the layout would read the file back as quarantined."""
        from reverie.flows.admission import Admission

        path = f"stores/{self._space.store(mount).label}/{id}"
        return any(Admission(self._space, mount).is_sealed(id, edit.after)       # type: ignore[attr-defined]
                   for edit in edits if getattr(edit, "path", "") == path)


def _found(mount: Mount, memory: Memory) -> Found:
    return Found(mount=mount, memory=replace(memory, id=f"{mount.label}/{memory.id}"))
