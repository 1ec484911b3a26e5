"""What an English sentence shows that bears on memory: one row per sign, with what it says about lasting and about
the type.

A sign is a piece of linguistic evidence: mood, person, tense, quantification, norm, cause, harm, decision, place,
deixis. Its
``lasting`` weight is added up; a sentence is worth keeping from ``english.KEEP`` on. ``votes`` are for user, feedback,
project, reference. Patterns match ``Shape.low`` (see ``english_shape``), where capital letters are names or masked
values.
The weights were set by hand in quarters: they rank evidence, they do not measure it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from reverie.models.rules.english_words import (
    AFFAIRS,
    AUTHORITY,
    DECIDE,
    EDITORS,
    HARM,
    MONTHS,
    PLACES,
    SYSTEMS,
    TONGUES,
)


@dataclass(frozen=True, slots=True)
class Sign:
    """One kind of evidence."""

    name: str
    lasting: float
    votes: tuple[float, float, float, float]  # user, feedback, project, reference
    pattern: re.Pattern[str]
    needs: tuple[str, ...] = ()     # no look is taken unless one of these is in the text: cheaper than the pattern


def words(*alternatives: str) -> str:
    """A pattern for any of these, as whole words."""
    return rf"\b(?:{'|'.join(alternatives)})\b"


def sign(name: str, lasting: float, votes: tuple[float, float, float, float], *patterns: str, needs: str = "") -> Sign:
    """A sign; ``needs`` holds texts between "|", or NAMED for any capital letter: a name or a masked value."""
    return Sign(name, lasting, votes, re.compile("|".join(patterns)), tuple(needs.split("|")) if needs else ())


def shown(signs: tuple[Sign, ...], low: str) -> list[Sign]:
    """The signs that a sentence shows, in their order."""
    named = not low.islower()
    return [each for each in signs if _may(each.needs, low, named) and each.pattern.search(low)]


def _may(needs: tuple[str, ...], low: str, named: bool) -> bool:
    return not needs or (named if needs[0] == NAMED else any(text in low for text in needs))


NAMED = "A-Z"
NAME = r"[A-Z][a-z]+(?:-[A-Z][a-z]+)?"
PERSON = rf"(?!{SYSTEMS}\b)(?!(?:{TONGUES}|{MONTHS})\b){NAME}"
TARGET = r"(?:URL|PATH|CHAN|ID|CODE)"
NOW_AND_THEN = "(?:just |all |finally |now |have |has |had |'ve |never |only |also )*"

_TIME = (
    sign("standing", 2.0, (0, 1, .25, 0), words(
        "from now on", "from here on", "from (?:today|this point) on", "going forward", "in (?:the )?future",
        "as a rule", "by default", "every time", "whenever",
        "at all times", "for good", "without exception", "(?:not|no|don't|isn't|never)\\b.{1,40} any ?more",
        "no longer(?! than)", "as of", "once and for all",
        "across the board", "our standard", "as always", "(?:starting|effective) (?:now|today|DAY|DATE|immediately)")),
    sign("always", 2.0, (0, .5, 0, 0), words(
        "always", "(?:is|are|be|gets?|being) never",
        "never(?! (?:made|got|came|went|saw|had|was|were|did|[a-z]+ed)\\b)", "ever since", "under no circumstances",
        "on principle", "at no point", "in no case", "invariably", "every single", "nowhere else")),
    sign("only", 1.0, (0, .25, .25, .25), words(
        "only(?! (?:prints?|shows?|says?|works?|happens?|one left))", "exclusively", "solely", "nothing but",
        "and nothing else", "the one place",
        "(?:single|one) source", "source of truth", "not a \\w+ more", "alone")),
    sign("universal", 1.0, (0, .5, .25, 0), words(
        "every(?! (?:minute|second|time i)\\b)", "each", "any(?! (?:more|idea|luck|news)\\b)", "everything",
        "anything(?! (?:else|wrong|new)\\b)", "nothing(?! (?:happens|changed|wrong)\\b)",
        "nobody", "no one", "everyone", "anyone", "whoever", "whatever", "none of",
        "all (?:new |of |our |the )?[a-z]\\w+s", "all (?:new |our )?[a-z]\\w+ (?:is|has|goes|must)")),
    sign("new_things", 1.0, (0, .25, .5, 0), words(
        "(?:any|every|each|all|no|nothing|anything|everything) new", "nothing new",
        "new (?:[a-z]+ )?(?:code|features?|work|\\w+s) (?:must|have to|has to|need|needs|go|goes|are|is|get|gets|on)")),
    sign("habit", 1.5, (.25, .5, 0, 0),
         r"\b(?:when(?:ever)?|before|after|once|if|unless|until) (?:you|we|one|someone|anyone|somebody) (?:ever "
         r")?(?!commit this|do that|did|were|had)[a-z]+\b",
         r"\b(?:what|whatever|wherever) you (?:touch|touched|chang|edit|add|write)\w*",
         r"\b(?:when|before|while|after) (?!i\b|noon|lunch|morning|evening)[a-z]+ing\b",
         r"^for (?:every|each|any|all)\b",
         r"\bif (?:it|they|there)(?:'s| is| are) [\w ]{2,30}?(?:,| you| we| ask| ping| tell| call| use| run| then) ",
         r"\bwhen(?:ever)? (?!i\b|you\b|we\b|it\b|this\b|that\b|the\b|my\b)[a-z]+ [a-z]+s\b",
         r"^if [a-z]+ (?:hangs?|fails?|breaks?|crash(?:es)?)\b"),
    sign("in_kind", .75, (0, .5, 0, 0),
         r"\b(?:in|for|on|with|across|over|from|into|around|to) (?:all |our |any |user-facing |public |integration |"
         r"unit |end-to-end )?(?!this\b|us\b|is\b|its\b|minutes|seconds|hours|days|weeks|months|years|times)"
         r"(?:[a-z][a-z-]+ )?[a-z][a-z-]{2,}(?<!s)s\b(?! (?:ago|later|left))",
         r"\bin (?:review|code|writing|production|public|general|private)\b"),
    sign("exception", 1.0, (0, 0, .75, 0), words("unless", "except (?:for|when|in|that)", "apart from", "other than",
        "with the exception")),
    sign("when", 1.0, (0, 0, 1.25, 0), words(
        rf"(?:by|until|till|before|from|after|as of|starting|between|through|on|not before|no later than|around|"
        rf"since|ends?|at) (?:the )?(?:end of |middle of |early |late |mid-?|next |start of |beginning of )?"
        rf"(?:DATE|DAY|{MONTHS}|month|quarter|year|spring|summer|autumn|winter|sprint|noon|release \d|Easter|"
        rf"Christmas|New Year|Ramadan|Diwali)",
        "(?:this|next) (?:quarter|year|sprint|release|month)", "DATE", "TIME (?:to|and|until) TIME",
        "(?:is|are|to|on) DAYs?", "of the month", "in week NUM", "DAYs? is", "DAY noon", "summer break"), r"^DAYs?\b"),
)

_NORM = (
    sign("norm", 1.5, (0, .75, .25, 0), words(
        "must(?:n't| not)?", "has to", "have to", "needs? to(?: be)?",
        "needs? (?:my|your|our|at least|NUM|two|one|[A-Z])\\w*", "required", "mandatory", "compulsory", "requires?",
        "allowed", "permitted", "forbidden", "forbids?", "prohibits?", "banned", "prohibited", "off[- ]limits",
        "may not", "may only", "may be", "may merge", "not allowed", "supposed to", "(?:is|are) out(?! of\\b)",
        "not up for", "not negotiable", "ought to", "stays?\\b(?! (?:tuned|home|there$|up late))", "counts?$",
        "(?:does|do)(?: not|n't) count",
        "can't go", "cannot go", "is (?:good )?enough", "is for", "(?:stick|stay|keep|adhere|hold|conform) to",
        "(?:follow|respect|honou?r|obey|abide by|comply with) (?:it|that|this|the|our|them)",
        "belongs? (?:in|to|into|under|on)")),
    sign("needs_a", .5, (0, .5, .25, 0), r"\bneeds? an? [a-z]", r"\bwants? (?!to\b|me\b)"),
    sign("wills", 1.5, (0, .5, .5, 0), words(
        "insists?", "(?:was|were|is|are) (?:very |quite )?(?:clear|firm|strict) (?:about|on|that)", "demand(?:s|ed)?",
        "expect(?:s|ed)?", "mandate[sd]?", "promised", "refuses?", "vetoed", "objects? to",
        "asked for", "asks? (?:us|for)", "rel(?:y|ies) on", "depends? on (?:that|it|this)",
        "(?<!\\bi )(?:won't|doesn't|don't|only|never) (?:accepts?|takes?|reads?|understands?|supports?)", "vetoe?s?",
        "limited to", "restricted to")),
    sign("should", .75, (0, .75, 0, 0), words("should(?:n't| not)?", "shall")),
    sign("prefer", 1.5, (.5, 1, 0, 0), words(
        "prefer(?:s|red|ably)?", "i(?:'d| would) rather", "i like (?:it|to|my|when|the|how|[a-z]+ing)",
        "i (?:hate|dislike|can't stand|love)", "we like", "we favou?r", "is how (?:i|we)", "the way (?:i|we)",
        "what (?:i|we) (?:want|like|need)", "as (?:i|we) like", "i'd rather", "i appreciate")),
    sign("contrast", 1.0, (0, .75, 0, 0), words("instead of", "(?<=[,;–—] )never(?! mind\\b)", "rather than", "as opposed to", "not just",
        "not [\\w`]+(?: \\w+)? but", "and not (?:the |a )?\\w+"),
         r", (?:and )?not (?!sure|yet|now|really|that|to mention|working|there)\w",
         r"\b[a-z]+ over (?:[a-z-]+ )?[a-z-]+(?: in| for| when| please|[,.;:]|$)", r"^not \w+[.,;]", needs="not|never|instead|rather|over|oppose"),
    sign("order_of", 1.0, (0, 1, 0, 0), r"\b\w+ first\b(?!,? (?:time|i )).{0,60}\b(?:then|after|later|before)\b",
        r"\bfirst\b.{3,60}\b(?:then|only then)\b", r"\bone \w+ per \w+", r"\b(?:on|to|in) \w+ first\b",
         r"\b\w+ first(?:$|[,:.])", r"\bin between\b", r"\bat the (?:very )?(?:top|bottom|beginning|end|start)\b",
         r"\b(?:only |just |exactly )?once,? (?:and |only )?(?:at|on|before|after|when|per)\b", needs=
         "first|per |between|at the|once"),
    sign("none_of", 1.5, (0, 1, .25, 0),
        r"(?:^|[,;:.] |\band |\bplease |\bwith |\bhas |\bhave |\bis |\bare |\bso )no (?!idea|problem|worries|rush|"
        r"luck|need|clue|way\b|longer|one\b|matter|thanks|hurry|wonder|reason|point|doubt|change"
         r"|error|result|sign|more (?:errors|questions))(?:\w+[ -])?[\w(`]+", needs="no "),
    sign("dont", 1.25, (0, 1, 0, 0),
         r"(?:^|[,;:] |\band |\bso |\bplease |\bbut )(?:don't|do not|avoid) (?!worry|bother|forget|need|have|know|"
         r"think|mind|care|see|get|understand|want|yet)[a-z]+ (?!it\b|this\b|that\b|them\b|the\b|anything yet|yet\b|"
         r"with it)",
         r"(?:^|[,;:] |\band |\bplease )(?:don't|do not|avoid) [a-z]+ the [\w-]+ (?:in|for|at|on|with) (?!the|this|"
         r"that|my)\w+", needs="don't|do not|avoid"),
    sign("only_for", 1.0, (0, 1, 0, 0), r"^(?:[\w./-]+ ){1,5}only(?:$|[,.;]| (?:for|in|on|via|with)\b)",
        r"\bonly via\b", r"(?:^|[,;:.] )only [a-z-]+s\b", r"\bvia [\w./`-]+ only\b"),
    sign("rule_word", 1.5, (0, 1, .25, 0), words(
        "rules?", "conventions?", "polic(?:y|ies)", "house style", "style guide", "guidelines?", "practice",
        "agreement", "habit", "norm", "on purpose", "deliberate(?:ly)?", "intentional(?:ly)?", "by design")),
    sign("confirmed", 2.0, (0, 1.5, 0, 0), words(
        "(?:keep|carry on|go on|continue) (?:doing|working|it|on)(?: \\w+){0,3} (?:like|that|this|way)",
        "keep (?:doing (?:it|that|this)|it (?:like|that|this|up))",
        "exactly (?:like that|this|right|how|the way)", "that's (?:how|the way|exactly)",
        "that is (?:how|the way|exactly)", "(?:do|want) (?:it|them|this|that|\\w+) (?:like|exactly) (?:this|that)",
        "more of (?:that|this|the same)", "worked (?:well|great|nicely|perfectly)",
        "(?:was|is) (?:exactly|just|the) right", "as you did"), r"\b\w+ it is(?:$|,)", needs=
        "like|this|keep|that|way|right|it is|same|work|as you"),
    sign("stop_it", 2.0, (0, 2, 0, 0), r"(?:^|[,.;] |\bplease |\band )(?:stop|quit) (?:\w+ly )?[a-z]+ing\b",
        r"\b(?:i|we|you) keep (?!getting|seeing (?!you))[a-z]+ing\b", r"\bi(?:'m| am) (?:tired|sick) of\b", needs=
        "stop|quit|keep |tired|sick"),
    sign("want_kind", 1.0, (.25, 1, 0, 0),
        r"\bi (?:always |usually |generally |typically |really )?(?:want|expect|like|need) (?!to\b|you to\b|a\b|an\b|"
        r"the\b|this\b|it to\b|help)", r"\bi don't need [a-z]+s\b",
        r"\bi(?:'d| would) like (?!to\b|a\b|an\b|the\b|you\b)[a-z]+s\b", needs="i |i'|my|me"),
    sign("not_wanted", 2.0, (.25, 1.75, -.25, 0),
         r"\bi (?:really |just |absolutely )?(?:don't|do not|never|won't) (?:ever )?(?:want|like|need|accept|allow) "
         r"(?:to see (?:any )?|any )?(?!to\b|you to\b|the\b|this\b|that\b|it\b|a\b|an\b)[a-z-]+\b", needs="i "),
    sign("they_read", 1.0, (0, .75, .25, 0), words(
        "(?:we|they|reviewers|users|customers|clients|people|auditors|analysts|the [a-z]+s?) (?:want|expect|need|"
        "parse|read|edit|use|delete|check|choke)")),
)

_COMMUNITY = (
    sign("we_present", 2.0, (0, 1, .25, 0),
        r"(?<!before )(?<!after )(?<!when )(?<!once )(?<!if )(?<!until )(?<!while )(?<!how )(?<!what )(?<!where "
        r")(?<!why )(?<!can )(?<!should )(?<!do )\bwe (?:all |also |usually |generally |normally |always |never |"
        r"only |still )?(?:don't|do not|(?!have\b|had\b|are\b|were\b|was\b|need\b|should\b|could\b|can\b|might\b|"
        r"may\b|will\b|would\b|do\b|did\b|want\b|got\b|get\b|just\b|keep getting"
         r"|see\b|ever\b|lost\b|went\b|said\b|nearly|almost|both\b|two\b|found\b|met\b|ran\b|'|there\b|saw\b|left\b|"
         r"made\b|put\b|cut\b|let\b|if\b|in\b|on\b|as\b|at\b|of\b|or\b|for\b|finally|already|now\b|think\b|know\b|"
         r"hope\b|seem\b|meet\b|agree\b|believe\b|guess\b|feel\b|look\b|wait\b|try\b|start\b|still\b|run\b (?:the|it|"
         r"this))[a-z]+(?<!ed))\b", needs="we "),
    sign("here", .75, (0, .5, .25, .25), words(
        "in (?:this|our) (?:repo|repository|project|code ?base|code|team|app|service|firmware|package|module|library|"
        "company|org|organi[sz]ation|shop|crate|product)",
        "for this (?:repo|project|team|app|service|code ?base)", "on this (?:project|team)", "around here",
        "over here", "everything in here", "our",
        "here (?=since|because|we|please|never|always|is|are)"), r"(?<!right )(?<!out of )(?<!from )\bin here\b",
        r"\bhere(?:$|,)", r"\bhere it(?:'s| is)\b"),
    sign("artifact", 0.0, (0, .25, 0, 0), words(
        "tests?", "suites?", "code", "functions?", "class(?:es)?", "identifiers?", "commits?", "branch(?:es)?",
        "pull requests?", "prs?", "quer(?:y|ies)", "errors?", "exceptions?", "logs?", "logging", "imports?",
        "comments?", "docstrings?", "types?", "annotations?",
        "fixtures?", "mocks?", "snapshots?", "lint\\w*", "formatting", "variables?", "constants?", "modules?",
        "components?", "endpoints?", "schemas?", "columns?", "tables?", "configs?", "scripts?", "helpers?",
        "dependenc(?:y|ies)", "librar(?:y|ies)", "builds?", "lockfile",
        "changelog", "review(?:s|ers?)?", "diffs?", "patch(?:es)?", "refactor\\w*", "hooks?", "exports?", "strings",
        "templates?", "css", "html", "json", "api", "sql", "yaml", "regex", "timeouts?", "retries", "threads?",
        "locks?", "cache", "async", "callbacks?", "file names?", "keys",
        "parser", "package", "notebooks?", "docs?", "functions", "arguments?", "parameters?", "loops?", "dates?")),
    sign("named", 0.0, (0, 0, .25, 0), rf"(?<!^)\b{PERSON}\b", needs=NAMED),
    sign("person_acts", 1.0, (0, 0, 1.5, 0),
         rf"\b{PERSON} (?:heard|knew|saw|look(?:ed|ing)|approv(?:ed|ing)|noticed|found out|review(?:ed|ing)|"
         rf"agree[sd]?|signing|was(?:n't| not)? (?:told|asked|away|ill|informed|involved)|being (?:told|asked)|"
         rf"thinks|says|wants|insists|"
         rf"prefers)\b",
         rf"^{PERSON} (?:gets|receives|prepares|checks|signs|pays|delivers) (?!the same|an error|a \w+ error|stuck|\w+ed)(?:the|all|every|our|a)\b",
         rf"\b(?:told|asked|asking|telling|involving|consulting|informing|informed|consulted) {PERSON}\b", needs=NAMED),
    sign("at_path", 0.0, (0, 0, 0, .1), r"\bPATH\b", needs=NAMED),
    sign("is_done", 1.0, (0, .75, 0, 0), words(
        "(?:is|are|get|gets) (?:never |always |only |all )?(?:[a-z]+ed|written|done|kept|built|run|read|set|made|"
        "sent|shown|given|taken|chosen|drawn|put|split|named|spelled|rounded) (?:with|by|via|through|in|from|as|"
        "after|like|on|under|per|for|against|before|and)")),
)

_CAUSE = (
    sign("because", 1.0, (0, .25, .25, 0), words(
        "because", "so that", "otherwise", "or else", "due to", "owing to", "that's why", "that is why",
        "which is why", "therefore", "hence", "given that", "as a result", "the reason", "for .{3,30} reasons?",
        "since (?:the|we|it|they|every|our|nobody|that|some|a|then|he|she|one|all)\\b(?! morning| last| then| "
        "(?:first|second))"), r", so (?!far|long|many|much)", r"; so ", r"[,;] else ", needs=
        "because|so |otherwise|else|due|owing|why|therefore|hence|given|result|reason|since"),
    sign("harm", .5, (0, .25, .25, 0), rf"\b{HARM}\b"),
    sign("cost", .5, (0, .25, 0, 0), words(
        "an hour", "hours", "a day", "days", "a week", "weeks", "a month", "months", "weekend", "afternoon", "evening",
        "(?:twenty|eleven|ten|NUM) minutes", "half (?:a|the|of)", "most of the",
        "whole (?:day|afternoon|morning|weekend|week|night|evening|team)", "twice", "customer's", "customers?",
        "(?:took|in|on|brought|to) prod(?:uction)?", rf"in {MONTHS}", "in (?:spring|summer|autumn|winter)",
        "last (?:year|spring|summer|autumn|fall|winter|month|quarter|release|time|rewrite|week|three|two)",
        "all (?:year|day|night|week)", "doubles", "at night", "month end", "real (?:money|people|person|users?)")),
    sign("without", 1.0, (0, .5, .25, 0),
        r"\bwithout (?!me\b|problem|issue|error|luck|success|doubt|any problem)[\w'`]+",
        r"\b(?:since|because) .{3,40} (?:not|never|n't)\b", r"\bnobody (?:told|asked|pinned|checked|wrote)\b"),
    sign("costs_us", 1.0, (0, 0, 1, 0), r"\bcosts? (?:us|them|the \w+|about|around|NUM)", r"\bpenalt(?:y|ies)\b",
        r"\bfines?\b", needs="cost|penalt|fine"),
    sign("cause_found", 2.0, (0, 0, 2, 0), words(
        "(?:was|were|is|are|been) caused by", "root cause", "turned out", "came from", "(?:was|were) (?:all )?due to",
        "in the end it was", "the culprit", "was triggered by", "real fix",
        "actual (?:cause|reason|problem)", "happened (?:since|because)",
        "what (?:[a-z]+ed|broke|hit|took) .{3,60} was", "comes? down to", "there is still no")),
)

_AFFAIRS = (
    sign("place_moved", 1.0, (0, 0, 0, 2.75),
        rf"\b{PLACES}\b.{{0,24}}\b(?:moved|moves|reorgani[sz]ed|renamed|migrated|merged|split)\b",
        rf"\b(?:moved|migrated|transferred) (?:the |our |all )?{PLACES}\b", needs=
        "mov|organi|rename|migrat|merged|split|transfer"),
    sign("verdict", 1.5, (0, 0, 2, 0),
         r"\b(?:outage|crash|incident|leak|lag|failure|gap|delay|slowdown|hang|downtime|data loss|bug|"
         r"spike)s?\b[^,.;]{0,40} "
         r"(?:was|were|is) (?:a|an|the|our|due|caused|because)\b",
         r"\b(?:officer|manager|director|lead|ceo|cto|owner|office|committee|council|parliament|ministry|authority|"
         r"authorities|court) (?:said|says|wants|decided|agreed|asked|ruled|refused|insists)\b"),
    sign("decided", 2.0, (0, 0, 2, .25),
         rf"\b(?:we|they|legal|finance|management|marketing|security|the (?:\w+ ){{0,2}}(?:team|board|review|"
         rf"customer|client|vendor|council|regulator|committee|lead|ministry)|{NAME}) {NOW_AND_THEN}{DECIDE}\b",
         rf"\b(?:was|were|been|got|gets|being|is|are) {NOW_AND_THEN}{DECIDE}\b",
         rf"\bwe(?:'re| are) (?:now |currently |slowly )?{DECIDE}\b",
         r"\bwe(?:'re| are) (?:back |now |all )?(?:on|using|with) (?!it\b|the way|track|call|vacation|that|schedule|"
         r"hold)[\w`]+", r"\b(?:went|goes) (?:up|down|back) to\b",
         r"\b(?:moved|moves|slipped|renamed|changed|went|shifted|shifts|pushed|postponed|migrated|migrates|switched|"
         r"switches) (?:back )?(?:from \S+(?: \S+){0,4} )?to\b(?! the (?:next|bottom|top|other) )",
         r"\bbecame\b(?! (?:clear|obvious|apparent|slow|red))"),
    sign("plan", 2.0, (0, 0, 2.5, 0), words("change of plans?", "the (?:new )?plan is", "decision (?:is|was)",
        "decision", "new plan", "out of scope", "in scope", "was scoped", "outcome of", "the goal", "priority",
        "(?:is|are) the (?:last|first|only) (?:one|version|release|\\w+ with|\\w+ that)",
                                           "follows? (?:once|when|later)", "(?:not|only) before", "for a year",
                                           "won't (?:be|come|happen|ship|change)",
                                           "will be (?:removed|gone|switched|closed|shut)")),
    sign("from_to", 1.0, (0, 0, .5, 0), r"\bfrom (?:\S+ ){1,5}to (?:\S+)", needs="from "),
    sign("affairs", .75, (0, 0, 1, 0), rf"\b{AFFAIRS}\b"),
    sign("authority", .75, (0, 0, 1.25, 0), rf"\b{AUTHORITY}\b"),
    sign("offering", 0.0, (0, 0, .75, 0), words("ships?", "shipped", "shipping", "supports?", "offers?", "sells?",
        "sold", "pric(?:e|es|ing)", "priority", "launch\\w*", "rolled out", "customers", "app stores?", "public")),
    sign("organisation", .25, (0, 0, .75, 0), words(
        "company", "companies", "offices?", "agenc(?:y|ies)", "ministr(?:y|ies)", "universit(?:y|ies)", "schools?",
        "clinics?", "hospitals?", "museums?", "banks?", "government", "partners?", "departments?", "provider",
        "employees", "staff", "municipality", "city", "hosting",
        "sponsor", "pilot", "patients?", "students?", "teachers?", "lawyers?", "union", "council", "court",
        "insurance", "insurer", "parliament", "senate", "authorit(?:y|ies)", "association", "foundation")),
    sign("measure", 1.0, (0, .25, .75, 0), words(
        "(?:under|over|below|above|at most|at least|no more than|no less than|not more than|up to|maximum|minimum|"
        "max|min|within|exactly|limit\\w* (?:of|to|is|at|went)|limited to|capp?ed at|more than|less than|fewer than"
        "|stays? (?:at|on|under|below)|kept for|retained for|allowed|deleted after|latest) (?:NUM|TIME|DATE|one|two|"
        "three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety|a hundred|a "
        "byte|that|\\w+ NUM)",
        "(?:older|longer|newer|larger|bigger|shorter|heavier) than (?:NUM|a|an|one|two|three|four|five|six|seven|eight|nine|ten|twelve)",
        "NUM (?:ms|seconds?|minutes?|hours?|days?|months?|years?|percent|%|GB|MB|KB|gb|mb|lines|characters|calls|"
        "requests|cents)", "window is")),
    sign("owner", 2.0, (0, 0, 2, 0),
         rf"\b{NAME} (?:owns|maintains|decides|signs|approves?|reviews|takes? over|does|covers|keeps|leads|runs|"
         rf"knows|handles|manages|has (?:the|to|all|final)|looks after|is (?:our|the|responsible|in charge|on|who)|"
         rf"left|joins?|joined|will (?:own|lead|review|take)|may|must|needs to)\b",
         rf"\b(?:reviews?|approval|sign[- ]?off|signed off|approved|permission|go-ahead|okay|ok|word|blessing|input|"
         rf"owned|maintained|led|reviewed|handled|run|signed|done|decided) (?:off )?(?:from|by|of) {PERSON}\b",
         rf"\b(?:ask|asking|told|tell|telling|ping|tag|talk to|speak to|check with|goes? (?:to|through|via|past)|"
         rf"escalate to|belongs? to|assigned to|open with|contact|call|cc|consult|(?:over|goes|go|handed|passed|"
         rf"moved|turn|reports?|listens?) to|runs? past) {PERSON}(?: now| first| before| and {NAME})?(?:$|[,.;]| "
         rf"now\b| first\b| and\b)",
         rf"\bwithout {PERSON} \w+ing\b", rf"\bonly {PERSON} (?:and {NAME} )?(?:has|have|can|may|knows?)\b",
         rf"\b(?:owners?|maintainers?|reviewers?|contacts?|leads?) (?:for|of) (?:\S+ ){{1,4}}(?:is|are) {NAME}",
         r"\bthe only one who\b",
         r"\b(?:is|are) (?:responsible|in charge|the owner|accountable)\b",
         rf"\b(?:is|are) {PERSON}(?:$|,| and {NAME})(?! \d)",
         r"\bthe (?:on-call|platform|security|release|build|duty) (?:engineer|team|lead|manager)\b"),
    sign("cadence", 1.5, (0, 0, 1.0, 0), words(
        "(?:once|twice|every|each|times) (?:a |an |per |NUM |two |three |other |second )?(?:hour|day|night|week|month|quarter|year|"
        "morning|evening|weekend|spring|summer|autumn|winter|season)s?",
        "(?:NUM|one|two|three|four|five|ten) (?:[a-z]+ )?[a-z]+s? (?:a|per) (?:day|week|month|quarter|year)", "(?:nightly|weekly|monthly|quarterly|yearly|annually) at")),
    sign("bound_of_support", 2.0, (0, 0, 2.5, 0),
         r"\b(?:oldest|lowest|newest|highest|smallest|largest|minimum|only|last|first|latest|earliest) (?:[\w-]+ ){0,3}?(?:that )?we "
         r"(?:\w+ )?(?:support|build|ship|sell|test|run|target|accept|certify)\b"),
    sign("replaced", 1.0, (0, 0, 1, 0), words(
        "replace[sd]?", "superseded", "in place of", "off [A-Z]\\w+", "end of life", "dead code", "maintenance mode",
        "in favou?r of", "goes? away", "going away", "thrown out", "ripped out", "kicked out", "removed for good",
        "comes? back",
        "keeps? (?:running|working|alive)", "goes? live", "go live", "ends? (?:with|in|on|after)",
        "dropp(?:ed|ing) (?:support|\\w+ after)", "kept until",
        "stays? in", "switched off", "shut down", "(?:is|are) (?:gone|dead|history|retired|deprecated|removed)",
        "(?:is|are) [a-z]+ed out",
        "(?:got|has) (?:a new|its own)", "gone (?:by|in|after|from)",
        "(?:is|are) (?:done|over|finished) (?:by|in|after)")),
)

_ARE = (
    "(?:is|are|'s|lives?|sits?|stays?|kept|stored|found|tracked|documented|described|listed|recorded|collected|"
    "published|archived|logged|reported|filed|go|goes|ends? up|lands?|comes?|moved|hosted|configured|set|posted|"
    "discussed|managed|live|became|held|announced|read|visible|available|arrives?|has|have)")
_AT = "(?:in|at|on|under|to|from|through|via|behind|over at|into|onto|with|by)"

_PLACES = (
    sign("located", 2.0, (0, 0, 0, 2.25),
         rf"\b{PLACES}\b[^.;]{{0,60}}?\b{_ARE} (?:only |now |all |up |here |kept |stored |found |listed |tracked |as "
         rf"\w+ |in "
         rf")*{_AT} (?:the |our |a |an )?(?:\w+ ){{0,3}}?(?:{SYSTEMS}|{TARGET}|[A-Z][\w-]*|wiki|vault|bucket|share|"
         rf"drive|'\w)"),
    sign("place_is", 2.0, (0, 0, 0, 2),
        rf"\b{PLACES}(?: (?:for|of|about|with|on) (?:\S+ ){{1,4}}?| )?(?:is|are|'s|=|:|became) (?:at |in |on |under |"
        rf"now |called )*(?:the |our )?(?:{TARGET}|[A-Z]{{2,}}\b|{SYSTEMS})",
         r"\bfor (?:this|our) \w+ it(?:'s| is) [A-Z]\w+",
         r"\b(?:come|comes|taken|copied|loaded) from (?:the )?(?:\w+ )?(?:PATH|URL)(?:$|[,.;])",
         rf"\b(?:come|comes|read|taken|fetched|loaded|pulled) from (?:the |our )?(?:\w+ )?(?:{SYSTEMS}|vault|bucket|"
         rf"share|wiki|secret store|keychain)", r"^there(?:\'s| is| are) .{3,40} (?:at|in|on|under) (?:URL|CHAN|PATH)",
         r"\b(?:is|are|it's) (?:now )?(?:at |on |under |behind )?(?:login at )?(?:URL|CHAN)\b",
         r"^[\w' -]{3,50}: (?:URL|CHAN)\b", needs=NAMED),
    sign("told_at", 1.75, (0, 0, 0, 2.25),
        rf"\b(?:announced|mirrored|published|documented|tracked|listed|posted|collected|recorded|filed|reported|kept|"
        rf"stored|archived|described|explained|discussed|shared|hosted|served|deployed|runs?|running|available|found|"
        rf"uploaded|logged|done|handled|managed|assigned|maintained) (?:only |all )?{_AT} (?:the |our |a )?(?:\w+ "
        rf"){{0,2}}?(?:{SYSTEMS}|URL|CHAN|PATH|wiki|vault|bucket)",
         rf"\b(?:is|are|lives?|sits?|stays?) (?:all |now |only )?(?:in|on) (?:the )?{SYSTEMS}\b",
         r"\b(?:everything|all|details|more|info|information|the rest) (?:about|on|for) .{2,40} (?:is|are|lives?) "
         r"(?:in|at|on|under)",
         rf"\bwe (?:keep|track|collect|store|document|file|log|manage|discuss|have|put|plan|write) .{{3,50}} (?:in|"
         rf"on|at|under) (?:a |the |our )?(?:\w+ )?(?:{SYSTEMS}|wiki|URL|CHAN|sheet|doc)"),
    sign("is_pointer", 1.5, (0, 0, 0, 1.5),
        r"\b(?:is|are|it's|now) (?:now |in |at |on |under |called )*(?:the (?:folder|file|page|list|sheet) )?(?:URL|"
        r"PATH|CHAN)(?:$|[,.;])", needs=NAMED),
    sign("pointer", 1.0, (0, 0, 0, 1.25), r"\b(?:URL|CHAN)\b", needs=NAMED),
    sign("system", .75, (0, 0, 0, 1.0), rf"\b{SYSTEMS}\b", needs=NAMED),
    sign("titled", 1.0, (0, 0, 0, 1.25), r"\b(?:tracker|project|board|space|wiki|page|queue|component) [A-Z][\w-]+",
        r"\b(?:project|board|page|queue|space|file|folder|team|collection|service|sheet|view|record|dashboard|"
        r"account|channel|repo|board|list|"
        r"group|label|tag|mount|slot|bucket|vault|section|database|index|stack) '[^']{2,40}'",
         r"\b(?:is|are|under|in|on|page|called) (?:the )?(?:\w+ ){0,2}'[^']{2,40}'"),
    sign("look_there", 1.5, (0, 0, 0, 1.75),
         rf"\b(?:looks?|see|find|checks?|ask|follow|consult|search|open|filed?|post|report|escalate|track|put|log|"
         rf"read|send|point|come in|arrive) (?:\S+ ){{0,6}}?(?:in|at|on|to|of|through|under|with|via)? ?(?:the |our "
         rf")?(?:\w+ ){{0,2}}?(?:URL|CHAN|{SYSTEMS}|(?:tracker|project|board|space|wiki|page|queue) [A-Z]\w+)",
         rf"\b(?:{TARGET}|{SYSTEMS}) (?:has|have|holds|lists|describes|explains|covers|contains|pages|shows) \b",
         r"\bsee (?:section|chapter|page|the \w+ page)\b", r"\bpage (?:at|in|under) (?:PATH|URL)"),
    sign("settings_in", 1.5, (0, 0, 0, 2.25),
         r"\b(?:limits?|timeouts?|settings?|tunables?|config\w*|thresholds?|env vars?|environment variables?|"
         r"variables|defaults|options|values) (?:\S+ ){0,4}?(?:configured|set|kept|live|lives|come|comes|read|are|"
         r"is) (?:\w+ )?(?:in|from|at) PATH",
         r"\bonly PATH counts\b", r"\bPATH is the (?:only|one|single)", needs="PATH"),
    # Whom to ask, against whose word is needed ("owner").
    sign("ask_person", 2.0, (0, 0, -1.0, 4.5),
         rf"\b(?:questions?|anything|everything|issues?|problems?|requests?|complaints?|trouble|doubts?|stuff|more) "
         rf"(?:about|on|with|around|regarding|for|to do with|concerning) .{{2,60}}? (?:go(?:es)?|is|are|best go) (?:straight |directly |"
         rf"always |best )?(?:to|for|with) (?:{PERSON}|him|her|them)\b",
         rf"\b(?:if|when|whenever|for|about|with|in case)\b.{{3,80}}?\b(?:ask|ping|write|talk to|call|message|dm|contact|"
         rf"turn to|go to|reach) (?:to )?(?:{PERSON}|him|her)\b",
         rf"\b(?:ask|ping|write to|talk to|call|message|contact|turn to|go to) (?:{PERSON}|him|her)(?: \w+)?,? "
         rf"(?:about|when|if|whenever|for|with|regarding)\b",
         r"\bthe (?:person|one|colleague|contact|man|woman) to (?:ask|ping|call|talk to|contact|go to|bother|write to)\b",
         rf"\b(?:if|when|whenever|should)\b.{{3,70}}?,? (?:then )?{PERSON} (?:can|will|may|might|is|has|wrote|built|set|made|knows|does|takes|"
         rf"helps|deals|looks)\b(?!.*\b(?:approv|sign|decid|permission))",
         rf"\b(?:{PERSON}|he|she) (?:can|could|will) (?:help|tell|explain|say|answer|fix|sort|show|point)\b",
         rf"\b{PERSON} (?:has|keeps|holds|got) (?:all )?the (?:\w+ )?(?:list|keys?|account|accounts|contacts?|overview|details|passwords?|numbers?|context|history)\b",
         rf"\b{PERSON} (?:deals with|takes care of|looks after|handles) .{{3,60}}\b(?:goes to|ask|call|ping|write to|talk to|to call|to ask) ?(?:him|her|them)?\b",
         rf"\b{PERSON} (?:[\w ]{{1,30}} )?knows (?:it|that|them|all|everything|about|how|why|where|more|his|her|this|what|most)\b",
         rf"\b{PERSON} (?:is|would be) (?:the|our|your) (?:one|person|contact|man|woman|guy|go-to|address) (?:who|that|for|to|if|when)\b(?! (?:signs|approves|decides|"
         r"owns|reviews|merges))",
         rf"\b{PERSON} (?:handles|deals with|takes care of|looks after) (?:everything|anything|all)\b",
         rf"\b{PERSON} (?:[\w' -]{{3,60}}), (?:so )?(?:write|talk|ask|ping|go|turn|call|message|send) (?:it |them |that )?(?:to )?(?:him|her|them)\b"
         r"(?! (?:first|before))", needs=NAMED),
    # A file or page that answers, lists, is kept up to date.
    sign("says_where", 1.75, (0, -1.0, -.25, 3.0),
         rf"\b(?:PATH|URL|{SYSTEMS}|'[^']{{2,40}}') (?:\w+ly )?(?:lists?|says?|knows?|tells?|explains?|describes?|documents?|answers?|"
         rf"holds|has (?:the|all|them|it)|is (?:the (?:one|current|latest|good|right|real)|current|(?:kept )?up to date|maintained))\b",
         rf"\b(?:list|table|sheet|page|note|doc|overview|copy|version|file|spreadsheet|diagram) (?:in|at|under|on|called) "
         rf"(?:the )?(?:PATH|URL|{SYSTEMS}|'[^']{{2,40}}'|\w+) (?:knows|says|lists|tells|explains|has|shows|is (?:the|kept|current))\b",
         rf"\b(?:stale|outdated|out of date|abandoned|no longer (?:maintained|updated|kept)|not (?:maintained|updated))\b.{{1,60}}"
         rf"(?:URL|PATH|{SYSTEMS}|'[^']{{2,40}}')", needs=NAMED),
    # "Logs liegen in Graylog, stream `edge`": a system and the name of a place in it need no verb of a known language.
    sign("named_inside", 1.0, (0, -.5, 0, 2.0),
         rf"\b(?:in|on|at|under) {NAME}, [a-z]+ (?:'[^']{{2,40}}'|CODE)",
         rf"\b{SYSTEMS}\b,? (?:\w+ )?(?:CODE|CHAN|'[^']{{2,40}}'|(?:stream|space|board|project|file|component|index|queue|folder|"
         rf"collection|bucket|dashboard|workspace|team|page) [\w-]+)", needs=NAMED),
    sign("kept_place", 1.0, (0, 0, 0, 1.5), words(
        "share", "bucket", "slot", "vault", "1password", "hsm", "ssm", "nas", "s3", "keychain", "wiki", "runbook",
        "playbook", "handbook", "spreadsheet", "dashboard", "confluence", "design doc", "troubleshooting",
        "post-?mortem", "the sheet",
        "source of truth", "login", "sso")),
)

_PERSON = (
    sign("i_am", 2.0, (3, 0, 0, 0),
         rf"\bi(?:'m| am) (?:(?:totally|completely|quite|pretty|fairly|rather|very|still|not|more|relatively|a bit) "
         rf")*(?:new to|familiar|used to|comfortable|fluent|good (?:at|with)|bad at|based|colou?r-?blind|blind|deaf|"
         rf"dyslexic|left-handed|autistic|from\b"
         rf"|(?:a|an) (?!bit|little|few|lot|fan of the|minute|second|moment)(?:[\w-]+ ){{0,3}}?[\w-]{{3,}}|(?:in|on|"
         rf"at) "
         rf"(?:{EDITORS}|UTC\b|CET|GMT|[A-Z]{{3,4}}\b)|in (?!{SYSTEMS}){NAME}|the (?:\w+ ){{0,3}}(?:lead|owner|"
         rf"maintainer|manager|architect|"
         rf"developer|person|one|guy|woman|engineer)|the only|done at|off (?:at|on)|hard of|responsible"
         r"|more of an?|by (?:trade|training)|(?:a )?senior|(?:a )?junior|native)", needs="i |i'|my|me"),
    sign("my_life", 2.0, (3, 0, 0, 0),
         rf"\bi (?:come from|live in|work (?:as|in|from|at|for|on|DAY|mondays|part|only|mostly|remote)|maintain|lead|"
         rf"teach|study|grew up|was trained|trained as|never (?:learned|used|touched|worked|really)|don't (?:use|"
         rf"know|speak|read|own|have|write)|use (?:a |an )?(?:{EDITORS}|[A-Z]\w+)|speak|type"
         r"|think in|only (?:know|use|speak|work|read)|have (?:been|a background|\w+ years)|mostly (?:write|work|"
         r"use)|know \w+ (?:well|inside|better)|get (?:migraines|headaches|tired|lost|confused))\b",
         r"\bi've (?:been|written|worked|done|used|spent|never|only)\b[^.]{0,60}(?:years?|decades?|since|before|time|"
         r"months|never|NUM)", r"\b(?:years|decade|decades) (?:as|of|in|with|doing)\b",
         r"\bby (?:training|trade|background|education)\b",
         r"\bmy (?:days? off|free (?:day|afternoon|morning)s?|off days?|home office|office days?|work(?:ing)? (?:days?|hours?|week)|schedule|commute)\b",
         r"\bi(?:'m| am) (?:off|out|away|not (?:in|working|around|available|at my desk)|only (?:in|around|here)) (?:on |every |all )?(?:DAY|the DAY|"
         r"mornings|afternoons|wednesdays|weekends)", r"\byou(?:'ve| have)? lost me\b", r"\bDAYs? i(?:'m| am)\b",
         r"\bi(?:'ve| have)? moved to\b", r"\bfirst time i\b", r"\bwhere i (?:live|work|come from)\b",
         r"\bbeen doing\b",
         r"\bis my (?:first|second|native|main|day|daily|trade|job|field|thing|background|profession|world)\b",
         r"\bi (?:don't|do not|never|only|usually|always) work (?:on |before |after |past )?(?:DAY|TIME|weekends|mornings|afternoons|evenings)",
         r"\b(?:is|was) new to me\b", r"\bi (?:only )?(?:picked up|started|began|learned|learnt) [A-Z]?\w+(?: \w+)? (?:only |just )?(?:last|this|in|a)\b", r"\bin my life\b", r"\bmy day (?:ends|starts|begins)\b",
         r"\bmy (?:time ?zone|editor|shell|keyboard|os|screen reader|background|role|job|day job|title|native "
         r"language|mother tongue|first language|second language|pronouns?|working hours|working days|hours|eyesight|"
         r"hearing|setup is|name is|degree|phd|field"
         r"|specialty|strength|weak (?:spot|point)|experience|daily driver)\b", r"\bi need help\b",
         r"^coming from [A-Z]",
         r"\bi (?:did|got|have|finished|hold) (?:my|a|an) (?:\w+ )?(?:phd|degree|doctorate|master'?s?|bachelor'?s?|"
         r"diploma|training|background|family|disability)\b", r"\bi (?:was|used to be|worked as) an? [a-z]",
         r"^never [a-z]+ed (?:a|an|any)\b"),
    sign("i_habit", 1.5, (2, .25, 0, 0),
         r"\bi (?:don't |never |only |mostly |usually |always |often )?(?!think|guess|see\b|hope|mean|wonder|need|"
         r"want|get\b|have\b|know|understand|agree|suppose|believe|feel|remember|notice|forget|love|like\b|assume|"
         r"don't|do\b|did|am\b|was|were|had|can|could|will|would|should|might|may|must|never|only|just"
         r"|say|said|saw|got|ran|made|found|put|set|went|came|took|gave|told|left|lost|keep|kept|tried|try\b|looked|"
         r"expect|prefer|hate|also|still|really|actually|already|mind|care|bet|swear|doubt|wish|read (?:the|it|that|"
         r"your)|look\b|call\b|bring|give|go\b|come\b|take\b|take back|wrote|spent|built|cut\b|hit\b|let\b"
         r"|broke|began|chose|fell|forgot|held|hid|knew|meant|met|paid|quit|rang|sent|shot|shut|slept|sold|spoke|"
         r"stood|stuck|taught|threw|understood|won|wore)[a-z]+(?<!ed)(?:$| (?!it\b|that\b|this\b))", needs=
         "i |i'|my|me"),
    sign("mostly", .75, (.5, .25, .25, 0), words("most (?:days|of the time)", "usually", "normally", "generally",
        "typically", "mostly", "every (?:day|week|month|quarter|year|night|morning|release|sprint)",
        "on (?:weekends|weekdays)", "DAYs(?! is)")),
    sign("about_me", 0.0, (1, 0, 0, 0), r"^(?:and |but )?(?:i|i'm|i've|my)\b", needs="i |i'|my|me"),
    sign("call_me", 1.5, (2, 0, 0, 0), r"\bcall me [A-Z]", r"\bi've never [a-z]+\b",
        r"\bmy [A-Z]\w+ (?:is|isn't) (?:good|okay|ok|bad|rusty|weak|strong|limited|basic|fluent|non-existent|better|"
        r"fine)\b",
        r"\bi find .{3,50} (?:hard|easy|easier|difficult|useful|helpful|confusing|distracting)\b", needs="i |i'|my|me"),
    sign("like_to_me", 1.5, (2.5, .5, 0, 0), r"\b(?:talk|speak|explain|write) (?:\w+ )?to me (?:like|as)\b",
        r"\btreat me (?:like|as)\b",
        r"\byou can (?:use|skip|assume|leave out|go (?:fast|deep)|be (?:direct|technical|brief))\b",
        r"\bno need to (?:explain|translate|spell|repeat|introduce)\b"),
    sign("felt", 1.5, (2, 0, 0, 0), words(
        "wears? me out", "tires? me", "easier for me", "hard(?:er)? for me", "helps me", "confuses me", "bear with me",
        "i (?:read|skim|scan) \\w+, not", "i can't (?:see|read|hear|distinguish)", "swallows", "makes me",
        "(?:better|best|clearer|works?|readable|important) for me", "simple words help",
        "(?:new|foreign|unfamiliar) to me", "expect \\w+ \\w+ from me", "is (?:new|unfamiliar|foreign) territory",
        "spoiled me", "do not come naturally", "explain (?:that|those|these|it|them|things)? ?slowly")),
    sign("tool", .5, (1.25, 0, 0, 0), rf"\b(?:on this (?:box|machine)|{EDITORS})\b", needs=NAMED),
    sign("tongue", 2.0, (2.5, 0, 0, 0),
        rf"\b(?:explain|answer|repl(?:y|ies)|respond|talk|speak|chat|explanations?|answers?|conversation|discuss|"
        rf"switch|language)\b[^.;]{{0,50}}\b{TONGUES}\b",
         rf"\b{TONGUES}\b[^.;]{{0,40}}\b(?:explain|answers?|repl(?:y|ies)|explanations?|for me|to me|first language|"
         rf"native|speaker|when talking)\b", needs=NAMED),
    sign("approval", 2.0, (4, 0, 0, 0), words(
        "(?:ask|check with|tell|warn|consult|show) me (?:first|before|what you|a (?:short )?plan|your plan|the plan)",
        "wait for my", "my (?:ok|okay|approval|go-ahead|permission|consent|word|confirmation|sign-off)",
        "before you (?:touch|edit|change|modify|write|install|delete|run|start|push|commit) (?!this|that|it)\\w+"),
        needs="i |i'|my|me"),
    sign("answers", 1.0, (.25, 1.25, 0, 0), words(
        "your (?:answers?|replies|reply|responses?|messages?|explanations?|summar\\w+|tone|output)",
        "(?:every|each|any|the end of (?:every|each|your)|second) (?:answer|reply|response|message)", "recaps?",
        "summar(?:y|ies|ise|ize|ising|izing)",
        "walls? of text", "long (?:answers|explanations|\\w+ explanations|sentences|words|texts?)",
        "when you (?:explain|answer|reply|summari[sz]e|show|suggest|write to)", "apologi[sz]\\w+", "emojis?",
        "bullet points", "small talk", "give me (?:the )?[a-z]+ (?:first|only)", "give me (?!the)(?:[a-z]+ )?[a-z]+s",
        "be (?:direct|brief|concise|blunt|honest|short)", "compliments", "praise", "pleasantries", "preambles?",
        "filler", "fluff", "jargon", "just the answer")),
)

LASTING: tuple[Sign, ...] = (*_TIME, *_NORM, *_COMMUNITY, *_CAUSE, *_AFFAIRS, *_PLACES, *_PERSON)
