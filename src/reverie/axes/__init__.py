"""The five choices that make a memory design, one file each, interface first (study, "Five Design Axes").

``writing`` who writes, and when · ``refresh`` when the prompt changes · ``residency`` how much is always loaded ·
``eviction`` what goes · ``scoping`` whose a memory is, and where it lies. A design (``reverie.designs``) is one value from each.
"""
