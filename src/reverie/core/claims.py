"""What a memory claims, cut so that two memories can be compared: the things it is about, and the values it gives them.

"Staging is at qa2.example.net:9443" is about staging and gives an address. Two memories about the same things with
other values contradict each other; about other things with the same words around them, they are twins that must both
stay. So each word of a memory is a *mark*: a value of a kind (a place, a number, a date, a day, a name, a tool of
some family …) or a plain word. Kinds come from how a word looks, and for tools and languages from short lists of what
can take each other's place; which words are names of people or products is told by their capitals.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cached_property

from reverie.core.text import CJK, STOP, is_known, is_weak, pieces, stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.core.memory import Memory

LONGEST = 4_000                 # characters of a field that are compared: what a memory claims stands at its beginning

# Things of one family take each other's place: who moved to one of them has left another. Knowledge of the trade.
FAMILIES = {line.partition(":")[0]: line.partition(":")[2] for line in """
package manager: npm pnpm yarn bun pip pipx poetry uv conda pdm pipenv rye cargo maven gradle bundler composer
database: postgres postgresql mysql mariadb sqlite oracle mssql mongodb mongo dynamodb cassandra cockroachdb
    clickhouse duckdb bigquery snowflake redshift firestore supabase neo4j
cache: redis memcached valkey hazelcast varnish
queue: rabbitmq kafka nats sqs celery sidekiq temporal resque pulsar kinesis pubsub activemq bullmq airflow
    dagster prefect cron
language: python node javascript typescript java kotlin golang rust ruby php scala elixir haskell swift csharp
    cpp perl
speech: english chinese mandarin japanese korean german french spanish italian portuguese dutch turkish russian
    polish ukrainian arabic hindi czech swedish danish norwegian finnish greek hebrew vietnamese thai indonesian
    中文 英文 英语 日语 日文 韩语 法语 德语 日本語 英語 中国語 韓国語 한국어 영어 일본어 중국어
editor: vim neovim emacs vscode helix zed sublime intellij pycharm webstorm nano kakoune
system: linux ubuntu debian fedora nixos arch macos windows freebsd wsl alpine
test runner: pytest unittest nose jest vitest mocha jasmine ava karma junit testng rspec minitest phpunit
    cypress playwright selenium
linter: eslint biome ruff flake8 pylint black prettier rubocop golangci mypy pyright tsc pyre
logger: structlog loguru zap zerolog logrus winston pino log4j slf4j logback bunyan
profiler: perf pprof py-spy cprofile valgrind async-profiler flamegraph
web framework: django flask fastapi starlette rails sinatra express koa nestjs spring laravel symfony phoenix
    gin echo
frontend framework: react vue angular svelte solid preact ember nextjs nuxt remix astro
cloud: aws gcp azure heroku vercel netlify digitalocean hetzner cloudflare linode
hosting: github gitlab bitbucket gitea forgejo
ci: jenkins circleci travis buildkite teamcity drone
tracker: jira linear asana trello youtrack bugzilla redmine
chat: slack discord teams mattermost telegram
monitor: grafana datadog prometheus kibana newrelic sentry honeycomb splunk
infrastructure: terraform pulumi ansible chef puppet cloudformation opentofu
orchestrator: kubernetes nomad swarm ecs
indent: tabs spaces
protocol: rest graphql grpc soap websocket websockets
switch: on off enabled disabled
branch: main master trunk develop
""".replace("\n    ", " ").strip().split("\n")}
_FAMILY = {word: family for family, words in FAMILIES.items() for word in words.split()}
_FAMILY.update({stem(word): family for word, family in list(_FAMILY.items())})

# ---------------------------------------------------------------- values, by how they look

_MONTHS = ("january|february|march|april|may|june|july|august|september|october|november|december|"
           "jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec")
_NUMERAL = "[0-9一二三四五六七八九十百千两]{1,6}"
_PATTERNS = {
    "id": r"(?<![\w./-])(?=[\w-]{0,60}\d)(?=[\w-]{0,60}[A-Za-z])[A-Za-z0-9]\w{0,30}(?:-\w{1,30}){1,6}(?![\w./-]|:\d)",
    "version": r"\bv\d{1,4}(?:\.\d{1,5}){0,4}\b|(?<![\w.-])\d{1,4}(?:\.\d{1,5}){1,2}(?![\w-]|\.\w)",
    "place": r"https?://[^\s<>\"'`，。、；）】」]{1,300}"
             r"|(?<![\w.@/-])[\w-]{1,60}(?:\.[\w-]{1,60}){1,8}(?::\d{2,5})?(?:/[\w./#?=&%~+-]{0,200})?"
             r"|(?<![\w.])[~.]?/?[\w.@-]{1,80}(?:/[\w.@*<>{}-]{1,80}){1,12}",
    "channel": r"(?<![\w#&])#[a-zA-Z][\w-]{1,60}",
    "date": rf"\d{{4}}-\d\d-\d\d|(?i:\b\d{{1,2}}(?:st|nd|rd|th)?\s(?:{_MONTHS})\b"
            rf"|\b(?:{_MONTHS})\s\d{{1,2}}(?:st|nd|rd|th)?\b)(?:,?\s\d{{4}})?|(?:\d{{4}}\s?[年년]\s?)?{_NUMERAL}\s?[月월](?:\s?{_NUMERAL}\s?[日号號일])?",
    "day": r"(?i:\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b)|(?:周|週|星期|礼拜)[一二三四五六日天]"
           rf"|(?:最終|第{_NUMERAL})?[月火水木金土日]曜日?|[월화수목금토일]요일",
    "time": r"\b\d{1,2}:\d\d\b|(?i:\b\d{1,2}\s?[ap]m\b)",
    "flag": r"(?<![\w-])--?[A-Za-z][\w-]{0,60}",
    "key": r"\b[A-Z]{2,10}-\d{1,8}\b|(?<!\w)#\d{1,8}\b",
    "code": r"\b[A-Za-z]\w{0,60}_\w{1,60}\b|\b[A-Za-z]\w{0,60}\(\)"
            r"|\b[A-Z][a-z0-9]{1,40}(?:[A-Z][a-z0-9]{1,40}){1,6}\b|\b[a-z]{1,40}[A-Z]\w{0,60}\b",
    "number": rf"{_NUMERAL}\s?(?:か月|ヶ月|小时|分钟|시간|[人名回個个位行天年時时分秒本件週周間间次版명개번일분])"
              r"|(?<![\w.])\d{1,12}(?:[.,]\d{1,12}){0,4}(?:\s?%|(?:\s|-)?(?:ms|s|h|[kmgt]b|seconds?|minutes?|hours?|days?"
              r"|weeks?|months?|years?|quarters?|lines?|characters?|people|reviewers?|times?|percent|tokens?)\b|(?![\w]|\.\d))",
}
_VALUES = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _PATTERNS.items()))
_WORDS = re.compile(f"[A-Za-z]+(?:['’][a-z]+)?|[{CJK}]+")
_SENTENCE_END = re.compile(r"[.!?:;。！？：；\n][\s\"'(]*$")

# Which fields count for what a memory is about.
HEAD = ("name", "description", "body")
TAIL = ("why", "how_to_apply")


class Mark:
    """One word of a claim. ``kind`` is "" for a plain word; ``key`` compares; ``weight`` is its part in the subject."""

    __slots__ = ("field", "key", "kind", "surface", "weight")

    def __init__(self, key: str, kind: str, surface: str, field: str, weight: float) -> None:
        self.key = key
        self.kind = kind
        self.surface = surface
        self.field = field
        self.weight = weight

    def __repr__(self) -> str:
        return f"Mark({self.key!r}, {self.kind!r})"


class Claim:
    """A memory, cut into marks: ``head`` (name, description, body) and ``tail`` (why, how to apply), as sets of words;
    ``lines`` holds the sentences of description and body in order, for aligning two of them. A claim is compared with many
    others, so what every comparison asks of it is worked out once."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.head = [mark for field in HEAD for mark in _marks(getattr(memory, field), field)]
        self.tail = [mark for field in TAIL for mark in _marks(getattr(memory, field), field)]
        stated = [field for field in ("description", "body") if getattr(memory, field)] or ["name"]
        self.lines = [_line(field, [mark for mark in self.head if mark.field == field]) for field in stated]
        self.folded = " ".join(_LETTERS.findall(unicodedata.normalize("NFKC", memory.text).lower()))
        names = {mark.key for mark in self.head + self.tail if mark.kind == NAME}
        for mark in self.head + self.tail:              # a name that opens a sentence is told by its other places
            if not mark.kind and mark.key in names:
                mark.kind = NAME

    @cached_property
    def words(self) -> dict[str, float]:
        """The plain words of the head, with their weights; the other kinds are values."""
        weights: dict[str, float] = {}
        for mark in self.head:
            if mark.kind in PLAIN:
                weights[mark.key] = max(weights.get(mark.key, 0.0), mark.weight)
        return weights

    @cached_property
    def total(self) -> float:
        """What the words weigh together."""
        return sum(self.words.values())

    @cached_property
    def values(self) -> dict[str, set[str]]:
        """The keys of the head's values, by kind."""
        values: dict[str, set[str]] = {}
        for mark in self.head:
            if mark.kind and mark.kind != NAME:
                values.setdefault(mark.kind, set()).add(mark.key)
        return values

    @cached_property
    def reasons(self) -> set[str]:
        """The keys of the tail."""
        return {mark.key for mark in self.tail}


def _line(field: str, marks: list[Mark]) -> list[Mark]:
    """Marks for aligning: pairs of CJK characters become characters, so that one changed character is one change."""
    line: list[Mark] = []
    open_pair = ""
    for mark in marks:
        if mark.weight == PAIR and len(mark.key) == 2:
            characters = mark.key[1:] if open_pair == mark.key[0] else mark.key
            line.extend(Mark(character, "", character, field, PAIR) for character in characters)
            open_pair = mark.key[1]
        else:
            line.append(mark)
            open_pair = ""
    return line[:LONGEST_LINE]


PAIR = 0.5                      # the weight of a pair of CJK characters: about half a word
LONGEST_LINE = 120              # marks that are aligned, which is quadratic; longer texts differ everywhere
_LETTERS = re.compile(r"\w+")
NAME = "name"
PLAIN = frozenset(("", NAME, *FAMILIES))      # kinds of words; the other kinds are values


def _marks(value: str, field: str) -> Iterator[Mark]:
    text = unicodedata.normalize("NFKC", value[:LONGEST])
    place = 0
    for match in _VALUES.finditer(text):
        yield from _words(text, place, match.start(), field)
        surface, kind = match.group().rstrip(".,:;"), match.lastgroup or ""
        yield Mark(_value_key(surface, kind), kind, surface, field, 1.0)
        place = match.end()
    yield from _words(text, place, len(text), field)


def exact(text: str) -> Iterator[tuple[str, str]]:
    """What a text names exactly, as (kind, surface): places, versions, dates, flags, code, numbers; cheaper than a claim."""
    for match in _VALUES.finditer(unicodedata.normalize("NFKC", text[:LONGEST])):
        yield match.lastgroup or "", match.group().rstrip(".,:;")


def _value_key(surface: str, kind: str) -> str:
    """One key for the ways to write a value: "Sundays", "2 June" and "June 2nd", "90-day"."""
    low = surface.lower()
    if kind == "date" and low.isascii():
        return " ".join(sorted(re.findall(r"\d+|[a-z]{3,}", low)))
    if kind in ("day", "number"):
        return "".join(low.replace("-", "").split()).rstrip("s")
    return "".join(low.split())


def _words(text: str, start: int, end: int, field: str) -> Iterator[Mark]:
    for match in _WORDS.finditer(text, start, end):
        word = match.group()
        if not word[0].isascii():
            yield from _cjk(word, field)
            continue
        low = word.lower().replace("’", "'").removesuffix("'s")
        if low in STOP or len(low) < 2:
            continue
        key = stem(low)
        if low in _NUMBER_WORDS:
            yield Mark(_NUMBER_WORDS[low], "number", word, field, 1.0)
            continue
        family = _FAMILY.get(low) or _FAMILY.get(key)
        yield Mark(key, family or _name(word, key, text, match.start()), word, field, 0.3 if is_weak(key) else 1.0)


def _cjk(run: str, field: str) -> Iterator[Mark]:
    """Members of a family whole, the rest as the tokenizer cuts it."""
    place = 0
    for match in _CJK_FAMILY.finditer(run):
        yield from _cut(run[place:match.start()], field)
        yield Mark(match.group(), _FAMILY[match.group()], match.group(), field, 1.0)
        place = match.end()
    yield from _cut(run[place:], field)


def _cut(run: str, field: str) -> Iterator[Mark]:
    for piece in pieces(run):
        if piece.term:
            yield Mark(piece.term, "", piece.surface, field, PAIR if piece.kind in ("pair", "single") else 1.0)


_CJK_FAMILY = re.compile("|".join(sorted((word for word in _FAMILY if not word[0].isascii()), key=len, reverse=True)))
_NUMBER_WORDS = {word: str(number) for number, word in enumerate(
    ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"), 1)}


# Written in capitals by habit: kinds of things, not names of one.
_ACRONYMS = frozenset(re.findall(r"\w+", """
ai api apis aws cd ci cli cpu crm crud css csv db ddl dns dom dto e2e erp eta etl eu ftp gcp gpu gui html http https iam
ide io ip ios json jwt kpi lsp ml mvp nlp oauth ok orm os pdf pr prs qa ram rest rfc rpc saas sdk sla smtp spa sql sre
ssd ssh ssl sso ssr tdd tls ttl ui url urls us usb utc ux vm vpn vps wip xml xss yaml
"""))


def _name(word: str, key: str, text: str, start: int) -> str:
    """Whether a word is a name by its capitals: all of them, or the first one mid-sentence; no word of the trade."""
    if len(word) > 1 and word.isupper():
        return "" if word.lower() in _ACRONYMS else NAME
    if not word[0].isupper() or is_known(key) or is_weak(key):
        return ""
    before = text[max(0, start - 8):start]
    return "" if not before.strip() or _SENTENCE_END.search(before) else NAME
