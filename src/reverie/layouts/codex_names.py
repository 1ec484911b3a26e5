"""Names that the Codex layout makes: of a session's summary file, of a session's thread, of one memory.

A memory is called ``V7hF#k3X`` wherever it is mentioned: four digits of its session, three of its own words. Both are
hashes, so that a name never depends on which other memories there are, and is not given again to something else.
"""

from __future__ import annotations

import re
from collections.abc import Container
from datetime import UTC, datetime, timedelta
from hashlib import sha256

from reverie.core import scalar
from reverie.core.memory import Memory

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"      # spec/codex §9.1
SLUG_LENGTH = 60
MARK = re.compile(r"[0-9A-Za-z]{4}#[0-9A-Za-z]{3,5}")
SUMMARIES = "rollout_summaries/"
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-([0-9a-f])[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_FILE = re.compile(r"[^\s/\\:*?\"<>|()\[\],;`.][^\s/\\:*?\"<>|()\[\],;`]{0,200}\.md")
_WORD = re.compile(r"[^\s()\[\],;`]+")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def summary_file(thread: str, updated_at: datetime, slug: str = "") -> str:
    """The file of a session in ``rollout_summaries/``, exactly as the product names it (spec/codex §9.1)."""
    at = created_at(thread) or updated_at
    tail = slugged(slug)
    return f"{at.astimezone(UTC):%Y-%m-%dT%H-%M-%S}-{hash4(thread)}{'-' if tail else ''}{tail}.md"


def created_at(thread: str) -> datetime | None:
    """When a thread was created, if its id is a UUID of version 7, which holds that."""
    found = _UUID.fullmatch(thread)
    if not found or found[1] != "7":
        return None
    try:
        return _EPOCH + timedelta(milliseconds=int(thread.replace("-", "")[:12], 16))
    except OverflowError:           # the last 3,000 years of what 48 bits can say
        return None


def hash4(thread: str) -> str:
    """Four base-62 digits of a thread id: of a UUID its low 32 bits, as in the product. Other hosts' ids, which the
    product never sees, are hashed."""
    found = _UUID.fullmatch(thread)
    low = int(thread[-8:], 16) if found else int.from_bytes(_digest(thread)[:4], "big")
    return _base62(low, 4)


def slugged(text: str) -> str:
    """Lower case, every other character than an ASCII letter or digit as one "_", at most 60, none at the end."""
    kept = "".join(c.lower() if c.isascii() and c.isalnum() else "_" for c in text)
    return kept[:SLUG_LENGTH].rstrip("_")


def is_summary_file(name: str) -> bool:
    """Whether a name, read from a file anyone may have edited, is that of a file in ``rollout_summaries/``."""
    return _FILE.fullmatch(name) is not None


def mentioned_files(text: str) -> set[str]:
    """Every name of a Markdown file that a text mentions, without folders."""
    words = (word[: word.rfind(".md") + 3] for word in _WORD.findall(text) if ".md" in word)
    return {word.rpartition("/")[2] for word in words}


def thread_of(memory: Memory, now: datetime) -> str:
    """The thread that a memory belongs to: its session, as it is. What was said in no session is kept by day, scope and
    project, so that no file mixes projects."""
    session = shown_id(memory.source.session)
    if session:
        return session
    day = (memory.source.said_at or now).astimezone(UTC)
    whose = "\0".join((memory.scope, memory.project, memory.source.cwd))
    return f"remembered-{day:%Y-%m-%d}-{_digest(whose).hex()[:4]}"


def shown_id(session: str) -> str:
    """A session's id where it stands between backticks on one line."""
    return scalar.one_line(session).replace("`", "'")


def mark_of(memory: Memory, thread: str, taken: Container[str]) -> str:
    """The name of a new memory: never one that is taken."""
    said = (memory.name, memory.body, memory.why, memory.how_to_apply)
    whose = (memory.scope, memory.project, memory.source.message)
    number = int.from_bytes(_digest("\0".join(said + whose))[:8], "big")
    length = 3
    while True:
        mark = f"{hash4(thread)}#{_base62(number, length)}"
        if mark not in taken:
            return mark
        number += 1
        length = 3 + (number % 3)       # a crowded session gets longer names


def content_mark(*words: str) -> str:
    """The name of something that we did not write: made of its words alone."""
    return "#" + _digest("\0".join(words)).hex()[:8]


def _base62(number: int, length: int) -> str:
    digits = ""
    for _ in range(length):
        number, digit = divmod(number, 62)
        digits = DIGITS[digit] + digits
    return digits


def _digest(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogatepass")).digest()
