"""What went wrong in hooks, kept where it can be kept when the database itself is what is wrong: ``hooks.log`` in the home, a
line of JSON each. ``reverie status`` shows it. It is no history: the oldest half goes when it is full.

On the path of the hooks: no pathlib, no dataclasses.
"""

# ruff: noqa: PTH103, PTH105, PTH118, PTH123

from __future__ import annotations

import json
import os
import stat

from reverie.storage import files
from reverie.storage.writing import FILE_MODE, FOLDER_MODE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

NAME = "hooks.log"
MOST_BYTES = 64 * 1024
_LINE_CHARACTERS = 500


def write(root: str, *, at: datetime, host: str, event: str, said: str) -> bool:
    """Keep a line; whether it could be kept. Never raises, makes the home if it has to, follows no link."""
    from reverie.core import redact  # only what failed pays for it

    line = json.dumps({"at": at.isoformat(timespec="seconds"), "host": host[:40], "event": event[:40],
                       "said": redact.redact(said[:_LINE_CHARACTERS]).text}) + "\n"
    path = os.path.join(root, NAME)
    try:
        os.makedirs(root, mode=FOLDER_MODE, exist_ok=True)
        old = files.read(path, limit=4 * MOST_BYTES)
        if isinstance(old, bytes) and len(old) > MOST_BYTES:
            _shorten(path, old[-MOST_BYTES // 2:])
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        handle = os.open(path, flags | getattr(os, "O_CLOEXEC", 0), FILE_MODE)
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                return False
            os.write(handle, line.encode())
        finally:
            os.close(handle)
    except (OSError, ValueError):
        return False
    return True


def _shorten(path: str, rest: bytes) -> None:
    beside = path + files.TEMPORARY
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0), FILE_MODE)
    with open(handle, "wb") as file:
        file.write(rest.partition(b"\n")[2])
    os.replace(beside, path)


def last(root: str, *, since: datetime, limit: int = 5) -> list[dict[str, str]]:
    """What went wrong since then, each kind once with how often (``times``), the latest first."""
    data = files.read(os.path.join(root, NAME), limit=4 * MOST_BYTES)
    found: dict[tuple[str, str, str], dict[str, str]] = {}
    start = since.isoformat(timespec="seconds")
    for line in reversed(data.splitlines() if isinstance(data, bytes) else []):
        try:
            value = json.loads(line)
            entry = {name: str(value[name]) for name in ("at", "host", "event", "said")}
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
        if entry["at"] < start:
            continue
        known = found.setdefault((entry["host"], entry["event"], entry["said"]), {**entry, "times": "0"})
        known["times"] = str(int(known["times"]) + 1)
    return list(found.values())[:limit]
