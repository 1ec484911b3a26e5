"""``reverie agents``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reverie.core.agents import FILE_TOOLS
from reverie.entrypoints.cli import common

if TYPE_CHECKING:
    from reverie.wiring.subagents import Row

_SAYS = {
    "not_defined": "has a memory, but nothing defines it here",
    "defined_twice": "is defined more than once; the strongest definition counts",
    "same_folder": "has a name that the product keeps in one folder with another agent's",
    "unknown_memory": "asks for a memory that is none of user, project, local: the product ignores it silently",
    "no_description": "has no description, so it is never chosen by itself",
    "project_asks_for_all": "is defined by the project, and asks for a memory that goes with it into every other one",
    "bad_tools": "lists tools in a way that is not understood",
    "memory_off": "declares a memory, but the product's memory is switched off",
    "memory_is_read_only": "may neither Write nor Edit: its files are read-only; `reverie remember --agent` works",
    "read_disallowed": "may not Read: its files are closed to it; `reverie recall --agent` works",
    **{f"allow_list_without_{tool}": f"has a list of tools without {tool}: it must be given it" for tool in FILE_TOOLS},
}


@click.group("agents", invoke_without_command=True, epilog="Example: reverie agents share reviewer")
@common.options
@click.pass_context
def command(ctx: click.Context, design: str | None, cwd: str | None, as_json: bool) -> None:
    """The sub-agents that are defined here or have a memory: where, which memory, which tools, who shares, what is wrong."""
    ctx.obj = (design, cwd, as_json)
    if ctx.invoked_subcommand is not None:
        return
    agents = common.opened(design, cwd).subagents
    rows = agents.rows()
    if as_json:
        passed = [{"path": each.path, "reason": each.reason} for each in agents.defined.passed]
        common.say_json({"agents": [row.as_dict() for row in rows], "passed_over": passed})
        return
    for row in rows:
        _show(row)
    if not rows:
        click.echo("No sub-agent is defined here, and none has a memory. `reverie remember --agent NAME …` gives it one.")
    for each in agents.defined.passed:
        click.echo(click.style(f"look      {common.shown(each.path)}: {each.reason}", fg="yellow"))


@command.command("share", epilog="Example: reverie agents share reviewer")
@click.argument("name")
@click.pass_context
def share(ctx: click.Context, name: str) -> None:
    """Let the agent NAME read and write what the agents of a project share, beside its own memory."""
    _switch(ctx, name, on=True)


@command.command("unshare", epilog="Example: reverie agents unshare reviewer")
@click.argument("name")
@click.pass_context
def unshare(ctx: click.Context, name: str) -> None:
    """The agent NAME sees nothing of what agents share any more. What it wrote there stays."""
    _switch(ctx, name, on=False)


def _switch(ctx: click.Context, name: str, *, on: bool) -> None:
    design, cwd, as_json = ctx.obj
    change = common.opened(design, cwd).subagents.share(name, on=on)
    if as_json:
        common.say_json({"agent": name, "shared": on, "change": change})
    elif change:
        done = "shares" if on else "shares no longer"
        click.echo(f"{common.shown(name)} {done}. Take it back with: reverie undo --change {change}")
    else:
        click.echo(f"{common.shown(name)} {'shares' if on else 'does not share'} already: nothing was changed.")


def _show(row: Row) -> None:
    """One agent for a person."""
    shared = "  shares" if row.shared else ""
    memory = row.memory or "none declared"
    click.echo(click.style(common.short(row.name, 60), bold=True) + f"  memory: {memory}, {row.memories} kept{shared}")
    if row.definition:
        click.echo(common.dim(f"  defined   {row.definition.origin}  {row.definition.path}"))
        click.echo(common.dim(f"  tools     {_tools(row)}"))
    click.echo(common.dim(f"  kept in   {row.directory or 'nowhere: this design has no place for agents'}"))
    if row.native:
        click.echo(common.dim(f"  also read {row.native}"))
    for problem in row.problems:
        click.echo(click.style(f"  look      {_SAYS.get(problem, problem)}", fg="yellow"))


def _tools(row: Row) -> str:
    definition, grant = row.definition, row.grant
    if definition is None or grant is None:
        return ""
    declared = ", ".join(definition.tools) if definition.tools is not None else "all"
    less = f" but {', '.join(definition.disallowed)}" if definition.disallowed else ""
    more = f"; with its memory also {', '.join(grant.added)}" if grant.added else ""
    return common.short(f"{declared}{less}{more}", common.width() - 12)
