"""``reverie recall``."""

from __future__ import annotations

import sys

import click

from reverie.entrypoints.cli import common


@click.command("recall", epilog='Example: reverie recall "why is the export slow" --explain')
@common.options
@common.of_agent
@click.option("--limit", type=click.IntRange(1, 50), help="At most so many memories (default: the setting, 5).")
@click.option("--explain", is_flag=True, help="Say by which words, or others of the same meaning, and with which score.")
@click.option("--block", is_flag=True, help="Print the block as a model would get it.")
@click.argument("prompt", nargs=-1)
def command(
    design: str | None, cwd: str | None, as_json: bool, agent: str, limit: int | None, explain: bool, block: bool,
    prompt: tuple[str, ...],
) -> None:
    """What memory has for a PROMPT ("-": read it from standard input). Nothing relevant is a good answer, too."""
    text = sys.stdin.read() if prompt == ("-",) else " ".join(prompt)
    if not text.strip():
        raise click.UsageError('What is the prompt? For example: reverie recall "add a column to the orders table"')
    memory = common.opened(design, cwd)
    if block and not as_json:
        click.echo(memory.recall_block(text, agent=agent), nl=False)
        return
    results = memory.recall(text, limit=limit, agent=agent)
    if as_json:
        common.say_json([result.as_dict() for result in results])
        return
    if not results:
        click.echo("Nothing relevant is remembered for this.")
    for result in results:
        click.echo(f"{click.style(common.shown(result.candidate.name), bold=True)}  {common.dim(result.candidate.id)}")
        click.echo(common.wrapped(result.text, indent="  ", first="  "))
        if explain:
            click.echo(common.dim(common.wrapped(result.explain(), indent="    ", first="  → ")))
