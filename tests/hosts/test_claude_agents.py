"""Claude Code's sub-agents: which definition counts, what is passed over, where the product keeps their memory."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.agents import AgentFolder, Definition
from reverie.core.place import Place
from reverie.hosts import claude_agents, claude_folders
from reverie.hosts.claude_agents import Defined, Passed
from reverie.storage import git


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "src" / "deep").mkdir(parents=True)
    git_folder = folder / ".git"
    (git_folder / "objects").mkdir(parents=True)
    (git_folder / "refs").mkdir()
    (git_folder / "HEAD").write_text("ref: refs/heads/main\n")
    return folder


def put(folder: Path, name: str, *, file: str = "", **fields: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    lines = [f"name: {name}"] + [f"{key}: {value}" for key, value in ({"description": "does things"} | fields).items()]
    path = folder / (file or f"{name}.md")
    path.write_text("---\n" + "\n".join(lines) + "\n---\n\nYou do things.\n", encoding="utf-8")
    return path


def place_of(folder: Path) -> Place:
    return git.locate(str(folder), home=str(folder.parent / "nobody"))


def found(folder: Path, home: Path, command_line: str = "", **environment: str) -> Defined:
    return claude_agents.defined(
        place_of(folder), environment=environment, user_home=str(home), command_line=command_line, platform="none"
    )


def test_a_definition_is_read_whole(project: Path, home: Path) -> None:
    path = put(project / ".claude/agents", "researcher", tools="Read, Bash, Glob, Grep", memory="user   # kept", model="opus",
               disallowedTools="[WebFetch]")
    assert found(project, home)["researcher"] == Definition(
        name="researcher", description="does things", tools=("Read", "Bash", "Glob", "Grep"), disallowed=("WebFetch",),
        memory="user", origin="project", path=str(path),
    )


def test_the_strongest_definition_of_a_name_counts(project: Path, home: Path) -> None:
    put(home / ".claude/agents", "one", description="the user's")
    put(project / ".claude/agents", "one", description="the root's")
    nearest = put(project / "src/.claude/agents", "one", file="z.md", description="the nearest")
    agents = found(project / "src/deep", home)
    assert agents["one"] is not None
    assert (agents["one"].description, agents["one"].path) == ("the nearest", str(nearest))
    assert agents["one"].problems == ("defined_twice",)
    assert [each.reason for each in agents.passed] == ["overridden", "overridden"]
    given = found(project, home, json.dumps({"one": {"description": "the command line's", "memory": "local", "tools": ["Read"]}}))
    assert given["one"] is not None
    assert (given["one"].origin, given["one"].memory, given["one"].tools) == ("command line", "local", ("Read",))


def test_nothing_above_the_git_root_defines(project: Path, home: Path) -> None:
    put(project.parent / ".claude/agents", "above")
    assert found(project / "src", home).agents == {}


def test_the_folder_of_the_product_can_be_moved(project: Path, home: Path, tmp_path: Path) -> None:
    put(tmp_path / "cfg/agents/team", "mine")
    agents = found(project, home, CLAUDE_CONFIG_DIR=str(tmp_path / "cfg"))
    assert agents["mine"] is not None
    assert agents["mine"].origin == "user"


def test_a_plugins_agent_has_its_plugins_name(project: Path, home: Path, tmp_path: Path) -> None:
    put(tmp_path / "plug/agents", "We.ird Name", file="w.md", memory="project")
    put(tmp_path / "off/agents", "silent")
    cfg = home / ".claude"
    (cfg / "plugins").mkdir(parents=True)
    (cfg / "plugins/installed_plugins.json").write_text(json.dumps({"version": 2, "plugins": {
        "plug@market": [{"scope": "user", "installPath": str(tmp_path / "plug")}],
        "off@market": {"installPath": str(tmp_path / "off")}, "odd": [7], "": [{"installPath": "relative"}],
    }}))
    (cfg / "settings.json").write_text(json.dumps({"enabledPlugins": {"off@market": False}}))
    agents = found(project, home)
    assert list(agents.agents) == ["plug:We.ird Name"]
    definition = agents["plug:We.ird Name"]
    assert definition is not None
    where = project / ".claude/agent-memory/plug-We-ird-Name"
    where.mkdir(parents=True)
    folders = claude_folders.locate(place_of(project), environment={}, user_home=str(home), managed="/nothing")
    assert claude_agents.native(definition, folders, place_of(project)) == AgentFolder(
        host="claude-code", scope="project", path=str(where))


@pytest.mark.parametrize(
    ("memory", "remote", "where"),
    [
        ("user", False, "home/.claude/agent-memory/a"),
        ("project", False, "project/src/.claude/agent-memory/a"),       # of the directory, not of the git root
        ("local", False, "project/src/.claude/agent-memory-local/a"),
        ("user", True, "r/agent-memory/a"),
        ("local", True, "r/projects/{key}/agent-memory-local/a"),
    ],
)
def test_the_three_folders_of_the_product(project: Path, tmp_path: Path, memory: str, remote: bool, where: str) -> None:
    place = place_of(project / "src")
    home = tmp_path / "home"
    environment = {"CLAUDE_CODE_REMOTE_MEMORY_DIR": str(tmp_path / "r")} if remote else {}
    folder = tmp_path / where.format(key=claude_folders.memory_key(place))
    definition = Definition(name="a", memory=memory)
    folders = claude_folders.locate(place, environment=environment, user_home=str(home), managed="/nothing")
    assert claude_agents.native(definition, folders, place) is None         # made at the first spawn
    folder.mkdir(parents=True)
    found = claude_agents.native(definition, folders, place)
    assert found is not None
    assert (found.scope, found.path) == (memory, str(folder))


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_repository_cannot_point_at_anothers_memory(project: Path, home: Path, tmp_path: Path) -> None:
    theirs = tmp_path / "other/.claude/agent-memory/a"
    theirs.mkdir(parents=True)
    (project / ".claude/agent-memory").mkdir(parents=True)
    (project / ".claude/agent-memory/a").symlink_to(theirs)
    folders = claude_folders.locate(place_of(project), environment={}, user_home=str(home), managed="/nothing")
    assert claude_agents.native(Definition(name="a", memory="project"), folders, place_of(project)) is None
    put(tmp_path / "secret", "stolen")
    (project / ".claude/agents").symlink_to(tmp_path / "secret")
    agents = found(project, home)
    assert agents.agents == {}
    assert agents.passed == (Passed(f"{project}/.claude/agents", "leads_outside"),)


@pytest.mark.skipif(sys.platform == "win32", reason="no pipes there")
def test_what_is_passed_over_has_a_name(project: Path, home: Path) -> None:
    folder = project / ".claude/agents"
    put(folder, "fine", memory="forever", tools="Read")
    put(folder, '"bad\\nname"', file="bad.md")
    (folder / "none.md").write_text("no frontmatter at all")
    (folder / "empty.md").write_bytes(b"")
    (folder / "large.md").write_bytes(b"---\nname: large\n---\n" + b"x" * 300_000)
    (folder / "bytes.md").write_bytes(bytes(range(256)))
    (folder / "folder.md").mkdir()
    os.mkfifo(folder / "pipe.md")
    (folder / "gone.md").symlink_to(folder / "nowhere")
    (folder / "notes.txt").write_text("---\nname: text\n---\n")
    agents = found(project, home)
    assert list(agents.agents) == ["fine"]
    assert agents["fine"] is not None
    assert (agents["fine"].memory, agents["fine"].problems) == ("", ("unknown_memory",))
    assert {Path(each.path).name: each.reason for each in agents.passed} == {
        "bad.md": "bad_name", "none.md": "no_name", "empty.md": "no_name", "large.md": "too_large", "bytes.md": "no_name",
        "folder.md": "is_a_directory", "pipe.md": "not_a_plain_file", "gone.md": "dangling_symlink",
    }


def test_two_agents_in_one_folder_are_told(project: Path, home: Path) -> None:
    put(project / ".claude/agents", "a.b", memory="user")
    put(project / ".claude/agents", "a b", memory="user")
    put(project / ".claude/agents", "a-b")
    agents = found(project, home).agents
    assert {name: definition.problems for name, definition in agents.items()} == {
        "a b": ("same_folder",), "a.b": ("same_folder",), "a-b": (),
    }
    (home / ".claude/agent-memory/a-b").mkdir(parents=True)
    folders = claude_folders.locate(place_of(project), environment={}, user_home=str(home), managed="/nothing")
    assert claude_agents.native(agents["a.b"], folders, place_of(project)) is None      # whose is it?


@pytest.mark.parametrize("text", ["", "null", "[1]", "{", '{"a": 7, "": {}, "b": {"tools": 3, "memory": 9, "description": []}}'])
def test_any_command_line_is_taken(text: str) -> None:
    for definition in claude_agents.of_command_line(text):
        assert definition == Definition(
            name="b", origin="command line", problems=("no_description", "unknown_memory", "bad_tools"))


def test_an_empty_list_of_tools_is_a_list() -> None:
    [none, empty] = claude_agents.of_command_line('{"a": {"description": "x"}, "b": {"description": "x", "tools": []}}')
    assert (none.tools, empty.tools) == (None, ())
    one = claude_agents.of_file(b"---\nname: a\ntools: Agent(x, y), Read\n---\n", origin="user", path="")
    assert isinstance(one, Definition)
    assert one.tools == ("Agent(x, y)", "Read")


@given(st.binary(max_size=300))
def test_no_file_breaks_the_reader(data: bytes) -> None:
    claude_agents.of_file(b"---\nname: x\n" + data, origin="project", path="x.md")
