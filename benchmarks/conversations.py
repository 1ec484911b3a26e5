"""How well the rules learn from sixteen labelled conversations that they were not written for.

    python benchmarks/conversations.py [--folder DIR] [--verbose] [--json]

A conversation is a file of ``conversations/``: what a person, an assistant and tools said, and under ``gold`` what should
be remembered of it. Messages pass through the cleaning of the learning flow, then the extractor; nothing is stored.

- A fact is found when one proposal mentions a word of each list of its ``must_mention``; its type and scope are right when
  one of those proposals has them (``or_type`` and ``or_scope`` name further ones that people may well choose).
- Precision is the share of proposals that hold a fact. A proposal that holds only what was replaced later in the
  conversation counts neither way: it was right when it was said.
- A violation is a proposal that contains a text of ``never``. What was superseded is still valid when it stands, without
  its replacement, after the proposals have been merged in the order in which they were made.

The conversations hold no secrets: ``{{secret:KIND}}`` is made up when a file is read, the same for each run.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any

from reverie.core import merge
from reverie.core.memory import Memory
from reverie.core.proposal import Extraction, Extractor, Window
from reverie.core.session import Message, Voice
from reverie.flows.hearing import clean
from reverie.models.rules import Rules

FOLDER = Path(__file__).resolve().parent / "conversations"
VOICES = {"user": Voice.PERSON, "assistant": Voice.ASSISTANT, "tool": Voice.TOOL}

Words = list[list[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One conversation."""

    name: str
    language: str
    facts: int
    found: int
    right_type: int
    right_scope: int
    items: int                      # proposals, without those that hold only what was replaced later
    holding: int                    # of them, those that hold a fact
    superseded: int
    still_valid: tuple[str, ...]
    violations: tuple[tuple[str, str], ...]     # (kind, the proposal's text)
    missed: tuple[str, ...]
    mistyped: tuple[str, ...]
    misscoped: tuple[str, ...]
    beside: tuple[str, ...]


# ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

def made_up(kind: str, name: str) -> str:
    """A credential of the given kind that never existed; the same one for the same conversation."""
    digits = hashlib.sha256(f"{name}/{kind}".encode()).hexdigest()
    letters = "".join(chr(ord("a") + int(digit, 16) + index % 10) for index, digit in enumerate(digits))
    mixed = "".join(pair for pairs in zip(digits, letters.upper(), letters, strict=True) for pair in pairs)
    makers = {
        "hex": digits[:40],
        "password": f"{letters[:5].capitalize()}-{digits[:5]}!{letters[5:8].upper()}",
        "plain": mixed[:16],
        "github": "gh" + "p_" + mixed[:36],
        "gitlab": "gl" + "pat-" + mixed[:20],
        "stripe": "sk_" + "live_" + mixed[:24],
    }
    return makers[kind]


def load(path: Path) -> dict[str, Any]:
    """A conversation, its secrets filled in."""
    text = re.sub(r"\{\{secret:(\w+)\}\}", lambda found: made_up(found[1], path.stem), path.read_text(encoding="utf-8"))
    conversation: dict[str, Any] = json.loads(text)
    return conversation


def window(name: str, conversation: dict[str, Any]) -> Window:
    """What an extractor gets to see of a conversation, all of it in one piece."""
    day = date.fromisoformat(conversation["said_on"])
    at = datetime.combine(day, time(12), UTC)
    messages = [
        clean(Message(id=str(place), voice=VOICES[turn["role"]], text=turn["text"], at=at))
        for place, turn in enumerate(conversation["turns"])
    ]
    return Window(messages=messages, host="conversations", session=name, day=day)


# ── comparing ────────────────────────────────────────────────────────────────────────────────────────────────────────────

def holds(text: str, words: Words) -> bool:
    return all(any(word.casefold() in text for word in group) for group in words)


def standing(extraction: Extraction) -> list[Memory]:
    """What an empty store would hold once all proposals have been placed, as the learning flow places them."""
    known = merge.Known()
    for number, proposal in enumerate(extraction.proposals):
        placed = merge.place(proposal, known)
        if placed.act is merge.Act.CONFIRM and not placed.says_more:
            continue
        known.put(placed.memory if placed.memory.id else replace(placed.memory, id=str(number)))
        for void in placed.also_void:
            known.remove(void.id)
    return list(known)


def score(name: str, conversation: dict[str, Any], extractor: Extractor) -> Score:
    gold = conversation["gold"]
    extraction = extractor.propose(window(name, conversation))
    memories = [proposal.memory for proposal in extraction.proposals]
    texts = [memory.text.casefold() for memory in memories]
    said = [turn["text"] for turn in conversation["turns"] if turn["role"] == "user"]

    held = {fact["id"]: [n for n, text in enumerate(texts) if holds(text, fact["must_mention"])] for fact in gold["remember"]}
    facts = {fact["id"]: fact for fact in gold["remember"]}
    holding = {n for found in held.values() for n in found}
    old = {n for n, text in enumerate(texts) if any(holds(text, each["must_mention"]) for each in gold["superseded"])}
    replaced = old - holding
    mistyped = _differing(facts, held, [memory.type for memory in memories], "type")
    misscoped = _differing(facts, held, [memory.scope for memory in memories], "scope")
    found = sum(bool(numbers) for numbers in held.values())
    beside = [n for n in range(len(memories)) if n not in holding and n not in replaced]
    return Score(
        name=name, language=conversation["language"], facts=len(facts), found=found,
        right_type=found - len(mistyped), right_scope=found - len(misscoped),
        items=len(memories) - len(replaced), holding=len(holding), superseded=len(gold["superseded"]),
        still_valid=tuple(_still_valid(gold, facts, standing(extraction))),
        violations=tuple(_violations(gold["never"], memories)),
        missed=tuple(
            f"{id} {fact['kind']}: {fact['fact']} <= {said[fact['turn'] - 1]!r}" for id, fact in facts.items() if not held[id]
        ),
        mistyped=tuple(mistyped), misscoped=tuple(misscoped),
        beside=tuple(f"{memories[n].type} {memories[n].source.rule}: {memories[n].text!r}" for n in beside),
    )


def _differing(facts: dict[str, Any], held: dict[str, list[int]], values: Sequence[str], field: str) -> list[str]:
    """The facts that were found, but with another type (scope) than is right."""
    return [
        f"{id} {fact['kind']}: {fact[field]} -> {values[held[id][0]]}: {fact['fact']}"
        for id, fact in facts.items()
        if held[id] and not {fact[field], *fact.get(f"or_{field}", ())} & {values[n] for n in held[id]}
    ]


def _still_valid(gold: dict[str, Any], facts: dict[str, Any], memories: Iterable[Memory]) -> list[str]:
    found = []
    for old in gold["superseded"]:
        new = facts.get(old["superseded_by"])
        for memory in memories:
            text = memory.text.casefold()
            if holds(text, old["must_mention"]) and not (new and holds(text, new["must_mention"])):
                found.append(f"{old['quote']} <= {memory.text!r}")
                break
    return found


def _violations(never: list[dict[str, Any]], memories: Iterable[Memory]) -> list[tuple[str, str]]:
    """Each kind at most once for each proposal. A secret must not stand in what is kept about the source either."""
    found = []
    for memory in memories:
        for kind, match in ((each["kind"], each["match"]) for each in never):
            text = "\n".join((memory.text, *memory.keywords, memory.source.quote if kind == "secret" else "")).casefold()
            if any(part.casefold() in text for part in match):
                found.append((kind, memory.text))
    return found


# ── reporting ────────────────────────────────────────────────────────────────────────────────────────────────────────────

def summary(scores: Sequence[Score]) -> dict[str, Any]:
    """Over several conversations."""
    facts, found, items, holding = (sum(getattr(s, key) for s in scores) for key in ("facts", "found", "items", "holding"))
    recall, precision = found / facts if facts else 1.0, holding / items if items else 1.0
    return {
        "facts": facts, "items": items, "recall": round(recall, 3), "precision": round(precision, 3),
        "f1": round(2 * precision * recall / (precision + recall), 3) if precision + recall else 0.0,
        "type": round(sum(s.right_type for s in scores) / found, 3) if found else 1.0,
        "scope": round(sum(s.right_scope for s in scores) / found, 3) if found else 1.0,
        "items_per_fact": round(items / facts, 2) if facts else float(items),
        "violations": dict(Counter(kind for s in scores for kind, _ in s.violations).most_common()),
        "superseded_still_valid": f"{sum(len(s.still_valid) for s in scores)} of {sum(s.superseded for s in scores)}",
    }


def line(name: str, scores: Sequence[Score]) -> str:
    total = summary(scores)
    return (
        f"{name:<20} facts {total['facts']:>3}  items {total['items']:>3}  R {total['recall']:.3f}  P {total['precision']:.3f}  "
        f"F1 {total['f1']:.3f}  type {total['type']:.3f}  scope {total['scope']:.3f}  items/fact {total['items_per_fact']:.2f}  "
        f"superseded valid {total['superseded_still_valid']}  violations {total['violations'] or 'none'}"
    )


def show(scores: Sequence[Score], *, verbose: bool) -> None:
    for each in scores:
        print(line(each.name, [each]))
        if verbose:
            for key in ("missed", "mistyped", "misscoped", "beside", "still_valid"):
                for text in getattr(each, key):
                    print(f"    {key}: {text}")
            for kind, text in each.violations:
                print(f"    violation, {kind}: {text!r}")
    print()
    for language in sorted({each.language for each in scores}):
        print(line(language, [each for each in scores if each.language == language]))
    print(line("all", scores))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the conversations are")
    parser.add_argument("--verbose", action="store_true", help="list what was missed, mistyped, beside the gold, against it")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    extractor = Rules()
    scores = [score(path.stem, load(path), extractor) for path in sorted(args.folder.glob("*.json"))]
    if not scores:
        print(f"no conversations in {args.folder}", file=sys.stderr)
        return 2
    if args.json:
        report = {"all": summary(scores), "conversations": [asdict(each) for each in scores]}
        print(json.dumps(report, ensure_ascii=False, indent=1))
    else:
        show(scores, verbose=args.verbose)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
