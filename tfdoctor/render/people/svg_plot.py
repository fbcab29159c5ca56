"""Quantities over time as a static SVG, drawn by pygal: no script, no comment, nothing that is loaded, equal bytes each time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfdoctor.light.records import record

_BINS = 250
_COLOURS = ("#0b6bcb", "#b3541e", "#6b4fbb", "#1f7a4d")
_LIMIT, _END = "#c62828", "#555f68"

STYLE = """
.plot svg { max-width: 100%; height: auto; }
.plot svg .title, .plot svg .axis text, .plot svg .legend text { fill: var(--ink) !important; }
.plot svg .background, .plot svg .plot_background { fill: none !important; }
.plot svg .axis .line, .plot svg .axis .guide.line { stroke: var(--line) !important; }
.plot figcaption { font-size: .92rem; }
.plot { margin: .6rem 0 1.2rem; }
"""
"""For the page: the colours of light and dark. pygal's own rules are of higher weight, so they are overruled."""

Points = Sequence[tuple[float, float]]


@record
class Line:
    """One quantity: its name and (seconds, value)."""

    name: str
    points: Points


def svg(
    name: str, title: str, lines: Sequence[Line], *, unit: str, limit: float = 0.0, end: float = 0.0
) -> str:
    """`name` is unique on its page. `limit` is drawn across; `end` in seconds is where the command died; 0.0: neither."""
    import pygal
    from pygal.style import Style

    colours = [*_COLOURS[: len(lines)], *([_LIMIT] if limit else []), *([_END] if end else [])]
    highest = max([limit, *(value for line in lines for _, value in line.points)]) or 1.0
    chart = pygal.XY(
        js=[], stroke=True, show_dots=False, width=860, height=330, title=title, x_title="seconds since the start",
        y_title=unit, legend_at_bottom=True, legend_at_bottom_columns=5,
        truncate_legend=-1, print_values=False, show_x_guides=False,
        y_labels=round_labels(highest), range=(0, round_labels(highest)[-1]), pretty_print=False,
        style=Style(background="#ffffff", plot_background="#ffffff", colors=tuple(colours), font_family="system-ui, sans-serif", legend_font_size=12),
    )  # fmt: skip
    chart.uuid = f"plot-{name}"
    for line in lines:
        chart.add(line.name, thinned(line.points))
    last = max((point[0] for line in lines for point in line.points), default=0.0)
    if limit:
        chart.add("limit", [(0.0, limit), (max(last, end), limit)], stroke_style={"dasharray": "6, 4"})
    if end:
        chart.add(
            "its end", [(end, 0.0), (end, round_labels(highest)[-1])], stroke_style={"dasharray": "2, 3"}
        )
    return _written(chart.render_tree(), title)


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
