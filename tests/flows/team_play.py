"""Two clones of a bare repository, two homes, and a game of random moves: what people do with git, and what Reverie does between.

After each move the promises are checked: our commits touch the team's folder alone, only our commits are pushed by us, what the
user has staged or changed elsewhere stays as it is. At the end every memory that was acknowledged must be found.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from reverie.core import team
from reverie.core.team import Synced
from reverie.memory import Memory, open_memory

FOLDER = ".reverie/team-memory"
OURS = (team.MESSAGE, team.MESSAGE_MERGED)
WORDS = (     # noqa: SIM905
    "harbor lantern copper meadow violet anchor timber saddle marble cobalt ginger walnut pepper canyon velvet orchid basalt "
    "cellar dolphin ember falcon glacier hazel indigo jasmine kettle lagoon mango nectar olive parrot quartz raven sapphire tulip "
    "umbrella vanilla willow yarrow zephyr"
).split()


def environment(name: str) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_AUTHOR_NAME": name, "GIT_AUTHOR_EMAIL": f"{name.lower()}@dev.example", "GIT_COMMITTER_NAME": name,
        "GIT_COMMITTER_EMAIL": f"{name.lower()}@dev.example", "REVERIE_TEAM_ENABLED": "1", "GIT_TERMINAL_PROMPT": "0",
    }


@dataclass
class Clone:
    """One person's checkout, home and git."""

    path: Path
    home: Path
    name: str

    def git(self, *arguments: str, check: bool = True, stdin: str | None = None) -> str:
        ran = subprocess.run(
            ["git", "-c", "core.hooksPath=/dev/null", "-c", "advice.detachedHead=false", *arguments], cwd=self.path,
            env=environment(self.name), capture_output=True, check=False, input=None if stdin is None else stdin.encode(),
        )
        if check and ran.returncode:
            raise AssertionError(f"git {arguments}: {ran.stderr.decode()}")
        return ran.stdout.decode("utf-8", "surrogateescape").strip("\n") if not ran.returncode else ""

    def memory(self, **more: str) -> Memory:
        return open_memory(self.home, cwd=self.path, environment=environment(self.name) | more)

    def remember(self, text: str) -> str:
        with self.memory() as memory:
            return memory.remember(text, scope="team")[0].memory.id

    def sync(self, **options: object) -> Synced:
        with self.memory() as memory:
            return memory.sync(**options)  # type: ignore[arg-type]

    @property
    def folder(self) -> Path:
        return self.path / FOLDER

    def team_files(self) -> list[Path]:
        return sorted(self.folder.glob("*.md")) if self.folder.is_dir() and not self.folder.is_symlink() else []

    def texts(self) -> str:
        return "\n".join(file.read_text(errors="replace") for file in self.team_files())

    def outside(self) -> dict[str, tuple[str, bytes | None]]:
        """Every path outside the team's folder: its entry in the index, its bytes."""
        staged = {
            line.partition("\t")[2]: line.partition("\t")[0] for line in self.git("ls-files", "-s", "-z").split("\0") if line
        }
        paths = {file.relative_to(self.path).as_posix() for file in self.path.rglob("*") if file.is_file()}
        paths = {path for path in paths if not path.startswith(".git/")} | set(staged)
        return {
            path: (staged.get(path, ""), (self.path / path).read_bytes() if (self.path / path).is_file() else None)
            for path in sorted(paths) if not path.startswith(f"{FOLDER}")
        }


def template(folder: Path) -> Path:
    """A bare repository and two clones of it, made once and copied for each game."""
    hub = folder / "hub.git"
    folder.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(hub)], check=True, env=environment("Ada"))
    one = Clone(folder / "a", folder / "home-a", "Ada")
    one.path.mkdir()
    one.git("init", "-q", "-b", "main")
    for number in range(3):
        (one.path / f"code{number}.py").write_text(f"number = {number}\n")
    one.git("add", ".")
    one.git("commit", "-q", "-m", "first")
    one.git("remote", "add", "origin", "../hub.git")
    one.git("push", "-q", "-u", "origin", "main")
    shutil.copytree(one.path, folder / "b")
    return folder


@dataclass
class Game:
    """The clones, the dice, and what was acknowledged."""

    folder: Path
    seed: int
    said: dict[str, str] = field(default_factory=dict)      # a memory's words -> who said them
    moves: list[str] = field(default_factory=list)
    outcomes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.dice = random.Random(self.seed)
        self.hub = self.folder / "hub.git"
        self.clones = [Clone(self.folder / name, self.folder / f"home-{name}", who) for name, who in (("a", "Ada"), ("b", "Bo"))]
        self.count = 0
        hooks = self.clones[0].path / ".git/hooks"
        hooks.mkdir(exist_ok=True)
        for name in ("pre-commit", "pre-push", "post-merge", "reference-transaction", "post-checkout"):
            (hooks / name).write_text("#!/bin/sh\necho no >&2\nexit 1\n")
            (hooks / name).chmod(0o755)

    def play(self, moves: int) -> None:
        choices: list[tuple[int, Callable[[Clone], None]]] = [
            (5, self.remember), (6, self.sync), (1, self.sync_unpushed), (1, self.rehearse), (2, self.both_sync), (2, self.forget),
            (2, self.commit_code), (2, self.stage), (1, self.dirty), (2, self.push), (2, self.pull), (3, self.switch),
            (1, self.detach), (3, self.edit), (1, self.commit_all), (1, self.link), (1, self.unset_upstream),
        ]
        for _ in range(moves):
            move = self.dice.choices([each for _, each in choices], [weight for weight, _ in choices])[0]
            clone = self.dice.choice(self.clones)
            self.moves.append(f"{clone.name} {move.__name__}")
            move(clone)
        for clone in self.clones:
            self.moves.append(f"{clone.name} sync at the end")
            self.sync(clone)
        self.nothing_lost()
        self.ours_are_clean()

    # ── what Reverie does ────────────────────────────────────────────────────────────────────────────────────────

    def remember(self, clone: Clone) -> None:
        self.count += 1
        words = self.dice.sample(WORDS, 7)          # so different that none passes for a correction of another
        text = f"{words[0].title()} {words[1]} {words[2]} {self.seed}x{self.count} {words[3]} {words[4]} {words[5]} {words[6]}"
        with clone.memory() as memory:
            action = memory.remember(text, scope="team")[1]
        if action == "added":
            self.said[f"{self.seed}x{self.count} "] = clone.name

    def forget(self, clone: Clone) -> None:
        with clone.memory() as memory:
            found = [each for each in memory.list() if each.mount.scope == "team"]
            if found:
                memory.forget([self.dice.choice(found)])

    def sync(self, clone: Clone, **options: object) -> None:
        self.watched([clone], lambda: [clone.sync(**options)])

    def sync_unpushed(self, clone: Clone) -> None:
        self.sync(clone, push=False)

    def rehearse(self, clone: Clone) -> None:
        before = (clone.git("rev-parse", "HEAD"), clone.texts(), self.there())
        self.sync(clone, dry_run=True)
        assert before == (clone.git("rev-parse", "HEAD"), clone.texts(), self.there())

    def both_sync(self, clone: Clone) -> None:
        done: list[Synced] = []
        threads = [threading.Thread(target=lambda each=each: done.append(each.sync())) for each in self.clones]

        def run() -> list[Synced]:
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            return done

        self.watched(self.clones, run)

    def watched(self, clones: list[Clone], run: Callable[[], list[Synced]]) -> None:
        """Run syncs, and look at all that they must not touch."""
        before = [(each.git("rev-parse", "HEAD"), each.git("symbolic-ref", "-q", "HEAD", check=False), each.outside()) for each in clones]
        there = self.there()
        done = run()
        assert len(done) == len(clones), "a sync has died"
        self.outcomes += [str(each.outcome) for each in done] + ["(merged)" for each in done if each.merged]
        self.moves[-1] += f" -> {', '.join(f'{each.outcome}' for each in done)}"
        assert not {"git-failed", "timeout"} & {str(each.outcome) for each in done}, [each.detail for each in done]
        for clone, (head, branch, outside) in zip(clones, before, strict=True):
            now = clone.git("rev-parse", "HEAD")
            assert clone.git("symbolic-ref", "-q", "HEAD", check=False) == branch, "the branch was switched"
            assert not clone.git("rev-list", f"{now}..{head}"), "the branch lost a commit"
            came = {path for path in clone.git("diff", "--name-only", "--no-renames", "-z", head, now).split("\0") if path}
            after = clone.outside()
            for path in {*outside, *after}:
                if path not in came:
                    assert outside.get(path) == after.get(path), f"{clone.name}: {path} was touched"
                else:
                    data = clone.git("rev-parse", "-q", "--verify", f"{now}:{path}", check=False)
                    assert after.get(path, ("",))[0].split(" ")[1:2] in ([data], []), f"{clone.name}: {path} is not as it came"
            assert not (clone.path / ".git/index.lock").exists()
            assert not list((clone.path / ".git").glob("reverie-index-*"))
        for ref, id in self.there().items():
            if id != there.get(ref):
                gone = self.at_hub("rev-list", f"{id}..{there[ref]}")
                assert not gone, "a commit was taken from the remote"
                for subject in self.at_hub("log", "--format=%s", f"{there[ref]}..{id}").splitlines():
                    assert subject in OURS, f"a sync pushed {subject!r}"

    # ── what people do ───────────────────────────────────────────────────────────────────────────────────────────

    def commit_code(self, clone: Clone) -> None:
        self.count += 1
        (clone.path / f"code{self.dice.randrange(4)}.py").write_text(f"number = '{clone.name}{self.count}'\n")
        paths = [f"code{number}.py" for number in range(4) if (clone.path / f"code{number}.py").exists()]
        clone.git("commit", "-q", "-m", f"work {self.count}", "--only", *paths, check=False)

    def stage(self, clone: Clone) -> None:
        self.count += 1
        path = self.dice.choice(["code0.py", "code1.py", "staged.txt", f"new{self.count}.txt"])
        (clone.path / path).write_text(f"staged {self.count}\n")
        clone.git("add", path)
        if self.dice.random() < 0.5:
            (clone.path / path).write_text(f"staged {self.count}, and changed again\n")

    def dirty(self, clone: Clone) -> None:
        self.count += 1
        (clone.path / self.dice.choice(["code1.py", "code2.py", "loose.txt"])).write_text(f"dirty {self.count}\n")

    def push(self, clone: Clone) -> None:
        clone.git("push", "-q", "origin", "HEAD:main", check=False)

    def pull(self, clone: Clone) -> None:
        how = self.dice.choice(["--ff-only", "--no-rebase", "--rebase"])
        clone.git("pull", "-q", "--no-edit", how, "origin", "main", check=False)
        if self.dice.random() < 0.8:
            clone.git("merge", "--abort", check=False)
            clone.git("rebase", "--abort", check=False)

    def switch(self, clone: Clone) -> None:
        name = self.dice.choice(["main", "main", "main", "feature"])
        clone.git("checkout", "-q", name, check=False) or clone.git("checkout", "-q", "-b", name, check=False)

    def detach(self, clone: Clone) -> None:
        clone.git("checkout", "-q", "--detach", check=False)

    def edit(self, clone: Clone) -> None:
        """Change a memory's file by hand; both may change the same one."""
        files = [file for file in clone.team_files() if file.name != "MEMORY.md"]
        if files:
            self.count += 1
            file = files[0] if self.dice.random() < 0.6 else self.dice.choice(files)
            mark = f"{self.seed}x{self.count} "
            file.write_text(file.read_text().rstrip() + f"\n\nSince then also number {mark}is there.\n")
            self.said[mark] = clone.name

    def commit_all(self, clone: Clone) -> None:
        if not clone.folder.is_symlink():
            self.count += 1
            clone.git("add", "-A")
            clone.git("commit", "-q", "-m", f"all {self.count}", check=False)

    def link(self, clone: Clone) -> None:
        """The team's folder becomes a link to elsewhere, for one sync."""
        if clone.folder.is_dir() and not clone.folder.is_symlink():
            elsewhere = self.folder / f"elsewhere-{clone.name}"
            clone.folder.rename(elsewhere)
            clone.folder.symlink_to(elsewhere)
            self.sync(clone)
            assert self.outcomes[-1] == "folder-refused"
            clone.folder.unlink()
            elsewhere.rename(clone.folder)

    def unset_upstream(self, clone: Clone) -> None:
        if self.dice.random() < 0.3:
            clone.git("branch", "--unset-upstream", check=False)
        else:
            clone.git("branch", "--set-upstream-to=origin/main", check=False)

    # ── promises ─────────────────────────────────────────────────────────────────────────────────────────────────

    def at_hub(self, *arguments: str) -> str:
        return subprocess.run(["git", *arguments], cwd=self.hub, env=environment("Hub"), check=True, capture_output=True,
                              text=True).stdout.strip()

    def there(self) -> dict[str, str]:
        lines = self.at_hub("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
        return {line.split(" ")[0]: line.split(" ")[1] for line in lines}

    def ours_are_clean(self) -> None:
        """No commit of ours changes anything but the team's folder, against its first parent."""
        for clone in self.clones:
            for line in clone.git("log", "--all", "--reflog", "--format=%H %s").splitlines():
                id, _, subject = line.partition(" ")
                if subject in OURS:
                    paths = clone.git("diff-tree", "-r", "--name-only", "--no-renames", f"{id}^1", id).splitlines()
                    assert all(path.startswith(f"{FOLDER}/") for path in paths), (id, paths)

    def nothing_lost(self) -> None:
        """Every acknowledged memory is in a work tree, in a history, or in the trash of who had it forgotten."""
        held = "\n".join(clone.texts() for clone in self.clones)
        for clone in self.clones:
            held += "\n".join(file.read_text(errors="replace") for file in (clone.home / "trash").rglob("*.md"))
        missing = [mark for mark in self.said if mark not in held]
        if missing:
            for clone in self.clones:
                held += clone.git("log", "--all", "--reflog", "-p", "-m", "--format=%s", "--", FOLDER)
        missing = [mark for mark in missing if mark not in held]
        assert not missing, f"lost: {missing}"


def play(folder: Path, made: Path, seed: int, moves: int) -> Game:
    """One game, reproducible by its seed; when a promise is broken, the moves are told."""
    shutil.copytree(made, folder, symlinks=True)
    game = Game(folder, seed)
    try:
        game.play(moves)
    except BaseException as error:
        raise AssertionError(f"seed {seed}, after:\n  " + "\n  ".join(game.moves) + f"\n{error!r}") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return game


def at_hub(clone: Clone, *arguments: str) -> str:
    """What git says in the repository that both clones share."""
    return subprocess.run(["git", *arguments], cwd=clone.path.parent / "hub.git", env=environment("Hub"), check=True,
                          capture_output=True, text=True).stdout.strip()
