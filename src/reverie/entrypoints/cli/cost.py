"""``reverie cost``."""

from __future__ import annotations

from typing import Any

import click

from reverie.entrypoints.cli import common


@click.command("cost", epilog="Example: reverie cost --since 7d --by day")
@common.options
@click.option("--since", metavar="DATE", help="Since then: 2026-11-01, or 7d, 12h, 2w back (default: the first of this month).")
@click.option("--by", type=click.Choice(["model", "flow", "day"]), default="model", help="What a line is about (default: model).")
def command(design: str | None, cwd: str | None, as_json: bool, since: str | None, by: str) -> None:
    """What language models were asked and what it cost: tokens as the providers count them, money by the table of prices, and
    what is left of the caps.

    Without a model (the default) there is nothing to show. Prices come from a table in the package; your own go before them
    (settings.toml, [prices."provider:model"]).
    """
    cost = common.opened(design, cwd).cost(since=since, by=by)
    if as_json:
        common.say_json(cost)
    else:
        _show(cost)


def _show(cost: dict[str, Any]) -> None:
    click.echo(f"model calls: {common.shown(cost['calls'])}")
    if cost["lines"]:
        width = max(len(line["name"]) for line in cost["lines"])
        common.title(f"since {cost['since'][:10]}  (days are those of UTC)")
        for line in cost["lines"]:
            _line(line, min(width, 44))
        click.echo(common.dim(f"  prices are your own, or those of {cost['prices_as_of']}, to be checked"))
    for cap in cost["caps"]:
        click.echo(f"  {cap['name']:24} {cap['spent_text']} of {cap['cap_text']}, {cap['left_text']} left")
    for note in cost["notes"]:
        click.echo(click.style(f"look      {common.shown(note)}", fg="yellow"))


def _line(line: dict[str, Any], width: int) -> None:
    calls = f"{line['calls']} call{'' if line['calls'] == 1 else 's'}"
    tokens = f"{line['input']:,} in, {line['output']:,} out"
    more = [f"{line['cached']:,} from the cache"] if line["cached"] else []
    more += [f"{line['failed']} failed"] if line["failed"] else []
    more += [f"{line['lost']:,} reserved, end unknown"] if line["lost"] else []
    more += [f"{line['estimated']} estimated"] if line["estimated"] else []
    money = line["money_text"] or "price not known"
    click.echo(f"  {common.short(line['name'], width):{width}}  {calls:>10}  {tokens}  {money}")
    if more:
        click.echo(common.dim(f"  {'':{width}}  {', '.join(more)}"))
