"""How well the rule-based extractor learns: codebench and the samples, without a store, without a model.

    REVERIE_SHARED=DIR python benchmarks/extraction.py [--seed 11 --seed 12] [--bank FILE] [--misses N] [--json]

DIR holds ``codebench`` (generator, scorer) and ``samples`` (script.json, gold.json). Secrets are taken out before, as
the flow of learning
does it. Thresholds and word lists were chosen on seed 11; seed 12 is only read off.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from reverie.core.proposal import Extraction, Window
from reverie.core.session import Message, Voice
from reverie.models.rules import Rules

VOICES = {"user": Voice.PERSON, "assistant": Voice.ASSISTANT, "tool": Voice.TOOL}
Redact = Callable[[str], str]


def redactor() -> Redact:
    """The redaction of ``core.redact``."""
    from reverie.core import redact
    return lambda text: redact.redact(text).text


def item(proposal: Any) -> dict[str, Any]:
    """A proposal as the scorer wants it: everything that would be stored, as one text."""
    memory = proposal.memory
    return {"type": memory.type, "scope": memory.scope, "text": memory.text, "rule": memory.source.rule, "message":
    memory.source.message}


# ---- codebench -----------------------------------------------------------------------------------------------------

def generate(shared: Path, bank: Path, seed: int, out: Path) -> None:
    """Run codebench's generator."""
    subprocess.run([sys.executable, str(shared / "codebench" / "gen.py"), "--bank", str(bank), "--seed", str(seed),
        "--out", str(out)],
                   check=True, stdout=subprocess.DEVNULL)


def session_window(session: dict[str, Any], redact: Redact) -> Window:
    messages = [Message(id=str(i), voice=VOICES[t["role"]], text=redact(t["text"])) for i, t in enumerate(session[
        "turns"])]
    return Window(messages=messages, host="codebench", session=session["id"])


def codebench(shared: Path, bank: Path, seed: int, redact: Redact, misses: int) -> dict[str, Any]:
    """Extraction over one generated corpus: the scorer's figures, speed, and what was missed or invented."""
    sys.path.insert(0, str(shared / "codebench"))
    score = importlib.import_module("score")
    rules = Rules()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "data"
        generate(shared, bank, seed, out)
        sessions = [json.loads(line) for line in (out / "sessions.jsonl").read_text(encoding="utf-8").splitlines()]
        windows = [session_window(s, redact) for s in sessions]
        started = time.perf_counter()
        extractions = [rules.propose(w) for w in windows]
        seconds = time.perf_counter() - started
        predictions = [{"session": s["id"], "items": [item(p) for p in e.proposals]} for s, e in zip(sessions,
            extractions, strict=True)]
        result: dict[str, Any] = score.extraction(str(out), predictions)
    count = sum(len(w.messages) for w in windows)
    result |= {"seed": seed, "bank": bank.name, "messages": count, "messages_per_second": round(count / seconds),
               "drops": dict(Counter(d.reason.value for e in extractions for d in e.drops).most_common())}
    if misses:
        result["missed"], result["beside"], result["mistyped"] = [], [], []
        for s, p in zip(sessions, predictions, strict=True):
            _explain(score, s, p["items"], result)
        for key in ("missed", "beside", "mistyped"):
            result[key] = dict(Counter(result[key]).most_common(misses))
    return result


def _explain(score: Any, session: dict[str, Any], items: list[dict[str, Any]], result: dict[str, Any]) -> None:
    used: set[int] = set()
    for g in session["gold"]:
        hits = [i for i, it in enumerate(items) if score.holds(it["text"], g)]
        used |= set(hits)
        said = session["turns"][g["turn"]]["text"]
        if not hits and not g.get("optional"):
            got = [it["text"] for it in items if it["message"] == str(g["turn"])]
            result["missed"].append(f"{g['mode']} {g['type']} {g['frame']}: {said} => {got}")
        elif hits and g["type"] not in {items[i]["type"] for i in hits}:
            result["mistyped"].append(
            f"{g['mode']} {g['frame']} {g['type']} -> {items[hits[0]]['type']} ({items[hits[0]]['rule']}): {said}")
    for i, it in enumerate(items):
        if i not in used:
            result["beside"].append(
            f"{it['type']} {it['rule']}: {session['turns'][int(it['message'])]['text']} => {it['text']!r}")


# ---- samples -------------------------------------------------------------------------------------------------------

def sample_windows(script: dict[str, Any], gold: dict[str, Any], redact: Redact) -> Iterator[Window]:
    """The conversation as the readers hand it out: what was typed, what was answered, what tools printed."""
    day = date.fromisoformat(gold["said_on"])
    at = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
    sessions = script["sessions"] if "sessions" in script else [{"turns": script["turns"]}]
    number = 0
    for place, session in enumerate(sessions):
        messages: list[Message] = []
        for turn in session["turns"] if isinstance(session, dict) else session:
            number += 1
            messages.append(Message(id=f"u{number}", voice=Voice.PERSON, text=redact(turn["user"]), at=at))
            for i, step in enumerate(turn["steps"]):
                if "text" in step:
                    messages.append(Message(id=f"a{number}.{i}", voice=Voice.ASSISTANT, text=redact(step["text"]), at=
                        at))
                messages.extend(Message(id=f"t{number}.{i}.{j}", voice=Voice.TOOL, text="(output)", at=at) for j, _ in
                    enumerate(step.get("calls", ())))
        yield Window(messages=messages, host="sample", session=f"{gold['conversation']}-{place}", day=day)


def samples(shared: Path, redact: Redact, languages: set[str]) -> list[dict[str, Any]]:
    """Each sample: facts held, violations, memories beside the gold, types."""
    rules = Rules()
    out = []
    for folder in sorted((shared / "samples").iterdir()):
        if not (folder / "gold.json").exists():
            continue
        gold = json.loads((folder / "gold.json").read_text(encoding="utf-8"))
        if gold["language"] not in languages:
            continue
        script = json.loads((folder / "script.json").read_text(encoding="utf-8"))
        extractions = [rules.propose(w) for w in sample_windows(script, gold, redact)]
        out.append(_compare(gold, extractions))
    return out


def _compare(gold: dict[str, Any], extractions: list[Extraction]) -> dict[str, Any]:
    items = [item(p) for e in extractions for p in e.proposals]
    low = [i["text"].casefold() for i in items]
    held = {f["id"]: [n for n, t in enumerate(low) if all(any(w.casefold() in t for w in group) for group in f[
        "must_mention"])] for f in gold["remember"]}
    facts = {f["id"]: f for f in gold["remember"]}
    found = [k for k, v in held.items() if v]
    used = {i for v in held.values() for i in v}
    return {
        "conversation": gold["conversation"], "language": gold["language"], "facts": len(held), "found": len(found),
        "memories": len(items), "useful": len(used),
        "missed": [f"{k}: {facts[k]['quote']}" for k in held if not held[k]],
        "mistyped": [f"{k} {facts[k]['type']} -> {items[held[k][0]]['type']}: {facts[k]['quote']}" for k in found if
        facts[k]["type"] not in {items[i]["type"] for i in held[k]}],
        "misscoped": [f"{k} {facts[k]['scope']}" for k in found if facts[k]["scope"] not in {items[i]["scope"] for i in
        held[k]}],
        "violations": [f"{n['kind']}: {low[i]}" for n in gold["never"] for i in range(len(low)) if any(m.casefold() in
        low[i] for m in n["match"])],
        "superseded_left": [f"{s['id']}: {low[i]}" for s in gold["superseded"] for i in range(len(low)) if s["quote"].
        casefold() in low[i]],
        "beside": [items[i]["text"] for i in range(len(items)) if i not in used],
    }


def totals(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """One line over all samples."""
    facts, found, memories, useful = (sum(r[k] for r in rows) for k in ("facts", "found", "memories", "useful"))
    mistyped = sum(len(r["mistyped"]) for r in rows)
    recall, precision = found / max(1, facts), useful / max(1, memories)
    return {"precision": round(precision, 4), "recall": round(recall, 4), "f1": round(2 * precision * recall / max(1e-9,
    precision + recall), 4),
            "type_accuracy": round(1 - mistyped / max(1, found), 4), "memories": memories, "facts": facts, "violations":
            sum(len(r["violations"]) for r in rows)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, action="append")
    parser.add_argument("--bank", type=Path)
    parser.add_argument("--misses", type=int, default=0, help="also list up to N missed, mistyped and invented items")
    parser.add_argument("--languages", default="en,zh,ja,ko")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    where = os.environ.get("REVERIE_SHARED")
    if not where:
        print("set REVERIE_SHARED to the folder that holds codebench and samples", file=sys.stderr)
        return 2
    shared = Path(where)
    redact = redactor()
    report: dict[str, Any] = {"codebench": [codebench(shared, args.bank or shared / "codebench" / "bank_dev.bank", seed,
    redact, args.misses)
                                            for seed in args.seed or [11, 12]]}
    rows = samples(shared, redact, set(args.languages.split(",")))
    report["samples"] = totals(rows)
    report["conversations"] = rows
    if args.json:
        print(json.dumps(report, ensure_ascii=False, indent=1))
        return 0
    for result in report["codebench"]:
        print(f"codebench seed {result['seed']}: P {result['precision']:.3f} R {result['recall']:.3f} F1 "
            f"{result['f1']:.3f} type {result['type_accuracy']:.3f} "
              f"items/session {result['items_per_session']} · {result['messages_per_second']} messages/s")
        print("  by", result["by"], "\n  violations", result["violations"], "\n  drops", result["drops"])
        for key in ("missed", "mistyped", "beside"):
            for text, count in result.get(key, {}).items():
                print(f"  {key} x{count}: {text}")
    print("samples:", report["samples"])
    for row in rows:
        print(f"  {row['conversation']}: {row['found']} of {row['facts']}, {len(row['violations'])} violations, "
            f"{len(row['beside'])} of {row['memories']} beside")
        for key in ("missed", "mistyped", "misscoped", "violations", "superseded_left", "beside"):
            for text in row[key]:
                print(f"    {key}: {text!r}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
