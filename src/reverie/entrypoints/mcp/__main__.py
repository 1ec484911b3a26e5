"""What a client is told to run: ``python -I -m reverie.entrypoints.mcp [--home DIR]``."""

from __future__ import annotations

from reverie.entrypoints.mcp.server import main

if __name__ == "__main__":
    main()
