"""The block that a session starts with keeps its bytes while the session lives; the editions do as their product does
(DESIGN §4.1; study, Claude Code §4-§5; spec/claude-code §4.4, §5.3, §10.3)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from reverie import designs, texts
from reverie.core.budget import utf16_units
from reverie.flows.adopting import Hand
from reverie.memory import Memory, open_memory

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
RULE = "Releases of the ferry app are tagged by Noor on Thursdays."
LATER = "Incidents of the ferry app are tracked in Linear under FRY."
REREADS = ("claude-code@2.1", "codex@0.171")
EVERY_DESIGN = pytest.mark.parametrize("design", designs.names())


def opened(folder: Path, design: str = "reverie", *, home: str = "home", now: datetime = NOW, **variables: str) -> Memory:
    return open_memory(folder / home, design=design, cwd=folder / "work", environment=variables, clock=lambda: now)


@pytest.fixture(autouse=True)
def project(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()


def in_process(folder: Path, code: str, *values: str) -> subprocess.Popen[str]:
    script = f"import sys; from reverie import open_memory; folder, design = sys.argv[1:3]; {code}"
    return subprocess.Popen(
        [sys.executable, "-c", script, str(folder), *values], stdout=subprocess.PIPE, text=True, encoding="utf-8",
        env={**os.environ, "PYTHONUTF8": "1"},
    )


# -- what it is made of


def test_claude_codes_block_has_the_studys_parts_in_its_order(tmp_path: Path) -> None:
    with opened(tmp_path, "claude-code") as memory:
        found, _ = memory.remember(RULE)
        lines = memory.session_block().split("\n")
    heads = [texts.load(name).partition("\n")[0] for name in ("types", "saving", "reading", "verifying", "place")]
    assert lines[1:4] == [
        "# auto memory",
        "Codebase and user instructions are shown below. Be sure to adhere to these instructions.",
        "IMPORTANT: These instructions OVERRIDE any default behavior and you MUST follow them exactly as written.",
    ]
    order = [lines.index(words) for words in (*heads, "Contents of <user-memory-index>:")]
    assert order == sorted(order)
    file = found.memory.id.rpartition("/")[2]
    assert lines[order[-1] + 1 :] == ["", f"- [{file}]({file}) - {found.memory.description}", "</reverie-memory>"]


def test_the_folder_to_write_to_is_the_one_that_is_read(tmp_path: Path) -> None:
    """What an agent writes where it was told to, with its file tools, is there for the next session."""
    for design in ("claude-code", "claude-code@2.1", "qwen-code", "reverie"):
        with opened(tmp_path, design) as memory:
            if design == "reverie":
                memory.remember(RULE)
            block = memory.session_block()
            place = Path(block.partition("(this project)")[0].rpartition("- `")[2].rstrip("` "))
            assert place.is_absolute()
            place.mkdir(parents=True, exist_ok=True)
            text = "---\nname: Tide tables\ndescription: Tide tables come from the harbour office\ntype: reference\n---\n\nAsk for the CSV.\n"
            (place / "reference_tide_tables.md").write_text(text, encoding="utf-8")
            assert "Tide tables come from the harbour office" in memory.session_block()


@pytest.mark.parametrize(("design", "said"), [("reverie", "no block"), ("codex", "no block"), ("claude-code", "only says how to keep a first memory")])
def test_an_empty_project_is_said_to_be_empty(tmp_path: Path, design: str, said: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "reverie", "index", "--design", design, "--cwd", str(tmp_path)], capture_output=True, text=True, check=True,
    )
    assert bool(done.stdout) is (design == "claude-code")
    assert said in " ".join(done.stderr.split())


@pytest.mark.parametrize("tokens", ["1500", "50000"])
def test_our_own_block_fits_what_a_host_takes_from_a_hook(tmp_path: Path, tokens: str) -> None:
    with opened(tmp_path, REVERIE_BLOCK_TOKENS=tokens) as memory:
        memory.remember(RULE)
        folder = tmp_path / "home/stores/reverie/user"
        folder.mkdir(parents=True)
        for i in range(300):
            words = f"Rule {i}: <system-reminder> 日本語 " + "x" * 150
            (folder / f"feedback_{i}.md").write_text(f"---\nname: Rule {i}\ndescription: {words}\ntype: feedback\n---\n\nx\n", encoding="utf-8")
        memory.adopt(hand=Hand(actor="user"))
        block = memory.session_block()
    assert 3_000 < utf16_units(block) <= 10_000
    assert "> Not shown here: " in block and "## Keeping memories" in block


@pytest.mark.parametrize("design", ["claude-code", "claude-code@2.1", "qwen-code", "qwen-code@0.24", "reverie"])
def test_what_an_agent_writes_first_is_not_read_in_a_project_whose_folder_has_the_same_name(tmp_path: Path, design: str) -> None:
    """``a_b`` and ``a-b`` have one key; the agent of the first is told to write where nothing was kept before."""
    for name in ("a_b", "a-b"):
        (tmp_path / name).mkdir()
        with open_memory(tmp_path / "home", design=design, cwd=tmp_path / name, environment={}, clock=lambda: NOW) as memory:
            block = memory.session_block(name)
            folder = Path(memory.space.store(memory.space.mounts(memory.place)[0]).root)
            assert f"`{folder}`" in block or design == "reverie"
            folder.mkdir(parents=True, exist_ok=True)
            text = f"---\nname: {name}\ndescription: Only of {name}\ntype: feedback\n---\n\nA plan.\n"
            (folder / f"feedback_{name}.md").write_text(text, encoding="utf-8")
            assert memory.undo().change == 0                # the owner's name is nothing that "the last change" means
    for name, other in (("a_b", "a-b"), ("a-b", "a_b")):
        with open_memory(tmp_path / "home", design=design, cwd=tmp_path / name, environment={}, clock=lambda: NOW) as memory:
            block = memory.session_block(f"{name} next")
            assert f"Only of {name}" in block and f"Only of {other}" not in block


# -- the same bytes


def more(memory: Memory) -> None:
    memory.remember(LATER)


CHANGES: dict[str, Callable[[Path, str], Memory]] = {
    "resumed": lambda folder, design: opened(folder, design),
    "another day": lambda folder, design: opened(folder, design, now=NOW + timedelta(days=90)),
    "a changed setting": lambda folder, design: opened(folder, design, REVERIE_BLOCK_TOKENS="100"),
    "a moved home": lambda folder, design: opened((folder / "home").rename(folder / "elsewhere").parent, design, home="elsewhere"),
}


@EVERY_DESIGN
@pytest.mark.parametrize("change", CHANGES)
def test_a_session_keeps_its_bytes(tmp_path: Path, design: str, change: str) -> None:
    with opened(tmp_path, design) as memory:
        memory.remember(RULE)
        first = memory.session_block("s")
        more(memory)
    with CHANGES[change](tmp_path, design) as memory:
        assert memory.session_block("s") == first
        assert memory.session_block("next") != first


@pytest.mark.slow
@EVERY_DESIGN
def test_processes_that_start_one_session_at_once_agree(tmp_path: Path, design: str) -> None:
    with opened(tmp_path, design) as memory:
        memory.remember(RULE)
    code = (
        "memory = open_memory(folder + '/home', design=design, cwd=folder + '/work', environment={}); "
        "memory.remember(sys.argv[3]); print(memory.session_block('s'))"
    )
    said = [LATER, "Deploys of the gateway happen on Mondays.", "The design team meets in the Cork office.", "Use pnpm, never npm."]
    running = [in_process(tmp_path, code, design, words) for words in said]
    blocks = {process.communicate(timeout=120)[0] for process in running}
    assert all(process.returncode == 0 for process in running)
    assert len(blocks) == 1
    with opened(tmp_path, design) as memory:
        assert blocks == {memory.session_block("s") + "\n"}
        assert len(memory.list()) == 5
        assert memory.session_block("next") not in blocks


@pytest.mark.skipif(sys.platform == "win32", reason="no limits on files there")
@pytest.mark.parametrize("design", ["reverie", "claude-code", "claude-code@2.1"])
def test_a_disk_that_is_full_hides_no_memory(tmp_path: Path, design: str) -> None:
    """Not frozen, but shown; and what is wrong can be seen."""
    with opened(tmp_path, design) as memory:
        memory.remember(RULE)
        memory.remember(LATER)
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY)); "
        "memory = open_memory(folder + '/home', design=design, cwd=folder + '/work', environment={}); "
        "print(memory.session_block('s'), memory.session_block('s', refresh=True), *memory.space.home.notes, sep='@@')"
    )
    process = in_process(tmp_path, code, design)
    block, again, *notes = process.communicate(timeout=60)[0].split("@@")
    assert "FRY" in block and again == block
    assert any("was not frozen" in note for note in notes)


# -- compaction and resumption


@EVERY_DESIGN
def test_after_a_compaction_only_the_editions_that_reread_do(tmp_path: Path, design: str) -> None:
    with opened(tmp_path, design) as memory:
        memory.remember(RULE)
        first = memory.session_block("s")
        more(memory)
        again = memory.session_block("s", refresh=True)
        assert (again == first) is (design not in REREADS)
        assert ("FRY" in again) is (design in REREADS)
    with opened(tmp_path, design) as memory:
        assert memory.session_block("s") == again           # frozen again, in every process
        assert memory.resumed("s") == ""


@EVERY_DESIGN
def test_a_compaction_before_any_block_starts_the_session(tmp_path: Path, design: str) -> None:
    with opened(tmp_path, design) as memory:
        memory.remember(RULE)
        first = memory.session_block("s", refresh=True)
        more(memory)
        assert "ferry" in first and memory.session_block("s") == first


def test_a_resumed_session_is_told_a_changed_index_once(tmp_path: Path) -> None:
    with opened(tmp_path, "claude-code@2.1") as memory:
        memory.remember(RULE)
        first = memory.session_block("s")
        assert memory.resumed("s") == ""                    # nothing changed
        more(memory)
        assert memory.resumed("unknown") == memory.resumed("") == ""
    with opened(tmp_path, "claude-code@2.1") as memory:
        told = memory.resumed("s")
        assert told.startswith('<reverie-memory kind="session"') and "takes the place of every earlier one" in told
        assert "/memory/MEMORY.md (user's auto-memory" in told and "FRY" in told and "Noor" in told
        assert "one fact in each" not in told               # the guidance is in the prefix, which is kept
        assert memory.session_block("s") == first
        assert memory.resumed("s") == ""
        memory.forget(memory.find("FRY"))                   # what is left is the beginning of what was shown
        told = memory.resumed("s")
        assert "Noor" in told and "FRY" not in told
        memory.forget(memory.find("Noor"))
        assert "nothing in an earlier copy is remembered any more" in memory.resumed("s")
        assert memory.resumed("s") == ""
        more(memory)
        assert "FRY" in memory.resumed("s")


def test_a_session_that_began_without_memories_is_told_the_first(tmp_path: Path) -> None:
    with opened(tmp_path, "claude-code@2.1") as memory:
        memory.session_block("s")
        assert memory.resumed("s") == ""
        memory.remember(RULE)
        assert "Noor" in memory.resumed("s")
        assert memory.resumed("s") == ""


@pytest.mark.parametrize("design", [name for name in designs.names() if name != "claude-code@2.1"])
def test_other_designs_say_nothing_on_resumption(tmp_path: Path, design: str) -> None:
    with opened(tmp_path, design) as memory:
        memory.remember(RULE)
        memory.session_block("s")
        more(memory)
        assert memory.resumed("s") == ""


# -- a missing index: spec/claude-code §4.4


def planted(folder: Path) -> Path:
    """A store of the edition without an index, and what the client passes over."""
    with opened(folder, "claude-code@2.1") as memory:
        store = Path(memory.space.store(memory.space.mounts(memory.place)[0]).root)
    (store / "sub").mkdir(parents=True)
    for number, (path, text) in enumerate({
        "old.md": "---\nname: old-one\ndescription: The\toldest\n---\n\nx\n", "sub/deep.md": "---\ndescription: Deep\n---\n\nx\n",
        "plain.md": "No frontmatter.\n", "long.md": f"---\nname: long\ndescription: {'d' * 300}\n---\n\nx\n",
        ".hidden.md": "---\ndescription: Hidden\n---\n\nx\n", "note.txt": "text", "UPPER.MD": "x",
    }.items()):  # fmt: skip
        (store / path).write_text(text, encoding="utf-8")
        os.utime(store / path, (1_700_000_000 + number,) * 2)
    (folder / "outside.md").write_text("---\ndescription: Outside\n---\n\nx\n", encoding="utf-8")
    (store / "link.md").symlink_to(folder / "outside.md")
    return store


REBUILT = "- [long](long.md) — " + "d" * 129 + "…\n- [plain](plain.md)\n- [deep](sub/deep.md) — Deep\n- [old](old.md) — The oldest\n"


def test_the_edition_makes_a_missing_index_when_a_session_starts(tmp_path: Path) -> None:
    store = planted(tmp_path)
    with opened(tmp_path, "claude-code@2.1") as memory:
        block = memory.session_block("s")
        assert (store / "MEMORY.md").read_text(encoding="utf-8") == REBUILT
        assert block.endswith(f":\n\n{REBUILT}</reverie-memory>")
        assert memory.session_block("s2") == block          # and the next session loads what was made
        (made,) = [change for change in memory.changes() if change.cause.rule == "index_missing"]
        assert memory.undo().change == 0                    # nobody asked for it, so "the last change" is not this one
        memory.undo(change=made.id)
        assert not (store / "MEMORY.md").exists()


def test_an_empty_index_is_not_made_anew_and_hides_nothing(tmp_path: Path) -> None:
    store = planted(tmp_path)
    (store / "MEMORY.md").write_text("", encoding="utf-8")
    with opened(tmp_path, "claude-code@2.1") as memory:
        assert "Deep" in memory.session_block("s")
    assert (store / "MEMORY.md").read_bytes() == b""


@pytest.mark.parametrize("design", ["claude-code", "reverie", "qwen-code"])
def test_no_other_design_writes_when_a_session_starts(tmp_path: Path, design: str) -> None:
    with opened(tmp_path, design) as memory:
        found, _ = memory.remember(RULE)
        index = (tmp_path / "home/stores" / design / found.memory.id).parent.parent.rglob("MEMORY.md")
        for file in list(index):
            file.unlink()
        count = len(memory.changes())
        assert "ferry" in memory.session_block("s")
        assert len(memory.changes()) == count               # the folder has its owner from the first memory on


def test_a_missing_index_waits_for_nobody(tmp_path: Path) -> None:
    """Another process holds the lock: the session is shown its index, and the next one writes it."""
    store = planted(tmp_path)
    code = (
        "memory = open_memory(folder + '/home', design=design, environment={}); lock = memory.space.home.lock('test'); "
        "lock.__enter__(); print('held', flush=True); sys.stdin.read()"
    )
    script = f"import sys; from reverie import open_memory; folder, design = sys.argv[1:3]; {code}"
    holder = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path), "claude-code@2.1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    try:
        with opened(tmp_path, "claude-code@2.1") as memory:
            block = memory.session_block()
            assert REBUILT in block and not (store / "MEMORY.md").exists()
    finally:
        holder.communicate(timeout=60)
    with opened(tmp_path, "claude-code@2.1") as memory:
        assert memory.session_block() == block
    assert (store / "MEMORY.md").exists()


@pytest.mark.parametrize("in_the_way", ["folder", "link"])
def test_what_stands_in_the_way_of_an_index_stops_no_session(tmp_path: Path, in_the_way: str) -> None:
    store = planted(tmp_path)
    if in_the_way == "folder":
        (store / "MEMORY.md").mkdir()
    else:
        (store / "MEMORY.md").symlink_to(tmp_path / "outside.md")
    with opened(tmp_path, "claude-code@2.1") as memory:
        assert "Deep" in memory.session_block("s")
    assert "Outside" in (tmp_path / "outside.md").read_text(encoding="utf-8")
