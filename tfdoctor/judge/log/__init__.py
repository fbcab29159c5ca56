"""Judges what a log says: which of its lines name the cause, which only report the end."""
