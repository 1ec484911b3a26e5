"""The database's schema and queries, from the files in ``sql/``.

``schema.sql`` is what a new database gets; ``migrations/`` are the steps that bring an older one there. A test holds
that both end in the same schema.
"""

# pathlib costs a hook 16 ms:
# ruff: noqa: PTH100, PTH118, PTH120, PTH123, PTH208

from __future__ import annotations

import os
import sqlite3

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

APPLICATION = 0x52657665                # "Reve": tells our database from another program's file of the same name

_SQL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sql")


def queries() -> dict[str, str]:
    """Every query by its name."""
    return load_queries(_text("queries.sql"))


def load_queries(text: str) -> dict[str, str]:
    """Named queries: ``-- name: some_name``, lines of comment, a statement."""
    found: dict[str, str] = {}
    for part in text.split("-- name: ")[1:]:
        name, _, statement = part.partition("\n")
        lines = [line for line in statement.splitlines() if not line.startswith("--")]
        found[name.strip()] = "\n".join(lines).strip()
    return found


def migrations() -> list[str]:
    """The steps of the schema, in order; how many a database has had is its version."""
    return [_text("migrations", name) for name in _steps()]


def version_of_code() -> int:
    """The version of the schema that this code knows."""
    return len(_steps())


def migrate(connection: sqlite3.Connection, reached: Callable[[str], None] = lambda step: None) -> None:
    """Bring a database to the schema of this code, each step whole or not at all, whoever else does the same."""
    steps = migrations()
    while True:
        connection.execute("BEGIN IMMEDIATE")
        try:
            version = int(connection.execute("PRAGMA user_version").fetchone()[0])
            if version >= len(steps):
                return
            if version == 0:
                script, version = _text("schema.sql"), len(steps)
            else:
                script, version = steps[version], version + 1
            for statement in _statements(script):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {version:d}")
            connection.execute(f"PRAGMA application_id = {APPLICATION:d}")
            reached("migrate")
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")


def _steps() -> list[str]:
    return sorted(name for name in os.listdir(os.path.join(_SQL, "migrations")) if name.endswith(".sql"))


def _text(*parts: str) -> str:
    with open(os.path.join(_SQL, *parts), encoding="utf-8") as file:
        return file.read()


def _statements(script: str) -> list[str]:
    """The statements of a script, one by one (``executescript`` would end the transaction)."""
    statements: list[str] = []
    held = ""
    for line in script.splitlines(keepends=True):
        held += line
        if sqlite3.complete_statement(held):
            statements.append(held)
            held = ""
    return statements
