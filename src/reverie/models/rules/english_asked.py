"""Questions that are none: wishes ("could you always …?") and a question with its answer in one breath ("server logs? Graylog, …")."""

from __future__ import annotations

import re

from reverie.models.rules import english_clauses
from reverie.models.rules.english_order import order
from reverie.models.rules.english_shape import shape

_WISH = re.compile(
    r"^(?:(?:please|ok|hey|and|also|so|next time|from now on|one (?:more )?(?:thing|wish)),?:? )*(?:could|can|would|will) (?P<who>you|we)(?: all)? "
    r"(?:(?:please|kindly|maybe|just|perhaps|try to|make sure to|also|both) )*(?P<mind>mind )?(?P<rest>[a-z].{6,300}?),?(?: please)?\s*\?+\s*$",
    re.IGNORECASE)
_STANDING = re.compile(
    r"\b(?:always|never|from now on|from here on|whenever|stop|no longer|stick to|in (?:the )?future|going forward|"
    r"before you|when(?:ever)? you|not \w+ any ?more|for good|as a rule|next time)\b")
_SWEEPING = re.compile(r"\b(?:every|each|any|all (?:new|the|other|our)|everywhere|instead of|rather than)\b")
_OURS = re.compile(r"\b(?:always|never|from now on|from here on|stick to|stop|no longer|in (?:the )?future|going forward|agree (?:on|to|that))\b")
_CHOICE = re.compile(r"\bor (?:not|should|do|is|the|a|would|maybe)\b")
_GERUND = re.compile(r"^(?P<no>not )?(?P<verb>[a-z]+)ing\b")
_REASON = re.compile(
    r"^(?!(?:could|can|would|will|what|why|how|is|are|do|does|thanks|thank|please|ok|let|also|and|then|after)\b).{12,}")


_OWN_REASON = re.compile(r"^(?:i|i'm|i've|my|it|it's|this|that|that's)\b")


def wish(said: str, following: str) -> str:
    """The order that a polite question stands for, when it is meant for good; "" for a question or a task.

    A reason behind it counts: people give reasons for rules, seldom for tasks.
    """
    found = _WISH.match(said.strip())
    if found is None or _CHOICE.search(said.lower()):
        return ""
    rest = found["rest"].strip()
    if found["mind"] or rest.lower().startswith("not "):
        if (gerund := _GERUND.match(rest)) is None:
            return ""
        rest = ("don't " if gerund["no"] else "") + _base(gerund["verb"]) + rest[gerund.end():]
    low = shape(rest).low
    told = order(low) or order(re.sub(r"^(?:always|never|only|again) ", "", low))
    if found["who"].lower() == "we":
        return rest if _OURS.search(low) else ""
    if (_STANDING.search(low) or (_SWEEPING.search(low) and told is not None and not told.task and not told.both)) and not re.search(r"\b(?:this|that|these|it)\b(?! way)", low.split(",")[0].split(" before ")[0]):
        return rest
    if told is None or told.reach < 0:
        return ""
    reason = following.strip().lower()
    if not _REASON.match(reason) or reason.endswith("?") or told.task or (told.both and _OWN_REASON.match(reason) and not found["mind"]):
        return ""
    return rest


def _base(stem: str) -> str:
    """The base form behind "-ing": "writing" -> "write", "putting" -> "put", "adding" -> "add"."""
    if len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "lsdz":
        return stem[:-1]
    return stem + "e" if re.search(r"(?:[aiou][tkvmzsd]|[^aeiou][aeiou]?[cgv]|ur|us|ov|uc|nc|ng(?<!ing)|let)$", stem) and stem not in (
        "add", "read", "avoid", "hold", "mind", "wait", "repeat", "load", "commit", "edit") else stem


_TOPIC = re.compile(r"^(?:(?:and|ah|oh|so|the|our|my|about|for) )*(?P<topic>[\w'/-]+(?: [\w'/-]+){0,4})\?$", re.IGNORECASE)
_WHERE = re.compile(
    r"^(?:and )?(?:where (?:do|does|did|can) (?:the |our |i |we |you )?(?P<a>[\w' -]{3,40}?)(?: (?:come from|live|go|land|sit|find|get|look)\b[\w ]{0,20})?|"
    r"where (?:is|are|'s) (?:the |our )?(?P<b>[\w' -]{3,40}?)|who (?:owns|knows about|handles|does|is responsible for|looks after) (?:the |our )?"
    r"(?P<c>[\w' -]{3,40}?)|which (?P<d>[\w' -]{3,30}?)(?: do we use| (?:is|are) (?:it|that|right))?)\?$", re.IGNORECASE)
_NO_TOPIC = re.compile(
    r"\b(?:i|you|we|he|she|it|they|this|that|ok|okay|ready|done|right|yes|no|sure|really|what|why|how|when|who|which|is|are|was|do|does|did|"
    r"can|could|should|coffee|lunch|thoughts|ideas?|opinions?|anything|something|else|seriously|makes?|works?)\b", re.IGNORECASE)
_NO_ANSWER = re.compile(
    r"^(?:yes|no|yep|nope|sure|maybe|later|done|i|we|you|(?:they|it|that|this)(?! (?:is|are|lives?|sits?)|'s)|please|thanks|let|ok|okay|can|could|check|fix|add|run|make|do|"
    r"show|look|tell|green|red|fine|nothing|not|still|never ?mind|just|what|why|how|where|or|and|because|if)\b", re.IGNORECASE)


_FIXED = re.compile(r"\b(?:always|never|only|every|each|without exception|at most|exactly)\b")


_WISHFUL = re.compile(r"\b(?:needs?|wants?|maybe|perhaps|could|should|might|would|ideally|someday|if)\b")


def found_place(answer: str) -> bool:
    """Whether an answer begins with where it is: "they are in Figma", "all of it lives in …"."""
    return _PLACED.match(answer.lower()) is not None


_PLACED = re.compile(r"^(?:(?:they|those|it|all of (?:it|them)|all|everything|that)(?:'s| is| are| lives?| sits?| goes?| comes?)) (?:in|at|on|under|from|to) ")


def answered(question: str, answer: str) -> str:
    """A question and its own answer as one statement; "" when the question is meant or the answer says nothing."""
    answer = answer.strip()
    if not answer or answer.endswith("?") or len(answer.split()) > 16 or len(answer) < 4 or _NO_ANSWER.match(answer):
        return ""
    if found := _WHERE.match(question.strip()):
        topic = next(group for group in found.groups() if group)
    elif (found := _TOPIC.match(question.strip())) and not _NO_TOPIC.search(found["topic"]):
        topic = found["topic"]
    else:
        return ""
    if _WISHFUL.search(f"{topic} {answer}".lower()) or english_clauses.finite(shape(topic).low):
        return ""
    if english_clauses.finite(shape(answer).low.removeprefix("it's ")) and not found_place(answer):
        return ""
    low = shape(f"it is {answer}").low
    return f"{topic}: {answer}" if not low.islower() or _FIXED.search(low) else ""
