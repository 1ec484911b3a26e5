"""Recorded sessions of the five agents, for `reverie tour` and the tests. Made by tools/strip_samples.py from tools/samples."""
