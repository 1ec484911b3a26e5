"""The database: made when needed, migrated, refused or replaced with a word on what is lost."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

import reverie.storage
from reverie.errors import StoreUnavailable
from reverie.storage import schema
from reverie.storage.database import Database, time_of, time_text
from reverie.storage.home import Home
from reverie.storage.lock import Lock
from reverie.storage.writing import System


@pytest.fixture
def open_database(tmp_path: Path) -> Callable[..., Database]:
    def make(seconds: float = 0.05) -> Database:
        lock = Lock(str(tmp_path / "lock"), seconds=0.05)
        return Database(str(tmp_path / "state.db"), lock=lock, system=System(), prepare=lambda: None, seconds=seconds)

    return make


def remember(database: Database, path: str = "/p") -> None:
    with database.transaction():
        database.run("set_place", path=path, identity="me", at="2026-01-01T00:00:00+00:00")


def objects(connection: sqlite3.Connection) -> set[tuple[str, str, str]]:
    rows = connection.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    return {(kind, name, re.sub(r"\s+", " ", text)) for kind, name, text in rows}


@pytest.mark.parametrize("had", range(1, schema.version_of_code() + 1))
def test_a_schema_from_nothing_is_the_schema_from_all_migrations(had: int) -> None:
    with (
        closing(sqlite3.connect(":memory:", isolation_level=None)) as fresh,
        closing(sqlite3.connect(":memory:", isolation_level=None)) as old,
    ):
        for step in schema.migrations()[:had]:
            old.executescript(step)
        old.execute(f"PRAGMA user_version = {had}")
        schema.migrate(old)
        schema.migrate(fresh)
        assert objects(old) == objects(fresh)
        assert len(objects(fresh)) > 20
        for connection in (old, fresh):
            assert connection.execute("PRAGMA user_version").fetchone() == (schema.version_of_code(),)
        assert fresh.execute("PRAGMA application_id").fetchone() == (schema.APPLICATION,)


def test_a_migration_that_dies_leaves_the_step_before(tmp_path: Path) -> None:
    def die(step: str) -> None:
        raise KeyboardInterrupt

    with closing(sqlite3.connect(tmp_path / "state.db", isolation_level=None)) as connection:
        with pytest.raises(KeyboardInterrupt):
            schema.migrate(connection, die)
        assert objects(connection) == set()
        schema.migrate(connection)
        assert objects(connection)


@pytest.mark.parametrize("name", sorted(schema.queries()))
def test_each_query_fits_the_schema_is_described_and_used(name: str) -> None:
    statement = schema.queries()[name]
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        schema.migrate(connection)
        values = dict.fromkeys(re.findall(r":([a-z_]+)", statement))
        connection.execute(f"EXPLAIN {statement}", values)
    folder = Path(reverie.storage.__path__[0])
    text = (folder / "sql" / "queries.sql").read_text(encoding="utf-8")
    assert re.search(rf"^-- name: {name}\n-- [A-Z].*[.)]$", text, re.MULTILINE), "one line says what it is for"
    assert sum(f'"{name}"' in path.read_text(encoding="utf-8") for path in folder.glob("*.py")), "nobody uses it"


def test_reading_makes_nothing(tmp_path: Path, open_database: Callable[..., Database]) -> None:
    database = open_database()
    assert database.rows("places") == []
    assert list(tmp_path.iterdir()) == []
    database.close()


def test_a_reader_of_an_empty_home_sees_what_another_process_begins(open_database: Callable[..., Database]) -> None:
    reader, writer = open_database(), open_database()
    assert reader.one("place", path="/p") is None
    remember(writer)
    assert reader.one("place", path="/p") is not None
    reader.close()
    writer.close()


def test_it_is_private_and_so_are_its_companions(tmp_path: Path, open_database: Callable[..., Database]) -> None:
    database = open_database()
    remember(database)
    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    assert modes == {"state.db": 0o600, "state.db-wal": 0o600, "state.db-shm": 0o600}
    database.close()


def test_a_transaction_that_fails_leaves_nothing(open_database: Callable[..., Database]) -> None:
    database = open_database()
    with pytest.raises(ZeroDivisionError), database.transaction():
        database.run("set_place", path="/p", identity="me", at="")
        raise ZeroDivisionError
    assert database.rows("places") == []
    database.close()


def junk(path: Path) -> None:
    path.write_bytes(b"this is no database, " * 1000)


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def scribbled(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[100:4000] = b"\xff" * 3900
    path.write_bytes(bytes(data))


@pytest.mark.parametrize("damage", [junk, cut_short, scribbled])
@pytest.mark.parametrize("how", ["reading", "writing"])
def test_a_damaged_database_is_moved_aside_and_begun_anew(
    tmp_path: Path, open_database: Callable[..., Database], damage: Callable[[Path], None], how: str
) -> None:
    before = open_database()
    remember(before)
    before.close()
    damage(tmp_path / "state.db")
    damaged = (tmp_path / "state.db").read_bytes()
    database = open_database()
    if how == "reading":
        assert database.rows("places") == []
    else:
        try:
            remember(database, "/new")
        except StoreUnavailable as error:           # it showed only within the transaction
            assert "Run the command again." in str(error)
            remember(database, "/new")
        assert [row["path"] for row in database.rows("places")] == ["/new"]
    assert (tmp_path / "state.db.damaged-1").read_bytes() == damaged
    [note] = database.notes
    assert "state.db.damaged-1" in note
    assert "history and undo" in note
    assert "memories themselves are untouched" in note
    database.close()


def test_a_second_damaged_database_does_not_replace_the_first(
    tmp_path: Path, open_database: Callable[..., Database]
) -> None:
    for _ in range(2):
        junk(tmp_path / "state.db")
        database = open_database()
        remember(database)
        database.close()
    assert (tmp_path / "state.db.damaged-2").exists()


def test_of_two_processes_that_find_the_damage_one_moves_it_aside(
    tmp_path: Path, open_database: Callable[..., Database]
) -> None:
    class Late(Lock):
        def take(self, operation: str, *, wait: bool = True) -> bool:
            if not quicker.notes:
                remember(quicker, "/quicker")
                quicker.close()
            return super().take(operation, wait=wait)

    junk(tmp_path / "state.db")
    quicker = open_database()
    late = Database(str(tmp_path / "state.db"), lock=Late(str(tmp_path / "lock"), seconds=1), system=System(),
                    prepare=lambda: None)
    remember(late, "/late")
    assert [row["path"] for row in late.rows("places")] == ["/late", "/quicker"]
    assert not (tmp_path / "state.db.damaged-2").exists()
    late.close()


def test_an_empty_file_becomes_a_database(tmp_path: Path, open_database: Callable[..., Database]) -> None:
    (tmp_path / "state.db").touch()
    database = open_database()
    remember(database)
    assert len(database.rows("places")) == 1
    assert database.notes == []
    database.close()


def test_a_newer_database_is_refused_and_not_touched(tmp_path: Path, open_database: Callable[..., Database]) -> None:
    with closing(sqlite3.connect(tmp_path / "state.db", isolation_level=None)) as connection:
        schema.migrate(connection)
        connection.execute("PRAGMA user_version = 99")
    before = (tmp_path / "state.db").read_bytes()
    database = open_database()
    for act in (lambda: database.rows("places"), lambda: remember(database)):
        with pytest.raises(StoreUnavailable, match="newer Reverie \\(schema 99"):
            act()
    assert (tmp_path / "state.db").read_bytes() == before
    database.close()


def test_another_programs_database_is_refused(tmp_path: Path, open_database: Callable[..., Database]) -> None:
    with closing(sqlite3.connect(tmp_path / "state.db")) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    with pytest.raises(StoreUnavailable, match="another program"):
        open_database().rows("places")


@pytest.mark.parametrize("how", ["reading", "writing"])
def test_a_locked_database_is_an_error_after_a_while(
    tmp_path: Path, open_database: Callable[..., Database], how: str
) -> None:
    first = open_database()
    remember(first)
    first.close()
    database = open_database()
    with closing(sqlite3.connect(tmp_path / "state.db", isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreUnavailable, match=r"locked; waited 0\.05 s"):
            database.rows("places") if how == "reading" else remember(database)
        other.execute("ROLLBACK")
    remember(database, "/later")
    assert len(database.rows("places")) == 2
    database.close()


@pytest.mark.parametrize("make", [lambda path: path.mkdir(), lambda path: path.symlink_to("/dev/null")])
def test_something_else_in_its_place_is_an_error(
    tmp_path: Path, open_database: Callable[..., Database], make: Callable[[Path], object]
) -> None:
    make(tmp_path / "state.db")
    with pytest.raises(StoreUnavailable, match="no regular file"):
        open_database().rows("places")


def test_a_database_replaced_under_a_long_running_process_is_noticed(
    tmp_path: Path, open_database: Callable[..., Database]
) -> None:
    database = open_database()
    remember(database, "/old")
    for path in tmp_path.iterdir():
        path.unlink()
    remember(database, "/new")
    assert [row["path"] for row in database.rows("places")] == ["/new"]
    other = open_database()
    assert [row["path"] for row in other.rows("places")] == ["/new"]
    database.close()
    other.close()


def test_an_older_database_is_read_where_it_cannot_be_written(
    open_folder: Path, in_child_as_user: Callable[[Callable[[], object]], str]
) -> None:
    path = open_folder / "state.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript(schema.migrations()[0] + schema.migrations()[1])
        connection.execute("PRAGMA user_version = 2")
        connection.execute(f"PRAGMA application_id = {schema.APPLICATION}")
        connection.execute("INSERT INTO places VALUES ('/p', 'me', '')")
    path.chmod(0o444)
    open_folder.chmod(0o555)

    def act() -> object:
        home = Home(str(open_folder), lambda: datetime.now(UTC))
        return home.records.place("/p"), home.records.usage(), home.notes

    assert in_child_as_user(act) == str(("me", {}, []))


def test_texts_that_sqlite_cannot_hold_are_written_as_escapes(open_database: Callable[..., Database]) -> None:
    database = open_database()
    with database.transaction():
        database.run("set_place", path="/caf\udce9", identity="x", at="")
        database.run("add_change", **dict.fromkeys(
            ("run", "at", "operation", "actor", "host", "session", "message", "rule", "why", "counts", "finish"), ""),
            is_undo=2**70)
    assert [row["path"] for row in database.rows("places")] == ["/caf\\udce9"]
    assert database.rows("newest_changes", limit=1)[0]["is_undo"] == 2**63 - 1
    database.close()


def test_times_are_kept_in_utc_and_broken_ones_are_old() -> None:
    at = datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=timezone(timedelta(hours=2)))
    assert time_of(time_text(at)) == at
    assert time_text(at) == "2026-01-02T01:04:05.000006+00:00"
    assert time_text(at.replace(tzinfo=None)) == "2026-01-02T03:04:05.000006+00:00"
    assert time_of("yesterday") == datetime(1970, 1, 1, tzinfo=UTC)
