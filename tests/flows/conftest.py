"""Two clones of one repository, for the tests of what a team shares."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.flows import team_play
from tests.flows.team_play import Clone


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repositories as each test copies them: made once."""
    return team_play.template(tmp_path_factory.mktemp("team") / "made")


@pytest.fixture
def clones(made: Path, tmp_path: Path) -> tuple[Clone, Clone]:
    """Ada's clone, and Bo's."""
    shutil.copytree(made, tmp_path / "play", symlinks=True)
    one, other = (Clone(tmp_path / "play" / name, tmp_path / f"home-{name}", who) for name, who in (("a", "Ada"), ("b", "Bo")))
    return one, other
