"""Phase 2: what the sessions gave becomes a handbook, a summary and skills (study, Codex §4 and §6; spec/codex §8-§10).

One at a time, however many processes try: the folder's lock for this machine, a leased job for all. Then: what had its time is
pruned; the inputs are chosen by use and laid into a copy; the copy is compared with the git baseline, and where nothing
changed nobody is asked. A consolidator (an agent with a model, or the rules) makes another folder of it. What it made is
checked as a whole, and is carried out as one change that can be undone, or not at all; then the baseline follows. Nothing is
decided by watermarks, and nothing is written before the job is known to be still ours.

Whoever is killed leaves the old state or the new one: files, flags and the job's end become true together (``Journal.commit``),
and a baseline that is still to follow is noted with them.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from reverie import errors
from reverie.core import gate
from reverie.core import place as places
from reverie.core import text as texts
from reverie.core.consolidation import Consolidated, Consolidator, Fault, Given, Made, Status, line_counts
from reverie.core.dream import FEW, MOST_GONE
from reverie.core.events import Cause, Tombstone, Touched
from reverie.core.layout import File, Folder
from reverie.core.memory import Memory
from reverie.core.model import Failure, Model, ModelFailed
from reverie.core.stage1 import CLAMPS, CONSOLIDATE, Output
from reverie.flows import rehearsal
from reverie.flows.consolidation_agent import Agent, Budget, Estimated
from reverie.flows.heartbeat import Heartbeat
from reverie.flows.space import Space
from reverie.layouts import codex_checking, codex_evidence, codex_inputs, codex_raw
from reverie.layouts.codex import Codex
from reverie.layouts.codex_checking import Rules as Checks
from reverie.layouts.codex_inputs import Extract
from reverie.layouts.codex_rules import Rules
from reverie.storage import baseline, extracts, jobs, staging, workspace
from reverie.storage.baseline import Skipped
from reverie.storage.folder import Overlay
from reverie.storage.jobs import Claim, Refusal
from reverie.storage.lock import Lock
from reverie.storage.workspace import Workspace

if TYPE_CHECKING:
    from reverie.storage.folder import DiskFolder
    from reverie.storage.records import Statement
    from reverie.storage.store import Store

BASELINE = "memory_baseline"            # the job that says: the files are new, and the baseline is still to follow
AUTHOR = ("Codex", "noreply@openai.com")        # spec/codex §9.4
MESSAGE = "Initialize Codex git baseline"
ATTEMPTS = 3
CHANGES_SEEN = 500                      # of the journal, when looking for the last consolidation
EXPIRING = 0.2                          # of what the last consolidation worked from: not more is let go at once
SOON_SECONDS = 60                       # somebody wrote meanwhile: no reason to wait an hour
_REFUSALS = {Refusal.COOLDOWN: Status.COOLDOWN, Refusal.RUNNING: Status.RUNNING, Refusal.RETRY_BACKOFF: Status.RETRY_UNAVAILABLE}
_DIFF_LINES = 4_000                     # of one file: more is not compared line by line for a report


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a consolidation may take and take away (spec/codex §3)."""

    max_raw_memories: int = 256
    max_unused_days: int = 30
    batch: int = 200                    # deleted for good at a time
    cooldown_seconds: int = jobs.COOLDOWN_SECONDS
    most_gone: float = MOST_GONE
    budget: Budget = field(default_factory=Budget)

    def clamped(self) -> Options:
        """Within the product's bounds."""
        def within(value: int, name: str) -> int:
            least, most = CLAMPS[name]
            return max(least, min(value, most))

        return replace(
            self, max_raw_memories=within(self.max_raw_memories, "max_raw_memories_for_consolidation"),
            max_unused_days=within(self.max_unused_days, "max_unused_days"),
        )


# Makes a consolidator: given the checks it will have to pass, and what to ask before each step.
Maker = Callable[[Checks, Callable[[], None]], Consolidator]


def consolidate(
    space: Space, *, model: Model | None = None, options: Options | None = None, force: bool = False, run: str = "",
    maker: Maker | None = None,
) -> Consolidated:
    """Consolidate the design's folder, if it is time and nobody else does. Without a ``model`` the rules do it.

    ``force``: a person asks for it: no pause counts, another consolidation still does. ``run``: of the journal, when this is a
    part of one; else it has one of its own. ``maker`` makes another consolidator. Raises ``WrongUse`` for a design
    without phases.
    """
    if not isinstance(space.design.layout, Codex):
        raise errors.WrongUse(f"the design {space.design.name!r} has no second phase; `--design codex` has")
    started = perf_counter()
    own = "" if run else space.home.journal.start_run("consolidate")
    done = Consolidated(status=Status.CLAIM, detail="it was stopped")
    try:
        done = _Run(space, model, (options or Options()).clamped(), maker, run=run or own, force=force).go()
    finally:
        if own:
            space.home.journal.end_run(own, str(done.status), counts(done))
    return replace(done, run=run or own, duration_ms=round(1000 * (perf_counter() - started)))


def rehearsed(
    space: Space, *, model: Model | None = None, options: Options | None = None, maker: Maker | None = None
) -> Consolidated:
    """What a consolidation would do now, whether or not it is time, on a copy; see ``dry``."""
    with rehearsal.of(space) as copy:
        return dry(copy, model=model, options=options, maker=maker)


def dry(space: Space, *, model: Model | None = None, options: Options | None = None, maker: Maker | None = None) -> Consolidated:
    """A consolidation in a space that is a copy already. A model is not asked: what it would read is counted."""
    if model is not None:
        asked = model
        maker = maker or (lambda checks, watch: Estimated(asked))
    done = consolidate(space, options=options, force=True, maker=maker)
    return replace(done, run="", change=0, dry_run=True)


def counts(done: Consolidated) -> dict[str, int]:
    """What a run counted, for the journal."""
    counted = {"selected": done.selected, "pruned": done.pruned, "held_back": done.held_back, "faults": len(done.faults),
              "files": len(done.lines), "tokens": done.used.tokens}
    return {name: count for name, count in counted.items() if count}


class _Ended(Exception):
    """The run ends here, for a reason with a name."""

    def __init__(
        self, status: Status, detail: str = "", *, faults: Sequence[Fault] = (), retry_seconds: int = jobs.RETRY_SECONDS
    ) -> None:
        super().__init__(detail)
        self.status, self.detail, self.faults, self.retry_seconds = status, detail, tuple(faults), retry_seconds


class _Run:
    """One consolidation, step by step. ``told`` grows into the report."""

    def __init__(
        self, space: Space, model: Model | None, options: Options, maker: Maker | None, *, run: str, force: bool
    ) -> None:
        self.space, self.home, self.options, self.force, self.run = space, space.home, options, force, run
        self.model, self.maker = model, maker
        layout = space.design.layout
        assert isinstance(layout, Codex)
        self.layout, self.shape = layout, layout.shape
        self.mount = space.only_mount()
        self.store: Store = space.store(self.mount)
        self.told = Consolidated(status=Status.SUCCEEDED, store=self.store.label)
        self.checks = Checks(shape=self.shape, project_of=self._project_of, most_gone=options.most_gone)

    def _project_of(self, directory: str) -> str:
        return places.project_key(self.space.place(directory))

    # ---- one at a time

    def go(self) -> Consolidated:
        """The whole, behind the folder's lock."""
        above = Path(self.store.root).parent
        try:
            above.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = Lock(f"{self.store.root}.lock", seconds=0)
            if not lock.take("consolidate", wait=False):
                return self._ended(Status.BUSY, f"another process consolidates {self.store.label}")
        except (errors.ReverieError, OSError) as error:
            return self._ended(Status.LOCK, str(error))
        try:
            return self._claimed()
        finally:
            lock.release()

    def _claimed(self) -> Consolidated:
        worker = f"{platform.node()}:{os.getpid()}"
        try:
            claim = self._claim(worker)
        except errors.ReverieError as error:
            return self._ended(Status.CLAIM, str(error))
        if isinstance(claim, Refusal):
            return self._ended(_REFUSALS.get(claim, Status.CLAIM), _waits(claim))
        with Heartbeat(self.home.jobs, claim) as beat:
            try:
                return self._consolidated(claim, beat)
            except _Ended as ended:
                return self._failed(claim, ended)
            except errors.LeaseLost as lost:
                return self._ended(Status.OWNERSHIP, str(lost))
            except BaseException:           # stopped, or a fault of ours: others need not wait for the lease to end
                self._let_go(claim)
                raise

    def _claim(self, worker: str) -> Claim | Refusal:
        """Take the job. Whoever holds the folder's lock knows that a worker of this machine with an older lease is dead: the
        system lets a lock go only then."""
        job = self.home.jobs.get(CONSOLIDATE, self.store.label)
        ours = job is not None and job.worker.rpartition(":")[0] == platform.node()
        return self.home.jobs.claim_global(
            CONSOLIDATE, self.store.label, worker=worker, force=self.force, cooldown_seconds=self.options.cooldown_seconds,
            dead=job.worker if job is not None and ours else "",
        )

    def _let_go(self, claim: Claim) -> None:
        try:
            self.home.jobs.release(claim)
        except errors.ReverieError:
            return                      # it is somebody else's, or the lease will end by itself

    def _failed(self, claim: Claim, ended: _Ended) -> Consolidated:
        self.told = replace(self.told, faults=ended.faults)
        try:
            self.home.jobs.fail(claim, f"{ended.status}: {ended.detail}", retry_seconds=ended.retry_seconds)
        except errors.LeaseLost as lost:
            return self._ended(Status.OWNERSHIP, str(lost))
        return self._ended(ended.status, ended.detail)

    def _ended(self, status: Status, detail: str = "") -> Consolidated:
        return replace(self.told, status=status, detail=detail)

    # ---- the steps

    def _consolidated(self, claim: Claim, beat: Heartbeat) -> Consolidated:
        self._prepare()
        outputs = self._inputs()
        attempts = 1 if self.model or self.maker else ATTEMPTS      # what costs nothing is done anew when somebody wrote
        while True:
            attempts -= 1
            try:
                return self._once(claim, beat, outputs)
            except _Ended as ended:
                if ended.status is not Status.COMMIT or not attempts:
                    raise

    def _once(self, claim: Claim, beat: Heartbeat, outputs: Sequence[Output]) -> Consolidated:
        view = self.store.folder()
        folder = self._materialised(view, outputs)
        seen = self._compared(folder)
        self.told = replace(self.told, changes=seen.changes)
        if not seen.changes:
            self.home.jobs.finish(claim, _watermark(claim, outputs), also=self._selection(outputs))
            return self._ended(Status.NO_CHANGES, "nothing has changed since the last consolidation")
        given = Given(folder=folder, changes=seen.changes, diff=workspace.rendered(seen),
                      baseline=workspace.file_at_baseline(Path(self.store.root), "MEMORY.md"))
        made = self._made(given, beat)
        self._check(given, made)
        self._look_at(given, made)
        seen_by_now = self._materialised(view, outputs, judged=True)
        made = replace(made, folder={**made.folder, codex_raw.PATH: seen_by_now[codex_raw.PATH]})
        self._apply(claim, view, given, made, outputs)
        self._baseline()
        return self._ended(Status.SUCCEEDED)

    def _prepare(self) -> None:
        """The folder is one, holds no stray links, and stands on its baseline."""
        root = Path(self.store.root)
        if root.is_symlink():
            raise _Ended(Status.PREPARE, f"{str(root)!r} is a symbolic link: the memory folder must be a folder")
        try:
            self.home.journal.recover()
            self.told = replace(self.told, unlinked=tuple(staging.unlinked(root)))
            waiting = self.home.jobs.get(BASELINE, self.store.label)
        except (errors.ReverieError, OSError) as error:
            raise _Ended(Status.PREPARE, str(error)) from error
        if waiting is not None and waiting.status == "pending":     # killed between the files and the baseline
            self._baseline()

    def _inputs(self) -> list[Output]:
        """What had its time is pruned, the rest is chosen. Of what the last consolidation worked from only a part expires at
        once: a month's holiday must not empty the memory."""
        name, days = self.space.design.name, self.options.max_unused_days
        stage1 = self.home.extracts
        try:
            if self.force:
                stage1.welcome(name, max_unused_days=days)
            pruned = stage1.prune(name, max_unused_days=days, batch=self.options.batch)
            chosen = stage1.inputs(name, limit=self.options.max_raw_memories, max_unused_days=days)
            expiring = stage1.expiring(name, max_unused_days=days)
            most = max(FEW, int(EXPIRING * stage1.selected(name)))
        except errors.ReverieError as error:
            raise _Ended(Status.LOAD, str(error)) from error
        held = expiring[: max(0, len(expiring) - most)][: max(0, self.options.max_raw_memories - len(chosen))]
        self.told = replace(self.told, pruned=pruned, selected=len(chosen) + len(held), held_back=len(held))
        return sorted([*chosen, *held], key=lambda output: (output.session, output.host))

    def _materialised(self, view: DiskFolder, outputs: Sequence[Output], *, judged: bool = False) -> dict[str, File]:
        """The folder with its inputs as they shall be, without what is outside of the compared tree."""
        now = self.space.now()
        try:
            forgotten = forgotten_in(self.home.records.tombstones(), {output.session: output.project for output in outputs})
            given = [extract_of(output) for output in outputs]
            given = [replace(extract, judged=True) for extract in given] if judged else given
            inputs = codex_inputs.materialised(view, given, forgotten=forgotten)
            inputs |= dict.fromkeys(codex_inputs.expired(view, now))
            folder = Overlay(view, inputs, now)
            return {path: folder[path] for path in folder if path.partition("/")[0] not in baseline.OUTSIDE}
        except (errors.ReverieError, OSError) as error:
            raise _Ended(Status.SYNC, str(error)) from error

    def _compared(self, folder: Folder) -> Workspace:
        try:
            with staging.copy_of(folder, home=self.home.root, prefix=f"{_plain(self.store.label)}.compare") as copy:
                seen = workspace.compare(copy.root, Path(self.store.root), scratch=copy.scratch)
        except OSError as error:
            raise _Ended(Status.SYNC, f"the folder cannot be copied: {error}") from error
        if isinstance(seen, Skipped):
            raise _Ended(Status.WORKSPACE, f"the folder cannot be compared: {seen.reason} {seen.detail}".strip())
        return seen

    # ---- the consolidator, and what it made

    def _consolidator(self, beat: Heartbeat) -> Consolidator:
        if self.maker is not None:
            return self.maker(self.checks, beat.check)
        if self.model is None:
            return Rules(self.shape, project_of=self._project_of, tombstones=self.home.records.tombstones(),
                         rebuild=self.force or not self._was_taken_back())
        return Agent(self.model, home=self.home.root, prefix=f"{_plain(self.store.label)}.agent", rules=self.checks,
                     budget=self.options.budget, watch=beat.check)

    def _was_taken_back(self) -> bool:
        """Whether the user undid the last consolidation: what they gave back is not done again by itself."""
        last = next((change for change in self.home.journal.changes(CHANGES_SEEN) if change.cause.operation == "consolidate"
                     and any(path.startswith(f"stores/{self.store.label}/") for path in change.paths)), None)
        return last is not None and last.status == "undone"

    def _made(self, given: Given, beat: Heartbeat) -> Made:
        consolidator = self._consolidator(beat)
        self.told = replace(self.told, by=consolidator.name)
        try:
            made = consolidator.consolidate(given, now=self.space.now())
        except ModelFailed as failed:
            self.told = replace(self.told, used=failed.used)
            beat.check()
            early = not failed.used.calls and failed.why in (Failure.FORBIDDEN, Failure.CAP, Failure.LIMITED)
            raise _Ended(Status.SPAWN if early else Status.AGENT, str(failed)) from failed
        except (errors.StoreUnavailable, staging.OutOfBounds, OSError) as error:
            raise _Ended(Status.AGENT, str(error)) from error
        self.told = replace(self.told, used=made.used, notes=made.notes)
        return made

    def _check(self, given: Given, made: Made) -> None:
        found = codex_checking.faults(given, made, self.checks)
        self.told = replace(self.told, lines=_lines(given.folder, made.folder), diff=_diff(given.folder, made.folder))
        if found:
            raise _Ended(Status.INVALID, f"{len(found)} reason{'s' if len(found) > 1 else ''} against what {self.told.by} made: "
                         f"{found[0]}", faults=found)

    def _look_at(self, given: Given, made: Made) -> None:
        """What is no reason to refuse, and a person should know."""
        cited = codex_checking.forgotten_still_cited(given, made.folder, self.shape)
        alone = codex_evidence.unsupported(given, made.folder, self.shape, project_of=self._project_of)
        counted = (("forgotten summaries that are still cited", cited), ("new bullets whose words no cited session says", alone))
        self.told = replace(self.told, notes=(*self.told.notes, *((name, str(count)) for name, count in counted if count)))

    # ---- carrying it out

    def _apply(self, claim: Claim, view: DiskFolder, given: Given, made: Made, outputs: Sequence[Output]) -> None:
        changed = {path: made.folder[path].data if path in made.folder else None for path in _changed(view, made.folder)
                   if path.partition("/")[0] not in baseline.OUTSIDE}
        touched = self._touched(given.folder, made.folder)
        try:
            with self.home.lock("consolidate"):
                self.home.jobs.confirm(claim)
                plan = self.store.plan_files(view, changed, self.space.now(), why="consolidating")
                change = self.home.journal.commit(
                    plan.edits,
                    cause=Cause(operation="consolidate", actor=self.told.by, run=self.run, why=_why(self.told)),
                    touched=touched, counts=counts(self.told), also=[
                        *self._selection(outputs), jobs.enqueue_statement(BASELINE, self.store.label),
                        self.home.jobs.finish_statement(claim, _watermark(claim, outputs)),
                    ],
                )
        except errors.LeaseLost:
            raise
        except errors.Conflict as conflict:
            raise _Ended(Status.COMMIT, f"the memory changed while it was consolidated: {conflict}", retry_seconds=SOON_SECONDS) \
                from conflict
        except (errors.ReverieError, OSError) as error:
            raise _Ended(Status.COMMIT, str(error)) from error
        self.told = replace(self.told, change=change)

    def _selection(self, outputs: Sequence[Output]) -> list[Statement]:
        return extracts.selection_statements(self.space.design.name, outputs)

    def _touched(self, before: Folder, after: Mapping[str, File]) -> list[Touched]:
        was, now = ({memory.id: memory for memory in self.layout.read(folder, scope="project").memories}
                    for folder in (before, after))
        told = [Touched(memory=self.store.full_id(id), action="added", name=memory.name, rule="consolidate")
                for id, memory in now.items() if id not in was]
        return told + [Touched(memory=self.store.full_id(id), action="removed", name=memory.name, rule="consolidate",
                               before=memory.body) for id, memory in was.items() if id not in now]

    def _baseline(self) -> None:
        """The folder as it is becomes what the next one is compared with. What fails here is made up for by the next run."""
        made = baseline.baseline(self.store.root, MESSAGE, author=AUTHOR, at=self.space.now())
        if isinstance(made, Skipped):
            self.told = replace(self.told, notes=(*self.told.notes, ("no new baseline", f"{made.reason} {made.detail}".strip())))
            return
        claim = self.home.jobs.claim_global(BASELINE, self.store.label, worker="baseline", cooldown_seconds=0, force=True,
                                            dead="baseline")
        if isinstance(claim, Claim):
            self.home.jobs.finish(claim)


def _plain(label: str) -> str:
    return "".join(character if character.isalnum() else "-" for character in label)


def _waits(refusal: Refusal) -> str:
    return {
        Refusal.COOLDOWN: "the last consolidation was less than 6 hours ago",
        Refusal.RUNNING: "another worker consolidates",
        Refusal.RETRY_BACKOFF: "the last one failed less than an hour ago",
    }.get(refusal, str(refusal))


def _watermark(claim: Claim, outputs: Sequence[Output]) -> int:
    return max([claim.watermark, *(output.source_updated_at for output in outputs)])


def extract_of(output: Output) -> Extract:
    """What a session gave, as it goes into the files."""
    return Extract(
        thread=output.session, updated_at=datetime.fromtimestamp(output.source_updated_at, UTC), summary=output.rollout_summary,
        raw_memory=output.raw_memory, slug=output.rollout_slug, rollout_path=output.path, cwd=output.cwd, branch=output.branch,
        judged=output.selected_for_phase2 and output.selected_for_phase2_source_updated_at == output.source_updated_at,
    )


def forgotten_in(
    tombstones: Sequence[Tombstone], projects: Mapping[str, str]
) -> Callable[[Extract, str], bool] | None:
    """Whether a text of an extract says what the user had forgotten; None when they had nothing forgotten."""
    if not tombstones:
        return None
    words = [(tombstone, texts.fold(tombstone.words)) for tombstone in tombstones]

    def forgotten(extract: Extract, said: str) -> bool:
        folded = texts.fold(said)
        if not folded.strip():
            return False
        memory = Memory(name=said, description=said, body=said)
        print_ = gate.fingerprint(memory)
        return any(
            (tombstone.project in ("", projects.get(extract.thread, "")) or not projects.get(extract.thread))
            and (folded == old or tombstone.fingerprint == print_)
            and not (tombstone.at and extract.updated_at > tombstone.at)
            for tombstone, old in words
        )

    return forgotten


def _why(told: Consolidated) -> str:
    return f"{told.selected} sessions, {len(told.changes)} changes since the last one"


def _text(folder: Mapping[str, File], path: str) -> list[str]:
    return folder[path].data.decode("utf-8", "replace").splitlines() if path in folder else []


def _changed(before: Mapping[str, File], after: Mapping[str, File]) -> list[str]:
    paths = {*before, *after}
    return sorted(path for path in paths if (before[path].data if path in before else None)
                  != (after[path].data if path in after else None))


def _lines(before: Mapping[str, File], after: Mapping[str, File]) -> dict[str, tuple[int, int]]:
    return {path: line_counts(_text(before, path), _text(after, path)) for path in _changed(before, after)}


def _diff(before: Mapping[str, File], after: Mapping[str, File]) -> str:
    """What the consolidator changed, for a person."""
    import difflib

    parts: list[str] = []
    for path in _changed(before, after):
        old, new = _text(before, path), _text(after, path)
        if len(old) + len(new) > _DIFF_LINES:
            parts.append(f"{path}: too long to be shown\n")
            continue
        parts += [line if line.endswith("\n") else f"{line}\n"
                  for line in difflib.unified_diff(old, new, f"a/{path}", f"b/{path}", lineterm="")]
    return "".join(parts)


__all__ = ["Budget", "Maker", "Options", "consolidate", "counts", "dry", "rehearsed"]
