"""Compressed transcripts, where this Python can read them: ``compression.zstd`` (3.14) or the package ``zstandard``.

Without either a compressed transcript is a result with a name, ``compressed_zstd``, and the message says what would help.
"""

from __future__ import annotations

import importlib
import io
from collections.abc import Callable
from typing import Any, BinaryIO

from reverie.hosts import disk
from reverie.hosts.disk import CannotRead


def _unpacker() -> Callable[[BinaryIO], Any] | None:
    """What makes a stream of plain bytes of a compressed one, or None."""
    try:
        module: Any = importlib.import_module("compression.zstd")
        return lambda raw: module.ZstdFile(raw, "rb")
    except ImportError:
        pass
    try:
        module = importlib.import_module("zstandard")
        return lambda raw: module.ZstdDecompressor().stream_reader(raw, closefd=True)
    except ImportError:
        return None


class _Unpacked(io.RawIOBase):
    """A stream that only goes forward and whose errors are errors of reading."""

    def __init__(self, raw: BinaryIO, unpacked: Any) -> None:
        super().__init__()
        self._raw, self._unpacked = raw, unpacked

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        try:
            data: bytes = self._unpacked.read(size)
        except Exception as error:      # each of the libraries has its own; a cut file is an EOFError in one of them
            raise OSError(f"broken compression: {error}") from error
        return data

    def close(self) -> None:
        if not self.closed:
            self._unpacked.close()
            self._raw.close()
        super().close()


def open_either(path: str) -> BinaryIO:
    """Open a transcript, compressed or not. Raises ``CannotRead``."""
    raw = disk.open_plain(path)
    if not path.endswith(".zst"):
        return raw
    unpacker = _unpacker()
    if unpacker is None:
        raw.close()
        raise CannotRead("compressed_zstd", "needs Python 3.14 or the package 'zstandard' to be read")
    try:
        return _Unpacked(raw, unpacker(raw))  # type: ignore[return-value]
    except Exception as error:
        raw.close()
        raise CannotRead("broken_compression", str(error)) from error
