"""The matrix as text for a terminal: a list of releases, or every cell of one with its source."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tfdoctor.matrix.cells import FIELDS, Row, cell
from tfdoctor.matrix.query import Matrix

COLUMNS = ("release", "distribution", "platform", "gpu", "python", "cuda", "cudnn")


def listing(matrix: Matrix, chosen: Iterable[Row]) -> str:
    """One line a row, the newest release last, so that it stands next to the prompt."""
    order = {release: at for at, release in enumerate(matrix.document["releases"]["tensorflow"]["order"])}
    lines = [COLUMNS]
    for row in sorted(chosen, key=lambda row: (order.get(row.release, 0), row.distribution, row.platform)):
        found = {name: _value(matrix, row, name) for name in ("gpu", "python", "cuda", "cudnn")}
        pythons = found["python"] or []
        python = f"{pythons[0]}-{pythons[-1]}" if len(pythons) > 1 else "".join(pythons)
        gpu = {True: "yes", False: "no"}.get(found["gpu"], "?")
        lines.append((*row, gpu, python, found["cuda"] or "-", found["cudnn"] or "-"))
    widths = [max(len(line[at]) for line in lines) for at in range(len(COLUMNS))]
    table = [
        "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]
    return _printable([f"matrix {matrix.version} ({matrix.origin})", *table])


def release_text(matrix: Matrix, chosen: Iterable[Row]) -> str:
    """Every cell of these rows with its source, and the known defects."""
    lines: list[str] = []
    rows = list(chosen)
    for row in rows:
        lines += [f"{row.distribution} {row.release} on {row.platform}"]
        for field in FIELDS:
            here = cell(matrix.document["releases"], matrix.document["fields"], row, field)
            if here.value is None or here.value in ("", {}):
                continue
            source = matrix.sources[here.source]
            lines.append(f"  {field}: {_text(here.value)}  [{source}]")
            if here.disagrees:
                lines.append(f"    against it: {here.disagrees}")
        lines.append("")
    for release in dict.fromkeys(row.release for row in rows):
        lines += [f"known of {release}: {each.text}  [{each.source}]" for each in matrix.defects(release)]
    return _printable(lines)


def _value(matrix: Matrix, row: Row, field: str) -> Any:
    return cell(matrix.document["releases"], matrix.document["fields"], row, field).value


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(_text(each) for each in value) or "none"
    if isinstance(value, dict):
        return ", ".join(f"{name} {_text(each)}".rstrip() for name, each in value.items())
    return str(value)


def _printable(lines: list[str]) -> str:
    """Text of a matrix file is data: what could steer a terminal is replaced."""
    return "".join("".join(each if each.isprintable() else "?" for each in line) + "\n" for line in lines)
