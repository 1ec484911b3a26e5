"""``reverie adopt``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reverie.entrypoints.cli import common

if TYPE_CHECKING:
    from reverie.flows.adopted import Adopted, Taken

_FAILED = ("skipped:store_unavailable", "skipped:unreadable")


@click.command("adopt", epilog="Example: reverie adopt --dry-run")
@common.options
@click.option("--dry-run", is_flag=True, help="Show what would be taken over; write nothing.")
@click.option("--all", "everywhere", is_flag=True, help="Of every project, not only of this one.")
@click.option("--from", "source", type=click.Choice(["stores", "claude-code", "qwen-code"]),
              help="Only from our own stores, or only from one product's folders (default: all).")
@click.option("--mine", is_flag=True, help="You vouch for the edits in our stores: your word stays your word, nothing is sealed.")
@click.option("--agents-home", metavar="DIR", help="Look for the products' folders under DIR, as if it were the home folder.")
@click.option("--verbose", "-v", is_flag=True, help="Also show what is as it was.")
def command(
    design: str | None, cwd: str | None, as_json: bool, dry_run: bool, everywhere: bool, source: str | None, mine: bool,
    agents_home: str | None, verbose: bool,
) -> None:
    """Take over what an agent or you wrote with an editor: into the memory folders here, and into Claude Code's and Qwen
    Code's own, which are only read.

    Files stay as they were written. Credentials are taken out, orders to the agent are sealed, and the index follows. Each
    of it can be undone.
    """
    from reverie.flows.adopting import Hand

    memory = common.opened(design, cwd)
    native: bool | list[str] = [source] if source and source != "stores" else source is None
    report = memory.adopt(
        own=source in (None, "stores"), native=native, everywhere=everywhere, dry_run=dry_run, agents_home=agents_home,
        hand=Hand(actor="user") if mine else None,
    )
    if as_json:
        common.say_json(report.as_dict())
    else:
        show(report, verbose=verbose)
    if any(each.outcome in _FAILED for each in report.files):
        raise SystemExit(1)


def show(report: Adopted, *, verbose: bool) -> None:
    """The report for a person: a line for each file that is news, what an index lost, and the way back."""
    for each in report.files:
        if each.is_news or verbose:
            _show(each)
    for line in report.lines:
        click.echo(click.style(f"  no memory   {common.short(line, common.width() - 14)}", fg="yellow"))
    if report.lines:
        click.echo(common.dim("  these lines stood in an index, which is rendered from memories: `reverie remember` keeps them"))
    click.echo(said(report))
    if report.run:
        click.echo(common.dim(f"  take it all back with: reverie undo --run {report.run}"))


def said(report: Adopted) -> str:
    """The sum in one line."""
    verb = "Would adopt" if report.dry_run else "Adopted"
    counts = {name.replace("skipped:", "skipped "): number for name, number in report.counts.items() if name != "unchanged"}
    if not counts:
        return f"{verb} nothing: no file was changed by another hand ({report.counts.get('unchanged', 0)} looked at)."
    return f"{verb} what others wrote: {common.counts(counts)}."


def _show(each: Taken) -> None:
    colours = {"adopted": "green", "updated": "yellow", "removed": "red", "quarantined": "red", "masked": "yellow"}
    colour = colours.get(each.outcome)
    name, _, reason = each.outcome.partition(":")
    detail = "; ".join(part for part in (reason.replace("_", " "), each.detail) if part)
    click.echo(f"  {click.style(f'{name:11}', fg=colour)} {common.shown(each.path)}")
    if detail:
        click.echo(common.dim(f"              {common.short(detail, common.width() - 14)}"))
