"""Reads saved reports; what is wrong with a file becomes one line and exit status 2."""

from __future__ import annotations

import sys
from typing import Any

from tfdoctor.cli.guard import UsageError
from tfdoctor.examine.report import Report, ReportError, report_from_json
from tfdoctor.system.foreign_json import MOST_BYTES, ForeignJsonError, read_json
from tfdoctor.system.safe_open import head_of


def read_report(name: str) -> Report:
    """The report in a file, or from standard input for "-". Raises UsageError."""
    return _report(name, _document(name))


def read_report_to_show(name: str) -> Report:
    """The same without secrets, for what shows the values of a report that may have been written by --no-redact."""
    return _report(name, _without_secrets(_document(name)))


def _without_secrets(value: Any) -> Any:
    from tfdoctor.render.redact.redactor import hide_secrets

    if isinstance(value, str):
        return hide_secrets(value)
    if isinstance(value, dict):
        return {key: _without_secrets(each) for key, each in value.items()}
    return [_without_secrets(each) for each in value] if isinstance(value, list) else value


def _report(name: str, document: Any) -> Report:
    try:
        return report_from_json(document)
    except ReportError as error:
        raise UsageError(f"{name}: {_without_secrets(str(error))}") from error


def _document(name: str) -> Any:
    try:
        content = sys.stdin.buffer.read(MOST_BYTES + 1) if name == "-" else head_of(name, MOST_BYTES + 1)
        return read_json(content)
    except OSError as error:
        hint = "; - reads standard input" if "pipe" in str(error.strerror) else ""
        raise UsageError(f"{name}: can't be read ({error.strerror or error}{hint})") from error
    except ForeignJsonError as error:
        raise UsageError(f"{name}: it is no report: {_without_secrets(str(error))}") from error
    except ValueError as error:  # a name that no file can have
        raise UsageError(f"{name}: can't be read ({error})") from error
