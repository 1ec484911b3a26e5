"""Reverie: a memory for coding agents. Start with ``open_memory``."""

from __future__ import annotations

TYPE_CHECKING = False   # importing typing would cost every hook some milliseconds

__version__ = "0.1.0"
__all__ = ["open_memory"]

if TYPE_CHECKING:
    from reverie.memory import open_memory


def __getattr__(name: str) -> object:
    # Importing ``reverie`` must cost nothing: a hook is a new process at every prompt.
    if name == "open_memory":
        from reverie.memory import open_memory

        return open_memory
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
