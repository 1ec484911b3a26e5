"""Snapshots on disk, of every host, and what the hooks around a compaction say."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib import resources
from pathlib import Path

import pytest

from reverie import errors, hosts
from reverie.core import budget, snapshot
from reverie.core.session import Transcript
from reverie.core.snapshot import Snapshot, rendered
from reverie.flows import compaction
from reverie.memory import Memory, open_memory

SAMPLES = str(Path(str(resources.files("reverie.samples"))) / "home")
PROJECT = "/home/dev/projects/harvest-api"
NOW = datetime(2026, 12, 2, tzinfo=UTC)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    (tmp_path / "project").mkdir()
    with open_memory(tmp_path / "home", cwd=tmp_path / "project", environment={"HOME": SAMPLES}, clock=lambda: NOW) as memory:
        yield memory


def samples() -> list[Transcript]:
    return [each for each in hosts.find_all(SAMPLES, {}, None) if isinstance(each, Transcript)]


@pytest.mark.parametrize("transcript", samples(), ids=lambda each: f"{each.host}-{each.session[:8]}")
def test_a_session_of_every_host_has_a_state(transcript: Transcript) -> None:
    one, other = (compaction.take(hosts.get(transcript.host).read(transcript)) for _ in range(2))
    assert one == other
    text = rendered(one)
    assert one.sections["asked"]
    assert text.startswith('<reverie-memory kind="snapshot">')
    assert budget.tokens(text) <= snapshot.TOKENS
    assert "Ilse" not in text, "she was spoken of off the record"
    assert "[REDACTED_SECRET]" in text or "TOKEN" not in text


def test_every_host_tells_which_files_were_touched() -> None:
    told = {each.host for each in samples() if compaction.take(hosts.get(each.host).read(each)).sections.get("files")}
    assert told == {"claude-code", "codex", "qwen-code", "opencode", "kimi-code"}


def claude(folder: Path, *said: dict[str, object], session: str = "5f0c1d2e-0000-4000-8000-000000000001") -> Path:
    """A transcript of Claude Code with these messages."""
    lines, parent = [], None
    for number, message in enumerate(said):
        uuid = f"00000000-0000-4000-8000-{number:012d}"
        lines.append(json.dumps({
            "parentUuid": parent, "isSidechain": False, "type": message["role"], "message": message, "uuid": uuid,
            "timestamp": f"2026-12-01T08:{number // 60 % 60:02d}:{number % 60:02d}.000Z", "sessionId": session, "cwd": str(folder),
            "version": "2.1.332", "gitBranch": "main",
        }))
        parent = uuid
    path = folder / f"{session}.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def user(text: str) -> dict[str, object]:
    return {"role": "user", "content": text}


def called(id: str, name: str, **given: object) -> dict[str, object]:
    return {"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": name, "input": given}],
            "usage": {"input_tokens": 5, "cache_read_input_tokens": 100_000, "output_tokens": 10}}


def result(id: str, text: str, *, failed: bool = False) -> dict[str, object]:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": text, "is_error": failed}]}


def test_what_was_put_off_the_record_later_is_left_out(tmp_path: Path, memory: Memory) -> None:
    path = claude(tmp_path, user("Ilse never signs her commits."), {"role": "assistant", "content": "Ilse, I see."},
                  user("don't write that down"), {"role": "assistant", "content": "Ilse will not be noted."}, user("run the tests"))
    text = rendered(memory.snapshot(str(path)).snapshot)
    assert "Ilse" not in text
    assert "run the tests" in text


def test_it_is_kept_as_a_file_that_a_second_one_replaces(tmp_path: Path, memory: Memory) -> None:
    path = claude(tmp_path, user("Never push to main."))
    first = memory.snapshot(str(path), write=True)
    assert first.change
    file = tmp_path / "home" / first.path
    claude(tmp_path, user("Never push to main."), user("Now the docs."))
    second = memory.snapshot(str(path), write=True)
    assert second.path == first.path
    assert "Now the docs." in file.read_text(encoding="utf-8")
    assert memory.snapshot(str(path), write=True).change == 0, "nothing new, nothing written"
    path.unlink()
    assert memory.snapshot("5f0c1d2e").snapshot.sections["rules"] == ("Never push to main.",), "what is kept outlives the transcript"
    memory.undo(change=second.change)
    assert "Now the docs." not in file.read_text(encoding="utf-8")


def test_undo_without_a_number_does_not_take_it_for_the_last_change(tmp_path: Path, memory: Memory) -> None:
    found, _ = memory.remember("Incidents are tracked in Linear under HRV")
    memory.snapshot(str(claude(tmp_path, user("Never push to main."))), write=True)
    memory.undo()
    assert found.memory.id not in [each.memory.id for each in memory.list()]
    assert memory.snapshots()


def test_nothing_is_learned_from_it(tmp_path: Path, memory: Memory) -> None:
    block = rendered(memory.snapshot(str(claude(tmp_path, user("Always run the checks with make check.")))).snapshot)
    assert "make check" in block
    again = claude(tmp_path, user(block), user(f"{block}\n\nthanks"), session="5f0c1d2e-0000-4000-8000-000000000002")
    report = memory.learn(paths=[str(again)])
    assert not [kept for learned in report.sessions for kept in learned.kept]
    second = memory.snapshot(str(again)).snapshot
    assert second.sections["asked"] == ("thanks",)


def test_old_ones_go_and_can_be_had_back(tmp_path: Path, memory: Memory) -> None:
    def state(number: int, days: int) -> Snapshot:
        taken = (NOW - timedelta(days=days, minutes=number)).isoformat(timespec="seconds")
        return Snapshot(host="codex", session=f"s{number}", taken=taken, sections={"asked": ("x",)})

    old, _ = compaction.write(memory.space, state(0, 91))
    for number in range(1, compaction.MOST_KEPT + 3):
        compaction.write(memory.space, state(number, 1))
    kept = memory.snapshots()
    assert len(kept) <= compaction.MOST_KEPT
    assert old not in [each.path for each in kept]
    removing = next(change for change in reversed(memory.changes(500)) if old in change.paths and len(change.paths) > 1)
    memory.undo(change=removing.id)
    assert (tmp_path / "home" / old).is_file()


@pytest.mark.parametrize("session", ["../../etc/passwd", "a/b", "CON", "x" * 300, "", "\ud800", "a\x00b", ".."])
def test_a_session_s_name_leads_nowhere_else(session: str, memory: Memory) -> None:
    path = compaction.path_of("codex", session)
    assert path.count("/") == 2
    assert ".." not in path.split("/")
    assert path.isprintable()
    compaction.write(memory.space, Snapshot(host="codex", session=session or "x", sections={"asked": ("x",)}))
    assert compaction.path_of("codex", "a/b") != compaction.path_of("codex", "a-b")


def test_an_empty_session_keeps_nothing(tmp_path: Path, memory: Memory) -> None:
    path = claude(tmp_path, {"role": "assistant", "content": ""})
    with pytest.raises(errors.WrongUse, match="nothing to keep"):
        memory.snapshot(str(path), write=True)
    assert memory.before_compaction(str(path)) == ""
    assert not (tmp_path / "home" / "snapshots").exists()


def test_only_tools_are_a_state_too(tmp_path: Path, memory: Memory) -> None:
    found = memory.snapshot(str(claude(tmp_path, called("t1", "Bash", command="make check"), result("t1", "error: x", failed=True))))
    assert set(found.snapshot.sections) == {"commands", "failures"}


def test_a_broken_transcript_is_read_as_far_as_it_goes(tmp_path: Path, memory: Memory) -> None:
    path = claude(tmp_path, user("fix the export"), user("then the import"))
    path.write_bytes(path.read_bytes() + b'{"type":"user","mess\xff\n\x00\x00\n[]\n{"type":')
    assert memory.snapshot(str(path)).snapshot.sections["asked"] == ("fix the export", "then the import")


@pytest.mark.slow
def test_a_huge_one_takes_seconds_and_stays_bounded(tmp_path: Path, memory: Memory) -> None:
    said: list[dict[str, object]] = []
    for number in range(6_000):
        said += [user(f"request {number}: never touch file {number}"), called(f"t{number}", "Bash", command=f"make t{number}"),
                 result(f"t{number}", "error: " + "x" * 4_000, failed=True)]
    started = time.monotonic()
    text = memory.before_compaction(str(claude(tmp_path, *said)))
    assert len(text) <= 10_000
    assert time.monotonic() - started < 30


def test_before_a_compaction_the_summary_is_told_what_to_keep(tmp_path: Path, memory: Memory) -> None:
    path = claude(tmp_path, user("Never log the tokens. Fix the export."), called("t1", "Edit", file_path="/srv/a.py"), result("t1", "ok"))
    said = memory.before_compaction(str(path))
    assert not said.lstrip().startswith("{"), "JSON is refused there"
    assert "Never log the tokens." in said
    assert "/srv/a.py  (written 1)" in said
    assert len(said) <= 10_000
    assert memory.snapshots()
    assert memory.before_compaction("no-such-session") == ""


def test_after_a_compaction_the_frozen_block_the_state_and_what_was_read_come_back(tmp_path: Path, memory: Memory) -> None:
    session = "5f0c1d2e-0000-4000-8000-000000000001"
    found, _ = memory.remember("Incidents are tracked in Linear under HRV")
    block = memory.session_block(session)
    name = found.memory.id.rpartition("/")[2]
    path = claude(tmp_path, user("Never push to main."), called("t1", "Read", file_path=f"/x/memory/{name}"), result("t1", "ok"))
    memory.before_compaction(str(path))
    memory.remember("Deploys happen on Mondays")
    again = memory.after_compaction(session=session)
    assert again.startswith(block), "the frozen block is the same bytes"
    assert "Never push to main." in again
    assert again.count("Incidents are tracked in Linear under HRV") >= 2, "in the index, and read again"
    assert len(again) <= 10_000


def test_what_was_read_of_another_project_is_not_read_again(tmp_path: Path, memory: Memory) -> None:
    other = tmp_path / "other"
    other.mkdir()
    with open_memory(tmp_path / "home", cwd=other, clock=lambda: NOW) as elsewhere:
        found, _ = elsewhere.remember("The other project's board is Jira OTH")
    state = Snapshot(host="claude-code", session="s", sections={"memories": (found.memory.id, "../../etc/passwd")})
    said = compaction.after(memory.space, memory.place, session="s", found=state, block_tokens=1500)
    assert "board is Jira" not in said


def made_up(number: int) -> list[str]:
    """Words that no two numbers share: what says the same with another value would take the other's place."""
    letters = hashlib.sha256(str(number).encode()).hexdigest().translate(str.maketrans("0123456789", "ghijklmnop"))
    return [letters[at:at + 7] for at in range(0, 56, 7)]


def test_five_memories_are_read_again(tmp_path: Path, memory: Memory) -> None:
    boards = [memory.remember(" ".join(made_up(number)))[0].memory for number in range(7)]
    state = Snapshot(host="claude-code", session="s", sections={"memories": tuple(board.id for board in boards)})
    said = compaction.after(memory.space, memory.place, session="s", found=state, block_tokens=1500)
    again = said.partition("Memories that were read in this session")[2]
    assert [board.name for board in boards if board.body in again] == [board.name for board in boards[:5]]


def test_the_age_of_what_is_read_again_is_said(tmp_path: Path, memory: Memory) -> None:
    found, _ = memory.remember("Incidents are tracked in Linear under HRV")
    state = Snapshot(host="claude-code", session="s", sections={"memories": (found.memory.id,)})
    later = open_memory(tmp_path / "home", cwd=tmp_path / "project", clock=lambda: datetime.now(UTC) + timedelta(days=47))
    with later:
        assert "This memory is 47 days old." in compaction.after(
            later.space, later.place, session="s", found=state, block_tokens=1500)


@pytest.mark.slow
def test_a_big_index_leaves_the_limit_whole(tmp_path: Path) -> None:
    with open_memory(tmp_path / "home", design="claude-code@2.1", cwd=tmp_path, clock=lambda: NOW) as memory:
        for number in range(150):
            memory.remember(" ".join(made_up(number)), name=f"service {number}")
        said = memory.after_compaction(session="s")
    assert 9_000 < len(said) <= 10_000
    assert said.count("</reverie-memory>") == said.count("<reverie-memory")


def test_how_far_a_session_is_from_its_compaction(tmp_path: Path, memory: Memory) -> None:
    far = memory.snapshot(str(claude(tmp_path, user("x y z"), called("t1", "Bash", command="make")))).distance
    assert far is not None
    assert (far.tokens, far.left) == (100_015, 66_985)


@pytest.mark.parametrize("host", ["claude-code", "codex", "qwen-code", "kimi-code"])
def test_each_host_s_tokens_are_found_at_the_end_of_its_transcript(host: str) -> None:
    from reverie.hosts import usage

    found = [usage.tokens(each) for each in samples() if each.host == host]
    assert all(each is not None and 9_000 < each < 30_000 for each in found)


def test_an_extractor_never_sees_what_a_tool_was_called_with() -> None:
    from reverie.core.session import Message, Voice
    from reverie.flows import hearing

    said = Message(id="t", voice=Voice.TOOL, text="ok", tool="Bash", given=b'{"command": "deploy --token hunter2hunter2"}')
    assert hearing.clean(said).call == ""


def test_a_home_that_cannot_be_written_does_not_silence_the_hook(tmp_path: Path, memory: Memory) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "snapshots").write_text("in the way", encoding="utf-8")
    said = memory.before_compaction(str(claude(tmp_path, user("Never log the tokens."))))
    assert "Never log the tokens." in said
    assert memory.space.home.notes
