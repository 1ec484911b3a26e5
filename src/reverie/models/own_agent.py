"""The user's own coding agent as a model: ``claude -p``, ``codex exec``, ``qwen``. No further key is needed.

An agent that Reverie runs must not come back to Reverie. Its hooks, its memory and its tools are off by its own switches; it
works in an empty folder that is gone afterwards; it keeps no transcript; and should one be left all the same, everything it
was told stands in a fence whose contents nobody learns (``core.blocks``). ``REVERIE_INSIDE`` tells our own hooks and ``learn``.
"""

from __future__ import annotations

import json
import re
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from reverie.core import answers, blocks, redact, switch
from reverie.core.budget import clip
from reverie.core.model import Answer, Ask, Failure, Json, Meter, ModelFailed, Used
from reverie.models import in_words, processes

MOST_BYTES = 8 * 1024 * 1024            # of what it prints
ROLE = "You answer one question, in the form that it asks for."
SHOWN = 300                             # characters of its words in a message
# What would tell an agent that it runs within another one, or where that one's session is.
_OURS = re.compile(r"CLAUDECODE\Z|CLAUDE_CODE_(?:SESSION_ID|ENTRYPOINT|SSE_PORT)\Z|CLAUDE_(?:PROJECT_DIR|ENV_FILE|EFFORT)\Z")
_FENCES = re.compile(f"{blocks.FENCE_OPEN}|{blocks.FENCE_CLOSE}")
_LIMITED = re.compile(r"rate.?limit|usage limit|quota|too many requests|\b429\b", re.IGNORECASE)
_REFUSED = re.compile(r"log ?in|logged out|api.?key|unauthori[sz]ed|authenticat|\b401\b|\b403\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What an agent printed, read. ``failed``: it says that it failed, and with which words."""

    text: str = ""
    used: Used = field(default_factory=lambda: Used(known=False))
    model: str = ""
    failed: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """One agent: how it is run without hooks, memory and tools, and how what it prints is read. ``unseen``: at most so many
    tokens are added by the agent itself."""

    name: str
    program: str
    arguments: Callable[[str], Sequence[str]]
    read: Callable[[str], Said]
    environment: Mapping[str, str]
    unseen: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnAgent:
    """An agent as a model. ``model``: which one it shall use, "" for the one it is set to."""

    agent: Agent
    model: str = ""
    window: int = 0
    environment: Mapping[str, str] = field(repr=False)

    @property
    def name(self) -> str:
        return f"agent:{self.agent.name}" + (f":{self.model}" if self.model else "")

    def ask(self, ask: Ask, meter: Meter) -> Answer:
        program = processes.found(self.agent.program, self.environment)
        if not program:
            raise ModelFailed(Failure.REFUSED, f"{self.name}: there is no program {self.agent.program!r} on PATH")
        deadline = time.monotonic() + ask.seconds
        if not ask.tools:
            said, used = self._round(program, _prompt(ask, ask.schema, ""), ask, meter, deadline)
            data = in_words.parsed(said.text, ask.schema) if ask.schema is not None else None
            return Answer(text=said.text, data=data, used=used, model=self._model(said))
        return self._loop(program, ask, meter, deadline)

    def _loop(self, program: str, ask: Ask, meter: Meter, deadline: float) -> Answer:
        """A loop with tools, each round a run of the program that is told all that was said before."""
        schema = answers.closed(in_words.turn_schema(ask.tools, ask.schema))
        used, history = Used(), ""
        for _ in range(max(1, ask.rounds)):
            said, more = self._round(program, _prompt(ask, schema, history), ask, meter, deadline)
            used += more
            turn = in_words.turn(said.text, schema)
            if not turn.get("calls"):
                return _answered(turn["answer"], used, self._model(said))
            history += "\n" + in_words.called(ask.tools, turn)
        raise ModelFailed(Failure.BAD_ANSWER, f"{self.name} still called tools after {ask.rounds} rounds", used=used)

    def _model(self, said: Said) -> str:
        return said.model or self.name

    def _round(self, program: str, prompt: str, ask: Ask, meter: Meter, deadline: float) -> tuple[Said, Used]:
        most_input = len(prompt.encode("utf-8", "replace")) + self.agent.unseen
        meter.before(most_input=most_input, most_output=ask.output_tokens)
        try:
            done = self._run(program, prompt, deadline - time.monotonic())
        except ModelFailed:             # it never ran
            meter.after(Used(calls=1))
            raise
        said = self.agent.read(done.out)
        used = said.used
        if not used.known or not used.input or (said.text and not used.output):
            # it may have been asked before it failed; what it did not say is taken at its most
            used = replace(used, input=used.input or most_input, output=used.output or ask.output_tokens, calls=1, known=False)
        meter.after(used)
        if done.code is None:
            if done.too_much:
                raise ModelFailed(Failure.BAD_ANSWER, f"{self.name} printed more than {MOST_BYTES:,} bytes", used=used)
            raise ModelFailed(Failure.TIMEOUT, f"{self.name} did not answer within {ask.seconds:g} seconds", used=used)
        if done.code != 0 or said.failed:
            raise self._failure(done, said, used)
        if not said.text:
            raise ModelFailed(Failure.BAD_ANSWER, f"{self.name} said nothing that can be read", used=used)
        return said, used

    def _run(self, program: str, prompt: str, seconds: float) -> processes.Done:
        environment = {name: value for name, value in self.environment.items() if not _OURS.match(name)}
        environment |= {**self.agent.environment, switch.INSIDE: "1"}
        with tempfile.TemporaryDirectory(prefix="reverie-agent-", ignore_cleanup_errors=True) as folder:
            try:
                return processes.run(
                    [program, *self.agent.arguments(self.model)], given=prompt, folder=folder, environment=environment,
                    seconds=max(0.0, seconds), most_bytes=MOST_BYTES,
                )
            except (OSError, ValueError) as error:
                raise ModelFailed(Failure.UNAVAILABLE, f"{self.name}: {program} cannot be run: {error}", used=Used()) from None

    def _failure(self, done: processes.Done, said: Said, used: Used) -> ModelFailed:
        words = said.failed or done.error or done.out
        shown = clip(redact.redact(" ".join(words.split())).text, SHOWN).text
        why = Failure.LIMITED if _LIMITED.search(words) else Failure.REFUSED if _REFUSED.search(words) else Failure.UNAVAILABLE
        return ModelFailed(why, f"{self.name} failed (exit code {done.code}): {shown or 'it says nothing'}", used=used)


def _prompt(ask: Ask, schema: Json | None, history: str) -> str:
    """Everything in one text, in the fence whose contents are never learned. What would close the fence is taken out."""
    parts = [
        ask.system, in_words.tools_text(ask.tools) if ask.tools else "", in_words.form(answers.closed(schema)) if schema else "",
        ask.prompt, f"What your calls said so far, in order:\n{history}" if history else "",
    ]
    inside = _FENCES.sub(f"[{blocks.TAG}]", "\n\n".join(part for part in parts if part))
    return f"{blocks.MODEL_CALL}\n{inside}\n</{blocks.TAG}>\n\n{blocks.MODEL_CALL_END}\n"


def _answered(answer: Any, used: Used, model: str) -> Answer:
    if isinstance(answer, str):
        return Answer(text=answer, used=used, model=model)
    return Answer(text=json.dumps(answer, ensure_ascii=False), data=answer, used=used, model=model)


# ── the three agents ─────────────────────────────────────────────────────────────────────────────────────────────


def _claude_arguments(model: str) -> list[str]:
    settings = {"disableAllHooks": True, "autoMemoryEnabled": False, "autoDreamEnabled": False}
    return [
        "-p", "--output-format", "json", "--safe-mode", "--no-session-persistence", "--strict-mcp-config",
        "--disable-slash-commands", "--settings", json.dumps(settings), "--system-prompt", ROLE,
        *(["--model", model] if model else []), "--tools", "",
    ]


def _claude_said(out: str) -> Said:
    """One JSON object: ``result``, ``is_error``, ``usage`` with the cache beside the input."""
    said = _last_object(out)
    usage = _table(said, "usage")
    cached, written = _count(usage, "cache_read_input_tokens"), _count(usage, "cache_creation_input_tokens")
    used = Used(input=_count(usage, "input_tokens") + cached + written, output=_count(usage, "output_tokens"), cached=cached,
                written=written, calls=1, known=bool(usage))
    text = said.get("result")
    text = text if isinstance(text, str) else ""
    models = said.get("modelUsage")
    model = f"anthropic:{next(iter(models))}" if isinstance(models, dict) and models else ""
    return Said(text=text, used=used, model=model, failed=(text or "it failed") if said.get("is_error") else "")


def _codex_arguments(model: str) -> list[str]:
    off = ("memories", "hooks", "apps", "plugins", "goals", "chronicle", "shell_tool", "unified_exec", "multi_agent")
    return [
        "exec", "--json", "--ephemeral", "--skip-git-repo-check", "--sandbox", "read-only", "--color", "never",
        *(part for name in off for part in ("--disable", name)), "-c", 'approval_policy="never"', "-c", 'web_search="disabled"',
        "-c", "project_doc_max_bytes=0", *(["--model", model] if model else []), "-",
    ]


def _codex_said(out: str) -> Said:
    """Lines of JSON: ``item.completed`` with the words, ``turn.completed`` with what was used, ``error`` and ``turn.failed``."""
    text, failed = "", ""
    usage: dict[str, Any] = {}
    for event in _objects(out):
        item = event.get("item")
        if isinstance(item, dict) and item.get("type") == "agent_message" and isinstance(item.get("text"), str):
            text = item["text"]
        if event.get("type") == "turn.completed" and isinstance(event.get("usage"), dict):
            usage = event["usage"]
        if event.get("type") == "turn.failed":
            error = event.get("error")
            failed = str(error.get("message") if isinstance(error, dict) else error)
    used = Used(input=_count(usage, "input_tokens"), output=_count(usage, "output_tokens"),
                cached=_count(usage, "cached_input_tokens"), calls=1, known=bool(usage))
    return Said(text=text, used=used, failed=failed)


# Every tool that was seen offered; others may come with other versions, and the first call of any ends the run.
_QWEN_TOOLS = (
    "agent", "get_goal", "update_goal", "glob", "grep_search", "list_agents", "list_directory", "read_file", "read_many_files",
    "skill", "tool_call", "tool_search", "run_shell_command", "write_file", "edit", "web_fetch", "web_search", "todo_write",
    "exit_plan_mode", "cron_create", "cron_delete", "cron_list", "enter_worktree", "exit_worktree", "loop_wakeup",
    "read_mcp_resource", "record_artifact", "report_findings", "send_message", "task_stop",
)


def _qwen_arguments(model: str) -> list[str]:
    return [
        "--safe-mode", "--output-format", "json", "--chat-recording", "false", "--approval-mode", "plan", "--max-tool-calls", "0",
        "--max-session-turns", "1", "--system-prompt", ROLE, *(["--model", model] if model else []),
        "--exclude-tools", ",".join(_QWEN_TOOLS),
    ]


def _qwen_said(out: str) -> Said:
    """A list of events; the last ``result`` has the words and what was used."""
    try:
        events = json.loads(out[out.index("["):]) if "[" in out else []
    except (ValueError, RecursionError):
        events = []
    result = next((event for event in reversed(events) if isinstance(event, dict) and event.get("type") == "result"), {})
    usage = _table(result, "usage")
    used = Used(input=_count(usage, "input_tokens"), output=_count(usage, "output_tokens"),
                cached=_count(usage, "cache_read_input_tokens"), calls=1, known=bool(usage))
    text = result.get("result")
    text = text if isinstance(text, str) else ""
    error = result.get("error")
    words = error.get("message") if isinstance(error, dict) else error
    return Said(text=text, used=used, failed=str(words or text or "it failed") if result.get("is_error") else "")


AGENTS: Mapping[str, Agent] = {agent.name: agent for agent in (
    Agent(name="claude-code", program="claude", arguments=_claude_arguments, read=_claude_said, unseen=10_000, environment={
        "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1", "CLAUDE_CODE_DISABLE_CLAUDE_MDS": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }),
    Agent(name="codex", program="codex", arguments=_codex_arguments, read=_codex_said, unseen=80_000, environment={}),
    Agent(name="qwen-code", program="qwen", arguments=_qwen_arguments, read=_qwen_said, unseen=60_000, environment={
        "QWEN_CODE_SAFE_MODE": "1", "QWEN_CODE_MEMORY_TEAM": "0",
    }),
)}


def _objects(out: str) -> list[dict[str, Any]]:
    found = []
    for line in out.splitlines():
        if line.lstrip().startswith("{"):
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(value, dict):
                found.append(value)
    return found


def _last_object(out: str) -> dict[str, Any]:
    found = _objects(out)
    return found[-1] if found else {}


def _table(value: Mapping[str, Any], name: str) -> dict[str, Any]:
    found = value.get(name)
    return found if isinstance(found, dict) else {}


def _count(usage: Mapping[str, Any], name: str) -> int:
    value = usage.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
