"""What a tool was called with, in the form of each host."""

from __future__ import annotations

import json

import pytest

from reverie.core.calls import Call, Todo, understood

PATCH = "*** Begin Patch\n*** Update File: a/b.py\n@@\n-x\n+y\n*** Add File: c.md\n+z\n*** End Patch"


@pytest.mark.parametrize(
    ("tool", "given", "call"),
    [
        ("Read", '{"file_path": "/srv/a.py"}', Call(paths=("/srv/a.py",))),
        ("Edit", '{"replace_all": false, "file_path": "/srv/a.py", "old_string": "x"}', Call(paths=("/srv/a.py",), writes=True)),
        ("read", '{"filePath":"/srv/a.py"}', Call(paths=("/srv/a.py",))),
        ("write_file", '{"file_path":"a","content":"b"}', Call(paths=("a",), writes=True)),
        ("Bash", '{"command": "make check", "description": "Run"}', Call(command="make check")),
        ("exec_command", json.dumps('{"cmd": "make check"}'), Call(command="make check")),
        ("exec", 'const r = await tools.exec_command({"cmd": "sed -n \'1,9p\' a.py"});\ntext(r.output);', Call(command="sed -n '1,9p' a.py")),
        ("exec", 'await tools.exec_command({cmd: "make \\"x\\""}); await tools.exec_command({cmd: "ls"})', Call(command='make "x"\nls')),
        ("shell", '{"command": ["bash", "-lc", "make check"]}', Call(command="make check")),
        ("shell", '{"command": ["make", "check"]}', Call(command="make check")),
        ("apply_patch", json.dumps(PATCH), Call(paths=("a/b.py", "c.md"), writes=True)),
        ("shell", json.dumps({"command": f"apply_patch <<'E'\n{PATCH}\nE"}), Call(paths=("a/b.py", "c.md"), writes=True)),
        ("TodoWrite", '{"todos":[{"content":"one","status":"completed"},{"content":"two","status":"in_progress"}]}',
         Call(todos=(Todo(words="one", state="done"), Todo(words="two", state="in_progress")))),
        ("update_plan", json.dumps('{"plan":[{"step":"one","status":"pending"}]}'), Call(todos=(Todo(words="one", state="pending"),))),
        ("TodoWrite", '{"todos":[]}', Call(todos=())),
        ("mcp.server.read_file", '{"path": "x"}', Call(paths=("x",))),
        ("WebFetch", '{"url": "https://example.org", "path": "x"}', Call()),
    ],
)
def test_a_call_is_understood_in_each_host_s_form(tool: str, given: str, call: Call) -> None:
    assert understood(tool, given) == call


@pytest.mark.parametrize(
    "given", ["", "{", "[1]", "null", '"', '{"file_path": 3}', '{"file_path": ["a", 3, {}]}', "[" * 5000, "{" * 5000, '{"todos": [3]}',
              '{"command": {"a": 1}}', "\x00", "\ud800"]
)
@pytest.mark.parametrize("tool", ["Read", "Bash", "TodoWrite", "apply_patch", ""])
def test_anything_else_is_nothing_and_no_failure(tool: str, given: str) -> None:
    call = understood(tool, given)
    assert all(isinstance(path, str) for path in call.paths)
    assert not call.command


def test_a_call_that_was_cut_still_names_its_file() -> None:
    whole = json.dumps({"file_path": "/srv/a \"b\".py", "content": 'x = {"file_path": "/not/this"}' * 1000})
    assert understood("Write", whole[:5000]).paths == ('/srv/a "b".py',)
    assert understood("Bash", '{"command": "make check", "description": "ru').command == "make check"
