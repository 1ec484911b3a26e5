"""The instruction files that Codex reads, on disk (spec/codex §21)."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from reverie.hosts import agents_md
from reverie.hosts.agents_md import Found
from reverie.storage import git


def find(cwd: Path, home: Path, **environment: str) -> Found:
    return agents_md.find(git.locate(str(cwd)), user_home=str(home), environment=environment)


def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    (root / "src/api").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    return root


def texts(found: Found) -> list[str]:
    return [document.text for document in found.instructions.project]


def test_from_the_git_root_down_to_the_directory(tmp_path: Path) -> None:
    root = repository(tmp_path)
    (tmp_path / "AGENTS.md").write_text("outside")
    (root / "AGENTS.md").write_text("root")
    (root / "src/AGENTS.override.md").write_text("src")
    (root / "src/api/AGENTS.md").write_text("api")
    assert texts(find(root / "src/api", tmp_path / "home")) == ["root", "src", "api"]


def test_outside_git_the_directory_alone(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/AGENTS.md").write_text("above")
    (tmp_path / "a/b/AGENTS.md").write_text("here")
    assert texts(find(tmp_path / "a/b", tmp_path / "home")) == ["here"]


def test_the_settings_of_codex_count(tmp_path: Path) -> None:
    root = repository(tmp_path)
    codex = tmp_path / "codex"
    codex.mkdir()
    (codex / "AGENTS.md").write_text("mine")
    (codex / "config.toml").write_text('project_doc_max_bytes = 3\nproject_doc_fallback_filenames = ["../x", "TEAM.md", 7]\n')
    (root / "TEAM.md").write_text("team")
    (tmp_path / "x").write_text("out")
    found = find(root, tmp_path / "home", CODEX_HOME=str(codex))
    assert texts(found) == ["tea"]
    assert found.instructions.user is not None
    assert found.instructions.user.text == "mine"


def test_what_is_no_readable_file_is_named_and_nothing_hangs(tmp_path: Path) -> None:
    root = repository(tmp_path)
    home = tmp_path / "home/.codex"
    home.mkdir(parents=True)
    (home / "config.toml").write_text("= broken")
    os.mkfifo(root / "AGENTS.md")
    (root / "src/AGENTS.md").mkdir()
    (root / "src/api/AGENTS.md").write_bytes(b"\xff\xfeok")
    found = find(root / "src/api", tmp_path / "home")
    assert dict(found.skipped) == {
        str(home / "config.toml"): "not_toml", str(root / "AGENTS.md"): "not_a_plain_file", str(root / "src/AGENTS.md"): "is_a_directory",
    }
    assert texts(found) == ["��ok"]
