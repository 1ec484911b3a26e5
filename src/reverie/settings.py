"""Settings: a file and the environment, and for each value where it came from.

``REVERIE_HOME`` moves everything Reverie keeps (default ``~/.reverie``); ``settings.toml`` in it holds the rest::

    design = "reverie"

    [recall]
    documents = 5
    characters = 1200       # of one document
    strategy = "heuristic"  # by rules; "model": the model of the flow "recall" chooses, rules when it is too late; "none"
    deadline_ms = 1000      # so long is a model waited for, at most

    [block]
    tokens = 1500           # what a session starts with

    [extract]
    enabled = 1             # after a response, by itself; 0: never

    [dream]
    enabled = 1             # 0: never by itself
    hours = 24              # between two dreams of a store
    sessions = 5            # since the last one
    most_removed = 30       # per cent of a store's memories, or of their characters: a dream that takes more is refused

    [background]
    enabled = 1             # 0: no hook starts a worker after a turn; what waits is learned by the next `reverie learn`

    [mcp]
    writes = "on"           # "off": agents cannot remember or forget by the tools of `reverie mcp` (docs/mcp.md)

    [agents]
    shared = []             # sub-agents that read and write what the agents of a project share, beside their own
    block_tokens = 800      # what a sub-agent starts with, of its own and of what is shared, each

    [team]                  # what a team shares through git (docs/team.md)
    enabled = 0             # 1: in every project; `reverie team on` turns it on for one
    sync = 1                # 0: never by itself, only `reverie sync`

    [codex]                 # the two phases of the design `codex` (docs/two-phases.md); `codex@0.171`: 2 and 10 for the first two
    max_rollouts_per_startup = 16   # sessions extracted by one run, and at once by all processes
    max_rollout_age_days = 30       # older sessions are left alone
    min_rollout_idle_hours = 6      # so long must a session have been at rest
    headless = 0                    # 1: also sessions without a person (`codex exec`, `claude -p`)
    disable_on_external_context = 0 # 1: leave out sessions in which a web search or an MCP tool spoke
    max_raw_memories_for_consolidation = 256    # sessions that phase 2 works from, the most used first
    max_unused_days = 30            # what was of no use for so long is no part of it any more
    consolidation_tokens = 0        # that one phase 2 with a model may take, in and out; 0: as the caps below say

    [qwen]
    placement = "folders"   # where the designs `qwen-code` put a new memory: a file in its type's folder, or "files": user.md, …

    [models]                # language models: none by default (docs/models.md)
    default = ""            # "anthropic:claude-…", "ollama:…", "agent:claude-code"; for each of extract, consolidate, dream and
    extract = ""            # recall its own, else the default; "none": none, whatever the default is
    background = "on"       # "asked": only calls that somebody asks for; "off": none at all
    tokens_per_day = 1000000        # caps, held before they are passed; 0: none
    tokens_per_month = 10000000
    tokens_per_run = 0
    money_per_day = 0.0             # in the currency of the prices
    money_per_month = 0.0
    min_remaining_percent = 25      # of the provider's rate limits: with less left nothing is asked

    [prices."anthropic:claude-…"]   # for a million tokens; goes before the table that Reverie comes with
    input = 3.0
    output = 15.0

    [windows]
    "ollama:some-model" = 32768     # the context window, in tokens

    [providers.mine]                # a server of one's own: then "mine:model" is a model
    base_url = "http://127.0.0.1:8000/v1"
    key_variable = "MY_KEY"         # or key_command = ["pass", "show", "my-key"]

An environment variable ``REVERIE_DESIGN`` (``REVERIE_RECALL_DOCUMENTS``, …) goes before the file.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reverie import errors

# name -> (default, least, most); None where there is nothing to bound
_KNOWN: Mapping[str, tuple[Any, int | None, int | None]] = {
    "design": ("reverie", None, None),
    "recall.documents": (5, 1, 50),
    "recall.characters": (1200, 200, 20_000),
    "recall.strategy": ("heuristic", None, None),
    "recall.deadline_ms": (1_000, 10, 60_000),
    "block.tokens": (1500, 100, 50_000),
    "extract.enabled": (1, 0, 1),
    "dream.enabled": (1, 0, 1),
    "dream.hours": (24, 0, 8_760),
    "dream.sessions": (5, 0, 1_000),
    "dream.most_removed": (30, 0, 100),
    "background.enabled": (1, 0, 1),
    "mcp.writes": ("on", None, None),
    "agents.shared": ((), None, None),
    "agents.block_tokens": (800, 100, 50_000),
    "team.enabled": (0, 0, 1),
    "team.sync": (1, 0, 1),
    "codex.max_rollouts_per_startup": (16, 1, 128),
    "codex.max_rollout_age_days": (30, 0, 90),
    "codex.min_rollout_idle_hours": (6, 1, 48),
    "codex.headless": (0, 0, 1),
    "codex.disable_on_external_context": (0, 0, 1),
    "codex.max_raw_memories_for_consolidation": (256, 1, 4_096),
    "codex.max_unused_days": (30, 0, 365),
    "codex.consolidation_tokens": (0, 0, 10**12),
    "qwen.placement": ("folders", None, None),
    "models.default": ("", None, None),
    "models.extract": ("", None, None),
    "models.consolidate": ("", None, None),
    "models.dream": ("", None, None),
    "models.recall": ("", None, None),
    "models.background": ("on", None, None),
    "models.tokens_per_day": (1_000_000, 0, 10**12),
    "models.tokens_per_month": (10_000_000, 0, 10**12),
    "models.tokens_per_run": (0, 0, 10**12),
    "models.money_per_day": (0.0, 0, 1_000_000),
    "models.money_per_month": (0.0, 0, 1_000_000),
    "models.min_remaining_percent": (25, 0, 100),
}
# Tables whose keys are names of the user's own; who uses them checks them.
_TABLES = ("prices", "windows", "providers")


@dataclass(frozen=True, slots=True)
class Setting:
    """One value and its origin: "default", the file, or the variable."""

    name: str
    value: Any
    origin: str


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of one home."""

    home: Path
    values: Mapping[str, Setting]
    tables: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)   # [prices], [windows], [providers], as written

    def __getitem__(self, name: str) -> Any:
        return self.values[name].value


def home_of(environment: Mapping[str, str]) -> Path:
    """Where Reverie keeps what it keeps."""
    if chosen := environment.get("REVERIE_HOME"):
        return expanded(chosen)
    return Path(user_home_of(environment)) / ".reverie"


def expanded(path: str | Path) -> Path:
    """A path with "~" read as the home folder, where there is one; ``Path.expanduser`` raises where there is none."""
    return Path(os.path.expanduser(path))  # noqa: PTH111


def user_home_of(environment: Mapping[str, str]) -> str:
    """The user's home folder."""
    return environment.get("HOME") or environment.get("USERPROFILE") or str(expanded("~"))


def load(home: Path, environment: Mapping[str, str]) -> Settings:
    """Defaults, then the file, then the environment. Raises ``BadSettings`` for a value that cannot be."""
    file = home / "settings.toml"
    read = _read(file)
    tables = {name: _table(file, name, read.pop(name, {})) for name in _TABLES}
    written = _flat(read)
    unknown = sorted(set(written) - set(_KNOWN))
    if unknown:
        raise errors.BadSettings(f"{file}: unknown setting {unknown[0]!r}; known are {', '.join(_KNOWN)}")
    values = {}
    for name, (default, least, most) in _KNOWN.items():
        variable = "REVERIE_" + name.replace(".", "_").upper()
        if variable in environment:
            setting = Setting(name, environment[variable], variable)
        elif name in written:
            setting = Setting(name, written[name], str(file))
        else:
            setting = Setting(name, default, "default")
        values[name] = Setting(name, _checked(setting, default, least, most), setting.origin)
    return Settings(home, values, tables)


def _read(file: Path) -> dict[str, Any]:
    try:
        if file.exists() and not file.is_file():        # a pipe would block for ever
            raise errors.BadSettings(f"{file} is no regular file. Move it away.")
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise errors.BadSettings(f"{file} cannot be read: {error}. Mend it or move it away.") from error


def _table(file: Path, name: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise errors.BadSettings(f"{file}: {name} must be a table, [{name}]")
    return value


def _flat(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in table.items():
        flat |= _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key: value}
    return flat


def _checked(setting: Setting, default: Any, least: int | None, most: int | None) -> Any:
    if isinstance(default, str):
        return str(setting.value)
    if isinstance(default, tuple):
        return _listed(setting)
    try:
        number = type(default)(setting.value)
        if isinstance(setting.value, bool) or (isinstance(setting.value, float) and number != setting.value == setting.value):
            raise ValueError        # half a token would be none, and none is no cap
    except (TypeError, ValueError, OverflowError):
        kind = "a whole number" if isinstance(default, int) else "a number"
        raise errors.BadSettings(f"{setting.name} = {setting.value!r} (from {setting.origin}) is not {kind}") from None
    if (least is not None and not number >= least) or (most is not None and not number <= most):    # "not": NaN is neither
        raise errors.BadSettings(f"{setting.name} = {number} (from {setting.origin}) must lie between {least} and {most}")
    return number


def _listed(setting: Setting) -> tuple[str, ...]:
    """A list of names; in a variable, with commas between them."""
    names = setting.value.split(",") if isinstance(setting.value, str) else setting.value
    if not isinstance(names, (list, tuple)) or not all(isinstance(name, str) for name in names):
        raise errors.WrongUse(f"{setting.name} = {setting.value!r} (from {setting.origin}) is not a list of names")
    return tuple(name.strip() for name in names if name.strip())
