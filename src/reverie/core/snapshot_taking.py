"""From a session's messages to its snapshot: what is taken, from whom, and how it is made harmless. No model.

Of a person: all they asked for, in order and in their words; the sentences in which they decided something or set a limit.
Of the agent: how its last answer ended. Of tools: which files and commands, what failed, and what worked instead; of what tools
print one line at most, as data; and nothing of either that reads like an order (DESIGN §4.5).

One pass, with bounded memory whatever the length of the session; the same messages give the same snapshot.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable

from reverie.core import budget, calls, defuse, redact, trust
from reverie.core.session import Message, Voice
from reverie.core.snapshot import MOST_ENTRIES, Snapshot

ASKED_CHARACTERS = 900                  # of one message: what is longer was mostly pasted
RULE_CHARACTERS = 400
ANSWER_CHARACTERS = 400
SHORTEST_RULE = 5                       # characters: four of Chinese say much
LINE_CHARACTERS = 180                   # of a command, a path, a printed line
MOST_FAILURES = 60                      # the latest; each is weighed for what it says
MOST_FILES = 2_000                      # different ones that are counted
REACH = 6                               # commands after a failed one among which the one that worked is looked for

_SENTENCE = re.compile(r"[^.!?。！？\n]+(?:[.!?](?!\s|$)[^.!?。！？\n]*)*[.!?。！？]*")
_STATED = re.compile(
    r"\b(?:never|must(?:n'?t)?|always|do not|don['’]?t(?! (?:worry|know|think|mind|care|see|understand|remember|need)\b)"
    r"|may not"
    r"|cannot|only|without|make sure|ensure|forbidden|not allowed|instead of|from now on"
    r"|prefer|decided|agreed|we(?:['’]ll| will| use| go with)|let['’]?s (?:use|go with|keep)|keep|stick to|at most|at least"
    r"|no \w+)\b|, not \w"
    r"|不要|必须|不能|禁止|不许|只能|只用|一定要|务必|别再|别用|决定|改用|统一用|一律|以后|保持"
    r"|しないで|しないこと|必ず|禁止|してはいけ|ではなく|使わない|に決め|だけに|今後|これからは|いつも|常に"
    r"|하지\s?마|하지\s?말|반드시|금지|해야|말고|결정|안\s?돼|만\s?사용|항상|앞으로|절대",
    re.IGNORECASE,
)
_SECURITY = re.compile(
    r"\b(?:secrets?|credentials?|passwords?|tokens?|keys?|prod(?:uction)?|permissions?|security|encrypt\w*|auth\w*|sandbox"
    r"|force[- ]push|push|deploy\w*|delete|drop|rm -rf|private|personal data|pii|network|internet|sudo|root)\b"
    r"|密钥|密码|生产|线上|权限|安全|令牌|本番|秘密|権限|認証|個人情報|비밀|운영|권한|보안|개인정보",
    re.IGNORECASE,
)
_ERROR = re.compile(r"error|exception|fail|fatal|denied|not found|cannot|refused|timed? ?out|panic|no such", re.IGNORECASE)
_IDLE = re.compile(
    r"(?:cd|ls|cat|sed -n|head|tail|pwd|echo|rg|grep|find|wc|which|tree|stat|file|git (?:status|log|diff|show|branch))\b"
)
_MEMORY = re.compile(r"(?:^|/)(?:memory|memories)/.*\.md\Z|(?:^|/)(?:MEMORY|memory_summary)\.md\Z")
_READ_MEMORY = re.compile(r"\breverie (?:read|why) +([\w./-]{1,200})")


class Taking:
    """Takes a snapshot: ``see`` every message, then ``done``. A person's messages come as they may be kept (clean, redacted,
    without what is off the record: ``flows.hearing``), with ``discreet`` for one of which a part was off the record."""

    def __init__(self) -> None:
        self._open = ""                                 # the last message of the person: the next one may put it off the record
        self._asked: deque[str] = deque(maxlen=MOST_ENTRIES - 1)
        self._first_asked = ""
        self._rules: dict[str, bool] = {}               # sentence -> whether it is about security
        self._answer = ""
        self._discreet = False                          # the answer at hand follows words off the record
        self._read: Counter[str] = Counter()
        self._written: Counter[str] = Counter()
        self._commands: dict[str, tuple[int, bool]] = {}    # command -> times, whether the last one failed
        self._failures: dict[str, _Failure] = {}
        self._todos: tuple[calls.Todo, ...] = ()
        self._memories: dict[str, None] = {}
        self._first = ""
        self._count = 0

    def see(self, message: Message, *, discreet: bool = False) -> None:
        """One message, in order."""
        self._first = self._first or message.id
        self._count += 1
        if message.voice is Voice.PERSON:
            self._person(message.text, discreet)
        elif message.voice is Voice.TOOL:
            self._tool(message)
        elif message.text.strip() and not self._discreet:
            self._answer = message.text[-4 * ANSWER_CHARACTERS:]

    def _person(self, text: str, discreet: bool) -> None:
        self._settle()
        self._discreet = discreet
        self._answer = ""
        self._open = text

    def unsay(self) -> None:
        """The person says that what they said last is not to be kept."""
        self._open = self._answer = ""
        self._discreet = True

    def _settle(self) -> None:
        """The last message stands: keep what it asks and states."""
        text, self._open = self._open, ""
        if not text.strip():
            return
        if not self._first_asked:
            self._first_asked = text[:4 * ASKED_CHARACTERS]
        else:
            self._asked.append(text[:4 * ASKED_CHARACTERS])
        for found in _SENTENCE.finditer(text[:20_000]):
            sentence = found[0].strip()
            if len(sentence) >= SHORTEST_RULE and not sentence.endswith(("?", "？")) and _STATED.search(sentence):
                self._rules.pop(sentence, None)         # said again: later
                self._rules[sentence] = _SECURITY.search(sentence) is not None
                if len(self._rules) > MOST_ENTRIES:
                    del self._rules[next((each for each, grave in self._rules.items() if not grave), next(iter(self._rules)))]

    def _tool(self, message: Message) -> None:
        call = calls.understood(message.tool, message.call)
        counter = self._written if call.writes else self._read
        for path in call.paths:
            if not message.failed and (path in counter or len(counter) < MOST_FILES):
                counter[path] += 1
            if _MEMORY.search(path) and not call.writes:
                self._remembered(path)
        if call.todos is not None:
            self._todos = call.todos
        what = _line(call.command or (f"{message.tool} {call.paths[0]}" if call.paths else message.tool))
        if call.command:
            for found in _READ_MEMORY.finditer(call.command):
                self._remembered(found[1])
            self._ran(what, failed=message.failed)
        if message.failed and what:
            self._failures.pop(what, None)
            self._failures[what] = _Failure(_error(message.text))
            if len(self._failures) > MOST_FAILURES:
                del self._failures[next(iter(self._failures))]
        elif call.command or call.writes:
            self._worked(what, is_command=bool(call.command))

    def _remembered(self, name: str) -> None:
        self._memories.pop(name, None)
        self._memories[name] = None
        if len(self._memories) > MOST_ENTRIES:
            del self._memories[next(iter(self._memories))]

    def _ran(self, command: str, *, failed: bool) -> None:
        if _IDLE.match(command):
            return
        times, _ = self._commands.pop(command, (0, False))
        self._commands[command] = (times + 1, failed)
        if len(self._commands) > MOST_ENTRIES:
            del self._commands[next(iter(self._commands))]

    def _worked(self, what: str, *, is_command: bool) -> None:
        """Something went well: what failed before it in the same way is answered."""
        for failed, failure in self._failures.items():
            if failure.answer:
                continue
            if failed == what:
                failure.answer = f"the same passed later{failure.between()}"
            elif not is_command:
                failure.changed(what.partition(" ")[2])
            elif failure.waits() and _alike(failed, what):
                failure.answer = f"worked instead: `{_ticked(what)}`"

    # -- the result

    def done(self, *, host: str, session: str, cwd: str = "", branch: str = "", taken: str = "") -> Snapshot:
        """The snapshot. Everything that was not redacted before is redacted here."""
        self._settle()
        sections = {
            "now": self._now(), "asked": [_words(each, ASKED_CHARACTERS) for each in (self._first_asked, *self._asked) if each],
            "rules": [_words(each, RULE_CHARACTERS) for each in self._ranked_rules()],
            "pending": [f"{_seen(each.words)}  ({each.state})" for each in self._todos if each.state != "done"],
            "failures": self._told_failures(), "files": self._files(),
            "commands": [f"`{_ticked(_seen(each))}`  ({times}×{', failed' if failed else ''})"
                         for each, (times, failed) in reversed(self._commands.items())],
            "memories": [_seen(each) for each in reversed(self._memories)],
        }
        clean = {name: tuple(_discreet(entries)[:MOST_ENTRIES]) for name, entries in sections.items() if entries}
        return Snapshot(host=host, session=session, cwd=cwd, branch=_line(branch), taken=taken, first=self._first,
                        messages=self._count, sections=clean)

    def _now(self) -> list[str]:
        last = self._asked[-1] if self._asked else self._first_asked
        found = [f"Asked last: {_words(last, ASKED_CHARACTERS)}"] if last else []
        doing = next((each for each in self._todos if each.state == "in_progress"), None)
        doing = doing or next((each for each in self._todos if each.state == "pending"), None)
        if doing is not None:
            found.append(f"Next on the list: {_seen(doing.words)}")
        ending = self._answer.strip().rpartition("\n\n")[2]
        if ending and not self._discreet:
            found.append("The agent's last answer ended: " + _seen(ending, ANSWER_CHARACTERS))
        return found

    def _ranked_rules(self) -> list[str]:
        """About security first, then the latest."""
        latest = list(reversed(self._rules.items()))
        return [each for each, grave in latest if grave] + [each for each, grave in latest if not grave]

    def _told_failures(self) -> list[str]:
        return [
            f"`{_ticked(_seen(what))}` failed: {_seen(failure.error)}  -> "
            f"{_seen(failure.answer, 4 * LINE_CHARACTERS) or 'still open'}"
            for what, failure in reversed(self._failures.items())
        ]

    def _files(self) -> list[str]:
        ranked = sorted({*self._written, *self._read}, key=lambda path: (-self._written[path], -self._read[path], path))
        found = []
        for path in ranked[:MOST_ENTRIES]:
            counts = (("written", self._written[path]), ("read", self._read[path]))
            found.append(f"{_seen(path)}  ({', '.join(f'{word} {count}' for word, count in counts if count)})")
        return found


class _Failure:
    """Something that failed, and what became of it."""

    def __init__(self, error: str) -> None:
        self.error = error
        self.answer = ""
        self._changed: dict[str, None] = {}
        self._waited = 0

    def waits(self) -> bool:
        """Whether a command that is run now may still be an answer to it."""
        self._waited += 1
        return self._waited <= REACH

    def changed(self, path: str) -> None:
        """A file was written since."""
        if path and len(self._changed) < 3:
            self._changed[path] = None

    def between(self) -> str:
        """What was done between the failure and its end."""
        return f", after changes in {', '.join(self._changed)}" if self._changed else ""


def taken(messages: Iterable[Message], *, host: str = "", session: str = "") -> Snapshot:
    """The snapshot of messages that are clean already."""
    taking = Taking()
    for message in messages:
        taking.see(message)
    return taking.done(host=host, session=session)


def _alike(one: str, other: str) -> bool:
    """Whether two commands try the same: they share a word that is no option."""
    def words(command: str) -> set[str]:
        return {word for word in re.findall(r"[\w./:-]{4,60}", command) if not word.startswith("-")}

    return bool(words(one) & words(other)) or one.partition(" ")[0] == other.partition(" ")[0]


def _error(printed: str) -> str:
    """The line of an output that says what went wrong."""
    lines = [line for line in printed[-8_000:].split("\n") if line.strip()]
    told = next((line for line in reversed(lines) if _ERROR.search(line)), lines[-1] if lines else "")
    return told[:4 * LINE_CHARACTERS] if told else "(it printed nothing)"


def _seen(words: str, characters: int = LINE_CHARACTERS) -> str:
    """What somebody else than the user wrote, on one line; not even that when it reads like an order to an agent.

    Names of files and commands are no exception: a repository may call its files what it likes, and an agent repeats them.
    """
    if trust.instructs(words):
        return "(left out: it reads like an instruction)"
    return defuse.line(words, characters)


def _words(text: str, characters: int) -> str:
    """A person's words, on as many lines as they had."""
    return budget.clip(defuse.text(text, structured=True).strip(), characters, mark=" […]").text


def _line(words: str) -> str:
    return defuse.line(words, LINE_CHARACTERS)


def _ticked(command: str) -> str:
    return command.replace("`", "'")


def _discreet(entries: Iterable[str]) -> list[str]:
    """Entries without credentials: what a tool was called with, or printed, was not redacted yet."""
    return [redact.redact(entry).text for entry in entries]
