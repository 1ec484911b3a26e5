"""Which files of a memory an agent looked at, told from the commands it ran (study, Codex §5; spec/codex §16).

A read counts only when nobody could have hidden something else in it: the command is a plain script, and each program in
it is known to do nothing but look. That is the product's rule; what it gives is telemetry by kind, and, here, credit.
"""

from __future__ import annotations

import enum
import re
import shlex
from collections.abc import Iterable, Sequence

COMMAND_CHARACTERS = 20_000     # a longer script is no quick look


class Kind(enum.StrEnum):
    """The part of a Codex memory that was read, named as the study's ``codex.memories.usage`` and the product's ``kind``."""

    MEMORY_MD = "memory_md"
    MEMORY_SUMMARY = "memory_summary"
    RAW_MEMORIES = "raw_memories"
    ROLLOUT_SUMMARIES = "rollout_summaries"
    SKILLS = "skills"

    @property
    def study(self) -> str:
        """As the study writes it."""
        return "".join(word.title() for word in self.value.split("_"))


_FOLDERS = ("memories/", "memories_v2/")
_PARTS = (                          # in the product's order: the first that a path holds
    ("MEMORY.md", Kind.MEMORY_MD),
    ("memory_summary.md", Kind.MEMORY_SUMMARY),
    ("raw_memories.md", Kind.RAW_MEMORIES),
    ("rollout_summaries/", Kind.ROLLOUT_SUMMARIES),
    ("skills/", Kind.SKILLS),
)


def kind_of(path: str) -> Kind | None:
    """What a path is a part of, by its text alone."""
    path = path.replace("\\", "/")
    for part, kind in _PARTS:
        if any(folder + part in path for folder in _FOLDERS):
            return kind
    return None


# Programs that only look, whatever their arguments; those with a rule of their own stand in ``_harmless``.
_LOOKING = frozenset((
    "cat", "cd", "cut", "echo", "expr", "false", "grep", "egrep", "fgrep", "head", "id", "ls", "nl", "paste", "pwd", "rev", "seq",
    "stat", "tail", "tr", "true", "uname", "uniq", "wc", "which", "whoami", "tac", "numfmt",
))  # fmt: skip
# Those of them that read files or search in them, so that a path among their arguments was read.
_READING = frozenset((
    "cat", "cut", "grep", "egrep", "fgrep", "head", "nl", "paste", "rev", "tac", "tail", "uniq", "wc", "sed", "rg",
))  # fmt: skip
_SEARCHING = frozenset(("grep", "egrep", "fgrep", "rg"))
_FIND_ACTS = frozenset(("-exec", "-execdir", "-ok", "-okdir", "-delete", "-fls", "-fprint", "-fprint0", "-fprintf"))
_RG_ACTS = ("--pre", "--hostname-bin", "--search-zip", "-z")
_GIT_LOOKS = frozenset(("status", "log", "diff", "show", "branch", "ls-files", "grep"))
_SED_PRINT = re.compile(r"\A(?:\d{1,9}(?:,(?:\d{1,9}|\$))?|\$)p\Z")
_JOINS = frozenset((";", "&&", "||", "|"))
_SHELLS = frozenset(("bash", "sh", "zsh", "/bin/bash", "/bin/sh", "/bin/zsh"))
# A redirection, a variable, a substitution, a glob of braces: no longer a plain script.
_NOT_PLAIN = re.compile(r"[`$<>(){}]|(?<!&)&(?!&)")
_QUOTED = re.compile(r"'[^']*'")


def paths_read(command: str | Sequence[str]) -> tuple[str, ...]:
    """The paths that a command reads or searches, () when it is no plain script of programs that only look."""
    parts = _plain(command)
    if parts is None:
        return ()
    commands = list(_commands(parts))
    if not commands or not all(_harmless(words) for words in commands):
        return ()
    return tuple(path for words in commands for path in _arguments(words))


def kinds(paths: Iterable[str]) -> tuple[Kind, ...]:
    """The parts of a Codex memory that these paths are of, each once, in order."""
    return tuple(dict.fromkeys(kind for path in paths if (kind := kind_of(path))))


def _plain(command: str | Sequence[str]) -> list[str] | None:
    """The words of a script, with those that join commands; None when it is not plain."""
    if not isinstance(command, str):
        words = [str(word) for word in command]
        if len(words) == 3 and words[0] in _SHELLS and words[1] in ("-c", "-lc"):
            return _plain(words[2])
        return words if not any(word in _JOINS for word in words) else None
    if len(command) > COMMAND_CHARACTERS or _NOT_PLAIN.search(_QUOTED.sub("''", command)):
        return None
    lexer = shlex.shlex(command.replace("\n", " ; "), posix=True, punctuation_chars=";|&")
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        return list(lexer)
    except ValueError:
        return None


def _commands(words: Sequence[str]) -> list[list[str]]:
    commands: list[list[str]] = [[]]
    for word in words:
        if word in _JOINS:
            commands.append([])
        else:
            commands[-1].append(word)
    return [words for words in commands if words]


def _harmless(words: Sequence[str]) -> bool:
    program, arguments = words[0], words[1:]
    if program in _LOOKING:
        return True
    if program == "find":
        return not _FIND_ACTS.intersection(arguments)
    if program == "rg":
        return not any(word == act or word.startswith(act + "=") for word in arguments for act in _RG_ACTS)
    if program == "sed":
        return len(arguments) in (2, 3) and arguments[0] == "-n" and bool(_SED_PRINT.match(arguments[1]))
    if program == "git":
        return bool(arguments) and arguments[0] in _GIT_LOOKS and not any(w.startswith("--output") for w in arguments)
    return False


def _arguments(words: Sequence[str]) -> list[str]:
    """The arguments that may name files: all but options, and but the pattern of a search."""
    program = words[0]
    if program not in _READING:
        return []
    values = [word for word in words[1:] if not word.startswith("-")]
    skip = 1 if program == "sed" or (program in _SEARCHING and not any(w in ("-e", "-f", "--files") for w in words)) else 0
    return values[skip:]
