"""The program ``reverie``, also as ``python -m reverie``: the command line, and Ctrl-C from the first moment on."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line. While its libraries are still being loaded, Ctrl-C is one line, too, and no traceback."""
    try:
        from reverie.entrypoints.cli import main as command_line
    except KeyboardInterrupt:
        sys.stderr.write("reverie: Stopped before anything was done.\n")
        sys.exit(130)
    command_line()


if __name__ == "__main__":
    main()
