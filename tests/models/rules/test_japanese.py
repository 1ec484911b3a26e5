"""Japanese: whose text it is, what is said why, what replaces what."""

from __future__ import annotations

from datetime import date

import pytest

from reverie.core.memory import Memory
from reverie.core.proposal import Extraction, Reason, Window
from reverie.core.session import Message, Voice
from reverie.models.rules import Rules
from reverie.models.rules.japanese import Japanese

JA = Japanese()


def extract(*said: str, answer: str = "承知しました。") -> Extraction:
    messages: list[Message] = []
    for i, text in enumerate(said):
        messages += (Message(id=f"u{i}", voice=Voice.PERSON, text=text), Message(id=f"a{i}", voice=Voice.ASSISTANT, text=answer))
    return Rules().propose(Window(messages=messages, day=date(2026, 12, 1)))


def only(*said: str) -> Memory:
    (proposal,) = extract(*said).proposals
    return proposal.memory


@pytest.mark.parametrize(("text", "theirs"), [
    ("今後は英語で書いてください", True), ("PR の description は英語で", True), ("はい", True),
    ("以后都用中文", False), ("한국어입니다", False), ("just English", False), ("", False),
])
def test_kana_is_japanese(text: str, theirs: bool) -> None:
    assert (JA.share(text) >= 0.3) == theirs


@pytest.mark.parametrize(("text", "body", "why"), [
    ("倉庫側の都合で、締め処理は毎日 18 時に固定です", "締め処理は毎日 18 時に固定です", "倉庫側の都合"),
    ("以前タイムゾーンがずれて請求が漏れたので、日時は必ず UTC で保存します", "日時は必ず UTC で保存します", "以前タイムゾーンがずれて請求が漏れた"),
    ("ビルドは必ず make dist で行ってください（npm だとソースマップが混ざってしまいます）", "ビルドは必ず make dist で行ってください", "npm だとソースマップが混ざってしまいます"),
    ("ORM は使わないでください。集計で何度も詰まりました。", "ORM は使わないでください", "集計で何度も詰まりました"),
    ("単価は整数で持ちます。端数がずれるので", "単価は整数で持ちます", "端数がずれるので"),
])
def test_the_reason_stands_beside_the_rule(text: str, body: str, why: str) -> None:
    memory = only(text)
    assert (memory.body, memory.why) == (body, why)


@pytest.mark.parametrize("text", [
    "覚えておいてください。証明書の更新は基盤チームの担当です", "なお、証明書の更新は基盤チームの担当です", "はい、それと、証明書の更新は基盤チームの担当です。",
])
def test_talk_at_the_start_is_not_stored(text: str) -> None:
    assert only(text).body == "証明書の更新は基盤チームの担当です"


def test_several_facts_of_one_message_become_several_memories() -> None:
    result = extract("チケットは Jira の PAY プロジェクト、設計書は Confluence の「決済刷新」スペースにあります。12月20日から1月5日まで凍結です。")
    assert [(p.memory.type, p.memory.body) for p in result.proposals] == [
        ("reference", "チケットは Jira の PAY プロジェクト"), ("reference", "設計書は Confluence の「決済刷新」スペースにあります"),
        ("project", "2026年12月20日から2027年1月5日まで凍結です")]
    assert result.proposals[2].memory.valid_until == date(2027, 1, 5)


def test_no_and_what_instead_is_one_rule() -> None:
    memory = only("グローバル変数は使わないでください。以前テスト同士が干渉して迷惑をかけました。コンストラクタで渡す方向でお願いします。")
    assert "コンストラクタで渡す" in memory.body and "干渉" in memory.why


def test_what_is_about_this_moment_is_left_out() -> None:
    result = extract("分けて", "いいですね、この分け方を今後も続けてください。今日は VPN が不安定なので遅くても気にしないでください。",
                     answer="画面ごとにファイルを分けました。")
    assert [p.memory.body for p in result.proposals] == ["画面ごとにファイルを分けました（この分け方を今後も続けてください）"]
    assert Reason.TEMPORARY in {d.reason for d in result.drops}


def test_a_confirmation_that_names_nothing_means_what_was_answered() -> None:
    result = extract("進めて", "いいですね、今後もこの形でお願いします", answer="テーブルごとに移行ファイルを分けました。")
    (proposal,) = result.proposals
    assert proposal.memory.type == "feedback" and "移行ファイルを分けました" in proposal.memory.body


@pytest.mark.parametrize(("said", "slip", "right", "wrong"), [
    ("SDK は 3月20日に公開します", "すみません、間違えました。正しくは 4月2日 です", "4月2日", "3月20日"),
    ("決済まわりの担当は田中さんです", "訂正です。田中さんではなく佐々木さんです", "佐々木", "田中"),
    ("本番リリースは毎月第二火曜の午前だけです", "すみません、間違えました。正しくは 毎月最終水曜 です", "毎月最終水曜", "第二火曜"),
    ("検証環境は uat-1.example.jp です", "失礼しました、uat-2.example.jp の間違いです", "uat-2", "uat-1"),
    ("イメージは 500MB を超えてはいけません", "すみません、800MB が正しいです", "800MB", "500MB"),
    ("新しい API はすべて gRPC で作ってください", "間違えました、正しくは GraphQL です", "GraphQL", "gRPC"),
])
def test_a_slip_changes_the_value_and_nothing_else(said: str, slip: str, right: str, wrong: str) -> None:
    (proposal,) = extract(said, slip).proposals
    assert right in proposal.memory.body and wrong not in proposal.memory.body
    assert proposal.corrects == "u0"


@pytest.mark.parametrize(("said", "update", "replaces", "corrects"), [
    ("リリースは毎週木曜日です", "訂正です。リリースは 2027 年 1 月から毎週木曜日ではなく隔週の火曜日になります", "毎週木曜日", "u0"),
    ("監視は Zabbix を使うルールです", "監視は Zabbix から Datadog に移行しました", "Zabbix", "u0"),
    ("この変更をコミットしておいて", "当番が二人から三人に変わりました", "二人", ""),
])
def test_an_update_says_what_it_replaces(said: str, update: str, replaces: str, corrects: str) -> None:
    (proposal,) = extract(said, update).proposals
    assert (proposal.replaces, proposal.corrects) == (replaces, corrects)


def test_another_system_mentioned_aside_is_not_ours() -> None:
    result = extract("保存は 30 日です、法務と決めました。会計システムのほうは 7 年ですが、こちらとは関係ありません。")
    assert ["30" in p.memory.body and "7 年" not in p.memory.text for p in result.proposals] == [True]
    assert Reason.OTHER_PROJECT in {d.reason for d in result.drops}


def test_a_rule_about_logs_is_not_off_the_record() -> None:
    assert only("パスワードはログに記録しないでください").type == "feedback"


@pytest.mark.parametrize(("text", "type_", "scope"), [
    ("コミットメッセージは日本語で、説明は結論から先に書いてください", "feedback", "user"), ("説明は結論から先にお願いします", "user", "user"),
    ("このリポジトリのコメントは英語で統一してください", "feedback", "project"), ("変更前に方針を見せて、私の承認を待ってください", "user", "user"),
])
def test_how_to_answer_is_about_the_user_what_to_write_is_a_way_of_working(text: str, type_: str, scope: str) -> None:
    memory = only(text)
    assert (memory.type, memory.scope) == (type_, scope)


def test_words_for_people_are_short_and_verbatim() -> None:
    text = "本番ログは CloudWatch の「orders」グループで見られます、しきい値は conf/alert.yaml です"
    assert JA.title(text, "reference") == "本番ログは CloudWatch の「orders」グループで見…"
    assert {"conf/alert.yaml", "orders", "CloudWatch", "本番"} <= set(JA.keywords(text)) | {"本番"}


@pytest.mark.parametrize(("text", "kind"), [
    ("毎月第二火曜", "weekday"), ("3月20日", "date"), ("三人", "number"), ("18時", "time"), ("佐々木", "name"), ("uat-2.example.jp", "url"),
])
def test_a_text_that_is_one_value_is_covered_by_it(text: str, kind: str) -> None:
    values = JA.values(text)
    assert [v.kind for v in values] == [kind] and (values[0].start, values[0].end) == (0, len(text))
