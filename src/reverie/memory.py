"""Every way into a memory, on one page. ``open_memory`` is the only place where the parts are wired together."""

from __future__ import annotations

import os
import platform
import re
import time
import uuid
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from reverie import designs, errors, settings
from reverie.core.events import Event, Use
from reverie.core.memory import Memory as Remembered
from reverie.core.place import Place
from reverie.flows import reading, upkeep
from reverie.flows.space import Space
from reverie.flows.upkeep import Found
from reverie.storage.home import Home

if TYPE_CHECKING:
    from reverie.axes.reminding import Folder
    from reverie.core.agents import Agent
    from reverie.core.checkup import Checked, Native
    from reverie.core.compaction import Distance
    from reverie.core.consolidation import Consolidated as Phase2
    from reverie.core.cost import Caps
    from reverie.core.dream import Consolidator
    from reverie.core.dream_report import Dreamed
    from reverie.core.events import ChangeRecord, Undone
    from reverie.core.model import Model
    from reverie.core.native import NativeFolder
    from reverie.core.profile import Profile
    from reverie.core.proposal import Extractor
    from reverie.core.recall import Result
    from reverie.core.session import Transcript, Unreadable
    from reverie.core.snapshot import Snapshot
    from reverie.core.stage1 import Limits
    from reverie.core.switch import Switch
    from reverie.flows.adopted import Adopted
    from reverie.flows.adopting import Hand
    from reverie.flows.compaction import Kept
    from reverie.flows.extracting import Extracted, Writer
    from reverie.flows.filing import Files
    from reverie.flows.learning import Job, Learned
    from reverie.flows.mending import Mended
    from reverie.flows.metering import Metered
    from reverie.flows.phases import Phase1
    from reverie.flows.reading import Recalled
    from reverie.hosts.agents_md import Found as Instructed
    from reverie.layouts.claude_code import ClaudeCode
    from reverie.subagents import Subagents


def open_memory(
    home: str | Path | None = None,
    *,
    design: str | None = None,
    cwd: str | Path | None = None,
    environment: Mapping[str, str] | None = None,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    model: Model | None = None,
    background: bool = False,
) -> Memory:
    """Open a memory; nothing is created before something is written.

    ``home``: where everything is kept (default ``$REVERIE_HOME``, else ``~/.reverie``). ``cwd``: the directory whose project
    is meant (default: the current one). ``model``: the language model for whatever uses one, in place of those that the
    settings name. ``background``: nobody asked for what will be done (a worker, a hook), so the switch against such calls
    holds. Raises ``WrongUse`` for an unknown design, ``StoreUnavailable`` for a home that cannot be opened.
    """
    environment = os.environ if environment is None else environment
    root = settings.expanded(home) if home is not None else settings.home_of(environment)
    values = settings.load(root, environment)
    chosen = designs.named(design or values["design"])
    space = Space(Home(str(root.absolute()), clock), chosen, user_home=settings.user_home_of(environment))
    seen_from = settings.expanded(cwd).absolute() if cwd is not None else _cwd()
    return Memory(space, values, cwd=str(seen_from), environment=environment, model=model, background=background)


def _cwd() -> Path:
    try:
        return Path.cwd()
    except OSError:     # the directory was removed under us
        raise errors.WrongUse("the current directory is gone; name one with --cwd") from None


class Memory:
    """A memory as seen from one directory, in one design. Use it as a context manager, or ``close`` it."""

    def __init__(
        self, space: Space, values: settings.Settings, *, cwd: str, environment: Mapping[str, str], model: Model | None = None,
        background: bool = False,
    ) -> None:
        self.space = space
        self.settings = values
        self.cwd = cwd
        self.environment = environment
        self.background = background
        self._given_model = model
        self._models: dict[str, Model] = {}     # by name: a model remembers what its provider said of limits

    # ── what a session and a prompt are shown ────────────────────────────────────────────────────────────────────

    def session_block(self, session: str = "", *, refresh: bool = False, agent: str = "", prompt: str = "") -> str:
        """What a session would start with. With a session's id: frozen, the same bytes for as long as the session lives.

        ``refresh``: its host has compacted the conversation; the editions whose product reads its index again then do so, too.
        ``agent``: what this sub-agent would start with, its own memory and what is shared with it; ``session`` is then the
        id of its run, and ``prompt`` what it was handed.
        """
        if agent:
            return self._agent_block(self.subagents.agent(agent), run=session, prompt=prompt)
        tokens = self.settings["block.tokens"]
        return reading.session_block(self.space, self.place, session=session, tokens=tokens, refresh=refresh)

    def resumed(self, session: str) -> str:
        """What a resumed session is told with its new message, where its product does so and the index has changed; else ""."""
        return reading.resumed(self.space, self.place, session=session)

    def remembered_block(self) -> str:
        """The same without the guidance on how to use a memory: what there is to know, for a person who looks at it."""
        return reading.without_guidance(self.space, self.place, tokens=self.settings["block.tokens"])

    def _agent_block(self, agent: Agent, *, run: str = "", prompt: str = "", characters: int | None = None) -> str:
        from reverie.flows import agents

        return agents.block(
            self.space, self.place, agent, run=run, prompt=prompt, characters=characters,
            tokens=self.settings["agents.block_tokens"],
        )

    def subagent_block(self, agent: str, *, run: str = "", prompt: str = "", characters: int | None = None) -> str:
        """What a product's sub-agent is given when it starts: as ``session_block``, without what the product itself shows it.
        ``characters``: of the whole."""
        return self._agent_block(self.subagents.agent(agent, native=False), run=run, prompt=prompt, characters=characters)

    def recall(self, prompt: str, *, limit: int | None = None, agent: str = "") -> list[Result]:
        """What a prompt needs, best first; an empty list when nothing is relevant. ``agent``: what this sub-agent may see."""
        if agent:
            from reverie.flows import agents

            return agents.recall(
                self.space, self.place, self.subagents.agent(agent), prompt, documents=limit or self.settings["recall.documents"],
                characters=self.settings["recall.characters"],
            )
        return self._recalled(prompt, documents=limit or self.settings["recall.documents"]).results

    def _recalled(self, prompt: str, *, documents: int) -> Recalled:
        """By the design's rules, or as the strategy says; and, where the design tells of its recalls, an event of it."""
        started = time.perf_counter()
        strategy = self._strategy()
        characters = self.settings["recall.characters"]
        if strategy == "none":
            found = reading.Recalled([], 0)
        else:
            found = reading.recall(self.space, self.place, prompt, documents=documents, characters=characters)
        if strategy == "model" and (model := self.model("recall")) is not None:
            from reverie.flows import selecting

            found = selecting.select(
                self.space, self.space.mounts(self.place), prompt, found, model=model, documents=documents,
                characters=characters, seconds=self.settings["recall.deadline_ms"] / 1_000,
            )
        if self.space.design.tells_recalls:
            from reverie.core.telemetry import Recall
            from reverie.flows import telling

            telling.tell(self.space, Recall(
                query_length=len(prompt), docs_scanned=found.scanned, docs_selected=len(found.results), strategy=found.strategy,
                duration_ms=round(1_000 * (time.perf_counter() - started)),
            ))
        return found

    def _strategy(self) -> str:
        setting = self.settings.values["recall.strategy"]
        if setting.value not in ("none", "heuristic", "model"):
            raise errors.WrongUse(
                f"recall.strategy = {setting.value!r} (from {setting.origin}) must be one of none, heuristic, model"
            )
        return str(setting.value)

    def recall_block(self, prompt: str, *, agent: str = "") -> str:
        """What goes with a prompt to the model, "" when nothing is relevant."""
        return reading.recall_block(self.space, self.recall(prompt, agent=agent))

    # ── learning ─────────────────────────────────────────────────────────────────────────────────────────────────

    def learn(
        self,
        conversation: Iterable[tuple[str, str]] | None = None,
        *,
        session: str = "",
        hosts: Sequence[str] = (),
        paths: Sequence[str] = (),
        agents_home: str | None = None,
        since: str | None = None,
        project: str | None = None,
        dry_run: bool = False,
        model: str = "",
        most_tokens: int = 0,
        on_start: Callable[[int], None] = lambda total: None,
        on_session: Callable[[Learned], None] = lambda learned: None,
    ) -> Report:
        """Learn from a conversation, as (speaker, text) pairs with "user" and "assistant" as speakers, or from the agents'
        own session files: all that are found below the home folder, or those that the options leave.

        ``model``: which language model reads them, "none" for the rules; default: that of the flow "extract", else the rules.
        ``most_tokens``: more are not spent. A rehearsal asks a model only if it is named here: it costs as any other does.
        Raises ``ModelFailed`` when the model cannot be asked further; what was learned until then is kept.
        """
        from reverie.core import switch
        from reverie.flows import rehearsal

        if switch.inside(self.environment):
            raise errors.WrongUse(f"nothing is learned within an agent that Reverie runs as a model ({switch.INSIDE} is set)")
        if conversation is not None:
            jobs = [self._spoken(conversation, session)]
            bad: list[Unreadable] = []
        else:
            jobs, bad = self._found(hosts=hosts, paths=paths, agents_home=agents_home, since=since)
        on_start(len(jobs) + len(bad))
        adopted = None
        with rehearsal.of(self.space) if dry_run else nullcontext(self.space) as space:
            if conversation is None:
                native = not paths and (not hosts or "claude-code" in hosts)
                adopted = self._adopt(space, own=True, native=native, everywhere=True, agents_home=agents_home)
                adopted = adopted.rehearsed(space.home.root, self.space.home.root) if dry_run else adopted
            reader = self._reader(model, most_tokens, dry_run=dry_run)
            run, done = self._run(space, jobs, bad, reader, project=project, on_session=on_session)
        return Report(run="" if dry_run else run, dry_run=dry_run, sessions=tuple(done), adopted=adopted)

    def _reader(self, name: str, most_tokens: int, *, dry_run: bool) -> Callable[[str], Extractor]:
        """What makes the extractor of a run: a model, where one was chosen and may be asked, else the rules."""
        asked = name not in ("", "none", "rules")
        if name in ("none", "rules") or (dry_run and not asked and self._given_model is None):
            return lambda run: self._extractor()
        model = self.model("extract", name=name)
        if model is None:
            return lambda run: self._extractor()
        if model.forbidden and not asked:
            self.space.home.note(f"calls of models are forbidden by {model.forbidden}: learned by rules")
            return lambda run: self._extractor()
        from reverie.flows import proposing

        chosen = model
        aside = f"/{uuid.uuid4().hex[:8]}" if dry_run else ""    # the runs of rehearsals are numbered anew each time
        return lambda run: proposing.ByModel(model=chosen.for_run(run + aside, most_tokens=most_tokens))

    def _run(
        self, space: Space, jobs: list[Job], bad: list[Unreadable], reader: Callable[[str], Extractor], *, project: str | None,
        on_session: Callable[[Learned], None],
    ) -> tuple[str, list[Learned]]:
        run = space.home.journal.start_run("learn")
        done: list[Learned] = []
        outcome = "stopped"
        try:
            for learned in self._learned(space, jobs, bad, reader(run), run=run, project=project):
                done.append(learned)
                on_session(learned)
            outcome = "succeeded" if any(learned.kept for learned in done) else "succeeded_no_output"
        finally:
            space.home.journal.end_run(run, outcome, Counter(learned.outcome for learned in done))
        return run, done

    def _learned(
        self, space: Space, jobs: list[Job], bad: list[Unreadable], extractor: Extractor, *, run: str, project: str | None
    ) -> Iterator[Learned]:
        from reverie.flows import learning

        for unreadable in bad:
            yield learning.unreadable(space, unreadable, run=run)
        yield from learning.learn(
            space, jobs, extractor, run=run,
            wanted=(lambda place: _is_project(place, project)) if project else lambda place: True,
        )

    def _found(
        self, *, hosts: Sequence[str], paths: Sequence[str], agents_home: str | None, since: str | None
    ) -> tuple[list[Job], list[Unreadable]]:
        """The transcripts to learn from. ``agents_home`` stands for the user's home folder; then the environment is not asked."""
        from reverie import hosts as agents
        from reverie.core.session import Unreadable
        from reverie.flows.learning import Job

        after = _since(since, self.space.now()) if since else None
        if paths:
            found: Iterable[Transcript | Unreadable] = (each for path in paths for each in agents.recognise(path, hosts or None))
        elif agents_home is not None:
            if not Path(agents_home).is_dir():
                raise errors.WrongUse(f"--agents-home {agents_home!r} is not a folder")
            found = agents.find_all(agents_home, {}, hosts or None)
        else:
            found = agents.find_all(settings.user_home_of(self.environment), self.environment, hosts or None)
        jobs: list[Job] = []
        bad: list[Unreadable] = []
        for each in found:
            if isinstance(each, Unreadable):
                bad.append(each)
            elif after is None or each.updated_at is None or each.updated_at >= after:
                jobs.append(Job(dialect=agents.get(each.host), transcript=each))
        return jobs, bad

    # ── what others wrote ────────────────────────────────────────────────────────────────────────────────────────

    def adopt(
        self, *, own: bool = True, native: bool = True, everywhere: bool = False, dry_run: bool = False,
        agents_home: str | None = None, hand: Hand | None = None, only: Collection[str] | None = None,
    ) -> Adopted:
        """Take over what an agent or a person wrote with ordinary file tools: into our stores (``own``), and into Claude
        Code's own memory folder (``native``), which is only read. Of this project, or of ``everywhere``. File by file.

        ``hand`` says who wrote, when the caller knows; ``only`` names the files (absolute paths in our stores) that are meant.
        ``agents_home`` stands for the user's home folder; then the environment is not asked.
        """
        from reverie.flows import rehearsal

        with rehearsal.of(self.space) if dry_run else nullcontext(self.space) as space:
            here, there = self.space.home.root, space.home.root
            only = None if only is None else [there + path.removeprefix(here) for path in only]
            report = self._adopt(
                space, own=own, native=native, everywhere=everywhere, natives_everywhere=everywhere, agents_home=agents_home,
                hand=hand, only=only,
            )
        return report.rehearsed(there, here) if dry_run else report

    def _catch_up(self, *, everywhere: bool = False) -> None:
        """Before a change: what another hand wrote into our stores meanwhile is taken over first, so that no credential in it
        gets into the history of that change, and an undo of the one does not touch the other."""
        self._adopt(self.space, own=True, native=False, everywhere=everywhere)

    def _adopt(
        self, space: Space, *, own: bool, native: bool, everywhere: bool, natives_everywhere: bool = False,
        agents_home: str | None = None, hand: Hand | None = None, only: Collection[str] | None = None,
    ) -> Adopted:
        from reverie.flows import adopted, adopting, adopting_native

        run = adopted.Run(space.home.journal)
        place = space.place(self.cwd)
        parts: list[Adopted] = []
        if own:
            mounts = {mount.label: mount for mount in (space.every_mount() if everywhere else ())}
            mounts |= {mount.label: mount for mount in space.around(place)}
            parts.append(adopting.adopt(space, mounts.values(), run=run, hand=hand, only=only))
        if native and only is None:
            found = self._native_folders(space, place, everywhere=natives_everywhere, agents_home=agents_home)
            parts.append(adopting_native.adopt(space, found, run=run))
        return run.ended(adopted.together(parts))

    def _native_folders(self, space: Space, place: Place, *, everywhere: bool, agents_home: str | None) -> list[NativeFolder]:
        """Claude Code's memory folders: this place's, and, when asked for, those of all projects that it knows."""
        from reverie.hosts import claude_folders, claude_memories

        user_home = settings.user_home_of(self.environment) if agents_home is None else agents_home
        folders = claude_folders.locate(
            place, environment=self.environment if agents_home is None else {}, user_home=str(Path(user_home).absolute())
        )
        here = claude_memories.here(folders, place, space.place)
        found = [here] if here else []
        if everywhere and folders.enabled:
            known = {each.path for each in found}
            found += [each for each in claude_memories.everywhere(folders, space.place) if each.path not in known]
        return found

    def _spoken(self, conversation: Iterable[tuple[str, str]], session: str) -> Job:
        from reverie.flows import spoken

        return spoken.job(conversation, session=session, cwd=self.cwd, at=self.space.now())

    # ── two phases ───────────────────────────────────────────────────────────────────────────────────────────────

    def consolidate(
        self, *, hosts: Sequence[str] = (), paths: Sequence[str] = (), agents_home: str | None = None, session: str = "",
        force: bool = False, dry_run: bool = False, extract_only: bool = False, most_removed: int | None = None,
        on_start: Callable[[int], None] = lambda total: None, on_session: Callable[[Extracted], None] = lambda extracted: None,
    ) -> Consolidated:
        """Extract the sessions that are at rest (phase 1), then put all that was extracted in order (phase 2), in a design that
        writes in two phases: ``WrongUse`` in others. With the models of the flows "extract" and "consolidate" if they are chosen,
        else by rules.

        ``session``: the one at hand, left out. ``force``: whatever the age of a session, and without the pauses after a failure
        and a success. ``extract_only``: without phase 2. ``most_removed`` (per cent; default: the setting): a phase 2
        that takes more is refused. ``dry_run``: on a copy; a model is not asked, what it would be asked is counted.
        """
        from reverie.flows import consolidating, phases, rehearsal

        if not self.space.design.writing.two_phases:
            raise errors.WrongUse(f"the design {self.space.design.name!r} does not write in two phases; `--design codex` does. "
                                  "`reverie dream` tidies up in every design.")
        if not dry_run:
            self._catch_up()
        jobs, bad = self._found(hosts=hosts, paths=paths, agents_home=agents_home, since=None)
        asked = phases.Asked(limits=self._limits(), worker=f"{platform.node()}:{os.getpid()}", current=session, force=force,
                             on_start=on_start, on_session=on_session)
        with rehearsal.of(self.space) if dry_run else nullcontext(self.space) as space:
            run = space.home.journal.start_run(phases.OPERATION)
            outcome, counts = "stopped", dict[str, int]()
            try:
                first = phases.phase1(space, jobs, bad, self._writer(space, run=run, dry_run=dry_run), asked, run=run)
                outcome, counts = first.status, first.outcomes
                second = None
                if not extract_only:
                    second = self._second(space, run, force=force, dry_run=dry_run, most_removed=most_removed)
                    outcome, counts = str(second.status), {**counts, **consolidating.counts(second)}
            finally:
                space.home.journal.end_run(run, outcome, counts)
        return Consolidated(run="" if dry_run else run, dry_run=dry_run, phase1=first, phase2=second)

    def _second(self, space: Space, run: str, *, force: bool, dry_run: bool, most_removed: int | None) -> Phase2:
        """Phase 2, within what the settings let it take, and take away."""
        from reverie.flows import consolidating

        model = self.model("consolidate", run=run)
        model = None if model is None or model.forbidden else model
        values = self.settings
        share = values["dream.most_removed"] if most_removed is None else most_removed
        options = consolidating.Options(
            max_raw_memories=values["codex.max_raw_memories_for_consolidation"], max_unused_days=values["codex.max_unused_days"],
            most_gone=share / 100, budget=consolidating.Budget(tokens=values["codex.consolidation_tokens"]),
        )
        if dry_run:
            return consolidating.dry(space, model=model, options=options)
        return consolidating.consolidate(space, model=model, options=options, force=force, run=run)

    def _limits(self) -> Limits:
        """The settings where somebody has made them, else the design's own numbers."""
        from reverie.core.stage1 import Limits

        def chosen(name: str, own: float) -> int:
            setting = self.settings.values[f"codex.{name}"]
            return int(own if setting.origin == "default" else setting.value)

        writing = self.space.design.writing
        return Limits(
            max_rollouts_per_startup=chosen("max_rollouts_per_startup", writing.sessions_at_once),
            max_rollout_age_days=chosen("max_rollout_age_days", writing.max_age_days),
            min_rollout_idle_hours=chosen("min_rollout_idle_hours", writing.idle_hours),
            headless=bool(self.settings["codex.headless"]),
        )

    def _writer(self, space: Space, *, run: str, dry_run: bool) -> Writer:
        """Who writes in phase 1."""
        from reverie.flows import extracting_writers as writers

        leave_out = bool(self.settings["codex.disable_on_external_context"])
        model = self.model("extract", run=run)
        if model is not None and model.forbidden:
            space.home.note(f"calls of models are forbidden by {model.forbidden}: extracted by rules")
        if model is None or model.forbidden:
            return writers.ByRules(
                extractor=self._extractor(), gate=space.design.writing.gate(), tombstones=space.home.records.tombstones(),
                now=space.now(), leave_out_external=leave_out)
        share = space.design.writing.window_share
        if dry_run:
            return writers.Estimated(model=model, leave_out_external=leave_out, effective=share)
        return writers.ByModel(model=model, leave_out_external=leave_out, effective=share)

    def _extractor(self) -> Extractor:
        from reverie.models.rules import Rules

        return Rules()

    # ── language models ──────────────────────────────────────────────────────────────────────────────────────────

    def model(self, flow: str, *, name: str = "", run: str = "", most_tokens: int = 0) -> Metered | None:
        """The language model for a flow ("extract", "consolidate", "dream", "recall"), None when none was chosen: the default.

        Every call through it is in the ledger, within the caps, and refused where the switch forbids it (``forbidden`` says by
        what). ``name``: this one, whatever the settings say. ``run`` with ``most_tokens``: the cap of one run (0: the setting).
        Raises ``WrongUse`` for a model that is not known.
        """
        chosen = name or self._chosen_model(flow)
        if self._given_model is None and not chosen:
            return None
        from reverie.flows.metering import Metered
        from reverie.models import registry

        model = self._given_model
        if model is None or name:
            if chosen not in self._models:
                self._models[chosen] = registry.named(
                    chosen, self.settings.tables, self.environment, self.settings["models.min_remaining_percent"]
                )
            model = self._models[chosen]
        return Metered(
            model=model, ledger=self.space.home.ledger, caps=self._caps(most_tokens), run=run,
            price=registry.price(model.name, self.settings.tables), currency=registry.currency(),
            forbidden=self.switch.forbids(background=self.background),
        )

    def cost(self, *, since: str | None = None, by: str = "model") -> dict[str, Any]:
        """What models were asked and what it cost, since a day or for a span back (default: this month, UTC), a line for each
        model, flow or day; what is left of the caps; what needs a look."""
        from reverie.flows import costing
        from reverie.models import registry

        if by not in costing.BY:
            raise errors.WrongUse(f"--by {by!r} must be one of {', '.join(costing.BY)}")
        now = self.space.now()
        return {"calls": self._calls_allowed(), "prices_as_of": registry.as_of(), **costing.report(
            self.space.home.ledger, since=_since(since, now) if since else None, now=now, by=by, caps=self._caps(0),
            currency=registry.currency(),
        )}

    def _calls_allowed(self) -> str:
        """Whether models may be called, in one line: which were chosen, what forbids them, what the caps leave."""
        named = {flow: self._chosen_model(flow) for flow in ("extract", "consolidate", "dream", "recall")}
        chosen = [self._given_model.name] if self._given_model else sorted({name for name in named.values() if name})
        switch = self.switch
        if switch.every:
            return f"forbidden by {switch.every}"
        if not chosen:
            return "none chosen"
        from reverie.flows import costing
        from reverie.models import registry

        ledger = self.space.home.ledger
        background = f", in the background forbidden by {switch.background}" if switch.background else ""
        caps = costing.cap_words(self._caps(0), ledger.today(), ledger.this_month(), registry.currency())
        return f"{', '.join(chosen)} allowed{background}; {caps}"

    @property
    def switch(self) -> Switch:
        """What forbids calls of models, and which."""
        from reverie.core import switch

        setting = self.settings.values["models.background"]
        if setting.value not in switch.CHOICES:
            raise errors.WrongUse(
                f"models.background = {setting.value!r} (from {setting.origin}) must be one of {', '.join(switch.CHOICES)}"
            )
        return switch.switch(self.environment, chosen=setting.value, origin=setting.origin)

    def _chosen_model(self, flow: str) -> str:
        known = self.settings.values
        own = known[f"models.{flow}"].value.strip() if f"models.{flow}" in known else ""
        chosen = str(own or known["models.default"].value.strip())
        return "" if chosen in ("none", "rules") else chosen

    def _caps(self, most_tokens: int) -> Caps:
        from reverie.core.cost import MILLION, Caps

        values = self.settings
        return Caps(
            tokens_per_day=values["models.tokens_per_day"], tokens_per_month=values["models.tokens_per_month"],
            tokens_per_run=most_tokens or values["models.tokens_per_run"],
            money_per_day=int(values["models.money_per_day"] * MILLION),
            money_per_month=int(values["models.money_per_month"] * MILLION),
        )

    # ── by hand ──────────────────────────────────────────────────────────────────────────────────────────────────

    def list(self, *, everywhere: bool = False, agent: str = "") -> Sequence[Found]:
        """The memories that a session here can see, or all of every project, or those of one sub-agent."""
        return upkeep.everything(self.space) if everywhere else upkeep.here(self.space, self.place, self._agent(agent))

    def read(self, name: str, *, agent: str = "") -> Found:
        """One memory, by its id, or by an end or words of it that are unambiguous here."""
        return upkeep.one(self.space, self.place, name, self._agent(agent))

    def reminder(self, path: str, folders: Sequence[Folder] | None = None) -> str:
        """What a model that has just read this file (absolute) must be told of its age, "" for nothing. Besides our own stores
        memories lie in ``folders``: by default Claude Code's for this directory, where it says most of it by itself."""
        from reverie.flows import reminding

        known = self._claude_folders() if folders is None else folders
        return reminding.reminder(
            path, [reminding.stores(self.space), *known], by=self.space.design.eviction.reminding, now=self.space.now()
        )

    def _claude_folders(self) -> Sequence[Folder]:
        from reverie.axes.reminding import Folder, Kind
        from reverie.core import blocks
        from reverie.hosts import claude_folders

        found = claude_folders.locate(
            self.place, environment=self.environment, user_home=settings.user_home_of(self.environment)
        )
        agents = (found.agent_user, found.agent_project, found.agent_local)
        return [
            Folder(root=str(found.memory), kind=Kind.CLIENT, client_days=blocks.PRODUCT_DAYS if found.enabled else 0),
            Folder(root=str(found.projects), kind=Kind.PROJECTS),
            *(Folder(root=str(folder), kind=Kind.AGENTS) for folder in agents),
        ]

    def remember(
        self, text: str, *, name: str = "", type: str = "", why: str = "", how_to_apply: str = "", scope: str = "",
        agent: str = "",
    ) -> tuple[Found, str]:
        """Keep something. Answers with the memory and what was done: "added", "updated" or "confirmed".

        ``agent`` (or the scope "agent:NAME"): a sub-agent's own, and its word, not the user's; ``scope`` is then "user",
        "project" or "local" (default: what its definition says), or "agents" for what the agents of the project share.
        """
        self._catch_up()
        given = Remembered(name=name, type=type, why=why, how_to_apply=how_to_apply)
        if scope.startswith("agent:"):
            agent, scope = agent or scope.removeprefix("agent:"), ""
        if scope == "agents" and not agent:
            raise errors.WrongUse("what agents share is written by one of them: say which, with agent=…")
        return upkeep.remember(
            self.space, self.place, text, self._extractor(), given=given, scope=scope, agent=self._agent(agent)
        )

    def find(self, query: str, *, everywhere: bool = False, agent: str = "") -> Sequence[Found]:
        """Memories by id, or by words that they all hold: what ``forget`` would take."""
        return upkeep.named(self.space, self.place, query, self._agent(agent)) or upkeep.matching(
            self.list(everywhere=everywhere, agent=agent), query
        )

    def forget(self, found: Sequence[Found] | str) -> int:
        """Take memories out. Answers with the change's id, for ``undo``. Raises ``NotFound``."""
        members = [self.read(found)] if isinstance(found, str) else found
        if not members:
            raise errors.NotFound("there is nothing to forget")
        self._catch_up()
        return upkeep.forget(self.space, members)

    def changes(self, limit: int = 20) -> Sequence[ChangeRecord]:
        """The last changes, newest first: what ``undo`` could take back."""
        return self.space.home.journal.changes(limit)

    def undo(self, *, change: int | None = None, run: str | None = None, last: int | None = None, force: bool = False) -> Undone:
        """Take back one change, a whole run, or the last ones (one, when nothing is said)."""
        if change is None and run is None and last is None:
            last = 1
        return upkeep.undo(self.space, change=change, run=run, last=last, force=force)

    def dream(
        self, *, session: str = "", force: bool = False, dry_run: bool = False, everywhere: bool = False,
        most_removed: int | None = None, consolidator: Consolidator | None = None,
    ) -> Dreamed:
        """Clean the stores seen from here (or all): merge what is said twice, let the later of two contradicting statements
        stand, make dates absolute, rebuild the index. A store whose time has not come is skipped by name, unless ``force``.

        ``dry_run`` shows what would be done now. ``most_removed`` (per cent; default: the setting): more is refused.
        ``consolidator``: what decides in place of the rules (``core.dream.Consolidator``).
        """
        from reverie.flows import dreaming

        share = (self.settings["dream.most_removed"] if most_removed is None else most_removed) / 100
        gates = dreaming.Gates(hours=self.settings["dream.hours"], sessions=self.settings["dream.sessions"])
        if not dry_run:
            self._catch_up(everywhere=everywhere)
        mounts = list(self.space.every_mount() if everywhere else self.space.around(self.place))
        return (dreaming.rehearsed if dry_run else dreaming.dream)(
            self.space, mounts, session=session, force=force, enabled=bool(self.settings["dream.enabled"]), gates=gates,
            most_gone=share, consolidator=consolidator,
        )

    def profile(self, *, tokens: int = 400) -> Profile:
        """Who the user is, for any project: ``text`` for a person, ``block`` for a model, ``lines`` with their memories."""
        from reverie.flows import profiling

        return profiling.profile_of(self.space, self.place, tokens=tokens)

    # ── across sessions ──────────────────────────────────────────────────────────────────────────────────────────

    def events(
        self, *, after: str = "", since: str | None = None, kinds: Sequence[str] = (), follow: bool = False,
        wait: Callable[[float], None] = time.sleep,
    ) -> Iterator[Event]:
        """What happened, oldest first, across sessions and processes: after the event with this id, since a time ("7d"), of some
        kinds (``core.events.KINDS``). With ``follow`` it never ends by itself; ``wait`` sleeps between two looks."""
        from reverie.flows import streaming

        start = _since(since, self.space.now()) if since else None
        return streaming.events(self.space, after=after, since=start, kinds=kinds, follow=follow, wait=wait)

    # ── around a compaction ──────────────────────────────────────────────────────────────────────────────────────

    def snapshots(self) -> Sequence[Kept]:
        """The sessions' states that are kept, the latest first."""
        from reverie.flows import compaction

        return compaction.listed(self.space)

    def snapshot(self, session: str, *, write: bool = False) -> Taken:
        """The state of a session, taken from its transcript (a path, or the id of a session on this machine), and kept with
        ``write``; for a session whose transcript is gone, the state that was kept. Raises ``NotFound`` or ``Ambiguous``."""
        from reverie.flows import compaction

        job = self._transcript(session)
        if job is None:
            kept = compaction.kept(self.space, session)
            return Taken(snapshot=kept.snapshot, path=kept.path)
        from reverie.hosts import usage

        found = compaction.take(job.dialect.read(job.transcript))
        path, change = compaction.write(self.space, found) if write else ("", 0)
        distance = self._distance(job.transcript.host, usage.tokens(job.transcript))
        return Taken(snapshot=found, path=path, change=change, distance=distance)

    def _transcript(self, session: str) -> Job | None:
        """The transcript at this path, or of the session with this id (or a beginning of one); None when there is none."""
        from reverie import hosts as agents
        from reverie.core.session import Unreadable
        from reverie.flows.learning import Job

        is_path = os.sep in session or session.endswith((".jsonl", ".db")) or Path(session).is_file()
        if is_path:
            found = list(agents.recognise(str(settings.expanded(session).absolute())))
            bad = [each for each in found if isinstance(each, Unreadable)]
            if bad and len(bad) == len(found):
                raise errors.NotFound(f"{session!r} cannot be read as a transcript: {bad[0].reason} {bad[0].detail}".rstrip())
        else:
            found = list(agents.find_all(settings.user_home_of(self.environment), self.environment, None))
        sessions = [each for each in found if not isinstance(each, Unreadable)]
        if not is_path:
            exact = [each for each in sessions if each.session == session]
            sessions = exact or [each for each in sessions if session and each.session.startswith(session)]
        if len(sessions) > 1:
            named = ", ".join(f"{each.host} {each.session}" for each in sessions[:5])
            raise errors.Ambiguous(f"{session!r} fits {len(sessions)} sessions: {named}. Give a session's whole id.")
        return Job(dialect=agents.get(sessions[0].host), transcript=sessions[0]) if sessions else None

    def _distance(self, host: str, tokens: int | None) -> Distance | None:
        """How far a session is from its compaction, where the client's arithmetic is known."""
        from reverie.core import compaction

        if tokens is None or host != "claude-code":
            return None
        rules = compaction.rules(self.environment)
        return compaction.distance(tokens, rules if tokens <= rules.window else compaction.rules(
            self.environment, window=compaction.LONG_WINDOW))

    def before_compaction(self, transcript: str) -> str:
        """For a PreCompact hook: keeps the session's state and says, as plain text, what the summary must keep; "" for a session
        of which there is nothing to keep."""
        from reverie.flows import compaction

        job = self._transcript(transcript)
        if job is None:
            return ""
        found = compaction.take(job.dialect.read(job.transcript))
        if not found.empty:
            try:
                compaction.write(self.space, found)
            except errors.StoreUnavailable as error:    # the summary is told all the same
                self.space.home.note(str(error))
        return compaction.before(found)

    def after_compaction(self, *, session: str, host: str = "claude-code") -> str:
        """For a SessionStart hook with the source "compact": the session's block, the state that was kept, and what was read."""
        from reverie.flows import compaction

        return compaction.after(self.space, self.place, session=session, found=compaction.of(self.space, host, session),
                                block_tokens=self.settings["block.tokens"])

    def why(self, name: str, *, agent: str = "") -> tuple[Found, Sequence[ChangeRecord]]:
        """A memory and what was done to it, oldest first."""
        found = self.read(name, agent=agent)
        return found, upkeep.history(self.space, found)

    def uses(self, found: Found) -> Sequence[Use]:
        """Every use of a memory, the latest first: by which sign, in which session."""
        return self.space.home.records.uses(f"{self.space.design.name}/{found.memory.id}")

    def credit(self, found: Found) -> None:
        """A memory was opened. Nothing depends on it: where nothing can be written, nothing is."""
        if not self.space.home.readonly:
            with suppress(errors.StoreUnavailable):
                self.space.home.records.credit([Use(memory=f"{self.space.design.name}/{found.memory.id}")])

    def files(self, *, scope: str = "project", session: str = "", wording: str = "sdk", agent: str = "") -> Files:
        """A store as plain files below ``/memories``, for an agent with Anthropic's memory tool (``entrypoints.memory_tool``).

        ``scope`` chooses the store, of the sub-agent ``agent`` if one is named. ``wording``: whose sentences errors have, the
        "sdk"'s or the "docs"'.
        """
        from reverie.core import tool_answers
        from reverie.flows.filing import Files

        if wording not in tool_answers.WORDINGS:
            raise errors.WrongUse(f"unknown wording {wording!r}; known are {', '.join(tool_answers.WORDINGS)}")
        mount = self.space.target(self.place, scope, self._agent(agent))
        self._catch_up()
        return Files(self.space, mount, scope=scope, session=session, wording=tool_answers.WORDINGS[wording])

    def instructions(self) -> Instructed:
        """The instruction files (``AGENTS.md``) that count in this directory, within Codex's limits (study, Codex §1)."""
        from reverie.hosts import agents_md

        return agents_md.find(self.place, user_home=settings.user_home_of(self.environment), environment=self.environment)

    # ── sub-agents ───────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def subagents(self) -> Subagents:
        """The sub-agents that are defined here or have a memory, and which of them share; looked up anew each time."""
        from reverie.subagents import Subagents

        return Subagents(self.space, self.place, self.environment, self.settings["agents.shared"])

    def _agent(self, name: str) -> Agent | None:
        return self.subagents.agent(name) if name else None

    # ── looking after it ─────────────────────────────────────────────────────────────────────────────────────────

    def checkup(self, *, host: str = "all", everywhere: bool = False) -> Sequence[Checked]:
        """What is wrong, folder by folder: the home and the stores ("own"), and a product's memory folder ("claude-code").

        Looks and writes nothing. ``everywhere``: of all projects, not only of the one seen from here.
        """
        from reverie.flows import checking

        natives = self._natives(host, everywhere=everywhere)
        found = [checking.native(self.space, _product_layout(), native) for native in natives]
        if host in ("own", "all"):
            mounts = checking.mounts(self.space, self.place, everywhere=everywhere)
            found += [*(checking.own(self.space, mount) for mount in mounts), checking.home(self.space)]
        return found

    def mend(self, *, host: str = "all", everywhere: bool = False, dry_run: bool = False) -> Sequence[Mended]:
        """Mend what can be mended by rule, one change of the journal for each mend; ``dry_run`` only says how.

        Writes into a product's folder, too. Raises ``StoreUnavailable`` while somebody dreams there.
        """
        from reverie.flows import checking, mending

        run = "" if dry_run else self.space.home.journal.start_run("doctor")
        done: list[Mended] = []
        outcome = "stopped"
        try:
            for native in self._natives(host, everywhere=everywhere):
                done += mending.native(self.space, _product_layout(), native, run=run)
            if host in ("own", "all"):
                for mount in checking.mounts(self.space, self.place, everywhere=everywhere):
                    done += mending.own(self.space, mount, run=run)
                done += mending.home(self.space, run=run)
            outcome = "succeeded" if done else "succeeded_no_output"
        finally:
            if run:
                self.space.home.journal.end_run(run, outcome, Counter({"mended": len(done)}))
        return [replace(each, run=run) for each in done]

    def _natives(self, host: str, *, everywhere: bool) -> Sequence[Native]:
        from reverie.hosts import claude_native

        if host not in ("all", "own", claude_native.HOST):
            raise errors.WrongUse(f"unknown host {host!r}; a checkup knows all, own, {claude_native.HOST}")
        if host == "own":
            return ()
        user_home = settings.user_home_of(self.environment)
        if everywhere:
            return claude_native.every(self.place, environment=self.environment, user_home=user_home)
        return (claude_native.here(self.place, environment=self.environment, user_home=user_home),)

    # ── about itself ─────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def place(self) -> Place:
        """Which project the directory belongs to."""
        return self.space.place(self.cwd)

    def status(self) -> dict[str, Any]:
        """What is kept, what was done, what needs a look."""
        home = self.space.home
        everything = self.list(everywhere=True)
        try:
            here = len(self.list())
        except errors.StoreUnavailable as closed:       # whoever asks what is wrong must get an answer
            home.note(str(closed))
            here = 0
        problems = [*home.notes, *(
            f"{path}: a damaged database that was moved aside; what it knew of undo, reading positions and forgotten memories "
            "is lost. Repair it or delete it." for path in home.set_aside()
        )]
        from reverie.flows import crediting

        problems += [said for said in (crediting.warning(self.space),) if said]
        for mount in self.space.every_mount():
            store = self.space.store(mount)
            problems += [f"{store.label}/{each.path}: {each.reason} {each.detail}".rstrip() for each in store.contents().problems]
        return {
            "home": home.root, "readonly": home.readonly, "design": self.space.design.name,
            "design_from": self.settings.values["design"].origin, "project": self.place.main_root or self.place.real,
            "here": here, "everywhere": len(everything),
            "quarantined": sum(each.memory.status == "quarantined" for each in everything),
            "agents": dict(sorted(Counter(each.mount.agent or "shared by agents" for each in everything
                                          if each.mount.agent or each.mount.scope == "agents").items())),
            "sessions": home.records.session_counts(), "model_calls": self._calls_allowed(),
            "runs": [
                {"id": run.id, "started_at": run.started_at.isoformat(timespec="seconds"), "outcome": run.outcome,
                 "counts": dict(run.counts)}
                for run in home.journal.runs(limit=5)
            ],
            "problems": problems,
        }

    def close(self) -> None:
        """Let go of the database."""
        self.space.home.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """A session's snapshot. ``path``: where it is kept below the home, "" when it is not; ``change`` kept it."""

    snapshot: Snapshot
    path: str = ""
    change: int = 0
    distance: Distance | None = None        # to the client's compaction, where that is known

    def as_dict(self) -> dict[str, Any]:
        """For ``--json``."""
        found, far = self.snapshot, self.distance
        return {
            "host": found.host, "session": found.session, "cwd": found.cwd, "branch": found.branch, "taken": found.taken,
            "messages": found.messages, "sections": {name: list(entries) for name, entries in found.sections.items()},
            "path": self.path, "change": self.change,
            "compaction": far and {"tokens": far.tokens, "window": far.window, "starts_at": far.starts_at, "left": far.left,
                                   "percent": far.percent, "act": str(far.act)},
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a learning run did, session by session."""

    run: str
    dry_run: bool
    sessions: tuple[Learned, ...]
    adopted: Adopted | None = None      # what was taken over from files first

    def as_dict(self) -> dict[str, Any]:
        """For ``--json``."""
        return {
            "run": self.run,
            "dry_run": self.dry_run,
            "outcomes": dict(Counter(each.outcome for each in self.sessions)),
            "not_kept": dict(Counter(str(drop.reason) for each in self.sessions for drop in each.drops)),
            "sessions": [_session_dict(each) for each in self.sessions],
            "adopted": self.adopted.as_dict() if self.adopted else None,
        }


def _product_layout() -> ClaudeCode:
    """How Claude Code itself writes its folder."""
    from reverie.layouts.claude_code import ClaudeCode

    return ClaudeCode(edition="2.1", own_index=False)
@dataclass(frozen=True, slots=True, kw_only=True)
class Consolidated:
    """What a run of the two phases did."""

    run: str
    dry_run: bool
    phase1: Phase1
    phase2: Phase2 | None = None        # None: only phase 1 was asked for

    def as_dict(self) -> dict[str, Any]:
        """For ``--json``."""
        return {
            "run": self.run, "dry_run": self.dry_run, "phase1": self.phase1.as_dict(),
            "phase2": self.phase2.as_dict() if self.phase2 else None,
        }


def _session_dict(learned: Learned) -> dict[str, Any]:
    return {
        "host": learned.host, "session": learned.session, "path": learned.path, "project": learned.project,
        "outcome": learned.outcome, "detail": learned.detail, "messages": learned.messages, "user_messages": learned.said,
        "kept": [
            {"id": kept.id, "action": kept.action, "type": kept.memory.type, "name": kept.memory.name} for kept in learned.kept
        ],
        "not_kept": [{"reason": str(drop.reason), "quote": drop.quote, "message": drop.message} for drop in learned.drops],
        "skipped": learned.skipped,
    }


def as_dict(found: Found) -> dict[str, Any]:
    """One memory for ``--json``."""
    memory = found.memory
    source = memory.source
    return {
        "id": memory.id, "name": memory.name, "description": memory.description, "type": memory.type, "scope": memory.scope,
        "project": found.mount.root or memory.project, "body": memory.body, "why": memory.why,
        "how_to_apply": memory.how_to_apply, "keywords": list(memory.keywords), "status": str(memory.status),
        "confirmed": memory.confirmed, "valid_until": memory.valid_until,
        "modified_at": memory.modified_at.isoformat() if memory.modified_at else None,
        "source": {
            "by": str(source.by), "host": source.host, "session": source.session, "agent": source.agent,
            "message": source.message,
            "said_at": source.said_at.isoformat() if source.said_at else None, "rule": source.rule, "quote": source.quote,
        },
    }


def _is_project(place: Place, wanted: str) -> bool:
    """Whether a place is the project that was named by its folder's name or path."""
    root = place.main_root or place.real
    path = str(Path(wanted).expanduser().absolute()) if os.sep in wanted or wanted.startswith(("~", ".")) else ""
    return root == path if path else root.rpartition("/")[2].casefold() == wanted.casefold()


def _since(text: str, now: datetime) -> datetime:
    """A day (2026-11-01) or a number of days, hours or weeks back (7d, 12h, 2w)."""
    if match := re.fullmatch(r"(\d{1,4})([hdw])", text.strip()):
        return now - timedelta(hours=int(match[1]) * {"h": 1, "d": 24, "w": 168}[match[2]])
    try:
        day = datetime.fromisoformat(text)
    except ValueError:
        raise errors.WrongUse(f"--since {text!r} is neither a date like 2026-11-01 nor a span like 7d, 12h, 2w") from None
    return day if day.tzinfo else day.replace(tzinfo=UTC)


__all__ = ["Memory", "Report", "as_dict", "open_memory"]
