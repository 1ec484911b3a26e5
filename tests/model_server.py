"""A model on loopback that says what a test has written down, over HTTP, in the words of four protocols: Anthropic Messages,
OpenAI Responses, OpenAI Chat Completions, Gemini ``generateContent``. Which one, the path of the request tells.

A turn of a script is a text; a mapping (said as JSON); a list of tool calls, as (name, input) pairs, or inputs alone for the
tool ``memory``; or a ``Fault``.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Fault:
    """Something that goes wrong: a status, raw bytes in place of an answer, a connection cut after so many bytes, silence."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b'{"error": {"type": "scripted", "message": "as the script says"}}'
    cut_after: int | None = None            # bytes; then the connection is closed although more was promised
    hang: float = 0.0                       # seconds of silence before anything
    drip: float = 0.0                       # seconds between two bytes


@dataclass(frozen=True, kw_only=True)
class Usage:
    """What the server claims. None: it says nothing."""

    input: int = 1
    output: int = 1
    cached: int = 0


Turn = str | Mapping[str, Any] | list[Any] | Fault
Calls = list[tuple[str, Any]]


class ModelServer:
    """Answers each request with the next turn of a script; ``requests`` has what the client sent."""

    def __init__(self, script: Sequence[Turn] | Callable[[dict[str, Any]], Turn], usage: Usage | None, headers: Mapping[str, str]) -> None:
        self.requests: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.keys: list[str] = []
        self.sent_headers: list[dict[str, str]] = []
        self.usage = usage
        self.headers = headers
        self._script = script
        self._guard = threading.Lock()

    def turn(self, path: str, request: dict[str, Any], key: str) -> tuple[int, Turn]:
        """The number of a request, and what is said to it."""
        with self._guard:
            self.requests.append(request)
            self.paths.append(path)
            self.keys.append(key)
            number = len(self.requests) - 1
        if callable(self._script):
            return number, self._script(request)
        return number, self._script[number] if number < len(self._script) else Fault(status=400)

    def results(self) -> list[tuple[bool, str]]:
        """What the tools answered in Anthropic's protocol, in order: (is it an error, the text). A client sends the whole
        conversation each time, or what is new of it (a thread, which the server keeps)."""
        blocks = (
            block for request in self.requests for message in request["messages"] if isinstance(message["content"], list)
            for block in message["content"] if block["type"] == "tool_result"
        )  # fmt: skip
        return list({block["tool_use_id"]: (block.get("is_error", False), block["content"]) for block in blocks}.values())


# ── the four protocols ───────────────────────────────────────────────────────────────────────────────────────────


def spoken(turn: Turn) -> tuple[str, Calls]:
    """A turn as words, or as calls."""
    if isinstance(turn, str):
        return turn, []
    if isinstance(turn, list):
        return "", [call if isinstance(call, tuple) else ("memory", call) for call in turn]
    assert isinstance(turn, Mapping)
    return json.dumps(turn, ensure_ascii=False), []


def messages(number: int, text: str, calls: Calls, request: dict[str, Any], usage: Usage | None) -> dict[str, Any]:
    # a client that wants a form as a tool's input gets it there
    forced = (request.get("tool_choice") or {}).get("type") in ("any", "tool") and not calls
    if forced and request.get("tools"):
        calls = [(request["tools"][-1]["name"], json.loads(text))]
    content: list[dict[str, Any]] = [{"type": "text", "text": text}] if not calls else [
        {"type": "tool_use", "id": f"toolu_{number}_{place}", "name": name, "input": input} for place, (name, input) in enumerate(calls)
    ]  # fmt: skip
    said = {"input_tokens": usage.input - usage.cached, "output_tokens": usage.output, "cache_read_input_tokens": usage.cached,
            "cache_creation_input_tokens": 0} if usage else {"input_tokens": 0, "output_tokens": 0}  # fmt: skip
    return {
        "id": f"msg_{number}", "type": "message", "role": "assistant", "model": "scripted", "content": content,
        "stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None, "usage": said,
    }  # fmt: skip


def responses(number: int, text: str, calls: Calls, request: dict[str, Any], usage: Usage | None) -> dict[str, Any]:
    output: list[dict[str, Any]] = [
        {"type": "function_call", "id": f"fc_{number}_{place}", "call_id": f"call_{number}_{place}", "name": name,
         "arguments": json.dumps(input), "status": "completed"} for place, (name, input) in enumerate(calls)
    ] or [{"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed",
           "content": [{"type": "output_text", "text": text, "annotations": []}]}]  # fmt: skip
    said = {"input_tokens": usage.input, "output_tokens": usage.output, "total_tokens": usage.input + usage.output,
            "input_tokens_details": {"cached_tokens": usage.cached}, "output_tokens_details": {"reasoning_tokens": 0}} if usage else None  # fmt: skip
    return {
        "id": f"resp_{number}", "object": "response", "created_at": 1_770_000_000, "status": "completed", "model": "scripted",
        "output": output, "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "usage": said,
    }  # fmt: skip


def chat(number: int, text: str, calls: Calls, request: dict[str, Any], usage: Usage | None) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": text or None}
    if calls:
        message["tool_calls"] = [
            {"id": f"call_{number}_{place}", "type": "function", "function": {"name": name, "arguments": json.dumps(input)}}
            for place, (name, input) in enumerate(calls)
        ]  # fmt: skip
    said = {"prompt_tokens": usage.input, "completion_tokens": usage.output, "total_tokens": usage.input + usage.output,
            "prompt_tokens_details": {"cached_tokens": usage.cached}} if usage else None  # fmt: skip
    return {
        "id": f"chatcmpl-{number}", "object": "chat.completion", "created": 1_770_000_000, "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop", "logprobs": None}],
        **({"usage": said} if said else {}),
    }  # fmt: skip


def gemini(number: int, text: str, calls: Calls, request: dict[str, Any], usage: Usage | None) -> dict[str, Any]:
    forced = ((request.get("toolConfig") or {}).get("functionCallingConfig") or {}).get("mode") == "ANY" and not calls
    if forced:
        name = request["tools"][-1]["functionDeclarations"][-1]["name"]
        calls = [(name, json.loads(text))]
    parts: list[dict[str, Any]] = [{"functionCall": {"name": name, "args": input}} for name, input in calls] or [{"text": text}]
    said = {"promptTokenCount": usage.input, "candidatesTokenCount": usage.output, "cachedContentTokenCount": usage.cached,
            "totalTokenCount": usage.input + usage.output} if usage else {}  # fmt: skip
    return {
        "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": said, "modelVersion": "scripted", "responseId": f"r{number}",
    }  # fmt: skip


def protocol(path: str) -> Callable[..., dict[str, Any]]:
    for end, speak in (("/messages", messages), ("/responses", responses), ("/chat/completions", chat), (":generateContent", gemini)):
        if path.partition("?")[0].endswith(end):
            return speak
    raise AssertionError(f"no protocol has the path {path}")


def events(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """An answer of Anthropic's as the stream of events that it comes in."""
    yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            yield {"type": "content_block_start", "index": index, "content_block": {"type": "text", "text": ""}}
            yield {"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": block["text"]}}
        else:
            yield {"type": "content_block_start", "index": index, "content_block": {**block, "input": {}}}
            text = json.dumps(block["input"])
            for part in (text[:7], text[7:]):
                yield {"type": "content_block_delta", "index": index, "delta": {"type": "input_json_delta", "partial_json": part}}
        yield {"type": "content_block_stop", "index": index}
    yield {"type": "message_delta", "delta": {"stop_reason": message["stop_reason"], "stop_sequence": None}, "usage": message["usage"]}
    yield {"type": "message_stop"}


# ── at work ──────────────────────────────────────────────────────────────────────────────────────────────────────


@contextmanager
def serving(
    script: Sequence[Turn] | Callable[[dict[str, Any]], Turn], *, usage: Usage | None = Usage(), headers: Mapping[str, str] | None = None
) -> Iterator[tuple[ModelServer, str]]:
    """The server at work, and its address. ``headers``: of every good answer."""
    served = ModelServer(script, usage, headers or {})

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            key = self.headers.get("x-api-key") or self.headers.get("authorization") or self.headers.get("x-goog-api-key") or ""
            served.sent_headers.append({name.lower(): value for name, value in self.headers.items()})
            number, turn = served.turn(self.path, request, key)
            if isinstance(turn, Fault):
                self.fail(turn)
                return
            answer = protocol(self.path)(number, *spoken(turn), request, served.usage)
            if request.get("stream"):
                body = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events(answer))
                self.say(200, {"content-type": "text/event-stream", **served.headers}, body.encode())
            else:
                self.say(200, {"content-type": "application/json", **served.headers}, json.dumps(answer).encode())

        def say(self, status: int, headers: Mapping[str, str], data: bytes, promised: int | None = None) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(data) if promised is None else promised))
            self.end_headers()
            self.wfile.write(data)

        def fail(self, fault: Fault) -> None:
            time.sleep(fault.hang)
            headers = {"content-type": "application/json", **fault.headers}
            try:
                if fault.cut_after is not None:
                    self.say(fault.status, headers, fault.body[: fault.cut_after], promised=len(fault.body))
                    self.close_connection = True
                elif fault.drip:
                    self.say(fault.status, headers, b"", promised=len(fault.body))
                    for place in range(len(fault.body)):
                        self.wfile.write(fault.body[place : place + 1])
                        time.sleep(fault.drip)
                else:
                    self.say(fault.status, headers, fault.body)
            except OSError:
                self.close_connection = True        # the client had enough

        def log_message(self, *args: object) -> None:
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        server.block_on_close = False
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield served, f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
