"""Where Claude Code keeps its memory: every row of spec/claude-code §1.1 to §1.3, §3.1 and §9.1, with real repositories."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reverie.core import place as places
from reverie.hosts import claude_folders
from reverie.hosts.claude_folders import ClaudeFolders
from reverie.storage import git as disk_git

GIT = {
    "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "Ana", "GIT_AUTHOR_EMAIL": "ana@dev.example",
    "GIT_COMMITTER_NAME": "Ana", "GIT_COMMITTER_EMAIL": "ana@dev.example",
}  # fmt: skip
Locate = Callable[..., ClaudeFolders]


def git(where: Path, *arguments: str) -> None:
    subprocess.run(["git", "-c", "protocol.file.allow=always", *arguments], cwd=where, env=GIT, check=True, capture_output=True)


def repository(path: Path) -> Path:
    path.mkdir(parents=True)
    git(path, "init", "-q")
    (path / "README").write_text("x")
    git(path, "add", "README")
    git(path, "commit", "-q", "-m", "first")
    return path


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return tmp_path.resolve()


@pytest.fixture
def locate(base: Path) -> Locate:
    """The product's folders for a directory, for a user whose home is ``base/u``."""
    (base / "u").mkdir()

    def found(cwd: Path | None = None, platform: str = "linux", **environment: str) -> ClaudeFolders:
        place = disk_git.locate(str(cwd or base / "u"))
        return claude_folders.locate(
            place, environment=environment, user_home=str(base / "u"), platform=platform, managed=str(base / "managed.json"))

    return found


def write(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def reasons(found: ClaudeFolders) -> list[str]:
    return [ignored.reason for ignored in found.ignored]


# ---- which path is the root (spec §1.2)

def test_memory_is_keyed_by_the_repository_and_transcripts_by_the_directory(base: Path, locate: Locate) -> None:
    root = repository(base / "app")
    (root / "src").mkdir()
    for cwd in (root, root / "src"):
        found = locate(cwd)
        assert found.memory == base / "u/.claude/projects" / places.claude_key(str(root)) / "memory"
        assert found.transcripts == base / "u/.claude/projects" / places.claude_key(str(cwd))
        assert (found.memory_why, found.trusted, found.enabled, found.ignored) == ("default", True, True, ())


def test_outside_git_a_directory_and_the_one_in_it_are_strangers(base: Path, locate: Locate) -> None:
    (base / "x/inner").mkdir(parents=True)
    assert locate(base / "x").memory != locate(base / "x/inner").memory
    assert locate(base / "x/inner").memory.parent.name == places.claude_key(str(base / "x/inner"))


@pytest.mark.parametrize("where", ["beside", "app/.worktrees/a"])
def test_a_linked_worktree_has_the_memory_of_the_main_one(base: Path, locate: Locate, where: str) -> None:
    root = repository(base / "app")
    git(root, "worktree", "add", "-q", str(base / where), "-b", "side")
    found = locate(base / where)
    assert found.memory == locate(root).memory
    assert found.transcripts.name == places.claude_key(str(base / where))


def test_a_worktree_of_a_bare_repository_is_keyed_by_that(base: Path, locate: Locate) -> None:
    root = repository(base / "app")
    git(base, "clone", "-q", "--bare", str(root), str(base / "app.git"))
    git(base / "app.git", "worktree", "add", "-q", str(base / "tree"), "-b", "side")
    assert locate(base / "tree").memory.parent.name == places.claude_key(str(base / "app.git"))


def test_a_submodule_and_a_nested_repository_are_their_own(base: Path, locate: Locate) -> None:
    outer, library = repository(base / "outer"), repository(base / "library")
    git(outer, "submodule", "add", "-q", str(library), "vendored")
    nested = repository(outer / "nested")
    for cwd in (outer / "vendored", nested):
        assert locate(cwd).memory.parent.name == places.claude_key(str(cwd))


def test_a_link_is_resolved(base: Path, locate: Locate) -> None:
    root = repository(base / "app")
    (base / "link").symlink_to(root)
    assert locate(base / "link").memory == locate(root).memory
    assert locate(base / "link").transcripts == locate(root).transcripts


# ---- what moves it (spec §1.3)

def test_the_environment_names_the_folder_itself(base: Path, locate: Locate) -> None:
    write(base / "u/.claude/settings.json", {"autoMemoryDirectory": str(base / "chosen")})
    found = locate(CLAUDE_COWORK_MEMORY_PATH_OVERRIDE=str(base / "other"), CLAUDE_CODE_REMOTE_MEMORY_DIR=str(base / "r"))
    assert (found.memory, found.memory_why) == (base / "other", "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param("/srv/notes", "/srv/notes", id="absolute"),
        pytest.param("/srv/./notes/../other/", "/srv/other", id="untidy"),
        pytest.param("~/notes", "{home}/notes", id="in the home folder"),
        pytest.param("~/../{name}/notes", "{home}/notes", id="out of the home folder and in again"),
    ],
)
def test_a_setting_names_the_folder(base: Path, locate: Locate, value: str, expected: str) -> None:
    write(base / "u/.claude/settings.json", {"autoMemoryDirectory": value.format(name="u")})
    found = locate(CLAUDE_CODE_REMOTE_MEMORY_DIR=str(base / "r"))
    assert str(found.memory) == expected.format(home=base / "u")
    assert found.memory_why == f"autoMemoryDirectory in {base / 'u/.claude/settings.json'}"
    assert found.trusted


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("notes", "relative"), ("./notes", "relative"), ("../notes", "relative"), ("/", "root"), ("//", "root"), ("/a/..", "root"),
        ("~", "home"), ("~/", "home"), ("~/.", "home"), ("~/x/..", "home"), ("~ana/", "other_user"), ("~ana/notes", "other_user"),
        ("~/..", "leaves_home"), ("~/../notes", "leaves_home"), ("~/a/../../b", "leaves_home"),
        ("C:\\notes", "drive_path"), ("C:/notes", "drive_path"), ("\\\\server\\share\\x", "drive_path"),
        ("", "empty"), ("  ", "empty"), ("/a\0b", "nul"), ("~/a\0b", "nul"),
        (7, "wrong_type"), (["/srv"], "wrong_type"), (True, "wrong_type"),
    ],
)
def test_a_setting_that_the_product_refuses_is_named_and_the_default_used(
    base: Path, locate: Locate, value: Any, reason: str
) -> None:
    default = locate().memory
    write(base / "u/.claude/settings.json", {"autoMemoryDirectory": value})
    found = locate()
    assert (found.memory, found.memory_why) == (default, "default")
    assert reasons(found) == [reason]
    assert found.ignored[0].source.startswith("autoMemoryDirectory in ")


def test_the_nearer_settings_file_decides_and_the_administrator_over_all(base: Path, locate: Locate) -> None:
    root = repository(base / "app")
    chain = [base / "u/.claude/settings.json", root / ".claude/settings.json", root / ".claude/settings.local.json", base / "managed.json"]
    for number, file in enumerate(chain):
        write(file, {"autoMemoryDirectory": f"/m/{number}"})
        assert str(locate(root).memory) == f"/m/{number}"


def test_a_refused_value_of_the_strongest_file_hides_the_weaker_ones(base: Path, locate: Locate) -> None:
    root = repository(base / "app")
    write(base / "u/.claude/settings.json", {"autoMemoryDirectory": "/m/user"})
    write(root / ".claude/settings.json", {"autoMemoryDirectory": "relative"})
    assert locate(root).memory_why == "default"


def test_a_folder_that_the_repository_chose_is_trusted_when_the_user_said_so(base: Path, locate: Locate) -> None:
    root = repository(base / "app")
    write(root / ".claude/settings.json", {"autoMemoryDirectory": "/m/theirs"})
    assert not locate(root).trusted
    write(base / "u/.claude.json", {"projects": {str(root): {"hasTrustDialogAccepted": True}}})
    assert locate(root).trusted
    assert not locate(root, CLAUDE_CONFIG_DIR=str(base / "cfg")).trusted
    write(base / "cfg/.claude.json", {"projects": {str(base): {"hasTrustDialogAccepted": True}}})
    assert locate(root, CLAUDE_CONFIG_DIR=str(base / "cfg")).trusted


@pytest.mark.parametrize("state", ["[", "[]", '{"projects": 3}', '{"projects": {"x": 1}}', '{"projects": {"/": {"hasTrustDialogAccepted": 1}}}'])
def test_a_broken_file_of_state_trusts_nothing(base: Path, locate: Locate, state: str) -> None:
    write(base / "x/.claude/settings.json", {"autoMemoryDirectory": "/m/theirs"})
    write(base / "u/.claude.json", state)
    assert not locate(base / "x").trusted


def test_the_base_of_a_remote_session(base: Path, locate: Locate) -> None:
    found = locate(base / "u", CLAUDE_CODE_REMOTE_MEMORY_DIR="/r")
    key = places.claude_key(str(base / "u"))
    assert str(found.memory) == f"/r/projects/{key}/memory"
    assert found.memory_why == "CLAUDE_CODE_REMOTE_MEMORY_DIR"
    assert str(found.agent_user) == "/r/agent-memory"
    assert str(found.agent_local) == f"/r/projects/{key}/agent-memory-local"
    assert found.transcripts == base / "u/.claude/projects" / key


@pytest.mark.parametrize("name", ["CLAUDE_COWORK_MEMORY_PATH_OVERRIDE", "CLAUDE_CODE_REMOTE_MEMORY_DIR"])
@pytest.mark.parametrize(("value", "reason"), [("notes", "relative"), ("/", "root"), ("C:\\x", "drive_path"), ("~/x", "relative")])
def test_a_variable_with_a_path_that_is_none_is_ignored(locate: Locate, name: str, value: str, reason: str) -> None:
    found = locate(**{name: value})
    assert (found.memory, found.ignored) == (locate().memory, ((name, value, reason),))


def test_a_name_for_the_project_counts_only_beside_a_folder_of_configuration(base: Path, locate: Locate) -> None:
    found = locate(CLAUDE_CODE_PROJECT_DIR_NAME="mine", CLAUDE_CONFIG_DIR=str(base / "cfg"))
    assert found.memory == base / "cfg/projects/mine/memory"
    assert found.transcripts == base / "cfg/projects/mine"
    assert found.memory_why == "CLAUDE_CODE_PROJECT_DIR_NAME with CLAUDE_CONFIG_DIR"
    alone = locate(CLAUDE_CODE_PROJECT_DIR_NAME="mine")
    assert (alone.memory, reasons(alone)) == (locate().memory, ["needs_CLAUDE_CONFIG_DIR"])


@pytest.mark.parametrize("name", ["../x", "a/b", "..", ".", "a\\b", "a\0b", "---"])
def test_a_name_that_would_lead_elsewhere_is_ignored(base: Path, locate: Locate, name: str) -> None:
    found = locate(CLAUDE_CODE_PROJECT_DIR_NAME=name, CLAUDE_CONFIG_DIR=str(base / "cfg"))
    assert (found.memory.parent.name, reasons(found)) == (places.claude_key(str(base / "u")), ["not_a_name"])


def test_the_folder_of_configuration_moves_everything(base: Path, locate: Locate) -> None:
    write(base / "cfg/settings.json", {"autoMemoryEnabled": False})
    found = locate(CLAUDE_CONFIG_DIR=str(base / "cfg"))
    assert found.config_dir == base / "cfg"
    assert found.memory.is_relative_to(base / "cfg/projects")
    assert found.agent_user == base / "cfg/agent-memory"
    assert (found.memory_why, found.enabled) == ("CLAUDE_CONFIG_DIR", False)


def test_memory_of_sub_agents_is_of_the_very_directory(base: Path, locate: Locate) -> None:
    root = repository(base / "app")
    (root / "src").mkdir()
    found = locate(root / "src")
    assert found.agent_user == base / "u/.claude/agent-memory"
    assert found.agent_project == root / "src/.claude/agent-memory"
    assert found.agent_local == root / "src/.claude/agent-memory-local"


# ---- Windows, from anywhere

def windows(**environment: str) -> ClaudeFolders:
    return claude_folders.locate(
        places.make("C:\\Users\\name\\app"), environment=environment, user_home="C:\\Users\\name", platform="win32",
        managed="/nowhere")


def test_a_drive_letter_stays_in_the_key() -> None:
    assert windows().memory.as_posix() == "C:/Users/name/.claude/projects/C--Users-name-app/memory"


@pytest.mark.parametrize(
    ("value", "path", "reason"),
    [
        ("D:\\notes", "D:/notes", ""), ("~\\notes", "C:/Users/name/notes", ""), ("~/notes", "C:/Users/name/notes", ""),
        ("D:\\", "", "root"), ("/notes", "", "relative"), ("D:notes", "", "relative"), ("~\\..\\x", "", "leaves_home"),
        ("\\\\server\\share\\x", "", "network_path"), ("//server/share/x", "", "network_path"),
    ],
)
def test_a_setting_on_windows(value: str, path: str, reason: str) -> None:
    assert claude_folders.directory(value, user_home="C:\\Users\\name", windows=True) == (path, reason)


# ---- on or off (spec §3.1)

@pytest.mark.parametrize(
    ("environment", "user", "project", "on"),
    [
        ({}, None, None, True),
        ({}, False, None, False),
        ({}, False, True, True),
        ({}, True, False, False),
        ({"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1"}, True, None, False),
        ({"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "true"}, None, None, False),
        ({"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "yes"}, None, None, False),
        ({"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "0"}, False, None, True),
        ({"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "false"}, False, None, True),
        ({"CLAUDE_CODE_DISABLE_AUTO_MEMORY": ""}, False, None, False),
        ({"CLAUDE_CODE_DISABLE_AUTO_MEMORY": ""}, None, None, True),
        ({"CLAUDE_CODE_SIMPLE": "1"}, True, None, False),
        ({"CLAUDE_CODE_SIMPLE": "1", "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "0"}, None, None, False),
        ({"CLAUDE_CODE_SIMPLE": "0"}, None, None, True),
        ({"CLAUDE_CODE_REMOTE": "1"}, None, None, False),
    ],
)
def test_the_switches(
    base: Path, locate: Locate, environment: dict[str, str], user: bool | None, project: bool | None, on: bool
) -> None:
    for value, file in ((user, base / "u/.claude/settings.json"), (project, base / "x/.claude/settings.json")):
        if value is not None:
            write(file, {"autoMemoryEnabled": value})
    (base / "x").mkdir(exist_ok=True)
    assert locate(base / "x", **environment).enabled is on


def test_a_switch_says_where_it_stands(base: Path, locate: Locate) -> None:
    write(base / "u/.claude/settings.json", {"autoMemoryEnabled": False})
    assert locate().enabled_why == f"autoMemoryEnabled in {base / 'u/.claude/settings.json'}"
    assert locate(CLAUDE_CODE_REMOTE="1").enabled_why == "CLAUDE_CODE_REMOTE"


def test_a_switch_of_another_type_is_named_and_the_next_file_asked(base: Path, locate: Locate) -> None:
    write(base / "u/.claude/settings.json", {"autoMemoryEnabled": False})
    write(base / "x/.claude/settings.json", {"autoMemoryEnabled": "true"})
    found = locate(base / "x")
    assert (found.enabled, reasons(found)) == (False, ["wrong_type"])


# ---- files that are no settings

def test_settings_that_cannot_be_read_are_named_and_change_nothing(base: Path, locate: Locate) -> None:
    default = locate(base / "u")
    file = base / "u/.claude/settings.json"
    for content, reason in (
        ("{", "broken_json"), ("[" * 100_000, "broken_json"), ("[]", "not_an_object"), ("\0", "broken_json"),
        ("null", "not_an_object"), (" " * (5 << 20), "too_large"),
    ):
        write(file, content)
        found = locate(base / "u")
        assert (found.memory, found.enabled, reasons(found)) == (default.memory, True, [reason]), content[:20]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_in_place_of_settings_does_not_hang(base: Path, locate: Locate) -> None:
    (base / "u/.claude").mkdir()
    os.mkfifo(base / "u/.claude/settings.json")
    assert reasons(locate()) == ["not_a_plain_file"]


def test_a_folder_and_a_dead_link_in_place_of_settings(base: Path, locate: Locate) -> None:
    (base / "u/.claude/settings.json").mkdir(parents=True)
    (base / "x/.claude").mkdir(parents=True)
    (base / "x/.claude/settings.json").symlink_to(base / "nothing")
    assert reasons(locate(base / "x")) == ["dangling_symlink", "is_a_directory"]


def test_an_empty_file_and_a_mark_at_its_beginning_are_fine(base: Path, locate: Locate) -> None:
    write(base / "u/.claude/settings.json", "")
    write(base / "x/.claude/settings.json", '\ufeff{"autoMemoryEnabled": false}')
    found = locate(base / "x")
    assert (found.enabled, found.ignored) == (False, ())


def test_a_directory_that_is_gone_still_has_folders(base: Path, locate: Locate) -> None:
    assert locate(base / "gone").memory.parent.name == places.claude_key(str(base / "gone"))


def test_looking_changes_nothing(base: Path, locate: Locate) -> None:
    before = sorted(base.rglob("*"))
    locate(base / "u", CLAUDE_CODE_REMOTE_MEMORY_DIR=str(base / "r"))
    assert sorted(base.rglob("*")) == before
