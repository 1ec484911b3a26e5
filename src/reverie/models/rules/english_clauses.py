"""Clauses: which one carries the point, whether a clause tells what happened, and whether its subject is a kind of
thing.

English states conventions with bare plurals and the simple present ("fixes land on main first", "bad rows are
counted"): no
article, no number, no pointing word. That is grammar, not vocabulary, and so it holds for topics nobody thought of.
What
happened once stands in the past; where a past clause is followed by a present one, the present one is the consequence.
"""

from __future__ import annotations

import re

from reverie.models.rules.english_words import DETERMINERS, HARM, NOUN_OR_VERB, PAST_IRREGULAR, RULE_VERBS, TASK_VERBS, word_list

_NOT_NOUNS = frozenset(word_list("""
this is was has does its us yes as always less perhaps besides sometimes across thus plus minus versus whereas towards
afterwards
i you we he she it they them me him who what when where why how which while if unless until before after since because
although though there here
in on at by for from into of off onto out over per to under up via with without about above below between during through
and or but so yet nor not no never just only also then than too very really quite still again maybe
is are was were be been being am do does did have has had can could will would shall should may might must cannot
don't doesn't didn't isn't aren't wasn't weren't won't can't couldn't shouldn't wouldn't haven't hasn't it's that's
there's i'm we're they're you're let's
let please ok yes thanks sorry hi hello two three four five six seven eight nine ten eleven twelve several some many
few more most half both another
""")) | DETERMINERS
_STATIVE = word_list("""
are get have stay live come go land end need must should may belong carry describe begin become break cause count
depend do exist expect fall follow
grow happen hold keep know lead lie look matter mean need own pass pay point refer remain require rest rule run say
seem serve sit speak stand
start stay stop take tell think trust want wear win work aren't don't never always only all contain differ arrive
""")
PLURAL_VERBS = frozenset(_STATIVE) | frozenset(TASK_VERBS) | frozenset(RULE_VERBS)
_SINGULAR_VERBS = frozenset(word_list("""
is goes gets stays lives comes lands ends needs must should may belongs carries isn't doesn't never always runs
happens starts begins counts follows requires remains sits means uses keeps
"""))
_PREPOSITIONS = frozenset(word_list("in of for from on to with about under by at against over per without behind"))
OPENING = re.compile(
    r"^(?:(?:in|for|on|at|within|inside|under|with|across|to) (?:this|our|the|all|every|each|any|my)? ?(?:[\w-]+ "
    r"){1,2}(?=[\w-]+ )|(?:from now on|so|and|but|then|therefore|instead|please|usually|generally|normally|also|all|"
    r"only|new|our),? )+")
_SWEEPING = re.compile(
    r"^(?:each|every|all|any|no|nobody|no one|everyone|everybody|anyone|everything|anything|nothing|whoever|only|"
    r"none of)\b(?! (?:idea|problem|way|that|this|i|me|reason|luck|of that|good|fine|set|clear|done))(?:(?! "
    r"[a-z]+ing\b) [\w'/.-]+){2,}")
_SPLIT = re.compile(
    r"(?:[,;:–—] |\. )(?:(?:so|and|but|then|because|since|therefore|as|or)\b ?)?| so (?=[a-z]+s? )| because | since "
    r"(?=[a-z]+s? (?:are|is|every|was|were))")
_PAST = re.compile(
    rf"\b(?:{'|'.join(sorted(PAST_IRREGULAR))}|were|had|[a-z]{{2,}}(?<!ne)ed|didn't|wasn't|weren't|couldn't)\b")
_PRESENT_PASSIVE = re.compile(
    r"\b(?:is|are|be|been|being|get|gets|must be|to be|as|has|have|'s|'re|was|were) (?:\w+ly |never |always |only |"
    r"not |all )?[a-z]+ed\b")
_HARM = re.compile(rf"\b{HARM}\b")
_AFTERTHOUGHT = re.compile(r", (?:i|my|i'm|i've|it|it's|they|he|she|that's|that)\b(?! way)")
FINITE_WORDS = frozenset(
    {f"{verb}s" for verb in {*TASK_VERBS, *RULE_VERBS, *_STATIVE} - NOUN_OR_VERB if verb.isalpha()} | PAST_IRREGULAR
    | set(word_list(
        "is are was were am be been has have had do does did can could will would must should shall may might isn't "
        "aren't don't doesn't didn't can't won't it's that's i'm we're they're goes i we you they he she you'll "
        "we'll they'll it'll i've we've they've i'd")))
_SO = re.compile(
    r"[,;] so (?!far\b|that\b|long\b|many\b|much\b)| so (?=we |the |all |every |no |nothing |please |don't |keep |"
    r"use |[a-z]+s (?:are|go|get|must) )|[;:–—] (?:hence|therefore) ")
_BECAUSE = re.compile(
    r",? (?:because|so that|otherwise|or else|due to|owing to|given that|as otherwise|for the sake of|in order to)\b|"
    r",? since (?!then|last|this|the \d|DATE|DAY)|[,;] else ")


def clauses(low: str) -> list[str]:
    """The clauses of a masked sentence, roughly: between commas, semicolons and connectives."""
    return [part.strip() for part in _SPLIT.split(low) if part and part.strip()]


def generic(low: str) -> bool:
    """Whether some clause says something about a kind of thing: a bare plural with a verb in the present."""
    return any(_generic(clause.split()) for clause in _opened(low))


def sweeping(low: str) -> bool:
    """Whether some clause has everything, everyone or each of a kind for its subject, in the present or future."""
    return any(_SWEEPING.match(clause) and not past(clause) for clause in _opened(low))


def mass(low: str) -> bool:
    """Whether some clause has a bare singular for a subject ("formatting is done with …"): a kind of thing, less
    surely."""
    return any(_mass(clause.split()) for clause in _opened(low))


def _opened(low: str) -> list[str]:
    found = []
    for clause in clauses(low):
        found.append(clause)
        rest = OPENING.sub("", clause)
        if rest and rest != clause:
            found.append(rest)
    return found


def _generic(words: list[str]) -> bool:
    for place in range(min(4, len(words) - 1)):
        word = words[place]
        if word in _NOT_NOUNS or not word[0].islower():
            return False
        if word.endswith("s") and not word.endswith("ss") and len(word) > 3:
            follow = _after_phrase(words, place + 1)
            return follow in PLURAL_VERBS and not (follow in ("are", "have") and _doing(words))
    return False


def _doing(words: list[str]) -> bool:
    """"Some are restarting": what goes on now is not a habit."""
    return any(w.endswith("ing") for w in words[1:5] if w not in ("nothing", "anything", "everything", "string",
    "staging"))


def _mass(words: list[str]) -> bool:
    for place in range(min(3, len(words) - 1)):
        word = words[place]
        if word in _NOT_NOUNS or not (word[0].islower() or (place and word.isupper())) or not word.isalpha():
            return False
        if words[place + 1] in _SINGULAR_VERBS:
            return True
    return False


def _after_phrase(words: list[str], place: int) -> str:
    """The word after a noun and the prepositional phrase that may follow it ("addresses in tests end …")."""
    if place < len(words) and (words[place] in _PREPOSITIONS or words[place] in ("that", "which", "who")):
        for skip in range(place + 2, min(place + 6, len(words))):
            if words[skip] in PLURAL_VERBS and words[skip] not in ("do",):
                return words[skip]
    return words[place] if place < len(words) else ""


def past(low: str) -> bool:
    """Whether a clause tells what happened: a verb in the past that is not part of a present passive."""
    return bool(_PAST.search(_PRESENT_PASSIVE.sub(" was " if re.search(r"\b(?:was|were)\b", low) else " ", low)))


def point(low: str) -> tuple[int, int]:
    """The part of a sentence that carries the point: what follows from "so", what stands before "because" (but the
    cause of
    a harm, which is what is to be avoided), what a past clause before a semicolon, colon or comma led to."""
    if found := _SO.search(low):
        return found.end(), len(low)
    if (found := _BECAUSE.search(low)) and found.start() > 8:
        harmed = _HARM.search(low, 0, found.start()) and past(low[:found.start()])
        return (found.end(), len(low)) if harmed else (0, found.start())
    for mark in ("; ", ": ", " – ", " — "):
        at = low.find(mark)
        if at > 0 and past(low[:at]) and not past(low[at:]):
            return at + len(mark), len(low)
    at = low.rfind(", ")
    if at > 8 and past(low[:at]) and not past(low[at:]) and len(low) - at > 12:
        return at + 2, len(low)
    if (found := _AFTERTHOUGHT.search(low)) and not low.startswith(("i ", "i'", "my ")):
        return 0, found.start()
    return 0, len(low)


def finite(low: str) -> bool:
    """Whether a sentence has a finite verb; one without is a heading or a slogan ("reasons only", "types first")."""
    return any(word in FINITE_WORDS or (word.endswith("ed") and len(word) > 4) for word in re.findall(r"[\w']+", low))
