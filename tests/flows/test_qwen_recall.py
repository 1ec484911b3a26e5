"""Recall of the design qwen-code through the product: the study's points, the version's points, a model within its deadline, events."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from reverie import errors
from reverie.core.model import Answer, Ask, Failure, Meter, ModelFailed, Used
from reverie.memory import Memory, open_memory
from reverie.testing import ScriptedModel

BODY = "Grafana shows the response times of the ferry service."
# (file, name, description, type, body): a fixture of our own, with one Chinese and one empty document
DOCUMENTS = (
    ("reference/board.md", "Oncall board", "Grafana service dashboard", "reference", BODY),
    ("project/freeze.md", "Merge freeze", "Release branch cut on 2026-03-05", "project", "Nothing is merged before the release."),
    ("project/empty.md", "Sprint placeholder", "Upcoming milestone", "project", ""),
    ("feedback/terse.md", "Terse answers", "Keep answers short", "feedback", "No summary at the end."),
    ("project/deploy.md", "生产部署", "部署流程", "project", "生产部署需要两人审批。"),
)


def written(home: Path, design: str, documents: Any = DOCUMENTS, *, cwd: Path) -> None:
    """Documents in the store of a project, as any hand would write them, all of one time."""
    with open_memory(home, design=design, cwd=cwd, environment={}) as memory:
        root = Path(memory.space.store(memory.space.mounts(memory.place)[0]).root)
    for path, name, description, type, body in documents:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"---\nname: {name}\ndescription: {description}\ntype: {type}\n---\n\n{body}\n", encoding="utf-8")
        os.utime(file, (1_790_000_000, 1_790_000_000))


def opened(folder: Path, design: str = "qwen-code", **more: Any) -> Memory:
    return open_memory(folder / "home", design=design, cwd=folder, environment=more.pop("environment", {}), **more)


def names(memory: Memory, prompt: str) -> list[tuple[str, float]]:
    return [(hit.candidate.name, hit.score) for hit in memory.recall(prompt)]


def test_the_plain_design_gives_the_studys_points(tmp_path: Path) -> None:
    written(tmp_path / "home", "qwen-code", cwd=tmp_path)
    with opened(tmp_path) as memory:
        assert names(memory, "where is the grafana dashboard") == [     # "the" counts; a body alone is a point; ties go by type
            ("Oncall board", 2 * 3 + 1 + 1), ("Terse answers", 3), ("Merge freeze", 3), ("生产部署", 1)]
        assert names(memory, "go") == [], "no token of three characters: nothing, and no point for a body either"
        assert "Sprint placeholder" not in dict(names(memory, "zebra"))
        [best, *_] = memory.recall("grafana dashboard")
        assert best.as_dict()["why"]["words"] == {"grafana": ["description", "body"], "dashboard": ["description"]}
        assert "a word of the type reference" in best.explain()


def test_the_edition_gives_the_products_points(tmp_path: Path) -> None:
    written(tmp_path / "home", "qwen-code@0.24", cwd=tmp_path)
    with opened(tmp_path, "qwen-code@0.24") as memory:
        assert names(memory, "grafana dashboard") == [("Oncall board", 3 + 1 + 3 + 1)]
        assert names(memory, "zebra") == [], "no hit, no document"
        assert names(memory, "生产环境怎么部署") == [("生产部署", (4 + 1) + (4 + 3 + 1))]


def test_five_documents_cut_at_twelve_hundred_with_the_note_and_the_age(tmp_path: Path) -> None:
    documents = [(f"project/n{n}.md", f"Note {n}", "About the ferry", "project", f"ferry {n} " + "word " * 400) for n in range(9)]
    written(tmp_path / "home", "qwen-code", documents, cwd=tmp_path)
    with opened(tmp_path) as memory:
        block = memory.recall_block("ferry")
    assert block.count("\n### ") == 5 and block.count("NOTE: Relevant memory truncated for prompt budget.") == 5
    assert "days ago." in block and "This memory is" in block


def test_another_project_is_never_scanned(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    written(tmp_path / "home", "qwen-code", cwd=other)
    with opened(tmp_path) as memory:
        assert memory.recall("grafana dashboard") == []


def test_the_command_shows_the_points(tmp_path: Path) -> None:
    written(tmp_path / "home", "qwen-code", cwd=tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "reverie", "recall", "--design", "qwen-code", "--cwd", str(tmp_path), "--json", "grafana dashboard"],
        env={**os.environ, "REVERIE_HOME": str(tmp_path / "home")}, capture_output=True, timeout=60, check=True)
    assert next((each["name"], each["score"]) for each in json.loads(done.stdout)) == ("Oncall board", 2 * 2 + 1 + 1)


# ── the product's own fixture (spec/qwen-code §23): what the product reads from files, not values in a test ──────────


@pytest.mark.shared
@pytest.mark.parametrize(
    ("design", "table"),
    [("qwen-code", {"all": (46.2, 47.2, 17.4, 44.4), "gated": (50.0, 47.2, 18.2, 44.4)}),
     ("qwen-code@0.24", {"all": (92.3, 97.2, 75.0, 100.0), "gated": (100.0, 97.2, 100.0, 100.0)})],
)
def test_the_fixtures_table_is_reproduced_by_recall_over_files(
    shared: Path, tmp_path: Path, design: str, table: dict[str, tuple[float, ...]]
) -> None:
    fixture = json.loads((shared / "bench-data/qwen-recall/auto-memory-recall-eval.json").read_text("utf-8"))
    rows = [(f"{row['type']}/{place:02d}-{row['id']}.md", row["title"], row["description"], row["type"],
             "" if "entries yet" in row["body"] else row["body"]) for place, row in enumerate(fixture["docs"])]
    written(tmp_path / "home", design, rows, cwd=tmp_path)
    ids = {path: row["id"] for (path, *_), row in zip(rows, fixture["docs"], strict=True)}
    with opened(tmp_path, design) as memory:
        chosen = {case["id"]: [ids[hit.candidate.path] for hit in memory.recall(case["query"])] for case in fixture["cases"]}
        again = {case["id"]: [ids[hit.candidate.path] for hit in memory.recall(case["query"])] for case in fixture["cases"]}
    assert chosen == again
    for name, cases in (("all", fixture["cases"]),
                        ("gated", [case for case in fixture["cases"] if case["category"] != "semantic-no-lexical"])):
        assert measured(cases, chosen) == table[name]


def measured(cases: list[dict[str, Any]], chosen: dict[str, list[str]]) -> tuple[float, ...]:
    wanted = [case for case in cases if case["relevantIds"]]
    share = [len(set(case["relevantIds"]) & set(chosen[case["id"]])) / len(case["relevantIds"]) for case in wanted]
    top = [chosen[case["id"]][:1] == [case["expectedTopId"]] for case in cases if case.get("expectedTopId")]
    silent = [case for case in cases if not chosen[case["id"]]]
    rightly = [case for case in silent if not case["relevantIds"]]
    none = [case for case in cases if not case["relevantIds"]]
    return tuple(round(100 * part, 1) for part in (
        sum(share) / len(share), sum(top) / len(top), len(rightly) / len(silent), len(rightly) / len(none)))


# ── strategies ──────────────────────────────────────────────────────────────────────────────────────────────────────


def recalled(memory: Memory) -> list[dict[str, Any]]:
    return [dict(event.facts) for event in memory.events(kinds=["recall"])]


def test_a_model_chooses_and_nothing_is_filled_up(tmp_path: Path) -> None:
    written(tmp_path / "home", "qwen-code", cwd=tmp_path)
    model = ScriptedModel(lambda ask: {"selected_memories": [line.split("] ")[1].split(" (")[0] for line in ask.prompt.splitlines()
                                                             if "freeze.md" in line]})
    with opened(tmp_path, model=model, environment={"REVERIE_RECALL_STRATEGY": "model"}) as memory:
        memory.remember("Keep one memory, so that there is a journal.", type="user", scope="user")
        [hit] = memory.recall("when can I push to main?")
        assert (hit.candidate.name, hit.explain()) == ("Merge freeze", "chosen by model:scripted:model")
        assert recalled(memory)[-1] | {"duration_ms": 0} == {
            "design": "qwen-code", "query_length": 24, "docs_scanned": 6, "docs_selected": 1, "strategy": "model", "duration_ms": 0}
    [ask] = model.asks
    assert ask.flow == "recall" and "when can I push to main?" in ask.prompt
    assert BODY not in ask.prompt and str(tmp_path) not in ask.prompt, "no body and no path of this machine"


@pytest.mark.parametrize("answer", [
    {"selected_memories": ["../../etc/passwd"]},
    {"selected_memories": ["x"] * 6},
    {"chosen": []},
    "not JSON",
    ModelFailed(Failure.UNAVAILABLE, "gone"),
], ids=["unknown name", "too many", "another schema", "no JSON", "no connection"])
def test_an_answer_that_does_not_count_leaves_it_to_the_rules(tmp_path: Path, answer: Any) -> None:
    written(tmp_path / "home", "qwen-code@0.24", cwd=tmp_path)
    with opened(tmp_path, "qwen-code@0.24", model=ScriptedModel([answer]), environment={"REVERIE_RECALL_STRATEGY": "model"}) as memory:
        assert names(memory, "grafana dashboard") == [("Oncall board", 8)]


def test_a_model_that_chooses_nothing_is_silence_and_not_a_failure(tmp_path: Path) -> None:
    written(tmp_path / "home", "qwen-code", cwd=tmp_path)
    model = ScriptedModel([{"selected_memories": []}])
    with opened(tmp_path, model=model, environment={"REVERIE_RECALL_STRATEGY": "model"}) as memory:
        assert memory.recall("grafana dashboard") == []


class Slow:
    """A model that answers when it is let, and pays no heed to its deadline."""

    name, window = "slow:model", 100_000

    def __init__(self) -> None:
        self.let = threading.Event()
        self.ended = threading.Event()

    def ask(self, ask: Ask, meter: Meter) -> Answer:
        self.let.wait(30)
        self.ended.set()
        return Answer(text="{}", data={"selected_memories": []}, used=Used(calls=1))


def test_nobody_waits_beyond_the_deadline(tmp_path: Path) -> None:
    written(tmp_path / "home", "qwen-code", cwd=tmp_path)
    model = Slow()
    with opened(tmp_path, model=model, environment={"REVERIE_RECALL_STRATEGY": "model", "REVERIE_RECALL_DEADLINE_MS": "50"}) as memory:
        memory.recall("warm up")
        started = time.monotonic()
        assert names(memory, "grafana dashboard")[0] == ("Oncall board", 6)
        took = time.monotonic() - started
        model.let.set()
        model.ended.wait(30)
        for thread in threading.enumerate():
            if thread.name == "reverie-recall-model":
                thread.join(30)
    assert took < 5, "the deadline is 50 ms; the model would have answered in 30 s"


def test_no_model_is_asked_unless_the_strategy_says_so(tmp_path: Path) -> None:
    written(tmp_path / "home", "qwen-code", cwd=tmp_path)
    model = ScriptedModel([])
    with opened(tmp_path, model=model) as memory:
        assert names(memory, "grafana dashboard")[0] == ("Oncall board", 6)
    with opened(tmp_path, model=model, environment={"REVERIE_RECALL_STRATEGY": "none"}) as memory:
        assert memory.recall("grafana dashboard") == []
    with opened(tmp_path, environment={"REVERIE_RECALL_STRATEGY": "best"}) as memory, pytest.raises(errors.WrongUse, match="none, heur"):
        memory.recall("grafana dashboard")
    assert model.asks == []


@pytest.mark.parametrize(("design", "left"), [("qwen-code", 1), ("qwen-code@0.24", 0)])
def test_the_edition_leaves_out_what_a_tool_at_work_makes_needless(tmp_path: Path, design: str, left: int) -> None:
    written(tmp_path / "home", design, [("reference/glob.md", "Glob", "Tool usage of glob", "reference", "Patterns are relative.")], cwd=tmp_path)
    with opened(tmp_path, design) as memory:
        assert len(memory.recall("how does glob work")) == 1
        assert len(memory.recall("how does glob work", tools=["glob"])) == left
        assert bool(memory.turn("how does glob work", tools=["glob"]).initial()) is bool(left)


def test_each_recall_leaves_an_event_without_the_prompt(tmp_path: Path) -> None:
    written(tmp_path / "home", "qwen-code", cwd=tmp_path)
    with opened(tmp_path) as memory:
        memory.recall("grafana dashboard")
        assert not (tmp_path / "home/state.db").exists(), "a recall makes no journal"
        memory.remember("The keys lie in the vault.", scope="user")
        memory.recall("the grafana dashboard of Zebra")
        memory.recall("")
        first, second = recalled(memory)
        assert (first["docs_scanned"], first["docs_selected"], first["strategy"]) == (6, 5, "heuristic")
        assert (second["query_length"], second["docs_selected"], second["strategy"]) == (0, 0, "none")
        assert b"Zebra" not in (tmp_path / "home/state.db").read_bytes()
    with open_memory(tmp_path / "home", cwd=tmp_path, environment={}) as memory:
        memory.recall("grafana dashboard")
        assert len(recalled(memory)) == 2, "Reverie's own design writes nothing at a prompt"
