"""Reads a text into facts: what was said, by whom, in which order, how it ended. Judges nothing."""
