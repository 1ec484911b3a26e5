"""What an English sentence changes: a value said wrongly, a statement taken back, a state that another one follows."""

from __future__ import annotations

import re
from dataclasses import dataclass

from reverie.models.rules.english_shape import names, pieces

# ---- corrections and withdrawals -----------------------------------------------------------------------------------

_SORRY = (
    r"(?:sorry|oops|ugh|argh|ah|no|wait|hold on|hm+|actually|er+m?|my (?:mistake|bad|fault)|i misspoke|i mistyped|typo|"
    r"correction|apologies|pardon)")
_UNSAY = (
    r"(?:scratch (?:that|what i (?:just )?said|it)|strike that|forget that|ignore that|never ?mind(?: that)?|cancel "
    r"that|disregard that|that(?:'s| was| is) (?:wrong|not right|a typo|my mistake)|i (?:said|wrote|typed) (?:it|that) "
    r"wrong|i got that wrong)")
_MEANT = (
    r"(?:i (?:meant|mean|should have (?:said|written))(?: to (?:say|write))?|make (?:that|it)|(?:it|that) (?:should "
    r"(?:be|read|have been)|is actually|was meant to be|must be)|it(?:'s| is)|read|should be|should read|correct is|"
    r"the right \w+ is)")
_CORRECT = re.compile(
    rf"^(?:{_SORRY}[\s,.!:;–—-]+)*(?:(?P<unsay>{_UNSAY})[\s,.!:;–—-]+)?(?:(?:{_SORRY}|and|so|"
    rf"please)[\s,.!:;–—-]+)*(?P<meant>{_MEANT})?\s*(?P<value>\S.*?)\s*[.!]*$", re.IGNORECASE)
_BEGINS_SORRY = re.compile(rf"^(?:{_SORRY})\b[\s,.!:;–—-]+", re.IGNORECASE)
_CORRECTING = re.compile(r"^(?:correction|typo|oops|sorry|wait)\b", re.IGNORECASE)
_NOT_OLD = re.compile(
    r"^(?P<value>.+?),? (?:and )?(?:not|instead of|rather than) (?P<old>.+)$|^not (?P<old2>[^,]+?)[,;] (?:but "
    r")?(?P<value2>.+)$", re.IGNORECASE)

_WITHDRAW = re.compile(
    r"\b(?:scratch|forget|ignore|disregard|drop|strike|never ?mind|cancel|withdraw|delete|undo) (?:(?:all |"
    r"everything )?(?:what|that|the (?:thing|rule|bit|part|point|remark|instruction|preference|note)) (?:i (?:just |"
    r"earlier |once )?(?:said|told you|wrote|mentioned|asked for)|about|with|on)(?: (?:about|on|regarding|with))?|"
    r"(?:my|the) (?:last|earlier|previous|old) (?:\w+ )?(?:about|on|regarding))\s*(?P<about>[^,.;:!]*)"
    r"|\bi (?:take|took) (?P<back>[^,.;:!]{2,60}?) back\b|\bi take back (?P<back2>[^,.;:!]{2,60})|(?:^|[,;:] "
    r")(?P<dead>(?:the |that |this |those |these )?[^,.;:!]{2,50}?) (?:is|are) (?:history|off the table|no longer "
    r"(?:true|valid|right|current)|not (?:true|valid|right) any ?more|obsolete|void|moot|cancelled|canceled)\b"
    r"|^(?:please )?(?:scratch|forget|ignore|disregard|strike|cancel|drop) (?:that|it|what i (?:just )?said)[.! ]*$|"
    r"^never ?mind[.! ]*$"
    r"|\b(?:that|this|it) (?:no longer|doesn't|does not) (?:holds?|appl(?:y|ies))(?: any ?more)?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Correction:
    """"Sorry, I meant X": the value, and the old one where it was named."""

    value: str
    old: str = ""


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """"Scratch what I said about X": the words for it, and where in the sentence the rest begins."""

    about: str
    end: int


_HOLLOW = frozenset(("it", "that", "this", "them", "so", "well", "business", "no", "yes", "fine", "ok", "right"))


def correction(sentence: str) -> Correction | None:
    """A short sentence that puts one value right."""
    if len(sentence) > 160:
        return None
    found = _CORRECT.match(sentence.strip())
    if found is None:
        return None
    sorry = bool(_BEGINS_SORRY.match(sentence.strip()))
    meant = (found["meant"] or "").lower()
    strong = meant.startswith(("i m", "make", "i should", "read", "should", "correct")) or any(
        word in meant for word in (" should", "actually", "meant"))
    named = bool(_CORRECTING.match(sentence.strip())) and _NOT_OLD.match(found["value"]) is not None
    if not ((found["unsay"] and meant) or strong or named or (sorry and meant and len(found["value"].split()) <= 3)):
        return None
    value, old = found["value"].strip(" .!\"'"), ""
    if pair := _NOT_OLD.match(value):
        value, old = (pair["value"] or pair["value2"]).strip(), (pair["old"] or pair["old2"]).strip(" .!")
    value = re.sub(r"^(?:it(?:'s| is| should be) |to say |of course )", "", value, flags=re.IGNORECASE)
    if not value or len(value.split()) > 8 or value.lower() in _HOLLOW:
        return None
    if meant.startswith("make") and not sorry and not (pieces(value) or names(value)):
        return None                                 # "make it blue" is an order
    return Correction(value, old)


def withdrawal(sentence: str) -> Withdrawal | None:
    """A sentence, or the beginning of one, that takes an earlier statement back."""
    found = _WITHDRAW.search(sentence)
    if found is None:
        return None
    about = next((g for g in (found["about"], found["back"], found["back2"], found["dead"]) if g), "")
    about = re.sub(r"^(?:the|that|this|those|these|my|what i said about|using|having)\s+", "", about.strip(), flags=re.
        IGNORECASE)
    return Withdrawal("" if about.lower() in ("it", "that", "this") else about, found.end())


_CHANGES = re.compile(
    r"\b(?:slips?|slipped|moved?|moves|moving|postponed|delayed|bad news|good news|change of plans?|plans? (?:has |have )?changed|now|instead|"
    r"new date|no longer|any ?more|after all|changed|changes|correction|update|scrap(?:ped)?|i was wrong|told you wrong|turns out|not .{2,60} but|"
    r"rather than|extended|shortened|brought forward|pushed|raised|lowered|reduced|increased|doubled|halved|rework|swap(?:ped)?|switch(?:ed)?|"
    r"ditch(?:ed)?|replaced?|replaces|became|becomes|back to|lifted|again|is over|are over|no more|no need|takes over|took over|left|renamed|drop(?:ped)?|"
    r"forget about|kommando zurück|doch|not .{2,40} any ?more|->|→|from now on|starting|as of|wrong|meant|actually)\b|->|→", re.IGNORECASE)
_LIFTS = re.compile(r"\b(?:again|lifted|no more|no longer|no need|is over|gone|any ?more|dropped|scrapped|obsolete)\b", re.IGNORECASE)
_NOT_BUT = re.compile(
    r"^(?:(?:i (?:told|gave) you (?:that )?wrong(?:ly)?|i was wrong|wrong|correction|sorry|i misspoke|i mixed (?:that|it|them) up|my mistake)[\s,.:;!–—-]+)+"
    r"(?:it(?:'s| is) )?not (?P<old>(?:[\w.'’-]+ ){0,4}?[\w.'’-]+?) (?P<rest>(?:who|that|which)? ?(?:is|are|gets?|has|have|owns?|does|do|runs?|"
    r"reviews?|handles?|signs?|takes?|goes|go|needs?|wants?|decides?|approves?|receives?|pays?|must|will|can|[a-z]+s)\b[^.;]{2,120}?),? but "
    r"(?P<new>(?:(?:mr|ms|mrs|dr)\. )?[^.;,]{2,60})[.!]*$", re.IGNORECASE)


def changes(said: str) -> bool:
    """Whether a sentence says that something is no longer as it was."""
    return _CHANGES.search(said) is not None


def told_to_swap(said: str) -> bool:
    """"Swap X for Y in plots": an order about a kind of thing that ends an earlier one."""
    return _TOLD_TO_SWAP.match(said.strip()) is not None


def exchanged(said: str) -> tuple[str, str] | None:
    """"Not A gets the reports but B": the statement as it holds, and A; None for anything else."""
    found = _NOT_BUT.match(said.strip())
    if found is None:
        return None
    return f"{found['new'].strip()} {found['rest'].strip()}", found["old"].strip()


# ---- one state follows another -------------------------------------------------------------------------------------

_TURN = (
    r"(?:moved|moves|move|slipped|slips|changed|changes|went|goes|shifted|switched|switch|migrated|migrating|moving|"
    r"switching|renamed|postponed|pushed(?: back)?|rescheduled|brought forward|extended|raised|lowered|reduced|"
    r"increased|cut|"
         r"upgraded|downgraded|handed over|passed|transferred|relocated|dropped|grew)")
_FROM_TO = re.compile(
    rf"\b(?P<turn>{_TURN})(?P<what> (?:\S+ ){{0,6}}?| )from (?P<old>(?!now\b|here\b)\S+(?: \S+){{0,5}}?) (?:over "
    rf")?to (?P<new>\S+)", re.IGNORECASE)
_OFF = re.compile(
    r"\b(?:we|they) (?:have |'ve |just |finally )*(?:moved|switched|migrated|got|came|went) (?:off|away from|over "
    r"from) (?P<old>\S+(?: \S+){0,3}?)(?P<when> (?:last|this|in|on|since|a|two|at) [^,.;]{1,25})?[,;.]\s*(?:and |so |"
    r"now )*(?P<rest>.{6,})$", re.IGNORECASE)
_SWAPPED = re.compile(
    r"\b(?P<who>we|they|[A-Z]\w+) (?:have |'ve |just |finally )*(?:replaced|swapped|exchanged|substituted) "
    r"(?P<old>[^,.;]{2,50}?) (?:with|for|by) (?P<new>\S+)(?P<rest>[^.;]*)$", re.IGNORECASE)
_BECAME = re.compile(
    r"\b(?P<old>[\w./#-]+) (?:became|is now called|is now|was renamed to|turned into) (?P<new>[\w./#-]+)")
_LEFT = re.compile(
    r"^(?P<gone>(?P<old>[A-Z][\w-]+)(?: has| is)? (?:left|leaves|leaving|moved on|quit|retired|gone|moved to another "
    r"team|changed teams)[^,.;]{0,40})[,;.]? (?:and |so |now )*(?P<rest>.{6,})$")
_NOT_ANY_MORE = re.compile(
    r"(?:,|;|(?= and no longer)) (?:and )?(?:not|no longer|instead of|rather than) (?P<old>[^,.;]{2,40}?)(?: any ?more)?(?P<tail>[.;]?)$",
    re.IGNORECASE)
_NEWNESS = re.compile(r"\b(?:change of plans?|from now on|now\b|new plan|any ?more|as of|no longer|changed)\b", re.
    IGNORECASE)
_DITCHED = re.compile(
    r"^(?:we|they)(?:'ve| have)? (?:\w+ly |just |now |finally )?(?:ditched|dropped|scrapped|abandoned|retired|killed|left|got rid of|binned) "
    r"(?P<old>[^,.;:]{2,40})[,;:.–—] (?:and |so |now )*(?P<rest>.{6,})$", re.IGNORECASE)
_GONE = re.compile(
    r"^(?:(?P<old>[\w./-]+) (?:is|are) (?:gone|dead|retired|history|switched off|shut down|no more)|(?:forget|scrap) (?P<old2>[\w./-]*\d[\w./-]*|[A-Z][\w-]+))"
    r"[,;:–—] (?:and |so |now )*(?P<rest>.{6,})$")
_TOLD_TO_SWAP = re.compile(
    r"^(?:please |from now on,? )?(?:swap|replace|exchange|trade) (?P<old>[\w.+-]+) (?:for|with|by) (?P<new>[\w.+-]+) "
    r"(?P<rest>(?:in|for|on|across) (?:all |our |the )?[a-z-]+s)[.!]*$", re.IGNORECASE)
_ARTICLE = re.compile(r"\b(?:the|our|my|your|a|an)\s+$", re.IGNORECASE)
_TAKES_OVER = re.compile(
    r"\b(?P<new>[A-Z][\w-]+) (?:takes?|took|is taking|will take|has taken) (?:over )?(?P<what>[^,.;]{2,60}?)(?: "
    r"over)? from (?P<old>[A-Z][\w-]+)\b(?P<rest>[^.;]*)")


@dataclass(frozen=True, slots=True)
class Turn:
    """A new state: the sentence without the old one, the old one's words, and what is said about the turn itself."""

    text: str
    old: str
    why: str = ""


def turn(text: str, *, whole: str = "") -> Turn | None:
    """The new state alone, where a sentence says which state it ends."""
    if found := _TOLD_TO_SWAP.match(text):
        return Turn(f"Use {found['new']} instead of {found['old']} {found['rest']}", found["old"])
    if found := _GONE.match(text):
        old = found["old"] or found["old2"]
        return Turn(_capital(found["rest"]), old, f"{old} is gone")
    if found := _LEFT.match(text):
        return Turn(_capital(found["rest"]), found["old"], found["gone"].strip())
    if found := _TAKES_OVER.search(text):
        return Turn(text[:found.start()] + f"{found['new']} takes over {found['what']}{found['rest']}" + text[found.
        end():], found["old"])
    if found := _OFF.search(text):
        return Turn(_capital(text[:found.start()] + found["rest"]), found["old"].strip(),
        f"moved off {found['old'].strip()}{found['when'] or ''}")
    if found := _FROM_TO.search(text):
        start = found.start("old") - len("from ")
        return Turn(text[:start] + text[found.end("old") + 1:].removeprefix("over "), found["old"])
    if found := _SWAPPED.search(text):
        lead = text[:found.start()]
        return Turn(_capital(f"{lead}{found['new']}{found['rest']} from now on".replace("  ", " ")), found["old"].
        strip(), "it was replaced")
    if found := _DITCHED.match(text):
        return Turn(_capital(found["rest"]), found["old"].strip(), f"moved off {found['old'].strip()}")
    if (found := _BECAME.search(text)) and not _ARTICLE.search(text[:found.start()]):
        return Turn(f"{text[:found.start()]}it is {found['new']} now{text[found.end():]}", found["old"])
    if (found := _NOT_ANY_MORE.search(text)) and _NEWNESS.search(whole or text):
        return Turn(text[:found.start()] + found["tail"], found["old"].strip())
    return None


def _capital(text: str) -> str:
    text = text.strip()
    return text[:1].upper() + text[1:] if text[:1].islower() and text.split(" ", 1)[0].isalpha() else text
