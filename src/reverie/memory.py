"""Every way into a memory, on one page. ``open_memory`` is the only place where the parts are wired together."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
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
from reverie.wiring.models import Models
from reverie.wiring.reports import Consolidated, Report, Taken, as_dict
from reverie.wiring.setup import Setup

if TYPE_CHECKING:
    from reverie.axes.reminding import Folder
    from reverie.core.agents import Agent
    from reverie.core.checkup import Checked
    from reverie.core.compaction import Distance
    from reverie.core.dream import Consolidator
    from reverie.core.dream_report import Dreamed
    from reverie.core.events import ChangeRecord, Undone
    from reverie.core.model import Model
    from reverie.core.profile import Profile
    from reverie.core.recall import Result
    from reverie.core.switch import Switch
    from reverie.core.team import Finding, Synced, Waiting
    from reverie.flows.adopted import Adopted
    from reverie.flows.adopting import Hand
    from reverie.flows.agent_access import AgentAccess
    from reverie.flows.compaction import Kept
    from reverie.flows.delivering import Turn
    from reverie.flows.extracting import Extracted
    from reverie.flows.filing import Files
    from reverie.flows.learning import Learned
    from reverie.flows.mending import Mended
    from reverie.flows.metering import Metered
    from reverie.flows.responding import Responded
    from reverie.hosts.agents_md import Found as Instructed
    from reverie.settings import Settings
    from reverie.wiring.subagents import Subagents


def open_memory(
    home: str | Path | None = None,
    *,
    design: str | None = None,
    cwd: str | Path | None = None,
    environment: Mapping[str, str] | None = None,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    model: Model | None = None,
    background: bool = False,
    wait_seconds: float | None = None,
) -> Memory:
    """Open a memory; nothing is created before something is written.

    ``home``: where everything is kept (default ``$REVERIE_HOME``, else ``~/.reverie``). ``cwd``: the directory whose project
    is meant (default: the current one). ``model``: the language model for whatever uses one, in place of those that the
    settings name. ``background``: nobody asked for what will be done (a worker, a hook), so the switch against such calls
    holds. ``wait_seconds``: no longer is waited for another process that changes the same home. Raises ``WrongUse`` for an
    unknown design, ``StoreUnavailable`` for a home that cannot be opened.
    """
    environment = os.environ if environment is None else environment
    root = settings.expanded(home) if home is not None else settings.home_of(environment)
    values = settings.load(root, environment)
    chosen = designs.named(design or values["design"])
    if chosen.layout.name == "qwen-code":
        chosen = designs.placed(chosen, values["qwen.placement"])
    kept = (Home(str(root.absolute()), clock) if wait_seconds is None else
            Home(str(root.absolute()), clock, lock_seconds=wait_seconds, busy_seconds=wait_seconds))
    space = Space(kept, chosen, user_home=settings.user_home_of(environment),
                  team_is_on=_team_is_on(values.values["team.enabled"], environment))
    seen_from = settings.expanded(cwd).absolute() if cwd is not None else _cwd()
    return Memory(Setup(
        space=space, settings=values, cwd=str(seen_from), environment=environment, model=model, background=background,
    ))


def _team_is_on(setting: settings.Setting, environment: Mapping[str, str]) -> Callable[[Space, Place], bool]:
    def is_on(space: Space, place: Place) -> bool:
        from reverie.flows import team_switch

        return team_switch.is_on(
            space, place, chosen=setting.value, from_environment=setting.origin.startswith("REVERIE_"), environment=environment
        )

    return is_on


def _cwd() -> Path:
    try:
        return Path.cwd()
    except OSError:     # the directory was removed under us
        raise errors.WrongUse("the current directory is gone; name one with --cwd") from None


class Memory:
    """A memory as seen from one directory, in one design. Use it as a context manager, or ``close`` it."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.models = Models(setup)

    @property
    def space(self) -> Space:
        """The design's stores in this home."""
        return self.setup.space

    @property
    def cwd(self) -> str:
        """The directory that it is seen from."""
        return self.setup.cwd

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment's variables, as this memory was opened with them."""
        return self.setup.environment

    @property
    def settings(self) -> Settings:
        """The settings, and where each came from."""
        return self.setup.settings

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

    def recall(self, prompt: str, *, limit: int | None = None, agent: str = "", tools: Sequence[str] = ()) -> list[Result]:
        """What a prompt needs, best first; an empty list when nothing is relevant. ``agent``: what this sub-agent may see.
        ``tools``: those that the session has used, the last one last; `qwen-code@0.24` leaves out what only tells their use."""
        if agent:
            from reverie.flows import agents

            return agents.recall(
                self.space, self.place, self.subagents.agent(agent), prompt, documents=limit or self.settings["recall.documents"],
                characters=self.settings["recall.characters"],
            )
        from reverie.wiring import recalling

        documents = limit or self.settings["recall.documents"]
        return recalling.recall(self.setup, self.models, prompt, documents=documents, tools=tools).results

    def turn(self, prompt: str, *, delivered: set[str] | None = None, tools: Sequence[str] = ()) -> Turn:
        """The recall of a turn, delivered as it comes: with the prompt, or with the next tool's result when a model chose later.
        ``delivered``: what the session was given so far; it grows, so hand the same set to each of its turns. ``tools`` as in
        ``recall``."""
        from reverie.wiring import recalling

        given = set[str]() if delivered is None else delivered
        documents = self.settings["recall.documents"]
        return recalling.turn(self.setup, self.models, prompt, delivered=given, documents=documents, tools=tools)

    def recall_block(self, prompt: str, *, agent: str = "") -> str:
        """What goes with a prompt to the model, "" when nothing is relevant."""
        return reading.recall_block(self.space, self.recall(prompt, agent=agent))

    def prompt_block(self, prompt: str, *, session: str = "", first: bool = False) -> str:
        """What goes with a prompt of this session: of what is recalled, that which it was not shown yet as it is now; "" for
        nothing. ``first``: the session's block goes with it, where the session has it not before it: at its first prompt,
        and at the first one after a compaction."""
        from reverie.flows.shown import Shown
        from reverie.wiring import recalling

        shown = Shown(self.space.home, self.space.design.name, session)
        parts = []
        if first and not shown.block:
            parts.append(self.session_block(session))
            shown.add_block()
        started = time.perf_counter()
        found = recalling.recall(self.setup, self.models, prompt, documents=self.settings["recall.documents"])
        results = shown.fresh(found.results)
        recalling.delivered(self.setup, found, results, started)
        shown.add(results)
        parts.append(reading.recall_block(self.space, results))
        shown.keep()
        self._keep_shortcut()
        return "\n\n".join(part for part in parts if part)

    def _keep_shortcut(self) -> None:
        """The next prompt here may go the short way, if nothing has changed until then."""
        from reverie.flows import shortcut

        sources, labels = reading.sources(self.space, self.place)
        if sources and self.settings["recall.strategy"] == "heuristic":
            shortcut.keep(
                self.space, cwd=self.cwd, environment=self.environment, sources=sources, labels=labels,
                documents=self.settings["recall.documents"], characters=self.settings["recall.characters"],
            )

    def has_block(self, session: str) -> bool:
        """Whether a session was given its block already."""
        return bool(session) and self.space.home.records.frozen(session, self.space.design.name) is not None

    def compacted(self, session: str) -> None:
        """The conversation of a session was summarised or cleared: what it was shown is shown again when it is needed."""
        from reverie.flows.shown import Shown

        shown = Shown(self.space.home, self.space.design.name, session)
        shown.clear()
        shown.keep()

    # ── learning ─────────────────────────────────────────────────────────────────────────────────────────────────

    def learn(
        self,
        conversation: Iterable[tuple[str, str]] | None = None,
        *,
        session: str = "",
        hosts: Sequence[str] = (),
        paths: Sequence[str] = (),
        sessions: Collection[str] = (),
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
        own session files: all that are found below the home folder, or those that the options leave (``sessions``: with these
        ids).

        ``model``: which language model reads them, "none" for the rules; default: that of the flow "extract", else the rules.
        ``most_tokens``: more are not spent. A rehearsal asks a model only if it is named here: it costs as any other does.
        Raises ``ModelFailed`` when the model cannot be asked further; what was learned until then is kept.
        """
        from reverie.wiring import learning

        return learning.learn(
            self.setup, self.models, conversation, session=session, hosts=hosts, paths=paths, wanted=sessions,
            agents_home=agents_home, since=since, project=project, dry_run=dry_run, model=model, most_tokens=most_tokens,
            on_start=on_start, on_session=on_session,
        )

    def extract(
        self, source: str | Iterable[tuple[str, str]], *, session: str = "", model: str = "", trigger: str = "auto",
        dream: bool = True,
    ) -> Responded:
        """What comes after a response: extract what is new in its session (a transcript's path, a session's id, or the
        conversation so far as (speaker, text) pairs with its ``session``), then dream if it is time. Why it was not done is a
        name in the answer. ``model`` as in ``learn``; ``trigger``: "auto" or "manual".
        """
        from reverie.wiring import responding

        done, session = responding.extract(self.setup, self.models, source, session=session, model=model, trigger=trigger)
        if dream and done.status == "completed" and self.settings["dream.enabled"]:
            self.dream(session=session, trigger="auto")
        return done

    # ── after a turn ─────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def background_off(self) -> str:
        """What forbids that a worker is started by itself, "" when nothing does. What waits is then learned by ``learn``."""
        if self.switch.every:
            return self.switch.every
        setting = self.settings.values["background.enabled"]
        return "" if setting.value else f"background.enabled = 0 (from {setting.origin})"

    def announce(self, *, host: str, session: str, transcript: str = "") -> bool:
        """A session here has something new (``transcript`` "": to be found by its id); whether a worker is wanted for it. Raises
        ``StoreUnavailable``."""
        from reverie.wiring import background

        return background.announce(self.setup, host=host, session=session, transcript=transcript)

    def work(self, *, is_over: Callable[[], bool] = lambda: False) -> int:
        """Be the worker: learn the sessions that were announced, project by project, and look after what came of it, until
        nothing is due or ``is_over``. How many sessions were looked at; 0 where another worker is at it."""
        from reverie.wiring import background

        return background.work(self.setup, Memory, is_over=is_over)

    def written(self, path: str, *, host: str, session: str) -> tuple[str, str]:
        """An agent wrote this file (absolute) with its own tools. A memory of ours is adopted; what the agent must be told of an
        index that grows too large is the first answer. The second is what to ``announce`` as the transcript when the
        file is one of its product's own folder, which a worker adopts."""
        from reverie.wiring import background

        return background.written(self, path, host=host, session=session)

    # ── what others wrote ────────────────────────────────────────────────────────────────────────────────────────

    def adopt(
        self, *, own: bool = True, native: bool | Collection[str] = True, everywhere: bool = False, dry_run: bool = False,
        agents_home: str | None = None, hand: Hand | None = None, only: Collection[str] | None = None,
    ) -> Adopted:
        """Take over what an agent or a person wrote with ordinary file tools: into our stores (``own``), and into Claude
        Code's and Qwen Code's own memory folders (``native``: both, none, or which), which are only read. Of this project, or of
        ``everywhere``. File by file.

        ``hand`` says who wrote, when the caller knows; ``only`` names the files (absolute paths in our stores) that are meant.
        ``agents_home`` stands for the user's home folder; then the environment is not asked.
        """
        from reverie.wiring import adopting

        return adopting.adopt(
            self.setup, own=own, native=native, everywhere=everywhere, dry_run=dry_run, agents_home=agents_home, hand=hand,
            only=only,
        )

    def _catch_up(self, *, everywhere: bool = False) -> None:
        from reverie.wiring import adopting

        adopting.catch_up(self.setup, everywhere=everywhere)

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
        from reverie.wiring import phases

        return phases.consolidate(
            self.setup, self.models, hosts=hosts, paths=paths, agents_home=agents_home, session=session, force=force,
            dry_run=dry_run, extract_only=extract_only, most_removed=most_removed, on_start=on_start, on_session=on_session,
        )

    # ── language models ──────────────────────────────────────────────────────────────────────────────────────────

    def model(self, flow: str, *, name: str = "", run: str = "", most_tokens: int = 0) -> Metered | None:
        """The language model for a flow ("extract", "consolidate", "dream", "recall"), None when none was chosen: the default.

        Every call through it is in the ledger, within the caps, and refused where the switch forbids it (``forbidden`` says by
        what). ``name``: this one, whatever the settings say. ``run`` with ``most_tokens``: the cap of one run (0: the setting).
        Raises ``WrongUse`` for a model that is not known.
        """
        return self.models.named(flow, name=name, run=run, most_tokens=most_tokens)

    def cost(self, *, since: str | None = None, by: str = "model") -> dict[str, Any]:
        """What models were asked and what it cost, since a day or for a span back (default: this month, UTC), a line for each
        model, flow or day; what is left of the caps; what needs a look."""
        return self.models.cost(since=since, by=by)

    @property
    def switch(self) -> Switch:
        """What forbids calls of models, and which."""
        return self.models.switch

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
            self.place, environment=self.setup.environment, user_home=self.setup.user_home
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
        from reverie.wiring import learning

        self._catch_up()
        given = Remembered(name=name, type=type, why=why, how_to_apply=how_to_apply)
        if scope.startswith("agent:"):
            agent, scope = agent or scope.removeprefix("agent:"), ""
        if scope == "agents" and not agent:
            raise errors.WrongUse("what agents share is written by one of them: say which, with agent=…")
        return upkeep.remember(
            self.space, self.place, text, learning.by_rules(), given=given, scope=scope, agent=self._agent(agent)
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
        return upkeep.undo(self.space, change=change, run=run, last=last, force=force, team=self.space.team(self.place))

    def dream(
        self, *, session: str = "", force: bool = False, dry_run: bool = False, everywhere: bool = False,
        most_removed: int | None = None, consolidator: Consolidator | None = None, trigger: str = "manual",
    ) -> Dreamed:
        """Clean the stores seen from here (or all): merge what is said twice, let the later of two contradicting statements
        stand, make dates absolute, rebuild the index. A store whose time has not come is skipped by name, unless ``force``.

        ``dry_run`` shows what would be done now. ``most_removed`` (per cent; default: the setting): more is refused.
        ``consolidator``: what decides in place of the rules (``core.dream.Consolidator``). Where a model is chosen for the flow
        "dream", an agent goes on where the rules end, in a staging copy; a rehearsal asks none.
        """
        from reverie.wiring import dreaming

        if not dry_run:
            self._catch_up(everywhere=everywhere)
        return dreaming.dream(
            self.setup, self.models, session=session, force=force, dry_run=dry_run, everywhere=everywhere,
            most_removed=most_removed, consolidator=consolidator, trigger=trigger,
        )

    def profile(self, *, tokens: int = 400) -> Profile:
        """Who the user is, for any project: ``text`` for a person, ``block`` for a model, ``lines`` with their memories."""
        from reverie.flows import profiling

        return profiling.profile_of(self.space, self.place, tokens=tokens)

    # ── what a team shares ───────────────────────────────────────────────────────────────────────────────────────

    def sync(self, *, dry_run: bool = False, push: bool = True, seconds: float = 60.0) -> Synced:
        """Share the team's memory of this checkout through git, within so many seconds. Never raises for what git, a remote or
        a file says: the outcome has a name. For between sessions, never for within one."""
        from reverie.core.team import Outcome, Synced
        from reverie.flows import team, team_switch

        if self.setup.background:
            setting = self.settings.values["team.sync"]
            said = None if setting.origin.startswith("REVERIE_") else team_switch.product_says(
                self.space, self.environment, "QWEN_CODE_MEMORY_TEAM_SYNC")
            if not (setting.value if said is None else said):
                return Synced(outcome=Outcome.OFF, detail="team.sync is off", dry_run=dry_run)
        options = team.Options(push=push, dry_run=dry_run, seconds=seconds)
        return team.sync(self.space, self.place, self.environment, options)

    def team_waiting(self) -> Sequence[Waiting]:
        """What teammates wrote and no model sees until somebody has looked at it."""
        from reverie.flows import team_review

        return team_review.waiting(self.space, self.place)

    def team_decide(self, id: str, *, accept: bool) -> Waiting:
        """Accept or reject one of them, as it is now."""
        from reverie.flows import team_review

        return team_review.decide(self.space, self.place, id, accept=accept)

    def team_turn(self, *, on: bool) -> int:
        """Turn the team's memory on or off for this project; the change's id, 0 when it was so already."""
        from reverie.flows import team_switch

        if on and not self.space.design.scoping.team:
            raise errors.WrongUse(f"the design {self.space.design.name!r} has no team memory; reverie and qwen-code have")
        return team_switch.turn(self.space, self.place, on=on)

    def team_check(self, *, staged: bool = False, commits: str = "") -> Sequence[Finding]:
        """What a pre-commit hook or a CI should refuse in the teams' folders of this checkout: in the work tree, in what is
        ``staged``, or in a range of ``commits``. Asks for no home and no setting."""
        from reverie.flows import team_check

        return team_check.check(self.space, self.place, self.environment, staged=staged, commits=commits)

    def team_hook(self, text: str) -> str | None:
        """Write a pre-commit hook where the repository has none; its path, None where there is no repository."""
        from reverie.flows import team_check

        return team_check.install_hook(self.space, self.place, self.environment, text)

    # ── across sessions ──────────────────────────────────────────────────────────────────────────────────────────

    def events(
        self, *, after: str = "", since: str | None = None, kinds: Sequence[str] = (), follow: bool = False,
        wait: Callable[[float], None] = time.sleep,
    ) -> Iterator[Event]:
        """What happened, oldest first, across sessions and processes: after the event with this id, since a time ("7d"), of some
        kinds (``core.events.KINDS``). With ``follow`` it never ends by itself; ``wait`` sleeps between two looks."""
        from reverie.flows import streaming
        from reverie.wiring import sessions

        start = sessions.since(since, self.space.now()) if since else None
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
        from reverie.wiring import sessions

        job = sessions.of_session(self.setup, session)
        if job is None:
            kept = compaction.kept(self.space, session)
            return Taken(snapshot=kept.snapshot, path=kept.path)
        from reverie.hosts import usage

        found = compaction.take(job.dialect.read(job.transcript))
        path, change = compaction.write(self.space, found) if write else ("", 0)
        distance = self._distance(job.transcript.host, usage.tokens(job.transcript))
        return Taken(snapshot=found, path=path, change=change, distance=distance)

    def _distance(self, host: str, tokens: int | None) -> Distance | None:
        """How far a session is from its compaction, where the client's arithmetic is known."""
        from reverie.core import compaction

        if tokens is None or host != "claude-code":
            return None
        rules = compaction.rules(self.setup.environment)
        return compaction.distance(tokens, rules if tokens <= rules.window else compaction.rules(
            self.setup.environment, window=compaction.LONG_WINDOW))

    def before_compaction(self, transcript: str, *, host: str = "") -> str:
        """For a PreCompact hook: keeps the session's state and says, as plain text, what the summary must keep; "" for a session
        of which there is nothing to keep."""
        from reverie.flows import compaction
        from reverie.wiring import sessions

        job = sessions.of_session(self.setup, transcript, host=host)
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

        self.compacted(session)
        return compaction.after(self.space, self.place, session=session, found=compaction.of(self.space, host, session),
                                block_tokens=self.settings["block.tokens"])

    def why(self, name: str, *, agent: str = "") -> tuple[Found, Sequence[ChangeRecord]]:
        """A memory and what was done to it, oldest first."""
        found = self.read(name, agent=agent)
        return found, upkeep.history(self.space, found)

    def uses(self, found: Found) -> Sequence[Use]:
        """Every use of a memory, the latest first: by which sign, in which session."""
        return self.space.home.records.uses(f"{self.space.design.name}/{found.memory.id}")

    def credit(self, found: Found, *, host: str = "", session: str = "") -> None:
        """A memory was opened. Nothing depends on it: where nothing can be written, nothing is."""
        if not self.space.home.readonly:
            with suppress(errors.StoreUnavailable):
                self.space.home.records.credit(
                    [Use(memory=f"{self.space.design.name}/{found.memory.id}", host=host, session=session)])

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

    def for_agent(self, *, host: str = "", session: str = "") -> AgentAccess:
        """What an agent may do by itself, with tools (``entrypoints.mcp``): its word, this project's memory, nothing else."""
        from reverie.flows.agent_access import AgentAccess
        from reverie.wiring import learning

        return AgentAccess(
            self.space, self.place, extractor=learning.by_rules, catch_up=self._catch_up, host=host, session=session)

    def instructions(self) -> Instructed:
        """The instruction files (``AGENTS.md``) that count in this directory, within Codex's limits (study, Codex §1)."""
        from reverie.hosts import agents_md

        return agents_md.find(self.place, user_home=self.setup.user_home, environment=self.setup.environment)

    # ── sub-agents ───────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def subagents(self) -> Subagents:
        """The sub-agents that are defined here or have a memory, and which of them share; looked up anew each time."""
        from reverie.wiring.subagents import Subagents

        return Subagents(self.space, self.place, self.setup.environment, self.settings["agents.shared"])

    def _agent(self, name: str) -> Agent | None:
        return self.subagents.agent(name) if name else None

    # ── looking after it ─────────────────────────────────────────────────────────────────────────────────────────

    def checkup(self, *, host: str = "all", everywhere: bool = False) -> Sequence[Checked]:
        """What is wrong, folder by folder: the home and the stores ("own"), and a product's memory folder ("claude-code").

        Looks and writes nothing. ``everywhere``: of all projects, not only of the one seen from here.
        """
        from reverie.wiring import checkup

        return checkup.checkup(self.setup, host=host, everywhere=everywhere)

    def mend(self, *, host: str = "all", everywhere: bool = False, dry_run: bool = False) -> Sequence[Mended]:
        """Mend what can be mended by rule, one change of the journal for each mend; ``dry_run`` only says how.

        Writes into a product's folder, too. Raises ``StoreUnavailable`` while somebody dreams there.
        """
        from reverie.wiring import checkup

        return checkup.mend(self.setup, host=host, everywhere=everywhere, dry_run=dry_run)

    # ── about itself ─────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def place(self) -> Place:
        """Which project the directory belongs to."""
        return self.setup.place

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
        from reverie.wiring import background

        at_work, said_of_it = background.status(self)
        problems += said_of_it
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
            "team": self._team_status(),
            "background": at_work, "sessions": home.records.session_counts(), "model_calls": self.models.allowed(),
            "runs": [
                {"id": run.id, "started_at": run.started_at.isoformat(timespec="seconds"), "outcome": run.outcome,
                 "counts": dict(run.counts)}
                for run in home.journal.runs(limit=5)
            ],
            "problems": problems,
        }

    def _team_status(self) -> str:
        """Whether the team's memory is on here, in a line."""
        scoping = self.space.design.scoping
        if not scoping.team or not self.place.root or not self.space.team_is_on(self.space, self.place):
            return "off"
        refused = self.space.team_refused(self.place)
        return f"refused: {refused}" if refused else f"on, in {scoping.team}/"

    def close(self) -> None:
        """Let go of the database."""
        self.space.home.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


__all__ = ["Consolidated", "Memory", "Report", "Taken", "as_dict", "open_memory"]
