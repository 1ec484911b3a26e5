"""Which host a file is of, and what happens to everything that is no file."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from reverie import hosts
from reverie.core.session import Transcript, Unreadable
from reverie.errors import WrongUse

CLAUDE = {"parentUuid": None, "isSidechain": False, "type": "user", "message": {"role": "user", "content": "hi"}, "uuid": "u",
          "timestamp": "2026-12-01T05:00:00Z", "cwd": "/p", "sessionId": "s"}
QWEN = {"uuid": "u", "parentUuid": None, "sessionId": "s", "timestamp": "2026-12-01T05:00:00Z", "type": "user",
        "provenance": "real_user", "cwd": "/p", "message": {"parts": [{"text": "hi"}]}}
CODEX = {"timestamp": "2026-12-01T05:00:00Z", "type": "session_meta", "payload": {"id": "s", "cwd": "/p"}}
KIMI = {"type": "metadata", "protocol_version": "1.5", "created_at": 1}
KIMI_CLI = {"timestamp": 1.5, "message": {"type": "TurnBegin", "payload": {"user_input": "hi"}}}


@pytest.fixture
def agents(tmp_path: Path, write: Callable[..., Path]) -> Path:
    """A home folder with one session of each host that has files, and what lies beside them."""
    home = tmp_path / "home"
    write(home / ".claude" / "projects" / "-p" / "s.jsonl", [CLAUDE])
    write(home / ".claude" / "history.jsonl", [{"display": "hi", "project": "/p", "sessionId": "s"}])
    write(home / ".qwen" / "projects" / "-p" / "chats" / "s.jsonl", [QWEN])
    write(home / ".codex" / "sessions" / "2026" / "12" / "01" / "rollout-x-s.jsonl", [CODEX])
    write(home / ".codex" / "session_index.jsonl", [{"id": "s", "thread_name": "x"}])
    write(home / ".kimi-code" / "sessions" / "wd_p" / "s" / "agents" / "main" / "wire.jsonl", [KIMI])
    write(home / ".kimi-code" / "session_index.jsonl", [{"sessionId": "s", "sessionDir": "/x", "workDir": "/p"}])
    write(home / ".kimi-code" / "user-history" / "0123.jsonl", [{"content": "hi"}])
    write(home / ".kimi-code" / "credentials" / "wire.jsonl", [KIMI])
    write(home / ".kimi" / "sessions" / "0123" / "t" / "wire.jsonl", [{"type": "metadata", "protocol_version": "1.10"}, KIMI_CLI])
    write(home / "notes" / "data.jsonl", [{"a": 1}])
    return home


def sessions(found: Iterator[Transcript | Unreadable]) -> list[tuple[str, str]]:
    listed = []
    for one in found:
        assert isinstance(one, Transcript), one
        listed.append((one.host, one.session))
    return sorted(listed)


EVERY = [("claude-code", "s"), ("codex", "s"), ("kimi-code", "s"), ("kimi-code", "t"), ("qwen-code", "s")]


def test_a_whole_home_is_searched_for_all_hosts(agents: Path) -> None:
    assert sessions(hosts.find_all(str(agents), {})) == EVERY
    assert sessions(hosts.find_all(str(agents), {}, ["codex", "qwen-code", "codex"])) == [("codex", "s"), ("qwen-code", "s")]


def test_a_foreign_home_is_recognised_by_what_is_in_its_files(agents: Path) -> None:
    assert sessions(hosts.recognise(str(agents))) == EVERY
    moved = agents.parent / "anywhere" / "deep"
    moved.parent.mkdir()
    agents.rename(moved)
    assert sessions(hosts.recognise(str(moved.parent))) == EVERY
    assert sessions(hosts.recognise(str(moved / ".claude" / "projects"))) == [("claude-code", "s")]
    assert sessions(hosts.recognise(str(moved), ["kimi-code"])) == [("kimi-code", "s"), ("kimi-code", "t")]


@pytest.mark.parametrize(
    ("record", "host"), [(CLAUDE, "claude-code"), (QWEN, "qwen-code"), (CODEX, "codex"), (KIMI, "kimi-code"), (KIMI_CLI, "kimi-code")]
)
@pytest.mark.parametrize("before", [b"", b"broken {\n", b"\n\n"])
def test_one_file_is_recognised(record: dict[str, Any], host: str, before: bytes, tmp_path: Path) -> None:
    path = tmp_path / "any-name.txt"
    path.write_bytes(before + json.dumps(record).encode() + b"\n")
    (found,) = hosts.recognise(str(path))
    assert isinstance(found, Transcript)
    assert found.host == host
    assert [dialect.name for dialect in hosts.DIALECTS.values() if dialect.at(str(path))] == [host]


@pytest.mark.parametrize("data", [b"", b"\n", b"hello", b'{"a": 1}\n', b"[]\n", b"\x00" * 5000, bytes(range(256)) * 20])
def test_a_file_that_is_no_transcript_is_named(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(data)
    (found,) = hosts.recognise(str(path))
    assert isinstance(found, Unreadable)
    assert found.reason == "not_a_transcript"
    assert list(hosts.recognise(str(tmp_path))) == []       # among others it is only passed over


@pytest.mark.parametrize("call", [lambda: hosts.get("cursor"), lambda: hosts.find_all("/", {}, ["cursor"]),
                                  lambda: hosts.recognise("/", ["cursor"])])
def test_an_unknown_host_is_answered_with_the_list(call: Callable[[], Any]) -> None:
    with pytest.raises(WrongUse, match=r"'cursor'.*claude-code, codex, kimi-code, opencode, qwen-code"):
        call()


def test_a_path_that_is_not_there_is_named(tmp_path: Path) -> None:
    for path, reason in ((str(tmp_path / "no"), "not_found"), ("a\x00b", "bad_path"), ("x" * 5000, "name_too_long")):
        (found,) = hosts.recognise(path)
        assert isinstance(found, Unreadable)
        assert found.reason == reason


def placed(home: Path, make: Callable[[Path], None]) -> Path:
    """Put something where each host looks for a transcript."""
    path = home / ".claude" / "projects" / "-p" / "x.jsonl"
    path.parent.mkdir(parents=True)
    make(path)
    return path


def a_socket(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)       # a socket's name may not be long
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda path: path.mkdir(), "is_a_directory"),
        (lambda path: os.mkfifo(path), "not_a_plain_file"),
        (a_socket, "not_a_plain_file"),
        (lambda path: path.symlink_to("/dev/zero"), "not_a_plain_file"),
        (lambda path: path.symlink_to(path.name), "symlink_loop"),
        (lambda path: path.symlink_to("gone"), "dangling_symlink"),
    ],
    ids=["directory", "fifo", "socket", "device", "loop", "dangling"],
)
def test_what_is_no_file_is_named_and_never_opened(make: Callable[[Path], None], reason: str, tmp_path: Path) -> None:
    path = placed(tmp_path, make)
    (found,) = hosts.find_all(str(tmp_path), {})
    assert isinstance(found, Unreadable)
    assert (found.host, found.reason) == ("claude-code", reason)
    for name, dialect in hosts.DIALECTS.items():
        reading = dialect.read(Transcript(host=name, session="x", path=str(path)))
        assert list(reading.messages) == []
        assert list(reading.skipped) == [reason]
    if reason != "is_a_directory":
        (recognised,) = hosts.recognise(str(path))
        assert isinstance(recognised, Unreadable)
        assert recognised.reason == reason
    list(hosts.recognise(str(tmp_path)))


def test_links_are_followed_once_and_loops_end(agents: Path) -> None:
    (agents / "again").symlink_to(agents / ".claude")
    assert sessions(hosts.recognise(str(agents))) == EVERY
    (agents / ".claude" / "projects" / "up").symlink_to(agents)
    found = list(hosts.recognise(str(agents)))
    assert sorted((one.host, one.session) for one in found if isinstance(one, Transcript)) == EVERY
    (loop,) = [one for one in found if isinstance(one, Unreadable)]
    assert loop.reason == "symlink_loop"
    (agents / "self").symlink_to(agents / "self")
    assert {one.reason for one in hosts.recognise(str(agents)) if isinstance(one, Unreadable)} == {"symlink_loop"}
    assert len(list(hosts.find_all(str(agents), {}))) >= len(EVERY)


@contextmanager
def as_nobody() -> Iterator[None]:
    """Root may read everything: be somebody else for a while."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that anybody may enter; the tests' own temporary folders are root's alone."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        path.chmod(0o755)
        yield path
        for one in sorted(path.rglob("*")):
            one.chmod(0o755)


@pytest.mark.skipif(os.name == "nt", reason="file modes are POSIX")
@pytest.mark.parametrize("closed", ["-p/s.jsonl", "-p", ""])
def test_what_may_not_be_read_is_named(closed: str, open_folder: Path, write: Callable[..., Path]) -> None:
    projects = open_folder / ".claude" / "projects"
    path = write(projects / "-p" / "s.jsonl", [CLAUDE])
    (projects / closed).chmod(0)
    with as_nobody():
        (one,) = hosts.find_all(str(open_folder), {}, ["claude-code"])
        (other,) = hosts.recognise(str(open_folder))
        reading = hosts.get("claude-code").read(Transcript(host="claude-code", session="s", path=str(path)))
        messages = list(reading.messages)
    (projects / closed).chmod(0o755)
    assert isinstance(one, Unreadable)
    assert isinstance(other, Unreadable)
    assert one.reason == other.reason == "permission_denied"
    assert messages == []
    assert reading.skipped == {"permission_denied": 1}


@pytest.mark.skipif(os.name == "nt", reason="file modes are POSIX")
def test_a_database_in_a_folder_that_may_not_be_written_is_read(open_folder: Path) -> None:
    """In WAL mode SQLite would make files beside it even for reading."""
    path = open_folder / "opencode.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE session (id text, directory text)")
        connection.execute("CREATE TABLE message (id text)")
        connection.execute("INSERT INTO session VALUES ('s', '/p')")
        connection.commit()
    open_folder.chmod(0o555)
    with as_nobody():
        found = list(hosts.recognise(str(path)))
    open_folder.chmod(0o755)
    assert [one.session for one in found if isinstance(one, Transcript)] == ["s"]


def test_a_transcript_that_vanished_is_a_named_skip(agents: Path) -> None:
    for one in list(hosts.find_all(str(agents), {})):
        assert isinstance(one, Transcript)
        Path(one.path).unlink()
        reading = hosts.get(one.host).read(one)
        assert list(reading.messages) == []
        assert reading.skipped == {"not_found": 1}


def test_every_dialect_knows_its_name() -> None:
    assert list(hosts.DIALECTS) == [dialect.name for dialect in hosts.DIALECTS.values()]
    assert set(hosts.DIALECTS) == {"claude-code", "codex", "qwen-code", "opencode", "kimi-code"}
