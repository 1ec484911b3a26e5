"""``reverie index``."""

from __future__ import annotations

import click

from reverie.entrypoints.cli import common


@click.command("index", epilog="Example: reverie index --design codex")
@common.options
@common.of_agent
@click.option("--session", default="", metavar="ID", help="The block of this session (agent's run): rendered once, then frozen.")
def command(design: str | None, cwd: str | None, as_json: bool, agent: str, session: str) -> None:
    """What a session in this directory would start with: the block that is put before the model, byte for byte."""
    memory = common.opened(design, cwd)
    text = memory.session_block(session, agent=agent)
    if as_json:
        common.say_json({"design": memory.space.design.name, "project": memory.place.main_root or memory.place.real, "text": text,
                         "characters": len(text), "bytes": len(text.encode())})
    elif text:
        click.echo(text, nl=not text.endswith("\n"))
        if not session and not agent and not memory.remembered_block():
            common.note("Nothing is remembered for this project yet: the block only says how to keep a first memory.")
    else:
        who = f"the agent {agent}" if agent else "this project"
        common.note(f"Nothing is remembered for {who} yet: a session would start with no block.")
