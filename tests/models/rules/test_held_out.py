"""How far the English rules carry: labelled messages on other topics, in other voices.

Each table was run once before anybody looked at its sentences; that first figure is the honest one:

| table | F1 | types right | what had been done before |
|---|---|---|---|
| SECOND | .91 | .90 | the first version |
| THIRD | .71 | .56 | the first version; harder on purpose |
| FOURTH | .76 | .81 | after THIRD was looked at: generic subjects, tense, point and reason |
| FIFTH | .87 | .61 | after FOURTH: noise of codebench's prompts, habits of the speaker |
| SIXTH | .90 | .78 | after FIFTH: authorities, artifacts of work, the speaker |
| SEVENTH | .91 | .91 | after SIXTH: votes for the type fitted, reasons written apart |

The floors below only keep what has been reached since.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

from reverie.core.proposal import Proposal, Window
from reverie.core.session import Message, Voice
from reverie.models.rules import Rules

HERE = Path(__file__).resolve()


def load(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


held_out = load("held_out_en", HERE.with_name("held_out_en.py"))


def learn(text: str) -> tuple[Proposal, ...]:
    return Rules().propose(Window(messages=[Message(id="1", voice=Voice.PERSON, text=text)])).proposals


def holds(proposal: Proposal, words: tuple[str, ...]) -> bool:
    return all(word.lower() in proposal.memory.text.lower() for word in words)


@pytest.mark.parametrize("table", ["FIRST", "SECOND", "THIRD", "FOURTH", "FIFTH", "SIXTH", "SEVENTH"])
def test_sentences_on_other_topics(table: str) -> None:
    found = missed = invented = typed = 0
    for text, type, _, words in getattr(held_out, table):
        proposals = learn(text)
        if not type and not words:
            invented += bool(proposals)
        elif fit := [p for p in proposals if holds(p, words)]:
            found += 1
            typed += type in ("", fit[0].memory.type)
            invented += len(proposals) - 1
        else:
            missed += 1
    assert found / (found + missed) >= 0.85
    assert found / (found + invented) >= 0.92
    assert typed / found >= 0.85


@pytest.mark.parametrize("table", ["LONG", "LONG_SECOND"])
def test_long_messages_with_facts_between_tasks(table: str) -> None:
    found = broken = facts = 0
    for text, wanted, never in getattr(held_out, table):
        proposals = learn(text)
        facts += len(wanted)
        found += sum(any(holds(p, words) for p in proposals) for _, words in wanted)
        broken += sum(word.lower() in p.memory.text.lower() for word in never for p in proposals)
    assert found / facts >= 0.85
    assert broken <= 1


@pytest.mark.shared
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # codebench's scorer leaves its files open
@pytest.mark.parametrize("seed", [11, 12])
def test_codebench_and_its_floors(seed: int) -> None:
    where = os.environ.get("REVERIE_SHARED")
    if not where:
        pytest.skip("REVERIE_SHARED is not set")
    bench = load("extraction_benchmark", HERE.parents[3] / "benchmarks" / "extraction.py")
    shared = Path(where)
    result = bench.codebench(shared, shared / "codebench" / "bank_dev.bank", seed, bench.redactor(), 0)
    assert result["f1"] >= 0.88
    assert result["type_accuracy"] >= 0.85
    for kind in ("secret", "injection", "offrecord"):
        assert result["violations"][kind].startswith("0/")


@pytest.mark.shared
def test_the_samples_and_their_floors() -> None:
    where = os.environ.get("REVERIE_SHARED")
    if not where:
        pytest.skip("REVERIE_SHARED is not set")
    bench = load("extraction_benchmark", HERE.parents[3] / "benchmarks" / "extraction.py")
    rows = bench.samples(Path(where), bench.redactor(), {"en", "zh", "ja"})
    total = bench.totals(rows)
    assert total["violations"] == 0
    assert total["f1"] >= 0.9
    assert total["type_accuracy"] >= 0.8
    assert [row["memories"] for row in rows if row["conversation"] == "fieldnotes-app"] == [0]
