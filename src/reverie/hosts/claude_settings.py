"""Claude Code's settings files, as far as they say where its memory lies and whether it is on.

The files are a stranger's: a repository brings its own. Each is looked at before it is opened, read with a limit, and what it
says is taken only in the type that the product takes. What is not taken has a name (``Ignored``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from reverie.core import place as places
from reverie.hosts import disk
from reverie.hosts.disk import CannotRead

_MANAGED = {
    "darwin": "/Library/Application Support/ClaudeCode",
    "win32": "C:/Program Files/ClaudeCode",
}
_SHOWN = 200            # characters of a refused value: enough to recognise it


class Ignored(NamedTuple):
    """Something that would have decided, and did not: where it stood, what it said, why it was not taken."""

    source: str
    value: str
    reason: str


class File(NamedTuple):
    """One settings file. ``theirs``: it lies in the project, so whoever wrote the repository may have written it."""

    path: str
    values: Mapping[str, Any]
    theirs: bool


class Found(NamedTuple):
    """The value that decides, and the file that it stands in."""

    value: Any
    file: File


def managed_file(platform: str) -> str:
    """The settings that an administrator gives to everybody on a machine."""
    return f"{_MANAGED.get(platform, '/etc/claude-code')}/managed-settings.json"


def stack(*, config_dir: str, cwd: str, managed: str) -> tuple[list[File], list[Ignored]]:
    """The settings files that are there, the strongest first, and those that cannot be read."""
    ignored: list[Ignored] = []
    files: list[File] = []
    project = places.tidy(f"{cwd}/.claude")
    in_project = project != places.tidy(config_dir)     # in the home folder they are the user's own
    paths = {
        managed: False, f"{project}/settings.local.json": in_project, f"{project}/settings.json": in_project,
        f"{config_dir}/settings.json": False,
    }  # fmt: skip
    for path, theirs in paths.items():
        values = _read(path)
        if isinstance(values, str):
            ignored.append(Ignored(path, "", values))
        elif values is not None:
            files.append(File(path, values, theirs))
    return files, ignored


def strongest(files: Sequence[File], name: str, kind: type, ignored: list[Ignored]) -> Found | None:
    """The first file's value of this type; a value of another type stands aside, named."""
    for file in files:
        value = file.values.get(name)
        if isinstance(value, kind):
            return Found(value, file)
        if value is not None:
            ignored.append(Ignored(f"{name} in {file.path}", shown(value), "wrong_type"))
    return None


def trusts(path: str, directories: Sequence[str]) -> bool:
    """Whether the user told the product (in its file of state) to trust one of these directories."""
    state = disk.small_json(path)
    projects = state.get("projects") if isinstance(state, dict) else None
    if not isinstance(projects, dict):
        return False
    return any(_accepted(projects.get(directory)) for directory in directories)


def above(path: str) -> Iterator[str]:
    """A directory and everything above it."""
    while path:
        yield path
        path = places.parent(path)


def shown(value: object) -> str:
    """A value as it can be shown to a person: on one line, not endless."""
    text = value if isinstance(value, str) else repr(value)
    text = text.encode("utf-8", "backslashreplace").decode()
    text = "".join(c if c.isprintable() else "?" for c in text[: _SHOWN + 1])
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


def _accepted(project: object) -> bool:
    return isinstance(project, dict) and project.get("hasTrustDialogAccepted") is True


def _read(path: str) -> dict[str, Any] | str | None:
    """The values of a file, None when it is not there, or why it is passed over."""
    try:
        found = disk.look(path)
        if found.st_size > disk.SMALL_FILE_BYTES:
            return "too_large"
        values = msgspec.json.decode(disk.head(path, disk.SMALL_FILE_BYTES).removeprefix(b"\xef\xbb\xbf").strip() or b"{}")
    except CannotRead as problem:
        return None if problem.reason in ("not_found", "not_a_directory") else problem.reason
    except (ValueError, RecursionError):
        return "broken_json"
    return values if isinstance(values, dict) else "not_an_object"
