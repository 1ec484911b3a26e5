"""How four languages write dates: expressions, and the small words around them that say "from", "until", "every".

Each expression is a pattern with named groups; the groups say what was written (``y`` year, ``m`` month, ``d`` day,
``wd`` weekday, ``mod`` next/last/this, ``n`` and ``unit`` for distances) and ``dates`` works out which day that is.
Patterns are linear: no quantifier stands over a group that matches one text in two ways; repetitions are bounded.
"""

from __future__ import annotations

import re

_I = re.IGNORECASE

# --- words ---------------------------------------------------------------------------------------------------

_EN_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
              "november", "december")
MONTHS: dict[str, int] = {name: i for i, name in enumerate(_EN_MONTHS, 1)}
MONTHS |= {name[:3]: i for i, name in enumerate(_EN_MONTHS, 1)} | {"sept": 9}
_EN_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
WEEKDAYS: dict[str, int] = {name: i for i, name in enumerate(_EN_DAYS)}
WEEKDAYS |= {"mon": 0, "tue": 1, "tues": 1, "wed": 2, "thu": 3, "thur": 3, "thurs": 3, "fri": 4}
WEEKDAYS |= {c: i for i, c in enumerate("一二三四五六日")} | {"天": 6, "末": 5}
WEEKDAYS |= {c: i for i, c in enumerate("月火水木金土日")} | {c: i for i, c in enumerate("월화수목금토일")}
_EN_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
NUMBERS: dict[str, int] = {w: i for i, w in enumerate(_EN_NUMBERS, 1)}
NUMBERS |= {"a": 1, "an": 1, "a couple of": 2}
NUMBERS |= {"한": 1, "두": 2, "세": 3, "네": 4, "다섯": 5, "여섯": 6}
_HAN_DIGITS = {c: i for i, c in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2, "兩": 2}


def number(written: str) -> int:
    """The value of a small number as it is written: ``12``, ``１２``, ``十二``, ``two``, ``두``; -1 when it is none."""
    written = " ".join(written.lower().split())
    if written.isdecimal():
        return int(written)
    if written in NUMBERS:
        return NUMBERS[written]
    total, digit = 0, -1
    for char in written:
        if char in "十廿卅":
            total += (max(digit, 1) if digit >= 0 else 1) * 10 if char == "十" else {"廿": 20, "卅": 30}[char]
            digit = -1
        elif char in _HAN_DIGITS:
            digit = _HAN_DIGITS[char] if digit < 0 else digit * 10 + _HAN_DIGITS[char]
        else:
            return -1
    return total + max(digit, 0)


_MON = (r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
        r"|nov(?:ember)?|dec(?:ember)?)")
_DAY = r"(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
_ABBR = r"(?:Mon|Tues?|Wed|Thu(?:rs?)?|Fri)"
_COUNT = r"(?P<n>\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|a\scouple\sof)"
_UNIT = r"(?P<unit>day|week|month|year)s?"
_YEAR = r"(?:,?\s(?P<y>20\d\d)\b)?"
_PREPOSITION = r"in|since|from|until|till|through|by|before|after"

# Numbers, months and days as Chinese and Japanese write them; a year before a month; a weekday in brackets after a day.
_N = r"(?:\d{1,3}|[一二两兩三四五六七八九十廿]{1,3})"
_M = r"(?:1[0-2]|0?[1-9]|１[０-２]|[１-９]|十[一二]?|[一二三四五六七八九])"
_D = (r"(?:3[01]|[12]\d|0?[1-9]|三十一?|二?十[一二三四五六七八九]?|廿[一二三四五六七八九]?"
      r"|[一二三四五六七八九])")
# The dot of "7 Jan. at noon"; a month in full has none, and before a capital or at the end it is the sentence's.
_DOT = r"(?:(?:(?<=\b\w{3})|(?<=\bsept))\.(?=\s?[a-z\d,]))?"
_HAN_YEAR = r"(?:(?P<y>20\d\d)\s?年\s?|(?P<ymod>今年|明年|去年|来年|昨年|本年)の?)?"
_IN_BRACKETS = r"(?:\s?[(（](?P<wd>[月火水木金土日一二三四五六])曜?日?[)）])?"
_ZH_WEEK = r"(?:周|星期|礼拜|週|禮拜)"
_ZH_STEP = r"(?P<mod>下下|上上|下|上|这|本)"
_JA_UNIT = r"(?P<unit>日|週間|[かヶケカヵ]月|年)"
_JA_DAY = r"[月火水木金土日]曜日?"

_KO_DAY = r"[월화수목금토일]요일"
_KO_YEAR = r"(?:(?P<y>20\d\d)년\s?|(?P<ymod>올해|내년|작년|지난해|금년)\s?)?"
_KO_UNIT = r"(?P<n>\d{1,3}|한|두|세|네)\s?(?P<unit>일|주|개월|달|년)"
_KO_END = r"(?=\s|[,.은도까부의에로이]|$)"     # where a Korean noun ends: a particle or a blank follows


def _table(*rows: tuple[str, str], flags: int = 0) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((kind, re.compile(pattern, flags)) for kind, pattern in rows)


# --- expressions: kind and pattern; of those that begin at one place the longest wins, then the earlier row -----------

_ANY = _table(
    ("iso", r"(?<![\d./-])(?P<y>20\d\d)(?:-(?P<m>\d\d)-(?P<d>\d\d)|/(?P<m2>\d{1,2})/(?P<d2>\d{1,2}))(?![\d/-])"),
)
_ENGLISH = _table(
    ("day_month", rf"\b(?:(?P<wd>{_DAY})(?:,|\s+the)?\s+)?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?:\s+of)?"
                  rf"\s(?P<m>{_MON})\b{_DOT}{_YEAR}"),
    ("month_day", rf"\b(?:(?P<wd>{_DAY}),?\s+)?(?P<m>{_MON})\.?\s(?:the\s)?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?"
                  rf"(?![\d%]|[:.,]\d|\s(?:am|pm|%))\b{_YEAR}"),
    ("month", rf"\b(?P<prep>{_PREPOSITION}|of|next|last|this|early|mid|late|for|starting|beginning)[\s-]+"
              rf"(?P<m>{_MON})\b(?!\.?\s\d){_YEAR}"),
    ("weekday", rf"\b(?:(?P<mod>next|last|past|this(?:\scoming)?|coming)\s)?"
                rf"(?:(?P<wd>{_DAY})|(?P<wa>(?-i:{_ABBR})))\b(?!['’]s\b|s\b|-)"),
    ("today", r"\b(?:today|tonight|this\s(?:morning|afternoon|evening))\b(?!['’]s)"),
    ("tomorrow", r"\btomorrow(?:\s(?:morning|afternoon|evening|night))?\b(?!['’]s)"),
    ("yesterday", r"\b(?:yesterday(?:\s(?:morning|afternoon|evening))?|last\snight)\b(?!['’]s)"),
    ("overmorrow", r"\b(?:the\s)?day\safter\stomorrow\b"),
    ("ereyesterday", r"\b(?:the\s)?day\sbefore\syesterday\b"),
    ("ahead", rf"\b(?P<rel>in|within|over\sthe\snext|for\sthe\snext)\s{_COUNT}\s{_UNIT}(?:['’]\stime)?\b"),
    ("ago", rf"\b{_COUNT}\s{_UNIT}\sago\b"),
    ("period", r"\b(?P<mod>next|last|this)\s(?P<unit>week|month|quarter|year)\b(?!['’]s)"),
    ("end", r"\b(?:the\s)?(?:end|close)\sof\s(?:(?P<mod>the|this|next|last)\s)?(?P<unit>week|month|quarter|year)\b"),
    ("end_month", rf"\b(?:the\s)?(?:end|close)\sof\s(?P<m>{_MON})\b{_YEAR}"),
    ("end_quarter", rf"\b(?:the\s)?(?:end|close)\sof\sq(?P<q>[1-4])\b{_YEAR}"),
    ("end_year", r"\b(?:the\s)?(?:end|close)\sof\s(?P<y>20\d\d)\b"),
    ("quarter", rf"\b(?P<prep>{_PREPOSITION})\s(?:the\s)?q(?P<q>[1-4])\b{_YEAR}"),
    flags=_I | re.ASCII,      # "月末tomorrow": a word of another script ends where a Latin one begins
)
# Chinese and Japanese share most of their calendar; what only one of them writes stands with its own words.
_HAN = _table(
    ("han_date", rf"{_HAN_YEAR}(?<![\d每毎第])(?P<m>{_M})\s?月\s?(?P<d>{_D})\s?[日号號](?!间|間|内|本|志)"
                 rf"{_IN_BRACKETS}"),
    ("han_month", rf"{_HAN_YEAR}(?<![\d每毎第各个])(?P<m>{_M})\s?月(?P<end>底|末)?(?:份|中旬|上旬|下旬|初)?"
                  rf"(?!\s?\d|{_D}\s?[日号號]|间|間|曜|一次|次|度|報|报|额|活)"),
    ("han_day", r"(?P<mmod>下个?月|本月|这个月|今月|来月|再来月|先月|上个?月)の?\s?(?P<d>\d{1,2})\s?[日号號](?!间|間)"),
    ("today", r"今天|今晚|今早|今日|本日|今晩|今夜"),
    ("tomorrow", r"(?:明天|明晚|明早|明日|あした)(?:上午|下午|早上|晚上|の?(?:午前|午後|朝|夜)(?!中))?"),
    ("yesterday", r"昨天|昨晚|昨日|昨夜|きのう"),
    ("overmorrow", r"(?<!大)后天(?!性)|明後日|あさって"),
    ("ereyesterday", r"(?<!大)前天|一昨日|おととい"),
    ("weekday", rf"{_ZH_STEP}?个?(?<![一二两三四五六七八九十几每毎隔双单首末第\d个]){_ZH_WEEK}"
                r"(?P<wd>[一二三四五六日天])(?![次遍轮版岁年期个种条])"),
    ("weekday", rf"{_ZH_STEP}个?{_ZH_WEEK}(?P<wd>末)"),
    ("weekday", r"(?:(?P<mod>先々週|先週|今週|来週|再来週|次|今度|前)の?)?\s?(?<![毎第\d])"
                r"(?P<wd>[月火水木金土日])曜日?"),
    ("weekday", r"(?P<mod>先週|今週|来週)の?(?P<wd>末)"),
    ("period", rf"{_ZH_STEP}个?(?P<unit>周|星期|礼拜|月|季度)(?![一二三四五六日天末底份报会期\d])"),
    ("period", r"(?P<mod>今|明|去|后)(?P<unit>年)(?![度底末内\d])(?!の?(?:1[0-2]|[1-9])\s?月)"),
    ("period", r"(?P<mod>先々|先|今|来|再来)(?P<unit>週|月|四半期)(?!の?\s?[月火水木金土日]曜|末|号|の?\d)"),
    ("period", r"(?P<mod>来|昨|再来|本)(?P<unit>年)(?!度|末|内|\d)"),
    ("end", r"(?<![每毎各一两个\d])(?:(?P<mod>这个|本|下个?|上个?|今|来|先)の?)?(?P<unit>月)[底末]"),
    ("end", r"(?<![每毎各\d])(?P<mod>今|明|去|来|昨)?の?(?P<unit>年)(?:[底末](?!年始)|内(?=に|まで|[，。,.、]|上|完))"),
    ("end", r"(?<![每毎各])(?P<mod>本|这个|下个?|今|来)?の?(?P<unit>季度|季|四半期)[末底]"),
    ("ahead", rf"(?:^|(?<=[，。；、,;\s将会要就再过计预])|(?<=预计)|(?<=计划))(?P<n>{_N})\s?(?:个|個)?"
              r"(?P<unit>天|日|周|星期|礼拜|月|年)(?P<rel>之?后|以后)(?![端台])"),
    ("ahead", rf"(?:^|(?<=[、。\s]))(?P<n>{_N})\s?{_JA_UNIT}(?P<rel>後)"),
    ("ago", rf"(?P<n>{_N})\s?(?:个|個)?(?P<unit>天|周|星期|礼拜|月|年)(?:之前|以前|前)(?!端)"),
    ("ago", rf"(?P<n>{_N})\s?{_JA_UNIT}(?:ほど|くらい)?前(?!後|半|倒)"),
    ("slash_date", r"(?<![\d/.])(?P<m>1[0-2]|0?[1-9])/(?P<d>3[01]|[12]\d|0?[1-9])(?![\d/.])"
                   r"(?:\s?[(（](?P<wd>[月火水木金土日])[)）])?"
                   r"(?=\s?(?:から|まで|に(?!分)|以降|より|[(（][月火水木金土日][)）]|부터|까지|에\s))"),
)
_KOREAN = _table(
    ("han_date", rf"{_KO_YEAR}(?<!\d)(?P<m>1[0-2]|0?[1-9])월\s?(?P<d>3[01]|[12]\d|0?[1-9])일(?!간|\s?동안|치)"
                 rf"(?:\s?[(（](?P<wd>[월화수목금토일])(?:요일)?[)）]|\s(?P<wk>{_KO_DAY}))?"),
    ("han_month", rf"{_KO_YEAR}(?<!\d)(?P<m>1[0-2]|0?[1-9])월(?!\s?\d{{1,2}}일|간)"
                  rf"(?:\s?(?P<end>말){_KO_END}|\s?초{_KO_END}|\s?중순)?"),
    ("han_day", r"(?P<mmod>다음\s?달|이번\s?달|이달|지난\s?달)\s?(?P<d>\d{1,2})일(?!간|\s?동안)"),
    ("today", rf"오늘{_KO_END}"),
    ("tomorrow", rf"내일{_KO_END}"),
    ("yesterday", r"어제|어젯밤"),
    ("overmorrow", rf"모레{_KO_END}"),
    ("ereyesterday", r"그저께|그제(?=\s|는|부)"),
    ("weekday", r"(?:(?P<mod>지지난\s?주|지난\s?주|저번\s?주|이번\s?주|금주"
                r"|다음\s?주|차주|다다음\s?주|지난|다음|오는|이번)\s?)?"
                r"(?P<wd>[월화수목금토일])요일(?!마다)"),
    ("weekday", r"(?P<mod>지난|이번|다음)\s?주(?P<wd>말)"),
    ("period", r"(?P<mod>지지난|지난|저번|이번|다다음|다음)\s?(?P<unit>주|달|분기)"
               r"(?!\s?[월화수목금토일]요일|말|\s말|\s?\d|마|제|기|요)"),
    ("period", r"(?P<word>올해|금년|내년|작년|지난해|내후년)(?!\s?\d{1,2}월|\s?말)"),
    ("end", rf"(?<![매월])(?:(?P<mod>이번\s?|이|다음\s?|지난\s?)(?:달\s?)|(?P<ym>올해\s|내년\s|작년\s)|)"
            rf"(?P<unit>월말|연말|분기\s?말|말){_KO_END}"),
    ("ahead", rf"(?:^|(?<=[,.\s])){_KO_UNIT}\s?(?P<rel>후|뒤){_KO_END}"),
    ("ago", rf"(?<!\d){_KO_UNIT}\s?전{_KO_END}"),
)
EXPRESSIONS = _ANY + _ENGLISH + _HAN + _KOREAN

# --- what happens again and again is not a date --------------------------------------------------------------

_EN_UNIT = rf"(?:{_DAY}|{_MON}|day|week|month|quarter|year|morning|evening|night|sprint)"
RECURRING: tuple[re.Pattern[str], ...] = tuple(re.compile(p, _I) for p in (
    rf"\b(?:every|each|any|per|alternate)\s(?:(?:other|second|third|single|\d{{1,2}}(?:st|nd|rd|"
    rf"th)?)\s)?{_EN_UNIT}s?(?:(?:,|\s?&|,?\sand|,?\sor)\s{_DAY}s?){{0,6}}\b",
    rf"\b{_DAY}s(?:(?:,|,?\sand|,?\sor)\s{_DAY}s?){{0,6}}\b",
    rf"\b{_DAY}\s(?:and|or|to|through)\s{_DAY}s\b",
    rf"\b{_DAY}\s?(?:to|through|thru|-|–)\s?{_DAY}\b",
    rf"\b(?:first|second|third|fourth|1st|2nd|3rd|4th|last)\s{_DAY}\s(?:of|in)\s(?:the|each|every|a)\s\w+",
    rf"\b(?:first|second|third|fourth|1st|2nd|3rd|4th)\s{_DAY}\b",
    rf"\b(?:on\s)?(?:a|weekly|biweekly|bi-weekly|the\susual)\s{_DAY}\b",
    r"\b(?:end|close|beginning|start|middle)\sof\s(?:a|each|every|any)\s\w+",
    r"\b(?:the\s)?\d{1,2}(?:st|nd|rd|th)\sof\s(?:the|each|every)\smonth\b",
    rf"\b{_DAY}\s(?:of\s)?(?:each|every)\s\w+",
    r"[每逢](?:隔|个|個)?(?:两|二|三|\d)?(?:周|星期|礼拜|週)[一二三四五六日天末]?(?:(?:[、，,和与及或]|"
    r"以及)\s?(?:周|星期|礼拜)?[一二三四五六日天](?![个次条种])){0,6}",
    rf"每(?:隔|个)?(?:两|三|\d)?(?:个)?(?:月|季度|年|天|日)(?:的|里)?(?:最后一天|第[一二三四五]个?(?:周|"
    rf"星期)[一二三四五六日天]|{_M}\s?月\s?{_D}\s?[日号]|{_D}\s?[日号号]|[底末初])?",
    r"(?:隔|双|单)(?:周|星期)的?(?:周|星期)?[一二三四五六日天]?",
    r"第[一二三四五1-5](?:个)?(?:周|星期|礼拜)[一二三四五六日天]",
    r"(?:周|星期|礼拜)[一二三四五六](?:到|至|-|~|～)(?:周|星期|礼拜)?[一二三四五六日天]",
    rf"(?:毎週|隔週)(?:の)?\s?(?:{_JA_DAY}(?:(?:と|、|・|および)\s?{_JA_DAY}){{0,6}})?",
    rf"毎(?:月|年|期|日|朝|晩)(?:の)?\s?(?:{_M}\s?月\s?{_D}\s?日|{_D}\s?日|末日?|(?:最終|"
    rf"第[一二三四五1-5])\s?{_JA_DAY})?",
    rf"第\s?[一二三四五1-5](?:(?:と|、|・)\s?第?[一二三四五1-5])?\s?{_JA_DAY}",
    rf"最終\s?{_JA_DAY}",
    rf"{_JA_DAY}(?:から|〜|～|-){_JA_DAY}",
    r"各(?:月|週|四半期)末?",
    rf"(?:매주|격주로?|매\s주)\s?(?:{_KO_DAY}(?:(?:과|와|,|하고|이랑|·)\s?{_KO_DAY}){{0,6}})?",
    rf"매(?:월|달|년|일|분기|해)\s?(?:(?:마지막|첫째|첫\s?번째|둘째|두\s?번째|셋째|넷째)\s?(?:주\s?)?(?:{_KO_DAY})?|"
    rf"\d{{1,2}}월\s?\d{{1,2}}일|\d{{1,2}}일|말일?)?",
    rf"(?:마지막|첫째|첫\s?번째|첫|둘째|두\s?번째|셋째|세\s?번째|넷째)\s?(?:주\s?)?{_KO_DAY}",
    rf"{_KO_DAY}마다",
    rf"{_KO_DAY}(?:부터|에서|~)\s?{_KO_DAY}",
))

# A weekday without "next" or "this" in such company is a habit, not a day.
HABIT = re.compile(
    r"\b(?:always|never|usually|typically|normally|generally|weekly|whenever|no|not|don['’]t|avoid|nobody|only)\b"
    r"|都|一律|从不|从来|通常|一般|总是|不|别|禁止|只|每|固定|如果"
    r"|いつも|必ず|毎|基本|原則|禁止|ません|ない|だけ|のみ|限定|もし"
    r"|항상|언제나|절대|보통|대개|마다|만\s|금지|않|안\s|매",
    _I,
)

# --- small words around a date -------------------------------------------------------------------------------
# (relation, pattern); before: the text that ends where the date begins; after: the text that begins where it ends.

BEFORE: tuple[tuple[str, re.Pattern[str]], ...] = tuple((relation, re.compile(p, _I)) for relation, p in (
    ("from", r"\b(?:not\s(?:until|before)|no\searlier\sthan)\s(?:the\s)?$"),
    ("until", r"\b(?:until|till?|through|thru|up\s(?:to|until)|valid\sto|lasts?\sto|frozen\sto)"
              r"\s(?:the\s|at\sleast\s|and\sincluding\s|after\s)?$"),
    ("by", r"\b(?:by|before|no\slater\sthan|ahead\sof|due(?:\son|\sby)?|deadline(?:\sis|\son|:)?(?:\son)?)"
           r"\s(?:the\s)?$"),
    ("since", r"\b(?:since|ever\ssince)\s(?:the\s)?$"),
    ("from", r"\b(?:from|starting(?:\son|\sfrom|\sin)?|beginning(?:\son|\sin)?|as\sof|effective(?:\sfrom|\son)?"
             r"|after|once\sit['’]s)\s(?:the\s)?$"),
    ("by", r"(?:截至|截止到?|截止日期?是?|不晚于|最晚|最迟|赶在)\s?$"),
    ("until", r"(?:直到|一直到|持续到|保留到|延续到|有效期?[到至]|到|至)\s?$"),
    ("from", r"(?:从|自|由|打)\s?$"),
))
AFTER: tuple[tuple[str, re.Pattern[str]], ...] = tuple((relation, re.compile(p)) for relation, p in (
    ("until", r"\s?(?:为止|まで(?!に)|時点まで|中まで)"),
    ("by", r"\s?(?:までに|之前|以前|前(?!后|端|台|後)|截止|が?締め?切り?|締め|が?期限|〆切"
           r"|전까지|전에|이전|이?\s?마감)"),
    ("since", r"\s?(?:以来|이래)"),
    ("from", r"\s?(?:起|开始|之后|以后|后(?!端|台)|から|より|以降|付けで|以後|スタート"
             r"|부터|이후|후부터|자로)"),
    ("until", r"\s?까지"),
))
RANGE = re.compile(r"(?i)\bfrom\b[^.;\n]{3,40}\b(?:to|-|–)\s(?:the\s)?$|(?:から|부터|起)\s?[~〜～-]?\s?$")
MOVED_TO = re.compile(r"(?i)\bto\s(?:the\s)?$|(?:推迟|延期|延后|提前|改|挪|调整|移|顺延|延|推|拖|定|安排|变更|变|"
                      r"换)(?:到|至|成|为|在)\s?$")
# Korean says "until" and "by" with one word; what lasts until then tells them apart.
KO_LASTING = re.compile(r"유지|보관|동결|프리즈|금지|사용|지원|남|계속|허용|막|중단|보류|운영|유효|두고|않|마세요|말")
GOING_ON = re.compile(r"\b(?:has|have|been|ever\ssince)\b|一直|至今|到现在|以来|ています|ている|てきま?した|運用中|"
                      r"고\s있|왔습니다|왔어|왔다|중입니다", _I)

# "is Friday now", "was moved to Friday": behind a date, told in the past, and still to come.
CHANGED_TO = re.compile(r"\s?(?:に|へ)(?:変わ|変更|なり|なった|移|ずれ|延|前倒|決ま)"
                        r"|\s?(?:으로|로)\s?(?:바뀌|바뀜|바꿨|변경|옮|밀렸|늦|당겨|정해|정했)")

# --- tense ---------------------------------------------------------------------------------------------------

# Korean marks the past with a final ㅆ: 했, 됐, 었. Hangul syllables lie in blocks of 28, one for each final.
_SS_FINAL = "".join(c for c in map(chr, range(0xAC00 + 20, 0xD7A4, 28)) if c not in "있겠")
PRESENT_PASSIVE = re.compile(r"\b(?:is|are|be|being|gets?|will)\s(?:\w{1,12}\s)?\w{2,20}ed\b", _I)
PAST = re.compile(
    r"\b(?:was|were|had|did|broke|went|lost|came|took|made|got|said|sent|ran|saw|found|left|began|\w{2,20}[^e\W]ed)\b"
    r"|了(?!解)|过(?![程期滤来渡于])|定的|当时|上次|曾|已经|时候"
    r"|(?:し|っ|い|れ|き|け|め|え|せ|べ|ち|り|で)た(?![いらがめび])|んだ(?!ら)"
    rf"|[{_SS_FINAL}]",
    _I,
)
FUTURE = re.compile(
    r"\b(?:will|shall|going\sto|plan(?:ned|s)?|due|deadline|scheduled|gets?|must|target)\b|['’]ll\b"
    r"|将|会(?!议|话|员)|要(?!求)|计划|预计|准备|打算|截止"
    r"|予定|ます(?!ので)|つもり|예정|계획|겠|[할될갈올릴]\s",
    _I,
)
