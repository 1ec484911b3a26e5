"""``reverie undo``."""

from __future__ import annotations

from dataclasses import asdict

import click

from reverie.entrypoints.cli import common


@click.command("undo", epilog="Example: reverie undo --run learn-12")
@common.options
@click.option("--change", type=int, metavar="N", help="This change (see `reverie status` and `reverie why`).")
@click.option("--run", metavar="ID", help="A whole run, for example all of a `learn`.")
@click.option("--last", type=click.IntRange(1, 1000), metavar="N", help="The last N changes (default: one).")
@click.option("--force", is_flag=True, help="Also where a file was edited by hand since: the hand edit is lost.")
def command(
    design: str | None, cwd: str | None, as_json: bool, change: int | None, run: str | None, last: int | None, force: bool
) -> None:
    """Take back what was done, byte for byte. An undo is a change itself: undo it to redo."""
    if sum(value is not None for value in (change, run, last)) > 1:
        raise click.UsageError("--change, --run and --last exclude each other.")
    undone = common.opened(design, cwd).undo(change=change, run=run, last=last, force=force)
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
