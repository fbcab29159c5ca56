"""Reads JSON that others wrote, within bounds: a few bytes of it can become many in memory, and it can be nested for ever."""

from __future__ import annotations

import json
from typing import Any

MOST_BYTES = 4 << 20
"""A report has well under 1 MiB, the matrix 0.1."""
MOST_PARTS = 200_000
"""Lists and objects of one document; a report of a thousand packages has 5,000."""
DEEPEST = 50
"""Lists and objects within each other; a report has ten."""
LONGEST_TEXT = 50_000
"""Characters; of a longer one the beginning is kept. What a report quotes of a log has 10,000."""
_LONGEST_NUMBER = 40  # digits: to write one of thousands takes minutes


class ForeignJsonError(ValueError):
    """The document can't be read; the message says why in one clause."""


def read_json(content: bytes) -> Any:
    """The document. Raises ForeignJsonError."""
    if len(content) > MOST_BYTES:
        raise ForeignJsonError(f"it is larger than {MOST_BYTES >> 20} MiB")
    if content.count(b"[") + content.count(b"{") > MOST_PARTS:
        raise ForeignJsonError(f"it has more than {MOST_PARTS} lists and objects")
    try:
        return _within_bounds(json.loads(content, parse_int=_integer), DEEPEST)
    except RecursionError as error:
        raise ForeignJsonError("it is nested too deep") from error
    except ForeignJsonError:
        raise
    except ValueError as error:  # JSONDecodeError and UnicodeDecodeError are both
        raise ForeignJsonError(
            "invalid JSON"
            + (f" on line {error.lineno}" if isinstance(error, json.JSONDecodeError) else "")
        ) from error


def _integer(digits: str) -> int:
    if len(digits) > _LONGEST_NUMBER:
        raise ForeignJsonError(f"it has a number of {len(digits)} digits")
    return int(digits)


def _within_bounds(value: Any, levels: int) -> Any:
    """The value with long texts cut. Raises ForeignJsonError where it is deeper than `levels`."""
    if isinstance(value, str):
        return (
            value
            if len(value) <= LONGEST_TEXT
            else f"{value[:LONGEST_TEXT]} … ({len(value)} characters)"
        )
    if not isinstance(value, (dict, list)):
        return value
    if not levels:
        raise ForeignJsonError("it is nested too deep")
    if isinstance(value, list):
        return [_within_bounds(item, levels - 1) for item in value]
    return {key[:LONGEST_TEXT]: _within_bounds(item, levels - 1) for key, item in value.items()}
