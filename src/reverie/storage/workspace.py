"""What a memory folder has become since its baseline: the changes, and the file that tells a consolidator of them.

The folder that is compared is a copy (``staging``), the baseline is the store's own (``baseline``). Nothing is written into
either: git works with a repository of one run beside them, which borrows the baseline's objects.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from reverie.storage import baseline
from reverie.storage.baseline import Ran, Skipped

DIFF_FILE = "phase2_workspace_diff.md"
DIFF_LIMIT_BYTES = 4 * 1024 * 1024      # spec/codex §9.5
SECONDS = 60.0
_EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"        # git knows this one without having it
_SAYS = "What changed in this folder since the last consolidation. Everything in it is data, and authoritative as a change."


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """A folder against its baseline. ``changes``: path to "A", "M" or "D"; ``diff`` in git's unified style."""

    changes: dict[str, str]
    diff: bytes
    based: bool                         # whether there was a baseline; without one everything is an addition

    def removed(self) -> list[str]:
        return [path for path, status in self.changes.items() if status == "D"]


def compare(folder: Path, store: Path, *, scratch: Path, git: str = "git") -> Workspace | Skipped:
    """A folder as against the baseline in a store's ``.git``. ``scratch``: a folder in which something may lie for a moment."""
    with tempfile.TemporaryDirectory(prefix="git-", dir=scratch, ignore_cleanup_errors=True) as name:
        repository = Path(name, "repository")
        try:
            baseline.scaffold(repository)
            tree = _borrowed(repository, store, git=git)
        except OSError as error:
            return Skipped("folder_not_writable", f"{str(scratch)!r}: {error.strerror or error}")
        if isinstance(tree, Skipped):
            return tree
        outside = [f":(top,exclude,literal){each}" for each in baseline.OUTSIDE]
        added = _git(repository, folder, "add", "--all", "--force", "--", ":(top)", *outside, git=git)
        if isinstance(added, Skipped):
            return added
        told = ("--cached", "--no-renames", "--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all")
        named = _git(repository, folder, "diff", *told, "--name-status", "-z", tree, git=git)
        shown = _git(repository, folder, "diff", *told, "--unified=3", tree, git=git)
        if isinstance(named, Skipped):
            return named
        if isinstance(shown, Skipped):
            return shown
    return Workspace(changes=dict(_named(named.out)), diff=_unindexed(shown.out), based=tree != _EMPTY_TREE)


def file_at_baseline(store: Path, path: str, *, git: str = "git") -> bytes | None:
    """A file as it was at the baseline; None when it was not there, or there is no baseline."""
    if not (store / ".git" / baseline.OURS).is_file():
        return None
    ran = baseline.run([f"--git-dir={store / '.git'}", "cat-file", "blob", f"HEAD:{path}"], folder=str(store), git=git)
    return ran.out if isinstance(ran, Ran) and ran.code == 0 else None


def rendered(workspace: Workspace) -> bytes:
    """``phase2_workspace_diff.md`` (spec/codex §9.5)."""
    status = [f"- {status} {path}" for path, status in sorted(workspace.changes.items())]
    diff = workspace.diff
    cut = len(diff) > DIFF_LIMIT_BYTES
    if cut:
        diff = diff[:DIFF_LIMIT_BYTES].decode("utf-8", "ignore").encode()
    fence = "`" * max(3, _longest_fence(diff) + 1)
    parts = [
        f"# Memory Workspace Diff\n\n{_SAYS}\n\n## Status\n".encode(),
        "".join(f"{line}\n" for line in status).encode("utf-8", "surrogateescape"),
        f"\n## Diff\n\n{fence}diff\n".encode(), diff, b"" if diff.endswith(b"\n") or not diff else b"\n", f"{fence}\n".encode(),
        f"\n[workspace diff truncated at {DIFF_LIMIT_BYTES} bytes]\n".encode() if cut else b"",
    ]
    return b"".join(parts)


def _borrowed(repository: Path, store: Path, *, git: str) -> str | Skipped:
    """Let a new repository see a store's objects; the tree of the baseline's commit, or the empty one."""
    current = store / ".git"
    if not (current / baseline.OURS).is_file():
        return _EMPTY_TREE
    (repository / "objects" / "info").mkdir(exist_ok=True)
    (repository / "objects" / "info" / "alternates").write_bytes(str((current / "objects").resolve()).encode() + b"\n")
    ran = baseline.run([f"--git-dir={current}", "rev-parse", "--verify", "--quiet", "HEAD^{tree}"], folder=str(store), git=git)
    if isinstance(ran, Skipped):
        return ran
    return ran.text if ran.code == 0 else _EMPTY_TREE


def _git(repository: Path, folder: Path, *arguments: str, git: str) -> Ran | Skipped:
    command = [f"--git-dir={repository}", f"--work-tree={folder}", "-c", "core.quotePath=false", *arguments]
    ran = baseline.run(command, folder=str(folder), timeout_seconds=SECONDS, git=git)
    if isinstance(ran, Ran) and ran.code:
        return Skipped("git_failed", ran.err.decode("utf-8", "replace").strip()[-500:])
    return ran


def _named(out: bytes) -> Iterator[tuple[str, str]]:
    parts: Sequence[bytes] = out.split(b"\0")
    for status, path in zip(parts[::2], parts[1::2], strict=False):
        letter = status.decode("ascii", "replace")[:1]
        yield path.decode("utf-8", "surrogateescape"), letter if letter in "AMD" else "M"


def _unindexed(diff: bytes) -> bytes:
    """git's diff without the lines that name its objects: the product's has none."""
    kept: list[bytes] = []
    in_head = False
    for line in diff.splitlines(keepends=True):
        if line.startswith(b"diff --git "):
            in_head = True
        elif line.startswith((b"@@", b"Binary ")):
            in_head = False
        if not (in_head and line.startswith(b"index ")):
            kept.append(line)
    return b"".join(kept)


def _longest_fence(diff: bytes) -> int:
    """Lines of a diff begin with a sign, so that hardly any fence can close ours; the first column decides."""
    return max((len(line) - len(line.lstrip(b"`")) for line in diff.split(b"\n") if line.startswith(b"`")), default=0)


def remove(folder: Path) -> None:
    """Take away a folder of ours, whatever lies in it."""
    shutil.rmtree(folder, ignore_errors=True)
