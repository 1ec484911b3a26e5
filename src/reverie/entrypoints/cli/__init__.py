"""The command line. ``main`` finds a command by name and imports it only then; each command reads its input, calls the
library, and prints."""

from __future__ import annotations

import os
import sys

import click

from reverie import __version__, errors

# command -> (module, what the list of commands says); the order is the order of the help page
COMMANDS = {
    "tour": ("tour", "See the whole thing on sample sessions, in a temporary home."),
    "install": ("install", "Connect your coding agents: hooks that remember and recall; --dry-run shows the diff."),
    "uninstall": ("uninstall", "Disconnect them: settings are as they were, memories stay."),
    "learn": ("learn", "Learn from the sessions of your coding agents."),
    "recall": ("recall", "What memory has for a prompt."),
    "index": ("index", "What a session would start with."),
    "list": ("list", "The memories of this project, or of all."),
    "read": ("read", "One memory, with its age and where it came from."),
    "remember": ("remember", "Keep something you say here and now."),
    "forget": ("forget", "Take a memory out, with a preview; it can be undone."),
    "undo": ("undo", "Take back the last change, one change, or a whole run."),
    "extract": ("extract", "What comes after a response: keep what its session has that is new, dream if it is time."),
    "consolidate": ("consolidate", "In the design codex: extract the sessions at rest, and put in order what they gave."),
    "adopt": ("adopt", "Take over what an agent or you wrote into memory folders with an editor."),
    "dream": ("dream", "Tidy up: merge what is said twice, settle contradictions, date what was relative."),
    "profile": ("profile", "Who you are, as memory has it, for any project."),
    "events": ("events", "What happened across all sessions, in one order; --follow goes on."),
    "snapshot": ("snapshot", "The state of a session, as it should survive a compaction."),
    "sync": ("sync", "Share the team's memory through git: only its folder is committed, only that is pushed."),
    "team": ("team", "Turn the team's memory on or off; check it before a commit and in a CI."),
    "why": ("why", "Why a memory is there: session, message, rule, history."),
    "instructions": ("instructions", "What people wrote down for agents here (AGENTS.md), and what is left out of it."),
    "cost": ("cost", "What language models were asked, what it cost, what the caps leave."),
    "doctor": ("doctor", "Look for what is wrong in a product's memory folder and in ours; mend it on request."),
    "status": ("status", "What is kept, what was done, what needs a look."),
    "agents": ("agents", "Sub-agents with a memory of their own, and which of them share."),
    "designs": ("designs", "The memory designs side by side."),
    "mcp": ("mcp", "Serve memory to an agent over MCP; agents start it, see install --mcp."),
    "hook": ("hook", "Answer one event of an agent; agents call this, people do not."),
}


class Commands(click.Group):
    """Commands that are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        from importlib import import_module

        command: click.Command = import_module(f"reverie.entrypoints.cli.{COMMANDS[name][0]}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, says) for name, (_, says) in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            import difflib

            near = difflib.get_close_matches(args[0], COMMANDS, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise click.UsageError(f"There is no command {args[0]!r}.{hint} `reverie --help` lists them all.")
        return super().resolve_command(ctx, args)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]}, invoke_without_command=True)
@click.version_option(__version__, prog_name="reverie")
@click.pass_context
def group(ctx: click.Context) -> None:
    """A memory for coding agents: it learns from what they did, is there when it is needed, and stays in your hands.

    \b
    First time here?    reverie tour
    Learn and look:     reverie learn      then      reverie list
    What would help?    reverie recall "add a column to the orders table"
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main(args: list[str] | None = None) -> None:
    """Run the command line. Exit code 0: done, 1: failed, 2: wrong use; a failure is one message, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that cannot show a character must not end the command
    try:
        plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
        code = group.main(args=args, prog_name="reverie", standalone_mode=False, color=False if plain else None)
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except errors.WrongUse as error:
        code = _fail(str(error), 2)
    except errors.ReverieError as error:
        code = _fail(str(error), 1)
    except (KeyboardInterrupt, click.Abort):
        code = _fail("Stopped. What was finished is kept; the same command goes on from there.", 130)
    except BrokenPipeError:
        sys.stderr.close()  # the reader went away (| head): nothing to say, and nobody to say it to
        code = 1
    except OSError as error:    # what nobody further in has put in better words
        code = _fail(f"{error.filename or 'the system'}: {error.strerror or error}", 1)
    sys.exit(code if isinstance(code, int) else 0)


def _fail(message: str, code: int) -> int:
    from reverie.entrypoints.cli import common

    click.echo(f"reverie: {common.shown(message)}", err=True)      # it may hold words of a model, a server, a file
    return code
