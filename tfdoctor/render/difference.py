"""The comparison of two reports as text and as JSON."""

from __future__ import annotations

import textwrap
from typing import Any

from tfdoctor.examine.difference import Comparison, Difference, Weight
from tfdoctor.examine.report import Report
from tfdoctor.render.clean import clean, fit

_HEADINGS = {
    Weight.DECISIVE: "Differences that decide what works",
    Weight.LIKELY: "Differences that may matter",
    Weight.MINOR: "Differences that hardly matter",
}
_LONGEST = 300  # characters of a value that a person still compares


def difference_to_json(comparison: Comparison, a: Report, b: Report) -> dict[str, Any]:
    return {
        "schema_version": "1.0",
        "same": comparison.same,
        "a": _side(a),
        "b": _side(b),
        "findings": {
            "only_a": list(comparison.only_a),
            "only_b": list(comparison.only_b),
            "both": list(comparison.both),
        },
        "differences": [_difference(item) for item in comparison.differences],
        "open": [_difference(item) for item in comparison.open],
    }


def _side(report: Report) -> dict[str, str]:
    return {"verdict": report.verdict.value, "summary": report.summary, "generated_at": report.generated_at}


def _difference(item: Difference) -> dict[str, str]:
    return {"fact": item.fact, "weight": item.weight.value, "a": item.a, "b": item.b}


def render_difference(comparison: Comparison, a: Report, b: Report, *, width: int, encoding: str) -> str:
    lines = [f"A  {a.verdict.value}: {a.summary}", f"B  {b.verdict.value}: {b.summary}", ""]
    for name, codes in (("A", comparison.only_a), ("B", comparison.only_b)):
        if codes:
            lines.append(f"Found in {name} alone: {', '.join(codes)}")
    if comparison.both:
        lines.append(f"Found in both: {', '.join(comparison.both)}")
    for weight, heading in _HEADINGS.items():
        chosen = [item for item in comparison.differences if item.weight is weight]
        lines += ["", heading] if chosen else []
        lines += [line for item in chosen for line in _lines(item)]
    if comparison.open:
        lines += ["", "Can't be compared, for one side does not know"]
        lines += [line for item in comparison.open for line in _lines(item)]
    if comparison.same:
        lines += ["", "Nothing that matters differs."]
    wrapped = [part for line in lines for part in _wrapped(fit(clean(line), encoding), max(width, 24))]
    return "\n".join(wrapped).replace("\n\n\n", "\n\n") + "\n"


def _lines(item: Difference) -> list[str]:
    return [f"  {item.fact}", f"    A  {_short(item.a)}", f"    B  {_short(item.b)}"]


def _short(value: str) -> str:
    return value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…"


def _wrapped(line: str, width: int) -> list[str]:
    indent = " " * (len(line) - len(line.lstrip()) + 3)
    return textwrap.wrap(line, width, subsequent_indent=indent, break_on_hyphens=False) or [""]
