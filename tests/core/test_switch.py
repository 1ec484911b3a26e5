"""The one switch: who forbids which calls."""

from __future__ import annotations

import pytest

from reverie.core.switch import Switch, inside, switch

NO = "REVERIE_NO_MODEL_CALLS"
STUDY = "DISABLE_NON_ESSENTIAL_MODEL_CALLS"
PRODUCT = "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"
FILE = "settings.toml"

# environment, the setting and its origin -> what forbids a call that was asked for, and one in the background
TABLE = [
    ({}, "on", "default", "", ""),
    ({}, "on", FILE, "", ""),
    ({}, "asked", FILE, "", "models.background = 'asked' (settings.toml)"),
    ({}, "off", FILE, *["models.background = 'off' (settings.toml)"] * 2),
    ({NO: "1"}, "on", "default", NO, NO),
    ({NO: "1"}, "on", FILE, NO, NO),
    ({NO: "yes please"}, "on", FILE, NO, NO),
    ({NO: "0"}, "on", "default", "", ""),
    ({NO: ""}, "on", "default", "", ""),
    ({NO: " False "}, "on", "default", "", ""),
    ({NO: "1"}, "off", FILE, NO, NO),
    ({"REVERIE_INSIDE": "1"}, "on", FILE, "REVERIE_INSIDE", "REVERIE_INSIDE"),
    ({STUDY: "1"}, "on", "default", "", STUDY),
    ({STUDY: "1"}, "on", FILE, "", STUDY),
    ({STUDY: "0"}, "on", "default", "", ""),
    ({PRODUCT: "1"}, "on", "default", "", PRODUCT),
    ({PRODUCT: "true"}, "on", FILE, "", PRODUCT),
    ({PRODUCT: "1", STUDY: "1"}, "on", "default", "", STUDY),
    ({"DISABLE_TELEMETRY": "1"}, "on", "default", "", "DISABLE_TELEMETRY"),
    ({"DO_NOT_TRACK": "1"}, "on", "default", "", "DO_NOT_TRACK"),
    ({"DO_NOT_TRACK": "0"}, "on", "default", "", ""),
    ({"DISABLE_TELEMETRY": "1", "DO_NOT_TRACK": "1"}, "on", FILE, "", ""),      # the more exact word goes before
    ({"DO_NOT_TRACK": "1", PRODUCT: "1"}, "on", FILE, "", PRODUCT),
]  # fmt: skip


@pytest.mark.parametrize(("environment", "chosen", "origin", "asked", "background"), TABLE)
def test_the_truth_table(environment: dict[str, str], chosen: str, origin: str, asked: str, background: str) -> None:
    found = switch(environment, chosen=chosen, origin=origin)
    assert (found.forbids(background=False), found.forbids(background=True)) == (asked, background)


def test_what_forbids_every_call_forbids_those_in_the_background() -> None:
    assert Switch("all of them").forbids(background=True) == "all of them"


def test_an_agent_that_we_run_knows_it() -> None:
    assert inside({"REVERIE_INSIDE": "1"}) and not inside({})
