"""Korean sentences as developers type them to an agent, each with what should be kept of it, written before the rules.

A row is a message and what is expected: ``type scope words`` for each memory ("; " between two, all words must occur in it),
or ``- reason`` when nothing may be kept. TUNED was looked at while the rules were written; HELD_OUT was only scored.
"""

from __future__ import annotations

Row = tuple[str, str]

TUNED: list[Row] = [
    # asked for in so many words
    ("기억해 주세요. 마이그레이션은 반드시 하나씩 적용합니다", "feedback project 마이그레이션"),
    ("이건 기억해 둬, 운영 롤백은 argo로만 하고 kubectl은 직접 안 써", "feedback project argo kubectl"),
    ("메모해 두세요: protobuf 필드 번호는 재사용 금지입니다", "feedback project protobuf"),
    ("제가 임베디드 개발자라는 점 잊지 말아 주세요", "user user 임베디드"),
    ("꼭 기억해야 할 게 있는데, 외부 응답은 무조건 스키마로 검증해야 합니다", "feedback project 스키마"),
    # standing rules
    ("앞으로 날짜는 ISO 8601 형식으로 통일해 주세요", "feedback project ISO"),
    ("테스트에서 sleep 쓰지 마세요. 가짜 시계를 씁니다", "feedback project sleep"),
    ("이 저장소에서는 main에 직접 push하면 안 됩니다", "feedback project main push"),
    ("의존성 업데이트는 항상 별도 PR로 올려줘", "feedback project PR 의존성"),
    ("예외는 삼키지 말고 반드시 로그로 남겨 주세요", "feedback project 예외 로그"),
    ("금액은 무조건 정수 원 단위로 다뤄", "feedback project 금액 정수"),
    ("커밋하기 전에 꼭 make lint 돌려 주세요", "feedback project lint"),
    ("any 타입은 사용하지 않습니다. strict 모드를 켜 놨어요", "feedback project any"),
    ("모든 공개 API에는 trace id를 붙여야 해요", "feedback project trace"),
    ("로그는 구조화해서 남기는 게 우리 팀 규칙이에요", "feedback project 로그 구조화"),
    ("DB 기본 키는 UUID로 맞추고 있습니다", "feedback project UUID"),
    ("새 엔드포인트는 gRPC로만 만들고 REST는 구버전 클라이언트용으로만 남깁니다", "feedback project gRPC REST"),
    # how to answer, who is asking
    ("설명은 짧게 요점만 부탁드려요", "user user 요점"),
    ("저한테는 존댓말로 답해 주세요", "user user 존댓말"),
    ("결론부터 말하고 자세한 건 나중에 설명해줘", "user user 결론"),
    ("저는 Vim만 쓰니까 GUI 메뉴 안내는 필요 없어요", "user user Vim"),
    ("Java는 8년 했는데 Rust는 처음이라 소유권은 자세히 설명해 주면 좋겠어요", "user user Java Rust"),
    ("파일을 고치기 전에 계획부터 보여주고 제 승인을 기다려 주세요", "user user 계획 승인"),
    ("답변 끝에 요약은 안 붙여도 돼요. diff는 제가 직접 봅니다", "user user 요약"),
    ("커밋 메시지는 영어로, 설명은 한국어로 써 주세요", "feedback user 영어 한국어"),
    # corrections
    ("아니요, 거기는 float 말고 Decimal을 써야 합니다. 청구 금액이 틀어져요", "feedback project Decimal"),
    ("그게 아니라 캐시는 Redis가 아니라 각 노드 메모리에 두는 구조예요", "feedback project Redis 메모리"),
    ("또 목으로 했네요. 통합 테스트는 진짜 MySQL 컨테이너로 돌려야 합니다", "feedback project MySQL"),
    # confirmed
    ("좋아요, 에러 응답은 앞으로 다 이 형식으로 해 주세요", "feedback project 에러 형식"),
    ("완벽해요. 실패하는 테스트부터 쓰는 이 방식 계속 유지해 주세요", "feedback project 테스트"),
    # decisions, dates, owners, limits
    ("지난주 설계 회의에서 메시지 큐는 NATS로 정했습니다. 운영 비용이 낮아서요", "project project NATS"),
    ("SDK는 3월 20일에 공개하니까 그때까지 API를 바꿀 수 없어요", "project project SDK 3월 20일"),
    ("결제 모듈은 김민수 님이 담당이라 변경하려면 리뷰를 받아야 합니다", "project project 결제 김민수"),
    ("검색 API p95는 200ms 이내여야 한다고 계약서에 있어요", "project project 200ms"),
    ("구 관리자 페이지는 연말에 종료되니 새 기능은 넣지 않습니다", "project project 관리자 종료"),
    ("고객사 환경이 Java 11이라 그 이상으로는 못 올려요", "project project Java"),
    ("beta_search 플래그는 법무 검토가 끝날 때까지 EU에서 꺼 둡니다", "project project beta_search EU"),
    ("운영 배포는 매주 화요일 오전에만 합니다", "project project 배포 화요일"),
    ("다음 달부터 당직은 2인 1조로 바뀝니다", "project project 당직 2인"),
    # pointers
    ("디자인은 Figma의 '관리자 개편' 파일에 있어요", "reference project Figma 관리자"),
    ("버그는 Jira MOB 프로젝트에 등록해 주세요", "reference project Jira MOB"),
    ("스테이징 주소는 https://stg.shop.example 입니다", "reference project stg.shop.example"),
    ("장애 공유는 #incident 채널에서 해요. DM은 아무도 안 봐요", "reference project #incident"),
    ("회의록은 전부 노션 개발팀 페이지에 정리돼 있습니다", "reference project 노션"),
    ("위키는 wiki.corp.example/search 에 있습니다", "reference project wiki.corp.example/search"),
    # lessons
    ("지난번에 타임아웃을 안 걸어서 전체가 멈췄으니까 HTTP 클라이언트에는 꼭 타임아웃을 설정해야 해요", "feedback project 타임아웃"),
    ("그 버그는 결국 libvips 버전 차이 때문이었어요. 8.15로 고정하니 재발하지 않았습니다", "project project libvips 8.15"),
    ("ORM으로 짰다가 N+1로 터져서 집계는 생 SQL로 쓰기로 했습니다", "feedback project SQL"),
    # updates
    ("계획이 바뀌어서 데이터 플랫폼은 BigQuery 대신 Snowflake를 쓰기로 했어요", "project project Snowflake BigQuery"),
    ("모니터링은 Zabbix에서 Datadog으로 옮겼습니다", "project project Datadog Zabbix"),
    # several
    ("API 명세는 Stoplight에 있고, 에러 코드는 박지현 님이 관리하니까 마음대로 추가하지 마세요", "reference project Stoplight; feedback project 박지현"),
    # nothing
    ("이 함수가 왜 null을 반환하는지 봐 주세요", "- no_signal"),
    ("user_service.py 타임아웃을 5초로 바꿔줘", "- no_signal"),
    ("일단 지금은 테스트 건너뛰어 주세요", "- temporary"),
    ("오늘 CI가 좀 느리네요", "- temporary"),
    ("지금 리뷰 기다리는 중이에요", "- temporary"),
    ("Kafka가 더 낫지 않을까요?", "- question"),
    ("마이크로서비스로 가는 게 좋을까요", "- question"),
    ("만약 사용자가 열 배로 늘면 샤딩도 고민해야겠죠", "- undecided"),
    ("감사합니다, 많이 도움 됐어요", "- no_signal"),
    ("이건 기억하지 마세요. 이 과장님이 다음 달에 퇴사합니다", "- off_record"),
    ("옆 팀은 Kotlin을 쓰는데 우리랑은 상관없어요", "- other_project"),
    ("parse_row는 lib/csv.py에 정의돼 있어요", "- derivable"),
    ("테스트 두 개가 아직 실패해요", "- temporary"),
    ("네, 계속 진행해 주세요", "- no_signal"),
]

HELD_OUT: list[Row] = [
    ("하나만 기억해 주세요. 이벤트 이름은 추가만 하고 바꾸지 않습니다", "feedback project 이벤트"),
    ("Terraform 리소스 이름 앞에는 환경 이름을 붙여 주세요", "feedback project 환경"),
    ("PR 설명은 앞으로 영어로 써 주세요. 해외 팀원도 보거든요", "feedback user 영어"),
    ("저는 데이터 분석이 전공이고 프런트엔드는 잘 모릅니다", "user user 데이터 프런트엔드"),
    ("대답은 더 짧아도 됩니다. 핵심만 알려 주세요", "user user 핵심"),
    ("새 라이브러리 추가는 보안팀 승인 없이는 안 됩니다", "feedback project 라이브러리"),
    ("8080이 아니라 내부 통신은 9443 포트를 쓰는 게 규칙입니다", "feedback project 9443"),
    ("배치는 멱등하게 만들어야 해요. 예전에 재실행하다가 문자가 두 번 나갔어요", "feedback project 멱등"),
    ("이 정도 크기로 커밋을 나누는 게 딱 좋네요. 앞으로도 이렇게 해 주세요", "feedback project 커밋"),
    ("기획팀과 얘기해서 포인트 기능은 빼고 1차는 회원가입만 하기로 했습니다", "project project 포인트 회원가입"),
    ("4월 10일까지 감사 대응을 끝내야 합니다", "project project 4월 10일 감사"),
    ("인증 쪽은 최윤서 님 담당이니 바꾸기 전에 먼저 얘기해 주세요", "project project 최윤서"),
    ("와이어프레임은 Miro '매장 앱' 보드에 모아 뒀어요", "reference project Miro 매장"),
    ("느린 쿼리는 Kibana의 slow-sql 뷰에서 볼 수 있습니다", "reference project Kibana slow-sql"),
    ("운영 키는 Vault의 pay/prod 경로에 있고 저장소의 .env는 가짜예요", "reference project Vault pay/prod"),
    ("캐시가 한꺼번에 만료돼서 DB가 죽은 적이 있어서 TTL에는 랜덤 값을 더합니다", "feedback project TTL"),
    ("일정이 바뀌어 해외판은 5월에서 6월로 미뤄졌습니다", "project project 해외판 6월"),
    ("이미지는 500MB를 넘으면 현장 단말에 배포할 수 없어요", "project project 500MB"),
    ("/v1/orders는 아직 두 고객사가 쓰고 있어서 지우면 안 돼요", "project project /v1/orders"),
    ("브랜치 리베이스하고 푸시해 줘", "- no_signal"),
    ("여기서 왜 락을 잡는지 모르겠어요", "- question"),
    ("회의 다녀올게요, 한 시간 뒤에 봐요", "- temporary"),
    ("우선 이 토큰으로 진행하고 나중에 바꿀게요", "- temporary"),
    ("이제 Vite로 옮겨야 할까요?", "- question"),
    ("혹시 감사에서 떨어진다면 다 멈춰야겠네요", "- undecided"),
    ("비밀인데요, 그쪽 담당자가 곧 그만둔대요. 적어 두지 마세요", "- off_record"),
    ("데이터팀은 Airflow로 돌리는데 이 저장소랑은 별개예요", "- other_project"),
    ("README에 Node 20이 필요하다고 적혀 있어요", "- derivable"),
    ("수고하셨어요, 오늘은 여기까지 할게요", "- no_signal"),
    ("세 번째 테스트가 계속 빨간색이에요", "- temporary"),
]
