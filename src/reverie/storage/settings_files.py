"""Other programs' settings: read without trust, written whole or not at all, through the links that people keep them under.

A settings file is never copied into the home: it may hold keys. What was inserted is remembered instead, with a checksum of the
rest; taking it out again gives the same bytes, and the checksum proves it.
"""

from __future__ import annotations

import hashlib
import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from reverie.errors import Conflict, StoreUnavailable
from reverie.storage import files
from reverie.storage.writing import System, Write, force_folders, put_in_place, stage_one, temporary

MOST_BYTES = 4 * 1024 * 1024            # the largest settings seen have some hundred kilobytes
MODE = 0o600


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsFile:
    """A file as it was found. ``real`` is where it lies behind links; ``text`` None: it is not there."""

    path: str
    real: str
    text: str | None
    mode: int = MODE

    @property
    def digest(self) -> str:
        """A checksum of the bytes, "" for a file that is not there."""
        return "" if self.text is None else digest(self.text)


def digest(text: str) -> str:
    """The checksum of a text's bytes."""
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def read(path: str) -> SettingsFile:
    """A settings file. Raises ``StoreUnavailable`` for what is none: a folder, a pipe, a link to nowhere, no UTF-8, too large."""
    real = os.path.realpath(path)
    try:
        status = os.stat(real)      # noqa: PTH116
    except FileNotFoundError:
        if os.path.islink(path):    # noqa: PTH114
            raise StoreUnavailable(f"{path!r} is a link that leads to nothing ({real!r}): mend it or remove it.") from None
        return SettingsFile(path=path, real=real, text=None)
    except OSError as error:
        raise files.unavailable(error, path, "read") from error
    if not stat.S_ISREG(status.st_mode):
        kind = "a folder" if stat.S_ISDIR(status.st_mode) else "no regular file"
        raise StoreUnavailable(f"{path!r} is {kind}: it cannot hold settings. Move it away.")
    if status.st_size > MOST_BYTES:
        raise StoreUnavailable(f"{path!r} has {status.st_size:,} bytes; settings of more than {MOST_BYTES:,} are left alone.")
    try:
        data = Path(real).read_bytes()
    except OSError as error:
        raise files.unavailable(error, path, "read") from error
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise StoreUnavailable(f"{path!r} is not UTF-8 (byte {error.start}): it is left alone.") from None
    return SettingsFile(path=path, real=real, text=text, mode=stat.S_IMODE(status.st_mode))


def writable(found: SettingsFile) -> None:
    """Raises ``StoreUnavailable`` where nothing may be written: a file that its user made read-only is meant to stay as it is."""
    if found.text is not None and (not found.mode & 0o200 or not os.access(found.real, os.W_OK)):
        raise StoreUnavailable(f"{found.path!r} is read-only: it is left alone. Make it writable, or change it by hand.")


def write(found: SettingsFile, text: str) -> list[str]:
    """Put a text in place of what was found, whole, with the file's mode; the folders that were made for it.

    Raises ``Conflict`` when the file is not as it was found any more, ``StoreUnavailable`` when it cannot be written.
    """
    writable(found)
    made: list[str] = []
    try:
        made = _folders(os.path.dirname(found.real))    # noqa: PTH120
        if read(found.path).text != found.text:
            raise Conflict(f"{found.path!r} was changed by somebody else just now; run the command again")
        if found.text is not None and os.stat(found.real).st_nlink > 1:      # noqa: PTH116
            Path(found.real).write_bytes(text.encode())     # another name of the same file must see it, too
            return made
        _replace(System(), Write(found.real, text.encode(), mode=found.mode))
    except OSError as error:
        for folder in reversed(made):
            with suppress(OSError):
                Path(folder).rmdir()
        raise files.unavailable(error, found.path, "written") from error
    return made


def _replace(system: System, write: Write) -> None:
    beside = temporary(write.path, f"install-{os.getpid()}", 0)
    try:
        stage_one(system, write, beside)
        put_in_place(system, write, beside)
    except BaseException:
        with suppress(OSError):
            Path(beside).unlink()
        raise
    force_folders(system, [os.path.dirname(write.path)])        # noqa: PTH120


def remove(found: SettingsFile, folders: list[str]) -> None:
    """Take away a file that we made, and those of the folders made for it that are empty."""
    try:
        if found.text is not None:
            Path(found.real).unlink()
    except OSError as error:
        raise files.unavailable(error, found.path, "removed") from error
    for folder in sorted(folders, key=len, reverse=True):
        with suppress(OSError):
            Path(folder).rmdir()


def _folders(path: str) -> list[str]:
    missing: list[str] = []
    while path and not Path(path).is_dir():
        missing.append(path)
        above = os.path.dirname(path)       # noqa: PTH120
        if above == path:
            break
        path = above
    for folder in reversed(missing):
        Path(folder).mkdir(mode=0o755 if not Path(folder).name.startswith(".") else 0o700)
    return missing
