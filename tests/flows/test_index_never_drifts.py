"""Between index and memories there is no drift in our stores: whatever was done by hand, the next change renders the index from
the memories (study, Claude Code §6, names the drift as a weakness of the product)."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.flows import checking
from reverie.memory import Memory, open_memory

SUBJECTS = ("hyphens", "deploys", "reviews", "releases", "backups", "alerts")
RULES = ("Always announce {} in the team channel", "Never do {} on a Friday", "{} are owned by the platform group")


def remember(memory: Memory, number: int) -> None:
    memory.remember(RULES[number % 3].format(f"{SUBJECTS[number % 6]} of service {number}"), type="feedback")


def learn(memory: Memory, number: int) -> None:
    said = f"From now on, run {SUBJECTS[number % 6]} number {number} with `make task{number}`, never by hand."
    memory.learn([("user", said), ("assistant", "Will do.")], session=f"s{number}")


def forget(memory: Memory, number: int) -> None:
    if held := memory.list():
        memory.forget(held[number % len(held)].memory.id)


def undo(memory: Memory, number: int) -> None:
    if memory.changes():
        memory.undo(last=1 + number % 2)


def dream(memory: Memory, number: int) -> None:
    memory.dream(force=True, most_removed=100)


OURS: tuple[Callable[[Memory, int], None], ...] = (remember, learn, forget, undo, dream)


def _files(memory: Memory, *, index: bool) -> list[Path]:
    found = sorted(Path(memory.space.home.root, "stores").rglob("*.md"))
    return [path for path in found if (path.name == "MEMORY.md") == index]


def edit_memory(memory: Memory, number: int) -> None:
    if files := _files(memory, index=False):
        path = files[number % len(files)]
        path.write_text(path.read_text().replace("platform", "database").replace("Friday", "Monday") + f"\nMore of {number}.\n")


def delete_memory(memory: Memory, number: int) -> None:
    if files := _files(memory, index=False):
        files[number % len(files)].unlink()


def copy_memory(memory: Memory, number: int) -> None:
    if files := _files(memory, index=False):
        path = files[number % len(files)]
        path.with_name(f"feedback_copy_{number}.md").write_bytes(path.read_bytes())


def edit_index(memory: Memory, number: int) -> None:
    for path in _files(memory, index=True):
        path.write_text("".join(path.read_text().splitlines(keepends=True)[number % 3:]) + f"- [x](x{number}.md) - by hand\n")


def delete_index(memory: Memory, number: int) -> None:
    for path in _files(memory, index=True):
        path.unlink()


HANDS: tuple[Callable[[Memory, int], None], ...] = (edit_memory, delete_memory, copy_memory, edit_index, delete_index)


def drifted(memory: Memory) -> list[str]:
    mounts = checking.mounts(memory.space, memory.place, everywhere=True)
    return [f"{mount.label}: {each.path}" for mount in mounts for each in checking.stale_index(memory.space, mount)]


@pytest.mark.slow
@pytest.mark.parametrize("design", ["reverie", "claude-code", "claude-code@2.1", "qwen-code", "qwen-code@0.24"])
@settings(max_examples=30)
@given(done=st.lists(st.tuples(st.sampled_from((*OURS, *HANDS)), st.integers(0, 11)), max_size=8))
def test_the_next_change_renders_the_index_from_the_memories(design: str, done: list[tuple[Callable[[Memory, int], None], int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "project").mkdir()
        with open_memory(Path(folder) / "home", design=design, cwd=Path(folder) / "project", environment={"HOME": folder}) as memory:
            by_hand = False
            for act, number in (*done, (remember, 99)):
                before = memory.changes(1)
                act(memory, number)
                after = memory.changes(1)
                changed = after != before and bool(after[0].paths)      # a confirmation may write no file
                by_hand = act in HANDS or (by_hand and not changed)
                if not by_hand:
                    assert drifted(memory) == [], act


@pytest.mark.parametrize(("act", "hand"), list(itertools.product((remember, learn, forget, dream), HANDS)))
def test_each_change_after_each_hand_renders_the_index(tmp_path: Path, act: Callable[[Memory, int], None],
                                                       hand: Callable[[Memory, int], None]) -> None:
    with open_memory(tmp_path / "home", cwd=tmp_path, environment={"HOME": str(tmp_path)}) as memory:
        for number in range(4):
            remember(memory, number)
        hand(memory, 1)
        assert (drifted(memory) != []) or hand is edit_memory      # of a body the index may say nothing
        before = memory.changes(1)
        act(memory, 7)
        assert memory.changes(1) == before or drifted(memory) == []
