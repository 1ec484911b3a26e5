"""Which day is meant: date expressions in four languages, read against the day on which they were said.

A memory outlives the day on which it was said, so "until Friday" must become a date (study, Claude Code §8: dreaming
normalizes dates). Three things are promised, and checked by tests: what is already absolute is left as it is, so that
``absolute`` can run twice, on any later day; what happens again and again ("every Friday", 毎週木曜, 每月底) never
becomes one date; and the words that were said stay findable, except "today" and its kin, which are wrong a day later
and are replaced. In doubt (12/01, a bare "Friday" in a habit) the words are left alone.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, date, timedelta
from functools import cache

from reverie.core import calendar_words as words
from reverie.core import needles

MAX_CHARS = 20_000      # of one text: a person's message; what is longer was pasted and is left alone
_NEAR = 48              # characters around a date in which its small words stand
_CLAUSE = 160           # how far a clause is looked at for tense and habit
_RECENT_DAYS = 60       # "the review on 3 November", said in December without a past tense, was this year's

Days = tuple[date, date | None, str]    # first day, last day (None: one day), kind

RELATIONS = ("on", "from", "until", "by", "since")
KINDS = ("absolute", "yearless", "weekday", "day", "offset", "period")


@dataclass(frozen=True, slots=True, kw_only=True)
class DateMention:
    """One date expression. ``last`` is None for a single day; ``written`` is the expression made absolute."""

    start: int
    end: int
    text: str
    first: date
    last: date | None = None
    relation: str = "on"        # one of RELATIONS: what the words around it say
    kind: str = "absolute"      # one of KINDS
    written: str = ""


def find(text: str, said_on: date) -> list[DateMention]:
    """The date expressions of a text in order, not overlapping. Total: any text gives a list."""
    if len(text) > MAX_CHARS:
        return []
    pieces = needles.cut(text)
    recurring, expressions = _sought()
    candidates = sorted(
        ((m.start(), -m.end(), order, kind, m) for order, (kind, pattern) in enumerate(expressions)
         for m in pattern.finditer(text, pieces) if m.end() > m.start()),
        key=lambda c: c[:3],
    )
    taken = [m.span() for pattern in recurring for m in pattern.finditer(text, pieces)] if candidates else []
    found: list[DateMention] = []
    reached = 0
    for start, end, _, kind, match in candidates:
        if start < reached or any(a < -end and start < b for a, b in taken):
            continue
        mention = _mention(_Place(text, match, said_on), kind)
        if mention is not None:
            found.append(mention)
            reached = mention.end
    return found


@cache
def _sought() -> tuple[tuple[needles.Sought, ...], tuple[tuple[str, needles.Sought], ...]]:
    """What happens again and again, and the expressions by kind."""
    return (tuple(needles.Sought(each.pattern, each.flags) for each in words.RECURRING),
            tuple((kind, needles.Sought(each.pattern, each.flags)) for kind, each in words.EXPRESSIONS))


def absolute(text: str, said_on: date) -> str:
    """The text with its relative dates made absolute in place, in a form of the text's language."""
    parts: list[str] = []
    done = 0
    for mention in find(text, said_on):
        parts += (text[done:mention.start], mention.written)
        done = mention.end
    return "".join((*parts, text[done:]))


def valid_until(text: str, said_on: date) -> date | None:
    """The last day on which a statement says that it holds ("until 15 January", まで, 到…为止, 까지), or None.

    A deadline ("by Friday", までに) is not an end of validity, and what ended before it was said is history.
    """
    ends = [m.last or m.first for m in find(text, said_on) if m.relation == "until"]
    return ends[-1] if ends and ends[-1] >= said_on else None


# --- one expression at its place -----------------------------------------------------------------------------


class _Place:
    """A match in its text, with what the words around it say."""

    def __init__(self, text: str, match: re.Match[str], said_on: date) -> None:
        self.text, self.said_on = text, said_on
        self.groups: dict[str, str] = {k: v for k, v in match.groupdict().items() if v}
        self.start, self.end = match.span()
        if prep := self.groups.get("prep"):
            self.start = match.start("m" if "m" in self.groups else "q")
            if prep.lower() in ("early", "mid", "late", "for"):     # "mid-January": the month is what gets a year
                self.groups["vague"] = prep
        self.said = text[self.start:self.end]
        self.before = text[max(0, self.start - _NEAR):self.start]
        self.after = text[self.end:self.end + _NEAR]
        left = max(text.rfind(c, max(0, self.start - _CLAUSE), self.start) for c in ".!?。！？\n;；")
        rights = [i for c in "!?。！？\n;；" if (i := text.find(c, self.end, self.end + _CLAUSE)) >= 0]
        self.clause = text[max(left + 1, self.start - _CLAUSE):min([*rights, self.end + _CLAUSE])]
        self.relation = self._relation()

    def _relation(self) -> str:
        for relation, pattern in words.AFTER:
            if pattern.match(self.after):
                if relation == "until" and self.after.lstrip().startswith("까지") and not self._lasting():
                    return "by"
                if relation == "from" and words.GOING_ON.search(self.clause):
                    return "since"
                return relation
        if words.RANGE.search(self.before):
            return "until"
        if words.MOVED_TO.search(self.before):
            return "on"
        for relation, pattern in words.BEFORE:
            if pattern.search(self.before):
                return "since" if relation == "from" and words.GOING_ON.search(self.clause) else relation
        return "on"

    def _lasting(self) -> bool:
        return bool(words.KO_LASTING.search(self.text[self.end:self.end + _CLAUSE // 2]))

    @property
    def past(self) -> bool:
        """Whether the clause tells of the past, and of nothing still to come ("was moved to 15 January" is to come)."""
        if words.MOVED_TO.search(self.before) or words.CHANGED_TO.match(self.after):
            return False
        clause = words.PRESENT_PASSIVE.sub(" ", self.clause)
        return bool(words.PAST.search(clause)) and not words.FUTURE.search(clause)

    @property
    def forward(self) -> bool:
        return self.relation in ("from", "until", "by")

    @property
    def habit(self) -> bool:
        return self.relation == "on" and bool(words.HABIT.search(self.clause))

    def dated(self) -> re.Match[str] | None:
        """The date in brackets that already follows the expression."""
        return _DATED.match(self.text, self.end)


_DATED = re.compile(r"\s?[(（](20\d\d)(?:-(\d\d)-(\d\d)|-(\d\d)|-Q([1-4]))?(?:(?: to |～)(20\d\d)-(\d\d)-(\d\d))?[)）]")


def _mention(place: _Place, kind: str) -> DateMention | None:
    """The date of one expression, or None when it is none after all."""
    try:
        if dated := place.dated():
            return _already(place, dated)
        days = _RESOLVE[kind](place)
        if days is None:
            return None
        first, last, kind = days
        written = _written(place, kind, first, last)
    except (ValueError, OverflowError, KeyError):       # 30 February, a year past the calendar's end
        return None
    return DateMention(start=place.start, end=place.end, text=place.said, first=first, last=last,
                       relation=place.relation, kind=kind, written=written)


def _already(place: _Place, dated: re.Match[str]) -> DateMention | None:
    """An expression that carries its date: one absolute mention, brackets included."""
    year, month, day, only_month, quarter, *to = dated.groups()
    if day:
        first, last = date(int(year), int(month), int(day)), date(*map(int, to)) if to[0] else None
    elif only_month:
        first, last = _month(int(year), int(only_month))
    elif quarter:
        first, last = _quarter(int(year), int(quarter))
    else:
        first, last = date(int(year), 1, 1), date(int(year), 12, 31)
    end = dated.end()
    said = place.text[place.start:end]
    around = _Place(place.text, re.compile(re.escape(said)).match(place.text, place.start) or dated, place.said_on)
    return DateMention(start=place.start, end=end, text=said, first=first, last=last, relation=around.relation,
                       kind="absolute", written=said)


# --- from words to days --------------------------------------------------------------------------------------


def _iso(place: _Place) -> Days | None:
    g = place.groups
    return date(int(g["y"]), int(g.get("m") or g["m2"]), int(g.get("d") or g["d2"])), None, "absolute"


def _english_month(place: _Place) -> int | None:
    """The month's number; None for "may" and "march" that are no months."""
    name = place.groups["m"]
    if name.lower() in ("may", "mar", "march") and not name[0].isupper():
        return None
    return words.MONTHS[name.lower()]


def _english_date(place: _Place) -> Days | None:
    month = _english_month(place)
    if month is None:
        return None
    return _month_day(place, month, int(place.groups["d"]), place.groups.get("y", ""))


def _han_date(place: _Place) -> Days | None:
    g = place.groups
    year = g.get("y", "")
    if (ymod := g.get("ymod")) and not year:
        day = date(_year_of(ymod, place.said_on), words.number(g["m"]), words.number(g["d"]))
        return day, None, "offset"
    return _month_day(place, words.number(g["m"]), words.number(g["d"]), year)


def _slash_date(place: _Place) -> Days | None:
    first, last, _ = _month_day(place, int(place.groups["m"]), int(place.groups["d"]), "")
    return first, last, "offset"


def _month_day(place: _Place, month: int, day: int, year: str) -> Days:
    if year:
        return date(int(year), month, day), None, "absolute"
    weekday = place.groups.get("wd") or place.groups.get("wk", "")
    wanted = words.WEEKDAYS.get(weekday.lower() if weekday.isascii() else weekday[:1], -1)
    return _nearest(place, month, day, wanted), None, "yearless"


def _nearest(place: _Place, month: int, day: int, weekday: int) -> date:
    """The year that is meant: ahead for what begins or ends, back for what is told as past, else the nearer one."""
    said_on = place.said_on
    years = range(max(MINYEAR, said_on.year - 4), min(MAXYEAR, said_on.year + 4) + 1)
    days = [date(y, month, day) for y in years if day <= calendar.monthrange(y, month)[1]]
    if not days:
        raise ValueError("no such day in any year")
    past = max((d for d in days if d <= said_on), default=None)
    ahead = min((d for d in days if d >= said_on), default=None)
    if past is None or ahead is None:
        return past or ahead or days[0]
    if weekday >= 0 and (past.weekday() == weekday) != (ahead.weekday() == weekday):
        return past if past.weekday() == weekday else ahead
    if place.relation == "since":
        return past
    if place.relation == "from":
        return past if (said_on - past).days <= 31 else ahead
    if place.relation in ("until", "by"):
        return ahead
    if place.past:
        return past
    return past if (said_on - past).days <= _RECENT_DAYS < (ahead - said_on).days else ahead


def _month_name(place: _Place) -> Days | None:
    month = _english_month(place)
    if month is None:
        return None
    prep = place.groups.get("prep", "").lower()
    if prep in ("next", "last", "this") and not place.groups.get("y"):
        ahead = place.said_on.year + (month <= place.said_on.month if prep == "next" else month < place.said_on.month)
        back = place.said_on.year - (month >= place.said_on.month)
        year = {"next": ahead, "last": back, "this": place.said_on.year}[prep]
        return (*_month(year, month), "yearless")
    if prep in ("starting", "beginning", "from"):
        place.relation = "from" if place.relation == "on" else place.relation
    return _bare_month(place, month)


def _han_month(place: _Place) -> Days | None:
    g = place.groups
    month = words.number(g["m"])
    if ymod := g.get("ymod"):
        first, last = _month(_year_of(ymod, place.said_on), month)
        kind = "offset"
    else:
        first, last, kind = _bare_month(place, month)
    return (last, None, kind) if g.get("end") else (first, last, kind)


def _bare_month(place: _Place, month: int) -> tuple[date, date, str]:
    if year := place.groups.get("y"):
        return (*_month(int(year), month), "absolute")
    now = place.said_on
    back = (month, now.year) if month <= now.month else (month, now.year - 1)
    ahead = (month, now.year) if month >= now.month else (month, now.year + 1)
    month, year_ = back if place.relation == "since" or (place.past and not place.forward) else ahead
    return (*_month(year_, month), "yearless")


def _end_month(place: _Place) -> Days | None:
    month = _english_month(place)
    if month is None:
        return None
    _, last, kind = _bare_month(place, month)
    return last, None, kind if kind == "absolute" else "offset"


def _han_day(place: _Place) -> Days | None:
    mod = place.groups["mmod"]
    step = 2 if mod[0] == "再" else -1 if mod[0] in "上先지" else 0 if mod[0] in "本这今이" else 1
    first, _ = _month(*_shift(place.said_on, step))
    return first.replace(day=int(place.groups["d"])), None, "offset"


def _day(days: int) -> Callable[[_Place], Days | None]:
    """The day that lies so many days away."""
    return lambda place: (place.said_on + timedelta(days=days), None, "day")


def _weekday(place: _Place) -> Days | None:
    """Weeks begin on Monday: "next Friday" is next week's. A bare one is the coming one, in a past clause the last."""
    g, said_on = place.groups, place.said_on
    written = g.get("wd") or g["wa"]
    weekday = words.WEEKDAYS[written.lower()]
    mod = re.sub(r"[\s个]", "", g.get("mod", "")).lower()
    monday = said_on - timedelta(days=said_on.weekday())
    weekend = written in "末말"
    weekday = 5 if weekend else weekday
    if (step := _WEEKS.get(mod)) is not None:
        first = monday + timedelta(days=7 * step + weekday)
        return first, first + timedelta(days=1) if weekend else None, "weekday"
    ahead = said_on + timedelta(days=(weekday - said_on.weekday() - 1) % 7 + 1)
    back = said_on - timedelta(days=(said_on.weekday() - weekday - 1) % 7 + 1)
    if mod in ("last", "past", "前", "지난"):
        return back, None, "weekday"
    if mod:                                     # this, coming, 次の, 오는: the next to come, today included for "this"
        return (said_on if mod == "this" and weekday == said_on.weekday() else ahead), None, "weekday"
    if "wa" in g and place.relation == "on" and not re.search(r"(?i)\b(?:on|next|last|this)\s$", place.before):
        return None                             # "Mon" and "Wed" are weekdays only where a date is expected
    if place.habit:
        return None
    return back if place.relation == "since" or (place.past and not place.forward) else ahead, None, "weekday"


_WEEKS = {
    "next": 1, "下下": 2, "下": 1, "这": 0, "本": 0, "上": -1, "上上": -2,
    "先々週": -2, "先週": -1, "今週": 0, "来週": 1, "再来週": 2,
    "지지난주": -2, "지난주": -1, "저번주": -1, "이번주": 0, "금주": 0, "이번": 0, "다음주": 1, "차주": 1, "다음": 1,
    "다다음주": 2,
}
_STEPS = {
    "next": 1, "last": -1, "this": 0, "the": 0, "": 0,
    "下下": 2, "下": 1, "下个": 1, "这": 0, "这个": 0, "本": 0, "今": 0, "上": -1, "上个": -1, "上上": -2,
    "明": 1, "去": -1, "后": 2, "先々": -2, "先": -1, "来": 1, "再来": 2, "昨": -1,
    "지지난": -2, "지난": -1, "저번": -1, "이번": 0, "이": 0, "다음": 1, "다다음": 2,
}
_UNITS = {
    "day": "day", "天": "day", "日": "day", "일": "day",
    "week": "week", "周": "week", "星期": "week", "礼拜": "week", "週": "week", "週間": "week", "주": "week",
    "month": "month", "月": "month", "달": "month", "개월": "month", "월말": "month", "말": "month",
    "quarter": "quarter", "季度": "quarter", "季": "quarter", "四半期": "quarter", "분기": "quarter",
    "분기말": "quarter",
    "year": "year", "年": "year", "년": "year", "연말": "year",
}
_KO_YEARS = {"올해": 0, "금년": 0, "내년": 1, "작년": -1, "지난해": -1, "내후년": 2}


def _unit(written: str) -> str:
    return "month" if written.endswith("月") else _UNITS[re.sub(r"\s", "", written).lower()]


def _year_of(word: str, said_on: date) -> int:
    return said_on.year + (_KO_YEARS[word] if word in _KO_YEARS else _STEPS[word[0]])


def _span(unit: str, step: int, said_on: date) -> tuple[date, date]:
    """The week, month, quarter or year that is ``step`` away from the one of a day."""
    if unit == "week":
        monday = said_on + timedelta(days=7 * step - said_on.weekday())
        return monday, monday + timedelta(days=6)
    if unit == "month":
        return _month(*_shift(said_on, step))
    if unit == "quarter":
        index = said_on.year * 4 + (said_on.month - 1) // 3 + step
        return _quarter(index // 4, index % 4 + 1)
    return date(said_on.year + step, 1, 1), date(said_on.year + step, 12, 31)


def _period(place: _Place) -> Days | None:
    g = place.groups
    if word := g.get("word"):
        return (*_span("year", _KO_YEARS[word], place.said_on), "period")
    return (*_span(_unit(g["unit"]), _STEPS[g["mod"].lower()], place.said_on), "period")


def _end(place: _Place) -> Days | None:
    """The last day of a month, quarter, year. As a habit, without "this" or "next", it is every one's: left alone."""
    g = place.groups
    mod = re.sub(r"\s|달", "", g.get("mod", "")).lower()
    if mod in ("", "the") and place.habit:
        return None
    if ym := g.get("ym", "").strip():
        return date(place.said_on.year + _KO_YEARS[ym], 12, 31), None, "offset"
    if g["unit"] == "말" and not mod:
        return None
    unit = _unit(g["unit"])
    if unit == "week":
        return _span(unit, _STEPS[mod], place.said_on)[0] + timedelta(days=4), None, "offset"       # a working week
    if mod == "the" and place.relation == "on" and re.search(r"(?i)\bat\s$", place.before):
        return None
    last = _span(unit, _STEPS[mod], place.said_on)[1]
    if place.past and not place.forward and not mod:
        last = _span(unit, -1, place.said_on)[1]
    if re.search(r"内$", place.said):
        place.relation = "by"
    return last, None, "offset"


def _end_quarter(place: _Place) -> Days | None:
    _, last, kind = _quarter_days(place)
    return last, None, kind if kind == "absolute" else "offset"


def _quarter_name(place: _Place) -> Days | None:
    first, last, kind = _quarter_days(place)
    return first, last, "absolute" if kind == "absolute" else "period"


def _quarter_days(place: _Place) -> tuple[date, date, str]:
    quarter = int(place.groups["q"])
    if year := place.groups.get("y"):
        return (*_quarter(int(year), quarter), "absolute")
    now, this = place.said_on.year, (place.said_on.month - 1) // 3 + 1
    if place.relation == "since" or (place.past and not place.forward):
        return (*_quarter(now if quarter <= this else now - 1, quarter), "period")
    return (*_quarter(now if quarter >= this else now + 1, quarter), "period")


def _end_year(place: _Place) -> Days | None:
    return date(int(place.groups["y"]), 12, 31), None, "absolute"


_GENERIC = re.compile(r"(?i)\b(?:expires?|rotates?|refreshed|purged?|deleted?|timeout|ttl|every|per|always|whenever|if"
                      r"|when|they|after)\b")


def _ahead(place: _Place) -> Days | None:
    """"in two weeks", 两周后. A rule about any two weeks ("tokens expire in 30 days") has no date."""
    g = place.groups
    rel = g["rel"].lower()
    if g["unit"] in _UNITS and g["unit"].isascii() and (place.past or _GENERIC.search(place.clause)):
        return None
    count = words.number(g["n"])
    day = _moved(place.said_on, _unit(g["unit"]), count)
    if rel == "within":
        place.relation = "by"
    elif rel.endswith("next"):
        place.relation = "until"
    return day, None, "offset"


def _ago(place: _Place) -> Days | None:
    g = place.groups
    if not g["unit"].isascii() and place.habit:
        return None
    count = words.number(g["n"])
    unit = _unit(g["unit"])
    if unit in ("day", "week"):
        return _moved(place.said_on, unit, -count), None, "offset"
    return (*_span(unit, -count, place.said_on), "offset")


def _moved(day: date, unit: str, count: int) -> date:
    if unit in ("day", "week"):
        return day + timedelta(days=count * (7 if unit == "week" else 1))
    year, month = _shift(day, count * (12 if unit == "year" else 1))
    return date(year, month, min(day.day, calendar.monthrange(year, month)[1]))


def _shift(day: date, months: int) -> tuple[int, int]:
    index = day.year * 12 + day.month - 1 + months
    return index // 12, index % 12 + 1


def _month(year: int, month: int) -> tuple[date, date]:
    return date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1])


def _quarter(year: int, quarter: int) -> tuple[date, date]:
    return date(year, 3 * quarter - 2, 1), _month(year, 3 * quarter)[1]


_RESOLVE: dict[str, Callable[[_Place], Days | None]] = {
    "iso": _iso, "day_month": _english_date, "month_day": _english_date, "month": _month_name, "weekday": _weekday,
    "han_date": _han_date, "han_month": _han_month, "han_day": _han_day, "slash_date": _slash_date,
    "today": _day(0), "tomorrow": _day(1), "yesterday": _day(-1), "overmorrow": _day(2), "ereyesterday": _day(-2),
    "ahead": _ahead, "ago": _ago, "period": _period, "quarter": _quarter_name,
    "end": _end, "end_month": _end_month, "end_quarter": _end_quarter, "end_year": _end_year,
}


# --- from days to words --------------------------------------------------------------------------------------


def _written(place: _Place, kind: str, first: date, last: date | None) -> str:
    """The expression with its date. See the module: what was said stays, "today" and its kin go."""
    said = place.said
    if kind == "absolute":
        return said
    if kind == "day":
        return _on(place, first)
    if kind == "yearless" and said.isascii():
        return _english_year(place, first)
    if kind == "yearless":
        at = said.index("月" if "月" in said else "월")
        digits = re.search(r"[\d１-９０一二三四五六七八九十]{1,3}\s?$", said[:at])
        assert digits is not None
        blank = " " if re.search(r"\s", said[digits.start():at + 1]) or "월" in said else ""
        year = f"{first.year}{blank if '월' not in said else ''}{'年' if '월' not in said else '년'}{blank}"
        return said[:digits.start()] + year + said[digits.start():]
    return said + _bracket(place, _iso_text(first, last))


def _iso_text(first: date, last: date | None) -> str:
    if last is None:
        return first.isoformat()
    if first == date(first.year, 1, 1) and last == date(first.year, 12, 31):
        return str(first.year)
    if (first, last) == _month(first.year, first.month):
        return first.isoformat()[:7]
    if first.month % 3 == 1 and (first, last) == _quarter(first.year, first.month // 3 + 1):
        return f"{first.year}-Q{first.month // 3 + 1}"
    return f"{first.isoformat()} to {last.isoformat()}"


def _bracket(place: _Place, text: str) -> str:
    around = place.said[-1] + place.after[:1] + place.before[-1:]
    char = next((c for c in around if not c.isascii() and c.isalpha()), "a")
    if char.isascii() or (place.said.isascii() and place.after[:1] == " "):
        return f" ({text})"
    text = text.replace(" to ", "～")
    return f"({text})" if "가" <= char <= "힣" else f"（{text}）"


def _english_year(place: _Place, day: date) -> str:
    said, g = place.said, place.groups
    name = g["m"]
    if name.lower() not in words.MONTHS or (len(name) < 5 and name.lower() not in ("may", "june", "july")):
        return f"{said} ({day.isoformat() if 'd' in g else day.isoformat()[:7]})"
    month_first = said.lower().find(name.lower()) < said.rfind(g["d"]) if "d" in g else False
    return f"{said}, {day.year}" if month_first else f"{said} {day.year}"


_PREPOSITION = re.compile(r"(?i)\b(?:on|from|until|till?|through|by|before|after|since|of|for|as|than|to|and|or|the"
                          r"|starting|at|is|was)\s$")


def _on(place: _Place, day: date) -> str:
    said = place.said
    if said.isascii():
        return day.isoformat() if _PREPOSITION.search(place.before) else f"on {day.isoformat()}"
    if place.before and (place.before[-1].isascii() and place.before[-1].isalnum()):
        return f" {day.isoformat()}"
    return day.isoformat()
