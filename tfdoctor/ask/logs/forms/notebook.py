"""The outputs of a notebook (.ipynb), cell by cell, as the text that the user saw."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tfdoctor.ask.logs.forms.opening import LogError

_MOST_BYTES = 64 << 20
_PIECE = 64 << 10
"""Bytes of outputs that are handed on together: to look for every message costs 2 ms, however short a piece is."""


def looks_like(head: bytes) -> bool:
    """A JSON document that says early that it has cells."""
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:4096]
    return (
        start.startswith(b"{")
        and (b'"cells"' in head[:65536] or b'"nbformat"' in head[:4096])
        and not start.startswith(b'{"log"')
    )


def outputs(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    """What the cells printed and raised, in the order of the notebook. Raises LogError where it is too large or nested too deep."""
    content = bytearray(first)
    for piece in rest:
        content += piece
        if len(content) > _MOST_BYTES:
            raise LogError(f"the notebook is larger than {_MOST_BYTES >> 20} MiB")
    try:
        document = json.loads(bytes(content))
        cells = document["cells"]
    except RecursionError as error:
        raise LogError("the notebook can't be read: it is nested too deep") from error
    except (ValueError, KeyError, TypeError):
        yield bytes(content)  # cut, or no notebook after all: read as the text that it is
        return
    together = bytearray()
    for text in filter(
        None,
        (_text(output) for cell in _objects(cells) for output in _objects(cell.get("outputs"))),
    ):
        together += (text if text.endswith("\n") else f"{text}\n").encode("utf-8", "replace")
        if len(together) >= _PIECE:
            yield bytes(together)
            together.clear()
    yield bytes(together)


def _objects(value: Any) -> list[dict[str, Any]]:
    """Those in a list; none in anything else."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _text(output: dict[str, Any]) -> str:
    if output.get("output_type") == "error":
        return _of_an_error(output)
    if "text" in output:
        return _joined(output["text"], "")
    data = output.get("data")
    return _joined(data.get("text/plain"), "") if isinstance(data, dict) else ""


def _of_an_error(output: dict[str, Any]) -> str:
    """Its traceback; where that does not name what was raised, with the heading and the last line that IPython writes."""
    told = _joined(output.get("traceback"), "\n")
    name = str(output.get("ename") or "Exception")
    if name in told:
        return told
    return f"{told}\n{name} Traceback (most recent call last)\n\n{name}: {output.get('evalue') or ''}".lstrip(
        "\n"
    )


def _joined(value: Any, gap: str) -> str:
    if isinstance(value, str):
        return value
    return gap.join(str(each) for each in value) if isinstance(value, list) else ""
