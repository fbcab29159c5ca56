"""Exit status 0 of `check` says "healthy", and a program that broke on the way may end with it, too.

So it leaves only with a receipt: `check` gives one for each report that was written whole. What is below (typer,
click, a library that ends the process, a variable of the shell's completion) can then be as broken as it likes.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence

from tfdoctor.cli.guard import NO_VERDICT, say

_OTHER_WISHES = {"-h", "--help", "--schema"}
"""What `check` prints in place of a report where it is typed."""

_receipts: list[int] = []


def give(report: bytes, taken: object) -> None:
    """The report's place took `taken` bytes. Raises OSError where that is not the whole report."""
    if not report or taken != len(report):
        raise OSError(errno.EIO, f"the report was not written ({taken} of {len(report)} bytes)")
    _receipts.append(len(report))


def proven(arguments: Sequence[str], status: int) -> int:
    """The status that `check` may end with: 3 in place of a 0 that no report stands behind."""
    if status != 0 or _receipts or _OTHER_WISHES & set(arguments):
        return status
    why = "; TFDOCTOR_SCHEMA asks for the schema instead" if os.environ.get("TFDOCTOR_SCHEMA") else ""
    say(f"check ended without writing a report, so there is no verdict{why}")
    return NO_VERDICT
