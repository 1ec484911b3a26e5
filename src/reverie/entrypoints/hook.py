"""The hook: one process for one event of a client. The payload on standard input, what the client takes on standard output.

The contract (DESIGN §4.2), whatever comes in and whatever is broken:

- it ends within its deadline, which lies inside the client's own, with exit code 0;
- it prints just what this client takes at this event, or nothing;
- what went wrong is in ``hooks.log`` in the home, and ``reverie status`` shows it.

On the path that a user waits for: each event imports only what it needs, and nothing here imports more than the language.
"""

# pathlib costs a hook 16 ms:
# ruff: noqa: PTH100, PTH111, PTH118

from __future__ import annotations

import _thread
import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reverie.hosts.hooks import Event

MOST_BYTES = 32 * 1024 * 1024           # of a payload: an edit carries the whole file before it
READING_SECONDS = 2.0                   # for the payload to come
# For the rest, by event: what a person waits for, and what no one does. The clients are told a few times as much
# (``hosts.installing``), except at the end of a session, where they allow one or two seconds (spec/codex §19).
SECONDS = {
    "start": 5.0, "prompt": 2.0, "read": 1.5, "wrote": 4.0, "turn_end": 3.0, "session_end": 1.0,
    "before_compaction": 8.0, "after_compaction": 2.0, "agent_start": 3.0,
}
_SAYING_SECONDS = 0.3                   # for the failure to be written down, when even that may hang


class Watch:
    """Ends this process at its deadline, whatever it is doing."""

    def __init__(self, seconds: float) -> None:
        self.what = ("", "")            # host, event
        self.root = ""
        self._started = time.monotonic()
        self._until = self._started + seconds
        self._over = _thread.allocate_lock()
        self._over.acquire()
        _thread.start_new_thread(self._watch, ())

    def allow(self, seconds: float) -> None:
        """So much more time, from now on."""
        self._until = time.monotonic() + seconds

    def _watch(self) -> None:
        while (left := self._until - time.monotonic()) > 0:
            if self._over.acquire(timeout=left):
                return
        took = time.monotonic() - self._started
        _thread.start_new_thread(self._say, (f"not done after {took:.1f} s: the client went on without it",))
        time.sleep(_SAYING_SECONDS)
        os._exit(0)

    def _say(self, said: str) -> None:
        record(self.root, *self.what, said)

    def end(self) -> None:
        """Nothing is left to watch."""
        self._over.release()


def main(arguments: Sequence[str] | None = None) -> None:
    """Answer one event and end the process, always with 0: another number is an error to the client, and 2 stops its user."""
    text, watch = "", None
    try:
        host, home, given, background = _options(sys.argv[1:] if arguments is None else arguments)
        if os.environ.get("REVERIE_INSIDE", "").strip().casefold() in ("", "0", "false", "no", "off"):   # as core.switch reads it
            watch = Watch(READING_SECONDS)
            watch.root = home or _root(os.environ)
            watch.what = (host, "")
            data = given.encode("utf-8", "replace") or _payload()
            text = answer(host, data, home=watch.root, environment=os.environ, background=background, watch=watch)
    except BaseException as error:      # the outermost door: nothing may get out but into the log
        if watch is not None:
            watch.allow(_SAYING_SECONDS * 3)
            record(watch.root, *watch.what, f"{type(error).__name__}: {error}")
    if watch is not None:
        watch.end()
    _print(text)
    os._exit(0)                         # nothing that is still open is worth waiting for


def answer(
    host: str, data: bytes, *, home: str, environment: Mapping[str, str], background: bool = True, watch: Watch | None = None
) -> str:
    """What is printed for this payload. Raises nothing that comes of the payload; what a memory raises is for ``main``."""
    from reverie.hosts import hooks

    if host not in hooks.CLIENTS:
        record(home, host, "", f"there is no host {host!r}: the hook is registered wrongly; `reverie install` mends it")
        return ""
    payload = _decoded(data)
    if payload is None:
        record(home, host, "", f"a payload of {len(data):,} bytes that is no JSON")
        return ""
    event = hooks.event(host, payload)
    if event is None:
        return ""
    if watch is not None:
        watch.what = (host, event.name)
        watch.allow(SECONDS[event.kind])
    return hooks.answer(event, _handled(event, home=home, environment=environment, background=background))


def _handled(event: Event, *, home: str, environment: Mapping[str, str], background: bool) -> str:
    from reverie.hosts import hooks

    if hooks.in_memory_folder(event, environment, _user_home(environment), home):
        return ""
    if event.path and not hooks.may_be_memory(event.path, home):    # every file that an agent reads comes by here
        return ""
    from reverie import errors
    from reverie.entrypoints import hook_events

    if event.kind == hooks.PROMPT:
        text = _by_shortcut(event, home, environment)
        if text is not None:
            return hook_events.fitted(event, text)
    from reverie.memory import open_memory

    notes: Sequence[str] = ()
    text = ""
    try:
        memory = open_memory(home, cwd=event.cwd or None, environment=environment, background=True,
                             wait_seconds=SECONDS[event.kind] / 4)
        try:
            text = hook_events.handle(memory, event, background=background)
        finally:
            notes = memory.space.home.notes
    except (errors.ReverieError, OSError) as error:
        record(home, event.host, event.name, str(error))
        notes = [note for note in notes if note != str(error)]
    for note in notes:
        record(home, event.host, event.name, note)
    return text


def _by_shortcut(event: Event, home: str, environment: Mapping[str, str]) -> str | None:
    """What goes with a prompt where nothing has changed since the last one; None where that is not known."""
    from datetime import UTC, datetime

    from reverie import errors
    from reverie.entrypoints import hook_events
    from reverie.flows import shortcut
    from reverie.storage.home import Home

    wait = SECONDS[event.kind] / 4
    try:
        with Home(home, lambda: datetime.now(UTC), lock_seconds=wait, busy_seconds=wait) as kept:
            text = shortcut.recalled(
                kept, cwd=os.path.abspath(event.cwd), prompt=event.prompt, session=event.session, environment=environment,
                user_home=_user_home(environment), with_block=event.host in hook_events.WITH_PROMPT)
            for note in kept.notes:
                record(home, event.host, event.name, note)
            return text
    except (errors.ReverieError, OSError):
        return None


def record(root: str, host: str, event: str, said: str) -> None:
    """Keep what went wrong where ``reverie status`` finds it."""
    from datetime import UTC, datetime

    from reverie.storage import hook_log

    if root:
        hook_log.write(root, at=datetime.now(UTC), host=host, event=event, said=said)


def _options(arguments: Sequence[str]) -> tuple[str, str, str, bool]:
    """``HOST [--home DIR] [--payload JSON] [--no-background]``; what else stands there is passed over."""
    left = list(arguments)
    values = {"--home": "", "--payload": ""}
    for name in values:
        if name in left[:-1]:
            at = left.index(name)
            values[name] = left[at + 1]
            del left[at : at + 2]
    names = [each for each in left if not each.startswith("-")]
    home = os.path.abspath(values["--home"]) if values["--home"] else ""
    return names[0] if names else "", home, values["--payload"], "--no-background" not in left


def _root(environment: Mapping[str, str]) -> str:
    chosen = environment.get("REVERIE_HOME", "")
    return os.path.abspath(os.path.expanduser(chosen) if chosen else os.path.join(_user_home(environment), ".reverie"))


def _user_home(environment: Mapping[str, str]) -> str:
    """As ``settings.user_home_of`` says it, without the settings."""
    return environment.get("HOME") or environment.get("USERPROFILE") or os.path.expanduser("~")


def _payload() -> bytes:
    """Standard input, whole; what is too much is read all the same, so that the client is not left with a broken pipe."""
    parts: list[bytes] = []
    size = 0
    while data := os.read(0, 1 << 20):
        size += len(data)
        if size <= MOST_BYTES:
            parts.append(data)
    return b"".join(parts) if size <= MOST_BYTES else b""


def _decoded(data: bytes) -> object:
    import json

    try:
        return json.loads(data.decode("utf-8", "replace").removeprefix("\ufeff"))
    except (ValueError, RecursionError, MemoryError):
        return None


def _print(text: str) -> None:
    data = text.encode("utf-8", "replace")
    try:
        while data:
            data = data[os.write(1, data) :]
    except OSError:                     # the client went away
        return


if __name__ == "__main__":
    main()
