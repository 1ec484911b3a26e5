"""Language models by name: "provider:model" becomes something that answers.

Nothing here is imported unless a model was chosen, and no client library before the first question.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from importlib import resources
from typing import Any

from reverie import errors
from reverie.core.cost import Price
from reverie.core.model import Model

Tables = Mapping[str, Mapping[str, Any]]        # [prices], [windows] and [providers] of the user's settings

_FIELDS = ("input", "output", "cached", "written")


def named(name: str, tables: Tables, environment: Mapping[str, str], min_remaining_percent: int = 25) -> Model:
    """The model with this name. Raises ``WrongUse`` for one that is not known, with the list of what is."""
    raise errors.WrongUse(f"unknown model {name!r}")


def price(name: str, tables: Tables) -> Price | None:
    """What a model costs: the user's word, else the table's, else None. "provider:*" holds for all of a provider."""
    provider = name.partition(":")[0]
    for table in (tables.get("prices", {}), known()["prices"]):
        for key in (name, f"{provider}:*"):
            if key in table:
                return _price(key, table[key])
    return None


def currency() -> str:
    """What the prices are in. The user's own must be in the same: sums over two currencies are none."""
    return str(known()["currency"])


def known() -> dict[str, Any]:
    """The table of prices and windows that Reverie comes with."""
    return tomllib.loads(resources.files(__package__ or "").joinpath("prices.toml").read_text(encoding="utf-8"))


def _price(key: str, row: Any) -> Price:
    values: dict[str, Any] = {name: row.get(name) for name in _FIELDS} if isinstance(row, dict) else {}
    unknown = sorted(set(row) - set(_FIELDS)) if isinstance(row, dict) else []
    if not values or unknown or None in (values["input"], values["output"]):
        raise errors.WrongUse(f"[prices.{key!r}] needs input and output, and may have cached and written: for a million tokens")
    for name, value in values.items():
        if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf):
            raise errors.WrongUse(f"[prices.{key!r}] {name} = {value!r} is no price")
    return Price(**values)
