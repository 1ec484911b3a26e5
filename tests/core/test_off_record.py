"""What is off the record, and what is only about records."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.core.off_record import extents, is_off_record, only_marks

# The whole message is off the record.
WHOLE = """
off the record, Priya is thinking of leaving
Off-the-record: the launch slips by a month.
please do not remember this: my salary is 84,000
Don't remember that.
don't memorize this please
do not write that down
please don't write this down anywhere
never write any of this down
keep that out of your notes
keep this out of the memory, please
leave that off the record
leave it out of your notes ok
between us, the customer is about to cancel
just between you and me: the CTO hates this framework
this stays between us
that's strictly between us
it's between us, but the contract ends in May
don't save this to your memory
do not add that to your notes
don't put my salary in the memory
never store what I just said in your long-term memory
don't save that
do not record this.
this is not for your notes
not for the record, but the audit failed
you didn't hear this from me
forget I said that
forget that I ever mentioned it
strike that from the record
I tell you this in confidence
for your eyes only
no need to remember this
you don't need to remember that
don't take notes on this
don't keep a record of that
this should not be remembered
that mustn't be written down
don't quote me
without saving this: my home address is 12 Elm St
Confidentially, we lose the client in June
Confidential: the merger closes in May
keep it to yourself
keep this confidential
don't log this anywhere please
entre nous, he is not good
这个别记下来：李雷下个月要离职
别记，我随口说的
不要记下来
这个不用记
这事别外传
私下说，客户要跑了
别把这个写进记忆
不要存到你的记忆里
这条不要保存
不用记录。
只跟你说，预算砍了一半
别告诉别人
这段对话不要记录
别写进 CLAUDE.md
我们俩知道就行
别记住这个密码规则？不，别记
オフレコですが、山田さんは来月辞めます
これは記録しないでください
覚えなくていいです
この話は覚えなくて大丈夫です
今のはメモしないで
ここだけの話ですが、予算が減ります
この件は口外しないでください
内緒にしてください、給料の話です
記録に残さないでほしいのですが、契約が切れます
さっきの話は忘れてください
メモリに入れないでください
これは保存しないで
이건 기억하지 마세요
오프 더 레코드로, 팀장님이 그만두세요
이 얘기는 적어 두지 마세요
기록하지 마세요.
기억 안 해도 돼요
우리끼리 얘기인데 예산이 줄었어요
비밀인데 다음 달에 이직해요
메모리에 저장하지 마세요
이건 기록에 남기지 말아 주세요
""".strip().splitlines()

# Rules, questions and recollections that have the same words.
NOT = """
I don't remember that function
I don't remember this flag, was it --fast?
we do not remember that config any more
do you not remember that we moved to Postgres?
don't remember whether X was wrong
users don't remember that password rule
remember that we deploy on Tuesdays
do not log request bodies
don't log this header in production
never store tokens in localStorage
don't save this to disk, keep it in Redis
do not save that in the session, use a cookie
don't write this as a class, use a function
do not record user IPs
never keep secrets in the repo
don't keep that in the main module
the contract between us and the vendor ends in May
there is a VPN between us-east and us-west
the load is shared between us-east-1 and us-west-2
keep this private method at the bottom
keep it private, no public API for it
the helper must stay private
don't note the time zone in the filename
read the name off the record's id field
take the timestamp off the record set
we turned the recorder off, the record button is broken
this should be recorded in the changelog
it must be kept in the same folder
that should be stored in S3
never commit this to main
don't put that in the utils module
do not include that in the bundle
don't add this to the public API
forget what I said about Redis, we use Kafka
scratch that, I meant 15
forget the old endpoint
this is confidential data, so encrypt the column
the confidential field is never logged
don't repeat this logic in every handler
don't repeat yourself
memory usage must not exceed 2 GB
do not keep the whole file in memory
don't store large blobs in memory
never load everything into memory
you didn't hear the build finish?
don't mention competitors in the docs
not to be confused with the record store
write the decision down in docs/adr
take notes in English please
note that CI needs Node 20
日志里不要记录密码
不要记录请求体
别把日志写到标准输出
不要把密钥写进代码
记住用 pnpm
别忘了跑测试
保密字段要加密
数据要保密存储
请不要保存到本地磁盘，用 S3
不要写到数据库里
ログに個人情報を記録しないでください
パスワードはログに保存しないでください
デバッグ情報をファイルに記録しないで
メモリリークに注意
メモ化は使わないで
この関数は覚えておいて
忘れないで、本番は火曜です
コメントは日本語で書いてください
로그에 기록하지 마세요
로그에 비밀번호를 저장하지 마세요
DB에 저장하지 마세요
비밀번호는 12자 이상
기억해 주세요, 배포는 화요일입니다
메모리 사용량은 2GB 이하
""".strip().splitlines()


@pytest.mark.parametrize("message", WHOLE)
def test_a_remark_off_the_record_is_covered_whole(message: str) -> None:
    covered = "".join(message[start:end] for start, end in extents(message))
    assert covered.strip() == message.strip()


@pytest.mark.parametrize("message", NOT)
def test_what_is_about_records_is_on_the_record(message: str) -> None:
    assert extents(message) == []


KEPT = [
    pytest.param("We use pnpm here. Off the record, Bo leaves in May. Tests run with make check.",
                 "We use pnpm here. Tests run with make check.", id="only its sentence"),
    pytest.param("Bo leaves in May. Do not write that down. We use pnpm here.", "We use pnpm here.", id="the sentence before"),
    pytest.param("Bo leaves in May, do not write that down. We use pnpm here.", "We use pnpm here.", id="in one sentence"),
    pytest.param("Please don't remember this. My salary is 84,000. And use tabs.", "And use tabs.", id="the sentence after"),
    pytest.param("off the record: Bo leaves. Her team goes too.\n\nDeploys are on Tuesdays.", "Deploys are on Tuesdays.",
                 id="announced: to the end of the paragraph"),
    pytest.param("off the record: Bo leaves. Anyway, use tabs.", "Anyway, use tabs.", id="announced, then resumed"),
    pytest.param("Bo leaves. Cy too. Don't remember any of this.", "", id="everything"),
    pytest.param("我们用 pnpm。这个别记下来：李雷要走了。", "我们用 pnpm。", id="chinese"),
    pytest.param("李雷要走了。别记下来。测试用 make check。", "测试用 make check。", id="chinese, before"),
    pytest.param("山田さんは来月辞めます。これは記録しないでください。テストは make check です。", "テストは make check です。", id="japanese"),
    pytest.param("팀장님이 그만두세요. 이건 기억하지 마세요. 테스트는 make check 입니다.", "테스트는 make check 입니다.", id="korean"),
]


@pytest.mark.parametrize(("message", "kept"), KEPT)
def test_how_far_discretion_reaches(message: str, kept: str) -> None:
    rest, at = "", 0
    for start, end in extents(message):
        rest, at = rest + message[at:start], end
    assert " ".join((rest + message[at:]).split()) == kept


def test_a_mark_alone_means_something_said_elsewhere() -> None:
    assert only_marks("please don't write that down")
    assert only_marks("これは記録しないでください")
    assert not only_marks("off the record, Bo leaves in May")
    assert not only_marks("we use pnpm")


@settings(max_examples=100, deadline=None)
@given(st.one_of(st.text(max_size=200), st.lists(st.sampled_from([*WHOLE, *NOT, ". ", "\n", "。", " "]), max_size=8).map("".join)))
def test_any_message_is_read(message: str) -> None:
    found = extents(message)
    assert all(0 <= start < end <= len(message) for start, end in found)
    assert bool(found) <= is_off_record(message)


@pytest.mark.parametrize("piece", ["do not ", "don't write ", "between us ", ". ", "别", "记录しない", "a", "keep this ", "이 얘기는 "])
def test_a_megabyte_is_read_in_a_second(piece: str) -> None:
    start = time.process_time()
    extents((piece * 1_000_000)[:1_000_000])
    assert time.process_time() - start < 3
