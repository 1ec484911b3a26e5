"""``reverie consolidate``."""

from __future__ import annotations

import os
import sys
from collections import Counter
from typing import TYPE_CHECKING

import click

from reverie.entrypoints.cli import common

if TYPE_CHECKING:
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
def command(
    design: str | None, cwd: str | None, as_json: bool, hosts: tuple[str, ...], paths: tuple[str, ...],
    agents_home: str | None, session: str, force: bool, dry_run: bool,
) -> None:
    """Write in two phases, as Codex does: what each finished session is worth remembering, then all of it in order.

    For the designs `codex` and `codex@0.171`. Sessions are taken when they have been at rest for six hours. Without a model in
    the settings it is done by rules. Ctrl-C gives back what is not finished; the next call goes on from there.
    """
    memory = common.opened(design, cwd)
    bar = _Progress(not as_json and sys.stderr.isatty() and os.environ.get("TERM") != "dumb")
    try:
        done = memory.consolidate(
            hosts=hosts, paths=paths, agents_home=agents_home, session=session, force=force, dry_run=dry_run,
            on_start=bar.start, on_session=bar.step,
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
    if done.phase1.status == "failed":
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
