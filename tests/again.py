"""Runs what failed in the last run once more, one after the other: what fails alone has failed.

`pytest --last-failed` can't: pytest-xdist appends the group to the names of grouped tests ("…::test_it@image"), and a
name that is not found makes pytest run everything.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

FAILED = Path(".pytest_cache/v/cache/lastfailed")


def names(failed: Iterable[str]) -> list[str]:
    """The tests' own names, each once. A parameter may hold an "@", but ends with a bracket."""
    return list(dict.fromkeys(re.sub(r"@[^@\[\]]+$", "", name) for name in failed))


def main() -> int | str:
    """pytest's status, or what `sys.exit` says with status 1."""
    failed = names(json.loads(FAILED.read_text(encoding="utf-8"))) if FAILED.exists() else []
    if not failed:
        return "the run ended badly, and no test is known to have failed"
    return int(pytest.main(failed))


if __name__ == "__main__":
    sys.exit(main())
