"""What a client is told to run: ``python -I -S …/reverie/hook.py HOST``, or ``python -m reverie.hook HOST``.

Run by its path it needs no ``site``, which saves a third of the interpreter's start; the package is found beside this file,
and what it needs from others only off the usual way (PyYAML for a header in an unusual form) where pip put it.
"""

from __future__ import annotations

import sys

if __name__ == "__main__":
    if sys.flags.no_site:
        here = __file__.replace("\\", "/").rsplit("/", 2)[0]
        venv = sys.executable.replace("\\", "/").rsplit("/", 2)[0]
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        tail = "Lib/site-packages" if sys.platform == "win32" else f"lib/{version}/site-packages"
        sys.path.insert(0, here)
        sys.path += [path for path in (f"{venv}/{tail}",) if path != here]
    from reverie.entrypoints.hook import main

    main(sys.argv[1:])
