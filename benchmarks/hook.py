"""What a prompt waits for: the hook as a cold process with a home of 1,000 memories, against ``python -c pass`` in the same run.

    python benchmarks/hook.py [--memories 1000] [--runs 40] [--json]

Runs alternate, so that a busy machine is busy for all alike; the median and the 95th percentile of the wall time, and the ratio
of the medians. "empty" is a prompt that needs nothing, "known" one whose memory the session has seen, "the long way" the first
prompt in a directory, and the first after a change (``reverie.flows.shortcut``). The shares are measured inside the process:
what the interpreter needs before the first line is the rest of the whole.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).resolve().parent.parent / "src"
sys.path.insert(0, str(SOURCE))

from reverie.memory import open_memory  # noqa: E402 - only now can it be found

WORDS = (
    "gateway", "ledger", "cache", "harvest", "parser", "index", "schema", "deploy", "broker", "queue", "socket", "retry",
    "cursor", "token", "budget", "shard", "lease", "worker", "batch", "replay", "invoice", "tenant", "region", "alert", "probe",
)
RULE = "Run the checks with `make check`, never plain pytest"
FOUND = ("prompt, found", "prompt, the long way", "session start")
PROMPTS = {"found": "how do I run the checks?", "empty": "what is the time complexity of heapsort?"}
SHARES = """
import sys, time
started = time.perf_counter()
sys.path.insert(0, {source!r})
import os
from datetime import UTC, datetime
marks = []
mark = lambda name: marks.append((name, time.perf_counter()))
from reverie.entrypoints import hook
from reverie.hosts import hooks
event = hooks.event("claude-code", hook._decoded(hook._payload()))
mark("read the payload")
from reverie.entrypoints import hook_events
from reverie.flows import shortcut
from reverie.storage.home import Home
mark("import")
home = Home({home!r}, lambda: datetime.now(UTC))
way = shortcut._Way.of(home.records.frozen(shortcut._key(event.cwd), shortcut._NAME))
place = shortcut.git.locate(event.cwd, home={home!r})
mark("open the home, find the project")
text = shortcut.recalled(
    home, cwd=event.cwd, prompt=event.prompt, session=event.session, environment=os.environ, user_home={home!r})
mark("look at the files, search")
assert text
hook._print(hooks.answer(event, text))
mark("print")
last = started
for name, at in marks:
    sys.stderr.write(f"{{name}}\\t{{(at - last) * 1000:.3f}}\\n"); last = at
os._exit(0)
"""


def build(home: Path, project: Path, memories: int) -> None:
    """A home with one memory that is asked for and others of much the same words."""
    project.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    random.seed(7)
    with open_memory(home, cwd=project, environment={"HOME": str(home)}) as memory:
        memory.remember(RULE, type="feedback")
        folder = Path(memory.space.store(memory.list()[0].mount).root)
        for number in range(memories - 1):
            a, b, c, d = random.sample(WORDS, 4)
            said = f"The {a} of the {b} keeps its {c} in the {d}"
            (folder / f"project_{a}_{b}_{number}.md").write_text(
                f"---\nname: {a} {b} {number}\ndescription: {said}\ntype: project\n---\n\n"
                f"{said} since the {random.choice(WORDS)} was rebuilt (number {number}).\n", "utf-8")
        memory.adopt(native=False)
        memory.recall(PROMPTS["found"])


def payload(project: Path, **more: str) -> bytes:
    common = {"hook_event_name": "UserPromptSubmit", "transcript_path": "/t.jsonl", "cwd": str(project)}
    return json.dumps({**common, **more}).encode()


def new(project: Path, number: int) -> Path:
    """A directory of the project from which nobody has asked yet."""
    folder = project / f"part{number}"
    folder.mkdir(exist_ok=True)
    return folder


def wall(command: list[str], data: bytes, environment: dict[str, str]) -> tuple[float, bytes]:
    started = time.perf_counter()
    done = subprocess.run(command, input=data, capture_output=True, env=environment, check=True)
    return (time.perf_counter() - started) * 1000, done.stdout


def measure(home: Path, project: Path, runs: int) -> dict[str, list[float]]:
    environment = {"HOME": str(home), "REVERIE_HOME": str(home), "PATH": os.environ["PATH"]}
    hook = [sys.executable, "-I", "-S", str(SOURCE / "reverie" / "hook.py"), "claude-code", "--no-background"]
    cases: dict[str, tuple[list[str], Any]] = {
        "python -c pass": ([sys.executable, "-c", "pass"], lambda n: b""),
        "python -I -S -c pass": ([sys.executable, "-I", "-S", "-c", "pass"], lambda n: b""),
        "prompt, found": (hook, lambda n: payload(project, session_id=f"found {n}", prompt=PROMPTS["found"])),
        "prompt, empty": (hook, lambda n: payload(project, session_id=f"empty {n}", prompt=PROMPTS["empty"])),
        "prompt, known": (hook, lambda n: payload(project, session_id="known", prompt=PROMPTS["found"])),
        "prompt, the long way": (hook, lambda n: payload(new(project, n), session_id=f"long {n}", prompt=PROMPTS["found"])),
        "session start": (hook, lambda n: payload(project, session_id=f"start {n}", hook_event_name="SessionStart")),
        "a file read, no memory": (hook, lambda n: json.dumps({
            "hook_event_name": "PostToolUse", "tool_name": "Read", "session_id": "x", "cwd": str(project),
            "tool_input": {"file_path": "/usr/include/stdio.h"}}).encode()),
    }
    found: dict[str, list[float]] = {name: [] for name in cases}
    for number in range(runs + 2):
        for name, (command, data) in cases.items():
            milliseconds, said = wall(command, data(number), environment)
            if number >= 2:                 # the first ones compile, and read from the disk
                found[name].append(milliseconds)
                assert (RULE.encode() in said) == (name in FOUND), (name, said)
    return found


def shares(home: Path, project: Path, runs: int) -> dict[str, float]:
    code = SHARES.format(source=str(SOURCE), home=str(home))
    found: dict[str, list[float]] = {}
    for number in range(runs):
        data = payload(project, session_id=f"shares {number}", prompt=PROMPTS["found"])
        done = subprocess.run([sys.executable, "-I", "-S", "-c", code], input=data, capture_output=True, check=True,
                              env={"HOME": str(home), "REVERIE_HOME": str(home), "PATH": os.environ["PATH"]})
        for line in done.stderr.decode().splitlines():
            name, milliseconds = line.split("\t")
            found.setdefault(name, []).append(float(milliseconds))
    return {name: statistics.median(values) for name, values in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=1_000)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory(prefix="hook-") as top:
        home, project = Path(top) / "home", Path(top) / "app"
        build(home, project, options.memories)
        times = measure(home, project, options.runs)
        parts = shares(home, project, options.runs)
    base = statistics.median(times["python -c pass"])
    rows = {
        name: {"median": (middle := statistics.median(values)), "p95": sorted(values)[int(len(values) * 0.95) - 1],
               "ratio": middle / base} for name, values in times.items()
    }
    if options.json:
        print(json.dumps({"memories": options.memories, "runs": options.runs, "wall_ms": rows, "shares_ms": parts}, indent=1))
        return
    print(f"{options.memories:,} memories, {options.runs} runs each, alternating; milliseconds")
    for name, row in rows.items():
        print(f"  {name:24} median {row['median']:7.1f}   p95 {row['p95']:7.1f}   x {row['ratio']:4.1f}")
    print("within a prompt that finds something (median):")
    for name, milliseconds in parts.items():
        print(f"  {name:38} {milliseconds:6.1f}")


if __name__ == "__main__":
    main()
