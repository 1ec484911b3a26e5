"""How well a new memory is told from a known one: codebench's pairs, and the time that placing one takes.

    REVERIE_SHARED=DIR python benchmarks/merge.py [--seed 11 --seed 12] [--bank FILE] [--scale 10000]
                                                  [--wrong N] [--json]

Pairs are duplicates (rewritten or formatted differently), updates (one value changed) and distinct (the lexically
closest other memory, or a twin about another service); codebench's own scorer counts. "bare" are the same pairs without
reason and application, which codebench's duplicates share word for word and memories learned from two sessions do not.
"store" compares all memories of a project with one another, which are distinct but for second instances of one frame:
those are counted apart. Rules were chosen on seed 11; seed 12 is read off. Baselines: equality in lower case (what Qwen
Code's dream does) and the share of equal words.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from reverie.core import merge, text
from reverie.core.memory import Memory
from reverie.core.proposal import Proposal

Rows = list[dict[str, Any]]
Decide = Callable[[Memory, Memory], str]


def ours(old: Memory, new: Memory) -> str:
    return str(merge.relation(old, new).relation)


def lower_case(old: Memory, new: Memory) -> str:
    return "duplicate" if old.text.lower() == new.text.lower() else "distinct"


def equal_words(old: Memory, new: Memory) -> str:
    a, b = set(text.tokens(old.text)), set(text.tokens(new.text))
    return "duplicate" if len(a & b) >= 0.5 * len(a | b) else "distinct"


def memory_of(value: str, bare: bool) -> Memory:
    """A memory from the five lines of a pair's text."""
    name, description, body, why, how = [*value.split("\n"), *[""] * 5][:5]
    why, how = ("", "") if bare else (why, how)
    return Memory(name=name, description=description, body=body, why=why, how_to_apply=how)


def read(path: Path) -> Rows:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def pairs(data: Path, shared: Path, name: str, decide: Decide, bare: bool) -> dict[str, Any]:
    """One way of deciding, as codebench scores it, with what it got wrong."""
    rows, wrong = [], []
    for pair in read(data / "dedupe.jsonl"):
        said = decide(memory_of(pair["ta"], bare), memory_of(pair["tb"], bare))
        rows.append({"a": pair["a"], "b": pair["b"], "relation": said})
        if said != pair["relation"]:
            wrong.append(f"{pair['relation']} taken for {said}: {pair['ta'][:120]!r} | {pair['tb'][:120]!r}")
    predictions = data / "predictions"
    predictions.mkdir(exist_ok=True)
    (predictions / "dedupe.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    command = [sys.executable, str(shared / "codebench/score.py"), str(data), str(predictions)]
    scored = subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf-8")
    result = json.loads(scored.stdout)["dedupe"]
    update = result["update"]
    return {
        "name": name, "duplicate P": result["duplicate"]["p"], "duplicate R": result["duplicate"]["r"],
        "update P": update["p"], "update R": update["r"],
        "update F1": round(2 * update["p"] * update["r"] / max(update["p"] + update["r"], 1e-9), 4),
        "distinct merged": result["merged_distinct"], "wrong": wrong,
    }


def store(data: Path) -> dict[str, int]:
    """All pairs within a project: how many are not distinct, by whether they are instances of one frame."""
    groups: dict[str, Rows] = {}
    for row in read(data / "memory.jsonl"):
        groups.setdefault(row["project"] or "", []).append(row)
    count: Counter[str] = Counter()
    for rows in groups.values():
        for old, new in itertools.combinations(rows, 2):
            count["pairs"] += 1
            verdict = merge.relation(*(
                Memory(name=row["name"], description=row["description"], body=row["body"], why=row["why"],
                       how_to_apply=row["how"]) for row in (old, new)))
            if verdict.relation is not merge.Relation.DISTINCT:
                count["merged, one frame" if old["frame"] == new["frame"] else "merged, two frames"] += 1
    return {name: count[name] for name in ("pairs", "merged, two frames", "merged, one frame")}


def clock(data: Path, scale: int) -> dict[str, Any]:
    """Milliseconds of CPU to make a ``Known`` and to place a proposal among ``scale`` memories."""
    random.seed(1)
    rows = read(data / "memory.jsonl")
    words = [word for row in rows for word in f"{row['description']} {row['body']}".split()]
    stored = [Memory(id=str(number), name=f"{rows[number % len(rows)]['name']} {number}",
                     description=" ".join(random.choices(words, k=12)), body=" ".join(random.choices(words, k=25)))
              for number in range(scale)]
    started = time.process_time()
    known = merge.Known(stored)
    made = 1000 * (time.process_time() - started)
    times = []
    for row in rows[:150]:
        proposal = Proposal(memory=Memory(name=row["name"], description=row["description"], body=row["body"]))
        started = time.process_time()
        merge.place(proposal, known)
        times.append(1000 * (time.process_time() - started))
    times.sort()
    return {"memories": scale, "known": round(made), "place p50": round(statistics.median(times), 2),
            "place p99": round(times[int(0.99 * len(times))], 2)}


def table(rows: Rows) -> str:
    columns = [column for column in rows[0] if column != "wrong"]
    cells = [columns, *([str(row[column]) for column in columns] for row in rows)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(columns))]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in cells)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, action="append")
    parser.add_argument("--bank", type=Path)
    parser.add_argument("--scale", type=int, default=10_000)
    parser.add_argument("--wrong", type=int, default=0, help="also show up to N wrong decisions")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    where = os.environ.get("REVERIE_SHARED")
    if not where:
        print("set REVERIE_SHARED to the folder that holds codebench", file=sys.stderr)
        return 2
    shared = Path(where)
    bank = args.bank or shared / "codebench/bank_dev.bank"
    report: dict[str, Any] = {}
    for seed in args.seed or [11, 12]:
        with tempfile.TemporaryDirectory() as temporary:
            data = Path(temporary)
            command = [sys.executable, str(shared / "codebench/gen.py"), "--bank", str(bank), "--seed", str(seed)]
            subprocess.run([*command, "--out", temporary], check=True, stdout=subprocess.DEVNULL)
            report[f"{bank.name}, seed {seed}"] = {
                "pairs": [pairs(data, shared, "reverie", ours, False), pairs(data, shared, "reverie, bare", ours, True),
                          pairs(data, shared, "lower case", lower_case, False),
                          pairs(data, shared, "equal words >= .5", equal_words, False)],
                "store": store(data)}
            report.setdefault("clock", []).append(clock(data, args.scale))
    if args.json:
        print(json.dumps(report, ensure_ascii=False, indent=1))
        return 0
    for name, result in report.items():
        if name != "clock":
            print(f"codebench, {name}\n{table(result['pairs'])}\nstore: {result['store']}\n")
            for line in [line for row in result["pairs"][:2] for line in row["wrong"][:args.wrong]]:
                print("  ", line)
    print("the clock: CPU ms\n" + table(report["clock"]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
