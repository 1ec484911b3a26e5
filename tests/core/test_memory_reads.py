"""Which commands read which part of a Codex memory (study, Codex §5; spec/codex §16)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.memory_reads import Kind, kind_of, kinds, paths_read

ROOT = "/home/u/.codex/memories"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (f"cat {ROOT}/MEMORY.md", (Kind.MEMORY_MD,)),
        (f"sed -n '1,200p' {ROOT}/MEMORY.md", (Kind.MEMORY_MD,)),
        (f"rg -n 'retry cap' {ROOT}/MEMORY.md", (Kind.MEMORY_MD,)),
        (f"grep -rn retry {ROOT}/rollout_summaries/", (Kind.ROLLOUT_SUMMARIES,)),
        (f"head -50 {ROOT}/memory_summary.md && tail -5 {ROOT}/raw_memories.md", (Kind.MEMORY_SUMMARY, Kind.RAW_MEMORIES)),
        (f"cat {ROOT}/skills/deploy/SKILL.md | head -20", (Kind.SKILLS,)),
        (["bash", "-lc", f"cat {ROOT}/MEMORY.md"], (Kind.MEMORY_MD,)),
        (["cat", "/x/memories_v2/memory_summary.md"], (Kind.MEMORY_SUMMARY,)),
        (f"cat {ROOT}/MEMORY.md; cat {ROOT}/MEMORY.md", (Kind.MEMORY_MD,)),
        # not plain, or something in it does more than look: nothing of it counts
        (f"cat {ROOT}/MEMORY.md && python3 x.py", ()),
        (f"cat {ROOT}/MEMORY.md > copy", ()),
        (f"cat $(ls {ROOT}/MEMORY.md)", ()),
        (f"sed -i s/a/b/ {ROOT}/MEMORY.md", ()),
        (f"rg --pre=evil x {ROOT}/MEMORY.md", ()),
        (f"cat {ROOT}/MEMORY.md &", ()),
        (f"cat '{ROOT}/MEMORY.md", ()),
        # a pattern is no path, and a listing reads nothing
        ("rg memories/MEMORY.md src", ()),
        (f"ls {ROOT}/skills/", ()),
        (f"echo {ROOT}/MEMORY.md", ()),
        ("cat README.md", ()),
        ("", ()),
        ([], ()),
    ],
)
def test_commands(command: str | list[str], expected: tuple[Kind, ...]) -> None:
    assert kinds(paths_read(command)) == expected


def test_kinds_have_the_names_of_the_study_too() -> None:
    assert [kind.study for kind in (Kind.MEMORY_MD, Kind.ROLLOUT_SUMMARIES, Kind.SKILLS)] == ["MemoryMd", "RolloutSummaries", "Skills"]


def test_windows_paths() -> None:
    assert kind_of("C:\\Users\\u\\.codex\\memories\\rollout_summaries\\a.md") is Kind.ROLLOUT_SUMMARIES


@given(st.text(alphabet="cat sed-n;|&'\"$\\/MEMORYmd.\n"))
def test_any_command_is_safe(command: str) -> None:
    assert isinstance(paths_read(command), tuple)
