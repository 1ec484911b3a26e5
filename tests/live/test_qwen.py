"""The real Qwen Code beside Reverie: what it writes into its memory is adopted, its session is extracted by the hook that ends its turn, and it
shows the indexes of both placements.

Needs the hosts lab (``REVERIE_SHARED``) and an installed client (``HOSTS_LAB``); skips, visibly, without them.
"""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reverie.core import place as places
from reverie.core.memory import By
from reverie.core.responding import Skip
from reverie.memory import Memory, open_memory

pytestmark = [pytest.mark.hosts, pytest.mark.shared, pytest.mark.slow, pytest.mark.timeout(300)]

Play = Callable[..., dict[str, Any]]
PROJECT = "harvest-api"
CWD = f"/home/dev/projects/{PROJECT}"                   # where the lab shows it to the client
FOLDER = f".qwen/projects/{places.qwen_key(CWD)}/memory"
RULE = "Never push to main directly, always open a pull request."
SAVED = "---\nname: Gateway deploys\ndescription: When the gateway is deployed\ntype: project\n---\n\nDeploys of the gateway happen on Mondays.\n"


def script(*turns: tuple[str, list[dict[str, Any]]]) -> dict[str, Any]:
    return {"project": PROJECT, "files": {"README.md": "# harvest-api\n"}, "turns": [{"user": user, "steps": steps} for user, steps in turns]}


def opened(tmp_path: Path, design: str = "qwen-code") -> Memory:
    return open_memory(tmp_path / "reverie", design=design, cwd=CWD, environment={"HOME": str(tmp_path / "client")})


def state(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in sorted(folder.rglob("*")) if path.is_file()}


def test_what_it_writes_is_adopted_and_its_own_turn_is_not_extracted_twice(play: Play, tmp_path: Path) -> None:
    home = tmp_path / "client"
    write = {"write": {"path": f"/home/dev/{FOLDER}/project/gateway.md", "content": SAVED}}
    play("qwen-code", home, script(
        ("Remember: deploys of the gateway happen on Mondays.", [{"text": "I keep it.", "calls": [write]}, {"text": "Kept."}]),
    ), [])
    before = state(home / FOLDER)
    assert (home / FOLDER / "project/gateway.md").read_text(encoding="utf-8") == SAVED
    [chat] = (home / ".qwen/projects").glob("*/chats/*.jsonl")
    with open_memory(tmp_path / "reverie", design="qwen-code", cwd=CWD, environment={"HOME": "/home/dev"}) as memory:
        skipped = memory.extract(str(chat))     # as seen in the client's box
        assert (skipped.status, skipped.skip) == ("skipped", Skip.MEMORY_TOOL), "it wrote memory itself in this turn"
    with opened(tmp_path) as memory:
        files = memory.adopt(own=False, native=["qwen-code"]).files
        assert [each.outcome for each in files] == ["adopted"]
        [found] = memory.list()
        assert (found.memory.name, found.memory.type, found.memory.source.host) in (
            ("Gateway deploys", "project", "qwen-code"), ("Gateway deploys", "project", ""))
        assert found.memory.source.by in (By.AGENT, By.UNKNOWN)
        assert "Mondays" in memory.recall_block("when are the gateway deploys?")
    assert state(home / FOLDER) == before


def test_the_hook_that_ends_its_turn_extracts_it_tools_or_not(play: Play, tmp_path: Path) -> None:
    home = tmp_path / "client"
    hook = f"{sys.executable} -m reverie extract --hook --design qwen-code"
    steps: list[dict[str, Any]] = [{"text": "I look.", "calls": [{"read": {"path": f"{CWD}/README.md"}}]}, {"text": "Will do."}]
    play("qwen-code", home, script((RULE, steps), ("hello", [{"text": "Hi."}])), [],
         "--hook-events", "Stop", "--hook-command", f"env REVERIE_HOME=/home/dev/.reverie {hook}")
    [chat] = (home / ".qwen/projects").glob("*/chats/*.jsonl")
    with open_memory(home / ".reverie", design="qwen-code", cwd=CWD, environment={"HOME": str(home)}) as memory:
        deadline = time.monotonic() + 30
        while memory.extract(str(chat)).status != "completed" and time.monotonic() < deadline:
            time.sleep(0.2)     # the hook's own process is at work
        assert [found.memory.body for found in memory.list()] and "pull request" in memory.list()[0].memory.body
    [cursor] = (home / ".reverie/stores/qwen-code/projects").glob("*/extract-cursor.json")
    told = json.loads(cursor.read_text(encoding="utf-8"))
    assert (told["sessionId"], told["processedOffset"] >= 4) == (chat.stem, True)


@pytest.mark.parametrize("design", ["qwen-code", "qwen-code@0.24"])
def test_it_shows_the_index_of_one_file_for_each_type(play: Play, tmp_path: Path, design: str) -> None:
    environment = {"REVERIE_QWEN_PLACEMENT": "files"}
    with open_memory(tmp_path / "reverie", design=design, cwd=CWD, environment=environment) as memory:
        memory.extract([("user", RULE), ("assistant", "Will do.")], session="one")
        memory.remember("The user is a senior Go engineer", type="user", scope="user")
    stores = tmp_path / "reverie/stores" / design
    for folder in ("projects", "memories"):
        shutil.copytree(stores / folder, tmp_path / "client/.qwen" / folder)
    indexes = [next(stores.glob(path)).read_text(encoding="utf-8").strip() for path in (f"projects/*{PROJECT}/memory/MEMORY.md", "memories/MEMORY.md")]
    assert "(feedback.md)" in indexes[0] and "(user.md)" in indexes[1]
    report = play("qwen-code", tmp_path / "client", script(("what do you remember?", [{"text": "Several things."}])), indexes)
    for index in indexes:
        assert {hit["role"] for hit in report["shown"][index] if hit["rule"].startswith("turn 1")} == {"system"}


def test_its_prompts_are_answered_by_the_designs_points_and_its_turns_extracted(play: Play, tmp_path: Path) -> None:
    home = tmp_path / "client"
    environment = {"HOME": str(home), "REVERIE_DESIGN": "qwen-code"}
    with open_memory(home / ".reverie", cwd=CWD, environment=environment) as memory:
        memory.remember("The on-call dashboard is in Grafana under Ferry")
    hook = f"env REVERIE_HOME=/home/dev/.reverie REVERIE_DESIGN=qwen-code {sys.executable} -m reverie hook qwen-code"
    shown = '&lt;reverie-memory kind="recall" design="qwen-code"&gt;'       # the client escapes what a hook says
    report = play("qwen-code", home, script(("where is the grafana dashboard?", [{"text": "In Grafana."}]), (RULE, [{"text": "Will do."}])),
                  [shown, "### The on-call dashboard is in Grafana under Ferry"], "--hook-events", "UserPromptSubmit,Stop", "--hook-command", hook)
    for text in report["shown"]:
        assert {hit["role"] for hit in report["shown"][text] if hit["rule"].startswith("turn 1")} == {"user"}, text
    with open_memory(home / ".reverie", cwd=CWD, environment=environment) as memory:
        told = [dict(event.facts) for event in memory.events(kinds=["recall", "delivery", "extract"])]
        assert next((each["docs_scanned"], each["strategy"]) for each in told if "docs_scanned" in each) == (1, "heuristic")
        assert ("refined", "initial") in [(each.get("phase"), each.get("delivery_point")) for each in told]
        deadline = time.monotonic() + 30
        while not any("pull request" in found.memory.body for found in memory.list()) and time.monotonic() < deadline:
            memory.work()       # what the client's box ended before it was done
            time.sleep(0.2)
        assert any("pull request" in found.memory.body for found in memory.list())
