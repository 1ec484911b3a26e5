"""``reverie uninstall``."""

from __future__ import annotations

import click

from reverie.entrypoints.cli import install
from reverie.hosts.installing import SCOPES


@click.command("uninstall", epilog="Example: reverie uninstall --all --dry-run")
@click.argument("hosts", nargs=-1, metavar="[HOST]...")
@click.option("--all", "everywhere", is_flag=True, help="Every agent that was ever used here.")
@click.option("--scope", type=click.Choice(SCOPES), default="user", help="For you (default), or in this project.")
@click.option("--dry-run", is_flag=True, help="Show what would be taken out, as a diff; write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Answer for a program.")
@click.option("--cwd", metavar="DIR", help="The working directory to look from (default: this one).")
def command(hosts: tuple[str, ...], everywhere: bool, scope: str, dry_run: bool, as_json: bool, cwd: str | None) -> None:
    """Disconnect coding agents: their settings are as they were. What you changed in them since stays, and so do memories."""
    made = install.installation(cwd, scope)
    outcomes = [made.uninstall(host, dry_run=dry_run) for host in install.chosen(made, hosts, everywhere)]
    install.finish(outcomes, as_json=as_json, dry_run=dry_run)
