"""The products' locks: what stands in them, who holds them, what stays when a dream is over or fails."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from reverie.core.dream import Last
from reverie.flows.dream_locks import ClaudeLock, QwenLock, of_store

NOW = datetime(2026, 11, 5, 12, 0, tzinfo=UTC)
LATER = NOW + timedelta(days=2)


def claude(folder: Path, own: int = 100, *, live: bool = True) -> ClaudeLock:
    return ClaudeLock(str(folder / ".consolidate-lock"), own=own, alive=lambda pid: live)


def qwen(folder: Path, own: int = 100, *, live: bool = True) -> QwenLock:
    return QwenLock(str(folder), own=own, alive=lambda pid: live)


def test_claudes_holds_the_process_and_its_time_is_that_of_the_dream(tmp_path: Path) -> None:
    """spec/claude-code §8: decimal, no line end while it lasts."""
    lock, other = claude(tmp_path), claude(tmp_path, 200)
    assert lock.last() == Last(at=None)
    lock.take(NOW)
    assert (tmp_path / ".consolidate-lock").read_bytes() == b"100"
    assert (lock.held(NOW), other.held(NOW), other.held(NOW + timedelta(minutes=59)), other.held(NOW + timedelta(hours=1))) == (
        False, True, True, False
    )
    assert lock.ours() and not other.ours()
    lock.done(NOW, session="s", topics=())
    assert other.last() == Last(at=NOW)
    assert not other.held(NOW), "a dream that is over holds up nobody, though its process lives on"


@pytest.mark.parametrize(("pid", "live", "held"), [(b"4711", True, True), (b"4711", False, False), (b"1", True, False)])
def test_claudes_is_judged_by_the_product_rule(tmp_path: Path, pid: bytes, live: bool, held: bool) -> None:
    path = tmp_path / ".consolidate-lock"
    path.write_bytes(pid)
    os.utime(path, (NOW.timestamp(), NOW.timestamp()))
    assert claude(tmp_path, live=live).held(NOW) == held


def test_claudes_dream_that_failed_leaves_the_time_of_the_one_before(tmp_path: Path) -> None:
    lock = claude(tmp_path)
    lock.take(NOW)
    lock.disturbed()
    assert not (tmp_path / ".consolidate-lock").exists()
    lock.take(NOW)
    lock.done(NOW, session="", topics=())
    before = (tmp_path / ".consolidate-lock").read_bytes()
    lock.take(LATER)
    lock.disturbed()
    assert lock.last() == Last(at=NOW)
    assert (tmp_path / ".consolidate-lock").read_bytes() == before


def test_qwens_is_there_only_while_it_lasts_and_notes_the_rest(tmp_path: Path) -> None:
    """spec/qwen-code §11.2, §15."""
    (tmp_path / "meta.json").write_text('{"version": 1, "createdAt": "2026-01-01T00:00:00.000Z", "other": [1]}\n')
    lock, other = qwen(tmp_path), qwen(tmp_path, 200)
    lock.take(NOW)
    assert (tmp_path / "consolidation.lock").read_bytes() == b"100"
    assert (other.held(NOW), other.held(NOW + timedelta(hours=1)), other.held(NOW + timedelta(hours=1, seconds=1))) == (True, True, False)
    lock.done(NOW, session="s-1", topics=["user"])
    assert not (tmp_path / "consolidation.lock").exists()
    assert other.last() == Last(at=NOW, session="s-1")
    assert (tmp_path / "meta.json").read_text() == (
        '{\n  "version": 1,\n  "createdAt": "2026-01-01T00:00:00.000Z",\n  "other": [\n    1\n  ],\n'
        '  "updatedAt": "2026-11-05T12:00:00.000Z",\n  "lastDreamAt": "2026-11-05T12:00:00.000Z",\n  "lastDreamSessionId": "s-1",\n'
        '  "lastDreamTouchedTopics": [\n    "user"\n  ],\n  "lastDreamStatus": "updated",\n  "recentSessionIdsSinceDream": []\n}\n'
    )


@pytest.mark.parametrize(("pid", "live", "held"), [(b"4711", True, True), (b"4711", False, False), (b"", True, False), (b"x", True, False)])
def test_qwens_is_judged_by_the_product_rule(tmp_path: Path, pid: bytes, live: bool, held: bool) -> None:
    (tmp_path / "consolidation.lock").write_bytes(pid)
    os.utime(tmp_path / "consolidation.lock", (NOW.timestamp(), NOW.timestamp()))
    assert qwen(tmp_path, live=live).held(NOW) == held


def test_qwens_lock_that_another_took_over_is_not_removed(tmp_path: Path) -> None:
    lock, other = qwen(tmp_path), qwen(tmp_path, 200)
    lock.take(NOW)
    other.take(LATER)
    lock.disturbed()
    assert other.ours()
    lock.done(NOW, session="", topics=())
    assert other.ours()


@pytest.mark.parametrize("meta", [b"", b"{", b"[]", b'{"lastDreamAt": 7}', b'{"lastDreamAt": "yesterday"}', b"\xff"])
def test_a_broken_note_says_nothing(tmp_path: Path, meta: bytes) -> None:
    """The product's dream fails for ever on it (spec/qwen-code §15)."""
    (tmp_path / "meta.json").write_bytes(meta)
    lock = qwen(tmp_path)
    assert lock.last() == Last()
    lock.take(NOW)
    lock.done(NOW, session="s", topics=())
    assert lock.last() == Last(at=NOW, session="s")


def test_the_locks_of_our_own_stores_lie_beside_them() -> None:
    root = Path("stores", "x", "projects", "shop-1234")
    for layout in ("claude-code", "codex"):
        assert Path(of_store(layout, str(root)).path) == root.with_name(".shop-1234.consolidate-lock")
    assert Path(of_store("qwen-code", str(root / "memory")).path) == root / "consolidation.lock"
