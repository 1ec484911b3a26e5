"""What a layout is. The values live in ``core.layout``, where the store sees them too; layouts take them from here."""

from __future__ import annotations

from reverie.core.layout import Change, Contents, File, Folder, Layout, Problem, Shows, Written, to_anyone

__all__ = ["Change", "Contents", "File", "Folder", "Layout", "Problem", "Shows", "Written", "to_anyone"]
