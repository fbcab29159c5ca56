"""Quantities over time for a terminal, in blocks. Our own: importing plotext takes 0.2 s (2026-11-28)."""

from __future__ import annotations

from collections.abc import Sequence

_BLOCKS = " ▁▂▃▄▅▆▇█"
_PLAIN_BLOCKS = "  ..::##*"
ROWS = 6


def plot(
    points: Sequence[tuple[float, float]], *, width: int, limit: float = 0.0, plain: bool = False
) -> list[str]:
    """Lines of text; [] for fewer than two points. Each column shows the largest value of its stretch of time."""
    if len(points) < 2 or points[-1][0] <= points[0][0]:
        return []
    blocks = _PLAIN_BLOCKS if plain else _BLOCKS
    highest = max(max(value for _, value in points), limit)
    if highest <= 0:
        return []
    label = max(len(size(highest)), len(size(limit)) if limit else 0)
    columns = _columns(points, max(width - label - 3, 10))
    lines = []
    limit_row = round(limit / highest * ROWS) if limit else -1
    for row in range(ROWS, 0, -1):
        body = "".join(_cell(value / highest * ROWS - (row - 1), blocks) for value in columns)
        name = size(highest) if row == ROWS else ""
        if row == limit_row:
            name = f"{size(limit)}"
            body = "".join("-" if cell == " " else cell for cell in body)
        lines.append(f"{name:>{label}} |{body}".rstrip())
    lines.append(f"{'0':>{label}} +{'-' * len(columns)}")
    end = f"{points[-1][0]:.0f} s"
    lines.append(f"{'':>{label}}  0 s{end:>{max(len(columns) - 3, len(end) + 1)}}")
    return lines


def _cell(height: float, blocks: str) -> str:
    return blocks[max(0, min(8, round(height * 8)))]


def _columns(points: Sequence[tuple[float, float]], count: int) -> list[float]:
    """The largest value of each stretch; one without a sample shows the one before."""
    start, end = points[0][0], points[-1][0]
    columns: list[float] = [-1.0] * count
    for at, value in points:
        place = min(int((at - start) / (end - start) * count), count - 1)
        columns[place] = max(columns[place], value)
    before = 0.0
    for place, value in enumerate(columns):
        before = columns[place] = before if value < 0 else value
    return columns


_SIZES = ((1e18, "EB"), (1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


def size(number: float) -> str:
    """Bytes: "1.4 GB", "250 MB", "12 kB"."""
    power, name = next((each for each in _SIZES if abs(number) >= each[0]), _SIZES[-1])
    return f"{number / power:,.{1 if power >= 1e9 else 0}f} {name}"
