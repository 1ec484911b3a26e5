"""``reverie forget``."""

from __future__ import annotations

import sys

import click

from reverie.entrypoints.cli import common


@click.command("forget", epilog='Example: reverie forget "release day"')
@common.options
@common.of_agent
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@click.option("--all", "everywhere", is_flag=True, help="Look in every project, not only in this one.")
@click.argument("query", nargs=-1, required=True)
def command(
    design: str | None, cwd: str | None, as_json: bool, agent: str, yes: bool, everywhere: bool, query: tuple[str, ...]
) -> None:
    """Take out the memory with this id, or those that hold all the words of QUERY: shown first, then confirmed.

    They go to the trash, are not learned again from old sessions, and come back with `reverie undo`.
    """
    from reverie import errors
    from reverie.memory import as_dict

    memory = common.opened(design, cwd)
    found = memory.find(" ".join(query), everywhere=everywhere, agent=agent)
    if not found:
        raise errors.NotFound(f"no memory here fits {' '.join(query)!r}; `reverie list` shows them, `--all` looks everywhere")
    if not as_json:
        for each in found:
            click.echo(f"  {each.memory.type:9} {common.short(each.memory.name, 60)}  {common.dim(each.memory.id)}")
            click.echo(common.dim(f"            {common.short(each.memory.body, common.width() - 12)}"))
    if not yes:
        if not sys.stdin.isatty():
            raise errors.WrongUse("nothing was forgotten: there is no terminal to ask on; say --yes to forget these")
        click.confirm(f"Forget {'this one' if len(found) == 1 else f'these {len(found)}'}?", abort=True)
    change = memory.forget(found)
    if as_json:
        common.say_json({"change": change, "forgotten": [as_dict(each) for each in found]})
    else:
        click.echo(f"Forgotten: {len(found)}. Take it back with: reverie undo --change {change}")
