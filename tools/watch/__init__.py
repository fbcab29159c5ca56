"""Watches the program: mutants, recorded answers, what is never reached; `python -m tools.watch.NAME`."""
