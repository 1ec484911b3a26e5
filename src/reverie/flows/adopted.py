"""What adopting did, file by file: the words of its report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reverie.storage.journal import Journal


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What became of one file. ``outcome``: "adopted" (new), "updated", "unchanged", "masked" (a credential was taken out),
    "quarantined" (kept, and shown to no model), "removed", or "skipped:" and why it was left alone.

    ``path`` is the file as a person finds it; ``memory`` its id, where it is one; ``detail`` what else is to be said.
    """

    path: str
    outcome: str
    memory: str = ""
    detail: str = ""

    @property
    def is_news(self) -> bool:
        """Whether something was done, or should be looked at."""
        return self.outcome != "unchanged"


@dataclass(frozen=True, slots=True, kw_only=True)
class Adopted:
    """The report. ``lines``: what somebody wrote into an index by hand and no memory says (the index is rendered anew)."""

    run: str = ""
    dry_run: bool = False
    files: tuple[Taken, ...] = ()
    lines: tuple[str, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """How many files had which outcome."""
        return dict(Counter(each.outcome for each in self.files))

    @property
    def changed(self) -> bool:
        """Whether anything was taken over."""
        return any(each.outcome not in ("unchanged",) and not each.outcome.startswith("skipped:") for each in self.files)

    def rehearsed(self, there: str, here: str) -> Adopted:
        """The report of a rehearsal, in the paths of the home that it was one of."""
        files = tuple(replace(each, path=here + each.path.removeprefix(there) if each.path.startswith(there) else each.path)
                      for each in self.files)
        return replace(self, run="", dry_run=True, files=files)

    def as_dict(self) -> dict[str, Any]:
        """For ``--json``."""
        return {
            "run": self.run, "dry_run": self.dry_run, "counts": self.counts, "index_lines": list(self.lines),
            "files": [
                {"path": each.path, "outcome": each.outcome, "memory": each.memory, "detail": each.detail} for each in self.files
            ],
        }


def together(parts: Sequence[Adopted]) -> Adopted:
    """One report of several."""
    files = tuple(each for part in parts for each in part.files)
    return Adopted(files=files, lines=tuple(line for part in parts for line in part.lines))


class Run:
    """The run that all changes of one adopting belong to. It begins with the first of them: looking alone leaves no trace."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self.id = ""

    def started(self) -> str:
        self.id = self.id or self._journal.start_run("adopt")
        return self.id

    def ended(self, report: Adopted) -> Adopted:
        """The report, with the run that it tells of."""
        if self.id:
            self._journal.end_run(self.id, "succeeded" if report.changed else "succeeded_no_output", report.counts)
        return replace(report, run=self.id)
