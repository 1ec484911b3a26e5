"""``reverie status``."""

from __future__ import annotations

import click

from reverie.entrypoints.cli import common


@click.command("status", epilog="Example: reverie status --json")
@common.options
def command(design: str | None, cwd: str | None, as_json: bool) -> None:
    """What is kept and where, what was done lately, and what needs a look."""
    status = common.opened(design, cwd).status()
    if as_json:
        common.say_json(status)
        return
    click.echo(f"home      {status['home']}{'  (read-only: ' + status['readonly'] + ')' if status['readonly'] else ''}")
    click.echo(f"design    {status['design']}  {common.dim('from ' + status['design_from'])}")
    click.echo(f"project   {common.shown(status['project'])}")
    click.echo(f"memories  {status['here']} here, {status['everywhere']} in all, {status['quarantined']} quarantined")
    if status["agents"]:
        click.echo(f"agents    {common.counts(status['agents'])}")
    click.echo(f"models    model calls: {common.shown(status['model_calls'])}")
    work = status["background"]
    state = f"at work: {work['worker']}" if work["worker"] else f"off by {work['off']}" if work["off"] else "ready"
    waiting = f", {work['waiting']} sessions wait" if work["waiting"] else ""
    click.echo(f"worker    {common.shown(state)}{waiting}")
    for host, outcomes in status["sessions"].items():
        click.echo(f"sessions  {host:12} {common.counts(outcomes)}")
    for run in status["runs"]:
        outcome = run["outcome"] or "stopped or at work"
        click.echo(common.dim(f"run       {run['id']:10} {run['started_at']}  {outcome}  {common.counts(run['counts'])}"))
    for problem in status["problems"]:
        click.echo(click.style(f"look      {common.shown(problem)}", fg="yellow"))
