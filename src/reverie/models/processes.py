"""Running another program to its end or to its deadline: with everything that it started, unless it left the program's process
group, and no more of its words than fit."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

LOOK_SECONDS = 0.05
GRACE_SECONDS = 1.0             # between asking it to end and ending it


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """How it ended. ``code`` None: it was ended at the deadline; ``too_much``: because it wrote without end."""

    code: int | None
    out: str
    error: str
    too_much: bool = False


def run(
    command: Sequence[str], *, given: str, folder: str, environment: Mapping[str, str], seconds: float, most_bytes: int
) -> Done:
    """Run a program in a folder, with a text on standard input. Raises ``OSError`` when it cannot be started."""
    deadline = time.monotonic() + seconds
    with tempfile.TemporaryFile() as text, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as error:
        text.write(given.encode("utf-8", "replace"))
        text.seek(0)
        process = _started(command, folder, environment, text, out, error)
        too_much = False
        try:
            while process.poll() is None and time.monotonic() < deadline and not too_much:
                too_much = any(os.fstat(file.fileno()).st_size > most_bytes for file in (out, error))
                time.sleep(LOOK_SECONDS)
            code = None if too_much else process.poll()
        finally:
            end(process)
        return Done(code=code, out=_said(out, most_bytes), error=_said(error, most_bytes), too_much=too_much)


def _started(
    command: Sequence[str], folder: str, environment: Mapping[str, str], text: IO[bytes], out: IO[bytes], error: IO[bytes]
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        list(command), stdin=text, stdout=out, stderr=error, cwd=folder, env=dict(environment),
        start_new_session=os.name != "nt",
        creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0) if os.name == "nt" else 0,
    )


def end(process: subprocess.Popen[bytes]) -> None:
    """End a program and whatever it started and left; also after it ended by itself."""
    if os.name == "nt":
        if process.poll() is None:
            subprocess.run(["taskkill", "/T", "/F", "/PID", str(process.pid)], capture_output=True, check=False)
    else:
        _signal_group(process.pid, signal.SIGTERM)
        until = time.monotonic() + GRACE_SECONDS
        while process.poll() is None and time.monotonic() < until:
            time.sleep(LOOK_SECONDS)
        _signal_group(process.pid, signal.SIGKILL)
    process.wait()


def _signal_group(group: int, number: int) -> None:
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):       # nobody of it is left
        return


def _said(file: IO[bytes], most: int) -> str:
    file.seek(0)
    return file.read(most).decode("utf-8", "replace")


def found(program: str, environment: Mapping[str, str]) -> str:
    """Where a program is on the PATH of this environment, "" when it is not."""
    from shutil import which

    path = which(program, path=environment.get("PATH", os.defpath))
    return str(Path(path).absolute()) if path else ""
