"""One tokenizer for everything: what recall searches by and what merging compares.

``pieces`` cuts a text into the things one could look for: English words as light stems, identifiers whole and in parts
(snake, camel, kebab, paths, flags, versions, error codes), pairs of Chinese, Japanese and Korean characters, and the
*meanings* (``reverie.core.vocabulary``) that a word or phrase stands for in any of four languages. ``tokens`` is the
plain list of terms of the same pieces; a meaning's term starts with ``=``, which no other term does.

Everything is linear in the length of the text, and no dictionary is needed. This is on the path a user waits for:
standard library only, the vocabulary is read on first use.
"""

from __future__ import annotations

import re
import unicodedata

from reverie.core.lexicon import SENSES
from reverie.core.vocabulary import KNOWN, MEANINGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

ANALYSIS = 1                    # a new number where the same text gives other terms: indexes are then built again
MEANING = "="                   # first character of a meaning's term
LONGEST_TERM = 80               # characters; longer runs are data, not names
LONGEST_TEXT = 200_000          # characters looked at; a memory is never that long, a pasted log may be


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Function words and the chatter around a request: they say nothing about its subject.
STOP = _set("""
a about above after again all also am an and any anybody anyone anything are aren't as at be because been before
being below between both but by can can't cannot could couldn't did didn't do does doesn't doing don't down
during each either else ever every few for from further get gets getting got had hadn't has hasn't have haven't
having he hello her here hers hey hi him his how however i i'd i'll i'm i've if in into is isn't it it's its
itself just let let's like ll may me might mine more most mustn't my myself neither no nor not now of off ok
okay on once only or other otherwise ought our ours out over own per please quite rather re s same shall she
should shouldn't since so some somebody someone something such t than thank thanks that that's the their theirs
them then there these they they're this those though through thus to too under until up upon us ve very was
wasn't we we're were weren't what what's whatever when where whether which while who whom whose why will with
within without won't would wouldn't yes yet you your yours yourself
""")

# Words that any request to a coding agent may hold: they count, but little.
WEAK = _set("""
able actually add already always another ask away back bad begin best better big bit bring call case change
check come create current different done easy end enough ever explain fact far find fine first follow full give
go going good great happen hard help idea instead keep kind know last later least left less line little long
look lot make many matter mean mention mind much must need never new next nice note number old one open part
place point possible pretty put question quick really right run same said say second see seem send set short show
simple small sort start still stop stuff sure take talk tell thing told think three time today together tomorrow tool
total try turn two use useful usual want way week well whole wonder word work write wrong year yesterday
""")

# Chinese: characters that end a word on both sides, and pairs that are grammar. Beside kana, fewer hold.
_CHINESE_CUTS = frozenset("的了吗呢吧啊嘛把被给们这那你您她他它我就也很还请帮是和与或")
_SHARED_CUTS = frozenset("吗呢吧啊嘛们这那你您她它请帮")
_CHINESE_STOP = _set("""
一下 怎么 什么 哪里 哪儿 为何 可以 需要 应该 现在 今天 昨天 明天 已经 然后 所以 因为 如果 但是 时候 一个 一些
有没 没有 是否 如何 能不 不能 不是 还是 而且 以及 或者 其实 就是 都是 这样 那样 时间 之前 之后 以后 以前 里面
上面 下面 东西 事情 问题 看看 看一 想要 想把 能否 今晚 昨晚
""")
# Japanese: words written in hiragana that carry grammar; longest first in the alternation.
_HIRAGANA_STOP = _set("""
ください ましょう でしょう しました します している してある しておいて しておく してください ております いただけ
について によって における のために ところ ことが ことを こと もの ため から まで より だけ ほど など ので のに けど
けれど しかし そして また これ それ あれ この その あの ここ そこ どの どう どれ いつも です ます でした ました ません
ない なく ある いる する した して され れる られ せる たい よう ながら は が を に へ と で の も や か ね よ な
""")
# Korean: particles and endings at the end of a word.
_KOREAN_TAIL = (
    "(?:입니다|습니다|합니다|됩니다|하세요|해주세요|주세요|해줘|해요|해야|한다|했다|하는|하고|해서|하지|되는|된|해|에서|에게|으로|"
    "까지|부터|처럼|보다|마다|이나|인가요|나요|을|를|이|가|은|는|의|에|로|와|과|도|만)$")
_KOREAN_STOP = _set("""
그리고 하지만 그런데 이거 저거 그거 이것 저것 그것 어떻게 무엇 무슨 어느 정말 지금 오늘 내일 어제 다시 조금 모두
그냥 저는 우리
주세요 주시고 바랍니다
""")

_HAN = "\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA = "\u3040-\u30ff\u31f0-\u31ff"
_HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
CJK = _HAN + _KANA + _HANGUL
_CHUNK = re.compile(r"\S+")
_RUN = re.compile(r"[\w.\-/:@+#'’]+")
_PLAIN = re.compile(r"[a-z]+|[A-Z][a-z]+|[A-Z]+")
_NAMES = re.compile(r"[^\W_]+")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\dA-Za-z_]+|\d+")
_EDGES = ".-/:@+#'’_"
_SHARP = {"c++": "cpp", "c#": "csharp", "f#": "fsharp", ".net": "dotnet"}


class Piece:
    """One thing to look for: the words as written, the kind, the term ("" for a phrase) and what it may mean.

    Kinds: ``word``; ``code`` (an identifier, path, flag, version, whole); ``part`` of one; ``number``; ``pair`` of CJK
    characters; ``single`` CJK character standing alone; ``phrase`` (only meanings).
    """

    __slots__ = ("kind", "meanings", "surface", "term")

    def __init__(self, surface: str, kind: str, term: str, meanings: tuple[str, ...] = ()) -> None:
        self.surface = surface
        self.kind = kind
        self.term = term
        self.meanings = meanings

    def __repr__(self) -> str:
        return f"Piece({self.surface!r}, {self.kind!r}, {self.term!r}, {self.meanings!r})"


def fold(text: str) -> str:
    """One form for comparing: NFKC, lower case, blanks collapsed."""
    return " ".join(unicodedata.normalize("NFKC", text[:LONGEST_TEXT]).lower().split())


def tokens(text: str) -> list[str]:
    """The terms of a text in order, meanings included, repeated as often as they occur."""
    found = []
    for piece in pieces(text):
        if piece.term:
            found.append(piece.term)
        for meaning in piece.meanings:
            found.append(MEANING + meaning)
    return found


def pieces(text: str) -> list[Piece]:
    """Cut a text into what one could look for, stop words left out."""
    text = unicodedata.normalize("NFKC", text[:LONGEST_TEXT])
    found: list[Piece] = []
    stems: list[tuple[str, str]] = []   # all English words with their stems, stop words too: phrases are made of them
    if text.isascii():
        for match in _CHUNK.finditer(text):
            found.extend(_western(match.group(), stems))
    else:
        scripts = _scripts()
        japanese = scripts.kana.search(text) is not None
        for match in scripts.chunk.finditer(text):
            chunk = match.group()
            found.extend(_cjk(chunk, japanese) if scripts.run.match(chunk) else _western(chunk, stems))
    found.extend(_phrases(stems))
    return found


# ---------------------------------------------------------------- western scripts

def _western(chunk: str, stems: list[tuple[str, str]]) -> Iterator[Piece]:
    for match in _RUN.finditer(chunk):
        run = match.group()
        sharp = _SHARP.get(run.lower())
        if sharp:
            yield Piece(run, "code", sharp)
            continue
        run = run.strip(_EDGES)
        if run.endswith(("'s", "’s")):
            run = run[:-2]
        if _PLAIN.fullmatch(run):
            yield from _word(run, "word", stems)
        elif run:
            yield from _identifier(run, stems)


def _word(word: str, kind: str, stems: list[tuple[str, str]]) -> Iterator[Piece]:
    low = word.lower()
    if len(low) > LONGEST_TERM:
        return
    root = stem(low)
    stems.append((word, root))
    if low in STOP or (len(low) < 2 and not low.isdigit()):
        return
    yield Piece(word, kind, root, _vocabulary().words.get(root, ()))


def _identifier(run: str, stems: list[tuple[str, str]]) -> Iterator[Piece]:
    """A name that is more than a plain word: whole, and its parts."""
    if "'" in run or "’" in run:
        if run.lower().replace("’", "'") in STOP:
            stems.append((run, run.lower()))
            return
        for half in re.split("['’]", run):
            if half:
                yield from _word(half, "word", stems) if _PLAIN.fullmatch(half) else _identifier(half, stems)
        return
    parts = [part for name in _NAMES.findall(run[:4 * LONGEST_TERM]) for part in _split(name)]
    if len(run) <= LONGEST_TERM:
        whole = run.lower()
        kind = "word" if whole.isalpha() and len(parts) < 2 else "code"         # "naïve" is a word
        if not any(character.isalpha() for character in whole):
            kind = "number"
        hyphenated = whole.replace("-", " ")
        meanings = _vocabulary().words.get(whole, ()) or _vocabulary().phrases.get(
            " ".join(stem(part) for part in hyphenated.split()), ())
        yield Piece(run, kind, stem(whole), meanings)
    if len(parts) > 1:
        for part in parts[:24]:
            if not part.isdigit():
                yield from _word(part, "part", stems)
    else:
        stems.append((run, run.lower()))


def _split(name: str) -> list[str]:
    """``refreshCache2`` -> refresh, Cache; short mixes of letters and digits ("p95", "v3", "k8s") stay whole."""
    parts = _PARTS.findall(name)
    if len(name) <= 4 and any(part.isdigit() for part in parts):
        return [name]
    return [part for part in parts if len(part) > 1] or [name]


def _phrases(stems: list[tuple[str, str]]) -> Iterator[Piece]:
    phrases, firsts = _vocabulary().phrases, _vocabulary().firsts
    for place, (_, first) in enumerate(stems):
        if first in firsts:
            for length in (4, 3, 2):
                words = stems[place:place + length]
                meanings = phrases.get(" ".join([root for _, root in words]))
                if meanings and len(words) == length:
                    yield Piece(" ".join([word for word, _ in words]), "phrase", "", meanings)
                    break


# ---------------------------------------------------------------- Chinese, Japanese, Korean

class Scripts:
    """The expressions for CJK scripts: made for the first text that is not ASCII, a cost that many prompts spare."""

    __slots__ = ("chunk", "hiragana_stop", "kana", "korean_tail", "run")

    def __init__(self) -> None:
        self.chunk = re.compile(f"[{CJK}]+|[^\\s{CJK}]+")
        self.run = re.compile(f"[{_HAN}]+|[\u3040-\u309f]+|[\u30a0-\u30ff\u31f0-\u31ff]+|[{_HANGUL}]+")
        self.kana = re.compile("[\u3041-\u3096\u30a1-\u30fa]")
        self.hiragana_stop = re.compile("|".join(sorted(_HIRAGANA_STOP, key=lambda word: (-len(word), word))))
        self.korean_tail = re.compile(_KOREAN_TAIL)


_made: list[Scripts] = []


def _scripts() -> Scripts:
    if not _made:
        _made.append(Scripts())
    return _made[0]


def _cjk(chunk: str, japanese: bool) -> Iterator[Piece]:
    yield from _known_words(chunk)
    scripts = _scripts()
    for match in scripts.run.finditer(chunk):
        run = match.group()
        first = run[0]
        if "\u3040" <= first <= "\u309f":
            for rest in scripts.hiragana_stop.split(run):
                if len(rest) > 1:
                    yield from _pairs(rest)
        elif "\u30a0" <= first <= "\u30ff" or "\u31f0" <= first <= "\u31ff":
            if 2 < len(run) <= LONGEST_TERM:
                yield Piece(run, "word", run)
            yield from _pairs(run)
        elif "\uac00" <= first <= "\ud7af" or "\u1100" <= first <= "\u318f":
            yield from _korean(run)
        else:
            for part in _cut(run, _SHARED_CUTS if japanese else _CHINESE_CUTS):
                yield from _pairs(part)


def _known_words(chunk: str) -> Iterator[Piece]:
    """The longest words of the vocabulary, from left to right."""
    words, place = _vocabulary().words, 0
    while place < len(chunk):
        for length in range(min(8, len(chunk) - place), 0, -1):
            word = chunk[place:place + length]
            meanings = words.get(word)
            if meanings and (length > 1 or len(chunk) == 1):
                yield Piece(word, "phrase", "", meanings)
                place += length - 1
                break
        place += 1


def _pairs(run: str) -> Iterator[Piece]:
    if len(run) == 1:
        yield Piece(run, "single", run)
    for place in range(len(run) - 1):
        pair = run[place:place + 2]
        if pair not in _CHINESE_STOP:
            yield Piece(pair, "pair", pair)


def _cut(run: str, cuts: frozenset[str]) -> list[str]:
    if not any(character in cuts for character in run):
        return [run]
    return "".join(" " if character in cuts else character for character in run).split()


def _korean(run: str) -> Iterator[Piece]:
    root = _scripts().korean_tail.sub("", run) if len(run) > 2 else run
    if len(root) < 2:
        root = run
    if root in _KOREAN_STOP or run in _KOREAN_STOP:
        return
    if len(root) == 1:
        yield Piece(run, "single", root)
    elif len(root) <= LONGEST_TERM:
        yield Piece(run, "word", root)
        if len(root) > 2:
            yield from _pairs(root)


# ---------------------------------------------------------------- stemming

_VOWEL = re.compile("[aeiouy]")
_KEEP = _set("""
always analysis alias aws bus canvas chaos class css dns does express focus gas goes https ios kubernetes news nexus os
pandas redis series status this thus us was during nothing something anything everything string ring spring thing king
bring sing being bed feed need seed speed embed shed red led hundred indeed function section production station nation
ration moment comment segment setting building meeting
""")
# British and American spelling.
_SPELLING = {
    "optimise": "optimize", "optimising": "optimizing", "optimised": "optimized", "optimisation": "optimization",
    "summarise": "summarize", "serialise": "serialize", "initialise": "initialize", "authorise": "authorize",
    "normalise": "normalize", "prioritise": "prioritize", "organisation": "organization", "behaviour": "behavior",
    "colour": "color", "licence": "license", "centre": "center",
}
_stems: dict[str, str] = {}


def stem(word: str) -> str:
    """A light English stem of a lower-case word: plural, -ed, -ing, -ation, -ment and last e go; other scripts stay."""
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    known = _stems.get(word)
    if known is None:
        known = _stem(word)
        if len(_stems) < 50_000:        # a bound for processes that live long
            _stems[word] = known
    return known


def _stem(word: str) -> str:
    if word in _KEEP:
        return word
    word = _singular(word)
    word = _SPELLING.get(word, word)
    if word in _KEEP:
        return word
    for suffix in ("ing", "ed"):
        if word.endswith(suffix):
            base = word[:-len(suffix)]
            if len(base) >= 3 and _VOWEL.search(base):
                word = _undouble(base)
            break
    else:
        if word.endswith("tion") and len(word) > 6:
            word = word[:-3]
        elif word.endswith("ment") and len(word) > 8:
            word = word[:-4]
        elif word.endswith("ly") and len(word) > 6:
            word = word[:-2]
    if word.endswith("e") and len(word) > 3 and not word.endswith("ee"):
        word = word[:-1]
    elif word.endswith("y") and len(word) > 3 and word[-2] not in "aeiou":
        word = word[:-1] + "i"
    return word


def _singular(word: str) -> str:
    if not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "zes", "ches", "shes")):
        return word[:-2]
    return word[:-1]


def _undouble(base: str) -> str:
    if len(base) > 3 and base[-1] == base[-2] and base[-1] in "bdgmnprt":
        return base[:-1]
    return base


# ---------------------------------------------------------------- vocabulary

class Vocabulary:
    """The data of ``reverie.core.vocabulary``, ready for look-up by stem, CJK word or phrase of stems."""

    __slots__ = ("firsts", "implies", "known", "phrases", "words")

    def __init__(self, meanings: str, senses: str, known: str) -> None:
        words: dict[str, tuple[str, ...]] = {}
        phrases: dict[str, tuple[str, ...]] = {}
        self.implies: dict[str, tuple[str, ...]] = {}
        for line in (senses + meanings.replace("\n    ", " ")).split("\n"):
            head, colon, rest = line.partition(":")
            rest, _, implied = (rest if colon else line).partition(" > ")
            if not colon:
                head = line.partition(" ")[0] + "."     # a sense; no meaning is called like that
            if implied:
                self.implies[head] = tuple(implied.split())
            for entry in rest.replace("|", " ").split():
                if "_" in entry:
                    key = " ".join([stem(word) for word in entry.split("_")])
                    phrases[key] = (*phrases.get(key, ()), head)
                else:
                    key = stem(entry)
                    if head not in words.get(key, ()):
                        words[key] = (*words.get(key, ()), head)
                    if "-" in entry:
                        key = " ".join([stem(word) for word in entry.split("-")])
                        phrases[key] = (*phrases.get(key, ()), head)
        self.words = words
        self.phrases = phrases
        self.firsts = frozenset(phrase.partition(" ")[0] for phrase in phrases)
        self.known = frozenset(stem(word) for word in known.split())


_loaded: list[Vocabulary] = []


def _vocabulary() -> Vocabulary:
    if not _loaded:
        _loaded.append(Vocabulary(MEANINGS, SENSES, KNOWN))
    return _loaded[0]


def implied(meaning: str) -> tuple[str, ...]:
    """The meanings that usually come along with one."""
    return _vocabulary().implies.get(meaning, ())


def meanings(term: str) -> tuple[str, ...]:
    """What a stem or CJK word stands for."""
    return _vocabulary().words.get(term, ())


def is_known(term: str) -> bool:
    """Whether a stem is a word of software work, meaning or not."""
    vocabulary = _vocabulary()
    return term in vocabulary.words or term in vocabulary.known


def is_weak(term: str) -> bool:
    """Whether a stem may stand in any request, so that it says little."""
    return term in _weak_stems


_weak_stems = frozenset(stem(word) for word in WEAK)
