"""``reverie snapshot``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reverie.entrypoints.cli import common

if TYPE_CHECKING:
    from reverie.memory import Memory, Taken


@click.command("snapshot", epilog="Example: reverie snapshot ~/.claude/projects/-srv-app/e5cfaa24.jsonl --write")
@common.options
@click.argument("session", metavar="[SESSION|TRANSCRIPT]", required=False)
@click.option("--write", is_flag=True, help="Keep it in the home, in place of the session's earlier one.")
@click.option("--tokens", type=click.IntRange(200, 20_000), metavar="N", help="Show at most so much (default: 3000).")
def command(
    design: str | None, cwd: str | None, as_json: bool, session: str | None, write: bool, tokens: int | None
) -> None:
    """The state of a session, as it should survive a compaction: what was asked for, what is being done, decisions and limits,
    files, commands, what failed and what worked instead. Taken from the transcript of any of the five agents, without a model.

    SESSION is a session's id, or a beginning of it; TRANSCRIPT its file. Without either: the list of what is kept.
    """
    memory = common.opened(design, cwd)
    if session is None:
        if write:
            raise click.UsageError("--write needs a session or a transcript.")
        _list(memory, as_json=as_json)
        return
    taken = memory.snapshot(session, write=write)
    if as_json:
        common.say_json(taken.as_dict())
    else:
        _show(taken, tokens)


def _list(memory: Memory, *, as_json: bool) -> None:
    kept = memory.snapshots()
    if as_json:
        common.say_json([
            {"host": each.snapshot.host, "session": each.snapshot.session, "taken": each.snapshot.taken, "cwd": each.snapshot.cwd,
             "path": each.path} for each in kept
        ])
        return
    for each in kept:
        found = each.snapshot
        when = found.taken[:16] or "(no time)"
        click.echo(f"{when:16}  {found.host:12} {common.shown(found.session)}  {common.dim(found.cwd)}")
    if not kept:
        click.echo("No snapshot is kept. `reverie snapshot TRANSCRIPT --write` keeps one.")


def _show(taken: Taken, tokens: int | None) -> None:
    from reverie.core import snapshot

    text = snapshot.rendered(taken.snapshot, tokens=tokens or snapshot.TOKENS, fenced=False)
    click.echo(common.shown(text) if text else "There is nothing to keep of this session.")
    far = taken.distance
    if far is not None:
        until = f"{far.left:,} tokens until the compaction at {far.starts_at:,}" if far.left > 0 else "a compaction is due"
        common.note(f"context {far.tokens:,} tokens: {until}")
    if taken.path:
        common.note(f"{'kept' if taken.change else 'was kept'} in {taken.path}")
