"""Readers of what others wrote, fed with bytes that nobody would write: by atheris for an hour, by the kept inputs in each test run.

`readers.py` says what is fuzzed, `seeds.py` where it begins, `one.py` is the fuzzer of one reader, `__main__.py` runs all.
"""
