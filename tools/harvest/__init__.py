"""Reads facts in the published wheels for the matrix and the messages; `python -m tools.harvest.NAME`."""
