"""Pieces that look the same in every language, and what a person did not say but paste."""

from __future__ import annotations

import pytest

from reverie.models.rules import neutral


@pytest.mark.parametrize(("text", "kind", "piece"), [
    ("see https://ci.example.org/job/7?x=1.", "url", "https://ci.example.org/job/7?x=1"),
    ("it runs at stage.acme.example:8443", "url", "stage.acme.example:8443"),
    ("ask in #data-oncall first", "channel", "#data-oncall"),
    ("run it with --dry-run", "flag", "--dry-run"),
    ("look in src/app/main.py", "path", "src/app/main.py"),
    ("someone edited package-lock.json", "path", "package-lock.json"),
    ("it is in main.py, line 3", "path", "main.py"),
    ("on the share //nas/eng/rev-d", "path", "//nas/eng/rev-d"),
    ("call load_rows() twice", "code", "load_rows()"),
    ("raise DomainError here", "code", "DomainError"),
    ("use `make test` here", "codespan", "`make test`"),
    ("this is BIL-412", "id", "BIL-412"),
    ("under 300 lines", "number", "300"),
], ids=lambda value: value[:20])
def test_values_are_found_whole(text: str, kind: str, piece: str) -> None:
    kind = "code" if kind == "codespan" else kind
    assert (kind, piece) in [(v.kind, text[v.start:v.end]) for v in neutral.values(text)]


@pytest.mark.parametrize("text", ["I'm in UTC-3", "e.g. this", "and so on...", "a-b testing"])
def test_ordinary_words_are_no_ids(text: str) -> None:
    assert [v for v in neutral.values(text) if v.kind in ("id", "url", "path", "flag")] == []


def test_paragraphs_without_what_was_pasted() -> None:
    text = "fix this please\n```\nx = 1\n```\n> quoted\n$ make\n2026-12-01 10:00:00 INFO started\nand use tabs"
    assert neutral.spoken(text) == ["fix this please", "and use tabs"]


def test_an_open_fence_swallows_the_rest() -> None:
    assert neutral.spoken("before\n```\nnever ends\nalways") == ["before"]


def test_the_placeholder_of_the_redaction_is_recognised() -> None:
    assert neutral.PLACEHOLDER.search("the key is [REDACTED_SECRET], ok")
    assert not neutral.PLACEHOLDER.search("the key is [see below]")
