"""What may be kept: small rules in a list, each of which knows one reason to refuse (study, "should not be stored").

A ``Gate`` is an ordered tuple of rules; the first that answers refuses. ``STUDY_QWEN`` is the study's patch filter (Qwen
Code §5), word for word; ``OURS`` judges by meaning what that judges by single words, because "from now on it is Kafka now" is
no passing state. Whatever the gate, ``at_the_door`` is asked again before anything is written: no secret reaches a store.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from reverie.core import redact, text, trust
from reverie.core.budget import clip
from reverie.core.events import Tombstone
from reverie.core.memory import By, Memory
from reverie.core.proposal import Drop, Proposal, Reason
from reverie.core.relation import Relation, relation

STUDY_SHORTEST = 12         # characters of a summary (study, Qwen Code §5)
OUR_SHORTEST = 7            # columns, "use vim"; a Chinese character says about as much as two Latin letters
QUOTE_CHARACTERS = 200      # of what was refused, for `learn --dry-run` and `why`
MANY_DOCUMENTED = 0.9       # of a memory's words stand in one paragraph of the project's own instructions


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A proposal, and what it is held against."""

    proposal: Proposal
    known: Iterable[Memory] = ()
    tombstones: Sequence[Tombstone] = ()
    documented: Sequence[str] = ()  # the project's own instructions (CLAUDE.md, AGENTS.md, QWEN.md)

    @property
    def memory(self) -> Memory:
        return self.proposal.memory

    @property
    def summary(self) -> str:
        """What the study calls the summary: the one sentence."""
        return (self.memory.description or self.memory.body).strip()


Rule = Callable[[Asked], Reason | None]


@dataclass(frozen=True, slots=True)
class Gate:
    """Rules in the order in which they are asked."""

    name: str
    rules: tuple[Rule, ...] = field(default=())

    def check(
        self,
        proposal: Proposal,
        known: Iterable[Memory] = (),
        *,
        tombstones: Sequence[Tombstone] = (),
        documented: Sequence[str] = (),
    ) -> Drop | None:
        """Why a proposal is refused, None when it may be kept."""
        asked = Asked(proposal=proposal, known=known, tombstones=tombstones, documented=documented)
        for rule in self.rules:
            if reason := rule(asked):
                source = proposal.memory.source
                quote = clip(redact.redact(source.quote or asked.summary).text, QUOTE_CHARACTERS).text
                return Drop(reason=reason, quote=quote, message=source.message)
        return None


def at_the_door(memory: Memory) -> list[str]:
    """What forbids to write a memory at all: the families of the credentials in it. Asked before every write.

    Every field that reaches the disk is looked at, the words that it rests on and what an editor added as well.
    """
    written = (memory.text, *memory.keywords, memory.source.quote, *(f"{key}: {value}" for key, value in memory.extra))
    return [secret.family for part in written if part for secret in redact.find(part)]


def tombstone(memory: Memory) -> Tombstone:
    """The mark that keeps a forgotten memory from being learned again."""
    return Tombstone(
        fingerprint=fingerprint(memory), words=memory.body or memory.description, memory=memory.id, project=memory.project
    )


def fingerprint(memory: Memory) -> str:
    """The same for the same words, however they are ordered and written."""
    words = sorted(set(text.tokens(memory.body or memory.description)))
    return hashlib.sha256(" ".join(words).encode()).hexdigest()[:32]


# ── for every design ─────────────────────────────────────────────────────────────────────────────────────────────


def secret(asked: Asked) -> Reason | None:
    """A credential, or little but the place where one was taken out: "the token: never with your own"."""
    memory = asked.memory
    if at_the_door(memory):
        return Reason.SECRET
    beside = redact.PLACEHOLDER in memory.body or redact.PLACEHOLDER in memory.source.quote
    rest = memory.body.replace(redact.PLACEHOLDER, "")
    return Reason.SECRET if beside and len(text.tokens(rest)) < 3 else None


def not_said_by_user(asked: Asked) -> Reason | None:
    """Seen in tool output, a file, a page: never the user's word (DESIGN §4.5)."""
    return Reason.NOT_SAID_BY_USER if asked.memory.source.by is By.TOOL else None


def instruction(asked: Asked) -> Reason | None:
    """Text that tries to order the agent about, from anyone but the user."""
    if asked.memory.source.by in (By.USER, By.HAND):
        return None
    return Reason.INSTRUCTION if trust.instructs(asked.memory.text) else None


def forgotten(asked: Asked) -> Reason | None:
    """The user had it forgotten, and has not said it again since."""
    said_at = asked.memory.source.said_at
    print_ = fingerprint(asked.memory)
    for mark in asked.tombstones:
        if said_at and mark.at and said_at > mark.at:
            continue
        old = Memory(name=mark.words, description=mark.words, body=mark.words, type=asked.memory.type)
        if mark.fingerprint == print_ or relation(old, asked.memory).relation is Relation.DUPLICATE:
            return Reason.FORGOTTEN
    return None


def documented(asked: Asked) -> Reason | None:
    """The project's own instructions say it already."""
    words = set(text.tokens(asked.memory.body))
    for paragraph in (part for page in asked.documented for part in page.split("\n\n")):
        if words and len(words & set(text.tokens(paragraph))) >= MANY_DOCUMENTED * len(words):
            return Reason.DERIVABLE
    return None


# ── the study's filter ───────────────────────────────────────────────────────────────────────────────────────────

# The study names the first four as examples; the others were in the product's first versions (spec/qwen-code §10.4).
_TEMPORARY = re.compile(r"\b(?:today|now|currently|temporary|temporarily|for this task|this session)\b", re.IGNORECASE)


def study_too_short(asked: Asked) -> Reason | None:
    """Fewer than 12 characters."""
    return Reason.TOO_SHORT if len(asked.summary) < STUDY_SHORTEST else None


def question(asked: Asked) -> Reason | None:
    """It ends in a question mark: a question is not knowledge."""
    return Reason.QUESTION if asked.summary.endswith(("?", "？")) else None


def study_temporary(asked: Asked) -> Reason | None:
    """One of the study's words for what passes."""
    return Reason.TEMPORARY if _TEMPORARY.search(asked.summary) else None


def study_duplicate(asked: Asked) -> Reason | None:
    """The same topic and summary are there, letter case aside, from another message."""
    memory, low = asked.memory, asked.summary.casefold()
    for old in asked.known:
        if old.type == memory.type and (old.description or old.body).strip().casefold() == low:
            return Reason.DUPLICATE
    return None


# ── ours ─────────────────────────────────────────────────────────────────────────────────────────────────────────

# What says that something holds for the moment only. A word like "now" alone says nothing ("from now on", "it is Kafka now").
_PASSING = re.compile(
    r"^(?:right now|at the moment|for the moment|this morning|this afternoon|tonight|just now|today)\b(?! (?:on|onwards?"
    r"|we decided|the team decided))"
    r"|\b(?:for now|for the moment|for the time being|later today|just (?:for )?(?:today|this once)|only (?:for )?(?:today"
    r"|this time|this once)"
    r"|(?:only )?for this (?:task|session|run|pr|branch|commit)(?: only)?|temporarily|in a (?:minute|moment|bit|sec"
    r"|second))(?=[\s.,;!)]|$)"
    r"|\b(?:is|are|am) (?:currently|right now|at the moment) (?:down|broken|failing|stuck|offline|red|slow|busy|blocked"
    r"|running|waiting|looking|working|debugging)\b"
    r"|^currently (?:looking|working|debugging|waiting|running|stuck|blocked|reading|writing|testing|fixing|on)\b"
    r"|^(?:今天|刚才|刚刚|眼下|此刻|等(?:一)?(?:下|会))(?!起|开始|决定)|^(?:现在|目前)(?:还是?|有点|在|正在|卡|报错|红|挂"
    r"|连不上|打不开|没)"
    r"|暂时|先(?:这样|用着|凑合|顶着)|(?:这|本)次(?:任务|会话|提交|先|就)|临时(?:先|这样|改|加|关|用)"
    r"|^(?:今日は|今は|いま|ただいま|さっき|今のところ)(?!から)|とりあえず|今だけ|今回(?:だけ|のみ|限り)|一時的に|(?:後"
    r"|あと)で(?:直|戻|消|やり直)"
    r"|^(?:오늘은|지금은|방금|아까)|일단(?:은)?\s|당분간|임시로|이번(?:만|에만|\s?한\s?번만)|잠깐",
    re.IGNORECASE,
)
_FORBIDS = re.compile(
    r"\b(?:never|not|don't|no)\b|不要|别|禁止|不得|不能|ないで|ない|禁止|마세요|말 것|않|금지|\b(?:until|till"
    r"|by) \S|\b20\d\d\b|까지|まで|为止|之前", re.IGNORECASE
)
_IN_PROGRESS = re.compile(
    r"^(?:i'?m|i am|i was|i'?ve been) (?:currently |still |now |just )?(?:working on|debugging|looking (?:at|into)|fixing"
    r"|refactoring|writing|testing|trying|waiting|reviewing|about to|on)\b"
    r"|^(?:wip|todo|next step|next up|in progress)\b\s?[:—-]|^there (?:is|are) (?:\d+|one|two|three|some|a few) (?:failing"
    r"|broken|open|red) tests?\b|^\d+ tests? (?:are |is |still )*(?:failing|fail|red|left)\b"
    r"|^(?:我)?(?:正在|在)(?:改|修|看|调试|写|跑|排查|处理|等)|^第\s?\d+\s?行|(?:作業|調査|修正|確認|対応|デバッグ)中(?:です"
    r"|。|$)|(?:수정|작업|디버깅|확인|조사|대기)\s?중(?:입니다|이에요|이다|\.|$)",
    re.IGNORECASE,
)
_IN_CODE = re.compile(
    r"^(?:the )?[`'\"]?[\w.()-]+[`'\"]? (?:is|are) (?:defined|declared|implemented|located|imported"
    r"|used) in [`'\"]?[\w-]*[/.][\w./-]+[`'\"]?\.?$"
    r"|^[`'\"]?[\w/-]+\.\w{1,4}[`'\"]? (?:imports|has (?:a|an|\d+|one|two|three) |contains (?:a|an|\d+|one|two|three) "
    r"|defines|exports)\b"
    r"|^there (?:is|are) (?:\d+|one|two|three|four|five|several|many) (?:classes|functions|methods|files|tests|modules|tables"
    r"|routes|endpoints)\b.* in [`'\"]?[\w-]*[/.]"
    r"|^(?:the|this) (?:readme|changelog|docstring|comment|code)\b.{0,20}\bsays\b|^the licen[cs]e (?:of|for) (?:this"
    r"|the) (?:repo\w*|project|package|code)\b",
    re.IGNORECASE,
)
_IN_HISTORY = re.compile(
    r"\b(?:commit|merge|revert|cherry-pick|rebase|push|tag)(?:ed|ing|s)?\b.{0,30}\b(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b|^(?:the "
    r"|my )?(?:last|latest|previous) commit\b"
    r"|^(?:i |we )?(?:merged|closed|opened|pushed|reverted) (?:(?:the )?(?:pr|pull request|mr|merge request"
    r"|issue) )?#\d+\b|\bgit (?:log|blame|status|diff|show) (?:shows|says|lists)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(r"(?:[?？]|吗|呢|么)[。.]?$|(?:ですか|ますか|でしょうか|ませんか)[。.]?$|(?:까요|나요|는가요|ㄹ까)[.]?$")


def too_short(asked: Asked) -> Reason | None:
    """Too little to mean anything later."""
    columns = sum(1 if character < "\u1100" else 2 for character in asked.summary)
    return Reason.TOO_SHORT if columns < OUR_SHORTEST else None


def asks(asked: Asked) -> Reason | None:
    """It ends as a question does, in four languages, with or without its mark."""
    return Reason.QUESTION if _ASKS.search(asked.summary) else None


def temporary(asked: Asked) -> Reason | None:
    """It says itself that it holds for the moment only, names no day until which, and is no rule against such things."""
    memory = asked.memory
    if memory.valid_until is not None:
        return None
    body = memory.body.strip()
    passing = _PASSING.search(body)
    return Reason.TEMPORARY if passing and not _FORBIDS.search(body) else None


def in_progress(asked: Asked) -> Reason | None:
    """What its writer was doing when they wrote it (study, "should not be stored": in-progress work)."""
    return Reason.TEMPORARY if _IN_PROGRESS.search(asked.memory.body.strip()) else None


def in_the_code(asked: Asked) -> Reason | None:
    """Where something is defined, how many there are: the code says it, and goes on saying what is true."""
    return Reason.DERIVABLE if _IN_CODE.search(asked.memory.body.strip()) else None


def in_the_history(asked: Asked) -> Reason | None:
    """Which commit did what: git knows (study, Qwen Code §4)."""
    return Reason.DERIVABLE if _IN_HISTORY.search(asked.memory.body.strip()) else None


# What every design asks, whatever its filter: promises 4 and 5 of DESIGN §4, and that forgetting holds.
ALWAYS: tuple[Rule, ...] = (secret, not_said_by_user, instruction, forgotten)
# What the study says should not be stored (Claude Code §3, Qwen Code §4).
NOT_TO_BE_STORED: tuple[Rule, ...] = (temporary, in_progress, in_the_code, in_the_history, documented)

STUDY_QWEN = Gate("study: qwen-code", (*ALWAYS, study_too_short, question, study_temporary, study_duplicate))
STUDY_CLAUDE = Gate("study: claude-code", (*ALWAYS, *NOT_TO_BE_STORED))
STUDY_CODEX = Gate("study: codex", (*ALWAYS, asks, temporary, in_progress, in_the_history))
OURS = Gate("reverie", (*ALWAYS, too_short, asks, *NOT_TO_BE_STORED))
