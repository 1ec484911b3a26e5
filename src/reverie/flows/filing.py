"""A store as plain files below ``/memories``: what an agent does to its memory through Anthropic's memory tool.

The tool's contract is a file system with six commands (spec/claude-code §15), so everything that is written stays a file
as it was written. What the store's layout takes for a memory is one from then on: journalled, listed, recalled. Around that:

- every change is one entry of the journal, with the index that follows, and can be undone;
- a credential is refused, in a text and in a name; so is what the user had forgotten;
- what reads like orders to an agent is kept and sealed: quarantined in its own frontmatter, never shown to a model again.
  A file that cannot carry that mark is refused;
- the agent's word never counts as the user's: a file it changes cannot claim to be the user's;
- the index is the store's own: it can be viewed, and is rendered after each change.

In a store that mixes projects (Codex) ``/memories`` is this project's folder among the ad-hoc notes, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from reverie.axes.scoping import Mount
from reverie.core import redact, tool_answers, trust
from reverie.core.budget import clip
from reverie.core.events import Cause, Touched, Use
from reverie.core.layout import File
from reverie.core.tool_answers import ROOT, Wording
from reverie.errors import CommandRefused, Conflict, ReverieError, StoreUnavailable
from reverie.flows import filing_paths
from reverie.flows.admission import told
from reverie.flows.filing_door import Door
from reverie.flows.filing_paths import Where
from reverie.flows.filing_tree import Tree
from reverie.flows.space import PROJECT_FILE, Space
from reverie.layouts import codex_reading, naming, qwen_state

VIEW_CHARACTERS = 64_000            # of one answer, some 20,000 tokens; the rest is had with view_range
ATTEMPTS = 5                        # a hand edit between reading and writing makes a new plan; more than this is a loop

_LINKS = frozenset(("symlink", "symlink_outside", "symlink_to_folder", "symlink_loop", "missing"))  # missing: its target


class Files:
    """The files of one store, as the tool sees them. Every refusal is a ``CommandRefused`` with the tool's own sentence."""

    def __init__(
        self,
        space: Space,
        mount: Mount,
        *,
        scope: str,
        session: str = "",
        wording: Wording = tool_answers.SDK,
        view_characters: int = VIEW_CHARACTERS,
        instructs: Callable[[str], str | None] = trust.instructs,
    ) -> None:
        self._space, self._mount, self._session = space, mount, session
        self._store = space.store(mount)
        self._say = wording
        self._limit = view_characters
        owner = "user" if scope == "user" else mount.project
        self._base = f"{codex_reading.NOTES}{owner}/" if mount.mixed else ""
        self._own = _own_files(self._store.layout.name, mixed=mount.mixed)
        self._door = Door(space, mount, self._base, wording, instructs)

    @property
    def root(self) -> Path:
        """The folder behind ``/memories``."""
        return Path(self._store.root, self._base)

    # ── the six commands, and one for the program ────────────────────────────────────────────────────────────────

    def view(self, path: str, view_range: Sequence[int] | None = None) -> str:
        """A directory two levels deep, or a file's lines with their numbers. ``view_range``: first and last line, -1 for
        the end."""
        with self._answering():
            where = self._parsed(path)
            tree = self._look()
            if tree.is_folder(where.relative):
                return tool_answers.listing(path, tree.below(where.relative), self._say, self._limit)
            file = self._file(tree, where, path, "no_such_view")
            self._door.unsealed(where, file, path)
            lines = _redacted(file.data.decode("utf-8", "replace")).split("\n")
            if len(lines) > tool_answers.MOST_LINES:
                raise self._refused("too_many_lines", path=path)
            first, last = self._range(view_range, len(lines))
            self._credit(where, file)
            return self._say("content", path=path) + "\n" + tool_answers.page(lines, first, last, self._limit)

    def create(self, path: str, file_text: str) -> str:
        """A new file. One that is there is not overwritten."""

        def plan(tree: Tree) -> _Planned:
            where = self._new(path, tree, exists="exists")
            data, note = self._door.admitted(where, None, file_text, path)
            return _Planned({where.relative: data}, self._say("created", path=path) + note)

        return self._change("create", path, plan)

    def str_replace(self, path: str, old_str: str, new_str: str) -> str:
        """One place of a file, said anew. The old words must occur exactly once."""

        def plan(tree: Tree) -> _Planned:
            where, text, before = self._editable(tree, path, "edit")
            count = text.count(old_str)
            old = clip(old_str, tool_answers.QUOTED_CHARACTERS).text
            if not count:
                raise self._refused("not_found_in", old=old, path=path)
            if count > 1:
                raise self._refused("several", old=old, lines=tool_answers.occurrences(text, old_str))
            after = text.replace(old_str, new_str)
            data, note = self._door.admitted(where, before, after, path, brought=new_str)
            shown = tool_answers.snippet(after, text.find(old_str), self._limit)
            return _Planned({where.relative: data}, f"{self._say('edited')}\n{shown}{note}")

        return self._change("str_replace", path, plan)

    def insert(self, path: str, insert_line: int, insert_text: str) -> str:
        """New lines behind the given line; 0: before the first."""

        def plan(tree: Tree) -> _Planned:
            where, text, before = self._editable(tree, path, "insert")
            after = tool_answers.inserted(text, insert_line, insert_text)
            if after is None:
                raise self._refused("line_range", line=insert_line, last=len(tool_answers.lines_of(text)))
            data, note = self._door.admitted(where, before, after, path, brought=insert_text)
            return _Planned({where.relative: data}, self._say("inserted", path=path) + note)

        return self._change("insert", path, plan)

    def delete(self, path: str) -> str:
        """A file, or a directory with all that is in it. Memories go to the trash; all of it can be undone."""

        def plan(tree: Tree) -> _Planned:
            where = self._parsed(path)
            if not where.relative:
                raise self._refused("root_delete")
            return _Planned(dict.fromkeys(self._at(tree, where, path)), self._say("deleted", path=path))

        return self._change("delete", path, plan)

    def rename(self, old_path: str, new_path: str) -> str:
        """A file or a directory under another path. Nothing is overwritten."""

        def plan(tree: Tree) -> _Planned:
            old = self._parsed(old_path)
            if not old.relative:
                raise self._refused("root_rename")
            self._free(new_path, tree, exists="destination")
            sources = self._at(tree, old, old_path)
            new = self._new(new_path, tree, exists="destination", moving=old)
            changed: dict[str, bytes | None] = {}
            note = ""
            for source in sources:
                target = Where(new.relative + source[len(old.relative) :], False)
                file = tree.file(source)
                self._door.unsealed(Where(source, False), file, f"{ROOT}/{source}")
                if self._door.is_memory(target.relative) and not self._door.is_memory(source):    # it becomes one only now
                    text = self._text(file, old_path)
                    changed[target.relative], said = self._door.admitted(target, None, text, new_path)
                    note = note or said
                else:
                    changed[target.relative] = file.data
                changed[source] = None
            return _Planned(changed, self._say("renamed", old=old_path, new=new_path) + note, was=old.relative)

        return self._change("rename", f"{old_path} to {new_path}", plan)

    def clear(self) -> str:
        """Everything goes, as one change: for the program that runs the tool, not for the model."""

        def plan(tree: Tree) -> _Planned:
            kept = () if self._base else (naming.INDEX,)
            return _Planned({path: None for path in tree.sizes if path not in kept}, self._say("cleared"))

        return self._change("clear", ROOT, plan)

    # ── where a path leads ───────────────────────────────────────────────────────────────────────────────────────

    def _look(self) -> Tree:
        return Tree(self._store.folder(), self._base, self._own)

    def _refused(self, key: str, **values: object) -> CommandRefused:
        return CommandRefused(self._say(key, **values))

    def _parsed(self, path: str) -> Where:
        try:
            return filing_paths.parse(path)
        except filing_paths.Refused as error:
            raise self._refused(error.key, path=path, why=error.why) from None

    def _free(self, path: str, tree: Tree, *, exists: str) -> Where:
        """A place where nothing is. ``exists`` is the sentence for one where something is."""
        where = self._parsed(path)
        if tree.is_folder(where.relative) or where.relative in tree.sizes:
            raise self._refused(exists, path=path)
        return where

    def _new(self, path: str, tree: Tree, *, exists: str, moving: Where | None = None) -> Where:
        """A place for a new file or directory: free, of an allowed name, in directories that are none else."""
        where = self._free(path, tree, exists=exists)
        if moving and tree.is_folder(moving.relative) and where.relative.startswith(moving.relative + "/"):
            raise self._refused("into_itself", old=f"{ROOT}/{moving.relative}")
        try:
            filing_paths.check_new(where)
        except filing_paths.Refused as error:
            raise self._refused(error.key, path=path, why=error.why) from None
        self._door.name(path)
        self._not_the_stores(where, path)
        self._reachable(tree, where, path)
        names = where.relative.split("/")
        for depth in range(1, len(names)):
            if "/".join(names[:depth]) in tree.sizes:
                raise self._refused("not_a_folder", path=f"{ROOT}/{'/'.join(names[:depth])}")
        if other := tree.twin(where.relative):
            raise self._refused("exists_as", path=path, other=f"{ROOT}/{other}")
        return where

    def _not_the_stores(self, where: Where, path: str) -> None:
        """Refuse to touch the index, and the files in which the store keeps its own affairs."""
        folded = naming.fold(where.relative)
        if self._base:          # a folder of the agent's own
            return
        if folded == naming.fold(naming.INDEX):
            raise self._refused("index", path=path)
        if folded in self._own:
            raise self._refused("bad_name", path=path, why="the store keeps a file of its own there")

    def _reachable(self, tree: Tree, where: Where, path: str) -> None:
        """Refuse what lies at or behind something that the store passed over: a link, a pipe, a file that is too large."""
        reason = tree.obstacle(where.relative)
        if reason in _LINKS:
            raise self._refused("escapes", path=path)
        if reason:
            raise self._refused("unreadable", path=path, why=reason.replace("_", " "))

    def _file(self, tree: Tree, where: Where, path: str, otherwise: str) -> File:
        self._reachable(tree, where, path)
        if where.relative not in tree.sizes:
            raise self._refused(otherwise, path=path)
        return tree.file(where.relative)

    def _editable(self, tree: Tree, path: str, command: str) -> tuple[Where, str, bytes]:
        """A file that is about to be changed: where it is, its text and its bytes."""
        where = self._parsed(path)
        if tree.is_folder(where.relative):
            raise self._refused(f"folder_{command}", path=path)
        file = self._file(tree, where, path, f"no_such_{command}")
        self._not_the_stores(where, path)
        self._door.unsealed(where, file, path)
        return where, self._text(file, path), file.data

    def _text(self, file: File, path: str) -> str:
        try:
            return file.data.decode("utf-8")
        except UnicodeDecodeError:
            raise self._refused("not_text", path=path) from None

    def _at(self, tree: Tree, where: Where, path: str) -> list[str]:
        """The file at a path, or the files in the directory there."""
        self._reachable(tree, where, path)
        if where.relative in tree.sizes:
            self._not_the_stores(where, path)
            return [where.relative]
        if not tree.is_folder(where.relative):
            raise self._refused("no_such", path=path)
        return [f"{where.relative}/{name}" for name in tree.below(where.relative)]

    def _range(self, view_range: Sequence[int] | None, count: int) -> tuple[int, int]:
        if not view_range or len(view_range) != 2:
            return 1, count
        first, last = view_range
        if last != -1 and last < max(1, first):
            raise self._refused("bad_range", range=list(view_range))
        return max(1, first), count if last == -1 else last

    # ── memories in files ────────────────────────────────────────────────────────────────────────────────────────

    def _touched(self, tree: Tree, planned: _Planned) -> tuple[list[Touched], list[str]]:
        """What a change means for memories, and which of them go for good (their files are kept in the trash)."""
        touched: list[Touched] = []
        gone: list[str] = []
        for relative, data in planned.changed.items():
            was = tree.file(relative) if relative in tree.sizes else None
            before = self._door.memories(relative, was.data if was else None, was)
            touched += told(self._store.full_id, before, self._door.memories(relative, data))
            if data is None and not planned.was:
                gone += [memory.id for memory in before]
        return touched, gone

    def _credit(self, where: Where, file: File) -> None:
        """A memory that was opened was of use. Nothing depends on it."""
        memories = self._door.memories(where.relative, file.data, file)
        if memories and not self._space.home.readonly:
            with suppress(StoreUnavailable):
                self._space.home.records.credit(Use(memory=self._store.full_id(memory.id)) for memory in memories)

    # ── changing ─────────────────────────────────────────────────────────────────────────────────────────────────

    def _change(self, command: str, what: str, plan: Callable[[Tree], _Planned]) -> str:
        """Look, plan and commit as one step that no other process comes between; what a hand changes meanwhile is
        looked at again."""
        with self._answering():
            if not self._store.exists:
                plan(self._look())       # what is refused makes nothing, not even a home
            with self._space.home.lock("memory_tool"):
                for _ in range(ATTEMPTS):
                    tree = self._look()
                    planned = plan(tree)
                    with suppress(Conflict):
                        self._commit(command, tree, planned, why=f"{command} {what}")
                        return planned.answer
            raise self._refused("busy", what=what)

    def _commit(self, command: str, tree: Tree, planned: _Planned, *, why: str) -> None:
        touched, gone = self._touched(tree, planned)
        now = self._space.now()
        changed = {self._base + relative: data for relative, data in planned.changed.items()}
        plan = self._store.plan_files(tree.view, changed, now, trash=gone, why=f"{why} by the agent")
        for relative, data in changed.items():
            if data is not None:
                self._store.clear_folders(relative)     # one that is empty would be in the way
        edits = [*plan.edits, *(self._space.project_edit(self._mount) if plan.edits else [])]
        self._space.home.journal.commit(
            edits,
            cause=Cause(operation="memory_tool", actor="agent", session=self._session, rule=f"memory_tool.{command}", why=why),
            touched=touched,
        )
        for relative, data in changed.items():
            if data is None:
                self._store.clear_folders(relative)

    @contextmanager
    def _answering(self) -> Iterator[None]:
        """Whatever goes wrong is an answer, and names no path of this machine."""
        try:
            yield
        except CommandRefused:
            raise
        except ReverieError as error:
            words = str(error)
            for root in (self._store.root, f"stores/{self._store.label}"):
                words = words.replace(f"{root}/{self._base}".rstrip("/"), ROOT)
            raise self._refused("trouble", why=words.replace(self._space.home.root, "(memory)")) from error


class _Planned:
    """What a command would do: paths below ``/memories`` to bytes (None: gone), and its answer. ``was``: what is renamed."""

    __slots__ = ("answer", "changed", "was")

    def __init__(self, changed: Mapping[str, bytes | None], answer: str, *, was: str = "") -> None:
        self.changed = changed
        self.answer = answer
        self.was = was


def _own_files(layout: str, *, mixed: bool) -> frozenset[str]:
    """The files in which a store keeps its own affairs: not shown, not touched."""
    if mixed:       # they lie elsewhere
        return frozenset()
    state = (qwen_state.META, qwen_state.CURSOR, qwen_state.LOCK) if layout == "qwen-code" else ()
    return frozenset((PROJECT_FILE, *state))


def _redacted(text: str) -> str:
    """A text as a model may see it, each line still on its line."""
    parts, at = [], 0
    for secret in redact.find(text):
        parts += [text[at : secret.start], redact.PLACEHOLDER, "\n" * text.count("\n", secret.start, secret.end)]
        at = secret.end
    return "".join([*parts, text[at:]])
