"""What the README shows works as it is written there."""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
from importlib import resources
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
SAMPLES = Path(str(resources.files("reverie.samples"))) / "home"


def test_the_dozen_lines_do_the_whole_life_cycle(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    names = {"home": tmp_path / "home", "project": tmp_path / "project"}
    failed, tried = doctest.testfile(str(README), module_relative=False, globs=names)
    assert tried > 8
    assert not failed


def test_its_commands_run_one_after_the_other(home: Path, tmp_path: Path) -> None:
    """With a home folder that five agents have worked in, from a project's directory."""
    shutil.copytree(SAMPLES, home, dirs_exist_ok=True)
    (tmp_path / "project").mkdir()
    commands = re.findall(r"^\$ (reverie .+?)(?:  +#.*)?$", README.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(commands) >= 10
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    (bin_folder / "reverie").write_text(f'#!/bin/sh\nexec {sys.executable} -m reverie "$@"\n', encoding="utf-8")
    (bin_folder / "reverie").chmod(0o755)
    environment = {**os.environ, "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}"}
    for command in commands:
        done = subprocess.run(
            command, shell=True, cwd=tmp_path / "project", env=environment, capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 0, f"{command}: {done.stderr}{done.stdout}"
    assert (home / ".reverie" / "stores").is_dir()


def test_what_it_names_exists() -> None:
    text = README.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (ROOT / target).exists(), target
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"make ([a-z]+)", text):
        assert f"\n{target}:" in makefile or target == "check", target
