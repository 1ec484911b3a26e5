"""Reads messages, answers them, and never hangs.

One thread reads: what needs no memory (the handshake, pings, lists of tools, cancellations) it answers at once. One thread works
off the rest in the order in which it came, each call with a memory opened for it alone, so that settings, hand edits and other
processes count. A call that is not done by its deadline is answered all the same, and another thread takes the worker's place.

Nothing but messages gets to standard output: it is kept for them, and what else prints goes to standard error.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from reverie import __version__, errors, settings
from reverie.core import switch
from reverie.entrypoints.mcp import protocol, roots, tools
from reverie.entrypoints.mcp.protocol import Failed, Message, Notice, Reply, Request, Wrong

SECONDS: Final = 20.0               # for one call; clients wait 60 and more
LOCK_SECONDS: Final = 5.0           # of them, for another process that changes the same home
ROOTS_SECONDS: Final = 1.5          # for the client to say in which directory its user works
ENDING_SECONDS: Final = 25.0        # for what was asked before the client went
MOST_BYTES: Final = 4 * 1024 * 1024     # of one message
MOST_WAITING: Final = 256
SERVER: Final = {"name": "reverie", "title": "Reverie memory", "version": __version__}
CAPABILITIES: Final[Mapping[str, Any]] = {"tools": {}, "resources": {}, "prompts": {}}
_OFF = ("off", "0", "false", "no", "")


class Job:
    """One request that waits for its answer; the first answer counts, or that none is wanted any more."""

    def __init__(self, request: Request, give: Callable[[dict[str, Any] | None], None]) -> None:
        self.request = request
        self._give = give
        self._lock = threading.Lock()
        self.over = False               # no other answer counts
        self.given = False              # and it is out

    def settle(self, answer: dict[str, Any] | None) -> None:
        with self._lock:
            if self.over:
                return
            self.over = True
        self._give(answer)
        self.given = True


class Batch:
    """Answers that go out together."""

    def __init__(self, count: int, send: Callable[[Any], None]) -> None:
        self._left, self._send = count, send
        self._answers: list[dict[str, Any]] = []
        self._lock = threading.Lock()

    def give(self, answer: dict[str, Any] | None) -> None:
        with self._lock:
            self._left -= 1
            if answer is not None:
                self._answers.append(answer)
            is_whole = self._left == 0
        if is_whole and self._answers:
            self._send(self._answers)


class Server:
    """One client's server."""

    def __init__(
        self, send: Callable[[Any], None], *, home: str, cwd: str, environment: Mapping[str, str], read_only: bool = False,
        fixed: bool = False, seconds: float = SECONDS,
    ) -> None:
        """``cwd``: where the client started us; ``fixed``: its roots do not count."""
        self.send = send
        self.home, self.environment, self.read_only, self.seconds = home, environment, read_only, seconds
        self.inside = switch.inside(environment)
        self.client: Mapping[str, Any] = {}
        self.roots = roots.Roots(send, cwd=cwd, fixed=fixed)
        self._jobs: dict[protocol.Id, Job] = {}
        self._waiting: queue.Queue[Job] = queue.Queue(MOST_WAITING)
        self._generation = 0
        self._lock = threading.Lock()
        self._start_worker()

    # ── the reader's side ────────────────────────────────────────────────────────────────────────────────────────

    def feed(self, line: bytes) -> None:
        """Take one line."""
        message = protocol.parsed(line)
        if isinstance(message, list):
            batch = Batch(1 + sum(isinstance(each, Request | Wrong) for each in message), self.send)
            for each in message:
                self._take(each, batch.give)
            batch.give(None)
        elif message is not None:
            self._take(message, self._give)

    def too_long(self) -> None:
        """A line was longer than any message may be."""
        self.send(protocol.error(None, Failed(protocol.INVALID_REQUEST, f"a message has at most {MOST_BYTES:,} bytes")))

    def _give(self, answer: dict[str, Any] | None) -> None:
        if answer is not None:
            self.send(answer)

    def _take(self, message: Message, give: Callable[[dict[str, Any] | None], None]) -> None:
        match message:
            case Request():
                self._ask(Job(message, give))
            case Notice():
                self._hear(message)
            case Reply():
                self.roots.replied(message)
            case Wrong():
                give(message.answer)

    def _hear(self, notice: Notice) -> None:
        if notice.method == "notifications/cancelled":
            id = notice.params.get("requestId")
            job = self._jobs.get(id) if isinstance(id, str | int) else None
            if job is not None:
                job.settle(None)
        elif notice.method in ("notifications/initialized", "notifications/roots/list_changed"):
            self.roots.ask()

    def _ask(self, job: Job) -> None:
        at_once = {
            "initialize": self._initialize, "server/discover": self._discover, "ping": lambda request: {},
            "tools/list": lambda request: {"tools": [tool.as_dict() for tool in self._offered()]},
            "prompts/list": self._prompts, "resources/templates/list": self._templates,
        }
        request = job.request
        try:
            protocol.checked_version(request)
            if answer := at_once.get(request.method):
                job.settle(protocol.result(request, answer(request), server=SERVER))
            elif request.method in ("tools/call", "resources/list", "resources/read", "prompts/get"):
                self._jobs[request.id] = job
                self._waiting.put(job)
            else:
                raise Failed(protocol.NOT_FOUND, f"there is no method {request.method[:80]!r} here")
        except Failed as failed:
            job.settle(protocol.error(request.id, failed))

    def _initialize(self, request: Request) -> dict[str, Any]:
        client = request.params.get("clientInfo")
        self.client = client if isinstance(client, dict) else {}
        self.roots.offered(request.params.get("capabilities"))
        version = protocol.negotiated(request.params.get("protocolVersion"))
        return {"protocolVersion": version, "capabilities": CAPABILITIES, "serverInfo": SERVER, **self._instructions()}

    def _discover(self, request: Request) -> dict[str, Any]:
        versions = [*protocol.MODERN, *protocol.HANDSHAKE]
        return {"supportedVersions": versions, "capabilities": CAPABILITIES, **self._instructions()}

    def _instructions(self) -> dict[str, Any]:
        return {} if self.inside else {"instructions": tools.instructions(writes=self.writes)}

    def _prompts(self, request: Request) -> dict[str, Any]:
        from reverie.entrypoints.mcp import sources

        return {"prompts": []} if self.inside else sources.prompts(writes=self.writes)

    def _templates(self, request: Request) -> dict[str, Any]:
        from reverie.entrypoints.mcp import sources

        return {"resourceTemplates": [] if self.inside else sources.TEMPLATES}

    def _offered(self) -> Sequence[tools.Tool]:
        return [] if self.inside else tools.offered(writes=self.writes)

    @property
    def writes(self) -> bool:
        """Whether an agent may change anything. Settings that cannot be read say no."""
        if self.read_only:
            return False
        try:
            value = settings.load(settings.expanded(self.home), self.environment)["mcp.writes"]
        except errors.ReverieError:
            return False
        return str(value).strip().casefold() not in _OFF

    # ── the worker's side ────────────────────────────────────────────────────────────────────────────────────────

    def _start_worker(self) -> None:
        self._generation += 1
        threading.Thread(target=self._work, args=(self._generation,), daemon=True, name="reverie-mcp").start()

    def _work(self, generation: int) -> None:
        while generation == self._generation:
            job = self._waiting.get()
            if not job.over:
                self._do(job)
            self._waiting.task_done()
            if self._jobs.get(job.request.id) is job:
                del self._jobs[job.request.id]

    def _do(self, job: Job) -> None:
        timer = threading.Timer(self.seconds, self._too_late, (job,))
        timer.daemon = True
        timer.start()
        try:
            answer = protocol.result(job.request, self._done(job.request), server=SERVER)
        except Failed as failed:
            answer = protocol.error(job.request.id, failed)
        except (errors.ReverieError, OSError) as error:
            answer = protocol.error(job.request.id, Failed(protocol.INTERNAL, self._discreet(str(error))))
        except Exception as error:      # the outermost door: the client gets an answer, a person finds the reason
            answer = self._broken(job.request, error)
        timer.cancel()
        job.settle(answer)

    def _too_late(self, job: Job) -> None:
        if job.over:
            return
        said = f"not done after {self.seconds:.0f} s; a change may still come about: list_memories shows whether it did"
        if job.request.method == "tools/call":
            job.settle(protocol.result(job.request, _refusal(said), server=SERVER))
        else:
            job.settle(protocol.error(job.request.id, Failed(protocol.TOO_LATE, said)))
        self._record(job.request, said)
        self._start_worker()

    def _done(self, request: Request) -> dict[str, Any]:
        if request.method == "tools/call":
            return self._call(request)
        from reverie.entrypoints.mcp import sources

        if self.inside:
            raise Failed(protocol.NOT_FOUND, "memory is off within an agent that Reverie runs as a model")
        with self._opened() as memory:
            asked = self._asked(memory, request)
            if request.method == "resources/list":
                return sources.resources(asked, request)
            if request.method == "resources/read":
                return sources.resource(asked, request)
            return sources.prompt(asked, request, writes=self.writes)

    def _call(self, request: Request) -> dict[str, Any]:
        name = request.params.get("name")
        if not isinstance(name, str) or name not in {tool.name for tool in tools.TOOLS} or self.inside:
            raise Failed(protocol.INVALID_PARAMS, f"there is no tool {str(name)[:80]!r} here")
        if name not in {tool.name for tool in self._offered()}:
            return _refusal(f"{name} is off: memory is read-only here (mcp.writes in the settings)")
        try:
            arguments = tools.checked(name, request.params.get("arguments"))
            with self._opened() as memory:
                text, structured = tools.call(name, arguments, self._asked(memory, request))
        except (errors.ReverieError, OSError) as error:
            return _refusal(self._discreet(str(error)))
        return {"content": [{"type": "text", "text": text}], "structuredContent": structured, "isError": False}

    def _opened(self) -> Any:
        from reverie.memory import open_memory

        return open_memory(self.home, cwd=self.roots.cwd(ROOTS_SECONDS), environment=self.environment, background=True,
                           wait_seconds=LOCK_SECONDS)

    def _asked(self, memory: Any, request: Request) -> tools.Call:
        client = self.client or request.meta.get(protocol.CLIENT_KEY)
        host = roots.host_of(client)
        return tools.Call(memory=memory, host=host, session=roots.session_of(host, request.meta, self.environment))

    # ── what went wrong ──────────────────────────────────────────────────────────────────────────────────────────

    def _discreet(self, said: str) -> str:
        """A message for a model: without the paths of this machine."""
        return said.replace(str(settings.expanded(self.home)), "(memory)").encode("utf-8", "replace").decode()

    def _broken(self, request: Request, error: Exception) -> dict[str, Any]:
        said = f"{type(error).__name__}: {error}"
        self._record(request, said)
        told = f"something went wrong inside Reverie ({type(error).__name__}); `reverie status` shows it"
        if request.method == "tools/call":
            return protocol.result(request, _refusal(told), server=SERVER)
        return protocol.error(request.id, Failed(protocol.INTERNAL, told))

    def _record(self, request: Request, said: str) -> None:
        from datetime import UTC, datetime

        from reverie.storage import hook_log

        with suppress(Exception):
            hook_log.write(str(settings.expanded(self.home)), at=datetime.now(UTC), host=roots.host_of(self.client) or "mcp",
                           event=f"mcp {request.method}", said=said)

    def finish(self, seconds: float = ENDING_SECONDS) -> None:
        """The client has gone: what it asked before is still done, but not for ever."""
        until = time.monotonic() + seconds
        while any(not job.given for job in list(self._jobs.values())) and time.monotonic() < until:
            time.sleep(0.005)


def _refusal(said: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": said}], "isError": True}


# ── the process ──────────────────────────────────────────────────────────────────────────────────────────────────────


def lines(read: Callable[[int], bytes], too_long: Callable[[], None], *, most: int = MOST_BYTES) -> Any:
    """The lines of a stream; of one that is too long nothing is kept, and it is told once."""
    held, is_over = bytearray(), False
    while data := read(1 << 16):
        *whole, rest = data.split(b"\n")
        for part in whole:
            if not is_over and len(held) + len(part) <= most:
                yield bytes(held + part)
            elif not is_over:
                too_long()
            held, is_over = bytearray(), False
        if not is_over:
            held += rest
            if len(held) > most:
                held, is_over = bytearray(), True
                too_long()
    if held:
        yield bytes(held)


def serve(*, home: str = "", cwd: str = "", read_only: bool = False) -> None:
    """Serve the client at standard input and output until it goes, then end the process."""
    source, sink = _streams()
    lock = threading.Lock()

    def send(message: Any) -> None:
        data = protocol.line(message)
        with lock:
            try:
                while data:
                    data = data[os.write(sink, data) :]
            except OSError:             # the client went away
                os._exit(0)

    root = home or str(settings.home_of(os.environ))
    server = Server(send, home=root, cwd=cwd or _cwd(), environment=os.environ, read_only=read_only, fixed=bool(cwd))
    try:
        for line in lines(lambda size: os.read(source, size), server.too_long):
            server.feed(line)
        server.finish()
    except (KeyboardInterrupt, OSError):
        pass
    os._exit(0)                         # nothing that is still open is worth waiting for


def _cwd() -> str:
    try:
        return os.getcwd()              # noqa: PTH109 - a text is wanted
    except OSError:                     # the directory was removed under us
        return os.path.expanduser("~")  # noqa: PTH111


def _streams() -> tuple[int, int]:
    """Our own ends of standard input and output; from now on nobody else reads the one or prints to the other."""
    source, sink = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    if sys.platform == "win32":         # a line ends with one character, as it was written
        import msvcrt

        for each in (source, sink):
            msvcrt.setmode(each, os.O_BINARY)
    return source, sink


def main(arguments: Sequence[str] | None = None) -> None:
    """``[--home DIR] [--cwd DIR] [--read-only]``; what else stands there is passed over."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    values = {name: given[given.index(name) + 1] if name in given[:-1] else "" for name in ("--home", "--cwd")}
    serve(home=values["--home"], cwd=values["--cwd"], read_only="--read-only" in given)
