"""What a person asks not to be written down, in English, Chinese, Japanese and Korean, and how far that reaches.

A remark is off the record when its speaker says so, not when it is about records: "do not log request bodies", "don't save
this to disk" and "ログに記録しないで" are rules for code and worth keeping. So a verb of writing counts only with an object that
points at what is being said ("this", "that", nothing) and no place that is a program's; and "between us" only where nothing
else can be between us.

``extents`` answers with places in the text: the sentence that holds the mark; the one before it where the mark says no more
than "don't write that down"; what follows where it announces something ("off the record:").
"""

from __future__ import annotations

import re

from reverie.core.secret_rules import words

# A sentence of a message: it ends at a full stop before a blank, at one of the wide full stops, or at the line's end.
_SENTENCE = re.compile(r"(?:[^.!?。！？\n]|[.!?](?![\s\"')\]”’]|\Z))+[.!?。！？]*[\"')\]”’」』]*|[.!?。！？]+")
_WORD = re.compile(r"[A-Za-z0-9'’_-]+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")

_THIS = (
    r"(?:this|that|it|these|those|any of (?:this|that|it)|all (?:of )?(?:this|that)|what i(?:'m| am)? \w+(?: \w+)?"
    r"|a word of (?:this|it))"
)
_END = (
    r"(?=\s*(?:$|[.,:;!?)\]—–-]|(?:please|either|ok(?:ay)?|thanks|though|anywhere|at all|but|and|down|up)\b"
    r"|for (?:later|the record|me)\b))"
)
_NOTES = (
    r"(?:your|the|any|our|long[- ]term|persistent|permanent|project|session)?\s?(?:own\s)?"
    r"(?:memory|memories|notes?|notebook|records?|recollections?|memory files?|MEMORY\.md|CLAUDE\.md|AGENTS\.md|QWEN\.md)"
)
_NOT = (
    r"(?:do not|don['’]?t|never|no need to|you (?:need(?:n'?t| not)|don'?t (?:need|have) to|shouldn'?t|mustn'?t)|not to"
    r"|must not|should not|let'?s not)"
)
# "I don't remember that" is no request.
_ASKED = "".join(rf"(?<!\b{who} )" for who in ("i", "we", "they", "he", "she", "who", "users", "people", "still", "honestly"))
_MY_OWN = r"(?:between (?:us|you and me|the two of us|ourselves))"
_WRITES = r"(?:write|put|save|store|add|record|keep|log|note|commit|file|persist|include|mention)"

_ENGLISH = re.compile(
    "|".join(
    (
        r"\boff[- ]the[- ]record\b(?!['’]s)(?! (?:id|type|field|row|store|set|count|label|player)\b)",
        rf"\b(?:this|that|it) ?(?:is|'s)? (?:strictly |definitely )?not (?:to go |going )?(?:on|for|in) "
        rf"(?:the record|{_NOTES})\b",
        rf"{_ASKED}\b{_NOT}\s+(?:ever\s+)?(?:remember|memori[sz]e|retain)\s+{_THIS}\b{_END}",
        rf"\b{_NOT}\s+(?:ever\s+)?(?:remember|memori[sz]e)\s+(?:this|that|the following|what follows)\s*:",
        rf"{_ASKED}\b{_NOT}\s+(?:ever\s+)?(?:write|note|jot|take|put|mark)\s+{_THIS}\s+down\b",
        rf"\b{_NOT}\s+(?:take|make|keep)\s+(?:any\s+)?(?:a\s+)?(?:notes?|record|memor(?:y|ies))\s+(?:of|on|about|from)\s+"
        r"(?:this|that|it|what)\b",
        rf"\b{_NOT}\s+{_WRITES}\s+(?:[\w']+\s+){{0,4}}?(?:in|into|to|for|within)\s+"
        rf"(?:your|the|any|long[- ]term|persistent|permanent)\s{_NOTES}\b",
        rf"\b{_NOT}\s+(?:save|store|record|log|note|keep|persist|write|learn)\s+"
        r"(?:this|that|any of (?:this|that)|the following|what i(?:'m| am)? \w+)"
        r"(?:\s+(?:anywhere|please|for later|about me)){0,2}\s*(?:$|[.,:;!)—–])",
        r"\b(?:keep|leave)\s+(?:this|that|it|these|all (?:of )?this|all that)\s+(?:[\w']+\s+){0,3}?"
        rf"(?:out of|off|away from)\s+{_NOTES}\b",
        r"\b(?:keep|leave)\s+(?:this|that|it|all (?:of )?this)\s+(?:strictly\s+|just\s+)?"
        rf"(?:{_MY_OWN}|off the (?:record|books)|confidential|to yourself)\b",
        r"\b(?:this|that|it|what i (?:say|said))\s*(?:is|'s|stays|remains|must stay|has to stay|goes no further|should stay)?"
        rf"\s*(?:just\s|strictly\s|only\s)?{_MY_OWN}\b",
        rf"(?:^|[.!?]\s|,\s|\(|\bjust |\bstrictly |\bonly |\bso ){_MY_OWN}\s*(?:$|[,.:;!)—–-])",
        r"\bentre nous\b",
        r"\b(?:tell|telling|told|say|saying|said|share|sharing|mention|mentioning)\b[^.\n]{0,30}\bin (?:strict )?confidence\b",
        r"\b(?:strike|scratch) (?:this|that|it) from (?:the|your) (?:record|notes|memory)\b",
        r"\bfor your (?:eyes|ears) only\b",
        r"\byou (?:didn'?t|never|did not) hear (?:this|that|it)(?: from me)?\b",
        rf"\b(?:don'?t|do not) (?:quote|repeat) (?:me|this|that)\b(?! (?:the|step|for each|in the)\b){_END}",
        r"\b(?:this|that|it|none of (?:this|that)) (?:should|must|may|does|need|can)(?: not|n'?t| never)? ?(?:not )?(?:to )?"
        r"(?:be )?(?:remembered|memori[sz]ed|recorded|noted|written down|kept)\b"
        r"(?! (?:in|on|at|by|as|for) (?:the|a|an|each|every|s3|redis|disk)\b)",
        rf"\bwithout (?:remembering|saving|recording|noting|writing down|storing) (?:this|that|it)\b{_END}",
        r"\bnot for (?:your|the) (?:notes?|memory|memories|record)\b",
        r"\bforget (?:that )?i (?:ever )?(?:said|told you|mentioned) (?:this|that|it|anything)\b",
        r"(?:^|[.!?]\s)(?:private|confidential)(?:ly)?\s*(?::|—|–)\s",
        r"\bconfidentially\b",
    )
    ),
    re.I | re.M,
)
_CUT = r"(?=\s*(?:$|[，,。！!：:；;、）)啊哦哈吧了]))"
_CJK_NOTES = r"(?:记忆库?|笔记|备忘(?:录)?|memory|MEMORY\.md|CLAUDE\.md|AGENTS\.md)"
_CHINESE = re.compile(
    r"(?:别|不要|不用|不必|不需要|无需|请勿|勿|甭|千万别)(?:再)?(?:把(?:这|那|它|以上|以下|下面|刚才)[^，。！？\n]{0,8})?"
    rf"(?:记(?:下来?|住|着|进去)?|记录(?:下来)?|留(?:存|下)?记录|做(?:任何)?(?:笔记|记录)|写下来|备忘){_CUT}"
    r"|(?:别|不要|不用|不必|无需|请勿|勿|千万别)(?:把[^，。！？\n]{1,12})?(?:记|写|存|放|录|保存|加)(?:录)?(?:进|到|入|在)\s?"
    rf"(?:你的|任何|长期)?{_CJK_NOTES}"
    r"|(?:这|那|以上|以下|上面|下面|刚才)(?:个|条|句|段|件事|件|点|些)?(?:话|内容|事|对话|信息)?(?:就)?(?:别|不要|不用|不必|无需)"
    rf"(?:再)?(?:记|记录|保存|外传|往外说|说出去|告诉别人|写下来|记下来){_CUT}"
    r"|(?:别|不要|请勿)(?:外传|往外说|说出去|告诉(?:别人|任何人|其他人))|私下(?:里)?(?:说|讲|聊|跟你|和你|告诉)"
    r"|(?:只|就)(?:跟|和|对)你(?:一个人)?说|仅限你我|你知我知"
    r"|(?:就)?(?:咱|我)们?(?:俩|两个人)?(?:之间)?(?:私下)?(?:知道|说说)(?:就好|就行|即可|而已)|不(?:要|用)对外(?:说|讲|公开)"
    rf"|当我没说(?!过)|保密{_CUT}|悄悄(?:说|告诉|跟)|非公开(?:的)?(?:说|讲|：)|不做记录|不留记录"
)
_JAPANESE = re.compile(
    r"オフレコ|ここだけの(?:話|はなし)|(?:ここ|この場)限りの話|内緒(?:にして|で|の話|だ|です)|他言(?:無用|しない)|口外(?:しない|無用|は)"
    r"|(?:^|[、。\s「（(]|これは|それは|今のは|以下は|(?:この|その|今の|さっきの|次の|以下の)(?:話|件|こと|内容|発言|情報)(?:は|も|を)?)"
    r"\s?(?:絶対に?|どこにも)?(?:記録|記憶|保存|メモ)(?:には?|は|を)?(?:し|残さ|書か|取ら|とら)(?:ないで|なくて)"
    r"|(?:これ|それ|今の(?:話|は)?|以下)(?:は|を|も)[^。、\n]{0,8}(?:記録|記憶|保存|メモ)(?:し|に残さ|は?残さ)(?:ないで|なくて)"
    r"|覚え(?:なくて(?:も)?(?:いい|よい|良い|結構|大丈夫)|ないで(?:$|[ね、。くほだ])|る必要は(?:ない|ありません))"
    r"|(?:記録|メモ(?:リ)?|記憶)(?:に|には)(?:は)?(?:残さ|書か|入れ|加え)な(?:いで|くて)"
    r"|(?:この|その|今の|さっきの)(?:話|件|こと)は?忘れて(?:ください|くれ|ね|$|[、。])"
    r"|書き(?:留め|残さ|とめ)ないで|どこにも書かないで|聞かなかったことに"
    r"|メモ(?:らない|しない)で(?:$|[ね、。くほ])|公(?:に|言)しないで(?:$|[ね、。くほ])"
)
_KOREAN = re.compile(
    r"(?:기억|메모|암기)(?:은|는|을|를)?\s?(?:하지\s?(?:마|말|않아도)|안\s?해도|할\s?필요(?:는|가)?\s?없)"
    r"|(?:적어|써|기록해|남겨|받아\s?적)\s?(?:두|놓|어\s?두)?지\s?(?:마|말)"
    r"|(?:^|[.,!?]\s{0,3}|절대\s|제발\s)(?:기록|저장)하지\s?(?:마|말)(?:고|아|세요|라|줘)?(?=\s*(?:$|[.,!?]|주))"
    r"|기록에(?:는)?\s?남기지|오프\s?더\s?레코드|우리끼리(?:만)?\s?(?:얘기|하는|말|아는|이야기)"
    r"|여기서만\s?(?:하는|얘기|말)|비밀(?:인데|이에요|이야|입니다|로\s?해|이니까)|못\s?들은\s?(?:걸로|셈)"
    r"|(?:이\s?(?:얘기|말|건)|이건|방금\s?(?:한\s?)?(?:말|얘기))(?:은|는|을)?\s?(?:그냥\s?)?잊어\s?(?:주|줘|버려)"
    r"|(?:외부에|남에게|다른\s?(?:사람|데)[^.\n]{0,6})\s?(?:말하지|얘기하지|알리지)\s?(?:마|말)"
    r"|(?:메모리|기억|노트)에\s?(?:저장|기록|추가|넣)[^.\n]{0,4}지\s?(?:마|말)|비공개로\s?(?:말|얘기|부탁)"
    r"|(?:이건|이거|이\s?내용)(?:은|는)?\s?(?:절대\s?)?(?:저장|기록|메모)하지"
)
_ALL = (_ENGLISH, _CHINESE, _JAPANESE, _KOREAN)
# Whether a mark points at what was said before it, at what comes, or at everything.
_EVERYTHING = re.compile(
    r"\b(?:any|all|none) of (?:this|that)\b|\ball (?:this|that)\b|\beverything\b"
    r"|\bthis (?:whole )?(?:conversation|chat|message|session)\b"
    r"|(?:这|整)(?:个|段|些)?(?:对话|聊天|会话|消息)|以上(?:所有|全部)|(?:この|今の)(?:会話|チャット)|(?:이|전체)\s?대화",
    re.I,
)
_COMING = re.compile(r"[:：]\s*\S|[:：]\s*$|\bthe following\b|以下|下面|次の|다음", re.I)
_RESUMES = re.compile(
    r"(?:anyway|anyhow|back to|ok(?:ay)?,? (?:so|now|back)|now,|on the record|moving on|other than that|that aside"
    r"|apart from that"
    r"|回到|言归正传|好了|话说回来|さて|ところで|本題|それはさておき|아무튼|그건 그렇고|본론)\b",
    re.I,
)
_LONGEST = 100_000                      # characters of a message that are looked at; what a person types is far shorter


def extents(text: str) -> list[tuple[int, int]]:
    """Which parts of a message are off the record: places in the text, in order, without overlaps."""
    head = text[:_LONGEST]
    if not any(pattern.search(head) for pattern in _ALL):
        return []
    sentences = [match.span() for match in _SENTENCE.finditer(head)]
    taken = [False] * len(sentences)
    for index, (start, end) in enumerate(sentences):
        mark = _mark(head[start:end])
        if mark is not None:
            for reached in _reach(head, sentences, index, mark):
                taken[reached] = True
    out: list[tuple[int, int]] = []
    for (start, end), gone in zip(sentences, taken, strict=True):
        if gone and out and not head[out[-1][1]:start].strip():
            out[-1] = (out[-1][0], end)
        elif gone:
            out.append((start, end))
    return out


def is_off_record(text: str) -> bool:
    """Whether a sentence or a message holds a mark of discretion."""
    return any(pattern.search(text[:_LONGEST]) for pattern in _ALL)


def only_marks(text: str) -> bool:
    """Whether a text says no more than that something is off the record: what it means was said elsewhere."""
    return is_off_record(text) and all(_beside(match[0]) < 2 for match in _SENTENCE.finditer(text[:_LONGEST]))


def _mark(sentence: str) -> re.Match[str] | None:
    for pattern in _ALL:
        match = pattern.search(sentence)
        if match:
            return match
    return None


def _beside(sentence: str) -> int:
    """How many words a sentence has beside its mark, small words and courtesies aside; three characters of Chinese,
    Japanese or Korean count as one."""
    for pattern in _ALL:
        sentence = pattern.sub(" ", sentence)
    latin = sum(word.lower() not in _EMPTY for word in _WORD.findall(sentence))
    return latin + len(_CJK.findall(sentence)) // 3


_EMPTY = words(
    """
    please thanks thank you oh and but so ok okay btw also just really a an the is it this that these those one bit part
    of in for to your my me us our own i'd like if can could would be way by ah hey well yes no last thing now
    """
)


def _reach(text: str, sentences: list[tuple[int, int]], index: int, mark: re.Match[str]) -> list[int]:
    """The sentences that a mark in one of them covers."""
    sentence = text[slice(*sentences[index])]
    if _EVERYTHING.search(sentence):
        return list(range(len(sentences)))
    reached = [index]
    announces = _COMING.search(sentence, max(0, mark.end() - 1)) is not None and mark.start() < 40
    if announces:
        following = index + 1
        while following < len(sentences) and _same_paragraph(text, sentences[following - 1], sentences[following]):
            if _RESUMES.match(text[slice(*sentences[following])].strip()):
                break
            reached.append(following)
            following += 1
        return reached
    if _beside(sentence) < 2:                            # it says nothing itself: its neighbour is meant
        if index:
            reached.append(index - 1)
        elif len(sentences) > 1:
            reached.append(1)
    return reached


def _same_paragraph(text: str, one: tuple[int, int], other: tuple[int, int]) -> bool:
    return text[one[1]:other[0]].count("\n") < 2
