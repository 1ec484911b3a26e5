"""Looking at files: limits, names for what is refused, and no way out through a link."""

from __future__ import annotations

import errno
import os
import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from reverie.errors import StoreUnavailable
from reverie.storage import files
from reverie.storage.files import Loaded, Unread


def refusal(path: Path, **options: object) -> str:
    loaded = files.load(str(path), **options)  # type: ignore[arg-type]
    assert isinstance(loaded, Unread)
    return loaded.reason


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        pytest.param(lambda path: None, "missing", id="nothing-there"),
        pytest.param(lambda path: path.mkdir(), "folder", id="a-folder"),
        pytest.param(lambda path: os.mkfifo(path), "fifo", id="a-pipe-without-a-writer-does-not-block"),
        pytest.param(lambda path: path.symlink_to("/dev/zero"), "device", id="a-link-to-an-endless-device"),
        pytest.param(make_socket, "socket", id="a-socket"),
        pytest.param(lambda path: path.symlink_to(path.name), "symlink_loop", id="a-link-to-itself"),
        pytest.param(lambda path: path.symlink_to("/etc/hostname"), "symlink_outside", id="a-link-out-of-the-store"),
        pytest.param(lambda path: path.write_bytes(b"x" * 101), "too_large", id="one-byte-too-many"),
    ],
)
def test_what_is_no_readable_file_is_refused_by_name(
    tmp_path: Path, make: Callable[[Path], object], reason: str
) -> None:
    make(tmp_path / "f")
    assert refusal(tmp_path / "f", root=str(tmp_path), limit=100) == reason


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        pytest.param("a\0b", "name_not_allowed", id="a-nul"),
        pytest.param("\ud800", "name_not_allowed", id="half-a-letter"),
        pytest.param("n" * 300, "name_too_long", id="a-long-name"),
        pytest.param("file/below", "not_a_folder", id="below-a-file"),
    ],
)
def test_a_name_that_no_file_has_is_refused(tmp_path: Path, path: str, reason: str) -> None:
    (tmp_path / "file").write_bytes(b"")
    loaded = files.load(str(tmp_path) + "/" + path)
    assert isinstance(loaded, Unread)
    assert loaded.reason == reason


def test_a_file_of_exactly_the_limit_is_read(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"x" * 100)
    loaded = files.load(str(tmp_path / "f"), limit=100)
    assert isinstance(loaded, Loaded)
    assert loaded.data == b"x" * 100


@pytest.mark.skipif(not os.path.exists("/proc/self/maps"), reason="needs /proc")  # noqa: PTH110
def test_a_file_that_lies_about_its_size_is_cut_off() -> None:
    assert refusal(Path("/proc/self/maps"), limit=100) == "too_large"


def test_a_link_within_the_store_is_read(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"x")
    (tmp_path / "l").symlink_to("f")
    assert files.read(str(tmp_path / "l"), root=str(tmp_path)) == b"x"


def test_a_scan_names_what_it_passes_over(tmp_path: Path) -> None:
    (tmp_path / "feedback").mkdir()
    (tmp_path / "feedback" / "style.md").write_bytes(b"x")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_bytes(b"x")
    (tmp_path / ".12-0.reverie-tmp").write_bytes(b"half")
    (tmp_path / "inner.md").symlink_to("feedback/style.md")
    (tmp_path / "outer.md").symlink_to("/etc/hostname")
    (tmp_path / "loop.md").symlink_to("loop.md")
    (tmp_path / "broken.md").symlink_to("nowhere")
    (tmp_path / "feedback" / "again").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "large.md").write_bytes(b"x" * 101)
    os.close(os.open(os.fsencode(tmp_path) + b"/caf\xe9.md", os.O_CREAT))
    scan = files.scan(str(tmp_path), limit=100)
    assert set(scan.files) == {"feedback/style.md", "inner.md"}
    assert {path: unread.reason for path, unread in scan.skipped.items()} == {
        "outer.md": "symlink_outside", "loop.md": "symlink_loop", "broken.md": "missing", "pipe.md": "fifo",
        "feedback/again": "symlink_to_folder", "large.md": "too_large", "caf\\udce9.md": "name_not_utf8",
    }


def test_a_missing_folder_is_an_empty_store(tmp_path: Path) -> None:
    assert files.scan(str(tmp_path / "none")).files == {}


@pytest.mark.parametrize(
    ("make", "words"),
    [
        pytest.param(lambda path: path.write_bytes(b""), "a file is in the way", id="a-file"),
        pytest.param(lambda path: path.symlink_to(path.name), "in a circle", id="a-link-to-itself"),
        pytest.param(lambda path: path.symlink_to("nowhere"), "link", id="a-link-to-nowhere"),
    ],
)
def test_a_store_that_is_no_folder_is_an_error(tmp_path: Path, make: Callable[[Path], object], words: str) -> None:
    make(tmp_path / "store")
    with pytest.raises(StoreUnavailable, match=words) as caught:
        files.scan(str(tmp_path / "store"))
    assert str(tmp_path / "store") in str(caught.value)


def test_a_tree_without_end_is_cut(tmp_path: Path) -> None:
    deep = tmp_path / "/".join(["d"] * 40)
    deep.mkdir(parents=True)
    (deep / "f.md").write_bytes(b"")
    (tmp_path / "f.md").write_bytes(b"")
    scan = files.scan(str(tmp_path))
    assert set(scan.files) == {"f.md"}
    assert [unread.reason for unread in scan.skipped.values()] == ["too_deep"]


def test_closed_files_and_folders_are_named(
    open_folder: Path, in_child_as_user: Callable[[Callable[[], object]], str]
) -> None:
    (open_folder / "open.md").write_bytes(b"x")
    (open_folder / "closed.md").write_bytes(b"x")
    (open_folder / "closed").mkdir()
    (open_folder / "closed.md").chmod(0)
    (open_folder / "closed").chmod(0)

    def act() -> object:
        scan = files.scan(str(open_folder))
        return sorted(scan.files), sorted((path, unread.reason) for path, unread in scan.skipped.items())

    assert in_child_as_user(act) == str(
        (["open.md"], [("closed", "permission_denied"), ("closed.md", "permission_denied")]))


def test_a_closed_store_is_an_error(
    open_folder: Path, in_child_as_user: Callable[[Callable[[], object]], str]
) -> None:
    (open_folder / "store").mkdir(mode=0)

    def act() -> object:
        try:
            return files.scan(str(open_folder / "store"))
        except StoreUnavailable as error:
            return error

    assert "permission denied" in in_child_as_user(act)


@pytest.mark.parametrize(
    ("number", "words"),
    [
        pytest.param(errno.ENOSPC, "disk is full", id="full"),
        pytest.param(errno.EDQUOT, "quota", id="quota"),
        pytest.param(errno.EROFS, "read-only", id="read-only-file-system"),
        pytest.param(errno.EACCES, "read-only", id="permissions"),
        pytest.param(errno.ELOOP, "circle", id="circle"),
        pytest.param(errno.EISDIR, "a folder is in the way", id="folder"),
        pytest.param(errno.EIO, "disk reports an error", id="broken-disk"),
        pytest.param(errno.EPIPE, "Broken pipe", id="anything-else-in-the-system's-words"),
    ],
)
def test_errors_speak_to_a_person(number: int, words: str) -> None:
    message = str(files.unavailable(OSError(number, os.strerror(number)), "/store/a.md", "written"))
    assert words in message
    assert message.startswith("'/store/a.md' cannot be written: ")


def test_the_file_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"")
    error = files.unavailable(OSError(errno.ENOTDIR, ""), str(tmp_path / "a" / "b" / "c"), "made")
    assert repr(str(tmp_path / "a")) in str(error)


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("../outside.md", id="dots"),
        pytest.param("out/x.md", id="a-folder-that-is-a-link"),
        pytest.param("link.md", id="a-file-that-is-a-link"),
        pytest.param("loop.md", id="a-link-to-itself"),
        pytest.param("a\0b", id="a-nul"),
        pytest.param("\udce9", id="no-utf-8"),
        pytest.param(".", id="the-store-itself"),
    ],
)
def test_no_write_leaves_the_store(tmp_path: Path, path: str) -> None:
    root = tmp_path / "store"
    root.mkdir()
    (tmp_path / "elsewhere").mkdir()
    (root / "out").symlink_to(tmp_path / "elsewhere")
    (root / "link.md").symlink_to(tmp_path / "elsewhere" / "x.md")
    (root / "loop.md").symlink_to("loop.md")
    with pytest.raises(StoreUnavailable):
        files.target_of(os.path.normpath(f"{root}/{path}"), str(root))


def test_a_link_within_the_store_is_written_through(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"x")
    (tmp_path / "l").symlink_to("f")
    assert files.target_of(str(tmp_path / "l"), str(tmp_path)) == str(tmp_path / "f")


@pytest.mark.slow
def test_ten_thousand_files_are_listed_quickly(tmp_path: Path) -> None:
    for number in range(10_000):
        (tmp_path / f"memory-{number:05}.md").touch()
    started = time.perf_counter()
    assert len(files.scan(str(tmp_path)).files) == 10_000
    assert time.perf_counter() - started < 2    # measured: 0.06 s; the bound only catches a square
