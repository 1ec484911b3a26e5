"""A session as phase 1 shows it to a model: one JSON array of what was said, of every host alike (spec/codex §6).

Readers (``reverie.hosts``) have taken away what a host keeps for itself: developer messages, reasoning, bookkeeping. Here the
rest goes that is not for extraction: instructions and skills that a client put in a person's mouth, memories that were
recalled (ours and the products', which else would be learned again), what was private or put off the record. Secrets are taken
out before anything is cut, so that no cut can make one unrecognisable.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterable
from dataclasses import replace

from reverie.core import blocks, off_record, pasted, redact, trust
from reverie.core.budget import BYTES, BYTES_PER_PRODUCT_TOKEN, head, middle, utf8_bytes
from reverie.core.session import Message, Voice

SHARE = 0.7                             # of the model's window (study, Codex §4)
FALLBACK_TOKENS = 150_000               # of a window that nobody knows
HELD = 2                                # times the budget: what is read of each end before anything is taken away from it
_EXCLUDED = (("# agents.md instructions", "</instructions>"), ("<skill>", "</skill>"))     # spec/codex §6.1
_FENCE = re.compile(rf"{blocks.FENCE_OPEN}.*?(?:{blocks.FENCE_CLOSE}|\Z)", re.DOTALL)
_ROLES = {Voice.PERSON: "user", Voice.ASSISTANT: "assistant", Voice.TOOL: "tool"}


def is_excluded(text: str) -> bool:
    """Whether a text is wholly what a client injected, whatever the case of its letters; one that only mentions it is not."""
    text = text.strip()
    return any(
        text[:len(start)].lower() == start and text[-len(end):].lower() == end and len(text) >= len(start) + len(end)
        for start, end in _EXCLUDED
    )


def kept(messages: Iterable[Message]) -> list[Message]:
    """The messages that may be shown, without what in them may not be; a message of which nothing is left is gone."""
    out: list[Message] = []
    last = -1                           # the person's message before the one at hand, in ``out``
    for message in messages:
        text = _cleaned(message)
        if message.voice is Voice.PERSON and off_record.only_marks(message.text):
            if last >= 0:               # "don't write that down": what was said before it goes
                out[last] = replace(out[last], text="")
            last, text = -1, ""
        elif message.voice is Voice.PERSON:
            last = len(out)
        given = without_secrets(trust.clean(_unfenced(message.call))).encode("utf-8", "replace") if message.given else b""
        out.append(replace(message, text=text, given=given))
    return [message for message in out if message.text.strip() or message.given]


def _cleaned(message: Message) -> str:
    text = message.text
    if message.voice is Voice.PERSON:
        if is_excluded(text):
            return ""
        text = pasted.without_recalled(pasted.without_elements(text, _ignore), _ignore)
        text = _without_private(text)
    else:
        text = _unfenced(text)
        text = pasted.without_recalled(text, _ignore) if "MEMORY_SUMMARY" in text else text
    return without_secrets(trust.clean(text)).strip()


def _unfenced(text: str) -> str:
    """A text without the blocks of ours that stand in it."""
    return _FENCE.sub("", text) if blocks.TAG in text else text


def without_secrets(text: str) -> str:
    """A text without credentials, by our rules and by the product's, which take some words for one that ours do not."""
    return redact.redact_as_codex(redact.redact(text).text)


def _without_private(text: str) -> str:
    spans = trust.off_the_record(text)
    if not spans or off_record.only_marks(text):
        return text
    parts, at = [], 0
    for start, end in spans:
        parts.append(text[at:start])
        at = end
    return ("".join(parts) + text[at:]).strip()


def _ignore(kind: str) -> None:
    """What was taken away is not counted here: nothing was refused, it was never theirs to say."""


def rendered(messages: Iterable[Message]) -> str:
    """One line of JSON. It holds no line end, so that a line of its own cannot be forged within."""
    return "[" + ",".join(_item(message) for message in messages) + "]"


def _item(message: Message) -> str:
    item: dict[str, str | bool] = {"role": _ROLES[message.voice]}
    if message.at:
        item["at"] = message.at.isoformat(timespec="seconds")
    if message.tool:
        item["tool"] = redact.redact(message.tool).text
    if message.given:
        item["call"] = message.call
    if message.failed:
        item["failed"] = True
    item["text"] = message.text
    return json.dumps(item, ensure_ascii=False, separators=(",", ":")).replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def budget_bytes(window: int, *, effective: float = 1.0) -> int:
    """How much of a session a model with this window is shown, by the product's rule of four bytes to a token.

    ``effective``: the share of its window that a product lets a model use.
    """
    tokens = int(window * effective * SHARE + 1e-6) if window > 0 else FALLBACK_TOKENS
    return tokens * BYTES_PER_PRODUCT_TOKEN


def shown(messages: Iterable[Message], limit_bytes: int) -> str:
    """What a model is shown of a session: all of it, or both ends, with how much is missing between them.

    Of a session that is many times too long only the ends are held and cleaned; how much is missing is then counted by what
    was said, not by what would have been shown.
    """
    start, end, missing = _ends(messages, HELD * limit_bytes)
    if not missing:
        return middle(rendered(kept([*start, *end])), limit_bytes).text
    half = limit_bytes // 2
    first = head(rendered(kept(start)), half, BYTES)
    last = rendered(kept(end)).encode("utf-8", "surrogatepass")[-half:].decode("utf-8", "ignore")
    return f"{first}…{-(-missing // BYTES_PER_PRODUCT_TOKEN)} tokens truncated…{last}"


def _ends(messages: Iterable[Message], limit_bytes: int) -> tuple[list[Message], deque[Message], int]:
    """The messages from the start and from the end, each within the limit, and the bytes between the two."""
    start: list[Message] = []
    end: deque[Message] = deque()
    held = size = missing = 0
    for message in messages:
        length = utf8_bytes(message.text) + len(message.given)
        if not end and held + length <= limit_bytes:
            start.append(message)
            held += length
            continue
        end.append(message)
        size += length
        while size > limit_bytes and len(end) > 1:
            gone = end.popleft()
            length = utf8_bytes(gone.text) + len(gone.given)
            size, missing = size - length, missing + length
    return start, end, missing
