"""Reads saved reports; what is wrong with a file becomes one line and exit status 2."""

from __future__ import annotations

import json
import sys
from typing import Any

from tfdoctor.cli.guard import UsageError
from tfdoctor.examine.report import Report, ReportError, report_from_json


def read_report(name: str) -> Report:
    """The report in a file, or from standard input for "-". Raises UsageError."""
    try:
        return report_from_json(_document(name))
    except ReportError as error:
        raise UsageError(f"{name}: {error}") from error


def _document(name: str) -> Any:
    try:
        if name == "-":
            content = sys.stdin.buffer.read()
        else:
            with open(name, "rb") as file:
                content = file.read()
        return json.loads(content)
    except OSError as error:
        raise UsageError(f"{name}: can't be read ({error.strerror or error})") from error
    except RecursionError as error:
        raise UsageError(f"{name}: it is no report (nested too deep)") from error
    except ValueError as error:  # JSONDecodeError and UnicodeDecodeError are both
        raise UsageError(f"{name}: it is no JSON ({error})") from error
