"""Qwen Code's two scorers, by the study's and the specification's rules, and on its own fixture to the tenth of a percent."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core import qwen_scores
from reverie.core.memory import Memory

if TYPE_CHECKING:
    from reverie.core.recall import Document

BOARD = Memory(name="Oncall board", description="Grafana service dashboard", type="reference", body="Response times and alerts.")
EMPTY = Memory(name="Sprint placeholder", description="Upcoming milestone", type="project", body="_No entries yet._")


@pytest.mark.parametrize(
    ("query", "document", "score"),
    [
        ("grafana", BOARD, 2 + 1),
        ("grafana dashboard", BOARD, 2 + 2 + 1 + 1),
        ("zebra", BOARD, 1),
        ("go", BOARD, 0),
        ("看板", BOARD, 0),
        ("milestone", EMPTY, 2),
        ("grafana grafana", BOARD, 3),
    ],
    ids=["word and body", "keyword of the type", "body alone", "too short", "no chinese", "placeholder is no body", "counted once"],
)
def test_the_study_counts_two_one_one(query: str, document: Memory, score: int) -> None:
    assert qwen_scores.study_score(query, document) == score


@pytest.mark.parametrize(
    ("query", "document", "score"),
    [
        ("board", BOARD, 4 + 3),
        ("alerts", BOARD, 1),
        ("dashboard", BOARD, 3 + 1),
        ("zebra", BOARD, 0),
        ("dashboard ticket docs", BOARD, 3 + 2),
        ("ＧＲＡＦＡＮＡ", BOARD, 3),
        ("entries", EMPTY, 0),
        ("x" * 1200 + " needle", Memory(name="n", body="x" * 1200 + " needle"), 1),
    ],
    ids=["title and description", "body", "keyword", "no floor without a hit", "two keywords at most", "nfkc", "placeholder", "1,200"],
)
def test_the_product_counts_four_three_one(query: str, document: Memory, score: int) -> None:
    assert qwen_scores.product_score(query, document) == score


@pytest.mark.parametrize(
    ("query", "tokens"),
    [
        ("生产部署", ["生产", "产部", "部署"]),
        ("部", []),
        ("go CI api", ["api"]),
        ("デプロイ手順", ["デプ", "プロ", "ロイ", "イ手", "手順"]),
        ("배포 절차", ["배포", "절차"]),
        ("snake_case p95", ["snake", "case", "p95"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_products_tokens(query: str, tokens: list[str]) -> None:
    assert qwen_scores.product_tokens(query) == tokens


def test_of_many_tokens_the_first_and_the_last_count() -> None:
    words = [f"word{number:03d}" for number in range(100)]
    assert qwen_scores.product_tokens(" ".join(words)) == words[:32] + words[-32:]
    assert qwen_scores.product_tokens(" ".join([*words, words[40]]))[-1] == words[40]


@pytest.mark.parametrize(
    ("text", "tools", "dropped"),
    [
        ("Tool usage of glob: patterns are relative", ["glob"], True),
        ("Tool usage of glob: patterns are relative", ["read_file"], False),
        ("Patterns for glob are relative", ["glob"], False),
        ("Tool usage of glob; known issue: it follows links", ["glob"], False),
        ("API docs of create_issue", ["mcp__tracker__create_issue"], True),
        ("Parameter schema of search", ["web::search"], True),
        ("Tool schema of glob", ["glob", *(f"other{n}" for n in range(20))], False),
        ("Tool schema of glob", ["glob", *(["other"] * 30)], True),
    ],
    ids=["usage", "another tool", "no mark", "durable", "mcp", "behind ::", "too long ago", "twenty distinct ones"],
)
def test_what_only_tells_the_use_of_a_tool_at_work_is_dropped(text: str, tools: list[str], dropped: bool) -> None:
    assert qwen_scores.only_tells_usage(Memory(name="A note", description=text, body=""), tools) is dropped
    assert qwen_scores.only_tells_usage(Memory(name="A note", description="", body=text.upper()), tools) is dropped


def test_ties_keep_the_order_of_the_input() -> None:
    twins = [Memory(name=name, description="same words") for name in "abcdefg"]
    assert qwen_scores.select("words", twins, qwen_scores.product_score) == [0, 1, 2, 3, 4]


@given(st.text(), st.text())
def test_no_text_is_an_error(query: str, body: str) -> None:
    document = Memory(name=body[:20], description=query[:20], body=body, type="feedback")
    assert qwen_scores.study_score(query, document) >= 0
    assert qwen_scores.product_score(query, document) >= 0


# ------------------------------------------------------------ the product's own fixture (spec/qwen-code §23, recomputed)

Score = Callable[[str, "Document"], int]
SLICES: dict[str, Callable[[str], bool]] = {
    "all 48": lambda category: True,
    "gated 45": lambda category: category != "semantic-no-lexical",
    "english 11": lambda category: category == "english",
    "chinese+japanese+korean 17": lambda category: category in ("chinese", "japanese", "korean"),
    "mixed+nfkc 5": lambda category: category in ("mixed", "nfkc"),
    "semantic 3": lambda category: category == "semantic-no-lexical",
}


def measured(score: Score, documents: list[Memory], cases: Iterable[dict[str, Any]]) -> tuple[float | None, ...]:
    """Recall@5, top-1, no-result precision and recall, in percent."""
    recall, top, silent, rightly, none = [], [], 0, 0, 0
    for case in cases:
        chosen = [documents[place].id for place in qwen_scores.select(case["query"], documents, score)]
        wanted = set(case["relevantIds"])
        if wanted:
            recall.append(len(wanted & set(chosen)) / len(wanted))
        if case.get("expectedTopId"):
            top.append(chosen[:1] == [case["expectedTopId"]])
        none += not wanted
        silent += not chosen
        rightly += not chosen and not wanted
    return (share(sum(recall), len(recall)), share(sum(top), len(top)), share(rightly, silent), share(rightly, none))


def share(part: float, whole: int) -> float | None:
    return round(100 * part / whole, 1) if whole else None


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "study", "product"),
    [
        ("all 48", (46.2, 47.2, 17.4, 44.4), (92.3, 97.2, 75.0, 100.0)),
        ("gated 45", (50.0, 47.2, 18.2, 44.4), (100.0, 97.2, 100.0, 100.0)),
        ("english 11", (100.0, 100.0, None, None), (100.0, 100.0, None, None)),
        ("chinese+japanese+korean 17", (0.0, 0.0, 0.0, None), (100.0, 100.0, None, None)),
        ("mixed+nfkc 5", (80.0, 60.0, 0.0, None), (100.0, 100.0, None, None)),
        ("semantic 3", (0.0, None, 0.0, None), (0.0, None, 0.0, None)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_fixtures_table_is_reproduced(
    shared: Path, name: str, study: tuple[float | None, ...], product: tuple[float | None, ...]
) -> None:
    fixture = json.loads((shared / "bench-data/qwen-recall/auto-memory-recall-eval.json").read_text("utf-8"))
    documents = [Memory(name=document["title"], description=document["description"], type=document["type"],
                        body=document["body"], id=document["id"]) for document in fixture["docs"]]
    cases = [case for case in fixture["cases"] if SLICES[name](case["category"])]
    assert measured(qwen_scores.study_score, sorted(documents, key=lambda document: document.type), cases) == study
    assert measured(qwen_scores.product_score, documents, cases) == product
