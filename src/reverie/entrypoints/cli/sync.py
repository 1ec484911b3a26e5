"""``reverie sync``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reverie.core import team
from reverie.entrypoints.cli import common

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.core.team import Synced, Waiting
    from reverie.memory import Memory

_SAID = {
    "off": "The team's memory is off here; `reverie team on` turns it on for this project.",
    "up-to-date": "Nothing to share, nothing new.",
    "local-ahead": "Committed, not pushed: the branch has other commits that nobody else has. They are yours to push.",
    "no-upstream": "The branch is pushed nowhere: what there is to share is committed here.",
    "not-pushed": "Committed here, and not pushed, as you asked.",
    "diverged": "The branch has diverged from its upstream and was left alone; what is to be shared is kept beside it.",
}


@click.command("sync", epilog="Example: reverie sync --dry-run")
@common.options
@click.option("--dry-run", is_flag=True, help="Fetch, and show what would be done; change nothing.")
@click.option("--no-push", is_flag=True, help="Commit what is to be shared, and push nothing.")
@click.option("--seconds", type=click.FloatRange(1, 3600), default=60.0, show_default=True, help="For all of it.")
@click.option("--review", is_flag=True, help="What teammates wrote and no model sees until you have looked at it.")
@click.option("--accept", metavar="ID", help="Let one of them be shown, as it is now.")
@click.option("--reject", metavar="ID", help="Hide one of them for good.")
def command(
    design: str | None, cwd: str | None, as_json: bool, dry_run: bool, no_push: bool, seconds: float, review: bool,
    accept: str | None, reject: str | None,
) -> None:
    """Share the team's memory of this repository through git: fetch, merge, commit the team's folder alone, push that commit.

    Other changes, staged or not, are never committed; other commits are never pushed; no hook runs and nobody is asked for a
    password. Whatever cannot be done has a name, and loses nothing.
    """
    if sum(map(bool, (review, accept, reject, dry_run or no_push))) > 1:
        raise click.UsageError("--review, --accept, --reject and a sync exclude each other")
    memory = common.opened(design, cwd)
    if review or accept or reject:
        _review(memory, as_json, accept, reject)
        return
    synced = memory.sync(dry_run=dry_run, push=not no_push, seconds=seconds)
    if as_json:
        common.say_json(synced.as_dict())
    else:
        _show(synced)
    if synced.outcome not in team.GOOD:
        raise SystemExit(1)


def _show(synced: Synced) -> None:
    outcome = str(synced.outcome)
    click.echo(f"{'would be ' if synced.dry_run else ''}{click.style(outcome, bold=True)}   {_SAID.get(outcome, '')}".rstrip())
    if synced.detail:
        click.echo(common.dim(f"  {synced.detail}"))
    for word, paths in (("shared", synced.shared), ("received", synced.received), ("merged", synced.merged)):
        for path in paths:
            click.echo(f"  {word:9} {common.shown(path)}")
    for found in synced.refused:
        click.echo(click.style(f"  left out  {common.shown(found.path)}  {found.reason}", fg="yellow"))
        if found.detail:
            click.echo(common.dim(f"            {found.detail}"))
    if synced.waiting:
        click.echo(click.style(f"  {len(synced.waiting)} wait for a look: reverie sync --review", fg="yellow"))
    if synced.commit and not synced.dry_run:
        click.echo(common.dim(f"  commit {synced.commit[:12]} on {synced.branch}{', pushed' if synced.pushed else ''}"))


def _review(memory: Memory, as_json: bool, accept: str | None, reject: str | None) -> None:
    if accept or reject:
        done = memory.team_decide(accept or reject or "", accept=bool(accept))
        listed: Sequence[Waiting] = (done,)
        verb = "accepted" if accept else "rejected"
    else:
        listed, verb = memory.team_waiting(), "waiting"
    if as_json:
        common.say_json([{"status": verb, **{name: getattr(each, name) for name in type(each).__slots__}} for each in listed])
        return
    for each in listed:
        click.echo(f"{verb}  {common.shown(each.id)}  {common.shown(each.reason)}")
        who = f"{each.author}, commit {each.commit[:12]}, {each.committed_at[:10]}" if each.commit else "not committed"
        click.echo(common.dim(f"  by {who}"))
        if each.text:
            click.echo(common.wrapped(common.short(each.text, 600), indent="  "))
    if not listed:
        click.echo("Nothing waits for a look.")
