"""For the tests of phase 2: a home with extracts in it, as phase 1 leaves them, and what may be asked of it."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from reverie.core.consolidation import Consolidated
from reverie.core.stage1 import Output
from reverie.flows import consolidating
from reverie.flows.consolidating import Options
from reverie.memory import Memory as Opened
from reverie.memory import open_memory
from reverie.storage import extracts
from reverie.storage.extracts import Thread

NOW = datetime(2026, 11, 5, 12, 0, tzinfo=UTC)


@dataclass
class Clock:
    now: datetime = NOW

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **span: float) -> None:
        self.now += timedelta(**span)


def thread_id(number: int) -> str:
    return str(uuid.UUID(int=(0x01A22FB87E9A << 80) | (7 << 76) | (0x842 << 64) | (8 << 60) | number))


def raw_memory(cwd: str, *statements: str, section: str = "Reusable knowledge", description: str = "", group: str = "") -> str:
    bullets = "\n".join(f"- {statement}" for statement in statements)
    about = description or statements[0]
    return (f"---\ndescription: {about}\ntask: {about}\ntask_group: {group or cwd}\ntask_outcome: success\ncwd: {cwd}\n"
            f"keywords: alpha, beta\n---\n\n### Task 1: {about}\ntask: {about}\ntask_group: {group or cwd}\n"
            f"task_outcome: success\n\n{section}:\n{bullets}")


@dataclass
class Bench:
    """A home, its clock, and two projects."""

    root: Path
    design: str = "codex"
    clock: Clock = field(default_factory=Clock)
    numbers: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.home = self.root / "home"
        self.shop = self.project("shop")
        self.blog = self.project("blog")

    def project(self, name: str) -> str:
        folder = self.root / name
        folder.mkdir(exist_ok=True)
        return str(folder)

    def opened(self, cwd: str = "") -> Opened:
        return open_memory(self.home, design=self.design, cwd=cwd or self.shop, environment={"HOME": str(self.root)}, clock=self.clock)

    def learned(
        self, number: int, cwd: str, *statements: str, days_ago: float = 1, section: str = "Reusable knowledge", mode: str = "enabled",
        summary: str = "", raw: str | None = None, slug: str = "work", **about: Any,
    ) -> str:
        """A session and what phase 1 made of it."""
        session = thread_id(number)
        at = int((self.clock.now - timedelta(days=days_ago)).timestamp())
        with self.opened() as memory:
            home = memory.space.home
            home.extracts.see([Thread(host="codex", session=session, updated_at=at, cwd=cwd, path=f"/s/{number}.jsonl", memory_mode=mode)])
            self.put(memory, Output(
                design=self.design, host="codex", session=session, cwd=cwd, path=f"/s/{number}.jsonl", source_updated_at=at,
                raw_memory=raw_memory(cwd, *statements, section=section, **about) if raw is None else raw,
                rollout_summary=summary or "# Work\n\n" + "\n".join(f"- {each}" for each in statements), rollout_slug=slug,
                generated_at=int(self.clock.now.timestamp()),
            ))
        return session

    @staticmethod
    def put(memory: Opened, output: Output) -> None:
        database = memory.space.home.extracts._database
        with database.transaction():
            name, values = extracts.put_statement(output)
            database.run(name, **values)

    def used(self, number: int, *, count: int, days_ago: float) -> None:
        at = int((self.clock.now - timedelta(days=days_ago)).timestamp())
        with self.opened() as memory:
            database = memory.space.home.extracts._database
            with database.transaction():
                database._ready(write=True).execute(
                    "UPDATE stage1_outputs SET usage_count = ?, last_usage = ? WHERE session = ?", (count, at, thread_id(number)))

    def consolidate(self, **options: Any) -> Consolidated:
        with self.opened() as memory:
            return consolidating.consolidate(memory.space, force=options.pop("force", True), **options)

    def undo(self, run: str) -> None:
        with self.opened() as memory:
            memory.undo(run=run)

    @property
    def store(self) -> Path:
        return self.home / "stores" / self.design / "memories"

    def files(self) -> Mapping[str, bytes]:
        return {path.relative_to(self.store).as_posix(): path.read_bytes() for path in sorted(self.store.rglob("*"))
                if path.is_file() and not path.relative_to(self.store).parts[0].startswith(".git")}

    def text(self, path: str = "MEMORY.md") -> str:
        return (self.store / path).read_text()


__all__ = ["NOW", "Bench", "Clock", "Options", "raw_memory", "thread_id"]
