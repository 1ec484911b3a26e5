"""Where a session takes place: one repository is one project, and the hosts' own folder names are exact."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core import place as places

# ---- the hosts' names


@pytest.mark.parametrize(
    ("path", "key"),
    [
        pytest.param("/home/u/my.project_x", "-home-u-my-project-x", id="dots and underscores"),
        pytest.param("/srv/naïve日本😀x", "-srv-na-ve----x", id="an emoji is two units"),
        pytest.param("C:\\Users\\name", "C--Users-name", id="a drive letter is kept"),
        pytest.param("/home/u/" + "a" * 192, "-home-u-" + "a" * 192, id="200 units are not hashed"),
        pytest.param("/home/u/" + "a" * 193, "-home-u-" + "a" * 192 + "-eyl4qu", id="201 units are"),
        pytest.param("/home/u/" + "a" * 300, "-home-u-" + "a" * 192 + "-f35tfp", id="308 units are"),
        pytest.param("", "", id="nothing"),
        pytest.param("/home/dev/caf\udce9", "-home-dev-caf-", id="a name that is not UTF-8"),
    ],
)
def test_claude_key(path: str, key: str) -> None:
    assert places.claude_key(path) == key


def test_claude_key_is_lossy_and_ours_is_not() -> None:
    assert places.claude_key("/w/a_b") == places.claude_key("/w/a-b") == places.claude_key("/w/a.b")
    assert len({places.project_key(places.make(path)) for path in ("/w/a_b", "/w/a-b", "/w/a.b", "/v/a-b")}) == 4


@pytest.mark.parametrize(
    ("path", "windows", "key"),
    [
        pytest.param("/srv/app", False, "-srv-app", id="a root"),
        pytest.param("/srv/app/pkg/api", False, "-srv-app-pkg-api", id="a chat in a subdirectory"),
        pytest.param("/home/ana/My Repo_1.x", False, "-home-ana-My-Repo-1-x", id="case is kept"),
        pytest.param("/srv/app/.qwen/worktrees/fix", False, "-srv-app--qwen-worktrees-fix", id="a worktree inside"),
        pytest.param("C:\\Users\\Ana\\My Repo", True, "c--users-ana-my-repo", id="Windows lowers it"),
        pytest.param("/w/é😀", False, "-w----", id="units, not characters"),
        pytest.param("/" + "a" * 300, False, "-" + "a" * 300, id="no limit"),
    ],
)
def test_qwen_key(path: str, windows: bool, key: str) -> None:
    assert places.qwen_key(path, windows) == key


@pytest.mark.parametrize(
    ("path", "slug"),
    [
        pytest.param("/w/My Project (v2)", "my-project-v2", id="runs become one dash"),
        pytest.param("/w/日本語の名前", "workspace", id="nothing legal is left"),
        pytest.param("/w/Ünïcode--x", "n-code--x", id="legal dashes stay"),
        pytest.param("/w/" + "long" * 20, "long" * 10, id="40 characters"),
        pytest.param("/", "workspace", id="the root"),
    ],
)
def test_kimi_key(path: str, slug: str) -> None:
    key = places.kimi_key(path)
    assert key.startswith(f"wd_{slug}_")
    assert len(key) == len(f"wd_{slug}_") + 12


def test_kimi_key_sees_one_directory_in_two_spellings() -> None:
    assert places.kimi_key("C:\\w\\api\\") == places.kimi_key("C:/w/api")
    # sha256 of "/w/api"
    assert places.kimi_key("/w/api") == "wd_api_6e379464abe6"


# ---- projects


def test_worktrees_and_subdirectories_are_one_project_and_a_namesake_is_another() -> None:
    root = places.make("/w/app", root="/w/app", common_dir="/w/app/.git")
    inside = places.make("/w/app/src/api", root="/w/app", common_dir="/w/app/.git")
    worktree = places.make("/wt/app-fix/src", root="/wt/app-fix", common_dir="/w/app/.git")
    clone = places.make("/w/app-2", root="/w/app-2", common_dir="/w/app-2/.git")
    assert places.project_key(root) == places.project_key(inside) == places.project_key(worktree)
    assert places.project_key(clone) != places.project_key(root)
    assert (inside.subdirectory, worktree.subdirectory, root.subdirectory) == ("src/api", "src", "")
    assert worktree.main_root == "/w/app"


def test_a_project_key_is_a_name_and_eight_digits() -> None:
    key = places.project_key(places.make("/home/dev/code/Billing API", root="/home/dev/code/Billing API"))
    assert key.startswith("billing-api-")
    assert places.looks_like_project_key(key)


@pytest.mark.parametrize(
    ("main_root", "slug"),
    [
        ("/srv/app.git", "app"),
        ("/srv/app/.bare", "app"),
        ("/srv/日本", "project"),
        ("/", "project"),
        ("/home/dev/.config", "config"),
        ("C:/Users/Ana/My Repo", "my-repo"),
    ],
)
def test_the_readable_half_of_a_key(main_root: str, slug: str) -> None:
    assert places.project_key(places.make(main_root)).rpartition("-")[0] == slug


@pytest.mark.parametrize("text", ["/w/app", "app", "app-1234567", "-12345678", "App-12345678", "my app-12345678", "a-1234567g", ""])
def test_other_labels_are_no_project_keys(text: str) -> None:
    assert not places.looks_like_project_key(text)


@given(st.text(max_size=60).map(lambda name: "/w/" + name))
def test_every_project_key_is_recognised_and_a_legal_folder_name(path: str) -> None:
    key = places.project_key(places.make(path))
    assert places.looks_like_project_key(key)
    assert "/" not in key
    assert key not in (".", "..")


def test_a_bare_repository_stands_for_its_worktrees() -> None:
    one = places.make("/w/one", root="/w/one", common_dir="/srv/app.git")
    two = places.make("/w/two/src", root="/w/two", common_dir="/srv/app.git")
    assert one.main_root == "/srv/app.git"
    assert places.same_project(one, two)


def test_the_common_directory_of_a_submodule_does_not_name_its_project() -> None:
    module = places.make("/w/app/lib", root="/w/app/lib", common_dir="/w/app/.git/modules/lib", main_root="/w/app/lib")
    around = places.make("/w/app", root="/w/app", common_dir="/w/app/.git")
    assert places.identity(module) == "/w/app/lib"
    assert not places.same_project(module, around)


def test_a_link_and_its_target_are_one_project() -> None:
    assert places.same_project(places.make("/link", real="/w/app"), places.make("/w/app"))


# ---- places that are gone


def test_a_deleted_directory_keeps_the_identity_of_a_plain_one() -> None:
    assert places.project_key(places.gone("/w/old")) == places.project_key(places.make("/w/old"))


def test_a_deleted_root_keeps_the_identity_of_its_repository() -> None:
    before = places.make("/w/app", root="/w/app", common_dir="/w/app/.git")
    assert places.same_project(places.gone("/w/app"), before)


@pytest.mark.parametrize(
    ("cwd", "hint", "identity", "root", "subdirectory"),
    [
        pytest.param("/w/app/src", "/w/app", "/w/app", "/w/app", "src", id="a subdirectory"),
        pytest.param("/w/app", "/w/app/", "/w/app", "/w/app", "", id="the root itself"),
        pytest.param("/wt/fix", "/w/app", "/w/app", "", "", id="a worktree beside it"),
        pytest.param("/w/app-2", "/w/app", "/w/app", "", "", id="a worktree whose name begins alike"),
        pytest.param("/tmp/x", "/", "/tmp/x", "", "", id="no project"),
        pytest.param("/tmp/x", "", "/tmp/x", "", "", id="no hint"),
        pytest.param("/tmp/x", "app", "/tmp/x", "", "", id="a hint that is no path"),
        pytest.param("C:\\w\\x", "C:\\", "C:/w/x", "", "", id="a drive is no project"),
        pytest.param("c:\\w\\app\\src", "C:/w/app", "C:/w/app", "C:/w/app", "src", id="a drive in two spellings"),
    ],
)
def test_a_hint_stands_in_for_a_disk_that_no_longer_tells(
    cwd: str, hint: str, identity: str, root: str, subdirectory: str
) -> None:
    place = places.gone(cwd, hint=hint)
    assert places.identity(place) == identity
    assert (place.root, place.subdirectory, place.exists) == (root, subdirectory, False)


# ---- paths as text


@pytest.mark.parametrize(
    ("path", "tidied"),
    [
        ("", ""),
        ("/", "/"),
        ("/..", "/"),
        ("/a//b/./c/../d/", "/a/b/d"),
        ("//a", "/a"),
        ("a/../..", ".."),
        (".", "."),
        ("C:", "C:"),
        ("./C:/x", "./C:/x"),
        ("c:\\Users\\ana\\", "C:/Users/ana"),
        ("C:/a/../..", "C:/"),
        ("\\\\?\\C:\\a", "C:/a"),
        ("\\\\srv\\share\\x", "\\\\srv/share/x"),
        ("\\\\?\\UNC\\srv\\share", "\\\\srv/share"),
        ("/a\\b", "/a\\b"),
    ],
)
def test_tidy(path: str, tidied: str) -> None:
    assert places.tidy(path) == tidied
    assert places.tidy(tidied) == tidied


@pytest.mark.parametrize(
    ("root", "path", "rest"),
    [
        ("/a", "/a", ""),
        ("/a", "/a/b/c", "b/c"),
        ("/a", "/ab", None),
        ("/", "/a", "a"),
        ("C:/", "C:/x/y", "x/y"),
        ("C:/X", "C:/x/y", None),
        ("\\\\srv/share", "\\\\srv/share/x", "x"),
        ("", "/a", None),
    ],
)
def test_below(root: str, path: str, rest: str | None) -> None:
    assert places.below(root, path) == rest


def test_case_counts_only_where_the_file_system_tells_names_apart_by_it() -> None:
    assert places.below("C:/X", "C:/x/y", folds_case=True) == "y"
    assert places.below("/STRASSE", "/straße/É", folds_case=True) == "É"
    upper, lower = places.make("/W/App", folds_case=True), places.make("/w/app", folds_case=True)
    assert places.project_key(upper) == places.project_key(lower)
    assert places.same_project(places.make("/W/App"), lower)
    assert not places.same_project(places.make("/W/App"), places.make("/w/app"))


def test_a_drive_letter_never_tells_projects_apart() -> None:
    assert places.same_project(places.make("c:\\w\\App"), places.make("C:/w/App"))


@given(st.text("/.ab\\:C", max_size=14))
def test_tidying_twice_is_tidying_once(path: str) -> None:
    assert places.tidy(places.tidy(path)) == places.tidy(path)


@pytest.mark.parametrize(
    ("url", "clean"),
    [
        ("https://ana:" + "pass" + "word@git.example/ana/app.git", "https://git.example/ana/app.git"),
        ("https://git.example/app", "https://git.example/app"),
        ("ssh://git@git.example:22/app", "ssh://git.example:22/app"),
        ("git@git.example:ana/app.git", "git@git.example:ana/app.git"),
        ("/srv/app.git", "/srv/app.git"),
        ("https://git.example", "https://git.example"),
    ],
)
def test_a_remote_is_kept_without_what_opens_it(url: str, clean: str) -> None:
    assert places.clean_remote(url) == clean


# ---- the value


def test_a_place_is_a_value() -> None:
    one, two = places.make("/w/app", root="/w"), places.make("/w/app", root="/w")
    assert one == two
    assert len({one, two}) == 1
    assert one != "/w/app"
    assert "root='/w'" in repr(one)
    with pytest.raises(AttributeError):
        one.root = "/elsewhere"
    with pytest.raises(AttributeError):
        del one.root
    with pytest.raises(TypeError, match="colour"):
        places.Place(**dict.fromkeys(places.Place.__slots__, ""), colour="red")


def test_a_place_costs_no_import() -> None:
    code = "import reverie.core; before = set(sys.modules); import reverie.core.place; print(*sorted(set(sys.modules) - before))"
    source = str(Path(places.__file__).parents[2])
    run = subprocess.run([sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {source!r}); {code}"],
                         capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["reverie.core.place"]


@pytest.mark.shared
@pytest.mark.parametrize("seed", [11, 12])
def test_every_case_of_the_benchmark_finds_its_project(tmp_path: Path, seed: int) -> None:
    shared = os.environ.get("REVERIE_SHARED")
    if not shared:
        pytest.skip("REVERIE_SHARED is not set")
    bench = Path(shared) / "codebench"
    subprocess.run([sys.executable, bench / "gen.py", "--bank", bench / "bank_dev.bank", "--seed", str(seed), "--out", tmp_path],
                   check=True, capture_output=True)
    cases: list[dict[str, Any]] = json.loads((tmp_path / "projects.json").read_text())
    assert cases
    for project in cases:
        own = places.project_key(places.make(project["root"], root=project["root"], common_dir=project["root"] + "/.git"))
        for case in project["cwd_cases"]:
            key = places.project_key(places.make(case["cwd"], root=case["git_root"], common_dir=case["common_dir"]))
            assert (key == own) is case["same"], case
