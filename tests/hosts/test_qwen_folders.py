"""Where Qwen Code keeps its memory: every row of the specification (spec/qwen-code §2), by its own rules."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reverie.core import place as places
from reverie.core.place import Place
from reverie.hosts import qwen_folders
from reverie.hosts.qwen_folders import QwenFolders

HOME = "/home/ana"


def at(cwd: str, *, root: str = "", main: str = "", home: str = HOME, platform: str = "linux", **environment: str) -> QwenFolders:
    place = places.make(cwd, root=root, main_root=main or root) if root else places.make(cwd)
    return qwen_folders.locate(place, environment=environment, user_home=home, platform=platform)


@pytest.mark.parametrize(
    ("cwd", "root", "memory", "chats"),
    [
        ("/srv/app", "/srv/app", "-srv-app", "-srv-app"),
        ("/srv/app/pkg/api", "/srv/app", "-srv-app", "-srv-app-pkg-api"),
        ("/home/ana/My Repo_1.x", "", "-home-ana-My-Repo-1-x", "-home-ana-My-Repo-1-x"),
        ("/tmp/x/y", "", "-tmp-x-y", "-tmp-x-y"),
        ("/w/é😀", "", "-w----", "-w----"),
    ],
)
def test_the_projects_key_is_the_checkouts_and_the_chats_the_directorys(cwd: str, root: str, memory: str, chats: str) -> None:
    found = at(cwd, root=root)
    assert found.memory.as_posix() == f"{HOME}/.qwen/projects/{memory}/memory"
    assert found.state.as_posix() == f"{HOME}/.qwen/projects/{memory}"
    assert found.chats.as_posix() == f"{HOME}/.qwen/projects/{chats}/chats"
    assert found.user.as_posix() == f"{HOME}/.qwen/memories"
    assert found.team.as_posix() == f"{root or cwd}/.qwen/team-memory"
    assert (found.memory_why, found.enabled) == ("default", True)


def test_a_linked_worktree_has_a_memory_of_its_own() -> None:
    assert at("/srv/app-wt", root="/srv/app-wt", main="/srv/app").state.name == "-srv-app-wt"


def test_on_windows_the_key_is_lower_case() -> None:
    assert at("C:/Users/Ana/My Repo", platform="win32").state.name == "c--users-ana-my-repo"


def test_the_base_directory_moves_memory_and_state_and_not_the_chats() -> None:
    found = at("/srv/app", root="/srv/app", QWEN_CODE_MEMORY_BASE_DIR="~/mem")
    assert found.memory.as_posix() == f"{HOME}/mem/projects/-srv-app/memory"
    assert found.user.as_posix() == f"{HOME}/mem/memories"
    assert found.chats.as_posix() == f"{HOME}/.qwen/projects/-srv-app/chats"
    assert found.memory_why == "QWEN_CODE_MEMORY_BASE_DIR"


@pytest.mark.parametrize("variable", ["QWEN_RUNTIME_DIR", "QWEN_HOME"])
def test_the_runtime_and_the_home_move_everything(variable: str) -> None:
    found = at("/srv/app", root="/srv/app", **{variable: "/data/q"})
    assert (found.memory.as_posix(), found.chats.as_posix(), found.user.as_posix()) == (
        "/data/q/projects/-srv-app/memory", "/data/q/projects/-srv-app/chats", "/data/q/memories")
    assert found.memory_why == variable


def test_the_first_of_three_bases_that_says_something_decides(tmp_path: Path) -> None:
    (tmp_path / ".qwen").mkdir()
    (tmp_path / ".qwen/settings.json").write_text(json.dumps({"advanced": {"runtimeOutputDir": "/set"}}), encoding="utf-8")
    home = str(tmp_path)
    assert at("/a", home=home).user.as_posix() == "/set/memories"
    assert at("/a", home=home, QWEN_RUNTIME_DIR="/run").user.as_posix() == "/run/memories"
    both = at("/a", home=home, QWEN_RUNTIME_DIR="/run", QWEN_CODE_MEMORY_BASE_DIR="/base")
    assert (both.user.as_posix(), both.chats.as_posix()) == ("/base/memories", "/run/projects/-a/chats")


@pytest.mark.parametrize(("value", "local"), [("1", True), ("true", False), ("0", False), (" 1", False), ("", False)])
def test_local_memory_lies_in_the_launch_directory_for_exactly_one_value(value: str, local: bool) -> None:
    found = at("/srv/app/pkg", root="/srv/app", QWEN_CODE_MEMORY_LOCAL=value)
    assert found.local is local
    assert found.memory.as_posix() == ("/srv/app/pkg/.qwen/memory" if local else f"{HOME}/.qwen/projects/-srv-app/memory")
    assert found.state.as_posix() == ("/srv/app/pkg/.qwen" if local else f"{HOME}/.qwen/projects/-srv-app")
    assert found.user.as_posix() == f"{HOME}/.qwen/memories"


@pytest.mark.parametrize(("value", "key", "refused"), [
    ("workspace", "-srv-app-pkg", False), (" Workspace ", "-srv-app-pkg", False), ("git-root", "-srv-app", False), ("repo", "-srv-app", True)])
def test_the_scope_is_the_checkout_or_the_workspace(value: str, key: str, refused: bool) -> None:
    found = at("/srv/app/pkg", root="/srv/app", QWEN_CODE_MEMORY_PROJECT_SCOPE=value)
    assert (found.state.name, [each.reason for each in found.ignored]) == (key, ["not_a_scope"] if refused else [])


@pytest.mark.parametrize("settings", ["", "{", "[]", '{"memory": 7}', '{"advanced": {"runtimeOutputDir": 7}}', '{"memory": {"enableManagedAutoMemory": "no"}}'])
def test_a_broken_settings_file_decides_nothing(tmp_path: Path, settings: str) -> None:
    (tmp_path / ".qwen").mkdir()
    (tmp_path / ".qwen/settings.json").write_text(settings, encoding="utf-8")
    found = at("/a", home=str(tmp_path))
    assert (found.enabled, found.user.as_posix()) == (True, f"{tmp_path.as_posix()}/.qwen/memories")


def test_memory_is_off_where_the_user_the_project_or_the_safe_mode_says_so(tmp_path: Path) -> None:
    off = json.dumps({"memory": {"enableManagedAutoMemory": False}})
    for folder in (tmp_path / ".qwen", tmp_path / "app/.qwen"):
        folder.mkdir(parents=True)
    cwd = (tmp_path / "app").as_posix()
    assert at(cwd, home=str(tmp_path)).enabled
    (tmp_path / "app/.qwen/settings.json").write_text(off, encoding="utf-8")
    assert "app/.qwen/settings.json" in at(cwd, home=str(tmp_path)).enabled_why
    (tmp_path / "app/.qwen/settings.json").unlink()
    (tmp_path / ".qwen/settings.json").write_text(off, encoding="utf-8")
    assert not at(cwd, home=str(tmp_path)).enabled
    (tmp_path / ".qwen/settings.json").unlink()
    assert at(cwd, home=str(tmp_path), QWEN_CODE_SAFE_MODE="1").enabled_why == "QWEN_CODE_SAFE_MODE"


def test_whose_a_folder_is_follows_from_the_transcripts(tmp_path: Path) -> None:
    home, environment = str(tmp_path), dict[str, str]()
    one, two = tmp_path / "a_b", tmp_path / "a-b"
    for folder in (one, two):
        folder.mkdir()

    def place_of(cwd: str) -> Place:
        return places.make(cwd)

    found = qwen_folders.locate(place_of(str(one)), environment=environment, user_home=home)
    found.memory.mkdir(parents=True)
    (unknown := found.projects / "-elsewhere/memory").mkdir(parents=True)

    def listed() -> list[tuple[str, str]]:
        here = qwen_folders.natives(found, place_of(str(one)), place_of, environment=environment, user_home=home)
        every = list(qwen_folders.everywhere(found, place_of, environment=environment, user_home=home))
        return [(Path(each.path).parent.name, each.skip) for each in (*here, *every)]

    def held(cwd: Path, session: str) -> None:
        found.chats.mkdir(exist_ok=True)
        line = {"uuid": "a1", "parentUuid": None, "sessionId": session, "timestamp": "2026-01-02T03:04:05.000Z", "type": "user",
                "provenance": "real_user", "cwd": str(cwd), "message": {"role": "user", "parts": [{"text": "hello"}]}}
        (found.chats / f"{session}.jsonl").write_text(json.dumps(line, separators=(",", ":")) + "\n", encoding="utf-8")

    key = found.state.name
    assert listed() == [(key, ""), ("-elsewhere", "unknown_project"), (key, "unknown_project")]
    held(one, "5e55c0de-0000-4000-8000-000000000001")
    assert listed() == [(key, ""), ("-elsewhere", "unknown_project"), (key, "")]
    held(two, "5e55c0de-0000-4000-8000-000000000002")
    assert listed() == [(key, "shared_by_projects"), ("-elsewhere", "unknown_project"), (key, "shared_by_projects")]
    assert unknown.is_dir()
