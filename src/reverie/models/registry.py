"""Language models by name: "provider:model" becomes something that answers.

Nothing here is imported unless a model was chosen, and no client library before the first question.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib import resources
from importlib.util import find_spec
from typing import Any

from reverie import errors
from reverie.core.cost import Price
from reverie.core.model import Model
from reverie.models import providers

Tables = Mapping[str, Mapping[str, Any]]        # [prices], [windows] and [providers] of the user's settings

AGENT = "agent"
DEAREST = 1_000_000             # for a million tokens; above it the sums of a database would overflow
_FIELDS = ("input", "output", "cached", "written")


def named(name: str, tables: Tables, environment: Mapping[str, str], min_remaining_percent: int = 25) -> Model:
    """The model with this name. Raises ``WrongUse`` for one that is not known, with the list of what is."""
    maker, _, model = name.strip().partition(":")
    known = providers.known(tables.get("providers", {}))
    if maker == AGENT:
        return _agent(name.strip(), model, tables, environment)
    if maker not in known or not model:
        raise errors.WrongUse(
            f"unknown model {name!r}: say provider:model, with one of {', '.join(known)} as the provider; or agent:claude-code, "
            "agent:codex, agent:qwen-code for an agent of your own"
        )
    if find_spec("pydantic_ai") is None:
        raise errors.WrongUse(
            f"{name} needs the client libraries of providers: pip install 'reverie-agents[llm]', or "
            f"pipx inject reverie-agents 'reverie-agents[llm]'"
        )
    provider = known[maker]
    from reverie.models.client import ProviderModel

    moved = environment.get(provider.base_variable, "").strip() if provider.base_variable else ""
    if moved and not providers.is_address(moved):
        raise errors.WrongUse(f"{provider.base_variable} is no address that begins with http:// or https://")
    return ProviderModel(
        name=f"{maker}:{model}", window=window(name, tables), provider=provider, base_url=moved or provider.base_url,
        environment=environment, min_remaining_percent=min_remaining_percent,
    )


def _agent(name: str, rest: str, tables: Tables, environment: Mapping[str, str]) -> Model:
    """"agent:codex", or "agent:codex:some-model"."""
    from reverie.models import own_agent

    which, _, model = rest.partition(":")
    if which not in own_agent.AGENTS:
        raise errors.WrongUse(f"unknown agent in {name!r}; known are {', '.join(f'agent:{each}' for each in own_agent.AGENTS)}")
    return own_agent.OwnAgent(
        agent=own_agent.AGENTS[which], model=model, window=window(name, tables), environment=environment,
    )


def window(name: str, tables: Tables) -> int:
    """The context window of a model in tokens, 0 when it is not known. Raises ``WrongUse`` for one that cannot be."""
    size = tables.get("windows", {}).get(name, known()["windows"].get(name, 0))
    if isinstance(size, bool) or not isinstance(size, int) or not 0 <= size < 10**9:
        raise errors.WrongUse(f"[windows] {name!r} = {size!r} is no number of tokens")
    return size


def price(name: str, tables: Tables) -> Price | None:
    """What a model costs: the user's word, else the table's, else None. "provider:*" holds for all of a provider."""
    provider = name.partition(":")[0]
    for key, row in tables.get("prices", {}).items():
        if not isinstance(row, dict):           # a currency, a price without a model
            raise errors.WrongUse(
                f"[prices] {key} = {row!r} is no price: say [prices.\"provider:model\"] with input and output, in {currency()}"
            )
    for table in (tables.get("prices", {}), known()["prices"]):
        for key in (name, f"{provider}:*"):
            if key in table:
                return _price(key, table[key])
    return None


def currency() -> str:
    """What the prices are in. The user's own must be in the same: sums over two currencies are none."""
    return str(known()["currency"])


def as_of() -> str:
    """The day of the table of prices."""
    return str(known()["as_of"])


def known() -> dict[str, Any]:
    """The table of prices and windows that Reverie comes with."""
    return tomllib.loads(resources.files(__package__ or "").joinpath("prices.toml").read_text(encoding="utf-8"))


def _price(key: str, row: Any) -> Price:
    values: dict[str, Any] = {name: row.get(name) for name in _FIELDS} if isinstance(row, dict) else {}
    unknown = sorted(set(row) - set(_FIELDS)) if isinstance(row, dict) else []
    if not values or unknown or None in (values["input"], values["output"]):
        raise errors.WrongUse(f"[prices.{key!r}] needs input and output, and may have cached and written: for a million tokens")
    for name, value in values.items():
        if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= DEAREST):
            raise errors.WrongUse(f"[prices.{key!r}] {name} = {value!r} is no price: for a million tokens, up to {DEAREST:,}")
    return Price(**values)
