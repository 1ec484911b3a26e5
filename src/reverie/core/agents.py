"""Sub-agents with a memory of their own: what one is to memory, how its folder is called, which tools it must be given.

The product's rules are those of spec/claude-code §9; ``folder_name`` is its encoding, ``key`` ours, which never gives two
agents one folder. Pure, and cheap to import: it is on the path that a delegation waits for.
"""

from __future__ import annotations

from dataclasses import dataclass

from reverie.core.place import sha256_hex

MEMORY_SCOPES = ("user", "project", "local")        # spec/claude-code §9.1
SHARED = "agents"                                   # the scope of what the agents of one project share
PREFIX = "agent:"                                   # "agent:reviewer" is that agent's own scope
FILE_TOOLS = ("Read", "Write", "Edit")              # what the product adds for a memory kept as files (§9.3)
LONGEST_NAME = 200                                  # characters; a longer one is no name
_KEY_LENGTH = 60
_DEVICES = frozenset(("con", "prn", "aux", "nul", *(f"{name}{n}" for name in ("com", "lpt") for n in range(10))))  # on Windows
_SAFE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentFolder:
    """A product's own memory of an agent. ``scope``: "user", "project" or "local"."""

    host: str
    scope: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """An agent as its memory sees it. ``memory``: where a new memory goes, "" when nothing declares it; ``shares``: whether it
    takes part in what the agents of the project share; ``description``: what it is for, as its definition says; ``native``: the
    folders in which a product keeps its memory, read beside our own and never written."""

    name: str
    memory: str = ""
    shares: bool = False
    description: str = ""
    native: tuple[AgentFolder, ...] = ()

    @property
    def scope(self) -> str:
        return PREFIX + self.name


def is_name(name: str) -> bool:
    """Whether this can be an agent's name: something is there to tell it by, on one line, not endless."""
    return bool(name.strip()) and len(name) <= LONGEST_NAME and name.isprintable()


def folder_name(name: str) -> str:
    """The product's folder of an agent: every UTF-16 unit outside ``[A-Za-z0-9_-]`` becomes "-" (spec/claude-code §9.1).

    ``plug:We.ird Name`` is ``plug-We-ird-Name``. Lossy: ``a.b`` and ``a b`` are one.
    """
    return "".join(c if c in _SAFE else "-" * (2 if c > "\uffff" else 1) for c in name)


def key(name: str) -> str:
    """The name of an agent's folder among our own stores: readable, and never another agent's, on a disk that folds case
    either."""
    folder = folder_name(name)
    plain = folder.lower()
    if plain == name and len(plain) <= _KEY_LENGTH and plain[0] != "-" and plain not in _DEVICES and not _looks_hashed(plain):
        return plain
    return f"{plain[:_KEY_LENGTH].strip('-') or 'agent'}-x{sha256_hex(name)[:8]}"


def _looks_hashed(plain: str) -> bool:
    """Whether a plain name has the form that is ours for the others: then it is one of the others."""
    tail = plain.rpartition("-x")[2]
    return "-x" in plain and len(tail) == 8 and all(c in "0123456789abcdef" for c in tail)


# ── tools ────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """What a definition file says of an agent. ``tools``: None, all are inherited. ``origin``: "managed", "command line",
    "project", "user" or "plugin"; ``path``: the file, "" for the command line. ``problems``: names of what was passed over."""

    name: str
    description: str = ""
    tools: tuple[str, ...] | None = None
    disallowed: tuple[str, ...] = ()
    memory: str = ""
    origin: str = ""
    path: str = ""
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """The tools an agent must be given. ``tools``: None, all but the refused. ``added``: those that its list omitted.

    ``files``: what it can do with its memory as files: "write", "read" or "nothing". The command line and the library do not
    depend on it.
    """

    tools: tuple[str, ...] | None
    added: tuple[str, ...] = ()
    files: str = "nothing"
    notes: tuple[str, ...] = ()


def granted(definition: Definition, *, auto_memory: bool = True) -> Grant:
    """What an agent with this definition must be given (spec/claude-code §9.3).

    With ``memory`` the file tools are added where an allow-list omits them; what is disallowed stays disallowed, and is said.
    Without ``memory``, or with the product's memory switched off, nothing is added.
    """
    refused = {_bare(tool) for tool in definition.disallowed if "(" not in tool}     # "Write(docs/**)" refuses a part
    declared = definition.tools
    wants = definition.memory in MEMORY_SCOPES and auto_memory
    added: tuple[str, ...] = ()
    if declared is not None and "*" not in declared:
        has = {_bare(tool) for tool in declared}
        added = tuple(tool for tool in FILE_TOOLS if wants and tool not in has and tool not in refused)
        tools: tuple[str, ...] | None = tuple(tool for tool in declared if _bare(tool) not in refused) + added
        usable = {_bare(tool) for tool in tools or ()}
    else:
        tools, usable = None, set(FILE_TOOLS) - refused
    if not wants:
        off = ("memory_off",) if definition.memory in MEMORY_SCOPES else ()
        return Grant(tools=tools, notes=off)
    return Grant(tools=tools, added=added, files=_files(usable), notes=_notes(added, usable))


def _bare(tool: str) -> str:
    return tool.partition("(")[0].strip()


def _files(usable: set[str]) -> str:
    if "Read" not in usable:
        return "nothing"
    return "write" if usable & {"Write", "Edit"} else "read"


def _notes(added: tuple[str, ...], usable: set[str]) -> tuple[str, ...]:
    notes = [f"allow_list_without_{tool}" for tool in added]
    if "Read" not in usable:
        notes.append("read_disallowed")
    elif not usable & {"Write", "Edit"}:
        notes.append("memory_is_read_only")
    return tuple(notes)
