"""What speaks for an instruction, as data: the signal, its weight, its pattern, and whether a warning before it takes it back.

Weights are in steps of a half; three are enough (``instructing.ENOUGH``). A signal of three is one that no honest memory has,
one of two needs another, one of one or less only tips the scales. Patterns see text without invisible characters, in any
letter case, line by line; quantifiers are bounded, so that all are linear.
"""

from __future__ import annotations

import re

from reverie.core.instructing_cjk import CJK

_AGENT = (
    r"(?:ai|a\.i\.|llm|language model|assistant|agent|model|copilot|chatbot|bot|claude|codex|qwen|gemini|gpt|chatgpt|cursor"
    r"|kimi|opencode"
    r"|(?:ai |coding |code |automated |autonomous )(?:assistant|agent|tool|reviewer|model|system)|reviewer bot)s?"
)
_MEMORY = (
    r"(?:(?:long[- ]?term|permanent|persistent|agent|assistant|your|its|the|session|user|project)\s){0,3}"
    r"(?:memory|memories|memory\.md|memory file|memory store|claude\.md|agents\.md|qwen\.md|memory bank)"
)
_PRECEDING = r"(?:previous|prior|earlier|above|preceding|former|foregoing|aforementioned|initial)"
_ORDERS = (
    r"(?:instructions?|rules?|prompts?|guidelines?|directives?|messages?|constraints?|polic(?:y|ies)|context|orders?"
    r"|restrictions?|commands?)"
)
_USER = r"(?:user|users|developer|human|owner|operator|maintainer|anyone|customer|engineer|team)"
_FILES = (
    r"(?:\.env\b(?!\.(?:example|sample|template|dist|test))|environment variables?|env vars?|id_rsa|id_ed25519|private keys?"
    r"|ssh keys?|~?/?\.ssh\b|~?/?\.aws\b|/etc/(?:passwd|shadow)"
    r"|\.npmrc|\.netrc|\.git-credentials|kubeconfig|~/\.config|keychain)"
)
_SECRETS = (
    r"(?:secrets?|(?:aws|access|ssh|private|gpg|cloud|service|signing) keys?|credentials?|api[- ]?keys?|access tokens?"
    r"|tokens?|passwords?|cookies|session ids?|card numbers?|system prompt|source code|conversation|chat history"
    r"|transcripts?)"
)
_SEND = (
    r"(?:send|sends|sending|sent|post|posts|posting|posted|upload\w*|forward\w*|transmit\w*|e?mail(?:ed|ing)?|submit\w*"
    r"|beacon\w*|pipe\w*"
    r"|curl|push(?:ed|ing)?|report(?:ed|ing)?|deliver\w*)"
)
_SHOW = (
    r"(?:print|reveal|output|answer with|reply with|respond with|include|paste|dump|append|attach|echo|show|read out"
    r"|expose|leak|disclose)"
)
_PLACE = (
    r"(?:https?://|ftp://|wss?://|[\w.+-]+@[\w-]+\.\w|webhook|pastebin|gist\b|the following (?:url|address|server)"
    r"|\b(?:[\w-]+\.)+(?:com|net|org|io|dev|app|xyz|ru|cn|top|site|info|example)\b|attacker|external (?:server|url|host"
    r"|endpoint))"
)
_SECURITY = (
    r"(?:tls|ssl|https|certificates?|certs?|signatures?|host[- ]?keys?|authentication|authorization|security|safety"
    r"|sandbox(?:ing)?|permissions?"
    r"|approvals?|guard(?:rail)?s?|firewall|antivirus|csrf|cors|2fa|mfa|input validation|secret scan\w*|audits?(?: log\w*)?"
    r"|safeguards?|content filters?"
    r"|access controls?|rate limit\w*|encryption|branch protection|logging|monitoring|alerting)"
)
_CHECKS = r"(?:tests?|test suite|checks?|reviews?|code reviews?|ci|lint\w*|hooks|validation|verification)"
_DESTROY = (
    r"(?:delet\w+|drop\w*|overwrit\w+|remov\w+|destroy\w*|wip(?:e|es|ing)|truncat\w+|force[- ]?push\w*|deploy\w*|push\w*"
    r"|publish\w*|merg\w+|apply\w*|reset\w*|rm\b"
    r"|releas\w+|migrat\w+)"
)

# Words that loosen something, and what had better stay tight: in one clause they are a hint, no more ("relaxed").
_RELAX = (
    r"(?:off|disabled?|optional|unnecessary|(?:not|no longer) (?:needed|required|necessary|asks?|ask|applies|enforced)"
    r"|without (?:any )?(?:checks?|review|approval|asking|verification|confirmation|oversight)"
    r"|skip\w*|bypass\w*|waived|lifted|unencrypted|clear ?text|plain ?text|(?:is|are) (?:fine|ok|okay|safe)|may now|allowed"
    r"|granted|permitted|signed off|unchecked|automatically|approve it|turned off)"
)
_TIGHT = (
    r"(?:sandbox|root|sudo|secrets?|credentials?|passwords?|api keys?|hooks?|security|safety|permissions?|reviewers?"
    r"|git history|destructive (?:operations?|actions?|commands?)|untrusted|license headers?"
    r"|constraints|encryption|signatures?|firewall|audits?|two-factor|pinning|everything)"
)
_ROLE: tuple[tuple[str, float, str, bool], ...] = (
    ("role", 3, r"<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id|end_header_id|begin_of_text)[^"
                r"|\n]{0,20}\|?>", False),
    ("role", 3, r"\[/?inst\]|<</?sys>>|</?(?:system[-_]reminder|system[-_]prompt|function_results?|tool_results?"
                r"|reverie-memory|developer_message)\b", False),
    ("role", 2, r"</?(?:system|assistant|developer|instructions?|memory|memories)\s?>", False),
    ("role", 3, r"^\W{0,6}(?:system|developer|root|admin(?:istrator)?)(?: (?:message|prompt|note|notice|override"
                r"|update))?\W{0,3}:\s{0,4}"
                r"(?:you|ignore|override|new|the user|from now|all|do not|don't|always|never|disable|grant|enable|forget"
                r"|remember|save|store|this)\b", False),
    ("role", 2, r"^[ \t]{0,8}(?:human|assistant|user|model|ai)\s{0,4}:\s{0,4}\S.{0,400}\n\s{0,4}(?:assistant|human|user"
                r"|system|model"
                r"|ai)\s{0,4}:", False),
    ("role", 1.5, r"^[ \t]{0,8}(?:human|assistant)\s{0,4}:\s", False),
    ("role", 2, r"\b(?:begin|end|start of|end of) (?:the )?(?:system|developer) (?:prompt|message|instructions?)"
                r"|^#{2,}\s{0,4}(?:system|instructions?|new instructions?)\b"
                r"|\[(?:system|developer|admin)(?: (?:note|message|prompt|update|notice))?\]", False),
    ("role", 2.5, r"\bsystem (?:update|notice|message|override|alert|directive|instruction)s?\b[^\n.]{0,20}(?:\b(?:for"
                  r"|to)\b|:)", False),
    ("role", 2, r"^---\s{0,4}\n(?:\w+: .{0,200}\n){1,8}---", False),
    ("role", 1.5, r"\n---\s{0,4}\n\s{0,4}(?:name|type|description|status|scope)\s{0,4}:", False),
    ("role", 2, r"\"(?:memory|memories|memory_update|save_memory)\"\s{0,4}:\s{0,4}[\[{]|\"type\"\s{0,4}:\s{0,4}\"(?:feedback"
                r"|user|project"
                r"|reference)\"\s{0,4},", False),
    ("role", 1.5, r"\"role\"\s{0,4}:\s{0,4}\"(?:system|developer|assistant)\"|#\s{0,4}auto memory\b", False),
)
_OVERRIDE: tuple[tuple[str, float, str, bool], ...] = (
    ("override", 3, rf"\b(?:ignore|ignoring|disregard|forget|override|overrule|discard|drop|bypass|violate|stop (?:following"
                    rf"|obeying)|(?:do not|don't|no longer|never) (?:follow|obey|apply))"
                    rf"\b (?:(?:all|any|every|the|your|my|these|those|of|each|and|other|existing"
                    rf"|current)\s){{0,5}}{_PRECEDING}\s(?:[\w-]+\s){{0,2}}?{_ORDERS}\b", True),
    ("override", 3, rf"\b(?:ignore|disregard|forget|override|discard|bypass)\b (?:(?:all|any|every|of|the)\s){{0,3}}(?:your"
                    rf"|system|safety|developer's|developer|anthropic's|openai's)\s"
                    rf"(?:[\w-]+\s){{0,2}}?{_ORDERS}\b", True),
    ("override", 3, r"\b(?:ignore|disregard|forget) (?:everything|anything|all|all that|what) (?:that )?(?:was |is |has been "
                    r"|you (?:were|have been|know|learned)|i |they |we |before|above|said|so far)", True),
    ("override", 3, r"\b(?:these|the following|this|those|below) (?:instructions?|rules?|message|notice|directives?"
                    r"|text)\b[^.\n]{0,30}\b(?:overrides?|supersedes?|takes? (?:precedence|priority)"
                    r"|replaces?|outranks?)\b", False),
    ("override", 2, r"\btakes? (?:precedence|priority) over (?:all|any|every|everything|your|other)\b|\b(?:highest|absolute"
                    r"|top) priority\b[^.\n]{0,30}\b(?:instruction|rule|memory|directive)", False),
    ("override", 2, r"\bnew (?:system |standing |secret |top[- ]level )?(?:instructions?|prompt|directives?|orders?"
                    r"|rules?)(?: for (?:you|the))?\s{0,4}[:.]", False),
    ("override", 3, r"\byou are (?:now |from now on |hereby )?(?:in |entering |running in )?(?:an? )?(?:developer mode"
                    r"|god mode|debug mode with|dan\b|jailbroken|unrestricted|uncensored|unfiltered|root\b"
                    r"|no longer (?:bound|restricted|required|allowed|an?)|free (?:from|of)|admin mode"
                    r"|maintenance mode)", False),
    ("override", 2, r"\b(?:enable|enter|activate|switch (?:to|into)) (?:developer|god|admin|unrestricted|dan|jailbreak"
                    r"|maintenance|debug) mode\b", True),
    ("override", 1, r"\bfrom (?:now on|this (?:point|moment) (?:on|forward|onwards?)),? (?:you|the assistant|the agent"
                    r"|all agents)\b", False),
    ("override", 2, r"\b(?:act|behave|respond|pretend|roleplay) (?:as|like|to be)\b[^.\n]{0,40}\b(?:unrestricted"
                    r"|without (?:any )?(?:restrictions?|limits?|rules?|filters?)|no (?:rules|restrictions|limits))", False),
    ("override", 2, rf"\b(?:even if|no matter what|regardless of what) (?:the |your )?{_USER} (?:says?|asks?|objects?|tells?"
                    rf"|wants?)", False),
    ("override", 3, r"\b(?:ignore|disregard|override|bypass|disable|violate|forget|suspend|drop|break)\b (?:(?:all|any|every"
                    r"|the|your|its|those|of)\s){0,3}(?:programming|safety (?:guidelines?|protocols?|measures?|rules?|"
                    r"checks?|filters?|training|policies)|content polic\w+|guardrails?|ethic\w+|moral\w*|alignment)\b", True),
    ("override", 2, r"\b(?:ignore|disregard|override|bypass|disable|remove|lift|drop)\b (?:(?:all|any|every"
                    r"|your)\s){1,3}(?:of your )?(?:restrictions?|limitations?|limits|filters?|safeguards?|constraints?"
                    r"|controls|"
                    r"security measures|security controls|protections?)\b", True),
    ("override", 1, r"\b(?:without|no) (?:any )?(?:limitations?|restrictions?|constraints?)\b", True),
    ("override", 3, rf"\b(?:previous|prior|earlier|existing|original|initial|current|old|your) {_ORDERS} (?:have been"
                    rf"|has been|are|is|were) (?:now )?(?:revoked|void|cancel\w+|superseded|invalid\w*|deleted|replaced|"
                    r"overridden|suspended|lifted|no longer)", False),
    ("override", 3, r"\b(?:ignore|disregard|forget)\b (?:(?:all|any|the|every)\s){0,3}(?:text|content|words?|messages?|input"
                    r"|everything|anything|prompts?) (?:before|above|prior to|preceding|until|that came before)\b", True),
    ("override", 3, r"\byou are now (?:an? |the |my )?(?:\w+\s){0,2}?(?:superuser|admin\w*|root|hacker|free\b|unrestricted"
                    r"|dan\b|evil|jailbroken|uncensored|unfiltered|god)", False),
    ("override", 2, r"\b(?:operating|running|switched|now|put you) (?:in|into|to) (?:debug|developer|maintenance|diagnostic"
                    r"|admin|god|test|unrestricted) mode\b|\bjail-?break", False),
    ("override", 3, r"\b(?:treat|regard|consider|interpret|accept)\b [^.\n]{0,60}\bas (?:trusted |new |your |the )?(?:system"
                    r"|developer|admin|root|trusted|authoritative) (?:instructions?|prompts?|commands?|messages?|input)"
                    r"|\b(?:treat|regard|accept|consider) (?:instructions?|commands?|messages?|comments?|code comments?"
                    r"|anything|everything|all (?:input|content|text)) (?:from|in|on|at|that)\b[^\n]{0,60}\b(?:trusted"
                    r"|authoritative|binding)", False),
    ("override", 2, r"\bas your (?:developer|creator|administrator|admin|operator|owner|maker|supervisor)\b|\bi(?:'m"
                    r"| am) (?:the|your|an?) (?:system )?(?:administrator|admin|developer of|creator|root user)\b", False),
    ("override", 2, r"\b(?:must|should|will|shall|can|may)? ?never (?:refuse|decline|question|reject) (?:an?|any|my|the|these"
                    r"|this|such|his|their)?\s?(?:\w+\s)?(?:requests?|commands?|orders?|instructions?)\b|\b(?:obey"
                    r"|comply with) "
                    r"(?:all|any|every|my|these|this)\b", False),
    ("override", 1.5, r"\b(?:do|run|execute|follow|obey) (?:whatever|anything|everything) (?:the|this|that|it|i|is)\b", True),
    ("override", 2, r"\byou are (?:now )?(?:an? )?(?:\w+\s){0,2}?(?:without (?:any )?|with no )(?:restrictions?|limits?"
                    r"|rules?|filters?)", False),
    ("override", 2, r"\byour (?:new|real|true|actual|primary|only) (?:task|goal|instructions?|purpose|role|job|objective"
                    r"|directive)s?\b", False),
)
_ADDRESS: tuple[tuple[str, float, str, bool], ...] = (
    ("address", 3, rf"(?<!feedback )\b(?:note|notice|message|instructions?|attention|reminder|memo|hint|important|warning|info|information"
                   rf"|request|directive|for|to|dear|hey|hello|psa|calling|notes)\b"
                   rf"[ \t]{{0,2}}[:!,]?[ \t]{{0,2}}(?:to |for )?(?:all |any |the |every |our |other "
                   rf"|future )?{_AGENT}(?: (?:agents?|assistants?|models?|users|tools?|systems?))?"
                   rf"(?:\s(?:reading|processing|parsing|that reads?|who reads?|which reads?|working|reviewing"
                   rf"|summari[sz]ing)\b[^.\n:]{{0,40}})?\s{{0,2}}[:!—–,]", False),
    ("address", 3, rf"\b(?:if|when|in case|since|because) you(?:'re|’re| are) (?:an? |the )?{_AGENT}\b", False),
    ("address", 3, rf"\b(?:any|every|all|the|an?) {_AGENT} (?:that |which |who )?(?:is |are )?(?:currently )?(?:reading"
                   rf"|reads?|processing|process(?:es)?|parsing|parses?|summari[sz]\w+|seeing|sees?) "
                   r"(?:this|these|the following|it)\b", False),
    ("address", 3, rf"\b(?:{_AGENT})[- ](?:notice|memo|memory update|directive|instructions?|override|only|alert"
                   rf"|readable note)\b\s{{0,2}}[\]:]", False),
    ("address", 2, rf"^\W{{0,6}}(?:hey |hi |ok |dear )?{_AGENT}\s?[,:]\s?(?:please |you |kindly )?(?:must |should "
                   rf"|need to )?(?:remember|save|store|record|ignore|disregard|add|update|write|"
                   r"from now|forget|disable|run|execute|delete|send|stop|do not|don't|always|never)\b", False),
    ("address", 1, rf"\b{_AGENT} (?:must|should|shall|need to|have to|are (?:required|instructed|allowed|permitted"
                   rf"|authori[sz]ed|expected) to|may now|is allowed to)\b", False),
    ("address", 2, r"\b(?:dear|attention|calling all)\s(?:ai|llm|language model|assistant|agent)", False),
    ("address", 1, r"\bas an? (?:ai|llm|language model|assistant|agent)\b", False),
    ("address", 1, r"\b(?:important|critical|urgent|mandatory|attention)\b\s{0,2}[:!]", False),
)
_MEMORIZE: tuple[tuple[str, float, str, bool], ...] = (
    ("memory", 2, r"\b(?:keep|record)\b[^.\n]{0,40}\bacross (?:all )?(?:sessions|projects|conversations)\b", True),
    ("memory", 3, r"\b(?:remember|memori[sz]e|retain|store|save|learn)\b[^.\n]{0,40}\bacross (?:all )?(?:sessions|projects"
                  r"|conversations)\b", True),
    ("memory", 3, r"\b(?:remember|memori[sz]e|retain|store|save|record|keep|learn)\b[^.\n]{0,40}\b(?:permanently|forever"
                  r"|for (?:all|every|any) (?:future|later|upcoming|other)? ?(?:sessions?|conversations?|"
                  r"tasks?|projects?|runs?))\b", True),
    ("memory", 2.5, r"\b(?:save|store|add|write|append|record|commit|put|persist|insert|copy|place"
                    r"|note)\b (?:[^\s.;]+\s){0,10}?(?:to|in|into) (?:your |its |assistant |agent ){1,2}"
                    r"(?:long[- ]?term |permanent |persistent )?(?:memory|memories|memory file|notes)\b", True),
    ("memory", 2, rf"\b(?:save|store|add|write|append|record|commit|put|persist|insert)\b (?:[^\s.;]+\s){{0,10}}?(?:to|in"
                  rf"|into) {_MEMORY}\b", True),
    ("memory", 2, r"\b(?:store|save|record|remember|add|treat|keep) (?:(?:this|the following|it|that)\s)?(?:as )?(?:an? "
                  r"|the )?(?:new |standing |permanent |user |global )?"
                  r"(?:preference|feedback|memory|rule|fact|instruction)\b", True),
    ("memory", 2, rf"\bremember,? (?:that )?(?:the |your |this )?{_USER} (?:wants?|prefers?|likes?|has |have |asked|approved"
                  rf"|agreed|allows?|permits?|always|never|said|decided|requested|trusts?)", False),
    ("memory", 2, r"\b(?:in|for|across|to) (?:all |any |every |each )?(?:future|later|upcoming|subsequent) (?:sessions?"
                  r"|conversations?|interactions?|chats?|runs?|tasks?|agents?|prompts?)\b", False),
    ("memory", 2.5, r"\b(?:update|add to|write to|append to|modify|extend|edit|change) (?:your |its |the assistant's "
                    r"|the agent's )(?:core |persistent |long[- ]?term |permanent |internal )?(?:memory|memories|memory file|"
                    r"knowledge base|notes)\b", True),
    ("memory", 1.5, r"\b(?:update|change|edit|rewrite|amend|modify|replace) your (?:memory|memories|rules|instructions"
                    r"|system prompt|guidelines|behaviou?r)\b", True),
    ("memory", 3, r"\b(?:delete|erase|wipe|clear|forget|remove|purge|drop) (?:(?:all|every|your|the|any|of|each|other"
                  r"|previous|existing|stored|saved)\s){1,4}(?:memories|memory entries|memory\.md|memory that|memory about|"
                  r"notes about)", True),
    ("memory", 2, r"\b(?:this|the following) (?:memory|rule|note|instruction|preference) (?:must|can(?:not|'t)|may|should"
                  r"|will) (?:never|not|always)?\s?(?:be )?(?:deleted|removed|overwritten|forgotten|"
                  r"questioned|changed|ignored|loaded|applied)", False),
    ("memory", 1, r"\b(?:always )?remember\s?[:,]"
                  r"|\bremember that\b|\bplease remember\b|\bsave this\b|\bstore this\b|\brecord this\b", True),
    ("memory", 1, rf"\bthe {_USER} (?:has |have |had )?(?:already |explicitly |previously )?(?:approved|agreed|consented"
                  rf"|authori[sz]ed|given (?:permission|consent)|confirmed|allowed|granted|said so|"
                  r"(?:asked|instructed) you(?! to)|signed off)", True),
    ("memory", 1.5, rf"\bthe {_USER} (?:has |have )?(?:prefers?|wants?|indicated|would like|expects?|likes?|said|stated"
                    rf"|noted) (?:that )?(?:you|they|all|their|the (?:assistant|agent)) (?:to |want |would |should |can |may "
                    rf"|always |all )?"
                    r"(?:\w+\s){0,5}?(?:execut|run|delet|upload|push|install|disabl|skip|shar|send|sent|forward|grant|bypass"
                    r"|approv|trust|ignor)", True),
    ("memory", 1, r"\b(?:security|admin\w*|platform|legal|compliance|management|it)(?:'s)? (?:team|department|staff"
                  r"|policy)?\s?(?:has |have )?(?:confirmed|approved|requires?|mandates?|mandated|decided|authori[sz]ed"
                  r"|instructed|rolled out)\b", False),
    ("memory", 2, rf"\bthe {_USER} (?:has |have )?(?:asked|instructed|authori[sz]ed|permitted|allowed|requested) (?:you"
                  rf"|the assistant|the agent|agents|claude|codex) to\b", False),
)
_SAFETY: tuple[tuple[str, float, str, bool], ...] = (
    ("safety", 2, r"\b(?:never|do not|don't|no need to|without|stop|skip|avoid|no longer) (?:ever )?(?:ask(?:ing)?"
                  r"|wait(?:ing)?|request(?:ing)?|prompt(?:ing)?|seek(?:ing)?|requir(?:e|ing)|need(?:ing)?)"
                  r"\s(?:(?:the user|me|anyone|for|any|further|explicit|user|human|their|prior"
                  r"|manual)\s){0,4}(?:confirmations?|permissions?|approvals?|consent|authori[sz]ation|sign[- ]?offs?"
                  r"|reviews?)\b", False),
    ("safety", 1.5, r"\b(?:confirmation|permission|approval|consent|review|authori[sz]ation)s? (?:is|are) (?:never|not"
                    r"|no longer|optional|unnecessary)(?: (?:required|needed|necessary))?\b", False),
    ("safety", 2, r"\b(?:never|not|no longer) (?:wants?|needs?|wish(?:es)?) to be (?:asked|prompted|consulted"
                  r"|warned)\b", False),
    ("safety", 1.5, rf"\bno longer (?:wants?|needs?|requires?) (?:[\w-]+\s){{0,2}}?(?:{_CHECKS}|{_SECURITY})\b|\b(?:all"
                    rf"|any) permissions? (?:are|is|were) granted\b", True),
    ("safety", 3, rf"\b(?:never|do not|don't|no need to|stop) (?:ever )?ask(?:ing)? (?:(?:me|the user|anyone"
                  rf"|for \w+)\s)?(?:before|when|about|prior to) (?:you )?{_DESTROY}", False),
    ("safety", 3, rf"\b{_DESTROY}\b[^.\n]{{0,50}}\bwithout (?:ever )?(?:asking|confirm\w*|approval|permission|review\w*"
                  rf"|telling|notif\w+|prompting|a prompt|consent|warning)\b", True),
    ("safety", 3, r"\b(?:execut\w+|run|runs|running|install\w*)\b (?:(?:any|all|every|shell|arbitrary|the|these|such|terminal"
                  r"|bash)\s){0,2}(?:commands?|scripts?|code|anything|everything|packages?|binaries)\b[^.\n]{0,30}"
                  r"\bwithout (?:any )?(?:asking|confirm\w*|approval|permission|review\w*|prompting|consent"
                  r"|checking)\b", True),
    ("safety", 2, rf"\b(?:{_SECURITY}|passwords?|identity)\b(?: \w+){{0,2}}? (?:checks?|verification|validation|prompts?"
                  rf"|requirements?|controls?|scans?)? ?(?:have been|has been|is|are|was|were) (?:\w+\s)?(?:disabled"
                  rf"|turned off|"
                  r"no longer (?:required|needed|necessary)|not (?:required|needed|necessary)|removed|suspended|waived"
                  r"|bypassed|optional)\b", True),
    ("safety", 1.5, r"\b(?:always |blindly |fully |implicitly )trust\b(?! but)", True),
    ("safety", 1, r"\band (?:then )?(?:execute|run|follow|obey|apply) (?:them|it|whatever|these|those)\b", True),
    ("safety", 1.5, r"\b(?:eval|exec|os\.system|subprocess\.call|child_process)\s?\(", True),
    ("safety", 1, r"\b(?:required|mandated|demanded) by (?:policy|law|compliance|the security team"
                  r"|management)\b|\bfor (?:compliance|legal|audit|security|debugging) (?:reasons|purposes)\b", False),
    ("safety", 2, r"\bbefore (?:answering|responding|replying|you (?:answer|respond|reply|start|do anything)|each (?:answer"
                  r"|response|reply)|every (?:answer|response|reply)),? (?:always |first |please )?(?:run|execute|fetch|visit"
                  r"|open|"
                  r"call|download|curl|send|post)\b", True),
    ("safety", 2, r"\b(?:add|include|insert|embed|inject|place|append|put)\b (?:[\w-]+\s){0,5}?(?:tracking|beacon|backdoor"
                  r"|miner|keylogger|web ?shell|pixel)\b", True),
    ("safety", 2, r"\b(?:add|include|insert|embed|inject|append)\b (?:[\w-]+\s){0,4}?(?:calls?|requests?|links?|images?"
                  r"|scripts?|references?|fetch) to (?:https?://|[\w-]+\.\w)", True),
    ("safety", 1, r"\bwhenever you (?:write|generate|produce|create|answer|respond|commit|edit|review"
                  r"|see)\b|\bevery time you\b", False),
    ("safety", 1, r"\b(?:backdoor|malware|ransomware|reverse shell|keylogger|typosquat)", True),
    ("safety", 2, r"--no-verify\b|--dangerously-skip-permissions|--yolo\b|--grace-period=0|--no-check-certificate"
                  r"|node_tls_reject_unauthorized\s?=\s?0|git_ssl_no_verify|stricthostkeychecking[= ]no"
                  r"|\bchmod (?:-r )?777|\brm -rf (?:/|~|\*)|verify\s?=\s?false"
                  r"|--insecure\b|--allow-all\b|bypasspermissions", True),
    ("safety", 2, rf"\b(?:disabl\w+|turn(?:ing)? off|switch(?:ing)? off|bypass\w*|deactivat\w+|circumvent\w*|suppress\w*"
                  rf"|weaken\w*|skip\w*|remov\w+|ignor\w+)\b (?:[\w'/-]+\s){{0,3}}?{_SECURITY}\b", True),
    ("safety", 1.5, rf"\b(?:skip|skips|skipping|bypass\w*|disabl\w+|ignor\w+|never run|do not run|don't run|stop running"
                    rf"|omit)\b (?:[\w'-]+\s){{0,2}}?{_CHECKS}\b", True),
    ("safety", 1, r"\b(?:always|every|each|permanently|forever|by default|unconditionally|everywhere|at all times"
                  r"|in all (?:projects|repos\w*|environments|sessions|cases))\b", False),
    ("safety", 2, r"\bauto[- ]?(?:approv|accept|confirm|merg)\w*|\b(?:approve|accept|allow|grant|trust|permit) (?:all|every"
                  r"|any|everything)\b|\bmark (?:all|every|each|any) (?:\w+\s){0,2}(?:as )?"
                  r"(?:approved|safe|passed|resolved)", True),
    ("safety", 1, r"\balways (?:allow|permit|approve|accept|trust|grant|say yes|comply|obey)\w*|\b(?:unrestricted|full"
                  r"|unlimited|root) (?:\w+ )?access\b", True),
    ("safety", 1, r"\b(?:access|permissions?|rights) (?:\w+\s){0,3}?to (?:everyone|anyone|everybody|all users"
                  r"|the public)\b", True),
    ("safety", 2, r"\bcurl\b[^\n]{0,120}\|\s{0,4}sudo\b|\bpiped? (?:in)?to (?:sudo|sh|bash"
                  r"|a shell)\b|\bcurl\b[^\n]{0,20}\bsudo sh", True),
    ("safety", 1, r"\bcurl\b[^\n|]{0,200}\|\s{0,4}(?:ba|z)?sh\b|\bwget\b[^\n|]{0,200}\|\s{0,4}(?:ba"
                  r"|z)?sh\b|\beval\b[^\n]{0,40}\bcurl\b", True),
    ("safety", 2, r"\bforce[- ]?push(?:es|ing|ed)?\b[^.\n]{0,20}\b(?:to|on|over) (?:main|master|prod\w*|release"
                  r"|trunk)\b|\bgit push (?:-f|--force)\b[^.\n]{0,30}\b(?:main|master)\b", True),
    ("safety", 2, rf"\b(?:log|store|print|write|keep|save|send|record)(?:s|ged|d|ed"
                  rf"|ing)?\b (?:[\w']+\s){{0,4}}?{_SECRETS}\b[^.\n]{{0,30}}\b(?:plain[- ]?text|clear[- ]?text|unencrypted"
                  rf"|unmasked)\b"
                  rf"|\b{_SECRETS} (?:[\w']+\s){{0,3}}?(?:logged|stored|kept|printed|saved|sent) (?:in "
                  rf"|as )?(?:plain[- ]?text|clear[- ]?text|unencrypted)", True),
    ("safety", 2, r"\b(?:run|execute|do) (?:everything|all commands?|every command|any command|commands?"
                  r"|all of it) (?:as (?:root|admin)|with sudo|automatically|immediately|blindly)", True),
    ("safety", 2, r"\byou (?:may|can|are allowed to|are free to|have permission to) (?:now )?(?:delete|drop|overwrite|remove"
                  r"|destroy|wipe|push|force|disable|run anything|execute)", True),
    ("safety", 1.5, r"\b(?:hard-?code|commit|check in|push)\b (?:[\w']+\s){0,3}?(?:secrets?|credentials?|api keys?|passwords?"
                    r"|\.env)\b|\b0\.0\.0\.0/0\b|\bcors[^.\n]{0,20}\*", True),
    ("safety", 1.5, r"\bwith(?:out)? (?:any )?(?:hesitation|question(?:s|ing)?)\b|\bno questions asked\b|\bblindly\b", True),
)
_RELAXED: tuple[tuple[str, float, str, bool], ...] = (
    ("override", 2, r"\byour (?:users?|operators?|guard ?rails?|safeguards?|restrictions?|filters?|developers?|creators?"
                    r"|makers?|owners?|principals?|programming|training)\b", False),
    ("override", 3, r"\b(?:ignore|disregard|forget|override)\b (?:what|whatever|anything|everything) (?:the |your )?(?:user"
                    r"|developer|human|owner|person)s? (?:has |have )?(?:said|says?|asks?|asked|wants?|told|tells?)", False),
    ("override", 3, r"\b(?:erase|forget|delete|drop|discard) what(?:ever)? you (?:know|knew|learned|remember|were told"
                    r"|have learned|believe)", False),
    ("override", 2, r"\babove (?:all (?:others?|else|rules|other)|everything)\b|\bobey\b|\brule (?:0|zero)\b", False),
    ("override", 2.5, r"\b(?:treat|regard|take|see|accept|consider)\b [^.\n]{0,40}\bas (?:an? |your "
                      r"|the )?(?:\w+ )?(?:orders?|commands?|instructions?) (?:from|of|by)\b", False),
    ("address", 3, rf"\b(?:which|what|who)ever (?:\w+ )?{_AGENT}\b", False),
    ("address", 2, r"\bthe (?:assistant|ai|agent|llm|model) is (?:hereby|now|henceforth) \w+", False),
    ("memory", 2, r"\b(?:add|give|leave|set|make|write|send) yourself\b|\b(?:commit|save|store|add|write|put"
                  r"|take) the following (?:\w+ )?(?:to|in|into) (?:your |the )?(?:\w+ )?memory\b", False),
    ("memory", 1, r"\b(?:commit|take) (?:this|the following|it) to memory\b|\btrust (?:this|the present) (?:file|document"
                  r"|page|note|text)\b", False),
    ("safety", 2, rf"\b(?:{_CHECKS}|{_SECURITY}|warnings?) (?:must|should|can|may|are to|will) (?:always |safely "
                  rf"|simply )?be (?:bypassed|skipped|ignored|disabled|switched off|turned off|waived|overlooked)\b", True),
    ("safety", 2, r"\bwithout (?:reading|looking|reviewing it|checking it|opening it)\b|\b(?:confirmation|approval|permission"
                  r"|review)s?\s?[:=]\s?(?:none|off|never|not required|no\b|all\b)|\banyone who asks\b", True),
    ("concealment", 2, r"\bkeep (?:this|it|that) to (?:itself|yourself"
                       r"|themselves)\b|\bhide the following\b|\bhide (?:\w+ )?from your\b", False),
    ("relaxed", 1.5, rf"\b{_TIGHT}\b[^.\n]{{0,50}}\b{_RELAX}\b|\b{_RELAX}\b[^.\n]{{0,40}}\b{_TIGHT}\b", True),
    ("persistence", 1.5, r"\b(?:internali[sz]e|keep (?:this |it |that )?in mind (?:for good|always|forever|permanently)"
                         r"|write (?:a|this) memory|create a memory|add (?:this )?to what you (?:remember|know)"
                         r"|persist (?:this|the following)"
                         r"|(?:in|to|into) your (?:knowledge|habits|defaults?|persona)|as your default|make (?:it|this) (?:a"
                         r"|your) habit|learn this|for (?:all|any) (?:later|further|subsequent|future) work"
                         r"|for good\b|remember it\b"
                         r"|store that (?:the )?(?:user|developer|owner))", True),
    ("address", 3, r"\b(?:bots?|agents?|assistants?|models?|crawlers?|scrapers?|machines?|readers?|tools?|systems?"
                   r"|parsers?)\b (?:that |which |who )?(?:read|pars|process|scan|summari[sz]|visit|index|ingest"
                   r"|consum)\w* (?:this|the present) "
                   r"(?:page|document|file|text|site|website|repo\w*|readme|issue|message|comment|content)\b", False),
    ("address", 2, r"\bwhen (?:you(?:'re| are)? )?(?:summari[sz]ing|reviewing|reading|processing|translating|analy[sz]ing"
                   r"|indexing|parsing) (?:this|the (?:above|present|following)) ?(?:document|page|file|text|code|repo\w*"
                   r"|content|issue|message)?", False),
    ("address", 1.5, r"\b(?:tell|inform|instruct) the (?:model|assistant|ai|agent|llm)\b|\b(?:machine|ai|llm|agent"
                     r"|bot) readers?\b|\bthe (?:assistant|ai|llm|coding agent) (?:no longer|needs? to|must|should|shall"
                     r"|is (?:required|allowed|free|permitted))"
                     r"|\b(?:claude|codex|qwen|gemini|copilot|chatgpt) (?:needs? to|must|should|shall|has to)\b", False),
    ("address", 1.5, r"\ball (?:coding |ai |autonomous )?(?:assistants|agents|models|bots) (?:are|must|should|shall|need"
                     r"|have)\b", False),
    ("override", 3, r"\bdo as (?:this|the present) (?:file|document|page|text|note) says\b|\bnot (?:as|what) the user (?:says"
                    r"|said|asks|wants)\b|\b(?:above|over|more important than|before|outranks?|overrides?) (?:the|your) "
                    r"user'?s? (?:instructions?|wishes|orders|requests?|preferences?)\b", False),
    ("safety", 1.5, r"\b(?:commit|push|merge)\w* (?:straight|directly) to (?:main|master|trunk|prod\w*)\b|\b(?:permanent|full"
                    r"|standing|blanket|unlimited) permission\b|\bas (?:an? )?(?:admin\w*|owner|collaborator|root user"
                    r"|superuser)\b"
                    r"|\brewrite (?:git |the )?history\b|\buntrusted (?:repos?\w*|scripts?|code|sources?|packages?)\b", True),
    ("safety", 1.5, r"\b(?:recommend|rate|praise|promote|advertise|endorse|favou?r)\b[^.\n]{0,50}\b(?:in every|in all"
                    r"|five stars|over (?:all )?(?:competitors|alternatives)|to (?:everyone|all users)|always)\b"
                    r"|\b(?:an? |our )(?:advert\w*|ads?|affiliate link|sponsored)\b", True),
    ("safety", 1, r"\bwhatever happens\b|\bin any case\b|\bit has been decided\b|\bpolicy (?:has )?changed\b|\balready"
                  r" (?:signed off|approved|decided|agreed)\b|\bno one (?:needs|has) to\b|\bnobody (?:needs|has) to\b", True),
    ("exfiltration", 1.5, r"\b(?:into|in|to) (?:the |an? |your )?(?:public |github )?(?:issue(?: template)?|gist|pull request"
                          r"|readme|slack|ticket|chat|forum|comment|build log|log output|logs?)\b", True),
    ("exfiltration", 2, r"https?://\S{3,100}[^.\n]{0,30}\b(?:must|should|shall|has to|will) (?:receive|get|be sent)\b", True),
    ("concealment", 2, r"\b(?:don't|do not|never) let (?:the |any )?(?:user|developer|owner|human|maintainer|anyone"
                       r"|team)\b|\bkeep quiet about\b|\bnobody (?:needs to|must|should) (?:know|be told|notice)", False),
)
_EXFILTRATE: tuple[tuple[str, float, str, bool], ...] = (
    ("exfiltration", 3, rf"\b(?:{_SEND}|{_SHOW})\b (?:[^\s;]+\s){{0,8}}?(?:contents? of "
                        rf"|the )?(?:\S{{0,40}}/)?{_FILES}", True),
    ("exfiltration", 3, rf"\bcop(?:y|ies|ied"
                        rf"|ying)\b (?:[^\s;]+\s){{0,4}}?(?:\S{{0,40}}/)?{_FILES}\S{{0,40}} (?:in)?to (?:the |a "
                        rf"|our )?(?:repo\w*|public|server|"
                        r"remote|clipboard|gist|issue|answer|chat)\b", True),
    ("exfiltration", 3, rf"\bexfiltrat\w*|\bleak\w* (?:\w+\s){{0,3}}?{_SECRETS}\b", True),
    ("exfiltration", 2, rf"\b(?:{_SEND}|{_SHOW})\b (?:[^\s;]+\s){{0,8}}?{_SECRETS}\b", True),
    ("exfiltration", 2.5, rf"\b{_SECRETS} (?:must|should|shall|will|have to|need to|are to|may) (?:also |always "
                          rf"|then )?be (?:printed|shown|included|sent|posted|logged|output|appended|attached|uploaded|shared"
                          rf"|forwarded|"
                          r"displayed|pasted|committed|echoed)\b", True),
    ("exfiltration", 1.5, rf"\b(?:{_SEND})\b[^\n]{{0,120}}?{_PLACE}", True),
    ("exfiltration", 1, r"\ball (?:of )?(?:their|the|your|his|her|user|customer|our) (?:files?|data|code|documents?|messages"
                        r"|emails?|records|repos\w*)\b[^.\n]{0,30}\b(?:upload|sent|send|cop|shar|forward|post)\w*", True),
    ("exfiltration", 2, r"\b(?:every|each|all|any) (?:repl(?:y|ies)|responses?|answers?|messages?|outputs?|commits?"
                        r"|pull requests?)\b[^\n]{0,40}(?:https?://|\blinks? to (?:[\w-]+\.)+\w)", True),
    ("exfiltration", 2, r"\b(?:include|report|state|reveal|provide|give|share|disclose|append)\b (?:their|your|its"
                        r"|the agent's) (?:[\w-]+\s){0,2}?(?:instance ids?|configuration|config|system prompt|instructions"
                        r"|credentials|tokens?|keys?|"
                        r"session|prompt|internal)", True),
    ("exfiltration", 1, rf"\b(?:{_SEND})\b (?:all|every|each|any) (?:prompts?|requests?|messages?|answers?|diffs?|outputs?"
                        rf"|inputs?|keystrokes?)\b", True),
    ("exfiltration", 2, rf"\b(?:collect|harvest|steal|gather|siphon)\w* (?:\w+\s){{0,3}}?{_SECRETS}\b", True),
    ("exfiltration", 2, r"\b(?:all|every|any|each) (?:requests?|responses?|data|traffic|code|outputs?|answers?|files?"
                        r"|prompts?|diffs?|messages?)\b[^.\n]{0,40}\b(?:sent|forwarded|copied|posted|uploaded|mirrored|"
                        r"reported|routed|go|submitted)\b[^.\n]{0,40}https?://", True),
    ("exfiltration", 1, r"\bin (?:every|each|all|your) (?:answers?|repl(?:y|ies)|responses?|commit messages?|outputs?"
                        r"|messages?)\b|\bwhen(?:ever)? (?:you(?:'re| are)? )?asked\b", False),
    ("exfiltration", 2, r"!\[[^\]\n]{0,80}\]\(https?://[^)\s]{0,200}[?&](?:d|data|q|p|s|secret|token|key|c)=", False),
    ("exfiltration", 1.5, r"\b(?:cat|read|open|see|include|load)\b (?:[\w']+\s){0,3}?(?:\S{0,60}/)?(?:\.aws/credentials"
                          r"|\.ssh/\w+|etc/passwd|etc/shadow|\.env)\b", True),
)
_CONCEAL: tuple[tuple[str, float, str, bool], ...] = (
    ("concealment", 3, rf"\b(?:do not|don't|never|without) (?:ever )?(?:tell(?:ing)?|inform(?:ing)?|mention(?:ing)?"
                       rf"|reveal(?:ing)?|notify(?:ing)?|alert(?:ing)?|show(?:ing)?|disclos(?:e|ing)|admit(?:ting)?) "
                       rf"(?:this|it|that|these|any of this|anything|these instructions|about (?:this|it"
                       rf"|these))\b(?:[^.\n]{{0,20}}\b(?:to )?(?:the )?{_USER}\b)?", False),
    ("concealment", 2, rf"\b(?:do not|don't|never|without) (?:ever )?(?:tell(?:ing)?|inform(?:ing)?|notify(?:ing)?"
                       rf"|alert(?:ing)?|warn(?:ing)?|let(?:ting)?) (?:the )?{_USER}\b", False),
    ("concealment", 1, rf"\b(?:tell(?:ing)?|inform(?:ing)?|notify(?:ing)?|let(?:ting)?) (?:the )?{_USER}\b (?:know )?(?:about"
                       rf"|of) (?:this|these|it|that|any of|your)\b", False),
    ("concealment", 3, rf"\b(?:keep|hide|conceal)\b (?:this|it|that|these|the \w+)\s?(?:secret|hidden|quiet"
                       rf"|private)?\s?from (?:the )?{_USER}\b", False),
    ("concealment", 2, r"\b(?:secretly|covertly|quietly|silently|stealthily|discreetly) (?:\w+ )?(?:forward|send|upload|post"
                       r"|cop|add|install|run|execut|chang|modif|delet|commit|includ|disabl|insert|replac|log)\w*", True),
    ("concealment", 2.5, r"\b(?:never|do not|don't) (?:mention|disclose|reveal|document|report|explain|discuss) (?:the|any"
                         r"|this|that|these|of the) (?:\w+\s)?(?:change|switch|fact|instructions?|rules?|replacement|update"
                         r"|note|addition|memory)", False),
    ("concealment", 1.5, r"\bdeny (?:that|having|knowing|any|it|all|everything)\b", True),
    ("concealment", 2, r"\bif (?:you are |you're |anyone |someone |they |the user |ever )?(?:asks?|asked"
                       r"|questioned)(?: (?:about|why)(?: \w+){0,3})?,? (?:just |simply |always )?(?:say|deny|answer|respond"
                       r"|claim|pretend|reply|tell them|lie)\b", False),
    ("concealment", 1, r"\b(?:secretly|covertly|quietly|silently|stealthily|without (?:a )?trace"
                       r"|in the background without)\b", True),
    ("concealment", 1.5, rf"\bwithout (?:the )?{_USER}(?:'s)? (?:knowing|noticing|knowledge|consent|awareness)", True),
    ("concealment", 1.5, r"\bpretend (?:that |you |nothing|it )", True),
)
_HIDDEN: tuple[tuple[str, float, str, bool], ...] = (
    ("hidden", 1.5, rf"<!--(?:(?!-->).){{0,200}}?\b(?:{_AGENT}|system|remember|memory|instructions?|ignore)\b", False),
    ("hidden", 1, r"display:\s?none|font-size:\s?0|visibility:\s?hidden|color:\s?(?:white|#fff(?:fff)?)\b", False),
    ("hidden", 1, r"javascript:|data:text/html|file:///", False),
)

SIGNALS: tuple[tuple[str, float, str, bool], ...] = (
    *_ROLE, *_OVERRIDE, *_ADDRESS, *_MEMORIZE, *_SAFETY, *_RELAXED, *_EXFILTRATE, *_CONCEAL, *_HIDDEN, *CJK,
)

# A warning before or after a dangerous thing, in its own clause.
NEGATED_BEFORE = re.compile(
    r"\b(?:never|not|cannot|can't|don't|doesn't|won't|mustn't|shouldn't|isn't|no|avoid|forbid\w*|prohibit\w*|refus\w+"
    r"|prevent\w*|block\w*|reject\w*|instead of|rather than|stop|nobody|"
    r"nothing|detect\w*|against|disallow\w*|ban(?:s|ned)?|fail\w* (?:if|when)|if (?:you|someone|anyone)"
    r"|warn\w*)\b[^.,;!?\n:]{0,40}\Z|\b(?:never|not),[^.;!?\n:]{0,40}\Z"
    r"|(?:不要(?=[\u4e00-\u9fffA-Za-z -])|不得|禁止|严禁|不能|不可|不许|不准|别|勿|切勿|避免|不应|不会|防止|杜绝|从不|绝不"
    r"|请勿|不允许)[^。；！？\n，,]{0,10}\Z",
    re.I,
)
NEGATED_AFTER = re.compile(
    r"[^。；！？\n、，]{0,10}(?:しない(?:で|こと|よう)|ない(?:で|こと)|禁止|してはいけ|てはいけ|てはなら|厳禁|避け|せず)"
    r"|[^.;!?\n,]{0,4}(?:하지\s?(?:마|말|않)|지\s?(?:마|말|않)|금지|면\s?안|안\s?된|안\s?돼)"
    r"|[^。；！？\n]{0,6}(?:是禁止|都禁止|不允许|是不允许|被禁止)"
    r"|[^.;!?\n]{0,20}\b(?:is|are) (?:not allowed|forbidden|prohibited|banned|never allowed|rejected|blocked)\b",
    re.I,
)
