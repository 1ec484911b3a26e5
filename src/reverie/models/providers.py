"""Providers: where each is, which protocol it speaks, which variable holds its key. One row each; the user adds more."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from reverie import errors
from reverie.core.model import Failure, ModelFailed

WIRES = ("anthropic", "openai-responses", "openai-chat", "gemini")
STRUCTURED = ("schema", "tool", "words")    # how an answer's form is asked for: by the API, as a tool's input, in the prompt
KEY_SECONDS = 20.0                          # for a key command: a password manager may ask its owner
LONGEST_KEY = 10_000
NO_KEY = "none"                             # the libraries want one, local servers do not look at it


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """One place where models are asked. ``base_variable``: a variable that moves ``base_url``, as the vendors' own programs read
    it. ``structured`` "": what the model is known to take."""

    name: str
    wire: str
    base_url: str
    key_variables: Sequence[str] = ()
    key_command: Sequence[str] = ()
    base_variable: str = ""
    structured: str = ""
    needs_key: bool = True

    def key(self, environment: Mapping[str, str]) -> str:
        """The key, from the environment or the user's command; asked each time and never kept. Raises ``ModelFailed``."""
        if self.key_command:
            return _said(self.key_command, environment)
        for name in self.key_variables:
            if value := environment.get(name, "").strip():
                if not _is_key(value):
                    raise ModelFailed(Failure.REFUSED, (
                        f"{self.name}: what stands in {name} is no key: it holds a space, a line break or a character beside "
                        "ASCII, or is too long. Set it again"
                    ))
                return value
        if self.needs_key:
            names = " or ".join(self.key_variables) or "no variable"
            raise ModelFailed(
                Failure.REFUSED, f"{self.name} needs a key: {names} is not set. Set it, or name a command that prints the key "
                f"(settings.toml, [providers.{self.name}] key_command)"
            )
        return NO_KEY


def _local(name: str, port: int) -> Provider:
    base = f"http://127.0.0.1:{port}/v1"
    return Provider(name=name, wire="openai-chat", base_url=base, needs_key=False, structured="schema")


KNOWN: Mapping[str, Provider] = {provider.name: provider for provider in (
    Provider(name="anthropic", wire="anthropic", base_url="https://api.anthropic.com", key_variables=("ANTHROPIC_API_KEY",),
             base_variable="ANTHROPIC_BASE_URL"),
    Provider(name="openai", wire="openai-responses", base_url="https://api.openai.com/v1", key_variables=("OPENAI_API_KEY",),
             base_variable="OPENAI_BASE_URL", structured="schema"),
    Provider(name="openai-chat", wire="openai-chat", base_url="https://api.openai.com/v1", key_variables=("OPENAI_API_KEY",),
             base_variable="OPENAI_BASE_URL", structured="schema"),
    Provider(name="gemini", wire="gemini", base_url="https://generativelanguage.googleapis.com",
             key_variables=("GEMINI_API_KEY", "GOOGLE_API_KEY"), structured="schema"),
    Provider(name="dashscope", wire="openai-chat", base_url="https://dashscope.aliyuncs.com/compatible-mode/v1",
             key_variables=("DASHSCOPE_API_KEY",), structured="words"),
    Provider(name="moonshot", wire="openai-chat", base_url="https://api.moonshot.cn/v1", key_variables=("MOONSHOT_API_KEY",),
             structured="words"),
    _local("ollama", 11434),
    _local("llamacpp", 8080),
    _local("vllm", 8000),
)}

_FIELDS = ("wire", "base_url", "key_variable", "key_command", "structured")


def known(table: Mapping[str, Any]) -> dict[str, Provider]:
    """All providers: those above, and the user's own, which may also change one of them. Raises ``WrongUse``."""
    return {**KNOWN, **{name: _own(name, row) for name, row in table.items()}}


def _own(name: str, row: Any) -> Provider:
    where = f"settings.toml, [providers.{name}]"
    if not isinstance(row, dict):
        raise errors.WrongUse(f"{where} must be a table")
    if unknown := sorted(set(row) - set(_FIELDS)):
        raise errors.WrongUse(f"{where}: unknown {unknown[0]!r}; known are {', '.join(_FIELDS)}")
    base = KNOWN.get(name) or Provider(name=name, wire="openai-chat", base_url="", needs_key=False, structured="schema")
    made = replace(
        base, wire=_one_of(where, "wire", row.get("wire", base.wire), WIRES),
        structured=_one_of(where, "structured", row.get("structured", base.structured), ("", *STRUCTURED)),
        base_url=_text(where, "base_url", row.get("base_url", base.base_url)),
        base_variable="" if "base_url" in row else base.base_variable,
    )
    if name == "agent" or ":" in name or not name.strip():
        raise errors.WrongUse(f"{where}: a provider cannot have this name")
    if not is_address(made.base_url):
        raise errors.WrongUse(f"{where} needs base_url, an address that begins with http:// or https://")
    if "key_variable" in row:
        made = replace(made, key_variables=(_text(where, "key_variable", row["key_variable"]),), needs_key=True)
    if "key_command" in row:
        command = row["key_command"]
        if not isinstance(command, list) or not command or not all(isinstance(part, str) for part in command):
            raise errors.WrongUse(f'{where}: key_command is a list of texts: ["pass", "show", "my-key"]')
        made = replace(made, key_command=tuple(command))
    return made


def is_address(url: str) -> bool:
    """Whether this is where a server can be: http or https, a host, a port if any."""
    try:
        parts = urlsplit(url)
        is_written_well = url.isprintable() and " " not in url and parts.scheme in ("http", "https")
        return is_written_well and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _is_key(value: str) -> bool:
    return len(value) <= LONGEST_KEY and value.isascii() and value.isprintable() and " " not in value


def _text(where: str, name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise errors.WrongUse(f"{where}: {name} = {value!r} is no text")
    return value


def _one_of(where: str, name: str, value: Any, choices: Sequence[str]) -> str:
    if value not in choices:
        raise errors.WrongUse(f"{where}: {name} = {value!r} must be one of {', '.join(filter(None, choices))}")
    return str(value)


def _said(command: Sequence[str], environment: Mapping[str, str]) -> str:
    """What a key command prints. Its words on standard error may hold anything and are not passed on."""
    failed = ModelFailed(Failure.REFUSED, f"the key command {command[0]!r} did not give a key: run it by hand to see why")
    try:
        done = subprocess.run(list(command), env=dict(environment), capture_output=True, timeout=KEY_SECONDS, check=False)
    except (OSError, subprocess.SubprocessError, ValueError):
        raise failed from None
    key = done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else ""
    if not key or not _is_key(key):
        raise failed
    return key
