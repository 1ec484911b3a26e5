"""Whose a directory is: real repositories, real worktrees, and what is broken about them. git itself is the judge."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from reverie.core import place as places
from reverie.storage.git import locate

ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "Ana", "GIT_AUTHOR_EMAIL": "ana@dev.example",
    "GIT_COMMITTER_NAME": "Ana", "GIT_COMMITTER_EMAIL": "ana@dev.example",
}  # fmt: skip
as_root = pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may read everything")


def git(where: Path, *arguments: str) -> str:
    ran = subprocess.run(["git", "-c", "protocol.file.allow=always", *arguments], cwd=where, env=ENVIRONMENT, check=True,
                         capture_output=True, text=True)
    return ran.stdout.strip()


def repository(path: Path) -> Path:
    path.mkdir(parents=True)
    git(path, "init", "-q")
    (path / "README").write_text("x")
    git(path, "add", "README")
    git(path, "commit", "-q", "-m", "first")
    return path


def key(path: Path | str) -> str:
    return places.project_key(locate(str(path)))


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return tmp_path.resolve()


def test_a_plain_directory_is_its_own_project(base: Path) -> None:
    (base / "plain" / "inner").mkdir(parents=True)
    place = locate(str(base / "plain"))
    assert (place.root, place.common_dir, place.main_root, place.exists) == ("", "", "", True)
    assert places.identity(place) == str(base / "plain")
    assert key(base / "plain" / "inner") != key(base / "plain")


def test_a_repository_and_its_subdirectories_are_one_project(base: Path) -> None:
    root = repository(base / "app")
    (root / "src" / "api").mkdir(parents=True)
    place = locate(str(root / "src" / "api"))
    assert place.root == place.main_root == str(root)
    assert place.common_dir == str(root / ".git")
    assert place.subdirectory == "src/api"
    assert key(root) == key(root / "src" / "api")


@pytest.mark.parametrize("where", ["fix", "app/.worktrees/fix"], ids=["beside", "inside"])
def test_a_worktree_belongs_to_the_main_checkout(base: Path, where: str) -> None:
    root = repository(base / "app")
    git(root, "worktree", "add", "-q", str(base / where))
    (base / where / "src").mkdir()
    place = locate(str(base / where / "src"))
    assert place.root == str(base / where)
    assert place.main_root == str(root)
    assert place.subdirectory == "src"
    assert place.common_dir == git(base / where, "rev-parse", "--path-format=absolute", "--git-common-dir")
    assert key(base / where) == key(root)


def test_the_worktrees_of_a_bare_repository_are_one_project(base: Path) -> None:
    root = repository(base / "app")
    git(base, "clone", "-q", "--bare", str(root), "app.git")
    git(base / "app.git", "worktree", "add", "-q", str(base / "one"))
    git(base / "app.git", "worktree", "add", "-q", "-b", "two", str(base / "two"))
    assert locate(str(base / "one")).main_root == str(base / "app.git")
    assert key(base / "one") == key(base / "two") == key(base / "app.git") == key(base / "app.git" / "refs")
    assert key(root) != key(base / "one")


def test_a_submodule_and_a_nested_repository_are_projects_of_their_own(base: Path) -> None:
    library, root = repository(base / "library"), repository(base / "app")
    git(root, "submodule", "--quiet", "add", str(library), "lib")
    nested = repository(root / "vendor" / "nested")
    place = locate(str(root / "lib"))
    assert (place.root, place.main_root) == (str(root / "lib"), str(root / "lib"))
    assert len({key(root), key(root / "lib"), key(nested), key(library)}) == 4
    assert key(root / "vendor") == key(root)
    git(root / "lib", "worktree", "add", "-q", str(base / "lib-fix"))
    assert key(base / "lib-fix") == key(root / "lib")


def test_a_repository_kept_elsewhere_is_one_project_with_its_worktrees(base: Path) -> None:
    (base / "app").mkdir()
    (base / "store").mkdir()
    git(base / "app", "init", "-q", "--separate-git-dir", str(base / "store" / "app.git"))
    git(base / "app", "commit", "-q", "--allow-empty", "-m", "first")
    git(base / "app", "worktree", "add", "-q", str(base / "fix"))
    assert locate(str(base / "app")).root == str(base / "app")
    assert key(base / "app") == key(base / "fix")


def test_inside_a_git_directory_is_inside_its_project(base: Path) -> None:
    root = repository(base / "app")
    git(root, "worktree", "add", "-q", str(base / "fix"))
    assert key(root / ".git" / "refs" / "heads") == key(root / ".git" / "worktrees" / "fix") == key(root)


def test_a_link_leads_to_its_target(base: Path) -> None:
    root = repository(base / "app")
    (root / "src").mkdir()
    (base / "link").symlink_to(root / "src")
    place = locate(str(base / "link"))
    assert (place.cwd, place.real, place.root) == (str(base / "link"), str(root / "src"), str(root))


def test_a_clone_is_another_project_and_says_where_it_came_from(base: Path) -> None:
    root = repository(base / "app")
    git(base, "clone", "-q", str(root), "clone")
    assert key(base / "clone") != key(root)
    assert locate(str(base / "clone")).remote == str(root)
    assert locate(str(root)).remote == ""


@pytest.mark.parametrize(
    ("config", "remote"),
    [
        pytest.param('[remote "up"]\n\turl = u\n[remote "origin"]\n\turl = https://h.example/a.git\n', "https://h.example/a.git", id="origin first"),
        pytest.param('[remote "up"]\n\turl = git@h.example:a.git\n', "git@h.example:a.git", id="else another"),
        pytest.param('[remote "origin"]\n\tURL = "https://h.example/a#b" ; note\n', "https://h.example/a#b", id="quotes and comments"),
        pytest.param('[remote "origin"]\n\turl = https://ana:' + "pass" + "word@h.example/a\n", "https://h.example/a", id="no password"),
        pytest.param('[core]\n\turl = nonsense\n[remote "origin"\n\turl\n', "", id="broken"),
        pytest.param("\0\xff[remote", "", id="junk"),
    ],
)
def test_the_remote_is_read_from_the_configuration(base: Path, config: str, remote: str) -> None:
    root = repository(base / "app")
    (root / ".git" / "config").write_bytes(config.encode("latin-1"))
    assert locate(str(root)).remote == remote


def test_the_environment_of_a_shell_does_not_move_a_session(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, other = repository(base / "app"), repository(base / "other")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    assert locate(str(root)).root == str(root)


# ---- gone


def test_a_deleted_subdirectory_belongs_to_its_repository(base: Path) -> None:
    root = repository(base / "app")
    place = locate(str(root / "old" / "deep"))
    assert (place.exists, place.root, place.subdirectory) == (False, str(root), "old/deep")
    assert places.same_project(place, locate(str(root)))


def test_a_deleted_directory_outside_git_keeps_its_path(base: Path) -> None:
    (base / "work").mkdir()
    place = locate(str(base / "work" / "old"))
    assert (place.exists, places.identity(place)) == (False, str(base / "work" / "old"))


def test_a_deleted_repository_keeps_its_identity(base: Path) -> None:
    root = repository(base / "app")
    before = key(root)
    shutil.rmtree(root)
    assert key(root) == before


def test_a_repository_of_dotfiles_does_not_swallow_deleted_projects(base: Path) -> None:
    home = repository(base / "home")
    gone = str(home / "work" / "old")
    assert places.identity(locate(gone, home=str(home))) == gone
    assert places.identity(locate(gone)) == str(home)
    assert places.identity(locate(gone, hint=gone)) == gone


def test_a_deleted_worktree_is_told_by_the_host(base: Path) -> None:
    root = repository(base / "app")
    gone = str(base / "fix" / "src")
    assert places.same_project(locate(gone, hint=str(root)), locate(str(root)))
    assert places.identity(locate(gone, hint="/")) == gone


def test_a_hint_that_is_itself_a_worktree_leads_to_the_main_checkout(base: Path) -> None:
    root = repository(base / "app")
    git(root, "worktree", "add", "-q", str(base / "fix"))
    assert key(root) == places.project_key(locate(str(base / "elsewhere"), hint=str(base / "fix")))


def test_what_the_disk_says_goes_before_a_hint(base: Path) -> None:
    root, other = repository(base / "app"), repository(base / "other")
    assert locate(str(root), hint=str(other)).main_root == str(root)
    inner = repository(root / "inner")
    assert places.same_project(locate(str(inner / "gone"), hint=str(root)), locate(str(inner)))


def test_a_worktree_outlives_its_repository(base: Path) -> None:
    root = repository(base / "app")
    git(root, "worktree", "add", "-q", str(base / "fix"))
    before = key(base / "fix")
    shutil.rmtree(root)
    assert key(base / "fix") == before


# ---- broken and hostile


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"not a pointer", id="no pointer"),
        pytest.param(b"gitdir: nowhere/at/all", id="nowhere"),
        pytest.param(b"gitdir: .git", id="itself"),
        pytest.param(b"gitdir: a\0b", id="a NUL"),
        pytest.param(b"gitdir: \xff\xfe", id="no UTF-8"),
        pytest.param(b"gitdir: " + b"x" * 1_000_000, id="huge"),
        pytest.param(b"gitdir: " + b"../" * 2000, id="many steps"),
    ],
)
def test_a_broken_pointer_makes_a_root_of_its_own(base: Path, text: bytes) -> None:
    repository(base / "app")
    broken = base / "app" / "broken"
    (broken / "src").mkdir(parents=True)
    (broken / ".git").write_bytes(text)
    place = locate(str(broken / "src"))
    assert (place.root, place.common_dir, place.main_root) == (str(broken), "", str(broken))


def test_two_pointers_in_a_circle_end(base: Path) -> None:
    for one, other in (("a", "b"), ("b", "a")):
        (base / one).mkdir()
        (base / one / ".git").write_text(f"gitdir: ../{other}/.git\n")
    assert key(base / "a") != key(base / "b")


def test_an_empty_git_directory_is_no_repository(base: Path) -> None:
    root = repository(base / "app")
    (root / "sub" / ".git").mkdir(parents=True)
    assert locate(str(root / "sub")).root == str(root)
    assert git(root / "sub", "rev-parse", "--show-toplevel") == str(root)


def test_links_in_a_circle_are_a_path_like_any_other(base: Path) -> None:
    (base / "a").symlink_to(base / "b")
    (base / "b").symlink_to(base / "a")
    place = locate(str(base / "a" / "src"))
    assert (place.exists, place.root) == (False, "")
    (base / "c").mkdir()
    (base / "c" / ".git").symlink_to(base / "c" / ".git")
    assert locate(str(base / "c")).root == ""


def test_a_common_directory_that_leads_to_itself_ends(base: Path) -> None:
    git_dir = base / "odd" / ".git"
    git_dir.mkdir(parents=True)
    (git_dir / "HEAD").write_text("ref: refs/heads/main\n")
    (git_dir / "commondir").write_text(".\n")
    assert locate(str(base / "odd")).main_root == str(base / "odd")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
@pytest.mark.timeout(10)
@pytest.mark.parametrize("name", [".git", ".git/commondir", ".git/config", ".git/HEAD"])
def test_a_pipe_is_never_waited_for(base: Path, name: str) -> None:
    root = repository(base / "app")
    if name == ".git":
        shutil.rmtree(root / ".git")
    else:
        (root / name).unlink(missing_ok=True)
    os.mkfifo(root / name)
    assert locate(str(root)).exists


def test_a_socket_is_no_pointer(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(base)                     # a socket's path has to be short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(".git")
        assert locate(str(base)).root == ""


@as_root
def test_what_may_not_be_read_is_not_there(base: Path) -> None:
    root = repository(base / "app")
    (root / "src").mkdir()
    (root / ".git").chmod(0)
    try:
        assert locate(str(root / "src")).root == ""
    finally:
        (root / ".git").chmod(0o755)


@pytest.mark.parametrize(
    "path",
    ["", "a\0b", "/" + "n" * 5000, "/" + "d/" * 3000, "C:\\Users\\Ana\\app", "\\\\srv\\share", "/home/caf\udce9/x", "relative/dir", "/"],
    ids=["nothing", "a NUL", "a long name", "a deep path", "a drive", "a share", "no UTF-8", "relative", "the root"],
)
def test_no_path_is_too_bad(path: str) -> None:
    place = locate(path)
    assert place.cwd == path
    assert places.project_key(place)


def test_a_windows_path_is_not_looked_for_here() -> None:
    place = locate("C:\\w\\app\\src", hint="C:\\w\\app")
    assert (place.exists, place.root, place.subdirectory) == (False, "C:/w/app", "src")


def test_a_file_belongs_to_where_it_lies(base: Path) -> None:
    root = repository(base / "app")
    assert places.same_project(locate(str(root / "README")), locate(str(root)))


def test_case_is_folded_where_the_caller_says_so(base: Path) -> None:
    (base / "App").mkdir()
    one, other = (locate(str(base / name), folds_case=True) for name in ("App", "app"))
    assert places.same_project(one, other)


def test_finding_a_place_starts_no_process_and_is_quick(base: Path) -> None:
    root = repository(base / "app")
    deep = root / "/".join("abcdefghij")
    deep.mkdir(parents=True)
    start = time.perf_counter()
    for _ in range(100):
        locate(str(deep))
    assert (time.perf_counter() - start) / 100 < 0.01
    source = str(Path(places.__file__).parents[2])
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c",
         f"import sys; sys.path.insert(0, {source!r}); from reverie.storage.git import locate; locate({str(deep)!r});"
         "print({'subprocess', 'pathlib', 'dataclasses', 'hashlib', 'logging'} & set(sys.modules))"],
        capture_output=True, text=True, check=True,
    )
    assert ran.stdout.strip() == "set()"


@pytest.mark.parametrize("path", ["", ".", "app", "./app", "..", "../..", "~", "~/app"])
def test_a_relative_path_is_not_joined_to_the_directory_we_run_in(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository(tmp_path / "ours")
    (tmp_path / "ours" / "app").mkdir()
    monkeypatch.chdir(tmp_path / "ours")
    place = locate(path)
    assert not place.exists
    assert str(tmp_path) not in places.identity(place)
