"""An extractor that asks a language model, in the place of the rules: same windows, same gate, same journal.

What a model says is input from outside. Whose word a memory is follows from what can be checked here, never from what the
model claims: a memory is the person's only if its quote stands in what they typed and its words are mostly theirs; all else
is the model's conclusion, which is trusted less (DESIGN §4.5) and refused where it instructs. What tools printed is not even
shown to it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reverie import texts
from reverie.core import relation, text, trust
from reverie.core.budget import clip
from reverie.core.memory import TYPES, By, Memory, Source
from reverie.core.model import Ask, Effort, Json
from reverie.core.proposal import Drop, Extraction, Proposal, Reason, Window
from reverie.core.session import Message, Voice
from reverie.flows.metering import Metered

MOST = 10                           # memories of one question
MESSAGE_CHARACTERS = 8_000          # of one message; a person who types more has pasted it
PART_BYTES = 200_000                # of a conversation in one question, where the model's window allows it
BYTES_PER_TOKEN = 1.9               # at the dearest
SHARE = 0.7                         # of the window (study, Codex §6)
SMALLEST_WINDOW = 8_000             # tokens, for a model whose window is not known
TURNED_ROUND = 0.8                  # of what the person denied stands in a statement that denies nothing
SHORTEST_QUOTE = 8                  # characters
THEIRS = 0.6                        # of a statement's terms stand in the person's own message
ANSWER_TOKENS = 4_000
SECONDS = 180.0

_TEXT = {"type": "string", "maxLength": 2_000}
SCHEMA: Json = {
    "type": "object", "required": ["memories"], "properties": {"memories": {"type": "array", "maxItems": MOST, "items": {
        "type": "object",
        "required": ["message", "quote", "said_by", "type", "scope", "name", "statement", "why", "how_to_apply", "replaces"],
        "properties": {
            "message": {"type": "integer"}, "quote": _TEXT, "said_by": {"type": "string", "enum": ["person", "inferred"]},
            "type": {"type": "string", "enum": list(TYPES)}, "scope": {"type": "string", "enum": ["user", "project"]},
            "name": {"type": "string", "minLength": 1, "maxLength": 200}, "statement": {**_TEXT, "minLength": 1},
            "why": _TEXT, "how_to_apply": _TEXT, "replaces": _TEXT,
        },
    }}},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ByModel:
    """Proposals by a model. Unlike the rules it need not say the same twice. Raises ``ModelFailed``."""

    model: Metered

    @property
    def name(self) -> str:
        return f"model:{self.model.name}"

    def propose(self, window: Window) -> Extraction:
        """Proposals for the fresh messages of a window; without a person's words among them nothing is asked."""
        proposals: list[Proposal] = []
        drops: list[Drop] = []
        for part in self._parts(window):
            answer = self.model.ask(Ask(
                flow="extract", system=texts.load("proposing"), prompt=_prompt(part, window), schema=SCHEMA, effort=Effort.LOW,
                output_tokens=ANSWER_TOKENS, seconds=SECONDS,
            ))
            for said in (answer.data or {})["memories"]:
                made = self._proposal(said, part, window)
                (drops if isinstance(made, Drop) else proposals).append(made)  # type: ignore[arg-type]
        return Extraction(proposals=tuple(proposals), drops=tuple(drops))

    def _parts(self, window: Window) -> Iterator[list[int]]:
        """The places of what is shown, in pieces that fit; those without a fresh word of a person are left out."""
        most = min(PART_BYTES, int((self.model.window or SMALLEST_WINDOW) * SHARE * BYTES_PER_TOKEN))
        part: list[int] = []
        size = 0
        for place, message in enumerate(window.messages):
            if message.voice is Voice.TOOL or not message.text.strip():
                continue
            length = len(_line(place, message, window).encode("utf-8", "replace"))
            if part and size + length > most:
                yield from _asked(part, window)
                part, size = [], 0
            part.append(place)
            size += length
        yield from _asked(part, window)

    def _proposal(self, said: Any, part: Sequence[int], window: Window) -> Proposal | Drop:
        """A memory with its source as far as it can be proven; what rests on no message of this part is refused."""
        place = said["message"]
        if place not in part or place < window.fresh_from:
            return Drop(reason=Reason.NOT_SAID_BY_USER, quote=clip(said["statement"], 200).text)
        message = window.messages[place]
        is_quoted = _stands_in(said["quote"], message.text)
        memory = Memory(
            name=_flat(said["name"]), description=_flat(said["statement"]), type=said["type"], body=said["statement"].strip(),
            why=said["why"].strip(), how_to_apply=said["how_to_apply"].strip(), scope=said["scope"],
        )
        is_theirs = said["said_by"] == "person" and is_quoted and _is_theirs(memory, message)
        source = Source(
            by=By.USER if is_theirs else By.MODEL, host=window.host, session=window.session, message=message.id,
            said_at=message.at, cwd=window.cwd, rule=self.name, quote=_flat(said["quote"]) if is_quoted else "",
        )
        memory = replace(memory, source=source, scope=memory.scope if is_theirs else "project")
        return Proposal(memory=memory, replaces=_flat(said["replaces"]) if is_theirs else "")


def _asked(part: list[int], window: Window) -> Iterator[list[int]]:
    if any(place >= window.fresh_from and window.messages[place].voice is Voice.PERSON for place in part):
        yield part


def _line(place: int, message: Message, window: Window) -> str:
    said = clip(message.text, MESSAGE_CHARACTERS).text
    line: dict[str, Any] = {"n": place, "who": message.voice.value, "text": said}
    if place < window.fresh_from:
        line["before"] = True
    return json.dumps(line, ensure_ascii=False)


def _prompt(part: Sequence[int], window: Window) -> str:
    day = f"The conversation was held on {window.day.isoformat()}.\n" if window.day else ""
    lines = "\n".join(_line(place, window.messages[place], window) for place in part)
    return f"{day}The conversation, a line for each message:\n\n{lines}"


def _flat(words: str) -> str:
    return " ".join(words.split())


def _stands_in(quote: str, said: str) -> bool:
    """Whether words were really said: letter by letter, line breaks and letter case aside."""
    words = _flat(quote).casefold()
    return len(words) >= SHORTEST_QUOTE and words in _flat(said).casefold()


def _is_theirs(memory: Memory, message: Message) -> bool:
    """Whether a memory says what the person said: most of its terms are theirs, each address, path, number and name with a mark
    in it is, none of it is turned into its contrary, and it does not order an agent about with words that are not."""
    if message.voice is not Voice.PERSON or _is_turned_round(memory.body, message.text):
        return False
    said = set(text.tokens(message.text))
    terms = _terms(memory.body)
    if not terms or len(terms & said) < THEIRS * len(terms):
        return False
    flat = message.text.casefold()
    marked = (word.strip(".,;:!?()\"'`。，、").casefold() for word in memory.text.split())
    exact = (word for word in marked if any(mark in word for mark in "/\\@:=$|<>{}") or any(map(str.isdigit, word)))
    return all(word in flat for word in exact) and (not trust.instructs(memory.text) or bool(trust.instructs(message.text)))


_CLAUSE = re.compile(r"[.,;:!?](?:\s|$)|[\n。，、；：！？]|\b(?:but|because)\b|\b(?=instead of|rather than|over )")
_NO = re.compile("|".join(map(re.escape, relation.CJK_NEGATIONS)))
_IN_PLACE_OF = re.compile(r"\b(?:instead of|rather than|over)\b|n['’]t\b", re.IGNORECASE)


def _is_turned_round(statement: str, said: str) -> bool:
    """Whether a statement affirms what the person denied, or denies what they did not: in the same words, as the contrary."""
    denied, now = _denied(said), _denied(statement)
    if now:
        return any(not any(2 * len(clause & other) >= len(clause) for other in denied) for clause in now)
    terms = _terms(statement)
    return any(len(clause & terms) >= TURNED_ROUND * len(clause) for clause in denied)


def _denied(words: str) -> list[set[str]]:
    """The terms of each clause that says no to something."""
    clauses = (clause for clause in _CLAUSE.split(words) if relation.denies(clause) or _IN_PLACE_OF.search(clause))
    found = (_terms(_NO.sub(" ", clause)) - relation.NEGATIONS for clause in clauses)
    return [terms for terms in found if terms]


def _terms(words: str) -> set[str]:
    return {term for term in text.tokens(words) if not term.startswith(text.MEANING)}
