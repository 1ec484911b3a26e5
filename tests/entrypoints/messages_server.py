"""A small Messages API on loopback that says what a test has written down, over HTTP as the real one does."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

USAGE = {"input_tokens": 1, "output_tokens": 1}


class MessagesServer:
    """Answers each request with the next turn of a script; ``requests`` has what the client sent.

    A turn is the inputs of ``memory`` calls, or a text that ends the conversation.
    """

    def __init__(self, script: Sequence[list[object] | str]) -> None:
        self.requests: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self._script = script

    def turn(self) -> dict[str, Any]:
        number = len(self.requests) - 1
        said = self._script[number]
        content = [{"type": "text", "text": said}] if isinstance(said, str) else [
            {"type": "tool_use", "id": f"toolu_{number}_{place}", "name": "memory", "input": input} for place, input in enumerate(said)
        ]  # fmt: skip
        return {
            "id": f"msg_{number}", "type": "message", "role": "assistant", "model": "scripted", "content": content,
            "stop_reason": "end_turn" if isinstance(said, str) else "tool_use", "stop_sequence": None, "usage": USAGE,
        }  # fmt: skip

    def results(self) -> list[tuple[bool, str]]:
        """What the tool answered, in order: (is it an error, the text). A client sends the whole conversation each time,
        or what is new of it (a thread, which the server keeps)."""
        blocks = (
            block for request in self.requests for message in request["messages"] if isinstance(message["content"], list)
            for block in message["content"] if block["type"] == "tool_result"
        )  # fmt: skip
        return list({block["tool_use_id"]: (block.get("is_error", False), block["content"]) for block in blocks}.values())


def events(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A message as the stream of events that it comes in."""
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
    yield {"type": "message_delta", "delta": {"stop_reason": message["stop_reason"], "stop_sequence": None}, "usage": USAGE}
    yield {"type": "message_stop"}


@contextmanager
def serving(script: Sequence[list[object] | str]) -> Iterator[tuple[MessagesServer, str]]:
    """The server at work, and its address."""
    served = MessagesServer(script)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            served.requests.append(request)
            served.paths.append(self.path)
            message = served.turn()
            if request.get("stream"):
                body = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events(message))
                kind = "text/event-stream"
            else:
                body, kind = json.dumps(message), "application/json"
            data = body.encode()
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args: object) -> None:
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield served, f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
