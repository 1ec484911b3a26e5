"""``reverie hook``: the same as the light entry that `reverie install` registers, for trying it by hand."""

from __future__ import annotations

import click


@click.command("hook", epilog="Example: reverie hook claude-code < payload.json")
@click.argument("host")
@click.option("--home", metavar="DIR", default="", help="The home, in place of REVERIE_HOME.")
@click.option("--no-background", is_flag=True, help="Start no worker.")
def command(host: str, home: str, no_background: bool) -> None:
    """Answer one event of an agent: its payload on standard input, what the agent takes on standard output.

    Always ends with 0; what went wrong is shown by `reverie status`.
    """
    from reverie.entrypoints import hook

    hook.main([host, *(["--home", home] if home else []), *(["--no-background"] if no_background else [])])
