"""Dead branches, against a plain walk over the whole tree."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reverie.hosts.branches import Branches


def test_a_straight_conversation_has_no_dead_branch() -> None:
    branches = Branches()
    for index in range(100):
        branches.add(f"r{index}", f"r{index - 1}" if index else None, index * 10, prompt=index % 5 == 0)
    assert branches.dead() == []


def test_a_rewound_turn_is_dead() -> None:
    branches = Branches()
    branches.add("p1", None, 0, prompt=True)
    branches.add("a1", "p1", 10)
    branches.add("p2", "a1", 20, prompt=True)
    branches.add("a2", "p2", 30)
    branches.add("p3", "a1", 40, prompt=True)       # rewound to before p2
    branches.add("a3", "p3", 50)
    assert branches.dead() == [(20, 40)]


def test_parallel_tool_calls_are_alive_on_both_arms() -> None:
    branches = Branches()
    branches.add("p1", None, 0, prompt=True)
    branches.add("call1", "p1", 10)
    branches.add("call2", "call1", 20)
    branches.add("result1", "call1", 30)
    branches.add("result2", "call2", 40)
    branches.add("a1", "result2", 50)
    assert branches.dead() == []


def test_a_second_first_prompt_kills_everything_before() -> None:
    branches = Branches()
    branches.add("p1", None, 0, prompt=True)
    branches.add("a1", "p1", 10)
    branches.add("p2", None, 20, prompt=True, root=True)
    assert branches.dead() == [(0, 20)]


def test_a_compaction_boundary_without_parent_kills_nothing() -> None:
    branches = Branches()
    branches.add("p1", None, 0, prompt=True)
    branches.add("boundary", None, 10, leaf=False)
    branches.add("p2", "boundary", 20, prompt=True)
    assert branches.dead() == []


def test_a_lost_parent_kills_nothing() -> None:
    branches = Branches()
    branches.add("p1", None, 0, prompt=True)
    branches.add("p2", "never-written", 10, prompt=True)
    assert branches.dead() == []


def test_what_died_after_the_cut_was_handed_out() -> None:
    branches = Branches()
    branches.add("p1", None, 0, prompt=True)
    branches.add("p2", "p1", 10, prompt=True)
    branches.add("p3", "p2", 20, prompt=True)
    branches.cut()
    branches.add("p4", "p1", 30, prompt=True)
    assert branches.late() == 2
    assert branches.dead() == [(10, 30)]


@given(st.lists(st.tuples(st.integers(0, 12), st.booleans()), min_size=1, max_size=60))
def test_turns_live_as_a_walk_back_from_the_last_record_says(shape: list[tuple[int, bool]]) -> None:
    """Each record hangs on the one ``back`` records before; the walk follows turns, as the module says."""
    branches = Branches()
    parents: list[int] = []
    turn_of: list[int] = []
    turn_parent: list[int] = []
    for index, (back, prompt) in enumerate(shape):
        first = index == 0
        parent = max(0, index - 1 - back) if not first else -1
        parents.append(parent)
        above = turn_of[parent] if parent >= 0 else -1
        if prompt or first:
            turn_parent.append(above)
            turn_of.append(len(turn_parent) - 1)
        else:
            turn_of.append(above)
        branches.add(f"r{index}", f"r{parent}" if parent >= 0 else None, index, prompt=prompt or first)
    alive = set()
    turn = turn_of[-1]
    while turn >= 0:
        alive.add(turn)
        turn = turn_parent[turn]
    expected = {index for index in range(len(shape)) if turn_of[index] not in alive}
    dead = set()
    for start, end in branches.dead():
        dead |= set(range(start, end if end >= 0 else len(shape)))
    assert dead == expected
