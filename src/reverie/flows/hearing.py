"""From a transcript to what was meant to be kept: windows of clean messages for an extractor.

An extractor sees no secret, nothing that was injected or pasted, and nothing that was off the record; and of an answer or a
tool's output only so much as a confirmation can refer to.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from reverie.core import blocks, off_record, redact, trust
from reverie.core.proposal import Drop, Extraction, Extractor, Reason, Window
from reverie.core.session import Message, Reading, Voice
from reverie.flows.space import discreet_path

WINDOW = 400                # messages judged at once; more would only cost memory
CONTEXT = 12                # messages before a window that are seen again, for "yes, exactly like that"
ANSWER_CHARACTERS = 4_000   # of an assistant's message: what a confirmation can mean stands near its end
TOOL_CHARACTERS = 400       # of a tool's: that it failed, and with which words


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What a reading brought. ``unsaid``: messages that a later one put off the record; what was learned of them goes."""

    extraction: Extraction
    messages: int = 0
    said: int = 0               # of these, typed by a person
    unsaid: tuple[str, ...] = ()


def of_people(reading: Reading) -> Reading:
    """The reading, empty when its session is one in which Reverie asked an agent as a model: nobody spoke there, and the answer
    is no news. Counted as skipped under ``model_call``."""
    reading.messages = _of_people(reading, reading.messages)
    return reading


def _of_people(reading: Reading, messages: Iterator[Message]) -> Iterator[Message]:
    before: list[Message] = []
    for message in messages:
        before.append(message)
        if message.voice is not Voice.PERSON and len(before) < CONTEXT:
            continue
        if message.voice is Voice.PERSON and blocks.is_model_call(message.text):
            reading.skip("model_call", len(before) + sum(1 for _ in messages))      # to its end: then it knows where it stopped
            return
        break
    yield from before
    yield from messages


def hear(
    reading: Reading, extractor: Extractor, *, now: datetime, watch: Callable[[Message, bool], None] = lambda message, fresh: None
) -> Heard:
    """Listen to a reading to its end. ``watch`` sees every message as it comes, and whether it is a new one."""
    transcript = reading.transcript
    parts: list[Extraction] = []
    unsaid: list[str] = []
    count = said = 0
    for messages, fresh_from in _windows(reading, watch):
        window, discreet = _on_the_record(messages)
        unsaid += discreet
        count += len(window) - fresh_from
        said += sum(message.voice is Voice.PERSON for message in window[fresh_from:])
        started = transcript.started_at or reading.last_at or transcript.updated_at or now
        parts.append(extractor.propose(Window(
            messages=window, fresh_from=fresh_from, host=transcript.host, session=transcript.session,
            cwd=discreet_path(reading.cwd or transcript.cwd), day=started.date(),
        )))
        parts.append(Extraction(drops=tuple(_remarks(messages[fresh_from:]))))
    return Heard(
        extraction=Extraction(
            proposals=tuple(p for part in parts for p in part.proposals if p.memory.source.message not in unsaid),
            drops=tuple(d for part in parts for d in part.drops),
            taken_back=tuple(t for part in parts for t in part.taken_back),
        ),
        messages=count, said=said, unsaid=tuple(unsaid),
    )


def _windows(reading: Reading, watch: Callable[[Message, bool], None]) -> Iterator[tuple[list[Message], int]]:
    """The messages in pieces, each with some before it, and the place of its first new one."""
    stream = enumerate(_watched(reading, watch))
    before: list[Message] = []
    while batch := list(itertools.islice(stream, WINDOW)):
        fresh_from = len(before) + max(0, min(len(batch), reading.fresh_from - batch[0][0]))
        window = before + [message for _, message in batch]
        yield window, fresh_from
        before = window[-CONTEXT:]


def _watched(reading: Reading, watch: Callable[[Message, bool], None]) -> Iterator[Message]:
    for place, message in enumerate(reading.messages):
        watch(message, place >= reading.fresh_from)
        yield message


def _on_the_record(messages: list[Message]) -> tuple[list[Message], list[str]]:
    """The messages as an extractor may see them; and those of which a later one says only that they are not to be kept."""
    window = [clean(message) for message in messages]
    unsaid: list[str] = []
    last = -1                   # the person's message before the one at hand
    for place, message in enumerate(messages):
        if message.voice is not Voice.PERSON:
            continue
        if off_record.only_marks(message.text):
            window[place] = replace(window[place], text="")
            if last >= 0:
                window[last] = replace(window[last], text="")
                unsaid.append(messages[last].id)
        last = place
    return window, unsaid


def clean(message: Message) -> Message:
    """A message without what is not its speaker's own word, without secrets, at a bounded length."""
    if message.voice is Voice.PERSON:
        return replace(message, text=redact.redact(trust.strip(message.text).text).text)
    limit = ANSWER_CHARACTERS if message.voice is Voice.ASSISTANT else TOOL_CHARACTERS
    # the end of an answer says what was done; what is cut was never going to be kept
    return replace(message, text=redact.redact(message.text[-limit:]).text, given=b"")    # what it was called with is not clean


def _remarks(messages: list[Message]) -> Iterator[Drop]:
    """One refusal for each message with a remark off the record: that there was one, not what it said."""
    for message in messages:
        if message.voice is Voice.PERSON and trust.strip(message.text).off_record:
            yield Drop(reason=Reason.OFF_RECORD, message=message.id)
