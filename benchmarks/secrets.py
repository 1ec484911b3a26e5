"""How many credentials are found, how many harmless texts are hurt, and how fast: for ``reverie.core.redact``.

    python benchmarks/secrets.py [--seed N] [--each N] [--show] [--speed] [--sessions SESSIONS.JSONL …] [--gold GOLD …]

Every credential and look-alike is made up at run time from a seed; none was ever valid, and none stands in this file. A
credential counts as found when it is gone from the redacted text, whole; a look-alike as hurt when its text was changed
at all. ``--sessions`` takes codebench sessions and ``--gold`` the samples' gold files (their scripts beside them), where
what must never be stored is named.
"""

from __future__ import annotations

import argparse
import base64
import json
import random
import string
import sys
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from reverie.core.redact import redact

R = random.Random
UPPER, LOWER, DIGIT = string.ascii_uppercase, string.ascii_lowercase, string.digits
ALNUM = UPPER + LOWER + DIGIT
B64URL = ALNUM + "-_"
B64 = ALNUM + "+/"
HEX = "0123456789abcdef"


def pick(r: R, alphabet: str, count: int) -> str:
    return "".join(r.choice(alphabet) for _ in range(count))


def mixed(r: R, alphabet: str, count: int) -> str:
    """A random run that holds a digit and, where the alphabet has them, both cases; no sign at its ends."""
    while True:
        run = pick(r, alphabet, count)
        if any(map(str.isdigit, run)) and (not set(UPPER) <= set(alphabet) or any(map(str.isupper,
            run))) and run[0].isalnum() and run[-1].isalnum():
            return run


def guid(r: R) -> str:
    return str(uuid.UUID(int=r.getrandbits(128), version=4))


def b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def jwt(r: R) -> str:
    def part(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")
    return ".".join((part({"alg": r.choice(["HS256", "RS256"]), "typ": "JWT"}), part({"sub": pick(r, DIGIT, 8),
        "exp": r.randrange(10**9)}), mixed(r, B64URL, 43)))


def pem(r: R, kind: str = "RSA ", lines: int = 4, cut: bool = False) -> str:
    body = "\n".join([mixed(r, B64, 64) for _ in range(lines)] + ([] if cut else [mixed(r, B64, 30) + "=="]))
    return f"-----BEGIN {kind}PRIVATE KEY-----\n{body}" + ("" if cut else f"\n-----END {kind}PRIVATE KEY-----")


def person(r: R) -> str:
    """A password as people choose them."""
    word = r.choice(["Tiger", "summer", "Berlin", "dragon", "Kaffee", "monkey", "Office", "winter", "Pinot",
        "hunter"])
    return r.choice([
        f"{word}{r.randrange(10, 9999)}{r.choice('!$#?%&*')}",
        f"{word}-{r.choice(['blue', 'Nine', 'Rain'])}-{r.randrange(10, 99)}{r.choice('!$#')}",
        mixed(r, ALNUM + "!#$%&*+=", 12), mixed(r, ALNUM, 14),
        f"{r.choice('QWXZ')}{pick(r, ALNUM, 9)}!{r.randrange(10)}", f"{word}{r.randrange(2019, 2027)}",
    ])


# Tokens that are known by themselves: family -> maker. Each is set into every kind of surroundings.
TOKENS: dict[str, Callable[[R], str]] = {
    "openai project": lambda r: "sk-proj-" + mixed(r, B64URL, 48),
    "openai long": lambda r: "sk-proj-" + mixed(r, B64URL, 74) + "T3BlbkFJ" + mixed(r, B64URL, 74),
    "openai old": lambda r: "sk-" + mixed(r, ALNUM, 20) + "T3BlbkFJ" + mixed(r, ALNUM, 20),
    "openai service": lambda r: "sk-svcacct-" + mixed(r, B64URL, 60),
    "openai admin": lambda r: "sk-admin-" + mixed(r, B64URL, 60),
    "plain sk": lambda r: "sk-" + mixed(r, LOWER + DIGIT, 32),
    "anthropic": lambda r: "sk-ant-api03-" + mixed(r, B64URL, 93) + "AA",
    "anthropic oauth": lambda r: "sk-ant-oat01-" + mixed(r, B64URL, 80),
    "openrouter": lambda r: "sk-or-v1-" + pick(r, HEX, 64),
    "github classic": lambda r: "ghp_" + mixed(r, ALNUM, 36),
    "github oauth": lambda r: "gho_" + mixed(r, ALNUM, 36),
    "github user": lambda r: "ghu_" + mixed(r, ALNUM, 36),
    "github server": lambda r: "ghs_" + mixed(r, ALNUM, 36),
    "github refresh": lambda r: "ghr_" + mixed(r, ALNUM, 76),
    "github fine": lambda r: "github_pat_" + mixed(r, ALNUM, 22) + "_" + mixed(r, ALNUM, 59),
    "gitlab": lambda r: "glpat-" + mixed(r, B64URL, 20),
    "gitlab routable": lambda r: "glpat-" + mixed(r, B64URL, 27) + ".01." + mixed(r, LOWER + DIGIT, 9),
    "gitlab runner": lambda r: "glrt-" + mixed(r, B64URL, 20),
    "gitlab deploy": lambda r: "gldt-" + mixed(r, B64URL, 20),
    "atlassian": lambda r: "ATATT3xFfGF0" + mixed(r, B64URL, 170) + "=" + pick(r, HEX.upper(), 8),
    "bitbucket": lambda r: "ATBB" + mixed(r, ALNUM, 28) + pick(r, HEX.upper(), 8),
    "aws id": lambda r: r.choice(["AKIA", "ASIA"]) + pick(r, UPPER + "234567", 16),
    "google api": lambda r: "AIza" + mixed(r, B64URL, 35),
    "google oauth": lambda r: "GOCSPX-" + mixed(r, B64URL, 28),
    "google access": lambda r: "ya29." + mixed(r, B64URL, 120),
    "alibaba": lambda r: "LTAI5t" + mixed(r, ALNUM, 18),
    "tencent": lambda r: "AKID" + mixed(r, ALNUM, 32),
    "azure client secret": lambda r: mixed(r, ALNUM, 3) + "8Q~" + mixed(r, ALNUM + "_~.-", 34),
    "slack bot": lambda r: f"xoxb-{pick(r, DIGIT, 12)}-{pick(r, DIGIT, 13)}-{mixed(r, ALNUM, 24)}",
    "slack user": lambda r: f"xoxp-{pick(r, DIGIT, 12)}-{pick(r, DIGIT, 12)}-{pick(r, DIGIT, 12)}-{pick(r, HEX, 32)}",
    "slack app": lambda r: f"xapp-1-A{pick(r, UPPER + DIGIT, 10)}-{pick(r, DIGIT, 13)}-{pick(r, HEX, 64)}",
    "slack webhook": lambda r: (
        f"https://hooks.slack.com/services/T{pick(r, UPPER + DIGIT, 8)}/B{pick(r, UPPER + DIGIT, 8)}/{mixed(r, ALNUM, 24)}"
    ),
    "stripe secret": lambda r: "sk_live_" + mixed(r, ALNUM, 24),
    "stripe test": lambda r: "sk_test_51" + mixed(r, ALNUM, 97),
    "stripe restricted": lambda r: "rk_live_" + mixed(r, ALNUM, 24),
    "stripe webhook": lambda r: "whsec_" + mixed(r, ALNUM, 32),
    "sendgrid": lambda r: "SG." + mixed(r, B64URL, 22) + "." + mixed(r, B64URL, 43),
    "twilio": lambda r: "SK" + pick(r, HEX, 32),
    "mailgun": lambda r: f"{pick(r, HEX, 32)}-{pick(r, HEX, 8)}-{pick(r, HEX, 8)}",
    "mailgun old": lambda r: "key-" + pick(r, HEX, 32),
    "mailchimp": lambda r: f"{pick(r, HEX, 32)}-us{r.randrange(1, 22)}",
    "brevo": lambda r: f"xkeysib-{pick(r, HEX, 64)}-{mixed(r, ALNUM, 16)}",
    "npm": lambda r: "npm_" + mixed(r, ALNUM, 36),
    "pypi": lambda r: "pypi-AgEIcHlwaS5vcmc" + mixed(r, B64URL, 150),
    "crates": lambda r: "cio" + mixed(r, ALNUM, 32),
    "rubygems": lambda r: "rubygems_" + pick(r, HEX, 48),
    "docker": lambda r: "dckr_pat_" + mixed(r, B64URL, 27),
    "hugging face": lambda r: "hf_" + mixed(r, ALNUM, 34),
    "replicate": lambda r: "r8_" + mixed(r, ALNUM, 37),
    "groq": lambda r: "gsk_" + mixed(r, ALNUM, 52),
    "xai": lambda r: "xai-" + mixed(r, ALNUM, 80),
    "perplexity": lambda r: "pplx-" + mixed(r, ALNUM, 48),
    "nvidia": lambda r: "nvapi-" + mixed(r, B64URL, 64),
    "digitalocean": lambda r: "dop_v1_" + pick(r, HEX, 64),
    "databricks": lambda r: "dapi" + pick(r, HEX, 32),
    "supabase": lambda r: "sbp_" + pick(r, HEX, 40),
    "planetscale": lambda r: "pscale_tkn_" + mixed(r, B64URL, 43),
    "netlify": lambda r: "nfp_" + mixed(r, ALNUM, 36),
    "fly": lambda r: "fo1_" + mixed(r, B64URL, 43),
    "heroku": lambda r: "HRKU-AA" + mixed(r, B64URL, 58),
    "new relic": lambda r: "NRAK-" + pick(r, UPPER + DIGIT, 27),
    "grafana": lambda r: "glsa_" + mixed(r, ALNUM, 32) + "_" + pick(r, HEX, 8),
    "grafana cloud": lambda r: "glc_" + b64(json.dumps({"o": pick(r, DIGIT, 6), "k": mixed(r, ALNUM, 24)})),
    "sentry token": lambda r: "sntryu_" + pick(r, HEX, 64),
    "dynatrace": lambda r: f"dt0c01.{pick(r, UPPER + DIGIT, 24)}.{pick(r, UPPER + DIGIT, 64)}",
    "vault": lambda r: "hvs." + mixed(r, B64URL, 90),
    "terraform": lambda r: mixed(r, ALNUM, 14) + ".atlasv1." + mixed(r, B64URL, 67),
    "doppler": lambda r: "dp.st." + r.choice(["dev", "prd_web"]) + "." + mixed(r, ALNUM, 43),
    "pulumi": lambda r: "pul-" + pick(r, HEX, 40),
    "age": lambda r: "AGE-SECRET-KEY-1" + pick(r, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
    "tailscale": lambda r: f"tskey-auth-k{mixed(r, ALNUM, 11)}CNTRL-{mixed(r, ALNUM, 32)}",
    "linear": lambda r: "lin_api_" + mixed(r, ALNUM, 40),
    "notion": lambda r: "ntn_" + mixed(r, ALNUM, 46),
    "figma": lambda r: "figd_" + mixed(r, B64URL, 40),
    "airtable": lambda r: f"pat{mixed(r, ALNUM, 14)}.{pick(r, HEX, 64)}",
    "shopify": lambda r: r.choice(["shpat_", "shpss_"]) + pick(r, HEX, 32),
    "square": lambda r: "sq0atp-" + mixed(r, B64URL, 22),
    "hubspot": lambda r: "pat-na1-" + guid(r),
    "plaid": lambda r: "access-production-" + guid(r),
    "postman": lambda r: f"PMAK-{pick(r, HEX, 24)}-{pick(r, HEX, 34)}",
    "telegram": lambda r: f"{r.randrange(10**9, 10**10)}:AA{mixed(r, B64URL, 33)}",
    "discord": lambda r: f"M{mixed(r, ALNUM, 23)}.{mixed(r, B64URL, 6)}.{mixed(r, B64URL, 38)}",
    "discord webhook": lambda r: f"https://discord.com/api/webhooks/{pick(r, '123456789', 18)}/{mixed(r, B64URL, 68)}",
    "jwt": jwt,
    "jwt header": lambda r: jwt(r).split(".")[0],
    "jwt payload": lambda r: jwt(r).split(".")[1],
    "buildkite": lambda r: "bkua_" + pick(r, HEX, 40),
    "sonarqube": lambda r: "squ_" + pick(r, HEX, 40),
    "openshift": lambda r: "sha256~" + mixed(r, B64URL, 43),
    "langsmith": lambda r: f"lsv2_pt_{pick(r, HEX, 32)}_{pick(r, HEX, 10)}",
    "pinecone": lambda r: f"pcsk_{mixed(r, ALNUM, 6)}_{mixed(r, ALNUM, 60)}",
}

AROUND = (
    "here is the key so you can test: {}", "export API_TOKEN={}", "I put {} into the config for now",
    "密钥是 {}，先用着", "トークンは {} です", "토큰은 {} 입니다",
    '{{"auth": {{"value": "{}", "ttl": 30}}}}',
    "curl -sS https://api.internal.example/v1/ping -H 'Authorization: Bearer {}'",
    "2026-11-30T10:00:01Z INFO using {} for upstream",
    "it answered 401 with {}, can you look?", "use `{}` please", "<td>{}</td>", "{}", "line one\n{}\nline three",
    '"cmd": "echo A\\n{}\\nB"', "key={}&x=1", "({})", "用 {} 试一下。",
)

# Credentials that are known by what stands around them: family -> maker of (text, what must be gone).
SETTINGS: dict[str, Callable[[R], tuple[str, str]]] = {}


def setting(name: str, *templates: str, value: Callable[[R], str] = person) -> None:
    def make(r: R) -> tuple[str, str]:
        secret = value(r)
        return r.choice(templates).replace("@@", secret), secret
    SETTINGS[name] = make


setting("password assignment", "password=@@", "DB_PASSWORD=@@\nDEBUG=1", "password: @@",
    "  user: app\n  password: @@\n  role: x", "Password: @@", "db.password = @@", "spring.datasource.password=@@")
setting("password in json", '{"user": "svc", "password": "@@"}', '{\\"password\\": \\"@@\\"}',
    "{'password': '@@', 'port': 5432}", '"dbPassword":"@@",')
setting("password in code", 'PASSWORD = "@@"', 'conn = connect(host="h", password="@@")',
    "const userPassword = '@@';", 'String dbPassword = "@@";', "password: str = '@@'", "$db_password = '@@';",
        ":password => '@@'", 'pass_word := "x"; passwd := "@@"')
setting("password in prose", "the password is @@", "the wifi password is @@, don't share",
    "login with user admin and password @@ on staging", "password for the sandbox: @@", "my db password is `@@`",
        'AUTH failed with password "@@" (WRONGPASS)', "The admin password on the test box is @@")
setting("password in chinese", "密码是 @@", "数据库密码：@@", "测试环境的密码是@@，别外传", "密码（预发）是 @@",
    "密码改成 @@ 了", "口令: @@")
setting("password in japanese", "パスワードは @@ です", "パスワード：@@", "検証環境のパスワードは「@@」です",
    "DBのパスワードを @@ に変えました")
setting("password in korean", "비밀번호는 @@ 입니다", "비밀번호: @@", "스테이징 비밀번호는 '@@'이에요",
    "암호는 @@ 예요")
setting("password flag", "tool login --password @@", "mysqldump --user=root --password=@@ core",
    "mysql -u root -p@@ core", "sshpass -p @@ ssh host", "curl -u admin:@@ https://x.example/",
    "docker login -u ci -p @@ registry.example",
        "redis-cli -a @@ ping", "PGPASSWORD=@@ psql -h db", "java -Dapp.password=@@ -jar a.jar",
        value=lambda r: mixed(r, ALNUM, 14))
setting("netrc", "machine api.example login bot password @@", "machine x\n  login y\n  password @@\n",
    value=lambda r: mixed(r, ALNUM, 16))
setting("url password", "postgres://svc:@@@db.internal:5432/core", "redis://:@@@cache:6379/0",
    "mongodb+srv://app:@@@cluster0.example.mongodb.net/x?retryWrites=true", "amqp://bus:@@@mq/vhost",
    "https://ci:@@@git.example/team/repo.git",
        "mysql+pymysql://root1:@@@127.0.0.1/app", value=lambda r: mixed(r, ALNUM + "!$%*", 16))
setting("go dsn", "app:@@@tcp(127.0.0.1:3306)/core?parseTime=true", value=lambda r: mixed(r, ALNUM, 14))
setting("ado string", "Server=tcp:x,1433;Database=core;User ID=app;Password=@@;Encrypt=True",
    "Data Source=db;User Id=sa;Pwd=@@;", value=lambda r: mixed(r, ALNUM + "!#", 14))
setting("basic header", "Authorization: Basic @@", "-H 'Authorization: Basic @@'", '"authorization": "Basic @@"',
    value=lambda r: b64("svc_" + pick(r, LOWER, 4) + ":" + mixed(r, ALNUM, 12)))
setting("bearer header", "Authorization: Bearer @@", "bearer @@", '{"Authorization":"Bearer @@"}',
    value=lambda r: mixed(r, B64URL, 32))
setting("api key header", "X-Api-Key: @@", "curl -H 'X-API-KEY: @@' https://a.example", "x-auth-token: @@",
    "apikey: @@", value=lambda r: mixed(r, ALNUM, 32))
setting("hex key", "api_key: @@", "API_KEY=@@", '"apiKey": "@@"', "the api key is @@", "DATADOG_API_KEY=@@",
    "secret_key = '@@'", value=lambda r: mixed(r, HEX, 40))
setting("hex key 32", "api_key=@@", "TWILIO_AUTH_TOKEN=@@", "client_secret: @@", "master key: @@",
    value=lambda r: mixed(r, HEX, 32))
setting("generic token", "token: @@", "MY_SERVICE_TOKEN=@@", "access_token=@@&scope=all", '"refreshToken": "@@"',
    "auth_token = '@@'", "--token @@", "token => '@@'", "<token>@@</token>", value=lambda r: mixed(r, ALNUM, 24))
setting("generic secret", "secret: @@", "CLIENT_SECRET=@@", '"client_secret": "@@"', "JWT_SECRET=@@",
    "signing_secret: '@@'", "my_secret: @@", "WEBHOOK_SECRET=@@", value=lambda r: mixed(r, ALNUM + "+/", 32))
setting("uuid token", "HEROKU_API_KEY=@@", "api_token: @@", "X_TOKEN=@@", "client_secret=@@", value=guid)
setting("random in prose", "the staging key is @@, bob rotates it every quarter", "use @@ for the api token",
    "my kube token if you need it: @@", "the token for ci is @@", "@@ is the deploy token", "API key @@ works",
        "our secret: @@", value=lambda r: mixed(r, ALNUM, 32))
setting("random in cjk", "密钥是 @@，先用着", "令牌：@@", "トークンは @@ です", "APIキーは @@ です",
    "토큰은 @@ 입니다", "token 是 @@", "这个 key 是密钥：@@", "用 @@ 当令牌", value=lambda r: mixed(r, ALNUM, 28))
setting("aws secret", "AWS_SECRET_ACCESS_KEY=@@", "aws_secret_access_key = @@", '"SecretAccessKey": "@@"',
    "secret access key\n@@\n", "aws configure set aws_secret_access_key @@", value=lambda r: mixed(r, B64, 40))
setting("azure storage", "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=@@;EndpointSuffix=core.windows.net",
    value=lambda r: mixed(r, B64, 86) + "==")
setting("azure sas", "https://x.blob.core.windows.net/c?sv=2024-01-01&se=2026-01-01&sp=r&sig=@@",
    value=lambda r: mixed(r, ALNUM, 41) + "%3D")
setting("service bus", "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=@@",
    value=lambda r: mixed(r, B64, 43) + "=")
setting("sentry dsn", "SENTRY_DSN=https://@@@o1.ingest.sentry.io/42", value=lambda r: mixed(r, HEX, 32))
setting("npmrc", "//registry.example/:_authToken=@@", "_auth=@@", value=lambda r: b64("bot:" + mixed(r, ALNUM, 14)))
setting("kubernetes env", "- name: DB_PASSWORD\n  value: @@", '{"name": "API_TOKEN", "value": "@@"}',
    value=lambda r: mixed(r, ALNUM, 18))
setting("kubernetes secret", "kind: Secret\ndata:\n  password: @@\n", value=lambda r: b64(mixed(r, ALNUM, 14)))
setting("docker config", '{"auths": {"r.example": {"auth": "@@"}}}', value=lambda r: b64("robot:" + mixed(r, ALNUM,
    20)))
setting("cookie", "Cookie: theme=dark; session=@@; lang=en", "Set-Cookie: sid=@@; HttpOnly", "sessionid=@@",
    value=lambda r: mixed(r, ALNUM, 32))
setting("sql", "CREATE USER app IDENTIFIED BY '@@';", "ALTER ROLE app WITH PASSWORD '@@'",
    "create user x with encrypted password '@@';")
setting("otp", "the verification code is @@", "OTP: @@", value=lambda r: pick(r, "123456789", 6))
setting("terminal", "$ cat .env\nDEBUG=1\nAPI_SECRET=@@\n", "│   SERVICE_TOKEN=@@\n╵", value=lambda r: mixed(r, ALNUM,
    30))
setting("wireguard", "[Interface]\nPrivateKey = @@\nAddress = 10.0.0.2/24", value=lambda r: mixed(r, B64, 43) + "=")
setting("laravel", "APP_KEY=base64:@@", value=lambda r: mixed(r, B64, 43) + "=")
setting("totp", "otpauth://totp/x:y?secret=@@&issuer=x", value=lambda r: mixed(r, UPPER + "234567", 32))
setting("pem", "here:\n@@\nthanks", "ssh_key: |\n@@", value=lambda r: pem(r, r.choice(["RSA ", "EC ", "OPENSSH ", "",
    "ENCRYPTED "])))
setting("pem cut short", "log: @@", value=lambda r: pem(r, "RSA ", 5, cut=True))
setting("pem escaped", '{"type": "service_account", "private_key": "@@"}', value=lambda r: pem(r, "").replace("\n",
    "\\n"))
setting("jwt signature", "the jwt signature is @@", "token signature: @@", value=lambda r: mixed(r, B64URL, 43))


def secrets_of(seed: int, each: int) -> Iterator[tuple[str, str, str]]:
    """Family, text, and the credential in it."""
    for name, make in TOKENS.items():
        r = R(f"{seed}/{name}")
        for around in r.sample(AROUND, min(each, len(AROUND))):
            secret = make(r)
            yield name, around.format(secret), secret
    for name, setup in SETTINGS.items():
        r = R(f"{seed}/{name}")
        for _ in range(each):
            text, secret = setup(r)
            yield name, text, secret


# What has the looks and is none: name -> maker of a text that must stay as it is.
def _like(*templates: str, value: Callable[[R], str] = lambda r: "") -> Callable[[R], str]:
    def make(r: R) -> str:
        text = r.choice(templates)
        while "@@" in text:
            text = text.replace("@@", value(r), 1)
        return text
    return make


LOOK_ALIKES: dict[str, Callable[[R], str]] = {
    "git commit": _like("commit @@\nAuthor: a <a@b.example>", "fixed in @@, see the token refresh", "git show @@",
    "HEAD is now at @@", "revert @@ because the password reset broke", value=lambda r: pick(r, HEX, 40)),
    "short commit": _like("cherry-pick @@ onto main", "index @@..@@ 100644", "the secret rotation landed in @@",
    value=lambda r: pick(r, HEX, 8)),
    "sha256": _like("sha256:@@", "digest: sha256:@@", "image api@sha256:@@", "checksum = \"@@\"",
    "SHA256 (app.tgz) = @@", value=lambda r: pick(r, HEX, 64)),
    "md5": _like("md5sum: @@  app.bin", "etag: \"@@\"", "content hash @@", value=lambda r: pick(r, HEX, 32)),
    "uuid": _like("request id @@ failed", "trace_id=@@", "tenant @@ has no token yet", "session @@ started",
    "user_id: @@", value=guid),
    "lock file": _like('"integrity": "sha512-@@=="', "    integrity sha512-@@==",
    '"node_modules/jsonwebtoken": { "version": "9.0.2", "integrity": "sha512-@@==" }', value=lambda r: mixed(r, B64,
    86)),
    "go sum": _like("golang.org/x/oauth2 v0.21.0 h1:@@=", "github.com/golang-jwt/jwt/v5 v5.2.1/go.mod h1:@@=",
    value=lambda r: mixed(r, B64, 43)),
    "cargo lock": _like('checksum = "@@"', 'name = "secrecy"\nversion = "0.8.0"\nchecksum = "@@"',
    value=lambda r: pick(r, HEX, 64)),
    "base64 image": _like("![x](data:image/png;base64,iVBORw0KGgo@@==)", "src=\"data:image/svg+xml;base64,PHN2Zy@@\"",
    value=lambda r: mixed(r, B64, 200)),
    "public key": _like("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI@@ me@host", "ssh-rsa AAAAB3NzaC1yc2E@@ ci",
    value=lambda r: mixed(r, B64, 60)),
    "certificate": lambda r: "-----BEGIN CERTIFICATE-----\nMIID" + mixed(r, B64, 60) + "\n" + mixed(r, B64,
    64) + "\n-----END CERTIFICATE-----",
    "public pem": lambda r: "-----BEGIN PUBLIC KEY-----\nMIIB" + mixed(r, B64, 60) + "\n-----END PUBLIC KEY-----",
    "age recipient": _like("encrypted for age1@@", value=lambda r: pick(r, "qpzry9x8gf2tvdw0s3jn54khce6mua7l", 58)),
    "placeholder": _like("password=<your-password>", "API_KEY=xxxxxxxxxxxxxxxx", "token: <token>",
    'api_key: "YOUR_API_KEY"', "secret: changeme", "PASSWORD=********", "export TOKEN=your-token-here",
    "Authorization: Bearer <token>",
                         "sk-xxxxxxxxxxxxxxxxxxxxxxxx", "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
                         "password: [redacted]", "password = '...'", "token: ${TOKEN}", "sk-ant-...",
                         "password=placeholder", "AKIA" + "X" * 16,
                         "client_secret: REPLACE_ME", "api_key=your_api_key",
                         "postgres://user:password@localhost:5432/db", "postgres://postgres:postgres@localhost/app",
                         "https://<user>:<pass>@host/", "redis://:${REDIS_PASSWORD}@cache:6379"),
    "variable": _like("password=$DB_PASSWORD", 'token = os.environ["GITHUB_TOKEN"]',
    "const token = process.env.API_TOKEN;", "secret: {{ vault_secret }}", "api_key = settings.API_KEY",
    "password: ${{ secrets.DB_PASSWORD }}",
                      "Authorization: Bearer ${token}", "headers = {'Authorization': f'Bearer {token}'}",
                      "password = getpass.getpass()", "token := r.Header.Get(\"Authorization\")",
                      "this.password = password", "password=password",
                      "token = get_token(user)", "let secret = env::var(\"APP_SECRET\")?;",
                      "PGPASSWORD=\"$(cat /run/secrets/pg)\" psql", "self.token = token",
                      "password: this.form.password.value", "apiKey={apiKey}",
                      "token = request.headers['X-Auth-Token']", "secret = secrets.token_urlsafe(32)",
                      "password: config.get('db.password')", "secretKeyRef: {name: db, key: password}",
                      "api_key=args.api_key,"),
    "type": _like("password: string;", "token: str | None = None", "def login(user: str, password: str) -> Token:",
    "private apiKey: string;", "token String @unique", "password VARCHAR(255) NOT NULL",
    "secret: Optional[SecretStr]",
                  '{"token": {"type": "string"}}', "password: z.string().min(12)", "api_key: Option<String>,",
                  "token: CancellationToken", '"password": "string"', "string password = 1;",
                  "accessToken: AccessToken;"),
    "field description": _like("password: required", "password (min 12 characters)",
    "Password must be at least 12 characters", "token: optional", '"password": "Enter your password"',
    "secret: hidden", '"token": "required"',
                               "password: must contain a digit", "label: Password", "forgot password?",
                               "invalid token", "Token expired", "401: missing api key", "error: bad credentials"),
    "prose": _like("the token budget is 5,000", "secret santa is on Friday",
    "the key insight is that writes dominate", "password reset mails go through SendGrid",
    "passwords are hashed with argon2id", "the token is refreshed every 15min",
                   "we store secrets in Vault, never in .env", "tokens: 4096", "max_tokens=8192",
                   "the api key rotates every quarter", "keys are sorted before hashing",
                   "the primary key is tenant_id", "our auth service is called gatekeeper",
                   "the secret to fast tests is fewer fixtures", "token bucket: 100 req/s",
                   "session timeout is 30 minutes", "the pass rate is 99.5%", "first pass: cleanup",
                   "pin the node version to v20.11.1", "the cookie banner is broken on iOS17",
                   "use oauth2 for the token exchange", "sign the JWT with RS256",
                   "The password is stored in 1Password", "the access token lives in Redis for 24h",
                   "API tokens are scoped per team", "use sha256 for the token hash",
                   "bearer authentication is required", "basic authentication over TLS",
                   "the credentials come from AWS SSO", "key takeaway: cache it", "the key for sorting is created_at",
                   "the refresh token endpoint is /oauth/token",
                   "password policy: 12 characters", "the secret is mounted at /run/secrets/db",
                   "the token limit for staging is 5,000", "the secret name is billing-db-creds"),
    "prose cjk": _like("密码要用 argon2 加密", "令牌桶限流，每秒 100 个", "密钥放在 Vault 里，不要写进代码",
    "token 预算是 5000", "パスワードは 12 文字以上にしてください", "トークンの有効期限は 15 分です",
    "キーは昇順で並べる", "비밀번호는 12자 이상이어야 합니다",
                       "토큰은 Redis 에 저장합니다", "密码重置邮件走 SendGrid", "トークンは JWT 形式です",
                       "密钥是 RSA2048 的", "主键是 user_id", "API キーは Vault で管理しています",
                       "token 是 JWT 格式", "パスワードは bcrypt でハッシュ化します"),
    "identifier": _like("PasswordResetTokenRepositoryImpl", "getAccessTokenSilentlyWithRetry()",
    "test_refresh_token_is_rotated_after_password_change", "AWS_SECRET_ACCESS_KEY is unset",
    "com.example.auth.TokenAuthenticationFilter", "secret-store-csi-driver-provider-aws",
                        "sk-learn-contrib-some-package-name", "react-native-keychain-secure-storage-v2",
                        "pk_customers_orders_2024_idx", "api-gateway-token-authorizer-prod",
                        "x-amz-server-side-encryption-customer-key-md5"),
    "path": _like("see src/auth/token/refresh_token_handler.py:88", "/etc/ssl/private/server.key",
    "password file: /run/secrets/db_password", "~/.ssh/id_ed25519 is the deploy key",
    "vault path secret/data/billing/stripe", "key: s3://bucket/2026/11/30/part-0001.parquet",
                  "token_file = \"/var/run/secrets/token\"", "C:\\Users\\dev\\secrets\\readme.txt",
                  "secret: projects/acme/secrets/db/versions/latest", "password: op://vault/item/field"),
    "ticket": _like("PROJ-1234 rotates the token", "see JIRA SEC-88 for the secret leak",
    "fixes #4812 (password form)", "RFC-6749 defines the token endpoint", "CVE-2024-12345 affects the JWT library"),
    "version": _like("jsonwebtoken@9.0.2", "PyJWT==2.9.0", "token-service v3.14.159-rc.1+build.77",
    "secretary 1.2.3.4", "keycloak 26.0.7 is the auth server", "passlib[bcrypt]>=1.7.4"),
    "date": _like("token expires 2026-11-30T10:00:00Z", "password changed on 2026-01-15", "key created_at=1764500000",
    "secret rotated 20261130", "auth_time: 1764500000123"),
    "number": _like("token_count: 123456", "tokens used: 1,234,567", "pass: 12, fail: 3", "key size: 4096",
    "pin 13 is the LED", "PASS: test_login_2", "otp length 6", "max_token_age=3600", "session_timeout: 86400",
    "tokens per second: 12345.67"),
    "ids": _like("cus_@@", "payment pi_@@ failed, no token", "price_@@", "org-@@",
    "arn:aws:secretsmanager:eu-west-1:123456789012:secret:db-@@", "request req_@@", "file-@@",
    value=lambda r: mixed(r, ALNUM, 24)),
    "ulid": _like("event 01@@ has no token", "job=01@@", value=lambda r: pick(r, "0123456789ABCDEFGHJKMNPQRSTVWXYZ",
    24)),
    "pod": _like("pod token-refresher-7d9f8b6c5d-@@ crashed", "logs -f auth-api-6c8f7d9b5-@@", value=lambda r: pick(r,
    LOWER + DIGIT, 5)),
    "asset": _like("GET /assets/login-@@.js 200", "main.@@.chunk.css preloads the token page",
    value=lambda r: mixed(r, ALNUM, 8)),
    "address": _like("fe80::1ff:fe23:4567:890a", "10.12.0.7:6379 is the token cache", "00:1b:44:11:3a:b7",
    "https://auth.example.com/oauth2/v1/token?grant_type=client_credentials",
    "https://docs.example.com/api-keys#rotation",
                     "ssh://git@github.example:22/team/secrets.git", "git@github.example:team/token-service.git",
                     "http://localhost:3000/@scope/pkg", "https://example.com/a:b@c"),
    "eth": _like("contract 0x@@ holds the tokens", value=lambda r: pick(r, HEX, 40)),
    "regex": _like(r"token matches ^[A-Za-z0-9_-]{20,}$", r"re.compile(r'password=(\S+)')", "grep -rn 'api_key' src/",
    "rg -i \"secret|token\" --hidden", "sed -i 's/password/passphrase/' doc.md"),
    "html": _like('<input type="password" name="password" autocomplete="current-password">',
    '<label for="token">Token</label>', "<key>CFBundleName</key>", "<Trans>Forgot your password?</Trans>",
    '<meta name="csrf-token" content="{{ csrf_token() }}">'),
    "i18n": _like('"auth.password": "Password"', '"password_placeholder": "Your password"',
    "login.token.invalid=The token is invalid", "'password' => 'Passwort'", '"reset_password": "Reset it"'),
    "schema": _like("key: value", "primary_key=True", "keys: [a, b]", "sort_key: created_at",
    "cache_key = 'user:123:profile'", "foreign key (user_id) references users(id)", "partition_key: tenant",
    "key_id: main", "token_type: bearer",
                    "token_url: https://auth.example/token", "secret_name: billing-db", "next_page_token: CAUQAA",
                    "key = lambda x: x.id", "auth: true", "auth=none", "cookie: session", "jwt: enabled",
                    "password_hash: $2b$12$abcdefghijklmnopqrstuv"),
    "compose": _like("POSTGRES_PASSWORD_FILE: /run/secrets/pg", "env_file: .env", "secrets:\n  - db_password",
    "external: true", "environment:\n  - TOKEN_TTL=3600", "docker run -p 8080:80 -u 1000:1000 api",
    "mkdir -p build && cp -p a b",
                     "ssh -p 2222 host", "docker compose -p myproject up", "psql -U app -p 5432",
                     "kubectl create secret generic db --from-file=password.txt",
                     "curl -u \"$USER:$PASS\" https://x.example"),
    "test output": _like("tests/test_tokens.py::test_secret_is_hidden PASSED",
    "FAILED tests/auth/test_password.py - AssertionError", "PASS src/auth/token.test.ts (5.2 s)",
    "ok  \tapp/token\t0.012s", "KeyError: 'password'", "TypeError: token is undefined"),
    "diff": _like("-    token: string\n+    token: string | null",
    "diff --git a/secrets.py b/secrets.py\nindex @@..@@ 100644",
    "@@ -12,7 +12,9 @@ def check_password(user):".replace("@@", "\0"), value=lambda r: pick(r, HEX, 7)),
    "algorithm": _like("AES-256-GCM key wrapping", "HMAC-SHA256 signature", "secp256k1 key", "the key is Ed25519",
    "signature: RS256", "cipher=TLS_AES_128_GCM_SHA256", "PBKDF2-HMAC-SHA512 password hashing"),
    "phrase": _like("remember the golden rule", "the quick brown fox", "correct usage: make test",
    "The admin user is called root", "Key decisions: use Postgres; tokens in Redis", "Secret: we ship on Friday",
    "password manager: we use Bitwarden"),
    "log": _like("level=info msg=\"token refreshed\" user=42 took=12ms", "WARN auth: token expired for client web-1",
    "[auth] login ok uid=1001", "GET /api/token 200 12ms", "secret/db: version 4 read by billing"),
    "settings": _like('"editor.tokenColorCustomizations": {}', "keybindings: vim", "keyboard.layout=us",
    "authorizedFetch=false", "credentials: include", "credentials: 'same-origin'",
    "access-control-allow-credentials: true",
                      "authMode: ldap", "tokenizer: gpt2-bpe", "authors = [\"Ada\"]", "secure=true; httponly=true",
                      "passive: true", "passthrough: all", "compass: north", "bypass=local", "monkeypatch: yes",
                      "turkey: istanbul"),
    "minified": _like("function a(e,t){return e.password=t.password,e.token=n(t),e}",
    "var k=e.key,v=e.value;return k===v", "!function(){var e=t.apiKey||n.apiKey;e&&r(e)}()"),
    "money": _like("the token sale raised $5,000,000", "key rate 4.25%", "budget per token: $0.000015"),
    "docs url": _like("https://platform.example.com/docs/api-reference/authentication#api-keys",
    "see https://github.example/settings/tokens/new?scopes=repo",
    "https://console.example/apis/credentials?project=acme-prod"),
    "english sentence with digits": _like("the 2FA token page is at /mfa2", "secret scanning covers 40 providers",
    "key in 3 numbers", "password screen v2 ships in Q3", "token v2 is live", "API key #3 was revoked",
    "the token has 3 segments"),
    "ip list": _like("allow 10.0.0.0/8, key rotation from 192.168.1.10", "auth-1.example:8443"),
    "css": _like("--color-token-primary: #3f51b5;", ".sk-folding-cube .sk-cube2 { }", "design token: spacing-4",
    "#a1b2c3d4"),
    "cron": _like("rotate-token: 0 3 * * 1", "key rotation 15 4 1 * *"),
    "locale": _like("LANG=en_US.UTF-8 KEYMAP=us", "key=ctrl+shift+p", "keys: cmd+k cmd+s"),
    "hash names": _like("secret_sha256: @@", "token_hash=@@", "password_digest: @@", "key_fingerprint: @@",
    value=lambda r: pick(r, HEX, 64)),
    "terraform": _like("password = var.db_password", "secret_string = jsonencode(local.creds)",
    "token = data.vault_generic_secret.x.data[\"token\"]", "key = \"terraform.tfstate\"",
    "kms_key_id = aws_kms_key.main.arn", "api_token = module.cf.token"),
    "github actions": _like("token: ${{ secrets.GITHUB_TOKEN }}", "with:\n  token: ${{ github.token }}",
    "permissions:\n  id-token: write", "uses: actions/checkout@@@", value=lambda r: pick(r, HEX, 40)),
    "sql schema": _like("SELECT password_hash FROM users WHERE token = $1", "ALTER TABLE users ADD COLUMN token uuid",
    "INDEX idx_token (token)", "UPDATE users SET password = ? WHERE id = ?", "WHERE api_key = :api_key"),
    "commit message": _like("fix(auth): token refresh race", "feat: add --password-stdin flag",
    "chore: bump jsonwebtoken from 8.5.1 to 9.0.2", "docs: how to create an API key",
    "refactor: rename secret to credential"),
    "conversation": _like("can you rotate the token?", "where do we keep the password for the sandbox?",
    "is the key in Vault?", "which token did you use?", "please don't print the secret", "the password? ask Dana",
    "my token expired again"),
    "emoji": _like("🔑 key rotated", "🔐 secret ok ✅", "token 👍"),
    "long path": _like("/home/dev/projects/token-service/internal/handlers/password_reset_handler_test.go:142:17"),
    "class path": _like("org.springframework.security.oauth2.server.resource.authentication.JwtAuthenticationToken"),
    "bundle id": _like("keychain group ABCDE12345.com.example.app", "teamId=ABCDE12345 key.p8"),
    "docker": _like("FROM node:20.11.1-bookworm-slim@sha256:@@", value=lambda r: pick(r, HEX, 64)),
    "s3 key": _like("s3 key backups/2026/11/30/core.dump.gz", "object key: uploads/u42/avatar.png",
    "redis key session:42:cart"),
}


def look_alikes_of(seed: int, each: int) -> Iterator[tuple[str, str]]:
    """Name, and a text that must stay as it is."""
    for name, make in LOOK_ALIKES.items():
        r = R(f"{seed}/{name}")
        seen: set[str] = set()
        for _ in range(each * 6):
            text = make(r).replace("\0", "@@")
            if text not in seen and len(seen) < each:
                seen.add(text)
                yield name, text


def gone(secret: str, text: str) -> bool:
    """Whether no telling part of a credential is left; of a private key, no line."""
    if "PRIVATE KEY" in secret:
        return not any(line in text for line in secret.replace("\\n",
            "\n").split("\n")[1:] if len(line) > 20 and "-----" not in line)
    half = len(secret) // 2
    return secret not in text and (half < 12 or (secret[:half] not in text and secret[-half:] not in text))


def ordinary_text() -> str:
    """A few megabytes of text and code without credentials: the standard library's own."""
    folder = Path(json.__file__).resolve().parent.parent
    return "\n".join(path.read_text("utf-8", "replace") for path in sorted(folder.glob("[a-p]*.py")))[:4_000_000]


def run(seed: int, each: int, show: bool) -> tuple[float, float]:
    found: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for name, text, secret in secrets_of(seed, each):
        total[name] += 1
        out = redact(text).text
        if gone(secret, out):
            found[name] += 1
        elif show:
            print(f"  missed {name}: {text!r} -> {out!r}")
    hurt = count = 0
    for name, text in look_alikes_of(seed, each):
        count += 1
        after = redact(text)
        if after.text != text:
            hurt += 1
            if show:
                print(f"  hurt {name}: {text!r} -> {after.text!r} {after.families}")
    share, alarms = sum(found.values()) / sum(total.values()), hurt / count
    print(f"seed {seed}: {len(total)} families, {sum(found.values())} of {sum(total.values())} found ({share:.2%}); "
          f"{len(LOOK_ALIKES)} kinds of look-alikes, {hurt} of {count} hurt ({alarms:.2%})")
    return share, alarms


def run_sessions(path: Path) -> None:
    """codebench: every turn whose text holds a needle of kind secret."""
    found = total = 0
    for line in path.read_text("utf-8").splitlines():
        session = json.loads(line)
        for never in session["never"]:
            if never["kind"] == "secret":
                total += 1
                found += gone(never["needle"], redact(session["turns"][never["turn"]]["text"]).text)
    print(f"{path.name}: {found} of {total} secrets of sessions found")


def run_gold(path: Path) -> None:
    """samples: the script beside a gold file, as one text."""
    gold, script = json.loads(path.read_text("utf-8")), json.loads(path.with_name("script.json").read_text("utf-8"))

    def strings(value: object) -> Iterator[str]:
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            for key, item in value.items():
                yield from strings(key)
                yield from strings(item)
        elif isinstance(value, list):
            for item in value:
                yield from strings(item)

    texts = list(strings(script))
    clean = "\n".join(redact(t).text for t in texts)
    needles = [m for n in gold["never"] if n["kind"] == "secret" for m in n["match"]]
    left = [m for m in needles if m in clean]
    changed = [t for t in texts if redact(t).text != t and not any(m in t for m in needles)]
    print(f"{gold['conversation']}: {len(needles) - len(left)} of {len(needles)} gold secrets found, "
          f"{len(changed)} of {len(texts)} other texts changed")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=6)
    parser.add_argument("--show", action="store_true", help="print what was missed and what was hurt")
    parser.add_argument("--sessions", type=Path, nargs="*", default=[])
    parser.add_argument("--gold", type=Path, nargs="*", default=[])
    parser.add_argument("--speed", action="store_true")
    options = parser.parse_args()
    share, alarms = run(options.seed, options.each, options.show)
    for path in options.sessions:
        run_sessions(path)
    for path in options.gold:
        run_gold(path)
    if options.speed:
        text = ordinary_text()
        best = min(_timed(text) for _ in range(3))
        print(f"speed: {len(text.encode()) / 1e6 / best:.1f} MB/s on {len(text) / 1e6:.1f} MB of code")
    return 0 if share >= 0.99 and alarms <= 0.01 else 1


def _timed(text: str) -> float:
    start = time.process_time()
    redact(text)
    return time.process_time() - start


if __name__ == "__main__":
    sys.exit(main())
