"""``reverie tour``: the main job on sample sessions, in a temporary home."""

from __future__ import annotations

import tempfile
import time
from importlib import resources
from pathlib import Path

import click

from reverie.entrypoints.cli import common
from reverie.memory import Memory, Report, open_memory

# The samples are recordings; on the recording machine the projects lay here.
PROJECT = "/home/dev/projects/harvest-api"
OTHER = "/home/dev/projects/ferry-times"
PROMPTS = (
    (PROJECT, "the checks fail on my machine, run them again please"),
    (PROJECT, "when can I ship the gateway change?"),
    (PROJECT, "add the delivery weight to the export"),
    (PROJECT, "what is the time complexity of heapsort?"),
    (OTHER, "桟橋の日時をデータベースに保存する処理を書いて"),
    (OTHER, "when can I ship the gateway change?"),
)

# One step is one screen of 24 lines.
MOST_KEPT = 5       # memories shown of a session
MOST_LINES = 18     # of a block


@click.command("tour", epilog="Example: reverie tour --keep /tmp/tour")
@click.option("--keep", metavar="DIR", help="Keep what the tour wrote in DIR, to look around afterwards.")
def command(keep: str | None) -> None:
    """See the main job done: learn from six sessions of five agents, index, recall, why, undo. No model, no network."""
    if keep:
        if Path(keep).exists() and any(Path(keep).iterdir()):
            raise click.UsageError(f"--keep {keep}: that folder is not empty.")
        _tour(Path(keep).absolute())
        click.echo(f"\nWhat the tour wrote is in {keep}. Look around with: REVERIE_HOME={keep} reverie list --all")
        return
    with tempfile.TemporaryDirectory(prefix="reverie-tour-", ignore_cleanup_errors=True) as folder:
        _tour(Path(folder))


def _tour(home: Path) -> None:
    with resources.as_file(resources.files("reverie.samples").joinpath("home")) as agents_home:
        _learn(home, agents_home)
        _blocks(home, agents_home)
    _recall(home)
    _why_and_undo(home)
    click.echo(
        "\nNow on your own sessions:  reverie learn --dry-run   shows what would be kept, and writes nothing.\n"
        "                           reverie learn             keeps it, in ~/.reverie, as Markdown that you can edit."
    )


def _step(number: int, text: str) -> None:
    click.echo()
    common.title(f"{number}  {text}")
    click.echo(common.dim("─" * min(common.width(), 100)))


def _memory(home: Path, cwd: str = PROJECT, design: str = "reverie") -> Memory:
    return open_memory(home, design=design, cwd=cwd, environment={})


def _learn(home: Path, agents_home: Path) -> None:
    _step(1, "Learn from what five agents wrote: what is kept")
    with _memory(home) as memory:
        started = time.perf_counter()
        report = memory.learn(agents_home=str(agents_home))
        seconds = time.perf_counter() - started
        _kept(report)
        kept = sum(len(each.kept) for each in report.sessions)
        said = sum(each.said for each in report.sessions)
        click.echo(f"{len(report.sessions)} sessions, {said} prompts, {kept} memories, in {seconds:.1f} s, without a model.")
        again = memory.learn(agents_home=str(agents_home))
        click.echo(f"The same again: {sum(len(each.kept) for each in again.sessions)} changes, because nothing is new.")
    _step(2, "… and what is refused, and why: for each reason, one example")
    _refused(report)


def _kept(report: Report) -> None:
    for learned in report.sessions:
        where = f"{learned.host:11} {common.short(learned.project.rpartition('/')[2], 13):13}"
        if not learned.kept:
            click.echo(f"{where} {common.dim(f'{learned.outcome}: nothing worth keeping')}")
        for kept in learned.kept[:MOST_KEPT]:
            name = common.short(kept.memory.name, common.width() - 48)
            click.echo(f"{where:25} {common.coloured(kept.action)} {kept.memory.type:9} {name}")
            where = ""
        if len(learned.kept) > MOST_KEPT:
            click.echo(common.dim(f"{'':25} and {len(learned.kept) - MOST_KEPT} more"))


def _refused(report: Report) -> None:
    by_reason: dict[str, list[str]] = {}
    for learned in report.sessions:
        for drop in learned.drops:
            by_reason.setdefault(str(drop.reason), []).append(drop.quote)
    for reason, quotes in sorted(by_reason.items(), key=lambda item: -len(item[1])):
        example = common.short(quotes[0], common.width() - 24) or "(not even the words are kept)"
        click.echo(f"{len(quotes):3}  {reason:18} {common.dim(example)}")


def _blocks(home: Path, agents_home: Path) -> None:
    from reverie import designs
    from reverie.core import budget

    for number, name in enumerate(("reverie", "claude-code", "codex", "qwen-code"), 3):
        with _memory(home, design=name) as memory:
            if name != "reverie":
                memory.learn(agents_home=str(agents_home))
            _step(number, f"What the next session in harvest-api starts with, in the design {name}")
            click.echo(common.dim(common.wrapped(designs.describe(memory.space.design)["always loaded"])))
            lines = [line for line in memory.remembered_block().splitlines() if line.strip()]
            for line in lines[:MOST_LINES]:
                click.echo(f"  {common.short(line, common.width() - 4)}".rstrip())
            if len(lines) > MOST_LINES:
                whole = f"`reverie index --design {name}`"
                click.echo(common.dim(f"  … {len(lines) - MOST_LINES} more lines; whole with {whole} in a home of your own"))
            told = budget.tokens(memory.session_block()) - budget.tokens(memory.remembered_block())
            click.echo(common.dim(f"  and about {told} tokens that tell the model when to read and what to keep"))


def _recall(home: Path) -> None:
    _step(7, "Recall: what a prompt needs, nothing when nothing fits, nothing from another project")
    for cwd, prompt in PROMPTS:
        with _memory(home, cwd) as memory:
            memory.recall(prompt)       # the first one builds the search index
            started = time.perf_counter()
            results = memory.recall(prompt)
            milliseconds = (time.perf_counter() - started) * 1000
        click.echo(f"{common.dim(cwd.rpartition('/')[2] + ' >')} {prompt}  {common.dim(f'{milliseconds:.0f} ms')}")
        for result in results[:3]:
            click.echo(f"    {result.score:.2f}  {common.short(result.text, common.width() - 12)}")
        if not results:
            click.echo(common.dim("    (nothing)"))


def _why_and_undo(home: Path) -> None:
    _step(8, "Why is this here? And take one thing back")
    with _memory(home) as memory:
        found, changes = memory.why(next(each.memory.id for each in memory.list() if each.memory.scope == "project"))
        click.echo(f"{click.style(found.memory.name, bold=True)}  {common.dim(found.memory.id)}")
        for change in changes:
            for touched in change.touched:
                if touched.memory.endswith(found.memory.id):
                    click.echo(f"  {common.coloured(touched.action)} {change.cause.host}, session {change.cause.session[:8]}, "
                               f"rule {touched.rule}")
                    click.echo(common.wrapped(f"“{touched.quote}”", indent="    ", first="    "))
        before = {each.memory.id for each in memory.list()}
        change_id = memory.forget([found])
        click.echo(f"  forgotten: {len(before) - len(memory.list())} of {len(before)}, change {change_id}")
        memory.undo(change=change_id)
        click.echo(f"  undone: all {len(memory.list())} are back, byte for byte")
