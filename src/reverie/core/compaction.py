"""When a session is compacted: the arithmetic of Claude Code (spec/claude-code §10.1; study, Claude Code §8), as pure functions.

    effective = window - 20,000         room for the summary that the model writes
    automatic at effective - 13,000     83.5 % of 200,000: the study's 167,000, a buffer of 33,000
    blocked  at effective - 3,000       nothing more is sent before a compaction

A value of the environment or the settings that makes no sense is left out and named: it must not stop a hook.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass

WINDOW = 200_000                        # tokens; the window of the models that the study speaks of
LONG_WINDOW = 1_000_000
FOR_SUMMARY, AUTO_BUFFER, BLOCK_BUFFER = 20_000, 13_000, 3_000
LEAST_WINDOW, MOST_WINDOW = 100_000, 1_000_000      # what a window may be set to (spec/claude-code §3.2)

PERCENT = "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE"
SET_WINDOW = "CLAUDE_CODE_AUTO_COMPACT_WINDOW"
NO_AUTO, NO_COMPACTION, NO_LONG_WINDOW = "DISABLE_AUTO_COMPACT", "DISABLE_COMPACT", "CLAUDE_CODE_DISABLE_1M_CONTEXT"
WINDOW_KEY, AUTO_KEY = "autoCompactWindow", "autoCompactEnabled"

_ON, _OFF = ("1", "true", "yes", "on"), ("", "0", "false", "no", "off")


class Act(enum.StrEnum):
    """What the client does at so many tokens."""

    NOTHING = "nothing"
    COMPACT = "compact"
    BLOCK = "block"                 # the limit is reached, and compaction is switched off


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """When this client compacts. ``percent`` is of the effective window. ``ignored``: values that made no sense, by name."""

    window: int = WINDOW
    percent: float | None = None
    automatic: bool = True
    by_hand: bool = True                # /compact works
    ignored: tuple[str, ...] = ()

    @property
    def effective(self) -> int:
        """The tokens that a conversation may have beside its summary."""
        return max(0, self.window - FOR_SUMMARY)

    @property
    def auto_at(self) -> int:
        """From here on the client compacts by itself. A percentage moves it forward only: behind the buffer there would be no
        room to summarise in."""
        usual = max(0, self.effective - AUTO_BUFFER)
        return usual if self.percent is None else min(usual, int(self.effective * self.percent / 100))

    @property
    def block_at(self) -> int:
        """From here on no request is sent."""
        return max(0, self.effective - BLOCK_BUFFER)

    @property
    def auto_percent(self) -> float:
        """Where the automatic compaction lies, in per cent of the whole window, to one place."""
        return round(self.auto_at * 100 / self.window, 1) if self.window else 0.0

    @property
    def buffer(self) -> int:
        """What the client shows as "Autocompact buffer"."""
        return self.window - self.auto_at

    def starts_at(self, prefix: int = 0) -> int:
        """Where a compaction really starts. ``prefix``: tokens that no compaction removes (system prompt, tools); one that is
        over the threshold by itself would start a compaction at each turn, so it is waited for the last moment."""
        return self.block_at if prefix > self.auto_at else self.auto_at

    def act(self, tokens: int, *, prefix: int = 0) -> Act:
        """What happens at so many tokens."""
        if self.automatic and tokens >= self.starts_at(prefix):
            return Act.COMPACT
        return Act.BLOCK if tokens >= self.block_at else Act.NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class Distance:
    """How far a session is from its compaction. ``left`` is negative when it is due."""

    tokens: int
    window: int
    starts_at: int
    act: Act

    @property
    def left(self) -> int:
        """Tokens until the compaction."""
        return self.starts_at - self.tokens

    @property
    def percent(self) -> float:
        """How much of the way is gone, in per cent, to one place."""
        return round(self.tokens * 100 / self.starts_at, 1) if self.starts_at else 100.0


def distance(tokens: int, rules: Rules, *, prefix: int = 0) -> Distance:
    """How far a conversation of so many tokens is from its compaction."""
    return Distance(tokens=max(0, tokens), window=rules.window, starts_at=rules.starts_at(prefix),
                    act=rules.act(tokens, prefix=prefix))


def rules(
    environment: Mapping[str, str], settings: Mapping[str, object] | None = None, *, window: int = WINDOW
) -> Rules:
    """The rules under these variables and settings of the client; ``window`` is the model's own.

    A variable goes before a setting. Without the long window a window has at most the usual size.
    """
    settings = settings or {}
    ignored: list[str] = []
    chosen = _window(environment.get(SET_WINDOW), SET_WINDOW, ignored)
    if chosen is None and settings.get(WINDOW_KEY) is not None:
        chosen = _window(settings[WINDOW_KEY], WINDOW_KEY, ignored)
    used = chosen or window
    if _switch(environment, NO_LONG_WINDOW, ignored):
        used = min(used, WINDOW)
    by_hand = not _switch(environment, NO_COMPACTION, ignored)
    enabled = settings.get(AUTO_KEY, True)
    if not isinstance(enabled, bool):
        ignored.append(AUTO_KEY)
        enabled = True
    automatic = not _switch(environment, NO_AUTO, ignored) and enabled and by_hand
    return Rules(window=used, percent=_percent(environment.get(PERCENT), ignored), automatic=automatic, by_hand=by_hand,
                 ignored=tuple(ignored))


def _window(value: object, name: str, ignored: list[str]) -> int | None:
    """A window from a variable or a setting, None for none."""
    text = value.strip() if isinstance(value, str) else value
    if text is None or text == "":
        return None
    number = -1
    if isinstance(text, str) and text.isascii() and text.isdigit() and len(text) < 10:
        number = int(text)
    elif isinstance(text, int) and not isinstance(text, bool):
        number = text
    if LEAST_WINDOW <= number <= MOST_WINDOW:
        return number
    ignored.append(name)
    return None


def _percent(value: str | None, ignored: list[str]) -> float | None:
    text = (value or "").strip()
    if not text:
        return None
    whole, _, part = text.partition(".")
    if len(text) < 10 and all(piece.isascii() and piece.isdigit() for piece in (whole, part or "0")) and 0 < float(text) <= 100:
        return float(text)
    ignored.append(PERCENT)
    return None


def _switch(environment: Mapping[str, str], name: str, ignored: list[str]) -> bool:
    """Whether a switch is on; what is neither on nor off counts as off and is named."""
    text = environment.get(name, "").strip().lower()
    if text not in _ON and text not in _OFF:
        ignored.append(name)
    return text in _ON
