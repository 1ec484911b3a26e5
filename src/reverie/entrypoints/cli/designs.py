"""``reverie designs``."""

from __future__ import annotations

import click

from reverie.entrypoints.cli import common


@click.command("designs", epilog="Example: reverie designs --json")
@click.option("--json", "as_json", is_flag=True, help="Answer for a program.")
def command(as_json: bool) -> None:
    """The memory designs side by side: one choice on each of the five axes. Editions have a product version's real values."""
    from reverie import designs

    rows = {name: designs.describe(designs.named(name)) for name in designs.names()}
    if as_json:
        common.say_json(rows)
        return
    for name, row in rows.items():
        common.title(name)
        for axis, says in row.items():
            click.echo(common.wrapped(f"{axis:20} {says}", indent=" " * 23, first="  "))
