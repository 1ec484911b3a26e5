"""Connecting a client, and disconnecting it: what ``hosts.installing`` wants, put into files that are not ours.

What was inserted where is kept in ``installed.json`` in the home, with a checksum of each file as it was found: taking the same
texts out again gives the same bytes. Where somebody has edited around them since, or laid the file out anew, ours are found
by what they say, and only they go.
"""

from __future__ import annotations

import difflib
import json
import os
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from reverie import errors, hosts
from reverie.core import splicing
from reverie.hosts import hooks, installing
from reverie.hosts.installing import ListItem, Member, OwnFile, Piece, Server, Trust
from reverie.storage import files, settings_files
from reverie.storage.settings_files import SettingsFile

RECORD = "installed.json"
_EMPTY = "{}\n"                         # what a file without settings begins with
VERSION_SECONDS = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Inserted:
    """What we put into one file. ``before`` and ``after``: its checksums; "" before: there was no file."""

    host: str
    scope: str
    path: str
    texts: tuple[str, ...]
    before: str
    after: str
    folders: tuple[str, ...] = ()       # that were made for it


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One file: as it is, as it will be. ``text`` None: it goes. ``said``: what a person should know about it."""

    host: str
    scope: str
    file: SettingsFile
    text: str | None
    texts: tuple[str, ...] = ()
    said: str = ""

    @property
    def is_none(self) -> bool:
        return self.text == self.file.text

    def diff(self) -> str:
        """For a person, before it is done."""
        before, after = ((text or "").splitlines(keepends=True) for text in (self.file.text, self.text))
        path = self.file.path
        names = (path if self.file.text is not None else "(not there)", path if self.text is not None else "(removed)")
        lines = difflib.unified_diff(before, after, *names)
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


@dataclass(slots=True, kw_only=True)
class Outcome:
    """What became of one client. ``outcome``: "installed", "unchanged", "uninstalled", "not_installed", "failed"."""

    host: str
    outcome: str
    version: str = ""
    changes: list[Change] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def as_dict(self, *, diffs: bool) -> dict[str, Any]:
        """For ``--json``."""
        return {
            "host": self.host, "outcome": self.outcome, "version": self.version, "notes": self.notes,
            "files": [
                {"path": each.file.path, "real": each.file.real, "new": each.file.text is None, "removed": each.text is None,
                 **({"diff": each.diff()} if diffs else {})}
                for each in self.changes
            ],
        }


class Installation:
    """One home's connections to clients, in one scope."""

    def __init__(
        self, root: str, *, environment: Mapping[str, str], user_home: str, now: datetime, project: str = "",
        options: Sequence[str] = (), windows: bool = os.name == "nt", mcp: bool | None = None,
    ) -> None:
        """``project``: the root of the project whose settings are meant, "" for the user's own. ``options``: of the hook.
        ``mcp``: whether the MCP server is registered, too; None: as it was."""
        self.root = root
        self.environment = environment
        self.user_home = user_home
        self.now = now
        self.project = project
        self.scope = "project" if project else "user"
        self.windows = windows
        self.mcp = mcp
        self.options = tuple(options)

    # ---- which

    def known(self) -> list[str]:
        """The clients that were ever used here: their folder exists, or their program is on PATH."""
        return [host for host in installing.PROGRAMS if self._folder_exists(host) or self._program(host)]

    def _folder_exists(self, host: str) -> bool:
        return os.path.isdir(installing.folder_of(host, environment=self.environment, user_home=self.user_home))    # noqa: PTH112

    def _program(self, host: str) -> str:
        from shutil import which

        return which(installing.PROGRAMS[host][0], path=self.environment.get("PATH", os.defpath)) or ""

    def folder(self, host: str) -> str:
        """Where the client's settings lie."""
        if self.project and host == "kimi-code":
            raise errors.WrongUse("kimi-code has plug-ins for the user only: leave out --scope project")
        return installing.folder_of(host, environment=self.environment, user_home=self.user_home, project=self.project)

    def version(self, host: str) -> str:
        """What the client says of itself, "" when it is not there or does not say."""
        program = self._program(host)
        if not program:
            return ""
        try:
            done = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=VERSION_SECONDS, check=False,
                                  stdin=subprocess.DEVNULL, env={**self.environment, "REVERIE_INSIDE": "1"})
        except (OSError, subprocess.SubprocessError):
            return ""
        words = [word.strip("v,()") for word in done.stdout.split()]
        return next((word for word in words if word[:1].isdigit() and "." in word), "")

    # ---- installing

    def install(self, host: str, *, dry_run: bool = False, force: bool = False) -> Outcome:
        """Connect one client, or bring what is there up to date. Raises nothing for what a file holds: that is a "failed"."""
        done = Outcome(host=host, outcome="unchanged", version=self.version(host))
        try:
            folder = self.folder(host)
            if not self._fits(host, done, force=force):
                return done
            if self.project and host == "codex":
                done.notes.append("Codex will ask whether this project, and its hooks, are trusted: say yes (/hooks)")
            for change in self._wanted(host, folder, done):
                if not change.is_none:
                    done.changes.append(change)
            for change in done.changes:
                settings_files.writable(change.file)
            if done.changes:
                done.outcome = "installed"
                if not dry_run:
                    self._apply(done.changes)
        except (errors.ReverieError, OSError) as error:
            done.outcome = "failed"
            done.notes.append(str(error))
        return done

    def _fits(self, host: str, done: Outcome, *, force: bool) -> bool:
        program, tested, line = installing.PROGRAMS[host]
        if not done.version:
            if not self._program(host):
                done.notes.append(f"there is no program {program!r} on PATH: connected all the same, for when there is"
                                  if not self._folder_exists(host) else f"{program!r} is not on PATH: its version is not known")
            return True
        if not done.version.startswith(line) and not force:
            done.outcome = "failed"
            done.notes.append(f"{host} {done.version} is another product line than the one that is known ({tested}x): nothing "
                              "was written. Its sessions are read all the same where they can be. --force connects it.")
            return False
        if not done.version.startswith(tested):
            done.notes.append(f"{host} {done.version} was not tried, {tested}x was. If it is odd: reverie uninstall {host}")
        return True

    def _wanted(self, host: str, folder: str, done: Outcome) -> Iterator[Change]:
        """Each file of a client as it should be, in the order in which they are to be written."""
        texts: dict[str, str] = {}
        for path, pieces in self._by_file(host, folder).items():
            found = settings_files.read(path)
            if self._is_trusted(found, pieces, texts):
                continue
            base = self._taken_out(host, found, pieces) if found.text is not None else None
            if base is not None and self._is_wanted(base, found, pieces):
                texts[path] = found.text or ""
                continue
            text, inserted, said = base, list[str](), ""
            for piece in pieces:
                if isinstance(piece, Trust):
                    text, said = self._trusted(text, piece, texts.get(piece.hooks, ""), inserted)
                    if said:
                        done.notes.append(said)
                    continue
                text = _with(text, piece, inserted)
            texts[path] = text or ""
            yield Change(host=host, scope=self.scope, file=found, text=text, texts=tuple(inserted), said=said)

    def _by_file(self, host: str, folder: str) -> dict[str, list[Piece]]:
        plugin = (Path(hosts.__file__).parent / "opencode_plugin.js").read_text(encoding="utf-8") if host == "opencode" else ""
        pieces = installing.pieces(
            host, folder, scope=self.scope, command=self.command(host), arguments=self.arguments(host),
            now=self.now.strftime("%Y-%m-%dT%H:%M:%S.000Z"), plugin=plugin)
        found: dict[str, list[Piece]] = {}
        for piece in (*pieces, *self._server(host, folder)):
            found.setdefault(piece.file, []).append(piece)
        return found

    def _server(self, host: str, folder: str) -> list[Server]:
        """The MCP server, where it is wanted; where it is not, it is looked for, and only that."""
        def made(arguments: list[str] | None) -> Server:
            return installing.server(
                host, folder, scope=self.scope, arguments=arguments,
                moved=bool(self.environment.get("CLAUDE_CONFIG_DIR")),
                has_jsonc=os.path.isfile(os.path.join(self._top(host, folder), "opencode.jsonc")))      # noqa: PTH113, PTH118

        there = made(None)
        try:
            is_there = installing.is_our_server(_server_of(settings_files.read(there.file).text or "", there))
        except errors.ReverieError:
            is_there = False
        if self.mcp or (self.mcp is None and is_there):
            return [made(self.server_arguments())]
        return [there] if is_there else []

    def _top(self, host: str, folder: str) -> str:
        return folder if self.scope == "user" else os.path.dirname(folder)      # noqa: PTH120

    def server_arguments(self) -> list[str]:
        """The MCP server as a list of arguments."""
        given = list(self.options)
        home = given[given.index("--home") : given.index("--home") + 2] if "--home" in given else []
        return [sys.executable, "-I", "-m", "reverie.entrypoints.mcp", *home]

    def arguments(self, host: str) -> list[str]:
        """The hook as a list of arguments: the interpreter by its absolute path, isolated from the user's variables."""
        script = str(Path(hooks.__file__).parent.parent / "hook.py")
        return [sys.executable, "-I", "-S", script, host, *self.options]

    def command(self, host: str) -> str:
        """The same as a line for a shell. A Python that does not find its script ends with 2, which would stop the user's
        prompt in four clients: whatever it ends with counts as well."""
        arguments = self.arguments(host)
        if self.windows:
            return subprocess.list2cmdline([arguments[0].replace("\\", "/"), "-I", "-m", "reverie.hook", *arguments[4:]])
        return f"{shlex.join(arguments)} || true"

    def _is_trusted(self, found: SettingsFile, pieces: Sequence[Piece], texts: Mapping[str, str]) -> bool:
        """Whether Codex trusts all hooks of ours already."""
        if any(isinstance(piece, Server) for piece in pieces):      # something else is to be looked at, too
            return False
        for piece in pieces:
            if isinstance(piece, Trust):
                plain = splicing.parse(texts.get(piece.hooks) or "{}").plain()
                wanted = installing.codex_trust(_source(piece), plain)
                with suppress(tomllib.TOMLDecodeError, RecursionError):
                    known = _trust(found.text or "")
                    return all(known.get(key) == value for key, value in wanted.items())
        return False

    def _is_wanted(self, base: str, found: SettingsFile, pieces: Sequence[Piece]) -> bool:
        """Whether a file says already just what we would write."""
        if all(isinstance(piece, OwnFile) for piece in pieces):
            return all(isinstance(piece, OwnFile) and piece.text == found.text for piece in pieces)
        text, inserted = base, list[str]()
        if any(isinstance(piece, Trust) or (isinstance(piece, Server) and piece.is_toml) for piece in pieces):
            return False
        for piece in pieces:
            text = _with(text, piece, inserted) or ""
        return _same(text, found.text or "") if text.strip() else text == found.text

    def _trusted(self, text: str | None, piece: Trust, hooks_text: str, inserted: list[str]) -> tuple[str | None, str]:
        """``config.toml`` with the hashes of our hooks. Where they cannot be put in, the user is told what to do."""
        told = "Codex will ask whether the hooks are trusted: say yes (/hooks)"
        wanted = installing.codex_trust(_source(piece), splicing.parse(hooks_text).plain())
        try:
            known = _trust(text or "")
            missing = {key: value for key, value in wanted.items() if key not in known}
            if any(known[key] != value for key, value in wanted.items() if key in known):
                return text, f"{piece.file!r} trusts other versions of our hooks. {told}"
            if not missing:
                return text, ""
            after, chunk = _appended(text, installing.toml_tables(missing))
            tomllib.loads(after)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            return text, f"{piece.file!r} was left alone ({error}). {told}"
        inserted.append(chunk)
        return after, ""

    def _apply(self, changes: Sequence[Change]) -> None:
        record = self._record()
        for change in changes:
            key = (change.host, self.scope, change.file.real)
            known = record.pop(key, None)
            if change.text is None:         # a file of ours in which nothing is left
                settings_files.remove(change.file, list(known.folders if known else ()))
                self._keep(record)
                continue
            folders = settings_files.write(change.file, change.text)
            before = change.file.digest if known is None else known.before
            record[key] = Inserted(
                host=change.host, scope=self.scope, path=change.file.real, texts=change.texts, before=before,
                after=settings_files.digest(change.text or ""), folders=(*(known.folders if known else ()), *folders))
            self._keep(record)

    # ---- uninstalling

    def uninstall(self, host: str, *, dry_run: bool = False) -> Outcome:
        """Take out what was put in; nothing else changes."""
        done = Outcome(host=host, outcome="not_installed")
        try:
            pieces = self._by_file(host, self.folder(host))
            known = {os.path.realpath(path) for path in pieces}
            recorded = [each.path for each in self._record().values() if each.host == host and self._is_here(each)]
            for path in [*pieces, *(path for path in recorded if path not in known)]:
                self._uninstall_from(host, path, pieces.get(path, []), done)
            done.outcome = "uninstalled" if done.changes else "not_installed"
            if not dry_run:
                self._take_back(done.changes)
        except (errors.ReverieError, OSError) as error:
            done.outcome = "failed"
            done.notes.append(str(error))
        return done

    def _is_here(self, each: Inserted) -> bool:
        return each.scope == self.scope and (
            not self.project or each.path.startswith(os.path.realpath(self.project) + os.sep))

    def _uninstall_from(self, host: str, path: str, pieces: Sequence[Piece], done: Outcome) -> None:
        found = settings_files.read(path)
        if found.text is None:
            return
        text = self._taken_out(host, found, pieces)
        if text != found.text:
            done.changes.append(Change(host=host, scope=self.scope, file=found, text=text))

    def _taken_out(self, host: str, found: SettingsFile, pieces: Sequence[Piece]) -> str | None:
        """The file without what is ours; None when nothing is left of a file that we made."""
        assert found.text is not None
        known = self._record().get((host, self.scope, found.real))
        if any(isinstance(piece, OwnFile) for piece in pieces):
            if known is None and not any(isinstance(piece, OwnFile) and _is_like(piece.text, found.text) for piece in pieces):
                raise errors.Conflict(f"{found.path!r} is not a file that Reverie wrote: it is left alone. Move it away.")
            return None
        text = splicing.without_all(found.text, known.texts) if known is not None else None
        try:
            if text is None or _has_ours(text, pieces):     # edited within ours, laid out anew, or put there by another home
                text = self._found_out(found if text is None else replace(found, text=text), pieces)
        except splicing.BrokenJson as error:
            raise _broken(found.path, error) from None
        return None if known is not None and not known.before and _is_bare(text) else text

    def _found_out(self, found: SettingsFile, pieces: Sequence[Piece]) -> str:
        """The same where the insertions are not found as they were made: by what they say."""
        text = found.text or ""
        for piece in pieces:
            if isinstance(piece, Trust):
                text = _without_tables(text, installing.codex_trust(_source(piece), _plain(piece.hooks)))
            elif isinstance(piece, Server) and installing.is_our_server(_server_of(text, piece)):
                text = (_without_server_table(text) if piece.is_toml
                        else splicing.without_entry(text, piece.path, installing.SERVER))
        for path in dict.fromkeys(piece.path for piece in pieces if isinstance(piece, ListItem) and text.strip()):
            text = splicing.without_value(text, path, installing.is_ours)
            groups = splicing.at(text, path)
            for number in range(len(groups) if isinstance(groups, list) else 0):
                if isinstance(groups[number], dict) and isinstance(groups[number].get("hooks"), list):
                    text = splicing.without_value(text, (*path, number, "hooks"), installing.is_our_handler)
        return text

    def _take_back(self, changes: Sequence[Change]) -> None:
        record = self._record()
        for change in reversed(changes):
            known = record.pop((change.host, self.scope, change.file.real), None)
            if change.text is None:
                settings_files.remove(change.file, list(known.folders if known else ()))
            else:
                settings_files.write(change.file, change.text)
            self._keep(record)

    # ---- the record

    def _record(self) -> dict[tuple[str, str, str], Inserted]:
        data = files.read(os.path.join(self.root, RECORD), limit=settings_files.MOST_BYTES)     # noqa: PTH118
        found: dict[tuple[str, str, str], Inserted] = {}
        try:
            for value in json.loads(data)["files"] if isinstance(data, bytes) else ():
                one = Inserted(**{**value, "texts": tuple(value["texts"]), "folders": tuple(value["folders"])})
                found[one.host, one.scope, one.path] = one
        except (ValueError, TypeError, KeyError, RecursionError):
            return {}
        return found

    def _keep(self, record: Mapping[Any, Inserted]) -> None:
        path = os.path.join(self.root, RECORD)      # noqa: PTH118
        text = json.dumps({"files": [asdict(each) for each in record.values()]}, ensure_ascii=False, indent=1) + "\n"
        settings_files.write(settings_files.read(path), text)


def _with(text: str | None, piece: Piece, inserted: list[str]) -> str | None:
    """The text with one piece in it."""
    if isinstance(piece, OwnFile):
        return piece.text
    if isinstance(piece, Server):
        if piece.value is None:
            return text
        if _server_of(text or "", piece) is not None:
            raise errors.Conflict(f"{piece.file!r} has a server {installing.SERVER!r} that is not ours, which stays.")
        if piece.is_toml:
            return _with_table(text, piece, inserted)
        piece = Member(file=piece.file, path=piece.path, key=installing.SERVER, value=piece.value)
    assert isinstance(piece, (ListItem, Member))
    if text is None or not text.strip():
        inserted.append(_EMPTY)
        text = (text or "") + _EMPTY
    try:
        if isinstance(piece, Member):
            if isinstance(known := splicing.at(text, piece.path), dict) and piece.key in known:
                return text
            put = splicing.put_member(text, piece.path, piece.key, piece.value)
        else:
            put = splicing.put(text, piece.path, piece.value)
        splicing.parse(put.text)
    except splicing.BrokenJson as error:
        raise _broken(piece.file, error) from None
    inserted.append(put.inserted)
    return put.text


def _source(piece: Trust) -> str:
    """As Codex names the file with the hooks: links to its folder are followed, one in place of the file is not (0.171)."""
    folder, name = os.path.split(piece.hooks)
    return os.path.join(os.path.realpath(folder), name)     # noqa: PTH118


def _with_table(text: str | None, piece: Server, inserted: list[str]) -> str:
    assert piece.value is not None
    after, chunk = _appended(text, installing.server_table(piece.value))
    try:
        tomllib.loads(after)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise errors.StoreUnavailable(f"{piece.file!r} cannot be changed: {error}. Mend it first.") from None
    inserted.append(chunk)
    return after


def _server_of(text: str, piece: Server) -> Any:
    """What the client has under our server's name, None for nothing, and for what cannot be read."""
    if not piece.is_toml:
        found = splicing.at(text, piece.path) if text.strip() else None
        return found.get(installing.SERVER) if isinstance(found, dict) else None
    with suppress(tomllib.TOMLDecodeError, RecursionError):
        found = tomllib.loads(text).get(piece.path[0])
        return found.get(installing.SERVER) if isinstance(found, dict) else None
    return None


def _without_server_table(text: str) -> str:
    """A ``config.toml`` without the table of our server, and the tables in it, however it was laid out since."""
    kept: list[str] = []
    ours = False
    for line in text.splitlines(keepends=True):
        if line.lstrip().startswith("["):
            name = line.strip().lstrip("[").partition("]")[0].replace('"', "").replace(" ", "")
            ours = name == f"mcp_servers.{installing.SERVER}" or name.startswith(f"mcp_servers.{installing.SERVER}.")
            if ours and kept and not kept[-1].strip():
                kept.pop()
        if not ours:
            kept.append(line)
    return "".join(kept)


def _trust(text: str) -> dict[str, object]:
    """The hashes that a ``config.toml`` trusts, by their keys. Raises ``TOMLDecodeError``."""
    value: Any = tomllib.loads(text)
    for name in ("hooks", "state"):
        value = value.get(name) if isinstance(value, dict) else None
    value = value if isinstance(value, dict) else {}
    return {key: one.get("trusted_hash") for key, one in value.items() if isinstance(one, dict)}


def _appended(text: str | None, tables: str) -> tuple[str, str]:
    """Tables at the end of a TOML file, and what was added for it."""
    text = text or ""
    end = "\r\n" if "\r\n" in text else "\n"
    chunk = ("" if not text or text.endswith("\n") else end) + (end if text.strip() else "") + tables.replace("\n", end)
    return text + chunk, chunk


def _without_tables(text: str, keys: Collection[str]) -> str:
    """A ``config.toml`` without these tables of trust, however it was laid out since."""
    heads = {f"[hooks.state.{json.dumps(key, ensure_ascii=False)}]" for key in keys}
    kept: list[str] = []
    ours = False
    for line in text.splitlines(keepends=True):
        ours = line.strip() in heads or (ours and line.strip().startswith(("trusted_hash", "enabled")))
        if ours and line.strip() in heads and kept and not kept[-1].strip():
            kept.pop()
        if not ours:
            kept.append(line)
    return "".join(kept)


def _plain(path: str) -> Any:
    """What a JSON file says, None for one that is broken or gone."""
    try:
        return splicing.parse(settings_files.read(path).text or "null").plain()
    except splicing.BrokenJson:
        return None


def _broken(path: str, error: splicing.BrokenJson) -> errors.StoreUnavailable:
    return errors.StoreUnavailable(f"{path!r} cannot be changed: {error}. Mend it first; nothing was written.")


def _same(one: str, other: str) -> bool:
    """Whether two texts say the same, whatever day an installation was made on."""
    return bool(other.strip()) and bool(_undated(splicing.parse(one).plain()) == _undated(splicing.parse(other).plain()))


def _undated(value: Any) -> Any:
    plugins = value.get("plugins") if isinstance(value, dict) else None
    for one in plugins if isinstance(plugins, list) else ():
        if installing.is_ours(one):
            one.pop("installedAt", None)
    return value


def _is_bare(text: str) -> bool:
    """Whether nothing is left but an empty object, or what an installation itself put into a file of its own."""
    if not text.strip():
        return True
    try:
        return splicing.parse(text).plain() in ({}, {"version": 1}, {"version": 1, "plugins": []})
    except splicing.BrokenJson:
        return False


def _is_like(ours: str, found: str) -> bool:
    """Whether a file is one that some version of Reverie wrote."""
    return found.splitlines()[:1] == ours.splitlines()[:1] if ours.startswith("//") else '"name": "reverie"' in found


def _has_ours(text: str, pieces: Sequence[Piece]) -> bool:
    return any(
        installing.is_ours(item) or (isinstance(item, dict) and any(map(installing.is_our_handler, item.get("hooks") or ())))
        for piece in pieces if isinstance(piece, ListItem) for item in (splicing.at(text, piece.path) or ())
    ) or any(isinstance(piece, Server) and installing.is_our_server(_server_of(text, piece)) for piece in pieces)


__all__ = ["Change", "Installation", "Outcome"]
