"""Chinese sentences as developers type them to an agent, each with what should be kept of it, written before the rules.

A row is a message and what is expected: ``type scope words`` for each memory ("; " between two, all words must occur in it),
or ``- reason`` when nothing may be kept. TUNED was looked at while the rules were written; HELD_OUT was only scored.
"""

from __future__ import annotations

Row = tuple[str, str]

TUNED: list[Row] = [
    # asked for in so many words
    ("记一下，压测脚本统一放 tools/bench 下面，别散在各个服务里", "feedback project tools/bench"),
    ("帮我记住：线上回滚只能走 argo，不允许手动 kubectl apply", "feedback project argo kubectl"),
    ("记得这个项目的 protobuf 字段编号不能复用，删掉的要写 reserved", "feedback project reserved"),
    ("麻烦你记住我是做嵌入式的，前端基本没碰过", "user user 嵌入式 前端"),
    ("请记住，灰度比例每次最多调 10%，调之前先看错误率", "feedback project 10% 错误率"),
    # standing rules
    ("以后生成 SQL 迁移都要写回滚语句", "feedback project 回滚"),
    ("这个仓库里日期一律用 UTC 存，展示的时候再转时区", "feedback project UTC"),
    ("单元测试里不要 sleep，用 fake clock", "feedback project sleep clock"),
    ("提交前必须跑 make lint，CI 上 lint 不过直接拒", "feedback project lint"),
    ("所有对外接口都得带 trace id，不然排查不了", "feedback project trace"),
    ("别再用 any 了，类型写清楚，我们开了 strict", "feedback project any strict"),
    ("依赖升级单独提一个 PR，不要跟业务改动混在一起", "feedback project PR 依赖"),
    ("枚举值都用大写加下划线，前端那边按这个解析", "feedback project 大写 下划线"),
    ("改 schema 之前先在群里说一声，数据组有订阅", "feedback project schema"),
    ("新接口一律走 gRPC，REST 只留给老客户端", "feedback project gRPC"),
    # how to answer, who is asking
    ("解释的时候别贴大段代码，列要点就行", "user user 要点"),
    ("我习惯用 fish，给我命令的时候别写 bash 专有的语法", "user user fish"),
    ("我写了八年 Java，刚转 Rust，所有权那块麻烦多解释两句", "user user Java Rust"),
    ("我在柏林，早上九点到下午六点在线，时间请按我这边的算", "user user 柏林"),
    ("动手改之前先给我看方案，我点头了再写", "user user 方案"),
    ("跟我说话不用那么客气，直接说问题在哪", "user user 直接"),
    # corrections with a rule behind them
    ("不对，这里不能用 float，金额在我们系统里都是以分为单位的整数", "feedback project 金额 整数"),
    ("别用 mock 了，集成测试要连真的 postgres 容器，mock 上次漏掉了迁移的问题", "feedback project postgres 容器"),
    ("你怎么又加了 console.log，日志统一走 pino", "feedback project pino"),
    ("不要直接抛 RuntimeException，业务异常用 BizError 带错误码，网关只认这个", "feedback project BizError"),
    # confirmed approaches
    ("嗯这个写法好，以后新的 handler 都按这个结构来", "feedback project handler"),
    ("很好，先写失败的用例再改代码，后面修 bug 都这么做", "feedback project 用例"),
    # decisions, dates, owners, limits
    ("上周评审会定了，消息队列选 NATS，不用 RabbitMQ，主要是运维成本低", "project project NATS RabbitMQ"),
    ("这版 SDK 定在 3 月 20 号对外发布，在那之前接口不能再变", "project project SDK 3 20"),
    ("支付模块归王磊管，改动要他过一眼", "project project 支付 王磊"),
    ("首页接口 p99 不能超过 300ms，这是合同里写的", "project project 300ms"),
    ("老的推送服务年底下线，新功能不要再往上加了", "project project 推送 下线"),
    ("客户那边只支持 TLS 1.2，所以最低版本先不能提", "project project TLS"),
    ("实验开关 new_ranker 在法务点头之前不能对欧洲用户打开", "project project new_ranker 欧洲"),
    ("从下个月开始值班改成两人一组", "project project 值班 两人"),
    ("发版窗口固定在周二和周四下午，其他时间不上线", "project project 周二 周四"),
    # pointers
    ("设计稿在 Figma 的「运营后台 v2」文件里", "reference project Figma 运营后台"),
    ("bug 都提到 Jira 的 MOB 项目，别发群里", "reference project Jira MOB"),
    ("测试环境的地址是 test-gw.corp.example，要连 VPN", "reference project test-gw.corp.example"),
    ("故障复盘文档放在 Confluence 的 SRE 空间", "reference project Confluence SRE"),
    ("线上出问题就在 #oncall-infra 里喊，私聊没人看", "reference project #oncall-infra"),
    ("限流的阈值都配在 conf/limits.yaml 里，环境变量不生效", "reference project conf/limits.yaml"),
    # lessons
    ("上次就是因为没设超时，一个下游挂了把整个网关拖死，所以所有 http client 都要显式设 timeout", "feedback project timeout"),
    ("批量导入的时候开了自动提交，跑了六个小时，后来关掉攒够一千条再提交就快了", "feedback project 提交 一千"),
    ("那个偶发的崩溃最后查出来是 jemalloc 版本不一致，镜像里锁死 5.3 就没再出现", "project project jemalloc 5.3"),
    # updates
    ("计划变了，数据湖改用 Iceberg，Hudi 那套不要了", "project project Iceberg Hudi"),
    ("监控从 Zabbix 迁到 Prometheus 了，老面板不再维护", "project project Prometheus Zabbix"),
    # several facts at once
    ("接口文档在 Apifox 的「会员」目录；另外错误码由小赵统一分配，不要自己编", "reference project Apifox; feedback project 错误码 小赵"),
    # nothing to keep
    ("帮我看下这个函数为什么会返回空", "- no_signal"),
    ("把 user_service.py 里的超时改成 5 秒", "- no_signal"),
    ("先别管测试，把编译错误修了", "- temporary"),
    ("今天 CI 排队有点久，等会儿再看", "- temporary"),
    ("我这边网断了一下，刚才说到哪了？", "- question"),
    ("你觉得用 Kafka 会不会太重了？", "- question"),
    ("如果以后量上来了，可能得考虑分库", "- undecided"),
    ("好的，谢谢，没问题了", "- no_signal"),
    ("这个别记：老板下周要宣布裁员", "- off_record"),
    ("隔壁搜索团队用的是 Solr，跟我们没关系", "- other_project"),
    ("parse_config 在 utils/config.go 里定义，就一个参数", "- derivable"),
    ("现在还剩两个用例没过", "- temporary"),
    ("跑一下 npm test，把结果贴给我", "- no_signal"),
    ("哈哈要不直接把库删了重来", "- undecided"),
]

HELD_OUT: list[Row] = [
    ("记住一点：客户端埋点的事件名只能加不能改", "feedback project 事件名"),
    ("写 Terraform 的时候资源名都带上环境前缀", "feedback project 前缀"),
    ("以后 review 意见请用中文写，代码里的标识符保持英文", "feedback user 中文"),
    ("我是后端出身，CSS 不太熟，样式的东西请解释细一点", "user user 后端 CSS"),
    ("回复尽量短，能一句话说完就别写三段", "user user 一句话"),
    ("这个项目不允许引入新的第三方库，安全审计要求的", "feedback project 第三方"),
    ("不是 8080，内网网关统一走 9443", "feedback project 9443"),
    ("定时任务必须幂等，之前重跑的时候给用户发了两遍短信", "feedback project 幂等"),
    ("对，拆成两个小 PR 这种方式不错，之后都这么提", "feedback project PR"),
    ("我们和产品商量过了，积分功能砍掉，一期只做签到", "project project 积分 签到"),
    ("四月十号之前必须完成等保整改，过期会被罚", "project project 四月十号 等保"),
    ("风控规则这块的负责人是刘洋，有改动先找他", "project project 刘洋"),
    ("原型图放在蓝湖「商家端」项目", "reference project 蓝湖 商家端"),
    ("慢查询日志可以在 Kibana 的 slow-sql 视图里看", "reference project Kibana slow-sql"),
    ("线上密钥都存在 Vault 的 pay/prod 路径，仓库里的 .env 是假的", "reference project Vault pay/prod"),
    ("缓存没加随机过期，零点一到全部失效把库打挂了，所以 TTL 都要加抖动", "feedback project TTL 抖动"),
    ("排期调整：海外版从 5 月推到 6 月", "project project 海外版 6"),
    ("单个镜像不能超过 500MB，否则边缘节点拉不动", "project project 500MB"),
    ("老接口 /v1/orders 还有两家客户在用，不能删", "project project /v1/orders"),
    ("图片上传的大小限制不由我们定，以 CDN 的配置为准", "project project CDN"),
    ("把分支 rebase 一下再推", "- no_signal"),
    ("这里为什么要加锁，我没看懂", "- question"),
    ("我去开个会，一小时后回来", "- temporary"),
    ("先用这个临时 token 顶一下，回头换掉", "- temporary"),
    ("是不是该换成 Vite 了？", "- question"),
    ("假如流量翻十倍，这个方案肯定扛不住", "- undecided"),
    ("私下说一句，对接那边的人快离职了，不用记", "- off_record"),
    ("数据组他们用 Airflow 跑，跟咱们这个仓库不相干", "- other_project"),
    ("README 里写了要先装 Node 20", "- derivable"),
    ("辛苦了，今天先到这儿", "- no_signal"),
    ("第三个用例挂了，报空指针", "- temporary"),
]
