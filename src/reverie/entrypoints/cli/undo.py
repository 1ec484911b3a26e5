"""``reverie undo``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from reverie.entrypoints.cli import common

if TYPE_CHECKING:
    from reverie.core.events import ChangeRecord


@click.command("undo", epilog="Example: reverie undo --run learn-12")
@common.options
@click.option("--list", "listed", is_flag=True, help="Show the last changes, newest first; take nothing back.")
@click.option("--change", type=int, metavar="N", help="This change (see `--list` and `reverie why`).")
@click.option("--run", metavar="ID", help="A whole run, for example all of a `learn`.")
@click.option("--last", type=click.IntRange(1, 1000), metavar="N", help="The last N changes (default: one).")
@click.option("--force", is_flag=True, help="Also where a file was edited by hand since: the hand edit is lost.")
def command(
    design: str | None, cwd: str | None, as_json: bool, listed: bool, change: int | None, run: str | None, last: int | None,
    force: bool,
) -> None:
    """Take back what was done, byte for byte. An undo is a change itself: undo it to redo."""
    if sum(value is not None for value in (change, run, last)) > 1:
        raise click.UsageError("--change, --run and --last exclude each other.")
    memory = common.opened(design, cwd)
    if listed:
        _show(memory.changes(last or 20), as_json=as_json)
        return
    undone = memory.undo(change=change, run=run, last=last, force=force)
    if as_json:
        common.say_json(asdict(undone))
        return
    if not undone.undid and not undone.conflicts:
        click.echo("There is nothing to undo.")
    if undone.undid:
        click.echo(f"Taken back: change {', '.join(map(str, undone.undid))}; {len(undone.restored)} files as they were.")
        click.echo(common.dim(f"  redo with: reverie undo --change {undone.change}"))
    for conflict in undone.conflicts:
        click.echo(f"  left as it is: {conflict.path} ({conflict.reason}) {conflict.detail}", err=True)
    if undone.conflicts:
        raise SystemExit(1)


def _show(changes: Sequence[ChangeRecord], *, as_json: bool) -> None:
    if as_json:
        common.say_json([
            {"change": each.id, "at": each.at.isoformat(timespec="seconds"), "operation": each.cause.operation, "run": each.run,
             "status": each.status, "touched": [{"memory": t.memory, "action": t.action, "name": t.name} for t in each.touched]}
            for each in changes
        ])
        return
    for each in changes:
        names = ", ".join(touched.name for touched in each.touched if touched.name) or each.cause.why
        undone = " (undone)" if each.status == "undone" else ""
        head = f"{each.id:5}  {each.at:%Y-%m-%d %H:%M}  {each.cause.operation:10} {each.run:9} "
        click.echo(head + common.dim(common.short(names, common.width() - len(head) - len(undone)) + undone))
    if not changes:
        click.echo("Nothing has been changed yet.")
