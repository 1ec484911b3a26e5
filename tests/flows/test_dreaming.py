"""A store is dreamt over: gates, locks, one change with a report, undo, refusal, two at once; the same in every design."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from reverie import designs, errors
from reverie.core.dream import Consolidation, Skip
from reverie.core.dream_report import Dreamed
from reverie.core.events import Cause, SessionRecord
from reverie.core.layout import Change
from reverie.core.memory import By, Memory, Source, Status
from reverie.flows import dream_locks, dreaming
from reverie.flows.dreaming import Process
from reverie.memory import Memory as Opened
from reverie.memory import open_memory

NOW = datetime(2026, 11, 5, 12, 0, tzinfo=UTC)
EVERY_DESIGN = pytest.mark.parametrize("design", designs.names())
CHECKS = "Run the checks with make check, never with plain pytest"


@dataclass
class Clock:
    now: datetime = NOW

    def __call__(self) -> datetime:
        return self.now


@dataclass
class Bedroom:
    """A home, its clock, and a process of its own."""

    home: Path
    design: str
    cwd: Path
    clock: Clock = field(default_factory=Clock)
    process: Process = field(default_factory=Process)

    def opened(self) -> Opened:
        return open_memory(self.home, design=self.design, cwd=self.cwd, environment={"HOME": str(self.cwd)}, clock=self.clock)

    def put(self, *memories: Memory, scope: str = "project") -> None:
        """Memories straight into the store, as if they had come on different days by different ways."""
        with self.opened() as memory:
            mount = memory.space.design.scoping.target(memory.place, scope)
            store = memory.space.store(mount)
            for each in memories:
                plan = store.plan(Change(put=[mount.owned(each)]), self.clock())
                edits = [*plan.edits, *memory.space.project_edit(mount)]
                memory.space.home.journal.commit(edits, cause=Cause(operation="remember", actor="user"))
                at = (each.modified_at or NOW).timestamp()
                if (Path(store.root) / plan.ids[0]).is_file():
                    os.utime(Path(store.root) / plan.ids[0], (at, at))

    def dream(self, **options: object) -> Dreamed:
        with self.opened() as memory:
            mounts = memory.space.mounts(memory.place)
            return dreaming.dream(memory.space, mounts, process=self.process, **{"force": True, **options})  # type: ignore[arg-type]

    def bodies(self) -> list[str]:
        with self.opened() as memory:
            return sorted(found.memory.body for found in memory.list() if found.memory.status is Status.ACTIVE)

    def sessions(self, number: int, *, name: str = "s") -> None:
        with self.opened() as memory:
            root = memory.place.main_root or memory.place.real
            for each in range(number):
                memory.space.home.records.record_session(
                    SessionRecord(host="codex", session=f"{name}{each}", outcome="succeeded", project=root)
                )

    def files(self) -> Mapping[str, bytes]:
        """The stores' files; without what dreams leave beside them."""
        return {name: data for name, (data, _) in self.stamped().items()}

    def stamped(self) -> Mapping[str, tuple[bytes, int]]:
        """The same with their times."""
        return {
            path.relative_to(self.home).as_posix(): (path.read_bytes(), path.stat().st_mtime_ns)
            for path in sorted((self.home / "stores").rglob("*"))
            if path.is_file() and "lock" not in path.name and path.name != "meta.json"
        }

    def lock(self) -> dream_locks.DreamLock:
        with self.opened() as memory:
            store = memory.space.store(memory.space.mounts(memory.place)[0])
            return dream_locks.of_store(memory.space.design.layout.name, store.root)


@pytest.fixture
def bedroom(tmp_path: Path) -> Callable[[str], Bedroom]:
    (tmp_path / "project").mkdir()
    return lambda design: Bedroom(tmp_path / "home", design, tmp_path / "project")


def said(body: str, days: float, *, by: By = By.USER, **values: object) -> Memory:
    at = NOW - timedelta(days=days)
    made = Memory(name=body[:40], description=body[:80], type="feedback", body=body, modified_at=at,
                  source=Source(by=by, host="codex", session=f"s{days}", message="1", said_at=at))
    return replace(made, **values)  # type: ignore[arg-type]


TWICE = (said(CHECKS, 30), said(CHECKS, 3, why="It loads the calendar first."), said("The gateway has an on-call rota", 9))


# ── every design ─────────────────────────────────────────────────────────────────────────────────────────────────────


@EVERY_DESIGN
def test_what_is_said_twice_is_said_once_and_the_second_dream_changes_nothing(bedroom: Callable[[str], Bedroom], design: str) -> None:
    room = bedroom(design)
    room.put(*TWICE)
    assert len(room.bodies()) == 3
    dreamed = room.dream()
    assert (dreamed.status, dreamed.as_dict()["deduped_entries"], dreamed.as_dict()["touched_topics"]) == ("updated", 1, ["feedback"])
    assert room.bodies() == sorted([CHECKS, "The gateway has an on-call rota"])
    with room.opened() as memory:
        [kept] = [found.memory for found in memory.list() if found.memory.body == CHECKS]
    assert kept.why == "It loads the calendar first."
    before = room.stamped()
    again = room.dream()
    assert (again.status, again.change) == ("noop", 0)
    assert room.stamped() == before


@EVERY_DESIGN
def test_undo_gives_every_byte_and_every_time_back(bedroom: Callable[[str], Bedroom], design: str) -> None:
    room = bedroom(design)
    room.put(*TWICE, said("The freeze of the gateway starts tomorrow", 4), said("zebras", 2), said("apples", 1))
    before = room.stamped()
    bytes_before = room.files()
    dreamed = room.dream()
    assert dreamed.status == "updated" and room.files() != bytes_before
    with room.opened() as memory:
        undone = memory.undo(run=dreamed.run)
    assert not undone.conflicts
    memories = {path for path in before if path.rpartition("/")[2] not in ("MEMORY.md", "memory_summary.md")}
    assert {path: room.stamped()[path] for path in memories} == {path: before[path] for path in memories}
    assert room.files() == bytes_before


@pytest.mark.parametrize("design", [name for name in designs.names() if name != "qwen-code"])
def test_contradictions_dates_and_ends_are_settled(bedroom: Callable[[str], Bedroom], design: str) -> None:
    room = bedroom(design)
    room.put(
        said("Deploys of the gateway happen on Wednesdays", 30), said("Deploys of the gateway happen on Mondays", 2),
        said("The audit of the cold store starts tomorrow", 10),
    )
    dreamed = room.dream()
    assert dreamed.status == "updated"
    assert room.bodies() == ["Deploys of the gateway happen on Mondays", "The audit of the cold store starts on 2026-10-27"]
    [store] = [each for each in dreamed.stores if each.steps]
    assert sorted(str(step.act) for step in store.steps) == ["dated", "superseded"]
    assert room.dream().status == "noop"


@pytest.mark.parametrize("design", ["reverie", "codex"])
def test_what_is_past_its_last_day_is_kept_and_no_longer_shown(bedroom: Callable[[str], Bedroom], design: str) -> None:
    room = bedroom(design)
    room.put(said("Merges are frozen for the release", 30, valid_until=date(2026, 11, 1)), said(CHECKS, 3))
    assert room.dream().status == "updated"
    with room.opened() as memory:
        assert {found.memory.body: str(found.memory.status) for found in memory.list()} == {
            "Merges are frozen for the release": "archived", CHECKS: "active"
        }
        assert "frozen" not in memory.session_block()
    assert room.dream().status == "noop"


def test_the_mechanical_one_is_the_plain_designs_and_knows_no_other_words(bedroom: Callable[[str], Bedroom]) -> None:
    pair = (said("Use npm for installing packages", 30), said("Use pnpm for installing packages", 2), said("Freeze tomorrow at six", 3))
    for design, left in (("qwen-code", 3), ("qwen-code@0.24", 2)):
        room = bedroom(design)
        room.put(*pair)
        room.dream()
        assert len(room.bodies()) == left


@EVERY_DESIGN
def test_a_rehearsal_shows_the_same_and_writes_nothing(bedroom: Callable[[str], Bedroom], design: str) -> None:
    room = bedroom(design)
    room.put(*TWICE)
    before = {path: path.read_bytes() for path in sorted((room.home / "stores").rglob("*")) if path.is_file()}
    with room.opened() as memory:
        shown = memory.dream(dry_run=True)
        assert memory.space.home.journal.runs() == []
    assert {path: path.read_bytes() for path in sorted((room.home / "stores").rglob("*")) if path.is_file()} == before
    assert (shown.status, shown.run, shown.change, shown.dry_run) == ("updated", "", 0, True)
    assert {each.waits for each in shown.stores if each.memories} == {Skip.MIN_SESSIONS}
    done = room.dream()
    assert [each.steps for each in done.stores] == [each.steps for each in shown.stores]


# ── when ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def skip(dreamed: Dreamed) -> Skip | None:
    return next(each.skip for each in dreamed.stores if each.memories)


@EVERY_DESIGN
def test_it_is_time_after_a_day_and_five_sessions(bedroom: Callable[[str], Bedroom], design: str) -> None:
    room = bedroom(design)
    room.put(said(CHECKS, 3))

    def later(**span: float) -> Skip | None:
        room.clock.now += timedelta(**span)
        return skip(room.dream(force=False))

    room.sessions(4)
    assert later() is Skip.MIN_SESSIONS
    room.sessions(1, name="t")
    assert later(minutes=9) is Skip.SCAN_THROTTLED
    assert later(minutes=1) is None
    assert later(hours=23) is Skip.MIN_HOURS
    assert later(hours=1) is Skip.MIN_SESSIONS
    room.sessions(5)                    # the same ones went on
    assert later(minutes=10) is None
    assert skip(room.dream(force=False, enabled=False)) is Skip.DISABLED
    assert skip(room.dream()) is None   # told to


def test_sessions_of_other_projects_unreadable_ones_and_this_one_do_not_count(bedroom: Callable[[str], Bedroom]) -> None:
    room = bedroom("reverie")
    room.put(said(CHECKS, 3))
    room.sessions(4)
    with room.opened() as memory:
        records, root = memory.space.home.records, memory.place.real
        records.record_session(SessionRecord(host="codex", session="other", outcome="succeeded", project="/somewhere/else"))
        records.record_session(SessionRecord(host="codex", session="bad", outcome="unreadable", project=root))
        records.record_session(SessionRecord(host="codex", session="this", outcome="succeeded", project=root))
    dreamed = room.dream(force=False, session="this")
    assert dreamed.stores[0].detail == "4 of 5 sessions since the last dream"


def test_qwen_writes_down_who_dreamt_and_does_not_dream_twice_in_a_session(bedroom: Callable[[str], Bedroom]) -> None:
    room = bedroom("qwen-code")
    room.put(*TWICE)
    room.dream(session="s-1")
    meta = (Path(room.lock().path).parent / "meta.json").read_text(encoding="utf-8")
    assert '"lastDreamAt": "2026-11-05T12:00:00.000Z"' in meta and '"lastDreamSessionId": "s-1"' in meta
    assert '"lastDreamStatus": "updated"' in meta and '"feedback"' in meta
    assert not Path(room.lock().path).exists()
    room.clock.now += timedelta(days=3)
    assert skip(room.dream(force=False, session="s-1")) is Skip.SAME_SESSION
    room.dream(session="s-2")
    assert '"lastDreamStatus": "noop"' in (Path(room.lock().path).parent / "meta.json").read_text(encoding="utf-8")


def test_claudes_lock_is_the_clock_of_the_dreams(bedroom: Callable[[str], Bedroom]) -> None:
    room = bedroom("claude-code")
    room.put(*TWICE)
    room.dream()
    path = Path(room.lock().path)
    assert path.name.endswith(".consolidate-lock")
    assert path.read_text(encoding="ascii").strip() == str(os.getpid())
    assert path.stat().st_mtime == NOW.timestamp()


@EVERY_DESIGN
def test_another_process_that_dreams_is_waited_for_an_hour(bedroom: Callable[[str], Bedroom], design: str) -> None:
    room = bedroom(design)
    room.put(*TWICE)
    path = Path(room.lock().path)
    for minutes, expected in ((59, Skip.LOCKED), (61, None)):
        path.write_text(str(os.getppid()), encoding="ascii")
        at = (NOW - timedelta(minutes=minutes)).timestamp()
        os.utime(path, (at, at))
        assert skip(room.dream()) is expected


@EVERY_DESIGN
def test_a_dead_dreamers_lock_is_taken_over(bedroom: Callable[[str], Bedroom], design: str) -> None:
    room = bedroom(design)
    room.put(*TWICE)
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    path = Path(room.lock().path)
    path.write_text(str(dead.pid), encoding="ascii")
    os.utime(path, (NOW.timestamp(), NOW.timestamp()))
    assert room.dream().status == "updated"


def test_nothing_kept_is_nothing_to_dream_about(bedroom: Callable[[str], Bedroom]) -> None:
    room = bedroom("reverie")
    assert room.dream().status == "noop"
    assert not room.home.exists()


# ── who decides ──────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass
class Scripted:
    """An agent's stand-in: hands back what it was told to, after doing what it was told to."""

    change: Callable[[Sequence[Memory]], Change]
    meanwhile: Callable[[], object] = lambda: None
    calls: int = 0
    name: str = "model:scripted"

    def consolidate(self, memories: Sequence[Memory], *, now: datetime) -> Consolidation:
        self.calls += 1
        self.meanwhile()
        return Consolidation(change=self.change(memories))


@EVERY_DESIGN
def test_an_agent_decides_behind_the_same_checks_and_its_change_is_told(bedroom: Callable[[str], Bedroom], design: str) -> None:
    room = bedroom(design)
    room.put(*TWICE)

    def rewrite(memories: Sequence[Memory]) -> Change:
        [rota] = [memory for memory in memories if "rota" in memory.body]
        lesson = Memory(name="A lesson", description="A lesson", type="project", body="Ask the rota first", scope=rota.scope,
                        project=rota.project, source=Source(by=By.MODEL))
        return Change(put=[replace(rota, body="The gateway has an on-call rota of four people"), lesson])

    with room.opened() as memory:
        dreamed = memory.dream(force=True, consolidator=Scripted(rewrite))
        [change] = memory.space.home.journal.changes(run=dreamed.run)
    assert change.cause.actor == "model:scripted"
    assert sorted(str(step.act) for each in dreamed.stores for step in each.steps) == ["added", "rewritten"]
    assert {"Ask the rota first", "The gateway has an on-call rota of four people"} < set(room.bodies())


@EVERY_DESIGN
def test_a_change_that_takes_too_much_is_refused_and_shown(bedroom: Callable[[str], Bedroom], design: str) -> None:
    room = bedroom(design)
    room.put(*(said(f"Fact {word} about the shop that is worth keeping", days) for days, word in enumerate(
        ("apple", "bridge", "candle", "dragon", "engine", "forest", "garden", "hammer"), 1)))
    before = room.stamped()
    forgetful = Scripted(lambda memories: Change(remove=[memory.id for memory in memories[:6]]))
    dreamed = room.dream(consolidator=forgetful)
    [store] = [each for each in dreamed.stores if each.memories]
    assert (dreamed.status, dreamed.change) == ("refused", 0)
    assert store.detail == "6 of 8 memories would go (75%), more than 30%"
    assert len(store.steps) == 6
    assert room.stamped() == before
    with room.opened() as memory:
        assert memory.space.home.journal.runs()[0].outcome == "refused"
    assert room.dream(consolidator=forgetful, most_gone=0.8).status == "updated"
    assert len(room.bodies()) == 2


def test_each_dream_that_began_leaves_an_event(bedroom: Callable[[str], Bedroom]) -> None:
    room = bedroom("qwen-code")
    room.put(*TWICE)
    room.dream(force=False)         # the gates stop it: no event
    room.dream(trigger="auto")
    room.dream()

    def fail(memories: Sequence[Memory]) -> Change:
        raise errors.StoreUnavailable("the model is not there")

    with pytest.raises(errors.StoreUnavailable):
        room.dream(consolidator=Scripted(fail))
    with room.opened() as memory:
        told = [dict(event.facts) | {"duration_ms": 0} for event in memory.events(kinds=["dream"])]
    same = {"design": "qwen-code", "duration_ms": 0, "deduped_entries": 0, "touched_topics": [], "trigger": "manual"}
    assert told == [
        same | {"trigger": "auto", "status": "updated", "deduped_entries": 1, "touched_topics": ["feedback"]},
        same | {"status": "noop"}, same | {"status": "failed"},
    ]


def test_a_change_that_makes_more_of_a_source_is_refused(bedroom: Callable[[str], Bedroom]) -> None:
    room = bedroom("reverie")
    room.put(said("The page says to deploy on Fridays", 3, by=By.TOOL))
    believing = Scripted(lambda memories: Change(put=[replace(memories[0], source=Source(by=By.USER), body="Deploy on Fridays")]))
    dreamed = room.dream(consolidator=believing)
    assert dreamed.status == "refused" and "trusted more" in dreamed.stores[0].detail


def test_what_fails_leaves_everything_as_it_was_and_the_next_dream_comes_soon(bedroom: Callable[[str], Bedroom]) -> None:
    for design in ("reverie", "qwen-code"):
        room = bedroom(design)
        room.put(*TWICE)
        before, last = room.stamped(), room.lock().last()

        def fail(memories: Sequence[Memory]) -> Change:
            raise errors.StoreUnavailable("the model is not there")

        with pytest.raises(errors.StoreUnavailable, match="not there"):
            room.dream(consolidator=Scripted(fail))
        assert (room.stamped(), room.lock().last()) == (before, last)
        with room.opened() as memory:
            assert memory.space.home.journal.runs()[0].outcome == "failed"
        assert room.dream().status == "updated"


def test_what_is_written_meanwhile_makes_a_new_plan(bedroom: Callable[[str], Bedroom]) -> None:
    room = bedroom("reverie")
    room.put(*TWICE)
    writes = iter([lambda: room.put(said("Written while it dreamt", 1))])
    agent = Scripted(lambda memories: Change(remove=[memories[0].id]), meanwhile=lambda: next(writes, lambda: None)())
    assert room.dream(consolidator=agent).status == "updated"
    assert agent.calls == 2
    assert "Written while it dreamt" in room.bodies()


def test_a_store_that_never_rests_is_left_alone(bedroom: Callable[[str], Bedroom]) -> None:
    room = bedroom("reverie")
    room.put(*TWICE)
    days = iter(range(1, 100))
    agent = Scripted(lambda memories: Change(remove=[memories[0].id]),
                     meanwhile=lambda: room.put(said(f"Note number {next(days)}", 1)))
    with pytest.raises(errors.StoreUnavailable, match="kept changing"):
        room.dream(consolidator=agent)
    assert len(room.bodies()) == 3 + dreaming.ATTEMPTS


def test_a_dream_that_lost_its_lock_changes_nothing(bedroom: Callable[[str], Bedroom]) -> None:
    for design in ("claude-code", "qwen-code"):
        room = bedroom(design)
        room.put(*TWICE)
        before, lock = room.files(), Path(room.lock().path)
        agent = Scripted(lambda memories: Change(remove=[memories[0].id]), meanwhile=lambda lock=lock: lock.write_text("4711"))  # type: ignore[misc]
        with pytest.raises(errors.StoreUnavailable, match="taken over"):
            room.dream(consolidator=agent)
        assert room.files() == before


# ── afterwards ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_what_went_lies_in_the_trash_and_comes_back(bedroom: Callable[[str], Bedroom]) -> None:
    room = bedroom("reverie")
    room.put(*TWICE)
    dreamed = room.dream()
    assert [(room.home / path).is_file() for path in dreamed.trashed] == [True]
    with room.opened() as memory:
        store = memory.space.store(memory.space.mounts(memory.place)[0])
        [item] = store.trashed()
        plan = store.plan_restore(item, room.clock())
        memory.space.home.journal.commit(plan.edits, cause=Cause(operation="restore", actor="user"))
    assert room.bodies().count(CHECKS) == 2


def test_why_tells_what_became_of_a_memory(bedroom: Callable[[str], Bedroom]) -> None:
    room = bedroom("reverie")
    room.put(said("Deploys of the gateway happen on Wednesdays", 30), said("Deploys of the gateway happen on Mondays", 2, name="the day"))
    room.dream()
    with room.opened() as memory:
        _, history = memory.why("feedback_the_day")
    [touched] = [touched for change in history if change.cause.operation == "dream" for touched in change.touched if "the_day" in touched.memory]
    assert touched.before == "Deploys of the gateway happen on Wednesdays"
    assert touched.rule == "dream.superseded: other_value: 'Wednesdays' became 'Mondays'"


def test_a_dream_that_was_taken_back_is_not_dreamt_again_by_itself(bedroom: Callable[[str], Bedroom]) -> None:
    room = bedroom("reverie")
    room.put(*TWICE, said("The freeze of the gateway starts tomorrow", 4))
    with room.opened() as memory:
        memory.undo(run=room.dream().run)
    room.clock.now += timedelta(days=2)
    room.sessions(5)
    assert room.dream(force=False).status == "noop"
    assert len(room.bodies()) == 4
    room.put(said(CHECKS, 1, name="once more"))         # something new about it
    assert room.dream().as_dict()["deduped_entries"] == 2


def test_new_words_for_an_old_statement_do_not_make_it_younger(bedroom: Callable[[str], Bedroom]) -> None:
    for design in ("claude-code", "reverie"):
        room = bedroom(design)
        room.put(said("The audit of the cold store starts tomorrow", 47))
        room.dream()
        with room.opened() as memory:
            [found] = memory.list()
        assert "2026-09-20" in found.memory.body
        assert found.memory.modified_at == NOW - timedelta(days=47)


@pytest.mark.parametrize("design", [name for name in designs.names() if not name.startswith("codex")])
def test_a_lost_index_is_rendered_again(bedroom: Callable[[str], Bedroom], design: str) -> None:
    room = bedroom(design)
    room.put(said(CHECKS, 3), said("The gateway has an on-call rota", 9))
    [index] = (room.home / "stores").rglob("MEMORY.md")
    wanted = sorted(index.read_text(encoding="utf-8").splitlines())
    index.unlink()
    dreamed = room.dream()
    assert (dreamed.status, dreamed.stores[0].index_rebuilt, dreamed.stores[0].steps) == ("updated", True, ())
    assert sorted(index.read_text(encoding="utf-8").splitlines()) == wanted
    assert room.dream().status == "noop"


def test_only_what_is_seen_from_here_is_touched(bedroom: Callable[[str], Bedroom], tmp_path: Path) -> None:
    """Codex keeps all projects in one folder: the labels decide."""
    (tmp_path / "elsewhere").mkdir()
    here = bedroom("codex")
    there = Bedroom(here.home, "codex", tmp_path / "elsewhere", here.clock)
    here.put(*TWICE)
    there.put(*TWICE)
    assert here.dream().status == "updated"
    assert (len(here.bodies()), len(there.bodies())) == (2, 3)
    with there.opened() as memory:
        assert memory.dream(force=True, everywhere=True).status == "updated"
    assert len(there.bodies()) == 2


def test_what_is_pinned_is_left_alone(bedroom: Callable[[str], Bedroom]) -> None:
    for design in ("qwen-code", "qwen-code@0.24"):
        room = bedroom(design)
        room.put(*TWICE[:2])
        [first, second] = [path for path in (room.home / "stores").rglob("*.md") if path.name != "MEMORY.md" and design in path.parts]
        (first.parents[1] / "pinned").mkdir()
        first.rename(first.parents[1] / "pinned" / first.name)
        room.dream()
        assert second.exists() and (first.parents[1] / "pinned" / first.name).exists()


# ── at once ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_second_dream_in_this_process_is_told_that_one_is_running(bedroom: Callable[[str], Bedroom]) -> None:
    room = bedroom("reverie")
    room.put(*TWICE)
    within, enough = threading.Event(), threading.Event()

    def linger() -> None:
        within.set()
        assert enough.wait(20)

    agent = Scripted(lambda memories: Change(), meanwhile=linger)
    thread = threading.Thread(target=room.dream, kwargs={"consolidator": agent})
    thread.start()
    assert within.wait(20)
    found = skip(room.dream())
    enough.set()
    thread.join(20)
    assert found is Skip.RUNNING
    assert skip(room.dream()) is None


@EVERY_DESIGN
def test_processes_at_once_dream_it_once(bedroom: Callable[[str], Bedroom], design: str) -> None:
    calm, busy = bedroom(design), bedroom(design)
    busy.home = calm.home.with_name("busy")
    for room in (calm, busy):
        room.put(*TWICE)
    code = (
        "import sys; from reverie import open_memory\n"
        "with open_memory(sys.argv[1], design=sys.argv[2], cwd=sys.argv[3]) as memory: print(memory.dream(force=True).status)"
    )
    command = [sys.executable, "-c", code, str(busy.home), design, str(busy.cwd)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    said_so = sorted(process.communicate(timeout=60)[0].strip() for process in running)
    assert said_so.count("updated") == 1
    assert set(said_so) <= {"updated", "noop", "skipped"}
    assert busy.bodies() == sorted([CHECKS, "The gateway has an on-call rota"])
    calm.dream()
    assert calm.bodies() == busy.bodies()


@pytest.mark.slow
def test_killed_at_random_moments_it_ends_as_if_it_had_not_been(bedroom: Callable[[str], Bedroom]) -> None:
    calm = bedroom("reverie")
    facts = [said(f"Fact number {number} about the shop: the {word} is checked by hand", 40 - number)
             for number, word in enumerate(("apple", "bridge", "candle", "dragon", "engine", "forest"))]
    calm.put(*TWICE, *facts, *(replace(fact, name=f"again {fact.name}") for fact in facts[:2]))
    source = shutil.copytree(calm.home, calm.home.with_name("source"))
    code = (
        "import sys; from reverie import open_memory\n"
        "with open_memory(sys.argv[1], design='reverie', cwd=sys.argv[2]) as memory: memory.dream(force=True)"
    )
    started = time.monotonic()
    subprocess.run([sys.executable, "-c", code, str(calm.home), str(calm.cwd)], check=True)
    whole = time.monotonic() - started
    chance, killed = random.Random(5), 0
    for number in range(10):
        room = replace(calm, home=calm.home.with_name(f"killed-{number}"))
        shutil.copytree(source, room.home)
        for _ in range(2):
            process = subprocess.Popen([sys.executable, "-c", code, str(room.home), str(room.cwd)])
            try:
                process.wait(whole * chance.uniform(0.4, 1))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                killed += 1
        subprocess.run([sys.executable, "-c", code, str(room.home), str(room.cwd)], check=True)
        assert room.files() == calm.files()
    assert killed >= 5
