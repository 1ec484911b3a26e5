"""What each event of a client does with a memory, and the text that comes of it (``hosts.hooks`` says who takes it, and how)."""

from __future__ import annotations

from reverie.core import budget
from reverie.hosts import hooks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from reverie.hosts.hooks import Event
    from reverie.memory import Memory

# Clients in which what was said at the start stands in the system prompt, made anew by each process: said again on resumption,
# byte for byte. In the others it is history, and stays where it was (spec/qwen-code §19.3, spec/opencode §6).
_IN_SYSTEM_PROMPT = ("qwen-code", "opencode")
# Clients in which nothing but a prompt's answer reaches the model (spec/kimi-code §5.1).
WITH_PROMPT = ("kimi-code",)


def handle(memory: Memory, event: Event, *, background: bool = True) -> str:
    """Do what the event asks for; what the model is to be told, within what the client takes."""
    kind = event.kind
    if kind == hooks.PROMPT:
        return fitted(event, memory.prompt_block(event.prompt, session=event.session, first=event.host in WITH_PROMPT))
    if kind == hooks.START:
        return fitted(event, _start(memory, event))
    if kind == hooks.READ:
        return _reminded(memory, event)
    if kind == hooks.WROTE:
        return fitted(event, _wrote(memory, event, background=background))
    if kind == hooks.AGENT_START:
        return _agent(memory, event)
    if kind == hooks.BEFORE_COMPACTION:
        return fitted(event, memory.before_compaction(event.transcript or event.session, host=event.host))
    if kind == hooks.AFTER_COMPACTION:
        memory.compacted(event.session)
        return ""
    _turn_ended(memory, event, background=background)
    return ""


def _start(memory: Memory, event: Event) -> str:
    if event.source == "compact":
        return memory.after_compaction(session=event.session, host=event.host)
    if event.source == "clear":
        memory.compacted(event.session)
    if event.source == "resume" and event.host not in _IN_SYSTEM_PROMPT and memory.has_block(event.session):
        return memory.resumed(event.session)
    return memory.session_block(event.session)


def _reminded(memory: Memory, event: Event) -> str:
    return memory.reminder(event.path) if event.host == "claude-code" else memory.reminder(event.path, ())


def _agent(memory: Memory, event: Event) -> str:
    from reverie.entrypoints import subagent_hook

    found = subagent_hook.answer(memory, event.payload)
    return str(found["hookSpecificOutput"]["additionalContext"]) if found else ""


def _wrote(memory: Memory, event: Event, *, background: bool) -> str:
    """An agent's own file tool wrote something: a memory of ours is adopted, one of its product's is left to the worker."""
    said, native = memory.written(event.path, host=event.host, session=event.session)
    if native:
        _announced(memory, event, transcript=native, background=background)
    return said


def _turn_ended(memory: Memory, event: Event, *, background: bool) -> None:
    if event.session or event.transcript:
        _announced(memory, event, transcript=event.transcript, background=background)


def _announced(memory: Memory, event: Event, *, transcript: str, background: bool) -> None:
    if not memory.announce(host=event.host, session=event.session, transcript=transcript):
        return                          # somebody is at work already
    if background and not memory.background_off:
        from reverie.entrypoints import worker

        worker.start(memory.space.home.root, memory.environment)


def fitted(event: Event, text: str) -> str:
    """The text within what the client takes as it is: whole lines, and our fence closed."""
    limit = hooks.limit(event)
    if len(text) <= limit.characters and (not limit.bytes or len(text.encode("utf-8", "replace")) <= limit.bytes):
        return text
    from reverie.core import blocks

    fence = f"\n</{blocks.TAG}>" if text.rstrip().endswith(f"</{blocks.TAG}>") else ""
    end = f"\n(cut at the limit of a hook: `reverie index` and `reverie recall` show all){fence}"
    room = budget.Budget(characters=limit.characters - len(end), bytes=limit.bytes - len(end) if limit.bytes else None)
    return budget.first_lines(text, room).text + end
