"""Qwen Code: ``<runtime>/projects/<key>/chats/<session>.jsonl``.

Recorded with 0.24.4 (spec/qwen-code §18). A line is one record of a tree (``reverie.hosts.branches``) around a message in
Gemini's form. The system prompt, start-up reminders and recalled memories are never written here; what a hook added is, as a
part of its own, and ``systemPayload.displayText`` is then what the person typed. A rewind re-roots the tree: its record hangs
on what came before the prompt that was taken back, or on nothing when that was the first.
"""

# Paths are texts in a transcript, and a home folder holds thousands of them: os.path, not pathlib.
# ruff: noqa: PTH118, PTH119, PTH120
from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from reverie.core.session import Cursor, Message, Reading, Transcript, Unreadable, Voice
from reverie.hosts import decoding, disk, heads, jsonl, trees, words
from reverie.hosts.disk import CannotRead
from reverie.hosts.jsonl import Where

NAME = "qwen-code"

_TYPES = ("user", "assistant", "tool_result", "system")
# Subtypes of user records; everything else with a subtype was not typed by a person.
_TYPED = (None, "", "mid_turn_user_message")
_UNSAID: Mapping[str, str] = {
    "cron": "background_task",
    "notification": "background_task",
    "background_task_completed": "background_task",
    "goal_runtime": "injected_context",
    "agent_launch_prompt": "agent_prompt",
}

# The client's own commands; they stand among the user's texts. A text that only begins with a path is none.
_COMMANDS = frozenset((
    "about", "agents", "approval-mode", "arena", "auth", "branch", "btw", "bug", "chat", "clear", "compress", "compress-fast",
    "context", "copy", "cost", "corgi", "cron", "delete", "diff", "directory", "docs", "doctor", "dream", "editor", "effort",
    "exit", "export", "extensions", "fork", "forget", "goal", "help", "history", "hooks", "ide", "import-config", "init",
    "insight", "language", "learn", "lsp", "mcp", "memory", "model", "new", "permissions", "plan", "quit", "recap", "remember",
    "rename", "restore", "resume", "review", "rewind", "settings", "setup-github", "skills", "stats", "status", "statusline",
    "stuck", "summary", "terminal-setup", "theme", "tools", "trust", "vim", "workflows",
))
_COMMAND = re.compile(r"[/?]([a-z][a-z-]{0,30})(?:\s|\Z)")

_FIRST_ID, _BETWEEN_IDS = b'{"uuid":"', b'","parentUuid":"'
_FILES_BEGIN, _FILES_END = "--- Content from referenced files ---", "--- End of content ---"


class _Response(msgspec.Struct, gc=False):
    id: str | None = None
    name: str | None = None
    response: Any = None


class _Call(msgspec.Struct, gc=False):
    id: str | None = None
    name: str | None = None
    args: msgspec.Raw = decoding.NOTHING


class _Part(msgspec.Struct, gc=False, rename="camel"):
    text: str | None = None
    thought: bool | None = None
    function_call: _Call | None = None
    function_response: _Response | None = None


class _Content(msgspec.Struct, gc=False):
    parts: list[_Part] | None = None


class _Payload(msgspec.Struct, gc=False, rename="camel"):
    display_text: str | None = None
    hook_context: str | None = None


class _Result(msgspec.Struct, gc=False, rename="camel"):
    status: str | None = None


class _Fork(msgspec.Struct, gc=False, rename="camel"):
    session_id: str | None = None


class _Record(msgspec.Struct, gc=False, rename="camel"):
    type: str = ""
    subtype: str | None = None
    uuid: str | None = None
    timestamp: str | None = None
    cwd: str | None = None
    git_branch: str | None = None
    provenance: str | None = None
    is_sidechain: bool | None = None
    external_input_kind: str | None = None
    message: _Content | None = None
    system_payload: _Payload | None = None
    tool_call_result: _Result | None = None
    forked_from: _Fork | None = None


class Decoder(trees.Decoder):
    """Records to messages."""

    record = _Record

    def __init__(self, transcript: Transcript, skipped: dict[str, int]) -> None:
        super().__init__(transcript, skipped)
        self._folder = os.path.dirname(transcript.path)
        self._parents: dict[str, bool] = {}

    def take(self, record: _Record, where: Where) -> Sequence[Message]:
        kind = record.type
        if kind == "system" or kind not in _TYPES:
            return self.no("bookkeeping" if kind == "system" else "unknown_record")
        if record.is_sidechain and not self.of_agent:
            return self.no("sub_agent")
        if record.forked_from and self._is_there(record.forked_from.session_id):
            return self.no("copied")
        if not self.is_new(record.uuid):
            return self.no("duplicate")
        if not self.cwd or record.git_branch != self.branch:
            self.see(record.cwd, record.git_branch)
        parts = (record.message.parts if record.message else None) or []
        if kind == "tool_result":
            return self._results(record, parts, where)
        if kind == "assistant":
            return self._answer(record, parts, where)
        return self._user(record, parts, where)

    def _is_there(self, session: str | None) -> bool:
        """Whether the session from which a branch copied a record is still there, and read for itself."""
        if not session or session == self.session:
            return False
        if session not in self._parents:
            there = heads.is_name(session) and disk.is_plain(os.path.join(self._folder, f"{session}.jsonl"))
            self._parents[session] = there
        return self._parents[session]

    def _answer(self, record: _Record, parts: list[_Part], where: Where) -> Sequence[Message]:
        texts = []
        for part in parts:
            if part.thought:
                self.skip("thinking")
            elif part.text:
                texts.append(part.text)
            elif (call := part.function_call) is not None:
                self.called(call.id, call.name, call.args)
        return self.say(record, Voice.ASSISTANT, words.clean("".join(texts)).strip(), where)

    def _results(self, record: _Record, parts: list[_Part], where: Where) -> Sequence[Message]:
        messages: list[Message] = []
        status = record.tool_call_result.status if record.tool_call_result else None
        for part in parts:
            result = part.function_response
            if result is None:
                continue
            answer = result.response if isinstance(result.response, dict) else {"output": result.response}
            error, output = answer.get("error"), answer.get("output")
            text = next((text for text in (output, error) if isinstance(text, str) and text), "")
            tool, given = self.answered(result.id)
            messages += self.say(
                record, Voice.TOOL, words.output(words.peel(text, self.skip)), where, nth=len(messages),
                tool=result.name or tool, failed=error is not None or status in ("error", "cancelled"), given=given,
            )
        return messages

    def _user(self, record: _Record, parts: list[_Part], where: Where) -> Sequence[Message]:
        if record.subtype not in _TYPED:
            return self.no(_UNSAID.get(record.subtype or "", "injected_context"))
        if record.provenance not in (None, "real_user"):
            return self.no("injected_context")
        if self.of_agent or record.external_input_kind:
            return self.no("agent_prompt")
        shown = record.system_payload
        if shown is not None and shown.display_text:
            if shown.hook_context is not None:
                self.skip("hook_context")
            text = words.peel(shown.display_text, self.skip)
        else:
            text = "".join(self._typed([part.text or "" for part in parts if not part.thought])).strip()
        command = _COMMAND.match(text)
        if command is not None and command[1] in _COMMANDS:
            return self.no("slash_command")
        return self.say(record, Voice.PERSON, words.clean(text), where)

    def _typed(self, texts: list[str]) -> Iterator[str]:
        """The typed ones of a prompt's parts: hook context and the files that ``@`` drew in have parts of their own."""
        in_files = False
        for text in texts:
            mark = text.strip()
            if mark in (_FILES_BEGIN, _FILES_END):
                in_files = mark == _FILES_BEGIN
                if in_files:
                    self.skip("injected_context")
            elif not in_files:
                before, files, _ = text.partition(f"\n{_FILES_BEGIN}\n")
                if files:
                    self.skip("injected_context")
                yield words.peel(before, self.skip) if before.lstrip().startswith("<") else before


class _Link(msgspec.Struct, gc=False, rename="camel"):
    """The part of a record that says where it belongs."""

    type: str = ""
    subtype: str | None = None
    uuid: str | None = None
    parent_uuid: str | msgspec.UnsetType | None = msgspec.UNSET
    is_sidechain: bool | None = None

    @property
    def counts(self) -> bool:
        return not self.is_sidechain

    @property
    def prompt(self) -> bool:
        return self.type == "user" and self.subtype in _TYPED

    @property
    def root(self) -> bool:
        return self.type == "system" and self.subtype == "rewind"

    @property
    def leaf(self) -> bool:
        return self.type != "system" or self.root


class Straight:
    """The quickest survey: whether each record hangs on the one before it, as they do until someone rewinds. It looks only at
    where the client writes the two ids; a file in any other form is for the next survey."""

    whole = False

    def __init__(self, _cut: int) -> None:
        self._last = b""
        self.lost = False

    def look(self, block: bytes, where: Where) -> None:
        """A block."""
        last = self._last
        for start in where.starts:
            goes_on = block[start + 61:start + 97] == last and block[start + 45:start + 61] == _BETWEEN_IDS
            if not goes_on and (last or not _begins(block, start)):
                self.lost = True
                return
            last = block[start + 9:start + 45]
        self._last = last

    def result(self) -> jsonl.Withdrawn:
        """Nothing was taken back."""
        return jsonl.Withdrawn()


def _begins(block: bytes, start: int) -> bool:
    """Whether the first record has its ids where they are looked for; its parent may be missing, or read earlier."""
    return block.startswith(_FIRST_ID, start) and block.startswith(_BETWEEN_IDS[:-1], start + 45)


class _Format:
    """Qwen Code's files, for the engine."""

    def decoder(self, transcript: Transcript, skipped: dict[str, int]) -> Decoder:
        return Decoder(transcript, skipped)

    def surveys(self, transcript: Transcript) -> Sequence[Callable[[int], jsonl.Survey]]:
        if transcript.of_agent:
            return ()
        return Straight, functools.partial(trees.Chain, _Link), functools.partial(trees.Tree, _Link)

    def withdrawals(self, transcript: Transcript) -> None:
        return None


class QwenCode:
    """Qwen Code as a reader of its transcripts."""

    name = NAME

    def find(self, home: str, environment: Mapping[str, str]) -> Iterator[Transcript | Unreadable]:
        """Every session below ``home``; ``QWEN_RUNTIME_DIR``, a setting or ``QWEN_HOME`` move them (spec/qwen-code §2.2). What
        was written before they were moved is still where it was, and is found too."""
        config = disk.place(environment.get("QWEN_HOME"), home, ".qwen")
        bases = [config]
        if environment.get("QWEN_RUNTIME_DIR", "").strip():
            bases.insert(0, disk.place(environment["QWEN_RUNTIME_DIR"], home))
        else:
            settings = disk.small_json(os.path.join(config, "settings.json"))
            advanced = settings.get("advanced") if isinstance(settings, dict) else None
            moved = advanced.get("runtimeOutputDir") if isinstance(advanced, dict) else None
            if isinstance(moved, str) and moved.strip():
                bases.insert(0, disk.place(moved, home))
        for base in dict.fromkeys(map(os.path.normpath, bases)):
            for project in disk.folders(NAME, os.path.join(base, "projects")):
                if isinstance(project, Unreadable):
                    yield project
                else:
                    yield from self._project(project)

    def _project(self, project: str) -> Iterator[Transcript | Unreadable]:
        for entry in disk.listing(NAME, os.path.join(project, "chats")):
            if isinstance(entry, Unreadable):
                yield entry
            elif entry.name.endswith(".jsonl"):
                yield _transcript(entry.path)

    def at(self, path: str) -> Sequence[Transcript | Unreadable] | None:
        """The session in this file, told by the shape of its records."""
        try:
            lines = heads.objects(disk.head(path))
        except CannotRead as problem:
            return [disk.unreadable(NAME, path, problem)]
        return [_transcript(path)] if any(map(_is_ours, lines)) else None

    def read(self, transcript: Transcript, since: Cursor | None = None) -> Reading:
        """Read a transcript."""
        return jsonl.read(_Format(), transcript, since)


def _is_ours(record: dict[str, Any]) -> bool:
    if heads.kind(record) not in _TYPES or "sessionId" not in record or "uuid" not in record:
        return False
    message = record.get("message")
    return "provenance" in record or "systemPayload" in record or (isinstance(message, dict) and "parts" in message)


def _transcript(path: str) -> Transcript | Unreadable:
    try:
        found, first = disk.look(path), disk.head(path)
    except CannotRead as problem:
        return disk.unreadable(NAME, path, problem)
    parent = heads.text(first, "parentSessionId")
    return Transcript(
        host=NAME, session=os.path.basename(path).removesuffix(".jsonl"), path=path, cwd=heads.text(first, "cwd"),
        branch=heads.text(first, "gitBranch"), started_at=disk.at_text(heads.text(first, "timestamp")),
        updated_at=disk.at_seconds(found.st_mtime), size_bytes=found.st_size, of_agent=_of_agent(first),
        about={"parent": parent} if parent else {},
    )


def _of_agent(first: bytes) -> bool:
    """Whether another agent speaks where a person would: a sub-session, or a transcript of side-chain records only."""
    records = [record for record in heads.objects(first) if heads.kind(record) in _TYPES]
    sub_session = any(record.get("subtype") == "parent_session" for record in records)
    spoken = [record for record in records if record["type"] != "system"]
    return sub_session or (bool(spoken) and all(record.get("isSidechain") is True for record in spoken))
