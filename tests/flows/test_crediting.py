"""Uses seen in transcripts, kept with the session that shows them (study, Codex §6)."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from reverie.core import place as places
from reverie.core.events import Cause, SessionRecord
from reverie.core.stage1 import Output
from reverie.memory import Memory, open_memory
from reverie.storage import extracts

NOW = datetime.now(UTC)     # a memory's age is its file's, and files are written now
PROJECT = "/home/dev/projects/shop"
RULE = "Please run the checks with `make check-calendar`, never plain pytest: it loads the calendar first."


class Clock:
    now = NOW

    def __call__(self) -> datetime:
        return self.now


def opened(folder: Path, clock: Clock, design: str = "reverie", cwd: str = PROJECT) -> Memory:
    return open_memory(folder / "reverie", design=design, cwd=cwd, environment={"HOME": str(folder)}, clock=clock)


def rollout(folder: Path, thread: str, at: datetime, *items: dict[str, object], cwd: str = PROJECT) -> Path:
    """A session of Codex as its client writes it."""
    path = folder / f".codex/sessions/2026/11/20/rollout-2026-11-20T09-00-00-{thread}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    stamp = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    lines = [{"type": "session_meta", "payload": {"id": thread, "cwd": cwd, "source": "cli", "timestamp": stamp}}]
    lines += [{"type": "response_item", "payload": item} for item in items]
    path.write_text("".join(json.dumps({"timestamp": stamp, **line}) + "\n" for line in lines), encoding="utf-8")
    return path


def user(text: str) -> dict[str, object]:
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}


def answer(text: str) -> dict[str, object]:
    return {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}


FIRST, SECOND = "019c6e27-e55b-73d1-87d8-4e01f1f75043", "019c6e27-e55b-73d1-87d8-4e01f1f75044"
UNSEEN = "019c6e27-e55b-73d1-87d8-4e01f1f75045"        # extracted, and not yet in the files
CITED = f"Done.\n<oai-mem-citation>\n<rollout_ids>\n{FIRST}\nnobody\n</rollout_ids>\n</oai-mem-citation>"


def learned(folder: Path, clock: Clock, *answers: str, design: str = "reverie", cwd: str = PROJECT) -> Memory:
    """A rule from a first session of Codex, and a second one that answers so."""
    memory = opened(folder, clock, design, cwd)
    rollout(folder, FIRST, NOW, user(RULE), answer("Will do."))
    memory.learn(hosts=["codex"])
    clock.now += timedelta(days=2)
    rollout(folder, SECOND, clock.now, user("is the release ready?"), *map(answer, answers), cwd=cwd)
    memory.learn(hosts=["codex"])
    return memory


def uses(memory: Memory) -> dict[str, list[str]]:
    records = memory.space.home.records
    return {name.partition("/")[2].partition("/")[0]: [str(use.how) for use in records.uses(name)] for name in records.usage()}


def test_a_citation_credits_the_memory_and_its_session_once(tmp_path: Path) -> None:
    with learned(tmp_path, clock := Clock(), CITED) as memory:
        assert uses(memory) == {"projects": ["cited"], "threads": ["cited"]}
        rollout(tmp_path, SECOND, clock.now, user("is the release ready?"), answer(CITED), user("and now?"))
        memory.learn(hosts=["codex"])
        assert uses(memory) == {"projects": ["cited"], "threads": ["cited"]}


def test_a_memory_applied_without_a_citation_is_credited_as_such(tmp_path: Path) -> None:
    with learned(tmp_path, Clock(), "I ran `make check-calendar` and all is well.") as memory:
        assert uses(memory) == {"projects": ["applied"], "threads": ["applied"]}


def shell(command: str, call: str) -> list[dict[str, object]]:
    """A command that Codex's model ran, and what it printed."""
    return [
        {"type": "custom_tool_call", "name": "exec", "call_id": call, "input": f"const r = await tools.exec_command({json.dumps({'cmd': command})})"},
        {"type": "custom_tool_call_output", "call_id": call, "output": "Exit code: 0\nWall time: 0 seconds\nOutput:\nok\n"},
    ]


def test_a_memory_whose_file_was_read_is_credited_and_the_part_that_was_read_is_counted(tmp_path: Path) -> None:
    with learned(tmp_path, clock := Clock()) as memory:
        (found,) = memory.list()
        store = memory.space.store(found.mount)
        path = f"{store.root}/{found.memory.id.rpartition('/')[2]}"
        clock.now += timedelta(days=1)
        third = SECOND[:-1] + "5"
        rollout(tmp_path, third, clock.now, user("go on"), *shell(f"sed -n '1,50p' {path}", "c1"),
                *shell("cat ~/.codex/memories/MEMORY.md && ls", "c2"), *shell(f"cat {path} && rm -rf x", "c3"))
        memory.learn(hosts=["codex"])
        assert uses(memory) == {"projects": ["read"], "threads": ["read"], "parts": ["read"]}
        assert "reverie/parts/memory_md" in memory.space.home.records.usage()


def test_what_has_nothing_to_do_with_it_credits_nothing(tmp_path: Path) -> None:
    with learned(tmp_path, Clock(), "All is well.") as memory:
        assert uses(memory) == {}


def test_a_session_of_another_project_credits_no_memory_of_this_one(tmp_path: Path) -> None:
    clock = Clock()
    with learned(tmp_path, clock, "I ran `make check-calendar`.", cwd="/home/dev/projects/other") as memory:
        assert uses(memory) == {}


def test_a_citation_credits_no_session_of_another_project_and_none_that_nobody_knows(tmp_path: Path) -> None:
    for folder, cwd, counted in ((tmp_path / "other", "/home/dev/projects/other", 0), (tmp_path / "same", PROJECT, 1)):
        folder.mkdir()
        clock = Clock()
        with opened(folder, clock, "codex") as memory:
            there = places.project_key(memory.space.place(PROJECT))
            output = Output(
                design="codex", host="codex", session=UNSEEN, project=there, cwd=PROJECT, branch="", path="", actor="rules",
                source_updated_at=1, raw_memory="x", rollout_summary="y", rollout_slug="z", generated_at=1,
            )
            memory.space.home.journal.commit([], cause=Cause(operation="extract", actor="rules"), also=[extracts.put_statement(output)])
        with learned(folder, clock, CITED.replace("nobody", f"nobody\n{UNSEEN}"), design="codex", cwd=cwd) as memory:
            found = memory.space.home.extracts.get("codex", "codex", UNSEEN)
            assert found is not None
            assert (found.usage_count or 0) == counted
            threads = {name.rpartition("/")[2] for name in memory.space.home.records.usage() if "/threads/" in name}
            assert threads == ({FIRST, UNSEEN} if counted else set())


def test_phase_ones_counters_follow(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path, clock, "codex") as memory:
        output = Output(
            design="codex", host="codex", session=FIRST, project="p", cwd=PROJECT, branch="", path="", actor="rules",
            source_updated_at=1, raw_memory="x", rollout_summary="y", rollout_slug="z", generated_at=1,
        )
        memory.space.home.journal.commit([], cause=Cause(operation="extract", actor="rules"), also=[extracts.put_statement(output)])
    with learned(tmp_path, clock, CITED, "I ran `make check-calendar` again.", design="codex") as memory:
        found = memory.space.home.extracts.get("codex", "codex", FIRST)
        assert found is not None
        assert found.usage_count == 1          # once a message, and the second message used what it was told
        assert found.last_usage == int(clock.now.timestamp())


def test_status_says_when_citations_stop(tmp_path: Path) -> None:
    clock = Clock()
    with learned(tmp_path, clock, CITED, CITED.replace("Done", "Yes"), CITED.replace("Done", "No")) as memory:
        def problems() -> list[str]:
            return [problem for problem in memory.status()["problems"] if "cited" in problem]

        assert problems() == []
        for number in range(20):
            clock.now += timedelta(hours=1)
            memory.space.home.records.record_session(
                SessionRecord(host="codex", session=f"s{number}", outcome="succeeded_no_output", messages=2, last_at=clock.now)
            )
        (said,) = problems()
        assert "codex has cited no memory in 20 sessions" in said
