"""Models of providers, in the words of four protocols, against a server that does what it is told, and what it should not."""

from __future__ import annotations

import asyncio
import gzip
import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from reverie import errors
from reverie.core.cost import Caps
from reverie.core.model import Answer, Ask, Effort, Failure, Meter, Model, ModelFailed, Tool, ToolRefused, Used
from reverie.flows.metering import Metered
from reverie.models import registry
from reverie.testing import temporary_memory

from ..model_server import Fault, Usage, serving

KEY = "lab-key-41"
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}, "n": {"type": "integer"}}, "required": ["a"]}
WIRES = ["anthropic:claude-haiku-4-5", "anthropic:claude-3-haiku-20240307", "openai:gpt-5-mini", "openai-chat:gpt-5-mini", "gemini:gemini-2.5-flash", "ollama:qwen3", "dashscope:qwen-plus", "mine:any"]
every_wire = pytest.mark.parametrize("name", WIRES)
GOOD: Any = {"a": "b"}


def provider(name: str, url: str, **more: Any) -> dict[str, Any]:
    maker = name.partition(":")[0]
    base = url if maker in ("anthropic", "gemini") else f"{url}/v1"
    return {"providers": {maker: {"base_url": base, "key_variable": "LAB_KEY", **more}}}


def model(name: str, url: str, **more: Any) -> Model:
    return registry.named(name, provider(name, url, **more), {"LAB_KEY": KEY})


def ask(**more: Any) -> Ask:
    return Ask(**{"flow": "extract", "system": "You are asked.", "prompt": "What is a?", "schema": SCHEMA, "output_tokens": 500, "seconds": 20.0, **more})


@pytest.fixture(autouse=True)
def in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """The waits between tries, shorter; and what is imported with the first question is there."""
    from reverie.models import wire

    monkeypatch.setattr(wire, "FIRST_WAIT", 0.02)


class Watch:
    """A meter that remembers."""

    def __init__(self) -> None:
        self.bounds: list[tuple[int, int]] = []
        self.used: list[Used] = []

    def before(self, *, most_input: int, most_output: int) -> None:
        assert len(self.bounds) == len(self.used), "the round trip before it has ended"
        self.bounds.append((most_input, most_output))

    def after(self, used: Used) -> None:
        self.used.append(used)


def failure_of(act: Callable[[], object]) -> ModelFailed:
    with pytest.raises(ModelFailed) as failed:
        act()
    return failed.value


def looks(given: Mapping[str, Any]) -> str:
    if given["path"] == "secret":
        raise ToolRefused("that is not for you")
    return f"{given['path']} says hello"


LOOK = Tool(name="look", description="Look at a file.", run=looks,
            parameters={"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]})  # fmt: skip


# ── what works ───────────────────────────────────────────────────────────────────────────────────────────────────


@every_wire
def test_an_answer_in_its_form(name: str) -> None:
    with serving([GOOD], usage=Usage(input=120, output=9, cached=50)) as (served, url):
        watch = Watch()
        answer = model(name, url).ask(ask(), watch)
    assert answer.data == GOOD
    assert json.loads(answer.text) == GOOD
    assert answer.used == Used(input=120, output=9, cached=50, calls=1)
    assert watch.used == [answer.used]
    assert watch.bounds[0][0] >= len(json.dumps(served.requests[0], ensure_ascii=False).encode()) - 500
    assert watch.bounds[0][1] == 500
    assert served.keys[0].endswith(KEY)


@every_wire
def test_words_when_no_form_is_asked_for(name: str) -> None:
    with serving(["Nothing to add."]) as (_, url):
        answer = model(name, url).ask(ask(schema=None), Watch())
    assert (answer.text, answer.data) == ("Nothing to add.", None)


@every_wire
def test_a_loop_with_tools(name: str) -> None:
    script: list[Any] = [[("look", {"path": "one"}), ("look", {"path": "secret"})], [("look", {"way": "wrong"})], GOOD]
    with serving(script, usage=Usage(input=100, output=10)) as (served, url):
        watch = Watch()
        answer = model(name, url).ask(ask(tools=(LOOK,), rounds=5), watch)
    assert answer.data == GOOD
    assert answer.used == Used(input=300, output=30, calls=3)
    assert len(watch.bounds) == 3
    told = json.dumps(served.requests[-1])
    for words in ("one says hello", "that is not for you", "answer.path is missing"):
        assert words in told


@every_wire
def test_how_hard_to_think_is_told_where_it_can_be(name: str) -> None:
    with serving([GOOD]) as (_, url):
        assert model(name, url).ask(ask(effort=Effort.LOW, output_tokens=4_000), Watch()).data == GOOD


@every_wire
def test_an_output_limit_is_sent(name: str) -> None:
    with serving([GOOD]) as (served, url):
        model(name, url).ask(ask(output_tokens=777), Watch())
    assert '": 777' in json.dumps(served.requests[0])


def test_servers_like_openais_get_the_limit_under_its_older_name() -> None:
    with serving([GOOD]) as (served, url):
        model("ollama:qwen3", url).ask(ask(), Watch())
    assert served.requests[0]["max_tokens"] == 500


def test_within_a_program_with_an_event_loop() -> None:
    async def program(url: str) -> Answer:
        return model("openai:gpt-5-mini", url).ask(ask(), Watch())

    with serving([GOOD]) as (_, url):
        assert asyncio.run(program(url)).data == GOOD


# ── answers that are none ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", [name for name in WIRES if "claude-3" not in name])     # that one answers through a tool: see below
@pytest.mark.parametrize("said", ["I think it is b.", '```json\n{"a": "b"}\n```', '{"a": "b", "more": 1}', "{}", '{"a": 1}', '{"a": "b"} ok', "[]", ""])
def test_what_does_not_fit_is_no_answer(name: str, said: str) -> None:
    with serving([said], usage=Usage(input=50, output=5)) as (_, url):
        watch = Watch()
        failed = failure_of(lambda: model(name, url).ask(ask(), watch))
    assert failed.why is Failure.BAD_ANSWER
    assert watch.used == [Used(input=50, output=5, calls=1)]


@pytest.mark.parametrize("given", [{"a": 1}, {}, {"a": "b", "more": 2}])
def test_what_does_not_fit_is_none_through_a_tool_either(given: Any) -> None:
    with serving([[("answer", given)]]) as (_, url):
        failed = failure_of(lambda: model("anthropic:claude-3-haiku-20240307", url).ask(ask(), Watch()))
    assert failed.why is Failure.BAD_ANSWER


@every_wire
def test_a_tool_that_is_none_ends_the_question(name: str) -> None:
    with serving([[("run_shell", {"command": "id"})], GOOD]) as (served, url):
        failed = failure_of(lambda: model(name, url).ask(ask(tools=(LOOK,), rounds=5), Watch()))
    assert failed.why is Failure.BAD_ANSWER
    assert "run_shell" in str(failed)
    assert len(served.requests) == 1


@every_wire
def test_rounds_have_an_end(name: str) -> None:
    with serving(lambda request: [("look", {"path": "one"})]) as (served, url):
        failed = failure_of(lambda: model(name, url).ask(ask(tools=(LOOK,), rounds=3), Watch()))
    assert failed.why is Failure.BAD_ANSWER
    assert len(served.requests) == 3


@every_wire
def test_calls_at_once_have_an_end(name: str) -> None:
    seen: list[str] = []

    def run(given: Mapping[str, Any]) -> str:
        seen.append(given["path"])
        return ""

    tool = Tool(name="look", description="", parameters=LOOK.parameters, run=run)
    with serving(lambda request: [("look", {"path": str(n)}) for n in range(200)]) as (_, url):
        assert failure_of(lambda: model(name, url).ask(ask(tools=(tool,), rounds=3), Watch())).why is Failure.BAD_ANSWER
    assert seen == []               # none of a question that has failed is carried out


@every_wire
@pytest.mark.parametrize("body", [b"", b"<html>busy</html>", b"{", b"[]", b"null", b'{"choices": []}', b'{"content": 5}', b"\xff\xfe\x00", b'{"candidates": [{}]}', b'{"output": "x"}', b"[" * 50_000])
def test_garbage_is_no_answer(name: str, body: bytes) -> None:
    with serving(lambda request: Fault(body=body)) as (_, url):
        watch = Watch()
        failed = failure_of(lambda: model(name, url).ask(ask(), watch))
    assert failed.why in (Failure.BAD_ANSWER, Failure.UNAVAILABLE)
    assert KEY not in str(failed) and len(str(failed)) < 600


@every_wire
def test_a_body_without_end_is_not_read(name: str) -> None:
    with serving([Fault(body=b" " * (17 * 1024 * 1024))]) as (_, url):
        failed = failure_of(lambda: model(name, url).ask(ask(), Watch()))
    assert failed.why is Failure.BAD_ANSWER
    assert "bytes" in str(failed)


def test_a_packed_answer_is_not_unpacked() -> None:
    bomb = Fault(body=gzip.compress(b" " * 50_000_000), headers={"content-encoding": "gzip"})
    with serving([bomb]) as (_, url):
        failed = failure_of(lambda: model("ollama:x", url).ask(ask(), Watch()))
    assert failed.why is Failure.BAD_ANSWER and "packed" in str(failed)


# ── servers in trouble ───────────────────────────────────────────────────────────────────────────────────────────


@every_wire
@pytest.mark.parametrize("fault", [Fault(status=500), Fault(status=503), Fault(status=529), Fault(status=429, headers={"retry-after": "0"}),
                                   Fault(body=b'{"id": "x", "padding": "' + b"x" * 500, cut_after=100)])  # fmt: skip
def test_it_is_tried_again(name: str, fault: Fault) -> None:
    with serving([fault, GOOD]) as (served, url):
        watch = Watch()
        answer = model(name, url).ask(ask(), watch)
    assert answer.data == GOOD
    assert len(served.requests) == len(watch.bounds) == 2           # each of them announced


@every_wire
@pytest.mark.parametrize(("fault", "why"), [
    (Fault(status=401), Failure.REFUSED), (Fault(status=403), Failure.REFUSED), (Fault(status=404), Failure.REFUSED),
    (Fault(status=400), Failure.REFUSED), (Fault(status=307, headers={"location": "http://127.0.0.1:9/"}), Failure.REFUSED),
    (Fault(status=429, headers={"retry-after": "3600"}), Failure.LIMITED), (Fault(status=402), Failure.REFUSED),
])  # fmt: skip
def test_what_a_server_refuses_has_a_name(name: str, fault: Fault, why: Failure) -> None:
    with serving(lambda request: fault) as (served, url):
        failed = failure_of(lambda: model(name, url).ask(ask(seconds=3.0), Watch()))
    assert failed.why is why
    assert len(served.requests) == 1
    if "retry-after" in fault.headers:
        assert failed.retry_after == 3600
    elif fault.status in (400, 401):
        assert "as the script says" in str(failed)


@every_wire
def test_it_is_not_tried_for_ever(name: str) -> None:
    with serving(lambda request: Fault(status=500)) as (served, url):
        failed = failure_of(lambda: model(name, url).ask(ask(), Watch()))
    assert failed.why is Failure.UNAVAILABLE
    assert len(served.requests) == 4


@every_wire
@pytest.mark.parametrize("fault", [Fault(hang=30.0), Fault(body=b'{"id": "x"' + b" " * 1_000, drip=0.05)], ids=["silent", "dripping"])
def test_a_server_that_hangs_is_left_at_the_deadline(name: str, fault: Fault) -> None:
    with serving([fault]) as (_, url):
        watch = Watch()
        began = time.monotonic()
        failed = failure_of(lambda: model(name, url).ask(ask(seconds=0.7), watch))
        took = time.monotonic() - began
    assert failed.why is Failure.TIMEOUT
    assert took < 6


def test_without_a_server_nothing_is_spent() -> None:
    watch = Watch()
    failed = failure_of(lambda: model("ollama:x", "http://127.0.0.1:9").ask(ask(seconds=2.0), watch))
    assert failed.why in (Failure.UNAVAILABLE, Failure.TIMEOUT)
    assert {used.tokens for used in watch.used} == {0}


def test_a_server_that_counts_nothing_is_taken_at_its_most() -> None:
    with serving([GOOD], usage=None) as (_, url):
        watch = Watch()
        model("ollama:x", url).ask(ask(), watch)
    assert watch.used == [Used(input=watch.bounds[0][0], output=500, calls=1, known=False)]


@pytest.mark.parametrize(("said", "used"), [(Usage(input=10, output=0), (10, 500)), (Usage(input=-10, output=5), (None, 500)), (Usage(input=-1, output=-1), (None, 500))])
def test_what_of_the_count_is_missing_or_cannot_be_is_taken_at_its_most(said: Usage, used: tuple[int | None, int]) -> None:
    with serving([GOOD], usage=said) as (_, url):
        watch = Watch()
        model("ollama:x", url).ask(ask(), watch)
    assert (watch.used[0].input, watch.used[0].output, watch.used[0].known) == (used[0] or watch.bounds[0][0], used[1], False)


def test_the_bound_holds_all_that_is_sent() -> None:
    with serving([GOOD]) as (served, url):
        watch = Watch()
        model("vllm:x", url).ask(ask(prompt="é" * 40_000), watch)
    assert watch.bounds[0][0] > int(served.sent_headers[0]["content-length"]) > 80_000


@pytest.mark.parametrize("status", [400, 401, 429, 500])
def test_a_refusal_is_not_billed(status: int) -> None:
    watch = Watch()
    with serving(lambda request: Fault(status=status)) as (_, url):
        failure_of(lambda: model("vllm:x", url).ask(ask(), watch))
    assert watch.used and {used.tokens for used in watch.used} == {0}


@pytest.mark.parametrize(("reason", "why", "said"), [("content_filter", Failure.REFUSED, "declined"), ("length", Failure.BAD_ANSWER, "cut off after 500 tokens")])
def test_why_a_model_stopped_is_said(reason: str, why: Failure, said: str) -> None:
    body = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "usage": {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12},
            "choices": [{"index": 0, "finish_reason": reason, "message": {"role": "assistant", "content": json.dumps(GOOD)}}]}  # fmt: skip
    with serving([Fault(body=json.dumps(body).encode())]) as (_, url):
        failed = failure_of(lambda: model("vllm:x", url).ask(ask(), Watch()))
    assert failed.why is why and said in str(failed)


def test_a_limit_ends_when_the_provider_said() -> None:
    from reverie.models.wire import Limits

    limits = Limits()
    limits.learn({"x-ratelimit-limit-tokens": "100", "x-ratelimit-remaining-tokens": "1", "x-ratelimit-reset-tokens": "60s"}, 1_000.0)
    failed = failure_of(lambda: limits.hold(25, 1_059.0))
    assert failed.why is Failure.LIMITED and failed.retry_after == 1.0
    limits.hold(25, 1_060.0)


@pytest.mark.parametrize("header", [{"retry-after": "31536000"}, {"retry-after": "9" * 400 + "d"}, {"retry-after-ms": "9" * 15}, {"retry-after": "Fri, 31 Dec 9999 23:59:59 GMT"}])
def test_no_wait_is_longer_than_a_day(header: dict[str, str]) -> None:
    with serving([Fault(status=429, headers=header)]) as (_, url):
        failed = failure_of(lambda: model("vllm:x", url).ask(ask(), Watch()))
    assert failed.why is Failure.LIMITED and failed.retry_after == 86_400


def test_a_limit_for_years_holds_for_a_day() -> None:
    headers = {"x-ratelimit-limit-tokens": "100", "x-ratelimit-remaining-tokens": "1", "x-ratelimit-reset-tokens": "9999999999d"}
    with serving([GOOD], headers=headers) as (_, url):
        asking = model("vllm:x", url)
        asking.ask(ask(), Watch())
        assert 86_000 < failure_of(lambda: asking.ask(ask(), Watch())).retry_after <= 86_400


# ── limits ───────────────────────────────────────────────────────────────────────────────────────────────────────

ANTHROPIC = {"anthropic-ratelimit-tokens-limit": "1000", "anthropic-ratelimit-tokens-remaining": "{left}", "anthropic-ratelimit-tokens-reset": "2999-01-01T00:00:00Z"}
OPENAI = {"x-ratelimit-limit-requests": "1000", "x-ratelimit-remaining-requests": "{left}", "x-ratelimit-reset-requests": "6m0s"}


@pytest.mark.parametrize(("name", "headers"), [("anthropic:claude-haiku-4-5", ANTHROPIC), ("openai:gpt-5-mini", OPENAI), ("vllm:x", OPENAI)])
@pytest.mark.parametrize(("left", "asked"), [(240, 1), (250, 2), (900, 2), (0, 1)])
def test_with_limits_nearly_spent_nothing_more_is_asked(name: str, headers: dict[str, str], left: int, asked: int) -> None:
    said = {key: value.format(left=left) for key, value in headers.items()}
    with serving([GOOD, GOOD], headers=said) as (served, url):
        asking = model(name, url)
        asking.ask(ask(), Watch())
        if asked == 1:
            failed = failure_of(lambda: asking.ask(ask(), Watch()))
            assert failed.why is Failure.LIMITED
            assert failed.retry_after > 300
        else:
            asking.ask(ask(), Watch())
    assert len(served.requests) == asked


@pytest.mark.parametrize("headers", [
    {"x-ratelimit-limit-requests": "many", "x-ratelimit-remaining-requests": "0"},
    {"x-ratelimit-limit-requests": "0", "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1h"},
    {"x-ratelimit-limit-requests": "10", "x-ratelimit-remaining-requests": "0"},
    {"x-ratelimit-limit-requests": "10", "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "yesterday"},
    {"x-ratelimit-limit-requests": "9" * 400, "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1h"},
])  # fmt: skip
def test_headers_that_say_nothing_stop_nothing(headers: dict[str, str]) -> None:
    with serving([GOOD, GOOD], headers=headers) as (_, url):
        asking = model("vllm:x", url)
        for _ in range(2):
            asking.ask(ask(), Watch())


# ── with the ledger ──────────────────────────────────────────────────────────────────────────────────────────────


@every_wire
def test_a_run_with_a_cap_never_spends_more(name: str) -> None:
    """The server claims, each time, all that it was allowed."""
    def claims(request: dict[str, Any]) -> Any:
        return [("look", {"path": "one"})]

    with serving(claims, usage=Usage(input=2_900, output=500)) as (served, url), temporary_memory() as memory:
        metered = Metered(model=model(name, url), ledger=memory.space.home.ledger).for_run("run-1", most_tokens=20_000)
        for _ in range(4):
            failure_of(lambda: metered.ask(ask(tools=(LOOK,), rounds=3)))
        spent = memory.space.home.ledger.of_run("run-1")
    assert 10_000 < spent.tokens <= 20_000
    assert spent.calls == len(served.requests)


@every_wire
def test_what_the_cap_forbids_is_not_sent_nor_tried_again(name: str) -> None:
    with serving([GOOD]) as (served, url), temporary_memory() as memory:
        metered = Metered(model=model(name, url), ledger=memory.space.home.ledger, caps=Caps(tokens_per_day=1_000))
        assert failure_of(lambda: metered.ask(ask())).why is Failure.CAP
        assert memory.space.home.ledger.today().calls == 0
    assert served.requests == []


def test_a_question_that_was_left_at_the_deadline_counts_in_full() -> None:
    with serving([Fault(hang=30.0)]) as (_, url), temporary_memory() as memory:
        metered = Metered(model=model("openai:gpt-5-mini", url), ledger=memory.space.home.ledger)
        failed = failure_of(lambda: metered.ask(ask(seconds=1.5)))
        assert failed.why is Failure.TIMEOUT
        assert failed.used.tokens == memory.space.home.ledger.today().tokens > 2_000


# ── keys and names ───────────────────────────────────────────────────────────────────────────────────────────────


@every_wire
def test_a_key_stands_in_no_message(name: str) -> None:
    body = json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}"}}).encode()
    with serving([Fault(status=401, body=body)]) as (_, url):
        failed = failure_of(lambda: model(name, url).ask(ask(), Watch()))
    assert "Incorrect API key provided" in str(failed)
    assert KEY not in str(failed) and KEY not in repr(failed.__cause__) and KEY not in repr(model(name, url))


@pytest.mark.parametrize("turn", [{"a": f"your key is {KEY}"}, {"a": "b", KEY: 1}, [(KEY, {})], Fault(status=400, body=b"x" * 295 + KEY.encode())],
                         ids=["answer", "field", "tool", "at the cut"])
def test_a_key_that_a_server_says_back_goes_no_further(turn: Any) -> None:
    with serving([turn]) as (_, url):
        try:
            said = repr(model("vllm:x", url).ask(ask(), Watch()))
        except ModelFailed as failed:
            said = str(failed)
    assert KEY not in said and "lab-k" not in said


@pytest.mark.parametrize("key", ["abc\ndef", "abc\0def", "abc def", "ab\u00e9", "a" * 10_001])
def test_what_is_no_key_is_not_sent_nor_said(key: str) -> None:
    watch = Watch()
    asking = registry.named("vllm:x", provider("vllm:x", "http://127.0.0.1:9"), {"LAB_KEY": key})
    failed = failure_of(lambda: asking.ask(ask(), watch))
    assert failed.why is Failure.REFUSED and watch.bounds == []
    assert "LAB_KEY" in str(failed) and key not in str(failed) and repr(key)[1:-1] not in str(failed)


@pytest.mark.parametrize("name", ["anthropic:x", "openai:x", "gemini:x", "dashscope:x", "moonshot:x"])
def test_without_a_key_it_says_which_variable(name: str) -> None:
    failed = failure_of(lambda: registry.named(name, {}, {}).ask(ask(), Watch()))
    assert failed.why is Failure.REFUSED
    assert "_API_KEY" in str(failed)


def test_a_command_may_say_the_key() -> None:
    command = [sys.executable, "-c", f"print('{KEY}')"]
    with serving([GOOD]) as (served, url):
        asking = registry.named("openai:x", {"providers": {"openai": {"base_url": url, "key_command": command}}}, {})
        asking.ask(ask(), Watch())
    assert served.keys == [f"Bearer {KEY}"]


@pytest.mark.parametrize("command", [["/no/such/program"], [sys.executable, "-c", f"import sys; sys.exit('{KEY}')"], [sys.executable, "-c", ""], ["a\0b"]])
def test_a_command_that_gives_no_key_is_named_without_its_words(command: list[str]) -> None:
    asking = registry.named("openai:x", {"providers": {"openai": {"key_command": command}}}, {})
    failed = failure_of(lambda: asking.ask(ask(), Watch()))
    assert failed.why is Failure.REFUSED
    assert KEY not in str(failed)


@pytest.mark.parametrize("name", ["", "gpt-5", "openai:", "nobody:model", ":x"])
def test_an_unknown_model_is_answered_with_the_list(name: str) -> None:
    with pytest.raises(errors.WrongUse, match=r"anthropic, openai, .*ollama"):
        registry.named(name, {}, {})


@pytest.mark.parametrize(("row", "said"), [
    ({"base_url": "ftp://x"}, "http"), ({}, "base_url"), ({"base_url": "http://x", "wire": "soap"}, "wire"), ({"base_url": 5}, "no text"),
    *(({"base_url": url}, "an address") for url in ("http://", "http:///v1", "http://h:abc", "http://h:99999/v1", "http://[::1", "http://a b", "https://a\nb")),
    ({"base_url": "http://x", "key": "sk-1"}, "unknown 'key'"), ({"base_url": "http://x", "key_command": "pass"}, "list of texts"), ("x", "table"),
])  # fmt: skip
def test_a_provider_that_cannot_be_is_named(row: Any, said: str) -> None:
    with pytest.raises(errors.WrongUse, match=said):
        registry.named("mine:x", {"providers": {"mine": row}}, {})


@pytest.mark.parametrize(("row", "said"), [({"input": 1}, "needs input and output"), ({"input": -1, "output": 1}, "no price"), ({"input": True, "output": 1}, "no price"),
                                           ({"input": 1, "output": 1, "per": 1}, "may have"), (5, "is no price"),
                                           ({"input": 1e300, "output": 1}, "up to 1,000,000"), ({"input": 1, "output": 10**400}, "up to")])  # fmt: skip
def test_a_price_that_cannot_be_is_named(row: Any, said: str) -> None:
    with pytest.raises(errors.WrongUse, match=said):
        registry.price("a:b", {"prices": {"a:b": row}})


def test_a_currency_among_the_prices_is_not_passed_over() -> None:
    with pytest.raises(errors.WrongUse, match=r"currency = 'EUR' is no price.*in USD"):
        registry.price("openai:gpt-5-mini", {"prices": {"currency": "EUR"}})


def test_the_users_word_goes_before_the_table() -> None:
    tables: dict[str, Any] = {"prices": {"openai:*": {"input": 7, "output": 8}}, "windows": {"openai:gpt-5-mini": 99}}
    price = registry.price("openai:gpt-5-mini", tables)
    assert price and (price.input, price.output) == (7, 8)
    assert registry.window("openai:gpt-5-mini", tables) == 99
    assert registry.price("openai:gpt-5-mini", {}) and not registry.price("openai:no-such-model", {})
    assert registry.price("ollama:anything", {})


def test_every_row_of_the_table_is_a_price_and_a_window() -> None:
    for name in registry.known()["prices"]:
        assert registry.price(name, {})
    for name in registry.known()["windows"]:
        assert registry.window(name, {}) > 1_000


def test_a_moved_server_is_found_by_its_variable() -> None:
    made = registry.named("anthropic:x", {}, {"ANTHROPIC_BASE_URL": "http://127.0.0.1:1"})
    assert made.base_url == "http://127.0.0.1:1"  # type: ignore[attr-defined]
    with pytest.raises(errors.WrongUse, match="ANTHROPIC_BASE_URL is no address"):
        registry.named("anthropic:x", {}, {"ANTHROPIC_BASE_URL": "file:///etc"})


@pytest.mark.parametrize("name", ["agent", "a:b", ""])
def test_a_provider_that_could_never_be_named_is_refused(name: str) -> None:
    with pytest.raises(errors.WrongUse, match="cannot have this name"):
        registry.named("mine:x", {"providers": {name: {"base_url": "http://x"}}}, {})


OF_VENDORS = {"ANTHROPIC_AUTH_TOKEN": "theirs", "ANTHROPIC_API_KEY": "theirs", "ANTHROPIC_CUSTOM_HEADERS": "X-Gateway: theirs", "OPENAI_API_KEY": "theirs",
              "OPENAI_ORG_ID": "theirs", "OPENAI_PROJECT_ID": "theirs", "OPENAI_CUSTOM_HEADERS": "X-Gateway: theirs", "GOOGLE_API_KEY": "theirs", "GEMINI_API_KEY": "theirs"}  # fmt: skip


@pytest.mark.parametrize("wire", ["anthropic", "openai-responses", "openai-chat", "gemini"])
def test_what_vendors_variables_hold_goes_to_no_other_server(wire: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    for variable, value in OF_VENDORS.items():
        monkeypatch.setenv(variable, value)
    with serving([GOOD]) as (served, url):
        assert model("mine:any", url, wire=wire, base_url=url).ask(ask(), Watch()).data == GOOD
    assert "theirs" not in json.dumps(served.sent_headers)
    assert KEY in served.keys[0]
    assert "GOOGLE_API_KEY" not in capfd.readouterr().err       # the library's word for a key that it does not take


def test_what_a_vendors_variables_hold_goes_to_the_vendor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    with serving([GOOD]) as (served, url):
        registry.named("openai:x", {}, {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": url}).ask(ask(), Watch())
    assert served.sent_headers[0]["openai-organization"] == "org-1"


@pytest.mark.parametrize("proxy", ["garbage", "ftp://me:hunter2@h:1", "socks5://me:hunter2@127.0.0.1:1"])
def test_a_proxy_that_cannot_be_used_is_said_without_its_password(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", proxy)
    watch = Watch()
    failed = failure_of(lambda: model("vllm:x", "http://models.example").ask(ask(), watch))
    assert failed.why is Failure.REFUSED and watch.bounds == []
    assert "HTTP_PROXY" in str(failed) and "NO_PROXY=models.example" in str(failed) and "hunter2" not in str(failed)


@pytest.mark.parametrize("act", ["from reverie.models import registry; registry.named('anthropic:x', {}, {})",
                                 "from reverie.memory import open_memory; m = open_memory(cwd='.'); m.model('extract'); m.status()"])  # fmt: skip
def test_no_client_library_is_imported_before_a_question(act: str, tmp_path: Path) -> None:
    code = f"import sys; {act}; print([name for name in ('pydantic', 'pydantic_ai', 'httpx2', 'anthropic', 'openai', 'google.genai') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert done.stdout.strip() == "[]"


_protocol: type[Meter] = Watch


# ── how each provider counts ─────────────────────────────────────────────────────────────────────────────────────


def anthropic_counts() -> dict[str, Any]:
    return {"id": "m", "type": "message", "role": "assistant", "model": "x", "stop_reason": "end_turn", "stop_sequence": None, "content": [{"type": "text", "text": '{"a": "b"}'}],
            "usage": {"input_tokens": 10, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 30, "output_tokens": 7}}  # fmt: skip


def gemini_counts() -> dict[str, Any]:
    return {"candidates": [{"content": {"role": "model", "parts": [{"text": '{"a": "b"}'}]}, "finishReason": "STOP"}],
            "usageMetadata": {"promptTokenCount": 60, "cachedContentTokenCount": 20, "candidatesTokenCount": 7, "thoughtsTokenCount": 40, "totalTokenCount": 107}}  # fmt: skip


def responses_counts() -> dict[str, Any]:
    return {"id": "r", "object": "response", "created_at": 1, "status": "completed", "model": "x", "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
            "output": [{"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [{"type": "output_text", "text": '{"a": "b"}', "annotations": []}]}],
            "usage": {"input_tokens": 60, "input_tokens_details": {"cached_tokens": 20}, "output_tokens": 47, "output_tokens_details": {"reasoning_tokens": 40}, "total_tokens": 107}}  # fmt: skip


@pytest.mark.parametrize(("name", "body", "used"), [
    ("anthropic:claude-haiku-4-5", anthropic_counts(), Used(input=60, output=7, cached=20, written=30, calls=1)),
    ("gemini:gemini-2.5-flash", gemini_counts(), Used(input=60, output=47, cached=20, calls=1)),
    ("openai:gpt-5-mini", responses_counts(), Used(input=60, output=47, cached=20, calls=1)),
])  # fmt: skip
def test_cache_and_thoughts_are_counted_as_the_provider_does(name: str, body: dict[str, Any], used: Used) -> None:
    with serving([Fault(body=json.dumps(body).encode())]) as (_, url):
        assert model(name, url).ask(ask(), Watch()).used == used


def test_several_threads_ask_one_model() -> None:
    with serving(lambda request: GOOD) as (served, url), temporary_memory() as memory:
        metered = Metered(model=model("openai:gpt-5-mini", url), ledger=memory.space.home.ledger)
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda number: metered.ask(ask(prompt=f"question {number}")), range(24)))
        assert [answer.data for answer in answers] == [GOOD] * 24
        assert memory.space.home.ledger.today().calls == len(served.requests) == 24
