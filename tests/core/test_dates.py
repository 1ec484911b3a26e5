"""Dates: tables that can be judged by eye. Everything is said on Tuesday, 1 December 2026, unless a row says otherwise."""

from __future__ import annotations

import itertools
import time
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.core.dates import KINDS, RELATIONS, absolute, find, valid_until

SAID_ON = date(2026, 12, 1)

# text, what absolute() makes of it
ABSOLUTE = [
    # English: days and weekdays
    ("we ship tomorrow", "we ship on 2026-12-02"),
    ("the key expires by tomorrow", "the key expires by 2026-12-02"),
    ("yesterday we agreed on cursors", "on 2026-11-30 we agreed on cursors"),
    ("Finance confirmed this morning that amounts are cents", "Finance confirmed on 2026-12-01 that amounts are cents"),
    ("freeze from today", "freeze from 2026-12-01"),
    ("the demo is on Friday", "the demo is on Friday (2026-12-04)"),
    ("code freeze until Thursday", "code freeze until Thursday (2026-12-03)"),
    ("sessions double count since friday", "sessions double count since friday (2026-11-27)"),
    ("we moved it last Friday", "we moved it last Friday (2026-11-27)"),
    ("the audit starts next Friday", "the audit starts next Friday (2026-12-11)"),
    ("merge it by this Friday", "merge it by this Friday (2026-12-04)"),
    ("we broke prod on Monday", "we broke prod on Monday (2026-11-30)"),
    ("pilot on Friday 11 December", "pilot on Friday 11 December 2026"),
    ("by Fri please, the board meets then", "by Fri (2026-12-04) please, the board meets then"),
    # English: months and years
    ("code freeze until 7 January", "code freeze until 7 January 2027"),
    ("On 24 November we decided to drop polling", "On 24 November 2026 we decided to drop polling"),
    ("the outcome of the review on 3 November", "the outcome of the review on 3 November 2026"),
    ("cutover on January 15th", "cutover on January 15th, 2027"),
    ("cutover on the 15th of January", "cutover on the 15th of January 2027"),
    ("cutover on Jan 15", "cutover on Jan 15 (2027-01-15)"),
    ("cutover on 15 Jan", "cutover on 15 Jan (2027-01-15)"),
    ("From 1 March we only ship signed builds", "From 1 March 2027 we only ship signed builds"),
    ("on Node 22 since March", "on Node 22 since March 2026"),
    ("the office moves in March", "the office moves in March 2027"),
    ("we switched in March", "we switched in March 2026"),
    ("new numbers in mid-January", "new numbers in mid-January 2027"),
    ("the contract ends at the end of March", "the contract ends at the end of March (2027-03-31)"),
    # English: distances and spans
    ("the trial ends in two weeks", "the trial ends in two weeks (2026-12-15)"),
    ("done within 10 days", "done within 10 days (2026-12-11)"),
    ("frozen for the next two weeks", "frozen for the next two weeks (2026-12-15)"),
    ("three weeks ago we dropped Redis", "three weeks ago (2026-11-10) we dropped Redis"),
    ("we start next week", "we start next week (2026-12-07 to 2026-12-13)"),
    ("an outage last month cost us a customer", "an outage last month (2026-11) cost us a customer"),
    ("race conditions last year cost a weekend", "race conditions last year (2025) cost a weekend"),
    ("rollout is next quarter", "rollout is next quarter (2027-Q1)"),
    ("must be gone by the end of the month", "must be gone by the end of the month (2026-12-31)"),
    ("supported until the end of the year", "supported until the end of the year (2026-12-31)"),
    ("done by end of Q1", "done by end of Q1 (2027-03-31)"),
    ("we migrate in Q2", "we migrate in Q2 (2027-Q2)"),
    # Chinese
    ("明天上线", "2026-12-02上线"),
    ("昨天和法务定的", "2026-11-30和法务定的"),
    ("后天之前给结果", "2026-12-03之前给结果"),
    ("下周三开始封版", "下周三（2026-12-09）开始封版"),
    ("这周五之前合进去", "这周五（2026-12-04）之前合进去"),
    ("上周四出过事故", "上周四（2026-11-26）出过事故"),
    ("下下周一切流量", "下下周一（2026-12-14）切流量"),
    ("周五上线", "周五（2026-12-04）上线"),
    ("会话缓存从 12 月 15 日起改成 24 小时", "会话缓存从 2026 年 12 月 15 日起改成 24 小时"),
    ("这个是 11 月 12 日和法务定的", "这个是 2026 年 11 月 12 日和法务定的"),
    ("11月12日定的", "2026年11月12日定的"),
    ("移动端十二月二十日开始封版", "移动端2026年十二月二十日开始封版"),
    ("封版时间从一月五日改到三月一日了", "封版时间从2027年一月五日改到2027年三月一日了"),
    ("旧接口保留到1月15号", "旧接口保留到2027年1月15号"),
    ("三月起全部走网关", "2027年三月起全部走网关"),
    ("今年3月1日立项", "今年3月1日（2026-03-01）立项"),
    ("明年上半年迁完", "明年（2027）上半年迁完"),
    ("下个月换机房", "下个月（2027-01）换机房"),
    ("下周做压测", "下周（2026-12-07～2026-12-13）做压测"),
    ("到月底为止只收修复", "到月底（2026-12-31）为止只收修复"),
    ("年底前下线旧版", "年底（2026-12-31）前下线旧版"),
    ("两周后切换", "两周后（2026-12-15）切换"),
    ("三天前刚迁完库", "三天前（2026-11-28）刚迁完库"),
    ("去年没评审直接合了", "去年（2025）没评审直接合了"),
    # Japanese
    ("明日リリースします", "2026-12-02リリースします"),
    ("来週の木曜に切り替えます", "来週の木曜（2026-12-10）に切り替えます"),
    ("金曜日までに直します", "金曜日（2026-12-04）までに直します"),
    ("先週の金曜に障害が起きました", "先週の金曜（2026-11-27）に障害が起きました"),
    ("リリースは 2027 年 1 月から隔週の火曜日になります", "リリースは 2027 年 1 月から隔週の火曜日になります"),
    ("1月から隔週の火曜です", "2027年1月から隔週の火曜です"),
    ("3月から使っています", "2026年3月から使っています"),
    ("12月15日まで凍結です", "2026年12月15日まで凍結です"),
    ("12/15まで凍結です", "12/15（2026-12-15）まで凍結です"),
    ("11月12日に法務と決めました", "2026年11月12日に法務と決めました"),
    ("来月から新しい基準です", "来月（2027-01）から新しい基準です"),
    ("月末までに移行します", "月末（2026-12-31）までに移行します"),
    ("年末までは有効です", "年末（2026-12-31）までは有効です"),
    ("来年から英語に統一します", "来年（2027）から英語に統一します"),
    ("今度の金曜に打ち合わせです", "今度の金曜（2026-12-04）に打ち合わせです"),
    ("来週末は停止します", "来週末（2026-12-12～2026-12-13）は停止します"),
    # Korean
    ("내일 배포합니다", "2026-12-02 배포합니다"),
    ("오늘부터 코드 프리즈입니다", "2026-12-01부터 코드 프리즈입니다"),
    ("어제 결정했습니다", "2026-11-30 결정했습니다"),
    ("다음 주 금요일에 전환합니다", "다음 주 금요일(2026-12-11)에 전환합니다"),
    ("지난주 목요일에 장애가 났습니다", "지난주 목요일(2026-11-26)에 장애가 났습니다"),
    ("금요일까지 제출해야 합니다", "금요일(2026-12-04)까지 제출해야 합니다"),
    ("12월 15일부터 24시간으로 바꿉니다", "2026년 12월 15일부터 24시간으로 바꿉니다"),
    ("11월 12일에 법무팀과 정했습니다", "2026년 11월 12일에 법무팀과 정했습니다"),
    ("3월부터 쓰고 있습니다", "2026년 3월부터 쓰고 있습니다"),
    ("1월부터 격주 화요일입니다", "2027년 1월부터 격주 화요일입니다"),
    ("다음 달부터 적용합니다", "다음 달(2027-01)부터 적용합니다"),
    ("이번 달 말까지 유지합니다", "이번 달 말(2026-12-31)까지 유지합니다"),
    ("월말까지 마이그레이션을 끝냅니다", "월말(2026-12-31)까지 마이그레이션을 끝냅니다"),
    ("2주 뒤에 전환합니다", "2주 뒤(2026-12-15)에 전환합니다"),
    ("작년에 사고가 있었습니다", "작년(2025)에 사고가 있었습니다"),
    ("내년 1월 5일에 오픈합니다", "내년 1월 5일(2027-01-05)에 오픈합니다"),
]

UNCHANGED = [
    # what comes again and again
    "we deploy every Friday", "deploys go out on Fridays", "standup is every other Tuesday", "every Tuesday and Thursday at ten",
    "release on the second Tuesday of the month", "retro is on the last Friday of each month", "Monday to Friday only", "the 1st of every month",
    "never deploy on Friday", "we usually cut the branch on a Wednesday", "Stripe throttles at the end of every month", "reports run at the end of the month",
    "每周五发版", "每周二和周四例会", "隔周周二发版", "双周三发布", "每月底对账", "每月15日结算", "周一到周五有人值班", "一周一次", "周五不发版", "每年1月1日轮换证书", "第二个周二",
    "リリースは毎週木曜日です", "隔週の火曜日にリリースします", "毎月第二火曜の午前だけです", "毎月末に締めます", "金曜はデプロイ禁止です", "月曜から金曜は対応します", "毎月15日に締めます", "最終水曜に出します",
    "배포는 매주 목요일입니다", "격주 화요일에 배포합니다", "매월 15일에 정산합니다", "금요일마다 회고를 합니다", "매달 둘째 화요일에 배포합니다", "월요일부터 금요일까지 대응합니다", "금요일에는 절대 배포하지 마세요", "매월 말에 마감합니다",
    # what is ambiguous, or no date at all
    "12/01 is when it starts", "3/14 tests pass", "release 1.12.2026", "v2026.12", "you may run it twice", "march through the list", "may 3 retries be enough",
    "tokens expire in 30 days", "it takes two weeks", "a 3 day retention", "cached for 7 days", "二分钟一次", "保留三个月", "三天内没人认领就关闭", "登录三天后过期", "一か月で失効します", "3日間保存します",
    "30일간 보관합니다", "3개월 동안 씁니다", "周期是两周", "上周期的数据", "第 12 行", "3号机房", "port 12 may be taken", "sat and sun in the enum", "the wed column",
    # what is absolute already
    "until 15 January 2027", "on 2027-01-15", "2026年12月15日起", "2027 年 1 月から", "2026년 12월 15일부터", "Friday (2026-12-04)", "by January 15, 2027", "下周三（2026-12-09）",
    "", "   ", "no date in here", "日付はない", "날짜가 없습니다",
]

# text, relation, first, last
RELATION = [
    ("until 15 January", "until", date(2027, 1, 15), None), ("through Thursday", "until", date(2026, 12, 3), None),
    ("by Friday", "by", date(2026, 12, 4), None), ("before 1 March", "by", date(2027, 3, 1), None), ("due 20 December", "by", date(2026, 12, 20), None),
    ("from 1 January", "from", date(2027, 1, 1), None), ("starting Monday", "from", date(2026, 12, 7), None), ("not until 1 March", "from", date(2027, 3, 1), None),
    ("since March", "since", date(2026, 3, 1), date(2026, 3, 31)), ("on 20 December", "on", date(2026, 12, 20), None),
    ("到1月15日为止", "until", date(2027, 1, 15), None), ("保留到1月15日", "until", date(2027, 1, 15), None), ("1月15日前", "by", date(2027, 1, 15), None),
    ("1月15日之前", "by", date(2027, 1, 15), None), ("12月20日截止", "by", date(2026, 12, 20), None), ("从12月20日起", "from", date(2026, 12, 20), None),
    ("一月五日之后", "from", date(2027, 1, 5), None), ("推迟到1月15日", "on", date(2027, 1, 15), None), ("三月以来", "since", date(2026, 3, 1), date(2026, 3, 31)),
    ("1月15日まで", "until", date(2027, 1, 15), None), ("1月15日までに", "by", date(2027, 1, 15), None), ("1月15日から", "from", date(2027, 1, 15), None),
    ("1月15日以降", "from", date(2027, 1, 15), None), ("12月20日締め切り", "by", date(2026, 12, 20), None),
    ("1월 15일까지 유지", "until", date(2027, 1, 15), None), ("1월 15일까지 제출", "by", date(2027, 1, 15), None), ("1월 15일부터", "from", date(2027, 1, 15), None),
    ("1월 15일 이후", "from", date(2027, 1, 15), None), ("1월 15일 전까지", "by", date(2027, 1, 15), None),
]

UNTIL = [
    ("The polling code stays until 15 January so ops can roll back", date(2027, 1, 15)), ("prod change freeze is on till thursday", date(2026, 12, 3)),
    ("code freeze through January 7", date(2027, 1, 7)), ("supported until the end of the quarter", date(2026, 12, 31)), ("frozen for the next two weeks", date(2026, 12, 15)),
    ("freeze from 20 December to 5 January", date(2027, 1, 5)), ("submit it by 15 January", None), ("not until 15 January", None), ("on 15 January", None),
    ("we used it until last year", None), ("no end in sight", None),
    ("旧接口保留到 1 月 15 日为止", date(2027, 1, 15)), ("从12月20日到1月5日封版", date(2027, 1, 5)), ("1月15日之前提交", None), ("评审推迟到1月15日", None),
    ("12月15日までリリース凍結です", date(2026, 12, 15)), ("12月20日から1月5日まで凍結です", date(2027, 1, 5)), ("12月15日までに提出します", None),
    ("12월 15일까지 코드 프리즈를 유지합니다", date(2026, 12, 15)), ("12월 20일부터 1월 5일까지 배포 금지입니다", date(2027, 1, 5)), ("12월 15일까지 완료합니다", None),
]


@pytest.mark.parametrize(("text", "expected"), ABSOLUTE, ids=[t for t, _ in ABSOLUTE])
def test_a_relative_date_becomes_absolute_in_place(text: str, expected: str) -> None:
    assert absolute(text, SAID_ON) == expected


@pytest.mark.parametrize("text", UNCHANGED)
def test_what_recurs_is_ambiguous_or_absolute_is_left_alone(text: str) -> None:
    assert absolute(text, SAID_ON) == text


@pytest.mark.parametrize(("text", "relation", "first", "last"), RELATION, ids=[r[0] for r in RELATION])
def test_the_words_around_a_date_say_how_it_holds(text: str, relation: str, first: date, last: date | None) -> None:
    mentions = find(text, SAID_ON)
    assert [(m.relation, m.first, m.last) for m in mentions] == [(relation, first, last)]


@pytest.mark.parametrize(("text", "expected"), UNTIL, ids=[t for t, _ in UNTIL])
def test_until_is_the_last_day_on_which_it_holds(text: str, expected: date | None) -> None:
    assert valid_until(text, SAID_ON) == expected


@pytest.mark.parametrize(("text", "expected"), ABSOLUTE, ids=[t for t, _ in ABSOLUTE])
def test_absolute_can_run_again_on_any_later_day(text: str, expected: str) -> None:
    assert absolute(expected, SAID_ON) == expected
    assert absolute(expected, date(2028, 5, 17)) == expected


@pytest.mark.parametrize(("said_on", "text", "expected"), [
    (date(2026, 12, 4), "by Friday", "by Friday (2026-12-11)"),
    (date(2026, 12, 6), "next Friday", "next Friday (2026-12-11)"),
    (date(2026, 12, 6), "下周日", "下周日（2026-12-13）"),
    (date(2026, 1, 10), "since November", "since November 2025"),
    (date(2026, 1, 10), "on 20 December we agreed", "on 20 December 2025 we agreed"),
    (date(2024, 2, 1), "on 29 February", "on 29 February 2024"),
    (date(2025, 3, 1), "from 29 February", "from 29 February 2028"),
    (date(2026, 12, 31), "tomorrow", "on 2027-01-01"),
    (date(2026, 1, 31), "in a month", "in a month (2026-02-28)"),
    (date.max, "tomorrow, next week, 下周三", "tomorrow, next week, 下周三"),
    (date.min, "yesterday, last month, 지난주 금요일", "yesterday, last month, 지난주 금요일"),
], ids=str)
def test_the_day_on_which_it_was_said_decides(said_on: date, text: str, expected: str) -> None:
    assert absolute(text, said_on) == expected


def test_days_that_do_not_exist_are_no_dates() -> None:
    for text in ("on 31 February", "2月30日から", "2026-13-45", "13월 40일부터", "0月0日"):
        assert absolute(text, SAID_ON) == text


def test_a_text_longer_than_a_message_is_left_alone() -> None:
    assert find("tomorrow " * 5_000, SAID_ON) == []


@pytest.mark.parametrize("piece", ["1", "十", "9月", "Friday ", "毎週月曜と", "every Monday, ", "from ", "月曜・", "매주 월요일과 ", "12/", "(", "第一", " ", "周", "a couple of ", "今"])
def test_hostile_repetition_costs_no_more_than_its_length(piece: str) -> None:
    began = time.perf_counter()
    find((piece * 20_000)[:20_000], SAID_ON)
    assert time.perf_counter() - began < 10


_WORDS = st.sampled_from([
    "until", "from", "by", "on", "since", "every", "Friday", "next", "7", "January", "15th", "tomorrow", "今天", "下周三", "12月15日", "まで", "から", "毎週", "木曜", "起",
    "다음", "주", "금요일", "까지", "매주", "12월", "15일", "(2026-12-04)", "2027", "年", "月末", "두", "2주", "뒤", "。", ",", " ", "we", "moved", "了", "ました", "했습니다",
])


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(_WORDS, st.text(max_size=3)), max_size=14), st.booleans(), st.dates(date(2005, 1, 1), date(2095, 12, 31)))
def test_any_text_is_read_without_error_and_made_absolute_once(parts: list[str], spaced: bool, said_on: date) -> None:
    text = (" " if spaced else "").join(parts)
    mentions = find(text, said_on)
    for mention in mentions:
        assert text[mention.start:mention.end] == mention.text
        assert mention.relation in RELATIONS and mention.kind in KINDS
        assert mention.last is None or mention.first <= mention.last
    assert all(a.end <= b.start for a, b in itertools.pairwise(mentions))
    once = absolute(text, said_on)
    assert absolute(once, said_on) == once
    valid_until(text, said_on)


def test_weekdays_fall_on_their_day_whatever_the_day_they_were_said_on() -> None:
    for offset in range(14):
        said_on = SAID_ON + timedelta(days=offset)
        for text in ("by Friday", "下周五", "来週の金曜", "다음 주 금요일", "last Friday", "上周五", "先週の金曜", "지난주 금요일"):
            (mention,) = find(text, said_on)
            assert mention.first.weekday() == 4
            assert (mention.first < said_on) == (text[0] in "l上先지"), (text, said_on)


@pytest.mark.parametrize(("text", "expected"), [
    ("a code freeze until 7 January.", "a code freeze until 7 January 2027."),
    ("freeze until 7 Jan. at noon", "freeze until 7 Jan. (2027-01-07) at noon"),
    ("定例は木曜に変わりました", "定例は木曜（2026-12-03）に変わりました"),
    ("회의가 금요일로 바뀌었어요", "회의가 금요일(2026-12-04)로 바뀌었어요"),
])
def test_a_full_stop_is_no_abbreviation_and_a_new_day_is_to_come(text: str, expected: str) -> None:
    assert absolute(text, date(2026, 12, 1)) == expected
