"""Skills: procedures that an agent opens when it needs them, one folder each with a ``SKILL.md`` (study, Codex §2).

What a valid one is follows the open Agent Skills form and spec/codex §11.4. Checked before a skill that a model distilled is
let into a store, and when a store is looked over.
"""

from __future__ import annotations

import re

from reverie.core import frontmatter

FOLDER, FILE = "skills/", "SKILL.md"
NAME_CHARACTERS, DESCRIPTION_CHARACTERS, BODY_LINES = 64, 1_024, 500
SUPPORT = ("scripts", "templates", "examples", "references", "assets")      # folders that may stand beside it
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_PART = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def name_of(path: str) -> str:
    """The skill that a path belongs to, "" when it is none of a skill's files: ``skills/<name>/SKILL.md`` and plain names
    below the folders that may stand beside it."""
    parts = path.split("/")
    if len(parts) < 3 or parts[0] + "/" != FOLDER or not all(_PART.fullmatch(part) for part in parts[1:]):
        return ""
    is_skill = parts[2:] == [FILE]
    return parts[1] if is_skill or (len(parts) > 3 and parts[2] in SUPPORT) else ""


def problems(path: str, data: bytes) -> tuple[str, ...]:
    """What is wrong with a ``SKILL.md``, in words; () when it is valid."""
    name = name_of(path)
    if not name or not path.endswith("/" + FILE):
        return (f"{path} is not skills/<name>/{FILE}",)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return (f"{path} is not UTF-8",)
    document = frontmatter.parse(data)
    found: list[str] = []
    if not document.has_header or document.problems:
        found.append(f"{path} has no whole frontmatter")
    given, description = document.get("name") or "", document.get("description") or ""
    if not _NAME.fullmatch(given) or len(given) > NAME_CHARACTERS:
        found.append(
            f"the name {given[:80]!r} is not of lower-case letters, digits and single hyphens, at most {NAME_CHARACTERS}"
        )
    elif given != name:
        found.append(f"the name {given!r} is not that of its folder, {name!r}")
    if not description.strip():
        found.append("there is no description: an agent could not tell when to open it")
    elif len(description) > DESCRIPTION_CHARACTERS:
        found.append(f"the description has {len(description)} characters, more than {DESCRIPTION_CHARACTERS}")
    body = document.body.strip()
    if not body:
        found.append("there is no procedure under the frontmatter")
    elif (lines := body.count("\n") + 1) >= BODY_LINES:
        found.append(f"the body has {lines} lines, {BODY_LINES} and more belong into files beside it")
    return tuple(found)
