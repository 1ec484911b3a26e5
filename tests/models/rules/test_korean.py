"""Korean: whose text it is, what is said why, what replaces what."""

from __future__ import annotations

from datetime import date

import pytest

from reverie.core.memory import Memory
from reverie.core.proposal import Extraction, Reason, Window
from reverie.core.session import Message, Voice
from reverie.models.rules import Rules
from reverie.models.rules.korean import Korean

KO = Korean()


def extract(*said: str, answer: str = "알겠습니다.") -> Extraction:
    messages: list[Message] = []
    for i, text in enumerate(said):
        messages += (Message(id=f"u{i}", voice=Voice.PERSON, text=text), Message(id=f"a{i}", voice=Voice.ASSISTANT, text=answer))
    return Rules().propose(Window(messages=messages, day=date(2026, 12, 1)))


def only(*said: str) -> Memory:
    (proposal,) = extract(*said).proposals
    return proposal.memory


@pytest.mark.parametrize(("text", "theirs"), [
    ("앞으로 영어로 써 주세요", True), ("PR description은 영어로", True), ("네", True), ("以后都用中文", False), ("日本語です", False), ("just English", False), ("", False),
])
def test_hangul_is_korean(text: str, theirs: bool) -> None:
    assert (KO.share(text) >= 0.3) == theirs


@pytest.mark.parametrize(("text", "body", "why"), [
    ("창고 쪽 사정으로 마감은 매일 18시에 고정합니다", "마감은 매일 18시에 고정합니다", "창고 쪽 사정"),
    ("예전에 시간대가 틀어져서 청구가 누락됐기 때문에 날짜는 반드시 UTC로 저장합니다", "날짜는 반드시 UTC로 저장합니다", "예전에 시간대가 틀어져서 청구가 누락됐기 때문에"),
    ("커밋 전에 꼭 make lint 돌려 주세요. CI에서 막히거든요.", "커밋 전에 꼭 make lint 돌려 주세요", "CI에서 막히거든요"),
    ("ORM은 쓰지 마세요. 집계에서 여러 번 터졌습니다.", "ORM은 쓰지 마세요", "집계에서 여러 번 터졌습니다"),
])
def test_the_reason_stands_beside_the_rule(text: str, body: str, why: str) -> None:
    memory = only(text)
    assert (memory.body, memory.why) == (body, why)


@pytest.mark.parametrize("text", [
    "기억해 주세요. 인증서 갱신은 플랫폼팀 담당입니다", "참고로, 인증서 갱신은 플랫폼팀 담당입니다", "네, 그리고 인증서 갱신은 플랫폼팀 담당입니다.",
    "메모해 두세요: 인증서 갱신은 플랫폼팀 담당입니다",
])
def test_talk_at_the_start_is_not_stored(text: str) -> None:
    assert only(text).body == "인증서 갱신은 플랫폼팀 담당입니다"


def test_several_facts_of_one_message_become_several_memories() -> None:
    result = extract("버그는 Jira PAY 프로젝트에 등록하고, 설계서는 Confluence '결제 개편' 스페이스에 있어요. 12월 20일부터 1월 5일까지 배포 동결입니다.")
    assert [(p.memory.type, p.memory.body) for p in result.proposals] == [
        ("reference", "버그는 Jira PAY 프로젝트에 등록하고"), ("reference", "설계서는 Confluence '결제 개편' 스페이스에 있어요"),
        ("project", "2026년 12월 20일부터 2027년 1월 5일까지 배포 동결입니다")]
    assert result.proposals[2].memory.valid_until == date(2027, 1, 5)


def test_what_is_about_this_moment_is_left_out() -> None:
    result = extract("나눠 줘", "좋아요, 이 방식 앞으로 계속 유지해 주세요. 오늘은 제 VPN이 불안정하니 느려도 신경 쓰지 마세요.",
                     answer="화면마다 파일을 나눴습니다.")
    assert [p.memory.type for p in result.proposals] == ["feedback"]
    assert "VPN" not in result.proposals[0].memory.text
    assert Reason.TEMPORARY in {d.reason for d in result.drops}


def test_a_confirmation_that_names_nothing_means_what_was_answered() -> None:
    result = extract("진행해 줘", "좋아요, 앞으로도 이렇게 해 주세요", answer="테이블마다 마이그레이션 파일을 나눴습니다.")
    (proposal,) = result.proposals
    assert proposal.memory.type == "feedback" and "마이그레이션 파일을 나눴습니다" in proposal.memory.body


@pytest.mark.parametrize(("said", "slip", "right", "wrong"), [
    ("SDK는 3월 20일에 공개합니다", "아, 잘못 말했어요. 4월 2일이 맞아요", "4월 2일", "3월 20일"),
    ("결제 모듈은 김민수 님이 담당합니다", "죄송해요, 잘못 적었네요. 이서연 님입니다", "이서연", "김민수"),
    ("운영 배포는 매주 화요일 오전에만 합니다", "정정할게요. 매주 목요일이 맞습니다", "매주 목요일", "매주 화요일"),
    ("이미지는 500MB를 넘으면 안 됩니다", "오타예요, 800MB입니다", "800MB", "500MB"),
    ("스테이징은 stg-1.shop.example 입니다", "잘못 썼어요. 정확히는 stg-2.shop.example 입니다", "stg-2", "stg-1"),
    ("새 엔드포인트는 gRPC로만 만듭니다", "아니요, 잘못 말했습니다. GraphQL이에요", "GraphQL", "gRPC"),
])
def test_a_slip_changes_the_value_and_nothing_else(said: str, slip: str, right: str, wrong: str) -> None:
    (proposal,) = extract(said, slip).proposals
    assert right in proposal.memory.body and wrong not in proposal.memory.body
    assert proposal.corrects == "u0"


@pytest.mark.parametrize(("said", "update", "replaces", "corrects"), [
    ("배포는 매주 목요일에만 합니다", "배포는 다음 달부터 매주 목요일이 아니라 격주 화요일로 바뀝니다", "매주 목요일", "u0"),
    ("모니터링은 Zabbix를 쓰는 게 규칙이에요", "모니터링은 Zabbix에서 Datadog으로 옮겼습니다", "Zabbix", "u0"),
    ("이 변경 커밋해 줘", "당직이 두 명에서 세 명으로 바뀌었어요", "두 명", ""),
])
def test_an_update_says_what_it_replaces(said: str, update: str, replaces: str, corrects: str) -> None:
    (proposal,) = extract(said, update).proposals
    assert (proposal.replaces, proposal.corrects) == (replaces, corrects)


def test_off_record_covers_what_follows_in_the_same_breath() -> None:
    result = extract("이건 기억하지 마세요. 담당자가 바뀝니다. 앞으로 승인은 최 과장님이 합니다.")
    assert result.proposals == () and {d.reason for d in result.drops} == {Reason.OFF_RECORD}


def test_a_rule_about_logs_is_not_off_the_record() -> None:
    assert only("비밀번호는 로그에 기록하지 마세요").type == "feedback"


@pytest.mark.parametrize(("text", "type_", "scope"), [
    ("커밋 메시지는 영어로, 설명은 한국어로 써 주세요", "feedback", "user"), ("설명은 결론부터 짧게 부탁드려요", "user", "user"),
    ("이 저장소 주석은 영어로 통일해 주세요", "feedback", "project"), ("고치기 전에 계획부터 보여주고 제 승인을 기다려 주세요", "user", "user"),
])
def test_how_to_answer_is_about_the_user_what_to_write_is_a_way_of_working(text: str, type_: str, scope: str) -> None:
    memory = only(text)
    assert (memory.type, memory.scope) == (type_, scope)


def test_words_for_people_are_short_and_verbatim() -> None:
    text = "운영 로그는 CloudWatch 'orders' 그룹에서 볼 수 있어요, 임계값은 conf/alert.yaml 입니다"
    assert KO.title(text, "reference") == "운영 로그는 CloudWatch 'orders' 그룹에서 볼 수…"
    assert {"conf/alert.yaml", "orders", "CloudWatch"} <= set(KO.keywords(text))


@pytest.mark.parametrize(("text", "kind"), [
    ("매주 목요일", "weekday"), ("4월 2일", "date"), ("세 명", "number"), ("이서연", "name"), ("stg-2.shop.example", "url"), ("800MB", "number"),
])
def test_a_text_that_is_one_value_is_covered_by_it(text: str, kind: str) -> None:
    values = KO.values(text)
    assert [v.kind for v in values] == [kind] and (values[0].start, values[0].end) == (0, len(text))
