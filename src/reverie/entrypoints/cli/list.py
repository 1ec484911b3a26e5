"""``reverie list``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reverie.core.memory import TYPES
from reverie.entrypoints.cli import common

if TYPE_CHECKING:
    from reverie.axes.scoping import Mount


@click.command("list", epilog="Example: reverie list --all --type feedback")
@common.options
@common.of_agent
@click.option("--all", "everywhere", is_flag=True, help="Every scope and every project.")
@click.option("--type", "kind", type=click.Choice(TYPES), help="Only this type.")
def command(design: str | None, cwd: str | None, as_json: bool, agent: str, everywhere: bool, kind: str | None) -> None:
    """The memories that a session in this directory can see."""
    from reverie.memory import as_dict

    memory = common.opened(design, cwd)
    found = [each for each in memory.list(everywhere=everywhere, agent=agent) if kind in (None, each.memory.type)]
    if as_json:
        common.say_json([as_dict(each) for each in found])
        return
    heading = None
    for each in found:
        where = _where(each.mount)
        if where != heading:
            common.title(where)
            heading = where
        marks = "" if each.memory.status == "active" else click.style(f" [{each.memory.status}]", fg="red")
        click.echo(f"  {each.memory.type:9} {common.short(each.memory.name, 60)}{marks}")
        click.echo(common.dim(f"            {common.short(each.memory.description, common.width() - 12)}"))
        by = common.wrote(each.memory.source)
        click.echo(common.dim(f"            {each.memory.id}{f'   {by}' if by else ''}"))
    if not found:
        hint = "`reverie learn` looks into your agents' sessions." if everywhere else "`reverie list --all` shows every project."
        click.echo(f"Nothing is remembered here. {hint}")


def _where(mount: Mount) -> str:
    """Whose these are."""
    if mount.agent or mount.scope == "agents":
        whose = f"the agent {mount.agent}" if mount.agent else "shared by agents"
        product = f", as {mount.host} has it" if mount.host else ""
        return f"{whose}{product}, in {mount.root or 'every project'}"
    return mount.root or ("you, in every project" if mount.scope == "user" else mount.label)
