"""The small files of a dream, and the times of what it wrote."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from reverie.errors import StoreUnavailable
from reverie.storage import dreams

AT = datetime(2026, 11, 5, 12, 0, 0, 123456, tzinfo=UTC)


def test_a_note_is_written_whole_with_its_time_and_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / ".consolidate-lock"
    for data in (b"4711", b""):
        dreams.put(str(path), data, AT)
        note = dreams.read(str(path))
        assert note is not None and (note.data, note.at) == (data, AT)
    assert list(tmp_path.iterdir()) == [path]
    dreams.remove(str(path))
    dreams.remove(str(path))
    assert dreams.read(str(path)) is None


def test_without_a_time_it_is_now(tmp_path: Path) -> None:
    dreams.put(str(tmp_path / "meta.json"), b"{}")
    note = dreams.read(str(tmp_path / "meta.json"))
    assert note is not None and abs(datetime.now(UTC) - note.at) < timedelta(minutes=5)


@pytest.mark.parametrize("kind", ["folder", "link_outside", "too_large", "fifo"])
def test_what_is_no_note_reads_as_an_empty_one_as_old_as_can_be(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "store" / "lock"
    path.parent.mkdir()
    if kind == "folder":
        path.mkdir()
    elif kind == "link_outside":
        (tmp_path / "other").write_text("4711")
        path.symlink_to(tmp_path / "other")
    elif kind == "too_large":
        path.write_bytes(b"1" * (dreams.MOST_BYTES + 1))
    else:
        os.mkfifo(path)
    note = dreams.read(str(path))
    assert note is not None and (note.data, note.at.year) == (b"", 1970)


def test_a_link_is_replaced_not_followed(tmp_path: Path) -> None:
    other, path = tmp_path / "other", tmp_path / "lock"
    other.write_text("mine")
    path.symlink_to(other)
    dreams.put(str(path), b"4711", AT)
    assert other.read_text() == "mine" and not path.is_symlink()


def test_a_folder_in_the_way_is_said_plainly(tmp_path: Path) -> None:
    (tmp_path / "lock").mkdir()
    with pytest.raises(StoreUnavailable, match="folder is in the way"):
        dreams.put(str(tmp_path / "lock"), b"4711", AT)
    assert [path.name for path in tmp_path.iterdir()] == ["lock"]


@pytest.mark.parametrize("year", [1, 1969, 2026, 9999])
def test_times_are_set_and_what_cannot_be_is_passed_over(tmp_path: Path, year: int) -> None:
    (tmp_path / "a.md").write_text("a")
    (tmp_path / "link.md").symlink_to(tmp_path / "a.md")
    (tmp_path / "folder.md").mkdir()
    at = AT.replace(year=year)
    dreams.set_times(str(tmp_path), {"gone.md": at, "folder.md": at, "a.md": at, "no/such/folder.md": at, "nul\0.md": at})
    found = (tmp_path / "a.md").stat().st_mtime_ns // 1000
    assert year in (1, 9999) or found == (at - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
    before = (tmp_path / "a.md").stat().st_mtime_ns
    dreams.set_times(str(tmp_path), {"link.md": AT.replace(year=2001)})
    assert (tmp_path / "a.md").stat().st_mtime_ns == before


def test_who_is_alive() -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    assert dreams.alive(process.pid) and dreams.alive(os.getpid()) and dreams.alive(os.getppid())
    process.communicate()
    assert not dreams.alive(process.pid)
    assert not dreams.alive((1 << 31) - 1)
    assert not dreams.alive(1 << 70)
