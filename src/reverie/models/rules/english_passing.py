"""What speaks against keeping an English sentence: signs that it is about this moment, and kinds of speech that are
no knowledge.

The study's list (Claude Code §3, Codex §7, Qwen Code §5): temporary state, work in progress, status, one-off
questions, what the
code says, what was only considered; and what a person wants left out, or says about somebody else's project.
"""

from __future__ import annotations

import re

from reverie.models.rules.english_signs import Sign, sign, words

_NONE = (0.0, 0.0, 0.0, 0.0)
_A_FEW = "(?:NUM|two|three|five|ten|a few|another|fifteen|twenty)"

PASSING: tuple[Sign, ...] = (
    sign("now", -3.0, _NONE, words(
        "right now", "at the moment", "for the moment", "for now", "for the time being", "currently", "today(?! on)",
        "(?<!from )tomorrow", "(?<!decided )(?<!agreed )(?<!met )yesterday(?:'s)?", "last night", "tmppath",
        "tonight", "(?<!since )this (?:morning|afternoon|evening|minute|second|run|week)(?! formatting| on)",
        "in a (?:minute|second|sec|moment|bit|while|few)",
        f"(?:in|for|give me) {_A_FEW} (?:more )?(?:minutes?|secs?|seconds?|mins?)", "back in",
        "until (?:tonight|tomorrow|lunch|noon|three|four|five|later)",
        "(?:left|remaining|to go)$",
        "since (?:this morning|DAY|yesterday|last night|the (?:last )?(?:update|merge|deploy|upgrade|restart))",
        "in the meantime", "meanwhile", "just a (?:sec|moment)", "temporar(?:y|ily)", "wip", "work in progress",
        "one more time", "once more",
        "for this (?:one|run|prototype|commit|pr|branch|time)", "just this once", "this time",
        "(?:do|fix|handle|revert|clean|come|look|deal)\\b.{0,20} later", "later(?: today)?$")),
    sign("again", -2.0, _NONE,
        r"\b(?:again|still)\b(?!,? (?:the|because|we|please|holds?|applies|open|valid|true|counts?|stands|no\b|runs|"
        r"need))(?<!don't suggest again)"),
    sign("just_did", -2.5, _NONE,
         r"\bi(?:'ve| have)? (?:just |already |now )(?:[a-z]+ed|ran|made|put|sent|got|went)\b",
         r"\bi(?:'ve| have) (?:[a-z]+ed|pushed|made|put|sent|begun|started) (?:the|a|it|my|that|what|some|you)\b",
         r"^(?:just |now )?(?:[a-z]+ed|ran) (?:it|the|that|and|NUM)\b",
         r"^just \w+ed\b", r"\bi(?:'ll| will)\b", r"\bi'm going to\b", r"\bgonna\b",
         r"\blet me\b(?! (?:say|be clear|add|repeat|explain|put it))", r"\bwe'll see\b"),
    sign("doing", -2.5, _NONE,
         r"\bi(?:'m| am) (?:\w+ly |just |still )?(?!practi[sc]ing|missing|speaking|assuming)[a-z]+ing\b",
         r"^(?:still |currently |now )?(?:looking|running|trying|checking|compiling|restarting|building|waiting|"
         r"heading|going|deploying|installing|testing|rebasing|pulling|pushing|reading|working)\b"
         r"(?!.*\b(?:is|are|costs?|takes|makes|means)\b)",
         r"\b(?:is|are|'s) (?:still |now |currently )?(?:running|restarting|compiling|building|rebooting|hanging|"
         r"crashing|loading|downloading|deploying|failing|looping|installing|updating|acting up|spinning)\b",
         r"\b(?:is|are) on it\b", r"\bhas been going\b"),
    sign("machine", -2.0, _NONE, words(
        "my (?:\\w+ )?(?:laptop|machine|computer|connection|battery|wi-?fi|internet|vpn|phone|docker|branch|checkout|"
        "disk|fan|build|tests?|internet connection|session)", "the (?:spinner|progress bar|coffee machine)")),
    sign("presence", -3.0, _NONE, words(
        "lunch", "coffee", "brb", "afk", "be right back", "on the train", "train leaves", "in a meeting", "a meeting",
        "heading (?:out|home|off|to)", "gotta go", "see you", "good night", "that's (?:all|it for)", "fire drill",
        "on a call",
        "off to", "carry on without me", "nearly there", "almost there", "thanks", "thank you", "customer visit",
        "catch a", "has the flu", "on vacation", "done for")),
    sign("state", -1.5, _NONE,
         r"^(?!.*\buntil \w+ (?:is|are)\b).*\b(?:is|are|'s|seems?|looks?|be) (?:\w+ly |all |a bit |super |very |so |"
         r"still |back |really )?(?:red|down|"
         r"up|broken|stuck|slow|flaky|failing|green|full|occupied|back|fine|on (?:till|until)|ready|done|dead|"
         r"offline|online|unreachable|behind|noisy|loud|taken)"
         r"(?:$|[,.;!]| (?:again|since|today|now|for|till|until|on|because|at|this|so|and)\b)",
         r"\bthere (?:are|is|'s) (?:NUM|a few|some|two|three|several|a) (?:\w+ )?(?:failing|broken|open|more|errors?|"
         r"conflicts?|warnings?|typo)"),
    sign("on_now", -3.0, _NONE,
        r"\b(?:is|are|'s) (?:still )?(?:on|off|up|down|frozen|closed|open|locked|in place|blocked) (?:till|until) "
        r"(?:DAY|tomorrow|TIME|tonight|noon)\b"),
    sign("small_change", -1.5, _NONE, words("a bit", "a little", "slightly", "some more",
        "something (?:clearer|better|shorter|else)", "bigger", "smaller", "wider", "nicer", "NUM ?px",
        "the (?:last|second|third|other|same) (?:one|column|line|paragraph|file|test|thing)")),
    sign("dunno", -1.0, _NONE, words("i think", "i guess", "i suppose", "probably", "apparently", "kind of", "sort of",
        "(?:seems?|looks?) (?:to|like|as if)", "from the (?:source|code|log|logs|output)", "afaik", "iirc")),
    sign("past_self", -1.0, _NONE,
         r"^i (?:tried|looked|checked|ran|saw|noticed|opened|read|found|forgot|pulled|meant|was|did|had|got|went|"
         r"asked|said)\b(?!.*\b(?:so|never|always|in vain|an hour|hours|twice|everything|only|had to)\b)"),
    sign("symptom", -1.0, _NONE,
         r"^(?:the|this|that|my|your|it|its) (?:[\w-]+ ){0,4}?(?:shows|throws|flickers|crashes|prints|hangs|fails|"
         r"does nothing|doesn't|isn't|gives|jumps|ignores|freezes|blinks|disappears|overlaps|returns|takes|took|"
         r"printed|showed|threw|says|complains|loops|flashes)\b",
         r"^(?:users|customers|people|testers|qa|support|clients|someone|somebody|a (?:user|customer|client|"
         r"colleague)) (?:reports?|reported|sees?|gets?|complains?|says?|said|can't|cannot|are seeing|keeps? "
         r"getting)\b", r"\b(?:is|are) off by\b", r"\bafter a (?:reload|refresh|restart)\b", r"\bwhen i [a-z]+\b"),
    sign("reaction", -1.5, _NONE,
        r"^(?:that|this|it)(?:'s| is| was| makes| looks| works?| sounds| explains| seems| did| didn't| doesn't) "
        r"(?!how|the way|why|always|never|only|because|where|what|in\b|at\b|on\b|under\b|out\b|owned|kept|stored)",
        r"\bis (?:right|fine|ok|okay|correct|good|better)(?: though| too| as well| now)?[.!]*$",
        r"^there(?:'s| is| are) (?:a|an|some|something)\b(?!.*\b(?:rule|clause|policy|convention|freeze|deadline|"
        r"limit|URL|CHAN|PATH|penalty|agreement|contract|page|board|channel|runbook|wiki)\b)",
        r"^(?:looks|sounds|seems|works|hmm?|weird|odd|strange|interesting|funny)\b"),
    sign("this_one", -1.0, _NONE, words("this one", "that one", "the other (?:one|two|three)",
        "you (?:just )?(?:made|wrote|added|changed|have)", "there$", "what you have", "for (?:that|this|it)$")),
)

QUESTION = re.compile("|".join((
    r"\?\s*[\"')\]]*$", r"\?(?= |$)",
    r"^(?:what's|whats|what (?:is|are|was|were|would|does|do|did|can|about|if)|who (?:broke|is|are|was|wrote|owns|"
    r"did|knows|can)|whose|where(?:'s| is| are| do| does| did| can)|when (?:is|are|was|were|does|do|did|will|can)|"
    r"why (?:is|are|do|does|did|was|were|not|can)"
    r"|how (?:do|does|did|is|are|can|could|long|many|much|about|come|would|should|to)|which (?:of|one|\w+ (?:is|are|"
    r"do|does)))\b",
    r"^(?:is|are|was|were|does|do|did|has|have|will|would|could|can|should|shall|may|isn't|aren't|doesn't|don't you|"
    r"wouldn't|couldn't|shouldn't|can't) (?:i|you|we|he|she|it|they|there|this|that|these|those|the|a|an|any|anyone|"
    r"someone|my|our|your)\b",
    r"^(?:who|whom|whose|why|how|which)\b(?! (?:we|you|i) )", r"^where (?!possible|appropriate|you |we |there|it)",
    r"^what (?!we |i |you |goes|matters|counts|works|happens|is|are|[a-z]+ (?:\w+ ){1,8}(?:was|were|is) )",
    r"^when (?:should|would|will|do|does|is|are|can|could|did)\b",
    r"[,;:] (?:what|how|why|where|who|which|when) (?:do|does|did|is|are|was|should|can|could|would|will)(?:n't)? "
    r"(?:i|we|you|it|they|that|the|this)\b",
    r"^any (?:idea|chance|reason|news|luck|thoughts)\b", r"^(?:do|does) \w+ (?:even )?(?:support|work|know|have)\b",
    r"\bi?(?:'m| am)? ?wonder(?:ing)? (?:if|whether|why|how|what)\b", r"\bjust curious\b", r"\bwhat would you say\b",
    r"\bwhat do you think\b", r"\bwhich is better\b",
)))

REQUEST = re.compile("|".join((
    r"\b(?:can|could|would|will) you\b", r"^(?:let's|lets|let us)\b", r"\bi(?:'d| would) (?:like|love) (?:you )?to\b",
    r"\bi(?:'d| would) (?:like|love) (?:a|an|the|`|CODE)\b", r"\bi (?:want|need) (?:you )?to\b",
    r"\bi (?:want|need) (?:a|an|some|the|that|this|it|help with)\b", r"^i need (?!help)[a-z]",
    r"\bneed an? [a-z]+(?: now| asap| urgently| here)?$",
    r"\bwe need (?:a|an|another|some) (?:new|more|\w+ for|\w+ that|\w+ to)\b", r"\bgo ahead\b",
    r"(?:^|[,;.] |\band )(?:please )?(?:find out|look into|have a look|take a look|figure out|check (?:that|why|if|"
    r"whether|what|the)|fix (?:it|that|this|the)|see (?:if|whether|why|what)|investigate|try again|do the same|tell "
    r"me (?:what|why|if|how)|delete (?:the one|it|that|this)|leave it(?! (?:in|as|on|alone|there)))\b",
    r"\bfind out why\b", r"^(?:now )?(?:write|do|make|try) (?:the|that|it|this)? ?same\b",
)))

HYPOTHETICAL = re.compile(words(
    "imagine", "suppose", "supposing", "hypothetically", "in theory", "in a perfect world", "in an ideal world",
    "let's say", "say we had", "what if", "were (?:it )?up to me", "had (?:we|i|they) known",
    "if (?:i|we|they|he|she|it|the \\w+) (?:ever|had|were|was|could|would)", "if you (?:had|were|could|would)",
    "if only", "could argue", "one could", "could be", "maybe", "perhaps",
    "might (?:be|want|make|need|have|get|as well)", "not sure", "not convinced", "i was thinking", "i'm thinking",
    "thinking (?:about|of|out loud)", "thought about", "toying with", "considering", "sleep on it",
    "some ?(?:day|time)", "^one day", "one day (?:we|i|it|you)", "we could (?:also )?", "should probably",
    "wouldn't it", "would be (?:nice|nicer|cool|good|better|great|fun|worth)", "wish (?:i|we)",
    "dream of", "i'd (?!rather|prefer|like)\\w+", "we'd \\w+",
    "would(?:n't)? (?:be|have|make|need|drop|throw|use|shard|freeze|want|never|say|go|do|love)",
    "don't know (?:yet|if|whether)", "i don't know", "haven't decided", "undecided", "no decision", "up in the air",
    "tempted to", "as an experiment", "for fun", "just (?:an idea|brainstorming|a thought)"))

# "who broke what is written down in …": a subject, no question.
KEPT_AT = re.compile(
    r"\b(?:is|are) (?:all )?(?:written(?: down)?|listed|documented|kept|recorded|noted|explained|described|logged|stored|found) (?:\w+ )?(?:in|at|on|"
    r"under|with) ")

# A need for one thing is a task; a need of every thing of a kind is a rule. Held against what stands before the noun.
NEED = re.compile("|".join((
    r"^(?:but |and |so )?(?:we|i|you|it|this|that|there|(?:the|this|that|our|my) (?:[\w-]+ ){0,3}?[\w-]+|PATH|CODE) (?:still |also |really |"
    r"probably |definitely |clearly |just |surely )*(?:needs?|wants?|should (?:have|get|be)|could use|could do with|must have|lacks?|"
    r"(?:is|are) missing|(?:is|are) lacking|(?:'s|is) got to have) (?:at least |about |maybe )?(?:a|an|another|some|one|two|three|four|NUM|more|"
    r"better|proper)\b",
    r"^needs? (?:a|an|another|some|more|two|three)\b")))
NEEDED_OFTEN = re.compile(words("every", "each", "any", "all", "always", "whenever", "never", "from now on", "no longer", "unless", "before",
    "until", "from [A-Z]\\w+", "by [A-Z]\\w+", "policy", "rule", "by law", "contract", "audit\\w*", "only"))
# What the machine does wrong now: described, not ruled.
FAILURE = re.compile("|".join((
    r"^(?:the |this |that |our |my )?(?:[\w-]+ ){1,4}(?:fails|crashes|hangs|freezes|flickers|stalls|times out|segfaults|panics|blinks|"
    r"deadlocks|loops|jumps|leaks)\b(?!.*(?:\bso\b|,|;|\bunless\b|\bwithout\b))",
    r"^(?:we|i|you) (?:lose|get|see|hit|miss|still get|keep getting) (?:the|a|an|this|that|some|weird|random|two|three)\b"
    r"(?!.*(?:\bso\b|;|\bunless\b))")))

SARCASM = re.compile("|".join((
    r"\bwho needs [\w ]{2,30}(?:anyway|any ?way|these days|after all|when)\b",
    r"^(?:oh |ah )?(?:sure|yeah|right|great|perfect|brilliant|fantastic|wonderful|lovely|awesome|amazing|super)\b[,.!: ]+(?:idea[,.! ]+)?"
    r"(?:let's|let us|why don't we|why not|how about we|maybe we should|and then|and next|and while)\b(?! (?:keep|stick|do it like|go with|use)\b)",
    r"\bbecause (?:that|this|it) (?:always |obviously |clearly |usually |never |has |went |worked |works )+(?:so )?(?:well|great|fine|brilliantly)?\b"
    r".{0,20}(?:last time|before|right|great|well)",
    r"\b(?:by|via|on|in|with) (?:a )?(?:carrier pigeons?|crayons?|punch ?cards?|telegrams?|smoke signals?|stone tablets?|floppy disks?|"
    r"postcards?|interpretive dance|fax machines?)\b",
    r"^(?:oh|ah|yeah|sure|right)[, ]+(?:yeah|sure|right)?[, ]*(?:and|next|because)\b(?!.*\bplease\b)",
    r"^(?:oh|ah|yeah|wow)[, ]+(?:great|perfect|lovely|brilliant|wonderful|fantastic|nice|super|marvell?ous|terrific|awesome|good)\b[,.! ]+"
    r"(?:and|next|now|so|then|tomorrow|because|why|let's|maybe|we)\b(?!.*\bplease\b)",
    r"^(?:oh |ah )?(?:great|perfect|lovely|brilliant|wonderful|fantastic|nice|super|marvell?ous|terrific|awesome|sure|splendid)\b[,.! ]+.*"
    r",? (?:why not|sure|right|of course|obviously|what else)[.!]*$",
    r"^(?:oh |yeah |sure|right|great|wow|brilliant|fantastic|lovely|wonderful)[, ].*\b(?:what could (?:possibly )?go "
    r"wrong|just what (?:we|i) needed|exactly what (?:we|i) needed|so well last time|because that|let us just|let's "
    r"just|another|what a)\b", r"\byeah,? right\b",
    r"\b(?:exactly|just) what (?:we|i) needed\b", r"\bwhat could (?:possibly )?go wrong\b", r"^as if\b",
    r"\bwhat a (?:surprise|clean|joy|treat|beauty)\b", r"(?<=\w) /s$", r"\bgood luck with that\b",
    r"\bworked so well\b")))

_SPEAK = "(?:remember|memori[sz]e|store|save|record|keep|note|log|write|put|add|learn|retain|repeat|mention)"
_NOTES = "(?:notes?|memory|memories|records?|log|logs)"
OFF_RECORD = re.compile("|".join((
    r"\b(?:doesn't|does not|mustn't|must not|shouldn't|won't) go (?:in|into) (?:any|your|the) (?:notes?|memory|"
    r"records?)\b",
    r"\bkeep (?:it|this|that) to yourself\b",
    r"\boff (?:the )?record\b", r"\b(?:not|isn't|nothing) for the record\b",
    r"\bbetween (?:us|you and me|the two of us|ourselves)\b",
    rf"(?:^|[,;:.] |\bplease |\band |\bbut |\bso )(?:do not|don't|never|no need to) (?:ever )?{_SPEAK} (?:this|that|"
    rf"it|any of (?:this|that))\b",
    rf"\b(?:do not|don't|never|not to|must not|mustn't|shouldn't) (?:ever )?{_SPEAK}\b[^.;]{{0,40}}\b(?:your|the) "
    rf"{_NOTES}\b",
    r"\b(?:keep|leave) (?:this|that|it|these|all of this)(?: \w+){0,2} (?:out of|off|from) (?:your|the|any) "
    r"(?:notes?|memory|memories|files?|records?|log)",
    r"\b(?:keep|leave) (?:this|that|it) (?:private|confidential|to yourself|between)", r"\bconfidential(?:ly)?\b",
    r"\b(?:forget|ignore) (?:that )?(?:i|what i) (?:ever )?(?:said|told|mentioned)(?: \w+)? about\b.*\b(?:layoff|"
    r"confidential|private|secret|salary|leaving|fired)\w*", r"\bnot for your (?:notes|memory)\b",
    r"\bstays (?:between|in this room)\b", r"\bdon't quote me\b", r"\bin confidence\b",
    r"\bwrite (?:this|that|it) down anywhere\b")))

_MY_OTHER = (
    r"my (?:other|own|private|personal|old|previous|last|former|side|home|hobby|blog|pet|next)(?: \w+){0,2} (?:project|"
    r"tool|repo|company|job|app|team|blog|site|employer|codebase|library|game|work|place|gig)")
ELSEWHERE = re.compile("|".join((
    rf"\b(?:in|on|for|at|over at) {_MY_OTHER}\b", r"\bmy (?:previous|former|old|last) (?:company|employer|team|job)\b",
    r"\bnot (?:our|my) (?:problem|business|concern|department|project|repo|code)\b", r"\bnot ours\b",
    r"\b(?:that's|that is|it's|is|belongs to) (?:another|a different|some other|somebody else's|someone else's) "
    r"(?:team|project|repo|group|department)(?:'s)?\b", r"\bnothing to do with (?:us|this|our|here)\b",
    r"\bnot (?:my|our) (?:circus|monkeys?|zoo|beer|cup of tea|call|headache)\b", r"[,;–—] (?:their|his|her) (?:problem|thing|business|call|"
    r"choice|funeral|headache|mess|affair|decision)[.!]*$",
    r"\bdon't mix (?:that|them|it|those) up\b",
    r"\bno idea (?:how|why|what) (?:they|it|that)\b", r"\bdifferent (?:project|repo|team|company)\b",
    r"\bwe (?:don't|never) (?:touch|care about|deal with|see) (?:it|that|them)\b", r", no idea how$")))
# Said behind a sentence about other people: it reaches back.
THEIRS = re.compile(
    r"^(?:(?:but |and |well,? )?(?:that's|that is|it's|this is|it is) )?(?:entirely |really |all )?(?:their|his|her|not my|not our|somebody else's|"
    r"someone else's) (?:problem|thing|business|call|choice|funeral|headache|mess|affair|decision|circus|monkeys|zoo|repo|code|project)"
    r"(?:,? (?:though|not (?:ours|mine)|anyway|i guess))?[.!]*$|^(?:not ours|good for them|up to them|whatever suits them|let them)[.!]*$|"
    r"^that's (?:on|up to) them[.!]*$")
OTHER_TEAM = re.compile(
    r"^\(?(?:the |our )?(?:[\w-]+ ){1,3}(?:team|people|folks|guys|department|group|crew)\b(?!.*\b(?:must|have to|has "
    r"to|need|ask|review|approve|us)\b)|^\(?(?:the |our )?(?:\w+[ -]){0,3}(?:team|people|folks|guys|department|group|"
    r"marketing|sales|colleagues|android|ios|backend|frontend|ops|service|crew|division)\b.{0,60}\b(?:uses?|does?|"
    r"has|have|runs?|keeps?|do|still|own|their|its)\b")

_UNIT = (
    "(?:function|class|method|module|file|script|variable|constant|table|struct|interface|package|component|test|"
    "header|endpoint|loop|constructor)")
_CODE_VERB = (
    "(?:is defined|is declared|is implemented|imports?|has (?:a|an|one|two|three|four|five|about|around|NUM|several|"
    "no)|contains?|calls?|returns?|takes?|inherits?|extends|exports?|defines?|accepts|uses|implements|depends on"
              "|is (?:a|an|the) (?:function|class|method|module|wrapper|helper|subclass)|lives|belongs|gets called)")
# Source files whose insides the code shows; data files and documents may be pointers. Held against the words as they were said.
SOURCE_SHOWS = re.compile(
    r"^(?:the |our |that )?`?[\w./-]+\.(?:py|pyi|js|mjs|ts|tsx|jsx|vue|go|rs|java|kt|rb|php|cs|cpp|cc|c|h|hpp|swift|sh|scala|ex|exs|lua|zig)`? "
    r"(?:\w+ly |just |only |basically |already |still )*(?:pulls?|uses?|wraps?|reads?|sits?|lives?|does|handles?|loads?|opens?|parses?|writes?|holds?|"
    r"subclasses|requires?|has|keeps?|starts?|ends?|sets?|builds?|creates?|runs?|is|imports?|calls?|defines?|exports?|contains?|registers?|"
    r"consists?|talks?|spawns?|logs?)\b"
    r"|^(?:the|that|our) (?:[\w-]+ ){0,2}?(?:parser|helper|function|class|method|handler|module|loader|wrapper|client|script|decorator|router|"
    r"serializer|middleware) (?:\w+ly |just )?(?:lives?|sits?|is|resides?) in `?[\w./-]+\.\w{1,4}`?", re.IGNORECASE)
DERIVABLE = re.compile("|".join((
    rf"^(?:the |that |this )?(?:{_UNIT} )?(?:CODE|PATH|URL|[\w./]+\.(?:py|js|ts|go|rs|java|rb|c|h|md))(?: \w+)? "
    rf"{_CODE_VERB}\b",
    rf"^(?:the |that |this )(?:\w+ )?{_UNIT} (?:\w+ )?(?:takes|returns|has|contains|imports|calls|is defined|"
    rf"inherits|extends|exports|accepts|implements|throws|starts|ends|lives)\b",
    r"^there (?:is|are) no [\w ]{3,40} in [a-z_./]+$",
    r"^there (?:is|are) (?:a|an|one|two|three|four|five|several|some|no|NUM|many|about)\b.{0,50}\bin (?:CODE|PATH|"
    r"that file|this file|the (?:file|module|class|repo|directory|folder))",
    r"\b(?:readme|changelog|docstring|comments?|docs|documentation|manual|help text|man page|license file|"
    r"package\.json|code|source|file) (?:already )?(?:says?|states?|mentions?|tells?|reads|shows?|claims?)\b",
    r"\baccording to (?:the |its )?(?:readme|changelog|docs|documentation|docstring|code|source|comment|manual)",
    r"\b(?:it )?says (?:\w+ )?in the (?:readme|docs|changelog|comments?)", r"^the licen[cs]e (?:of|for|is)\b",
    r"\bas (?:you can see|the code shows)\b")))
