"""What memories claim about the project and the calendar, and whether it still holds.

A memory that names a file, a function or a flag is a claim that it existed when the memory was written (study, Claude
Code §6). ``named`` says what is worth looking for: only what can be told from the text to be a thing of this project, so
that a tool of somebody else's, a host, or what the memory itself says is gone is never called missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta

from reverie.core import dates
from reverie.core.checkup import Finding, Look, Named, Severity
from reverie.core.checkup_index import discreet
from reverie.core.claims import exact
from reverie.core.dream_merging import dated
from reverie.core.memory import Memory

OLD_DAYS = 180                      # a fact about ongoing work, unconfirmed for half a year
MOST_NAMED = 20                     # of one memory
SENTENCE = 400                      # characters around a name in which it may be said to be gone
_SOURCES = frozenset(re.findall(r"\w+", """
bash bat c cc cfg clj cmake conf cpp cs css csv cts cxx dart ex exs fs go gradle graphql h hpp hs html ini ipynb java jl
js json jsonc jsx kt kts lock lua m md mjs mk ml mts nix php pl proto ps1 py pyi r rb rs rst sass scala scss sh sql
svelte swift tf toml ts tsx txt vue xml yaml yml zig
"""))
_FILE = re.compile(r"(?:\./)?((?:[\w.@+-]{1,80}/){0,12}[\w.@+-]{1,80})(?::\d{1,6}(?:[-:]\d{1,6})?)?")
_SYMBOL = re.compile(r"[A-Za-z_]\w{2,60}(?:\(\))?")
_FLAG = re.compile(r"--[a-z][\w-]{2,60}")
_SPAN = re.compile(r"`([^`\n]{1,200})`")
_CODE = re.compile(r"`[^`\n]{1,200}`|\S{0,200}[/_]\S{1,200}|\w{1,80}\.\w{1,20}\b")     # names of things: they say nothing of them
_GONE = re.compile(
    r"\b(?:never|not|no longer|removed?|deleted?|renamed|moved|replaced?|instead of|rather than|without|avoid|deprecated|gone"
    r"|dropped?|was|were|used to|old|legacy|former|previously|would|will|planned?|create|add|todo|upstream|library|libraries"
    r"|package|external)\b"
    r"|n['’]t\b|不|删|刪|移除|弃用|廃|削除|使わ|ない|대신|삭제|않|말", re.IGNORECASE)


def named(memory: Memory) -> list[Named]:
    """The things of the project that a memory says are there."""
    if memory.type not in ("project", "feedback") or memory.status != "active":
        return []
    text = memory.text
    if "`" not in text and "/" not in text:
        return []
    found: dict[Named, None] = {}
    spans = {span.strip() for span in _SPAN.findall(text)}
    for kind, surface in exact(text):
        thing = _thing(kind, surface, spans) if kind in ("place", "code", "flag", "id") else None
        if thing is not None and thing not in found and not _said_gone(text, thing.text):
            found[thing] = None
    return list(found)[:MOST_NAMED]


def _thing(kind: str, surface: str, spans: set[str]) -> Named | None:
    surface = surface.rstrip(".,:;")
    if kind in ("place", "id"):
        match = _FILE.fullmatch(surface)
        if match is None or "//" in surface:
            return None
        path = match[1]
        stem, dot, ending = path.rpartition("/")[2].rpartition(".")
        is_source = bool(dot and stem and ending.lower() in _SOURCES)
        if is_source and ("/" in path or surface in spans):
            return Named(kind="file", text=path)
        is_folder = "/" in path and not dot and surface in spans
        return Named(kind="folder", text=path.rstrip("/")) if is_folder else None
    if kind == "flag":
        return Named(kind="flag", text=surface) if _FLAG.fullmatch(surface) and surface in spans else None
    bare = surface.removesuffix("()")
    if not _SYMBOL.fullmatch(surface) or not ({surface, bare, f"{bare}()"} & spans):
        return None
    return Named(kind="symbol", text=bare)


def _said_gone(text: str, name: str) -> bool:
    """Whether a sentence with this name says that the thing is not, or not here."""
    at = text.find(name)
    while at >= 0:
        start = max(text.rfind(mark, max(0, at - SENTENCE), at) for mark in (". ", "\n", "。", "; ")) + 1
        ends = [end for mark in (". ", "\n", "。", "; ") if (end := text.find(mark, at + len(name), at + SENTENCE)) >= 0]
        sentence = text[max(start, at - SENTENCE) : min([*ends, at + SENTENCE])]
        if _GONE.search(_CODE.sub(" ", sentence)):
            return True
        at = text.find(name, at + len(name))
    return False


_WORDS = {"file": "the file", "folder": "the folder", "symbol": "", "flag": "the flag"}


def stale(seen: Look) -> Iterator[Finding]:
    """What memories name and the project does not have."""
    if not seen.absent:
        return
    gone = {each.text for each in seen.absent}
    for memory in seen.memories:
        text = memory.text
        for each in named(memory) if any(name in text for name in gone) else ():
            if each in seen.absent:
                what = f"{_WORDS[each.kind]} {discreet(each.text)!r}".strip()
                yield Finding(
                    check=f"stale_{each.kind}", path=memory.id,
                    severity=Severity.NOTE if each.kind == "flag" else Severity.WARNING,
                    says=f"it names {what}, which is nowhere in the project now", mend="correct it, or take it out",
                )


def relative(seen: Look) -> Iterator[Finding]:
    """"Tomorrow" and its kin: a day later they are wrong."""
    for memory in seen.memories:
        said_at = memory.source.said_at or memory.modified_at
        if memory.status != "active" or said_at is None:
            continue
        for text in (memory.description, memory.body):
            if dated(text, said_at) != text:
                words = next((each.text for each in dates.find(text, said_at.date()) if each.written != each.text), "")
                yield Finding(check="relative_date", severity=Severity.NOTE, path=memory.id,
                              says=f"it says {discreet(words)!r}, which means another day each day",
                              mend="write the date (`reverie dream` does, in stores of ours)")
                break


def ended(seen: Look) -> Iterator[Finding]:
    """Memories past the last day on which they hold."""
    today = seen.now.date()
    for memory in seen.memories:
        if memory.status != "active":
            continue
        last = memory.valid_until
        if last is None and memory.modified_at is not None:
            last = dates.valid_until(memory.body, (memory.source.said_at or memory.modified_at).date())
        if last is not None and last < today:
            yield Finding(check="ended", severity=Severity.NOTE, path=memory.id, says=f"it held until {last}, which is past",
                          mend="correct it, or forget it (`reverie dream` archives it, in stores of ours)")


def old(seen: Look) -> Iterator[Finding]:
    """Facts about ongoing work that nobody confirmed for long."""
    for memory in seen.memories:
        at = memory.modified_at
        if memory.type == "project" and memory.status == "active" and at and seen.now - at > timedelta(days=OLD_DAYS):
            yield Finding(check="old", severity=Severity.NOTE, path=memory.id,
                          says=f"it is about the project and {(seen.now - at).days} days old", mend="look whether it still holds")


CHECKS = (stale, relative, ended, old)
