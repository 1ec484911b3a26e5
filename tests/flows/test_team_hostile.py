"""Team memory against the repositories that people have: odd upstreams, settings, links, remotes that hang, and a killed sync."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from tests.flows import team_play
from tests.flows.team_play import FOLDER, Clone, at_hub

from reverie.core.team import Outcome


def share(clone: Clone, **files: bytes | str) -> None:
    """Commit files into the team's folder by hand, and push them."""
    clone.folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (clone.folder / f"{name}.md").write_bytes(data.encode() if isinstance(data, str) else data)
    clone.git("add", "-A")
    clone.git("commit", "-q", "-m", "by hand")
    clone.git("push", "-q")


def test_a_branch_that_follows_a_local_one_has_no_upstream(clones: tuple[Clone, Clone]) -> None:
    ada, _ = clones
    ada.git("checkout", "-q", "-b", "feature", "--track", "main")
    main = ada.git("rev-parse", "main")
    ada.remember("Deploys happen on Mondays from the release branch")
    assert ada.sync().outcome is Outcome.NO_UPSTREAM
    assert ada.git("rev-parse", "main") == main
    assert ada.git("log", "-1", "--format=%s", "feature") in team_play.OURS


@pytest.mark.parametrize("setting", ["remote.pushDefault", "branch.main.pushRemote"])
def test_who_pushes_elsewhere_is_not_pushed_for(clones: tuple[Clone, Clone], setting: str) -> None:
    ada, _ = clones
    there = at_hub(ada, "rev-parse", "main")
    ada.git("remote", "add", "fork", "../fork.git")
    ada.git("config", setting, "fork")
    ada.remember("Deploys happen on Mondays from the release branch")
    done = ada.sync()
    assert (done.outcome, "fork" in done.detail) == (Outcome.NOT_PUSHED, True)
    assert at_hub(ada, "rev-parse", "main") == there


def test_a_remote_is_reached_as_the_repository_says(clones: tuple[Clone, Clone], tmp_path: Path) -> None:
    ada, _ = clones
    mark = tmp_path / "used"
    ssh = tmp_path / "own-ssh"
    ssh.write_text(f"#!/bin/sh\necho \"$@\" >> '{mark}'\nexit 1\n")
    ssh.chmod(0o755)
    ada.git("config", "core.sshCommand", str(ssh))
    ada.git("remote", "set-url", "origin", "git@dev.invalid:team/repo.git")
    assert ada.sync().outcome is Outcome.FETCH_FAILED
    assert "BatchMode=yes" in mark.read_text()


def test_replaced_commits_do_not_smuggle_anything_along(clones: tuple[Clone, Clone]) -> None:
    ada, _ = clones
    first = ada.git("rev-parse", "HEAD")
    (ada.path / "code0.py").write_text("private = 1\n")
    ada.git("commit", "-qam", "not yours to push")
    foreign = ada.git("rev-parse", "HEAD")
    ada.git("replace", foreign, first)
    ada.remember("Deploys happen on Mondays from the release branch")
    ada.sync()
    assert foreign not in at_hub(ada, "rev-list", "main").split()


@pytest.mark.parametrize("target", ["/etc/passwd", "../../code0.py", "nowhere"])
def test_a_teammates_link_is_neither_followed_nor_taken_out(clones: tuple[Clone, Clone], target: str) -> None:
    ada, bo = clones
    ada.folder.mkdir(parents=True)
    (ada.folder / "evil.md").symlink_to(target)
    share(ada, good="---\nname: good\ndescription: about\ntype: project\n---\n\nReleases are cut on Tuesdays.\n")
    for _ in range(3):
        bo.sync()
    assert "evil.md" in bo.git("ls-tree", "-r", "--name-only", "HEAD", "--", FOLDER)
    assert [line for line in bo.git("status", "--short").splitlines() if "evil" in line] == []
    with bo.memory() as memory:
        assert "root:" not in str(memory.list())
    assert (bo.path / "code0.py").read_text() == "number = 0\n"


def test_odd_files_of_a_teammate_do_no_harm(clones: tuple[Clone, Clone]) -> None:
    ada, bo = clones
    (ada.folder / "feedback").mkdir(parents=True)
    (ada.folder / "project.json").write_text('{"key": "other"}')
    (ada.folder / "a\nb.md").write_text("---\nname: x\ntype: project\n---\n\nOdd\n")
    (ada.folder / "CON.md").write_text("---\nname: con\ntype: project\n---\n\nOdd name\n")
    (ada.folder / "memory.md").write_text("---\nname: con\ntype: project\n---\n\nAnother case\n")
    (ada.folder / "\u202eevil.md").write_text("---\nname: con\ntype: project\n---\n\nTurned\n")
    share(ada, huge=b"x" * 30_000_000, binary=bytes(range(256)) * 100, empty=b"", open="---\nname: x")
    for _ in range(2):
        done = bo.sync()
        assert done.outcome in (Outcome.SYNCED, Outcome.UP_TO_DATE), done.detail
    assert bo.git("status", "--short") == ""
    assert ada.git("rev-parse", "HEAD") == bo.git("rev-parse", "HEAD~1") or ada.git("rev-parse", "HEAD") == bo.git("rev-parse", "HEAD")
    with bo.memory() as memory:
        memory.session_block()


def serve(answer: bytes | None) -> tuple[int, socket.socket]:
    """A server that says one thing, or nothing at all."""
    listener = socket.create_server(("127.0.0.1", 0))

    def run() -> None:
        held: list[socket.socket] = []
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                for each in held:
                    each.close()
                return
            held.append(connection)
            if answer:
                connection.recv(4096)
                connection.sendall(answer)
                connection.close()

    threading.Thread(target=run, daemon=True).start()
    return listener.getsockname()[1], listener


@pytest.mark.parametrize(("scheme", "answer"), [
    ("git", None), ("http", None),
    ("http", b"HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
])
def test_a_remote_that_hangs_or_asks_holds_nobody_up(clones: tuple[Clone, Clone], scheme: str, answer: bytes | None) -> None:
    ada, _ = clones
    port, listener = serve(answer)
    ada.git("remote", "set-url", "origin", f"{scheme}://127.0.0.1:{port}/x.git")
    ada.remember("Deploys happen on Mondays from the release branch")
    before = ada.git("status", "--short", "-uall")
    start = time.monotonic()
    with contextlib.closing(listener):
        assert ada.sync(seconds=3.0).outcome in (Outcome.TIMEOUT, Outcome.FETCH_FAILED)
        listener.shutdown(socket.SHUT_RDWR)
    assert time.monotonic() - start < 6
    assert ada.git("status", "--short", "-uall") == before


@pytest.mark.parametrize("how", ["signing", "split-index", "many-files", "sparse", "sparse-index", "intent-to-add", "autocrlf",
                                 "submodule", "shallow", "shared-clone", "case", "fsmonitor"])
def test_settings_of_a_repository(clones: tuple[Clone, Clone], how: str) -> None:
    ada, bo = clones
    (bo.path / "lib").mkdir()
    (bo.path / "lib/x.txt").write_text("x\n")
    (bo.path / "docs").mkdir()
    (bo.path / "docs/y.txt").write_text("y\n")
    bo.git("add", "-A")
    bo.git("commit", "-qm", "more")
    bo.git("push", "-q")
    ada.git("pull", "-q")
    if how == "signing":
        for name, value in (("commit.gpgSign", "true"), ("gpg.program", "false"), ("push.gpgSign", "true"), ("user.signingKey", "x")):
            ada.git("config", name, value)
    elif how == "split-index":
        ada.git("update-index", "--split-index")
        ada.git("config", "core.splitIndex", "true")
    elif how == "many-files":
        ada.git("config", "feature.manyFiles", "true")
        ada.git("update-index", "--index-version", "4", "--untracked-cache")
    elif how == "sparse":
        ada.git("sparse-checkout", "set", "lib", ".reverie")
    elif how == "sparse-index":
        ada.git("sparse-checkout", "set", "--cone", "--sparse-index", "lib", ".reverie")
    elif how == "intent-to-add":
        (ada.path / "later.txt").write_text("later\n")
        ada.git("add", "-N", "later.txt")
    elif how == "autocrlf":
        ada.git("config", "core.autocrlf", "true")
    elif how == "submodule":
        ada.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", "../hub.git", "sub")
    elif how == "shallow":
        shutil.rmtree(ada.path)
        subprocess.run(["git", "clone", "-q", "--depth", "1", f"file://{ada.path.parent}/hub.git", str(ada.path)], check=True,
                       env=team_play.environment("Ada"))
    elif how == "shared-clone":
        shutil.rmtree(ada.path)
        subprocess.run(["git", "clone", "-q", "--filter=blob:none", f"file://{ada.path.parent}/hub.git", str(ada.path)], check=True,
                       env=team_play.environment("Ada"))
    elif how == "case":
        ada.git("config", "core.ignoreCase", "true")
    elif how == "fsmonitor":
        ada.git("config", "core.fsmonitor", "false")
        ada.git("config", "core.hooksPath", "/nowhere")
    (bo.path / "lib/x.txt").write_text("x changed\n")
    (bo.path / "docs/z.txt").write_text("z\n")
    bo.remember("Releases are cut on Tuesdays by whoever is on call")
    bo.git("add", "lib", "docs")
    bo.git("commit", "-qm", "work")
    bo.git("push", "-q")
    assert bo.sync().outcome is Outcome.SYNCED
    (ada.path / "mine.txt").write_text("staged\n")
    ada.git("add", "mine.txt")
    ada.remember("Deploys happen on Mondays from the release branch")
    before = {line for line in ada.git("status", "--short", "-uall").splitlines() if FOLDER not in line}
    done = ada.sync()
    assert done.outcome is Outcome.SYNCED, done
    assert set(ada.git("status", "--short", "-uall").splitlines()) == before
    assert (ada.path / "lib/x.txt").read_text() == "x changed\n"
    assert (ada.path / "docs/z.txt").exists() == (not how.startswith("sparse"))
    assert ada.git("rev-parse", "HEAD") == at_hub(ada, "rev-parse", "main")
    assert "mine.txt" not in at_hub(ada, "ls-tree", "-r", "--name-only", "main")
    assert ada.git("fsck", "--no-dangling", check=False) == ""
    assert ada.sync().outcome is Outcome.UP_TO_DATE


def test_nothing_is_committed_past_a_filter(clones: tuple[Clone, Clone]) -> None:
    """It may be one that encrypts."""
    ada, _ = clones
    (ada.path / ".gitattributes").write_text("*.md filter=crypt\n")
    ada.git("config", "filter.crypt.clean", "tr a-z A-Z")
    ada.remember("Deploys happen on Mondays from the release branch")
    head = ada.git("rev-parse", "HEAD")
    done = ada.sync()
    assert (done.outcome, "crypt" in done.detail) == (Outcome.FOLDER_REFUSED, True)
    assert ada.git("rev-parse", "HEAD") == head
    (ada.path / ".gitattributes").write_text(f"*.md filter=crypt\n{FOLDER}/** -filter\n")
    assert ada.sync().outcome is Outcome.SYNCED


def test_an_upstream_that_was_rewritten_or_deleted(clones: tuple[Clone, Clone]) -> None:
    ada, bo = clones
    ada.remember("Deploys happen on Mondays from the release branch")
    ada.sync()
    bo.git("pull", "-q")
    bo.git("checkout", "-q", "--orphan", "other")
    bo.git("commit", "-qm", "anew")
    bo.git("push", "-qf", "origin", "other:main")
    there, head = at_hub(ada, "rev-parse", "main"), ada.git("rev-parse", "HEAD")
    ada.remember("Releases are cut on Tuesdays by whoever is on call")
    done = ada.sync()
    assert done.outcome is Outcome.DIVERGED
    assert (at_hub(ada, "rev-parse", "main"), ada.git("rev-parse", "HEAD")) == (there, head)
    at_hub(ada, "update-ref", "-d", "refs/heads/main")
    assert ada.sync().outcome is Outcome.FETCH_FAILED
    assert "Tuesdays" in ada.texts()


@pytest.mark.slow
@pytest.mark.slow
def test_a_sync_that_is_killed_anywhere_can_be_done_again(clones: tuple[Clone, Clone], tmp_path: Path) -> None:
    ada, bo = clones
    said: list[str] = []
    dice = random.Random(5)         # words so different that none passes for a correction of another

    def say(clone: Clone, mark: str) -> None:
        words = dice.sample(team_play.WORDS, 7)
        with clone.memory() as memory:
            if memory.remember(f"{' '.join(words[:4])} {mark}{' '.join(words[4:])}", scope="team")[1] == "added":
                said.append(mark)

    script = "import sys; from reverie.memory import open_memory; open_memory(sys.argv[1], cwd=sys.argv[2]).sync()"
    bad: list[object] = []
    for number in range(30):
        bo.sync()
        (bo.path / "code1.py").write_text(f"number = {number + 100}\n")
        bo.git("commit", "-qam", f"work {number}")
        bo.git("push", "-q")
        say(bo, f"gate{number} ")
        bo.sync()
        (ada.path / "staged.txt").write_text(f"{number}\n")
        ada.git("add", "staged.txt")
        say(ada, f"door{number} ")
        process = subprocess.Popen([sys.executable, "-c", script, str(ada.home), str(ada.path)], env=team_play.environment("Ada"))
        time.sleep(0.25 + number * 0.03)
        process.kill()
        process.wait()
        time.sleep(0.3)
        state = ada.git("status", "--short", "-uall")
        done = ada.sync()
        after = ada.git("status", "--short").splitlines()
        if done.outcome not in (Outcome.SYNCED, Outcome.UP_TO_DATE) or after != ["A  staged.txt"]:
            bad.append((number, done.outcome, done.detail, state, after))
            (ada.path / ".git/index.lock").unlink(missing_ok=True)
            ada.git("reset", "-q", "--hard")
            ada.sync()
        assert at_hub(ada, "log", "--format=%s", "main").count("by hand") == 0
    assert not bad, bad
    assert len(said) > 40
    assert [each for each in said if each not in ada.texts() and each not in ada.git("log", "-p", "--format=", "--", FOLDER)] == []


@pytest.mark.slow
def test_a_lock_of_a_killed_sync_is_taken_away_and_no_other(clones: tuple[Clone, Clone]) -> None:
    ada, _ = clones
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    lock = ada.path / ".git/index.lock"
    ada.remember("Deploys happen on Mondays from the release branch")
    lock.write_text("")
    assert ada.sync().outcome is Outcome.BUSY
    lock.write_text(f"reverie {socket.gethostname()} {os.getpid()}\n")
    assert ada.sync().outcome is Outcome.BUSY
    lock.write_text(f"reverie {socket.gethostname()} {gone.pid}\n")
    assert ada.sync().outcome in (Outcome.SYNCED, Outcome.UP_TO_DATE)
    assert not lock.exists()
