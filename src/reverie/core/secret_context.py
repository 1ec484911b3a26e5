"""Credentials known by what stands around them: ``password=``, ``X-Api-Key:``, ``密码是``, "the staging key is …".

A word that names a credential is found first, by plain search; only there the text is looked at closer, within a
bounded window, so that the whole stays linear. What follows the word decides how much is asked of the value
(``secret_believing``): after an assignment nearly anything is taken for a credential that is not evidently a type, a
reference, a placeholder or prose; in running text only what looks like one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from reverie.core import secret_values as values
from reverie.core.secret_believing import CODE, KEY, PASSWORD, RANDOM, SECRET, believable, close_by, is_phrase, told
from reverie.core.secret_rules import words
from reverie.core.secret_text import Text

Found = tuple[int, int, str]            # start, end, family

# A stem, the noun it may grow into, and what kind of credential that is.
_NOUNS: tuple[tuple[str, str, str], ...] = (
    ("pass", r"pass(?:word|wd|wort|phrase|code|key|e)?(?:s(?![a-z]))?", PASSWORD),
    ("pw", r"pwd?", PASSWORD),
    ("psk", r"psk", PASSWORD),
    ("contrase", r"contrase(?:ñ|n)a", PASSWORD),
    ("secret", r"secret(?:s(?![a-z]))?(?:[_ -]?(?:access)?[_ -]?(?:key|id(?=[\"']?\s*[:=])))?", SECRET),
    ("token", r"token", SECRET),
    ("key", r"key(?:s(?![a-z]))?", KEY),
    ("cred", r"cred(?:ential)?s?", SECRET),
    ("auth", r"auth(?:orization)?", RANDOM),
    ("jwt", r"jwt", RANDOM),
    ("cookie", r"cookie", RANDOM),
    ("sess", r"sess(?:ion)?[_-]?id|sessionid|sess", RANDOM),
    ("sid", r"sid", RANDOM),
    ("sig", r"sig(?:nature)?", RANDOM),
    ("pin", r"pin(?:[_ -]?code)?", CODE),
    ("otp", r"otp(?:[_ -]?code)?", CODE),
    ("verification", r"verification[_ -]code", CODE),
)
_NOUN = {stem: (re.compile(pattern), kind) for stem, pattern, kind in _NOUNS}
_WIDE_KIND = {
    **dict.fromkeys(("密码", "密碼", "口令", "暗号"), PASSWORD),
    **dict.fromkeys(("パスワード", "パスフレーズ", "合言葉", "暗証番号"), PASSWORD),
    **dict.fromkeys(("비밀번호", "비번", "암호", "패스워드", "пароль"), PASSWORD),
    **dict.fromkeys(("密钥", "密鑰", "秘钥", "密匙", "私钥", "私鑰", "金钥", "金鑰", "钥匙", "鑰匙"), SECRET),
    **dict.fromkeys(("令牌", "凭证", "凭据", "授权码"), SECRET),
    **dict.fromkeys(("トークン", "シークレット", "クレデンシャル", "資格情報", "秘密鍵", "キー", "鍵", "認証情報"), SECRET),
    **dict.fromkeys(("토큰", "시크릿", "크리덴셜", "자격 증명", "인증키", "열쇠", "키"), SECRET),
}
_WIDE_NOUN = re.compile("|".join(sorted(_WIDE_KIND, key=len, reverse=True)))

# What may still follow in the same name without changing what it names: API_KEY_PROD, tokenValue, password2.
_SUFFIX = re.compile(
    r"(?:[_.-]?(?:value|val|text|string|str|plain|raw|data|prod(?:uction)?|stag(?:e|ing)|dev(?:elopment)?|test|"
    r"live|sandbox|local|main|primary|secondary|default|b64|base64|enc(?:oded)?|new|old|prev(?:ious)?|current|v?\d{1,2}(?!\d)))*"
    r"(?![a-z0-9])"  # digits whole, each word once: what can be cut into pieces in two ways is tried in millions
)
# What stands before "key" and makes it a credential.
_KEY_OF = words(
    """
    api access secret private priv auth sign signing encrypt encryption enc decrypt decryption master account
    deploy subscription service license licence app application client consumer server admin write ingest
    ingestion integration webhook storage function functions ssh gpg hmac jwt session root stag stage staging prod
    production sandbox live test dev map maps preshared shared wg vault kms rails bot team org user openai
    anthropic gemini google azure aws gcp stripe slack github gitlab sendgrid mailgun twilio datadog newrelic
    algolia sentry cloudflare heroku supabase firebase mapbox pinecone cohere mistral groq deepseek dashscope
    moonshot zhipu openrouter replicate elevenlabs tavily honeycomb pagerduty opsgenie statuspage segment
    amplitude mixpanel posthog launchdarkly snyk sonar codecov circle travis buildkite
    """
)
# What stands before "key" and makes it none.
_NO_KEY = words(
    """
    cache primary foreign sort partition routing hash map dict object group unique index row join idempotency
    translation i18n lookup hot short shift enter arrow composite candidate natural surrogate shard dedup dedupe
    bucket s3 redis react by commit image checksum content recv send search schema sequence
    """
)
# What stands before the name of a credential and makes it none.
_NO_CREDENTIAL = words(
    """
    public pub publishable next page paging continuation pagination cursor sync resume max min num pad eos bos unk
    mask cls sep special stop cancellation cancel design color colour css syntax lexer input output prompt
    completion jsonweb reasoning cached total per last first each delete is has no use csrf
    """
)
_GLUED = words(
    """
    api access secret private priv auth enc sign signing master app service account admin user db root smtp redis
    mysql pg my ssh ftp mail ldap sudo become old new http proxy deploy bot client server login basic x host
    session php asp connect
    """
)
_LAST_WORD = re.compile(r"([a-z0-9]*)(?:'s)?[_\-. ]{0,2}\Z")
_LAST_HUMP = re.compile(r"(?:[A-Z][a-z0-9]*|[a-z0-9]+)[_\-. ]{0,2}\Z")
_LETTERS = re.compile(r"[a-z]*\Z")
_FLAG = re.compile(r"(?:^|[\s\"'\[,])--?[\w-]{0,40}\Z")
# How a value is given to a name. ``pair``: {name: TOKEN, value: …}; ``default``: getenv("TOKEN", "…"); ``line``: below.
_SEPARATOR = re.compile(
    r"(?P<xml>>(?=[^<>\s]))"
    r"|(?P<pair>\\{0,3}[\"']?\s{0,4}[,\n]?\s{0,40}[{]?\s{0,4}\\{0,3}[\"']?value\\{0,3}[\"']?\s{0,4}[:=]\s{0,4})"
    r"|(?P<assign>[\\\"'`*_\]) ]{0,6}[?!]?\s{0,8}(?:=>|:=|<-|={1,3}|:{1,2}|：|＝|%3[dD]|(?<= )\|)[* \t]{0,12}"
    r"(?:\r?\n[ \t]{1,40}(?=[^\s:]{6,256}[ \t]*(?:\r?\n|\Z)))?"
    r"(?:[|>][-+]?[ \t]*\n[ \t]+)?(?:[A-Za-z_][\w.<>?\[\]]{0,30}(?: \| \w{1,20})?\s{1,3}=\s{0,3})?)"
    r"|(?P<default>[\"']\s{0,2},\s{0,4}(?=[\"']))"
    r"|(?P<call>\(\s{0,2}(?=[rbfu]?[\"']))"
    r"|(?P<line>:?[ \t]*\r?\n[ \t]*(?=[^\s\"'`]{6}))"
    r"|(?P<space>[ \t]{1,8})"
)
_COPULA = re.compile(
    r"[ \t]*(?:[(（][^()（）\n]{0,40}[)）])?"
    r"(?:[ \t]+(?:for|of|on|in|at|to|if|here|that|which|you|we|i|from|by|with|against|into|as|and|there|below)\b"
    r"(?:[^.!?;:=\n]|\.(?=\w)){0,60}?)?"
    r"[ \t]*(?:[:=：]|\b(?:is|was|are|equals|becomes)\b"
    r"(?:[ \t]+(?:now|still|set to|currently|just|simply|actually|again|always|literally))?[ \t]*:?"
    r"|\b(?:(?:got|was|were|is|has been|have been)[ \t]+)?(?:changed|reset|set|updated|rotated|switched)[ \t]+to\b"
    r"|->|→|⇒|是|就是|为|改成|换成|は|が|은|는|이|가)[ \t]*",
    re.I,
)
_WIDE_LINK = re.compile(
    r"(?:[(（][^()（）\n]{0,24}[)）])?[^\x00-\x7f。！？；、，\n]{0,14}[ \t:：=＝→]{0,4}[^\x00-\x7f。！？；、，\n]{0,8}"
    r"[「『“\"'`]?(?=[\x21-\x7e])"
)
_WIDE_VALUE = re.compile(r"[\x21-\x7e]{4,256}")
_SCHEME = re.compile(
    r"(?:bearer|basic|token|digest|api-?key|ssws|splunk|key|negotiate|aws4-hmac-sha256|oauth|glc|pat)[ \t]+(?=\S)", re.I
)
_PROSE = re.compile(r"[ \t]+[a-z]{2,}\b")
# What a random-looking word is called that is no credential.
_FINGER = re.compile(
    r"(?:commit|sha|hash|digest|checksum|rev(?:ision)?|etag|md5|fingerprint|integrity|blob|tree|merge|object|build|image|"
    r"trace|span|request[_ -]?id|uuid)\W{0,3}\Z",
    re.I,
)
_REVERSE = re.compile(
    r"(?P<q>[\"'`“]?)(?P<v>[^\s\"'`“”]{6,120})(?P=q)?[”,]?[ \t]+(?:is|was|as|are|=|being)[ \t]+"
    r"(?:(?:the|my|our|your|his|her|their|a|an)[ \t]+)?(?:[\w.-]{1,20}[ \t_-]){0,3}\Z",
    re.I,
)
_REVERSE_WIDE = re.compile(r"([\x21-\x7e]{6,120})[ \t]*[」』]?[^\x00-\x7f。！？；\n]{1,8}\Z")
_CODE_VALUE = re.compile(
    r"(?:[ \t]+(?:for|of|on|to)\b[^.!?;:=\n]{0,40}?)?[ \t\"']*(?:[:=：]|\bis\b|是|は|은|는)[ \t\"']*(\d{4,8})"
    r"(?![\w.,:/-]*\w)",
    re.I,
)
_WEAK_PASS_BEFORE = re.compile(
    r"(?:\A|[\n\"'{,;/&?(\[<|:>$.-]"
    r"|(?:user|admin|my|the|db|root|smtp|wifi|login|and|with|sudo|email|our|his|her|app)[ \t]*)[ \t]*\Z"
)
_IN_NAME = re.compile(r"(?:arn:aws|urn:)\S*\Z")      # the name of a resource, "secret" being one of its parts
_REACH = 120                            # characters to each side within which a name and a random word belong together
_BEFORE, _AFTER = _REACH + 8, 460       # the window around a name that is looked at


# Short for a password, and used for much else: steps, results, working directories.
_SHORT = frozenset(("pass", "pw", "pwd"))


def find(view: Text) -> Iterator[Found]:
    """Credentials by their surroundings."""
    text = view.text
    for stem, (noun, kind) in _NOUN.items():
        done = 0
        for at in view.places(stem):
            match = noun.match(view.lower, at) if at >= done else None
            if match:
                start = max(0, at - _BEFORE)
                window = text[start:match.end() + _AFTER]
                found, own = _at_noun(window, at - start, match.end() - start, kind)
                for first, last, family in found:
                    done = whole(text, start + last)
                    yield start + first, done, family
                if own:
                    yield from _random_near(view, at)
    if not text.isascii():
        for match in _WIDE_NOUN.finditer(view.lower):
            start = max(0, match.start() - _BEFORE)
            window = text[start:match.end() + _AFTER]
            place = match.start() - start
            for first, last, family in _at_wide_noun(window, place, place + len(match[0]), _WIDE_KIND[match[0]]):
                yield start + first, whole(text, start + last), family
            yield from _random_near(view, match.start())


NOTHING: tuple[tuple[Found, ...], bool] = ((), False)


@lru_cache(maxsize=1024)                # a text that repeats itself is looked at once
def _at_noun(text: str, at: int, end: int, kind: str) -> tuple[tuple[Found, ...], bool]:
    """What the name of a credential in a window of text is given or said to be (places within the window), and whether
    it stands there as a word of its own, to which a random word in its neighbourhood may belong."""
    lower = text.replace("\u0130", "i").lower()
    if at and lower[at - 1].isalpha() and not _begins_word(text, lower, at):
        return NOTHING
    noun = lower[at:end]
    suffix = _SUFFIX.match(lower, end)
    separator = _SEPARATOR.match(text, suffix.end()) if suffix else None
    after = lower[end:end + 1]
    in_prose = kind != CODE and not after.isalnum() and after not in ("_", "-")
    if separator is None and not in_prose and kind != CODE:
        return NOTHING
    if lower[at - 1:at] == ":" and _IN_NAME.search(text, max(0, at - 100), at):
        return NOTHING
    if kind == KEY or lower[at - 1:at] not in ("", "\n", '"', "'"):
        qualifier = _qualifier(text, lower, at)
        if qualifier in _NO_CREDENTIAL or (kind == KEY and qualifier in _NO_KEY):
            return NOTHING
        if kind == KEY and qualifier in _KEY_OF:
            kind = SECRET
    found = _given(text, at, suffix.end(), separator, noun, kind) if suffix and separator else None
    own = in_prose and kind in (PASSWORD, SECRET)
    if found:
        return (found,), own
    if in_prose:
        return tuple(_in_prose(text, at, end, kind, noun)), own
    code = _CODE_VALUE.match(text, end) if kind == CODE else None
    return ((code.start(1), code.end(1), "code"),) if code else (), own


def _qualifier(text: str, lower: str, at: int) -> str:
    """The word before a credential's name: "cache" of ``cache_key``, "next" of ``nextToken``, "api" of "API key"."""
    start = max(0, at - 20)
    word = _LAST_WORD.search(lower, start, at)
    if word is None or not word[1]:
        return ""
    if text[at].isupper() and word.end() == word.end(1):
        hump = _LAST_HUMP.search(text, start, at)
        return hump[0].lower().rstrip("_-. ") if hump else word[1]
    return word[1]


def _begins_word(text: str, lower: str, at: int) -> bool:
    """Whether a noun in the middle of letters is a word of its own: ``dbPassword``, ``apikey``, not "monkey"."""
    if text[at].isupper() and not text[at - 1].isupper():
        return True
    if lower.startswith(("secret", "token", "password", "passphra", "passwd"), at):
        return not lower.endswith(("sub", "de", "non", "un", "re"), 0, at)
    letters = _LETTERS.search(lower, max(0, at - 12), at)
    return letters is not None and letters[0] in _GLUED


def _given(text: str, at: int, end: int, separator: re.Match[str], noun: str, kind: str) -> Found | None:
    """The value that a name is given: by an assignment, an element, a flag, a pair, a call."""
    how, start = separator.lastgroup, separator.end()
    flag = how == "space" and _FLAG.search(text, max(0, at - 48), at) is not None
    scheme = _SCHEME.match(text, start) if noun.startswith("auth") else None
    if scheme:
        start = scheme.end()
        if scheme[0].lower().startswith(("basic", "bearer")):
            return None                                  # their own rules know more
    if noun == "cookie" and how == "assign":
        return None                                      # a header of several pairs has its own rule
    start, stop, quoted = take(text, start)
    value = text[start:stop]
    if not value or (value[0] == "-" and how != "assign"):
        return None
    named = text[at:end].isupper()
    unsure = noun in _SHORT and (how == "space" or not _own_pass(text, at)) and not close_by(value, SECRET, quoted)
    if unsure or (noun in _SHORT and named and ":" in separator[0]):
        return None                                      # "PASS: test_login": a test runner speaks
    below = how == "assign" and "\n" in separator[0]
    if (how in ("space", "call", "default") and not flag) or (how == "assign" and "|" in separator[0]) or below:
        good = close_by(value, kind, quoted) or (how == "default" and values.is_uuid(value))
    elif _several(noun):
        good = values.random_looking(value)              # several: names of them, rather than one of them
    elif how == "line":
        good = close_by(value, PASSWORD, False) if kind == PASSWORD else values.random_looking(value)
    else:
        literal = flag or how == "xml" or (named and separator[0].rstrip("'\"") == "=")
        good = believable(value, kind, noun, quoted=quoted, literal=literal, ends=not _PROSE.match(text, stop))
    return (start, stop, "password" if kind == PASSWORD else "assignment") if good else None


def _several(noun: str) -> bool:
    return noun.endswith("s") and noun != "pass" and not noun.startswith("cred")


def _own_pass(text: str, at: int) -> bool:
    """Whether "pass" names a password here, not a step or a result: ``user_pass``, ``{pass: …``, "admin pass"."""
    before = text[at - 1:at]
    return before.isalpha() or before == "_" or _WEAK_PASS_BEFORE.search(text, max(0, at - 12), at) is not None


def _in_prose(text: str, at: int, end: int, kind: str, noun: str) -> Iterator[Found]:
    """A credential named in a sentence, before or after its name."""
    copula = _COPULA.match(text, end)
    if copula:
        start, stop, quoted = take(text, copula.end())
        direct = copula.end() - end < 8 and not _PROSE.match(text, stop)
        value = text[start:stop]
        if noun in _SHORT or _several(noun):
            good = close_by(value, SECRET, quoted)
        elif quoted and noun == "passphrase" and " " in value:
            good = is_phrase(value)
        else:
            good = told(value, kind, quoted=quoted, direct=direct)
        if good:
            yield start, stop, "prose"
    if kind in (KEY, RANDOM) or noun in _SHORT:
        return
    first = _line(text, at)[0]
    reverse = _REVERSE.search(text, first, at)
    if reverse:
        value, quoted = reverse["v"], bool(reverse["q"])
        good = close_by(value, SECRET, quoted) or (quoted and kind == PASSWORD and told(value, kind, quoted=True))
        if good and not _FINGER.search(text, first, reverse.start()):
            yield reverse.start("v"), reverse.end("v"), "prose"


@lru_cache(maxsize=1024)
def _at_wide_noun(text: str, at: int, end: int, kind: str) -> tuple[Found, ...]:
    """What a Chinese, Japanese or Korean name of a credential in a window of text has after or before it."""
    found: list[Found] = []
    link = _WIDE_LINK.match(text, end)
    match = _WIDE_VALUE.match(text, link.end()) if link else None
    if match:
        start, stop, quoted = take(text, match.start())
        stop = min(stop, match.end())
        value = text[start:stop]
        number = kind == PASSWORD and value.isdigit() and len(value) >= 4 and stop - end < 24
        if number or told(value, kind, quoted=quoted):
            found.append((start, stop, "prose"))
    first = _line(text, at)[0]
    reverse = _REVERSE_WIDE.search(text, first, at)
    if reverse and close_by(reverse[1], SECRET, False) and not _FINGER.search(text, first, reverse.start()):
        found.append((reverse.start(1), reverse.end(1), "prose"))
    return tuple(found)


def _random_near(view: Text, at: int) -> Iterator[Found]:
    """Random-looking words near a credential's name, but for those that are called something else."""
    if not view.has_random_words:
        return
    first, last = _line(view.text, at)
    for start, stop in view.random_words(first, last):
        if (start, stop) not in view.credited and not _FINGER.search(view.text, max(first, start - 24), start):
            view.credited.add((start, stop))
            yield start, stop, "near"


# ---------------------------------------------------------------- where a value begins and ends
_QUOTED = re.compile(r"""[rbfuRBFU]{0,2}(\\{0,3})("{3}|'{3}|["'`“「『])""")
_CLOSING = {"“": "”", "「": "」", "『": "』"}
_BARE = re.compile(r"[^\s\"'`“”「」『』<>]{1,256}|<[^<>\s]{0,60}>")
_REST = re.compile(r"[^\s\"'`“”「」『』<>]*")
_STOP = re.compile(r"[\s\"'`“”「」『』<>]")
_CUT = re.compile(
    r"\\[nrt\"']|;(?=\s*(?:[\w. -]{1,30}=|$))|&(?:amp;)?(?=[\w.\[\]-]{1,40}=)"
    r"|,(?=\s*[\"']?[\w.-]{1,40}[\"']?\s*[:=])|[|](?=\s|$)|[)}\]]+[;,]*\Z"
)
_TRAILING = ",.;:!?)]}>*。，；、！？）】」』…"
_LONGEST = 256                          # characters of a value that are judged; a longer one is taken out whole


def take(text: str, at: int) -> tuple[int, int, bool]:
    """The value that begins at a place: start, end, and whether it stood in quotes. Empty when there is none."""
    quoted = _QUOTED.match(text, at)
    if quoted:
        start = quoted.end()
        mark = quoted[1] + _CLOSING.get(quoted[2], quoted[2])
        stop = text.find("\n", start, start + 400) if len(quoted[2]) == 1 else -1
        end = _closing(text, mark, start, stop if stop >= 0 else min(start + 400, len(text)))
        if end >= 0:
            return start, end, True
        at = start
    bare = _BARE.match(text, at)
    if not bare:
        return at, at, False
    start, end = bare.span()
    cut = _CUT.search(text, start + 1, end)
    end = cut.start() if cut else end
    while end > start and text[end - 1] in _TRAILING:
        if text[end - 1] in "!?*" and end - start > 6 and _set_off(text, end):
            break
        end -= 1
    return start, end, False


def whole(text: str, stop: int) -> int:
    """The end of a value of which only the beginning was judged."""
    if stop < _LONGEST or stop >= len(text) or _STOP.search(text, stop - _LONGEST, stop + 1):
        return stop
    rest = _REST.match(text, stop)
    return rest.end() if rest else stop


def _line(text: str, at: int) -> tuple[int, int]:
    """The part of the line around a place, at most ``_REACH`` characters to each side."""
    start = text.rfind("\n", max(0, at - _REACH), at) + 1 or max(0, at - _REACH)
    end = text.find("\n", at, at + _REACH)
    return start, end if end >= 0 else min(len(text), at + _REACH)


def _closing(text: str, mark: str, start: int, stop: int) -> int:
    """Where a quotation ends, passing over escaped marks; -1 when it does not."""
    at = text.find(mark, start, stop)
    while at > start and len(mark) == 1 and text[at - 1] == "\\":
        at = text.find(mark, at + 1, stop)
    return at


def _set_off(text: str, end: int) -> bool:
    """Whether a value ends its line or is set off by blanks, so that a "!" at its end is its own."""
    return end >= len(text) or text[end].isspace() or text[end] in "\"'`,;)"
