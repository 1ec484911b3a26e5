"""Who writes in phase 1: a language model behind a strict form, or the rules, which need none and give the same every time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from reverie import texts
from reverie.core import budget, merge, rollout, scalar
from reverie.core.merge import Known
from reverie.core.model import Answer, Ask, Effort, Failure, Model, ModelFailed, Unmetered, Used
from reverie.core.proposal import Reason
from reverie.core.session import Message, Voice
from reverie.core.stage1 import SCHEMA
from reverie.flows import hearing
from reverie.flows.extracting import Source, Written
from reverie.flows.space import discreet_path
from reverie.layouts import codex_stage1
from reverie.layouts.codex_stage1 import Texts, TooLong

if TYPE_CHECKING:
    from reverie.core.events import Tombstone
    from reverie.core.gate import Gate
    from reverie.core.memory import Memory
    from reverie.core.proposal import Extraction, Extractor

NEW = "new:"                            # stands for the id of a memory that has none yet
ANSWER_TOKENS = 8_000
SECONDS = 300.0
# Tools that bring in what nobody here said (spec/codex §15.3): with the setting, their sessions are left out.
_EXTERNAL = ("mcp__", "web_search", "websearch", "web_fetch", "webfetch", "tool_search", "fetchurl", "searchweb", "google_web")


@dataclass(frozen=True, slots=True, kw_only=True)
class ByModel:
    """A language model. It has no tools; its answer is one JSON object that fits, or a failure."""

    model: Model
    leave_out_external: bool = False
    effective: float = 1.0              # the share of the window that may be used

    @property
    def actor(self) -> str:
        return f"model:{self.model.name}"

    def write(self, source: Source) -> Written:
        """Ask about a session, unless nobody said anything in it."""
        heard = _Heard(source.reading.messages)
        transcript = rollout.shown(heard, rollout.budget_bytes(self.model.window, effective=self.effective))
        if self.leave_out_external and any(map(_is_external, heard.tools)):
            return Written(texts=Texts(), messages=heard.count, polluted=True)
        if not heard.said:
            return Written(texts=Texts(), messages=heard.count)
        answer = self._answered(source, transcript)
        try:
            kept = codex_stage1.cleaned(answer.data or {}, source.where())
        except TooLong as error:
            raise ModelFailed(Failure.BAD_ANSWER, f"the model's answer does not fit: {error}", used=answer.used) from None
        return Written(texts=kept, messages=heard.count, used=answer.used)

    def _answered(self, source: Source, transcript: str) -> Answer:
        return self.model.ask(self._question(source, transcript), Unmetered())

    def _question(self, source: Source, transcript: str) -> Ask:
        prompt = texts.load(
            "extraction_input", path=_line(source.transcript.path),
            cwd=_line(source.reading.cwd or source.transcript.cwd) or "unknown", transcript=transcript,
        )
        return Ask(flow="extract", system=texts.load("extraction"), prompt=prompt, schema=SCHEMA, effort=Effort.LOW,
                   output_tokens=ANSWER_TOKENS, seconds=SECONDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimated(ByModel):
    """What a model would be asked, without asking: for a dry run."""

    def _answered(self, source: Source, transcript: str) -> Answer:
        ask = self._question(source, transcript)
        return Answer(text="", used=Used(input=budget.tokens(ask.system + ask.prompt), known=False), data={
            "rollout_summary": "", "rollout_slug": "", "raw_memory": ""})


@dataclass(frozen=True, slots=True, kw_only=True)
class ByRules:
    """The extractor that ``learn`` uses. What it hears in a session is settled within the session; phase 2 does the rest."""

    extractor: Extractor
    gate: Gate
    tombstones: Sequence[Tombstone] = ()
    now: datetime
    leave_out_external: bool = False

    @property
    def actor(self) -> str:
        return self.extractor.name

    def write(self, source: Source) -> Written:
        """The memories that a person's words in the session hold, put into the form."""
        reading = source.reading
        stream = _Heard(reading.messages)
        reading.messages = iter(stream)
        heard = hearing.hear(reading, self.extractor, now=self.now)
        if self.leave_out_external and any(map(_is_external, stream.tools)):
            return Written(texts=Texts(), messages=heard.messages, polluted=True)
        where = source.where()
        drops: Counter[str] = Counter(
            str(drop.reason) for drop in heard.extraction.drops if drop.reason is not Reason.NO_SIGNAL)
        memories = _settled(heard.extraction, where.project, self.gate, self._forgotten(where.project), drops)
        ended = reading.last_at or source.transcript.updated_at or source.transcript.started_at or datetime.fromtimestamp(0, UTC)
        kept = codex_stage1.told(memories, where=where, now=ended)
        return Written(texts=replace(kept, drops=drops), messages=heard.messages)

    def _forgotten(self, project: str) -> list[Tombstone]:
        return [each for each in self.tombstones if each.project in ("", project)]


def _settled(
    extraction: Extraction, project: str, gate: Gate, tombstones: Sequence[Tombstone], drops: Counter[str]
) -> list[Memory]:
    """The memories that stand at the end of a session: refused, said again, corrected and taken back within it."""
    standing: dict[str, Memory] = {}
    known = Known()
    for number, heard in enumerate(extraction.proposals):
        memory = replace(heard.memory, project="" if heard.memory.scope == "user" else project)
        proposal = replace(heard, memory=memory)
        drop = gate.check(proposal, known, tombstones=tombstones)
        if drop is not None:
            drops[str(drop.reason)] += 1
            continue
        placed = merge.place(proposal, known)
        memory = replace(placed.memory, id=placed.memory.id or f"{NEW}{number}")
        for void in placed.also_void:
            known.remove(void.id)
            standing.pop(void.id, None)
        standing[memory.id] = memory
        known.put(memory)
    for words in extraction.taken_back:
        if meant := merge.withdrawn(words, known):
            known.remove(meant.id)
            standing.pop(meant.id, None)
    return [replace(memory, id="") for memory in standing.values()]


class _Heard:
    """The messages of a session as they stream by: how many, which tools spoke, whether a person did."""

    def __init__(self, messages: Iterable[Message]) -> None:
        self._messages = messages
        self.count = 0
        self.said = False
        self.tools: set[str] = set()

    def __iter__(self) -> Iterator[Message]:
        for message in self._messages:
            self.count += 1
            if message.tool:
                self.tools.add(message.tool)
            self.said = self.said or (message.voice is Voice.PERSON and not rollout.is_excluded(message.text))
            yield message


def _is_external(tool: str) -> bool:
    return tool.lower().startswith(_EXTERNAL)


def _line(path: str) -> str:
    """A path as it may stand before a model: on one line, without a credential."""
    return scalar.one_line(discreet_path(path))
