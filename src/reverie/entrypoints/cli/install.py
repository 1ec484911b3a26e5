"""``reverie install``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from reverie import errors
from reverie.entrypoints.cli import common
from reverie.hosts.installing import PROGRAMS, SCOPES

if TYPE_CHECKING:
    from reverie.entrypoints.installation import Installation, Outcome


@click.command("install", epilog="Example: reverie install claude-code --dry-run")
@click.argument("hosts", nargs=-1, metavar="[HOST]...")
@click.option("--all", "everywhere", is_flag=True, help="Every agent that was ever used here.")
@click.option("--scope", type=click.Choice(SCOPES), default="user", help="For you (default), or in this project alone.")
@click.option("--dry-run", is_flag=True, help="Show what would be written, as a diff; write nothing.")
@click.option("--no-background", is_flag=True, help="Hooks never start a worker; `reverie learn` learns what waits.")
@click.option("--mcp/--no-mcp", "mcp", default=None,
              help="Register the MCP server, too: tools that the model may choose to call (default: as it is).")
@click.option("--force", is_flag=True, help="Also for a product line that is not known.")
@click.option("--json", "as_json", is_flag=True, help="Answer for a program.")
@click.option("--cwd", metavar="DIR", help="The working directory to look from (default: this one).")
def command(
    hosts: tuple[str, ...], everywhere: bool, scope: str, dry_run: bool, no_background: bool, mcp: bool | None, force: bool,
    as_json: bool, cwd: str | None,
) -> None:
    """Connect coding agents: what they are shown at the start and with each prompt, and what is learned after each turn.

    HOST is claude-code, codex, qwen-code, opencode or kimi-code. Existing settings, comments, order and other tools' hooks
    stay as they are; `reverie uninstall` gives the files back to the byte. Doing it again brings things up to date.
    """
    made = installation(cwd, scope, no_background=no_background, mcp=mcp)
    outcomes = [made.install(host, dry_run=dry_run, force=force) for host in chosen(made, hosts, everywhere)]
    finish(outcomes, as_json=as_json, dry_run=dry_run)


def installation(cwd: str | None, scope: str, *, no_background: bool = False, mcp: bool | None = None) -> Installation:
    """The user's home and where they stand."""
    import os

    from reverie import settings
    from reverie.entrypoints.installation import Installation

    memory = common.opened(None, cwd)
    options = ["--home", memory.space.home.root] if os.environ.get("REVERIE_HOME") else []
    options += ["--no-background"] if no_background else []
    place = memory.place
    return Installation(
        memory.space.home.root, environment=memory.environment, user_home=settings.user_home_of(memory.environment),
        now=memory.space.now(), project=(place.root or place.real) if scope == "project" else "", options=options,
        mcp=mcp,
    )


def chosen(made: Installation, hosts: Sequence[str], everywhere: bool) -> list[str]:
    """The agents that were named, or all that are used here. Raises ``WrongUse`` for an unknown name, or for none."""
    unknown = [host for host in hosts if host not in PROGRAMS]
    if unknown:
        raise errors.WrongUse(f"there is no agent {unknown[0]!r}; there are {', '.join(PROGRAMS)}")
    if not hosts and not everywhere:
        raise errors.WrongUse(f"say which agent, or --all. Found here: {', '.join(made.known()) or 'none'}")
    return list(dict.fromkeys(hosts)) or made.known()


def finish(outcomes: list[Outcome], *, as_json: bool, dry_run: bool) -> None:
    """Say what became of each; exit code 1 when one failed."""
    if as_json:
        common.say_json({"dry_run": dry_run, "hosts": [each.as_dict(diffs=dry_run) for each in outcomes]})
    else:
        for each in outcomes:
            _show(each, dry_run=dry_run)
        if not outcomes:
            click.echo("No agent was found here.")
    if any(each.outcome == "failed" for each in outcomes):
        raise SystemExit(1)


def _show(outcome: Outcome, *, dry_run: bool) -> None:
    colours = {"installed": "green", "uninstalled": "green", "failed": "red"}
    word = ("would be " if dry_run and outcome.changes else "") + outcome.outcome.replace("_", " ")
    version = f" {outcome.version}" if outcome.version else ""
    click.echo(f"{outcome.host}{common.dim(version)}  {click.style(word, fg=colours.get(outcome.outcome))}")
    for note in outcome.notes:
        click.echo(common.wrapped(note, indent="  "))
    for change in outcome.changes:
        where = change.file.path if change.file.path == change.file.real else f"{change.file.path} -> {change.file.real}"
        word = "removed" if change.text is None else "new" if change.file.text is None else "changed"
        click.echo(common.dim(f"  {word}  {where}"))
        if dry_run:
            click.echo(common.shown(change.diff()))
