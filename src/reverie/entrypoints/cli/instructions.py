"""``reverie instructions``."""

from __future__ import annotations

import click

from reverie.entrypoints.cli import common


@click.command("instructions", epilog="Example: reverie instructions --cwd services/api")
@click.option("--cwd", metavar="DIR", help="The working directory to look from (default: this one).")
@click.option("--json", "as_json", is_flag=True, help="Answer for a program.")
def command(cwd: str | None, as_json: bool) -> None:
    """What people wrote down for agents here (AGENTS.md): which files count, in which order, and what is left out of them.

    One file a directory, from the git root down: AGENTS.override.md before AGENTS.md before the fallback names of Codex's
    config.toml; 32 KiB together. This is what Codex is told; memories stand beside it.
    """
    from reverie.core import instructions

    memory = common.opened(None, cwd)
    found = memory.instructions()
    told = found.instructions
    if as_json:
        documents = [*([told.user] if told.user else []), *told.project]
        common.say_json({
            "files": [{"path": each.path, "bytes": each.size, "left_out": each.left_out} for each in documents],
            "hidden": list(told.hidden), "limit_bytes": told.limit, "skipped": dict(found.skipped),
            "text": instructions.render(told, memory.place.cwd),
        })
        return
    text = instructions.render(told, memory.place.cwd)
    if text:
        click.echo(common.shown(text))
    else:
        common.note("No instruction files here: an agent is told nothing but what is remembered.")
    for path in told.hidden:
        common.note(f"hidden by another file of the same directory: {path}")
    for path, reason in found.skipped:
        common.note(f"skipped: {path} ({reason})")
