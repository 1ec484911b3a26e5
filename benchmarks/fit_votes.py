"""Fit what each piece of English evidence says about the type of a memory, and write ``english_votes.py``.

    python benchmarks/fit_votes.py [--check] [--write]

The votes in ``english_signs`` and ``english_evidence`` were set by hand and are where the fit starts: multinomial
logistic regression with a
pull back to the hand-set value (``PULL``), on the labelled sentences of ``tests/models/rules/held_out_en.py``, and on
codebench's own sentences
where ``REVERIE_SHARED`` names it. ``--check`` leaves out one table at a time and reports the share of right types on
the one left out, before
and after: the honest figure. Standard library only; the same input gives the same numbers.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from types import ModuleType

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from reverie.core.proposal import Reason
from reverie.models.rules import english, english_evidence, english_group
from reverie.models.rules.english_evidence import TYPES, Seen

ROOT = Path(__file__).resolve().parent.parent
PULL = 0.01                         # of the values tried, the one with the best figure under --check
ROUNDS = 400
RATE = 0.05
TABLES = ("FIRST", "SECOND", "THIRD", "FOURTH", "FIFTH", "SIXTH", "SEVENTH")
CLASSES = ("SUBJECT", "POINTERS", "PERSON", "IN_PASSING", "PLAIN", "WISHES", "TASKS", "SUBJECT_2", "POINTERS_2", "MIXED_2")
Row = tuple[dict[str, float], int]
Votes = dict[str, list[float]]


def features(text: str) -> dict[str, float]:
    """How fully each piece of evidence counts for the type of a message, as ``kind_of`` counts it."""
    language = english.English()
    group: list[Seen] = []
    before: Seen | None = None
    for said in language.sentences(text):
        verdict = english.judge(english_evidence.see(said), before)
        before = verdict.seen if verdict.refusal in (None, Reason.NO_SIGNAL) else None
        if before is not None:
            group.append(before)
    found: dict[str, float] = {}
    for seen, share in english_evidence.shares(group, english_group.KEEP):
        for name, fully in seen.shares.items():
            found[name] = found.get(name, 0.0) + fully * share
    return found


def labelled() -> dict[str, list[Row]]:
    """Tables of labelled messages: the repository's, and codebench's where it can be found."""
    module = _module("held_out_en")
    tables = {name: [(features(row[0]), TYPES.index(row[1])) for row in getattr(module, name) if row[1]] for name in TABLES}
    classes = _module("classes_en")
    for name in CLASSES:
        tables[name] = [(features(row[0]), TYPES.index(row[1])) for row in getattr(classes, name) if row[1] in TYPES]
    if shared := os.environ.get("REVERIE_SHARED"):
        tables["CODEBENCH"] = _codebench(Path(shared) / "codebench")
    return tables


def _module(name: str) -> ModuleType:
    """A module of labelled sentences beside the tests."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tests/models/rules" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module: ModuleType = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _codebench(folder: Path) -> list[Row]:
    """One sentence for each frame and mode of seed 11, the development seed."""
    with tempfile.TemporaryDirectory() as out:
        subprocess.run([sys.executable, str(folder / "gen.py"), "--bank", str(folder / "bank_dev.bank"), "--seed",
            "11", "--out", out],
                       check=True, stdout=subprocess.DEVNULL)
        sessions = [json.loads(line) for line in (Path(out) / "sessions.jsonl").open(encoding="utf-8")]
    found: dict[tuple[str, str], Row] = {}
    for session in sessions:
        for gold in session["gold"]:
            key = (gold["frame"], gold["mode"])
            if gold["lang"] == "en" and gold["mode"] not in ("correction", "secret+fact") and key not in found:
                found[key] = (features(session["turns"][gold["turn"]]["text"]), TYPES.index(gold["type"]))
    return list(found.values())


def scores(votes: Votes, row: dict[str, float]) -> list[float]:
    return [sum(votes[name][i] * share for name, share in row.items()) for i in range(4)]


def right(votes: Votes, rows: list[Row]) -> float:
    """The share of rows whose type gets the most votes."""
    def best(row: dict[str, float]) -> int:
        total = scores(votes, row)
        return max(range(4), key=lambda i: (total[i], -i))
    return sum(best(row) == kind for row, kind in rows) / max(1, len(rows))


def fit(rows: list[Row], start: Votes) -> Votes:
    """Gradient descent (Adam) on the mean log-likelihood, pulled to where it began."""
    votes = {name: list(values) for name, values in start.items()}
    first = {name: [0.0] * 4 for name in start}
    second = {name: [0.0] * 4 for name in start}
    for step in range(1, ROUNDS + 1):
        slope = {name: [PULL * (votes[name][i] - start[name][i]) for i in range(4)] for name in start}
        for row, kind in rows:
            total = scores(votes, row)
            top = max(total)
            weights = [math.exp(value - top) for value in total]
            for i in range(4):
                error = (weights[i] / sum(weights) - (1.0 if i == kind else 0.0)) / len(rows)
                for name, share in row.items():
                    slope[name][i] += error * share
        for name, values in votes.items():
            for i in range(4):
                first[name][i] = 0.9 * first[name][i] + 0.1 * slope[name][i]
                second[name][i] = 0.999 * second[name][i] + 0.001 * slope[name][i] ** 2
                down = math.sqrt(second[name][i] / (1 - 0.999**step)) + 1e-8
                values[i] -= RATE * first[name][i] / (1 - 0.9**step) / down
    return votes


_HEADER = '''"""What each piece of English evidence says about the type: votes for user, feedback, project, reference.

Made by ``benchmarks/fit_votes.py`` from labelled sentences, beginning from the hand-set votes of ``english_signs`` and
``english_evidence``. Do not edit: change the votes there and fit again.
"""

from __future__ import annotations

VOTES: dict[str, tuple[float, float, float, float]] = {
'''


def written(votes: Votes) -> str:
    """The module with the fitted votes, to two digits."""
    rows = (f'    "{name}": ({", ".join(f"{value:.2f}" for value in values)}),' for name, values in sorted(votes.items())
            if any(values))
    return _HEADER + "\n".join(rows) + "\n}\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="leave out one table at a time")
    parser.add_argument("--write", action="store_true", help="write english_votes.py")
    args = parser.parse_args()
    tables = labelled()
    start: Votes = {name: list(votes) for name, votes in english_evidence.BY_HAND.items()}
    if args.check:
        for left_out, rows in tables.items():
            others = [row for name, each in tables.items() if name != left_out for row in each]
            print(f"{left_out:10} {len(rows):3} by hand {right(start, rows):.3f} fitted without it "
                f"{right(fit(others, start), rows):.3f}")
    votes = fit([row for rows in tables.values() for row in rows], start)
    for name, rows in tables.items():
        print(f"{name:10} {len(rows):3} by hand {right(start, rows):.3f} fitted {right(votes, rows):.3f}")
    if args.write:
        (ROOT / "src/reverie/models/rules/english_votes.py").write_text(written(votes), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
