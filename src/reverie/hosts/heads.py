"""A look at the beginning or the end of a transcript, to tell whose it is and where it belongs without reading it."""

from __future__ import annotations

import os
import re
from typing import Any

import msgspec

from reverie.hosts import decoding, disk

TAIL_BYTES = 16 * 1024
_LINES = 40             # of the head: bookkeeping may come first
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}\Z")


def is_name(text: str) -> bool:
    """Whether an id from a transcript may stand in a path: ids are data, and data may be ``../../x``."""
    return _NAME.match(text) is not None


def objects(data: bytes) -> list[dict[str, Any]]:
    """The JSON objects of the first lines; what is broken, or cut off at the end of ``data``, is left out."""
    found = []
    for line in data.split(b"\n", _LINES)[:_LINES]:
        try:
            value = msgspec.json.decode(line)
        except (ValueError, RecursionError):
            value, _ = decoding.lenient(line)
        if isinstance(value, dict):
            found.append(value)
    return found


def kind(record: dict[str, Any]) -> str:
    """The type of a record, or "" for one without."""
    found = record.get("type")
    return found if isinstance(found, str) else ""


def text(data: bytes, key: str) -> str:
    """The first text that stands under ``key`` at any depth: a cheap answer for values that are the same wherever they occur.

    A key cannot be mistaken for the same word inside a text, because there its quotation marks are escaped.
    """
    start = data.find(b'"' + key.encode() + b'":"')
    if start < 0:
        return ""
    start += len(key) + 4
    end = start
    while (end := data.find(b'"', end)) >= 0:
        escapes = end - len(data[start:end].rstrip(b"\\")) - start
        if escapes % 2 == 0:
            break
        end += 1
    try:
        value = msgspec.json.decode(b'"' + data[start:end] + b'"') if end >= 0 else ""
    except (ValueError, RecursionError):
        return ""
    return value if isinstance(value, str) else ""


def tail(path: str, size: int = TAIL_BYTES) -> bytes:
    """The last bytes of a plain file. Raises ``disk.CannotRead``."""
    with disk.open_plain(path) as handle:
        try:
            end = handle.seek(0, os.SEEK_END)
            handle.seek(max(0, end - size))
        except OSError as error:
            raise disk.cannot_read(error) from error
        return disk.read_fully(handle, size)
