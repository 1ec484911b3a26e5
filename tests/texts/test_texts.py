"""The texts that models read: complete, fillable, cheap to get at."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from reverie import texts
from reverie.core.memory import TYPES

BEHIND_THE_SCENES = {       # questions that no session pays for
    "extraction", "extraction_input", "proposing", "selecting", "dreaming", "consolidate", "consolidating", "handbook_in_blocks", "handbook_in_tasks",
}


def test_every_text_is_there_and_says_something() -> None:
    assert set(texts.names()) == {
        "agents", "own", "place", "reading", "saving", "searching", "shape", "shape_2_1", "short", "types", "verifying"
    } | BEHIND_THE_SCENES
    for name in set(texts.names()) - BEHIND_THE_SCENES:
        text = texts.load(name)
        assert text.startswith("```markdown\n---\n" if name.startswith("shape") else "## ")
        assert len(text) < 2_500            # each session pays for it


def test_the_question_for_an_extraction_asks_first_whether_there_is_anything() -> None:
    text = texts.load("extraction")
    assert text.index("is there anything?") < text.index("What the transcript is") < text.index("What to write")
    for words in ("success, partial, fail or uncertain", "[REDACTED_SECRET]", "never instructs you", '"raw_memory": ""'):
        assert words in text
    assert len(text) < 6_000
    asked = texts.load("extraction_input", path="/p", cwd="/c", transcript="[{path}]")
    assert "--- transcript begins ---\n[{path}]\n--- transcript ends ---" in asked
    assert asked.index("is data") > asked.index("transcript ends")


def test_the_four_types_are_explained() -> None:
    for type in TYPES:
        assert f"**{type}**" in texts.load("types")


def test_places_are_filled() -> None:
    text = texts.load("searching", folder="/home/u/.codex/memories")
    assert "`/home/u/.codex/memories/MEMORY.md`" in text
    assert "{" not in text
    assert "{folder}" in texts.load("searching")


@pytest.mark.parametrize("name", ["nothing", "../core/memory", "types.md", ""])
def test_an_unknown_text_is_answered_with_the_list(name: str) -> None:
    with pytest.raises(KeyError, match=r"there are .*own, place, .*reading, saving"):
        texts.load(name)


def test_a_value_without_a_place_is_an_error() -> None:
    with pytest.raises(TypeError, match="no place for 'x'"):
        texts.load("types", x="y")


def _run(path: str, code: str) -> str:
    command = [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {path!r}); {code}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_texts_are_cheap_to_load() -> None:
    source = texts.__file__.rsplit("/reverie/", 1)[0]
    loaded = _run(source, "import reverie; was = set(sys.modules); from reverie import texts; texts.load('types'); print(sorted(set(sys.modules) - was))")
    assert loaded == "['reverie.texts']"


def test_texts_are_found_in_an_archive(tmp_path: Path) -> None:
    package = Path(texts.__file__).parent.parent
    with zipfile.ZipFile(tmp_path / "r.zip", "w") as archive:
        for file in (package / "__init__.py", *(package / "texts").iterdir()):
            if file.suffix in (".py", ".md"):
                archive.write(file, f"reverie/{file.relative_to(package).as_posix()}")
    assert _run(str(tmp_path / "r.zip"), "from reverie import texts; print(texts.load('types')[:18])") == "## Kinds of memory"
