"""Layouts over files that their authors wrote as they liked: the index is rendered on request, notes belong to someone."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from reverie.core.layout import Change, File
from reverie.core.memory import By, Status
from reverie.layouts.claude_code import ClaudeCode
from reverie.layouts.codex import Codex
from reverie.layouts.qwen_code import QwenCode

NOW = datetime(2026, 3, 1, tzinfo=UTC)
NOTE = "---\nname: Checks\ndescription: How to run the checks\ntype: feedback\n---\n\nRun make check.\n"
OURS = "extensions/ad_hoc/notes/harvest-api-01234567/"


def folder(files: dict[str, str]) -> dict[str, File]:
    return {path: File(text.encode(), NOW) for path, text in files.items()}


@pytest.mark.parametrize(
    ("layout", "line"),
    [
        pytest.param(ClaudeCode(), "- [checks.md](checks.md) - How to run the checks\n", id="claude-code"),
        pytest.param(ClaudeCode(edition="2.1"), "checks.md", id="claude-code@2.1"),
        pytest.param(QwenCode(), "checks.md", id="qwen-code"),
        pytest.param(QwenCode(edition="0.24"), "checks.md", id="qwen-code@0.24"),
    ],
)
def test_the_index_is_rendered_on_request(layout: ClaudeCode | QwenCode, line: str) -> None:
    files = folder({"checks.md": NOTE})
    written = layout.write(files, Change(reindex=True), now=NOW).files
    assert list(written) == ["MEMORY.md"]
    data = written["MEMORY.md"]
    assert data is not None
    assert line in data.decode()
    files["MEMORY.md"] = File(data, NOW)
    assert layout.write(files, Change(reindex=True), now=NOW).files == {}


def test_an_index_that_is_kept_by_hand_stays_so() -> None:
    files = folder({"checks.md": NOTE, "MEMORY.md": "- [Mine](mine.md)\n"})
    assert ClaudeCode(own_index=False).write(files, Change(reindex=True), now=NOW).files == {}


def test_a_codex_folder_is_left_to_consolidation() -> None:
    assert Codex().write(folder({OURS + "checks.md": NOTE}), Change(reindex=True), now=NOW).files == {}


@pytest.mark.parametrize(
    ("path", "scope", "project", "host"),
    [
        pytest.param("extensions/ad_hoc/notes/checks.md", "project", "", "codex", id="the product's"),
        pytest.param(OURS + "checks.md", "project", "harvest-api-01234567", "", id="a project's"),
        pytest.param(OURS + "sub/checks.md", "project", "harvest-api-01234567", "", id="a project's, below"),
        pytest.param("extensions/ad_hoc/notes/user/checks.md", "user", "", "", id="the user's"),
        pytest.param("extensions/ad_hoc/notes/else/checks.md", "project", "", "", id="nobody's"),
    ],
)
def test_a_note_belongs_to_whom_its_folder_names(path: str, scope: str, project: str, host: str) -> None:
    [memory] = Codex().read(folder({path: NOTE})).memories
    assert (memory.id, memory.scope, memory.project, memory.source.host) == (path, scope, project, host)
    assert (memory.name, memory.type, memory.body) == ("Checks", "feedback", "Run make check.")
    assert memory.source.by is By.AGENT


def test_a_note_without_a_header_is_read_as_before() -> None:
    [memory] = Codex().read(folder({OURS + "x.md": "The board is in Linear.\n\nUnder HRV.\n"})).memories
    assert (memory.name, memory.body) == ("The board is in Linear.", "The board is in Linear.\n\nUnder HRV.")


def test_a_note_can_be_in_quarantine() -> None:
    note = NOTE.replace("type:", "source: agent\nstatus: quarantined\ntype:")
    [memory] = Codex().read(folder({OURS + "x.md": note})).memories
    assert memory.status is Status.QUARANTINED


def test_a_note_of_the_same_name_as_a_file_in_the_handbook_is_still_there() -> None:
    handbook = "# Task Group: harvest\n\nscope: x\n\n## Task 1: y\n\n### rollout_summary_files\n\n- rollout_summaries/plan.md\n"
    files = folder({"MEMORY.md": handbook, OURS + "plan.md": "Ship on Friday, as agreed.\n"})
    assert OURS + "plan.md" in [memory.id for memory in Codex().read(files).memories]
