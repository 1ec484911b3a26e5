"""``reverie why``."""

from __future__ import annotations

import click

from reverie.entrypoints.cli import common

USES_SHOWN = 10


@click.command("why", epilog="Example: reverie why feedback_run_checks_with_make")
@common.options
@common.of_agent
@click.argument("memory_id", metavar="ID")
def command(design: str | None, cwd: str | None, as_json: bool, agent: str, memory_id: str) -> None:
    """Why a memory is there: who said it, in which session and message, by which rule it was kept, what was done to it,
    and when it was of use."""
    from reverie.memory import as_dict

    memory = common.opened(design, cwd)
    found, changes = memory.why(memory_id, agent=agent)
    uses = memory.uses(found)
    full = f"{found.memory.id}"
    if as_json:
        common.say_json(as_dict(found) | {"history": [
            {"change": change.id, "at": change.at, "operation": change.cause.operation, "actor": change.cause.actor,
             "host": change.cause.host, "session": change.cause.session, "run": change.run, "status": change.status,
             "touched": [{"action": t.action, "message": t.message or change.cause.message, "rule": t.rule or change.cause.rule,
                          "quote": t.quote, "before": t.before} for t in change.touched if t.memory.endswith(full)]}
            for change in changes
        ], "uses": [
            {"how": use.how, "host": use.host, "session": use.session, "message": use.message, "times": use.times, "at": use.at}
            for use in uses
        ]})
        return
    common.title(found.memory.name)
    click.echo(common.dim(full))
    if found.memory.source.agent:
        click.echo(common.dim(f"written by the agent {found.memory.source.agent}, not said by a person"))
    for change in changes:
        for touched in change.touched:
            if not touched.memory.endswith(full):
                continue
            cause = change.cause
            message = touched.message or cause.message
            where = f"{cause.host} session {cause.session}, message {message}" if cause.host else cause.operation
            undone = "  (undone)" if change.status == "undone" else ""
            click.echo(f"{common.coloured(touched.action)} {change.at:%Y-%m-%d %H:%M}  change {change.id}{undone}")
            click.echo(common.dim(f"            {where}, by {touched.rule or cause.rule or cause.actor}"))
            if touched.quote:
                click.echo(common.wrapped(f"“{touched.quote}”", indent="            ", first="            "))
            if touched.before:
                click.echo(common.dim(common.wrapped(f"before: {touched.before}", indent="            ", first="            ")))
    if not changes:
        source = found.memory.source
        click.echo(f"The journal knows nothing of it: it was put there by hand, or by {source.host or 'another tool'}.")
    for use in uses[:USES_SHOWN]:
        where = f"{use.host} session {use.session}, message {use.message}" if use.session else "by hand, or a tool"
        often = f" {use.times} times" if use.times > 1 else ""
        click.echo(f"{use.how!s:11} {use.at:%Y-%m-%d %H:%M}  {common.dim(where + often)}")
    if len(uses) > USES_SHOWN:
        click.echo(common.dim(f"            and {len(uses) - USES_SHOWN} earlier uses: --json has them"))
