"""Which language model answers for a flow, within which caps, and whether it may be asked at all."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from reverie import errors
from reverie.wiring import sessions
from reverie.wiring.setup import Setup

if TYPE_CHECKING:
    from reverie.core.cost import Caps
    from reverie.core.model import Model
    from reverie.core.switch import Switch
    from reverie.flows.metering import Metered


class Models:
    """The models of one memory. Nothing is imported or called before one is asked for."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._models: dict[str, Model] = {}     # by name: a model remembers what its provider said of limits

    def named(self, flow: str, *, name: str = "", run: str = "", most_tokens: int = 0) -> Metered | None:
        """The language model for a flow ("extract", "consolidate", "dream", "recall"), None when none was chosen: the default.

        Every call through it is in the ledger, within the caps, and refused where the switch forbids it (``forbidden`` says by
        what). ``name``: this one, whatever the settings say. ``run`` with ``most_tokens``: the cap of one run (0: the setting).
        Raises ``WrongUse`` for a model that is not known.
        """
        chosen = name or self._chosen_model(flow)
        if self._setup.model is None and not chosen:
            return None
        from reverie.flows.metering import Metered
        from reverie.models import registry

        model = self._setup.model
        if model is None or name:
            if chosen not in self._models:
                values = self._setup.settings
                self._models[chosen] = registry.named(
                    chosen, values.tables, self._setup.environment, values["models.min_remaining_percent"]
                )
            model = self._models[chosen]
        return Metered(
            model=model, ledger=self._setup.space.home.ledger, caps=self._caps(most_tokens),
            run=run or f"{flow}-{uuid.uuid4().hex}",        # without a run of its own no cap of a run would hold
            price=registry.price(model.name, self._setup.settings.tables), currency=registry.currency(),
            forbidden=self.switch.forbids(background=self._setup.background),
        )

    def cost(self, *, since: str | None = None, by: str = "model") -> dict[str, Any]:
        """What models were asked and what it cost, since a day or for a span back (default: this month, UTC), a line for each
        model, flow or day; what is left of the caps; what needs a look."""
        from reverie.flows import costing
        from reverie.models import registry

        if by not in costing.BY:
            raise errors.WrongUse(f"--by {by!r} must be one of {', '.join(costing.BY)}")
        now = self._setup.space.now()
        return {"calls": self.allowed(), "prices_as_of": registry.as_of(), **costing.report(
            self._setup.space.home.ledger, since=sessions.since(since, now) if since else None, now=now, by=by,
            caps=self._caps(0), currency=registry.currency(),
        )}

    def allowed(self) -> str:
        """Whether models may be called, in one line: which were chosen, what forbids them, what the caps leave."""
        named = {flow: self._chosen_model(flow) for flow in ("extract", "consolidate", "dream", "recall")}
        chosen = [self._setup.model.name] if self._setup.model else sorted({name for name in named.values() if name})
        switch = self.switch
        if switch.every:
            return f"forbidden by {switch.every}"
        if not chosen:
            return "none chosen"
        from reverie.flows import costing
        from reverie.models import registry

        ledger = self._setup.space.home.ledger
        background = f", in the background forbidden by {switch.background}" if switch.background else ""
        caps = costing.cap_words(self._caps(0), ledger.today(), ledger.this_month(), registry.currency())
        return f"{', '.join(chosen)} allowed{background}; {caps}"

    @property
    def switch(self) -> Switch:
        """What forbids calls of models, and which."""
        from reverie.core import switch

        setting = self._setup.settings.values["models.background"]
        if setting.value not in switch.CHOICES:
            raise errors.WrongUse(
                f"models.background = {setting.value!r} (from {setting.origin}) must be one of {', '.join(switch.CHOICES)}"
            )
        return switch.switch(self._setup.environment, chosen=setting.value, origin=setting.origin)

    def _chosen_model(self, flow: str) -> str:
        known = self._setup.settings.values
        own = known[f"models.{flow}"].value.strip() if f"models.{flow}" in known else ""
        chosen = str(own or known["models.default"].value.strip())
        return "" if chosen in ("none", "rules") else chosen

    def _caps(self, most_tokens: int) -> Caps:
        from reverie.core.cost import MILLION, Caps

        values = self._setup.settings
        def money(name: str) -> int:
            amount = float(values[name])
            return max(1, int(amount * MILLION)) if amount else 0       # one that is too small to be counted is not none

        return Caps(
            tokens_per_day=values["models.tokens_per_day"], tokens_per_month=values["models.tokens_per_month"],
            tokens_per_run=most_tokens or values["models.tokens_per_run"],
            money_per_day=money("models.money_per_day"),
            money_per_month=money("models.money_per_month"),
        )
