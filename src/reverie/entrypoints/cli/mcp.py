"""``reverie mcp``."""

from __future__ import annotations

import sys

import click


@click.command("mcp", epilog="Example: reverie mcp --read-only   (an agent starts it: claude mcp add reverie -- reverie mcp)")
@click.option("--read-only", is_flag=True, help="Offer no tool that changes anything (as mcp.writes = \"off\" in the settings).")
@click.option("--home", metavar="DIR", default="", help="Where everything is kept (default: REVERIE_HOME, else ~/.reverie).")
@click.option("--cwd", metavar="DIR", default="", help="The directory whose project is meant (default: the client's).")
def command(read_only: bool, home: str, cwd: str) -> None:
    """Serve the memory of this directory's project to an agent, over MCP on standard input and output.

    Agents start this by themselves once it is registered: `reverie install HOST --mcp` does it. It ends with its client.
    """
    from reverie.entrypoints.mcp.server import serve

    if sys.stdin.isatty():
        said = "Speaking MCP on this terminal. Agents start this by themselves: `reverie install HOST --mcp`. Ctrl-D ends."
        click.echo(said, err=True)
    serve(home=home, cwd=cwd, read_only=read_only)
