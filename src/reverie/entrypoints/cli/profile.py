"""``reverie profile``."""

from __future__ import annotations

import click

from reverie.entrypoints.cli import common


@click.command("profile", epilog="Example: reverie profile --tokens 200")
@common.options
@click.option("--tokens", type=click.IntRange(50, 20_000), metavar="N", help="At most so long (default: 400).")
def command(design: str | None, cwd: str | None, as_json: bool, tokens: int | None) -> None:
    """Who you are, as memory has it, for any project: role, languages, how you like to work, standing preferences.

    Each line ends with the name of its memory: `reverie why NAME` tells where it comes from. Nothing of any project is in it.
    """
    from reverie.core import profile

    found = common.opened(design, cwd).profile(tokens=tokens or profile.TOKENS)
    if as_json:
        common.say_json({
            "lines": [
                {"section": line.section, "says": line.says, "id": line.memory.id, "type": line.memory.type,
                 "by": str(line.memory.source.by), "host": line.memory.source.host, "said_at": line.memory.source.said_at}
                for line in found.lines
            ],
            "left_out": dict(found.left_out),
        })
        return
    click.echo(common.shown(found.text) or "Nothing is remembered of you yet: `reverie remember --scope user` keeps something.")
