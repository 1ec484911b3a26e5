"""The command line as a person and a program meet it: help with an example, JSON, exit codes, messages without a traceback."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from reverie import errors
from reverie.entrypoints import cli
from reverie.entrypoints.cli import common

SAMPLES = str(Path(str(resources.files("reverie.samples"))) / "home")
PROJECT = "/home/dev/projects/harvest-api"


@pytest.fixture
def reverie(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("REVERIE_HOME", str(tmp_path / "reverie"))
    monkeypatch.chdir(tmp_path)

    def run(*args: str, stdin: str | None = None) -> Result:
        return CliRunner().invoke(cli.group, list(args), input=stdin, catch_exceptions=True)

    return run


@pytest.fixture
def learned(reverie: Any) -> Any:
    assert reverie("learn", "--agents-home", SAMPLES).exit_code == 0
    return reverie


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_every_command_has_help_with_an_example(reverie: Any, command: str) -> None:
    shown = reverie(command, "--help")
    assert shown.exit_code == 0
    assert "Example: reverie " + command in shown.output


def test_every_command_is_in_the_readme() -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    assert [name for name in cli.COMMANDS if f"reverie {name}" not in readme and name not in ("tour", "read", "hook")] == []


def test_list_all_as_json_has_every_field(learned: Any) -> None:
    rows = json.loads(learned("list", "--all", "--json").stdout)
    assert len(rows) >= 12
    for row in rows:
        assert {"id", "name", "description", "type", "scope", "project", "body", "why", "how_to_apply", "source", "status"} <= set(row)
        assert row["type"] in ("user", "feedback", "project", "reference")
        assert row["source"]["host"] and row["source"]["session"] and row["source"]["message"]
    assert {row["scope"] for row in rows} == {"user", "project"}


def test_recall_as_json_says_what_and_why(learned: Any) -> None:
    rows = json.loads(learned("recall", "run the checks", "--cwd", PROJECT, "--json").stdout)
    assert rows and {"id", "score", "text"} <= set(rows[0])
    assert any("make check" in row["text"] for row in rows)
    assert any("why" in key for key in rows[0])
    assert 0 < rows[0]["score"] <= 1


def test_recall_is_silent_when_nothing_fits(learned: Any) -> None:
    assert json.loads(learned("recall", "what is 17 * 23", "--cwd", PROJECT, "--json").stdout) == []
    assert "Nothing relevant" in learned("recall", "what is 17 * 23", "--cwd", PROJECT).output


def test_remember_read_why_forget_undo(reverie: Any) -> None:
    kept = json.loads(reverie("remember", "Releases are tagged on Thursdays by Noor", "--why", "the mirror syncs at night", "--json").stdout)
    assert kept["action"] == "added" and kept["why"] == "the mirror syncs at night"
    assert "Thursdays" in reverie("read", kept["id"]).output
    assert "remember" in reverie("why", kept["id"]).output
    refused = reverie("forget", kept["id"])
    assert refused.exit_code != 0
    assert json.loads(reverie("list", "--json").stdout)
    assert reverie("forget", kept["id"], "--yes").exit_code == 0
    assert json.loads(reverie("list", "--json").stdout) == []
    assert reverie("undo").exit_code == 0
    assert [row["id"] for row in json.loads(reverie("list", "--json").stdout)] == [kept["id"]]


@pytest.mark.parametrize(("scope", "kind"), [("user", "user"), ("project", "project")])
def test_what_no_rule_reads_is_about_whom_it_was_said_for(reverie: Any, scope: str, kind: str) -> None:
    kept = json.loads(reverie("remember", "Ana from the data group, mostly SQL", "--scope", scope, "--json").stdout)
    assert (kept["scope"], kept["type"]) == (scope, kind)


def test_remember_twice_confirms(reverie: Any) -> None:
    reverie("remember", "Releases are tagged on Thursdays by Noor")
    again = json.loads(reverie("remember", "Releases are tagged on Thursdays by Noor", "--json").stdout)
    assert again["action"] == "confirmed"
    assert len(json.loads(reverie("list", "--json").stdout)) == 1


def test_a_secret_is_refused_and_not_repeated(reverie: Any) -> None:
    secret = "ghp_" + "aB3dE6gH9j" * 3 + "kL2mN4"
    result = run_real("remember", f"the deploy token is {secret}")
    assert result.returncode == 1
    assert "credential" in result.stderr and secret not in result.stderr + result.stdout
    assert "Traceback" not in result.stderr


def run_real(*args: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command as a process, as a shell would start it."""
    return subprocess.run(
        [sys.executable, "-m", "reverie", *args], capture_output=True, text=True, timeout=60, check=False,
        env={**os.environ, **environment},
    )


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (["nonsense"], 2, "no command 'nonsense'"),
        (["lern"], 2, "Did you mean 'learn'"),
        (["recall"], 2, "What is the prompt"),
        (["remember"], 2, "What should be remembered"),
        (["read", "no-such-memory"], 1, "no memory 'no-such-memory'"),
        (["forget", "no-such-memory", "--yes"], 1, "no memory here fits"),
        (["undo", "--change", "999"], 1, "999"),
        (["undo", "--change", "1", "--last", "1"], 2, "exclude each other"),
        (["list", "--design", "mem9"], 2, "unknown design 'mem9'"),
        (["learn", "--host", "cursor"], 2, "no host 'cursor'"),
        (["learn", "--since", "yesterday-ish"], 2, "neither a date"),
        (["learn", "--agents-home", "/no/such/folder"], 2, "is not a folder"),
        (["learn", "--path", "/no/such/file"], 1, "not_found"),
        (["list", "--type", "feeling"], 2, "'feeling' is not one of"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_wrong_use_and_failure_are_one_message(reverie: Any, args: list[str], code: int, says: str) -> None:
    done = run_real(*args)
    assert done.returncode == code, done.stderr
    assert says in done.stderr + done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("kind", ["file", "file_above", "folder_in_the_way"])
def test_a_home_that_cannot_be_is_said_plainly(tmp_path: Path, kind: str) -> None:
    home = tmp_path / "home" / "reverie"
    if kind == "file":
        home.parent.mkdir()
        home.write_text("not a folder", encoding="utf-8")
    elif kind == "file_above":
        home.parent.write_text("not a folder", encoding="utf-8")
    else:
        (home / "state.db").mkdir(parents=True)
    done = run_real("remember", "Releases are tagged on Thursdays by Noor", REVERIE_HOME=str(home))
    assert done.returncode == 1, done.stdout
    assert str(tmp_path) in done.stderr
    assert "Traceback" not in done.stderr


def test_a_settings_file_with_a_mistake_names_it(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text("desing = 'codex'\n", encoding="utf-8")
    done = run_real("status", REVERIE_HOME=str(tmp_path))
    assert done.returncode == 2
    assert "'desing'" in done.stderr and "settings.toml" in done.stderr


def test_a_pipe_that_closes_early_is_no_error(learned: Any) -> None:
    done = subprocess.run(
        f"{sys.executable} -m reverie list --all | head -1", shell=True, capture_output=True, text=True, timeout=60, check=False
    )
    assert "Traceback" not in done.stderr and "Exception" not in done.stderr


def test_output_in_a_pipe_has_no_colour(learned: Any) -> None:
    assert "\x1b" not in run_real("list", "--all").stdout


def test_starting_costs_no_heavy_import() -> None:
    code = "import sys, reverie, reverie.entrypoints.cli; print(sorted(m for m in sys.modules if m.startswith(('msgspec','yaml','reverie.'))))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=True)
    assert re.findall(r"'(.*?)'", done.stdout) == ["reverie.entrypoints", "reverie.entrypoints.cli", "reverie.errors"]


# ── the way from outside ─────────────────────────────────────────────────────────────────────────────────────────


def test_less_than_a_whole_id_reaches_into_no_other_project(reverie: Any, tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    one, two = ("--cwd", str(tmp_path / "one")), ("--cwd", str(tmp_path / "two"))
    kept = json.loads(reverie("remember", "--json", "Always deploy the wombat service with helm", *one).stdout)
    for command in (("read", "wombat"), ("why", "wombat"), ("forget", "wombat", "--yes"),
                    ("read", kept["id"].rpartition("/")[2]), ("forget", kept["id"].rpartition("/")[2], "--yes")):
        refused = reverie(*command, *two)
        assert refused.exit_code != 0, command
        assert "helm" not in refused.output
    assert "helm" in reverie("read", kept["id"], *two).output        # who knows the whole id means it
    assert reverie("read", "wombat", *one).exit_code == 0


def test_forgetting_by_words_takes_all_that_hold_them(reverie: Any) -> None:
    reverie("remember", "Always deploy the wombat service with helm")
    reverie("remember", "The wombat dashboard is in Grafana under Marsupials")
    assert "Forgotten: 2" in reverie("forget", "wombat", "--yes").output


@pytest.mark.parametrize("name", ["settings.toml", "stores"])
def test_what_is_in_the_way_in_a_home_is_said_and_nothing_waits(reverie: Any, tmp_path: Path, name: str) -> None:
    home = tmp_path / "reverie"
    home.mkdir()
    if name == "stores":
        (home / name).write_text("not a folder")
    else:
        os.mkfifo(home / name)
    for command in ("list", "recall x", "index", "status"):
        refused = CliRunner().invoke(cli.group, command.split())
        assert isinstance(refused.exception, errors.ReverieError), command
        assert name in str(refused.exception)


def test_a_directory_whose_name_is_no_text(reverie: Any, tmp_path: Path) -> None:
    place = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9")
    try:
        Path(place).mkdir()
    except OSError:
        pytest.skip("this file system takes only UTF-8")
    kept = reverie("remember", "We indent with tabs in this repository", "--cwd", place)
    assert kept.exit_code == 0
    assert "tabs" in reverie("index", "--cwd", place).output


def test_a_damaged_database_is_told_of_when_it_is_moved_aside_and_as_long_as_it_lies_there(
    learned: Any, tmp_path: Path
) -> None:
    (tmp_path / "reverie" / "state.db").write_bytes(b"no database" * 1000)
    for companion in ("-wal", "-shm"):
        (tmp_path / "reverie" / f"state.db{companion}").unlink(missing_ok=True)
    assert "was damaged" in learned("list").stderr
    assert "was damaged" not in learned("list").stderr
    assert "state.db.damaged-1" in learned("status").output


@pytest.mark.parametrize("home", ["~nobody-of-this-name/reverie", "~"])
def test_a_home_below_a_persons_folder(home: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("REVERIE_HOME", home)
    assert CliRunner().invoke(cli.group, ["list"]).exit_code == 0


def test_the_last_changes_are_listed_for_undo(reverie: Any) -> None:
    assert "Nothing has been changed" in reverie("undo", "--list").output
    reverie("remember", "Releases are tagged on Thursdays by Noor")
    reverie("undo")
    rows = json.loads(reverie("undo", "--list", "--json").stdout)
    assert [(row["change"], row["operation"], row["status"]) for row in rows] == [(2, "undo", "done"), (1, "remember", "undone")]
    assert "Thursdays" in reverie("undo", "--list").output
    assert json.loads(reverie("list", "--json").stdout) == []       # listing takes nothing back


def test_a_step_of_the_tour_is_one_screen(reverie: Any) -> None:
    shown = reverie("tour")
    assert shown.exit_code == 0, shown.exception
    steps = re.split(r"(?m)^(?=\d  )", shown.stdout)[1:]
    assert len(steps) == 8
    assert [step.split("\n", 1)[0] for step in steps if len(step.splitlines()) > 25] == []


@pytest.mark.parametrize(
    ("text", "columns", "shown"),
    [("plain", 5, "plain"), ("plainly", 5, "plai…"), ("日本語", 6, "日本語"), ("日本語で", 6, "日本…"), ("a\nb  c", 9, "a b c"), ("", 3, "")],
)
def test_a_line_is_cut_by_columns(text: str, columns: int, shown: str) -> None:
    assert common.short(text, columns) == shown


def test_stopping_says_how_far_it_came(learned: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(self: Any, learned: Any) -> None:
        self.done += 1
        raise KeyboardInterrupt

    monkeypatch.setattr("reverie.entrypoints.cli.learn._Progress.step", stop)
    stopped = learned("learn", "--agents-home", SAMPLES)
    assert stopped.exit_code == 130
    assert "stopped after 1 of 6 sessions" in stopped.stderr


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a terminal")
@pytest.mark.parametrize(
    ("environment", "coloured"), [({"TERM": "xterm"}, True), ({"TERM": "xterm", "NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)],
    ids=["terminal", "NO_COLOR", "dumb"],
)
def test_a_terminal_gets_colours_unless_it_wants_none(reverie: Any, environment: dict[str, str], coloured: bool) -> None:
    ours, theirs = os.openpty()
    base = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TERM")}
    with subprocess.Popen([sys.executable, "-m", "reverie", "designs"], stdout=theirs, stderr=theirs, env=base | environment) as process:
        os.close(theirs)
        shown = os.read(ours, 4)
        os.close(ours)
        process.wait(timeout=60)
    assert shown.startswith(b"\x1b[") is coloured


@pytest.mark.parametrize("command", ["list --cwd /", "index --cwd /", "recall checks --cwd /"])
def test_reading_imports_nothing_that_only_writing_needs(learned: Any, command: str) -> None:
    """Their patterns cost more than the whole answer, and a hook starts a process at every prompt."""
    code = (
        f"import sys, contextlib, reverie.entrypoints.cli as cli\n"
        f"with contextlib.suppress(SystemExit):\n    cli.main({command.split()!r})\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    heavy = ("reverie.core.gate", "reverie.core.trust", "reverie.core.redact", "reverie.core.merge", "reverie.models", "reverie.hosts",
             "reverie.flows.learning", "reverie.layouts.codex", "reverie.layouts.qwen_code", "yaml", "msgspec")
    loaded = done.stderr.split()
    assert "reverie.flows.reading" in loaded
    assert [name for name in heavy if name in loaded] == []


@pytest.mark.parametrize("command", ["list", "read tabs", "why tabs", "recall tabs", "forget tabs --yes"])
def test_a_terminal_obeys_no_memory(reverie: Any, command: str) -> None:
    """Escape sequences (clear the screen, name the window) and what turns the reading direction are shown, not carried out."""
    answer = reverie("remember", "Always \x1b[2J\x1b]0;x\x07 use \u202etabs \x9b2J 👩\u200d💻 here in all 表示 files")
    assert answer.exit_code == 0
    shown = CliRunner().invoke(cli.group, command.split(), color=True).output
    assert "tabs" in shown
    for text in (answer.output, re.sub(r"\x1b\[[0-9;]{0,9}m", "", shown)):
        assert not set("\x1b\x07\u202e\x9b") & set(text)
    assert "👩\u200d💻" in shown or command.startswith("forget")


def test_instructions_say_what_counts_and_what_is_left_out(reverie: Any, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "AGENTS.md").write_text("a" * 40_000, encoding="utf-8")
    shown = reverie("instructions", "--cwd", str(project))
    assert "7232 of 40000 bytes" in shown.stdout
    answer = json.loads(reverie("instructions", "--cwd", str(project), "--json").stdout)
    assert answer["files"] == [{"path": str(project / "AGENTS.md"), "bytes": 40_000, "left_out": 7_232}]
    assert "No instruction files" in reverie("instructions", "--cwd", str(tmp_path)).stderr


def test_why_says_when_a_memory_was_of_use(learned: Any) -> None:
    rows = json.loads(learned("list", "--all", "--json").stdout)
    memory = rows[0]["id"]
    assert learned("read", memory).exit_code == 0
    assert learned("read", memory).exit_code == 0
    assert [(use["how"], use["times"]) for use in json.loads(learned("why", memory, "--json").stdout)["uses"]] == [("opened", 2)]
    assert re.search(r"^opened .* 2 times", learned("why", memory).output, re.MULTILINE)


def test_snapshot_shows_keeps_and_lists(reverie: Any) -> None:
    transcript = next(str(path) for path in Path(SAMPLES).glob(".claude/projects/*/*.jsonl") if path.name.startswith("ff9fe67b"))
    shown = reverie("snapshot", transcript)
    assert shown.exit_code == 0
    assert "## What the user asked for" in shown.stdout
    assert "tokens until the compaction at 167,000" in shown.stderr
    assert "No snapshot is kept" in reverie("snapshot").stdout
    kept = json.loads(reverie("snapshot", transcript, "--write", "--json").stdout)
    assert kept["path"].startswith("snapshots/claude-code/")
    assert kept["compaction"]["act"] == "nothing"
    assert [each["session"] for each in json.loads(reverie("snapshot", "--json").stdout)] == [kept["session"]]
    assert "## What the user asked for" in reverie("snapshot", kept["session"][:8]).stdout
    assert reverie("snapshot", "--write").exit_code == 2
    assert isinstance(reverie("snapshot", "no-such-session").exception, errors.NotFound)


def test_events_are_lines_for_people_and_json_for_programs(learned: Any) -> None:
    lines = [json.loads(line) for line in learned("events", "--json").stdout.splitlines()]
    assert lines[0]["kind"] == "run_started"
    rest = learned("events", "--after", lines[-2]["id"]).stdout
    assert rest.count("\n") == 1
    assert lines[-1]["id"] in rest
    assert isinstance(learned("events", "--kind", "x").exception, errors.WrongUse)


@pytest.mark.parametrize("command", [
    "status", "list", "index", "recall x", "doctor", "cost", "agents", "events", "adopt --dry-run", "profile", "snapshot",
    "instructions", "learn --dry-run", "consolidate --dry-run --design codex", "dream --dry-run", "designs", "undo --list",
])
def test_looking_makes_no_home(reverie: Any, tmp_path: Path, command: str) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    reverie(*command.split())
    assert not (tmp_path / "reverie").exists()


def test_an_interrupt_while_it_is_being_loaded_is_one_line(tmp_path: Path) -> None:
    """What a person who presses Ctrl-C at once meets: the first import of the command line is interrupted."""
    code = (
        "import sys\n"
        "class Interrupted:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'click':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupted())\n"
        "from reverie.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (130, "reverie: Stopped before anything was done.\n")
