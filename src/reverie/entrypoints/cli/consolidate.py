"""``reverie consolidate``."""

from __future__ import annotations

import os
import sys
from collections import Counter
from typing import TYPE_CHECKING

import click

from reverie.entrypoints.cli import common

if TYPE_CHECKING:
    from reverie.core.consolidation import Consolidated as Phase2
    from reverie.flows.extracting import Extracted
    from reverie.flows.phases import Phase1
    from reverie.memory import Consolidated

_WAYS_OUT = {
    "skipped_no_candidates": "no session is due: they must be at rest for some hours, and hold something new "
                             "(`--force` takes those at work, too)",
    "skipped_rate_limit": "the model's provider is near its limit; nothing was lost, the same command goes on later",
    "stopped_cap": "a cap on tokens or money is reached (`reverie cost`); nothing was lost, the same command goes on later",
    "stopped_forbidden": "calls of models are forbidden; nothing was lost",
}


@click.command("consolidate", epilog="Example: reverie consolidate --design codex --dry-run")
@common.options
@click.option("--host", "hosts", multiple=True, metavar="HOST", help="Only sessions of this agent; repeatable.")
@click.option("--path", "paths", multiple=True, metavar="FILE|DIR", help="Only this transcript or folder; repeatable.")
@click.option("--agents-home", metavar="DIR", help="Look for the agents' files under DIR, as if it were the home folder.")
@click.option("--session", default="", metavar="ID", help="The session at hand: it is not over, and left out.")
@click.option("--force", is_flag=True, help="Now: also sessions that are young, old or failed a moment ago.")
@click.option("--dry-run", is_flag=True, help="Show what would be done; write nothing, ask no model.")
@click.option("--extract-only", is_flag=True, help="Only phase 1: leave what was extracted for a later run.")
@click.option("--most-removed", type=click.IntRange(0, 100), metavar="PERCENT",
              help="Refuse when more than this share of the handbook would go (default: 30).")
def command(
    design: str | None, cwd: str | None, as_json: bool, hosts: tuple[str, ...], paths: tuple[str, ...],
    agents_home: str | None, session: str, force: bool, dry_run: bool, extract_only: bool,
    most_removed: int | None,
) -> None:
    """Write in two phases, as Codex does: what each finished session is worth remembering, then all of it in order.

    For the designs `codex` and `codex@0.171`. Sessions are taken when they have been at rest for six hours; they are put in order
    every six hours at most. Without a model in the settings it is done by rules. Ctrl-C gives back what is not finished; the
    next call goes on from there.
    """
    memory = common.opened(design, cwd)
    bar = _Progress(not as_json and sys.stderr.isatty() and os.environ.get("TERM") != "dumb")
    try:
        done = memory.consolidate(
            hosts=hosts, paths=paths, agents_home=agents_home, session=session, force=force, dry_run=dry_run,
            extract_only=extract_only, most_removed=most_removed, on_start=bar.start, on_session=bar.step,
        )
    except KeyboardInterrupt:
        bar.end()
        click.echo(f"reverie: stopped after {bar.done} of {bar.total} sessions; the same command goes on from there.", err=True)
        raise SystemExit(130) from None
    bar.end()
    if as_json:
        common.say_json(done.as_dict())
    else:
        show(done)
    if done.phase1.status == "failed" or (done.phase2 and done.phase2.status.kind == "failed"):
        raise SystemExit(1)


class _Progress:
    """A line on standard error while there is a terminal to see it: a model takes its time."""

    def __init__(self, visible: bool) -> None:
        self.visible = visible
        self.total = self.done = 0

    def start(self, total: int) -> None:
        self.total = total
        self._draw("")

    def step(self, extracted: Extracted) -> None:
        if not extracted.outcome.startswith("skipped_"):
            self.done += 1
            self._draw((extracted.project or extracted.path).rpartition("/")[2])

    def _draw(self, what: str) -> None:
        if self.visible and self.total:
            line = f"  phase 1: {self.done}/{self.total} sessions  {what}"
            click.echo("\r\x1b[2K" + common.short(line.strip(), common.width() - 1), err=True, nl=False, color=True)

    def end(self) -> None:
        if self.visible and self.total:
            click.echo("\r\x1b[2K", err=True, nl=False, color=True)


def show(done: Consolidated) -> None:
    """The report for a person."""
    _show_phase1(done.phase1, dry_run=done.dry_run)
    if done.phase2:
        _show_phase2(done.phase2, run=done.run)


def _show_phase1(first: Phase1, *, dry_run: bool) -> None:
    common.title(f"Phase 1: {'would be ' if dry_run else ''}extracted by {first.actor}")
    for each in first.sessions:
        if each.outcome == "failed":
            click.echo(f"  failed      {each.host}  session {common.shown(each.session[:36])}: "
                       f"{common.short(each.detail, 200)}", err=True)
        elif each.outcome == "succeeded":
            click.echo(f"  {click.style('extracted', fg='green')}   {each.host}  {common.shown(each.session[:36])}  "
                       f"{common.short(each.slug, 50)}")
    outcomes = Counter(first.outcomes)
    if outcomes:
        click.echo(common.dim(f"  sessions: {common.counts(dict(outcomes))}"))
    if first.left:
        click.echo(common.dim(f"  left alone: {common.counts(dict(first.left))}"))
    if first.drops:
        click.echo(common.dim(f"  not kept: {common.counts(first.drops)}"))
    if first.unreadable:
        click.echo(common.dim(f"  {first.unreadable} transcripts could not be read: `reverie learn` names them"))
    if first.used.tokens:
        about = "would be about " if dry_run else ""
        click.echo(common.dim(f"  tokens: {about}{first.used.input:,} in, {first.used.output:,} out"))
    if first.status in _WAYS_OUT:
        click.echo(f"  {first.status}: {_WAYS_OUT[first.status]}.")


def _show_phase2(second: Phase2, *, run: str) -> None:
    """What went in, what changed, what was refused and why, what it cost, the way back."""
    common.title(f"Phase 2: {'would be ' if second.dry_run else ''}consolidated{f' by {second.by}' if second.by else ''}")
    if second.selected or second.pruned:
        told = {"sessions": second.selected, "kept once more": second.held_back, "deleted for good": second.pruned}
        click.echo(common.dim(f"  went in: {common.counts({name: count for name, count in told.items() if count})}"))
    for path, (added, gone) in sorted(second.lines.items()):
        click.echo(f"  {common.shown(path):40} {click.style(f'+{added}', fg='green')} {click.style(f'-{gone}', fg='red')}")
    for name, said in second.notes:
        click.echo(common.dim(f"  {common.short(f'{name}: {said}', common.width() - 2)}"))
    for link in second.unlinked:
        click.echo(f"  taken out: {common.shown(link)}, a symbolic link")
    if second.used.tokens:
        about = "about " if second.dry_run else ""
        click.echo(common.dim(f"  tokens: {about}{second.used.input:,} in, {second.used.output:,} out"))
    for fault in second.faults:
        click.echo(f"  refused     {common.short(str(fault), 300)}", err=True)
    if second.dry_run and second.diff:
        click.echo(_plain(second.diff))
    if second.status.kind != "succeeded":
        said = f"  {second.status}: {common.short(second.detail, 400).rstrip('.')}.{_way_out(second)}"
        click.echo(said, err=second.status.kind == "failed")
    elif second.detail:
        click.echo(f"  {second.status}: {second.detail}.")
    if second.change:
        click.echo(common.dim(f"  take it back with: reverie undo --run {run}"))


def _plain(diff: str) -> str:
    return "\n".join(common.shown(line) for line in diff.splitlines())


def _way_out(second: Phase2) -> str:
    if second.faults:
        return " Nothing was changed; it is tried again in an hour." + (
            " Should so much go all the same, allow it with --most-removed." if any(
                fault.rule == "too_much_removed" for fault in second.faults) else "")
    if second.status in ("skipped_cooldown", "skipped_retry_unavailable"):
        return " `--force` does it now."
    return " Nothing was changed." if second.status.kind == "failed" else ""
