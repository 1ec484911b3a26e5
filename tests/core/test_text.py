"""The tokenizer: what can be found by what, in four languages and in code."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core import text
from reverie.core.vocabulary import MEANINGS


def plain(value: str) -> list[str]:
    """The terms that are words, meanings left out."""
    return [term for term in text.tokens(value) if not term.startswith(text.MEANING)]


def meant(value: str) -> set[str]:
    return {term[1:] for term in text.tokens(value) if term.startswith(text.MEANING)}


@pytest.mark.parametrize(
    ("words", "root"),
    [
        (("cache", "caches", "cached", "caching"), "cach"),
        (("migrate", "migrates", "migrated", "migrating", "migration", "migrations"), "migrat"),
        (("validate", "validation", "validating"), "validat"),
        (("deploy", "deploys", "deployed", "deployment", "deployments"), "deploy"),
        (("stop", "stops", "stopped", "stopping"), "stop"),
        (("query", "queries", "queried"), "queri"),
        (("process", "processes", "processing"), "process"),
        (("commit", "commits", "committed", "committing"), "commit"),
        (("address", "addresses"), "address"),
        (("status",), "status"),
        (("class", "classes"), "class"),
        (("optimise", "optimize", "optimised", "optimizing"), "optimiz"),
        (("string", "strings"), "string"),
        (("go", "api", "sql"), None),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_forms_of_one_word_share_a_stem(words: tuple[str, ...], root: str | None) -> None:
    assert {text.stem(word) for word in words} == ({root} if root else set(words))


@pytest.mark.parametrize(
    ("said", "whole", "parts"),
    [
        ("refresh_cache(tenant_id)", {"refresh_cache", "tenant_id"}, {"refresh", "cach", "tenant"}),
        ("useEffect", {"useeffect"}, {"effect"}),
        ("HTTPServerError", {"httpservererror"}, {"http", "server", "error"}),
        ("see docs.internal/d/ten-3, please", {"docs.internal/d/ten-3"}, {"doc", "internal", "ten"}),
        ("run it with --dry-run", {"dry-run"}, {"dry"}),
        ("in #harbor-oncall", {"harbor-oncall"}, {"harbor", "oncall"}),
        ("p95 of v3 on k8s", {"p95", "v3", "k8s"}, set()),
        ("ERR_MODULE_NOT_FOUND", {"err_module_not_found"}, {"err", "modul"}),
        ("@scope/some-pkg@1.2.3", {"scope/some-pkg@1.2.3"}, {"scop", "pkg"}),
        ("C++ and C# and .NET", {"cpp", "csharp", "dotnet"}, set()),
        ("the user's settings", set(), {"user", "setting"}),
        ("don't", set(), set()),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_identifiers_are_found_whole_and_by_their_parts(said: str, whole: set[str], parts: set[str]) -> None:
    assert whole | parts <= set(plain(said))


@pytest.mark.parametrize(
    ("said", "terms"),
    [
        ("认证配置", ["认证", "证配", "配置"]),
        ("部", ["部"]),
        ("把订单取消了吗", ["订单", "单取", "取消"]),
        ("認証設定", ["認証", "証設", "設定"]),
        ("デプロイ", ["デプロイ", "デプ", "プロ", "ロイ"]),
        ("よくあるしつもん", ["しつ"]),
        ("배포를", ["배포"]),
        ("ＱＷＥＮ ＡＰＩ", ["qwen", "api"]),
    ],
    ids=["chinese", "one character", "function characters cut", "japanese", "katakana", "hiragana", "korean", "full width"],
)
def test_cjk_needs_no_dictionary(said: str, terms: list[str]) -> None:
    assert plain(said)[:len(terms)] == terms


@pytest.mark.parametrize("said", ["", "the and of it is", "can you please do that for me", "thanks!", "ok", "。、！？", "—", "\x00"])
def test_chatter_and_punctuation_have_no_terms(said: str) -> None:
    assert text.tokens(said) == []


@pytest.mark.parametrize(
    ("a", "b", "meaning"),
    [
        ("commit this", "提交一下", "commit"),
        ("ship it", "本番に反映する", "deploy"),
        ("deploy", "배포해줘", "deploy"),
        ("who owns this", "担当は誰", "who"),
        ("pull request", "プルリクエスト", "pullrequest"),
        ("add a dependency", "升级依赖", "package"),
    ],
    ids=lambda value: value,
)
def test_words_of_one_meaning_meet_across_languages(a: str, b: str, meaning: str) -> None:
    assert meaning in meant(a) & meant(b)


def test_every_implied_meaning_exists() -> None:
    heads = {line.partition(":")[0] for line in MEANINGS.split("\n") if line and not line.startswith(" ")}
    named = {word for line in MEANINGS.replace("\n    ", " ").split("\n") for word in line.partition(" > ")[2].split()}
    assert named <= heads
    assert len(heads) > 80


@pytest.mark.parametrize("value", ["a" * 200_000, "a_" * 100_000, "ab-" * 60_000, "提" * 100_000, "'" * 100_000, "a'b" * 50_000, "." * 100_000])
def test_hostile_lengths_take_time_in_proportion(value: str) -> None:
    started = time.process_time()
    text.tokens(value)
    assert time.process_time() - started < 5


@given(st.text())
def test_no_text_is_an_error(value: str) -> None:
    for term in text.tokens(value):
        assert term.strip() == term != ""
        assert "\n" not in term
    assert text.fold(text.fold(value)) == text.fold(value)
