"""What models read, as Markdown files with few placeholders. ``load("types")`` is ``types.md``.

``types`` the four kinds of memory · ``saving`` when and how to save, and what not · ``reading`` when to look ·
``verifying`` before relying on a memory · ``searching`` how to find more than an index shows · ``place`` the folders ·
``short`` all of that in few words · ``own`` what is left of it where Reverie itself learns · ``shape`` and ``shape_2_1``
how a file begins, for a place in another text. Which design has which: ``axes.guidance``. ``proposing`` what an extractor
asks a model, ``selecting`` what recall asks one, ``consolidating`` and ``consolidate`` what phase 2 asks one, with one of
``handbook_in_tasks`` and ``handbook_in_blocks`` in it.
"""

from __future__ import annotations

_loaded: dict[str, str] = {}


def load(name: str, **values: str) -> str:
    """A text, its ``{placeholders}`` filled with ``values``. Read once; also from a zip archive.

    An unknown name is a ``KeyError`` with the names that exist, a value without a place a ``TypeError``.
    """
    if name not in _loaded:
        _loaded[name] = _read(name)
    text = _loaded[name]
    for key, value in values.items():
        if f"{{{key}}}" not in text:
            raise TypeError(f"the text {name!r} has no place for {key!r}")
        text = text.replace(f"{{{key}}}", value)
    return text


def names() -> tuple[str, ...]:
    """Every text there is."""
    from importlib import resources  # costs more than reading the file: only for a list, or an error

    return tuple(sorted(each.name[:-3] for each in resources.files(__name__).iterdir() if each.name.endswith(".md")))


def _read(name: str) -> str:
    loader = __spec__.loader if __spec__ else None
    data = b""
    if name.isidentifier() and loader is not None and hasattr(loader, "get_data"):
        try:
            data = loader.get_data(f"{__path__[0]}/{name}.md")
        except OSError:
            data = b""
    if not data:
        raise KeyError(f"there is no text {name!r}; there are {', '.join(names())}")
    return data.decode("utf-8").strip()
