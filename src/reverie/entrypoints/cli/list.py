"""``reverie list``."""

from __future__ import annotations

import click

from reverie.core.memory import TYPES
from reverie.entrypoints.cli import common


@click.command("list", epilog="Example: reverie list --all --type feedback")
@common.options
@click.option("--all", "everywhere", is_flag=True, help="Every scope and every project.")
@click.option("--type", "kind", type=click.Choice(TYPES), help="Only this type.")
def command(design: str | None, cwd: str | None, as_json: bool, everywhere: bool, kind: str | None) -> None:
    """The memories that a session in this directory can see."""
    from reverie.memory import as_dict

    memory = common.opened(design, cwd)
    found = [each for each in memory.list(everywhere=everywhere) if kind in (None, each.memory.type)]
    if as_json:
        common.say_json([as_dict(each) for each in found])
        return
    heading = None
    for each in found:
        where = each.mount.root or ("you, in every project" if each.mount.scope == "user" else each.mount.label)
        if where != heading:
            common.title(where)
            heading = where
        marks = "" if each.memory.status == "active" else click.style(f" [{each.memory.status}]", fg="red")
        click.echo(f"  {each.memory.type:9} {common.short(each.memory.name, 60)}{marks}")
        click.echo(common.dim(f"            {common.short(each.memory.description, common.width() - 12)}"))
        click.echo(common.dim(f"            {each.memory.id}"))
    if not found:
        hint = "`reverie learn` looks into your agents' sessions." if everywhere else "`reverie list --all` shows every project."
        click.echo(f"Nothing is remembered here. {hint}")
