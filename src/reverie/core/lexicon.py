"""Everyday words of software and its business in four languages: data for ``reverie.core.text``, and nothing else.

A line is English words with the same sense, and after each bar Chinese, Japanese and Korean ones. The first English
word is the name of the sense. Where ``vocabulary`` gathers what belongs together at work, this only translates: gone
through field by field (screens, data, text, files, network, machines, security, time, people, trade, verbs, qualities),
so that a prompt in one language meets a memory in another.
"""

from __future__ import annotations

SENSES = """
page webpage site website | 页面 网页 网站 | ページ サイト | 페이지 사이트
button | 按钮 按键 | ボタン | 버튼
icon symbol | 图标 | アイコン | 아이콘
menu sidebar | 菜单 侧边栏 | メニュー | 메뉴
dialog popup modal window | 弹窗 对话框 窗口 | ダイアログ ポップアップ ウィンドウ | 대화상자 팝업 창
field textbox input | 输入框 字段 输入 | 入力欄 入力 項目 | 입력란 입력 필드
form | 表单 | フォーム | 폼 양식
checkbox tick | 复选框 勾选 | チェックボックス | 체크박스
dropdown select picker | 下拉 选择器 | プルダウン ドロップダウン | 드롭다운
tab | 标签页 | タブ | 탭
tooltip hint | 提示 | ツールチップ ヒント | 툴팁 힌트
header heading title caption | 标题 页头 表头 | 見出し タイトル ヘッダー | 제목 헤더
footer | 页脚 | フッター | 푸터
layout | 布局 排版 | レイアウト 配置 | 레이아웃 배치
color theme | 颜色 主题 配色 | 色 テーマ 配色 | 색상 테마
font typeface | 字体 | フォント 書体 | 글꼴 폰트
logo brand | 标志 商标 品牌 | ロゴ ブランド | 로고 브랜드
animation transition | 动画 过渡 | アニメーション | 애니메이션
keyboard hotkey shortcut | 键盘 快捷键 | キーボード ショートカット | 키보드 단축키
focus tabindex | 焦点 | フォーカス | 포커스
accessibility a11y accessible aria blind | 无障碍 可访问性 读屏 | アクセシビリティ 読み上げ | 접근성
screen display monitor | 屏幕 显示器 | 画面 ディスプレイ | 화면 디스플레이
scroll | 滚动 | スクロール | 스크롤
click tap press | 点击 点按 | クリック タップ 押す 押され | 클릭 탭
drag drop | 拖拽 拖动 | ドラッグ | 드래그
hover | 悬停 | ホバー | 호버
upload | 上传 | アップロード | 업로드
download | 下载 | ダウンロード | 다운로드
link hyperlink | 链接 | リンク | 링크
redirect | 跳转 重定向 | リダイレクト 転送 | 리다이렉트
chart plot diagram graph | 图表 画图 曲线 | グラフ 図 チャート | 차트 그래프
map location | 地图 | 地図 マップ | 지도
picture image photo avatar | 图片 照片 头像 | 画像 写真 | 이미지 사진
video clip | 视频 | 動画 | 동영상 비디오
sound audio voice | 声音 音频 语音 | 音声 音 | 소리 음성
print printer | 打印机 | 印刷 プリンタ | 인쇄 프린터
row record entry item | 行 记录 条目 | 行 レコード 件 | 행 레코드 항목
column | 列 | 列 カラム | 열 컬럼
table | 表格 | 表 テーブル | 표 테이블
list | 列表 清单 | 一覧 リスト | 목록 리스트
tree hierarchy | 树 层级 | 木構造 階層 | 트리 계층
key | 键 主键 | 鍵 キー | 키
value | 值 数值 | 値 | 값
null empty blank missing | 空 空值 缺失 为空 | 空 空欄 欠け | 빈 공백 누락
duplicate repeated twice | 重复 | 重複 二重 | 중복
unique distinct | 唯一 | 一意 | 고유 유일
index indexing | 索引 | 索引 インデックス | 인덱스 색인
query lookup | 查询 | 問い合わせ クエリ 照会 | 질의 조회 쿼리
transaction | 事务 | トランザクション | 트랜잭션
backup dump snapshot | 备份 快照 | バックアップ 控え | 백업 스냅샷
restore recover recovery | 恢复 还原 | 復元 復旧 | 복원 복구
migration | 迁移 | 移行 | 이전 마이그레이션
replica replication mirror | 副本 复制 镜像 | レプリカ 複製 | 복제 미러
shard partition | 分片 分区 | 分割 パーティション シャード | 샤드 파티션
import | 导入 | 取り込み 取込 インポート | 가져오기
export | 导出 | 書き出し 出力 エクスポート | 내보내기
sort order | 排序 顺序 | 並べ替え 並び順 順序 ソート | 정렬 순서
filter | 筛选 过滤 | 絞り込み フィルタ | 필터 거르
search find | 搜索 查找 检索 | 検索 探す | 검색 찾기
group aggregate sum total | 分组 汇总 合计 总计 | 集計 合計 まとめ | 집계 합계 총계
count amount number quantity | 计数 数量 次数 统计 | 件数 数 回数 数え | 개수 횟수 수량
average mean | 平均 | 平均 | 평균
percent ratio share | 百分比 比例 占比 | 割合 比率 パーセント | 비율 퍼센트
round rounding | 取整 舍入 四舍五入 | 丸め 四捨五入 | 반올림
precision decimal | 精度 小数 | 精度 小数 | 정밀도 소수
random seed | 随机 种子 | 乱数 ランダム | 무작위 랜덤
statistics analytics tracking | 统计 分析 埋点 | 統計 分析 計測 | 통계 분석
event | 事件 | イベント 事象 | 이벤트 사건
message | 消息 短信 | メッセージ 伝言 | 메시지
notification notify alert ping | 通知 提醒 告知 | 通知 知らせ | 알림 통지
mail email | 邮件 邮箱 | メール | 메일 이메일
phone telephone mobile | 手机 电话 手机号 | 電話 携帯 | 전화 휴대폰
text string | 文本 字符串 文字 | 文字列 文章 テキスト | 문자열 텍스트
character letter encoding unicode utf-8 | 字符 编码 乱码 | 文字 文字コード 文字化け | 문자 인코딩
word | 单词 词 | 単語 語 | 단어
sentence paragraph | 句子 段落 | 文 段落 | 문장 단락
template | 模板 | テンプレート 雛形 | 템플릿
translation translate | 翻译 | 翻訳 | 번역
language | 语言 | 言語 | 언어
format | 格式 | 形式 書式 フォーマット | 형식 포맷
parse | 解析 | 解析 パース | 파싱 해석
comment remark annotation | 评论 批注 | コメント 注釈 | 댓글 의견
post article blog | 帖子 文章 博客 | 投稿 記事 ブログ | 게시물 글 기사
file | 文件 | ファイル | 파일
folder directory | 目录 文件夹 | フォルダ ディレクトリ | 폴더 디렉터리
path | 路径 | パス 経路 | 경로
size length width height | 大小 长度 宽度 高度 | 大きさ サイズ 長さ 幅 高さ | 크기 길이 너비 높이
compress zip archive | 压缩 归档 打包 | 圧縮 アーカイブ | 압축 보관
delete remove erase drop | 删除 删掉 移除 删了 | 削除 消す 消し 消去 | 삭제 제거 지우
copy clone duplicate | 复制 拷贝 拷到 | コピー 複写 | 복사
move relocate | 移动 搬到 | 移動 移す | 이동
rename | 改名 重命名 | 改名 名前を変 | 이름변경
save store keep | 保存 存储 保留 | 保存 残す 残して 保管 | 저장 보관
open | 打开 | 開く 開いて | 열기
close shut | 关闭 关掉 | 閉じる 閉じて | 닫기
edit change modify | 修改 更改 编辑 改动 | 変更 編集 修正 | 수정 변경 편집
add append insert | 添加 增加 新增 加上 加一个 | 追加 付ける 付けて 足す 足して 増や | 추가 삽입
create new make | 新建 创建 建立 | 作成 新規 作る 作って | 생성 새로 만들
replace swap substitute | 替换 换成 更换 | 置換 差し替え 置き換え 入れ替え | 교체 대체 바꾸
split divide separate | 拆分 分割 分开 | 分割 分ける | 분할 나누
combine merge join unite | 合并 拼接 | 統合 結合 合わせる | 결합 합치
compare difference diff | 比较 对比 区别 差异 | 比較 違い 差分 比べ | 비교 차이
check verify inspect | 检查 核对 确认 | 確認 点検 チェック | 확인 점검
test | 测试 | テスト 試験 | 테스트 시험
send submit | 发送 提交 寄 | 送信 送る 送って | 전송 보내
receive | 接收 收到 收不到 | 受信 受け取る 届く | 수신 받
show display reveal | 显示 展示 | 表示 見せる 示す 出して | 표시 보여
hide conceal | 隐藏 | 非表示 隠す | 숨기
enable activate | 启用 开启 激活 | 有効 有効化 | 활성 켜
disable deactivate | 禁用 停用 | 無効 無効化 | 비활성 끄
start begin launch run | 启动 开始 运行 跑起来 | 開始 起動 実行 始め 回し | 시작 실행 기동
stop halt kill end | 停止 终止 结束 | 停止 終了 止め | 중지 종료 정지
wait delay | 等待 延迟 延时 | 待つ 待ち 遅延 | 대기 지연
restart reboot reload | 重启 重新启动 重新加载 | 再起動 再読み込み | 재시작 재부팅
retry repeat again | 重试 再试 | 再試行 リトライ やり直し | 재시도 다시
fail failure | 失败 | 失敗 | 실패
crash abort | 崩溃 闪退 | 異常終了 クラッシュ 落ち | 충돌 크래시
error | 错误 报错 | エラー 誤り | 오류 에러
warning | 警告 | 警告 | 경고
hang freeze stuck | 卡死 卡住 假死 | 固まる 固まり 止まる ハング | 멈춤 먹통
leak | 泄漏 泄露 | 漏れ リーク 漏洩 | 누수 유출
lose lost loss | 丢失 丢 丢了 | 失う 紛失 消え | 분실 손실 유실
broken damaged corrupt | 损坏 坏了 | 壊れ 破損 | 손상 고장
fix repair patch | 修复 修好 修一下 补丁 | 修正 直す 直して 直し | 수정 고치 패치
improve optimize better | 改进 优化 改善 | 改善 最適化 | 개선 최적화
increase raise grow | 提高 增大 调大 增长 | 増やす 上げる 増加 | 늘리 증가 올리
decrease reduce lower shrink smaller | 减少 降低 调小 缩小 改小 | 減らす 下げる 小さく 減少 | 줄이 감소 낮추
limit cap restrict | 限制 上限 | 制限 上限 | 제한 한도
allow permit accept | 允许 接受 | 許可 受け付け 許す | 허용 허가
deny forbid refuse reject ban | 拒绝 禁止 不许 不准 | 拒否 禁止 断る | 거부 금지 거절
expire expiry timeout | 过期 失效 到期 超时 | 期限切れ 失効 期限 | 만료
schedule plan | 计划 安排 排期 | 予定 計画 | 일정 계획
cancel undo revoke | 取消 撤销 | 取り消し キャンセル 取消 | 취소
confirm approve | 确认 批准 同意 | 確認 承認 | 확인 승인
register signup enroll | 注册 登记 报名 | 登録 申し込み | 등록 가입
login signin | 登录 登陆 | ログイン | 로그인
logout signout | 登出 退出 | ログアウト | 로그아웃
invite invitation | 邀请 | 招待 | 초대
share | 分享 共享 | 共有 シェア | 공유
follow subscribe | 订阅 关注 | 購読 フォロー | 구독 팔로우
explain describe | 解释 说明 讲解 | 説明 解説 | 설명
ask question | 提问 询问 咨询 | 質問 尋ね 問い合わせ | 질문 문의
answer reply | 回答 回复 答复 | 回答 返答 返信 | 답변 회신 응답
suggest recommend | 建议 推荐 | 提案 おすすめ 推奨 | 제안 추천
choose decide pick | 选择 决定 | 選ぶ 選択 決める | 선택 결정
network | 网络 | ネットワーク 通信 | 네트워크 통신
server backend | 服务器 后端 服务端 | サーバー サーバ バックエンド | 서버 백엔드
client frontend | 客户端 前端 | クライアント フロントエンド | 클라이언트 프론트엔드
browser | 浏览器 | ブラウザ | 브라우저
request | 请求 | リクエスト 要求 依頼 | 요청
response | 响应 返回 | 応答 レスポンス | 응답
connection connect | 连接 连不上 连上 | 接続 繋がら つながら 繋ぐ | 연결 접속
address | 地址 | アドレス 住所 | 주소
port | 端口 | ポート | 포트
domain dns | 域名 | ドメイン | 도메인
certificate tls ssl mtls | 证书 | 証明書 | 인증서
proxy gateway mesh sidecar | 代理 网关 | プロキシ ゲートウェイ | 프록시 게이트웨이
bandwidth traffic throughput | 带宽 流量 吞吐 | 帯域 通信量 トラフィック | 대역폭 트래픽
interface api endpoint | 接口 | インターフェース エンドポイント | 인터페이스 엔드포인트
service microservice | 服务 微服务 | サービス | 서비스
queue | 队列 | キュー 待ち行列 | 큐 대기열
worker background | 后台 工作进程 | バックグラウンド 裏 | 백그라운드 작업자
process | 进程 | プロセス | 프로세스
thread | 线程 | スレッド | 스레드
memory ram heap | 内存 | メモリ | 메모리
disk drive storage | 磁盘 硬盘 | ディスク | 디스크
cpu processor core | 处理器 | プロセッサ | 프로세서
gpu cuda | 显卡 | グラフィックボード | 그래픽카드
device hardware | 设备 硬件 | 端末 機器 装置 ハードウェア | 기기 장치 하드웨어
sensor measurement | 传感器 测量 | センサー 測定 計測 | 센서 측정
driver firmware bootloader | 驱动 固件 | ドライバ ファームウェア | 드라이버 펌웨어
radio wireless bluetooth wifi | 无线 蓝牙 | 無線 | 무선 블루투스
battery power energy | 电池 电源 电量 | 電池 電源 バッテリー | 배터리 전원
terminal console shell | 终端 控制台 | 端末 ターミナル コンソール | 터미널 콘솔
command | 命令 指令 | コマンド 命令 | 명령 명령어
script | 脚本 | スクリプト | 스크립트
tool utility | 工具 | ツール 道具 | 도구 툴
environment | 环境 | 環境 | 환경
region zone datacenter | 区域 机房 地区 | 地域 リージョン | 리전 지역
cloud | 云 云端 | クラウド | 클라우드
container docker | 容器 | コンテナ | 컨테이너
cluster | 集群 | クラスタ | 클러스터
version | 版本 | バージョン 版 | 버전
update upgrade | 更新 升级 | 更新 アップデート | 업데이트 갱신
install | 安装 装上 | インストール 導入 | 설치
library package dependency | 依赖 库 包 | 依存 ライブラリ パッケージ | 라이브러리 패키지 의존성
licence license gpl opensource | 许可证 开源 授权协议 | ライセンス | 라이선스
code source | 代码 源码 | コード ソース | 코드 소스
function method | 函数 方法 | 関数 メソッド | 함수 메서드
variable | 变量 | 変数 | 변수
parameter argument | 参数 | 引数 パラメータ | 매개변수 인자
class object | 类 对象 | クラス オブジェクト | 클래스 객체
module component | 模块 组件 | モジュール 部品 コンポーネント | 모듈 컴포넌트
constant | 常量 | 定数 | 상수
loop iteration | 循环 | ループ 繰り返し | 반복 루프
condition branch | 条件 | 条件 分岐 | 조건 분기
array | 数组 | 配列 | 배열
algorithm | 算法 | アルゴリズム | 알고리즘
documentation document | 文档 | 文書 ドキュメント 資料 | 문서
example sample | 例子 示例 样例 | 例 サンプル 見本 | 예시 샘플 예제
password credential | 密码 口令 | パスワード | 비밀번호 암호
permission right | 权限 | 権限 | 권한
encryption cipher | 加密 | 暗号化 | 암호화
security | 安全 | セキュリティ 安全 | 보안
privacy personal mask anonymize | 隐私 脱敏 匿名 | 個人情報 匿名 プライバシー | 개인정보 익명
attack exploit vulnerability | 攻击 漏洞 | 攻撃 脆弱性 | 공격 취약점
today now | 今天 现在 | 今日 現在 | 오늘 지금
tomorrow | 明天 | 明日 | 내일
yesterday | 昨天 昨晚 | 昨日 昨夜 | 어제 어젯밤
tonight night evening nightly | 今晚 晚上 夜间 傍晚 | 今夜 夜間 夜 夕方 | 오늘밤 야간 저녁
morning | 早上 上午 | 朝 午前 | 아침 오전
week weekly | 周 每周 一周 | 週 毎週 週間 | 주 매주
month monthly | 月 每月 | 月 毎月 | 월 매월
year yearly annual | 年 每年 去年 | 年 毎年 去年 | 년 매년 작년
weekend holiday vacation | 周末 假期 节假日 | 週末 休日 休暇 | 주말 휴일 휴가
hour | 小时 | 時間 | 시간
minute | 分钟 | 分 | 분
second | 秒 | 秒 | 초
deadline due | 截止 期限 | 締め切り 納期 期限 | 마감 기한
customer client buyer | 客户 顾客 | 顧客 お客様 客 | 고객 손님
user | 用户 | ユーザー 利用者 | 사용자 유저
member | 成员 会员 | 会員 メンバー | 회원 멤버
employee staff colleague | 员工 同事 | 社員 同僚 従業員 | 직원 동료
manager boss lead | 经理 主管 领导 | 上司 管理者 責任者 | 관리자 상사
team | 团队 小组 | チーム 班 | 팀
company organization | 公司 企业 组织 | 会社 企業 組織 | 회사 기업 조직
vendor supplier provider | 供应商 厂商 | 業者 仕入先 ベンダー | 공급업체 업체
support helpdesk | 客服 支持 工单 | サポート 窓口 | 지원 고객지원
doctor patient hospital medical | 医院 患者 医生 | 病院 患者 医療 | 병원 환자 의료
school student course lesson | 学校 学生 课程 | 学校 学生 授業 講座 | 학교 학생 강의
order purchase | 订单 下单 购买 | 注文 購入 発注 | 주문 구매
cart basket | 购物车 | カート 買い物かご | 장바구니
product goods article sku | 商品 产品 货品 | 商品 製品 | 상품 제품
price cost fee | 价格 费用 价钱 | 価格 料金 値段 費用 | 가격 요금 비용
discount coupon promotion | 优惠 折扣 优惠券 促销 | 割引 クーポン 値引き | 할인 쿠폰
tax vat | 税 含税 税率 | 税 税込 税抜 消費税 税率 税額 | 세금 부가세
invoice bill receipt | 发票 账单 收据 | 請求書 請求 領収書 | 청구서 송장 영수증
payment pay card | 支付 付款 刷卡 | 支払 決済 支払い | 결제 지불
refund | 退款 | 返金 払い戻し | 환불
account balance | 账户 余额 | 口座 残高 アカウント | 계좌 잔액 계정
bank transfer | 银行 转账 | 銀行 振込 | 은행 이체
currency money euro dollar | 货币 钱 金额 | 通貨 お金 金額 | 통화 돈 금액
shipping delivery parcel | 发货 配送 快递 物流 | 配送 発送 配達 | 배송 발송 택배
stock inventory warehouse | 库存 仓库 | 在庫 倉庫 | 재고 창고
return | 退货 | 返品 | 반품
contract agreement | 合同 协议 | 契約 | 계약
law legal lawyer | 法律 法务 | 法律 法務 | 법률 법무
audit inspection | 审计 检查 抽查 | 監査 検査 | 감사 검사
insurance | 保险 | 保険 | 보험
booking reservation | 预订 预约 | 予約 | 예약
ticket | 工单 票 | チケット 券 | 티켓 표
survey questionnaire poll | 问卷 调查 投票 | アンケート 調査 投票 | 설문 조사 투표
report | 报告 报表 | 報告 レポート | 보고 보고서
newsletter announcement | 公告 通讯 公布 | お知らせ 告知 | 공지 소식
marketing advertisement campaign | 营销 广告 推广 | 広告 宣伝 | 마케팅 광고
sales revenue income | 销售 收入 营收 | 売上 収入 営業 | 매출 수익 영업
profile | 个人资料 档案 | プロフィール | 프로필
model | 模型 | モデル | 모델
training train finetune fine-tune epoch | 训练 微调 | 学習 訓練 | 학습 훈련
dataset | 数据集 | データセット | 데이터셋
experiment | 实验 | 実験 | 실험
prediction forecast | 预测 预报 | 予測 | 예측
batch | 批量 批次 批处理 | バッチ 一括 | 배치 일괄
slow | 慢 缓慢 | 遅い 重い | 느린 느려
fast quick | 快 快速 | 速い 早い 高速 | 빠른 빨라
big large huge | 大 很大 巨大 | 大きい 大きな | 큰 대형
small tiny | 小 很小 | 小さい 小さな | 작은
old stale outdated | 旧 过时 | 古い 旧 | 오래된 옛
wrong incorrect | 错 不对 不正确 | 間違い 誤った | 잘못 틀린
correct right | 正确 | 正しい | 올바른 맞는
public | 公开 公共 | 公開 | 공개
private internal | 私有 内部 | 非公開 社内 内部 | 비공개 내부
local | 本地 本机 | ローカル 手元 | 로컬
remote | 远程 | リモート 遠隔 | 원격
temporary | 临时 | 一時的 仮 | 임시
permanent forever | 永久 | 恒久 永久 | 영구
manual | 手动 手工 | 手動 手作業 | 수동
automatic | 自动 | 自動 | 자동
default | 默认 缺省 | 既定 デフォルト 初期値 | 기본 기본값
optional | 可选 | 任意 | 선택적
required mandatory must | 必须 必填 | 必須 必ず | 필수 반드시
common shared | 公用 共用 | 共通 | 공통
rule policy | 规则 规定 政策 | 規則 方針 ルール | 규칙 정책 규정
reason cause | 原因 理由 | 原因 理由 | 원인 이유
problem issue trouble | 问题 麻烦 | 問題 トラブル | 문제
result outcome | 结果 | 結果 | 결과
status state | 状态 | 状態 | 상태
detail | 详情 细节 | 詳細 | 상세 세부
history | 历史 | 履歴 | 이력 기록
setting preference | 设置 偏好 | 設定 | 설정
log journal trace | 日志 跟踪 | ログ 記録 トレース | 로그 기록
measure metric benchmark | 指标 度量 | 指標 測定 | 측정 지표
"""
