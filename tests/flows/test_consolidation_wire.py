"""Phase 2 over the protocols of real providers: the tools, the ledger, the caps, from a server on loopback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.flows.consolidations import Bench
from tests.model_server import Usage, serving

from reverie.core.consolidation import Status
from reverie.memory import open_memory

PORT = "The payment service listens on port 8443"
KEY = "sk-proj-" + "Zq8Rt2Lm9Xv4Kp7Wn3Bd6Hs1"
WIRES = pytest.mark.parametrize("name", ["anthropic:claude-haiku-4-5", "openai:gpt-5-mini", "openai-chat:gpt-5-mini", "gemini:gemini-2.5-flash"])


def script(bench: Bench) -> list[Any]:
    handbook = (f"# Task Group: {bench.shop}\napplies_to: cwd={bench.shop}\n\n## Task 1: work, outcome=success\n\n### rollout_summary_files\n"
                f"- 2026-12-01T03-49-09-0001-work.md (cwd={bench.shop})\n\n### keywords\n- port\n\n### Reusable knowledge\n- {PORT}\n")
    summary = "v1\n\n## User Profile\n\n## User preferences\n\n## General Tips\n\n## What's in Memory\n\n- payments: port\n"
    return [
        [("read", {"path": "phase2_workspace_diff.md"}), ("list", {})],
        [("search", {"text": "payment", "glob": "raw_*"}), ("read", {"path": "../../state.db"})],
        [("write", {"path": "MEMORY.md", "content": handbook}), ("write", {"path": "memory_summary.md", "content": summary})],
        [("check", {})],
        "I wrote a block for the shop.",
    ]


def consolidated(bench: Bench, name: str, url: str, **settings: str) -> Any:
    maker = name.partition(":")[0]
    base = url if maker in ("anthropic", "gemini") else f"{url}/v1"
    bench.home.mkdir(exist_ok=True)
    (bench.home / "settings.toml").write_text(f'[providers.{maker}]\nbase_url = "{base}"\nkey_variable = "LAB_KEY"\n')
    environment = {"HOME": str(bench.root), "LAB_KEY": "lab-key-41", "REVERIE_MODELS_CONSOLIDATE": name, **settings}
    (bench.root / "agents").mkdir(exist_ok=True)
    with open_memory(bench.home, design="codex", cwd=bench.shop, environment=environment, clock=bench.clock) as memory:
        return memory.consolidate(agents_home=str(bench.root / "agents"), force=True)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    bench = Bench(tmp_path)
    bench.learned(1, bench.shop, PORT)
    return bench


@WIRES
def test_a_model_works_in_the_copy_and_every_call_is_counted(bench: Bench, name: str) -> None:
    with serving(script(bench), usage=Usage(input=1_000, output=100)) as (served, url):
        done = consolidated(bench, name, url)
    assert done.phase2.status is Status.SUCCEEDED, done.phase2
    assert PORT in bench.text() and done.phase2.by == f"model:{name}"
    told = json.dumps(served.requests[-1])
    assert "nothing would be refused" in told and "is not allowed" in told
    assert (done.phase2.used.calls, done.phase2.used.tokens) == (5, 5_500)


@WIRES
def test_a_cap_on_tokens_is_never_passed(bench: Bench, name: str) -> None:
    with serving(script(bench), usage=Usage(input=9_000, output=1_000)) as (_, url):
        done = consolidated(bench, name, url, REVERIE_CODEX_CONSOLIDATION_TOKENS="30000")
    assert done.phase2.status in (Status.AGENT, Status.SPAWN)
    assert done.phase2.used.tokens <= 30_000
    assert not (bench.store / "MEMORY.md").exists()


def test_what_a_model_reads_holds_no_credential(bench: Bench) -> None:
    (bench.store).mkdir(parents=True)
    (bench.store / "notes.txt").write_text(f"the key is {KEY}\n")
    with serving([[("read", {"path": "notes.txt"}), ("search", {"text": "key"})], "done"]) as (served, url):
        consolidated(bench, "anthropic:claude-haiku-4-5", url)
    assert KEY not in json.dumps(served.requests) and "REDACTED" in json.dumps(served.requests)


def test_a_forbidden_model_leaves_it_to_the_rules(bench: Bench) -> None:
    with serving([]) as (served, url):
        done = consolidated(bench, "anthropic:claude-haiku-4-5", url, REVERIE_NO_MODEL_CALLS="1")
    assert (done.phase2.status, done.phase2.by, served.requests) == (Status.SUCCEEDED, "rules", [])
