"""Reads saved reports; what is wrong with a file becomes one line and exit status 2."""

from __future__ import annotations

import os
import sys

from tfdoctor.apps.cli.guard import UsageError
from tfdoctor.apps.documents import load
from tfdoctor.base.foreign_json import MOST_BYTES
from tfdoctor.base.safe_open import head_of
from tfdoctor.report.report import Report, ReportError


def read_report(name: str, *, secrets: bool = True) -> Report:
    """The report in a file, in a directory as its report.json, or from standard input for "-"; for what shows its values, without secrets. Raises UsageError."""
    in_it = os.path.join(name, "report.json")
    name = in_it if os.path.isfile(in_it) else name
    try:
        content = (
            sys.stdin.buffer.read(MOST_BYTES + 1) if name == "-" else head_of(name, MOST_BYTES + 1)
        )
    except OSError as error:
        hint = "; - reads standard input" if "pipe" in str(error.strerror) else ""
        raise UsageError(f"{name}: can't be read ({error.strerror or error}{hint})") from error
    except ValueError as error:  # a name that no file can have
        raise UsageError(f"{name}: can't be read ({error})") from error
    try:
        return load(content, secrets=secrets)
    except ReportError as error:
        raise UsageError(f"{name}: {error}") from error
