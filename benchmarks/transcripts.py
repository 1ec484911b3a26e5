"""How fast transcripts are read, against ``orjson.loads`` over the same lines in the same run, and how much memory it takes.

    python benchmarks/transcripts.py [HOST …] [--size-mb 200] [--rounds 5] [--mix session|messages]

The files are generated here, in the shape of each host's own: ``session`` as a client writes them, bookkeeping included;
``messages`` with nothing but what is handed out, the hardest case for a reader that lives on passing things over. Times are
medians over alternating rounds in one thread; the memory is the peak of a process of its own that reads the file, and of one
that reads half of it: flat means that the two are alike. For OpenCode, whose transcripts are rows, both sides get
them from the same query.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import orjson

from reverie import hosts
from reverie.core.session import Transcript

WORDS = """
the build fails when a queue is empty because nobody checks return values of poll and retry uses seconds instead of
milliseconds 测试 数据库 设置 この 関数 は 遅い 'config' "quoted" path/to/file.py \\n 0x1f 42 --flag {json: true}
""".split()  # noqa: SIM905 - a list of words is read as words


CWD = "/home/dev/projects/app"
Make = Callable[[random.Random, bool], Iterator[list[dict[str, object]]]]


def text(rng: random.Random, length: int) -> str:
    """Prose and code of about this many characters."""
    words: list[str] = []
    size = 0
    while size < length:
        words.append(rng.choice(WORDS))
        size += len(words[-1]) + 1
    return " ".join(words)


def uuid(rng: random.Random) -> str:
    value = f"{rng.getrandbits(128):032x}"
    return f"{value[:8]}-{value[8:12]}-4{value[13:16]}-a{value[17:20]}-{value[20:]}"


def claude_code(rng: random.Random, full: bool) -> Iterator[list[dict[str, object]]]:
    parent: str | None = None
    while True:
        turn: list[dict[str, object]] = []

        def record(**values: object) -> dict[str, object]:
            nonlocal parent
            name = uuid(rng)
            found = {
                "parentUuid": parent, "isSidechain": False, **values, "uuid": name, "timestamp": "2026-12-01T05:53:57.131Z",
                "userType": "external", "cwd": CWD, "sessionId": "5e55", "version": "2.1.332", "gitBranch": "main",
            }
            parent = name
            return found

        if full:
            turn.append({"type": "queue-operation", "operation": "enqueue", "content": text(rng, 200), "sessionId": "5e55"})
        turn.append(record(type="user", message={"role": "user", "content": text(rng, 300)}))
        if full:
            turn += [
                record(attachment={"type": kind, "content": text(rng, size)}, type="attachment", rendered=[text(rng, size)])
                for kind, size in (("environment", 500), ("skill_listing", 4_000), ("prompt_snapshot", 9_000))
            ]
            turn.append({"type": "api-request-shape", "sessionId": "5e55", "shape": {"system": text(rng, 9_000)}})
        for _ in range(4):
            call = f"toolu_{rng.getrandbits(64):x}"
            said = {"id": f"msg_{call}", "type": "message", "role": "assistant", "model": "m", "usage": {"input_tokens": 12545}}
            turn.append(record(message={**said, "content": [{"type": "text", "text": text(rng, 200)}]}, type="assistant"))
            use = {"type": "tool_use", "id": call, "name": "Edit", "input": {"old": text(rng, 400), "new": text(rng, 500)}}
            turn.append(record(message={**said, "content": [use]}, type="assistant"))
            output = text(rng, 2_000)
            result = {"tool_use_id": call, "type": "tool_result", "content": output, "is_error": False}
            turn.append(record(
                type="user", message={"role": "user", "content": [result]}, toolUseResult={"stdout": output, "stderr": ""},
            ))
            if full:
                turn.append({"type": "last-prompt", "lastPrompt": text(rng, 150), "leafUuid": parent, "sessionId": "5e55"})
        yield turn


def qwen_code(rng: random.Random, full: bool) -> Iterator[list[dict[str, object]]]:
    parent: str | None = None
    while True:
        turn: list[dict[str, object]] = []

        def record(kind: str, **values: object) -> dict[str, object]:
            nonlocal parent
            name = uuid(rng)
            found = {
                "uuid": name, "parentUuid": parent, "sessionId": "5e55", "timestamp": "2026-12-01T05:53:57.131Z", "type": kind,
                "provenance": {"user": "real_user", "assistant": "assistant_output"}.get(kind, kind), "cwd": CWD,
                "version": "0.24.4", "gitBranch": "main", **values,
            }
            parent = name
            return found

        turn.append(record("user", message={"role": "user", "parts": [{"text": text(rng, 300)}]}))
        for _ in range(4):
            if full:
                telemetry = {"event.name": "qwen-code.api_response", "response_text": text(rng, 400)}
                turn.append(record("system", subtype="ui_telemetry", systemPayload={"uiEvent": telemetry}))
                turn.append(record("system", subtype="attribution_snapshot", systemPayload={"snapshot": text(rng, 300)}))
            call = {"functionCall": {"id": "c", "name": "edit", "args": {"old": text(rng, 400), "new": text(rng, 500)}}}
            turn.append(record("assistant", model="m", message={"role": "model", "parts": [{"text": text(rng, 200)}, call]}))
            output = text(rng, 2_000)
            response = {"functionResponse": {"id": "c", "name": "edit", "response": {"output": output}}}
            turn.append(record(
                "tool_result", message={"role": "user", "parts": [response]},
                toolCallResult={"callId": "c", "status": "success", "resultDisplay": output},
            ))
        yield turn


def codex(rng: random.Random, full: bool) -> Iterator[list[dict[str, object]]]:
    def line(kind: str, payload: dict[str, object]) -> dict[str, object]:
        return {"timestamp": "2026-12-01T05:43:47.314Z", "ordinal": 9, "type": kind, "payload": payload}

    meta = {"id": "s", "cwd": CWD, "originator": "codex_exec", "base_instructions": {"text": text(rng, 20_000)}}
    yield [line("session_meta", {**meta, "timestamp": "2026-12-01T05:43:47Z"})]
    while True:
        prompt = text(rng, 300)
        turn = [line("response_item", {
            "type": "message", "role": "user", "content": [{"type": "input_text", "text": prompt}],
            "internal_chat_message_metadata_passthrough": {"content_item_kinds": ["user.text"]},
        })]
        if full:
            turn.insert(0, line("turn_context", {"turn_id": "t", "cwd": CWD, "model": "m", "summary": "auto"}))
            turn.insert(1, line("response_item", {
                "type": "message", "role": "developer", "content": [{"type": "input_text", "text": text(rng, 5_000)}],
            }))
            done = {"type": "UserMessage", "id": uuid(rng), "content": [{"type": "text", "text": prompt}]}
            turn.append(line("event_msg", {"type": "item_completed", "item": done}))
        for _ in range(4):
            call, output = f"call_{rng.getrandbits(64):x}", text(rng, 2_000)
            turn.append(line("response_item", {
                "type": "function_call", "name": "exec_command", "arguments": json.dumps(text(rng, 900)), "call_id": call,
            }))
            if full:
                item = {"type": "CommandExecution", "id": call, "aggregated_output": output}
                turn.append(line("event_msg", {"type": "item_completed", "item": item}))
                turn.append(line("event_msg", {"type": "token_count", "info": {"total_token_usage": 31339}}))
                turn.append(line("token_usage_record", {"thread_id": uuid(rng), "usage": {"input_tokens": 31339}}))
            turn.append(line("response_item", {
                "type": "function_call_output", "call_id": call,
                "output": f"Chunk ID: 3108b5\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n{output}",
            }))
            answer = [{"type": "output_text", "text": text(rng, 200)}]
            turn.append(line("response_item", {"type": "message", "role": "assistant", "content": answer}))
        yield turn


def kimi_code(rng: random.Random, full: bool) -> Iterator[list[dict[str, object]]]:
    yield [{"type": "metadata", "protocol_version": "1.5", "created_at": 1796097203241}]
    while True:
        name, prompt = f"msg_{rng.getrandbits(64):x}", [{"type": "text", "text": text(rng, 300)}]
        said = {"role": "user", "content": prompt, "id": name, "toolCalls": [], "origin": {"kind": "user"}}
        turn: list[dict[str, object]] = [
            {"type": "context.append_message", "agentId": "main", "message": said, "time": 1796097203343},
        ]
        if full:
            turn.insert(0, {"type": "turn.prompt", "agentId": "main", "input": prompt, "origin": {"kind": "user"}})
            turn.append({"message": {"message": said}, "type": "agent.message.appended", "kind": "event"})

        def event(**values: object) -> dict[str, object]:
            return {"type": "context.append_loop_event", "agentId": "main", "event": values, "time": 1796097203444}

        for _ in range(4):
            call, output = f"call_{rng.getrandbits(64):x}", text(rng, 2_000)
            part = {"type": "text", "text": text(rng, 200)}
            turn.append(event(type="content.part", uuid=uuid(rng), turnId="0", step=1, stepUuid=uuid(rng), part=part))
            turn.append(event(
                type="tool.call", uuid=uuid(rng), turnId="0", toolCallId=call, name="Write", args={"content": text(rng, 900)},
            ))
            turn.append(event(type="tool.result", parentUuid=uuid(rng), toolCallId=call, result={"output": output}))
            if full:
                turn.append({"type": "usage.record", "agentId": "main", "usage": {"inputOther": 21311}, "time": 1796097203444})
                turn.append(event(type="step.end", uuid=uuid(rng), turnId="0", step=1, usage={"inputOther": 21311}))
                tool = {"message": {"role": "tool", "content": [{"type": "text", "text": output}]}, "meta": {"source": "tool"}}
                turn.append({"message": tool, "type": "agent.message.appended", "time": 1796097203444, "kind": "event"})
        yield turn


LINES = {"claude-code": claude_code, "qwen-code": qwen_code, "codex": codex, "kimi-code": kimi_code}


def write_lines(path: Path, make: Make, size: int, full: bool) -> None:
    written = 0
    with path.open("wb") as out:
        for turn in make(random.Random(7), full):
            for value in turn:
                written += out.write(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")
            if written >= size:
                return


def write_rows(path: Path, size: int) -> None:
    """An OpenCode database."""
    rng, written, number = random.Random(7), 0, 0
    with sqlite3.connect(path) as out:
        out.executescript("""
            CREATE TABLE session (id text PRIMARY KEY, project_id text, parent_id text, directory text, title text, revert text,
                                  time_created integer, time_updated integer);
            CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, time_updated integer, data text);
            CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, time_created integer, data text);
            CREATE INDEX part_message ON part(message_id, id);
            CREATE INDEX message_session ON message(session_id, time_created, id);
            INSERT INTO session VALUES ('s', 'p', NULL, '/home/dev/projects/app', 't', NULL, 1, 2);
        """)
        while written < size:
            number += 1
            role = "assistant" if number % 5 else "user"
            data = json.dumps({"role": role, "time": {"created": number, "completed": number + 1}, "cost": 0, "mode": "build"})
            parts: list[dict[str, object]] = [{"type": "text", "text": text(rng, 300)}]
            if role == "assistant":
                state = {"status": "completed", "input": {"content": text(rng, 900)}, "output": text(rng, 2_000), "metadata": {}}
                parts += [{"type": "step-start", "snapshot": "b"}, {"type": "tool", "tool": "write", "state": state}]
            message = f"msg_{number:012}"
            out.execute("INSERT INTO message VALUES (?, 's', ?, ?, ?)", (message, number, number, data))
            for index, part in enumerate(parts):
                value = json.dumps(part, ensure_ascii=False)
                written += len(value)
                out.execute("INSERT INTO part VALUES (?, ?, 's', ?, ?)", (f"prt_{number:012}{index}", message, number, value))
    out.close()


def baseline(path: Path) -> int:
    """``orjson.loads`` over every line, or every row."""
    loads, count = orjson.loads, 0
    if path.suffix == ".db":
        connection = sqlite3.connect(path)
        for message, data in connection.execute("SELECT id, data FROM message ORDER BY time_created, id").fetchall():
            loads(data)
            for (part,) in connection.execute("SELECT data FROM part WHERE message_id = ? ORDER BY id", (message,)):
                loads(part)
                count += 1
        connection.close()
        return count
    with path.open("rb") as lines:
        for line in lines:
            loads(line)
            count += 1
    return count


def transcript(host: str, path: Path) -> Transcript:
    return Transcript(host=host, session="s", path=str(path), cwd=CWD)


def read(host: str, path: Path) -> int:
    return sum(1 for _ in hosts.get(host).read(transcript(host, path)).messages)


def peak_mb(host: str, path: Path) -> float:
    """The peak memory of a process that reads this file, in MB."""
    found = subprocess.run(
        [sys.executable, __file__, host, "--peak", str(path)], check=True, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    return float(found.stdout)


def measure(host: str, size: int, rounds: int, full: bool, folder: Path) -> None:
    path, half = folder / f"{host}.jsonl", folder / f"{host}-half.jsonl"
    if host == "opencode":
        path, half = path.with_suffix(".db"), half.with_suffix(".db")
        write_rows(path, size)
        write_rows(half, size // 2)
    else:
        write_lines(path, LINES[host], size, full)
        write_lines(half, LINES[host], size // 2, full)
    ours: list[float] = []
    theirs: list[float] = []
    messages = 0
    for _ in range(rounds):
        start = time.perf_counter()
        baseline(path)
        middle = time.perf_counter()
        messages = read(host, path)
        ours.append(time.perf_counter() - middle)
        theirs.append(middle - start)
    megabytes = path.stat().st_size / 1e6
    ratio = statistics.median(their / our for our, their in zip(ours, theirs, strict=True))
    print(
        f"{host:12} {megabytes:7.0f} MB {messages:8} messages   orjson {megabytes / statistics.median(theirs):6.0f} MB/s"
        f"   reader {megabytes / statistics.median(ours):6.0f} MB/s   ratio {ratio:5.2f}"
        f"   peak {peak_mb(host, path):5.0f} MB, of half {peak_mb(host, half):5.0f} MB", flush=True,
    )
    path.unlink()
    half.unlink()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("host", nargs="*", help="hosts to measure; all without")
    parser.add_argument("--size-mb", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--mix", choices=("session", "messages"), default="session")
    parser.add_argument("--peak", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peak:
        read(options.host[0], Path(options.peak))
        # kilobytes on Linux, bytes on macOS
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1_000_000 if sys.platform == "darwin" else 1_000))
        return
    with tempfile.TemporaryDirectory() as folder:
        for host in options.host or sorted(hosts.DIALECTS):
            hosts.get(host)
            measure(host, options.size_mb * 1_000_000, options.rounds, options.mix == "session", Path(folder))


if __name__ == "__main__":
    main()
