"""One folder for all projects: what another project's label says is shown, found, read, forgotten and told nowhere else, however a
person wrote the label (study, Codex §8: a reader that does not look leaks)."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from reverie import errors
from reverie.memory import Memory, open_memory

WORD = "zanzibar"
DESIGNS = pytest.mark.parametrize("design", ["codex", "codex@0.171"])


@dataclass(frozen=True)
class Bench:
    """A home, and projects below one directory, which is none."""

    root: Path
    design: str

    def path(self, name: str) -> str:
        folder = self.root / "dev" / name
        folder.mkdir(parents=True, exist_ok=True)
        return str(folder)

    def opened(self, name: str) -> Memory:
        return open_memory(self.root / "home", design=self.design, cwd=self.path(name), environment={"HOME": str(self.root)})

    def handbook(self, applies_to: str, heading: str = "The payment service") -> None:
        """A handbook as a person or a product writes it, with one block."""
        store = self.root / "home/stores" / self.design / "memories"
        store.mkdir(parents=True, exist_ok=True)
        label = f"{applies_to}\n" if applies_to else ""
        (store / "MEMORY.md").write_text(
            f"# Task Group: {heading}\nscope: payments\n{label}\n## Task 1: ports, outcome=success\n\n### rollout_summary_files\n"
            f"- 2026-11-05T12-00-00-0001-shop.md (cwd={self.path('a')})\n\n### keywords\n- {WORD}\n\n### Reusable knowledge\n"
            f"- The {WORD} payment service listens on port 8443\n\n## Reusable knowledge\n- The {WORD} cluster is deployed on Mondays\n",
            encoding="utf-8", errors="surrogateescape")

    def key(self, name: str) -> str:
        with self.opened(name) as memory:
            return memory.space.key(memory.place.real)


def seen(bench: Bench, name: str) -> set[str]:
    """By which ways a session in this project comes upon what the block says."""
    with bench.opened(name) as memory:
        ways: dict[str, Callable[[], object]] = {
            "block": memory.session_block, "recall": lambda: memory.recall_block(f"{WORD} payment service port"),
            "search": lambda: [each.candidate.body for each in memory.recall(f"{WORD} cluster deployed mondays")],
            "list": memory.list, "forget": lambda: memory.find(f"{WORD} payment"), "profile": memory.profile,
            "read": lambda: _read(memory, f"{WORD} payment"),
        }
        return {way for way, look in ways.items() if WORD in str(look())}


def _read(memory: Memory, words: str) -> str:
    try:
        return str(memory.read(words))
    except errors.NotFound:
        return ""


ALL = {"block", "recall", "search", "list", "forget", "read"}


@DESIGNS
def test_a_label_that_names_the_project_is_seen_there_in_every_way_and_elsewhere_in_none(tmp_path: Path, design: str) -> None:
    bench = Bench(tmp_path, design)
    bench.handbook(f"applies_to: cwd={bench.path('a')}; reuse_rule=here")
    assert seen(bench, "a") == ALL
    assert seen(bench, "b") == set()


LABELS: dict[str, Callable[[Bench], tuple[str, str]]] = {
    "none": lambda bench: ("", ""),
    "empty": lambda bench: ("applies_to:", ""),
    "parent": lambda bench: (f"applies_to: cwd={bench.root}/dev", ""),
    "root": lambda bench: ("applies_to: cwd=/", ""),
    "relative": lambda bench: ("applies_to: cwd=../b", ""),
    "dots": lambda bench: (f"applies_to: cwd={bench.path('b')}/../a", ""),
    "two": lambda bench: (f"applies_to: cwd={bench.path('a')}, cwd={bench.path('b')}", ""),
    "two with a semicolon": lambda bench: (f"applies_to: cwd={bench.path('a')}; cwd={bench.path('b')}", ""),
    "two lines": lambda bench: (f"applies_to: cwd={bench.path('a')}\napplies_to: cwd={bench.path('b')}", ""),
    "other case": lambda bench: (f"applies_to: cwd={bench.path('b').upper()}", ""),
    "wildcard below": lambda bench: (f"applies_to: cwd={bench.root}/dev/*", ""),
    "home": lambda bench: ("applies_to: cwd=~/dev/b", ""),
    "longer name": lambda bench: (f"applies_to: cwd={bench.path('b')}2", ""),
    "an URL": lambda bench: (f"applies_to: cwd=file://{bench.path('b')}", ""),
    "twin letters": lambda bench: (f"applies_to: cwd={bench.root}/dev/\u0432", ""),
    "zero width": lambda bench: (f"applies_to: cwd={bench.path('b')}\u200b", ""),
    "a prose word": lambda bench: ("applies_to: cwd=the payment project and others", ""),
    "its key, and another directory": lambda bench: (f"applies_to: cwd={bench.path('b')}", bench.key("a")),
    "its key, and everywhere": lambda bench: ("applies_to: cwd=*", bench.key("a")),
    "its directory, and everywhere": lambda bench: ("applies_to: cwd=any", bench.path("a")),
    "every project, and its directory": lambda bench: (f"applies_to: cwd={bench.path('a')}", "user (every project)"),
    "every project, and no more": lambda bench: (f"applies_to: cwd={bench.path('a')}, not b", "user (every project)"),
}


@DESIGNS
@pytest.mark.parametrize("label", LABELS)
def test_a_label_that_could_mean_more_means_no_other_project(tmp_path: Path, design: str, label: str) -> None:
    bench = Bench(tmp_path, design)
    applies_to, heading = LABELS[label](bench)
    bench.handbook(applies_to, heading or "The payment service")
    assert seen(bench, "b") == set()


def skill(bench: Bench, header: str) -> None:
    folder = bench.root / "home/stores" / bench.design / "memories/skills/deploying"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "SKILL.md").write_text(f"---\nname: deploying\ndescription: How the {WORD} is deployed\n{header}---\n\n1. Do it\n", encoding="utf-8")


@DESIGNS
@pytest.mark.parametrize(("label", "shown"), [
    ("metadata:\n  applies_to: cwd={a}\n", "a"), ("applies_to: cwd={a}; reuse_rule=x\n", "a"), ("metadata: {{applies_to: cwd={a}}}\n", "a"),
    ("metadata:\n  applies_to: cwd=any\n", "ab"), ("", ""), ("metadata: x\n", ""), ("applies_to: cwd={a}, cwd={b}\n", ""),
    ("applies_to: [cwd={a}, cwd={b}]\n", ""), ("applies_to: ../b\n", ""),
])
def test_a_skill_is_shown_where_its_label_says(tmp_path: Path, design: str, label: str, shown: str) -> None:
    bench = Bench(tmp_path, design)
    bench.handbook("applies_to: cwd=any")       # there is no block where nothing is remembered
    skill(bench, label.format(a=bench.path("a"), b=bench.path("b")))
    for name in "ab":
        with bench.opened(name) as memory:
            assert ("skills/deploying/SKILL.md" in memory.session_block()) is (name in shown)


@DESIGNS
def test_a_skill_that_cannot_be_read_is_not_shown_and_keeps_nothing_from_being(tmp_path: Path, design: str) -> None:
    bench = Bench(tmp_path, design)
    bench.handbook("applies_to: cwd=any")
    skill(bench, "applies_to: cwd=any\n")
    file = tmp_path / "home/stores" / design / "memories/skills/deploying/SKILL.md"
    for bad in (b"\xff" * 100, b"x" * 20_000_000, b"---\n" * 1_000):
        file.write_bytes(bad)
        with bench.opened("a") as memory:
            assert WORD in memory.session_block()
    file.unlink()
    file.symlink_to("/dev/zero")
    with bench.opened("a") as memory:
        assert WORD in memory.session_block()


@DESIGNS
@pytest.mark.parametrize("word", ["*", "any", "all projects"])
def test_a_label_for_every_project_is_seen_in_all(tmp_path: Path, design: str, word: str) -> None:
    bench = Bench(tmp_path, design)
    bench.handbook(f"applies_to: cwd={word}")
    assert seen(bench, "a") == seen(bench, "b") >= ALL


@DESIGNS
def test_a_symbolic_link_is_the_project_that_it_leads_to(tmp_path: Path, design: str) -> None:
    bench = Bench(tmp_path, design)
    link = tmp_path / "dev" / "link"
    bench.path("b")
    link.symlink_to(bench.path("a"))
    bench.handbook(f"applies_to: cwd={link}")
    assert (seen(bench, "a"), seen(bench, "b")) == (ALL, set())


@DESIGNS
def test_two_spellings_of_one_letter_are_two_directories(tmp_path: Path, design: str) -> None:
    bench = Bench(tmp_path, design)
    one, other = (unicodedata.normalize(form, "café") for form in ("NFC", "NFD"))
    bench.handbook(f"applies_to: cwd={bench.path(one)}")
    assert (seen(bench, one), seen(bench, other)) == (ALL, set())
