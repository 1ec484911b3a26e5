"""Credentials that are known by the place where they stand: in addresses, HTTP headers, on command lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from reverie.core import secret_values as values
from reverie.core.secret_rules import words
from reverie.core.secret_text import Text

Found = tuple[int, int, str]            # start, end, family


def find(view: Text) -> Iterator[Found]:
    """Credentials in addresses, in headers and on command lines."""
    yield from _addresses(view)
    yield from _hooks(view)
    yield from _headers(view)
    yield from _commands(view)
    yield from _pairs(view)
    yield from _phrases(view)


def _each(pattern: re.Pattern[str], view: Text, word: str) -> Iterator[re.Match[str]]:
    """Matches of a pattern at the places where the word stands with which it begins, none within another."""
    done = 0
    for at in view.places(word):
        match = pattern.match(view.text, at) if at >= done else None
        if match:
            yield match
            done = match.end()


# ---------------------------------------------------------------- addresses
_USER_PASSWORD = re.compile(
    r"://([^\s:/@\"'<>?#]{0,128}):([^\s\"'<>]{1,256}?)@(?=[\w\[.$%-][^\s@]{0,255}?(?:[:/?#\s\"'`,;)\]]|\Z))"
)
_USER_ONLY = re.compile(r"://([A-Za-z0-9_.~%-]{16,200})@")
_ENDS_AUTHORITY = re.compile(r"[/\s\"'?#]")
_PORT_OR_FORMAT = re.compile(r"\d{1,5}(?:/.*)?\Z|%s\Z|%\(.*|\w*:\w*\Z")
_DEFAULTS = words("password pass passwd pwd secret pw token x-oauth-basic key example postgres root guest")
# The path is the credential: whoever has the address may post there.
_HOOK = re.compile(
    r"(?:hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/|discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{15,22}/"
    r"|[\w.-]{1,80}\.webhook\.office\.com/webhookb2/|outlook\.office\.com/webhook/"
    r"|open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/v2/hook/|oapi\.dingtalk\.com/robot/send\?access_token="
    r"|qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=|hooks\.zapier\.com/hooks/catch/|hook\.(?:eu|us)\d\.make\.com/"
    r"|maker\.ifttt\.com/trigger/[\w-]{1,60}/(?:json/)?with/key/|api\.telegram\.org/bot"
    r"|chat\.googleapis\.com/v1/spaces/[\w-]{1,40}/messages\?key=)([A-Za-z0-9_/@:%.&=+-]{8,400})"
)
_HOOK_HOSTS = ("hook", "dingtalk.com", "maker.ifttt", "telegram.org/bot", "chat.googleapis")
_MASKED = re.compile(r"x{4}|X{4}|0{8}|your")


def _addresses(view: Text) -> Iterator[Found]:
    """Passwords and tokens in the user part of addresses."""
    text = view.text
    for at in view.places("://"):
        if text.find("@", at + 3, at + 400) < 0:
            continue
        match = _USER_PASSWORD.match(text, at)
        if match and _is_url_password(match[1], match[2]):
            end = match.end(2)
            host = text.find("@", end + 1, end + 130)      # an "@" in the password itself
            if host > 0 and not _ENDS_AUTHORITY.search(text, end + 1, host) and host > end + 1:
                end = host
            yield match.start(2), end, "url_password"
            continue
        alone = _USER_ONLY.match(text, at)
        if alone and (values.random_looking(alone[1]) or values.digest_sized(alone[1])):
            yield alone.start(1), alone.end(1), "url_token"
    for mark in ("@tcp(", "@unix("):                       # user:password@tcp(host:port)/name, as Go's driver has it
        for at in view.places(mark):
            colon = text.rfind(":", max(0, at - 128), at)
            bare = colon > 0 and text[colon - 1].isalnum() and not _ENDS_AUTHORITY.search(text, colon, at)
            if bare and _is_url_password("", text[colon + 1:at]):
                yield colon + 1, at, "url_password"


@lru_cache(maxsize=1024)
def _is_url_password(user: str, password: str) -> bool:
    """Whether what stands between ":" and "@" is a password, no placeholder and not the default of a local database."""
    word = password.lower()
    return not (
        not word
        or word == user.lower()
        or word in _DEFAULTS
        or values.is_placeholder(password)
        or values.is_reference(password, quoted=True)
        or _PORT_OR_FORMAT.match(password)
    )


def _hooks(view: Text) -> Iterator[Found]:
    """Addresses that are credentials themselves."""
    for host in _HOOK_HOSTS:
        done = 0
        for at in view.places(host):
            match = _HOOK.search(view.text, max(done, at - 80), at + 500) if at >= done else None
            if match and any(map(str.isdigit, match[1])) and not _MASKED.search(match[1]):
                yield match.start(1), match.end(1), "webhook"
                done = match.end()


# ---------------------------------------------------------------- headers and their relatives
_BEARER = re.compile(
    r"bearer(?: token)?(?:[ \t]{0,4}[:=][ \t\"'`]{0,4}|[ \t]+|%20|\\u0020)([A-Za-z0-9._~+/%-]{16,4096}={0,2})", re.I
)
_BASIC = re.compile(r"basic[ \t]+([A-Za-z0-9+/_-]{8,1024}={0,2})", re.I)
_COOKIE = re.compile(r"cookie[\"']?\s{0,2}[:=]\s{0,2}[\"']?([^\n\"']{8,4096})", re.I)
_COOKIE_PAIR = re.compile(r"[\w.-]{1,60}=([^;,\s]{12,2048})")
_WEB_KEY = re.compile(r'"(?:d|p|q|dp|dq|qi|k)"\s{0,4}:\s{0,4}"([A-Za-z0-9_-]{16,2000})"')


def _headers(view: Text) -> Iterator[Found]:
    """What HTTP headers carry, and the private half of a JSON Web Key."""
    for match in _each(_BEARER, view, "bearer"):
        value = match[1]
        readable = values.wordiness(value)
        if (readable < 0.6 or (any(map(str.isdigit, value)) and readable < 0.85)) and not (
            values.is_placeholder(value) or values.is_reference(value)
        ):
            yield match.start(1), match.end(1), "bearer"
    for match in _each(_BASIC, view, "basic"):
        if values.is_basic(match[1]):
            yield match.start(1), match.end(1), "basic"
    for match in _each(_COOKIE, view, "cookie"):
        for pair in _COOKIE_PAIR.finditer(view.text, match.start(1), match.end(1)):
            if values.random_looking(pair[1], 12) or values.digest_sized(pair[1]):
                yield pair.start(1), pair.end(1), "cookie"
    if '"kty"' in view.text:
        for match in _WEB_KEY.finditer(view.text):
            yield match.start(1), match.end(1), "private_key"


# ---------------------------------------------------------------- command lines and statements
# A flag or a word in lower case, what follows it, and the commands of which one stands before it on the line.
_COMMANDS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (" -u", r" -u[ =]?[\"']?[^\s:\"'|;]{0,80}:(?P<v>[^\s\"']{1,128})", ("curl", "wget", "http", "xh ")),
    (" --user", r" --user[ =][\"']?[^\s:\"'|;]{1,80}:(?P<v>[^\s\"']{3,128})", ()),
    (" -p", r" -p(?P<v>[^\s\"'=-]\S{2,128}|[\"'][^\"'\n]{3,128})", ("mysql", "mariadb", "7z")),
    (" -p", r" -p[ =]{1,2}[\"']?(?P<v>[^\s\"'-]\S{2,256})", ("mongo", "login", "sshpass")),
    (" -a ", r" -a\s{1,3}[\"']?(?P<v>[^\s\"']{4,128})", ("redis-cli",)),
    (" -w", r" -w\s{0,3}[\"']?(?P<v>[^\s\"'-]\S{2,128})", ("ldap",)),
    (" -p ", r" -P\s{1,3}[\"']?(?P<v>[^\s\"']{3,128})", ("zip",)),
    (" -u", r" -U\s{0,3}[\"']?[^\s%\"']{1,80}%(?P<v>[^\s\"']{3,128})", ("smbclient", "rpcclient")),
    (
        "identified",
        r"(?i:identified(?:\s{1,4}with\s{1,4}\S{1,60})?\s{1,4}by\s{1,4}(?:password\s{1,4})?)[\"'](?P<v>[^\"'\n]{3,128})",
        (),
    ),
    ("requirepass ", r"requirepass\s{1,4}[\"']?(?P<v>[^\s\"']{4,256})", ()),
    ("masterauth ", r"masterauth\s{1,4}[\"']?(?P<v>[^\s\"']{4,256})", ()),
    (
        "htpasswd ",
        r"htpasswd(?:\s{1,3}-\w{1,8}){1,4}\s{1,3}[^\s-]\S{0,200}\s{1,3}\S{1,80}\s{1,3}[\"']?(?P<v>[^\s\"']{3,128})",
        (),
    ),
    (" pass:", r" pass:(?P<v>[^\s\"']{3,128})", ("openssl",)),
    ("echo", r"(?i:echo)\s{1,3}[\"']?(?P<v>[^\s\"'|]{3,128})[\"']?\s{0,3}\|\s{0,3}sudo\s{1,3}-S", ()),
    (
        "echo",
        r"(?i:echo)\s{1,3}[\"']?[\w.-]{1,40}:(?P<v>[^\s\"'|:]{3,128})[\"']?\s{0,3}\|\s{0,3}(?:sudo\s{1,3})?chpasswd",
        (),
    ),
    (
        "echo",
        r"(?i:echo|printf)\s{1,3}[\"']?(?P<v>[^\s\"'|]{3,512})[\"']?\s{0,3}\|[^\n|]{0,120}--password-stdin",
        (),
    ),
    ("--from-literal", r"--from-literal[= ][\"']?[\w.-]{1,80}=(?P<v>[^\s\"']{4,512})", ()),
    (" --body", r" --body[ =]{1,2}[\"']?(?P<v>[^\s\"']{4,512})", ("secret set",)),
    (" /user:", r" /(?i:user):\S{1,80}\s{1,3}(?P<v>[^\s/\"']{3,128})", ("net use",)),
    ("password ", r"(?i:password)\s{1,3}[\"'](?P<v>[^\"'\n]{4,128})", ("with ",)),
    (":5432:", r":5432:[^\s:]{1,80}:[^\s:]{1,80}:(?P<v>[^\s:]{3,128})(?=\s|\Z)", ()),
)
_ACCOUNT = re.compile(r"\d+\Z|root\Z|postgres\Z|node\Z|www-data\Z")
_PORTS = re.compile(r"\d{2,5}(?::\d{2,5})?\Z")
_COMMAND_REACH = 240                    # characters between a command and its flag


@cache
def _by_flag() -> dict[str, list[tuple[re.Pattern[str], tuple[str, ...]]]]:
    flags: dict[str, list[tuple[re.Pattern[str], tuple[str, ...]]]] = {}
    for flag, pattern, commands in _COMMANDS:
        flags.setdefault(flag, []).append((re.compile(pattern), commands))
    return flags


def _commands(view: Text) -> Iterator[Found]:
    """Passwords on command lines and in statements that have their own way of giving them."""
    text = view.text
    for flag, ways in _by_flag().items():
        for at in view.places(flag):
            for pattern, commands in ways:
                match = pattern.match(text, at)
                if match and _on_line_of(view.lower, at, commands):
                    value = match["v"].strip("\"'").rstrip(",;)")
                    start = text.index(value, match.start("v")) if value else 0
                    if value and not _harmless_argument(flag, value):
                        yield start, start + len(value), "command"


def _on_line_of(lower: str, at: int, commands: tuple[str, ...]) -> bool:
    """Whether one of the commands stands before a flag, on its line and not too far away."""
    start = max(lower.rfind("\n", max(0, at - _COMMAND_REACH), at), at - _COMMAND_REACH, 0)
    return not commands or any(command in lower[start:at + 1] for command in commands)


@lru_cache(maxsize=1024)
def _harmless_argument(flag: str, value: str) -> bool:
    if values.is_placeholder(value) or values.is_reference(value, quoted=True) or values.plain_word(value):
        return True
    if flag in (" -u", " --user"):
        return _ACCOUNT.match(value) is not None
    return flag == " -p" and _PORTS.match(value) is not None


# ---------------------------------------------------------------- user and password side by side
_PAIR_NAMES = ("login", "creds", "credential", "account")
_PAIR = re.compile(
    r"[a-z]{0,3}(?:[ \t]+(?:is|are|as|with|in|on|for|to|using|the)\b[^\n:/]{0,30}?)?[ \t:]{1,3}"
    r"[\"'`]?[\w.@+-]{2,40}[\"'`]?[ \t]{0,2}[/:][ \t]{0,2}[\"'`]?([^\s\"'`/]{6,64})(?=[\s\"'`,;.)]|\Z)"
)
_VARIED = re.compile(r"(?=.*\d)(?:(?=.*[a-z])(?=.*[A-Z])|(?=.*[!@#$%^&*?+]))")


def _pairs(view: Text) -> Iterator[Found]:
    """A password behind its user's name: "the admin login is root / …"."""
    for name in _PAIR_NAMES:
        for at in view.places(name):
            match = _PAIR.match(view.text, at + len(name))
            value = match[1].rstrip(",.;)") if match else ""
            if match and values.chosen_password(value) and _VARIED.match(value):
                yield match.start(1), match.start(1) + len(value), "password"


# ---------------------------------------------------------------- recovery phrases
_PHRASE_NAMES = ("mnemonic", "phrase", "助记词", "ニーモニック", "니모닉")
_PHRASE = re.compile(r"[^\n:=：]{0,30}[:=：][\s\"'`]{0,4}((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})")
_KEPT_WHOLE = ("seed", "recovery", "backup", "secret", "mnemonic", "助记词", "ニーモニック", "니모닉", "wallet")


def _phrases(view: Text) -> Iterator[Found]:
    """Recovery phrases of wallets: twelve to twenty-four words after a name that says so."""
    for name in _PHRASE_NAMES:
        for at in view.places(name):
            if any(word in view.lower[max(0, at - 24):at + len(name)] for word in _KEPT_WHOLE):
                match = _PHRASE.match(view.text, at + len(name))
                if match:
                    yield match.start(1), match.end(1), "mnemonic"
