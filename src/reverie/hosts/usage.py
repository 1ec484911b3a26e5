"""How full a session's context is: what the host last wrote about it, found from the end of the transcript, cheaply.

Claude Code, Codex, Qwen Code and Kimi Code write the tokens of each answer beside it. What a session counts again after a
compaction counts from there. OpenCode's database is not asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reverie.core.session import Transcript
from reverie.hosts import heads
from reverie.hosts.disk import CannotRead

LOOKED_AT = 1 << 20             # bytes of the end of a transcript; an answer's record is far shorter


def tokens(transcript: Transcript) -> int | None:
    """The tokens of the last request and its answer; None when the end of the transcript does not tell."""
    count = _COUNTS.get(transcript.host)
    if count is None:
        return None
    try:
        data = heads.tail(transcript.path, LOOKED_AT)
    except CannotRead:
        return None
    lines = data.split(b"\n")[1 if len(data) == LOOKED_AT else 0:]
    for line in reversed(lines):
        if b"oken" not in line and b"usage" not in line:
            continue
        for record in heads.objects(line):
            found = count(record)
            if found is not None:
                return found
    return None


def _sum(usage: object, *keys: str) -> int | None:
    """What these keys count together; None when none of them is there."""
    if not isinstance(usage, Mapping):
        return None
    counts = [usage[key] for key in keys if isinstance(usage.get(key), int) and not isinstance(usage[key], bool)]
    total = sum(count for count in counts if 0 <= count < 1 << 40)
    return total or None


def _inside(record: Mapping[str, Any], *keys: str) -> Any:
    found: Any = record
    for key in keys:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found


def _claude(record: Mapping[str, Any]) -> int | None:
    if record.get("subtype") == "compact_boundary":
        return _sum(record.get("compactMetadata"), "postTokens")
    if record.get("type") != "assistant" or record.get("isSidechain") or record.get("isApiErrorMessage"):
        return None
    return _sum(_inside(record, "message", "usage"), "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens",
                "output_tokens")


def _codex(record: Mapping[str, Any]) -> int | None:
    return _sum(_inside(record, "payload", "info", "last_token_usage"), "total_tokens")


def _qwen(record: Mapping[str, Any]) -> int | None:
    return _sum(record.get("usageMetadata"), "totalTokenCount") if record.get("type") == "assistant" else None


def _kimi(record: Mapping[str, Any]) -> int | None:
    usage = record.get("usage") if record.get("type") == "usage.record" else None
    return _sum(usage, "inputOther", "inputCacheRead", "inputCacheCreation", "output")


_COUNTS = {"claude-code": _claude, "codex": _codex, "qwen-code": _qwen, "kimi-code": _kimi}
