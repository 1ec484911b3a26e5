"""``reverie read``."""

from __future__ import annotations

import click

from reverie.entrypoints.cli import common


@click.command("read", epilog="Example: reverie read feedback_run_checks_with_make")
@common.options
@common.of_agent
@click.argument("memory_id", metavar="ID")
def command(design: str | None, cwd: str | None, as_json: bool, agent: str, memory_id: str) -> None:
    """One memory, as a model would read it: with its age, when it is old enough to be doubted."""
    from reverie.memory import as_dict

    memory = common.opened(design, cwd)
    found = memory.read(memory_id, agent=agent)
    memory.credit(found)
    each = found.memory
    note, duty = memory.space.design.eviction.reminding.notes(
        each.modified_at, memory.space.now(), said=f"{each.body}\n{each.why}\n{each.how_to_apply}"
    )
    if as_json:
        common.say_json(as_dict(found) | {"age_note": note, "verify_note": duty})
        return
    common.title(each.name)
    click.echo(common.dim(f"{each.type} · {each.scope} · {each.id}"))
    if by := common.wrote(each.source):
        click.echo(common.dim(f"written {by}, not said by you"))
    for words in filter(None, (note, duty)):
        click.echo(click.style(common.wrapped(words), fg="yellow"))
    click.echo()
    click.echo(common.wrapped(each.body))
    for label, text in (("Why", each.why), ("How to apply", each.how_to_apply)):
        if text:
            click.echo(common.wrapped(f"{label}: {text}", indent="  ", first="\n"))
