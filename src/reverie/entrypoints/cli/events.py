"""``reverie events``."""

from __future__ import annotations

import json
import os
import select
import stat
import sys
import time
from typing import TYPE_CHECKING

import click

from reverie.core import telemetry
from reverie.core.events import KINDS
from reverie.entrypoints.cli import common

if TYPE_CHECKING:
    from reverie.core.events import Event


@click.command("events", epilog="Example: reverie events --follow --kind change --kind refused --json")
@common.options
@click.option("--follow", "-f", is_flag=True, help="Go on: tell what any session or command does, as it happens; Ctrl-C ends it.")
@click.option("--after", metavar="ID", default="", help="Only what came after this event; its id is the first word of a line.")
@click.option("--since", metavar="DATE", help="Only what happened since then: 2026-11-01, or 7d for the last seven days.")
@click.option("--kind", "kinds", multiple=True, metavar="KIND", help=f"Only these; repeatable: {', '.join(KINDS)}.")
@click.option("--export", "exports", is_flag=True,
              help="Send what the stages did since the last export to the collector of OTEL_EXPORTER_OTLP_ENDPOINT.")
def command(
    design: str | None, cwd: str | None, as_json: bool, follow: bool, after: str, since: str | None, kinds: tuple[str, ...],
    exports: bool,
) -> None:
    """What happened, across all sessions, agents and processes: one line an event, in one order, oldest first.

    Ids only grow, whatever the clock does; `--after` goes on where you stopped. With --json each line is a JSON object.
    """
    memory = common.opened(design, cwd)
    if exports:
        from reverie.entrypoints import otel

        click.echo(f"Exported: {otel.export(memory)} events.")
        return
    try:
        for event in memory.events(after=after, since=since, kinds=kinds, follow=follow, wait=_wait):
            click.echo(json.dumps(event.as_dict(), ensure_ascii=False) if as_json else _line(event))
    except KeyboardInterrupt:
        if not follow:
            raise


def _wait(seconds: float) -> None:
    """Sleep, and notice when whoever reads our lines is gone: nothing may ever be printed again that would tell."""
    time.sleep(seconds)
    if _reader_is_gone():
        raise BrokenPipeError


def _reader_is_gone() -> bool:
    try:
        out = sys.stdout.fileno()
        if not hasattr(select, "poll") or not stat.S_ISFIFO(os.fstat(out).st_mode):
            return False
        poll = select.poll()
        poll.register(out, 0)
        return any(state & (select.POLLERR | select.POLLHUP) for _, state in poll.poll(0))
    except (OSError, ValueError):       # no file at all, as under a test
        return False


def _line(event: Event) -> str:
    facts = event.facts
    words = [f"{name} {facts[name]}" for name in ("operation", "run", "outcome", "reason", "how", "flow") if facts.get(name)]
    words += [str(facts[name]) for name in ("memory", "model", "design") if facts.get(name)]
    if event.kind in telemetry.KINDS:
        words += [f"{name} {value}" for name, value in facts.items() if name != "design" and value not in ("", [])]
    memories = facts.get("memories")
    if isinstance(memories, list):
        words += [f"{each['action']} {each['name'] or each['memory']}" for each in memories]
    if facts.get("host") or facts.get("session"):
        words.append(f"({facts.get('host', '')} {str(facts.get('session', ''))[:18]})".replace("( ", "("))
    words += [f"“{facts['quote']}”"] if facts.get("quote") else []
    return common.shown(f"{event.id:13} {event.at:%Y-%m-%d %H:%M:%S} {event.kind:15} " + " ".join(", ".join(words).split()))
