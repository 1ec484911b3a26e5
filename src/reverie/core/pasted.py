"""What stands in a person's message and is not their own words: injected and recalled blocks, private parts, pasted material.

Readers of transcripts take away what a client puts around a message (``reverie.hosts``); this is the second net, for what
stands in the middle, was pasted from elsewhere, or came through a door without a reader. Each step takes one kind away and
counts it; what is left is what a person may be said to have said.

A block of one line of code stays, in backticks: "deploys run with" means nothing without it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from reverie.core import blocks
from reverie.core.secret_rules import words

# ---------------------------------------------------------------- elements
_TAG = re.compile(r"(?:<|&lt;)(/?)\s{0,4}([A-Za-z][\w:.-]{0,63})(?:[ \t\n][^<>]{0,400}?)?(/?)(?:>|&gt;)")
_MEMORY_NAME = re.compile(r"(?:[\w.]*[-_:.])?(?:recall(?:ed)?|mem)(?:[-_:.].*)?\Z|.*memor(?:y|ies).*\Z")
_INJECTED_NAME = re.compile(
    r"(?:system|session|developer|environment|subagent|turn|user[-_]?shell|local[-_]command|hook|task|teammate|ide|bash|qwen:|new|tool)"
    r"(?:[-_:](?:\w|-)*)?[-_:](?:reminder|context|notification|aborted|command|std(?:out|err)|output|result|results|prompt|message|"
    r"opened[-_]file|selection|diagnostics|info|input|start|hook)s?\Z"
    r"|(?:user-prompt-submit|session-start|stop|pre-?tool|post-?tool)[-_]?\w*[-_]hook\Z|[\w:-]*-(?:context|reminder)\Z"
)
_INJECTED = words(
    "hook_result hook_prompt environment_context user_instructions skill oai-mem-citation conversation_summary"
    " system-reminder system_reminder function_results function_calls tool_result tool_results search_results untrusted"
    " untrusted_content subagent_notification turn_aborted user_shell_command injected_context citation_entries"
    " new-diagnostics developer_message additional_context additionalcontext"
)
_PERSONS_OWN = frozenset(("user-memory-input",))       # what was typed after "#" in Claude Code
PRIVATE = "private"
_TO_THE_END = frozenset((PRIVATE, blocks.TAG))         # even in the middle of a line


def _kind_of(name: str) -> str | None:
    """Under which name an element is counted; None when it is markup that a person may well have typed."""
    name = name.lower()
    if name == PRIVATE:
        return PRIVATE
    if name in _PERSONS_OWN:
        return None
    if name == blocks.TAG or _MEMORY_NAME.match(name):
        return "memory_block"
    return "host_block" if name in _INJECTED or _INJECTED_NAME.match(name) else None


def without_elements(text: str, count: Callable[[str], None]) -> str:
    """The text without injected elements and ``<private>`` parts. One that is not closed goes on to the end."""
    if "<" not in text and "&lt;" not in text:
        return text
    tags = [
        (match, kind) for match in _TAG.finditer(text)
        if (kind := _kind_of(match[2])) and not match[3] and not _is_type(text, match)
    ]
    last_close = {match[2].lower(): index for index, (match, _) in enumerate(tags) if match[1]}
    parts: list[str] = []
    at = index = 0
    while index < len(tags):
        match, kind = tags[index]
        name = match[2].lower()
        if match[1]:                                     # a closing tag alone: only the mark goes
            parts.append(text[at:match.start()])
            at = match.end()
        elif last_close.get(name, -1) > index:
            index = _closing(tags, index, last_close[name])
            parts.append(text[at:match.start()])
            at = tags[index][0].end()
            count(kind)
        elif _mentioned(text, match) or not (name in _TO_THE_END or _begins_line(text, match.start())):
            pass                                         # somebody writes about the tag
        else:
            parts.append(text[at:match.start()])
            at = len(text)
            count(kind)
            break
        index += 1
    return "".join(parts) + text[at:]


def _closing(tags: list[tuple[re.Match[str], str]], index: int, last: int) -> int:
    """Which tag closes the element that the tag at ``index`` opens; the last one, if they do not balance."""
    name, depth = tags[index][0][2].lower(), 0
    for place in range(index, last + 1):
        match = tags[place][0]
        if match[2].lower() == name:
            depth += -1 if match[1] else 1
            if depth == 0:
                return place
    return last


def _is_type(text: str, match: re.Match[str]) -> bool:
    """Whether what looks like an opening tag is the argument of a generic type: ``Map<Memory>``."""
    return not match[1] and match[2].lower() not in _TO_THE_END and text[match.start() - 1:match.start()].isalnum()


def _mentioned(text: str, match: re.Match[str]) -> bool:
    return text[match.start() - 1:match.start()] == "`" and text[match.end():match.end() + 1] == "`"


def _begins_line(text: str, at: int) -> bool:
    before = text[max(0, at - 80):at]
    return not before.rpartition("\n")[2].strip() and ("\n" in before or at <= 80)


# ---------------------------------------------------------------- blocks without elements
_CODEX_OPEN = re.compile(r"=+ ?MEMORY_SUMMARY BEGINS ?=+")
_CODEX_CLOSE = re.compile(r"=+ ?MEMORY_SUMMARY ENDS ?=+")
_HEADING = re.compile(
    r"^#{1,2} (?:Relevant memory|auto memory|Memory|What's in Memory|Contents of \S{1,200}MEMORY\.md)\b[^\n]*$", re.M
)
_NEXT_HEADING = re.compile(r"^#{1,2} ", re.M)
_INDEX_LINE = re.compile(r"^[-*] \[[^\]\n]{1,200}\]\([\w./ -]{1,200}\.md\)[^\n]*$")
_MEMORY_BODY = re.compile(r"^### .{1,300}\.md\)|^[-*] \[|days? old|^Saved ", re.M)
_AGE_LINE = re.compile(r"^(?:> ?)?(?:NOTE: )?This memory is \d+ days? old\.|^Saved (?:today|yesterday|\d+ days ago)\.$")


def without_recalled(text: str, count: Callable[[str], None]) -> str:
    """The text without memory blocks of the products that have no element around them."""
    if "MEMORY_SUMMARY" in text:
        text = _cut(text, _summaries(text), count)
    text = _cut(text, _headed(text), count)
    lines = text.split("\n")
    marked = [_INDEX_LINE.match(line) is not None for line in lines]
    several = [m and (marked[i - 1:i] == [True] or marked[i + 1:i + 2] == [True]) for i, m in enumerate(marked)]
    kept = [line for line, gone in zip(lines, several, strict=True) if not gone and not _AGE_LINE.match(line)]
    if len(kept) < len(lines):
        count("memory_block")
    return "\n".join(kept)


def _cut(text: str, spans: Iterator[tuple[int, int]], count: Callable[[str], None]) -> str:
    parts, at = [], 0
    for start, end in spans:
        parts.append(text[at:start])
        at = end
        count("memory_block")
    return "".join(parts) + text[at:]


def _summaries(text: str) -> Iterator[tuple[int, int]]:
    """Codex's summary, from mark to mark (spec/codex §12); without an end mark, to the end."""
    at = 0
    while opening := _CODEX_OPEN.search(text, at):
        closing = _CODEX_CLOSE.search(text, opening.end())
        at = closing.end() if closing else len(text)
        yield opening.start(), at


def _headed(text: str) -> Iterator[tuple[int, int]]:
    """A product's memory part, from its heading to the next one, if it looks like one inside (spec/qwen-code §7.5)."""
    for heading in _HEADING.finditer(text):
        following = _NEXT_HEADING.search(text, heading.end())
        end = following.start() if following else len(text)
        if _MEMORY_BODY.search(text, heading.end(), min(end, heading.end() + 2000)):
            yield heading.start(), end


# ---------------------------------------------------------------- code and quotations
_CODE_FENCE = re.compile(r"^[ \t]{0,8}(`{3,}|~{3,})[ \t]*([^\n`]{0,60})$")
_ONE_LINE_FENCE = re.compile(r"^[ \t]{0,8}`{3,}([^`\n]{1,300})`{3,}[ \t]*$")
_COMMAND_LANGUAGES = words("sh bash zsh fish console shell shellsession powershell ps1 cmd make just")
_OUTPUT_LANGUAGES = words("log logs text txt output diff patch json jsonl csv stacktrace traceback")
_KEPT_CODE = 160                        # characters of one line of code that stays in the sentence
_QUOTE = re.compile(r"^[ \t]{0,3}>(?!=)")


def without_code(text: str, count: Callable[[str], None]) -> str:
    """The text without code blocks; one of a single line that could be a command stays, in backticks."""
    if "```" not in text and "~~~" not in text:
        return text
    out: list[str] = []
    lines = iter(text.split("\n"))
    for line in lines:
        if single := _ONE_LINE_FENCE.match(line):
            out.append(f"`{single[1].strip()}`")
            continue
        opening = _CODE_FENCE.match(line)
        if opening is None:
            out.append(line)
            continue
        body = []
        for inner in lines:
            closing = _CODE_FENCE.match(inner)
            if closing and closing[1][0] == opening[1][0] and len(closing[1]) >= len(opening[1]) and not closing[2].strip():
                break
            body.append(inner)
        spoken = [inner.strip() for inner in body if inner.strip()]
        language = opening[2].strip().lower()
        if len(spoken) == 1 and _is_command(spoken[0], language):
            out.append(f"`{spoken[0].removeprefix('$ ').strip('`')}`")
        else:
            out.append("")
            count("code")
    return "\n".join(out)


def _is_command(line: str, language: str) -> bool:
    if len(line) > _KEPT_CODE or language in _OUTPUT_LANGUAGES or _LOG_LINE.match(line):
        return False
    return language in _COMMAND_LANGUAGES or not line.startswith(("{", "[", "<", "|"))


def without_quotes(text: str, count: Callable[[str], None]) -> str:
    """The text without lines that quote somebody else, as mail and Markdown mark them."""
    lines = text.split("\n")
    kept = [line for line in lines if not _QUOTE.match(line)]
    if len(kept) < len(lines):
        count("quote")
    return "\n".join(kept)


# ---------------------------------------------------------------- logs, traces, diffs, terminal output
_TIME = r"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d(?::\d\d)?"
# One such line is enough.
_LOG_LINE = re.compile(
    rf"\s*(?:\[?{_TIME}[.,\d]*(?:Z|[+-]\d\d:?\d\d)?\]?[\s|,:]|\[?\d\d:\d\d:\d\d[.,]?\d*\]?\s+(?:\[?[A-Z]{{3,8}}\]?\s|\d+ of \d+)"
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S+ \S+|level=\w+ |time=\"|\[\s*\d+\.\d{3,}\]\s"
    r"|at \S+ ?\([^()\n]*:\d+(?::\d+)?\)|at (?:async )?[\w.$<>/\[\]]+ \(?[^\s()]+:\d+:\d+\)?$|Caused by: |\.\.\. \d+ more$"
    r"|File \"[^\"\n]+\", line \d+|goroutine \d+ \[|thread '[^'\n]*' panicked|panic: "
    r"|npm (?:ERR!|WARN|error|notice)|error\[E\d+\]|warning: unused|\s*--> [\w./-]+:\d+:\d+"
    r"|=== RUN |--- (?:FAIL|PASS|SKIP): |FAIL\t|ok  \t|E   \S|collected \d+ items|={5,} .* ={5,}$"
    r"|diff --git |index [0-9a-f]{7,}\.\.[0-9a-f]{7,}|@@ -\d+(?:,\d+)? \+\d+|(?:---|\+\+\+) [ab]/"
    r"|commit [0-9a-f]{40}$|Author: .+<.+@|[-dl][rwxsStT-]{9}[.+@]?\s+\d+ |total \d+$"
    r"|Exception in thread |[\w.]+(?:Error|Exception): .{0,300}$(?<=[\w\"')]))"
)
# Of these, several together.
_OUTPUT_LINE = re.compile(
    r"\s*(?:\[?(?:INFO|WARN(?:ING)?|ERROR|DEBUG|TRACE|FATAL|NOTICE|CRITICAL)\]?\s*[:|\]-]?\s|(?:info|warn|error|debug)[:|\]]\s"
    r"|(?:PASS(?:ED)?|FAIL(?:ED)?|SKIP(?:PED)?)\s+\S|(?:not )?ok\s+\d|(?:✓|✔|✗|✘|×|√)\s+\S|\d+ (?:passed|failed|skipped)\b"
    r"|[{}\[\]]+,?\s*$|\"[\w.-]+\":\s|\+[-+=]{3,}\+|[-=]{5,}$|\d{1,5}\s*[|│]\s|\$ \S|>>> |\.\.\. "
    r"|(?=[^\s:]*[./])[\w./-]+:\d+(?::\d+)?:?\s)|\s[MADRCU?]{1,2}\s+[\w./-]*[./][\w./-]*$"
)
_TRACEBACK = re.compile(r"\s*Traceback \(most recent call last\)")
_PROMPT = re.compile(r"\s*(?:\$|❯|➜|PS [A-Z]:\\[^>\n]{0,200}>|[\w.-]{1,60}@[\w.-]{1,60}:[^\n$#]{0,200}[$#])\s+\S")
_PROSE = re.compile(
    r"\b(?:the|is|are|was|it|we|you|i|please|always|never|should|must|this|that|don'?t|use|and|but|so|because|when)\b", re.I
)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LOOKED_AT = 400                        # characters of a line that are looked at


def _is_prose(line: str) -> bool:
    """Whether a line reads like a sentence: several small words of English, or a few characters of CJK."""
    return len(_PROSE.findall(line[:_LOOKED_AT])) >= 2 or len(_CJK.findall(line[:_LOOKED_AT])) >= 6


def without_output(text: str, count: Callable[[str], None]) -> str:
    """The text without pasted logs, traces, diffs and terminal output."""
    if "\n" not in text and not _LOG_LINE.match(text[:_LOOKED_AT]):
        return text
    lines = text.split("\n")
    gone = [_LOG_LINE.match(line[:_LOOKED_AT]) is not None for line in lines]
    soft = [_OUTPUT_LINE.match(line[:_LOOKED_AT]) is not None for line in lines]
    _mark_traces(lines, gone)
    _mark_commands(lines, gone)
    for index, line in enumerate(lines):                 # beside a log line, or several together
        near = gone[index - 1:index] == [True] or soft[index - 1:index] == [True] or gone[index + 1:index + 2] == [True]
        near = near or soft[index + 1:index + 2] == [True]
        if soft[index] and near and line.strip():
            gone[index] = True
    if not any(gone):
        return text
    count("log")
    return "\n".join(line for line, out in zip(lines, gone, strict=True) if not out)


def _mark_traces(lines: list[str], gone: list[bool]) -> None:
    """A trace: its head, the indented lines, and the line that names the error."""
    index = 0
    while index < len(lines):
        if _TRACEBACK.match(lines[index]):
            gone[index] = True
            index += 1
            while index < len(lines) and (lines[index].startswith((" ", "\t")) or not lines[index].strip()):
                gone[index] = True
                index += 1
            if index < len(lines):
                gone[index] = True
        index += 1


def _mark_commands(lines: list[str], gone: list[bool]) -> None:
    """A command at a prompt with what it printed, down to an empty line or a sentence. A command alone is the person's."""
    index = 0
    while index < len(lines):
        following = index + 1
        if _PROMPT.match(lines[index][:_LOOKED_AT]):
            while following < len(lines) and lines[following].strip() and not _is_prose(lines[following]):
                following += 1
            if following > index + 1:
                gone[index:following] = [True] * (following - index)
        index = following


# ---------------------------------------------------------------- conversations of others
_ROLE = re.compile(
    r"\s*(?:[*_#>-]{0,4}\s?)(?:user|human|assistant|ai|bot|system|claude|chatgpt|gpt(?:-\d\w*)?|codex|qwen|gemini|copilot|kimi|me|you"
    r"|用户|助手|系统|我|你|ユーザー|アシスタント|私|あなた|사용자|어시스턴트|나|너)(?:\s?\([^)\n]{1,40}\))?[*_]{0,2}\s?[:：]",
    re.I,
)
_SPEAKER = re.compile(
    r"\s*(?:\[?\d{1,2}:\d\d(?::\d\d)?(?:\s?[AaPp][Mm])?\]?\s+<?[\w.@ -]{1,30}>?\s?[:：>]\s"
    r"|[A-Z][\w.@ -]{0,30}\s+\[?\d{1,2}:\d\d\s?[AaPp][Mm]\]?\s*$"
    r"|<[\w.@-]{1,30}>\s\S|[\w.@-]{1,30}\s+(?:said|wrote):\s*$|On .{5,80} wrote:\s*$)"
)


def without_conversations(text: str, count: Callable[[str], None]) -> str:
    """The text without pasted conversations: at least two turns, each with who speaks."""
    lines = text.split("\n")
    role = [_ROLE.match(line[:_LOOKED_AT]) is not None for line in lines]
    speaker = [_SPEAKER.match(line[:_LOOKED_AT]) is not None for line in lines]
    distinct = {lines[i].split(":")[0].split("：")[0].strip().lower() for i, r in enumerate(role) if r}
    if (sum(role) < 2 or len(distinct) < 2) and sum(speaker) < 2:
        return text
    turns = role if sum(role) >= 2 and len(distinct) >= 2 else [False] * len(lines)
    turns = [a or b for a, b in zip(turns, speaker if sum(speaker) >= 2 else [False] * len(lines), strict=True)]
    gone, inside = [], False
    for line, begins in zip(lines, turns, strict=True):
        inside = begins or (inside and bool(line.strip()))
        gone.append(inside)
    count("conversation")
    return "\n".join(line for line, out in zip(lines, gone, strict=True) if not out)


STEPS = (without_elements, without_recalled, without_code, without_quotes, without_conversations, without_output)
