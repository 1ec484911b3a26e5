"""Chinese, Japanese and Korean text, taken apart: sentences, clauses, brackets, and the view in which only grammar is left."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date

from reverie.core import calendar_words, dates
from reverie.models.rules import neutral

LONE_WEEKDAY = 3                    # characters of 周五, 金曜日, 금요일: one of many Fridays, without "next" or "this"
ANSWER_CHARACTERS = 160             # columns of an answer that a confirmation means
BARE_ANSWER = 16                    # columns of "done." and "understood."
SOME_DAY = date(2026, 1, 15)        # which day does not matter where only the fact that there is a date is asked

QUOTED = re.compile(r"「[^」\n]{1,60}」|『[^』\n]{1,60}』|《[^》\n]{1,60}》|“[^”\n]{1,60}”|‘[^’\n]{1,60}’"
                    r"|\"[^\"\n]{1,60}\"|(?<![A-Za-z])'[^'\n]{1,60}'")
LATIN = re.compile(r"[A-Za-z]")
LATIN_NAME = re.compile(r"(?<![\w.@/-])[A-Za-z][\w.+-]{0,30}[\w+]|(?<![\w.@/-])[A-Z](?![\w])", re.ASCII)
TIME = re.compile(r"\d{1,2}[:：]\d\d|\d{1,2}\s?[点時시](?:半|\d{1,2}分)?")
# "main.py" and "console.log" look like hosts.
_FILE = re.compile(r"^[^/:]*\.(?:py|js|mjs|ts|tsx|jsx|vue|go|rs|rb|java|kt|swift|c|h|cc|cpp|cs|php|sql|sh|md|rst|txt|json|ya?ml"
                   r"|toml|ini|cfg|conf|lock|log|csv|xml|html|css|env|proto|tf|lua|gradle)$", re.IGNORECASE)
EDGES = "，,、。「」“” \"'"
ROOM_AFTER_NAME = re.compile(r"^([A-Za-z][\w.-]*)\s?(?:项目|空间|频道|群|プロジェクト|スペース|チャンネル"
                             r"|프로젝트|스페이스|채널)$")
# "Note to AI assistants:", as it is hidden in documents.
TO_MODELS = re.compile(r"[给致對对]\s?(?:AI|人工智能|大模型|智能)\s?(?:助手|助理|模型|代理)"
                       r"|AI\s?(?:アシスタント|エージェント|モデル)\s?(?:へ|宛て|向け)"
                       r"|AI\s?(?:어시스턴트|비서|에이전트|모델)\s?(?:에게|께|용)", re.IGNORECASE)
# The user and the password in front of a host, once the password has been taken out.
_LOGIN = re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s@/\[<]{0,40}"
                    r"(?:\[REDACTED[^\]\n]{0,60}\]|<redacted[^>\n]{0,40}>)@", re.IGNORECASE)
PUNCTUATION = re.compile(r"[\s，,、。.!！]+")
_OPEN, _CLOSE = "（(「『“【[《", "）)」』”】]》"
_ENDS = "。！？!?；;"
_BLANK = " 　." + "".join(_ENDS)            # what alone is no sentence
PLAIN_ASIDE = re.compile(r"[（(][^（）()]{0,200}[）)]")
_WORDS_OF_THE_MASK = re.compile(r"(?<![A-Za-z])(?:URL|PATH|CHAN|FLAG|CODE|ID|QUOTE|DATE|WDAY|RECUR)(?![A-Za-z])")
_MASKS = {"url": "URL", "path": "PATH", "channel": "CHAN", "flag": "FLAG", "code": "CODE", "id": "ID"}


def mask(text: str) -> str:
    """A text with its values replaced by what they are: ``URL PATH CHAN FLAG CODE ID``, ``QUOTE`` for a quoted name, ``DATE``
    for one date, ``WDAY`` for a weekday alone, ``RECUR`` for a day that comes again."""
    spans: list[tuple[int, int, str]] = [(m.start(), m.end(), "QUOTE") for m in QUOTED.finditer(text)]
    spans += [(m.start(), m.end(), m.group().lower()) for m in _WORDS_OF_THE_MASK.finditer(text)]
    for value in neutral.values(text):
        said = text[value.start:value.end]
        if value.kind in _MASKS and not (value.kind == "code" and said.isalnum()):  # "CloudWatch" is a name as well
            file = value.kind == "url" and _FILE.search(said)
            spans.append((value.start, value.end, "PATH" if file else _MASKS[value.kind]))
    spans += [(m.start(), m.end(), "RECUR") for r in calendar_words.RECURRING for m in r.finditer(text)]
    spans += [(m.start, m.end, "WDAY" if m.kind == "weekday" and len(m.text) <= LONE_WEEKDAY else "DATE")
              for m in dates.find(text, SOME_DAY) if m.kind not in ("day", "offset", "period")]
    parts: list[str] = []
    done = 0
    for start, end, name in sorted(spans, key=lambda s: (s[0], -s[1])):
        if start >= done:
            parts += (text[done:start], name)
            done = end
    return "".join((*parts, text[done:]))


def sentences(text: str) -> Iterator[str]:
    """Cut after 。！？; and after a full stop that ends a word, outside of brackets and quotes. A bracket that begins a
    sentence is a sentence."""
    start = depth = 0
    for i, char in enumerate(text):
        if char in _OPEN:
            if depth == 0 and char in "（(" and not text[start:i].strip():
                start = i
            depth += 1
        elif char in _CLOSE and depth:
            depth -= 1
            if depth == 0 and text[start:i].lstrip()[:1] in ("（", "("):
                yield text[start:i + 1].strip()
                start = i + 1
        elif depth == 0 and (char in _ENDS or (char == "." and _full_stop(text, i))):
            if i + 1 < len(text) and text[i + 1] in _ENDS:
                continue
            if text[start:i].strip(_BLANK):
                yield text[start:i + 1].strip()
            start = i + 1
    if text[start:].strip(_BLANK):
        yield text[start:].strip()


def _full_stop(text: str, at: int) -> bool:
    before, after = text[at - 1:at], text[at + 1:at + 2]
    return bool(before) and (not after or after.isspace()) and not before.isdigit()


def without_asides(sentence: str) -> tuple[str, list[str]]:
    """The sentence without its brackets, and what stood in them. A sentence in brackets is itself."""
    stripped = sentence.strip()
    if stripped[:1] in ("（", "(") and stripped[-1:] in ("）", ")"):
        return stripped[1:-1], []
    asides = [m.group()[1:-1].strip() for m in PLAIN_ASIDE.finditer(sentence) if len(m.group()) > 8]
    return PLAIN_ASIDE.sub(lambda m: "" if len(m.group()) > 8 else m.group(), sentence), asides


def without_login(text: str) -> str:
    """The text with the host of an address, without who logs in there."""
    return _LOGIN.sub("", text)


def clauses(text: str, cut: re.Pattern[str]) -> list[str]:
    """Cut where a clause ends, but not inside quotes."""
    protected = [m.span() for each in (QUOTED, neutral.PLACEHOLDER) for m in each.finditer(text)]
    parts: list[str] = []
    done = 0
    for m in cut.finditer(text):
        if any(a <= m.start() < b for a, b in protected):
            continue
        if text[done:m.start()].strip():
            parts.append(text[done:m.start()].strip())
        done = m.end()
    if text[done:].strip():
        parts.append(text[done:].strip())
    return parts


def joined(parts: Sequence[str], language: str) -> str:
    mark = {"zh": "，", "ja": "、"}.get(language, ", ")
    return mark.join(p for p in parts if p)


def width(text: str) -> int:
    return sum(1 if char.isascii() else 2 for char in text)


def cut(text: str, columns: int) -> str:
    """At most so many columns, the cut shown."""
    text = " ".join(text.split()).strip("，,、。.:： ")
    if width(text) <= columns:
        return text
    out, used = "", 1
    for char in text:
        used += width(char)
        if used > columns:
            break
        out += char
    return out.rstrip("，,、 ") + "…"


def opening(answer: str) -> str:
    """The first sentences of an answer that say something, for a confirmation that names nothing itself."""
    said = [s for line in answer.splitlines() if line.strip() for s in sentences(line)]
    telling = [s for s in said if width(s) > BARE_ANSWER] or said
    first = telling[0] if telling else ""
    if len(telling) > 1 and width(first) + width(telling[1]) <= ANSWER_CHARACTERS:
        first += " " + telling[1]
    return cut(first, ANSWER_CHARACTERS)
