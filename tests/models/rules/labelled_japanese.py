"""Japanese sentences as developers type them to an agent, each with what should be kept of it, written before the rules.

A row is a message and what is expected: ``type scope words`` for each memory ("; " between two, all words must occur in it),
or ``- reason`` when nothing may be kept. TUNED was looked at while the rules were written; HELD_OUT was only scored.
"""

from __future__ import annotations

Row = tuple[str, str]

TUNED: list[Row] = [
    # asked for in so many words
    ("覚えておいてください。マイグレーションは必ず一つずつ流します", "feedback project マイグレーション"),
    ("メモしておいて、画像の変換は imgproxy に任せる方針です", "feedback project imgproxy"),
    ("これは忘れないでほしいんですが、外部 API のレスポンスは必ずスキーマ検証してください", "feedback project スキーマ"),
    ("私がインフラ担当だということは覚えておいてください", "user user インフラ"),
    # standing rules
    ("今後は日付を ISO 8601 で統一してください", "feedback project ISO"),
    ("テストの中で sleep は使わないでください。時計を差し替えます", "feedback project sleep"),
    ("このリポジトリでは main に直接 push しないでください", "feedback project main push"),
    ("依存の更新は別の PR に分けてください", "feedback project PR 依存"),
    ("例外は握りつぶさず、必ずログに残すようにしてください", "feedback project 例外 ログ"),
    ("設定値は環境変数ではなく config/app.toml から読むルールです", "feedback project config/app.toml"),
    ("ログは構造化して出すのがこのチームの決まりです", "feedback project ログ 構造化"),
    ("フィーチャーブランチは squash マージでお願いします", "feedback project squash"),
    ("any 型は禁止です。どうしても必要なら理由をコメントに書いてください", "feedback project any"),
    ("コンポーネントは named export のみにしてください、default はやめましょう", "feedback project named default"),
    ("DB の主キーは UUID で揃えています", "feedback project UUID"),
    ("社内ライブラリは必ずバージョンを固定します", "feedback project バージョン 固定"),
    # how to answer, who is asking
    ("説明は箇条書きで短めにお願いします", "user user 箇条書き"),
    ("私は Vim しか使わないので、GUI の手順は要りません", "user user Vim"),
    ("Go は長いですが TypeScript は初めてなので、型まわりは丁寧に説明してください", "user user Go TypeScript"),
    ("変更する前に方針を見せて、私の了承を待ってください", "user user 方針 了承"),
    ("毎回最後にまとめを書かなくていいです。差分は自分で読みます", "user user まとめ"),
    # corrections
    ("いえ、そこは float ではなく Decimal を使います。請求額がずれるので", "feedback project Decimal"),
    ("違います。キャッシュは Redis ではなく各ノードのメモリに置く設計です", "feedback project Redis メモリ"),
    ("またモックになっていますね。結合テストは本物の MySQL コンテナで動かしてください", "feedback project MySQL"),
    # confirmed
    ("これがいいです。エラー応答は今後すべてこの形式にしてください", "feedback project エラー 形式"),
    ("完璧です。先に失敗するテストを書くこの進め方を続けてください", "feedback project テスト"),
    # decisions, dates, owners, limits
    ("先週の設計会議で、メッセージ基盤は NATS にすると決まりました。運用が楽だからです", "project project NATS"),
    ("3月20日に SDK を公開するので、それまで API は変更できません", "project project SDK 3月20日"),
    ("決済まわりは田中さんのレビューが必要です", "project project 決済 田中"),
    ("検索 API の p95 は 200ms 以内と契約で決まっています", "project project 200ms"),
    ("旧管理画面は年度末で廃止なので、新機能は載せません", "project project 管理画面 廃止"),
    ("お客様の環境が Java 11 なので、それより上げられません", "project project Java"),
    ("beta_search フラグは法務の確認が終わるまで EU では無効のままです", "project project beta_search EU"),
    ("本番作業は平日の 22 時以降に限られています", "project project 22 時"),
    ("来月から当番は二人体制になります", "project project 当番 二人"),
    # pointers
    ("デザインは Figma の「管理画面刷新」にあります", "reference project Figma 管理画面刷新"),
    ("バグは Redmine の mobile プロジェクトに登録してください", "reference project Redmine mobile"),
    ("ステージングの URL は https://stg.shop.example です", "reference project stg.shop.example"),
    ("障害の連絡は #incident チャンネルに流します。DM では誰も気づきません", "reference project #incident"),
    ("議事録は全部 Notion の開発部ページにまとめています", "reference project Notion"),
    ("レート制限の値は infra/limits.yaml で管理しています", "reference project infra/limits.yaml"),
    # lessons
    ("前回タイムアウトを設定していなくて全体が止まったので、HTTP クライアントには必ずタイムアウトを付けます", "feedback project タイムアウト"),
    ("あの不具合の原因は結局 libvips のバージョン違いでした。8.15 に固定したら再発していません", "project project libvips 8.15"),
    ("ORM で書いたら N+1 で落ちたので、集計は生の SQL で書くことにしています", "feedback project SQL"),
    # updates
    ("方針が変わりました。データ基盤は BigQuery ではなく Snowflake になります", "project project Snowflake BigQuery"),
    ("監視は Zabbix から Datadog に移行しました", "project project Datadog Zabbix"),
    # several
    ("API 仕様は Stoplight にあります。エラーコードは鈴木さんが採番しているので勝手に増やさないでください", "reference project Stoplight; feedback project 鈴木"),
    # nothing
    ("この関数がなぜ nil を返すのか調べてください", "- no_signal"),
    ("user_service.rb のタイムアウトを 5 秒にして", "- no_signal"),
    ("とりあえず今はテストを飛ばしてください", "- temporary"),
    ("今日は CI が混んでいるみたいです", "- temporary"),
    ("いまレビュー待ちです", "- temporary"),
    ("gRPC のほうがいいですかね？", "- question"),
    ("マイクロサービスにしたほうがいいと思いますか", "- question"),
    ("もしユーザーが十倍になったら分割も考えないといけませんね", "- undecided"),
    ("ありがとうございます、助かりました", "- no_signal"),
    ("ここだけの話ですが、山田さんが来月辞めるそうです。記録しないでください", "- off_record"),
    ("隣のチームは Kotlin で書いていますが、うちには関係ありません", "- other_project"),
    ("parse_row は lib/csv.rb に定義されています", "- derivable"),
    ("あと二つテストが落ちています", "- temporary"),
    ("承知しました、続けてください", "- no_signal"),
    ("いっそ全部消して作り直しますか、なんて", "- undecided"),
]

HELD_OUT: list[Row] = [
    ("一つ覚えてほしいのですが、イベント名は追加だけで変更はしません", "feedback project イベント名"),
    ("Terraform のリソース名には環境名を頭に付けてください", "feedback project 環境名"),
    ("PR の説明は今後英語で書いてください。海外のメンバーも見るので", "feedback user 英語"),
    ("私はデータ分析が専門でフロントエンドは素人です", "user user データ分析 フロントエンド"),
    ("返事はもっと短くていいです。要点だけで十分です", "user user 要点"),
    ("新しいライブラリの追加はセキュリティ部門の許可がない限りできません", "feedback project ライブラリ"),
    ("そうではなくて、内部通信は 9443 番ポートを使う決まりです", "feedback project 9443"),
    ("バッチは冪等にしておいてください。以前再実行でメールが二重に飛びました", "feedback project 冪等"),
    ("この粒度でコミットを分けるのがちょうどいいです。これからもこれでお願いします", "feedback project コミット"),
    ("企画と相談して、ポイント機能は見送り、初版は会員登録だけにしました", "project project ポイント 会員登録"),
    ("四月十日までに監査対応を終える必要があります", "project project 四月十日 監査"),
    ("認証基盤の担当は高橋さんなので、変更前に声をかけてください", "project project 高橋"),
    ("ワイヤーフレームは Miro の「店舗アプリ」ボードにまとまっています", "reference project Miro 店舗アプリ"),
    ("遅いクエリは Kibana の slow-sql ビューで確認できます", "reference project Kibana slow-sql"),
    ("本番の鍵は Vault の pay/prod に入っていて、リポジトリの .env はダミーです", "reference project Vault pay/prod"),
    ("キャッシュが一斉に切れて DB が落ちたことがあるので、TTL にはばらつきを入れています", "feedback project TTL"),
    ("スケジュールが変わって、海外版は 5 月から 6 月に延期です", "project project 海外版 6"),
    ("イメージは 500MB を超えると現場の端末に配れません", "project project 500MB"),
    ("/v1/orders はまだ二社が使っているので消せません", "project project /v1/orders"),
    ("ブランチを rebase してから push して", "- no_signal"),
    ("ここでロックを取る理由がわからないのですが", "- question"),
    ("会議に出るので一時間後に戻ります", "- temporary"),
    ("一旦このトークンで進めてください、あとで差し替えます", "- temporary"),
    ("そろそろ Vite に移るべきでしょうか", "- question"),
    ("仮に監査に落ちたら全部止めることになりますね", "- undecided"),
    ("オフレコですが、先方の担当者が近く異動するそうです", "- off_record"),
    ("データチームは Airflow を使っていますが、このリポジトリとは別の話です", "- other_project"),
    ("README に Node 20 が必要と書いてあります", "- derivable"),
    ("お疲れさまでした、今日はここまでにします", "- no_signal"),
    ("三つ目のテストが赤いままです", "- temporary"),
]
