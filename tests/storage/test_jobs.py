"""Jobs: each outcome of a claim, the fence, and sixteen processes that never do one job twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from reverie.errors import LeaseLost
from reverie.storage.home import Home
from reverie.storage.jobs import COOLDOWN_SECONDS, LEASE_SECONDS, RETRY_SECONDS, Claim, Job, Jobs, Refusal

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


class Clock:
    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now

    def on(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def jobs(tmp_path: Path, clock: Clock) -> Jobs:
    return Home(str(tmp_path / "home"), clock).jobs


def claim(jobs: Jobs, key: str = "one", watermark: int | None = 100, **options: Any) -> Claim | Refusal:
    return jobs.claim("extract", key, worker="w", watermark=watermark, **options)


def claimed(jobs: Jobs, key: str = "one", watermark: int | None = 100) -> Claim:
    found = claim(jobs, key, watermark)
    assert isinstance(found, Claim)
    return found


def state(jobs: Jobs, key: str = "one") -> Job:
    job = jobs.get("extract", key)
    assert job is not None
    return job


# ── claiming ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_claim_is_a_lease_with_a_token_of_its_own(jobs: Jobs) -> None:
    one, two = claimed(jobs), claimed(jobs, "two")
    assert one.token != two.token
    job = state(jobs)
    assert (job.status, job.worker, job.retry_remaining, job.input_watermark) == ("running", "w", 3, 100)
    assert job.lease_until == int(START.timestamp()) + LEASE_SECONDS


def test_a_live_lease_keeps_others_out_and_a_dead_one_does_not(jobs: Jobs, clock: Clock) -> None:
    claimed(jobs)
    clock.on(LEASE_SECONDS - 1)
    assert claim(jobs) is Refusal.RUNNING
    assert claim(jobs, watermark=200) is Refusal.RUNNING
    assert claim(jobs, force=True) is Refusal.RUNNING
    clock.on(1)
    assert claimed(jobs)


def test_what_is_done_is_done_until_the_watermark_grows(jobs: Jobs, clock: Clock) -> None:
    jobs.finish(claimed(jobs))
    clock.on(10 * LEASE_SECONDS)
    assert state(jobs).last_success_watermark == 100
    for watermark in (99, 100):
        assert claim(jobs, watermark=watermark) is Refusal.UP_TO_DATE
        assert claim(jobs, watermark=watermark, force=True) is Refusal.UP_TO_DATE
    assert claimed(jobs, watermark=101).watermark == 101


def test_a_failure_waits_an_hour_and_three_are_enough(jobs: Jobs, clock: Clock) -> None:
    for left in (2, 1, 0):
        jobs.fail(claimed(jobs), "the model did not answer")
        job = state(jobs)
        assert (job.status, job.retry_remaining, job.last_error) == ("error", left, "the model did not answer")
        if left:
            clock.on(RETRY_SECONDS - 1)
            assert claim(jobs) is Refusal.RETRY_BACKOFF
            clock.on(1)
    clock.on(100 * RETRY_SECONDS)
    assert claim(jobs) is Refusal.RETRY_EXHAUSTED


@pytest.mark.parametrize("failures", [1, 3])
def test_growth_gives_all_tries_back_at_once(jobs: Jobs, clock: Clock, failures: int) -> None:
    for _ in range(failures):
        jobs.fail(claimed(jobs), "no")
        clock.on(RETRY_SECONDS)
    clock.on(-1)
    assert claimed(jobs, watermark=101)
    assert state(jobs).retry_remaining == 3


@pytest.mark.parametrize("failures", [1, 3])
def test_whoever_asks_by_hand_need_not_wait(jobs: Jobs, clock: Clock, failures: int) -> None:
    for _ in range(failures):
        jobs.fail(claimed(jobs), "no")
        clock.on(RETRY_SECONDS)
    clock.on(-1)
    assert isinstance(claim(jobs, force=True), Claim)
    assert state(jobs).retry_remaining == (2 if failures == 1 else 3)


def test_only_so_many_of_a_kind_are_at_work(jobs: Jobs, clock: Clock) -> None:
    first, _ = claimed(jobs, "one"), claimed(jobs, "two")
    assert claim(jobs, "three", at_most_running=2) is Refusal.AT_CAPACITY
    assert jobs.get("extract", "three") is None
    assert isinstance(jobs.claim("other", "three", worker="w", watermark=1, at_most_running=2), Claim)
    jobs.finish(first)
    assert isinstance(claim(jobs, "three", at_most_running=2), Claim)
    assert claim(jobs, "one", 101, at_most_running=2) is Refusal.AT_CAPACITY
    clock.on(LEASE_SECONDS)             # those who died count no more
    assert isinstance(claim(jobs, "one", 101, at_most_running=1), Claim)


def test_an_older_look_at_the_input_takes_no_watermark_back(jobs: Jobs) -> None:
    jobs.release(claimed(jobs, watermark=200))
    found = claimed(jobs, watermark=150)
    assert state(jobs).input_watermark == 200
    jobs.finish(found)
    assert claim(jobs, watermark=200) is not Refusal.UP_TO_DATE


# ── the fence ────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("late", [
    lambda jobs, claim: jobs.finish(claim), lambda jobs, claim: jobs.fail(claim, "late"),
    lambda jobs, claim: jobs.heartbeat(claim), lambda jobs, claim: jobs.release(claim),
    lambda jobs, claim: jobs.confirm(claim),
], ids=["finish", "fail", "heartbeat", "release", "confirm"])
@pytest.mark.parametrize("after", ["taken_over", "finished"])
def test_whoever_comes_back_late_changes_nothing(
    jobs: Jobs, clock: Clock, late: Callable[[Jobs, Claim], None], after: str
) -> None:
    slow = claimed(jobs)
    clock.on(LEASE_SECONDS)
    other = claimed(jobs)
    if after == "finished":
        jobs.finish(other)
    before = state(jobs)
    with pytest.raises(LeaseLost, match="another worker"):
        late(jobs, slow)
    assert state(jobs) == before


def test_what_shall_become_true_with_a_job_does_not_without_it(jobs: Jobs, clock: Clock) -> None:
    slow = claimed(jobs)
    clock.on(LEASE_SECONDS)
    other = claimed(jobs)
    place: tuple[str, dict[str, Any]] = ("set_place", {"path": "/p", "identity": "me", "at": ""})
    with pytest.raises(LeaseLost):
        jobs.finish(slow, also=[place])
    assert jobs._database.rows("places") == []
    jobs.finish(other, also=[place])
    assert len(jobs._database.rows("places")) == 1


def test_a_lease_that_ended_unnoticed_still_counts(jobs: Jobs, clock: Clock) -> None:
    slow = claimed(jobs)
    clock.on(2 * LEASE_SECONDS)
    jobs.confirm(slow)
    jobs.finish(slow)
    assert state(jobs).status == "done"


def test_a_heartbeat_begins_the_lease_anew(jobs: Jobs, clock: Clock) -> None:
    mine = claimed(jobs)
    clock.on(LEASE_SECONDS - 10)
    jobs.heartbeat(mine)
    clock.on(LEASE_SECONDS - 10)
    assert claim(jobs) is Refusal.RUNNING


def test_what_was_given_back_is_free_and_counts_as_no_failure(jobs: Jobs, clock: Clock) -> None:
    jobs.release(claimed(jobs))
    assert state(jobs).retry_remaining == 3
    jobs.release(claimed(jobs), retry_seconds=60)
    assert claim(jobs) is Refusal.RETRY_BACKOFF
    clock.on(60)
    assert claimed(jobs)


def test_an_error_is_kept_without_its_secret_and_short(jobs: Jobs) -> None:
    jobs.fail(claimed(jobs), "401 for Bearer abcdefghijklmnop1234== " + "x" * 100_000)
    error = state(jobs).last_error or ""
    assert "[REDACTED_SECRET]" in error
    assert "abcdefghijklmnop1234" not in error
    assert len(error) <= 2_000


# ── announcing ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_what_was_announced_can_be_claimed_once_each_time(jobs: Jobs) -> None:
    assert claim(jobs, watermark=None) is Refusal.UP_TO_DATE
    for _ in range(2):
        jobs.enqueue("extract", "one")
        assert [job.key for job in jobs.due("extract")] == ["one"]
        found = claimed(jobs, watermark=None)
        assert jobs.due("extract") == []
        jobs.finish(found)
        assert claim(jobs, watermark=None) is Refusal.UP_TO_DATE
        assert jobs.due("extract") == []


def test_what_is_announced_while_somebody_is_at_it_comes_afterwards(jobs: Jobs) -> None:
    jobs.enqueue("extract", "one", 100)
    mine = claimed(jobs, watermark=None)
    jobs.enqueue("extract", "one", 100)
    assert (state(jobs).status, state(jobs).input_watermark) == ("running", 101)
    jobs.finish(mine)
    assert [job.key for job in jobs.due("extract")] == ["one"]
    assert claimed(jobs, watermark=None).watermark == 101


def test_announcing_brings_tries_back_and_ends_the_pause(jobs: Jobs, clock: Clock) -> None:
    for _ in range(3):
        jobs.fail(claimed(jobs), "no")
        clock.on(RETRY_SECONDS)
    jobs.enqueue("extract", "one", 100)
    job = state(jobs)
    assert (job.status, job.retry_at, job.retry_remaining, job.input_watermark) == ("pending", None, 3, 101)


# ── the job of which there is one ────────────────────────────────────────────────────────────────────────────────────


def global_claim(jobs: Jobs, *, force: bool = False) -> Claim | Refusal:
    return jobs.claim_global("consolidate", "codex", worker="w", force=force)


def taken(jobs: Jobs) -> Claim:
    found = global_claim(jobs)
    assert isinstance(found, Claim)
    return found


@pytest.mark.parametrize("ago, refused", [(0, True), (21_500, True), (21_599, True), (21_600, False), (21_700, False)])
def test_after_a_success_it_rests_for_six_hours(jobs: Jobs, clock: Clock, ago: int, refused: bool) -> None:
    jobs.finish(taken(jobs))
    jobs.enqueue("consolidate", "codex", 10**12)        # no watermark decides
    clock.on(ago)
    assert (global_claim(jobs) is Refusal.COOLDOWN) == refused
    assert COOLDOWN_SECONDS == 21_600


def test_without_anything_announced_it_runs_and_runs_again(jobs: Jobs, clock: Clock) -> None:
    for _ in range(3):
        found = taken(jobs)
        assert found.watermark == 0
        jobs.finish(found)
        clock.on(COOLDOWN_SECONDS)


def test_after_a_failure_it_waits_an_hour_however_often(jobs: Jobs, clock: Clock) -> None:
    for _ in range(5):
        jobs.fail(taken(jobs), "failed_agent")
        clock.on(RETRY_SECONDS - 1)
        assert global_claim(jobs) is Refusal.RETRY_BACKOFF
        clock.on(1)


def test_the_one_job_has_one_holder(jobs: Jobs, clock: Clock) -> None:
    mine = taken(jobs)
    assert global_claim(jobs) is Refusal.RUNNING
    assert global_claim(jobs, force=True) is Refusal.RUNNING
    clock.on(LEASE_SECONDS)
    taken(jobs)
    with pytest.raises(LeaseLost):
        jobs.confirm(mine)


def test_by_hand_it_rests_not(jobs: Jobs) -> None:
    jobs.finish(taken(jobs))
    found = global_claim(jobs, force=True)
    assert isinstance(found, Claim)
    jobs.fail(found, "no")
    assert isinstance(global_claim(jobs, force=True), Claim)


# ── many processes ───────────────────────────────────────────────────────────────────────────────────────────────────

WORKER = textwrap.dedent("""
    import os, sys
    from datetime import UTC, datetime
    from reverie.storage.home import Home
    from reverie.storage.jobs import Claim

    root, log, count, mode = sys.argv[1:]
    home = Home(root, lambda: datetime.now(UTC), busy_seconds=60)
    jobs = home.jobs
    record = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def said(word, key):
        os.write(record, f"{word} {key} {os.getpid()}\\n".encode())

    for number in range(int(count)):
        # every worker begins elsewhere, and all meet
        key = str((number * 7 + os.getpid()) % int(count))
        found = jobs.claim("extract", key, worker=str(os.getpid()), watermark=1, at_most_running=8)
        if isinstance(found, Claim):
            said("begin", key)
            if mode == "die":
                os.kill(os.getpid(), 9)
            running = sum(job.held(jobs.now()) for job in jobs.all("extract"))
            assert running <= 8, running
            jobs.finish(found, also=[("set_place", {"path": "/" + key, "identity": str(os.getpid()), "at": ""})])
            said("end", key)
        one = jobs.claim_global("consolidate", "all", worker=str(os.getpid()), cooldown_seconds=0)
        if isinstance(one, Claim):
            said("global", "begin")
            said("global", "end")
            jobs.finish(one)
""")


def start(root: Path, log: Path, count: int, mode: str = "work") -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", WORKER, str(root), str(log), str(count), mode],
                            stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})


def done(process: subprocess.Popen[bytes]) -> None:
    _, complaint = process.communicate(timeout=100)
    assert process.returncode == 0, complaint.decode()


def test_sixteen_processes_do_each_job_once_and_the_global_one_alone(tmp_path: Path) -> None:
    count, log = 60, tmp_path / "log"
    for process in [start(tmp_path / "home", log, count) for _ in range(16)]:
        done(process)
    for process in [start(tmp_path / "home", log, count)]:         # what was refused for want of room
        done(process)
    lines = [line.split() for line in log.read_text().splitlines()]
    begun = Counter(key for word, key, _ in lines if word == "begin")
    ended = Counter(key for word, key, _ in lines if word == "end")
    assert begun == ended == Counter(str(number) for number in range(count))
    alone = [(word, who) for kind, word, who in lines if kind == "global"]
    assert [word for word, _ in alone] == ["begin", "end"] * (len(alone) // 2)
    assert all(alone[at][1] == alone[at + 1][1] for at in range(0, len(alone), 2))
    assert len({who for _, who in alone}) > 3


def test_the_jobs_of_killed_workers_are_taken_over_when_their_lease_ends(tmp_path: Path) -> None:
    count, log, root = 40, tmp_path / "log", tmp_path / "home"
    dying = [start(root, log, count, "die") for _ in range(6)]
    for process in dying:
        process.communicate(timeout=100)
        assert process.returncode == -signal.SIGKILL
    left = Counter(line.split()[1] for line in log.read_text().splitlines())
    assert sorted(left.values()) == [1] * 6
    done(start(root, log, count))
    begun = Counter(line.split()[1] for line in log.read_text().splitlines() if line.startswith("begin"))
    assert set(begun.values()) == {1}
    later = Clock()
    later.now = datetime.fromtimestamp(time.time(), UTC) + timedelta(seconds=LEASE_SECONDS + 60)
    jobs = Home(str(root), later).jobs
    for key in left:
        mine = claimed(jobs, key, 1)
        jobs.finish(mine)
        assert claim(jobs, key, 1) is Refusal.UP_TO_DATE
