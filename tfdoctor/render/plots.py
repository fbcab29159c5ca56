"""Quantities over time: for a terminal in blocks, for a page as a static SVG, drawn by pygal, that loads nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfdoctor.render.view import Figure

_BINS = 250
_COLOURS = ("#0b6bcb", "#b3541e", "#6b4fbb", "#1f7a4d")
_LIMIT, _END = "#c62828", "#555f68"

Points = Sequence[tuple[float, float]]


def svg(figure: Figure) -> str:
    """Raises ImportError where pygal is not installed."""
    import pygal
    from pygal.style import Style

    lines = [(line.name, [(at, value / figure.scale) for at, value in line.points]) for line in figure.lines]
    limit, end = figure.limit / figure.scale, figure.end
    colours = [*_COLOURS[: len(lines)], *([_LIMIT] if limit else []), *([_END] if end else [])]
    highest = max([limit, *(value for _, points in lines for _, value in points)]) or 1.0
    chart = pygal.XY(
        js=[], stroke=True, show_dots=False, width=860, height=330, title=figure.title, x_title="seconds since the start",
        y_title=figure.unit, legend_at_bottom=True, legend_at_bottom_columns=5,
        truncate_legend=-1, print_values=False, show_x_guides=False,
        y_labels=round_labels(highest), range=(0, round_labels(highest)[-1]), pretty_print=False,
        style=Style(background="#ffffff", plot_background="#ffffff", colors=tuple(colours), font_family="system-ui, sans-serif", legend_font_size=12),
    )  # fmt: skip
    chart.uuid = f"plot-{figure.name}"
    for name, points in lines:
        chart.add(name, thinned(points))
    last = max((at for _, points in lines for at, _ in points), default=0.0)
    if limit:
        chart.add("limit", [(0.0, limit), (max(last, end), limit)], stroke_style={"dasharray": "6, 4"})
    if end:
        chart.add(
            "its end", [(end, 0.0), (end, round_labels(highest)[-1])], stroke_style={"dasharray": "2, 3"}
        )
    return _written(chart.render_tree(), figure.title)


def _written(drawing: Any, title: str) -> str:
    """Without the program and the comments that pygal adds."""
    from pygal.etree import etree

    for parent in list(drawing.iter()):
        for child in list(parent):
            if not isinstance(child.tag, str) or child.tag.endswith("script"):
                parent.remove(child)
    drawing.set("role", "img")
    drawing.set("aria-label", title)
    text: str = etree.tostring(drawing, encoding="unicode")
    return text


def thinned(points: Points) -> list[tuple[float, float]]:
    """Of each stretch of time the smallest and the largest value, in their order: no peak is lost."""
    if len(points) <= 2 * _BINS:
        return list(points)
    start, width = points[0][0], (points[-1][0] - points[0][0]) / _BINS or 1.0
    bins: dict[int, list[tuple[float, float]]] = {}
    for point in points:
        bins.setdefault(min(int((point[0] - start) / width), _BINS - 1), []).append(point)
    thinned_points: list[tuple[float, float]] = []
    for _, inside in sorted(bins.items()):
        both = {min(inside, key=_value), max(inside, key=_value)}
        thinned_points += sorted(both)
    return thinned_points


def _value(point: tuple[float, float]) -> float:
    return point[1]


def round_labels(highest: float) -> list[float]:
    """From 0 in four to eight steps of 1, 2 or 5 times a power of ten, to where the highest value fits below."""
    power = 10.0 ** (len(str(int(highest))) - 1) if highest >= 1 else 0.1
    step = next(
        (each * power / 10 for each in (1, 2, 5, 10, 20) if highest <= 8 * each * power / 10), power * 5
    )
    count = int(-(-highest // step))
    return [round(step * at, 6) for at in range(max(count, 1) + 1)]


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


def size(number: float) -> str:
    """Bytes: "1.4 GB", "250 MB", "12 kB"."""
    if abs(number) >= 1e9:
        return f"{number / 1e9:.1f} GB"
    return f"{number / 1e6:.0f} MB" if abs(number) >= 1e6 else f"{number / 1e3:.0f} kB"
