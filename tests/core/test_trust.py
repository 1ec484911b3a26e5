"""What of a message is its writer's own word, and how far a source is trusted."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.core import trust
from reverie.core.memory import By
from reverie.core.trust import Stripped, Trust, clean, level, lower, strip

OWN = [
    pytest.param("we use pnpm here", "we use pnpm here", {}, id="nothing to take"),
    pytest.param('<reverie-memory source="recall">\n- use tabs\n</reverie-memory>\nadd a flag', "add a flag", {"memory_block": 1},
                 id="our own block"),
    pytest.param("add a flag\n<reverie-memory>\n- use tabs", "add a flag", {"memory_block": 1}, id="our own block, cut short"),
    pytest.param("&lt;reverie-memory&gt;x&lt;/reverie-memory&gt; go on", "go on", {"memory_block": 1}, id="escaped by a client"),
    pytest.param("<reverie-memory>a<reverie-memory>b</reverie-memory>c</reverie-memory>d", "d", {"memory_block": 1}, id="nested"),
    pytest.param("fix it <system-reminder>never tell</system-reminder> please", "fix it  please", {"host_block": 1}, id="a reminder"),
    pytest.param("<hook_result hook_event=\"UserPromptSubmit\">x</hook_result>\ngo", "go", {"host_block": 1}, id="a hook's result"),
    pytest.param("<qwen:user-prompt-submit-context>\nx\n</qwen:user-prompt-submit-context>go", "go", {"host_block": 1}, id="qwen"),
    pytest.param("go\n<recalled-memory source=\"a tool\">\n- x\n</recalled-memory>", "go", {"memory_block": 1}, id="another memory tool"),
    pytest.param("<relevant-memories>x</relevant-memories><claude-mem-context>y</claude-mem-context>go", "go", {"memory_block": 2},
                 id="two of them"),
    pytest.param("========= MEMORY_SUMMARY BEGINS =========\nx\n========= MEMORY_SUMMARY ENDS =========\ngo", "go", {"memory_block": 1}, id="codex"),
    pytest.param("## Relevant memory\n\nUse only if relevant.\n\n### Style (feedback/style.md)\nSaved 3 days ago.\nUse tabs\n\n## Mine\ngo",
                 "## Mine\ngo", {"memory_block": 1}, id="qwen's recall"),
    pytest.param("- [Style](feedback_style.md) - use tabs\n- [User](user_me.md) - a Go engineer\ngo", "go", {"memory_block": 1}, id="an index"),
    pytest.param("use tabs <private>my home is in Elm St</private> and LF", "use tabs  and LF", {"private": 1}, id="private"),
    pytest.param("use tabs <PRIVATE>my home is in Elm St", "use tabs", {"private": 1}, id="private, not closed"),
    pytest.param("wrap secrets in `<private>` tags", "wrap secrets in `<private>` tags", {}, id="somebody writes about the tag"),
    pytest.param("Map<Memory> is a generic type", "Map<Memory> is a generic type", {}, id="a type of a language"),
    pytest.param("why does <system-reminder> show up in my output?", "why does <system-reminder> show up in my output?", {}, id="asked about"),
    pytest.param("see:\n> always force push\nI disagree", "see:\nI disagree", {"quote": 1}, id="a quotation"),
    pytest.param("why?\n```\nint main() {\n return 1;\n}\n```\nalways return 0", "why?\n\nalways return 0", {"code": 1}, id="a code block"),
    pytest.param("deploys run with\n```sh\n$ make release ENV=prod\n```\nonly", "deploys run with\n`make release ENV=prod`\nonly", {}, id="one command"),
    pytest.param("look\n```\nfoo\nbar", "look", {"code": 1}, id="a code block, not closed"),
    pytest.param("it fails:\nTraceback (most recent call last):\n  File \"a.py\", line 3, in f\n    g()\nKeyError: 'x'\nuse dict.get here always",
                 "it fails:\nuse dict.get here always", {"log": 1}, id="a trace"),
    pytest.param("2026-11-30T10:00:01Z INFO started\n2026-11-30T10:00:02Z ERROR boom\nnever restart by hand", "never restart by hand", {"log": 1},
                 id="a log"),
    pytest.param("    at foo (/srv/app/a.js:1:2)\n    at bar (/srv/app/b.js:3:4)\nuse the wrapper", "use the wrapper", {"log": 1}, id="a stack"),
    pytest.param("$ make test\nFAIL src/a.test.ts\n1 failed\nalways run it with FOO=1 because it is slow", "always run it with FOO=1 because it is slow",
                 {"log": 1}, id="terminal output"),
    pytest.param("diff --git a/x b/x\nindex 1234567..89abcde 100644\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\nlooks wrong", "looks wrong", {"log": 1}, id="a diff"),
    pytest.param("User: always use vim\nAssistant: noted\n\nthat was another chat, I use emacs", "that was another chat, I use emacs",
                 {"conversation": 1}, id="a pasted chat"),
    pytest.param("用户：以后都用空格\n助手：好的\n\n上面是同事的对话，我用制表符", "上面是同事的对话，我用制表符", {"conversation": 1}, id="a pasted chat, chinese"),
    pytest.param("[10:31] bob: use npm\n[10:32] al: ok\n\nwe use pnpm though", "we use pnpm though", {"conversation": 1}, id="a channel"),
    pytest.param("Frontend: React\nBackend: Go\nDB: Postgres", "Frontend: React\nBackend: Go\nDB: Postgres", {}, id="a list of one's own"),
    pytest.param("1: build\n2: test\n3: ship", "1: build\n2: test\n3: ship", {}, id="numbered steps"),
    pytest.param("ok so\nok now use tabs", "ok so\nok now use tabs", {}, id="ok is no test result"),
    pytest.param("- a\n- b\n  - c", "- a\n- b\n  - c", {}, id="a list with dashes"),
    pytest.param("WARNING: never run this on prod", "WARNING: never run this on prod", {}, id="a warning of one's own"),
    pytest.param("standup at 10:30\nreview at 11:00", "standup at 10:30\nreview at 11:00", {}, id="a timetable"),
    pytest.param("We use pnpm. Off the record, Bo leaves in May.", "We use pnpm.", {"off_record": 1}, id="off the record"),
]


@pytest.mark.parametrize(("message", "own", "removed"), OWN)
def test_a_persons_own_words_are_kept(message: str, own: str, removed: dict[str, int]) -> None:
    left = strip(message)
    assert (left.text, dict(left.removed)) == (own, removed)


def test_a_mark_of_discretion_alone_stays_for_who_reads_on() -> None:
    assert strip("please don't write that down") == Stripped("please don't write that down", {}, True)


def test_a_reader_may_judge_discretion_itself() -> None:
    message = "We use pnpm. Off the record, Bo leaves in May."
    assert strip(message, keep_off_record=True) == Stripped(message, {}, True)


def test_what_is_private_is_off_the_record() -> None:
    assert strip("a <private>b</private> c").off_record
    assert not strip("a b c").off_record


def test_stripping_twice_changes_nothing() -> None:
    for parameter in OWN:
        once = strip(str(parameter.values[0])).text
        assert strip(once).text == once


def test_levels_of_trust_are_never_raised() -> None:
    assert [level(by) for by in By] == [Trust.WORD, Trust.HEARSAY, Trust.HEARSAY, Trust.DATA, Trust.WORD, Trust.HEARSAY, Trust.HEARSAY]
    assert lower(By.USER, By.MODEL) is By.MODEL
    assert lower(By.TOOL, By.USER) is By.TOOL


def test_clean_takes_away_what_no_reader_sees() -> None:
    assert clean("a\u200bb\u202ec\x1b[31md\x00e\r\nf\tg") == "abcde\nf\tg"


PIECES = st.sampled_from(
    ["<private>", "</private>", "<reverie-memory>", "</reverie-memory>", "<system-reminder>", "</system-reminder>", "```", "\n", "> q", "$ ls", "User: a",
     "Assistant: b", "Traceback (most recent call last):", "  File \"a\", line 1", "## Relevant memory", "- [a](b.md)", "off the record", "别记", " ", "word", "&lt;memory&gt;"]
)


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(max_size=300), st.lists(PIECES, max_size=25).map("".join)))
def test_any_message_is_stripped(message: str) -> None:
    left = strip(message)
    assert len(left.text) <= len(message) + 2 * message.count("```")
    assert "<private>" not in left.text.lower() or "`" in message
    trust.clean(message)


@pytest.mark.parametrize(
    "piece",
    ["<private>", "<memory>\n", "<memory>", "</memory>", "```\n", "> \n", "User: a\nAI: b\n", "$ a\nb\n", "## Memory\n- [\n", "MEMORY_SUMMARY BEGINS =", "<a ",
     "- [a](b.md)\n", "a:1:1:1:1", "at a aaa:1", "\n", " ", "Traceback (most recent call last)\n  x\n", "<system-reminder>", "=", "File \"", "[10:31] a: b\n"],
)
def test_a_megabyte_is_stripped_in_a_second(piece: str) -> None:
    start = time.process_time()
    strip((piece * 1_000_000)[:1_000_000])
    assert time.process_time() - start < 3
