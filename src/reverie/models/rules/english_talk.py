"""The parts of English sentences that are about the talk itself: greetings and markers before, "please remember that"
after.

They are taken off before a sentence is stored; what they say (a request to remember, a "no," a change of subject) is
kept as marks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_SOFT = (
    r"(?:ok(?:ay)?|k|well|so|hm+|ugh|uh|oh|ah|argh|hey|hi(?: again)?|hello|morning|good morning|yes|yep|yeah|yup|"
    r"sure|right|good|great|nice|perfect|excellent|awesome|cool|fine|thanks(?: a lot)?|thank you|thx|lol|haha|wow|"
    r"whoa|damn|"
         r"btw|by the way|actually|look|listen|anyway|good call|got it|makes sense|agreed|exactly(?: like (?:that|"
         r"this))?|"
         r"that's (?:the way|how i like it|it|right|perfect|great)|correct|sorry|(?:a |one more )?habit of mine(?=:)|"
         r"please|back|hmm|alright|all right|quick one|small thing|(?:now |next,? )?(?:about|regarding|as for) [\w "
         r"]{3,30}(?=:)|before you (?:start|begin|touch anything|do anything)(?=:)|one correction(?: to [\w "
         r"]{1,30})?)")
_NO = r"(?:no|nope|nah|wrong|not quite|stop|wait|no no)"
_MORE = (
    r"(?:also|and also|and|plus|besides|next|then|another thing|one more thing|and one more [\w ]{1,20}|one more|"
    r"last thing|lastly|finally|second(?:ly)?|third(?:ly)?|first(?:ly)?|on another note|separately|apart from that|"
    r"in addition|"
         r"unrelated|oh and|and btw|as well|too)")
_EXPLICIT = (
    r"(?:(?:please )?(?:remember|note|keep in mind|bear in mind|be aware|don't forget|do not forget)(?: that|,|:| "
    r"for (?:later|next time|the future|future sessions)[:,]?)?|(?:just )?(?:a |one )?(?:quick |small )?(?:reminder|"
    r"note)(?: to (?:self|yourself))?(?: for [\w ]{1,30})?|for (?:the|your) (?:record|notes|memory)|"
             r"for future reference|for next time|for later|for context|some (?:background|context)(?: so [\w "
             r"]{1,40})?|(?:context|background) (?:for|on) [\w ]{1,40}|heads[- ]up|fyi|good to know|important|so you "
             r"know|just so you know|you should know(?: that)?|worth knowing|planning|"
             r"(?:two|three|one|a few|some) (?:more )?things?(?: for the record| to (?:remember|note)| changed| "
             r"before [\w ]{1,20})?|one thing changed|small correction|correction|change|update|decision|new rule|"
             r"rule|policy)")
# Markers that need a mark behind them ("no, …") and those that do without ("and …", "please …", "remember to …").
_LEAD = re.compile(
    rf"^(?:(?P<no>{_NO})(?=\s*[,.!:;–—-]\s*(?!one\b))|(?P<soft>{_SOFT})(?=[,.!:;–—-]|$| (?=(?:please|so|and|but|for|"
    rf"note|remember|don't|we|i|the|let's|that|this|never|always)\b))|(?P<more>{_MORE})(?=[,:; ]\s*\w)|"
    rf"(?P<explicit>{_EXPLICIT})(?=[,:;.–—-]| (?:that |to )?\w))"
    r"[\s,.!:;–—-]*", re.IGNORECASE)
_EXPLICIT_NEEDS_MARK = re.compile(
    r"^(?:planning|change|update|decision|new rule|rule|policy|important|correction|small correction|note|reminder|"
    r"background|context|good to know|for context|for later)\b", re.IGNORECASE)
_TAIL = re.compile(
    r"[\s,;.–—-]*(?:(?:so |and )?(?:please |pls )?(?:remember|note|save|store|keep|write|put|add|memori[sz]e|make|"
    r"bear) (?:a (?:mental )?note(?: of (?:that|this|it))?|(?:that|this|it)(?: (?:down|in mind|handy|somewhere|for "
    r"(?:later|next time|the future|future sessions)|in your (?:notes|memory)|to (?:memory|your (?:notes|"
    r"memory))))*(?: somewhere you'll find it again)?)"
    r"|for (?:the|your) (?:record|notes)|for future reference|(?:just )?(?:so you know|fyi)|please|pls|thanks|thank "
    r"you|thx|ok(?:ay)?|btw|by the way|though|of course|lol|haha)\s*[.!]*\s*$", re.IGNORECASE)
_MEMORY_TAIL = re.compile(r"\b(?:remember|note|save|store|keep|memori[sz]e|write|record|reference|so you know|fyi)\b",
    re.IGNORECASE)
_EMOJI = re.compile(r"(?:\s*(?:[:;]-?[)D(P]|[\U0001F300-\U0001FAFF☀-➿]️?))+\s*$")


@dataclass(frozen=True, slots=True)
class Talk:
    """A sentence without its markers, and what the markers said."""

    core: str
    explicit: bool = False          # asked to be remembered
    refused: bool = False           # "no," before it
    welcomed: bool = False          # "yes,", "perfect" before it
    approved: bool = False          # "exactly like that:", "that's the way," before it
    more: bool = False              # "also", "and": another thing
    polite: bool = False            # "please"


_APPROVAL = re.compile(r"^(?:exactly like (?:that|this)|that's (?:the way|how i like it))$", re.IGNORECASE)
_WELCOME = re.compile(
    r"^(?:yes|yep|yeah|yup|good|great|nice|perfect|excellent|awesome|cool|exactly|correct|right|agreed)$", re.
    IGNORECASE)


def bare(sentence: str) -> Talk:
    """Take the markers off both ends of a sentence."""
    core = _EMOJI.sub("", sentence.strip())
    explicit = refused = welcomed = approved = more = polite = False
    for _ in range(6):
        found = _LEAD.match(core)
        if found is None or found.end() >= len(core):
            break
        kind = found.lastgroup
        said = found.group(kind or 0)
        if kind == "explicit":
            marked = re.match(r"[,:;.–—-]", core[len(said):]) or re.search(r"(?:that|to|for [\w ]+)$", said)
            if _EXPLICIT_NEEDS_MARK.match(said) and not marked:
                break
            explicit = True
        elif kind == "no":
            refused = True
        elif kind == "more":
            more = True
        elif said.lower() == "please":
            polite = True
        elif said.lower() in ("anyway", "by the way", "btw"):
            more = True
        elif _APPROVAL.match(said):
            approved = True
        elif _WELCOME.match(said):
            welcomed = True
        rest = core[found.end():]
        if not rest.strip():
            break
        core = rest
    if core[:7].lower() == "please ":
        polite, core = True, core[7:]
    for _ in range(3):
        tail = _TAIL.search(core)
        if tail is None or tail.start() < 8:
            break
        explicit = explicit or bool(_MEMORY_TAIL.search(tail.group()))
        polite = polite or "please" in tail.group().lower()
        core = core[:tail.start()]
    if core[:4].lower() == "that" and explicit:
        core = re.sub(r"^that\s+(?=\w+ \w+)", "", core, flags=re.IGNORECASE)
    return Talk(core.strip(), explicit, refused, welcomed, approved, more, polite)


_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|approx|incl|excl|cf|nr|fig|mr|mrs|ms|dr|resp)|(?:^|[\s/])\.+)$",
    re.IGNORECASE)
_END = re.compile(r"(?<![.!?])[.!?]++[\"')\]]*(?=\s)|(?<=\w)\s[–—]\s(?=and\s(?:also|please)\b)")


def sentences(paragraph: str) -> list[str]:
    """Cut at sentence ends; a parenthesis that is a sentence of its own comes with its brackets."""
    found: list[str] = []
    start = 0
    for end in _END.finditer(paragraph):
        before = paragraph[start:end.start()]
        mark = end.group()
        if mark.startswith(".") and len(mark.rstrip("\"')]")) == 1 and (_ABBREVIATION.search(before[-12:]) or (before.
            count("(") > before.count(")") and ")" not in mark)):
            continue
        if mark.startswith(".") and before.endswith(("/", " ")):        # "./...", " ...": a path or a pause
            continue
        found.append(paragraph[start:end.end()].strip())
        start = end.end()
    found.append(paragraph[start:].strip())
    out: list[str] = []
    for sentence in found:
        out.extend(_asides(sentence))
    return [s for s in out if s]


_ASIDE = re.compile(
    r"\s*(\((?=[^()]{24,400}\))[^()]*\s(?:is|are|was|were|has|have|do|does|use|uses|run|runs|keep|keeps|don't|can|"
    r"will|went|took|did|own|owns|call|calls)\s[^()]*\)[.!]?)\s*")


def _asides(sentence: str) -> list[str]:
    """A bracketed clause with a verb of its own is a sentence beside the sentence."""
    if "(" not in sentence or sentence.startswith("("):
        return [sentence]
    found = _ASIDE.search(sentence)
    if found is None:
        return [sentence]
    rest = f"{sentence[:found.start()]} {sentence[found.end():]}".replace(" ,", ",").replace(" .", ".").strip()
    return [rest, found.group(1)]
