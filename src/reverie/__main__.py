"""``python -m reverie``: the command line."""

from reverie.entrypoints.cli import main

if __name__ == "__main__":
    main()
