"""From the recorded session files of five real clients to stored memories, against what should be remembered.

    REVERIE_SHARED=DIR python benchmarks/end_to_end.py [--design NAME] [--json] [--verbose]

Each conversation is learned from each host's own files into a fresh home. A fact counts as remembered when one memory
mentions a word of each of its lists; its type as right when one of those memories has it. Precision is the share of memories
that hold a fact of the gold. A violation is a memory that contains a text it must never contain. "same" compares what the
five hosts' files of one conversation led to. The labels are the data set's; the scorer is this file.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from reverie.memory import open_memory

HOSTS = ("claude-code", "codex", "qwen-code", "opencode", "kimi-code")


@dataclass
class Score:
    """One conversation, learned from one host's files."""

    conversation: str
    host: str
    prompts: int
    facts: int
    remembered: int
    right_type: int
    right_scope: int
    memories: int
    holding: int
    violations: list[str]
    stale: list[str]
    missed: list[str]
    beside: list[str]
    words: frozenset[str]


def _text(memory: dict[str, Any]) -> str:
    return "\n".join(str(memory[key]) for key in ("name", "description", "body", "why", "how_to_apply"))


def _holds(text: str, groups: list[list[str]]) -> bool:
    return all(any(word.casefold() in text for word in group) for group in groups)


def score(folder: Path, host: str, design: str) -> Score:
    from reverie.memory import as_dict

    gold = json.loads((folder / "gold.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as home, open_memory(home, design=design, cwd=home, environment={}) as memory:
        report = memory.learn(agents_home=str(folder / host / "home"))
        memories = [as_dict(found) for found in memory.list(everywhere=True)]
        everything = "\n".join(
            path.read_text(encoding="utf-8", errors="replace") for path in Path(home, "stores").rglob("*") if path.is_file()
        ).casefold()
    texts = [_text(each).casefold() for each in memories]
    holds = {
        fact["id"]: [n for n, text in enumerate(texts) if _holds(text, fact["must_mention"])]
        for fact in gold["remember"]
    }
    used = {n for found in holds.values() for n in found}
    facts = {fact["id"]: fact for fact in gold["remember"]}
    return Score(
        conversation=folder.name, host=host, prompts=sum(each.said for each in report.sessions), facts=len(facts),
        remembered=sum(bool(found) for found in holds.values()),
        right_type=sum(any(memories[n]["type"] == facts[id]["type"] for n in found) for id, found in holds.items()),
        right_scope=sum(any(memories[n]["scope"] == facts[id]["scope"] for n in found) for id, found in holds.items()),
        memories=len(memories), holding=len(used),
        violations=[f"{n['kind']}: {m}" for n in gold["never"] for m in n["match"] if m.casefold() in everything],
        stale=[s["id"] for s in gold["superseded"] if any(s["quote"].casefold() in text for text in texts)],
        missed=[f"{facts[id]['kind']}: {facts[id]['fact']}" for id, found in holds.items() if not found],
        beside=[memories[n]["body"] for n in range(len(memories)) if n not in used],
        words=frozenset(each["body"] for each in memories),
    )


def scores(samples: Path, design: str) -> Iterator[Score]:
    for folder in sorted(path.parent for path in samples.glob("*/gold.json")):
        for host in HOSTS:
            yield score(folder, host, design)


def summary(done: list[Score]) -> dict[str, Any]:
    """Over all conversations and hosts."""
    facts, remembered = sum(s.facts for s in done), sum(s.remembered for s in done)
    memories, holding = sum(s.memories for s in done), sum(s.holding for s in done)
    recall, precision = remembered / facts, holding / memories if memories else 0.0
    same = {s.conversation for s in done} - {
        s.conversation for s in done for t in done if s.conversation == t.conversation and s.words != t.words
    }
    return {
        "recall": round(recall, 3), "precision": round(precision, 3),
        "f1": round(2 * precision * recall / (precision + recall), 3) if precision + recall else 0.0,
        "type_accuracy": round(sum(s.right_type for s in done) / remembered, 3),
        "scope_accuracy": round(sum(s.right_scope for s in done) / remembered, 3),
        "violations": sum(len(s.violations) for s in done), "superseded_still_valid": sum(len(s.stale) for s in done),
        "same_in_all_hosts": f"{len(same)} of {len({s.conversation for s in done})}",
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--design", default="reverie")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    place = os.environ.get("REVERIE_SHARED")
    if not place:
        sys.exit("set REVERIE_SHARED to the folder that holds samples/")
    done = list(scores(Path(place, "samples"), args.design))
    if args.json:
        rows = [asdict(s) | {"words": None} for s in done]
        print(json.dumps({"summary": summary(done), "scores": rows}, ensure_ascii=False, indent=1))
        return
    for s in done:
        print(f"{s.conversation:18} {s.host:12} {s.prompts} prompts  {s.remembered}/{s.facts} facts  {s.memories} memories, "
              f"{len(s.beside)} beside  {len(s.violations)} violations  {len(s.stale)} stale")
        if args.verbose and s.host == HOSTS[0]:
            for label, texts in (("missed", s.missed), ("beside", s.beside), ("NEVER", s.violations), ("stale", s.stale)):
                for text in texts:
                    print(f"      {label:7} {text[:150]}")
    print(json.dumps(summary(done)))


if __name__ == "__main__":
    main()
