"""``reverie learn``."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from reverie.core.model import ModelFailed
from reverie.entrypoints.cli import adopt, common

if TYPE_CHECKING:
    from reverie.flows.learning import Kept, Learned
    from reverie.memory import Report


@click.command("learn", epilog="Example: reverie learn --dry-run --host claude-code --since 2026-11-01")
@common.options
@click.option("--host", "hosts", multiple=True, metavar="HOST", help="Only sessions of this agent; repeatable.")
@click.option("--path", "paths", multiple=True, metavar="FILE|DIR", help="Only this transcript or folder; repeatable.")
@click.option("--agents-home", metavar="DIR", help="Look for the agents' files under DIR, as if it were the home folder.")
@click.option("--since", metavar="DATE", help="Only sessions used since then: 2026-11-01, or 7d for the last seven days.")
@click.option("--project", metavar="NAME|DIR", help="Only sessions of this project.")
@click.option("--dry-run", is_flag=True, help="Show what would be kept and what refused; write nothing.")
@click.option("--model", metavar="NAME", default="", help="Let this language model read them (provider:model); none: the rules.")
@click.option("--most-tokens", type=click.IntRange(0), default=0, metavar="N", help="Spend at most so many tokens on it.")
@click.option("--verbose", "-v", is_flag=True, help="Also show every refusal.")
def command(
    design: str | None, cwd: str | None, as_json: bool, hosts: tuple[str, ...], paths: tuple[str, ...],
    agents_home: str | None, since: str | None, project: str | None, dry_run: bool, model: str, most_tokens: int, verbose: bool,
) -> None:
    """Learn from the sessions of Claude Code, Codex, Qwen Code, OpenCode and Kimi Code.

    Without options: from all sessions on this machine that have something new. No model is called and nothing leaves the
    machine, unless you chose one (--model, or models.extract in settings.toml: docs/models.md). Ctrl-C stops between two
    sessions; the next call goes on from there.
    """
    memory = common.opened(design, cwd)
    bar = _Progress(not as_json and sys.stderr.isatty() and os.environ.get("TERM") != "dumb")
    try:
        report = memory.learn(
            hosts=hosts, paths=paths, agents_home=agents_home, since=since, project=project, dry_run=dry_run,
            model=model, most_tokens=most_tokens, on_start=bar.start, on_session=bar.step,
        )
    except ModelFailed as error:
        bar.end()
        said = common.shown(str(error))
        click.echo(f"reverie: stopped after {bar.done} of {bar.total} sessions: {said}. What was finished is kept; the same "
                   "command goes on from there, and `--model none` lets the rules read the rest.", err=True)
        raise SystemExit(1) from None
    except KeyboardInterrupt:
        bar.end()
        kept = "nothing was to be written" if dry_run else f"{bar.kept} memories are kept; the same command goes on from there"
        click.echo(f"reverie: stopped after {bar.done} of {bar.total} sessions: {kept}.", err=True)
        raise SystemExit(130) from None
    bar.end()
    if as_json:
        common.say_json(report.as_dict())
    else:
        show(report, verbose=verbose or dry_run)
    failed = any(learned.outcome == "failed" for learned in report.sessions)
    if failed or (paths and all(learned.outcome == "unreadable" for learned in report.sessions)):
        raise SystemExit(1)     # something could not be stored, or what was asked for by name not be read


class _Progress:
    """A bar on standard error while there is a terminal to see it."""

    def __init__(self, visible: bool) -> None:
        self.visible = visible
        self.total = self.done = self.kept = 0

    def start(self, total: int) -> None:
        self.total = total
        self._draw("")

    def step(self, learned: Learned) -> None:
        self.done += 1
        self.kept += len(learned.kept)
        self._draw((learned.project or learned.path).rpartition("/")[2])

    def _draw(self, what: str) -> None:
        if not self.visible or not self.total:
            return
        filled = 24 * self.done // self.total
        bar = "#" * filled + "." * (24 - filled)
        line = f"  [{bar}] {self.done}/{self.total} sessions, {self.kept} kept  {common.short(what, 40)}"
        click.echo("\r\x1b[2K" + common.short(line.strip(), common.width() - 1), err=True, nl=False, color=True)

    def end(self) -> None:
        if self.visible and self.total:
            click.echo("\r\x1b[2K", err=True, nl=False, color=True)


def show(report: Report, *, verbose: bool) -> None:
    """The report for a person: per project what was kept, then what was refused, skipped and unreadable, by name."""
    by_project: dict[str, list[Learned]] = {}
    for learned in report.sessions:
        if _news(learned, verbose) or (verbose and learned.drops):
            by_project.setdefault(learned.project, []).append(learned)
    for project, sessions in by_project.items():
        common.title(project or "(no project)")
        for learned in sessions:
            click.echo(common.dim(f"  {learned.host}  session {learned.session[:18]}  {learned.said} prompts"))
            for kept in _news(learned, verbose):
                click.echo(f"    {common.coloured(kept.action)} {kept.memory.type:9} {common.short(kept.memory.name, 70)}")
            if verbose:
                for drop in learned.drops:
                    words = common.refused(drop.quote)
                    click.echo(common.dim(f"    {'not kept':11} {drop.reason:16} {words}"))
    _sums(report)


def _news(learned: Learned, verbose: bool) -> Sequence[Kept]:
    """What is worth a line each: what was only said again is counted at the end."""
    return [kept for kept in learned.kept if verbose or kept.action != "confirmed"]


def _sums(report: Report) -> None:
    if report.adopted is not None and any(each.is_news for each in report.adopted.files):
        click.echo(common.dim(f"  {adopt.said(report.adopted)} `reverie adopt` shows each file."))
    if not report.sessions:
        click.echo("No sessions were found with these options, or none at all: `--agents-home DIR` and `--path` look elsewhere.")
        return
    outcomes = Counter(learned.outcome for learned in report.sessions)
    actions: Counter[str] = Counter(kept.action for learned in report.sessions for kept in learned.kept)
    drops = Counter(str(drop.reason) for learned in report.sessions for drop in learned.drops)
    verb = "Would learn" if report.dry_run else "Learned"
    click.echo(f"{verb} from {len(report.sessions)} sessions: {common.counts(dict(actions)) or 'nothing new'}.")
    if outcomes:
        click.echo(common.dim(f"  outcomes: {common.counts(dict(outcomes))}"))
    if drops:
        click.echo(common.dim(f"  not kept: {common.counts(dict(drops))}"))
    for learned in report.sessions:
        if learned.outcome == "failed":
            where = f"session {learned.session[:18]} of {learned.host}"
            click.echo(f"  not stored: {where}: {common.shown(learned.detail)}", err=True)
        if learned.outcome == "unreadable":
            click.echo(f"  could not read {common.shown(str(learned.path))}: {common.shown(learned.detail)}", err=True)
    if report.run and actions:
        click.echo(common.dim(f"  take it all back with: reverie undo --run {report.run}"))
