"""Quantities over time as a picture: where its lines, labels and marks stand. `templates/figure.html` writes it as SVG.

Not by pygal: it draws the same in 0.1 s and 54 kB, but each picture has the ids activate-serie-0 and so on, 40 rules of
style with colors for white paper, and text that shrinks with the window (3.1.3, measured 2026-11-28); a notebook needs none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

from tfdoctor.base.records import record
from tfdoctor.say.plots import size
from tfdoctor.say.view import Figure, Line

HEIGHT = 180
_WIDTH = 1000
_BINS = 250
_GAP = 5  # times the longest of the steps around it
_STEPS_AROUND = 4
_FAR = 5  # times the highest value: a limit that is further up would press the lines flat
_STYLES = (("#2f7fd1", ""), ("#c2611f", "7 3"), ("#8a6bd1", "2 3"), ("#2d8a55", ""), ("#1b8a93", "7 3"), ("#a8598f", "2 3"))  # fmt: skip
"""Colors that stand out from white and from black, by 3:1 at least; dashes for those who see none."""
_TIMES = ((1.0, "s", 100.0), (60.0, "min", 100.0), (3600.0, "h", 60.0), (86400.0, "d", math.inf))

Points = Sequence[tuple[float, float]]


@record
class Tick:
    """`at` in percent of the width, or in pixels from the top."""

    at: float
    text: str


@record
class Stroke:
    """One line, its path in a box of 1000 by HEIGHT; and its row of the table."""

    name: str
    path: str
    color: str
    dash: str
    cells: tuple[str, ...]


@record
class Chart:
    """`limit` is in pixels from the top, or None where it is too far up to be drawn, or there is none."""

    columns: ClassVar = ("First", "Lowest", "Highest", "Last")
    height: ClassVar = HEIGHT
    mark_color: ClassVar = "#d0453f"

    strokes: tuple[Stroke, ...]
    x: tuple[Tick, ...]
    y: tuple[Tick, ...]
    marks: tuple[Tick, ...]
    limit: float | None
    limit_text: str


def chart(figure: Figure) -> Chart:
    """At least one line has a point."""
    lines = [(line.name, _sane(line)) for line in figure.lines]
    times = [at for _, points in lines for at, _ in points] + [mark.at for mark in figure.marks]
    begin, end = min(0.0, *times), max(times)
    span = end - begin or 1.0
    highest = max(
        [
            100.0 if figure.unit == "%" else 0.0,
            *(value for _, points in lines for _, value in points),
        ]
    )
    near = 0 < figure.limit <= highest * _FAR
    highest = max(highest, figure.limit if near else 0.0)
    scale = _scale(figure.unit, highest)
    labels = round_labels(highest / scale)
    top = labels[-1] * scale

    def y(value: float) -> float:
        return round(HEIGHT - value / top * HEIGHT, 1)

    strokes = tuple(
        Stroke(
            name,
            _path([((at - begin) / span * _WIDTH, y(value)) for at, value in thinned(points)]),
            *_STYLES[number % len(_STYLES)],
            _cells(points, figure.unit),
        )
        for number, (name, points) in enumerate(lines)
    )
    seconds, unit = next((each, name) for each, name, most in _TIMES if span < each * most)
    every = [at for at in round_labels(span / seconds) if at * seconds <= span]
    x = [Tick(round(at * seconds / span * 100, 2), f"{begin / seconds + at:,.6g}") for at in every]
    x[-1] = Tick(x[-1].at, f"{x[-1].text} {unit}")
    return Chart(
        strokes,
        tuple(x),
        tuple(Tick(y(each * scale), _label(each, scale, figure.unit)) for each in labels),
        tuple(Tick(round((mark.at - begin) / span * 100, 2), mark.text) for mark in figure.marks),
        y(figure.limit) if near else None,
        f"limit {amount(figure.limit, figure.unit)}{'' if near else ', above the picture'}" if figure.limit else "",
    )  # fmt: skip


def _sane(line: Line) -> list[tuple[float, float]]:
    """In the order of time, which a clock that was set back breaks; without what is no number."""
    return sorted(
        (at, value) for at, value in line.points if math.isfinite(at) and math.isfinite(value)
    )


def _cells(points: Points, unit: str) -> tuple[str, ...]:
    if not points:
        return ("–",) * len(Chart.columns)
    at, most = max(points, key=_value)
    first, least, highest, last = (
        amount(each, unit) for each in (points[0][1], min(map(_value, points)), most, points[-1][1])
    )
    texts = (first, least, highest, f"at {duration(at)}", last)
    first, least, highest, when, last = (text.replace(" ", "\N{NO-BREAK SPACE}") for text in texts)
    return first, least, f"{highest} {when}", last


def amount(value: float, unit: str) -> str:
    if unit == "bytes":
        return size(value)
    return _short(value) + (" %" if unit == "%" else "")


def duration(seconds: float) -> str:
    length, name = next((each, name) for each, name, most in _TIMES if seconds < each * most)
    return f"{_short(seconds / length)} {name}"


def _short(number: float) -> str:
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.3g}"


def _label(number: float, scale: float, unit: str) -> str:
    """All in one unit: "0.5 MB" below "1 MB"."""
    name = size(scale).split()[-1] if scale > 1 else "B"
    names = {"bytes": f" {name}", "%": " %"}
    return f"{number:,.6g}{names.get(unit, '') if number else ''}"


def _scale(unit: str, highest: float) -> float:
    """So that labels are round in the unit that they are written in."""
    power = max(0, int(math.log10(highest)) // 3) if unit == "bytes" and highest >= 1 else 0
    return float(1000**power)


def thinned(points: Points) -> list[tuple[float, float]]:
    """Of each stretch of time the smallest and the largest value, in their order: no peak is lost."""
    if len(points) <= 2 * _BINS:
        return list(points)
    start, width = points[0][0], (points[-1][0] - points[0][0]) / _BINS or 1.0
    bins: dict[int, list[tuple[float, float]]] = {}
    for point in points:
        bins.setdefault(min(int((point[0] - start) / width), _BINS - 1), []).append(point)
    kept: list[tuple[float, float]] = []
    for _, inside in sorted(bins.items()):
        kept += sorted({min(inside, key=_value), max(inside, key=_value)})
    return kept


def _value(point: tuple[float, float]) -> float:
    return point[1]


def _path(points: Points) -> str:
    """A line that breaks where nothing was measured: where a step is far longer than those around it."""
    steps = [after[0] - before[0] for before, after in zip(points, points[1:], strict=False)]  # noqa: RUF007  # a list is at hand
    words = []
    for number, (x, y) in enumerate(points):
        around = steps[max(number - 1 - _STEPS_AROUND, 0) : max(number - 1, 0)] + steps[number : number + _STEPS_AROUND]  # fmt: skip
        gap = number > 0 and around and steps[number - 1] > _GAP * max(around)
        words.append(f"{'M' if number == 0 or gap else 'L'}{x:.1f} {y:g}")
        if number == 0 or gap:
            words.append("h0")  # a dot, where the next point is far
    return "".join(words)


def round_labels(highest: float) -> list[float]:
    """From 0 in four to eight steps of 1, 2 or 5 times a power of ten, to where the highest value fits below."""
    if highest <= 0:
        return [0.0, 1.0]
    power = 10.0 ** math.floor(math.log10(highest))
    step = next(
        (each * power / 10 for each in (1, 2, 5, 10, 20) if highest <= 8 * each * power / 10), power
    )
    count = math.ceil(round(highest / step, 9))
    return [round(step * at, 12) for at in range(max(count, 1) + 1)]
