"""``reverie remember``."""

from __future__ import annotations

import sys

import click

from reverie.core.memory import TYPES
from reverie.entrypoints.cli import common


@click.command("remember", epilog='Example: reverie remember "Run checks with make check" --why "it loads the calendar"')
@common.options
@common.of_agent
@click.option("--type", "kind", type=click.Choice(TYPES), help="What kind of memory (default: read from the text).")
@click.option("--name", default="", help="A short title.")
@click.option("--why", default="", help="The reason.")
@click.option("--how", default="", help="When and how to apply it.")
@click.option("--scope", type=click.Choice(["user", "project", "team", "local"]),
              help="For every project of yours, for this one, for your team; local: an agent's, for this machine.")
@click.option("--shared", is_flag=True, help="With --agent: for the other agents of this project.")
@click.argument("text", nargs=-1)
def command(
    design: str | None, cwd: str | None, as_json: bool, agent: str, kind: str | None, name: str, why: str, how: str,
    scope: str | None, shared: bool, text: tuple[str, ...],
) -> None:
    """Keep TEXT ("-": standard input) as a memory, from your own word; with --agent: as that agent's word."""
    from reverie.memory import as_dict

    said = sys.stdin.read() if text == ("-",) else " ".join(text)
    if not said.strip():
        raise click.UsageError('What should be remembered? For example: reverie remember "deploys happen on Mondays"')
    if not agent and (shared or scope == "local"):
        raise click.UsageError("--shared and --scope local are for sub-agents: say which, with --agent NAME")
    if agent and scope == "team":
        raise click.UsageError("what a team shares is said by a person: leave --agent out")
    if shared and scope:
        raise click.UsageError("--shared is a scope of its own: leave --scope out")
    memory = common.opened(design, cwd)
    found, action = memory.remember(
        said, name=name, type=kind or "", why=why, how_to_apply=how, scope="agents" if shared else scope or "", agent=agent
    )
    if as_json:
        common.say_json(as_dict(found) | {"action": action})
        return
    click.echo(f"{common.coloured(action)} {found.memory.type:9} {common.shown(found.memory.name)}")
    click.echo(common.dim(f"            {found.memory.id}   (take it back: reverie undo)"))
