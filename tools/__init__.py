"""Programs for those who maintain the matrix and the tests. Run them as `python -m tools.NAME`."""
