"""``reverie extract``."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import click

from reverie.entrypoints.cli import common

if TYPE_CHECKING:
    from reverie.flows.responding import Responded

PAYLOAD_BYTES = 8 * 1024 * 1024       # of what a hook hands over: its last answer is in it


@click.command("extract", epilog="Example: reverie extract ~/.qwen/projects/-srv-app/chats/5e55c0de.jsonl --design qwen-code")
@common.options
@click.option("--background", is_flag=True, help="Return at once; the work goes on by itself.")
@click.option("--hook", is_flag=True, help="In the background, with the transcript that a Stop hook names on standard input.")
@click.option("--no-dream", is_flag=True, help="Do not look whether it is time to dream afterwards.")
@click.option("--auto", is_flag=True, hidden=True, help="Nobody asked for it: the switches against such work hold.")
@click.argument("session", metavar="[SESSION|TRANSCRIPT]", required=False)
def command(
    design: str | None, cwd: str | None, as_json: bool, background: bool, hook: bool, no_dream: bool, auto: bool,
    session: str | None,
) -> None:
    """What comes after a response: keep what its session has that is new, and dream if it is time.

    A session goes on where its last reading stopped. With --hook it never fails and prints nothing: no agent waits for it.
    """
    if hook:
        found = _of_hook(sys.stdin.buffer.read(PAYLOAD_BYTES))
        if found:
            _detached(found, design, cwd, no_dream=no_dream, auto=True)
        return
    if not session:
        raise click.UsageError("Which session? Its transcript's path, its id, or a beginning of it.")
    if background:
        _detached(session, design, cwd, no_dream=no_dream, auto=auto)
        return
    memory = common.opened(design, cwd, background=auto)
    done = memory.extract(session, trigger="auto" if auto else "manual", dream=not no_dream)
    if as_json:
        common.say_json(as_dict(done))
    else:
        _show(done)
    if done.status == "failed":
        raise SystemExit(1)


def _of_hook(data: bytes) -> str:
    """The transcript that a hook's payload names, "" for none (spec/qwen-code §19.2)."""
    try:
        payload: Any = json.loads(data)
    except (ValueError, RecursionError):
        return ""
    path = payload.get("transcript_path") if isinstance(payload, dict) else None
    return path if isinstance(path, str) and len(path) <= 4_096 and "\0" not in path and not path.startswith("-") else ""


def _detached(session: str, design: str | None, cwd: str | None, *, no_dream: bool, auto: bool) -> None:
    command = [sys.executable, "-m", "reverie", "extract", *(["--design", design] if design else [])]
    command += [*(["--cwd", cwd] if cwd else []), *(["--no-dream"] if no_dream else [])]
    command += [*(["--auto"] if auto else []), "--", session]
    nowhere = subprocess.DEVNULL
    own = {"creationflags": 0x00000008 | 0x00000200} if sys.platform == "win32" else {"start_new_session": True}
    subprocess.Popen(command, stdin=nowhere, stdout=nowhere, stderr=nowhere, **own)


def as_dict(done: Responded) -> dict[str, Any]:
    """For ``--json``."""
    learned = done.learned
    return {
        "status": done.status, "skipped_reason": str(done.skip or ""), "detail": done.detail, "run": done.run,
        "outcome": learned.outcome if learned else "", "messages": learned.messages if learned else 0,
        "patches_count": len(learned.kept) if learned else 0, "touched_topics": list(done.topics),
        "duration_ms": done.duration_ms,
        "kept": [{"id": kept.id, "action": kept.action, "name": kept.memory.name} for kept in learned.kept] if learned else [],
        "not_kept": [{"reason": str(drop.reason), "quote": drop.quote} for drop in learned.drops] if learned else [],
        "queued": [as_dict(each) for each in done.queued],
    }


def _show(done: Responded) -> None:
    learned = done.learned
    if done.status == "skipped":
        click.echo(f"Not extracted: {done.skip}. What the session says is looked at the next time.")
    elif done.status == "failed":
        click.echo(f"reverie: nothing was extracted, and the cursor stays: {done.detail}", err=True)
    elif learned is not None:
        for kept in learned.kept:
            click.echo(f"  {kept.action:11} {common.short(kept.memory.name, 60)}  {common.dim(kept.id)}")
        click.echo(f"Extracted: {len(learned.kept)} kept of {learned.messages} new messages ({learned.outcome}).")
        if learned.kept:
            click.echo(common.dim(f"  take it all back with: reverie undo --run {done.run}"))
