"""Reads and writes JSON by the interpreter's own C scanner alone: `import json` brings regular expressions, as costly as a probe.

Its import takes 13 ms of the processor, this one 1 ms (Python 3.11, least of 12, 2026-11-22).

The scanner is what `json` itself uses (`json.scanner.c_make_scanner`). An interpreter that lacks it gets `json`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

BLANKS = " \t\n\r"


def with_texts(value: Any, convert: Callable[[str], str]) -> Any:
    """The document with each text and key of it converted."""
    if isinstance(value, str):
        return convert(value)
    if isinstance(value, dict):
        return {convert(key): with_texts(each, convert) for key, each in value.items()}
    return (
        [with_texts(each, convert) for each in value] if isinstance(value, list | tuple) else value
    )


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
    except (
        ImportError,
        SystemError,
    ):  # the scanner can't raise its errors where `json` was never imported
        import json

        return json.loads(text)


def dumps(value: Any) -> str:
    """The document in ASCII, made of None, booleans, finite numbers, texts, lists and dictionaries whose keys are texts."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_text(key)}: {dumps(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(dumps(each) for each in value) + "]"
    if isinstance(value, str):
        return _text(value)
    return (
        {None: "null", True: "true", False: "false"}[value]
        if value is None or isinstance(value, bool)
        else repr(value)
    )


def _text(value: str) -> str:
    try:
        from _json import encode_basestring_ascii
    except ImportError:
        from json.encoder import py_encode_basestring_ascii as encode_basestring_ascii
    return encode_basestring_ascii(value)


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
