"""``reverie dream``."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import click

from reverie.entrypoints.cli import common

if TYPE_CHECKING:
    from reverie.core.dream import Step
    from reverie.core.dream_report import Dreamed, Dreamt


@click.command("dream", epilog="Example: reverie dream --dry-run")
@common.options
@click.option("--dry-run", is_flag=True, help="Show what would be done; write nothing.")
@click.option("--force", is_flag=True, help="Now, however short a time ago the last dream was.")
@click.option("--all", "everywhere", is_flag=True, help="The memories of every project, not only those seen from here.")
@click.option("--most-removed", type=click.IntRange(0, 100), metavar="PERCENT",
              help="Refuse when more than this share of the memories, or of their characters, would go (default: 30).")
def command(
    design: str | None, cwd: str | None, as_json: bool, dry_run: bool, force: bool, everywhere: bool, most_removed: int | None
) -> None:
    """Tidy up the memories, without a model: what is said twice is merged, of two that contradict each other the later stays,
    relative dates become absolute, what is past its last day is marked, the index is rebuilt.

    It is time when a day has passed since the last dream and five sessions were learned. What goes lies in the trash, and
    the whole is taken back with `reverie undo`.
    """
    memory = common.opened(design, cwd)
    dreamed = memory.dream(dry_run=dry_run, force=force, everywhere=everywhere, most_removed=most_removed)
    if as_json:
        common.say_json(dreamed.as_dict())
    else:
        _show(dreamed)
    if dreamed.status == "refused":
        raise SystemExit(1)


def _show(dreamed: Dreamed) -> None:
    """The report for a person: what was done and why, what is left to them, and the way back."""
    for each in dreamed.stores:
        if each.steps or each.left or each.outcome in ("skipped", "refused") or each.index_rebuilt:
            _show_store(each, dry_run=dreamed.dry_run)
    acts = Counter(str(step.act) for each in dreamed.stores if each.outcome == "updated" for step in each.steps)
    verb = "Would dream" if dreamed.dry_run else "Dreamt"
    dreamt = [each for each in dreamed.stores if each.outcome != "skipped"]
    if dreamt:
        memories = sum(each.memories for each in dreamt)
        click.echo(f"{verb} over {memories} memories: {common.counts(dict(acts)) or 'nothing to do'}.")
    waits = sorted({str(each.waits) for each in dreamed.stores if each.waits})
    if waits:
        click.echo(common.dim(f"  it is not time yet ({', '.join(waits)}): `reverie dream --force` dreams now"))
    if dreamed.change:
        click.echo(common.dim(f"  take it all back with: reverie undo --run {dreamed.run}"))


def _show_store(each: Dreamt, *, dry_run: bool) -> None:
    common.title(each.store)
    if each.outcome == "skipped":
        click.echo(f"  not now: {each.skip} ({each.detail}). `reverie dream --force` dreams anyway.")
    for step in each.steps:
        _show_step(step)
    if each.index_rebuilt:
        click.echo(f"  index {'would be ' if dry_run else ''}rebuilt")
    for left in each.left:
        click.echo(click.style(f"  look        {left.memory}  and  {left.other}", fg="yellow"))
        click.echo(common.dim(f"              {common.short(left.why, common.width() - 14)}"))
    if each.outcome == "refused":
        click.echo(f"  refused: {each.detail}. Nothing of this was done here. Should it be done all the same, allow more with "
                   "--most-removed.", err=True)


def _show_step(step: Step) -> None:
    names = f"{step.gone}  into  {step.memory}" if step.gone and step.memory else step.memory or step.gone or step.name
    click.echo(f"  {step.act!s:11} {common.short(names, common.width() - 14)}")
    click.echo(common.dim(f"              {common.short(step.why, common.width() - 14)}"))
    if step.before:
        click.echo(common.dim(f"              was: {common.short(step.before, common.width() - 19)}"))
