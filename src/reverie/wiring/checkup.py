"""The folders that a checkup looks at, and that are mended on request: our own, and the products'."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from reverie import errors
from reverie.wiring.setup import Setup

if TYPE_CHECKING:
    from reverie.core.checkup import Checked, Native
    from reverie.flows.mending import Mended
    from reverie.layouts.claude_code import ClaudeCode


def checkup(setup: Setup, *, host: str = "all", everywhere: bool = False) -> Sequence[Checked]:
    """What is wrong, folder by folder: the home and the stores ("own"), and a product's memory folder ("claude-code").

    Looks and writes nothing. ``everywhere``: of all projects, not only of the one seen from here.
    """
    from reverie.flows import checking

    natives = _natives(setup, host, everywhere=everywhere)
    found = [checking.native(setup.space, _product_layout(), native) for native in natives]
    if host in ("own", "all"):
        mounts = checking.mounts(setup.space, setup.place, everywhere=everywhere)
        found += [*(checking.own(setup.space, mount) for mount in mounts), checking.home(setup.space)]
    return found


def mend(setup: Setup, *, host: str = "all", everywhere: bool = False, dry_run: bool = False) -> Sequence[Mended]:
    """Mend what can be mended by rule, one change of the journal for each mend; ``dry_run`` only says how.

    Writes into a product's folder, too. Raises ``StoreUnavailable`` while somebody dreams there.
    """
    from reverie.flows import checking, mending

    run = "" if dry_run else setup.space.home.journal.start_run("doctor")
    done: list[Mended] = []
    outcome = "stopped"
    try:
        for native in _natives(setup, host, everywhere=everywhere):
            done += mending.native(setup.space, _product_layout(), native, run=run)
        if host in ("own", "all"):
            for mount in checking.mounts(setup.space, setup.place, everywhere=everywhere):
                done += mending.own(setup.space, mount, run=run)
            done += mending.home(setup.space, run=run)
        outcome = "succeeded" if done else "succeeded_no_output"
    finally:
        if run:
            setup.space.home.journal.end_run(run, outcome, Counter({"mended": len(done)}))
    return [replace(each, run=run) for each in done]


def _natives(setup: Setup, host: str, *, everywhere: bool) -> Sequence[Native]:
    from reverie.hosts import claude_native

    if host not in ("all", "own", claude_native.HOST):
        raise errors.WrongUse(f"unknown host {host!r}; a checkup knows all, own, {claude_native.HOST}")
    if host == "own":
        return ()
    user_home = setup.user_home
    if everywhere:
        return claude_native.every(setup.place, environment=setup.environment, user_home=user_home)
    return (claude_native.here(setup.place, environment=setup.environment, user_home=user_home),)


def _product_layout() -> ClaudeCode:
    """How Claude Code itself writes its folder."""
    from reverie.layouts.claude_code import ClaudeCode

    return ClaudeCode(edition="2.1", own_index=False)
