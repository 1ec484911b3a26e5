"""How good recall is, how fast: codebench's recall track, Qwen Code's fixture, the clock; baselines in the same run.

    REVERIE_SHARED=DIR python benchmarks/recall.py [--seed 11 --seed 12] [--bank FILE] [--scale 1000 --scale 10000]
                                                   [--json]

DIR holds ``codebench`` and ``bench-data``. Memories are read from a real folder through a layout and the search index;
codebench's own scorer counts. R@5 is the share of prompts whose one gold memory is among the five documents injected;
"silent" the share of prompts that need nothing and got nothing; "trap" documents injected where words match by
accident. Weights and threshold were chosen on seed 11 (every fifth frame left out in turn) and are read off on seed 12.

Baselines: the study's scorer, the product's 0.24, and SQLite's FTS5 (porter stems, stop words) with its own bm25. They
have no threshold; where all are compared at nine silent prompts of ten, everyone's is chosen after the fact.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Protocol

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from reverie.core import qwen_scores, recall, text
from reverie.core.layout import File
from reverie.core.memory import Memory
from reverie.layouts.claude_code import ClaudeCode
from reverie.storage.search import FolderSource, SearchIndex

Rows = list[dict[str, Any]]
Ranked = list[tuple[float, str]]                # score and memory id, best first
LAYOUT = ClaudeCode()
ALL = 1000                                      # documents, for a whole ranking


def read(path: Path) -> Rows:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def source(folder: Path, label: str, prefix: str = "") -> FolderSource:
    """A folder of memories in the layout of Claude Code; ids get the prefix that codebench gives them."""

    def parse(path: str, data: bytes, modified_ns: int) -> Iterable[Memory]:
        file = File(data, datetime.fromtimestamp(modified_ns / 1e9, UTC))
        return LAYOUT.read({path: file}, scope="project", project=label).memories

    return FolderSource(str(folder), label, LAYOUT.is_memory_path, parse, LAYOUT.name)


# ---- codebench -------------------------------------------------------------------------------------------------------

def generate(shared: Path, bank: Path, seed: int, out: Path, scale: int = 0) -> None:
    """Run codebench's generator."""
    subprocess.run([sys.executable, str(shared / "codebench/gen.py"), "--bank", str(bank), "--seed", str(seed), "--out",
                    str(out), "--scale", str(scale)], check=True, stdout=subprocess.DEVNULL)


class Reverie:
    """Our recall over the folders of a generated corpus."""

    name = "reverie"

    def __init__(self, data: Path) -> None:
        self.index = SearchIndex(str(data / "search.db"))
        folders = sorted(path for path in (data / "memory").iterdir() if path.is_dir())
        self.sources = [source(folder, folder.name) for folder in folders]
        done = self.index.refresh(self.sources)
        assert done.complete and not done.problems, done
        self.milliseconds: list[float] = []

    def rank(self, prompt: str, project: str) -> Ranked:
        started = time.perf_counter()
        self.index.refresh(self.sources)
        question = recall.ask(prompt)
        found = self.index.find(question, [project, "_user"])
        recall.choose(question, found, now=time.time())
        self.milliseconds.append(1000 * (time.perf_counter() - started))
        ranked = recall.choose(question, found, now=time.time(), documents=ALL, characters=10**9, threshold=0.0,
                               share_of_best=0.0)
        return [(result.score, f"{result.candidate.label}/{result.candidate.path}") for result in ranked]

    def inject(self, ranked: Ranked, threshold: float | None = None) -> list[str]:
        threshold = recall.THRESHOLD if threshold is None else threshold
        best = ranked[0][0] if ranked and threshold else 0.0
        return [id for score, id in ranked[:5] if score >= max(threshold, recall.SHARE_OF_BEST * best)]


class Scored:
    """A baseline that scores every memory of a project, newest first among equals."""

    def __init__(self, name: str, memories: Rows, score: Callable[[str, Any], float]) -> None:
        self.name = name
        self.score = score
        self.memories = sorted(memories, key=lambda memory: memory["age_days"])
        self.milliseconds: list[float] = []

    def rank(self, prompt: str, project: str) -> Ranked:
        started = time.perf_counter()
        scored = [(float(self.score(prompt, memory["document"])), memory["id"]) for memory in self.memories
                  if memory["project"] in (None, project)]
        ranked = sorted((item for item in scored if item[0] > 0), key=lambda item: -item[0])
        self.milliseconds.append(1000 * (time.perf_counter() - started))
        return ranked

    def inject(self, ranked: Ranked, threshold: float | None = None) -> list[str]:
        return [id for score, id in ranked[:5] if threshold is None or score >= threshold]


class Fts(Scored):
    """SQLite FTS5: porter stems, the words of the prompt without stop words joined by OR, its own bm25."""

    def __init__(self, memories: Rows) -> None:
        super().__init__("fts5 bm25", memories, lambda prompt, document: 0.0)
        self.tables: dict[str, sqlite3.Connection] = {}

    def rank(self, prompt: str, project: str) -> Ranked:
        if project not in self.tables:
            table = self.tables[project] = sqlite3.connect(":memory:")
            table.execute("create virtual table m using fts5(id unindexed, body, tokenize='porter unicode61')")
            mine = [memory for memory in self.memories if memory["project"] in (None, project)]
            rows = [(memory["id"], memory["document"].text) for memory in mine]
            table.executemany("insert into m values (?, ?)", rows)
        started = time.perf_counter()
        words = [word for word in dict.fromkeys(text.fold(prompt).split()) if word not in text.STOP]
        terms = " OR ".join('"' + word.replace('"', '""') + '"' for word in words)
        query = "select -bm25(m), id from m where m match ? order by 1 desc"
        rows = self.tables[project].execute(query, (terms,)).fetchall() if terms else []
        ranked = [(score, id) for score, id in rows if score > 0]
        self.milliseconds.append(1000 * (time.perf_counter() - started))
        return ranked


def codebench(shared: Path, bank: Path, seed: int) -> dict[str, Any]:
    """All recallers over one generated corpus."""
    with tempfile.TemporaryDirectory() as temporary:
        data = Path(temporary)
        generate(shared, bank, seed, data)
        memories, queries = read(data / "memory.jsonl"), read(data / "queries.jsonl")
        for memory in memories:
            memory["document"] = Memory(name=memory["name"], description=memory["description"], type=memory["type"],
                                        body="\n".join((memory["body"], memory["why"], memory["how"])))
        always = {memory["id"] for memory in memories if memory["always"]}
        recallers: list[Recaller] = [Reverie(data), Scored("qwen study", memories, qwen_scores.study_score),
                     Scored("qwen 0.24", memories, qwen_scores.product_score), Fts(memories)]
        rows = [measured(recaller, queries, always, shared, data) for recaller in recallers]
        return {"seed": seed, "bank": bank.name, "memories": len(memories), "prompts": len(queries), "rows": rows}


class Recaller(Protocol):
    """What is measured."""

    name: str
    milliseconds: list[float]

    def rank(self, prompt: str, project: str) -> Ranked: ...

    def inject(self, ranked: Ranked, threshold: float | None = None) -> list[str]: ...


def measured(recaller: Recaller, queries: Rows, always: set[str], shared: Path, data: Path) -> dict[str, Any]:
    """One recaller's row; ``@90``: with the threshold at which nine of ten prompts that need nothing get nothing."""
    rankings = {query["id"]: recaller.rank(query["prompt"], query["project"]) for query in queries}
    tops = sorted(max((score for score, id in rankings[query["id"]] if id not in always), default=0.0)
                  for query in queries if query["kind"] == "abstain")
    threshold = tops[int(0.9 * len(tops))] + 1e-9
    own = scored(recaller, rankings, shared, data)
    ninety = scored(recaller, rankings, shared, data, threshold)
    whole = scored(recaller, rankings, shared, data, 0.0)

    def percent(result: dict[str, Any], part: str, metric: str = "R5") -> float:
        return round(100 * float(result["recall"].get(part, {}).get(metric, float("nan"))), 1)

    return {
        "name": recaller.name, "R5": percent(own, "all"), "hit1": percent(own, "all", "hit1"),
        "nDCG10": percent(own, "all", "ndcg10"), "low": percent(own, "overlap:low"),
        "cross": percent(own, "cross-lingual"), "native": percent(own, "native-cjk"),
        "situational": percent(own, "situational"), "standing": percent(own, "standing"),
        "trap": own["trap_docs_per_prompt"], "silent": round(100 * own["abstain_silent_rate"], 1),
        "leaks": own["leaks"],
        "R5 no cut": percent(whole, "all"), "R5@90": percent(ninety, "all"), "low@90": percent(ninety, "overlap:low"),
        "trap@90": ninety["trap_docs_per_prompt"], "p50_ms": median(recaller.milliseconds),
        "p99_ms": round(quantile(recaller.milliseconds, 0.99), 2),
    }


def scored(recaller: Recaller, rankings: dict[str, Ranked], shared: Path, data: Path,
           threshold: float | None = None) -> dict[str, Any]:
    """What codebench's scorer says."""
    predictions = data / "predictions"
    predictions.mkdir(exist_ok=True)
    with (predictions / "recall.jsonl").open("w", encoding="utf-8") as file:
        for id, ranked in rankings.items():
            ranking = [row[1] for row in ranked[:50]]
            file.write(json.dumps({"id": id, "docs": recaller.inject(ranked, threshold), "ranking": ranking}) + "\n")
    command = [sys.executable, str(shared / "codebench/score.py"), str(data), str(predictions)]
    result = subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf-8")
    answer: dict[str, Any] = json.loads(result.stdout)["recall"]
    return answer


def quantile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


# ---- Qwen Code's fixture ---------------------------------------------------------------------------------------------

def fixture(shared: Path) -> Rows:
    """Recall@5, top-1 and silence of our recall and of both scorers on the product's own labelled prompts."""
    data = json.loads((shared / "bench-data/qwen-recall/auto-memory-recall-eval.json").read_text("utf-8"))
    memories = [Memory(id=row["id"], name=row["title"], description=row["description"], type=row["type"],
                       body="" if row["body"] in qwen_scores.PLACEHOLDERS else row["body"]) for row in data["docs"]]
    with tempfile.TemporaryDirectory() as temporary:
        (Path(temporary) / "all.md").write_text("all")
        index = SearchIndex("")
        index.refresh([FolderSource(temporary, "fixture", lambda path: True, lambda *file: memories)])

        def ours(prompt: str) -> list[str]:
            return [result.candidate.id for result in index.query(prompt, ["fixture"], now=time.time())]

        by_type = sorted(memories, key=lambda memory: memory.type)
        choosers: dict[str, Callable[[str], list[str]]] = {
            "reverie": ours,
            "qwen study": chooser(by_type, qwen_scores.study_score),
            "qwen 0.24": chooser(memories, qwen_scores.product_score),
        }
        return [judged(name, choose, data["cases"]) for name, choose in choosers.items()]


def chooser(memories: list[Memory], score: Callable[[str, Any], int]) -> Callable[[str], list[str]]:
    """One of Qwen Code's scorers as a function from a prompt to ids."""
    return lambda prompt: [memories[place].id for place in qwen_scores.select(prompt, memories, score)]


def judged(name: str, choose: Callable[[str], list[str]], cases: Rows) -> dict[str, Any]:
    chosen = {case["id"]: choose(case["query"]) for case in cases}
    answerable = [case for case in cases if case["relevantIds"]]
    shares = [len(set(case["relevantIds"]) & set(chosen[case["id"]])) / len(case["relevantIds"]) for case in answerable]
    tops = [chosen[case["id"]][:1] == [case["expectedTopId"]] for case in cases if case.get("expectedTopId")]
    silent = [not chosen[case["id"]] for case in cases if not case["relevantIds"]]
    return {"name": name, "R5": round(100 * statistics.mean(shares), 1), "top1": round(100 * statistics.mean(tops), 1),
            "silent": round(100 * statistics.mean(silent), 1)}


# ---- the clock -------------------------------------------------------------------------------------------------------

COLD = """
import sys, time
sys.path.insert(0, sys.argv[1])
from reverie.core import recall
from reverie.storage.search import FolderSource, SearchIndex
with SearchIndex(sys.argv[2]) as index:
    index.refresh([FolderSource(sys.argv[3], "scale", lambda path: path.endswith(".md"), None, "claude-code")])
    print(len(index.query(sys.argv[4], ["scale"], now=time.time())))
"""


def clock(shared: Path, bank: Path, scale: int, rounds: int = 400) -> dict[str, Any]:
    """Milliseconds in a store of ``scale`` memories; CPU time in this process, wall time for a cold one."""
    with tempfile.TemporaryDirectory() as temporary:
        data = Path(temporary)
        generate(shared, bank, 11, data, scale)
        folder = data / "memory_scale"
        for path in folder.rglob("*.md"):
            os.utime(path, (1.7e9, 1.7e9))
        prompts = [query["prompt"] for query in read(data / "queries.jsonl")][::max(1, 1976 // rounds)][:rounds]
        sources = [source(folder, "scale")]
        with SearchIndex(str(data / "search.db")) as index:
            build = cpu(lambda: index.refresh(sources))
            check = [cpu(lambda: index.refresh(sources)) for _ in range(30)]
            answer = [cpu(partial(index.query, prompt, ["scale"], now=1.7e9)) for prompt in prompts]
            turn = [cpu(partial(index.refresh, sources)) + cpu(partial(index.query, prompt, ["scale"], now=1.7e9))
                    for prompt in prompts[:200]]
            victim = sorted(folder.rglob("*.md"))[scale // 2]
            changed = []
            for number in range(10):
                victim.write_text(f"---\nname: Quokka\ndescription: quokka{number}\ntype: project\n---\n\nquokka\n")
                changed.append(cpu(lambda: index.refresh(sources)))
                assert index.find(recall.ask(f"quokka{number}"), ["scale"]).candidates
            os.utime(victim, (1.7e9, 1.7e9))
            index.refresh(sources)
        size = sum(path.stat().st_size for path in data.glob("search.db*"))
        bare, cold = [], []
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        src = str(Path(recall.__file__).parents[2])
        for prompt in prompts[:15]:
            python = [sys.executable, "-I", "-S", "-c"]
            bare.append(wall([*python, "pass"], environment))
            cold.append(wall([*python, COLD, src, str(data / "search.db"), str(folder), prompt], environment))
    return {
        "memories": scale, "build": round(build, 1), "check p50": median(check), "answer p50": median(answer),
        "answer p99": round(quantile(answer, 0.99), 2), "turn p50": median(turn),
        "turn p99": round(quantile(turn, 0.99), 2), "one change p50": median(changed), "cold process": median(cold),
        "cold / bare python": round(statistics.median(cold) / statistics.median(bare), 2),
        "index MB": round(size / 1e6, 1),
    }


def cpu(work: Callable[[], object]) -> float:
    started = time.process_time_ns()
    work()
    return (time.process_time_ns() - started) / 1e6


def wall(command: list[str], environment: dict[str, str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    return 1000 * (time.perf_counter() - started)


def median(values: list[float]) -> float:
    return round(statistics.median(values), 2)


# ---- telling ---------------------------------------------------------------------------------------------------------

def table(rows: Rows, columns: Iterable[str]) -> str:
    columns = list(columns)
    cells = [columns, *([str(row[column]) for column in columns] for row in rows)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(columns))]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in cells)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, action="append")
    parser.add_argument("--bank", type=Path)
    parser.add_argument("--scale", type=int, action="append", help="sizes of store for the clock; 0 leaves it out")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    where = os.environ.get("REVERIE_SHARED")
    if not where:
        print("set REVERIE_SHARED to the folder that holds codebench and bench-data", file=sys.stderr)
        return 2
    shared = Path(where)
    bank = args.bank or shared / "codebench/bank_dev.bank"
    report = {
        "codebench": [codebench(shared, bank, seed) for seed in args.seed or [11, 12]],
        "fixture": fixture(shared),
        "clock": [clock(shared, bank, scale) for scale in args.scale or [1000, 10000] if scale],
    }
    if args.json:
        print(json.dumps(report, ensure_ascii=False, indent=1))
        return 0
    for result in report["codebench"]:
        print(f"codebench, {result['bank']}, seed {result['seed']}, {result['prompts']} prompts, one gold memory each; "
              "percent, documents, wall ms")
        print(table(result["rows"], result["rows"][0]), "\n")
    print("Qwen Code's fixture, 48 prompts; percent")
    print(table(report["fixture"], report["fixture"][0]), "\n")
    if report["clock"]:
        print("the clock: CPU ms in process; a cold process in wall ms and against `python -I -S -c pass`")
        print(table(report["clock"], report["clock"][0]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
