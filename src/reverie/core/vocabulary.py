"""Developers' words in four languages, gathered by meaning: data for ``reverie.core.text``, and nothing else.

One paragraph is one meaning (lines after the first are indented): a head, English words, and after each bar Chinese,
Japanese and Korean ones. A phrase is joined by underscores. ``> head`` names meanings that usually come along (who
speaks of a pull request is near a review), which count for less. A word may stand in several meanings. What belongs
here is the vocabulary of the trade; what one project, team or benchmark says does not.
"""

from __future__ import annotations

MEANINGS = """
commit: commit commits save record committed committing check_in stage staged record_changes squash amend
    git_commit | 提交 | コミット | 커밋 > git
git: git repository repo vcs version_control history checkout rebase stash cherry-pick | 仓库 代码库 版本控制 |
    リポジトリ レポジトリ バージョン管理 | 저장소 깃 레포
branch: branch branches trunk mainline main master topic_branch git_switch git_checkout | 分支 主干 | ブランチ |
    브랜치 분기 > git
merge: merge merged merging integrate land fast_forward ff-only | 合并 合入 合进 并入 合到 | マージ 取り込み
    取り込む 取り込ん | 병합 머지 > branch
push: push pushed force_push upstream remote | 推送 推上去 | プッシュ | 푸시
tag: tag tags tagged semver version_number bump | 标签 版本号 | タグ バージョン番号 | 태그 버전
pullrequest: pull_request pull_requests pr prs merge_request mr diff patch stacked | 拉取请求 合并请求 |
    プルリク プルリクエスト | 풀리퀘스트 풀리퀘 > review
review: review reviews reviewer reviewers reviewed approve approval approved sign_off codeowners | 评审 审查
    审核 审阅 评阅 审批 批准 点头 | レビュー 査読 承認 審査 | 리뷰 검토 승인 > pullrequest
package: package packages dependency dependencies library libraries module lockfile install npm pnpm yarn bun
    pip poetry cargo maven gradle pull_in import bump upgrade package_manager modulenotfounderror
    err_module_not_found | 依赖 包 安装 装上 装一下 升级 引入 库 锁文件 包管理 | 依存 パッケージ ライブラリ
    インストール 導入 ロックファイル | 의존성 패키지 라이브러리 설치 모듈 업그레이드
upgrade: upgrade upgrading bump update_version newest latest migrate_version minor_version major_version | 升级
    更新版本 最新版 | アップグレード 更新 最新版 | 업그레이드 최신
build: build builds compile compiled bundle bundler webpack make image artifact toolchain | 构建 编译 打包 镜像
    | ビルド コンパイル | 빌드 컴파일
ci: ci pipeline pipelines workflow continuous_integration github_actions jenkins gate red_build green_build
    build_server nightly_build | 流水线 持续集成 构建失败 | パイプライン 継続的インテグレーション | 파이프라인
test: test tests tested testing unit_test spec specs suite suites assertion assert coverage pytest vitest jest
    junit fixture fixtures reproduction regression_test the_checks run_checks all_checks make_check checks_pass
    checks_fail failing_checks | 测试 用例 单测 覆盖 断言 验证 | テスト 試験 検証
    単体テスト | 테스트 검증 단위테스트
integration: integration_test integration_tests integration end_to_end e2e container testcontainers persistence
    | 集成测试 端到端 集成 落库 | 結合テスト 統合テスト 永続化 | 통합테스트
mock: mock mocks mocked mocking stub stubs stubbed fake fakes patch patched monkeypatch spy double | 模拟 打桩
    桩 | モック スタブ | 모의 목
flaky: flaky intermittent sporadic nondeterministic retry_test quarantine unstable | 不稳定 偶发 时好时坏 |
    不安定 たまに落ちる フレーキー | 불안정 간헐적
bug: bug bugs defect defects regression broken breaks crash crashes crashed crashing fail fails failing failed
    failure misbehaves wrong incorrect fix fixes fixed hotfix off_by_one issue traceback stack_trace keyerror
    typeerror valueerror nullpointer null_pointer segfault panic | 缺陷 故障 崩溃 报错 出错 修复 修一下 修掉
    错误 不对 异常 | バグ 不具合 直す 直して 修正 クラッシュ 落ちる 合わない ずれる 壊れ 欠陥 | 버그 결함 고쳐
    수정 오류 크래시 깨졌 > test
error: error errors exception exceptions raise raised raises throw throws thrown throwing catch reject rejects
    rejected invalid blow_up blows_up errorcode error_code status_code timeout timeouts leaks | 异常 错误 抛出
    捕获 拒绝 报错 超时 | 例外 エラー 投げる 捕捉 拒否 タイムアウト | 예외 에러 오류 던지 거부 타임아웃
retry: retry retries retried backoff idempotent idempotency resume | 重试 幂等 | リトライ 再試行 べき等 冪等 |
    재시도 멱등
type: type types typed typing annotation annotations mypy pyright tsc typescript generics signature type_hint
    helper | 类型 注解 | 型 型注釈 アノテーション | 타입 어노테이션
newcode: write_a function helper method implement implementing parameter argument | 写一个 函数 方法 参数 实现 |
    関数 メソッド 引数 実装 書いて | 함수 메서드 인자 구현 작성 > type
lint: lint linter linting eslint ruff formatter format prettier black style_guide code_style warnings suppress
    suppression | 格式化 代码风格 规范 | 整形 フォーマット リンター コードスタイル | 린트 포맷 코드스타일
naming: name names naming rename renamed named snake_case camelcase camel_case kebab convention identifier
    plural identifiers | 命名 名字 改名 重命名 驼峰 蛇形 | 命名 名前 改名 リネーム 呼び方 | 이름 명명 네이밍
refactor: refactor refactoring restructure rewrite cleanup clean_up tidy simplify split_up extract rename
    everywhere | 重构 整理 改写 拆分 | リファクタ リファクタリング 整理 置き換え 書き直し | 리팩터링 리팩토링
    정리 교체 > largechange
largechange: everywhere every_file all_files big_change large_change small_steps | 所有 全部 整个代码库 批量
    小步 拆分 | 全体 全部 すべて 一括 小さく 分割 | 전체 모든 일괄 > pullrequest
comment: comment comments docstring docstrings narrate narrating inline_comment | 注释 | コメント | 주석
docs: documentation document documented docs readme guide manual explain_module write_up onboarding adr
    design_doc design_document | 文档 说明 手册 资料 背景资料 | ドキュメント 文書 説明 資料 手引 | 문서 설명서
    가이드 설명
design: design designs architecture architectural proposal rfc blueprint layout structure lay_out rebuild
    scaffold approach tradeoff rejected alternatives decision decided chose choose | 设计 架构 方案 搭 机制 决定
    选型 | 設計 構成 仕組み アーキテクチャ 案 決定 経緯 | 설계 아키텍처 구조 방안 결정
decision: decide decided decision chose chosen picked settled agreed rejected instead_of | 决定 选择 敲定 否决 |
    決定 採用 却下 決めた | 결정 선택 채택
log: log logs logging logged logger print visibility observability structured_log structlog breadcrumb event_log
    diagnose | 日志 打印 痕迹 留痕 | ログ 記録 | 로그 로깅 출력
monitor: monitor monitoring metrics metric dashboard dashboards board boards chart charts graph graphs panel
    panels grafana datadog prometheus kibana alert alerts alerting spikes | 监控 看板 面板 指标 图表 告警 大盘 |
    監視 ダッシュボード メトリクス グラフ パネル アラート | 모니터링 대시보드 지표 차트 경보 알림
latency: latency slow slower slowness sluggish p95 p99 response_time response_times milliseconds ms took speed
    fast faster crawling heavy load_time lag | 延迟 慢 变慢 响应时间 耗时 太慢 卡 | 遅延 遅い 重い レイテンシ
    応答時間 応答 | 지연 느려 느린 응답시간 > monitor perf
perf: performance perf optimise optimize optimising optimizing optimisation optimization profile profiler
    profiling benchmark flamegraph speed_up faster memory_use memory cpu throughput hot_path bottleneck
    cold_start first_paint load_time | 性能 优化 提速 加快 内存 瓶颈 冷启动 首屏 加载 耗时 | 性能 最適化 高速化
    速く メモリ 使用量 起動時間 | 성능 최적화 빠르게 메모리 속도 시작시간
incident: incident incidents outage outages postmortem root_cause went_down acting_up misbehaving pager paged
    degraded down downtime failover | 事故 故障 宕机 停机 复盘 不正常 根因 | 障害 停止 インシデント 調子が悪い
    原因 ダウン | 장애 사고 다운 원인 > monitor oncall
oncall: on-call oncall pager escalate escalates escalated escalation wake_up rota urgent emergency urgently |
    值班 升级 紧急 告警群 | 当番 オンコール エスカレーション 緊急 至急 | 당직 온콜 긴급 호출 > who
runbook: runbook runbooks playbook procedure step_list steps checklist drill | 手册 步骤 流程 预案 操作手册 命令
    | 手順 手順書 ランブック 流れ | 절차 런북 단계 순서
deploy: deploy deploys deployed deploying deployment deployments ship shipped shipping rollout roll_out
    roll_it_out release released live push_live go_live production prod publish launch hotfix rollouts | 部署
    上线 发布 发版 投产 生产 上生产 热修复 放量 | デプロイ 本番 反映 リリース 公開 本番反映 配備 | 배포 운영
    반영 출시 릴리스 프로덕션 라이브
release: release releases released version_release changelog release_notes ship launch cut_a_release | 发布 发版
    版本 上线 更新日志 | リリース 公開 版 変更履歴 | 릴리스 출시 변경로그 > deploy
freeze: freeze frozen hold code_freeze release_freeze no_deploys moratorium blackout lock_down | 冻结 封版 封网
    | 凍結 フリーズ 止める | 동결 프리즈 > deploy
rollback: rollback roll_back revert reverted undo backout restore | 回滚 撤销 还原 | ロールバック 戻す 切り戻し
    取り消し | 롤백 되돌리 복구
staging: staging stage preview sandbox qa uat test_environment by_hand manual_check manual_checks environment |
    预发 测试环境 验证环境 沙箱 试一下 | 検証環境 ステージング 動作確認 サンドボックス 環境 | 스테이징
    테스트환경 검증환경 환경 샌드박스
secret: secret secrets credential credentials password passwords token tokens api_key vault keychain ssm kms
    .env env_file login 401 | 密钥 密码 凭证 凭据 令牌 账号 账户 口令 | 認証情報 秘密 パスワード 鍵 トークン
    資格情報 | 비밀 비밀번호 자격증명 토큰 계정 키
auth: auth authentication authenticate authorization authorize oauth sso login sign_in signin session
    permissions permission access role_based jwt 403 401 | 认证 鉴权 授权 登录 权限 会话 | 認証 認可 ログイン
    権限 セッション | 인증 인가 로그인 권한 세션
config: config configuration configure configured setting settings tunable tunables parameter parameters option
    options environment_variable environment_variables env_var env_vars limit limits timeout timeouts export
    yaml toml | 配置 设置 参数 环境变量 调大 上限 限制 | 設定 構成 環境変数 上限 パラメータ | 설정 구성 환경변수
    제한
limit: limit limits limited quota quotas rate_limit rate_limiting throttle throttling cap max maximum at_most |
    限制 限流 上限 配额 最大 不超过 | 制限 上限 最大 流量制限 | 제한 한도 최대 쿼터
timeout: timeout timeouts wait deadline_exceeded | 超时 等待 | タイムアウト 待つ 待ち 応答待ち | 타임아웃 대기
flag: feature_flag feature_flags flag flags toggle toggles turn_on turn_it_on enable enabled disable disabled
    gradual canary percentage experiment | 开关 灰度 打开 启用 关闭 全量 特性开关 | フラグ 有効 無効 オンにする
    切り替え | 플래그 활성화 비활성화 토글
tenant: tenant tenants customer customers client account region eu europe germany berlin workspace organisation
    | 租户 客户 欧盟 区域 | テナント 顧客 お客様 お客さん 地域 | 테넌트 고객 지역
legal: legal compliance gdpr audit auditor auditors regulator contract contractual licence license privacy
    data_protection addendum penalty | 法务 合规 审计 合同 监管 隐私 | 法務 監査 契約 規制 コンプライアンス |
    법무 감사 계약 규정 개인정보
database: database databases db postgres postgresql mysql sqlite mongodb storage persist persistence
    session_object repository_layer schema table tables column row rows query queries | 数据库 存储 表 字段 落库
    建表 持久化 仓储 | データベース 永続化 保存 テーブル 列 | 데이터베이스 저장 테이블 컬럼
table: table tables create_table column columns schema ddl entity | 数据表 建表 字段 | テーブル 列 スキーマ |
    테이블 스키마 컬럼
migration: migration migrations migrate migrated migrating move_to moved_to moving_from cutover backfill
    schema_change alembic flyway | 迁移 迁到 切换 割接 | 移行 切り替え マイグレーション | 마이그레이션 이전 전환
sql: sql query queries orm select join where_clause group_by report reports analytics | 查询 语句 | クエリ
    問い合わせ 抽出 | 쿼리 질의 조회
report: report reports reporting revenue churn per_country by_week monthly_active analysts analytics finance
    figures kpi numbers | 报表 月报 收入 统计 财务 报告 | レポート 集計 解約率 売上 報告 帳票 | 보고서 리포트
    통계 매출 집계 > sql
queue: queue queues broker kafka rabbitmq nats sqs celery worker workers consumer consumers producer background
    background_work asynchronous asynchronously async_job enqueue job jobs task_queue pubsub event_bus | 队列
    消息 消费者 异步 后台任务 | キュー 非同期 メッセージ コンシューマ ワーカー | 큐 비동기 메시지 컨슈머 워커
schedule: schedule scheduled scheduler cron crontab nightly overnight every_night batch batches periodic job
    jobs timer rerun kick_off run_again last_night | 定时 批处理 调度 夜间 每天 重跑 昨晚 | 定期 バッチ 夜間
    スケジューラ 昨夜 | 스케줄 배치 야간 정기 크론
cache: cache caches cached caching invalidate invalidation redis memcached ttl stale_data retention kept_for |
    缓存 失效 保留 | キャッシュ 無効化 保持 | 캐시 무효화 보관
api: api apis endpoint endpoints rest graphql rpc grpc response responses request requests payload json schema
    openapi contract clients field fields | 接口 端点 请求 响应 返回 字段 | エンドポイント 応答 リクエスト 項目
    返す インターフェース | 엔드포인트 요청 응답 인터페이스 필드
breaking: breaking breaking_change rename_field remove_field backward compatible compatibility deprecate
    deprecated versioning additive | 兼容 破坏性 弃用 删掉字段 | 互換 非互換 廃止 | 호환 하위호환 폐기
frontend: frontend front-end ui ux page pages component components widget react vue angular svelte css style
    styles styling html dark_mode button form forms screen dialog modal render animation | 前端 页面 组件 样式
    按钮 界面 动画 表单 | 画面 フロント コンポーネント ボタン 見た目 ダーク フォーム | 프론트 화면 컴포넌트 버튼
    스타일 페이지
mobile: mobile ios android app_store phone tablet device native_app | 移动端 手机 应用商店 | モバイル スマホ
    アプリ | 모바일 앱 휴대폰
translate: translation translations translate localization localisation locale i18n l10n strings copy wording
    lokalise | 翻译 国际化 本地化 文案 | 翻訳 国際化 ローカライズ 文言 | 번역 국제화 현지화 문구
language: language languages english chinese japanese korean spanish turkish german french portuguese reply_in
    answer_in explain_in | 中文 英文 日文 语言 用中文 | 日本語 英語 中国語 言語 何語 | 한국어 영어 언어
answer: answer answers reply replies response_style concise terse brief verbose recap recaps summary summaries
    summarise summarize trailing padding short_answers sentences explain explanation | 回答 回复 简短 总结 解释
    啰嗦 结论 | 回答 返答 簡潔 要約 説明して 教えて 違い | 답변 응답 간결 요약 설명해 알려줘
plan: plan plans planning approach proposal before_edits before_editing ask_before approval go-ahead
    confirm_first | 计划 方案 先问 | 計画 プラン 事前 確認してから | 계획 사전 확인
edit: edit edits edited editing change_files modify modification feature add_feature variant resume | 修改 改动
    编辑 加上 增加 | 変更 編集 追加 | 변경 편집 추가
editor: editor ide vim neovim emacs vscode vs_code helix jetbrains terminal shell keybinding shortcut
    jump_to_definition format_on_save lsp plugin | 编辑器 终端 快捷键 跳转 保存时 | エディタ 端末 ターミナル
    ショートカット | 에디터 편집기 터미널 단축키
os: linux macos mac windows ubuntu fedora nixos debian wsl laptop machine workstation operating_system | 系统
    电脑 机器 | マシン 端末 手元 | 운영체제 노트북
role: background experience senior junior engineer developer scientist beginner new_to expert expertise
    idiomatic familiar years | 背景 经验 新手 资深 地道 | 経験 経歴 初心者 慣用的 | 경력 배경 경험 초보
timezone: timezone time_zone time_zones utc local_time working_hours slot slots meeting call what_time cutover |
    时区 几点 时间 会议 | タイムゾーン 時差 会議 勤務時間 | 시간대 몇시 회의 근무시간
date: date dates deadline deadlines due until milestone demo schedule slipped postponed quarter week month |
    日期 截止 期限 之前 演示 里程碑 | 期限 締め切り 締切 日付 納期 まで | 날짜 마감 기한 일정 까지
scope: scope in_scope out_of_scope next later priority prioritise polish cut mvp nice_to_have demo | 范围 优先 |
    範囲 スコープ 優先 | 범위 우선 다음
ticket: ticket tickets tracker jira linear issue_tracker backlog file_a_bug follow-up note_down issue_key
    branch_name action_item kanban board card | 工单 任务 看板 待办 跟进 | チケット 課題 起票 カンバン | 티켓
    이슈 백로그 보드
who: who whom owner owners owns owned ownership responsible maintainer contact ask tag reach_out person
    team_lead needs_review lead | 谁 负责 负责人 找谁 联系 | 誰 担当 担当者 責任者 連絡 | 누구 담당 담당자
    책임자
where: where url link address located lives location path_to place wiki channel | 哪里 哪儿 在哪 地址 链接 位置
    | どこ 場所 アドレス 在り処 | 어디 위치 주소 링크
money: money amount amounts price prices pricing currency cents decimal invoice invoices billing payment
    payments refund refunds cost tip charge | 金额 价格 货币 支付 发票 账单 退款 收费 价目 | 金額 価格 通貨 支払
    請求 返金 料金 | 금액 가격 결제 청구 환불 통화
parse: parse parses parsed parser parsing float decode spreadsheet csv excel import_file importer number_format
    | 解析 表格 读出 导入 | 解析 読み取 取り込み 表計算 パース | 파싱 읽어 가져오기
export: export exports exporter download csv report_export | 导出 下载 | 書き出し エクスポート ダウンロード |
    내보내기 다운로드
order: order orders cart checkout basket purchase coupon | 订单 购物车 下单 优惠 | 注文 カート 購入 クーポン |
    주문 장바구니 구매 쿠폰
user: user users signup registration profile account member | 用户 注册 账户 | ユーザー 登録 会員 | 사용자 가입
    회원
mail: mail email emails e-mail smtp newsletter notification notifications message messages notify | 邮件 通知
    邮箱 | メール 通知 | 메일 알림 이메일
delete: delete deletes deleted deleting remove removes removed purge wipe wiped drop clean tidy_up free_space
    destroy cleanup prune bucket | 删除 清理 清空 移除 残留 | 削除 消去 片付け 消す | 삭제 제거 정리 비우
storage: bucket buckets s3 blob object_store disk space volume file_store upload uploads uploader | 存储桶 存储
    磁盘 空间 上传 | バケット ストレージ 容量 アップロード | 버킷 스토리지 디스크 업로드
danger: dangerous irreversible no_undo destructive careful data_loss never_run dry_run dry-run force | 危险
    不可恢复 小心 丢数据 | 危険 取り消せない 注意 消失 | 위험 되돌릴수없 주의
startup: start starts starting startup boot boots bootstrap entry_point entrypoint initialise initialize init
    main_module launch | 启动 入口 初始化 | 起動 エントリ 初期化 立ち上げ | 시작 부팅 초기화 진입점
infra: infrastructure kubernetes k8s kubectl helm terraform docker container containers pod pods node nodes
    cluster cloud aws gcp azure ingress server servers host hosts vm | 集群 容器 节点 服务器 云 基础设施 |
    クラスタ コンテナ ノード サーバー 基盤 ホスト | 클러스터 컨테이너 노드 서버 인프라
network: network vpn dns tls certificate certificates proxy firewall port ports gateway load_balancer upstream |
    网络 证书 代理 网关 上游 | ネットワーク 証明書 ゲートウェイ 上流 | 네트워크 인증서 게이트웨이
failover: failover primary replica leader standby disaster_recovery restore backup backups | 主备 切换 备份 恢复
    容灾 | フェイルオーバー 切り替え 復旧 バックアップ | 장애조치 백업 복구
security: security vulnerability cve exploit encrypt encryption encrypted sanitize xss csrf injection pentest
    key_rotation rotate | 安全 漏洞 加密 轮换 | セキュリティ 脆弱性 暗号 ローテーション | 보안 취약점 암호화
concurrency: concurrency concurrent thread threads lock locks locking deadlock race race_condition async await
    coroutine event_loop parallel mutex transaction | 并发 线程 锁 死锁 事务 异步 | 並行 スレッド ロック
    デッドロック 排他 | 동시성 스레드 잠금 교착
search: search index indexes indexed elasticsearch full-text lookup ranking | 搜索 索引 检索 | 検索 索引
    インデックス | 검색 색인 인덱스
ml: model models training train inference dataset features embedding gpu notebook experiment | 模型 训练 推理
    数据集 | モデル 学習 推論 データセット | 모델 학습 추론 데이터셋
data: data dataset etl warehouse dbt pipeline ingest ingestion stream event events schema records deduplicate
    backfill | 数据 数仓 事件 去重 采集 | データ 取り込み イベント 重複 | 데이터 적재 이벤트 중복
time: time clock timestamp timestamps datetime date_time utc freeze_time sleep | 时间 时间戳 时钟 | 時刻 時間
    日時 タイムスタンプ | 시간 시각
file: file files path directory folder filename | 文件 目录 路径 | ファイル フォルダ ディレクトリ パス | 파일
    폴더 경로
validate: validate validates validation validator schema_check zod pydantic field_check sanitize constraints |
    校验 验证 负数 | 検証 バリデーション 負 | 유효성 검사 음수
number: number numbers quantity quantities count total totals sum rounding | 数量 总数 合计 取整 | 数量 合計
    件数 丸め | 수량 합계 개수
feature: feature features functionality story capability requirement requirements | 功能 需求 特性 | 機能 要件
    要望 | 기능 요구사항
team: team teams colleague colleagues member members platform_team vendor contractor partner customer_success |
    团队 同事 成员 群里 供应商 | チーム 同僚 委託 引き継ぎ | 팀 동료 구성원
meeting: meeting meetings call standup retro sync agenda interview | 会议 例会 | 会議 打ち合わせ 定例 | 회의
    미팅
hook: webhook webhooks callback callbacks hook hooks polling poll subscribe event_handler | 回调 轮询 钩子 |
    ウェブフック コールバック ポーリング | 웹훅 콜백 폴링
game: game games player level sprite | 游戏 玩家 | ゲーム プレイヤー | 게임
script: script scripts command commands cli command-line tool tools flag option invocation wrapper makefile
    run_it | 脚本 命令 命令行 工具 | スクリプト コマンド ツール | 스크립트 명령 도구
env: environment environments variable variables machine local locally virtualenv container setup set_up | 环境
    变量 本地 搭建 | 環境 変数 ローカル 手元 構築 | 환경 변수 로컬
monorepo: monorepo many_repos workspace workspaces submodule submodules subproject | 单仓 多仓 子模块 | モノレポ
    サブモジュール | 모노레포 서브모듈
rendering: render renders rendering server-side ssr single-page spa template templates view views | 渲染 模板
    视图 | 描画 レンダリング テンプレート | 렌더링 템플릿
image: image images thumbnail thumbnails thumbnailer picture photo video media | 图片 缩略图 视频 | 画像
    サムネイル 動画 | 이미지 썸네일 영상
session: session sessions cookie cookies expire expired expiry | 会话 过期 | セッション 期限切れ | 세션 만료
experiment: experiment experiments ab_test hypothesis rollout_percentage | 实验 | 実験 | 실험
onboard: onboarding newcomer new_joiner getting_started setup_guide | 入职 新人 上手 | 新人 入門 | 신입 온보딩
cost: cost costs spend spending billing_alert expensive cheap budget | 成本 费用 预算 | 費用 コスト 予算 | 비용
    예산
legacy: legacy deprecated old_module dead_code maintenance_mode sunset obsolete unused | 旧 遗留 废弃 下线
    死代码 | 旧 廃止 レガシー 使われていない | 레거시 구형 폐기
style: style styles guideline guidelines convention conventions rule rules standard standards policy | 规范 规则
    约定 标准 风格 | 規約 規則 方針 基準 ルール 書き方 | 규칙 규약 표준 방침
"""

# Software words without a meaning of their own: they show that a prompt is about software work at all.
KNOWN = """
abstract adapter admin agent algorithm alias analytics anchor append argument array asset async attribute audit
backend balance base batch benchmark binary bit block boolean boundary browser buffer bug byte cart case catalog
channel char class client cli clock clone cloud code column command component config connection console constant
constraint consumer container context contract controller cookie core counter crash cursor daemon dashboard data
debug decorator default demo desktop device dialog diff directory disk domain domain driver dump element email
emoji endpoint engine enum event exit export expression extension factory field file filter flag flow folder
font form framework function gateway generator global graph group guard handler hash header heap hook host html
http icon identifier idle image import index input insert inspect instance int integer interface internal
iterator item iteration json kernel key keyboard label layer layout lib line linux list listener literal loader
local lock log login loop macro map mapping markdown master match matrix member memory menu message meta method
metric middleware mode model module monitor mount mutation namespace node null number object offset operator
option order output overlay owner package page panel param parent parser password patch path payload pipeline
pixel placeholder planner plugin pointer policy pool port prefix price primary private process profile project
promise prompt property protocol provider proxy query queue random range reader record recursion redirect
reference region registry release renderer replica repo report request resource response result retry role root
route router row runtime sandbox schema scope screen script search section secret select selector semaphore
serializer server service session setting sheet shell shop signal signup site snapshot socket sort source span
spec stack state statement static status step storage stream string struct stub style subclass suffix suite
supplier symbol sync syntax system tab table tag target task team template tenant terminal test text theme
thread throttle ticket time timer title token tool total trace transaction transform tree trigger tuple type
unit update upload uri url user utility valid validate value variable variant vector vendor version view virtual
volume warning web widget window wizard worker workflow workspace wrapper write yaml zip python javascript
typescript java kotlin swift rust golang ruby php scala elixir haskell bash powershell perl node deno react
angular svelte django flask fastapi rails spring laravel express postgres mysql redis mongodb kafka docker
kubernetes terraform ansible nginx linux windows macos android ios git github gitlab
"""
