"""Instruction files that people write (``AGENTS.md``), as an agent gets them: which count, in which order, within which limit.

The study, Codex §1: one file per directory, ``AGENTS.override.md`` before ``AGENTS.md`` before the fallback names; from
the root down to the working directory, so that the later, more specific one prevails; 32 KiB. The product cuts silently in
the study's account and with a warning today (spec/codex §21); here the text itself says what was left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reverie.core import budget

OVERRIDE, USUAL = "AGENTS.override.md", "AGENTS.md"
LIMIT_BYTES = 32_768            # ``project_doc_max_bytes``: of the project's files together
BETWEEN = "--- project-doc ---"
OPENING, CLOSING = "<INSTRUCTIONS>", "</INSTRUCTIONS>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One instruction file. ``size`` counts its bytes; ``kept`` those that were within the limit."""

    path: str
    text: str
    size: int
    kept: int

    @property
    def left_out(self) -> int:
        return self.size - self.kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Instructions:
    """What an agent in a directory is told. ``hidden``: files that another of the same directory hides."""

    user: Document | None = None
    project: tuple[Document, ...] = ()
    hidden: tuple[str, ...] = ()
    limit: int = LIMIT_BYTES

    @property
    def cut(self) -> tuple[Document, ...]:
        """The files of which something was left out."""
        return tuple(document for document in self.project if document.left_out)


def collect(
    user_folder: str,
    directories: Sequence[str],
    read: Callable[[str], bytes | None],
    *,
    fallbacks: Sequence[str] = (),
    limit: int = LIMIT_BYTES,
) -> Instructions:
    """The files that count. ``directories``: from the project's root down to the working directory. ``read`` gives a file's
    bytes, None where there is none. ``limit`` 0 leaves out the project's.

    The user's own file is never cut, and a blank override does not hide it; a project's blank override does hide.
    """
    hidden: list[str] = []
    project: list[Document] = []
    left = max(limit, 0)
    for directory in directories if limit > 0 else ():
        found = _first(directory, (OVERRIDE, USUAL, *fallbacks), read, hidden)
        if found is None or not found[1].strip():
            continue
        path, text = found
        size = len(text.encode())
        kept = budget.head(text, left, budget.BYTES)
        left -= len(kept.encode())
        project.append(Document(path=path, text=kept, size=size, kept=len(kept.encode())))
    return Instructions(user=_users(user_folder, read), project=tuple(project), hidden=tuple(hidden), limit=limit)


def render(found: Instructions, cwd: str) -> str:
    """The message that an agent gets, in the envelope by which extraction knows and drops it (spec/codex §6.1 and §21); "" when
    there is nothing to say. What was left out is said at its end."""
    parts = [found.user.text.strip()] if found.user else []
    said = [document.text.strip() for document in found.project if document.text.strip()]
    if said:
        parts += [*([BETWEEN] if parts else []), *said]
    parts += [
        f"({document.left_out} of {document.size} bytes of {document.path} left out: the limit for a project's instructions is "
        f"{found.limit} bytes; `project_doc_max_bytes` raises it)" for document in found.cut
    ]
    body = "\n\n".join(parts)
    return f"# AGENTS.md instructions for {cwd}\n\n{OPENING}\n{body}\n{CLOSING}" if body else ""


def _users(folder: str, read: Callable[[str], bytes | None]) -> Document | None:
    for name in (OVERRIDE, USUAL) if folder else ():
        path = _joined(folder, name)
        text = _decoded(read(path))
        if text is not None and text.strip():
            size = len(text.encode())
            return Document(path=path, text=text, size=size, kept=size)
    return None


def _first(
    directory: str, names: Sequence[str], read: Callable[[str], bytes | None], hidden: list[str]
) -> tuple[str, str] | None:
    """The first file of a directory that is there; the others that are there too are hidden by it."""
    found: tuple[str, str] | None = None
    for name in dict.fromkeys(names):
        path = _joined(directory, name)
        text = _decoded(read(path))
        if text is not None and found is None:
            found = path, text
        elif text is not None:
            hidden.append(path)
    return found


def _joined(folder: str, name: str) -> str:
    return f"{folder.rstrip('/')}/{name}"


def _decoded(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "replace").removeprefix("\ufeff")
