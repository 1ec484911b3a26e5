"""The wire: whatever a line holds is a message or a named error, and the server answers all of it, in time, and prints nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.entrypoints.mcp import protocol, server
from reverie.entrypoints.mcp.roots import Roots, host_of, path_of, session_of
from reverie.entrypoints.mcp.server import Server, lines
from reverie.memory import open_memory

CLIENT = {"name": "lab", "version": "1"}


class Running:
    """A real process, spoken to by hand."""

    def __init__(self, tmp_path: Path, *more: str, environment: dict[str, str] | None = None, cwd: Path | None = None) -> None:
        self.home = tmp_path / "reverie"
        (tmp_path / "project").mkdir(exist_ok=True)
        command = [sys.executable, "-I", "-m", "reverie.entrypoints.mcp", "--home", str(self.home), *more]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        cwd=cwd or tmp_path / "project", env={**os.environ, **(environment or {})})
        self.id = 0

    def raw(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message: Any) -> None:
        self.raw(json.dumps(message).encode() + b"\n")

    def answer(self) -> Any:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line.endswith(b"\n"), line
        return json.loads(line)

    def ask(self, method: str, **params: Any) -> Any:
        self.id += 1
        self.send({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params})
        found = self.answer()
        assert found["id"] == self.id and found["jsonrpc"] == "2.0"
        return found

    def call(self, name: str, **arguments: Any) -> Any:
        return self.ask("tools/call", name=name, arguments=arguments)["result"]

    def end(self) -> tuple[bytes, bytes]:
        """Close its input: it ends by itself; what else it had said."""
        out, err = self.process.communicate(timeout=40)
        assert self.process.returncode == 0, err
        return out, err


@pytest.fixture
def run(tmp_path: Path) -> Any:
    made: list[Running] = []

    def started(*more: str, **options: Any) -> Running:
        made.append(Running(tmp_path, *more, **options))
        return made[-1]

    yield started
    for each in made:
        if each.process.poll() is None:
            each.process.kill()
        each.process.wait()
        for stream in (each.process.stdin, each.process.stdout, each.process.stderr):
            if stream is not None and not stream.closed:
                try:
                    stream.close()
                except BrokenPipeError:
                    continue


@pytest.mark.parametrize(("wanted", "given_"), [
    *((version, version) for version in protocol.HANDSHAKE), ("2019-01-01", "2025-11-25"), ("2026-07-28", "2025-11-25"), (None, "2025-11-25"),
    (7, "2025-11-25"),
])
def test_versions_are_negotiated(run: Any, wanted: Any, given_: str) -> None:
    client = run()
    result = client.ask("initialize", protocolVersion=wanted, capabilities={}, clientInfo=CLIENT)["result"]
    assert result["protocolVersion"] == given_
    assert set(result["capabilities"]) == {"tools", "resources", "prompts"} and "recall" in result["instructions"]
    assert client.end() == (b"", b"")


def test_a_probe_of_the_modern_era_is_answered_in_its_form(run: Any) -> None:
    client = run()
    meta = {protocol.VERSION_KEY: "2026-07-28", protocol.CLIENT_KEY: CLIENT}
    found = client.ask("server/discover", _meta=meta)["result"]
    assert (found["resultType"], found["ttlMs"], found["cacheScope"]) == ("complete", 0, "private")
    assert found["supportedVersions"][0] == "2026-07-28"
    assert client.ask("tools/list", _meta=meta)["result"]["resultType"] == "complete"
    failed = client.ask("tools/list", _meta={protocol.VERSION_KEY: "2031-01-01"})["error"]
    assert failed["code"] == -32022 and "2026-07-28" in failed["data"]["supported"]
    assert "resultType" not in client.ask("tools/list")["result"]


def test_what_is_unknown_is_answered(run: Any) -> None:
    client = run()
    for method in ("logging/setLevel", "completion/complete", "subscriptions/listen", "tasks/list", "x" * 10_000, ""):
        assert client.ask(method)["error"]["code"] == protocol.NOT_FOUND
    assert client.ask("tools/call", name="shell", arguments={})["error"]["code"] == protocol.INVALID_PARAMS
    assert client.ask("prompts/get", name="x")["error"]["code"] == protocol.INVALID_PARAMS
    assert client.ask("resources/read", uri="file:///etc/passwd")["error"]["code"] == protocol.NO_RESOURCE
    assert client.ask("resources/list", cursor="x")["error"]["code"] == protocol.INVALID_PARAMS
    assert client.ask("ping")["result"] == {}


BROKEN: list[tuple[bytes, int | None]] = [
    (b"not json", -32700), (b"\xff\xfe", -32700), (b'{"id": 1', -32700), (b"[" * 100_000, -32700), (b"[]", -32600), (b"7", -32600),
    (b"null", -32600), (b'{"jsonrpc":"2.0","id":1}', -32600), (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
    (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600), (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600),
    (b'{"jsonrpc":"2.0","id":1,"method":7}', -32600), (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', -32602),
    (b"1" * 10_000, -32700), (b"[" + b"1," * 200 + b"1]", -32600), (b"", None), (b"  \r", None),
    (b'{"jsonrpc":"2.0","method":"notifications/whatever"}', None), (b'{"jsonrpc":"2.0","method":"ping"}', None),
    (b'{"jsonrpc":"2.0","id":"x","result":{}}', None), (b'{"jsonrpc":"2.0","id":"x","error":{}}', None),
    (b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}', None),
]


def test_broken_lines_are_answered_and_survived(run: Any) -> None:
    client = run()
    for line, code in BROKEN:
        client.raw(line + b"\n")
        if code is not None:
            assert client.answer()["error"]["code"] == code, line[:60]
        assert client.ask("ping")["result"] == {}, line[:60]
    assert client.end()[0] == b""


def test_a_line_that_is_too_long_is_passed_over(run: Any) -> None:
    client = run()
    client.raw(b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"' + b"x" * (server.MOST_BYTES + 10) + b'"}}\n')
    assert client.answer()["error"]["code"] == protocol.INVALID_REQUEST
    client.raw(b'\xef\xbb\xbf{"jsonrpc":"2.0","id":2,"method":"ping"}\r\n')       # a mark at the start, and the other line end
    assert client.answer() == {"jsonrpc": "2.0", "id": 2, "result": {}}


def test_a_batch_is_answered_as_one(run: Any) -> None:
    client = run()
    client.send([{"jsonrpc": "2.0", "id": "a", "method": "ping"}, {"jsonrpc": "2.0", "method": "notifications/initialized"}, 7,
                 {"jsonrpc": "2.0", "id": "b", "method": "tools/call", "params": {"name": "list_memories"}}])
    answers = client.answer()
    assert sorted(str(each["id"]) for each in answers) == ["None", "a", "b"]
    client.send([{"jsonrpc": "2.0", "method": "notifications/initialized"}])
    assert client.ask("ping")["result"] == {}                                    # nothing was said to notices alone


def test_what_was_asked_before_the_end_is_still_answered(run: Any) -> None:
    client = run()
    for number in range(20):
        client.send({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": "recall", "arguments": {"query": "x"}}})
    out, err = client.end()
    assert [json.loads(line)["id"] for line in out.splitlines()] == list(range(20)) and err == b""


def test_a_last_line_without_an_end_counts(run: Any) -> None:
    client = run()
    client.raw(b'{"jsonrpc":"2.0","id":1,"method":"ping"}')
    assert json.loads(client.end()[0])["result"] == {}


def test_nothing_is_made_before_something_is_kept(run: Any) -> None:
    client = run()
    client.ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=CLIENT)
    assert client.call("recall", query="anything at all?")["isError"] is False
    assert client.call("list_memories")["structuredContent"]["total"] == 0
    assert client.call("read_memory", id="x")["isError"] is True
    client.end()
    assert not client.home.exists()


@given(st.binary(max_size=300))
def test_any_line_is_a_message_or_an_error(data: bytes) -> None:
    found = protocol.parsed(data)
    assert found is None or isinstance(found, list | protocol.Request | protocol.Notice | protocol.Reply | protocol.Wrong)


JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20), lambda inner: (
    st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["jsonrpc", "id", "method", "params", "name", "arguments", "_meta"]), inner)
), max_leaves=12)


@given(st.lists(JSON, max_size=6))
def test_any_json_is_answered_and_nothing_raises(tmp_path_factory: pytest.TempPathFactory, values: list[Any]) -> None:
    sent: list[Any] = []
    served = Server(sent.append, home="/nonexistent/reverie", cwd="/", environment={"HOME": "/nonexistent"})
    methods = ("initialize", "tools/list", "tools/call", "resources/list", "resources/read", "prompts/get", "server/discover")
    for number, value in enumerate(values):
        served.feed(json.dumps(value).encode())
        served.feed(json.dumps({"id": number, "method": methods[number % len(methods)], "params": value}).encode())
    served.finish(10)
    answers = [each for one in sent for each in (one if isinstance(one, list) else [one])]
    assert all(("result" in each) ^ ("error" in each) for each in answers)
    assert all("Error" not in json.dumps(each) for each in answers)              # no failure from within
    assert {each["id"] for each in answers if each["id"] is not None} >= set(range(len(values)))


@given(st.lists(st.binary(max_size=12), max_size=12), st.integers(1, 20))
def test_lines_come_whole_however_they_arrive(parts: list[bytes], most: int) -> None:
    left, told = list(parts), [0]

    def read(size: int) -> bytes:
        while left:
            if part := left.pop(0):
                return part
        return b""

    def too_long() -> None:
        told[0] += 1

    found = list(lines(read, too_long, most=most))
    whole = b"".join(parts).split(b"\n")
    whole = whole if whole[-1] else whole[:-1]
    assert found == [line for line in whole if len(line) <= most]
    assert told[0] == sum(len(line) > most for line in whole)


# ── slow and cancelled calls ─────────────────────────────────────────────────────────────────────────────────────────


class Slow(Server):
    """Whose calls take as long as their query says."""

    def _done(self, request: protocol.Request) -> dict[str, Any]:
        time.sleep(request.params["arguments"]["seconds"])
        return {"done": request.id}


def asked(id: int, seconds: float) -> bytes:
    return json.dumps({"id": id, "method": "tools/call", "params": {"name": "recall", "arguments": {"seconds": seconds}}}).encode()


def test_a_call_that_hangs_is_answered_at_its_deadline_and_others_go_on(tmp_path: Path) -> None:
    sent: list[Any] = []
    slow = Slow(sent.append, home=str(tmp_path), cwd=str(tmp_path), environment={}, seconds=0.3)
    slow.feed(asked(1, 5))
    slow.feed(asked(2, 0))
    slow.feed(b'{"id": 3, "method": "ping"}')
    assert [each["id"] for each in sent] == [3]                                  # a ping waits for nobody
    started = time.monotonic()
    slow.finish(4)
    assert time.monotonic() - started < 3
    assert [each["id"] for each in sent] == [3, 1, 2]
    assert sent[1]["result"]["isError"] and "not done after" in sent[1]["result"]["content"][0]["text"]
    assert sent[2]["result"] == {"done": 2}


def test_a_cancelled_call_is_not_answered(tmp_path: Path) -> None:
    sent: list[Any] = []
    slow = Slow(sent.append, home=str(tmp_path), cwd=str(tmp_path), environment={})
    for id, seconds in ((1, 0.3), (2, 5), (3, 0)):
        slow.feed(asked(id, seconds))
    for id in (1, 2, 99):
        slow.feed(json.dumps({"method": "notifications/cancelled", "params": {"requestId": id}}).encode())
    slow.finish(4)
    assert [each["id"] for each in sent] == [3]


# ── where the client is ──────────────────────────────────────────────────────────────────────────────────────────────


def test_the_clients_roots_say_which_project_is_meant(run: Any, tmp_path: Path) -> None:
    there = tmp_path / "with a space"
    there.mkdir()
    with open_memory(tmp_path / "reverie", cwd=there) as memory:
        memory.remember("Releases of the harvest service are cut on Mondays", scope="project")
    client = run()
    client.ask("initialize", protocolVersion="2025-11-25", capabilities={"roots": {"listChanged": True}}, clientInfo=CLIENT)
    client.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    question = client.answer()
    assert question["method"] == "roots/list"
    client.send({"jsonrpc": "2.0", "id": question["id"], "result": {"roots": [{"uri": 7}, {"uri": "https://x"}, {"uri": there.as_uri()}]}})
    assert "Mondays" in client.call("recall", query="when are harvest releases cut?")["content"][0]["text"]


def test_a_client_that_never_says_its_roots_is_served_all_the_same(run: Any) -> None:
    client = run()
    client.ask("initialize", protocolVersion="2025-11-25", capabilities={"roots": {}}, clientInfo=CLIENT)
    assert client.call("list_memories")["structuredContent"]["total"] == 0


def test_a_root_that_we_are_in_changes_nothing(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    found = Roots(lambda message: None, cwd=str(inner))
    found.offered({"roots": {}})
    found.ask()
    found.replied(protocol.Reply(id="roots-1", result={"roots": [{"uri": tmp_path.as_uri()}]}))
    assert found.cwd(0) == str(inner)
    found.replied(protocol.Reply(id="roots-1", result={"roots": "x"}))
    assert found.cwd(0) == str(inner)


@pytest.mark.parametrize("uri", [None, 7, "", "x", "file://host/tmp", "file:///nowhere/at/all", "file:///%00", "http://[", "file:relative"])
def test_what_is_no_directory_is_no_root(uri: Any) -> None:
    assert path_of(uri) == ""


def test_clients_are_known_by_what_they_call_themselves() -> None:
    named = {"claude-code": "claude-code", "codex-mcp-client": "codex", "opencode": "opencode", "qwen-code-mcp": "qwen-code"}
    assert {name: host_of({"name": name}) for name in named} == named
    assert host_of({"name": "Mine\n\x1b[0m" + "x" * 999}) == ("Mine[0m" + "x" * 999)[:200]
    assert [host_of(each) for each in (None, {}, {"name": 7})] == ["", "", ""]
    assert session_of("codex", {"threadId": "t1"}, {}) == "t1"
    assert session_of("claude-code", {}, {"CLAUDE_CODE_SESSION_ID": "s1"}) == "s1"
    assert session_of("codex", {"sessionId": 7}, {"CLAUDE_CODE_SESSION_ID": "s1"}) == ""
