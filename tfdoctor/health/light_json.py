"""Reads JSON by the interpreter's own C scanner alone: `import json` brings regular expressions, as costly as a probe.

The scanner is what `json` itself uses (`json.scanner.c_make_scanner`). An interpreter that lacks it gets `json`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

BLANKS = " \t\n\r"


class _Settings:
    """What `json.JSONDecoder` has by default."""

    strict = True
    object_hook = object_pairs_hook = memo = None
    parse_float, parse_int = float, int

    @staticmethod
    def parse_constant(name: str) -> float:
        raise ValueError(f"{name} is no JSON")


def loads(text: str) -> Any:
    """The document. Raises ValueError, or RecursionError where it is nested beyond all reason."""
    try:
        return _scanned(text)
    except (ImportError, SystemError):  # the scanner can't raise its errors where `json` was never imported
        import json

        return json.loads(text)


def _scanned(text: str) -> Any:
    from _json import make_scanner

    begin = len(text) - len(text.lstrip(BLANKS))
    try:
        document, end = make_scanner(_Settings)(text, begin)  # type: ignore[arg-type]  # it reads these attributes, typeshed asks for a class of its own
    except StopIteration as stop:
        raise ValueError(f"no JSON at character {stop.value}") from stop
    if text[end:].strip(BLANKS):
        raise ValueError(f"more than one document: something follows at character {end}")
    return document
