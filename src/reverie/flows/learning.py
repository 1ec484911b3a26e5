"""From sessions to memories: read, extract, gate, merge, store; one change a session, and the cursor with it.

A session is learned in one piece: its proposals are placed against what the stores hold, and the resulting files, the
journal's entry and the cursor become durable together. Killed before that, nothing has happened and the next run does it
again; killed after, the next run finds nothing new. Sessions are taken in the order in which they were held, so that
a later statement supersedes an earlier one whichever agent heard it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from reverie import errors
from reverie.axes.scoping import Mount
from reverie.core import merge
from reverie.core import place as places
from reverie.core.edits import Edit
from reverie.core.events import Action, Cause, SessionRecord, Touched
from reverie.core.layout import Change
from reverie.core.memory import Memory, Source, Status
from reverie.core.merge import Act, Known
from reverie.core.model import Failure, ModelFailed
from reverie.core.place import Place
from reverie.core.proposal import Drop, Extractor, Proposal, Reason
from reverie.core.session import Cursor, Dialect, Reading, Transcript, Unreadable
from reverie.flows import hearing
from reverie.flows.crediting import Watch
from reverie.flows.hearing import Heard
from reverie.flows.space import Space, discreet_path
from reverie.storage import files

NEW = "new:"                # stands for the id of a memory that has none yet; no layout's path begins so
FAILURES = 3                # sessions in a row that cannot be stored: then it is no single store's fault
STOPS = (Failure.CAP, Failure.FORBIDDEN, Failure.LIMITED, Failure.REFUSED)     # the next session would fare no better
ATTEMPTS = 5                # a hand edit between plan and commit makes a new plan; more than this is a loop


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """One memory that a session added to or changed."""

    id: str                         # as a person would type it
    action: Action
    memory: Memory
    before: str = ""                # what it said before
    proposal: Proposal | None = None

    def touched(self, design: str) -> Touched:
        """The journal's line about it."""
        source = self.proposal.memory.source if self.proposal else Source()
        return Touched(memory=f"{design}/{self.id}", action=self.action, name=self.memory.name, message=source.message,
                       rule=source.rule, quote=source.quote, before=self.before)


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """What became of one session. ``outcome``: "succeeded", "succeeded_no_output", "unchanged", "sub_agent", "unreadable",
    "failed", "other_project"."""

    host: str
    session: str
    path: str
    outcome: str
    cwd: str = ""
    project: str = ""
    detail: str = ""
    messages: int = 0
    said: int = 0                   # messages that a person typed, of those
    kept: tuple[Kept, ...] = ()
    drops: tuple[Drop, ...] = ()
    skipped: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A transcript and the reader that understands it."""

    dialect: Dialect
    transcript: Transcript


def in_order(jobs: Iterable[Job]) -> list[Job]:
    """Oldest first: what was said later wins."""
    unknown = datetime.max.replace(tzinfo=UTC)

    def key(job: Job) -> tuple[datetime, str, str, str]:
        found = job.transcript
        return (found.started_at or found.updated_at or unknown, found.host, found.path, found.session)

    return sorted(jobs, key=key)


def learn(
    space: Space,
    jobs: Iterable[Job],
    extractor: Extractor,
    *,
    run: str = "",
    wanted: Callable[[Place], bool] = lambda place: True,
) -> Iterator[Learned]:
    """Learn from sessions, one result each. Stopping in the middle (Ctrl-C, kill) loses at most the session at hand.

    A session whose store cannot be used, or of which a model gave no account that can be used, is "failed", and does not keep
    the others from being learned; when several in a row fail, it is not theirs (a full disk, a model that is gone), and what
    was wrong is raised. So is, at once, what forbids to ask a model further: a cap, a limit, a missing key.
    """
    in_a_row = 0
    for job in in_order(jobs):
        session = _Session(space, job, extractor, run=run, wanted=wanted)
        try:
            learned = session.learn()
            in_a_row = 0
        except (errors.StoreUnavailable, ModelFailed) as error:
            in_a_row += 1
            if in_a_row == FAILURES or (isinstance(error, ModelFailed) and error.why in STOPS):
                raise
            learned = session.failed(error)
        yield learned


def one(space: Space, job: Job, extractor: Extractor, *, run: str = "", begin: int = 0) -> Learned:
    """Learn from one session what is new in it. Raises where ``learn`` says "failed": then nothing of it was stored, its cursor
    among that. ``begin``: so many of its messages were read before, where the database does not know it any more."""
    return _Session(space, job, extractor, run=run, wanted=lambda place: True, begin=begin).learn()


def key_of(space: Space, transcript: Transcript) -> str:
    """Under which name a session's cursor is kept."""
    return f"{space.design.name}|{transcript.host}|{discreet_path(transcript.path)}|{transcript.session}"


def unreadable(space: Space, found: Unreadable, *, run: str = "") -> Learned:
    """Record a transcript that cannot be read: shown, never fatal."""
    path = discreet_path(found.path)
    space.home.records.record_session(
        SessionRecord(host=found.host, session=path, path=path, outcome="unreadable", detail=found.reason, run=run)
    )
    return Learned(
        host=found.host, session="", path=path, outcome="unreadable",
        detail=f"{found.reason}: {found.detail}" if found.detail else found.reason,
    )


class _Session:
    """One session on its way into the stores."""

    def __init__(
        self, space: Space, job: Job, extractor: Extractor, *, run: str, wanted: Callable[[Place], bool], begin: int = 0
    ) -> None:
        self.space, self.job, self.extractor = space, job, extractor
        self.run, self.wanted, self.begin = run, wanted, begin
        self.transcript = job.transcript
        self.since: Cursor | None = None
        self.key = key_of(space, self.transcript)

    def learn(self) -> Learned:
        stamp = _stamp(self.transcript)
        records = self.space.home.records
        if self.transcript.of_agent:
            return self._result("sub_agent")
        if stamp is not None and records.unchanged(self.key, stamp):
            return self._result("unchanged")
        self.since = records.cursor(self.key)
        reading = self.job.dialect.read(self.transcript, self.since)
        if self.since is None:
            reading.fresh_from = max(reading.fresh_from, self.begin)
        reading = hearing.of_people(reading)
        watch = Watch(self.space, self.space.place(self.transcript.cwd, self.transcript.project_hint), self.transcript)
        heard = hearing.hear(
            reading, self.extractor, now=self.space.now(), watch=lambda message, fresh: watch.see(message, fresh=fresh)
        )
        place = self.space.place(reading.cwd or self.transcript.cwd, self.transcript.project_hint)
        if not self.wanted(place):
            return self._result("other_project", place=place)
        learned = self._result("", place=place, messages=heard.messages, said=heard.said, skipped=dict(reading.skipped))
        for _ in range(ATTEMPTS):
            try:
                return self._place(heard, learned, place, reading, stamp, watch)
            except errors.Conflict:
                continue        # a file was edited by hand under us: look again, place again
        raise errors.StoreUnavailable(f"{self.transcript.path}: the store kept changing while this session was learned")

    def _place(
        self, heard: Heard, learned: Learned, place: Place, reading: Reading, stamp: files.Stamp | None, watch: Watch
    ) -> Learned:
        placed = _Placed(self.space, place, self.transcript)
        with self.space.home.lock("learn"):
            if self.space.home.records.cursor(self.key) != self.since:
                return replace(learned, outcome="unchanged")    # another process learned it while this one read
            placed.take(heard)
            edits, kept = placed.plan()
            learned = self._done(learned, placed, kept)
            self._commit(learned, edits, reading, stamp, watch)
        return learned

    def _done(self, learned: Learned, placed: _Placed, kept: list[Kept]) -> Learned:
        outcome = "succeeded" if kept else "succeeded_no_output" if learned.messages else "unchanged"
        return replace(learned, outcome=outcome, kept=tuple(kept), drops=tuple(placed.drops))

    def _commit(
        self, learned: Learned, edits: list[Edit], reading: Reading, stamp: files.Stamp | None, watch: Watch
    ) -> None:
        """Files, journal, cursor, the session's record and what it used, all or nothing."""
        uses = watch.uses()
        dropped = Counter(str(drop.reason) for drop in learned.drops)
        self.space.home.journal.commit(
            edits,
            cause=Cause(
                operation="learn", actor=self.extractor.name, run=self.run, host=learned.host, session=learned.session
            ),
            touched=[each.touched(self.space.design.name) for each in learned.kept],
            cursor=(self.key, reading.cursor),
            stamp=stamp,
            session=SessionRecord(
                host=learned.host, session=learned.session, outcome=learned.outcome, path=learned.path, cwd=learned.cwd,
                project=learned.project, messages=learned.messages, kept=len(learned.kept), drops=dropped,
                skipped=learned.skipped, last_at=reading.last_at, run=self.run, whole=reading.fresh_from == 0,
                proposals=len(learned.kept) + dropped[Reason.DUPLICATE],
            ),
            drops=[drop for drop in learned.drops if drop.reason is not Reason.NO_SIGNAL],
            counts=Counter(each.action for each in learned.kept),
            uses=uses, also=watch.statements(uses, self.space.now()),
        )

    def failed(self, error: errors.ReverieError) -> Learned:
        """The result of a session that could not be stored. Nothing of it was; the next run tries again."""
        return self._result("failed", detail=str(error))

    def _result(self, outcome: str, *, place: Place | None = None, **values: Any) -> Learned:
        found = self.transcript
        return replace(
            Learned(host=found.host, session=found.session, path=discreet_path(found.path), outcome=outcome,
                    cwd=place.cwd if place else discreet_path(found.cwd), project=place.main_root or place.real if place else ""),
            **values,
        )


def _stamp(transcript: Transcript) -> files.Stamp | None:
    """What a transcript looks like from outside. Sessions that share a database share its file, whose size and time tell
    nothing of one of them (and stand still while changes wait in the write-ahead log): there the session's own time counts."""
    if transcript.size_bytes == 0 and transcript.updated_at is not None:
        return files.Stamp(size=0, mtime_ns=int(transcript.updated_at.timestamp() * 1_000) * 1_000_000, inode=0)
    return files.stamp(transcript.path)


def _discreet(drop: Drop) -> Drop:
    """A refusal as it may be shown and recorded: of what was off the record not even the words."""
    return replace(drop, quote="") if drop.reason is Reason.OFF_RECORD else drop


class _Placed:
    """Proposals, placed against what the stores hold, as one change over all of them."""

    def __init__(self, space: Space, place: Place, transcript: Transcript) -> None:
        self.space, self.place, self.transcript = space, place, transcript
        self.drops: list[Drop] = []
        self._known: dict[str, Known] = {}
        self._mounts: dict[str, Mount] = {}
        self._was: dict[tuple[str, str], Memory] = {}       # (label, id) -> what the store holds before this change
        self._put: dict[tuple[str, str], Memory] = {}       # what it should hold; ids of new ones are stand-ins
        self._gone: dict[tuple[str, str], Memory] = {}
        self._quotes: dict[tuple[str, str], Proposal] = {}
        self._tombstones = space.home.records.tombstones(places.project_key(place))

    def take(self, heard: Heard) -> None:
        """Place every proposal, in the order in which things were said; first take out what was put off the record since."""
        self.drops += [_discreet(drop) for drop in heard.extraction.drops]
        for message in heard.unsaid:
            self._unsay(message)
        for words in heard.extraction.taken_back:
            self._withdraw(words)
        for proposal in heard.extraction.proposals:
            self._one(proposal)

    def _unsay(self, message: str) -> None:
        """A remark was learned, and then its speaker said that it is not to be kept."""
        for mount in self.space.mounts(self.place):
            for memory in list(self._look(mount)):
                source = memory.source
                if (source.host, source.session, source.message) == (self.transcript.host, self.transcript.session, message):
                    self._take_out(mount, memory)

    def _one(self, proposal: Proposal) -> None:
        mount = self.space.target(self.place, proposal.memory.scope)
        proposal = replace(proposal, memory=mount.owned(proposal.memory))
        known = self._look(mount)
        if self._holds_for_the_user(mount, proposal):
            return
        drop = self.space.design.writing.gate().check(proposal, known, tombstones=self._tombstones)
        if drop is not None:
            self.drops.append(drop)
            return
        placed = merge.place(proposal, known)
        if placed.act is Act.CONFIRM and not placed.says_more and not placed.counts:
            self._drop_known(proposal)
            return
        self._store(mount, placed, proposal)

    def _holds_for_the_user(self, mount: Mount, proposal: Proposal) -> bool:
        """Whether the user's own store says it already, for every project."""
        for above in self.space.mounts(self.place):
            is_users = above.scope == "user" and above.label != mount.label
            if is_users and merge.place(proposal, self._look(above)).act is Act.CONFIRM:
                self._drop_known(proposal)
                return True
        return False

    def _drop_known(self, proposal: Proposal) -> None:
        source = proposal.memory.source
        self.drops.append(Drop(reason=Reason.DUPLICATE, quote=source.quote, message=source.message))

    def _store(self, mount: Mount, placed: merge.Placement, proposal: Proposal) -> None:
        label = mount.label
        stored = placed.memory if placed.memory.id else replace(placed.memory, id=f"{NEW}{len(self._put)}")
        self._put[label, stored.id] = stored
        self._quotes[label, stored.id] = proposal
        self._known[label].put(stored)
        for void in placed.also_void:
            self._known[label].remove(void.id)
            if self._put.pop((label, void.id), None) is None or not void.id.startswith(NEW):
                self._gone[label, void.id] = void

    def _withdraw(self, words: str) -> None:
        for mount in self.space.mounts(self.place):
            meant = merge.withdrawn(words, self._look(mount))
            if meant is not None:
                self._take_out(mount, meant)
                return

    def _take_out(self, mount: Mount, memory: Memory) -> None:
        self._known[mount.label].remove(memory.id)
        self._put.pop((mount.label, memory.id), None)
        if not memory.id.startswith(NEW):
            self._gone[mount.label, memory.id] = memory

    def _look(self, mount: Mount) -> Known:
        """What a store holds, with what this change has done to it so far."""
        if mount.label not in self._known:
            memories = [m for m in self.space.store(mount).contents().memories if self.space.visible(m, mount)]
            self._was |= {(mount.label, m.id): m for m in memories}
            self._known[mount.label] = Known(memories)
            self._mounts[mount.label] = mount
        return self._known[mount.label]

    # ── as edits ─────────────────────────────────────────────────────────────────────────────────────────────────

    def plan(self) -> tuple[list[Edit], list[Kept]]:
        """The edits of all stores, and what they mean for each memory."""
        edits: list[Edit] = []
        kept: list[Kept] = []
        for label, mount in self._mounts.items():
            put = {id: m for (owner, id), m in self._put.items() if owner == label and m != self._was.get((label, id))}
            gone = {id: m for (owner, id), m in self._gone.items() if owner == label}
            if not put and not gone:
                continue
            store = self.space.store(mount)
            change = Change(
                put=[replace(m, id="") if id.startswith(NEW) else m for id, m in put.items()], remove=list(gone)
            )
            plan = store.plan(change, self.space.now(), why="superseded")
            edits += [*plan.edits, *self.space.project_edit(mount)]
            for (old_id, memory), new_id in zip(put.items(), plan.ids, strict=True):
                kept.append(self._kept(mount, old_id, replace(memory, id=new_id)))
            kept += [
                Kept(id=f"{label}/{id}", action="superseded", memory=memory, before=memory.body) for id, memory in gone.items()
            ]
        return edits, kept

    def _kept(self, mount: Mount, old_id: str, memory: Memory) -> Kept:
        was = self._was.get((mount.label, old_id))
        proposal = self._quotes[mount.label, old_id]
        action: Action = "added" if was is None else "confirmed" if was.body == memory.body else "updated"
        if memory.status is Status.QUARANTINED:
            action = "quarantined"
        return Kept(
            id=f"{mount.label}/{memory.id}", action=action, memory=memory, proposal=proposal,
            before="" if was is None or action == "confirmed" else was.body,
        )
