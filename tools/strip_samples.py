"""Turn recordings of real clients into the sample home that ships with Reverie.

    python tools/strip_samples.py RECORDINGS src/reverie/samples/home

RECORDINGS holds one folder a conversation, each with ``<host>/home/…`` as the client wrote it. What the client itself put
there (system prompts, tool descriptions, skill lists, environment reports) is not ours to ship: it is replaced by a marker of
the same shape, so that a reader meets the same records. What the person, the assistant and the tools said stays.
"""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

MARK = "[text of the client removed]"
LONG = 160  # characters; the client's own texts are longer, its field values shorter

# Bookkeeping without words of the conversation: a reader skips it, so one line of each kind is enough.
CLAUDE_ONCE = {"api-request", "api-request-blob", "api-request-shape", "cost-state", "atis-latch", "tools-used"}
OPENCODE_TABLES = {"project", "project_directory", "session", "message", "part", "migration"}


def shorten(value: Any) -> Any:
    """Every long string of a record replaced, structure kept."""
    if isinstance(value, str):
        return value if len(value) <= LONG else MARK
    if isinstance(value, dict):
        return {k: shorten(v) for k, v in value.items() if k != "tools"}
    if isinstance(value, list):
        return [shorten(v) for v in value][:3]
    return value


def claude(record: dict[str, Any]) -> dict[str, Any]:
    return record if record["type"] in ("user", "assistant", "queue-operation", "last-prompt") else shorten(record)


def codex(record: dict[str, Any]) -> dict[str, Any]:
    payload = record.get("payload", {})
    if record["type"] == "response_item" and payload.get("role") == "developer":
        return {**record, "payload": {**payload, "content": [{**part, "text": MARK} for part in payload["content"]]}}
    if record["type"] == "response_item" and payload.get("role") == "user":
        return {**record, "payload": {**payload, "content": [envelope(part) for part in payload["content"]]}}
    if record["type"] == "response_item" and payload.get("type") not in ("additional_tools",):
        return record
    return record if record["type"] == "event_msg" else shorten(record)


def envelope(part: dict[str, Any]) -> dict[str, Any]:
    """A user part that the client wrote keeps its tags around the marker."""
    text = part.get("text", "").lstrip()
    if text.startswith("# AGENTS.md instructions"):
        return {**part, "text": f"# AGENTS.md instructions\n{MARK}\n</INSTRUCTIONS>"}
    tag = re.match(r"<([a-z_]+)>", text)
    return {**part, "text": f"<{tag[1]}>\n{MARK}\n</{tag[1]}>"} if tag and f"</{tag[1]}>" in text else part


def kimi(record: dict[str, Any]) -> dict[str, Any]:
    if record.get("type", "turn.prompt") in ("turn.prompt", "context.append_loop_event"):
        return record
    if record["type"] == "context.append_message":
        origin = record["message"].get("origin", {}).get("kind")
        return record if origin == "user" else shorten(record)
    return record if record.get("kind") == "event" and "tools" not in record else shorten(record)


STRIP: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {"claude-code": claude, "codex": codex, "kimi-code": kimi}


def strip_lines(source: Path, target: Path, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    seen: set[str] = set()
    with target.open("w", encoding="utf-8") as out:
        for line in source.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            kind = record.get("type", "")
            if kind in CLAUDE_ONCE and kind in seen:
                continue
            seen.add(kind)
            out.write(json.dumps(change(record), ensure_ascii=False, separators=(",", ":")) + "\n")


def strip_database(source: Path, target: Path) -> None:
    shutil.copyfile(source, target)
    with sqlite3.connect(target) as db:
        db.execute("pragma foreign_keys = off")
        found = db.execute("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")
        tables = [row[0] for row in found]
        for table in tables:
            if table not in OPENCODE_TABLES:
                db.execute(f'drop table "{table}"')
    db.execute("vacuum")
    db.close()


def main(recordings: Path, home: Path) -> None:
    shutil.rmtree(home, ignore_errors=True)
    appended: set[Path] = set()
    for source in sorted(p for p in recordings.glob("*/*/home/**/*") if p.is_file()):
        host = source.relative_to(recordings).parts[1]
        target = home / source.relative_to(recordings / source.relative_to(recordings).parts[0] / host / "home")
        if source.suffix == ".sqlite" or source.stat().st_size == 0:
            continue  # Codex's state: a hint no reader needs, and 300 KB of empty pages
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix == ".db":
            strip_database(source, target)
        elif source.suffix == ".jsonl":
            strip_lines(source, target, STRIP.get(host, lambda record: record))
        elif target not in appended:
            shutil.copyfile(source, target)
        appended.add(target)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
