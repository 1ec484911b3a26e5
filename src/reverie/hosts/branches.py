"""Which turns of a conversation still count, when a transcript is a tree.

Claude Code and Qwen Code only append: who rewinds leaves the old turns in the file, as a branch that nothing leads to
any more. The records name their parents, so the live path is the way back from the last record. It is followed by
*turns*, not by records: parallel tool calls fork the tree inside a turn, and both arms of that fork are alive
(observed: a tool's result hangs on the call that caused it, while the next call hangs on the call before).

Memory stays flat: a turn costs a few numbers, and of the records only the newest are remembered, with those at which a
turn began, because that is where a rewind leads.

Checked by ``tests/hosts/test_branches.py`` against a plain walk over whole trees.
"""

from __future__ import annotations

from array import array
from collections import deque

_YOUNG = 32_768         # records remembered in full, twice; a parallel call's result is never that late
_ENDS = 200_000         # ends of turns remembered, as places a rewind may lead to
_END_RECORDS = 16       # records before a prompt that belong to the end of its predecessor: notes, hooks, durations

ROOT = 0                # the turn before the first


class Branches:
    """A tree of turns, fed with records in file order."""

    def __init__(self) -> None:
        self._parent = array("q", [-1])         # of each turn
        self._starts_at = array("q", [-1])      # position of its prompt
        self._run_at = array("q")               # runs of records of one turn, in file order: where a run begins …
        self._run_of = array("q")               # … and whose it is
        self._young: dict[int, int] = {}
        self._older: dict[int, int] = {}
        self._ends: dict[int, int] = {}
        self._recent: deque[tuple[int, int]] = deque(maxlen=_END_RECORDS)
        self._last, self._last_turn = 0, ROOT
        self._leaf = ROOT                       # the turn of the last record that counts as the end of a conversation
        self._leaf_at_cut = self._turns_at_cut = -1

    def add(
        self, uuid: str, parent: str | None, position: int, *, prompt: bool = False, leaf: bool = True, root: bool = False
    ) -> None:
        """One record. ``prompt``: a person begins a turn with it. ``leaf``: the conversation may end with it. ``root``: it stands
        at the beginning of everything; other records without a parent go on where the last one was."""
        turn = ROOT if root else self._turn_of(parent)
        if prompt:
            self._remember_end(parent, turn)
            self._parent.append(turn)
            self._starts_at.append(position)
            turn = len(self._parent) - 1
        if not self._run_of or self._run_of[-1] != turn:
            self._run_at.append(position)
            self._run_of.append(turn)
        self._last, self._last_turn = hash(uuid), turn
        self._recent.append((self._last, turn))
        self._young[self._last] = turn
        if len(self._young) >= _YOUNG:
            self._older, self._young = self._young, {}
        if leaf:
            self._leaf = turn

    def _turn_of(self, parent: str | None) -> int:
        if parent is None:
            return self._leaf
        key = hash(parent)
        if key == self._last:
            return self._last_turn
        for known in (self._young, self._older, self._ends):
            found = known.get(key)
            if found is not None:
                return found
        return self._leaf           # lost or never written: nothing is taken back on such evidence

    def _remember_end(self, parent: str | None, turn: int) -> None:
        self._ends.update(self._recent)
        if parent is not None:
            self._ends[hash(parent)] = turn
        while len(self._ends) > _ENDS:
            del self._ends[next(iter(self._ends))]

    def cut(self) -> None:
        """What came before was handed out by an earlier reading."""
        self._leaf_at_cut, self._turns_at_cut = self._leaf, len(self._parent) - 1

    def _path(self, leaf: int) -> set[int]:
        path = set()
        while leaf >= 0:
            path.add(leaf)
            leaf = self._parent[leaf]
        return path

    def dead(self) -> list[tuple[int, int]]:
        """The ranges of positions, in order, whose records are on dead branches; the last one may be open (end -1)."""
        alive = self._path(self._leaf)
        if len(alive) == len(self._parent):
            return []
        ranges: list[tuple[int, int]] = []
        for index, turn in enumerate(self._run_of):
            if turn in alive:
                continue
            end = self._run_at[index + 1] if index + 1 < len(self._run_at) else -1
            if ranges and ranges[-1][1] == self._run_at[index]:
                ranges[-1] = (ranges[-1][0], end)
            else:
                ranges.append((self._run_at[index], end))
        return ranges

    def late(self) -> int:
        """How many prompts were alive when an earlier reading ended, and are dead now."""
        return len(self._path(self._leaf_at_cut) - self._path(self._leaf))

    def returned(self) -> bool:
        """Whether a turn is alive again that was dead when an earlier reading ended: someone went back to an old branch."""
        if self._leaf_at_cut < 0:
            return False
        then = self._path(self._leaf_at_cut)
        return any(turn <= self._turns_at_cut and turn not in then for turn in self._path(self._leaf))
