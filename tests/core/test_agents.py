"""What a sub-agent is to memory: names of folders, and the tools it must be given."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core import agents
from reverie.core.agents import Definition, granted


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("researcher", "researcher"),
        ("plug:We.ird Name", "plug-We-ird-Name"),       # spec/claude-code §9.1
        ("my-plugin:reviewer", "my-plugin-reviewer"),
        ("under_score-9", "under_score-9"),
        ("naïve日本", "na-ve--"),
        ("a😀b", "a--b"),                               # two UTF-16 units
        ("../../etc", "------etc"),
    ],
)
def test_the_products_folder_of_an_agent(name: str, folder: str) -> None:
    assert agents.folder_name(name) == folder


def test_our_folder_is_readable_and_never_anothers() -> None:
    assert agents.key("researcher") == "researcher"
    names = ["a.b", "a b", "a-b", "A-b", "a-B", "con", "nul", "-", "日本", "日本語", "x" * 100, "x" * 101, agents.key("a.b")]
    keys = [agents.key(name) for name in names]
    assert len({key.lower() for key in keys}) == len(names)
    assert agents.key("con") != "con"


@given(st.text(min_size=1, max_size=40), st.text(min_size=1, max_size=40))
def test_two_names_never_share_a_folder(one: str, other: str) -> None:
    if agents.is_name(one) and agents.is_name(other) and one != other:
        assert agents.key(one).lower() != agents.key(other).lower()
        assert agents.key(one) == agents.key(one).strip("./\\ ") != ""


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "x" * 201, "\x1b[31m", "\ud800"])
def test_what_cannot_be_a_name(name: str) -> None:
    assert not agents.is_name(name)


def _agent(*, tools: str | None = None, disallowed: str = "", memory: str = "user") -> Definition:
    return Definition(
        name="a", memory=memory, tools=None if tools is None else tuple(filter(None, tools.split())),
        disallowed=tuple(disallowed.split()),
    )


@pytest.mark.parametrize(
    ("definition", "tools", "added", "files"),
    [
        (_agent(tools="Read"), "Read Write Edit", "Write Edit", "write"),                       # spec/claude-code §9.3, #57507
        (_agent(tools="Read Bash Glob Grep"), "Read Bash Glob Grep Write Edit", "Write Edit", "write"),
        (_agent(tools="Bash"), "Bash Read Write Edit", "Read Write Edit", "write"),
        (_agent(tools=""), "Read Write Edit", "Read Write Edit", "write"),
        (_agent(tools="Read Write Edit"), "Read Write Edit", "", "write"),
        (_agent(tools="Read", disallowed="Write Edit"), "Read", "", "read"),                    # what is disallowed wins
        (_agent(tools="Read", disallowed="Write"), "Read Edit", "Edit", "write"),
        (_agent(tools="Read Write Edit", disallowed="Read"), "Write Edit", "", "nothing"),
        (_agent(tools="Read Write(docs/**)", disallowed="Edit(src/**)"), "Read Write(docs/**) Edit", "Edit", "write"),
        (_agent(tools=None), None, "", "write"),
        (_agent(tools=None, disallowed="Write Edit"), None, "", "read"),
        (_agent(tools="*"), None, "", "write"),
        (_agent(tools="Read", memory=""), "Read", "", "nothing"),
        (_agent(tools="Read", memory="forever"), "Read", "", "nothing"),
    ],
)
def test_the_tools_that_an_agent_must_be_given(definition: Definition, tools: str | None, added: str, files: str) -> None:
    grant = granted(definition)
    assert grant.tools == (None if tools is None else tuple(tools.split(" ")) if tools else ())
    assert grant.added == tuple(added.split())
    assert grant.files == files


def test_with_the_products_memory_off_nothing_is_added() -> None:
    grant = granted(_agent(tools="Read"), auto_memory=False)
    assert (grant.tools, grant.added, grant.files, grant.notes) == (("Read",), (), "nothing", ("memory_off",))


def test_a_read_only_memory_is_said() -> None:
    assert granted(_agent(tools="Read", disallowed="Write Edit")).notes == ("memory_is_read_only",)
    assert granted(_agent(tools="Grep")).notes == ("allow_list_without_Read", "allow_list_without_Write", "allow_list_without_Edit")
