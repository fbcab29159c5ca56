"""Builds what is shipped: compiled knowledge, matrix, site, releases; `python -m tools.build.NAME`."""
