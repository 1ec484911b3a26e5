"""The stores of the design qwen-code through the product: both placements, the index and its caps, forgetting one entry to the byte."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from reverie import errors
from reverie.memory import Memory, open_memory

RULES = ("Never push to main directly, always open a pull request.", "Run the checks with make check, never with plain pytest.")
STYLE = (
    "---\r\nname: Style\r\ndescription: How answers look\r\ntype: feedback\r\ncolour: green # mine\r\n---\r\n\r\n"
    "# Feedback\r\n\r\n"
    "- Keep answers short\r\n  Why: the reader is in a hurry\r\n"
    "- The loop of the export is this one:\r\n\r\n  ```python\r\n  - not = 'an entry'\r\n  Why: = 1\r\n  ```\r\n"
    "-   Answers have no summary at their end  \r\n"
)


def opened(folder: Path, design: str = "qwen-code", **environment: str) -> Memory:
    return open_memory(folder / "home", design=design, cwd=folder, environment={"HOME": str(folder), **environment})


def root(memory: Memory, scope: str = "project") -> Path:
    return Path(memory.space.store(memory.space.target(memory.place, scope)).root)


def learned(memory: Memory, *said: str) -> None:
    for number, text in enumerate(said):
        memory.learn([("user", text), ("assistant", "Will do.")], session=f"s{number}-{len(text)}")


# ── placement (study, Qwen Code §2: `user.md`, `feedback.md`, `project/…`) ────────────────────────────────────────────


@pytest.mark.parametrize("design", ["qwen-code", "qwen-code@0.24"])
@pytest.mark.parametrize("placement", ["folders", "files"])
def test_both_placements_hold_recall_and_index_the_same(tmp_path: Path, design: str, placement: str) -> None:
    with opened(tmp_path, design, REVERIE_QWEN_PLACEMENT=placement) as memory:
        learned(memory, *RULES)
        memory.remember("The user is a senior Go engineer", type="user", scope="user")
        folder = root(memory)
        paths = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.md"))
        if placement == "files":
            assert paths == ["MEMORY.md", "feedback.md"] and [path.name for path in root(memory, "user").rglob("user*.md")] == ["user.md"]
        else:
            assert len(paths) == 3 and all(path.startswith("feedback/") for path in paths if path != "MEMORY.md")
        assert len(memory.list()) == 3
        assert "make check" in memory.recall_block("run the checks with make")
        index = (folder / "MEMORY.md").read_text(encoding="utf-8")
        assert all(len(line) <= 150 for line in index.splitlines()) and index.count("\n- ") + index.startswith("- ") >= 1


def test_a_wrong_placement_is_said(tmp_path: Path) -> None:
    with pytest.raises(errors.WrongUse, match="'folders' or in 'files'"):
        opened(tmp_path, REVERIE_QWEN_PLACEMENT="drawers")
    with opened(tmp_path, "reverie", REVERIE_QWEN_PLACEMENT="drawers") as memory:
        assert memory.list() == []


@pytest.mark.parametrize(("design", "lines", "size"), [("qwen-code", 200, 25_000), ("qwen-code@0.24", 202, 25_400)])
def test_the_index_keeps_its_three_caps_whatever_is_kept(tmp_path: Path, design: str, lines: int, size: int) -> None:
    with opened(tmp_path, design) as memory:
        memory.remember("The first memory of this project is about the ferry")
        folder = root(memory)
        for number in range(260):
            (folder / f"project/n{number:03d}.md").write_text(
                f"---\nname: Fact {number} {'about the ferry ' * 20}\ndescription: {'what holds of it ' * 20}\ntype: project\n---\n\nFact {number}.\n",
                encoding="utf-8")
        memory.remember("Another one, so that the index is rendered anew")
        index = (folder / "MEMORY.md").read_text(encoding="utf-8")
    assert len(index.splitlines()) <= lines and len(index.encode("utf-16-le")) // 2 <= size
    assert max(len(line) for line in index.splitlines() if line.startswith("- ")) <= 150
    assert len(index.splitlines()) > 100


# ── forget (study, Qwen Code §8) ─────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def styled(tmp_path: Path) -> Path:
    """A file of three entries, with Windows line ends, a code block and a key of its author's."""
    with opened(tmp_path) as memory:
        memory.remember("The ferry app is written in Go")
        (root(memory) / "feedback").mkdir()
        (root(memory) / "feedback/style.md").write_bytes(STYLE.encode())
        memory.adopt(native=False)
    return tmp_path


def style(folder: Path) -> bytes:
    [path] = (folder / "home/stores/qwen-code/projects").glob("*/memory/feedback/style.md")
    return path.read_bytes()


def test_an_entry_has_the_files_id_and_its_number(styled: Path) -> None:
    with opened(styled) as memory:
        ids = sorted(each.memory.id.rpartition("/memory/")[2] for each in memory.list())
    assert ids == ["feedback/style.md:0", "feedback/style.md:1", "feedback/style.md:2", "project/the-ferry-app-is-written-in-go.md"]


@pytest.mark.parametrize(
    ("query", "gone"),
    [("feedback/style.md:0", "- Keep answers short\r\n  Why: the reader is in a hurry\r\n"),
     ("loop of the export", "- The loop of the export is this one:\r\n\r\n  ```python\r\n  - not = 'an entry'\r\n  Why: = 1\r\n  ```\r\n"),
     ("no summary end", "-   Answers have no summary at their end  \r\n")],
    ids=["by id", "a code block, by words", "by words"],
)
def test_one_entry_goes_and_every_other_byte_stays(styled: Path, query: str, gone: str) -> None:
    before = style(styled)
    assert before == STYLE.encode()
    with opened(styled) as memory:
        found = memory.find(query)
        assert len(found) == 1 and found[0].memory.body, "the preview shows what would go"
        assert style(styled) == before, "and takes nothing"
        change = memory.forget(found)
        assert style(styled).decode() == STYLE.replace(gone, "")
        assert len(memory.list()) == 3
        memory.undo(change=change)
        assert style(styled) == before
        assert len(memory.list()) == 4


def test_the_last_entry_takes_its_file_along_and_comes_back(styled: Path) -> None:
    with opened(styled) as memory:
        change = memory.forget([each for each in memory.list() if "style.md" in each.memory.id])
        with pytest.raises(ValueError, match="not enough values"):
            style(styled)
        memory.undo(change=change)
    assert style(styled) == STYLE.encode()


def reverie(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "REVERIE_HOME": str(folder / "home"), "HOME": str(folder)}
    return subprocess.run([sys.executable, "-m", "reverie", *arguments, "--design", "qwen-code", "--cwd", str(folder)],
                          env=environment, capture_output=True, text=True, timeout=60, check=False)


def test_the_command_previews_asks_and_says_the_way_back(styled: Path) -> None:
    asked = reverie(styled, "forget", "no", "summary", "end")
    assert (asked.returncode, style(styled)) == (2, STYLE.encode())
    assert "feedback/style.md:2" in asked.stdout and "--yes" in asked.stderr
    done = reverie(styled, "forget", "no", "summary", "end", "--yes")
    assert done.returncode == 0 and "reverie undo --change" in done.stdout
    assert b"summary" not in style(styled)
