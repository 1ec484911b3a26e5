"""``reverie doctor``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from reverie import errors
from reverie.entrypoints.cli import common

if TYPE_CHECKING:
    from reverie.core.checkup import Checked, Finding
    from reverie.flows.mending import Mended
    from reverie.memory import Memory

_COLOURS = {"broken": "red", "warning": "yellow", "note": None}


@click.command("doctor", epilog="Example: reverie doctor --host claude-code --dry-run")
@common.options
@click.option("--all", "everywhere", is_flag=True, help="The folders of every project, not only those seen from here.")
@click.option("--host", type=click.Choice(["all", "own", "claude-code"]), default="all", show_default=True,
              help="Our own home and stores, or a product's memory folder.")
@click.option("--fix", is_flag=True, help="Mend what can be mended by rule; asks before.")
@click.option("--yes", is_flag=True, help="Do not ask (with --fix).")
@click.option("--dry-run", is_flag=True, help="Show as a diff what --fix would change; write nothing.")
def command(
    design: str | None, cwd: str | None, as_json: bool, everywhere: bool, host: str, fix: bool, yes: bool, dry_run: bool
) -> None:
    """Look for what is wrong: in Claude Code's own memory folder of this project, and in Reverie's home and stores.

    Exit code 0: nothing is broken, 1: something is, 2: wrong use. Nothing is written without --fix. Each mend can be taken
    back with `reverie undo`; only one that masks a credential cannot.
    """
    if yes and not fix:
        raise click.UsageError("--yes goes with --fix.")
    if fix and dry_run:
        raise click.UsageError("--fix and --dry-run exclude each other.")
    try:
        memory = common.opened(design, cwd)
    except errors.BadSettings as bad:
        _show_settings(str(bad), as_json=as_json)
        raise SystemExit(1) from None
    checked = memory.checkup(host=host, everywhere=everywhere)
    mends: Sequence[Mended] = ()
    if fix or dry_run:
        mends = _mended(memory, host=host, everywhere=everywhere, dry_run=dry_run, ask=not yes, quiet=as_json)
    if fix and mends:
        checked = memory.checkup(host=host, everywhere=everywhere)
    if as_json:
        common.say_json(_as_dict(checked, mends))
    else:
        _show(checked)
        _show_mends(mends, dry_run=dry_run and any(it.findings for it in checked))
        if not (fix or dry_run) and any(each.mendable for it in checked for each in it.findings):
            click.echo(common.dim("`reverie doctor --dry-run` shows what can be mended by rule, `--fix` does it."))
    if any(str(each.severity) == "broken" for it in checked for each in it.findings):
        raise SystemExit(1)


def _mended(memory: Memory, *, host: str, everywhere: bool, dry_run: bool, ask: bool, quiet: bool) -> Sequence[Mended]:
    if dry_run or ask:
        planned = memory.mend(host=host, everywhere=everywhere, dry_run=True)
        if dry_run or not planned:
            return planned
        for each in planned:
            click.echo(f"  {common.shown(each.does)}{'' if each.undoable else '  (cannot be undone)'}", err=quiet)
        try:
            if not click.confirm(f"Do this ({len(planned)} changes)?", err=True):
                return ()
        except click.Abort:
            raise errors.WrongUse("nobody is there to ask; say --yes to mend without asking") from None
    return memory.mend(host=host, everywhere=everywhere)


def _show(checked: Sequence[Checked]) -> None:
    """Folder by folder, the worst first; a clean bill of health is one line."""
    counts = Counter(str(each.severity) for it in checked for each in it.findings)
    memories = sum(it.memories for it in checked)
    where = f"{len(checked)} folders, {memories} memories"
    for it in sorted(checked, key=lambda it: min([_rank(each) for each in it.findings], default=9)):
        if it.findings:
            common.title(f"{it.subject}  {it.folder}")
            click.echo(common.dim(f"  {it.memories} memories; this folder because: {it.why}"))
            for finding in it.findings:
                _show_finding(finding)
    if not counts:
        click.echo(f"All is well: {where} looked at ({', '.join(common.shown(it.folder) for it in checked[:3])}).")
    else:
        told = ", ".join(f"{counts[name]} {name}" for name in _COLOURS if counts[name])
        click.echo(f"Looked at {where}: {told}.")


def _show_finding(finding: Finding) -> None:
    word = click.style(f"{finding.severity!s:8}", fg=_COLOURS[str(finding.severity)])
    place = f"{finding.path}:{finding.line}" if finding.line else finding.path
    click.echo(f"  {word} {common.shown(place)}{'  ' if place else ''}{common.dim(finding.check)}")
    click.echo(common.wrapped(finding.says, indent="           "))
    if finding.mend:
        click.echo(common.dim(f"           {'--fix will' if finding.mendable else 'mend'}: {finding.mend}"))


def _show_mends(mends: Sequence[Mended], *, dry_run: bool) -> None:
    if dry_run and not mends:
        click.echo(common.dim("Nothing of this can be mended by rule."))
    for each in mends:
        click.echo(f"{'would ' if dry_run else ''}{common.shown(each.does)}" + ("" if each.undoable else "  (cannot be undone)"))
        if dry_run and each.diff:
            click.echo(common.shown(each.diff))
    if mends and not dry_run:
        click.echo(common.dim(f"  take it back with: reverie undo --run {mends[0].run}"))
        if not all(each.undoable for each in mends):
            click.echo(common.dim("  what masked a credential stays: the journal does not keep one"))


def _show_settings(said: str, *, as_json: bool) -> None:
    if as_json:
        finding = {"check": "settings", "severity": "broken", "path": "settings.toml", "line": 0, "says": said, "mend": "",
                   "mendable": False}
        folder = {"subject": "home", "folder": "", "why": "", "memories": 0, "findings": [finding]}
        common.say_json({"broken": 1, "warning": 0, "note": 0, "folders": [folder], "mended": []})
    else:
        click.echo(f"{click.style('broken  ', fg='red')} settings.toml\n{common.wrapped(said, indent='           ')}")


def _rank(finding: Finding) -> int:
    return list(_COLOURS).index(str(finding.severity))


def _as_dict(checked: Sequence[Checked], mends: Sequence[Mended]) -> dict[str, Any]:
    counts = Counter(str(each.severity) for it in checked for each in it.findings)
    return {
        **{name: counts[name] for name in _COLOURS},
        "folders": [
            {"subject": it.subject, "folder": it.folder, "why": it.why, "memories": it.memories, "findings": [
                {"check": each.check, "severity": str(each.severity), "path": each.path, "line": each.line, "says": each.says,
                 "mend": each.mend, "mendable": each.mendable} for each in it.findings]}
            for it in checked
        ],
        "mended": [
            {"subject": each.subject, "folder": each.folder, "does": each.does, "paths": list(each.paths), "change": each.change,
             "run": each.run, "undoable": each.undoable, "diff": each.diff} for each in mends
        ],
    }
