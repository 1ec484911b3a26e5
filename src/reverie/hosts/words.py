"""Clean text: what a person typed, without what their client put around it.

Clients wrap what they inject in elements, ``<system-reminder>…</system-reminder>``. Such an element is taken away when it
stands alone, or at the very beginning or end of a text: there clients put it. An element in the middle of a sentence was
typed or pasted by a person and stays. Everything here is linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

# A tool may print megabytes; what it means stands at its beginning and at its end.
OUTPUT_CHARACTERS = 20_000
_OUTPUT_TAIL = 5_000
_OUTPUT_HEAD = OUTPUT_CHARACTERS - _OUTPUT_TAIL - 60    # room for the words in between

_TAG = re.compile(r"<([A-Za-z][\w:.-]{0,63})(?=[\s>])")
_EDGE_TAG = re.compile(r"\s*<([A-Za-z][\w:.-]{0,63})(?=[\s>])")
_LAST_TAG = re.compile(r"</([A-Za-z][\w:.-]{0,63})>\Z")

# Elements that hooks, editors and other memory tools put beside a prompt, in any host, and the name under which they are
# counted. (spec/claude-code §12.3, spec/qwen-code §18, spec/kimi-code §5.1)
INJECTED: Mapping[str, str] = {
    "system-reminder": "injected_context",
    "user-prompt-submit-hook": "hook_context",
    "session-start-hook": "hook_context",
    "hook_result": "hook_context",
    "hook_prompt": "hook_context",
    "qwen:user-prompt-submit-context": "hook_context",
    "qwen:session-start-context": "hook_context",
    "ide_opened_file": "injected_context",
    "ide_selection": "injected_context",
    "ide_diagnostics": "injected_context",
    "new-diagnostics": "injected_context",
}


def injected(name: str) -> str | None:
    """The skip name of an injected element, or None. Whatever calls itself a memory was recalled, not said."""
    low = name.lower()
    found = INJECTED.get(low)
    if found is None and ("memory" in low or "memories" in low or low == "claude-mem-context"):
        # `#` in Claude Code: the one element with "memory" in its name whose inside a person typed
        return None if low == "user-memory-input" else "recalled_memory"
    return found


def peel(text: str, skip: Callable[[str], object], kinds: Callable[[str], str | None] = injected) -> str:
    """``text`` without injected elements at its edges; ``skip`` is told the name of each. Outer white space goes.

    An element at the end must begin a line: a client puts it there, a person who asks about one writes it in a sentence.
    """
    text = text.strip()
    if not text.startswith("<") and not text.endswith(">"):
        return text
    start, end = 0, len(text)
    while (opening := _EDGE_TAG.match(text, start, end)) and (kind := kinds(opening[1])):
        closing = f"</{opening[1]}>"
        found = text.find(closing, opening.end(), end)
        if found < 0:
            break
        skip(kind)
        start = found + len(closing)
    while True:
        end = _end_of_words(text, start, end)
        last = _LAST_TAG.search(text, max(start, end - 80), end)
        kind = kinds(last[1]) if last else None
        found = text.rfind(f"<{last[1]}", start, last.start()) if last and kind else -1
        if kind is None or found < 0 or (found > start and text[found - 1] != "\n"):
            return text[start:end].strip()
        skip(kind)
        end = found


def _end_of_words(text: str, start: int, end: int) -> int:
    while end > start and text[end - 1].isspace():
        end -= 1
    return end


def element(text: str) -> str:
    """The name of the element that the whole text is, lower case, or "" when it is something else."""
    text = text.strip()
    if not (text.startswith("<") and text.endswith(">")):
        return ""
    opening = _TAG.match(text)
    if opening is None or not text.lower().endswith(f"</{opening[1].lower()}>"):
        return ""
    return opening[1].lower()


def inside(text: str, name: str) -> str:
    """The text inside the element ``name``, outer white space gone; "" when it is not there."""
    start = text.find(f"<{name}>")
    end = text.find(f"</{name}>", start + 1) if start >= 0 else -1
    return text[start + len(name) + 2:end].strip() if end >= 0 else ""


def clean(text: str) -> str:
    """A text that every store and terminal can hold: JSON may hold NUL. (Half surrogate pairs are replaced in ``decoding``.)"""
    return text.replace("\x00", "") if "\x00" in text else text


def output(text: str) -> str:
    """What a tool printed: at most ``OUTPUT_CHARACTERS``, shortened in the middle, where the text says how much is missing.

    Not ``core.budget.middle``: that counts bytes and so encodes the whole text, which may have thirty megabytes here.
    """
    if len(text) > OUTPUT_CHARACTERS:
        missing = len(text) - _OUTPUT_HEAD - _OUTPUT_TAIL
        text = f"{text[:_OUTPUT_HEAD]}\n[… {missing} characters left out …]\n{text[-_OUTPUT_TAIL:]}"
    return clean(text).strip()
