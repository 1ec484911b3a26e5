"""``reverie team``."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import click

from reverie.core.team import finding_dict
from reverie.entrypoints.cli import common

HOOK = """#!/bin/sh
# Keeps credentials, orders to agents and broken files out of the memory that this team shares.
reverie team check --staged || exit 1
"""


@click.group("team", epilog="Example: reverie team on")
def command() -> None:
    """The memory that a team shares through its repository: turn it on, and keep it clean. `reverie sync` shares it."""


@command.command("on")
@common.options
def on(design: str | None, cwd: str | None, as_json: bool) -> None:
    """Read and write the team's memory in this project."""
    _turn(design, cwd, as_json, on=True)


@command.command("off")
@common.options
def off(design: str | None, cwd: str | None, as_json: bool) -> None:
    """Leave the team's memory alone in this project."""
    _turn(design, cwd, as_json, on=False)


def _turn(design: str | None, cwd: str | None, as_json: bool, *, on: bool) -> None:
    memory = common.opened(design, cwd)
    change = memory.team_turn(on=on)
    where = memory.space.design.scoping.team
    if as_json:
        common.say_json({"team": "on" if on else "off", "folder": where, "change": change})
        return
    click.echo(f"The team's memory is {'on' if on else 'off'} for {memory.place.main_root or memory.place.real}.")
    if on:
        click.echo(common.dim(f'  It lies in {where}/. Add to it: reverie remember --scope team "..."; share it: reverie sync'))


@command.command("check", epilog="Example: reverie team check --commit origin/main..HEAD")
@common.options
@click.option("--staged", is_flag=True, help="What is staged: for a pre-commit hook.")
@click.option("--commit", "commits", default="", metavar="RANGE", help="A commit, or each of a range: for a CI.")
def check(design: str | None, cwd: str | None, as_json: bool, staged: bool, commits: str) -> None:
    """Look for what must not be in a team's memory: credentials, orders to agents, links, files that are too large or broken, an
    index that does not follow. Exit 1 when something is found."""
    if staged and commits:
        raise click.UsageError("--staged and --commit exclude each other")
    found = common.opened(design, cwd).team_check(staged=staged, commits=commits)
    if as_json:
        common.say_json([finding_dict(each) for each in found])
    for each in () if as_json else found:
        at = f"{each.at}  " if each.at else ""
        click.echo(f"{at}{common.shown(each.path)}: {click.style(each.reason, fg='red')} {common.shown(each.detail)}".rstrip())
    if found:
        raise SystemExit(1)
    if not as_json:
        click.echo("Nothing found.")


@command.command("hook", epilog="Example: reverie team hook --install")
@click.option("--cwd", metavar="DIR", help="The working directory to look from (default: this one).")
@click.option("--install", is_flag=True, help="Write it into the repository; an existing hook is left alone.")
def hook(cwd: str | None, install: bool) -> None:
    """Print a pre-commit hook that runs `reverie team check --staged`, or install it."""
    if not install:
        click.echo(HOOK, nl=False)
        return
    memory = common.opened(None, cwd)
    path = memory.team_hook(HOOK)
    if path is None:
        raise click.UsageError("this is no git repository")
    file = Path(path)
    if file.read_text(encoding="utf-8", errors="replace") != HOOK:
        click.echo(f"{path} is there already and was left alone. Add to it this line:\n\n  reverie team check --staged || exit 1",
                   err=True)
        raise SystemExit(1)
    if os.name != "nt":
        file.chmod(file.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    click.echo(f"{path} checks what is committed into the team's memory from now on.")
