"""What is known of the files that a team shares: who committed which content, whether it may be shown; and our own commits.

Filled when syncing, so that the request path asks the database and never git.
"""

from __future__ import annotations

from reverie.core.team import Known
from reverie.storage.database import Database, time_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime

KEPT = 20_000                           # contents of files of one store, beside those that a person decided about

Contents = tuple[str, str]              # a file's path in the folder, and the digest of its bytes


class TeamFiles:
    """The files of all teams' folders that this home knows."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock

    def known(self, label: str) -> dict[Contents, Known]:
        """All that is known of a store's files."""
        return {
            (row["path"], row["digest"]): Known(
                verdict=row["verdict"], reason=row["reason"], rules=row["rules"], author=row["author"],
                commit=row["commit_id"], committed_at=row["committed_at"],
            )
            for row in self._database.rows("team_files", label=label)
        }

    def keep(self, label: str, known: Mapping[Contents, Known]) -> None:
        """Add to what is known. A person's decision is replaced by another decision of theirs alone."""
        if not known:
            return
        with self._database.transaction():
            for (path, digest), each in known.items():
                self._database.run(
                    "add_team_file", label=label, path=path, digest=digest, verdict=each.verdict, reason=each.reason,
                    rules=each.rules, author=each.author, commit_id=each.commit, committed_at=each.committed_at,
                    at=time_text(self._clock()),
                )
            self._database.run("prune_team_files", label=label, newest=KEPT)

    def commits(self, label: str) -> frozenset[str]:
        """The commits that Reverie made."""
        return frozenset(row["id"] for row in self._database.rows("team_commits", label=label))

    def add_commits(self, label: str, ids: Iterable[str]) -> None:
        """Remember commits as ours."""
        with self._database.transaction():
            for id in ids:
                self._database.run("add_team_commit", label=label, id=id, at=time_text(self._clock()))
