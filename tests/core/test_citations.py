"""Citations in answers, exactly as Codex parses them (spec/codex §13 and §25)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core import citations
from reverie.core.citations import Entry, split

ID = "019c6e27-e55b-73d1-87d8-4e01f1f75043"
BLOCK = f"""<oai-mem-citation>
<citation_entries>
MEMORY.md:234-236|note=[short reason]
rollout_summaries/2026-02-17T21-23-02-LN3m-example.md:10-12|note=[another]
</citation_entries>
<rollout_ids>
{ID}
</rollout_ids>
</oai-mem-citation>"""


def test_a_block_is_taken_out_and_understood() -> None:
    shown, found = split(f"Five.\n\n{BLOCK}")
    assert shown == "Five.\n\n"
    assert found.entries == (
        Entry(path="MEMORY.md", first=234, last=236, note="short reason"),
        Entry(path="rollout_summaries/2026-02-17T21-23-02-LN3m-example.md", first=10, last=12, note="another"),
    )
    assert found.sessions == (ID,)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("skills/a:b/SKILL.md:3-9|note=[x]", Entry(path="skills/a:b/SKILL.md", first=3, last=9, note="x")),
        ("a.md:3-9|note=[p |note=[ q]", None),
        (" MEMORY.md : 1 - 2 |note=[ n ]", Entry(path="MEMORY.md", first=1, last=2, note="n")),
        ("MEMORY.md:5|note=[n]", None),
        ("MEMORY.md:9-2|note=[n]", Entry(path="MEMORY.md", first=9, last=2, note="n")),
        ("MEMORY.md:0-0|note=[n]", Entry(path="MEMORY.md", first=0, last=0, note="n")),
        ("MEMORY.md:1-2 note=[n]", None),
        ("MEMORY.md:1-2|note=[n", None),
        ("MEMORY.md:1-4294967295|note=[n]", Entry(path="MEMORY.md", first=1, last=4294967295, note="n")),
        ("MEMORY.md:1-4294967296|note=[n]", None),
        ("MEMORY.md:-1-2|note=[n]", None),
        ("MEMORY.md:1-2-3|note=[n]", None),
        ("MEMORY.md:١-٢|note=[n]", None),
        ("", None),
    ],
)
def test_lines(line: str, expected: Entry | None) -> None:
    assert citations.entry(line) == expected


@pytest.mark.parametrize(
    ("text", "shown", "sessions"),
    [
        pytest.param(f"a <oai-mem-citation><rollout_ids>\n{ID}\n{ID}\n</rollout_ids></oai-mem-citation> b", "a  b", (ID,), id="mid-text, once"),
        pytest.param(f"```\n<oai-mem-citation><rollout_ids>{ID}</rollout_ids></oai-mem-citation>\n```", "```\n\n```", (ID,), id="in a fence"),
        pytest.param(f"a <oai-mem-citation><rollout_ids>{ID}</rollout_ids> and on", "a ", (ID,), id="unclosed: what is complete counts"),
        pytest.param(f"a <oai-mem-citation><rollout_ids>{ID}", "a ", (), id="unclosed, and so is its span"),
        pytest.param("a <oai-mem-citation><thread_ids>\nx\n</thread_ids></oai-mem-citation>", "a ", ("x",), id="the older name"),
        pytest.param("<oai-mem-citation><rollout_ids>a b</rollout_ids></oai-mem-citation>", "", ("a b",), id="two on one line are one"),
        pytest.param("<oai-mem-citation></oai-mem-citation>", "", (), id="an empty one is still taken out"),
        pytest.param("</oai-mem-citation> text", "</oai-mem-citation> text", (), id="a closing mark alone"),
    ],
)
def test_blocks(text: str, shown: str, sessions: tuple[str, ...]) -> None:
    assert split(text)[0] == shown
    assert split(text)[1].sessions == sessions


def test_several_blocks_count_together_and_each_id_once() -> None:
    one = f"<oai-mem-citation><rollout_ids>{ID}\nx</rollout_ids></oai-mem-citation>"
    assert split(one + one)[1].sessions == (ID, "x")


def test_an_answer_of_a_million_ids_does_not_fill_the_counters() -> None:
    many = "\n".join(map(str, range(200_000)))
    found = split(f"<oai-mem-citation><rollout_ids>{many}</rollout_ids></oai-mem-citation>")[1]
    assert len(found.sessions) == citations.MOST


@given(st.text())
def test_any_text_is_safe(text: str) -> None:
    shown, found = split(text + "<oai-mem-citation>" + text)
    assert "<oai-mem-citation>" not in shown
    assert found.entries is not None
